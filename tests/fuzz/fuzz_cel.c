/* Expressions of validation rules: whatever compiles must run over the same object to an end, twice
 * alike, within its steps. */
#include "api/json.h"
#include "base/arena.h"
#include "cel/cel.h"
#include <assert.h>

#define STEPS 100000

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char schema_text[] =
        "{\"type\":\"object\",\"properties\":{\"s\":{\"type\":\"string\"},\"i\":{\"type\":"
        "\"integer\"},"
        "\"d\":{\"type\":\"number\"},\"t\":{\"type\":\"string\",\"format\":\"date-time\"},\"l\":{"
        "\"type\":\"array\",\"items\":{\"type\":\"string\"}},\"m\":{\"type\":\"object\","
        "\"additionalProperties\":{\"type\":\"integer\"}},\"x\":{\"x-kubernetes-int-or-string\":"
        "true}}}";
static const char object_text[] = "{\"s\":\"h\xc3\xa9llo\",\"i\":-3,\"d\":1.5,\"t\":"
                                  "\"2026-01-02T03:04:05Z\",\"l\":[\"a\",\"b\"],\"m\":{\"k\":1},"
                                  "\"x\":80}";

static enum cel_outcome run(const struct cel_program *program, struct arena *arena,
                            const struct json_node *object) {
        int64_t steps = STEPS;
        struct cel_input input = { object, object, arena, &steps };
        const char *text = NULL;
        enum cel_outcome outcome = cel_evaluate(program, &input, &text);

        assert(steps >= 0 && steps <= STEPS);
        assert((outcome == CEL_FAILED || outcome == CEL_TEXT) == !!text);
        return outcome;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
        struct arena arena;
        struct json_doc *schema = NULL;
        struct json_tree *tree = NULL;
        struct cel_program *program = NULL;
        struct cel_options options = { 0 };
        struct err err = { 0 };

        arena_init(&arena, 0);
        json_parse(slice_of(schema_text), &schema, NULL);
        json_tree_parse(slice_of(object_text), &tree, NULL);
        options.self = cel_type_of_schema(&arena, json_doc_root(schema), true);
        options.wants = size && data[0] % 2 ? CEL_WANTS_STRING : CEL_WANTS_BOOL;
        if (cel_compile(&arena, slice_make((const char *)data, size), &options, &program, &err) <
            0) {
                assert(err.code == BERTH_ERR_INVALID && *err.text);
        } else {
                enum cel_outcome first = run(program, &arena, json_tree_root(tree));

                assert(first == run(program, &arena, json_tree_root(tree)));
        }
        cel_program_release(program);
        json_tree_free(tree);
        json_doc_free(schema);
        arena_release(&arena);
        return 0;
}
