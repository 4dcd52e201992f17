/* Long work on one thread that lets others in between: whoever starts it says how, the loops it
 * goes through say that they are at a place where that may happen. */
#pragma once

struct pace {
        void (*let_in)(void *context); /* runs every so many steps, never from inside itself */
        void *context;
};

/* From now on, for this thread; NULL = nobody is let in. Returns what was set before. */
const struct pace *pace_set(const struct pace *pace);
/* One element, member or message of the work is done. */
void pace_step(void);
/* A piece of the work is done that is as long as many steps. */
void pace_pause(void);
