/* What berth up is given: Kubernetes objects, policies and scenarios from files and folders, and
 * traces. */
#pragma once

#include "base/arena.h"
#include "base/err.h"
#include "base/map.h"
#include "cmd/scenario.h"
#include "config/document.h"

struct sandbox_import;

struct up_thing {                /* an object to create */
        struct slice text;       /* JSON */
        const char *file, *path; /* where it came from; path inside a list, "" or NULL */
        unsigned line, column;
        int rank; /* order of creation: what others need comes first */
};

struct up_input {
        struct arena arena;
        size_t thing_count, thing_cap;
        struct up_thing *things;
        struct map *uids; /* of objects and of the owners they name */
        const char *policy_path, *config_path, *scenario_path; /* found among the files, or NULL */
        bool has_scenario;
        struct scenario scenario;
        struct document *scenario_document;
};

void up_input_init(struct up_input *input);
void up_input_release(struct up_input *input);
/* Files of YAML or JSON documents ("-" is standard input), and folders of them (*.yaml, *.yml,
 * *.json, in order of name). Lists are taken apart. */
int up_input_add_paths(struct up_input *input, const char *const *paths, size_t count,
                       struct err *err);
/* "openb=DIR" */
int up_input_add_trace(struct up_input *input, const char *trace, struct err *err);
/* Whether some object names an owner whose uid is not among the objects. */
bool up_input_has_dangling_owners(const struct up_input *input);
/* Creates what others need, up to the nodes; then the rest, each in the order given. */
int up_input_create_nodes(struct up_input *input, struct sandbox_import *import, struct err *err);
int up_input_create_rest(struct up_input *input, struct sandbox_import *import, struct err *err);
