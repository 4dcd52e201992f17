/* A store in a file: what was written is there after reopening, revisions go on, and broken files
 * are refused. */
#include "store/sqlite_backend.h"

#include "base/rng.h"
#include "base/util.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

static char directory[] = "/tmp/berth-store-XXXXXX";

static int make_directory(void **state) {
        (void)state;
        return mkdtemp(directory) ? 0 : -1;
}

static int remove_directory(void **state) {
        static const char *const files[] = { "berth.db", "berth.db-wal", "berth.db-shm" };
        char path[256];

        (void)state;
        for (size_t i = 0; i < ARRAY_LEN(files); i++) {
                snprintf(path, sizeof(path), "%s/%s", directory, files[i]);
                unlink(path);
        }
        return rmdir(directory);
}

static struct store *open_store(void) {
        struct sqlite_backend *backend = NULL;
        struct err err = { 0 };
        struct store *store;

        if (sqlite_backend_new(directory, &backend, &err) < 0)
                fail_msg("%s", err.text);
        store = store_new(
                &(struct store_config){ .backend = &sqlite_backend_ops, .backend_self = backend });
        assert_int_equal(store_load(store, &err), 0);
        return store;
}

static void put(struct store *store, int resource, const char *ns, const char *name,
                const char *body) {
        assert_int_equal(
                store_put(store, resource, slice_of(ns), slice_of(name), slice_of(body), NULL), 0);
}

static void test_reopen(void **state) {
        struct store *store = open_store();
        int pods = store_add_resource(store, SLICE_LITERAL("pods"));
        int nodes = store_add_resource(store, SLICE_LITERAL("nodes"));
        const struct store_object *object;
        uint64_t revision;

        (void)state;
        put(store, pods, "n", "a", "first");
        put(store, pods, "n", "a", "second \xc3\xa4");
        put(store, pods, "n", "b", "gone");
        put(store, nodes, "", "x", "node");
        assert_int_equal(store_remove(store, pods, SLICE_LITERAL("n"), SLICE_LITERAL("b"),
                                      SLICE_LITERAL("gone"), NULL),
                         0);
        revision = store_revision(store);
        store_free(store);
        store = open_store();
        pods = store_find_resource(store, SLICE_LITERAL("pods"));
        assert_true(pods >= 0);
        assert_int_equal(store_revision(store), revision);
        assert_int_equal(store_count(store, pods), 1);
        object = store_get(store, pods, SLICE_LITERAL("n"), SLICE_LITERAL("a"));
        assert_true(slice_is(store_object_body(object), "second \xc3\xa4"));
        assert_int_equal(object->revision, STORE_REVISION_START + 2);
        assert_non_null(store_get(store, store_find_resource(store, SLICE_LITERAL("nodes")),
                                  SLICE_EMPTY, SLICE_LITERAL("x")));
        store_free(store);
}

static void test_locked(void **state) {
        struct store *store = open_store();
        struct sqlite_backend *second = NULL;
        struct err err = { 0 };

        (void)state;
        put(store, store_add_resource(store, SLICE_LITERAL("pods")), "n", "lock", "x");
        assert_int_equal(sqlite_backend_new(directory, &second, &err), BERTH_ERR_IO);
        store_free(store);
        assert_int_equal(sqlite_backend_new("/nonexistent", &second, &err), BERTH_ERR_IO);
}

static void test_broken(void **state) {
        struct sqlite_backend *backend = NULL;
        struct err err = { 0 };
        char path[256];
        FILE *file;

        (void)state;
        snprintf(path, sizeof(path), "%s/berth.db", directory);
        file = fopen(path, "w");
        assert_non_null(file);
        fputs("this is no database, whatever its name says: far from it", file);
        fclose(file);
        assert_int_equal(sqlite_backend_new(directory, &backend, &err), BERTH_ERR_IO);
        assert_null(backend);
}

/* A changed byte in the middle of an object, and a file cut short: said at start, never served. */
static void test_damaged(void **state) {
        static const char text[] = "a sentence that is looked for in the file";
        struct sqlite_backend *backend = NULL;
        struct store *store;
        struct err err = { 0 };
        char path[256], *content, *at;
        long size;
        FILE *file;

        (void)state;
        snprintf(path, sizeof(path), "%s/berth.db", directory);
        unlink(path);
        store = open_store();
        put(store, store_add_resource(store, SLICE_LITERAL("pods")), "n", "a", text);
        store_free(store);
        file = fopen(path, "r+");
        assert_non_null(file);
        fseek(file, 0, SEEK_END);
        size = ftell(file);
        rewind(file);
        content = xmalloc((size_t)size);
        assert_int_equal(fread(content, 1, (size_t)size, file), size);
        at = memmem(content, (size_t)size, text, strlen(text));
        assert_non_null(at);
        fseek(file, at - content + 4, SEEK_SET);
        fputc('X', file);
        fclose(file);
        free(content);
        assert_int_equal(sqlite_backend_new(directory, &backend, &err), 0);
        store = store_new(
                &(struct store_config){ .backend = &sqlite_backend_ops, .backend_self = backend });
        assert_int_equal(store_load(store, &err), BERTH_ERR_IO);
        assert_non_null(strstr(err.text, "pods n/a is not what was written"));
        store_free(store);
        assert_int_equal(truncate(path, size / 2), 0);
        assert_int_equal(sqlite_backend_new(directory, &backend, &err), BERTH_ERR_IO);
        assert_non_null(strstr(err.text, path));
}

/* What is cut off held nothing any more; a file that lost its end is damaged all the same. */
static void test_cut_short(void **state) {
        struct sqlite_backend *backend = NULL;
        struct store *store;
        struct err err = { 0 };
        char path[256], large[20000];
        struct stat about;

        (void)state;
        snprintf(path, sizeof(path), "%s/berth.db", directory);
        unlink(path);
        memset(large, 'x', sizeof(large) - 1);
        large[sizeof(large) - 1] = 0;
        store = open_store();
        put(store, store_add_resource(store, SLICE_LITERAL("pods")), "n", "a", large);
        store_free(store);
        store = open_store();
        put(store, store_add_resource(store, SLICE_LITERAL("pods")), "n", "a", "small");
        store_free(store);
        assert_int_equal(stat(path, &about), 0);
        assert_int_equal(truncate(path, about.st_size - 1000), 0);
        assert_int_equal(sqlite_backend_new(directory, &backend, &err), BERTH_ERR_IO);
        assert_non_null(strstr(err.text, "cut short"));
}

int main(void) {
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(test_reopen),  cmocka_unit_test(test_locked),
                cmocka_unit_test(test_damaged), cmocka_unit_test(test_cut_short),
                cmocka_unit_test(test_broken),
        };

        return cmocka_run_group_tests(tests, make_directory, remove_directory);
}
