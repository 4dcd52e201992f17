/* Arguments shared by the plugins that score resources. */
#include "plugins/sched/resource_args.h"

static const struct resource_weight defaults[] = {
        { SLICE_INIT("cpu"), 1 },
        { SLICE_INIT("memory"), 1 },
};

const struct field resource_weight_fields[] = {
        { .name = "name",
          .type = FIELD_TEXT,
          .offset = offsetof(struct resource_weight, name),
          .presence = FIELD_NO_PRESENCE,
          .help = "Name of the resource." },
        { .name = "weight",
          .type = FIELD_I64,
          .offset = offsetof(struct resource_weight, weight),
          .presence = FIELD_NO_PRESENCE,
          .help = "Its weight; 0 means 1." },
        FIELD_END,
};

struct resource_weights resource_weights_of(const struct item_list *given) {
        if (given->count == 0)
                return (struct resource_weights){ ARRAY_LEN(defaults), defaults };
        return (struct resource_weights){ given->count, given->items };
}

bool is_extended_resource(struct slice name) {
        bool has_domain = false;
        for (size_t i = 0; i < name.len; i++)
                has_domain = has_domain || name.ptr[i] == '/';
        return has_domain && !slice_contains(name, SLICE_LITERAL("kubernetes.io/")) &&
               !slice_has_prefix(name, SLICE_LITERAL("requests."));
}

bool is_scalar_resource(struct slice name) {
        return is_extended_resource(name) || slice_has_prefix(name, SLICE_LITERAL("hugepages-")) ||
               slice_contains(name, SLICE_LITERAL("kubernetes.io/")) ||
               slice_has_prefix(name, SLICE_LITERAL("attachable-volumes-"));
}
