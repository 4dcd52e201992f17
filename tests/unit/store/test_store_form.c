/* Bodies of one form: every value comes back byte for byte, whatever stands in it and whenever its
 * blank was found, and what an object repeats takes no room. */
#include "base/rng.h"
#include "base/util.h"
#include "store/store.h"
#include "store/store_own.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#define NS SLICE_LITERAL("default")
#define FILLING                                                                                    \
        "\"spec\":{\"containers\":[{\"name\":\"c\",\"image\":\"registry.example/app:1\","          \
        "\"terminationMessagePath\":\"/dev/termination-log\",\"terminationMessagePolicy\":"        \
        "\"File\",\"imagePullPolicy\":\"IfNotPresent\"}],\"restartPolicy\":\"Always\","            \
        "\"dnsPolicy\":\"ClusterFirst\",\"schedulerName\":\"default-scheduler\"}"

struct fixture {
        struct store *store;
        int pods;
};

static void setup(struct fixture *fixture) {
        fixture->store = store_new(NULL);
        fixture->pods = store_add_resource(fixture->store, SLICE_LITERAL("pods"));
}

static void put(struct fixture *fixture, const char *name, struct slice body) {
        assert_int_equal(store_put(fixture->store, fixture->pods, NS, slice_of(name), body, NULL),
                         0);
}

static const struct store_object *get(const struct fixture *fixture, const char *name) {
        const struct store_object *object =
                store_get(fixture->store, fixture->pods, NS, slice_of(name));

        assert_non_null(object);
        return object;
}

static void check(const struct fixture *fixture, const char *name, struct slice body) {
        struct slice text = store_object_body(get(fixture, name));

        assert_true(slice_eq(text, body));
        assert_int_equal(text.ptr[text.len], 0);
}

/* ---- runs of own bytes ---- */

static void test_own(void **state) {
        static const struct {
                const char *own, *reference;
                size_t bytes; /* with the byte of the length */
        } cases[] = {
                { "", "", 1 },
                { "abc", "", 4 },
                { "abcd", "", 3 },
                { "abcde", "", 4 },
                { "ABCD", "", 5 },
                { "abcg", "", 5 },
                { "2026-11-25T01:10:49Z", "", 11 },
                { "10.8.60.5", "10.8.0.15", 6 },
                { "172.16.0.1/24", "", 8 },
                { "01234567-89ab-cdef-0123-456789abcdef", "f1234567-89ab-cdef-0123-456789abcdef",
                  17 },
                { "01234567-89ab-cdef-0123-456789abcdef", "", 37 },
                { "01234567-89ab-cdef", "0123456789-ab-cdef", 19 },
                { "----", "----", 1 },
                { "0-0-", "1-1-1-1", 2 },
        };

        (void)state;
        for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
                char packed[100], text[100];
                struct pack_out out = { packed, 0, sizeof(packed) };
                struct slice own = slice_of(cases[i].own);
                struct slice reference = slice_of(cases[i].reference);
                const unsigned char *at = (const unsigned char *)packed;

                assert_true(pack_own(&out, own, reference));
                assert_int_equal(out.size, cases[i].bytes + (own.len >= 32));
                assert_ptr_equal(unpack_own(&at, reference, text), text + own.len);
                assert_memory_equal(text, own.ptr, own.len);
                assert_ptr_equal(at, packed + out.size);
                out = (struct pack_out){ packed, 0, cases[i].bytes + (own.len >= 32) - 1 };
                assert_false(pack_own(&out, own, reference));
        }
}

/* ---- forms ---- */

/* Each value beside those of its neighbours, the first ones being the base's. */
static void test_values(void **state) {
        static const char *const values[] = {
                "\"\"",        "\"a\"",        "\"b-\\\"c\\\"\"",
                "\"\\\\\"",    "\"pod-7\"",    "\"1010\"",
                "0",           "-12.5e+3",     "true",
                "false",       "null",         "[]",
                "{}",          "{\"k\":1}",    "[1,2]",
                "\"\\u00e9\"", "\"\xc3\xa9\"", "\"10.0.0.1\"",
        };
        const size_t count = ARRAY_LEN(values);
        struct fixture fixture;

        (void)state;
        setup(&fixture);
        for (int round = 0; round < 2; round++) {
                for (size_t i = 0; i < count * count * count; i++) {
                        char name[20], body[1000];

                        snprintf(name, sizeof(name), "pod-%zu", i);
                        snprintf(body, sizeof(body), "{\"x\":%s,\"y\":%s,%s,\"z\":%s}",
                                 values[i % count], values[i / count % count], FILLING,
                                 values[i / count / count]);
                        if (round == 0)
                                put(&fixture, name, slice_of(body));
                        check(&fixture, name, slice_of(body));
                }
        }
        store_free(fixture.store);
}

/* What is the name, the revision or stands in the body already takes no room; addresses, times and
 * uids take half. */
static void test_room(void **state) {
        struct fixture fixture;

        (void)state;
        setup(&fixture);
        for (unsigned i = 0; i < 2000; i++) {
                char name[20], body[2000], time[40];

                snprintf(name, sizeof(name), "web-%06u", i);
                snprintf(time, sizeof(time), "2026-11-25T%02u:%02u:%02uZ", i / 600, i / 10 % 60,
                         i * 7 % 60);
                snprintf(body, sizeof(body),
                         "{\"metadata\":{\"name\":\"%s\",\"resourceVersion\":\"%u\",\"created\":"
                         "\"%s\"},%s,\"status\":{\"a\":\"%s\",\"b\":\"%s\",\"ip\":\"10.0.%u.%u\","
                         "\"ips\":[{\"ip\":\"10.0.%u.%u\"}],\"c\":\"%s\"}}",
                         name, STORE_REVISION_START + 1 + i, time, FILLING, time, time, i / 250,
                         i % 250, i / 250, i % 250, time);
                put(&fixture, name, slice_of(body));
                check(&fixture, name, slice_of(body));
                if (i > 10)
                        assert_true(get(&fixture, name)->stored_size <= 16);
        }
        store_free(fixture.store);
}

/* Objects packed before a blank was found read as before, and so do those of the versions between.
 */
static void test_late_blanks(void **state) {
        char bodies[150][4000];
        struct fixture fixture;
        struct rng rng;

        (void)state;
        setup(&fixture);
        rng_init(&rng, 3);
        for (unsigned i = 0; i < ARRAY_LEN(bodies); i++) {
                struct buf body = { 0 };
                char name[20];

                buf_text(&body, "{");
                for (unsigned k = 0; k < ARRAY_LEN(bodies); k++)
                        buf_printf(&body, "\"key-%u\":\"%s\",", k,
                                   k < i && rng_below(&rng, 3) ? "other value" : "the value");
                buf_printf(&body, "%s}", FILLING);
                snprintf(bodies[i], sizeof(bodies[i]), "%s", body.data);
                snprintf(name, sizeof(name), "m-%u", i);
                put(&fixture, name, slice_of(bodies[i]));
                for (unsigned k = 0; k <= i; k++) {
                        snprintf(name, sizeof(name), "m-%u", k);
                        check(&fixture, name, slice_of(bodies[k]));
                }
                buf_release(&body);
        }
        store_free(fixture.store);
}

/* Text that looks like JSON here and there, or stops in the middle of it. */
static void test_broken(void **state) {
        static const char pieces[][8] = { "\"",  "\\",  "\\\"", ":", ",",    "{",    "}",
                                          "abc", "123", "null", "[", "-1.5", "\"x\"" };
        static char bodies[64][2000];
        size_t sizes[ARRAY_LEN(bodies)] = { 0 };
        struct fixture fixture;
        struct rng rng;

        (void)state;
        setup(&fixture);
        rng_init(&rng, 11);
        for (unsigned round = 0; round < 20000; round++) {
                size_t which = (size_t)rng_below(&rng, ARRAY_LEN(bodies)), size = 0;
                char name[20], *body = bodies[which];

                /* The text is the same for many, but for a piece or two. */
                for (unsigned i = 0; i < 150; i++) {
                        unsigned piece = (i * 7 + round / 500 * 3) % ARRAY_LEN(pieces);

                        if (rng_below(&rng, 100) == 0)
                                piece = (unsigned)rng_below(&rng, ARRAY_LEN(pieces));
                        memcpy(body + size, pieces[piece], strlen(pieces[piece]));
                        size += strlen(pieces[piece]);
                }
                sizes[which] = size;
                snprintf(name, sizeof(name), "m-%zu", which);
                put(&fixture, name, slice_make(body, size));
                which = (size_t)rng_below(&rng, ARRAY_LEN(bodies));
                snprintf(name, sizeof(name), "m-%zu", which);
                if (sizes[which])
                        check(&fixture, name, slice_make(bodies[which], sizes[which]));
        }
        store_free(fixture.store);
}

int main(void) {
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(test_own),    cmocka_unit_test(test_values),
                cmocka_unit_test(test_room),   cmocka_unit_test(test_late_blanks),
                cmocka_unit_test(test_broken),
        };

        return cmocka_run_group_tests(tests, NULL, NULL);
}
