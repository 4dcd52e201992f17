/* The fields of a pod spec that make up its class, in the order of their canonical bytes. */
#pragma once

#include "api/object.h"
#include "model/content_codec.h"

/* A spec and the JSON text of its volumes' sources ("" = none), side by side: a source is a view
 * into a document that will be freed. */
struct class_content {
        struct pod_spec spec;
        size_t source_count;
        struct slice *sources;
};
/* Without the required node terms, which stand apart. */
void class_content_codec(struct content_codec *codec, struct class_content *content);
void required_terms_codec(struct content_codec *codec, struct affinity *affinity);
void taint_codec(struct content_codec *codec, void *taint);
