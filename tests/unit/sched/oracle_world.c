/* Generated clusters, and the caches beside a naive scan. */
#include "oracle_world.h"
#include "sched_test.h"
#include <unistd.h>

#define POD_NAMES 160
#define NOW_NS (1800000000 * NS_PER_S)
#define SERVICES 2
#define CHECK_EVERY 50  /* steps between checks of the model itself */
#define FOCUS_STEPS 100 /* steps that most pods are of a few shapes */
#define FOCUS_SHAPES ORACLE_FOCUS
#define ALIKE 3

static unsigned pick(struct oracle_world *world, unsigned bound) {
        return (unsigned)rng_below(&world->rng, bound);
}

static struct json_doc *parse(const char *text) {
        struct err err = { 0 };
        struct json_doc *doc;
        if (json_parse(slice_of(text), &doc, &err) < 0)
                fail_msg("%s: %s", err.text, text);
        return doc;
}

static void feed(struct oracle_world *world, enum object_kind kind, enum change_kind change,
                 const char *text) {
        struct err err = { 0 };
        struct json_doc *doc = parse(text);
        if (cluster_apply(world->cluster, kind, change, json_doc_root(doc), &err) < 0)
                fail_msg("%s: %s", err.path, err.text);
        json_doc_free(doc);
}

/* ---- nodes and namespaces ---- */

static void change_node(struct oracle_world *world) {
        static const char *const effects[] = { "NoSchedule", "PreferNoSchedule" };
        static const char *const racks[] = { "r0", "r1", "r2", "r3", "r4", "r5", "" };
        char text[2048], zone[64] = "", rack[64] = "", taint[128] = "", images[256] = "";
        unsigned name = pick(world, world->node_names);
        if (pick(world, 20) == 0) {
                snprintf(text, sizeof(text), "n%u", name);
                cluster_remove_node(world->cluster, slice_of(text));
                return;
        }
        if (pick(world, 12) != 0)
                snprintf(zone, sizeof(zone), "\"topology.kubernetes.io/zone\":\"z%u\",", name % 3);
        if (pick(world, 8) != 0)
                snprintf(rack, sizeof(rack), "\"rack\":\"%s\",", racks[name % ARRAY_LEN(racks)]);
        if (pick(world, 5) == 0)
                snprintf(taint, sizeof(taint), "{\"key\":\"k%u\",\"effect\":\"%s\"}",
                         pick(world, 2), effects[pick(world, 2)]);
        if (pick(world, 2) == 0)
                snprintf(images, sizeof(images),
                         "\"images\":[{\"names\":[\"i:latest\"],\"sizeBytes\":%u}],",
                         (1 + pick(world, 4)) << 28);
        snprintf(text, sizeof(text),
                 "{\"metadata\":{\"name\":\"n%u\",\"labels\":{%s%s\"kubernetes.io/hostname\":"
                 "\"n%u\",\"rank\":\"%u\"}},\"spec\":{\"unschedulable\":%s,\"taints\":[%s]},"
                 "\"status\":{%s\"declaredFeatures\":[%s],\"allocatable\":{\"cpu\":\"%um\","
                 "\"memory\":\"%uMi\",\"pods\":\"%u\"}}}",
                 name, zone, rack, name, name % 9, pick(world, 12) ? "false" : "true", taint,
                 images, pick(world, 2) ? "\"UserNamespacesHostNetwork\"" : "",
                 2000 * (1 + name % 3), 2048 * (1 + name % 4), 4 + name % 9);
        feed(world, OBJECT_NODE, CHANGE_UPDATED, text);
}

static void change_namespace(struct oracle_world *world) {
        char text[256];
        snprintf(text, sizeof(text),
                 "{\"metadata\":{\"name\":\"ns%u\",\"labels\":{\"team\":\"t%u\"}}}", pick(world, 2),
                 pick(world, 2));
        feed(world, OBJECT_NAMESPACE, CHANGE_UPDATED, text);
}

static void change_service(struct oracle_world *world) {
        char text[256];
        unsigned name = pick(world, SERVICES);
        snprintf(text, sizeof(text),
                 "{\"metadata\":{\"name\":\"s%u\",\"namespace\":\"ns0\"},\"spec\":{\"selector\":{"
                 "\"app\":\"a%u\"}}}",
                 name, pick(world, 3));
        struct json_doc *doc = parse(text);
        object_cache_put(world->object_cache, CACHED_SERVICE, json_doc_root(doc));
        json_doc_free(doc);
}

/* ---- volumes ---- */

static void put_in_cache(struct oracle_world *world, enum cached_kind kind, const char *text) {
        struct json_doc *doc = parse(text);
        object_cache_put(world->object_cache, kind, json_doc_root(doc));
        json_doc_free(doc);
}

/* Bound volumes that go anywhere, to one zone by affinity, to some by label; and free ones. */
static void put_volume(struct oracle_world *world, unsigned name) {
        static const char *const reaches[] = {
                "},\"spec\":{",
                "},\"spec\":{\"nodeAffinity\":{\"required\":{\"nodeSelectorTerms\":[{"
                "\"matchExpressions\":[{\"key\":\"topology.kubernetes.io/zone\",\"operator\":"
                "\"In\",\"values\":[\"z1\"]}]}]}},",
                "\"labels\":{\"topology.kubernetes.io/zone\":\"z0__z2\"}},\"spec\":{",
                "\"labels\":{\"failure-domain.beta.kubernetes.io/zone\":\"z1\"}},\"spec\":{",
        };
        char text[1024];
        const char *reach = reaches[pick(world, ARRAY_LEN(reaches))];
        snprintf(text, sizeof(text),
                 "{\"metadata\":{\"name\":\"v%u\"%s%s\"capacity\":{\"storage\":\"%uGi\"},"
                 "\"storageClassName\":\"static\",\"accessModes\":[\"ReadWriteOnce\"],"
                 "\"csi\":{\"driver\":\"d%u\",\"volumeHandle\":\"h%u\"}},\"status\":{"
                 "\"phase\":\"%s\"}}",
                 name, reach[0] == '}' ? "" : ",", reach, 1 + pick(world, 3), name % 2, name / 2,
                 name >= 8 && pick(world, 4) ? "Available" : "Bound");
        put_in_cache(world, CACHED_VOLUME, text);
}

/* The first claims are bound, the next wait for a free volume, the last for one to be made. */
static void put_claim(struct oracle_world *world, unsigned ns, unsigned name) {
        char text[1024], binding[64] = "\"storageClassName\":\"static\"";
        const char *annotations = "";
        if (name < 4) {
                snprintf(binding, sizeof(binding), "\"volumeName\":\"v%u\"", pick(world, 8));
                annotations = "\"annotations\":{\"pv.kubernetes.io/bind-completed\":\"yes\"},";
        } else if (name > 4) {
                snprintf(binding, sizeof(binding), "\"storageClassName\":\"made\"");
                if (pick(world, 6) == 0)
                        annotations = "\"annotations\":{\"volume.kubernetes.io/selected-node\":"
                                      "\"n3\"},";
        }
        snprintf(text, sizeof(text),
                 "{\"metadata\":{%s\"namespace\":\"ns%u\",\"name\":\"c%u\"},\"spec\":{%s,"
                 "\"accessModes\":[\"%s\"],\"resources\":{\"requests\":{\"storage\":"
                 "\"1Gi\"}}}}",
                 annotations, ns, name, binding, name == 3 ? "ReadWriteOncePod" : "ReadWriteOnce");
        put_in_cache(world, CACHED_VOLUME_CLAIM, text);
}

/* Allocated to a zone, or to any node; some are not allocated. */
static void put_resource_claim(struct oracle_world *world, unsigned ns, unsigned name) {
        char text[1024], allocation[512] = "\"allocation\":{}";
        if (pick(world, 8) == 0)
                allocation[0] = '\0';
        else if (pick(world, 3) != 0)
                snprintf(allocation, sizeof(allocation),
                         "\"allocation\":{\"nodeSelector\":{\"nodeSelectorTerms\":[{"
                         "\"matchExpressions\":[{\"key\":\"topology.kubernetes.io/zone\","
                         "\"operator\":\"In\",\"values\":[\"z%u\"]}]}]}}",
                         pick(world, 3));
        snprintf(text, sizeof(text),
                 "{\"metadata\":{\"namespace\":\"ns%u\",\"name\":\"r%u\"},\"status\":{%s}}", ns,
                 name, allocation);
        put_in_cache(world, CACHED_RESOURCE_CLAIM, text);
}

static void change_volumes(struct oracle_world *world) {
        char text[512];
        unsigned node = pick(world, world->node_names);
        switch (pick(world, 5)) {
        case 0:
                put_volume(world, pick(world, 12));
                return;
        case 1:
                put_claim(world, pick(world, 2), pick(world, 6));
                return;
        case 4:
                put_resource_claim(world, pick(world, 2), pick(world, 2));
                return;
        case 2:
                snprintf(text, sizeof(text),
                         "{\"metadata\":{\"name\":\"n%u\"},\"spec\":{\"drivers\":[{\"name\":"
                         "\"d0\",\"allocatable\":{\"count\":%u}},{\"name\":\"d1\"}]}}",
                         node, pick(world, 3));
                put_in_cache(world, CACHED_CSI_NODE, text);
                return;
        default:
                snprintf(text, sizeof(text),
                         "{\"metadata\":{\"name\":\"a%u\"},\"spec\":{\"attacher\":\"d0\","
                         "\"nodeName\":\"n%u\",\"source\":{\"persistentVolumeName\":\"v%u\"}}}",
                         pick(world, 20), node, pick(world, 8));
                put_in_cache(world, CACHED_ATTACHMENT, text);
        }
}

static void put_storage(struct oracle_world *world) {
        static const char *const classes[] = {
                "{\"metadata\":{\"name\":\"static\"},\"provisioner\":"
                "\"kubernetes.io/no-provisioner\",\"volumeBindingMode\":\"WaitForFirstConsumer\"}",
                "{\"metadata\":{\"name\":\"made\"},\"provisioner\":\"d0\","
                "\"volumeBindingMode\":\"WaitForFirstConsumer\"}",
        };
        for (size_t i = 0; i < ARRAY_LEN(classes); i++)
                put_in_cache(world, CACHED_STORAGE_CLASS, classes[i]);
        for (unsigned i = 0; i < 12; i++)
                put_volume(world, i);
        for (unsigned i = 0; i < 12; i++)
                put_claim(world, i % 2, i / 2);
        for (unsigned i = 0; i < 4; i++)
                put_resource_claim(world, i % 2, i / 2);
        for (unsigned i = 0; i < world->node_names; i++)
                change_volumes(world);
}

/* ---- pods ---- */

#define ZONE "topology.kubernetes.io/zone"
#define HOST "kubernetes.io/hostname"
#define SELECTS(app) "\"labelSelector\":{\"matchLabels\":{\"app\":\"" app "\"}}"
#define TERM(key, app) "{\"topologyKey\":\"" key "\"," SELECTS(app) "}"
#define TEAM_TERM(key, app)                                                                        \
        "{\"topologyKey\":\"" key                                                                  \
        "\"," SELECTS(app) ",\"namespaceSelector\":{\"matchLabels\":{\"team\":\"t0\"}}}"
#define REQUIRED "\"requiredDuringSchedulingIgnoredDuringExecution\":"
#define PREFERRED "\"preferredDuringSchedulingIgnoredDuringExecution\":"
#define WEIGHED(weight, term) "{\"weight\":" weight ",\"podAffinityTerm\":" term "}"
#define NEAR(terms) "\"affinity\":{\"podAffinity\":{" terms "}},"
#define AWAY(terms) "\"affinity\":{\"podAntiAffinity\":{" terms "}},"
#define SPREAD(skew, key, when, app)                                                               \
        "{\"maxSkew\":" skew ",\"topologyKey\":\"" key "\",\"whenUnsatisfiable\":\"" when          \
        "\"," SELECTS(app) "}"
#define SPREADS(list) "\"topologySpreadConstraints\":[" list "],"

#define CLAIM(name) "{\"name\":\"v\",\"persistentVolumeClaim\":{\"claimName\":\"" name "\"}}"
#define VOLUMES(list) "\"volumes\":[" list "],"

#define RANKS(operator, values)                                                                    \
        "{\"matchExpressions\":[{\"key\":\"rank\",\"operator\":\""                                 \
        operator"\",\"values\":[" values "]}]}"
#define PORT(members) "{\"containerPort\":80,\"hostPort\":8080" members "}"

/* What pods have beside their requests: members of the spec, and of the container. */
static const struct shape {
        char group; /* for oracle_config.groups */
        const char *spec, *container;
        const char *labels; /* beside app; NULL = none */
} shapes[] = {
        { 'p', "", "" },
        { 'p', "", "" },
        { 'n', "\"nodeSelector\":{\"" ZONE "\":\"z1\"},", "" },
        { 'n',
          "\"affinity\":{\"nodeAffinity\":{" REQUIRED
          "{\"nodeSelectorTerms\":[" RANKS("Gt", "\"4\"") "]}}},",
          "" },
        { 'n',
          "\"affinity\":{\"nodeAffinity\":{" PREFERRED
          "[{\"weight\":10,\"preference\":" RANKS("In", "\"1\",\"5\"") "}]}},",
          "" },
        { 't', "\"tolerations\":[{\"key\":\"k0\",\"operator\":\"Exists\"}],", "" },
        { 'f', "\"hostNetwork\":true,\"hostUsers\":false,", "" },
        { 'h', "", "\"ports\":[" PORT("") "]," },
        { 'h', "", "\"ports\":[" PORT(",\"hostIP\":\"10.0.0.1\"") "]," },
        { 'h', "", "\"ports\":[" PORT(",\"hostIP\":\"10.0.0.2\"") "]," },
        { 'a', AWAY(REQUIRED "[" TERM(HOST, "a0") "]"), "" },
        { 'a', AWAY(REQUIRED "[" TERM("rack", "a1") "," TEAM_TERM(HOST, "a2") "]"), "" },
        { 'a',
          AWAY(PREFERRED
               "[" WEIGHED("7", TERM(HOST, "a0")) "," WEIGHED("30", TERM(ZONE, "a1")) "]"),
          "" },
        { 'a', NEAR(REQUIRED "[" TERM(ZONE, "a0") "]"), "" },
        { 'a', NEAR(REQUIRED "[" TERM("rack", "a2") "," TERM(ZONE, "a2") "]"), "" },
        { 'a',
          NEAR(REQUIRED "[{\"topologyKey\":\"" ZONE
                        "\",\"labelSelector\":{\"matchLabels\":{\"pack\":\"x\"}}}]"),
          "", ",\"pack\":\"x\"" },
        { 'a', NEAR(PREFERRED "[" WEIGHED("5", TERM("rack", "a1")) "]"), "" },
        { 'a', NEAR(PREFERRED "[" WEIGHED("50", TEAM_TERM(HOST, "a2")) "]"), "" },
        { 's', SPREADS(SPREAD("1", ZONE, "DoNotSchedule", "a0")), "" },
        { 's', SPREADS(SPREAD("2", HOST, "DoNotSchedule", "a1")), "" },
        { 's', SPREADS(SPREAD("3", ZONE, "ScheduleAnyway", "a2")), "" },
        { 's',
          SPREADS(SPREAD("1", HOST, "ScheduleAnyway", "a0") "," SPREAD("2", "rack",
                                                                       "ScheduleAnyway", "a0")),
          "" },
        { 's',
          SPREADS(SPREAD("2", "rack", "DoNotSchedule", "a2") "," SPREAD("1", ZONE, "ScheduleAnyway",
                                                                        "a1")),
          "" },
        { 's',
          SPREADS("{\"maxSkew\":1,\"minDomains\":3,\"topologyKey\":\"" ZONE
                  "\",\"whenUnsatisfiable\":\"DoNotSchedule\",\"nodeTaintsPolicy\":\"Honor\","
                  "\"matchLabelKeys\":[\"app\"],\"labelSelector\":{}}"),
          "" },
        { 's', SPREADS(SPREAD("1", "absent", "ScheduleAnyway", "a0")), "" },
        { 's',
          SPREADS(SPREAD("1", ZONE, "DoNotSchedule", "a0") "," SPREAD("1", "rack", "DoNotSchedule",
                                                                      "a1")),
          "" },
        { 's',
          SPREADS(SPREAD("1", ZONE, "DoNotSchedule", "a0") "," SPREAD(
                  "5", HOST, "ScheduleAnyway",
                  "a0") "," SPREAD("1", "rack", "ScheduleAnyway",
                                   "a1") "," SPREAD("2", ZONE, "ScheduleAnyway", "a2")),
          "" },
        { 's',
          SPREADS(SPREAD("1", HOST, "ScheduleAnyway",
                         "no") "," SPREAD("1", "rack", "ScheduleAnyway",
                                          "a1") "," SPREAD("1", ZONE, "ScheduleAnyway", "no")),
          "" },
        { 's',
          SPREADS(SPREAD("1", "rack", "ScheduleAnyway", "a1") "," SPREAD("2", ZONE,
                                                                         "ScheduleAnyway", "a2")),
          "" },
        { 's',
          SPREADS(SPREAD("4", ZONE, "DoNotSchedule", "a0"))
                  AWAY(PREFERRED "[" WEIGHED("9", TERM(HOST, "a0")) "]"),
          "" },
        { 'v', VOLUMES(CLAIM("c0")), "" },
        { 'v', VOLUMES(CLAIM("c1")), "" },
        { 'v', VOLUMES(CLAIM("c2") "," CLAIM("c0")), "" },
        { 'v', VOLUMES(CLAIM("c3")), "" },
        { 'v', VOLUMES(CLAIM("c4")), "" },
        { 'v', VOLUMES(CLAIM("c5")), "" },
        { 'v', VOLUMES("{\"name\":\"d\",\"awsElasticBlockStore\":{\"volumeID\":\"e1\"}}"), "" },
        { 'v',
          VOLUMES(CLAIM("c1")) SPREADS(SPREAD("3", ZONE, "ScheduleAnyway", "a2"))
                  AWAY(PREFERRED "[" WEIGHED("9", TERM(HOST, "a0")) "]"),
          "" },
        { 'r', "\"resourceClaims\":[{\"name\":\"r\",\"resourceClaimName\":\"r0\"}],", "" },
        { 'r', "\"resourceClaims\":[{\"name\":\"r\",\"resourceClaimName\":\"r1\"}],", "" },
};

static unsigned pick_shape(struct oracle_world *world) {
        unsigned shape = pick(world, ARRAY_LEN(shapes));
        while (world->config.groups && !strchr(world->config.groups, shapes[shape].group))
                shape = pick(world, ARRAY_LEN(shapes));
        return shape;
}

/* One spec in a few variants of labels and namespace. */
struct pod_plan {
        unsigned name, shape, variant;
        const char *node, *status; /* members of spec and pod; status "D": on its way out */
};

static void feed_pod(struct oracle_world *world, const struct pod_plan *plan) {
        const struct shape *shape = &shapes[plan->shape];
        bool is_leaving = plan->status[0] == 'D';
        char text[4096];
        snprintf(text, sizeof(text),
                 "{\"metadata\":{\"namespace\":\"ns%u\",\"name\":\"p%u\",\"uid\":\"u%u\",%s"
                 "\"labels\":{\"app\":\"a%u\"%s}},\"spec\":{%s%s\"containers\":[{\"name\":\"c\","
                 "%s\"image\":\"i\",\"resources\":{\"requests\":{\"cpu\":\"%um\"}}}]}%s}",
                 plan->name % 2, plan->name, plan->name,
                 is_leaving ? "\"deletionTimestamp\":\"2026-01-01T00:00:00Z\"," : "",
                 plan->variant % 3, shape->labels ? shape->labels : "", plan->node, shape->spec,
                 shape->container, shape->group == 'v' ? 100 : 100 + 50 * (plan->shape % 5),
                 is_leaving ? "" : plan->status);
        feed(world, OBJECT_POD, CHANGE_UPDATED, text);
}

static void remove_pod(struct oracle_world *world, unsigned name) {
        char ns[8], text[16];
        snprintf(ns, sizeof(ns), "ns%u", name % 2);
        snprintf(text, sizeof(text), "p%u", name);
        cluster_remove_pod(world->cluster, slice_of(ns), slice_of(text));
}

static struct pod_id find_pod(struct oracle_world *world, unsigned name) {
        char ns[8], text[16];
        snprintf(ns, sizeof(ns), "ns%u", name % 2);
        snprintf(text, sizeof(text), "p%u", name);
        return cluster_find_pod(world->cluster, slice_of(ns), slice_of(text));
}

/* A running pod comes, goes, changes its labels, finishes, or begins to go. */
static void change_pod(struct oracle_world *world) {
        static const char *const statuses[] = {
                "",
                "",
                "D",
                ",\"status\":{\"startTime\":\"2026-01-01T00:00:00Z\"}",
                ",\"status\":{\"startTime\":\"2026-02-01T00:00:00Z\"}",
                ",\"status\":{\"phase\":\"Succeeded\"}",
        };
        unsigned name = pick(world, POD_NAMES), shape = pick_shape(world);
        char node[64];
        struct pod_id pod = find_pod(world, name);
        if (!pod_id_is_none(pod) && pick(world, 4) == 0) {
                cluster_forget(world->cluster, pod);
                return;
        }
        if (pick(world, 2) == 0) {
                remove_pod(world, name);
                return;
        }
        if (pick(world, 3) == 0)
                remove_pod(world, name);
        snprintf(node, sizeof(node), "\"nodeName\":\"n%u\",\"priority\":%u,",
                 pick(world, world->node_names), 3 * pick(world, 4));
        feed_pod(world, &(struct pod_plan){ name, shape, pick(world, 3), node,
                                            statuses[pick(world, ARRAY_LEN(statuses))] });
}

static void change_budget(struct oracle_world *world) {
        char text[512];
        snprintf(text, sizeof(text),
                 "{\"metadata\":{\"namespace\":\"ns0\",\"name\":\"b%u\"},\"spec\":{\"selector\":{"
                 "\"matchLabels\":{\"app\":\"a%u\"}}},\"status\":{\"disruptionsAllowed\":%u}}",
                 pick(world, 2), pick(world, 3), pick(world, 2));
        feed(world, OBJECT_BUDGET, CHANGE_UPDATED, text);
}

static void nominate(struct oracle_world *world) {
        char node[16];
        struct pod_id pod = find_pod(world, pick(world, POD_NAMES));
        snprintf(node, sizeof(node), "n%u", pick(world, world->node_names));
        if (!pod_id_is_none(pod) && node_id_is_none(cluster_pod(world->cluster, pod)->node))
                cluster_nominate(world->cluster, pod, slice_of(pick(world, 3) ? "" : node));
}

/* ---- what-ifs ---- */

static struct node_id any_node(struct oracle_world *world) {
        const struct node_id *order = cluster_node_order(world->cluster);
        return order[pick(world, (unsigned)cluster_node_count(world->cluster))];
}

/* Some pods are taken off their nodes, and some of these put elsewhere. */
static void imagine_moves(struct oracle_world *world, struct pod_id asking) {
        for (unsigned i = 1 + pick(world, 6); i > 0; i--) {
                struct pod_id pod = find_pod(world, pick(world, POD_NAMES));
                if (pod_id_is_none(pod) || pod.index == asking.index ||
                    pod_row_is_finished(cluster_pod(world->cluster, pod)))
                        continue;
                cluster_withdraw(world->cluster, pod);
                if (pick(world, 2) == 0)
                        cluster_assume(world->cluster, pod, any_node(world));
        }
}

/* ---- comparing ---- */

/* A difference ends the test, or the process where one is wanted. */
static void agree(const struct oracle_world *world, bool agrees, const char *what) {
        if (agrees)
                return;
        if (!world->config.may_differ)
                fail_msg("decision %u: %s", (unsigned)world->compared, what);
        printf("decision %u: %s\n", (unsigned)world->compared, what);
        fflush(stdout);
        _exit(ORACLE_DIFFERS);
}

static void compare_refusals(const struct oracle_world *world, const struct node_refusal *slow,
                             const struct node_refusal *fast, size_t count) {
        for (size_t i = 0; i < count; i++) {
                agree(world, fast[i].node.index == slow[i].node.index, "the node of a refusal");
                agree(world,
                      !fast[i].plugin == !slow[i].plugin &&
                              (!slow[i].plugin ||
                               !strcmp(fast[i].plugin->name, slow[i].plugin->name)),
                      "who refused a node");
                agree(world, fast[i].code == slow[i].code, "the code of a refusal");
                agree(world, fast[i].reason_count == slow[i].reason_count, "the number of reasons");
                for (uint32_t j = 0; j < slow[i].reason_count; j++)
                        agree(world, slice_eq(fast[i].reasons[j], slow[i].reasons[j]), "a reason");
        }
}

static void compare_candidates(const struct oracle_world *world,
                               const struct preemption_candidate *slow,
                               const struct preemption_candidate *fast) {
        agree(world, fast->node.index == slow->node.index, "the node of a candidate");
        agree(world, fast->victim_count == slow->victim_count, "the number of victims");
        agree(world, fast->budget_violations == slow->budget_violations, "budget violations");
        for (size_t i = 0; i < slow->victim_count; i++)
                agree(world, fast->victims[i].index == slow->victims[i].index, "a victim");
}

static void compare_preemptions(const struct oracle_world *world, const struct preemption *slow,
                                const struct preemption *fast) {
        agree(world, fast->code == slow->code, "the verdict of preemption");
        agree(world, fast->candidate_count == slow->candidate_count, "the number of candidates");
        agree(world, fast->rejected_count == slow->rejected_count, "nodes preemption rejects");
        compare_refusals(world, slow->rejected, fast->rejected, slow->rejected_count);
        for (size_t i = 0; i < slow->candidate_count; i++)
                compare_candidates(world, &slow->candidates[i], &fast->candidates[i]);
}

static void compare_scans(const struct oracle_world *world, const struct decision *slow,
                          const struct decision *fast) {
        agree(world, fast->outcome == slow->outcome, "the outcome");
        agree(world, fast->feasible_count == slow->feasible_count, "the number of feasible nodes");
        for (size_t i = 0; i < slow->feasible_count; i++) {
                agree(world, fast->feasible[i].index == slow->feasible[i].index, "a feasible node");
                agree(world, !slow->totals || fast->totals[i] == slow->totals[i], "a total");
        }
        agree(world, fast->refusal_count == slow->refusal_count, "the number of refusals");
        compare_refusals(world, slow->refusals, fast->refusals, slow->refusal_count);
        agree(world, fast->rejectors == slow->rejectors, "the rejectors");
        agree(world, slice_eq(fast->message, slow->message), "the message");
        if (slow->preemption)
                compare_preemptions(world, slow->preemption, fast->preemption);
}

static void compare_choice(const struct oracle_world *world, const struct decision *slow,
                           const struct engine_choice *choice) {
        bool is_best = false;
        agree(world, slow->outcome == DECISION_PLACED, "whether a node fits");
        agree(world, choice->feasible_count == slow->feasible_count,
              "the number of feasible nodes in the cache");
        agree(world, bitset_count(choice->feasible) == slow->feasible_count,
              "the feasible nodes in the cache");
        for (size_t i = 0; i < slow->feasible_count; i++) {
                uint32_t node = slow->feasible[i].index;
                agree(world, bitset_has(choice->feasible, node), "a feasible node in the cache");
                agree(world, !slow->totals || choice->totals[node] == slow->totals[i],
                      "a total in the cache");
        }
        agree(world, choice->best_count == slow->best_count, "the number of best nodes");
        agree(world, choice->total == slow->best_total, "the best total");
        for (size_t i = 0; i < slow->best_count; i++)
                is_best = is_best || slow->best[i].index == choice->node.index;
        agree(world, is_best, "the node chosen");
}

/* A refusal that was kept for alike pods is what this pod is told. */
static void compare_cached_refusal(const struct oracle_world *world, struct pod_id pod,
                                   const struct decision *slow) {
        const struct decision *cached =
                refusal_cache_find(world->failures, world->cluster, world->profile, pod);
        if (!cached) {
                refusal_cache_put(world->failures, world->cluster, world->profile, pod, slow);
                return;
        }
        agree(world, cached->outcome == slow->outcome, "the outcome of an alike pod");
        agree(world, cached->rejectors == slow->rejectors, "the rejectors of an alike pod");
        agree(world, slice_eq(cached->message, slow->message), "the message of an alike pod");
}

/* What the decision says about the plugins: whether they tell nodes apart. */
static void count_variety(struct oracle_world *world, const struct decision *slow) {
        world->mixed += slow->feasible_count > 0 && slow->feasible_count < slow->node_count;
        for (size_t i = 1; slow->totals && i < slow->feasible_count; i++)
                if (slow->totals[i] != slow->totals[0]) {
                        world->varied++;
                        break;
                }
}

static enum engine_answer ask_engine(struct oracle_world *world, struct pod_id pod,
                                     struct engine_choice *ret_choice) {
        struct sched_attempt attempt;
        struct attempt_request request = { .cluster = world->cluster,
                                           .profile = world->profile,
                                           .pod = pod,
                                           .arena = &world->arena,
                                           .counts = class_engine_counts(world->engine) };
        sched_attempt_init(&attempt, &request);
        enum engine_answer answer = ENGINE_DECLINES;
        if (sched_attempt_pre_filter(&attempt) == VERDICT_OK)
                answer = class_engine_choose(world->engine, &attempt, &world->rng, ret_choice);
        sched_attempt_release(&attempt);
        return answer;
}

/* Filters over all nodes say the same as each node on its own; counts may be NULL. */
static void compare_filters(struct oracle_world *world, struct pod_id pod,
                            struct count_cache *counts) {
        struct sched_attempt attempt;
        struct node_refusal refusal;
        struct bitset nodes = cluster_live_nodes(world->cluster, &world->arena);
        struct attempt_request request = { .cluster = world->cluster,
                                           .profile = world->profile,
                                           .pod = pod,
                                           .arena = &world->arena,
                                           .counts = counts };
        sched_attempt_init(&attempt, &request);
        if (sched_attempt_pre_filter(&attempt) == VERDICT_OK) {
                const struct node_id *order = cluster_node_order(world->cluster);
                sched_attempt_filter(&attempt, &nodes);
                for (size_t i = 0; i < cluster_node_count(world->cluster); i++)
                        agree(world,
                              sched_attempt_judge(&attempt, order[i], &refusal) ==
                                      bitset_has(&nodes, order[i].index),
                              "filter and explain");
        }
        sched_attempt_release(&attempt);
}

/* The scan and the engine about the cluster as it is now. */
static void ask(struct oracle_world *world, struct pod_id pod, struct decision *ret_slow) {
        struct decision_request request = { .pod = pod, .now = { NOW_NS } };
        struct decision fast;
        struct engine_choice choice;
        arena_clear(&world->arena);
        if (pick(world, 2) == 0)
                request.wants = DECIDE_POST_FILTER | DECIDE_VERDICTS;
        scheduler_decide(world->cluster, world->naive, &request, &world->arena, ret_slow);
        count_variety(world, ret_slow);
        if ((request.wants & DECIDE_POST_FILTER) != 0 && !world->is_inside)
                compare_cached_refusal(world, pod, ret_slow);
        if (pick(world, 4) == 0) {
                request.engine = world->engine;
                request.wants |= DECIDE_SCORES; /* the scan, with remembered counts */
                scheduler_decide(world->cluster, world->profile, &request, &world->arena, &fast);
                compare_scans(world, ret_slow, &fast);
        }
        /* Now and then the engine misses a decision that its memory takes part in. */
        enum engine_answer answer =
                pick(world, 8) ? ask_engine(world, pod, &choice) : ENGINE_DECLINES;
        if (answer == ENGINE_CHOSE)
                compare_choice(world, ret_slow, &choice);
        else if (answer == ENGINE_FOUND_NONE)
                agree(world, ret_slow->outcome == DECISION_UNSCHEDULABLE, "that no node fits");
        world->engine_choices += answer == ENGINE_CHOSE;
        if (pick(world, 4) == 0)
                compare_filters(world, pod,
                                pick(world, 2) ? class_engine_counts(world->engine) : NULL);
        world->compared++;
}

/* The same in a what-if or two, one inside the other, that leave nothing behind. */
static void ask_inside(struct oracle_world *world, struct pod_id pod) {
        struct decision slow;
        uint64_t digest = cluster_digest(world->cluster);
        cluster_checkpoint(world->cluster);
        world->is_inside = true;
        imagine_moves(world, pod);
        ask(world, pod, &slow);
        if (pick(world, 2) == 0) {
                cluster_checkpoint(world->cluster);
                imagine_moves(world, pod);
                ask(world, pod, &slow);
                cluster_rollback(world->cluster);
                ask(world, pod, &slow);
        }
        cluster_rollback(world->cluster);
        world->is_inside = false;
        assert_int_equal(cluster_digest(world->cluster), digest);
}

/* Pods of one spec and one set of labels, one after the other; the first of them are refused what
 * the last one is, unless somebody tells them apart. */
static void ask_alike(struct oracle_world *world, unsigned name, const struct pod_plan *plan) {
        struct pod_plan alike = *plan;
        struct decision slow;
        for (unsigned i = 1; i <= ALIKE; i++) {
                alike.name = (name + 2 * i) % POD_NAMES;
                remove_pod(world, alike.name);
                feed_pod(world, &alike);
        }
        for (unsigned i = 1; i <= ALIKE; i++)
                ask(world, find_pod(world, (name + 2 * i) % POD_NAMES), &slow);
}

/* A pod asks for a node; the best one takes it, mostly. */
static void place(struct oracle_world *world) {
        bool is_focused = pick(world, 8) != 0;
        unsigned name = is_focused ? 2 * pick(world, POD_NAMES / 2) : pick(world, POD_NAMES);
        unsigned focus = pick(world, FOCUS_SHAPES);
        unsigned shape = is_focused ? world->focus[focus] : pick_shape(world);
        struct decision slow;
        if (cluster_node_count(world->cluster) == 0)
                return;
        remove_pod(world, name);
        struct pod_plan plan = { name, shape, is_focused ? world->variants[focus] : pick(world, 3),
                                 pick(world, 6) ? "" : "\"priority\":7,", "" };
        feed_pod(world, &plan);
        struct pod_id pod = find_pod(world, name);
        if (pick(world, 3) == 0)
                ask_inside(world, pod);
        ask(world, pod, &slow);
        if (slow.outcome == DECISION_PLACED && pick(world, 5) != 0)
                cluster_assume(world->cluster, pod, slow.node);
        else if (pick(world, 8) == 0)
                cluster_nominate(world->cluster, pod,
                                 cluster_node_name(world->cluster, any_node(world)));
        if (pick(world, 12) == 0)
                ask_alike(world, name, &plan);
}

/* ---- a world's life ---- */

static struct sched_profile *make_profile(struct oracle_world *world,
                                          const struct plugin *const *registry) {
        struct profile_env env = { .registry = registry, .object_cache = world->object_cache };
        const struct sched_profile_spec *spec = world->config.spec;
        struct sched_profile *profile;
        struct err err = { 0 };
        int code = spec ? sched_profile_new(spec, &env, &profile, &err)
                        : sched_profile_new_default(&env, &profile, &err);
        if (code < 0)
                fail_msg("%s", err.text);
        return profile;
}

/* The same plugins, promising nothing. */
static void make_naive(struct oracle_world *world) {
        const struct plugin *const *registry = world->config.registry;
        size_t count = 0;
        while (registry[count])
                count++;
        const struct plugin **naive = xcalloc(count + 1, sizeof(struct plugin *));
        world->plugins = xcalloc(count, sizeof(*world->plugins));
        world->points = xcalloc(count, sizeof(*world->points));
        for (size_t i = 0; i < count; i++) {
                world->points[i] = *registry[i]->sched;
                world->points[i].hints = NULL;
                world->plugins[i] = *registry[i];
                world->plugins[i].sched = &world->points[i];
                naive[i] = &world->plugins[i];
        }
        world->naive = make_profile(world, naive);
        free(naive);
}

void oracle_world_init(struct oracle_world *world, uint64_t seed,
                       const struct oracle_config *config) {
        static const size_t memory_sizes[] = { 65536, 0, 1 << 18, 1 << 20, 0 };
        *world = (struct oracle_world){ .cluster = cluster_new(&(struct cluster_config){ 0 }),
                                        .object_cache = object_cache_new(),
                                        .engine = class_engine_new(
                                                memory_sizes[seed % ARRAY_LEN(memory_sizes)]),
                                        .failures = refusal_cache_new(),
                                        .config = *config,
                                        .node_names = seed % 2 ? 12 : 150 };
        world->profile = make_profile(world, config->registry);
        make_naive(world);
        rng_init(&world->rng, seed);
        arena_init(&world->arena, 0);
        for (unsigned i = 0; i < 2 * world->node_names; i++)
                change_node(world);
        put_storage(world);
}

void oracle_world_release(struct oracle_world *world) {
        class_engine_free(world->engine);
        refusal_cache_free(world->failures);
        sched_profile_free(world->profile);
        sched_profile_free(world->naive);
        free(world->plugins);
        free(world->points);
        object_cache_free(world->object_cache);
        cluster_free(world->cluster);
        arena_release(&world->arena);
}

static void change_something(struct oracle_world *world) {
        unsigned kind = pick(world, 100);
        if (kind < 1)
                change_node(world);
        else if (kind == 1 && pick(world, 2))
                change_namespace(world);
        else if (kind == 2)
                change_service(world);
        else if (kind < 12)
                nominate(world);
        else if (kind < 15)
                change_volumes(world);
        else if (kind < 18)
                change_budget(world);
        else
                change_pod(world);
}

void oracle_world_run(struct oracle_world *world, unsigned steps) {
        struct err err = { 0 };
        for (unsigned i = 0; i < steps; i++) {
                for (unsigned f = 0; i % FOCUS_STEPS == 0 && f < FOCUS_SHAPES; f++) {
                        world->focus[f] = pick_shape(world);
                        world->variants[f] = pick(world, 3);
                }
                for (unsigned changes = pick(world, 3); changes > 0; changes--)
                        change_something(world);
                place(world);
                if (i % CHECK_EVERY == 0 && cluster_check(world->cluster, &err) < 0)
                        fail_msg("step %u: %s", i, err.text);
        }
}
