/* The next step of open evictions: which way each goes, whether it waits for a slot, and the action
 * that follows. */
#include "base/util.h"
#include "evict/evict_priv.h"
#include <assert.h>
#include <stdio.h>

/* A stage's call counts while its Eviction is Active, which its requester checks; repeated later it
 * could end a pod whose eviction is over. */
static bool is_decided_again(const struct evict_job *job) {
        return job->is_call && !job->is_preemption;
}

/* Deleting always names the uid: what bears the name by then may be running. */
static struct action deletion_of(const struct evict_job *job) {
        return (struct action){ .kind = ACTION_DELETE_POD,
                                .target = job->record.pod,
                                .remove = { .has_grace = job->has_grace,
                                            .grace_s = job->grace_s,
                                            .is_once = is_decided_again(job) } };
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
                           .is_finished = !is_parity && has_finished(job),
                           .is_once = is_decided_again(job) },
        };
        if (is_parity)
                action.target.uid = SLICE_EMPTY; /* no precondition */
        return action;
}

static void call_job(struct evict_job *job, struct action_list *out) {
        const struct action action = job->deletes ? deletion_of(job) : eviction_of(job);
        job->record.route = job->is_preemption ? EVICT_ROUTE_PREEMPTION
                            : job->deletes     ? EVICT_ROUTE_DELETE
                                               : EVICT_ROUTE_SUBRESOURCE;
        evict_open_move(job, JOB_CALLED);
        job->action_id = action_list_add(out, &action);
        map_u64_put(job->requester->service->calls, job->action_id, job);
}

static struct wall_time deadline_of(const struct evict_requester *requester) {
        int64_t after_ns = requester->config.request_deadline_ns;
        if (after_ns < 0)
                return WALL_TIME_UNSET;
        return (struct wall_time){ requester->service->wall.ns +
                                   (after_ns ? after_ns : EVICT_REQUEST_DEADLINE_NS) };
}

void evict_step_write_request(struct evict_job *job, struct action_list *out) {
        const struct evict_requester *requester = job->requester;
        struct evict_service *service = requester->service;
        const struct object_ref *pod = &job->record.pod;
        char name[EVICT_REQUEST_NAME_MAX];
        const struct action action = {
                .kind = ACTION_CREATE_REQUEST,
                .target = evict_request_ref(job, name),
                .request = { .group = evict_requests_group(service->requests),
                             .pod = *pod,
                             .requester = slice_of(requester->config.requests_as),
                             .label = slice_of(requester->label),
                             .deadline = deadline_of(requester) },
        };
        struct seen_request *seen = evict_requests_own(service->requests, &action.target);
        if (seen)
                seen->is_before_write = true;
        job->record.route = EVICT_ROUTE_REQUEST;
        job->request_group = evict_requests_group(service->requests);
        evict_open_move(job, JOB_REQUESTING);
        service->follows_requests |= !job->only_writes;
        job->action_id = action_list_add(out, &action);
        map_u64_put(service->calls, job->action_id, job);
}

/* ---- which way ---- */

/* True while it waits for a slot. */
static bool line_up(struct evict_job *job, bool by_request, struct mono_time now) {
        struct evict_service *service = job->requester->service;
        const struct evict_config *config = &service->config;
        int64_t patience_ns =
                config->slot_patience_ns ? config->slot_patience_ns : EVICT_SLOT_PATIENCE_NS;
        if (!config->has_slots || job->requester->config.is_parity ||
            !evict_slots_ask(service->slots, &job->record, by_request, now))
                return false;
        evict_open_move(job, JOB_LINED_UP);
        job->by_request = by_request;
        job->takes_slot = true;
        job->was_reported = false;
        job->due.ns = now.ns + patience_ns;
        return true;
}

static void begin_call(struct evict_job *job, struct mono_time now, struct action_list *out) {
        if (!line_up(job, false, now))
                call_job(job, out);
}

/* No other request is made before the first one was answered. */
static bool tries_first(const struct evict_service *service) {
        return service->config.requests == EVICT_REQUESTS_AUTO && !service->are_answered &&
               service->unanswered > 0;
}

static void evict_step_refuse(struct evict_job *job, const char *text, struct mono_time now) {
        evict_settle(job,
                     &(struct action_result){ .code = BERTH_ERR_TOO_MANY,
                                              .retry_after_s = -1,
                                              .text = slice_of(text) },
                     now, job->requester->service->wall);
}

/* Whether a request for the pod is open; UNKNOWN: the list is not read yet. */
static enum evict_asked was_asked(const struct evict_job *job, struct mono_time now) {
        const struct evict_service *service = job->requester->service;
        if (job->record.pod.uid.len == 0 || job->requester->config.is_parity)
                return EVICT_ASKED_NO;
        if (evict_requests_kinds(service->requests, now) == EVICT_KINDS_UNKNOWN)
                return EVICT_ASKED_UNKNOWN;
        return evict_requests_asked(service->requests, job->record.pod.uid, now);
}

#define ASKED_TEXT "the pod's eviction was asked for, and is open"

/* By the subresource, unless that would end the pod in the middle of a stage. */
static void begin_direct(struct evict_job *job, struct mono_time now, struct action_list *out) {
        enum evict_asked asked = job->requester->service->config.minds_requests
                                         ? was_asked(job, now)
                                         : EVICT_ASKED_NO;
        if (asked == EVICT_ASKED_YES)
                evict_step_refuse(job, ASKED_TEXT, now);
        else if (asked == EVICT_ASKED_NO)
                begin_call(job, now, out);
}

static void begin_request(struct evict_job *job, struct mono_time now, struct action_list *out) {
        struct evict_service *service = job->requester->service;
        switch (evict_requests_kinds(service->requests, now)) {
        case EVICT_KINDS_UNKNOWN:
                return; /* stays undecided */
        case EVICT_KINDS_ABSENT:
                if (job->only_writes)
                        evict_step_refuse(job, "the cluster has no EvictionRequests", now);
                else if (service->config.requests == EVICT_REQUESTS_ALWAYS)
                        evict_step_refuse(
                                job,
                                "the cluster has no EvictionRequests, and nothing else is wanted "
                                "(--eviction-requests always)",
                                now);
                else
                        begin_direct(job, now, out);
                return;
        case EVICT_KINDS_NATIVE: /* their controller may be another program, which has no slots */
        case EVICT_KINDS_OWN:
                if (tries_first(service))
                        return;
                if (evict_requests_kinds(service->requests, now) == EVICT_KINDS_OWN ||
                    !line_up(job, true, now))
                        evict_step_write_request(job, out);
                return;
        }
}

/* A finished pod is deleted directly: an EvictionRequest for it would be over at once and the
 * object would stay. Not while a request for it is open. */
static void begin_cleanup(struct evict_job *job, struct mono_time now, struct action_list *out) {
        const struct evict_config *config = &job->requester->service->config;
        enum evict_asked asked = EVICT_ASKED_NO;
        if (config->requests != EVICT_REQUESTS_NEVER || config->minds_requests)
                asked = was_asked(job, now);
        if (asked == EVICT_ASKED_NO)
                call_job(job, out);
        else if (asked == EVICT_ASKED_YES)
                evict_step_refuse(job, ASKED_TEXT, now);
}

static void begin_job(struct evict_job *job, struct mono_time now, struct action_list *out) {
        const struct evict_requester *requester = job->requester;
        bool by_request = requester->service->config.requests != EVICT_REQUESTS_NEVER &&
                          requester->config.requests_as && !requester->config.is_parity;
        assert(job->state == JOB_UNDECIDED);
        if (job->only_writes)
                begin_request(job, now, out);
        else if (job->deletes || has_finished(job))
                begin_cleanup(job, now, out);
        else if (by_request)
                begin_request(job, now, out);
        else
                begin_direct(job, now, out);
}

/* ---- steps ---- */

static bool has_to_wait(const struct evict_job *job, struct mono_time now) {
        return job->state == JOB_WAITING && job->due.ns > now.ns;
}

/* True when a try begins. */
static bool takes_off(struct evict_job *job, struct mono_time now) {
        const struct evict_requester *requester = job->requester;
        if (job->state != JOB_QUEUED && job->state != JOB_WAITING)
                return job->state == JOB_UNDECIDED;
        if (has_to_wait(job, now) || requester->under_way >= requester->config.max_in_flight)
                return false;
        job->record.attempts++;
        evict_open_move(job, JOB_UNDECIDED);
        return true;
}

void evict_step_requester(struct evict_requester *requester, struct mono_time now,
                          struct action_list *out) {
        for (struct evict_job *job = requester->first, *next; job; job = next) {
                next = job->next;
                if (requester->config.is_parity && has_to_wait(job, now))
                        return;
                if (takes_off(job, now))
                        begin_job(job, now, out);
        }
}

static void admit_job(struct evict_job *job, struct mono_time now, struct action_list *out) {
        struct evict_slots *slots = job->requester->service->slots;
        struct slice uid = job->record.pod.uid;
        /* The controller of EvictionRequests grants slots where it is ours. */
        bool is_granted_elsewhere =
                job->by_request && evict_slots_is_ready(slots) && !evict_slots_is_foreign(slots);
        assert(job->takes_slot);
        if (is_granted_elsewhere) {
                job->takes_slot = false;
                evict_slots_end(slots, uid);
                evict_step_write_request(job, out);
        } else if (evict_slots_has(slots, uid)) {
                if (job->by_request)
                        evict_step_write_request(job, out);
                else
                        call_job(job, out);
        } else if (!job->by_request && job->due.ns <= now.ns) {
                char text[80];
                snprintf(text, sizeof(text), "waiting for a slot %s",
                         evict_slots_reason(slots, uid));
                job->takes_slot = false; /* it keeps its position in the queue for its next try */
                evict_slots_leave(slots, uid, now);
                evict_step_refuse(job, text, now);
        } else if (!job->was_reported && evict_slots_is_ready(slots)) {
                job->was_reported = true;
                evict_open_report(job, EVICT_NOTE_WAITS, evict_slots_reason(slots, uid));
        }
}

void evict_step_admit(struct evict_requester *requester, struct mono_time now,
                      struct action_list *out) {
        for (struct evict_job *job = requester->first, *next; job; job = next) {
                next = job->next;
                if (job->state == JOB_LINED_UP)
                        admit_job(job, now, out);
        }
}

/* ---- calls ---- */

void evict_requester_call(struct evict_requester *requester, const struct evict_call *call,
                          struct wall_time now, struct action_list *out) {
        struct evict_job *job = evict_job_new(&call->intent);
        assert(call->intent.pod.uid.len > 0);
        job->requester = requester;
        job->record.asked = now;
        job->record.attempts = 1;
        job->is_call = true;
        job->caller_id = call->id;
        evict_ledger_rule(&requester->ledger, call->intent.profile, call->intent.plugin)->asked++;
        evict_open_link(job);
        call_job(job, out);
}

void evict_requester_drop_calls(struct evict_requester *requester) {
        for (struct evict_job *job = requester->first, *next; job; job = next) {
                next = job->next;
                if (!job->is_call)
                        continue;
                map_u64_remove(requester->service->calls, job->action_id);
                evict_open_unlink(job);
                evict_job_free(job);
        }
}
