/* What Go's net/url says of texts that are no URLs. */
#pragma once

#include "base/arena.h"
#include "base/url.h"

/* NULL, or the whole text of the error. */
const char *go_url_problem(struct arena *arena, struct slice text, enum url_form form);
