/* Creating and updating one object: defaults, admission, validation, the store. */
#pragma once

#include "server/api_store.h"

int write_create(struct api_context *context, struct api_write *write, struct slice *ret_body);
int write_update(struct api_context *context, struct api_write *write, struct slice *ret_body,
                 bool *ret_is_deleted);
/* The namespace of a new object is there and takes new objects. */
int check_namespace(struct api_context *context, struct slice ns, struct slice name);
