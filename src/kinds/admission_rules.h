/* Rules that webhooks and policies of admission share. */
#pragma once

#include "cel/cel_admission.h"
#include "kinds/rules.h"

extern const char *const admission_failure_policies[], *const admission_match_policies[];

RULE(rule_admission_rule); /* operations, groups, versions, resources, scope */
/* Compiles an expression; what is wrong with it is reported at the place. */
void check_admission_expression(struct checker *checker, const struct at *at, struct slice source,
                                const struct cel_admission *admission);
void check_match_conditions(struct checker *checker, const struct at *at,
                            const struct json_node *conditions, bool has_params);
