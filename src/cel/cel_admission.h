/* Expressions of admission: policies and match conditions, over the variables object, oldObject,
 * request, params, namespaceObject and variables (upstream: apiserver/pkg/admission/plugin/cel). */
#pragma once

#include "cel/cel.h"

/* One variable of a policy; those before it may be used in it. */
struct cel_variable {
        struct slice name, expression;
};
struct cel_admission {
        bool has_params, has_authorizer;
        const struct cel_variable *variables;
        size_t variable_count;
        enum cel_result_kind wants;
};
/* As cel_compile(). */
int cel_admission_compile(struct arena *arena, struct slice source,
                          const struct cel_admission *admission, struct cel_program **ret_program,
                          struct err *err);
/* environment: an object whose members are the variables; see cel_evaluate(). */
