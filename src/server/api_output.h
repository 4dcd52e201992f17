/* Answers: objects in the form that was asked for, tables, warnings. */
#pragma once

#include "server/api_context.h"

void respond_success(struct api_context *context, int code); /* Status with status Success */
/* A stored object, or a body of the same shape, in the form that was asked for. */
int respond_object(struct api_context *context, int status, struct slice body);
void warn_add(struct api_context *context, struct slice text); /* Warning header; copied */

void object_write(struct slice prefix, struct slice body, struct buf *out);
/* An object of the kind as its metadata alone. */
void partial_write(const struct kind_info *kind, const struct json *object, const char *version,
                   struct buf *out);
/* Of meta.k8s.io. */
const char *meta_version(struct table_form form);
void table_columns_write(const struct api_resource *resource, struct buf *out);
void table_row_write(struct kind_context *hooks, const struct api_resource *resource,
                     struct table_form form, struct slice body, const struct json *object,
                     struct buf *out);
