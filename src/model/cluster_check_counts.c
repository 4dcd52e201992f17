/* The model against itself, counts: every holder of something interned is counted there, and
 * nothing else is stored. */
#include "model/cluster_check.h"

#include <stdlib.h>

/* Ids are small numbers; the set grows with them. */
static void cluster_check_counts_hold(struct held_counts *counts, struct str_id id) {
        if (id.index >= counts->strings.bits)
                bitset_resize(&counts->strings, id.index + 1 + id.index / 4);
        if (id.index > 0)
                bitset_add(&counts->strings, id.index);
}

static void counts_init(const struct cluster *cluster, struct held_counts *counts) {
        *counts = (struct held_counts){
                .classes = xcalloc(cluster->classes.ids.used + 1, sizeof(uint32_t)),
                .label_sets = xcalloc(cluster->label_sets.ids.used + 1, sizeof(uint32_t)),
                .taint_sets = xcalloc(cluster->taint_sets.ids.used + 1, sizeof(uint32_t)),
                .owner_lists = xcalloc(cluster->owner_lists.table.ids.used + 1, sizeof(uint32_t)),
                .container_lists = xcalloc(cluster->container_lists.ids.used + 1, sizeof(uint32_t)),
        };
        bitset_init(&counts->strings);
}

static void counts_release(struct held_counts *counts) {
        free(counts->classes);
        free(counts->label_sets);
        free(counts->taint_sets);
        free(counts->owner_lists);
        free(counts->container_lists);
        bitset_release(&counts->strings);
}

/* ---- holders ---- */

static void count_detail(const struct cluster *cluster, const struct pod_detail *detail,
                         struct held_counts *counts) {
        if (!detail)
                return;
        cluster_check_counts_hold(counts, detail->reason);
        if (detail->containers)
                counts->container_lists[shared_rows_number(&cluster->container_lists,
                                                           detail->containers)]++;
        for (uint32_t i = 0; i < detail->condition_count; i++) {
                cluster_check_counts_hold(counts, detail->conditions[i].type);
                cluster_check_counts_hold(counts, detail->conditions[i].reason);
        }
        for (uint32_t i = 0; i < detail->claim_count; i++) {
                cluster_check_counts_hold(counts, detail->claims[i].name);
                cluster_check_counts_hold(counts, detail->claims[i].claim);
        }
}

static void count_pods(const struct cluster *cluster, struct held_counts *counts) {
        for (uint32_t i = 0; i < cluster->pods.ids.used; i++) {
                const struct pod_row *row = pod_row_at(&cluster->pods, (struct pod_id){ i });
                if (!row->is_live)
                        continue;
                cluster_check_counts_hold(counts, row->ns);
                cluster_check_counts_hold(counts, row->nominated);
                counts->classes[row->class.index]++;
                counts->label_sets[row->labels.index]++;
                if (row->owners)
                        counts->owner_lists[shared_rows_number(&cluster->owner_lists.table,
                                                               row->owners)]++;
                count_detail(cluster, row->detail, counts);
        }
}

static void count_old_pods(const struct cluster *cluster, struct held_counts *counts) {
        for (uint32_t i = 0; i < cluster->old_pods.count; i++) {
                const struct old_pod *old = &cluster->old_pods.items[i];
                cluster_check_counts_hold(counts, old->ns);
                counts->label_sets[old->labels.index]++;
                counts->classes[old->class.index]++;
        }
}

static void count_nodes(const struct cluster *cluster, struct held_counts *counts) {
        const struct node_table *nodes = &cluster->nodes;
        for (uint32_t node = 0; node < nodes->count; node++) {
                cluster_check_counts_hold(counts, nodes->name[node]);
                cluster_check_counts_hold(counts, nodes->zone[node]);
                cluster_check_counts_hold(counts, nodes->boot_id[node]);
                counts->label_sets[nodes->labels[node].index]++;
                counts->label_sets[cluster->node_extra[node].features.index]++;
                counts->taint_sets[nodes->taints[node].index]++;
                for (uint16_t i = 0; i < nodes->image_count[node]; i++)
                        cluster_check_counts_hold(counts, nodes->images[node][i]);
        }
        for (size_t i = 0; i < nodes->resource_count; i++)
                cluster_check_counts_hold(counts, cluster->resources.names[i]);
}

static void count_lists(const struct cluster *cluster, struct held_counts *counts) {
        const struct shared_table *owners = &cluster->owner_lists.table;
        const struct shared_table *containers = &cluster->container_lists;
        for (uint32_t i = 0; i < owners->ids.used; i++) {
                const struct shared_rows *list = owners->items[i];
                const struct owner_row *rows = list ? (const void *)list->bytes : NULL;
                for (uint32_t j = 0; j < owner_list_count(rows); j++) {
                        cluster_check_counts_hold(counts, rows[j].kind);
                        cluster_check_counts_hold(counts, rows[j].name);
                        cluster_check_counts_hold(counts, rows[j].uid);
                }
        }
        for (uint32_t i = 0; i < containers->ids.used; i++) {
                const struct shared_rows *list = containers->items[i];
                const struct container_row *rows = list ? (const void *)list->bytes : NULL;
                for (size_t j = 0; list && j < list->size / sizeof(*rows); j++) {
                        cluster_check_counts_hold(counts, rows[j].name);
                        cluster_check_counts_hold(counts, rows[j].waiting_reason);
                        cluster_check_counts_hold(counts, rows[j].terminated_reason);
                        cluster_check_counts_hold(counts, rows[j].last_reason);
                }
        }
}

static void count_interned(const struct cluster *cluster, struct held_counts *counts) {
        for (uint32_t i = 0; i < cluster->label_sets.ids.used; i++) {
                const struct label_set *set = &cluster->label_sets.items[i];
                for (uint32_t j = 0; j < set->count; j++) {
                        cluster_check_counts_hold(counts, set->pairs[j].key);
                        cluster_check_counts_hold(counts, set->pairs[j].value);
                }
        }
        for (uint32_t i = 0; i < cluster->classes.ids.used; i++) {
                const struct pod_class *class = cluster->classes.items[i];
                for (size_t j = 0; class && j < class->port_count; j++) {
                        cluster_check_counts_hold(counts, class->ports[j].ip);
                        cluster_check_counts_hold(counts, class->ports[j].protocol);
                }
        }
}

/* ---- comparing ---- */

static int cluster_check_counts_problem(const char *what, size_t row, size_t found, size_t wanted,
                                        struct err *err) {
        return err_set(err, BERTH_ERR_INTERNAL, "%s %zu is counted %zu times, held %zu times", what,
                       row, found, wanted);
}

static int compare_counts(const struct cluster *cluster, const struct held_counts *counts,
                          struct err *err) {
        for (uint32_t i = 0; i < cluster->classes.ids.used; i++) {
                const struct pod_class *class = cluster->classes.items[i];
                if ((class ? class->ref_count : 0) != counts->classes[i])
                        return cluster_check_counts_problem(
                                "class", i, class ? class->ref_count : 0, counts->classes[i], err);
        }
        for (uint32_t i = 1; i < cluster->label_sets.ids.used; i++) {
                if (cluster->label_sets.items[i].refs != counts->label_sets[i])
                        return cluster_check_counts_problem("label set", i,
                                                            cluster->label_sets.items[i].refs,
                                                            counts->label_sets[i], err);
        }
        for (uint32_t i = 1; i < cluster->taint_sets.ids.used; i++) {
                if (cluster->taint_sets.items[i].refs != counts->taint_sets[i])
                        return cluster_check_counts_problem("taint set", i,
                                                            cluster->taint_sets.items[i].refs,
                                                            counts->taint_sets[i], err);
        }
        return 0;
}

static int compare_bodies(const struct cluster *cluster, struct err *err) {
        CLEANUP(cleanup_free)
        uint32_t *held = xcalloc(cluster->bodies.ids.used + 1, sizeof(*held));
        for (uint32_t i = 0; i < cluster->classes.ids.used; i++) {
                const struct pod_class *class = cluster->classes.items[i];
                if (class)
                        held[((const struct class_memory *)class->memory)->body->id]++;
        }
        for (uint32_t i = 0; i < cluster->bodies.ids.used; i++) {
                const struct class_body *body = cluster->bodies.items[i];
                if ((body ? body->refs : 0) != held[i])
                        return cluster_check_counts_problem("class body", i, body ? body->refs : 0,
                                                            held[i], err);
        }
        return 0;
}

static int compare_terms(const struct cluster *cluster, struct err *err) {
        struct class_terms found = { 0 }, stored = cluster->classes.terms;
        for (uint32_t i = 0; i < cluster->classes.ids.used; i++) {
                const struct pod_class *class = cluster->classes.items[i];
                found.any += class && class->has_pod_terms;
                found.required_anti += class && class->spec.affinity.pod_anti.required_count > 0;
        }
        if (found.any != stored.any)
                return cluster_check_counts_problem("terms of class", 0, stored.any, found.any,
                                                    err);
        if (found.required_anti != stored.required_anti)
                return cluster_check_counts_problem("required terms of class", 0,
                                                    stored.required_anti, found.required_anti, err);
        return 0;
}

static int compare_lists(const struct shared_table *table, const uint32_t *held, const char *what,
                         struct err *err) {
        for (uint32_t i = 0; i < table->ids.used; i++) {
                uint32_t refs = table->items[i] ? table->items[i]->refs : 0;
                if (refs != held[i])
                        return cluster_check_counts_problem(what, i, refs, held[i], err);
        }
        return 0;
}

int check_counts(const struct cluster *cluster, struct err *err) {
        struct held_counts counts;
        counts_init(cluster, &counts);
        count_pods(cluster, &counts);
        count_old_pods(cluster, &counts);
        count_nodes(cluster, &counts);
        count_interned(cluster, &counts);
        count_lists(cluster, &counts);
        cold_tables_count(cluster, &counts);
        int r = compare_counts(cluster, &counts, err);
        if (r == 0)
                r = compare_bodies(cluster, err);
        if (r == 0)
                r = compare_terms(cluster, err);
        if (r == 0)
                r = compare_lists(&cluster->owner_lists.table, counts.owner_lists, "owner list",
                                  err);
        if (r == 0)
                r = compare_lists(&cluster->container_lists, counts.container_lists,
                                  "container list", err);
        size_t held = bitset_count(&counts.strings), stored = interner_count(cluster->strings);
        if (r == 0 && held != stored)
                r = err_set(err, BERTH_ERR_INTERNAL,
                            "%zu strings are interned, %zu of them referenced", stored, held);
        counts_release(&counts);
        return r;
}
