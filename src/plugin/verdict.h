/* Verdicts: a plugin's "no" is data, not an error.  Reasons are short texts interned per runner so
 * that they can be counted and explained (upstream: framework.Status). */
#pragma once

#include "base/slice.h"
#include <stdint.h>

enum verdict_code {
        VERDICT_OK,
        VERDICT_SKIP,          /* has nothing to say about this pod */
        VERDICT_UNSCHEDULABLE, /* no, but evicting other pods might help */
        VERDICT_UNRESOLVABLE,  /* no, whatever pods are evicted */
        VERDICT_WAIT,          /* permit: later */
        VERDICT_PENDING,       /* waits for something outside the scheduler */
        VERDICT_ERROR,         /* the cycle cannot go on */
};
/* Success, Skip, Unschedulable, UnschedulableAndUnresolvable, Wait, Pending, Error */
const char *verdict_code_name(enum verdict_code code);

#define VERDICT_REASONS_MAX 16
struct verdict {
        enum verdict_code code;
        uint32_t reason_count;
        /* Texts in the cycle's scratch arena or static. */
        struct slice reasons[VERDICT_REASONS_MAX];
};
/* Adds a reason and raises the code: UNRESOLVABLE wins over UNSCHEDULABLE, ERROR over both. */
void verdict_no(struct verdict *verdict, enum verdict_code code, struct slice reason);
