/* What is wrong with an expression: all of it, in the order of the places. */
#include "cel/cel_check_priv.h"

#include "base/buf.h"
#include <stdarg.h>

static void cel_complaints_add(struct complaints *complaints, size_t at, const char *text) {
        size_t i = complaints->count;

        if (i == COMPLAINTS_MAX)
                return;
        for (; i > 0 && complaints->items[i - 1].at > at; i--)
                complaints->items[i] = complaints->items[i - 1];
        complaints->items[i] = (struct complaint){ at, text };
        complaints->count++;
}

void cel_check_fail_at(struct cel_checker *checker, size_t at, const char *text) {
        cel_complaints_add(&checker->complaints, at, text);
}

/* The rest is checked too: what is wrong has any type there. */
int cel_check_fail(struct cel_checker *checker, const struct cel_node *node, const char *text) {
        cel_complaints_add(&checker->complaints, node->at, text);
        return 0;
}

void cel_check_fail_late(struct cel_checker *checker, const struct cel_node *node,
                         const char *format, ...) {
        CLEANUP(buf_release) struct buf text = { 0 };
        va_list args;

        va_start(args, format);
        buf_vprintf(&text, format, args);
        va_end(args);
        cel_complaints_add(&checker->late, node->at,
                           arena_slice(checker->arena, buf_view(&text)).ptr);
}

int cel_check_complain(const struct cel_checker *checker) {
        const struct complaints *complaints =
                checker->complaints.count ? &checker->complaints : &checker->late;
        CLEANUP(buf_release) struct buf all = { 0 };

        for (size_t i = 0; i < complaints->count; i++) {
                struct err one = { 0 };

                cel_fail(&one, checker->program->source, complaints->items[i].at, "%s",
                         complaints->items[i].text);
                buf_printf(&all, "%s%s", i ? "\n" : "", one.text);
        }
        return complaints->count ? err_set(checker->err, BERTH_ERR_INVALID, "%s", all.data) : 0;
}

int cel_check_fail_bool(struct cel_checker *checker, const struct cel_node *node) {
        return cel_check_fail(checker, node,
                              arena_printf(checker->arena, "expected type 'bool' but found '%s'",
                                           cel_type_text(checker->arena, node->type)));
}

int cel_check_fail_overload(struct cel_checker *checker, const struct cel_node *node) {
        struct buf types = { 0 };
        size_t first = node->is_member ? 1 : 0;

        for (size_t i = first; i < node->arg_count; i++) {
                buf_text(&types, i > first ? ", " : "");
                buf_text(&types, cel_type_text(checker->arena, node->args[i]->type));
        }
        const char *text = arena_printf(
                checker->arena,
                "found no matching overload for '" SLICE_FMT "' applied to '%s%s" SLICE_FMT ")'",
                SLICE_ARG(node->name),
                first ? cel_type_text(checker->arena, node->args[0]->type) : "", first ? ".(" : "(",
                SLICE_ARG(buf_view(&types)));
        buf_release(&types);
        return cel_check_fail(checker, node, text);
}
