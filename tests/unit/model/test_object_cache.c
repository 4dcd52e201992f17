/* What is known of objects, what is assumed of them, and what changed. */
#include "base/util.h"
#include "model/object_cache.h"
#include "model_test.h"

#define KIND CACHED_RESOURCE_CLAIM
#define NS SLICE_LITERAL("default")

static struct json_doc *claim_doc(const char *name, const char *version, const char *state) {
        char text[256];
        struct json_doc *doc;
        snprintf(text, sizeof(text),
                 "{\"metadata\":{\"name\":\"%s\",\"uid\":\"u\",\"resourceVersion\":\"%s\"},"
                 "\"state\":\"%s\"}",
                 name, version, state);
        assert_int_equal(json_parse(slice_of(text), &doc, NULL), 0);
        return doc;
}

static void put_claim(struct object_cache *cache, const char *version, const char *state) {
        struct json_doc *doc = claim_doc("c", version, state);
        object_cache_put(cache, KIND, json_doc_root(doc));
        json_doc_free(doc);
}

static void assume(struct object_cache *cache, const char *state) {
        struct json_doc *doc = claim_doc("c", "7", state);
        object_cache_assume(cache, KIND, json_doc_root(doc));
        json_doc_free(doc);
}

static void expect_state(const struct object_cache *cache, const char *state) {
        const struct json *object = object_cache_get(cache, KIND, NS, SLICE_LITERAL("c"));
        struct slice found = json_get_text(object, "state");
        if (!slice_is(found, state))
                fail_msg("\"" SLICE_FMT "\", not \"%s\"", SLICE_ARG(found), state);
}

static bool is_pending(const struct object_cache *cache) {
        return object_cache_is_pending(cache, KIND, NS, SLICE_LITERAL("c"));
}

/* Until the watch shows what was written, whatever else it says before. */
static void test_assumption_lasts_until_seen(void **state) {
        struct object_cache *cache = object_cache_new();
        (void)state;
        put_claim(cache, "7", "free");
        assume(cache, "taken");
        assert_true(is_pending(cache));
        expect_state(cache, "taken");
        put_claim(cache, "8", "free");
        expect_state(cache, "taken");
        object_cache_written(cache, KIND, NS, SLICE_LITERAL("c"), SLICE_LITERAL("10"));
        assert_false(is_pending(cache));
        put_claim(cache, "9", "free");
        expect_state(cache, "taken");
        put_claim(cache, "10", "written");
        expect_state(cache, "written");
        object_cache_free(cache);
}

/* The watch may be faster than the answer. */
static void test_watch_comes_first(void **state) {
        struct object_cache *cache = object_cache_new();
        (void)state;
        put_claim(cache, "7", "free");
        assume(cache, "taken");
        put_claim(cache, "10", "written");
        expect_state(cache, "taken");
        object_cache_written(cache, KIND, NS, SLICE_LITERAL("c"), SLICE_LITERAL("10"));
        expect_state(cache, "written");
        object_cache_free(cache);
}

/* A write that changed nothing: its answer has the version that was seen before, and no event
 * follows. */
static void test_written_to_no_effect(void **state) {
        struct object_cache *cache = object_cache_new();
        (void)state;
        put_claim(cache, "7", "free");
        assume(cache, "taken");
        object_cache_written(cache, KIND, NS, SLICE_LITERAL("c"), SLICE_LITERAL("7"));
        expect_state(cache, "free");
        object_cache_free(cache);
}

static void test_unknown_version_ends_with_the_next(void **state) {
        struct object_cache *cache = object_cache_new();
        (void)state;
        put_claim(cache, "7", "free");
        assume(cache, "taken");
        object_cache_written(cache, KIND, NS, SLICE_LITERAL("c"), SLICE_EMPTY);
        expect_state(cache, "taken");
        put_claim(cache, "8", "free");
        expect_state(cache, "free");
        object_cache_free(cache);
}

static void test_withdrawn_is_as_seen(void **state) {
        struct object_cache *cache = object_cache_new();
        (void)state;
        put_claim(cache, "7", "free");
        assume(cache, "taken");
        put_claim(cache, "8", "changed");
        object_cache_withdraw(cache, KIND, NS, SLICE_LITERAL("c"));
        expect_state(cache, "changed");
        assume(cache, "taken");
        object_cache_remove(cache, KIND, NS, SLICE_LITERAL("c"));
        assert_null(object_cache_get(cache, KIND, NS, SLICE_LITERAL("c")));
        assert_int_equal(object_cache_count(cache, KIND), 0);
        object_cache_free(cache);
}

/* An object that only we know of. */
static void test_new_object(void **state) {
        struct object_cache *cache = object_cache_new();
        (void)state;
        assume(cache, "new");
        assert_int_equal(object_cache_count(cache, KIND), 1);
        assert_null(object_cache_seen(cache, KIND, NS, SLICE_LITERAL("c")));
        object_cache_withdraw(cache, KIND, NS, SLICE_LITERAL("c"));
        assert_int_equal(object_cache_count(cache, KIND), 0);
        assert_null(object_cache_get(cache, KIND, NS, SLICE_LITERAL("c")));
        object_cache_free(cache);
}

static void expect_changes(const struct object_cache *cache, uint64_t since, const char *expected) {
        struct object_change change;
        const void *at = NULL;
        char found[256] = "";
        assert_true(object_cache_remembers(cache, KIND, since));
        while (object_cache_next_change(cache, KIND, since, &at, &change)) {
                size_t len = strlen(found);
                snprintf(found + len, sizeof(found) - len, "%.*s%s ", (int)change.key.len,
                         change.key.ptr, change.object ? "" : "-");
        }
        assert_string_equal(found, expected);
}

static void test_changes(void **state) {
        struct object_cache *cache = object_cache_new();
        struct json_doc *doc = claim_doc("d", "1", "");
        (void)state;
        put_claim(cache, "1", "a");
        object_cache_put(cache, KIND, json_doc_root(doc));
        expect_changes(cache, 0, "default/d default/c ");
        uint64_t since = object_cache_version(cache, KIND);
        expect_changes(cache, since, "");
        put_claim(cache, "2", "b");
        put_claim(cache, "3", "b");
        expect_changes(cache, since, "default/c ");
        object_cache_remove(cache, KIND, NS, SLICE_LITERAL("d"));
        expect_changes(cache, since, "default/d- default/c ");
        json_doc_free(doc);
        object_cache_free(cache);
}

/* Only so many that are gone are remembered; whoever was away for longer starts again. */
static void test_forgets_what_is_gone(void **state) {
        struct object_cache *cache = object_cache_new();
        char name[32];
        (void)state;
        put_claim(cache, "1", "a");
        for (int i = 0; i < 3000; i++) {
                snprintf(name, sizeof(name), "g%d", i);
                struct json_doc *doc = claim_doc(name, "1", "");
                object_cache_put(cache, KIND, json_doc_root(doc));
                object_cache_remove(cache, KIND, NS, slice_of(name));
                json_doc_free(doc);
        }
        assert_false(object_cache_remembers(cache, KIND, 1));
        assert_true(object_cache_remembers(cache, KIND, object_cache_version(cache, KIND) - 100));
        assert_int_equal(object_cache_count(cache, KIND), 1);
        object_cache_free(cache);
}

static struct json_doc *owned_doc(const char *name, const char *uid) {
        char text[256];
        struct json_doc *doc;
        snprintf(text, sizeof(text),
                 "{\"metadata\":{\"name\":\"%s\",\"ownerReferences\":[{\"uid\":\"other\"},"
                 "{\"uid\":\"%s\",\"controller\":true}]}}",
                 name, uid);
        assert_int_equal(json_parse(slice_of(text), &doc, NULL), 0);
        return doc;
}

static void expect_owned(const struct object_cache *cache, const char *uid, const char *names) {
        struct buf found = { 0 };
        const struct json *object;
        const void *at = NULL;
        while ((object = object_cache_marked(cache, KIND, slice_of(uid), &at)))
                buf_printf(&found, SLICE_FMT " ", SLICE_ARG(cached_object_name(object)));
        if (!slice_is(buf_view(&found), names))
                fail_msg("%s: \"" SLICE_FMT "\", not \"%s\"", uid, SLICE_ARG(buf_view(&found)),
                         names);
        buf_release(&found);
}

/* By controller alone; whatever becomes of the object, it is found under its present owner. */
static void test_owned(void **state) {
        static const char *const docs[][2] = {
                { "a", "p" }, { "b", "q" }, { "c", "p" }, { "d", "p" }
        };
        struct object_cache *cache = object_cache_new();
        struct json_doc *moved = owned_doc("c", "q"), *made = owned_doc("e", "p");
        (void)state;
        for (size_t i = 0; i < ARRAY_LEN(docs); i++) {
                struct json_doc *doc = owned_doc(docs[i][0], docs[i][1]);
                object_cache_put(cache, KIND, json_doc_root(doc));
                json_doc_free(doc);
        }
        expect_owned(cache, "p", "a c d ");
        expect_owned(cache, "q", "b ");
        expect_owned(cache, "other", "");
        object_cache_put(cache, KIND, json_doc_root(moved));
        expect_owned(cache, "p", "a d ");
        expect_owned(cache, "q", "b c ");
        object_cache_remove(cache, KIND, NS, SLICE_LITERAL("a"));
        expect_owned(cache, "p", "d ");
        object_cache_assume(cache, KIND, json_doc_root(made));
        expect_owned(cache, "p", "d e ");
        object_cache_withdraw(cache, KIND, NS, SLICE_LITERAL("e"));
        object_cache_remove(cache, KIND, NS, SLICE_LITERAL("d"));
        expect_owned(cache, "p", "");
        json_doc_free(moved);
        json_doc_free(made);
        object_cache_free(cache);
}

/* What-ifs give back what was assumed before, too. */
static void test_rollback(void **state) {
        struct object_cache *cache = object_cache_new();
        (void)state;
        put_claim(cache, "7", "free");
        object_cache_checkpoint(cache);
        assume(cache, "tried");
        assume(cache, "tried again");
        expect_state(cache, "tried again");
        uint64_t version = object_cache_version(cache, KIND);
        object_cache_rollback(cache);
        expect_state(cache, "free");
        assert_false(is_pending(cache));
        assert_true(object_cache_version(cache, KIND) > version);
        assume(cache, "taken");
        object_cache_checkpoint(cache);
        assume(cache, "tried");
        object_cache_rollback(cache);
        expect_state(cache, "taken");
        assert_true(is_pending(cache));
        object_cache_free(cache);
}

/* The first of two writers is answered, or gives up: the other one is still at it. */
static void test_writers(void **state) {
        struct object_cache *cache = object_cache_new();
        (void)state;
        put_claim(cache, "7", "free");
        assume(cache, "taken");
        object_cache_join(cache, KIND, NS, SLICE_LITERAL("c"));
        assume(cache, "taken by two");
        object_cache_join(cache, KIND, NS, SLICE_LITERAL("c"));
        assert_true(object_cache_is_shared(cache, KIND, NS, SLICE_LITERAL("c")));
        object_cache_withdraw(cache, KIND, NS, SLICE_LITERAL("c"));
        expect_state(cache, "taken by two");
        assert_false(object_cache_is_shared(cache, KIND, NS, SLICE_LITERAL("c")));
        object_cache_join(cache, KIND, NS, SLICE_LITERAL("c"));
        object_cache_written(cache, KIND, NS, SLICE_LITERAL("c"), SLICE_LITERAL("8"));
        put_claim(cache, "8", "written by one");
        expect_state(cache, "taken by two");
        object_cache_written(cache, KIND, NS, SLICE_LITERAL("c"), SLICE_LITERAL("9"));
        put_claim(cache, "9", "written by both");
        expect_state(cache, "written by both");
        object_cache_free(cache);
}

/* The watch is late: what the first writer wrote outlasts a second one who gives up, whichever of
 * the two comes first. */
static void test_written_outlasts_withdrawn(void **state) {
        (void)state;
        for (int is_shared = 0; is_shared < 2; is_shared++) {
                struct object_cache *cache = object_cache_new();
                put_claim(cache, "7", "free");
                assume(cache, "taken");
                object_cache_join(cache, KIND, NS, SLICE_LITERAL("c"));
                if (is_shared) {
                        assume(cache, "taken twice");
                        object_cache_join(cache, KIND, NS, SLICE_LITERAL("c"));
                }
                object_cache_written(cache, KIND, NS, SLICE_LITERAL("c"), SLICE_LITERAL("9"));
                if (!is_shared) {
                        assume(cache, "taken twice");
                        object_cache_join(cache, KIND, NS, SLICE_LITERAL("c"));
                }
                put_claim(cache, "8", "free");
                object_cache_withdraw(cache, KIND, NS, SLICE_LITERAL("c"));
                expect_state(cache, "taken twice");
                put_claim(cache, "9", "taken");
                expect_state(cache, "taken");
                object_cache_free(cache);
        }
}

static void test_groups_know_their_own(void **state) {
        struct object_cache *cache = object_cache_new();
        (void)state;
        put_claim(cache, "7", "free");
        object_cache_begin_group(cache);
        assume(cache, "taken");
        assert_false(is_pending(cache));
        object_cache_end_group(cache);
        assert_true(is_pending(cache));
        object_cache_begin_group(cache);
        assert_true(is_pending(cache));
        object_cache_end_group(cache);
        object_cache_free(cache);
}

static void test_some_kinds_alone(void **state) {
        struct object_cache *cache = object_cache_new_of(CACHED_BIT(CACHED_DEVICE_CLASS));
        (void)state;
        put_claim(cache, "7", "free");
        assert_int_equal(object_cache_count(cache, KIND), 0);
        assert_false(object_cache_knows(cache, KIND));
        assert_true(object_cache_knows(cache, CACHED_DEVICE_CLASS));
        assert_false(object_cache_knows(NULL, CACHED_DEVICE_CLASS));
        object_cache_free(cache);
}

int main(void) {
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(test_assumption_lasts_until_seen),
                cmocka_unit_test(test_watch_comes_first),
                cmocka_unit_test(test_written_to_no_effect),
                cmocka_unit_test(test_unknown_version_ends_with_the_next),
                cmocka_unit_test(test_withdrawn_is_as_seen),
                cmocka_unit_test(test_new_object),
                cmocka_unit_test(test_changes),
                cmocka_unit_test(test_forgets_what_is_gone),
                cmocka_unit_test(test_owned),
                cmocka_unit_test(test_rollback),
                cmocka_unit_test(test_writers),
                cmocka_unit_test(test_written_outlasts_withdrawn),
                cmocka_unit_test(test_groups_know_their_own),
                cmocka_unit_test(test_some_kinds_alone),
        };
        return cmocka_run_group_tests(tests, NULL, NULL);
}
