/* Answers recorded test cases about quantities and selectors, for `berth replay` and the tests.
 * Each call appends one JSON object {"name":...,"expect":{...}} without a newline. A case that is
 * refused is answered with expect.error; only a case that cannot be understood is an error of the
 * call. */
#pragma once

#include "api/json.h"
#include "base/buf.h"
#include "base/err.h"

/* test_case: {"name", "in"} */
int replay_quantity_case(const struct json *test_case, struct buf *out, struct err *err);
/* test_case: {"name", "string" or "selector", "labels": [{...}]} */
int replay_selectors_case(const struct json *test_case, struct buf *out, struct err *err);
