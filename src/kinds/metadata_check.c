/* Rules of the metadata of any object: names, labels, annotations, owners, finalizers. */
#include "kinds/metadata_check.h"

#include "api/dns_name.h"
#include "api/selector.h"
#include "base/arena.h"
#include "base/go_quote.h"
#include "base/util.h"
#include <stdio.h>

#define ANNOTATIONS_MAX_BYTES (256 * 1024)

static void metadata_complain(struct field_errors *errors, enum field_error_kind kind,
                              const char *path, struct slice value, const char *detail) {
        struct buf text = { 0 };

        go_quote_write(value, &text);
        field_error_add_each(errors, kind, path, text.data, detail);
        buf_release(&text);
}

/* Names that upstream checks by what their type says are measured in bytes. */
static const char *in_bytes(struct arena *arena, const char *problem) {
        static const char unit[] = " characters", long_text[] = "must be no more than 253";
        const char *at = strstr(problem, long_text);

        if (!at)
                return problem;
        at += strlen(long_text);
        return arena_printf(arena, "%.*s bytes%s", (int)(at - problem), problem, at + strlen(unit));
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
        if (problem && kind && kind->has_free_prefix)
                problem = in_bytes(errors->arena, problem);

        if (problem)
                metadata_complain(errors, FIELD_INVALID, path, name, problem);
        problem =
                kind && kind->name_of_spec ? kind->name_of_spec(errors->arena, object, name) : NULL;
        if (problem)
                metadata_complain(errors, FIELD_INVALID, path, name, problem);
}

void metadata_check_labels(const struct json_node *metadata, struct field_errors *errors) {
        struct node_iter iter = node_iter(node_get(metadata, "labels"));
        struct json_node *value;
        struct slice key;

        while (node_next(&iter, &key, &value)) {
                const char *problem = label_key_problem(key);

                if (problem)
                        metadata_complain(errors, FIELD_INVALID, "metadata.labels", key, problem);
                problem = label_value_problem(node_get_slice(value));
                if (problem)
                        metadata_complain(errors, FIELD_INVALID, "metadata.labels",
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
void metadata_check_annotations(const struct json_node *metadata, struct field_errors *errors) {
        struct node_iter iter = node_iter(node_get(metadata, "annotations"));
        struct json_node *value;
        struct slice key;
        size_t bytes = 0;

        while (node_next(&iter, &key, &value)) {
                const char *problem = label_key_problem(key);

                if (problem)
                        problem = label_key_problem(lower_case(errors->arena, key));
                if (problem)
                        metadata_complain(errors, FIELD_INVALID, "metadata.annotations", key,
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
                metadata_complain(errors, FIELD_INVALID, "metadata.ownerReferences.apiVersion",
                                  version, "version must not be empty");
        for (size_t i = 0; i < ARRAY_LEN(members); i++) {
                char path[64];

                snprintf(path, sizeof(path), "metadata.ownerReferences.%s", members[i]);
                if (node_get_text(owner, members[i]).len == 0)
                        metadata_complain(errors, FIELD_INVALID, path, SLICE_EMPTY,
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

void metadata_check_owners(const struct json_node *metadata, struct field_errors *errors) {
        struct arena *arena = errors->arena;
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
                        metadata_complain(errors, FIELD_INVALID, "metadata.finalizers", name,
                                          problem);
        }
        if (!has_orphan || !has_foreground)
                return;
        node_write(node_get(metadata, "finalizers"), &text);
        field_error_add(errors, FIELD_INVALID, "metadata.finalizers", text.data,
                        "finalizer orphan and foregroundDeletion cannot be both set");
        buf_release(&text);
}

bool finalizer_lacks_domain(struct slice name) {
        return !slice_is(name, "kubernetes") && !slice_is(name, "orphan") &&
               !slice_is(name, "foregroundDeletion") &&
               !(name.len && memchr(name.ptr, '/', name.len));
}

void metadata_check_finalizer_domains(const struct json_node *metadata,
                                      struct field_errors *errors) {
        struct node_iter iter = node_iter(node_get(metadata, "finalizers"));
        struct json_node *item;

        for (size_t i = 0; node_next(&iter, NULL, &item); i++) {
                struct slice name = node_get_slice(item);

                if (finalizer_lacks_domain(name))
                        metadata_complain(
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

/* Of an embedded object, which need not have a name, but may have a namespace. */
static void check_namespace(const struct json_node *metadata, struct field_errors *errors) {
        struct slice name = node_get_text(metadata, "namespace");
        const char *problem = name.len ? dns_label_problems(name) : NULL;

        if (problem)
                metadata_complain(errors, FIELD_INVALID, "metadata.namespace", name, problem);
}

/* ---- who wrote fields ---- */

#define MANAGER_MAX_BYTES 128
#define SUBRESOURCE_MAX_BYTES 256

static void complain_of_length(struct field_errors *errors, const char *path, int max) {
        field_error_add(errors, FIELD_TOO_LONG, path, NULL,
                        arena_printf(errors->arena, "may not be more than %d bytes", max));
}

void metadata_check_manager(const char *path, struct slice manager, struct field_errors *errors) {
        size_t length;
        uint32_t rune;

        if (manager.len > MANAGER_MAX_BYTES)
                complain_of_length(errors, path, MANAGER_MAX_BYTES);
        for (size_t i = 0; i < manager.len && !field_errors_are_full(errors); i += length)
                if (!go_rune_prints(slice_make(manager.ptr + i, manager.len - i), &length, &rune))
                        metadata_complain(errors, FIELD_INVALID, path, manager,
                                          arena_printf(errors->arena,
                                                       "invalid character U+%04X (at position %zu)",
                                                       rune, i));
}

/* Nearly all are; only of others the place is said. */
static bool is_plain_manager(struct slice manager) {
        for (size_t i = 0; i < manager.len; i++)
                if (manager.ptr[i] < ' ' || manager.ptr[i] > '~')
                        return false;
        return manager.len <= MANAGER_MAX_BYTES;
}

static const char *managed_path(struct field_errors *errors, size_t index, const char *member) {
        return arena_printf(errors->arena, "metadata.managedFields[%zu].%s", index, member);
}

void metadata_check_managers(const struct json_node *metadata, struct field_errors *errors) {
        struct node_iter iter = node_iter(node_get(metadata, "managedFields"));
        struct json_node *entry;

        for (size_t i = 0; node_next(&iter, NULL, &entry); i++) {
                struct slice manager = node_get_text(entry, "manager");

                if (!is_plain_manager(manager))
                        metadata_check_manager(managed_path(errors, i, "manager"), manager, errors);
                if (node_get_text(entry, "subresource").len > SUBRESOURCE_MAX_BYTES)
                        complain_of_length(errors, managed_path(errors, i, "subresource"),
                                           SUBRESOURCE_MAX_BYTES);
        }
}

/* ---- the whole ---- */

void metadata_check_prefix(const struct json_node *object, struct field_errors *errors) {
        struct slice prefix = node_get_text(node_get(object, "metadata"), "generateName");

        if (prefix.len)
                check_name(NULL, "metadata.generateName", prefix, object, errors);
}

void metadata_check(const struct json_node *object, const struct kind_info *kind, bool is_embedded,
                    struct field_errors *errors) {
        const struct json_node *metadata = node_get(object, "metadata");
        struct slice prefix = node_get_text(metadata, "generateName");
        struct slice name = node_get_text(metadata, "name");

        if (prefix.len && !(kind && kind->has_free_prefix))
                check_name(kind, "metadata.generateName", prefix, object, errors);
        if (name.len)
                check_name(kind, "metadata.name", name, object, errors);
        else if (!is_embedded)
                field_error_add(errors, FIELD_REQUIRED, "metadata.name", NULL,
                                "name or generateName is required");
        if (is_embedded)
                check_namespace(metadata, errors);
        check_generation(metadata, errors);
        metadata_check_labels(metadata, errors);
        metadata_check_annotations(metadata, errors);
        metadata_check_owners(metadata, errors);
        check_finalizers(metadata, errors);
        metadata_check_managers(metadata, errors);
}
