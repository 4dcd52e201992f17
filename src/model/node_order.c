/* Zones as linked lists of nodes, and the list that interleaves them. */
#include "model/node_order.h"

#include "base/util.h"
#include "model/id_index.h"
#include <assert.h>
#include <stdlib.h>

/* Links hold row numbers plus one; 0 = none. */
struct zone_row {
        struct str_id key;
        uint32_t first, last; /* nodes */
        uint32_t next, prev;  /* zones */
};
struct node_link {
        uint32_t next, prev; /* nodes of the zone */
        uint32_t zone;       /* 0 = not in the order */
};

struct node_order {
        struct zone_row *zones;
        uint32_t zone_cap;
        struct id_pool zone_ids;
        struct id_index zone_index;
        uint32_t first_zone, last_zone, zone_count;
        struct node_link *links;
        uint32_t link_cap;
        size_t count;
        struct node_id *list;
        uint32_t list_cap;
        bool is_stale;
};

struct node_order *node_order_new(void) {
        return xcalloc(1, sizeof(struct node_order));
}

void node_order_free(struct node_order *order) {
        if (!order)
                return;
        id_pool_release(&order->zone_ids);
        id_index_release(&order->zone_index);
        free(order->zones);
        free(order->links);
        free(order->list);
        free(order);
}

static uint32_t zone_find(const struct node_order *order, struct str_id key) {
        uint32_t at = 0, id;
        while (id_index_next(&order->zone_index, hash_number(key.index), &at, &id)) {
                if (str_id_eq(order->zones[id].key, key))
                        return id + 1;
        }
        return 0;
}

static uint32_t zone_add(struct node_order *order, struct str_id key) {
        uint32_t id = id_pool_take(&order->zone_ids);
        order->zones = rows_reserve(order->zones, &order->zone_cap, id + 1, sizeof(*order->zones));
        order->zones[id] = (struct zone_row){ .key = key, .prev = order->last_zone };
        if (order->last_zone)
                order->zones[order->last_zone - 1].next = id + 1;
        else
                order->first_zone = id + 1;
        order->last_zone = id + 1;
        order->zone_count++;
        id_index_insert(&order->zone_index, hash_number(key.index), id);
        return id + 1;
}

static void zone_remove(struct node_order *order, uint32_t zone) {
        struct zone_row *row = &order->zones[zone - 1];
        if (row->prev)
                order->zones[row->prev - 1].next = row->next;
        else
                order->first_zone = row->next;
        if (row->next)
                order->zones[row->next - 1].prev = row->prev;
        else
                order->last_zone = row->prev;
        order->zone_count--;
        id_index_remove(&order->zone_index, hash_number(row->key.index), zone - 1);
        id_pool_give(&order->zone_ids, zone - 1);
}

void node_order_add(struct node_order *order, struct node_id node, struct str_id zone) {
        uint32_t zone_number = zone_find(order, zone);
        if (!zone_number)
                zone_number = zone_add(order, zone);
        order->links =
                rows_reserve(order->links, &order->link_cap, node.index + 1, sizeof(*order->links));
        struct zone_row *row = &order->zones[zone_number - 1];
        assert(!order->links[node.index].zone);
        order->links[node.index] = (struct node_link){ .zone = zone_number, .prev = row->last };
        if (row->last)
                order->links[row->last - 1].next = node.index + 1;
        else
                row->first = node.index + 1;
        row->last = node.index + 1;
        order->count++;
        order->is_stale = true;
}

void node_order_remove(struct node_order *order, struct node_id node) {
        struct node_link *link = &order->links[node.index];
        assert(link->zone);
        struct zone_row *row = &order->zones[link->zone - 1];
        if (link->prev)
                order->links[link->prev - 1].next = link->next;
        else
                row->first = link->next;
        if (link->next)
                order->links[link->next - 1].prev = link->prev;
        else
                row->last = link->prev;
        if (!row->first)
                zone_remove(order, link->zone);
        *link = (struct node_link){ 0 };
        order->count--;
        order->is_stale = true;
}

size_t node_order_count(const struct node_order *order) {
        return order->count;
}

/* One cursor per zone; zones that ran out are skipped. */
static void interleave_zones(struct node_order *order, uint32_t *cursors, size_t cursor_count) {
        size_t filled = 0;
        while (cursor_count > 0) {
                size_t remaining = 0;
                for (size_t i = 0; i < cursor_count; i++) {
                        uint32_t node = cursors[i];
                        order->list[filled++] = (struct node_id){ node - 1 };
                        if (order->links[node - 1].next)
                                cursors[remaining++] = order->links[node - 1].next;
                }
                cursor_count = remaining;
        }
        assert(filled == order->count);
}

const struct node_id *node_order_list(struct node_order *order) {
        if (!order->is_stale)
                return order->list;
        order->list = rows_reserve(order->list, &order->list_cap, (uint32_t)order->count,
                                   sizeof(*order->list));
        uint32_t *cursors = xcalloc(order->zone_count + 1, sizeof(*cursors));
        size_t cursor_count = 0;
        for (uint32_t zone = order->first_zone; zone; zone = order->zones[zone - 1].next)
                cursors[cursor_count++] = order->zones[zone - 1].first;
        interleave_zones(order, cursors, cursor_count);
        free(cursors);
        order->is_stale = false;
        return order->list;
}

size_t node_order_bytes(const struct node_order *order) {
        return sizeof(*order) + order->zone_cap * sizeof(*order->zones) +
               order->link_cap * sizeof(*order->links) + order->list_cap * sizeof(*order->list) +
               id_pool_bytes(&order->zone_ids) + id_index_bytes(&order->zone_index);
}
