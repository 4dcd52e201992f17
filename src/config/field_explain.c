/* Field tables as text for people: --explain and the manual. */
#include "api/quantity.h"
#include "base/time.h"
#include "config/field_priv.h"
#include <inttypes.h>
#include <string.h>

static const char *const type_names[] = {
        [FIELD_BOOL] = "true or false",
        [FIELD_I32] = "integer",
        [FIELD_I64] = "integer",
        [FIELD_U32] = "integer from 0",
        [FIELD_F64] = "number",
        [FIELD_TEXT] = "text",
        [FIELD_DURATION] = "duration",
        [FIELD_QUANTITY] = "quantity",
        [FIELD_MILLI] = "quantity",
        [FIELD_CHOICE] = "one of",
        [FIELD_TEXTS] = "list of texts",
        [FIELD_STRUCT] = "mapping",
        [FIELD_POINTER] = "mapping",
        [FIELD_LIST] = "list of mappings",
        [FIELD_MAP] = "mapping of names to mappings",
        [FIELD_JSON] = "any value",
        [FIELD_CUSTOM] = "value",
};

static void write_bound(const struct field *field, int64_t bound, struct buf *out) {
        char text[QUANTITY_TEXT_MAX];
        if (field->type == FIELD_DURATION) {
                duration_format(bound, text);
                buf_text(out, text);
        } else if (field->type == FIELD_MILLI) {
                quantity_format_milli(bound, text);
                buf_text(out, text);
        } else {
                buf_printf(out, "%" PRId64, bound);
        }
}

static void write_bounds(const struct field *field, struct buf *out) {
        if (!field->is_bounded)
                return;
        if (field->min != INT64_MIN) {
                buf_text(out, " from ");
                write_bound(field, field->min, out);
        }
        if (field->max != INT64_MAX) {
                buf_text(out, " to ");
                write_bound(field, field->max, out);
        }
}

void field_write_type(const struct field *field, struct buf *out) {
        if (field->fields && fields_are_plain(field->fields)) {
                buf_text(out, field->type == FIELD_MAP ? "mapping of names to " : "list of ");
                field_write_type(field->fields, out);
                return;
        }
        /* A lower bound says more than the type's own. */
        bool is_unsigned = field->type == FIELD_U32 && field->is_bounded;
        buf_text(out, is_unsigned ? "integer" : type_names[field->type]);
        for (int i = 0; field->type == FIELD_CHOICE && field->choices[i]; i++)
                buf_printf(out, "%s %s", i ? "," : "", field->choices[i]);
        write_bounds(field, out);
        if (field->flags & FIELD_NON_EMPTY)
                buf_text(out, ", not empty");
}

static void write_notes(const struct field *field, struct buf *out) {
        if (field->flags & FIELD_REQUIRED)
                buf_text(out, " (required)");
        if (field->fallback)
                buf_printf(out, " (default %s)", field->fallback);
        if (field->flags & FIELD_DEPRECATED)
                buf_text(out, " (deprecated)");
}

static bool has_rows(const struct field *field) {
        return field->fields && !fields_are_plain(field->fields);
}

void fields_explain(const struct field *fields, struct buf *out, unsigned level) {
        for (const struct field *field = fields; field->name; field++) {
                for (unsigned i = 0; i < level; i++)
                        buf_text(out, "  ");
                buf_printf(out, "%s <", field->name);
                field_write_type(field, out);
                buf_char(out, '>');
                write_notes(field, out);
                if (field->help)
                        buf_printf(out, ": %s", field->help);
                buf_char(out, '\n');
                if (has_rows(field))
                        fields_explain(field->fields, out, level + 1);
        }
}

/* ---- manual ---- */

/* Text in which roff finds nothing to interpret. */
static void write_escaped(const char *text, struct buf *out) {
        for (const char *at = text; *at; at++) {
                if (*at == '\\')
                        buf_text(out, "\\e");
                else if (*at == '-')
                        buf_text(out, "\\-");
                else if ((*at == '.' || *at == '\'') && at == text)
                        buf_printf(out, "\\&%c", *at);
                else
                        buf_char(out, *at);
        }
}

static void write_row(const struct field *field, const char *prefix, struct buf *out) {
        struct buf about = { 0 };
        buf_text(out, ".TP\n\\fB");
        write_escaped(prefix, out);
        write_escaped(field->name, out);
        buf_text(out, "\\fR ");
        buf_char(&about, '<');
        field_write_type(field, &about);
        buf_char(&about, '>');
        write_notes(field, &about);
        write_escaped(about.data, out);
        buf_char(out, '\n');
        if (field->help)
                write_escaped(field->help, out);
        buf_char(out, '\n');
        buf_release(&about);
}

static void write_table(const struct field *fields, const char *prefix, struct buf *out) {
        for (const struct field *field = fields; field->name; field++) {
                struct buf inner = { 0 };
                write_row(field, prefix, out);
                if (has_rows(field)) {
                        buf_printf(&inner, "%s%s%s.", prefix, field->name,
                                   field->type == FIELD_LIST  ? "[]"
                                   : field->type == FIELD_MAP ? ".NAME"
                                                              : "");
                        write_table(field->fields, inner.data, out);
                        buf_release(&inner);
                }
        }
}

void fields_manual(const struct field *fields, struct buf *out) {
        write_table(fields, "", out);
}
