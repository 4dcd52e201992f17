/* Validation of horizontal pod autoscalers. */
#include "kinds/resource_rules.h"
#include "kinds/rules.h"

#include "base/util.h"

#define WINDOW_MAX 3600
#define PERIOD_MAX 1800

/* ---- references ---- */

static const struct rule reference_rules[] = {
        { "kind", rule_form, RULE_REQUIRED, .low = FORM_SEGMENT },
        { "name", rule_form, RULE_REQUIRED, .low = FORM_SEGMENT },
        RULES_END,
};

static const char *version_problem(struct checker *checker, struct slice version,
                                   bool needs_group) {
        struct slice rest = version, group;
        size_t slashes = 0;

        for (size_t i = 0; i < version.len; i++)
                slashes += version.ptr[i] == '/';
        if (slashes > 1)
                return message_of(checker, "unexpected GroupVersion string: " SLICE_FMT,
                                  SLICE_ARG(version));
        slice_split(&rest, '/', &group);
        return needs_group && (slashes == 0 || group.len == 0) ? "apiVersion must specify API group"
                                                               : NULL;
}

/* low: whether the group must be there */
OWN_RULE(rule_reference) {
        struct slice version = node_get_text(value, "apiVersion");
        const char *problem = version_problem(checker, version, rule->low);

        check_rules(checker, at, value, reference_rules);
        if (problem && !rule->high)
                report_text(checker, at, "apiVersion", version, problem);
}

/* ---- metrics ---- */

OWN_RULE(rule_amount_positive) {
        (void)rule;
        if (quantity_sign(node_get_slice(value)) != 1)
                report_text(checker, at, NULL, node_get_slice(value), "must be positive");
}

OWN_RULE(rule_target) {
        static const struct rule rules[] = {
                { "value", rule_amount_positive },
                { "averageValue", rule_amount_positive },
                { "averageUtilization", rule_range, .low = 1, .high = INT64_MAX,
                  .text = "must be greater than 0" },
                RULES_END,
        };
        struct slice type = node_get_text(value, "type");

        (void)rule;
        if (type.len == 0)
                report(checker, FIELD_REQUIRED, at, "type", NULL,
                       "must specify a metric target type");
        if (!slice_is(type, "Utilization") && !slice_is(type, "Value") &&
            !slice_is(type, "AverageValue"))
                report_text(checker, at, "type", type,
                            "must be either Utilization, Value, or AverageValue");
        check_rules(checker, at, value, rules);
}

OWN_RULE(rule_metric_name) {
        static const struct rule rules[] = {
                { "name", rule_form, RULE_REQUIRED, .text = "must specify a metric name",
                  .low = FORM_SEGMENT },
                RULES_END,
        };

        (void)rule;
        check_rules(checker, at, value, rules);
}

OWN_RULE(rule_resource_name) {
        (void)rule;
        check_resource_name(checker, at, node_get_slice(value), RESOURCE_OF_CONTAINER);
}

#define TARGET                                                                                     \
        { "target", rule_target, RULE_ALWAYS }
#define METRIC                                                                                     \
        { "metric", rule_metric_name, RULE_ALWAYS }

static const struct rule object_rules[] = {
        { "describedObject", rule_reference, RULE_ALWAYS },
        METRIC,
        TARGET,
        RULES_END,
};
static const struct rule metric_rules[] = { METRIC, TARGET, RULES_END };
static const struct rule resource_rules[] = {
        { "name", rule_present, RULE_REQUIRED, .text = "must specify a resource name" },
        TARGET,
        RULES_END,
};
static const struct rule container_rules[] = {
        { "name", rule_resource_name, RULE_REQUIRED, .text = "must specify a resource name" },
        { "container", rule_form, RULE_REQUIRED, .text = "must specify a container",
          .low = FORM_LABEL },
        TARGET,
        RULES_END,
};

/* Kinds of sources: of their target one member must be there, and two may not both be. */
struct metric_source {
        const char *type, *member;
        const struct rule *rules;
        const char *one, *other; /* the members; other may be NULL */
        const char *missing_at, *missing, *both_at, *both;
};
static const struct metric_source metric_sources[] = {
        { "Object", "object", object_rules, "value", "averageValue", "averageValue",
          "must set either a target value or averageValue", NULL, NULL },
        { "External", "external", metric_rules, "value", "averageValue", "averageValue",
          "must set either a target value for metric or a per-pod target", "value",
          "may not set both a target value for metric and a per-pod target" },
        { "Pods", "pods", metric_rules, "averageValue", NULL, "averageValue",
          "must specify a positive target averageValue", NULL, NULL },
        { "Resource", "resource", resource_rules, "averageUtilization", "averageValue",
          "averageUtilization", "must set either a target raw value or a target utilization",
          "averageValue", "may not set both a target raw value and a target utilization" },
        { "ContainerResource", "containerResource", container_rules, "averageUtilization",
          "averageValue", "averageUtilization",
          "must set either a target raw value or a target utilization", "averageValue",
          "may not set both a target raw value and a target utilization" },
};
static const char *const metric_types[] = { "ContainerResource", "External", "Object", "Pods",
                                            "Resource",          NULL };

static void check_source(struct checker *checker, const struct at *at,
                         const struct metric_source *kind, const struct json_node *source) {
        const struct json_node *target = node_get(source, "target");
        struct at place = at_member(at, "target");
        bool has_one = node_get(target, kind->one);
        bool has_other = kind->other && node_get(target, kind->other);

        check_rules(checker, at, source, kind->rules);
        if (!has_one && !has_other)
                report(checker, FIELD_REQUIRED, &place, kind->missing_at, NULL, kind->missing);
        if (has_one && has_other && kind->both)
                report(checker, FIELD_FORBIDDEN, &place, kind->both_at, NULL, kind->both);
}

static void check_metric_type(struct checker *checker, const struct at *at, struct slice type) {
        if (type.len == 0)
                report(checker, FIELD_REQUIRED, at, "type", NULL,
                       "must specify a metric source type");
        for (size_t i = 0; metric_types[i]; i++)
                if (slice_is(type, metric_types[i]))
                        return;
        report_choice(checker, at, "type", quoted_json(checker, type), metric_types);
}

static void check_metric(struct checker *checker, const struct at *at,
                         const struct json_node *metric) {
        static const char *const populate = "must populate information for the given metric source";
        struct slice type = node_get_text(metric, "type");
        const struct metric_source *wanted = NULL;
        size_t count = 0;

        check_metric_type(checker, at, type);
        for (size_t i = 0; i < ARRAY_LEN(metric_sources); i++) {
                const struct metric_source *kind = &metric_sources[i];
                struct at place = at_member(at, kind->member);

                if (node_get(metric, kind->member) && count++ == 0)
                        check_source(checker, &place, kind, node_get(metric, kind->member));
                if (slice_is(type, kind->type))
                        wanted = kind;
        }
        if (wanted && !node_get(metric, wanted->member))
                report(checker, FIELD_REQUIRED, at, wanted->member, NULL, populate);
        if (!wanted)
                report_choice(checker, at, "type", quoted_json(checker, type), metric_types);
        for (size_t i = 0; count != 1 && i < ARRAY_LEN(metric_sources); i++)
                if (&metric_sources[i] != wanted && node_get(metric, metric_sources[i].member))
                        report(checker, FIELD_FORBIDDEN, at, metric_sources[i].member, NULL,
                               "must populate the given metric source only");
}

/* ---- behaviour ---- */

static const char *const select_policies[] = { "Disabled", "Max", "Min", NULL };
static const char *const policy_types[] = { "Percent", "Pods", NULL };
static const struct rule policy_rules[] = {
        { "type", rule_choice, RULE_ALWAYS, .data = policy_types },
        { "value", rule_positive, RULE_ALWAYS },
        { "periodSeconds", rule_positive, RULE_ALWAYS },
        { "periodSeconds", rule_range, .low = INT64_MIN, .high = PERIOD_MAX,
          .text = "must be less than or equal to 1800" },
        RULES_END,
};
static const struct rule scaling_rules[] = {
        { "stabilizationWindowSeconds", rule_range, .high = INT64_MAX,
          .text = "must be greater than or equal to zero" },
        { "stabilizationWindowSeconds", rule_range, .low = INT64_MIN, .high = WINDOW_MAX,
          .text = "must be less than or equal to 3600" },
        { "selectPolicy", rule_choice, RULE_PRESENT, .data = select_policies },
        { "policies", rule_object, RULE_REQUIRED | RULE_EACH,
          .text = "must specify at least one Policy", .data = policy_rules },
        { "tolerance", rule_quantity_not_negative },
        RULES_END,
};
static const struct rule behavior_rules[] = {
        { "scaleUp", rule_object, .data = scaling_rules },
        { "scaleDown", rule_object, .data = scaling_rules },
        RULES_END,
};

/* ---- the whole ---- */

static void check_bounds(struct checker *checker, const struct at *at,
                         const struct json_node *spec) {
        int64_t least = node_get_i64(spec, "minReplicas", 1);
        int64_t most = node_get_i64(spec, "maxReplicas", 0);

        if (least < 1)
                report_number(checker, at, "minReplicas", least,
                              "must be greater than or equal to 1");
        if (most == 0)
                report(checker, FIELD_REQUIRED, at, "maxReplicas", NULL,
                       "must be set and greater than 0");
        else if (most < 0)
                report_number(checker, at, "maxReplicas", most,
                              "must be greater than or equal to 1");
        if (node_get(spec, "minReplicas") && most < least)
                report_number(checker, at, "maxReplicas", most,
                              "must be greater than or equal to `minReplicas`");
}

static void check_scaling_to_zero(struct checker *checker, const struct at *at,
                                  const struct json_node *spec) {
        const struct json_node *metrics = node_get(spec, "metrics");

        if (node_get_i64(spec, "minReplicas", 1) != 0)
                return;
        for (size_t i = 0; i < node_count(metrics); i++) {
                struct slice type = node_get_text(node_at(metrics, i), "type");

                if (slice_is(type, "Object") || slice_is(type, "External"))
                        return;
        }
        report(checker, FIELD_FORBIDDEN, at, "metrics", NULL,
               "must specify at least one Object or External metric to support scaling to zero "
               "replicas");
}

VALIDATE_HOOK(horizontal_pod_autoscaler_validate) {
        static const struct rule status_rules[] = {
                { "currentReplicas", rule_not_negative },
                { "desiredReplicas", rule_not_negative },
                RULES_END,
        };
        struct checker checker = { .errors = errors, .context = context };
        const struct json_node *spec = node_get(object, "spec");
        const struct json_node *metrics = node_get(spec, "metrics");
        const struct json *old_target = json_get(json_get(old, "spec"), "scaleTargetRef");
        struct at at = at_root("spec"), list = at_member(&at, "metrics");
        struct at status = at_root("status"), behavior = at_member(&at, "behavior");
        struct at target = at_member(&at, "scaleTargetRef");
        const struct rule reference = {
                .low = 1,
                .high = old &&
                        !!version_problem(&checker, json_get_text(old_target, "apiVersion"), true),
        };

        if (operation == KIND_UPDATE_STATUS) {
                check_rules(&checker, &status, node_get(object, "status"), status_rules);
                return;
        }
        check_bounds(&checker, &at, spec);
        rule_reference(&checker, &target, node_get(spec, "scaleTargetRef"), &reference);
        for (size_t i = 0; i < node_count(metrics); i++) {
                struct at place = at_index(&list, i);

                check_metric(&checker, &place, node_at(metrics, i));
        }
        check_scaling_to_zero(&checker, &at, spec);
        check_rules(&checker, &behavior, node_get(spec, "behavior"), behavior_rules);
}
