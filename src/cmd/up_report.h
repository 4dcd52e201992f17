/* What happened during a run of berth up: gathered once, printed for people or as JSON. */
#pragma once

#include "base/arena.h"
#include "base/buf.h"
#include "base/err.h"
#include "cmd/up_devices.h"
#include "model/pod_table.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct cluster;
struct evict_requester;
struct runtime;
struct scheduler;

#define UP_PHASES 5 /* enum pod_phase */

struct up_resource { /* amounts over all nodes: cpu in millicores, else units */
        struct slice name;
        int64_t allocatable, requested;
        size_t over_committed; /* nodes on which requested exceeds allocatable */
};
struct up_reason { /* of pods that could not be placed, most frequent first */
        struct slice message;
        size_t pods;
};
struct up_rule { /* evictions of one rule with one result */
        struct slice profile, plugin, result;
        uint64_t count;
};
struct up_eviction {
        struct slice pod, node, plugin, reason, result, text;
};

struct up_report {
        size_t nodes, pods, by_phase[UP_PHASES], pending_unplaced;
        uint64_t placed, decisions, unschedulable_attempts;
        double placing_s; /* during which bindings were under way */
        double elapsed_s, cpu_s;
        int64_t peak_memory_bytes;
        size_t resource_count, reason_count, rule_count, eviction_count, device_count;
        struct up_resource *resources;
        struct up_reason *reasons;
        struct up_rule *rules;
        struct up_eviction *evictions; /* the first UP_EVICTIONS_MAX */
        struct up_devices *devices;    /* of nodes that have some */
        uint64_t binds, status_writes, evict_calls, events_written, failed_writes;
        bool is_settled;
};
#define UP_EVICTIONS_MAX 1000
#define UP_REASONS_MAX 50
#define UP_DEVICES_MAX 20 /* nodes, in the text for people */

struct up_sources {
        const struct cluster *cluster;
        const struct scheduler *scheduler;       /* NULL = no such role */
        const struct evict_requester *requester; /* NULL = no such role */
        const struct runtime *runtime;
        double elapsed_s;
        bool is_settled;
};
/* Everything lives in the arena. */
void up_report_gather(const struct up_sources *sources, struct arena *arena,
                      struct up_report *ret_report);
void up_report_print(const struct up_report *report, struct buf *out);
void up_report_json(const struct up_report *report, struct buf *out);
/* Writes the JSON beside path and renames it, so that no half report is ever seen. */
int up_report_write(const struct up_report *report, const char *path, struct err *err);
/* Fails at once when path could not be written later. */
int up_report_check_path(const char *path, struct err *err);
