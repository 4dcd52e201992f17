/* No user grants rights that it does not have: checks of writes of roles and of bindings. */
#pragma once

#include "server/api_store.h"

/* As a step of a write, once webhooks have changed the object; nothing for other resources. */
int check_escalation(struct api_context *context, struct api_write *write);
