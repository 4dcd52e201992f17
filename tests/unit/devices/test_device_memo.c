/* Searches that remember which pools have nothing for a request, against searches that do not:
 * pools that many nodes see, with counters, shares and attributes to match, while random claims
 * take devices and give them back. */
#include "../quoted_objects.h"
#include "device_scene.h"

#include "base/rng.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define POOLS 5
#define DEVICES 3
#define HOLDERS 30
#define RUNS 60
#define STEPS 60

static const char *const requests[] = {
        "{'name':'q','exactly':{'deviceClassName':'any','allocationMode':'ExactCount','count':1}}",
        "{'name':'q','exactly':{'deviceClassName':'any','allocationMode':'ExactCount','count':2}}],"
        "'constraints':[{'matchAttribute':'d/rack'}",
        "{'name':'q','exactly':{'deviceClassName':'big','allocationMode':'ExactCount','count':1}},"
        "{'name':'r','exactly':{'deviceClassName':'any','allocationMode':'ExactCount','count':1,"
        "'capacity':{'requests':{'mem':'3'}}}}",
        "{'name':'q','exactly':{'deviceClassName':'any','allocationMode':'ExactCount','count':3}}],"
        "'constraints':[{'distinctAttribute':'d/rack'}",
        "{'name':'q','firstAvailable':[{'name':'big','deviceClassName':'big','allocationMode':"
        "'ExactCount','count':2},{'name':'any','deviceClassName':'any','allocationMode':"
        "'ExactCount','count':1}]},{'name':'r','exactly':{'deviceClassName':'any',"
        "'allocationMode':'ExactCount','count':2}}],'constraints':[{'matchAttribute':'d/rack',"
        "'requests':['r']}",
};
#define SHAPES (sizeof(requests) / sizeof(requests[0]))

struct memo_test {
        struct rng rng;
        struct json_doc *doc;
        struct device_scene scene;
        struct device_memo *memos[SHAPES];
};

static size_t draw(struct memo_test *test, size_t bound) {
        return (size_t)rng_below(&test->rng, bound);
}

/* ---- what there is ---- */

static void say_device(struct memo_test *test, struct buf *out, size_t at, bool counts) {
        buf_printf(out, "%s{'name':'d%zu','attributes':{'size':{'int':%zu}", at ? "," : "", at,
                   draw(test, 2));
        if (draw(test, 6))
                buf_printf(out, ",'rack':{'int':%zu}", draw(test, 5));
        buf_printf(out, "}");
        if (draw(test, 5))
                buf_printf(out, ",'capacity':{'mem':{'value':'%zu'}}", 2 + draw(test, 6));
        if (draw(test, 2))
                buf_printf(out, ",'allowMultipleAllocations':true");
        if (counts)
                buf_printf(out,
                           ",'consumesCounters':[{'counterSet':'s','counters':{'c%zu':{'value':"
                           "'%zu'}}}]",
                           draw(test, 2), 1 + draw(test, 2));
        buf_printf(out, "}");
}

static void say_slice(struct buf *out, size_t pool, const char *what, size_t count) {
        buf_printf(out,
                   "%s{'metadata':{'name':'%s%zu'},'spec':{'driver':'d','allNodes':true,'pool':{"
                   "'name':'p%zu','generation':1,'resourceSliceCount':%zu},",
                   out->len && out->data[out->len - 1] == '}' ? "," : "", what, pool, pool, count);
}

static void say_pool(struct memo_test *test, struct buf *out, size_t pool) {
        bool counts = draw(test, 2);

        if (counts) {
                say_slice(out, pool, "c", 2);
                buf_printf(out, "'sharedCounters':[{'name':'s','counters':{'c0':{'value':'3'},'c1':"
                                "{'value':'2'}}}]}}");
        }
        say_slice(out, pool, "d", counts ? 2 : 1);
        buf_printf(out, "'devices':[");
        for (size_t i = 0; i < DEVICES; i++)
                say_device(test, out, i, counts && draw(test, 4));
        buf_printf(out, "]}}");
}

static void say_objects(struct memo_test *test, struct buf *out) {
        struct buf slices = { 0 };

        for (size_t i = 0; i < POOLS; i++)
                say_pool(test, &slices, i);
        buf_printf(out,
                   "{'deviceClasses':[{'metadata':{'name':'any'},'spec':{}},{'metadata':{'name':"
                   "'big'},'spec':{'selectors':[{'cel':{'expression':"
                   "'device.attributes[\\'d\\'].size == 1'}}]}}],'resourceSlices':[%s],"
                   "'resourceClaims':[",
                   slices.data);
        for (size_t i = 0; i < SHAPES; i++)
                buf_printf(out,
                           "%s{'metadata':{'name':'c%zu'},'spec':{'devices':{'requests':[%s]}}}",
                           i ? "," : "", i, requests[i]);
        buf_printf(out, "]}");
        buf_release(&slices);
}

/* ---- what happens ---- */

static void take_something(struct memo_test *test) {
        char key[16], pool[16], device[16];
        struct device_amount mem = { SLICE_LITERAL("mem"), SLICE_LITERAL("2") };
        struct device_result result = { .driver = SLICE_LITERAL("d") };
        const struct resource_claim claim = { .is_allocated = true,
                                              .results = &result,
                                              .result_count = 1 };

        snprintf(key, sizeof(key), "h%zu", draw(test, HOLDERS));
        snprintf(pool, sizeof(pool), "p%zu", draw(test, POOLS));
        snprintf(device, sizeof(device), "d%zu", draw(test, DEVICES));
        result.pool = slice_of(pool);
        result.device = slice_of(device);
        if (draw(test, 2)) {
                result.share_id = SLICE_LITERAL("x");
                result.consumed = (struct device_amounts){ &mem, 1 };
        }
        device_inventory_take(test->scene.inventory, slice_of(key), draw(test, 5) ? &claim : NULL);
}

static const char *search(struct memo_test *test, size_t shape, struct device_memo *memo) {
        const struct resource_claim *claim = &test->scene.claims[shape];
        const struct device_search search = { .inventory = test->scene.inventory,
                                              .claims = &claim,
                                              .claim_count = 1,
                                              .arena = &test->scene.arena,
                                              .memo = memo };
        const struct device_node node = { .name = SLICE_LITERAL("n") };
        struct device_allocation *allocation;
        struct err err = { 0 };
        struct buf out = { 0 };

        if (device_search_run(&search, &node, &allocation, &err) != DEVICES_FOUND)
                return err.code < 0 ? "failed" : "nothing";
        for (size_t i = 0; i < allocation->pick_count; i++)
                buf_printf(&out, SLICE_FMT "/" SLICE_FMT " ",
                           SLICE_ARG(allocation->picks[i].slice->pool),
                           SLICE_ARG(allocation->picks[i].device->device->name));
        const char *text = arena_string(&test->scene.arena, buf_view(&out));
        buf_release(&out);
        return text;
}

static void live_once(uint64_t seed, bool is_parity, size_t *found) {
        struct device_gates gates = device_gates_standard();
        struct memo_test test = { 0 };
        struct buf text = { 0 };

        rng_init(&test.rng, seed);
        say_objects(&test, &text);
        test.doc = quoted_doc(text.data);
        gates.is_parity = is_parity;
        device_scene_init(&test.scene, json_doc_root(test.doc), &gates);
        for (size_t i = 0; i < SHAPES; i++)
                test.memos[i] = device_memo_new();
        for (size_t i = 0; i < STEPS; i++) {
                size_t shape = draw(&test, SHAPES);

                for (size_t j = 0; j < 3; j++)
                        take_something(&test);
                const char *expected = search(&test, shape, NULL);
                const char *remembered = search(&test, shape, test.memos[shape]);
                if (strcmp(remembered, expected) != 0)
                        fail_msg("seed %d, step %zu: %s, not %s; of %s", (int)seed, i, remembered,
                                 expected, text.data);
                *found += strchr(expected, '/') != NULL;
        }
        for (size_t i = 0; i < SHAPES; i++)
                device_memo_free(test.memos[i]);
        device_scene_release(&test.scene);
        json_doc_free(test.doc);
        buf_release(&text);
}

static void test_remembers_nothing_wrong(void **state) {
        size_t found = 0;

        (void)state;
        for (size_t i = 0; i < RUNS; i++)
                live_once(i + 1, i % 4 == 3, &found);
        assert_in_range(found, RUNS * STEPS / 4, RUNS * STEPS - RUNS);
}

int main(void) {
        const struct CMUnitTest tests[] = { cmocka_unit_test(test_remembers_nothing_wrong) };

        return cmocka_run_group_tests(tests, NULL, NULL);
}
