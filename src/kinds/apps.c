/* Resources of group apps, v1. */
#include "kinds/check.h"
#include "kinds/defaults.h"
#include "kinds/kinds.h"
#include "kinds/number_annotation.h"
#include "kinds/prepare.h"
#include "kinds/row.h"
#include "kinds/warn.h"

static const struct table_column controller_revision_columns[] = {
        { "Name", "string", "name", 0 },
        { "Controller", "string", "", 0 },
        { "Revision", "string", "", 0 },
        { "Age", "string", "", 0 },
};
static const struct table_column daemon_set_columns[] = {
        { "Name", "string", "name", 0 },      { "Desired", "integer", "", 0 },
        { "Current", "integer", "", 0 },      { "Ready", "integer", "", 0 },
        { "Up-to-date", "integer", "", 0 },   { "Available", "integer", "", 0 },
        { "Node Selector", "string", "", 0 }, { "Age", "string", "", 0 },
        { "Containers", "string", "", 1 },    { "Images", "string", "", 1 },
        { "Selector", "string", "", 1 },
};
static const struct table_column deployment_columns[] = {
        { "Name", "string", "name", 0 },   { "Ready", "string", "", 0 },
        { "Up-to-date", "string", "", 0 }, { "Available", "string", "", 0 },
        { "Age", "string", "", 0 },        { "Containers", "string", "", 1 },
        { "Images", "string", "", 1 },     { "Selector", "string", "", 1 },
};
static const struct table_column replica_set_columns[] = {
        { "Name", "string", "name", 0 }, { "Desired", "integer", "", 0 },
        { "Current", "integer", "", 0 }, { "Ready", "integer", "", 0 },
        { "Age", "string", "", 0 },      { "Containers", "string", "", 1 },
        { "Images", "string", "", 1 },   { "Selector", "string", "", 1 },
};
static const struct table_column stateful_set_columns[] = {
        { "Name", "string", "name", 0 }, { "Ready", "string", "", 0 },
        { "Age", "string", "", 0 },      { "Containers", "string", "", 1 },
        { "Images", "string", "", 1 },
};

static const struct kind_info rows[] = {
        {
                .group = "apps",
                .version = "v1",
                .plural = "controllerrevisions",
                .singular = "controllerrevision",
                .kind = "ControllerRevision",
                .verbs = VERB_STANDARD,
                .flags = KIND_NAMESPACED | KIND_UNCONDITIONAL,
                COLUMNS(controller_revision_columns),
                .validate = controller_revision_validate,
                .table_row = controller_revision_row,
        },
        {
                .group = "apps",
                .version = "v1",
                .plural = "daemonsets",
                .number = &template_generation,
                .singular = "daemonset",
                .kind = "DaemonSet",
                .short_names = NAMES("ds"),
                .categories = NAMES("all"),
                .verbs = VERB_STANDARD,
                .flags = KIND_NAMESPACED | KIND_GENERATION | KIND_UNCONDITIONAL | KIND_STATUS |
                         KIND_STATUS_METADATA | KIND_WARN_OF_TEMPLATE,
                .prepare = daemon_set_prepare,
                .apply_defaults = daemon_set_defaults,
                .validate = daemon_set_validate,
                .warn = workload_warn,
                COLUMNS(daemon_set_columns),
                .table_row = daemon_set_row,
        },
        {
                .group = "apps",
                .version = "v1",
                .plural = "deployments",
                .number = &rollback_revision,
                .singular = "deployment",
                .kind = "Deployment",
                .short_names = NAMES("deploy"),
                .categories = NAMES("all"),
                .verbs = VERB_STANDARD,
                .flags = KIND_NAMESPACED | KIND_GENERATION | KIND_UNCONDITIONAL | KIND_STATUS |
                         KIND_STATUS_METADATA | KIND_SCALE | KIND_ANNOTATION_GENERATION |
                         KIND_WARN_OF_CHANGES,
                .prepare = deployment_prepare,
                .apply_defaults = deployment_defaults,
                .validate = deployment_validate,
                .warn = workload_warn,
                COLUMNS(deployment_columns),
                .table_row = deployment_row,
        },
        {
                .group = "apps",
                .version = "v1",
                .plural = "replicasets",
                .singular = "replicaset",
                .kind = "ReplicaSet",
                .short_names = NAMES("rs"),
                .categories = NAMES("all"),
                .verbs = VERB_STANDARD,
                .flags = KIND_NAMESPACED | KIND_GENERATION | KIND_UNCONDITIONAL | KIND_STATUS |
                         KIND_STATUS_METADATA | KIND_SCALE | KIND_WARN_OF_CHANGES,
                .prepare = status_prepare,
                .apply_defaults = replica_set_defaults,
                .validate = replica_set_validate,
                .warn = workload_warn,
                COLUMNS(replica_set_columns),
                .table_row = replica_set_row,
        },
        {
                .group = "apps",
                .version = "v1",
                .plural = "statefulsets",
                .name_rule = NAME_LABEL,
                .singular = "statefulset",
                .kind = "StatefulSet",
                .short_names = NAMES("sts"),
                .categories = NAMES("all"),
                .verbs = VERB_STANDARD,
                .flags = KIND_NAMESPACED | KIND_GENERATION | KIND_UNCONDITIONAL | KIND_STATUS |
                         KIND_STATUS_METADATA | KIND_SCALE | KIND_WARN_OF_CHANGES,
                .prepare = status_prepare,
                .apply_defaults = stateful_set_defaults,
                .validate = stateful_set_validate,
                .warn_each = stateful_set_warn,
                .warn = workload_warn,
                COLUMNS(stateful_set_columns),
                .table_row = stateful_set_row,
        },
};

const struct kind_group kind_group_apps = { rows, ARRAY_LEN(rows) };
