/* A text file that is in the program; scripts/embed_text.py makes arrays of it. */
#pragma once

#include <stddef.h>

struct embedded_text {
        const char *text; /* NULL at the end of the list */
        size_t size;
};
