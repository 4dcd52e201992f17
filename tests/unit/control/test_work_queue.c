/* Work queue: order, merging, later times, pauses after failures. */
#include "base/util.h"
#include "control/work_queue.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>

#include <cmocka.h>

#define AT(ms) ((struct mono_time){ (ms)*NS_PER_MS })

static int wakes;

static void wake(void *context) {
        (void)context;
        wakes++;
}

static void add(struct work_queue *queue, const char *name) {
        work_queue_add(queue, SLICE_LITERAL("ns"), slice_of(name));
}

/* The name of the next key, which is then done with. */
static const char *take(struct work_queue *queue, bool is_failed, int64_t now_ms) {
        static char name[64];
        struct work_item *item = work_queue_take(queue);

        if (!item)
                return "";
        assert_true(slice_is(work_item_ns(item), "ns"));
        snprintf(name, sizeof(name), SLICE_FMT, SLICE_ARG(work_item_name(item)));
        work_queue_done(queue, item, is_failed, AT(now_ms));
        return name;
}

static void test_order(void **state) {
        struct work_queue *queue = work_queue_new(wake, NULL);

        (void)state;
        wakes = 0;
        add(queue, "b");
        add(queue, "a");
        add(queue, "b");
        assert_int_equal(wakes, 1);
        assert_int_equal(work_queue_ready(queue), 2);
        assert_string_equal(take(queue, false, 0), "b");
        assert_string_equal(take(queue, false, 0), "a");
        assert_string_equal(take(queue, false, 0), "");
        work_queue_free(queue);
}

static void test_grows_around_the_ring(void **state) {
        struct work_queue *queue = work_queue_new(wake, NULL);
        int next = 0, taken = 0;
        char name[16];

        (void)state;
        for (int round = 0; round < 50; round++) {
                for (int i = 0; i < 10; i++) {
                        snprintf(name, sizeof(name), "%d", next++);
                        add(queue, name);
                }
                for (int i = 0; i < 5; i++) {
                        snprintf(name, sizeof(name), "%d", taken++);
                        assert_string_equal(take(queue, false, 0), name);
                }
        }
        assert_int_equal(work_queue_ready(queue), 250);
        work_queue_free(queue);
}

/* A key that is added while it is looked at comes again. */
static void test_added_while_taken(void **state) {
        struct work_queue *queue = work_queue_new(wake, NULL);
        struct work_item *item;

        (void)state;
        add(queue, "a");
        item = work_queue_take(queue);
        add(queue, "a");
        work_queue_done(queue, item, false, AT(0));
        assert_string_equal(take(queue, false, 0), "a");
        assert_string_equal(take(queue, false, 0), "");
        work_queue_free(queue);
}

static void test_later(void **state) {
        struct work_queue *queue = work_queue_new(wake, NULL);
        struct slice ns = SLICE_LITERAL("ns");

        (void)state;
        assert_true(work_queue_next(queue).ns == INT64_MAX);
        work_queue_add_at(queue, ns, slice_of("a"), AT(30));
        work_queue_add_at(queue, ns, slice_of("b"), AT(20));
        work_queue_add_at(queue, ns, slice_of("a"), AT(10)); /* earlier counts */
        work_queue_add_at(queue, ns, slice_of("a"), AT(40));
        assert_int_equal(work_queue_delayed(queue), 2);
        assert_true(work_queue_next(queue).ns == AT(10).ns);
        work_queue_advance(queue, AT(9));
        assert_string_equal(take(queue, false, 9), "");
        work_queue_advance(queue, AT(20));
        assert_string_equal(take(queue, false, 20), "a");
        assert_string_equal(take(queue, false, 20), "b");
        work_queue_add_at(queue, ns, slice_of("c"), AT(50));
        work_queue_cancel(queue, ns, slice_of("c"));
        work_queue_cancel(queue, ns, slice_of("never"));
        assert_int_equal(work_queue_delayed(queue), 0);
        work_queue_add_at(queue, ns, slice_of("d"), AT(50));
        add(queue, "d"); /* now is earlier */
        assert_int_equal(work_queue_delayed(queue), 0);
        work_queue_free(queue);
}

static void test_pauses(void **state) {
        static const int64_t pauses_ms[] = { 50, 100, 200, 400, 800, 1600 };
        struct work_queue *queue = work_queue_new(wake, NULL);
        int64_t now = 0;

        (void)state;
        add(queue, "a");
        for (size_t i = 0; i < ARRAY_LEN(pauses_ms); i++) {
                assert_string_equal(take(queue, true, now), "a");
                assert_true(work_queue_next(queue).ns == AT(now + pauses_ms[i]).ns);
                now += pauses_ms[i];
                work_queue_advance(queue, AT(now));
        }
        assert_string_equal(take(queue, true, now), "a");
        add(queue, "a"); /* fails for long: news do not shorten the pause */
        assert_int_equal(work_queue_ready(queue), 0);
        for (int i = 0; i < 20; i++) {
                now = work_queue_next(queue).ns / NS_PER_MS;
                work_queue_advance(queue, AT(now));
                take(queue, true, now);
        }
        assert_true(work_queue_next(queue).ns - AT(now).ns == WORK_RETRY_MAX_NS);
        now = work_queue_next(queue).ns / NS_PER_MS;
        work_queue_advance(queue, AT(now));
        take(queue, false, now);
        add(queue, "a"); /* all is forgiven */
        assert_string_equal(take(queue, true, now), "a");
        assert_true(work_queue_next(queue).ns == AT(now + 50).ns);
        work_queue_free(queue);
}

int main(void) {
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(test_order),
                cmocka_unit_test(test_grows_around_the_ring),
                cmocka_unit_test(test_added_while_taken),
                cmocka_unit_test(test_later),
                cmocka_unit_test(test_pauses),
        };

        return cmocka_run_group_tests(tests, NULL, NULL);
}
