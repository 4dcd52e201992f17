/* Domains of a topology label. */
#include "rules/topology.h"
#include <string.h>

#define CAP_MIN 4

/* Numbers values in the order met. */
static void number_domains(struct topology *topology, const struct cluster *cluster,
                           struct arena *scratch) {
        const struct node_table *nodes = cluster_nodes(cluster);
        struct str_id *values = ARENA_ARRAY(scratch, struct str_id, nodes->count);
        uint32_t most = 0;
        for (size_t i = 0; i < nodes->count; i++) {
                if (!bitset_has(&nodes->live, i) ||
                    !cluster_label_get(cluster, nodes->labels[i], topology->key, &values[i]))
                        continue;
                topology->domain[i] = 0;
                most = values[i].index > most ? values[i].index : most;
        }
        /* By the id of the text. */
        uint32_t *number_plus_one = ARENA_ARRAY(scratch, uint32_t, (size_t)most + 1);
        for (size_t i = 0; i < nodes->count; i++) {
                uint32_t *number = &number_plus_one[values[i].index];
                if (topology->domain[i] == DOMAIN_NONE)
                        continue;
                if (*number == 0)
                        *number = ++topology->domain_count;
                topology->domain[i] = *number - 1;
                if (str_id_eq(values[i], STR_ID_EMPTY))
                        topology->unnamed = topology->domain[i];
        }
}

/* Counts, turns counts into ends, and fills from the last node on: ends become beginnings. */
static void list_members(struct topology *topology, struct arena *arena) {
        size_t total = 0;
        topology->first = ARENA_ARRAY(arena, uint32_t, (size_t)topology->domain_count + 1);
        for (size_t i = 0; i < topology->node_count; i++)
                if (topology->domain[i] != DOMAIN_NONE)
                        topology->first[topology->domain[i]]++;
        for (uint32_t i = 0; i <= topology->domain_count; i++) {
                total += topology->first[i];
                topology->first[i] = (uint32_t)total;
        }
        topology->members = ARENA_ARRAY(arena, struct node_id, total);
        for (size_t i = topology->node_count; i-- > 0;)
                if (topology->domain[i] != DOMAIN_NONE)
                        topology->members[--topology->first[topology->domain[i]]].index =
                                (uint32_t)i;
}

static struct topology *topology_make(const struct topologies *topologies,
                                      const struct cluster *cluster, struct str_id key,
                                      bool has_key) {
        struct arena *arena = topologies->arena;
        size_t count = cluster_nodes(cluster)->count;
        struct topology *topology = ARENA_NEW(arena, struct topology);
        *topology = (struct topology){
                .key = key, .has_key = has_key, .node_count = count, .unnamed = DOMAIN_NONE
        };
        topology->domain = ARENA_ARRAY(arena, uint32_t, count);
        for (size_t i = 0; i < count; i++)
                topology->domain[i] = DOMAIN_NONE;
        if (has_key)
                number_domains(topology, cluster, topologies->scratch);
        list_members(topology, arena);
        return topology;
}

const struct topology *topologies_get(struct topologies *topologies, const struct cluster *cluster,
                                      struct str_id key, bool has_key) {
        for (size_t i = 0; i < topologies->count; i++) {
                const struct topology *known = topologies->items[i];
                if (known->has_key == has_key && (!has_key || str_id_eq(known->key, key)))
                        return known;
        }
        if (topologies->count == topologies->cap) {
                size_t cap = topologies->cap == 0 ? CAP_MIN : 2 * topologies->cap;
                struct topology **grown = ARENA_ARRAY(topologies->arena, struct topology *, cap);
                if (topologies->count > 0)
                        memcpy(grown, topologies->items, topologies->count * sizeof(*grown));
                topologies->items = grown;
                topologies->cap = cap;
        }
        struct topology *made = topology_make(topologies, cluster, key, has_key);
        topologies->items[topologies->count++] = made;
        return made;
}
