/* Which manifest carries the rights of a command. */
#include "cmd/needed_rights.h"

#include "base/util.h"
#include <string.h>

#define NAME_PREFIX "berth-"

const char *needed_rights_of(const char *command) {
        static const struct {
                const char *command, *manifest;
        } rows[] = {
                { "scheduler", "deploy/scheduler/second-scheduler.yaml" },
                { "descheduler", "deploy/descheduler/rbac.yaml" },
                { "plan", "deploy/descheduler/rbac.yaml" },
                { "explain", "deploy/descheduler/rbac.yaml" },
                { "evictions", "deploy/evictions/rbac.yaml" },
                { "audit", "deploy/evictions/rbac.yaml" },
                { "evict", "deploy/evictions/rbac.yaml (ClusterRole berth-eviction-requester)" },
                { "reboot", "deploy/kured-compatible/rbac.yaml, and extras.yaml beside it" },
                { "run", "deploy/run/rbac.yaml" },
        };
        size_t prefix = strlen(NAME_PREFIX);

        if (command && strncmp(command, NAME_PREFIX, prefix) == 0)
                command += prefix;
        for (size_t i = 0; command && i < ARRAY_LEN(rows); i++)
                if (strcmp(rows[i].command, command) == 0)
                        return rows[i].manifest;
        return NULL;
}

bool needed_rights_miss(struct slice text) {
        return slice_contains(text, SLICE_LITERAL(" is forbidden: User "));
}
