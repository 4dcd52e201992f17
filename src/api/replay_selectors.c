/* Answers recorded selector cases. */
#include "api/replay.h"
#include "api/selector.h"

static struct json_node *replay_selectors_matches(struct json_tree *tree, const struct json *labels,
                                                  const struct selector *selector,
                                                  struct arena *arena) {
        struct json_node *list = node_array(tree);
        struct json_iter iter = json_iter(labels);
        const struct json *set;
        while (json_next(&iter, NULL, &set)) {
                bool is_match = selector_matches(selector, label_list_decode(set, arena));
                node_append(list, node_bool(tree, is_match));
        }
        return list;
}

static struct json_node *replay_selectors_answer(struct json_tree *tree,
                                                 const struct json *test_case,
                                                 struct arena *arena) {
        struct json_node *expect = node_object(tree);
        const struct json *text = json_get(test_case, "string");
        struct selector selector;
        struct err problem = { 0 };
        int r = text ? selector_parse(json_text(text), arena, &selector, &problem)
                     : selector_decode(json_get(test_case, "selector"), arena, &selector, &problem);
        if (r < 0) {
                node_put_string(tree, expect, "error", problem.text);
                return expect;
        }
        struct buf canonical = { 0 };
        selector_print(&selector, &canonical);
        node_put_text(tree, expect, "canonical", buf_view(&canonical));
        buf_release(&canonical);
        if (selector_is_empty(&selector))
                node_put_bool(tree, expect, "empty", true);
        node_put(tree, expect, "match",
                 replay_selectors_matches(tree, json_get(test_case, "labels"), &selector, arena));
        return expect;
}

int replay_selectors_case(const struct json *test_case, struct buf *out, struct err *err) {
        if (json_type(test_case) != JSON_OBJECT)
                return err_set(err, BERTH_ERR_BAD_REQUEST, "selector case is not an object");
        struct arena arena;
        arena_init(&arena, 0);
        struct json_tree *tree = json_tree_new();
        struct json_node *result = node_object(tree);
        node_put_text(tree, result, "name", json_get_text(test_case, "name"));
        node_put(tree, result, "expect", replay_selectors_answer(tree, test_case, &arena));
        bool ok = node_write(result, out);
        json_tree_free(tree);
        arena_release(&arena);
        return ok ? 0 : err_set(err, BERTH_ERR_TOO_LARGE, "no room for the result");
}
