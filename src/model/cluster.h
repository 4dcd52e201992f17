/* The cluster as berth sees it: one columnar model fed by watches, shared by every role.
 *
 * One thread writes, between decisions; a decision reads a const cluster that does not change under
 * it (a snapshot is the cluster at a generation).  What-if work changes the cluster between
 * cluster_checkpoint and cluster_rollback, which restores it exactly.
 *
 * Every change raises the generation and is noted in a bounded change log, so that readers with
 * caches (scheduling queue, class caches) catch up with what changed since they last read it.
 *
 * Facts: finished pods (Succeeded, Failed) occupy nothing but stay on their node's list when the
 * model keeps them; requests follow api/object.h pod_spec_requests; a pod that names a node that
 * does not exist stays in the model and is counted once the node appears. */
#pragma once

#include "api/object.h"
#include "base/interner.h"
#include "model/event.h"
#include "model/ids.h"
#include "model/node_table.h"
#include "model/pod_table.h"

struct cluster;

struct cluster_config {
        bool keeps_finished;  /* keep Succeeded and Failed pods (descheduler, reports) */
        bool keeps_detail;    /* container states and conditions (cleaning rules) */
        bool keeps_evictions; /* who responds, readiness, who evicted (EvictionRequests) */
        bool counts_devices;  /* what pods take of nodes by devices (status), with their requests */
        uint32_t log_capacity; /* change log entries; 0 = 65,536 */
};

struct cluster *cluster_new(const struct cluster_config *config);
void cluster_free(struct cluster *cluster); /* accepts NULL */

/* ---- feeding; objects are copied as far as needed ---- */
struct node_id cluster_put_node(struct cluster *cluster, const struct node *node);
void cluster_remove_node(struct cluster *cluster, struct slice name);
/* Confirms an assumed pod when the node agrees; an assumed pod seen unassigned stays assumed; one
 * seen elsewhere moves there. */
struct pod_id cluster_put_pod(struct cluster *cluster, const struct pod *pod);
void cluster_remove_pod(struct cluster *cluster, struct slice ns, struct slice name);
void cluster_put_namespace(struct cluster *cluster, const struct namespace_object *object);
void cluster_remove_namespace(struct cluster *cluster, struct slice name);
void cluster_put_budget(struct cluster *cluster, const struct disruption_budget *budget);
void cluster_remove_budget(struct cluster *cluster, struct slice ns, struct slice name);
void cluster_put_priority_class(struct cluster *cluster, const struct priority_class *object);
void cluster_remove_priority_class(struct cluster *cluster, struct slice name);
void cluster_put_claim(struct cluster *cluster, const struct claim_object *claim);
void cluster_remove_claim(struct cluster *cluster, struct slice ns, struct slice name);
/* Decodes an API object and feeds it (CHANGE_REMOVED removes, unless it names an earlier pod by its
 * uid).  BERTH_ERR_* with the field path on a wrong type; nothing is changed then. */
int cluster_apply(struct cluster *cluster, enum object_kind kind, enum change_kind change,
                  const struct json *object, struct err *err);
void cluster_apply_pod(struct cluster *cluster, enum change_kind change, const struct pod *pod);

/* ---- placing ---- */
/* Puts a pending pod on a node at once, before the API confirms it. */
void cluster_assume(struct cluster *cluster, struct pod_id pod, struct node_id node);
/* What a pod without a node takes of one by its devices, which its status does not say yet; for
 * clusters that count devices. */
void cluster_set_device_requests(struct cluster *cluster, struct pod_id pod,
                                 const struct resource_list *requests);
/* Takes an assumed pod off its node again; a pod already confirmed is left alone. */
void cluster_forget(struct cluster *cluster, struct pod_id pod);
/* Value of pod_row.failure_hash for this reason and message. */
uint64_t cluster_failure_hash(struct slice reason, struct slice message);
void cluster_nominate(struct cluster *cluster, struct pod_id pod,
                      struct slice node); /* "" clears */

/* The pod's deletion is asked for: before the API shows it, the pod is on its way out, and counts
 * as a disruption of its budgets until their status shows fewer healthy pods. */
void cluster_mark_ending(struct cluster *cluster, struct pod_id pod);
/* Nothing came of it. */
void cluster_unmark_ending(struct cluster *cluster, struct pod_id pod);
/* How often budgets were charged. */
uint64_t cluster_charges(const struct cluster *cluster);
/* Budgets that were not charged after that are taken by their status again. */
void cluster_settle_budgets(struct cluster *cluster, uint64_t charge);

/* ---- what-if ---- */
/* Opens a what-if; they nest.  Until the matching rollback only assume, forget, nominate,
 * cluster_withdraw and cluster_cordon are allowed.  None of them is logged or raises a generation
 * then, so that no pod wakes for what did not happen; a reader with a cache treats the touched
 * nodes as changed inside a what-if, and once more after it. */
void cluster_checkpoint(struct cluster *cluster);
void cluster_rollback(struct cluster *cluster);
/* Takes any assigned pod off its node (as if it were gone); what-if only. */
void cluster_withdraw(struct cluster *cluster, struct pod_id pod);
/* The live node takes no new pods; what-if only. */
void cluster_cordon(struct cluster *cluster, struct node_id node);
/* Nodes a what-if changed since the outermost checkpoint (possibly already changed back); NULL
 * outside of what-ifs. */
const struct bitset *cluster_touched_nodes(const struct cluster *cluster);
/* The same as a list, in the order touched; outside of what-ifs it is empty. */
size_t cluster_touched_list(const struct cluster *cluster, const struct node_id **ret_nodes);

/* ---- reading; rows and what they point to stay put until the next change ---- */
uint64_t cluster_generation(const struct cluster *cluster);
const struct node_table *cluster_nodes(const struct cluster *cluster);
size_t cluster_node_count(const struct cluster *cluster); /* live nodes */
size_t cluster_pod_count(const struct cluster *cluster);
size_t cluster_pod_cap(const struct cluster *cluster); /* pod indexes run below it */
const struct pod_row *cluster_pod(const struct cluster *cluster, struct pod_id pod);
/* Who responds to an eviction of the pod, "name=priority,..." of its spec, else of its annotation;
 * empty = none, or the model does not store it. */
struct slice cluster_pod_responders(const struct cluster *cluster, struct pod_id pod);
/* The lowest priority of the pods that occupy nodes; INT32_MAX without any. */
int32_t cluster_lowest_priority(const struct cluster *cluster);
/* Lists of alike pods on nodes, in no order, free places among them. */
size_t cluster_pod_equivalents(const struct cluster *cluster,
                               const struct pod_equivalents **ret_items);
const struct pod_class *cluster_class(const struct cluster *cluster, struct class_id class);
/* All classes: indexes run below the cap; NULL where a number is free. */
size_t cluster_class_cap(const struct cluster *cluster);
const struct pod_class *cluster_class_at(const struct cluster *cluster, uint32_t index);
/* How many live classes have terms of pod affinity or anti-affinity. */
struct class_terms {
        uint32_t any, required_anti;
};
struct class_terms cluster_class_terms(const struct cluster *cluster);
struct node_id cluster_find_node(const struct cluster *cluster, struct slice name);
/* The first pod on the node of this name (pod_row.next_on_node), the Node seen or not. */
struct pod_id cluster_first_pod(const struct cluster *cluster, struct slice node);
struct node_id cluster_node_named(const struct cluster *cluster, struct str_id name);
struct pod_id cluster_find_pod(const struct cluster *cluster, struct slice ns, struct slice name);
const struct interner *cluster_strings(const struct cluster *cluster);
struct slice cluster_text(const struct cluster *cluster, struct str_id id);
struct str_id cluster_str(const struct cluster *cluster, struct slice text, bool *ret_found);
struct slice cluster_node_name(const struct cluster *cluster, struct node_id node);
/* Column of a resource by name; false when no node or pod ever named it. */
bool cluster_resource(const struct cluster *cluster, struct slice name,
                      struct resource_id *ret_resource);
struct slice cluster_resource_name(const struct cluster *cluster, struct resource_id resource);

struct label_pair {
        struct str_id key, value;
};
/* Pairs of a set, sorted by key id. */
size_t cluster_label_pairs(const struct cluster *cluster, struct label_set_id set,
                           const struct label_pair **ret_pairs);
bool cluster_label_get(const struct cluster *cluster, struct label_set_id set, struct str_id key,
                       struct str_id *ret_value);
/* The live nodes that carry a pair against a set over node indexes (bits = cluster_nodes()->count):
 * add them, keep only them, or drop them.  There is no bitset to borrow: rare pairs such as host
 * names are lists, since a bitset for each would grow with the square of the node count. */
void cluster_add_nodes_with_pair(const struct cluster *cluster, struct str_id key,
                                 struct str_id value, struct bitset *nodes);
void cluster_keep_nodes_with_pair(const struct cluster *cluster, struct str_id key,
                                  struct str_id value, struct bitset *nodes);
void cluster_drop_nodes_with_pair(const struct cluster *cluster, struct str_id key,
                                  struct str_id value, struct bitset *nodes);
size_t cluster_count_nodes_with_pair(const struct cluster *cluster, struct str_id key,
                                     struct str_id value);
/* Live nodes that carry the key: NULL when none does.  Bits run over node indexes. */
const struct bitset *cluster_nodes_with_key(const struct cluster *cluster, struct str_id key);
struct label_list cluster_labels(const struct cluster *cluster, struct label_set_id set,
                                 struct arena *arena);
/* Distinct values of a key on nodes, for Gt, Lt and topology: fills an arena array. */
size_t cluster_node_label_values(const struct cluster *cluster, struct str_id key,
                                 struct arena *arena, struct str_id **ret_values);
/* Taints of a set; the array lives as long as the set. */
size_t cluster_taints(const struct cluster *cluster, struct taint_set_id set,
                      const struct taint **ret_taints);
/* Live taint sets, for batch filters: bitset over nodes per set. */
size_t cluster_taint_set_cap(const struct cluster *cluster);
const struct bitset *cluster_nodes_with_taints(const struct cluster *cluster,
                                               struct taint_set_id set); /* NULL when unused */
struct bitset cluster_live_nodes(const struct cluster *cluster, struct arena *arena); /* a copy */
/* Live nodes in upstream's snapshot order: zones in first-seen order, interleaved.
 * count = cluster_node_count.  Brought up to date by the first call after nodes came or went, which
 * therefore must not run beside other readers. */
const struct node_id *cluster_node_order(const struct cluster *cluster);
/* Size of an image on any node as first reported and on how many nodes it is; false when unknown.
 */
bool cluster_image(const struct cluster *cluster, struct str_id name, int64_t *ret_size_bytes,
                   uint32_t *ret_node_count);
bool cluster_node_has_image(const struct cluster *cluster, struct node_id node, struct str_id name);
/* Declared features of a node: the keys of the set. */
struct label_set_id cluster_node_features(const struct cluster *cluster, struct node_id node);
/* Pods with a nomination, in the order they got it.  Assumed ones keep theirs until they are
 * confirmed; code that counts the capacity of nominated pods skips those with a node. */
size_t cluster_nominated_pods(const struct cluster *cluster, const struct pod_id **ret_pods);

/* Namespaces, budgets, priority classes, claims: cold tables. */
struct budget_row {
        struct str_id ns, name;
        bool has_selector, selector_is_invalid;
        struct selector selector; /* strings owned by the row */
        int32_t disruptions_allowed, current_healthy, desired_healthy, expected_pods;
        int64_t generation, observed_generation;
        bool always_allow_unhealthy;
        size_t disrupted_count;
        struct slice *disrupted;
        /* Disruptions by cluster_mark_ending that the status does not show yet. */
        uint32_t unseen;
        uint64_t last_charge;
};
bool cluster_namespace_labels(const struct cluster *cluster, struct str_id ns,
                              struct label_set_id *ret_labels);
/* Budgets in a namespace, in insertion order: size_t at = 0; while ((b = next(..., &at))) */
const struct budget_row *cluster_budget_next(const struct cluster *cluster, struct str_id ns,
                                             size_t *at);
bool cluster_priority_class(const struct cluster *cluster, struct slice name, int32_t *ret_value);
struct claim_row {
        struct str_id storage_class, volume_name;
        bool has_storage_class;
};
const struct claim_row *cluster_claim(const struct cluster *cluster, struct str_id ns,
                                      struct slice name);
/* Live pods of the model owned by this uid. */
uint32_t cluster_owner_count(const struct cluster *cluster, struct str_id owner_uid);

/* Labels of a pod or node against a selector. */
bool cluster_labels_match(const struct cluster *cluster, const struct selector *selector,
                          struct label_set_id set);

/* ---- change log ---- */
/* Entries after `generation`, oldest first; false when the log no longer reaches back that far (the
 * reader starts afresh).  The entries stay valid until the next change. */
struct change_range { /* the ring may wrap: two runs */
        const struct cluster_change *first;
        size_t first_count;
        const struct cluster_change *second;
        size_t second_count;
};
bool cluster_changes_since(const struct cluster *cluster, uint64_t generation,
                           struct change_range *ret_range);
/* A pod before a change that took it off its node, relabelled it, or changed its nomination.  The
 * labels and the class may be in use nowhere else. */
struct old_pod {
        uint64_t generation; /* of the change */
        struct str_id ns;
        struct label_set_id labels;
        struct class_id class;
};
/* NULL: not such a change, too many came after it, or it was dropped. */
const struct old_pod *cluster_old_pod(const struct cluster *cluster, uint64_t generation);
/* The reader has caught up and will not ask about earlier changes again. */
void cluster_drop_old_pods(struct cluster *cluster);

/* ---- checking and measuring ---- */
/* Recomputes every sum, list, index and count from the rows and compares; BERTH_ERR_INTERNAL naming
 * the first difference (upstream: cache comparer). */
int cluster_check(const struct cluster *cluster, struct err *err);
/* Objects a model ought to agree with, as listed from the API. */
struct cluster_source {
        const struct node *nodes;
        const struct pod *pods;
        size_t node_count, pod_count;
};
/* Compares the model with its source, either way round; BERTH_ERR_INTERNAL naming the first
 * difference.  Assumed pods may be unassigned in the source. */
int cluster_compare(const struct cluster *cluster, const struct cluster_source *source,
                    struct err *err);
/* A fingerprint of everything decisions read, generations left out; equal before a checkpoint and
 * after its rollback. */
uint64_t cluster_digest(const struct cluster *cluster);
struct cluster_usage {
        size_t node_bytes, pod_bytes, class_bytes, string_bytes, index_bytes, log_bytes;
        size_t nodes, pods, classes, label_sets, taint_sets, owner_lists, images, strings;
};
void cluster_usage(const struct cluster *cluster, struct cluster_usage *ret_usage);
