/* Kubernetes resource quantities, exact (k8s.io/apimachinery/pkg/api/resource). */
#pragma once

#include "base/buf.h"
#include "base/err.h"
#include "base/slice.h"
#include <stdbool.h>
#include <stdint.h>

enum quantity_format { QUANTITY_DECIMAL_SI, QUANTITY_BINARY_SI, QUANTITY_DECIMAL_EXPONENT };

#define QUANTITY_TEXT_MAX 256 /* any canonical text fits a buffer of this size, with its NUL */

/* Integer views used everywhere outside the API server. Rounded away from zero; saturate at
 * INT64_MAX/MIN. Text that does not parse gives BERTH_ERR_BAD_REQUEST with upstream's message. */
int quantity_value(struct slice text, int64_t *ret_units, struct err *err);
int quantity_milli(struct slice text, int64_t *ret_milli, struct err *err);
/* Whole numbers with at most one suffix, in thousandths, exact: nearly all that pods, nodes and
 * devices have. False when the text takes a closer look. */
bool quantity_ordinary(struct slice text, int64_t *ret_milli);

struct quantity_info {
        enum quantity_format format;
        int sign;                          /* -1, 0, 1 */
        char canonical[QUANTITY_TEXT_MAX]; /* what a marshalled quantity looks like after arithmetic
                                              or a round trip */
        char string[QUANTITY_TEXT_MAX];    /* what the parsed quantity prints as; simple inputs are
                                              echoed as written */
        int64_t value, milli;
        bool is_small; /* upstream keeps it as one int64 and a decimal scale */
};
int quantity_describe(struct slice text, struct quantity_info *ret_info, struct err *err);
/* As the API server keeps it: 0.5 -> 500m, 1024Mi -> 1Gi, but 1.500 as it is. */
int quantity_canonical(struct slice text, struct buf *out, struct err *err);
/* Numeric order of two quantities that both parse; exact. */
int quantity_compare(struct slice a, struct slice b, int *ret_order, struct err *err);
/* a + b (or a - b) in canonical text, format of a (of b when a is zero), as Quantity.Add does. */
int quantity_sum(struct slice a, struct slice b, bool is_subtract, struct buf *out,
                 struct err *err);
/* Prints an integer amount canonically: cpu from milli, everything else from units. The buffer has
 * QUANTITY_TEXT_MAX bytes; the length is returned. */
int quantity_format_milli(int64_t milli, char *buffer); /* 1500 -> 1500m, 2000 -> 2 */
int quantity_format_units(int64_t units, enum quantity_format kind,
                          char *buffer); /* 2147483648 -> 2Gi */
