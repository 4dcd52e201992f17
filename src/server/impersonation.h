/* Requests on behalf of another user: headers Impersonate-User, -Uid, -Group and -Extra-KEY. */
#pragma once

#include "server/api_context.h"

/* Once it is known who asks: context->user becomes who is asked for, if the rules allow that. */
int impersonate(struct api_context *context);
