/* Bearer tokens from the configuration, and whom they stand for. */
#pragma once

#include "base/time.h"
#include "server/api_server.h"

struct known_token {
        char *token;
        struct api_user user;     /* its slices are owned */
        struct wall_time expires; /* unset = never */
};

struct token_set {
        struct known_token *tokens;
        size_t count;
};

/* Copies the token; those that have expired by now go. False: it names too many groups. */
bool token_set_add(struct token_set *set, const struct api_token *token, struct wall_time expires,
                   struct wall_time now);
/* NULL when no user has it, or when it has expired. */
const struct api_user *token_set_find(const struct token_set *set, struct slice token,
                                      struct wall_time now);
void token_set_release(struct token_set *set);
