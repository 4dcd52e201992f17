/* What lists and watches of a collection have in common. */
#include "client/collection.h"

#include "client/url_query.h"
#include "schema/pod_reader.h"
#include "schema/schema.h"

void collection_url(const struct collection *collection, struct buf *url) {
        buf_text(url, collection->path);
        if (collection->label_selector[0])
                url_query_text(url, "labelSelector", slice_of(collection->label_selector));
        if (collection->field_selector[0])
                url_query_text(url, "fieldSelector", slice_of(collection->field_selector));
}

struct slice collection_accept(const struct collection *collection) {
        if (collection->takes_json)
                return SLICE_EMPTY;
        return SLICE_LITERAL("application/vnd.kubernetes.protobuf,application/json");
}

static const struct json *value_of_pod(void *context) {
        return pod_reader_value(context, FIELD_UNREAD);
}

struct arrival collection_pod(const struct collection *collection, const struct pod *pod) {
        return (struct arrival){ .pod = pod, .make = value_of_pod, .context = collection->pods };
}
