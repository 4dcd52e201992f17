/* Who a token stands for, and who may do what. */
#pragma once

#include "server/api_context.h"

/* Whether the rules allow it. The reason, when it is asked for, is in the request's memory: where
 * the right comes from, or the roles that were not found; "" = none. */
bool access_allows(struct api_engine *engine, const struct access_question *question,
                   const char **ret_reason);
/* The same as a step: 403 when they do not. */
int check_access(struct api_context *context, const struct access_question *question);
int fail_access(struct api_context *context, const struct access_question *question,
                const char *reason);
/* What the request asks for, as the authorizer sees it. */
struct access_question route_question(const struct api_context *context);
/* In group system:masters, which may do everything. */
bool is_master(const struct slice *groups, size_t count);
struct user_info api_user_info(const struct api_user *user);
/* Also accepts tokens made for service accounts; lives as long as the request. */
const struct api_user *token_user(struct api_context *context, struct slice token);
