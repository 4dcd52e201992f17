/* Reads what berth up is given and creates it in the embedded cluster. */
#include "cmd/up_input.h"

#include "base/util.h"
#include "control/control_resources.h"
#include "loop/file_text.h"
#include "loop/input_files.h"
#include "sandbox/sandbox_import.h"
#include "sim/trace_openb.h"
#include <stdlib.h>
#include <string.h>

#define RANK_NODE 3
#define RANK_OTHER 7
#define RANK_LAST 10

/* Kinds that others refer to are created first; pods last. */
static const struct {
        const char *kind;
        int rank;
} ranks[] = {
        { "CustomResourceDefinition", 0 },
        { "Namespace", 1 },
        { "PriorityClass", 2 },
        { "StorageClass", 2 },
        { "DeviceClass", 2 },
        { "Node", RANK_NODE },
        { "PersistentVolume", 4 },
        { "PersistentVolumeClaim", 5 },
        { "ResourceSlice", 5 },
        { "ResourceClaimTemplate", 5 },
        { "ResourceClaim", 5 },
        { "PodDisruptionBudget", 6 },
        { "Pod", 9 },
};

/* Limits that a dump holds have let pass what it holds, sums included. */
static const char *const limits[] = {
        "ResourceQuota",
        "LimitRange",
        "ValidatingAdmissionPolicy",
        "ValidatingAdmissionPolicyBinding",
        "MutatingAdmissionPolicy",
        "MutatingAdmissionPolicyBinding",
};

static int rank_of(struct slice kind, bool is_recorded) {
        for (size_t i = 0; is_recorded && i < ARRAY_LEN(limits); i++)
                if (slice_is(kind, limits[i]))
                        return RANK_LAST;
        for (size_t i = 0; i < ARRAY_LEN(ranks); i++)
                if (slice_is(kind, ranks[i].kind))
                        return ranks[i].rank;
        return RANK_OTHER;
}

void up_input_init(struct up_input *input) {
        *input = (struct up_input){ 0 };
        arena_init(&input->arena, 0);
        up_missing_init(&input->missing);
        up_omissions_init(&input->omissions);
}

void up_input_release(struct up_input *input) {
        document_free(input->policy);
        document_free(input->config);
        document_free(input->scenario_document);
        free(input->things);
        buf_release(&input->made);
        up_missing_release(&input->missing);
        up_omissions_release(&input->omissions);
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

/* Whether it has an address of the network of the cluster where it was written down. */
static bool has_foreign_address(const struct input_object *object, bool is_recorded) {
        const struct json *spec = json_get(object->value, "spec");
        struct slice address = json_get_text(spec, "clusterIP");

        return is_recorded && slice_is(object->kind, "Service") && address.len > 0 &&
               !slice_is(address, "None");
}

/* The object as JSON, with kind and apiVersion even where a typed list left them out, and
 * without an address that the network of this cluster may not have. */
static struct slice object_text(struct up_input *input, const struct input_object *object,
                                bool is_recorded) {
        CLEANUP(buf_release) struct buf text = { 0 };
        CLEANUP(cleanup_json_tree) struct json_tree *tree = NULL;
        bool is_foreign = has_foreign_address(object, is_recorded);

        if (!is_foreign && json_get(object->value, "kind") &&
            json_get(object->value, "apiVersion")) {
                json_write(object->value, &text);
                return arena_slice(&input->arena, buf_view(&text));
        }
        tree = json_tree_new();
        struct json_node *root = node_import(tree, object->value);
        node_put_text(tree, root, "apiVersion", object->api_version);
        node_put_text(tree, root, "kind", object->kind);
        if (is_foreign) {
                node_remove(node_get(root, "spec"), "clusterIP");
                node_remove(node_get(root, "spec"), "clusterIPs");
        }
        node_write(root, &text);
        return arena_slice(&input->arena, buf_view(&text));
}

/* What is for berth itself. */
static int note_document(const struct input_object *object, struct document **ret_document,
                         struct err *err) {
        if (*ret_document)
                return err_set(err, BERTH_ERR_INVALID,
                               "expected one " SLICE_FMT ", found another after %s",
                               SLICE_ARG(object->kind), document_file(*ret_document));
        *ret_document = document_part(object->document, object->value);
        return 0;
}

/* Manifests of people have neither. */
static bool is_recorded(const struct json *metadata) {
        return json_get_text(metadata, "uid").len ||
               json_get_text(metadata, "creationTimestamp").len;
}

/* The Service through which pods reach the API server; each API server keeps its own. */
static bool is_service_of_api_server(const struct input_object *object,
                                     const struct json *metadata) {
        return is_recorded(metadata) && slice_is(object->kind, "Service") &&
               slice_is(json_get_text(metadata, "namespace"), "default") &&
               slice_is(json_get_text(metadata, "name"), "kubernetes");
}

static int add_object(void *context, const struct input_object *object, struct err *err) {
        const struct json *metadata = json_get(object->value, "metadata");
        struct up_input *input = context;
        struct err where = { 0 };

        if (slice_is(object->kind, "Scenario") &&
            slice_is(object->api_version, SCENARIO_API_VERSION))
                return note_document(object, &input->scenario_document, err);
        if (slice_is(object->kind, "DeschedulerPolicy"))
                return note_document(object, &input->policy, err);
        if (slice_is(object->kind, "KubeSchedulerConfiguration"))
                return note_document(object, &input->config, err);
        if (is_service_of_api_server(object, metadata)) {
                up_omissions_add(&input->omissions, OMITTED_EXISTING, object->api_version,
                                 object->kind, "");
                return 0;
        }
        document_locate(object->document, object->value, &where);
        up_missing_note(&input->missing, object->kind, object->value);
        input->deleted_count += json_get_text(metadata, "deletionTimestamp").len > 0;
        add_thing(input, &(struct up_thing){
                                 .text = object_text(input, object, is_recorded(metadata)),
                                 .api_version = arena_slice(&input->arena, object->api_version),
                                 .kind = arena_slice(&input->arena, object->kind),
                                 .is_recorded = is_recorded(metadata),
                                 .file = arena_string(&input->arena,
                                                      slice_of(document_file(object->document))),
                                 .path = arena_string(&input->arena, slice_of(object->path)),
                                 .line = where.line,
                                 .column = where.column,
                                 .rank = rank_of(object->kind, is_recorded(metadata)) });
        return 0;
}

static int read_scenario(struct up_input *input, struct err *err) {
        struct field_reader reader = { .document = input->scenario_document,
                                       .arena = &input->arena };

        if (!input->scenario_document)
                return 0;
        reader.problems = config_problems_new();
        scenario_decode(&reader, document_root(input->scenario_document), &input->scenario);
        int code = config_problems_to_err(reader.problems, err);
        config_problems_free(reader.problems);
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

/* Groups of Kubernetes itself: a kind that is unknown there is a mistake in a manifest. */
static bool is_own_group(struct slice group) {
        return !slice_contains(group, SLICE_LITERAL(".")) ||
               slice_has_suffix(group, SLICE_LITERAL(".k8s.io"));
}

/* Whether to leave it out without asking the API server. */
static bool is_omitted(struct up_input *input, const struct up_thing *thing,
                       struct sandbox_import *import) {
        bool may_lack_kind =
                thing->is_recorded || !is_own_group(api_version_group(thing->api_version));

        if (thing->is_recorded &&
            slice_has_suffix(thing->kind, SLICE_LITERAL("WebhookConfiguration"))) {
                up_omissions_add(&input->omissions, OMITTED_WEBHOOK, thing->api_version,
                                 thing->kind, "");
                return true;
        }
        if (!may_lack_kind || (!up_omissions_has(&input->omissions, OMITTED_UNSERVED,
                                                 thing->api_version, thing->kind) &&
                               sandbox_import_serves(import, thing->api_version, thing->kind)))
                return false;
        up_omissions_add(&input->omissions, OMITTED_UNSERVED, thing->api_version, thing->kind, "");
        return true;
}

static void omit_refused(struct up_input *input, const struct up_thing *thing,
                         const struct err *err) {
        char text[ERR_TEXT_MAX + ERR_PATH_MAX];

        err_format(err, text, sizeof(text));
        up_omissions_add(&input->omissions,
                         err->code == BERTH_ERR_EXISTS ? OMITTED_EXISTING : OMITTED_REFUSED,
                         thing->api_version, thing->kind, text);
}

static int create_one(struct up_input *input, const struct up_thing *thing,
                      struct sandbox_import *import, struct err *err) {
        struct err local = { 0 };

        if (is_omitted(input, thing, import))
                return 0;
        int code = sandbox_import_text(import, thing->text, &local);
        if (code == 0)
                return 0;
        if (thing->path && *thing->path)
                err_path_prepend(&local, thing->path);
        err_position(&local, thing->file, thing->line, thing->column);
        if (thing->is_recorded) {
                omit_refused(input, thing, &local);
                return 0;
        }
        if (err)
                *err = local;
        return code;
}

static int create_ranks(struct up_input *input, struct sandbox_import *import, int first, int last,
                        struct err *err) {
        for (int rank = first; rank <= last; rank++)
                for (size_t i = 0; i < input->thing_count; i++)
                        if (input->things[i].rank == rank &&
                            create_one(input, &input->things[i], import, err) < 0)
                                return err->code;
        return 0;
}

int up_input_create_nodes(struct up_input *input, struct sandbox_import *import, struct err *err) {
        int code = create_ranks(input, import, 0, RANK_NODE, err);

        if (code == 0)
                up_missing_create(&input->missing, import, &input->made);
        return code;
}

int up_input_create_rest(struct up_input *input, struct sandbox_import *import, struct err *err) {
        return create_ranks(input, import, RANK_NODE + 1, RANK_LAST, err);
}

/* ---- notes ---- */

static void print_lacking(const struct up_input *input, enum up_referent referent,
                          const char *consequence, struct buf *out) {
        CLEANUP(buf_release) struct buf names = { 0 };

        if (!up_missing_lacks(&input->missing, referent))
                return;
        size_t users = up_missing_list(&input->missing, referent, &names);
        buf_printf(out, "not in the input: %s of %zu object(s) (" SLICE_FMT "): %s\n",
                   referent == REFERENT_OWNER ? "owners" : "nodes", users,
                   SLICE_ARG(buf_view(&names)), consequence);
}

void up_input_print_notes(const struct up_input *input, struct buf *out) {
        if (input->made.len)
                buf_printf(out, "not in the input, so made: " SLICE_FMT "\n",
                           SLICE_ARG(buf_view(&input->made)));
        print_lacking(input, REFERENT_OWNER,
                      "no garbage collection, and no owner replaces what is evicted", out);
        print_lacking(input, REFERENT_NODE,
                      "the pods stay as they are; kubectl get nodes,pods -A -o yaml has both", out);
        if (input->deleted_count)
                buf_printf(out, "being deleted in the input: %zu object(s), which live on here\n",
                           input->deleted_count);
        up_omissions_print(&input->omissions, out);
}
