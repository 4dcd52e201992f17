/* The eviction service: intents in, actions out, results back in. */
#include "evict/evict_service.h"
#include "base/util.h"
#include "evict/evict_priv.h"
#include <stdio.h>
#include <stdlib.h>

#define PARITY_RETRIES_MAX 10

struct evict_service {
        struct evict_config config;
        struct evict_ledger ledger;
        struct map *requesters;         /* name -> struct evict_requester */
        struct map *open_by_uid;        /* uid -> struct evict_job; not used in parity */
        struct map_u64 *in_flight;      /* action id -> struct evict_job */
        struct evict_job *first, *last; /* open jobs, oldest first */
        size_t open_count;
        struct action_list events;           /* waiting for the next step */
        struct evict_background *background; /* NULL = not followed */
};

struct evict_service *evict_service_new(const struct evict_config *config) {
        struct evict_service *service = xcalloc(1, sizeof(*service));
        service->config = *config;
        if (config->max_in_flight == 0)
                service->config.max_in_flight = EVICT_IN_FLIGHT_DEFAULT;
        if (config->is_parity)
                service->config.max_in_flight = service->config.max_attempts = 1;
        else if (config->max_attempts == 0)
                service->config.max_attempts = EVICT_ATTEMPTS_DEFAULT;
        uint32_t records = config->max_records ? config->max_records : EVICT_RECORDS_DEFAULT;
        evict_ledger_init(&service->ledger, records);
        service->requesters = map_new();
        service->open_by_uid = map_new();
        service->in_flight = map_u64_new();
        if (config->follows_background)
                service->background = evict_background_new(config->cluster, config->is_parity);
        action_list_init(&service->events);
        return service;
}

void evict_service_free(struct evict_service *service) {
        if (!service)
                return;
        for (struct evict_job *job = service->first, *next; job; job = next) {
                next = job->next;
                evict_job_free(job);
        }
        size_t at = 0;
        struct slice key;
        void *requester;
        while (map_next(service->requesters, &at, &key, &requester))
                evict_requester_free(requester);
        map_free(service->requesters);
        map_free(service->open_by_uid);
        map_u64_free(service->in_flight);
        evict_background_free(service->background);
        evict_ledger_release(&service->ledger);
        action_list_release(&service->events);
        free(service);
}

/* ---- events ---- */

/* sigs.k8s.io/descheduler reports as sigs.k8s.io.descheduler. */
static void reporting_name(struct slice requested_by, char *name, size_t size) {
        snprintf(name, size, SLICE_FMT, SLICE_ARG(requested_by));
        for (char *c = name; *c; c++)
                if (*c == '/')
                        *c = '.';
}

static void note_event(struct evict_service *service, const struct evict_record *record,
                       bool is_deletion, const char *failure) {
        char controller[128], note[ERR_TEXT_MAX + 512];
        reporting_name(record->requested_by, controller, sizeof(controller));
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
        action_list_add(&service->events, &event);
}

/* ---- open jobs ---- */

static void link_job(struct evict_service *service, struct evict_job *job) {
        job->prev = service->last;
        job->next = NULL;
        if (service->last)
                service->last->next = job;
        else
                service->first = job;
        service->last = job;
        service->open_count++;
        if (!service->config.is_parity)
                map_put(service->open_by_uid, job->record.pod.uid, job);
}

static void unlink_job(struct evict_service *service, struct evict_job *job) {
        if (job->prev)
                job->prev->next = job->next;
        else
                service->first = job->next;
        if (job->next)
                job->next->prev = job->prev;
        else
                service->last = job->prev;
        service->open_count--;
        if (!service->config.is_parity)
                map_remove(service->open_by_uid, job->record.pod.uid);
}

static void end_job(struct evict_service *service, struct evict_job *job, enum evict_result result,
                    struct wall_time now) {
        unlink_job(service, job);
        evict_ledger_end(&service->ledger, job, result, now);
}

/* ---- asking ---- */

static struct evict_requester *need_requester(struct evict_service *service, struct slice name) {
        struct evict_requester *requester = map_get(service->requesters, name);
        if (!requester) {
                requester = evict_requester_new(name);
                map_put(service->requesters, name, requester);
        }
        return requester;
}

/* Calls of the pass before that are not answered yet: one that turns out to go on in the background
 * counts in this pass as well, as those do whose answer was there in time. */
static void carry_over(struct evict_service *service, struct evict_requester *requester,
                       struct evict_job *job) {
        if (!service->background || job->deletes ||
            !evict_background_concerns(service->background, &job->record.pod))
                return;
        job->pass = requester->pass;
        evict_requester_count(requester, job->record.node, job->record.pod.ns);
}

static void begin_pass(void *context, const struct evict_pass *pass) {
        struct evict_service *service = context;
        struct evict_requester *requester = need_requester(service, pass->requested_by);
        evict_requester_begin(requester, pass);
        if (pass->continues)
                return;
        for (struct evict_job *job = service->first, *next; job; job = next) {
                next = job->next;
                if (!slice_eq(job->record.requested_by, pass->requested_by))
                        continue;
                if (job->state == JOB_IN_FLIGHT)
                        carry_over(service, requester, job);
                else
                        end_job(service, job, EVICT_RESULT_WITHDRAWN, pass->now);
        }
}

/* An intent that ends at once leaves a record, too. */
static void record_ended(struct evict_service *service, const struct evict_intent *intent,
                         struct wall_time now, enum evict_result result, const char *text) {
        struct evict_job *job = evict_job_new(intent);
        job->record.asked = now;
        evict_job_set_text(job, slice_of(text));
        evict_ledger_end(&service->ledger, job, result, now);
}

static enum evict_outcome refuse_by_limit(struct evict_service *service,
                                          const struct evict_requester *requester,
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
                record_ended(service, intent, requester->now, limits[i].result, text);
                struct evict_record record = { .pod = intent->pod,
                                               .node = intent->node,
                                               .plugin = intent->plugin,
                                               .requested_by = intent->requested_by };
                record.pod.kind = SLICE_LITERAL("Pod");
                if (requester->notes_failures && !intent->is_dry_run)
                        note_event(service, &record, intent->way == EVICT_WAY_DELETE, text);
        }
        return outcome;
}

static bool is_blocked_by_budget(struct evict_service *service, struct evict_requester *requester,
                                 const struct evict_intent *intent) {
        char text[EVICT_BUDGET_TEXT_MAX];
        /* Whoever evicts in the background answers before budgets are looked at. */
        if (service->background && evict_background_concerns(service->background, &intent->pod))
                return false;
        if (service->config.is_parity || !service->config.cluster ||
            !evict_budget_blocks(service->config.cluster, requester->budgets, intent, text))
                return false;
        record_ended(service, intent, requester->now, EVICT_RESULT_BUDGET, text);
        return true;
}

static enum evict_outcome check_limits(const struct evict_service *service,
                                       const struct evict_requester *requester,
                                       const struct evict_intent *intent) {
        struct background_counts moving = { 0 };
        if (service->background)
                moving = evict_background_counts(service->background, intent->node, intent->pod.ns);
        return evict_requester_check(requester, intent, &moving);
}

static enum evict_outcome evict_service_ask(void *context, const struct evict_intent *intent) {
        struct evict_service *service = context;
        struct evict_requester *requester = need_requester(service, intent->requested_by);
        evict_ledger_rule(&service->ledger, intent->profile, intent->plugin)->asked++;
        if (intent->pod.uid.len == 0) {
                record_ended(service, intent, requester->now, EVICT_RESULT_ERROR,
                             "the pod has no uid");
                return EVICT_FAILED;
        }
        if (!service->config.is_parity && map_get(service->open_by_uid, intent->pod.uid))
                return EVICT_REPEATED;
        if (intent->way == EVICT_WAY_REPORT) {
                record_ended(service, intent, requester->now, EVICT_RESULT_DRY_RUN, "report only");
                return EVICT_DONE;
        }
        if (service->background && intent->way == EVICT_WAY_EVICT &&
            evict_background_has(service->background, &intent->pod))
                return EVICT_REPEATED;
        enum evict_outcome outcome = check_limits(service, requester, intent);
        if (outcome != EVICT_DONE)
                return refuse_by_limit(service, requester, intent, outcome);
        if (is_blocked_by_budget(service, requester, intent))
                return EVICT_BUDGET;
        evict_requester_count(requester, intent->node, intent->pod.ns);
        if (intent->is_dry_run) {
                record_ended(service, intent, requester->now, EVICT_RESULT_DRY_RUN, "");
                return EVICT_DONE;
        }
        struct evict_job *job = evict_job_new(intent);
        job->record.asked = requester->now;
        job->pass = requester->pass;
        job->notes_failures = requester->notes_failures;
        link_job(service, job);
        return EVICT_DONE;
}

struct evict_sink evict_service_sink(struct evict_service *service) {
        return (struct evict_sink){ .context = service,
                                    .begin_pass = begin_pass,
                                    .ask = evict_service_ask };
}

/* ---- sending ---- */

/* Deleting always names the uid: what bears the name by then may be running. */
static struct action deletion_of(const struct evict_job *job) {
        return (struct action){ .kind = ACTION_DELETE_POD,
                                .target = job->record.pod,
                                .remove = { job->has_grace, job->grace_s } };
}

static bool has_finished(const struct evict_service *service, const struct evict_job *job) {
        const struct cluster *cluster = service->config.cluster;
        const struct object_ref *pod = &job->record.pod;
        struct pod_id id = cluster ? cluster_find_pod(cluster, pod->ns, pod->name) : POD_NONE;
        if (job->is_finished || pod_id_is_none(id))
                return job->is_finished;
        return pod_row_is_finished(cluster_pod(cluster, id)) &&
               slice_is(pod->uid, cluster_pod(cluster, id)->uid);
}

static struct action eviction_of(const struct evict_service *service, const struct evict_job *job) {
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
                           .is_finished =
                                   !service->config.is_parity && has_finished(service, job) },
        };
        if (service->config.is_parity)
                action.target.uid = SLICE_EMPTY; /* no precondition */
        return action;
}

static void send_job(struct evict_service *service, struct evict_job *job,
                     struct action_list *out) {
        const struct action action = job->deletes ? deletion_of(job) : eviction_of(service, job);
        job->record.attempts++;
        job->state = JOB_IN_FLIGHT;
        job->action_id = action_list_add(out, &action);
        map_u64_put(service->in_flight, job->action_id, job);
}

void evict_service_step(struct evict_service *service, struct mono_time now,
                        struct action_list *out) {
        for (size_t i = 0; i < service->events.count; i++)
                action_list_add(out, &service->events.items[i]);
        action_list_clear(&service->events);
        for (struct evict_job *job = service->first; job; job = job->next) {
                bool is_waiting = job->state == JOB_WAITING && job->due.ns > now.ns;
                if (map_u64_count(service->in_flight) >= service->config.max_in_flight ||
                    (service->config.is_parity && is_waiting))
                        return;
                if (job->state == JOB_QUEUED ||
                    (job->state == JOB_WAITING && job->due.ns <= now.ns))
                        send_job(service, job, out);
        }
}

bool evict_service_next_due(const struct evict_service *service, struct mono_time *ret_due) {
        bool is_found = false;
        int64_t due = INT64_MAX;
        if (map_u64_count(service->in_flight) >= service->config.max_in_flight)
                return false; /* a result comes first */
        for (const struct evict_job *job = service->first; job; job = job->next) {
                if (is_found && service->config.is_parity)
                        break; /* one after the other */
                int64_t at = job->state == JOB_WAITING ? job->due.ns : 0;
                if (job->state == JOB_IN_FLIGHT || (is_found && at >= due))
                        continue;
                is_found = true;
                due = at;
        }
        struct mono_time expiry;
        if (service->background && evict_background_next_due(service->background, &expiry) &&
            (!is_found || expiry.ns < due)) {
                is_found = true;
                due = expiry.ns;
        }
        if (service->events.count > 0) {
                is_found = true;
                due = 0; /* long past */
        }
        if (is_found)
                ret_due->ns = due;
        return is_found;
}

size_t evict_service_open(const struct evict_service *service) {
        return service->open_count;
}

size_t evict_service_in_flight(const struct evict_service *service) {
        return map_u64_count(service->in_flight);
}

/* ---- results ---- */

static bool is_worth_retrying(const struct action_result *result) {
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
static bool may_retry(const struct evict_service *service, const struct evict_job *job,
                      const struct action_result *result) {
        if (service->config.is_parity && result->retry_after_s > 0 && is_worth_retrying(result))
                return job->record.attempts <= PARITY_RETRIES_MAX;
        return is_worth_retrying(result) && job->record.attempts < service->config.max_attempts;
}

static void wait_for_retry(struct evict_service *service, struct evict_job *job, int retry_after_s,
                           struct mono_time now) {
        int64_t delay_ms = EVICT_RETRY_FIRST_MS;
        for (uint32_t i = 1; i < job->record.attempts && delay_ms < EVICT_RETRY_MAX_MS; i++)
                delay_ms *= 2;
        if (delay_ms > EVICT_RETRY_MAX_MS)
                delay_ms = EVICT_RETRY_MAX_MS;
        if (retry_after_s > 0 && (int64_t)retry_after_s * 1000 > delay_ms)
                delay_ms = (int64_t)retry_after_s * 1000;
        if (service->config.is_parity)
                delay_ms = (int64_t)retry_after_s * 1000;
        job->state = JOB_WAITING;
        job->due.ns = now.ns + delay_ms * NS_PER_MS;
        evict_ledger_rule(&service->ledger, job->record.profile, job->record.plugin)->retries++;
}

/* ---- in the background ---- */

void evict_service_observe(struct evict_service *service, struct mono_time now,
                           struct wall_time wall) {
        if (service->background)
                evict_background_look(service->background, now,
                                      &(struct background_end){ &service->ledger, wall });
}

/* True when the answer says that the eviction has begun; the job has then ended. */
static bool goes_on_in_background(struct evict_service *service, struct evict_job *job,
                                  const struct action_result *result, struct mono_time now,
                                  struct wall_time wall) {
        enum background_answer answer = BACKGROUND_REFUSED;
        if (service->background && !job->deletes)
                answer = evict_background_answer(service->background, &job->record.pod, result);
        if (answer == BACKGROUND_REFUSED)
                return false;
        evict_requester_uncount(need_requester(service, job->record.requested_by), job);
        if (answer == BACKGROUND_POINTLESS) {
                unlink_job(service, job);
                evict_job_free(job);
                return true;
        }
        evict_background_assume(service->background, evict_job_copy(&job->record), now);
        end_job(service, job, EVICT_RESULT_BACKGROUND, wall);
        return true;
}

bool evict_service_result(struct evict_service *service, const struct action_result *result,
                          struct mono_time now, struct wall_time wall) {
        struct evict_job *job = map_u64_get(service->in_flight, result->id);
        if (!job || (result->kind != ACTION_EVICT && result->kind != ACTION_DELETE_POD))
                return false;
        map_u64_remove(service->in_flight, result->id);
        evict_job_set_text(job, result->code == BERTH_OK ? SLICE_EMPTY : result->text);
        if (result->code == BERTH_OK) {
                note_event(service, &job->record, job->deletes, NULL);
                end_job(service, job, EVICT_RESULT_SUCCESS, wall);
        } else if (goes_on_in_background(service, job, result, now, wall)) {
                return true;
        } else if (!service->config.is_parity && is_gone(result)) {
                end_job(service, job, EVICT_RESULT_GONE, wall);
        } else if (may_retry(service, job, result)) {
                wait_for_retry(service, job, result->retry_after_s, now);
        } else {
                if (job->notes_failures)
                        note_event(service, &job->record, job->deletes, job->text ? job->text : "");
                end_job(service, job, EVICT_RESULT_ERROR, wall);
        }
        return true;
}

/* ---- what was done ---- */

const struct evict_record *evict_service_next_record(const struct evict_service *service,
                                                     uint64_t after, size_t *at) {
        const struct evict_ledger *ledger = &service->ledger;
        uint64_t oldest =
                ledger->last_number > ledger->capacity ? ledger->last_number - ledger->capacity : 0;
        uint64_t number = (after > oldest ? after : oldest) + 1 + *at;
        if (number > ledger->last_number)
                return NULL;
        (*at)++;
        return &ledger->ring[number % ledger->capacity]->record;
}

size_t evict_service_counts(const struct evict_service *service,
                            const struct evict_count **ret_counts) {
        *ret_counts = service->ledger.counts;
        return service->ledger.count_count;
}

size_t evict_service_rules(const struct evict_service *service,
                           const struct evict_rule_stats **ret_rules) {
        *ret_rules = service->ledger.rules;
        return service->ledger.rule_count;
}
