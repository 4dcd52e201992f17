/* The ring of recent changes. */
#include "model/change_log.h"

#include "base/util.h"
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#define LOG_CAPACITY_DEFAULT 65536u
#define LOG_FIRST_CAP 256u

void change_log_init(struct change_log *log, uint32_t capacity) {
        *log = (struct change_log){ .capacity = capacity ? capacity : LOG_CAPACITY_DEFAULT };
}

void change_log_release(struct change_log *log) {
        free(log->ring);
        log->ring = NULL;
}

/* Only while the ring never wrapped: entries then stand in order from 0. */
static void change_log_grow(struct change_log *log) {
        uint32_t cap = log->cap ? log->cap * 2 : LOG_FIRST_CAP;
        if (cap > log->capacity || cap < log->cap)
                cap = log->capacity;
        log->ring = xreallocarray(log->ring, cap, sizeof(*log->ring));
        log->next = log->count;
        log->cap = cap;
}

uint64_t change_log_add(struct change_log *log, uint32_t mask, struct node_id node,
                        struct pod_id pod) {
        if (log->count == log->cap && log->cap < log->capacity)
                change_log_grow(log);
        log->ring[log->next] = (struct cluster_change){
                .generation = ++log->generation, .mask = mask, .node = node, .pod = pod
        };
        log->next = log->next + 1 == log->cap ? 0 : log->next + 1;
        if (log->count < log->cap)
                log->count++;
        return log->generation;
}

bool change_log_since(const struct change_log *log, uint64_t generation,
                      struct change_range *ret_range) {
        if (generation > log->generation || log->generation - generation > log->count)
                return false;
        uint32_t wanted = (uint32_t)(log->generation - generation);
        *ret_range = (struct change_range){ 0 };
        if (!wanted)
                return true;
        uint32_t start = log->next >= wanted ? log->next - wanted : log->next + log->cap - wanted;
        uint32_t run = log->cap - start < wanted ? log->cap - start : wanted;
        *ret_range = (struct change_range){ .first = log->ring + start, .first_count = run };
        if (run < wanted) {
                ret_range->second = log->ring;
                ret_range->second_count = wanted - run;
        }
        return true;
}
