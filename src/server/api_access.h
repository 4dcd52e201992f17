/* Who a token stands for, and who may do what. */
#pragma once

#include "server/api_context.h"

bool access_allows(struct api_engine *engine, const struct access_question *question);
/* Also accepts tokens made for service accounts; lives as long as the request. */
const struct api_user *token_user(struct api_context *context, struct slice token);
