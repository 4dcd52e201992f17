/* Members that upstream keeps as the bytes that were sent: data of a ControllerRevision, opaque
 * parameters of devices. The store has values. Where the bytes are not how it would write the
 * values, their hash is remembered here, so that another way of writing them counts as a change. */
#pragma once

#include "server/api_store.h"

/* Sets what the write says of its raw members, as it came from the client. */
void raw_form_read(struct api_context *context, struct api_write *write);
/* Stores the object, and remembers the form that it has. */
int raw_form_put(struct api_context *context, struct api_write *write, struct slice *ret_body);
/* Makes two states differ where upstream sees other bytes inside of a list that is compared as a
 * whole; object is a copy. */
void raw_form_mark(const struct api_write *write, struct json_node *object);
