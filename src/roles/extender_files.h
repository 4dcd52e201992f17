/* Files that the extenders of a KubeSchedulerConfiguration name. */
#pragma once

#include "base/err.h"

struct scheduler_configuration;

/* As upstream, a certificate, key or authority that cannot be read is found out at start. err names
 * the file. */
int extender_files_check(const struct scheduler_configuration *configuration, struct err *err);
