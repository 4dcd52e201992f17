/* The ledger of slots: what counts and what does not, and of any sequence of requesters that limits
 * hold, that slots go by rank and age, and that everyone gets one. */
#include "base/rng.h"
#include "base/util.h"
#include "evict/slot_ledger.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#define AT(s) ((struct mono_time){ (int64_t)(s)*NS_PER_S })

static const struct eviction_slot_limits one_each = { .total = 3, .node = 1, .ns = 2, .owner = 1 };

static struct slot_asker asker(const char *uid, const char *node, const char *owner) {
        return (struct slot_asker){ .uid = slice_of(uid),
                                    .holder = { SLICE_LITERAL("a"), slice_of(node),
                                                slice_of(owner) },
                                    .rank = EVICTION_RANK_OTHER };
}

static void ask(struct slot_ledger *ledger, const char *uid, const char *node, int64_t at) {
        struct slot_asker wants = asker(uid, node, "");

        slot_ledger_ask(ledger, &wants, AT(at));
        slot_ledger_let_in(ledger, AT(at));
}

static bool holds(const struct slot_ledger *ledger, const char *uid) {
        return slot_ledger_holds(ledger, slice_of(uid));
}

static void test_waits_and_follows(void **state) {
        struct slot_ledger *ledger = slot_ledger_new(&one_each);

        (void)state;
        ask(ledger, "u1", "n1", 0);
        ask(ledger, "u2", "n1", 1);
        assert_true(holds(ledger, "u1"));
        assert_false(holds(ledger, "u2"));
        assert_int_equal(slot_ledger_refusal(ledger, slice_of("u2")), EVICTION_SLOT_NO_NODE);
        slot_ledger_end(ledger, slice_of("u1"));
        slot_ledger_let_in(ledger, AT(2));
        assert_true(holds(ledger, "u2"));
        slot_ledger_free(ledger);
}

/* Refused by a budget: the slot is free at once, and the age counts when it comes again. */
static void test_given_back(void **state) {
        struct slot_ledger *ledger = slot_ledger_new(&one_each);

        (void)state;
        ask(ledger, "u1", "n1", 0);
        slot_ledger_give_back(ledger, SLICE_LITERAL("u1"), AT(1));
        ask(ledger, "u2", "n1", 1);
        assert_true(holds(ledger, "u2"));
        ask(ledger, "u3", "n1", 2);
        ask(ledger, "u1", "n1", 3);
        slot_ledger_end(ledger, SLICE_LITERAL("u2"));
        slot_ledger_let_in(ledger, AT(4));
        assert_true(holds(ledger, "u1"));
        assert_false(holds(ledger, "u3"));
        slot_ledger_free(ledger);
}

/* Told to come back, and not seen again: neither place nor slot is kept for long. */
static void test_away(void **state) {
        struct slot_ledger *ledger = slot_ledger_new(&one_each);
        int64_t grace_s = SLOT_LEDGER_GRACE_NS / NS_PER_S;

        (void)state;
        ask(ledger, "u1", "n1", 0);
        ask(ledger, "u2", "n1", 1);
        slot_ledger_leave(ledger, SLICE_LITERAL("u2"), AT(2));
        slot_ledger_end(ledger, SLICE_LITERAL("u1"));
        slot_ledger_let_in(ledger, AT(3));
        assert_true(holds(ledger, "u2"));
        ask(ledger, "u3", "n1", 4);
        assert_false(holds(ledger, "u3"));
        slot_ledger_let_in(ledger, AT(3 + grace_s));
        assert_true(holds(ledger, "u3"));
        slot_ledger_free(ledger);
}

static void see(struct slot_ledger *ledger, enum slot_source source, const char *key,
                const char *uid, const char *node, const char *owner) {
        slot_ledger_see(ledger, source, slice_of(key), slice_of(uid),
                        &(struct eviction_slot_holder){ SLICE_LITERAL("a"), slice_of(node),
                                                        slice_of(owner) });
}

/* A VM under way is one, though its pod, its Eviction and its migration are seen; and so is a pod
 * of ours that is seen. */
static void test_counts_once(void **state) {
        struct slot_ledger *ledger =
                slot_ledger_new(&(struct eviction_slot_limits){ .total = 2, .node = 2 });
        struct slot_ledger_stats stats;

        (void)state;
        see(ledger, SLOT_SOURCE_MIGRATIONS, "m", "", "", "VirtualMachineInstance/vm");
        see(ledger, SLOT_SOURCE_EVICTIONS, "e", "u1", "", "");
        see(ledger, SLOT_SOURCE_PODS, "p", "u1", "n1", "VirtualMachineInstance/vm");
        ask(ledger, "u2", "n1", 0);
        see(ledger, SLOT_SOURCE_PODS, "q", "u2", "n1", "");
        ask(ledger, "u3", "n2", 1);
        slot_ledger_stats(ledger, &stats);
        assert_true(holds(ledger, "u2"));
        assert_int_equal(slot_ledger_refusal(ledger, SLICE_LITERAL("u3")), EVICTION_SLOT_NO_TOTAL);
        assert_int_equal(stats.seen, 1);
        assert_int_equal(stats.held, 1);
        assert_int_equal(stats.waiting, 1);
        slot_ledger_unsee(ledger, SLOT_SOURCE_PODS, SLICE_LITERAL("p"));
        slot_ledger_unsee(ledger, SLOT_SOURCE_EVICTIONS, SLICE_LITERAL("e"));
        slot_ledger_unsee(ledger, SLOT_SOURCE_MIGRATIONS, SLICE_LITERAL("m"));
        slot_ledger_let_in(ledger, AT(2));
        assert_true(holds(ledger, "u3"));
        slot_ledger_free(ledger);
}

/* Somebody evicts it already: it needs no slot of its own. */
static void test_under_way_already(void **state) {
        struct slot_ledger *ledger = slot_ledger_new(&(struct eviction_slot_limits){ .total = 1 });

        (void)state;
        see(ledger, SLOT_SOURCE_PODS, "p", "u1", "n1", "");
        ask(ledger, "u1", "n1", 0);
        assert_true(holds(ledger, "u1"));
        ask(ledger, "u2", "n2", 0);
        assert_false(holds(ledger, "u2"));
        slot_ledger_free(ledger);
}

/* ---- any sequence ---- */

#define REQUESTS 120
#define NODES 4
#define NAMESPACES 3
#define OWNERS 6
#define OTHERS 3 /* seen evictions of somebody else's; they come and go */

struct request {
        char uid[16], node[8], ns[8], owner[16];
        enum eviction_rank rank;
        int64_t since_s;
        bool is_asking, is_in, is_over;
};

struct play {
        struct rng rng;
        struct eviction_slot_limits limits;
        struct slot_ledger *ledger;
        struct request requests[REQUESTS];
        bool others[OTHERS];
        size_t asked;
        int64_t now_s;
};

static struct eviction_slot_holder holder_of(const struct request *request) {
        return (struct eviction_slot_holder){ slice_of(request->ns), slice_of(request->node),
                                              slice_of(request->owner) };
}

static struct eviction_slot_holder other_of(size_t index) {
        static const char *const nodes[OTHERS] = { "n0", "n1", "n0" };

        return (struct eviction_slot_holder){ SLICE_LITERAL("ns0"), slice_of(nodes[index]),
                                              SLICE_EMPTY };
}

static bool share(struct slice a, struct slice b) {
        return a.len && slice_eq(a, b);
}

/* How many of those under way share a dimension with this one. */
static uint32_t count_shared(const struct play *play, const struct eviction_slot_holder *holder,
                             int dimension) {
        uint32_t count = 0;

        for (size_t i = 0; i < play->asked + OTHERS; i++) {
                bool is_other = i >= play->asked;
                struct eviction_slot_holder it =
                        is_other ? other_of(i - play->asked) : holder_of(&play->requests[i]);

                if (is_other ? !play->others[i - play->asked] : !play->requests[i].is_in)
                        continue;
                count += dimension == 0 || (dimension == 1 && share(it.node, holder->node)) ||
                         (dimension == 2 && share(it.ns, holder->ns)) ||
                         (dimension == 3 && share(it.owner, holder->owner) &&
                          share(it.ns, holder->ns));
        }
        return count;
}

static bool is_within(const struct play *play, const struct eviction_slot_holder *holder,
                      uint32_t more) {
        const uint32_t limits[] = { play->limits.total, play->limits.node, play->limits.ns,
                                    play->limits.owner };

        for (int i = 0; i < 4; i++)
                if (limits[i] && count_shared(play, holder, i) + more > limits[i])
                        return false;
        return true;
}

static void arrive(struct play *play) {
        struct request *request = &play->requests[play->asked];
        struct slot_asker wants;

        if (play->asked == REQUESTS)
                return;
        snprintf(request->uid, sizeof(request->uid), "u%zu", play->asked++);
        snprintf(request->node, sizeof(request->node), "n%u",
                 (unsigned)rng_below(&play->rng, NODES));
        snprintf(request->ns, sizeof(request->ns), "ns%u",
                 (unsigned)rng_below(&play->rng, NAMESPACES));
        snprintf(request->owner, sizeof(request->owner), "R/%u",
                 (unsigned)rng_below(&play->rng, OWNERS));
        request->rank = (enum eviction_rank)rng_below(&play->rng, 3);
        request->since_s = play->now_s;
        request->is_asking = true;
        wants = (struct slot_asker){ slice_of(request->uid), holder_of(request), request->rank };
        slot_ledger_ask(play->ledger, &wants, AT(play->now_s));
}

static void finish(struct play *play, struct request *request) {
        request->is_in = false;
        request->is_over = true;
        slot_ledger_end(play->ledger, slice_of(request->uid));
}

static void toggle_other(struct play *play, size_t index) {
        char key[8];
        struct eviction_slot_holder holder = other_of(index);

        snprintf(key, sizeof(key), "o%zu", index);
        play->others[index] = !play->others[index];
        if (play->others[index])
                slot_ledger_see(play->ledger, SLOT_SOURCE_PODS, slice_of(key), slice_of(key),
                                &holder);
        else
                slot_ledger_unsee(play->ledger, SLOT_SOURCE_PODS, slice_of(key));
}

static bool goes_before(const struct request *a, const struct request *b) {
        return a->rank != b->rank ? a->rank < b->rank : a->since_s < b->since_s;
}

static bool is_waiting(const struct request *request) {
        return request->is_asking && !request->is_in && !request->is_over;
}

/* Somebody keeps what is free. */
static bool has_overdue(const struct play *play) {
        for (size_t i = 0; i < play->asked; i++)
                if (is_waiting(&play->requests[i]) &&
                    (play->now_s - play->requests[i].since_s) * NS_PER_S >
                            EVICTION_SLOT_PATIENCE_NS)
                        return true;
        return false;
}

/* Nobody before this one, who was let in now, would still fit. */
static void check_order(const struct play *play, const struct request *latest) {
        for (size_t i = 0; i < play->asked; i++) {
                const struct request *request = &play->requests[i];
                struct eviction_slot_holder holder = holder_of(request);

                if (is_waiting(request) && goes_before(request, latest) &&
                    is_within(play, &holder, 1))
                        fail_msg("%s was passed over", request->uid);
        }
}

static void check_admissions(struct play *play) {
        bool was_in[REQUESTS];

        slot_ledger_let_in(play->ledger, AT(play->now_s));
        for (size_t i = 0; i < play->asked; i++) {
                struct request *request = &play->requests[i];

                was_in[i] = request->is_in;
                request->is_in = holds(play->ledger, request->uid);
                assert_false(was_in[i] && !request->is_in);
        }
        for (size_t i = 0; i < play->asked; i++) {
                const struct request *request = &play->requests[i];
                struct eviction_slot_holder holder = holder_of(request);

                if (!request->is_in || was_in[i])
                        continue;
                if (!is_within(play, &holder, 0))
                        fail_msg("%s got past a limit", request->uid);
                if (!has_overdue(play))
                        check_order(play, request);
        }
}

static void play_step(struct play *play, bool has_others) {
        play->now_s += 1 + (int64_t)rng_below(&play->rng, 20);
        for (uint64_t i = rng_below(&play->rng, 4); i > 0; i--)
                arrive(play);
        if (has_others && rng_below(&play->rng, 8) == 0)
                toggle_other(play, rng_below(&play->rng, OTHERS));
        for (size_t i = 0; i < play->asked; i++)
                if (play->requests[i].is_in && rng_below(&play->rng, 6) == 0)
                        finish(play, &play->requests[i]);
        check_admissions(play);
}

static void test_any_sequence(void **state) {
        (void)state;
        for (uint64_t seed = 1; seed <= 40; seed++) {
                struct play play = { 0 };
                size_t left = 0;

                rng_init(&play.rng, seed);
                play.limits = (struct eviction_slot_limits){
                        .total = 2 + (uint32_t)rng_below(&play.rng, 8),
                        .node = 1 + (uint32_t)rng_below(&play.rng, 4),
                        .ns = 1 + (uint32_t)rng_below(&play.rng, 5),
                        .owner = 1 + (uint32_t)rng_below(&play.rng, 2)
                };
                play.ledger = slot_ledger_new(&play.limits);
                for (int step = 0; step < 150; step++)
                        play_step(&play, true);
                for (size_t i = 0; i < OTHERS; i++)
                        if (play.others[i])
                                toggle_other(&play, i);
                for (int round = 0; round < 2000; round++)
                        play_step(&play, false);
                for (size_t i = 0; i < play.asked; i++)
                        left += !play.requests[i].is_over;
                slot_ledger_free(play.ledger);
                if (play.asked != REQUESTS || left)
                        fail_msg("seed %llu: %zu of %zu never got a slot", (unsigned long long)seed,
                                 left, play.asked);
        }
}

/* An endless stream of others of the same rank takes the node while the namespace is full, and the
 * other way round: the one that needs both is let in all the same. */
static void test_nobody_is_passed_over_for_ever(void **state) {
        struct slot_ledger *ledger =
                slot_ledger_new(&(struct eviction_slot_limits){ .node = 1, .ns = 1 });
        const struct slot_asker both = { SLICE_LITERAL("both"),
                                         { SLICE_LITERAL("a"), SLICE_LITERAL("n0"), SLICE_EMPTY },
                                         EVICTION_RANK_OTHER };
        int64_t now_s = 0;

        (void)state;
        for (int round = 0; round < 200 && !holds(ledger, "both"); round++) {
                char uid[16], last[16];
                struct slot_asker next = both;

                snprintf(uid, sizeof(uid), "s%d", round);
                snprintf(last, sizeof(last), "s%d", round - 2);
                next.uid = slice_of(uid);
                if (round % 2 == 0)
                        next.holder.node = SLICE_LITERAL("n1"); /* in the same namespace */
                else
                        next.holder.ns = SLICE_LITERAL("b"); /* on the same node */
                now_s += 20;
                slot_ledger_end(ledger, slice_of(last));
                slot_ledger_ask(ledger, &next, AT(now_s));
                slot_ledger_let_in(ledger, AT(now_s));
                if (round == 1)
                        slot_ledger_ask(ledger, &both, AT(now_s));
        }
        assert_true(holds(ledger, "both"));
        assert_true(now_s * NS_PER_S > EVICTION_SLOT_PATIENCE_NS);
        slot_ledger_free(ledger);
}

int main(void) {
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(test_waits_and_follows),
                cmocka_unit_test(test_given_back),
                cmocka_unit_test(test_away),
                cmocka_unit_test(test_counts_once),
                cmocka_unit_test(test_under_way_already),
                cmocka_unit_test(test_any_sequence),
                cmocka_unit_test(test_nobody_is_passed_over_for_ever),
        };

        return cmocka_run_group_tests(tests, NULL, NULL);
}
