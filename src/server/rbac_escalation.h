/* Nobody hands out rights that he does not have: writes of roles and of bindings. */
#pragma once

#include "server/api_store.h"

/* As a step of a write, once webhooks have changed the object; nothing for other resources. */
int check_escalation(struct api_context *context, struct api_write *write);
