/* What every part of the eviction service does to open jobs: listing them, ending them, and the
 * events about it. */
#include "base/util.h"
#include "evict/evict_priv.h"
#include <assert.h>
#include <stdio.h>

/* sigs.k8s.io/descheduler reports as sigs.k8s.io.descheduler. */
static void evict_open_reporting_name(struct slice requested_by, char *name, size_t size) {
        snprintf(name, size, SLICE_FMT, SLICE_ARG(requested_by));
        for (char *c = name; *c; c++)
                if (*c == '/')
                        *c = '.';
}

void evict_note_event(struct evict_requester *requester, const struct evict_record *record,
                      bool is_deletion, const char *failure) {
        struct evict_service *service = requester->service;
        if (requester->config.has_no_events)
                return;
        char controller[128], note[ERR_TEXT_MAX + 512];
        evict_open_reporting_name(record->requested_by, controller, sizeof(controller));
        struct slice more = failure ? slice_of(failure) : record->reason;
        snprintf(note, sizeof(note), "%s from " SLICE_FMT " node by " SLICE_FMT "%s" SLICE_FMT,
                 is_deletion ? "deletion of finished pod" : "pod eviction", SLICE_ARG(record->node),
                 SLICE_ARG(record->requested_by),
                 failure        ? " failed: "
                 : more.len > 0 ? ": "
                                : "",
                 SLICE_ARG(more));
        struct slice reason = record->plugin.len > 0 ? record->plugin : SLICE_LITERAL("NotSet");
        const struct action event = {
                .kind = ACTION_RECORD_EVENT,
                .target = record->pod,
                .event = { .is_warning = failure,
                           .reason = failure ? SLICE_LITERAL("EvictionFailed") : reason,
                           .action = SLICE_LITERAL("Descheduled"),
                           .note = slice_of(note),
                           .controller = slice_of(controller) },
        };
        action_list_add(&service->outbox, &event);
}

/* ---- open jobs ---- */

void evict_open_move(struct evict_job *job, enum job_state state) {
        struct evict_requester *requester = job->requester;
        assert(job->state != JOB_ENDED);
        requester->under_way -= job_is_under_way(job->state);
        requester->service->unanswered -= job_is_unanswered(job);
        requester->called -= job->state == JOB_CALLED;
        job->state = state;
        job->is_answered = false;
        requester->under_way += job_is_under_way(state);
        requester->called += state == JOB_CALLED;
        requester->service->unanswered += job_is_unanswered(job);
}

void evict_open_answer(struct evict_job *job) {
        assert(job->state == JOB_REQUESTED);
        job->requester->service->are_answered = true;
        job->requester->service->was_reported_direct = false;
        job->requester->service->unanswered -= job_is_unanswered(job);
        job->is_answered = true;
}

void evict_open_report(const struct evict_job *job, enum evict_note_kind kind, const char *text) {
        const struct evict_config *config = &job->requester->service->config;
        if (config->report)
                config->report(config->context, &(struct evict_note){ .kind = kind,
                                                                      .requester = job->requester,
                                                                      .record = &job->record,
                                                                      .text = text });
}

void evict_open_link(struct evict_job *job) {
        struct evict_requester *requester = job->requester;
        struct map *by_uid = requester->service->open_by_uid;
        job->prev = requester->last;
        job->next = NULL;
        if (requester->last)
                requester->last->next = job;
        else
                requester->first = job;
        requester->last = job;
        requester->open_count++;
        if (!requester->config.is_parity && !map_get(by_uid, job->record.pod.uid))
                map_put(by_uid, job->record.pod.uid, job);
}

void evict_open_unlink(struct evict_job *job) {
        struct evict_requester *requester = job->requester;
        struct map *by_uid = requester->service->open_by_uid;
        evict_open_move(job, JOB_ENDED);
        if (job->prev)
                job->prev->next = job->next;
        else
                requester->first = job->next;
        if (job->next)
                job->next->prev = job->prev;
        else
                requester->last = job->prev;
        requester->open_count--;
        if (map_get(by_uid, job->record.pod.uid) == job)
                map_remove(by_uid, job->record.pod.uid);
}

void evict_open_end(struct evict_job *job, enum evict_result result, struct wall_time now) {
        evict_open_unlink(job);
        evict_ledger_end(&job->requester->ledger, job, result, now);
        evict_open_report(job, EVICT_NOTE_ENDED, "");
}
