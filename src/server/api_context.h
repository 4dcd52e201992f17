/* One request under way, and what every step of it works on. */
#pragma once

#include "base/arena.h"
#include "base/rng.h"
#include "base/util.h"
#include "kinds/kind.h"
#include "server/api_resource.h"
#include "server/api_server.h"
#include "server/json_cache.h"
#include "server/owned_forms.h"

/* What every step of a request works on. */
struct api_engine {
        struct loop *loop;
        struct store *store;
        struct rng rng;
        struct arena scratch; /* of the request under way */
        struct resource_table resources;
        struct json_cache cache;
        struct owned_forms forms;
        struct map *raw_forms; /* hashes by uid (server/raw_forms.h); NULL = none yet */
        bool is_open, is_bootstrapping, has_eviction_responders;
        int (*read_yaml)(struct slice text, struct json_tree **ret_tree, struct err *err);
        char *server_address;
};

enum api_form { FORM_OBJECT, FORM_TABLE, FORM_PARTIAL };
enum table_include { INCLUDE_METADATA, INCLUDE_NONE, INCLUDE_OBJECT };
/* How Tables, metadata and objects are written. */
struct table_form {
        enum table_include include;
        bool is_beta, is_yaml; /* meta.k8s.io/v1beta1 was asked for; application/yaml was */
};

struct query_item {
        struct slice key, value;
};
struct api_query {
        struct query_item *items;
        size_t count;
};

struct api_route {
        bool is_resource; /* else a path of its own: /healthz, /api, /openapi */
        bool is_watch;    /* by the legacy /watch/ prefix or ?watch */
        struct slice path;
        struct slice group, version, plural, ns, name, subresource;
        bool has_ns, has_name;               /* in the path, and be they empty */
        struct slice only_name;              /* of a list or watch, by its field selector */
        const struct api_resource *resource; /* NULL when unknown */
        bool group_is_known;
        const char *verb; /* "get", "list", ... as authorizers know it */
};

struct failure_cause {
        const char *reason, *message, *field;
};
/* What goes wrong with a request, to be answered as a Status. */
struct api_failure {
        int code;
        const char *reason; /* NULL = none */
        const char *message;
        bool has_details;
        const char *name, *group, *kind, *uid;
        struct failure_cause *causes;
        size_t cause_count;
        int retry_after_s;          /* 0 = none */
        const char *continue_token; /* in metadata of an expired list; NULL = none */
};

enum field_validation { VALIDATE_WARN, VALIDATE_STRICT, VALIDATE_IGNORE };

#define CONTEXT_HELD_MAX 8 /* parsed texts of the cache in use by one request */

struct api_context {
        struct api_server *server;
        struct api_engine *engine; /* of the server */
        const struct api_server_request *request;
        struct api_server_request converted; /* what request points to after body_prepare() */
        struct slice sent;                   /* the body before that */
        bool is_yaml;                        /* so it was sent */
        const char *yaml_problem;            /* NULL: none */
        struct http_response *response;
        struct arena *arena;
        struct api_user user;
        struct api_route route;
        const struct api_resource *resource; /* = route.resource */
        struct api_query query;
        enum api_form form;
        struct table_form table;
        bool has_partial_list_form; /* asked for as=PartialObjectMetadataList */
        struct api_failure failure;
        struct slice manager; /* field manager */
        enum field_validation validation;
        bool is_dry_run, is_forced;
        const struct emptied_value *emptied; /* in the body, the latest first */
        size_t emptied_count;
        struct slice *warnings;
        size_t warning_count, warning_cap;
        struct json_doc **docs; /* freed with the request */
        size_t doc_count, doc_cap;
        struct json_cache_entry *held[CONTEXT_HELD_MAX];
        size_t held_count;
        struct kind_context hooks;
        struct api_pending *pending; /* NULL: nothing is waited for */
        bool is_waiting;             /* failed only because something has to come first */
};

/* Every step returns 0, or API_FAILED after it filled in context->failure. */
#define API_FAILED (-1)
