/* What a kube-apiserver of one minor version of Kubernetes serves with its own defaults, of what
 * the registry and the engine have: 1.28 to 1.37. Facts of 1.28 to 1.36 are those of its sources.
 * Of 1.37 nothing but the gate of EvictionRequests is known here: it is 1.36 with that number. */
#pragma once

#include "base/slice.h"
#include <stdbool.h>

struct kind_info;

#define RELEASE_FIRST 28
#define RELEASE_DEFAULT 36
#define RELEASE_LAST 37

/* Answers that came or went, whichever kind they are about. */
enum release_feature {
        RELEASE_WATCH_LIST,         /* watches with sendInitialEvents */
        RELEASE_DISCOVERY_V2,       /* aggregated discovery, as apidiscovery.k8s.io/v2 */
        RELEASE_DISCOVERY_V2_BETA1, /* the same as v2beta1 */
        RELEASE_POD_GROUPS,         /* knows the gate GenericWorkload and PodGroups of v1alpha2 */
        RELEASE_EVICTION_REQUESTS,  /* knows the gate EvictionRequestAPI */
        RELEASE_NODE_FEATURES,      /* the gate NodeDeclaredFeatures is on */
        RELEASE_FEATURE_COUNT,
};
bool release_has(unsigned minor, enum release_feature feature);
/* gates: enum kind_gates that are on. */
bool release_has_kind(unsigned minor, unsigned gates, const struct kind_info *kind);
/* name empty = the object itself. */
bool release_has_subresource(unsigned minor, const struct kind_info *kind, struct slice name);
/* metadata.generation is kept. */
bool release_has_generation(unsigned minor, const struct kind_info *kind);
