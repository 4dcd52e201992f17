/* Validation by tables. */
#include "kinds/rules.h"

#include "api/quantity.h"
#include "base/util.h"
#include "schema/schema.h"

/* ---- the walk ---- */

/* Whether there is nothing to look at. An empty object is one, unless something has to be in it. */
static bool is_empty(const struct json_node *value, unsigned flags) {
        switch (node_type(value)) {
        case JSON_STRING:
                return node_get_slice(value).len == 0 && !(flags & RULE_PRESENT);
        case JSON_ARRAY:
                return node_count(value) == 0;
        case JSON_OBJECT:
                return node_count(value) == 0 && (flags & RULE_REQUIRED) && !(flags & RULE_PRESENT);
        case JSON_NONE:
        case JSON_NULL:
                return true;
        default:
                return false;
        }
}

/* The text that tells an element from the others. */
static struct slice element_key(struct checker *checker, const struct json_node *element,
                                const struct rule *rule) {
        const struct json_node *key = rule->unique ? node_get(element, rule->unique) : element;

        if (!key)
                return SLICE_EMPTY;
        return node_type(key) == JSON_STRING ? node_get_slice(key)
                                             : slice_of(node_json(checker, key));
}

static bool is_repeated(struct checker *checker, struct text_set *seen,
                        const struct json_node *element, const struct rule *rule) {
        return !text_set_add(seen, element_key(checker, element, rule));
}

static void report_repeated(struct checker *checker, const struct at *place,
                            const struct json_node *element, const struct rule *rule) {
        bool is_member = rule->flags & RULE_UNIQUE_MEMBER;
        bool is_whole = !rule->unique || (rule->flags & RULE_UNIQUE_WHOLE);
        const struct json_node *value = is_whole ? element : node_get(element, rule->unique);

        report(checker, FIELD_DUPLICATE, place, is_member ? rule->unique : NULL,
               value ? node_json(checker, value) : "\"\"", NULL);
}

static void report_all_repeated(struct checker *checker, const struct at *at,
                                const struct json_node *list, const struct rule *rule) {
        CLEANUP(text_set_release) struct text_set seen = { 0 };
        struct node_iter iter = node_iter(list);
        struct json_node *element;

        for (size_t i = 0; node_next(&iter, NULL, &element); i++) {
                struct at place = at_index(at, i);

                if (is_repeated(checker, &seen, element, rule))
                        report_repeated(checker, &place, element, rule);
        }
}

/* Each element's problems with its being a duplicate first, or all duplicates before or behind
 * them. */
static void walk_list(struct checker *checker, const struct at *at, const struct json_node *list,
                      const struct rule *rule) {
        CLEANUP(text_set_release) struct text_set seen = { 0 };
        bool is_first = rule->flags & (RULE_UNIQUE_FIRST | RULE_UNIQUE_MEMBER);
        struct node_iter iter = node_iter(list);
        struct json_node *element;

        if (rule->flags & RULE_UNIQUE_WHOLE)
                report_all_repeated(checker, at, list, rule);
        for (size_t i = 0; node_next(&iter, NULL, &element); i++) {
                struct at place = at_index(at, i);

                if (is_first && rule->unique && is_repeated(checker, &seen, element, rule))
                        report_repeated(checker, &place, element, rule);
                rule->check(checker, &place, element, rule);
        }
        if (!is_first && (rule->flags & RULE_UNIQUE))
                report_all_repeated(checker, at, list, rule);
}

static void walk_map(struct checker *checker, const struct at *at, const struct json_node *map,
                     const struct rule *rule) {
        struct node_iter iter = node_iter(map);
        struct json_node *value;
        struct slice key;

        while (node_next(&iter, &key, &value)) {
                struct at place = at_key(at, key);

                rule->check(checker, &place, value, rule);
        }
}

void report_too_many(struct checker *checker, const struct at *at, size_t count, size_t max) {
        report(checker, FIELD_TOO_MANY, at, NULL, message_of(checker, "%zu", count),
               message_of(checker, "must have at most %zu item%s", max, max == 1 ? "" : "s"));
}

static void check_rule(struct checker *checker, const struct at *at, const struct json_node *value,
                       const struct rule *rule) {
        size_t count = node_count(value);

        if (is_empty(value, rule->flags) && !(rule->flags & RULE_ALWAYS)) {
                if (rule->flags & RULE_REQUIRED)
                        report(checker, FIELD_REQUIRED, at, NULL, NULL, rule->text);
                return;
        }
        if (rule->max && count > rule->max) {
                report_too_many(checker, at, count, rule->max);
                return;
        }
        if (!(rule->flags & RULE_EACH))
                rule->check(checker, at, value, rule);
        else if (node_type(value) == JSON_ARRAY)
                walk_list(checker, at, value, rule);
        else
                walk_map(checker, at, value, rule);
}

void check_rules(struct checker *checker, const struct at *at, const struct json_node *object,
                 const struct rule *rules) {
        for (const struct rule *rule = rules; rule->check; rule++) {
                if (!rule->member) {
                        rule->check(checker, at, object, rule);
                        continue;
                }
                struct at place = at_member(at, rule->member);

                check_rule(checker, &place, node_get(object, rule->member), rule);
        }
}

void check_object(struct kind_context *context, const struct json_node *object,
                  struct field_errors *errors, const struct rule *rules) {
        struct checker checker = { .errors = errors, .context = context };

        check_rules(&checker, NULL, object, rules);
}

/* ---- checks ---- */

RULE(rule_object) {
        check_rules(checker, at, value, rule->data);
}

RULE(rule_choice) {
        const char *const *choices = rule->data;

        for (size_t i = 0; choices[i]; i++)
                if (slice_is(node_get_slice(value), choices[i]))
                        return;
        report_choice(checker, at, NULL, quoted_json(checker, node_get_slice(value)), choices);
}

RULE(rule_form) {
        check_form(checker, at, node_get_slice(value), (enum text_form)rule->low);
}

RULE(rule_range) {
        int64_t number = 0;

        node_as_i64(value, &number);
        if (number < rule->low || number > rule->high)
                report_number(checker, at, NULL, number,
                              rule->text ? rule->text
                                         : message_of(checker,
                                                      "must be between %lld and %lld, inclusive",
                                                      (long long)rule->low, (long long)rule->high));
}

RULE(rule_port) {
        const struct rule ports = { .low = 1, .high = 65535 };

        (void)rule;
        rule_range(checker, at, value, &ports);
}

RULE(rule_port_or_name) {
        if (node_type(value) == JSON_STRING)
                check_form(checker, at, node_get_slice(value), FORM_PORT_NAME);
        else
                rule_port(checker, at, value, rule);
}

RULE(rule_not_negative) {
        int64_t number = 0;

        (void)rule;
        if (node_as_i64(value, &number) && number < 0)
                report_number(checker, at, NULL, number, "must be greater than or equal to 0");
}

RULE(rule_positive) {
        int64_t number = 0;

        node_as_i64(value, &number);
        if (number <= 0)
                report_number(checker, at, NULL, number,
                              rule->text ? rule->text : "must be greater than zero");
}

RULE(rule_length) {
        if (node_get_slice(value).len > (size_t)rule->high)
                report(checker, FIELD_TOO_LONG, at, NULL, NULL,
                       message_of(checker, "may not be more than %lld bytes",
                                  (long long)rule->high));
}

RULE(rule_label_selector) {
        (void)rule;
        check_label_selector(checker, at, value);
}

RULE(rule_labels) {
        (void)rule;
        check_label_map(checker, at, value);
}

RULE(rule_present) {
        (void)checker, (void)at, (void)value, (void)rule;
}

RULE(rule_quantity_not_negative) {
        (void)rule;
        check_quantity_not_negative(checker, at, node_get_slice(value));
}

#define DRIVER_NAME_MAX 63

RULE(rule_driver_name) {
        struct slice name = node_get_slice(value);
        struct buf lower = { 0 };

        (void)rule;
        if (name.len > DRIVER_NAME_MAX)
                report(checker, FIELD_TOO_LONG, at, NULL, NULL, "may not be more than 63 bytes");
        for (size_t i = 0; i < name.len; i++) {
                char c = name.ptr[i];

                buf_char(&lower, c >= 'A' && c <= 'Z' ? (char)(c + 'a' - 'A') : c);
        }
        struct text_problems problems =
                text_problems(checker->errors->arena, FORM_SUBDOMAIN, buf_view(&lower));
        for (size_t i = 0; i < problems.count; i++)
                report_text(checker, at, NULL, name, problems.items[i]);
        buf_release(&lower);
}

RULE(rule_node_selector) {
        (void)rule;
        check_node_selection(checker, at, value);
}

/* ---- conditions ---- */

#define CONDITION_REASON_MAX 1024
#define CONDITION_MESSAGE_MAX 32768

static bool is_word_char(char c) {
        return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
               c == '_';
}

static bool is_reason(struct slice text) {
        if (!is_word_char(text.ptr[0]) || text.ptr[0] == '_' || text.ptr[0] <= '9' ||
            !is_word_char(text.ptr[text.len - 1]))
                return false;
        for (size_t i = 0; i < text.len; i++)
                if (!is_word_char(text.ptr[i]) && text.ptr[i] != ',' && text.ptr[i] != ':')
                        return false;
        return true;
}

OWN_RULE(rule_reason) {
        const struct rule length = { .high = CONDITION_REASON_MAX };

        (void)rule;
        if (!is_reason(node_get_slice(value)))
                report_text(checker, at, NULL, node_get_slice(value),
                            "a condition reason must start with alphabetic character, optionally "
                            "followed by a string of alphanumeric characters or '_,:', and must "
                            "end with an alphanumeric character or '_' (e.g. 'my_name',  or "
                            "'MY_NAME',  or 'MyName',  or 'ReasonA,ReasonB',  or "
                            "'ReasonA:ReasonB', regex used for validation is "
                            "'[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?')");
        rule_length(checker, at, value, &length);
}

static const char *const condition_states[] = { "False", "True", "Unknown", NULL };
static const struct rule condition_rules[] = {
        { "type", rule_form, .low = FORM_QUALIFIED, .flags = RULE_ALWAYS },
        { "status", rule_choice, .data = condition_states, .flags = RULE_ALWAYS },
        { "observedGeneration", rule_range, .high = INT64_MAX,
          .text = "must be greater than or equal to zero" },
        { "lastTransitionTime", rule_present, .flags = RULE_REQUIRED },
        { "reason", rule_reason, .flags = RULE_REQUIRED },
        { "message", rule_length, .high = CONDITION_MESSAGE_MAX },
        RULES_END,
};
static const struct rule condition_list = {
        NULL,
        rule_object,
        .data = condition_rules,
        .flags = RULE_EACH | RULE_UNIQUE_MEMBER,
        .unique = "type",
};

RULE(rule_conditions) {
        size_t count = node_count(value);

        if (rule->high && count > (size_t)rule->high)
                report(checker, FIELD_TOO_MANY, at, NULL, message_of(checker, "%zu", count),
                       message_of(checker, "must have at most %lld items", (long long)rule->high));
        walk_list(checker, at, value, &condition_list);
}

/* ---- metadata inside specs ---- */

void check_template_metadata(struct checker *checker, const struct at *at,
                             const struct json_node *metadata, const char *const *allowed) {
        struct node_iter iter = node_iter(node_get(metadata, "annotations"));
        struct at annotations = at_member(at, "annotations"), labels = at_member(at, "labels");
        const struct schema_object *type = schema_named("meta.v1.ObjectMeta");
        struct slice key;

        while (node_next(&iter, &key, NULL))
                check_form(checker, &annotations, key, FORM_QUALIFIED);
        check_label_map(checker, &labels, node_get(metadata, "labels"));
        for (size_t i = 0; i < type->count; i++) {
                const char *member = type->fields[i].name;
                const struct json_node *value = node_get(metadata, member);
                struct at place = at_member(at, member);
                bool is_allowed =
                        (!value || node_type(value) == JSON_NULL) && !is_emptied(checker, &place);

                for (size_t j = 0; allowed[j]; j++)
                        is_allowed |= strcmp(member, allowed[j]) == 0;
                if (!is_allowed)
                        report(checker, FIELD_FORBIDDEN, at,
                               strcmp(member, "uid") == 0 ? "uID" : member, NULL, "cannot be set");
        }
}

/* ---- what may not change ---- */

void check_frozen_members(struct checker *checker, const struct at *at,
                          const struct json_node *object, const struct json *old,
                          const struct frozen *frozen, size_t count) {
        for (size_t i = 0; i < count; i++) {
                const char *member = frozen[i].member;
                bool is_forbidden = frozen[i].kind == FIELD_FORBIDDEN;
                const struct json_node *now = node_get(object, member);
                const char *shown =
                        now || !frozen[i].zero ? node_json(checker, now) : frozen[i].zero;

                if (!is_same_member(object, old, member))
                        report(checker, frozen[i].kind, at,
                               frozen[i].shown_as ? frozen[i].shown_as : member,
                               is_forbidden ? NULL : shown,
                               frozen[i].text ? frozen[i].text : "field is immutable");
        }
}
