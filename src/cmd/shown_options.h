/* Which cluster a view shows: one that was saved as files, or one that is watched. */
#pragma once

#include "cmd/daemon_options.h"

struct shown_options {
        struct option_texts inputs; /* none = a live cluster */
        struct daemon_options daemon;
};

extern const struct option shown_option_table[]; /* of struct shown_options */

/* BERTH_ERR_USAGE where files and a live cluster are named. */
int shown_options_check(const struct shown_options *options, struct err *err);
