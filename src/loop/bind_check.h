/* Finds out whether a binding took effect when its answer does not say (it was lost, or reports a
 * conflict or an error inside the server), or when the watch does not show it.  Giving the capacity
 * to another pod although the pod is bound would overcommit the node. */
#pragma once

#include "model/action.h"
#include "port/loop.h"
#include "port/transport.h"

struct bind_check;

/* Whether an answer (HTTP status, 0 = none) leaves open what happened. */
bool bind_check_is_needed(int status);

struct bind_check_config {
        struct transport *transport;
        struct loop *loop;
        const struct object_ref *pod; /* this and node are copied */
        struct slice node;
};
enum bind_state {
        BIND_DONE,
        BIND_NOT_DONE,
        BIND_POD_GONE, /* or another one has its name */
        BIND_UNKNOWN   /* no answer */
};
/* done runs once, from the loop; the check is over then and freed. */
struct bind_check *bind_check_new(const struct bind_check_config *config,
                                  void (*done)(void *context, enum bind_state state),
                                  void *context);
void bind_check_free(struct bind_check *check); /* before it is done; accepts NULL */
