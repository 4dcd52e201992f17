/* A descheduling pass in process: every strategy together and each alone, with and without asking
 * the scheduler where each pod would go; and the memory of it all.
 *
 *     bench_desched [NODES] [PODS] [PART]      (5,000 nodes, 150,000 pods when left out)
 *
 * PART: only passes whose name contains it.
 */
#include "base/rng.h"
#include "base/util.h"
#include "config/descheduler_policy.h"
#include "desched/descheduler.h"
#include "evict/evict_service.h"
#include "plugins/desched/registry.h"
#include "roles/placement_simulator.h"
#include "roles/role_config.h"
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define REPLICAS 50
#define NAMESPACES 40
#define RUNS 3

/* Processor time: a pass is one thread, and the machine may be busy. */
static int64_t now_ns(void) {
        struct timespec t;
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
        return (int64_t)t.tv_sec * NS_PER_S + t.tv_nsec;
}

static void die(const char *what) {
        fprintf(stderr, "bench_desched: %s\n", what);
        exit(1);
}

static void apply(struct cluster *cluster, enum object_kind kind, const char *text) {
        struct err err = { 0 };
        struct json_doc *doc;
        if (json_parse(slice_of(text), &doc, &err) < 0 ||
            cluster_apply(cluster, kind, CHANGE_ADDED, json_doc_root(doc), &err) < 0)
                die(err.text);
        json_doc_free(doc);
}

static void add_node(struct cluster *cluster, size_t i) {
        char text[1024];
        snprintf(text, sizeof(text),
                 "{\"metadata\":{\"name\":\"node-%zu\",\"labels\":{\"kubernetes.io/hostname\":"
                 "\"node-%zu\",\"topology.kubernetes.io/zone\":\"zone-%zu\",\"disk\":\"%s\"}},"
                 "\"spec\":{%s},\"status\":{\"conditions\":[{\"type\":\"Ready\",\"status\":"
                 "\"True\"}],\"allocatable\":{\"cpu\":\"32\",\"memory\":\"128Gi\",\"pods\":"
                 "\"110\"}}}",
                 i, i, i % 3, i % 2 ? "ssd" : "hdd",
                 i % 50 == 49 ? "\"taints\":[{\"key\":\"dedicated\",\"value\":\"x\",\"effect\":"
                                "\"NoSchedule\"}]"
                              : "");
        apply(cluster, OBJECT_NODE, text);
}

/* One owner in ten wishes for something about its place. */
static const char *demands(size_t owner) {
        switch (owner % 40) {
        case 3:
                return "\"affinity\":{\"nodeAffinity\":{"
                       "\"requiredDuringSchedulingIgnoredDuringExecution\":{\"nodeSelectorTerms\":"
                       "[{\"matchExpressions\":[{\"key\":\"disk\",\"operator\":\"In\",\"values\":["
                       "\"ssd\"]}]}]}}},";
        case 13:
                return "\"affinity\":{\"nodeAffinity\":{"
                       "\"preferredDuringSchedulingIgnoredDuringExecution\":[{\"weight\":10,"
                       "\"preference\":{\"matchExpressions\":[{\"key\":\"disk\",\"operator\":"
                       "\"In\",\"values\":[\"ssd\"]}]}}]}},";
        case 23:
                return "\"affinity\":{\"podAntiAffinity\":{"
                       "\"requiredDuringSchedulingIgnoredDuringExecution\":[{\"labelSelector\":{"
                       "\"matchLabels\":{\"role\":\"r23\"}},\"topologyKey\":"
                       "\"kubernetes.io/hostname\"}]}},";
        case 33:
                return "\"topologySpreadConstraints\":[{\"maxSkew\":1,\"whenUnsatisfiable\":"
                       "\"DoNotSchedule\",\"topologyKey\":\"topology.kubernetes.io/zone\","
                       "\"labelSelector\":{\"matchLabels\":{\"role\":\"r33\"}}}],";
        default:
                return "";
        }
}

static void add_pod(struct cluster *cluster, size_t i, size_t nodes, uint64_t seed) {
        char text[2048];
        size_t owner = i / REPLICAS, node = (size_t)(seed % nodes);
        bool has_failed = i % 97 == 0;
        snprintf(text, sizeof(text),
                 "{\"metadata\":{\"namespace\":\"ns-%zu\",\"name\":\"app-%zu-%zu\",\"uid\":"
                 "\"uid-%zu\",\"creationTimestamp\":\"2026-01-%02zuT%02zu:00:00Z\",\"labels\":{"
                 "\"app\":\"app-%zu\",\"role\":\"r%zu\"},\"ownerReferences\":[{\"kind\":"
                 "\"ReplicaSet\",\"name\":\"app-%zu\",\"uid\":\"rs-%zu\"}]},\"spec\":{%s"
                 "\"nodeName\":\"node-%zu\",\"containers\":[{\"name\":\"c\",\"image\":\"i-%zu\","
                 "\"resources\":{\"requests\":{\"cpu\":\"%zum\",\"memory\":\"512Mi\"}}}]},"
                 "\"status\":{\"phase\":\"%s\",\"startTime\":\"2026-01-01T00:00:00Z\","
                 "\"containerStatuses\":[{\"name\":\"c\",\"ready\":true,\"restartCount\":%zu,"
                 "\"state\":{%s}}]}}",
                 owner % NAMESPACES, owner, i, i, 1 + i % 9, i % 24, owner, owner % 40, owner,
                 owner, demands(owner), node, owner % 100, 100 + owner % 10 * 50,
                 has_failed ? "Failed" : "Running", i % 1000 == 1 ? (size_t)200 : (size_t)0,
                 has_failed ? "\"terminated\":{\"exitCode\":137,\"reason\":\"OOMKilled\"}"
                            : "\"running\":{}");
        apply(cluster, OBJECT_POD, text);
}

struct rule {
        const char *name, *point, *args;
        bool is_own; /* not upstream's, hence not among "every strategy" */
};
static const struct rule rules[] = {
        { "PodLifeTime", "deschedule", "{\"maxPodLifeTimeSeconds\":1206000}" },
        { "RemoveFailedPods", "deschedule", "{\"exitCodes\":[137]}" },
        { "RemovePodsHavingTooManyRestarts", "deschedule", "{\"podRestartThreshold\":100}" },
        { "RemovePodsViolatingNodeTaints", "deschedule", "{}" },
        { "RemovePodsViolatingNodeAffinity", "deschedule",
          "{\"nodeAffinityType\":[\"requiredDuringSchedulingIgnoredDuringExecution\","
          "\"preferredDuringSchedulingIgnoredDuringExecution\"]}" },
        { "RemovePodsViolatingInterPodAntiAffinity", "deschedule", "{}" },
        { "RemoveDuplicates", "balance", "{}" },
        { "RemovePodsViolatingTopologySpreadConstraint", "balance", "{}" },
        { "LowNodeUtilization", "balance",
          "{\"thresholds\":{\"cpu\":20,\"pods\":20},\"targetThresholds\":{\"cpu\":50,\"pods\":50}"
          "}" },
        { "HighNodeUtilization", "balance", "{\"thresholds\":{\"cpu\":10}}" },
        { "PodLifecycle", "deschedule",
          "{\"rules\":[{\"name\":\"keep\",\"action\":\"Keep\",\"allowTerminal\":true,"
          "\"select\":{\"namespaces\":{\"include\":[\"ns-1\"]}}},{\"name\":\"finished\",\"action\":"
          "\"Delete\",\"allowTerminal\":true,\"retention\":{\"ttl\":\"1h\",\"keepNewest\":3,"
          "\"per\":"
          "\"Namespace\"}},{\"name\":\"old\",\"action\":\"Evict\",\"when\":{\"olderThan\":"
          "\"335h\"}}]}",
          true },
};

/* A policy of all rules, or of one; fits: nodeFit on. */
static void write_policy(struct buf *text, const struct rule *only, bool fits) {
        static const char *const points[] = { "deschedule", "balance" };
        buf_printf(text,
                   "{\"apiVersion\":\"descheduler/v1alpha2\",\"kind\":\"DeschedulerPolicy\","
                   "\"profiles\":[{\"name\":\"p\",\"pluginConfig\":[{\"name\":\"DefaultEvictor\","
                   "\"args\":{\"nodeFit\":%s}}",
                   fits ? "true" : "false");
        for (size_t i = 0; i < ARRAY_LEN(rules); i++)
                buf_printf(text, ",{\"name\":\"%s\",\"args\":%s}", rules[i].name, rules[i].args);
        buf_text(text, "],\"plugins\":{");
        for (size_t p = 0; p < ARRAY_LEN(points); p++) {
                const char *comma = "";
                buf_printf(text, "%s\"%s\":{\"enabled\":[", p > 0 ? "," : "", points[p]);
                for (size_t i = 0; i < ARRAY_LEN(rules); i++) {
                        bool is_asked = only ? only == &rules[i] : !rules[i].is_own;
                        if (strcmp(rules[i].point, points[p]) != 0 || !is_asked)
                                continue;
                        buf_printf(text, "%s\"%s\"", comma, rules[i].name);
                        comma = ",";
                }
                buf_text(text, "]}");
        }
        buf_text(text, "}}]}");
}

static const char *wanted_part = "";

struct variant {
        const char *name;
        const struct rule *only;                  /* NULL = all */
        bool fits;                                /* nodeFit */
        const struct placement_predictor *oracle; /* NULL = not asked */
};

static void measure(const struct cluster *cluster, const struct variant *variant) {
        if (!strstr(variant->name, wanted_part))
                return;
        struct config_problems *problems = config_problems_new();
        struct buf text = { 0 };
        struct err err = { 0 };
        struct descheduler *descheduler = NULL;
        write_policy(&text, variant->only, variant->fits);
        struct descheduler_policy *policy =
                descheduler_policy_read(buf_view(&text), "bench", false, problems);
        struct evict_service *service = evict_service_new(&(struct evict_config){ 0 });
        if (!policy ||
            descheduler_new(
                    &(struct descheduler_config){
                            .cluster = cluster,
                            .policy = policy,
                            .registry = desched_registry,
                            .sink = evict_requester_sink(evict_service_join(
                                    service,
                                    &(struct evict_requester_config){ .is_parity = false })),
                            .predictor = variant->oracle,
                            .is_dry_run = true },
                    problems, &descheduler, &err) < 0)
                die(err.text);
        struct wall_time now = { 0 };
        wall_time_parse(SLICE_LITERAL("2026-01-15T00:00:00Z"), &now);
        int64_t best = INT64_MAX;
        uint32_t evicted = 0;
        for (int i = 0; i < RUNS; i++) {
                int64_t start = now_ns();
                evicted = descheduler_pass(descheduler, now)->evicted;
                int64_t spent = now_ns() - start;
                best = spent < best ? spent : best;
        }
        char row[128];
        snprintf(row, sizeof(row), "pass, %s", variant->name);
        printf("%-60s  %.2f ms\n", row, (double)best / 1e6);
        fprintf(stderr, "%s: %u evictions\n", variant->name, evicted);
        descheduler_free(descheduler);
        descheduler_policy_free(policy);
        config_problems_free(problems);
        evict_service_free(service);
        buf_release(&text);
}

/* From /proc: resident now, or at its peak (VmHWM). */
static double memory_mib(const char *key) {
        FILE *file = fopen("/proc/self/status", "re");
        char line[256];
        long kib = 0;
        while (file && fgets(line, sizeof(line), file))
                if (strncmp(line, key, strlen(key)) == 0)
                        kib = strtol(line + strlen(key) + 1, NULL, 10);
        if (file)
                fclose(file);
        return (double)kib / 1024;
}

static void measure_with_scheduler(struct cluster *cluster) {
        struct role_config config = { 0 };
        struct err err = { 0 };
        if (role_config_load(&(struct role_config_sources){ 0 }, &config, &err) < 0 ||
            role_config_build(&config, cluster, NULL, &err) < 0)
                die(err.text);
        struct placement_simulator *simulator =
                placement_simulator_new(cluster, &config.profiles, NULL);
        struct placement_predictor oracle = placement_simulator_oracle(simulator);
        measure(cluster, &(struct variant){ .name = "every strategy, moveOnlyIfBetter",
                                            .predictor = &oracle });
        placement_simulator_free(simulator);
        role_config_release(&config);
}

int main(int argc, char **argv) {
        size_t nodes = argc > 1 ? strtoul(argv[1], NULL, 10) : 5000;
        size_t pods = argc > 2 ? strtoul(argv[2], NULL, 10) : 150000;
        wanted_part = argc > 3 ? argv[3] : "";
        struct cluster *cluster = cluster_new(
                &(struct cluster_config){ .keeps_finished = true, .keeps_detail = true });
        struct rng rng;
        rng_init(&rng, 1);
        for (size_t i = 0; i < nodes; i++)
                add_node(cluster, i);
        for (size_t i = 0; i < pods; i++)
                add_pod(cluster, i, nodes, rng_u64(&rng));
        printf("%-60s  %.1f MiB\n", "resident, cluster alone", memory_mib("VmRSS"));
        measure(cluster, &(struct variant){ .name = "every strategy" });
        printf("%-60s  %.1f MiB\n", "resident, peak after passes", memory_mib("VmHWM"));
        measure(cluster, &(struct variant){ .name = "every strategy, nodeFit", .fits = true });
        for (size_t i = 0; i < ARRAY_LEN(rules); i++)
                measure(cluster, &(struct variant){ .name = rules[i].name, .only = &rules[i] });
        measure_with_scheduler(cluster);
        cluster_free(cluster);
        return 0;
}
