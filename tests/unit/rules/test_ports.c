/* Host ports: what two pods, or a pod and a node, want alike, against the comparison of each port
 * with each; and as many ports as a pod can have. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/rng.h"
#include "base/util.h"
#include "rules/ports.h"
#include <stdlib.h>

#define PORTS_MAX 12
#define ROUNDS 20000
#define MANY 60000

static int compare_ports(const void *a, const void *b) {
        return class_port_compare(a, b);
}

/* Few different ones, so that they meet often; address 0 is the wildcard. */
static size_t draw(struct rng *rng, struct class_port *ports) {
        size_t count = rng_below(rng, PORTS_MAX), unique = 0;

        for (size_t i = 0; i < count; i++)
                ports[i] = (struct class_port){ .ip = { (uint32_t)rng_below(rng, 6) },
                                                .protocol = { 10 + (uint32_t)rng_below(rng, 2) },
                                                .port = 1 + (int32_t)rng_below(rng, 8) };
        qsort(ports, count, sizeof(*ports), compare_ports);
        for (size_t i = 0; i < count; i++) {
                if (unique == 0 || class_port_compare(&ports[unique - 1], &ports[i]) != 0)
                        ports[unique++] = ports[i];
        }
        return unique;
}

static bool clash_by_pairs(const struct pod_class *a, const struct pod_class *b,
                           struct str_id any_ip) {
        for (size_t i = 0; i < a->port_count; i++) {
                for (size_t j = 0; j < b->port_count; j++) {
                        const struct class_port *x = &a->ports[i], *y = &b->ports[j];

                        if (x->port == y->port && str_id_eq(x->protocol, y->protocol) &&
                            (str_id_eq(x->ip, y->ip) || str_id_eq(x->ip, any_ip) ||
                             str_id_eq(y->ip, any_ip)))
                                return true;
                }
        }
        return false;
}

static void test_pairs(void **state) {
        struct class_port first[PORTS_MAX], second[PORTS_MAX];
        struct rng rng;
        size_t clashes = 0;

        (void)state;
        rng_init(&rng, 1);
        for (int round = 0; round < ROUNDS; round++) {
                struct pod_class a = { .ports = first, .port_count = draw(&rng, first) };
                struct pod_class b = { .ports = second, .port_count = draw(&rng, second) };
                struct str_id any_ip = { round % 3 ? 0 : ID_NONE };
                bool wanted = clash_by_pairs(&a, &b, any_ip);

                assert_int_equal(ports_clash(&a, &b, any_ip), wanted);
                clashes += wanted;
        }
        assert_true(clashes > ROUNDS / 10 && clashes < ROUNDS * 9 / 10);
}

static struct class_port *many(uint32_t first_ip, uint32_t step) {
        struct class_port *ports = xcalloc(MANY, sizeof(*ports));

        for (uint32_t i = 0; i < MANY; i++)
                ports[i] = (struct class_port){ .ip = { first_ip + step * i },
                                                .protocol = { 1 },
                                                .port = 80 };
        return ports;
}

/* A pod with 60,000 addresses of one port beside another: two passes, not 3.6 thousand million
 * comparisons, which no test would wait for. */
static void test_many(void **state) {
        struct pod_class a = { .ports = many(0, 2), .port_count = MANY };
        struct pod_class b = { .ports = many(1, 2), .port_count = MANY };

        (void)state;
        for (int i = 0; i < 100; i++)
                assert_false(ports_clash(&a, &b, (struct str_id){ ID_NONE }));
        b.ports[MANY - 1] = a.ports[MANY - 1];
        assert_true(ports_clash(&a, &b, (struct str_id){ ID_NONE }));
        free(a.ports);
        free(b.ports);
}

int main(void) {
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(test_pairs),
                cmocka_unit_test(test_many),
        };
        return cmocka_run_group_tests(tests, NULL, NULL);
}
