/* The usual complaints of validation. */
#include "kinds/workload_check.h"

#include "api/quantity.h"
#include "api/selector.h"
#include "base/arena.h"
#include "base/go_quote.h"
#include "base/regex.h"
#include "base/util.h"
#include <stdlib.h>

/* ---- places and values ---- */

static void at_write(const struct at *at, struct buf *out) {
        if (!at)
                return;
        at_write(at->up, out);
        if (at->name && out->len)
                buf_char(out, '.');
        if (at->name)
                buf_text(out, at->name);
        else if (at->key.ptr)
                buf_printf(out, "[" SLICE_FMT "]", SLICE_ARG(at->key));
        else
                buf_printf(out, "[%zu]", at->index);
}

static const char *check_keep(struct checker *checker, struct buf *text) {
        const char *copy = arena_string(checker->errors->arena, buf_view(text));

        buf_release(text);
        return copy;
}

const char *at_text(struct checker *checker, const struct at *at) {
        struct buf text = { 0 };

        at_write(at, &text);
        return check_keep(checker, &text);
}

const char *quoted(struct checker *checker, struct slice text) {
        struct buf out = { 0 };

        go_quote_write(text, &out);
        return check_keep(checker, &out);
}

const char *quoted_json(struct checker *checker, struct slice text) {
        struct buf out = { 0 };

        buf_json_string(&out, text);
        return check_keep(checker, &out);
}

struct slice pair_text(struct checker *checker, struct slice a, struct slice b) {
        struct buf text = { 0 };

        text_part_add(&text, a);
        text_part_add(&text, b);
        struct slice copy = arena_slice(checker->errors->arena, buf_view(&text));
        buf_release(&text);
        return copy;
}

const char *node_json(struct checker *checker, const struct json_node *node) {
        struct buf out = { 0 };

        if (!node)
                return "null";
        node_write(node, &out);
        return check_keep(checker, &out);
}

const char *message_of(struct checker *checker, const char *format, ...) {
        struct buf out = { 0 };
        va_list args;

        va_start(args, format);
        buf_vprintf(&out, format, args);
        va_end(args);
        return check_keep(checker, &out);
}

bool is_emptied(struct checker *checker, const struct at *at) {
        const struct emptied_value *emptied = checker->errors->emptied;
        const char *path = emptied ? at_text(checker, at) : "";

        while (emptied && strcmp(emptied->path, path) != 0)
                emptied = emptied->next;
        return emptied;
}

/* ---- reports ---- */

void report(struct checker *checker, enum field_error_kind kind, const struct at *at,
            const char *member, const char *value, const char *detail) {
        struct at place = at_member(at, member);

        if (field_errors_are_full(checker->errors)) {
                checker->errors->more++;
                return;
        }
        if (!member && at)
                place = *at;
        const char *path = at_text(checker, &place);
        field_error_add(checker->errors, kind, path, shown_value(checker, &place, path, value),
                        detail);
}

void report_typed(struct checker *checker, enum field_error_kind kind, const struct at *at,
                  const char *type, const struct json_node *value, const char *detail) {
        if (field_errors_are_full(checker->errors))
                checker->errors->more++;
        else
                field_error_add(checker->errors, kind, at_text(checker, at),
                                shown_typed(checker, at_text(checker, at), type, value), detail);
}

void report_as_is(struct checker *checker, enum field_error_kind kind, const struct at *at,
                  const char *value, const char *detail) {
        field_error_add(checker->errors, kind, at_text(checker, at), value, detail);
}

void report_text(struct checker *checker, const struct at *at, const char *member,
                 struct slice value, const char *detail) {
        struct at place = at_member(at, member);

        field_error_add_each(checker->errors, FIELD_INVALID, at_text(checker, member ? &place : at),
                             quoted(checker, value), detail);
}

void report_json_text(struct checker *checker, const struct at *at, const char *member,
                      struct slice value, const char *detail) {
        struct at place = at_member(at, member);

        field_error_add_each(checker->errors, FIELD_INVALID, at_text(checker, member ? &place : at),
                             quoted_json(checker, value), detail);
}

void report_number(struct checker *checker, const struct at *at, const char *member, int64_t value,
                   const char *detail) {
        report(checker, FIELD_INVALID, at, member, message_of(checker, "%lld", (long long)value),
               detail);
}

void report_choice(struct checker *checker, const struct at *at, const char *member,
                   const char *value, const char *const *choices) {
        struct buf text = { 0 };

        buf_text(&text, "supported values: ");
        for (size_t i = 0; choices[i]; i++)
                buf_printf(&text, "%s\"%s\"", i ? ", " : "", choices[i]);
        report(checker, FIELD_NOT_SUPPORTED, at, member, value, check_keep(checker, &text));
}

/* ---- checks ---- */

bool check_required(struct checker *checker, const struct at *at, const struct json_node *object,
                    const char *member) {
        const struct json_node *value = node_get(object, member);
        bool is_there = node_type(value) == JSON_STRING ? node_get_slice(value).len > 0 : !!value;

        if (!is_there)
                report(checker, FIELD_REQUIRED, at, member, NULL, NULL);
        return is_there;
}

bool check_choice(struct checker *checker, const struct at *at, const struct json_node *object,
                  const char *member, const char *const *choices) {
        struct slice value = node_get_text(object, member);

        if (value.len == 0)
                return true;
        for (size_t i = 0; choices[i]; i++)
                if (slice_is(value, choices[i]))
                        return true;
        report_choice(checker, at, member, quoted_json(checker, value), choices);
        return false;
}

bool check_not_negative(struct checker *checker, const struct at *at,
                        const struct json_node *object, const char *member) {
        int64_t value = node_get_i64(object, member, 0);

        if (value >= 0)
                return true;
        report_number(checker, at, member, value, "must be greater than or equal to 0");
        return false;
}

#define PORT_RANGE_TEXT "must be between 1 and 65535, inclusive"

bool check_form(struct checker *checker, const struct at *at, struct slice text,
                enum text_form form) {
        struct text_problems problems = text_problems(checker->errors->arena, form, text);

        for (size_t i = 0; i < problems.count; i++)
                report_text(checker, at, NULL, text, problems.items[i]);
        return problems.count == 0;
}

bool check_port(struct checker *checker, const struct at *at, const struct json_node *object,
                const char *member) {
        const struct json_node *port = node_get(object, member);
        struct at place = at_member(at, member);
        int64_t number = 0;

        if (node_type(port) == JSON_STRING)
                return check_form(checker, &place, node_get_slice(port), FORM_PORT_NAME);
        node_as_i64(port, &number);
        if (number >= 1 && number <= 65535)
                return true;
        report_number(checker, at, member, number, PORT_RANGE_TEXT);
        return false;
}

bool check_name(struct checker *checker, const struct at *at, const struct json_node *object,
                const char *member, enum kind_name_rule rule) {
        static const enum text_form forms[] = { [NAME_SUBDOMAIN] = FORM_SUBDOMAIN,
                                                [NAME_LABEL] = FORM_LABEL,
                                                [NAME_SEGMENT] = FORM_SEGMENT,
                                                [NAME_ADDRESS] = FORM_SUBDOMAIN };
        struct slice name = node_get_text(object, member);
        struct at place = at_member(at, member);

        return name.len == 0 || check_form(checker, &place, name, forms[rule]);
}

bool check_label_key(struct checker *checker, const struct at *at, const char *member,
                     struct slice key) {
        struct at place = at_member(at, member);

        return check_form(checker, member ? &place : at, key, FORM_QUALIFIED);
}

void check_label_map(struct checker *checker, const struct at *at, const struct json_node *map) {
        struct node_iter iter = node_iter(map);
        struct json_node *value;
        struct slice key;

        while (node_next(&iter, &key, &value)) {
                check_form(checker, at, key, FORM_QUALIFIED);
                check_form(checker, at, node_get_slice(value), FORM_VALUE);
        }
}

bool check_operator_values(struct checker *checker, const struct at *at,
                           const struct json_node *requirement) {
        struct slice operation = node_get_text(requirement, "operator");
        const struct json_node *values = node_get(requirement, "values");

        if (slice_is(operation, "In") || slice_is(operation, "NotIn")) {
                if (node_count(values) == 0)
                        report(checker, FIELD_REQUIRED, at, "values", NULL,
                               "must be specified when `operator` is 'In' or 'NotIn'");
        } else if (slice_is(operation, "Exists") || slice_is(operation, "DoesNotExist")) {
                if (node_count(values) > 0)
                        report(checker, FIELD_FORBIDDEN, at, "values", NULL,
                               "may not be specified when `operator` is 'Exists' or "
                               "'DoesNotExist'");
        } else {
                return false;
        }
        return true;
}

static void check_selector_requirement(struct checker *checker, const struct at *at,
                                       const struct json_node *requirement) {
        struct json_node *values = node_get(requirement, "values");
        struct at list = at_member(at, "values");

        if (!check_operator_values(checker, at, requirement))
                report_json_text(checker, at, "operator", node_get_text(requirement, "operator"),
                                 "not a valid selector operator");
        check_label_key(checker, at, "key", node_get_text(requirement, "key"));
        for (size_t i = 0; i < node_count(values); i++) {
                struct at place = at_index(&list, i);

                check_form(checker, &place, node_get_slice(node_at(values, i)), FORM_VALUE);
        }
}

void check_label_selector(struct checker *checker, const struct at *at,
                          const struct json_node *selector) {
        struct at labels = at_member(at, "matchLabels");
        struct at expressions = at_member(at, "matchExpressions");
        struct json_node *list = node_get(selector, "matchExpressions");

        check_label_map(checker, &labels, node_get(selector, "matchLabels"));
        for (size_t i = 0; i < node_count(list); i++) {
                struct at place = at_index(&expressions, i);

                check_selector_requirement(checker, &place, node_at(list, i));
        }
}

#define PERCENT_TEXT                                                                               \
        "a valid percent string must be a numeric string followed by an ending '%' (e.g. '1%',  "  \
        "or '93%', regex used for validation is '[0-9]+%')"

bool check_int_or_percent(struct checker *checker, const struct at *at,
                          const struct json_node *object, const char *member, bool is_capped) {
        const struct json_node *value = node_get(object, member);
        struct slice text = node_get_slice(value);
        int64_t percent;

        if (!value)
                return true;
        if (node_type(value) != JSON_STRING)
                return check_not_negative(checker, at, object, member);
        if (text.len < 2 || text.ptr[text.len - 1] != '%' || text.ptr[0] < '0' ||
            text.ptr[0] > '9' || !slice_to_i64(slice_make(text.ptr, text.len - 1), &percent)) {
                report_json_text(checker, at, member, text, PERCENT_TEXT);
                return false;
        }
        if (percent <= 100 || !is_capped)
                return true;
        report_text(checker, at, member, text, "must not be greater than 100%");
        return false;
}

void check_not_over_percent(struct checker *checker, const struct at *at,
                            const struct json_node *object, const char *member) {
        struct slice text = node_get_slice(node_get(object, member));
        int64_t percent;

        if (text.len > 1 && text.ptr[text.len - 1] == '%' && text.ptr[0] >= '0' &&
            text.ptr[0] <= '9' && slice_to_i64(slice_make(text.ptr, text.len - 1), &percent) &&
            percent > 100)
                report_text(checker, at, member, text, "must not be greater than 100%");
}

struct slice lower_text(struct checker *checker, struct slice text) {
        char *copy = arena_string(checker->errors->arena, text);

        for (size_t i = 0; i < text.len; i++)
                if (copy[i] >= 'A' && copy[i] <= 'Z')
                        copy[i] = (char)(copy[i] + 'a' - 'A');
        return slice_make(copy, text.len);
}

void check_at_most(struct checker *checker, const struct at *at, size_t count, size_t max) {
        if (count > max)
                report(checker, FIELD_TOO_MANY, at, NULL, message_of(checker, "%zu", count),
                       message_of(checker, "must have at most %zu items", max));
}

void take_node(struct json_tree *tree, struct json_node *object, const struct json_node *other,
               const char *member) {
        const struct json_node *value = node_get(other, member);

        if (value)
                node_put(tree, object, member, node_clone(tree, value));
        else
                node_remove(object, member);
}

bool check_quantity_not_negative(struct checker *checker, const struct at *at,
                                 struct slice quantity) {
        struct quantity_info info;

        if (!slice_has_prefix(quantity, SLICE_LITERAL("-")) ||
            quantity_describe(quantity, &info, NULL) < 0 || info.sign >= 0)
                return true;
        report_text(checker, at, NULL, quantity, "must be greater than or equal to 0");
        return false;
}

bool text_matches(struct slice text, const char *pattern) {
        struct regex *regex = regex_new(slice_of(pattern), NULL);
        bool is_match = regex_matches(regex, text);

        regex_free(regex);
        return is_match;
}

void check_joined_value(struct checker *checker, const struct at *at, const char *member,
                        struct slice value) {
        const char *problem = label_value_problem(value);
        const char *mark = problem ? strstr(problem, "; ") : NULL;

        if (problem)
                report(checker, FIELD_INVALID, at, member, quoted(checker, value),
                       mark ? message_of(checker, "%.*s;%s", (int)(mark - problem), problem,
                                         mark + 2)
                            : problem);
}

/* A whole number with its suffix, modulo 2^64. */
static uint64_t wrapped_units(struct slice quantity) {
        static const char suffixes[] = "kMGTPE";
        uint64_t units = 0, factor = 1;
        size_t at = quantity.len && (quantity.ptr[0] == '-' || quantity.ptr[0] == '+');
        bool is_negative = at && quantity.ptr[0] == '-';

        for (; at < quantity.len && quantity.ptr[at] >= '0' && quantity.ptr[at] <= '9'; at++)
                units = units * 10 + (uint64_t)(quantity.ptr[at] - '0');
        const char *suffix = at < quantity.len ? strchr(suffixes, quantity.ptr[at]) : NULL;
        bool is_binary = at + 1 < quantity.len && quantity.ptr[at + 1] == 'i';
        for (const char *power = suffixes; suffix && power <= suffix; power++)
                factor *= is_binary ? 1024 : 1000;
        units *= factor;
        return is_negative ? ~units + 1 : units;
}

bool is_whole_quantity(struct slice quantity) {
        int64_t milli = 0;

        if (quantity_milli(quantity, &milli, NULL) < 0)
                return true;
        if (milli != INT64_MAX && milli != INT64_MIN)
                return milli % 1000 == 0;
        /* As upstream, whose thousandths overflow: to none, or to the low bits of a large number.
         */
        struct quantity_info info;
        if (quantity_describe(quantity, &info, NULL) == 0 && info.is_small)
                return true;
        return (int64_t)(wrapped_units(quantity) * 1000U) % 1000 == 0;
}

int quantity_sign(struct slice quantity) {
        struct quantity_info info;

        return quantity_describe(quantity, &info, NULL) < 0 ? 0 : info.sign;
}

/* ---- comparison with the stored object ---- */

bool is_same_member(const struct json_node *object, const struct json *old, const char *member) {
        const struct json *before = json_get(old, member);

        if (!before)
                return !node_get(object, member);
        struct json_tree *scratch = json_tree_new();
        bool is_same = node_equal(node_import(scratch, before), node_get(object, member));
        json_tree_free(scratch);
        return is_same;
}

void check_immutable(struct checker *checker, const struct at *at, const struct json_node *object,
                     const struct json *old, const char *member) {
        bool is_raw = checker->context && checker->context->has_raw_changes; /* in the spec */

        if (!is_same_member(object, old, member) || is_raw)
                report(checker, FIELD_INVALID, at, member,
                       node_json(checker, node_get(object, member)), "field is immutable");
}
