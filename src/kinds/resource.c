/* Resources of group resource.k8s.io, v1. */
#include "kinds/check.h"
#include "kinds/defaults.h"
#include "kinds/kinds.h"
#include "kinds/prepare.h"
#include "kinds/row.h"
#include "kinds/warn.h"

static const struct table_column resource_claim_columns[] = {
        { "Name", "string", "name", 0 },
        { "State", "string", "", 0 },
        { "Age", "string", "", 0 },
};
static const struct table_column resource_slice_columns[] = {
        { "Name", "string", "name", 0 }, { "Node", "string", "", 0 }, { "Driver", "string", "", 0 },
        { "Pool", "string", "", 0 },     { "Age", "string", "", 0 },
};

static const struct kind_info rows[] = {
        {
                .group = "resource.k8s.io",
                .version = "v1",
                .plural = "deviceclasses",
                .since = 34,
                .singular = "deviceclass",
                .kind = "DeviceClass",
                .has_free_prefix = true,
                .verbs = VERB_STANDARD,
                .flags = KIND_GENERATION | KIND_UNCONDITIONAL | KIND_DELETE_OBJECT,
                .validate = device_class_validate,
                WITH_NAME_AGE,
                .table_row = name_age_row,
        },
        {
                .group = "resource.k8s.io",
                .version = "v1",
                .plural = "resourceclaims",
                .since = 34,
                .singular = "resourceclaim",
                .kind = "ResourceClaim",
                .verbs = VERB_STANDARD,
                .flags = KIND_NAMESPACED | KIND_UNCONDITIONAL | KIND_DELETE_OBJECT | KIND_STATUS,
                .prepare = status_prepare,
                .apply_defaults = resource_claim_defaults,
                .validate = resource_claim_validate,
                COLUMNS(resource_claim_columns),
                .table_row = resource_claim_row,
        },
        {
                .group = "resource.k8s.io",
                .version = "v1",
                .plural = "resourceclaimtemplates",
                .since = 34,
                .singular = "resourceclaimtemplate",
                .kind = "ResourceClaimTemplate",
                .verbs = VERB_STANDARD,
                .flags = KIND_NAMESPACED | KIND_UNCONDITIONAL | KIND_DELETE_OBJECT,
                .apply_defaults = resource_claim_template_defaults,
                .validate = resource_claim_template_validate,
                WITH_NAME_AGE,
                .table_row = name_age_row,
        },
        {
                .group = "resource.k8s.io",
                .version = "v1",
                .plural = "resourceslices",
                .since = 34,
                .singular = "resourceslice",
                .kind = "ResourceSlice",
                .verbs = VERB_STANDARD,
                .flags = KIND_GENERATION | KIND_UNCONDITIONAL | KIND_DELETE_OBJECT |
                         KIND_EARLY_GENERATION,
                .validate = resource_slice_validate,
                .warn = resource_slice_warn,
                .field_selectors = NAMES("spec.nodeName", "spec.driver"),
                .has_own_field_table = true,
                .prepare = resource_slice_prepare,
                COLUMNS(resource_slice_columns),
                .table_row = resource_slice_row,
        },
};

const struct kind_group kind_group_resource = { rows, ARRAY_LEN(rows) };
