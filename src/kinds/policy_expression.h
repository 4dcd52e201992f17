/* One expression of a policy. */
#pragma once

#include "cel/cel.h"
#include "kinds/policy_case.h"

#define POLICY_STEPS_MAX 10000000 /* of all validations together; upstream limits their cost so */
#define POLICY_OVER_BUDGET                                                                         \
        "validation failed due to running out of cost budget, no further validation rules will be" \
        " run"

/* *ret_text: the string, or why there is no result. */
enum cel_outcome policy_evaluate(const struct policy_case *policy, struct slice source,
                                 enum cel_result_kind wants, const char **ret_text);
