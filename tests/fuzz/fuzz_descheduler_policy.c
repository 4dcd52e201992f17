/* A DeschedulerPolicy of any text, read both ways, its plugins built and run once over a small
 * cluster. What is wrong must be told, and whatever runs must evict known pods only, within the
 * limits, each once. */
#include "base/util.h"
#include "config/descheduler_policy.h"
#include "desched/descheduler.h"
#include "evict/evict_service.h"
#include "plugins/desched/registry.h"
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void apply(struct cluster *cluster, enum object_kind kind, const char *text) {
        struct json_doc *doc = NULL;
        int code = json_parse(slice_of(text), &doc, NULL);
        assert(code == 0);
        code = cluster_apply(cluster, kind, CHANGE_ADDED, json_doc_root(doc), NULL);
        assert(code == 0);
        json_doc_free(doc);
}

static void add_pod(struct cluster *cluster, int i) {
        char text[2048];
        snprintf(text, sizeof(text),
                 "{\"metadata\":{\"namespace\":\"ns%d\",\"name\":\"p%d\",\"uid\":\"u%d\","
                 "\"creationTimestamp\":\"2026-01-0%dT00:00:00Z\",\"labels\":{\"app\":\"a%d\"},"
                 "\"ownerReferences\":[{\"kind\":\"ReplicaSet\",\"name\":\"r\",\"uid\":\"r\"}]},"
                 "\"spec\":{\"nodeName\":\"n%d\",\"containers\":[{\"name\":\"c\",\"image\":\"i\","
                 "\"resources\":{\"requests\":{\"cpu\":\"500m\"}}}],\"affinity\":{"
                 "\"nodeAffinity\":{\"preferredDuringSchedulingIgnoredDuringExecution\":[{"
                 "\"weight\":1,\"preference\":{\"matchExpressions\":[{\"key\":\"zone\","
                 "\"operator\":\"In\",\"values\":[\"z1\"]}]}}]},\"podAntiAffinity\":{"
                 "\"requiredDuringSchedulingIgnoredDuringExecution\":[{\"labelSelector\":{"
                 "\"matchLabels\":{\"app\":\"a1\"}},\"topologyKey\":\"zone\"}]}},"
                 "\"topologySpreadConstraints\":[{\"maxSkew\":1,\"topologyKey\":\"zone\","
                 "\"whenUnsatisfiable\":\"DoNotSchedule\",\"labelSelector\":{}}]},\"status\":{"
                 "\"phase\":\"%s\",\"containerStatuses\":[{\"name\":\"c\",\"restartCount\":%d,"
                 "\"state\":{\"terminated\":{\"exitCode\":%d,\"reason\":\"Error\"}}}]}}",
                 i % 2, i, i, 1 + i % 9, i % 3, i < 8 ? 0 : i % 3, i % 4 ? "Running" : "Failed", i,
                 i);
        apply(cluster, OBJECT_POD, text);
}

static struct cluster *make_cluster(void) {
        struct cluster *cluster = cluster_new(
                &(struct cluster_config){ .keeps_finished = true, .keeps_detail = true });
        for (int i = 0; i < 3; i++) {
                char text[512];
                snprintf(text, sizeof(text),
                         "{\"metadata\":{\"name\":\"n%d\",\"labels\":{\"zone\":\"z%d\"}},\"spec\":{"
                         "%s},\"status\":{\"allocatable\":{\"cpu\":\"8\",\"memory\":\"1Gi\","
                         "\"pods\":\"20\"}}}",
                         i, i % 2,
                         i ? "" : "\"taints\":[{\"key\":\"t\",\"effect\":\"NoSchedule\"}]");
                apply(cluster, OBJECT_NODE, text);
        }
        for (int i = 0; i < 14; i++)
                add_pod(cluster, i);
        return cluster;
}

static void check_evictions(struct evict_service *service, const struct descheduler_policy *policy,
                            const struct desched_report *report, bool is_parity) {
        struct action_list out;
        action_list_init(&out);
        evict_service_step(service, (struct mono_time){ 0 }, &out);
        assert(is_parity || report->evicted <= 14);
        assert(!policy->has_max_total || (int64_t)report->evicted <= policy->max_total);
        for (size_t i = 0; i < out.count; i++) {
                if (out.items[i].kind != ACTION_EVICT)
                        continue;
                assert(out.items[i].target.name.len > 0);
                assert((out.items[i].target.uid.len == 0) == is_parity);
        }
        action_list_release(&out);
}

static void run(const struct cluster *cluster, struct slice text, bool is_parity) {
        struct config_problems *problems = config_problems_new();
        struct evict_service *service =
                evict_service_new(&(struct evict_config){ .cluster = cluster });
        struct descheduler *descheduler = NULL;
        struct descheduler_policy *policy =
                descheduler_policy_read(text, "policy.yaml", is_parity, problems);
        assert(policy || problems->count > 0);
        if (policy) {
                const struct descheduler_config config = {
                        .cluster = cluster,
                        .policy = policy,
                        .registry = desched_registry,
                        .sink = evict_requester_sink(evict_service_join(
                                service,
                                &(struct evict_requester_config){ .is_parity = is_parity })),
                        .is_parity = is_parity
                };
                int code = descheduler_new(&config, problems, &descheduler, NULL);
                assert((code < 0) == (problems->count > 0));
        }
        if (descheduler)
                check_evictions(service, policy,
                                descheduler_pass(descheduler,
                                                 (struct wall_time){ 1768000000LL * NS_PER_S }),
                                is_parity);
        descheduler_free(descheduler);
        descheduler_policy_free(policy);
        evict_service_free(service);
        config_problems_free(problems);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
        static struct cluster *cluster;
        if (!cluster)
                cluster = make_cluster();
        run(cluster, slice_make((const char *)data, size), false);
        run(cluster, slice_make((const char *)data, size), true);
        return 0;
}
