/* Resources of group scheduling.k8s.io: v1, and groups of pods of v1alpha2. */
#include "kinds/admit.h"
#include "kinds/check.h"
#include "kinds/defaults.h"
#include "kinds/kinds.h"
#include "kinds/prepare.h"
#include "kinds/row.h"

static const struct table_column priority_class_columns[] = {
        { "Name", "string", "name", 0 },         { "Value", "integer", "", 0 },
        { "Global-Default", "boolean", "", 0 },  { "Age", "string", "", 0 },
        { "PreemptionPolicy", "string", "", 0 },
};

static const struct table_column pod_group_columns[] = {
        { "Name", "string", "name", 0 }, { "Policy", "string", "", 0 },
        { "Workload", "string", "", 0 }, { "Status", "string", "", 0 },
        { "Age", "string", "", 0 },
};

static const struct kind_info rows[] = {
        {
                .group = "scheduling.k8s.io",
                .version = "v1",
                .plural = "priorityclasses",
                .singular = "priorityclass",
                .kind = "PriorityClass",
                .short_names = NAMES("pc"),
                .verbs = VERB_STANDARD,
                .flags = KIND_GENERATION | KIND_FIXED_GENERATION | KIND_UNCONDITIONAL,
                .judge = priority_class_judge,
                .apply_defaults = priority_class_defaults,
                .validate = priority_class_validate,
                COLUMNS(priority_class_columns),
                .table_row = priority_class_row,
        },
        {
                .group = "scheduling.k8s.io",
                .version = "v1alpha2",
                .plural = "podgroups",
                .singular = "podgroup",
                .kind = "PodGroup",
                .gates = GATE_GROUPS,
                .verbs = VERB_STANDARD,
                .flags = KIND_NAMESPACED | KIND_UNCONDITIONAL | KIND_STATUS | KIND_READ_DEFAULTS |
                         KIND_OWNED_STATUS | KIND_REPORTED_ONCE,
                .apply_defaults = pod_group_defaults,
                .prepare = pod_group_prepare,
                .admit = pod_group_admit,
                .judge = pod_group_judge,
                .validate = pod_group_validate,
                COLUMNS(pod_group_columns),
                .table_row = pod_group_row,
        },
        {
                .group = "scheduling.k8s.io",
                .version = "v1alpha2",
                .plural = "workloads",
                .singular = "workload",
                .kind = "Workload",
                .gates = GATE_GROUPS,
                .verbs = VERB_STANDARD,
                .flags = KIND_NAMESPACED | KIND_UNCONDITIONAL | KIND_REPORTED_ONCE,
                .validate = workload_object_validate,
                WITH_NAME_AGE,
                .table_row = name_age_row,
        },
};

const struct kind_group kind_group_scheduling = { rows, ARRAY_LEN(rows) };
