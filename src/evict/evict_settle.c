/* What an answer to a call means for the job that made it. */
#include "base/util.h"
#include "evict/evict_priv.h"
#include "evict/eviction_reconciler.h"
#include <assert.h>
#include <stdio.h>
#include <string.h>

#define PARITY_RETRIES_MAX 10

static bool evict_settle_is_passing(int code, struct slice text) {
        switch (code) {
        case BERTH_ERR_TOO_MANY:
        case BERTH_ERR_TIMEOUT:
        case BERTH_ERR_UNAVAILABLE:
        case BERTH_ERR_INTERNAL:
        case BERTH_ERR_IO:
        case BERTH_ERR_CONFLICT:
                return true;
        case BERTH_ERR_FORBIDDEN: /* a namespace that is being deleted deletes the pod, too */
                return slice_contains(text, SLICE_LITERAL("being terminated"));
        default:
                return false;
        }
}

bool evict_record_may_pass(const struct evict_record *record) {
        return evict_settle_is_passing(record->code, record->text);
}

static void set_answer(struct evict_job *job, const struct action_result *result) {
        job->record.code = result->code;
        job->record.retry_after_s = result->retry_after_s;
        evict_job_set_text(job, result->code == BERTH_OK ? SLICE_EMPTY : result->text);
}

/* The pod is gone, or its name is another pod's by now (uid precondition). */
static bool is_gone(const struct action_result *result) {
        if (result->code == BERTH_ERR_NOT_FOUND)
                return true;
        return result->code == BERTH_ERR_CONFLICT &&
               (slice_contains(result->text, SLICE_LITERAL("UID")) ||
                slice_contains(result->text, SLICE_LITERAL("uid")));
}

/* Upstream's client library tries by itself what the server bids to try later. */
static bool may_retry(const struct evict_job *job, const struct action_result *result) {
        const struct evict_requester_config *config = &job->requester->config;
        if (config->is_parity && result->retry_after_s > 0 &&
            evict_settle_is_passing(result->code, result->text))
                return job->record.attempts <= PARITY_RETRIES_MAX;
        return evict_settle_is_passing(result->code, result->text) &&
               job->record.attempts < config->max_attempts;
}

static void wait_for_retry(struct evict_job *job, int retry_after_s, struct mono_time now) {
        int64_t delay_ms = EVICT_RETRY_FIRST_MS;
        for (uint32_t i = 1; i < job->record.attempts && delay_ms < EVICT_RETRY_MAX_MS; i++)
                delay_ms *= 2;
        if (delay_ms > EVICT_RETRY_MAX_MS)
                delay_ms = EVICT_RETRY_MAX_MS;
        if (retry_after_s > 0 && (int64_t)retry_after_s * 1000 > delay_ms)
                delay_ms = (int64_t)retry_after_s * 1000;
        if (job->requester->config.is_parity)
                delay_ms = (int64_t)retry_after_s * 1000;
        evict_open_move(job, JOB_WAITING);
        job->due.ns = now.ns + delay_ms * NS_PER_MS;
        evict_ledger_rule(&job->requester->ledger, job->record.profile, job->record.plugin)
                ->retries++;
}

/* True when the answer says that the eviction has begun; the job has then ended. */
static bool goes_on_in_background(struct evict_job *job, const struct action_result *result,
                                  struct mono_time now, struct wall_time wall) {
        struct evict_background *background = job->requester->background;
        enum background_answer answer = BACKGROUND_REFUSED;
        if (background && !job->deletes)
                answer = evict_background_answer(background, &job->record.pod, result);
        if (answer == BACKGROUND_REFUSED)
                return false;
        evict_requester_uncount(job->requester, job);
        if (answer == BACKGROUND_POINTLESS) {
                evict_open_unlink(job);
                evict_job_free(job);
                return true;
        }
        evict_background_assume(background, evict_job_copy(&job->record), now);
        evict_open_end(job, EVICT_RESULT_BACKGROUND, wall);
        return true;
}

/* A pod that was asked for, for sure or perhaps, holds its slot until it is gone. */
static void settle_slot(struct evict_job *job, const struct action_result *result,
                        struct mono_time now) {
        struct evict_slots *slots = job->requester->service->slots;
        const struct object_ref *pod = &job->record.pod;
        bool is_begun = result->code == BERTH_ERR_TOO_MANY &&
                        slice_contains(result->text, SLICE_LITERAL(EVICTION_MOVING_TEXT));
        bool is_lost = result->code == BERTH_ERR_TIMEOUT || result->code == BERTH_ERR_IO;
        if (!job->takes_slot)
                return;
        job->takes_slot = false;
        if (result->code == BERTH_OK || is_begun || is_lost)
                evict_slots_hold(slots, pod, is_begun, now);
        else if (result->code == BERTH_ERR_NOT_FOUND)
                evict_slots_end(slots, pod->uid);
        else
                evict_slots_give_back(slots, pod->uid, now);
}

/* The requester that made the call judges it. */
static void settle_call(struct evict_job *job, const struct action_result *result,
                        struct wall_time wall) {
        struct evict_service *service = job->requester->service;
        bool is_begun = result->code == BERTH_ERR_TOO_MANY &&
                        slice_contains(result->text, SLICE_LITERAL(EVICTION_MOVING_TEXT));
        service->has_answer = true;
        service->answer = (struct evict_answer){ job->requester->config.owner, job->caller_id };
        set_answer(job, result);
        evict_open_end(job,
                       result->code == BERTH_OK ? EVICT_RESULT_SUCCESS
                       : is_gone(result)        ? EVICT_RESULT_GONE
                       : is_begun               ? EVICT_RESULT_BACKGROUND
                                                : EVICT_RESULT_ERROR,
                       wall);
}

void evict_settle(struct evict_job *job, const struct action_result *result, struct mono_time now,
                  struct wall_time wall) {
        assert(job_is_under_way(job->state));
        if (job->is_call) {
                settle_call(job, result, wall);
                return;
        }
        settle_slot(job, result, now);
        set_answer(job, result);
        if (result->code == BERTH_OK) {
                evict_note_event(job->requester, &job->record, job->deletes, NULL);
                evict_open_end(job, EVICT_RESULT_SUCCESS, wall);
        } else if (goes_on_in_background(job, result, now, wall)) {
                return;
        } else if (!job->requester->config.is_parity && is_gone(result)) {
                evict_open_end(job, EVICT_RESULT_GONE, wall);
        } else if (may_retry(job, result)) {
                wait_for_retry(job, result->retry_after_s, now);
        } else {
                if (job->notes_failures)
                        evict_note_event(job->requester, &job->record, job->deletes,
                                         job->text ? job->text : "");
                evict_open_end(job, EVICT_RESULT_ERROR, wall);
        }
}

/* ---- EvictionRequests ---- */

static void withdraw_request(struct evict_job *job) {
        struct evict_service *service = job->requester->service;
        char name[EVICT_REQUEST_NAME_MAX];
        const struct action action = {
                .kind = ACTION_WITHDRAW_REQUEST,
                .target = evict_request_ref(job, name),
                .request = { .group = job->request_group, .deadline = WALL_TIME_UNSET },
        };
        action_list_add(&service->outbox, &action);
}

void evict_settle_withdraw(struct evict_job *job, struct wall_time wall) {
        assert(job_is_under_way(job->state));
        if (job->is_call || job->state == JOB_CALLED)
                return;
        if (job->state == JOB_REQUESTING) {
                job->is_withdrawn = true;
                return;
        }
        if (job->takes_slot)
                evict_slots_end(job->requester->service->slots, job->record.pod.uid);
        if (job->state == JOB_REQUESTED)
                withdraw_request(job);
        evict_open_end(job, EVICT_RESULT_WITHDRAWN, wall);
}

/* The asker goes on with the request, or without. */
static void end_writing(struct evict_job *job, const struct action_result *result,
                        struct wall_time wall) {
        set_answer(job, result);
        evict_open_end(job, result->code == BERTH_OK ? EVICT_RESULT_SUCCESS : EVICT_RESULT_ERROR,
                       wall);
}

static const char *why_not_written(const struct evict_job *job,
                                   const struct action_result *result) {
        if (result->code == BERTH_ERR_FORBIDDEN)
                return "no right to create EvictionRequests";
        return job->text ? job->text : "";
}

static void evict_settle_outcome(struct evict_job *job, enum eviction_outcome outcome,
                                 struct mono_time now, struct wall_time wall) {
        struct action_result result = { .retry_after_s = -1 };
        withdraw_request(job);
        if (outcome == EVICTION_INVALID) {
                result.code = BERTH_ERR_NOT_FOUND;
                result.text = SLICE_LITERAL("the pod is gone");
        } else if (!eviction_outcome_is_evicted(outcome)) {
                result.code = BERTH_ERR_TOO_MANY;
                result.text = SLICE_LITERAL("the eviction was withdrawn");
        }
        evict_settle(job, &result, now, wall);
}

static void settle_seen(struct evict_job *job, const struct seen_request *seen, bool is_removed,
                        struct mono_time now, struct wall_time wall) {
        bool is_over = seen->is_current && seen->outcome != EVICTION_NO_RESPONDER &&
                       eviction_outcome_is_final(seen->outcome);
        if (seen->is_current)
                evict_open_answer(job);
        if (is_over || is_removed) /* nobody finishes one that was taken away */
                evict_settle_outcome(job, is_over ? seen->outcome : EVICTION_CANCELED, now, wall);
}

static bool is_of_other_group(const struct evict_job *job) {
        const struct evict_requests *requests = job->requester->service->requests;
        return strcmp(job->request_group, evict_requests_group(requests)) != 0;
}

static void decide_again(struct evict_job *job) {
        withdraw_request(job);
        evict_open_move(job, JOB_UNDECIDED);
}

/* One that is there already has been seen, perhaps for the last time: what a process before has
 * asked for goes on, or is over and in the way. */
static void settle_stored(struct evict_job *job, bool is_new, struct mono_time now,
                          struct wall_time wall) {
        char name[EVICT_REQUEST_NAME_MAX];
        const struct object_ref ref = evict_request_ref(job, name);
        struct seen_request *seen = evict_requests_own(job->requester->service->requests, &ref);
        if (is_of_other_group(job)) { /* found out while it was written */
                decide_again(job);
                return;
        }
        evict_open_move(job, JOB_REQUESTED);
        job->due.ns = now.ns + EVICT_REQUEST_UNANSWERED_NS;
        if (!seen || (is_new && seen->is_before_write))
                return;
        seen->is_before_write = false;
        settle_seen(job, seen, false, now, wall);
}

void evict_settle_written(struct evict_job *job, const struct action_result *result,
                          struct mono_time now, struct wall_time wall) {
        assert(job->state == JOB_REQUESTING);
        bool is_written = result->code == BERTH_OK || result->code == BERTH_ERR_EXISTS ||
                          result->code == BERTH_ERR_CONFLICT;
        const struct action_result outcome = { .code = is_written ? BERTH_OK : result->code };
        settle_slot(job, &outcome, now);
        if (job->is_withdrawn) {
                if (is_written)
                        withdraw_request(job);
                evict_open_end(job, EVICT_RESULT_WITHDRAWN, wall);
        } else if (job->only_writes) {
                end_writing(job, result, wall);
        } else if (is_written) {
                settle_stored(job, result->code == BERTH_OK, now, wall);
        } else if (job->requester->service->config.requests == EVICT_REQUESTS_ALWAYS) {
                evict_settle(job, result, now, wall);
        } else {
                evict_open_move(job, JOB_UNDECIDED);
                evict_job_set_text(job, result->text);
                evict_settle_unanswered(job->requester->service, why_not_written(job, result), now);
        }
}

static bool is_request_of(const struct evict_job *job, const struct object_ref *request) {
        char name[EVICT_REQUEST_NAME_MAX];
        return slice_eq(request->ns, job->record.pod.ns) &&
               slice_eq(request->name, evict_request_name(job, name));
}

void evict_settle_request(struct evict_service *service, const struct json *object, bool is_removed,
                          struct mono_time now, struct wall_time wall) {
        const struct json *meta = json_get(object, "metadata");
        const struct object_ref ref = { .ns = json_get_text(meta, "namespace"),
                                        .name = json_get_text(meta, "name") };
        const struct seen_request *before = evict_requests_own(service->requests, &ref);
        bool is_former = is_removed && before && before->is_before_write;
        struct eviction_request *request = NULL;
        if (eviction_request_decode(object, &request, NULL) < 0)
                return;
        const struct eviction_object *news = &request->object;
        const struct seen_request seen = { .outcome = news->conditions.outcome,
                                           .is_current =
                                                   news->observed_generation >= news->generation };
        struct evict_job *job = map_get(service->open_by_uid, news->target_uid);
        evict_requests_keep_own(service->requests, &ref, is_removed ? NULL : &seen);
        if (job && job->state == JOB_REQUESTED && is_request_of(job, &ref) && !is_former)
                settle_seen(job, &seen, is_removed, now, wall);
        eviction_request_free(request);
}

void evict_settle_moved(struct evict_service *service, enum evict_kinds kinds) {
        for (struct evict_requester *requester = service->first; requester;
             requester = requester->next)
                for (struct evict_job *job = requester->first; job; job = job->next)
                        if (job->state == JOB_REQUESTED && !job->is_answered &&
                            (kinds == EVICT_KINDS_ABSENT || is_of_other_group(job)))
                                decide_again(job);
}

void evict_settle_unanswered(struct evict_service *service, const char *why, struct mono_time now) {
        const struct evict_config *config = &service->config;
        evict_requests_set_kinds(service->requests, EVICT_KINDS_ABSENT, now);
        service->are_answered = false;
        if (config->report && !service->was_reported_direct)
                config->report(config->context,
                               &(struct evict_note){ .kind = EVICT_NOTE_DIRECT, .text = why });
        service->was_reported_direct = true;
        for (struct evict_requester *requester = service->first; requester;
             requester = requester->next)
                for (struct evict_job *job = requester->first; job; job = job->next)
                        if (job->state == JOB_REQUESTED && !job->is_answered)
                                decide_again(job);
}
