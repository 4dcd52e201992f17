/* Common ways to bring raw scores to 0..NODE_SCORE_MAX. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* 100 * s / max, or 100 minus that; with a maximum of 0 all stay 0, or become 100. */
void normalize_by_max(int64_t *scores, size_t count, bool is_reversed);
