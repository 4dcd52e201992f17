/* What holds of groups whatever happens: on clusters that change at random, no gang is ever bound
 * without enough of it, a group with a topology constraint is in one domain, and pods are evicted
 * only where the whole group fits without them, groups that are disrupted whole as a whole. */
#include "base/rng.h"
#include "group_test.h"

#define GROUPS_MAX 24
#define STEPS 60
#define SEEDS 12
#define ZONES 3

#define LEAVING_MAX 256

struct group {
        int size, min_count, priority;
        bool is_in_one_zone, goes_whole;
};

struct world {
        struct group_test test;
        struct rng rng;
        int node_count, group_count, single_count;
        struct group groups[GROUPS_MAX];
        size_t leaving_count;
        char leaving[LEAVING_MAX][16]; /* deleted, but not gone */
        size_t bound, evicted;
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
        group->is_in_one_zone = below(world, 3) == 0;
        group->goes_whole = below(world, 2) == 0;
        group->priority = 10 * below(world, 4);
        snprintf(name, sizeof(name), "g%d", world->group_count);
        int length = group->min_count == 0
                             ? snprintf(spec, sizeof(spec), "\"schedulingPolicy\":{\"basic\":{}}")
                             : snprintf(spec, sizeof(spec),
                                        "\"schedulingPolicy\":{\"gang\":{\"minCount\":%d}}",
                                        group->min_count);
        snprintf(spec + length, sizeof(spec) - (size_t)length, ",\"priority\":%d%s%s",
                 group->priority, group->goes_whole ? ",\"disruptionMode\":\"PodGroup\"" : "",
                 group->is_in_one_zone
                         ? ",\"schedulingConstraints\":{\"topology\":[{\"key\":\"zone\"}]}"
                         : "");
        put_pod_group(&world->test, name, spec);
        for (int i = 0; i < group->size; i++) {
                snprintf(pod, sizeof(pod), "%s-%d", name, i);
                snprintf(spec, sizeof(spec), "\"priority\":%d,", group->priority);
                put_member(&world->test, name, pod, 250 * (1 + below(world, 3)), spec);
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

static void add_single(struct world *world) {
        char name[16];
        snprintf(name, sizeof(name), "s%d", world->single_count++);
        put_pod(&world->test.base, name, 250 * (1 + below(world, 3)), "");
}

static void happen(struct world *world) {
        static void (*const happenings[])(struct world *) = {
                add_node, add_group, add_group, remove_pod, remove_node, add_single, add_single,
        };
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
                char name[32];
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

static struct pod_id find(const struct world *world, struct slice name) {
        return cluster_find_pod(world->test.base.cluster, SLICE_LITERAL("default"), name);
}

static bool is_leaving(const struct world *world, const char *name) {
        for (size_t i = 0; i < world->leaving_count; i++)
                if (strcmp(world->leaving[i], name) == 0)
                        return true;
        return find_action(&world->test.base, ACTION_PREEMPT_POD, name);
}

/* Groups that lose one of them lose all, but for those that only come now. */
static void check_whole(const struct world *world, uint64_t seed, int at) {
        const struct cluster *cluster = world->test.base.cluster;
        for (int g = 0; g < world->group_count; g++) {
                int staying = 0, going = 0;
                for (int i = 0; i < world->groups[g].size; i++) {
                        char name[32];
                        snprintf(name, sizeof(name), "g%d-%d", g, i);
                        struct pod_id pod = find(world, slice_of(name));
                        if (pod_id_is_none(pod) || node_id_is_none(cluster_pod(cluster, pod)->node))
                                continue;
                        bool is_new = find_action(&world->test.base, ACTION_PREEMPT_POD, name);
                        going += is_new;
                        staying += !is_leaving(world, name) &&
                                   !find_action(&world->test.base, ACTION_BIND, name);
                }
                if (world->groups[g].goes_whole && going > 0 && staying > 0)
                        fail_msg("seed %llu, step %d: %d of g%d go, %d stay",
                                 (unsigned long long)seed, at, going, g, staying);
        }
}

static void take_leavers(struct world *world) {
        struct cluster *cluster = world->test.base.cluster;
        const struct action_list *actions = &world->test.base.actions;
        for (size_t i = 0; i < world->leaving_count; i++) {
                struct pod_id pod = find(world, slice_of(world->leaving[i]));
                if (!pod_id_is_none(pod))
                        cluster_withdraw(cluster, pod);
        }
        for (size_t i = 0; i < actions->count; i++)
                if (actions->items[i].kind == ACTION_PREEMPT_POD)
                        cluster_withdraw(cluster, find(world, actions->items[i].target.name));
}

/* Puts the members that wait for room where they are to be. */
static void put_nominated(struct world *world, int group) {
        struct cluster *cluster = world->test.base.cluster;
        for (int i = 0; i < world->groups[group].size; i++) {
                char name[32];
                snprintf(name, sizeof(name), "g%d-%d", group, i);
                struct pod_id pod = find(world, slice_of(name));
                const struct pod_row *row = pod_id_is_none(pod) ? NULL : cluster_pod(cluster, pod);
                if (!row || !node_id_is_none(row->node) || row->nominated.index == 0 ||
                    is_leaving(world, name))
                        continue;
                struct node_id node =
                        cluster_find_node(cluster, cluster_text(cluster, row->nominated));
                if (!node_id_is_none(node))
                        cluster_assume(cluster, pod, node);
        }
}

/* Whether pods were evicted for a group in this step. */
static bool has_evicted(const struct world *world, int group) {
        const struct action_list *actions = &world->test.base.actions;
        char whole[64], member[64];
        snprintf(whole, sizeof(whole), "Preempted by podgroup uid-g%d on", group);
        snprintf(member, sizeof(member), "Preempted by pod uid-g%d-", group);
        for (size_t i = 0; i < actions->count; i++)
                if (actions->items[i].kind == ACTION_RECORD_EVENT &&
                    (slice_has_prefix(actions->items[i].event.note, slice_of(whole)) ||
                     slice_has_prefix(actions->items[i].event.note, slice_of(member))))
                        return true;
        return false;
}

static bool is_overcommitted(const struct cluster *cluster) {
        const struct node_table *table = cluster_nodes(cluster);
        const struct resource_column *cpu = &table->resources[RESOURCE_CPU];
        for (size_t i = bitset_next(&table->live, 0); i != SIZE_MAX;
             i = bitset_next(&table->live, i + 1))
                if (cpu->requested[i] > cpu->allocatable[i])
                        return true;
        return false;
}

/* What was taken from a group itself in this step it does not know yet. */
static bool loses_members(const struct world *world, int group) {
        for (int i = 0; i < world->groups[group].size; i++) {
                char name[32];
                snprintf(name, sizeof(name), "g%d-%d", group, i);
                if (is_leaving(world, name))
                        return true;
        }
        return false;
}

/* Whoever goes makes room for groups that fit as a whole then. */
static void check_room(struct world *world, uint64_t seed, int at) {
        struct cluster *cluster = world->test.base.cluster;
        bool is_vain = false;
        cluster_checkpoint(cluster);
        take_leavers(world);
        for (int g = 0; g < world->group_count; g++) {
                bool ignored;
                if (!has_evicted(world, g))
                        continue;
                put_nominated(world, g);
                if (placed_of(world, g, &ignored) < world->groups[g].min_count &&
                    !loses_members(world, g))
                        is_vain = true;
        }
        if (is_vain || is_overcommitted(cluster))
                fail_msg("seed %llu, step %d: evicted in vain", (unsigned long long)seed, at);
        cluster_rollback(cluster);
}

static void check_cluster(const struct world *world) {
        const struct cluster *cluster = world->test.base.cluster;
        struct err err = { 0 };
        if (cluster_check(cluster, &err) < 0)
                fail_msg("%s", err.text);
        assert_false(is_overcommitted(cluster));
}

/* Deleted pods take a while to go. */
static void let_go(struct world *world) {
        for (size_t i = world->leaving_count; i-- > 0;) {
                if (below(world, 2) == 0)
                        continue;
                if (!pod_id_is_none(find(world, slice_of(world->leaving[i]))))
                        apply(&world->test.base, OBJECT_POD, CHANGE_REMOVED,
                              "{\"metadata\":{\"namespace\":\"default\",\"name\":\"%s\"}}",
                              world->leaving[i]);
                memcpy(world->leaving[i], world->leaving[--world->leaving_count],
                       sizeof(world->leaving[i]));
        }
}

static void leave(struct world *world, struct slice name) {
        char text[16];
        snprintf(text, sizeof(text), SLICE_FMT, SLICE_ARG(name));
        for (size_t i = 0; i < world->leaving_count; i++)
                if (strcmp(world->leaving[i], text) == 0)
                        return;
        assert_true(world->leaving_count < LEAVING_MAX);
        memcpy(world->leaving[world->leaving_count++], text, sizeof(text));
        world->evicted++;
}

/* Most binds and all deletions come true; some binds are refused, and their pods wait again. */
static void answer_all(struct world *world) {
        struct action_list actions = world->test.base.actions;
        action_list_init(&world->test.base.actions);
        world->test.base.actions.next_id = actions.next_id;
        for (size_t i = 0; i < actions.count; i++) {
                const struct action *action = &actions.items[i];
                bool is_refused = action->kind == ACTION_BIND && below(world, 10) == 0;
                if (action->kind != ACTION_BIND && action->kind != ACTION_PREEMPT_POD)
                        continue;
                answer_action(&world->test.base, action, is_refused ? BERTH_ERR_CONFLICT : 0);
                if (action->kind == ACTION_PREEMPT_POD)
                        leave(world, action->target.name);
                else
                        world->bound += !is_refused;
        }
        action_list_release(&actions);
}

static void run(struct world *world, uint64_t seed) {
        group_test_init(&world->test,
                        &(struct scheduler_config){ .has_groups = true,
                                                    .has_gangs = true,
                                                    .has_placements = true,
                                                    .has_group_preemption = seed % 4 != 0,
                                                    .seed = seed });
        rng_init(&world->rng, seed);
        for (int at = 0; at < STEPS; at++) {
                happen(world);
                let_go(world);
                world->test.base.now_ns += 7 * NS_PER_S;
                step(&world->test.base);
                check_groups(world, seed, at);
                check_cluster(world);
                check_room(world, seed, at);
                if (seed % 4 != 0)
                        check_whole(world, seed, at);
                answer_all(world);
        }
        group_test_release(&world->test);
}

static void test_invariants(void **state) {
        (void)state;
        size_t bound = 0, evicted = 0;
        for (uint64_t seed = 1; seed <= SEEDS; seed++) {
                struct world world = { 0 };
                run(&world, seed);
                bound += world.bound;
                evicted += world.evicted;
        }
        assert_true(bound > 20 * SEEDS && evicted > 3 * SEEDS); /* things do happen */
}

int main(void) {
        const struct CMUnitTest tests[] = { cmocka_unit_test(test_invariants) };
        return cmocka_run_group_tests(tests, NULL, NULL);
}
