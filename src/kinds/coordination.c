/* Resources of group coordination.k8s.io, v1. */
#include "kinds/check.h"
#include "kinds/kinds.h"
#include "kinds/row.h"

static const struct table_column lease_columns[] = {
        { "Name", "string", "name", 0 },
        { "Holder", "string", "", 0 },
        { "Age", "string", "", 0 },
};

static const struct kind_info rows[] = {
        {
                .group = "coordination.k8s.io",
                .version = "v1",
                .plural = "leases",
                .singular = "lease",
                .kind = "Lease",
                .verbs = VERB_STANDARD,
                .flags = KIND_NAMESPACED | KIND_CREATE_ON_UPDATE,
                .validate = lease_validate,
                COLUMNS(lease_columns),
                .table_row = lease_row,
        },
};

const struct kind_group kind_group_coordination = { rows, ARRAY_LEN(rows) };
