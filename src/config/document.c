/* Reading documents: JSON by the fast parser, everything else as YAML. */
#include "config/document.h"

#include "base/utf8.h"
#include "base/util.h"
#include "config/document_priv.h"
#include <stdlib.h>
#include <string.h>

static struct document *document_new(const char *file) {
        struct document *document = xcalloc(1, sizeof(*document));
        document->file = slice_dup(slice_of(file));
        return document;
}

void document_free(struct document *document) {
        if (!document)
                return;
        json_doc_free(document->doc);
        document_marks_release(&document->marks);
        free(document->file);
        free(document);
}

void cleanup_document(struct document **document) {
        document_free(*document);
        *document = NULL;
}

void document_list_release(struct document_list *list) {
        for (size_t i = 0; i < list->count; i++)
                document_free(list->items[i]);
        free(list->items);
        *list = (struct document_list){ 0 };
}

static void document_list_add(struct document_list *list, struct document *document) {
        list->items = xreallocarray(list->items, list->count + 1, sizeof(*list->items));
        list->items[list->count++] = document;
}

/* Puts the file's name on an error that may have a position already. */
static int name_file(struct err *err, const char *file, int code) {
        if (err)
                err_position(err, file, err->line, err->column);
        return code;
}

/* ---- text ---- */

static struct slice skip_mark(struct slice text) {
        static const struct slice mark = SLICE_INIT("\xef\xbb\xbf");
        if (slice_has_prefix(text, mark))
                return slice_make(text.ptr + mark.len, text.len - mark.len);
        return text;
}

static bool is_white(char c) {
        return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

static char first_character(struct slice text) {
        for (size_t i = 0; i < text.len; i++) {
                if (!is_white(text.ptr[i]))
                        return text.ptr[i];
        }
        return '\0';
}

/* What YAML calls printable. */
static bool is_printable(uint32_t code) {
        if (code < 0x80)
                return (code >= 0x20 && code != 0x7f) || is_white((char)code);
        return code >= 0xa0 ? code != 0xfeff && code != 0xfffe && code != 0xffff : code == 0x85;
}

/* The YAML scanner has its own idea of broken text; this one names the place. */
static int check_characters(struct slice text, struct err *err) {
        unsigned line = 1, column = 1;
        for (size_t i = 0; i < text.len;) {
                uint32_t code = (unsigned char)text.ptr[i];
                size_t length = utf8_decode(slice_make(text.ptr + i, text.len - i), &code);
                if (length == 0)
                        err_set(err, BERTH_ERR_BAD_REQUEST, "byte 0x%02x is not UTF-8",
                                (unsigned char)text.ptr[i]);
                else if (!is_printable(code))
                        err_set(err, BERTH_ERR_BAD_REQUEST, "character U+%04X is not allowed",
                                (unsigned)code);
                if (length == 0 || !is_printable(code)) {
                        err_position(err, "", line, column);
                        return BERTH_ERR_BAD_REQUEST;
                }
                column = code == '\n' ? 1 : column + 1;
                line += code == '\n';
                i += length;
        }
        return 0;
}

/* ---- JSON ---- */

static int read_json(struct slice text, const char *file, bool has_positions,
                     struct document **ret_document, struct err *err) {
        struct document *document = document_new(file);
        int r = json_parse(text, &document->doc, err);
        if (r < 0) {
                document_free(document);
                return name_file(err, file, r);
        }
        document->is_json = true;
        if (has_positions) {
                document_marks_scan(text, &document->marks);
                document_marks_bind(&document->marks, json_doc_root(document->doc));
        }
        *ret_document = document;
        return 0;
}

/* A text that begins with "[" may be either. */
static bool is_json_array(struct slice text) {
        struct json_doc *doc = NULL;
        bool is_json = json_parse(text, &doc, NULL) == 0;
        json_doc_free(doc);
        return is_json;
}

/* Length of the JSON value at the start of text, found by its brackets: the whole text when they do
 * not match, for the parser to complain about. */
static size_t value_length(struct slice text) {
        size_t depth = 0;
        bool is_quoted = false;
        for (size_t i = 0; i < text.len; i++) {
                char c = text.ptr[i];
                if (is_quoted) {
                        i += c == '\\';
                        is_quoted = c != '"';
                } else if (c == '"') {
                        is_quoted = true;
                } else if (c == '{' || c == '[') {
                        depth++;
                } else if ((c == '}' || c == ']') && depth > 0 && --depth == 0) {
                        return i + 1;
                }
        }
        return text.len;
}

static unsigned count_lines(struct slice text) {
        unsigned lines = 0;
        for (size_t i = 0; i < text.len; i++)
                lines += text.ptr[i] == '\n';
        return lines;
}

/* Values after the first know their line only relative to where they begin. */
static void shift_lines(struct document *document, unsigned lines) {
        for (size_t i = 0; i < document->marks.count; i++) {
                struct document_mark *mark = &document->marks.items[i];
                mark->line += lines;
                mark->key_line += mark->key_line ? lines : 0;
        }
}

static struct slice skip_white(struct slice text) {
        size_t length = 0;
        while (length < text.len && is_white(text.ptr[length]))
                length++;
        return slice_make(text.ptr + length, text.len - length);
}

static int read_yaml_list(struct slice text, const char *file, struct document_list *list,
                          struct err *err);

/* JSON is YAML, too: after "---" documents of either kind follow. */
static int read_rest(struct slice text, const char *file, unsigned lines,
                     struct document_list *list, struct err *err) {
        size_t first = list->count;
        int r = read_yaml_list(text, file, list, err);
        if (r < 0 && err && err->line)
                err->line += lines;
        for (size_t i = first; i < list->count; i++)
                shift_lines(list->items[i], lines);
        return r;
}

/* The usual file holds one value; only when that fails are values looked for one by one. */
static int read_json_list(struct slice text, const char *file, struct document_list *list,
                          struct err *err) {
        bool has_positions = text.len <= DOCUMENT_POSITIONS_MAX;
        struct document *document;
        if (read_json(text, file, has_positions, &document, NULL) == 0) {
                document_list_add(list, document);
                return 0;
        }
        for (unsigned lines = 0; first_character(text) != '\0';) {
                size_t length = value_length(text);
                int r = read_json(slice_make(text.ptr, length), file, has_positions, &document,
                                  err);
                if (r < 0) {
                        if (err && err->line)
                                err->line += lines;
                        return r;
                }
                shift_lines(document, lines);
                document_list_add(list, document);
                lines += count_lines(slice_make(text.ptr, length));
                text = slice_make(text.ptr + length, text.len - length);
                if (slice_has_prefix(skip_white(text), SLICE_LITERAL("---")))
                        return read_rest(text, file, lines, list, err);
        }
        return 0;
}

/* ---- YAML ---- */

static int from_tree(struct yaml_node *root, const char *file, struct document **ret_document,
                     struct err *err) {
        struct document *document = document_new(file);
        struct buf json = { 0 };
        int r = yaml_emit(root, &json, &document->marks, err);
        if (r == 0)
                r = json_parse(buf_view(&json), &document->doc, err);
        buf_release(&json);
        if (r < 0) {
                document_free(document);
                return r;
        }
        document_marks_bind(&document->marks, json_doc_root(document->doc));
        *ret_document = document;
        return 0;
}

/* *ret_document is NULL at the end. */
static int next_yaml(struct yaml_reader *reader, const char *file, struct document **ret_document,
                     struct err *err) {
        struct arena arena;
        struct yaml_node *root = NULL;
        struct document *document = NULL;
        arena_init(&arena, 0);
        int r = yaml_reader_next(reader, &arena, &root, err);
        if (r == 0 && root)
                r = from_tree(root, file, &document, err);
        arena_release(&arena);
        if (r == 0)
                *ret_document = document;
        return r;
}

static int read_yaml_list(struct slice text, const char *file, struct document_list *list,
                          struct err *err) {
        int r = check_characters(text, err);
        if (r < 0)
                return name_file(err, file, r);
        struct yaml_reader *reader = yaml_reader_new(text);
        for (;;) {
                struct document *document = NULL;
                r = next_yaml(reader, file, &document, err);
                if (r < 0 || !document)
                        break;
                if (json_type(document_root(document)) == JSON_NULL)
                        document_free(document);
                else
                        document_list_add(list, document);
        }
        yaml_reader_free(reader);
        return r < 0 ? name_file(err, file, r) : 0;
}

static int read_empty(const char *file, struct document **ret_document) {
        struct document *document = document_new(file);
        int r = json_parse(SLICE_LITERAL("null"), &document->doc, NULL);
        if (r == 0)
                *ret_document = document;
        else
                document_free(document);
        return r;
}

/* What follows the first document counts as more even when it is malformed. */
static bool has_another(struct yaml_reader *reader) {
        struct arena arena;
        struct yaml_node *root = NULL;
        arena_init(&arena, 0);
        bool found = yaml_reader_next(reader, &arena, &root, NULL) < 0 || root;
        arena_release(&arena);
        return found;
}

static int read_yaml(struct slice text, const char *file, struct document **ret_document,
                     struct err *err) {
        struct document *document = NULL;
        int r = check_characters(text, err);
        if (r < 0)
                return name_file(err, file, r);
        struct yaml_reader *reader = yaml_reader_new(text);
        r = next_yaml(reader, file, &document, err);
        if (r == 0 && document)
                document->has_more = has_another(reader);
        yaml_reader_free(reader);
        if (r < 0)
                return name_file(err, file, r);
        if (!document)
                return read_empty(file, ret_document);
        *ret_document = document;
        return 0;
}

/* ---- interface ---- */

static int check_size(struct slice text, const char *file, struct err *err) {
        if (text.len <= DOCUMENT_BYTES_MAX)
                return 0;
        err_set(err, BERTH_ERR_TOO_LARGE, "larger than %zu bytes", DOCUMENT_BYTES_MAX);
        return name_file(err, file, BERTH_ERR_TOO_LARGE);
}

int document_list_read(struct slice text, const char *file, struct document_list *ret_list,
                       struct err *err) {
        struct document_list list = { 0 };
        int r = check_size(text, file, err);
        if (r < 0)
                return r;
        text = skip_mark(text);
        char first = first_character(text);
        if (first == '{' || (first == '[' && is_json_array(text)))
                r = read_json_list(text, file, &list, err);
        else
                r = read_yaml_list(text, file, &list, err);
        if (r < 0) {
                document_list_release(&list);
                return r;
        }
        *ret_list = list;
        return 0;
}

int document_read(struct slice text, const char *file, struct document **ret_document,
                  struct err *err) {
        int r = check_size(text, file, err);
        if (r < 0)
                return r;
        text = skip_mark(text);
        char first = first_character(text);
        if (first == '{' || (first == '[' && is_json_array(text)))
                return read_json(text, file, text.len <= DOCUMENT_POSITIONS_MAX, ret_document, err);
        return read_yaml(text, file, ret_document, err);
}

int document_read_tree(struct slice text, struct json_tree **ret_tree, struct err *err) {
        struct document *document;
        int r = check_size(text, "", err);
        if (r == 0)
                r = read_yaml(skip_mark(text), "", &document, err);
        if (r < 0)
                return r;
        struct json_tree *tree = json_tree_new();
        json_tree_set_root(tree, node_import(tree, document_root(document)));
        document_free(document);
        *ret_tree = tree;
        return 0;
}

struct document *document_part(const struct document *document, const struct json *value) {
        CLEANUP(buf_release) struct buf text = { 0 };
        struct document *part = document_new(document->file);
        json_write(value, &text);
        /* What was read once can be read again. */
        if (json_parse(buf_view(&text), &part->doc, NULL) < 0)
                abort();
        part->is_json = document->is_json;
        document_marks_copy(&document->marks, value, json_doc_root(part->doc), &part->marks);
        return part;
}

const struct json *document_root(const struct document *document) {
        return json_doc_root(document->doc);
}

const char *document_file(const struct document *document) {
        return document->file;
}

bool document_is_json(const struct document *document) {
        return document->is_json;
}

bool document_has_more(const struct document *document) {
        return document->has_more;
}
