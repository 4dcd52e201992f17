/* Resources of group policy, v1. */
#include "kinds/check.h"
#include "kinds/kinds.h"
#include "kinds/prepare.h"
#include "kinds/row.h"

static const struct table_column pod_disruption_budget_columns[] = {
        { "Name", "string", "name", 0 },
        { "Min Available", "string", "", 0 },
        { "Max Unavailable", "string", "", 0 },
        { "Allowed Disruptions", "integer", "", 0 },
        { "Age", "string", "", 0 },
};

static const struct kind_info rows[] = {
        {
                .group = "policy",
                .version = "v1",
                .plural = "poddisruptionbudgets",
                .singular = "poddisruptionbudget",
                .kind = "PodDisruptionBudget",
                .short_names = NAMES("pdb"),
                .verbs = VERB_STANDARD,
                .flags = KIND_NAMESPACED | KIND_GENERATION | KIND_STATUS | KIND_STATUS_METADATA,
                .prepare = status_prepare,
                .validate = pod_disruption_budget_validate,
                COLUMNS(pod_disruption_budget_columns),
                .table_row = pod_disruption_budget_row,
        },
};

const struct kind_group kind_group_policy = { rows, ARRAY_LEN(rows) };
