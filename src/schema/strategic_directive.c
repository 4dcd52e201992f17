/* Directives of strategic merge patches: what is copied of them, what is wrong with them. */
#include "schema/strategic_merge_priv.h"

#include "base/arena.h"
#include "base/err.h"
#include "base/pace.h"
#include "schema/go_text.h"

int strategic_fail(struct merge *merge, const char *text) {
        buf_text(merge->complaint, text);
        return BERTH_ERR_INTERNAL;
}

int strategic_fail_directive(struct merge *merge, const struct json *patch) {
        CLEANUP(buf_release) struct buf text = { 0 };

        buf_text(&text, "unknown patch type: ");
        go_string_write(json_get(patch, "$patch"), &text);
        buf_text(&text, " in map: ");
        go_text_write(patch, &text);
        return strategic_fail(merge, text.data);
}

/* The type of nothing is no type, which Go says in its way. */
int strategic_fail_type(struct merge *merge, const char *wanted, const struct json *value) {
        buf_printf(merge->complaint, "expected a %s, but received a %s", wanted,
                   json_type(value) == JSON_NULL ? "%!s(<nil>)" : go_type_name(value));
        return BERTH_ERR_INTERNAL;
}

int strategic_fail_stored_type(struct merge *merge, const char *wanted,
                               const struct json_node *value) {
        CLEANUP(cleanup_json_doc) struct json_doc *doc = json_doc_of(value);

        return strategic_fail_type(merge, wanted, json_doc_root(doc));
}

bool strategic_has_order(const struct json *value) {
        return json_type(value) == JSON_OBJECT && json_get(value, "$patch");
}

struct json_node *strategic_copy(struct merge *merge, const struct json *value) {
        struct json_iter iter = json_iter(value);
        const struct json *child;
        struct json_node *copy;
        struct slice key;

        pace_step();
        if (json_type(value) == JSON_OBJECT) {
                copy = node_object(merge->tree);
                while (json_next(&iter, &key, &child)) {
                        if (!strategic_has_order(child) && json_type(child) != JSON_NULL)
                                node_set(merge->tree, copy, key, strategic_copy(merge, child));
                }
                return copy;
        }
        if (json_type(value) == JSON_ARRAY) {
                copy = node_array(merge->tree);
                while (json_next(&iter, NULL, &child)) {
                        if (strategic_has_order(child))
                                continue;
                        node_append(copy, strategic_copy(merge, child));
                }
                return copy;
        }
        return node_import(merge->tree, value);
}
