/* Cold tables: namespaces, budgets, priority classes, claims. */
#include "model/cluster_check.h"
#include "model/content_codec.h"

#include <assert.h>
#include <stdlib.h>

struct namespace_row {
        struct str_id name; /* counted */
        struct label_set_id labels;
};
struct budget_list {
        struct str_id ns; /* counted */
        uint32_t count, cap;
        struct budget_row **rows;
};
struct priority_class_row {
        int32_t value;
};

/* ---- namespaces ---- */

void cluster_put_namespace(struct cluster *cluster, const struct namespace_object *object) {
        assert(!cluster_is_what_if(cluster));
        arena_clear(&cluster->scratch);
        struct str_id name = str_take(cluster, object->meta.name);
        struct label_set_id labels = label_set_take(cluster, object->meta.labels);
        struct namespace_row *row = map_u64_get(cluster->tables.namespaces, name.index);
        if (row && row->labels.index == labels.index) {
                label_set_drop(cluster, labels);
                str_drop(cluster, name);
                return;
        }
        if (row) {
                label_set_drop(cluster, row->labels);
                str_drop(cluster, name);
        } else {
                row = xcalloc(1, sizeof(*row));
                row->name = name;
                map_u64_put(cluster->tables.namespaces, name.index, row);
                cluster->tables.bytes += sizeof(*row);
        }
        row->labels = labels;
        cluster_log_change(cluster, CLUSTER_NAMESPACE, NODE_NONE, POD_NONE);
}

void cluster_remove_namespace(struct cluster *cluster, struct slice name) {
        assert(!cluster_is_what_if(cluster));
        bool is_known;
        struct str_id id = interner_find(cluster->strings, name, &is_known);
        struct namespace_row *row =
                is_known ? map_u64_remove(cluster->tables.namespaces, id.index) : NULL;
        if (!row)
                return;
        label_set_drop(cluster, row->labels);
        str_drop(cluster, row->name);
        free(row);
        cluster->tables.bytes -= sizeof(*row);
        cluster_log_change(cluster, CLUSTER_NAMESPACE, NODE_NONE, POD_NONE);
}

bool cluster_namespace_labels(const struct cluster *cluster, struct str_id ns,
                              struct label_set_id *ret_labels) {
        const struct namespace_row *row = map_u64_get(cluster->tables.namespaces, ns.index);
        if (row)
                *ret_labels = row->labels;
        return row;
}

/* ---- budgets ---- */

static void text_item(struct content_codec *codec, void *item) {
        codec_text(codec, item);
}

static void requirement_item(struct content_codec *codec, void *item) {
        struct selector_requirement *requirement = item;
        codec_text(codec, &requirement->key);
        CODEC_VALUE(codec, requirement->op);
        CODEC_VALUE(codec, requirement->number);
        CODEC_LIST(codec, requirement->values, requirement->value_count, text_item);
}

/* Everything but the strings of namespace and name. */
static void budget_codec(struct content_codec *codec, struct budget_row *row) {
        CODEC_VALUE(codec, row->has_selector);
        CODEC_VALUE(codec, row->selector_is_invalid);
        CODEC_VALUE(codec, row->selector.matches_nothing);
        CODEC_LIST(codec, row->selector.requirements, row->selector.count, requirement_item);
        CODEC_VALUE(codec, row->disruptions_allowed);
        CODEC_VALUE(codec, row->current_healthy);
        CODEC_VALUE(codec, row->desired_healthy);
        CODEC_VALUE(codec, row->expected_pods);
        CODEC_VALUE(codec, row->generation);
        CODEC_VALUE(codec, row->observed_generation);
        CODEC_VALUE(codec, row->always_allow_unhealthy);
        CODEC_LIST(codec, row->disrupted, row->disrupted_count, text_item);
}

/* A budget's block: row, arrays, canonical bytes. */
struct budget_block {
        struct budget_row row;
        size_t bytes, content_size;
        const char *content;
};

static struct budget_block *block_of(struct budget_row *row) {
        return CONTAINER_OF(row, struct budget_block, row);
}

static struct budget_row row_from(const struct disruption_budget *budget) {
        return (struct budget_row){
                .has_selector = budget->has_selector,
                .selector_is_invalid = budget->selector_is_invalid,
                .selector = budget->selector,
                .disruptions_allowed = budget->disruptions_allowed,
                .current_healthy = budget->current_healthy,
                .desired_healthy = budget->desired_healthy,
                .expected_pods = budget->expected_pods,
                .generation = budget->meta.generation,
                .observed_generation = budget->observed_generation,
                .always_allow_unhealthy = budget->always_allow_unhealthy,
                .disrupted_count = budget->disrupted_count,
                .disrupted = budget->disrupted,
        };
}

static struct budget_block *block_new(struct slice content, size_t array_bytes) {
        size_t head = MODEL_ALIGN(sizeof(struct budget_block));
        struct budget_block *block = xcalloc(1, head + array_bytes + content.len);
        char *arrays = (char *)block + head;
        char *copy = memcpy(arrays + array_bytes, content.ptr, content.len);
        struct content_codec codec = {
                .is_reading = true, .at = copy, .end = copy + content.len, .arrays = arrays
        };
        budget_codec(&codec, &block->row);
        block->bytes = head + array_bytes + content.len;
        block->content = copy;
        block->content_size = content.len;
        return block;
}

static struct budget_list *budgets_of(const struct cluster *cluster, struct str_id ns) {
        return map_u64_get(cluster->tables.budgets, ns.index);
}

static uint32_t budget_position(const struct cluster *cluster, const struct budget_list *list,
                                struct slice name) {
        for (uint32_t i = 0; list && i < list->count; i++) {
                if (slice_eq(interner_text(cluster->strings, list->rows[i]->name), name))
                        return i;
        }
        return ID_NONE;
}

static struct budget_list *take_list(struct cluster *cluster, struct slice ns) {
        struct str_id id = str_take(cluster, ns);
        struct budget_list *list = budgets_of(cluster, id);
        if (list) {
                str_drop(cluster, id);
                return list;
        }
        list = xcalloc(1, sizeof(*list));
        list->ns = id;
        map_u64_put(cluster->tables.budgets, id.index, list);
        return list;
}

/* Of the disruptions that the old status did not show, the new one shows as many as healthy pods
 * went. */
static uint32_t still_unseen(const struct budget_row *old, const struct budget_row *now) {
        int64_t shown = (int64_t)old->current_healthy - now->current_healthy;
        if (shown <= 0)
                return old->unseen;
        return shown < old->unseen ? old->unseen - (uint32_t)shown : 0;
}

void cluster_put_budget(struct cluster *cluster, const struct disruption_budget *budget) {
        assert(!cluster_is_what_if(cluster));
        struct budget_row from = row_from(budget);
        struct content_codec codec = { .out = &cluster->content };
        buf_clear(&cluster->content);
        budget_codec(&codec, &from);
        struct slice content = buf_view(&cluster->content);
        struct budget_list *list = take_list(cluster, budget->meta.ns);
        uint32_t at = budget_position(cluster, list, budget->meta.name);
        struct budget_block *old = at == ID_NONE ? NULL : block_of(list->rows[at]);
        if (old && slice_eq(slice_make(old->content, old->content_size), content))
                return;
        struct budget_block *block = block_new(content, codec.array_bytes);
        block->row.ns = list->ns;
        block->row.name = old ? old->row.name : str_take(cluster, budget->meta.name);
        if (old) {
                block->row.unseen = still_unseen(&old->row, &block->row);
                block->row.last_charge = old->row.last_charge;
                cluster->tables.bytes -= old->bytes;
                free(old);
        } else {
                list->rows = rows_reserve(list->rows, &list->cap, list->count + 1,
                                          sizeof(struct budget_row *));
                at = list->count++;
        }
        list->rows[at] = &block->row;
        cluster->tables.bytes += block->bytes;
        cluster_log_change(cluster, CLUSTER_BUDGET, NODE_NONE, POD_NONE);
}

static void list_free(struct cluster *cluster, struct budget_list *list) {
        str_drop(cluster, list->ns);
        free(list->rows);
        free(list);
}

void cluster_remove_budget(struct cluster *cluster, struct slice ns, struct slice name) {
        assert(!cluster_is_what_if(cluster));
        bool is_known;
        struct str_id id = interner_find(cluster->strings, ns, &is_known);
        struct budget_list *list = is_known ? budgets_of(cluster, id) : NULL;
        uint32_t at = budget_position(cluster, list, name);
        if (at == ID_NONE)
                return;
        struct budget_block *block = block_of(list->rows[at]);
        cluster->tables.bytes -= block->bytes;
        str_drop(cluster, block->row.name);
        free(block);
        list->count--;
        memmove(&list->rows[at], &list->rows[at + 1],
                (list->count - at) * sizeof(struct budget_row *));
        if (list->count == 0) {
                map_u64_remove(cluster->tables.budgets, id.index);
                list_free(cluster, list);
        }
        cluster_log_change(cluster, CLUSTER_BUDGET, NODE_NONE, POD_NONE);
}

struct budget_row *budget_row_next(struct cluster *cluster, struct str_id ns, size_t *at) {
        const struct budget_list *list = budgets_of(cluster, ns);
        return list && *at < list->count ? list->rows[(*at)++] : NULL;
}

const struct budget_row *cluster_budget_next(const struct cluster *cluster, struct str_id ns,
                                             size_t *at) {
        const struct budget_list *list = budgets_of(cluster, ns);
        return list && *at < list->count ? list->rows[(*at)++] : NULL;
}

bool budget_rows_settle(struct cluster *cluster, uint64_t charge) {
        bool is_changed = false;
        size_t at = 0;
        void *value;
        while (map_u64_next(cluster->tables.budgets, &at, NULL, &value)) {
                const struct budget_list *list = value;
                for (uint32_t i = 0; i < list->count; i++) {
                        struct budget_row *row = list->rows[i];
                        if (row->unseen == 0 || row->last_charge > charge)
                                continue;
                        row->unseen = 0;
                        is_changed = true;
                }
        }
        return is_changed;
}

/* ---- priority classes ---- */

void cluster_put_priority_class(struct cluster *cluster, const struct priority_class *object) {
        assert(!cluster_is_what_if(cluster));
        struct priority_class_row *row =
                map_get(cluster->tables.priority_classes, object->meta.name);
        if (row && row->value == object->value)
                return;
        if (!row) {
                row = xcalloc(1, sizeof(*row));
                map_put(cluster->tables.priority_classes, object->meta.name, row);
        }
        row->value = object->value;
        cluster_log_change(cluster, CLUSTER_PRIORITY_CLASS, NODE_NONE, POD_NONE);
}

void cluster_remove_priority_class(struct cluster *cluster, struct slice name) {
        assert(!cluster_is_what_if(cluster));
        struct priority_class_row *row = map_remove(cluster->tables.priority_classes, name);
        if (!row)
                return;
        free(row);
        cluster_log_change(cluster, CLUSTER_PRIORITY_CLASS, NODE_NONE, POD_NONE);
}

bool cluster_priority_class(const struct cluster *cluster, struct slice name, int32_t *ret_value) {
        const struct priority_class_row *row = map_get(cluster->tables.priority_classes, name);
        if (row)
                *ret_value = row->value;
        return row;
}

/* ---- claims ---- */

/* A namespace has no slash. */
static struct slice claim_key(struct arena *arena, struct slice ns, struct slice name) {
        char *key = arena_alloc(arena, ns.len + 1 + name.len);
        if (ns.len > 0)
                memcpy(key, ns.ptr, ns.len);
        key[ns.len] = '/';
        if (name.len > 0)
                memcpy(key + ns.len + 1, name.ptr, name.len);
        return slice_make(key, ns.len + 1 + name.len);
}

void cluster_put_claim(struct cluster *cluster, const struct claim_object *claim) {
        assert(!cluster_is_what_if(cluster));
        arena_clear(&cluster->scratch);
        struct slice key = claim_key(&cluster->scratch, claim->meta.ns, claim->meta.name);
        struct claim_row *row = map_get(cluster->tables.claims, key);
        struct claim_row now = { .storage_class = str_take(cluster, claim->storage_class),
                                 .volume_name = str_take(cluster, claim->volume_name),
                                 .has_storage_class = claim->has_storage_class };
        bool is_new = !row;
        if (is_new) {
                row = xcalloc(1, sizeof(*row));
                map_put(cluster->tables.claims, key, row);
                cluster->tables.bytes += sizeof(*row) + key.len;
        }
        bool is_same = !is_new && str_id_eq(row->storage_class, now.storage_class) &&
                       str_id_eq(row->volume_name, now.volume_name) &&
                       row->has_storage_class == now.has_storage_class;
        str_drop(cluster, row->storage_class);
        str_drop(cluster, row->volume_name);
        *row = now;
        if (!is_same)
                cluster_log_change(cluster, CLUSTER_CLAIM, NODE_NONE, POD_NONE);
}

void cluster_remove_claim(struct cluster *cluster, struct slice ns, struct slice name) {
        assert(!cluster_is_what_if(cluster));
        arena_clear(&cluster->scratch);
        struct slice key = claim_key(&cluster->scratch, ns, name);
        struct claim_row *row = map_remove(cluster->tables.claims, key);
        if (!row)
                return;
        str_drop(cluster, row->storage_class);
        str_drop(cluster, row->volume_name);
        cluster->tables.bytes -= sizeof(*row) + key.len;
        free(row);
        cluster_log_change(cluster, CLUSTER_CLAIM, NODE_NONE, POD_NONE);
}

const struct claim_row *cluster_claim(const struct cluster *cluster, struct str_id ns,
                                      struct slice name) {
        CLEANUP(arena_release) struct arena arena;
        arena_init(&arena, 512);
        return map_get(cluster->tables.claims,
                       claim_key(&arena, interner_text(cluster->strings, ns), name));
}

/* ---- checking ---- */

static void cluster_tables_hold(struct held_counts *counts, struct str_id id) {
        if (id.index >= counts->strings.bits)
                bitset_resize(&counts->strings, id.index + 1);
        if (id.index > 0)
                bitset_add(&counts->strings, id.index);
}

void cold_tables_count(const struct cluster *cluster, struct held_counts *counts) {
        size_t at = 0;
        void *value;
        while (map_u64_next(cluster->tables.namespaces, &at, NULL, &value)) {
                const struct namespace_row *row = value;
                cluster_tables_hold(counts, row->name);
                counts->label_sets[row->labels.index]++;
        }
        at = 0;
        while (map_u64_next(cluster->tables.budgets, &at, NULL, &value)) {
                const struct budget_list *list = value;
                cluster_tables_hold(counts, list->ns);
                for (uint32_t i = 0; i < list->count; i++)
                        cluster_tables_hold(counts, list->rows[i]->name);
        }
        at = 0;
        while (map_next(cluster->tables.claims, &at, NULL, &value)) {
                const struct claim_row *row = value;
                cluster_tables_hold(counts, row->storage_class);
                cluster_tables_hold(counts, row->volume_name);
        }
}

/* ---- life cycle ---- */

void cold_tables_init(struct cluster *cluster) {
        cluster->tables.namespaces = map_u64_new();
        cluster->tables.budgets = map_u64_new();
        cluster->tables.priority_classes = map_new();
        cluster->tables.claims = map_new();
}

static void values_free(struct map *map) {
        size_t at = 0;
        void *value;
        while (map_next(map, &at, NULL, &value))
                free(value);
        map_free(map);
}

void cold_tables_release(struct cluster *cluster) {
        size_t at = 0;
        void *value;
        while (map_u64_next(cluster->tables.namespaces, &at, NULL, &value))
                free(value);
        map_u64_free(cluster->tables.namespaces);
        at = 0;
        while (map_u64_next(cluster->tables.budgets, &at, NULL, &value)) {
                struct budget_list *list = value;
                for (uint32_t i = 0; i < list->count; i++)
                        free(block_of(list->rows[i]));
                free(list->rows);
                free(list);
        }
        map_u64_free(cluster->tables.budgets);
        values_free(cluster->tables.priority_classes);
        values_free(cluster->tables.claims);
}
