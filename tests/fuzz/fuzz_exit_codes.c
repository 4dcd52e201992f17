/* Sets of exit codes as policies write them: a code is in an accepted set when some range names it
 * and none excludes it; exclusions alone take every failure else, and 0 is none. */
#include "plugins/desched/exit_codes.h"
#include <assert.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(const struct exit_code_set *set, int32_t code) {
        bool is_in = false, is_excluded = false;

        for (size_t i = 0; i < set->count; i++) {
                const struct exit_code_range *range = &set->ranges[i];
                bool holds = code >= range->min && code <= range->max;

                assert(range->min <= range->max);
                is_in |= holds && !range->is_excluded;
                is_excluded |= holds && range->is_excluded;
        }
        is_in |= set->only_excludes && code != 0;
        assert(exit_code_set_has(set, code) == (is_in && !is_excluded));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
        struct config_problems *problems = config_problems_new();
        struct exit_code_set set = { 0 };
        struct json_doc *doc = NULL;
        struct arena arena;
        struct field_reader reader = { .arena = &arena, .problems = problems };

        arena_init(&arena, 0);
        if (json_parse(slice_make((const char *)data, size), &doc, NULL) == 0)
                exit_code_set_decode(&reader, json_doc_root(doc), &set);
        if (doc && config_problems_to_err(problems, NULL) == 0 && set.count > 0)
                for (int32_t code = -2; code < 260; code++)
                        check(&set, code);
        json_doc_free(doc);
        config_problems_free(problems);
        arena_release(&arena);
        return 0;
}
