/* Inside of the cluster model: its tables, and what their files offer each other.
 *
 * Interned things (label sets, taint sets, owner lists, classes) are counted rows with recycled
 * numbers, found by content through an id_index.  `_take` functions return a counted row, `_drop`
 * gives one count back. */
#pragma once

#include "base/map.h"
#include "base/util.h"
#include "model/change_log.h"
#include "model/cluster.h"
#include "model/id_index.h"
#include "model/node_order.h"
#include "model/shared_rows.h"
#include "model/wide_sums.h"

/* Size rounded up so that anything may follow it in one allocation. */
#define MODEL_ALIGN(size)                                                                          \
        (((size) + _Alignof(max_align_t) - 1) / _Alignof(max_align_t) * _Alignof(max_align_t))

/* ---- label sets and the inverted index over nodes ---- */

struct label_set {
        uint32_t refs, hash, count;
        struct label_pair *pairs; /* sorted by key id; strings counted */
};
struct label_sets {
        struct label_set *items; /* 0 = no labels, never counted */
        uint32_t cap, live;
        struct id_pool ids;
        struct id_index index;
        size_t bytes; /* of pairs */
};

/* Nodes with a pair: one, few in a list, or many in a bitset. */
enum node_group_kind { GROUP_ONE, GROUP_FEW, GROUP_MANY };
struct node_group {
        struct label_pair pair;
        uint32_t count, cap;
        uint32_t next, prev; /* groups of the same key, plus one */
        enum node_group_kind kind;
        union {
                uint32_t one;
                uint32_t *few;
                struct bitset *many;
        };
};
struct label_key {
        struct str_id key;
        uint32_t count;       /* nodes */
        uint32_t first_group; /* plus one */
        uint32_t group_count;
        struct bitset nodes;
};
struct node_labels {
        struct node_group *groups;
        uint32_t group_cap;
        struct id_pool group_ids;
        struct id_index group_index;
        struct label_key *keys;
        uint32_t key_cap;
        struct id_pool key_ids;
        struct id_index key_index;
        size_t bytes; /* of lists and bitsets of groups */
};

void label_sets_init(struct cluster *cluster);
void label_sets_release(struct cluster *cluster);
struct label_set_id label_set_take(struct cluster *cluster, struct label_list labels);
void label_set_ref(struct cluster *cluster, struct label_set_id set);
void label_set_drop(struct cluster *cluster, struct label_set_id set);
const struct label_set *label_set_at(const struct cluster *cluster, struct label_set_id set);

void node_labels_release(struct cluster *cluster);
void node_labels_resize(struct cluster *cluster); /* after the node table grew */
void node_labels_add(struct cluster *cluster, struct node_id node, struct label_set_id set);
/* Group of a pair; NULL when no node carries it. */
const struct node_group *node_group_find(const struct cluster *cluster, struct label_pair pair);
void node_labels_remove(struct cluster *cluster, struct node_id node, struct label_set_id set);

/* ---- taint sets ---- */

struct taint_set {
        uint32_t refs, hash;
        size_t count, node_count;
        struct taint *taints; /* one allocation with their text and the bytes below */
        const char *content;  /* canonical bytes */
        size_t content_size;
        struct bitset nodes; /* live ones */
};
struct taint_sets {
        struct taint_set *items; /* 0 = no taints */
        uint32_t cap;
        struct id_pool ids;
        struct id_index index;
        size_t bytes;
};
void taint_sets_init(struct cluster *cluster);
void taint_sets_release(struct cluster *cluster);
void taint_sets_resize(struct cluster *cluster);
struct taint_set_id taint_set_take(struct cluster *cluster, const struct taint *taints,
                                   size_t count);
void taint_set_drop(struct cluster *cluster, struct taint_set_id set);
void taint_set_add_node(struct cluster *cluster, struct taint_set_id set, struct node_id node);
void taint_set_remove_node(struct cluster *cluster, struct taint_set_id set, struct node_id node);

/* ---- owner lists ---- */

struct owner_lists {
        struct shared_table table; /* of struct owner_row */
        struct map_u64 *owners;    /* uid string number -> lists that name it */
};
void owner_lists_init(struct cluster *cluster);
void owner_lists_release(struct cluster *cluster);
const struct owner_row *owner_list_take(struct cluster *cluster, const struct owner_ref *owners,
                                        size_t count);   /* NULL without owners */
uint32_t owner_list_count(const struct owner_row *rows); /* 0 for NULL */
void owner_list_drop(struct cluster *cluster, const struct owner_row *rows); /* accepts NULL */

/* ---- images ---- */

struct image_row {
        struct str_id name;
        uint32_t node_count;
        int64_t size_bytes;
};
struct image_table {
        struct image_row *rows;
        uint32_t cap;
        struct id_pool ids;
        struct id_index index;
};
void images_release(struct cluster *cluster);
/* Makes the node's image list the given one; true when it changed. */
bool node_images_set(struct cluster *cluster, struct node_id node, const struct node_image *images,
                     size_t count);

/* ---- classes ---- */

struct class_body { /* of pod_class, see there; spec without required node terms */
        uint32_t refs, id;
        uint64_t hash, shape_hash;
        const char *content; /* canonical bytes */
        size_t content_size, bytes;
        struct json_doc *sources; /* of volumes; NULL = none */
        struct pod_spec spec;
        size_t request_count, port_count;
        struct resource_request *requests;
        struct class_port *ports; /* strings counted */
        int64_t nonzero_cpu_milli, nonzero_memory_bytes;
        uint32_t attach_count;
        enum qos_class qos;
        bool uses_local_storage;
};
struct body_table {
        struct class_body **items;
        uint32_t cap;
        struct id_pool ids;
        struct id_index index;
        size_t bytes;
};
struct class_content;
/* Leaves out what a class does not keep; the result lives in the scratch arena. */
void class_content_normalise(struct cluster *cluster, const struct pod_spec *from,
                             struct class_content *content);
/* The sizes in the pod's status, if any, are those of the spec. */
bool class_content_is_of_spec(const struct pod_spec *spec);
struct class_body *class_body_take(struct cluster *cluster, struct class_content *normal);
void class_body_drop(struct cluster *cluster, struct class_body *body);
void class_bodies_release(struct cluster *cluster);

struct class_memory { /* behind pod_class.memory */
        struct class_body *body;
        const char *terms; /* canonical bytes of the required node terms */
        size_t terms_size, bytes;
};
#define CLASS_SIBLINGS 256u
struct class_sibling { /* the class that a spec of this number had last (struct pod_spec) */
        uint64_t sibling, serial;
        uint32_t class;
};
struct class_table {
        struct class_sibling siblings[CLASS_SIBLINGS]; /* by number; no counts are held */
        uint64_t serials;                              /* handed out */
        struct pod_class **items;
        uint32_t cap, live;
        struct id_pool ids;
        struct id_index index;
        size_t bytes;
        struct class_terms terms;
};
void classes_release(struct cluster *cluster);
struct class_id class_take(struct cluster *cluster, const struct pod_spec *spec);
void class_ref(struct cluster *cluster, struct class_id class);
void class_drop(struct cluster *cluster, struct class_id class);

/* ---- resources ---- */

/* So many get columns in any case, so many at most, and in between as long as their columns have
 * no more cells than that (16 bytes each).  Later ones share a column that no node has any of. */
#define RESOURCES_SURE 1024u
#define RESOURCES_MAX 8192u
#define RESOURCE_CELLS_MAX ((size_t)1 << 25)

struct resource_names {
        struct str_id *names; /* by column */
        struct id_index index;
        uint32_t shared; /* the column of those beyond the limit; 0 = none so far */
};
void resources_init(struct cluster *cluster);
void resources_release(struct cluster *cluster);
struct resource_id resource_take(struct cluster *cluster, struct slice name);
/* Whether it is the column that stands for all resources beyond the limit. */
bool resource_is_shared(const struct cluster *cluster, struct resource_id resource);

/* ---- nodes ---- */

struct node_extra { /* cold part of a row */
        uint64_t annotation_hash, condition_hash, image_hash, uid_hash;
        struct label_set_id features;
        bool is_used;
};
void node_rows_init(struct cluster *cluster);
void node_rows_release(struct cluster *cluster);
struct node_id node_row_find(const struct cluster *cluster, struct str_id name);
/* Rows without NODE_KNOWN included. */
struct node_id cluster_find_any_node(const struct cluster *cluster, struct slice name);
/* The row of a name, a new one without NODE_KNOWN when there is none. */
struct node_id node_row_take(struct cluster *cluster, struct slice name);
/* Frees a row that neither an object nor a pod needs. */
void node_row_release_unused(struct cluster *cluster, struct node_id node);

/* ---- pods ---- */

#define POD_CHUNK_ROWS 512u

struct pod_rows {
        struct pod_row **chunks;
        uint32_t chunk_cap;
        struct id_pool ids;
        struct id_index index;
        uint32_t live;
        size_t text_bytes, detail_bytes;
        struct pod_id *nominated;
        uint32_t nominated_count, nominated_cap;
        struct map_u64 *responders; /* pod index -> text, of the few that have some; or NULL */
};
static inline struct pod_row *pod_row_at(const struct pod_rows *pods, struct pod_id pod) {
        return &pods->chunks[pod.index / POD_CHUNK_ROWS][pod.index % POD_CHUNK_ROWS];
}
void pod_rows_release(struct cluster *cluster);
struct pod_id pod_row_find(const struct cluster *cluster, struct str_id ns, struct slice name);
struct pod_id pod_row_new(struct cluster *cluster, const struct object_meta *meta);
void pod_row_free(struct cluster *cluster, struct pod_id pod); /* off its node already */
static inline bool pod_row_occupies(const struct pod_row *row) {
        return !node_id_is_none(row->node) && !pod_row_is_finished(row);
}
/* ---- what EvictionRequests need of a pod; nothing without keeps_evictions ---- */
uint16_t pod_eviction_flags(const struct cluster *cluster, const struct pod *pod);
/* Puts the text of POD_HAS_RESPONDERS in; true when it changed. */
bool pod_responders_set(struct cluster *cluster, struct pod_id id, const struct pod *pod);
void pod_responders_drop(struct cluster *cluster, struct pod_id id);
void pod_responders_release(struct cluster *cluster);

/* Detail of a status; NULL when it has none or the model does not store it. */
struct pod_detail *pod_detail_new(struct cluster *cluster, const struct pod *pod);
void pod_detail_free(struct cluster *cluster, struct pod_detail *detail); /* accepts NULL */
bool pod_detail_eq(const struct pod_detail *a, const struct pod_detail *b);
bool pod_claims_eq(const struct pod_detail *a, const struct pod_detail *b); /* accepts NULL */
size_t pod_detail_bytes(const struct pod_detail *detail);

/* ---- priorities of pods that occupy nodes: few, so a short list ---- */

struct priority_count {
        int32_t priority;
        uint32_t count;
};
struct priority_counts {
        struct priority_count *items;
        uint32_t count, cap;
};

/* ---- what pods were before ---- */

struct old_pods { /* ring, oldest at first */
        struct old_pod *items;
        uint32_t cap, count, first;
};
/* A pod as it is now.  Counted, it can be logged after the row changed. */
struct old_pod old_pod_of(const struct pod_row *row);
void old_pod_ref(struct cluster *cluster, const struct old_pod *old);
void old_pod_drop(struct cluster *cluster, const struct old_pod *old);
/* Logs a change of a pod and keeps what it was before, where readers may ask for it. */
void cluster_log_pod(struct cluster *cluster, uint32_t mask, struct node_id node, struct pod_id pod,
                     const struct old_pod *before);
void old_pods_release(struct cluster *cluster);

/* ---- alike pods ---- */

struct equivalent_table {
        struct pod_equivalents *items;
        uint32_t cap;
        struct id_pool ids;
        struct id_index index; /* by namespace, class and labels */
        uint32_t empty;        /* lists without pods */
};
/* The pod is on a node now; or it leaves it, or is about to change what it is listed by.  Nothing
 * happens when it is listed, or is not, already. */
void pod_equivalents_join(struct cluster *cluster, struct pod_id pod);
void pod_equivalents_leave(struct cluster *cluster, struct pod_id pod);
void pod_equivalents_release(struct cluster *cluster);

/* ---- placement: lists, sums, ports; nothing here is logged ---- */

void pod_link(struct cluster *cluster, struct pod_id pod, struct node_id node);
void pod_unlink(struct cluster *cluster,
                struct pod_id pod); /* stays in its list of equivalent pods */
/* Adds what the pod occupies to its node, or takes it off again. */
void pod_account(struct cluster *cluster, struct pod_id pod);
void pod_unaccount(struct cluster *cluster, struct pod_id pod);
/* Sets the nomination ("" clears) and keeps the list of nominated pods; true when it changed. */
bool pod_set_nomination(struct cluster *cluster, struct pod_id pod, struct slice node);
uint32_t pod_nomination_position(const struct cluster *cluster, struct pod_id pod);
void pod_nomination_insert(struct cluster *cluster, struct pod_id pod, uint32_t position);
void pod_nomination_remove(struct cluster *cluster, struct pod_id pod);

/* ---- what-if ---- */

struct undo_entry { /* a row as it was before the step */
        struct pod_id pod;
        struct node_id node;
        struct pod_id next_on_node, prev_on_node;
        struct str_id nominated;     /* counted */
        uint32_t nominated_position; /* in the list of nominated pods; ID_NONE = not in it */
        uint16_t flags;
        bool moves_nomination;
        bool is_cordon; /* of the node; no pod is concerned */
};
struct what_if {
        struct undo_entry *journal;
        uint32_t count, cap;
        uint32_t *marks; /* journal length at each open checkpoint */
        uint32_t depth, mark_cap;
        struct bitset touched;
        struct node_id *touched_list;
        uint32_t touched_count, touched_cap;
};
void what_if_release(struct cluster *cluster);

/* ---- cold tables ---- */

struct cold_tables {
        struct map_u64 *namespaces; /* name string number -> struct namespace_row */
        struct map_u64 *budgets;    /* namespace string number -> struct budget_list */
        struct map *priority_classes;
        struct map *claims; /* "namespace/name" -> struct claim_row */
        size_t bytes;
        uint64_t charges; /* of budgets, by pods marked as ending */
};
/* As cluster_budget_next, to be changed. */
struct budget_row *budget_row_next(struct cluster *cluster, struct str_id ns, size_t *at);
/* See cluster_settle_budgets; true: something changed. */
bool budget_rows_settle(struct cluster *cluster, uint64_t charge);
void cold_tables_init(struct cluster *cluster);
void cold_tables_release(struct cluster *cluster);

struct cluster {
        struct cluster_config config;
        struct interner *strings;
        struct arena scratch; /* cleared when a change begins */
        struct arena decoded; /* cluster_apply */
        struct buf content;   /* canonical bytes being built */
        struct buf terms;
        struct change_log log;
        struct node_table nodes;
        struct wide_sums wide_sums; /* of nodes */
        struct node_extra *node_extra;
        struct id_pool node_ids;
        struct id_index node_index; /* by name */
        size_t live_nodes;
        struct node_order *order;
        struct resource_names resources;
        struct label_sets label_sets;
        struct node_labels node_labels;
        struct taint_sets taint_sets;
        struct owner_lists owner_lists;
        struct shared_table container_lists; /* of struct container_row */
        struct image_table images;
        struct body_table bodies;
        struct class_table classes;
        struct pod_rows pods;
        struct equivalent_table equivalents;
        struct old_pods old_pods;
        struct priority_counts priorities;
        struct what_if what_if;
        struct cold_tables tables;
};

static inline bool cluster_is_what_if(const struct cluster *cluster) {
        return cluster->what_if.depth > 0;
}
static inline struct str_id str_take(struct cluster *cluster, struct slice text) {
        return interner_add(cluster->strings, text);
}
static inline void str_drop(struct cluster *cluster, struct str_id id) {
        interner_unref(cluster->strings, id);
}
/* Logs a change and stamps the node with its generation. */
void cluster_log_change(struct cluster *cluster, uint32_t mask, struct node_id node,
                        struct pod_id pod);
