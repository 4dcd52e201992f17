/* A strategic merge patch on an object in protobuf. What the patch does not name stays as it
 * stands, byte for byte: fields that are not known, and raw extensions, whose text an API server
 * compares and that JSON does not carry unchanged. */
#pragma once

#include "api/json.h"
#include "base/buf.h"
#include "base/err.h"
#include "base/slice.h"

/* Appends the envelope with its object patched.  Of directives the deletion of elements of a list
 * is known ("$patch": "delete", "$deleteFromPrimitiveList/..."), of types all but maps and members
 * that sit in inlined messages.  Errors: BERTH_ERR_BAD_REQUEST for broken bytes and for patches
 * that cannot be made so; *out is then undefined. */
int protobuf_patch(struct slice envelope, const struct json *patch, struct buf *out,
                   struct err *err);
