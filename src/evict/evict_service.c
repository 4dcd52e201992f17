/* The eviction service: intents in, actions out, results back in. */
#include "evict/evict_service.h"
#include "base/util.h"
#include "evict/evict_priv.h"
#include "evict/eviction_reconciler.h"
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct evict_service *evict_service_new(const struct evict_config *config) {
        struct evict_service *service = xcalloc(1, sizeof(*service));
        service->config = *config;
        service->open_by_uid = map_new();
        service->calls = map_u64_new();
        service->slots = evict_slots_new(config);
        service->requests = evict_requests_new();
        service->wall = WALL_TIME_UNSET;
        action_list_init(&service->outbox);
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
        evict_slots_free(service->slots);
        evict_requests_free(service->requests);
        action_list_release(&service->outbox);
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

/* ---- steps ---- */

static bool evict_service_expires(const struct evict_job *job) {
        return job->state == JOB_REQUESTED && !job->is_answered;
}

/* Where nothing else is wanted a request is written again: it may never have been stored, or the
 * cluster may serve another group by now. */
static void expire_requests(struct evict_service *service, struct mono_time now,
                            struct action_list *out) {
        for (const struct evict_requester *requester = service->first; requester;
             requester = requester->next)
                for (struct evict_job *job = requester->first; job; job = job->next) {
                        if (!evict_service_expires(job) || job->due.ns > now.ns)
                                continue;
                        if (service->config.requests == EVICT_REQUESTS_ALWAYS) {
                                evict_requests_doubt_kinds(service->requests);
                                evict_step_write_request(job, out);
                                continue;
                        }
                        evict_settle_unanswered(service, "nobody answers EvictionRequests", now);
                        return; /* all of them */
                }
}

void evict_service_step(struct evict_service *service, struct mono_time now,
                        struct action_list *out) {
        evict_slots_look(service->slots, now);
        if (service->unanswered > 0)
                expire_requests(service, now, out);
        for (struct evict_requester *requester = service->first; requester;
             requester = requester->next)
                if (requester->open_count > requester->called)
                        evict_step_requester(requester, now, out);
        if (evict_slots_follows(service->slots)) {
                evict_slots_let_in(service->slots, now);
                for (struct evict_requester *requester = service->first; requester;
                     requester = requester->next)
                        evict_step_admit(requester, now, out);
        }
        for (size_t i = 0; i < service->outbox.count; i++)
                action_list_add(out, &service->outbox.items[i]);
        action_list_clear(&service->outbox);
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
        if (requester->open_count == requester->called)
                return;
        bool is_full = requester->under_way >= requester->config.max_in_flight;
        for (const struct evict_job *job = requester->first; job; job = job->next) {
                if (job->state == JOB_LINED_UP || evict_service_expires(job))
                        evict_due_add(due, job->due.ns);
                if (is_full || job_is_under_way(job->state))
                        continue; /* a result comes first */
                evict_due_add(due, job->state == JOB_WAITING ? job->due.ns : 0);
                if (requester->config.is_parity)
                        break; /* one after the other */
        }
}

bool evict_service_next_due(const struct evict_service *service, struct mono_time *ret_due) {
        struct evict_due due = { .is_set = service->outbox.count > 0 }; /* long past */
        for (const struct evict_requester *requester = service->first; requester;
             requester = requester->next)
                add_dues(requester, &due);
        struct mono_time slots;
        if (evict_slots_next_due(service->slots, &slots))
                evict_due_add(&due, slots.ns);
        if (due.is_set)
                ret_due->ns = due.ns;
        return due.is_set;
}

/* ---- what is seen ---- */

bool evict_service_result(struct evict_service *service, const struct action_result *result,
                          struct mono_time now, struct wall_time wall) {
        struct evict_job *job = map_u64_get(service->calls, result->id);
        if (!job || (result->kind != ACTION_EVICT && result->kind != ACTION_DELETE_POD &&
                     result->kind != ACTION_CREATE_REQUEST))
                return false;
        assert(job->action_id == result->id);
        service->wall = wall;
        map_u64_remove(service->calls, result->id);
        if (result->kind == ACTION_CREATE_REQUEST)
                evict_settle_written(job, result, now, wall);
        else
                evict_settle(job, result, now, wall);
        return true;
}

bool evict_service_take_answer(struct evict_service *service, struct evict_answer *ret_answer) {
        bool has_answer = service->has_answer;
        if (has_answer)
                *ret_answer = service->answer;
        service->has_answer = false;
        return has_answer;
}

void evict_service_observe(struct evict_service *service, struct mono_time now,
                           struct wall_time wall) {
        service->wall = wall;
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
        return evict_slots_follows(service->slots);
}

static void write_selector(const struct evict_service *service, char *text, size_t size) {
        size_t used = (size_t)snprintf(text, size, EVICTION_REQUESTER_LABEL " in (");
        const char *comma = "";
        for (const struct evict_requester *requester = service->first; requester;
             requester = requester->next) {
                if (!requester->label[0] || used >= size)
                        continue;
                used += (size_t)snprintf(text + used, size - used, "%s%s", comma, requester->label);
                comma = ",";
        }
        if (used < size)
                snprintf(text + used, size - used, ")");
}

void evict_service_wants(const struct evict_service *service, struct evict_wants *ret_wants) {
        bool follows = evict_slots_follows(service->slots);
        *ret_wants = (struct evict_wants){
                .kinds = evict_requests_wants_kinds(service->requests),
                .group = evict_requests_group(service->requests),
                .own_requests = service->follows_requests,
                .all_requests = evict_requests_wants_all(service->requests),
                .observations = { [EVICT_SIGHT_PODS] = follows && !service->config.cluster,
                                  [EVICT_SIGHT_OWN] = follows,
                                  [EVICT_SIGHT_NATIVE] = follows,
                                  [EVICT_SIGHT_MIGRATIONS] = follows },
        };
        write_selector(service, ret_wants->selector, sizeof(ret_wants->selector));
}

void evict_service_saw_kinds(struct evict_service *service, enum evict_kinds kinds,
                             struct mono_time now) {
        const struct evict_config *config = &service->config;
        const char *group = evict_requests_group(service->requests);
        kinds = evict_requests_set_kinds(service->requests, kinds, now);
        if (strcmp(group, evict_requests_group(service->requests)) != 0)
                evict_requests_forget_own(service->requests);
        evict_settle_moved(service, kinds);
        if (kinds == EVICT_KINDS_ABSENT && config->report && !service->was_reported_direct &&
            config->requests != EVICT_REQUESTS_NEVER)
                config->report(
                        config->context,
                        &(struct evict_note){ .kind = EVICT_NOTE_DIRECT,
                                              .text = "the cluster has no EvictionRequests" });
        service->was_reported_direct |= kinds == EVICT_KINDS_ABSENT;
}

void evict_service_saw_request(struct evict_service *service, const struct json *object,
                               bool is_removed, struct mono_time now, struct wall_time wall) {
        evict_settle_request(service, object, is_removed, now, wall);
}

void evict_service_saw_any_request(struct evict_service *service, const struct json *object,
                                   bool is_removed, struct mono_time now) {
        evict_requests_see(service->requests, object, is_removed, now);
}

void evict_service_listed_requests(struct evict_service *service) {
        evict_requests_set_listed(service->requests);
}

void evict_service_saw(struct evict_service *service, enum evict_observation observation,
                       const struct json *object, bool is_removed) {
        evict_slots_see(service->slots, observation, object, is_removed);
}

void evict_service_listed_observations(struct evict_service *service) {
        evict_slots_set_ready(service->slots);
}

void evict_service_forget_observations(struct evict_service *service) {
        evict_slots_forget(service->slots);
}

void evict_service_saw_pod(struct evict_service *service, const struct json *pod,
                           struct mono_time now) {
        if (service->config.has_slots)
                evict_slots_see_pod(service->slots, pod, now);
}

void evict_service_saw_node(struct evict_service *service, struct slice node,
                            const struct json *list, struct mono_time now) {
        if (service->config.has_slots)
                evict_slots_see_node(service->slots, node, list, now);
}

void evict_service_lost_pod(struct evict_service *service, struct slice uid) {
        evict_slots_lose_pod(service->slots, uid);
}

void evict_service_slots(const struct evict_service *service, struct slot_ledger_stats *ret_stats) {
        evict_slots_stats(service->slots, ret_stats);
}

const struct evict_requester *evict_service_next_requester(const struct evict_service *service,
                                                           const struct evict_requester *after) {
        return after ? after->next : service->first;
}
