/* The pages of a daemon, asked for over TLS by the real client. */
#include "pages/serving.h"

#include "base/util.h"
#include "client/http_transport.h"
#include "loop/event_loop.h"
#include "pages/metrics.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define ITERATIONS_MAX 2000

struct site {
        struct event_loop *events;
        struct metrics *metrics;
        struct metric *counter;
        struct serving *serving;
        struct http_transport *http;
        const char *problem; /* of the health check; NULL = well */
        int status;
        char body[4096];
};

static const char *check(void *context) {
        return ((struct site *)context)->problem;
}

static void write_page(void *context, struct buf *out) {
        (void)context;
        buf_text(out, "{\"page\":true}");
}

static int set_up(void **state) {
        struct site *site = xcalloc(1, sizeof(*site));
        struct http_transport_config config = { .access = { .is_insecure = true } };
        struct err err = { 0 };
        char url[64];

        assert_int_equal(event_loop_new(&site->events, &err), 0);
        site->metrics = metrics_new();
        site->counter = metrics_add(
                site->metrics,
                &(struct metric_config){ .name = "c_total", .help = "C.", .type = METRIC_COUNTER });
        assert_int_equal(serving_new(&(struct serving_config){ .address = "127.0.0.1:0",
                                                               .metrics = site->metrics,
                                                               .allows_reset = true },
                                     event_loop_as_loop(site->events), &site->serving, &err),
                         0);
        serving_add_check(site->serving,
                          &(struct health_check){ "thing", check, site, true, false, true });
        serving_add_page(site->serving, &(struct serving_page){ "/page", "application/json",
                                                                write_page, site, true });
        snprintf(url, sizeof(url), "https://127.0.0.1:%u", serving_port(site->serving));
        config.access.server = slice_dup(slice_of(url));
        assert_int_equal(
                http_transport_new(&config, event_loop_as_loop(site->events), &site->http, &err),
                0);
        *state = site;
        return 0;
}

static int tear_down(void **state) {
        struct site *site = *state;

        http_transport_free(site->http);
        serving_free(site->serving);
        metrics_free(site->metrics);
        event_loop_free(site->events);
        free(site);
        return 0;
}

static void on_done(void *context, const struct api_reply *reply) {
        struct site *site = context;

        site->status = reply->status;
        snprintf(site->body, sizeof(site->body), SLICE_FMT, SLICE_ARG(reply->body));
}

static void ask(struct site *site, enum api_method method, const char *path) {
        struct transport transport = http_transport(site->http);
        struct err err = { 0 };

        site->status = -1;
        transport_call(&transport, &(struct api_call){ .method = method, .path = slice_of(path) },
                       on_done, site);
        for (int i = 0; i < ITERATIONS_MAX && site->status < 0; i++)
                assert_int_equal(event_loop_run_once(site->events, 10 * NS_PER_MS, &err), 0);
        assert_true(site->status >= 0);
}

static void pages_answer(void **state) {
        static const struct {
                enum api_method method;
                const char *path;
                int status;
                const char *body; /* NULL = any */
        } cases[] = {
                { API_GET, "/healthz", 200, "ok" },
                { API_GET, "/livez", 200, "ok" },
                { API_GET, "/readyz?verbose", 200,
                  "[+]ping ok\n[+]thing ok\nreadyz check passed\n" },
                { API_GET, "/livez?verbose", 200, "[+]ping ok\nlivez check passed\n" },
                { API_GET, "/healthz/thing", 200, "ok" },
                { API_GET, "/livez/thing", 404, NULL },
                { API_GET, "/healthz/other", 404, NULL },
                { API_GET, "/healthzz", 404, NULL },
                { API_GET, "/page", 200, "{\"page\":true}" },
                { API_GET, "/page/more", 404, NULL },
                { API_GET, "/", 404, NULL },
                { API_POST, "/healthz", 405, NULL },
                { API_DELETE, "/page", 405, NULL },
        };
        struct site *site = *state;

        for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
                ask(site, cases[i].method, cases[i].path);
                if (site->status != cases[i].status)
                        fail_msg("%s: status %d", cases[i].path, site->status);
                if (cases[i].body)
                        assert_string_equal(site->body, cases[i].body);
        }
}

static void sickness_shows(void **state) {
        struct site *site = *state;

        site->problem = "it is broken";
        ask(site, API_GET, "/healthz");
        assert_int_equal(site->status, 500);
        assert_string_equal(site->body,
                            "[+]ping ok\n[-]thing failed: it is broken\nhealthz check failed\n");
        ask(site, API_GET, "/livez");
        assert_int_equal(site->status, 200);
        ask(site, API_GET, "/readyz/ping");
        assert_int_equal(site->status, 200);
}

static void metrics_are_served_and_reset(void **state) {
        struct site *site = *state;

        metric_add(site->counter, NULL, 5);
        ask(site, API_GET, "/metrics");
        assert_int_equal(site->status, 200);
        assert_string_equal(site->body, "# HELP c_total C.\n# TYPE c_total counter\nc_total 5\n");
        ask(site, API_DELETE, "/metrics");
        assert_int_equal(site->status, 200);
        ask(site, API_GET, "/metrics");
        assert_string_equal(site->body, "# HELP c_total C.\n# TYPE c_total counter\nc_total 0\n");
}

static void half_a_certificate_is_refused(void **state) {
        struct site *site = *state;
        struct serving *serving = NULL;
        struct err err = { 0 };

        assert_int_equal(serving_new(&(struct serving_config){ .address = "127.0.0.1:0",
                                                               .certificate_path = "/dev/null" },
                                     event_loop_as_loop(site->events), &serving, &err),
                         BERTH_ERR_USAGE);
        assert_int_equal(serving_new(&(struct serving_config){ .address = "127.0.0.1:0",
                                                               .certificate_path = "/dev/null",
                                                               .key_path = "/dev/null" },
                                     event_loop_as_loop(site->events), &serving, &err),
                         BERTH_ERR_INVALID);
        assert_null(serving);
}

static void checks_are_counted(void **state) {
        static const char *const lines[] = {
                "kubernetes_healthcheck{name=\"ping\",type=\"healthz\"} 1\n",
                "kubernetes_healthcheck{name=\"thing\",type=\"healthz\"} 0\n",
                "kubernetes_healthchecks_total{name=\"thing\",status=\"success\",type=\"healthz\"} "
                "1\n",
                "kubernetes_healthchecks_total{name=\"thing\",status=\"error\",type=\"healthz\"} "
                "2\n",
                "kubernetes_healthchecks_total{name=\"ping\",status=\"success\",type=\"livez\"} "
                "1\n",
        };
        struct site *site = *state;

        ask(site, API_GET, "/healthz");
        site->problem = "ill";
        ask(site, API_GET, "/healthz");
        ask(site, API_GET, "/healthz/thing");
        ask(site, API_GET, "/livez");
        ask(site, API_GET, "/metrics/slis");
        assert_int_equal(site->status, 200);
        for (size_t i = 0; i < ARRAY_LEN(lines); i++)
                if (!strstr(site->body, lines[i]))
                        fail_msg("missing: %sin:\n%s", lines[i], site->body);
        assert_null(strstr(site->body, "readyz"));
}

int main(void) {
        const struct CMUnitTest tests[] = {
                cmocka_unit_test_setup_teardown(pages_answer, set_up, tear_down),
                cmocka_unit_test_setup_teardown(sickness_shows, set_up, tear_down),
                cmocka_unit_test_setup_teardown(metrics_are_served_and_reset, set_up, tear_down),
                cmocka_unit_test_setup_teardown(half_a_certificate_is_refused, set_up, tear_down),
                cmocka_unit_test_setup_teardown(checks_are_counted, set_up, tear_down),
        };

        return cmocka_run_group_tests(tests, NULL, NULL);
}
