/* Answers recorded quantity cases. */
#include "api/quantity.h"
#include "api/replay.h"
#include <stdio.h>

static const char *const format_names[] = {
        [QUANTITY_DECIMAL_SI] = "DecimalSI",
        [QUANTITY_BINARY_SI] = "BinarySI",
        [QUANTITY_DECIMAL_EXPONENT] = "DecimalExponent",
};

static void put_sign(struct json_tree *tree, struct json_node *expect, int sign) {
        node_put_string(tree, expect, "sign", sign < 0 ? "-" : sign > 0 ? "+" : "0");
}

/* 64-bit integers are written as strings, because readers of JSON may use doubles. */
static void put_i64(struct json_tree *tree, struct json_node *expect, const char *key,
                    int64_t value) {
        char text[24];
        snprintf(text, sizeof(text), "%lld", (long long)value);
        node_put_string(tree, expect, key, text);
}

static struct json_node *replay_quantity_describe(struct json_tree *tree, struct slice text) {
        struct json_node *expect = node_object(tree);
        struct quantity_info info;
        struct err problem = { 0 };
        if (quantity_describe(text, &info, &problem) < 0) {
                node_put_string(tree, expect, "error", problem.text);
                return expect;
        }
        node_put_string(tree, expect, "canonical", info.canonical);
        if (strcmp(info.canonical, info.string) != 0)
                node_put_string(tree, expect, "string", info.string);
        node_put_string(tree, expect, "format", format_names[info.format]);
        put_i64(tree, expect, "value", info.value);
        put_i64(tree, expect, "milli", info.milli);
        put_sign(tree, expect, info.sign);
        return expect;
}

int replay_quantity_case(const struct json *test_case, struct buf *out, struct err *err) {
        const struct json *in = json_get(test_case, "in");
        if (json_type(in) != JSON_STRING)
                return err_set(err, BERTH_ERR_BAD_REQUEST, "quantity case without a string \"in\"");
        struct json_tree *tree = json_tree_new();
        struct json_node *result = node_object(tree);
        node_put_text(tree, result, "name", json_get_text(test_case, "name"));
        node_put(tree, result, "expect", replay_quantity_describe(tree, json_text(in)));
        bool ok = node_write(result, out);
        json_tree_free(tree);
        return ok ? 0 : err_set(err, BERTH_ERR_TOO_LARGE, "no room for the result");
}
