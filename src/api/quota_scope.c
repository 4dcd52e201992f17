/* The scopes of quotas, for the admission that counts and the controller that shows. */
#include "api/quota_scope.h"

#include "base/util.h"

/* A scope without an expression asks for any class. */
static bool has_class(const struct json *expression, struct slice class) {
        struct json_iter iter = json_iter(json_get(expression, "values"));
        struct slice operator_name = json_get_text(expression, "operator");
        const struct json *value;
        bool is_listed = false;

        while (json_next(&iter, NULL, &value))
                is_listed |= slice_eq(json_text(value), class);
        if (json_type(expression) != JSON_OBJECT || slice_is(operator_name, "Exists"))
                return class.len > 0;
        if (slice_is(operator_name, "DoesNotExist"))
                return class.len == 0;
        return slice_is(operator_name, "In") == is_listed;
}

/* scope: a name, or an expression of a selector. */
static struct slice scope_name(const struct json *scope) {
        return json_type(scope) == JSON_OBJECT ? json_get_text(scope, "scopeName")
                                               : json_text(scope);
}

static bool is_pod_in(const struct json *scope, const void *pod) {
        const struct pod_spec *spec = pod;
        struct slice name = scope_name(scope);
        bool is_best_effort = pod_spec_qos(spec) == QOS_BEST_EFFORT;
        bool is_ending = spec->active_deadline_s >= 0;

        if (slice_is(name, "BestEffort"))
                return is_best_effort;
        if (slice_is(name, "NotBestEffort"))
                return !is_best_effort;
        if (slice_is(name, "Terminating"))
                return is_ending;
        if (slice_is(name, "NotTerminating"))
                return !is_ending;
        if (slice_is(name, "PriorityClass"))
                return has_class(scope, spec->priority_class_name);
        return slice_is(name, "CrossNamespacePodAffinity");
}

static bool is_claim_in(const struct json *scope, const void *claim) {
        const struct json *status = json_get(claim, "status");
        const struct slice classes[] = {
                json_get_text(json_get(claim, "spec"), "volumeAttributesClassName"),
                json_get_text(status, "currentVolumeAttributesClassName"),
                json_get_text(json_get(status, "modifyVolumeStatus"),
                              "targetVolumeAttributesClassName"),
        };
        bool has_some = false;

        if (!slice_is(scope_name(scope), "VolumeAttributesClass"))
                return false;
        for (size_t i = 0; i < ARRAY_LEN(classes); i++) {
                has_some |= classes[i].len > 0;
                if (classes[i].len && has_class(scope, classes[i]))
                        return true;
        }
        return !has_some && has_class(scope, SLICE_EMPTY);
}

static bool are_met(const struct json *quota_spec,
                    bool (*is_met)(const struct json *scope, const void *object),
                    const void *object) {
        const struct json *const lists[] = { json_get(quota_spec, "scopes"),
                                             json_get(json_get(quota_spec, "scopeSelector"),
                                                      "matchExpressions") };

        for (size_t i = 0; i < ARRAY_LEN(lists); i++) {
                struct json_iter iter = json_iter(lists[i]);
                const struct json *scope;

                while (json_next(&iter, NULL, &scope))
                        if (!is_met(scope, object))
                                return false;
        }
        return true;
}

bool quota_covers_pod(const struct json *quota_spec, const struct pod_spec *spec) {
        return are_met(quota_spec, is_pod_in, spec);
}

bool quota_covers_claim(const struct json *quota_spec, const struct json *claim) {
        return are_met(quota_spec, is_claim_in, claim);
}
