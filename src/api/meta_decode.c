/* metadata, and the small kinds that consist of little else. */
#include "api/decode_priv.h"

void meta_set_defaults(struct object_meta *meta) {
        *meta = (struct object_meta){
                .created = WALL_TIME_UNSET,
                .deleted = WALL_TIME_UNSET,
                .deletion_grace_s = -1,
        };
}

static int decode_owner(const struct json *value, void *target, struct decode *d) {
        static const struct decode_field fields[] = {
                FIELD(struct owner_ref, "apiVersion", api_version, decode_text),
                FIELD(struct owner_ref, "kind", kind, decode_text),
                FIELD(struct owner_ref, "name", name, decode_text),
                FIELD(struct owner_ref, "uid", uid, decode_text),
                FIELD(struct owner_ref, "controller", is_controller, decode_bool),
                FIELD(struct owner_ref, "blockOwnerDeletion", blocks_deletion, decode_bool),
        };
        return DECODE_FIELDS(value, fields, target, d);
}

int decode_meta(const struct json *value, void *target, struct decode *d) {
        static const struct decode_field fields[] = {
                FIELD(struct object_meta, "name", name, decode_text),
                FIELD(struct object_meta, "namespace", ns, decode_text),
                FIELD(struct object_meta, "uid", uid, decode_text),
                FIELD(struct object_meta, "resourceVersion", resource_version, decode_text),
                FIELD(struct object_meta, "generateName", generate_name, decode_text),
                FIELD(struct object_meta, "generation", generation, decode_int64),
                FIELD(struct object_meta, "labels", labels, decode_labels),
                FIELD(struct object_meta, "annotations", annotations, decode_labels),
                FIELD(struct object_meta, "creationTimestamp", created, decode_time),
                FIELD(struct object_meta, "deletionTimestamp", deleted, decode_time),
                FIELD(struct object_meta, "deletionGracePeriodSeconds", deletion_grace_s,
                      decode_int64),
                LIST_FIELD(struct object_meta, "ownerReferences", owners, owner_count,
                           decode_owner),
                LIST_FIELD(struct object_meta, "finalizers", finalizers, finalizer_count,
                           decode_text),
        };
        return DECODE_FIELDS(value, fields, target, d);
}

/* An object must be an object; everything in it may be absent. */
static int decode_object(const struct json *object, const struct decode_field *fields, size_t count,
                         void *target, struct decode *d) {
        if (json_type(object) != JSON_OBJECT)
                return decode_type_error(object, "object", d);
        return decode_fields(object, fields, count, target, d);
}

int object_meta_decode(const struct json *object, struct arena *arena, struct object_meta *ret_meta,
                       struct err *err) {
        static const struct decode_field fields[] = { PART_FIELD("metadata", decode_meta) };
        struct decode d = { arena, err };
        struct object_meta meta;
        meta_set_defaults(&meta);
        int r = decode_object(object, fields, ARRAY_LEN(fields), &meta, &d);
        if (r == 0)
                *ret_meta = meta;
        return r;
}

/* ---- conditions, shared by pods and nodes ---- */

enum condition_status condition_status_from(struct slice name) {
        return slice_is(name, "True")    ? CONDITION_TRUE
               : slice_is(name, "False") ? CONDITION_FALSE
                                         : CONDITION_UNKNOWN;
}

static int decode_condition_status(const struct json *value, void *target, struct decode *d) {
        struct slice text;
        int r = decode_text(value, &text, d);
        if (r < 0)
                return r;
        *(enum condition_status *)target = condition_status_from(text);
        return 0;
}

int decode_condition(const struct json *value, void *target, struct decode *d) {
        static const struct decode_field fields[] = {
                FIELD(struct condition, "type", type, decode_text),
                FIELD(struct condition, "reason", reason, decode_text),
                FIELD(struct condition, "message", message, decode_text),
                FIELD(struct condition, "status", status, decode_condition_status),
                FIELD(struct condition, "lastTransitionTime", changed, decode_time),
        };
        struct condition *condition = target;
        condition->changed = WALL_TIME_UNSET;
        return DECODE_FIELDS(value, fields, target, d);
}

const struct condition *condition_find(const struct condition *conditions, size_t count,
                                       const char *type) {
        for (size_t i = 0; i < count; i++) {
                if (slice_is(conditions[i].type, type))
                        return &conditions[i];
        }
        return NULL;
}

/* ---- PriorityClass, Namespace, PersistentVolumeClaim ---- */

static int decode_never(const struct json *value, void *target, struct decode *d) {
        struct slice policy;
        int r = decode_text(value, &policy, d);
        if (r == 0)
                *(bool *)target = slice_is(policy, "Never");
        return r;
}

int priority_class_decode(const struct json *object, struct arena *arena,
                          struct priority_class *ret_class, struct err *err) {
        static const struct decode_field fields[] = {
                FIELD(struct priority_class, "metadata", meta, decode_meta),
                FIELD(struct priority_class, "value", value, decode_int32),
                FIELD(struct priority_class, "globalDefault", is_default, decode_bool),
                FIELD(struct priority_class, "preemptionPolicy", never_preempts, decode_never),
        };
        struct decode d = { arena, err };
        struct priority_class class = { 0 };
        meta_set_defaults(&class.meta);
        int r = decode_object(object, fields, ARRAY_LEN(fields), &class, &d);
        if (r == 0)
                *ret_class = class;
        return r;
}

static int decode_namespace_phase(const struct json *value, void *target, struct decode *d) {
        struct slice phase;
        int r = decode_text(value, &phase, d);
        if (r == 0)
                *(bool *)target = slice_is(phase, "Terminating");
        return r;
}

static int decode_namespace_status(const struct json *value, void *target, struct decode *d) {
        static const struct decode_field fields[] = { FIELD(
                struct namespace_object, "phase", is_terminating, decode_namespace_phase) };
        return DECODE_FIELDS(value, fields, target, d);
}

int namespace_decode(const struct json *object, struct arena *arena,
                     struct namespace_object *ret_namespace, struct err *err) {
        static const struct decode_field fields[] = {
                FIELD(struct namespace_object, "metadata", meta, decode_meta),
                PART_FIELD("status", decode_namespace_status),
        };
        struct decode d = { arena, err };
        struct namespace_object result = { 0 };
        meta_set_defaults(&result.meta);
        int r = decode_object(object, fields, ARRAY_LEN(fields), &result, &d);
        if (r < 0)
                return r;
        result.is_terminating |= wall_time_is_set(result.meta.deleted);
        *ret_namespace = result;
        return 0;
}

static int decode_storage_class(const struct json *value, void *target, struct decode *d) {
        struct claim_object *claim = target;
        claim->has_storage_class = true;
        return decode_text(value, &claim->storage_class, d);
}

static int decode_claim_spec(const struct json *value, void *target, struct decode *d) {
        static const struct decode_field fields[] = {
                PART_FIELD("storageClassName", decode_storage_class),
                FIELD(struct claim_object, "volumeName", volume_name, decode_text),
        };
        return DECODE_FIELDS(value, fields, target, d);
}

int claim_decode(const struct json *object, struct arena *arena, struct claim_object *ret_claim,
                 struct err *err) {
        static const struct decode_field fields[] = {
                FIELD(struct claim_object, "metadata", meta, decode_meta),
                PART_FIELD("spec", decode_claim_spec),
        };
        struct decode d = { arena, err };
        struct claim_object claim = { 0 };
        meta_set_defaults(&claim.meta);
        int r = decode_object(object, fields, ARRAY_LEN(fields), &claim, &d);
        if (r == 0)
                *ret_claim = claim;
        return r;
}
