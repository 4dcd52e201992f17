/* Sets of field paths: algebra, order, messages. */
#include "schema/field_set.h"

#include "base/arena.h"
#include "base/utf8.h"
#include "base/util.h"
#include "schema/field_step.h"
#include <stdlib.h>
#include <string.h>

bool field_set_is_empty(const struct json_node *set) {
        return node_count(set) == 0;
}

bool field_set_is_member(const struct json_node *set) {
        return set && (node_count(set) == 0 || node_get(set, "."));
}

void field_set_make_member(struct json_tree *tree, struct json_node *set) {
        if (node_count(set) && !node_get(set, "."))
                node_put(tree, set, ".", node_object(tree));
}

/* False: a step is none. *ret_is_plain: all are as the API server writes them. */
static bool look_at_steps(const struct json_node *set, struct buf *step, bool *ret_is_plain) {
        struct node_iter iter = node_iter(set);
        struct json_node *child;
        struct slice name;

        if (node_type(set) != JSON_OBJECT)
                return false;
        while (node_next(&iter, &name, &child)) {
                enum field_step_form form = field_step_read(name, step);

                *ret_is_plain &= form == FIELD_STEP_CANONICAL;
                if (form == FIELD_STEP_INVALID ||
                    (form != FIELD_STEP_UNKNOWN && !look_at_steps(child, step, ret_is_plain)))
                        return false;
        }
        return true;
}

/* A copy in the API server's form. */
static struct json_node *write_again(struct json_tree *tree, const struct json_node *set,
                                     struct buf *step) {
        struct json_node *copy = node_object(tree), *child;
        struct node_iter iter = node_iter(set);
        struct slice name;

        while (node_next(&iter, &name, &child)) {
                enum field_step_form form = field_step_read(name, step);

                if (form == FIELD_STEP_UNKNOWN)
                        continue;
                CLEANUP(buf_release) struct buf own = { 0 };
                buf_slice(&own, form == FIELD_STEP_OTHER ? buf_view(step) : name);
                struct json_node *below = write_again(tree, child, step);
                struct json_node *there = node_find(copy, buf_view(&own));
                if (there)
                        field_set_add(tree, there, below);
                else
                        node_set(tree, copy, buf_view(&own), below);
        }
        return copy;
}

struct json_node *field_set_read(struct json_tree *tree, struct json_node *set) {
        CLEANUP(buf_release) struct buf step = { 0 };
        bool is_plain = true;

        node_remove(set, "."); /* the object itself is nobody's */
        if (!look_at_steps(set, &step, &is_plain))
                return NULL;
        return is_plain ? set : write_again(tree, set, &step);
}

/* ---- algebra ---- */

void field_set_add(struct json_tree *tree, struct json_node *set, const struct json_node *plus) {
        struct node_iter iter = node_iter(plus);
        struct json_node *child;
        struct slice name;

        while (node_next(&iter, &name, &child)) {
                struct json_node *mine = node_find(set, name);

                if (!mine) {
                        node_set(tree, set, name, node_clone(tree, child));
                        continue;
                }
                bool is_member = field_set_is_member(mine) || field_set_is_member(child);
                field_set_add(tree, mine, child);
                if (is_member)
                        field_set_make_member(tree, mine);
        }
}

/* Takes minus out of what lies below mine; true when nothing is left of it. */
static bool subtract_child(struct json_node *mine, const struct json_node *minus) {
        bool is_gone = field_set_is_member(minus);

        if (node_count(mine) == 0)
                return is_gone;
        bool is_member = node_get(mine, ".") && !is_gone;
        field_set_subtract(mine, minus);
        if (is_gone)
                node_remove(mine, ".");
        return node_count(mine) == 0 && !is_member;
}

/* Goes through the smaller one: many owners that lose the same large set cost what they own. */
void field_set_subtract(struct json_node *set, const struct json_node *minus) {
        bool is_smaller = node_count(set) < node_count(minus);
        struct node_iter iter = node_iter(is_smaller ? set : minus);
        struct json_node *child;
        struct slice name;

        while (node_next(&iter, &name, &child)) {
                struct json_node *other =
                        slice_is(name, ".") ? NULL : node_find(is_smaller ? minus : set, name);

                if (!other)
                        continue;
                if (!is_smaller && subtract_child(other, child))
                        node_remove_slice(set, name);
                else if (is_smaller && subtract_child(child, other))
                        node_drop(&iter);
        }
}

void field_set_cut(struct json_node *set, const struct json_node *minus) {
        struct node_iter iter = node_iter(minus);
        struct json_node *child;
        struct slice name;

        while (node_next(&iter, &name, &child)) {
                struct json_node *mine = slice_is(name, ".") ? NULL : node_find(set, name);

                if (!mine)
                        continue;
                bool was_leaf = node_count(mine) == 0;
                if (!field_set_is_member(child))
                        field_set_cut(mine, child);
                if (field_set_is_member(child) || (!was_leaf && node_count(mine) == 0))
                        node_remove_slice(set, name);
        }
}

struct json_node *field_set_common(struct json_tree *tree, const struct json_node *set,
                                   const struct json_node *with) {
        struct json_node *common = node_object(tree), *child;
        struct node_iter iter = node_iter(set);
        struct slice name;

        while (node_next(&iter, &name, &child)) {
                const struct json_node *other = slice_is(name, ".") ? NULL : node_find(with, name);

                if (!other)
                        continue;
                struct json_node *inner = field_set_common(tree, child, other);
                bool is_member = field_set_is_member(child) && field_set_is_member(other);
                if (is_member)
                        field_set_make_member(tree, inner);
                if (is_member || node_count(inner))
                        node_set(tree, common, name, inner);
        }
        return common;
}

/* ---- order ---- */

struct set_step {
        struct slice name;
        struct json_node *set;
};

static bool is_digit(char c) {
        return c >= '0' && c <= '9';
}

/* Numbers by value, texts by the characters that they stand for, all else byte by byte. Steps of
 * one list have their texts at the same places, so numbers meet numbers. */
static int compare_numbers(struct slice a, struct slice b, size_t at) {
        size_t x = at, y = at;

        while (x < a.len && is_digit(a.ptr[x]))
                x++;
        while (y < b.len && is_digit(b.ptr[y]))
                y++;
        if (x != y)
                return x < y ? -1 : 1;
        return slice_compare(a, b);
}

/* First place where they differ, back to where the number begins that it is in; false when it is in
 * none. */
static bool find_number(struct slice a, struct slice b, size_t *ret_at) {
        bool is_quoted = false;
        size_t at = 0;

        while (at < a.len && at < b.len && a.ptr[at] == b.ptr[at]) {
                is_quoted ^= a.ptr[at] == '"' && a.ptr[at - 1] != '\\';
                at++;
        }
        if (is_quoted)
                return false;
        while (at > 2 && is_digit(a.ptr[at - 1]))
                at--;
        *ret_at = at;
        return at < a.len && at < b.len && is_digit(a.ptr[at]) && is_digit(b.ptr[at]);
}

/* Of a text that begins with a backslash; its length. */
static size_t escape_decode(struct slice text, uint32_t *ret_code) {
        static const char meant[][2] = {
                { 'b', '\b' }, { 'f', '\f' }, { 'n', '\n' }, { 'r', '\r' }, { 't', '\t' }
        };
        char digits[5] = "";

        if (text.ptr[1] == 'u' && text.len >= 6) {
                memcpy(digits, text.ptr + 2, 4);
                *ret_code = (uint32_t)strtoul(digits, NULL, 16);
                return 6;
        }
        *ret_code = (unsigned char)text.ptr[1];
        for (size_t i = 0; i < ARRAY_LEN(meant); i++)
                if (text.ptr[1] == meant[i][0])
                        *ret_code = (unsigned char)meant[i][1];
        return 2;
}

/* Takes a character off a text, or the escape that stands for it. A quote is -1: the end of a text
 * comes before all characters. */
static int32_t take_character(struct slice *text) {
        uint32_t code = (unsigned char)text->ptr[0];
        bool is_quote = text->ptr[0] == '"';
        size_t length = text->ptr[0] == '\\' && text->len > 1 ? escape_decode(*text, &code)
                                                              : utf8_decode(*text, &code);

        length = length ? length : 1;
        *text = slice_make(text->ptr + length, text->len - length);
        return is_quote ? -1 : (int32_t)code;
}

static int compare_texts(struct slice a, struct slice b) {
        while (a.len && b.len) {
                int32_t x = take_character(&a), y = take_character(&b);

                if (x != y)
                        return x < y ? -1 : 1;
        }
        return a.len ? 1 : b.len ? -1 : 0;
}

static int compare_names(struct slice a, struct slice b) {
        bool is_field = a.len && b.len && (a.ptr[0] == 'f' || a.ptr[0] != b.ptr[0]);
        size_t at;

        if (is_field)
                return slice_compare(a, b);
        return find_number(a, b, &at) ? compare_numbers(a, b, at) : compare_texts(a, b);
}

static int compare_steps(const void *left, const void *right) {
        return compare_names(((const struct set_step *)left)->name,
                             ((const struct set_step *)right)->name);
}

/* Steps below a set without the ".", in order; from malloc. */
static struct set_step *steps_of(const struct json_node *set, size_t *ret_count) {
        struct set_step *steps = xcalloc(node_count(set) + 1, sizeof(*steps));
        struct node_iter iter = node_iter(set);
        bool is_sorted = true;
        size_t count = 0;

        while (node_next(&iter, &steps[count].name, &steps[count].set)) {
                if (slice_is(steps[count].name, "."))
                        continue;
                is_sorted &= count == 0 || compare_steps(&steps[count - 1], &steps[count]) < 0;
                count++;
        }
        if (!is_sorted)
                qsort(steps, count, sizeof(*steps), compare_steps);
        *ret_count = count;
        return steps;
}

void field_set_sort(struct json_node *set) {
        struct json_node *child;

        if (node_count(set) == 1)
                node_remove(set, ".");
        node_sort(set, compare_names);
        struct node_iter iter = node_iter(set);
        while (node_next(&iter, NULL, &child))
                if (node_count(child))
                        field_set_sort(child);
}

/* ---- messages ---- */

static void each_below(const struct json_node *set, struct buf *path,
                       void (*found)(void *context, const char *path), void *context) {
        size_t count, length = path->len;
        struct set_step *steps = steps_of(set, &count);

        for (size_t i = 0; i < 2 * count; i++) {
                const struct set_step *step = &steps[i % count];

                field_step_print(step->name, path);
                if (i >= count)
                        each_below(step->set, path, found, context);
                else if (field_set_is_member(step->set))
                        found(context, path->data);
                path->len = length;
                path->data[length] = '\0';
        }
        free(steps);
}

void field_set_each(const struct json_node *set, void (*found)(void *context, const char *path),
                    void *context) {
        struct buf path = { 0 };

        buf_reserve(&path, 64);
        each_below(set, &path, found, context);
        buf_release(&path);
}
