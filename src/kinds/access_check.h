/* Questions of access reviews: what is wrong with them, and which of their selectors are no use. */
#pragma once

#include "kinds/check.h"

enum access_check_kind { ACCESS_SELF, ACCESS_OF_OTHERS, ACCESS_LOCAL };

void check_access_review(struct checker *checker, const struct json_node *object,
                         enum access_check_kind kind);
/* Upstream's words on selectors that cannot be parsed, or only partly; "" = none. */
const char *access_selector_problems(struct checker *checker, const struct json_node *attributes);
