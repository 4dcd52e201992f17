/* The resource rows of each API group, shared inside this room: <group>.c define them,
 * registry.c strings them together. */
#pragma once

#include "base/util.h"
#include "kinds/kind.h"

struct kind_group {
        const struct kind_info *rows;
        size_t count;
};

extern const struct kind_group kind_group_core, kind_group_apiregistration, kind_group_apps,
        kind_group_events, kind_group_authentication, kind_group_authorization,
        kind_group_autoscaling, kind_group_batch, kind_group_certificates, kind_group_networking,
        kind_group_policy, kind_group_rbac, kind_group_storage, kind_group_admissionregistration,
        kind_group_apiextensions, kind_group_scheduling, kind_group_coordination, kind_group_node,
        kind_group_discovery, kind_group_flowcontrol, kind_group_resource;

/* NULL-ended lists of one and two names, usable in static initialisers. */
#define NAMES(...) ((const char *const[]){ __VA_ARGS__, NULL })
#define COLUMNS(array) .columns = (array), .column_count = ARRAY_LEN(array)

/* Columns shared by kinds of several groups (common.c). */
#define NAME_AGE_COLUMN_COUNT 2
#define CREATED_COLUMN_COUNT 2
extern const struct table_column name_age_columns[NAME_AGE_COLUMN_COUNT];
extern const struct table_column created_columns[CREATED_COLUMN_COUNT]; /* Name, Created At */
#define WITH_NAME_AGE .columns = name_age_columns, .column_count = NAME_AGE_COLUMN_COUNT
#define WITH_CREATED .columns = created_columns, .column_count = CREATED_COLUMN_COUNT

/* Both groups show events alike. */
#define EVENT_COLUMN_COUNT 10
extern const struct table_column event_columns[EVENT_COLUMN_COUNT];
#define WITH_EVENT_COLUMNS .columns = event_columns, .column_count = EVENT_COLUMN_COUNT

/* The core rows; the one of events is what the events.k8s.io row is stored as. */
#define CORE_EVENTS_ROW 4
extern const struct kind_info core_rows[];
