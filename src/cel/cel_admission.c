/* The variables that expressions of admission see, and their types. */
#include "cel/cel_admission.h"

#include "base/util.h"
#include "cel/cel_node.h"
#include "cel/cel_value.h"

static const struct cel_type text_type = { .kind = CEL_STRING };
static const struct cel_type bool_type = { .kind = CEL_BOOL };
static const struct cel_type dyn_type = { .kind = CEL_DYN };
static const struct cel_type text_list = { .kind = CEL_LIST, .element = &text_type };
static const struct cel_type text_map = { .kind = CEL_MAP,
                                          .key = &text_type,
                                          .element = &text_type };
static const struct cel_type list_map = { .kind = CEL_MAP,
                                          .key = &text_type,
                                          .element = &text_list };

#define FIELD(name, type)                                                                          \
        { SLICE_INIT(name), name, type }
#define OBJECT_TYPE(of)                                                                            \
        { .kind = CEL_OBJECT, .fields = of, .field_count = ARRAY_LEN(of) }

static const struct cel_field kind_fields[] = {
        FIELD("group", &text_type),
        FIELD("version", &text_type),
        FIELD("kind", &text_type),
};
static const struct cel_field resource_fields[] = {
        FIELD("group", &text_type),
        FIELD("version", &text_type),
        FIELD("resource", &text_type),
};
static const struct cel_field user_fields[] = {
        FIELD("username", &text_type),
        FIELD("uid", &text_type),
        FIELD("groups", &text_list),
        FIELD("extra", &list_map),
};
static const struct cel_type kind_type = OBJECT_TYPE(kind_fields);
static const struct cel_type resource_type = OBJECT_TYPE(resource_fields);
static const struct cel_type user_type = OBJECT_TYPE(user_fields);
static const struct cel_field request_fields[] = {
        FIELD("kind", &kind_type),
        FIELD("resource", &resource_type),
        FIELD("subResource", &text_type),
        FIELD("requestKind", &kind_type),
        FIELD("requestResource", &resource_type),
        FIELD("requestSubResource", &text_type),
        FIELD("name", &text_type),
        { SLICE_INIT("namespace"), "__namespace__", &text_type },
        { SLICE_INIT("namespace"), "namespace", &text_type },
        FIELD("operation", &text_type),
        FIELD("userInfo", &user_type),
        FIELD("dryRun", &bool_type),
        FIELD("options", &dyn_type),
};
static const struct cel_type request_type = OBJECT_TYPE(request_fields);

static const struct cel_field metadata_fields[] = {
        FIELD("name", &text_type),
        FIELD("generateName", &text_type),
        { SLICE_INIT("namespace"), "__namespace__", &text_type },
        { SLICE_INIT("namespace"), "namespace", &text_type },
        FIELD("labels", &text_map),
        FIELD("annotations", &text_map),
        FIELD("UID", &text_type),
        FIELD("creationTimestamp", &dyn_type),
        FIELD("deletionGracePeriodSeconds", &dyn_type),
        FIELD("deletionTimestamp", &dyn_type),
        FIELD("generation", &dyn_type),
        FIELD("resourceVersion", &text_type),
        FIELD("finalizers", &text_list),
};
static const struct cel_field namespace_spec_fields[] = { FIELD("finalizers", &text_list) };
static const struct cel_field namespace_status_fields[] = { FIELD("phase", &text_type) };
static const struct cel_type metadata_type = OBJECT_TYPE(metadata_fields);
static const struct cel_type namespace_spec_type = OBJECT_TYPE(namespace_spec_fields);
static const struct cel_type namespace_status_type = OBJECT_TYPE(namespace_status_fields);
static const struct cel_field namespace_fields[] = {
        FIELD("metadata", &metadata_type),
        FIELD("spec", &namespace_spec_type),
        FIELD("status", &namespace_status_type),
};
static const struct cel_type namespace_type = OBJECT_TYPE(namespace_fields);

/* params comes last: policies without a kind of parameters have none. */
static const struct cel_field environment_fields[] = {
        FIELD("object", &dyn_type),      FIELD("oldObject", &dyn_type),
        FIELD("request", &request_type), FIELD("namespaceObject", &namespace_type),
        FIELD("params", &dyn_type),
};
static const struct cel_type environments[] = {
        { .kind = CEL_OBJECT,
          .fields = environment_fields,
          .field_count = ARRAY_LEN(environment_fields) - 1 },
        OBJECT_TYPE(environment_fields),
};

int cel_admission_compile(struct arena *arena, struct slice source,
                          const struct cel_admission *admission, struct cel_program **ret_program,
                          struct err *err) {
        const struct cel_options options = { .self = &environments[admission->has_params],
                                             .name = "",
                                             .admission = admission,
                                             .wants = admission->wants };

        return cel_compile(arena, source, &options, ret_program, err);
}
