/* Index sets: runs of numbers, written as ranges. */
#include "control/index_set.h"

static void add_range(struct slice part, size_t limit, struct bitset *set) {
        struct slice rest = part, first = SLICE_EMPTY, last = SLICE_EMPTY;
        uint64_t low, high;

        slice_split(&rest, '-', &first);
        if (!slice_split(&rest, '-', &last))
                last = first;
        if (!slice_to_u64(first, &low) || !slice_to_u64(last, &high))
                return;
        for (uint64_t i = low; i <= high && i < limit; i++)
                bitset_add(set, (size_t)i);
}

void index_set_parse(struct slice text, size_t limit, struct bitset *set) {
        struct slice rest = text, part;

        while (text.len && slice_split(&rest, ',', &part))
                add_range(part, limit, set);
}

void index_set_write(const struct bitset *set, size_t limit, struct buf *out) {
        size_t first = bitset_next(set, 0);

        while (first < limit) {
                size_t last = first;

                while (last + 1 < limit && bitset_has(set, last + 1))
                        last++;
                buf_printf(out, "%s%zu", out->len ? "," : "", first);
                if (last > first)
                        buf_printf(out, "%c%zu", last == first + 1 ? ',' : '-', last);
                first = bitset_next(set, last + 1);
        }
}
