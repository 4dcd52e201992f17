/* Reviews: questions about who may do what, answered and not stored. */
#pragma once

#include "kinds/kind.h"

#define REVIEW_HOOK(name)                                                                          \
        int name(struct kind_context *context, struct json_tree *tree, struct json_node *object,   \
                 struct field_errors *errors, struct err *err)
REVIEW_HOOK(self_access_review);
REVIEW_HOOK(access_review);
REVIEW_HOOK(local_access_review);
REVIEW_HOOK(self_rules_review);
REVIEW_HOOK(token_review);
REVIEW_HOOK(self_review);
