/* Pods that are placed together or not at all (reference scheduler.md 7.2): a PodGroup with a gang
 * policy says how many there must be.  Its members wait until so many are there; then all that wait
 * are decided one after the other on one state of the cluster, and bound only when enough of them
 * found a node. */
#include "api/json.h"
#include "base/util.h"
#include "sched/scheduler_priv.h"
#include <stdlib.h>
#include <string.h>

struct gang {
        struct str_id ns;
        struct slice group;
        uint32_t min_count;
};

static struct slice group_of(const struct cluster *cluster, struct pod_id pod) {
        return cluster_class(cluster, cluster_pod(cluster, pod)->class)->spec.scheduling_group;
}

/* Whether the pod names a group; min_count stays 0 when that asks for nothing. */
static bool find_gang(const struct scheduler *scheduler, struct pod_id pod, struct gang *ret_gang,
                      bool *ret_is_known) {
        const struct cluster *cluster = scheduler->config.cluster;
        struct slice group = group_of(cluster, pod);
        int64_t min_count = 0;
        if (!scheduler->config.has_gangs || slice_is_empty(group))
                return false;
        *ret_gang = (struct gang){ .ns = cluster_pod(cluster, pod)->ns, .group = group };
        const struct json *object = object_shelf_get(scheduler->config.shelf, SHELF_POD_GROUP,
                                                     cluster_text(cluster, ret_gang->ns), group);
        const struct json *policy = json_get(json_get(object, "spec"), "schedulingPolicy");
        *ret_is_known = object != NULL;
        if (json_as_i64(json_get(json_get(policy, "gang"), "minCount"), &min_count) &&
            min_count > 0 && min_count <= INT32_MAX)
                ret_gang->min_count = (uint32_t)min_count;
        return true;
}

static bool is_member(const struct scheduler *scheduler, const struct gang *gang,
                      struct pod_id pod) {
        const struct cluster *cluster = scheduler->config.cluster;
        const struct pod_row *row = cluster_pod(cluster, pod);
        return row->is_live && str_id_eq(row->ns, gang->ns) && !pod_row_is_finished(row) &&
               slice_eq(group_of(cluster, pod), gang->group);
}

/* Members on a node, ours in flight included. */
static uint32_t placed_count(const struct scheduler *scheduler, const struct gang *gang) {
        const struct cluster *cluster = scheduler->config.cluster;
        uint32_t count = 0;
        for (uint32_t i = 0; i < cluster_pod_cap(cluster); i++) {
                struct pod_id pod = { i };
                if (is_member(scheduler, gang, pod) &&
                    !node_id_is_none(cluster_pod(cluster, pod)->node))
                        count++;
        }
        return count;
}

/* Members that wait, behind a gate or not. */
static uint32_t waiting_count(const struct scheduler *scheduler, const struct gang *gang) {
        const struct scheduling_queue *queue = &scheduler->queue;
        uint32_t count = 0;
        for (size_t i = 0; i < queue->by_pod_cap; i++)
                if (queue->by_pod[i] != NULL && queue->by_pod[i]->part != QUEUE_BINDING &&
                    is_member(scheduler, gang, queue->by_pod[i]->pod))
                        count++;
        return count;
}

bool scheduler_gang_holds(struct scheduler *scheduler, const struct queued_pod *entry) {
        struct gang gang;
        bool is_known = true;
        if (!find_gang(scheduler, entry->pod, &gang, &is_known))
                return false;
        return !is_known ||
               waiting_count(scheduler, &gang) + placed_count(scheduler, &gang) < gang.min_count;
}

void scheduler_gang_grew(struct scheduler *scheduler, const struct queued_pod *entry,
                         int64_t now_ns) {
        struct gang gang;
        bool is_known;
        if (entry->is_gated || !find_gang(scheduler, entry->pod, &gang, &is_known))
                return;
        for (struct queued_pod *other = scheduler->queue.gated.first, *next; other != NULL;
             other = next) {
                next = other->next;
                if (is_member(scheduler, &gang, other->pod))
                        scheduler_admit(scheduler, other, now_ns);
        }
}

/* ---- what the group is told ---- */

#define CONDITION "PodGroupScheduled"
#define UNSCHEDULABLE "pod group is unschedulable"

static const struct json *condition_of(const struct json *conditions) {
        struct json_iter iter = json_iter(conditions);
        const struct json *one;
        while (json_next(&iter, NULL, &one))
                if (slice_is(json_get_text(one, "type"), CONDITION))
                        return one;
        return NULL;
}

struct group_word {
        const char *status, *reason, *message;
        int64_t generation;
};

/* A group that was scheduled once stays so, whatever becomes of late members. */
static bool is_news(const struct json *old, const struct group_word *word) {
        struct slice status = json_get_text(old, "status");
        if (old == NULL)
                return true;
        if (slice_is(status, "True") && strcmp(word->status, "True") != 0)
                return false;
        return !slice_is(status, word->status) ||
               !slice_is(json_get_text(old, "reason"), word->reason) ||
               !slice_is(json_get_text(old, "message"), word->message) ||
               json_get_i64(old, "observedGeneration", 0) != word->generation;
}

static void write_condition(const struct json *old, const struct group_word *word,
                            struct wall_time now, struct buf *out) {
        char time[WALL_TIME_TEXT_MAX];
        struct slice since = json_get_text(old, "lastTransitionTime");
        wall_time_format(now, time);
        if (!slice_is(json_get_text(old, "status"), word->status) || slice_is_empty(since))
                since = slice_of(time);
        buf_printf(out,
                   "{\"type\":\"" CONDITION "\",\"status\":\"%s\",\"reason\":\"%s\","
                   "\"message\":\"%s\",\"observedGeneration\":%lld,"
                   "\"lastTransitionTime\":",
                   word->status, word->reason, word->message, (long long)word->generation);
        buf_json_string(out, since);
        buf_char(out, '}');
}

/* The whole list, as a merge patch needs it. */
static void write_conditions(const struct json *conditions, const struct group_word *word,
                             struct wall_time now, struct buf *out) {
        struct json_iter iter = json_iter(conditions);
        const struct json *old = condition_of(conditions), *one;
        buf_text(out, "{\"status\":{\"conditions\":[");
        while (json_next(&iter, NULL, &one)) {
                if (one == old)
                        continue;
                json_write(one, out);
                buf_char(out, ',');
        }
        write_condition(old, word, now, out);
        buf_text(out, "]}}");
}

static void tell_group(struct step *step, const struct gang *gang, bool is_placed) {
        const struct cluster *cluster = step->scheduler->config.cluster;
        struct slice ns = cluster_text(cluster, gang->ns);
        const struct json *group =
                object_shelf_get(step->scheduler->config.shelf, SHELF_POD_GROUP, ns, gang->group);
        const struct json *meta = json_get(group, "metadata");
        const struct json *conditions = json_get(json_get(group, "status"), "conditions");
        struct group_word word = {
                .status = is_placed ? "True" : "False",
                .reason = is_placed ? "Scheduled" : "Unschedulable",
                .message = is_placed ? "" : UNSCHEDULABLE,
                .generation = json_get_i64(meta, "generation", 0),
        };
        struct buf body = { 0 };
        if (group == NULL || !is_news(condition_of(conditions), &word))
                return;
        write_conditions(conditions, &word, step->wall, &body);
        struct action patch = { .kind = ACTION_PATCH_OBJECT,
                                .target = { .kind = SLICE_LITERAL("PodGroup"),
                                            .ns = ns,
                                            .name = gang->group,
                                            .uid = json_get_text(meta, "uid") },
                                .patch = { .body = buf_view(&body) } };
        action_list_add(step->out, &patch);
        buf_release(&body);
}

/* ---- the cycle of a gang ---- */

struct gang_place {
        struct queued_pod *entry;
        struct node_id node; /* NODE_NONE: there is none */
        char *message;       /* why; owned */
};

static int compare_places(const void *a, const void *b) {
        const struct queued_pod *x = ((const struct gang_place *)a)->entry;
        const struct queued_pod *y = ((const struct gang_place *)b)->entry;
        if (x->priority != y->priority)
                return x->priority > y->priority ? -1 : 1;
        return x->sequence < y->sequence ? -1 : x->sequence > y->sequence;
}

/* Takes the members out of the queue; the popped one is out already. */
static size_t gather(struct scheduler *scheduler, const struct gang *gang,
                     const struct queued_pod *popped, struct gang_place *places) {
        struct scheduling_queue *queue = &scheduler->queue;
        size_t count = 0;
        for (size_t i = 0; i < queue->by_pod_cap; i++) {
                struct queued_pod *entry = queue->by_pod[i];
                if (entry == NULL || entry->is_gated || entry->part == QUEUE_BINDING ||
                    !is_member(scheduler, gang, entry->pod))
                        continue;
                if (entry != popped) {
                        scheduling_queue_take(queue, entry);
                        entry->attempts++;
                }
                places[count++] = (struct gang_place){ .entry = entry, .node = NODE_NONE };
        }
        qsort(places, count, sizeof(*places), compare_places);
        return count;
}

static void find_place(struct step *step, struct gang_place *place) {
        struct scheduler *scheduler = step->scheduler;
        struct cluster *cluster = scheduler->config.cluster;
        struct decision_request request = { .pod = place->entry->pod,
                                            .is_parity = scheduler->config.is_parity,
                                            .now = step->wall,
                                            .rng = &scheduler->rng,
                                            .engine = scheduler->engine };
        struct decision decision;
        arena_clear(&scheduler->scratch);
        scheduler_decide(cluster, scheduler->config.profiles[place->entry->profile], &request,
                         &scheduler->scratch, &decision);
        scheduler->stats.decisions++;
        scheduler_record(step, place->entry, &decision);
        if (decision.outcome == DECISION_PLACED) {
                place->node = decision.node;
                cluster_assume(cluster, place->entry->pod, decision.node);
        } else {
                place->message = slice_dup(decision.message);
        }
}

static void bind(struct step *step, struct gang_place *place) {
        struct decision decision = { .outcome = DECISION_PLACED, .node = place->node };
        cluster_forget(step->scheduler->config.cluster, place->entry->pod);
        arena_clear(&step->scheduler->scratch);
        scheduler_bind(step, place->entry, &decision);
}

/* Any change may help a gang; what it did itself does not count. */
static void refuse(struct step *step, struct gang_place *place, const char *without_reason) {
        struct queued_pod *entry = place->entry;
        struct failure failure = { .message = slice_of(place->message != NULL ? place->message
                                                                              : without_reason) };
        entry->hears_all = true;
        entry->wakes_on = UINT32_MAX;
        entry->decided_generation = cluster_generation(step->scheduler->config.cluster);
        step->scheduler->stats.unschedulable++;
        scheduler_fail(step, entry, &failure);
}

static void settle(struct step *step, struct gang_place *places, size_t count, bool is_enough) {
        struct cluster *cluster = step->scheduler->config.cluster;
        for (size_t i = 0; i < count && !is_enough; i++)
                cluster_forget(cluster, places[i].entry->pod);
        for (size_t i = 0; i < count; i++) {
                if (is_enough && !node_id_is_none(places[i].node))
                        bind(step, &places[i]);
                else
                        refuse(step, &places[i],
                               UNSCHEDULABLE
                               ", waiting for minCount pods from a gang to be scheduled");
                free(places[i].message);
        }
}

bool scheduler_decide_gang(struct step *step, struct queued_pod *entry) {
        struct scheduler *scheduler = step->scheduler;
        struct gang gang;
        bool is_known;
        if (!find_gang(scheduler, entry->pod, &gang, &is_known) || gang.min_count == 0)
                return false;
        uint32_t enough = placed_count(scheduler, &gang);
        struct gang_place *places = xcalloc(waiting_count(scheduler, &gang) + 1, sizeof(*places));
        size_t count = gather(scheduler, &gang, entry, places);
        for (size_t i = 0; i < count; i++) {
                find_place(step, &places[i]);
                enough += !node_id_is_none(places[i].node);
        }
        settle(step, places, count, enough >= gang.min_count);
        tell_group(step, &gang, enough >= gang.min_count);
        free(places);
        return true;
}
