/* Patches of one document. */
#pragma once

#include "server/api_store.h"

enum patch_type { PATCH_JSON, PATCH_MERGE, PATCH_STRATEGIC, PATCH_APPLY, PATCH_UNKNOWN };
enum patch_type patch_type(const struct api_context *context); /* by the content type */

/* JSON, merge or strategic patch of the write's object; the result has its resource's type. */
int patch_document(struct api_context *context, struct api_write *write);
/* The same check of an object that was patched otherwise. */
int patch_check(struct api_context *context, struct api_write *write);
