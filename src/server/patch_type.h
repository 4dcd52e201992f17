/* Kinds of patches. */
#pragma once

struct api_context;

enum patch_type { PATCH_JSON, PATCH_MERGE, PATCH_STRATEGIC, PATCH_APPLY, PATCH_UNKNOWN };
enum patch_type patch_type(const struct api_context *context); /* by the content type */
