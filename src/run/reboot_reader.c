/* Performs readings over the transport and on the host. */
#include "run/reboot_reader.h"

#include "base/log.h"
#include "base/util.h"
#include "client/http_transport.h"
#include "client/url_query.h"
#include "host/host_command.h"
#include "host/host_reboot.h"
#include <stdlib.h>
#include <string.h>

#define READ_TIMEOUT_NS (10 * NS_PER_S)
#define OWNERS_MAX 256 /* DaemonSets remembered during a drain */

struct owner_seen {
        char *name; /* ns/name */
        enum drain_owner state;
};

/* In this order; those that were not asked for are passed over. */
enum health_check { HEALTH_PODS, HEALTH_COMMAND, HEALTH_URL, HEALTH_BUDGETS, HEALTH_DONE };

struct reboot_reader {
        struct runtime *runtime;
        const struct reboot_role_config *config;
        struct reboot_agent *agent;
        void (*answered)(void *context);
        void *context;
        struct http_transport *prometheus;
        struct transport prometheus_carrier;
        struct api_request *request; /* NULL = none under way */
        struct transport *carrier;   /* of the request */
        struct host_command *command;
        size_t selector;     /* of the blocking ones, being asked */
        bool is_get_retried; /* Prometheus refused the POST */
        bool budgets_refused, nodes_refused, is_draining;
        enum health_check health; /* under way */
        bool is_uncordoned;
        struct http_transport *probe;
        struct transport probe_carrier;
        bool knows_eviction, lacks_eviction; /* of the cluster */
        struct owner_seen owners[OWNERS_MAX];
        size_t owner_count;
        char *asked_owner;  /* the one being asked for */
        struct arena arena; /* of the pods being put together */
        struct drain_pods pods;
        struct json_doc *budgets;
};

static void finish(struct reboot_reader *reader) {
        reader->answered(reader->context);
}

/* ---- calls ---- */

struct reader_call {
        enum api_method method;
        struct slice path, body;
        void (*done)(void *context, const struct api_reply *reply);
        int64_t timeout_ns; /* 0 = READ_TIMEOUT_NS */
};

static void call(struct reboot_reader *reader, struct transport *carrier,
                 const struct reader_call *what) {
        reader->carrier = carrier;
        reader->request = transport_call(
                carrier,
                &(struct api_call){
                        .method = what->method,
                        .path = what->path,
                        .content_type = what->body.len
                                                ? SLICE_LITERAL("application/x-www-form-urlencoded")
                                                : SLICE_EMPTY,
                        .body = what->body,
                        .timeout_ns = what->timeout_ns ? what->timeout_ns : READ_TIMEOUT_NS },
                what->done, reader);
}

static void get(struct reboot_reader *reader, const char *path,
                void (*done)(void *context, const struct api_reply *reply)) {
        call(reader, runtime_transport(reader->runtime),
             &(struct reader_call){ API_GET, slice_of(path), SLICE_EMPTY, done, 0 });
}

static int reply_code(const struct api_reply *reply) {
        if (reply->status >= 200 && reply->status < 300)
                return BERTH_OK;
        return reply->error.code ? reply->error.code : BERTH_ERR_UNAVAILABLE;
}

static int reply_document(const struct api_reply *reply, struct json_doc **ret_doc) {
        int code = reply_code(reply);

        return code == BERTH_OK ? json_parse(reply->body, ret_doc, NULL) : code;
}

/* ---- sentinel ---- */

static void on_sentinel(void *context, enum host_command_end end, int code) {
        struct reboot_reader *reader = context;

        reader->command = NULL;
        if (end == HOST_COMMAND_TIMED_OUT)
                LOG(LOG_WARN, "SentinelCommandTimedOut", log_i64("code", code));
        else if (end == HOST_COMMAND_NOT_FOUND || code > 1)
                LOG(LOG_WARN, "SentinelCommandFailed", log_i64("code", code));
        reboot_agent_saw_sentinel(reader->agent, end == HOST_COMMAND_EXITED && code == 0);
        finish(reader);
}

static void see_sentinel_file(void *context) {
        struct reboot_reader *reader = context;
        const struct reboot_host *host = reader->config->host;

        reboot_agent_saw_sentinel(reader->agent,
                                  host ? host->is_required(host->context)
                                       : host_file_exists(reader->config->sentinel_file));
        finish(reader);
}

static void read_sentinel(struct reboot_reader *reader) {
        struct loop *loop = runtime_loop(reader->runtime);

        if (reader->config->sentinel_command)
                reader->command = host_command_start(loop, reader->config->sentinel_command,
                                                     reader->config->sentinel_timeout_ns,
                                                     on_sentinel, reader);
        else
                see_sentinel_file(reader);
}

/* ---- node, lock, holder ---- */

static void on_node(void *context, const struct api_reply *reply) {
        struct reboot_reader *reader = context;
        struct json_doc *doc = NULL;
        int code = reply_document(reply, &doc);

        reader->request = NULL;
        reboot_agent_saw_node(reader->agent, code, doc);
        finish(reader);
}

static void on_lock(void *context, const struct api_reply *reply) {
        struct reboot_reader *reader = context;
        struct json_doc *doc = NULL;
        int code = reply_document(reply, &doc);

        reader->request = NULL;
        reboot_agent_saw_lock(reader->agent, code, doc);
        finish(reader);
}

static void on_holder(void *context, const struct api_reply *reply) {
        struct reboot_reader *reader = context;

        reader->request = NULL;
        reboot_agent_saw_holder(reader->agent, reply_code(reply));
        finish(reader);
}

static void on_peers(void *context, const struct api_reply *reply) {
        struct reboot_reader *reader = context;
        CLEANUP(cleanup_json_doc) struct json_doc *doc = NULL;

        reader->request = NULL;
        if (reply_document(reply, &doc) < 0 && !reader->nodes_refused) {
                reader->nodes_refused = true;
                LOG(LOG_WARN, "NodesNotListed",
                    log_text("effect", "rules about other nodes have no effect: no right to list "
                                       "nodes"));
        }
        reboot_agent_saw_nodes(reader->agent, json_doc_root(doc));
        finish(reader);
}

static void read_node(struct reboot_reader *reader, struct slice name,
                      void (*done)(void *context, const struct api_reply *reply)) {
        struct buf path = { 0 };

        buf_text(&path, "/api/v1/nodes/");
        url_escape(&path, name);
        get(reader, path.data, done);
        buf_release(&path);
}

static void read_lock(struct reboot_reader *reader) {
        const struct reboot_config *config = reader->config->agent;
        bool is_lease = slice_is(config->lock_kind, "Lease");
        struct buf path = { 0 };

        buf_printf(&path, "/apis/%s/namespaces/" SLICE_FMT "/%s/" SLICE_FMT,
                   is_lease ? "coordination.k8s.io/v1" : "apps/v1", SLICE_ARG(config->lock_ns),
                   is_lease ? "leases" : "daemonsets", SLICE_ARG(config->lock_name));
        get(reader, path.data, on_lock);
        buf_release(&path);
}

/* ---- blockers: alerts, then pods ---- */

static void blocked(struct reboot_reader *reader, struct slice reason) {
        reboot_agent_saw_blockers(reader->agent, reason);
        finish(reader);
}

static void read_blocking_pods(struct reboot_reader *reader);

static void on_blocking_pods(void *context, const struct api_reply *reply) {
        struct reboot_reader *reader = context;
        struct json_doc *doc = NULL;
        const struct json *meta;
        struct buf reason = { 0 };

        reader->request = NULL;
        if (reply_document(reply, &doc) < 0) {
                blocked(reader, SLICE_LITERAL("blocking pods cannot be listed"));
                return;
        }
        meta = json_get(json_at(json_get(json_doc_root(doc), "items"), 0), "metadata");
        if (meta) {
                buf_printf(&reason, "pod " SLICE_FMT "/" SLICE_FMT,
                           SLICE_ARG(json_get_text(meta, "namespace")),
                           SLICE_ARG(json_get_text(meta, "name")));
                blocked(reader, buf_view(&reason));
        } else {
                reader->selector++;
                read_blocking_pods(reader);
        }
        buf_release(&reason);
        json_doc_free(doc);
}

static void read_blocking_pods(struct reboot_reader *reader) {
        struct buf path = { 0 }, fields = { 0 };

        if (reader->selector == reader->config->blocking_selector_count) {
                blocked(reader, SLICE_EMPTY);
                return;
        }
        buf_printf(&fields,
                   "spec.nodeName=" SLICE_FMT
                   ",status.phase!=Succeeded,status.phase!=Failed,status.phase!=Unknown",
                   SLICE_ARG(reader->config->agent->node));
        buf_text(&path, "/api/v1/pods");
        url_query_text(&path, "labelSelector",
                       slice_of(reader->config->blocking_selectors[reader->selector]));
        url_query_text(&path, "fieldSelector", buf_view(&fields));
        url_query_u64(&path, "limit", 10);
        get(reader, path.data, on_blocking_pods);
        buf_release(&path);
        buf_release(&fields);
}

static void ask_prometheus(struct reboot_reader *reader, enum api_method method);

static void on_alerts(void *context, const struct api_reply *reply) {
        struct reboot_reader *reader = context;
        struct json_doc *doc = NULL;
        struct buf names = { 0 }, reason = { 0 };
        int code;

        reader->request = NULL;
        if ((reply->status == 405 || reply->status == 501) && !reader->is_get_retried) {
                reader->is_get_retried = true;
                ask_prometheus(reader, API_GET);
                return;
        }
        code = reply_document(reply, &doc);
        if (code == BERTH_OK)
                code = blocking_alerts_find(json_doc_root(doc), &reader->config->alerts, &names,
                                            NULL);
        json_doc_free(doc);
        if (code < 0)
                buf_text(&reason, "Prometheus does not answer");
        else if (names.len > 0)
                buf_printf(&reason, "alert " SLICE_FMT, SLICE_ARG(buf_view(&names)));
        if (reason.len > 0)
                blocked(reader, buf_view(&reason));
        else
                read_blocking_pods(reader);
        buf_release(&names);
        buf_release(&reason);
}

static void ask_prometheus(struct reboot_reader *reader, enum api_method method) {
        bool is_get = method == API_GET;

        call(reader, &reader->prometheus_carrier,
             &(struct reader_call){
                     method,
                     is_get ? SLICE_LITERAL("/api/v1/query?query=ALERTS")
                            : SLICE_LITERAL("/api/v1/query"),
                     is_get ? SLICE_EMPTY : SLICE_LITERAL("query=ALERTS"),
                     on_alerts,
                     reader->config->prometheus_timeout_ns,
             });
}

static void read_blockers(struct reboot_reader *reader) {
        reader->selector = 0;
        reader->is_get_retried = false;
        if (reader->prometheus)
                ask_prometheus(reader, API_POST);
        else
                read_blocking_pods(reader);
}

/* ---- pods on the node ---- */

static void owner_key(const struct drain_pod *pod, struct buf *key) {
        buf_printf(key, SLICE_FMT "/" SLICE_FMT, SLICE_ARG(pod->ns), SLICE_ARG(pod->daemon_set));
}

static const struct owner_seen *owner_find(const struct reboot_reader *reader, const char *name) {
        for (size_t i = 0; i < reader->owner_count; i++)
                if (strcmp(reader->owners[i].name, name) == 0)
                        return &reader->owners[i];
        return NULL;
}

static void owners_clear(struct reboot_reader *reader) {
        while (reader->owner_count > 0)
                free(reader->owners[--reader->owner_count].name);
}

static void pods_done(struct reboot_reader *reader, int code) {
        reboot_agent_saw_pods(reader->agent, code,
                              &(struct drain_listing){ .pods = &reader->pods,
                                                       .budgets = json_doc_root(reader->budgets),
                                                       .lacks_eviction = reader->lacks_eviction });
        json_doc_free(reader->budgets);
        reader->budgets = NULL;
        finish(reader);
}

static void on_budgets(void *context, const struct api_reply *reply) {
        struct reboot_reader *reader = context;

        reader->request = NULL;
        if (reply_document(reply, &reader->budgets) < 0) {
                if (reply->status == 403 && !reader->budgets_refused)
                        LOG(LOG_WARN, "BudgetsNotReadable",
                            log_text("effect", "drains are not checked ahead: no right to list "
                                               "poddisruptionbudgets"));
                reader->budgets_refused = reply->status == 403;
        }
        pods_done(reader, BERTH_OK);
}

static void read_budgets(struct reboot_reader *reader) {
        if (reader->is_draining || reader->budgets_refused)
                pods_done(reader, BERTH_OK);
        else
                get(reader, "/apis/policy/v1/poddisruptionbudgets", on_budgets);
}

static bool has_eviction(const struct json *resources) {
        struct json_iter iter = json_iter(json_get(resources, "resources"));
        const struct json *resource;

        while (json_next(&iter, NULL, &resource))
                if (slice_is(json_get_text(resource, "name"), "pods/eviction") &&
                    slice_is(json_get_text(resource, "group"), "policy") &&
                    slice_is(json_get_text(resource, "version"), "v1"))
                        return true;
        return false;
}

static void on_resources(void *context, const struct api_reply *reply) {
        struct reboot_reader *reader = context;
        CLEANUP(cleanup_json_doc) struct json_doc *doc = NULL;
        int code = reply_document(reply, &doc);

        reader->request = NULL;
        if (code < 0) {
                pods_done(reader, code);
                return;
        }
        reader->knows_eviction = true;
        reader->lacks_eviction = !has_eviction(json_doc_root(doc));
        if (reader->lacks_eviction)
                LOG(LOG_WARN, "NoEvictions",
                    log_text("effect", "pods are deleted, without regard to budgets"));
        read_budgets(reader);
}

static void resolve_owners(struct reboot_reader *reader);

static void on_owner(void *context, const struct api_reply *reply) {
        struct reboot_reader *reader = context;
        int code = reply_code(reply);

        reader->request = NULL;
        if (code != BERTH_OK && code != BERTH_ERR_NOT_FOUND) {
                pods_done(reader, code); /* not knowing, nothing may be evicted */
                return;
        }
        reader->owners[reader->owner_count++] = (struct owner_seen){
                .name = reader->asked_owner,
                .state = code == BERTH_OK ? DRAIN_OWNER_THERE : DRAIN_OWNER_GONE,
        };
        reader->asked_owner = NULL;
        resolve_owners(reader);
}

static void read_owner(struct reboot_reader *reader, const struct drain_pod *pod,
                       struct slice key) {
        struct buf path = { 0 };

        free(reader->asked_owner);
        reader->asked_owner = slice_dup(key);
        buf_printf(&path, "/apis/apps/v1/namespaces/" SLICE_FMT "/daemonsets/" SLICE_FMT,
                   SLICE_ARG(pod->ns), SLICE_ARG(pod->daemon_set));
        get(reader, path.data, on_owner);
        buf_release(&path);
}

/* Gives every pod the fate of its DaemonSet; asks for the first one unknown, if any. */
static void resolve_owners(struct reboot_reader *reader) {
        struct buf key = { 0 };

        for (size_t i = 0; i < reader->pods.count; i++) {
                struct drain_pod *pod = &reader->pods.items[i];
                const struct owner_seen *seen;

                if (pod->daemon_set.len == 0)
                        continue;
                buf_clear(&key);
                owner_key(pod, &key);
                seen = owner_find(reader, key.data);
                if (!seen && reader->owner_count < OWNERS_MAX) {
                        read_owner(reader, pod, buf_view(&key));
                        buf_release(&key);
                        return;
                }
                pod->owner = seen ? seen->state : DRAIN_OWNER_UNKNOWN;
        }
        buf_release(&key);
        if (reader->knows_eviction)
                read_budgets(reader);
        else
                get(reader, "/api/v1", on_resources);
}

static void on_pods(void *context, const struct api_reply *reply) {
        struct reboot_reader *reader = context;
        CLEANUP(cleanup_json_doc) struct json_doc *doc = NULL;
        struct err err = { 0 };
        int code = reply_document(reply, &doc);

        reader->request = NULL;
        arena_clear(&reader->arena);
        reader->pods.count = 0;
        if (code == BERTH_OK)
                code = drain_pods_decode(json_doc_root(doc), &reader->arena, &reader->pods, &err);
        if (code == BERTH_OK)
                resolve_owners(reader);
        else
                pods_done(reader, code);
}

static void list_own_pods(struct reboot_reader *reader,
                          void (*done)(void *context, const struct api_reply *reply)) {
        struct buf path = { 0 }, fields = { 0 };

        buf_printf(&fields, "spec.nodeName=" SLICE_FMT, SLICE_ARG(reader->config->agent->node));
        buf_text(&path, "/api/v1/pods");
        url_query_text(&path, "fieldSelector", buf_view(&fields));
        get(reader, path.data, done);
        buf_release(&path);
        buf_release(&fields);
}

static void read_pods(struct reboot_reader *reader) {
        struct reboot_agent_stats stats;

        reboot_agent_stats(reader->agent, &(struct reboot_now){ 0 }, &stats);
        reader->is_draining = stats.phase >= REBOOT_DRAINING;
        if (!reader->is_draining)
                owners_clear(reader);
        list_own_pods(reader, on_pods);
}

/* ---- health after a reboot ---- */

static void check_health(struct reboot_reader *reader);

static void health_checked(struct reboot_reader *reader, const char *problem) {
        if (problem[0]) {
                reboot_agent_saw_health(reader->agent, slice_of(problem));
                finish(reader);
                return;
        }
        reader->health++;
        check_health(reader);
}

static bool pod_is_well(const struct json *pod) {
        struct slice phase = json_get_text(json_get(pod, "status"), "phase");
        struct json_iter iter = json_iter(json_get(json_get(pod, "status"), "conditions"));
        const struct json *condition;

        if (slice_is(phase, "Succeeded") || slice_is(phase, "Failed") ||
            json_get(json_get(pod, "metadata"), "deletionTimestamp"))
                return true;
        while (json_next(&iter, NULL, &condition))
                if (slice_is(json_get_text(condition, "type"), "Ready"))
                        return slice_is(json_get_text(condition, "status"), "True");
        return false;
}

static bool budget_is_well(const struct json *budget) {
        const struct json *status = json_get(budget, "status");

        return json_get_i64(status, "currentHealthy", 0) >=
               json_get_i64(status, "desiredHealthy", 0);
}

/* Names the first object of the list that is not well. */
static void judge_list(struct reboot_reader *reader, const struct api_reply *reply,
                       bool (*is_well)(const struct json *object), const char *what) {
        CLEANUP(cleanup_json_doc) struct json_doc *doc = NULL;
        CLEANUP(buf_release) struct buf text = { 0 };
        struct json_iter iter;
        const struct json *object, *meta;

        if (reply_document(reply, &doc) < 0) {
                buf_printf(&text, "%ss cannot be listed", what);
                health_checked(reader, text.data);
                return;
        }
        iter = json_iter(json_get(json_doc_root(doc), "items"));
        while (text.len == 0 && json_next(&iter, NULL, &object)) {
                if (is_well(object))
                        continue;
                meta = json_get(object, "metadata");
                buf_printf(&text, "%s " SLICE_FMT "/" SLICE_FMT " is not well", what,
                           SLICE_ARG(json_get_text(meta, "namespace")),
                           SLICE_ARG(json_get_text(meta, "name")));
        }
        health_checked(reader, text.len ? text.data : "");
}

static void on_health_pods(void *context, const struct api_reply *reply) {
        struct reboot_reader *reader = context;

        reader->request = NULL;
        judge_list(reader, reply, pod_is_well, "pod");
}

static void on_health_budgets(void *context, const struct api_reply *reply) {
        struct reboot_reader *reader = context;

        reader->request = NULL;
        judge_list(reader, reply, budget_is_well, "budget");
}

static void on_health_command(void *context, enum host_command_end end, int code) {
        struct reboot_reader *reader = context;

        reader->command = NULL;
        health_checked(reader, end == HOST_COMMAND_EXITED && code == 0
                                       ? ""
                                       : "the health command does not succeed");
}

static void on_health_url(void *context, const struct api_reply *reply) {
        struct reboot_reader *reader = context;

        reader->request = NULL;
        health_checked(reader, reply->status >= 200 && reply->status < 300
                                       ? ""
                                       : "the health page does not answer with success");
}

static const char *url_path(const char *url) {
        const char *host = strstr(url, "://"), *path = host ? strchr(host + 3, '/') : NULL;

        return path ? path : "/";
}

static bool wants_check(const struct reboot_reader *reader) {
        const struct reboot_role_config *config = reader->config;

        switch (reader->health) {
        case HEALTH_PODS:
                return config->health_pods && !reader->is_uncordoned;
        case HEALTH_COMMAND:
                return config->health_command && !reader->is_uncordoned;
        case HEALTH_URL:
                return reader->probe && !reader->is_uncordoned;
        case HEALTH_BUDGETS:
                return config->health_budgets && reader->is_uncordoned;
        case HEALTH_DONE:
                break;
        }
        return true;
}

static void check_health(struct reboot_reader *reader) {
        while (!wants_check(reader))
                reader->health++;
        switch (reader->health) {
        case HEALTH_PODS:
                list_own_pods(reader, on_health_pods);
                return;
        case HEALTH_COMMAND:
                reader->command = host_command_start(
                        runtime_loop(reader->runtime), reader->config->health_command,
                        reader->config->health_timeout_ns, on_health_command, reader);
                return;
        case HEALTH_URL:
                call(reader, &reader->probe_carrier,
                     &(struct reader_call){ API_GET, slice_of(url_path(reader->config->health_url)),
                                            SLICE_EMPTY, on_health_url,
                                            reader->config->health_timeout_ns });
                return;
        case HEALTH_BUDGETS:
                get(reader, "/apis/policy/v1/poddisruptionbudgets", on_health_budgets);
                return;
        case HEALTH_DONE:
                break;
        }
        reboot_agent_saw_health(reader->agent, SLICE_EMPTY);
        finish(reader);
}

/* ---- all ---- */

void reboot_reader_start(struct reboot_reader *reader, const struct reboot_turn *turn) {
        switch (turn->read) {
        case REBOOT_READ_SENTINEL:
                read_sentinel(reader);
                return;
        case REBOOT_READ_NODE:
                read_node(reader, reader->config->agent->node, on_node);
                return;
        case REBOOT_READ_LOCK:
                read_lock(reader);
                return;
        case REBOOT_READ_BLOCKERS:
                read_blockers(reader);
                return;
        case REBOOT_READ_PODS:
                read_pods(reader);
                return;
        case REBOOT_READ_PEERS:
                get(reader, "/api/v1/nodes", on_peers);
                return;
        case REBOOT_READ_HOLDER:
                read_node(reader, turn->holder, on_holder);
                return;
        case REBOOT_READ_HEALTH:
                reader->health = HEALTH_PODS;
                reader->is_uncordoned = turn->is_uncordoned;
                check_health(reader);
                return;
        case REBOOT_READ_NOTHING:
        case REBOOT_READ_COUNT:
                return;
        }
}

/* The part of a URL before the path. */
static char *url_server(const char *url) {
        const char *host = strstr(url, "://"), *path = host ? strchr(host + 3, '/') : NULL;

        return slice_dup(slice_make(url, path ? (size_t)(path - url) : strlen(url)));
}

static int connect_peers(struct reboot_reader *reader, struct err *err) {
        const struct reboot_role_config *config = reader->config;
        struct loop *loop = runtime_loop(reader->runtime);

        if (config->prometheus_url && config->prometheus_url[0]) {
                struct http_transport_config http = {
                        .access = { .server = slice_dup(slice_of(config->prometheus_url)) },
                        .timeout_ns = READ_TIMEOUT_NS,
                };

                if (http_transport_new(&http, loop, &reader->prometheus, err) < 0)
                        return BERTH_ERR_INVALID;
                reader->prometheus_carrier = http_transport(reader->prometheus);
        }
        if (config->health_url && config->health_url[0]) {
                struct http_transport_config http = {
                        .access = { .server = url_server(config->health_url) },
                        .timeout_ns = READ_TIMEOUT_NS,
                };

                if (http_transport_new(&http, loop, &reader->probe, err) < 0)
                        return BERTH_ERR_INVALID;
                reader->probe_carrier = http_transport(reader->probe);
        }
        return 0;
}

int reboot_reader_new(struct runtime *runtime, const struct reboot_role_config *config,
                      const struct reboot_listener *listener, struct reboot_reader **ret_reader,
                      struct err *err) {
        struct reboot_reader *reader = xcalloc(1, sizeof(*reader));

        reader->runtime = runtime;
        reader->config = config;
        reader->agent = listener->agent;
        reader->answered = listener->answered;
        reader->context = listener->context;
        arena_init(&reader->arena, 4096);
        if (connect_peers(reader, err) < 0) {
                reboot_reader_free(reader);
                return BERTH_ERR_INVALID;
        }
        *ret_reader = reader;
        return 0;
}

void reboot_reader_free(struct reboot_reader *reader) {
        if (!reader)
                return;
        if (reader->request)
                transport_cancel(reader->carrier, reader->request);
        host_command_cancel(reader->command);
        http_transport_free(reader->prometheus);
        http_transport_free(reader->probe);
        owners_clear(reader);
        free(reader->asked_owner);
        json_doc_free(reader->budgets);
        arena_release(&reader->arena);
        free(reader);
}
