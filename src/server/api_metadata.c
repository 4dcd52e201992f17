/* Rules of object metadata, by kind and operation: which are looked at, what may not change;
 * generated names. */
#include "server/api_metadata.h"

#include "kinds/metadata_check.h"
#include "server/api_context.h"
#include "server/api_store.h"
#include <stdio.h>
#include <stdlib.h>

#define GENERATED_SUFFIX 5
#define GENERATED_PREFIX_MAX (63 - GENERATED_SUFFIX)

void generate_name(struct api_engine *engine, struct slice prefix, char *buffer) {
        static const char alphabet[] = "bcdfghjklmnpqrstvwxz2456789";
        size_t length = prefix.len > GENERATED_PREFIX_MAX ? GENERATED_PREFIX_MAX : prefix.len;

        memcpy(buffer, prefix.ptr, length);
        for (size_t i = 0; i < GENERATED_SUFFIX; i++)
                buffer[length++] = alphabet[rng_below(&engine->rng, sizeof(alphabet) - 1)];
        buffer[length] = '\0';
}

void validate_metadata(const struct api_write *write, struct field_errors *errors) {
        const struct kind_info *kind = write->resource->kind;
        const char *rules = kind_metadata_rules(kind)->create;

        metadata_check(write->object, *rules ? kind : NULL, false, errors);
        if ((kind->flags & KIND_NAMESPACED) && write->ns.len == 0)
                field_error_add(errors, FIELD_REQUIRED, "metadata.namespace", NULL, NULL);
        if (*rules == 'C')
                metadata_check_finalizer_domains(node_get(write->object, "metadata"), errors);
}

/* ---- updates ---- */

static void check_immutable(const struct json_node *metadata, const struct json *old,
                            const char *member, const char *path, struct field_errors *errors) {
        const struct json_node *value = node_get(metadata, member);
        struct buf now = { 0 }, before = { 0 };

        if (value) {
                node_write(value, &now);
                json_write(json_get(old, member), &before);
                if (!slice_eq(buf_view(&now), buf_view(&before)))
                        field_error_add(errors, FIELD_INVALID, path, now.data,
                                        "field is immutable");
        }
        buf_release(&now);
        buf_release(&before);
}

static int compare_names(const void *a, const void *b) {
        return slice_compare(*(const struct slice *)a, *(const struct slice *)b);
}

static void check_new_finalizers(struct arena *arena, const struct json_node *metadata,
                                 const struct json *old, struct field_errors *errors) {
        const struct json_node *given = node_get(metadata, "finalizers");
        struct node_iter iter = node_iter(given);
        const struct json *finalizers = json_get(old, "finalizers");
        struct slice *added = ARENA_ARRAY(arena, struct slice, node_count(given) + 1);
        struct json_node *item;
        struct buf text = { 0 };
        size_t count = 0;

        if (!json_get(old, "deletionTimestamp"))
                return;
        while (node_next(&iter, NULL, &item))
                if (!json_array_has(finalizers, node_get_slice(item)))
                        added[count++] = node_get_slice(item);
        qsort(added, count, sizeof(*added), compare_names);
        for (size_t i = 0; i < count; i++) {
                if (i && slice_eq(added[i], added[i - 1]))
                        continue;
                buf_text(&text, i ? ", " : "");
                buf_json_string(&text, added[i]);
        }
        if (text.len)
                field_error_add(errors, FIELD_FORBIDDEN, "metadata.finalizers", NULL,
                                arena_printf(arena,
                                             "no new finalizers can be added if the object is "
                                             "being deleted, found new finalizers []string{%s}",
                                             text.data));
        buf_release(&text);
}

static void validate_updated(struct api_context *context, const struct api_write *write,
                             struct field_errors *errors) {
        const struct json_node *metadata = node_get(write->object, "metadata");
        const struct json *old = json_get(write->old_json, "metadata");

        check_new_finalizers(context->arena, metadata, old, errors);
        check_immutable(metadata, old, "uid", "metadata.uid", errors);
        check_immutable(metadata, old, "deletionTimestamp", "metadata.deletionTimestamp", errors);
        check_immutable(metadata, old, "deletionGracePeriodSeconds",
                        "metadata.deletionGracePeriodSeconds", errors);
        metadata_check_labels(metadata, errors);
        metadata_check_annotations(metadata, errors);
        metadata_check_owners(metadata, errors);
        metadata_check_managers(metadata, errors);
}

/* Upstream goes through the same rules for all kinds and once more for each kind, which shows in
 * the list of causes. */
size_t validate_metadata_update(struct api_context *context, const struct api_write *write,
                                struct field_errors *errors) {
        const struct json_node *metadata = node_get(write->object, "metadata");

        metadata_check(write->object, NULL, false, errors);
        validate_updated(context, write, errors);
        size_t general = errors->count;
        if (!general && !node_get(metadata, "finalizers") && !node_get(metadata, "generateName"))
                return 0; /* the others find no more */
        const struct metadata_rules *rules = kind_metadata_rules(write->resource->kind);
        const char *rule = write->operation == KIND_UPDATE_STATUS ? rules->status : rules->update;
        for (; *rule; rule++) {
                if (*rule == 'u' || *rule == 'U')
                        validate_updated(context, write, errors);
                else
                        metadata_check(write->object, write->resource->kind, false, errors);
                if (*rule == 'U' || *rule == 'C')
                        metadata_check_finalizer_domains(metadata, errors);
        }
        return general;
}
