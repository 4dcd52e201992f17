/* kured 1.23 on one node, as far as other agents can see: its lock in both forms, its taint, its
 * order of steps and its recovery, over a transport of its own (reference reboot.md, 2 and 4). */
#pragma once

#include "base/slice.h"
#include "port/loop.h"
#include "port/transport.h"
#include <stdbool.h>
#include <stdint.h>

struct sim_kured;

struct sim_kured_config {  /* copied; what it points to must outlive the process */
        struct loop *loop; /* with the clock of the node */
        struct transport transport;
        const char *node, *lock_path, *lock_key, *taint_key, *blocking_label /* "app=batch" */;
        uint32_t concurrency;
        int64_t period_ns;
        uint64_t seed;
        void *context;
        bool (*is_required)(void *context);
        int (*reboot)(void *context); /* BERTH_OK, or it exits */
        void (*exits)(void *context); /* wants to be freed, and started again; from the loop */
};

struct sim_kured *sim_kured_new(const struct sim_kured_config *config); /* starts at once */
void sim_kured_free(struct sim_kured *kured);                           /* a kill; accepts NULL */
