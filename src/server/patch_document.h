/* Patches of one document. */
#pragma once

#include "server/api_store.h"
#include "server/patch_type.h"

/* JSON, merge or strategic patch of the write's object; the result has its resource's type. */
int patch_document(struct api_context *context, struct api_write *write);
/* The same check of an object that was patched otherwise. */
int patch_check(struct api_context *context, struct api_write *write);
