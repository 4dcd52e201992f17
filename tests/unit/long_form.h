/* Tests with a long form: more seeds, larger numbers.  `make check` runs it beside the short one of
 * `make test` (meson suite "long"). */
#pragma once

#include <stdbool.h>
#include <stdlib.h>

static inline bool long_form(void) {
        return getenv("BERTH_LONG");
}
