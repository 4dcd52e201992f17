/* Nodes, owners with a template each, and their pods. */
#include "random_cluster.h"
#include "base/util.h"
#include <stdio.h>
#include <stdlib.h>

#define NODES 14
#define OWNERS 24
#define PODS 130
#define NAMESPACES 4

static bool chance(struct rng *rng, unsigned percent) {
        return rng_below(rng, 100) < percent;
}

static const char *pick(struct rng *rng, const char *const *texts, size_t count) {
        return texts[rng_below(rng, count)];
}
#define PICK(rng, ...)                                                                             \
        pick(rng, (const char *const[]){ __VA_ARGS__ },                                            \
             sizeof((const char *const[]){ __VA_ARGS__ }) / sizeof(char *))

static void apply(struct cluster *cluster, enum object_kind kind, struct buf *text) {
        struct json_doc *doc = NULL;
        struct err err = { 0 };
        if (json_parse(buf_view(text), &doc, &err) < 0 ||
            cluster_apply(cluster, kind, CHANGE_ADDED, json_doc_root(doc), &err) < 0) {
                fprintf(stderr, "%s: %s\n", err.text, text->data);
                abort();
        }
        json_doc_free(doc);
        buf_release(text);
}

static void add_node(struct cluster *cluster, struct rng *rng, unsigned i) {
        struct buf text = { 0 };
        buf_printf(&text, "{\"metadata\":{\"name\":\"node-%02u\",\"labels\":{\"disk\":\"%s\"", i,
                   PICK(rng, "ssd", "hdd", "nvme"));
        if (!chance(rng, 5))
                buf_printf(&text, ",\"kubernetes.io/hostname\":\"node-%02u\"", i);
        if (!chance(rng, 8))
                buf_printf(&text, ",\"zone\":\"z%u\"", i % 3);
        buf_text(&text, "}},\"spec\":{");
        if (chance(rng, 25))
                buf_printf(&text,
                           "\"taints\":[{\"key\":\"%s\",\"value\":\"v\",\"effect\":\"%s\"}],",
                           PICK(rng, "a", "b"),
                           PICK(rng, "NoSchedule", "NoExecute", "PreferNoSchedule"));
        buf_printf(
                &text,
                "\"unschedulable\":%s},\"status\":{\"conditions\":[{\"type\":\"Ready\","
                "\"status\":\"%s\"}],\"allocatable\":{\"cpu\":\"%u\",\"memory\":\"8Gi\",\"pods\":"
                "\"%u\"}}}",
                chance(rng, 8) ? "true" : "false", chance(rng, 8) ? "False" : "True",
                2 + (unsigned)rng_below(rng, 4), 9 + (unsigned)rng_below(rng, 9));
        apply(cluster, OBJECT_NODE, &text);
}

/* ---- templates ---- */

struct owner {
        unsigned ns, index;
        const char *kind, *role;
        char specs[2][1600]; /* before and after an upgrade, as members of an object */
};

static void add_affinity(struct buf *text, struct rng *rng) {
        buf_text(text, "\"nodeAffinity\":{");
        if (chance(rng, 50))
                buf_printf(text,
                           "\"requiredDuringSchedulingIgnoredDuringExecution\":{"
                           "\"nodeSelectorTerms\":[{\"matchExpressions\":[{\"key\":\"disk\","
                           "\"operator\":\"%s\",\"values\":[\"%s\"]}]}]}",
                           PICK(rng, "In", "NotIn"), PICK(rng, "ssd", "hdd"));
        else
                buf_printf(
                        text,
                        "\"preferredDuringSchedulingIgnoredDuringExecution\":[{\"weight\":%u,"
                        "\"preference\":{\"matchExpressions\":[{\"key\":\"disk\",\"operator\":"
                        "\"In\",\"values\":[\"%s\"]}]}},{\"weight\":5,\"preference\":{"
                        "\"matchExpressions\":[{\"key\":\"zone\",\"operator\":\"In\",\"values\":["
                        "\"z1\"]}]}}]",
                        1 + (unsigned)rng_below(rng, 9), PICK(rng, "ssd", "hdd"));
        buf_text(text, "},");
}

static void add_anti_affinity(struct buf *text, struct rng *rng) {
        buf_printf(text,
                   "\"podAntiAffinity\":{"
                   "\"requiredDuringSchedulingIgnoredDuringExecution\":[{\"labelSelector\":{"
                   "\"matchLabels\":{\"role\":\"%s\"}},%s\"topologyKey\":\"%s\"}]},",
                   PICK(rng, "r0", "r1", "r2", "r3"),
                   PICK(rng, "", "", "\"namespaces\":[\"ns-0\",\"ns-1\"],"),
                   PICK(rng, "kubernetes.io/hostname", "kubernetes.io/hostname", "zone", "none"));
}

static void add_spread(struct buf *text, struct rng *rng) {
        buf_printf(text,
                   "\"topologySpreadConstraints\":[{\"maxSkew\":%u,\"whenUnsatisfiable\":\"%s\","
                   "\"topologyKey\":\"%s\",%s%s\"labelSelector\":{\"matchLabels\":{\"role\":"
                   "\"%s\"}}}],",
                   1 + (unsigned)rng_below(rng, 2), PICK(rng, "DoNotSchedule", "ScheduleAnyway"),
                   PICK(rng, "zone", "kubernetes.io/hostname"),
                   PICK(rng, "", "\"nodeTaintsPolicy\":\"Honor\","),
                   PICK(rng, "", "\"matchLabelKeys\":[\"rev\"],"),
                   PICK(rng, "r0", "r1", "r2", "r3"));
}

static void make_spec(struct buf *text, struct rng *rng) {
        bool has_node = chance(rng, 35), has_pod = chance(rng, 25);
        buf_text(text, "\"affinity\":{");
        if (has_node)
                add_affinity(text, rng);
        if (has_pod)
                add_anti_affinity(text, rng);
        buf_text(text, "\"podAffinity\":{}},");
        if (chance(rng, 15))
                add_spread(text, rng);
        if (chance(rng, 30))
                buf_printf(text, "\"tolerations\":[{\"key\":\"%s\",\"operator\":\"Exists\"}],",
                           PICK(rng, "a", "b"));
        if (chance(rng, 10))
                buf_text(text, "\"volumes\":[{\"name\":\"v\",\"emptyDir\":{}}],");
        if (chance(rng, 20))
                buf_printf(text, "\"priority\":%s,", PICK(rng, "0", "100", "2000000000"));
        buf_printf(text,
                   "\"containers\":[{\"name\":\"c\",\"image\":\"%s\",\"resources\":{\"requests\":{"
                   "\"cpu\":\"%u00m\"}}}%s]",
                   PICK(rng, "x", "y"), 1 + (unsigned)rng_below(rng, 6),
                   PICK(rng, "", "", ",{\"name\":\"d\",\"image\":\"x\"}"));
}

static void make_owner(struct owner *owner, struct rng *rng, unsigned index) {
        *owner = (struct owner){
                .ns = (unsigned)rng_below(rng, NAMESPACES),
                .index = index,
                .kind = PICK(rng, "ReplicaSet", "ReplicaSet", "StatefulSet", "Job", "DaemonSet"),
                .role = PICK(rng, "r0", "r1", "r2", "r3"),
        };
        for (size_t i = 0; i < ARRAY_LEN(owner->specs); i++) {
                struct buf text = { 0 };
                make_spec(&text, rng);
                snprintf(owner->specs[i], sizeof(owner->specs[i]), "%s", text.data);
                buf_release(&text);
        }
}

/* ---- pods ---- */

/* The n-th pod of its namespace: pods of several namespaces share names. */
static void add_meta(struct buf *text, struct rng *rng, const struct owner *owner, unsigned n) {
        buf_printf(text,
                   "{\"metadata\":{\"namespace\":\"ns-%u\",\"name\":\"p-%u\",\"uid\":\"u-%u-%u\","
                   "\"creationTimestamp\":\"2026-01-%02uT00:00:00Z\",\"labels\":{\"app\":"
                   "\"app-%u\",\"role\":\"%s\",\"rev\":\"%u\"}",
                   owner->ns, n, owner->ns, n, 1 + (unsigned)rng_below(rng, 9), owner->index,
                   owner->role, (unsigned)rng_below(rng, 2));
        if (!chance(rng, 5))
                buf_printf(text,
                           ",\"ownerReferences\":[{\"kind\":\"%s\",\"name\":\"o-%u\",\"uid\":"
                           "\"o-%u\"}%s]",
                           owner->kind, owner->index, owner->index,
                           chance(rng, 10) ? ",{\"kind\":\"Other\",\"name\":\"p\",\"uid\":\"p\"}"
                                           : "");
        if (chance(rng, 10))
                buf_printf(text, ",\"annotations\":{\"%s\":\"true\"}",
                           PICK(rng, "descheduler.alpha.kubernetes.io/evict",
                                "descheduler.alpha.kubernetes.io/prefer-no-eviction",
                                "kubernetes.io/config.mirror"));
        if (chance(rng, 4))
                buf_text(text, ",\"deletionTimestamp\":\"2026-01-14T00:00:00Z\"");
        buf_text(text, "}");
}

static void add_pod(struct cluster *cluster, struct rng *rng, const struct owner *owner,
                    unsigned n) {
        struct buf text = { 0 };
        add_meta(&text, rng, owner, n);
        bool is_pending = chance(rng, 5), is_failed = chance(rng, 8);
        buf_text(&text, ",\"spec\":{");
        if (!is_pending)
                buf_printf(&text, "\"nodeName\":\"node-%02u\",", (unsigned)rng_below(rng, NODES));
        buf_printf(&text,
                   "%s},\"status\":{\"phase\":\"%s\",\"startTime\":\"2026-01-%02uT00:00:00Z\","
                   "\"containerStatuses\":[{\"name\":\"c\",\"restartCount\":%u,\"state\":{%s}}]}}",
                   owner->specs[chance(rng, 20)],
                   is_pending       ? "Pending"
                   : is_failed      ? "Failed"
                   : chance(rng, 5) ? "Succeeded"
                                    : "Running",
                   1 + (unsigned)rng_below(rng, 14), (unsigned)rng_below(rng, 12),
                   is_failed ? "\"terminated\":{\"exitCode\":137,\"reason\":\"OOMKilled\"}" : "");
        apply(cluster, OBJECT_POD, &text);
}

static void add_budget(struct cluster *cluster, unsigned i) {
        struct buf text = { 0 };
        buf_printf(&text,
                   "{\"metadata\":{\"namespace\":\"ns-%u\",\"name\":\"b\"},\"spec\":{\"selector\":{"
                   "\"matchLabels\":{\"role\":\"r%u\"}}},\"status\":{\"disruptionsAllowed\":1}}",
                   i, i);
        apply(cluster, OBJECT_BUDGET, &text);
}

void random_cluster_fill(struct cluster *cluster, struct rng *rng) {
        struct owner owners[OWNERS];
        unsigned counts[NAMESPACES] = { 0 };
        for (unsigned i = 0; i < NODES; i++)
                add_node(cluster, rng, i);
        for (unsigned i = 0; i < OWNERS; i++)
                make_owner(&owners[i], rng, i);
        for (unsigned i = 0; i < PODS; i++) {
                const struct owner *owner = &owners[rng_below(rng, OWNERS)];
                add_pod(cluster, rng, owner, counts[owner->ns]++);
        }
        for (unsigned i = 0; i < 2; i++)
                add_budget(cluster, i);
}

/* ---- a policy ---- */

void random_policy(struct buf *text, const char *head, const char *evictor) {
        static const char *const plugins[] = {
                "RemovePodsViolatingNodeTaints",
                "RemovePodsViolatingNodeAffinity",
                "RemovePodsViolatingInterPodAntiAffinity",
                "PodLifeTime",
                "RemoveFailedPods",
                "RemovePodsHavingTooManyRestarts",
        };
        buf_printf(text,
                   "apiVersion: descheduler/v1alpha2\nkind: DeschedulerPolicy\n%sprofiles:\n"
                   "- name: p\n  pluginConfig:\n"
                   "  - {name: DefaultEvictor, args: {%s}}\n"
                   "  - {name: RemovePodsViolatingNodeTaints, args: {}}\n"
                   "  - {name: RemovePodsViolatingNodeAffinity, args: {nodeAffinityType: "
                   "[requiredDuringSchedulingIgnoredDuringExecution, "
                   "preferredDuringSchedulingIgnoredDuringExecution]}}\n"
                   "  - {name: RemovePodsViolatingInterPodAntiAffinity, args: {}}\n"
                   "  - {name: PodLifeTime, args: {maxPodLifeTimeSeconds: 1036800}}\n"
                   "  - {name: RemoveFailedPods, args: {exitCodes: [137]}}\n"
                   "  - {name: RemovePodsHavingTooManyRestarts, args: {podRestartThreshold: 11}}\n"
                   "  - {name: RemoveDuplicates, args: {}}\n"
                   "  - {name: RemovePodsViolatingTopologySpreadConstraint, args: {}}\n"
                   "  - {name: LowNodeUtilization, args: {thresholds: {pods: 40}, "
                   "targetThresholds: {pods: 70}}}\n"
                   "  plugins:\n    deschedule: {enabled: [",
                   head, evictor);
        for (size_t i = 0; i < ARRAY_LEN(plugins); i++)
                buf_printf(text, "%s%s", i > 0 ? ", " : "", plugins[i]);
        buf_text(text, "]}\n    balance: {enabled: [RemoveDuplicates, "
                       "RemovePodsViolatingTopologySpreadConstraint, LowNodeUtilization]}\n");
}
