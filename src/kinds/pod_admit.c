/* Admission of pods: priority, standard tolerations, runtime class. */
#include "kinds/admit.h"
#include "kinds/check.h"

#include "api/quantity.h"
#include "base/arena.h"
#include "base/go_quote.h"
#include "base/util.h"
#include "kinds/defaults.h"
#include "kinds/prepare.h"
#include <string.h>

/* ---- priority ---- */

struct priority_choice {
        struct arena *arena;
        bool is_found;
        int64_t value;
        struct slice name, preemption;
};

static void pod_admit_choose(struct priority_choice *choice, const struct json *class) {
        choice->is_found = true;
        choice->value = json_get_i64(class, "value", 0);
        choice->name =
                arena_slice(choice->arena, json_get_text(json_get(class, "metadata"), "name"));
        choice->preemption = arena_slice(choice->arena, json_get_text(class, "preemptionPolicy"));
}

/* Of several defaults the lowest counts. */
static bool visit_default(void *context, const struct json *class) {
        struct priority_choice *choice = context;

        if (json_get_bool(class, "globalDefault", false) &&
            (!choice->is_found || json_get_i64(class, "value", 0) < choice->value))
                pod_admit_choose(choice, class);
        return true;
}

static int choose_priority(struct kind_context *context, struct json_node *pod,
                           struct priority_choice *choice, struct err *err) {
        struct slice name = node_get_text(node_get(pod, "spec"), "priorityClassName");
        const struct json *class = NULL;

        if (name.len == 0) {
                choice->preemption = SLICE_LITERAL("PreemptLowerPriority");
                if (context->each)
                        context->each(context->engine, "scheduling.k8s.io", "priorityclasses",
                                      SLICE_EMPTY, visit_default, choice);
                return 0;
        }
        if (context->lookup)
                class = context->lookup(context->engine, "scheduling.k8s.io", "priorityclasses",
                                        SLICE_EMPTY, name);
        if (!class)
                return admit_forbid(context, pod, err,
                                    "no PriorityClass with name " SLICE_FMT " was found",
                                    SLICE_ARG(name));
        pod_admit_choose(choice, class);
        return 0;
}

static int priority_admit(struct kind_context *context, struct json_tree *tree,
                          struct json_node *pod, struct err *err) {
        struct priority_choice choice = { .arena = context->scratch };
        struct json_node *spec = node_need_object(tree, pod, "spec");
        struct slice policy = node_get_text(spec, "preemptionPolicy");
        int64_t given = node_get_i64(spec, "priority", 0);
        int r = choose_priority(context, pod, &choice, err);

        if (r < 0)
                return r;
        if (node_get(spec, "priority") && given != choice.value)
                return admit_forbid(context, pod, err,
                                    "the integer value of priority (%lld) must not be provided in "
                                    "pod spec; priority admission controller computed %lld from "
                                    "the given PriorityClass name",
                                    (long long)given, (long long)choice.value);
        if (node_get(spec, "preemptionPolicy") && choice.preemption.len &&
            !slice_eq(policy, choice.preemption))
                return admit_forbid(context, pod, err,
                                    "the string value of PreemptionPolicy (" SLICE_FMT
                                    ") must not be provided in pod spec; priority admission "
                                    "controller computed " SLICE_FMT
                                    " from the given PriorityClass name",
                                    SLICE_ARG(policy), SLICE_ARG(choice.preemption));
        if (choice.is_found)
                node_put_text(tree, spec, "priorityClassName", choice.name);
        node_put_i64(tree, spec, "priority", choice.value);
        if (choice.preemption.len)
                node_put_text(tree, spec, "preemptionPolicy", choice.preemption);
        return 0;
}

/* With its gate, the priority of a new group is computed as that of a pod. */
static int group_priority_admit(struct kind_context *context, struct json_tree *tree,
                                struct json_node *object, struct err *err) {
        struct priority_choice choice = { .arena = context->scratch };
        struct json_node *spec = node_need_object(tree, object, "spec");
        int64_t given = node_get_i64(spec, "priority", 0);

        if (!(context->gates & GATE_GROUP_PRIORITY))
                return 0;
        int r = choose_priority(context, object, &choice, err);
        if (r < 0)
                return r;
        if (node_get(spec, "priority") && given != choice.value)
                return admit_forbid(context, object, err,
                                    "priority set in the pod group (%lld) must match the priority "
                                    "computed (%lld) based on the priority class set in the spec",
                                    (long long)given, (long long)choice.value);
        if (choice.is_found)
                node_put_text(tree, spec, "priorityClassName", choice.name);
        node_put_i64(tree, spec, "priority", choice.value);
        return 0;
}

/* A group stays while pods name it. */
ADMIT_HOOK(pod_group_admit) {
        (void)old;
        if (operation != KIND_CREATE)
                return 0;
        int r = group_priority_admit(context, tree, object, err);
        if (r == 0)
                admit_finalizer(tree, object, "scheduling.k8s.io/podgroup-protection");
        return r;
}

/* ---- tolerations ---- */

#define TAINT_TOLERATION_S 300

static bool is_tolerated(const struct json_node *tolerations, const char *key) {
        struct node_iter iter = node_iter(tolerations);
        struct json_node *toleration;

        while (node_next(&iter, NULL, &toleration)) {
                struct slice own = node_get_text(toleration, "key");
                struct slice effect = node_get_text(toleration, "effect");

                if ((own.len == 0 || slice_is(own, key)) &&
                    (effect.len == 0 || slice_is(effect, "NoExecute")))
                        return true;
        }
        return false;
}

static void toleration_admit(struct json_tree *tree, struct json_node *spec) {
        static const char *const keys[] = { "node.kubernetes.io/not-ready",
                                            "node.kubernetes.io/unreachable" };
        struct json_node *tolerations = node_need_array(tree, spec, "tolerations");
        bool is_needed[ARRAY_LEN(keys)];

        for (size_t i = 0; i < ARRAY_LEN(keys); i++)
                is_needed[i] = !is_tolerated(tolerations, keys[i]);
        for (size_t i = 0; i < ARRAY_LEN(keys); i++) {
                if (!is_needed[i])
                        continue;
                struct json_node *toleration = node_object(tree);
                node_put_string(tree, toleration, "key", keys[i]);
                node_put_string(tree, toleration, "operator", "Exists");
                node_put_string(tree, toleration, "effect", "NoExecute");
                node_put_i64(tree, toleration, "tolerationSeconds", TAINT_TOLERATION_S);
                node_append(tolerations, toleration);
        }
}

/* ---- runtime class ---- */

static int merge_node_selector(struct kind_context *context, struct json_tree *tree,
                               struct json_node *pod, const struct json *wanted, struct err *err) {
        struct json_node *spec = node_get(pod, "spec");
        struct json_node *selector = node_need_object(tree, spec, "nodeSelector");
        struct json_iter iter = json_iter(wanted);
        const struct json *value;
        struct slice key;

        while (json_next(&iter, &key, &value)) {
                struct json_node *own = node_find(selector, key);

                if (own && !slice_eq(node_get_slice(own), json_text(value)))
                        return admit_forbid(
                                context, pod, err,
                                "conflict: runtimeClass.scheduling.nodeSelector[" SLICE_FMT
                                "] = " SLICE_FMT "; pod.spec.nodeSelector[" SLICE_FMT
                                "] = " SLICE_FMT,
                                SLICE_ARG(key), SLICE_ARG(json_text(value)), SLICE_ARG(key),
                                SLICE_ARG(node_get_slice(own)));
                node_set(tree, selector, key, node_text(tree, json_text(value)));
        }
        return 0;
}

static bool has_equal(const struct json_node *array, const struct json_node *value) {
        for (size_t i = 0; i < node_count(array); i++)
                if (node_equal(node_at(array, i), value))
                        return true;
        return false;
}

static bool has_equal_amounts(const struct json_node *given, const struct json *wanted) {
        struct json_iter iter = json_iter(wanted);
        const struct json *amount;
        struct slice name;
        int order = 0;

        if (node_count(given) != json_count(wanted))
                return false;
        while (json_next(&iter, &name, &amount)) {
                const struct json_node *other = node_find(given, name);

                if (!other ||
                    quantity_compare(node_get_slice(other), json_text(amount), &order, NULL) < 0 ||
                    order != 0)
                        return false;
        }
        return true;
}

/* A pod that names its overhead has to name that of its class. */
static int take_overhead(struct kind_context *context, struct json_tree *tree,
                         struct json_node *pod, const struct json *defined, struct err *err) {
        struct json_node *spec = node_get(pod, "spec");
        const struct json_node *given = node_get(spec, "overhead");
        const struct json *fixed = json_get(defined, "podFixed");

        if (node_count(given) > 0 && defined && !has_equal_amounts(given, fixed))
                return admit_forbid(context, pod, err,
                                    "pod rejected: Pod's Overhead doesn't match "
                                    "RuntimeClass's defined Overhead");
        if (fixed)
                node_put(tree, spec, "overhead", node_import(tree, fixed));
        return 0;
}

int runtime_class_judge(struct kind_context *context, const struct json_node *pod,
                        struct field_errors *errors, struct err *err) {
        struct checker checker = { .errors = errors, .context = context };
        const struct json_node *spec = node_get(pod, "spec");
        struct at at = at_root("spec"), overhead = at_member(&at, "overhead");

        if (*context->kind->group || strcmp(context->kind->plural, "pods") != 0 ||
            (node_count(node_get(spec, "overhead")) == 0 && !is_emptied(&checker, &overhead)))
                return 0;
        const struct json *class =
                context->lookup(context->engine, "node.k8s.io", "runtimeclasses", SLICE_EMPTY,
                                node_get_text(spec, "runtimeClassName"));
        if (json_get(class, "overhead"))
                return 0;
        return admit_forbid(context, pod, err,
                            "pod rejected: Pod Overhead set without corresponding RuntimeClass "
                            "defined Overhead");
}

int runtime_class_admit(struct kind_context *context, struct json_tree *tree, struct json_node *pod,
                        struct err *err) {
        struct json_node *spec = node_get(pod, "spec"), *tolerations;
        struct slice name = node_get_text(spec, "runtimeClassName");
        const struct json *class = NULL, *toleration;
        CLEANUP(buf_release) struct buf quoted = { 0 };

        if (name.len == 0 && node_get(spec, "runtimeClassName"))
                return err_set(err, BERTH_ERR_INTERNAL, "resource name may not be empty");
        if (name.len && context->lookup)
                class = context->lookup(context->engine, "node.k8s.io", "runtimeclasses",
                                        SLICE_EMPTY, name);
        if (name.len && !class && segment_problem(name, false))
                return err_set(err, BERTH_ERR_INTERNAL,
                               "invalid resource name \"" SLICE_FMT "\": [%s]", SLICE_ARG(name),
                               segment_problem(name, false));
        go_quote_write(name, &quoted);
        if (name.len && !class)
                return admit_forbid(context, pod, err, "pod rejected: RuntimeClass %s not found",
                                    quoted.data);
        int r = take_overhead(context, tree, pod, json_get(class, "overhead"), err);
        if (r < 0)
                return r;
        r = merge_node_selector(context, tree, pod,
                                json_get(json_get(class, "scheduling"), "nodeSelector"), err);
        if (r < 0)
                return r;
        tolerations = node_need_array(tree, spec, "tolerations");
        struct json_iter iter = json_iter(json_get(json_get(class, "scheduling"), "tolerations"));
        while (json_next(&iter, NULL, &toleration)) {
                struct json_node *copy = node_import(tree, toleration);

                if (!has_equal(tolerations, copy))
                        node_append(tolerations, copy);
        }
        return 0;
}

/* ---- topology ---- */

void pod_topology_labels(struct kind_context *context, struct json_tree *tree,
                         struct json_node *pod, struct slice node_name) {
        static const char *const keys[] = { "topology.kubernetes.io/zone",
                                            "topology.kubernetes.io/region" };
        struct json_node *metadata = node_need_object(tree, pod, "metadata");
        const struct json *node = NULL, *labels;

        if (node_name.len && context->lookup)
                node = context->lookup(context->engine, "", "nodes", SLICE_EMPTY, node_name);
        labels = json_get(json_get(node, "metadata"), "labels");
        for (size_t i = 0; i < ARRAY_LEN(keys); i++)
                if (json_get(labels, keys[i]))
                        node_put_text(tree, node_need_object(tree, metadata, "labels"), keys[i],
                                      json_get_text(labels, keys[i]));
}

ADMIT_HOOK(pod_admit) {
        struct json_node *spec = node_need_object(tree, object, "spec");

        if (operation == KIND_UPDATE_STATUS)
                return 0;
        if (operation == KIND_UPDATE) {
                if (!node_get(spec, "priority"))
                        keep_member(tree, spec, json_get(old, "spec"), "priority");
                if (!node_get(spec, "preemptionPolicy"))
                        keep_member(tree, spec, json_get(old, "spec"), "preemptionPolicy");
                toleration_admit(tree, spec);
                return limit_range_admit(context, tree, object, old, err);
        }
        int r = limit_range_admit(context, tree, object, old, err);
        if (r < 0)
                return r;
        r = priority_admit(context, tree, object, err);
        if (r < 0)
                return r;
        toleration_admit(tree, spec);
        pod_topology_labels(context, tree, object, node_get_text(spec, "nodeName"));
        return runtime_class_admit(context, tree, object, err);
}
