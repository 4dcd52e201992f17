/* Requests, updates and life of the page. */
#include "base/rng.h"
#include "base/util.h"
#include "dashboard/dashboard_priv.h"
#include "dashboard/event_ring.h"
#include "dashboard/headline.h"
#include "dashboard/ui_files.h"
#include "http/tls_material.h"
#include <stdlib.h>
#include <string.h>

#define RETRY_S "5"
#define PLAN_PATH "/api/berth/v1/plan"

/* ---- documents ---- */

static void write_cluster(struct dashboard *dashboard, struct buf *out) {
        char now[WALL_TIME_TEXT_MAX];

        wall_time_format(loop_wall(dashboard->loop), now);
        buf_char(out, '{');
        dashboard_members(dashboard, out);
        buf_text(out, ",\"source\":");
        buf_json_string(out, slice_of(dashboard->source));
        buf_printf(
                out, ",\"live\":%s,\"ready\":%s,\"version\":\"" BERTH_VERSION "\",\"time\":\"%s\"",
                dashboard->is_live ? "true" : "false",
                !dashboard->is_ready || dashboard->is_ready(dashboard->context) ? "true" : "false",
                now);
        buf_text(out, ",\"resources\":");
        resources_write(dashboard->cluster, out);
        buf_char(out, ',');
        dashboard_headline(dashboard, out);
        buf_text(out, "}\n");
}

static void write_events(struct dashboard *dashboard, struct slice query, struct buf *out) {
        buf_char(out, '{');
        dashboard_members(dashboard, out);
        buf_char(out, ',');
        if (dashboard->events)
                event_ring_write(dashboard->events, query, out);
        else
                buf_text(out, "\"last\":0,\"oldest\":0,\"events\":[]");
        buf_text(out, "}\n");
}

/* ---- answers ---- */

static void answer_text(struct http_response *response, int status, const char *text) {
        response->status = status;
        response->content_type = "text/plain; charset=utf-8";
        buf_text(&response->body, text);
}

static void add_safety(struct http_response *response) {
        static const struct {
                const char *name, *value;
        } headers[] = {
                { "Content-Security-Policy",
                  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; "
                  "connect-src 'self'; base-uri 'none'; form-action 'none'; "
                  "frame-ancestors 'none'" },
                { "X-Content-Type-Options", "nosniff" },
                { "Referrer-Policy", "no-referrer" },
                { "Cross-Origin-Opener-Policy", "same-origin" },
                { "Cross-Origin-Resource-Policy", "same-origin" },
                { "Cache-Control", "no-store" },
        };

        for (size_t i = 0; i < ARRAY_LEN(headers); i++)
                http_response_header(response, headers[i].name, "%s", headers[i].value);
}

/* Goes on to the page without the token. It is a page and no redirection: a visit that another
 * program began would not send a strict cookie along. */
static void answer_first_visit(const struct dashboard *dashboard,
                               const struct http_request *request, struct http_response *response) {
        CLEANUP(buf_release) struct buf cookie = { 0 };

        door_cookie_write(&dashboard->door, !request->is_local, &cookie);
        http_response_header(response, "Set-Cookie", "%s", cookie.data);
        response->content_type = "text/html; charset=utf-8";
        buf_text(&response->body, "<!DOCTYPE html>\n<html lang=\"en\"><meta charset=\"utf-8\">"
                                  "<meta http-equiv=\"refresh\" content=\"0;url=/\">"
                                  "<link rel=\"icon\" href=\"/icon.svg\">"
                                  "<title>berth</title><p><a href=\"/\">berth dashboard</a></p>\n");
}

static void answer_stream(struct http_response *response, struct http_stream *stream,
                          const char *type) {
        response->content_type = type;
        response->stream = stream;
        if (!stream) {
                answer_text(response, 503, "too many viewers, try again later\n");
                http_response_header(response, "Retry-After", RETRY_S);
        }
}

/* "since" of the query, or where a browser that lost its connection was. */
static struct slice position_of(const struct http_request *request, struct slice query) {
        static const struct slice name = SLICE_INIT("since=");
        struct slice last = http_request_header(request, "Last-Event-ID"), pair;

        while (!last.len && slice_split(&query, '&', &pair))
                if (slice_has_prefix(pair, name))
                        last = slice_make(pair.ptr + name.len, pair.len - name.len);
        return last;
}

static bool answer_file(struct slice path, struct http_response *response) {
        for (size_t i = 0; ui_files[i].path; i++)
                if (slice_is(path, ui_files[i].path)) {
                        response->content_type = ui_files[i].type;
                        buf_append(&response->body, ui_texts[i].text, ui_texts[i].size);
                        return true;
                }
        return false;
}

/* One of the owner's. */
static bool answer_document(struct dashboard *dashboard, struct slice path, struct slice query,
                            struct http_response *response) {
        const struct dashboard_document *document = dashboard->documents;

        while (document && document->path && !slice_is(path, document->path))
                document++;
        if (!document || !document->path)
                return false;
        response->content_type = "application/json";
        buf_char(&response->body, '{');
        dashboard_members(dashboard, &response->body);
        buf_char(&response->body, ',');
        document->write(dashboard->documents_context, query, &response->body);
        buf_text(&response->body, "}\n");
        return true;
}

static void answer_open(struct dashboard *dashboard, const struct http_request *request,
                        struct http_response *response) {
        struct slice query = request->target, path;
        const char *json = "application/json";

        slice_split(&query, '?', &path);
        if (slice_is(path, "/api/berth/v1/cluster")) {
                response->content_type = json;
                write_cluster(dashboard, &response->body);
        } else if (slice_is(path, "/api/berth/v1/nodes")) {
                answer_stream(response, row_stream_new(dashboard, ROWS_NODES), json);
        } else if (slice_is(path, "/api/berth/v1/pods")) {
                answer_stream(response, row_stream_new(dashboard, ROWS_PODS), json);
        } else if (slice_is(path, "/api/berth/v1/events")) {
                response->content_type = json;
                write_events(dashboard, query, &response->body);
        } else if (slice_is(path, "/api/berth/v1/pod")) {
                response->content_type = json;
                if (!pod_answer_write(dashboard, query, &response->body))
                        answer_text(response, 404, "there is no such pod\n");
        } else if (slice_is(path, PLAN_PATH)) {
                plan_answer_write(dashboard, request, query, response);
        } else if (slice_is(path, "/api/berth/v1/changes")) {
                answer_stream(response, change_stream_new(dashboard, position_of(request, query)),
                              "text/event-stream");
        } else if (!answer_document(dashboard, path, query, response) &&
                   !answer_file(path, response)) {
                answer_text(response, 404, "there is no such page\n");
        }
}

/* Questions that do not fit into an address are posted. */
static bool is_allowed(const struct http_request *request) {
        struct slice rest = request->target, path;

        slice_split(&rest, '?', &path);
        return slice_is(request->method, "GET") ||
               (slice_is(request->method, "POST") && slice_is(path, PLAN_PATH));
}

static void *begin_answer(void *context, const struct http_request *request,
                          struct http_response *ret_response, void (*ready)(void *context),
                          void *ready_context) {
        struct dashboard *dashboard = context;

        (void)ready;
        (void)ready_context;
        *ret_response = (struct http_response){ .status = 200, .retry_after_s = -1 };
        add_safety(ret_response);
        switch (door_ask(&dashboard->door, request)) {
        case DOOR_WRONG_HOST:
                answer_text(ret_response, 421,
                            "not served under this name; see docs/dashboard.md\n");
                return NULL;
        case DOOR_WRONG_ORIGIN:
                answer_text(ret_response, 403, "asked for by another page\n");
                return NULL;
        case DOOR_NO_KEY:
                answer_text(ret_response, 401,
                            "Open the address that berth printed, with its token.\n");
                return NULL;
        case DOOR_FIRST_VISIT:
        case DOOR_OPEN:
                break;
        }
        ret_response->is_known = true;
        if (!is_allowed(request))
                answer_text(ret_response, 405, "this page is read with GET\n");
        else if (door_ask(&dashboard->door, request) == DOOR_FIRST_VISIT)
                answer_first_visit(dashboard, request, ret_response);
        else
                answer_open(dashboard, request, ret_response);
        return NULL;
}

/* Answers are there at once. */
static void *resume_answer(void *pending, struct http_response *ret_response) {
        (void)ret_response;
        return pending;
}

static void cancel_answer(void *pending) {
        (void)pending;
}

/* ---- updates ---- */

static void on_pace(void *context) {
        struct dashboard *dashboard = context;

        dashboard->published = cluster_generation(dashboard->cluster);
        dashboard->published_event = dashboard_last_event(dashboard);
        dashboard->published_documents = dashboard_documents_version(dashboard);
        change_streams_wake(dashboard);
}

static void on_beat(void *context) {
        struct dashboard *dashboard = context;

        dashboard->beats++;
        change_streams_wake(dashboard);
        loop_timer_arm(dashboard->loop, &dashboard->beat, DASHBOARD_BEAT_NS);
}

void dashboard_changed(struct dashboard *dashboard) {
        if (dashboard->viewer_count && !loop_timer_is_armed(&dashboard->pace))
                loop_timer_arm(dashboard->loop, &dashboard->pace, DASHBOARD_PACE_NS);
}

/* ---- life ---- */

static bool is_loopback(struct slice listen) {
        return slice_has_prefix(listen, SLICE_LITERAL("127.")) ||
               slice_has_prefix(listen, SLICE_LITERAL("localhost:")) ||
               slice_has_prefix(listen, SLICE_LITERAL("[::1]:"));
}

/* Plain HTTP on this machine only. Elsewhere a certificate that is made now. */
static int open_front(struct dashboard *dashboard, const char *listen, struct err *err) {
        struct tls_material material = { 0 };
        const char *colon = strrchr(listen, ':');
        bool is_plain = is_loopback(slice_of(listen));

        if (!colon)
                return err_set(err, BERTH_ERR_USAGE, "expected ADDR:PORT, found \"%s\"", listen);
        if (!is_plain && tls_material_make(NULL, &material, err) < 0)
                return err->code;
        int code = http_front_new(
                &(struct http_front_config){ .address = listen,
                                             .key_pem = material.key_pem,
                                             .certificate_pem = material.certificate_pem,
                                             .shows_headers = true },
                &(struct http_handler){ begin_answer, resume_answer, cancel_answer, dashboard },
                dashboard->loop, &dashboard->front, err);
        tls_material_release(&material);
        if (code < 0)
                return code;
        struct buf url = { 0 };
        buf_printf(&url, "%s://%.*s:%u/?token=%s", is_plain ? "http" : "https",
                   (int)(colon - listen), listen, http_front_port(dashboard->front),
                   dashboard->door.token);
        dashboard->url = buf_take(&url, NULL);
        door_name_cookie(&dashboard->door, http_front_port(dashboard->front));
        return 0;
}

int dashboard_new(const struct dashboard_config *config, struct loop *loop,
                  struct dashboard **ret_dashboard, struct err *err) {
        struct dashboard *dashboard = xcalloc(1, sizeof(*dashboard));
        struct rng rng;

        rng_init(&rng, (uint64_t)loop_wall(loop).ns);
        *dashboard = (struct dashboard){ .loop = loop,
                                         .cluster = config->cluster,
                                         .is_ready = config->is_ready,
                                         .context = config->context,
                                         .explain = config->explain,
                                         .explain_context = config->explain_context,
                                         .events = config->events,
                                         .plan = config->plan,
                                         .plan_context = config->plan_context,
                                         .documents = config->documents,
                                         .documents_version = config->documents_version,
                                         .documents_context = config->documents_context,
                                         .source = slice_dup(slice_of(config->source)),
                                         .is_live = config->is_live,
                                         .instance = rng_u64(&rng) };
        arena_init(&dashboard->scratch, 0);
        dashboard->pace = (struct loop_timer){ .fired = on_pace, .context = dashboard };
        dashboard->beat = (struct loop_timer){ .fired = on_beat, .context = dashboard };
        if (door_init(&dashboard->door, config->hosts, err) < 0 ||
            open_front(dashboard, config->listen, err) < 0) {
                dashboard_free(dashboard);
                return err->code;
        }
        loop_timer_arm(loop, &dashboard->beat, DASHBOARD_BEAT_NS);
        *ret_dashboard = dashboard;
        return 0;
}

void dashboard_free(struct dashboard *dashboard) {
        if (!dashboard)
                return;
        http_front_free(dashboard->front);
        loop_timer_disarm(dashboard->loop, &dashboard->pace);
        loop_timer_disarm(dashboard->loop, &dashboard->beat);
        buf_release(&dashboard->headline.text);
        buf_release(&dashboard->changes.text);
        arena_release(&dashboard->scratch);
        free(dashboard->source);
        free(dashboard->url);
        free(dashboard);
}

const char *dashboard_url(const struct dashboard *dashboard) {
        return dashboard->url;
}
