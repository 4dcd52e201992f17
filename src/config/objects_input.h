/* Kubernetes objects from text: YAML or JSON, several documents, lists of any kind. The text is
 * given (reading files is an edge's work). */
#pragma once

#include "config/document.h"

#define OBJECTS_INPUT_NESTING_MAX 4 /* lists inside lists */

struct input_object {
        const struct json *value;       /* a mapping */
        struct slice api_version, kind; /* its own, or, in a typed list, what the list says */
        const struct document *document;
        const char *path; /* in the document: "" or items[3] */
};

/* Calls each for every object in the order of the text. A List, and any other kind that ends in
 * List and has items (PodList, NodeList ...), is opened; its items may leave out kind and
 * apiVersion. Nothing is reported before the whole text could be parsed.
 *
 * The values live until the call ends. When each fails, reading ends; the error gets file, line,
 * column and the object's path in front of its own, so err->path is best relative to the object.
 * Errors of the text itself: BERTH_ERR_BAD_REQUEST (malformed), BERTH_ERR_INVALID (no object, or
 * kind or apiVersion missing). JSON above DOCUMENT_POSITIONS_MAX is read without positions. */
int objects_input_read(struct slice text, const char *file,
                       int (*each)(void *context, const struct input_object *object,
                                   struct err *err),
                       void *context, struct err *err);
