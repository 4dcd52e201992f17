/* Shared by the files that estimate costs: amounts that do not overflow, sizes, and what is known
 * of a value. */
#pragma once

#include "cel/cel_node.h"
#include <math.h>

#define UNBOUNDED UINT64_MAX
#define TRAVERSAL 0.1

struct extent {
        uint64_t min, max;
};
#define UNKNOWN_EXTENT ((struct extent){ 0, UNBOUNDED })

/* Where in the schema a value stands. */
enum cel_place { PLACE_NONE, PLACE_KNOWN, PLACE_LOST };

struct estimate {
        uint64_t cost;
        bool has_size;
        struct extent size;
        /* Of a container that was made. */
        bool has_entries, is_list;
        struct extent keys, values; /* sizes of what it holds */
        enum cel_place place;
        const struct cel_type *type; /* at that place */
};

static inline uint64_t cost_plus(uint64_t a, uint64_t b) {
        return a > UNBOUNDED - b ? UNBOUNDED : a + b;
}

static inline uint64_t cost_times(uint64_t a, uint64_t b) {
        return b && a > UNBOUNDED / b ? UNBOUNDED : a * b;
}

static inline uint64_t cost_scaled(uint64_t a, double factor) {
        double product = ceil((double)a * factor);

        return product >= 18446744073709551616.0 ? UNBOUNDED : (uint64_t)product;
}

static inline struct extent extent_union(struct extent a, struct extent b) {
        return (struct extent){ a.min < b.min ? a.min : b.min, a.max > b.max ? a.max : b.max };
}

static inline struct extent extent_plus(struct extent a, struct extent b) {
        return (struct extent){ cost_plus(a.min, b.min), cost_plus(a.max, b.max) };
}

static inline struct extent extent_times(struct extent a, struct extent b) {
        return (struct extent){ cost_times(a.min, b.min), cost_times(a.max, b.max) };
}

static inline struct extent extent_of(const struct estimate *value) {
        return value->has_size ? value->size : UNKNOWN_EXTENT;
}

static inline const struct cel_type *place_element(const struct estimate *from) {
        return from->place == PLACE_KNOWN ? cel_type_items(from->type) : NULL;
}

static inline bool is_text_type(const struct cel_type *type) {
        return type->kind == CEL_STRING || type->kind == CEL_BYTES;
}

/* What a call costs beside its arguments, the target among them first; with what is known of what
 * it returns. args: as many as the node has, ESTIMATED_ARGS_MAX at most. */
#define ESTIMATED_ARGS_MAX 4
uint64_t cel_estimate_call(const struct cel_node *node, const struct estimate *args,
                           struct estimate *value);
/* What it takes to compare two elements that are sorted. */
double cel_sort_factor(const struct cel_type *element);
