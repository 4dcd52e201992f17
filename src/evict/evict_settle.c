/* What an answer to a call means for the job that made it. */
#include "base/util.h"
#include "evict/evict_priv.h"
#include <assert.h>

#define PARITY_RETRIES_MAX 10

static bool evict_settle_is_passing(const struct action_result *result) {
        switch (result->code) {
        case BERTH_ERR_TOO_MANY:
        case BERTH_ERR_TIMEOUT:
        case BERTH_ERR_UNAVAILABLE:
        case BERTH_ERR_INTERNAL:
        case BERTH_ERR_IO:
        case BERTH_ERR_CONFLICT:
                return true;
        case BERTH_ERR_FORBIDDEN: /* a namespace on its way out takes the pod along */
                return slice_contains(result->text, SLICE_LITERAL("being terminated"));
        default:
                return false;
        }
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
        if (config->is_parity && result->retry_after_s > 0 && evict_settle_is_passing(result))
                return job->record.attempts <= PARITY_RETRIES_MAX;
        return evict_settle_is_passing(result) && job->record.attempts < config->max_attempts;
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
        evict_open_turn(job, JOB_WAITING);
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

void evict_settle(struct evict_job *job, const struct action_result *result, struct mono_time now,
                  struct wall_time wall) {
        struct evict_service *service = job->requester->service;
        assert(job_is_under_way(job->state));
        evict_job_set_text(job, result->code == BERTH_OK ? SLICE_EMPTY : result->text);
        if (result->code == BERTH_OK) {
                evict_note_event(service, &job->record, job->deletes, NULL);
                evict_open_end(job, EVICT_RESULT_SUCCESS, wall);
        } else if (goes_on_in_background(job, result, now, wall)) {
                return;
        } else if (!job->requester->config.is_parity && is_gone(result)) {
                evict_open_end(job, EVICT_RESULT_GONE, wall);
        } else if (may_retry(job, result)) {
                wait_for_retry(job, result->retry_after_s, now);
        } else {
                if (job->notes_failures)
                        evict_note_event(service, &job->record, job->deletes,
                                         job->text ? job->text : "");
                evict_open_end(job, EVICT_RESULT_ERROR, wall);
        }
}
