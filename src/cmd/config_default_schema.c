/* Walks the schema of a definition. */
#include "cmd/config_default_schema.h"

#include "api/json.h"
#include "base/util.h"
#include "config/document.h"
#include "config/field_template.h"
#include "evict/eviction_crds.h"
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define PATH_MAX_BYTES 256
#define TYPE_BYTES 512

struct schema_walk {
        struct field_template *template;
        const char *kind;
        char path[PATH_MAX_BYTES]; /* of the property at hand */
};

/* Values for what must be given, where the schema alone does not lead to a good object. */
static const struct {
        const char *kind, *path, *value;
} samples[] = {
        { "EvictionPolicy", "spec.selector.matchLabels", "{app: example}" },
        { "EvictionPolicy", "spec.stages.name", "evict" },
        { "EvictionPolicy", "spec.stages.kind", "evict" },
        { "EvictionRequest", "spec.target.pod.name", "example" },
        { "EvictionRequest", "spec.target.pod.uid", "00000000-0000-0000-0000-000000000000" },
        { "EvictionRequest", "spec.requester", "example.com/me" },
        { "Eviction", "spec.target.pod.name", "example" },
        { "Eviction", "spec.target.pod.uid", "00000000-0000-0000-0000-000000000000" },
};

static const char *sample_of(const struct schema_walk *walk) {
        for (size_t i = 0; i < ARRAY_LEN(samples); i++)
                if (strcmp(samples[i].kind, walk->kind) == 0 &&
                    strcmp(samples[i].path, walk->path) == 0)
                        return samples[i].value;
        return NULL;
}

/* ---- text ---- */

static void write_enum(const struct json *values, struct buf *out) {
        struct json_iter iter = json_iter(values);
        const struct json *value;

        buf_text(out, "one of");
        while (json_next(&iter, NULL, &value)) {
                buf_printf(out, "%s " SLICE_FMT, iter.index == 1 ? "" : ",",
                           SLICE_ARG(json_text(value)));
        }
}

static void write_about(struct schema_walk *walk, const struct json *schema, bool is_required) {
        CLEANUP(buf_release) struct buf type = { 0 };
        struct slice about = json_get_text(schema, "description");
        int64_t min, max;

        if (json_get(schema, "enum"))
                write_enum(json_get(schema, "enum"), &type);
        else
                buf_slice(&type, json_get_text(schema, "type"));
        if (json_as_i64(json_get(schema, "minimum"), &min))
                buf_printf(&type, " from %" PRId64, min);
        if (json_as_i64(json_get(schema, "maximum"), &max))
                buf_printf(&type, " to %" PRId64, max);
        if (json_get(schema, "properties") || json_get(schema, "items"))
                buf_clear(&type);
        field_template_text(walk->template, SLICE_FMT "%s%s%s%s", SLICE_ARG(about),
                            type.len ? " (" : "", type.len ? type.data : "", type.len ? ")" : "",
                            is_required ? " (required)" : "");
}

/* ---- values ---- */

static const char *empty_value(const struct json *schema) {
        struct slice type = json_get_text(schema, "type");

        if (slice_is(type, "object"))
                return "{}";
        if (slice_is(type, "array"))
                return "[]";
        if (slice_is(type, "boolean"))
                return "false";
        return slice_is(type, "string") ? "\"\"" : "0";
}

static void write_properties(struct schema_walk *walk, const struct json *schema);

static void write_value(struct schema_walk *walk, struct slice name, const struct json *schema) {
        struct field_template *template = walk->template;
        const struct json *items = json_get(schema, "items");
        const struct json *inner = json_get(items ? items : schema, "properties");
        const struct json *choices = json_get(schema, "enum");
        const char *sample = sample_of(walk);

        if (sample) {
                field_template_setting(template, SLICE_FMT ": %s", SLICE_ARG(name), sample);
        } else if (inner) {
                field_template_setting(template, SLICE_FMT ":", SLICE_ARG(name));
                template->begins_item = items;
                template->indent += 2;
                write_properties(walk, items ? items : schema);
                template->indent -= 2;
        } else if (choices) {
                field_template_setting(template, SLICE_FMT ": " SLICE_FMT, SLICE_ARG(name),
                                       SLICE_ARG(json_text(json_at(choices, 0))));
        } else {
                field_template_setting(template, SLICE_FMT ": %s", SLICE_ARG(name),
                                       empty_value(schema));
        }
}

static void write_property(struct schema_walk *walk, struct slice name, const struct json *schema,
                           bool is_required) {
        size_t length = strlen(walk->path);
        unsigned comment = walk->template->comment;

        snprintf(walk->path + length, sizeof(walk->path) - length, "%s" SLICE_FMT,
                 length ? "." : "", SLICE_ARG(name));
        write_about(walk, schema, is_required);
        if (!is_required && !sample_of(walk))
                comment = field_template_suspend(walk->template);
        write_value(walk, name, schema);
        field_template_resume(walk->template, comment);
        walk->path[length] = '\0';
}

static void write_properties(struct schema_walk *walk, const struct json *schema) {
        struct json_iter iter = json_iter(json_get(schema, "properties"));
        const struct json *required = json_get(schema, "required"), *property;
        struct slice name;

        while (json_next(&iter, &name, &property))
                write_property(walk, name, property, json_array_has(required, name));
}

/* ---- objects ---- */

static void write_object(struct field_template *template, const struct json *definition,
                         const char *kind) {
        const struct json *spec = json_get(definition, "spec");
        const struct json *version = json_at(json_get(spec, "versions"), 0);
        const struct json *schema = json_get(json_get(version, "schema"), "openAPIV3Schema");
        struct schema_walk walk = { .template = template, .kind = kind };

        field_template_text(template, SLICE_FMT, SLICE_ARG(json_get_text(schema, "description")));
        field_template_setting(template, "apiVersion: " SLICE_FMT "/" SLICE_FMT,
                               SLICE_ARG(json_get_text(spec, "group")),
                               SLICE_ARG(json_get_text(version, "name")));
        field_template_setting(template, "kind: %s", kind);
        field_template_setting(template, "metadata:");
        template->indent += 2;
        field_template_setting(template, "name: example");
        field_template_setting(template, "namespace: default");
        template->indent -= 2;
        write_property(&walk, SLICE_LITERAL("spec"),
                       json_get(json_get(schema, "properties"), "spec"), true);
}

void config_default_schema(struct field_template *template, const char *kind) {
        for (const struct embedded_text *text = eviction_crds; text->text; text++) {
                CLEANUP(cleanup_document) struct document *document = NULL;

                if (document_read(slice_make(text->text, text->size), "definition", &document,
                                  NULL) < 0)
                        continue;
                const struct json *names =
                        json_get(json_get(document_root(document), "spec"), "names");
                if (slice_is(json_get_text(names, "kind"), kind))
                        write_object(template, document_root(document), kind);
        }
}
