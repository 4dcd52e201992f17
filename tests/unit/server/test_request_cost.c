/* No request costs the square of what it holds: for every kind of list, on every path, four times
 * as many elements may take less than eight times the processor time. A square takes sixteen times,
 * n log n less than five. Where others on the machine take the cache away, so that this does not
 * hold, sixteen times as many may take less than 64 times: the same power of 1.5, over a span in
 * which their part is smaller. Nothing is compared with a clock. */
#include "request_cost.h"

#include "../long_form.h"
#include "base/util.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const struct span {
        size_t times;
        int ratio_max;
} spans[] = { { 4, 8 }, { 16, 64 } };
#define LARGER 4 /* times as large is what is measured instead of what is short */
#define TRIES 20
/* Requests as short as this are not told from what every request costs. */
#define SHORT_NS 400000
#define LARGER_MAX 2 /* how often what is short is measured at a larger size instead */

static void keep_least(struct cost *least, struct cost cost) {
        if (least->ns == 0 || cost.ns < least->ns)
                *least = cost;
}

/* Measures until the least of the larger one is small enough; others on the machine only make
 * either of them longer. */
static bool is_span_cheap(const struct cost_shape *shape, enum cost_path path, size_t count,
                          const struct span *span, struct cost *ret_few) {
        struct cost few = { 0 }, many = { 0 };
        bool is_cheap = false;

        for (int i = 0; i < TRIES && !is_cheap; i++) {
                keep_least(&few, cost_measure(shape, path, count));
                keep_least(&many, cost_measure(shape, path, span->times * count));
                is_cheap = many.ns < SHORT_NS || many.ns < span->ratio_max * few.ns;
        }
        *ret_few = few;
        if (!is_cheap)
                print_error("%s, %s: %zu elements %.3f ms, %zu elements %.3f ms\n", shape->name,
                            cost_path_names[path], count, (double)few.ns / 1e6, span->times * count,
                            (double)many.ns / 1e6);
        return is_cheap;
}

/* Beside a short request, a step like the first page of a large buffer looks like a square. A step
 * is gone at a larger size; a square is not. */
static bool is_cheap(const struct cost_shape *shape, enum cost_path path, size_t count) {
        struct cost few = { 0 };

        for (int i = 0; i <= LARGER_MAX && few.ns < SHORT_NS; i++, count *= LARGER)
                for (size_t j = 0; j < ARRAY_LEN(spans); j++)
                        if (is_span_cheap(shape, path, count, &spans[j], &few))
                                return true;
        return false;
}

/* BERTH_COST_ELEMENTS: of the smaller request. */
static size_t elements(void) {
        const char *given = getenv("BERTH_COST_ELEMENTS");

        if (given)
                return strtoul(given, NULL, 10);
        return long_form() ? 4000 : 400;
}

static void test_no_squares(void **state) {
        size_t count = elements(), bad = 0;
        size_t step = long_form() ? 1 : 7; /* the short form takes every seventh pair */

        (void)state;
        for (size_t i = 0; i < cost_shape_count; i++) {
                for (size_t path = i % step; path < COST_PATHS; path += step)
                        bad += !is_cheap(&cost_shapes[i], (enum cost_path)path, count);
        }
        assert_int_equal(bad, 0);
}

/* What is refused on purpose: repeated names, wrong labels, unknown values. Apply takes neither
 * repeated keys nor fields that the schema lacks nor managedFields, as upstream. */
static const struct refusal {
        const char *name;
        int created, applied;
} refusals[] = {
        { "container.env.same", 201, 500 },
        { "container.ports.same", 422, 500 },
        { "container.ports.bare", 201, 500 },
        { "container.unknown", 201, 500 },
        { "metadata.ownerReferences.same", 201, 500 },
        { "metadata.labels.wrong", 422, 422 },
        { "quota.scopes", 422, 422 },
        { "storageclass.topologies", 422, 422 },
        { "node.taints.same", 422, 422 },
        { "limitrange.limits", 422, 422 },
        { "deployment.matchLabels", 422, 422 },
        { "job.podFailurePolicy", 422, 422 },
        { "metadata.managedFields", 201, 400 },
        { "metadata.managedFields.data", 201, 400 },
        { "metadata.managedFields.apply", 201, 200 }, /* to an object that is there */
        { "custom.some", 201, 500 },
};

static struct refusal answers_due(const char *name) {
        for (size_t i = 0; i < ARRAY_LEN(refusals); i++)
                if (strcmp(refusals[i].name, name) == 0)
                        return refusals[i];
        return (struct refusal){ name, 201, 201 };
}

/* The measurement itself: requests reach what they are meant to reach. */
static void test_requests_succeed(void **state) {
        size_t bad = 0;

        (void)state;
        for (size_t i = 0; i < cost_shape_count; i++) {
                struct refusal due = answers_due(cost_shapes[i].name);
                int created = cost_measure(&cost_shapes[i], COST_CREATE, 20).status;
                int applied = cost_measure(&cost_shapes[i], COST_APPLY, 20).status;

                if (created == due.created && applied == due.applied)
                        continue;
                print_error("%s: created %d, applied %d\n", due.name, created, applied);
                bad++;
        }
        assert_int_equal(bad, 0);
}

/* What etcd would not store is refused, as upstream does. Each word of a set is stored twice: in
 * the list and in managedFields. */
static void test_too_large(void **state) {
        (void)state;
        for (size_t i = 0; i < cost_shape_count; i++) {
                if (strcmp(cost_shapes[i].name, "custom.words"))
                        continue;
                assert_int_equal(cost_measure(&cost_shapes[i], COST_CREATE, 50000).status, 201);
                assert_int_equal(cost_measure(&cost_shapes[i], COST_CREATE, 60000).status, 500);
                return;
        }
        fail();
}

int main(void) {
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(test_requests_succeed),
                cmocka_unit_test(test_no_squares),
                cmocka_unit_test(test_too_large),
        };
        return cmocka_run_group_tests(tests, NULL, NULL);
}
