/* Answers recorded scheduling cases by the scheduler's own decision, in parity mode, for
 * `berth replay` and the tests.  Each call appends one JSON object {"name":...,"expect":{...}}
 * without a newline and never looks at the case's own expect; only a case that cannot be understood
 * is an error of the call. */
#pragma once

#include "api/json.h"
#include "base/buf.h"
#include "base/err.h"
#include "plugin/plugin.h"

struct scheduler_configuration;

/* test_case: {"name", "config", "objects": {...}, "pod": {...}} */
int replay_scheduler_case(const struct plugin *const *registry, const struct json *test_case,
                          struct buf *out, struct err *err);
/* The same for a pod with resource claims, and what would be written for each node. */
int replay_devices_case(const struct plugin *const *registry, const struct json *test_case,
                        struct buf *out, struct err *err);
/* test_case: {"name", "config", "objects": {...}, "pods": [...]}: one after the other. */
int replay_sequence_case(const struct plugin *const *registry, const struct json *test_case,
                         struct buf *out, struct err *err);
/* The same with resource claims: {..., "binding": "pending", "deletions": [{"after", "pod"}]}. */
int replay_device_sequence_case(const struct plugin *const *registry, const struct json *test_case,
                                struct buf *out, struct err *err);
struct replay_config {
        const struct plugin *const *registry;
        /* What an edge has to look at: files that must be there; NULL = not looked at. */
        int (*check)(const struct scheduler_configuration *configuration, struct err *err);
};
/* test_case: {"name", "doc": "text of a KubeSchedulerConfiguration"} */
int replay_config_case(const struct replay_config *config, const struct json *test_case,
                       struct buf *out, struct err *err);
