/* Deletion of one object. */
#pragma once

#include "server/api_context.h"

enum propagation {
        PROPAGATE_DEFAULT,
        PROPAGATE_BACKGROUND,
        PROPAGATE_FOREGROUND,
        PROPAGATE_ORPHAN
};
struct delete_options {
        bool has_grace;
        int64_t grace_s;
        enum propagation propagation;
        struct slice uid, resource_version; /* preconditions; empty = none */
        bool is_dry_run;
        bool is_no_orphan; /* said in so many words: orphanDependents=false */
};
int delete_options_decode(struct api_context *context, struct delete_options *ret_options);
int delete_options_from(struct api_context *context, const struct json *body,
                        struct delete_options *ret_options);
/* Deletes or marks one object. ret_body is the object to show, ret_is_gone whether it is gone. */
int delete_object(struct api_context *context, const struct api_resource *resource,
                  const struct store_object *object, const struct delete_options *options,
                  struct slice *ret_body, bool *ret_is_gone);
