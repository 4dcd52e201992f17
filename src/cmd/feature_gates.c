/* Reads feature gates. */
#include "cmd/feature_gates.h"

#include "base/buf.h"
#include "base/name_hint.h"
#include "base/slice.h"
#include "cmd/kubernetes_gates.h"
#include "plugin/plugin.h"
#include <string.h>

const struct option feature_gates_option_table[] = {
        { .name = "feature-gates",
          .type = OPTION_TEXT,
          .value_name = "NAME=BOOL,...",
          .help = "EvictionRequestAPI=true: serve lifecycle.k8s.io as Kubernetes will; "
                  "GenericWorkload=true: serve PodGroups" },
        { 0 },
};

/* All of them are alpha in Kubernetes 1.36. */
#define SCHEDULER_ALPHA                                                                            \
        (FEATURE_TAINT_ORDER | FEATURE_GROUPS | FEATURE_GANGS | FEATURE_PLACEMENTS |               \
         FEATURE_GROUP_PREEMPTION | FEATURE_DEVICE_LISTS | FEATURE_NODE_DEVICES |                  \
         FEATURE_GROUP_DEVICES)
/* Beta, and on by default: the bits are for being off. */
#define SCHEDULER_BETA                                                                             \
        (FEATURE_NO_DEVICE_COUNTERS | FEATURE_NO_DEVICE_TAINTS | FEATURE_NO_DEVICE_CONDITIONS |    \
         FEATURE_NO_DEVICE_STATUS | FEATURE_NO_DEVICE_SHARES | FEATURE_NO_EXTENDED_DEVICES |       \
         FEATURE_NO_DEVICE_TIMEOUT)

/* Of groups of pods: the API server serves them, the scheduler places them. */
#define GROUP_GATES                                                                                \
        { "GenericWorkload", FEATURE_GROUPS },                                                     \
                { .name = "GangScheduling", .bit = FEATURE_GANGS, .needs = FEATURE_GROUPS },       \
                { .name = "TopologyAwareWorkloadScheduling",                                       \
                  .bit = FEATURE_PLACEMENTS,                                                       \
                  .needs = FEATURE_GROUPS },                                                       \
                { .name = "WorkloadAwarePreemption",                                               \
                  .bit = FEATURE_GROUP_PREEMPTION,                                                 \
                  .needs = FEATURE_GANGS },                                                        \
        {                                                                                          \
                .name = "DRAWorkloadResourceClaims", .bit = FEATURE_GROUP_DEVICES,                 \
                .needs = FEATURE_GROUPS                                                            \
        }
#define SCHEDULER_GATES                                                                            \
        { "TaintTolerationComparisonOperators", FEATURE_TAINT_ORDER }, GROUP_GATES,                \
                { "DRAListTypeAttributes", FEATURE_DEVICE_LISTS },                                 \
                { "DRADeviceTaintRules", FEATURE_DEVICE_TAINT_RULES },                             \
                { "DRANodeAllocatableResources", FEATURE_NODE_DEVICES },                           \
                { .name = "DRAPrioritizedList", .off_bit = FEATURE_NO_DEVICE_CHOICES },            \
                { .name = "DRAPartitionableDevices", .off_bit = FEATURE_NO_DEVICE_COUNTERS },      \
                { .name = "DRADeviceTaints", .off_bit = FEATURE_NO_DEVICE_TAINTS },                \
                { .name = "DRADeviceBindingConditions", .off_bit = FEATURE_NO_DEVICE_CONDITIONS }, \
                { .name = "DRAResourceClaimDeviceStatus", .off_bit = FEATURE_NO_DEVICE_STATUS },   \
                { .name = "DRAConsumableCapacity", .off_bit = FEATURE_NO_DEVICE_SHARES },          \
                { .name = "DRASchedulerFilterTimeout", .off_bit = FEATURE_NO_DEVICE_TIMEOUT }, {   \
                .name = "DRAExtendedResource", .off_bit = FEATURE_NO_EXTENDED_DEVICES              \
        }

const struct feature_gate_entry scheduler_feature_gates[] = {
        { .name = "AllAlpha", .bit = SCHEDULER_ALPHA, .is_group = true },
        { .name = "AllBeta",
          .bit = FEATURE_DEVICE_TAINT_RULES,
          .off_bit = SCHEDULER_BETA,
          .is_group = true },
        SCHEDULER_GATES,
        { "*", 0 },
        { NULL, 0 },
};
const struct feature_gate_entry descheduler_feature_gates[] = {
        { .name = "AllAlpha", .bit = FEATURE_BACKGROUND, .is_group = true },
        { .name = "AllBeta", .is_group = true },
        { "EvictionsInBackground", FEATURE_BACKGROUND },
        { NULL, 0 },
};

const struct feature_gate_entry sandbox_feature_gates[] = {
        { "EvictionRequestAPI", FEATURE_EVICTION_REQUESTS },
        GROUP_GATES,
        { NULL, 0 },
};

const struct feature_gate_entry up_feature_gates[] = {
        { "EvictionRequestAPI", FEATURE_EVICTION_REQUESTS },
        SCHEDULER_GATES,
        { NULL, 0 },
};

struct api_group_gates feature_gates_groups(uint32_t gates) {
        return (struct api_group_gates){ .is_served = gates & FEATURE_GROUPS,
                                         .has_topology = gates & FEATURE_PLACEMENTS,
                                         .has_claims = gates & FEATURE_GROUP_DEVICES,
                                         .has_priority = gates & FEATURE_GROUP_PREEMPTION };
}

/* Stands for gates of Kubernetes that have no effect here. */
static const struct feature_gate_entry without_effect = { .name = "" };

/* A table with the row "*" takes every gate of Kubernetes. */
static const struct feature_gate_entry *feature_gates_find(const struct feature_gate_entry *known,
                                                           struct slice name) {
        for (; known->name; known++) {
                if (slice_is(name, known->name))
                        return known;
                if (strcmp(known->name, "*") == 0 && kubernetes_gate_find(name))
                        return &without_effect;
        }
        return NULL;
}

/* The gate that was meant; NULL = none is close. */
static const char *meant_gate(const struct feature_gate_entry *known, struct slice name) {
        struct name_hint hint = name_hint_start(name);
        const struct kubernetes_gate *gate;

        for (; known->name; known++) {
                if (strcmp(known->name, "*") != 0) {
                        name_hint_try(&hint, known->name);
                        continue;
                }
                for (size_t i = 0; (gate = kubernetes_gate_at(i)); i++)
                        name_hint_try(&hint, gate->name);
        }
        return hint.best;
}

static int fail_unknown_gate(const struct feature_gate_entry *known, struct slice name,
                             struct err *err) {
        const char *meant = meant_gate(known, name);

        return err_set(err, BERTH_ERR_USAGE,
                       "option --feature-gates: unrecognized feature gate: " SLICE_FMT "%s%s%s",
                       SLICE_ARG(name), meant ? "; did you mean \"" : "", meant ? meant : "",
                       meant ? "\"?" : "");
}

/* Gates that are stable, or gone, cannot be set otherwise. */
static int check_lock(struct slice name, bool is_on, struct err *err) {
        const struct kubernetes_gate *gate = kubernetes_gate_find(name);

        if (!gate || gate->lock == GATE_FREE || (gate->lock == GATE_LOCKED_ON) == is_on)
                return 0;
        return err_set(err, BERTH_ERR_USAGE,
                       "option --feature-gates: cannot set feature gate " SLICE_FMT
                       " to %s, feature is locked to %s",
                       SLICE_ARG(name), is_on ? "true" : "false", is_on ? "false" : "true");
}

static bool read_bool(struct slice text, bool *ret_value) {
        static const char *const yes[] = { "true", "True", "TRUE", "t", "T", "1", NULL };
        static const char *const no[] = { "false", "False", "FALSE", "f", "F", "0", NULL };

        for (int i = 0; yes[i]; i++) {
                *ret_value = slice_is(text, yes[i]);
                if (*ret_value || slice_is(text, no[i]))
                        return true;
        }
        return false;
}

/* One pass: the groups of gates, or the others. */
static int read_gates(const char *text, const struct feature_gate_entry *known, bool wants_groups,
                      uint32_t *gates, struct err *err) {
        struct slice rest = slice_of(text), pair, name;

        while (text && slice_split(&rest, ',', &pair)) {
                bool is_on;

                pair = slice_trim(pair);
                if (!pair.len)
                        continue;
                slice_split(&pair, '=', &name);
                name = slice_trim(name);
                if (slice_has_prefix(name, SLICE_LITERAL("kube:"))) /* the component's name */
                        name = slice_make(name.ptr + 5, name.len - 5);
                const struct feature_gate_entry *entry = feature_gates_find(known, name);
                if (!entry)
                        return fail_unknown_gate(known, name, err);
                if (!read_bool(slice_trim(pair), &is_on))
                        return err_set(err, BERTH_ERR_USAGE,
                                       "option --feature-gates: expected " SLICE_FMT
                                       "=true or =false, found \"" SLICE_FMT "\"",
                                       SLICE_ARG(name), SLICE_ARG(pair));
                int code = entry == &without_effect ? check_lock(name, is_on, err) : 0;
                if (code < 0)
                        return code;
                if (entry->is_group == wants_groups)
                        *gates = (*gates & ~(is_on ? entry->off_bit : entry->bit)) |
                                 (is_on ? entry->bit : entry->off_bit);
        }
        return 0;
}

static int refuse_alone(const struct feature_gate_entry *entry, uint32_t missing,
                        const struct feature_gate_entry *known, struct err *err) {
        struct buf names = { 0 };

        for (; known->name; known++)
                if (!known->is_group && (known->bit & missing))
                        buf_printf(&names, "%s%s", names.len ? " " : "", known->name);
        int code =
                err_set(err, BERTH_ERR_USAGE,
                        "option --feature-gates: %s is enabled, but depends on features that are "
                        "disabled: [%s]",
                        entry->name, names.data ? names.data : "");
        buf_release(&names);
        return code;
}

static int check_needs(const struct feature_gate_entry *known, uint32_t gates, struct err *err) {
        for (const struct feature_gate_entry *entry = known; entry->name; entry++)
                if ((gates & entry->bit) && (entry->needs & ~gates))
                        return refuse_alone(entry, entry->needs & ~gates, known, err);
        return 0;
}

/* What is said of a gate by name holds, whichever comes first. */
int feature_gates_read(const char *text, const struct feature_gate_entry *known,
                       uint32_t *ret_gates, struct err *err) {
        *ret_gates = 0;
        int code = read_gates(text, known, true, ret_gates, err);
        if (code == 0)
                code = read_gates(text, known, false, ret_gates, err);
        return code < 0 ? code : check_needs(known, *ret_gates, err);
}
