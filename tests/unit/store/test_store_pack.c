/* Objects kept as differences: whatever is put comes back byte for byte, alike bodies take little
 * room, and nobody sees the body of another. */
#include "base/rng.h"
#include "base/util.h"
#include "store/store.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#define NS SLICE_LITERAL("default")
#define BODY_MAX 40000

static char *repeat(const char *text, size_t size) {
        char *body = xmalloc(size + 1);

        for (size_t i = 0; i < size; i++)
                body[i] = text[i % strlen(text)];
        body[size] = '\0';
        return body;
}

/* Like a pod's: much that is the same, some that is its own, among it what looks like a uid. */
static void pod_body(char *body, size_t size, unsigned number, unsigned revision) {
        unsigned long mixed = (number + 1) * 0x9e3779b97f4a7c15UL;

        snprintf(body, size,
                 "{\"uid\":\"%08lx-%04lx-%04lx-%04lx-%012lx\",\"metadata\":{\"name\":\"web-%u\","
                 "\"resourceVersion\":\"%u\",\"labels\":{"
                 "\"app\":\"web\"}},\"spec\":{\"containers\":[{\"name\":\"c\",\"image\":"
                 "\"registry.example/app:1\",\"terminationMessagePath\":\"/dev/termination-log\","
                 "\"terminationMessagePolicy\":\"File\",\"imagePullPolicy\":\"IfNotPresent\"}],"
                 "\"nodeName\":\"node-%u\",\"restartPolicy\":\"Always\",\"dnsPolicy\":"
                 "\"ClusterFirst\",\"schedulerName\":\"default-scheduler\"}}",
                 mixed >> 32, mixed >> 16 & 0xffff, mixed & 0xffff, mixed >> 48,
                 mixed >> 8 & 0xffffffffffff, number, revision, number * 7919U % 1000U);
}

static void put(struct store *store, int pods, unsigned number, unsigned revision) {
        char body[1000], name[40];

        pod_body(body, sizeof(body), number, revision);
        snprintf(name, sizeof(name), "web-%u", number);
        assert_int_equal(store_put(store, pods, NS, slice_of(name), slice_of(body), NULL), 0);
}

static void check(struct store *store, int pods, unsigned number, unsigned revision) {
        char body[1000], name[40];
        const struct store_object *object;
        struct buf text = { 0 };

        pod_body(body, sizeof(body), number, revision);
        snprintf(name, sizeof(name), "web-%u", number);
        object = store_get(store, pods, NS, slice_of(name));
        assert_non_null(object);
        assert_int_equal(object->body_size, strlen(body));
        assert_string_equal(store_object_body(object).ptr, body);
        buf_text(&text, "before");
        store_object_append(object, &text);
        assert_string_equal(text.data + strlen("before"), body);
        buf_release(&text);
}

static void test_alike(void **state) {
        struct store *store = store_new(NULL);
        int pods = store_add_resource(store, SLICE_LITERAL("pods"));

        (void)state;
        for (unsigned i = 0; i < 1000; i++)
                put(store, pods, i, 1);
        for (unsigned i = 0; i < 1000; i++)
                check(store, pods, i, 1);
        assert_true(store_bytes(store) < 1000U * 200U); /* of some 460 each */
        for (unsigned i = 0; i < 1000; i += 3)
                put(store, pods, i, 2);
        for (unsigned i = 0; i < 1000; i++)
                check(store, pods, i, i % 3 == 0 ? 2 : 1);
        store_free(store);
}

/* The texts of several objects can be looked at side by side. */
static void test_side_by_side(void **state) {
        struct store *store = store_new(NULL);
        int pods = store_add_resource(store, SLICE_LITERAL("pods"));
        struct slice texts[STORE_TEXTS];

        (void)state;
        for (unsigned i = 0; i < 40; i++)
                put(store, pods, i, 1);
        for (unsigned i = 0; i < STORE_TEXTS; i++) {
                char name[40];

                snprintf(name, sizeof(name), "web-%u", i);
                texts[i] = store_object_body(store_get(store, pods, NS, slice_of(name)));
        }
        for (unsigned i = 0; i < STORE_TEXTS; i++) {
                char wanted[1000];

                pod_body(wanted, sizeof(wanted), i, 1);
                assert_true(slice_is(texts[i], wanted));
        }
        store_free(store);
}

/* An object held beyond its store still has its body. */
static void test_outlives(void **state) {
        struct store *store = store_new(NULL);
        int pods = store_add_resource(store, SLICE_LITERAL("pods"));
        const struct store_object *held;
        char wanted[1000];

        (void)state;
        for (unsigned i = 0; i < 10; i++)
                put(store, pods, i, 1);
        held = store_object_ref(store_get(store, pods, NS, SLICE_LITERAL("web-7")));
        put(store, pods, 7, 2);
        store_free(store);
        pod_body(wanted, sizeof(wanted), 7, 1);
        assert_true(slice_is(store_object_body(held), wanted));
        store_object_unref(held);
}

/* A body changed here and there: bytes replaced, inserted, removed. */
static size_t mutate(struct rng *rng, char *body, size_t size) {
        for (uint64_t i = rng_below(rng, 6); i > 0; i--) {
                size_t at = (size_t)rng_below(rng, size), count = (size_t)rng_below(rng, 30);

                if (count > size - at)
                        count = size - at;
                if (rng_below(rng, 3) == 0 && size - count >= 300) {
                        memmove(body + at, body + at + count, size - at - count);
                        size -= count;
                } else if (rng_below(rng, 2) == 0 && size + count < BODY_MAX) {
                        memmove(body + at + count, body + at, size - at);
                        size += count;
                } else {
                        for (size_t j = 0; j < count; j++)
                                body[at + j] =
                                        "0123456789abcdef-xyz"[rng_below(rng, count % 2 ? 17 : 20)];
                }
        }
        return size;
}

#define ROUNDS 3000
#define NAMES 50

/* Odd and even numbers of digits, with dashes at the base's places and at others. */
static void test_digits(void **state) {
        static const char *const texts[] = {
                "01234567-89ab-cdef-0123-456789abcdef",
                "f1234567-89ab-cdef-0123-456789abcdef",
                "fedcba98-7654-3210-fedc-ba9876543210",
                "fedcba98-7654-3210-fedc-ba987654321",
                "fedcba9876543210fedcba9876543210",
                "fedcba98-7654-3210-fedc-ba98765432-0",
                "0-0-0-0-0",
                "--------------------------",
                "ABCDEF01-89ab-cdef-0123-456789abcdef",
                "abc",
        };
        struct store *store = store_new(NULL);
        int maps = store_add_resource(store, SLICE_LITERAL("configmaps"));
        char *filling = repeat("<filling>", 400), body[1000], name[20];

        (void)state;
        for (size_t i = 0; i < ARRAY_LEN(texts) * ARRAY_LEN(texts); i++) {
                snprintf(body, sizeof(body), "%s%s%s%s%s", filling, texts[i % ARRAY_LEN(texts)],
                         filling, texts[i / ARRAY_LEN(texts)], i % 2 ? "!" : "");
                snprintf(name, sizeof(name), "m-%zu", i);
                assert_int_equal(store_put(store, maps, NS, slice_of(name), slice_of(body), NULL),
                                 0);
                assert_string_equal(
                        store_object_body(store_get(store, maps, NS, slice_of(name))).ptr, body);
        }
        free(filling);
        store_free(store);
}

static void test_random(void **state) {
        static char body[BODY_MAX], bodies[NAMES][BODY_MAX];
        size_t sizes[NAMES] = { 0 }, size = 1500;
        struct store *store = store_new(NULL);
        int maps = store_add_resource(store, SLICE_LITERAL("configmaps"));
        struct rng rng;
        char name[20];

        (void)state;
        rng_init(&rng, 7);
        for (size_t i = 0; i < size; i++)
                body[i] = (char)('a' + rng_below(&rng, 26));
        for (int round = 0; round < ROUNDS; round++) {
                size_t which = (size_t)rng_below(&rng, NAMES);

                if (rng_below(&rng, 100) == 0) /* something else entirely */
                        for (size_t i = 0; i < size; i++)
                                body[i] = (char)rng_below(&rng, 256);
                size = mutate(&rng, body, size);
                snprintf(name, sizeof(name), "map-%zu", which);
                assert_int_equal(
                        store_put(store, maps, NS, slice_of(name), slice_make(body, size), NULL),
                        0);
                memcpy(bodies[which], body, size);
                sizes[which] = size;
                which = (size_t)rng_below(&rng, NAMES);
                snprintf(name, sizeof(name), "map-%zu", which);
                if (sizes[which])
                        assert_true(slice_eq(
                                store_object_body(store_get(store, maps, NS, slice_of(name))),
                                slice_make(bodies[which], sizes[which])));
        }
        store_free(store);
}

/* Sizes around the limits of what is packed. */
static void test_sizes(void **state) {
        static const size_t sizes[] = { 1, 7, 8, 255, 256, 257, 32767, 32768, 32769, 60000 };
        struct store *store = store_new(NULL);
        int maps = store_add_resource(store, SLICE_LITERAL("configmaps"));
        char name[20];

        (void)state;
        for (size_t i = 0; i < ARRAY_LEN(sizes) * 4; i++) {
                char *body = repeat(i % 2 ? "abc" : "x", sizes[i / 4]);

                snprintf(name, sizeof(name), "m-%zu", i);
                assert_int_equal(store_put(store, maps, NS, slice_of(name), slice_of(body), NULL),
                                 0);
                assert_string_equal(
                        store_object_body(store_get(store, maps, NS, slice_of(name))).ptr, body);
                free(body);
        }
        store_free(store);
}

/* Earlier states in the history stay as they were. */
static void test_history(void **state) {
        struct store *store = store_new(NULL);
        int pods = store_add_resource(store, SLICE_LITERAL("pods"));
        uint64_t revision = STORE_REVISION_START;
        const struct store_event *event;
        char wanted[1000];

        (void)state;
        for (unsigned i = 0; i < 100; i++)
                put(store, pods, i % 5, i);
        for (unsigned i = 0; i < 100; i++) {
                event = store_event_after(store, pods, revision);
                assert_non_null(event);
                pod_body(wanted, sizeof(wanted), i % 5, i);
                assert_true(slice_is(store_object_body(event->object), wanted));
                revision = event->revision;
        }
        store_free(store);
}

int main(void) {
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(test_alike),    cmocka_unit_test(test_side_by_side),
                cmocka_unit_test(test_outlives), cmocka_unit_test(test_random),
                cmocka_unit_test(test_digits),   cmocka_unit_test(test_sizes),
                cmocka_unit_test(test_history),
        };

        return cmocka_run_group_tests(tests, NULL, NULL);
}
