/* AppArmor and seccomp profiles given by annotations, as before Kubernetes 1.30 and 1.27. */
#pragma once

#include "kinds/kind.h"

#define SECCOMP_POD "seccomp.security.alpha.kubernetes.io/pod"
#define SECCOMP_CONTAINER "container.seccomp.security.alpha.kubernetes.io/" /* with its name */
#define LOCAL_PROFILE "localhost/"                                  /* before the name of a file */
#define APP_ARMOR "container.apparmor.security.beta.kubernetes.io/" /* with its name */

/* A new pod: what an AppArmor annotation says becomes a field of its container, with a warning. */
void app_armor_adopt(struct kind_context *context, struct json_tree *tree, struct json_node *pod);

/* Calls say with the key of an annotation that has no field beside it, and with what it says of
 * it. container NULL = the pod itself.  Those of AppArmor only for templates. */
void old_profiles_warn(const struct json_node *pod, const struct json_node *container,
                       bool is_template,
                       void (*say)(const void *warner, struct slice key, const char *what),
                       const void *warner);
