/* The answer, violations with their seeds, counts. */
#include "cmd/simulate_page.h"

#include "base/arena.h"
#include "cmd/report_file.h"
#include "show/amount.h"

void simulate_outcome_violated(struct simulate_outcome *outcome, const char *text) {
        if (outcome->violations++ < SIMULATE_VIOLATIONS_MAX)
                buf_printf(&outcome->texts, "%s\n", text);
}

static void write_head(const struct simulate_outcome *outcome, const struct report_facts *facts,
                       struct report *report) {
        CLEANUP(buf_release) struct buf line = { 0 };
        CLEANUP(buf_release) struct buf detail = { 0 };

        if (outcome->violations) {
                amount_many(&line, outcome->violations, "run");
                buf_text(&line, " of ");
                amount_count(&line, outcome->runs);
                buf_text(&line, outcome->violations == 1 ? " breaks a rule" : " break a rule");
        } else {
                amount_many(&line, outcome->runs, "run");
                buf_text(&line, ", and no rule was broken");
        }
        amount_span(&detail, outcome->virtual_ns / NS_PER_S);
        buf_text(&detail, " of virtual time, in which calls, watches and processes failed. Rules "
                          "are checked at every change.");
        report_begin(report,
                     &(struct report_head){ .title = "berth simulate",
                                            .headline = buf_view(&line),
                                            .detail = buf_view(&detail),
                                            .tone = outcome->violations ? REPORT_BAD : REPORT_GOOD,
                                            .facts = facts->items,
                                            .fact_count = facts->count });
}

static void write_violations(const struct simulate_outcome *outcome, struct report *report) {
        static const char *const heads[] = { "Violation", NULL };
        struct slice rest = buf_view(&outcome->texts), line;

        if (!outcome->violations)
                return;
        report_section(report, "Violations", "Each names the seed that repeats it.");
        report_table(report, heads);
        while (slice_split(&rest, '\n', &line))
                if (line.len)
                        report_cell(report, line);
        report_table_end(report);
        if (outcome->violations > SIMULATE_VIOLATIONS_MAX)
                report_more(report, (size_t)outcome->violations - SIMULATE_VIOLATIONS_MAX,
                            "standard output has all of them");
}

static void write_rows(const char *title, const char *head, const struct simulate_row *rows,
                       size_t count, struct report *report) {
        const char *const heads[] = { head, "#Number", NULL };

        report_section(report, title, NULL);
        report_table(report, heads);
        for (size_t i = 0; i < count; i++) {
                report_cell(report, slice_of(rows[i].name));
                report_count(report, (int64_t)rows[i].count);
        }
        report_table_end(report);
}

void simulate_page_write(const struct simulate_outcome *outcome, const struct report_facts *facts,
                         struct buf *out) {
        struct report report = { .out = out };

        write_head(outcome, facts, &report);
        write_violations(outcome, &report);
        write_rows("What happened", "What", outcome->counts, outcome->count_count, &report);
        write_rows("Faults of calls, watches and processes", "Fault", outcome->faults,
                   outcome->fault_count, &report);
        if (outcome->trouble_count)
                write_rows("Troubles of nodes and agents", "Trouble", outcome->troubles,
                           outcome->trouble_count, &report);
        report_end(&report);
}
