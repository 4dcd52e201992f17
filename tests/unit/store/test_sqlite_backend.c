/* A store in a file: what was written is there after reopening, revisions go on, and broken files
 * are refused. */
#include "store/sqlite_backend.h"

#include "base/log.h"
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

/* ---- after a crash ---- */

static char logged[400];

static void log_write(void *context, enum log_level level, const char *event,
                      const struct log_field *fields, size_t count) {
        (void)context;
        (void)level;
        (void)count;
        snprintf(logged, sizeof(logged), "%s " SLICE_FMT, event, SLICE_ARG(fields[0].text));
}

struct file_copy {
        char text[1 << 20];
        size_t size;
};

static void file_read(const char *name, struct file_copy *ret_copy) {
        char path[256];

        snprintf(path, sizeof(path), "%s/%s", directory, name);
        FILE *file = fopen(path, "r");
        assert_non_null(file);
        ret_copy->size = fread(ret_copy->text, 1, sizeof(ret_copy->text), file);
        assert_true(ret_copy->size < sizeof(ret_copy->text));
        fclose(file);
}

static void file_put(const char *name, const char *text, size_t size) {
        char path[256];

        snprintf(path, sizeof(path), "%s/%s", directory, name);
        FILE *file = fopen(path, "w");
        assert_non_null(file);
        fchmod(fileno(file), 0600);
        assert_int_equal(fwrite(text, 1, size, file), size);
        fclose(file);
}

#define LOG_FILE "berth.db-wal"
#define FRAME (24 + 4096)
enum damage { KEEP, CUT, FLIP, ZERO };

/* What a process left that was killed: objects a to h, each a write of its own. at counts from the
 * end when it is negative. */
static const struct {
        const char *name;
        enum damage damage;
        long at;
        const char *said; /* in the error; NULL = it opens */
        const char *logged;
        int lost; /* of the eight */
} crashes[] = {
        { "whole", KEEP, 0, NULL, "", 0 },
        { "header", FLIP, 9, "its header is not what was written", "", 0 },
        { "salt of the header", FLIP, 17, "its header is not what was written", "", 0 },
        { "first page", FLIP, 32 + 24 + 100, "damaged at byte 32", "", 0 },
        { "sum of a frame", FLIP, 32 + FRAME + 17, "damaged at byte", "", 0 },
        { "salt of a frame", FLIP, 32 + FRAME + 9, "damaged at byte", "", 0 },
        { "page number of a frame", FLIP, 32 + FRAME + 1, "damaged at byte", "", 0 },
        { "a page of nothing", ZERO, 32 + 2 * FRAME, "damaged at byte", "", 0 },
        { "last page cut", CUT, -100, NULL, "LogEndCutOff", 1 },
        { "last page missing", CUT, -4096, NULL, "LogEndCutOff", 1 },
        { "part of a frame's header", CUT, -FRAME + 10, NULL, "LogEndCutOff", 1 },
        { "last page changed", FLIP, -100, NULL, "LogEndCutOff", 1 },
        { "last page not written", ZERO, -4096, NULL, "LogEndCutOff", 1 },
        { "part of the header", CUT, 20, "its header is not what was written", "", 0 },
        { "the header alone", CUT, 32, "nothing of what was written is left", "", 0 },
        { "nothing", CUT, 0, "berth.db-wal: missing or empty", "", 0 },
};

static void crash_make(struct file_copy *base, struct file_copy *log) {
        char path[256], name[2] = "a";

        snprintf(path, sizeof(path), "%s/berth.db", directory);
        unlink(path);
        struct store *store = open_store();
        int pods = store_add_resource(store, SLICE_LITERAL("pods"));
        for (; name[0] <= 'h'; name[0]++)
                put(store, pods, "n", name, "an object");
        file_read("berth.db", base);
        file_read(LOG_FILE, log);
        store_free(store);
}

static void crash_check(size_t number, const struct file_copy *base, const struct file_copy *log) {
        struct file_copy *copy = xmalloc(sizeof(*copy));
        long at = crashes[number].at + (crashes[number].at < 0 ? (long)log->size : 0);
        struct sqlite_backend *backend = NULL;
        struct err err = { 0 };

        *copy = *log;
        if (crashes[number].damage == CUT)
                copy->size = (size_t)at;
        else if (crashes[number].damage == FLIP)
                copy->text[at] ^= 4;
        else if (crashes[number].damage == ZERO)
                memset(copy->text + at, 0, 4096);
        file_put("berth.db", base->text, base->size);
        file_put(LOG_FILE, copy->text, copy->size);
        logged[0] = '\0';
        int r = sqlite_backend_new(directory, &backend, &err);
        if (crashes[number].said) {
                if (r != BERTH_ERR_IO || !strstr(err.text, crashes[number].said) ||
                    !strstr(err.text, LOG_FILE))
                        fail_msg("%s: %d %s", crashes[number].name, r, err.text);
                file_read(LOG_FILE, copy);
        } else {
                if (r < 0 ||
                    strncmp(logged, crashes[number].logged, strlen(crashes[number].logged)) != 0 ||
                    !*logged != !*crashes[number].logged)
                        fail_msg("%s: %s, logged %s", crashes[number].name, err.text, logged);
                struct store *store = store_new(&(struct store_config){
                        .backend = &sqlite_backend_ops, .backend_self = backend });
                assert_int_equal(store_load(store, &err), 0);
                int pods = store_add_resource(store, SLICE_LITERAL("pods"));
                if (store_count(store, pods) != (size_t)(8 - crashes[number].lost))
                        fail_msg("%s: %zu objects", crashes[number].name, store_count(store, pods));
                put(store, pods, "n", "z", "another");
                store_free(store);
        }
        free(copy);
}

static void test_crash(void **state) {
        struct file_copy *base = xmalloc(sizeof(*base)), *log = xmalloc(sizeof(*log));

        (void)state;
        log_install(&(struct log_sink){ .write = log_write, .max_level = LOG_INFO });
        crash_make(base, log);
        for (size_t i = 0; i < ARRAY_LEN(crashes); i++)
                crash_check(i, base, log);
        log_install(NULL);
        free(base);
        free(log);
}

/* The log of a process that was killed is not there: its writes would be lost silently. */
static void test_log_missing(void **state) {
        struct file_copy *base = xmalloc(sizeof(*base)), *log = xmalloc(sizeof(*log));
        struct sqlite_backend *backend = NULL;
        struct err err = { 0 };
        char path[256];

        (void)state;
        crash_make(base, log);
        snprintf(path, sizeof(path), "%s/" LOG_FILE, directory);
        file_put("berth.db", base->text, base->size);
        unlink(path);
        assert_int_equal(sqlite_backend_new(directory, &backend, &err), BERTH_ERR_IO);
        assert_non_null(strstr(err.text, path));
        file_put("berth.db", "", 0);
        file_put(LOG_FILE, log->text, log->size);
        assert_int_equal(sqlite_backend_new(directory, &backend, &err), BERTH_ERR_IO);
        assert_non_null(strstr(err.text, "it is empty"));
        unlink(path);
        assert_int_equal(sqlite_backend_new(directory, &backend, &err), BERTH_ERR_IO);
        assert_non_null(strstr(err.text, "it is empty"));
        snprintf(path, sizeof(path), "%s/berth.db", directory);
        unlink(path);
        store_free(open_store()); /* nothing at all: a new one */
        store_free(open_store()); /* closed without a write */
        free(base);
        free(log);
}

static void test_modes(void **state) {
        static const unsigned modes[] = { 0640, 0604, 0620, 0666, 0644 };
        struct sqlite_backend *backend = NULL;
        struct err err = { 0 };
        struct stat about;
        char path[256];

        (void)state;
        umask(0);
        snprintf(path, sizeof(path), "%s/berth.db", directory);
        unlink(path);
        struct store *store = open_store();
        put(store, store_add_resource(store, SLICE_LITERAL("secrets")), "n", "a", "hidden");
        assert_int_equal(stat(path, &about), 0);
        assert_int_equal(about.st_mode & 07777, 0600);
        snprintf(path, sizeof(path), "%s/" LOG_FILE, directory);
        assert_int_equal(stat(path, &about), 0);
        assert_int_equal(about.st_mode & 07777, 0600);
        store_free(store);
        umask(022);
        snprintf(path, sizeof(path), "%s/berth.db", directory);
        for (size_t i = 0; i < ARRAY_LEN(modes); i++) {
                assert_int_equal(chmod(path, modes[i]), 0);
                assert_int_equal(sqlite_backend_new(directory, &backend, &err), BERTH_ERR_IO);
                assert_non_null(strstr(err.text, path));
        }
        assert_int_equal(chmod(path, 0600), 0);
        assert_int_equal(chmod(directory, 0750), 0);
        assert_int_equal(sqlite_backend_new(directory, &backend, &err), BERTH_ERR_IO);
        assert_non_null(strstr(err.text, "its mode is 0750"));
        assert_int_equal(chmod(directory, 0700), 0);
        store_free(open_store());
}

int main(void) {
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(test_reopen),  cmocka_unit_test(test_locked),
                cmocka_unit_test(test_damaged), cmocka_unit_test(test_cut_short),
                cmocka_unit_test(test_crash),   cmocka_unit_test(test_log_missing),
                cmocka_unit_test(test_modes),   cmocka_unit_test(test_broken),
        };

        return cmocka_run_group_tests(tests, make_directory, remove_directory);
}
