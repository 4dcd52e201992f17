/* Command lines in manifests: the arguments of containers that run berth, or a program that it
 * stands in for, against the tables of options. */
#pragma once

#include "cmd/config_report.h"

/* False for an object that has no such container. */
bool config_manifest_check(struct config_check *check, const struct config_object *object);
/* The operations of a JSON patch that add to args of a program; target names the object. */
void config_manifest_check_patch(struct config_check *check, const struct config_object *patch,
                                 struct slice target);
