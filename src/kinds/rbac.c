/* Resources of group rbac.authorization.k8s.io, v1. */
#include "kinds/check.h"
#include "kinds/defaults.h"
#include "kinds/kinds.h"
#include "kinds/row.h"

static const struct table_column binding_columns[] = {
        { "Name", "string", "name", 0 }, { "Role", "string", "", 0 },
        { "Age", "string", "", 0 },      { "Users", "string", "", 1 },
        { "Groups", "string", "", 1 },   { "ServiceAccounts", "string", "", 1 },
};

static const struct kind_info rows[] = {
        {
                .group = "rbac.authorization.k8s.io",
                .version = "v1",
                .plural = "clusterrolebindings",
                .singular = "clusterrolebinding",
                .kind = "ClusterRoleBinding",
                .name_rule = NAME_SEGMENT,
                .verbs = VERB_STANDARD,
                .flags = KIND_UNCONDITIONAL | KIND_CREATE_ON_UPDATE,
                .apply_defaults = role_binding_defaults,
                .validate = cluster_role_binding_validate,
                COLUMNS(binding_columns),
                .table_row = binding_row,
        },
        {
                .group = "rbac.authorization.k8s.io",
                .version = "v1",
                .plural = "clusterroles",
                .singular = "clusterrole",
                .kind = "ClusterRole",
                .name_rule = NAME_SEGMENT,
                .verbs = VERB_STANDARD,
                .flags = KIND_UNCONDITIONAL | KIND_CREATE_ON_UPDATE,
                .validate = cluster_role_validate,
                WITH_CREATED,
        },
        {
                .group = "rbac.authorization.k8s.io",
                .version = "v1",
                .plural = "rolebindings",
                .singular = "rolebinding",
                .kind = "RoleBinding",
                .name_rule = NAME_SEGMENT,
                .verbs = VERB_STANDARD,
                .flags = KIND_NAMESPACED | KIND_UNCONDITIONAL | KIND_CREATE_ON_UPDATE,
                .apply_defaults = role_binding_defaults,
                .validate = role_binding_validate,
                COLUMNS(binding_columns),
                .table_row = binding_row,
        },
        {
                .group = "rbac.authorization.k8s.io",
                .version = "v1",
                .plural = "roles",
                .singular = "role",
                .kind = "Role",
                .name_rule = NAME_SEGMENT,
                .verbs = VERB_STANDARD,
                .flags = KIND_NAMESPACED | KIND_UNCONDITIONAL | KIND_CREATE_ON_UPDATE,
                .validate = role_validate,
                WITH_CREATED,
        },
};

const struct kind_group kind_group_rbac = { rows, ARRAY_LEN(rows) };
