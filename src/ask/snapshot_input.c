/* Takes objects from files into a cluster model, completed as an API server completes them. */
#include "ask/snapshot_input.h"

#include "api/json.h"
#include "ask/snapshot_kind.h"
#include "base/map.h"
#include "base/util.h"
#include "config/document.h"
#include "evict/eviction_cost.h"
#include "loop/input_files.h"
#include "roles/history_store.h"
#include <stdlib.h>
#include <string.h>

/* Values of the two classes that every cluster has. */
#define CLUSTER_CRITICAL_PRIORITY 2000000000
#define NODE_CRITICAL_PRIORITY 2000001000

/* A pod that is in the model already, with the priority 0. */
struct snapshot_late {
        struct snapshot_late *next;
        struct slice text;
        struct err where; /* file and position of the object */
};

void snapshot_init(struct snapshot *snapshot) {
        *snapshot = (struct snapshot){ 0 };
        arena_init(&snapshot->arena, 0);
        snapshot->cluster = cluster_new(
                &(struct cluster_config){ .keeps_finished = true, .keeps_detail = true });
        snapshot->object_cache = object_cache_new();
        snapshot->jobs_with_ttl = map_new();
}

void snapshot_release(struct snapshot *snapshot) {
        cluster_free(snapshot->cluster);
        object_cache_free(snapshot->object_cache);
        document_free(snapshot->policy);
        document_free(snapshot->config);
        map_free(snapshot->jobs_with_ttl);
        buf_release(&snapshot->usage);
        buf_release(&snapshot->eviction_policies);
        buf_release(&snapshot->evictions);
        buf_release(&snapshot->eviction_history);
        buf_release(&snapshot->note);
        free(snapshot->wanted.items);
        arena_release(&snapshot->arena);
}

/* Jobs that clean up by themselves are remembered by uid. */
static void note_job(struct snapshot *snapshot, const struct json *job) {
        const struct json *ttl = json_get(json_get(job, "spec"), "ttlSecondsAfterFinished");
        int64_t seconds;

        if (json_as_i64(ttl, &seconds))
                map_put(snapshot->jobs_with_ttl, json_get_text(json_get(job, "metadata"), "uid"),
                        snapshot);
}

static void note_cost(struct snapshot *snapshot, const struct snapshot_kind *kind,
                      const struct json *object) {
        struct buf *list = strcmp(kind->kind, "Eviction") == 0 ? &snapshot->evictions
                                                               : &snapshot->eviction_policies;

        if (kind->name) {
                buf_clear(&snapshot->eviction_history);
                buf_slice(&snapshot->eviction_history,
                          json_get_text(json_get(object, "data"), HISTORY_STORE_KEY));
                return;
        }
        buf_text(list, list->len ? "," : "");
        json_write(object, list);
}

int snapshot_put(struct snapshot *snapshot, const struct snapshot_kind *kind,
                 const struct json *object, struct err *err) {
        if (kind->is_usage) {
                /* As a list of one: items of a live list do not name their kind. */
                buf_printf(&snapshot->usage, "%s{\"kind\":\"%sList\",\"items\":[",
                           snapshot->usage.len ? "," : "", kind->kind);
                json_write(object, &snapshot->usage);
                buf_text(&snapshot->usage, "]}");
        }
        if (strcmp(kind->kind, "Job") == 0)
                note_job(snapshot, object);
        if (kind->is_extra && kind->object_cache == CACHED_KIND_COUNT)
                note_cost(snapshot, kind, object);
        if (kind->object_cache != CACHED_KIND_COUNT)
                object_cache_put(snapshot->object_cache, kind->object_cache, object);
        if (kind->model == OBJECT_PRIORITY_CLASS && json_get_bool(object, "globalDefault", false))
                snapshot->default_priority = json_get_i64(object, "value", 0);
        snapshot->taken++;
        return kind->model == OBJECT_KIND_COUNT
                       ? 0
                       : cluster_apply(snapshot->cluster, kind->model, CHANGE_ADDED, object, err);
}

/* ---- completing ---- */

static int check_name(const struct json *object, struct err *err) {
        const struct json *name = json_get(json_get(object, "metadata"), "name");

        if (json_text(name).len)
                return 0;
        /* n and y are no strings in YAML. */
        if (json_type(name) != JSON_NONE && json_type(name) != JSON_STRING)
                return err_set(err, BERTH_ERR_INVALID,
                               "expected metadata.name to be a string, found %s: quote it",
                               json_type_name(json_type(name)));
        return err_set(err, BERTH_ERR_INVALID, "expected metadata.name");
}

static void complete_meta(struct json_tree *tree, struct json_node *root,
                          const struct snapshot_kind *kind) {
        struct json_node *meta = node_need_object(tree, root, "metadata");
        CLEANUP(buf_release) struct buf uid = { 0 };

        if (!meta)
                return;
        if (kind->is_namespaced && !node_get_text(meta, "namespace").len)
                node_put_string(tree, meta, "namespace", "default");
        if (kind->model != OBJECT_POD || node_get_text(meta, "uid").len)
                return;
        /* Evictions name the pod by its uid; any that is its own will do. */
        buf_printf(&uid, SLICE_FMT "/" SLICE_FMT, SLICE_ARG(node_get_text(meta, "namespace")),
                   SLICE_ARG(node_get_text(meta, "name")));
        node_put_text(tree, meta, "uid", buf_view(&uid));
}

static void complete_node(struct json_tree *tree, struct json_node *root) {
        struct json_node *status = node_get(root, "status");

        if (node_get(status, "capacity") && !node_get(status, "allocatable"))
                node_put(tree, status, "allocatable",
                         node_clone(tree, node_get(status, "capacity")));
}

static bool needs_priority(const struct json *object) {
        return json_type(json_get(json_get(object, "spec"), "priority")) != JSON_INT;
}

static bool is_complete(const struct snapshot_kind *kind, const struct json *object) {
        const struct json *meta = json_get(object, "metadata");
        const struct json *status = json_get(object, "status");

        if (kind->is_namespaced && !json_get_text(meta, "namespace").len)
                return false;
        if (kind->model == OBJECT_NODE)
                return json_get(status, "allocatable") || !json_get(status, "capacity");
        return kind->model != OBJECT_POD ||
               (json_get_text(meta, "uid").len && !needs_priority(object));
}

static int put_text(struct snapshot *snapshot, const struct snapshot_kind *kind, struct slice text,
                    struct err *err) {
        CLEANUP(cleanup_json_doc) struct json_doc *doc = NULL;

        if (json_parse(text, &doc, err) < 0)
                return err->code;
        return snapshot_put(snapshot, kind, json_doc_root(doc), err);
}

static void put_late(struct snapshot *snapshot, const struct input_object *object,
                     struct slice text) {
        struct snapshot_late *late = ARENA_NEW(&snapshot->arena, struct snapshot_late);

        late->text = arena_slice(&snapshot->arena, text);
        late->next = snapshot->late;
        document_locate(object->document, object->value, &late->where);
        snapshot->late = late;
}

static int put_completed(struct snapshot *snapshot, const struct snapshot_kind *kind,
                         const struct input_object *object, struct err *err) {
        CLEANUP(cleanup_json_tree) struct json_tree *tree = json_tree_new();
        CLEANUP(buf_release) struct buf text = { 0 };
        struct json_node *root = node_import(tree, object->value);

        complete_meta(tree, root, kind);
        if (kind->model == OBJECT_NODE)
                complete_node(tree, root);
        node_write(root, &text);
        if (kind->model == OBJECT_POD && needs_priority(object->value))
                put_late(snapshot, object, buf_view(&text));
        return put_text(snapshot, kind, buf_view(&text), err);
}

/* ---- reading ---- */

/* The first one counts; what a second one means is up to who uses it. */
static void note_document(const struct input_object *object, struct document **ret_document,
                          struct err *ret_second) {
        if (!*ret_document) {
                *ret_document = document_part(object->document, object->value);
                return;
        }
        err_set(ret_second, BERTH_ERR_INVALID,
                "expected one " SLICE_FMT " among the objects, found another one",
                SLICE_ARG(object->kind));
        document_locate(object->document, object->value, ret_second);
}

static bool is_of_interest(const struct snapshot_kind *kind, const struct json *object) {
        return !kind->name ||
               slice_is(json_get_text(json_get(object, "metadata"), "name"), kind->name);
}

static int add_object(void *context, const struct input_object *object, struct err *err) {
        struct snapshot *snapshot = context;
        const struct snapshot_kind *kind = snapshot_kind_find(object->api_version, object->kind);

        if (snapshot->seen)
                snapshot->seen(snapshot->seen_context, object->api_version, object->kind,
                               object->value);
        if (slice_is(object->kind, "DeschedulerPolicy"))
                note_document(object, &snapshot->policy, &snapshot->second_policy);
        if (slice_is(object->kind, "KubeSchedulerConfiguration"))
                note_document(object, &snapshot->config, &snapshot->second_config);
        if (!kind || !is_of_interest(kind, object->value)) {
                snapshot->passed_over++;
                return 0;
        }
        if (check_name(object->value, err) < 0)
                return err->code;
        return is_complete(kind, object->value) ? snapshot_put(snapshot, kind, object->value, err)
                                                : put_completed(snapshot, kind, object, err);
}

int snapshot_read_paths(struct snapshot *snapshot, const char *const *paths, size_t count,
                        struct err *err) {
        for (size_t i = 0; i < count; i++)
                if (input_files_read(paths[i], add_object, snapshot, err) < 0)
                        return err->code;
        return 0;
}

/* ---- pods that are asked about ---- */

static void snapshot_input_want(struct snapshot *snapshot, struct slice ns, struct slice name) {
        struct snapshot_pods *wanted = &snapshot->wanted;

        if (wanted->count == wanted->cap) {
                wanted->cap = wanted->cap ? wanted->cap * 2 : 8;
                wanted->items = xreallocarray(wanted->items, wanted->cap, sizeof(*wanted->items));
        }
        wanted->items[wanted->count++] =
                (struct snapshot_pod){ arena_slice(&snapshot->arena,
                                                   ns.len ? ns : SLICE_LITERAL("default")),
                                       arena_slice(&snapshot->arena, name) };
}

static const struct json *template_of(const struct input_object *object) {
        static const char *const plain[] = { "spec", "template" };
        static const char *const nested[] = { "spec", "jobTemplate", "spec", "template" };

        return slice_is(object->kind, "CronJob")
                       ? json_path(object->value, nested, ARRAY_LEN(nested))
                       : json_path(object->value, plain, ARRAY_LEN(plain));
}

/* One pod of the workload, under the workload's name. */
static int want_template(struct snapshot *snapshot, const struct input_object *object,
                         struct err *err) {
        CLEANUP(cleanup_json_tree) struct json_tree *tree = json_tree_new();
        CLEANUP(cleanup_json_doc) struct json_doc *doc = NULL;
        CLEANUP(buf_release) struct buf text = { 0 };
        const struct json *meta = json_get(object->value, "metadata");
        struct json_node *root = node_import(tree, template_of(object)), *own;
        struct input_object pod = *object;

        own = node_need_object(tree, root, "metadata");
        node_put_string(tree, root, "apiVersion", "v1");
        node_put_string(tree, root, "kind", "Pod");
        node_put_text(tree, own, "name", json_get_text(meta, "name"));
        if (json_get_text(meta, "namespace").len)
                node_put_text(tree, own, "namespace", json_get_text(meta, "namespace"));
        node_write(root, &text);
        if (json_parse(buf_view(&text), &doc, err) < 0)
                return err->code;
        pod.value = json_doc_root(doc);
        pod.kind = SLICE_LITERAL("Pod");
        pod.api_version = SLICE_LITERAL("v1");
        snapshot_input_want(snapshot, json_get_text(meta, "namespace"),
                            json_get_text(meta, "name"));
        return put_completed(snapshot, snapshot_kind_find(pod.api_version, pod.kind), &pod, err);
}

static int add_wanted(void *context, const struct input_object *object, struct err *err) {
        struct snapshot *snapshot = context;
        const struct json *meta = json_get(object->value, "metadata");

        if (slice_is(object->kind, "Pod"))
                snapshot_input_want(snapshot, json_get_text(meta, "namespace"),
                                    json_get_text(meta, "name"));
        else if (json_type(template_of(object)) == JSON_OBJECT)
                return want_template(snapshot, object, err);
        return add_object(snapshot, object, err);
}

int snapshot_read_wanted(struct snapshot *snapshot, const char *path, struct err *err) {
        size_t before = snapshot->wanted.count;

        if (input_files_read(path, add_wanted, snapshot, err) < 0)
                return err->code;
        if (snapshot->wanted.count == before)
                return err_set(err, BERTH_ERR_INVALID,
                               "%s: expected a Pod or a workload with a pod template", path);
        return 0;
}

/* ---- priorities ---- */

static int64_t priority_of(const struct snapshot *snapshot, struct slice class, bool *ret_found) {
        int32_t value;

        *ret_found = true;
        if (!class.len)
                return snapshot->default_priority;
        if (cluster_priority_class(snapshot->cluster, class, &value))
                return value;
        if (slice_is(class, "system-cluster-critical"))
                return CLUSTER_CRITICAL_PRIORITY;
        if (slice_is(class, "system-node-critical"))
                return NODE_CRITICAL_PRIORITY;
        *ret_found = false;
        return 0;
}

static int put_with_priority(struct snapshot *snapshot, const struct snapshot_late *late,
                             struct err *err) {
        CLEANUP(cleanup_json_tree) struct json_tree *tree = NULL;
        CLEANUP(buf_release) struct buf text = { 0 };
        bool is_known;

        if (json_tree_parse(late->text, &tree, err) < 0)
                return err->code;
        struct json_node *spec = node_need_object(tree, json_tree_root(tree), "spec");
        struct slice class = node_get_text(spec, "priorityClassName");
        int64_t value = priority_of(snapshot, class, &is_known);
        if (is_known && value == 0)
                return 0;
        if (!is_known)
                return err_set(err, BERTH_ERR_INVALID,
                               "spec.priorityClassName: no PriorityClass \"" SLICE_FMT
                               "\" among the objects",
                               SLICE_ARG(class));
        if (spec)
                node_put_i64(tree, spec, "priority", value);
        node_write(json_tree_root(tree), &text);
        return put_text(snapshot, snapshot_kind_find(SLICE_LITERAL("v1"), SLICE_LITERAL("Pod")),
                        buf_view(&text), err);
}

int snapshot_complete(struct snapshot *snapshot, struct err *err) {
        struct snapshot_late *ordered = NULL;

        while (snapshot->late) { /* back to the order of reading */
                struct snapshot_late *late = snapshot->late;

                snapshot->late = late->next;
                late->next = ordered;
                ordered = late;
        }
        for (; ordered; ordered = ordered->next)
                if (put_with_priority(snapshot, ordered, err) < 0) {
                        err_position(err, ordered->where.file, ordered->where.line,
                                     ordered->where.column);
                        return err->code;
                }
        return 0;
}

int snapshot_usage(const struct snapshot *snapshot, struct json_doc **ret_doc, struct err *err) {
        CLEANUP(buf_release) struct buf text = { 0 };

        buf_printf(&text, "[" SLICE_FMT "]", SLICE_ARG(buf_view(&snapshot->usage)));
        return json_parse(buf_view(&text), ret_doc, err);
}

struct eviction_costs *snapshot_eviction_costs(const struct snapshot *snapshot) {
        CLEANUP(buf_release) struct buf text = { 0 };
        CLEANUP(cleanup_json_doc)
        struct json_doc *policies = NULL, *history = NULL, *evictions = NULL;
        const struct json *eviction;
        struct eviction_costs *costs = eviction_costs_new();

        buf_printf(&text, "{\"items\":[" SLICE_FMT "]}",
                   SLICE_ARG(buf_view(&snapshot->eviction_policies)));
        if (json_parse(buf_view(&text), &policies, NULL) == 0)
                eviction_costs_set_policies(costs, json_doc_root(policies));
        if (json_parse(buf_view(&snapshot->eviction_history), &history, NULL) == 0)
                eviction_costs_set_history(costs, json_doc_root(history));
        buf_clear(&text);
        buf_printf(&text, "[" SLICE_FMT "]", SLICE_ARG(buf_view(&snapshot->evictions)));
        if (json_parse(buf_view(&text), &evictions, NULL) < 0)
                return costs;
        struct json_iter iter = json_iter(json_doc_root(evictions));
        while (json_next(&iter, NULL, &eviction))
                eviction_costs_see_eviction(costs, eviction);
        return costs;
}
