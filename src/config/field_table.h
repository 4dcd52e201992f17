/* Configuration through tables: one static table per configuration struct yields parsing, defaults,
 * validation, explanation and the manual's section.  Errors name file, line, field path and what
 * was expected; several are collected, and nothing is half-applied: the struct is only valid when
 * none was found. */
#pragma once

#include "api/json.h"
#include "base/arena.h"
#include "base/err.h"
#include "base/util.h"
#include "config/document.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum field_type {
        FIELD_BOOL,     /* bool */
        FIELD_I32,      /* int32_t */
        FIELD_I64,      /* int64_t */
        FIELD_U32,      /* uint32_t: negative numbers are errors of type */
        FIELD_F64,      /* double; integers are accepted */
        FIELD_TEXT,     /* struct slice, in the arena, NUL-terminated */
        FIELD_DURATION, /* int64_t nanoseconds, Go syntax, strings only */
        FIELD_QUANTITY, /* int64_t units (cpu: see FIELD_MILLI) of a Kubernetes quantity */
        FIELD_MILLI,    /* int64_t thousandths of a quantity */
        FIELD_CHOICE,   /* int: index in choices */
        FIELD_TEXTS,    /* struct text_list */
        FIELD_STRUCT,   /* embedded struct described by fields */
        FIELD_POINTER,  /* pointer to a struct of item_size described by fields; NULL when absent */
        FIELD_LIST,     /* struct item_list of structs of item_size described by fields */
        FIELD_MAP,    /* struct item_list of structs whose first member is the key (struct slice) */
        FIELD_JSON,   /* const struct json * of the document, left as it is; NULL when absent */
        FIELD_CUSTOM, /* decode() fills the member */
};

struct text_list {
        size_t count;
        struct slice *items;
};
struct item_list {
        size_t count;
        void *items; /* array of the element struct, in the arena */
};

struct field_reader;

#define FIELD_NO_PRESENCE SIZE_MAX
#define FIELD_REQUIRED 1u   /* absent is an error */
#define FIELD_DEPRECATED 2u /* accepted, with a warning */
#define FIELD_NON_EMPTY 4u  /* text or list must not be empty when given */

struct field {
        const char *name; /* as written, case-sensitive */
        enum field_type type;
        size_t offset;              /* of the member */
        size_t presence;            /* offset of a bool set when given; 0 or FIELD_NO_PRESENCE =
                                       none, so it cannot be the first member */
        unsigned flags;             /* FIELD_REQUIRED ... */
        bool is_bounded;            /* min and max count */
        int64_t min, max;           /* numbers, durations (ns), amounts; inclusive */
        const char *const *choices; /* FIELD_CHOICE: NULL-ended */
        const char *fallback;       /* default as JSON text ("30", "\"5m\"", "[]"); NULL = zero */
        /* STRUCT, POINTER, LIST, MAP: table ended by a NULL name. A LIST or MAP whose table has one
         * row named "" holds plain values (numbers, durations ...) instead of mappings: the row
         * says where in the element. */
        const struct field *fields;
        size_t item_size; /* POINTER, LIST, MAP */
        const char *help; /* one sentence for --explain and the manual */
        /* FIELD_CUSTOM: fills member from value, reporting through field_problem. */
        void (*decode)(struct field_reader *reader, const struct json *value, void *member);
        /* Extra rule on the decoded member; reports through field_problem. */
        void (*check)(struct field_reader *reader, const struct json *value, const void *member);
        /* FIELD_CUSTOM: adds the member to object; NULL = left out of fields_encode. */
        void (*encode)(struct json_tree *tree, struct json_node *object, const char *name,
                       const void *member);
};
#define FIELD_END                                                                                  \
        { 0 }

/* What was found wrong while reading, in document order. All have code BERTH_ERR_INVALID. */
#define CONFIG_PROBLEMS_MAX 64
struct config_problems {
        size_t count; /* may exceed the number stored */
        struct err items[CONFIG_PROBLEMS_MAX];
        size_t warning_count;
        struct err warnings[CONFIG_PROBLEMS_MAX];
};
struct config_problems *config_problems_new(void);
void config_problems_free(struct config_problems *problems); /* accepts NULL */
/* All problems, one per line, as err_format writes them. */
void config_problems_print(const struct config_problems *problems, struct buf *out);
/* Takes up a copy of err: a complaint from elsewhere that belongs to the same file. */
void config_problems_add(struct config_problems *problems, const struct err *err);
/* Reports every key written twice in the document as a problem. */
void config_problems_add_duplicates(struct config_problems *problems,
                                    const struct document *document);
/* Folds them into one err: the only one, or "N problems: [first, second, ...]"; returns its code, 0
 * when there are none. */
int config_problems_to_err(const struct config_problems *problems, struct err *err);

enum unknown_rule { UNKNOWN_IS_ERROR, UNKNOWN_IS_WARNING, UNKNOWN_IS_IGNORED };

struct field_reader {
        const struct document *document; /* for positions; NULL = none */
        struct arena *arena;             /* everything decoded lives here */
        struct config_problems *problems;
        enum unknown_rule unknown;
        void *context;           /* the caller's, for decode and check */
        char path[ERR_PATH_MAX]; /* of the value at hand */
};

/* Decodes object into *ret_struct (every member with a row is zeroed first and gets its default;
 * FIELD_CUSTOM members without one are left as the caller set them).  null and a missing object are
 * treated as {}, null members as absent.  What is decoded lives in the arena; FIELD_JSON members
 * live as long as the document.  Returns true when no problem was added. */
bool fields_decode(struct field_reader *reader, const struct field *fields,
                   const struct json *object, void *ret_struct);
/* Only the defaults; a FIELD_JSON row cannot have one. */
void fields_default(struct arena *arena, const struct field *fields, void *ret_struct);
/* Adds a problem at the reader's path (plus .suffix when given, or as it is when it begins with
 * "[") and value's position. */
void field_problem(struct field_reader *reader, const struct json *value, const char *suffix,
                   const char *format, ...) __attribute__((format(printf, 4, 5)));
void field_warning(struct field_reader *reader, const struct json *value, const char *suffix,
                   const char *format, ...) __attribute__((format(printf, 4, 5)));
/* Writes a struct back as JSON members, defaults included (configz, --write-config-to). */
void fields_encode(struct json_tree *tree, struct json_node *object, const struct field *fields,
                   const void *structure);
/* "name <type> (default ...): help", two spaces per level, nested tables included. */
void fields_explain(const struct field *fields, struct buf *out, unsigned level);
/* The same as a manual page section (man(7) macros). */
void fields_manual(const struct field *fields, struct buf *out);
