/* Tokens are few; a wrong one takes as long to find as a right one. */
#include "server/token_set.h"

#include "base/util.h"
#include <stdlib.h>
#include <string.h>

static bool user_copy(struct api_user *to, const struct api_token *from) {
        *to = (struct api_user){ .name = slice_of(slice_dup(slice_of(from->user))) };
        for (size_t i = 0; from->groups && from->groups[i]; i++) {
                if (to->group_count == API_GROUPS_MAX - 1)
                        return false;
                to->groups[to->group_count++] = slice_of(slice_dup(slice_of(from->groups[i])));
        }
        to->groups[to->group_count++] = slice_of(slice_dup(SLICE_LITERAL("system:authenticated")));
        return true;
}

static void known_release(struct known_token *known) {
        free(known->token);
        free((char *)known->user.name.ptr);
        for (size_t i = 0; i < known->user.group_count; i++)
                free((char *)known->user.groups[i].ptr);
}

static void token_set_expire(struct token_set *set, struct wall_time now) {
        size_t count = 0;

        for (size_t i = 0; i < set->count; i++) {
                struct known_token *known = &set->tokens[i];

                if (wall_time_is_set(known->expires) && known->expires.ns <= now.ns)
                        known_release(known);
                else
                        set->tokens[count++] = *known;
        }
        set->count = count;
}

bool token_set_add(struct token_set *set, const struct api_token *token, struct wall_time expires,
                   struct wall_time now) {
        struct known_token known = { .token = slice_dup(slice_of(token->token)),
                                     .expires = expires };

        if (!user_copy(&known.user, token)) {
                known_release(&known);
                return false;
        }
        token_set_expire(set, now);
        set->tokens = xreallocarray(set->tokens, set->count + 1, sizeof(set->tokens[0]));
        set->tokens[set->count++] = known;
        return true;
}

void token_set_release(struct token_set *set) {
        for (size_t i = 0; i < set->count; i++)
                known_release(&set->tokens[i]);
        free(set->tokens);
}

/* Takes as long for a wrong token as for a right one of the same length. */
static bool tokens_equal(struct slice a, const char *b) {
        unsigned char difference = 0;

        if (a.len != strlen(b))
                return false;
        for (size_t i = 0; i < a.len; i++)
                difference |= (unsigned char)(a.ptr[i] ^ b[i]);
        return difference == 0;
}

const struct api_user *token_set_find(const struct token_set *set, struct slice token,
                                      struct wall_time now) {
        for (size_t i = 0; i < set->count; i++) {
                const struct known_token *known = &set->tokens[i];

                if (tokens_equal(token, known->token) &&
                    (!wall_time_is_set(known->expires) || now.ns < known->expires.ns))
                        return &known->user;
        }
        return NULL;
}
