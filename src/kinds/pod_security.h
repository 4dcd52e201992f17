/* Pod Security: what the labels of a namespace demand of its pods (upstream:
 * pod-security-admission). Judged once an object is valid. */
#pragma once

#include "kinds/kind.h"

/* Pods are refused (403) or warned about, what makes pods is warned about; labels of namespaces
 * must be known (422, in errors), and what the present pods would violate is a warning. */
int pod_security_judge(struct kind_context *context, enum kind_operation operation,
                       const struct json_node *object, const struct json *old,
                       struct field_errors *errors, struct err *err);
