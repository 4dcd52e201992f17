/* References to images, as Docker reads them. */
#pragma once

#include "base/slice.h"
#include <stdbool.h>

/* The tag, "latest" when there is neither tag nor digest; empty when the text is no reference. */
struct slice image_tag(struct slice image);
