/* Configuration files of older API versions as those of the version that the roles read. What
 * changes is noted, one change each, with its place in the old file; what has no successor is
 * refused. */
#pragma once

#include "cmd/config_migration.h"

struct program;

/* Reads and migrates a text; tables are those of the program, name stands for it in what is found.
 * Without a refusal the tree's root is the new file, and the roles take it. */
void config_migrate_text(struct config_migration *migration, const struct program *tables,
                         struct slice text, const char *name);
void config_migration_release(struct config_migration *migration);
