/* Spans of passes and their way to a collector. */
#include "roles/tracer.h"

#include "base/log.h"
#include "base/rng.h"
#include "base/util.h"
#include "client/http_transport.h"
#include "evict/evict_service.h"
#include "pages/role_metrics.h"
#include <stdlib.h>
#include <string.h>

#define SPAN_KIND_INTERNAL 1
#define STATUS_ERROR 2
#define RULES_MAX 64

struct rule_span {              /* of the last pass */
        char *profile, *plugin; /* owned */
        uint64_t id;
};

struct tracer {
        struct tracer_config config;
        struct rng rng;
        struct http_transport *http;
        struct transport carrier;
        struct api_request *request;
        struct loop_timer timer;
        struct buf spans; /* JSON objects, comma-separated */
        size_t span_count, sending;
        uint64_t sent, lost;
        bool is_sampled;
        uint64_t trace_high, trace_low, pass_id, profiles_id;
        struct wall_time pass_start, rule_start;
        int64_t stopwatch_ns; /* at pass_start */
        size_t rule_count;
        struct rule_span rules[RULES_MAX];
};

/* ---- spans ---- */

struct span {
        uint64_t id, parent; /* parent 0 = none */
        const char *name;
        struct wall_time start, end;
        const char *failure; /* NULL = none */
};

static void put_text(struct buf *out, const char *key, struct slice text) {
        if (out->len > 0 && out->data[out->len - 1] == '}')
                buf_char(out, ',');
        buf_printf(out, "{\"key\":\"%s\",\"value\":{\"stringValue\":", key);
        buf_json_string(out, text);
        buf_text(out, "}}");
}

static void put_number(struct buf *out, const char *key, uint64_t number) {
        if (out->len > 0 && out->data[out->len - 1] == '}')
                buf_char(out, ',');
        buf_printf(out, "{\"key\":\"%s\",\"value\":{\"intValue\":\"%llu\"}}", key,
                   (unsigned long long)number);
}

static void add_span(struct tracer *tracer, const struct span *span, const struct buf *attributes) {
        struct buf *out = &tracer->spans;

        if (tracer->span_count == TRACER_SPANS_MAX) {
                tracer->lost++;
                return;
        }
        buf_printf(out, "%s{\"traceId\":\"%016llx%016llx\",\"spanId\":\"%016llx\",",
                   tracer->span_count++ ? "," : "", (unsigned long long)tracer->trace_high,
                   (unsigned long long)tracer->trace_low, (unsigned long long)span->id);
        if (span->parent)
                buf_printf(out, "\"parentSpanId\":\"%016llx\",", (unsigned long long)span->parent);
        buf_text(out, "\"name\":");
        buf_json_string(out, slice_of(span->name));
        buf_printf(out,
                   ",\"kind\":%d,\"startTimeUnixNano\":\"%lld\",\"endTimeUnixNano\":\"%lld\","
                   "\"attributes\":[",
                   SPAN_KIND_INTERNAL, (long long)span->start.ns, (long long)span->end.ns);
        buf_slice(out, buf_view(attributes));
        buf_text(out, "],\"status\":{");
        if (span->failure) {
                buf_printf(out, "\"code\":%d,\"message\":", STATUS_ERROR);
                buf_json_string(out, slice_of(span->failure));
        }
        buf_text(out, "}}");
}

static uint64_t new_id(struct tracer *tracer) {
        uint64_t id = rng_u64(&tracer->rng);

        return id ? id : 1;
}

/* The loop's clock stands still during an iteration; the stopwatch measures what happens inside. */
static struct wall_time now_of(const struct tracer *tracer) {
        return (struct wall_time){ tracer->pass_start.ns + stopwatch_ns() - tracer->stopwatch_ns };
}

/* ---- a pass ---- */

static void forget_rules(struct tracer *tracer) {
        while (tracer->rule_count > 0) {
                struct rule_span *rule = &tracer->rules[--tracer->rule_count];

                free(rule->profile);
                free(rule->plugin);
        }
}

void tracer_begin_pass(struct tracer *tracer) {
        if (!tracer)
                return;
        forget_rules(tracer);
        tracer->is_sampled = rng_unit(&tracer->rng) < tracer->config.sample_rate;
        tracer->pass_start = loop_wall(tracer->config.loop);
        tracer->stopwatch_ns = stopwatch_ns();
        tracer->trace_high = new_id(tracer);
        tracer->trace_low = new_id(tracer);
        tracer->pass_id = new_id(tracer);
        tracer->profiles_id = new_id(tracer);
}

void tracer_end_pass(struct tracer *tracer, uint32_t evicted) {
        CLEANUP(buf_release) struct buf attributes = { 0 };
        struct span span;

        if (!tracer || !tracer->is_sampled)
                return;
        span = (struct span){ .id = tracer->profiles_id,
                              .parent = tracer->pass_id,
                              .name = "runProfiles",
                              .start = tracer->pass_start,
                              .end = now_of(tracer) };
        add_span(tracer, &span, &attributes);
        put_number(&attributes, "evictions", evicted);
        span.id = tracer->pass_id;
        span.parent = 0;
        span.name = "runDeschedulerLoop";
        add_span(tracer, &span, &attributes);
        if (!loop_timer_is_armed(&tracer->timer))
                loop_timer_arm(tracer->config.loop, &tracer->timer, TRACER_PERIOD_NS);
}

void tracer_begin_rule(struct tracer *tracer) {
        if (tracer)
                tracer->rule_start = now_of(tracer);
}

void tracer_end_rule(struct tracer *tracer, const struct traced_rule *rule) {
        CLEANUP(buf_release) struct buf attributes = { 0 };

        if (!tracer || !tracer->is_sampled || tracer->rule_count == RULES_MAX)
                return;
        struct rule_span *rule_span = &tracer->rules[tracer->rule_count++];
        *rule_span = (struct rule_span){ .profile = slice_dup(rule->profile),
                                         .plugin = slice_dup(rule->plugin),
                                         .id = new_id(tracer) };
        put_text(&attributes, "plugin", rule->plugin);
        put_text(&attributes, "profile", rule->profile);
        put_text(&attributes, "operation", slice_of(rule->is_balance ? "balance" : "deschedule"));
        add_span(tracer,
                 &(struct span){ .id = rule_span->id,
                                 .parent = tracer->profiles_id,
                                 .name = rule_span->plugin,
                                 .start = tracer->rule_start,
                                 .end = now_of(tracer),
                                 .failure = rule->failure },
                 &attributes);
}

static uint64_t parent_of(const struct tracer *tracer, const struct evict_record *record) {
        for (size_t i = tracer->rule_count; i-- > 0;)
                if (slice_is(record->profile, tracer->rules[i].profile) &&
                    slice_is(record->plugin, tracer->rules[i].plugin))
                        return tracer->rules[i].id;
        return tracer->pass_id;
}

void tracer_note_eviction(struct tracer *tracer, const struct evict_record *record) {
        CLEANUP(buf_release) struct buf attributes = { 0 };
        bool is_good =
                record->result == EVICT_RESULT_SUCCESS || record->result == EVICT_RESULT_DRY_RUN;

        if (!tracer || !tracer->is_sampled)
                return;
        put_text(&attributes, "podName", record->pod.name);
        put_text(&attributes, "podNamespace", record->pod.ns);
        put_text(&attributes, "reason", record->reason);
        put_text(&attributes, "operation", SLICE_LITERAL("evict"));
        add_span(tracer,
                 &(struct span){ .id = new_id(tracer),
                                 .parent = parent_of(tracer, record),
                                 .name = "EvictPod",
                                 .start = record->asked,
                                 .end = record->ended,
                                 .failure = is_good ? NULL : evict_result_name(record->result) },
                 &attributes);
}

/* ---- sending ---- */

static void on_sent(void *context, const struct api_reply *reply) {
        struct tracer *tracer = context;

        tracer->request = NULL;
        if (reply->status >= 200 && reply->status < 300) {
                tracer->sent += tracer->sending;
        } else {
                tracer->lost += tracer->sending;
                LOG(LOG_WARN, "TracesRefused", log_i64("status", reply->status),
                    log_text("error", reply->error.text));
        }
        tracer->sending = 0;
        if (tracer->span_count > 0 && !loop_timer_is_armed(&tracer->timer))
                loop_timer_arm(tracer->config.loop, &tracer->timer, TRACER_PERIOD_NS);
        if (tracer->config.sent)
                tracer->config.sent(tracer->config.context);
}

static void write_resource(const struct tracer *tracer, struct buf *out) {
        const struct tracer_config *config = &tracer->config;
        CLEANUP(buf_release) struct buf attributes = { 0 };

        put_text(&attributes, "service.name",
                 slice_of(config->service_name && config->service_name[0] ? config->service_name
                                                                          : "descheduler"));
        put_text(&attributes, "service.version", SLICE_LITERAL(BERTH_VERSION));
        if (config->namespace_name && config->namespace_name[0])
                put_text(&attributes, "service.namespace", slice_of(config->namespace_name));
        buf_text(out, "{\"resourceSpans\":[{\"resource\":{\"attributes\":[");
        buf_slice(out, buf_view(&attributes));
        buf_text(out, "]},\"scopeSpans\":[{\"scope\":{\"name\":\"berth\"},\"spans\":[");
}

void tracer_flush(struct tracer *tracer) {
        CLEANUP(buf_release) struct buf body = { 0 };

        if (!tracer || tracer->request || tracer->span_count == 0)
                return;
        loop_timer_disarm(tracer->config.loop, &tracer->timer);
        write_resource(tracer, &body);
        buf_slice(&body, buf_view(&tracer->spans));
        buf_text(&body, "]}]}]}");
        tracer->sending = tracer->span_count;
        tracer->span_count = 0;
        buf_clear(&tracer->spans);
        tracer->request = transport_call(
                &tracer->carrier,
                &(struct api_call){ .method = API_POST,
                                    .path = SLICE_LITERAL("/v1/traces"),
                                    .content_type = SLICE_LITERAL("application/json"),
                                    .body = buf_view(&body),
                                    .timeout_ns = TRACER_TIMEOUT_NS },
                on_sent, tracer);
}

static void on_due(void *context) {
        tracer_flush(context);
}

/* ---- life ---- */

bool tracer_is_open(const struct tracer *tracer) {
        return tracer && (tracer->request || tracer->span_count > 0);
}

void tracer_counts(const struct tracer *tracer, uint64_t *ret_sent, uint64_t *ret_lost) {
        *ret_sent = tracer ? tracer->sent : 0;
        *ret_lost = tracer ? tracer->lost : 0;
}

static char *url_of(const char *endpoint) {
        CLEANUP(buf_release) struct buf url = { 0 };

        if (!strstr(endpoint, "://"))
                buf_text(&url, "http://");
        buf_text(&url, endpoint);
        while (url.len > 0 && url.data[url.len - 1] == '/')
                url.len--;
        return slice_dup(buf_view(&url));
}

int tracer_new(const struct tracer_config *config, struct tracer **ret_tracer, struct err *err) {
        struct tracer *tracer = xcalloc(1, sizeof(*tracer));
        struct http_transport_config http = { .access = { .server = url_of(config->endpoint) },
                                              .timeout_ns = TRACER_TIMEOUT_NS };

        if (config->ca_file && config->ca_file[0])
                http.access.ca_file = slice_dup(slice_of(config->ca_file));
        tracer->config = *config;
        tracer->timer = (struct loop_timer){ .fired = on_due, .context = tracer };
        rng_init(&tracer->rng, config->seed);
        if (http_transport_new(&http, config->loop, &tracer->http, err) < 0) {
                free(tracer);
                return err_wrap(err, "traces to %s", config->endpoint);
        }
        tracer->carrier = http_transport(tracer->http);
        *ret_tracer = tracer;
        return 0;
}

void tracer_free(struct tracer *tracer) {
        if (!tracer)
                return;
        loop_timer_disarm(tracer->config.loop, &tracer->timer);
        if (tracer->request)
                transport_cancel(&tracer->carrier, tracer->request);
        http_transport_free(tracer->http);
        forget_rules(tracer);
        buf_release(&tracer->spans);
        free(tracer);
}
