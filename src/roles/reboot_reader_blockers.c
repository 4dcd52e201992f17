/* What stands in the way of a reboot: alerts of Prometheus, then pods on the node. */
#include "roles/reboot_reader_priv.h"

#include "client/url_query.h"
#include "model/event.h"

static void reboot_reader_blockers_blocked(struct reboot_reader *reader, struct slice reason) {
        reboot_agent_saw_blockers(reader->agent, reason);
        reader_finish(reader);
}

/* "Prometheus does not answer: HTTP status 500" */
static void reboot_reader_blockers_failed(struct reboot_reader *reader, const char *what,
                                          const char *why) {
        CLEANUP(buf_release) struct buf reason = { 0 };

        buf_printf(&reason, "%s%s%s", what, why[0] ? ": " : "", why);
        reboot_reader_blockers_blocked(reader, buf_view(&reason));
}

#define PODS_NOT_LISTED "blocking pods cannot be listed"

static void read_blocking_pods(struct reboot_reader *reader);

static void on_blocking_pods(void *context, const struct api_reply *reply) {
        struct reboot_reader *reader = context;
        CLEANUP(buf_release) struct buf why = { 0 };
        struct json_doc *doc = NULL;

        reader->request = NULL;
        if (reader_reply_document(reply, &doc) < 0) {
                reader_print_failure(reply, "", &why);
                reboot_reader_blockers_failed(reader, PODS_NOT_LISTED, why.data);
                return;
        }
        const struct json *meta =
                json_get(json_at(json_get(json_doc_root(doc), "items"), 0), "metadata");
        if (meta) {
                reboot_agent_saw_blocking_pod(reader->agent, json_get_text(meta, "namespace"),
                                              json_get_text(meta, "name"));
                reader_finish(reader);
        } else {
                reader->selector++;
                read_blocking_pods(reader);
        }
        json_doc_free(doc);
}

static void list_blocking_pods(struct reboot_reader *reader) {
        struct buf path = { 0 }, fields = { 0 };

        buf_printf(&fields,
                   "spec.nodeName=" SLICE_FMT
                   ",status.phase!=Succeeded,status.phase!=Failed,status.phase!=Unknown",
                   SLICE_ARG(reader->config->agent->node));
        buf_text(&path, "/api/v1/pods");
        url_query_text(&path, "labelSelector",
                       slice_of(reader->config->blocking_selectors[reader->selector]));
        url_query_text(&path, "fieldSelector", buf_view(&fields));
        url_query_u64(&path, "limit", 10);
        reader_get(reader, path.data, on_blocking_pods);
        buf_release(&path);
        buf_release(&fields);
}

/* The first by name, as a list has it; NULL = none. */
static const struct drain_pod *first_match(const struct drain_pods *pods,
                                           const struct selector *selector) {
        const struct drain_pod *first = NULL;

        for (size_t i = 0; i < pods->count; i++) {
                const struct drain_pod *pod = &pods->items[i];
                int order = first ? slice_compare(pod->ns, first->ns) : -1;

                if (order == 0)
                        order = slice_compare(pod->name, first->name);
                if (order < 0 && pod->is_running && selector_matches(selector, pod->labels))
                        first = pod;
        }
        return first;
}

/* As the lists would have it, from the model. */
static void take_blocking_pods(struct reboot_reader *reader, const struct cluster *model) {
        CLEANUP(arena_release) struct arena arena;
        struct drain_pods pods;
        struct selector selector;
        const struct drain_pod *pod = NULL;
        struct err err = { 0 };

        arena_init(&arena, 4096);
        drain_pods_take(model, reader->config->agent->node, &arena, &pods);
        for (size_t i = 0; !pod && i < reader->config->blocking_selector_count; i++) {
                if (selector_parse(slice_of(reader->config->blocking_selectors[i]), &arena,
                                   &selector, &err) < 0) {
                        reboot_reader_blockers_failed(reader, PODS_NOT_LISTED, err.text);
                        return;
                }
                pod = first_match(&pods, &selector);
        }
        if (!pod) {
                reboot_reader_blockers_blocked(reader, SLICE_EMPTY);
                return;
        }
        reboot_agent_saw_blocking_pod(reader->agent, pod->ns, pod->name);
        reader_finish(reader);
}

static void read_blocking_pods(struct reboot_reader *reader) {
        const struct cluster *model = runtime_complete_model(reader->runtime, 1u << OBJECT_POD);

        if (reader->selector == reader->config->blocking_selector_count)
                reboot_reader_blockers_blocked(reader, SLICE_EMPTY);
        else if (model)
                take_blocking_pods(reader, model);
        else
                list_blocking_pods(reader);
}

static void ask_prometheus(struct reboot_reader *reader, enum api_method method);

static void on_alerts(void *context, const struct api_reply *reply) {
        struct reboot_reader *reader = context;
        CLEANUP(cleanup_json_doc) struct json_doc *doc = NULL;
        CLEANUP(buf_release) struct buf names = { 0 }, reason = { 0 };
        struct err err = { 0 };

        reader->request = NULL;
        if ((reply->status == 405 || reply->status == 501) && !reader->is_get_retried) {
                reader->is_get_retried = true;
                ask_prometheus(reader, API_GET);
                return;
        }
        int code = reader_reply_document(reply, &doc);
        if (code == BERTH_OK)
                code = blocking_alerts_find(json_doc_root(doc), &reader->config->alerts, &names,
                                            &err);
        if (code < 0) {
                reader_print_failure(reply, err.text, &reason);
                reboot_reader_blockers_failed(reader, "Prometheus does not answer", reason.data);
        } else if (names.len > 0) {
                buf_printf(&reason, "alert " SLICE_FMT, SLICE_ARG(buf_view(&names)));
                reboot_reader_blockers_blocked(reader, buf_view(&reason));
        } else {
                read_blocking_pods(reader);
        }
}

static void ask_prometheus(struct reboot_reader *reader, enum api_method method) {
        bool is_get = method == API_GET;

        reader_call(reader, &reader->prometheus_carrier,
                    &(struct reader_call){
                            method,
                            is_get ? SLICE_LITERAL("/api/v1/query?query=ALERTS")
                                   : SLICE_LITERAL("/api/v1/query"),
                            is_get ? SLICE_EMPTY : SLICE_LITERAL("query=ALERTS"),
                            on_alerts,
                            reader->config->prometheus_timeout_ns,
                    });
}

void reader_ask_blockers(struct reboot_reader *reader) {
        reader->selector = 0;
        reader->is_get_retried = false;
        if (reader->prometheus)
                ask_prometheus(reader, API_POST);
        else
                read_blocking_pods(reader);
}
