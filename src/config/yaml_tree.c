/* Builds node trees from the events of libfyaml. */
#include "config/yaml_tree.h"

#include "api/json.h"
#include "base/map.h"
#include "base/pace.h"
#include "base/util.h"
#include "config/document.h"
#include <assert.h>
#include <libfyaml.h>
#include <stdlib.h>
#include <string.h>

struct yaml_reader {
        struct slice text, unread;
        struct fy_diag *diag;
        struct fy_parser *parser;
};

/* One document under construction. */
struct builder {
        struct arena *arena;
        struct slice text;                      /* all of it; marks count bytes in it */
        struct map *anchors;                    /* name -> struct yaml_node */
        struct yaml_node *open[JSON_DEPTH_MAX]; /* collections not ended yet */
        size_t depth;
        struct yaml_node *root;
};

/* The parser reads ahead to the end of a flow mapping before its first event. */
static ssize_t yaml_reader_pull(void *context, void *buffer, size_t size) {
        struct yaml_reader *reader = context;
        size_t count = reader->unread.len < size ? reader->unread.len : size;

        pace_pause();
        memcpy(buffer, reader->unread.ptr, count);
        reader->unread = slice_make(reader->unread.ptr + count, reader->unread.len - count);
        return (ssize_t)count;
}

struct yaml_reader *yaml_reader_new(struct slice text) {
        struct yaml_reader *reader = xcalloc(1, sizeof(*reader));
        struct fy_diag_cfg diag_config;
        fy_diag_cfg_default(&diag_config);
        diag_config.level = FYET_ERROR;
        diag_config.fp = NULL;
        reader->text = text;
        reader->unread = text.len ? text : SLICE_LITERAL("\n");
        reader->diag = fy_diag_create(&diag_config);
        if (reader->diag)
                fy_diag_set_collect_errors(reader->diag, true);
        struct fy_parse_cfg config = {
                .search_path = "",
                .flags = FYPCF_QUIET | FYPCF_COLLECT_DIAG | FYPCF_SLOPPY_FLOW_INDENTATION |
                         FYPCF_ALLOW_DUPLICATE_KEYS | FYPCF_JSON_NONE,
                .diag = reader->diag,
        };
        reader->parser = fy_parser_create(&config);
        if (!reader->diag || !reader->parser ||
            fy_parser_set_input_callback(reader->parser, reader, yaml_reader_pull) < 0)
                abort(); /* only without memory */
        return reader;
}

void yaml_reader_free(struct yaml_reader *reader) {
        if (!reader)
                return;
        fy_parser_destroy(reader->parser);
        fy_diag_destroy(reader->diag);
        free(reader);
}

/* ---- events ---- */

static struct slice token_slice(struct fy_token *token, struct arena *arena) {
        size_t length = 0;
        const char *text = token ? fy_token_get_text(token, &length) : NULL;
        return text ? arena_slice(arena, slice_make(text, length)) : SLICE_EMPTY;
}

static struct yaml_node *node_new(struct builder *builder, enum yaml_kind kind,
                                  struct fy_token *token) {
        struct yaml_node *node = ARENA_NEW(builder->arena, struct yaml_node);
        const struct fy_mark *mark = token ? fy_token_start_mark(token) : NULL;
        node->kind = kind;
        if (mark) {
                node->line = (unsigned)mark->line + 1;
                node->column = (unsigned)mark->column + 1;
        }
        return node;
}

static void yaml_tree_describe(struct builder *builder, struct yaml_node *node,
                               struct fy_token *anchor, struct fy_token *tag) {
        if (tag)
                node->tag = token_slice(tag, builder->arena);
        if (anchor)
                map_put(builder->anchors, token_slice(anchor, builder->arena), node);
}

static int fail_at(const struct yaml_node *node, struct err *err) {
        err_position(err, "", node->line, node->column);
        return BERTH_ERR_BAD_REQUEST;
}

static void yaml_tree_attach(struct builder *builder, struct yaml_node *node) {
        if (builder->depth == 0) {
                builder->root = node;
                return;
        }
        struct yaml_node *parent = builder->open[builder->depth - 1];
        if (parent->last)
                parent->last->next = node;
        else
                parent->first = node;
        parent->last = node;
        parent->count++;
}

static int on_collection(struct builder *builder, struct yaml_node *node, struct err *err) {
        yaml_tree_attach(builder, node);
        if (builder->depth == JSON_DEPTH_MAX) {
                err_set(err, BERTH_ERR_BAD_REQUEST, "nested deeper than %d levels", JSON_DEPTH_MAX);
                return fail_at(node, err);
        }
        builder->open[builder->depth++] = node;
        return 0;
}

/* Block collections may have no token of their own: they begin where their first child does. */
static void on_collection_end(struct builder *builder) {
        struct yaml_node *node = builder->open[--builder->depth];
        if (node->line == 0 && node->first) {
                node->line = node->first->line;
                node->column = node->first->column;
        }
}

/* "key:" and "-" with nothing behind them: the value stands where its key or its list does. */
static void place_empty(const struct builder *builder, struct yaml_node *node) {
        const struct yaml_node *parent = builder->depth ? builder->open[builder->depth - 1] : NULL;
        bool is_value = parent && parent->kind == YAML_MAPPING && parent->count % 2 == 1;
        const struct yaml_node *place = is_value ? parent->last : parent;
        node->line = place && place->line ? place->line : 1;
        node->column = place && place->line ? place->column : 1;
}

/* Double-quoted scalars with escapes that span lines are read here, the rest by libfyaml. */
static bool needs_own_reading(struct slice raw) {
        return raw.len > 0 && memchr(raw.ptr, '\\', raw.len) &&
               (memchr(raw.ptr, '\n', raw.len) || memchr(raw.ptr, '\r', raw.len));
}

static int read_double_quoted(struct builder *builder, struct yaml_node *node,
                              struct fy_token *token, struct err *err) {
        const struct fy_mark *start = fy_token_start_mark(token), *end = fy_token_end_mark(token);
        struct buf text = { 0 };
        assert(start->input_pos <= end->input_pos && end->input_pos <= builder->text.len);
        struct slice raw =
                slice_make(builder->text.ptr + start->input_pos, end->input_pos - start->input_pos);
        if (!needs_own_reading(raw))
                return 0;
        bool ok = yaml_read_quoted(raw, &text);
        if (ok)
                node->text = arena_slice(builder->arena, buf_view(&text));
        else
                err_set(err, BERTH_ERR_BAD_REQUEST, "malformed YAML: invalid escape sequence");
        buf_release(&text);
        return ok ? 0 : fail_at(node, err);
}

static int on_scalar(struct builder *builder, const struct fy_event_scalar_data *data,
                     struct err *err) {
        struct yaml_node *node = node_new(builder, YAML_SCALAR, data->value);
        enum fy_scalar_style style = data->value ? fy_token_scalar_style(data->value) : FYSS_PLAIN;
        node->is_plain = style == FYSS_PLAIN;
        node->text = token_slice(data->value, builder->arena);
        if (node->is_plain && node->text.len == 0) /* some libfyamls give it a token, some none */
                place_empty(builder, node);
        yaml_tree_describe(builder, node, data->anchor, data->tag);
        yaml_tree_attach(builder, node);
        if (style != FYSS_SINGLE_QUOTED && style != FYSS_DOUBLE_QUOTED)
                return 0;
        if (node->column > 1)
                node->column--; /* the token begins behind its opening quote */
        return style == FYSS_DOUBLE_QUOTED ? read_double_quoted(builder, node, data->value, err)
                                           : 0;
}

static int on_alias(struct builder *builder, struct fy_token *name_token, struct err *err) {
        struct yaml_node *node = node_new(builder, YAML_ALIAS, name_token);
        struct slice name = token_slice(name_token, builder->arena);
        if (node->column > 1)
                node->column--; /* the asterisk */
        node->target = map_get(builder->anchors, name);
        if (!node->target) {
                err_set(err, BERTH_ERR_BAD_REQUEST, "unknown anchor \"" SLICE_FMT "\"",
                        SLICE_ARG(name));
                return fail_at(node, err);
        }
        yaml_tree_attach(builder, node);
        return 0;
}

static int on_event(struct builder *builder, const struct fy_event *event, struct err *err) {
        struct yaml_node *node;
        switch (event->type) {
        case FYET_SCALAR:
                return on_scalar(builder, &event->scalar, err);
        case FYET_ALIAS:
                return on_alias(builder, event->alias.anchor, err);
        case FYET_SEQUENCE_START:
                node = node_new(builder, YAML_SEQUENCE, event->sequence_start.sequence_start);
                yaml_tree_describe(builder, node, event->sequence_start.anchor,
                                   event->sequence_start.tag);
                return on_collection(builder, node, err);
        case FYET_MAPPING_START:
                node = node_new(builder, YAML_MAPPING, event->mapping_start.mapping_start);
                yaml_tree_describe(builder, node, event->mapping_start.anchor,
                                   event->mapping_start.tag);
                return on_collection(builder, node, err);
        case FYET_SEQUENCE_END:
        case FYET_MAPPING_END:
                on_collection_end(builder);
                return 0;
        default:
                return 0;
        }
}

/* ---- documents ---- */

/* The first complaint is the cause; later ones follow from it. */
static int syntax_error(struct yaml_reader *reader, struct err *err) {
        void *at = NULL;
        const struct fy_diag_error *first = fy_diag_errors_iterate(reader->diag, &at);
        if (!first || !first->msg)
                return err_set(err, BERTH_ERR_BAD_REQUEST, "malformed YAML");
        size_t length = strcspn(first->msg, "\n");
        err_set(err, BERTH_ERR_BAD_REQUEST, "malformed YAML: %.*s", (int)length, first->msg);
        if (first->line > 0)
                err_position(err, "", (unsigned)first->line,
                             first->column > 0 ? (unsigned)first->column : 0);
        return BERTH_ERR_BAD_REQUEST;
}

static int yaml_tree_build(struct yaml_reader *reader, struct builder *builder, struct err *err) {
        for (;;) {
                struct fy_event *event = fy_parser_parse(reader->parser);
                if (!event && (fy_parser_get_stream_error(reader->parser) ||
                               fy_diag_got_error(reader->diag) || builder->depth > 0))
                        return syntax_error(reader, err);
                if (!event)
                        return 0;
                pace_step();
                enum fy_event_type type = event->type;
                int r = on_event(builder, event, err);
                fy_parser_event_free(reader->parser, event);
                if (r < 0)
                        return r;
                if (type == FYET_DOCUMENT_END || type == FYET_STREAM_END)
                        return 0;
        }
}

int yaml_reader_next(struct yaml_reader *reader, struct arena *arena, struct yaml_node **ret_root,
                     struct err *err) {
        struct builder builder = { .arena = arena, .text = reader->text, .anchors = map_new() };
        int r = yaml_tree_build(reader, &builder, err);
        map_free(builder.anchors);
        if (r < 0)
                return r;
        *ret_root = builder.root;
        return 0;
}

void document_library_version(struct buf *out) {
        buf_text(out, fy_library_version());
}
