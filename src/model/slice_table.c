/* ResourceSlices as rows. */
#include "model/slice_table.h"

#include "base/interner.h"
#include "base/map.h"
#include "base/util.h"
#include <stdlib.h>

/* Bytes that were stored once.  Texts inside of them are interned and lists shared before, so that
 * equal contents have equal bytes. */
struct shared_bytes {
        uint32_t hash, size;
        const void *bytes; /* NULL: a free place */
};
struct slice_table {
        struct arena arena;
        struct interner *texts;
        struct map *places; /* text of a node selector to its place */
        struct json_doc **docs;
        size_t doc_count, doc_cap;
        struct shared_bytes *shared; /* by hash, open addressing */
        size_t shared_count, shared_cap;
        size_t devices;
};

/* ---- life ---- */

struct slice_table *slice_table_new(void) {
        struct slice_table *table = xcalloc(1, sizeof(*table));

        arena_init(&table->arena, 0);
        table->texts = interner_new();
        table->places = map_new();
        return table;
}

void slice_table_free(struct slice_table *table) {
        if (!table)
                return;
        for (size_t i = 0; i < table->doc_count; i++)
                json_doc_free(table->docs[i]);
        free(table->docs);
        free(table->shared);
        map_free(table->places);
        interner_free(table->texts);
        arena_release(&table->arena);
        free(table);
}

size_t slice_table_devices(const struct slice_table *table) {
        return table->devices;
}

size_t slice_table_bytes(const struct slice_table *table) {
        return table->arena.reserved_bytes + interner_bytes(table->texts) +
               table->shared_cap * sizeof(table->shared[0]);
}

/* ---- sharing ---- */

static void place_shared(struct slice_table *table, const struct shared_bytes *item) {
        size_t at = item->hash & (table->shared_cap - 1);

        while (table->shared[at].bytes)
                at = (at + 1) & (table->shared_cap - 1);
        table->shared[at] = *item;
}

static void grow_shared(struct slice_table *table) {
        struct shared_bytes *before = table->shared;
        size_t cap = table->shared_cap;

        table->shared_cap = cap ? 2 * cap : 64;
        table->shared = xcalloc(table->shared_cap, sizeof(table->shared[0]));
        for (size_t i = 0; i < cap; i++)
                if (before[i].bytes)
                        place_shared(table, &before[i]);
        free(before);
}

static const void *share_bytes(struct slice_table *table, const void *bytes, size_t size) {
        if (size == 0)
                return NULL;
        uint32_t hash = (uint32_t)hash_bytes(bytes, size, 0);

        if (4 * table->shared_count >= 3 * table->shared_cap)
                grow_shared(table);
        for (size_t at = hash & (table->shared_cap - 1); table->shared[at].bytes;
             at = (at + 1) & (table->shared_cap - 1)) {
                const struct shared_bytes *item = &table->shared[at];

                if (item->hash == hash && item->size == size &&
                    memcmp(item->bytes, bytes, size) == 0)
                        return item->bytes;
        }
        void *copy = arena_alloc(&table->arena, size);
        memcpy(copy, bytes, size);
        place_shared(table, &(struct shared_bytes){ hash, (uint32_t)size, copy });
        table->shared_count++;
        return copy;
}

static struct slice share_text(struct slice_table *table, struct slice text) {
        return text.len ? interner_text(table->texts, interner_add(table->texts, text))
                        : SLICE_EMPTY;
}

/* A list of a decoded slice is given up for the shared one; its items may be written before, which
 * is why they come as they are. */
#define SHARE_LIST(table, items, count)                                                            \
        ((items) = (void *)(uintptr_t)share_bytes(table, items, (count) * sizeof((items)[0])))

/* ---- parts ---- */

static void share_texts(struct slice_table *table, struct slice **texts, size_t count) {
        for (size_t i = 0; i < count; i++)
                (*texts)[i] = share_text(table, (*texts)[i]);
        SHARE_LIST(table, *texts, count);
}

static void share_amounts(struct slice_table *table, struct device_amounts *amounts) {
        for (size_t i = 0; i < amounts->count; i++) {
                amounts->items[i].name = share_text(table, amounts->items[i].name);
                amounts->items[i].value = share_text(table, amounts->items[i].value);
        }
        SHARE_LIST(table, amounts->items, amounts->count);
}

static void share_counters(struct slice_table *table, struct counter_set **sets, size_t count) {
        for (size_t i = 0; i < count; i++) {
                (*sets)[i].name = share_text(table, (*sets)[i].name);
                share_amounts(table, &(*sets)[i].counters);
        }
        SHARE_LIST(table, *sets, count);
}

static bool is_text(enum device_value kind) {
        return kind == DEVICE_STRING || kind == DEVICE_VERSION;
}

static const struct device_attribute *share_attribute(struct slice_table *table,
                                                      const struct device_attribute *attribute) {
        struct device_attribute own;

        memset(&own, 0, sizeof(own)); /* padding too: the bytes are compared */
        own.name = share_text(table, attribute->name);
        own.kind = attribute->kind;
        own.is_list = attribute->is_list;
        if (own.is_list) {
                for (size_t i = 0; is_text(own.kind) && i < attribute->item_count; i++)
                        attribute->items[i].text = share_text(table, attribute->items[i].text);
                own.items = attribute->items;
                own.item_count = attribute->item_count;
                SHARE_LIST(table, own.items, own.item_count);
        } else if (is_text(own.kind)) {
                own.scalar.text = share_text(table, attribute->scalar.text);
        } else {
                own.scalar = attribute->scalar;
        }
        return share_bytes(table, &own, sizeof(own));
}

static void share_capacity(struct slice_table *table, struct device_capacity *capacity) {
        struct slice *const texts[] = { &capacity->name, &capacity->value, &capacity->standard,
                                        &capacity->min,  &capacity->max,   &capacity->step };

        for (size_t i = 0; i < ARRAY_LEN(texts); i++)
                *texts[i] = share_text(table, *texts[i]);
        share_texts(table, &capacity->valid_values, capacity->valid_value_count);
}

static void share_taint(struct slice_table *table, struct device_taint *taint) {
        taint->key = share_text(table, taint->key);
        taint->value = share_text(table, taint->value);
        taint->effect_name = share_text(table, taint->effect_name);
        taint->time_added = share_text(table, taint->time_added);
}

static void share_mapping(struct slice_table *table, struct device_mapping *mapping) {
        mapping->resource = share_text(table, mapping->resource);
        mapping->capacity_key = share_text(table, mapping->capacity_key);
        mapping->multiplier = share_text(table, mapping->multiplier);
}

/* ---- places ---- */

/* The selector is decoded anew from a document of the table's own. */
static void read_selector(struct slice_table *table, struct slice text,
                          struct device_place *place) {
        struct json_doc *doc;

        if (json_parse(text, &doc, NULL) < 0)
                return;
        if (table->doc_count == table->doc_cap) {
                table->doc_cap = table->doc_cap ? 2 * table->doc_cap : 8;
                table->docs = xreallocarray(table->docs, table->doc_cap, sizeof(table->docs[0]));
        }
        table->docs[table->doc_count++] = doc;
        place->written = json_doc_root(doc);
        (void)node_selector_decode(place->written, &table->arena, &place->selector, NULL);
}

static const struct device_place *share_place(struct slice_table *table,
                                              const struct device_place *place) {
        CLEANUP(buf_release) struct buf text = { 0 };
        struct device_place own;

        memset(&own, 0, sizeof(own));
        own.node_name = share_text(table, place->node_name);
        own.has_node_name = place->has_node_name;
        own.has_selector = place->has_selector;
        own.is_everywhere = place->is_everywhere;
        if (!place->written)
                return share_bytes(table, &own, sizeof(own));
        json_write(place->written, &text);
        size_t selector = text.len;
        buf_printf(&text, " %d " SLICE_FMT, own.is_everywhere, SLICE_ARG(own.node_name));
        struct device_place *known = map_get(table->places, buf_view(&text));
        if (known)
                return known;
        known = ARENA_NEW(&table->arena, struct device_place);
        *known = own;
        read_selector(table, slice_make(text.data, selector), known);
        map_put(table->places, buf_view(&text), known);
        return known;
}

/* ---- rows ---- */

static const struct device_traits *share_traits(struct slice_table *table,
                                                const struct device_traits *traits) {
        struct device_traits own;

        memset(&own, 0, sizeof(own)); /* padding too: the bytes are compared */
        own.capacity = traits->capacity;
        own.capacity_count = traits->capacity_count;
        for (size_t i = 0; i < own.capacity_count; i++)
                share_capacity(table, &own.capacity[i]);
        SHARE_LIST(table, own.capacity, own.capacity_count);
        own.consumes = traits->consumes;
        own.consume_count = traits->consume_count;
        share_counters(table, &own.consumes, own.consume_count);
        own.taints = traits->taints;
        own.taint_count = traits->taint_count;
        for (size_t i = 0; i < own.taint_count; i++)
                share_taint(table, &own.taints[i]);
        SHARE_LIST(table, own.taints, own.taint_count);
        own.conditions = traits->conditions;
        own.condition_count = traits->condition_count;
        share_texts(table, &own.conditions, own.condition_count);
        own.failure_conditions = traits->failure_conditions;
        own.failure_condition_count = traits->failure_condition_count;
        share_texts(table, &own.failure_conditions, own.failure_condition_count);
        own.mappings = traits->mappings;
        own.mapping_count = traits->mapping_count;
        for (size_t i = 0; i < own.mapping_count; i++)
                share_mapping(table, &own.mappings[i]);
        SHARE_LIST(table, own.mappings, own.mapping_count);
        own.place = share_place(table, traits->place);
        own.binds_to_node = traits->binds_to_node;
        own.allows_multiple = traits->allows_multiple;
        return share_bytes(table, &own, sizeof(own));
}

static void share_device(struct slice_table *table, struct device *device) {
        device->name = share_text(table, device->name);
        for (size_t i = 0; i < device->attribute_count; i++)
                device->attributes[i] = share_attribute(table, device->attributes[i]);
        SHARE_LIST(table, device->attributes, device->attribute_count);
        device->traits = share_traits(table, device->traits);
}

const struct resource_slice *slice_table_add(struct slice_table *table,
                                             const struct resource_slice *slice) {
        struct resource_slice *row = ARENA_NEW(&table->arena, struct resource_slice);

        row->name = share_text(table, slice->name);
        row->driver = share_text(table, slice->driver);
        row->pool = share_text(table, slice->pool);
        row->generation = slice->generation;
        row->slice_count = slice->slice_count;
        row->place = share_place(table, slice->place);
        row->has_places = slice->has_places;
        row->counters = slice->counters;
        row->counter_count = slice->counter_count;
        share_counters(table, &row->counters, row->counter_count);
        row->devices = ARENA_ARRAY(&table->arena, struct device, slice->device_count);
        row->device_count = slice->device_count;
        for (size_t i = 0; i < row->device_count; i++) {
                row->devices[i] = slice->devices[i];
                share_device(table, &row->devices[i]);
        }
        table->devices += row->device_count;
        return row;
}

/* What is equal is there once, at one address. */
static bool is_same_device(const struct device *a, const struct device *b) {
        return a->name.ptr == b->name.ptr && a->attributes == b->attributes &&
               a->attribute_count == b->attribute_count && a->traits == b->traits;
}

bool slice_table_is_same(const struct resource_slice *a, const struct resource_slice *b) {
        bool is_same = a->name.ptr == b->name.ptr && a->driver.ptr == b->driver.ptr &&
                       a->pool.ptr == b->pool.ptr && a->generation == b->generation &&
                       a->slice_count == b->slice_count && a->place == b->place &&
                       a->has_places == b->has_places && a->counters == b->counters &&
                       a->counter_count == b->counter_count && a->device_count == b->device_count;

        for (size_t i = 0; is_same && i < a->device_count; i++)
                is_same = is_same_device(&a->devices[i], &b->devices[i]);
        return is_same;
}
