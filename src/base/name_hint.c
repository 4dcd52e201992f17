/* Distances between what was typed and what would have been right. */
#include "base/name_hint.h"

#include <string.h>
#include <strings.h>

#define NAME_LENGTH_MAX 64
#define DISTANCE_MAX 2

static size_t name_hint_least(size_t a, size_t b, size_t c) {
        size_t least = a < b ? a : b;
        return least < c ? least : c;
}

static size_t name_hint_distance(struct slice a, const char *name) {
        size_t row[NAME_LENGTH_MAX + 1], length = strlen(name);
        if (a.len > NAME_LENGTH_MAX || length > NAME_LENGTH_MAX)
                return NAME_LENGTH_MAX;
        for (size_t j = 0; j <= length; j++)
                row[j] = j;
        for (size_t i = 1; i <= a.len; i++) {
                size_t diagonal = row[0];
                row[0] = i;
                for (size_t j = 1; j <= length; j++) {
                        size_t cost = a.ptr[i - 1] == name[j - 1] ? 0 : 1;
                        size_t next = name_hint_least(row[j] + 1, row[j - 1] + 1, diagonal + cost);
                        diagonal = row[j];
                        row[j] = next;
                }
        }
        return row[length];
}

struct name_hint name_hint_start(struct slice typed) {
        return (struct name_hint){ .typed = typed, .steps = DISTANCE_MAX + 1 };
}

void name_hint_try(struct name_hint *hint, const char *name) {
        size_t steps = name_hint_distance(hint->typed, name);
        bool is_same = hint->typed.len == strlen(name) &&
                       strncasecmp(hint->typed.ptr, name, hint->typed.len) == 0;
        if (is_same)
                steps = 0;
        if (steps >= hint->steps || (!is_same && steps * 3 > hint->typed.len))
                return;
        hint->best = name;
        hint->steps = steps;
}
