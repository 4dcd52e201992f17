/* Kinds of patches, by content type. */
#include "server/patch_type.h"

#include "base/util.h"
#include "server/request_body.h"

enum patch_type patch_type(const struct api_context *context) {
        static const char *const names[] = { "application/json-patch+json",
                                             "application/merge-patch+json",
                                             "application/strategic-merge-patch+json",
                                             "application/apply-patch+yaml" };
        for (size_t i = 0; i < ARRAY_LEN(names); i++) {
                if (media_is(context->request->content_type, names[i]))
                        return (enum patch_type)i;
        }
        return PATCH_UNKNOWN;
}
