/* One step of a path in managedFields: "f:" and a member, "k:" and keys as JSON, "v:" and a value
 * as JSON, "i:" and an index; "." stands for the path before it. */
#pragma once

#include "base/buf.h"
#include "base/slice.h"

enum field_step_form {
        FIELD_STEP_CANONICAL, /* as the API server writes it */
        FIELD_STEP_OTHER,     /* it means what is written into out */
        FIELD_STEP_UNKNOWN,   /* of a later release: upstream passes it over */
        FIELD_STEP_INVALID,
};
/* out is written for FIELD_STEP_OTHER alone: values are those that come first, without blanks, keys
 * sorted, and what HTML would take for its own by its number. */
enum field_step_form field_step_read(struct slice step, struct buf *out);

/* One step as messages show it: .spec or [name="a"]. */
void field_step_print(struct slice step, struct buf *path);
