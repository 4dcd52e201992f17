/* Formats of texts that schemas of custom resources may ask for, as kube-openapi's registry reads
 * them (strfmt). Names are the same with and without dashes. */
#pragma once

#include "base/slice.h"
#include <stdbool.h>

bool text_format_is_known(struct slice format);
/* True of formats that nothing is known of. */
bool text_format_holds(struct slice format, struct slice text);
