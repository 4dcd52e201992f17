/* The revisioned store: order, snapshots, history, subscriptions; random work against an oracle
 * that keeps every state it ever had. */
#include "store/store.h"

#include "base/rng.h"
#include "base/util.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

static uint64_t put(struct store *store, int resource, const char *ns, const char *name) {
        char body[128];

        snprintf(body, sizeof(body), "%s/%s@%llu", ns, name,
                 (unsigned long long)store_next_revision(store));
        assert_int_equal(
                store_put(store, resource, slice_of(ns), slice_of(name), slice_of(body), NULL), 0);
        return store_revision(store);
}

static int drop(struct store *store, int resource, const char *ns, const char *name) {
        struct err err = { 0 };

        return store_remove(store, resource, slice_of(ns), slice_of(name), slice_of("gone"), &err);
}

static void list_text(struct store *store, const struct store_range *range, char *out,
                      size_t size) {
        struct store_cursor *cursor = NULL;
        const struct store_object *object;
        size_t used = 0;

        out[0] = '\0';
        assert_int_equal(store_cursor_open(store, range, &cursor, NULL), 0);
        while ((object = store_cursor_next(cursor)))
                used += (size_t)snprintf(out + used, size - used, "%s/%s@%llu ",
                                         store_object_ns(object).ptr, store_object_name(object).ptr,
                                         (unsigned long long)object->revision);
        store_cursor_close(cursor);
}

static void test_order_and_ranges(void **state) {
        struct store *store = store_new(NULL);
        int pods = store_add_resource(store, SLICE_LITERAL("pods"));
        char text[512];

        (void)state;
        assert_int_equal(pods, store_add_resource(store, SLICE_LITERAL("pods")));
        assert_int_equal(store_find_resource(store, SLICE_LITERAL("nodes")), -1);
        put(store, pods, "b", "x");
        put(store, pods, "a", "z");
        put(store, pods, "a", "b");
        put(store, pods, "ab", "a");
        list_text(store, &(struct store_range){ .resource = pods }, text, sizeof(text));
        assert_string_equal(text, "a/b@1003 a/z@1002 ab/a@1004 b/x@1001 ");
        list_text(store, &(struct store_range){ .resource = pods, .ns = SLICE_LITERAL("a") }, text,
                  sizeof(text));
        assert_string_equal(text, "a/b@1003 a/z@1002 ");
        list_text(store,
                  &(struct store_range){ .resource = pods,
                                         .has_after = true,
                                         .after_ns = SLICE_LITERAL("a"),
                                         .after_name = SLICE_LITERAL("c") },
                  text, sizeof(text));
        assert_string_equal(text, "a/z@1002 ab/a@1004 b/x@1001 ");
        assert_int_equal(drop(store, pods, "a", "z"), 0);
        assert_int_equal(drop(store, pods, "a", "z"), BERTH_ERR_NOT_FOUND);
        assert_null(store_get(store, pods, SLICE_LITERAL("a"), SLICE_LITERAL("z")));
        assert_int_equal(store_count(store, pods), 3);
        store_free(store);
}

static void test_snapshot(void **state) {
        struct store *store = store_new(NULL);
        int pods = store_add_resource(store, SLICE_LITERAL("pods"));
        struct store_range then = { .resource = pods };
        struct store_cursor *cursor = NULL;
        char text[512];

        (void)state;
        put(store, pods, "n", "a");
        put(store, pods, "n", "c");
        then.revision = put(store, pods, "n", "e");
        put(store, pods, "n", "a"); /* changed */
        put(store, pods, "n", "b"); /* added */
        assert_int_equal(drop(store, pods, "n", "e"), 0);
        put(store, pods, "n", "e"); /* recreated */
        assert_int_equal(drop(store, pods, "n", "c"), 0);
        list_text(store, &then, text, sizeof(text));
        assert_string_equal(text, "n/a@1001 n/c@1002 n/e@1003 ");
        assert_int_equal(store_cursor_open(store, &then, &cursor, NULL), 0);
        assert_int_equal(store_cursor_remaining(cursor), 3);
        store_cursor_next(cursor);
        assert_int_equal(store_cursor_remaining(cursor), 2);
        store_cursor_close(cursor);
        store_free(store);
}

static void test_compaction(void **state) {
        struct store *store = store_new(&(struct store_config){ .history_events = 4 });
        int pods = store_add_resource(store, SLICE_LITERAL("pods"));
        struct store_range range = { .resource = pods, .revision = 1001 };
        struct store_cursor *cursor = NULL;
        struct err err = { 0 };

        (void)state;
        assert_int_equal(store_compacted(store, pods), STORE_REVISION_START);
        for (int i = 0; i < 6; i++)
                put(store, pods, "n", "a");
        assert_int_equal(store_compacted(store, pods), 1002);
        assert_int_equal(store_cursor_open(store, &range, &cursor, &err), BERTH_ERR_EXPIRED);
        range.revision = 1002;
        assert_int_equal(store_cursor_open(store, &range, &cursor, &err), 0);
        store_cursor_close(cursor);
        assert_int_equal(store_event_after(store, pods, 1002)->revision, 1003);
        assert_null(store_event_after(store, pods, 1006));
        store_compact(store, 1005);
        assert_int_equal(store_event_after(store, pods, 0)->revision, 1006);
        store_free(store);
}

/* Large objects leave the history sooner; the last event always stays. */
static void test_history_bytes(void **state) {
        struct store *store = store_new(&(struct store_config){ .history_bytes = 40 });
        int pods = store_add_resource(store, SLICE_LITERAL("pods"));
        char large[128];

        (void)state;
        for (int i = 0; i < 6; i++)
                put(store, pods, "n", "a"); /* 8 bytes each: n/a@1001 */
        assert_int_equal(store_compacted(store, pods), 1001);
        memset(large, 'x', sizeof(large));
        assert_int_equal(store_put(store, pods, SLICE_LITERAL("n"), SLICE_LITERAL("b"),
                                   slice_make(large, sizeof(large)), NULL),
                         0);
        assert_int_equal(store_compacted(store, pods), 1006);
        assert_int_equal(store_event_after(store, pods, 1006)->revision, 1007);
        store_free(store);
}

struct witness {
        struct store *store;
        struct store_subscription *subscription;
        int events, last_type;
        bool has_previous, leaves;
};

static void note(void *context, int resource, const struct store_event *event) {
        struct witness *witness = context;

        (void)resource;
        assert_int_equal(event->revision, store_revision(witness->store));
        witness->events++;
        witness->last_type = (int)event->type;
        witness->has_previous = event->previous;
        if (witness->leaves)
                store_unsubscribe(witness->store, witness->subscription);
}

static void test_subscriptions(void **state) {
        struct store *store = store_new(NULL);
        int pods = store_add_resource(store, SLICE_LITERAL("pods"));
        int nodes = store_add_resource(store, SLICE_LITERAL("nodes"));
        struct witness all = { .store = store }, one = { .store = store, .leaves = true };

        (void)state;
        all.subscription = store_subscribe(store, STORE_ALL_RESOURCES, note, &all);
        one.subscription = store_subscribe(store, pods, note, &one);
        put(store, nodes, "", "n1");
        assert_int_equal(one.events, 0);
        put(store, pods, "n", "a");
        assert_int_equal(all.last_type, STORE_ADDED);
        assert_false(all.has_previous);
        put(store, pods, "n", "a");
        assert_int_equal(all.last_type, STORE_MODIFIED);
        assert_true(all.has_previous);
        drop(store, pods, "n", "a");
        assert_int_equal(all.last_type, STORE_DELETED);
        assert_int_equal(all.events, 4);
        assert_int_equal(one.events, 1); /* left in its first call */
        store_unsubscribe(store, all.subscription);
        put(store, pods, "n", "a");
        assert_int_equal(all.events, 4);
        store_free(store);
}

#define ORACLE_KEYS 64
#define ORACLE_STEPS 3000

/* revisions[key] = revision of the object, 0 = absent */
struct oracle {
        uint64_t revisions[ORACLE_KEYS];
};

static void key_names(unsigned key, char *ns, char *name) {
        snprintf(ns, 16, "n%u", key / 16);
        snprintf(name, 16, "o%02u", key % 16);
}

static void check_state(struct store *store, int resource, uint64_t revision,
                        const struct oracle *oracle) {
        struct store_range range = { .resource = resource, .revision = revision };
        struct store_cursor *cursor = NULL;
        const struct store_object *object;
        size_t expected = 0;

        for (unsigned i = 0; i < ORACLE_KEYS; i++)
                expected += oracle->revisions[i] != 0;
        assert_int_equal(store_cursor_open(store, &range, &cursor, NULL), 0);
        for (unsigned i = 0; i < ORACLE_KEYS; i++) {
                char ns[16], name[16];

                if (!oracle->revisions[i])
                        continue;
                key_names(i, ns, name);
                assert_int_equal(store_cursor_remaining(cursor), expected--);
                object = store_cursor_next(cursor);
                assert_non_null(object);
                assert_true(slice_is(store_object_ns(object), ns));
                assert_true(slice_is(store_object_name(object), name));
                assert_int_equal(object->revision, oracle->revisions[i]);
        }
        assert_null(store_cursor_next(cursor));
        store_cursor_close(cursor);
}

static void test_random_against_oracle(void **state) {
        struct store *store = store_new(NULL);
        int resource = store_add_resource(store, SLICE_LITERAL("things"));
        struct oracle *states = xcalloc(ORACLE_STEPS + 1, sizeof(*states));
        struct rng rng;
        uint64_t start = store_revision(store);

        (void)state;
        rng_init(&rng, 7);
        for (unsigned step = 0; step < ORACLE_STEPS; step++) {
                unsigned key = (unsigned)rng_below(&rng, ORACLE_KEYS);
                uint64_t at = store_revision(store) - start;
                struct oracle *next = &states[at + 1];
                char ns[16], name[16];

                key_names(key, ns, name);
                *next = states[at];
                if (next->revisions[key] && rng_below(&rng, 3) == 0) {
                        assert_int_equal(drop(store, resource, ns, name), 0);
                        next->revisions[key] = 0;
                } else {
                        next->revisions[key] = put(store, resource, ns, name);
                }
                if (step % 50 == 0) {
                        uint64_t then = rng_below(&rng, at + 2);

                        check_state(store, resource, 0, next);
                        check_state(store, resource, start + then, &states[then]);
                }
        }
        free(states);
        store_free(store);
}

static void test_many_blocks(void **state) {
        struct store *store = store_new(NULL);
        int pods = store_add_resource(store, SLICE_LITERAL("pods"));
        const unsigned count = 5000;
        struct store_cursor *cursor = NULL;
        const struct store_object *object;
        unsigned seen = 0;
        char name[16];

        (void)state;
        for (unsigned i = 0; i < count; i++) { /* a permutation: 7919 is coprime to 5000 */
                snprintf(name, sizeof(name), "p%05u", i * 7919U % count);
                put(store, pods, "n", name);
        }
        for (unsigned i = 0; i < count; i += 2) {
                snprintf(name, sizeof(name), "p%05u", i);
                assert_int_equal(drop(store, pods, "n", name), 0);
        }
        assert_int_equal(
                store_cursor_open(store, &(struct store_range){ .resource = pods }, &cursor, NULL),
                0);
        assert_int_equal(store_cursor_remaining(cursor), count / 2);
        while ((object = store_cursor_next(cursor))) {
                snprintf(name, sizeof(name), "p%05u", 2 * seen++ + 1);
                assert_true(slice_is(store_object_name(object), name));
        }
        assert_int_equal(seen, count / 2);
        store_cursor_close(cursor);
        store_free(store);
}

static int refuse(void *self, struct slice resource, const struct store_event *event,
                  struct err *err) {
        int *left = self;

        (void)resource;
        (void)event;
        return (*left)-- > 0 ? 0 : err_set(err, BERTH_ERR_IO, "disk full");
}

static int load_two(void *self,
                    int (*visit)(void *context, const struct store_record *record, struct err *err),
                    void *context, uint64_t *ret_revision, struct err *err) {
        struct store_record first = { SLICE_LITERAL("pods"), SLICE_LITERAL("n"), SLICE_LITERAL("b"),
                                      SLICE_LITERAL("x"), 5000 };
        struct store_record second = { SLICE_LITERAL("pods"), SLICE_LITERAL("n"),
                                       SLICE_LITERAL("a"), SLICE_LITERAL("y"), 6000 };
        int r = visit(context, &first, err);

        (void)self;
        *ret_revision = 7000;
        return r ? r : visit(context, &second, err);
}

static void test_backend(void **state) {
        int left = 1;
        const struct store_backend backend = { .load = load_two, .commit = refuse };
        struct store *store =
                store_new(&(struct store_config){ .backend = &backend, .backend_self = &left });
        int pods = store_add_resource(store, SLICE_LITERAL("pods"));
        struct err err = { 0 };

        (void)state;
        assert_int_equal(store_load(store, &err), 0);
        assert_int_equal(store_count(store, pods), 2);
        assert_int_equal(store_revision(store), 7000);
        assert_int_equal(store_compacted(store, pods), 7000);
        assert_int_equal(put(store, pods, "n", "c"), 7001);
        assert_int_equal(drop(store, pods, "n", "c"), BERTH_ERR_IO);
        assert_int_equal(store_put(store, pods, SLICE_LITERAL("n"), SLICE_LITERAL("d"),
                                   SLICE_LITERAL("z"), &err),
                         BERTH_ERR_IO);
        assert_int_equal(store_count(store, pods), 3);
        assert_int_equal(store_revision(store), 7001);
        store_free(store);
}

int main(void) {
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(test_order_and_ranges),
                cmocka_unit_test(test_snapshot),
                cmocka_unit_test(test_compaction),
                cmocka_unit_test(test_history_bytes),
                cmocka_unit_test(test_subscriptions),
                cmocka_unit_test(test_random_against_oracle),
                cmocka_unit_test(test_many_blocks),
                cmocka_unit_test(test_backend),
        };

        return cmocka_run_group_tests(tests, NULL, NULL);
}
