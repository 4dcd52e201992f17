/* The files of the page, from ui/, in the program. */
#pragma once

#include "base/embedded_text.h"

/* In the order of the table in ui_files.c; made from ui/. */
extern const struct embedded_text ui_texts[];

struct ui_file {
        const char *path, *type; /* of its address, and its Content-Type */
};
extern const struct ui_file ui_files[]; /* ended by a NULL path */
