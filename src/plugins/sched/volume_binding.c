/* VolumeBinding: claims of the pod must be bound to volumes its node can reach, or be bindable
 * there (reference scheduler.md 4.6). */
#include "base/time.h"
#include "plugin/cache_hints.h"
#include "plugin/sched_points.h"
#include "plugin/sched_profile.h"
#include "rules/node_affinity.h"
#include "rules/volumes.h"
#include <stdlib.h>

struct volume_binding_shape_point {
        int32_t utilization, score;
};
struct binding_args {
        struct args_head head;
        int64_t timeout_s;
        bool has_shape;
        struct item_list shape; /* struct volume_binding_shape_point; needs a gate that is off */
};

struct bound_claim {
        const struct json *volume; /* NULL: gone */
        const struct affinity *affinity;
};
struct delayed_claim {
        const struct json *claim, *class;
        struct volume_candidates candidates;
        struct slice selected_node;
        bool has_selected_node;
        bool is_everywhere; /* provisioned on any node alike */
        int64_t size;
};
struct claims {
        size_t bound_count, delayed_count;
        struct bound_claim *bound;
        struct delayed_claim *delayed; /* smallest first */
};

/* ---- PreFilter ---- */

static enum verdict_code volume_binding_refuse(struct verdict *verdict, const char *text) {
        verdict_no(verdict, VERDICT_UNRESOLVABLE, slice_of(text));
        return VERDICT_UNRESOLVABLE;
}

/* Claims that are missing, lost, being deleted or of another pod refuse the pod. */
static enum verdict_code check_claim(const struct sched_cycle *cycle, const struct pod_claim *claim,
                                     struct verdict *verdict) {
        struct arena *arena = cycle->scratch;
        struct slice ns = cluster_text(cycle->cluster, cycle->ns);
        if (!claim->claim)
                return volume_binding_refuse(
                        verdict,
                        arena_printf(arena,
                                     claim->is_ephemeral
                                             ? "waiting for ephemeral volume controller to "
                                               "create the persistentvolumeclaim \"%.*s\""
                                             : "persistentvolumeclaim \"%.*s\" not found",
                                     SLICE_ARG(claim->name)));
        if (slice_is(json_get_text(json_get(claim->claim, "status"), "phase"), "Lost"))
                return volume_binding_refuse(
                        verdict,
                        arena_printf(arena,
                                     "persistentvolumeclaim \"" SLICE_FMT
                                     "\" bound to non-existent persistentvolume \"" SLICE_FMT "\"",
                                     SLICE_ARG(claim->name),
                                     SLICE_ARG(claim_volume(claim->claim))));
        if (object_is_terminating(claim->claim))
                return volume_binding_refuse(verdict,
                                             arena_printf(arena,
                                                          "persistentvolumeclaim \"" SLICE_FMT
                                                          "\" is being deleted",
                                                          SLICE_ARG(claim->name)));
        const char *uid =
                pod_id_is_none(cycle->pod) ? "" : cluster_pod(cycle->cluster, cycle->pod)->uid;
        if (claim->is_ephemeral && !claim_is_of_pod(claim->claim, slice_of(uid)))
                return volume_binding_refuse(verdict,
                                             arena_printf(arena,
                                                          "PVC " SLICE_FMT "/" SLICE_FMT
                                                          " was not created for pod " SLICE_FMT
                                                          "/%s (pod is not owner)",
                                                          SLICE_ARG(ns), SLICE_ARG(claim->name),
                                                          SLICE_ARG(ns), cycle->pod_name));
        return VERDICT_OK;
}

static void take_bound(const struct sched_cycle *cycle, struct claims *claims,
                       const struct json *claim) {
        const struct json *volume = object_cache_get(cycle->object_cache, CACHED_VOLUME,
                                                     SLICE_EMPTY, claim_volume(claim));
        claims->bound[claims->bound_count++] =
                (struct bound_claim){ volume, volume_affinity(volume, cycle->scratch) };
}

/* False: the claim should have been bound long ago. */
static bool take_unbound(const struct sched_cycle *cycle, struct claims *claims,
                         const struct json *claim) {
        bool is_unset, has_size;
        const struct json *class = object_cache_get(cycle->object_cache, CACHED_STORAGE_CLASS,
                                                    SLICE_EMPTY, claim_class(claim));
        if (!class_is_delayed(class, &is_unset) || !slice_is_empty(claim_volume(claim)))
                return false;
        struct delayed_claim *delayed = &claims->delayed[claims->delayed_count++];
        *delayed = (struct delayed_claim){ .claim = claim,
                                           .class = class,
                                           .size = claim_size(claim, &has_size) };
        delayed->selected_node = claim_selected_node(claim, &delayed->has_selected_node);
        delayed->candidates = volume_candidates_of(cycle->object_cache, claim, cycle->scratch);
        delayed->is_everywhere = class_is_everywhere(cycle->object_cache, class);
        return true;
}

static int compare_sizes(const void *a, const void *b) {
        const struct delayed_claim *x = a, *y = b;
        return x->size < y->size ? -1 : x->size > y->size;
}

static enum verdict_code pre_filter(const struct sched_cycle *cycle, const void *state,
                                    void **ret_pod_state, const struct bitset **ret_only,
                                    struct verdict *verdict) {
        (void)state;
        (void)ret_only;
        const struct pod_spec *spec = &cycle->class->spec;
        struct claims *claims = ARENA_NEW(cycle->scratch, struct claims);
        struct pod_claim *all = ARENA_ARRAY(cycle->scratch, struct pod_claim, spec->volume_count);
        size_t count = 0;
        for (size_t i = 0; i < spec->volume_count && knows_volumes(cycle); i++) {
                if (!pod_claim_of(&spec->volumes[i], cycle->object_cache,
                                  cluster_text(cycle->cluster, cycle->ns),
                                  slice_of(cycle->pod_name), cycle->scratch, &all[count]))
                        continue;
                enum verdict_code code = check_claim(cycle, &all[count++], verdict);
                if (code != VERDICT_OK)
                        return code;
        }
        if (count == 0)
                return VERDICT_SKIP;
        claims->bound = ARENA_ARRAY(cycle->scratch, struct bound_claim, count);
        claims->delayed = ARENA_ARRAY(cycle->scratch, struct delayed_claim, count);
        for (size_t i = 0; i < count; i++) {
                if (claim_is_bound(all[i].claim))
                        take_bound(cycle, claims, all[i].claim);
                else if (!take_unbound(cycle, claims, all[i].claim))
                        return volume_binding_refuse(
                                verdict, "pod has unbound immediate PersistentVolumeClaims");
        }
        qsort(claims->delayed, claims->delayed_count, sizeof(*claims->delayed), compare_sizes);
        *ret_pod_state = claims;
        return VERDICT_OK;
}

/* ---- Filter ---- */

enum binding_problem {
        PROBLEM_NODE_CONFLICT = 1,
        PROBLEM_NO_VOLUMES = 2,
        PROBLEM_NO_SPACE = 4,
        PROBLEM_NO_VOLUME_OBJECT = 8
};

static unsigned judge_bound(const struct cluster *cluster, const struct claims *claims,
                            struct node_id node) {
        for (size_t i = 0; i < claims->bound_count; i++) {
                if (!claims->bound[i].volume)
                        return PROBLEM_NO_VOLUME_OBJECT;
                if (!volume_admits(cluster, claims->bound[i].affinity, node))
                        return PROBLEM_NODE_CONFLICT;
        }
        return 0;
}

static unsigned judge_provision(const struct sched_cycle *cycle,
                                const struct delayed_claim *delayed, struct node_id node) {
        if (!class_admits(cycle->cluster, delayed->class, node))
                return PROBLEM_NO_VOLUMES;
        return capacity_is_short(cycle->cluster, cycle->object_cache, delayed->claim,
                                 delayed->class, node, cycle->scratch)
                       ? PROBLEM_NO_SPACE
                       : 0;
}

static unsigned judge_delayed(const struct sched_cycle *cycle, const struct claims *claims,
                              struct node_id node) {
        struct slice name = cluster_node_name(cycle->cluster, node);
        struct taken_volumes taken = { .items = ARENA_ARRAY(cycle->scratch, const struct json *,
                                                            claims->delayed_count) };
        bool *is_matched = ARENA_ARRAY(cycle->scratch, bool, claims->delayed_count);
        for (size_t i = 0; i < claims->delayed_count; i++)
                if (claims->delayed[i].has_selected_node &&
                    !slice_eq(claims->delayed[i].selected_node, name))
                        return PROBLEM_NO_VOLUMES;
        for (size_t i = 0; i < claims->delayed_count; i++) {
                if (claims->delayed[i].has_selected_node)
                        continue;
                const struct json *volume =
                        volume_choose(cycle->cluster, &claims->delayed[i].candidates, node, &taken);
                if (volume)
                        taken.items[taken.count++] = volume;
                is_matched[i] = volume;
        }
        for (size_t i = 0; i < claims->delayed_count; i++) {
                unsigned problem =
                        is_matched[i] ? 0 : judge_provision(cycle, &claims->delayed[i], node);
                if (problem != 0)
                        return problem;
        }
        return 0;
}

static unsigned volume_binding_judge(const struct sched_cycle *cycle, const struct claims *claims,
                                     struct node_id node) {
        unsigned problems = judge_bound(cycle->cluster, claims, node);
        if (claims->delayed_count > 0)
                problems |= judge_delayed(cycle, claims, node);
        return problems;
}

static void narrow_to_bound(const struct sched_cycle *cycle, const struct claims *claims,
                            struct bitset *nodes) {
        for (size_t i = 0; i < claims->bound_count; i++) {
                const struct affinity *affinity = claims->bound[i].affinity;
                if (!claims->bound[i].volume)
                        bitset_clear(nodes);
                else if (affinity)
                        node_terms_narrow(cycle->cluster, affinity->required_node,
                                          affinity->required_node_count, cycle->scratch, nodes);
        }
}

static bool is_same_everywhere(const struct claims *claims) {
        for (size_t i = 0; i < claims->delayed_count; i++)
                if (claims->delayed[i].has_selected_node || !claims->delayed[i].is_everywhere)
                        return false;
        return true;
}

static void volume_binding_filter(const struct sched_cycle *cycle, const void *state,
                                  const void *pod_state, struct bitset *nodes) {
        (void)state;
        narrow_to_bound(cycle, pod_state, nodes);
        if (is_same_everywhere(pod_state))
                return;
        for (size_t i = bitset_next(nodes, 0); i != SIZE_MAX; i = bitset_next(nodes, i + 1))
                if (volume_binding_judge(cycle, pod_state, (struct node_id){ (uint32_t)i }) != 0)
                        bitset_remove(nodes, i);
}

static void volume_binding_explain(const struct sched_cycle *cycle, const void *state,
                                   const void *pod_state, struct node_id node,
                                   struct verdict *verdict) {
        static const struct {
                unsigned problem;
                struct slice reason;
        } reasons[] = {
                { PROBLEM_NODE_CONFLICT,
                  SLICE_INIT("node(s) didn't match PersistentVolume's node affinity") },
                { PROBLEM_NO_VOLUMES,
                  SLICE_INIT("node(s) didn't find available persistent volumes to bind") },
                { PROBLEM_NO_SPACE, SLICE_INIT("node(s) did not have enough free storage") },
                { PROBLEM_NO_VOLUME_OBJECT,
                  SLICE_INIT("node(s) unavailable due to one or more pvc(s) bound to non-existent "
                             "pv(s)") },
        };
        (void)state;
        unsigned problems = volume_binding_judge(cycle, pod_state, node);
        for (size_t i = 0; i < sizeof(reasons) / sizeof(reasons[0]); i++)
                if ((problems & reasons[i].problem) != 0)
                        verdict_no(verdict, VERDICT_UNRESOLVABLE, reasons[i].reason);
}

/* ---- Reserve ---- */

/* The volume belongs to the claim from now on. */
static void claim_volume_for(const struct reservation *reservation, const struct json *volume,
                             const struct json *claim) {
        struct json_tree *tree = json_tree_new();
        struct json_node *object = node_import(tree, volume), *ref = node_object(tree);
        struct json_node *meta = node_need_object(tree, object, "metadata");
        node_put_string(tree, node_need_object(tree, meta, "annotations"),
                        "pv.kubernetes.io/bound-by-controller", "yes");
        node_put_string(tree, ref, "kind", "PersistentVolumeClaim");
        node_put_text(tree, ref, "namespace", cached_object_ns(claim));
        node_put_text(tree, ref, "name", cached_object_name(claim));
        node_put_text(tree, ref, "uid", json_get_text(json_get(claim, "metadata"), "uid"));
        node_put(tree, node_need_object(tree, object, "spec"), "claimRef", ref);
        reservation_change(reservation, CACHED_VOLUME, volume, object);
        json_tree_free(tree);
}

/* The claim will be provisioned for the node. */
static void select_node(const struct reservation *reservation, const struct json *claim,
                        struct slice node) {
        struct json_tree *tree = json_tree_new();
        struct json_node *object = node_import(tree, claim);
        struct json_node *meta = node_need_object(tree, object, "metadata");
        node_put_text(tree, node_need_object(tree, meta, "annotations"),
                      "volume.kubernetes.io/selected-node", node);
        reservation_change(reservation, CACHED_VOLUME_CLAIM, claim, object);
        json_tree_free(tree);
}

static void volume_binding_reserve(const struct sched_cycle *cycle, const void *state,
                                   const void *pod_state, struct node_id node,
                                   const struct reservation *reservation) {
        (void)state;
        const struct claims *claims = pod_state;
        struct slice name = cluster_node_name(cycle->cluster, node);
        for (size_t i = 0; i < claims->delayed_count; i++) {
                const struct delayed_claim *delayed = &claims->delayed[i];
                if (delayed->has_selected_node)
                        continue;
                struct volume_candidates candidates = volume_candidates_of(
                        reservation->object_cache, delayed->claim, cycle->scratch);
                const struct json *volume = volume_choose(cycle->cluster, &candidates, node, NULL);
                if (volume)
                        claim_volume_for(reservation, volume, delayed->claim);
                else
                        select_node(reservation, delayed->claim, name);
        }
}

/* ---- PreBind ---- */

static enum verdict_code fail_binding(const struct sched_cycle *cycle, struct verdict *verdict,
                                      const char *what, struct slice claim) {
        const char *text = arena_printf(
                cycle->scratch, "binding volumes: %s \"" SLICE_FMT "/" SLICE_FMT "\"", what,
                SLICE_ARG(cluster_text(cycle->cluster, cycle->ns)), SLICE_ARG(claim));
        verdict_no(verdict, VERDICT_ERROR, slice_of(text));
        return VERDICT_ERROR;
}

/* A volume that is held for the claim takes part in no provisioning. */
static bool is_held(const struct object_cache *object_cache, const struct json *claim) {
        const struct json *volume;
        size_t at = 0;
        while ((volume = object_cache_next(object_cache, CACHED_VOLUME, &at))) {
                const struct json *ref = json_get(json_get(volume, "spec"), "claimRef");
                if (slice_eq(json_get_text(ref, "name"), cached_object_name(claim)) &&
                    slice_eq(json_get_text(ref, "namespace"), cached_object_ns(claim)))
                        return true;
        }
        return false;
}

static enum verdict_code check_binding(const struct sched_cycle *cycle,
                                       const struct pod_claim *claim, struct node_id node,
                                       struct verdict *verdict) {
        struct slice name = cluster_node_name(cycle->cluster, node);
        bool has_node;
        if (!claim->claim || object_is_terminating(claim->claim))
                return fail_binding(cycle, verdict, "gone: claim", claim->name);
        struct slice selected = claim_selected_node(claim->claim, &has_node);
        if (!claim_is_bound(claim->claim)) {
                if (has_node ? slice_eq(selected, name)
                             : is_held(cycle->object_cache, claim->claim))
                        return VERDICT_WAIT;
                return fail_binding(cycle, verdict, "selected node was dropped from claim",
                                    claim->name);
        }
        const struct json *volume = object_cache_get(cycle->object_cache, CACHED_VOLUME,
                                                     SLICE_EMPTY, claim_volume(claim->claim));
        if (!volume) /* its watch is behind the claim's */
                return VERDICT_WAIT;
        if (!volume_admits(cycle->cluster, volume_affinity(volume, cycle->scratch), node))
                return fail_binding(cycle, verdict, "the node does not suit the volume of claim",
                                    claim->name);
        return VERDICT_OK;
}

static enum verdict_code pre_bind(const struct sched_cycle *cycle, const void *state,
                                  struct node_id node, int64_t waited_ns, struct verdict *verdict) {
        const struct binding_args *args = state;
        const struct pod_spec *spec = &cycle->class->spec;
        enum verdict_code result = VERDICT_OK;
        struct pod_claim claim;
        for (size_t i = 0; i < spec->volume_count && knows_volumes(cycle); i++) {
                if (!pod_claim_of(&spec->volumes[i], cycle->object_cache,
                                  cluster_text(cycle->cluster, cycle->ns),
                                  slice_of(cycle->pod_name), cycle->scratch, &claim))
                        continue;
                enum verdict_code code = check_binding(cycle, &claim, node, verdict);
                if (code == VERDICT_WAIT && waited_ns >= args->timeout_s * NS_PER_S)
                        code = fail_binding(cycle, verdict, "timed out waiting for claim",
                                            claim.name);
                if (code == VERDICT_ERROR)
                        return code;
                if (code == VERDICT_WAIT)
                        result = code;
        }
        return result;
}

/* ---- score: only with a gate that is off ---- */

static enum verdict_code pre_score(const struct sched_cycle *cycle, const void *state,
                                   struct node_batch feasible, void **ret_pod_state,
                                   struct verdict *verdict) {
        (void)cycle;
        (void)state;
        (void)feasible;
        (void)ret_pod_state;
        (void)verdict;
        return VERDICT_SKIP;
}

static void volume_binding_score(const struct sched_cycle *cycle, const void *state,
                                 const void *pod_state, struct node_batch batch,
                                 int64_t *ret_scores) {
        (void)cycle;
        (void)state;
        (void)pod_state;
        memset(ret_scores, 0, batch.count * sizeof(*ret_scores));
}

/* ---- arguments ---- */

static void volume_binding_check(struct field_reader *reader, const struct json *value,
                                 const void *given) {
        const struct binding_args *args = given;
        if (args->shape.count > 0)
                field_problem(reader, value, "shape",
                              "unexpected field `shape`, remove it or turn on the feature gate "
                              "StorageCapacityScoring");
}

static const struct field shape_fields[] = {
        { .name = "utilization",
          .type = FIELD_I32,
          .offset = offsetof(struct volume_binding_shape_point, utilization),
          .presence = FIELD_NO_PRESENCE,
          .help = "Utilization in percent." },
        { .name = "score",
          .type = FIELD_I32,
          .offset = offsetof(struct volume_binding_shape_point, score),
          .presence = FIELD_NO_PRESENCE,
          .help = "Score at that utilization." },
        FIELD_END,
};
static const struct field fields[] = {
        ARGS_HEAD_FIELDS,
        { .name = "bindTimeoutSeconds",
          .type = FIELD_I64,
          .offset = offsetof(struct binding_args, timeout_s),
          .presence = FIELD_NO_PRESENCE,
          .is_bounded = true,
          .min = 0,
          .max = INT64_MAX,
          .fallback = "600",
          .help = "How long binding of volumes may take." },
        { .name = "shape",
          .type = FIELD_LIST,
          .offset = offsetof(struct binding_args, shape),
          .presence = FIELD_NO_PRESENCE,
          .fields = shape_fields,
          .item_size = sizeof(struct volume_binding_shape_point),
          .help = "Scoring by free capacity; not available." },
        FIELD_END,
};

const struct plugin plugin_volume_binding = {
        .name = "VolumeBinding",
        .args = fields,
        .args_size = sizeof(struct binding_args),
        .check = volume_binding_check,
        .sched =
                &(const struct sched_points){
                        .pre_filter = pre_filter,
                        .filter = volume_binding_filter,
                        .explain = volume_binding_explain,
                        .hints = &(const struct cache_hints){ .filter = CACHE_SCOPE_VOLUMES,
                                                              .score = CACHE_SCOPE_CLUSTER },
                        .pre_score = pre_score,
                        .score = volume_binding_score,
                        .reserve = volume_binding_reserve,
                        .pre_bind = pre_bind },
        .wakes_on = CLUSTER_NODE_ADDED | CLUSTER_NODE_LABELS | CLUSTER_CLAIM,
};
