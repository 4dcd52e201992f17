/* Static types: those of the language, and those of a schema's values. Names that are no names of
 * the language are escaped as upstream does it. */
#include "cel/cel_value.h"

#include "base/buf.h"
#include "base/util.h"

const char *cel_kind_name(enum cel_kind kind) {
        static const char *const names[CEL_KIND_COUNT] = { "dyn",
                                                           "error",
                                                           "null_type",
                                                           "bool",
                                                           "int",
                                                           "uint",
                                                           "double",
                                                           "string",
                                                           "bytes",
                                                           "google.protobuf.Timestamp",
                                                           "google.protobuf.Duration",
                                                           "kubernetes.Quantity",
                                                           "kubernetes.URL",
                                                           "net.IP",
                                                           "net.CIDR",
                                                           "kubernetes.Semver",
                                                           "kubernetes.NamedFormat",
                                                           "list",
                                                           "map",
                                                           "object",
                                                           "optional_type",
                                                           "type",
                                                           "google.protobuf.Any",
                                                           "kubernetes.authorization.Authorizer",
                                                           "kubernetes.authorization.PathCheck",
                                                           "kubernetes.authorization.GroupCheck",
                                                           "kubernetes.authorization.ResourceCheck",
                                                           "kubernetes.authorization.Decision" };

        return names[kind];
}

const struct cel_type *cel_type_basic(enum cel_kind kind) {
        static const struct cel_type dyn = { .kind = CEL_DYN };
        static const struct cel_type types[CEL_KIND_COUNT] = {
                { .kind = CEL_DYN },
                { .kind = CEL_ERROR },
                { .kind = CEL_NULL },
                { .kind = CEL_BOOL, .min_size = 4 },
                { .kind = CEL_INT, .min_size = 1 },
                { .kind = CEL_UINT },
                { .kind = CEL_DOUBLE, .min_size = 1 },
                { .kind = CEL_STRING },
                { .kind = CEL_BYTES },
                { .kind = CEL_TIMESTAMP },
                { .kind = CEL_DURATION },
                { .kind = CEL_QUANTITY },
                { .kind = CEL_URL },
                { .kind = CEL_IP },
                { .kind = CEL_CIDR },
                { .kind = CEL_SEMVER },
                { .kind = CEL_FORMAT },
                { .kind = CEL_LIST, .element = &dyn },
                { .kind = CEL_MAP, .key = &dyn, .element = &dyn },
                { .kind = CEL_OBJECT },
                { .kind = CEL_OPTIONAL, .element = &dyn },
                { .kind = CEL_TYPE },
                { .kind = CEL_ANY },
                { .kind = CEL_AUTHORIZER },
                { .kind = CEL_PATH_CHECK },
                { .kind = CEL_GROUP_CHECK },
                { .kind = CEL_RESOURCE_CHECK },
                { .kind = CEL_DECISION },
        };

        return &types[kind];
}

const struct cel_type *cel_type_wrong(void) {
        static const struct cel_type wrong = { .kind = CEL_DYN, .name = "!error!" };

        return &wrong;
}

const struct cel_type *cel_type_made(struct arena *arena, enum cel_kind kind,
                                     const struct cel_type *key, const struct cel_type *element) {
        struct cel_type *type = ARENA_NEW(arena, struct cel_type);

        *type = (struct cel_type){ .kind = kind, .key = key, .element = element };
        return type;
}

static const char *type_text(struct arena *arena, const struct cel_type *type, const char *null) {
        switch (type->kind) {
        case CEL_LIST:
                return arena_printf(arena, "list(%s)", type_text(arena, type->element, null));
        case CEL_OPTIONAL:
                return arena_printf(arena, "optional_type(%s)",
                                    type_text(arena, type->element, null));
        case CEL_MAP:
                return arena_printf(arena, "map(%s, %s)", type_text(arena, type->key, null),
                                    type_text(arena, type->element, null));
        case CEL_NULL:
                return null;
        case CEL_DURATION:
                return "duration";
        case CEL_TIMESTAMP:
                return "timestamp";
        default:
                return type->name ? type->name : cel_kind_name(type->kind);
        }
}

const char *cel_type_text(struct arena *arena, const struct cel_type *type) {
        return type_text(arena, type, "null");
}

const char *cel_type_declared(struct arena *arena, const struct cel_type *type) {
        return type_text(arena, type, cel_kind_name(CEL_NULL));
}

/* ---- schemas ---- */

static bool is_word(struct slice name) {
        static const char *const words[] = { "true",     "false",     "null",     "in",   "as",
                                             "break",    "const",     "continue", "else", "for",
                                             "function", "if",        "import",   "let",  "loop",
                                             "package",  "namespace", "return",   "var",  "void",
                                             "while" };

        for (size_t i = 0; i < ARRAY_LEN(words); i++) {
                if (slice_is(name, words[i]))
                        return true;
        }
        return false;
}

/* NULL when the name cannot be written in an expression at all. */
static const char *escape_name(struct arena *arena, struct slice name) {
        static const char *const marks[][2] = { { "-", "__dash__" },
                                                { ".", "__dot__" },
                                                { "/", "__slash__" },
                                                { "__", "__underscores__" } };
        struct buf out = { 0 };

        if (is_word(name))
                return arena_printf(arena, "__" SLICE_FMT "__", SLICE_ARG(name));
        for (size_t i = 0; i < name.len;) {
                struct slice rest = slice_make(name.ptr + i, name.len - i);
                char c = name.ptr[i];
                size_t which = 0;

                while (which < ARRAY_LEN(marks) &&
                       !slice_has_prefix(rest, slice_of(marks[which][0])))
                        which++;
                if (which < ARRAY_LEN(marks)) {
                        buf_text(&out, marks[which][1]);
                        i += strlen(marks[which][0]);
                        continue;
                }
                if (!((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' ||
                      (c >= '0' && c <= '9' && i > 0))) {
                        buf_release(&out);
                        return NULL;
                }
                buf_char(&out, c);
                i++;
        }
        const char *copy = arena_string(arena, buf_view(&out));
        buf_release(&out);
        return copy;
}

bool cel_name_is_usable(struct slice name) {
        struct arena arena;

        arena_init(&arena, 0);
        bool is_usable = escape_name(&arena, name);
        arena_release(&arena);
        return is_usable;
}

#define REQUEST_MAX ((uint64_t)3 * 1024 * 1024)
#define TEXT_MAX (REQUEST_MAX - 2) /* between quotes */

/* How long a text may be: by its bound, in characters of up to four bytes, or by a request. */
static uint64_t text_max(const struct json *schema, uint64_t character) {
        int64_t bound = json_get_i64(schema, "maxLength", -1);
        struct json_iter iter = json_iter(json_get(schema, "enum"));
        const struct json *value;
        uint64_t longest = 0;

        if (json_get(schema, "maxLength"))
                return bound > 0 ? (uint64_t)bound * character : 0;
        if (json_count(json_get(schema, "enum")) == 0)
                return TEXT_MAX;
        while (json_next(&iter, NULL, &value))
                longest = json_text(value).len > longest ? json_text(value).len : longest;
        return longest;
}

static const struct cel_type *string_type(struct arena *arena, const struct json *schema) {
        static const struct {
                const char *format;
                enum cel_kind kind;
                uint64_t max, min;
        } formats[] = { { "date-time", CEL_TIMESTAMP, 32, 21 },
                        { "date", CEL_TIMESTAMP, 12, 12 },
                        { "duration", CEL_DURATION, 32, 3 } };
        struct slice format = json_get_text(schema, "format");
        struct cel_type *type = ARENA_NEW(arena, struct cel_type);

        for (size_t i = 0; i < ARRAY_LEN(formats); i++)
                if (slice_is(format, formats[i].format)) {
                        *type = (struct cel_type){ .kind = formats[i].kind,
                                                   .max_elements = formats[i].max,
                                                   .min_size = formats[i].min };
                        return type;
                }
        bool is_bytes = slice_is(format, "byte");
        *type = (struct cel_type){ .kind = is_bytes ? CEL_BYTES : CEL_STRING,
                                   .max_elements = text_max(schema, is_bytes ? 1 : 4),
                                   .min_size = 2 };
        return type;
}

/* A number, or a text that stands for one. */
static const struct cel_type *number_or_text(struct arena *arena, const struct json *schema) {
        struct cel_type *type = ARENA_NEW(arena, struct cel_type);

        *type = (struct cel_type){ .kind = CEL_DYN,
                                   .max_elements = json_get(schema, "maxLength")
                                                           ? text_max(schema, 4)
                                                           : TEXT_MAX,
                                   .min_size = 1 };
        return type;
}

/* By its bound, or as many as fit into a request. */
static uint64_t count_max(const struct json *schema, const char *member, uint64_t element_size) {
        int64_t bound = json_get_i64(schema, member, 0);

        if (json_get(schema, member))
                return bound > 0 ? (uint64_t)bound : 0;
        return TEXT_MAX / element_size;
}

static const struct cel_type *list_type(struct arena *arena, const struct json *schema) {
        const struct cel_type *element =
                cel_type_of_schema(arena, json_get(schema, "items"), false);
        struct slice kind = json_get_text(schema, "x-kubernetes-list-type");

        if (!element)
                return NULL;
        struct cel_type *type = ARENA_NEW(arena, struct cel_type);
        *type = (struct cel_type){ .kind = CEL_LIST,
                                   .element = element,
                                   .max_elements =
                                           count_max(schema, "maxItems", element->min_size + 1),
                                   .min_size = 2 };
        if (slice_is(kind, "set"))
                type->list_kind = CEL_LIST_SET;
        if (slice_is(kind, "map"))
                type->list_kind = CEL_LIST_KEYED;
        type->list_keys = json_get(schema, "x-kubernetes-list-map-keys");
        return type;
}

static const struct cel_type *map_type(struct arena *arena, const struct json *schema) {
        const struct cel_type *element =
                cel_type_of_schema(arena, json_get(schema, "additionalProperties"), false);

        if (!element)
                return NULL;
        struct cel_type *type = ARENA_NEW(arena, struct cel_type);
        *type = (struct cel_type){ .kind = CEL_MAP,
                                   .key = cel_type_basic(CEL_STRING),
                                   .element = element,
                                   .max_elements = count_max(schema, "maxProperties",
                                                             element->min_size + 6),
                                   .min_size = 2 };
        return type;
}

/* What every resource has: of metadata, expressions see the name only. */
static size_t add_identity(struct cel_field *fields) {
        static const struct cel_type text = { .kind = CEL_STRING,
                                              .max_elements = TEXT_MAX,
                                              .min_size = 2 };
        static const struct cel_field names[] = {
                { SLICE_INIT("name"), "name", &text },
                { SLICE_INIT("generateName"), "generateName", &text },
        };
        static const struct cel_type metadata = {
                .kind = CEL_OBJECT, .fields = names, .field_count = ARRAY_LEN(names), .min_size = 2
        };

        fields[0] = (struct cel_field){ SLICE_LITERAL("apiVersion"), "apiVersion", &text };
        fields[1] = (struct cel_field){ SLICE_LITERAL("kind"), "kind", &text };
        fields[2] = (struct cel_field){ SLICE_LITERAL("metadata"), "metadata", &metadata };
        return 3;
}

static bool is_identity(struct slice name) {
        return slice_is(name, "apiVersion") || slice_is(name, "kind") || slice_is(name, "metadata");
}

static const struct cel_type *object_type(struct arena *arena, const struct json *schema,
                                          bool is_resource) {
        const struct json *properties = json_get(schema, "properties"), *property;
        const struct json *others = json_get(schema, "additionalProperties");
        struct cel_type *type = ARENA_NEW(arena, struct cel_type);
        struct json_iter iter = json_iter(properties);
        struct slice name;
        uint64_t size = 2;
        size_t count = 0;

        if (json_type(others) == JSON_OBJECT)
                return map_type(arena, schema);
        struct cel_field *fields = ARENA_ARRAY(arena, struct cel_field, json_count(properties) + 3);
        if (is_resource)
                count = add_identity(fields);
        while (json_next(&iter, &name, &property)) {
                const struct cel_type *member =
                        is_resource && is_identity(name)
                                ? NULL
                                : cel_type_of_schema(arena, property, false);
                const char *escaped = member ? escape_name(arena, name) : NULL;

                if (!escaped)
                        continue;
                fields[count++] = (struct cel_field){ arena_slice(arena, name), escaped, member };
                if (json_array_has(json_get(schema, "required"), name) &&
                    !json_get(property, "default"))
                        size += name.len + member->min_size + 4;
        }
        *type = (struct cel_type){
                .kind = CEL_OBJECT, .fields = fields, .field_count = count, .min_size = size
        };
        return type;
}

const struct cel_type *cel_type_of_schema(struct arena *arena, const struct json *schema,
                                          bool is_resource) {
        struct slice type = json_get_text(schema, "type");

        if (json_get_bool(schema, "x-kubernetes-int-or-string", false))
                return number_or_text(arena, schema);
        is_resource |= json_get_bool(schema, "x-kubernetes-embedded-resource", false);
        if (slice_is(type, "object"))
                return object_type(arena, schema, is_resource);
        if (slice_is(type, "array"))
                return list_type(arena, schema);
        if (slice_is(type, "string"))
                return string_type(arena, schema);
        if (slice_is(type, "integer"))
                return cel_type_basic(CEL_INT);
        if (slice_is(type, "number"))
                return cel_type_basic(CEL_DOUBLE);
        return slice_is(type, "boolean") ? cel_type_basic(CEL_BOOL) : NULL;
}

bool cel_type_is_dyn(const struct cel_type *type) {
        return type->kind == CEL_DYN || type->kind == CEL_ANY;
}

const struct cel_type *cel_type_items(const struct cel_type *type) {
        return type && (type->kind == CEL_LIST || type->kind == CEL_MAP) ? type->element : NULL;
}

const struct cel_type *cel_type_member(const struct cel_type *type, struct slice name) {
        if (!type || type->kind != CEL_OBJECT)
                return NULL;
        for (size_t i = 0; i < type->field_count; i++) {
                if (slice_eq(type->fields[i].name, name))
                        return type->fields[i].type;
        }
        return NULL;
}
