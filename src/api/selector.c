/* Selectors: requirements, matching, printing, and LabelSelector objects. */
#include "api/selector.h"

#include "api/selector_priv.h"
#include "base/go_quote.h"
#include "base/util.h"
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>

/* Up to so many things are searched and sorted one by one. */
#define SHORT_MAX 32

/* ---- requirements ---- */

static const enum selector_op ops[] = {
        [SPELLED_IN] = SELECTOR_IN,
        [SPELLED_NOT_IN] = SELECTOR_NOT_IN,
        [SPELLED_EQUALS] = SELECTOR_IN,
        [SPELLED_DOUBLE_EQUALS] = SELECTOR_IN,
        [SPELLED_NOT_EQUALS] = SELECTOR_NOT_IN,
        [SPELLED_EXISTS] = SELECTOR_EXISTS,
        [SPELLED_NOT_EXISTS] = SELECTOR_NOT_EXISTS,
        [SPELLED_GT] = SELECTOR_GT,
        [SPELLED_LT] = SELECTOR_LT,
};

static int compare_slices(const void *a, const void *b) {
        return slice_compare(*(const struct slice *)a, *(const struct slice *)b);
}

static size_t sort_unique(struct slice *values, size_t count) {
        size_t unique = 0;
        if (count > 1)
                qsort(values, count, sizeof(*values), compare_slices);
        for (size_t i = 0; i < count; i++) {
                if (unique == 0 || !slice_eq(values[i], values[unique - 1]))
                        values[unique++] = values[i];
        }
        return unique;
}

/* The list of values as upstream shows it in messages: null or ["a","b"]. */
static int values_error(const struct slice *values, size_t count, const char *problem,
                        struct err *err) {
        struct buf text;
        buf_init(&text, ERR_TEXT_MAX);
        buf_text(&text, count > 0 ? "[" : "null");
        for (size_t i = 0; i < count; i++) {
                buf_text(&text, i > 0 ? "," : "");
                buf_json_string(&text, values[i]);
        }
        buf_text(&text, count > 0 ? "]" : "");
        int r = err_set(err, BERTH_ERR_INVALID, "values: Invalid value: %s: %s", text.data,
                        problem);
        buf_release(&text);
        return r;
}

static int check_count(enum selector_spelling spelling, const struct slice *values, size_t count,
                       struct err *err) {
        const char *problem = NULL;
        switch (spelling) {
        case SPELLED_IN:
        case SPELLED_NOT_IN:
                if (count == 0)
                        problem = "for 'in', 'notin' operators, values set can't be empty";
                break;
        case SPELLED_EXISTS:
        case SPELLED_NOT_EXISTS:
                if (count != 0)
                        problem = "values set must be empty for exists and does not exist";
                break;
        case SPELLED_GT:
        case SPELLED_LT:
                if (count != 1)
                        problem = "for 'Gt', 'Lt' operators, exactly one value is required";
                break;
        default:
                if (count != 1)
                        problem = "exact-match compatibility requires one single value";
        }
        return problem ? values_error(values, count, problem, err) : 0;
}

/* The value is quoted with escapes, as it may hold anything. */
static int value_error(const char *path, struct slice value, const char *problem, struct err *err) {
        struct buf quoted;
        buf_init(&quoted, ERR_TEXT_MAX);
        go_quote_write(value, &quoted);
        int r = err_set(err, BERTH_ERR_INVALID, "%s: Invalid value: " SLICE_FMT ": %s", path,
                        SLICE_ARG(buf_view(&quoted)), problem);
        buf_release(&quoted);
        return r;
}

int label_key_error(const char *path, struct slice key, struct err *err) {
        const char *problem = label_key_problem(key);
        return problem ? value_error(path, key, problem, err) : 0;
}

static int check_values(struct slice key, const struct slice *values, size_t count,
                        struct err *err) {
        char path[128];
        for (size_t i = 0; i < count; i++) {
                const char *problem = label_value_problem(values[i]);
                if (!problem)
                        continue;
                snprintf(path, sizeof(path), "values[%zu][" SLICE_FMT "]", i, SLICE_ARG(key));
                return value_error(path, values[i], problem, err);
        }
        return 0;
}

int requirement_init(struct selector_requirement *requirement, enum selector_spelling spelling,
                     struct slice key, struct slice *values, size_t value_count, struct err *err) {
        int64_t number = 0;
        int r = label_key_error("key", key, err);
        if (r == 0)
                r = check_count(spelling, values, value_count, err);
        if (r == 0 && (spelling == SPELLED_GT || spelling == SPELLED_LT) &&
            !slice_to_i64(values[0], &number))
                r = value_error("values[0]", values[0],
                                "for 'Gt', 'Lt' operators, the value must be an integer", err);
        if (r == 0)
                r = check_values(key, values, value_count, err);
        if (r < 0)
                return r;
        *requirement = (struct selector_requirement){
                .key = key,
                .op = ops[spelling],
                .is_equals = spelling == SPELLED_EQUALS || spelling == SPELLED_NOT_EQUALS ||
                             spelling == SPELLED_DOUBLE_EQUALS,
                .is_double_equals = spelling == SPELLED_DOUBLE_EQUALS,
                .value_count = sort_unique(values, value_count),
                .values = values,
                .number = number,
        };
        return 0;
}

static void insertion_sort(struct selector_requirement *requirements, size_t count) {
        for (size_t i = 1; i < count; i++) {
                struct selector_requirement moved = requirements[i];
                size_t j = i;
                for (; j > 0 && slice_compare(moved.key, requirements[j - 1].key) < 0; j--)
                        requirements[j] = requirements[j - 1];
                requirements[j] = moved;
        }
}

/* The two sorted parts of an array, the first of half elements, in one order. */
static void merge_halves(struct selector_requirement *requirements, size_t half, size_t count,
                         struct selector_requirement *spare) {
        size_t i = 0, j = half;
        memcpy(spare, requirements, half * sizeof(*spare));
        for (size_t at = 0; i < half; at++) {
                bool takes_second =
                        j < count && slice_compare(requirements[j].key, spare[i].key) < 0;
                requirements[at] = takes_second ? requirements[j++] : spare[i++];
        }
}

/* Both sorts keep equal keys in order; most selectors are short. */
static void requirements_merge_sort(struct selector_requirement *requirements, size_t count,
                                    struct selector_requirement *spare) {
        if (count <= SHORT_MAX) {
                insertion_sort(requirements, count);
                return;
        }
        requirements_merge_sort(requirements, count / 2, spare);
        requirements_merge_sort(requirements + count / 2, count - count / 2, spare);
        merge_halves(requirements, count / 2, count, spare);
}

void requirements_sort(struct selector_requirement *requirements, size_t count) {
        struct selector_requirement *spare = NULL;
        assert(count <= SELECTOR_REQUIREMENT_MAX);
        if (count > SHORT_MAX)
                spare = xcalloc(count / 2 + 1, sizeof(*spare));
        requirements_merge_sort(requirements, count, spare);
        free(spare);
}

/* ---- LabelSelector ---- */

static int wrong_type(const struct json *value, const char *path, const char *wanted,
                      struct err *err) {
        err_set(err, BERTH_ERR_BAD_REQUEST, "%s expected, got %s", wanted,
                json_type_name(json_type(value)));
        err_path_prepend(err, path);
        return BERTH_ERR_BAD_REQUEST;
}

/* Absent and null are both fine where upstream has an optional field. */
static bool is_absent(const struct json *value) {
        return json_type(value) == JSON_NONE || json_type(value) == JSON_NULL;
}

static int decode_label(const struct json_member *label, struct arena *arena,
                        struct selector *selector, struct err *err) {
        struct slice *text = ARENA_NEW(arena, struct slice);
        if (json_type(label->value) != JSON_STRING)
                return wrong_type(label->value, "", "string", err);
        *text = json_text(label->value);
        return requirement_init(&selector->requirements[selector->count++], SPELLED_EQUALS,
                                label->key, text, 1, err);
}

static int decode_labels(const struct json *labels, struct arena *arena, struct selector *selector,
                         struct err *err) {
        if (!is_absent(labels) && json_type(labels) != JSON_OBJECT)
                return wrong_type(labels, "matchLabels", "object", err);
        size_t count;
        CLEANUP(cleanup_free) struct json_member *members = json_members(labels, &count);
        for (size_t i = 0; i < count; i++) {
                int r = decode_label(&members[i], arena, selector, err);
                if (r == 0)
                        continue;
                err_path_prepend(err, "matchLabels");
                return r;
        }
        return 0;
}

static int decode_values(const struct json *list, struct arena *arena, struct slice **ret_values,
                         size_t *ret_count, struct err *err) {
        if (!is_absent(list) && json_type(list) != JSON_ARRAY)
                return wrong_type(list, "values", "array", err);
        struct slice *values = ARENA_ARRAY(arena, struct slice, json_count(list));
        struct json_iter iter = json_iter(list);
        const struct json *value;
        while (json_next(&iter, NULL, &value)) {
                if (json_type(value) != JSON_STRING)
                        return wrong_type(value, "values", "string", err);
                values[iter.index - 1] = json_text(value);
        }
        *ret_values = values;
        *ret_count = iter.count;
        return 0;
}

static int decode_expression(const struct json *expression, struct arena *arena,
                             struct selector_requirement *requirement, struct err *err) {
        static const struct {
                const char *name;
                enum selector_spelling spelling;
        } operators[] = { { "In", SPELLED_IN },
                          { "NotIn", SPELLED_NOT_IN },
                          { "Exists", SPELLED_EXISTS },
                          { "DoesNotExist", SPELLED_NOT_EXISTS } };
        if (json_type(expression) != JSON_OBJECT)
                return wrong_type(expression, "", "object", err);
        struct slice key = json_get_text(expression, "key"), *values;
        struct slice op = json_get_text(expression, "operator");
        size_t count;
        int r = decode_values(json_get(expression, "values"), arena, &values, &count, err);
        if (r < 0)
                return r;
        for (size_t i = 0; i < sizeof(operators) / sizeof(operators[0]); i++) {
                if (slice_is(op, operators[i].name))
                        return requirement_init(requirement, operators[i].spelling, key, values,
                                                count, err);
        }
        return err_set(err, BERTH_ERR_INVALID,
                       "\"" SLICE_FMT "\" is not a valid label selector operator", SLICE_ARG(op));
}

static int decode_expressions(const struct json *list, struct arena *arena,
                              struct selector *selector, struct err *err) {
        struct json_iter iter = json_iter(list);
        const struct json *expression;
        char segment[48];
        if (!is_absent(list) && json_type(list) != JSON_ARRAY)
                return wrong_type(list, "matchExpressions", "array", err);
        while (json_next(&iter, NULL, &expression)) {
                int r = decode_expression(expression, arena,
                                          &selector->requirements[selector->count], err);
                if (r < 0) {
                        snprintf(segment, sizeof(segment), "matchExpressions[%zu]", iter.index - 1);
                        err_path_prepend(err, segment);
                        return r;
                }
                selector->count++;
        }
        return 0;
}

int selector_decode(const struct json *value, struct arena *arena, struct selector *ret_selector,
                    struct err *err) {
        if (is_absent(value)) {
                *ret_selector = (struct selector){ .matches_nothing = true };
                return 0;
        }
        if (json_type(value) != JSON_OBJECT)
                return wrong_type(value, "", "object", err);
        const struct json *labels = json_get(value, "matchLabels");
        const struct json *expressions = json_get(value, "matchExpressions");
        size_t max = json_count(labels) + json_count(expressions);
        if (max > SELECTOR_REQUIREMENT_MAX)
                return err_set(err, BERTH_ERR_INVALID, "selector with more than %d requirements",
                               SELECTOR_REQUIREMENT_MAX);
        struct selector selector = { .requirements =
                                             ARENA_ARRAY(arena, struct selector_requirement, max) };
        int r = decode_labels(labels, arena, &selector, err);
        if (r == 0)
                r = decode_expressions(expressions, arena, &selector, err);
        if (r < 0)
                return r;
        requirements_sort(selector.requirements, selector.count);
        *ret_selector = selector;
        return 0;
}

/* ---- matching ---- */

/* Values are sorted. */
static bool has_value(const struct selector_requirement *requirement, struct slice value) {
        if (requirement->value_count > SHORT_MAX)
                return bsearch(&value, requirement->values, requirement->value_count, sizeof(value),
                               compare_slices);
        for (size_t i = 0; i < requirement->value_count; i++) {
                if (slice_eq(requirement->values[i], value))
                        return true;
        }
        return false;
}

bool selector_requirement_matches(const struct selector_requirement *requirement, bool has_key,
                                  struct slice value) {
        int64_t number;
        switch (requirement->op) {
        case SELECTOR_IN:
                return has_key && has_value(requirement, value);
        case SELECTOR_NOT_IN:
                return !has_key || !has_value(requirement, value);
        case SELECTOR_EXISTS:
                return has_key;
        case SELECTOR_NOT_EXISTS:
                return !has_key;
        case SELECTOR_GT:
                return has_key && slice_to_i64(value, &number) && number > requirement->number;
        case SELECTOR_LT:
                return has_key && slice_to_i64(value, &number) && number < requirement->number;
        }
        return false;
}

static int compare_labels(const void *a, const void *b) {
        return slice_compare(((const struct label *)a)->key, ((const struct label *)b)->key);
}

/* By binary search in a copy that is sorted; label keys are unique. */
static bool matches_many(const struct selector *selector, struct label_list labels) {
        struct label *sorted = xcalloc(labels.count, sizeof(*sorted));
        bool matches = true;
        memcpy(sorted, labels.items, labels.count * sizeof(*sorted));
        qsort(sorted, labels.count, sizeof(*sorted), compare_labels);
        for (size_t i = 0; i < selector->count && matches; i++) {
                const struct selector_requirement *requirement = &selector->requirements[i];
                const struct label *label =
                        bsearch(&(struct label){ .key = requirement->key }, sorted, labels.count,
                                sizeof(*sorted), compare_labels);
                matches = selector_requirement_matches(requirement, label,
                                                       label ? label->value : SLICE_EMPTY);
        }
        free(sorted);
        return matches;
}

bool selector_matches(const struct selector *selector, struct label_list labels) {
        if (selector->matches_nothing)
                return false;
        if (selector->count > SHORT_MAX && labels.count > SHORT_MAX)
                return matches_many(selector, labels);
        for (size_t i = 0; i < selector->count; i++) {
                const struct selector_requirement *requirement = &selector->requirements[i];
                struct slice value = SLICE_EMPTY;
                bool has_key = false;
                for (size_t j = 0; j < labels.count && !has_key; j++) {
                        has_key = slice_eq(labels.items[j].key, requirement->key);
                        value = labels.items[j].value;
                }
                if (!selector_requirement_matches(requirement, has_key, value))
                        return false;
        }
        return true;
}

bool selector_is_empty(const struct selector *selector) {
        return !selector->matches_nothing && selector->count == 0;
}

/* ---- printing ---- */

static bool print_requirement(const struct selector_requirement *requirement, struct buf *out) {
        static const char *const set_words[] = {
                [SELECTOR_IN] = " in (", [SELECTOR_NOT_IN] = " notin (",
                [SELECTOR_EXISTS] = "",  [SELECTOR_NOT_EXISTS] = "",
                [SELECTOR_GT] = ">",     [SELECTOR_LT] = "<"
        };
        bool is_set = !requirement->is_equals &&
                      (requirement->op == SELECTOR_IN || requirement->op == SELECTOR_NOT_IN);
        const char *word = set_words[requirement->op];
        if (requirement->is_equals)
                word = requirement->op == SELECTOR_NOT_IN ? "!="
                       : requirement->is_double_equals    ? "=="
                                                          : "=";
        if (requirement->op == SELECTOR_NOT_EXISTS)
                buf_char(out, '!');
        buf_slice(out, requirement->key);
        buf_text(out, word);
        for (size_t i = 0; i < requirement->value_count; i++) {
                buf_text(out, i > 0 ? "," : "");
                buf_slice(out, requirement->values[i]);
        }
        return buf_text(out, is_set ? ")" : "");
}

bool selector_print(const struct selector *selector, struct buf *out) {
        bool ok = true;
        for (size_t i = 0; i < selector->count; i++) {
                ok = buf_text(out, i > 0 ? "," : "");
                ok = print_requirement(&selector->requirements[i], out) && ok;
        }
        return ok && !out->overflowed;
}

/* ---- labels ---- */

struct label_list label_list_decode(const struct json *object, struct arena *arena) {
        size_t count;
        CLEANUP(cleanup_free) struct json_member *members = json_members(object, &count);
        struct label_list labels = { .items = ARENA_ARRAY(arena, struct label, count) };
        for (size_t i = 0; i < count; i++) {
                if (json_type(members[i].value) == JSON_STRING)
                        labels.items[labels.count++] =
                                (struct label){ members[i].key, json_text(members[i].value) };
        }
        return labels;
}

struct slice label_list_get(struct label_list labels, const char *key, bool *ret_found) {
        struct slice wanted = slice_of(key);
        for (size_t i = 0; i < labels.count; i++) {
                if (slice_eq(labels.items[i].key, wanted)) {
                        if (ret_found)
                                *ret_found = true;
                        return labels.items[i].value;
                }
        }
        if (ret_found)
                *ret_found = false;
        return SLICE_EMPTY;
}
