/* Names of time zones. */
#pragma once

#include "base/slice.h"
#include <stdbool.h>

bool time_zone_is_known(struct slice name); /* such as "Europe/Berlin" */
