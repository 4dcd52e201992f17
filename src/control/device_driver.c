/* Simulated drivers of devices: what the annotations of nodes describe, they publish as
 * ResourceSlices, one pool for each driver and node. The kubelets' part is kubelet_claims.c. */
#include "base/util.h"
#include "control/device_slices.h"
#include "control/lifecycle.h"
#include "control/pod_owner.h"
#include <stdio.h>

#define DEVICES_KEY "devices"
#define TAINTS_KEY "device-taints"
#define DIGEST_ANNOTATION LIFECYCLE_PREFIX "digest" /* of the description, on each slice */
#define DIGEST_SIZE 20

static void device_driver_changed(struct controller_run *run, struct change *change) {
        const struct resource_numbers *number = &run->control->resource;
        const struct store_event *event = change->event;

        if (change->resource == number->nodes && event->type != STORE_DELETED) {
                const struct json *now = json_get(change_object(change), "metadata");
                const struct json *before = json_get(change_previous(change), "metadata");
                bool has_devices = object_mentions(event->object, LIFECYCLE_PREFIX DEVICES_KEY);
                bool had_devices = event->previous &&
                                   object_mentions(event->previous, LIFECYCLE_PREFIX DEVICES_KEY);

                if ((has_devices || had_devices) &&
                    !json_equal(json_get(now, "annotations"), json_get(before, "annotations")))
                        work_queue_add(run->queue, SLICE_EMPTY, store_object_name(event->object));
        } else if (change->resource == number->resource_slices && event->type != STORE_ADDED &&
                   object_mentions(event->object, DIGEST_ANNOTATION)) {
                work_queue_add(run->queue, SLICE_EMPTY,
                               json_get_text(json_get(change_object(change), "spec"), "nodeName"));
        }
}

/* ---- what is published ---- */

struct published {
        struct json_doc **docs; /* of the slices of one driver and node */
        size_t count;
        int64_t generation;
        bool is_current; /* all are of this digest */
};
struct device_publishing { /* of one node */
        struct controller_run *run;
        const struct json *node;
        struct device_layout layout;
        struct device_taint_list taints;
        struct arena arena;
        char digest[DIGEST_SIZE];
        struct buf wanted; /* names of the slices that are to be there, a line each */
};

static bool is_published(const struct device_publishing *publishing,
                         const struct object_entry *entry) {
        return entry->object->resource == publishing->run->control->resource.resource_slices &&
               object_mentions(entry->object, DIGEST_ANNOTATION);
}

static const struct entry_list *slices_of(const struct device_publishing *publishing) {
        return object_index_dependents(publishing->run->control->index,
                                       object_uid(publishing->node));
}

static struct published published_read(struct device_publishing *publishing, struct slice driver) {
        const struct entry_list *all = slices_of(publishing);
        struct published published = { .is_current = true };

        published.docs = ARENA_ARRAY(&publishing->arena, struct json_doc *, all ? all->count : 0);
        for (const struct entry_link *link = all ? all->first : NULL; link; link = link->after) {
                struct json_doc *doc = NULL;

                if (!is_published(publishing, link->entry))
                        continue;
                const struct json *slice = entry_read(link->entry, &doc);
                const struct json *spec = json_get(slice, "spec");
                int64_t generation = json_get_i64(json_get(spec, "pool"), "generation", 0);
                if (!slice_eq(json_get_text(spec, "driver"), driver)) {
                        json_doc_free(doc);
                        continue;
                }
                published.docs[published.count++] = doc;
                published.generation =
                        generation > published.generation ? generation : published.generation;
                published.is_current &=
                        slice_is(object_annotation(slice, DIGEST_ANNOTATION), publishing->digest);
        }
        return published;
}

static void published_release(struct published *published) {
        for (size_t i = 0; i < published->count; i++)
                json_doc_free(published->docs[i]);
}

static struct slice taint_time(const struct json *device, const struct device_taint_fact *fact) {
        struct json_iter iter = json_iter(json_get(device, "taints"));
        const struct json *taint;

        while (json_next(&iter, NULL, &taint)) {
                if (slice_eq(json_get_text(taint, "key"), fact->key) &&
                    slice_eq(json_get_text(taint, "value"), fact->value) &&
                    slice_eq(json_get_text(taint, "effect"), fact->effect))
                        return json_get_text(taint, "timeAdded");
        }
        return SLICE_EMPTY;
}

/* A taint keeps its time when something else changes. */
static struct slice known_time(const void *context, struct slice name,
                               const struct device_taint_fact *taint) {
        const struct published *published = context;

        for (size_t i = 0; i < published->count; i++) {
                struct json_iter iter = json_iter(
                        json_get(json_get(json_doc_root(published->docs[i]), "spec"), "devices"));
                const struct json *device;

                while (json_next(&iter, NULL, &device)) {
                        if (slice_eq(json_get_text(device, "name"), name))
                                return taint_time(device, taint);
                }
        }
        return SLICE_EMPTY;
}

/* ---- publishing ---- */

static struct json_node *slice_object(struct device_publishing *publishing, struct json_tree *tree,
                                      const char *name, const struct json_node *spec) {
        struct json_node *object = node_object(tree), *owner = node_object(tree);
        struct json_node *metadata = node_need_object(tree, object, "metadata");

        node_put_string(tree, metadata, "name", name);
        node_put_string(tree, node_need_object(tree, metadata, "annotations"), DIGEST_ANNOTATION,
                        publishing->digest);
        node_put_string(tree, owner, "apiVersion", "v1");
        node_put_string(tree, owner, "kind", "Node");
        node_put_text(tree, owner, "name", object_name(publishing->node));
        node_put_text(tree, owner, "uid", object_uid(publishing->node));
        node_put_bool(tree, owner, "controller", true);
        node_append(node_need_array(tree, metadata, "ownerReferences"), owner);
        node_put(tree, object, "spec", node_clone(tree, spec));
        return object;
}

static int put_slice(struct device_publishing *publishing, struct json_tree *tree, const char *name,
                     const struct json_node *spec, struct err *err) {
        struct controller_run *run = publishing->run;
        struct object_target target = { .resource = run->control->resource.resource_slices,
                                        .name = slice_of(name) };
        struct json_node *object = slice_object(publishing, tree, name, spec);

        if (store_get(run->control->store, target.resource, SLICE_EMPTY, target.name))
                return object_put(run, &target, object, err);
        return object_create(run, target.resource, SLICE_EMPTY, object, err);
}

static const char *slice_name(struct device_publishing *publishing, const struct device_kind *kind,
                              size_t index) {
        return arena_printf(&publishing->arena, SLICE_FMT "-" SLICE_FMT "-%zu",
                            SLICE_ARG(object_name(publishing->node)), SLICE_ARG(kind->driver),
                            index);
}

static int publish_kind(struct device_publishing *publishing, const struct device_kind *kind,
                        struct err *err) {
        struct published published = published_read(publishing, kind->driver);
        struct json_tree *tree = json_tree_new();
        char now[WALL_TIME_TEXT_MAX];
        int r = 0;

        wall_time_format(control_now(publishing->run->control), now);
        struct json_node *specs = device_slices_make(
                &(struct device_slices_request){ .kind = kind,
                                                 .taints = &publishing->taints,
                                                 .node = object_name(publishing->node),
                                                 .generation = published.generation + 1,
                                                 .time_added = known_time,
                                                 .context = &published,
                                                 .now = slice_of(now) },
                tree, &publishing->arena);
        bool is_current = published.is_current && published.count == node_count(specs);
        for (size_t i = 0; i < node_count(specs); i++) {
                const char *name = slice_name(publishing, kind, i);

                buf_printf(&publishing->wanted, "%s\n", name);
                if (!is_current && r == 0)
                        r = put_slice(publishing, tree, name, node_at(specs, i), err);
        }
        published_release(&published);
        json_tree_free(tree);
        return r;
}

static bool is_wanted(const struct device_publishing *publishing, struct slice name) {
        struct slice rest = buf_view(&publishing->wanted), line;

        while (rest.len && slice_split(&rest, '\n', &line)) {
                if (slice_eq(line, name))
                        return true;
        }
        return false;
}

static int drop_slices(struct device_publishing *publishing, struct err *err) {
        struct controller_run *run = publishing->run;
        const struct entry_list *all = slices_of(publishing);
        struct entry_link *after;
        int r = 0;

        for (struct entry_link *link = all ? all->first : NULL; link && r == 0; link = after) {
                struct object_target target = { .resource =
                                                        run->control->resource.resource_slices };

                after = link->after;
                if (!is_published(publishing, link->entry) ||
                    is_wanted(publishing, store_object_name(link->entry->object)))
                        continue;
                const struct store_object *ref = store_object_ref(link->entry->object);
                target.name = store_object_name(ref);
                r = object_delete(run, &target, NULL, err);
                store_object_unref(ref);
        }
        return r;
}

static int publishing_read(struct device_publishing *publishing, struct err *err) {
        struct slice devices = object_annotation(publishing->node, LIFECYCLE_PREFIX DEVICES_KEY);
        struct slice taints = object_annotation(publishing->node, LIFECYCLE_PREFIX TAINTS_KEY);
        uint64_t digest = hash_bytes(devices.ptr, devices.len, 1);

        snprintf(publishing->digest, sizeof(publishing->digest), "%016llx",
                 (unsigned long long)hash_bytes(taints.ptr, taints.len, digest));
        int r = device_layout_parse(devices, &publishing->arena, &publishing->layout, err);
        if (r < 0)
                return err_wrap(err, LIFECYCLE_PREFIX DEVICES_KEY);
        r = device_taints_parse(taints, &publishing->arena, &publishing->taints, err);
        return r < 0 ? err_wrap(err, LIFECYCLE_PREFIX TAINTS_KEY) : 0;
}

static int device_driver_publish(struct controller_run *run, const struct json *node,
                                 struct err *err) {
        struct device_publishing publishing = { .run = run, .node = node };
        struct err complaint = { 0 };
        int r = 0;

        arena_init(&publishing.arena, 8192);
        if (publishing_read(&publishing, &complaint) < 0) {
                object_warning(run, run->control->resource.nodes, node, "InvalidLifecycle", "%s",
                               complaint.text);
        } else {
                for (size_t i = 0; r == 0 && i < publishing.layout.count; i++)
                        r = publish_kind(&publishing, &publishing.layout.kinds[i], err);
                if (r == 0)
                        r = drop_slices(&publishing, err);
        }
        buf_release(&publishing.wanted);
        arena_release(&publishing.arena);
        return r;
}

static int device_driver_reconcile(struct controller_run *run, struct slice ns, struct slice name,
                                   struct err *err) {
        struct json_doc *doc = NULL;
        const struct json *node =
                control_read(run->control, run->control->resource.nodes, ns, name, &doc);
        int r = 0;

        if (node && !object_is_deleted(node) && run->control->resource.resource_slices >= 0)
                r = device_driver_publish(run, node, err);
        json_doc_free(doc);
        return r;
}

const struct controller controller_device_driver = {
        .name = "device-driver",
        .component = "device-driver",
        .changed = device_driver_changed,
        .reconcile = device_driver_reconcile,
};
