/* Label and field selectors of lists and watches. */
#include "server/api_context.h"
#include "server/api_failure.h"
#include "server/api_list.h"
#include <stdio.h>

static bool is_listed(const char *const *names, struct slice key) {
        for (size_t i = 0; names && names[i]; i++) {
                if (slice_is(key, names[i]))
                        return true;
        }
        return false;
}

static bool is_key(struct slice key) {
        return slice_is(key, "metadata.name") || slice_is(key, "metadata.namespace");
}

/* Kinds without a table of their own know the namespace also where they have none. */
static bool is_key_of(struct slice key, const struct kind_info *kind) {
        bool has_namespace = (kind->flags & KIND_NAMESPACED) || !kind->has_own_field_table;

        return is_key(key) && (has_namespace || slice_is(key, "metadata.name"));
}

static int check_fields(struct api_context *context, const struct kind_info *kind,
                        const struct field_selector *fields) {
        for (size_t i = 0; i < fields->count; i++) {
                struct slice key = fields->terms[i].key;

                if (is_key_of(key, kind) || is_listed(kind->field_selectors, key))
                        continue;
                if (strcmp(kind->plural, "jobs") == 0)
                        return fail_bad_request(
                                context, "field label \"" SLICE_FMT "\" not supported for %s",
                                SLICE_ARG(key), kind->kind);
                if (strcmp(kind->plural, "resourceslices") == 0)
                        return fail_bad_request(
                                context, "field label not supported for %s/%s, Kind=%s: " SLICE_FMT,
                                kind->group, kind->version, kind->kind, SLICE_ARG(key));
                if (kind->has_own_field_table)
                        return fail_bad_request(context, "field label not supported: " SLICE_FMT,
                                                SLICE_ARG(key));
                return fail_bad_request(context,
                                        "\"" SLICE_FMT "\" is not a known field selector: only "
                                        "\"metadata.name\", \"metadata.namespace\"",
                                        SLICE_ARG(key));
        }
        return 0;
}

int selection_parse(struct api_context *context, const struct api_resource *resource,
                    struct slice labels, struct slice fields, struct arena *arena,
                    struct selection *ret_selection) {
        struct selection selection = { 0 };
        struct err err = { 0 };

        labels = arena_slice(arena, labels);
        fields = arena_slice(arena, fields);
        if (labels.len && selector_parse(labels, arena, &selection.labels, &err) < 0)
                return fail_bad_request(context, "%s", err.text);
        if (fields.len && field_selector_parse(fields, arena, &selection.fields, &err) < 0)
                return fail_bad_request(context, "%s", err.text);
        if (check_fields(context, resource->kind, &selection.fields) < 0)
                return API_FAILED;
        for (size_t i = 0; i < selection.fields.count; i++) {
                const struct field_term *term = &selection.fields.terms[i];

                if (slice_is(term->key, "metadata.name") && !term->is_not_equal)
                        selection.only_name = term->value;
        }
        selection.is_all = selector_is_empty(&selection.labels) && selection.fields.count == 0;
        *ret_selection = selection;
        return 0;
}

/* Follows the dotted path; booleans and numbers as text. */
static struct slice path_value(const struct json *object, struct slice path, char *buffer) {
        const struct json *value = object;
        struct slice key;
        int64_t number;

        while (slice_split(&path, '.', &key))
                value = json_get_slice(value, key);
        switch (json_type(value)) {
        case JSON_STRING:
                return json_text(value);
        case JSON_BOOL:
                return json_is_true(value) ? SLICE_LITERAL("true") : SLICE_LITERAL("false");
        case JSON_INT:
                if (json_as_i64(value, &number))
                        return slice_make(buffer,
                                          (size_t)snprintf(buffer, 32, "%lld", (long long)number));
                break;
        default:
                break;
        }
        return SLICE_EMPTY;
}

static struct slice field_value(const struct api_resource *resource, const struct json *object,
                                struct slice key, char *buffer) {
        if (resource->kind->field_value)
                return resource->kind->field_value(object, key, buffer);
        return path_value(object, key, buffer);
}

/* Terms over the object's key need no JSON; *ret_needs_json: there are others. */
static bool key_terms_match(const struct selection *selection, const struct store_object *object,
                            bool *ret_needs_json) {
        *ret_needs_json = false;
        for (size_t i = 0; i < selection->fields.count; i++) {
                const struct field_term *term = &selection->fields.terms[i];
                struct slice value;

                if (slice_is(term->key, "metadata.name")) {
                        value = store_object_name(object);
                } else if (slice_is(term->key, "metadata.namespace")) {
                        value = store_object_ns(object);
                } else {
                        *ret_needs_json = true;
                        continue;
                }
                if (slice_eq(value, term->value) == term->is_not_equal)
                        return false;
        }
        return true;
}

static bool other_terms_match(struct api_engine *engine, const struct api_resource *resource,
                              const struct selection *selection,
                              const struct store_object *object) {
        const struct json *json = json_cache_get(&engine->cache, object);
        char buffer[256];

        for (size_t i = 0; i < selection->fields.count; i++) {
                const struct field_term *term = &selection->fields.terms[i];

                if (is_key(term->key))
                        continue;
                if (slice_eq(field_value(resource, json, term->key, buffer), term->value) ==
                    term->is_not_equal)
                        return false;
        }
        return true;
}

#define METADATA_FIRST "{\"metadata\":"

/* Reads no more of a body than its metadata, which is what it begins with. */
static bool labels_match(struct api_engine *engine, const struct selector *selector,
                         const struct store_object *object, struct arena *scratch) {
        CLEANUP(cleanup_json_doc) struct json_doc *doc = NULL;
        struct slice body = store_object_body(object), first = SLICE_LITERAL(METADATA_FIRST);
        const struct json *metadata;
        size_t used;

        if (slice_has_prefix(body, first) &&
            json_parse_prefix(slice_make(body.ptr + first.len, body.len - first.len), &doc, &used,
                              NULL) == 0)
                metadata = json_doc_root(doc);
        else
                metadata = json_get(json_cache_get(&engine->cache, object), "metadata");
        return selector_matches(selector, label_list_decode(json_get(metadata, "labels"), scratch));
}

bool selection_matches(struct api_engine *engine, const struct api_resource *resource,
                       const struct selection *selection, const struct store_object *object,
                       struct arena *scratch) {
        bool needs_json;

        if (selection->is_all)
                return true;
        if (!key_terms_match(selection, object, &needs_json) ||
            (needs_json && !other_terms_match(engine, resource, selection, object)))
                return false;
        return selector_is_empty(&selection->labels) ||
               labels_match(engine, &selection->labels, object, scratch);
}
