/* Resources of group networking.k8s.io, v1. */
#include "kinds/admit.h"
#include "kinds/check.h"
#include "kinds/defaults.h"
#include "kinds/kinds.h"
#include "kinds/prepare.h"
#include "kinds/row.h"
#include "kinds/warn.h"

static const struct table_column ingress_class_columns[] = {
        { "Name", "string", "name", 0 },
        { "Controller", "string", "", 0 },
        { "Parameters", "string", "", 0 },
        { "Age", "string", "", 0 },
};
static const struct table_column ingress_columns[] = {
        { "Name", "string", "name", 0 }, { "Class", "string", "", 0 }, { "Hosts", "string", "", 0 },
        { "Address", "string", "", 0 },  { "Ports", "string", "", 0 }, { "Age", "string", "", 0 },
};
/* Upstream writes an age behind these that no column tells of. */
static const struct table_column ip_address_columns[] = {
        { "Name", "string", "name", 0 },
        { "ParentRef", "string", "", 0 },
};
static const struct table_column network_policy_columns[] = {
        { "Name", "string", "name", 0 },
        { "Pod-Selector", "string", "", 0 },
        { "Age", "string", "", 0 },
};
static const struct table_column service_cidr_columns[] = {
        { "Name", "string", "name", 0 },
        { "CIDRs", "string", "", 0 },
        { "Age", "string", "", 0 },
};

static const struct kind_info rows[] = {
        {
                .group = "networking.k8s.io",
                .version = "v1",
                .plural = "ingressclasses",
                .singular = "ingressclass",
                .kind = "IngressClass",
                .verbs = VERB_STANDARD,
                .flags = KIND_GENERATION | KIND_UNCONDITIONAL,
                .apply_defaults = ingress_class_defaults,
                .validate = ingress_class_validate,
                COLUMNS(ingress_class_columns),
                .table_row = ingress_class_row,
        },
        {
                .group = "networking.k8s.io",
                .version = "v1",
                .plural = "ingresses",
                .singular = "ingress",
                .kind = "Ingress",
                .short_names = NAMES("ing"),
                .verbs = VERB_STANDARD,
                .flags = KIND_NAMESPACED | KIND_GENERATION | KIND_UNCONDITIONAL | KIND_STATUS |
                         KIND_STATUS_METADATA,
                .admit = ingress_admit,
                .prepare = status_prepare,
                .validate = ingress_validate,
                .warn_each = address_status_warn,
                .warn = ingress_warn,
                COLUMNS(ingress_columns),
                .table_row = ingress_row,
        },
        {
                .group = "networking.k8s.io",
                .version = "v1",
                .plural = "ipaddresses",
                .since = 33,
                .singular = "ipaddress",
                .kind = "IPAddress",
                .short_names = NAMES("ip"),
                .verbs = VERB_STANDARD,
                .flags = KIND_UNCONDITIONAL,
                .validate = ip_address_validate,
                .name_rule = NAME_ADDRESS,
                COLUMNS(ip_address_columns),
                .table_row = ip_address_row,
        },
        {
                .group = "networking.k8s.io",
                .version = "v1",
                .plural = "networkpolicies",
                .singular = "networkpolicy",
                .kind = "NetworkPolicy",
                .short_names = NAMES("netpol"),
                .verbs = VERB_STANDARD,
                .flags = KIND_NAMESPACED | KIND_GENERATION | KIND_UNCONDITIONAL |
                         KIND_EXACT_GENERATION,
                .apply_defaults = network_policy_defaults,
                .validate = network_policy_validate,
                .warn_each = network_policy_warn,
                COLUMNS(network_policy_columns),
                .table_row = network_policy_row,
        },
        {
                .group = "networking.k8s.io",
                .version = "v1",
                .plural = "servicecidrs",
                .since = 33,
                .singular = "servicecidr",
                .kind = "ServiceCIDR",
                .verbs = VERB_STANDARD,
                .flags = KIND_UNCONDITIONAL | KIND_STATUS,
                .prepare = status_prepare,
                .validate = service_cidr_validate,
                COLUMNS(service_cidr_columns),
                .table_row = service_cidr_row,
        },
};

const struct kind_group kind_group_networking = { rows, ARRAY_LEN(rows) };
