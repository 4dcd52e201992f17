/* What nodes see of pools that are given in parts, against the rules written out one slice at a
 * time: newest generation that reaches the node, pools that are being replaced, incomplete ones,
 * mistakes in them, their order, and what is left of counters. Small random cases: three nodes in
 * two zones, slices of two pools for a node, a zone, everybody or by device, with devices or with
 * sets of counters. The same inventory answers for all nodes, before and after devices are taken,
 * and while slices come, change and go: what is taken stays so, and nodes that see a difference are
 * among the changes that it names. */
#include "base/buf.h"
#include "base/rng.h"
#include "base/util.h"
#include "device_scene.h"
#include "devices/device_reach.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define CASES 4000
#define NODES 3
#define POOLS 2
#define SLICES_MAX 7
#define DEVICES_MAX 3
#define OTHER "\"other\":{\"value\":\"1\"}"
#define NAMES 20 /* of devices */
#define SETS 3
#define OF_SET 9      /* of the counter of a set */
#define NO_SET (-100) /* in place of what is left of one */
#define TURNS 3
#define CHANGES 2 /* of slices, in a turn */
#define GONE (-1) /* the pool of a slice that is not there */

static const char *const node_texts[NODES] = {
        "{\"metadata\":{\"name\":\"n0\",\"labels\":{\"zone\":\"z0\"}}}",
        "{\"metadata\":{\"name\":\"n1\",\"labels\":{\"zone\":\"z0\"}}}",
        "{\"metadata\":{\"name\":\"n2\",\"labels\":{\"zone\":\"z1\"}}}",
};
enum { AT_NODE, AT_ZONE = AT_NODE + NODES, EVERYWHERE = AT_ZONE + 2, PLACES };
static bool place_has(int place, int node) {
        return place == EVERYWHERE || place == AT_NODE + node || place == AT_ZONE + (node == 2);
}

struct pools_device {
        int name, place, cost; /* of the counter; 0: consumes none */
        int set;
        enum { NO_OTHER, BEFORE, BEHIND } other; /* it consumes a counter that no set has, too */
        bool waits;                              /* for conditions */
};
struct pools_slice {
        int pool, generation, place;
        bool has_places, has_sets;
        bool sets[SETS];
        int device_count;
        struct pools_device devices[DEVICES_MAX];
};
struct pools_case {
        int slice_count, counts[POOLS][3]; /* by generation: so many slices are said to be */
        struct pools_slice slices[SLICES_MAX];
        bool has_counters; /* the gate */
        bool taken[POOLS][NAMES];
};

static int pick(struct rng *rng, int bound) {
        return (int)rng_below(rng, (uint64_t)bound);
}

static void make_slice(struct rng *rng, struct pools_slice *slice) {
        *slice = (struct pools_slice){ .pool = pick(rng, POOLS),
                                       .generation = pick(rng, 4) ? 1 : 2,
                                       .place = pick(rng, PLACES),
                                       .has_sets = pick(rng, 3) == 0 };
        for (int i = 0; slice->has_sets && i < SETS; i++)
                slice->sets[i] = pick(rng, 2);
        if (slice->has_sets)
                return;
        slice->has_places = pick(rng, 4) == 0;
        slice->device_count = pick(rng, DEVICES_MAX + 1);
        for (int i = 0; i < slice->device_count; i++)
                slice->devices[i] =
                        (struct pools_device){ .name = pick(rng, NAMES),
                                               .place = pick(rng, PLACES),
                                               .cost = pick(rng, 3),
                                               .set = pick(rng, SETS),
                                               .other = pick(rng, 15) ? NO_OTHER
                                                                      : BEFORE + pick(rng, 2),
                                               .waits = pick(rng, 8) == 0 };
}

/* Leaves few mistakes: names that differ, each set once, in the first slices that have some. */
static void mend_case(struct pools_case *c) {
        bool sets[POOLS][3][SETS] = { { { false } } };
        for (int i = 0; i < c->slice_count; i++) {
                struct pools_slice *slice = &c->slices[i];
                for (int j = 0; slice->pool != GONE && j < SETS; j++) {
                        slice->sets[j] &= !sets[slice->pool][slice->generation][j];
                        sets[slice->pool][slice->generation][j] |= slice->sets[j];
                }
        }
        for (int i = 0; i < c->slice_count; i++) {
                struct pools_slice *slice = &c->slices[i];
                for (int j = 0; slice->pool != GONE && j < slice->device_count; j++) {
                        struct pools_device *device = &slice->devices[j];
                        device->name = (i + SLICES_MAX * j) % NAMES;
                        device->other = NO_OTHER;
                        if (!sets[slice->pool][slice->generation][device->set])
                                device->cost = 0;
                }
        }
}

static void count_slices(struct pools_case *c) {
        memset(c->counts, 0, sizeof(c->counts));
        for (int i = 0; i < c->slice_count; i++)
                if (c->slices[i].pool != GONE)
                        c->counts[c->slices[i].pool][c->slices[i].generation]++;
}

static void make_case(struct rng *rng, struct pools_case *c) {
        *c = (struct pools_case){ .slice_count = 1 + pick(rng, SLICES_MAX),
                                  .has_counters = pick(rng, 5) != 0 };
        for (int i = 0; i < c->slice_count; i++)
                make_slice(rng, &c->slices[i]);
        count_slices(c);
        if (pick(rng, 3))
                mend_case(c);
        for (int i = 0; i < POOLS; i++) {
                for (int j = 1; j <= 2; j++)
                        c->counts[i][j] += pick(rng, 4) == 0;
                for (int j = 0; j < NAMES; j++)
                        c->taken[i][j] = pick(rng, 3) == 0;
        }
}

/* ---- as objects ---- */

static void say_place(struct buf *out, int place) {
        if (place == EVERYWHERE)
                buf_printf(out, "\"allNodes\":true");
        else if (place < AT_ZONE)
                buf_printf(out, "\"nodeName\":\"n%d\"", place - AT_NODE);
        else
                buf_printf(out,
                           "\"nodeSelector\":{\"nodeSelectorTerms\":[{\"matchExpressions\":[{"
                           "\"key\":\"zone\",\"operator\":\"In\",\"values\":[\"z%d\"]}]}]}",
                           place - AT_ZONE);
}

static void say_device(struct buf *out, const struct pools_slice *slice,
                       const struct pools_device *device) {
        buf_printf(out, "{\"name\":\"d%d\"", device->name);
        if (slice->has_places) {
                buf_printf(out, ",");
                say_place(out, device->place);
        }
        if (device->cost)
                buf_printf(out,
                           ",\"consumesCounters\":[{\"counterSet\":\"s%d\",\"counters\":{%s\"k\":{"
                           "\"value\":\"%d\"}%s}}]",
                           device->set, device->other == BEFORE ? OTHER "," : "", device->cost,
                           device->other == BEHIND ? "," OTHER : "");
        if (device->waits)
                buf_printf(out,
                           ",\"bindingConditions\":[\"r\"],\"bindingFailureConditions\":[\"f\"]");
        buf_printf(out, "}");
}

static void say_slice(struct buf *out, const struct pools_case *c, int at) {
        const struct pools_slice *slice = &c->slices[at];
        const char *comma = "";
        buf_printf(out,
                   "{\"metadata\":{\"name\":\"s%d\"},\"spec\":{\"driver\":\"d\",\"pool\":{"
                   "\"name\":\"p%d\",\"generation\":%d,\"resourceSliceCount\":%d},",
                   at, slice->pool, slice->generation, c->counts[slice->pool][slice->generation]);
        if (slice->has_places)
                buf_printf(out, "\"perDeviceNodeSelection\":true");
        else
                say_place(out, slice->place);
        buf_printf(out, slice->has_sets ? ",\"sharedCounters\":[" : ",\"devices\":[");
        for (int i = 0; slice->has_sets && i < SETS; i++) {
                if (!slice->sets[i])
                        continue;
                buf_printf(out, "%s{\"name\":\"s%d\",\"counters\":{\"k\":{\"value\":\"%d\"}}}",
                           comma, i, OF_SET);
                comma = ",";
        }
        for (int i = 0; i < slice->device_count; i++) {
                buf_printf(out, "%s", i ? "," : "");
                say_device(out, slice, &slice->devices[i]);
        }
        buf_printf(out, "]}}");
}

static struct slice say_case(const struct pools_case *c, struct buf *out) {
        buf_printf(out, "{\"resourceSlices\":[");
        for (int i = 0; i < c->slice_count; i++) {
                if (c->slices[i].pool == GONE)
                        continue;
                buf_printf(out, "%s", out->data[out->len - 1] == '[' ? "" : ",");
                say_slice(out, c, i);
        }
        buf_printf(out, "]}");
        return buf_view(out);
}

/* ---- the rules ---- */

/* A slice without any set is one of devices, as the API has it. */
static bool has_sets(const struct pools_slice *slice) {
        return slice->has_sets && (slice->sets[0] || slice->sets[1] || slice->sets[2]);
}

static bool is_relevant(const struct pools_case *c, const struct pools_slice *slice, int node) {
        if (!c->has_counters && (slice->has_places || has_sets(slice)))
                return false;
        if (has_sets(slice))
                return true;
        if (!slice->has_places)
                return place_has(slice->place, node);
        for (int i = 0; i < slice->device_count; i++)
                if (place_has(slice->devices[i].place, node))
                        return true;
        return false;
}

/* One pool as one node sees it. */
struct seen_pool {
        bool exists, is_incomplete, is_invalid, is_late;
        bool is_whole; /* so many slices reach the node as there should be: others do not count */
        int generation;
        bool has_slice[SLICES_MAX]; /* of devices */
        int left[SETS];             /* of counters */
};

static bool is_of(const struct pools_case *c, int at, int pool, int generation) {
        return c->slices[at].pool == pool && c->slices[at].generation == generation;
}

/* No name twice among the devices that reach the node. */
static bool has_repeated_name(const struct pools_case *c, const struct seen_pool *seen) {
        int names[NAMES] = { 0 };
        for (int i = 0; i < c->slice_count; i++)
                for (int j = 0; seen->has_slice[i] && j < c->slices[i].device_count; j++)
                        if (names[c->slices[i].devices[j].name]++)
                                return true;
        return false;
}

static bool counts(const struct pools_case *c, const struct seen_pool *seen, int at, int pool) {
        return is_of(c, at, pool, seen->generation) && (!seen->is_whole || seen->has_slice[at]);
}

/* Sets once each, and consumption of what there is. */
static bool has_wrong_counters(const struct pools_case *c, const struct seen_pool *seen, int pool) {
        int sets[SETS] = { 0 };
        for (int i = 0; i < c->slice_count; i++)
                for (int j = 0; is_of(c, i, pool, seen->generation) && j < SETS; j++)
                        if (c->slices[i].sets[j] && sets[j]++)
                                return true;
        for (int i = 0; i < c->slice_count; i++)
                for (int j = 0; counts(c, seen, i, pool) && j < c->slices[i].device_count; j++) {
                        const struct pools_device *device = &c->slices[i].devices[j];
                        if (device->cost && (!sets[device->set] || device->other))
                                return true;
                }
        return false;
}

static bool has_mistake(const struct pools_case *c, const struct seen_pool *seen, int pool) {
        return has_repeated_name(c, seen) || (c->has_counters && has_wrong_counters(c, seen, pool));
}

static void count_left(const struct pools_case *c, struct seen_pool *seen, int pool) {
        for (int i = 0; i < SETS; i++)
                seen->left[i] = NO_SET;
        for (int i = 0; c->has_counters && i < c->slice_count; i++)
                for (int j = 0; is_of(c, i, pool, seen->generation) && j < SETS; j++)
                        if (c->slices[i].sets[j])
                                seen->left[j] = OF_SET;
        for (int i = 0; c->has_counters && i < c->slice_count; i++)
                for (int j = 0; counts(c, seen, i, pool) && j < c->slices[i].device_count; j++)
                        if (c->taken[pool][c->slices[i].devices[j].name])
                                seen->left[c->slices[i].devices[j].set] -=
                                        c->slices[i].devices[j].cost;
}

/* Generation 0: no slice reaches the node. */
static void find_generations(const struct pools_case *c, int pool, int node, int *ret_seen,
                             int *ret_newest) {
        int seen = 0, newest = 0;
        for (int i = 0; i < c->slice_count; i++) {
                int generation = c->slices[i].pool == pool ? c->slices[i].generation : 0;
                newest = generation > newest ? generation : newest;
                if (generation > seen && is_relevant(c, &c->slices[i], node))
                        seen = generation;
        }
        *ret_seen = seen;
        *ret_newest = newest;
}

static bool waits_for_conditions(const struct pools_case *c, const struct seen_pool *seen) {
        for (int i = 0; i < c->slice_count; i++)
                for (int j = 0; seen->has_slice[i] && j < c->slices[i].device_count; j++)
                        if (c->slices[i].devices[j].waits)
                                return true;
        return false;
}

static struct seen_pool see_pool(const struct pools_case *c, int pool, int node) {
        struct seen_pool seen = { .generation = 0 };
        int newest, reached = 0, all = 0, devices = 0;
        find_generations(c, pool, node, &seen.generation, &newest);
        for (int i = 0; i < c->slice_count; i++) {
                if (!is_of(c, i, pool, seen.generation))
                        continue;
                all++;
                reached += is_relevant(c, &c->slices[i], node);
                seen.has_slice[i] = is_relevant(c, &c->slices[i], node) && !has_sets(&c->slices[i]);
                devices += seen.has_slice[i] ? c->slices[i].device_count : 0;
        }
        int wanted = c->counts[pool][seen.generation];
        if (reached == 0 || (reached != wanted && newest > seen.generation))
                return seen;
        seen.is_whole = reached == wanted;
        seen.is_incomplete = reached != wanted && all != wanted;
        seen.is_invalid = !seen.is_incomplete && has_mistake(c, &seen, pool);
        seen.exists = seen.is_incomplete || seen.is_invalid || devices > 0;
        seen.is_late = !seen.is_incomplete && !seen.is_invalid && waits_for_conditions(c, &seen);
        count_left(c, &seen, pool);
        return seen;
}

/* ---- comparing ---- */

static bool is_worth_it(const struct device_pool *pool) {
        for (size_t i = 0; i < pool->slice_count; i++)
                if (pool->slices[i]->slice->device_count)
                        return true;
        return pool->is_incomplete || pool->problem;
}

static bool has_slice(const struct device_pool *pool, int number) {
        char name[16];
        snprintf(name, sizeof(name), "s%d", number);
        for (size_t i = 0; i < pool->slice_count; i++)
                if (slice_is(pool->slices[i]->slice->name, name))
                        return true;
        return false;
}

static int left_of(const struct device_pool *pool, int set) {
        char name[16];
        snprintf(name, sizeof(name), "s%d", set);
        for (size_t i = 0; i < pool->counter_count; i++)
                if (slice_is(pool->counters[i].set, name))
                        return (int)(pool->counters[i].left.milli / 1000);
        return NO_SET;
}

static void compare_pool(const struct pools_case *c, const struct seen_pool *seen,
                         const struct device_pool *pool, const char *where) {
        if (pool->is_incomplete != seen->is_incomplete || !!pool->problem != seen->is_invalid)
                fail_msg("%s: incomplete %d, problem %s, in place of %d, %d", where,
                         pool->is_incomplete, pool->problem ? pool->problem : "none",
                         seen->is_incomplete, seen->is_invalid);
        if (seen->is_incomplete || seen->is_invalid)
                return;
        for (int i = 0; i < c->slice_count; i++)
                if (has_slice(pool, i) != seen->has_slice[i])
                        fail_msg("%s: slice s%d, %d", where, i, seen->has_slice[i]);
        for (int i = 0; i < SETS; i++)
                if (left_of(pool, i) != seen->left[i])
                        fail_msg("%s: %d left of s%d, not %d", where, left_of(pool, i), i,
                                 seen->left[i]);
}

/* Pools come by name, those that wait for conditions last. */
static void compare_node(const struct pools_case *c, struct device_scene *scene, int node,
                         const char *text) {
        struct json_doc *doc = NULL;
        struct device_pool **pools;
        char where[8192], name[16];
        assert_int_equal(json_parse(slice_of(node_texts[node]), &doc, NULL), 0);
        snprintf(name, sizeof(name), "n%d", node);
        const struct device_node place = { slice_of(name), device_scene_matches,
                                           json_doc_root(doc) };
        size_t count = device_pools_gather(scene->inventory, &place, &scene->arena, &pools);
        size_t at = 0;
        if (device_reach_of(scene->inventory, &place) != device_reach_of(scene->inventory, &place))
                fail_msg("%s is found out twice, of %s", name, text);
        for (int turn = 0; turn < 2 * POOLS; turn++) {
                struct seen_pool seen = see_pool(c, turn % POOLS, node);
                if (!seen.exists || seen.is_late != (turn >= POOLS))
                        continue;
                while (at < count && !is_worth_it(pools[at]))
                        at++;
                snprintf(where, sizeof(where), "%s, pool p%d, of %s", name, turn % POOLS, text);
                if (at == count || pools[at]->name.ptr[1] != '0' + turn % POOLS)
                        fail_msg("not seen: %s", where);
                device_pool_settle(scene->inventory, pools[at]);
                compare_pool(c, &seen, pools[at++], where);
        }
        while (at < count && !is_worth_it(pools[at]))
                at++;
        if (at != count)
                fail_msg("%s sees another pool, of %s", name, text);
        json_doc_free(doc);
}

static void take(const struct pools_case *c, struct device_scene *scene) {
        struct device_result *results =
                ARENA_ARRAY(&scene->arena, struct device_result, POOLS * NAMES);
        struct resource_claim claim = { .is_allocated = true, .results = results };
        for (int i = 0; i < POOLS; i++)
                for (int j = 0; j < NAMES; j++)
                        if (c->taken[i][j])
                                results[claim.result_count++] = (struct device_result){
                                        .driver = SLICE_LITERAL("d"),
                                        .pool = slice_of(arena_printf(&scene->arena, "p%d", i)),
                                        .device = slice_of(arena_printf(&scene->arena, "d%d", j))
                                };
        device_inventory_take(scene->inventory, SLICE_LITERAL("n/c"), &claim);
}

/* ---- changing ---- */

struct pools_play {
        struct rng *rng;
        struct pools_case *c;
        struct device_scene scene;
        struct json_doc *docs[1 + TURNS * CHANGES * SLICES_MAX];
        size_t doc_count;
        bool changed[SLICES_MAX];
        struct seen_pool seen[NODES][POOLS];
};

static void see_all(struct pools_play *play) {
        for (int i = 0; i < NODES; i++)
                for (int j = 0; j < POOLS; j++)
                        play->seen[i][j] = see_pool(play->c, j, i);
}

/* One slice or two; now and then all say anew how many they are. */
static void change_case(struct pools_play *play) {
        struct pools_case *c = play->c;
        memset(play->changed, 0, sizeof(play->changed));
        for (int i = 1 + pick(play->rng, 2); i > 0; i--) {
                int at = pick(play->rng, c->slice_count);
                make_slice(play->rng, &c->slices[at]);
                if (pick(play->rng, 4) == 0)
                        c->slices[at].pool = GONE;
                play->changed[at] = true;
        }
        if (pick(play->rng, 2) == 0)
                return;
        count_slices(c);
        if (pick(play->rng, 3))
                mend_case(c);
        for (int i = 0; i < c->slice_count; i++)
                play->changed[i] = true;
}

static const struct resource_slice *decode_slice(struct pools_play *play, int at) {
        struct arena *arena = &play->scene.arena;
        struct resource_slice *slice = ARENA_NEW(arena, struct resource_slice);
        struct json_doc **doc = &play->docs[play->doc_count++];
        struct buf text = { 0 };
        say_slice(&text, play->c, at);
        assert_int_equal(json_parse(buf_view(&text), doc, NULL), 0);
        assert_int_equal(resource_slice_decode(json_doc_root(*doc), arena, slice, NULL), 0);
        buf_release(&text);
        return slice;
}

static void update(struct pools_play *play) {
        struct slice_change changes[SLICES_MAX];
        size_t count = 0;
        for (int i = 0; i < play->c->slice_count; i++)
                if (play->changed[i])
                        changes[count++] = (struct slice_change){
                                slice_of(arena_printf(&play->scene.arena, "s%d", i)),
                                play->c->slices[i].pool == GONE ? NULL : decode_slice(play, i)
                        };
        assert_true(device_inventory_update(play->scene.inventory, changes, count));
}

static bool is_named(const struct device_inventory *inventory, uint64_t since, int node) {
        for (; since < inventory->change_count; since++)
                if (device_inventory_change(inventory, since).node.ptr[1] == '0' + node &&
                    device_inventory_change(inventory, since).is_of_slices)
                        return true;
        return false;
}

static bool sees_same(const struct pools_play *play, int node, int pool) {
        const struct seen_pool *before = &play->seen[node][pool],
                               now = see_pool(play->c, pool, node);
        bool is_same = before->exists == now.exists && before->is_incomplete == now.is_incomplete &&
                       before->is_invalid == now.is_invalid && before->is_late == now.is_late;
        for (int i = 0; i < play->c->slice_count; i++)
                is_same &= before->has_slice[i] == now.has_slice[i] &&
                           !(now.has_slice[i] && play->changed[i]);
        for (int i = 0; i < SETS; i++)
                is_same &= before->left[i] == now.left[i];
        return is_same || (!before->exists && !now.exists);
}

static void compare_changes(const struct pools_play *play, uint64_t since, uint64_t shape,
                            const char *text) {
        const struct device_inventory *inventory = play->scene.inventory;
        for (int i = 0; inventory->shape == shape && i < NODES; i++)
                for (int j = 0; !is_named(inventory, since, i) && j < POOLS; j++)
                        if (!sees_same(play, i, j))
                                fail_msg("n%d sees another pool p%d, which is not said, of %s", i,
                                         j, text);
}

static void compare_nodes(struct pools_play *play, const char *text) {
        for (int i = 0; i < NODES; i++)
                compare_node(play->c, &play->scene, i, text);
}

/* What is taken is as it was before the change. */
static void change_slices(struct pools_play *play) {
        const struct device_inventory *inventory = play->scene.inventory;
        uint64_t since = inventory->change_count, shape = inventory->shape;
        struct buf text = { 0 };
        see_all(play);
        change_case(play);
        update(play);
        say_case(play->c, &text);
        compare_changes(play, since, shape, text.data);
        compare_nodes(play, text.data);
        buf_release(&text);
}

static void compare_case(struct rng *rng, struct pools_case *c) {
        struct device_gates gates = device_gates_standard();
        struct pools_play play = { .rng = rng, .c = c };
        struct err err = { 0 };
        struct buf text = { 0 };
        if (json_parse(say_case(c, &text), &play.docs[play.doc_count++], &err) < 0)
                fail_msg("%s in %s", err.text, text.data);
        gates.has_counters = c->has_counters;
        device_scene_init(&play.scene, json_doc_root(play.docs[0]), &gates);
        for (int turn = 0; turn < TURNS; turn++) {
                take(c, &play.scene);
                compare_nodes(&play, text.data);
                c->taken[pick(rng, POOLS)][pick(rng, NAMES)] ^= true;
                take(c, &play.scene);
                if (pick(rng, 2))
                        compare_nodes(&play, text.data);
                for (int i = 0; i < CHANGES; i++)
                        change_slices(&play);
        }
        device_scene_release(&play.scene);
        for (size_t i = 0; i < play.doc_count; i++)
                json_doc_free(play.docs[i]);
        buf_release(&text);
}

static void test_nodes_see_what_the_rules_say(void **state) {
        const char *seed = getenv("BERTH_SEED");
        struct rng rng;
        (void)state;
        rng_init(&rng, seed ? strtoull(seed, NULL, 10) : 1);
        for (int i = 0; i < CASES; i++) {
                struct pools_case c;
                make_case(&rng, &c);
                compare_case(&rng, &c);
        }
}

int main(void) {
        const struct CMUnitTest tests[] = { cmocka_unit_test(test_nodes_see_what_the_rules_say) };
        return cmocka_run_group_tests(tests, NULL, NULL);
}
