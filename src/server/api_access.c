/* Whether a user may do something: the RBAC rules in the store, and what is open to all. */
#include "server/api_access.h"

#include "server/api_context.h"
#include <stdio.h>

#define MASTERS "system:masters"

const struct api_user api_user_controller_manager = {
        .name = { "system:kube-controller-manager", 30 },
        .group_count = 2,
        .groups = { { "system:masters", 14 }, { "system:authenticated", 20 } },
};
const struct api_user api_user_scheduler = {
        .name = { "system:kube-scheduler", 21 },
        .group_count = 2,
        .groups = { { "system:masters", 14 }, { "system:authenticated", 20 } },
};
const struct api_user api_user_admin = {
        .name = { "kubernetes-admin", 16 },
        .group_count = 2,
        .groups = { { "system:masters", 14 }, { "system:authenticated", 20 } },
};

static bool list_has(const struct json *list, struct slice text) {
        struct json_iter iter = json_iter(list);
        const struct json *item;

        while (json_next(&iter, NULL, &item)) {
                if (slice_is(json_text(item), "*") || slice_eq(json_text(item), text))
                        return true;
        }
        return false;
}

static bool list_has_path(const struct json *list, struct slice path) {
        struct json_iter iter = json_iter(list);
        const struct json *item;

        while (json_next(&iter, NULL, &item)) {
                struct slice pattern = json_text(item);

                if (slice_eq(pattern, path))
                        return true;
                if (pattern.len && pattern.ptr[pattern.len - 1] == '*' &&
                    slice_has_prefix(path, slice_make(pattern.ptr, pattern.len - 1)))
                        return true;
        }
        return false;
}

static bool list_has_resource(const struct json *list, const struct access_question *question) {
        char full[320];
        struct json_iter iter = json_iter(list);
        const struct json *item;

        if (question->subresource.len == 0)
                return list_has(list, question->resource);
        int length = snprintf(full, sizeof(full), SLICE_FMT "/" SLICE_FMT,
                              SLICE_ARG(question->resource), SLICE_ARG(question->subresource));
        if (length < 0 || (size_t)length >= sizeof(full))
                return false;
        while (json_next(&iter, NULL, &item)) {
                struct slice text = json_text(item);

                if (slice_is(text, "*") || slice_is(text, full))
                        return true;
                if (slice_has_prefix(text, SLICE_LITERAL("*/")) &&
                    slice_eq(slice_make(text.ptr + 2, text.len - 2), question->subresource))
                        return true;
        }
        return false;
}

static bool rule_allows(const struct json *rule, const struct access_question *question) {
        const struct json *names = json_get(rule, "resourceNames");

        if (!list_has(json_get(rule, "verbs"), question->verb))
                return false;
        if (question->path.len)
                return list_has_path(json_get(rule, "nonResourceURLs"), question->path);
        return list_has(json_get(rule, "apiGroups"), question->group) &&
               list_has_resource(json_get(rule, "resources"), question) &&
               (json_count(names) == 0 || list_has(names, question->name));
}

static bool subject_matches(const struct json *subject, const struct access_question *question) {
        struct slice kind = json_get_text(subject, "kind"), name = json_get_text(subject, "name");
        char account[600];

        if (slice_is(kind, "User"))
                return slice_eq(name, question->user);
        if (slice_is(kind, "ServiceAccount")) {
                snprintf(account, sizeof(account), "system:serviceaccount:" SLICE_FMT ":" SLICE_FMT,
                         SLICE_ARG(json_get_text(subject, "namespace")), SLICE_ARG(name));
                return slice_is(question->user, account);
        }
        for (size_t i = 0; slice_is(kind, "Group") && i < question->group_count; i++) {
                if (slice_eq(name, question->groups[i]))
                        return true;
        }
        return false;
}

static const struct api_resource *rbac_resource(struct api_engine *engine, const char *plural) {
        return resource_find(&engine->resources, SLICE_LITERAL("rbac.authorization.k8s.io"),
                             SLICE_LITERAL("v1"), slice_of(plural));
}

static bool role_allows(struct api_engine *engine, const struct json *reference, struct slice ns,
                        const struct access_question *question) {
        bool is_cluster = slice_is(json_get_text(reference, "kind"), "ClusterRole");
        const struct api_resource *resource =
                rbac_resource(engine, is_cluster ? "clusterroles" : "roles");
        const struct store_object *role =
                resource
                        ? store_get(engine->store, resource->store_resource,
                                    is_cluster ? SLICE_EMPTY : ns, json_get_text(reference, "name"))
                        : NULL;
        const struct json *rule;

        if (!role)
                return false;
        struct json_iter iter = json_iter(json_get(json_cache_get(&engine->cache, role), "rules"));
        while (json_next(&iter, NULL, &rule)) {
                if (rule_allows(rule, question))
                        return true;
        }
        return false;
}

static bool binding_allows(struct api_engine *engine, const struct store_object *binding,
                           const struct access_question *question) {
        struct json_doc *doc = NULL;
        const struct json *subject;
        bool is_allowed = false;

        if (json_parse(store_object_body(binding), &doc, NULL) < 0)
                return false;
        struct json_iter iter = json_iter(json_get(json_doc_root(doc), "subjects"));
        while (!is_allowed && json_next(&iter, NULL, &subject)) {
                if (subject_matches(subject, question))
                        is_allowed = role_allows(engine, json_get(json_doc_root(doc), "roleRef"),
                                                 store_object_ns(binding), question);
        }
        json_doc_free(doc);
        return is_allowed;
}

static bool bindings_allow(struct api_engine *engine, const char *plural, struct slice ns,
                           const struct access_question *question) {
        const struct api_resource *resource = rbac_resource(engine, plural);
        struct store_cursor *cursor = NULL;
        const struct store_object *binding;
        bool is_allowed = false;

        if (!resource || store_cursor_open(engine->store,
                                           &(struct store_range){
                                                   .resource = resource->store_resource, .ns = ns },
                                           &cursor, NULL) < 0)
                return false;
        while (!is_allowed && (binding = store_cursor_next(cursor)))
                is_allowed = binding_allows(engine, binding, question);
        store_cursor_close(cursor);
        return is_allowed;
}

/* What everybody may read, and what the default system roles give to those who logged in. */
static bool is_public(const struct access_question *question) {
        static const char *const for_all[] = { "/healthz", "/livez", "/readyz", "/version",
                                               "/version/" };
        static const char *const for_users[] = { "/api",   "/api/",    "/apis",
                                                 "/apis/", "/openapi", "/openapi/" };
        static const char *const reviews[] = { "selfsubjectaccessreviews",
                                               "selfsubjectrulesreviews", "selfsubjectreviews" };
        bool is_user = false;

        for (size_t i = 0; i < question->group_count; i++)
                is_user |= slice_is(question->groups[i], "system:authenticated");
        for (size_t i = 0; is_user && i < ARRAY_LEN(reviews); i++) {
                if (slice_is(question->resource, reviews[i]) && slice_is(question->verb, "create"))
                        return true;
        }
        if (question->path.len == 0 || !slice_is(question->verb, "get"))
                return false;
        for (size_t i = 0; i < ARRAY_LEN(for_all); i++) {
                if (slice_is(question->path, for_all[i]))
                        return true;
        }
        for (size_t i = 0; is_user && i < ARRAY_LEN(for_users); i++) {
                struct slice prefix = slice_of(for_users[i]);

                if (slice_eq(question->path, prefix) ||
                    (prefix.ptr[prefix.len - 1] == '/' && slice_has_prefix(question->path, prefix)))
                        return true;
        }
        return false;
}

bool access_allows(struct api_engine *engine, const struct access_question *question) {
        for (size_t i = 0; i < question->group_count; i++) {
                if (slice_is(question->groups[i], MASTERS))
                        return true;
        }
        if (is_public(question) ||
            bindings_allow(engine, "clusterrolebindings", SLICE_EMPTY, question))
                return true;
        return question->ns.len && bindings_allow(engine, "rolebindings", question->ns, question);
}
