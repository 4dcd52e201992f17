/* Evictions in the background (Descheduler's gate EvictionsInBackground): for pods annotated
 * request-evict-only a call only starts the eviction, and some other program finishes it and marks
 * the pod eviction-in-progress for as long.  Listed here until the pod is gone: such a pod counts
 * against the limits and is not asked for again. */
#include "base/util.h"
#include "evict/evict_priv.h"
#include "evict/eviction_reconciler.h"
#include <stdlib.h>
#include <string.h>

struct moving_pod {
        struct evict_job *job; /* what was asked for, or just the pod when another client asked */
        bool is_asked;         /* by us: its end is counted */
        bool is_running;       /* was seen with the mark of being in progress */
        struct mono_time asked;
        struct moving_pod *next, *prev;
};

struct evict_background {
        const struct cluster *cluster;
        bool is_parity;
        struct moving_pod *first;
        struct map *by_uid;             /* uid -> struct moving_pod */
        struct map *nodes, *namespaces; /* count as the value's number */
        uint64_t total, seen;           /* seen: generation of the cluster */
        bool has_seen;
        struct mono_time next_sweep; /* parity only */
        bool has_sweep;
};

struct evict_background *evict_background_new(const struct cluster *cluster, bool is_parity) {
        struct evict_background *background = xcalloc(1, sizeof(*background));
        background->cluster = cluster;
        background->is_parity = is_parity;
        background->by_uid = map_new();
        background->nodes = map_new();
        background->namespaces = map_new();
        return background;
}

static uint64_t evict_background_counted(const struct map *map, struct slice key) {
        return (uint64_t)(uintptr_t)map_get(map, key);
}

static void add_count(struct map *map, struct slice key, bool is_more) {
        uint64_t count = is_more ? evict_background_counted(map, key) + 1
                                 : evict_background_counted(map, key) - 1;
        if (count > 0)
                map_put(map, key, (void *)(uintptr_t)count);
        else
                map_remove(map, key);
}

static void count_pod(struct evict_background *background, const struct evict_record *record,
                      bool is_more) {
        background->total = is_more ? background->total + 1 : background->total - 1;
        if (record->node.len > 0)
                add_count(background->nodes, record->node, is_more);
        add_count(background->namespaces, record->pod.ns, is_more);
}

/* Takes the job over. */
static struct moving_pod *evict_background_track(struct evict_background *background,
                                                 struct evict_job *job) {
        struct moving_pod *pod = xcalloc(1, sizeof(*pod));
        pod->job = job;
        pod->next = background->first;
        if (pod->next)
                pod->next->prev = pod;
        background->first = pod;
        map_put(background->by_uid, job->record.pod.uid, pod);
        count_pod(background, &job->record, true);
        return pod;
}

/* The job stays. */
static void evict_background_untrack(struct evict_background *background, struct moving_pod *pod) {
        const struct evict_record *record = &pod->job->record;
        count_pod(background, record, false);
        map_remove(background->by_uid, record->pod.uid);
        if (pod->prev)
                pod->prev->next = pod->next;
        else
                background->first = pod->next;
        if (pod->next)
                pod->next->prev = pod->prev;
        free(pod);
}

void evict_background_free(struct evict_background *background) {
        if (!background)
                return;
        while (background->first) {
                struct evict_job *job = background->first->job;
                evict_background_untrack(background, background->first);
                evict_job_free(job);
        }
        map_free(background->by_uid);
        map_free(background->nodes);
        map_free(background->namespaces);
        free(background);
}

/* The pod as it is now; NULL when it is gone or its name is another pod's. */
static const struct pod_row *evict_background_find(const struct evict_background *background,
                                                   const struct object_ref *pod) {
        struct pod_id id = cluster_find_pod(background->cluster, pod->ns, pod->name);
        if (pod_id_is_none(id))
                return NULL;
        const struct pod_row *row = cluster_pod(background->cluster, id);
        return slice_is(pod->uid, row->uid) ? row : NULL;
}

bool evict_background_concerns(const struct evict_background *background,
                               const struct object_ref *pod) {
        const struct pod_row *row = evict_background_find(background, pod);
        return row && row->flags & POD_REQUEST_EVICT;
}

enum background_answer evict_background_answer(const struct evict_background *background,
                                               const struct object_ref *pod,
                                               const struct action_result *result) {
        if (result->code != BERTH_ERR_TOO_MANY ||
            !slice_contains(result->text, SLICE_LITERAL(EVICTION_MOVING_TEXT)))
                return BACKGROUND_REFUSED;
        const struct pod_row *row = evict_background_find(background, pod);
        if (!row || !(row->flags & POD_REQUEST_EVICT))
                return BACKGROUND_REFUSED;
        return pod_row_is_finished(row) ? BACKGROUND_POINTLESS : BACKGROUND_STARTED;
}

bool evict_background_has(const struct evict_background *background, const struct object_ref *pod) {
        return map_get(background->by_uid, pod->uid) && evict_background_concerns(background, pod);
}

void evict_background_assume(struct evict_background *background, struct evict_job *job,
                             struct mono_time now) {
        struct moving_pod *pod = map_get(background->by_uid, job->record.pod.uid);
        if (pod) { /* the mark was seen before the answer came */
                bool is_running = pod->is_running;
                struct evict_job *old = pod->job;
                evict_background_untrack(background, pod);
                evict_job_free(old);
                pod = evict_background_track(background, job);
                pod->is_running = is_running;
        } else {
                pod = evict_background_track(background, job);
        }
        pod->is_asked = true;
        pod->asked = now;
}

struct background_counts evict_background_counts(const struct evict_background *background,
                                                 struct slice node, struct slice ns) {
        return (struct background_counts){
                .total = background->total,
                .node = node.len > 0 ? evict_background_counted(background->nodes, node) : 0,
                .ns = evict_background_counted(background->namespaces, ns),
        };
}

/* ---- following ---- */

static void evict_background_end(struct evict_background *background, struct moving_pod *pod,
                                 struct background_end *at, enum evict_result result,
                                 const char *text) {
        struct evict_job *job = pod->job;
        bool is_asked = pod->is_asked;
        evict_background_untrack(background, pod);
        if (!is_asked) {
                evict_job_free(job);
                return;
        }
        evict_job_set_text(job, slice_of(text));
        evict_ledger_end(at->ledger, job, result, at->wall);
}

/* Without a result of its own: it may be asked for again. */
static void evict_background_drop(struct evict_background *background, struct moving_pod *pod) {
        struct evict_job *job = pod->job;
        evict_background_untrack(background, pod);
        evict_job_free(job);
}

static void look_at(struct evict_background *background, struct moving_pod *pod,
                    struct background_end *at) {
        const struct pod_row *row = evict_background_find(background, &pod->job->record.pod);
        if (!row) {
                evict_background_end(background, pod, at, EVICT_RESULT_SUCCESS, "");
        } else if (!(row->flags & POD_REQUEST_EVICT)) {
                evict_background_drop(background, pod);
        } else if (row->phase == POD_SUCCEEDED) {
                evict_background_end(background, pod, at, EVICT_RESULT_SUCCESS, "");
        } else if (row->phase == POD_FAILED) {
                evict_background_end(background, pod, at, EVICT_RESULT_ERROR,
                                     "the pod failed while it was evicted");
        } else if (row->flags & POD_EVICTION_RUNS) {
                pod->is_running = true;
        } else if (pod->is_running) {
                evict_background_drop(background, pod); /* finished or aborted, whichever it was */
        }
}

static void pick_up(struct evict_background *background, struct pod_id id) {
        const unsigned marks = POD_REQUEST_EVICT | POD_EVICTION_RUNS;
        if (pod_id_is_none(id) || id.index >= cluster_pod_cap(background->cluster))
                return;
        const struct pod_row *row = cluster_pod(background->cluster, id);
        if (!row->is_live || (row->flags & marks) != marks || pod_row_is_finished(row) ||
            map_get(background->by_uid, slice_of(row->uid)))
                return;
        struct evict_intent intent = {
                .pod = { .ns = cluster_text(background->cluster, row->ns),
                         .name = slice_make(row->name, row->name_length),
                         .uid = slice_of(row->uid) },
        };
        if (!node_id_is_none(row->node))
                intent.node = cluster_node_name(background->cluster, row->node);
        evict_background_track(background, evict_job_new(&intent))->is_running = true;
}

static void pick_up_new(struct evict_background *background) {
        const struct cluster *cluster = background->cluster;
        struct change_range range;
        if (!background->has_seen || !cluster_changes_since(cluster, background->seen, &range)) {
                for (size_t i = 0; i < cluster_pod_cap(cluster); i++)
                        pick_up(background, (struct pod_id){ (uint32_t)i });
        } else {
                for (size_t i = 0; i < range.first_count; i++)
                        pick_up(background, range.first[i].pod);
                for (size_t i = 0; i < range.second_count; i++)
                        pick_up(background, range.second[i].pod);
        }
        background->has_seen = true;
        background->seen = cluster_generation(cluster);
}

/* Upstream looks every ten minutes for what is older than ten, and does not mind that it runs. */
static bool is_sweep_due(struct evict_background *background, struct mono_time now) {
        if (!background->is_parity)
                return true;
        bool is_due = background->has_sweep && now.ns >= background->next_sweep.ns;
        if (is_due || !background->has_sweep)
                background->next_sweep.ns = now.ns + EVICT_ASSUMED_MAX_NS;
        background->has_sweep = true;
        return is_due;
}

static bool may_expire(const struct evict_background *background, const struct moving_pod *pod) {
        return pod->is_asked && (background->is_parity || !pod->is_running);
}

static void evict_background_expire(struct evict_background *background, struct mono_time now,
                                    struct background_end *at) {
        struct moving_pod *next;
        if (!is_sweep_due(background, now))
                return;
        for (struct moving_pod *pod = background->first; pod; pod = next) {
                next = pod->next;
                int64_t age_ns = now.ns - pod->asked.ns;
                bool is_over = background->is_parity ? age_ns > EVICT_ASSUMED_MAX_NS
                                                     : age_ns >= EVICT_ASSUMED_MAX_NS;
                if (may_expire(background, pod) && is_over)
                        evict_background_end(background, pod, at, EVICT_RESULT_ERROR,
                                             "no program continued the eviction within 10 minutes");
        }
}

void evict_background_look(struct evict_background *background, struct mono_time now,
                           struct background_end *at) {
        struct moving_pod *next;
        for (struct moving_pod *pod = background->first; pod; pod = next) {
                next = pod->next;
                look_at(background, pod, at);
        }
        pick_up_new(background);
        evict_background_expire(background, now, at);
}

bool evict_background_next_due(const struct evict_background *background,
                               struct mono_time *ret_due) {
        bool is_found = false;
        for (const struct moving_pod *pod = background->first; pod; pod = pod->next) {
                struct mono_time due = { pod->asked.ns + EVICT_ASSUMED_MAX_NS };
                if (!may_expire(background, pod))
                        continue;
                if (background->is_parity && background->has_sweep)
                        due = background->next_sweep;
                if (!is_found || due.ns < ret_due->ns)
                        *ret_due = due;
                is_found = true;
        }
        return is_found;
}
