/* Decisions per second of the scheduler in process: plain pods, a mix of 50 shapes, and pods with
 * spread constraints or inter-pod terms.
 *
 *     bench_sched                 5,000 nodes and 20,000 pods, then plain pods on 1,000 to
 * 1,000,000 bench_sched NODES [PODS]    one size
 *     bench_sched devices [NODES [PODS]]  claims of devices alone
 *     bench_sched device-memory [NODES [DEVICES [PODS]]]  what many devices take; each is another
 * one
 */
#include "base/util.h"
#include "model/cluster.h"
#include "model/object_cache.h"
#include "plugins/sched/registry.h"
#include "sched/decision.h"
#include "sched/scheduler.h"
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define WHAT_IF_PODS 2000
#define PODS_TO_FILL 66 /* of a node, and some more */
#define FILLING_SHAPE 9
#define PREEMPTORS 20
#define WHAT_IF_MOVES 4 /* before each question */

struct bench {
        struct cluster *cluster;
        struct object_cache *objects;
        struct sched_profile *profile;
        struct scheduler *scheduler;
        struct action_list actions;
        size_t bound, failed;
        bool is_unanswered; /* writes stay open: what is reserved stays assumed */
        bool shows_pods;    /* that were bound, as the watch would */
};

/* Time on a processor: what else runs on the machine counts as little as possible. */
static int64_t now_ns(void) {
        struct timespec t;
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
        return (int64_t)t.tv_sec * NS_PER_S + t.tv_nsec;
}

static void apply(struct bench *bench, enum object_kind kind, const char *text) {
        struct err err = { 0 };
        struct json_doc *doc;
        if (json_parse(slice_of(text), &doc, &err) < 0 ||
            cluster_apply(bench->cluster, kind, CHANGE_ADDED, json_doc_root(doc), &err) < 0) {
                fprintf(stderr, "bench_sched: %s\n", err.text);
                exit(1);
        }
        json_doc_free(doc);
}

static void add_nodes(struct bench *bench, size_t count) {
        char text[1024];
        for (size_t i = 0; i < count; i++) {
                snprintf(text, sizeof(text),
                         "{\"metadata\":{\"name\":\"node-%zu\",\"labels\":{"
                         "\"kubernetes.io/hostname\":\"node-%zu\","
                         "\"topology.kubernetes.io/zone\":\"zone-%zu\",\"disk\":\"%s\"}},"
                         "\"spec\":{%s},\"status\":{\"allocatable\":{\"cpu\":\"%d\","
                         "\"memory\":\"%dGi\",\"pods\":\"110\"}}}",
                         i, i, i % 3, i % 2 ? "ssd" : "hdd",
                         i % 10 == 9 ? "\"taints\":[{\"key\":\"dedicated\",\"value\":\"x\","
                                       "\"effect\":\"NoSchedule\"}]"
                                     : "",
                         i % 4 ? 32 : 64, i % 4 ? 128 : 256);
                apply(bench, OBJECT_NODE, text);
        }
}

/* Terms as in scheduler_perf. */
#define SPREAD(skew, key, when)                                                                    \
        "\"topologySpreadConstraints\":[{\"maxSkew\":" skew ",\"topologyKey\":\"" key              \
        "\",\"whenUnsatisfiable\":\"" when "\",\"labelSelector\":{\"matchLabels\":{"               \
        "\"app\":\"a-0\"}}}],"
#define TERM(key)                                                                                  \
        "{\"topologyKey\":\"" key "\",\"labelSelector\":{\"matchLabels\":{\"app\":\"a-0\"}}}"
#define REQUIRED(kind, key)                                                                        \
        "\"affinity\":{\"" kind                                                                    \
        "\":{\"requiredDuringSchedulingIgnoredDuringExecution\":[" TERM(key) "]}},"
#define PREFERRED(kind, key)                                                                       \
        "\"affinity\":{\"" kind                                                                    \
        "\":{\"preferredDuringSchedulingIgnoredDuringExecution\":[{\"weight\":1,"                  \
        "\"podAffinityTerm\":" TERM(key) "}]}},"
#define ZONE "topology.kubernetes.io/zone"
#define HOST "kubernetes.io/hostname"
static const char spread_terms[] = SPREAD("5", ZONE, "DoNotSchedule");
static const char host_spread_terms[] = SPREAD("1", HOST, "DoNotSchedule");
static const char soft_spread_terms[] = SPREAD("5", ZONE, "ScheduleAnyway");
static const char soft_host_spread_terms[] = SPREAD("1", HOST, "ScheduleAnyway");
static const char away_terms[] = REQUIRED("podAntiAffinity", HOST);
static const char near_terms[] = REQUIRED("podAffinity", ZONE);
static const char soft_near_terms[] = PREFERRED("podAffinity", HOST);
static const char soft_away_terms[] = PREFERRED("podAntiAffinity", HOST);

static void add_pod(struct bench *bench, size_t i, size_t shape, size_t shapes, const char *terms) {
        char text[2048];
        const char *selector =
                shapes > 1 && shape % 5 == 1 ? "\"nodeSelector\":{\"disk\":\"ssd\"}," : "";
        const char *tolerations = shapes > 1 && shape % 7 == 3
                                          ? "\"tolerations\":[{\"key\":\"dedicated\","
                                            "\"operator\":\"Exists\"}],"
                                          : "";
        snprintf(text, sizeof(text),
                 "{\"metadata\":{\"namespace\":\"default\",\"name\":\"pod-%zu\",\"uid\":\"u-%zu\","
                 "\"labels\":{\"app\":\"a-%zu\"}},\"spec\":{%s%s%s\"containers\":[{\"name\":\"c\","
                 "\"image\":\"i\",\"resources\":{\"requests\":{\"cpu\":\"%zum\","
                 "\"memory\":\"%zuMi\"}}}]}}",
                 i, i, shape, selector, tolerations, terms, 100 + 50 * (shape % 10),
                 250 + 64 * (shape % 13));
        apply(bench, OBJECT_POD, text);
}

/* The watch shows the claim as it was written. */
static void show_claim(struct bench *bench, const struct object_ref *target) {
        const struct json *claim =
                object_cache_get(bench->objects, CACHED_RESOURCE_CLAIM, target->ns, target->name);
        if (claim)
                object_cache_put(bench->objects, CACHED_RESOURCE_CLAIM, claim);
}

static void apply_claimant(struct bench *bench, size_t i, struct slice node) {
        char text[1024];
        snprintf(text, sizeof(text),
                 "{\"metadata\":{\"namespace\":\"default\",\"name\":\"pod-%zu\",\"uid\":\"u-%zu\"},"
                 "\"spec\":{%s" SLICE_FMT "%s\"resourceClaims\":[{\"name\":\"x\","
                 "\"resourceClaimTemplateName\":\"t\"}],\"containers\":[{\"name\":\"c\","
                 "\"image\":\"i\",\"resources\":{\"requests\":{\"cpu\":\"100m\","
                 "\"memory\":\"250Mi\"}}}]},\"status\":{\"resourceClaimStatuses\":[{"
                 "\"name\":\"x\",\"resourceClaimName\":\"c-%zu\"}]}}",
                 i, i, node.len ? "\"nodeName\":\"" : "", SLICE_ARG(node), node.len ? "\"," : "",
                 i);
        apply(bench, OBJECT_POD, text);
}

static void answer(struct bench *bench, const struct action *action, struct action_list *out) {
        struct action_result result = { .id = action->id,
                                        .kind = action->kind,
                                        .target = action->target };
        bench->bound += action->kind == ACTION_BIND;
        bench->failed += action->kind == ACTION_POD_STATUS && action->status.sets_condition;
        if (bench->is_unanswered ||
            (action->kind != ACTION_BIND && action->kind != ACTION_PATCH_OBJECT))
                return;
        scheduler_result(bench->scheduler, &result, (struct mono_time){ 0 },
                         (struct wall_time){ 0 }, out);
        if (action->kind == ACTION_PATCH_OBJECT && action->patch.verb == PATCH_STATUS)
                show_claim(bench, &action->target);
        if (action->kind == ACTION_BIND && bench->shows_pods)
                apply_claimant(bench, strtoul(action->target.name.ptr + strlen("pod-"), NULL, 10),
                               action->bind.node);
}

/* Every write succeeds at once. */
static void confirm(struct bench *bench) {
        struct action_list lists[] = { bench->actions, { .count = 0 } };
        action_list_init(&lists[1]);
        for (size_t at = 0; lists[at].count > 0; at = 1 - at) {
                struct action_list *list = &lists[at], *next = &lists[1 - at];
                next->next_id = list->next_id;
                for (size_t i = 0; i < list->count; i++)
                        answer(bench, &list->items[i], next);
                action_list_clear(list);
        }
        lists[0].next_id =
                lists[0].next_id > lists[1].next_id ? lists[0].next_id : lists[1].next_id;
        action_list_release(&lists[1]);
        bench->actions = lists[0];
}

/* Of /proc: VmRSS, or VmHWM for the peak. */
static double resident_mib(const char *which) {
        char line[256];
        unsigned long long kib = 0;
        FILE *file = fopen("/proc/self/status", "re");
        while (file && fgets(line, sizeof(line), file))
                if (strncmp(line, which, strlen(which)) == 0)
                        kib = strtoull(line + strlen(which), NULL, 10);
        if (file)
                fclose(file);
        return (double)kib / 1024;
}

static void bench_init(struct bench *bench) {
        struct object_cache *objects = object_cache_new();
        struct profile_env env = { .registry = sched_registry, .object_cache = objects };
        struct err err = { 0 };
        *bench = (struct bench){ .cluster = cluster_new(&(struct cluster_config){ 0 }),
                                 .objects = objects };
        if (sched_profile_new_default(&env, &bench->profile, &err) < 0) {
                fprintf(stderr, "bench_sched: %s\n", err.text);
                exit(1);
        }
        bench->scheduler = scheduler_new(&(struct scheduler_config){ .cluster = bench->cluster,
                                                                     .object_cache = bench->objects,
                                                                     .profile_count = 1,
                                                                     .profiles = &bench->profile });
        action_list_init(&bench->actions);
}

static void bench_release(struct bench *bench) {
        action_list_release(&bench->actions);
        scheduler_free(bench->scheduler);
        sched_profile_free(bench->profile);
        object_cache_free(bench->objects);
        cluster_free(bench->cluster);
}

/* Decides all that is pending; returns the time of it. */
static int64_t decide_all(struct bench *bench, size_t *decisions) {
        int64_t spent = 0;
        for (bool has_more = true; has_more;) {
                int64_t start = now_ns();
                struct scheduler_progress progress =
                        scheduler_step(bench->scheduler, (struct mono_time){ 0 },
                                       (struct wall_time){ 0 }, 1024, &bench->actions);
                spent += now_ns() - start;
                *decisions += progress.decisions;
                has_more = progress.has_more;
                confirm(bench);
        }
        return spent;
}

/* Model and scheduler with a large cluster of many workloads, as pods come one thousand at a time.
 */
static void run_resident(size_t nodes, size_t pods, size_t workloads) {
        struct bench bench;
        size_t decisions = 0;
        bench_init(&bench);
        add_nodes(&bench, nodes);
        for (size_t i = 0; i < pods; i++) {
                add_pod(&bench, i, i % workloads, workloads, "");
                if (i % 1000 == 999)
                        decide_all(&bench, &decisions);
        }
        decide_all(&bench, &decisions);
        printf("resident, %zu nodes, %zu pods  %.1f MiB\n", nodes, cluster_pod_count(bench.cluster),
               resident_mib("VmRSS:"));
        bench_release(&bench);
}

static void run(const char *name, size_t nodes, size_t pods, size_t shapes, const char *terms) {
        struct bench bench;
        size_t decisions = 0;
        bench_init(&bench);
        add_nodes(&bench, nodes);
        for (size_t i = 0; i < pods; i++)
                add_pod(&bench, i, i % shapes, shapes, terms);
        int64_t spent = decide_all(&bench, &decisions);
        printf("decisions, %zu nodes, %s  %.0f decisions/s\n", nodes, name,
               (double)decisions * 1e9 / (double)spent);
        if (bench.failed > 0)
                printf("pods without a node, %zu nodes, %s  %zu pods\n", nodes, name, bench.failed);
        bench_release(&bench);
}

/* ---- devices ---- */

#define DEVICES_OF_NODE 8
#define SLICE_CHANGES 100
#define PODS_OF_CHANGE 5

static void put_object(struct bench *bench, enum cached_kind kind, const char *text) {
        struct err err = { 0 };
        struct json_doc *doc;
        if (json_parse(slice_of(text), &doc, &err) < 0) {
                fprintf(stderr, "bench_sched: %s\n", err.text);
                exit(1);
        }
        object_cache_put(bench->objects, kind, json_doc_root(doc));
        json_doc_free(doc);
}

static void add_device_class(struct bench *bench) {
        put_object(bench, CACHED_DEVICE_CLASS,
                   "{\"metadata\":{\"name\":\"gpu\"},\"spec\":{\"selectors\":[{\"cel\":{"
                   "\"expression\":\"device.driver == 'gpu.example.com'\"}}]}}");
        put_object(bench, CACHED_DEVICE_CLASS,
                   "{\"metadata\":{\"name\":\"net\"},\"spec\":{\"selectors\":[{\"cel\":{"
                   "\"expression\":\"device.driver == 'net.example.com'\"}}]}}");
}

static void put_devices(struct bench *bench, size_t node, size_t generation) {
        struct buf text = { 0 };
        buf_printf(&text,
                   "{\"metadata\":{\"name\":\"s-%zu\"},\"spec\":{\"driver\":"
                   "\"gpu.example.com\",\"nodeName\":\"node-%zu\",\"pool\":{\"name\":"
                   "\"node-%zu\",\"generation\":%zu,\"resourceSliceCount\":1},\"devices\":[",
                   node, node, node, generation);
        for (size_t j = 0; j < DEVICES_OF_NODE; j++)
                buf_printf(&text, "%s{\"name\":\"gpu-%zu\"}", j ? "," : "", j);
        buf_printf(&text, "]}}");
        put_object(bench, CACHED_RESOURCE_SLICE, text.data);
        buf_release(&text);
}

static void add_devices(struct bench *bench, size_t nodes) {
        for (size_t i = 0; i < nodes; i++)
                put_devices(bench, i, 1);
}

#define WANTS_GPU "\"deviceClassName\":\"gpu\",\"allocationMode\":\"ExactCount\",\"count\":1"
/* The driver of the first choice has no devices. */
static const char claim_of_one[] = "\"exactly\":{" WANTS_GPU "}";
static const char claim_of_choices[] =
        "\"firstAvailable\":[{\"name\":\"best\"," WANTS_GPU
        ",\"selectors\":[{\"cel\":{\"expression\":\"device.driver == 'none'\"}}]},"
        "{\"name\":\"any\"," WANTS_GPU "}]";

/* A device of the node, and one that all nodes see. */
static const char claim_of_both[] =
        "\"exactly\":{" WANTS_GPU "}},{\"name\":\"n\",\"exactly\":{\"deviceClassName\":\"net\","
        "\"allocationMode\":\"ExactCount\",\"count\":1}";
#define SLICE_DEVICES 128

/* A pod with the claim that was made for it from a template. */
static void add_pod_with_claim(struct bench *bench, size_t i, const char *wants) {
        char text[1024];
        snprintf(text, sizeof(text),
                 "{\"metadata\":{\"namespace\":\"default\",\"name\":\"c-%zu\",\"uid\":"
                 "\"c-%zu\",\"ownerReferences\":[{\"kind\":\"Pod\",\"name\":\"pod-%zu\",\"uid\":"
                 "\"u-%zu\",\"controller\":true}]},\"spec\":{\"devices\":{\"requests\":[{"
                 "\"name\":\"q\",%s}]}}}",
                 i, i, i, i, wants);
        put_object(bench, CACHED_RESOURCE_CLAIM, text);
        apply_claimant(bench, i, SLICE_EMPTY);
}

/* As drivers of GPUs publish them: one attribute is the device's own, some are the node's. */
static void add_real_devices(struct bench *bench, size_t nodes, size_t each) {
        for (size_t i = 0; i < nodes; i++) {
                struct buf text = { 0 };
                buf_printf(&text,
                           "{\"metadata\":{\"name\":\"node-%zu-gpu\",\"uid\":\"%08zx\"},"
                           "\"spec\":{\"driver\":\"gpu.example.com\",\"nodeName\":\"node-%zu\","
                           "\"pool\":{\"name\":\"node-%zu\",\"generation\":1,"
                           "\"resourceSliceCount\":1},\"devices\":[",
                           i, i, i, i);
                for (size_t j = 0; j < each; j++)
                        buf_printf(
                                &text,
                                "%s{\"name\":\"gpu-%zu\",\"attributes\":{\"uuid\":{\"string\":"
                                "\"GPU-%08zx-0000-4000-8000-%012zx\"},\"index\":{\"int\":%zu},"
                                "\"type\":{\"string\":\"gpu\"},\"productName\":{\"string\":"
                                "\"Example 80GB\"},\"driverVersion\":{\"version\":\"1.2.3\"},"
                                "\"resource.kubernetes.io/pcieRoot\":{\"string\":\"pci0000:%02zx\"}"
                                "},\"capacity\":{\"memory\":{\"value\":\"80Gi\"}}}",
                                j ? "," : "", j, i, j, j, j / 4);
                buf_printf(&text, "]}}");
                put_object(bench, CACHED_RESOURCE_SLICE, text.data);
                buf_release(&text);
        }
}

/* The peak, from a process that did nothing else. */
static void run_device_memory(size_t nodes, size_t each, size_t pods) {
        struct bench bench;
        size_t decisions = 0;
        bench_init(&bench);
        bench.shows_pods = true;
        add_nodes(&bench, nodes);
        add_device_class(&bench);
        add_real_devices(&bench, nodes, each);
        for (size_t i = 0; i < pods; i++)
                add_pod_with_claim(&bench, i, claim_of_one);
        decide_all(&bench, &decisions);
        printf("resident at its peak, %zu devices on %zu nodes  %.1f MiB\n", nodes * each, nodes,
               resident_mib("VmHWM:"));
        if (bench.bound < pods)
                printf("pods without a node  %zu pods\n", pods - bench.bound);
        bench_release(&bench);
}

/* Cards that all nodes see, each pool as large as one slice. */
static void add_shared_devices(struct bench *bench, size_t count) {
        for (size_t i = 0; i * SLICE_DEVICES < count; i++) {
                struct buf text = { 0 };
                buf_printf(&text,
                           "{\"metadata\":{\"name\":\"w-%zu\"},\"spec\":{\"driver\":"
                           "\"net.example.com\",\"allNodes\":true,\"pool\":{\"name\":\"w-%zu\","
                           "\"generation\":1,\"resourceSliceCount\":1},\"devices\":[",
                           i, i);
                for (size_t j = 0; j < SLICE_DEVICES; j++)
                        buf_printf(&text, "%s{\"name\":\"net-%zu\"}", j ? "," : "", j);
                buf_printf(&text, "]}}");
                put_object(bench, CACHED_RESOURCE_SLICE, text.data);
                buf_release(&text);
        }
}

static void run_claims(size_t nodes, size_t pods, const char *name, const char *wants) {
        struct bench bench;
        size_t decisions = 0;
        bench_init(&bench);
        bench.shows_pods = true;
        add_nodes(&bench, nodes);
        add_device_class(&bench);
        add_devices(&bench, nodes);
        if (wants == claim_of_both)
                add_shared_devices(&bench, pods);
        for (size_t i = 0; i < pods; i++)
                add_pod_with_claim(&bench, i, wants);
        int64_t spent = decide_all(&bench, &decisions);
        printf("decisions, %zu nodes of %d devices, %s  %.0f decisions/s\n", nodes, DEVICES_OF_NODE,
               name, (double)decisions * 1e9 / (double)spent);
        if (bench.bound < pods)
                printf("pods without a node  %zu pods\n", pods - bench.bound);
        bench_release(&bench);
}

/* Slices of one node after the other change, one for each few pods, when half of the pods are
 * placed. */
static void run_changes(size_t nodes, size_t pods) {
        struct bench bench;
        size_t decisions = 0;
        int64_t spent = 0;
        bench_init(&bench);
        bench.shows_pods = true;
        add_nodes(&bench, nodes);
        add_device_class(&bench);
        add_devices(&bench, nodes);
        for (size_t i = 0; i < pods / 2; i++)
                add_pod_with_claim(&bench, i, claim_of_one);
        decide_all(&bench, &decisions);
        decisions = 0;
        for (size_t i = 0; i < SLICE_CHANGES; i++) {
                put_devices(&bench, i * 7 % nodes, 2 + i);
                for (size_t j = 0; j < PODS_OF_CHANGE; j++)
                        add_pod_with_claim(&bench, pods / 2 + i * PODS_OF_CHANGE + j, claim_of_one);
                spent += decide_all(&bench, &decisions);
        }
        printf("decisions, %zu nodes of %d devices, a slice changes each %d  %.0f decisions/s\n",
               nodes, DEVICES_OF_NODE, PODS_OF_CHANGE, (double)decisions * 1e9 / (double)spent);
        if (bench.failed > 0)
                printf("pods without a node  %zu pods\n", bench.failed);
        bench_release(&bench);
}

/* A pod that asks for an extended resource, which devices stand for, beside a claim of its own that
 * is allocated. */
static void add_extended_pod(struct bench *bench, size_t i) {
        char text[1024];
        snprintf(text, sizeof(text),
                 "{\"metadata\":{\"namespace\":\"default\",\"name\":\"c-%zu\",\"uid\":"
                 "\"c-%zu\",\"ownerReferences\":[{\"kind\":\"Pod\",\"name\":\"pod-%zu\",\"uid\":"
                 "\"u-%zu\",\"controller\":true}]},\"spec\":{\"devices\":{\"requests\":[{"
                 "\"name\":\"q\",%s}]}},\"status\":{\"allocation\":{\"devices\":{\"results\":[{"
                 "\"request\":\"q/any\",\"driver\":\"e\",\"pool\":\"e\",\"device\":\"e-%zu\"}]}}}}",
                 i, i, i, i, claim_of_choices, i);
        put_object(bench, CACHED_RESOURCE_CLAIM, text);
        snprintf(text, sizeof(text),
                 "{\"metadata\":{\"namespace\":\"default\",\"name\":\"pod-%zu\",\"uid\":\"u-%zu\"},"
                 "\"spec\":{\"resourceClaims\":[{\"name\":\"x\",\"resourceClaimTemplateName\":"
                 "\"t\"}],\"containers\":[{\"name\":\"c\",\"image\":\"i\",\"resources\":{"
                 "\"requests\":{"
                 "\"cpu\":\"100m\",\"deviceclass.resource.kubernetes.io/"
                 "gpu\":\"1\"}}}]},\"status\":{"
                 "\"resourceClaimStatuses\":[{\"name\":\"x\",\"resourceClaimName\":\"c-%zu\"}]}}",
                 i, i, i);
        apply(bench, OBJECT_POD, text);
}

/* Decisions alone: nobody answers the writes of the special claims. */
static void run_extended(size_t nodes, size_t pods) {
        struct bench bench;
        size_t decisions = 0;
        bench_init(&bench);
        bench.is_unanswered = true;
        add_nodes(&bench, nodes);
        add_device_class(&bench);
        add_devices(&bench, nodes);
        for (size_t i = 0; i < pods; i++)
                add_extended_pod(&bench, i);
        int64_t spent = decide_all(&bench, &decisions);
        printf("decisions, %zu nodes of %d devices, extended resources beside claims  %.0f "
               "decisions/s\n",
               nodes, DEVICES_OF_NODE, (double)decisions * 1e9 / (double)spent);
        if (bench.failed > 0)
                printf("pods without a node  %zu pods\n", bench.failed);
        bench_release(&bench);
}

static void run_devices(size_t nodes, size_t pods) {
        run_claims(nodes, pods, "claims of one device", claim_of_one);
        run_claims(nodes, pods, "prioritised lists", claim_of_choices);
        run_claims(nodes, pods / 10, "devices of the node and shared ones", claim_of_both);
        run_extended(nodes, pods / 10);
        run_changes(nodes, pods);
}

/* Where a placed pod would go, after a few imagined removals; engine NULL: by the full scan. */
static int64_t ask_what_if(struct bench *bench, struct class_engine *engine, size_t pod,
                           struct arena *arena) {
        struct decision decision;
        struct decision_request request = { .pod = { (uint32_t)pod }, .engine = engine };
        int64_t start = now_ns();
        cluster_checkpoint(bench->cluster);
        for (size_t i = 1; i <= WHAT_IF_MOVES; i++)
                cluster_withdraw(bench->cluster,
                                 (struct pod_id){ (uint32_t)((pod + 97 * i) % WHAT_IF_PODS) });
        cluster_withdraw(bench->cluster, request.pod);
        scheduler_decide(bench->cluster, bench->profile, &request, arena, &decision);
        cluster_rollback(bench->cluster);
        arena_clear(arena);
        return now_ns() - start;
}

static void run_what_ifs(const char *name, size_t nodes, const char *terms) {
        struct bench bench;
        size_t decisions = 0;
        struct arena arena;
        struct class_engine *engine = class_engine_new(0);
        int64_t spent = 0, scans = 0;
        bench_init(&bench);
        arena_init(&arena, 0);
        add_nodes(&bench, nodes);
        for (size_t i = 0; i < WHAT_IF_PODS; i++)
                add_pod(&bench, i, 0, 1, terms);
        decide_all(&bench, &decisions);
        for (size_t i = 0; i < 3; i++)
                ask_what_if(&bench, engine, i, &arena);
        for (size_t i = 0; i < WHAT_IF_PODS; i++)
                spent += ask_what_if(&bench, engine, i, &arena);
        for (size_t i = 0; i < 20; i++)
                scans += ask_what_if(&bench, NULL, i, &arena);
        printf("what-ifs, %zu nodes, %s  %.1f us\n", nodes, name,
               (double)spent / WHAT_IF_PODS / 1e3);
        printf("what-ifs by full scan, %zu nodes, %s  %.1f us\n", nodes, name,
               (double)scans / 20 / 1e3);
        arena_release(&arena);
        class_engine_free(engine);
        bench_release(&bench);
}

/* Nodes full of less important pods; each pod that comes has to preempt one of them. */
static void run_preemptions(const char *name, size_t nodes, const char *terms) {
        struct bench bench;
        size_t decisions = 0;
        char important[1024];
        bench_init(&bench);
        add_nodes(&bench, nodes);
        for (size_t i = 0; i < nodes * PODS_TO_FILL; i++)
                add_pod(&bench, i, FILLING_SHAPE, 1, "");
        decide_all(&bench, &decisions);
        snprintf(important, sizeof(important), "%s\"priority\":10,", terms);
        for (size_t i = 0; i < PREEMPTORS; i++)
                add_pod(&bench, nodes * PODS_TO_FILL + i, FILLING_SHAPE, 1, important);
        decisions = 0;
        int64_t spent = decide_all(&bench, &decisions);
        printf("preemptions, %zu nodes, %s  %.0f us\n", nodes, name,
               (double)spent / (double)decisions / 1e3);
        bench_release(&bench);
}

static void run_shapes(size_t nodes, size_t pods) {
        run("plain pods", nodes, pods, 1, "");
        run("50 shapes", nodes, pods, 50, "");
        run("spread by zone", nodes, pods / 8, 1, spread_terms);
        run("spread by host", nodes, pods / 8, 1, host_spread_terms);
        run("preferred spread by zone", nodes, pods / 8, 1, soft_spread_terms);
        run("preferred spread by host", nodes, pods / 8, 1, soft_host_spread_terms);
        run("anti-affinity by host", nodes, pods / 8, 1, away_terms);
        run("affinity by zone", nodes, pods / 8, 1, near_terms);
        run("preferred affinity by host", nodes, pods / 8, 1, soft_near_terms);
        run("preferred anti-affinity by host", nodes, pods / 8, 1, soft_away_terms);
        run_devices(nodes, pods);
        run_preemptions("plain pods", 500, "");
        run_preemptions("spread by zone", 500, spread_terms);
        run_preemptions("anti-affinity by host", 500, away_terms);
        run_what_ifs("plain pods", nodes, "");
        run_what_ifs("spread by zone", nodes, spread_terms);
        run_what_ifs("anti-affinity by host", nodes, away_terms);
        run_what_ifs("preferred affinity by host", nodes, soft_near_terms);
}

static size_t number_of(int argc, char **argv, int at, size_t standard) {
        return argc > at ? strtoul(argv[at], NULL, 10) : standard;
}

/* In a process of its own, whose peak is not that of anything else. */
static void run_device_memory_apart(void) {
        if (fork() == 0) {
                run_device_memory(5000, 100, 1000);
                exit(0);
        }
        wait(NULL);
}

static void run_everything(void) {
        static const size_t scale[] = { 1000, 15000, 100000, 1000000 };

        run_device_memory_apart();
        run_resident(5000, 150000, 1500);
        run_shapes(5000, 20000);
        for (size_t i = 0; i < ARRAY_LEN(scale); i++)
                run("plain pods", scale[i], 20000, 1, "");
}

int main(int argc, char **argv) {
        const char *what = argc > 1 ? argv[1] : "";

        if (strcmp(what, "devices") == 0)
                run_devices(number_of(argc, argv, 2, 5000), number_of(argc, argv, 3, 20000));
        else if (strcmp(what, "device-memory") == 0)
                run_device_memory(number_of(argc, argv, 2, 5000), number_of(argc, argv, 3, 100),
                                  number_of(argc, argv, 4, 1000));
        else if (argc > 1)
                run_shapes(number_of(argc, argv, 1, 5000), number_of(argc, argv, 2, 20000));
        else
                run_everything();
        return 0;
}
