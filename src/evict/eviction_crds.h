/* The CustomResourceDefinitions of deploy/crds, as they are in the files. */
#pragma once

#include "base/embedded_text.h"

enum { EVICTION_CRD_REQUESTS, EVICTION_CRD_EVICTIONS, EVICTION_CRD_POLICIES };
extern const struct embedded_text eviction_crds[];
