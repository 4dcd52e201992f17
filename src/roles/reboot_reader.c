/* Performs readings over the transport and on the host. */
#include "roles/reboot_reader_priv.h"

#include "base/log.h"
#include "client/http_transport.h"
#include "client/url_query.h"
#include "host/host_reboot.h"
#include "port/thread_job.h"
#include <stdlib.h>
#include <string.h>

/* ---- sentinel ---- */

static void on_sentinel(void *context, enum host_command_end end, int code) {
        struct reboot_reader *reader = context;

        reader->command = NULL;
        if (end == HOST_COMMAND_TIMED_OUT)
                LOG(LOG_WARN, "SentinelCommandTimedOut", log_i64("code", code));
        else if (end == HOST_COMMAND_NOT_FOUND || code > 1)
                LOG(LOG_WARN, "SentinelCommandFailed", log_i64("code", code));
        reboot_agent_saw_sentinel(reader->agent, end == HOST_COMMAND_EXITED && code == 0);
        reader_finish(reader);
}

static void tell_sentinel(struct reboot_reader *reader) {
        reader->awaits_look = false;
        reboot_agent_saw_sentinel(reader->agent, reader->is_required);
        reader_finish(reader);
}

struct sentinel_look {
        char *path;
        bool exists;
};

static void look_for_sentinel(void *data) {
        struct sentinel_look *look = data;

        look->exists = host_file_exists(look->path);
}

static void sentinel_look_free(void *data) {
        struct sentinel_look *look = data;

        free(look->path);
        free(look);
}

static void on_sentinel_file(void *context, void *data, bool was_run) {
        struct reboot_reader *reader = context;
        const struct sentinel_look *look = data;

        reader->look = NULL;
        if (was_run)
                reader->is_required = look->exists;
        if (reader->awaits_look)
                tell_sentinel(reader);
}

/* The file does not answer: what was seen last counts until it does. */
static void on_sentinel_late(void *context) {
        struct reboot_reader *reader = context;

        if (reader->awaits_look)
                tell_sentinel(reader);
}

static void see_sentinel_file(struct reboot_reader *reader) {
        struct thread_job_work work = { .run = look_for_sentinel,
                                        .ended = on_sentinel_file,
                                        .late = on_sentinel_late,
                                        .release = sentinel_look_free };

        reader->awaits_look = true;
        if (reader->look) {
                if (thread_job_is_late(reader->look))
                        tell_sentinel(reader);
                return;
        }
        struct sentinel_look *look = xcalloc(1, sizeof(*look));
        look->path = slice_dup(slice_of(reader->config->sentinel_file));
        work.file = look->path;
        reader->look = thread_job_start(runtime_loop(reader->runtime), &work, look, reader);
}

static void read_sentinel(struct reboot_reader *reader) {
        struct loop *loop = runtime_loop(reader->runtime);
        const struct reboot_host *host = reader->config->host;

        if (reader->config->sentinel_command) {
                reader->command = host_command_start(loop, reader->config->sentinel_command,
                                                     reader->config->sentinel_timeout_ns,
                                                     on_sentinel, reader);
        } else if (host && host->is_required) {
                reader->is_required = host->is_required(host->context);
                tell_sentinel(reader);
        } else {
                see_sentinel_file(reader);
        }
}

/* ---- node, lock, holder ---- */

static void on_node(void *context, const struct api_reply *reply) {
        struct reboot_reader *reader = context;
        struct json_doc *doc = NULL;
        int code = reader_reply_document(reply, &doc);

        reader->request = NULL;
        reboot_agent_saw_node(reader->agent, code, doc);
        reader_finish(reader);
}

static void on_lock(void *context, const struct api_reply *reply) {
        struct reboot_reader *reader = context;
        struct json_doc *doc = NULL;
        int code = reader_reply_document(reply, &doc);

        reader->request = NULL;
        reboot_agent_saw_lock(reader->agent, code, doc);
        reader_finish(reader);
}

static void on_holder(void *context, const struct api_reply *reply) {
        struct reboot_reader *reader = context;

        reader->request = NULL;
        reboot_agent_saw_holder(reader->agent, reader_reply_code(reply));
        reader_finish(reader);
}

static void on_peers(void *context, const struct api_reply *reply) {
        struct reboot_reader *reader = context;
        CLEANUP(cleanup_json_doc) struct json_doc *doc = NULL;

        reader->request = NULL;
        if (reader_reply_document(reply, &doc) < 0 && !reader->nodes_refused) {
                reader->nodes_refused = true;
                LOG(LOG_WARN, "NodesNotListed",
                    log_text("effect", "rules about other nodes have no effect: no right to list "
                                       "nodes"));
        }
        reboot_agent_saw_nodes(reader->agent, json_doc_root(doc));
        reader_finish(reader);
}

static void read_node(struct reboot_reader *reader, struct slice name,
                      void (*done)(void *context, const struct api_reply *reply)) {
        struct buf path = { 0 };

        buf_text(&path, "/api/v1/nodes/");
        url_escape(&path, name);
        reader_get(reader, path.data, done);
        buf_release(&path);
}

static void read_lock(struct reboot_reader *reader) {
        const struct reboot_config *config = reader->config->agent;
        bool is_lease = slice_is(config->lock_kind, "Lease");
        struct buf path = { 0 };

        buf_printf(&path, "/apis/%s/namespaces/" SLICE_FMT "/%s/" SLICE_FMT,
                   is_lease ? "coordination.k8s.io/v1" : "apps/v1", SLICE_ARG(config->lock_ns),
                   is_lease ? "leases" : "daemonsets", SLICE_ARG(config->lock_name));
        reader_get(reader, path.data, on_lock);
        buf_release(&path);
}

/* ---- all ---- */

void reboot_reader_start(struct reboot_reader *reader, const struct reboot_next *next) {
        switch (next->read) {
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
                reader_ask_blockers(reader);
                return;
        case REBOOT_READ_PODS:
                reader_ask_pods(reader, next->is_last_look);
                return;
        case REBOOT_READ_PEERS:
                reader_get(reader, "/api/v1/nodes", on_peers);
                return;
        case REBOOT_READ_HOLDER:
                read_node(reader, next->holder, on_holder);
                return;
        case REBOOT_READ_HEALTH:
                reader_ask_health(reader, next->is_uncordoned);
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
        thread_job_abandon(reader->look);
        http_transport_free(reader->prometheus);
        http_transport_free(reader->probe);
        reader_forget_owners(reader);
        free(reader->asked_owner);
        arena_release(&reader->arena);
        free(reader);
}
