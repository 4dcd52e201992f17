/* What of a URL can be checked without opening it. */
#pragma once

#include "base/slice.h"

/* NULL when Go's url.Parse accepts the text, else what is wrong. Relative references pass. */
const char *http_url_problem(struct slice text);
