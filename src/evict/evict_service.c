/* The eviction service: intents in, actions out, results back in. */
#include "evict/evict_service.h"
#include "base/util.h"
#include "evict/evict_priv.h"
#include <stdlib.h>

struct evict_service *evict_service_new(const struct evict_config *config) {
        struct evict_service *service = xcalloc(1, sizeof(*service));
        service->config = *config;
        service->open_by_uid = map_new();
        service->calls = map_u64_new();
        action_list_init(&service->events);
        return service;
}

void evict_service_free(struct evict_service *service) {
        if (!service)
                return;
        for (struct evict_requester *requester = service->first, *next; requester;
             requester = next) {
                next = requester->next;
                evict_requester_free(requester);
        }
        map_free(service->open_by_uid);
        map_u64_free(service->calls);
        action_list_release(&service->events);
        free(service);
}

struct evict_requester *evict_service_join(struct evict_service *service,
                                           const struct evict_requester_config *config) {
        struct evict_requester *requester = evict_requester_new(service, config), **at;
        if (config->follows_background)
                requester->background =
                        evict_background_new(service->config.cluster, config->is_parity);
        for (at = &service->first; *at; at = &(*at)->next)
                ;
        *at = requester;
        return requester;
}

/* ---- sending ---- */

/* Deleting always names the uid: what bears the name by then may be running. */
static struct action deletion_of(const struct evict_job *job) {
        return (struct action){ .kind = ACTION_DELETE_POD,
                                .target = job->record.pod,
                                .remove = { job->has_grace, job->grace_s } };
}

static bool has_finished(const struct evict_job *job) {
        const struct cluster *cluster = job->requester->service->config.cluster;
        const struct object_ref *pod = &job->record.pod;
        struct pod_id id = cluster ? cluster_find_pod(cluster, pod->ns, pod->name) : POD_NONE;
        if (job->is_finished || pod_id_is_none(id))
                return job->is_finished;
        return pod_row_is_finished(cluster_pod(cluster, id)) &&
               slice_is(pod->uid, cluster_pod(cluster, id)->uid);
}

static struct action eviction_of(const struct evict_job *job) {
        bool is_parity = job->requester->config.is_parity;
        const struct evict_record *record = &job->record;
        struct action action = {
                .kind = ACTION_EVICT,
                .target = record->pod,
                .evict = { .node = record->node,
                           .plugin = record->plugin,
                           .profile = record->profile,
                           .reason = record->reason,
                           .requested_by = record->requested_by,
                           .has_grace = job->has_grace,
                           .grace_s = job->grace_s,
                           .is_finished = !is_parity && has_finished(job) },
        };
        if (is_parity)
                action.target.uid = SLICE_EMPTY; /* no precondition */
        return action;
}

static void send_job(struct evict_job *job, struct action_list *out) {
        const struct action action = job->deletes ? deletion_of(job) : eviction_of(job);
        job->record.attempts++;
        evict_open_turn(job, JOB_CALLED);
        job->action_id = action_list_add(out, &action);
        map_u64_put(job->requester->service->calls, job->action_id, job);
}

static void step_requester(struct evict_requester *requester, struct mono_time now,
                           struct action_list *out) {
        for (struct evict_job *job = requester->first; job; job = job->next) {
                bool is_waiting = job->state == JOB_WAITING && job->due.ns > now.ns;
                if (requester->under_way >= requester->config.max_in_flight ||
                    (requester->config.is_parity && is_waiting))
                        return;
                if (job->state == JOB_QUEUED ||
                    (job->state == JOB_WAITING && job->due.ns <= now.ns))
                        send_job(job, out);
        }
}

void evict_service_step(struct evict_service *service, struct mono_time now,
                        struct action_list *out) {
        for (size_t i = 0; i < service->events.count; i++)
                action_list_add(out, &service->events.items[i]);
        action_list_clear(&service->events);
        for (struct evict_requester *requester = service->first; requester;
             requester = requester->next)
                step_requester(requester, now, out);
}

/* ---- when ---- */

/* The earlier of the two, false while there is none. */
struct evict_due {
        bool is_set;
        int64_t ns;
};

static void evict_due_add(struct evict_due *due, int64_t ns) {
        if (!due->is_set || ns < due->ns)
                *due = (struct evict_due){ true, ns };
}

static void add_dues(const struct evict_requester *requester, struct evict_due *due) {
        struct mono_time expiry;
        if (requester->background && evict_background_next_due(requester->background, &expiry))
                evict_due_add(due, expiry.ns);
        if (requester->under_way >= requester->config.max_in_flight)
                return; /* a result comes first */
        for (const struct evict_job *job = requester->first; job; job = job->next) {
                if (job_is_under_way(job->state))
                        continue;
                evict_due_add(due, job->state == JOB_WAITING ? job->due.ns : 0);
                if (requester->config.is_parity)
                        break; /* one after the other */
        }
}

bool evict_service_next_due(const struct evict_service *service, struct mono_time *ret_due) {
        struct evict_due due = { .is_set = service->events.count > 0 }; /* long past */
        for (const struct evict_requester *requester = service->first; requester;
             requester = requester->next)
                add_dues(requester, &due);
        if (due.is_set)
                ret_due->ns = due.ns;
        return due.is_set;
}

/* ---- what is seen ---- */

bool evict_service_result(struct evict_service *service, const struct action_result *result,
                          struct mono_time now, struct wall_time wall) {
        struct evict_job *job = map_u64_get(service->calls, result->id);
        if (!job || (result->kind != ACTION_EVICT && result->kind != ACTION_DELETE_POD))
                return false;
        map_u64_remove(service->calls, result->id);
        evict_settle(job, result, now, wall);
        return true;
}

void evict_service_observe(struct evict_service *service, struct mono_time now,
                           struct wall_time wall) {
        for (struct evict_requester *requester = service->first; requester;
             requester = requester->next)
                if (requester->background)
                        evict_background_look(requester->background, now,
                                              &(struct background_end){ &requester->ledger, wall });
}

bool evict_service_follows(const struct evict_service *service) {
        for (const struct evict_requester *requester = service->first; requester;
             requester = requester->next)
                if (requester->background)
                        return true;
        return false;
}
