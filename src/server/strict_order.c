/* Unknown and repeated members in the order of a document. */
#include "server/strict_order.h"

#include "base/buf.h"
#include "base/map.h"
#include "base/pace.h"

/* What is reported counts on, so that it is never due again. */
enum { NEVER_SEEN, SEEN, REPORTED };

struct strict_walk {
        struct map *unknown, *repeated; /* by path: how often it was seen, plus one */
        struct buf path;
        void (*report)(void *context, const char *what, struct slice path);
        void *context;
};

static struct map *map_of_paths(const struct unknown_paths *paths) {
        struct map *map = map_new();

        for (size_t i = 0; i < paths->count; i++)
                map_put(map, slice_of(paths->paths[i]), (void *)(uintptr_t)(NEVER_SEEN + 1));
        return map;
}

/* Reports the path if it is one of the map's that is due by now. */
static bool take_path(struct strict_walk *walk, struct map *map, uintptr_t due, const char *what) {
        struct slice path = buf_view(&walk->path);
        uintptr_t state = (uintptr_t)map_get(map, path);

        if (state == 0)
                return false;
        if (state == due + 1)
                walk->report(walk->context, what, path);
        map_put(map, path, (void *)(state == due + 1 ? (uintptr_t)REPORTED + 1 : state + 1));
        return true;
}

static void strict_walk_value(struct strict_walk *walk, const struct json *value) {
        bool is_list = json_type(value) == JSON_ARRAY;
        struct json_iter iter = json_iter(value);
        const struct json *child;
        size_t length = walk->path.len;
        struct slice key;

        while (json_next(&iter, &key, &child)) {
                pace_step();
                if (is_list) {
                        buf_printf(&walk->path, "[%zu]", iter.index - 1);
                } else {
                        buf_text(&walk->path, length ? "." : "");
                        buf_slice(&walk->path, key);
                }
                if (is_list || !take_path(walk, walk->unknown, NEVER_SEEN, "unknown")) {
                        if (!is_list)
                                take_path(walk, walk->repeated, SEEN, "duplicate");
                        strict_walk_value(walk, child);
                }
                walk->path.len = length;
        }
}

void strict_order(const struct json *root, const struct unknown_paths *unknown,
                  const struct unknown_paths *repeated,
                  void (*report)(void *context, const char *what, struct slice path),
                  void *context) {
        struct strict_walk walk = { .unknown = map_of_paths(unknown),
                                    .repeated = map_of_paths(repeated),
                                    .report = report,
                                    .context = context };

        strict_walk_value(&walk, root);
        map_free(walk.unknown);
        map_free(walk.repeated);
        buf_release(&walk.path);
}
