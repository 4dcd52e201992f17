/* Resources of group node.k8s.io, v1. */
#include "kinds/check.h"
#include "kinds/kinds.h"
#include "kinds/row.h"
#include "kinds/warn.h"

static const struct table_column runtime_class_columns[] = {
        { "Name", "string", "name", 0 },
        { "Handler", "string", "", 0 },
        { "Age", "string", "", 0 },
};

static const struct kind_info rows[] = {
        {
                .group = "node.k8s.io",
                .version = "v1",
                .plural = "runtimeclasses",
                .singular = "runtimeclass",
                .kind = "RuntimeClass",
                .verbs = VERB_STANDARD,
                .flags = KIND_CREATE_ON_UPDATE,
                .validate = runtime_class_validate,
                .warn_each = node_labels_warn,
                COLUMNS(runtime_class_columns),
                .table_row = runtime_class_row,
        },
};

const struct kind_group kind_group_node = { rows, ARRAY_LEN(rows) };
