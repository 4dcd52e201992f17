/* What Go says of values that do not fit, and of fields that it does not know. */
#include "schema/normalise_priv.h"

#include "base/util.h"
#include "schema/go_json.h"
#include <string.h>

static void path_write(const struct schema_normalise_place *place, bool has_index, bool has_key,
                       struct buf *out) {
        if (!place)
                return;
        path_write(place->parent, has_index, has_key, out);
        if (!place->field.ptr) {
                if (has_index)
                        buf_printf(out, "[%zu]", place->index);
                return;
        }
        if (place->is_key && !has_key)
                return;
        if (place->parent)
                buf_char(out, '.');
        if (place->embedded && !has_index)
                buf_printf(out, "%s.", place->embedded);
        buf_slice(out, place->field);
}

/* Go's complaints name the structs that hold fields for others; the tables know only that one does.
 */
const char *normalise_embedded_name(const struct schema_object *schema,
                                    const struct schema_field *field) {
        static const char *const names[][2] = {
                { "core.v1.Volume", "VolumeSource" },
                { "core.v1.PersistentVolumeSpec", "PersistentVolumeSource" },
                { "core.v1.Probe", "ProbeHandler" },
                { "core.v1.EphemeralContainer", "EphemeralContainerCommon" },
                { "networking.v1.IngressRule", "IngressRuleValue" },
                { "resource.v1.DeviceAllocationConfiguration", "DeviceConfiguration" },
                { "resource.v1.DeviceClaimConfiguration", "DeviceConfiguration" },
                { "resource.v1.DeviceClassConfiguration", "DeviceConfiguration" },
                { "admissionregistration.v1.RuleWithOperations", "Rule" },
                { "admissionregistration.v1.NamedRuleWithOperations", "RuleWithOperations" },
        };
        /* The only struct in a struct in a struct, for which the tables have no number. */
        static const char twice[] = "admissionregistration.v1.NamedRuleWithOperations";

        if (!field || !schema->name)
                return NULL;
        if (!field->via && strcmp(schema->name, twice) == 0 &&
            strcmp(field->name, "resourceNames") != 0)
                return "RuleWithOperations.Rule";
        for (size_t i = 0; field->via && i < ARRAY_LEN(names); i++)
                if (strcmp(schema->name, names[i][0]) == 0)
                        return names[i][1];
        return field->via && strncmp(schema->name, "core.", 5) == 0 ? "LocalObjectReference" : NULL;
}

/* The Go type of a map's keys, if it is no plain text. */
static const char *key_type(const struct schema_object *schema, const struct schema_field *field) {
        if (!schema || strncmp(schema->name, "resource.", 9) != 0 ||
            strcmp(field->name, "counters") == 0)
                return NULL;
        return strcmp(field->name, "nodeAllocatableResourceMappings") == 0 ? "v1.ResourceName"
                                                                           : "v1.QualifiedName";
}

/* The Go type of a field's values, or with its shape of the field. */
static void go_type_write(const struct schema_object *schema, const struct schema_field *field,
                          enum schema_shape shape, struct buf *out) {
        static const char *const names[] = {
                [SCHEMA_STRING] = "string",
                [SCHEMA_BOOL] = "bool",
                [SCHEMA_INT32] = "int32",
                [SCHEMA_INT64] = "int64",
                [SCHEMA_FLOAT] = "float64",
                [SCHEMA_BYTES] = "[]uint8",
                [SCHEMA_TIME] = "v1.Time",
                [SCHEMA_MICRO_TIME] = "v1.MicroTime",
                [SCHEMA_DURATION] = "v1.Duration",
                [SCHEMA_QUANTITY] = "resource.Quantity",
                [SCHEMA_INT_OR_STRING] = "intstr.IntOrString",
                [SCHEMA_RAW] = "runtime.RawExtension",
        };
        static const char *const prefixes[] = { [SHAPE_ONE] = "",
                                                [SHAPE_LIST] = "[]",
                                                [SHAPE_MAP] = "map[string]",
                                                [SHAPE_MAP_OF_LIST] = "map[string][]" };

        const char *key = shape == SHAPE_MAP ? key_type(schema, field) : NULL;

        if (key)
                buf_printf(out, "map[%s]", key);
        else
                buf_text(out, prefixes[shape]);
        if (field->type == SCHEMA_OBJECT) {
                const char *name = schema_field_object(field)->name, *dot = strchr(name, '.');

                buf_text(out, dot ? dot + 1 : name);
        } else {
                buf_text(out, names[field->type]);
        }
}

/* What Go says of a text: it names the innermost struct and the JSON path, without indexes. */
static void decode_error_write(const struct schema_object *schema,
                               const struct schema_normalise_place *place,
                               const struct json_node *value, struct slice type, struct buf *out) {
        const char *dot = schema ? strrchr(schema->name, '.') : NULL;

        buf_printf(out, "json: cannot unmarshal %s", json_go_name(node_type(value)));
        if ((node_type(value) == JSON_INT || node_type(value) == JSON_REAL) &&
            (slice_is(type, "int32") || slice_is(type, "int64") || slice_is(type, "uint8"))) {
                buf_char(out, ' ');
                size_t start = out->len;
                node_write(value, out);
                if (node_type(value) == JSON_REAL && !strpbrk(out->data + start, ".e"))
                        buf_text(out, ".0"); /* as it was sent, most likely */
        }
        buf_printf(out, " into Go struct field %s.", dot ? dot + 1 : "");
        path_write(place, false, false, out);
        buf_printf(out, " of type " SLICE_FMT, SLICE_ARG(type));
}

/* What it says of a value that it converts: bare kinds, no place. */
static void convert_error_write(const struct json_node *value, struct slice type, struct buf *out) {
        static const char *const names[] = { "nothing", "nil",    "bool",  "int64",
                                             "float64", "string", "slice", "map" };
        const char *name = names[node_type(value)];

        if (slice_has_prefix(type, SLICE_LITERAL("[]")))
                buf_printf(out, "cannot restore slice from %s", name);
        else if (slice_has_prefix(type, SLICE_LITERAL("map[")))
                buf_printf(out, "cannot restore map from %s", name);
        else if (slice_contains(type, SLICE_LITERAL(".")))
                buf_printf(out, "cannot restore struct from: %s", name);
        else if (node_type(value) == JSON_INT && slice_is(type, "string"))
                buf_text(out, "cannot convert int64 to string");
        else if (node_type(value) == JSON_REAL && !slice_is(type, "string") &&
                 !slice_is(type, "bool"))
                buf_printf(out, "cannot convert float64 to " SLICE_FMT, SLICE_ARG(type));
        else
                buf_printf(out, "unrecognized type: " SLICE_FMT, SLICE_ARG(type));
}

int normalise_text_error(struct schema_normalise_walk *walk, struct slice text) {
        if (walk->has_failed)
                return 0;
        walk->has_failed = true;
        err_set(walk->err, BERTH_ERR_BAD_REQUEST, SLICE_FMT, SLICE_ARG(text));
        return walk->is_value ? BERTH_ERR_BAD_REQUEST : 0;
}

static int wrong_type(struct schema_normalise_walk *walk, const struct schema_object *schema,
                      const struct schema_normalise_place *place, const struct json_node *value,
                      struct slice type) {
        struct buf text = { 0 };

        if (walk->has_failed)
                return 0;
        if (walk->is_value)
                convert_error_write(value, type, &text);
        else
                decode_error_write(schema, place, value, type, &text);
        int r = normalise_text_error(walk, buf_view(&text));
        buf_release(&text);
        return r;
}

int normalise_type_error(struct schema_normalise_walk *walk, const struct schema_object *schema,
                         const struct schema_normalise_place *place, const struct json_node *value,
                         const struct schema_field *field, enum schema_shape shape) {
        struct buf type = { 0 };

        go_type_write(schema, field, shape, &type);
        int r = wrong_type(walk, schema, place, value, buf_view(&type));
        buf_release(&type);
        return r;
}

int normalise_named_error(struct schema_normalise_walk *walk, const struct schema_object *schema,
                          const struct schema_normalise_place *place, const struct json_node *value,
                          const char *type) {
        return wrong_type(walk, schema, place, value, slice_of(type));
}

/* Types that read themselves: decoding ends at once, with their word instead of an earlier one. */
int normalise_own_error(struct schema_normalise_walk *walk, const struct schema_object *schema,
                        const struct schema_normalise_place *place, const struct json_node *value,
                        const char *type) {
        struct buf text = { 0 };

        decode_error_write(schema, place, value, slice_of(type), &text);
        if (walk->is_value) {
                const char *into = strstr(text.data, " into Go struct field ");
                size_t length = into ? (size_t)(into - text.data) : text.len;

                err_set(walk->err, BERTH_ERR_BAD_REQUEST, "%.*s into Go value of type %s",
                        (int)length, text.data, type);
        } else {
                err_set(walk->err, BERTH_ERR_BAD_REQUEST, "%s", text.data);
        }
        buf_release(&text);
        return BERTH_ERR_BAD_REQUEST;
}

void normalise_report_unknown(struct schema_normalise_walk *walk,
                              const struct schema_normalise_place *parent, struct slice name) {
        struct schema_normalise_place here = { .parent = parent, .field = name };
        struct buf path = { 0 };

        if (!walk->report || !walk->report->unknown)
                return;
        path_write(&here, true, !walk->is_value, &path); /* as the converter */
        walk->report->unknown(walk->report->context, path.data);
        buf_release(&path);
}

void normalise_report_emptied(struct schema_normalise_walk *walk,
                              const struct schema_normalise_place *place,
                              const struct json_node *value) {
        struct buf path = { 0 };
        bool is_list = node_type(value) == JSON_ARRAY;

        if (!walk->report || !walk->report->emptied || node_count(value) > 0 ||
            (!is_list && node_type(value) != JSON_OBJECT))
                return;
        path_write(place, true, true, &path);
        walk->report->emptied(walk->report->context, path.data, is_list);
        buf_release(&path);
}
