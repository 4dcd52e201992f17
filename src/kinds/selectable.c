/* Selectable fields with names, defaults or sources of their own. */
#include "kinds/selectable.h"

#include <stdio.h>

#define NUMBER_MAX 32

/* Text at a dotted path. */
static struct slice text_at(const struct json *object, struct slice path) {
        struct slice key;

        while (slice_split(&path, '.', &key))
                object = json_get_slice(object, key);
        return json_text(object);
}

static struct slice bool_text(bool value) {
        return value ? SLICE_LITERAL("true") : SLICE_LITERAL("false");
}

static struct slice number_text(int64_t value, char *buffer) {
        return slice_make(buffer, (size_t)snprintf(buffer, NUMBER_MAX, "%lld", (long long)value));
}

FIELD_VALUE_HOOK(pod_field) {
        const struct json *spec = json_get(object, "spec"), *first;

        (void)buffer;
        if (slice_is(field, "spec.host"))
                return json_get_text(spec, "nodeName");
        if (slice_is(field, "spec.hostNetwork"))
                return bool_text(json_get_bool(spec, "hostNetwork", false));
        if (slice_is(field, "status.podIPs")) {
                first = json_at(json_get(json_get(object, "status"), "podIPs"), 0);
                return json_get_text(first, "ip");
        }
        return text_at(object, field);
}

FIELD_VALUE_HOOK(node_field) {
        (void)buffer;
        if (slice_is(field, "spec.unschedulable"))
                return bool_text(json_get_bool(json_get(object, "spec"), "unschedulable", false));
        return text_at(object, field);
}

FIELD_VALUE_HOOK(event_field) {
        (void)buffer;
        if (!slice_is(field, "source"))
                return text_at(object, field);
        struct slice component = json_get_text(json_get(object, "source"), "component");
        return component.len ? component : json_get_text(object, "reportingComponent");
}

FIELD_VALUE_HOOK(job_field) {
        if (slice_is(field, "status.successful"))
                return number_text(json_get_i64(json_get(object, "status"), "succeeded", 0),
                                   buffer);
        return text_at(object, field);
}

FIELD_VALUE_HOOK(replication_controller_field) {
        if (slice_is(field, "status.replicas"))
                return number_text(json_get_i64(json_get(object, "status"), "replicas", 0), buffer);
        return text_at(object, field);
}
