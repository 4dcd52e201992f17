/* Reads what everybody asks for from whichever form is there. */
#include "api/arrival.h"

#include <assert.h>

const struct json *arrival_value(struct arrival *arrival) {
        if (!arrival->value)
                arrival->value = arrival->make(arrival->context);
        assert(arrival->value);
        return arrival->value;
}

static struct slice metadata_text(const struct arrival *arrival, const char *member) {
        return json_get_text(json_get(arrival->value, "metadata"), member);
}

struct slice arrival_namespace(const struct arrival *arrival) {
        return arrival->pod ? arrival->pod->meta.ns : metadata_text(arrival, "namespace");
}

struct slice arrival_name(const struct arrival *arrival) {
        return arrival->pod ? arrival->pod->meta.name : metadata_text(arrival, "name");
}

struct slice arrival_uid(const struct arrival *arrival) {
        return arrival->pod ? arrival->pod->meta.uid : metadata_text(arrival, "uid");
}

struct slice arrival_resource_version(const struct arrival *arrival) {
        return arrival->pod ? arrival->pod->meta.resource_version
                            : metadata_text(arrival, "resourceVersion");
}

struct slice arrival_node(const struct arrival *arrival) {
        return arrival->pod ? arrival->pod->spec.node_name
                            : json_get_text(json_get(arrival->value, "spec"), "nodeName");
}
