/* Passes over random clusters come to the same, to the pod, whether rules are asked in the fast way
 * of the plugins or naively: every pod, every node, every pair (naive_rules.c). */
#include "desched/descheduler.h"

#include "base/util.h"
#include "config/descheduler_policy.h"
#include "naive_rules.h"
#include "plugins/desched/registry.h"
#include "random_cluster.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#define SEEDS 60
#define NODE_LIMIT 3

/* ---- what a pass asks for ---- */

struct notes {
        struct buf text;
        uint32_t budget;
        size_t on_node; /* asked of the node at hand */
        char node[32];
};

static void begin_pass(void *context, const struct evict_pass *pass) {
        (void)context, (void)pass;
}

/* So many in all, and a few in a row on one node. */
static enum evict_outcome ask(void *context, const struct evict_intent *intent) {
        struct notes *notes = context;
        char node[32];
        snprintf(node, sizeof(node), SLICE_FMT, SLICE_ARG(intent->node));
        if (strcmp(node, notes->node) != 0) {
                snprintf(notes->node, sizeof(notes->node), "%s", node);
                notes->on_node = 0;
        }
        if (notes->budget == 0)
                return EVICT_TOTAL_LIMIT;
        if (notes->on_node >= NODE_LIMIT)
                return EVICT_NODE_LIMIT;
        notes->on_node++;
        notes->budget--;
        buf_printf(&notes->text, SLICE_FMT " " SLICE_FMT "/" SLICE_FMT " %d\n",
                   SLICE_ARG(intent->plugin), SLICE_ARG(intent->pod.ns),
                   SLICE_ARG(intent->pod.name), (int)intent->way);
        return EVICT_DONE;
}

/* ---- policies ---- */

static const char *const policies[] = {
        "",
        "minReplicas: 3",
        "minPodAge: 120h",
        "labelSelector: {matchLabels: {rev: \"1\"}}",
        "priorityThreshold: {value: 50}, ignorePodsWithoutPDB: true",
        "nodeFit: true",
        "nodeFit: true, minReplicas: 2, evictLocalStoragePods: true",
};

struct mode {
        const char *evictor;
        bool is_parity, is_dry_run;
        uint32_t budget;
};

/* What was asked, and what each rule counted. */
static struct buf pass_over(const struct cluster *cluster, const struct mode *mode,
                            const struct plugin *const *registry) {
        struct config_problems *problems = config_problems_new();
        struct buf text = { 0 };
        struct err err = { 0 };
        struct notes notes = { .budget = mode->budget };
        struct descheduler *descheduler;
        random_policy(&text, "", mode->evictor);
        struct descheduler_policy *policy =
                descheduler_policy_read(buf_view(&text), "policy.yaml", mode->is_parity, problems);
        assert_non_null(policy);
        const struct descheduler_config config = { .cluster = cluster,
                                                   .policy = policy,
                                                   .registry = registry,
                                                   .sink = { &notes, begin_pass, ask },
                                                   .is_parity = mode->is_parity,
                                                   .is_dry_run = mode->is_dry_run };
        if (descheduler_new(&config, problems, &descheduler, &err) < 0)
                fail_msg("%s: %s", err.path, err.text);
        const struct wall_time now = { 1768435200LL * NS_PER_S }; /* 2026-01-15 */
        const struct desched_report *report = descheduler_pass(descheduler, now);
        for (size_t i = 0; i < report->rule_count; i++)
                buf_printf(&notes.text, SLICE_FMT ": %u evicted, %u limited, %u spared\n",
                           SLICE_ARG(report->rules[i].plugin), report->rules[i].evicted,
                           report->rules[i].limited, report->rules[i].spared);
        descheduler_free(descheduler);
        descheduler_policy_free(policy);
        config_problems_free(problems);
        buf_release(&text);
        return notes.text;
}

static size_t compare(const struct cluster *cluster, const struct mode *mode, unsigned seed) {
        naive_rules_init(strstr(mode->evictor, "nodeFit: true"));
        struct buf fast = pass_over(cluster, mode, desched_registry);
        struct buf naive = pass_over(cluster, mode, naive_registry);
        if (!slice_eq(buf_view(&fast), buf_view(&naive)))
                fail_msg("seed %u, {%s}, parity %d, dry run %d:\n-- fast\n%s-- naive\n%s", seed,
                         mode->evictor, mode->is_parity, mode->is_dry_run, fast.data, naive.data);
        size_t length = fast.len;
        buf_release(&fast);
        buf_release(&naive);
        return length;
}

static void test_fast_is_naive(void **state) {
        (void)state;
        size_t length = 0;
        for (unsigned seed = 1; seed <= SEEDS; seed++) {
                struct rng rng;
                rng_init(&rng, seed);
                struct cluster *cluster = cluster_new(
                        &(struct cluster_config){ .keeps_finished = true, .keeps_detail = true });
                random_cluster_fill(cluster, &rng);
                for (unsigned bits = 0; bits < 4; bits++) {
                        const struct mode mode = { policies[seed % ARRAY_LEN(policies)],
                                                   (bits & 1) != 0, (bits & 2) != 0,
                                                   seed % 4 == 0 ? 9 : 1000 };
                        length += compare(cluster, &mode, seed);
                }
                cluster_free(cluster);
        }
        assert_true(length > SEEDS * 4 * 500); /* there was something to compare */
}

int main(void) {
        const struct CMUnitTest tests[] = { cmocka_unit_test(test_fast_is_naive) };
        return cmocka_run_group_tests(tests, NULL, NULL);
}
