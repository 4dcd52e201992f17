/* Resources of group events.k8s.io, v1: a second view of the core events. */
#include "kinds/check.h"
#include "kinds/kinds.h"
#include "kinds/row.h"
#include "kinds/views.h"

static const struct kind_info rows[] = {
        {
                .group = "events.k8s.io",
                .version = "v1",
                .plural = "events",
                .singular = "event",
                .kind = "Event",
                .short_names = NAMES("ev"),
                .verbs = VERB_STANDARD,
                .flags = KIND_NAMESPACED | KIND_UNCONDITIONAL | KIND_CREATE_ON_UPDATE |
                         KIND_UNCOLLECTED,
                .validate = new_event_validate,
                .stored_as = &core_rows[CORE_EVENTS_ROW],
                .to_stored = event_to_core,
                .from_stored = event_from_core,
                .field_selectors =
                        NAMES("regarding.kind", "regarding.namespace", "regarding.name",
                              "regarding.uid", "regarding.apiVersion", "regarding.resourceVersion",
                              "regarding.fieldPath", "reason", "reportingController", "type"),
                .has_own_field_table = true,
                WITH_EVENT_COLUMNS,
                .table_row = event_row,
        },
};

const struct kind_group kind_group_events = { rows, ARRAY_LEN(rows) };
