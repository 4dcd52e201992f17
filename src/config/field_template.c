/* Field tables as files with comments. */
#include "config/field_template.h"

#include "api/quantity.h"
#include "base/time.h"
#include "config/field_priv.h"
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define TABLES_MAX 12 /* one in another */
#define TEXT_WIDTH 100
#define LINE_BYTES 2048

struct field_template field_template_start(struct buf *out) {
        return (struct field_template){ .out = out, .comment = FIELD_TEMPLATE_SET };
}

/* ---- lines ---- */

static void write_spaces(struct buf *out, unsigned count) {
        for (unsigned i = 0; i < count; i++)
                buf_char(out, ' ');
}

/* The dash of an item stands two columns before its settings. */
static unsigned column_of(const struct field_template *template) {
        return template->begins_item ? template->indent - 2 : template->indent;
}

static void begin_line(const struct field_template *template) {
        unsigned column = column_of(template);

        if (template->comment == FIELD_TEMPLATE_SET) {
                write_spaces(template->out, column);
                return;
        }
        write_spaces(template->out, template->comment);
        buf_text(template->out, "# ");
        write_spaces(template->out, column - template->comment);
}

void field_template_setting(struct field_template *template, const char *format, ...) {
        va_list args;

        begin_line(template);
        if (template->begins_item)
                buf_text(template->out, "- ");
        template->begins_item = false;
        va_start(args, format);
        buf_vprintf(template->out, format, args);
        va_end(args);
        buf_char(template->out, '\n');
}

/* Where a line of at most that many bytes ends: before a space, if there is one. */
static size_t line_end(const char *text, size_t width) {
        size_t length = strlen(text);

        if (length <= width)
                return length;
        for (size_t i = width; i > 0; i--)
                if (text[i] == ' ')
                        return i;
        return strcspn(text, " ");
}

void field_template_text(struct field_template *template, const char *format, ...) {
        char text[LINE_BYTES];
        const char *at = text;
        va_list args;

        va_start(args, format);
        vsnprintf(text, sizeof(text), format, args);
        va_end(args);
        while (*at) {
                size_t length = line_end(at, TEXT_WIDTH - template->indent);

                begin_line(template);
                buf_printf(template->out, "## %.*s\n", (int)length, at);
                at += length;
                at += strspn(at, " ");
        }
}

unsigned field_template_suspend(struct field_template *template) {
        unsigned before = template->comment;

        if (before == FIELD_TEMPLATE_SET)
                template->comment = column_of(template);
        return before;
}

void field_template_resume(struct field_template *template, unsigned comment) {
        template->comment = comment;
}

/* ---- fields ---- */

static bool has_rows(const struct field *field) {
        return field->fields && !fields_are_plain(field->fields);
}

void field_template_about(struct field_template *template, const struct field *field) {
        CLEANUP(buf_release) struct buf type = { 0 };

        field_write_type(field, &type);
        field_template_text(template, "%s%s%s%s%s%s", field->help ? field->help : "",
                            has_rows(field) ? "" : " (", has_rows(field) ? "" : type.data,
                            has_rows(field) ? "" : ")",
                            field->flags & FIELD_REQUIRED ? " (required)" : "",
                            field->flags & FIELD_DEPRECATED ? " (deprecated)" : "");
}

/* Zero, or the least that may be. */
static int64_t sample_number(const struct field *field) {
        return field->is_bounded && field->min > 0 ? field->min : 0;
}

static const char *sample_amount(const struct field *field, char text[static QUANTITY_TEXT_MAX]) {
        if (field->type == FIELD_DURATION)
                duration_format(sample_number(field), text);
        else
                snprintf(text, QUANTITY_TEXT_MAX, "%" PRId64, sample_number(field));
        return text;
}

/* A value of the field's type. */
static const char *field_template_sample(const struct field *field,
                                         char text[static QUANTITY_TEXT_MAX]) {
        switch (field->type) {
        case FIELD_BOOL:
                return "false";
        case FIELD_TEXT:
                return "\"\"";
        case FIELD_CHOICE:
                return field->choices[0];
        case FIELD_TEXTS:
        case FIELD_LIST:
                return "[]";
        case FIELD_STRUCT:
        case FIELD_POINTER:
        case FIELD_MAP:
        case FIELD_JSON:
        case FIELD_CUSTOM:
                return "{}";
        default:
                return sample_amount(field, text);
        }
}

/* Whether there is a default in the field, or in a mapping of its. */
static bool has_default(const struct field *field) {
        if (field->fallback || field->flags & FIELD_REQUIRED)
                return true;
        if (field->type != FIELD_STRUCT || !has_rows(field))
                return false;
        for (const struct field *row = field->fields; row->name; row++)
                if (has_default(row))
                        return true;
        return false;
}

void field_template_rows(struct field_template *template, const struct field *field) {
        unsigned indent = template->indent;

        field_template_setting(template, "%s:", field->name);
        template->indent += 2;
        if (field->type == FIELD_MAP) {
                field_template_setting(template, "NAME:");
                template->indent += 2;
        }
        template->begins_item = field->type == FIELD_LIST;
        field_template_table(template, field->fields);
        template->indent = indent;
}

static void write_field(struct field_template *template, const struct field *field) {
        char text[QUANTITY_TEXT_MAX];
        unsigned comment = template->comment;

        field_template_about(template, field);
        if (!has_default(field))
                comment = field_template_suspend(template);
        if (field->fallback)
                field_template_setting(template, "%s: %s", field->name, field->fallback);
        else if (has_rows(field) && template->depth < TABLES_MAX)
                field_template_rows(template, field);
        else
                field_template_setting(template, "%s: %s", field->name,
                                       field_template_sample(field, text));
        field_template_resume(template, comment);
}

void field_template_table(struct field_template *template, const struct field *fields) {
        template->depth++;
        for (const struct field *field = fields; field->name; field++)
                if (!template->special || !template->special(template, field))
                        write_field(template, field);
        template->depth--;
}
