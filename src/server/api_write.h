/* Creating and updating one object: defaults, admission, validation, the store. */
#pragma once

#include "server/api_store.h"

int write_create(struct api_context *context, struct api_write *write, struct slice *ret_body);
int write_update(struct api_context *context, struct api_write *write, struct slice *ret_body,
                 bool *ret_is_deleted);
/* The store knows the object by another uid. */
int fail_stored_uid(struct api_context *context, const struct api_write *write, struct slice uid);
/* The uid and the version that an update names are those of the stored object. */
int check_identity(struct api_context *context, struct api_write *write,
                   struct json_node *metadata);
/* What a PUT says of an object that is not there yet: no uid, and a version that is a number. */
int check_absent_identity(struct api_context *context, const struct api_write *write);
/* The namespace of a new object is there and takes new objects. */
int check_namespace(struct api_context *context, struct slice ns, struct slice name);
