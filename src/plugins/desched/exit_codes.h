/* Sets of exit codes in configuration: numbers as upstream has them, and outside parity ranges
 * ("2-5"), comparisons (">=128"), signals ("SIGKILL" is 137) and exclusions ("!0"). */
#pragma once

#include "config/field_table.h"
#include <stdbool.h>
#include <stdint.h>

struct exit_code_range {
        int32_t min, max; /* inclusive */
        bool is_excluded;
};
struct exit_code_set {
        size_t count; /* 0: nothing was asked for */
        bool only_excludes;
        struct exit_code_range *ranges;
};
/* FIELD_CUSTOM decoder of a struct exit_code_set. */
void exit_code_set_decode(struct field_reader *reader, const struct json *value, void *member);
/* In some range and not excluded. Where there are only exclusions, every failure but those: 0 is
 * none, so that "!42" does not take a pod for a container that ended well (as NotIn of a Job's
 * podFailurePolicy). */
bool exit_code_set_has(const struct exit_code_set *set, int32_t code);
/* Something was asked for, and no code is in it. */
bool exit_code_set_is_hollow(const struct exit_code_set *set);
