/* What a rule of a custom resource may cost at most, by the bounds of its schema. */
#pragma once

#include "cel/cel.h"
#include <stdint.h>

/* In upstream's units; UINT64_MAX for more than it can count. */
uint64_t cel_estimate(const struct cel_program *program);
/* How often a value of the type fits into a request. */
uint64_t cel_cardinality(const struct cel_type *type);
