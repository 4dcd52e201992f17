/* All functions that expressions may call. */
#include "cel/cel_function.h"

#include "base/util.h"

const struct cel_function *cel_function_next(struct slice name, bool is_member, size_t *at) {
        static const struct cel_function_set *const sets[] = {
                &cel_address_functions, &cel_arithmetic_functions,    &cel_basic_functions,
                &cel_format_functions,  &cel_list_functions,          &cel_semver_functions,
                &cel_search_functions,  &cel_string_format_functions, &cel_string_functions,
                &cel_time_functions,    &cel_url_functions,           &cel_access_functions,
        };
        size_t before = 0;

        for (size_t i = 0; i < ARRAY_LEN(sets); before += sets[i++]->count) {
                while (*at < before + sets[i]->count) {
                        const struct cel_function *row = &sets[i]->rows[(*at)++ - before];

                        if (row->is_member == is_member && slice_is(name, row->name))
                                return row;
                }
        }
        return NULL;
}
