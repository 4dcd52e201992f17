/* The batch plugins against a naive scan, node by node over decoded objects: on generated clusters
 * feasible nodes and totals must be equal, and filter and explain must agree. */
#include "base/rng.h"
#include "sched/decision.h"
#include "sched_test.h"
#include <math.h>

#define NODES_MAX 24
#define PODS_MAX 60
#define CLUSTERS 60

/* ---- generated objects ---- */

struct scene {
        struct sched_test test;
        struct arena arena;
        struct rng rng;
        size_t node_count, pod_count;
        struct node nodes[NODES_MAX];
        struct pod pods[PODS_MAX]; /* running */
        struct json_doc *docs[NODES_MAX + PODS_MAX + 1];
        size_t doc_count;
};

static uint64_t pick(struct scene *scene, uint64_t bound) {
        return rng_below(&scene->rng, bound);
}

static const struct json *parse(struct scene *scene, const struct buf *text) {
        struct err err = { 0 };
        assert_int_equal(json_parse(buf_view(text), &scene->docs[scene->doc_count], &err), 0);
        return json_doc_root(scene->docs[scene->doc_count++]);
}

static void add_node(struct scene *scene) {
        static const char *const effects[] = { "NoSchedule", "NoExecute", "PreferNoSchedule" };
        struct buf text = { 0 };
        size_t i = scene->node_count;
        buf_printf(
                &text,
                "{\"metadata\":{\"name\":\"n%zu\",\"labels\":{\"zone\":\"z%u\",\"size\":\"%u\"%s}},"
                "\"spec\":{\"unschedulable\":%s,\"taints\":[",
                i, (unsigned)pick(scene, 3), (unsigned)pick(scene, 9),
                pick(scene, 2) ? ",\"disk\":\"ssd\"" : "", pick(scene, 8) ? "false" : "true");
        for (uint64_t t = 0, count = pick(scene, 3); t < count; t++)
                buf_printf(&text, "%s{\"key\":\"k%u\",\"value\":\"v%u\",\"effect\":\"%s\"}",
                           t ? "," : "", (unsigned)pick(scene, 3), (unsigned)pick(scene, 2),
                           effects[pick(scene, 3)]);
        buf_printf(&text,
                   "]},\"status\":{\"allocatable\":{\"cpu\":\"%um\",\"memory\":\"%uMi\",\"pods\":"
                   "\"%u\"%s}}}",
                   (unsigned)(1000 + 500 * pick(scene, 8)), (unsigned)(1024 + 512 * pick(scene, 8)),
                   (unsigned)(1 + pick(scene, 12)), pick(scene, 2) ? ",\"x.io/gpu\":\"2\"" : "");
        const struct json *object = parse(scene, &text);
        struct err err = { 0 };
        assert_int_equal(node_decode(object, &scene->arena, &scene->nodes[i], &err), 0);
        assert_int_equal(
                cluster_apply(scene->test.cluster, OBJECT_NODE, CHANGE_ADDED, object, &err), 0);
        scene->node_count++;
        buf_release(&text);
}

static void add_affinity(struct scene *scene, struct buf *text) {
        static const char *const requirements[] = {
                "{\"key\":\"zone\",\"operator\":\"In\",\"values\":[\"z0\",\"z1\"]}",
                "{\"key\":\"zone\",\"operator\":\"NotIn\",\"values\":[\"z2\"]}",
                "{\"key\":\"disk\",\"operator\":\"Exists\"}",
                "{\"key\":\"disk\",\"operator\":\"DoesNotExist\"}",
                "{\"key\":\"size\",\"operator\":\"Gt\",\"values\":[\"3\"]}",
                "{\"key\":\"size\",\"operator\":\"Lt\",\"values\":[\"6\"]}",
                "{\"key\":\"zone\",\"operator\":\"Gt\",\"values\":[\"1\"]}",
        };
        size_t count = ARRAY_LEN(requirements);
        buf_text(text, "\"affinity\":{\"nodeAffinity\":{");
        if (pick(scene, 2))
                buf_printf(text,
                           "\"requiredDuringSchedulingIgnoredDuringExecution\":{"
                           "\"nodeSelectorTerms\":[{\"matchExpressions\":[%s,%s]},"
                           "{\"matchExpressions\":[%s]}]},",
                           requirements[pick(scene, count)], requirements[pick(scene, count)],
                           requirements[pick(scene, count)]);
        buf_printf(text,
                   "\"preferredDuringSchedulingIgnoredDuringExecution\":[{\"weight\":%u,"
                   "\"preference\":{\"matchExpressions\":[%s]}}]}},",
                   (unsigned)(1 + pick(scene, 90)), requirements[pick(scene, count)]);
}

static void write_pod(struct scene *scene, struct buf *text, const char *name, const char *node) {
        buf_printf(text,
                   "{\"metadata\":{\"namespace\":\"default\",\"name\":\"%s\",\"uid\":\"u-%s\"},"
                   "\"spec\":{%s",
                   name, name, node);
        if (pick(scene, 3) == 0)
                buf_text(text, "\"nodeSelector\":{\"disk\":\"ssd\"},");
        if (pick(scene, 2))
                add_affinity(scene, text);
        buf_text(text, "\"tolerations\":[{\"operator\":\"Exists\",\"key\":\"none\"}");
        for (uint64_t t = 0, count = pick(scene, 4); t < count; t++)
                buf_printf(text, ",{\"key\":\"k%u\",\"operator\":\"%s\"%s}",
                           (unsigned)pick(scene, 3), pick(scene, 2) ? "Exists" : "Equal",
                           pick(scene, 2) ? ",\"effect\":\"NoSchedule\"" : "");
        buf_text(text, "],\"containers\":[{\"name\":\"c\",\"image\":\"i\",\"resources\":{"
                       "\"requests\":{");
        if (pick(scene, 4))
                buf_printf(text, "\"cpu\":\"%um\",", (unsigned)(50 * pick(scene, 20)));
        if (pick(scene, 4) == 0)
                buf_text(text, "\"x.io/gpu\":\"1\",");
        buf_printf(text, "\"memory\":\"%uMi\"}}", (unsigned)(32 * pick(scene, 20)));
        if (pick(scene, 3) == 0)
                buf_printf(text, ",\"ports\":[{\"containerPort\":1,\"hostPort\":%u%s}]",
                           (unsigned)(80 + pick(scene, 2)),
                           pick(scene, 2) ? ",\"hostIP\":\"10.0.0.1\"" : "");
        buf_text(text, "}]}}");
}

static const struct json *add_pod(struct scene *scene, const char *name, const char *node,
                                  struct pod *ret_pod) {
        struct buf text = { 0 };
        struct err err = { 0 };
        write_pod(scene, &text, name, node);
        const struct json *object = parse(scene, &text);
        buf_release(&text);
        assert_int_equal(pod_decode(object, &scene->arena, ret_pod, &err), 0);
        assert_int_equal(cluster_apply(scene->test.cluster, OBJECT_POD, CHANGE_ADDED, object, &err),
                         0);
        return object;
}

static void scene_init(struct scene *scene, uint64_t seed) {
        memset(scene, 0, sizeof(*scene));
        sched_test_init(&scene->test, NULL);
        arena_init(&scene->arena, 0);
        rng_init(&scene->rng, seed);
        for (size_t i = 0, count = 2 + pick(scene, NODES_MAX - 2); i < count; i++)
                add_node(scene);
        for (size_t i = 0, count = pick(scene, PODS_MAX); i < count; i++) {
                char name[32], node[40];
                snprintf(name, sizeof(name), "r%zu", i);
                snprintf(node, sizeof(node), "\"nodeName\":\"n%u\",",
                         (unsigned)pick(scene, scene->node_count));
                add_pod(scene, name, node, &scene->pods[scene->pod_count++]);
        }
}

static void scene_release(struct scene *scene) {
        sched_test_release(&scene->test);
        for (size_t i = 0; i < scene->doc_count; i++)
                json_doc_free(scene->docs[i]);
        arena_release(&scene->arena);
}

/* ---- the naive scan ---- */

struct use {
        int64_t cpu, memory, gpu, pods, default_cpu, default_memory;
};

static struct use use_of(const struct pod *pod, struct arena *arena) {
        struct resource_list list = pod_spec_requests(&pod->spec, false, arena);
        struct resource_list scored = pod_spec_requests(&pod->spec, true, arena);
        return (struct use){ resource_list_get(&list, "cpu", NULL),
                             resource_list_get(&list, "memory", NULL),
                             resource_list_get(&list, "x.io/gpu", NULL),
                             1,
                             resource_list_get(&scored, "cpu", NULL),
                             resource_list_get(&scored, "memory", NULL) };
}

static struct use used_on(struct scene *scene, const struct node *node) {
        struct use sum = { 0 };
        for (size_t i = 0; i < scene->pod_count; i++) {
                if (!slice_eq(scene->pods[i].spec.node_name, node->meta.name))
                        continue;
                struct use one = use_of(&scene->pods[i], &scene->arena);
                sum.cpu += one.cpu;
                sum.memory += one.memory;
                sum.gpu += one.gpu;
                sum.pods++;
                sum.default_cpu += one.default_cpu;
                sum.default_memory += one.default_memory;
        }
        return sum;
}

static bool tolerates(const struct pod *pod, const struct taint *taint) {
        for (size_t i = 0; i < pod->spec.toleration_count; i++) {
                const struct toleration *t = &pod->spec.tolerations[i];
                if ((t->effect == TAINT_EFFECT_NONE || t->effect == taint->effect) &&
                    slice_eq(t->key, taint->key) &&
                    (t->op == TOLERATION_EXISTS || slice_eq(t->value, taint->value)))
                        return true;
        }
        return false;
}

static bool requirement_holds(const struct node_requirement *r, const struct node *node) {
        bool has_key = false;
        struct slice value = SLICE_EMPTY;
        int64_t number;
        for (size_t i = 0; i < node->meta.labels.count; i++)
                if (slice_eq(node->meta.labels.items[i].key, r->key)) {
                        has_key = true;
                        value = node->meta.labels.items[i].value;
                }
        bool is_listed = false;
        for (size_t i = 0; i < r->value_count; i++)
                is_listed = is_listed || slice_eq(r->values[i], value);
        switch (r->op) {
        case SELECTOR_IN:
                return has_key && is_listed;
        case SELECTOR_NOT_IN:
                return !has_key || !is_listed;
        case SELECTOR_EXISTS:
                return has_key;
        case SELECTOR_NOT_EXISTS:
                return !has_key;
        case SELECTOR_GT:
                return has_key && slice_to_i64(value, &number) && number > r->number;
        case SELECTOR_LT:
                return has_key && slice_to_i64(value, &number) && number < r->number;
        }
        return false;
}

static bool term_holds(const struct node_term *term, const struct node *node) {
        for (size_t i = 0; i < term->expression_count; i++)
                if (!requirement_holds(&term->expressions[i], node))
                        return false;
        return term->expression_count > 0;
}

static bool affinity_holds(const struct pod *pod, const struct node *node) {
        const struct affinity *affinity = &pod->spec.affinity;
        bool holds = !affinity->has_required_node_terms;
        for (size_t i = 0; i < pod->spec.node_selector.count; i++) {
                bool found;
                struct slice value = label_list_get(node->meta.labels, "disk", &found);
                if (!found || !slice_eq(value, pod->spec.node_selector.items[i].value))
                        return false;
        }
        for (size_t i = 0; i < affinity->required_node_count; i++)
                holds = holds || term_holds(&affinity->required_node[i], node);
        return holds;
}

static bool ports_free(struct scene *scene, const struct pod *pod, const struct node *node) {
        const struct container *wanted = &pod->spec.containers[0];
        for (size_t i = 0; i < scene->pod_count; i++) {
                const struct container *used = &scene->pods[i].spec.containers[0];
                if (!slice_eq(scene->pods[i].spec.node_name, node->meta.name) ||
                    wanted->port_count == 0 || used->port_count == 0 ||
                    wanted->ports[0].host_port != used->ports[0].host_port)
                        continue;
                if (slice_is_empty(wanted->ports[0].host_ip) ||
                    slice_is_empty(used->ports[0].host_ip) ||
                    slice_eq(wanted->ports[0].host_ip, used->ports[0].host_ip))
                        return false;
        }
        return true;
}

static bool has_room(const struct node *node, const struct use *used, const struct use *wanted) {
        const struct resource_list *all = &node->allocatable;
        return used->pods + 1 <= resource_list_get(all, "pods", NULL) &&
               (wanted->cpu == 0 ||
                used->cpu + wanted->cpu <= resource_list_get(all, "cpu", NULL)) &&
               (wanted->memory == 0 ||
                used->memory + wanted->memory <= resource_list_get(all, "memory", NULL)) &&
               (wanted->gpu == 0 ||
                used->gpu + wanted->gpu <= resource_list_get(all, "x.io/gpu", NULL));
}

static bool naive_fits(struct scene *scene, const struct pod *pod, const struct node *node) {
        struct use used = used_on(scene, node), wanted = use_of(pod, &scene->arena);
        for (size_t i = 0; i < node->taint_count; i++)
                if (node->taints[i].effect != TAINT_PREFER_NO_SCHEDULE &&
                    !tolerates(pod, &node->taints[i]))
                        return false;
        return !node->is_unschedulable && affinity_holds(pod, node) &&
               ports_free(scene, pod, node) && has_room(node, &used, &wanted);
}

static int64_t least_allocated(const struct node *node, const struct use *used,
                               const struct use *wanted) {
        int64_t cpu = resource_list_get(&node->allocatable, "cpu", NULL);
        int64_t memory = resource_list_get(&node->allocatable, "memory", NULL);
        int64_t free_cpu = cpu - used->default_cpu - wanted->default_cpu;
        int64_t free_memory = memory - used->default_memory - wanted->default_memory;
        return ((free_cpu < 0 ? 0 : free_cpu * 100 / cpu) +
                (free_memory < 0 ? 0 : free_memory * 100 / memory)) /
               2;
}

static int64_t evenness(double a, double b) {
        a = a > 1 ? 1 : a;
        b = b > 1 ? 1 : b;
        return (int64_t)((1 - fabs((a - b) / 2)) * 100);
}

static int64_t balance(const struct node *node, const struct use *used, const struct use *wanted) {
        double cpu = (double)resource_list_get(&node->allocatable, "cpu", NULL);
        double memory = (double)resource_list_get(&node->allocatable, "memory", NULL);
        int64_t with = evenness((double)(used->cpu + wanted->cpu) / cpu,
                                (double)(used->memory + wanted->memory) / memory);
        int64_t without = evenness((double)used->cpu / cpu, (double)used->memory / memory);
        return 50 + (50 + with - without) / 2;
}

struct raw_scores {
        int64_t taints, preference;
};

static struct raw_scores raw_scores(const struct pod *pod, const struct node *node) {
        struct raw_scores raw = { 0 };
        for (size_t i = 0; i < node->taint_count; i++)
                raw.taints += node->taints[i].effect == TAINT_PREFER_NO_SCHEDULE &&
                              !tolerates(pod, &node->taints[i]);
        for (size_t i = 0; i < pod->spec.affinity.preferred_node_count; i++)
                if (term_holds(&pod->spec.affinity.preferred_node[i].term, node))
                        raw.preference += pod->spec.affinity.preferred_node[i].weight;
        return raw;
}

/* Totals of the nodes that fit (-1 elsewhere); 0 throughout when only one does. */
static size_t naive_scan(struct scene *scene, const struct pod *pod, int64_t *ret_totals) {
        struct raw_scores raw[NODES_MAX], max = { 0 };
        struct use wanted = use_of(pod, &scene->arena);
        size_t count = 0;
        for (size_t i = 0; i < scene->node_count; i++) {
                ret_totals[i] = naive_fits(scene, pod, &scene->nodes[i]) ? 0 : -1;
                if (ret_totals[i] < 0)
                        continue;
                count++;
                raw[i] = raw_scores(pod, &scene->nodes[i]);
                max.taints = raw[i].taints > max.taints ? raw[i].taints : max.taints;
                max.preference =
                        raw[i].preference > max.preference ? raw[i].preference : max.preference;
        }
        for (size_t i = 0; i < scene->node_count && count > 1; i++) {
                if (ret_totals[i] < 0)
                        continue;
                struct use used = used_on(scene, &scene->nodes[i]);
                int64_t taints = max.taints ? 100 - 100 * raw[i].taints / max.taints : 100;
                int64_t preference = max.preference ? 100 * raw[i].preference / max.preference : 0;
                ret_totals[i] = 3 * taints + 2 * preference +
                                least_allocated(&scene->nodes[i], &used, &wanted);
                if (wanted.cpu > 0 || wanted.memory > 0)
                        ret_totals[i] += balance(&scene->nodes[i], &used, &wanted);
        }
        return count;
}

/* ---- comparing ---- */

static void compare(struct scene *scene, const struct decision *decision, const int64_t *totals,
                    size_t count) {
        assert_int_equal(decision->feasible_count, count);
        for (size_t i = 0; i < decision->feasible_count; i++) {
                struct slice name = cluster_node_name(scene->test.cluster, decision->feasible[i]);
                size_t at = 0;
                while (!slice_eq(scene->nodes[at].meta.name, name))
                        at++;
                assert_true(totals[at] >= 0);
                if (decision->totals)
                        assert_int_equal(decision->totals[i], totals[at]);
        }
        assert_int_equal(decision->feasible_count + decision->refusal_count, scene->node_count);
}

static void run_seed(uint64_t seed) {
        struct scene *scene = xmalloc(sizeof(*scene));
        int64_t totals[NODES_MAX];
        struct decision decision;
        struct pod pod = { 0 };
        scene_init(scene, seed);
        add_pod(scene, "new", "", &pod);
        struct decision_request request = {
                .pod = cluster_find_pod(scene->test.cluster, SLICE_LITERAL("default"),
                                        SLICE_LITERAL("new")),
                .wants = DECIDE_VERDICTS, /* asserts that explain agrees with filter */
        };
        scheduler_decide(scene->test.cluster, scene->test.profile, &request, &scene->arena,
                         &decision);
        compare(scene, &decision, totals, naive_scan(scene, &pod, totals));
        scene_release(scene);
        free(scene);
}

static void test_equals_naive_scan(void **state) {
        (void)state;
        for (uint64_t seed = 1; seed <= CLUSTERS; seed++) {
                print_message("seed %u\n", (unsigned)seed);
                run_seed(seed);
        }
}

int main(void) {
        const struct CMUnitTest tests[] = { cmocka_unit_test(test_equals_naive_scan) };
        return cmocka_run_group_tests(tests, NULL, NULL);
}
