/* A check under way, and how its parts report what they find. */
#pragma once

#include "base/arena.h"
#include "cmd/config_findings.h"
#include "config/document.h"
#include <stdbool.h>
#include <stddef.h>

struct program;
struct config_served;

struct config_check {
        const struct program *tables; /* of the options in manifests */
        bool is_parity;
        struct config_findings findings;
        size_t checked_count, skipped_count; /* objects */
        size_t failed_count;                 /* files that could not be read */
        struct config_served *served;        /* made when the first object needs it */
        unsigned nesting;                    /* of kustomizations */
        struct arena arena;
};
/* An object of a file. */
struct config_object {
        const struct document *document;
        const struct json *value;
        struct slice api_version, kind;
        const char *path; /* in the document: "" or items[3] */
};

/* A finding at a path below the object's value, as printf has it. */
void config_check_refuse(struct config_check *check, const struct config_object *object,
                         const char *path, const char *format, ...)
        __attribute__((format(printf, 4, 5)));
void config_check_warn(struct config_check *check, const struct config_object *object,
                       const char *path, const char *format, ...)
        __attribute__((format(printf, 4, 5)));
