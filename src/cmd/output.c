/* JSON and YAML of result values. */
#include "cmd/output.h"

#include "base/arena.h"
#include <stdio.h>
#include <string.h>

const struct option output_option_table[] = {
        { .name = "output",
          .type = OPTION_CHOICE,
          .letter = 'o',
          .value_name = "FORMAT",
          .choices = output_formats,
          .fallback = "text",
          .help = "text for people, json or yaml for programs" },
        { 0 },
};

const char *const output_formats[] = { "text", "json", "yaml", NULL };

static void write_json(const struct json_node *value, struct buf *out) {
        struct json_doc *doc = json_doc_of(value);

        if (!doc)
                return;
        json_write_pretty(json_doc_root(doc), 4, out);
        buf_char(out, '\n');
        json_doc_free(doc);
}

/* ---- YAML ---- */

static bool is_empty_container(const struct json_node *value) {
        enum json_type type = node_type(value);

        return (type == JSON_OBJECT || type == JSON_ARRAY) && node_count(value) == 0;
}

/* Words that YAML takes for something else than a string. */
static bool is_word_of_yaml(struct slice text) {
        static const char *const words[] = { "y",     "n",  "yes", "no",   "true",
                                             "false", "on", "off", "null", NULL };

        for (size_t i = 0; words[i]; i++)
                if (strlen(words[i]) == text.len && strncasecmp(words[i], text.ptr, text.len) == 0)
                        return true;
        return false;
}

static bool is_letter(char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/* Letters, digits and a few harmless signs, beginning with a letter; everything else is quoted. */
static bool is_plain(struct slice text) {
        if (!text.len || !is_letter(text.ptr[0]) || is_word_of_yaml(text))
                return false;
        for (size_t i = 0; i < text.len; i++) {
                char c = text.ptr[i];

                if (!is_letter(c) && !(c >= '0' && c <= '9') && !(c && strchr("-_./", c)))
                        return false;
        }
        return true;
}

static void write_text(struct slice text, struct buf *out) {
        if (is_plain(text))
                buf_slice(out, text);
        else
                buf_json_string(out, text); /* double-quoted YAML takes JSON's escapes */
}

static void write_scalar(const struct json_node *value, struct buf *out) {
        if (node_type(value) == JSON_STRING)
                write_text(node_get_slice(value), out);
        else
                node_write(value, out);
}

static void output_indent(struct buf *out, unsigned level) {
        for (unsigned i = 0; i < level; i++)
                buf_text(out, "  ");
}

static void write_yaml(const struct json_node *value, unsigned level, bool is_inline,
                       struct buf *out);

/* What stands behind "key:" or "-". */
static void write_member(const struct json_node *value, unsigned level, bool is_item,
                         struct buf *out) {
        enum json_type type = node_type(value);

        if ((type != JSON_OBJECT && type != JSON_ARRAY) || is_empty_container(value)) {
                buf_char(out, ' ');
                write_scalar(value, out);
                buf_char(out, '\n');
        } else if (is_item && type == JSON_OBJECT) {
                buf_char(out, ' ');
                write_yaml(value, level + 1, true, out);
        } else {
                buf_char(out, '\n');
                write_yaml(value, type == JSON_ARRAY && !is_item ? level : level + 1, false, out);
        }
}

/* is_inline: the first line has its indentation already. */
static void write_yaml(const struct json_node *value, unsigned level, bool is_inline,
                       struct buf *out) {
        struct node_iter iter = node_iter(value);
        bool is_array = node_type(value) == JSON_ARRAY;
        struct json_node *member;
        struct slice key;

        while (node_next(&iter, &key, &member)) {
                if (!is_inline)
                        output_indent(out, level);
                is_inline = false;
                if (is_array) {
                        buf_char(out, '-');
                } else {
                        write_text(key, out);
                        buf_char(out, ':');
                }
                write_member(member, level, is_array, out);
        }
}

void output_value(const struct json_node *value, enum output_format format, struct buf *out) {
        enum json_type type = node_type(value);

        if (format != OUTPUT_YAML) {
                write_json(value, out);
        } else if ((type == JSON_OBJECT || type == JSON_ARRAY) && node_count(value)) {
                write_yaml(value, 0, false, out);
        } else {
                write_scalar(value, out);
                buf_char(out, '\n');
        }
}

bool output_print(const struct buf *out) {
        struct slice text = buf_view(out);

        return fwrite(text.len ? text.ptr : "", 1, text.len, stdout) == text.len &&
               fflush(stdout) == 0;
}
