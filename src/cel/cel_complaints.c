/* What is wrong with an expression: all of it, in the order of the places. */
#include "cel/cel_check_priv.h"

#include "base/buf.h"

/* The rest is checked too: what is wrong has any type there. */
int cel_check_fail(struct cel_checker *checker, const struct cel_node *node, const char *text) {
        size_t i = checker->complaint_count;

        if (i == COMPLAINTS_MAX)
                return 0;
        for (; i > 0 && checker->complaints[i - 1].at > node->at; i--)
                checker->complaints[i] = checker->complaints[i - 1];
        checker->complaints[i] = (struct complaint){ node->at, text };
        checker->complaint_count++;
        return 0;
}

void cel_check_fail_late(struct cel_checker *checker, const struct cel_node *node,
                         const char *text) {
        if (!checker->late.code)
                cel_fail(&checker->late, checker->program->source, node->at, "%s", text);
}

/* All of them, in the order of the places. */
int cel_check_complain(const struct cel_checker *checker) {
        CLEANUP(buf_release) struct buf all = { 0 };

        if (checker->complaint_count == 0 && checker->late.code)
                return err_set(checker->err, BERTH_ERR_INVALID, "%s", checker->late.text);
        if (checker->complaint_count == 0)
                return 0;
        for (size_t i = 0; i < checker->complaint_count; i++) {
                struct err one = { 0 };

                cel_fail(&one, checker->program->source, checker->complaints[i].at, "%s",
                         checker->complaints[i].text);
                buf_printf(&all, "%s%s", i ? "\n" : "", one.text);
        }
        return err_set(checker->err, BERTH_ERR_INVALID, "%s", all.data);
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
