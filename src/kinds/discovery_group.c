/* Resources of group discovery.k8s.io, v1. */
#include "kinds/check.h"
#include "kinds/defaults.h"
#include "kinds/kinds.h"
#include "kinds/row.h"
#include "kinds/warn.h"

static const struct table_column endpoint_slice_columns[] = {
        { "Name", "string", "name", 0 }, { "AddressType", "string", "", 0 },
        { "Ports", "string", "", 0 },    { "Endpoints", "string", "", 0 },
        { "Age", "string", "", 0 },
};

static const struct kind_info rows[] = {
        {
                .group = "discovery.k8s.io",
                .version = "v1",
                .plural = "endpointslices",
                .singular = "endpointslice",
                .kind = "EndpointSlice",
                .verbs = VERB_STANDARD,
                .flags = KIND_NAMESPACED | KIND_GENERATION | KIND_UNCONDITIONAL |
                         KIND_LABEL_GENERATION | KIND_EARLY_GENERATION,
                .apply_defaults = endpoint_slice_defaults,
                .validate = endpoint_slice_validate,
                .warn = endpoint_slice_warn,
                COLUMNS(endpoint_slice_columns),
                .table_row = endpoint_slice_row,
        },
};

const struct kind_group kind_group_discovery = { rows, ARRAY_LEN(rows) };
