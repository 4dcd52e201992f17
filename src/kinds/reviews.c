/* Answers to access, rules and token reviews. */
#include "kinds/reviews.h"

#include "base/arena.h"
#include "kinds/access_check.h"
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

static void reviews_answer(struct checker *checker, struct json_tree *tree,
                           struct json_node *object, struct access_question *question) {
        struct kind_context *context = checker->context;
        struct json_node *spec = node_need_object(tree, object, "spec");
        struct json_node *status = node_object(tree);
        const char *problems =
                access_selector_problems(checker, node_get(spec, "resourceAttributes"));
        const char *reason = "";

        put_question(question, spec);
        node_put_bool(tree, status, "allowed",
                      context->authorize(context->engine, question, &reason));
        if (*reason)
                node_put_string(tree, status, "reason", reason);
        if (*problems)
                node_put_string(tree, status, "evaluationError", problems);
        node_put(tree, object, "status", status);
}

REVIEW_HOOK(self_access_review) {
        struct checker checker = { .errors = errors, .context = context };
        struct access_question question = {
                .user = context->user.name,
                .groups = context->user.groups,
                .group_count = context->user.group_count,
        };

        (void)err;
        check_access_review(&checker, object, ACCESS_SELF);
        if (errors->count == 0)
                reviews_answer(&checker, tree, object, &question);
        return 0;
}

static struct slice *group_names(struct kind_context *context, const struct json_node *groups) {
        size_t count = node_count(groups);
        struct slice *names = ARENA_ARRAY(context->scratch, struct slice, count + 1);

        for (size_t i = 0; i < count; i++)
                names[i] = node_get_slice(node_at(groups, i));
        return names;
}

static void others_answer(struct checker *checker, struct json_tree *tree, struct json_node *object,
                          enum access_check_kind kind) {
        struct json_node *spec = node_need_object(tree, object, "spec");
        const struct json_node *groups = node_get(spec, "groups");
        struct access_question question = {
                .user = node_get_text(spec, "user"),
                .groups = group_names(checker->context, groups),
                .group_count = node_count(groups),
        };

        check_access_review(checker, object, kind);
        if (checker->errors->count == 0)
                reviews_answer(checker, tree, object, &question);
}

REVIEW_HOOK(access_review) {
        struct checker checker = { .errors = errors, .context = context };

        (void)err;
        others_answer(&checker, tree, object, ACCESS_OF_OTHERS);
        return 0;
}

REVIEW_HOOK(local_access_review) {
        struct checker checker = { .errors = errors, .context = context };

        (void)err;
        others_answer(&checker, tree, object, ACCESS_LOCAL);
        return 0;
}

/* ---- rules ---- */

struct rules_answer {
        struct json_tree *tree;
        struct json_node *resource_rules, *path_rules;
};

static struct json_node *take_lists(struct json_tree *tree, const struct json *rule,
                                    const char *const *members) {
        struct json_node *copy = node_object(tree);

        for (size_t i = 0; members[i]; i++) {
                if (json_count(json_get(rule, members[i])))
                        node_put(tree, copy, members[i],
                                 node_import(tree, json_get(rule, members[i])));
        }
        return copy;
}

static void visit_rule(void *context, const struct json *rule) {
        static const char *const of_resources[] = { "verbs", "apiGroups", "resources",
                                                    "resourceNames", NULL };
        static const char *const of_paths[] = { "verbs", "nonResourceURLs", NULL };
        struct rules_answer *answer = context;

        if (json_count(json_get(rule, "resources")))
                node_append(answer->resource_rules, take_lists(answer->tree, rule, of_resources));
        if (json_count(json_get(rule, "nonResourceURLs")))
                node_append(answer->path_rules, take_lists(answer->tree, rule, of_paths));
}

REVIEW_HOOK(self_rules_review) {
        struct slice ns = node_get_text(node_get(object, "spec"), "namespace");
        struct json_node *status = node_object(tree);
        struct rules_answer answer = {
                .tree = tree,
                .resource_rules = node_array(tree),
                .path_rules = node_array(tree),
        };

        (void)errors;
        if (ns.len == 0)
                return err_set(err, BERTH_ERR_BAD_REQUEST, "no namespace on request");
        const char *missing =
                context->each_rule(context->engine, &context->user, ns, visit_rule, &answer);
        /* The answer is an object of its own. */
        node_put(tree, object, "metadata", node_object(tree));
        node_put(tree, object, "spec", node_object(tree));
        node_put(tree, status, "resourceRules", answer.resource_rules);
        node_put(tree, status, "nonResourceRules", answer.path_rules);
        node_put_bool(tree, status, "incomplete", false);
        if (*missing)
                node_put_string(tree, status, "evaluationError", missing);
        node_put(tree, object, "status", status);
        return 0;
}

/* ---- identity ---- */

static struct json_node *user_node(struct json_tree *tree, const struct user_info *user) {
        struct json_node *info = node_object(tree), *list = node_array(tree), *values = NULL;
        struct json_node *extras = node_object(tree);

        node_put_text(tree, info, "username", user->name);
        if (user->uid.len)
                node_put_text(tree, info, "uid", user->uid);
        for (size_t i = 0; i < user->group_count; i++)
                node_append(list, node_text(tree, user->groups[i]));
        node_put(tree, info, "groups", list);
        for (size_t i = 0; i < user->extra_count; i++) {
                const struct user_extra *extra = &user->extras[i];

                if (i == 0 || !slice_eq(extra->key, extra[-1].key)) {
                        values = node_array(tree);
                        node_set(tree, extras, extra->key, values);
                }
                node_append(values, node_text(tree, extra->value));
        }
        if (user->extra_count)
                node_put(tree, info, "extra", extras);
        return info;
}

REVIEW_HOOK(token_review) {
        struct slice token = node_get_text(node_get(object, "spec"), "token");
        struct json_node *status = node_object(tree);
        struct user_info user = { 0 };

        (void)errors;
        if (token.len == 0)
                return err_set(err, BERTH_ERR_BAD_REQUEST,
                               "token is required for TokenReview in authentication");
        if (context->authenticate(context->engine, token, &user)) {
                node_put_bool(tree, status, "authenticated", true);
                node_put(tree, status, "user", user_node(tree, &user));
        } else {
                node_put(tree, status, "user", node_object(tree));
                node_put_string(tree, status, "error", "invalid bearer token");
        }
        node_put(tree, object, "status", status);
        return 0;
}

/* The answer is an object of its own. */
REVIEW_HOOK(self_review) {
        struct json_node *status = node_object(tree), *metadata = node_object(tree);
        char now[WALL_TIME_TEXT_MAX];

        (void)errors, (void)err;
        wall_time_format(context->now, now);
        node_put_string(tree, metadata, "creationTimestamp", now);
        node_put(tree, object, "metadata", metadata);
        node_put(tree, status, "userInfo", user_node(tree, &context->user));
        node_put(tree, object, "status", status);
        return 0;
}
