/* What holds of groups whatever happens: on clusters that change at random, no gang is ever bound
 * without enough of it, and a group with a topology constraint is in one domain. */
#include "base/rng.h"
#include "group_test.h"

#define GROUPS_MAX 24
#define STEPS 60
#define SEEDS 12
#define ZONES 3

struct group {
        int size, min_count;
        bool is_in_one_zone;
};

struct world {
        struct group_test test;
        struct rng rng;
        int node_count, group_count;
        struct group groups[GROUPS_MAX];
};

static int below(struct world *world, int bound) {
        return (int)rng_below(&world->rng, (uint64_t)bound);
}

/* ---- what happens ---- */

static void add_node(struct world *world) {
        char name[16], labels[32];
        snprintf(name, sizeof(name), "n%d", world->node_count++);
        snprintf(labels, sizeof(labels), "\"zone\":\"z%d\"", below(world, ZONES));
        put_labelled_node(&world->test, name, 500 * (1 + below(world, 4)), labels);
}

static void remove_node(struct world *world) {
        const struct cluster *cluster = world->test.base.cluster;
        size_t count = cluster_node_count(cluster);
        if (count < 4)
                return;
        struct node_id node = cluster_node_order(cluster)[below(world, (int)count)];
        if (cluster_nodes(cluster)->pod_count[node.index] > 0)
                return;
        char name[16];
        snprintf(name, sizeof(name), SLICE_FMT, SLICE_ARG(cluster_node_name(cluster, node)));
        apply(&world->test.base, OBJECT_NODE, CHANGE_REMOVED, "{\"metadata\":{\"name\":\"%s\"}}",
              name);
}

static void add_group(struct world *world) {
        if (world->group_count == GROUPS_MAX)
                return;
        struct group *group = &world->groups[world->group_count];
        char name[16], pod[32], spec[256];
        group->size = 1 + below(world, 6);
        group->min_count = below(world, 4) == 0 ? 0 : 1 + below(world, group->size);
        group->is_in_one_zone = below(world, 2) == 0;
        snprintf(name, sizeof(name), "g%d", world->group_count);
        int length = group->min_count == 0
                             ? snprintf(spec, sizeof(spec), "\"schedulingPolicy\":{\"basic\":{}}")
                             : snprintf(spec, sizeof(spec),
                                        "\"schedulingPolicy\":{\"gang\":{\"minCount\":%d}}",
                                        group->min_count);
        if (group->is_in_one_zone)
                snprintf(spec + length, sizeof(spec) - (size_t)length,
                         ",\"schedulingConstraints\":{\"topology\":[{\"key\":\"zone\"}]}");
        put_pod_group(&world->test, name, spec);
        for (int i = 0; i < group->size; i++) {
                snprintf(pod, sizeof(pod), "%s-%d", name, i);
                put_member(&world->test, name, pod, 250 * (1 + below(world, 3)), "");
        }
        world->group_count++;
}

static void remove_pod(struct world *world) {
        if (world->group_count == 0)
                return;
        int group = below(world, world->group_count);
        apply(&world->test.base, OBJECT_POD, CHANGE_REMOVED,
              "{\"metadata\":{\"namespace\":\"default\",\"name\":\"g%d-%d\"}}", group,
              below(world, world->groups[group].size));
}

static void happen(struct world *world) {
        static void (*const happenings[])(struct world *) = { add_node,  add_node,   add_group,
                                                              add_group, remove_pod, remove_node };
        happenings[below(world, ARRAY_LEN(happenings))](world);
}

/* ---- what has to hold ---- */

/* Members on nodes, and whether these are in one zone. */
static int placed_of(const struct world *world, int index, bool *ret_is_one_zone) {
        const struct cluster *cluster = world->test.base.cluster;
        const struct node_table *table = cluster_nodes(cluster);
        bool is_known;
        struct str_id key = cluster_str(cluster, SLICE_LITERAL("zone"), &is_known), zone = { 0 };
        int count = 0;
        *ret_is_one_zone = true;
        for (int i = 0; i < world->groups[index].size; i++) {
                char name[16];
                struct str_id value;
                snprintf(name, sizeof(name), "g%d-%d", index, i);
                struct pod_id pod =
                        cluster_find_pod(cluster, SLICE_LITERAL("default"), slice_of(name));
                if (pod_id_is_none(pod) || node_id_is_none(cluster_pod(cluster, pod)->node))
                        continue;
                assert_true(cluster_label_get(cluster,
                                              table->labels[cluster_pod(cluster, pod)->node.index],
                                              key, &value));
                if (count++ > 0 && !str_id_eq(value, zone))
                        *ret_is_one_zone = false;
                zone = value;
        }
        return count;
}

static bool is_of(const struct action *action, int group) {
        char prefix[16];
        snprintf(prefix, sizeof(prefix), "g%d-", group);
        return slice_has_prefix(action->target.name, slice_of(prefix));
}

static void check_groups(const struct world *world, uint64_t seed, int at) {
        const struct action_list *actions = &world->test.base.actions;
        for (int g = 0; g < world->group_count; g++) {
                bool is_one_zone;
                size_t binds = 0;
                int placed = placed_of(world, g, &is_one_zone);
                for (size_t i = 0; i < actions->count; i++)
                        binds += actions->items[i].kind == ACTION_BIND &&
                                 is_of(&actions->items[i], g);
                if (binds > 0 && placed < world->groups[g].min_count)
                        fail_msg("seed %llu, step %d: %d of g%d are bound",
                                 (unsigned long long)seed, at, placed, g);
                if (world->groups[g].is_in_one_zone && !is_one_zone)
                        fail_msg("seed %llu, step %d: g%d is in several zones",
                                 (unsigned long long)seed, at, g);
        }
}

static void check_cluster(const struct world *world) {
        const struct cluster *cluster = world->test.base.cluster;
        const struct node_table *table = cluster_nodes(cluster);
        const struct resource_column *cpu = &table->resources[RESOURCE_CPU];
        struct err err = { 0 };
        if (cluster_check(cluster, &err) < 0)
                fail_msg("%s", err.text);
        for (size_t i = bitset_next(&table->live, 0); i != SIZE_MAX;
             i = bitset_next(&table->live, i + 1))
                assert_true(cpu->requested[i] <= cpu->allocatable[i]);
}

/* Most binds come true; some are refused, and their pods wait again. */
static size_t answer_binds(struct world *world) {
        struct action_list actions = world->test.base.actions;
        size_t bound = 0;
        action_list_init(&world->test.base.actions);
        world->test.base.actions.next_id = actions.next_id;
        for (size_t i = 0; i < actions.count; i++) {
                if (actions.items[i].kind != ACTION_BIND)
                        continue;
                bool is_refused = below(world, 10) == 0;
                answer_action(&world->test.base, &actions.items[i],
                              is_refused ? BERTH_ERR_CONFLICT : 0);
                bound += !is_refused;
        }
        uint64_t next_id = world->test.base.actions.next_id;
        action_list_release(&world->test.base.actions);
        action_list_release(&actions);
        action_list_init(&world->test.base.actions);
        world->test.base.actions.next_id = next_id;
        return bound;
}

static size_t run(uint64_t seed) {
        struct world world = { 0 };
        size_t bound = 0;
        group_test_init(&world.test, &(struct scheduler_config){ .has_groups = true,
                                                                 .has_gangs = true,
                                                                 .has_placements = true,
                                                                 .seed = seed });
        rng_init(&world.rng, seed);
        for (int at = 0; at < STEPS; at++) {
                happen(&world);
                world.test.base.now_ns += 7 * NS_PER_S;
                step(&world.test.base);
                check_groups(&world, seed, at);
                check_cluster(&world);
                bound += answer_binds(&world);
        }
        group_test_release(&world.test);
        return bound;
}

static void test_invariants(void **state) {
        (void)state;
        size_t bound = 0;
        for (uint64_t seed = 1; seed <= SEEDS; seed++)
                bound += run(seed);
        assert_true(bound > 50 * SEEDS / 4); /* things do happen */
}

int main(void) {
        const struct CMUnitTest tests[] = { cmocka_unit_test(test_invariants) };
        return cmocka_run_group_tests(tests, NULL, NULL);
}
