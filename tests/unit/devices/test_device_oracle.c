/* The search against trying everything: it finds an allocation exactly when there is one, and the
 * first in the order of requests and devices. Small random cases: a node, a few devices with an
 * attribute, counters and taints, some of them with a capacity of one policy or another, and shared
 * by it; claims with counts or all devices, selectors, tolerations, constraints, choices, amounts
 * and administrative access. */
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
#define COUNTER 4  /* of the shared counter */
#define CAPACITY 4 /* of shared devices */
#define GLANCES 4
#define CASES 6000

/* What may be asked of a capacity, and what a request gets that does not ask. */
enum oracle_policy { NO_CAPACITY, WHOLE, STANDARD, STEPS, VALUES, POLICIES };
static const char *const policies[POLICIES] = {
        [STANDARD] = ",\"requestPolicy\":{\"default\":\"1\"}",
        [STEPS] = ",\"requestPolicy\":{\"default\":\"2\",\"validRange\":{\"min\":\"1\",\"step\":"
                  "\"2\",\"max\":\"3\"}}",
        [VALUES] = ",\"requestPolicy\":{\"default\":\"2\",\"validValues\":[\"2\",\"3\"]}"
};
/* Effects and values of taints, and what tolerates which of them, as bits. */
enum { TAINT_KINDS = 5, TOLERATIONS = 6 };
static const char *const taints[TAINT_KINDS] = {
        [1] = "\"effect\":\"NoSchedule\"",
        [2] = "\"effect\":\"NoExecute\"",
        [3] = "\"effect\":\"None\"",
        [4] = "\"effect\":\"NoSchedule\",\"value\":\"v\"",
};
static const struct oracle_toleration {
        const char *text;
        unsigned tolerated;
} tolerations[TOLERATIONS] = {
        { "", 0 },
        { "\"key\":\"t\",\"operator\":\"Exists\"", 1 << 1 | 1 << 2 | 1 << 4 },
        { "\"operator\":\"Exists\",\"effect\":\"NoExecute\"", 1 << 2 },
        { "\"key\":\"other\",\"operator\":\"Exists\"", 0 },
        { "\"key\":\"t\",\"operator\":\"Equal\",\"value\":\"v\"", 1 << 4 },
        { "\"key\":\"t\",\"value\":\"\"", 1 << 1 | 1 << 2 },
};
struct oracle_device {
        int color, cost; /* attribute; of the counter */
        int taint;       /* 0: none */
        bool is_taken;
        bool is_shared; /* its capacity is; what of it is taken */
        int taken;
        enum oracle_policy policy;
};
struct oracle_request { /* or a choice */
        int color;      /* -1: any */
        int count;
        int amount; /* of the capacity; 0: it does not say */
        bool is_admin;
        bool takes_all;
        int toleration;
        bool wants_other; /* a capacity that no device has */
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
        for (int i = 0; i < c->device_count; i++) {
                struct oracle_device *device = &c->devices[i];
                *device = (struct oracle_device){ pick(rng, 3),
                                                  pick(rng, 3),
                                                  pick(rng, 4) ? 0 : pick(rng, TAINT_KINDS),
                                                  pick(rng, 6) == 0,
                                                  pick(rng, 3) == 0,
                                                  0 };
                device->policy = device->is_shared ? WHOLE + pick(rng, POLICIES - WHOLE)
                                 : pick(rng, 3)    ? NO_CAPACITY
                                                   : WHOLE + pick(rng, POLICIES - WHOLE);
                if (device->is_shared && device->is_taken)
                        device->taken = 1 + pick(rng, CAPACITY);
        }
        for (int i = 0; i < c->claim_count; i++) {
                struct oracle_claim *claim = &c->claims[i];
                claim->request_count = 1 + pick(rng, REQUESTS_MAX);
                claim->constraint = pick(rng, 3);
                for (int j = 0; j < claim->request_count; j++) {
                        claim->choice_counts[j] = 1 + pick(rng, CHOICES_MAX);
                        for (int k = 0; k < claim->choice_counts[j]; k++)
                                claim->requests[j][k] = (struct oracle_request){
                                        pick(rng, 4) - 1,
                                        1 + pick(rng, 2),
                                        pick(rng, 2) ? 0 : 1 + pick(rng, CAPACITY),
                                        claim->choice_counts[j] == 1 && pick(rng, 5) == 0,
                                        pick(rng, 8) == 0,
                                        pick(rng, TOLERATIONS),
                                        pick(rng, 20) == 0
                                };
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
        at = say(text, size, at, "\"deviceClassName\":\"c\",\"allocationMode\":\"%s\"",
                 request->takes_all ? "All" : "ExactCount");
        if (!request->takes_all)
                at = say(text, size, at, ",\"count\":%d", request->count);
        if (request->toleration)
                at = say(text, size, at, ",\"tolerations\":[{%s}]",
                         tolerations[request->toleration].text);
        if (request->color >= 0)
                at = say(text, size, at,
                         ",\"selectors\":[{\"cel\":{\"expression\":"
                         "\"device.attributes['d'].color == %d\"}}]",
                         request->color);
        if (request->wants_other)
                at = say(text, size, at, ",\"capacity\":{\"requests\":{\"other\":\"1\"}}");
        else if (request->amount)
                at = say(text, size, at, ",\"capacity\":{\"requests\":{\"m\":\"%d\"}}",
                         request->amount);
        if (request->is_admin)
                at = say(text, size, at, ",\"adminAccess\":true");
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
                if (c->devices[i].is_shared)
                        at = say(text, size, at, ",\"allowMultipleAllocations\":true");
                if (c->devices[i].policy != NO_CAPACITY)
                        at = say(text, size, at, ",\"capacity\":{\"m\":{\"value\":\"%d\"%s}}",
                                 CAPACITY,
                                 policies[c->devices[i].policy] ? policies[c->devices[i].policy]
                                                                : "");
                if (c->devices[i].taint)
                        at = say(text, size, at, ",\"taints\":[{\"key\":\"t\",%s}]",
                                 taints[c->devices[i].taint]);
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
                         "%s{\"request\":\"x\",\"driver\":\"d\",\"pool\":\"p\",\"device\":\"d%d\"",
                         has_one ? "," : "", i);
                if (c->devices[i].is_shared)
                        at = say(text, size, at,
                                 ",\"shareID\":\"00000000-0000-0000-0000-000000000000\","
                                 "\"consumedCapacity\":{\"m\":\"%d\"}",
                                 c->devices[i].taken);
                at = say(text, size, at, "}");
                has_one = true;
        }
        say(text, size, at, "]}}}}]}");
}

/* ---- trying everything ---- */

/* One slot is one device of one request; what has been taken, in order. */
struct attempt {
        const struct oracle_case *c;
        bool has_failed; /* a constraint is in the way of all devices */
        int picks[CLAIMS_MAX][REQUESTS_MAX][DEVICES_MAX], choices[CLAIMS_MAX][REQUESTS_MAX];
        bool used[DEVICES_MAX][CLAIMS_MAX]; /* as a whole, by claim */
        int shares[DEVICES_MAX], taken[DEVICES_MAX];
        int spent;
};

/* Administrative access does not mind what others use. */
static bool is_used(const struct attempt *attempt, int device, int claim, bool is_admin) {
        if (is_admin)
                return attempt->used[device][claim];
        if (attempt->c->devices[device].is_taken)
                return true;
        for (int i = 0; i < attempt->c->claim_count; i++)
                if (attempt->used[device][i])
                        return true;
        return false;
}

/* Of the capacity; more than there is when the policy does not allow it. */
static int consumed_by(const struct oracle_request *request, const struct oracle_device *device) {
        int amount = request->wants_other ? 0 : request->amount;

        switch (device->policy) {
        case WHOLE:
                return amount ? amount : CAPACITY;
        case STANDARD:
                return amount ? amount : 1;
        case STEPS:
                return amount == 0 ? 2 : amount == 1 ? 1 : amount <= 3 ? 3 : CAPACITY + 1;
        case VALUES:
                return amount <= 2 ? 2 : amount == 3 ? 3 : CAPACITY + 1;
        default:
                return 0;
        }
}

static bool has_room(const struct oracle_request *wanted, const struct oracle_device *device,
                     int taken) {
        if (wanted->wants_other || (wanted->amount && device->policy == NO_CAPACITY))
                return false;
        return taken + consumed_by(wanted, device) <= CAPACITY;
}

static bool is_selected(const struct oracle_request *wanted, const struct oracle_device *device) {
        return wanted->color < 0 || wanted->color == device->color;
}

/* Where all devices are taken: that many, or the number of one of them. */
static int all_of(const struct oracle_case *c, const struct oracle_request *wanted, int which) {
        int count = 0;

        for (int i = 0; i < c->device_count; i++) {
                if (!is_selected(wanted, &c->devices[i]) ||
                    !has_room(wanted, &c->devices[i], c->devices[i].taken))
                        continue;
                if (count++ == which)
                        return i;
        }
        return count;
}

static int count_of(const struct oracle_case *c, const struct oracle_request *wanted) {
        return wanted->takes_all ? all_of(c, wanted, -1) : wanted->count;
}

/* Counters are taken with the first share of a device. */
static int price_of(const struct attempt *attempt, int device) {
        bool is_paid = attempt->c->devices[device].is_shared &&
                       (attempt->c->devices[device].is_taken || attempt->shares[device] > 0);
        return is_paid ? 0 : attempt->c->devices[device].cost;
}

static bool is_refused(const struct oracle_request *wanted, const struct oracle_device *device) {
        return device->taint && device->taint != 3 &&
               !(tolerations[wanted->toleration].tolerated >> device->taint & 1);
}

/* Without constraints and capacity. */
static bool can_have(const struct attempt *attempt, int claim, const struct oracle_request *wanted,
                     int device) {
        const struct oracle_device *offered = &attempt->c->devices[device];
        int price = price_of(attempt, device);
        if (is_refused(wanted, offered) || !is_selected(wanted, offered) ||
            (price && attempt->spent + price > COUNTER))
                return false;
        return offered->is_shared || !is_used(attempt, device, claim, wanted->is_admin);
}

/* sign -1: gives it back. */
static void take_device(struct attempt *attempt, int claim, const struct oracle_request *wanted,
                        int device, int sign) {
        if (!attempt->c->devices[device].is_shared) {
                attempt->used[device][claim] = sign > 0;
                attempt->spent += sign * attempt->c->devices[device].cost;
                return;
        }
        if (sign < 0)
                attempt->shares[device]--;
        attempt->spent += sign * price_of(attempt, device);
        if (sign > 0)
                attempt->shares[device]++;
        attempt->taken[device] += sign * consumed_by(wanted, &attempt->c->devices[device]);
}

static bool suits_constraint(const struct attempt *attempt, int claim, int request, int slot,
                             int device) {
        const struct oracle_claim *mine = &attempt->c->claims[claim];
        for (int i = 0; i <= request; i++) {
                int count = i < request ? count_of(attempt->c,
                                                   &mine->requests[i][attempt->choices[claim][i]])
                                        : slot;
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
        for (int i = 0; i < mine->choice_counts[request] && !attempt->has_failed; i++) {
                attempt->choices[claim][request] = i;
                if (try_slot(attempt, claim, request, 0, 0))
                        return true;
        }
        return false;
}

static bool try_device(struct attempt *attempt, int claim, int request, int slot, int device) {
        const struct oracle_request *wanted =
                &attempt->c->claims[claim].requests[request][attempt->choices[claim][request]];
        const struct oracle_device *offered = &attempt->c->devices[device];

        if (!can_have(attempt, claim, wanted, device))
                return false;
        if (!suits_constraint(attempt, claim, request, slot, device)) {
                attempt->has_failed |= wanted->takes_all;
                return false;
        }
        if (!has_room(wanted, offered, offered->is_shared ? attempt->taken[device] : 0))
                return false;
        take_device(attempt, claim, wanted, device, 1);
        attempt->picks[claim][request][slot] = device;
        if (try_slot(attempt, claim, request, slot + 1, device + 1))
                return true;
        take_device(attempt, claim, wanted, device, -1);
        return false;
}

/* Devices of a request come in ascending order: others are the same sets. */
static bool try_slot(struct attempt *attempt, int claim, int request, int slot, int from) {
        const struct oracle_request *wanted =
                &attempt->c->claims[claim].requests[request][attempt->choices[claim][request]];
        int count = count_of(attempt->c, wanted);

        if (count == 0)
                return false;
        if (slot == count)
                return try_request(attempt, claim, request + 1);
        if (wanted->takes_all)
                return try_device(attempt, claim, request, slot, all_of(attempt->c, wanted, slot));
        for (int i = from; i < attempt->c->device_count && !attempt->has_failed; i++)
                if (try_device(attempt, claim, request, slot, i))
                        return true;
        return false;
}

/* ---- comparing ---- */

static void compare_claim(const struct attempt *attempt, int claim,
                          const struct device_allocation *found, const char *text) {
        const struct oracle_claim *mine = &attempt->c->claims[claim];
        size_t at = 0;
        for (int i = 0; i < mine->request_count; i++) {
                int count = count_of(attempt->c, &mine->requests[i][attempt->choices[claim][i]]);
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
        for (int i = 0; i < c->device_count; i++) {
                attempt.spent += c->devices[i].is_taken ? c->devices[i].cost : 0;
                attempt.taken[i] = c->devices[i].taken;
        }
        const struct resource_claim *claims[CLAIMS_MAX];
        for (int i = 0; i < c->claim_count; i++)
                claims[i] = &scene.claims[i];
        const struct device_node node = { SLICE_LITERAL("n1"), never_matches, NULL };
        struct device_allocation *allocations = NULL;
        enum device_outcome outcome = device_search_run(
                &(struct device_search){ scene.inventory, claims, (size_t)c->claim_count,
                                         &scene.arena, .tries_all = true },
                &node, &allocations, &err);
        for (size_t glance = 0; glance < GLANCES; glance++) {
                enum device_outcome quick = device_search_run(
                        &(struct device_search){ scene.inventory, claims, (size_t)c->claim_count,
                                                 &scene.arena, .glance_max = glance },
                        &node, &allocations, &err);
                if (quick != outcome)
                        fail_msg("outcome %d after %d devices, %d without ruling out, in %s", quick,
                                 (int)glance, outcome, text);
        }
        bool is_found = try_request(&attempt, 0, 0);
        if ((outcome == DEVICES_FOUND) != is_found ||
            (outcome == DEVICES_FAILED) != attempt.has_failed)
                fail_msg("outcome %d, found %d, failed %d in %s", outcome, is_found,
                         attempt.has_failed, text);
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
