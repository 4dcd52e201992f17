/* Validation of resource quotas and limit ranges. */
#include "kinds/resource_rules.h"

#include "api/quantity.h"
#include "base/util.h"

/* ---- quotas ---- */

static void check_amounts(struct checker *checker, const struct at *at,
                          const struct json_node *amounts) {
        struct node_iter iter = node_iter(amounts);
        struct json_node *amount;
        struct slice name;

        while (node_next(&iter, &name, &amount)) {
                struct at place = at_key(at, name);

                check_resource_name(checker, &place, name, RESOURCE_OF_QUOTA);
                check_resource_amount(checker, &place, name, node_get_slice(amount));
        }
}

/* Scopes, and what quotas with them can limit. */
struct quota_scope {
        const char *name;
        const char *const *resources; /* NULL-ended */
        bool is_bare;                 /* takes no values */
};
static const char *const pods_only[] = { "pods", NULL };
static const char *const of_pods[] = {
        "pods",          "cpu",          "memory",          "limits.cpu",
        "limits.memory", "requests.cpu", "requests.memory", NULL
};
static const char *const of_claims[] = { "persistentvolumeclaims", "requests.storage", NULL };
static const struct quota_scope quota_scopes[] = {
        { "Terminating", of_pods, true },
        { "NotTerminating", of_pods, true },
        { "BestEffort", pods_only, true },
        { "NotBestEffort", of_pods, true },
        { "PriorityClass", of_pods, false },
        { "CrossNamespacePodAffinity", of_pods, true },
        { "VolumeAttributesClass", of_claims, false },
};
static const char *const scope_pairs[][2] = { { "BestEffort", "NotBestEffort" },
                                              { "Terminating", "NotTerminating" } };

static const struct quota_scope *find_scope(struct slice name) {
        for (size_t i = 0; i < ARRAY_LEN(quota_scopes); i++)
                if (slice_is(name, quota_scopes[i].name))
                        return &quota_scopes[i];
        return NULL;
}

static bool can_limit(const struct quota_scope *scope, struct slice resource) {
        for (size_t i = 0; scope->resources[i]; i++)
                if (slice_is(resource, scope->resources[i]))
                        return true;
        return !is_quota_resource(resource);
}

/* What is shown of a wrong scope, and where. */
struct scope_check {
        struct checker *checker;
        const struct json_node *spec;
        const struct at *at;
        const char *scopes;
        const struct json_node *selector; /* NULL: the list of scopes is shown */
};

static void report_scope(const struct scope_check *check, const char *detail) {
        if (check->selector)
                report_as_is(check->checker, FIELD_INVALID, check->at,
                             shown_typed(check->checker, "spec.scopeSelector",
                                         "core.v1.ScopeSelector", check->selector),
                             detail);
        else
                report(check->checker, FIELD_INVALID, check->at, NULL, check->scopes, detail);
}

static void check_scope(const struct scope_check *check, const struct quota_scope *scope) {
        struct node_iter iter = node_iter(node_get(check->spec, "hard"));
        struct slice name;

        while (scope && node_next(&iter, &name, NULL))
                if (!can_limit(scope, name))
                        report_scope(check, "unsupported scope applied to resource");
}

static void check_scope_pairs(const struct scope_check *check, const struct text_set *scopes) {
        for (size_t i = 0; i < ARRAY_LEN(scope_pairs); i++)
                if (text_set_has(scopes, slice_of(scope_pairs[i][0])) &&
                    text_set_has(scopes, slice_of(scope_pairs[i][1])))
                        report(check->checker, FIELD_INVALID, check->at, NULL, check->scopes,
                               "conflicting scopes");
}

static void check_scopes(struct checker *checker, const struct at *spec_at,
                         const struct json_node *spec) {
        const struct json_node *scopes = node_get(spec, "scopes");
        CLEANUP(text_set_release) struct text_set seen = { 0 };
        struct at at = at_member(spec_at, "scopes");
        struct scope_check check = { checker, spec, &at, node_json(checker, scopes), NULL };

        for (size_t i = 0; i < node_count(scopes); i++) {
                const struct quota_scope *scope = find_scope(node_get_slice(node_at(scopes, i)));

                if (!scope)
                        report_scope(&check, "unsupported scope");
                check_scope(&check, scope);
                text_set_add(&seen, node_get_slice(node_at(scopes, i)));
        }
        check_scope_pairs(&check, &seen);
}

static void check_scope_values(struct checker *checker, const struct at *at,
                               const struct json_node *requirement, bool is_bare) {
        struct slice operation = node_get_text(requirement, "operator");
        const struct json_node *values = node_get(requirement, "values");

        if (is_bare && !slice_is(operation, "Exists"))
                report_text(checker, at, "operator", operation,
                            "must be 'Exists' when scope is any of ResourceQuotaScopeTerminating, "
                            "ResourceQuotaScopeNotTerminating, ResourceQuotaScopeBestEffort, "
                            "ResourceQuotaScopeNotBestEffort or "
                            "ResourceQuotaScopeCrossNamespacePodAffinity");
        if (slice_is(operation, "In") || slice_is(operation, "NotIn")) {
                if (node_count(values) == 0)
                        report(checker, FIELD_REQUIRED, at, "values", NULL,
                               "must be at least one value when `operator` is 'In' or 'NotIn' for "
                               "scope selector");
        } else if (slice_is(operation, "Exists") || slice_is(operation, "DoesNotExist")) {
                if (node_count(values))
                        report(checker, FIELD_INVALID, at, "values", node_json(checker, values),
                               "must be no value when `operator` is 'Exist' or 'DoesNotExist' for "
                               "scope selector");
        } else {
                report_json_text(checker, at, "operator", operation,
                                 "not a valid selector operator");
        }
}

static void check_scope_selector(struct checker *checker, const struct at *spec_at,
                                 const struct json_node *spec) {
        const struct json_node *selector = node_get(spec, "scopeSelector");
        const struct json_node *list = node_get(selector, "matchExpressions");
        CLEANUP(text_set_release) struct text_set seen = { 0 };
        struct at place = at_member(spec_at, "scopeSelector");
        struct at at = at_member(&place, "matchExpressions");
        struct scope_check check = { checker, spec, &at,
                                     node_json(checker, node_get(spec, "scopes")), selector };

        for (size_t i = 0; i < node_count(list); i++) {
                struct slice name = node_get_text(node_at(list, i), "scopeName");
                const struct quota_scope *scope = find_scope(name);

                if (!scope)
                        report_text(checker, &at, "scopeName", name, "unsupported scope");
                check_scope(&check, scope);
                check_scope_values(checker, &at, node_at(list, i), scope && scope->is_bare);
                text_set_add(&seen, name);
        }
        check_scope_pairs(&check, &seen);
}

static bool has_same_scopes(const struct json_node *scopes, const struct json *old) {
        CLEANUP(text_set_release) struct text_set now = { 0 }, before = { 0 };
        struct json_iter iter = json_iter(old);
        const struct json *scope;

        for (size_t i = 0; i < node_count(scopes); i++)
                text_set_add(&now, node_get_slice(node_at(scopes, i)));
        while (json_next(&iter, NULL, &scope)) {
                if (!text_set_has(&now, json_text(scope)))
                        return false;
                text_set_add(&before, json_text(scope));
        }
        return now.count == before.count;
}

VALIDATE_HOOK(resource_quota_validate) {
        struct checker checker = { .errors = errors, .context = context };
        const struct json_node *spec = node_get(object, "spec"),
                               *status = node_get(object, "status");
        struct at at = at_root("spec"), hard = at_member(&at, "hard");
        struct at status_at = at_root("status"), status_hard = at_member(&status_at, "hard");
        struct at used = at_member(&status_at, "used");

        if (operation != KIND_UPDATE_STATUS) {
                check_amounts(&checker, &hard, node_get(spec, "hard"));
                check_scopes(&checker, &at, spec);
                check_scope_selector(&checker, &at, spec);
        } else {
                check_amounts(&checker, &status_hard, node_get(status, "hard"));
                check_amounts(&checker, &used, node_get(status, "used"));
        }
        if (operation == KIND_UPDATE &&
            !has_same_scopes(node_get(spec, "scopes"), json_get(json_get(old, "spec"), "scopes")))
                report(&checker, FIELD_INVALID, &at, "scopes",
                       node_json(&checker, node_get(spec, "scopes")), "field is immutable");
}

/* ---- limit ranges ---- */

/* Pairs of lists in which the first must not exceed the second, and how it is said. blamed: which
 * of the lists and of the amounts the complaint shows. */
struct limit_order {
        const char *low, *high, *low_name, *high_name, *blamed;
        bool shows_low;
};
static const struct limit_order limit_orders[] = {
        { "min", "max", "min value", "max value", "min", true },
        { "min", "defaultRequest", "min value", "default request value", "defaultRequest", false },
        { "defaultRequest", "max", "default request value", "max value", "defaultRequest", true },
        { "defaultRequest", "default", "default request value", "default limit value",
          "defaultRequest", true },
        { "min", "default", "min value", "default value", "default", true },
        { "default", "max", "default value", "max value", "default", false },
};

static void check_limit_order(struct checker *checker, const struct at *at,
                              const struct json_node *item, const struct limit_order *rule,
                              struct slice name) {
        const struct json_node *low = node_find(node_get(item, rule->low), name);
        const struct json_node *high = node_find(node_get(item, rule->high), name);
        struct slice low_text = node_get_slice(low), high_text = node_get_slice(high);
        struct at list = at_member(at, rule->blamed), place = at_key(&list, name);
        int order = 0;

        if (!low || !high || quantity_compare(low_text, high_text, &order, NULL) < 0 || order <= 0)
                return;
        report_text(checker, &place, NULL, rule->shows_low ? low_text : high_text,
                    message_of(checker, "%s " SLICE_FMT " is greater than %s " SLICE_FMT,
                               rule->low_name, SLICE_ARG(low_text), rule->high_name,
                               SLICE_ARG(high_text)));
}

static double amount_of(struct slice amount, bool is_fine) {
        int64_t value = 0;

        if (is_fine)
                quantity_milli(amount, &value, NULL);
        else
                quantity_value(amount, &value, NULL);
        return (double)value;
}

#define MILLI_MAX ((double)(INT64_MAX / 1000))

/* How far limits may be from requests, which cannot be more than what the bounds allow. */
static void check_ratio(struct checker *checker, const struct at *at, const struct json_node *item,
                        struct slice name) {
        const struct json_node *ratio = node_find(node_get(item, "maxLimitRequestRatio"), name);
        const struct json_node *low = node_find(node_get(item, "min"), name);
        const struct json_node *high = node_find(node_get(item, "max"), name);
        struct slice text = node_get_slice(ratio);
        struct at list = at_member(at, "maxLimitRequestRatio"), place = at_key(&list, name);
        int order = 0;

        if (!ratio)
                return;
        if (quantity_compare(text, SLICE_LITERAL("1"), &order, NULL) == 0 && order < 0)
                report_text(
                        checker, &place, NULL, text,
                        message_of(checker, "ratio " SLICE_FMT " is less than 1", SLICE_ARG(text)));
        if (!low || !high)
                return;
        bool is_fine = amount_of(text, false) < MILLI_MAX &&
                       amount_of(node_get_slice(low), false) < MILLI_MAX &&
                       amount_of(node_get_slice(high), false) < MILLI_MAX;
        double most =
                amount_of(node_get_slice(high), is_fine) / amount_of(node_get_slice(low), is_fine);
        if (amount_of(text, is_fine) / (is_fine ? 1000 : 1) > most)
                report_text(checker, &place, NULL, text,
                            message_of(checker, "ratio " SLICE_FMT " is greater than max/min = %f",
                                       SLICE_ARG(text), most));
}

static void check_default_pair(struct checker *checker, const struct at *at,
                               const struct json_node *item, struct slice name) {
        struct slice limit = node_get_slice(node_find(node_get(item, "default"), name));
        struct slice request = node_get_slice(node_find(node_get(item, "defaultRequest"), name));
        struct at list = at_member(at, "defaultRequest"), place = at_key(&list, name);
        int order = 0;

        if (!is_overcommittable(name) && limit.len && request.len &&
            quantity_compare(limit, request, &order, NULL) == 0 && order != 0)
                report_text(checker, &place, NULL, request,
                            message_of(checker,
                                       "default value " SLICE_FMT
                                       " must equal to defaultRequest value " SLICE_FMT
                                       " in " SLICE_FMT,
                                       SLICE_ARG(limit), SLICE_ARG(request), SLICE_ARG(name)));
}

/* The lists of one limit, their names looked at and collected. */
struct limit_check {
        struct checker *checker;
        const struct json_node *item;
        const struct at *at;
        bool is_pod, is_container;
};

static void check_limit_names(struct limit_check *check, const char *list) {
        struct node_iter iter = node_iter(node_get(check->item, list));
        struct at place = at_member(check->at, list);
        struct slice name;

        while (node_next(&iter, &name, NULL)) {
                struct at element = at_key(&place, name);

                check_resource_name(check->checker, &element, name,
                                    check->is_pod || check->is_container ? RESOURCE_OF_CONTAINER
                                                                         : RESOURCE_ANYWHERE);
        }
}

static void check_limit_values(struct limit_check *check) {
        static const char *const lists[] = { "max", "min", "default", "defaultRequest",
                                             "maxLimitRequestRatio" };
        CLEANUP(text_set_release) struct text_set seen = { 0 };

        for (size_t i = 0; i < ARRAY_LEN(lists); i++) {
                struct node_iter iter = node_iter(node_get(check->item, lists[i]));
                struct slice name;

                while (node_next(&iter, &name, NULL)) {
                        if (!text_set_add(&seen, name))
                                continue;
                        for (size_t j = 0; j < (check->is_pod ? 1 : ARRAY_LEN(limit_orders)); j++)
                                check_limit_order(check->checker, check->at, check->item,
                                                  &limit_orders[j], name);
                        check_ratio(check->checker, check->at, check->item, name);
                        if (!check->is_pod) /* which has no defaults */
                                check_default_pair(check->checker, check->at, check->item, name);
                }
        }
}

static void check_limit_item(struct checker *checker, const struct at *at,
                             const struct json_node *item) {
        static const char *const defaults[] = { "default", "defaultRequest" };
        struct slice type = node_get_text(item, "type");
        struct limit_check check = { .checker = checker,
                                     .item = item,
                                     .at = at,
                                     .is_pod = slice_is(type, "Pod"),
                                     .is_container = slice_is(type, "Container") };

        check_limit_names(&check, "max");
        check_limit_names(&check, "min");
        for (size_t i = 0; i < ARRAY_LEN(defaults); i++)
                if (!check.is_pod)
                        check_limit_names(&check, defaults[i]);
                else if (node_count(node_get(item, defaults[i])) > 0)
                        report(checker, FIELD_FORBIDDEN, at, defaults[i], NULL,
                               "may not be specified when `type` is 'Pod'");
        if (slice_is(type, "PersistentVolumeClaim") &&
            !node_get(node_get(item, "min"), "storage") &&
            !node_get(node_get(item, "max"), "storage"))
                report(checker, FIELD_REQUIRED, at, "limits", NULL,
                       "either minimum or maximum storage value is required, but neither was "
                       "provided");
        check_limit_names(&check, "maxLimitRequestRatio");
        check_limit_values(&check);
}

static void check_limit_type(struct checker *checker, const struct at *at, struct slice type) {
        static const char *const types[] = { "Pod", "Container", "PersistentVolumeClaim" };

        if (!check_label_key(checker, at, "type", type) || memchr(type.ptr, '/', type.len))
                return;
        for (size_t i = 0; i < ARRAY_LEN(types); i++)
                if (slice_is(type, types[i]))
                        return;
        report_text(checker, at, "type", type, "must be a standard limit type or fully qualified");
}

VALIDATE_HOOK(limit_range_validate) {
        struct checker checker = { .errors = errors, .context = context };
        const struct json_node *limits = node_get(node_get(object, "spec"), "limits");
        struct at spec = at_root("spec"), list = at_member(&spec, "limits");
        CLEANUP(text_set_release) struct text_set types = { 0 };

        (void)operation, (void)old;
        for (size_t i = 0; i < node_count(limits); i++) {
                const struct json_node *item = node_at(limits, i);
                struct slice type = node_get_text(item, "type");
                struct at place = at_index(&list, i);

                check_limit_type(&checker, &place, type);
                if (!text_set_add(&types, type))
                        report(&checker, FIELD_DUPLICATE, &place, "type", quoted(&checker, type),
                               NULL);
                check_limit_item(&checker, &place, item);
        }
}
