/* Writes a node tree as JSON text: aliases and merge keys resolved, a mark per value. What aliases
 * add is counted, so that a small text cannot swell without bounds. */
#include "base/map.h"
#include "base/pace.h"
#include "base/util.h"
#include "config/document_priv.h"

struct emitter {
        struct buf *out;
        struct document_marks *marks;
        struct err *err;
        size_t depth;        /* of collections being written */
        size_t alias_depth;  /* > 0 inside what an alias or merge stands for */
        size_t alias_values; /* written there so far */
        size_t merged;       /* members and mappings that merges looked at */
        size_t alias_bytes;  /* written there by aliases that are complete */
        size_t alias_start;  /* where the outermost alias began in out */
};

/* Members of one mapping while it is written. */
struct yaml_emit_members {
        struct map *names; /* written or to be written explicitly; NULL without merge keys */
        struct buf name;   /* scratch */
        bool is_first;
};

static int yaml_emit_emit(struct emitter *emitter, struct yaml_node *node,
                          const struct yaml_node *key);

static int yaml_emit_fail(struct emitter *emitter, const struct yaml_node *node, const char *text) {
        err_set(emitter->err, BERTH_ERR_BAD_REQUEST, "%s", text);
        err_position(emitter->err, "", node->line, node->column);
        return BERTH_ERR_BAD_REQUEST;
}

/* A target is what its anchor was written at, never another alias. */
static struct yaml_node *yaml_emit_resolve(struct yaml_node *node) {
        return node->kind == YAML_ALIAS ? (struct yaml_node *)node->target : node;
}

static void alias_begin(struct emitter *emitter) {
        if (emitter->alias_depth++ == 0)
                emitter->alias_start = emitter->out->len;
}

static void alias_end(struct emitter *emitter) {
        if (--emitter->alias_depth == 0)
                emitter->alias_bytes += emitter->out->len - emitter->alias_start;
}

static bool is_excessive(struct emitter *emitter) {
        if (emitter->alias_depth == 0)
                return false;
        return ++emitter->alias_values > DOCUMENT_NODES_MAX ||
               emitter->alias_bytes + (emitter->out->len - emitter->alias_start) >
                       DOCUMENT_ALIAS_BYTES_MAX;
}

/* A member that a merge looks at costs as much as one it writes: what was merged first may hide
 * all others, and merges of merges look at them again and again. */
static bool is_merged_too_often(struct emitter *emitter, size_t name_size) {
        emitter->alias_bytes += name_size;
        return ++emitter->merged > DOCUMENT_MERGED_MAX || is_excessive(emitter);
}

static void add_mark(struct emitter *emitter, const struct yaml_node *node,
                     const struct yaml_node *key) {
        pace_step();
        struct document_mark mark = { .line = node->line, .column = node->column };
        if (key) {
                mark.key_line = key->line;
                mark.key_column = key->column;
        }
        document_marks_add(emitter->marks, mark);
}

/* ---- mappings ---- */

static bool is_merge(const struct yaml_node *key) {
        if (key->kind != YAML_SCALAR || !slice_is(key->text, "<<"))
                return false;
        return (key->is_plain && key->tag.len == 0) ||
               slice_is(key->tag, "tag:yaml.org,2002:merge");
}

/* The key as JSON text, so that 1 and "1" are the same; in members->name. */
static int read_name(struct emitter *emitter, struct yaml_emit_members *members,
                     struct yaml_node *key) {
        pace_step();
        struct yaml_node *scalar = yaml_emit_resolve(key);
        buf_clear(&members->name);
        if (scalar->kind != YAML_SCALAR)
                return yaml_emit_fail(emitter, key, "a key must be a string");
        return yaml_key_emit(scalar, &members->name, emitter->err);
}

static int collect_names(struct emitter *emitter, struct yaml_emit_members *members,
                         struct yaml_node *mapping) {
        members->names = map_new();
        for (struct yaml_node *key = mapping->first; key; key = key->next->next) {
                if (is_merge(key))
                        continue;
                int r = read_name(emitter, members, key);
                if (r < 0)
                        return r;
                map_put(members->names, buf_view(&members->name), key);
        }
        return 0;
}

static int emit_member(struct emitter *emitter, struct yaml_emit_members *members,
                       struct yaml_node *key) {
        if (!members->is_first)
                buf_char(emitter->out, ',');
        members->is_first = false;
        buf_slice(emitter->out, buf_view(&members->name));
        buf_char(emitter->out, ':');
        return yaml_emit_emit(emitter, key->next, key);
}

static int yaml_emit_merge(struct emitter *emitter, struct yaml_emit_members *members,
                           struct yaml_node *source);

static int merge_member(struct emitter *emitter, struct yaml_emit_members *members,
                        struct yaml_node *key) {
        if (is_merge(key))
                return yaml_emit_merge(emitter, members, key->next);
        int r = read_name(emitter, members, key);
        if (r < 0)
                return r;
        if (is_merged_too_often(emitter, members->name.len))
                return yaml_emit_fail(emitter, key, "aliases make the document too large");
        if (map_get(members->names, buf_view(&members->name)))
                return 0;
        map_put(members->names, buf_view(&members->name), key);
        return emit_member(emitter, members, key);
}

static int merge_children(struct emitter *emitter, struct yaml_emit_members *members,
                          struct yaml_node *source) {
        int r = 0;
        if (source->kind == YAML_MAPPING) {
                for (struct yaml_node *key = source->first; key && r == 0; key = key->next->next)
                        r = merge_member(emitter, members, key);
                return r;
        }
        for (struct yaml_node *item = source->first; item && r == 0; item = item->next) {
                if (yaml_emit_resolve(item)->kind != YAML_MAPPING)
                        return yaml_emit_fail(emitter, item, "only mappings can be merged");
                r = yaml_emit_merge(emitter, members, item);
        }
        return r;
}

/* Of members with the same key the explicit one counts, then the one merged first. */
static int yaml_emit_merge(struct emitter *emitter, struct yaml_emit_members *members,
                           struct yaml_node *source) {
        struct yaml_node *target = yaml_emit_resolve(source);
        if (target->kind == YAML_SCALAR)
                return yaml_emit_fail(emitter, source, "only mappings can be merged");
        if (target->is_open)
                return yaml_emit_fail(emitter, source, "merged into itself");
        if (emitter->depth == JSON_DEPTH_MAX)
                return yaml_emit_fail(emitter, source, "nested too deep");
        target->is_open = true;
        emitter->depth++;
        alias_begin(emitter);
        int r = is_merged_too_often(emitter, 0)
                        ? yaml_emit_fail(emitter, source, "aliases make the document too large")
                        : merge_children(emitter, members, target);
        alias_end(emitter);
        emitter->depth--;
        target->is_open = false;
        return r;
}

static bool has_merge(const struct yaml_node *mapping) {
        for (const struct yaml_node *key = mapping->first; key; key = key->next->next) {
                if (is_merge(key))
                        return true;
        }
        return false;
}

static int emit_members(struct emitter *emitter, struct yaml_emit_members *members,
                        struct yaml_node *mapping) {
        int r = has_merge(mapping) ? collect_names(emitter, members, mapping) : 0;
        for (struct yaml_node *key = mapping->first; key && r == 0; key = key->next->next) {
                if (is_merge(key)) {
                        r = yaml_emit_merge(emitter, members, key->next);
                        continue;
                }
                r = read_name(emitter, members, key);
                if (r == 0)
                        r = emit_member(emitter, members, key);
        }
        return r;
}

static int emit_mapping(struct emitter *emitter, struct yaml_node *mapping) {
        struct yaml_emit_members members = { .is_first = true };
        buf_char(emitter->out, '{');
        int r = emit_members(emitter, &members, mapping);
        buf_char(emitter->out, '}');
        map_free(members.names);
        buf_release(&members.name);
        return r;
}

/* ---- all kinds ---- */

static int emit_sequence(struct emitter *emitter, struct yaml_node *sequence) {
        int r = 0;
        buf_char(emitter->out, '[');
        for (struct yaml_node *item = sequence->first; item && r == 0; item = item->next) {
                if (item != sequence->first)
                        buf_char(emitter->out, ',');
                r = yaml_emit_emit(emitter, item, NULL);
        }
        buf_char(emitter->out, ']');
        return r;
}

static int emit_collection(struct emitter *emitter, struct yaml_node *node) {
        if (node->is_open)
                return yaml_emit_fail(emitter, node, "an anchor's value contains itself");
        if (emitter->depth == JSON_DEPTH_MAX)
                return yaml_emit_fail(emitter, node, "nested too deep");
        node->is_open = true;
        emitter->depth++;
        int r = node->kind == YAML_MAPPING ? emit_mapping(emitter, node)
                                           : emit_sequence(emitter, node);
        emitter->depth--;
        node->is_open = false;
        return r;
}

static int yaml_emit_emit(struct emitter *emitter, struct yaml_node *node,
                          const struct yaml_node *key) {
        struct yaml_node *target = yaml_emit_resolve(node);
        int r;
        add_mark(emitter, node, key);
        if (target != node)
                alias_begin(emitter);
        if (is_excessive(emitter))
                return yaml_emit_fail(emitter, node, "aliases make the document too large");
        if (target->kind == YAML_SCALAR)
                r = yaml_scalar_emit(target, emitter->out, emitter->err);
        else
                r = emit_collection(emitter, target);
        if (target != node)
                alias_end(emitter);
        return r;
}

int yaml_emit(struct yaml_node *root, struct buf *out, struct document_marks *marks,
              struct err *err) {
        struct emitter emitter = { .out = out, .marks = marks, .err = err };
        int r = yaml_emit_emit(&emitter, root, NULL);
        if (r == 0 && out->overflowed)
                return err_set(err, BERTH_ERR_TOO_LARGE, "the document is too large");
        return r;
}
