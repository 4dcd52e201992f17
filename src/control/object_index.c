/* Object index: owners, namespaces and nodes, each a list of entries. */
#include "control/object_index.h"

#include "base/interner.h"
#include "base/map.h"
#include "base/util.h"
#include "control/change.h"
#include "control/control_resources.h"
#include <stdlib.h>

#define LABELS_MAX 256 /* looked at per pod */

struct ns_pods {
        struct entry_list owned, orphans;
};

struct object_index {
        struct store *store;
        const struct control_resources *table;
        int pods;
        struct map_u64 *entries; /* by address of the store object */
        struct map *owners;      /* by uid */
        struct map *namespaces;  /* struct ns_pods */
        struct map *nodes;       /* struct entry_list */
        size_t lost_count;       /* owners that are not alive */
        struct interner *interner;
        struct object_entry **gone; /* entries to free at the next sweep */
        size_t gone_count, gone_cap;
};

struct object_index *object_index_new(struct store *store, const struct control_resources *table,
                                      int pods) {
        struct object_index *index = xcalloc(1, sizeof(*index));

        index->store = store;
        index->table = table;
        index->pods = pods;
        index->entries = map_u64_new();
        index->owners = map_new();
        index->namespaces = map_new();
        index->nodes = map_new();
        index->interner = interner_new();
        return index;
}

/* A pod's entry and its facts are one piece of memory: there are many. */
struct pod_entry {
        struct object_entry entry;
        struct pod_facts facts;
};

static struct object_entry *entry_new(bool is_pod) {
        struct pod_entry *pod;

        if (!is_pod)
                return xcalloc(1, sizeof(struct object_entry));
        pod = xcalloc(1, sizeof(*pod));
        pod->entry.pod = &pod->facts;
        return &pod->entry;
}

static void entry_free(struct object_entry *entry) {
        store_object_unref(entry->object);
        if (entry->pod)
                free(entry->pod->labels);
        free(entry->links);
        free(entry);
}

void object_index_free(struct object_index *index) {
        size_t at = 0;
        void *entry;

        if (!index)
                return;
        while (map_u64_next(index->entries, &at, NULL, &entry))
                entry_free(entry);
        map_u64_free(index->entries);
        object_index_sweep(index);
        free(index->gone);
        map_free_values(index->owners);
        map_free_values(index->namespaces);
        map_free_values(index->nodes);
        interner_free(index->interner);
        free(index);
}

/* ---- lists ---- */

static void link_into(struct entry_link *link, struct object_entry *entry,
                      struct entry_list *list) {
        *link = (struct entry_link){ .entry = entry, .list = list, .before = list->last };
        if (list->last)
                list->last->after = link;
        else
                list->first = link;
        list->last = link;
        list->count++;
}

static void unlink_from(struct entry_link *link) {
        struct entry_list *list = link->list;

        if (!list)
                return;
        if (link->before)
                link->before->after = link->after;
        else
                list->first = link->after;
        if (link->after)
                link->after->before = link->before;
        else
                list->last = link->before;
        list->count--;
        link->list = NULL;
}

static void *object_index_need(struct map *map, struct slice key, size_t size) {
        void *value = map_get(map, key);

        if (!value) {
                value = xcalloc(1, size);
                map_put(map, key, value);
        }
        return value;
}

/* ---- owners ---- */

static bool owner_exists(const struct object_index *index, const struct json *reference,
                         struct slice ns) {
        const struct resource_entry *kind = control_resources_find_kind(
                index->table, api_version_group(json_get_text(reference, "apiVersion")),
                json_get_text(reference, "kind"));
        struct json_doc *doc = NULL;

        if (!kind)
                return true;
        const struct store_object *object =
                store_get(index->store, kind->resource, kind->is_namespaced ? ns : SLICE_EMPTY,
                          json_get_text(reference, "name"));
        if (!object || json_parse(store_object_body(object), &doc, NULL) < 0)
                return false;
        bool is_same = slice_eq(json_get_text(json_get(json_doc_root(doc), "metadata"), "uid"),
                                json_get_text(reference, "uid"));
        json_doc_free(doc);
        return is_same;
}

static struct owner *owner_need(struct object_index *index, const struct json *reference,
                                struct slice ns) {
        struct slice uid = json_get_text(reference, "uid");
        struct owner *owner = map_get(index->owners, uid);

        if (owner)
                return owner;
        owner = xcalloc(1, sizeof(*owner) + uid.len + 1);
        if (uid.len)
                memcpy(owner->uid, uid.ptr, uid.len);
        owner->is_alive = owner_exists(index, reference, ns);
        index->lost_count += !owner->is_alive;
        map_put(index->owners, uid, owner);
        return owner;
}

static void unlink_owners(struct object_index *index, struct object_entry *entry) {
        for (uint32_t i = 0; i < entry->link_count; i++) {
                struct owner *owner = CONTAINER_OF(entry->links[i].list, struct owner, dependents);

                unlink_from(&entry->links[i]);
                if (owner->dependents.count)
                        continue;
                map_remove(index->owners, slice_of(owner->uid));
                index->lost_count -= !owner->is_alive;
                free(owner);
        }
        free(entry->links);
        entry->links = NULL;
        entry->link_count = 0;
        entry->controller = NULL;
}

static void link_owners(struct object_index *index, struct object_entry *entry,
                        const struct json *references) {
        struct json_iter iter = json_iter(references);
        const struct json *reference;
        size_t count = json_count(references);

        if (count == 0)
                return;
        entry->links = xcalloc(count, sizeof(entry->links[0]));
        while (json_next(&iter, NULL, &reference)) {
                struct owner *owner = owner_need(index, reference, store_object_ns(entry->object));

                link_into(&entry->links[entry->link_count++], entry, &owner->dependents);
                if (json_get_bool(reference, "controller", false))
                        entry->controller = owner;
        }
}

/* ---- pods ---- */

static void drop_labels(struct object_index *index, struct pod_facts *pod) {
        for (size_t i = 0; i < pod->label_count * 2; i++)
                interner_unref(index->interner, pod->labels[i]);
        free(pod->labels);
        pod->labels = NULL;
        pod->label_count = 0;
}

static void read_labels(struct object_index *index, struct pod_facts *pod,
                        const struct json *labels) {
        struct json_iter iter = json_iter(labels);
        size_t count = json_count(labels);
        const struct json *value;
        struct slice key;

        drop_labels(index, pod);
        if (count == 0)
                return;
        pod->labels = xcalloc(count * 2, sizeof(pod->labels[0]));
        while (pod->label_count < LABELS_MAX && json_next(&iter, &key, &value)) {
                struct str_id *pair = &pod->labels[pod->label_count++ * 2];

                pair[0] = interner_add(index->interner, key);
                pair[1] = interner_add(index->interner, json_text(value));
        }
}

static uint8_t phase_of(struct slice text) {
        static const char *const names[] = { "Pending", "Running", "Succeeded", "Failed" };

        for (uint8_t i = 0; i < ARRAY_LEN(names); i++) {
                if (slice_is(text, names[i]))
                        return i;
        }
        return text.len ? PHASE_UNKNOWN : PHASE_PENDING;
}

static void read_status(struct pod_facts *pod, const struct json *status) {
        struct json_iter iter = json_iter(json_get(status, "conditions"));
        const struct json *condition;

        pod->phase = phase_of(json_get_text(status, "phase"));
        pod->is_ready = false;
        pod->ready_since = WALL_TIME_UNSET;
        while (json_next(&iter, NULL, &condition)) {
                if (!slice_is(json_get_text(condition, "type"), "Ready"))
                        continue;
                pod->is_ready = slice_is(json_get_text(condition, "status"), "True");
                if (pod->is_ready)
                        wall_time_parse(json_get_text(condition, "lastTransitionTime"),
                                        &pod->ready_since);
        }
}

static void read_pod(struct object_index *index, struct object_entry *entry,
                     const struct json *object) {
        const struct json *metadata = json_get(object, "metadata");
        struct slice node = json_get_text(json_get(object, "spec"), "nodeName");
        struct ns_pods *pods =
                object_index_need(index->namespaces, store_object_ns(entry->object), sizeof(*pods));
        struct entry_list *home = entry->controller ? &pods->owned : &pods->orphans;
        struct pod_facts *pod = entry->pod;

        read_labels(index, pod, json_get(metadata, "labels"));
        read_status(pod, json_get(object, "status"));
        pod->is_deleted = json_get(metadata, "deletionTimestamp");
        if (pod->ns_link.list != home) {
                unlink_from(&pod->ns_link);
                link_into(&pod->ns_link, entry, home);
        }
        if (node.len && !pod->is_bound) { /* a pod never changes its node */
                pod->is_bound = true;
                link_into(&pod->node_link, entry,
                          object_index_need(index->nodes, node, sizeof(struct entry_list)));
        }
}

/* ---- changes ---- */

static bool is_same_owners(struct object_entry *entry, const struct json *references) {
        struct json_iter iter = json_iter(references);
        const struct json *reference;
        struct owner *controller = NULL;

        if (json_count(references) != entry->link_count)
                return false;
        for (uint32_t i = 0; json_next(&iter, NULL, &reference); i++) {
                struct owner *owner = CONTAINER_OF(entry->links[i].list, struct owner, dependents);

                if (!slice_is(json_get_text(reference, "uid"), owner->uid))
                        return false;
                if (json_get_bool(reference, "controller", false))
                        controller = owner;
        }
        return controller == entry->controller;
}

static uint64_t object_index_address(const struct store_object *object) {
        return (uint64_t)(uintptr_t)object;
}

/* A caller that iterates a list of entries may still hold this one: it stays until the sweep. */
static void object_index_bury(struct object_index *index, struct object_entry *entry) {
        if (index->gone_count == index->gone_cap) {
                index->gone_cap = index->gone_cap ? index->gone_cap * 2 : 16;
                index->gone = xreallocarray(index->gone, index->gone_cap, sizeof(index->gone[0]));
        }
        index->gone[index->gone_count++] = entry;
}

void object_index_sweep(struct object_index *index) {
        for (size_t i = 0; i < index->gone_count; i++) {
                if (index->gone[i]->pod)
                        drop_labels(index, index->gone[i]->pod);
                entry_free(index->gone[i]);
        }
        index->gone_count = 0;
}

static void object_index_forget(struct object_index *index, const struct store_object *object) {
        struct object_entry *entry = map_u64_remove(index->entries, object_index_address(object));

        if (!entry)
                return;
        unlink_owners(index, entry);
        if (entry->pod) {
                unlink_from(&entry->pod->ns_link);
                unlink_from(&entry->pod->node_link);
                entry->pod->is_deleted = true;
        }
        object_index_bury(index, entry);
}

static void owner_is_gone(struct object_index *index, const struct json *object) {
        struct owner *owner =
                map_get(index->owners, json_get_text(json_get(object, "metadata"), "uid"));

        if (!owner)
                return;
        index->lost_count += owner->is_alive;
        owner->is_alive = false;
}

/* Of objects that bring their uid along, dependents may come first. */
static void owner_is_there(struct object_index *index, const struct json *object) {
        struct owner *owner =
                map_get(index->owners, json_get_text(json_get(object, "metadata"), "uid"));

        if (!owner || owner->is_alive)
                return;
        index->lost_count--;
        owner->is_alive = true;
}

void object_index_change(struct object_index *index, struct change *change) {
        const struct store_event *event = change->event;
        bool is_pod = change->resource == index->pods;
        struct object_entry *entry = NULL;

        if (event->type == STORE_DELETED) {
                owner_is_gone(index, change_object(change));
                object_index_forget(index, event->previous);
                return;
        }
        if (index->lost_count && !event->previous)
                owner_is_there(index, change_object(change));
        if (event->previous)
                entry = map_u64_remove(index->entries, object_index_address(event->previous));
        if (!entry && !is_pod && !object_mentions(event->object, "\"ownerReferences\""))
                return;
        if (!entry)
                entry = entry_new(is_pod);
        store_object_unref(entry->object);
        entry->object = store_object_ref(event->object);
        map_u64_put(index->entries, object_index_address(event->object), entry);
        const struct json *references =
                json_get(json_get(change_object(change), "metadata"), "ownerReferences");
        if (!is_same_owners(entry, references)) {
                unlink_owners(index, entry);
                link_owners(index, entry, references);
        }
        if (!is_pod)
                return;
        read_pod(index, entry, change_object(change));
}

/* ---- questions ---- */

struct object_entry *object_index_find(const struct object_index *index, int resource,
                                       struct slice ns, struct slice name) {
        const struct store_object *object = store_get(index->store, resource, ns, name);

        return object ? map_u64_get(index->entries, object_index_address(object)) : NULL;
}

struct owner *object_index_owner(const struct object_index *index, struct slice uid) {
        return map_get(index->owners, uid);
}

const struct entry_list *object_index_dependents(const struct object_index *index,
                                                 struct slice uid) {
        struct owner *owner = map_get(index->owners, uid);

        return owner ? &owner->dependents : NULL;
}

const struct entry_list *object_index_pods(const struct object_index *index, struct slice ns,
                                           bool has_controller) {
        struct ns_pods *pods = map_get(index->namespaces, ns);

        if (!pods)
                return NULL;
        return has_controller ? &pods->owned : &pods->orphans;
}

const struct entry_list *object_index_pods_on(const struct object_index *index, struct slice node) {
        return map_get(index->nodes, node);
}

bool pod_entry_matches(const struct object_index *index, const struct object_entry *entry,
                       const struct selector *selector) {
        struct label labels[LABELS_MAX];
        const struct pod_facts *pod = entry->pod;

        for (size_t i = 0; i < pod->label_count; i++) {
                labels[i].key = interner_text(index->interner, pod->labels[i * 2]);
                labels[i].value = interner_text(index->interner, pod->labels[i * 2 + 1]);
        }
        return selector_matches(selector,
                                (struct label_list){ .count = pod->label_count, .items = labels });
}

struct slice pod_entry_label(const struct object_index *index, const struct object_entry *entry,
                             struct slice key) {
        const struct pod_facts *pod = entry->pod;

        for (size_t i = 0; i < pod->label_count; i++) {
                if (slice_eq(interner_text(index->interner, pod->labels[i * 2]), key))
                        return interner_text(index->interner, pod->labels[i * 2 + 1]);
        }
        return SLICE_EMPTY;
}
