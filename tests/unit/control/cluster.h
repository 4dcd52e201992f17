/* A cluster in virtual time: store, API server and control, and short ways to talk to it. */
#pragma once

#include "api/json.h"
#include "base/util.h"
#include "control/control.h"
#include "port/virtual_loop.h"
#include "server/api_server.h"
#include "store/store.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#define PODS "/api/v1/namespaces/default/pods"
#define NODES "/api/v1/nodes"

struct cluster {
        struct virtual_loop *loop;
        struct api_server *server;
        struct control *control;
        struct json_doc *doc; /* of the last answer */
        char text[4096];      /* of the last question about a field */
};

/* controllers as in control_config; "kubelet" adds one node called n. */
struct cluster cluster_new(const char *controllers);
/* The same with somebody to ask webhooks; what the test itself asks for is not for them. */
struct cluster cluster_new_with(const char *controllers, const struct webhook_caller *webhooks);
/* The same of Kubernetes 1.MINOR. */
struct cluster cluster_of_version(const char *controllers, unsigned minor);
void cluster_free(struct cluster *cluster);
/* Status of the answer, after which everything that follows at once has happened. */
int cluster_ask(struct cluster *cluster, const char *method, const char *path, const char *body);
/* A JSON object, single quotes standing for double ones. */
int cluster_post(struct cluster *cluster, const char *path, const char *body);
int cluster_merge(struct cluster *cluster, const char *path, const char *patch);
/* Server-side; the path may have a query. */
int cluster_apply(struct cluster *cluster, const char *path, const char *configuration);
void cluster_wait(struct cluster *cluster, int64_t ms);
/* A field of the object at path, such as "/status/phase" or "/status/conditions/type=Ready/status";
 * numbers and booleans as text, "" when absent, "gone" when the object is. */
const char *cluster_field(struct cluster *cluster, const char *path, const char *field);
/* A field's text as a number; 0 when empty. */
int64_t cluster_number(const char *text);
/* How many objects of a collection (path may have a query) there are. */
size_t cluster_count(struct cluster *cluster, const char *path);
/* Field of the index-th object of a collection. */
const char *cluster_item(struct cluster *cluster, const char *path, size_t index,
                         const char *field);
/* Binds all pods without a node to n, as a scheduler would. */
void cluster_schedule(struct cluster *cluster);
/* Whether an event with this reason about this object exists; ret_message gets its message. */
const char *cluster_event(struct cluster *cluster, const char *object, const char *reason);
