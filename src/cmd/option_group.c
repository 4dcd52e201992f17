/* Tables of options with their groups in place. */
#include "cmd/option_table.h"

#include <string.h>

static bool option_is_end(const struct option *option) {
        return !option->name && !option->group;
}

static size_t options_count(const struct option *options) {
        size_t count = 0;

        for (; options && !option_is_end(options); options++)
                count += options->group ? options_count(options->group) : 1;
        return count;
}

/* The option as its group has it. */
static struct option option_in_group(const struct option *group, const struct option *option) {
        struct option inner = *option;

        inner.offset += group->offset;
        if (inner.presence)
                inner.presence += group->offset;
        for (const struct option_default *d = group->defaults; d && d->name; d++)
                if (strcmp(d->name, inner.name) == 0)
                        inner.fallback = d->fallback;
        return inner;
}

/* Returns the place behind the last. */
static struct option *options_put(const struct option *options, struct option *place) {
        for (; options && !option_is_end(options); options++) {
                struct option *first = place;

                if (!options->group) {
                        *place++ = *options;
                        continue;
                }
                place = options_put(options->group, place);
                for (struct option *inner = first; inner < place; inner++)
                        *inner = option_in_group(options, inner);
        }
        return place;
}

const struct option *options_expand(const struct option *options, struct arena *arena) {
        struct option *all = ARENA_ARRAY(arena, struct option, options_count(options) + 1);

        *options_put(options, all) = (struct option){ 0 };
        return all;
}
