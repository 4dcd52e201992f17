/* What is remembered for kinds of claims against looking at everything anew: one plugin lives
 * through random changes of nodes, slices, classes and claims, another one is made for each
 * question. */
#include "../quoted_objects.h"
#include "base/rng.h"
#include "plugin/sched_points.h"
#include "plugin/sched_profile.h"
#include "plugins/sched/registry.h"

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define NODES 6
#define HOLDERS 8
#define SHAPES 10
#define LINKED 8           /* the first shape that takes devices of two kinds of pools */
#define CHOICES 3          /* the shape with choices */
#define FABRIC (NODES + 1) /* the pool of another driver, which all nodes see */
#define RUNS 60
#define EVENTS 120

struct kinds_test {
        struct cluster *cluster;
        struct object_cache *object_cache;
        struct sched_profile *profile; /* the one that remembers */
        struct arena scratch;
        struct rng rng;
        struct buf story; /* what happened so far */
        enum { ALL_CHANGES, CLAIMS_ONLY, NODES_OF_THEIR_OWN } mode;
};

static size_t draw(struct kinds_test *test, size_t bound) {
        return (size_t)rng_below(&test->rng, bound);
}

__attribute__((format(printf, 4, 5))) static void put(struct kinds_test *test,
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

static void drop(struct kinds_test *test, enum cached_kind kind, const char *name) {
        object_cache_remove(test->object_cache, kind, SLICE_LITERAL("default"), slice_of(name));
        buf_printf(&test->story, "%s is removed\n", name);
}

/* ---- what there is ---- */

static void put_node(struct kinds_test *test, size_t i) {
        PUT_MODEL(test, NODE,
                  "{'metadata':{'name':'n%zu','labels':{'zone':'%c'}},'status':{'allocatable':{"
                  "'cpu':'8','pods':'110'%s}}}",
                  i, "ab"[draw(test, 2)], draw(test, 4) ? "" : ",'example.com/gpu':'2'");
}

#define CAPACITY ",'capacity':{'m':{'value':'3'}}"
static const char *const capacities[] = { "", CAPACITY,
                                          (CAPACITY ",'allowMultipleAllocations':true") };

/* Every other node has a pool with a counter, of which its devices take. */
static bool has_counter(size_t i) {
        return i < NODES && i % 2;
}

#define CONSUMES(value)                                                                            \
        ",'consumesCounters':[{'counterSet':'c','counters':{'m':{'value':'" value "'}}}]"
static const char *const consumed[] = { "", CONSUMES("1"), CONSUMES("2") };

static void say_devices(struct kinds_test *test, size_t pool, struct buf *out) {
        size_t count = draw(test, 4);

        for (size_t i = 0; i < count; i++)
                buf_printf(out, "%s{'name':'d%zu','attributes':{'size':{'int':%zu}}%s%s%s}",
                           i ? "," : "", i, draw(test, 2), capacities[draw(test, 3)],
                           draw(test, 5) ? "" : ",'taints':[{'key':'k','effect':'NoSchedule'}]",
                           has_counter(pool) ? consumed[draw(test, 3)] : "");
}

static void put_counter(struct kinds_test *test, size_t i) {
        PUT_CACHED(test, RESOURCE_SLICE,
                   "{'metadata':{'name':'c%zu'},'spec':{'driver':'d','nodeName':'n%zu','pool':{"
                   "'name':'p%zu','generation':1,'resourceSliceCount':2},'sharedCounters':[{'name':"
                   "'c','counters':{'m':{'value':'2'}}}]}}",
                   i, i, i);
}

/* Of one node, for the nodes of a zone (i is NODES then), or for all (FABRIC). */
static void put_slice(struct kinds_test *test, size_t i) {
        CLEANUP(buf_release) struct buf devices = { 0 };
        const char *zone =
                "'nodeSelector':{'nodeSelectorTerms':[{'matchExpressions':[{'key':'zone',"
                "'operator':'In','values':['a']}]}]}";
        char node[64];

        snprintf(node, sizeof(node), "'nodeName':'n%zu'", i);
        say_devices(test, i, &devices);
        PUT_CACHED(test, RESOURCE_SLICE,
                   "{'metadata':{'name':'s%zu'},'spec':{'driver':'%s',%s,'pool':{'name':'p%zu',"
                   "'generation':1,'resourceSliceCount':%d},'devices':[%s]}}",
                   i, i == FABRIC ? "f" : "d",
                   i == FABRIC  ? "'allNodes':true"
                   : i == NODES ? zone
                                : node,
                   i, (draw(test, 8) ? 1 : 2) + has_counter(i), devices.data ? devices.data : "");
}

static void put_class(struct kinds_test *test, size_t size) {
        PUT_CACHED(test, DEVICE_CLASS,
                   "{'metadata':{'name':'gpu'},'spec':{'extendedResourceName':'example.com/gpu',"
                   "'selectors':[{'cel':{'expression':'device.driver == \\'d\\' && "
                   "device.attributes[\\'d\\'].size >= %zu'}}]}}",
                   size);
}

#define EXACTLY(count, more)                                                                       \
        "'deviceClassName':'gpu','allocationMode':'ExactCount','count':" count more
#define LINK "'deviceClassName':'link','allocationMode':'ExactCount','count':1"
#define BIG ",'selectors':[{'cel':{'expression':'device.attributes[\\'d\\'].size == 1'}}]"
#define SIZED(count)                                                                               \
        "{'name':'q','exactly':{" EXACTLY(count,                                                   \
                                          "") "}}],'constraints':[{'matchAttribute':'d/size'"      \
                                              "}"

static const char *const requests[SHAPES] = {
        "{'name':'q','exactly':{" EXACTLY("1", "") "}}",
        "{'name':'q','exactly':{" EXACTLY("2", "") "}}",
        "{'name':'q','exactly':{" EXACTLY("1", BIG) "}}",
        "{'name':'q','firstAvailable':[{'name':'big'," EXACTLY("1", BIG) "},{'name':'two'," EXACTLY(
                "2", "") "},{'name':'any'," EXACTLY("1", "") "}]}",
        SIZED("2"),
        "",                                              /* extended resources alone */
        "{'name':'q','exactly':{" EXACTLY("1", "") "}}", /* and beside a claim */
        "{'name':'q','exactly':{" LINK "}}",
        "{'name':'q','exactly':{" EXACTLY(
                "1", ",'capacity':{'requests':{'m':'2'}}") "}},{'name':'r',"
                                                           "'exactly':{" LINK "}}",
        "{'name':'q','exactly':{" EXACTLY("1", "") "}},{'name':'r','exactly':{" LINK "}}",
};

static void put_pods(struct kinds_test *test) {
        for (size_t i = 0; i < SHAPES; i++) {
                char claim[64] = "";

                snprintf(claim, sizeof(claim),
                         "'resourceClaims':[{'name':'x','resourceClaimName':'w%zu'}],", i);
                if (requests[i][0])
                        PUT_CACHED(test, RESOURCE_CLAIM,
                                   "{'metadata':{'namespace':'default','name':'w%zu','uid':'w%zu'},"
                                   "'spec':{'devices':{'requests':[%s]}}}",
                                   i, i, requests[i]);
                PUT_MODEL(
                        test, POD,
                        "{'metadata':{'namespace':'default','name':'p%zu','uid':'u%zu'},'spec':{%s"
                        "'containers':[{'name':'c','resources':{'requests':{%s}}}]}}",
                        i, i, requests[i][0] ? claim : "",
                        i < 5 || i > 6 ? "'cpu':'1'"
                        : i == 5       ? "'example.com/gpu':'1'"
                                       : "'example.com/gpu':'2'");
        }
}

/* ---- changes ---- */

/* What is known is forgotten for all nodes when slices of several nodes change, or classes: other
 * runs do without. */
static const struct {
        size_t kinds, slices; /* of changes; of slices that change */
} modes[] = { [ALL_CHANGES] = { 20, FABRIC + 1 },
              [CLAIMS_ONLY] = { 14, 0 },
              [NODES_OF_THEIR_OWN] = { 17, NODES } };

#define SHARE(amount)                                                                              \
        ",'shareID':'00000000-0000-4000-8000-000000000000','consumedCapacity':{'m':'" amount "'}"

static void hold_device(struct kinds_test *test) {
        static const char *const shares[] = { "", "", SHARE("1"), SHARE("2") };
        size_t pool = draw(test, FABRIC + 1);

        PUT_CACHED(
                test, RESOURCE_CLAIM,
                "{'metadata':{'namespace':'default','name':'h%zu','uid':'h'},'spec':{'devices':{}}"
                ",'status':{'allocation':{'devices':{'results':[{'request':'q','driver':'%s',"
                "'pool':'p%zu','device':'d%zu'%s}]}}}}",
                draw(test, HOLDERS), pool == FABRIC ? "f" : "d", pool, draw(test, 3),
                shares[draw(test, 4)]);
}

static void change_something(struct kinds_test *test) {
        size_t what = draw(test, modes[test->mode].kinds);
        char name[16];

        if (what < 9) {
                hold_device(test);
        } else if (what < 14) {
                snprintf(name, sizeof(name), "h%zu", draw(test, HOLDERS));
                drop(test, CACHED_RESOURCE_CLAIM, name);
        } else if (what < 16) {
                put_slice(test, draw(test, modes[test->mode].slices));
        } else if (what < 17) {
                snprintf(name, sizeof(name), "s%zu", draw(test, modes[test->mode].slices));
                drop(test, CACHED_RESOURCE_SLICE, name);
        } else if (what < 19) {
                put_node(test, draw(test, NODES));
        } else {
                put_class(test, draw(test, 2));
        }
}

/* ---- asking ---- */

static struct sched_profile *profile_new(const struct kinds_test *test) {
        const struct profile_env env = { .registry = sched_registry,
                                         .cluster = test->cluster,
                                         .object_cache = test->object_cache };
        struct sched_profile *profile;
        struct err err = { 0 };

        if (sched_profile_new_default(&env, &profile, &err) < 0)
                fail_msg("%s", err.text);
        return profile;
}

/* "refused", or the nodes that are left with their scores. */
static const char *ask(struct kinds_test *test, const struct sched_profile *profile,
                       struct pod_id pod) {
        const struct pod_row *row = cluster_pod(test->cluster, pod);
        const struct sched_cycle cycle = { .cluster = test->cluster,
                                           .pod = pod,
                                           .class = cluster_class(test->cluster, row->class),
                                           .labels = row->labels,
                                           .ns = row->ns,
                                           .pod_name = row->name,
                                           .scratch = &test->scratch,
                                           .object_cache = test->object_cache };
        const struct profile_plugin *own =
                sched_profile_find(profile, SLICE_LITERAL("DynamicResources"));
        const struct sched_points *points = own->plugin->sched;
        struct bitset nodes = cluster_live_nodes(test->cluster, &test->scratch);
        const struct bitset *only = NULL;
        struct verdict verdict = { .code = VERDICT_OK };
        struct buf text = { 0 };
        void *state = NULL;

        switch (points->pre_filter(&cycle, own->state, &state, &only, &verdict)) {
        case VERDICT_SKIP:
                return "skips";
        case VERDICT_OK:
                break;
        default:
                return "refused";
        }
        points->filter(&cycle, own->state, state, &nodes);
        for (size_t i = bitset_next(&nodes, 0); i != SIZE_MAX; i = bitset_next(&nodes, i + 1)) {
                struct node_id node = { (uint32_t)i };
                int64_t score;

                points->score(&cycle, own->state, state, (struct node_batch){ &node, 1 }, &score);
                buf_printf(&text, SLICE_FMT "=%d ",
                           SLICE_ARG(cluster_node_name(test->cluster, node)), (int)score);
        }
        const char *answer = arena_string(&test->scratch, buf_view(&text));
        buf_release(&text);
        return answer;
}

/* Without choices a node is worth nothing, with three of them 8 to 6. */
static void check_worth(const struct kinds_test *test, size_t shape, const char *answer) {
        for (const char *at = strchr(answer, '='); at; at = strchr(at + 1, '=')) {
                long score = strtol(at + 1, NULL, 10);
                bool is_right = shape == CHOICES ? score >= 6 && score <= 8 : score == 0;

                if (!is_right)
                        fail_msg("p%zu: \"%s\" after\n%s", shape, answer, test->story.data);
        }
}

static void compare(struct kinds_test *test, size_t shape, size_t *found) {
        struct sched_profile *fresh = profile_new(test);
        char name[16];

        snprintf(name, sizeof(name), "p%zu", shape);
        struct pod_id pod =
                cluster_find_pod(test->cluster, SLICE_LITERAL("default"), slice_of(name));
        const char *remembered = ask(test, test->profile, pod);
        const char *expected = ask(test, fresh, pod);
        if (strcmp(remembered, expected) != 0)
                fail_msg("%s: \"%s\", not \"%s\" after\n%s", name, remembered, expected,
                         test->story.data);
        check_worth(test, shape, expected);
        *found += strchr(expected, '=') != NULL;
        sched_profile_free(fresh);
        arena_clear(&test->scratch);
}

/* Where much is known mostly one for devices of the node and of all nodes together. */
static size_t draw_shape(struct kinds_test *test) {
        return test->mode != ALL_CHANGES && draw(test, 3) ? LINKED + draw(test, SHAPES - LINKED)
                                                          : draw(test, SHAPES);
}

static void live_once(uint64_t seed, size_t *found) {
        struct kinds_test test = { .cluster = cluster_new(&(struct cluster_config){ 0 }),
                                   .object_cache = object_cache_new() };

        rng_init(&test.rng, seed);
        test.mode = seed % ARRAY_LEN(modes);
        arena_init(&test.scratch, 0);
        test.profile = profile_new(&test);
        buf_printf(&test.story, "seed %d\n", (int)seed);
        put_class(&test, 0);
        PUT_CACHED(&test, DEVICE_CLASS,
                   "{'metadata':{'name':'link'},'spec':{'selectors':[{'cel':{'expression':"
                   "'device.driver == \\'f\\''}}]}}");
        for (size_t i = 0; i < NODES; i++)
                put_node(&test, i);
        for (size_t i = 0; i <= FABRIC; i++)
                put_slice(&test, i);
        for (size_t i = 0; i < NODES; i++)
                if (has_counter(i))
                        put_counter(&test, i);
        put_pods(&test);
        for (int i = 0; i < EVENTS; i++) {
                size_t changes = draw(&test, 3);

                for (size_t j = 0; j < changes; j++)
                        change_something(&test);
                compare(&test, draw_shape(&test), found);
        }
        sched_profile_free(test.profile);
        arena_release(&test.scratch);
        object_cache_free(test.object_cache);
        cluster_free(test.cluster);
        buf_release(&test.story);
}

static void test_remembered_is_as_fresh(void **state) {
        const char *seed = getenv("BERTH_SEED");
        uint64_t first = seed ? strtoull(seed, NULL, 10) : 1;
        size_t found = 0;

        (void)state;
        for (int i = 0; i < RUNS; i++)
                live_once(first + (uint64_t)i, &found);
        assert_true(found > (size_t)RUNS * EVENTS / 2); /* else it compares nothing */
}

int main(void) {
        const struct CMUnitTest tests[] = { cmocka_unit_test(test_remembered_is_as_fresh) };
        return cmocka_run_group_tests(tests, NULL, NULL);
}
