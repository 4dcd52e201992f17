/* Two reads, one after the other: policies, and the history where there are any. */
#include "roles/eviction_forecast.h"

#include "base/log.h"
#include "base/util.h"
#include "evict/eviction_cost.h"
#include "evict/eviction_reconciler.h"
#include "roles/history_store.h"
#include <stdlib.h>

#define POLICIES "/apis/" EVICTION_GROUP_OWN "/" EVICTION_VERSION "/evictionpolicies"
#define HISTORY "/api/v1/namespaces/" HISTORY_STORE_NAMESPACE "/configmaps/" HISTORY_STORE_NAME

struct eviction_forecast {
        struct eviction_forecast_config config;
        struct eviction_costs *costs;
        struct expected_times expected_times;
        struct loop_timer timer;
        struct api_request *call;
        void (*done)(void *context);
        void *context;
};

static int64_t expected_ns(void *context, struct pod_id pod, struct wall_time now) {
        const struct eviction_forecast *forecast = context;

        return eviction_costs_of(forecast->costs, forecast->config.cluster, pod, now);
}

static void eviction_forecast_finish(struct eviction_forecast *forecast) {
        void (*done)(void *context) = forecast->done;

        forecast->done = NULL;
        if (forecast->config.interval_ns > 0)
                loop_timer_arm(forecast->config.loop, &forecast->timer,
                               forecast->config.interval_ns);
        if (done)
                done(forecast->context);
}

static void read_history(struct eviction_forecast *forecast, const struct api_reply *reply) {
        struct json_doc *doc = NULL, *data = NULL;

        if (json_parse(reply->body, &doc, NULL) < 0)
                return;
        struct slice text = json_get_text(json_get(json_doc_root(doc), "data"), HISTORY_STORE_KEY);
        if (json_parse(text, &data, NULL) == 0)
                eviction_costs_set_history(forecast->costs, json_doc_root(data));
        json_doc_free(data);
        json_doc_free(doc);
}

static void on_history(void *context, const struct api_reply *reply) {
        struct eviction_forecast *forecast = context;

        forecast->call = NULL;
        if (reply->status == 200)
                read_history(forecast, reply);
        else if (reply->status == 404)
                eviction_costs_set_history(forecast->costs, NULL);
        else
                LOG(LOG_WARN, "HistoryNotRead", log_text("error", reply->error.text));
        eviction_forecast_finish(forecast);
}

static void eviction_forecast_ask(struct eviction_forecast *forecast, const char *path,
                                  void (*answered)(void *context, const struct api_reply *reply)) {
        forecast->call = transport_call(
                forecast->config.transport,
                &(struct api_call){ .path = slice_of(path), .timeout_ns = FORECAST_CALL_NS },
                answered, forecast);
}

static void read_policies(struct eviction_forecast *forecast, const struct api_reply *reply) {
        struct json_doc *doc = NULL;

        if (json_parse(reply->body, &doc, NULL) == 0)
                eviction_costs_set_policies(forecast->costs, json_doc_root(doc));
        json_doc_free(doc);
}

static void on_policies(void *context, const struct api_reply *reply) {
        struct eviction_forecast *forecast = context;

        forecast->call = NULL;
        if (reply->status == 200)
                read_policies(forecast, reply);
        else if (reply->status == 404)
                eviction_costs_set_policies(forecast->costs, NULL);
        else
                LOG(LOG_WARN, "PoliciesNotRead", log_text("error", reply->error.text));
        if (eviction_costs_policy_count(forecast->costs) > 0)
                eviction_forecast_ask(forecast, HISTORY, on_history);
        else
                eviction_forecast_finish(forecast);
}

static void eviction_forecast_look(void *context) {
        struct eviction_forecast *forecast = context;

        eviction_forecast_ask(forecast, POLICIES, on_policies);
}

void eviction_forecast_fetch(struct eviction_forecast *forecast, void (*done)(void *context),
                             void *context) {
        forecast->done = done;
        forecast->context = context;
        if (!forecast->call)
                eviction_forecast_look(forecast);
}

const struct expected_times *eviction_forecast_times(const struct eviction_forecast *forecast) {
        return &forecast->expected_times;
}

struct eviction_forecast *eviction_forecast_new(const struct eviction_forecast_config *config) {
        struct eviction_forecast *forecast = xcalloc(1, sizeof(*forecast));

        forecast->config = *config;
        forecast->costs = eviction_costs_new();
        forecast->expected_times =
                (struct expected_times){ .context = forecast, .expected_ns = expected_ns };
        forecast->timer =
                (struct loop_timer){ .fired = eviction_forecast_look, .context = forecast };
        if (config->interval_ns > 0)
                loop_timer_arm(config->loop, &forecast->timer, 0);
        return forecast;
}

void eviction_forecast_free(struct eviction_forecast *forecast) {
        if (!forecast)
                return;
        loop_timer_disarm(forecast->config.loop, &forecast->timer);
        if (forecast->call)
                transport_cancel(forecast->config.transport, forecast->call);
        eviction_costs_free(forecast->costs);
        free(forecast);
}
