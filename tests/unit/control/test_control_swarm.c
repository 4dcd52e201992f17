/* A swarm of random doings against all controllers at once; when it ends and time passes,
 * everything must have come to where it was asked to be. A failure prints its seed; BERTH_SEED
 * replays one. */
#include "base/rng.h"
#include "cluster.h"

#define DEPLOYMENTS "/apis/apps/v1/namespaces/default/deployments"
#define SETS "/apis/apps/v1/namespaces/default/replicasets"
#define STATEFUL "/apis/apps/v1/namespaces/default/statefulsets"
#define JOBS "/apis/batch/v1/namespaces/default/jobs"
#define BUDGETS "/apis/policy/v1/namespaces/default/poddisruptionbudgets"
#define ROUNDS 120
#define NAMES 4
#define SEEDS 3

struct swarm {
        struct cluster cluster;
        struct rng rng;
};

static unsigned below(struct swarm *swarm, unsigned bound) {
        return (unsigned)rng_below(&swarm->rng, bound);
}

static void make_deployment(struct swarm *swarm, unsigned n) {
        static const char *const strategies[] = {
                "{'type':'Recreate'}", "{'type':'RollingUpdate'}",
                "{'rollingUpdate':{'maxSurge':0,'maxUnavailable':1}}"
        };
        char body[1024];

        snprintf(body, sizeof(body),
                 "{'metadata':{'name':'d%u'},'spec':{'replicas':%u,'strategy':%s,'selector':{"
                 "'matchLabels':{'a':'d%u'}},'template':{'metadata':{'labels':{'a':'d%u'}},'spec':"
                 "{'containers':[{'name':'c','image':'v%u'}]}}}}",
                 n, below(swarm, 6), strategies[below(swarm, 3)], n, n, below(swarm, 3));
        cluster_post(&swarm->cluster, DEPLOYMENTS, body);
        snprintf(body, sizeof(body),
                 "{'metadata':{'name':'d%u'},'spec':{'maxUnavailable':1,'selector':{"
                 "'matchLabels':{'a':'d%u'}}}}",
                 n, n);
        cluster_post(&swarm->cluster, BUDGETS, body);
}

static void make_stateful_set(struct swarm *swarm, unsigned n) {
        char body[1024];

        snprintf(body, sizeof(body),
                 "{'metadata':{'name':'s%u'},'spec':{'replicas':%u,'podManagementPolicy':'%s',"
                 "'selector':{'matchLabels':{'a':'s%u'}},'template':{'metadata':{'labels':{'a':"
                 "'s%u'}},'spec':{'containers':[{'name':'c','image':'v%u'}]}}}}",
                 n, below(swarm, 4), below(swarm, 2) ? "Parallel" : "OrderedReady", n, n,
                 below(swarm, 3));
        cluster_post(&swarm->cluster, STATEFUL, body);
}

static void make_job(struct swarm *swarm, unsigned n) {
        static const char *const runs[] = { "1s", "1s..5s", "500ms exit 1; 2s", "1s exit 3",
                                            "2s oom x2; 1s" };
        char body[1024];

        snprintf(body, sizeof(body),
                 "{'metadata':{'name':'j%u'},'spec':{'completions':%u,'parallelism':%u,"
                 "'completionMode':'%s','backoffLimit':%u,'template':{'metadata':{'annotations':"
                 "{'sandbox.berth.dev/run':'%s'}},'spec':{'restartPolicy':'%s','containers':"
                 "[{'name':'c','image':'i'}]}}}}",
                 n, 1 + below(swarm, 4), 1 + below(swarm, 3),
                 below(swarm, 2) ? "Indexed" : "NonIndexed", below(swarm, 3),
                 runs[below(swarm, ARRAY_LEN(runs))], below(swarm, 2) ? "Never" : "OnFailure");
        cluster_post(&swarm->cluster, JOBS, body);
}

static void scale(struct swarm *swarm, const char *path) {
        char patch[128];

        snprintf(patch, sizeof(patch), "{'spec':{'replicas':%u}}", below(swarm, 6));
        cluster_merge(&swarm->cluster, path, patch);
}

static void update(struct swarm *swarm, const char *path) {
        char patch[256];

        snprintf(patch, sizeof(patch),
                 "{'spec':{'template':{'spec':{'containers':[{'name':'c','image':'v%u'}]}}}}",
                 below(swarm, 3));
        cluster_merge(&swarm->cluster, path, patch);
}

static void hurt_pod(struct swarm *swarm) {
        size_t count = cluster_count(&swarm->cluster, PODS);
        char path[256], body[256], name[128];

        if (count == 0)
                return;
        snprintf(name, sizeof(name), "%s",
                 cluster_item(&swarm->cluster, PODS, below(swarm, (unsigned)count),
                              "/metadata/name"));
        snprintf(path, sizeof(path), PODS "/%s", name);
        switch (below(swarm, 4)) {
        case 0:
                cluster_ask(&swarm->cluster, "DELETE", path, NULL);
                break;
        case 1:
                cluster_merge(&swarm->cluster, path,
                              "{'metadata':{'annotations':{'sandbox.berth.dev/fail':'1s'}}}");
                break;
        case 2:
                snprintf(path, sizeof(path), PODS "/%s/eviction", name);
                snprintf(body, sizeof(body), "{'metadata':{'name':'%s'}}", name);
                cluster_post(&swarm->cluster, path, body);
                break;
        default: /* a stateful set could not replace it: the name is taken */
                if (*name == 'd')
                        cluster_merge(&swarm->cluster, path,
                                      "{'metadata':{'labels':{'a':'lost'}}}");
        }
}

static void hurt_node(struct swarm *swarm) {
        static const char *const patches[] = {
                "{'metadata':{'annotations':{'sandbox.berth.dev/heartbeat':'stop'}}}",
                "{'metadata':{'annotations':{'sandbox.berth.dev/heartbeat':null}}}",
                "{'metadata':{'annotations':{'sandbox.berth.dev/reboot':'1'}}}",
                "{'metadata':{'annotations':{'sandbox.berth.dev/reboot':'2'}}}",
                "{'spec':{'unschedulable':true}}",
                "{'spec':{'unschedulable':null}}",
                "{'spec':{'taints':[{'key':'k','effect':'NoExecute'}]}}",
                "{'spec':{'taints':null}}",
        };

        cluster_merge(&swarm->cluster, NODES "/n0", patches[below(swarm, ARRAY_LEN(patches))]);
}

/* The control plane stops and starts anew: all it knows is in the store. */
static void restart(struct swarm *swarm) {
        struct control_config config = { .loop = virtual_loop_get(swarm->cluster.loop),
                                         .server = swarm->cluster.server,
                                         .controllers = "*",
                                         .seed = 1 };
        struct err err = { 0 };

        control_free(swarm->cluster.control);
        if (below(swarm, 2))
                cluster_ask(&swarm->cluster, "DELETE", DEPLOYMENTS "/d0", NULL);
        if (control_new(&config, &swarm->cluster.control, &err) < 0)
                fail_msg("%s", err.text);
}

static void do_something(struct swarm *swarm) {
        static const char *const collections[] = { DEPLOYMENTS, STATEFUL, JOBS };
        static const char kinds[] = "dsj";
        unsigned kind = below(swarm, 3), n = below(swarm, NAMES);
        char path[256];

        snprintf(path, sizeof(path), "%s/%c%u", collections[kind], kinds[kind], n);
        if (below(swarm, 30) == 0)
                restart(swarm);
        switch (below(swarm, 10)) {
        case 0:
        case 1:
        case 2:
                (kind == 0 ? make_deployment : kind == 1 ? make_stateful_set : make_job)(swarm, n);
                break;
        case 3:
                if (kind < 2)
                        scale(swarm, path);
                break;
        case 4:
                if (kind < 2)
                        update(swarm, path);
                break;
        case 5:
                cluster_ask(&swarm->cluster, "DELETE", path,
                            below(swarm, 2) ? "{'propagationPolicy':'Foreground'}"
                                            : "{'propagationPolicy':'Background'}");
                break;
        case 6:
                hurt_node(swarm);
                break;
        default:
                hurt_pod(swarm);
        }
}

/* ---- afterwards ---- */

static void rest(struct swarm *swarm, int seconds) {
        for (int i = 0; i < seconds; i++) {
                cluster_schedule(&swarm->cluster);
                cluster_wait(&swarm->cluster, 1000);
        }
}

static void check_workloads(struct swarm *swarm, const char *collection) {
        struct cluster *c = &swarm->cluster;

        for (size_t i = 0; i < cluster_count(c, collection); i++) {
                int64_t wanted = cluster_number(cluster_item(c, collection, i, "/spec/replicas"));
                int64_t ready =
                        cluster_number(cluster_item(c, collection, i, "/status/readyReplicas"));
                int64_t updated =
                        cluster_number(cluster_item(c, collection, i, "/status/updatedReplicas"));

                if (wanted != ready || wanted != updated)
                        fail_msg("%s: wants %d, ready %d, updated %d",
                                 cluster_item(c, collection, i, "/metadata/name"), (int)wanted,
                                 (int)ready, (int)updated);
                assert_string_equal(cluster_item(c, collection, i, "/metadata/deletionTimestamp"),
                                    "");
        }
}

static void check_jobs(struct swarm *swarm) {
        struct cluster *c = &swarm->cluster;

        for (size_t i = 0; i < cluster_count(c, JOBS); i++) {
                bool is_complete =
                        !strcmp(cluster_item(c, JOBS, i, "/status/conditions/type=Complete/status"),
                                "True");
                bool has_failed = !strcmp(
                        cluster_item(c, JOBS, i, "/status/conditions/type=Failed/status"), "True");

                assert_true(is_complete != has_failed);
                if (is_complete)
                        assert_int_equal(
                                cluster_number(cluster_item(c, JOBS, i, "/status/succeeded")),
                                cluster_number(cluster_item(c, JOBS, i, "/spec/completions")));
        }
}

/* No pod without a living owner but those that were taken away from theirs, none that holds on. */
static void check_pods(struct swarm *swarm) {
        struct cluster *c = &swarm->cluster;

        for (size_t i = 0; i < cluster_count(c, PODS); i++) {
                bool is_lost = !strcmp(cluster_item(c, PODS, i, "/metadata/labels/a"), "lost");

                assert_string_equal(cluster_item(c, PODS, i, "/metadata/deletionTimestamp"), "");
                assert_string_equal(cluster_item(c, PODS, i, "/metadata/finalizers"), "");
                if (!is_lost)
                        assert_string_not_equal(
                                cluster_item(c, PODS, i, "/metadata/ownerReferences/0/uid"), "");
        }
}

static void run_swarm(uint64_t seed) {
        struct swarm swarm = { .cluster = cluster_new("*") };

        print_message("seed %llu\n", (unsigned long long)seed);
        rng_init(&swarm.rng, seed);
        for (int i = 0; i < ROUNDS; i++) {
                do_something(&swarm);
                if (below(&swarm, 2))
                        cluster_schedule(&swarm.cluster);
                cluster_wait(&swarm.cluster, below(&swarm, 3000));
        }
        cluster_merge(&swarm.cluster, NODES "/n0",
                      "{'metadata':{'annotations':{'sandbox.berth.dev/heartbeat':null}},"
                      "'spec':{'unschedulable':null,'taints':null}}");
        rest(&swarm, 200);
        check_workloads(&swarm, DEPLOYMENTS);
        check_workloads(&swarm, STATEFUL);
        check_jobs(&swarm);
        check_pods(&swarm);
        if (!control_is_settled(swarm.cluster.control)) {
                struct control_stats stats;

                control_stats(swarm.cluster.control, &stats);
                fail_msg("%zu keys are queued, %zu transitions to come", stats.queued,
                         stats.transitions);
        }
        cluster_free(&swarm.cluster);
}

static void test_swarm(void **state) {
        const char *seed = getenv("BERTH_SEED");
        uint64_t number = 0;

        (void)state;
        if (seed && slice_to_u64(slice_of(seed), &number)) {
                run_swarm(number);
                return;
        }
        for (number = 1; number <= SEEDS; number++)
                run_swarm(number);
}

int main(void) {
        const struct CMUnitTest tests[] = { cmocka_unit_test(test_swarm) };

        return cmocka_run_group_tests(tests, NULL, NULL);
}
