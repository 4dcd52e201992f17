/* Calls to the metrics API and to Prometheus, and what they answered. */
#include "roles/usage_feed.h"

#include "api/json.h"
#include "base/base64.h"
#include "base/log.h"
#include "base/util.h"
#include "client/http_transport.h"
#include "client/url_query.h"
#include "config/descheduler_policy.h"
#include "desched/recorded_usage.h"
#include "roles/mounted_account.h"
#include <stdlib.h>
#include <string.h>

#define TOKEN_KEY "prometheusAuthToken"

struct feed_call { /* one under way */
        struct usage_feed *feed;
        struct transport *carrier;
        struct api_request *request; /* NULL = none */
        bool is_fetch;               /* done waits for it */
        void (*answered)(struct feed_call *call, const struct api_reply *reply);
};

struct feed_query {
        struct feed_call call;
        struct slice text;
        struct recorded_usage *answer; /* NULL = failed, see failure */
        struct err failure;
};

struct usage_feed {
        struct transport *transport; /* to the API server */
        struct loop *loop;
        const struct descheduler_policy *policy;
        bool is_parity;
        struct desched_usage source;
        struct feed_call nodes_call, pods_call, secret_call;
        struct recorded_usage *nodes, *pods; /* NULL = no answer yet */
        struct loop_timer poll_timer;        /* of the nodes */
        const struct prometheus_config *prometheus;
        struct mounted_account *account;  /* NULL without Prometheus */
        char *account_token, *account_ca; /* those that http has; NULL = none */
        struct http_transport *http;      /* to Prometheus; NULL until the token is known */
        struct transport http_carrier;
        char *token; /* of the Secret; NULL = none */
        size_t query_count;
        struct feed_query *queries;
        size_t open; /* calls that done waits for */
        void (*done)(void *context);
        void *context;
};

/* ---- asking ---- */

static bool ask_node(void *context, struct slice node, struct slice resource, int64_t *ret_amount) {
        const struct usage_feed *feed = context;

        if (!feed->nodes)
                return false;
        const struct desched_usage *seen = recorded_usage_source(feed->nodes);
        return seen->node(seen->context, node, resource, ret_amount);
}

static bool ask_pod(void *context, struct slice ns, struct slice name, struct slice resource,
                    int64_t *ret_amount) {
        const struct usage_feed *feed = context;

        if (!feed->pods)
                return false;
        const struct desched_usage *seen = recorded_usage_source(feed->pods);
        return seen->pod(seen->context, ns, name, resource, ret_amount);
}

static int ask_query(void *context, struct slice text, const struct usage_sample **ret_samples,
                     size_t *ret_count, struct err *err) {
        const struct usage_feed *feed = context;
        const struct desched_usage *seen;

        for (size_t i = 0; i < feed->query_count; i++) {
                const struct feed_query *query = &feed->queries[i];

                if (!slice_eq(query->text, text))
                        continue;
                if (!query->answer)
                        return err_set(err, BERTH_ERR_UNAVAILABLE, "%s", query->failure.text);
                seen = recorded_usage_source(query->answer);
                return seen->query(seen->context, text, ret_samples, ret_count, err);
        }
        return err_set(err, BERTH_ERR_UNAVAILABLE, "Prometheus was not asked");
}

const struct desched_usage *usage_feed_source(const struct usage_feed *feed) {
        return &feed->source;
}

/* ---- calls ---- */

static void note_done(struct usage_feed *feed) {
        void (*done)(void *context) = feed->done;

        if (feed->open > 0 || !done)
                return;
        feed->done = NULL;
        done(feed->context);
}

static void on_reply(void *context, const struct api_reply *reply) {
        struct feed_call *call = context;
        struct usage_feed *feed = call->feed;

        call->request = NULL;
        feed->open -= call->is_fetch;
        call->answered(call, reply);
        note_done(feed);
}

static void usage_feed_send(struct feed_call *call, struct transport *carrier, const char *path,
                            bool is_fetch) {
        struct usage_feed *feed = call->feed;

        if (call->request && is_fetch && !call->is_fetch) {
                call->is_fetch = true; /* the one under way will do */
                feed->open++;
        }
        if (call->request)
                return;
        call->is_fetch = is_fetch;
        call->carrier = carrier;
        feed->open += is_fetch;
        call->request = transport_call(carrier,
                                       &(struct api_call){ .method = API_GET,
                                                           .path = slice_of(path),
                                                           .timeout_ns = USAGE_TIMEOUT_NS },
                                       on_reply, call);
}

static int parse_reply(const struct api_reply *reply, struct json_doc **ret_doc, struct err *err) {
        if (reply->status == 200)
                return json_parse(reply->body, ret_doc, err);
        if (reply->error.code != 0) {
                *err = reply->error;
                return err->code;
        }
        return err_set(err, BERTH_ERR_UNAVAILABLE, "answered with status %d", reply->status);
}

/* ---- metrics API ---- */

static struct recorded_usage *read_list(const struct usage_feed *feed,
                                        const struct api_reply *reply, const char *what) {
        struct recorded_usage *usage = NULL;
        struct json_doc *doc = NULL;
        struct err err = { 0 };
        int code = parse_reply(reply, &doc, &err);

        if (code == 0)
                code = recorded_usage_of_list(json_doc_root(doc), feed->policy, &usage, &err);
        if (code < 0)
                LOG(LOG_WARN, "NoMetrics", log_text("of", what), log_text("error", err.text));
        json_doc_free(doc);
        return usage;
}

static void on_nodes(struct feed_call *call, const struct api_reply *reply) {
        struct usage_feed *feed = call->feed;
        struct recorded_usage *now = read_list(feed, reply, "nodes");

        if (now && feed->nodes)
                recorded_usage_smooth(now, feed->nodes);
        if (now && feed->nodes && feed->is_parity)
                recorded_usage_keep(now, feed->nodes);
        recorded_usage_free(feed->nodes);
        feed->nodes = now;
}

static void on_pods(struct feed_call *call, const struct api_reply *reply) {
        struct usage_feed *feed = call->feed;

        recorded_usage_free(feed->pods);
        feed->pods = read_list(feed, reply, "pods");
}

static void ask_nodes(struct usage_feed *feed, bool is_fetch) {
        struct loop *loop = feed->loop;

        usage_feed_send(&feed->nodes_call, feed->transport, "/apis/metrics.k8s.io/v1beta1/nodes",
                        is_fetch);
        loop_timer_disarm(loop, &feed->poll_timer);
        loop_timer_arm(loop, &feed->poll_timer, USAGE_NODES_PERIOD_NS);
}

static void on_poll(void *context) {
        ask_nodes(context, false);
}

/* ---- Prometheus ---- */

/* Prometheus explains what is wrong with a query in the body of its 400 or 422. */
static int parse_answer(const struct api_reply *reply, struct json_doc **ret_doc, struct err *err) {
        if ((reply->status == 400 || reply->status == 422) && reply->body.len > 0)
                return json_parse(reply->body, ret_doc, err);
        return parse_reply(reply, ret_doc, err);
}

static void on_samples(struct feed_call *call, const struct api_reply *reply) {
        struct feed_query *query = (struct feed_query *)call; /* its first member */
        struct json_doc *doc = NULL;

        query->failure = (struct err){ 0 };
        recorded_usage_free(query->answer);
        query->answer = NULL;
        int code = parse_answer(reply, &doc, &query->failure);
        if (code == 0)
                code = recorded_usage_of_answer(json_doc_root(doc), call->feed->policy,
                                                &query->answer, &query->failure);
        if (code < 0)
                LOG(LOG_WARN, "NoMetrics", log_text("of", "Prometheus"),
                    log_text("error", query->failure.text));
        json_doc_free(doc);
}

/* Upstream needs the authority for plain HTTP, too, and takes HOST:PORT for the name that the
 * certificate must bear. */
static int connect_as_upstream(const struct usage_feed *feed, struct http_transport_config *config,
                               struct err *err) {
        struct slice rest = feed->prometheus->url;
        size_t scheme = strlen("https://");

        if (!feed->account_ca)
                return err_set(err, BERTH_ERR_IO, "%s",
                               mounted_account_authority_error(feed->account)->text);
        if (!slice_has_prefix(rest, SLICE_LITERAL("https://")))
                return 0;
        rest = slice_make(rest.ptr + scheme, rest.len - scheme);
        slice_split(&rest, '/', &rest);
        config->access.tls_server_name = slice_dup(rest);
        return 0;
}

/* The service account's authority is that of servers inside the cluster. */
static int usage_feed_connect(struct usage_feed *feed, struct err *err) {
        struct http_transport_config config = {
                .access = { .server = slice_dup(feed->prometheus->url) },
                .timeout_ns = USAGE_TIMEOUT_NS,
        };

        if (feed->token)
                config.access.token = slice_dup(slice_of(feed->token));
        else if (!feed->prometheus->token && feed->account_token)
                config.access.token = slice_dup(slice_of(feed->account_token));
        if (slice_has_prefix(feed->prometheus->url, SLICE_LITERAL("https://")) && feed->account_ca)
                config.access.ca_pem = slice_dup(slice_of(feed->account_ca));
        if (feed->is_parity && connect_as_upstream(feed, &config, err) < 0) {
                cluster_access_release(&config.access);
                return err->code;
        }
        if (http_transport_new(&config, feed->loop, &feed->http, err) < 0)
                return err->code;
        feed->http_carrier = http_transport(feed->http);
        return 0;
}

static void fail_queries(struct usage_feed *feed, const struct err *err) {
        for (size_t i = 0; i < feed->query_count; i++) {
                recorded_usage_free(feed->queries[i].answer);
                feed->queries[i].answer = NULL;
                feed->queries[i].failure = *err;
        }
        LOG(LOG_WARN, "NoMetrics", log_text("of", "Prometheus"), log_text("error", err->text));
}

static void ask_queries(struct usage_feed *feed) {
        struct err err = { 0 };

        if (!feed->http && usage_feed_connect(feed, &err) < 0) {
                fail_queries(feed, &err);
                return;
        }
        for (size_t i = 0; i < feed->query_count; i++) {
                CLEANUP(buf_release) struct buf path = { 0 };

                buf_text(&path, "/api/v1/query");
                url_query_text(&path, "query", feed->queries[i].text);
                usage_feed_send(&feed->queries[i].call, &feed->http_carrier, path.data, true);
        }
}

/* A new one needs new connections; nothing is under way on the old ones now. */
static void take_secret(struct usage_feed *feed, char **own, struct slice text) {
        if (slice_eq(slice_of(*own), text))
                return;
        if (*own)
                explicit_bzero(*own, strlen(*own));
        free(*own);
        *own = text.len ? slice_dup(text) : NULL;
        http_transport_free(feed->http);
        feed->http = NULL;
}

static int read_token(const struct api_reply *reply, struct buf *ret_token, struct err *err) {
        struct json_doc *doc = NULL;
        int code = parse_reply(reply, &doc, err);
        struct slice encoded;

        if (code == 0) {
                encoded = json_get_text(json_get(json_doc_root(doc), "data"), TOKEN_KEY);
                if (encoded.len == 0 || !base64_decode(encoded, BASE64_STANDARD, ret_token))
                        code = err_set(err, BERTH_ERR_INVALID,
                                       "Secret of Prometheus: expected a key " TOKEN_KEY);
        }
        json_doc_free(doc);
        return code;
}

static void on_secret(struct feed_call *call, const struct api_reply *reply) {
        struct usage_feed *feed = call->feed;
        CLEANUP(buf_release) struct buf token = { 0 };
        struct err err = { 0 };

        if (read_token(reply, &token, &err) < 0) {
                fail_queries(feed, &err);
                return;
        }
        take_secret(feed, &feed->token, buf_view(&token));
        ask_queries(feed);
}

static void ask_prometheus(struct usage_feed *feed) {
        CLEANUP(buf_release) struct buf path = { 0 };
        const struct secret_reference *secret =
                feed->prometheus->token ? feed->prometheus->token->secret : NULL;

        if (!secret) {
                ask_queries(feed);
                return;
        }
        buf_text(&path, "/api/v1/namespaces/");
        url_escape(&path, secret->ns);
        buf_text(&path, "/secrets/");
        url_escape(&path, secret->name);
        usage_feed_send(&feed->secret_call, feed->transport, path.data, true);
}

static void on_account_read(void *context) {
        struct usage_feed *feed = context;

        take_secret(feed, &feed->account_token, mounted_account_token(feed->account));
        take_secret(feed, &feed->account_ca, mounted_account_authority(feed->account));
        if (feed->query_count > 0)
                ask_prometheus(feed);
        feed->open--;
        note_done(feed);
}

/* ---- life ---- */

void usage_feed_fetch(struct usage_feed *feed, void (*done)(void *context), void *context) {
        if (feed->done)
                return; /* the one under way will do */
        feed->done = done;
        feed->context = context;
        feed->open++; /* until all are on their way */
        if (feed->source.has_kubernetes) {
                ask_nodes(feed, true);
                usage_feed_send(&feed->pods_call, feed->transport,
                                "/apis/metrics.k8s.io/v1beta1/pods", true);
        }
        if (feed->account) {
                feed->open++;
                mounted_account_start(feed->account);
        }
        feed->open--;
        note_done(feed);
}

static void add_query(struct usage_feed *feed, struct slice text) {
        for (size_t i = 0; i < feed->query_count; i++)
                if (slice_eq(feed->queries[i].text, text))
                        return;
        feed->queries = xreallocarray(feed->queries, feed->query_count + 1, sizeof(*feed->queries));
        feed->queries[feed->query_count++] = (struct feed_query){
                .call = { .feed = feed, .answered = on_samples },
                .text = text,
                .failure = { .code = BERTH_ERR_UNAVAILABLE },
        };
}

/* The queries stand in the arguments of the strategies; every enabled or configured one is asked.
 */
static void find_queries(struct usage_feed *feed) {
        const struct item_list *profiles = &feed->policy->profiles;

        for (size_t i = 0; i < profiles->count; i++) {
                const struct descheduler_profile *profile =
                        descheduler_policy_profile(feed->policy, i);

                for (size_t j = 0; j < profile->plugin_configs.count; j++) {
                        const struct json *args = descheduler_profile_config(profile, j)->args;
                        const struct json *metrics = json_get(args, "metricsUtilization");
                        struct slice query =
                                json_get_text(json_get(metrics, "prometheus"), "query");

                        if (query.len > 0)
                                add_query(feed, query);
                }
        }
}

static void find_providers(struct usage_feed *feed) {
        const struct metrics_provider *providers = feed->policy->metrics_providers.items;

        feed->source.has_kubernetes = feed->policy->collects_metrics;
        for (size_t i = 0; i < feed->policy->metrics_providers.count; i++) {
                if (slice_is(providers[i].source, METRICS_SOURCE_KUBERNETES))
                        feed->source.has_kubernetes = true;
                if (slice_is(providers[i].source, METRICS_SOURCE_PROMETHEUS))
                        feed->prometheus = providers[i].prometheus;
        }
        feed->source.has_prometheus = feed->prometheus;
}

const char *usage_feed_failure(const struct usage_feed *feed) {
        bool is_inside = getenv("KUBERNETES_SERVICE_HOST") && getenv("KUBERNETES_SERVICE_PORT");

        if (!feed->is_parity || !feed->prometheus || feed->prometheus->token || !is_inside ||
            feed->account_token)
                return NULL;
        const struct err *err = mounted_account_token_error(feed->account);
        return err->code == BERTH_ERR_UNAVAILABLE ? err->text
                                                  : "open " MOUNTED_TOKEN
                                                    ": no such file or directory";
}

bool usage_feed_is_needed(const struct descheduler_policy *policy) {
        struct usage_feed feed = { .policy = policy };

        find_providers(&feed);
        return feed.source.has_kubernetes || feed.source.has_prometheus;
}

struct usage_feed *usage_feed_new(struct transport *transport, struct loop *loop,
                                  const struct descheduler_policy *policy, bool is_parity) {
        struct usage_feed *feed = xcalloc(1, sizeof(*feed));

        feed->transport = transport;
        feed->loop = loop;
        feed->policy = policy;
        feed->is_parity = is_parity;
        feed->source = (struct desched_usage){
                .context = feed, .node = ask_node, .pod = ask_pod, .query = ask_query
        };
        feed->nodes_call = (struct feed_call){ .feed = feed, .answered = on_nodes };
        feed->pods_call = (struct feed_call){ .feed = feed, .answered = on_pods };
        feed->secret_call = (struct feed_call){ .feed = feed, .answered = on_secret };
        feed->poll_timer = (struct loop_timer){ .fired = on_poll, .context = feed };
        find_providers(feed);
        find_queries(feed);
        if (feed->prometheus)
                feed->account = mounted_account_new(loop, on_account_read, feed);
        if (feed->source.has_kubernetes || feed->source.has_prometheus)
                return feed;
        usage_feed_free(feed);
        return NULL;
}

static void usage_feed_cancel(struct feed_call *call) {
        if (call->request)
                transport_cancel(call->carrier, call->request);
}

void usage_feed_free(struct usage_feed *feed) {
        if (!feed)
                return;
        loop_timer_disarm(feed->loop, &feed->poll_timer);
        usage_feed_cancel(&feed->nodes_call);
        usage_feed_cancel(&feed->pods_call);
        usage_feed_cancel(&feed->secret_call);
        for (size_t i = 0; i < feed->query_count; i++) {
                usage_feed_cancel(&feed->queries[i].call);
                recorded_usage_free(feed->queries[i].answer);
        }
        take_secret(feed, &feed->account_token, SLICE_EMPTY);
        take_secret(feed, &feed->account_ca, SLICE_EMPTY);
        take_secret(feed, &feed->token, SLICE_EMPTY);
        mounted_account_free(feed->account);
        http_transport_free(feed->http);
        recorded_usage_free(feed->nodes);
        recorded_usage_free(feed->pods);
        free(feed->queries);
        free(feed);
}
