/* The agent's other peers over real sockets and processes: Prometheus, notification services, mail,
 * sentinel commands.  Acceptance cases by their numbers. */
#include "http_catcher.h"

#include "base/regex.h"
#include "base/util.h"
#include "loop/event_loop.h"
#include "loop/runtime.h"
#include "roles/reboot_notifier.h"
#include "roles/reboot_role.h"
#include "server/api_server.h"
#include "server/local_transport.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

#define NODE "/api/v1/nodes/n0"
#define ITERATIONS_MAX 6000 /* of at most 10 ms: only reached when something is wrong */

/* One agent over an API server in this process, in real time. */
struct edge {
        struct event_loop *events;
        struct loop *loop;
        struct api_server *server;
        struct local_transport *local;
        struct runtime *runtime;
        struct reboot_role *role;
        struct reboot_config config;
        struct reboot_role_config role_config;
        struct reboot_host host;
        struct catcher catcher;
        char url[128];
        unsigned reboots;
};

static int count_reboot(void *context, struct err *err) {
        (void)err;
        ((struct edge *)context)->reboots++;
        return 0;
}

static void ask(struct edge *edge, const char *method, const char *path, const char *body,
                struct buf *ret_body) {
        assert_in_range(api_server_ask(edge->server, method, path, body, ret_body), 200, 201);
}

static struct edge *edge_new(void) {
        struct edge *edge = xcalloc(1, sizeof(*edge));

        assert_int_equal(event_loop_new(&edge->events, NULL), 0);
        edge->loop = event_loop_as_loop(edge->events);
        edge->server = api_server_new(&(struct api_server_config){ .seed = 1 }, edge->loop);
        edge->local = local_transport_new(edge->server, edge->loop, &api_user_admin, "kured");
        ask(edge, "POST", "/api/v1/nodes",
            "{\"apiVersion\":\"v1\",\"kind\":\"Node\",\"metadata\":{\"name\":\"n0\"}}", NULL);
        ask(edge, "POST", "/apis/apps/v1/namespaces/kube-system/daemonsets",
            "{\"apiVersion\":\"apps/v1\",\"kind\":\"DaemonSet\",\"metadata\":{\"name\":\"kured\"},"
            "\"spec\":{\"selector\":{\"matchLabels\":{\"name\":\"kured\"}},\"template\":{"
            "\"metadata\":{\"labels\":{\"name\":\"kured\"}},\"spec\":{\"containers\":[{\"name\":"
            "\"c\",\"image\":\"i\"}]}}}}",
            NULL);
        edge->config = (struct reboot_config){
                .node = SLICE_LITERAL("n0"),
                .period_ns = 20 * NS_PER_MS,
                .reboot_timeout_ns = 600 * NS_PER_S,
                .lock_kind = SLICE_LITERAL("DaemonSet"),
                .lock_ns = SLICE_LITERAL("kube-system"),
                .lock_name = SLICE_LITERAL("kured"),
                .lock_annotation = SLICE_LITERAL("weave.works/kured-node-lock"),
                .concurrency = 1,
                .drain_grace_s = -1,
                .window = { .days = 127, .end_s = 86399 },
                .reboot_message = SLICE_LITERAL("Rebooting node %s"),
        };
        edge->role_config = (struct reboot_role_config){ .agent = &edge->config,
                                                         .boot_id = "boot-1",
                                                         .sentinel_file = "/",
                                                         .host = &edge->host };
        edge->host = (struct reboot_host){ .context = edge, .reboot = count_reboot };
        return edge;
}

static void edge_start(struct edge *edge) {
        struct err err = { 0 };

        edge->runtime =
                runtime_new(&(struct runtime_config){ .loop = edge->loop,
                                                      .transport = local_transport(edge->local),
                                                      .instance = "test",
                                                      .seed = 1,
                                                      .has_no_model = true });
        edge->role = reboot_role_add(edge->runtime, &edge->role_config, &err);
        if (!edge->role)
                fail_msg("%s", err.text);
        runtime_start(edge->runtime);
}

static void edge_free(struct edge *edge) {
        runtime_free(edge->runtime);
        if (edge->catcher.loop)
                catcher_stop(&edge->catcher);
        local_transport_free(edge->local);
        api_server_free(edge->server);
        event_loop_run_once(edge->events, 0, NULL);
        event_loop_free(edge->events);
        free(edge);
}

static bool node_has(struct edge *edge, const char *text) {
        struct buf body = { 0 };
        bool has;

        ask(edge, "GET", NODE, NULL, &body);
        has = slice_contains(buf_view(&body), slice_of(text));
        buf_release(&body);
        return has;
}

static void run_until_node_has(struct edge *edge, const char *text) {
        for (int i = 0; i < ITERATIONS_MAX && !node_has(edge, text); i++)
                event_loop_run_once(edge->events, 10 * NS_PER_MS, NULL);
        if (!node_has(edge, text))
                fail_msg("the node never says %s", text);
}

static void run_until_rebooted(struct edge *edge) {
        for (int i = 0; i < ITERATIONS_MAX && edge->reboots == 0; i++)
                event_loop_run_once(edge->events, 10 * NS_PER_MS, NULL);
        assert_int_equal(edge->reboots, 1);
}

/* ---- Prometheus ---- */

#define SAMPLE(name, state)                                                                        \
        "{\"metric\":{\"alertname\":\"" name "\",\"alertstate\":\"" state "\"},\"value\":[1,"      \
        "\"1\"]}"
#define ANSWER(samples)                                                                            \
        "{\"status\":\"success\",\"data\":{\"resultType\":\"vector\",\"result\":[" samples "]}}"

/* What is written on the node of an agent whose Prometheus answers so; NULL = it reboots. */
static void expect_alerts(const struct catcher *peer, const struct alert_filter *filter,
                          const char *reason) {
        struct edge *edge = edge_new();

        edge->catcher = *peer;
        catcher_start(&edge->catcher, edge->loop);
        snprintf(edge->url, sizeof(edge->url), "http://127.0.0.1:%u", edge->catcher.port);
        edge->role_config.prometheus_url = edge->url;
        edge->role_config.prometheus_timeout_ns = 200 * NS_PER_MS;
        if (filter)
                edge->role_config.alerts = *filter;
        edge_start(edge);
        if (reason)
                run_until_node_has(edge, reason);
        else
                run_until_rebooted(edge);
        assert_int_equal(edge->reboots, !reason);
        edge_free(edge);
}

static void r47_prometheus_fails(void **state) {
        static const struct catcher peers[] = { { .status = 500 },
                                                { .hangs = true },
                                                { .body = "no json" },
                                                { .body = "{\"status\":\"error\"}" } };
        struct edge *edge = edge_new();

        (void)state;
        for (size_t i = 0; i < ARRAY_LEN(peers); i++)
                expect_alerts(&peers[i], NULL, "Prometheus does not answer");
        catcher_start(&edge->catcher, edge->loop); /* a port where nobody listens any more */
        snprintf(edge->url, sizeof(edge->url), "http://127.0.0.1:%u", edge->catcher.port);
        catcher_stop(&edge->catcher);
        edge->role_config.prometheus_url = edge->url;
        edge_start(edge);
        run_until_node_has(edge, "Prometheus does not answer: ");
        edge_free(edge);
}

static void r48_pending_alerts(void **state) {
        const struct catcher peer = { .body = ANSWER(SAMPLE("A", "pending")) };

        (void)state;
        expect_alerts(&peer, NULL, "alert A");
        expect_alerts(&peer, &(struct alert_filter){ .firing_only = true }, NULL);
}

static void r49_filtered_alerts(void **state) {
        const struct catcher peer = { .body = ANSWER(
                                              SAMPLE("A", "firing") "," SAMPLE("B", "firing")) };
        struct regex *regex = regex_new(SLICE_LITERAL("^A$"), NULL);

        (void)state;
        expect_alerts(&peer, &(struct alert_filter){ .names = regex }, "alert B\\");
        expect_alerts(&peer, &(struct alert_filter){ .names = regex, .matches_only = true },
                      "alert A\\");
        regex_free(regex);
}

/* Old servers take the query as GET only. */
static void asks_again_without_post(void **state) {
        (void)state;
        expect_alerts(
                &(struct catcher){ .refuses_post = 405, .body = ANSWER(SAMPLE("A", "firing")) },
                NULL, "alert A");
        expect_alerts(&(struct catcher){ .refuses_post = 501, .body = ANSWER("") }, NULL, NULL);
}

/* ---- notifications ---- */

static void r70_notifications_hang(void **state) {
        struct edge *edge = edge_new();

        (void)state;
        edge->catcher.hangs = true;
        catcher_start(&edge->catcher, edge->loop);
        snprintf(edge->url, sizeof(edge->url), "generic+http://127.0.0.1:%u/", edge->catcher.port);
        edge->role_config.notify_url = edge->url;
        edge_start(edge);
        run_until_rebooted(edge);
        for (int i = 0; i < ITERATIONS_MAX && edge->catcher.count == 0; i++)
                event_loop_run_once(edge->events, 10 * NS_PER_MS, NULL);
        assert_true(catcher_has(&edge->catcher, "Rebooting node n0"));
        assert_true(NOTIFY_TIMEOUT_NS <= 10 * NS_PER_S);
        edge_free(edge);
}

struct service_case {
        const char *url; /* %u is the port */
        const char *parts[4];
};

static void notify(const struct service_case *c, bool is_mail) {
        struct event_loop *events = NULL;
        struct reboot_notifier *notifier;
        struct catcher catcher = { .is_mail = is_mail,
                                   .body = is_mail ? NULL : "{\"access_token\":\"tok\"}" };
        unsigned wanted = strstr(c->url, "matrix://me") ? 2 : 1;
        char port[16], url[256];
        const char *mark = strchr(c->url, '#');
        struct loop *loop;

        assert_int_equal(event_loop_new(&events, NULL), 0);
        loop = event_loop_as_loop(events);
        catcher_start(&catcher, loop);
        snprintf(port, sizeof(port), "%u", catcher.port);
        snprintf(url, sizeof(url), "%.*s127.0.0.1:%s%s", (int)(mark - c->url), c->url, port,
                 mark + 1);
        notifier = reboot_notifier_new(loop, url);
        reboot_notifier_send(notifier, SLICE_LITERAL("Draining node \"n0\""));
        for (int i = 0; i < ITERATIONS_MAX && catcher.count < wanted; i++)
                event_loop_run_once(events, 10 * NS_PER_MS, NULL);
        for (size_t i = 0; i < ARRAY_LEN(c->parts) && c->parts[i]; i++)
                if (!catcher_has(&catcher, c->parts[i]))
                        fail_msg("%s: no %s in %s", c->url, c->parts[i],
                                 catcher.caught.data ? catcher.caught.data : "nothing");
        reboot_notifier_free(notifier);
        catcher_stop(&catcher);
        event_loop_free(events);
}

/* The address of the listener takes the place of #. */
static void notifies_services(void **state) {
        static const struct service_case cases[] = {
                { "slack+http://#/services/A/B/C",
                  { "POST /services/A/B/C ", "{\"text\":\"Draining node \\\"n0\\\"\"" } },
                { "teams+http://#/hook", { "POST /hook ", "MessageCard", "Draining node" } },
                { "discord+http://#/api/webhooks/i/t",
                  { "POST /api/webhooks/i/t ", "{\"content\":\"Draining node" } },
                { "generic://#/a/b?disabletls=yes",
                  { "POST /a/b ", "\r\n\r\nDraining node \"n0\"" } },
                { "generic+http://#/c?d=e", { "POST /c?d=e ", "Draining node \"n0\"" } },
                { "gotify://#/token?disableTLS=yes",
                  { "POST /message?token=token ", "\"message\":\"Draining node" } },
                { "ntfy://#/topic?scheme=http", { "POST /topic ", "\r\n\r\nDraining node" } },
                { "ntfy://me:p%40ss@#/topic?scheme=http",
                  { "POST /topic ", "Authorization: Basic bWU6cEBzcw==" } },
                { "telegram+http://#/bot1:t/sendMessage",
                  { "POST /bot1:t/sendMessage ", "{\"text\":\"Draining node" } },
                { "matrix://:token@#/?rooms=!r&disableTLS=yes",
                  { "POST /_matrix/client/r0/rooms/!r/send/m.room.message?access_token=token ",
                    "\"msgtype\":\"m.text\"", "\"body\":\"Draining node" } },
                { "matrix://me:p%40ss@#/?rooms=!r&disableTLS=yes",
                  { "POST /_matrix/client/r0/login ", "\"user\":\"me\"},\"password\":\"p@ss\"",
                    "!r/send/m.room.message?access_token=tok ", "\"body\":\"Draining node" } },
                { "rocketchat://bot@#/A/B/ops?disabletls=yes",
                  { "POST /hooks/A/B ", "\"channel\":\"ops\"", "\"username\":\"bot\"" } },
                { "mattermost://bot@#/token/town?disabletls=yes",
                  { "POST /hooks/token ", "\"text\":\"Draining node", "\"channel\":\"town\"" } },
                { "bark://:k@#/?scheme=http", { "POST /push ", "\"device_key\":\"k\"" } },
                { "opsgenie://#/key?disabletls=yes",
                  { "POST /v2/alerts ", "\nAuthorization: GenieKey key\r",
                    "{\"message\":\"Draining node" } },
                { "zulip://b%40x.org:k@#/?stream=ops&disabletls=yes",
                  { "POST /api/v1/messages ", "Authorization: Basic YkB4Lm9yZzpr\r",
                    "application/x-www-form-urlencoded", "&content=Draining%20node%20%22n0%22" } },
        };

        (void)state;
        for (size_t i = 0; i < ARRAY_LEN(cases); i++)
                notify(&cases[i], false);
}

static void sends_mail(void **state) {
        static const struct service_case cases[] = {
                { "smtp://#/?fromAddress=k@x.org&toAddresses=a@x.org,b@y.org&subject=Node%20news",
                  { "MAIL FROM:<k@x.org>", "RCPT TO:<b@y.org>", "Subject: Node news\n",
                    "\n\nDraining node \"n0\"\n" } },
                { "smtp://u:p@#/?fromAddress=k@x.org&toAddresses=a@x.org&clientHost=c.x.org",
                  { "EHLO c.x.org", CATCHER_LOGIN, "RCPT TO:<a@x.org>", "From: kured <k@x.org>" } },
        };

        (void)state;
        for (size_t i = 0; i < ARRAY_LEN(cases); i++)
                notify(&cases[i], true);
}

/* More than fit are dropped, and nobody waits. */
static void bounds_what_is_under_way(void **state) {
        struct event_loop *events = NULL;
        struct catcher catcher = { .hangs = true };
        struct reboot_notifier *notifier;
        struct loop *loop;
        char url[64];

        (void)state;
        assert_int_equal(event_loop_new(&events, NULL), 0);
        loop = event_loop_as_loop(events);
        catcher_start(&catcher, loop);
        snprintf(url, sizeof(url), "generic+http://127.0.0.1:%u/", catcher.port);
        notifier = reboot_notifier_new(loop, url);
        for (int i = 0; i < NOTIFY_IN_FLIGHT_MAX + 5; i++)
                reboot_notifier_send(notifier, SLICE_LITERAL("x"));
        for (int i = 0; i < ITERATIONS_MAX && catcher.count < NOTIFY_IN_FLIGHT_MAX; i++)
                event_loop_run_once(events, 10 * NS_PER_MS, NULL);
        for (int i = 0; i < 20; i++)
                event_loop_run_once(events, NS_PER_MS, NULL);
        assert_int_equal(catcher.count, NOTIFY_IN_FLIGHT_MAX);
        reboot_notifier_free(notifier);
        catcher_stop(&catcher);
        event_loop_free(events);
}

/* ---- after the reboot ---- */

/* The node as an agent finds it that was started by the boot it ordered. */
static struct edge *edge_back(void) {
        struct edge *edge = edge_new();

        ask(edge, "DELETE", NODE, NULL, NULL);
        ask(edge, "POST", "/api/v1/nodes",
            "{\"apiVersion\":\"v1\",\"kind\":\"Node\",\"metadata\":{\"name\":\"n0\","
            "\"annotations\":{"
            "\"berth.dev/reboot\":\"{\\\"phase\\\":\\\"Rebooting\\\",\\\"bootID\\\":\\\"boot-0\\\","
            "\\\"cordonedByUs\\\":true}\"}},\"spec\":{\"unschedulable\":true},\"status\":{"
            "\"conditions\":[{\"type\":\"Ready\",\"status\":\"True\"}]}}",
            NULL);
        edge->role_config.sentinel_file = "/no/such/file";
        edge->role_config.health_timeout_ns = 60 * NS_PER_S;
        return edge;
}

static void asks_a_page_for_health(void **state) {
        struct edge *edge = edge_back();

        (void)state;
        edge->catcher.status = 503;
        catcher_start(&edge->catcher, edge->loop);
        snprintf(edge->url, sizeof(edge->url), "http://127.0.0.1:%u/well?x=y", edge->catcher.port);
        edge->config.checks_health = true;
        edge->role_config.health_url = edge->url;
        edge_start(edge);
        run_until_node_has(edge, "the health page does not answer with success: HTTP status 503");
        assert_true(node_has(edge, "\"unschedulable\":true"));
        assert_true(catcher_has(&edge->catcher, "GET /well?x=y "));
        edge->catcher.status = 200;
        for (int i = 0; i < ITERATIONS_MAX && node_has(edge, "berth.dev/reboot\":"); i++)
                event_loop_run_once(edge->events, 10 * NS_PER_MS, NULL);
        assert_false(node_has(edge, "unschedulable"));
        edge_free(edge);
}

static void asks_a_command_for_health(void **state) {
        static const char *const bad[] = { "false", NULL };
        struct edge *edge = edge_back();

        (void)state;
        edge->config.checks_health = true;
        edge->role_config.health_command = bad;
        edge_start(edge);
        run_until_node_has(edge, "the health command does not succeed");
        assert_true(node_has(edge, "\"unschedulable\":true"));
        edge_free(edge);
}

static void rebalances_after_the_last(void **state) {
        char folder[] = "/tmp/berth-edge-XXXXXX", path[64];
        const char *const touch[] = { "touch", path, NULL };
        struct edge *edge = edge_back();

        (void)state;
        assert_non_null(mkdtemp(folder));
        snprintf(path, sizeof(path), "%s/done", folder);
        edge->role_config.rebalance_command = touch;
        edge_start(edge);
        for (int i = 0; i < ITERATIONS_MAX && access(path, F_OK) != 0; i++)
                event_loop_run_once(edge->events, 10 * NS_PER_MS, NULL);
        assert_int_equal(access(path, F_OK), 0);
        assert_false(node_has(edge, "berth.dev/reboot\":"));
        edge_free(edge);
        unlink(path);
        rmdir(folder);
}

/* ---- the sentinel ---- */

static bool is_required(const struct edge *edge) {
        struct buf page = { 0 };
        bool is;

        reboot_role_write_metrics(edge->role, &page);
        is = slice_contains(buf_view(&page), SLICE_LITERAL("kured_reboot_required{node=\"n0\"} 1"));
        buf_release(&page);
        return is;
}

static void r71_sentinel_commands(void **state) {
        static const struct {
                const char *argv[4];
                bool is_required;
        } cases[] = {
                { { "true", NULL }, true },
                { { "false", NULL }, false },
                { { "sh", "-c", "exit 127", NULL }, false },
                { { "sleep", "600", NULL }, false },
                { { "/no/such/program", NULL }, false },
        };

        (void)state;
        for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
                struct edge *edge = edge_new();

                edge->role_config.sentinel_command = cases[i].argv;
                edge->role_config.sentinel_timeout_ns = i == 3 ? 50 * NS_PER_MS : 60 * NS_PER_S;
                edge_start(edge);
                if (cases[i].is_required) {
                        run_until_rebooted(edge);
                } else { /* it goes on to look for an old lock only after the command */
                        for (int t = 0; t < 40; t++)
                                event_loop_run_once(edge->events, 2 * NS_PER_MS, NULL);
                        assert_int_equal(edge->reboots, 0);
                }
                assert_int_equal(is_required(edge), cases[i].is_required);
                edge_free(edge);
        }
}

static void says_why_the_command_failed(void **state) {
        static const char *const argv[] = { "sh", "-c", "exit 3", NULL };
        struct edge *edge = edge_new();

        (void)state;
        edge->role_config.reboot_command = argv;
        edge->role_config.host = NULL;
        edge_start(edge);
        run_until_node_has(edge, "the reboot could not be ordered: the reboot command ended with "
                                 "exit code 3");
        edge_free(edge);
}

int main(void) {
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(says_why_the_command_failed),
                cmocka_unit_test(r47_prometheus_fails),
                cmocka_unit_test(r48_pending_alerts),
                cmocka_unit_test(r49_filtered_alerts),
                cmocka_unit_test(asks_again_without_post),
                cmocka_unit_test(r70_notifications_hang),
                cmocka_unit_test(notifies_services),
                cmocka_unit_test(sends_mail),
                cmocka_unit_test(bounds_what_is_under_way),
                cmocka_unit_test(asks_a_page_for_health),
                cmocka_unit_test(asks_a_command_for_health),
                cmocka_unit_test(rebalances_after_the_last),
                cmocka_unit_test(r71_sentinel_commands),
        };

        return cmocka_run_group_tests(tests, NULL, NULL);
}
