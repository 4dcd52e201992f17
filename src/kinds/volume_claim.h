/* What several rules ask of a claim of a volume. */
#pragma once

#include "api/json.h"

/* Of claims and volumes, where the first versions of Kubernetes kept the name of the class. */
#define CLASS_ANNOTATION "volume.beta.kubernetes.io/storage-class"
/* Of volumes, the same of spec.mountOptions. */
#define OPTIONS_ANNOTATION "volume.beta.kubernetes.io/mount-options"

/* Name of its StorageClass: the annotation comes before spec.storageClassName. Empty = none. */
struct slice volume_claim_class(const struct json *claim);
