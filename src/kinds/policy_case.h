/* Expressions of one policy over one write: what policies that judge, policies that change and the
 * conditions of webhooks have in common. */
#pragma once

#include "api/json.h"
#include "base/arena.h"
#include "kinds/kind.h"
#include <stdbool.h>

struct policy_case {
        struct arena *arena;
        const struct json *spec; /* of the policy, or one webhook of a configuration */
        /* An object whose members are what expressions may name (see cel/cel_admission.h). */
        struct json_tree *tree;
        struct json_node *environment;
        /* Who asks, for what; and whether he, or another, may do this or that. */
        struct access_question question;
        bool (*authorize)(void *engine, const struct access_question *question,
                          const char **ret_reason);
        void *engine;
        int64_t *steps; /* that are left; conditions and changes have their own */
};
/* What fails does not deny. */
bool policy_is_lenient(const struct policy_case *policy);

enum policy_match { POLICY_APPLIES, POLICY_SKIPPED, POLICY_FAILED };
/* A condition that is false decides; if none is, one that fails is a failure of the policy, unless
 * that is lenient. */
enum policy_match policy_conditions(const struct policy_case *policy, const char **ret_text);

/* What one of the mutations makes, for the case's tree: an applied configuration, or the operations
 * of a JSON patch. NULL and *ret_text: why it makes nothing. */
struct json_node *policy_make(const struct policy_case *policy, const struct json *mutation,
                              bool *ret_is_patch, const char **ret_text);
