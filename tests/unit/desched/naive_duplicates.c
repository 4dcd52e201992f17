/* RemoveDuplicates, naive: owners and images compared as texts. */
#include "naive_rules.h"
#include "plugin/desched_points.h"
#include "rules/node_affinity.h"
#include "rules/taints.h"
#include <stdio.h>
#include <stdlib.h>

#define ENTRIES_MAX 1024
#define TEXT_MAX 600

/* A pod as one of its owners sees it. */
struct entry {
        struct pod_id pod;
        struct node_id node;
        char owner[200], group[TEXT_MAX], signature[TEXT_MAX];
        bool is_duplicate; /* not the first of its signature on its node */
};
struct entries {
        struct desched_run *run;
        size_t count;
        struct entry items[ENTRIES_MAX];
};

static int compare_texts(const void *a, const void *b) {
        return strcmp(a, b);
}

/* Sorted and joined. */
static void join(char texts[][TEXT_MAX / 4], size_t count, char *to) {
        size_t at = 0;
        qsort(texts, count, sizeof(texts[0]), compare_texts);
        to[0] = '\0';
        for (size_t i = 0; i < count && at < TEXT_MAX; i++)
                at += (size_t)snprintf(to + at, TEXT_MAX - at, "%s|", texts[i]);
}

static void describe(const struct cluster *cluster, const struct pod_row *pod,
                     const struct owner_row *owner, struct entry *entry) {
        const struct pod_spec *spec = &cluster_class(cluster, pod->class)->spec;
        char images[4][TEXT_MAX / 4], joined[TEXT_MAX];
        for (size_t i = 0; i < spec->container_count; i++)
                snprintf(images[i], sizeof(images[i]), SLICE_FMT,
                         SLICE_ARG(spec->containers[i].image));
        join(images, spec->container_count, joined);
        snprintf(entry->owner, sizeof(entry->owner), SLICE_FMT "/" SLICE_FMT "/" SLICE_FMT,
                 SLICE_ARG(cluster_text(cluster, pod->ns)),
                 SLICE_ARG(cluster_text(cluster, owner->kind)),
                 SLICE_ARG(cluster_text(cluster, owner->name)));
        snprintf(entry->group, sizeof(entry->group), "%s %.300s", entry->owner, joined);
}

/* Every owner with the images: what two pods must have alike to be duplicates. */
static void sign(struct entry *entries, size_t count) {
        char groups[4][TEXT_MAX / 4];
        for (size_t i = 0; i < count; i++)
                snprintf(groups[i], sizeof(groups[i]), "%.149s", entries[i].group);
        for (size_t i = 0; i < count; i++)
                join(groups, count, entries[i].signature);
}

static void add_pod(struct entries *entries, struct pod_id id, size_t node_from) {
        const struct cluster *cluster = desched_run_cluster(entries->run);
        const struct pod_row *pod = cluster_pod(cluster, id);
        size_t from = entries->count;
        for (uint32_t i = 0; i < pod->owner_count; i++) {
                struct entry *entry = &entries->items[entries->count++];
                *entry = (struct entry){ .pod = id, .node = pod->node };
                describe(cluster, pod, &pod->owners[i], entry);
        }
        sign(&entries->items[from], entries->count - from);
        for (size_t i = node_from; i < from; i++)
                for (size_t j = from; j < entries->count; j++)
                        entries->items[j].is_duplicate |= strcmp(entries->items[i].signature,
                                                                 entries->items[j].signature) == 0;
}

static void collect(struct entries *entries) {
        struct desched_run *run = entries->run;
        struct node_batch_list nodes = desched_run_nodes(run);
        for (size_t n = 0; n < nodes.count; n++) {
                const struct pod_id *pods;
                size_t count = desched_run_pods(run, nodes.nodes[n], PODS_ACTIVE, &pods);
                size_t node_from = entries->count;
                for (size_t i = 0; i < count; i++)
                        if (cluster_pod(desched_run_cluster(run), pods[i])->owner_count > 0 &&
                            desched_run_may_evict(run, pods[i]))
                                add_pod(entries, pods[i], node_from);
        }
}

/* ---- one group ---- */

static bool is_of(const struct entry *entry, const struct entry *first, struct node_id node) {
        return entry->is_duplicate && entry->node.index == node.index &&
               strcmp(entry->group, first->group) == 0;
}

static bool can_run(const struct cluster *cluster, struct pod_id id, struct node_id node) {
        const struct pod_spec *spec =
                &cluster_class(cluster, cluster_pod(cluster, id)->class)->spec;
        return node_affinity_admits(cluster, spec, node) &&
               !node_untolerated_taint(cluster, node, spec, TAINTS_THAT_BLOCK, true);
}

static bool is_choosy(struct desched_run *run, struct pod_id id) {
        struct node_batch_list nodes = desched_run_nodes(run);
        size_t count = 0;
        for (size_t n = 0; n < nodes.count; n++)
                count += can_run(desched_run_cluster(run), id, nodes.nodes[n]);
        return count < 2;
}

static size_t count_targets(const struct entries *entries, const struct entry *first) {
        struct node_batch_list nodes = desched_run_nodes(entries->run);
        size_t count = 0;
        for (size_t n = 0; n < nodes.count; n++) {
                bool is_target = false;
                for (size_t i = 0; i < entries->count && !is_target; i++) {
                        const struct entry *entry = &entries->items[i];
                        is_target = is_of(entry, first, entry->node) &&
                                    !is_choosy(entries->run, entry->pod) &&
                                    can_run(desched_run_cluster(entries->run), entry->pod,
                                            nodes.nodes[n]);
                }
                count += is_target;
        }
        return count;
}

/* False: the pass is over. */
static bool thin_out(const struct entries *entries, const struct entry *first, struct node_id node,
                     size_t share) {
        size_t stays = 1; /* the first of its signature */
        for (size_t i = 0; i < entries->count; i++) {
                if (!is_of(&entries->items[i], first, node) || ++stays <= share)
                        continue;
                enum evict_outcome outcome =
                        desched_run_evict(entries->run, entries->items[i].pod, SLICE_EMPTY);
                if (outcome == EVICT_NODE_LIMIT)
                        return true;
                if (outcome == EVICT_TOTAL_LIMIT)
                        return false;
        }
        return true;
}

static bool balance_group(const struct entries *entries, const struct entry *first) {
        struct node_batch_list nodes = desched_run_nodes(entries->run);
        size_t members = 0, targets = count_targets(entries, first);
        for (size_t i = 0; i < entries->count; i++)
                members += strcmp(entries->items[i].group, first->group) == 0;
        for (size_t n = 0; n < nodes.count && targets > 1; n++)
                if (!thin_out(entries, first, nodes.nodes[n], (members + targets - 1) / targets))
                        return false;
        return true;
}

static bool is_first_of_group(const struct entries *entries, size_t at) {
        for (size_t i = 0; i < at; i++)
                if (strcmp(entries->items[i].group, entries->items[at].group) == 0)
                        return false;
        return true;
}

int naive_duplicates(struct desched_run *run, const void *state, struct err *err) {
        (void)state, (void)err;
        struct entries *entries = calloc(1, sizeof(*entries));
        if (!entries)
                abort();
        entries->run = run;
        collect(entries);
        for (size_t i = 0; i < entries->count; i++)
                if (is_first_of_group(entries, i) && !balance_group(entries, &entries->items[i]))
                        break;
        free(entries);
        return 0;
}
