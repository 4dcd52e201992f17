/* Warnings about volumes of pods. */
#include "kinds/warn_volumes.h"

#include "base/arena.h"
#include "base/go_quote.h"
#include "base/util.h"
#include <stdio.h>
#include <stdlib.h>

/* ---- what volumes are of ---- */

static void warn_old_sources(const struct warner *warner, size_t index,
                             const struct json_node *volume) {
        static const struct {
                const char *source, *path, *message;
        } old_sources[] = {
                { "photonPersistentDisk", "photonPersistentDisk",
                  "deprecated in v1.11, non-functional in v1.16+" },
                { "gitRepo", "gitRepo", "deprecated in v1.11, and disabled by default in v1.33+" },
                { "scaleIO", "scaleIO", "deprecated in v1.16, non-functional in v1.22+" },
                { "flocker", "flocker", "deprecated in v1.22, non-functional in v1.25+" },
                { "storageos", "storageOS", "deprecated in v1.22, non-functional in v1.25+" },
                { "quobyte", "quobyte", "deprecated in v1.22, non-functional in v1.25+" },
                { "glusterfs", "glusterfs", "deprecated in v1.25, non-functional in v1.26+" },
                { "cephfs", "cephfs", "deprecated in v1.28, non-functional in v1.31+" },
                { "rbd", "rbd", "deprecated in v1.28, non-functional in v1.31+" },
        };

        for (size_t i = 0; i < ARRAY_LEN(old_sources); i++)
                if (node_get(volume, old_sources[i].source))
                        warn_in_pod(warner, "spec.volumes[%zu].%s: %s", index, old_sources[i].path,
                                    old_sources[i].message);
}

static void warn_claim(const struct warner *warner, size_t index, const struct json_node *volume) {
        static const char *const lists[] = { "requests", "limits" };
        const struct json_node *claim =
                node_get(node_get(volume, "ephemeral"), "volumeClaimTemplate");
        const struct json_node *resources = node_get(node_get(claim, "spec"), "resources");
        char path[128];

        snprintf(path, sizeof(path), "%sspec.volumes[%zu].ephemeral.volumeClaimTemplate.spec.",
                 warner->prefix, index);
        for (size_t i = 0; i < ARRAY_LEN(lists); i++)
                warn_fraction_of_bytes(&warner->sink, path, lists[i],
                                       node_get_text(node_get(resources, lists[i]), "storage"));
}

void warn_volumes(const struct warner *warner, const struct json_node *volumes) {
        struct node_iter iter = node_iter(volumes);
        struct json_node *volume;

        for (size_t i = 0; node_next(&iter, NULL, &volume); i++) {
                warn_old_sources(warner, i, volume);
                warn_claim(warner, i, volume);
        }
}

/* ---- where their files are ---- */

/* So many pairs of a volume are looked at: a header of warnings has room for a hundred. */
#define PATH_PAIRS_MAX 10000

struct volume_path {
        struct slice path; /* without slashes at its end */
        const char *kind;  /* of the source; NULL in a volume that is of one */
        struct slice name; /* of the source */
        bool has_name;
        size_t source, index;
};

struct path_pair {
        size_t path, earlier; /* indexes */
};

struct volume_paths {
        struct arena *arena;
        struct volume_path *items;
        size_t count, cap;
        struct path_pair *pairs; /* ordered */
        size_t pair_count, pair_cap;
};

static void add_path(struct volume_paths *paths, struct volume_path path) {
        while (path.path.len && path.path.ptr[path.path.len - 1] == '/')
                path.path.len--;
        path.index = paths->count;
        paths->items = arena_grow(paths->arena, paths->items, paths->count, &paths->cap,
                                  sizeof(*paths->items));
        paths->items[paths->count++] = path;
}

static void add_items(struct volume_paths *paths, const struct json_node *items,
                      struct volume_path path) {
        struct node_iter iter = node_iter(items);
        struct json_node *item;

        while (node_next(&iter, NULL, &item)) {
                path.path = node_get_text(item, "path");
                add_path(paths, path);
        }
}

/* ---- which of them overlap ---- */

/* Slashes come before all else, so that what is in a folder follows it. */
static int compare_paths(const void *a, const void *b) {
        const struct volume_path *left = *(const struct volume_path *const *)a,
                                 *right = *(const struct volume_path *const *)b;
        size_t length = left->path.len < right->path.len ? left->path.len : right->path.len;
        size_t same = 0;

        while (same < length && left->path.ptr[same] == right->path.ptr[same])
                same++;
        if (same < length) {
                unsigned char x = (unsigned char)left->path.ptr[same],
                              y = (unsigned char)right->path.ptr[same];

                if (x == '/' || y == '/')
                        return x == '/' ? -1 : 1;
                return x < y ? -1 : 1;
        }
        if (left->path.len != right->path.len)
                return left->path.len < right->path.len ? -1 : 1;
        return left->index < right->index ? -1 : left->index > right->index;
}

static int compare_pairs(const void *a, const void *b) {
        const struct path_pair *left = a, *right = b;

        if (left->path != right->path)
                return left->path < right->path ? -1 : 1;
        return left->earlier < right->earlier ? -1 : left->earlier > right->earlier;
}

/* Whether a path is a folder of another one, or the same. */
static bool path_holds(struct slice folder, struct slice path) {
        return slice_has_prefix(path, folder) &&
               (path.len == folder.len || path.ptr[folder.len] == '/');
}

static void add_pair(struct volume_paths *paths, size_t a, size_t b) {
        paths->pairs = arena_grow(paths->arena, paths->pairs, paths->pair_count, &paths->pair_cap,
                                  sizeof(*paths->pairs));
        paths->pairs[paths->pair_count++] = (struct path_pair){ a > b ? a : b, a > b ? b : a };
}

/* In the order of folders, what holds a path is what still holds the one before it. */
static void find_pairs(struct volume_paths *paths) {
        const struct volume_path **ordered =
                ARENA_ARRAY(paths->arena, const struct volume_path *, paths->count);
        const struct volume_path **holders =
                ARENA_ARRAY(paths->arena, const struct volume_path *, paths->count);
        size_t depth = 0;

        if (paths->count < 2)
                return;
        for (size_t i = 0; i < paths->count; i++)
                ordered[i] = &paths->items[i];
        qsort(ordered, paths->count, sizeof(*ordered), compare_paths);
        for (size_t i = 0; i < paths->count; i++) {
                if (ordered[i]->path.len == 0)
                        continue;
                while (depth && !path_holds(holders[depth - 1]->path, ordered[i]->path))
                        depth--;
                for (size_t j = 0; j < depth && paths->pair_count < PATH_PAIRS_MAX; j++)
                        add_pair(paths, ordered[i]->index, holders[j]->index);
                holders[depth++] = ordered[i];
        }
        if (paths->pair_count)
                qsort(paths->pairs, paths->pair_count, sizeof(*paths->pairs), compare_pairs);
}

static void print_path(const struct volume_path *path, struct buf *out) {
        go_quote_write(path->path, out);
        if (!path->kind)
                return;
        buf_printf(out, " (%s", path->kind);
        if (path->has_name) {
                buf_char(out, ' ');
                go_quote_write(path->name, out);
        }
        buf_char(out, ')');
}

/* Those of one source, beginning with a pair; the first pair of the next one. */
static size_t warn_overlaps(const struct warner *warner, const struct json_node *volume,
                            struct slice holder, const struct volume_paths *paths, size_t pair,
                            size_t source) {
        CLEANUP(buf_release) struct buf text = { 0 };

        for (; pair < paths->pair_count; pair++) {
                const struct volume_path *path = &paths->items[paths->pairs[pair].path];

                if (path->source != source)
                        break;
                buf_clear(&text);
                buf_text(&text, "volume ");
                go_quote_write(node_get_text(volume, "name"), &text);
                buf_printf(&text, " (" SLICE_FMT "): overlapping paths: ", SLICE_ARG(holder));
                print_path(path, &text);
                buf_text(&text, " with ");
                print_path(&paths->items[paths->pairs[pair].earlier], &text);
                warn_text(&warner->sink, "%s", text.data);
        }
        return pair;
}

/* Sources that are lists of files. */
struct file_source {
        const char *member, *kind;
        const char *name; /* the member with its name, in a volume of its own; NULL = it has none */
};

static const struct file_source file_sources[] = {
        { "configMap", "ConfigMap", "name" },
        { "secret", "Secret", "secretName" },
        { "downwardAPI", "DownwardAPI", NULL },
};

static void warn_files(const struct warner *warner, const struct json_node *volume,
                       const struct file_source *row, struct arena *arena) {
        struct volume_paths paths = { .arena = arena };
        const struct json_node *source = node_get(volume, row->member);
        CLEANUP(buf_release) struct buf holder = { 0 };

        add_items(&paths, node_get(source, "items"), (struct volume_path){ 0 });
        find_pairs(&paths);
        if (paths.pair_count == 0)
                return;
        buf_text(&holder, row->kind);
        if (row->name) {
                buf_char(&holder, ' ');
                go_quote_write(node_get_text(source, row->name), &holder);
        }
        warn_overlaps(warner, volume, buf_view(&holder), &paths, 0, 0);
}

/* The files of a projected volume's source. */
static void add_source(struct volume_paths *paths, const struct json_node *source, size_t index) {
        static const struct {
                const char *member, *kind;
        } certificate_files[] = {
                { "certificateChainPath", "PodCertificate chain" },
                { "keyPath", "PodCertificate key" },
                { "credentialBundlePath", "PodCertificate credential bundle" },
        };
        const struct json_node *token = node_get(source, "serviceAccountToken");
        const struct json_node *bundle = node_get(source, "clusterTrustBundle");
        const struct json_node *certificate = node_get(source, "podCertificate");
        const char *bundle_name = node_get(bundle, "name") ? "name" : "signerName";

        for (size_t i = 0; i < ARRAY_LEN(file_sources); i++) {
                const struct json_node *files = node_get(source, file_sources[i].member);

                add_items(paths, node_get(files, "items"),
                          (struct volume_path){ .kind = file_sources[i].kind,
                                                .name = node_get_text(files, "name"),
                                                .has_name = file_sources[i].name,
                                                .source = index });
        }
        if (token)
                add_path(paths, (struct volume_path){ .path = node_get_text(token, "path"),
                                                      .kind = "ServiceAccountToken",
                                                      .source = index });
        if (bundle)
                add_path(paths, (struct volume_path){ .path = node_get_text(bundle, "path"),
                                                      .kind = "ClusterTrustBundle",
                                                      .name = node_get_text(bundle, bundle_name),
                                                      .has_name = true,
                                                      .source = index });
        for (size_t i = 0; i < ARRAY_LEN(certificate_files); i++) {
                struct slice path = node_get_text(certificate, certificate_files[i].member);

                if (path.len)
                        add_path(paths, (struct volume_path){ .path = path,
                                                              .kind = certificate_files[i].kind,
                                                              .source = index });
        }
}

static void warn_projected(const struct warner *warner, const struct json_node *volume,
                           struct arena *arena) {
        const struct json_node *sources = node_get(node_get(volume, "projected"), "sources");
        struct volume_paths paths = { .arena = arena };
        struct slice name = node_get_text(volume, "name");
        struct node_iter all = node_iter(sources), iter = node_iter(sources);
        struct json_node *source;
        size_t pair = 0;

        for (size_t i = 0; node_next(&all, NULL, &source); i++)
                add_source(&paths, source, i);
        find_pairs(&paths);
        for (size_t i = 0; node_next(&iter, NULL, &source); i++) {
                if (node_count(source) == 0)
                        warn_text(&warner->sink,
                                  "volume \"" SLICE_FMT "\" (Projected) has no sources provided",
                                  SLICE_ARG(name));
                pair = warn_overlaps(warner, volume, slice_of("Projected"), &paths, pair, i);
        }
}

void warn_volume_paths(const struct warner *warner, const struct json_node *volumes) {
        CLEANUP(arena_release) struct arena arena = { 0 };
        struct node_iter iter = node_iter(volumes);
        struct json_node *volume;

        arena_init(&arena, 4096);
        while (node_next(&iter, NULL, &volume)) {
                for (size_t i = 0; i < ARRAY_LEN(file_sources); i++)
                        warn_files(warner, volume, &file_sources[i], &arena);
                warn_projected(warner, volume, &arena);
        }
}
