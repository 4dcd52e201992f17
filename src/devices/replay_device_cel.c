/* Answers recorded cases about selectors of devices. */
#include "devices/replay_device_cel.h"

#include "cel/cel_device.h"

/* What one case is answered with. */
struct device_answer {
        const struct json *test_case;
        struct json_tree *tree;
        struct json_node *expect;
        struct arena *arena;
};

static void put_error(const struct device_answer *answer, const char *member, const char *text) {
        node_put_string(answer->tree, answer->expect, member, "other");
        node_put_string(answer->tree, answer->expect, "text", text);
}

static int replay_device_cel_run(const struct device_answer *answer,
                                 const struct cel_program *program,
                                 const struct cel_device_gates *gates, struct err *err) {
        const struct json *written = json_get(answer->test_case, "device");
        const struct cel_value *value;
        struct err problem = { 0 };
        struct device device;
        const char *text;

        if (device_decode(written, answer->arena, &device, err) < 0)
                return err->code;
        if (cel_device_value(answer->arena, &device, json_get_text(written, "driver"), gates,
                             &value, &problem) < 0) {
                put_error(answer, "runtimeError", problem.text);
                return 0;
        }
        enum cel_outcome outcome = cel_device_matches(program, value, answer->arena, &text);
        if (outcome == CEL_TRUE || outcome == CEL_FALSE)
                node_put_bool(answer->tree, answer->expect, "result", outcome == CEL_TRUE);
        else
                put_error(answer, "runtimeError", text);
        return 0;
}

static int replay_device_cel_answer(const struct device_answer *answer, struct err *err) {
        const struct json *named = json_get(answer->test_case, "featureGates");
        const struct cel_device_gates gates = {
                .has_lists = json_get_bool(named, "DRAListTypeAttributes", false),
                .has_shares = true /* the gate stops the API server, not the scheduler */
        };
        struct cel_program *program;
        struct err problem = { 0 };

        if (cel_device_compile(answer->arena, json_get_text(answer->test_case, "expression"),
                               &gates, &program, &problem) < 0) {
                put_error(answer, "compileError", problem.text);
                return 0;
        }
        int code = replay_device_cel_run(answer, program, &gates, err);
        cel_program_release(program);
        return code;
}

int replay_device_cel_case(const struct json *test_case, struct buf *out, struct err *err) {
        if (json_type(test_case) != JSON_OBJECT)
                return err_set(err, BERTH_ERR_BAD_REQUEST, "case is not an object");
        struct arena arena;
        arena_init(&arena, 0);
        struct json_tree *tree = json_tree_new();
        struct json_node *result = node_object(tree), *expect = node_object(tree);
        node_put_text(tree, result, "name", json_get_text(test_case, "name"));
        node_put(tree, result, "expect", expect);
        int code = replay_device_cel_answer(
                &(struct device_answer){ test_case, tree, expect, &arena }, err);
        if (code == 0 && !node_write(result, out))
                code = err_set(err, BERTH_ERR_TOO_LARGE, "no room for the result");
        json_tree_free(tree);
        arena_release(&arena);
        return code;
}
