/* What the eviction service did: a ring of records, counters for metrics, statistics by rule. */
#include "base/util.h"
#include "evict/evict_priv.h"
#include <stdlib.h>

const char *evict_result_name(enum evict_result result) {
        static const char *const names[EVICT_RESULT_COUNT] = {
                [EVICT_RESULT_SUCCESS] = "success",
                [EVICT_RESULT_ERROR] = "error",
                [EVICT_RESULT_GONE] = "gone",
                [EVICT_RESULT_DRY_RUN] = "dry-run",
                [EVICT_RESULT_NODE_LIMIT] = "maximum number of evicted pods per node reached",
                [EVICT_RESULT_NAMESPACE_LIMIT] =
                        "maximum number of evicted pods per namespace reached",
                [EVICT_RESULT_TOTAL_LIMIT] =
                        "maximum number of evicted pods per a descheduling cycle reached",
                [EVICT_RESULT_BUDGET] = "disruption budget exhausted",
                [EVICT_RESULT_WITHDRAWN] = "withdrawn",
                [EVICT_RESULT_BACKGROUND] = "background",
        };
        return names[result];
}

const char *evict_route_name(enum evict_route route) {
        static const char *const names[EVICT_ROUTE_COUNT] = {
                [EVICT_ROUTE_NONE] = "none",
                [EVICT_ROUTE_SUBRESOURCE] = "subresource",
                [EVICT_ROUTE_REQUEST] = "request",
                [EVICT_ROUTE_DELETE] = "delete",
                [EVICT_ROUTE_PREEMPTION] = "preemption",
        };
        return names[route];
}

void evict_ledger_init(struct evict_ledger *ledger, size_t capacity) {
        *ledger = (struct evict_ledger){ .capacity = capacity, .count_index = map_new() };
        ledger->ring = xcalloc(capacity, sizeof(*ledger->ring));
}

void evict_ledger_release(struct evict_ledger *ledger) {
        for (size_t i = 0; i < ledger->capacity; i++)
                evict_job_free(ledger->ring[i]);
        for (size_t i = 0; i < ledger->count_count; i++)
                free((char *)ledger->counts[i].plugin.ptr); /* start of the labels' block */
        for (size_t i = 0; i < ledger->rule_count; i++)
                free((char *)ledger->rules[i].profile.ptr);
        free(ledger->ring);
        free(ledger->counts);
        free(ledger->rules);
        map_free(ledger->count_index);
}

/* One block: plugin, profile, namespace, node, each with its NUL. */
static void copy_labels(struct evict_count *count, const struct evict_record *record) {
        const struct slice from[] = { record->plugin, record->profile, record->pod.ns,
                                      record->node };
        struct slice *const to[] = { &count->plugin, &count->profile, &count->ns, &count->node };
        size_t size = 0;
        for (size_t i = 0; i < ARRAY_LEN(from); i++)
                size += from[i].len + 1;
        char *at = xmalloc(size);
        for (size_t i = 0; i < ARRAY_LEN(from); i++) {
                *to[i] = slice_make(at, from[i].len);
                if (from[i].len > 0)
                        memcpy(at, from[i].ptr, from[i].len);
                at[from[i].len] = '\0';
                at += from[i].len + 1;
        }
}

static void add_count(struct evict_ledger *ledger, const struct evict_record *record) {
        struct buf key = { 0 };
        buf_printf(&key, "%d|" SLICE_FMT "|" SLICE_FMT "|" SLICE_FMT "|" SLICE_FMT,
                   (int)record->result, SLICE_ARG(record->plugin), SLICE_ARG(record->profile),
                   SLICE_ARG(record->pod.ns), SLICE_ARG(record->node));
        size_t index = (size_t)(uintptr_t)map_get(ledger->count_index, buf_view(&key));
        if (index == 0) {
                if (ledger->count_count == ledger->count_cap) {
                        ledger->count_cap = ledger->count_cap ? ledger->count_cap * 2 : 32;
                        ledger->counts = xreallocarray(ledger->counts, ledger->count_cap,
                                                       sizeof(*ledger->counts));
                }
                struct evict_count *count = &ledger->counts[ledger->count_count++];
                *count = (struct evict_count){ .result = record->result };
                copy_labels(count, record);
                index = ledger->count_count;
                map_put(ledger->count_index, buf_view(&key), (void *)(uintptr_t)index);
        }
        ledger->counts[index - 1].count++;
        buf_release(&key);
}

struct evict_rule_stats *evict_ledger_rule(struct evict_ledger *ledger, struct slice profile,
                                           struct slice plugin) {
        for (size_t i = 0; i < ledger->rule_count; i++) {
                struct evict_rule_stats *rule = &ledger->rules[i];
                if (slice_eq(rule->profile, profile) && slice_eq(rule->plugin, plugin))
                        return rule;
        }
        if (ledger->rule_count == ledger->rule_cap) {
                ledger->rule_cap = ledger->rule_cap ? ledger->rule_cap * 2 : 16;
                ledger->rules =
                        xreallocarray(ledger->rules, ledger->rule_cap, sizeof(*ledger->rules));
        }
        struct evict_rule_stats *rule = &ledger->rules[ledger->rule_count++];
        char *block = xcalloc(1, profile.len + plugin.len + 2);
        if (profile.len > 0)
                memcpy(block, profile.ptr, profile.len);
        if (plugin.len > 0)
                memcpy(block + profile.len + 1, plugin.ptr, plugin.len);
        *rule = (struct evict_rule_stats){
                .profile = slice_make(block, profile.len),
                .plugin = slice_make(block + profile.len + 1, plugin.len),
        };
        return rule;
}

void evict_ledger_end(struct evict_ledger *ledger, struct evict_job *job, enum evict_result result,
                      struct wall_time now) {
        struct evict_record *record = &job->record;
        job->state = JOB_ENDED;
        record->result = result;
        record->ended = now;
        record->number = ++ledger->last_number;
        ledger->ended[record->route][result]++;
        evict_ledger_rule(ledger, record->profile, record->plugin)->results[result]++;
        if (!job->is_call) /* their kinds are few, their pods and nodes all there are */
                add_count(ledger, record);
        struct evict_job **slot = &ledger->ring[record->number % ledger->capacity];
        evict_job_free(*slot);
        *slot = job;
}
