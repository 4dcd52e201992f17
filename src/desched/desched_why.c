/* Why a rule evicts nothing: what its run counted, and that as text. */
#include "base/util.h"
#include "desched/descheduler_priv.h"
#include <stdlib.h>

static int desched_why_compare(const void *left, const void *right) {
        const struct desched_spared_count *a = left, *b = right;
        if (a->count != b->count)
                return a->count > b->count ? -1 : 1;
        return slice_compare(a->text, b->text);
}

void desched_report_why(const struct desched_run *run, struct arena *arena,
                        struct desched_rule_report *rule) {
        struct desched_spared_count *causes =
                ARENA_ARRAY(arena, struct desched_spared_count, run->cause_count);
        size_t count = 0;
        for (size_t i = 0; i < run->cause_count; i++)
                if (run->causes[i].count > 0)
                        causes[count++] = (struct desched_spared_count){
                                arena_slice(arena, run->causes[i].text), run->causes[i].count
                        };
        if (count > 1)
                qsort(causes, count, sizeof(*causes), desched_why_compare);
        rule->causes = causes;
        rule->cause_count = count;
        rule->young_count = run->young_count;
        rule->idle = arena_slice(arena, run->idle);
}

static void why_add(struct buf *out, uint32_t count, const char *what) {
        if (count > 0)
                buf_printf(out, "%s%u: %s", out->len ? "; " : "", count, what);
}

static void why_young(const struct desched_rule_report *rule, struct wall_time now,
                      struct buf *out) {
        char wait[DURATION_TEXT_MAX];
        if (rule->young_count == 0)
                return;
        buf_printf(out, "%u: too young", rule->young_count);
        if (!rule->has_due)
                return;
        duration_format_human(rule->due.ns > now.ns ? rule->due.ns - now.ns : 0, wait);
        buf_printf(out, ", the first is due in %s", wait);
}

void desched_rule_explain(const struct desched_rule_report *rule, struct wall_time now,
                          struct buf *out) {
        if (rule->evicted > 0 || rule->was_passed_over)
                return;
        if (rule->code != BERTH_OK) {
                buf_text(out, rule->text);
                return;
        }
        why_young(rule, now, out);
        for (size_t i = 0; i < rule->cause_count; i++)
                buf_printf(out, "%s%u: " SLICE_FMT, out->len ? "; " : "", rule->causes[i].count,
                           SLICE_ARG(rule->causes[i].text));
        why_add(out, rule->limited, "kept by a limit");
        why_add(out, rule->refused, "kept by a budget or an EvictionPolicy, or asked for already");
        if (rule->idle.len)
                buf_printf(out, "%s" SLICE_FMT, out->len ? "; " : "", SLICE_ARG(rule->idle));
        if (!out->len)
                buf_text(out, "no pod matches");
}
