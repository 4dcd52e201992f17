/* Jobs of the eviction service: an intent copied into one allocation. */
#include "base/util.h"
#include "evict/evict_priv.h"
#include <stdlib.h>

static struct slice evict_job_place(char **at, struct slice text) {
        struct slice copy = slice_make(*at, text.len);
        if (text.len > 0)
                memcpy(*at, text.ptr, text.len);
        (*at)[text.len] = '\0';
        *at += text.len + 1;
        return copy;
}

struct evict_job *evict_job_new(const struct evict_intent *intent) {
        const struct slice texts[] = { intent->pod.ns, intent->pod.name,    intent->pod.uid,
                                       intent->node,   intent->plugin,      intent->profile,
                                       intent->reason, intent->requested_by };
        size_t size = sizeof(struct evict_job);
        for (size_t i = 0; i < ARRAY_LEN(texts); i++)
                size += texts[i].len + 1;
        struct evict_job *job = xmalloc(size);
        *job = (struct evict_job){ .has_grace = intent->has_grace,
                                   .grace_s = intent->grace_s,
                                   .deletes = intent->way == EVICT_WAY_DELETE ||
                                              intent->way == EVICT_WAY_PREEMPT,
                                   .is_preemption = intent->way == EVICT_WAY_PREEMPT,
                                   .only_writes = intent->way == EVICT_WAY_REQUEST,
                                   .is_finished = intent->is_finished };
        char *at = (char *)(job + 1);
        struct evict_record *record = &job->record;
        record->pod.kind = SLICE_LITERAL("Pod");
        struct slice *const targets[] = { &record->pod.ns, &record->pod.name,    &record->pod.uid,
                                          &record->node,   &record->plugin,      &record->profile,
                                          &record->reason, &record->requested_by };
        for (size_t i = 0; i < ARRAY_LEN(texts); i++)
                *targets[i] = evict_job_place(&at, texts[i]);
        return job;
}

struct evict_job *evict_job_copy(const struct evict_record *record) {
        struct evict_job *job =
                evict_job_new(&(struct evict_intent){ .pod = record->pod,
                                                      .node = record->node,
                                                      .plugin = record->plugin,
                                                      .profile = record->profile,
                                                      .reason = record->reason,
                                                      .requested_by = record->requested_by });
        job->record.asked = record->asked;
        job->record.attempts = record->attempts;
        job->record.route = record->route;
        return job;
}

void evict_job_free(struct evict_job *job) {
        if (!job)
                return;
        free(job->text);
        free(job);
}

void evict_job_set_text(struct evict_job *job, struct slice text) {
        free(job->text);
        job->text = text.len > 0 ? slice_dup(text) : NULL;
        job->record.text = slice_of(job->text);
}
