/* ControllerRevisions: the versions of a template that a stateful set or daemon set has had. */
#pragma once

#include "control/pod_owner.h"

struct revision {
        struct json_doc *doc;
        const struct json *object;
        struct slice name, hash;
        int64_t number;
};
struct revision_list { /* oldest first */
        size_t count;
        struct revision *items;
        struct revision *current; /* that of the present template */
};

/* Finds the owner's revisions and makes the one of the present template, or makes it the youngest
 * again. Lives in the arena but for the documents, which revision_list_release frees. */
int revision_sync(struct controller_run *run, int resource, const struct json *owner,
                  struct arena *arena, struct revision_list *ret_list, struct err *err);
void revision_list_release(struct revision_list *list);
const struct revision *revision_find(const struct revision_list *list, struct slice name);
/* The template that a revision keeps. */
const struct json *revision_template(const struct revision *revision);
/* Deletes the oldest beyond the limit, but for those that is_used names. */
struct revision_usage {
        bool (*is_used)(void *context, const struct revision *revision);
        void *context;
        int64_t limit;
};
int revision_forget(struct controller_run *run, const struct json *owner,
                    const struct revision_list *list, const struct revision_usage *usage,
                    struct err *err);
