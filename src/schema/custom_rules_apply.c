/* Objects are walked along the tree of their rules, together with what is stored. Errors read as
 * upstream's. */
#include "schema/custom_rules.h"

#include "base/map.h"
#include "base/util.h"
#include "schema/custom_rules_priv.h"
#include "schema/go_text.h"
#include "schema/list_key.h"
#include <stdio.h>

#define MESSAGE_MAX ((size_t)5 * 1024)

struct application {
        struct field_errors *errors;
        int64_t *steps;  /* left */
        bool is_over;    /* nothing further is run */
        bool is_lenient; /* what was wrong before and did not change may stay so */
};

/* One value of the object and what it was. */
struct custom_rules_apply_place {
        const char *path;
        const struct json_node *value, *old; /* old: NULL where there is no counterpart */
};

static struct slice rule_text(const struct rules_rule *rule) {
        struct slice message = slice_trim(json_get_text(rule->json, "message"));

        return message.len ? message : slice_trim(json_get_text(rule->json, "rule"));
}

/* Scalars are shown, objects and lists are not. */
static const char *custom_rules_apply_shown(struct application *application,
                                            const struct json_node *value) {
        return node_type(value) == JSON_OBJECT || node_type(value) == JSON_ARRAY
                       ? NULL
                       : go_value_shown(application->errors->arena, value);
}

static const char *path_text(const char *path) {
        return *path ? path : "<nil>";
}

/* Failures of the rule itself name the type in the value's place. */
static void add_failure(struct application *application, const struct rules_level *level,
                        const struct custom_rules_apply_place *place, const char *detail) {
        field_error_add(
                application->errors, FIELD_INVALID, path_text(place->path),
                rules_quote(application->errors->arena, json_get_text(level->schema, "type")),
                detail);
}

/* The message that was computed, where there is one that will do. */
static const char *computed_message(struct application *application, const struct rules_rule *rule,
                                    const struct custom_rules_apply_place *place) {
        struct cel_input input = { place->value, place->old, application->errors->arena,
                                   application->steps };
        const char *text;

        if (!rule->message || cel_evaluate(rule->message, &input, &text) != CEL_TEXT)
                return NULL;
        struct slice trimmed = slice_trim(slice_of(text));
        if (trimmed.len == 0 || trimmed.len > MESSAGE_MAX || rules_has_newline(trimmed))
                return NULL;
        return arena_string(application->errors->arena, trimmed);
}

static void add_violation(struct application *application, const struct rules_rule *rule,
                          const struct custom_rules_apply_place *place) {
        struct arena *arena = application->errors->arena;
        struct slice reason = json_get_text(rule->json, "reason");
        const char *detail = computed_message(application, rule, place), *path = place->path;

        if (!detail && json_get_text(rule->json, "message").len)
                detail = arena_string(arena, rule_text(rule));
        if (!detail)
                detail = arena_printf(arena, "failed rule: " SLICE_FMT, SLICE_ARG(rule_text(rule)));
        if (rule->field)
                path = arena_printf(arena, "%s%s%s", path, *path ? "." : "", rule->field);
        path = path_text(path);
        if (slice_is(reason, "FieldValueRequired"))
                field_error_add(application->errors, FIELD_REQUIRED, path, NULL, detail);
        else if (slice_is(reason, "FieldValueForbidden"))
                field_error_add(application->errors, FIELD_FORBIDDEN, path, NULL, detail);
        else if (slice_is(reason, "FieldValueDuplicate"))
                field_error_add(application->errors, FIELD_DUPLICATE, path,
                                custom_rules_apply_shown(application, place->value), NULL);
        else
                field_error_add(application->errors, FIELD_INVALID, path,
                                custom_rules_apply_shown(application, place->value), detail);
}

static void add_error(struct application *application, const struct rules_level *level,
                      const struct rules_rule *rule, const struct custom_rules_apply_place *place,
                      const char *why) {
        bool is_overload = strncmp(why, "no such overload", 16) == 0;
        struct arena *arena = application->errors->arena;
        struct slice text = rule_text(rule);

        if (is_overload)
                add_failure(application, level, place,
                            arena_printf(arena,
                                         "'%s': call arguments did not match a supported operator, "
                                         "function or macro signature for rule: " SLICE_FMT,
                                         why, SLICE_ARG(text)));
        else
                add_failure(application, level, place,
                            arena_printf(arena, "%s evaluating rule: " SLICE_FMT, why,
                                         SLICE_ARG(text)));
}

static void add_over_budget(struct application *application, const struct rules_level *level,
                            const struct rules_rule *rule,
                            const struct custom_rules_apply_place *place) {
        application->is_over = true;
        if (*application->steps <= 0) {
                add_failure(application, level, place,
                            "validation failed due to running out of cost budget, no further "
                            "validation rules will be run");
                return;
        }
        add_failure(application, level, place,
                    arena_printf(application->errors->arena,
                                 "'operation cancelled: actual cost limit exceeded': no further "
                                 "validation rules will be run due to call cost exceeds limit for "
                                 "rule: " SLICE_FMT,
                                 SLICE_ARG(rule_text(rule))));
}

static void apply_rule(struct application *application, const struct rules_level *level,
                       const struct rules_rule *rule,
                       const struct custom_rules_apply_place *place) {
        bool uses_old = rule->program && cel_program_uses_old(rule->program);
        struct cel_input input = { place->value, place->old, application->errors->arena,
                                   application->steps };
        const char *why;

        if (rule->problem)
                add_failure(application, level, place,
                            arena_printf(application->errors->arena, "rule compile error: %s",
                                         rule->problem));
        if (!rule->program || (uses_old && !place->old && !rule->is_old_optional))
                return;
        switch (cel_evaluate(rule->program, &input, &why)) {
        case CEL_FALSE:
                if (uses_old || !application->is_lenient || !place->old ||
                    !node_equal(place->value, place->old))
                        add_violation(application, rule, place);
                break;
        case CEL_FAILED:
                add_error(application, level, rule, place, why);
                break;
        case CEL_OVER_BUDGET:
                add_over_budget(application, level, rule, place);
                break;
        default:
                break;
        }
}

static void apply_level(struct application *application, const struct rules_level *level,
                        const struct custom_rules_apply_place *place);

static void apply_properties(struct application *application, const struct rules_level *level,
                             const struct custom_rules_apply_place *place) {
        char here[RULES_PATH_BYTES];

        for (const struct rules_level *child = level->properties; child; child = child->next) {
                struct custom_rules_apply_place inner = { here,
                                                          node_find(place->value, child->name),
                                                          node_find(place->old, child->name) };

                snprintf(here, sizeof(here), "%s%s" SLICE_FMT, place->path, *place->path ? "." : "",
                         SLICE_ARG(child->name));
                if (inner.value)
                        apply_level(application, child, &inner);
        }
}

static void apply_elements(struct application *application, const struct rules_level *level,
                           const struct custom_rules_apply_place *place) {
        struct node_iter iter = node_iter(place->value);
        bool is_map = node_type(place->value) == JSON_OBJECT;
        struct map *elements = is_map ? NULL : list_elements_by_key(level->schema, place->old);
        struct json_node *element;
        char here[RULES_PATH_BYTES];
        struct slice key;

        for (size_t i = 0; node_next(&iter, &key, &element); i++) {
                struct custom_rules_apply_place inner = { here, element, NULL };

                if (is_map)
                        snprintf(here, sizeof(here), "%s[" SLICE_FMT "]", place->path,
                                 SLICE_ARG(key));
                else
                        snprintf(here, sizeof(here), "%s[%zu]", place->path, i);
                inner.old = is_map ? node_find(place->old, key)
                                   : list_element_like(elements, level->schema, element);
                apply_level(application, level->elements, &inner);
        }
        map_free(elements);
}

static void apply_level(struct application *application, const struct rules_level *level,
                        const struct custom_rules_apply_place *place) {
        enum json_type type = node_type(place->value);

        if (type == JSON_NULL)
                return;
        if (!level->type && json_count(json_get(level->schema, RULES_MEMBER)))
                add_failure(application, level, place,
                            "rule compiler initialization error: failed to convert to declType for "
                            "CEL validation rules");
        for (size_t i = 0; i < level->rule_count && !application->is_over; i++)
                apply_rule(application, level, &level->rules[i], place);
        if (type == JSON_OBJECT)
                apply_properties(application, level, place);
        if (level->elements && (type == JSON_OBJECT || type == JSON_ARRAY))
                apply_elements(application, level, place);
}

/* Rules need the types that the schema promises. */
static bool is_blocked(struct field_errors *errors) {
        if (errors->more)
                return true;
        for (size_t i = 0; i < errors->count; i++) {
                enum field_error_kind kind = errors->items[i].kind;

                if (kind != FIELD_NOT_SUPPORTED && kind != FIELD_REQUIRED &&
                    kind != FIELD_TOO_LONG && kind != FIELD_TOO_MANY && kind != FIELD_TYPE_INVALID)
                        continue;
                field_error_add(errors, FIELD_INVALID, "<nil>", "null",
                                "some validation rules were not checked because the object was "
                                "invalid; correct the existing errors to complete validation");
                return true;
        }
        return false;
}

/* A stored object does not say what it is; rules about all of it compare that too. */
static const struct json_node *old_object(struct json_tree *tree, const struct json_node *object,
                                          const struct json *old) {
        static const char *const members[] = { "apiVersion", "kind" };

        if (!old)
                return NULL;
        struct json_node *node = node_import(tree, old);
        for (size_t i = 0; i < ARRAY_LEN(members); i++)
                node_put_text(tree, node, members[i], node_get_text(object, members[i]));
        return node;
}

void custom_rules_apply_at(const struct custom_rules *rules, const char *path,
                           const struct json_node *value, const struct json_node *old,
                           int64_t *budget, struct field_errors *errors) {
        struct application application = { .errors = errors, .steps = budget };
        struct custom_rules_apply_place root = { path, value, old };

        apply_level(&application, rules->root, &root);
}

void custom_rules_apply(const struct custom_rules *rules, const struct json_node *object,
                        const struct json *old, struct field_errors *errors) {
        CLEANUP(cleanup_json_tree) struct json_tree *tree = json_tree_new();
        int64_t budget = CUSTOM_RULES_BUDGET;
        struct application application = { .errors = errors, .steps = &budget, .is_lenient = true };
        struct custom_rules_apply_place root = { "", object, old_object(tree, object, old) };

        if (!is_blocked(errors))
                apply_level(&application, rules->root, &root);
}
