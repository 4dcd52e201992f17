/* Resources of group batch, v1. */
#include "kinds/check.h"
#include "kinds/defaults.h"
#include "kinds/kinds.h"
#include "kinds/prepare.h"
#include "kinds/row.h"
#include "kinds/selectable.h"
#include "kinds/warn.h"

static const struct table_column cron_job_columns[] = {
        { "Name", "string", "name", 0 }, { "Schedule", "string", "", 0 },
        { "Timezone", "string", "", 0 }, { "Suspend", "boolean", "", 0 },
        { "Active", "integer", "", 0 },  { "Last Schedule", "string", "", 0 },
        { "Age", "string", "", 0 },      { "Containers", "string", "", 1 },
        { "Images", "string", "", 1 },   { "Selector", "string", "", 1 },
};
static const struct table_column job_columns[] = {
        { "Name", "string", "name", 0 },    { "Status", "string", "", 0 },
        { "Completions", "string", "", 0 }, { "Duration", "string", "", 0 },
        { "Age", "string", "", 0 },         { "Containers", "string", "", 1 },
        { "Images", "string", "", 1 },      { "Selector", "string", "", 1 },
};

static const struct kind_info rows[] = {
        {
                .group = "batch",
                .version = "v1",
                .plural = "cronjobs",
                .singular = "cronjob",
                .kind = "CronJob",
                .short_names = NAMES("cj"),
                .categories = NAMES("all"),
                .verbs = VERB_STANDARD,
                .flags = KIND_NAMESPACED | KIND_GENERATION | KIND_UNCONDITIONAL | KIND_STATUS |
                         KIND_STATUS_METADATA | KIND_WARN_OF_CHANGES,
                .prepare = status_prepare,
                .apply_defaults = cron_job_defaults,
                .validate = cron_job_validate,
                .warn = cron_job_warn,
                COLUMNS(cron_job_columns),
                .table_row = cron_job_row,
        },
        {
                .group = "batch",
                .version = "v1",
                .plural = "jobs",
                .orphan_warning = "child pods are preserved by default when jobs are deleted; set "
                                  "propagationPolicy=Background to remove them or set "
                                  "propagationPolicy=Orphan "
                                  "to suppress this warning",
                .singular = "job",
                .kind = "Job",
                .categories = NAMES("all"),
                .verbs = VERB_STANDARD,
                .flags = KIND_NAMESPACED | KIND_GENERATION | KIND_UNCONDITIONAL | KIND_STATUS |
                         KIND_STATUS_METADATA | KIND_ORPHANS | KIND_WARN_OF_CHANGES |
                         KIND_READ_DEFAULTS,
                .prepare = job_prepare,
                .apply_defaults = job_defaults,
                .validate = job_validate,
                .warn = workload_warn,
                .field_selectors = NAMES("status.successful"),
                .has_own_field_table = true,
                .field_value = job_field,
                COLUMNS(job_columns),
                .table_row = job_row,
        },
};

const struct kind_group kind_group_batch = { rows, ARRAY_LEN(rows) };
