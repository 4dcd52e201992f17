/* Placing ahead of the API, and what-if work.  Inside a what-if every step first notes the row as
 * it was; taking the notes back in reverse order restores lists exactly, since each row finds its
 * neighbours as it left them. */
#include "model/cluster_priv.h"

#include <assert.h>
#include <stdlib.h>

/* ---- journal ---- */

void what_if_release(struct cluster *cluster) {
        struct what_if *what_if = &cluster->what_if;
        while (what_if->depth > 0)
                cluster_rollback(cluster);
        free(what_if->journal);
        free(what_if->marks);
        free(what_if->touched_list);
        bitset_release(&what_if->touched);
}

static struct undo_entry *journal_push(struct what_if *what_if) {
        what_if->journal = rows_reserve(what_if->journal, &what_if->cap, what_if->count + 1,
                                        sizeof(*what_if->journal));
        return &what_if->journal[what_if->count++];
}

static void cluster_assume_note(struct cluster *cluster, struct pod_id pod, bool moves_nomination) {
        struct what_if *what_if = &cluster->what_if;
        const struct pod_row *row = pod_row_at(&cluster->pods, pod);
        if (what_if->depth == 0)
                return;
        struct undo_entry *entry = journal_push(what_if);
        *entry = (struct undo_entry){ .pod = pod,
                                      .node = row->node,
                                      .next_on_node = row->next_on_node,
                                      .prev_on_node = row->prev_on_node,
                                      .flags = row->flags,
                                      .moves_nomination = moves_nomination };
        if (!moves_nomination)
                return;
        entry->nominated = row->nominated;
        entry->nominated_position = pod_nomination_position(cluster, pod);
        interner_ref(cluster->strings, row->nominated);
}

static void cluster_assume_touch(struct cluster *cluster, struct node_id node) {
        struct what_if *what_if = &cluster->what_if;
        if (bitset_has(&what_if->touched, node.index))
                return;
        bitset_add(&what_if->touched, node.index);
        what_if->touched_list =
                rows_reserve(what_if->touched_list, &what_if->touched_cap,
                             what_if->touched_count + 1, sizeof(*what_if->touched_list));
        what_if->touched_list[what_if->touched_count++] = node;
}

/* Notes the change for readers: in the log, or as a touched node inside a what-if. */
static void cluster_assume_report(struct cluster *cluster, uint32_t mask, struct node_id node,
                                  struct pod_id pod) {
        if (cluster_is_what_if(cluster)) {
                if (!node_id_is_none(node))
                        cluster_assume_touch(cluster, node);
                return;
        }
        struct old_pod old = old_pod_of(pod_row_at(&cluster->pods, pod));
        cluster_log_pod(cluster, mask, node, pod, &old);
}

/* Puts a row back between the neighbours it had. */
static void cluster_assume_relink(struct cluster *cluster, const struct undo_entry *entry) {
        struct pod_row *row = pod_row_at(&cluster->pods, entry->pod);
        row->node = entry->node;
        row->next_on_node = entry->next_on_node;
        row->prev_on_node = entry->prev_on_node;
        if (pod_id_is_none(entry->prev_on_node))
                cluster->nodes.first_pod[entry->node.index] = entry->pod;
        else
                pod_row_at(&cluster->pods, entry->prev_on_node)->next_on_node = entry->pod;
        if (!pod_id_is_none(entry->next_on_node))
                pod_row_at(&cluster->pods, entry->next_on_node)->prev_on_node = entry->pod;
        pod_equivalents_join(cluster, entry->pod);
}

static void undo_nomination(struct cluster *cluster, const struct undo_entry *entry) {
        struct pod_row *row = pod_row_at(&cluster->pods, entry->pod);
        if (row->nominated.index != 0)
                pod_nomination_remove(cluster, entry->pod);
        str_drop(cluster, row->nominated);
        row->nominated = entry->nominated;
        if (entry->nominated_position != ID_NONE)
                pod_nomination_insert(cluster, entry->pod, entry->nominated_position);
}

static void set_cordon(struct cluster *cluster, struct node_id node, bool value) {
        struct node_table *nodes = &cluster->nodes;
        if (value) {
                nodes->flags[node.index] |= NODE_UNSCHEDULABLE;
                bitset_add(&nodes->unschedulable, node.index);
        } else {
                nodes->flags[node.index] &= (uint8_t)~NODE_UNSCHEDULABLE;
                bitset_remove(&nodes->unschedulable, node.index);
        }
}

static void cluster_assume_undo(struct cluster *cluster, const struct undo_entry *entry) {
        if (entry->is_cordon) {
                set_cordon(cluster, entry->node, false);
                return;
        }
        struct pod_row *row = pod_row_at(&cluster->pods, entry->pod);
        if (entry->moves_nomination) {
                undo_nomination(cluster, entry);
        } else {
                if (!node_id_is_none(row->node)) {
                        pod_unaccount(cluster, entry->pod);
                        pod_unlink(cluster, entry->pod);
                }
                if (!node_id_is_none(entry->node)) {
                        cluster_assume_relink(cluster, entry);
                        pod_account(cluster, entry->pod);
                } else {
                        pod_equivalents_leave(cluster, entry->pod);
                }
        }
        row->flags = entry->flags;
}

void cluster_checkpoint(struct cluster *cluster) {
        struct what_if *what_if = &cluster->what_if;
        what_if->marks = rows_reserve(what_if->marks, &what_if->mark_cap, what_if->depth + 1,
                                      sizeof(*what_if->marks));
        what_if->marks[what_if->depth++] = what_if->count;
}

void cluster_rollback(struct cluster *cluster) {
        struct what_if *what_if = &cluster->what_if;
        assert(what_if->depth > 0);
        uint32_t mark = what_if->marks[--what_if->depth];
        while (what_if->count > mark)
                cluster_assume_undo(cluster, &what_if->journal[--what_if->count]);
        if (what_if->depth > 0)
                return;
        for (uint32_t i = 0; i < what_if->touched_count; i++)
                bitset_remove(&what_if->touched, what_if->touched_list[i].index);
        what_if->touched_count = 0;
}

const struct bitset *cluster_touched_nodes(const struct cluster *cluster) {
        return cluster_is_what_if(cluster) ? &cluster->what_if.touched : NULL;
}

size_t cluster_touched_list(const struct cluster *cluster, const struct node_id **ret_nodes) {
        *ret_nodes = cluster->what_if.touched_list;
        return cluster->what_if.touched_count;
}

/* ---- steps ---- */

static void take_off(struct cluster *cluster, struct pod_id pod) {
        struct pod_row *row = pod_row_at(&cluster->pods, pod);
        struct node_id node = row->node;
        cluster_assume_note(cluster, pod, false);
        pod_unaccount(cluster, pod);
        pod_unlink(cluster, pod);
        row->flags &= (uint16_t)~POD_ASSUMED;
        cluster_assume_report(cluster, CLUSTER_POD_REMOVED, node, pod);
        if (cluster_is_what_if(cluster))
                return;
        pod_equivalents_leave(cluster, pod);
        node_row_release_unused(cluster, node);
}

void cluster_assume(struct cluster *cluster, struct pod_id pod, struct node_id node) {
        struct pod_row *row = pod_row_at(&cluster->pods, pod);
        assert(row->is_live && node_id_is_none(row->node) && !pod_row_is_finished(row));
        assert(node.index < cluster->nodes.count && cluster->node_extra[node.index].is_used);
        cluster_assume_note(cluster, pod, false);
        row->flags |= POD_ASSUMED;
        pod_link(cluster, pod, node);
        pod_account(cluster, pod);
        cluster_assume_report(cluster, CLUSTER_POD_ADDED, node, pod);
}

void cluster_forget(struct cluster *cluster, struct pod_id pod) {
        if (pod_row_at(&cluster->pods, pod)->flags & POD_ASSUMED)
                take_off(cluster, pod);
}

void cluster_cordon(struct cluster *cluster, struct node_id node) {
        assert(cluster_is_what_if(cluster));
        if (cluster->nodes.flags[node.index] & NODE_UNSCHEDULABLE)
                return;
        *journal_push(&cluster->what_if) = (struct undo_entry){ .node = node, .is_cordon = true };
        set_cordon(cluster, node, true);
        cluster_assume_touch(cluster, node);
}

void cluster_withdraw(struct cluster *cluster, struct pod_id pod) {
        assert(cluster_is_what_if(cluster));
        if (!node_id_is_none(pod_row_at(&cluster->pods, pod)->node))
                take_off(cluster, pod);
}

void cluster_nominate(struct cluster *cluster, struct pod_id pod, struct slice node) {
        struct pod_row *row = pod_row_at(&cluster->pods, pod);
        assert(row->is_live);
        cluster_assume_note(cluster, pod, true);
        row->flags &= (uint16_t)~POD_NOMINATED_HERE;
        if (node.len > 0)
                row->flags |= POD_NOMINATED_HERE;
        if (pod_set_nomination(cluster, pod, node))
                cluster_assume_report(cluster, CLUSTER_NOMINATION, NODE_NONE, pod);
}
