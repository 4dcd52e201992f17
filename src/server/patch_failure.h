/* What is said of a patched object that does not decode. */
#pragma once

#include "server/api_context.h"
#include "server/api_store.h"
#include "server/patch_type.h"

/* Patches once more, in upstream's order: what was patched first is half decoded by now, and in the
 * order of what clients sent. NULL without success; the caller frees the tree. */
struct json_tree *patch_again(struct api_context *context, enum patch_type type,
                              const struct api_write *write, struct slice patch_text);
/* 422 about a field "patch" of an object without name. The value is the patched object; of a
 * strategic patch, which is no text to upstream, the patch. Of several wrong values the complaint
 * names the first in upstream's order. */
int fail_document(struct api_context *context, const struct api_write *write, const char *complaint,
                  bool is_wrong_value);
