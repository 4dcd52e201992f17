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
        field_error_add_each(errors, kind, path, text.data, detail);
        buf_release(&text);
}

/* A name by its rule; without one it need only be a segment of a path. */
static void check_name(const struct kind_info *kind, const char *path, struct slice name,
                       const struct json_node *object, struct field_errors *errors) {
        bool is_prefix = strcmp(path, "metadata.generateName") == 0;
        const char *problem;

        if (!kind)
                problem = segment_problem(name, is_prefix);
        else if (kind->name_of_spec && kind->name_rule == NAME_SEGMENT) /* which looks at both */
                problem = NULL;
        else
                problem = name_problem(kind->name_rule, name, is_prefix);

        if (problem)
                api_metadata_add(errors, FIELD_INVALID, path, name, problem);
        problem =
                kind && kind->name_of_spec ? kind->name_of_spec(errors->arena, object, name) : NULL;
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

static struct slice lower_case(struct arena *arena, struct slice text) {
        char *copy = arena_string(arena, text);

        for (size_t i = 0; i < text.len; i++)
                if (copy[i] >= 'A' && copy[i] <= 'Z')
                        copy[i] = (char)(copy[i] - 'A' + 'a');
        return slice_make(copy, text.len);
}

/* Their keys are like those of labels, whatever the case. */
static void check_annotations(const struct json_node *metadata, struct field_errors *errors) {
        struct node_iter iter = node_iter(node_get(metadata, "annotations"));
        struct json_node *value;
        struct slice key;
        size_t bytes = 0;

        while (node_next(&iter, &key, &value)) {
                const char *problem = label_key_problem(key);

                if (problem)
                        problem = label_key_problem(lower_case(errors->arena, key));
                if (problem)
                        api_metadata_add(errors, FIELD_INVALID, "metadata.annotations", key,
                                         problem);
                bytes += key.len + node_get_slice(value).len;
        }
        if (bytes > ANNOTATIONS_MAX_BYTES)
                field_error_add(errors, FIELD_TOO_LONG, "metadata.annotations", NULL,
                                "may not be more than 262144 bytes");
}

/* An API version with more than one slash has no version. */
static bool has_version(struct slice api_version) {
        struct slice rest = api_version, group;

        if (!slice_split(&rest, '/', &group))
                return false;
        return rest.ptr ? rest.len && !memchr(rest.ptr, '/', rest.len) : api_version.len;
}

static void check_owner(const struct json_node *owner, struct field_errors *errors) {
        static const char *const members[] = { "kind", "name", "uid" };
        struct slice version = node_get_text(owner, "apiVersion");
        struct buf text = { 0 };

        if (!has_version(version))
                api_metadata_add(errors, FIELD_INVALID, "metadata.ownerReferences.apiVersion",
                                 version, "version must not be empty");
        for (size_t i = 0; i < ARRAY_LEN(members); i++) {
                char path[64];

                snprintf(path, sizeof(path), "metadata.ownerReferences.%s", members[i]);
                if (node_get_text(owner, members[i]).len == 0)
                        api_metadata_add(errors, FIELD_INVALID, path, SLICE_EMPTY,
                                         "must not be empty");
        }
        if (!slice_is(node_get_text(owner, "kind"), "Event") || !slice_is(version, "v1"))
                return;
        node_write(owner, &text);
        field_error_add(errors, FIELD_INVALID, "metadata.ownerReferences", text.data,
                        "/v1, Kind=Event is disallowed from being an owner");
        buf_release(&text);
}

/* Members in the order of upstream's type. */
static const char *owners_text(struct arena *arena, const struct json_node *owners) {
        static const char *const members[] = { "apiVersion", "kind",       "name",
                                               "uid",        "controller", "blockOwnerDeletion" };
        CLEANUP(cleanup_json_tree) struct json_tree *tree = json_tree_new();
        CLEANUP(buf_release) struct buf text = { 0 };
        struct json_node *list = node_array(tree), *owner;
        struct node_iter iter = node_iter(owners);

        while (node_next(&iter, NULL, &owner)) {
                struct json_node *ordered = node_object(tree);

                for (size_t i = 0; i < ARRAY_LEN(members); i++)
                        if (node_get(owner, members[i]))
                                node_put(tree, ordered, members[i],
                                         node_clone(tree, node_get(owner, members[i])));
                node_append(list, ordered);
        }
        node_write(list, &text);
        return arena_string(arena, buf_view(&text));
}

static void check_owners(struct arena *arena, const struct json_node *metadata,
                         struct field_errors *errors) {
        const struct json_node *owners = node_get(metadata, "ownerReferences");
        struct node_iter iter = node_iter(owners);
        const char *controller = NULL, *all = NULL;
        struct json_node *owner;

        while (node_next(&iter, NULL, &owner)) {
                const char *name = arena_printf(arena, SLICE_FMT "/" SLICE_FMT,
                                                SLICE_ARG(node_get_text(owner, "kind")),
                                                SLICE_ARG(node_get_text(owner, "name")));

                check_owner(owner, errors);
                if (!node_is_true(node_get(owner, "controller")))
                        continue;
                if (!controller) {
                        controller = name;
                        continue;
                }
                if (!all) {
                        all = owners_text(arena, owners);
                }
                field_error_add(errors, FIELD_INVALID, "metadata.ownerReferences", all,
                                arena_printf(arena,
                                             "Only one reference can have Controller set to true. "
                                             "Found \"true\" in references for %s and %s",
                                             controller, name));
        }
}

static bool is_standard_finalizer(struct slice name) {
        return slice_is(name, "kubernetes") || slice_is(name, "orphan") ||
               slice_is(name, "foregroundDeletion");
}

static void check_finalizers(const struct json_node *metadata, struct field_errors *errors) {
        struct node_iter iter = node_iter(node_get(metadata, "finalizers"));
        bool has_orphan = false, has_foreground = false;
        struct json_node *item;
        struct buf text = { 0 };

        while (node_next(&iter, NULL, &item)) {
                struct slice name = node_get_slice(item);
                const char *problem = label_key_problem(name);

                has_orphan |= slice_is(name, "orphan");
                has_foreground |= slice_is(name, "foregroundDeletion");
                if (problem)
                        api_metadata_add(errors, FIELD_INVALID, "metadata.finalizers", name,
                                         problem);
        }
        if (!has_orphan || !has_foreground)
                return;
        node_write(node_get(metadata, "finalizers"), &text);
        field_error_add(errors, FIELD_INVALID, "metadata.finalizers", text.data,
                        "finalizer orphan and foregroundDeletion cannot be both set");
        buf_release(&text);
}

/* Finalizers without a domain are Kubernetes' own. */
static void check_finalizer_domains(const struct json_node *metadata, struct field_errors *errors) {
        struct node_iter iter = node_iter(node_get(metadata, "finalizers"));
        struct json_node *item;

        for (size_t i = 0; node_next(&iter, NULL, &item); i++) {
                struct slice name = node_get_slice(item);

                if (!is_standard_finalizer(name) && !memchr(name.ptr, '/', name.len))
                        api_metadata_add(
                                errors, FIELD_INVALID,
                                arena_printf(errors->arena, "metadata.finalizers[%zu]", i), name,
                                "name is neither a standard finalizer name nor is it fully "
                                "qualified");
        }
}

static void check_generation(const struct json_node *metadata, struct field_errors *errors) {
        int64_t generation = node_get_i64(metadata, "generation", 0);

        if (generation < 0)
                field_error_add(errors, FIELD_INVALID, "metadata.generation",
                                arena_printf(errors->arena, "%lld", (long long)generation),
                                "must be greater than or equal to 0");
}

/* What created objects must keep to. kind: whose rule its name follows; NULL = none. */
static void validate_created(struct api_context *context, const struct json_node *object,
                             const struct kind_info *kind, struct field_errors *errors) {
        const struct json_node *metadata = node_get(object, "metadata");
        struct slice prefix = node_get_text(metadata, "generateName");
        struct slice name = node_get_text(metadata, "name");

        if (prefix.len)
                check_name(kind, "metadata.generateName", prefix, object, errors);
        if (name.len == 0)
                field_error_add(errors, FIELD_REQUIRED, "metadata.name", NULL,
                                "name or generateName is required");
        else
                check_name(kind, "metadata.name", name, object, errors);
        check_generation(metadata, errors);
        check_labels(metadata, errors);
        check_annotations(metadata, errors);
        check_owners(context->arena, metadata, errors);
        check_finalizers(metadata, errors);
}

void validate_metadata(struct api_context *context, const struct api_write *write,
                       struct field_errors *errors) {
        const struct kind_info *kind = write->resource->kind;
        const char *rules = kind_metadata_rules(kind)->create;

        validate_created(context, write->object, *rules ? kind : NULL, errors);
        if (*rules == 'C')
                check_finalizer_domains(node_get(write->object, "metadata"), errors);
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
        check_labels(metadata, errors);
        check_annotations(metadata, errors);
        check_owners(context->arena, metadata, errors);
}

/* Upstream goes through the same rules for all kinds and once more for each kind, which shows in
 * the list of causes. */
size_t validate_metadata_update(struct api_context *context, const struct api_write *write,
                                struct field_errors *errors) {
        const struct json_node *metadata = node_get(write->object, "metadata");

        validate_created(context, write->object, NULL, errors);
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
                        validate_created(context, write->object, write->resource->kind, errors);
                if (*rule == 'U' || *rule == 'C')
                        check_finalizer_domains(metadata, errors);
        }
        return general;
}
