/* RemoveDuplicates: pods of one owner and with the same images that share a node while others could
 * take them (reference descheduler.md 4.7). */
#include "base/map.h"
#include "plugin/desched_args.h"
#include "plugins/desched/registry.h"
#include "plugins/desched/sweep.h"
#include "rules/node_affinity.h"
#include "rules/taints.h"
#include <stdlib.h>

struct duplicates_args {
        struct namespaces_arg namespaces;
        struct text_list excluded_owner_kinds;
};

static const struct field fields[] = {
        { .name = "namespaces",
          .type = FIELD_STRUCT,
          .offset = offsetof(struct duplicates_args, namespaces),
          .presence = FIELD_NO_PRESENCE,
          .fields = namespaces_arg_fields,
          .check = namespaces_arg_check,
          .help = "Where to look." },
        { .name = "excludeOwnerKinds",
          .type = FIELD_TEXTS,
          .offset = offsetof(struct duplicates_args, excluded_owner_kinds),
          .presence = FIELD_NO_PRESENCE,
          .help = "Pods with an owner of such a kind stay." },
        FIELD_END,
};

/* One owner with one set of images in one namespace. */
struct owner_group {
        size_t pod_count; /* on all nodes, duplicates or not */
        size_t count, cap;
        struct pod_id *duplicates; /* by node, in order of the nodes */
};
/* What pods of one namespace, one list of owners and one class have in common. */
struct duplicate_kind {
        uint32_t signature;
        uint32_t group_count;
        uint32_t *groups;
};

struct duplicate_search {
        struct desched_run *run;
        struct arena *scratch;
        struct bitset nodes;     /* those of the pass, by index */
        struct map *kinds;       /* (namespace, owners, class) -> struct duplicate_kind */
        struct map *signatures;  /* text -> number + 1 */
        struct map *group_index; /* text -> number + 1 */
        size_t group_count, group_cap;
        struct owner_group *groups;
        size_t seen_cap;
        uint32_t *seen; /* by signature: the last node with such a pod, position + 1 */
};

static int compare_texts(const void *a, const void *b) {
        return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static const char **sorted_images(struct duplicate_search *search, const struct pod_spec *spec) {
        const char **images = ARENA_ARRAY(search->scratch, const char *, spec->container_count);
        for (size_t i = 0; i < spec->container_count; i++)
                images[i] = arena_string(search->scratch, spec->containers[i].image);
        qsort(images, spec->container_count, sizeof(*images), compare_texts);
        return images;
}

static uint32_t number_of(struct map *map, struct slice text) {
        uintptr_t number = (uintptr_t)map_get(map, text);
        if (number == 0) {
                number = map_count(map) + 1;
                map_put(map, text, (void *)number);
        }
        return (uint32_t)(number - 1);
}

static uint32_t need_group(struct duplicate_search *search, struct slice text) {
        uint32_t index = number_of(search->group_index, text);
        if (index < search->group_count)
                return index;
        if (search->group_count == search->group_cap) {
                search->group_cap = search->group_cap ? search->group_cap * 2 : 64;
                struct owner_group *more =
                        ARENA_ARRAY(search->scratch, struct owner_group, search->group_cap);
                if (search->group_count > 0)
                        memcpy(more, search->groups, search->group_count * sizeof(*more));
                search->groups = more;
        }
        search->groups[search->group_count++] = (struct owner_group){ 0 };
        return index;
}

static struct slice owner_prefix(const struct duplicate_search *search, const struct pod_row *pod,
                                 const struct owner_row *owner) {
        const struct cluster *cluster = desched_run_cluster(search->run);
        return slice_of(arena_printf(search->scratch, SLICE_FMT "/" SLICE_FMT "/" SLICE_FMT "/",
                                     SLICE_ARG(cluster_text(cluster, pod->ns)),
                                     SLICE_ARG(cluster_text(cluster, owner->kind)),
                                     SLICE_ARG(cluster_text(cluster, owner->name))));
}

/* Signature: every (owner, image) pair, sorted; groups: every owner with all images. */
static struct duplicate_kind *make_kind(struct duplicate_search *search,
                                        const struct pod_row *pod) {
        const struct pod_spec *spec =
                &cluster_class(desched_run_cluster(search->run), pod->class)->spec;
        const char **images = sorted_images(search, spec);
        size_t count = pod->owner_count * spec->container_count;
        const char **pairs = ARENA_ARRAY(search->scratch, const char *, count);
        struct duplicate_kind *kind = ARENA_NEW(search->scratch, struct duplicate_kind);
        kind->groups = ARENA_ARRAY(search->scratch, uint32_t, pod->owner_count);
        for (uint16_t o = 0; o < pod->owner_count; o++) {
                struct slice prefix = owner_prefix(search, pod, &pod->owners[o]);
                struct buf group = { 0 };
                buf_slice(&group, prefix);
                for (size_t i = 0; i < spec->container_count; i++) {
                        pairs[o * spec->container_count + i] =
                                arena_printf(search->scratch, "%s%s", prefix.ptr, images[i]);
                        buf_printf(&group, "%s%s", i > 0 ? "#" : "", images[i]);
                }
                kind->groups[kind->group_count++] = need_group(search, buf_view(&group));
                buf_release(&group);
        }
        qsort(pairs, count, sizeof(*pairs), compare_texts);
        struct buf signature = { 0 };
        for (size_t i = 0; i < count; i++)
                buf_printf(&signature, "%s\n", pairs[i]);
        kind->signature = number_of(search->signatures, buf_view(&signature));
        buf_release(&signature);
        return kind;
}

static const struct duplicate_kind *kind_of(struct duplicate_search *search,
                                            const struct pod_row *pod) {
        struct {
                const void *owners;
                uint32_t ns, class;
        } key = { pod->owners, pod->ns.index, pod->class.index };
        struct slice text = slice_make((const char *)&key, sizeof(key));
        struct duplicate_kind *kind = map_get(search->kinds, text);
        if (!kind) {
                kind = make_kind(search, pod);
                map_put(search->kinds, text, kind);
        }
        return kind;
}

/* True for the first pod of its signature on this node. */
static bool is_first(struct duplicate_search *search, uint32_t signature, uint32_t stamp) {
        if (signature >= search->seen_cap) {
                size_t cap = search->seen_cap ? search->seen_cap * 2 : 256;
                while (cap <= signature)
                        cap *= 2;
                uint32_t *more = ARENA_ARRAY(search->scratch, uint32_t, cap);
                if (search->seen_cap > 0)
                        memcpy(more, search->seen, search->seen_cap * sizeof(*more));
                search->seen = more;
                search->seen_cap = cap;
        }
        bool is_new = search->seen[signature] != stamp;
        search->seen[signature] = stamp;
        return is_new;
}

static void add_duplicate(struct duplicate_search *search, struct owner_group *group,
                          struct pod_id pod) {
        if (group->count == group->cap) {
                group->cap = group->cap ? group->cap * 2 : 8;
                struct pod_id *more = ARENA_ARRAY(search->scratch, struct pod_id, group->cap);
                if (group->count > 0)
                        memcpy(more, group->duplicates, group->count * sizeof(*more));
                group->duplicates = more;
        }
        group->duplicates[group->count++] = pod;
}

static void look_at_node(struct duplicate_search *search, const struct pod_scope *scope,
                         const struct name_set *excluded, uint32_t position) {
        struct desched_run *run = search->run;
        const struct cluster *cluster = desched_run_cluster(run);
        const struct pod_id *pods;
        size_t count =
                desched_run_pods(run, desched_run_nodes(run).nodes[position], PODS_ACTIVE, &pods);
        for (size_t i = 0; i < count; i++) {
                const struct pod_row *pod = cluster_pod(cluster, pods[i]);
                if (pod->owner_count == 0 || !pod_scope_has(run, scope, pod) ||
                    pod_has_owner_kind(pod, excluded) || !desched_run_may_evict(run, pods[i]))
                        continue;
                const struct duplicate_kind *kind = kind_of(search, pod);
                bool is_reference = is_first(search, kind->signature, position + 1);
                for (uint32_t g = 0; g < kind->group_count; g++) {
                        struct owner_group *group = &search->groups[kind->groups[g]];
                        group->pod_count++;
                        if (!is_reference)
                                add_duplicate(search, group, pods[i]);
                }
        }
}

/* ---- where they could go ---- */

/* Nodes that some duplicate could run on, those of pods with one such node left out. */
static size_t count_targets(struct duplicate_search *search, const struct owner_group *group) {
        const struct cluster *cluster = desched_run_cluster(search->run);
        struct bitset targets = bitset_in_arena(search->scratch, search->nodes.bits);
        struct bitset possible = bitset_in_arena(search->scratch, search->nodes.bits);
        struct class_id last = { ID_NONE };
        for (size_t i = 0; i < group->count; i++) {
                struct class_id class = cluster_pod(cluster, group->duplicates[i])->class;
                const struct pod_spec *spec = &cluster_class(cluster, class)->spec;
                if (class.index == last.index)
                        continue;
                last = class;
                bitset_copy(&possible, &search->nodes);
                taints_narrow(cluster, spec, TAINTS_THAT_BLOCK, true, &possible);
                node_affinity_narrow(cluster, spec, search->scratch, &possible);
                if (bitset_count(&possible) > 1)
                        bitset_or(&targets, &possible);
        }
        return bitset_count(&targets);
}

/* ---- evicting ---- */

/* The duplicates of one node beyond its share; the reference pod counts, too. */
static bool thin_out(struct desched_run *run, const struct pod_id *pods, size_t count,
                     size_t share) {
        if (count + 1 <= share)
                return true;
        for (size_t i = share - 1; i < count; i++) {
                enum evict_outcome outcome = desched_run_evict(
                        run, pods[i],
                        evict_reason(run, "%zu pods of one owner here, %zu would be even",
                                     count + 1, share));
                if (outcome == EVICT_NODE_LIMIT)
                        return true;
                if (outcome == EVICT_TOTAL_LIMIT)
                        return false;
        }
        return true;
}

static bool balance_group(struct duplicate_search *search, const struct owner_group *group) {
        const struct cluster *cluster = desched_run_cluster(search->run);
        size_t targets = group->count > 0 ? count_targets(search, group) : 0;
        if (targets < 2)
                return true;
        size_t share = (group->pod_count + targets - 1) / targets;
        for (size_t from = 0, to; from < group->count; from = to) {
                struct node_id node = cluster_pod(cluster, group->duplicates[from])->node;
                for (to = from; to < group->count; to++)
                        if (cluster_pod(cluster, group->duplicates[to])->node.index != node.index)
                                break;
                if (!thin_out(search->run, group->duplicates + from, to - from, share))
                        return false;
        }
        return true;
}

static int balance(struct desched_run *run, const void *state, struct err *err) {
        (void)err;
        const struct duplicates_args *args = state;
        struct duplicate_search search = { .run = run,
                                           .scratch = desched_run_scratch(run),
                                           .kinds = map_new(),
                                           .signatures = map_new(),
                                           .group_index = map_new() };
        struct pod_scope scope = pod_scope_make(run, &args->namespaces, NULL);
        struct name_set excluded = name_set_make(desched_run_cluster(run),
                                                 &args->excluded_owner_kinds, search.scratch);
        struct node_batch_list nodes = desched_run_nodes(run);
        search.nodes =
                bitset_in_arena(search.scratch, cluster_nodes(desched_run_cluster(run))->count);
        for (size_t n = 0; n < nodes.count; n++)
                bitset_add(&search.nodes, nodes.nodes[n].index);
        for (size_t n = 0; n < nodes.count; n++)
                look_at_node(&search, &scope, &excluded, (uint32_t)n);
        for (size_t i = 0; i < search.group_count; i++)
                if (!balance_group(&search, &search.groups[i]))
                        break;
        map_free(search.kinds);
        map_free(search.signatures);
        map_free(search.group_index);
        return 0;
}

const struct plugin plugin_remove_duplicates = {
        .name = "RemoveDuplicates",
        .args = fields,
        .args_size = sizeof(struct duplicates_args),
        .desched = &(const struct desched_points){ .balance = balance, .is_mover = true },
        .wakes_on = CLUSTER_NODE_ADDED | CLUSTER_NODE_CONDITION | CLUSTER_NODE_LABELS |
                    CLUSTER_NODE_TAINTS,
};
