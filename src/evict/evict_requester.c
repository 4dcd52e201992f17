/* Limits of one requester: counts of its current pass against its caps, as upstream counts them
 * (pkg/descheduler/evictions: total first, then node, then namespace). */
#include "base/util.h"
#include "evict/evict_priv.h"
#include <stdio.h>
#include <stdlib.h>

struct evict_requester *evict_requester_new(struct evict_service *service,
                                            const struct evict_requester_config *config) {
        struct evict_requester *requester = xcalloc(1, sizeof(*requester));
        requester->service = service;
        requester->config = *config;
        if (config->max_in_flight == 0)
                requester->config.max_in_flight = EVICT_IN_FLIGHT_DEFAULT;
        if (config->is_parity)
                requester->config.max_in_flight = requester->config.max_attempts = 1;
        else if (config->max_attempts == 0)
                requester->config.max_attempts = EVICT_ATTEMPTS_DEFAULT;
        struct slice rest = slice_of(config->requests_as), head = SLICE_EMPTY;
        slice_split(&rest, '.', &head); /* descheduler.berth.dev/evict: "descheduler" */
        snprintf(requester->label, sizeof(requester->label), SLICE_FMT, SLICE_ARG(head));
        evict_ledger_init(&requester->ledger,
                          config->max_records ? config->max_records : EVICT_RECORDS_DEFAULT);
        requester->nodes = map_new();
        requester->namespaces = map_new();
        requester->budgets = map_new();
        requester->now = WALL_TIME_UNSET;
        return requester;
}

void evict_requester_free(struct evict_requester *requester) {
        if (!requester)
                return;
        for (struct evict_job *job = requester->first, *next; job; job = next) {
                next = job->next;
                evict_job_free(job);
        }
        evict_background_free(requester->background);
        evict_ledger_release(&requester->ledger);
        map_free(requester->nodes);
        map_free(requester->namespaces);
        map_free(requester->budgets);
        free(requester);
}

size_t evict_requester_open(const struct evict_requester *requester) {
        return requester->open_count;
}

size_t evict_requester_in_flight(const struct evict_requester *requester) {
        return requester->under_way;
}

void evict_requester_begin(struct evict_requester *requester, const struct evict_pass *pass) {
        /* What the budgets' own status does not show yet; it does by the next pass. */
        if (!pass->keeps_budgets) {
                map_free(requester->budgets);
                requester->budgets = map_new();
        }
        if (!pass->continues) {
                map_free(requester->nodes);
                map_free(requester->namespaces);
                requester->nodes = map_new();
                requester->namespaces = map_new();
                requester->total = 0;
                requester->pass++;
        }
        requester->limits = pass->limits;
        requester->now = pass->now;
        requester->notes_failures = pass->notes_failures;
}

static uint64_t evict_requester_counted(const struct map *map, struct slice key) {
        return (uint64_t)(uintptr_t)map_get(map, key);
}

static void count_one(struct map *map, struct slice key) {
        map_put(map, key, (void *)(uintptr_t)(evict_requester_counted(map, key) + 1));
}

static void uncount_one(struct map *map, struct slice key) {
        uint64_t count = evict_requester_counted(map, key);
        if (count > 1)
                map_put(map, key, (void *)(uintptr_t)(count - 1));
        else
                map_remove(map, key);
}

enum evict_outcome evict_requester_check(const struct evict_requester *requester,
                                         const struct evict_intent *intent,
                                         const struct background_counts *background) {
        const struct evict_limits *limits = &requester->limits;
        if (limits->has_total && requester->total + background->total + 1 > limits->total)
                return EVICT_TOTAL_LIMIT;
        if (limits->has_node && intent->node.len > 0 &&
            evict_requester_counted(requester->nodes, intent->node) + background->node + 1 >
                    limits->node)
                return EVICT_NODE_LIMIT;
        if (limits->has_namespace &&
            evict_requester_counted(requester->namespaces, intent->pod.ns) + background->ns + 1 >
                    limits->ns)
                return EVICT_NAMESPACE_LIMIT;
        return EVICT_DONE;
}

void evict_requester_count(struct evict_requester *requester, struct slice node, struct slice ns) {
        requester->total++;
        if (node.len > 0)
                count_one(requester->nodes, node);
        count_one(requester->namespaces, ns);
}

void evict_requester_uncount(struct evict_requester *requester, const struct evict_job *job) {
        const struct evict_record *record = &job->record;
        if (job->pass != requester->pass || requester->total == 0)
                return;
        requester->total--;
        if (record->node.len > 0)
                uncount_one(requester->nodes, record->node);
        uncount_one(requester->namespaces, record->pod.ns);
}

/* ---- what was done ---- */

const struct evict_record *evict_requester_next_record(const struct evict_requester *requester,
                                                       uint64_t after, size_t *at) {
        const struct evict_ledger *ledger = &requester->ledger;
        uint64_t oldest =
                ledger->last_number > ledger->capacity ? ledger->last_number - ledger->capacity : 0;
        uint64_t number = (after > oldest ? after : oldest) + 1 + *at;
        if (number > ledger->last_number)
                return NULL;
        (*at)++;
        return &ledger->ring[number % ledger->capacity]->record;
}

size_t evict_requester_counts(const struct evict_requester *requester,
                              const struct evict_count **ret_counts) {
        *ret_counts = requester->ledger.counts;
        return requester->ledger.count_count;
}

size_t evict_requester_rules(const struct evict_requester *requester,
                             const struct evict_rule_stats **ret_rules) {
        *ret_rules = requester->ledger.rules;
        return requester->ledger.rule_count;
}

uint64_t evict_requester_ended(const struct evict_requester *requester, enum evict_route route,
                               enum evict_result result) {
        return requester->ledger.ended[route][result];
}

const char *evict_requester_name(const struct evict_requester *requester) {
        return requester->config.name ? requester->config.name : "";
}

struct slice evict_request_name(const struct evict_job *job, char *buffer) {
        const struct evict_requester *requester = job->requester;
        snprintf(buffer, EVICT_REQUEST_NAME_MAX, "%s-" SLICE_FMT,
                 requester->config.request_prefix ? requester->config.request_prefix
                                                  : requester->label,
                 SLICE_ARG(job->record.pod.uid));
        return slice_of(buffer);
}

struct object_ref evict_request_ref(const struct evict_job *job, char *buffer) {
        return (struct object_ref){ .kind = SLICE_LITERAL("EvictionRequest"),
                                    .ns = job->record.pod.ns,
                                    .name = evict_request_name(job, buffer) };
}
