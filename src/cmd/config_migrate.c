/* From a text to the new file, and what the roles say to it. */
#include "cmd/config_migrate.h"

#include "base/util.h"
#include "cmd/config_check.h"
#include "cmd/config_migrate_kinds.h"
#include "cmd/config_version.h"
#include "cmd/output.h"
#include <string.h>

/* ---- the result ---- */

/* What the roles would refuse, by the paths of the new file, which has no lines yet. */
static void check_result(struct config_migration *migration, const struct program *tables,
                         const char *name) {
        CLEANUP(buf_release) struct buf text = { 0 };
        struct config_check check;

        output_value(json_tree_root(migration->tree), OUTPUT_YAML, &text);
        config_check_init(&check, tables, false);
        config_check_text(&check, buf_view(&text), name);
        for (size_t i = 0; i < check.findings.count; i++) {
                struct err err = check.findings.items[i].err;

                if (check.findings.items[i].is_warning)
                        continue;
                err.line = err.column = 0;
                err_wrap(&err, "in the new version");
                config_findings_add(&migration->refusals, &err, false);
        }
        config_check_release(&check);
}

/* Comments are no part of a document. */
static void note_comments(struct config_migration *migration, struct slice text) {
        struct slice line;

        if (document_is_json(migration->document))
                return;
        while (slice_split(&text, '\n', &line)) {
                line = slice_trim(line);
                if (slice_has_prefix(line, SLICE_LITERAL("#")) ||
                    slice_contains(line, SLICE_LITERAL(" #"))) {
                        config_migration_note(migration, "", "comments are left out");
                        return;
                }
        }
}

static void refuse_version(struct config_migration *migration, struct slice kind,
                           struct slice api_version) {
        if (slice_is(kind, "DeschedulerPolicy") || slice_is(kind, "KubeSchedulerConfiguration"))
                config_migration_refuse(migration, "apiVersion",
                                        "unknown version \"" SLICE_FMT "\"",
                                        SLICE_ARG(api_version));
        else
                config_migration_refuse(migration, "kind",
                                        "expected DeschedulerPolicy or KubeSchedulerConfiguration, "
                                        "found \"" SLICE_FMT "\"",
                                        SLICE_ARG(kind));
}

static void migrate_root(struct config_migration *migration) {
        struct slice kind = json_get_text(migration->old, "kind");
        struct slice api_version = json_get_text(migration->old, "apiVersion");
        const struct config_version *version = config_version_find(kind, api_version);

        if (!version) {
                refuse_version(migration, kind, api_version);
        } else if (version->is_newest) {
                json_tree_set_root(migration->tree, node_import(migration->tree, migration->old));
                config_migration_note(migration, "apiVersion", SLICE_FMT " is the newest version",
                                      SLICE_ARG(api_version));
        } else if (strcmp(version->kind, "DeschedulerPolicy") == 0) {
                config_migrate_policy(migration, version->version);
        } else {
                config_migrate_scheduler(migration, version->version);
        }
}

void config_migrate_text(struct config_migration *migration, const struct program *tables,
                         struct slice text, const char *name) {
        struct err err = { 0 };

        *migration = (struct config_migration){ .tree = json_tree_new() };
        arena_init(&migration->arena, 0);
        if (document_read(text, name, &migration->document, &err) < 0) {
                config_findings_add(&migration->refusals, &err, false);
                return;
        }
        migration->old = document_root(migration->document);
        if (document_has_more(migration->document))
                config_migration_refuse(migration, "", "expected one document");
        migrate_root(migration);
        config_findings_sort(&migration->changes, 0);
        if (migration->refusals.count)
                return;
        note_comments(migration, text);
        check_result(migration, tables, name);
}

void config_migration_release(struct config_migration *migration) {
        config_findings_release(&migration->changes);
        config_findings_release(&migration->refusals);
        json_tree_free(migration->tree);
        document_free(migration->document);
        arena_release(&migration->arena);
}
