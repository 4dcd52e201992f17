/* The list of versions. */
#include "cmd/config_version.h"

#include "base/util.h"
#include <stdio.h>

#define SCHEDULER "KubeSchedulerConfiguration", "kubescheduler.config.k8s.io"

static const struct config_version versions[] = {
        { "DeschedulerPolicy", "descheduler", "v1alpha1", false },
        { "DeschedulerPolicy", "descheduler", "v1alpha2", true },
        { SCHEDULER, "v1beta1", false },
        { SCHEDULER, "v1beta2", false },
        { SCHEDULER, "v1beta3", false },
        { SCHEDULER, "v1", true },
};

const struct config_version *config_version_find(struct slice kind, struct slice api_version) {
        char wanted[128];

        for (size_t i = 0; i < ARRAY_LEN(versions); i++) {
                snprintf(wanted, sizeof(wanted), "%s/%s", versions[i].group, versions[i].version);
                if (slice_is(kind, versions[i].kind) && slice_is(api_version, wanted))
                        return &versions[i];
        }
        return NULL;
}
