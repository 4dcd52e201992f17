/* A migration under way, and how its parts report what they do. */
#pragma once

#include "api/json.h"
#include "base/arena.h"
#include "cmd/config_findings.h"
#include "config/document.h"

struct config_migration {
        struct document *document; /* the old file */
        const struct json *old;    /* its root */
        struct json_tree *tree;    /* of the new one, which is its root */
        struct config_findings changes, refusals;
        struct arena arena;
};

/* A change, or what cannot be carried over, at a path of the old file. */
void config_migration_note(struct config_migration *migration, const char *path, const char *format,
                           ...) __attribute__((format(printf, 3, 4)));
void config_migration_refuse(struct config_migration *migration, const char *path,
                             const char *format, ...) __attribute__((format(printf, 3, 4)));
