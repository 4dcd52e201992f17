/* Groups of the whole cluster: certificates, flow control, admission registration, API
 * registration, CRDs. Requests for certificates are approved and signed as objects, by whoever is
 * there to; of the others only webhooks, policies and CRDs are acted on. */
#include "kinds/admit.h"
#include "kinds/check.h"
#include "kinds/defaults.h"
#include "kinds/kinds.h"
#include "kinds/prepare.h"
#include "kinds/row.h"
#include "kinds/warn.h"

static const struct table_column certificate_signing_request_columns[] = {
        { "Name", "string", "name", 0 },          { "Age", "string", "", 0 },
        { "SignerName", "string", "", 0 },        { "Requestor", "string", "", 0 },
        { "RequestedDuration", "string", "", 0 }, { "Condition", "string", "", 0 },
};

static const struct table_column webhook_configuration_columns[] = {
        { "Name", "string", "name", 0 },
        { "Webhooks", "integer", "", 0 },
        { "Age", "string", "", 0 },
};
static const struct table_column validating_admission_policy_columns[] = {
        { "Name", "string", "name", 0 },
        { "Validations", "integer", "", 0 },
        { "ParamKind", "string", "", 0 },
        { "Age", "string", "", 0 },
};
static const struct table_column mutating_admission_policy_columns[] = {
        { "Name", "string", "name", 0 },
        { "Mutations", "integer", "", 0 },
        { "ParamKind", "string", "", 0 },
        { "Age", "string", "", 0 },
};
static const struct table_column admission_policy_binding_columns[] = {
        { "Name", "string", "name", 0 },
        { "PolicyName", "string", "", 0 },
        { "ParamRef", "string", "", 0 },
        { "Age", "string", "", 0 },
};
static const struct table_column api_service_columns[] = {
        { "Name", "string", "name", 0 },
        { "Service", "string", "", 0 },
        { "Available", "string", "", 0 },
        { "Age", "string", "", 0 },
};
static const struct table_column flow_schema_columns[] = {
        { "Name", "string", "name", 0 },
        { "PriorityLevel", "string", "", 0 },
        { "MatchingPrecedence", "string", "", 0 },
        { "DistinguisherMethod", "string", "", 0 },
        { "Age", "string", "", 0 },
        { "MissingPL", "string", "", 0 },
};
static const struct table_column priority_level_configuration_columns[] = {
        { "Name", "string", "name", 0 },
        { "Type", "string", "", 0 },
        { "NominalConcurrencyShares", "string", "", 0 },
        { "Queues", "string", "", 0 },
        { "HandSize", "string", "", 0 },
        { "QueueLengthLimit", "string", "", 0 },
        { "Age", "string", "", 0 },
};

#define CLUSTER_WIDE(group_name, plural_name, singular_name, kind_name, more)                      \
        .group = (group_name), .version = "v1", .plural = (plural_name),                           \
        .singular = (singular_name), .kind = (kind_name), .verbs = VERB_STANDARD, .flags = (more)

static const struct kind_info certificate_rows[] = {
        {
                CLUSTER_WIDE("certificates.k8s.io", "certificatesigningrequests",
                             "certificatesigningrequest", "CertificateSigningRequest",
                             KIND_UNCONDITIONAL | KIND_STATUS | KIND_STATUS_METADATA),
                .prepare = certificate_signing_request_prepare,
                .validate = certificate_signing_request_validate,
                .judge = certificate_signing_request_judge,
                .short_names = NAMES("csr"),
                .more_subresources = NAMES("approval"),
                .field_selectors = NAMES("spec.signerName"),
                .has_own_field_table = true,
                COLUMNS(certificate_signing_request_columns),
                .table_row = certificate_signing_request_row,
        },
};
const struct kind_group kind_group_certificates = { certificate_rows, ARRAY_LEN(certificate_rows) };

static const struct kind_info flowcontrol_rows[] = {
        {
                CLUSTER_WIDE("flowcontrol.apiserver.k8s.io", "flowschemas", "flowschema",
                             "FlowSchema", KIND_GENERATION | KIND_UNCONDITIONAL | KIND_STATUS),
                .prepare = status_prepare,
                .since = 29,
                .apply_defaults = flow_schema_defaults,
                .validate = flow_schema_validate,
                COLUMNS(flow_schema_columns),
                .table_row = flow_schema_row,
        },
        {
                CLUSTER_WIDE("flowcontrol.apiserver.k8s.io", "prioritylevelconfigurations",
                             "prioritylevelconfiguration", "PriorityLevelConfiguration",
                             KIND_GENERATION | KIND_UNCONDITIONAL | KIND_STATUS),
                .prepare = status_prepare,
                .since = 29,
                .apply_defaults = priority_level_configuration_defaults,
                .validate = priority_level_configuration_validate,
                COLUMNS(priority_level_configuration_columns),
                .table_row = priority_level_configuration_row,
        },
};
const struct kind_group kind_group_flowcontrol = { flowcontrol_rows, ARRAY_LEN(flowcontrol_rows) };

static const struct kind_info admissionregistration_rows[] = {
        {
                CLUSTER_WIDE("admissionregistration.k8s.io", "mutatingadmissionpolicies",
                             "mutatingadmissionpolicy", "MutatingAdmissionPolicy", KIND_GENERATION),
                .categories = NAMES("api-extensions"),
                .since = 36,
                .apply_defaults = admission_policy_defaults,
                .validate = mutating_admission_policy_validate,
                .warn_each = static_name_warn,
                COLUMNS(mutating_admission_policy_columns),
                .table_row = mutating_admission_policy_row,
        },
        {
                CLUSTER_WIDE("admissionregistration.k8s.io", "mutatingadmissionpolicybindings",
                             "mutatingadmissionpolicybinding", "MutatingAdmissionPolicyBinding",
                             KIND_GENERATION),
                .categories = NAMES("api-extensions"),
                .since = 36,
                .apply_defaults = admission_policy_binding_defaults,
                .validate = mutating_admission_policy_binding_validate,
                .warn_each = static_name_warn,
                COLUMNS(admission_policy_binding_columns),
                .table_row = admission_policy_binding_row,
        },
        {
                CLUSTER_WIDE("admissionregistration.k8s.io", "mutatingwebhookconfigurations",
                             "mutatingwebhookconfiguration", "MutatingWebhookConfiguration",
                             KIND_GENERATION | KIND_EXACT_GENERATION),
                .apply_defaults = mutating_webhook_configuration_defaults,
                .validate = webhook_configuration_validate,
                .warn_each = static_name_warn,
                .categories = NAMES("api-extensions"),
                COLUMNS(webhook_configuration_columns),
                .table_row = webhook_configuration_row,
        },
        {
                CLUSTER_WIDE("admissionregistration.k8s.io", "validatingadmissionpolicies",
                             "validatingadmissionpolicy", "ValidatingAdmissionPolicy",
                             KIND_GENERATION | KIND_STATUS),
                .prepare = status_prepare,
                .categories = NAMES("api-extensions"),
                .since = 30,
                .apply_defaults = admission_policy_defaults,
                .validate = validating_admission_policy_validate,
                .warn_each = static_name_warn,
                COLUMNS(validating_admission_policy_columns),
                .table_row = validating_admission_policy_row,
        },
        {
                CLUSTER_WIDE("admissionregistration.k8s.io", "validatingadmissionpolicybindings",
                             "validatingadmissionpolicybinding", "ValidatingAdmissionPolicyBinding",
                             KIND_GENERATION),
                .categories = NAMES("api-extensions"),
                .since = 30,
                .apply_defaults = admission_policy_binding_defaults,
                .validate = validating_admission_policy_binding_validate,
                .warn_each = static_name_warn,
                COLUMNS(admission_policy_binding_columns),
                .table_row = admission_policy_binding_row,
        },
        {
                CLUSTER_WIDE("admissionregistration.k8s.io", "validatingwebhookconfigurations",
                             "validatingwebhookconfiguration", "ValidatingWebhookConfiguration",
                             KIND_GENERATION | KIND_EXACT_GENERATION),
                .apply_defaults = validating_webhook_configuration_defaults,
                .validate = webhook_configuration_validate,
                .warn_each = static_name_warn,
                .categories = NAMES("api-extensions"),
                COLUMNS(webhook_configuration_columns),
                .table_row = webhook_configuration_row,
        },
};
const struct kind_group kind_group_admissionregistration = {
        admissionregistration_rows, ARRAY_LEN(admissionregistration_rows)
};

static const struct kind_info apiregistration_rows[] = {
        {
                CLUSTER_WIDE("apiregistration.k8s.io", "apiservices", "apiservice", "APIService",
                             KIND_STATUS),
                .prepare = status_prepare,
                .categories = NAMES("api-extensions"),
                .apply_defaults = api_service_defaults,
                .name_of_spec = api_service_name,
                .validate = api_service_validate,
                .name_rule = NAME_SEGMENT,
                COLUMNS(api_service_columns),
                .table_row = api_service_row,
        },
};
const struct kind_group kind_group_apiregistration = { apiregistration_rows,
                                                       ARRAY_LEN(apiregistration_rows) };

static const struct kind_info apiextensions_rows[] = {
        {
                CLUSTER_WIDE("apiextensions.k8s.io", "customresourcedefinitions",
                             "customresourcedefinition", "CustomResourceDefinition",
                             KIND_GENERATION | KIND_STATUS | KIND_STATUS_METADATA |
                                     KIND_WARN_OF_NEW),
                .apply_defaults = custom_resource_definition_defaults,
                .prepare = custom_resource_definition_prepare,
                .name_of_spec = custom_resource_definition_name,
                .validate = custom_resource_definition_validate,
                .warn = custom_resource_definition_warn,
                .short_names = NAMES("crd", "crds"),
                .categories = NAMES("api-extensions"),
                WITH_CREATED,
        },
};
const struct kind_group kind_group_apiextensions = { apiextensions_rows,
                                                     ARRAY_LEN(apiextensions_rows) };
