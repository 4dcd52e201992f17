/* The kinds that have older versions. */
#pragma once

#include "cmd/config_migration.h"

/* They set the tree's root. version: "v1beta2". */
void config_migrate_policy(struct config_migration *migration, const char *version);
void config_migrate_scheduler(struct config_migration *migration, const char *version);
