/* Templates of scheduler_perf. */
#include "sim/perf_template.h"
#include "base/util.h"
#include "config/document.h"
#include <stdlib.h>

struct perf_template {
        char *path;
        struct buf text;
        struct json_tree *fixed; /* when no number stands in the text */
};

/* Numbers of one object. */
struct numbers {
        int64_t index, count;
};

void perf_template_free(struct perf_template *template) {
        if (!template)
                return;
        free(template->path);
        buf_release(&template->text);
        json_tree_free(template->fixed);
        free(template);
}

const char *perf_template_path(const struct perf_template *template) {
        return template->path;
}

int perf_template_open(const struct perf_files *files, const char *path,
                       struct perf_template **ret_template, struct err *err) {
        struct perf_template *template = xcalloc(1, sizeof(*template));
        template->path = slice_dup(slice_of(path));
        int code = files->read(files->context, path, &template->text, err);
        struct slice text = buf_view(&template->text);
        if (code == 0 && !slice_contains(text, SLICE_LITERAL("{{")))
                code = document_read_tree(text, &template->fixed, err);
        if (code < 0) {
                err_position(err, path, err->line, err->column);
                perf_template_free(template);
                return code;
        }
        *ret_template = template;
        return 0;
}

/* ---- expressions ---- */

static struct slice next_word(struct slice *rest) {
        struct slice word = SLICE_EMPTY;
        while (slice_is_empty(word) && rest->ptr && slice_split(rest, ' ', &word))
                continue;
        return word;
}

static bool read_number(struct slice word, const struct numbers *numbers, int64_t *ret_value) {
        if (slice_is(word, ".Index"))
                *ret_value = numbers->index;
        else if (slice_is(word, ".Count"))
                *ret_value = numbers->count;
        else
                return slice_to_i64(word, ret_value);
        return true;
}

static bool perf_template_apply(struct slice function, int64_t a, int64_t b, int64_t *ret_value) {
        if (slice_is(function, "Mod") && b != 0)
                *ret_value = a % b;
        else if (slice_is(function, "DivideInt") && b != 0)
                *ret_value = a / b;
        else if (slice_is(function, "AddInt"))
                *ret_value = a + b;
        else if (slice_is(function, "SubtractInt"))
                *ret_value = a - b;
        else if (slice_is(function, "MultiplyInt"))
                *ret_value = a * b;
        else
                return false;
        return true;
}

/* A number, or a function of two. */
static bool perf_template_evaluate(struct slice text, const struct numbers *numbers,
                                   int64_t *ret_value) {
        struct slice rest = slice_trim(text), word = next_word(&rest);
        int64_t a, b;
        if (read_number(word, numbers, ret_value))
                return slice_is_empty(next_word(&rest));
        return read_number(next_word(&rest), numbers, &a) &&
               read_number(next_word(&rest), numbers, &b) &&
               perf_template_apply(word, a, b, ret_value) && slice_is_empty(next_word(&rest));
}

static int perf_template_expand(struct slice text, const struct numbers *numbers, struct buf *out,
                                struct err *err) {
        while (text.len > 0) {
                const char *open = memmem(text.ptr, text.len, "{{", 2);
                size_t before = !open ? text.len : (size_t)(open - text.ptr);
                buf_append(out, text.ptr, before);
                text = slice_make(text.ptr + before, text.len - before);
                if (!open)
                        break;
                const char *close = memmem(text.ptr, text.len, "}}", 2);
                size_t inside = !close ? text.len - 2 : (size_t)(close - open) - 2;
                struct slice expression = slice_make(open + 2, inside);
                int64_t value;
                if (!close || !perf_template_evaluate(expression, numbers, &value))
                        return err_set(err, BERTH_ERR_INVALID,
                                       "expected .Index, .Count or a function of two numbers in "
                                       "braces, found \"" SLICE_FMT "\"",
                                       SLICE_ARG(expression));
                buf_printf(out, "%lld", (long long)value);
                text = slice_make(close + 2, text.len - inside - 4);
        }
        return 0;
}

int perf_template_make(struct perf_template *template, int64_t index, int64_t count,
                       struct json_tree **ret_tree, struct err *err) {
        struct numbers numbers = { index, count };
        CLEANUP(buf_release) struct buf text = { 0 };
        if (template->fixed) {
                *ret_tree = json_tree_new();
                json_tree_set_root(*ret_tree,
                                   node_clone(*ret_tree, json_tree_root(template->fixed)));
                return 0;
        }
        int code = perf_template_expand(buf_view(&template->text), &numbers, &text, err);
        if (code == 0)
                code = document_read_tree(buf_view(&text), ret_tree, err);
        if (code < 0)
                err_position(err, template->path, err->line, err->column);
        return code;
}
