/* The paths of printer columns (additionalPrinterColumns of a CustomResourceDefinition): the part
 * of kubectl's JSONPath that names one value. */
#pragma once

#include "api/json.h"
#include "base/slice.h"

/* Members (.spec.size, .metadata.labels['a.b/c'], .a\.b), positions ([0], [*] = the first) and
 * filters ([?(@.type=="Ready")], the first that is so). NULL where the object has none such, or the
 * path is none of these. Borrows from object. */
const struct json *column_path_value(const struct json *object, struct slice path);
