/* Counting steps is all that work pays which lets nobody in. */
#include "base/pace.h"

#include <stddef.h>

#define STEPS_BETWEEN 512U

static _Thread_local const struct pace *pace_now;
static _Thread_local unsigned pace_steps;

const struct pace *pace_set(const struct pace *pace) {
        const struct pace *before = pace_now;

        pace_now = pace;
        return before;
}

void pace_pause(void) {
        const struct pace *pace = pace_now;

        if (!pace)
                return;
        pace_now = NULL;
        pace->let_in(pace->context);
        pace_now = pace;
}

void pace_step(void) {
        if (pace_now && ++pace_steps % STEPS_BETWEEN == 0)
                pace_pause();
}
