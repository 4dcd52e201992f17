/* DefaultEvictor: which pods may be evicted at all (reference descheduler.md 3).  It is part of
 * every profile. */
#include "plugins/desched/default_evictor.h"
#include "base/saturate.h"
#include "base/util.h"
#include "plugins/desched/node_capacity.h"
#include "plugins/desched/node_fit.h"
#include "plugins/desched/pod_gc.h"
#include <stdlib.h>

struct default_evictor {
        const struct default_evictor_args *args;
        struct arena arena; /* of node_selector */
        unsigned protections;
        int32_t threshold;
        bool is_mandatory;
        bool is_node_selector_bad; /* parity: nodeFit then fails for every pod */
        struct selector node_selector;
        const struct selector *labels, *namespace_labels; /* NULL = not asked for */
};

/* ---- building ---- */

static int find_threshold(const struct plugin_env *env, const struct threshold_arg *arg,
                          int32_t *ret_threshold, struct err *err) {
        int32_t value = CRITICAL_PRIORITY;
        if (arg->name.len > 0 && env->cluster &&
            !cluster_priority_class(env->cluster, arg->name, &value))
                return err_set(err, BERTH_ERR_INVALID,
                               "priorityThreshold.name: no priority class \"" SLICE_FMT "\"",
                               SLICE_ARG(arg->name));
        if (arg->has_value)
                value = arg->value;
        if (value > CRITICAL_PRIORITY)
                return err_set(err, BERTH_ERR_INVALID,
                               "priorityThreshold: priority %d is above %d, the lowest of system "
                               "critical pods",
                               value, CRITICAL_PRIORITY);
        *ret_threshold = value;
        return 0;
}

static const struct selector *default_evictor_given(const struct selector_arg *arg) {
        return arg->is_given && !selector_is_empty(&arg->selector) ? &arg->selector : NULL;
}

static void default_evictor_fini(void *state) {
        struct default_evictor *evictor = state;
        if (!evictor)
                return;
        arena_release(&evictor->arena);
        free(evictor);
}

static int default_evictor_init(const struct plugin_env *env, const void *data, void **ret_state,
                                struct err *err) {
        const struct default_evictor_args *args = data;
        int32_t threshold = CRITICAL_PRIORITY;
        int code = find_threshold(env, &args->threshold, &threshold, err);
        if (code < 0)
                return code;
        struct default_evictor *evictor = xcalloc(1, sizeof(*evictor));
        *evictor = (struct default_evictor){
                .args = args,
                .protections = default_evictor_protections(args),
                .threshold = threshold,
                .is_mandatory = slice_is(args->no_eviction_policy, "Mandatory"),
                .labels = default_evictor_given(&args->labels),
                .namespace_labels = default_evictor_given(&args->namespace_labels),
        };
        arena_init(&evictor->arena, 512);
        code = selector_parse(args->node_selector, &evictor->arena, &evictor->node_selector, err);
        if (code < 0 && !env->is_parity) {
                err_wrap(err, "nodeSelector");
                default_evictor_fini(evictor);
                return code;
        }
        evictor->is_node_selector_bad = code < 0;
        *ret_state = evictor;
        return 0;
}

/* ---- filter ---- */

static const char *const daemon_set = "DaemonSet";

static bool has_daemon_owner(const struct cluster *cluster, const struct pod_row *pod) {
        for (uint16_t i = 0; i < pod->owner_count; i++)
                if (slice_is(cluster_text(cluster, pod->owners[i].kind), daemon_set))
                        return true;
        return false;
}

static bool is_listed(const struct item_list *list, struct slice name) {
        const struct storage_class_arg *classes = list->items;
        for (size_t i = 0; i < list->count; i++)
                if (slice_eq(classes[i].name, name))
                        return true;
        return false;
}

/* Without a list every claim protects; with one, claims of its classes and those whose class is
 * unknown. */
static bool claim_protects(const struct cluster *cluster, const struct pod_row *pod,
                           const struct volume *volume, const struct item_list *classes) {
        if (volume->kind != VOLUME_CLAIM)
                return false;
        if (classes->count == 0)
                return true;
        const struct claim_row *claim = cluster_claim(cluster, pod->ns, volume->claim_name);
        if (!claim || !claim->has_storage_class)
                return true;
        struct slice name = cluster_text(cluster, claim->storage_class);
        return name.len == 0 || is_listed(classes, name);
}

static bool has_protected_claim(const struct cluster *cluster, const struct pod_row *pod,
                                const struct pod_spec *spec, const struct item_list *classes) {
        for (size_t i = 0; i < spec->volume_count; i++)
                if (claim_protects(cluster, pod, &spec->volumes[i], classes))
                        return true;
        return false;
}

static bool has_budget(const struct cluster *cluster, const struct pod_row *pod) {
        const struct budget_row *budget;
        size_t at = 0;
        while ((budget = cluster_budget_next(cluster, pod->ns, &at)))
                if (budget->has_selector && !budget->selector_is_invalid &&
                    cluster_labels_match(cluster, &budget->selector, pod->labels))
                        return true;
        return false;
}

/* The rules below are independent: each gives its reason.  They return true to keep the pod. */
static bool is_protected_by_kind(const struct default_evictor *evictor,
                                 const struct cluster *cluster, const struct pod_row *pod,
                                 struct spare_reasons *reasons) {
        bool is_protected = false;
        if (pod->flags & POD_MIRROR) {
                spare_reason(reasons, "pod is a mirror pod");
                is_protected = true;
        }
        if (pod->flags & POD_STATIC) {
                spare_reason(reasons, "pod is a static pod");
                is_protected = true;
        }
        if (pod->flags & POD_TERMINATING) {
                spare_reason(reasons, "pod is terminating");
                is_protected = true;
        }
        bool spares_failed = evictor->protections & PROTECT_FAILED_BARE;
        if (pod->owner_count == 0 && (spares_failed || pod->phase != POD_FAILED)) {
                spare_reason(reasons, "pod does not have any ownerRefs%s",
                             spares_failed ? "" : " and is not failed");
                is_protected = true;
        }
        if (evictor->protections & PROTECT_DAEMON_SETS && has_daemon_owner(cluster, pod)) {
                spare_reason(reasons, "pod is related to a DaemonSet");
                is_protected = true;
        }
        return is_protected;
}

static bool is_protected_by_priority(const struct default_evictor *evictor,
                                     const struct pod_row *pod, struct spare_reasons *reasons) {
        if ((evictor->protections & PROTECT_CRITICAL) == 0 || !pod->has_priority)
                return false;
        bool is_protected = false;
        if (pod->priority >= CRITICAL_PRIORITY) {
                spare_reason(reasons, "pod has system critical priority");
                is_protected = true;
        }
        if (pod->priority >= evictor->threshold) {
                spare_reason(reasons, "pod has a priority of %d, the threshold is %d",
                             pod->priority, evictor->threshold);
                is_protected = true;
        }
        return is_protected;
}

static bool is_protected_by_storage(const struct default_evictor *evictor,
                                    const struct cluster *cluster, const struct pod_row *pod,
                                    struct spare_reasons *reasons) {
        const struct pod_class *class = cluster_class(cluster, pod->class);
        bool is_protected = false;
        if (evictor->protections & PROTECT_LOCAL_STORAGE && class->uses_local_storage) {
                spare_reason(reasons, "pod has local storage");
                is_protected = true;
        }
        if (evictor->protections & PROTECT_CLAIMS &&
            has_protected_claim(cluster, pod, &class->spec,
                                &evictor->args->protections.config.claims.classes)) {
                spare_reason(reasons, "pod has a protected PVC");
                is_protected = true;
        }
        if (evictor->protections & PROTECT_RESOURCE_CLAIMS && class->spec.claim_count > 0) {
                spare_reason(reasons, "pod has resource claims");
                is_protected = true;
        }
        return is_protected;
}

static bool has_few_replicas(const struct default_evictor *evictor, const struct cluster *cluster,
                             const struct pod_row *pod, struct spare_reasons *reasons) {
        int64_t least = evictor->args->min_replicas;
        if (least <= 1 || pod->owner_count != 1)
                return false;
        uint32_t count = cluster_owner_count(cluster, pod->owners[0].uid);
        if ((int64_t)count >= least)
                return false;
        spare_reason(reasons, "owner has %u replicas, the minimum is %lld", count,
                     (long long)least);
        return true;
}

static bool is_too_young(const struct default_evictor *evictor, const struct pod_row *pod,
                         struct desched_run *run, struct spare_reasons *reasons) {
        if (!evictor->args->has_min_age)
                return false;
        int64_t age_ns;
        if (age_nanoseconds(pod->started, desched_run_now(run), &age_ns)) {
                if (age_ns >= evictor->args->min_age_ns)
                        return false;
                desched_run_note_due(run, (struct wall_time){ sum_saturated(
                                                  pod->started.ns, evictor->args->min_age_ns) });
        }
        char age[DURATION_TEXT_MAX];
        duration_format(evictor->args->min_age_ns, age);
        spare_reason(reasons, "pod age is below %s", age);
        return true;
}

static bool is_protected_by_policy(const struct default_evictor *evictor,
                                   const struct cluster *cluster, const struct pod_row *pod,
                                   struct desched_run *run, struct spare_reasons *reasons) {
        bool is_protected = false;
        if (evictor->protections & PROTECT_WITHOUT_BUDGET &&
            (desched_run_hides_budgets(run) || !has_budget(cluster, pod))) {
                spare_reason(reasons, "no PodDisruptionBudget found for pod");
                is_protected = true;
        }
        if (evictor->labels && !cluster_labels_match(cluster, evictor->labels, pod->labels)) {
                spare_reason(reasons, "pod labels do not match the labelSelector");
                is_protected = true;
        }
        is_protected |= has_few_replicas(evictor, cluster, pod, reasons);
        is_protected |= is_too_young(evictor, pod, run, reasons);
        return is_protected;
}

/* The annotation "evict" bypasses every rule.  Upstream does not read its value and lets even a
 * terminating pod through. */
static bool is_marked(const struct pod_row *pod, bool is_parity) {
        if ((pod->flags & POD_EVICT_MARK) == 0)
                return false;
        return is_parity || (pod->flags & (POD_EVICT_MARK_FALSE | POD_TERMINATING)) == 0;
}

/* A finished pod that is to be deleted: what protects running pods does not apply. Pods that
 * another program deletes or still needs stay. */
static bool is_protected_from_cleanup(const struct default_evictor *evictor,
                                      const struct desched_run *run, const struct pod_row *pod,
                                      struct spare_reasons *reasons) {
        const struct cluster *cluster = desched_run_cluster(run);
        bool is_protected = false;
        if (pod_goes_with_job(run, pod->owners, pod->owner_count)) {
                spare_reason(reasons, "pod goes with its Job, which has a time to live");
                is_protected = true;
        }
        if (pod->flags & (POD_MIRROR | POD_STATIC)) {
                spare_reason(reasons, "pod belongs to its node's kubelet");
                is_protected = true;
        }
        if (pod->flags & POD_TERMINATING) {
                spare_reason(reasons, "pod is terminating");
                is_protected = true;
        }
        if (pod->flags & POD_HAS_FINALIZERS) {
                spare_reason(reasons, "pod has finalizers");
                is_protected = true;
        }
        if (evictor->labels && !cluster_labels_match(cluster, evictor->labels, pod->labels)) {
                spare_reason(reasons, "pod labels do not match the labelSelector");
                is_protected = true;
        }
        return is_protected;
}

static bool default_evictor_filter(struct desched_run *run, const void *state, struct pod_id id,
                                   struct spare_reasons *reasons) {
        const struct default_evictor *evictor = state;
        const struct cluster *cluster = desched_run_cluster(run);
        const struct pod_row *pod = cluster_pod(cluster, id);
        bool is_cleanup = desched_run_is_cleanup(run);
        if (!is_cleanup && is_marked(pod, desched_run_is_parity(run)))
                return true;
        if (evictor->is_mandatory && pod->flags & POD_PREFERS_STAY) {
                spare_reason(reasons, "pod prefers no eviction and the policy makes that binding");
                return false;
        }
        if (is_cleanup)
                return !is_protected_from_cleanup(evictor, run, pod, reasons);
        bool is_protected = is_protected_by_kind(evictor, cluster, pod, reasons);
        is_protected |= is_protected_by_priority(evictor, pod, reasons);
        if (is_protected && !reasons->text)
                return false; /* the other reasons are not reported */
        is_protected |= is_protected_by_storage(evictor, cluster, pod, reasons);
        is_protected |= is_protected_by_policy(evictor, cluster, pod, run, reasons);
        return !is_protected;
}

static bool default_evictor_filter_is_by_kind(const void *state) {
        const struct default_evictor *evictor = state;
        return !evictor->args->has_min_age;
}

/* ---- before eviction ---- */

/* Ready nodes that the evictor's nodeSelector matches, whatever the policy's says. */
static const struct bitset *candidate_nodes(const struct default_evictor *evictor,
                                            struct desched_run *run) {
        struct bitset *nodes = desched_run_cached(run, evictor, 0);
        if (nodes)
                return nodes;
        const struct cluster *cluster = desched_run_cluster(run);
        const struct node_table *table = cluster_nodes(cluster);
        nodes = ARENA_NEW(desched_run_pass_arena(run), struct bitset);
        *nodes = bitset_in_arena(desched_run_pass_arena(run), table->count);
        for (size_t i = bitset_next(&table->ready, 0); i != SIZE_MAX;
             i = bitset_next(&table->ready, i + 1))
                if (!evictor->is_node_selector_bad &&
                    cluster_labels_match(cluster, &evictor->node_selector, table->labels[i]))
                        bitset_add(nodes, i);
        desched_run_cache_put(run, evictor, 0, nodes);
        return nodes;
}

/* Upstream gives the last free place to every pod that asks. */
static bool finds_node(const struct default_evictor *evictor, struct desched_run *run,
                       struct pod_id id) {
        const struct bitset *nodes = candidate_nodes(evictor, run);
        return desched_run_is_parity(run) ? node_fits_any_other(run, id, nodes)
                                          : node_capacity_find(run, id, nodes);
}

static bool default_evictor_pre_filter(struct desched_run *run, const void *state, struct pod_id id,
                                       struct spare_reasons *reasons) {
        const struct default_evictor *evictor = state;
        const struct cluster *cluster = desched_run_cluster(run);
        if (evictor->args->fits_nodes && !desched_run_is_cleanup(run) &&
            !finds_node(evictor, run, id)) {
                spare_reason(reasons, "pod does not fit on any other node");
                return false;
        }
        if (!evictor->namespace_labels)
                return true;
        struct label_set_id labels;
        if (cluster_namespace_labels(cluster, cluster_pod(cluster, id)->ns, &labels) &&
            cluster_labels_match(cluster, evictor->namespace_labels, labels))
                return true;
        spare_reason(reasons, "namespace labels do not match the namespaceLabelSelector");
        return false;
}

static bool default_evictor_pre_filter_is_by_kind(const void *state) {
        const struct default_evictor *evictor = state;
        return !evictor->args->fits_nodes;
}

const struct plugin plugin_default_evictor = {
        .name = "DefaultEvictor",
        .args = default_evictor_fields,
        .args_size = sizeof(struct default_evictor_args),
        .check = default_evictor_check,
        .init = default_evictor_init,
        .fini = default_evictor_fini,
        .desched =
                &(const struct desched_points){
                        .filter = default_evictor_filter,
                        .pre_eviction_filter = default_evictor_pre_filter,
                        .filter_is_by_kind = default_evictor_filter_is_by_kind,
                        .pre_eviction_filter_is_by_kind = default_evictor_pre_filter_is_by_kind },
};
