/* A file to begin with, made from field tables: every setting, each below what it is for.  What has
 * a default is set to it; the others are comments, with a value of their type.  Lines that begin
 * with "## " are text, those with "# " settings: without the "# " they count. */
#pragma once

#include "base/buf.h"
#include "config/field_table.h"

struct field_template {
        struct buf *out;
        unsigned depth;   /* of tables */
        unsigned indent;  /* of the next setting */
        unsigned comment; /* where "# " stands; FIELD_TEMPLATE_SET = settings count */
        bool begins_item; /* the next setting is the first of an item of a list */
        /* Writes a field in a way of its own; false = as its table has it. May be NULL. */
        bool (*special)(struct field_template *template, const struct field *field);
        const void *context;
};
#define FIELD_TEMPLATE_SET UINT32_MAX

struct field_template field_template_start(struct buf *out);

void field_template_table(struct field_template *template, const struct field *fields);
/* The table of a field, as a mapping or as the one item of a list. */
void field_template_rows(struct field_template *template, const struct field *field);
/* What the field is for, and of which type. */
void field_template_about(struct field_template *template, const struct field *field);
/* One line of text; long ones become several. */
void field_template_text(struct field_template *template, const char *format, ...)
        __attribute__((format(printf, 2, 3)));
/* One line of YAML. */
void field_template_setting(struct field_template *template, const char *format, ...)
        __attribute__((format(printf, 2, 3)));
/* Settings up to the end are comments; returns what to give to field_template_resume. */
unsigned field_template_suspend(struct field_template *template);
void field_template_resume(struct field_template *template, unsigned comment);
