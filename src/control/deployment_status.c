/* Deployments: counts, Available and Progressing. */
#include "base/util.h"
#include "control/deployment_priv.h"

#define DEADLINE_NONE INT32_MAX

struct deployment_status_totals {
        int64_t wanted, replicas, updated, ready, available;
};

static struct deployment_status_totals totals_of(const struct rollout *rollout) {
        struct deployment_status_totals totals = { 0 };

        for (size_t i = 0; i < rollout->count; i++) {
                totals.wanted += rollout->sets[i].wanted;
                totals.replicas += rollout->sets[i].replicas;
                totals.ready += rollout->sets[i].ready;
                totals.available += rollout->sets[i].available;
        }
        totals.updated = rollout->fresh ? rollout->fresh->replicas : 0;
        return totals;
}

static bool is_all_there(const struct rollout *rollout,
                         const struct deployment_status_totals *totals) {
        return totals->updated == rollout->wanted && totals->replicas == rollout->wanted &&
               totals->available == rollout->wanted;
}

bool rollout_is_complete(const struct rollout *rollout) {
        struct deployment_status_totals totals = totals_of(rollout);

        return is_all_there(rollout, &totals);
}

/* ---- Progressing ---- */

static bool has_progressed(const struct rollout *rollout,
                           const struct deployment_status_totals *totals) {
        const struct json *old = json_get(rollout->deployment, "status");
        int64_t replicas = json_get_i64(old, "replicas", 0);
        int64_t updated = json_get_i64(old, "updatedReplicas", 0);

        return totals->updated > updated ||
               totals->replicas - totals->updated < replicas - updated ||
               totals->ready > json_get_i64(old, "readyReplicas", 0) ||
               totals->available > json_get_i64(old, "availableReplicas", 0);
}

static void put_progress(struct rollout *rollout, struct json_tree *tree, struct json_node *status,
                         bool is_true, const char *const *texts) {
        status_condition_put(tree, status,
                             &(struct status_condition){ .type = "Progressing",
                                                         .is_true = is_true,
                                                         .reason = texts[0],
                                                         .message = texts[1],
                                                         .has_update_time = true },
                             rollout->now);
}

static const char *deployment_status_say(const struct rollout *rollout, const char *what) {
        if (rollout->fresh)
                return arena_printf(rollout->arena, "ReplicaSet \"" SLICE_FMT "\" %s",
                                    SLICE_ARG(rollout->fresh->name), what);
        return arena_printf(rollout->arena, "Deployment \"" SLICE_FMT "\" %s",
                            SLICE_ARG(object_name(rollout->deployment)), what);
}

/* Time runs out a while after the last sign of progress. */
static bool is_timed_out(struct rollout *rollout, const struct json *condition,
                         int64_t deadline_s) {
        struct wall_time due = object_time(condition, "lastUpdateTime");

        if (slice_is(json_get_text(condition, "reason"), "ProgressDeadlineExceeded"))
                return true;
        if (!wall_time_is_set(due) ||
            slice_is(json_get_text(condition, "reason"), "NewReplicaSetAvailable"))
                return false;
        due.ns += deadline_s * NS_PER_S;
        if (due.ns <= rollout->now.ns)
                return true;
        run_add_at(rollout->run, object_namespace(rollout->deployment),
                   object_name(rollout->deployment), due);
        return false;
}

static void judge_progress(struct rollout *rollout, const struct deployment_status_totals *totals,
                           struct json_tree *tree, struct json_node *status) {
        const struct json *condition = object_condition(rollout->deployment, "Progressing");
        int64_t deadline_s = json_get_i64(rollout->spec, "progressDeadlineSeconds", 600);
        bool was_complete = slice_is(json_get_text(condition, "reason"), "NewReplicaSetAvailable");

        if (deadline_s == DEADLINE_NONE || rollout->is_paused)
                return;
        if (rollout->progress_reason) {
                put_progress(rollout, tree, status, true,
                             (const char *const[]){ rollout->progress_reason,
                                                    rollout->progress_message });
                return;
        }
        if (was_complete && totals->replicas == totals->updated)
                return;
        if (is_all_there(rollout, totals))
                put_progress(
                        rollout, tree, status, true,
                        (const char *const[]){
                                "NewReplicaSetAvailable",
                                deployment_status_say(rollout, "has successfully progressed.") });
        else if (has_progressed(rollout, totals)) {
                status_condition_remove(status, "Progressing"); /* time starts again */
                put_progress(
                        rollout, tree, status, true,
                        (const char *const[]){ "ReplicaSetUpdated",
                                               deployment_status_say(rollout, "is progressing.") });
        } else if (is_timed_out(rollout, condition, deadline_s))
                put_progress(
                        rollout, tree, status, false,
                        (const char *const[]){
                                "ProgressDeadlineExceeded",
                                deployment_status_say(rollout, "has timed out progressing.") });
}

static void judge_pause(struct rollout *rollout, struct json_tree *tree, struct json_node *status) {
        const struct json *condition = object_condition(rollout->deployment, "Progressing");
        bool was_paused = slice_is(json_get_text(condition, "reason"), "DeploymentPaused");

        if (rollout->is_paused == was_paused ||
            slice_is(json_get_text(condition, "reason"), "ProgressDeadlineExceeded"))
                return;
        status_condition_put(
                tree, status,
                &(struct status_condition){ .type = "Progressing",
                                            .is_unknown = true,
                                            .reason = rollout->is_paused ? "DeploymentPaused"
                                                                         : "DeploymentResumed",
                                            .message = rollout->is_paused ? "Deployment is paused"
                                                                          : "Deployment is resumed",
                                            .has_update_time = true },
                rollout->now);
}

/* ---- the whole ---- */

static void put_available(struct rollout *rollout, const struct deployment_status_totals *totals,
                          struct json_tree *tree, struct json_node *status) {
        bool is_available = totals->available >= rollout->wanted - rollout->max_unavailable;

        status_condition_put(
                tree, status,
                &(struct status_condition){
                        .type = "Available",
                        .is_true = is_available,
                        .reason = is_available ? "MinimumReplicasAvailable"
                                               : "MinimumReplicasUnavailable",
                        .message = is_available ? "Deployment has minimum availability."
                                                : "Deployment does not have minimum availability.",
                        .has_update_time = true },
                rollout->now);
}

static void put_failure(struct rollout *rollout, struct json_tree *tree, struct json_node *status) {
        const struct json *failure =
                rollout->fresh ? object_condition(rollout->fresh->set, "ReplicaFailure") : NULL;

        if (!failure) {
                status_condition_remove(status, "ReplicaFailure");
                return;
        }
        status_condition_put(
                tree, status,
                &(struct status_condition){
                        .type = "ReplicaFailure",
                        .is_true = true,
                        .reason = arena_string(rollout->arena, json_get_text(failure, "reason")),
                        .message = arena_string(rollout->arena, json_get_text(failure, "message")),
                        .has_update_time = true },
                rollout->now);
}

int rollout_write_status(struct rollout *rollout, struct err *err) {
        struct json_tree *tree = json_tree_new();
        struct json_node *status = status_begin(tree, rollout->deployment);
        struct deployment_status_totals totals = totals_of(rollout);
        int64_t missing = totals.wanted - totals.available;

        node_put_i64(tree, status, "observedGeneration", object_generation(rollout->deployment));
        status_count(tree, status, "replicas", totals.replicas);
        status_count(tree, status, "updatedReplicas", totals.updated);
        status_count(tree, status, "readyReplicas", totals.ready);
        status_count(tree, status, "availableReplicas", totals.available);
        status_count(tree, status, "unavailableReplicas", missing > 0 ? missing : 0);
        status_count(tree, status, "collisionCount", rollout->collisions);
        put_available(rollout, &totals, tree, status);
        judge_pause(rollout, tree, status);
        judge_progress(rollout, &totals, tree, status);
        put_failure(rollout, tree, status);
        int r = status_write_back(rollout->run, rollout->run->control->resource.deployments,
                                  rollout->deployment, tree, status, err);
        json_tree_free(tree);
        return r;
}
