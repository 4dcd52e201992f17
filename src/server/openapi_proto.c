/* OpenAPI v2 in its binary form, which is all that clients before 1.27 take: made from the JSON
 * form by the message types of gnostic's openapi.v2. Only what berth's own document holds is known
 * here. */
#include "server/documents_priv.h"

#include "api/json.h"

/* Field numbers, named after their messages. */
enum {
        DOCUMENT_SWAGGER = 1,
        DOCUMENT_INFO = 2,
        DOCUMENT_PATHS = 8,
        DOCUMENT_DEFINITIONS = 9,
        INFO_TITLE = 1,
        INFO_VERSION = 2,
        PATHS_PATH = 2,
        DEFINITIONS_ITEM = 1,
        NAMED_NAME = 1,
        NAMED_VALUE = 2,
        PATH_ITEM_PATCH = 8,
        OPERATION_PARAMETERS = 8,
        OPERATION_RESPONSES = 9,
        OPERATION_EXTENSION = 13,
        PARAMETERS_ITEM_PARAMETER = 1,
        PARAMETER_NON_BODY = 2,
        NON_BODY_QUERY = 3,
        QUERY_IN = 2,
        QUERY_NAME = 4,
        QUERY_TYPE = 6,
        RESPONSES_CODE = 1,
        RESPONSE_VALUE_RESPONSE = 1,
        RESPONSE_DESCRIPTION = 1,
        SCHEMA_PROTO_REF = 1,
        SCHEMA_PROTO_FORMAT = 2,
        SCHEMA_PROTO_DESCRIPTION = 4,
        SCHEMA_PROTO_REQUIRED = 19,
        SCHEMA_PROTO_ENUM = 20,
        SCHEMA_PROTO_ADDITIONAL = 21,
        SCHEMA_PROTO_TYPE = 22,
        SCHEMA_PROTO_ITEMS = 23,
        SCHEMA_PROTO_PROPERTIES = 25,
        SCHEMA_PROTO_EXTENSION = 31,
        ANY_YAML = 2,
        FIRST = 1, /* of messages that wrap one value */
};
#define WIRE_BYTES 2U

static void openapi_proto_varint(uint64_t value, struct buf *out) {
        while (value >= 0x80) {
                buf_char(out, (char)(value | 0x80));
                value >>= 7;
        }
        buf_char(out, (char)value);
}

static void bytes_field(unsigned number, struct slice bytes, struct buf *out) {
        openapi_proto_varint((uint64_t)number << 3 | WIRE_BYTES, out);
        openapi_proto_varint(bytes.len, out);
        buf_slice(out, bytes);
}

static void text_field(unsigned number, const struct json *object, const char *key,
                       struct buf *out) {
        struct slice text = json_get_text(object, key);

        if (text.len)
                bytes_field(number, text, out);
}

/* Takes the message over and leaves it empty. */
static void message_field(unsigned number, struct buf *message, struct buf *out) {
        bytes_field(number, buf_view(message), out);
        buf_release(message);
}

/* Members that start with x-: JSON is YAML, too. */
static void openapi_proto_extensions(unsigned number, const struct json *object, struct buf *out) {
        struct json_iter iter = json_iter(object);
        const struct json *value;
        struct slice key;

        while (json_next(&iter, &key, &value)) {
                struct buf text = { 0 }, any = { 0 }, named = { 0 };

                if (!slice_has_prefix(key, SLICE_LITERAL("x-")))
                        continue;
                json_write(value, &text);
                message_field(ANY_YAML, &text, &any);
                bytes_field(NAMED_NAME, key, &named);
                message_field(NAMED_VALUE, &any, &named);
                message_field(number, &named, out);
        }
}

/* Messages of pairs: each member of object becomes {name, value}. */
static void named_fields(unsigned number, const struct json *object,
                         void (*write)(const struct json *value, struct buf *out),
                         struct buf *out) {
        struct json_iter iter = json_iter(object);
        const struct json *value;
        struct slice key;

        while (json_next(&iter, &key, &value)) {
                struct buf named = { 0 }, inner = { 0 };

                bytes_field(NAMED_NAME, key, &named);
                write(value, &inner);
                message_field(NAMED_VALUE, &inner, &named);
                message_field(number, &named, out);
        }
}

/* ---- definitions ---- */

/* A schema inside a message that wraps it. */
static void wrapped_schema(unsigned number, const struct json *schema, struct buf *out);

/* Texts; YAML takes them as JSON writes them. */
static void enum_fields(const struct json *values, struct buf *out) {
        struct json_iter iter = json_iter(values);
        const struct json *value;

        while (json_next(&iter, NULL, &value)) {
                struct buf any = { 0 }, text = { 0 };

                buf_json_string(&text, json_text(value));
                bytes_field(ANY_YAML, buf_view(&text), &any);
                message_field(SCHEMA_PROTO_ENUM, &any, out);
                buf_release(&text);
        }
}

static void schema_write(const struct json *schema, struct buf *out) {
        const struct json *properties = json_get(schema, "properties"), *value;
        struct json_iter required = json_iter(json_get(schema, "required"));
        struct slice type = json_get_text(schema, "type");

        text_field(SCHEMA_PROTO_REF, schema, "$ref", out);
        text_field(SCHEMA_PROTO_FORMAT, schema, "format", out);
        text_field(SCHEMA_PROTO_DESCRIPTION, schema, "description", out);
        while (json_next(&required, NULL, &value))
                bytes_field(SCHEMA_PROTO_REQUIRED, json_text(value), out);
        enum_fields(json_get(schema, "enum"), out);
        wrapped_schema(SCHEMA_PROTO_ADDITIONAL, json_get(schema, "additionalProperties"), out);
        if (type.len) {
                struct buf types = { 0 };

                bytes_field(FIRST, type, &types);
                message_field(SCHEMA_PROTO_TYPE, &types, out);
        }
        wrapped_schema(SCHEMA_PROTO_ITEMS, json_get(schema, "items"), out);
        if (properties) {
                struct buf all = { 0 };

                named_fields(FIRST, properties, schema_write, &all);
                message_field(SCHEMA_PROTO_PROPERTIES, &all, out);
        }
        openapi_proto_extensions(SCHEMA_PROTO_EXTENSION, schema, out);
}

static void wrapped_schema(unsigned number, const struct json *schema, struct buf *out) {
        struct buf wrapper = { 0 }, inner = { 0 };

        if (!schema)
                return;
        schema_write(schema, &inner);
        message_field(FIRST, &inner, &wrapper);
        message_field(number, &wrapper, out);
}

/* ---- paths ---- */

static void parameter_write(const struct json *parameter, struct buf *out) {
        struct buf query = { 0 }, non_body = { 0 }, any = { 0 };

        text_field(QUERY_IN, parameter, "in", &query);
        text_field(QUERY_NAME, parameter, "name", &query);
        text_field(QUERY_TYPE, parameter, "type", &query);
        message_field(NON_BODY_QUERY, &query, &non_body);
        message_field(PARAMETER_NON_BODY, &non_body, &any);
        message_field(PARAMETERS_ITEM_PARAMETER, &any, out);
}

static void response_write(const struct json *response, struct buf *out) {
        struct buf inner = { 0 };

        text_field(RESPONSE_DESCRIPTION, response, "description", &inner);
        message_field(RESPONSE_VALUE_RESPONSE, &inner, out);
}

static void path_item_write(const struct json *item, struct buf *out) {
        const struct json *patch = json_get(item, "patch"), *parameter;
        struct json_iter parameters = json_iter(json_get(patch, "parameters"));
        struct buf operation = { 0 }, responses = { 0 };

        while (json_next(&parameters, NULL, &parameter)) {
                struct buf inner = { 0 };

                parameter_write(parameter, &inner);
                message_field(OPERATION_PARAMETERS, &inner, &operation);
        }
        named_fields(RESPONSES_CODE, json_get(patch, "responses"), response_write, &responses);
        message_field(OPERATION_RESPONSES, &responses, &operation);
        openapi_proto_extensions(OPERATION_EXTENSION, patch, &operation);
        message_field(PATH_ITEM_PATCH, &operation, out);
}

static void document_write(const struct json *document, struct buf *out) {
        const struct json *about = json_get(document, "info");
        struct buf info = { 0 }, paths = { 0 }, definitions = { 0 };

        text_field(DOCUMENT_SWAGGER, document, "swagger", out);
        text_field(INFO_TITLE, about, "title", &info);
        text_field(INFO_VERSION, about, "version", &info);
        message_field(DOCUMENT_INFO, &info, out);
        named_fields(PATHS_PATH, json_get(document, "paths"), path_item_write, &paths);
        message_field(DOCUMENT_PATHS, &paths, out);
        named_fields(DEFINITIONS_ITEM, json_get(document, "definitions"), schema_write,
                     &definitions);
        message_field(DOCUMENT_DEFINITIONS, &definitions, out);
}

void openapi_v2_proto_write(struct buf *out) {
        struct json_doc *doc = NULL;
        struct buf text = { 0 };

        openapi_v2_write(&text);
        if (json_parse(buf_view(&text), &doc, NULL) == 0)
                document_write(json_doc_root(doc), out);
        json_doc_free(doc);
        buf_release(&text);
}
