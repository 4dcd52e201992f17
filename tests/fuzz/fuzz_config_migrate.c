/* A configuration file of any text, migrated: it is refused, or the result is one that the roles
 * take and that migrating leaves as it is. */
#include "base/util.h"
#include "cmd/command.h"
#include "cmd/config_migrate.h"
#include "cmd/output.h"
#include <assert.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* False when it was refused. */
static bool migrate(struct slice text, struct buf *out) {
        struct config_migration migration;

        config_migrate_text(&migration, &program_berth, text, "f");
        bool is_good = migration.refusals.count == 0;
        if (is_good)
                output_value(json_tree_root(migration.tree), OUTPUT_YAML, out);
        config_migration_release(&migration);
        return is_good;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
        CLEANUP(buf_release) struct buf once = { 0 }, twice = { 0 };

        if (!migrate(slice_make((const char *)data, size), &once))
                return 0;
        bool is_good = migrate(buf_view(&once), &twice);
        assert(is_good);
        assert(slice_eq(buf_view(&once), buf_view(&twice)));
        return 0;
}
