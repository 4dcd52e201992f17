/* What the tests of kinds share: objects from JSON text brought through the hooks of their row, as
 * the request engine does it, against a handful of other objects instead of a store. */
#pragma once

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "api/json.h"
#include "base/arena.h"
#include "base/util.h"
#include "kinds/gated_fields.h"
#include "kinds/kind.h"
#include "schema/schema.h"
#include <stdlib.h>
#include <string.h>

#define TEST_NOW "2026-01-01T00:00:10Z"

/* Objects that look-ups find; NULL-ended. resource is "group/plural", "/plural" for core. */
struct other_object {
        const char *resource, *json;
};

struct kind_test {
        struct arena arena;
        const struct kind_info *kind;
        struct kind_context context;
        struct json_tree *tree;
        struct json_node *object;
        struct json_doc *old_doc;
        const struct json *old; /* NULL = create */
        const struct other_object *others;
        struct json_doc *docs[32];
        size_t doc_count;
        struct field_errors errors;
        struct err err;
};

static inline bool is_resource(const char *resource, const char *group, const char *plural) {
        size_t length = strlen(group);

        return strncmp(resource, group, length) == 0 && resource[length] == '/' &&
               strcmp(resource + length + 1, plural) == 0;
}

static inline const struct json *other_json(struct kind_test *test, const char *text) {
        struct json_doc *doc = NULL;

        assert_true(test->doc_count < ARRAY_LEN(test->docs));
        assert_int_equal(json_parse(slice_of(text), &doc, NULL), 0);
        test->docs[test->doc_count++] = doc;
        return json_doc_root(doc);
}

static inline const struct json *other_lookup(void *engine, const char *group, const char *plural,
                                              struct slice ns, struct slice name) {
        struct kind_test *test = engine;

        (void)ns;
        for (size_t i = 0; test->others && test->others[i].resource; i++) {
                const struct json *other;

                if (!is_resource(test->others[i].resource, group, plural))
                        continue;
                other = other_json(test, test->others[i].json);
                if (slice_eq(json_get_text(json_get(other, "metadata"), "name"), name))
                        return other;
        }
        return NULL;
}

static inline void other_each(void *engine, const char *group, const char *plural, struct slice ns,
                              bool (*visit)(void *context, const struct json *object),
                              void *context) {
        struct kind_test *test = engine;

        (void)ns;
        for (size_t i = 0; test->others && test->others[i].resource; i++)
                if (is_resource(test->others[i].resource, group, plural) &&
                    !visit(context, other_json(test, test->others[i].json)))
                        return;
}

static inline bool masters_only(void *engine, const struct access_question *question,
                                const char **ret_reason) {
        (void)engine;
        *ret_reason = "";
        for (size_t i = 0; i < question->group_count; i++)
                if (slice_is(question->groups[i], "system:masters"))
                        return true;
        return false;
}

/* Starts with the object of JSON text; old may be NULL. */
static inline void kind_test_begin(struct kind_test *test, const char *api_version,
                                   const char *kind, const char *json, const char *old) {
        static const struct slice groups[] = { { "system:masters", 14 } };

        *test = (struct kind_test){ 0 };
        arena_init(&test->arena, 0);
        test->kind = kind_find_by_kind(slice_of(api_version), slice_of(kind));
        assert_non_null(test->kind);
        test->context = (struct kind_context){
                .kind = test->kind,
                .scratch = &test->arena,
                .user = { .name = SLICE_LITERAL("kubernetes-admin"),
                          .groups = groups,
                          .group_count = 1 },
                .engine = test,
                .lookup = other_lookup,
                .each = other_each,
                .authorize = masters_only,
        };
        assert_true(wall_time_parse(slice_of(TEST_NOW), &test->context.now));
        test->errors.arena = &test->arena;
        assert_int_equal(json_tree_parse(slice_of(json), &test->tree, &test->err), 0);
        test->object = json_tree_root(test->tree);
        if (old) {
                assert_int_equal(json_parse(slice_of(old), &test->old_doc, &test->err), 0);
                test->old = json_doc_root(test->old_doc);
        }
}

static inline void kind_test_end(struct kind_test *test) {
        for (size_t i = 0; i < test->doc_count; i++)
                json_doc_free(test->docs[i]);
        json_doc_free(test->old_doc);
        json_tree_free(test->tree);
        arena_release(&test->arena);
}

static inline int kind_test_normalise(struct kind_test *test) {
        const struct schema_object *schema =
                schema_find(slice_of(test->kind->group), slice_of(test->kind->version),
                            slice_of(test->kind->kind));

        assert_non_null(schema);
        return schema_normalise(schema, test->tree, test->object, NULL, &test->err);
}

/* The write path of the engine, without metadata: 0, or the error of decoding or admission. */
static inline int kind_test_write(struct kind_test *test, enum kind_operation operation) {
        const struct kind_info *kind = test->kind;
        int r = kind_test_normalise(test);

        if (r < 0)
                return r;
        if (kind->apply_defaults)
                kind->apply_defaults(test->tree, test->object);
        if (kind->admit)
                r = kind->admit(&test->context, operation, test->tree, test->object, test->old,
                                &test->err);
        if (r < 0)
                return r;
        if (operation != KIND_UPDATE_STATUS)
                gated_fields_drop(&test->context, test->object, test->old);
        if (kind->prepare)
                kind->prepare(&test->context, operation, test->tree, test->object, test->old);
        assert_int_equal(kind_test_normalise(test), 0);
        if (kind->validate)
                kind->validate(&test->context, operation, test->object, test->old, &test->errors);
        return kind->judge
                       ? kind->judge(&test->context, KIND_CREATE, test->object, NULL, &test->err)
                       : 0;
}

/* "path: message" of every error, one per line. */
static inline char *kind_test_complaints(struct kind_test *test) {
        struct buf text = { 0 };

        for (size_t i = 0; i < test->errors.count; i++)
                buf_printf(&text, "%s%s: %s", i ? "\n" : "", test->errors.items[i].path,
                           test->errors.items[i].message);
        return text.data ? buf_take(&text, NULL) : slice_dup(SLICE_EMPTY);
}

/* Value at a dotted path; digits index lists. */
static inline const struct json_node *node_walk(const struct json_node *node, const char *path) {
        struct slice rest = slice_of(path), part;

        while (node && slice_split(&rest, '.', &part)) {
                uint64_t index;

                if (node_type(node) == JSON_ARRAY && slice_to_u64(part, &index))
                        node = node_at(node, (size_t)index);
                else
                        node = node_find(node, part);
        }
        return node;
}

static inline void assert_json_at(const struct json_node *object, const char *path,
                                  const char *expected) {
        const struct json_node *value = node_walk(object, path);
        struct json_tree *tree = NULL;
        struct buf text = { 0 };

        if (!expected) {
                assert_null(value);
                return;
        }
        if (!value)
                fail_msg("%s: missing, expected %s", path, expected);
        assert_int_equal(json_tree_parse(slice_of(expected), &tree, NULL), 0);
        node_write(value, &text);
        if (!node_equal(value, json_tree_root(tree)))
                fail_msg("%s: expected %s, got %s", path, expected, text.data);
        buf_release(&text);
        json_tree_free(tree);
}
