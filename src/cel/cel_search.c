/* Searches by regular expression, and lists ordered by a key. */
#include "cel/cel_function.h"

#include "base/buf.h"
#include "base/regex.h"
#include "base/util.h"

struct cel_value cel_regex_error(struct cel_run *run, struct slice pattern, const char *prefix) {
        CLEANUP(buf_release) struct buf problem = { 0 };

        if (!regex_problem(pattern, &problem))
                buf_text(&problem, "expression too large"); /* for this program only */
        return cel_error(run, "%serror parsing regexp: %s", prefix, problem.data);
}

/* ---- find ---- */

/* Up to `count` matches, one behind the other; an error, or a list in *ret_list. */
static struct cel_value cel_search_all(struct cel_run *run, const struct cel_value *args,
                                       int64_t count) {
        struct slice text = args[0].as.text;
        struct cel_builder made = { 0 };
        struct regex *regex = regex_new(args[1].as.text, NULL);
        size_t from = 0, start, end;

        if (!regex)
                return cel_regex_error(run, args[1].as.text, "Illegal regex: ");
        while ((int64_t)made.count < count && cel_spend(run, 10 + text.len) &&
               regex_find(regex, text, from, &start, &end)) {
                struct cel_value found =
                        cel_text(CEL_STRING, slice_make(text.ptr + start, end - start));

                cel_push(run, &made, &found);
                from = end > start ? end : end + 1; /* nothing may match again where it did */
                while (from < text.len && ((unsigned char)text.ptr[from] & 0xc0) == 0x80)
                        from++;
        }
        regex_free(regex);
        return cel_list(made.items, made.count);
}

FUNCTION(find) {
        struct cel_value list = cel_search_all(run, args, 1);

        if (list.kind == CEL_ERROR)
                return list;
        return list.count ? list.as.items[0] : cel_text(CEL_STRING, SLICE_EMPTY);
}

FUNCTION(find_all) {
        return cel_search_all(run, args, INT64_MAX);
}

FUNCTION(find_some) {
        int64_t count = args[2].as.integer;

        return cel_search_all(run, args, count < 0 ? INT64_MAX : count);
}

/* ---- order ---- */

struct cel_value cel_sort_pairs(struct cel_run *run, struct cel_value *pairs, size_t count) {
        struct cel_value *items = ARENA_ARRAY(run->arena, struct cel_value, count);
        int order = 0;

        for (size_t i = 0; i < count; i++) {
                struct cel_value item = pairs[2 * i], key = pairs[2 * i + 1];
                size_t at = i;

                if (i > 0 && !cel_compare(&pairs[1], &key, &order))
                        return cel_error(run, "list elements must be comparable");
                while (at > 0 && cel_spend(run, 1) &&
                       cel_compare(&pairs[2 * at - 1], &key, &order) && order > 0) {
                        items[at] = items[at - 1];
                        pairs[2 * at + 1] = pairs[2 * at - 1];
                        at--;
                }
                items[at] = item;
                pairs[2 * at + 1] = key;
        }
        return cel_list(items, count);
}

static const struct cel_function rows[] = {
        { "find", true, CEL_STRING, find, 2, { CEL_STRING, CEL_STRING } },
        { "findAll", true, CEL_STRINGS, find_all, 2, { CEL_STRING, CEL_STRING } },
        { "findAll", true, CEL_STRINGS, find_some, 3, { CEL_STRING, CEL_STRING, CEL_INT } },
};
const struct cel_function_set cel_search_functions = { rows, ARRAY_LEN(rows) };
