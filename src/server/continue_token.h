/* Tokens by which a list goes on, in upstream's form (storage.EncodeContinue): JSON in base64 with
 * the version of the form, the revision and the key from which to go on, below the key of the
 * list. */
#pragma once

#include "api/json.h"
#include "base/arena.h"

#define CONTINUE_LATEST (-1) /* goes on with the present state */

struct continue_token {
        int64_t revision;      /* negative: CONTINUE_LATEST */
        struct slice ns, name; /* from this key on; the name may be empty */
        bool is_behind;        /* the key itself is not part of it any more */
        bool is_of_all;        /* the list is of all namespaces */
};
/* In the arena. */
char *continue_token_make(struct arena *arena, const struct continue_token *token);
/* Of what the text says decoded, `json` NULL when it is none; is_of_all and, when it is false, ns
 * are the list's own and given.  NULL, or what is wrong, in upstream's words. */
const char *continue_token_read(struct arena *arena, const struct json *json,
                                struct continue_token *token);
