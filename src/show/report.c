/* The frame of a report, its facts, figures, folds and tables. */
#include "show/report.h"

#include "base/arena.h"
#include "base/base64.h"
#include "base/sha256.h"
#include "base/utf8.h"
#include "base/util.h"
#include "show/amount.h"
#include "show/report_style.h"
#include <math.h>
#include <string.h>

static const char *const tone_names[] = { "calm", "good", "warn", "bad" };

void report_escape(struct buf *out, struct slice text) {
        for (size_t i = 0; i < text.len;) {
                size_t len = utf8_sequence_len(slice_make(text.ptr + i, text.len - i));
                unsigned char c = (unsigned char)text.ptr[i];

                if (c == '&')
                        buf_text(out, "&amp;");
                else if (c == '<')
                        buf_text(out, "&lt;");
                else if (c == '>')
                        buf_text(out, "&gt;");
                else if (c == '"')
                        buf_text(out, "&quot;");
                else if (c == '\'')
                        buf_text(out, "&#39;");
                else if (len == 0 || (c < ' ' && c != '\n' && c != '\t') || c == 0x7f)
                        buf_text(out, "\xef\xbf\xbd");
                else
                        buf_append(out, text.ptr + i, len);
                i += len ? len : 1;
        }
}

/* ---- the frame ---- */

/* The policy lets this one style in, by its hash, and nothing else. */
static void put_style(struct buf *out) {
        CLEANUP(buf_release) struct buf style = { 0 };
        uint8_t digest[SHA256_SIZE];

        for (const struct embedded_text *text = report_styles; text->text; text++)
                buf_append(&style, text->text, text->size);
        sha256(buf_view(&style), digest);
        buf_text(out, "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
                      "base-uri 'none'; form-action 'none'; style-src 'sha256-");
        base64_encode(slice_make((const char *)digest, sizeof(digest)), BASE64_STANDARD, out);
        buf_text(out, "'\">\n<style>");
        buf_slice(out, buf_view(&style));
        buf_text(out, "</style>\n");
}

static void put_facts(struct buf *out, const struct report_head *head) {
        buf_text(out, "<dl class=\"facts\">");
        for (size_t i = 0; i < head->fact_count; i++) {
                if (!head->facts[i].value.len)
                        continue;
                buf_printf(out, "<div><dt>%s</dt><dd>", head->facts[i].label);
                report_escape(out, head->facts[i].value);
                buf_text(out, "</dd></div>");
        }
        buf_text(out, "</dl>\n");
}

void report_begin(struct report *report, const struct report_head *head) {
        struct buf *out = report->out;

        buf_printf(out,
                   "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">"
                   "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">"
                   "<meta name=\"referrer\" content=\"no-referrer\">"
                   "<title>%s</title>\n",
                   head->title);
        put_style(out);
        buf_printf(out,
                   "</head><body class=\"report\"><main>\n<p class=\"kicker\"><span "
                   "class=\"mark\"></span>%s</p>\n<h1 class=\"%s\">",
                   head->title, tone_names[head->tone]);
        report_escape(out, head->headline);
        buf_text(out, "</h1>\n");
        if (head->detail.len) {
                buf_text(out, "<p class=\"detail\">");
                report_escape(out, head->detail);
                buf_text(out, "</p>\n");
        }
        put_facts(out, head);
}

void report_end(struct report *report) {
        buf_text(report->out, "</main></body></html>\n");
}

void report_section(struct report *report, const char *title, const char *note) {
        buf_printf(report->out, "<h2>%s</h2>\n", title);
        if (note)
                buf_printf(report->out, "<p class=\"note\">%s</p>\n", note);
}

void report_paragraph(struct report *report, struct slice text) {
        buf_text(report->out, "<p>");
        report_escape(report->out, text);
        buf_text(report->out, "</p>\n");
}

/* ---- bars ---- */

/* All bars have one scale: 100 % is at BAR_WHOLE of BAR_LENGTH, and what is beyond the end of the
 * bar is clipped behind an arrow. */
#define BAR_LENGTH 100.0
#define BAR_WHOLE 80.0

static double bar_place(double share) {
        double place = share * BAR_WHOLE;

        return place < 0 ? 0 : place > BAR_LENGTH ? BAR_LENGTH : place;
}

static void put_rect(struct buf *out, const char *name, double from, double to) {
        if (to > from)
                buf_printf(out, "<rect class=\"%s\" x=\"%.4g\" width=\"%.4g\"/>", name, from,
                           to - from);
}

/* What was there before is a line across the bar of what is there after. */
static void put_bar(struct buf *out, double before, double after) {
        double end = bar_place(after);
        bool is_clipped = after * BAR_WHOLE > BAR_LENGTH;

        buf_text(out, "<svg class=\"bar\" viewBox=\"0 0 100 10\" preserveAspectRatio=\"none\" "
                      "aria-hidden=\"true\"><rect class=\"t\" width=\"80\"/>");
        put_rect(out, "f", 0, end < BAR_WHOLE ? end : BAR_WHOLE);
        put_rect(out, "o", BAR_WHOLE, is_clipped ? end - 5 : end);
        if (is_clipped)
                buf_text(out, "<path class=\"o\" d=\"M95 0l5 5-5 5z\"/>");
        if (before >= 0 && fabs(before - after) >= 0.0005)
                put_rect(out, "w", bar_place(before) - 0.8, bar_place(before) + 0.8);
        buf_text(out, "</svg>");
}

/* ---- figures ---- */

void report_figures(struct report *report, const struct report_figure *figures, size_t count) {
        struct buf *out = report->out;

        buf_text(out, "<div class=\"figures\">");
        for (size_t i = 0; i < count; i++) {
                const struct report_figure *figure = &figures[i];

                buf_printf(out, "<div class=\"figure\"><span>%s</span><b>", figure->label);
                report_escape(out, figure->value);
                buf_text(out, "</b>");
                if (figure->note.len) {
                        buf_printf(out, "<span class=\"note %s\">", tone_names[figure->tone]);
                        report_escape(out, figure->note);
                        buf_text(out, "</span>");
                }
                if (figure->has_share)
                        put_bar(out, figure->before, figure->share);
                buf_text(out, "</div>");
        }
        buf_text(out, "</div>\n");
}

/* ---- folds and tables ---- */

void report_fold(struct report *report, struct slice title, size_t count, bool is_open) {
        buf_printf(report->out, "<details%s><summary>", is_open ? " open" : "");
        report_escape(report->out, title);
        buf_text(report->out, " <small>");
        amount_count(report->out, (int64_t)count);
        buf_text(report->out, "</small></summary>\n");
}

void report_fold_end(struct report *report) {
        buf_text(report->out, "</details>\n");
}

static const char *head_class(const char *head) {
        return *head == '#' ? " class=\"n\"" : *head == '=' ? " class=\"b\"" : "";
}

void report_table(struct report *report, const char *const *heads) {
        report->heads = heads;
        report->column = 0;
        /* Where the page is narrow, cells of more than two columns stand below each other. */
        buf_printf(report->out, "<div class=\"scroller\" tabindex=\"0\"><table%s><thead><tr>",
                   heads[0] && heads[1] && heads[2] ? " class=\"stacked\"" : "");
        for (; *heads; heads++) {
                buf_printf(report->out, "<th scope=\"col\"%s>", head_class(*heads));
                report_escape(report->out, slice_of(*heads + (**heads == '#' || **heads == '=')));
                buf_text(report->out, "</th>");
        }
        buf_text(report->out, "</tr></thead><tbody>\n");
}

void report_table_end(struct report *report) {
        buf_text(report->out, "</tbody></table></div>\n");
        report->heads = NULL;
}

/* The first cell of a row names it; the others know their head, which stands beside them where the
 * page is narrow. */
static void open_cell(struct report *report, const char *tone) {
        const char *head = report->heads[report->column];
        bool has_mark = *head == '#' || *head == '=';

        if (report->column == 0) {
                buf_text(report->out, "<tr><th scope=\"row\">");
                return;
        }
        buf_text(report->out, "<td");
        if (tone || has_mark)
                buf_printf(report->out, " class=\"%s%s%s\"", tone ? tone : "",
                           tone && has_mark ? " " : "",
                           *head == '#' ? "n"
                           : has_mark   ? "b"
                                        : "");
        buf_text(report->out, " data-h=\"");
        report_escape(report->out, slice_of(head + has_mark));
        buf_text(report->out, "\">");
}

static void close_cell(struct report *report) {
        buf_text(report->out, report->column == 0 ? "</th>" : "</td>");
        if (!report->heads[++report->column]) {
                buf_text(report->out, "</tr>\n");
                report->column = 0;
        }
}

void report_cell(struct report *report, struct slice text) {
        open_cell(report, NULL);
        report_escape(report->out, text);
        close_cell(report);
}

void report_strong(struct report *report, struct slice text, enum report_tone tone) {
        open_cell(report, tone_names[tone]);
        report_escape(report->out, text);
        close_cell(report);
}

void report_count(struct report *report, int64_t value) {
        open_cell(report, NULL);
        amount_count(report->out, value);
        close_cell(report);
}

void report_measure(struct report *report, double value) {
        open_cell(report, NULL);
        amount_measure(report->out, value);
        close_cell(report);
}

void report_bar(struct report *report, double before, double after) {
        open_cell(report, NULL);
        put_bar(report->out, before, after);
        buf_printf(report->out, "<span class=\"share%s\">", after > 1 ? " over" : "");
        if (before >= 0 && fabs(before - after) >= 0.005) {
                amount_percent(report->out, before, 1);
                buf_text(report->out, " \xe2\x86\x92 ");
        }
        amount_percent(report->out, after, 1);
        buf_text(report->out, "</span>");
        close_cell(report);
}

void report_more(struct report *report, size_t count, const char *where) {
        if (!count)
                return;
        buf_text(report->out, "<p class=\"note\">and ");
        amount_count(report->out, (int64_t)count);
        buf_printf(report->out, " more%s%s</p>\n", *where ? ": " : "", where);
}
