/* Long seeded runs of random operations against a naive list of what ought to be there.  A failure
 * names its seed. */
#include "../long_form.h"
#include "base/rng.h"
#include "base/util.h"
#include "model_test.h"

#include <stdlib.h>

enum {
        NODES = 11,
        PODS = 60,
        SPECS = 7,
        UIDS = 3,
        OPERATIONS = 250000,
        BATCH = 2500,
        SEEDS_LONG = 4
};

static const char *const specs[SPECS] = {
        "{'containers':[{'name':'c','resources':{'requests':{'cpu':'100m','memory':'64Mi'}}}]}",
        "{'containers':[{'name':'c','resources':{'requests':{'cpu':'1500m'}}}]}",
        "{'containers':[{'name':'c'}],'tolerations':[{'operator':'Exists'}]}",
        "{'containers':[{'name':'c','ports':[{'hostPort':80,'containerPort':80}]}]}",
        "{'containers':[{'name':'c','ports':[{'hostPort':80,'containerPort':80},{'hostPort':81,"
        "'containerPort':81,'hostIP':'10.0.0.1','protocol':'UDP'}],'resources':{'requests':{"
        "'example.com/gpu':'2'}}}]}",
        "{'containers':[{'name':'c','resources':{'requests':{'memory':'1Gi'}}}],'schedulingGates':"
        "[{'name':'wait'}]}",
        "{'containers':[{'name':'c'}],'overhead':{'cpu':'7m'},'priority':5,'nodeSelector':{'a':"
        "'b'}}",
};

struct oracle_pod {
        bool exists, is_assumed;
        int spec, node, uid, labels, owner; /* node -1 = none */
        enum pod_phase phase;
};

struct churn {
        struct cluster *cluster;
        struct rng rng;
        uint64_t seed;
        struct arena arena;
        struct json_doc *docs[SPECS];
        struct pod_spec decoded[SPECS];
        int64_t cpu_milli[SPECS], gpus[SPECS];
        struct oracle_pod pods[PODS];
        bool has_node[NODES];
        char node_names[NODES][16], pod_names[PODS][16];
};

static int below(struct churn *churn, int bound) {
        return (int)rng_below(&churn->rng, (uint64_t)bound);
}

static void churn_init(struct churn *churn, uint64_t seed) {
        *churn = (struct churn){ .seed = seed, .cluster = cluster_for_test() };
        rng_init(&churn->rng, seed);
        arena_init(&churn->arena, 0);
        for (int i = 0; i < NODES; i++)
                snprintf(churn->node_names[i], sizeof(churn->node_names[i]), "n%d", i);
        for (int i = 0; i < PODS; i++)
                snprintf(churn->pod_names[i], sizeof(churn->pod_names[i]), "p%d", i);
        for (int i = 0; i < SPECS; i++) {
                char text[1024];
                snprintf(text, sizeof(text), "%s", specs[i]);
                for (char *c = text; *c; c++)
                        *c = *c == '\'' ? '"' : *c;
                assert_int_equal(json_parse(slice_of(text), &churn->docs[i], NULL), 0);
                assert_int_equal(pod_spec_decode(json_doc_root(churn->docs[i]), &churn->arena,
                                                 &churn->decoded[i], NULL),
                                 0);
                struct resource_list list =
                        pod_spec_requests(&churn->decoded[i], false, &churn->arena);
                churn->cpu_milli[i] = resource_list_get(&list, "cpu", NULL);
                churn->gpus[i] = resource_list_get(&list, "example.com/gpu", NULL);
        }
}

static void churn_release(struct churn *churn) {
        cluster_free(churn->cluster);
        arena_release(&churn->arena);
        for (int i = 0; i < SPECS; i++)
                json_doc_free(churn->docs[i]);
}

static struct slice pod_ns(int pod) {
        return slice_of(pod % 3 ? "one" : "two");
}

static struct pod_id find_pod(const struct churn *churn, int pod) {
        return cluster_find_pod(churn->cluster, pod_ns(pod), slice_of(churn->pod_names[pod]));
}

/* ---- operations ---- */

static void do_put_pod(struct churn *churn, int number) {
        struct oracle_pod *oracle = &churn->pods[number];
        struct oracle_pod now = { .exists = true,
                                  .spec = below(churn, SPECS),
                                  .node = below(churn, 3) ? below(churn, NODES) : -1,
                                  .uid = below(churn, 8) ? oracle->uid : below(churn, UIDS) + 1,
                                  .labels = below(churn, 4),
                                  .owner = below(churn, 3),
                                  .phase = (enum pod_phase)below(churn, 5) };
        char uid[16] = "", label[16], owner_uid[16];
        if (now.uid)
                snprintf(uid, sizeof(uid), "uid-%d", now.uid);
        snprintf(label, sizeof(label), "v%d", now.labels);
        snprintf(owner_uid, sizeof(owner_uid), "owner-%d", now.owner);
        struct label labels[] = { { SLICE_LITERAL("app"), slice_of(label) },
                                  { SLICE_LITERAL("tier"), SLICE_LITERAL("x") } };
        struct owner_ref owner = { .kind = SLICE_LITERAL("ReplicaSet"),
                                   .name = slice_of(owner_uid),
                                   .uid = slice_of(owner_uid) };
        struct condition condition = { .type = SLICE_LITERAL("Ready"), .changed = { now.labels } };
        struct pod pod = {
                .meta = { .ns = pod_ns(number),
                          .name = slice_of(churn->pod_names[number]),
                          .uid = slice_of(uid),
                          .labels = { (size_t)(now.labels ? 2 : 0), labels },
                          .owner_count = now.owner > 0,
                          .owners = &owner,
                          .deleted = WALL_TIME_UNSET },
                .spec = churn->decoded[now.spec],
                .status = { .phase = now.phase, .condition_count = 1, .conditions = &condition },
        };
        if (now.node >= 0)
                pod.spec.node_name = slice_of(churn->node_names[now.node]);
        bool is_same = oracle->exists && (oracle->uid == now.uid || !oracle->uid || !now.uid);
        bool is_finished = now.phase == POD_SUCCEEDED || now.phase == POD_FAILED;
        if (is_same && oracle->is_assumed && now.node < 0 && !is_finished) {
                now.is_assumed = true;
                now.node = oracle->node;
        }
        if (is_same)
                now.uid = oracle->uid;
        cluster_put_pod(churn->cluster, &pod);
        *oracle = now;
}

static void do_remove_pod(struct churn *churn, int number) {
        cluster_remove_pod(churn->cluster, pod_ns(number), slice_of(churn->pod_names[number]));
        churn->pods[number].exists = false;
}

static void do_put_node(struct churn *churn, int number) {
        char zone[8];
        snprintf(zone, sizeof(zone), "z%d", below(churn, 3));
        struct label labels[] = {
                { SLICE_LITERAL("kubernetes.io/hostname"), slice_of(churn->node_names[number]) },
                { SLICE_LITERAL("topology.kubernetes.io/zone"), slice_of(zone) }
        };
        struct taint taint = { SLICE_LITERAL("dedicated"), slice_of(zone), TAINT_NO_SCHEDULE };
        struct resource_amount amounts[] = { { SLICE_LITERAL("cpu"), 1000 + below(churn, 3) },
                                             { SLICE_LITERAL("pods"), 110 } };
        struct slice names[] = { slice_of(zone), SLICE_LITERAL("image") };
        struct node_image image = { (size_t)below(churn, 3), names, 5 };
        struct node node = { .meta = { .name = slice_of(churn->node_names[number]),
                                       .labels = { 2, labels } },
                             .is_unschedulable = below(churn, 2),
                             .taint_count = (size_t)below(churn, 2),
                             .taints = &taint,
                             .image_count = 1,
                             .images = &image,
                             .allocatable = { 2, amounts } };
        cluster_put_node(churn->cluster, &node);
        churn->has_node[number] = true;
}

static void do_remove_node(struct churn *churn, int number) {
        cluster_remove_node(churn->cluster, slice_of(churn->node_names[number]));
        churn->has_node[number] = false;
}

static void do_assume(struct churn *churn, int number) {
        struct oracle_pod *oracle = &churn->pods[number];
        int node = below(churn, NODES);
        bool is_pending = oracle->exists && oracle->node < 0 && oracle->phase != POD_SUCCEEDED &&
                          oracle->phase != POD_FAILED;
        if (oracle->exists && oracle->is_assumed && below(churn, 2)) {
                cluster_forget(churn->cluster, find_pod(churn, number));
                oracle->is_assumed = false;
                oracle->node = -1;
        } else if (is_pending && churn->has_node[node]) {
                cluster_assume(
                        churn->cluster, find_pod(churn, number),
                        cluster_find_node(churn->cluster, slice_of(churn->node_names[node])));
                oracle->is_assumed = true;
                oracle->node = node;
        }
}

static void do_nominate(struct churn *churn, int number) {
        const char *node = below(churn, 2) ? "" : churn->node_names[below(churn, NODES)];
        if (churn->pods[number].exists && churn->pods[number].node < 0)
                cluster_nominate(churn->cluster, find_pod(churn, number), slice_of(node));
}

static void what_if_step(struct churn *churn) {
        struct pod_id pod = find_pod(churn, below(churn, PODS));
        struct node_id node =
                cluster_find_node(churn->cluster, slice_of(churn->node_names[below(churn, NODES)]));
        if (pod_id_is_none(pod))
                return;
        const struct pod_row *row = cluster_pod(churn->cluster, pod);
        switch (below(churn, 4)) {
        case 0:
                if (node_id_is_none(row->node) && !pod_row_is_finished(row) &&
                    !node_id_is_none(node))
                        cluster_assume(churn->cluster, pod, node);
                return;
        case 1:
                cluster_forget(churn->cluster, pod);
                return;
        case 2:
                cluster_withdraw(churn->cluster, pod);
                return;
        default:
                cluster_nominate(churn->cluster, pod,
                                 slice_of(below(churn, 3) ? churn->node_names[0] : ""));
        }
}

static void do_what_if(struct churn *churn, int depth) {
        uint64_t digest = cluster_digest(churn->cluster);
        uint64_t generation = cluster_generation(churn->cluster);
        cluster_checkpoint(churn->cluster);
        for (int steps = below(churn, 12); steps > 0; steps--)
                what_if_step(churn);
        if (depth < 3 && below(churn, 2))
                do_what_if(churn, depth + 1);
        for (int steps = below(churn, 4); steps > 0; steps--)
                what_if_step(churn);
        cluster_rollback(churn->cluster);
        if (cluster_digest(churn->cluster) != digest)
                fail_msg("seed %llu: a what-if left traces", (unsigned long long)churn->seed);
        assert_true(cluster_generation(churn->cluster) == generation);
}

static void operate(struct churn *churn) {
        int kind = below(churn, 100);
        if (kind < 55)
                do_put_pod(churn, below(churn, PODS));
        else if (kind < 70)
                do_remove_pod(churn, below(churn, PODS));
        else if (kind < 78)
                do_put_node(churn, below(churn, NODES));
        else if (kind < 82)
                do_remove_node(churn, below(churn, NODES));
        else if (kind < 94)
                do_assume(churn, below(churn, PODS));
        else if (kind < 99)
                do_nominate(churn, below(churn, PODS));
        else
                do_what_if(churn, 0);
}

/* ---- comparing ---- */

static void compare_node(const struct churn *churn, int number) {
        int64_t cpu_milli = 0, gpus = 0, pods = 0;
        struct node_id node =
                cluster_find_node(churn->cluster, slice_of(churn->node_names[number]));
        struct resource_id gpu;
        assert_int_equal(!node_id_is_none(node), churn->has_node[number]);
        if (node_id_is_none(node))
                return;
        for (int i = 0; i < PODS; i++) {
                const struct oracle_pod *pod = &churn->pods[i];
                if (!pod->exists || pod->node != number || pod->phase == POD_SUCCEEDED ||
                    pod->phase == POD_FAILED)
                        continue;
                cpu_milli += churn->cpu_milli[pod->spec];
                gpus += churn->gpus[pod->spec];
                pods++;
        }
        if (requested(churn->cluster, node, RESOURCE_CPU) != cpu_milli ||
            requested(churn->cluster, node, RESOURCE_PODS) != pods)
                fail_msg("seed %llu: node %s has %lld m in %lld pods, should have %lld in %lld",
                         (unsigned long long)churn->seed, churn->node_names[number],
                         (long long)requested(churn->cluster, node, RESOURCE_CPU),
                         (long long)requested(churn->cluster, node, RESOURCE_PODS),
                         (long long)cpu_milli, (long long)pods);
        if (cluster_resource(churn->cluster, SLICE_LITERAL("example.com/gpu"), &gpu))
                assert_int_equal(requested(churn->cluster, node, gpu.index), gpus);
}

static void compare(const struct churn *churn) {
        struct err err = { 0 };
        size_t pods = 0;
        uint32_t owned[3] = { 0 };
        if (cluster_check(churn->cluster, &err) < 0)
                fail_msg("seed %llu: %s", (unsigned long long)churn->seed, err.text);
        for (int i = 0; i < NODES; i++)
                compare_node(churn, i);
        for (int i = 0; i < PODS; i++) {
                pods += churn->pods[i].exists;
                owned[churn->pods[i].owner] += churn->pods[i].exists;
                assert_int_equal(!pod_id_is_none(find_pod(churn, i)), churn->pods[i].exists);
        }
        assert_int_equal(cluster_pod_count(churn->cluster), pods);
        for (int i = 1; i < 3 && owned[i]; i++) {
                char uid[24];
                snprintf(uid, sizeof(uid), "owner-%d", i);
                assert_int_equal(cluster_owner_count(churn->cluster, str(churn->cluster, uid)),
                                 owned[i]);
        }
}

static void remove_everything(struct churn *churn) {
        for (int i = 0; i < PODS; i++)
                do_remove_pod(churn, i);
        for (int i = 0; i < NODES; i++)
                do_remove_node(churn, i);
}

static void run(uint64_t seed) {
        struct churn churn;
        struct cluster_usage start, end, peak;
        churn_init(&churn, seed);
        for (int i = 0; i < 2000; i++) /* names of resources stay for good */
                operate(&churn);
        cluster_usage(churn.cluster, &peak);
        remove_everything(&churn);
        compare(&churn);
        cluster_drop_old_pods(churn.cluster);
        cluster_usage(churn.cluster, &start);
        for (int i = 0; i < OPERATIONS; i++) {
                operate(&churn);
                if (i % BATCH == 0)
                        compare(&churn);
        }
        remove_everything(&churn);
        compare(&churn);
        cluster_drop_old_pods(churn.cluster);
        cluster_usage(churn.cluster, &end);
        assert_int_equal(start.strings, end.strings);
        assert_int_equal(end.pods + end.nodes + end.classes + end.label_sets + end.taint_sets, 0);
        assert_int_equal(end.owner_lists + end.images, 0);
        assert_true(end.pod_bytes <= 2 * peak.pod_bytes);
        assert_true(end.node_bytes <= 2 * peak.node_bytes);
        assert_true(end.string_bytes <= 2 * peak.string_bytes);
        assert_true(end.index_bytes <= 2 * peak.index_bytes);
        churn_release(&churn);
}

static void test_seeds(void **state) {
        (void)state;
        for (uint64_t seed = 1; seed <= (long_form() ? SEEDS_LONG : 1); seed++)
                run(seed);
}

int main(void) {
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(test_seeds),
        };
        return cmocka_run_group_tests(tests, NULL, NULL);
}
