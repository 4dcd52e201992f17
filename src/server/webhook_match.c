/* Which webhooks a write concerns: rules of operations, groups, versions and resources, and the
 * selectors of namespaces and objects. */
#include "api/selector.h"
#include "server/api_context.h"
#include "server/api_object.h"
#include "server/webhook.h"

static bool lists_or_all(const struct json *list, struct slice text) {
        return json_array_has(list, SLICE_LITERAL("*")) || json_array_has(list, text);
}

/* "pods", "pods/eviction", "pods/" and "" before an asterisk, or an asterisk for all that has no
 * subresource. */
static bool is_resource(struct slice pattern, const struct webhook_subject *subject) {
        struct slice rest = pattern, plural = SLICE_EMPTY;

        slice_split(&rest, '/', &plural);
        if (!slice_is(plural, "*") && !slice_eq(plural, subject->plural))
                return false;
        return slice_eq(rest, subject->subresource) || slice_is(rest, "*");
}

static bool rule_matches(const struct json *rule, const struct webhook_subject *subject) {
        struct json_iter iter = json_iter(json_get(rule, "resources"));
        struct slice scope = json_get_text(rule, "scope");
        const struct json *item;

        if (!lists_or_all(json_get(rule, "operations"), slice_of(subject->operation)) ||
            !lists_or_all(json_get(rule, "apiGroups"), subject->group) ||
            !lists_or_all(json_get(rule, "apiVersions"), subject->version))
                return false;
        if (slice_is(scope, subject->is_namespaced ? "Cluster" : "Namespaced"))
                return false;
        while (json_next(&iter, NULL, &item)) {
                if (is_resource(json_text(item), subject))
                        return true;
        }
        return false;
}

bool labels_selected(struct api_context *context, const struct json *selector,
                     const struct json *metadata) {
        struct selector parsed;

        if (json_type(selector) != JSON_OBJECT || json_count(selector) == 0)
                return true;
        return selector_decode(selector, context->arena, &parsed, NULL) == 0 &&
               selector_matches(&parsed,
                                label_list_decode(json_get(metadata, "labels"), context->arena));
}

static const struct json *metadata_of(struct api_context *context, const struct json_node *object) {
        struct buf text = { 0 };
        const struct json *metadata = NULL;

        if (object && node_write(node_get(object, "metadata"), &text))
                metadata = request_json(context, buf_view(&text));
        buf_release(&text);
        return metadata;
}

/* A namespace is judged by its own labels, objects of the cluster by none. */
static bool selects_namespace(struct api_context *context, const struct json *selector,
                              const struct webhook_subject *subject) {
        const struct api_resource *namespaces = context->engine->resources.namespaces;

        if (slice_is(subject->plural, "namespaces") && subject->group.len == 0)
                return labels_selected(context, selector,
                                       subject->object ? metadata_of(context, subject->object)
                                                       : json_get(subject->old, "metadata"));
        if (!subject->is_namespaced)
                return true;
        const struct store_object *object =
                object_find(context, namespaces, SLICE_EMPTY, subject->ns);
        return object &&
               labels_selected(context, selector,
                               json_get(request_object_json(context, object), "metadata"));
}

static bool selects_object(struct api_context *context, const struct json *selector,
                           const struct webhook_subject *subject) {
        return (subject->object &&
                labels_selected(context, selector, metadata_of(context, subject->object))) ||
               (subject->old &&
                labels_selected(context, selector, json_get(subject->old, "metadata")));
}

/* The configurations of webhooks are out of their own reach. */
static bool is_exempt(const struct webhook_subject *subject) {
        return slice_is(subject->group, "admissionregistration.k8s.io");
}

/* ---- versions ---- */

static bool is_equivalent(const struct api_resource *other, const struct webhook_subject *subject) {
        return subject->resource && other != subject->resource &&
               other->store_resource == subject->resource->store_resource &&
               other->store_resource >= 0;
}

/* Rules of policies may name objects. */
static bool names_subject(const struct json *rule, const struct webhook_subject *subject) {
        const struct json *names = json_get(rule, "resourceNames");

        return json_count(names) == 0 ||
               (!subject->has_made_name && json_array_has(names, subject->name));
}

static bool rule_concerns(const struct json *rule, const struct webhook_subject *subject,
                          const struct api_resource *as) {
        struct webhook_subject seen = *subject;

        if (as) {
                seen.group = slice_of(as->kind->group);
                seen.version = slice_of(as->kind->version);
                seen.plural = slice_of(as->kind->plural);
        }
        return rule_matches(rule, &seen) && names_subject(rule, subject);
}

static bool concerns_equivalent(struct api_context *context, const struct json *rule,
                                const struct webhook_subject *subject,
                                const struct api_resource **ret_matched) {
        const struct api_resource *other = NULL;

        while ((other = resource_next(&context->engine->resources, other)))
                if (is_equivalent(other, subject) && rule_concerns(rule, subject, other)) {
                        *ret_matched = other;
                        return true;
                }
        return false;
}

/* The version that is written comes first, then other versions in the order of the rules. */
static bool rules_concern(struct api_context *context, const struct json *rules, bool is_exact,
                          const struct webhook_subject *subject,
                          const struct api_resource **ret_matched) {
        struct json_iter iter = json_iter(rules);
        const struct json *rule;

        *ret_matched = NULL;
        while (json_next(&iter, NULL, &rule))
                if (rule_concerns(rule, subject, NULL))
                        return true;
        iter = json_iter(rules);
        while (!is_exact && json_next(&iter, NULL, &rule))
                if (concerns_equivalent(context, rule, subject, ret_matched))
                        return true;
        return false;
}

static bool is_exact(const struct json *match) {
        return slice_is(json_get_text(match, "matchPolicy"), "Exact");
}

bool webhook_matches(struct api_context *context, const struct json *row,
                     const struct webhook_subject *subject,
                     const struct api_resource **ret_matched) {
        return rules_concern(context, json_get(row, "rules"), is_exact(row), subject,
                             ret_matched) &&
               !is_exempt(subject) &&
               selects_namespace(context, json_get(row, "namespaceSelector"), subject) &&
               selects_object(context, json_get(row, "objectSelector"), subject);
}

bool resources_match(struct api_context *context, const struct json *resources,
                     const struct webhook_subject *subject,
                     const struct api_resource **ret_matched) {
        const struct json *rules = json_get(resources, "resourceRules");
        const struct json *others = json_get(resources, "excludeResourceRules");
        bool wants_exact = is_exact(resources);

        if (is_exempt(subject) || rules_concern(context, others, wants_exact, subject, ret_matched))
                return false;
        *ret_matched = NULL;
        return (json_count(rules) == 0 ||
                rules_concern(context, rules, wants_exact, subject, ret_matched)) &&
               selects_namespace(context, json_get(resources, "namespaceSelector"), subject) &&
               selects_object(context, json_get(resources, "objectSelector"), subject);
}

void version_convert(const struct api_resource *from, const struct api_resource *to,
                     struct json_tree *tree, struct json_node *object) {
        if (from->kind->to_stored)
                from->kind->to_stored(tree, object);
        if (to->kind->from_stored)
                to->kind->from_stored(tree, object);
        node_put_string(tree, object, "kind", to->kind->kind);
        node_put_string(tree, object, "apiVersion", to->api_version);
        if (to->schema)
                schema_normalise(to->schema, tree, object,
                                 &(struct schema_report){ .minor = to->minor }, NULL);
        if (to->kind->apply_defaults)
                to->kind->apply_defaults(tree, object);
}
