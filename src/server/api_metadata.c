/* Rules of object metadata: names, labels, annotations, owners, finalizers, immutable members. */
#include "server/api_metadata.h"
#include "api/selector.h"

#include "api/dns_name.h"
#include "server/api_context.h"
#include "server/api_store.h"
#include <stdio.h>
#include <stdlib.h>

#define ANNOTATIONS_MAX_BYTES (256 * 1024)
#define GENERATED_SUFFIX 5
#define GENERATED_PREFIX_MAX (63 - GENERATED_SUFFIX)

/* Too long and malformed are different errors; both may apply, the length comes first. */
static const char *length_problem(enum kind_name_rule rule, struct slice name) {
        if (rule == NAME_SUBDOMAIN && name.len > DNS_SUBDOMAIN_MAX)
                return "must be no more than 253 characters";
        if (rule == NAME_LABEL && name.len > DNS_LABEL_MAX)
                return "must be no more than 63 characters";
        return NULL;
}

void generate_name(struct api_engine *engine, struct slice prefix, char *buffer) {
        static const char alphabet[] = "bcdfghjklmnpqrstvwxz2456789";
        size_t length = prefix.len > GENERATED_PREFIX_MAX ? GENERATED_PREFIX_MAX : prefix.len;

        memcpy(buffer, prefix.ptr, length);
        for (size_t i = 0; i < GENERATED_SUFFIX; i++)
                buffer[length++] = alphabet[rng_below(&engine->rng, sizeof(alphabet) - 1)];
        buffer[length] = '\0';
}

static void api_metadata_add(struct field_errors *errors, enum field_error_kind kind,
                             const char *path, struct slice value, const char *detail) {
        struct buf text = { 0 };

        buf_json_string(&text, value);
        field_error_add(errors, kind, path, text.data, detail);
        buf_release(&text);
}

static void check_name(const struct kind_info *kind, const char *path, struct slice name,
                       bool is_prefix, struct field_errors *errors) {
        const char *length = length_problem(kind->name_rule, name);
        const char *problem = name_problem(kind->name_rule, name, is_prefix);

        if (length)
                api_metadata_add(errors, FIELD_INVALID, path, name, length);
        if (problem)
                api_metadata_add(errors, FIELD_INVALID, path, name, problem);
}

static void check_labels(const struct json_node *metadata, struct field_errors *errors) {
        struct node_iter iter = node_iter(node_get(metadata, "labels"));
        struct json_node *value;
        struct slice key;

        while (node_next(&iter, &key, &value)) {
                const char *problem = label_key_problem(key);

                if (problem)
                        api_metadata_add(errors, FIELD_INVALID, "metadata.labels", key, problem);
                problem = label_value_problem(node_get_slice(value));
                if (problem)
                        api_metadata_add(errors, FIELD_INVALID, "metadata.labels",
                                         node_get_slice(value), problem);
        }
}

static void check_annotations(const struct json_node *metadata, struct field_errors *errors) {
        struct node_iter iter = node_iter(node_get(metadata, "annotations"));
        struct json_node *value;
        struct slice key;
        size_t bytes = 0;

        while (node_next(&iter, &key, &value)) {
                const char *problem = label_key_problem(key);

                if (problem)
                        api_metadata_add(errors, FIELD_INVALID, "metadata.annotations", key,
                                         problem);
                bytes += key.len + node_get_slice(value).len;
        }
        if (bytes > ANNOTATIONS_MAX_BYTES)
                field_error_add(errors, FIELD_TOO_LONG, "metadata.annotations", NULL,
                                "may not be more than 262144 bytes");
}

static void check_owner(const struct json_node *owner, struct field_errors *errors) {
        static const char *const members[] = { "apiVersion", "kind", "name", "uid" };
        struct slice version = node_get_text(owner, "apiVersion");
        struct buf text = { 0 };

        for (size_t i = 0; i < ARRAY_LEN(members); i++) {
                char path[64];

                snprintf(path, sizeof(path), "metadata.ownerReferences.%s", members[i]);
                if (node_get_text(owner, members[i]).len == 0)
                        api_metadata_add(errors, FIELD_INVALID, path, SLICE_EMPTY,
                                         i == 0 ? "version must not be empty"
                                                : "must not be empty");
        }
        if (!slice_is(node_get_text(owner, "kind"), "Event") ||
            (!slice_is(version, "v1") && !slice_is(version, "events.k8s.io/v1")))
                return;
        node_write(owner, &text);
        field_error_add(errors, FIELD_INVALID, "metadata.ownerReferences", text.data,
                        slice_is(version, "v1")
                                ? "/v1, Kind=Event is disallowed from being an owner"
                                : "events.k8s.io/v1, Kind=Event is disallowed from being an owner");
        buf_release(&text);
}

static void check_owners(struct arena *arena, const struct json_node *metadata,
                         struct field_errors *errors) {
        const struct json_node *owners = node_get(metadata, "ownerReferences");
        struct node_iter iter = node_iter(owners);
        struct json_node *owner;
        struct slice controller = SLICE_EMPTY;

        while (node_next(&iter, NULL, &owner)) {
                struct buf text = { 0 };

                check_owner(owner, errors);
                if (!node_is_true(node_get(owner, "controller")))
                        continue;
                if (controller.len) {
                        node_write(owners, &text);
                        field_error_add(
                                errors, FIELD_INVALID, "metadata.ownerReferences", text.data,
                                arena_printf(arena,
                                             "Only one reference can have Controller set to true. "
                                             "Found \"true\" in references for " SLICE_FMT
                                             " and " SLICE_FMT,
                                             SLICE_ARG(controller),
                                             SLICE_ARG(node_get_text(owner, "name"))));
                        buf_release(&text);
                        return;
                }
                controller = node_get_text(owner, "name");
        }
}

static bool is_standard_finalizer(struct slice name) {
        return slice_is(name, "kubernetes") || slice_is(name, "orphan") ||
               slice_is(name, "foregroundDeletion");
}

static void check_finalizers(struct arena *arena, const struct json_node *metadata,
                             struct field_errors *errors) {
        struct node_iter iter = node_iter(node_get(metadata, "finalizers"));
        struct json_node *item;
        bool has_orphan = false, has_foreground = false;

        for (size_t i = 0; node_next(&iter, NULL, &item); i++) {
                struct slice name = node_get_slice(item);
                const char *path = arena_printf(arena, "metadata.finalizers[%zu]", i);
                const char *problem = label_key_problem(name);

                has_orphan |= slice_is(name, "orphan");
                has_foreground |= slice_is(name, "foregroundDeletion");
                if (problem)
                        api_metadata_add(errors, FIELD_INVALID, "metadata.finalizers", name,
                                         problem);
                else if (!is_standard_finalizer(name) && !memchr(name.ptr, '/', name.len))
                        api_metadata_add(errors, FIELD_INVALID, path, name,
                                         "name is neither a standard finalizer name nor is it "
                                         "fully qualified");
        }
        if (has_orphan && has_foreground)
                field_error_add(errors, FIELD_INVALID, "metadata.finalizers",
                                "[\"orphan\",\"foregroundDeletion\"]",
                                "finalizer orphan and foregroundDeletion cannot be both set");
}

void validate_metadata(struct api_context *context, const struct api_write *write,
                       struct field_errors *errors) {
        const struct kind_info *kind = write->resource->kind;
        const struct json_node *metadata = node_get(write->object, "metadata");
        struct slice prefix = node_get_text(metadata, "generateName");
        struct slice name = node_get_text(metadata, "name");

        if (prefix.len)
                check_name(kind, "metadata.generateName", prefix, true, errors);
        if (name.len == 0)
                field_error_add(errors, FIELD_REQUIRED, "metadata.name", NULL,
                                "name or generateName is required");
        else
                check_name(kind, "metadata.name", name, false, errors);
        check_labels(metadata, errors);
        check_annotations(metadata, errors);
        check_owners(context->arena, metadata, errors);
        check_finalizers(context->arena, metadata, errors);
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

static void check_new_finalizers(struct arena *arena, const struct json_node *metadata,
                                 const struct json *old, struct field_errors *errors) {
        struct node_iter iter = node_iter(node_get(metadata, "finalizers"));
        const struct json *finalizers = json_get(old, "finalizers");
        struct json_node *item;
        struct buf text = { 0 };

        if (!json_get(old, "deletionTimestamp"))
                return;
        while (node_next(&iter, NULL, &item)) {
                if (json_array_has(finalizers, node_get_slice(item)))
                        continue;
                buf_text(&text, text.len ? ", " : "");
                buf_json_string(&text, node_get_slice(item));
        }
        if (text.len)
                field_error_add(errors, FIELD_FORBIDDEN, "metadata.finalizers", NULL,
                                arena_printf(arena,
                                             "no new finalizers can be added if the object is "
                                             "being deleted, found new finalizers []string{%s}",
                                             text.data));
        buf_release(&text);
}

static void validate_update_once(struct api_context *context, const struct api_write *write,
                                 struct field_errors *errors) {
        const struct json_node *metadata = node_get(write->object, "metadata");
        const struct json *old = json_get(write->old_json, "metadata");

        check_new_finalizers(context->arena, metadata, old, errors);
        check_immutable(metadata, old, "uid", "metadata.uid", errors);
        check_immutable(metadata, old, "deletionTimestamp", "metadata.deletionTimestamp", errors);
        check_immutable(metadata, old, "deletionGracePeriodSeconds",
                        "metadata.deletionGracePeriodSeconds", errors);
        check_labels(metadata, errors);
        check_annotations(metadata, errors);
        check_owners(context->arena, metadata, errors);
        check_finalizers(context->arena, metadata, errors);
}

/* Upstream checks the same twice, generically and per kind, which shows in the list of causes. */
void validate_metadata_update(struct api_context *context, const struct api_write *write,
                              struct field_errors *errors) {
        validate_update_once(context, write, errors);
        if (errors->count)
                validate_update_once(context, write, errors);
}
