/* Devices of classes, counted by node. */
#include "plugins/sched/device_tally.h"

#include "base/util.h"
#include <stdlib.h>

#define ROWS_MAX 32

struct node_tally {
        int64_t count, allocated; /* count 0: nothing can be said */
};
struct tally_row {
        char *class_name;                                   /* NULL: free */
        uint64_t serial, change_count, shared_change_count; /* of the inventory, as counted */
        uint64_t generation;                                /* of the cluster */
        struct bitset known;
        struct node_tally *nodes;
};
struct device_tally {
        struct device_view *view;
        struct device_inventory *inventory;
        struct tally_row rows[ROWS_MAX];
        size_t next; /* to be given away */
};

struct device_tally *device_tally_new(const struct device_gates *gates) {
        struct device_tally *tally = xcalloc(1, sizeof(*tally));

        tally->view = device_view_new(gates);
        for (size_t i = 0; i < ROWS_MAX; i++)
                bitset_init(&tally->rows[i].known);
        return tally;
}

void device_tally_free(struct device_tally *tally) {
        if (!tally)
                return;
        for (size_t i = 0; i < ROWS_MAX; i++) {
                free(tally->rows[i].class_name);
                free(tally->rows[i].nodes);
                bitset_release(&tally->rows[i].known);
        }
        device_view_free(tally->view);
        free(tally);
}

/* ---- what changed ---- */

static void forget_node(struct tally_row *row, struct node_id node) {
        if (node.index < row->known.bits)
                bitset_remove(&row->known, node.index);
}

static void forget_nodes(struct tally_row *row, const struct cluster_change *changes,
                         size_t count) {
        for (size_t i = 0; i < count; i++)
                if (changes[i].mask & DEVICE_NODE_CHANGES)
                        forget_node(row, changes[i].node);
}

/* False: too much changed. */
static bool catch_up(struct tally_row *row, const struct sched_cycle *cycle,
                     const struct device_inventory *inventory) {
        struct change_range range;

        if (row->known.bits != cluster_nodes(cycle->cluster)->count ||
            row->shared_change_count != inventory->shared_change_count ||
            inventory->change_count - row->change_count > DEVICE_CHANGES_MAX ||
            !cluster_changes_since(cycle->cluster, row->generation, &range))
                return false;
        forget_nodes(row, range.first, range.first_count);
        forget_nodes(row, range.second, range.second_count);
        for (uint64_t i = row->change_count; i < inventory->change_count; i++)
                forget_node(row, cluster_find_node(cycle->cluster,
                                                   device_inventory_change(inventory, i).node));
        return true;
}

static struct tally_row *find_row(struct device_tally *tally, struct slice class_name) {
        for (size_t i = 0; i < ROWS_MAX; i++)
                if (tally->rows[i].class_name && slice_is(class_name, tally->rows[i].class_name))
                        return &tally->rows[i];
        struct tally_row *row = &tally->rows[tally->next];
        tally->next = (tally->next + 1) % ROWS_MAX;
        free(row->class_name);
        row->class_name = slice_dup(class_name);
        row->serial = 0;
        return row;
}

struct tally_row *device_tally_row(struct device_tally *tally, const struct sched_cycle *cycle,
                                   struct slice class_name) {
        size_t count = cluster_nodes(cycle->cluster)->count;
        struct tally_row *row = find_row(tally, class_name);
        const struct device_inventory *inventory = tally->inventory =
                device_view_refresh(tally->view, cycle->object_cache);
        uint64_t serial = device_view_serial(tally->view);

        if (row->serial != serial || !catch_up(row, cycle, inventory)) {
                bitset_resize(&row->known, count);
                bitset_clear(&row->known);
                row->nodes = xreallocarray(row->nodes, count + 1, sizeof(*row->nodes));
        }
        row->serial = serial;
        row->change_count = inventory->change_count;
        row->shared_change_count = inventory->shared_change_count;
        row->generation = cluster_generation(cycle->cluster);
        return row;
}

void device_tally_of(const struct device_tally *tally, const struct sched_cycle *cycle,
                     struct tally_row *row, struct node_id node, int64_t *ret_count,
                     int64_t *ret_allocated) {
        struct node_tally *known = &row->nodes[node.index];

        if (!bitset_has(&row->known, node.index)) {
                *known = (struct node_tally){ 0 };
                device_view_count(tally->inventory, cycle, slice_of(row->class_name), node,
                                  &known->count, &known->allocated);
                bitset_add(&row->known, node.index);
        }
        if (!known->count)
                return;
        *ret_count = known->count;
        *ret_allocated = known->allocated;
}
