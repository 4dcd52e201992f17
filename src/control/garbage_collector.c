/* Garbage collection: objects whose owners are gone go too; owners that wait for their dependents
 * (foreground) or leave them behind (orphan) get their way. */
#include "base/util.h"
#include "control/pod_owner.h"

#define FOREGROUND "foregroundDeletion"
#define ORPHAN "orphan"

/* Keys are "RESOURCE:NAME", as any resource may come. */
static void queue_object(struct controller_run *run, const struct store_object *object) {
        struct buf key = { 0 };

        buf_printf(&key, "%u:" SLICE_FMT, object->resource, SLICE_ARG(store_object_name(object)));
        work_queue_add(run->queue, store_object_ns(object), buf_view(&key));
        buf_release(&key);
}

static void queue_list(struct controller_run *run, const struct entry_list *list) {
        for (struct entry_link *link = list ? list->first : NULL; link; link = link->after)
                queue_object(run, link->entry->object);
}

/* Owners that wait for this object. */
static void queue_owners(struct controller_run *run, const struct json *object) {
        struct json_iter iter =
                json_iter(json_get(json_get(object, "metadata"), "ownerReferences"));
        const struct control *control = run->control;
        const struct json *reference;

        while (json_next(&iter, NULL, &reference)) {
                const struct resource_entry *kind = control_resources_find_kind(
                        control->table, api_version_group(json_get_text(reference, "apiVersion")),
                        json_get_text(reference, "kind"));
                const struct store_object *owner =
                        kind ? store_get(control->store, kind->resource,
                                         kind->is_namespaced ? object_namespace(object)
                                                             : SLICE_EMPTY,
                                         json_get_text(reference, "name"))
                             : NULL;

                if (owner && object_mentions(owner, "\"" FOREGROUND "\""))
                        queue_object(run, owner);
        }
}

static bool has_lost_owner(const struct object_entry *entry) {
        for (uint32_t i = 0; entry && i < entry->link_count; i++) {
                if (!CONTAINER_OF(entry->links[i].list, struct owner, dependents)->is_alive)
                        return true;
        }
        return false;
}

static bool has_finalizer(const struct json *object, const char *name) {
        struct json_iter iter = json_iter(json_get(json_get(object, "metadata"), "finalizers"));
        const struct json *item;

        while (json_next(&iter, NULL, &item)) {
                if (slice_is(json_text(item), name))
                        return true;
        }
        return false;
}

static void garbage_collector_changed(struct controller_run *run, struct change *change) {
        const struct store_event *event = change->event;
        const struct object_index *index = run->control->index;

        if (change->resource == run->control->resource.custom_definitions)
                work_queue_add(run->queue, SLICE_EMPTY, SLICE_LITERAL(":"));
        if (event->type == STORE_DELETED) {
                queue_list(run, object_index_dependents(index, object_uid(change_object(change))));
                if (object_mentions(event->object, "\"ownerReferences\""))
                        queue_owners(run, change_object(change));
                return;
        }
        if (has_lost_owner(object_index_find(index, change->resource,
                                             store_object_ns(event->object),
                                             store_object_name(event->object))) ||
            (object_mentions(event->object, "\"deletionTimestamp\"") &&
             (object_mentions(event->object, "\"" FOREGROUND "\"") ||
              object_mentions(event->object, "\"" ORPHAN "\""))))
                queue_object(run, event->object);
}

/* ---- changing metadata ---- */

struct subject {
        struct controller_run *run;
        struct object_target target;
        const struct json *object;
};

static int patch_list(const struct subject *subject, const char *member, struct json_tree *tree,
                      struct json_node *list, struct err *err) {
        struct json_node *patch = node_object(tree);

        node_put(tree, node_need_object(tree, patch, "metadata"), member, list);
        int r = object_merge(subject->run, &subject->target, patch, err);
        return r == BERTH_ERR_NOT_FOUND ? 0 : r;
}

static int drop_finalizer(const struct subject *subject, const char *name, struct err *err) {
        struct json_iter iter =
                json_iter(json_get(json_get(subject->object, "metadata"), "finalizers"));
        struct json_tree *tree = json_tree_new();
        struct json_node *list = node_array(tree);
        const struct json *item;

        while (json_next(&iter, NULL, &item)) {
                if (!slice_is(json_text(item), name))
                        node_append(list, node_import(tree, item));
        }
        int r = patch_list(subject, "finalizers", tree, list, err);
        json_tree_free(tree);
        return r;
}

/* ---- owners ---- */

enum owner_state { OWNER_SOLID, OWNER_GONE, OWNER_WAITING };

static enum owner_state state_of(const struct subject *subject, const struct json *reference) {
        const struct control *control = subject->run->control;
        const struct owner *owner =
                object_index_owner(control->index, json_get_text(reference, "uid"));
        const struct resource_entry *kind = control_resources_find_kind(
                control->table, api_version_group(json_get_text(reference, "apiVersion")),
                json_get_text(reference, "kind"));

        if (owner && !owner->is_alive)
                return OWNER_GONE;
        if (!kind)
                return OWNER_SOLID;
        const struct store_object *object =
                store_get(control->store, kind->resource,
                          kind->is_namespaced ? subject->target.ns : SLICE_EMPTY,
                          json_get_text(reference, "name"));
        return object && object_mentions(object, "\"deletionTimestamp\"") &&
                               object_mentions(object, "\"" FOREGROUND "\"")
                       ? OWNER_WAITING
                       : OWNER_SOLID;
}

/* Drops the references to owners that are gone, or to one given uid. */
static int drop_references(const struct subject *subject, struct slice uid, struct err *err) {
        struct json_iter iter =
                json_iter(json_get(json_get(subject->object, "metadata"), "ownerReferences"));
        struct json_tree *tree = json_tree_new();
        struct json_node *list = node_array(tree);
        const struct json *reference;

        while (json_next(&iter, NULL, &reference)) {
                bool is_dropped = uid.len ? slice_eq(json_get_text(reference, "uid"), uid)
                                          : state_of(subject, reference) != OWNER_SOLID;

                if (!is_dropped)
                        node_append(list, node_import(tree, reference));
        }
        int r = patch_list(subject, "ownerReferences", tree, list, err);
        json_tree_free(tree);
        return r;
}

static bool has_dependents(const struct subject *subject) {
        const struct entry_list *list =
                object_index_dependents(subject->run->control->index, object_uid(subject->object));

        return list && list->count;
}

static int garbage_collector_collect(const struct subject *subject, struct err *err) {
        struct json_iter iter =
                json_iter(json_get(json_get(subject->object, "metadata"), "ownerReferences"));
        size_t counts[3] = { 0 };
        const struct json *reference;
        const char *propagation = "Background";

        while (json_next(&iter, NULL, &reference))
                counts[state_of(subject, reference)]++;
        if (counts[OWNER_GONE] + counts[OWNER_WAITING] == 0)
                return 0;
        if (counts[OWNER_SOLID])
                return drop_references(subject, SLICE_EMPTY, err);
        if (has_finalizer(subject->object, ORPHAN))
                propagation = "Orphan";
        else if (has_finalizer(subject->object, FOREGROUND) ||
                 (counts[OWNER_WAITING] && has_dependents(subject)))
                propagation = "Foreground";
        return object_delete(subject->run, &subject->target,
                             &(struct object_deletion){ .uid = object_uid(subject->object),
                                                        .propagation = propagation },
                             err);
}

/* ---- dependents ---- */

/* Calls act for every dependent; they may go meanwhile. */
static int each_dependent(const struct subject *owner,
                          int (*act)(const struct subject *dependent, const struct subject *owner,
                                     bool *is_blocking, struct err *err),
                          bool *ret_is_blocked, struct err *err) {
        const struct entry_list *list =
                object_index_dependents(owner->run->control->index, object_uid(owner->object));
        struct entry_link *link = list ? list->first : NULL, *after;
        int r = 0;

        for (; link && r == 0; link = after) {
                const struct store_object *ref = store_object_ref(link->entry->object);
                struct json_doc *doc = NULL;
                struct subject dependent = {
                        .run = owner->run,
                        .target = { .resource = ref->resource,
                                    .ns = store_object_ns(ref),
                                    .name = store_object_name(ref) },
                        .object = entry_read(link->entry, &doc),
                };

                after = link->after;
                r = act(&dependent, owner, ret_is_blocked, err);
                json_doc_free(doc);
                store_object_unref(ref);
        }
        return r;
}

static bool is_blocking_reference(const struct json *object, struct slice uid) {
        struct json_iter iter =
                json_iter(json_get(json_get(object, "metadata"), "ownerReferences"));
        const struct json *reference;

        while (json_next(&iter, NULL, &reference)) {
                if (slice_eq(json_get_text(reference, "uid"), uid))
                        return json_get_bool(reference, "blockOwnerDeletion", false);
        }
        return false;
}

static int end_dependent(const struct subject *dependent, const struct subject *owner,
                         bool *is_blocking, struct err *err) {
        const struct control *control = owner->run->control;
        int r = object_is_deleted(dependent->object) ? 0
                                                     : garbage_collector_collect(dependent, err);

        if (store_get(control->store, dependent->target.resource, dependent->target.ns,
                      dependent->target.name))
                *is_blocking |= is_blocking_reference(dependent->object, object_uid(owner->object));
        return r;
}

static int free_dependent(const struct subject *dependent, const struct subject *owner,
                          bool *is_blocking, struct err *err) {
        (void)is_blocking;
        return drop_references(dependent, object_uid(owner->object), err);
}

static int garbage_collector_process(const struct subject *subject, struct err *err) {
        bool is_blocked = false;
        int r;

        if (!object_is_deleted(subject->object))
                return garbage_collector_collect(subject, err);
        if (has_finalizer(subject->object, ORPHAN)) {
                r = each_dependent(subject, free_dependent, &is_blocked, err);
                return r < 0 ? r : drop_finalizer(subject, ORPHAN, err);
        }
        if (!has_finalizer(subject->object, FOREGROUND))
                return 0;
        r = each_dependent(subject, end_dependent, &is_blocked, err);
        return r < 0 || is_blocked ? r : drop_finalizer(subject, FOREGROUND, err);
}

static int garbage_collector_reconcile(struct controller_run *run, struct slice ns,
                                       struct slice key, struct err *err) {
        struct slice name = key, number = SLICE_EMPTY;
        struct json_doc *doc = NULL;
        struct subject subject = { .run = run };
        int64_t resource;
        int r = 0;

        slice_split(&name, ':', &number);
        if (!slice_to_i64(number, &resource)) {
                control_resources_refresh(run->control->table); /* custom resources changed */
                return 0;
        }
        subject.target =
                (struct object_target){ .resource = (int)resource, .ns = ns, .name = name };
        subject.object = control_read(run->control, (int)resource, ns, name, &doc);
        if (subject.object)
                r = garbage_collector_process(&subject, err);
        json_doc_free(doc);
        return r;
}

const struct controller controller_garbage_collector = {
        .name = CONTROLLER_GARBAGE_COLLECTOR,
        .alias = "garbagecollector",
        .component = CONTROLLER_GARBAGE_COLLECTOR,
        .changed = garbage_collector_changed,
        .reconcile = garbage_collector_reconcile,
};
