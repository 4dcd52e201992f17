/* What berth up is given: Kubernetes objects, policies and scenarios from files and folders, and
 * traces. */
#pragma once

#include "base/arena.h"
#include "base/buf.h"
#include "base/err.h"
#include "cmd/scenario.h"
#include "cmd/up_missing.h"
#include "cmd/up_omission.h"
#include "config/document.h"

struct sandbox_import;

struct up_thing {          /* an object to create */
        struct slice text; /* JSON */
        struct slice api_version, kind;
        bool is_recorded;        /* an API server has written it: part of a dump, no manifest */
        const char *file, *path; /* where it came from; path inside a list, "" or NULL */
        unsigned line, column;
        int rank; /* order of creation: what others need comes first */
};

struct up_input {
        struct arena arena;
        size_t thing_count, thing_cap;
        struct up_thing *things;
        struct up_missing missing;
        struct up_omissions omissions;
        struct buf made;      /* in place of what is missing: names for people */
        size_t deleted_count; /* objects that were being deleted; here they live on */
        /* Found among the objects; NULL = none. */
        struct document *policy, *config, *scenario_document;
        struct scenario scenario;
};

void up_input_init(struct up_input *input);
void up_input_release(struct up_input *input);
/* Files of YAML or JSON documents ("-" is standard input), and folders of them (*.yaml, *.yml,
 * *.json, in order of name). Lists are taken apart. */
int up_input_add_paths(struct up_input *input, const char *const *paths, size_t count,
                       struct err *err);
/* "openb=DIR" */
int up_input_add_trace(struct up_input *input, const char *trace, struct err *err);
/* Creates what others need, up to the nodes; then the rest, each in the order given. What is wrong
 * with a manifest is an error; of a dump, whatever cannot be loaded is left out and counted. */
int up_input_create_nodes(struct up_input *input, struct sandbox_import *import, struct err *err);
int up_input_create_rest(struct up_input *input, struct sandbox_import *import, struct err *err);
/* What was left out, and what was made in place of what is missing: lines. */
void up_input_print_notes(const struct up_input *input, struct buf *out);
