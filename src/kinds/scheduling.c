/* Resources of group scheduling.k8s.io, v1. */
#include "kinds/admit.h"
#include "kinds/check.h"
#include "kinds/defaults.h"
#include "kinds/kinds.h"
#include "kinds/row.h"

static const struct table_column priority_class_columns[] = {
        { "Name", "string", "name", 0 },         { "Value", "integer", "", 0 },
        { "Global-Default", "boolean", "", 0 },  { "Age", "string", "", 0 },
        { "PreemptionPolicy", "string", "", 0 },
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
};

const struct kind_group kind_group_scheduling = { rows, ARRAY_LEN(rows) };
