/* Sets of texts. */
#include "base/text_set.h"

#include "base/map.h"

static void text_set_hash(struct text_set *set) {
        set->map = map_new();
        for (size_t i = 0; i < set->count; i++)
                map_put(set->map, set->few[i], set);
}

bool text_set_add(struct text_set *set, struct slice text) {
        if (text_set_has(set, text))
                return false;
        if (!set->map && set->count == TEXT_SET_FEW)
                text_set_hash(set);
        if (set->map)
                map_put(set->map, text, set);
        else
                set->few[set->count] = text;
        set->count++;
        return true;
}

bool text_set_has(const struct text_set *set, struct slice text) {
        if (set->map)
                return map_get(set->map, text);
        for (size_t i = 0; i < set->count; i++) {
                if (slice_eq(set->few[i], text))
                        return true;
        }
        return false;
}

void text_set_release(struct text_set *set) {
        map_free(set->map);
        *set = (struct text_set){ 0 };
}

void text_part_add(struct buf *text, struct slice part) {
        buf_printf(text, "%zu:", part.len);
        buf_slice(text, part);
}
