/* A plugin: identity, arguments, life cycle, and one optional table of extension points per family.
 * One const struct plugin plugin_NAME per file, from which the registry of its family is made when
 * the program is built (scripts/plugin_registry.py); nothing registers itself.  Instances are made
 * per profile; their state is theirs and changes only in init and fini (per-pod state lives in the
 * cycle). */
#pragma once

#include "base/arena.h"
#include "base/err.h"
#include "config/field_table.h"
#include "model/cluster.h"
#include "plugin/verdict.h"
#include <stdbool.h>
#include <stdint.h>

struct sched_points;
struct desched_points;

/* Upstream's feature gates that change decisions. Those that are on by default have a bit for being
 * off, so that no bits are upstream's defaults. */
enum feature_gate {
        FEATURE_TAINT_ORDER = 1,             /* TaintTolerationComparisonOperators */
        FEATURE_GANGS = 2,                   /* GangScheduling */
        FEATURE_BACKGROUND = 4,              /* EvictionsInBackground, of the descheduler */
        FEATURE_GROUPS = 8,                  /* GenericWorkload */
        FEATURE_PLACEMENTS = 16,             /* TopologyAwareWorkloadScheduling */
        FEATURE_GROUP_PREEMPTION = 32,       /* WorkloadAwarePreemption */
        FEATURE_DEVICE_LISTS = 64,           /* DRAListTypeAttributes */
        FEATURE_DEVICE_TAINT_RULES = 128,    /* DRADeviceTaintRules */
        FEATURE_NODE_DEVICES = 256,          /* DRANodeAllocatableResources */
        FEATURE_NO_DEVICE_CHOICES = 512,     /* DRAPrioritizedList */
        FEATURE_NO_DEVICE_COUNTERS = 1024,   /* DRAPartitionableDevices */
        FEATURE_NO_DEVICE_TAINTS = 2048,     /* DRADeviceTaints */
        FEATURE_NO_DEVICE_CONDITIONS = 4096, /* DRADeviceBindingConditions */
        FEATURE_NO_DEVICE_STATUS = 8192,     /* DRAResourceClaimDeviceStatus */
        FEATURE_NO_DEVICE_SHARES = 16384,    /* DRAConsumableCapacity */
        FEATURE_NO_DEVICE_ADMIN = 32768,     /* DRAAdminAccess */
        FEATURE_NO_EXTENDED_DEVICES = 65536, /* DRAExtendedResource */
        FEATURE_GROUP_DEVICES = 131072,      /* DRAWorkloadResourceClaims */
        FEATURE_NO_DEVICE_TIMEOUT = 262144,  /* DRASchedulerFilterTimeout */
};

struct plugin_env {
        const struct cluster *cluster;      /* resolve names while building; may be NULL */
        bool is_parity;                     /* upstream's defects included (--parity) */
        uint32_t gates;                     /* enum feature_gate bits that are on */
        const struct item_list *extenders;  /* struct scheduler_extender; NULL = none */
        const struct plugin_handle *handle; /* what the runner lends; NULL for the scheduler */
};

struct plugin {
        const char *name;         /* as written in configuration */
        const struct field *args; /* NULL: the plugin takes no arguments */
        size_t args_size;         /* struct filled by args */
        /* Rules over the whole of args that no single field can state; NULL = none.  Problems go to
         * the reader. */
        void (*check)(struct field_reader *reader, const struct json *value, const void *args);
        /* Makes the instance from checked args (owned by the profile, alive until fini).  NULL: the
         * plugin has no state and gets args itself as state. */
        int (*init)(const struct plugin_env *env, const void *args, void **ret_state,
                    struct err *err);
        void (*fini)(void *state); /* accepts NULL */
        const struct sched_points *sched;
        const struct desched_points *desched;
        uint32_t wakes_on; /* CLUSTER_* changes that may reverse its "no" */
};

/* Registries: NULL-ended arrays (plugins/sched/registry.h, plugins/desched/registry.h). */
const struct plugin *plugin_find(const struct plugin *const *registry, struct slice name);
