/* Claims that name their devices by priority, that take devices of the node and of pools for all
 * nodes together, or stand beside extended resources: decided by the caches, against full scans by
 * plugins that remember nothing. Random devices come, go and are taken, inside of what-ifs as well.
 */
#include "../quoted_objects.h"
#include "base/rng.h"
#include "plugin/sched_profile.h"
#include "plugins/sched/registry.h"
#include "sched/class_engine.h"
#include "sched/decision.h"

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define NODES 40
#define FEW 4            /* nodes of every second run: there each of them decides */
#define ZONED NODES      /* the slice that the nodes of a zone see */
#define WIDE (ZONED + 1) /* and the slices that all nodes see */
#define SLICES (WIDE + 3)
#define HOLDERS 24
#define SHAPES 9
#define EXTENDED 8 /* the last shape */
#define RESOURCE "deviceclass.resource.kubernetes.io/gpu"
#define PODS (SHAPES * 8)
#define RUNS 12
#define STEPS 300

struct claims_test {
        struct cluster *cluster;
        struct object_cache *object_cache;
        struct sched_profile *profile;
        struct class_engine *engine;
        struct arena scratch;
        struct rng rng;
        struct buf story;
        size_t nodes;
        size_t placed, varied; /* varied: the nodes that fit are not all worth the same */
};

static size_t draw(struct claims_test *test, size_t bound) {
        return (size_t)rng_below(&test->rng, bound);
}

__attribute__((format(printf, 4, 5))) static void put(struct claims_test *test,
                                                      enum object_kind model,
                                                      enum cached_kind cached, const char *format,
                                                      ...) {
        char text[2048];
        va_list args;

        va_start(args, format);
        int length = vsnprintf(text, sizeof(text), format, args);
        va_end(args);
        assert_true(length > 0 && (size_t)length < sizeof(text));
        put_quoted_object(test->cluster, test->object_cache,
                          &(struct quoted_object){ model, cached, text });
        buf_printf(&test->story, "%s\n", text);
}
#define PUT_MODEL(test, kind, ...) put(test, OBJECT_##kind, CACHED_KIND_COUNT, __VA_ARGS__)
#define PUT_CACHED(test, kind, ...) put(test, OBJECT_KIND_COUNT, CACHED_##kind, __VA_ARGS__)

/* ---- what there is ---- */

static void put_node(struct claims_test *test, size_t i) {
        PUT_MODEL(test, NODE,
                  "{'metadata':{'name':'n%zu','labels':{'zone':'%c'}},'status':{'allocatable':{"
                  "'cpu':'%zu','pods':'110'%s}}}",
                  i, "abc"[draw(test, 3)], 4 + draw(test, 2) * 4,
                  draw(test, 3) ? "" : ",'" RESOURCE "':'2'");
}

static const char *driver_of(size_t slice) {
        return slice >= WIDE ? "net" : "d";
}

static void put_slice(struct claims_test *test, size_t i) {
        CLEANUP(buf_release) struct buf devices = { 0 };
        size_t count = draw(test, 4);
        char node[128];

        snprintf(node, sizeof(node), "'nodeName':'n%zu'", i);
        for (size_t j = 0; j < count; j++)
                buf_printf(
                        &devices,
                        "%s{'name':'d%zu','attributes':{'size':{'int':%zu},'x/rack':{'int':%zu}}}",
                        j ? "," : "", j, draw(test, 3), draw(test, 2));
        PUT_CACHED(test, RESOURCE_SLICE,
                   "{'metadata':{'name':'s%zu'},'spec':{'driver':'%s',%s,'pool':{'name':'p%zu',"
                   "'generation':1,'resourceSliceCount':1},'devices':[%s]}}",
                   i, driver_of(i),
                   i >= WIDE    ? "'allNodes':true"
                   : i == ZONED ? "'nodeSelector':{'nodeSelectorTerms':[{'matchExpressions':[{"
                                  "'key':'zone','operator':'In','values':['a']}]}]}"
                                : node,
                   i, devices.data ? devices.data : "");
}

#define WANTS(count) "'deviceClassName':'gpu','allocationMode':'ExactCount','count':" count
#define SIZED(size)                                                                                \
        WANTS("1")                                                                                 \
        ",'selectors':[{'cel':{'expression':'device.attributes[\\'d\\'].size == " size "'}}]"
#define BIG_OR_ANY                                                                                 \
        "{'name':'q','firstAvailable':[{'name':'big'," SIZED("2") "},{'name':'any'," WANTS(        \
                "1") "}]}"

#define NET                                                                                        \
        "{'name':'n','exactly':{'deviceClassName':'net','allocationMode':'ExactCount','count':1}}"

static const char *const requests[SHAPES] = {
        BIG_OR_ANY,
        "{'name':'q','firstAvailable':[{'name':'big'," SIZED("2") "},{'name':'two'," WANTS(
                "2") "},{'name':'any'," WANTS("1") "}]}",
        "{'name':'q','firstAvailable':[{'name':'none'," SIZED("9") "},{'name':'any'," WANTS(
                "1") "}]}",
        "{'name':'q','exactly':{" WANTS("1") "}}",
        BIG_OR_ANY ",{'name':'r','exactly':{" WANTS("1") "}}",
        "{'name':'q','firstAvailable':[{'name':'big'," SIZED("2") "},{'name':'small'," SIZED(
                "1") "}]}," NET,
        "{'name':'q','exactly':{" WANTS("2") "}}," NET
                                             "],'constraints':[{'matchAttribute':'x/rack'}",
        "{'name':'q','exactly':{" WANTS("1") "}}," NET,
        NULL,
};

/* Pods of one class may have claims of different kinds: their template was another one once. Some
 * have a second claim, which is allocated. */
static void put_pod(struct claims_test *test, size_t i) {
        size_t shape = i % SHAPES;
        bool has_second = i / SHAPES % 4 == 3;
        const char *second = "{'name':'y','resourceClaimName':'second'}";
        const char *status = "{'name':'y','resourceClaimName':'second'}";

        if (shape == EXTENDED) {
                PUT_MODEL(test, POD,
                          "{'metadata':{'namespace':'default','name':'p%zu','uid':'p%zu'},'spec':{"
                          "'resourceClaims':[%s],'containers':[{'name':'c','resources':{'requests':"
                          "{'cpu':'500m','" RESOURCE "':'1'},'limits':{'" RESOURCE "':'1'}}}]}}",
                          i, i, second);
                return;
        }
        PUT_CACHED(test, RESOURCE_CLAIM,
                   "{'metadata':{'namespace':'default','name':'c%zu','uid':'c%zu',"
                   "'ownerReferences':[{'apiVersion':'v1','kind':'Pod','name':'p%zu','uid':'p%zu',"
                   "'controller':true}]},'spec':{'devices':{'requests':[%s]}}}",
                   i, i, i, i, requests[shape]);
        PUT_MODEL(test, POD,
                  "{'metadata':{'namespace':'default','name':'p%zu','uid':'p%zu'},'spec':{"
                  "'resourceClaims':[{'name':'x','resourceClaimTemplateName':'t%zu'}%s%s],"
                  "'containers':[{'name':'c','resources':{'requests':{'cpu':'500m'}}}]},'status':{"
                  "'resourceClaimStatuses':[{'name':'x','resourceClaimName':'c%zu'}%s%s]}}",
                  i, i, shape / 2, has_second ? "," : "", has_second ? second : "", i,
                  has_second ? "," : "", has_second ? status : "");
}

static void put_second(struct claims_test *test) {
        PUT_CACHED(test, RESOURCE_CLAIM,
                   "{'metadata':{'namespace':'default','name':'second','uid':'second'},'spec':{"
                   "'devices':{'requests':[%s]}},'status':{'allocation':{'devices':{'results':[{"
                   "'request':'q/%s','driver':'e','pool':'e','device':'e'}]}%s}}}",
                   BIG_OR_ANY, draw(test, 2) ? "big" : "any",
                   draw(test, 2) ? ",'nodeSelector':{'nodeSelectorTerms':[{'matchExpressions':[{"
                                   "'key':'zone','operator':'In','values':['a','b']}]}]}"
                                 : "");
}

/* ---- changes ---- */

/* Those for all nodes change hands often. */
static size_t draw_pool(struct claims_test *test) {
        if (test->nodes == FEW && draw(test, 4))
                return draw(test, FEW);
        return draw(test, 3) ? draw(test, NODES + 1) : WIDE + draw(test, SLICES - WIDE);
}

static void hold_device(struct claims_test *test, size_t pool) {
        PUT_CACHED(test, RESOURCE_CLAIM,
                   "{'metadata':{'namespace':'default','name':'h%zu','uid':'h'},'spec':{'devices':"
                   "{}},'status':{'allocation':{'devices':{'results':[{'request':'q','driver':'%s',"
                   "'pool':'p%zu','device':'d%zu'}]}}}}",
                   draw(test, HOLDERS), driver_of(pool), pool, draw(test, 3));
}

static void change_something(struct claims_test *test) {
        size_t what = draw(test, 100);
        char name[16];

        if (what < 55) {
                hold_device(test, draw_pool(test));
        } else if (what < 85) {
                snprintf(name, sizeof(name), "h%zu", draw(test, HOLDERS));
                object_cache_remove(test->object_cache, CACHED_RESOURCE_CLAIM,
                                    SLICE_LITERAL("default"), slice_of(name));
                buf_printf(&test->story, "%s is removed\n", name);
        } else if (what < 95) {
                put_node(test, draw(test, test->nodes));
        } else if (what < 97) {
                put_slice(test, draw(test, SLICES));
        } else {
                put_second(test);
        }
}

/* ---- asking ---- */

static struct sched_profile *profile_new(const struct claims_test *test) {
        const struct profile_env env = { .registry = sched_registry,
                                         .cluster = test->cluster,
                                         .object_cache = test->object_cache };
        struct sched_profile *profile;
        struct err err = { 0 };

        if (sched_profile_new_default(&env, &profile, &err) < 0)
                fail_msg("%s", err.text);
        return profile;
}

static bool are_alike(const struct decision *one, const struct decision *other) {
        if (one->outcome != other->outcome || one->beside_fits != other->beside_fits ||
            one->beside_total != other->beside_total)
                return false;
        return one->outcome != DECISION_PLACED ||
               (one->node.index == other->node.index && one->best_total == other->best_total &&
                one->best_count == other->best_count &&
                one->feasible_count == other->feasible_count);
}

static void compare(struct claims_test *test, struct pod_id pod, struct decision *ret_decision) {
        struct sched_profile *fresh = profile_new(test);
        const struct node_id beside = { (uint32_t)draw(test, test->nodes) };
        struct decision_request request = { .pod = pod, .beside = &beside };
        struct decision scanned;

        scheduler_decide(test->cluster, fresh, &request, &test->scratch, &scanned);
        request.engine = test->engine;
        scheduler_decide(test->cluster, test->profile, &request, &test->scratch, ret_decision);
        if (!are_alike(&scanned, ret_decision))
                fail_msg("outcome %d node %u worth %d of %zu (%zu alike), not %d node %u worth %d "
                         "of %zu (%zu alike) for pod %u after\n%s",
                         (int)ret_decision->outcome, ret_decision->node.index,
                         (int)ret_decision->best_total, ret_decision->feasible_count,
                         ret_decision->best_count, (int)scanned.outcome, scanned.node.index,
                         (int)scanned.best_total, scanned.feasible_count, scanned.best_count,
                         pod.index, test->story.data);
        test->placed += scanned.outcome == DECISION_PLACED;
        test->varied += scanned.best_count < scanned.feasible_count;
        sched_profile_free(fresh);
}

static struct pod_id find_pod(const struct claims_test *test, size_t i) {
        char name[16];

        snprintf(name, sizeof(name), "p%zu", i);
        return cluster_find_pod(test->cluster, SLICE_LITERAL("default"), slice_of(name));
}

/* Where the pod would go if other claims held some devices. */
static void compare_inside(struct claims_test *test, struct pod_id pod) {
        struct decision decision;

        buf_text(&test->story, "what if\n");
        cluster_checkpoint(test->cluster);
        object_cache_checkpoint(test->object_cache);
        hold_device(test, draw_pool(test));
        hold_device(test, draw_pool(test));
        compare(test, pod, &decision);
        object_cache_rollback(test->object_cache);
        cluster_rollback(test->cluster);
        buf_text(&test->story, "end\n");
}

/* With few nodes mostly one for an extended resource. */
static size_t draw_pod(struct claims_test *test) {
        size_t i = draw(test, PODS);

        return test->nodes == FEW && draw(test, 2) ? i / SHAPES * SHAPES + EXTENDED : i;
}

/* The pod takes part in the next decisions from its node, with a device or without one. */
static void step(struct claims_test *test) {
        size_t changes = draw(test, 3), i = draw_pod(test);
        struct pod_id pod = find_pod(test, i);
        struct decision decision;

        for (size_t j = 0; j < changes; j++)
                change_something(test);
        if (!node_id_is_none(cluster_pod(test->cluster, pod)->node)) {
                cluster_forget(test->cluster, pod);
                buf_printf(&test->story, "p%zu is taken off\n", i);
        }
        if (draw(test, 6) == 0)
                compare_inside(test, pod);
        compare(test, pod, &decision);
        if (decision.outcome == DECISION_PLACED && draw(test, 2)) {
                cluster_assume(test->cluster, pod, decision.node);
                buf_printf(&test->story, "p%zu is on n%u\n", i, decision.node.index);
                if (draw(test, 4))
                        hold_device(test, decision.node.index);
        }
        arena_clear(&test->scratch);
}

static void live_once(uint64_t seed, struct class_engine_stats *sum, size_t *placed,
                      size_t *varied) {
        struct claims_test test = { .cluster = cluster_new(&(struct cluster_config){ 0 }),
                                    .object_cache = object_cache_new(),
                                    .engine = class_engine_new(0),
                                    .nodes = seed % 2 ? NODES : FEW };
        struct class_engine_stats stats;

        rng_init(&test.rng, seed);
        arena_init(&test.scratch, 0);
        test.profile = profile_new(&test);
        buf_printf(&test.story, "seed %d\n", (int)seed);
        PUT_CACHED(&test, DEVICE_CLASS,
                   "{'metadata':{'name':'gpu'},'spec':{'selectors':[{'cel':{'expression':"
                   "'device.driver == \\'d\\''}}]}}");
        for (size_t i = 0; i < test.nodes; i++)
                put_node(&test, i);
        PUT_CACHED(&test, DEVICE_CLASS,
                   "{'metadata':{'name':'net'},'spec':{'selectors':[{'cel':{'expression':"
                   "'device.driver == \\'net\\''}}]}}");
        for (size_t i = 0; i < SLICES; i++)
                put_slice(&test, i);
        put_second(&test);
        for (size_t i = 0; i < PODS; i++)
                put_pod(&test, i);
        for (int i = 0; i < STEPS; i++)
                step(&test);
        class_engine_stats(test.engine, &stats);
        sum->hits += stats.hits;
        sum->refusals += stats.refusals;
        *placed += test.placed;
        *varied += test.varied;
        class_engine_free(test.engine);
        sched_profile_free(test.profile);
        arena_release(&test.scratch);
        object_cache_free(test.object_cache);
        cluster_free(test.cluster);
        buf_release(&test.story);
}

static void test_caches_choose_as_scans(void **state) {
        const char *seed = getenv("BERTH_SEED");
        uint64_t first = seed ? strtoull(seed, NULL, 10) : 1;
        struct class_engine_stats sum = { 0 };
        size_t placed = 0, varied = 0;

        (void)state;
        for (int i = 0; i < RUNS; i++)
                live_once(first + (uint64_t)i, &sum, &placed, &varied);
        print_message("%zu placed, %zu with a choice; %u decisions followed changes, %u were "
                      "scanned\n",
                      placed, varied, (unsigned)sum.hits, (unsigned)sum.refusals);
        assert_true(placed > RUNS * STEPS / 2 && varied > RUNS * STEPS / 4);
        assert_true(sum.hits > RUNS * STEPS / 2);
}

int main(void) {
        const struct CMUnitTest tests[] = { cmocka_unit_test(test_caches_choose_as_scans) };
        return cmocka_run_group_tests(tests, NULL, NULL);
}
