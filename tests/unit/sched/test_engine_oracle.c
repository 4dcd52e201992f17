/* The class engine against the naive full scan on generated clusters: after every change both must
 * find the same nodes feasible, at the same totals, for pods of all shapes.
 *
 * BERTH_ORACLE_STEPS and BERTH_ORACLE_SEEDS make it longer (a soak). */
#include "base/rng.h"
#include "sched/class_engine.h"
#include "sched/decision.h"
#include "sched_test.h"

#define STEPS_DEFAULT 1000
#define SEEDS_DEFAULT 2
#define POD_NAMES 160
#define NOW_NS (1800000000 * NS_PER_S)
#define SERVICES 2
#define CHECK_EVERY 50  /* steps between checks of the model itself */
#define FOCUS_STEPS 100 /* steps that most pods are of a few shapes */
#define FOCUS_SHAPES 3

struct world {
        struct cluster *cluster;
        struct object_shelf *shelf;
        struct sched_profile *profile;
        struct class_engine *engine;
        struct rng rng;
        struct arena arena;
        unsigned node_names;
        unsigned focus; /* most pods that ask are of the shapes from here on */
        uint64_t engine_choices, compared;
};

static unsigned pick(struct world *world, unsigned bound) {
        return (unsigned)rng_below(&world->rng, bound);
}

static unsigned from_environment(const char *name, unsigned fallback) {
        const char *text = getenv(name);
        return text ? (unsigned)strtoul(text, NULL, 10) : fallback;
}

static struct json_doc *parse(const char *text) {
        struct err err = { 0 };
        struct json_doc *doc;
        if (json_parse(slice_of(text), &doc, &err) < 0)
                fail_msg("%s: %s", err.text, text);
        return doc;
}

static void feed(struct world *world, enum object_kind kind, enum change_kind change,
                 const char *text) {
        struct err err = { 0 };
        struct json_doc *doc = parse(text);
        if (cluster_apply(world->cluster, kind, change, json_doc_root(doc), &err) < 0)
                fail_msg("%s: %s", err.path, err.text);
        json_doc_free(doc);
}

/* ---- nodes and namespaces ---- */

static void change_node(struct world *world) {
        static const char *const effects[] = { "NoSchedule", "PreferNoSchedule" };
        static const char *const racks[] = { "r0", "r1", "r2", "r3", "r4", "r5", "" };
        char text[1024], zone[64] = "", rack[64] = "", taint[128] = "";
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
        snprintf(text, sizeof(text),
                 "{\"metadata\":{\"name\":\"n%u\",\"labels\":{%s%s\"kubernetes.io/hostname\":"
                 "\"n%u\",\"rank\":\"%u\"}},\"spec\":{\"unschedulable\":%s,\"taints\":[%s]},"
                 "\"status\":{\"allocatable\":{\"cpu\":\"%um\",\"memory\":\"%uMi\","
                 "\"pods\":\"%u\"}}}",
                 name, zone, rack, name, name % 9, pick(world, 12) ? "false" : "true", taint,
                 2000 * (1 + name % 3), 2048 * (1 + name % 4), 4 + name % 9);
        feed(world, OBJECT_NODE, CHANGE_UPDATED, text);
}

static void change_namespace(struct world *world) {
        char text[256];
        snprintf(text, sizeof(text),
                 "{\"metadata\":{\"name\":\"ns%u\",\"labels\":{\"team\":\"t%u\"}}}", pick(world, 2),
                 pick(world, 2));
        feed(world, OBJECT_NAMESPACE, CHANGE_UPDATED, text);
}

static void change_service(struct world *world) {
        char text[256];
        unsigned name = pick(world, SERVICES);
        snprintf(text, sizeof(text),
                 "{\"metadata\":{\"name\":\"s%u\",\"namespace\":\"ns0\"},\"spec\":{\"selector\":{"
                 "\"app\":\"a%u\"}}}",
                 name, pick(world, 3));
        struct json_doc *doc = parse(text);
        object_shelf_put(world->shelf, SHELF_SERVICE, json_doc_root(doc));
        json_doc_free(doc);
}

/* ---- volumes ---- */

static void put_on_shelf(struct world *world, enum shelf_kind kind, const char *text) {
        struct json_doc *doc = parse(text);
        object_shelf_put(world->shelf, kind, json_doc_root(doc));
        json_doc_free(doc);
}

/* Bound volumes that go anywhere, to one zone by affinity, to some by label; and free ones. */
static void put_volume(struct world *world, unsigned name) {
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
        put_on_shelf(world, SHELF_VOLUME, text);
}

/* The first claims are bound, the next wait for a free volume, the last for one to be made. */
static void put_claim(struct world *world, unsigned ns, unsigned name) {
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
        put_on_shelf(world, SHELF_VOLUME_CLAIM, text);
}

static void change_volumes(struct world *world) {
        char text[512];
        unsigned node = pick(world, world->node_names);
        switch (pick(world, 4)) {
        case 0:
                put_volume(world, pick(world, 12));
                return;
        case 1:
                put_claim(world, pick(world, 2), pick(world, 6));
                return;
        case 2:
                snprintf(text, sizeof(text),
                         "{\"metadata\":{\"name\":\"n%u\"},\"spec\":{\"drivers\":[{\"name\":"
                         "\"d0\",\"allocatable\":{\"count\":%u}},{\"name\":\"d1\"}]}}",
                         node, pick(world, 3));
                put_on_shelf(world, SHELF_CSI_NODE, text);
                return;
        default:
                snprintf(text, sizeof(text),
                         "{\"metadata\":{\"name\":\"a%u\"},\"spec\":{\"attacher\":\"d0\","
                         "\"nodeName\":\"n%u\",\"source\":{\"persistentVolumeName\":\"v%u\"}}}",
                         pick(world, 20), node, pick(world, 8));
                put_on_shelf(world, SHELF_ATTACHMENT, text);
        }
}

static void put_storage(struct world *world) {
        static const char *const classes[] = {
                "{\"metadata\":{\"name\":\"static\"},\"provisioner\":"
                "\"kubernetes.io/no-provisioner\",\"volumeBindingMode\":\"WaitForFirstConsumer\"}",
                "{\"metadata\":{\"name\":\"made\"},\"provisioner\":\"d0\","
                "\"volumeBindingMode\":\"WaitForFirstConsumer\"}",
        };
        for (size_t i = 0; i < ARRAY_LEN(classes); i++)
                put_on_shelf(world, SHELF_STORAGE_CLASS, classes[i]);
        for (unsigned i = 0; i < 12; i++)
                put_volume(world, i);
        for (unsigned i = 0; i < 12; i++)
                put_claim(world, i % 2, i / 2);
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

/* What the specs of pods have beside their requests. */
static const char *const shapes[] = {
        "",
        "",
        "\"nodeSelector\":{\"" ZONE "\":\"z1\"},",
        "\"tolerations\":[{\"key\":\"k0\",\"operator\":\"Exists\"}],",
        AWAY(REQUIRED "[" TERM(HOST, "a0") "]"),
        AWAY(REQUIRED "[" TERM("rack", "a1") "," TEAM_TERM(HOST, "a2") "]"),
        AWAY(PREFERRED "[" WEIGHED("7", TERM(HOST, "a0")) "," WEIGHED("30", TERM(ZONE, "a1")) "]"),
        NEAR(REQUIRED "[" TERM(ZONE, "a0") "]"),
        NEAR(REQUIRED "[" TERM("rack", "a2") "," TERM(ZONE, "a2") "]"),
        NEAR(PREFERRED "[" WEIGHED("5", TERM("rack", "a1")) "]"),
        NEAR(PREFERRED "[" WEIGHED("50", TEAM_TERM(HOST, "a2")) "]"),
        SPREADS(SPREAD("1", ZONE, "DoNotSchedule", "a0")),
        SPREADS(SPREAD("2", HOST, "DoNotSchedule", "a1")),
        SPREADS(SPREAD("3", ZONE, "ScheduleAnyway", "a2")),
        SPREADS(SPREAD("1", HOST, "ScheduleAnyway", "a0") "," SPREAD("2", "rack", "ScheduleAnyway",
                                                                     "a0")),
        SPREADS(SPREAD("2", "rack", "DoNotSchedule", "a2") "," SPREAD("1", ZONE, "ScheduleAnyway",
                                                                      "a1")),
        SPREADS("{\"maxSkew\":1,\"minDomains\":3,\"topologyKey\":\"" ZONE
                "\",\"whenUnsatisfiable\":\"DoNotSchedule\",\"nodeTaintsPolicy\":\"Honor\","
                "\"matchLabelKeys\":[\"app\"],\"labelSelector\":{}}"),
        SPREADS(SPREAD("1", "absent", "ScheduleAnyway", "a0")),
        SPREADS(SPREAD("4", ZONE, "DoNotSchedule", "a0"))
                AWAY(PREFERRED "[" WEIGHED("9", TERM(HOST, "a0")) "]"),
        VOLUMES(CLAIM("c0")),
        VOLUMES(CLAIM("c1")),
        VOLUMES(CLAIM("c2") "," CLAIM("c0")),
        VOLUMES(CLAIM("c3")),
        VOLUMES(CLAIM("c4")),
        VOLUMES(CLAIM("c5")),
        VOLUMES("{\"name\":\"d\",\"awsElasticBlockStore\":{\"volumeID\":\"e1\"}}"),
        VOLUMES(CLAIM("c1")) SPREADS(SPREAD("3", ZONE, "ScheduleAnyway", "a2"))
                AWAY(PREFERRED "[" WEIGHED("9", TERM(HOST, "a0")) "]"),
};

/* One spec in a few variants of labels and namespace. */
struct pod_plan {
        unsigned name, shape, variant;
        const char *node, *status; /* members of spec and pod; status "D": on its way out */
};

static void feed_pod(struct world *world, const struct pod_plan *plan) {
        bool is_leaving = plan->status[0] == 'D';
        char text[4096];
        snprintf(text, sizeof(text),
                 "{\"metadata\":{\"namespace\":\"ns%u\",\"name\":\"p%u\",\"uid\":\"u%u\",%s"
                 "\"labels\":{\"app\":\"a%u\"}},\"spec\":{%s%s\"containers\":[{\"name\":\"c\","
                 "\"image\":\"i\",\"resources\":{\"requests\":{\"cpu\":\"%um\"}}}]}%s}",
                 plan->name % 2, plan->name, plan->name,
                 is_leaving ? "\"deletionTimestamp\":\"2026-01-01T00:00:00Z\"," : "",
                 plan->variant % 3, plan->node, shapes[plan->shape], 100 + 50 * (plan->shape % 5),
                 is_leaving ? "" : plan->status);
        feed(world, OBJECT_POD, CHANGE_UPDATED, text);
}

static void remove_pod(struct world *world, unsigned name) {
        char ns[8], text[16];
        snprintf(ns, sizeof(ns), "ns%u", name % 2);
        snprintf(text, sizeof(text), "p%u", name);
        cluster_remove_pod(world->cluster, slice_of(ns), slice_of(text));
}

static struct pod_id find_pod(struct world *world, unsigned name) {
        char ns[8], text[16];
        snprintf(ns, sizeof(ns), "ns%u", name % 2);
        snprintf(text, sizeof(text), "p%u", name);
        return cluster_find_pod(world->cluster, slice_of(ns), slice_of(text));
}

/* A running pod comes, goes, changes its labels, finishes, or begins to go. */
static void change_pod(struct world *world) {
        static const char *const statuses[] = {
                "",
                "",
                "D",
                ",\"status\":{\"startTime\":\"2026-01-01T00:00:00Z\"}",
                ",\"status\":{\"startTime\":\"2026-02-01T00:00:00Z\"}",
                ",\"status\":{\"phase\":\"Succeeded\"}",
        };
        unsigned name = pick(world, POD_NAMES), shape = pick(world, ARRAY_LEN(shapes));
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

static void change_budget(struct world *world) {
        char text[512];
        snprintf(text, sizeof(text),
                 "{\"metadata\":{\"namespace\":\"ns0\",\"name\":\"b%u\"},\"spec\":{\"selector\":{"
                 "\"matchLabels\":{\"app\":\"a%u\"}}},\"status\":{\"disruptionsAllowed\":%u}}",
                 pick(world, 2), pick(world, 3), pick(world, 2));
        feed(world, OBJECT_BUDGET, CHANGE_UPDATED, text);
}

static void nominate(struct world *world) {
        char node[16];
        struct pod_id pod = find_pod(world, pick(world, POD_NAMES));
        snprintf(node, sizeof(node), "n%u", pick(world, world->node_names));
        if (!pod_id_is_none(pod) && node_id_is_none(cluster_pod(world->cluster, pod)->node))
                cluster_nominate(world->cluster, pod, slice_of(pick(world, 3) ? "" : node));
}

/* ---- what-ifs ---- */

static struct node_id any_node(struct world *world) {
        const struct node_id *order = cluster_node_order(world->cluster);
        return order[pick(world, (unsigned)cluster_node_count(world->cluster))];
}

/* Some pods are taken off their nodes, and some of these put elsewhere. */
static void imagine_moves(struct world *world, struct pod_id asking) {
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

static void compare_refusals(const struct node_refusal *slow, const struct node_refusal *fast,
                             size_t count) {
        for (size_t i = 0; i < count; i++) {
                assert_int_equal(fast[i].node.index, slow[i].node.index);
                assert_ptr_equal(fast[i].plugin, slow[i].plugin);
                assert_int_equal(fast[i].code, slow[i].code);
                assert_int_equal(fast[i].reason_count, slow[i].reason_count);
                for (uint32_t j = 0; j < slow[i].reason_count; j++)
                        assert_true(slice_eq(fast[i].reasons[j], slow[i].reasons[j]));
        }
}

static void compare_preemptions(const struct preemption *slow, const struct preemption *fast) {
        assert_int_equal(fast->code, slow->code);
        assert_int_equal(fast->candidate_count, slow->candidate_count);
        assert_int_equal(fast->rejected_count, slow->rejected_count);
        compare_refusals(slow->rejected, fast->rejected, slow->rejected_count);
        for (size_t i = 0; i < slow->candidate_count; i++) {
                const struct preemption_candidate *a = &slow->candidates[i];
                const struct preemption_candidate *b = &fast->candidates[i];
                assert_int_equal(b->node.index, a->node.index);
                assert_int_equal(b->victim_count, a->victim_count);
                assert_int_equal(b->budget_violations, a->budget_violations);
                for (size_t j = 0; j < a->victim_count; j++)
                        assert_int_equal(b->victims[j].index, a->victims[j].index);
        }
}

static void compare_scans(const struct decision *slow, const struct decision *fast) {
        assert_int_equal(fast->outcome, slow->outcome);
        assert_int_equal(fast->feasible_count, slow->feasible_count);
        for (size_t i = 0; i < slow->feasible_count; i++) {
                assert_int_equal(fast->feasible[i].index, slow->feasible[i].index);
                if (slow->totals)
                        assert_int_equal(fast->totals[i], slow->totals[i]);
        }
        assert_int_equal(fast->refusal_count, slow->refusal_count);
        compare_refusals(slow->refusals, fast->refusals, slow->refusal_count);
        assert_int_equal(fast->rejectors, slow->rejectors);
        assert_true(slice_eq(fast->message, slow->message));
        if (slow->preemption)
                compare_preemptions(slow->preemption, fast->preemption);
}

static void compare_choice(const struct decision *slow, const struct engine_choice *choice) {
        bool is_best = false;
        assert_int_equal(slow->outcome, DECISION_PLACED);
        assert_int_equal(choice->feasible_count, slow->feasible_count);
        assert_int_equal(bitset_count(choice->feasible), slow->feasible_count);
        assert_int_equal(choice->best_count, slow->best_count);
        assert_int_equal(choice->total, slow->best_total);
        for (size_t i = 0; i < slow->best_count; i++)
                is_best = is_best || slow->best[i].index == choice->node.index;
        assert_true(is_best);
        for (size_t i = 0; i < slow->feasible_count; i++) {
                uint32_t node = slow->feasible[i].index;
                assert_true(bitset_has(choice->feasible, node));
                if (slow->totals)
                        assert_int_equal(choice->totals[node], slow->totals[i]);
        }
}

static enum engine_answer ask_engine(struct world *world, struct pod_id pod,
                                     struct engine_choice *ret_choice) {
        struct sched_attempt attempt;
        struct attempt_request request = { .cluster = world->cluster,
                                           .profile = world->profile,
                                           .pod = pod,
                                           .arena = &world->arena,
                                           .memory = class_engine_memory(world->engine) };
        sched_attempt_init(&attempt, &request);
        enum engine_answer answer = ENGINE_DECLINES;
        if (sched_attempt_pre_filter(&attempt) == VERDICT_OK)
                answer = class_engine_choose(world->engine, &attempt, &world->rng, ret_choice);
        sched_attempt_release(&attempt);
        return answer;
}

/* Filters over all nodes say the same as each node on its own; memory may be NULL. */
static void compare_filters(struct world *world, struct pod_id pod, struct cycle_memory *memory) {
        struct sched_attempt attempt;
        struct node_refusal refusal;
        struct bitset nodes = cluster_live_nodes(world->cluster, &world->arena);
        struct attempt_request request = { .cluster = world->cluster,
                                           .profile = world->profile,
                                           .pod = pod,
                                           .arena = &world->arena,
                                           .memory = memory };
        sched_attempt_init(&attempt, &request);
        if (sched_attempt_pre_filter(&attempt) == VERDICT_OK) {
                const struct node_id *order = cluster_node_order(world->cluster);
                sched_attempt_filter(&attempt, &nodes);
                for (size_t i = 0; i < cluster_node_count(world->cluster); i++)
                        assert_int_equal(sched_attempt_judge(&attempt, order[i], &refusal),
                                         bitset_has(&nodes, order[i].index));
        }
        sched_attempt_release(&attempt);
}

/* The scan and the engine about the cluster as it is now. */
static void ask(struct world *world, struct pod_id pod, struct decision *ret_slow) {
        struct decision_request request = { .pod = pod, .now = { NOW_NS } };
        struct decision fast;
        struct engine_choice choice;
        arena_clear(&world->arena);
        if (pick(world, 2) == 0)
                request.wants = DECIDE_POST_FILTER | DECIDE_VERDICTS;
        scheduler_decide(world->cluster, world->profile, &request, &world->arena, ret_slow);
        if (pick(world, 4) == 0) {
                request.engine = world->engine;
                request.wants |= DECIDE_SCORES; /* the scan, with remembered counts */
                scheduler_decide(world->cluster, world->profile, &request, &world->arena, &fast);
                compare_scans(ret_slow, &fast);
        }
        /* Now and then the engine misses a decision that its memory takes part in. */
        enum engine_answer answer =
                pick(world, 8) ? ask_engine(world, pod, &choice) : ENGINE_DECLINES;
        if (answer == ENGINE_CHOSE)
                compare_choice(ret_slow, &choice);
        else if (answer == ENGINE_FOUND_NONE)
                assert_int_equal(ret_slow->outcome, DECISION_UNSCHEDULABLE);
        world->engine_choices += answer == ENGINE_CHOSE;
        if (pick(world, 4) == 0)
                compare_filters(world, pod,
                                pick(world, 2) ? class_engine_memory(world->engine) : NULL);
        world->compared++;
}

/* The same in a what-if or two, one inside the other, that leave nothing behind. */
static void ask_inside(struct world *world, struct pod_id pod) {
        struct decision slow;
        uint64_t digest = cluster_digest(world->cluster);
        cluster_checkpoint(world->cluster);
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
        assert_int_equal(cluster_digest(world->cluster), digest);
}

/* A pod asks for a node; the best one takes it, mostly. */
static void place(struct world *world) {
        bool is_focused = pick(world, 8) != 0;
        unsigned name = is_focused ? 2 * pick(world, POD_NAMES / 2) : pick(world, POD_NAMES);
        unsigned shape = is_focused ? (world->focus + pick(world, FOCUS_SHAPES)) % ARRAY_LEN(shapes)
                                    : pick(world, ARRAY_LEN(shapes));
        struct decision slow;
        if (cluster_node_count(world->cluster) == 0)
                return;
        remove_pod(world, name);
        feed_pod(world, &(struct pod_plan){ name, shape, is_focused ? shape : pick(world, 3),
                                            pick(world, 6) ? "" : "\"priority\":7,", "" });
        struct pod_id pod = find_pod(world, name);
        if (pick(world, 3) == 0)
                ask_inside(world, pod);
        ask(world, pod, &slow);
        if (slow.outcome == DECISION_PLACED && pick(world, 5) != 0)
                cluster_assume(world->cluster, pod, slow.node);
        else if (pick(world, 8) == 0)
                cluster_nominate(world->cluster, pod,
                                 cluster_node_name(world->cluster, any_node(world)));
}

/* ---- runs ---- */

static void world_init(struct world *world, uint64_t seed) {
        static const size_t memory_sizes[] = { 65536, 0, 1 << 18, 1 << 20, 0 };
        struct err err = { 0 };
        *world = (struct world){ .cluster = cluster_new(&(struct cluster_config){ 0 }),
                                 .shelf = object_shelf_new(),
                                 .engine = class_engine_new(
                                         memory_sizes[seed % ARRAY_LEN(memory_sizes)]),
                                 .node_names = seed % 2 ? 12 : 150 };
        struct profile_env env = { .registry = sched_registry, .shelf = world->shelf };
        assert_int_equal(sched_profile_new_default(&env, &world->profile, &err), 0);
        rng_init(&world->rng, seed);
        arena_init(&world->arena, 0);
        for (unsigned i = 0; i < 2 * world->node_names; i++)
                change_node(world);
        put_storage(world);
}

static void world_release(struct world *world) {
        class_engine_free(world->engine);
        sched_profile_free(world->profile);
        object_shelf_free(world->shelf);
        cluster_free(world->cluster);
        arena_release(&world->arena);
}

static void change_something(struct world *world) {
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

static void run_seed(uint64_t seed, unsigned steps) {
        struct world world;
        struct err err = { 0 };
        struct class_engine_stats stats;
        world_init(&world, seed);
        for (unsigned i = 0; i < steps; i++) {
                if (i % FOCUS_STEPS == 0)
                        world.focus = pick(&world, ARRAY_LEN(shapes));
                for (unsigned changes = pick(&world, 3); changes > 0; changes--)
                        change_something(&world);
                place(&world);
                if (i % CHECK_EVERY == 0 && cluster_check(world.cluster, &err) < 0)
                        fail_msg("seed %u, step %u: %s", (unsigned)seed, i, err.text);
        }
        class_engine_stats(world.engine, &stats);
        print_message("seed %u: %u steps, %u choices by the engine, %u of them incremental\n",
                      (unsigned)seed, steps, (unsigned)world.engine_choices, (unsigned)stats.hits);
        /* Each way was taken. */
        assert_true(world.engine_choices > steps / 10 && stats.hits > 0 && stats.builds > 0);
        world_release(&world);
}

static void test_equals_naive_scan(void **state) {
        unsigned steps = from_environment("BERTH_ORACLE_STEPS", STEPS_DEFAULT);
        unsigned seeds = from_environment("BERTH_ORACLE_SEEDS", SEEDS_DEFAULT);
        (void)state;
        for (unsigned seed = 1; seed <= seeds; seed++)
                run_seed(seed, steps);
}

int main(void) {
        const struct CMUnitTest tests[] = { cmocka_unit_test(test_equals_naive_scan) };
        return cmocka_run_group_tests(tests, NULL, NULL);
}
