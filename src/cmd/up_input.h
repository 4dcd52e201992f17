/* What berth up is given: Kubernetes objects, policies and scenarios from files and folders, and
 * traces. */
#pragma once

#include "base/arena.h"
#include "base/err.h"
#include "cmd/scenario.h"
#include "config/document.h"

struct sandbox_import;

struct input_object {
        const struct json *object; /* NULL: text */
        struct slice text;         /* JSON */
        const struct document *document;
        const char *file;
        int rank; /* order of creation: what others need comes first */
};

struct up_input {
        struct arena arena;
        size_t document_count, document_cap, object_count, object_cap;
        struct document **documents;
        struct input_object *objects;
        const struct document *policy_document; /* NULL = none */
        const struct document *config_document; /* KubeSchedulerConfiguration; NULL = none */
        bool has_scenario;
        struct scenario scenario;
        const struct document *scenario_document;
};

void up_input_init(struct up_input *input);
void up_input_release(struct up_input *input);
/* A file of YAML or JSON documents, or a folder of them (*.yaml, *.yml, *.json, in order of name).
 * Lists are taken apart. */
int up_input_add_path(struct up_input *input, const char *path, struct err *err);
/* "openb=DIR" */
int up_input_add_trace(struct up_input *input, const char *trace, struct err *err);
/* Creates everything: cluster-wide things, nodes, then the rest, each in the order given. */
int up_input_create(struct up_input *input, struct sandbox_import *import, struct err *err);
/* Whether some object names an owner whose uid is not among the objects. */
bool up_input_has_dangling_owners(const struct up_input *input);
