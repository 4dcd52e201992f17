/* Content negotiation: the form of the answer, by Accept and includeObject. */
#pragma once

#include "server/api_context.h"

enum answer { ANSWER_OBJECT, ANSWER_LIST, ANSWER_STATUS };

int accept_negotiate(struct api_context *context); /* which of the forms that are served */
/* Whether the answer can take that form: upstream looks once there is one, also after a write. */
int accept_check(struct api_context *context, enum answer answer);
