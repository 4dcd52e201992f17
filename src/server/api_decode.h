/* Request bodies. */
#pragma once

#include "server/api_context.h"
#include "server/unknown_paths.h"

struct decoded {
        struct json_tree *tree;
        struct json_node *object;
};
void decoded_release(struct decoded *decoded);
/* Request body as an object of the expected kind, with apiVersion and kind filled in and strictness
 * handled. */
int decode_body(struct api_context *context, const char *group, const char *version,
                const char *kind, struct decoded *ret_decoded);
/* The same of an applied configuration, of the resource that the request names. */
int decode_applied(struct api_context *context, struct decoded *ret_decoded);
/* An applied configuration made an object that has wrong types. */
int fail_applied(struct api_context *context, const struct api_resource *resource,
                 const char *complaint);
/* The same of what decodes and cannot become an object of the server's own type. */
int fail_unconverted(struct api_context *context, const struct api_resource *resource,
                     const char *complaint);
/* Annotations that are numbers of the server's own type (kinds/number_annotation.h). */
int convert_numbers(const struct api_resource *resource, struct json_tree *tree,
                    struct json_node *object, struct err *err);
/* Why apiVersion and kind cannot be read of a value; NULL: they can. */
const char *type_problem(struct api_context *context, const struct json_node *value);
int decode_options(struct api_context *context, struct decoded *ret_decoded); /* DeleteOptions */
/* Unknown and repeated fields of text that becomes (part of) an object. */
struct strictness {
        struct api_context *context;
        struct buf text; /* comma-joined complaints under Strict */
        size_t count;
        struct unknown_paths duplicates; /* of what may be unknown */
        struct unknown_paths later;      /* unknown fields that are not reported yet */
        size_t warnings_before;          /* that the request had by then */
        bool is_applied;                 /* of a configuration: a value, not a text */
};
void strictness_add(struct strictness *strictness, const char *what, struct slice path);
void strictness_unknown(void *context, const char *path);
void strictness_note(void *context, const char *path); /* for later */
/* For what validation says of the object; the first few are kept. */
void strictness_emptied(void *context, const char *path, bool is_list);
void strictness_duplicate(void *context, struct slice path, struct slice key);

/* A custom resource's type is looked at with the rest of it: 422. member: apiVersion or kind. */
int fail_custom_type(struct api_context *context, const struct json_node *object,
                     const char *member, const char *wanted);
