/* What a field may hold, where upstream names it: shown by kubectl explain, read by editors. Checks
 * of values are the validation's (kinds/). */
#pragma once

#include <stddef.h>

/* The values of a field of a type ("core.v1.PodSpec", "restartPolicy"), sorted and joined by '|',
 * one of them may be empty; NULL = upstream names none. Static. */
const char *enum_values_find(const char *type, const char *field);
size_t enum_values_count(void); /* fields that have some */
