/* Rules of the metadata of any object, in upstream's order and words (ValidateObjectMeta). Paths of
 * errors begin with "metadata". */
#pragma once

#include "kinds/kind.h"
#include "schema/field_error.h"

/* A generateName as a segment of a path, of kinds that look at it once all else is right. */
void metadata_check_prefix(const struct json_node *object, struct field_errors *errors);
/* What created objects must keep to. kind: whose rule the name follows; NULL = it need only be a
 * segment of a path. is_embedded: a part of another object, which needs no name. */
void metadata_check(const struct json_node *object, const struct kind_info *kind, bool is_embedded,
                    struct field_errors *errors);

/* Parts of it. */
void metadata_check_labels(const struct json_node *metadata, struct field_errors *errors);
void metadata_check_annotations(const struct json_node *metadata, struct field_errors *errors);
void metadata_check_owners(const struct json_node *metadata, struct field_errors *errors);
/* Of a manager of fields; the path is that of the text. */
void metadata_check_manager(const char *path, struct slice manager, struct field_errors *errors);
void metadata_check_managers(const struct json_node *metadata, struct field_errors *errors);
/* Finalizers without a domain are Kubernetes' own: whether a name is none of them. */
bool finalizer_lacks_domain(struct slice name);
void metadata_check_finalizer_domains(const struct json_node *metadata,
                                      struct field_errors *errors);
