/* RemoveDuplicates: pods of one owner and with the same images that share a node while others could
 * take them (reference descheduler.md 4.7). */
#include "base/map.h"
#include "plugin/desched_args.h"
#include "plugins/desched/sweep.h"
#include "rules/node_affinity.h"
#include "rules/taints.h"
#include <stdlib.h>

struct duplicates_args {
        struct namespaces_arg namespaces;
        struct text_list excluded_owner_kinds;
};

#define MEMBER(member) offsetof(struct duplicates_args, member), .presence = FIELD_NO_PRESENCE

static const struct field fields[] = {
        NAMESPACES_FIELD(MEMBER(namespaces)),
        { .name = "excludeOwnerKinds",
          .type = FIELD_TEXTS,
          .offset = MEMBER(excluded_owner_kinds),
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
        struct pod_scope scope;
        struct name_set excluded;
        uint8_t *verdicts; /* enum kind_verdict by kind of pod: whether it is looked at */
        struct duplicate_kind **kinds; /* by kind of pod; NULL = not yet made */
        struct map *known;             /* (namespace, owners, class) -> struct duplicate_kind */
        struct map *images;            /* sorted images -> number + 1 */
        struct map *signatures;        /* what a signature says -> number + 1 */
        struct map *group_index;       /* what a group says -> number + 1 */
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

static uint32_t images_of(struct duplicate_search *search, const struct pod_spec *spec) {
        const char **images = sorted_images(search, spec);
        struct buf text = { 0 };
        for (size_t i = 0; i < spec->container_count; i++)
                buf_printf(&text, "%s#", images[i]);
        uint32_t number = number_of(search->images, buf_view(&text));
        buf_release(&text);
        return number;
}

/* What makes a group: the namespace, the owner's kind and name, the images. */
struct group_key {
        uint32_t ns, kind, name, images;
};

static uint32_t need_group(struct duplicate_search *search, const struct group_key *key) {
        uint32_t index =
                number_of(search->group_index, slice_make((const char *)key, sizeof(*key)));
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

static int compare_keys(const void *a, const void *b) {
        return memcmp(a, b, sizeof(struct group_key));
}

/* Groups: every owner with all images; signature: all of them, whatever their order. */
static struct duplicate_kind *make_kind(struct duplicate_search *search,
                                        const struct pod_kind *pod) {
        const struct cluster *cluster = desched_run_cluster(search->run);
        uint32_t images = images_of(search, &cluster_class(cluster, pod->class)->spec);
        struct group_key *keys = ARENA_ARRAY(search->scratch, struct group_key, pod->owner_count);
        struct duplicate_kind *kind = ARENA_NEW(search->scratch, struct duplicate_kind);
        kind->groups = ARENA_ARRAY(search->scratch, uint32_t, pod->owner_count);
        for (uint32_t i = 0; i < pod->owner_count; i++) {
                keys[i] = (struct group_key){ pod->ns.index, pod->owners[i].kind.index,
                                              pod->owners[i].name.index, images };
                kind->groups[kind->group_count++] = need_group(search, &keys[i]);
        }
        qsort(keys, pod->owner_count, sizeof(*keys), compare_keys);
        kind->signature =
                number_of(search->signatures,
                          slice_make((const char *)keys, pod->owner_count * sizeof(*keys)));
        return kind;
}

/* Pods that differ in labels or phase only are of one such kind. */
static struct duplicate_kind *find_kind(struct duplicate_search *search,
                                        const struct pod_kind *pod) {
        struct {
                const void *owners;
                uint32_t ns, class;
        } key = { pod->owners, pod->ns.index, pod->class.index };
        struct slice text = slice_make((const char *)&key, sizeof(key));
        struct duplicate_kind *kind = map_get(search->known, text);
        if (!kind) {
                kind = make_kind(search, pod);
                map_put(search->known, text, kind);
        }
        return kind;
}

static const struct duplicate_kind *kind_of(struct duplicate_search *search, uint32_t number) {
        if (!search->kinds[number])
                search->kinds[number] =
                        find_kind(search, &desched_run_kinds(search->run)->items[number]);
        return search->kinds[number];
}

static bool is_looked_at(struct duplicate_search *search, uint32_t number) {
        const struct pod_kind *kind = &desched_run_kinds(search->run)->items[number];
        uint8_t *verdict = &search->verdicts[number];
        if (*verdict == KIND_NOT_ASKED) {
                bool is_in = kind->owner_count > 0 &&
                             pod_scope_has_kind(search->run, &search->scope, kind) &&
                             !owners_have_kind(kind->owners, kind->owner_count, &search->excluded);
                *verdict = is_in ? KIND_YES : KIND_NO;
        }
        return *verdict == KIND_YES;
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

static void look_at_node(struct duplicate_search *search, uint32_t position) {
        struct desched_run *run = search->run;
        const struct pod_kinds *kinds = desched_run_kinds(run);
        const struct pod_id *pods;
        size_t count =
                desched_run_pods(run, desched_run_nodes(run).nodes[position], PODS_ACTIVE, &pods);
        for (size_t i = 0; i < count; i++) {
                uint32_t number = kinds->of[pods[i].index];
                if (!is_looked_at(search, number) || !desched_run_may_evict(run, pods[i]))
                        continue;
                const struct duplicate_kind *kind = kind_of(search, number);
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

/* Nodes of the pass that a class could run on by affinity and taints. */
static const struct bitset *nodes_for_class(struct duplicate_search *search, struct class_id id) {
        static const char owner;
        struct bitset *nodes = desched_run_cached(search->run, &owner, id.index);
        if (nodes)
                return nodes;
        const struct cluster *cluster = desched_run_cluster(search->run);
        const struct pod_spec *spec = &cluster_class(cluster, id)->spec;
        const struct bitset *listed = desched_run_node_set(search->run);
        nodes = ARENA_NEW(desched_run_pass_arena(search->run), struct bitset);
        *nodes = bitset_in_arena(desched_run_pass_arena(search->run), listed->bits);
        bitset_copy(nodes, listed);
        taints_narrow(cluster, spec, TAINTS_THAT_BLOCK, true, nodes);
        node_affinity_narrow(cluster, spec, search->scratch, nodes);
        desched_run_cache_put(search->run, &owner, id.index, nodes);
        return nodes;
}

/* Nodes that some duplicate could run on, those of pods with one such node left out. */
static size_t count_targets(struct duplicate_search *search, const struct owner_group *group) {
        const struct cluster *cluster = desched_run_cluster(search->run);
        struct bitset targets =
                bitset_in_arena(search->scratch, desched_run_node_set(search->run)->bits);
        struct class_id last = { ID_NONE };
        for (size_t i = 0; i < group->count; i++) {
                struct class_id class = cluster_pod(cluster, group->duplicates[i])->class;
                if (class.index == last.index)
                        continue;
                last = class;
                const struct bitset *possible = nodes_for_class(search, class);
                if (bitset_count(possible) > 1)
                        bitset_or(&targets, possible);
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

static int remove_duplicates_balance(struct desched_run *run, const void *state, struct err *err) {
        (void)err;
        const struct duplicates_args *args = state;
        struct arena *scratch = desched_run_scratch(run);
        size_t kind_count = desched_run_kinds(run)->count;
        struct duplicate_search search = {
                .run = run,
                .scratch = scratch,
                .scope = pod_scope_make(run, &args->namespaces, NULL),
                .excluded = name_set_make(desched_run_cluster(run), &args->excluded_owner_kinds,
                                          scratch),
                .verdicts = ARENA_ARRAY(scratch, uint8_t, kind_count),
                .kinds = ARENA_ARRAY(scratch, struct duplicate_kind *, kind_count),
                .known = map_new(),
                .images = map_new(),
                .signatures = map_new(),
                .group_index = map_new(),
        };
        for (size_t n = 0; n < desched_run_nodes(run).count; n++)
                look_at_node(&search, (uint32_t)n);
        for (size_t i = 0; i < search.group_count; i++)
                if (!balance_group(&search, &search.groups[i]))
                        break;
        map_free(search.known);
        map_free(search.images);
        map_free(search.signatures);
        map_free(search.group_index);
        return 0;
}

const struct plugin plugin_remove_duplicates = {
        .name = "RemoveDuplicates",
        .args = fields,
        .args_size = sizeof(struct duplicates_args),
        .desched = &(const struct desched_points){ .balance = remove_duplicates_balance,
                                                   .is_mover = true },
        .wakes_on = CLUSTER_NODE_ADDED | CLUSTER_NODE_CONDITION | CLUSTER_NODE_LABELS |
                    CLUSTER_NODE_TAINTS,
};
