/* Intents of a requester: limits, budgets, and what is asked for twice. */
#include "base/util.h"
#include "evict/evict_priv.h"
#include <assert.h>
#include <stdio.h>

/* Calls of the pass before that are not answered yet: one that is found to go on in the background
 * counts in this pass as well, as those do whose answer was there in time. */
static void carry_over(struct evict_job *job) {
        struct evict_requester *requester = job->requester;
        if (!requester->background || job->deletes ||
            !evict_background_concerns(requester->background, &job->record.pod))
                return;
        job->pass = requester->pass;
        evict_requester_count(requester, job->record.node, job->record.pod.ns);
}

static void evict_begin_pass(void *context, const struct evict_pass *pass) {
        struct evict_requester *requester = context;
        evict_requester_begin(requester, pass);
        if (pass->continues)
                return;
        for (struct evict_job *job = requester->first, *next; job; job = next) {
                next = job->next;
                if (pass->withdraws && job_is_under_way(job->state))
                        evict_settle_withdraw(job, pass->now);
                else if (job_is_under_way(job->state))
                        carry_over(job);
                else
                        evict_open_end(job, EVICT_RESULT_WITHDRAWN, pass->now);
        }
}

/* An intent that ends at once leaves a record, too. */
static void record_ended(struct evict_requester *requester, const struct evict_intent *intent,
                         enum evict_result result, const char *text) {
        struct evict_job *job = evict_job_new(intent);
        job->requester = requester;
        job->record.asked = requester->now;
        evict_job_set_text(job, slice_of(text));
        evict_ledger_end(&requester->ledger, job, result, requester->now);
}

static enum evict_outcome refuse_by_limit(struct evict_requester *requester,
                                          const struct evict_intent *intent,
                                          enum evict_outcome outcome) {
        static const struct {
                enum evict_outcome outcome;
                enum evict_result result;
                const char *what;
        } limits[] = {
                { EVICT_TOTAL_LIMIT, EVICT_RESULT_TOTAL_LIMIT, "total" },
                { EVICT_NODE_LIMIT, EVICT_RESULT_NODE_LIMIT, "node" },
                { EVICT_NAMESPACE_LIMIT, EVICT_RESULT_NAMESPACE_LIMIT, "namespace" },
        };
        const uint32_t caps[] = { requester->limits.total, requester->limits.node,
                                  requester->limits.ns };
        for (size_t i = 0; i < ARRAY_LEN(limits); i++) {
                if (limits[i].outcome != outcome)
                        continue;
                char text[64];
                snprintf(text, sizeof(text), "%s eviction limit exceeded (%u)", limits[i].what,
                         caps[i]);
                record_ended(requester, intent, limits[i].result, text);
                struct evict_record record = { .pod = intent->pod,
                                               .node = intent->node,
                                               .plugin = intent->plugin,
                                               .requested_by = intent->requested_by };
                record.pod.kind = SLICE_LITERAL("Pod");
                if (requester->notes_failures && !intent->is_dry_run)
                        evict_note_event(requester, &record, intent->way == EVICT_WAY_DELETE, text);
        }
        return outcome;
}

static bool is_blocked_by_budget(struct evict_requester *requester,
                                 const struct evict_intent *intent) {
        const struct cluster *cluster = requester->service->config.cluster;
        char text[EVICT_BUDGET_TEXT_MAX];
        /* A program that evicts in the background answers before budgets are checked. */
        if (requester->background && evict_background_concerns(requester->background, &intent->pod))
                return false;
        if (requester->config.is_parity || !cluster ||
            !evict_budget_blocks(cluster, requester->budgets, intent, text))
                return false;
        record_ended(requester, intent, EVICT_RESULT_BUDGET, text);
        return true;
}

static enum evict_outcome check_limits(const struct evict_requester *requester,
                                       const struct evict_intent *intent) {
        struct background_counts moving = { 0 };
        if (requester->background)
                moving = evict_background_counts(requester->background, intent->node,
                                                 intent->pod.ns);
        return evict_requester_check(requester, intent, &moving);
}

static enum evict_outcome evict_ask(void *context, const struct evict_intent *intent) {
        struct evict_requester *requester = context;
        assert(intent->way != EVICT_WAY_PREEMPT);
        evict_ledger_rule(&requester->ledger, intent->profile, intent->plugin)->asked++;
        if (intent->pod.uid.len == 0) {
                record_ended(requester, intent, EVICT_RESULT_ERROR, "the pod has no uid");
                return EVICT_FAILED;
        }
        if (!requester->config.is_parity &&
            map_get(requester->service->open_by_uid, intent->pod.uid))
                return EVICT_REPEATED;
        if (intent->way == EVICT_WAY_REPORT) {
                record_ended(requester, intent, EVICT_RESULT_DRY_RUN, "report only");
                return EVICT_DONE;
        }
        if (requester->background && intent->way == EVICT_WAY_EVICT &&
            evict_background_has(requester->background, &intent->pod))
                return EVICT_REPEATED;
        enum evict_outcome outcome = check_limits(requester, intent);
        if (outcome != EVICT_DONE)
                return refuse_by_limit(requester, intent, outcome);
        if (is_blocked_by_budget(requester, intent))
                return EVICT_BUDGET;
        evict_requester_count(requester, intent->node, intent->pod.ns);
        if (intent->is_dry_run) {
                record_ended(requester, intent, EVICT_RESULT_DRY_RUN, "");
                return EVICT_DONE;
        }
        struct evict_job *job = evict_job_new(intent);
        job->record.asked = requester->now;
        job->pass = requester->pass;
        job->notes_failures = requester->notes_failures;
        job->requester = requester;
        evict_open_link(job);
        return EVICT_DONE;
}

struct evict_sink evict_requester_sink(struct evict_requester *requester) {
        return (struct evict_sink){ .context = requester,
                                    .begin_pass = evict_begin_pass,
                                    .ask = evict_ask };
}
