/* Claiming, creating and deleting the pods of workloads. */
#include "control/pod_owner.h"

#include "base/util.h"
#include <stdlib.h>

/* ---- hearing ---- */

static void queue_controller(struct controller_run *run, const struct json *object,
                             const char *kind) {
        const struct json *controller = object_controller(object);

        if (controller && slice_is(json_get_text(controller, "kind"), kind))
                work_queue_add(run->queue, object_namespace(object),
                               json_get_text(controller, "name"));
}

void owner_observe(struct controller_run *run, struct change *change, const char *kind) {
        queue_controller(run, change_object(change), kind);
        if (change->event->type == STORE_MODIFIED &&
            object_mentions(change->event->previous, "\"ownerReferences\""))
                queue_controller(run, change_previous(change), kind);
}

/* A replication controller's selector is a plain map, and empty or absent selects nothing. */
static int read_selector(const struct json *workload, bool is_map, struct arena *arena,
                         struct selector *ret_selector, struct err *err) {
        const struct json *selector = json_get(json_get(workload, "spec"), "selector");
        struct json_doc *doc = NULL;
        struct buf text = { 0 };

        if (!is_map)
                return selector_decode(selector, arena, ret_selector, err);
        struct json_tree *tree = json_tree_new();
        struct json_node *object = node_object(tree);
        node_put(tree, object, "matchLabels", node_import(tree, selector));
        node_write(object, &text);
        /* The selector points into the document; what is stored goes to the arena. */
        int r = json_parse(buf_view(&text), &doc, err);
        if (r == 0)
                r = selector_decode(json_doc_root(doc), arena, ret_selector, err);
        for (size_t i = 0; r == 0 && i < ret_selector->count; i++) {
                struct selector_requirement *requirement = &ret_selector->requirements[i];

                requirement->key = arena_slice(arena, requirement->key);
                for (size_t k = 0; k < requirement->value_count; k++)
                        requirement->values[k] = arena_slice(arena, requirement->values[k]);
        }
        json_doc_free(doc);
        json_tree_free(tree);
        buf_release(&text);
        return r;
}

struct adoption {
        struct controller_run *run;
        bool is_map;
        struct label_list labels;
        struct arena *arena;
};

static bool queue_if_selected(void *context, const struct store_object *object) {
        struct adoption *adoption = context;
        struct selector selector;
        struct json_doc *doc = NULL;

        if (json_parse(store_object_body(object), &doc, NULL) == 0 &&
            read_selector(json_doc_root(doc), adoption->is_map, adoption->arena, &selector, NULL) ==
                    0 &&
            !selector_is_empty(&selector) && selector_matches(&selector, adoption->labels))
                work_queue_add(adoption->run->queue, store_object_ns(object),
                               store_object_name(object));
        json_doc_free(doc);
        return true;
}

static void queue_adopters(struct controller_run *run, const struct json *pod, int resource) {
        struct arena arena;
        struct adoption adoption = { .run = run,
                                     .is_map = resource ==
                                               run->control->resource.replication_controllers,
                                     .arena = &arena };

        if (store_count(run->control->store, resource) == 0)
                return;
        arena_init(&arena, 4096);
        adoption.labels = label_list_decode(json_get(json_get(pod, "metadata"), "labels"), &arena);
        if (adoption.labels.count)
                control_each(run->control, resource, object_namespace(pod), queue_if_selected,
                             &adoption);
        arena_release(&arena);
}

static bool is_orphan_news(struct change *change) {
        const struct json *now = json_get(change_object(change), "metadata");

        if (change->event->type == STORE_DELETED || object_controller(change_object(change)) ||
            object_is_deleted(change_object(change)))
                return false;
        if (change->event->type == STORE_ADDED)
                return true;
        const struct json *before = json_get(change_previous(change), "metadata");
        return !json_equal(json_get(now, "labels"), json_get(before, "labels")) ||
               !json_equal(json_get(now, "ownerReferences"), json_get(before, "ownerReferences"));
}

void pod_owner_observe(struct controller_run *run, struct change *change, int resource,
                       const char *kind) {
        owner_observe(run, change, kind);
        if (is_orphan_news(change))
                queue_adopters(run, change_object(change), resource);
}

/* ---- claiming ---- */

/* A merge patch that keeps only the owner references for which keep is true, plus those added. */
static int patch_owners(struct controller_run *run, const struct object_entry *pod,
                        struct json_tree *tree, struct json_node *references, struct err *err) {
        struct json_node *patch = node_object(tree);
        struct object_target target = { .resource = run->control->resource.pods,
                                        .ns = store_object_ns(pod->object),
                                        .name = store_object_name(pod->object) };
        const struct store_object *ref = store_object_ref(pod->object);

        node_put(tree, node_need_object(tree, patch, "metadata"), "ownerReferences", references);
        int r = object_merge(run, &target, patch, err);
        store_object_unref(ref);
        return r;
}

static int pod_owner_adopt(struct controller_run *run, int resource, const struct json *workload,
                           const struct object_entry *pod, struct err *err) {
        struct json_tree *tree = json_tree_new();
        struct json_node *metadata = node_object(tree);
        struct json_doc *doc = NULL;
        const struct json *object = entry_read(pod, &doc);
        const struct json *known = json_get(json_get(object, "metadata"), "ownerReferences");

        if (known)
                node_put(tree, metadata, "ownerReferences", node_import(tree, known));
        put_controller(run, tree, metadata, resource, workload);
        int r = patch_owners(run, pod, tree,
                             node_clone(tree, node_get(metadata, "ownerReferences")), err);
        json_doc_free(doc);
        json_tree_free(tree);
        return r;
}

static int let_go(struct controller_run *run, const struct json *workload,
                  const struct object_entry *pod, struct err *err) {
        struct json_tree *tree = json_tree_new();
        struct json_node *references = node_array(tree);
        struct json_doc *doc = NULL;
        const struct json *object = entry_read(pod, &doc), *reference;
        struct json_iter iter =
                json_iter(json_get(json_get(object, "metadata"), "ownerReferences"));

        while (json_next(&iter, NULL, &reference)) {
                if (!slice_eq(json_get_text(reference, "uid"), object_uid(workload)))
                        node_append(references, node_import(tree, reference));
        }
        int r = patch_owners(run, pod, tree, references, err);
        json_doc_free(doc);
        json_tree_free(tree);
        return r;
}

struct claim {
        struct controller_run *run;
        int resource;
        const struct json *workload;
        struct selector selector;
        struct owner *owner;
        struct pod_list changing; /* to adopt or to let go of */
};

static bool is_pod(const struct object_entry *entry) {
        return entry->pod;
}

static size_t list_size(const struct entry_list *list) {
        return list ? list->count : 0;
}

/* Lists change under patches, so they are walked first and patched afterwards. */
static void find_changing(struct claim *claim, const struct entry_list *owned,
                          const struct entry_list *orphans) {
        const struct object_index *index = claim->run->control->index;
        const struct entry_link *link;

        for (link = owned ? owned->first : NULL; link; link = link->after) {
                if (is_pod(link->entry) && link->entry->controller == claim->owner &&
                    !link->entry->pod->is_deleted &&
                    !pod_entry_matches(index, link->entry, &claim->selector))
                        claim->changing.items[claim->changing.count++] = link->entry;
        }
        for (link = orphans ? orphans->first : NULL; link; link = link->after) {
                if (pod_entry_is_active(link->entry) &&
                    pod_entry_matches(index, link->entry, &claim->selector))
                        claim->changing.items[claim->changing.count++] = link->entry;
        }
}

static int change_owners(struct claim *claim, struct err *err) {
        for (size_t i = 0; i < claim->changing.count; i++) {
                struct object_entry *entry = claim->changing.items[i];
                int r = entry->controller ? let_go(claim->run, claim->workload, entry, err)
                                          : pod_owner_adopt(claim->run, claim->resource,
                                                            claim->workload, entry, err);

                if (r < 0 && r != BERTH_ERR_NOT_FOUND)
                        return r;
        }
        return 0;
}

int pod_owner_claim(struct controller_run *run, int resource, const struct json *workload,
                    struct arena *arena, struct pod_list *ret_pods, struct err *err) {
        const struct object_index *index = run->control->index;
        const struct entry_list *owned = object_index_dependents(index, object_uid(workload));
        const struct entry_list *orphans =
                object_index_pods(index, object_namespace(workload), false);
        struct claim claim = { .run = run, .resource = resource, .workload = workload };
        struct pod_list pods = { 0 };
        int r = read_selector(workload, resource == run->control->resource.replication_controllers,
                              arena, &claim.selector, err);

        if (r < 0)
                return r;
        claim.owner = object_index_owner(index, object_uid(workload));
        claim.changing.items =
                ARENA_ARRAY(arena, struct object_entry *, list_size(owned) + list_size(orphans));
        if (!object_is_deleted(workload) && !selector_is_empty(&claim.selector))
                find_changing(&claim, owned, orphans);
        r = change_owners(&claim, err);
        if (r < 0)
                return r;
        owned = object_index_dependents(index, object_uid(workload));
        claim.owner = object_index_owner(index, object_uid(workload));
        pods.items = ARENA_ARRAY(arena, struct object_entry *, list_size(owned));
        for (const struct entry_link *link = owned ? owned->first : NULL; link;
             link = link->after) {
                if (is_pod(link->entry) && link->entry->controller == claim.owner)
                        pods.items[pods.count++] = link->entry;
        }
        *ret_pods = pods;
        return 0;
}

bool pod_entry_is_active(const struct object_entry *entry) {
        return !entry->pod->is_deleted && entry->pod->phase != PHASE_SUCCEEDED &&
               entry->pod->phase != PHASE_FAILED;
}

bool pod_entry_is_available(const struct object_entry *entry, int64_t min_ready_s,
                            struct wall_time now, struct wall_time *due) {
        struct wall_time when = entry->pod->ready_since;

        if (!entry->pod->is_ready)
                return false;
        if (min_ready_s <= 0 || !wall_time_is_set(when))
                return true;
        when.ns += min_ready_s * NS_PER_S;
        if (when.ns <= now.ns)
                return true;
        if (!wall_time_is_set(*due) || when.ns < due->ns)
                *due = when;
        return false;
}

/* ---- pods from templates ---- */

void put_controller(struct controller_run *run, struct json_tree *tree, struct json_node *metadata,
                    int resource, const struct json *owner) {
        const struct resource_entry *entry = control_resources_find(run->control->table, resource);
        struct json_node *reference = node_object(tree);
        struct buf version = { 0 };

        resource_api_version(entry, &version);
        node_put_text(tree, reference, "apiVersion", buf_view(&version));
        node_put_string(tree, reference, "kind", entry->kind);
        node_put_text(tree, reference, "name", object_name(owner));
        node_put_text(tree, reference, "uid", object_uid(owner));
        node_put_bool(tree, reference, "controller", true);
        node_put_bool(tree, reference, "blockOwnerDeletion", true);
        node_append(node_need_array(tree, metadata, "ownerReferences"), reference);
        buf_release(&version);
}

struct json_node *pod_from_template(struct controller_run *run, struct json_tree *tree,
                                    int resource, const struct json *owner,
                                    const struct json *template) {
        static const char *const copied[] = { "labels", "annotations", "finalizers" };
        const struct json *template_metadata = json_get(template, "metadata");
        struct json_node *pod = node_object(tree);
        struct json_node *metadata = node_need_object(tree, pod, "metadata");
        struct buf prefix = { 0 };

        buf_printf(&prefix, SLICE_FMT "-", SLICE_ARG(object_name(owner)));
        node_put_text(tree, metadata, "generateName", buf_view(&prefix));
        buf_release(&prefix);
        for (size_t i = 0; i < ARRAY_LEN(copied); i++) {
                const struct json *value = json_get(template_metadata, copied[i]);

                if (value)
                        node_put(tree, metadata, copied[i], node_import(tree, value));
        }
        put_controller(run, tree, metadata, resource, owner);
        node_put(tree, pod, "spec", node_import(tree, json_get(template, "spec")));
        return pod;
}

int pod_owner_create(struct controller_run *run, int resource, const struct json *owner,
                     const struct json_node *pod, struct err *err) {
        struct json_doc *doc = NULL;
        struct err failure = { 0 };
        int r = object_create_read(run, run->control->resource.pods, object_namespace(owner), pod,
                                   &doc, &failure);

        if (r == 0)
                object_event(run, resource, owner, "SuccessfulCreate", "Created pod: " SLICE_FMT,
                             SLICE_ARG(object_name(json_doc_root(doc))));
        else if (r != BERTH_ERR_EXISTS)
                object_warning(run, resource, owner, "FailedCreate", "Error creating: %s",
                               failure.text);
        json_doc_free(doc);
        if (r < 0 && err)
                *err = failure;
        return r;
}

int pod_owner_delete(struct controller_run *run, int resource, const struct json *owner,
                     const struct object_entry *pod, struct err *err) {
        const struct store_object *ref = store_object_ref(pod->object);
        struct object_target target = { .resource = run->control->resource.pods,
                                        .ns = store_object_ns(ref),
                                        .name = store_object_name(ref) };
        int r = object_delete(run, &target, NULL, err);

        if (r == 0)
                object_event(run, resource, owner, "SuccessfulDelete", "Deleted pod: " SLICE_FMT,
                             SLICE_ARG(target.name));
        store_object_unref(ref);
        return r;
}
