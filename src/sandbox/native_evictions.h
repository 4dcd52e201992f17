/* The EvictionRequest API as Kubernetes itself serves it (lifecycle.k8s.io), for the sandbox: the
 * definitions of deploy/crds under that group, with the rules of a status that only a server with a
 * clock can apply. */
#pragma once

#include "base/err.h"
#include "server/api_server.h"
#include <stddef.h>

struct native_evictions;

int native_evictions_new(struct native_evictions **ret_native, struct err *err);
void native_evictions_free(struct native_evictions *native); /* accepts NULL */
/* For api_server_config; they live as long as this. */
const struct api_definition *native_evictions_definitions(const struct native_evictions *native,
                                                          size_t *ret_count);
