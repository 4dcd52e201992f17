/* Validation rules of custom resources. The schema's rules become a tree of levels that mirrors it,
 * without the parts that have none. */
#include "schema/custom_rules.h"

#include "base/go_quote.h"
#include "base/util.h"
#include "schema/custom_rules_priv.h"
#include "schema/schema_path.h"
#include <stdlib.h>

const struct json *rules_element_schema(const struct json *schema) {
        const struct json *others = json_get(schema, "additionalProperties");

        return json_type(others) == JSON_OBJECT ? others : json_get(schema, "items");
}

bool rules_below(const struct json *schema) {
        struct json_iter iter = json_iter(json_get(schema, "properties"));
        const struct json *property;

        if (!schema)
                return false;
        if (json_count(json_get(schema, RULES_MEMBER)))
                return true;
        while (json_next(&iter, NULL, &property)) {
                if (rules_below(property))
                        return true;
        }
        return rules_below(rules_element_schema(schema));
}

bool rules_has_newline(struct slice text) {
        return memchr(text.ptr ? text.ptr : "", '\n', text.len);
}

int rules_compile(struct arena *arena, const struct json *rule, const struct cel_type *type,
                  struct cel_program **ret_program, struct err *err) {
        const struct cel_options options = {
                .self = type, .is_old_optional = json_get_bool(rule, "optionalOldSelf", false)
        };

        return cel_compile(arena, json_get_text(rule, "rule"), &options, ret_program, err);
}

int rules_compile_message(struct arena *arena, const struct json *rule, const struct cel_type *type,
                          struct cel_program **ret_program, struct err *err) {
        const struct cel_options options = { .self = type,
                                             .is_old_optional =
                                                     json_get_bool(rule, "optionalOldSelf", false),
                                             .wants = CEL_WANTS_STRING };

        return cel_compile(arena, json_get_text(rule, "messageExpression"), &options, ret_program,
                           err);
}

const char *rules_quote(struct arena *arena, struct slice text) {
        return go_quoted(arena, text);
}

const char *rules_problem(struct arena *arena, const struct err *err, bool is_message) {
        bool has_place = strncmp(err->text, "ERROR: ", 7) == 0;

        return arena_printf(arena, "%s%s%s", has_place && is_message ? "messageExpression " : "",
                            has_place ? "compilation failed: " : "", err->text);
}

/* Where its complaints belong, below the value, as upstream prints it. */
static const char *field_of(struct arena *arena, const struct json *schema,
                            const struct json *rule) {
        struct slice path = json_get_text(rule, "fieldPath");
        CLEANUP(buf_release) struct buf text = { 0 };
        const char *problem;

        if (path.len == 0 || !schema_path_find(schema, path, true, arena, &text, &problem))
                return NULL;
        return arena_string(arena, buf_view(&text));
}

static void make_rule(struct arena *arena, const struct rules_level *level, const struct json *json,
                      struct rules_rule *rule) {
        struct err err = { 0 };

        *rule = (struct rules_rule){ .json = json,
                                     .field = field_of(arena, level->schema, json),
                                     .is_old_optional =
                                             json_get_bool(json, "optionalOldSelf", false) };
        if (slice_trim(json_get_text(json, "rule")).len == 0)
                return;
        if (rules_compile(arena, json, level->type, &rule->program, &err) < 0)
                rule->problem = rules_problem(arena, &err, false);
        else if (json_get_text(json, "messageExpression").len)
                (void)rules_compile_message(arena, json, level->type, &rule->message, NULL);
}

static void make_rules(struct arena *arena, struct rules_level *level) {
        const struct json *list = json_get(level->schema, RULES_MEMBER);
        struct json_iter iter = json_iter(list);
        const struct json *json;

        level->rules = ARENA_ARRAY(arena, struct rules_rule, json_count(list));
        while (level->type && json_next(&iter, NULL, &json))
                make_rule(arena, level, json, &level->rules[level->rule_count++]);
}

static struct rules_level *level_new(struct arena *arena, const struct json *schema,
                                     const struct cel_type *type) {
        struct json_iter iter = json_iter(json_get(schema, "properties"));
        const struct json *property;
        struct rules_level *level = ARENA_NEW(arena, struct rules_level);
        struct slice name;

        level->schema = schema;
        level->type = type;
        make_rules(arena, level);
        while (json_next(&iter, &name, &property)) {
                const struct cel_type *inner = cel_type_member(type, name);

                if (!rules_below(property))
                        continue;
                if (!inner && !cel_name_is_usable(name))
                        inner = cel_type_of_schema(arena, property, false);
                if (!inner) /* what has no type is left out with all below it */
                        continue;
                struct rules_level *child = level_new(arena, property, inner);
                child->name = arena_slice(arena, name);
                child->next = level->properties;
                level->properties = child;
        }
        if (rules_below(rules_element_schema(schema)))
                level->elements =
                        level_new(arena, rules_element_schema(schema), cel_type_items(type));
        return level;
}

struct custom_rules *custom_rules_new(const struct json *schema, bool is_resource) {
        struct custom_rules *rules;

        if (!rules_below(schema))
                return NULL;
        rules = xcalloc(1, sizeof(*rules));
        arena_init(&rules->arena, 0);
        rules->root = level_new(&rules->arena, schema,
                                cel_type_of_schema(&rules->arena, schema, is_resource));
        return rules;
}

static void level_release(struct rules_level *level) {
        for (size_t i = 0; i < level->rule_count; i++) {
                cel_program_release(level->rules[i].program);
                cel_program_release(level->rules[i].message);
        }
        for (struct rules_level *child = level->properties; child; child = child->next)
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
