/* Walks from bindings to rules, as they are stored; nothing is stored between requests. */
#include "server/rbac_rules.h"

#include "server/api_context.h"
#include <stdio.h>
#include <string.h>

#define RBAC_GROUP "rbac.authorization.k8s.io"

/* ---- one rule ---- */

static bool list_allows(const struct json *list, struct slice text) {
        return json_array_has(list, SLICE_LITERAL("*")) || json_array_has(list, text);
}

/* All stars at the end of the pattern stand for any rest. */
static bool path_matches(struct slice pattern, struct slice path) {
        if (slice_eq(pattern, path))
                return true;
        if (!slice_has_suffix(pattern, SLICE_LITERAL("*")))
                return false;
        while (pattern.len && pattern.ptr[pattern.len - 1] == '*')
                pattern.len--;
        return slice_has_prefix(path, pattern);
}

static bool list_has_path(const struct json *list, struct slice path) {
        struct json_iter iter = json_iter(list);
        const struct json *item;

        while (json_next(&iter, NULL, &item)) {
                if (path_matches(json_text(item), path))
                        return true;
        }
        return false;
}

/* The resource itself, its subresource, or that subresource of anything. */
static bool resource_matches(struct slice pattern, struct slice resource,
                             struct slice subresource) {
        struct slice head = SLICE_EMPTY;

        if (slice_is(pattern, "*"))
                return true;
        if (subresource.len == 0)
                return slice_eq(pattern, resource);
        if (!memchr(pattern.ptr ? pattern.ptr : "", '/', pattern.len))
                return false;
        slice_split(&pattern, '/', &head);
        return slice_eq(pattern, subresource) && (slice_is(head, "*") || slice_eq(head, resource));
}

static bool list_has_resource(const struct json *list, struct slice resource,
                              struct slice subresource) {
        struct json_iter iter = json_iter(list);
        const struct json *item;

        while (json_next(&iter, NULL, &item)) {
                if (resource_matches(json_text(item), resource, subresource))
                        return true;
        }
        return false;
}

bool rbac_rule_allows(const struct json *rule, const struct access_question *question) {
        const struct json *names = json_get(rule, "resourceNames");

        if (!list_allows(json_get(rule, "verbs"), question->verb))
                return false;
        if (question->path.len)
                return list_has_path(json_get(rule, "nonResourceURLs"), question->path);
        return list_allows(json_get(rule, "apiGroups"), question->group) &&
               list_has_resource(json_get(rule, "resources"), question->resource,
                                 question->subresource) &&
               (json_count(names) == 0 || json_array_has(names, question->name));
}

bool rbac_rule_covers(const struct json *rule, const struct rbac_right *right) {
        const struct json *names = json_get(rule, "resourceNames");
        struct slice subresource = right->resource, resource = SLICE_EMPTY;

        if (!list_allows(json_get(rule, "verbs"), right->verb))
                return false;
        if (right->path.len)
                return json_count(names) == 0 &&
                       list_has_path(json_get(rule, "nonResourceURLs"), right->path);
        slice_split(&subresource, '/', &resource);
        return list_allows(json_get(rule, "apiGroups"), right->group) &&
               list_has_resource(json_get(rule, "resources"), resource, subresource) &&
               (json_count(names) == 0 || (right->has_name && json_array_has(names, right->name)));
}

/* ---- from bindings to rules ---- */

static bool is_account(const struct rbac_walk *walk, struct slice ns, struct slice name) {
        static const struct slice prefix = SLICE_INIT("system:serviceaccount:");
        struct slice rest = walk->user, user_ns = SLICE_EMPTY;

        if (ns.len == 0)
                ns = walk->is_cluster_wide ? SLICE_EMPTY : walk->ns;
        if (ns.len == 0 || !slice_has_prefix(rest, prefix))
                return false;
        rest = slice_make(rest.ptr + prefix.len, rest.len - prefix.len);
        slice_split(&rest, ':', &user_ns);
        return slice_eq(user_ns, ns) && slice_eq(rest, name);
}

static bool subject_matches(const struct rbac_walk *walk, const struct json *subject) {
        struct slice kind = json_get_text(subject, "kind"), name = json_get_text(subject, "name");

        if (slice_is(kind, "User"))
                return slice_eq(name, walk->user);
        if (slice_is(kind, "ServiceAccount"))
                return is_account(walk, json_get_text(subject, "namespace"), name);
        for (size_t i = 0; slice_is(kind, "Group") && i < walk->group_count; i++) {
                if (slice_eq(name, walk->groups[i]))
                        return true;
        }
        return false;
}

static const struct api_resource *rbac_resource(const struct api_engine *engine,
                                                const char *plural) {
        return resource_find(&engine->resources, SLICE_LITERAL(RBAC_GROUP), SLICE_LITERAL("v1"),
                             slice_of(plural));
}

static void role_missing(struct rbac_walk *walk, const char *kind, struct slice name) {
        char *text = arena_printf(&walk->engine->scratch,
                                  "%s." RBAC_GROUP " \"" SLICE_FMT "\" not found", kind,
                                  SLICE_ARG(name));

        for (size_t i = 0; i < walk->missing_count; i++) {
                if (strcmp(walk->missing[i], text) == 0)
                        return;
        }
        if (walk->missing_count < RBAC_MISSING_MAX)
                walk->missing[walk->missing_count++] = text;
}

static bool visit_role(void *context, const struct json *role) {
        struct rbac_walk *walk = context;
        struct json_iter iter = json_iter(json_get(role, "rules"));
        const struct json *rule;

        while (json_next(&iter, NULL, &rule)) {
                if (!walk->visit(walk, rule))
                        return false;
        }
        return true;
}

static bool visit_binding(void *context, const struct json *binding) {
        struct rbac_walk *walk = context;
        const struct json *reference = json_get(binding, "roleRef"), *subject = NULL;
        bool is_cluster_role = slice_is(json_get_text(reference, "kind"), "ClusterRole");
        struct json_iter iter = json_iter(json_get(binding, "subjects"));
        struct slice name = json_get_text(reference, "name");
        bool is_mine = false;

        while (!is_mine && json_next(&iter, NULL, &subject))
                is_mine = subject_matches(walk, subject);
        if (!is_mine)
                return true;
        const struct api_resource *resource =
                rbac_resource(walk->engine, is_cluster_role ? "clusterroles" : "roles");
        const struct store_object *role = store_get(walk->engine->store, resource->store_resource,
                                                    is_cluster_role ? SLICE_EMPTY : walk->ns, name);
        if (!role) {
                role_missing(walk, is_cluster_role ? "clusterrole" : "role", name);
                return true;
        }
        walk->binding = binding;
        walk->subject = subject;
        return json_cache_visit(&walk->engine->cache, role, visit_role, walk);
}

static bool visit_bindings(struct rbac_walk *walk, const char *plural, struct slice ns) {
        struct store_cursor *cursor = NULL;
        const struct store_object *binding;
        bool goes_on = true;

        if (store_cursor_open(
                    walk->engine->store,
                    &(struct store_range){
                            .resource = rbac_resource(walk->engine, plural)->store_resource,
                            .ns = ns },
                    &cursor, NULL) < 0)
                return true;
        while (goes_on && (binding = store_cursor_next(cursor)))
                goes_on = json_cache_visit(&walk->engine->cache, binding, visit_binding, walk);
        store_cursor_close(cursor);
        return goes_on;
}

void rbac_walk_run(struct rbac_walk *walk) {
        walk->is_cluster_wide = true;
        if (!visit_bindings(walk, "clusterrolebindings", SLICE_EMPTY) || walk->ns.len == 0)
                return;
        walk->is_cluster_wide = false;
        visit_bindings(walk, "rolebindings", walk->ns);
}

/* ---- words ---- */

const char *rbac_walk_problem(const struct rbac_walk *walk) {
        struct buf text = { 0 };

        if (walk->missing_count == 0)
                return "";
        buf_text(&text, walk->missing_count > 1 ? "RBAC: [" : "RBAC: ");
        for (size_t i = 0; i < walk->missing_count; i++)
                buf_printf(&text, "%s%s", i ? ", " : "", walk->missing[i]);
        buf_text(&text, walk->missing_count > 1 ? "]" : "");
        const char *copy = arena_string(&walk->engine->scratch, buf_view(&text));
        buf_release(&text);
        return copy;
}

const char *rbac_walk_source(const struct rbac_walk *walk) {
        const struct json *reference = json_get(walk->binding, "roleRef");
        struct slice kind = json_get_text(walk->subject, "kind");
        struct slice ns = json_get_text(walk->subject, "namespace");
        bool is_account_of = slice_is(kind, "ServiceAccount");

        if (ns.len == 0)
                ns = walk->is_cluster_wide ? SLICE_EMPTY : walk->ns;
        return arena_printf(&walk->engine->scratch,
                            "RBAC: allowed by %s \"" SLICE_FMT "%s" SLICE_FMT "\" of " SLICE_FMT
                            " \"" SLICE_FMT "\" to " SLICE_FMT " \"" SLICE_FMT "%s" SLICE_FMT "\"",
                            walk->is_cluster_wide ? "ClusterRoleBinding" : "RoleBinding",
                            SLICE_ARG(json_get_text(json_get(walk->binding, "metadata"), "name")),
                            walk->is_cluster_wide ? "" : "/",
                            SLICE_ARG(walk->is_cluster_wide ? SLICE_EMPTY : walk->ns),
                            SLICE_ARG(json_get_text(reference, "kind")),
                            SLICE_ARG(json_get_text(reference, "name")), SLICE_ARG(kind),
                            SLICE_ARG(json_get_text(walk->subject, "name")),
                            is_account_of ? "/" : "", SLICE_ARG(is_account_of ? ns : SLICE_EMPTY));
}
