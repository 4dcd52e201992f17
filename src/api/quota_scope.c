/* The scopes of quotas, for the admission that counts and the controller that shows. */
#include "api/quota_scope.h"

static bool is_in_scope(const struct pod_spec *spec, struct slice scope) {
        bool is_best_effort = pod_spec_qos(spec) == QOS_BEST_EFFORT;
        bool is_ending = spec->active_deadline_s >= 0;

        if (slice_is(scope, "BestEffort"))
                return is_best_effort;
        if (slice_is(scope, "NotBestEffort"))
                return !is_best_effort;
        if (slice_is(scope, "Terminating"))
                return is_ending;
        return !slice_is(scope, "NotTerminating") || !is_ending;
}

static bool has_class(const struct json *expression, struct slice class) {
        struct json_iter iter = json_iter(json_get(expression, "values"));
        struct slice operator_name = json_get_text(expression, "operator");
        const struct json *value;
        bool is_listed = false;

        while (json_next(&iter, NULL, &value))
                is_listed |= slice_eq(json_text(value), class);
        if (slice_is(operator_name, "Exists"))
                return class.len > 0;
        if (slice_is(operator_name, "DoesNotExist"))
                return class.len == 0;
        return slice_is(operator_name, "In") == is_listed;
}

bool quota_covers_pod(const struct json *quota_spec, const struct pod_spec *spec) {
        struct json_iter iter = json_iter(json_get(quota_spec, "scopes"));
        const struct json *scope;

        while (json_next(&iter, NULL, &scope))
                if (!is_in_scope(spec, json_text(scope)))
                        return false;
        iter = json_iter(json_get(json_get(quota_spec, "scopeSelector"), "matchExpressions"));
        while (json_next(&iter, NULL, &scope)) {
                struct slice name = json_get_text(scope, "scopeName");

                if (slice_is(name, "PriorityClass") ? !has_class(scope, spec->priority_class_name)
                                                    : !is_in_scope(spec, name))
                        return false;
        }
        return true;
}
