/* Which node has other devices than before, when a claim takes some or gives them back. */
#include "devices/device_inventory.h"

#include "base/util.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

static struct device devices[] = { { .name = { "a", 1 } }, { .name = { "b", 1 } } };

#define OFFERS(pool_name, node)                                                                    \
        {                                                                                          \
                .driver = { "g", 1 }, .pool = { pool_name, 1 },                                    \
                .place = &(const struct device_place){ .node_name = { node, 1 } },                 \
                .devices = devices, .device_count = 2                                              \
        }
/* Pool p is of the node n, q of m; s is of both, and z of no node by name. */
static const struct resource_slice slices[] = {
        OFFERS("p", "n"),
        OFFERS("q", "m"),
        OFFERS("s", "n"),
        OFFERS("s", "m"),
        { .driver = { "g", 1 },
          .pool = { "z", 1 },
          .place = &(const struct device_place){ .has_selector = false },
          .devices = devices,
          .device_count = 2 },
};

struct change_case {
        const char *what, *pool, *before, *after; /* devices; NULL: none */
        uint64_t own, shared;                     /* changes */
        const char *node;                         /* of the last one */
};
static const struct change_case cases[] = {
        { "taken", "p", NULL, "a", 1, 0, "n" },
        { "given back", "p", "a", NULL, 1, 0, "n" },
        { "the same again", "p", "a", "a", 0, 0, NULL },
        { "another one", "q", "a", "b", 2, 0, "m" },
        { "of a pool of two nodes", "s", NULL, "a", 0, 1, NULL },
        { "of a pool that many nodes reach", "z", "b", NULL, 0, 1, NULL },
        { "of a pool that is not there", "x", NULL, "a", 0, 0, NULL },
        { "of a device that is not there", "p", NULL, "c", 0, 0, NULL },
};

static void take(struct device_inventory *inventory, const char *pool, const char *device) {
        struct device_result result = { .driver = slice_of("g"),
                                        .pool = slice_of(pool),
                                        .device = device ? slice_of(device) : SLICE_EMPTY };
        const struct resource_claim claim = { .is_allocated = true,
                                              .results = &result,
                                              .result_count = 1 };

        device_inventory_take(inventory, slice_of("d/c"), device ? &claim : NULL);
}

static void test_changes(void **state) {
        const struct device_gates gates = device_gates_standard();

        struct slice_change list[ARRAY_LEN(slices)];

        (void)state;
        for (size_t i = 0; i < ARRAY_LEN(slices); i++)
                list[i] = (struct slice_change){ slices[i].name, &slices[i] };
        for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
                const struct change_case *row = &cases[i];
                struct device_inventory *inventory = device_inventory_new(&gates);

                assert_true(device_inventory_update(inventory, list, ARRAY_LEN(list)));
                take(inventory, row->pool, row->before);
                uint64_t own = inventory->change_count, shared = inventory->shared_change_count;
                take(inventory, row->pool, row->after);
                if (inventory->change_count - own != row->own ||
                    inventory->shared_change_count - shared != row->shared)
                        fail_msg("%s: %d changes of a node, %d of several", row->what,
                                 (int)(inventory->change_count - own),
                                 (int)(inventory->shared_change_count - shared));
                if (row->node &&
                    !slice_is(device_inventory_change(inventory, inventory->change_count - 1).node,
                              row->node))
                        fail_msg("%s: another node", row->what);
                device_inventory_free(inventory);
        }
}

int main(void) {
        const struct CMUnitTest tests[] = { cmocka_unit_test(test_changes) };

        return cmocka_run_group_tests(tests, NULL, NULL);
}
