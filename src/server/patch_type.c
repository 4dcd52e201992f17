/* Kinds of patches, by content type. */
#include "server/patch_type.h"

#include "base/util.h"
#include "server/api_context.h"

enum patch_type patch_type(const struct api_context *context) {
        static const char *const names[] = { "application/json-patch+json",
                                             "application/merge-patch+json",
                                             "application/strategic-merge-patch+json",
                                             "application/apply-patch+yaml" };
        struct slice content_type = context->request->content_type, head = SLICE_EMPTY;

        slice_split(&content_type, ';', &head);
        for (size_t i = 0; i < ARRAY_LEN(names); i++) {
                if (slice_is(slice_trim(head), names[i]))
                        return (enum patch_type)i;
        }
        return PATCH_UNKNOWN;
}
