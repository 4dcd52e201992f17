/* Walks a resource in key order, now or as of an earlier revision. An earlier state is the present
 * one with the younger events undone: for every key they touch, the first of them knows what was
 * there before. */
#include "store/store_priv.h"

#include "base/util.h"
#include <inttypes.h>
#include <stdlib.h>

struct undo {
        const struct store_object *key;    /* any object with the key */
        const struct store_object *before; /* state at the revision; NULL = absent */
        size_t sequence;
};

struct store_cursor {
        const struct store_index *index;
        struct store_position position;
        struct slice ns; /* empty = all */
        struct undo *undos;
        size_t undo_count, undo_at;
};

static int undo_order(const void *a, const void *b) {
        const struct undo *x = a, *y = b;
        int order = store_key_compare(x->key, store_object_ns(y->key), store_object_name(y->key));

        if (order)
                return order;
        return x->sequence < y->sequence ? -1 : x->sequence > y->sequence;
}

static bool is_in_range(const struct store_range *range, const struct store_object *key) {
        if (range->ns.len && !slice_eq(store_object_ns(key), range->ns))
                return false;
        if (!range->has_after)
                return true;
        int order = store_key_compare(key, range->after_ns, range->after_name);
        return order > 0 || (order == 0 && range->includes_after);
}

static void collect_undos(struct store_cursor *cursor, const struct store_history *history,
                          const struct store_range *range) {
        size_t first = store_history_after(history, range->revision), remaining = 0;

        if (first == history->count)
                return;
        cursor->undos = xreallocarray(NULL, history->count - first, sizeof(cursor->undos[0]));
        for (size_t i = first; i < history->count; i++) {
                const struct store_event *event = store_history_at(history, i);

                if (is_in_range(range, event->object))
                        cursor->undos[cursor->undo_count++] =
                                (struct undo){ event->object, event->previous, i };
        }
        qsort(cursor->undos, cursor->undo_count, sizeof(cursor->undos[0]), undo_order);
        for (size_t i = 0; i < cursor->undo_count; i++) {
                const struct undo *last = remaining ? &cursor->undos[remaining - 1] : NULL;

                if (!last || store_key_compare(last->key, store_object_ns(cursor->undos[i].key),
                                               store_object_name(cursor->undos[i].key)) != 0)
                        cursor->undos[remaining++] = cursor->undos[i];
        }
        cursor->undo_count = remaining;
}

int store_cursor_open(const struct store *store, const struct store_range *range,
                      struct store_cursor **ret_cursor, struct err *err) {
        const struct store_resource *resource = store->resources[range->resource];
        bool has_revision = range->revision != 0 && range->revision < store->revision;
        struct store_cursor *cursor;
        bool is_equal = false;

        if (has_revision && range->revision < resource->history.compacted)
                return err_set(err, BERTH_ERR_EXPIRED,
                               "The resourceVersion for the provided list is too old.");
        cursor = xcalloc(1, sizeof(*cursor));
        cursor->index = &resource->index;
        cursor->ns = range->ns;
        cursor->position = range->has_after ? store_index_find(cursor->index, range->after_ns,
                                                               range->after_name, &is_equal)
                                            : store_index_find(cursor->index, range->ns,
                                                               SLICE_EMPTY, &is_equal);
        if (range->has_after && is_equal && !range->includes_after)
                store_index_advance(cursor->index, &cursor->position);
        if (has_revision)
                collect_undos(cursor, &resource->history, range);
        *ret_cursor = cursor;
        return 0;
}

static const struct store_object *peek_index(const struct store_cursor *cursor) {
        const struct store_object *object = store_index_at(cursor->index, cursor->position);

        if (object && cursor->ns.len && !slice_eq(store_object_ns(object), cursor->ns))
                return NULL;
        return object;
}

const struct store_object *store_cursor_next(struct store_cursor *cursor) {
        for (;;) {
                const struct store_object *object = peek_index(cursor);
                const struct undo *undo = cursor->undo_at < cursor->undo_count
                                                  ? &cursor->undos[cursor->undo_at]
                                                  : NULL;
                int order = !undo     ? -1
                            : !object ? 1
                                      : store_key_compare(object, store_object_ns(undo->key),
                                                          store_object_name(undo->key));

                if (!object && !undo)
                        return NULL;
                if (order <= 0)
                        store_index_advance(cursor->index, &cursor->position);
                if (order < 0)
                        return object;
                cursor->undo_at++;
                if (undo->before)
                        return undo->before;
        }
}

/* First position behind the cursor's range. */
static struct store_position range_end(const struct store_cursor *cursor) {
        char after[512];
        bool is_equal;

        if (cursor->ns.len == 0 || cursor->ns.len >= sizeof(after))
                return (struct store_position){ cursor->index->block_count, 0 };
        memcpy(after, cursor->ns.ptr, cursor->ns.len);
        after[cursor->ns.len] = '\0'; /* sorts right behind the namespace itself */
        return store_index_find(cursor->index, slice_make(after, cursor->ns.len + 1), SLICE_EMPTY,
                                &is_equal);
}

size_t store_cursor_remaining(const struct store_cursor *cursor) {
        size_t from = store_index_rank(cursor->index, cursor->position);
        size_t to = store_index_rank(cursor->index, range_end(cursor));
        size_t remaining = to > from ? to - from : 0;

        for (size_t i = cursor->undo_at; i < cursor->undo_count; i++) {
                const struct undo *undo = &cursor->undos[i];
                bool is_there;

                store_index_find(cursor->index, store_object_ns(undo->key),
                                 store_object_name(undo->key), &is_there);
                remaining += (undo->before ? 1 : 0) - (is_there ? 1 : 0);
        }
        return remaining;
}

void store_cursor_close(struct store_cursor *cursor) {
        if (!cursor)
                return;
        free(cursor->undos);
        free(cursor);
}

void cleanup_store_cursor(struct store_cursor **cursor) {
        store_cursor_close(*cursor);
        *cursor = NULL;
}
