/* metadata.managedFields: who wrote what.
 *
 * Plain writers get an entry without a field set, because their sets are not needed and would
 * double the size of every object. Such entries own together whatever no recorded set holds. Sets
 * are recorded for appliers, and for plain writers that change what an applier owned. */
#include "base/util.h"
#include "schema/field_set.h"
#include "server/api_context.h"
#include "server/api_metadata.h"
#include "server/api_store.h"
#include <stdlib.h>

static bool is_entry_of(const struct json_node *entry, const struct api_context *context,
                        const struct api_write *write) {
        return slice_eq(node_get_text(entry, "manager"), context->manager) &&
               slice_is(node_get_text(entry, "operation"), write->is_apply ? "Apply" : "Update") &&
               slice_eq(node_get_text(entry, "subresource"), write->subresource);
}

struct json_node *managed_entry(const struct api_context *context, const struct api_write *write,
                                struct json_node *list) {
        struct node_iter iter = node_iter(list);
        struct json_node *entry;

        while (node_next(&iter, NULL, &entry)) {
                if (is_entry_of(entry, context, write))
                        return entry;
        }
        return NULL;
}

struct json_node *managed_rest(const struct api_write *write, const struct json_node *list,
                               const struct json_node *live, const struct json_node **ret_entry) {
        struct node_iter iter = node_iter(list);
        struct json_node *entry;

        *ret_entry = NULL;
        while (node_next(&iter, NULL, &entry)) {
                if (!*ret_entry && field_set_is_empty(node_get(entry, "fieldsV1")) &&
                    slice_is(node_get_text(entry, "operation"), "Update"))
                        *ret_entry = entry;
        }
        if (!*ret_entry)
                return NULL;
        struct json_node *rest = field_set_of(write->tree, write->resource->schema, live);
        iter = node_iter(list);
        while (node_next(&iter, NULL, &entry))
                field_set_subtract(rest, node_get(entry, "fieldsV1"));
        return rest;
}

static bool has_recorded_sets(const struct json_node *list) {
        struct node_iter iter = node_iter(list);
        struct json_node *entry;

        while (node_next(&iter, NULL, &entry)) {
                if (!field_set_is_empty(node_get(entry, "fieldsV1")))
                        return true;
        }
        return false;
}

/* Who uses client-side apply may later change to server-side apply; kubectl then wants to see which
 * fields were its. */
static bool is_client_side_applied(const struct json_node *metadata) {
        return node_get(node_get(metadata, "annotations"),
                        "kubectl.kubernetes.io/last-applied-configuration");
}

/* Changed fields leave the recorded sets of others and join the writer's. */
static void take_over(struct api_write *write, struct json_node *list, struct json_node *mine,
                      bool is_new) {
        const struct schema_object *schema = write->resource->schema;
        struct json_node *before = node_import(write->tree, write->old_json);
        struct json_node *touched =
                field_set_changed(write->tree, schema, before, write->object, true);
        struct json_node *set = node_get(mine, "fieldsV1");
        struct node_iter iter = node_iter(list);
        struct json_node *entry;

        while (node_next(&iter, NULL, &entry)) {
                if (entry != mine)
                        field_set_subtract(node_get(entry, "fieldsV1"), touched);
        }
        if (is_new || !field_set_is_empty(set))
                field_set_add(write->tree, set,
                              field_set_changed(write->tree, schema, before, write->object, false));
}

struct managed_entry {
        struct json_node *node;
        size_t place;
};

/* Appliers first, then by time and name; equal ones keep their order. */
static int managed_order(const void *left, const void *right) {
        static const char *const members[] = { "operation", "time", "manager" };
        const struct managed_entry *a = left, *b = right;

        for (size_t i = 0; i < ARRAY_LEN(members); i++) {
                int order = slice_compare(node_get_text(a->node, members[i]),
                                          node_get_text(b->node, members[i]));

                if (order)
                        return order;
        }
        return a->place < b->place ? -1 : a->place > b->place;
}

/* Appliers that own nothing any more go. */
static bool is_ownerless(const struct json_node *entry) {
        return slice_is(node_get_text(entry, "operation"), "Apply") &&
               field_set_is_empty(node_get(entry, "fieldsV1"));
}

static void managed_fields_tidy(struct json_node *list) {
        struct managed_entry *entries = xcalloc(node_count(list) + 1, sizeof(*entries));
        struct node_iter iter = node_iter(list);
        struct json_node *entry;
        size_t count = 0;

        while (node_next(&iter, NULL, &entry))
                if (!is_ownerless(entry)) {
                        entries[count] = (struct managed_entry){ entry, count };
                        count++;
                }
        qsort(entries, count, sizeof(*entries), managed_order);
        node_array_clear(list);
        for (size_t i = 0; i < count; i++)
                node_append(list, entries[i].node);
        free(entries);
}

void manage_fields(struct api_context *context, struct api_write *write) {
        struct json_node *metadata = node_get(write->object, "metadata");
        struct json_node *list = node_need_array(write->tree, metadata, "managedFields");
        struct json_node *entry = managed_entry(context, write, list);
        bool is_new = !entry;
        char now[WALL_TIME_TEXT_MAX];

        if (!list)
                return;
        if (is_new) {
                entry = node_object(write->tree);
                node_put_text(write->tree, entry, "manager", context->manager);
                node_put_string(write->tree, entry, "operation",
                                write->is_apply ? "Apply" : "Update");
                node_append(list, entry);
        }
        wall_time_format(loop_wall(context->engine->loop), now);
        node_put_string(write->tree, entry, "apiVersion", write->resource->api_version);
        node_put_string(write->tree, entry, "time", now);
        node_put_string(write->tree, entry, "fieldsType", "FieldsV1");
        if (write->applied_set)
                node_put(write->tree, entry, "fieldsV1", write->applied_set);
        else if (!write->old_json && is_client_side_applied(metadata))
                node_put(write->tree, entry, "fieldsV1",
                         field_set_of(write->tree, write->resource->schema, write->object));
        else if (!node_get(entry, "fieldsV1"))
                node_put(write->tree, entry, "fieldsV1", node_object(write->tree));
        if (write->subresource.len)
                node_put_text(write->tree, entry, "subresource", write->subresource);
        if (!has_recorded_sets(list))
                return;
        if (!write->is_apply && write->old_json)
                take_over(write, list, entry, is_new);
        managed_fields_tidy(list);
}

/* [] and [{}] ask for no owners at all. */
void clear_empty_owners(struct api_write *write) {
        struct json_node *metadata = node_get(write->object, "metadata");
        const struct json_node *list = node_get(metadata, "managedFields");

        if (node_count(list) == 0 ||
            (node_count(list) == 1 && node_get_text(node_at(list, 0), "manager").len == 0))
                node_remove(metadata, "managedFields");
}

bool has_new_owners(const struct api_write *write) {
        const struct json *before =
                json_get(json_get(write->old_json, "metadata"), "managedFields");
        struct json_node *old = before ? node_import(write->tree, before) : node_array(write->tree);
        const struct json_node *given =
                node_get(node_get(write->object, "metadata"), "managedFields");
        struct json_node *now = given ? node_clone(write->tree, given) : node_array(write->tree);
        struct node_iter iter = node_iter(old);
        struct json_node *entry;

        while (node_next(&iter, NULL, &entry))
                node_remove(entry, "time");
        iter = node_iter(now);
        while (node_next(&iter, NULL, &entry))
                node_remove(entry, "time");
        return !node_equal(old, now);
}
