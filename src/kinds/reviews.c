/* Answers to access, rules and token reviews. */
#include "kinds/reviews.h"

#include "base/arena.h"
#include "kinds/check.h"

/* ---- access ---- */

static void put_question(struct access_question *question, const struct json_node *spec) {
        const struct json_node *resource = node_get(spec, "resourceAttributes");
        const struct json_node *path = node_get(spec, "nonResourceAttributes");

        question->verb = node_get_text(resource ? resource : path, "verb");
        question->ns = node_get_text(resource, "namespace");
        question->group = node_get_text(resource, "group");
        question->resource = node_get_text(resource, "resource");
        question->subresource = node_get_text(resource, "subresource");
        question->name = node_get_text(resource, "name");
        question->path = node_get_text(path, "path");
}

static bool has_one_question(struct checker *checker, const struct json_node *spec) {
        bool has_resource = node_get(spec, "resourceAttributes");
        bool has_path = node_get(spec, "nonResourceAttributes");
        struct at at = at_root("spec");

        if (has_resource && has_path)
                report(checker, FIELD_INVALID, &at, "nonResourceAttributes",
                       node_json(checker, node_get(spec, "nonResourceAttributes")),
                       "cannot be specified in combination with resourceAttributes");
        if (!has_resource && !has_path)
                report(checker, FIELD_INVALID, &at, "resourceAttributes", "null",
                       "exactly one of nonResourceAttributes or resourceAttributes must be "
                       "specified");
        return has_resource != has_path;
}

static void reviews_answer(struct kind_context *context, struct json_tree *tree,
                           struct json_node *object, struct access_question *question) {
        struct json_node *spec = node_need_object(tree, object, "spec");
        struct json_node *status = node_object(tree);

        put_question(question, spec);
        node_put_bool(tree, status, "allowed", context->authorize(context->engine, question));
        node_put(tree, object, "status", status);
}

REVIEW_HOOK(self_access_review) {
        struct checker checker = { .errors = errors, .context = context };
        struct access_question question = {
                .user = context->user,
                .groups = context->groups,
                .group_count = context->group_count,
        };

        (void)err;
        if (has_one_question(&checker, node_need_object(tree, object, "spec")))
                reviews_answer(context, tree, object, &question);
        return 0;
}

static struct slice *group_names(struct kind_context *context, const struct json_node *groups) {
        size_t count = node_count(groups);
        struct slice *names = ARENA_ARRAY(context->scratch, struct slice, count + 1);

        for (size_t i = 0; i < count; i++)
                names[i] = node_get_slice(node_at(groups, i));
        return names;
}

REVIEW_HOOK(access_review) {
        struct checker checker = { .errors = errors, .context = context };
        struct json_node *spec = node_need_object(tree, object, "spec");
        const struct json_node *groups = node_get(spec, "groups");
        struct access_question question = {
                .user = node_get_text(spec, "user"),
                .groups = group_names(context, groups),
                .group_count = node_count(groups),
        };
        struct at at = at_root("spec");
        bool is_valid = has_one_question(&checker, spec);

        (void)err;
        if (question.user.len == 0 && question.group_count == 0)
                report_text(&checker, &at, "user", SLICE_EMPTY,
                            "at least one of user or group must be specified");
        else if (is_valid)
                reviews_answer(context, tree, object, &question);
        return 0;
}

REVIEW_HOOK(local_access_review) {
        struct checker checker = { .errors = errors, .context = context };
        const struct json_node *spec = node_get(object, "spec");
        struct slice ns = node_get_text(node_get(object, "metadata"), "namespace");
        struct slice asked = node_get_text(node_get(spec, "resourceAttributes"), "namespace");
        struct at at = at_root("spec"), attributes = at_member(&at, "resourceAttributes");

        if (!slice_eq(ns, asked)) {
                report_text(&checker, &attributes, "namespace", asked,
                            "must match metadata.namespace");
                return 0;
        }
        return access_review(context, tree, object, errors, err);
}

/* ---- rules ---- */

struct rule_walk {
        struct kind_context *context;
        struct json_tree *tree;
        struct json_node *resource_rules, *path_rules;
        struct slice ns; /* of the review */
};

static void add_rule(struct rule_walk *walk, const struct json *rule) {
        bool is_path = json_count(json_get(rule, "nonResourceURLs")) > 0;

        node_append(is_path ? walk->path_rules : walk->resource_rules,
                    node_import(walk->tree, rule));
}

static bool is_me(const struct kind_context *context, const struct json *subject) {
        struct slice kind = json_get_text(subject, "kind"), name = json_get_text(subject, "name");

        if (slice_is(kind, "User"))
                return slice_eq(name, context->user);
        if (slice_is(kind, "ServiceAccount")) {
                const char *account = arena_printf(
                        context->scratch, "system:serviceaccount:" SLICE_FMT ":" SLICE_FMT,
                        SLICE_ARG(json_get_text(subject, "namespace")), SLICE_ARG(name));

                return slice_is(context->user, account);
        }
        for (size_t i = 0; slice_is(kind, "Group") && i < context->group_count; i++)
                if (slice_eq(name, context->groups[i]))
                        return true;
        return false;
}

static bool visit_binding(void *walk_context, const struct json *binding) {
        struct rule_walk *walk = walk_context;
        struct kind_context *context = walk->context;
        const struct json *role = json_get(binding, "roleRef"), *subject, *rule;
        bool is_cluster_wide = slice_is(json_get_text(role, "kind"), "ClusterRole");
        struct json_iter subjects = json_iter(json_get(binding, "subjects")), rules;
        bool is_mine = false;

        while (!is_mine && json_next(&subjects, NULL, &subject))
                is_mine = is_me(context, subject);
        if (!is_mine)
                return true;
        role = context->lookup(context->engine, "rbac.authorization.k8s.io",
                               is_cluster_wide ? "clusterroles" : "roles",
                               is_cluster_wide ? SLICE_EMPTY : walk->ns,
                               json_get_text(role, "name"));
        rules = json_iter(json_get(role, "rules"));
        while (json_next(&rules, NULL, &rule))
                add_rule(walk, rule);
        return true;
}

REVIEW_HOOK(self_rules_review) {
        struct slice ns = node_get_text(node_get(object, "spec"), "namespace");
        struct json_node *status = node_object(tree);
        struct rule_walk walk = {
                .context = context,
                .tree = tree,
                .resource_rules = node_array(tree),
                .path_rules = node_array(tree),
                .ns = ns,
        };

        (void)errors;
        if (ns.len == 0)
                return err_set(err, BERTH_ERR_BAD_REQUEST, "no namespace on request");
        context->each(context->engine, "rbac.authorization.k8s.io", "clusterrolebindings",
                      SLICE_EMPTY, visit_binding, &walk);
        context->each(context->engine, "rbac.authorization.k8s.io", "rolebindings", ns,
                      visit_binding, &walk);
        node_put(tree, object, "spec", node_object(tree));
        node_put(tree, status, "resourceRules", walk.resource_rules);
        node_put(tree, status, "nonResourceRules", walk.path_rules);
        node_put_bool(tree, status, "incomplete", false);
        node_put(tree, object, "status", status);
        return 0;
}

/* ---- identity ---- */

static struct json_node *user_info(struct json_tree *tree, struct slice user,
                                   const struct slice *groups, size_t count) {
        struct json_node *info = node_object(tree), *list = node_array(tree);

        node_put_text(tree, info, "username", user);
        for (size_t i = 0; i < count; i++)
                node_append(list, node_text(tree, groups[i]));
        node_put(tree, info, "groups", list);
        return info;
}

REVIEW_HOOK(token_review) {
        struct slice token = node_get_text(node_get(object, "spec"), "token"), user;
        struct json_node *status = node_object(tree);
        const struct slice *groups;
        size_t count;

        (void)errors;
        if (token.len == 0)
                return err_set(err, BERTH_ERR_BAD_REQUEST,
                               "token is required for TokenReview in authentication");
        if (context->authenticate(context->engine, token, &user, &groups, &count)) {
                node_put_bool(tree, status, "authenticated", true);
                node_put(tree, status, "user", user_info(tree, user, groups, count));
        } else {
                node_put(tree, status, "user", node_object(tree));
                node_put_string(tree, status, "error", "invalid bearer token");
        }
        node_put(tree, object, "status", status);
        return 0;
}

REVIEW_HOOK(self_review) {
        struct json_node *status = node_object(tree);

        (void)errors, (void)err;
        node_put(tree, status, "userInfo",
                 user_info(tree, context->user, context->groups, context->group_count));
        node_put(tree, object, "status", status);
        return 0;
}
