/* OpenAPI documents made from the field tables: enough for kubectl to validate, explain and patch.
 */
#include "server/documents_priv.h"

#include "base/util.h"
#include "kinds/release.h"
#include "schema/description.h"
#include "schema/enum_values.h"
#include "schema/field_release.h"
#include "schema/schema.h"
#include <stdlib.h>

/* The two versions of OpenAPI keep types in different places. */
struct flavour {
        const char *reference; /* in front of a type's name in "$ref" */
        bool is_v2;
};
static const struct flavour flavour_v3 = { "#/components/schemas/", false };
static const struct flavour flavour_v2 = { "#/definitions/", true };

/* ---- names ---- */

/* "core.v1.Pod" is io.k8s.api.core.v1.Pod; types of other modules sit elsewhere. */
static const char *module_of(struct slice name) {
        if (slice_has_prefix(name, SLICE_LITERAL("meta.")))
                return "io.k8s.apimachinery.pkg.apis.";
        if (slice_has_prefix(name, SLICE_LITERAL("apiextensions.")))
                return "io.k8s.apiextensions-apiserver.pkg.apis.";
        if (slice_has_prefix(name, SLICE_LITERAL("apiregistration.")))
                return "io.k8s.kube-aggregator.pkg.apis.";
        return "io.k8s.api.";
}

static void reference_write(const struct flavour *flavour, const struct schema_object *object,
                            struct buf *out) {
        buf_printf(out, "{\"$ref\":\"%s%s%s\"}", flavour->reference,
                   module_of(slice_of(object->name)), object->name);
}

/* Nothing where there is no text. */
static void description_write(const char *type, const char *field, struct buf *out) {
        const char *text = schema_description_find(type, field);

        if (!text)
                return;
        buf_text(out, "\"description\":");
        buf_json_string(out, slice_of(text));
        buf_char(out, ',');
}

/* ---- properties ---- */

/* Values that are types of their own upstream, each written as text or as a number. */
static const struct value_type {
        enum schema_type type;
        const char *name, *text, *v3, *v2;
} value_types[] = {
        { SCHEMA_QUANTITY, "io.k8s.apimachinery.pkg.api.resource.Quantity",
          "An amount, such as 500m, 2 or 4Gi.",
          "\"oneOf\":[{\"type\":\"string\"},{\"type\":\"number\"}]", "\"type\":\"string\"" },
        { SCHEMA_INT_OR_STRING, "io.k8s.apimachinery.pkg.util.intstr.IntOrString",
          "A number, or a text such as a percentage or the name of a port.",
          "\"format\":\"int-or-string\",\"oneOf\":[{\"type\":\"integer\"},{\"type\":\"string\"}]",
          "\"type\":\"string\",\"format\":\"int-or-string\"" },
};

static const struct value_type *value_type_of(const struct schema_field *field) {
        for (size_t i = 0; i < ARRAY_LEN(value_types); i++)
                if (value_types[i].type == field->type)
                        return &value_types[i];
        return NULL;
}

/* The values that upstream names, which stand beside the type of a text. */
static void enum_write(const char *type, const char *field, struct buf *out) {
        const char *values = enum_values_find(type, field);
        struct slice rest = slice_of(values ? values : ""), value;
        const char *comma = "";

        if (!values)
                return;
        buf_text(out, ",\"enum\":[");
        if (rest.len && rest.ptr[0] == '|') {
                buf_text(out, "\"\"");
                comma = ",";
        }
        while (slice_split(&rest, '|', &value)) {
                buf_text(out, comma);
                buf_json_string(out, value);
                comma = ",";
        }
        buf_char(out, ']');
}

static const char *plain_type(const struct schema_field *field) {
        switch ((enum schema_type)field->type) {
        case SCHEMA_STRING:
        case SCHEMA_DURATION:
                return "\"type\":\"string\"";
        case SCHEMA_BOOL:
                return "\"type\":\"boolean\"";
        case SCHEMA_INT32:
                return "\"type\":\"integer\",\"format\":\"int32\"";
        case SCHEMA_INT64:
                return "\"type\":\"integer\",\"format\":\"int64\"";
        case SCHEMA_FLOAT:
                return "\"type\":\"number\",\"format\":\"double\"";
        case SCHEMA_BYTES:
                return "\"type\":\"string\",\"format\":\"byte\"";
        case SCHEMA_TIME:
        case SCHEMA_MICRO_TIME:
                return "\"type\":\"string\",\"format\":\"date-time\"";
        case SCHEMA_QUANTITY:
        case SCHEMA_INT_OR_STRING:
        case SCHEMA_OBJECT:
        case SCHEMA_RAW:
                break;
        }
        return "\"type\":\"object\"";
}

/* One value of the field, braces included. */
static void element_write(const struct flavour *flavour, const struct schema_object *object,
                          const struct schema_field *field, struct buf *out) {
        const struct value_type *value_type = value_type_of(field);

        if (field->type == SCHEMA_OBJECT) {
                reference_write(flavour, schema_field_object(field), out);
        } else if (value_type) {
                buf_printf(out, "{\"$ref\":\"%s%s\"}", flavour->reference, value_type->name);
        } else {
                buf_printf(out, "{%s", plain_type(field));
                enum_write(object->name, field->name, out);
                buf_char(out, '}');
        }
}

/* The same without braces; version 3 knows no description beside a reference. */
static void single_write(const struct flavour *flavour, const struct schema_object *object,
                         const struct schema_field *field, struct buf *out) {
        bool is_reference = field->type == SCHEMA_OBJECT || value_type_of(field);
        struct buf element = { 0 };

        element_write(flavour, object, field, &element);
        if (is_reference && !flavour->is_v2)
                buf_printf(out, "\"allOf\":[" SLICE_FMT "]", SLICE_ARG(buf_view(&element)));
        else
                buf_append(out, element.data + 1, element.len - 2);
        buf_release(&element);
}

/* How server-side apply merges a list. */
static void list_type_write(const struct schema_field *field, struct buf *out) {
        struct slice key;
        size_t count = 0;

        if (field->flags & FIELD_LIST_SET) {
                buf_text(out, ",\"x-kubernetes-list-type\":\"set\"");
                return;
        }
        if (!(field->flags & FIELD_LIST_MAP) || !field->map_keys) {
                buf_text(out, ",\"x-kubernetes-list-type\":\"atomic\"");
                return;
        }
        buf_text(out, ",\"x-kubernetes-list-type\":\"map\",\"x-kubernetes-list-map-keys\":[");
        struct slice keys = slice_of(field->map_keys);
        while (slice_split(&keys, ',', &key))
                buf_printf(out, "%s\"" SLICE_FMT "\"", count++ ? "," : "", SLICE_ARG(key));
        buf_char(out, ']');
}

static void merge_write(const struct schema_field *field, struct buf *out) {
        bool merges = field->merge_key || field->flags & FIELD_RETAIN_KEYS;

        if (field->merge_key && *field->merge_key)
                buf_printf(out, ",\"x-kubernetes-patch-merge-key\":\"%s\"", field->merge_key);
        if (field->flags & FIELD_PATCH_REPLACE)
                buf_text(out, ",\"x-kubernetes-patch-strategy\":\"replace\"");
        else if (merges)
                buf_printf(out, ",\"x-kubernetes-patch-strategy\":\"%s%s%s\"",
                           field->merge_key ? "merge" : "",
                           field->merge_key && field->flags & FIELD_RETAIN_KEYS ? "," : "",
                           field->flags & FIELD_RETAIN_KEYS ? "retainKeys" : "");
        if (field->shape == SHAPE_LIST)
                list_type_write(field, out);
}

static void property_write(const struct flavour *flavour, const struct schema_object *object,
                           const struct schema_field *field, struct buf *out) {
        buf_printf(out, "\"%s\":{", field->name);
        description_write(object->name, field->name, out);
        switch ((enum schema_shape)field->shape) {
        case SHAPE_LIST:
                buf_text(out, "\"type\":\"array\",\"items\":");
                element_write(flavour, object, field, out);
                break;
        case SHAPE_MAP:
                buf_text(out, "\"type\":\"object\",\"additionalProperties\":");
                element_write(flavour, object, field, out);
                break;
        case SHAPE_MAP_OF_LIST:
                buf_text(out, "\"type\":\"object\",\"additionalProperties\":{\"type\":\"array\","
                              "\"items\":");
                element_write(flavour, object, field, out);
                buf_char(out, '}');
                break;
        case SHAPE_ONE:
                single_write(flavour, object, field, out);
                break;
        }
        merge_write(field, out);
        buf_char(out, '}');
}

/* ---- types ---- */

static bool is_known(const struct schema_object *object, const struct schema_field *field) {
        return field_standing(object, field, kind_minor()) != FIELD_UNKNOWN;
}

static void required_write(const struct schema_object *object, struct buf *out) {
        size_t count = 0;

        for (size_t i = 0; i < object->count; i++) {
                const struct schema_field *field = &object->fields[i];

                if (!(field->flags & (FIELD_OMIT_EMPTY | FIELD_OMIT_ZERO | FIELD_POINTER)) &&
                    is_known(object, field))
                        buf_printf(out, "%s\"%s\"", count++ ? "," : ",\"required\":[", field->name);
        }
        buf_text(out, count ? "]" : "");
}

static const struct schema_root *root_of(const struct schema_object *object) {
        for (size_t i = 0; i < schema_root_count; i++)
                if (&schema_objects[schema_roots[i].object] == object)
                        return &schema_roots[i];
        return NULL;
}

/* What every object has besides its own fields. */
static void root_fields_write(struct buf *out) {
        static const char *const names[] = { "apiVersion", "kind" };

        for (size_t i = 0; i < ARRAY_LEN(names); i++) {
                buf_printf(out, "%s\"%s\":{", i ? "," : "", names[i]);
                description_write(SCHEMA_ROOT_TYPE, names[i], out);
                buf_text(out, "\"type\":\"string\"}");
        }
}

static void type_write(const struct flavour *flavour, const struct schema_object *object,
                       struct buf *out) {
        const struct schema_root *root = root_of(object);
        size_t count = 0;

        buf_printf(out, "\"%s%s\":{\"type\":\"object\",", module_of(slice_of(object->name)),
                   object->name);
        description_write(object->name, "", out);
        buf_text(out, "\"properties\":{");
        if (root)
                root_fields_write(out);
        for (size_t i = 0; i < object->count; i++) {
                if (!is_known(object, &object->fields[i]))
                        continue;
                buf_text(out, count++ || root ? "," : "");
                property_write(flavour, object, &object->fields[i], out);
        }
        buf_char(out, '}');
        if (!root)
                required_write(object, out);
        else
                buf_printf(
                        out,
                        ",\"x-kubernetes-group-version-kind\":[{\"group\":\"%s\",\"kind\":\"%s\","
                        "\"version\":\"%s\"}]",
                        root->group, root->kind, root->version);
        buf_char(out, '}');
}

/* Marks a type and what it refers to. */
static void openapi_mark(uint8_t *marks, size_t index) {
        const struct schema_object *object = &schema_objects[index];

        if (marks[index])
                return;
        marks[index] = 1;
        for (size_t i = 0; i < object->count; i++)
                if (object->fields[i].type == SCHEMA_OBJECT && is_known(object, &object->fields[i]))
                        openapi_mark(marks, object->fields[i].object);
}

static bool is_value_type_used(const struct value_type *type, const uint8_t *marks) {
        for (size_t i = 0; i < schema_object_count; i++) {
                const struct schema_object *object = &schema_objects[i];

                for (size_t j = 0; marks[i] && j < object->count; j++)
                        if (object->fields[j].type == type->type &&
                            is_known(object, &object->fields[j]))
                                return true;
        }
        return false;
}

static void value_type_write(const struct flavour *flavour, const struct value_type *type,
                             struct buf *out) {
        buf_printf(out, "\"%s\":{\"description\":\"%s\",%s}", type->name, type->text,
                   flavour->is_v2 ? type->v2 : type->v3);
}

static void marked_types_write(const struct flavour *flavour, const uint8_t *marks,
                               struct buf *out) {
        size_t count = 0;

        for (size_t i = 0; i < ARRAY_LEN(value_types); i++) {
                if (!is_value_type_used(&value_types[i], marks))
                        continue;
                buf_text(out, count++ ? "," : "");
                value_type_write(flavour, &value_types[i], out);
        }

        for (size_t i = 0; i < schema_object_count; i++) {
                if (!marks[i])
                        continue;
                buf_text(out, count++ ? "," : "");
                type_write(flavour, &schema_objects[i], out);
        }
}

/* ---- paths ---- */

/* kubectl merges with what the document says only where it finds its kind of patch. */
static void patch_body_write(const struct kind_info *kind, struct buf *out) {
        static const char any[] = "{\"schema\":{\"type\":\"object\"}}";

        buf_printf(out,
                   "\"requestBody\":{\"required\":true,\"content\":{"
                   "\"application/apply-patch+yaml\":%s,\"application/json-patch+json\":%s,"
                   "\"application/merge-patch+json\":%s",
                   any, any, any);
        if (!kind->openapi)
                buf_printf(out, ",\"application/strategic-merge-patch+json\":%s", any);
        buf_text(out, "}},");
}

/* Clients look here whether a kind takes fieldValidation and dryRun. */
static void patch_write(const struct kind_info *kind, bool is_v2, struct buf *out) {
        static const char *const parameters[] = { "dryRun", "fieldManager", "fieldValidation",
                                                  "force" };

        buf_printf(out,
                   "{\"patch\":{\"x-kubernetes-action\":\"patch\","
                   "\"x-kubernetes-group-version-kind\":{\"group\":\"%s\",\"kind\":\"%s\","
                   "\"version\":\"%s\"},\"parameters\":[",
                   kind->group, kind->kind, kind->version);
        for (size_t i = 0; i < ARRAY_LEN(parameters); i++)
                buf_printf(out, "%s{\"name\":\"%s\",\"in\":\"query\",%s}", i ? "," : "",
                           parameters[i],
                           is_v2 ? "\"type\":\"string\"" : "\"schema\":{\"type\":\"string\"}");
        buf_text(out, "],");
        if (!is_v2)
                patch_body_write(kind, out);
        buf_text(out, "\"responses\":{\"200\":{\"description\":\"OK\"}}}}");
}

static void path_write(const struct kind_info *kind, struct buf *out) {
        buf_printf(out, "\"%s%s/%s/%s%s/{name}\":", kind->group[0] ? "/apis/" : "/api", kind->group,
                   kind->version, kind->flags & KIND_NAMESPACED ? "namespaces/{namespace}/" : "",
                   kind->plural);
}

/* Group and version empty: all of them. */
static size_t paths_write(struct slice group, struct slice version, bool is_v2, struct buf *out) {
        size_t count = 0;

        for (size_t i = 0; i < kind_count(); i++) {
                const struct kind_info *kind = kind_at(i);

                if (!is_v2 && (!slice_is(group, kind->group) || !slice_is(version, kind->version)))
                        continue;
                if (!(kind->verbs & VERB_PATCH) ||
                    !release_has_kind(kind_minor(), kind_gates(), kind))
                        continue;
                buf_text(out, count++ ? "," : "");
                path_write(kind, out);
                patch_write(kind, is_v2, out);
        }
        return count;
}

/* ---- documents ---- */

/* Kinds that bring their own type: custom resources. */
static bool is_custom_of(const struct kind_info *kind, struct slice group, struct slice version) {
        return kind->openapi && slice_is(group, kind->group) && slice_is(version, kind->version);
}

static void custom_type_write(const struct kind_info *kind, struct buf *out) {
        buf_printf(out, "\"%s.%s.%s\":", kind->group, kind->version, kind->kind);
        kind->openapi(kind, out);
}

/* Types that no resource is made of, such as Eviction, count as served. */
static bool is_served(const struct schema_root *root) {
        for (size_t i = 0; i < kind_count(); i++) {
                const struct kind_info *kind = kind_at(i);

                if (strcmp(kind->group, root->group) == 0 && strcmp(kind->kind, root->kind) == 0 &&
                    strcmp(kind->version, root->version) == 0)
                        return release_has_kind(kind_minor(), kind_gates(), kind);
        }
        return true;
}

static size_t custom_types_write(struct slice group, struct slice version, struct buf *out) {
        size_t count = 0;

        for (size_t i = 0; i < kind_count(); i++) {
                const struct kind_info *kind = kind_at(i);

                if (!is_custom_of(kind, group, version))
                        continue;
                buf_text(out, count++ ? "," : "");
                custom_type_write(kind, out);
        }
        return count;
}

/* The documents change with the program and with custom resources. */
static uint64_t content_hash(const char *group, const struct catalogue_version *version) {
        struct buf text = { 0 };

        buf_printf(&text, "%s %u %s %s %zu %zu", BERTH_VERSION, kind_minor(), group, version->name,
                   schema_object_count, kind_count());
        for (const struct catalogue_kind *each = version->first; each; each = each->next) {
                if (each->kind->openapi)
                        custom_type_write(each->kind, &text);
        }
        uint64_t hash = slice_hash(buf_view(&text));
        buf_release(&text);
        return hash;
}

static void index_entry_write(const char *group, const struct catalogue_version *version,
                              struct buf *out) {
        const char *root = *group ? "apis/" : "api";

        buf_printf(out, "\"%s%s/%s\":{\"serverRelativeURL\":\"/openapi/v3/%s%s/%s?hash=%016llX\"}",
                   root, group, version->name, root, group, version->name,
                   (unsigned long long)content_hash(group, version));
}

void openapi_index_write(const struct api_catalogue *catalogue, struct buf *out) {
        size_t count = 0;

        buf_text(out, "{\"paths\":{");
        for (const struct catalogue_group *group = catalogue->first; group; group = group->next) {
                for (const struct catalogue_version *each = group->first; each; each = each->next) {
                        buf_text(out, count++ ? "," : "");
                        index_entry_write(group->name, each, out);
                }
        }
        buf_text(out, "}}");
}

bool openapi_v3_write(struct slice group, struct slice version, struct buf *out) {
        uint8_t *marks = xcalloc(schema_object_count, 1);
        bool has_types = false;

        for (size_t i = 0; i < kind_count(); i++)
                has_types |= is_custom_of(kind_at(i), group, version);
        for (size_t i = 0; i < schema_root_count; i++)
                if (slice_is(group, schema_roots[i].group) &&
                    slice_is(version, schema_roots[i].version) && is_served(&schema_roots[i])) {
                        openapi_mark(marks, schema_roots[i].object);
                        has_types = true;
                }
        if (has_types) {
                buf_printf(out,
                           "{\"openapi\":\"3.0.0\",\"info\":{\"title\":\"Kubernetes\","
                           "\"version\":\"v1.%u.0\"},\"paths\":{",
                           kind_minor());
                paths_write(group, version, false, out);
                buf_text(out, "},\"components\":{\"schemas\":{");
                marked_types_write(&flavour_v3, marks, out);
                custom_types_write(group, version, out);
                buf_text(out, "}}}");
        }
        free(marks);
        return has_types;
}

void openapi_v2_write(struct buf *out) {
        uint8_t *marks = xcalloc(schema_object_count, 1);

        for (size_t i = 0; i < schema_root_count; i++)
                if (is_served(&schema_roots[i]))
                        openapi_mark(marks, schema_roots[i].object);
        buf_printf(out,
                   "{\"swagger\":\"2.0\",\"info\":{\"title\":\"Kubernetes\","
                   "\"version\":\"v1.%u.0\"},\"paths\":{",
                   kind_minor());
        paths_write(SLICE_EMPTY, SLICE_EMPTY, true, out);
        buf_text(out, "},\"definitions\":{");
        marked_types_write(&flavour_v2, marks, out);
        buf_text(out, "}}");
        free(marks);
}
