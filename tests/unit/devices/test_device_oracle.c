/* The search against trying everything: it finds an allocation exactly when there is one, and the
 * first in the order of requests and devices. Small random cases: a node, a few devices with an
 * attribute, counters and taints, claims with counts, selectors, constraints and choices. */
#include "base/rng.h"
#include "device_scene.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define DEVICES_MAX 5
#define CLAIMS_MAX 2
#define REQUESTS_MAX 2
#define CHOICES_MAX 2
#define COUNTER 4 /* of the shared counter */
#define CASES 3000

struct oracle_device {
        int color, cost; /* attribute; of the counter */
        bool is_tainted, is_taken;
};
struct oracle_request { /* or a choice */
        int color;      /* -1: any */
        int count;
};
struct oracle_claim {
        int request_count, choice_counts[REQUESTS_MAX];
        struct oracle_request requests[REQUESTS_MAX][CHOICES_MAX];
        enum { ANY_COLOR, ONE_COLOR, EACH_ANOTHER } constraint;
};
struct oracle_case {
        int device_count, claim_count;
        struct oracle_device devices[DEVICES_MAX];
        struct oracle_claim claims[CLAIMS_MAX];
};

static int pick(struct rng *rng, int bound) {
        return (int)rng_below(rng, (uint64_t)bound);
}

static void make_case(struct rng *rng, struct oracle_case *c) {
        *c = (struct oracle_case){ .device_count = 1 + pick(rng, DEVICES_MAX),
                                   .claim_count = 1 + pick(rng, CLAIMS_MAX) };
        for (int i = 0; i < c->device_count; i++)
                c->devices[i] = (struct oracle_device){ pick(rng, 3), pick(rng, 3),
                                                        pick(rng, 6) == 0, pick(rng, 6) == 0 };
        for (int i = 0; i < c->claim_count; i++) {
                struct oracle_claim *claim = &c->claims[i];
                claim->request_count = 1 + pick(rng, REQUESTS_MAX);
                claim->constraint = pick(rng, 3);
                for (int j = 0; j < claim->request_count; j++) {
                        claim->choice_counts[j] = 1 + pick(rng, CHOICES_MAX);
                        for (int k = 0; k < claim->choice_counts[j]; k++)
                                claim->requests[j][k] = (struct oracle_request){ pick(rng, 4) - 1,
                                                                                 1 + pick(rng, 2) };
                }
        }
}

/* ---- as objects ---- */

__attribute__((format(printf, 4, 5))) static int say(char *text, size_t size, int at,
                                                     const char *format, ...) {
        va_list args;
        va_start(args, format);
        at += vsnprintf(text + at, size - (size_t)at, format, args);
        va_end(args);
        assert_true((size_t)at < size);
        return at;
}

static int say_request(char *text, size_t size, int at, const struct oracle_request *request) {
        at = say(text, size, at,
                 "\"deviceClassName\":\"c\",\"allocationMode\":\"ExactCount\",\"count\":%d",
                 request->count);
        if (request->color >= 0)
                at = say(text, size, at,
                         ",\"selectors\":[{\"cel\":{\"expression\":"
                         "\"device.attributes['d'].color == %d\"}}]",
                         request->color);
        return at;
}

static int say_claim(char *text, size_t size, int at, const struct oracle_claim *claim,
                     int number) {
        at = say(text, size, at,
                 "{\"metadata\":{\"namespace\":\"n\",\"name\":\"c%d\"},\"spec\":{\"devices\":{"
                 "\"requests\":[",
                 number);
        for (int i = 0; i < claim->request_count; i++) {
                at = say(text, size, at, "%s{\"name\":\"r%d\",", i ? "," : "", i);
                if (claim->choice_counts[i] == 1) {
                        at = say(text, size, at, "\"exactly\":{");
                        at = say_request(text, size, at, &claim->requests[i][0]);
                        at = say(text, size, at, "}}");
                        continue;
                }
                at = say(text, size, at, "\"firstAvailable\":[");
                for (int j = 0; j < claim->choice_counts[i]; j++) {
                        at = say(text, size, at, "%s{\"name\":\"s%d\",", j ? "," : "", j);
                        at = say_request(text, size, at, &claim->requests[i][j]);
                        at = say(text, size, at, "}");
                }
                at = say(text, size, at, "]}");
        }
        at = say(text, size, at, "]");
        if (claim->constraint)
                at = say(text, size, at, ",\"constraints\":[{\"%s\":\"d/color\"}]",
                         claim->constraint == ONE_COLOR ? "matchAttribute" : "distinctAttribute");
        return say(text, size, at, "}}}");
}

static void say_case(const struct oracle_case *c, char *text, size_t size) {
        int at = say(
                text, size, 0,
                "{\"deviceClasses\":[{\"metadata\":{\"name\":\"c\"},\"spec\":{}}],"
                "\"resourceSlices\":[{\"metadata\":{\"name\":\"a\"},\"spec\":{\"driver\":\"d\","
                "\"nodeName\":\"n1\",\"pool\":{\"name\":\"p\",\"generation\":1,"
                "\"resourceSliceCount\":2},\"sharedCounters\":[{\"name\":\"s\",\"counters\":{"
                "\"k\":{\"value\":\"%d\"}}}]}},{\"metadata\":{\"name\":\"b\"},\"spec\":{"
                "\"driver\":\"d\",\"nodeName\":\"n1\",\"pool\":{\"name\":\"p\",\"generation\":1,"
                "\"resourceSliceCount\":2},\"devices\":[",
                COUNTER);
        for (int i = 0; i < c->device_count; i++) {
                at = say(text, size, at,
                         "%s{\"name\":\"d%d\",\"attributes\":{\"color\":{\"int\":%d}}",
                         i ? "," : "", i, c->devices[i].color);
                if (c->devices[i].cost)
                        at = say(text, size, at,
                                 ",\"consumesCounters\":[{\"counterSet\":\"s\",\"counters\":{"
                                 "\"k\":{\"value\":\"%d\"}}}]",
                                 c->devices[i].cost);
                if (c->devices[i].is_tainted)
                        at = say(text, size, at,
                                 ",\"taints\":[{\"key\":\"t\",\"effect\":\"NoSchedule\"}]");
                at = say(text, size, at, "}");
        }
        at = say(text, size, at, "]}}],\"resourceClaims\":[");
        for (int i = 0; i < c->claim_count; i++) {
                at = say(text, size, at, "%s", i ? "," : "");
                at = say_claim(text, size, at, &c->claims[i], i);
        }
        at = say(
                text, size, at,
                ",{\"metadata\":{\"namespace\":\"n\",\"name\":\"taken\"},\"spec\":{\"devices\":{}},"
                "\"status\":{\"allocation\":{\"devices\":{\"results\":[");
        bool has_one = false;
        for (int i = 0; i < c->device_count; i++) {
                if (!c->devices[i].is_taken)
                        continue;
                at = say(text, size, at,
                         "%s{\"request\":\"x\",\"driver\":\"d\",\"pool\":\"p\",\"device\":\"d%d\"}",
                         has_one ? "," : "", i);
                has_one = true;
        }
        say(text, size, at, "]}}}}]}");
}

/* ---- trying everything ---- */

/* One slot is one device of one request; what has been taken, in order. */
struct attempt {
        const struct oracle_case *c;
        int picks[CLAIMS_MAX][REQUESTS_MAX][2], choices[CLAIMS_MAX][REQUESTS_MAX];
        bool used[DEVICES_MAX];
        int spent;
};

static bool suits_constraint(const struct attempt *attempt, int claim, int request, int slot,
                             int device) {
        const struct oracle_claim *mine = &attempt->c->claims[claim];
        for (int i = 0; i <= request; i++) {
                int count =
                        i < request ? mine->requests[i][attempt->choices[claim][i]].count : slot;
                for (int j = 0; j < count; j++) {
                        bool is_same = attempt->c->devices[attempt->picks[claim][i][j]].color ==
                                       attempt->c->devices[device].color;
                        if (mine->constraint && is_same != (mine->constraint == ONE_COLOR))
                                return false;
                }
        }
        return true;
}

static bool try_slot(struct attempt *attempt, int claim, int request, int slot, int from);

static bool try_request(struct attempt *attempt, int claim, int request) {
        if (claim == attempt->c->claim_count)
                return true;
        const struct oracle_claim *mine = &attempt->c->claims[claim];
        if (request == mine->request_count)
                return try_request(attempt, claim + 1, 0);
        for (int i = 0; i < mine->choice_counts[request]; i++) {
                attempt->choices[claim][request] = i;
                if (try_slot(attempt, claim, request, 0, 0))
                        return true;
        }
        return false;
}

/* Devices of a request come in ascending order: others are the same sets. */
static bool try_slot(struct attempt *attempt, int claim, int request, int slot, int from) {
        const struct oracle_request *wanted =
                &attempt->c->claims[claim].requests[request][attempt->choices[claim][request]];
        if (slot == wanted->count)
                return try_request(attempt, claim, request + 1);
        for (int i = from; i < attempt->c->device_count; i++) {
                const struct oracle_device *device = &attempt->c->devices[i];
                if (attempt->used[i] || device->is_taken || device->is_tainted ||
                    (wanted->color >= 0 && wanted->color != device->color) ||
                    (device->cost && attempt->spent + device->cost > COUNTER) ||
                    !suits_constraint(attempt, claim, request, slot, i))
                        continue;
                attempt->used[i] = true;
                attempt->spent += device->cost;
                attempt->picks[claim][request][slot] = i;
                if (try_slot(attempt, claim, request, slot + 1, i + 1))
                        return true;
                attempt->used[i] = false;
                attempt->spent -= device->cost;
        }
        return false;
}

/* ---- comparing ---- */

static void compare_claim(const struct attempt *attempt, int claim,
                          const struct device_allocation *found, const char *text) {
        const struct oracle_claim *mine = &attempt->c->claims[claim];
        size_t at = 0;
        for (int i = 0; i < mine->request_count; i++) {
                int count = mine->requests[i][attempt->choices[claim][i]].count;
                for (int j = 0; j < count; j++, at++) {
                        char name[8];
                        snprintf(name, sizeof(name), "d%d", attempt->picks[claim][i][j]);
                        if (at >= found->pick_count ||
                            !slice_is(found->picks[at].device->device->name, name))
                                fail_msg("claim %d, device %zu is not %s in %s", claim, at, name,
                                         text);
                }
        }
        assert_int_equal(found->pick_count, at);
}

static bool never_matches(const void *context, const struct affinity *terms) {
        (void)context;
        (void)terms;
        return false;
}

static void compare_case(const struct oracle_case *c) {
        static char text[16384];
        const struct device_gates gates = device_gates_standard();
        struct device_scene scene;
        struct attempt attempt = { .c = c };
        struct json_doc *doc = NULL;
        struct err err = { 0 };
        say_case(c, text, sizeof(text));
        if (json_parse(slice_of(text), &doc, &err) < 0)
                fail_msg("%s in %s", err.text, text);
        device_scene_init(&scene, json_doc_root(doc), &gates);
        for (int i = 0; i < c->device_count; i++)
                attempt.spent += c->devices[i].is_taken ? c->devices[i].cost : 0;
        const struct resource_claim *claims[CLAIMS_MAX];
        for (int i = 0; i < c->claim_count; i++)
                claims[i] = &scene.claims[i];
        const struct device_node node = { SLICE_LITERAL("n1"), never_matches, NULL };
        struct device_allocation *allocations = NULL;
        enum device_outcome outcome =
                device_search_run(&(struct device_search){ scene.inventory, claims,
                                                           (size_t)c->claim_count, &scene.arena },
                                  &node, &allocations, &err);
        bool is_found = try_request(&attempt, 0, 0);
        if ((outcome == DEVICES_FOUND) != is_found)
                fail_msg("outcome %d, found %d in %s", outcome, is_found, text);
        for (int i = 0; is_found && i < c->claim_count; i++)
                compare_claim(&attempt, i, &allocations[i], text);
        device_scene_release(&scene);
        json_doc_free(doc);
}

static void test_equals_trying_everything(void **state) {
        const char *seed = getenv("BERTH_SEED");
        struct rng rng;
        (void)state;
        rng_init(&rng, seed ? strtoull(seed, NULL, 10) : 1);
        for (int i = 0; i < CASES; i++) {
                struct oracle_case c;
                make_case(&rng, &c);
                compare_case(&c);
        }
}

int main(void) {
        const struct CMUnitTest tests[] = { cmocka_unit_test(test_equals_trying_everything) };
        return cmocka_run_group_tests(tests, NULL, NULL);
}
