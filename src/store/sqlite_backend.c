/* Keeps a store in one SQLite file. Every commit is one transaction in the write-ahead log: it
 * survives a crash of the process at once, and a crash of the machine up to the last checkpoint. */
#include "store/sqlite_backend.h"

#include "base/arena.h"
#include "base/buf.h"
#include "base/util.h"
#include "store/data_folder.h"
#include "store/wal_check.h"
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define FILE_NAME "berth.db"
#define SCHEMA_VERSION 2
/* In the header of the file while a process may have writes in the log, "open". */
#define APPLICATION_OPEN 0x6f70656e
#define APPLICATION_AT 68 /* its place in the file */

struct sqlite_backend {
        char *path;
        int folder;      /* locked; -1 = not yet */
        bool is_marked;  /* APPLICATION_OPEN is in the file */
        bool is_trusted; /* all was read: closing may write the log into the file */
        sqlite3 *db;
        sqlite3_stmt *put, *remove, *revision, *begin, *commit, *rollback;
};

static int sqlite_backend_fail(const struct sqlite_backend *backend, const char *what,
                               struct err *err) {
        return err_set(err, BERTH_ERR_IO, "%s: cannot %s: %s", backend->path, what,
                       sqlite3_errmsg(backend->db));
}

static int sqlite_backend_run(struct sqlite_backend *backend, const char *sql, struct err *err) {
        return sqlite3_exec(backend->db, sql, NULL, NULL, NULL) == SQLITE_OK
                       ? 0
                       : sqlite_backend_fail(backend, "open it", err);
}

static int sqlite_backend_prepare(struct sqlite_backend *backend, const char *sql,
                                  sqlite3_stmt **ret_statement, struct err *err) {
        return sqlite3_prepare_v3(backend->db, sql, -1, SQLITE_PREPARE_PERSISTENT, ret_statement,
                                  NULL) == SQLITE_OK
                       ? 0
                       : sqlite_backend_fail(backend, "open it", err);
}

/* Format of the file; 0 for a new one. */
static int read_format(struct sqlite_backend *backend, int *ret_format, struct err *err) {
        sqlite3_stmt *statement;
        int format = 0, r = sqlite_backend_prepare(backend, "PRAGMA user_version", &statement, err);

        if (r < 0)
                return r;
        if (sqlite3_step(statement) == SQLITE_ROW)
                format = sqlite3_column_int(statement, 0);
        sqlite3_finalize(statement);
        if (format != 0 && format != SCHEMA_VERSION)
                return err_set(err, BERTH_ERR_INVALID,
                               "%s: written in format %d, this version knows format %d",
                               backend->path, format, SCHEMA_VERSION);
        *ret_format = format;
        return 0;
}

/* The structure as a whole; what objects hold is checked one by one when they are loaded. */
static int check_structure(struct sqlite_backend *backend, struct err *err) {
        sqlite3_stmt *statement;
        int r = sqlite_backend_prepare(backend, "PRAGMA quick_check(1)", &statement, err);

        if (r < 0)
                return r;
        if (sqlite3_step(statement) != SQLITE_ROW)
                r = sqlite_backend_fail(backend, "check it", err);
        const unsigned char *text = r == 0 ? sqlite3_column_text(statement, 0) : NULL;
        if (r == 0 && (!text || strcmp((const char *)text, "ok") != 0))
                r = err_set(err, BERTH_ERR_IO, "%s: damaged: %s; restore it from a copy",
                            backend->path, text ? (const char *)text : "no answer");
        sqlite3_finalize(statement);
        return r;
}

/* The database's file as SQLite's format has it, and the log next to it. */
struct file_facts {
        int64_t size, log_size;
        bool exists, is_database, is_open;
        long page_size;
};

static struct file_facts read_facts(const char *path, const char *log_path) {
        struct file_facts facts = { 0 };
        unsigned char header[APPLICATION_AT + 4] = { 0 };
        struct stat about;
        FILE *file = fopen(path, "rbe");
        size_t got = file ? fread(header, 1, sizeof(header), file) : 0;

        if (file)
                fclose(file);
        facts.exists = stat(path, &about) == 0;
        facts.size = facts.exists ? (int64_t)about.st_size : 0;
        facts.log_size = stat(log_path, &about) == 0 ? (int64_t)about.st_size : 0;
        facts.is_database = got == sizeof(header) && memcmp(header, "SQLite", 6) == 0;
        facts.page_size = header[16] << 8 | header[17];
        facts.page_size = facts.page_size == 1 ? 65536 : facts.page_size;
        facts.is_open = facts.is_database && memcmp(header + APPLICATION_AT, "open", 4) == 0;
        return facts;
}

/* What SQLite would pass over: a last page that is cut short (only a crash in the middle of writing
 * leaves one, and then the log holds what is missing), an empty file with a log, a log that is
 * gone. */
static int check_files(struct sqlite_backend *backend, struct err *err) {
        CLEANUP(buf_release) struct buf log = { 0 }, journal = { 0 };

        buf_printf(&log, "%s-wal", backend->path);
        buf_printf(&journal, "%s-journal", backend->path);
        const struct file_facts facts = read_facts(backend->path, log.data);
        backend->is_marked = facts.is_open;
        if (facts.exists && facts.size == 0 && access(journal.data, F_OK) != 0)
                return err_set(err, BERTH_ERR_IO,
                               "%s: damaged: it is empty; restore it from a copy, or remove it to "
                               "start with an empty cluster",
                               backend->path);
        if (facts.size == 0 && facts.log_size > 0)
                return err_set(err, BERTH_ERR_IO,
                               "%s: missing, and %s is not; restore both from a copy",
                               backend->path, log.data);
        if (facts.is_open && facts.log_size == 0)
                return err_set(
                        err, BERTH_ERR_IO,
                        "%s: missing or empty, and %s was not closed: the last writes are in it; "
                        "restore both from a copy",
                        log.data, backend->path);
        int r = wal_check(log.data, facts.is_open, err);
        if (r < 0)
                return r;
        if (facts.is_database && facts.log_size == 0 && facts.page_size > 0 &&
            facts.size % facts.page_size != 0)
                return err_set(err, BERTH_ERR_IO,
                               "%s: damaged: its last page is cut short; restore it from a copy",
                               backend->path);
        return 0;
}

static int open_schema(struct sqlite_backend *backend, struct err *err) {
        int format = 0;
        int r = sqlite_backend_run(backend,
                                   "PRAGMA locking_mode=EXCLUSIVE; PRAGMA journal_mode=WAL;"
                                   "PRAGMA synchronous=NORMAL;",
                                   err);

        if (r == 0)
                r = read_format(backend, &format, err);
        if (r == 0)
                r = check_structure(backend, err);
        if (r == 0 && format == 0) /* a file that exists is not touched before it is trusted */
                r = sqlite_backend_run(
                        backend,
                        "BEGIN IMMEDIATE;"
                        "CREATE TABLE IF NOT EXISTS objects (resource TEXT NOT NULL, ns TEXT NOT "
                        "NULL, name TEXT NOT NULL, revision INTEGER NOT NULL, body BLOB NOT NULL, "
                        "checksum INTEGER NOT NULL, PRIMARY KEY (resource, ns, name)) WITHOUT "
                        "ROWID;"
                        "CREATE TABLE IF NOT EXISTS state (id INTEGER PRIMARY KEY CHECK (id = 0), "
                        "revision INTEGER NOT NULL);"
                        "INSERT OR IGNORE INTO state VALUES (0, 0);"
                        "PRAGMA user_version=2;"
                        "COMMIT;",
                        err);
        return r;
}

static int open_statements(struct sqlite_backend *backend, struct err *err) {
        const struct {
                sqlite3_stmt **statement;
                const char *sql;
        } statements[] = {
                { &backend->put, "INSERT OR REPLACE INTO objects VALUES (?, ?, ?, ?, ?, ?)" },
                { &backend->remove,
                  "DELETE FROM objects WHERE resource = ? AND ns = ? AND name = ?" },
                { &backend->revision, "UPDATE state SET revision = ?" },
                { &backend->begin, "BEGIN IMMEDIATE" },
                { &backend->commit, "COMMIT" },
                { &backend->rollback, "ROLLBACK" },
        };

        for (size_t i = 0; i < ARRAY_LEN(statements); i++) {
                int r = sqlite_backend_prepare(backend, statements[i].sql, statements[i].statement,
                                               err);

                if (r < 0)
                        return r;
        }
        return 0;
}

/* Says in the file itself, not in the log, that the log belongs to it from now on. */
static bool mark_open(struct sqlite_backend *backend) {
        static const char sql[] = "PRAGMA application_id=1869636974; PRAGMA wal_checkpoint(FULL)";

        _Static_assert(APPLICATION_OPEN == 1869636974, "the number in the statement");
        backend->is_marked = sqlite3_exec(backend->db, sql, NULL, NULL, NULL) == SQLITE_OK;
        return backend->is_marked;
}

static void backend_free(struct sqlite_backend *backend) {
        if (backend->db && !backend->is_trusted)
                sqlite3_db_config(backend->db, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, NULL);
        else if (backend->is_marked)
                sqlite3_exec(backend->db, "PRAGMA application_id=0", NULL, NULL, NULL);
        sqlite3_finalize(backend->put);
        sqlite3_finalize(backend->remove);
        sqlite3_finalize(backend->revision);
        sqlite3_finalize(backend->begin);
        sqlite3_finalize(backend->commit);
        sqlite3_finalize(backend->rollback);
        sqlite3_close(backend->db);
        if (backend->folder >= 0)
                close(backend->folder);
        free(backend->path);
        free(backend);
}

int sqlite_backend_new(const char *directory, struct sqlite_backend **ret_backend,
                       struct err *err) {
        struct buf path = { 0 };
        struct sqlite_backend *backend = xcalloc(1, sizeof(*backend));

        buf_printf(&path, "%s/" FILE_NAME, directory);
        backend->path = buf_take(&path, NULL);
        backend->folder = -1;
        int r = data_folder_open(directory, &backend->folder, err);
        if (r == 0)
                r = check_files(backend, err);
        if (r == 0)
                r = data_folder_make_file(backend->path, err);
        if (r == 0 &&
            sqlite3_open_v2(backend->path, &backend->db, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE,
                            NULL) != SQLITE_OK)
                r = err_set(err, BERTH_ERR_IO, "cannot open %s: %s", backend->path,
                            sqlite3_errmsg(backend->db));
        if (r == 0)
                r = open_schema(backend, err);
        if (r == 0)
                r = open_statements(backend, err);
        if (r < 0) {
                backend_free(backend);
                return r;
        }
        *ret_backend = backend;
        return 0;
}

/* ---- the backend's table ---- */

static struct slice sqlite_backend_column(sqlite3_stmt *statement, int index) {
        const void *data = sqlite3_column_blob(statement, index);
        int size = sqlite3_column_bytes(statement, index);

        return slice_make(data, size > 0 ? (size_t)size : 0);
}

static sqlite3_int64 sqlite_backend_checksum(struct slice body, uint64_t revision) {
        return (sqlite3_int64)(slice_hash(body) ^ revision);
}

static int load_revision(struct sqlite_backend *backend, uint64_t *ret_revision, struct err *err) {
        sqlite3_stmt *statement;
        int r = sqlite_backend_prepare(backend, "SELECT revision FROM state", &statement, err);

        if (r < 0)
                return r;
        if (sqlite3_step(statement) == SQLITE_ROW)
                *ret_revision = (uint64_t)sqlite3_column_int64(statement, 0);
        else
                r = sqlite_backend_fail(backend, "read it", err);
        sqlite3_finalize(statement);
        return r;
}

static int sqlite_backend_load(void *self,
                               int (*visit)(void *context, const struct store_record *record,
                                            struct err *err),
                               void *context, uint64_t *ret_revision, struct err *err) {
        struct sqlite_backend *backend = self;
        sqlite3_stmt *statement;
        int step = SQLITE_ROW;
        int r = sqlite_backend_prepare(
                backend,
                "SELECT resource, ns, name, revision, body, checksum FROM objects "
                "ORDER BY resource, ns, name",
                &statement, err);

        if (r < 0)
                return r;
        while (r == 0 && (step = sqlite3_step(statement)) == SQLITE_ROW) {
                struct store_record record = {
                        .resource = sqlite_backend_column(statement, 0),
                        .ns = sqlite_backend_column(statement, 1),
                        .name = sqlite_backend_column(statement, 2),
                        .body = sqlite_backend_column(statement, 4),
                        .revision = (uint64_t)sqlite3_column_int64(statement, 3),
                };

                if (sqlite3_column_int64(statement, 5) ==
                    sqlite_backend_checksum(record.body, record.revision))
                        r = visit(context, &record, err);
                else
                        r = err_set(err, BERTH_ERR_IO,
                                    "%s: damaged: " SLICE_FMT " " SLICE_FMT "/" SLICE_FMT
                                    " is not what was written; restore it from a copy",
                                    backend->path, SLICE_ARG(record.resource), SLICE_ARG(record.ns),
                                    SLICE_ARG(record.name));
        }
        if (r == 0 && step != SQLITE_DONE)
                r = sqlite_backend_fail(backend, "read it", err);
        sqlite3_finalize(statement);
        if (r == 0)
                r = load_revision(backend, ret_revision, err);
        backend->is_trusted = r == 0;
        return r;
}

static void bind_text(sqlite3_stmt *statement, int index, struct slice text) {
        sqlite3_bind_text(statement, index, text.ptr ? text.ptr : "", (int)text.len, SQLITE_STATIC);
}

static bool sqlite_backend_step(sqlite3_stmt *statement) {
        bool is_done = sqlite3_step(statement) == SQLITE_DONE;

        sqlite3_reset(statement);
        sqlite3_clear_bindings(statement);
        return is_done;
}

static bool write_event(struct sqlite_backend *backend, struct slice resource,
                        const struct store_event *event) {
        sqlite3_stmt *statement = event->type == STORE_DELETED ? backend->remove : backend->put;
        struct slice body = store_object_body(event->object);

        bind_text(statement, 1, resource);
        bind_text(statement, 2, store_object_ns(event->object));
        bind_text(statement, 3, store_object_name(event->object));
        if (event->type != STORE_DELETED) {
                sqlite3_bind_int64(statement, 4, (sqlite3_int64)event->revision);
                sqlite3_bind_blob(statement, 5, body.ptr, (int)body.len, SQLITE_STATIC);
                sqlite3_bind_int64(statement, 6, sqlite_backend_checksum(body, event->revision));
        }
        if (!sqlite_backend_step(statement))
                return false;
        sqlite3_bind_int64(backend->revision, 1, (sqlite3_int64)event->revision);
        return sqlite_backend_step(backend->revision);
}

static int sqlite_backend_commit(void *self, struct slice resource, const struct store_event *event,
                                 struct err *err) {
        struct sqlite_backend *backend = self;

        if ((!backend->is_marked && !mark_open(backend)) || !sqlite_backend_step(backend->begin))
                return sqlite_backend_fail(backend, "write to it", err);
        if (write_event(backend, resource, event) && sqlite_backend_step(backend->commit))
                return 0;
        int r = sqlite_backend_fail(backend, "write to it", err);
        sqlite_backend_step(backend->rollback);
        return r;
}

static void close_backend(void *self) {
        backend_free(self);
}

const struct store_backend sqlite_backend_ops = { .load = sqlite_backend_load,
                                                  .commit = sqlite_backend_commit,
                                                  .close = close_backend };

void sqlite_backend_library_version(struct buf *out) {
        buf_text(out, sqlite3_libversion());
}
