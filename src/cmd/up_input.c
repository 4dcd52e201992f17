/* Reads what berth up is given and creates it in the embedded cluster. */
#include "cmd/up_input.h"

#include "base/map.h"
#include "base/util.h"
#include "cmd/file_text.h"
#include "run/sandbox_import.h"
#include "sim/trace_openb.h"
#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define INPUT_FILES_MAX 10000
#define INPUT_LIST_DEPTH_MAX 4

/* Kinds that others refer to are created first; pods last. */
static const struct {
        const char *kind;
        int rank;
} ranks[] = {
        { "CustomResourceDefinition", 0 },
        { "Namespace", 1 },
        { "PriorityClass", 2 },
        { "StorageClass", 2 },
        { "Node", 3 },
        { "PersistentVolume", 4 },
        { "PersistentVolumeClaim", 5 },
        { "PodDisruptionBudget", 6 },
        { "Pod", 9 },
};
#define RANK_OTHER 7

static int rank_of(const struct json *object) {
        for (size_t i = 0; i < ARRAY_LEN(ranks); i++)
                if (slice_is(json_get_text(object, "kind"), ranks[i].kind))
                        return ranks[i].rank;
        return RANK_OTHER;
}

void up_input_init(struct up_input *input) {
        *input = (struct up_input){ 0 };
        arena_init(&input->arena, 0);
}

void up_input_release(struct up_input *input) {
        for (size_t i = 0; i < input->document_count; i++)
                document_free(input->documents[i]);
        free(input->documents);
        free(input->objects);
        arena_release(&input->arena);
}

static void add_object(struct up_input *input, const struct input_object *object) {
        if (input->object_count == input->object_cap) {
                input->object_cap = input->object_cap ? input->object_cap * 2 : 64;
                input->objects =
                        xreallocarray(input->objects, input->object_cap, sizeof(*input->objects));
        }
        input->objects[input->object_count++] = *object;
}

static void keep_document(struct up_input *input, struct document *document) {
        if (input->document_count == input->document_cap) {
                input->document_cap = input->document_cap ? input->document_cap * 2 : 16;
                input->documents = xreallocarray(input->documents, input->document_cap,
                                                 sizeof(struct document *));
        }
        input->documents[input->document_count++] = document;
}

static int add_scenario(struct up_input *input, const struct document *document,
                        const struct json *object, struct err *err) {
        struct config_problems *problems;
        struct field_reader reader = { .document = document, .arena = &input->arena };
        int code;

        if (input->has_scenario) {
                err_set(err, BERTH_ERR_INVALID, "expected one Scenario, found another");
                document_locate(document, object, err);
                return BERTH_ERR_INVALID;
        }
        problems = config_problems_new();
        reader.problems = problems;
        input->has_scenario = scenario_decode(&reader, object, &input->scenario);
        code = config_problems_to_err(problems, err);
        config_problems_free(problems);
        return code;
}

static int refuse(const struct document *document, const struct json *object, const char *expected,
                  struct err *err) {
        err_set(err, BERTH_ERR_INVALID, "expected %s, found %s", expected,
                json_type_name(json_type(object)));
        document_locate(document, object, err);
        return BERTH_ERR_INVALID;
}

/* kind List, PodList ...: the items of typed lists may leave out kind and apiVersion. */
static bool is_list(const struct json *object) {
        struct slice kind = json_get_text(object, "kind");

        return slice_has_suffix(kind, SLICE_LITERAL("List")) &&
               json_type(json_get(object, "items")) == JSON_ARRAY;
}

static struct slice with_kind(struct up_input *input, const struct json *item,
                              const struct json *list) {
        CLEANUP(buf_release) struct buf text = { 0 };
        struct slice kind = json_get_text(list, "kind");
        struct json_tree *tree = json_tree_new();
        struct json_node *root = node_object(tree);
        struct json_iter iter = json_iter(item);
        const struct json *value;
        struct slice key;

        node_put_text(tree, root, "apiVersion", json_get_text(list, "apiVersion"));
        node_put_text(tree, root, "kind", slice_make(kind.ptr, kind.len - strlen("List")));
        while (json_next(&iter, &key, &value))
                node_set(tree, root, key, node_import(tree, value));
        node_write(root, &text);
        json_tree_free(tree);
        return arena_slice(&input->arena, buf_view(&text));
}

static int add_value(struct up_input *input, const struct document *document,
                     const struct json *object, unsigned depth, struct err *err);

static int add_items(struct up_input *input, const struct document *document,
                     const struct json *list, unsigned depth, struct err *err) {
        struct json_iter iter = json_iter(json_get(list, "items"));
        const struct json *item;

        while (json_next(&iter, NULL, &item)) {
                if (json_type(item) == JSON_OBJECT && !json_get(item, "kind")) {
                        struct input_object one = { .text = with_kind(input, item, list),
                                                    .document = document,
                                                    .file = document_file(document),
                                                    .rank = RANK_OTHER };

                        one.rank = slice_is(json_get_text(list, "kind"), "NodeList") ? 3 : 9;
                        add_object(input, &one);
                } else if (add_value(input, document, item, depth + 1, err) < 0) {
                        return err->code;
                }
        }
        return 0;
}

static int add_value(struct up_input *input, const struct document *document,
                     const struct json *object, unsigned depth, struct err *err) {
        if (json_type(object) != JSON_OBJECT || depth > INPUT_LIST_DEPTH_MAX)
                return refuse(document, object, "a Kubernetes object", err);
        if (is_list(object))
                return add_items(input, document, object, depth, err);
        if (scenario_is(object)) {
                input->scenario_document = document;
                return add_scenario(input, document, object, err);
        }
        if (slice_is(json_get_text(object, "kind"), "DeschedulerPolicy")) {
                input->policy_document = document;
                return 0;
        }
        if (slice_is(json_get_text(object, "kind"), "KubeSchedulerConfiguration")) {
                input->config_document = document;
                return 0;
        }
        if (!json_get_text(object, "kind").len || !json_get_text(object, "apiVersion").len) {
                err_set(err, BERTH_ERR_INVALID,
                        "expected a Kubernetes object with apiVersion and kind");
                document_locate(document, object, err);
                return BERTH_ERR_INVALID;
        }
        add_object(input, &(struct input_object){ .object = object,
                                                  .document = document,
                                                  .file = document_file(document),
                                                  .rank = rank_of(object) });
        return 0;
}

static int add_file(struct up_input *input, const char *path, struct err *err) {
        CLEANUP(buf_release) struct buf text = { 0 };
        struct document_list list = { 0 };
        int code = file_text_read(path, &text, err);

        if (code == 0)
                code = document_list_read(buf_view(&text), path, &list, err);
        if (code < 0)
                return code;
        for (size_t i = 0; i < list.count; i++)
                keep_document(input, list.items[i]);
        for (size_t i = 0; code == 0 && i < list.count; i++)
                code = add_value(input, list.items[i], document_root(list.items[i]), 0, err);
        free(list.items);
        return code;
}

static int is_input_file(const struct dirent *entry) {
        const char *dot = strrchr(entry->d_name, '.');

        return entry->d_name[0] != '.' && dot &&
               (strcmp(dot, ".yaml") == 0 || strcmp(dot, ".yml") == 0 || strcmp(dot, ".json") == 0);
}

static int add_folder(struct up_input *input, const char *path, struct err *err) {
        struct dirent **entries = NULL;
        int count = scandir(path, &entries, is_input_file, alphasort);
        int code = 0;

        if (count < 0)
                return err_set_errno(err, BERTH_ERR_IO, errno, "%s", path);
        if (count == 0)
                code = err_set(err, BERTH_ERR_INVALID,
                               "%s: expected *.yaml, *.yml or *.json files in the folder", path);
        for (int i = 0; i < count; i++) {
                if (code == 0 && i < INPUT_FILES_MAX)
                        code = add_file(
                                input,
                                arena_printf(&input->arena, "%s/%s", path, entries[i]->d_name),
                                err);
                free(entries[i]);
        }
        free(entries);
        return code;
}

int up_input_add_path(struct up_input *input, const char *path, struct err *err) {
        struct stat status;

        if (stat(path, &status) < 0)
                return err_set_errno(err, BERTH_ERR_IO, errno, "%s", path);
        return S_ISDIR(status.st_mode) ? add_folder(input, path, err) : add_file(input, path, err);
}

/* ---- traces ---- */

struct trace_target {
        struct up_input *input;
        int rank;
        const char *file;
};

static int keep_traced(void *context, struct slice name, struct slice object, struct err *err) {
        struct trace_target *target = context;

        (void)name;
        (void)err;
        add_object(target->input,
                   &(struct input_object){ .text = arena_slice(&target->input->arena, object),
                                           .file = target->file,
                                           .rank = target->rank });
        return 0;
}

static int add_table(struct up_input *input, enum trace_table table, const char *path, int rank,
                     struct err *err) {
        CLEANUP(buf_release) struct buf text = { 0 };
        struct trace_target target = { input, rank, path };

        if (file_text_read(path, &text, err) < 0)
                return err->code;
        return trace_openb_read(table, buf_view(&text), path, keep_traced, &target, err);
}

int up_input_add_trace(struct up_input *input, const char *trace, struct err *err) {
        static const char prefix[] = "openb=";
        const char *folder = trace + sizeof(prefix) - 1;
        int code;

        if (strncmp(trace, prefix, sizeof(prefix) - 1) != 0 || !*folder)
                return err_set(err, BERTH_ERR_USAGE,
                               "option --trace: expected openb=DIR, found \"%s\"", trace);
        code = add_table(input, TRACE_NODES,
                         arena_printf(&input->arena, "%s/openb_node_list_all_node.csv", folder), 3,
                         err);
        if (code < 0)
                return code;
        return add_table(input, TRACE_PODS,
                         arena_printf(&input->arena, "%s/openb_pod_list_default.csv", folder), 9,
                         err);
}

/* ---- creating ---- */

static int create_one(const struct input_object *object, struct sandbox_import *import,
                      struct err *err) {
        int code = object->object ? sandbox_import_object(import, object->object, err)
                                  : sandbox_import_text(import, object->text, err);

        if (code < 0 && object->object && object->document)
                document_locate(object->document, object->object, err);
        else if (code < 0)
                err_position(err, object->file, 0, 0);
        return code;
}

int up_input_create(struct up_input *input, struct sandbox_import *import, struct err *err) {
        for (int rank = 0; rank < 10; rank++)
                for (size_t i = 0; i < input->object_count; i++)
                        if (input->objects[i].rank == rank &&
                            create_one(&input->objects[i], import, err) < 0)
                                return err->code;
        return 0;
}

bool up_input_has_dangling_owners(const struct up_input *input) {
        struct map *uids = map_new();
        bool is_dangling = false;

        for (size_t i = 0; i < input->object_count; i++) {
                struct slice uid =
                        json_get_text(json_get(input->objects[i].object, "metadata"), "uid");

                if (uid.len)
                        map_put(uids, uid, (void *)input);
        }
        for (size_t i = 0; i < input->object_count && !is_dangling; i++) {
                const struct json *metadata = json_get(input->objects[i].object, "metadata");
                struct json_iter iter = json_iter(json_get(metadata, "ownerReferences"));
                const struct json *owner;

                while (!is_dangling && json_next(&iter, NULL, &owner))
                        is_dangling = !map_get(uids, json_get_text(owner, "uid"));
        }
        map_free(uids);
        return is_dangling;
}
