/* Deployments: how many replicas each replica set gets. */
#include "base/util.h"
#include "control/deployment_priv.h"
#include <stdlib.h>

static int64_t deployment_rollout_least(int64_t a, int64_t b) {
        return a < b ? a : b;
}

static int64_t total_wanted(const struct rollout *rollout) {
        int64_t total = 0;

        for (size_t i = 0; i < rollout->count; i++)
                total += rollout->sets[i].wanted;
        return total;
}

/* ---- one set ---- */

static void put_sizes(struct rollout *rollout, struct json_tree *tree, struct json_node *patch) {
        struct json_node *metadata = node_need_object(tree, patch, "metadata");
        struct json_node *annotations = node_need_object(tree, metadata, "annotations");
        int64_t surge = rollout->is_recreate ? 0 : rollout->max_surge;

        node_put_string(tree, annotations, DESIRED_KEY,
                        arena_printf(rollout->arena, "%lld", (long long)rollout->wanted));
        node_put_string(tree, annotations, MAX_KEY,
                        arena_printf(rollout->arena, "%lld", (long long)(rollout->wanted + surge)));
}

int rollout_scale_set(struct rollout *rollout, struct rollout_set *set, int64_t wanted,
                      struct err *err) {
        const struct resource_numbers *number = &rollout->run->control->resource;
        struct object_target target = { .resource = number->replica_sets,
                                        .ns = object_namespace(rollout->deployment),
                                        .name = set->name };
        int64_t before = set->wanted;

        if (before == wanted && set->has_desired && set->desired == rollout->wanted)
                return 0;
        struct json_tree *tree = json_tree_new();
        struct json_node *patch = node_object(tree);
        put_sizes(rollout, tree, patch);
        node_put_i64(tree, node_need_object(tree, patch, "spec"), "replicas", wanted);
        int r = object_merge(rollout->run, &target, patch, err);
        json_tree_free(tree);
        if (r < 0)
                return r;
        set->wanted = wanted;
        set->desired = rollout->wanted;
        set->has_desired = true;
        if (before != wanted)
                object_event(rollout->run, number->deployments, rollout->deployment,
                             "ScalingReplicaSet",
                             "Scaled %s replica set " SLICE_FMT " from %lld to %lld",
                             wanted > before ? "up" : "down", SLICE_ARG(set->name),
                             (long long)before, (long long)wanted);
        return 0;
}

/* ---- rolling update ---- */

static int64_t fresh_size(const struct rollout *rollout) {
        int64_t spare = rollout->wanted + rollout->max_surge - total_wanted(rollout);
        int64_t missing = rollout->wanted - rollout->fresh->wanted;

        if (missing <= 0 || rollout->is_recreate)
                return rollout->wanted;
        if (spare <= 0)
                return rollout->fresh->wanted;
        return rollout->fresh->wanted + deployment_rollout_least(spare, missing);
}

static bool is_old(const struct rollout *rollout, const struct rollout_set *set) {
        return set != rollout->fresh && set->wanted > 0;
}

/* Replicas that are not available anyway go first; returns how many went, or an error. */
static int64_t drop_unhealthy(struct rollout *rollout, int64_t budget, struct err *err) {
        int64_t dropped = 0;

        for (size_t i = 0; i < rollout->count && dropped < budget; i++) {
                struct rollout_set *set = &rollout->sets[i];
                int64_t count =
                        deployment_rollout_least(budget - dropped, set->wanted - set->available);

                if (!is_old(rollout, set) || count <= 0)
                        continue;
                int r = rollout_scale_set(rollout, set, set->wanted - count, err);
                if (r < 0)
                        return r;
                dropped += count;
        }
        return dropped;
}

static int drop_healthy(struct rollout *rollout, int64_t least_available, struct err *err) {
        int64_t budget = -least_available;

        for (size_t i = 0; i < rollout->count; i++)
                budget += rollout->sets[i].available;
        for (size_t i = 0; i < rollout->count && budget > 0; i++) {
                struct rollout_set *set = &rollout->sets[i];
                int64_t count = deployment_rollout_least(budget, set->wanted);

                if (!is_old(rollout, set))
                        continue;
                int r = rollout_scale_set(rollout, set, set->wanted - count, err);
                if (r < 0)
                        return r;
                budget -= count;
        }
        return 0;
}

static int shrink_old(struct rollout *rollout, struct err *err) {
        int64_t least_available = rollout->wanted - rollout->max_unavailable;
        int64_t fresh_unavailable = rollout->fresh->wanted - rollout->fresh->available;
        int64_t budget = total_wanted(rollout) - least_available - fresh_unavailable, dropped;

        if (total_wanted(rollout) == rollout->fresh->wanted || budget <= 0)
                return 0;
        dropped = drop_unhealthy(rollout, budget, err);
        if (dropped < 0)
                return (int)dropped;
        return drop_healthy(rollout, least_available, err);
}

/* ---- recreate ---- */

bool rollout_has_old_pods(const struct rollout *rollout) {
        const struct object_index *index = rollout->run->control->index;

        for (size_t i = 0; i < rollout->count; i++) {
                const struct entry_list *pods =
                        object_index_dependents(index, object_uid(rollout->sets[i].set));

                if (&rollout->sets[i] == rollout->fresh)
                        continue;
                for (struct entry_link *link = pods ? pods->first : NULL; link; link = link->after)
                        if (link->entry->pod && link->entry->pod->phase != PHASE_SUCCEEDED &&
                            link->entry->pod->phase != PHASE_FAILED)
                                return true;
        }
        return false;
}

int rollout_stop_old(struct rollout *rollout, struct err *err) {
        for (size_t i = 0; i < rollout->count; i++) {
                if (!is_old(rollout, &rollout->sets[i]))
                        continue;
                int r = rollout_scale_set(rollout, &rollout->sets[i], 0, err);
                if (r < 0)
                        return r;
        }
        return 0;
}

int rollout_step(struct rollout *rollout, struct err *err) {
        int r = rollout_scale_set(rollout, rollout->fresh, fresh_size(rollout), err);
        return r < 0 || rollout->is_recreate ? r : shrink_old(rollout, err);
}

/* ---- proportional scaling ---- */

static int compare_sizes(const void *left, const void *right) {
        const struct rollout_set *const *a = left, *const *b = right;

        if ((*a)->wanted != (*b)->wanted)
                return (*a)->wanted > (*b)->wanted ? -1 : 1;
        return (*a)->created.ns > (*b)->created.ns ? -1 : (*a)->created.ns < (*b)->created.ns;
}

/* The share of one set in a change of the whole, never more than what is left of it. */
static int64_t share_of(const struct rollout_set *set, int64_t allowed, int64_t left) {
        int64_t before = set->max > 0 ? set->max : allowed;
        int64_t share = (set->wanted * allowed * 2 + before) / (before * 2) - set->wanted;

        if (left > 0)
                return share < 0 ? 0 : deployment_rollout_least(share, left);
        return share > 0 ? 0 : share < left ? left : share;
}

static int spread_over(struct rollout *rollout, struct rollout_set **active, size_t count,
                       struct err *err) {
        int64_t allowed = rollout->wanted > 0 ? rollout->wanted + rollout->max_surge : 0;
        int64_t left = allowed - total_wanted(rollout);
        int64_t *sizes = ARENA_ARRAY(rollout->arena, int64_t, count);

        for (size_t i = 0; i < count; i++) {
                int64_t share = left ? share_of(active[i], allowed, left) : 0;

                sizes[i] = active[i]->wanted + share;
                left -= share;
        }
        sizes[0] = sizes[0] + left < 0 ? 0 : sizes[0] + left;
        for (size_t i = 0; i < count; i++) {
                int r = rollout_scale_set(rollout, active[i], sizes[i], err);

                if (r < 0)
                        return r;
        }
        return 0;
}

int rollout_spread(struct rollout *rollout, struct err *err) {
        struct rollout_set **active =
                ARENA_ARRAY(rollout->arena, struct rollout_set *, rollout->count + 1);
        struct rollout_set *only = rollout->fresh;
        size_t count = 0;

        for (size_t i = 0; i < rollout->count; i++) {
                if (rollout->sets[i].wanted > 0)
                        active[count++] = &rollout->sets[i];
        }
        if (count == 1)
                only = active[0];
        if (count <= 1 && only)
                return rollout_scale_set(rollout, only, rollout->wanted, err);
        if (rollout->fresh && rollout->fresh->wanted == rollout->wanted &&
            rollout->fresh->available == rollout->wanted)
                return rollout_stop_old(rollout, err);
        if (rollout->is_recreate || count == 0)
                return 0;
        qsort(active, count, sizeof(active[0]), compare_sizes);
        return spread_over(rollout, active, count, err);
}
