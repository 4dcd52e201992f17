/* Speed and size of the cluster model: bytes per node and pod, puts, assume and forget per second.
 * bench_model [NODES] [PODS] [TEMPLATES] */
#include "model/cluster.h"

#include "base/util.h"
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { IMAGES = 20, NODE_LABELS = 9, CONDITIONS = 5 };

struct bench {
        struct cluster *cluster;
        unsigned nodes, pods, templates;
        struct arena arena;
        struct pod_spec *specs;
        struct json_doc **docs;
        struct pod_id *ids;
        bool has_detail;
};

static double seconds(void) {
        struct timespec now;
        clock_gettime(CLOCK_MONOTONIC, &now);
        return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

static size_t heap_bytes(void) {
        struct mallinfo2 info = mallinfo2();
        return info.uordblks + info.hblkhd;
}

static void report(const char *what, double amount, const char *unit) {
        printf("%-34s %14.0f %s\n", what, amount, unit);
}

static struct slice text(struct arena *arena, const char *format, unsigned number) {
        char buffer[256];
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
        snprintf(buffer, sizeof(buffer), format, number, number * 2654435761u);
#pragma GCC diagnostic pop
        return arena_slice(arena, slice_of(buffer));
}

/* ---- nodes ---- */

static void put_node(struct bench *bench, unsigned number, struct arena *arena) {
        static const char *const keys[NODE_LABELS] = {
                "kubernetes.io/arch",
                "kubernetes.io/os",
                "kubernetes.io/hostname",
                "node.kubernetes.io/instance-type",
                "topology.kubernetes.io/zone",
                "topology.kubernetes.io/region",
                "node-pool",
                "beta.kubernetes.io/arch",
                "beta.kubernetes.io/os",
        };
        struct label labels[NODE_LABELS];
        struct node_image images[IMAGES];
        struct slice names[IMAGES][2];
        for (unsigned i = 0; i < NODE_LABELS; i++)
                labels[i] = (struct label){ slice_of(keys[i]), SLICE_LITERAL("linux") };
        labels[2].value = text(arena, "ip-10-%u.eu-central-1.compute.internal", number);
        labels[4].value = text(arena, "eu-central-1%u", number % 3);
        labels[6].value = text(arena, "pool-%u", number % 7);
        for (unsigned i = 0; i < IMAGES; i++) {
                unsigned image = (number + i * 7) % 200;
                names[i][0] = text(arena, "registry.example.com/team/app-%u:v1.2.3", image);
                names[i][1] = text(arena, "registry.example.com/team/app-%u@sha256:%064x", image);
                images[i] = (struct node_image){ 2, names[i], 100000000 + image };
        }
        struct resource_amount amounts[] = {
                { SLICE_LITERAL("cpu"), 64000 },
                { SLICE_LITERAL("memory"), 256LL << 30 },
                { SLICE_LITERAL("pods"), 250 },
                { SLICE_LITERAL("ephemeral-storage"), 100LL << 30 },
        };
        struct node node = { .meta = { .name = labels[2].value, .labels = { NODE_LABELS, labels } },
                             .allocatable = { ARRAY_LEN(amounts), amounts },
                             .boot_id = text(arena, "boot-%u-%x", number),
                             .image_count = IMAGES,
                             .images = images };
        cluster_put_node(bench->cluster, &node);
}

/* ---- pods ---- */

static void read_template(struct bench *bench, unsigned number) {
        char json[2048];
        struct err err = { 0 };
        snprintf(json, sizeof(json),
                 "{\"serviceAccountName\":\"app-%u\",\"schedulerName\":\"default-scheduler\","
                 "\"priority\":0,\"containers\":[{\"name\":\"app\",\"image\":\"registry.example."
                 "com/team/app-%u:v1.2.3\",\"ports\":[{\"containerPort\":8080}],\"resources\":{"
                 "\"requests\":{\"cpu\":\"%um\",\"memory\":\"256Mi\"},\"limits\":{\"memory\":"
                 "\"256Mi\"}}}],\"tolerations\":[{\"key\":\"node.kubernetes.io/not-ready\","
                 "\"operator\":\"Exists\",\"effect\":\"NoExecute\",\"tolerationSeconds\":300},"
                 "{\"key\":\"node.kubernetes.io/unreachable\",\"operator\":\"Exists\",\"effect\":"
                 "\"NoExecute\",\"tolerationSeconds\":300}],\"volumes\":[{\"name\":"
                 "\"kube-api-access-abcde\",\"projected\":{}},{\"name\":\"config\",\"configMap\":{"
                 "\"name\":\"app\"}}],\"topologySpreadConstraints\":[{\"maxSkew\":1,"
                 "\"topologyKey\":\"topology.kubernetes.io/zone\",\"whenUnsatisfiable\":"
                 "\"ScheduleAnyway\",\"labelSelector\":{\"matchLabels\":{\"app\":\"app-%u\"}}}]}",
                 number, number, 10 + number, number);
        if (json_parse(slice_of(json), &bench->docs[number], &err) < 0 ||
            pod_spec_decode(json_doc_root(bench->docs[number]), &bench->arena,
                            &bench->specs[number], &err) < 0) {
                fprintf(stderr, "%s\n", err.text);
                exit(1);
        }
}

static void fill_status(struct pod *pod, struct condition *conditions,
                        struct container_status *container, unsigned number) {
        static const char *const types[CONDITIONS] = { "PodReadyToStartContainers", "Initialized",
                                                       "Ready", "ContainersReady", "PodScheduled" };
        for (unsigned i = 0; i < CONDITIONS; i++)
                conditions[i] = (struct condition){ .type = slice_of(types[i]),
                                                    .status = CONDITION_TRUE,
                                                    .changed = { (int64_t)number * NS_PER_S } };
        *container = (struct container_status){ .name = SLICE_LITERAL("app"), .is_ready = true };
        pod->status.condition_count = CONDITIONS;
        pod->status.conditions = conditions;
        pod->status.container_count = 1;
        pod->status.containers = container;
}

static struct pod_id put_pod(struct bench *bench, unsigned number, bool is_placed,
                             struct arena *arena) {
        unsigned kind = number % bench->templates;
        struct condition conditions[CONDITIONS];
        struct container_status container;
        struct label labels[] = {
                { SLICE_LITERAL("app"), text(arena, "app-%u", kind) },
                { SLICE_LITERAL("pod-template-hash"), text(arena, "%u", kind) },
                { SLICE_LITERAL("app.kubernetes.io/part-of"), SLICE_LITERAL("shop") },
        };
        struct owner_ref owner = { .kind = SLICE_LITERAL("ReplicaSet"),
                                   .name = text(arena, "app-%u-6f7c9d8b5", kind),
                                   .uid = text(arena, "6f0a9f6e-52c2-4dd7-9c3c-%012u", kind),
                                   .is_controller = true };
        struct pod pod = {
                .meta = { .ns = text(arena, "team-%u", kind % 50),
                          .name = text(arena, "app-%u-6f7c9d8b5-%x", number),
                          .uid = text(arena, "0d3c1a52-8a1b-4a56-9f1e-%012u", number),
                          .labels = { ARRAY_LEN(labels), labels },
                          .owner_count = 1,
                          .owners = &owner,
                          .created = { (int64_t)number * NS_PER_S },
                          .deleted = WALL_TIME_UNSET },
                .spec = bench->specs[kind],
                .status = { .phase = is_placed ? POD_RUNNING : POD_PENDING,
                            .started = { (int64_t)number * NS_PER_S },
                            .has_qos = true,
                            .qos = QOS_BURSTABLE },
        };
        if (is_placed)
                pod.spec.node_name = text(arena, "ip-10-%u.eu-central-1.compute.internal",
                                          number % bench->nodes);
        fill_status(&pod, conditions, &container, number);
        return cluster_put_pod(bench->cluster, &pod);
}

/* ---- measuring ---- */

static void put_nodes(struct bench *bench) {
        CLEANUP(arena_release) struct arena arena;
        arena_init(&arena, 0);
        double start = seconds();
        for (unsigned i = 0; i < bench->nodes; i++) {
                arena_clear(&arena);
                put_node(bench, i, &arena);
        }
        report("put nodes, new", bench->nodes / (seconds() - start), "/s");
        start = seconds();
        for (unsigned i = 0; i < bench->nodes; i++) {
                arena_clear(&arena);
                put_node(bench, i, &arena);
        }
        report("put nodes, unchanged", bench->nodes / (seconds() - start), "/s");
}

static void put_pods(struct bench *bench, const char *what, bool is_placed) {
        CLEANUP(arena_release) struct arena arena;
        arena_init(&arena, 0);
        double start = seconds();
        for (unsigned i = 0; i < bench->pods; i++) {
                arena_clear(&arena);
                bench->ids[i] = put_pod(bench, i, is_placed, &arena);
        }
        report(what, bench->pods / (seconds() - start), "/s (with building the object)");
}

static void assume_and_forget(struct bench *bench) {
        CLEANUP(arena_release) struct arena arena;
        arena_init(&arena, 0);
        struct bench small = *bench;
        small.pods = bench->pods < 10000 ? bench->pods : 10000;
        for (unsigned i = 0; i < small.pods; i++)
                cluster_remove_pod(bench->cluster,
                                   text(&arena, "team-%u", i % bench->templates % 50),
                                   text(&arena, "app-%u-6f7c9d8b5-%x", i));
        put_pods(&small, "put pods, pending", false);
        const struct node_id *order = cluster_node_order(bench->cluster);
        double start = seconds();
        unsigned rounds = 0;
        for (; rounds < 20; rounds++) {
                for (unsigned i = 0; i < small.pods; i++)
                        cluster_assume(bench->cluster, bench->ids[i], order[i % bench->nodes]);
                for (unsigned i = 0; i < small.pods; i++)
                        cluster_forget(bench->cluster, bench->ids[i]);
        }
        report("assume + forget", rounds * small.pods / (seconds() - start), "pairs/s");
        start = seconds();
        for (unsigned round = 0; round < 20; round++) {
                for (unsigned i = 0; i < small.pods; i++) {
                        cluster_checkpoint(bench->cluster);
                        cluster_assume(bench->cluster, bench->ids[i], order[i % bench->nodes]);
                        cluster_rollback(bench->cluster);
                }
        }
        report("what-if: assume + rollback", rounds * small.pods / (seconds() - start), "/s");
}

/* A running pod as a list has it, with what no role reads. */
static int pod_json(char *buffer, size_t size, unsigned number, unsigned kind) {
        return snprintf(
                buffer, size,
                "{\"metadata\":{\"name\":\"job-%u-%x\",\"namespace\":\"team-%u\",\"uid\":\"0d3c-%"
                "u\","
                "\"resourceVersion\":\"%u\",\"creationTimestamp\":\"2026-03-01T10:00:00Z\","
                "\"labels\":"
                "{\"app\":\"job-%u\",\"tier\":\"web\"},\"annotations\":{\"checksum\":"
                "\"0123456789abcdef\"}"
                ",\"managedFields\":[{\"manager\":\"kube-controller-manager\",\"fieldsV1\":{\"f:"
                "spec\":{"
                "\"f:containers\":{\"k:app\":{\".\":{},\"f:image\":{},\"f:name\":{}}},\"f:"
                "dnsPolicy\":{},"
                "\"f:restartPolicy\":{}}}}]},\"spec\":{\"nodeName\":\"ip-10-%u.eu-central-1."
                "compute."
                "internal\",\"volumes\":[{\"name\":\"kube-api-access-%x\",\"projected\":{"
                "\"sources\":[{"
                "\"configMap\":{\"name\":\"kube-root-ca.crt\"}}],\"defaultMode\":420}}],"
                "\"containers\":[{"
                "\"name\":\"app\",\"image\":\"registry.example.com/"
                "job:%u\",\"env\":[{\"name\":\"A\","
                "\"value\":\"b\"}],\"resources\":{\"requests\":{\"cpu\":\"%um\",\"memory\":"
                "\"64Mi\"}},"
                "\"terminationMessagePath\":\"/dev/termination-log\"}],\"tolerations\":[{\"key\":"
                "\"node.kubernetes.io/not-ready\",\"operator\":\"Exists\",\"effect\":\"NoExecute\","
                "\"tolerationSeconds\":300}],\"priority\":0,\"schedulerName\":\"default-"
                "scheduler\"},"
                "\"status\":{\"phase\":\"Running\",\"conditions\":[{\"type\":\"Initialized\","
                "\"status\":"
                "\"True\",\"lastTransitionTime\":\"2026-03-01T10:00:01Z\"},{\"type\":\"Ready\","
                "\"status\":"
                "\"True\",\"lastTransitionTime\":\"2026-03-01T10:00:03Z\"}],\"startTime\":"
                "\"2026-03-01T10:00:01Z\",\"containerStatuses\":[{\"name\":\"app\",\"ready\":true,"
                "\"restartCount\":0,\"state\":{\"running\":{\"startedAt\":\"2026-03-01T10:00:02Z\"}"
                "},"
                "\"resources\":{\"requests\":{\"cpu\":\"%um\",\"memory\":\"64Mi\"}}}]}}",
                kind, number, kind % 50, number, number, kind, number % 5000, number, kind,
                10 + kind, 10 + kind);
}

/* Parsing, decoding and feeding together. */
static void apply_pods(struct bench *bench) {
        enum { COUNT = 20000 };
        char json[4096];
        double start = seconds(), bytes = 0;
        for (unsigned i = 0; i < COUNT; i++) {
                struct json_doc *doc;
                int length = pod_json(json, sizeof(json), i, i % bench->templates);
                if (json_parse(slice_make(json, (size_t)length), &doc, NULL) < 0)
                        exit(1);
                cluster_apply(bench->cluster, OBJECT_POD, CHANGE_ADDED, json_doc_root(doc), NULL);
                json_doc_free(doc);
                bytes += length;
        }
        double taken = seconds() - start;
        report("apply pods from JSON", COUNT / taken, "/s");
        report("", bytes / 1e6 / taken, "MB/s");
}

static void print_usage(const struct cluster *cluster) {
        struct cluster_usage usage;
        cluster_usage(cluster, &usage);
        printf("counted: nodes %zu, pods %zu, classes %zu, strings %zu, indexes %zu, log %zu bytes;"
               " %zu classes, %zu label sets, %zu strings\n",
               usage.node_bytes, usage.pod_bytes, usage.class_bytes, usage.string_bytes,
               usage.index_bytes, usage.log_bytes, usage.classes, usage.label_sets, usage.strings);
}

static void run(struct bench *bench) {
        struct err err = { 0 };
        size_t empty = heap_bytes();
        printf("---- %s ----\n",
               bench->has_detail ? "with status detail" : "without status detail");
        bench->cluster = cluster_new(&(struct cluster_config){ .keeps_finished = bench->has_detail,
                                                               .keeps_detail = bench->has_detail });
        put_nodes(bench);
        size_t with_nodes = heap_bytes();
        report("heap per node", (double)(with_nodes - empty) / bench->nodes, "bytes");
        put_pods(bench, "put pods, new", true);
        report("heap per pod", (double)(heap_bytes() - with_nodes) / bench->pods, "bytes");
        put_pods(bench, "put pods, unchanged", true);
        print_usage(bench->cluster);
        assume_and_forget(bench);
        apply_pods(bench);
        double start = seconds();
        if (cluster_check(bench->cluster, &err) < 0)
                printf("CHECK FAILED: %s\n", err.text);
        report("check", (seconds() - start) * 1000, "ms");
        cluster_free(bench->cluster);
}

static unsigned argument(int argc, char **argv, int index, unsigned fallback) {
        return argc > index ? (unsigned)strtoul(argv[index], NULL, 10) : fallback;
}

int main(int argc, char **argv) {
        struct bench bench = { .nodes = argument(argc, argv, 1, 5000),
                               .pods = argument(argc, argv, 2, 150000),
                               .templates = argument(argc, argv, 3, 300) };
        if (!bench.nodes || !bench.pods || !bench.templates)
                return 2;
        arena_init(&bench.arena, 0);
        bench.specs = xcalloc(bench.templates, sizeof(*bench.specs));
        bench.docs = xcalloc(bench.templates, sizeof(*bench.docs));
        bench.ids = xcalloc(bench.pods, sizeof(*bench.ids));
        for (unsigned i = 0; i < bench.templates; i++)
                read_template(&bench, i);
        run(&bench);
        bench.has_detail = true;
        run(&bench);
        for (unsigned i = 0; i < bench.templates; i++)
                json_doc_free(bench.docs[i]);
        free(bench.specs);
        free(bench.docs);
        free(bench.ids);
        arena_release(&bench.arena);
        return 0;
}
