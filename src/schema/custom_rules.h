/* Validation rules of custom resources (x-kubernetes-validations): checked when their definition is
 * written, applied to every write of an object. */
#pragma once

#include "api/json.h"
#include "schema/field_error.h"

struct custom_rules;

/* Expressions are compiled only where nothing is wrong with the schema from there down: errors from
 * `first` on are those of the schema. The schema has to be structural, with defaults that fit. */
struct custom_rules_question {
        const struct json *schema;
        const char *path;  /* of the schema in the definition */
        bool is_unchanged; /* an update leaves the schema as it is */
        size_t first;
};
/* What is wrong with the expressions anywhere in the schema, and which of them are too dear. */
void custom_rules_check(const struct custom_rules_question *question, struct field_errors *errors);

/* NULL when the schema has no rules. The schema must outlive them. is_resource: its values have
 * what every object has. */
struct custom_rules *custom_rules_new(const struct json *schema, bool is_resource);
void custom_rules_free(struct custom_rules *rules); /* accepts NULL */
/* old: the stored object, NULL on create. Rules about what did not change are passed over. */
void custom_rules_apply(const struct custom_rules *rules, const struct json_node *object,
                        const struct json *old, struct field_errors *errors);
/* The same of a value at a path, whatever else is wrong, and whether it changed or not. *budget is
 * what the rules may cost, counted down. */
void custom_rules_apply_at(const struct custom_rules *rules, const char *path,
                           const struct json_node *value, const struct json_node *old,
                           int64_t *budget, struct field_errors *errors);
#define CUSTOM_RULES_BUDGET 10000000 /* of one object */
