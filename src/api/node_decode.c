/* Nodes and their taints. */
#include "api/decode_priv.h"

static const char *const effect_names[] = {
        [TAINT_EFFECT_NONE] = "",
        [TAINT_NO_SCHEDULE] = "NoSchedule",
        [TAINT_PREFER_NO_SCHEDULE] = "PreferNoSchedule",
        [TAINT_NO_EXECUTE] = "NoExecute",
};

const char *taint_effect_name(enum taint_effect effect) {
        return effect_names[effect];
}

enum taint_effect taint_effect_from(struct slice name) {
        for (size_t i = 0; i < ARRAY_LEN(effect_names); i++) {
                if (slice_is(name, effect_names[i]))
                        return (enum taint_effect)i;
        }
        return TAINT_EFFECT_NONE;
}

static int decode_effect(const struct json *value, void *target, struct decode *d) {
        struct slice name;
        int r = decode_text(value, &name, d);
        if (r == 0)
                *(enum taint_effect *)target = taint_effect_from(name);
        return r;
}

int decode_taint(const struct json *value, void *target, struct decode *d) {
        static const struct decode_field fields[] = {
                FIELD(struct taint, "key", key, decode_text),
                FIELD(struct taint, "value", value, decode_text),
                FIELD(struct taint, "effect", effect, decode_effect),
        };
        return DECODE_FIELDS(value, fields, target, d);
}

static int decode_image(const struct json *value, void *target, struct decode *d) {
        static const struct decode_field fields[] = {
                LIST_FIELD(struct node_image, "names", names, name_count, decode_text),
                FIELD(struct node_image, "sizeBytes", size_bytes, decode_int64),
        };
        return DECODE_FIELDS(value, fields, target, d);
}

static int decode_spec(const struct json *value, void *target, struct decode *d) {
        static const struct decode_field fields[] = {
                FIELD(struct node, "unschedulable", is_unschedulable, decode_bool),
                FIELD(struct node, "providerID", provider_id, decode_text),
                LIST_FIELD(struct node, "taints", taints, taint_count, decode_taint),
        };
        return DECODE_FIELDS(value, fields, target, d);
}

static int decode_node_info(const struct json *value, void *target, struct decode *d) {
        static const struct decode_field fields[] = { FIELD(struct node, "bootID", boot_id,
                                                            decode_text) };
        return DECODE_FIELDS(value, fields, target, d);
}

static int decode_status(const struct json *value, void *target, struct decode *d) {
        static const struct decode_field fields[] = {
                FIELD(struct node, "capacity", capacity, decode_capacity),
                FIELD(struct node, "allocatable", allocatable, decode_capacity),
                LIST_FIELD(struct node, "conditions", conditions, condition_count,
                           decode_condition),
                LIST_FIELD(struct node, "images", images, image_count, decode_image),
                LIST_FIELD(struct node, "declaredFeatures", features, feature_count, decode_text),
                PART_FIELD("nodeInfo", decode_node_info),
        };
        return DECODE_FIELDS(value, fields, target, d);
}

int node_decode(const struct json *object, struct arena *arena, struct node *ret_node,
                struct err *err) {
        static const struct decode_field fields[] = {
                FIELD(struct node, "metadata", meta, decode_meta),
                PART_FIELD("spec", decode_spec),
                PART_FIELD("status", decode_status),
        };
        struct decode d = { arena, err };
        struct node node = { 0 };
        if (json_type(object) != JSON_OBJECT)
                return decode_type_error(object, "object", &d);
        meta_set_defaults(&node.meta);
        int r = DECODE_FIELDS(object, fields, &node, &d);
        if (r == 0)
                *ret_node = node;
        return r;
}
