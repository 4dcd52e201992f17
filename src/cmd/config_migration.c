/* Changes and refusals, with their places in the old file. */
#include "cmd/config_migration.h"

#include <stdarg.h>
#include <stdio.h>

static void add_finding(struct config_migration *migration, struct config_findings *list,
                        const char *path, const char *format, va_list args)
        __attribute__((format(printf, 4, 0)));
static void add_finding(struct config_migration *migration, struct config_findings *list,
                        const char *path, const char *format, va_list args) {
        char text[ERR_TEXT_MAX];
        struct err err = { 0 };

        vsnprintf(text, sizeof(text), format, args);
        err_set(&err, BERTH_ERR_INVALID, "%s", text);
        document_locate_path(migration->document, migration->old, path, &err);
        snprintf(err.path, sizeof(err.path), "%s", path);
        config_findings_add(list, &err, false);
}

void config_migration_note(struct config_migration *migration, const char *path, const char *format,
                           ...) {
        va_list args;

        va_start(args, format);
        add_finding(migration, &migration->changes, path, format, args);
        va_end(args);
}

void config_migration_refuse(struct config_migration *migration, const char *path,
                             const char *format, ...) {
        va_list args;

        va_start(args, format);
        add_finding(migration, &migration->refusals, path, format, args);
        va_end(args);
}
