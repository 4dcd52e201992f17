/* Reads what berth up is given and creates it in the embedded cluster. */
#include "cmd/up_input.h"

#include "base/map.h"
#include "base/util.h"
#include "loop/file_text.h"
#include "loop/input_files.h"
#include "sandbox/sandbox_import.h"
#include "sim/trace_openb.h"
#include <stdlib.h>
#include <string.h>

static char uid_present, uid_named;

#define RANK_NODE 3
#define RANK_OTHER 7
#define RANK_MAX 9

/* Kinds that others refer to are created first; pods last. */
static const struct {
        const char *kind;
        int rank;
} ranks[] = {
        { "CustomResourceDefinition", 0 },
        { "Namespace", 1 },
        { "PriorityClass", 2 },
        { "StorageClass", 2 },
        { "Node", RANK_NODE },
        { "PersistentVolume", 4 },
        { "PersistentVolumeClaim", 5 },
        { "PodDisruptionBudget", 6 },
        { "Pod", 9 },
};

static int rank_of(struct slice kind) {
        for (size_t i = 0; i < ARRAY_LEN(ranks); i++)
                if (slice_is(kind, ranks[i].kind))
                        return ranks[i].rank;
        return RANK_OTHER;
}

void up_input_init(struct up_input *input) {
        *input = (struct up_input){ .uids = map_new() };
        arena_init(&input->arena, 0);
}

void up_input_release(struct up_input *input) {
        document_free(input->scenario_document);
        free(input->things);
        map_free(input->uids);
        arena_release(&input->arena);
}

static void add_thing(struct up_input *input, const struct up_thing *thing) {
        if (input->thing_count == input->thing_cap) {
                input->thing_cap = input->thing_cap ? input->thing_cap * 2 : 64;
                input->things =
                        xreallocarray(input->things, input->thing_cap, sizeof(*input->things));
        }
        input->things[input->thing_count++] = *thing;
}

/* The object as JSON, with kind and apiVersion even where a typed list left them out. */
static struct slice object_text(struct up_input *input, const struct input_object *object) {
        CLEANUP(buf_release) struct buf text = { 0 };
        CLEANUP(cleanup_json_tree) struct json_tree *tree = NULL;

        if (json_get(object->value, "kind") && json_get(object->value, "apiVersion")) {
                json_write(object->value, &text);
                return arena_slice(&input->arena, buf_view(&text));
        }
        tree = json_tree_new();
        struct json_node *root = node_import(tree, object->value);
        node_put_text(tree, root, "apiVersion", object->api_version);
        node_put_text(tree, root, "kind", object->kind);
        node_write(root, &text);
        return arena_slice(&input->arena, buf_view(&text));
}

/* Remembers who is there and who is named as an owner. */
static void note_owners(struct up_input *input, const struct json *object) {
        const struct json *metadata = json_get(object, "metadata");
        struct json_iter iter = json_iter(json_get(metadata, "ownerReferences"));
        struct slice uid = json_get_text(metadata, "uid");
        const struct json *owner;

        if (uid.len)
                map_put(input->uids, uid, &uid_present);
        while (json_next(&iter, NULL, &owner)) {
                uid = json_get_text(owner, "uid");
                if (uid.len && !map_get(input->uids, uid))
                        map_put(input->uids, uid, &uid_named);
        }
}

bool up_input_has_dangling_owners(const struct up_input *input) {
        size_t at = 0;
        void *value;

        while (map_next(input->uids, &at, NULL, &value))
                if (value == &uid_named)
                        return true;
        return false;
}

/* Documents for berth itself stand alone in their file, which is read again for them. */
static int note_document(struct up_input *input, const struct input_object *object,
                         const char **ret_path, struct err *err) {
        if (*ret_path) {
                err_set(err, BERTH_ERR_INVALID,
                        "expected one " SLICE_FMT ", found another after %s",
                        SLICE_ARG(object->kind), *ret_path);
                return BERTH_ERR_INVALID;
        }
        *ret_path = arena_string(&input->arena, slice_of(document_file(object->document)));
        return 0;
}

static int add_object(void *context, const struct input_object *object, struct err *err) {
        struct up_input *input = context;
        struct err where = { 0 };

        if (slice_is(object->kind, "Scenario") &&
            slice_is(object->api_version, SCENARIO_API_VERSION))
                return note_document(input, object, &input->scenario_path, err);
        if (slice_is(object->kind, "DeschedulerPolicy"))
                return note_document(input, object, &input->policy_path, err);
        if (slice_is(object->kind, "KubeSchedulerConfiguration"))
                return note_document(input, object, &input->config_path, err);
        document_locate(object->document, object->value, &where);
        note_owners(input, object->value);
        add_thing(input, &(struct up_thing){
                                 .text = object_text(input, object),
                                 .file = arena_string(&input->arena,
                                                      slice_of(document_file(object->document))),
                                 .path = arena_string(&input->arena, slice_of(object->path)),
                                 .line = where.line,
                                 .column = where.column,
                                 .rank = rank_of(object->kind) });
        return 0;
}

static int read_scenario(struct up_input *input, struct err *err) {
        CLEANUP(buf_release) struct buf text = { 0 };
        struct field_reader reader = { .arena = &input->arena };

        if (!input->scenario_path)
                return 0;
        if (file_text_read(input->scenario_path, &text, err) < 0 ||
            document_read(buf_view(&text), input->scenario_path, &input->scenario_document, err) <
                    0)
                return err->code;
        struct config_problems *problems = config_problems_new();
        reader.problems = problems;
        reader.document = input->scenario_document;
        input->has_scenario =
                scenario_decode(&reader, document_root(input->scenario_document), &input->scenario);
        int code = config_problems_to_err(problems, err);
        config_problems_free(problems);
        return code;
}

int up_input_add_paths(struct up_input *input, const char *const *paths, size_t count,
                       struct err *err) {
        for (size_t i = 0; i < count; i++)
                if (input_files_read(paths[i], add_object, input, err) < 0)
                        return err->code;
        return read_scenario(input, err);
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
        add_thing(target->input,
                  &(struct up_thing){ .text = arena_slice(&target->input->arena, object),
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

        if (strncmp(trace, prefix, sizeof(prefix) - 1) != 0 || !*folder)
                return err_set(err, BERTH_ERR_USAGE,
                               "option --trace: expected openb=DIR, found \"%s\"", trace);
        int code = add_table(input, TRACE_NODES,
                             arena_printf(&input->arena, "%s/openb_node_list_all_node.csv", folder),
                             3, err);
        if (code < 0)
                return code;
        return add_table(input, TRACE_PODS,
                         arena_printf(&input->arena, "%s/openb_pod_list_default.csv", folder), 9,
                         err);
}

/* ---- creating ---- */

static int create_one(const struct up_thing *thing, struct sandbox_import *import,
                      struct err *err) {
        struct err local = { 0 };
        int code = sandbox_import_text(import, thing->text, &local);

        if (code == 0)
                return 0;
        if (thing->path && *thing->path)
                err_path_prepend(&local, thing->path);
        err_position(&local, thing->file, thing->line, thing->column);
        if (err)
                *err = local;
        return code;
}

static int create_ranks(struct up_input *input, struct sandbox_import *import, int first, int last,
                        struct err *err) {
        for (int rank = first; rank <= last; rank++)
                for (size_t i = 0; i < input->thing_count; i++)
                        if (input->things[i].rank == rank &&
                            create_one(&input->things[i], import, err) < 0)
                                return err->code;
        return 0;
}

int up_input_create_nodes(struct up_input *input, struct sandbox_import *import, struct err *err) {
        return create_ranks(input, import, 0, RANK_NODE, err);
}

int up_input_create_rest(struct up_input *input, struct sandbox_import *import, struct err *err) {
        return create_ranks(input, import, RANK_NODE + 1, RANK_MAX, err);
}
