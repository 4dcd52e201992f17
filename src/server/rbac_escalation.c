/* A role may be written by a user with all its rights, or with the right to "escalate" it; a
 * binding by a user with all rights of its role, or with the right to "bind" it. */
#include "server/rbac_escalation.h"

#include "schema/object_compare.h"
#include "server/api_access.h"
#include "server/api_context.h"
#include "server/api_failure.h"
#include "server/api_object.h"
#include "server/rbac_rules.h"
#include <stdlib.h>
#include <string.h>

#define RBAC_GROUP "rbac.authorization.k8s.io"
/* Verbs times things of the rules to be handed out: more are refused rather than compared. */
#define RIGHTS_MAX 20000

/* ---- rights, one by one ---- */

struct rights {
        struct rbac_right *items;
        bool *is_held;
        size_t count, cap;
        bool is_too_many;
};

static void add_right(struct rights *rights, const struct rbac_right *right) {
        if (rights->count == rights->cap)
                rights->is_too_many = true;
        else
                rights->items[rights->count++] = *right;
}

static void add_names(struct rights *rights, const struct json *names, struct rbac_right right) {
        struct json_iter iter = json_iter(names);
        const struct json *name;

        if (json_count(names) == 0)
                add_right(rights, &right);
        right.has_name = true;
        while (!rights->is_too_many && json_next(&iter, NULL, &name)) {
                right.name = json_text(name);
                add_right(rights, &right);
        }
}

static void add_resources(struct rights *rights, const struct json *rule, struct rbac_right right) {
        struct json_iter groups = json_iter(json_get(rule, "apiGroups")), resources;
        const struct json *group, *resource;

        while (!rights->is_too_many && json_next(&groups, NULL, &group)) {
                right.group = json_text(group);
                resources = json_iter(json_get(rule, "resources"));
                while (!rights->is_too_many && json_next(&resources, NULL, &resource)) {
                        right.resource = json_text(resource);
                        add_names(rights, json_get(rule, "resourceNames"), right);
                }
        }
}

static void add_rule(struct rights *rights, const struct json *rule) {
        struct json_iter verbs = json_iter(json_get(rule, "verbs")), paths;
        const struct json *verb, *path;

        while (!rights->is_too_many && json_next(&verbs, NULL, &verb)) {
                struct rbac_right right = { .verb = json_text(verb) };

                add_resources(rights, rule, right);
                paths = json_iter(json_get(rule, "nonResourceURLs"));
                while (!rights->is_too_many && json_next(&paths, NULL, &path)) {
                        right.path = json_text(path);
                        add_right(rights, &right);
                }
        }
}

static size_t count_of(const struct json *rule, const char *member) {
        return json_count(json_get(rule, member));
}

/* At most RIGHTS_MAX + 1, so that nothing overflows. */
static size_t count_rights(const struct json *rules) {
        struct json_iter iter = json_iter(rules);
        const struct json *rule;
        double count = 0;

        while (json_next(&iter, NULL, &rule)) {
                size_t names = count_of(rule, "resourceNames");

                count +=
                        (double)count_of(rule, "verbs") *
                        ((double)count_of(rule, "apiGroups") * (double)count_of(rule, "resources") *
                                 (double)(names ? names : 1) +
                         (double)count_of(rule, "nonResourceURLs"));
        }
        return count > RIGHTS_MAX ? RIGHTS_MAX + 1 : (size_t)count;
}

static struct rights rights_of(struct arena *arena, const struct json *rules) {
        struct rights rights = { .cap = count_rights(rules) };
        struct json_iter iter = json_iter(rules);
        const struct json *rule;

        if (rights.cap > RIGHTS_MAX) {
                rights.is_too_many = true;
                return rights;
        }
        rights.items = ARENA_ARRAY(arena, struct rbac_right, rights.cap + 1);
        rights.is_held = ARENA_ARRAY(arena, bool, rights.cap + 1);
        memset(rights.is_held, 0, (rights.cap + 1) * sizeof(bool));
        while (json_next(&iter, NULL, &rule))
                add_rule(&rights, rule);
        return rights;
}

/* ---- what is missing, in words ---- */

static void word_write(struct buf *out, const char *member, struct slice word) {
        buf_printf(out, "%s:[", member);
        buf_json_string(out, word);
        buf_char(out, ']');
}

/* Rights that differ in their verb only read as one. */
static bool is_alike(const struct rbac_right *a, const struct rbac_right *b) {
        return a->path.len == 0 && b->path.len == 0 && slice_eq(a->group, b->group) &&
               slice_eq(a->resource, b->resource) && a->has_name == b->has_name &&
               slice_eq(a->name, b->name);
}

static int compare_places(const void *left, const void *right) {
        const struct rbac_right *a = *(const struct rbac_right *const *)left;
        const struct rbac_right *b = *(const struct rbac_right *const *)right;
        int order = slice_compare(a->path, b->path);

        if (order == 0)
                order = slice_compare(a->group, b->group);
        if (order == 0)
                order = slice_compare(a->resource, b->resource);
        if (order == 0)
                order = (int)a->has_name - (int)b->has_name;
        if (order == 0)
                order = slice_compare(a->name, b->name);
        if (order == 0) /* in the order in which they were given */
                order = a < b ? -1 : a > b;
        return order;
}

/* Rights at the same place, which all but their verbs share; returns how many there are. */
static size_t alike_write(struct rbac_right *const *rights, size_t count, struct buf *out) {
        const struct rbac_right *first = rights[0];
        size_t same = 1;

        buf_char(out, '{');
        if (first->path.len) {
                word_write(out, "NonResourceURLs", first->path);
        } else {
                word_write(out, "APIGroups", first->group);
                buf_text(out, ", ");
                word_write(out, "Resources", first->resource);
        }
        if (first->has_name) {
                buf_text(out, ", ");
                word_write(out, "ResourceNames", first->name);
        }
        buf_text(out, ", Verbs:[");
        buf_json_string(out, first->verb);
        while (same < count && is_alike(first, rights[same])) {
                buf_char(out, ' ');
                buf_json_string(out, rights[same++]->verb);
        }
        buf_text(out, "]}");
        return same;
}

static int compare_texts(const void *left, const void *right) {
        return strcmp(*(const char *const *)left, *(const char *const *)right);
}

static void missing_write(struct arena *arena, const struct rights *rights, struct buf *out) {
        struct rbac_right **missing = ARENA_ARRAY(arena, struct rbac_right *, rights->count);
        char **texts = ARENA_ARRAY(arena, char *, rights->count);
        size_t count = 0, lines = 0;

        for (size_t i = 0; i < rights->count; i++) {
                if (!rights->is_held[i])
                        missing[count++] = &rights->items[i];
        }
        qsort(missing, count, sizeof(missing[0]), compare_places);
        for (size_t i = 0; i < count;) {
                struct buf text = { 0 };

                i += alike_write(missing + i, count - i, &text);
                texts[lines++] = arena_string(arena, buf_view(&text));
                buf_release(&text);
        }
        qsort(texts, lines, sizeof(texts[0]), compare_texts);
        for (size_t i = 0; i < lines; i++) {
                if (i == 0 || strcmp(texts[i], texts[i - 1]) != 0)
                        buf_printf(out, "\n%s", texts[i]);
        }
}

static void asker_write(const struct api_user *user, struct buf *out) {
        buf_text(out, "user ");
        buf_json_string(out, user->name);
        buf_text(out, " (groups=[");
        for (size_t i = 0; i < user->group_count; i++) {
                buf_text(out, i ? " " : "");
                buf_json_string(out, user->groups[i]);
        }
        buf_text(out, "]) is attempting to grant RBAC permissions not currently held:");
}

/* ---- who has what ---- */

static bool visit_held(struct rbac_walk *walk, const struct json *rule) {
        struct rights *rights = walk->context;
        bool is_all = true;

        for (size_t i = 0; i < rights->count; i++) {
                if (!rights->is_held[i])
                        rights->is_held[i] = rbac_rule_covers(rule, &rights->items[i]);
                is_all &= rights->is_held[i];
        }
        return !is_all;
}

static bool holds_all(struct api_context *context, struct slice ns, struct rights *rights,
                      const char **ret_problem) {
        struct rbac_walk walk = {
                .engine = context->engine,
                .user = context->user.name,
                .groups = context->user.groups,
                .group_count = context->user.group_count,
                .ns = ns,
                .visit = visit_held,
                .context = rights,
        };

        if (rights->count)
                rbac_walk_run(&walk);
        *ret_problem = rbac_walk_problem(&walk);
        for (size_t i = 0; i < rights->count; i++) {
                if (!rights->is_held[i])
                        return false;
        }
        return true;
}

static int fail_write(struct api_context *context, const struct api_write *write, const char *why) {
        return fail_forbidden(context, SLICE_LITERAL(RBAC_GROUP),
                              slice_of(write->resource->kind->plural), write->name, why);
}

static int check_rules(struct api_context *context, const struct api_write *write,
                       const struct json *rules) {
        struct rights rights = rights_of(context->arena, rules);
        struct buf text = { 0 };
        const char *problem;

        if (rights.is_too_many)
                return fail_write(context, write,
                                  "the rules hold too many combinations of verbs and resources to "
                                  "compare them with the rights of the user");
        if (holds_all(context, write->ns, &rights, &problem))
                return 0;
        asker_write(&context->user, &text);
        missing_write(context->arena, &rights, &text);
        if (*problem)
                buf_printf(&text, "; resolution errors: [%s]", problem + strlen("RBAC: "));
        fail_write(context, write, arena_string(context->arena, buf_view(&text)));
        buf_release(&text);
        return API_FAILED;
}

/* ---- roles ---- */

static bool has_aggregation(const struct json *rule) {
        return json_count(json_get(rule, "clusterRoleSelectors")) > 0;
}

static const struct json *member_json(struct api_context *context, const struct json_node *object,
                                      const char *member) {
        const struct json_node *value = node_get(object, member);
        struct buf text = { 0 };

        if (!value)
                return NULL;
        node_write(value, &text);
        const struct json *json = request_json(context, buf_view(&text));
        buf_release(&text);
        return json;
}

/* An aggregated role gathers any rights, so it takes all of them to write one. */
static int check_aggregation(struct api_context *context, const struct api_write *write) {
        static const char all[] =
                "[{\"apiGroups\":[\"*\"],\"resources\":[\"*\"],\"verbs\":[\"*\"]},"
                "{\"nonResourceURLs\":[\"*\"],\"verbs\":[\"*\"]}]";
        const char *problem;

        if (!has_aggregation(member_json(context, write->object, "aggregationRule")) &&
            !has_aggregation(json_get(write->old_json, "aggregationRule")))
                return 0;
        struct rights rights = rights_of(context->arena, request_json(context, SLICE_LITERAL(all)));
        if (holds_all(context, SLICE_EMPTY, &rights, &problem))
                return 0;
        return fail_write(context, write,
                          "must have cluster-admin privileges to use the aggregationRule");
}

static int check_role(struct api_context *context, const struct api_write *write) {
        struct access_question question = {
                .user = context->user.name,
                .groups = context->user.groups,
                .group_count = context->user.group_count,
                .verb = SLICE_LITERAL("escalate"),
                .ns = context->route.ns,
                .group = SLICE_LITERAL(RBAC_GROUP),
                .resource = slice_of(write->resource->kind->plural),
                .name = context->route.name,
        };

        if (access_allows(context->engine, &question, NULL))
                return 0;
        if (check_rules(context, write, member_json(context, write->object, "rules")) < 0)
                return API_FAILED;
        return check_aggregation(context, write);
}

/* ---- bindings ---- */

static int check_binding(struct api_context *context, const struct api_write *write) {
        const struct json_node *reference = node_get(write->object, "roleRef");
        struct slice kind = node_get_text(reference, "kind"),
                     name = node_get_text(reference, "name");
        bool is_cluster_role = slice_is(kind, "ClusterRole");
        struct access_question question = {
                .user = context->user.name,
                .groups = context->user.groups,
                .group_count = context->user.group_count,
                .verb = SLICE_LITERAL("bind"),
                .ns = write->ns,
                .group = node_get_text(reference, "apiGroup"),
                .resource =
                        is_cluster_role ? SLICE_LITERAL("clusterroles") : SLICE_LITERAL("roles"),
                .name = name,
        };
        const struct api_resource *resource;

        if (!is_cluster_role && !slice_is(kind, "Role"))
                return 0; /* validation refuses it */
        if (access_allows(context->engine, &question, NULL))
                return 0;
        resource = resource_find(&context->engine->resources, SLICE_LITERAL(RBAC_GROUP),
                                 SLICE_LITERAL("v1"), question.resource);
        const struct store_object *role =
                object_find(context, resource, is_cluster_role ? SLICE_EMPTY : write->ns, name);
        if (!role)
                return fail_not_found(context, resource, name);
        return check_rules(context, write, json_get(request_object_json(context, role), "rules"));
}

/* ---- writes ---- */

/* Only what the garbage collector writes: owners and finalizers. */
static bool is_only_housekeeping(const struct api_write *write) {
        static const char *const members[] = { "ownerReferences", "finalizers" };
        const struct json *old = json_get(write->old_json, "metadata");

        if (!write->old_json)
                return false;
        struct json_tree *tree = json_tree_new();
        struct json_node *copy = node_clone(tree, write->object);
        struct json_node *metadata = node_need_object(tree, copy, "metadata");

        for (size_t i = 0; i < ARRAY_LEN(members); i++) {
                node_remove(metadata, members[i]);
                if (json_get(old, members[i]))
                        node_put(tree, metadata, members[i],
                                 node_import(tree, json_get(old, members[i])));
        }
        bool is_same = is_same_object(copy, write->old_json);
        json_tree_free(tree);
        return is_same;
}

int check_escalation(struct api_context *context, struct api_write *write) {
        const struct kind_info *kind = write->resource->kind;

        if (strcmp(kind->group, RBAC_GROUP) != 0 || context->engine->is_bootstrapping ||
            is_master(context->user.groups, context->user.group_count) ||
            is_only_housekeeping(write))
                return 0;
        return strcmp(kind->plural, "roles") == 0 || strcmp(kind->plural, "clusterroles") == 0
                       ? check_role(context, write)
                       : check_binding(context, write);
}
