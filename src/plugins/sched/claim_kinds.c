/* What is known of the nodes for claims that ask for the same. */
#include "plugins/sched/claim_kinds.h"

#include "base/map.h"
#include "base/util.h"
#include "plugins/sched/extended_claim.h"
#include <stdlib.h>

#define KINDS_MAX 128
#define NEWS_MAX 64 /* nodes whose score changed, of one kind */
#define GROUPS_MIN 4096
#define NO_SCORE (-1) /* where nothing is sought, or nothing found */

/* What was found on one node goes for all nodes that see the same, or of which the own pools are
 * alike beside that, as long as it is known. */
struct alike_nodes {
        uint64_t round; /* in which it was found; 0: not known */
        enum device_outcome outcome;
        int32_t score;
};
enum kind_pool { KIND_POOL_UNKNOWN, KIND_POOL_NO_MATTER, KIND_POOL_MATTERS };
struct claim_kind {
        struct arena *scratch; /* of all kinds; for one search */
        struct buf *text;      /* likewise; what the group of one node has alike */
        struct buf key;        /* what the claims ask for; empty: free */
        uint64_t hash;         /* of the key */
        uint64_t last_used, serial;
        uint64_t generation; /* of the cluster */
        uint64_t change_count, shared_change_count;
        struct bitset known, fits, invalid;
        struct bitset judged, apart; /* by pools of their own that matter */
        uint8_t *pools;              /* of the inventory: enum kind_pool */
        int32_t *scores;             /* of nodes, as they were when they were last asked */
        struct count_entry scored;   /* epoch and news of the scores */
        uint64_t round;              /* counts when all nodes were forgotten */
        /* The kind takes devices of pools for several nodes: then nodes that have others of their
         * own are grouped by these, too. */
        bool is_mixed;
        uint32_t *places;  /* of nodes: number of the group, counted from 1; 0: not known */
        struct map *names; /* what groups have alike to such a number */
        struct alike_nodes *groups;
        size_t group_count, group_cap;
        struct device_memo *memo;
};
struct claim_kinds {
        struct arena scratch;
        struct buf key; /* of the claims that are looked for */
        struct buf text;
        uint64_t clock, serials, inventory_serial;
        struct claim_kind items[KINDS_MAX];
};

/* ---- life ---- */

struct claim_kinds *claim_kinds_new(void) {
        struct claim_kinds *kinds = xcalloc(1, sizeof(*kinds));

        arena_init(&kinds->scratch, 0);
        for (size_t i = 0; i < KINDS_MAX; i++) {
                kinds->items[i].scratch = &kinds->scratch;
                kinds->items[i].text = &kinds->text;
                bitset_init(&kinds->items[i].known);
                bitset_init(&kinds->items[i].fits);
                bitset_init(&kinds->items[i].invalid);
                bitset_init(&kinds->items[i].judged);
                bitset_init(&kinds->items[i].apart);
                kinds->items[i].memo = device_memo_new();
        }
        return kinds;
}

static void forget_kinds(struct claim_kinds *kinds) {
        for (size_t i = 0; i < KINDS_MAX; i++) {
                buf_clear(&kinds->items[i].key);
                kinds->items[i].serial = 0;
        }
}

void claim_kinds_free(struct claim_kinds *kinds) {
        if (!kinds)
                return;
        for (size_t i = 0; i < KINDS_MAX; i++) {
                struct claim_kind *kind = &kinds->items[i];

                buf_release(&kind->key);
                bitset_release(&kind->known);
                bitset_release(&kind->fits);
                bitset_release(&kind->invalid);
                bitset_release(&kind->judged);
                bitset_release(&kind->apart);
                free(kind->pools);
                free(kind->scores);
                free(kind->scored.news.items);
                free(kind->places);
                free(kind->groups);
                map_free(kind->names);
                device_memo_free(kind->memo);
        }
        buf_release(&kinds->key);
        buf_release(&kinds->text);
        arena_release(&kinds->scratch);
        free(kinds);
}

/* ---- what changed ---- */

static void forget_all(struct claim_kind *kind, const struct device_inventory *inventory) {
        kind->round++;
        bitset_clear(&kind->known);
        bitset_clear(&kind->fits);
        bitset_clear(&kind->invalid);
        kind->change_count = inventory->change_count;
        kind->shared_change_count = inventory->shared_change_count;
}

/* Of scores: those who follow them forget what they know. */
static void forget_scores(struct claim_kind *kind) {
        struct domain_news *news = &kind->scored.news;

        memset(kind->scores, 0, kind->known.bits * sizeof(*kind->scores));
        kind->scored.epoch = kind->serial;
        news->count = 0;
        news->since = ++news->version;
}

static void put_score(struct claim_kind *kind, struct node_id node, int32_t score) {
        struct domain_news *news = &kind->scored.news;

        if (kind->scores[node.index] == score)
                return;
        kind->scores[node.index] = score;
        if (!news->items) {
                news->items = xcalloc(NEWS_MAX, sizeof(*news->items));
                news->cap = NEWS_MAX;
        }
        if (news->count == news->cap) {
                news->count = 0;
                news->since = news->version;
        }
        news->version++;
        domain_news_add(news, NULL, node.index);
}

static void forget_groups(struct claim_kind *kind) {
        if (kind->places)
                memset(kind->places, 0, kind->known.bits * sizeof(*kind->places));
        map_free(kind->names);
        kind->names = map_new();
        kind->group_count = 0;
}

static void start_again(struct claim_kind *kind, const struct sched_cycle *cycle,
                        const struct device_inventory *inventory) {
        size_t count = cluster_nodes(cycle->cluster)->count;

        if (kind->known.bits != count) {
                bitset_resize(&kind->known, count);
                bitset_resize(&kind->fits, count);
                bitset_resize(&kind->invalid, count);
                bitset_resize(&kind->judged, count);
                bitset_resize(&kind->apart, count);
                kind->scores = xreallocarray(kind->scores, count + 1, sizeof(*kind->scores));
                kind->places = xreallocarray(kind->places, count + 1, sizeof(*kind->places));
        }
        bitset_clear(&kind->judged);
        bitset_clear(&kind->apart);
        kind->generation = cluster_generation(cycle->cluster);
        forget_groups(kind);
        forget_scores(kind);
        forget_all(kind, inventory);
}

static void forget_node(struct claim_kind *kind, struct node_id node) {
        if (node.index >= kind->known.bits)
                return;
        bitset_remove(&kind->known, node.index);
        bitset_remove(&kind->fits, node.index);
        bitset_remove(&kind->invalid, node.index);
        kind->places[node.index] = 0;
}

/* What it has of its own, too. */
static void forget_node_whole(struct claim_kind *kind, struct node_id node) {
        forget_node(kind, node);
        if (node.index >= kind->judged.bits)
                return;
        bitset_remove(&kind->judged, node.index);
        bitset_remove(&kind->apart, node.index);
}

static void forget_nodes(struct claim_kind *kind, const struct cluster_change *changes,
                         size_t count) {
        for (size_t i = 0; i < count; i++)
                if (changes[i].mask & DEVICE_NODE_CHANGES)
                        forget_node_whole(kind, changes[i].node);
}

static void follow_own(struct claim_kind *kind, const struct cluster *cluster,
                       const struct device_inventory *inventory) {
        for (; kind->change_count < inventory->change_count; kind->change_count++) {
                struct device_change change =
                        device_inventory_change(inventory, kind->change_count);
                struct node_id node = cluster_find_node(cluster, change.node);

                if (change.is_of_slices)
                        forget_node_whole(kind, node);
                else
                        forget_node(kind, node);
        }
}

static bool pool_matters(const struct device_claims *claims, struct claim_kind *kind,
                         uint32_t pool) {
        uint8_t *known = &kind->pools[pool];

        /* What is sought for extended resources differs from node to node. */
        if (claims->extended->count)
                return true;
        if (*known == KIND_POOL_UNKNOWN) {
                *known = device_claims_concern(claims, pool, kind->scratch) ? KIND_POOL_MATTERS
                                                                            : KIND_POOL_NO_MATTER;
                arena_clear(kind->scratch);
        }
        return *known == KIND_POOL_MATTERS;
}

static void follow_shared(struct claim_kind *kind, const struct device_claims *claims) {
        const struct device_inventory *inventory = claims->inventory;
        bool matters =
                inventory->shared_change_count - kind->shared_change_count > DEVICE_CHANGES_MAX;

        for (uint64_t i = kind->shared_change_count; !matters && i < inventory->shared_change_count;
             i++)
                matters = pool_matters(claims, kind,
                                       inventory->shared_changes[i % DEVICE_CHANGES_MAX]);
        kind->shared_change_count = inventory->shared_change_count;
        kind->is_mixed |= matters;
        if (matters)
                forget_all(kind, inventory);
}

/* False: too much changed. */
static bool catch_up(struct claim_kind *kind, const struct sched_cycle *cycle,
                     const struct device_claims *claims) {
        const struct device_inventory *inventory = claims->inventory;
        struct change_range range;

        if (kind->known.bits != cluster_nodes(cycle->cluster)->count ||
            inventory->change_count - kind->change_count > DEVICE_CHANGES_MAX ||
            !cluster_changes_since(cycle->cluster, kind->generation, &range))
                return false;
        forget_nodes(kind, range.first, range.first_count);
        forget_nodes(kind, range.second, range.second_count);
        kind->generation = cluster_generation(cycle->cluster);
        follow_own(kind, cycle->cluster, inventory);
        follow_shared(kind, claims);
        return true;
}

/* ---- finding ---- */

static struct claim_kind *kind_of_key(struct claim_kinds *kinds, bool *ret_is_new) {
        struct claim_kind *oldest = &kinds->items[0];
        uint64_t hash = slice_hash(buf_view(&kinds->key));

        for (size_t i = 0; i < KINDS_MAX; i++) {
                struct claim_kind *kind = &kinds->items[i];

                if (kind->key.len && kind->hash == hash &&
                    slice_eq(buf_view(&kind->key), buf_view(&kinds->key)))
                        return kind;
                if (kind->last_used < oldest->last_used)
                        oldest = kind;
        }
        buf_clear(&oldest->key);
        buf_slice(&oldest->key, buf_view(&kinds->key));
        oldest->hash = hash;
        oldest->serial = ++kinds->serials;
        oldest->is_mixed = false;
        device_memo_begin(oldest->memo, oldest->serial);
        *ret_is_new = true;
        return oldest;
}

void claim_kinds_find(struct claim_kinds *kinds, const struct sched_cycle *cycle,
                      struct device_claims *claims) {
        bool is_new = false;

        if (kinds->inventory_serial != claims->inventory_serial)
                forget_kinds(kinds);
        kinds->inventory_serial = claims->inventory_serial;
        buf_clear(&kinds->key);
        for (size_t i = 0; i < claims->wanted_count; i++) {
                if (claims->wanted[i]->spec_json)
                        json_write(claims->wanted[i]->spec_json, &kinds->key);
                buf_char(&kinds->key, '\n');
        }
        extended_resources_key(cycle, claims->extended, &kinds->key);
        struct claim_kind *kind = kind_of_key(kinds, &is_new);
        if (is_new) {
                uint32_t count = claims->inventory->pool_count;

                kind->pools = xreallocarray(kind->pools, count + 1, 1);
                memset(kind->pools, KIND_POOL_UNKNOWN, count);
        }
        if (is_new || !catch_up(kind, cycle, claims))
                start_again(kind, cycle, claims->inventory);
        kind->last_used = ++kinds->clock;
        claims->kind = kind;
        claims->kind_serial = kind->serial;
        claims->memo = kind->memo;
}

bool claim_kind_lasts(const struct device_claims *claims) {
        return claims->kind && claims->kind->serial == claims->kind_serial;
}

uint64_t claim_kind_hash(const struct device_claims *claims) {
        return claims->kind->hash;
}

const struct count_entry *claim_kind_news(const struct device_claims *claims) {
        return &claims->kind->scored;
}

/* ---- nodes ---- */

/* Whether pools of the node alone may matter; found out once. */
static bool has_own(const struct sched_cycle *cycle, const struct device_claims *claims,
                    const struct extended_claim *extra, struct node_id node) {
        struct claim_kind *kind = claims->kind;
        const struct device_place_asked asked = { extra ? &extra->claim : NULL, node };

        if (!bitset_has(&kind->judged, node.index)) {
                bitset_add(&kind->judged, node.index);
                if (device_claims_concern_own(cycle, claims, &asked, kind->scratch))
                        bitset_add(&kind->apart, node.index);
                arena_clear(kind->scratch);
        }
        return bitset_has(&kind->apart, node.index);
}

static struct alike_nodes *group_named(struct claim_kind *kind, struct node_id node) {
        size_t max = kind->known.bits > GROUPS_MIN / 2 ? 2 * kind->known.bits : GROUPS_MIN;
        uintptr_t number = (uintptr_t)map_get(kind->names, buf_view(kind->text));

        if (!number) {
                if (kind->group_count == max)
                        forget_groups(kind);
                number = ++kind->group_count;
                if (number > kind->group_cap) {
                        kind->group_cap = kind->group_cap ? 2 * kind->group_cap : 16;
                        kind->groups =
                                xreallocarray(kind->groups, kind->group_cap, sizeof(*kind->groups));
                }
                kind->groups[number - 1] = (struct alike_nodes){ 0 };
                map_put(kind->names, buf_view(kind->text), (void *)number);
        }
        kind->places[node.index] = (uint32_t)number;
        return &kind->groups[number - 1];
}

/* What is known of the nodes that see the same and, where pools of their own matter, have the same
 * in these; NULL: the node is like no other, or there is no saying. */
static struct alike_nodes *group_on(const struct sched_cycle *cycle,
                                    const struct device_claims *claims,
                                    const struct extended_claim *extra, struct node_id node) {
        struct claim_kind *kind = claims->kind;
        const struct device_place_asked asked = { extra ? &extra->claim : NULL, node };

        if (kind->places[node.index])
                return &kind->groups[kind->places[node.index] - 1];
        bool is_apart = has_own(cycle, claims, extra, node);
        if (is_apart && !kind->is_mixed)
                return NULL;
        const uint64_t about[] = { device_view_reach(claims->view, cycle, node)->number,
                                   extra ? extra->lacks : 0, is_apart };
        buf_clear(kind->text);
        buf_append(kind->text, about, sizeof(about));
        bool is_alike = !is_apart ||
                        device_claims_own_key(cycle, claims, &asked, kind->scratch, kind->text);
        arena_clear(kind->scratch);
        return is_alike ? group_named(kind, node) : NULL;
}

static enum device_outcome search_on(const struct sched_cycle *cycle,
                                     const struct device_claims *claims,
                                     const struct extended_claim *extra, struct node_id node,
                                     int32_t *ret_score) {
        const struct device_place_asked asked = { extra ? &extra->claim : NULL, node };
        struct device_allocation *allocations = NULL;
        struct arena *scratch = claims->kind->scratch;
        enum device_outcome outcome =
                claims->wanted_count || extra
                        ? device_claims_search(cycle, claims, &asked, scratch, &allocations)
                        : DEVICES_FOUND;

        *ret_score = outcome == DEVICES_FOUND && (claims->wanted_count || extra)
                             ? (int32_t)device_claims_score_found(claims, allocations)
                             : NO_SCORE;
        arena_clear(scratch);
        return outcome;
}

/* What failed is not remembered: its words name the claim. */
static enum device_outcome outcome_on(const struct sched_cycle *cycle,
                                      const struct device_claims *claims, struct node_id node) {
        struct claim_kind *kind = claims->kind;
        struct alike_nodes found = { .round = kind->round };

        if (bitset_has(&kind->known, node.index))
                return bitset_has(&kind->fits, node.index)      ? DEVICES_FOUND
                       : bitset_has(&kind->invalid, node.index) ? DEVICES_INVALID
                                                                : DEVICES_MISSING;
        const struct extended_claim *extra = extended_claim_on(cycle, claims->extended, node);
        struct alike_nodes *group = group_on(cycle, claims, extra, node);
        if (group && group->round == found.round)
                found = *group;
        else
                found.outcome = search_on(cycle, claims, extra, node, &found.score);
        if (found.outcome == DEVICES_FAILED)
                return DEVICES_FAILED;
        if (group)
                *group = found;
        bitset_add(&kind->known, node.index);
        put_score(kind, node, found.score);
        if (found.outcome == DEVICES_FOUND) {
                bitset_add(&kind->fits, node.index);
        } else if (found.outcome == DEVICES_INVALID) {
                bitset_add(&kind->invalid, node.index);
        }
        return found.outcome;
}

void claim_kind_narrow(const struct sched_cycle *cycle, const struct device_claims *claims,
                       struct bitset *nodes) {
        const struct claim_kind *kind = claims->kind;

        for (size_t word = 0; word < (nodes->bits + 63) / 64; word++)
                for (uint64_t left = nodes->words[word] & ~kind->known.words[word]; left;
                     left &= left - 1) {
                        size_t bit = (size_t)__builtin_ctzll(left);

                        outcome_on(cycle, claims, (struct node_id){ (uint32_t)(word * 64 + bit) });
                }
        bitset_and(nodes, &kind->fits);
}

enum device_outcome claim_kinds_outcome(const struct sched_cycle *cycle,
                                        const struct device_claims *claims,
                                        const struct resource_claim *extra, struct node_id node) {
        return claim_kind_lasts(claims) ? outcome_on(cycle, claims, node)
                                        : device_claims_on(cycle, claims, extra, node)->outcome;
}

int64_t claim_kinds_score(const struct sched_cycle *cycle, const struct device_claims *claims,
                          const struct resource_claim *extra, struct node_id node) {
        int64_t found;

        if ((!claims->wanted_count && !extra) ||
            claim_kinds_outcome(cycle, claims, extra, node) != DEVICES_FOUND)
                return 0;
        if (claim_kind_lasts(claims))
                found = claims->kind->scores[node.index];
        else
                found = device_claims_score_found(
                        claims, device_claims_on(cycle, claims, extra, node)->allocations);
        return found + device_claims_score_allocated(claims);
}
