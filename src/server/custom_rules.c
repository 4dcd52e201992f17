/* Validation rules of custom resources. The schema's rules become a tree of levels that mirrors it,
 * without the parts that have none; objects are walked along that tree, together with what is
 * stored. Errors read as upstream's. */
#include "server/custom_rules.h"

#include "base/arena.h"
#include "base/util.h"
#include "server/cel/cel.h"
#include <stdio.h>
#include <stdlib.h>

#define VALIDATIONS "x-kubernetes-validations"
#define PATH_BYTES 512
#define MESSAGE_MAX 2048
#define STEPS_PER_OBJECT 10000000 /* of all rules together */

struct rule {
        const struct json *json; /* the rule as written */
        struct cel_program *program, *message;
        bool is_old_optional;
};

struct level {
        const struct json *schema;
        const struct cel_type *type;
        struct rule *rules;
        size_t rule_count;
        struct slice name;               /* as a property */
        struct level *properties, *next; /* a list of those with rules below them */
        struct level *elements;          /* of lists and maps */
};

struct custom_rules {
        struct arena arena;
        struct level *root;
};

/* ---- schemas ---- */

static const struct json *element_schema(const struct json *schema) {
        const struct json *others = json_get(schema, "additionalProperties");

        return json_type(others) == JSON_OBJECT ? others : json_get(schema, "items");
}

static bool has_rules(const struct json *schema) {
        struct json_iter iter = json_iter(json_get(schema, "properties"));
        const struct json *property;

        if (!schema)
                return false;
        if (json_count(json_get(schema, VALIDATIONS)))
                return true;
        while (json_next(&iter, NULL, &property)) {
                if (has_rules(property))
                        return true;
        }
        return has_rules(element_schema(schema));
}

static bool is_blank(struct slice text) {
        return slice_trim(text).len == 0;
}

static bool has_newline(struct slice text) {
        return memchr(text.ptr ? text.ptr : "", '\n', text.len);
}

static int compile(struct arena *arena, const struct json *rule, const struct cel_type *type,
                   struct cel_program **ret_program, struct err *err) {
        const struct cel_options options = {
                .self = type, .is_old_optional = json_get_bool(rule, "optionalOldSelf", false)
        };

        return cel_compile(arena, json_get_text(rule, "rule"), &options, ret_program, err);
}

static int compile_message(struct arena *arena, const struct json *rule,
                           const struct cel_type *type, struct cel_program **ret_program,
                           struct err *err) {
        const struct cel_options options = { .self = type,
                                             .is_old_optional =
                                                     json_get_bool(rule, "optionalOldSelf", false),
                                             .wants = CEL_WANTS_STRING };

        return cel_compile(arena, json_get_text(rule, "messageExpression"), &options, ret_program,
                           err);
}

/* ---- the definition ---- */

struct check {
        struct field_errors *errors;
        const char *uncorrelated; /* path of the list whose elements have no identity, or NULL */
};

static const char *quote(struct arena *arena, struct slice text) {
        struct buf out = { 0 };
        const char *copy;

        buf_json_string(&out, text);
        copy = arena_string(arena, buf_view(&out));
        buf_release(&out);
        return copy;
}

static void complain(struct check *check, enum field_error_kind kind, const char *path,
                     const char *member, const char *detail) {
        field_error_add(check->errors, kind,
                        arena_printf(check->errors->arena, "%s.%s", path, member), NULL, detail);
}

static void complain_text(struct check *check, const char *path, const char *member,
                          struct slice value, const char *detail) {
        field_error_add(check->errors, FIELD_INVALID,
                        arena_printf(check->errors->arena, "%s.%s", path, member),
                        quote(check->errors->arena, value), detail);
}

/* Takes .name or ['name'] off the front of a path; false when it begins otherwise. */
static bool take_step(struct slice *path, struct slice *ret_name) {
        bool is_dot = path->ptr[0] == '.';
        size_t start = is_dot ? 1 : 2, at = start;

        if (!is_dot && !slice_has_prefix(*path, SLICE_LITERAL("['")))
                return false;
        while (at < path->len && !strchr(is_dot ? ".[" : "'", path->ptr[at]))
                at++;
        *ret_name = slice_make(path->ptr + start, at - start);
        *path = slice_make(path->ptr + at, path->len - at);
        if (is_dot)
                return ret_name->len > 0;
        if (!slice_has_prefix(*path, SLICE_LITERAL("']")))
                return false;
        *path = slice_make(path->ptr + 2, path->len - 2);
        return ret_name->len > 0;
}

/* The schema at the end of .a.b['c'] from here; NULL when there is none. */
static const struct json *schema_at(const struct json *schema, struct slice path) {
        struct slice name;

        while (schema && path.len) {
                const struct json *properties = json_get(schema, "properties");

                if (!take_step(&path, &name))
                        return NULL;
                schema = properties ? json_get_slice(properties, name)
                                    : json_get(schema, "additionalProperties");
        }
        return json_type(schema) == JSON_OBJECT ? schema : NULL;
}

static void check_reason(struct check *check, const char *path, const struct json *rule) {
        static const char *const reasons[] = { "FieldValueDuplicate", "FieldValueForbidden",
                                               "FieldValueInvalid", "FieldValueRequired" };
        struct slice reason = json_get_text(rule, "reason");

        for (size_t i = 0; i < ARRAY_LEN(reasons); i++) {
                if (slice_is(reason, reasons[i]))
                        return;
        }
        if (json_get(rule, "reason"))
                field_error_add(check->errors, FIELD_NOT_SUPPORTED,
                                arena_printf(check->errors->arena, "%s.reason", path),
                                quote(check->errors->arena, reason),
                                "supported values: \"FieldValueDuplicate\", "
                                "\"FieldValueForbidden\", \"FieldValueInvalid\", "
                                "\"FieldValueRequired\"");
}

static void check_field_path(struct check *check, const char *path, const struct json *schema,
                             const struct json *rule) {
        struct slice field = json_get_text(rule, "fieldPath");

        if (field.len == 0)
                return;
        if (is_blank(field))
                complain_text(check, path, "fieldPath", field, "must be non-empty if specified");
        else if (has_newline(field))
                complain_text(check, path, "fieldPath", field, "must not contain line breaks");
        if (!schema_at(schema, field))
                complain_text(check, path, "fieldPath", field, "must be a valid path");
}

/* All but the expressions themselves; false when there is no expression to compile. */
static bool check_texts(struct check *check, const char *path, const struct json *schema,
                        const struct json *rule) {
        struct slice text = json_get_text(rule, "rule"), message = json_get_text(rule, "message");
        struct slice computed = json_get_text(rule, "messageExpression");
        size_t before = check->errors->count;

        if (is_blank(text))
                complain(check, FIELD_REQUIRED, path, "rule", "rule is not specified");
        else if (message.len && is_blank(message))
                complain_text(check, path, "message", message, "must be non-empty if specified");
        else if (has_newline(slice_trim(message)))
                complain_text(check, path, "message", message, "must not contain line breaks");
        else if (has_newline(slice_trim(text)) && is_blank(message))
                complain(check, FIELD_REQUIRED, path, "message",
                         "message must be specified if rule contains line breaks");
        if (computed.len && is_blank(computed))
                complain(check, FIELD_REQUIRED, path, "messageExpression",
                         "messageExpression must be non-empty if specified");
        check_reason(check, path, rule);
        check_field_path(check, path, schema, rule);
        return check->errors->count == before;
}

static void complain_compile(struct check *check, const char *path, const char *member,
                             const struct json *rule, const struct err *err) {
        bool has_place = strncmp(err->text, "ERROR: ", 7) == 0;
        struct buf value = { 0 };

        json_write(rule, &value);
        field_error_add(check->errors, FIELD_INVALID,
                        arena_printf(check->errors->arena, "%s.%s", path, member), value.data,
                        arena_printf(check->errors->arena, "%s%s",
                                     has_place ? "compilation failed: " : "", err->text));
        buf_release(&value);
}

static void check_old(struct check *check, const char *path, const struct json *rule,
                      const struct cel_program *program) {
        if (cel_program_uses_old(program) && check->uncorrelated)
                complain_text(check, path, "rule", json_get_text(rule, "rule"),
                              arena_printf(check->errors->arena,
                                           "oldSelf cannot be used on the uncorrelatable portion "
                                           "of the schema within %s",
                                           check->uncorrelated));
        if (!cel_program_uses_old(program) && json_get(rule, "optionalOldSelf"))
                field_error_add(check->errors, FIELD_INVALID,
                                arena_printf(check->errors->arena, "%s.optionalOldSelf", path),
                                json_is_true(json_get(rule, "optionalOldSelf")) ? "true" : "false",
                                "may not be set if oldSelf is not used in rule");
}

static void check_rule(struct check *check, const char *path, const struct json *schema,
                       const struct json *rule, const struct cel_type *type) {
        struct arena *arena = check->errors->arena;
        struct cel_program *program = NULL, *message = NULL;
        struct err err = { 0 };

        if (!check_texts(check, path, schema, rule))
                return;
        if (!type) {
                complain(check, FIELD_INVALID, path, "rule",
                         "rule declared on schema that does not support validation rules");
                return;
        }
        if (compile(arena, rule, type, &program, &err) < 0)
                complain_compile(check, path, "rule", rule, &err);
        else
                check_old(check, path, rule, program);
        if (json_get_text(rule, "messageExpression").len &&
            compile_message(arena, rule, type, &message, &err) < 0)
                complain_compile(check, path, "messageExpression", rule, &err);
        cel_program_release(program);
        cel_program_release(message);
}

/* Elements of lists can be told from each other where the list says by what. */
static void check_tree(struct check *check, const char *path, const struct json *schema,
                       const struct cel_type *type);

static void check_elements(struct check *check, const char *path, const struct json *schema,
                           const struct cel_type *type) {
        const struct json *items = json_get(schema, "items");
        const struct json *inner = element_schema(schema);
        const char *before = check->uncorrelated;
        char here[PATH_BYTES];

        if (!has_rules(inner))
                return;
        snprintf(here, sizeof(here), "%s.%s", path,
                 inner == items ? "items" : "additionalProperties");
        if (inner == items && !before &&
            !slice_is(json_get_text(schema, "x-kubernetes-list-type"), "map"))
                check->uncorrelated = arena_string(check->errors->arena, slice_of(path));
        check_tree(check, here, inner, type);
        check->uncorrelated = before;
}

static void check_tree(struct check *check, const char *path, const struct json *schema,
                       const struct cel_type *type) {
        struct json_iter rules = json_iter(json_get(schema, VALIDATIONS));
        struct json_iter properties = json_iter(json_get(schema, "properties"));
        const struct json *rule, *property;
        char here[PATH_BYTES];
        struct slice name;

        for (size_t i = 0; json_next(&rules, NULL, &rule); i++) {
                snprintf(here, sizeof(here), "%s." VALIDATIONS "[%zu]", path, i);
                check_rule(check, here, schema, rule, type);
        }
        while (json_next(&properties, &name, &property)) {
                if (!has_rules(property))
                        continue;
                snprintf(here, sizeof(here), "%s.properties[" SLICE_FMT "]", path, SLICE_ARG(name));
                check_tree(check, here, property, cel_type_member(type, name));
        }
        check_elements(check, path, schema, cel_type_items(type));
}

void custom_rules_check(const struct json *schema, const char *path, struct field_errors *errors) {
        struct check check = { .errors = errors };

        if (has_rules(schema))
                check_tree(&check, path, schema, cel_type_of_schema(errors->arena, schema, true));
}

/* ---- making ---- */

/* Rules that do not compile were refused with their definition; one that got in another way, or
 * that needs what is not implemented, is left out. */
static void make_rules(struct arena *arena, struct level *level) {
        const struct json *list = json_get(level->schema, VALIDATIONS);
        struct json_iter iter = json_iter(list);
        const struct json *json;

        level->rules = ARENA_ARRAY(arena, struct rule, json_count(list));
        while (level->type && json_next(&iter, NULL, &json)) {
                struct rule *rule = &level->rules[level->rule_count];

                *rule = (struct rule){ .json = json,
                                       .is_old_optional =
                                               json_get_bool(json, "optionalOldSelf", false) };
                if (compile(arena, json, level->type, &rule->program, NULL) < 0)
                        continue;
                if (cel_program_unsupported(rule->program)) {
                        cel_program_release(rule->program);
                        continue;
                }
                if (json_get_text(json, "messageExpression").len)
                        (void)compile_message(arena, json, level->type, &rule->message, NULL);
                level->rule_count++;
        }
}

static struct level *level_new(struct arena *arena, const struct json *schema,
                               const struct cel_type *type) {
        struct json_iter iter = json_iter(json_get(schema, "properties"));
        const struct json *property;
        struct level *level = ARENA_NEW(arena, struct level);
        struct slice name;

        level->schema = schema;
        level->type = type;
        make_rules(arena, level);
        while (json_next(&iter, &name, &property)) {
                struct level *child;

                if (!has_rules(property))
                        continue;
                child = level_new(arena, property, cel_type_member(type, name));
                child->name = arena_slice(arena, name);
                child->next = level->properties;
                level->properties = child;
        }
        if (has_rules(element_schema(schema)))
                level->elements = level_new(arena, element_schema(schema), cel_type_items(type));
        return level;
}

struct custom_rules *custom_rules_new(const struct json *schema) {
        struct custom_rules *rules;

        if (!has_rules(schema))
                return NULL;
        rules = xcalloc(1, sizeof(*rules));
        arena_init(&rules->arena, 0);
        rules->root =
                level_new(&rules->arena, schema, cel_type_of_schema(&rules->arena, schema, true));
        return rules;
}

static void level_release(struct level *level) {
        for (size_t i = 0; i < level->rule_count; i++) {
                cel_program_release(level->rules[i].program);
                cel_program_release(level->rules[i].message);
        }
        for (struct level *child = level->properties; child; child = child->next)
                level_release(child);
        if (level->elements)
                level_release(level->elements);
}

void custom_rules_free(struct custom_rules *rules) {
        if (!rules)
                return;
        level_release(rules->root);
        arena_release(&rules->arena);
        free(rules);
}

/* ---- applying ---- */

struct application {
        struct field_errors *errors;
        int64_t steps; /* left */
        bool is_over;  /* nothing further is run */
};

/* One value of the object and what it was. */
struct place {
        const char *path;
        const struct json_node *value, *old; /* old: NULL where there is no counterpart */
};

static struct slice rule_text(const struct rule *rule) {
        struct slice message = slice_trim(json_get_text(rule->json, "message"));

        return message.len ? message : slice_trim(json_get_text(rule->json, "rule"));
}

/* Scalars are shown, objects and lists are not. */
static const char *shown(struct application *application, const struct json_node *value) {
        struct buf out = { 0 };
        const char *copy;

        if (node_type(value) == JSON_OBJECT || node_type(value) == JSON_ARRAY)
                return NULL;
        node_write(value, &out);
        copy = arena_string(application->errors->arena, buf_view(&out));
        buf_release(&out);
        return copy;
}

static const char *path_text(const char *path) {
        return *path ? path : "<nil>";
}

/* Failures of the rule itself name the type in the value's place. */
static void add_failure(struct application *application, const struct level *level,
                        const struct place *place, const char *detail) {
        field_error_add(application->errors, FIELD_INVALID, path_text(place->path),
                        quote(application->errors->arena, json_get_text(level->schema, "type")),
                        detail);
}

/* The message that was computed, where there is one that will do. */
static const char *computed_message(struct application *application, const struct rule *rule,
                                    const struct place *place) {
        struct cel_input input = { place->value, place->old, application->errors->arena,
                                   &application->steps };
        const char *text;
        struct slice trimmed;

        if (!rule->message || cel_program_unsupported(rule->message) ||
            cel_evaluate(rule->message, &input, &text) != CEL_TEXT)
                return NULL;
        trimmed = slice_trim(slice_of(text));
        if (trimmed.len == 0 || trimmed.len > MESSAGE_MAX || has_newline(trimmed))
                return NULL;
        return arena_string(application->errors->arena, trimmed);
}

static void add_violation(struct application *application, const struct rule *rule,
                          const struct place *place) {
        struct arena *arena = application->errors->arena;
        struct slice reason = json_get_text(rule->json, "reason");
        struct slice field = json_get_text(rule->json, "fieldPath");
        const char *detail = computed_message(application, rule, place), *path = place->path;

        if (!detail && json_get_text(rule->json, "message").len)
                detail = arena_string(arena, rule_text(rule));
        if (!detail)
                detail = arena_printf(arena, "failed rule: " SLICE_FMT, SLICE_ARG(rule_text(rule)));
        if (field.len && !*path && *field.ptr == '.') /* without a dot in front */
                field = slice_make(field.ptr + 1, field.len - 1);
        if (field.len)
                path = arena_printf(arena, "%s" SLICE_FMT, path, SLICE_ARG(field));
        path = path_text(path);
        if (slice_is(reason, "FieldValueRequired"))
                field_error_add(application->errors, FIELD_REQUIRED, path, NULL, detail);
        else if (slice_is(reason, "FieldValueForbidden"))
                field_error_add(application->errors, FIELD_FORBIDDEN, path, NULL, detail);
        else if (slice_is(reason, "FieldValueDuplicate"))
                field_error_add(application->errors, FIELD_DUPLICATE, path,
                                shown(application, place->value), NULL);
        else
                field_error_add(application->errors, FIELD_INVALID, path,
                                shown(application, place->value), detail);
}

static void add_error(struct application *application, const struct level *level,
                      const struct rule *rule, const struct place *place, const char *why) {
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

static void add_over_budget(struct application *application, const struct level *level,
                            const struct rule *rule, const struct place *place) {
        application->is_over = true;
        if (application->steps <= 0) {
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

static void apply_rule(struct application *application, const struct level *level,
                       const struct rule *rule, const struct place *place) {
        bool uses_old = cel_program_uses_old(rule->program);
        struct cel_input input = { place->value, place->old, application->errors->arena,
                                   &application->steps };
        const char *why;

        if (uses_old && !place->old && !rule->is_old_optional)
                return;
        switch (cel_evaluate(rule->program, &input, &why)) {
        case CEL_FALSE:
                /* What was wrong before and did not change may stay so. */
                if (uses_old || !place->old || !node_equal(place->value, place->old))
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

static void apply_level(struct application *application, const struct level *level,
                        const struct place *place);

static void apply_properties(struct application *application, const struct level *level,
                             const struct place *place) {
        char here[PATH_BYTES];

        for (const struct level *child = level->properties; child; child = child->next) {
                struct place inner = { here, node_find(place->value, child->name),
                                       node_find(place->old, child->name) };

                snprintf(here, sizeof(here), "%s%s" SLICE_FMT, place->path, *place->path ? "." : "",
                         SLICE_ARG(child->name));
                if (inner.value)
                        apply_level(application, child, &inner);
        }
}

/* The old element with the same keys; NULL when the list does not tell its elements apart. */
static const struct json_node *counterpart(const struct json *schema, const struct json_node *list,
                                           const struct json_node *element) {
        const struct json *keys = json_get(schema, "x-kubernetes-list-map-keys"), *key;
        struct node_iter iter = node_iter(list);
        struct json_node *candidate;

        if (!slice_is(json_get_text(schema, "x-kubernetes-list-type"), "map"))
                return NULL;
        while (node_next(&iter, NULL, &candidate)) {
                struct json_iter names = json_iter(keys);
                bool is_same = true;

                while (is_same && json_next(&names, NULL, &key))
                        is_same = node_equal(node_find(candidate, json_text(key)),
                                             node_find(element, json_text(key)));
                if (is_same)
                        return candidate;
        }
        return NULL;
}

static void apply_elements(struct application *application, const struct level *level,
                           const struct place *place) {
        struct node_iter iter = node_iter(place->value);
        bool is_map = node_type(place->value) == JSON_OBJECT;
        struct json_node *element;
        char here[PATH_BYTES];
        struct slice key;

        for (size_t i = 0; node_next(&iter, &key, &element); i++) {
                struct place inner = { here, element, NULL };

                if (is_map)
                        snprintf(here, sizeof(here), "%s[" SLICE_FMT "]", place->path,
                                 SLICE_ARG(key));
                else
                        snprintf(here, sizeof(here), "%s[%zu]", place->path, i);
                inner.old = is_map ? node_find(place->old, key)
                                   : counterpart(level->schema, place->old, element);
                apply_level(application, level->elements, &inner);
        }
}

static void apply_level(struct application *application, const struct level *level,
                        const struct place *place) {
        enum json_type type = node_type(place->value);

        if (type == JSON_NULL)
                return;
        for (size_t i = 0; i < level->rule_count && !application->is_over; i++)
                apply_rule(application, level, &level->rules[i], place);
        if (type == JSON_OBJECT)
                apply_properties(application, level, place);
        if (level->elements && (type == JSON_OBJECT || type == JSON_ARRAY))
                apply_elements(application, level, place);
}

/* Rules need the types that the schema promises. */
static bool is_blocked(struct field_errors *errors) {
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
        struct json_node *node;

        if (!old)
                return NULL;
        node = node_import(tree, old);
        for (size_t i = 0; i < ARRAY_LEN(members); i++)
                node_put_text(tree, node, members[i], node_get_text(object, members[i]));
        return node;
}

void custom_rules_apply(const struct custom_rules *rules, const struct json_node *object,
                        const struct json *old, struct field_errors *errors) {
        struct application application = { .errors = errors, .steps = STEPS_PER_OBJECT };
        CLEANUP(cleanup_json_tree) struct json_tree *tree = json_tree_new();
        struct place root = { "", object, old_object(tree, object, old) };

        if (!is_blocked(errors))
                apply_level(&application, rules->root, &root);
}
