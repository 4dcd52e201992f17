/* Descheduler and scheduler for a thousand cycles on clusters where moving by the rule alone never
 * ends: what the one evicts, the other puts back.  Under parity it goes on for ever; otherwise
 * nothing is moved twice. */
#include "base/util.h"
#include "config/descheduler_policy.h"
#include "desched/descheduler.h"
#include "plugins/desched/registry.h"
#include "roles/placement_simulator.h"
#include "roles/role_config.h"
#include "sched/decision.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#define CYCLES 1000
#define CYCLE_NS (300 * NS_PER_S)
#define NODES_MAX 4
#define REPLICAS_MAX 32
#define OWNERS_MAX 4

struct node_line {
        const char *name, *labels, *spec; /* members of metadata.labels and of spec */
};
struct owner_line { /* a ReplicaSet whose pods ask for one of ten CPUs */
        const char *name, *spec;
        const char *placed; /* where its pods are at first, one letter each: the node's last */
};
struct world_case {
        const char *name, *policy;
        struct node_line nodes[NODES_MAX];
        struct owner_line owners[OWNERS_MAX];
        size_t skew;   /* pods on the fullest usable node above those on the emptiest, in the end */
        size_t settle; /* cycles after which nothing moves any more */
};

struct replica {
        size_t owner;
        unsigned generation; /* part of the pod's name */
        bool is_placed, is_evicted;
        size_t node; /* of the case, when placed */
};
struct world {
        const struct world_case *def;
        struct cluster *cluster;
        struct role_config config;
        struct config_problems *problems;
        struct descheduler_policy *policy;
        struct placement_simulator *simulator;
        struct descheduler *descheduler;
        struct replica replicas[REPLICAS_MAX];
        size_t replica_count;
        struct wall_time now;
        size_t cycle, moves, last_move;
        /* Cycle in which a pod of the owner was last moved off the node, from 1; 0 = never. */
        size_t left[OWNERS_MAX][NODES_MAX];
        size_t repeated; /* moves of an owner off a node that an earlier cycle moved it off */
        bool is_foreign; /* pods are placed by a scheduler that puts them back */
};

/* ---- the cluster ---- */

static void apply(struct cluster *cluster, enum object_kind kind, enum change_kind change,
                  struct buf *text) {
        struct json_doc *doc = NULL;
        struct err err = { 0 };

        for (size_t i = 0; i < text->len; i++)
                if (text->data[i] == '\'')
                        text->data[i] = '"';
        if (json_parse(buf_view(text), &doc, &err) < 0 ||
            cluster_apply(cluster, kind, change, json_doc_root(doc), &err) < 0)
                fail_msg("%s: %s in %s", err.path, err.text, text->data);
        json_doc_free(doc);
        buf_release(text);
}

static void put_node(struct world *world, const struct node_line *node) {
        struct buf text = { 0 };

        buf_printf(&text,
                   "{'metadata':{'name':'%s','labels':{'kubernetes.io/hostname':'%s'%s%s}},"
                   "'spec':{%s},'status':{'conditions':[{'type':'Ready','status':'True'}],"
                   "'allocatable':{'cpu':'10','memory':'100Gi','pods':'20'}}}",
                   node->name, node->name, node->labels ? "," : "",
                   node->labels ? node->labels : "", node->spec ? node->spec : "");
        apply(world->cluster, OBJECT_NODE, CHANGE_ADDED, &text);
}

static void put_pod(struct world *world, size_t index, enum change_kind change) {
        const struct replica *replica = &world->replicas[index];
        const struct owner_line *owner = &world->def->owners[replica->owner];
        struct buf text = { 0 };
        char created[WALL_TIME_TEXT_MAX];

        wall_time_format(world->now, created);
        buf_printf(&text,
                   "{'metadata':{'namespace':'d','name':'%s-%zu-%u','uid':'%s-%zu-%u',"
                   "'creationTimestamp':'%s','labels':{'app':'%s'},'ownerReferences':[{"
                   "'apiVersion':'apps/v1','kind':'ReplicaSet','name':'%s','uid':'%s',"
                   "'controller':true}]},'spec':{%s%s",
                   owner->name, index, replica->generation, owner->name, index, replica->generation,
                   created, owner->name, owner->name, owner->name, owner->spec ? owner->spec : "",
                   owner->spec ? "," : "");
        if (replica->is_placed)
                buf_printf(&text, "'nodeName':'%s',", world->def->nodes[replica->node].name);
        buf_printf(&text,
                   "'schedulerName':'%s','containers':[{'name':'c','image':'i',"
                   "'resources':{'requests':{'cpu':'1','memory':'1Gi'}}}]},"
                   "'status':{'phase':'%s','startTime':'%s'}}",
                   world->is_foreign ? "somebody-else" : "default-scheduler",
                   replica->is_placed ? "Running" : "Pending", created);
        apply(world->cluster, OBJECT_POD, change, &text);
}

static size_t node_index(const struct world *world, struct slice name) {
        for (size_t i = 0; i < NODES_MAX && world->def->nodes[i].name; i++)
                if (slice_is(name, world->def->nodes[i].name))
                        return i;
        fail_msg("no such node");
        return 0;
}

static void add_replicas(struct world *world, size_t owner) {
        for (const char *at = world->def->owners[owner].placed; *at; at++) {
                struct replica *replica = &world->replicas[world->replica_count];
                const char name[] = { 'n', *at, '\0' };

                assert_true(world->replica_count < REPLICAS_MAX);
                *replica = (struct replica){ .owner = owner,
                                             .is_placed = true,
                                             .node = node_index(world, slice_of(name)) };
                put_pod(world, world->replica_count++, CHANGE_ADDED);
        }
}

/* ---- what the descheduler asks for ---- */

static void begin_pass(void *context, const struct evict_pass *pass) {
        (void)context;
        (void)pass;
}

static enum evict_outcome ask(void *context, const struct evict_intent *intent) {
        struct world *world = context;

        for (size_t i = 0; i < world->replica_count; i++) {
                struct replica *replica = &world->replicas[i];
                char name[64];

                snprintf(name, sizeof(name), "%s-%zu-%u", world->def->owners[replica->owner].name,
                         i, replica->generation);
                if (!slice_is(intent->pod.name, name))
                        continue;
                if (replica->is_evicted)
                        return EVICT_REPEATED;
                replica->is_evicted = true;
                return EVICT_DONE;
        }
        fail_msg("no such pod");
        return EVICT_FAILED;
}

static void open_world(struct world *world, const struct world_case *def, bool is_parity,
                       bool is_foreign) {
        struct err err = { 0 };
        struct placement_predictor oracle;

        *world = (struct world){ .def = def, .is_foreign = is_foreign };
        world->now.ns = 1767830400LL * NS_PER_S; /* 2026-01-08 */
        world->cluster = cluster_new(
                &(struct cluster_config){ .keeps_finished = true, .keeps_detail = true });
        for (size_t i = 0; i < NODES_MAX && def->nodes[i].name; i++)
                put_node(world, &def->nodes[i]);
        for (size_t i = 0; i < OWNERS_MAX && def->owners[i].name; i++)
                add_replicas(world, i);
        world->problems = config_problems_new();
        world->policy = descheduler_policy_read(slice_of(def->policy), "policy", is_parity,
                                                world->problems);
        assert_non_null(world->policy);
        assert_int_equal(role_config_load(&(struct role_config_sources){ 0 }, &world->config, &err),
                         0);
        assert_int_equal(role_config_build(&world->config, world->cluster, NULL, &err), 0);
        world->simulator = placement_simulator_new(world->cluster, &world->config.profiles, NULL);
        oracle = placement_simulator_oracle(world->simulator);
        if (descheduler_new(&(struct descheduler_config){ .cluster = world->cluster,
                                                          .policy = world->policy,
                                                          .registry = desched_registry,
                                                          .sink = { world, begin_pass, ask },
                                                          .predictor = &oracle,
                                                          .is_parity = is_parity },
                            world->problems, &world->descheduler, &err) < 0)
                fail_msg("%s: %s: %s", def->name, err.path, err.text);
}

static void close_world(struct world *world) {
        descheduler_free(world->descheduler);
        placement_simulator_free(world->simulator);
        descheduler_policy_free(world->policy);
        config_problems_free(world->problems);
        role_config_release(&world->config);
        cluster_free(world->cluster);
}

/* ---- a cycle ---- */

/* The owner's controller: a new pod for each that went. */
static void replace_evicted(struct world *world) {
        for (size_t i = 0; i < world->replica_count; i++) {
                struct replica *replica = &world->replicas[i];

                if (!replica->is_evicted)
                        continue;
                put_pod(world, i, CHANGE_REMOVED);
                world->moves++;
                world->last_move = world->cycle;
                world->repeated += world->left[replica->owner][replica->node] != 0 &&
                                   world->left[replica->owner][replica->node] < world->cycle;
                world->left[replica->owner][replica->node] = world->cycle;
                replica->generation++;
                replica->is_placed = false;
                replica->is_evicted = false;
                put_pod(world, i, CHANGE_ADDED);
        }
}

static bool choose(struct world *world, struct pod_id pod, struct node_id *ret_node) {
        struct arena arena;
        struct decision decision;

        arena_init(&arena, 0);
        scheduler_decide(world->cluster, world->config.profiles.items[0],
                         &(struct decision_request){ .pod = pod, .now = world->now }, &arena,
                         &decision);
        *ret_node = decision.node;
        arena_release(&arena);
        return decision.outcome == DECISION_PLACED;
}

static void schedule_pending(struct world *world) {
        for (size_t i = 0; i < world->replica_count; i++) {
                struct replica *replica = &world->replicas[i];
                char name[64];
                struct node_id node;

                if (replica->is_placed)
                        continue;
                snprintf(name, sizeof(name), "%s-%zu-%u", world->def->owners[replica->owner].name,
                         i, replica->generation);
                if (!world->is_foreign) {
                        struct pod_id pod = cluster_find_pod(world->cluster, SLICE_LITERAL("d"),
                                                             slice_of(name));

                        if (!choose(world, pod, &node))
                                continue;
                        replica->node = node_index(world, cluster_node_name(world->cluster, node));
                } /* else: back where it was */
                replica->is_placed = true;
                put_pod(world, i, CHANGE_UPDATED);
        }
}

static void run_cycles(struct world *world, size_t count) {
        for (size_t i = 0; i < count; i++) {
                world->cycle++;
                world->now.ns += CYCLE_NS;
                descheduler_pass(world->descheduler, world->now);
                replace_evicted(world);
                schedule_pending(world);
        }
}

/* Fullest usable node above the emptiest; everything must run. */
static size_t skew_of(const struct world *world) {
        size_t counts[NODES_MAX] = { 0 }, most = 0, least = SIZE_MAX;

        for (size_t i = 0; i < world->replica_count; i++) {
                assert_true(world->replicas[i].is_placed);
                counts[world->replicas[i].node]++;
        }
        for (size_t i = 0; i < NODES_MAX && world->def->nodes[i].name; i++) {
                if (world->def->nodes[i].spec)
                        continue; /* cordoned or tainted */
                most = counts[i] > most ? counts[i] : most;
                least = counts[i] < least ? counts[i] : least;
        }
        return most - least;
}

/* ---- the cases ---- */

#define POLICY(configs, deschedule, balance)                                                       \
        "{\"apiVersion\":\"descheduler/v1alpha2\",\"kind\":\"DeschedulerPolicy\",\"profiles\":[{"  \
        "\"name\":\"p\",\"pluginConfig\":[" configs                                                \
        "],\"plugins\":{\"deschedule\":{\"enabled\":[" deschedule                                  \
        "]},\"balance\":{\"enabled\":[" balance "]}}}]}"
#define HIGH "{\"name\":\"HighNodeUtilization\",\"args\":{\"thresholds\":{\"cpu\":20}}}"
#define LOW                                                                                        \
        "{\"name\":\"LowNodeUtilization\",\"args\":{\"thresholds\":{\"cpu\":20},"                  \
        "\"targetThresholds\":{\"cpu\":20}}}"
#define DUPLICATES "{\"name\":\"RemoveDuplicates\",\"args\":{}}"
#define PREFERRED                                                                                  \
        "{\"name\":\"RemovePodsViolatingNodeAffinity\",\"args\":{\"nodeAffinityType\":["           \
        "\"preferredDuringSchedulingIgnoredDuringExecution\"]}}"
#define CORDONED "'unschedulable':true"
#define PREFERS_SSD                                                                                \
        "'affinity':{'nodeAffinity':{'preferredDuringSchedulingIgnoredDuringExecution':["          \
        "{'weight':100,'preference':{'matchExpressions':[{'key':'disk','operator':'In',"           \
        "'values':['ssd']}]}}]}}"

static const struct world_case ping_pong[] = {
        { .name = "HighNodeUtilization with a spreading scheduler",
          .policy = POLICY(HIGH "," LOW, "", "\"HighNodeUtilization\",\"LowNodeUtilization\""),
          .nodes = { { "na" }, { "nb" }, { "nc" }, { "nd" } },
          .owners = { { "web", NULL, "aaaa" }, { "api", NULL, "bbb" }, { "db", NULL, "cd" } },
          .skew = 1,
          .settle = 3 },
        { .name = "HighNodeUtilization alone, near balance",
          .policy = POLICY(HIGH, "", "\"HighNodeUtilization\""),
          .nodes = { { "na" }, { "nb" }, { "nc" } },
          .owners = { { "web", NULL, "aaa" }, { "api", NULL, "bbb" }, { "db", NULL, "cc" } },
          .skew = 1,
          .settle = 0 },
        { .name = "RemoveDuplicates with too few nodes",
          .policy = POLICY(DUPLICATES, "", "\"RemoveDuplicates\""),
          .nodes = { { "na" }, { "nb" }, { "nc", NULL, CORDONED }, { "nd", NULL, CORDONED } },
          .owners = { { "web", NULL, "aaaaaa" } },
          .skew = 1,
          .settle = 2 },
        { .name = "preferred affinity to a cordoned node",
          .policy = POLICY(PREFERRED, "\"RemovePodsViolatingNodeAffinity\"", ""),
          .nodes = { { "na" }, { "nb" }, { "nc", "'disk':'ssd'", CORDONED } },
          .owners = { { "web", PREFERS_SSD, "aabb" } },
          .skew = 1,
          .settle = 0 },
        { .name = "all of it at once",
          .policy = POLICY(HIGH "," LOW "," DUPLICATES "," PREFERRED,
                           "\"RemovePodsViolatingNodeAffinity\"",
                           "\"RemoveDuplicates\",\"HighNodeUtilization\",\"LowNodeUtilization\""),
          .nodes = { { "na" }, { "nb" }, { "nc" }, { "nd", "'disk':'ssd'", CORDONED } },
          .owners = { { "web", PREFERS_SSD, "aaaa" },
                      { "api", NULL, "bbbbbb" },
                      { "db", NULL, "c" } },
          .skew = 1,
          .settle = 4 },
};

static void nothing_is_moved_twice(void **state) {
        (void)state;
        for (size_t i = 0; i < ARRAY_LEN(ping_pong); i++) {
                const struct world_case *def = &ping_pong[i];
                struct world world;

                open_world(&world, def, false, false);
                run_cycles(&world, CYCLES);
                if (world.repeated > 0 || world.last_move > def->settle)
                        fail_msg("%s: %zu moves, %zu repeated, last in cycle %zu", def->name,
                                 world.moves, world.repeated, world.last_move);
                if (skew_of(&world) > def->skew)
                        fail_msg("%s: nodes differ by %zu", def->name, skew_of(&world));
                close_world(&world);
        }
}

/* What the above is worth: the rules alone never come to rest. */
static void upstream_goes_on_for_ever(void **state) {
        (void)state;
        for (size_t i = 0; i < ARRAY_LEN(ping_pong); i++) {
                const struct world_case *def = &ping_pong[i];
                struct world world;

                open_world(&world, def, true, false);
                run_cycles(&world, 50);
                if (world.repeated < 40 || world.last_move < 50)
                        fail_msg("%s: %zu moves, %zu repeated, last in cycle %zu", def->name,
                                 world.moves, world.repeated, world.last_move);
                close_world(&world);
        }
}

/* Each move is judged on what the moves before it leave: the last free place is given once. */
static void ten_pods_are_not_sent_into_one_hole(void **state) {
        static const struct world_case hole = {
                .name = "one hole",
                .policy = POLICY("{\"name\":\"RemovePodsViolatingNodeTaints\",\"args\":{}}",
                                 "\"RemovePodsViolatingNodeTaints\"", ""),
                .nodes = { { "na", NULL, "'taints':[{'key':'t','effect':'NoSchedule'}]" },
                           { "nb" } },
                .owners = { { "web", NULL, "aaaaaaaaaa" }, { "api", NULL, "bbbbbbb" } },
        };
        static const struct {
                bool is_parity;
                size_t moves, pending;
        } cases[] = { { false, 3, 0 }, { true, 10, 7 } };

        (void)state;
        for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
                struct world world;
                size_t pending = 0;

                open_world(&world, &hole, cases[i].is_parity, false);
                run_cycles(&world, 10);
                for (size_t j = 0; j < world.replica_count; j++)
                        pending += !world.replicas[j].is_placed;
                assert_int_equal(world.moves, cases[i].moves);
                assert_int_equal(pending, cases[i].pending);
                close_world(&world);
        }
}

/* Pods of a scheduler we do not know cannot be asked about; that they came back is remembered for
 * their owner, and each time they are left alone for longer. */
static void who_comes_back_is_left_alone(void **state) {
        static const struct world_case def = {
                .name = "somebody else's pods",
                .policy = POLICY(DUPLICATES, "", "\"RemoveDuplicates\""),
                .nodes = { { "na" }, { "nb" } },
                .owners = { { "web", NULL, "aa" } },
        };
        /* 5 minutes, 10, 20 ... 1 day at most, in cycles of 5 minutes. */
        static const size_t moved_in[] = { 1, 3, 6, 11, 20, 37, 70, 135, 264, 521, 810 };
        struct world world;
        size_t found = 0, before = 0;

        (void)state;
        open_world(&world, &def, false, true);
        for (size_t i = 0; i < CYCLES; i++) {
                run_cycles(&world, 1);
                if (world.moves == before)
                        continue;
                before = world.moves;
                if (found == ARRAY_LEN(moved_in) || moved_in[found] != world.cycle)
                        fail_msg("move %zu in cycle %zu", found + 1, world.cycle);
                found++;
        }
        assert_int_equal(found, ARRAY_LEN(moved_in));
        close_world(&world);
        open_world(&world, &def, true, true);
        run_cycles(&world, 50);
        assert_int_equal(world.last_move, 50);
        close_world(&world);
}

int main(void) {
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(nothing_is_moved_twice),
                cmocka_unit_test(upstream_goes_on_for_ever),
                cmocka_unit_test(ten_pods_are_not_sent_into_one_hole),
                cmocka_unit_test(who_comes_back_is_left_alone),
        };

        return cmocka_run_group_tests(tests, NULL, NULL);
}
