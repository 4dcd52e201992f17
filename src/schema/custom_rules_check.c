/* Whether the rules of a definition are well written. Errors read as upstream's. */
#include "schema/custom_rules.h"

#include "base/util.h"
#include "cel/cel_estimate.h"
#include "schema/custom_rules_priv.h"
#include <stdio.h>

/* The dearest rules of a schema. */
#define EXPENSIVE_MAX 4
struct rules_cost {
        uint64_t total;
        struct {
                const char *path;
                uint64_t cost;
        } expensive[EXPENSIVE_MAX];
        size_t count;
};

struct rules_check {
        struct field_errors *errors;
        bool is_unchanged; /* the schema, by an update: no rule is too dear */
        bool is_unbounded; /* there may be any number of the values looked at */
        uint64_t cardinality;
        struct rules_cost cost;
        const char *uncorrelated; /* path of the list whose elements have no identity, or NULL */
        size_t first, last;       /* errors of the schema */
};

static void complain_text(struct rules_check *check, const char *path, const char *member,
                          struct slice value, const char *detail) {
        field_error_add(check->errors, FIELD_INVALID,
                        arena_printf(check->errors->arena, "%s.%s", path, member),
                        rules_quote(check->errors->arena, value), detail);
}

/* As Go writes JSON: without what looks like markup. */
static void go_json_write(const struct json *value, struct buf *out) {
        CLEANUP(buf_release) struct buf text = { 0 };

        json_write(value, &text);
        for (size_t i = 0; i < text.len; i++)
                if (strchr("<>&", text.data[i]))
                        buf_printf(out, "\\u%04x", (unsigned char)text.data[i]);
                else
                        buf_char(out, text.data[i]);
}

/* A rule as upstream's own type prints it. */
static void rule_text(const struct json *rule, struct buf *out) {
        static const struct {
                const char *name, *member, *fallback;
        } members[] = { { "Rule", "rule", "\"\"" },
                        { "Message", "message", "\"\"" },
                        { "MessageExpression", "messageExpression", "\"\"" },
                        { "Reason", "reason", "null" },
                        { "FieldPath", "fieldPath", "\"\"" },
                        { "OptionalOldSelf", "optionalOldSelf", "null" } };

        for (size_t i = 0; i < ARRAY_LEN(members); i++) {
                const struct json *value = json_get(rule, members[i].member);

                buf_printf(out, "%s\"%s\":", i ? "," : "{", members[i].name);
                if (value)
                        go_json_write(value, out);
                else
                        buf_text(out, members[i].fallback);
        }
        buf_char(out, '}');
}

static void complain_compile(struct rules_check *check, const char *path, const char *member,
                             const struct json *rule, const char *problem) {
        struct buf value = { 0 };

        rule_text(rule, &value);
        field_error_add(check->errors, FIELD_INVALID,
                        arena_printf(check->errors->arena, "%s.%s", path, member), value.data,
                        problem);
        buf_release(&value);
}

/* A rule that does not compile (NULL) uses nothing. */
static void check_old(struct rules_check *check, const char *path, const struct json *rule,
                      const struct cel_program *program) {
        bool uses_old = program && cel_program_uses_old(program);

        if (uses_old && check->uncorrelated)
                complain_text(check, path, "rule", json_get_text(rule, "rule"),
                              arena_printf(check->errors->arena,
                                           "oldSelf cannot be used on the uncorrelatable portion "
                                           "of the schema within %s",
                                           check->uncorrelated));
        if (!uses_old && json_get(rule, "optionalOldSelf"))
                field_error_add(check->errors, FIELD_INVALID,
                                arena_printf(check->errors->arena, "%s.optionalOldSelf", path),
                                json_is_true(json_get(rule, "optionalOldSelf")) ? "true" : "false",
                                "may not be set if oldSelf is not used in rule");
}

/* ---- costs ---- */

#define RULE_COST_MAX 10000000U
#define SCHEMA_COST_MAX 100000000U

static uint64_t guarded_product(uint64_t a, uint64_t b) {
        return a && UINT64_MAX / a < b ? UINT64_MAX : a * b;
}

static void complain_cost(struct rules_check *check, const char *path, const char *what,
                          uint64_t cost, uint64_t max) {
        double factor = (double)cost / (double)max;
        const char *text = "more than 100x";

        if (factor <= 100)
                text = arena_printf(check->errors->arena, factor < 1.5 ? "%fx" : "%.1fx", factor);
        field_error_add(check->errors, FIELD_FORBIDDEN, path, NULL,
                        arena_printf(check->errors->arena,
                                     "%s exceeds budget by factor of %s (try simplifying the rule, "
                                     "or adding maxItems, maxProperties, and maxLength where "
                                     "arrays, maps, and strings are declared)",
                                     what, text));
}

/* Counts the cost of one expression, and keeps it if it is among the highest. */
static void note_cost(struct rules_check *check, const char *path, const char *member,
                      const char *what, uint64_t cost) {
        struct rules_cost *all = &check->cost;
        const char *place = arena_printf(check->errors->arena, "%s.%s", path, member);
        size_t at = all->count;

        if (cost > RULE_COST_MAX && !check->is_unchanged)
                complain_cost(check, place, what, cost, RULE_COST_MAX);
        all->total = all->total > UINT64_MAX - cost ? UINT64_MAX : all->total + cost;
        while (at > 0 && all->expensive[at - 1].cost < cost)
                at--;
        if (cost < SCHEMA_COST_MAX / 100 || at == EXPENSIVE_MAX)
                return;
        all->count += all->count < EXPENSIVE_MAX;
        for (size_t i = all->count - 1; i > at; i--)
                all->expensive[i] = all->expensive[i - 1];
        all->expensive[at].path = place;
        all->expensive[at].cost = cost;
}

static void check_total(struct rules_check *check, const char *path) {
        const struct rules_cost *all = &check->cost;

        if (all->total <= SCHEMA_COST_MAX)
                return;
        for (size_t i = 0; i < all->count; i++)
                field_error_add(check->errors, FIELD_FORBIDDEN, all->expensive[i].path, NULL,
                                "contributed to estimated rule cost total exceeding cost limit for "
                                "entire OpenAPIv3 schema");
        complain_cost(check, path,
                      "x-kubernetes-validations estimated rule cost total for entire OpenAPIv3 "
                      "schema",
                      all->total, SCHEMA_COST_MAX);
}

/* ---- rules ---- */

#define NO_TYPE                                                                                    \
        "internal error: failed to construct type information for x-kubernetes-validations "       \
        "rules: "                                                                                  \
        "unable to convert structural schema to CEL declarations"

static void check_message(struct rules_check *check, const char *path, const struct json *rule,
                          const struct cel_type *type) {
        struct cel_program *message = NULL;
        struct err err = { 0 };

        if (json_get_text(rule, "messageExpression").len == 0)
                return;
        if (rules_compile_message(check->errors->arena, rule, type, &message, &err) < 0)
                complain_compile(check, path, "messageExpression", rule,
                                 rules_problem(check->errors->arena, &err, true));
        else
                note_cost(check, path, "messageExpression", "estimated messageExpression cost",
                          cel_estimate(message));
        cel_program_release(message);
}

/* A message is looked at where its rule compiles. */
static void check_rule(struct rules_check *check, const char *path, const struct json *rule,
                       const struct cel_type *type) {
        struct cel_program *program = NULL;
        struct err err = { 0 };

        if (rules_compile(check->errors->arena, rule, type, &program, &err) < 0) {
                complain_compile(check, path, "rule", rule,
                                 rules_problem(check->errors->arena, &err, false));
        } else {
                note_cost(check, path, "rule", "estimated rule cost",
                          guarded_product(cel_estimate(program), check->is_unbounded
                                                                         ? cel_cardinality(type)
                                                                         : check->cardinality));
                check_message(check, path, rule, type);
        }
        check_old(check, path, rule, program);
        cel_program_release(program);
}

/* How many values may stand below one of the schema; false when no bound says so. */
static bool max_below(const struct json *schema, uint64_t *ret_count) {
        struct slice type = json_get_text(schema, "type");
        bool is_map = slice_is(type, "object") && json_get(schema, "additionalProperties");
        const char *bound = is_map ? "maxProperties" : "maxItems";
        int64_t count = json_get_i64(schema, bound, 0);

        *ret_count = 1;
        if (!is_map && !slice_is(type, "array"))
                return true;
        *ret_count = count > 0 ? (uint64_t)count : 0;
        return json_get(schema, bound);
}

/* Elements of lists can be matched where the list names its keys. */
static void check_tree(struct rules_check *check, const char *path, const struct json *schema,
                       const struct cel_type *type);

static void check_elements(struct rules_check *check, const char *path, const struct json *schema,
                           const struct cel_type *type) {
        const struct json *items = json_get(schema, "items");
        const struct json *inner = rules_element_schema(schema);
        const char *before = check->uncorrelated;
        char here[RULES_PATH_BYTES];

        if (!rules_below(inner))
                return;
        snprintf(here, sizeof(here), "%s.%s", path,
                 inner == items ? "items" : "additionalProperties");
        if (inner == items && !before &&
            !slice_is(json_get_text(schema, "x-kubernetes-list-type"), "map"))
                check->uncorrelated = arena_string(check->errors->arena, slice_of(path));
        check_tree(check, here, inner, type);
        check->uncorrelated = before;
}

/* Something is wrong with the schema there or below. */
static bool has_faults(const struct rules_check *check, const char *path) {
        size_t length = strlen(path);

        for (size_t i = check->first; i < check->last; i++)
                if (strncmp(check->errors->items[i].path, path, length) == 0)
                        return true;
        return false;
}

static void check_own(struct rules_check *check, const char *path, const struct json *schema,
                      const struct cel_type *type) {
        struct json_iter rules = json_iter(json_get(schema, RULES_MEMBER));
        const struct json *rule;
        char here[RULES_PATH_BYTES];

        if (json_count(json_get(schema, RULES_MEMBER)) == 0 || has_faults(check, path))
                return;
        if (!type) {
                field_error_add(check->errors, FIELD_INTERNAL,
                                arena_printf(check->errors->arena, "%s." RULES_MEMBER, path), NULL,
                                NO_TYPE);
                return;
        }
        for (size_t i = 0; json_next(&rules, NULL, &rule); i++) {
                snprintf(here, sizeof(here), "%s." RULES_MEMBER "[%zu]", path, i);
                check_rule(check, here, rule, type);
        }
}

/* The rules below come before the schema's own. */
static void check_tree(struct rules_check *check, const char *path, const struct json *schema,
                       const struct cel_type *type) {
        struct json_iter properties = json_iter(json_get(schema, "properties"));
        const uint64_t cardinality = check->cardinality;
        const bool is_unbounded = check->is_unbounded;
        const struct json *property;
        char here[RULES_PATH_BYTES];
        struct slice name;
        uint64_t below;

        check->is_unbounded |= !max_below(schema, &below);
        check->cardinality = guarded_product(cardinality, below);
        while (json_next(&properties, &name, &property)) {
                if (!rules_below(property))
                        continue;
                snprintf(here, sizeof(here), "%s.properties[" SLICE_FMT "]", path, SLICE_ARG(name));
                const struct cel_type *inner = cel_type_member(type, name);
                check_tree(check, here, property,
                           inner ? inner
                                 : cel_type_of_schema(check->errors->arena, property, false));
        }
        check_elements(check, path, schema, cel_type_items(type));
        check->cardinality = cardinality;
        check->is_unbounded = is_unbounded;
        check_own(check, path, schema, type);
}

void custom_rules_check(const struct custom_rules_question *question, struct field_errors *errors) {
        const struct json *schema = question->schema;
        struct rules_check check = { .errors = errors,
                                     .first = question->first,
                                     .is_unchanged = question->is_unchanged,
                                     .cardinality = 1 };

        check.last = errors->count;
        if (!rules_below(schema))
                return;
        check_tree(&check, question->path, schema, cel_type_of_schema(errors->arena, schema, true));
        check_total(&check, question->path);
}
