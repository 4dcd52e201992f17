/* The terminal view of a model: draws it when it changed, each second, and after each key; or
 * prints it once. */
#pragma once

#include "cmd/output.h"
#include "cmd/top_gather.h"

struct loop;
struct top_viewer;

struct top_viewer_config {
        struct top_sources sources; /* its time is the loop's */
        struct slice source;        /* what is shown, for people */
        const char *sort, *filter;  /* name or a resource; NULL = cpu, and all */
        struct loop *loop;
        bool is_drawn; /* on the terminal; else it is printed once */
        enum output_format format;
        /* Why the model is not up to date, written to out; NULL = it always is. */
        void (*trouble)(void *context, struct buf *out);
        /* The user has seen enough, or the print is done. */
        void (*ended)(void *context);
        void *context;
};

int top_viewer_new(const struct top_viewer_config *config, struct top_viewer **ret_view,
                   struct err *err);
void top_viewer_free(struct top_viewer *view); /* accepts NULL; restores the terminal */
/* Whether the first lists are in; drawn or not. */
void top_viewer_set_ready(struct top_viewer *view);
void top_viewer_changed(struct top_viewer *view);
/* Prints the model as it is now, once; false when standard output does not take it. */
bool top_viewer_print(struct top_viewer *view);
