/* No request costs the square of what it holds: for every kind of list, on every path, four times
 * as many elements may take less than eight times the processor time. A square takes sixteen times,
 * n log n less than five. Nothing is compared with a clock.
 * A square takes as much again at the next fourfold; an allocator that asks the system for more
 * than some size, page by page, makes one step dear and not the next. So both steps must be too
 * dear. */
#include "request_cost.h"

#include "../long_form.h"
#include "base/util.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define TIMES 4
#define RATIO_MAX 8
#define TRIES 12
/* Requests as short as this are not told from what every request costs. */
#define SHORT_NS 400000

typedef struct cost (*cost_of)(const void *context, size_t count);

static void keep_least(struct cost *least, struct cost cost) {
        if (least->ns == 0 || cost.ns < least->ns)
                *least = cost;
}

/* Measures until the least of the larger one is small enough; others on the machine only make
 * either of them longer. What is answered otherwise than the smaller one shows nothing. */
static bool is_step_dear(cost_of measure, const void *context, size_t count, struct cost found[2]) {
        found[0] = found[1] = (struct cost){ 0 };
        for (int i = 0; i < TRIES; i++) {
                keep_least(&found[0], measure(context, count));
                keep_least(&found[1], measure(context, TIMES * count));
                if (found[0].status != found[1].status)
                        continue;
                if (found[1].ns < SHORT_NS || found[1].ns < RATIO_MAX * found[0].ns)
                        return false;
        }
        return true;
}

static bool is_square(cost_of measure, const void *context, size_t count, struct cost found[2]) {
        struct cost next[2];

        return is_step_dear(measure, context, count, found) &&
               is_step_dear(measure, context, TIMES * count, next);
}

struct pair {
        const struct cost_shape *shape;
        enum cost_path path;
};

static struct cost cost_of_pair(const void *context, size_t count) {
        const struct pair *pair = context;

        return cost_measure(pair->shape, pair->path, count);
}

static bool is_cheap(const struct cost_shape *shape, enum cost_path path, size_t count) {
        struct pair pair = { shape, path };
        struct cost found[2];

        if (!is_square(cost_of_pair, &pair, count, found))
                return true;
        print_error("%s, %s: %zu elements %.1f ms, %zu elements %.1f ms\n", shape->name,
                    cost_path_names[path], count, (double)found[0].ns / 1e6, TIMES * count,
                    (double)found[1].ns / 1e6);
        return false;
}

/* ---- what the rule finds ---- */

struct planted {
        const char *name;
        int64_t per_element_ns, per_pair_ns;
        size_t dear_from;    /* elements from which each costs ten times as much; 0 = none */
        size_t refused_from; /* elements from which the request is refused, for nothing; 0 = none */
        bool is_square;
};

static struct cost planted_cost(const void *context, size_t count) {
        const struct planted *planted = context;
        int64_t elements = (int64_t)count;
        int64_t each_ns = planted->per_element_ns;

        if (planted->refused_from && count >= planted->refused_from)
                return (struct cost){ .ns = SHORT_NS, .status = 422 };
        if (planted->dear_from && count >= planted->dear_from)
                each_ns *= 10;
        return (struct cost){ .ns = elements * each_ns + elements * elements * planted->per_pair_ns,
                              .status = 201 };
}

static void test_rule(void **state) {
        static const struct planted rows[] = {
                { "a line", 2000, 0, 0, 0, false },
                { "a square", 1, 2, 0, 0, true },
                { "a square behind a line", 400, 2, 0, 0, true },
                { "a line that is dearer from a size on", 2000, 0, 1000, 0, false },
                { "the same with a square", 400, 20, 1000, 0, true },
                { "a square that is refused when it grows", 1, 2, 0, 6400, true },
        };
        struct cost found[2];

        (void)state;
        for (size_t i = 0; i < ARRAY_LEN(rows); i++)
                if (is_square(planted_cost, &rows[i], 400, found) != rows[i].is_square)
                        fail_msg("%s", rows[i].name);
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
                cmocka_unit_test(test_rule),
                cmocka_unit_test(test_requests_succeed),
                cmocka_unit_test(test_no_squares),
                cmocka_unit_test(test_too_large),
        };
        return cmocka_run_group_tests(tests, NULL, NULL);
}
