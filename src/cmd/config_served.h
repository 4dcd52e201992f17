/* Custom resources of berth, checked by the API server of this program with the definitions that a
 * cluster gets, and then by what reads them. */
#pragma once

#include "cmd/config_report.h"

/* False for a kind that is none of them. */
bool config_served_check(struct config_check *check, const struct config_object *object);
void config_served_free(struct config_served *served); /* accepts NULL */
