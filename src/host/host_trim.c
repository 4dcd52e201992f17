/* Finds mappings of files that are read-only and were not written to. */
#include "host/host_trim.h"

#include <malloc.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define MAPPINGS_MAX 512 /* the rest stays as it is */

struct mapping {
        uintptr_t begin, end;
        bool is_clean_file; /* so far */
};

/* "7f00-7f80 r-xp 00000000 08:01 42   /usr/lib/x.so": the head of a mapping's paragraph */
static bool read_head(const char *line, struct mapping *ret_mapping) {
        char *rest;
        uintptr_t begin = strtoul(line, &rest, 16), end;

        if (rest == line || *rest != '-')
                return false;
        end = strtoul(rest + 1, &rest, 16);
        if (rest[0] != ' ' || strlen(rest) < 5)
                return false;
        *ret_mapping = (struct mapping){ begin, end,
                                         rest[1] == 'r' && rest[2] == '-' && strchr(rest, '/') };
        return true;
}

/* Pages with content of their own (relocations made read-only afterwards) must stay. */
static bool shows_content(const char *line) {
        static const char *const names[] = { "Anonymous:", "Private_Dirty:", "Shared_Dirty:" };
        for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
                if (strncmp(line, names[i], strlen(names[i])) == 0)
                        return strtoul(line + strlen(names[i]), NULL, 10) > 0;
        return false;
}

struct mappings {
        size_t count;
        struct mapping items[MAPPINGS_MAX];
};

static void host_trim_keep(struct mappings *found, const struct mapping *mapping) {
        if (mapping->is_clean_file && found->count < MAPPINGS_MAX)
                found->items[found->count++] = *mapping;
}

static void host_trim_find(FILE *file, struct mappings *ret_found) {
        struct mapping mapping = { 0 }, next;
        char line[512];

        ret_found->count = 0;
        while (fgets(line, sizeof(line), file)) {
                if (read_head(line, &next)) {
                        host_trim_keep(ret_found, &mapping);
                        mapping = next;
                } else if (shows_content(line)) {
                        mapping.is_clean_file = false;
                }
        }
        host_trim_keep(ret_found, &mapping);
}

/* All are found before the first one goes: reading would only bring pages back. */
size_t host_trim(void) {
        FILE *file = fopen("/proc/self/smaps", "re");
        struct mappings found;
        size_t total = 0;

        if (!file)
                return 0;
        host_trim_find(file, &found);
        fclose(file);
        malloc_trim(0);
        for (size_t i = 0; i < found.count; i++) {
                const struct mapping *mapping = &found.items[i];
                size_t size = mapping->end - mapping->begin;

                if (madvise((void *)mapping->begin, size, MADV_DONTNEED) == 0)
                        total += size;
        }
        return total;
}
