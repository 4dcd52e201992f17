/* Calls and streams over real connections to the sandbox's server in this process, plain and TLS.
 */
#include "live_server.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#define MAPS "/api/v1/namespaces/default/configmaps"

struct seen {
        struct live *live;
        struct api_request *request;
        int replies, opened, ended, chunks, status, retry_after_s;
        bool cancels_on_open, cancels_on_data, calls_again;
        struct api_request *other; /* cancelled with it */
        size_t bytes;
        char last[65536];
        struct err error;
};

static void keep(struct seen *seen, struct slice text) {
        seen->bytes += text.len;
        snprintf(seen->last, sizeof(seen->last), SLICE_FMT, SLICE_ARG(text));
}

static void on_done(void *context, const struct api_reply *reply) {
        struct seen *seen = context;

        seen->replies++;
        seen->status = reply->status;
        seen->error = reply->error;
        seen->retry_after_s = reply->retry_after_s;
        keep(seen, reply->body);
        if (seen->calls_again) {
                struct api_call call = { .path = SLICE_LITERAL("/version") };

                seen->calls_again = false;
                seen->request = transport_call(&seen->live->transport, &call, on_done, seen);
        }
}

static void on_opened(void *context, int status) {
        struct seen *seen = context;

        seen->opened++;
        seen->status = status;
        if (seen->cancels_on_open)
                transport_cancel(&seen->live->transport, seen->request);
}

static void on_data(void *context, struct slice chunk) {
        struct seen *seen = context;

        seen->chunks++;
        keep(seen, chunk);
        if (!seen->cancels_on_data)
                return;
        transport_cancel(&seen->live->transport, seen->request);
        if (seen->other)
                transport_cancel(&seen->live->transport, seen->other);
}

static void on_ended(void *context, const struct api_reply *reply) {
        struct seen *seen = context;

        seen->ended++;
        seen->status = reply->status;
        seen->error = reply->error;
}

static const struct api_stream_events stream_events = { on_opened, on_data, on_ended };

static void send_call(struct seen *seen, enum api_method method, const char *path,
                      const char *body) {
        struct api_call call = { .method = method, .path = slice_of(path), .body = slice_of(body) };

        seen->request = transport_call(&seen->live->transport, &call, on_done, seen);
}

static void open_stream(struct seen *seen, const char *path) {
        struct api_call call = { .path = slice_of(path) };

        seen->request = transport_stream(&seen->live->transport, &call, &stream_events, seen);
}

static void check_calls(bool is_tls) {
        struct live live;
        struct seen seen = { .live = &live };

        live_start(&live, is_tls);
        send_call(&seen, API_POST, MAPS, "{\"metadata\":{\"name\":\"c\"}}");
        assert_int_equal(seen.replies, 0);
        live_until(&live, &seen.replies, 1);
        assert_int_equal(seen.status, 201);
        assert_int_equal(seen.retry_after_s, -1);
        assert_non_null(strstr(seen.last, "\"name\":\"c\""));
        send_call(&seen, API_POST, MAPS, "{\"metadata\":{\"name\":\"c\"}}");
        live_until(&live, &seen.replies, 2);
        assert_int_equal(seen.status, 409);
        assert_int_equal(seen.error.code, BERTH_ERR_EXISTS);
        send_call(&seen, API_GET, MAPS "/absent", "");
        live_until(&live, &seen.replies, 3);
        assert_int_equal(seen.error.code, BERTH_ERR_NOT_FOUND);
        assert_string_equal(seen.error.text, "configmaps \"absent\" not found");
        send_call(&seen, API_DELETE, MAPS "/c", "");
        live_until(&live, &seen.replies, 4);
        assert_int_equal(seen.status, 200);
        seen.calls_again = true; /* from inside the callback */
        send_call(&seen, API_GET, "/version", "");
        live_until(&live, &seen.replies, 6);
        assert_int_equal(seen.status, 200);
        live_stop(&live);
}

static void test_calls_plain(void **state) {
        (void)state;
        check_calls(false);
}

static void test_calls_tls(void **state) {
        (void)state;
        check_calls(true);
}

static void test_methods_and_types(void **state) {
        struct live live;
        struct seen seen = { .live = &live };
        struct api_call call = { .method = API_PATCH,
                                 .path = SLICE_LITERAL(MAPS "/c"),
                                 .content_type = SLICE_LITERAL("application/merge-patch+json"),
                                 .body = SLICE_LITERAL("{\"data\":{\"a\":\"1\"}}") };

        (void)state;
        live_start(&live, false);
        assert_int_equal(live_do(&live, "POST", MAPS, "{\"metadata\":{\"name\":\"c\"}}"), 201);
        transport_call(&live.transport, &call, on_done, &seen);
        live_until(&live, &seen.replies, 1);
        assert_int_equal(seen.status, 200);
        assert_non_null(strstr(seen.last, "\"a\":\"1\""));
        call.content_type = SLICE_LITERAL("application/json-patch+json");
        call.body = SLICE_LITERAL("[{\"op\":\"remove\",\"path\":\"/data/a\"}]");
        transport_call(&live.transport, &call, on_done, &seen);
        live_until(&live, &seen.replies, 2);
        assert_int_equal(seen.status, 200);
        call = (struct api_call){
                .method = API_GET,
                .path = SLICE_LITERAL(MAPS),
                .accept = SLICE_LITERAL("application/json;as=Table;v=v1;g=meta.k8s.io"),
        };
        transport_call(&live.transport, &call, on_done, &seen);
        live_until(&live, &seen.replies, 3);
        assert_non_null(strstr(seen.last, "\"kind\":\"Table\""));
        live_stop(&live);
}

/* Many at once: nothing is lost, and one connection is no limit. */
static void test_many_calls(void **state) {
        struct live live;
        struct seen seen = { .live = &live };
        struct api_request *cancelled;

        (void)state;
        live_start(&live, true);
        for (int i = 0; i < 100; i++) {
                char body[64];

                snprintf(body, sizeof(body), "{\"metadata\":{\"name\":\"c%d\"}}", i);
                send_call(&seen, API_POST, MAPS, body);
        }
        cancelled = seen.request; /* still waiting */
        transport_cancel(&live.transport, cancelled);
        live_until(&live, &seen.replies, 99);
        send_call(&seen, API_GET, MAPS, "");
        event_loop_run_once(live.events, NS_PER_S, NULL);
        transport_cancel(&live.transport, seen.request); /* under way */
        live_run_once(&live, 5);
        assert_int_equal(seen.replies, 99);
        assert_int_equal(live_do(&live, "GET", MAPS "/c98", ""), 200);
        assert_int_equal(live_do(&live, "GET", MAPS "/c99", ""), 404);
        live_stop(&live);
}

static void check_stream(bool is_tls) {
        struct live live;
        struct seen seen = { .live = &live }, other = { .live = &live };

        live_start(&live, is_tls);
        open_stream(&seen, MAPS "?watch=1&fieldSelector=metadata.name%3Dc");
        live_until(&live, &seen.opened, 1);
        assert_int_equal(seen.status, 200);
        assert_int_equal(seen.chunks, 0);
        live_do(&live, "POST", MAPS, "{\"metadata\":{\"name\":\"c\"}}");
        live_until(&live, &seen.chunks, 1);
        assert_non_null(strstr(seen.last, "\"ADDED\""));
        open_stream(&other, MAPS "?watch=1&resourceVersion=x");
        live_until(&live, &other.ended, 1);
        assert_int_equal(other.opened, 1);
        assert_int_equal(other.chunks, 0); /* an error is no data */
        assert_int_not_equal(other.error.code, 0);
        other = (struct seen){ .live = &live, .cancels_on_data = true, .other = seen.request };
        open_stream(&other, MAPS "?watch=1&fieldSelector=metadata.name%3Dd");
        live_until(&live, &other.opened, 1);
        live_do(&live, "POST", MAPS, "{\"metadata\":{\"name\":\"d\"}}");
        live_until(&live, &other.chunks, 1);
        live_do(&live, "DELETE", MAPS "/c", "");
        live_do(&live, "DELETE", MAPS "/d", "");
        live_run_once(&live, 5);
        assert_int_equal(seen.chunks, 1);
        assert_int_equal(other.chunks, 1);
        assert_int_equal(seen.ended + other.ended, 0);
        other = (struct seen){ .live = &live, .cancels_on_open = true };
        open_stream(&other, MAPS "?watch=1");
        live_until(&live, &other.opened, 1);
        live_run_once(&live, 3);
        assert_int_equal(other.ended, 0);
        open_stream(&seen, MAPS "?watch=1"); /* left open: cut by live_stop without a callback */
        live_until(&live, &seen.opened, 2);
        live_stop(&live);
        assert_int_equal(seen.ended, 0);
}

static void test_streams_plain(void **state) {
        (void)state;
        check_stream(false);
}

static void test_streams_tls(void **state) {
        (void)state;
        check_stream(true);
}

static void test_server_goes_away(void **state) {
        struct live live;
        struct seen seen = { .live = &live }, stream = { .live = &live };

        (void)state;
        live_start(&live, true);
        open_stream(&stream, MAPS "?watch=1");
        live_until(&live, &stream.opened, 1);
        http_front_free(live.front);
        live.front = NULL;
        live_until(&live, &stream.ended, 1);
        send_call(&seen, API_GET, "/version", "");
        live_until(&live, &seen.replies, 1);
        assert_int_equal(seen.status, 0);
        assert_int_equal(seen.error.code, BERTH_ERR_UNAVAILABLE);
        assert_non_null(strstr(seen.error.text, "GET https://127.0.0.1:"));
        live_listen(&live); /* the same port again */
        send_call(&seen, API_GET, "/version", "");
        live_until(&live, &seen.replies, 2);
        assert_int_equal(seen.status, 200);
        live_stop(&live);
}

static void test_trust(void **state) {
        struct live live;
        struct seen seen = { .live = &live };
        struct tls_material stranger;
        struct http_transport_config config = { 0 };

        (void)state;
        live_start(&live, true);
        assert_int_equal(tls_material_make(NULL, &stranger, NULL), 0);
        config.access = live_access(&live);
        free(config.access.ca_pem);
        config.access.ca_pem = slice_dup(slice_of(stranger.ca_pem));
        http_transport_free(live.http);
        live.http = live_connect(&live, config);
        live.transport = http_transport(live.http);
        send_call(&seen, API_GET, "/version", "");
        live_until(&live, &seen.replies, 1);
        assert_int_equal(seen.error.code, BERTH_ERR_UNAVAILABLE);

        config.access = live_access(&live);
        free(config.access.ca_pem);
        config.access.ca_pem = NULL;
        config.access.is_insecure = true;
        http_transport_free(live.http);
        live.http = live_connect(&live, config);
        live.transport = http_transport(live.http);
        send_call(&seen, API_GET, "/version", "");
        live_until(&live, &seen.replies, 2);
        assert_int_equal(seen.status, 200);
        tls_material_release(&stranger);
        live_stop(&live);
}

static void write_file(const char *path, const char *text) {
        FILE *file = fopen(path, "w");

        assert_non_null(file);
        fputs(text, file);
        fclose(file);
}

/* A refused certificate has the files read again: a rotated authority is found. */
static void test_trust_in_files(void **state) {
        struct live live;
        struct seen seen = { .live = &live };
        struct tls_material stranger;
        struct http_transport_config config = { 0 };
        char path[] = "/tmp/berth-ca-XXXXXX";

        (void)state;
        live_start(&live, true);
        assert_int_equal(tls_material_make(NULL, &stranger, NULL), 0);
        close(mkstemp(path));
        write_file(path, stranger.ca_pem);
        config.access = live_access(&live);
        free(config.access.ca_pem);
        config.access.ca_pem = NULL;
        config.access.ca_file = slice_dup(slice_of(path));
        http_transport_free(live.http);
        live.http = live_connect(&live, config);
        live.transport = http_transport(live.http);
        send_call(&seen, API_GET, "/version", "");
        live_until(&live, &seen.replies, 1);
        assert_int_equal(seen.error.code, BERTH_ERR_UNAVAILABLE);
        write_file(path, live.material.ca_pem);
        for (unsigned i = 2; seen.status != 200; i++) {
                send_call(&seen, API_GET, "/version", "");
                live_until(&live, &seen.replies, i);
        }
        unlink(path);
        tls_material_release(&stranger);
        live_stop(&live);
}

/* The certificate is valid for kubernetes.default.svc; the address is reached under that name. */
static void test_server_name(void **state) {
        static const struct {
                const char *name;
                int status;
        } cases[] = { { "kubernetes.default.svc", 200 }, { "elsewhere.example", 0 } };
        struct live live;

        (void)state;
        live_start(&live, true);
        for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
                struct http_transport_config config = { .access = live_access(&live) };
                struct seen seen = { .live = &live };

                config.access.tls_server_name = slice_dup(slice_of(cases[i].name));
                http_transport_free(live.http);
                live.http = live_connect(&live, config);
                live.transport = http_transport(live.http);
                send_call(&seen, API_GET, "/version", "");
                live_until(&live, &seen.replies, 1);
                assert_int_equal(seen.status, cases[i].status);
        }
        live_stop(&live);
}

/* The token is in a file, and no longer good. */
static void start_with_stale_token(struct live *live, char *path) {
        struct http_transport_config config;

        close(mkstemp(path));
        write_file(path, "stale\n");
        live_start(live, false);
        config = (struct http_transport_config){ .access = live_access(live) };
        config.access.token_file = slice_dup(slice_of(path));
        http_transport_free(live->http);
        live->http = live_connect(live, config);
        live->transport = http_transport(live->http);
}

static void test_token_file(void **state) {
        struct live live;
        struct seen seen = { .live = &live };
        char path[] = "/tmp/berth-token-XXXXXX";

        (void)state;
        start_with_stale_token(&live, path);
        send_call(&seen, API_GET, "/api/v1/nodes", "");
        live_until(&live, &seen.replies, 1);
        assert_int_equal(seen.status, 401);
        assert_int_equal(seen.error.code, BERTH_ERR_UNAUTHORIZED);
        write_file(path, LIVE_TOKEN "\n"); /* found by the second attempt, which nobody sees */
        send_call(&seen, API_GET, "/api/v1/nodes", "");
        live_until(&live, &seen.replies, 2);
        assert_int_equal(seen.status, 200);
        write_file(path, "stale again");
        send_call(&seen, API_GET, "/api/v1/nodes", "");
        live_until(&live, &seen.replies, 3);
        assert_int_equal(seen.status, 200); /* not looked at for a minute */
        unlink(path);
        live_stop(&live);
}

static void test_token_file_of_streams(void **state) {
        struct live live;
        struct seen seen = { .live = &live };
        char path[] = "/tmp/berth-token-XXXXXX";

        (void)state;
        start_with_stale_token(&live, path);
        open_stream(&seen, MAPS "?watch=1");
        live_until(&live, &seen.ended, 1);
        assert_int_equal(seen.status, 401);
        assert_int_equal(seen.opened, 1);
        write_file(path, LIVE_TOKEN);
        open_stream(&seen, MAPS "?watch=1");
        live_until(&live, &seen.opened, 2);
        assert_int_equal(seen.status, 200);
        unlink(path);
        live_stop(&live);
}

/* A listener that accepts by its backlog and never says a word. */
static void test_silence(void **state) {
        struct live live;
        struct seen seen = { .live = &live };
        struct sockaddr_in address = { .sin_family = AF_INET };
        socklen_t size = sizeof(address);
        struct http_transport_config config = { .stream_idle_ns = 20 * NS_PER_MS,
                                                .timeout_ns = 20 * NS_PER_MS };
        int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
        char url[64];

        (void)state;
        live_start(&live, false);
        address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        assert_int_equal(bind(fd, (struct sockaddr *)&address, sizeof(address)), 0);
        assert_int_equal(listen(fd, 8), 0);
        assert_int_equal(getsockname(fd, (struct sockaddr *)&address, &size), 0);
        snprintf(url, sizeof(url), "http://127.0.0.1:%u", ntohs(address.sin_port));
        config.access.server = slice_dup(slice_of(url));
        http_transport_free(live.http);
        live.http = live_connect(&live, config);
        live.transport = http_transport(live.http);
        send_call(&seen, API_GET, "/version", "");
        live_until(&live, &seen.replies, 1);
        assert_int_equal(seen.status, 0);
        assert_int_equal(seen.error.code, BERTH_ERR_TIMEOUT);
        open_stream(&seen, MAPS "?watch=1");
        live_until(&live, &seen.ended, 1);
        assert_int_equal(seen.error.code, BERTH_ERR_TIMEOUT);
        assert_int_equal(seen.opened, 0);
        close(fd);
        live_stop(&live);
}

static void test_limits(void **state) {
        struct live live;
        struct seen seen = { .live = &live };
        struct http_transport_config config = { .body_max = 100 };

        (void)state;
        live_start(&live, false);
        http_transport_free(live.http);
        live.http = live_connect(&live, config);
        live.transport = http_transport(live.http);
        send_call(&seen, API_GET, "/api/v1", "");
        live_until(&live, &seen.replies, 1);
        assert_int_equal(seen.status, 0);
        assert_int_equal(seen.error.code, BERTH_ERR_TOO_LARGE);
        live_stop(&live);
}

static void test_refused_configurations(void **state) {
        static const struct {
                const char *server, *token_file, *text;
        } cases[] = {
                { NULL, NULL, "no server address" },
                { "ftp://x", NULL, "ftp://x" },
                { "https://", NULL, "not an http" },
                { "http://a b", NULL, "not an http" },
                { "http://a", "/nonexistent/token", "/nonexistent/token" },
        };
        struct event_loop *events;

        (void)state;
        assert_int_equal(event_loop_new(&events, NULL), 0);
        for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
                struct http_transport_config config = { 0 };
                struct http_transport *http = NULL;
                struct err err = { 0 };

                if (cases[i].server)
                        config.access.server = slice_dup(slice_of(cases[i].server));
                if (cases[i].token_file)
                        config.access.token_file = slice_dup(slice_of(cases[i].token_file));
                assert_true(http_transport_new(&config, event_loop_as_loop(events), &http, &err) <
                            0);
                assert_null(http);
                assert_non_null(strstr(err.text, cases[i].text));
        }
        http_transport_free(NULL);
        event_loop_free(events);
}

int main(void) {
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(test_calls_plain),
                cmocka_unit_test(test_calls_tls),
                cmocka_unit_test(test_methods_and_types),
                cmocka_unit_test(test_many_calls),
                cmocka_unit_test(test_streams_plain),
                cmocka_unit_test(test_streams_tls),
                cmocka_unit_test(test_server_goes_away),
                cmocka_unit_test(test_trust),
                cmocka_unit_test(test_trust_in_files),
                cmocka_unit_test(test_server_name),
                cmocka_unit_test(test_token_file),
                cmocka_unit_test(test_token_file_of_streams),
                cmocka_unit_test(test_silence),
                cmocka_unit_test(test_limits),
                cmocka_unit_test(test_refused_configurations),
        };

        return cmocka_run_group_tests(tests, NULL, NULL);
}
