/* Inside of the request engine: the server's state, one request under way, and the steps that a
 * request goes through. Shared by the api_*.c files of this room only. */
#pragma once

#include "api/json.h"
#include "api/selector.h"
#include "base/arena.h"
#include "base/map.h"
#include "base/rng.h"
#include "base/util.h"
#include "base/uuid.h"
#include "kinds/kind.h"
#include "schema/object_compare.h"
#include "schema/schema.h"
#include "schema/strategic_merge.h"
#include "server/api_resource.h"
#include "server/api_server.h"
#include "server/json_cache.h"
#include "server/token_set.h"
#include "store/store.h"
#include <stdio.h>

#define NAME_MAX_BYTES 253

/* What every step of a request works on. */
struct api_engine {
        struct loop *loop;
        struct store *store;
        struct rng rng;
        struct arena scratch; /* of the request under way */
        struct resource_table resources;
        struct json_cache cache;
        bool is_open, is_bootstrapping, has_eviction_responders;
        int (*read_yaml)(struct slice text, struct json_tree **ret_tree, struct err *err);
        char *server_address;
};

/* With what only some steps may touch. */
struct api_server {
        struct api_engine engine;
        bool owns_store;
        struct token_set tokens;
        struct account_key *account_key; /* made when it is first needed, if none was given */
        struct watch *watches;           /* open ones, doubly linked */
        struct custom_resources *customs;
        struct event_retention *retention;
        struct webhook_caller webhooks;      /* call is NULL when there are none */
        struct api_eviction_judge evictions; /* waits is NULL when there is none */
        void (*in_between)(void *context);   /* other writers of budgets; NULL = none */
        void *in_between_context;
};

enum api_form { FORM_OBJECT, FORM_TABLE, FORM_PARTIAL };
enum table_include { INCLUDE_METADATA, INCLUDE_NONE, INCLUDE_OBJECT };

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

struct api_context {
        struct api_server *server;
        struct api_engine *engine; /* of the server */
        const struct api_server_request *request;
        struct api_server_request converted; /* what request points to after read_yaml */
        struct http_response *response;
        struct arena *arena;
        struct api_user user;
        struct api_route route;
        const struct api_resource *resource; /* = route.resource */
        struct api_query query;
        enum api_form form;
        enum table_include include;
        bool has_partial_list_form; /* asked for as=PartialObjectMetadataList */
        struct api_failure failure;
        struct slice manager; /* field manager */
        enum field_validation validation;
        bool is_dry_run, is_forced;
        struct slice *warnings;
        size_t warning_count, warning_cap;
        struct json_doc **docs; /* freed with the request */
        size_t doc_count, doc_cap;
        struct kind_context hooks;
        struct api_pending *pending; /* NULL: nothing is waited for */
        bool is_waiting;             /* failed only because something has to come first */
};

/* Every step returns 0, or API_FAILED after it filled in context->failure. */
#define API_FAILED (-1)

/* A copy of a request that may have to wait. */
struct api_pending *pending_new(struct api_server *server, const struct api_server_request *request,
                                void (*ready)(void *context), void *context);
const struct api_server_request *pending_request(const struct api_pending *pending);
struct api_server *pending_server(const struct api_pending *pending);
/* What every run of the request draws its random numbers from. */
struct rng pending_rng(const struct api_pending *pending);
/* Whether to give the request up until the store has this revision, or time is over; false when it
 * has waited already. */
bool pending_await(struct api_pending *pending, uint64_t revision);
/* Whether to give the request up and run it again after a pause: false when it was run so many
 * times already, and for a caller that cannot wait (NULL). */
bool pending_retry(struct api_pending *pending, unsigned tries_max, int64_t pause_ns);

/* ---- failures (api_failure.c) ---- */
int fail_plain(struct api_context *context, int code, const char *reason, const char *format, ...)
        __attribute__((format(printf, 4, 5)));
int fail_bad_request(struct api_context *context, const char *format, ...)
        __attribute__((format(printf, 2, 3)));
int fail_not_found(struct api_context *context, const struct api_resource *resource,
                   struct slice name);
int fail_exists(struct api_context *context, const struct api_resource *resource,
                struct slice name);
/* "Operation cannot be fulfilled on pods "x": text"; kind as it shall appear, group may be "". */
int fail_conflict(struct api_context *context, const char *kind, const char *group,
                  struct slice name, const char *format, ...) __attribute__((format(printf, 5, 6)));
int fail_modified(struct api_context *context, const struct api_resource *resource,
                  struct slice name);
/* 422 from collected field errors; kind and group of details. */
int fail_invalid(struct api_context *context, const char *kind, const char *group,
                 struct slice name, const struct field_errors *errors);
/* One field error on an options object: fail_option(c, "ListOptions", FIELD_FORBIDDEN, ...). */
int fail_option(struct api_context *context, const char *options, enum field_error_kind kind,
                const char *path, const char *value, const char *detail);
/* Admission and other hooks: code and text come from err; details name the object. */
int fail_hook(struct api_context *context, struct slice name, const struct err *err);
int fail_method(struct api_context *context);
int fail_unknown(struct api_context *context); /* 404 for a resource or path nobody serves */
void failure_write(const struct api_failure *failure, struct buf *out);
void failure_respond(struct api_context *context);

/* ---- requests ---- */
/* Runs a request to its end; false when it has to be run again after webhooks have answered. */
bool request_run(struct api_server *server, const struct api_server_request *request,
                 struct api_pending *pending, struct http_response *ret_response);
/* has_plus: a plus sign stands for a space, as in queries. */
struct slice percent_decode(struct arena *arena, struct slice text, bool has_plus);
int query_parse(struct api_context *context, struct slice text);
bool query_get(const struct api_query *query, const char *key, struct slice *ret_value);
struct slice query_text(const struct api_query *query, const char *key); /* empty when absent */
bool query_is_true(const struct api_query *query, const char *key);
void route_parse(struct api_context *context, struct slice path);
int accept_negotiate(struct api_context *context); /* form and include */
int authenticate(struct api_context *context);
int authorize(struct api_context *context);
bool access_allows(struct api_engine *engine, const struct access_question *question);
/* Also accepts tokens made for service accounts; lives as long as the request. */
const struct api_user *token_user(struct api_context *context, struct slice token);
bool serve_token_documents(struct api_context *context);             /* false: another path */
int write_options(struct api_context *context, const char *options); /* dryRun and the like */
struct slice default_manager(struct slice user_agent);
void warn_add(struct api_context *context, struct slice text); /* Warning header; copied */

/* ---- responses ---- */
void respond_text(struct api_context *context, int status, const char *content_type,
                  struct slice body);
void respond_success(struct api_context *context, int code); /* Status with status Success */
/* A stored object, or a body of the same shape, in the form that was asked for. */
int respond_object(struct api_context *context, int status, struct slice body);
int serve_path(struct api_context *context); /* /healthz, /version, discovery, ... */

/* ---- objects ---- */
/* Parsed text of a stored object, valid until the request ends. */
const struct json *object_json_kept(struct api_context *context, const struct store_object *object);
const struct json *json_kept(struct api_context *context, struct slice text); /* NULL on error */
/* Body rewritten for a view of another resource (events.k8s.io); the body itself otherwise. */
struct slice object_view(struct arena *arena, const struct api_resource *resource,
                         struct slice body);
const struct store_object *object_find(struct api_context *context,
                                       const struct api_resource *resource, struct slice ns,
                                       struct slice name);
void hooks_prepare(struct api_context *context, const struct api_resource *resource);

/* ---- selection ---- */
struct selection {
        struct selector labels;
        struct field_selector fields;
        bool is_all;            /* selects everything */
        struct slice only_name; /* metadata.name=x among the fields */
};
int selection_parse(struct api_context *context, const struct api_resource *resource,
                    struct slice labels, struct slice fields, struct arena *arena,
                    struct selection *ret_selection);
bool selection_matches(struct api_engine *engine, const struct api_resource *resource,
                       const struct selection *selection, const struct store_object *object,
                       struct arena *scratch);

/* Part of a collection (api_list.c). */
struct page {
        struct selection selection;
        struct store_range range;
        size_t limit; /* 0 = all */
        uint64_t shown_revision;
        const struct store_object **objects; /* borrowed; the array is the caller's to free */
        size_t count, cap, bytes;
        bool has_more;
        size_t remaining;
        char *token; /* in the arena */
};
int page_open(struct api_context *context, struct page *page); /* from the query parameters */
void page_write(struct api_context *context, const struct page *page);

/* ---- transforms (api_output.c) ---- */
void object_write(struct slice prefix, struct slice body, struct buf *out);
void partial_write(const struct json *object, bool is_typed, struct buf *out);
void table_columns_write(const struct api_resource *resource, struct buf *out);
void table_row_write(struct kind_context *hooks, const struct api_resource *resource,
                     enum table_include include, struct slice body, const struct json *object,
                     struct buf *out);

/* ---- long lists (api_stream.c) ---- */
/* A list whose text is made while it is read; takes the page's objects over. */
struct http_stream *list_stream_new(const struct api_resource *resource, struct page *page,
                                    struct buf *head);

/* ---- verbs ---- */
int serve_get(struct api_context *context);
int serve_list(struct api_context *context);
int serve_watch(struct api_context *context);
int serve_create(struct api_context *context);
int serve_update(struct api_context *context);
int serve_patch(struct api_context *context);
int serve_delete(struct api_context *context);
int serve_delete_collection(struct api_context *context);
int serve_binding(struct api_context *context);
int serve_eviction(struct api_context *context);
int serve_scale(struct api_context *context);
int serve_log(struct api_context *context);
int fail_not_simulated(struct api_context *context); /* exec and the like */
int serve_token(struct api_context *context);
void watches_end(struct api_server *server); /* they outlive the server, but say no more */

/* ---- bodies ---- */
struct decoded {
        struct json_tree *tree;
        struct json_node *object;
};
void decoded_release(struct decoded *decoded);
/* Replaces a YAML body by the JSON it stands for. */
int body_from_yaml(struct api_context *context);
/* Request body as an object of the expected kind, with apiVersion and kind filled in and strictness
 * handled. */
int decode_body(struct api_context *context, const char *group, const char *version,
                const char *kind, struct decoded *ret_decoded);
int decode_options(struct api_context *context, struct decoded *ret_decoded); /* DeleteOptions */
/* Unknown and repeated fields of text that becomes (part of) an object. */
struct strictness {
        struct api_context *context;
        struct buf text; /* comma-joined complaints under Strict */
        size_t count;
};
void strictness_add(struct strictness *strictness, const char *what, struct slice path);
void strictness_unknown(void *context, const char *path);
void strictness_duplicate(void *context, struct slice path);

/* Name and namespace of a body against the URL (PUT, PATCH). */
int check_url(struct api_context *context, const struct json_node *object);

/* ---- writes ---- */
struct api_write {
        const struct api_resource *resource;
        enum kind_operation operation;
        struct slice ns, name;
        struct json_tree *tree;
        struct json_node *object;
        const struct store_object *old; /* NULL on create; counted */
        const struct json *old_json;    /* in the view of the resource */
        const struct json *stored_json; /* as stored; the same but for views */
        struct slice subresource;       /* for managedFields: status, scale */
        bool is_apply;
        struct json_node *applied_set; /* what the apply owns now */
        bool is_patch;                 /* changes of identity are 422 instead of 409 */
};
int write_create(struct api_context *context, struct api_write *write, struct slice *ret_body);
int write_update(struct api_context *context, struct api_write *write, struct slice *ret_body,
                 bool *ret_is_deleted);
/* Store or remove the write's tree as it is, without hooks. */
int write_put(struct api_context *context, struct api_write *write, struct slice *ret_body);
int write_remove(struct api_context *context, struct api_write *write, struct slice *ret_body);
/* A write that starts from a stored object: an editable copy with kind and apiVersion. */
int write_begin(struct api_context *context, const struct api_resource *resource,
                const struct store_object *object, struct api_write *ret_write);
void write_end(struct api_write *write);
/* Removal by the server itself; watchers see the last state with the new revision. */
void object_remove(struct api_engine *engine, const struct store_object *object);
/* Stored object as an editable tree. */
struct json_node *tree_of_object(const struct store_object *object, struct json_tree **ret_tree);
void validate_metadata(struct api_context *context, const struct api_write *write,
                       struct field_errors *errors);
void validate_metadata_update(struct api_context *context, const struct api_write *write,
                              struct field_errors *errors);
int check_namespace(struct api_context *context, struct slice ns, struct slice name);
/* managedFields (managed_fields.c). */
void manage_fields(struct api_context *context, struct api_write *write);
bool has_new_owners(const struct api_write *write); /* other than what is stored, times apart */
void clear_empty_owners(struct api_write *write);
struct json_node *managed_entry(const struct api_context *context, const struct api_write *write,
                                struct json_node *list);
/* What entries without a recorded set own together: all that nobody else does. NULL when there is
 * none; *ret_entry is the one that stands for them. */
struct json_node *managed_rest(const struct api_write *write, const struct json_node *list,
                               const struct json_node *live, const struct json_node **ret_entry);
void generate_name(struct api_engine *engine, struct slice prefix, char *buffer);

/* ---- patches ---- */
int apply_configuration(struct api_context *context, struct api_write *write);
int create_by_apply(struct api_context *context);

/* ---- deletion ---- */
enum propagation {
        PROPAGATE_DEFAULT,
        PROPAGATE_BACKGROUND,
        PROPAGATE_FOREGROUND,
        PROPAGATE_ORPHAN
};
struct delete_options {
        bool has_grace;
        int64_t grace_s;
        enum propagation propagation;
        struct slice uid, resource_version; /* preconditions; empty = none */
        bool is_dry_run;
};
int delete_options_decode(struct api_context *context, struct delete_options *ret_options);
int delete_options_from(struct api_context *context, const struct json *body,
                        struct delete_options *ret_options);
/* Deletes or marks one object. ret_body is the object to show, ret_is_gone whether it is gone. */
int delete_object(struct api_context *context, const struct api_resource *resource,
                  const struct store_object *object, const struct delete_options *options,
                  struct slice *ret_body, bool *ret_is_gone);
