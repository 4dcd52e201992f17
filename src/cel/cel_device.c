/* The variable device: its type, and its value as made maps. */
#include "cel/cel_device.h"

#include "cel/cel_function.h"
#include "cel/cel_node.h"
#include "cel/go_semver.h"

#include "base/util.h"

#define STEPS_PER_SELECTOR 20000000 /* bounds the work beside upstream's cost */

/* ---- types ---- */

static const struct cel_type text_type = { .kind = CEL_STRING };
static const struct cel_type bool_type = { .kind = CEL_BOOL };
static const struct cel_type any_type = { .kind = CEL_ANY };
static const struct cel_type dyn_type = { .kind = CEL_DYN };
static const struct cel_type amount_type = { .kind = CEL_QUANTITY };
static const struct cel_type any_map = { .kind = CEL_MAP, .key = &text_type, .element = &any_type };
static const struct cel_type dyn_map = { .kind = CEL_MAP, .key = &text_type, .element = &dyn_type };
static const struct cel_type amount_map = { .kind = CEL_MAP,
                                            .key = &text_type,
                                            .element = &amount_type };
static const struct cel_type any_domains = { .kind = CEL_MAP,
                                             .key = &text_type,
                                             .element = &any_map };
static const struct cel_type dyn_domains = { .kind = CEL_MAP,
                                             .key = &text_type,
                                             .element = &dyn_map };
static const struct cel_type amount_domains = { .kind = CEL_MAP,
                                                .key = &text_type,
                                                .element = &amount_map };
/* allowMultipleAllocations comes last: without its gate there is no such field. */
#define FIELD_COUNT 4
#define FIELDS(attributes)                                                                         \
        {                                                                                          \
                { SLICE_INIT("driver"), "driver", &text_type },                                    \
                        { SLICE_INIT("attributes"), "attributes", attributes },                    \
                        { SLICE_INIT("capacity"), "capacity", &amount_domains }, {                 \
                        SLICE_INIT("allowMultipleAllocations"), "allowMultipleAllocations",        \
                                &bool_type                                                         \
                }                                                                                  \
        }
static const struct cel_field plain_fields[FIELD_COUNT] = FIELDS(&any_domains);
static const struct cel_field list_fields[FIELD_COUNT] = FIELDS(&dyn_domains);
#define DEVICE_TYPE(of, size)                                                                      \
        { .kind = CEL_OBJECT, .fields = of, .field_count = size }

static const struct cel_type *device_type(const struct cel_device_gates *gates) {
        static const struct cel_type types[2][2] = {
                { DEVICE_TYPE(plain_fields, FIELD_COUNT - 1),
                  DEVICE_TYPE(plain_fields, FIELD_COUNT) },
                { DEVICE_TYPE(list_fields, FIELD_COUNT - 1),
                  DEVICE_TYPE(list_fields, FIELD_COUNT) },
        };

        return &types[gates->has_lists][gates->has_shares];
}

int cel_device_compile(struct arena *arena, struct slice source,
                       const struct cel_device_gates *gates, struct cel_program **ret_program,
                       struct err *err) {
        const struct cel_options options = { .self = device_type(gates),
                                             .name = "device",
                                             .has_includes = gates->has_lists,
                                             .has_bindings = true,
                                             .wants = CEL_WANTS_BOOL_OR_ANY };

        return cel_compile(arena, source, &options, ret_program, err);
}

/* ---- values ---- */

/* Maps of maps: domain to name to value, in the order in which domains come. */
struct domains {
        struct arena *arena;
        struct cel_value *items; /* keys and maps alternating */
        size_t count, entry_max;
};

/* The map of the domain, made when there is none. entry_max bounds each of them. */
static struct cel_value *domain_map(struct domains *domains, struct slice domain) {
        for (size_t i = 0; i < domains->count; i++) {
                if (slice_eq(domains->items[2 * i].as.text, domain))
                        return &domains->items[2 * i + 1];
        }
        struct cel_value *key = &domains->items[2 * domains->count++];
        key[0] = cel_text(CEL_STRING, domain);
        key[1] = (struct cel_value){ .kind = CEL_MAP,
                                     .is_made = true,
                                     .as.items = ARENA_ARRAY(domains->arena, struct cel_value,
                                                             2 * domains->entry_max) };
        return &key[1];
}

static void domain_add(struct domains *domains, struct slice name, struct slice driver,
                       const struct cel_value *value) {
        struct slice domain = driver, id = name;
        const char *slash = name.len ? memchr(name.ptr, '/', name.len) : NULL;

        if (slash) {
                domain = slice_make(name.ptr, (size_t)(slash - name.ptr));
                id = slice_make(slash + 1, name.len - domain.len - 1);
        }
        struct cel_value *map = domain_map(domains, domain);
        /* The value was made here, so it may be written. */
        struct cel_value *items = (struct cel_value *)(uintptr_t)map->as.items;
        for (size_t i = 0; i < map->count; i++) {
                if (!slice_eq(items[2 * i].as.text, id))
                        continue;
                items[2 * i + 1] = *value;
                return;
        }
        items[2 * map->count] = cel_text(CEL_STRING, id);
        items[2 * map->count++ + 1] = *value;
}

static struct domains domains_new(struct arena *arena, size_t count) {
        return (struct domains){ .arena = arena,
                                 .items = ARENA_ARRAY(arena, struct cel_value, 2 * count),
                                 .entry_max = count };
}

static struct cel_value domains_value(const struct domains *domains) {
        return (struct cel_value){ .kind = CEL_MAP,
                                   .as.items = domains->items,
                                   .is_made = true,
                                   .has_default = true,
                                   .count = domains->count };
}

/* NULL, or what is wrong with it. */
static const char *single_value(struct arena *arena, enum device_value kind,
                                const struct device_scalar *scalar, struct cel_value *ret_value) {
        switch (kind) {
        case DEVICE_BOOL:
                *ret_value = cel_bool(scalar->boolean);
                return NULL;
        case DEVICE_INT:
                *ret_value = cel_int(scalar->integer);
                return NULL;
        case DEVICE_STRING:
                *ret_value = cel_text(CEL_STRING, scalar->text);
                return NULL;
        case DEVICE_VERSION:
                *ret_value = cel_text(CEL_SEMVER, scalar->text);
                return go_semver_problem(arena, scalar->text);
        default:
                return "unsupported attribute value";
        }
}

static const char *attribute_value(struct arena *arena, const struct device_attribute *attribute,
                                   bool has_lists, struct cel_value *ret_value) {
        const char *problem = NULL;

        if (!attribute->is_list)
                return single_value(arena, attribute->kind, &attribute->scalar, ret_value);
        if (!has_lists)
                return "unsupported attribute value";
        struct cel_value *items = ARENA_ARRAY(arena, struct cel_value, attribute->item_count);
        for (size_t i = 0; !problem && i < attribute->item_count; i++)
                problem = single_value(arena, attribute->kind, &attribute->items[i], &items[i]);
        *ret_value = cel_list(items, attribute->item_count);
        return problem;
}

int cel_device_value(struct arena *arena, const struct device *device, struct slice driver,
                     const struct cel_device_gates *gates, const struct cel_value **ret_value,
                     struct err *err) {
        struct domains attributes = domains_new(arena, device->attribute_count);
        struct domains capacity = domains_new(arena, device->traits->capacity_count);
        const struct cel_type *type = device_type(gates);
        struct cel_value value;

        for (size_t i = 0; i < device->attribute_count; i++) {
                const struct device_attribute *attribute = device->attributes[i];
                const char *why = attribute_value(arena, attribute, gates->has_lists, &value);

                if (why)
                        return err_set(err, BERTH_ERR_INVALID, "attribute " SLICE_FMT ": %s",
                                       SLICE_ARG(attribute->name), why);
                domain_add(&attributes, attribute->name, driver, &value);
        }
        for (size_t i = 0; i < device->traits->capacity_count; i++) {
                value = cel_text(CEL_QUANTITY, device->traits->capacity[i].value);
                domain_add(&capacity, device->traits->capacity[i].name, driver, &value);
        }
        struct cel_value *whole = ARENA_NEW(arena, struct cel_value);
        struct cel_value *items = ARENA_ARRAY(arena, struct cel_value, (size_t)2 * FIELD_COUNT);
        for (size_t i = 0; i < FIELD_COUNT; i++)
                items[2 * i] = cel_text(CEL_STRING, list_fields[i].name);
        items[1] = cel_text(CEL_STRING, driver);
        items[3] = domains_value(&attributes);
        items[5] = domains_value(&capacity);
        items[7] = cel_bool(device->traits->allows_multiple);
        *whole = (struct cel_value){ .kind = CEL_OBJECT,
                                     .as.items = items,
                                     .is_made = true,
                                     .count = type->field_count,
                                     .type = type };
        *ret_value = whole;
        return 0;
}

enum cel_outcome cel_device_matches(const struct cel_program *program,
                                    const struct cel_value *device, struct arena *arena,
                                    const char **ret_text) {
        struct cel_run run = { .arena = arena,
                               .function_next = cel_function_next,
                               .steps = STEPS_PER_SELECTOR,
                               .cost_max = CEL_SELECTOR_COST_MAX,
                               .self = *device };

        *ret_text = NULL;
        struct cel_value value = cel_run_node(&run, program->root);
        if (run.is_over) {
                *ret_text = "operation cancelled: actual cost limit exceeded";
                return CEL_OVER_BUDGET;
        }
        if (value.kind == CEL_BOOL)
                return value.as.boolean ? CEL_TRUE : CEL_FALSE;
        *ret_text = value.kind == CEL_ERROR
                            ? arena_string(arena, value.as.text)
                            : arena_printf(arena,
                                           "CEL result of type %s could not be converted to bool",
                                           cel_kind_name(value.kind));
        return CEL_FAILED;
}
