/* Controller revisions: stored as upstream stores them, so that kubectl can show and undo them. */
#include "control/revision.h"

#include "base/util.h"
#include <stdlib.h>

#define HASH_LABEL "controller-revision-hash"

static int revision_compare(const void *left, const void *right) {
        const struct revision *a = left, *b = right;

        if (a->number != b->number)
                return a->number < b->number ? -1 : 1;
        return slice_compare(a->name, b->name);
}

static void read_revision(struct revision *revision) {
        revision->object = json_doc_root(revision->doc);
        const struct json *metadata = json_get(revision->object, "metadata");
        revision->name = json_get_text(metadata, "name");
        revision->hash = json_get_text(json_get(metadata, "labels"), HASH_LABEL);
        revision->number = json_get_i64(revision->object, "revision", 0);
}

static void find_all(struct controller_run *run, const struct json *owner, struct arena *arena,
                     struct revision_list *list) {
        const struct control *control = run->control;
        const struct entry_list *owned = object_index_dependents(control->index, object_uid(owner));

        list->items = ARENA_ARRAY(arena, struct revision, (owned ? owned->count : 0) + 1);
        for (struct entry_link *link = owned ? owned->first : NULL; link; link = link->after) {
                struct revision *revision = &list->items[list->count];

                if (link->entry->object->resource != control->resource.revisions ||
                    !entry_read(link->entry, &revision->doc))
                        continue;
                read_revision(revision);
                list->count++;
        }
        qsort(list->items, list->count, sizeof(list->items[0]), revision_compare);
}

const struct json *revision_template(const struct revision *revision) {
        return json_get(json_get(json_get(revision->object, "data"), "spec"), "template");
}

/* The data of a revision is a patch that replaces the template. */
static struct json_node *data_node(struct json_tree *tree, const struct json *owner) {
        struct json_node *data = node_object(tree), *template;

        template = node_import(tree, json_get(json_get(owner, "spec"), "template"));
        node_put_string(tree, template, "$patch", "replace");
        node_put(tree, node_need_object(tree, data, "spec"), "template", template);
        return data;
}

/* As stored here: API servers before 1.34 wrote the creation time of a template, which is null. */
static struct json_node *stored_data(struct json_tree *tree, const struct revision *revision) {
        struct json_node *data = node_import(tree, json_get(revision->object, "data"));
        struct json_node *template = node_get(node_get(data, "spec"), "template");

        node_remove_nulls(node_get(template, "metadata"));
        return data;
}

static struct revision *find_equal(struct revision_list *list, const struct json *owner) {
        struct json_tree *tree = json_tree_new();
        struct json_node *wanted = data_node(tree, owner);
        struct revision *found = NULL;

        for (size_t i = 0; i < list->count && !found; i++) {
                if (node_equal(stored_data(tree, &list->items[i]), wanted))
                        found = &list->items[i];
        }
        json_tree_free(tree);
        return found;
}

/* Pods that were brought from another cluster without the revisions of their owner stay current. */
static void adopt_hash(const struct controller_run *run, const struct json *owner,
                       char hash[static TEMPLATE_HASH_SIZE]) {
        const struct object_index *index = run->control->index;
        const struct entry_list *owned = object_index_dependents(index, object_uid(owner));
        struct slice name = object_name(owner);

        for (struct entry_link *link = owned ? owned->first : NULL; link; link = link->after) {
                struct slice label = SLICE_EMPTY;

                if (link->entry->pod)
                        label = pod_entry_label(index, link->entry, SLICE_LITERAL(HASH_LABEL));
                if (label.len > name.len + 1 && slice_has_prefix(label, name) &&
                    label.ptr[name.len] == '-')
                        label = slice_make(label.ptr + name.len + 1, label.len - name.len - 1);
                if (!label.len || label.len >= TEMPLATE_HASH_SIZE)
                        continue;
                memcpy(hash, label.ptr, label.len);
                hash[label.len] = '\0';
                return;
        }
}

static int revision_create(struct controller_run *run, int resource, const struct json *owner,
                           struct revision *revision, struct err *err) {
        const struct json *template = json_get(json_get(owner, "spec"), "template");
        struct json_tree *tree = json_tree_new();
        struct json_node *object = node_object(tree), *metadata, *labels;
        char hash[TEMPLATE_HASH_SIZE];
        struct buf name = { 0 };

        template_hash(template, json_get_i64(json_get(owner, "status"), "collisionCount", 0), hash);
        if (revision->number == 1)
                adopt_hash(run, owner, hash);
        buf_printf(&name, SLICE_FMT "-%s", SLICE_ARG(object_name(owner)), hash);
        metadata = node_need_object(tree, object, "metadata");
        node_put_text(tree, metadata, "name", buf_view(&name));
        labels = node_import(tree, json_get(json_get(template, "metadata"), "labels"));
        if (node_type(labels) == JSON_OBJECT)
                node_put(tree, metadata, "labels", labels);
        node_put_string(tree, node_need_object(tree, metadata, "labels"), HASH_LABEL, hash);
        put_controller(run, tree, metadata, resource, owner);
        node_put(tree, object, "data", data_node(tree, owner));
        node_put_i64(tree, object, "revision", revision->number);
        int r = object_create_read(run, run->control->resource.revisions, object_namespace(owner),
                                   object, &revision->doc, err);
        if (r == 0)
                read_revision(revision);
        buf_release(&name);
        json_tree_free(tree);
        return r;
}

static int revision_renumber(struct controller_run *run, const struct json *owner,
                             struct revision *revision, int64_t number, struct err *err) {
        struct object_target target = { .resource = run->control->resource.revisions,
                                        .ns = object_namespace(owner),
                                        .name = revision->name };
        struct json_tree *tree = json_tree_new();
        struct json_node *patch = node_object(tree);

        node_put_i64(tree, patch, "revision", number);
        int r = object_merge(run, &target, patch, err);
        json_tree_free(tree);
        revision->number = number;
        return r;
}

int revision_sync(struct controller_run *run, int resource, const struct json *owner,
                  struct arena *arena, struct revision_list *ret_list, struct err *err) {
        struct revision_list list = { 0 };
        int r = 0;

        find_all(run, owner, arena, &list);
        int64_t last = list.count ? list.items[list.count - 1].number : 0;
        list.current = find_equal(&list, owner);
        if (!list.current) {
                struct revision *fresh = &list.items[list.count];

                fresh->number = last + 1;
                r = revision_create(run, resource, owner, fresh, err);
                if (r == 0) {
                        list.count++;
                        list.current = fresh;
                }
        } else if (list.current->number < last) {
                r = revision_renumber(run, owner, list.current, last + 1, err);
        }
        if (r < 0)
                revision_list_release(&list);
        else
                *ret_list = list;
        return r;
}

void revision_list_release(struct revision_list *list) {
        for (size_t i = 0; i < list->count; i++)
                json_doc_free(list->items[i].doc);
        list->count = 0;
}

const struct revision *revision_find(const struct revision_list *list, struct slice name) {
        for (size_t i = 0; i < list->count; i++) {
                if (slice_eq(list->items[i].name, name))
                        return &list->items[i];
        }
        return NULL;
}

int revision_forget(struct controller_run *run, const struct json *owner,
                    const struct revision_list *list, const struct revision_usage *usage,
                    struct err *err) {
        int64_t excess = -usage->limit;

        for (size_t i = 0; i < list->count; i++)
                excess += !usage->is_used(usage->context, &list->items[i]);
        for (size_t i = 0; i < list->count && excess > 0; i++) {
                struct object_target target = { .resource = run->control->resource.revisions,
                                                .ns = object_namespace(owner),
                                                .name = list->items[i].name };

                if (usage->is_used(usage->context, &list->items[i]))
                        continue;
                int r = object_delete(run, &target, NULL, err);
                if (r < 0)
                        return r;
                excess--;
        }
        return 0;
}
