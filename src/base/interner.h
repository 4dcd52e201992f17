/* Counted string interner: equal strings share one id; an id whose count falls to zero is recycled.
 */
#pragma once

#include "base/slice.h"
#include <stddef.h>
#include <stdint.h>

struct str_id {
        uint32_t index; /* 0 = the empty string, always present and never counted */
};
#define STR_ID_EMPTY ((struct str_id){ 0 })
static inline bool str_id_eq(struct str_id a, struct str_id b) {
        return a.index == b.index;
}

struct interner;

struct interner *interner_new(void);
void interner_free(struct interner *interner); /* accepts NULL */
/* Returns the id with its count raised by one. */
struct str_id interner_add(struct interner *interner, struct slice text);
/* Looks up without counting; index 0 with *ret_found false when absent (ret_found may be NULL). */
struct str_id interner_find(const struct interner *interner, struct slice text, bool *ret_found);
void interner_ref(struct interner *interner, struct str_id id);
void interner_unref(struct interner *interner, struct str_id id);
/* Text of a live id: NUL-terminated, address stable for as long as the id is counted. */
struct slice interner_text(const struct interner *interner, struct str_id id);
size_t interner_count(const struct interner *interner); /* live strings without the empty one */
size_t interner_bytes(const struct interner *interner); /* memory held */
