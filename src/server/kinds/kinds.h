/* The resource rows of each API group, shared inside the server room: kinds/<group>.c define them,
 * registry.c strings them together. */
#pragma once

#include "base/util.h"
#include "server/kind.h"

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

/* Which lists strategic-merge patches merge by key (the patchMergeKey tags of k8s.io/api); what no
 * rule names is replaced whole. */
#define RULES(array) .merge_rules = (array), .merge_rule_count = ARRAY_LEN(array)

/* clang-format off */
#define METADATA_RULES { "metadata.ownerReferences", "uid" }, { "metadata.finalizers", "" }

#define CONTAINER_RULES(list)                                                                      \
        { list, "name" }, { list ".ports", "containerPort" }, { list ".env", "name" },             \
        { list ".volumeMounts", "mountPath" }, { list ".volumeDevices", "devicePath" }

#define POD_SPEC_RULES(spec)                                                                       \
        CONTAINER_RULES(spec ".containers"), CONTAINER_RULES(spec ".initContainers"),              \
        CONTAINER_RULES(spec ".ephemeralContainers"),                                              \
        { spec ".volumes", "name", true }, { spec ".resourceClaims", "name", true },               \
        { spec ".imagePullSecrets", "name" }, { spec ".hostAliases", "ip" },                       \
        { spec ".topologySpreadConstraints", "topologyKey" }, { spec ".schedulingGates", "name" }

#define TEMPLATE_RULES(template)                                                                   \
        { template ".metadata.ownerReferences", "uid" }, { template ".metadata.finalizers", "" },  \
        POD_SPEC_RULES(template ".spec")
/* clang-format on */

/* Rules and columns shared by kinds of several groups (common.c). */
#define METADATA_RULE_COUNT 2
#define CONDITIONS_RULE_COUNT 3
extern const struct merge_rule metadata_rules[METADATA_RULE_COUNT];
extern const struct merge_rule conditions_rules[CONDITIONS_RULE_COUNT];
#define WITH_METADATA_RULES .merge_rules = metadata_rules, .merge_rule_count = METADATA_RULE_COUNT
#define WITH_CONDITIONS_RULES                                                                      \
        .merge_rules = conditions_rules, .merge_rule_count = CONDITIONS_RULE_COUNT

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
