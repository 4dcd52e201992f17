/* What is known, compared with a plain array under random changes. */
#include "client/known_objects.h"

#include "base/rng.h"
#include "base/util.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#define UID_A "0b6c5c2e-5b1c-4f0a-9d3e-0123456789ab"
#define UID_B "not-a-uuid"

static struct object_identity identity(const char *namespace_name, const char *name,
                                       const char *uid) {
        return (struct object_identity){ slice_of(namespace_name), slice_of(name), slice_of(uid) };
}

static enum known_change put(struct known_objects *known, const char *namespace_name,
                             const char *name, const char *uid, const char *version,
                             char former[KNOWN_UID_MAX + 1]) {
        struct object_identity who = identity(namespace_name, name, uid);

        return known_objects_put(known, &who, object_version_of(slice_of(version)), former);
}

static void test_changes(void **state) {
        struct known_objects *known = known_objects_new();
        char former[KNOWN_UID_MAX + 1] = "";
        struct object_identity absent = identity("a", "z", UID_A);
        struct object_identity present = identity("a", "x", UID_B);

        (void)state;
        assert_false(known_objects_remove(known, &absent));
        assert_int_equal(put(known, "a", "x", UID_A, "1", former), KNOWN_NEW);
        assert_int_equal(put(known, "a", "x", UID_A, "1", former), KNOWN_SAME);
        assert_int_equal(put(known, "a", "x", UID_A, "2", former), KNOWN_CHANGED);
        assert_int_equal(put(known, "", "x", UID_A, "2", former), KNOWN_NEW);
        assert_int_equal(put(known, "ax", "", UID_A, "2", former), KNOWN_NEW);
        assert_int_equal(put(known, "a", "x", UID_B, "2", former), KNOWN_REPLACED);
        assert_string_equal(former, UID_A);
        assert_int_equal(put(known, "a", "x", UID_A, "3", former), KNOWN_REPLACED);
        assert_string_equal(former, UID_B);
        assert_int_equal(put(known, "a", "x", UID_A, "opaque", former), KNOWN_CHANGED);
        assert_int_equal(put(known, "a", "x", UID_A, "opaque", former), KNOWN_SAME);
        assert_int_equal(known_objects_count(known), 3);
        assert_false(known_objects_remove(known, &absent));
        assert_true(known_objects_remove(known, &present)); /* by name */
        assert_false(known_objects_remove(known, &present));
        assert_int_equal(known_objects_count(known), 2);
        known_objects_free(known);
        known_objects_free(NULL);
}

static void test_versions(void **state) {
        struct known_objects *known = known_objects_new();
        char former[KNOWN_UID_MAX + 1];
        struct object_identity first = identity("a", "x", UID_A), other = identity("a", "x", UID_B);
        struct object_identity opaque = identity("", "y", UID_B);
        struct object_version version;

        (void)state;
        assert_false(known_objects_version(known, &first, &version));
        put(known, "a", "x", UID_A, "17", former);
        put(known, "", "y", UID_B, "opaque", former);
        assert_true(known_objects_version(known, &first, &version));
        assert_int_equal(version.number, 17);
        assert_false(object_version_is_hash(version));
        assert_false(known_objects_version(known, &other, &version));
        assert_true(known_objects_version(known, &opaque, &version));
        assert_true(object_version_is_hash(version));
        assert_true(object_version_is_hash(object_version_of(slice_of("9223372036854775808"))));
        assert_false(object_version_is_hash(object_version_of(slice_of("9223372036854775807"))));
        known_objects_free(known);
}

static void add_gone(void *context, const struct object_identity *who) {
        char *text = context;

        snprintf(text + strlen(text), 256 - strlen(text), SLICE_FMT "/" SLICE_FMT "=" SLICE_FMT ";",
                 SLICE_ARG(who->namespace_name), SLICE_ARG(who->name), SLICE_ARG(who->uid));
}

static void test_sweep(void **state) {
        struct known_objects *known = known_objects_new();
        char former[KNOWN_UID_MAX + 1], text[256] = "";

        (void)state;
        put(known, "n", "a", UID_A, "1", former);
        put(known, "n", "b", UID_B, "1", former);
        known_objects_begin(known);
        put(known, "n", "b", UID_B, "1", former);
        put(known, "n", "c", UID_B, "5", former);
        known_objects_sweep(known, add_gone, text);
        assert_string_equal(text, "n/a=" UID_A ";");
        text[0] = '\0';
        known_objects_sweep(known, add_gone, text);
        assert_string_equal(text, "");
        known_objects_begin(known);
        put(known, "n", "c", UID_B, "5", former);
        known_objects_sweep(known, add_gone, text);
        assert_string_equal(text, "n/b=" UID_B ";");
        assert_int_equal(known_objects_count(known), 1);
        known_objects_free(known);
}

#define NAMES 300

static void test_against_array(void **state) {
        struct known_objects *known = known_objects_new();
        uint64_t versions[NAMES] = { 0 }; /* 0 = unknown */
        size_t count = 0;
        struct rng rng;

        (void)state;
        rng_init(&rng, 7);
        for (int i = 0; i < 60000; i++) {
                size_t at = rng_below(&rng, NAMES);
                char name[32], former[KNOWN_UID_MAX + 1];
                struct object_identity who;

                snprintf(name, sizeof(name), "pod-with-a-name-%zu", at);
                who = identity(at % 3 ? "default" : "kube-system", name, UID_A);
                if (rng_below(&rng, 3) == 0) {
                        assert_int_equal(known_objects_remove(known, &who), versions[at] != 0);
                        count -= versions[at] != 0;
                        versions[at] = 0;
                } else {
                        struct object_version version = { 1 + rng_below(&rng, 3) };
                        enum known_change change = known_objects_put(known, &who, version, former);

                        assert_int_equal(change, versions[at] == 0                ? KNOWN_NEW
                                                 : versions[at] == version.number ? KNOWN_SAME
                                                                                  : KNOWN_CHANGED);
                        count += versions[at] == 0;
                        versions[at] = version.number;
                }
                assert_int_equal(known_objects_count(known), count);
        }
        assert_true(known_objects_bytes(known) < NAMES * 300); /* churn leaves no heap of garbage */
        known_objects_free(known);
}

int main(void) {
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(test_changes),
                cmocka_unit_test(test_versions),
                cmocka_unit_test(test_sweep),
                cmocka_unit_test(test_against_array),
        };

        return cmocka_run_group_tests(tests, NULL, NULL);
}
