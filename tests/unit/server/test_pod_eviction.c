/* The eviction and binding subresources, branch by branch. */
#include "fake_server.h"

#define PODS "/api/v1/namespaces/default/pods"
#define BUDGETS "/apis/policy/v1/namespaces/default/poddisruptionbudgets"
#define EVICTION                                                                                   \
        "{\"apiVersion\":\"policy/v1\",\"kind\":\"Eviction\",\"metadata\":{\"name\":\"p\"}}"
#define READY "{\"type\":\"Ready\",\"status\":\"True\"}"

static void make_pod(struct fixture *f, const char *phase, const char *conditions) {
        char body[256];

        assert_int_equal(ask(f, "POST", PODS,
                             "{\"metadata\":{\"name\":\"p\",\"labels\":{\"app\":\"web\"}},"
                             "\"spec\":{\"nodeName\":\"n\",\"containers\":[{\"name\":\"c\","
                             "\"image\":\"i\"}]}}"),
                         201);
        snprintf(body, sizeof(body), "{\"status\":{\"phase\":\"%s\",\"conditions\":[%s]}}", phase,
                 conditions);
        assert_int_equal(ask_patch(f, MERGE_PATCH, PODS "/p/status", body), 200);
}

static void make_budget(struct fixture *f, const char *name, const char *spec, const char *status) {
        char path[256], body[512];

        snprintf(body, sizeof(body),
                 "{\"metadata\":{\"name\":\"%s\"},\"spec\":{\"selector\":{\"matchLabels\":{"
                 "\"app\":\"web\"}}%s}}",
                 name, spec);
        assert_int_equal(ask(f, "POST", BUDGETS, body), 201);
        snprintf(path, sizeof(path), BUDGETS "/%s/status", name);
        snprintf(body, sizeof(body), "{\"status\":{%s}}", status);
        assert_int_equal(ask_patch(f, MERGE_PATCH, path, body), 200);
}

struct eviction_case {
        const char *name, *phase, *conditions, *spec, *status;
        int expect;
        const char *cause; /* part of the cause's message */
        const char *allowed_after;
};

#define OBSERVED "\"observedGeneration\":1,\"expectedPods\":2,"
static const struct eviction_case cases[] = {
        { "evict-A1: no budget", "Running", READY, NULL, NULL, 201, NULL, "" },
        { "evict-A2: allowed", "Running", READY, "",
          OBSERVED "\"disruptionsAllowed\":1,\"currentHealthy\":2,\"desiredHealthy\":1", 201, NULL,
          "0" },
        { "evict-A3: exhausted", "Running", READY, "",
          OBSERVED "\"disruptionsAllowed\":0,\"currentHealthy\":1,\"desiredHealthy\":1", 429,
          "needs 1 healthy pods and has 1 currently", "0" },
        { "evict-A4: not observed", "Running", READY, "",
          "\"observedGeneration\":0,\"disruptionsAllowed\":1,\"currentHealthy\":2,"
          "\"desiredHealthy\":1",
          429, "still being processed", "1" },
        { "pending ignores budgets", "Pending", "", "",
          OBSERVED "\"disruptionsAllowed\":0,\"currentHealthy\":0,\"desiredHealthy\":1", 201, NULL,
          "0" },
        { "finished ignores budgets", "Succeeded", "", "",
          OBSERVED "\"disruptionsAllowed\":0,\"currentHealthy\":0,\"desiredHealthy\":1", 201, NULL,
          "0" },
        { "unready, application healthy", "Running", "", "",
          OBSERVED "\"disruptionsAllowed\":0,\"currentHealthy\":1,\"desiredHealthy\":1", 201, NULL,
          "0" },
        { "evict-A9: unready, application disrupted", "Running", "", "",
          OBSERVED "\"disruptionsAllowed\":0,\"currentHealthy\":0,\"desiredHealthy\":1", 429,
          "needs 1 healthy pods and has 0 currently", "0" },
        { "evict-A8: unready, always allowed", "Running", "",
          ",\"unhealthyPodEvictionPolicy\":\"AlwaysAllow\"",
          OBSERVED "\"disruptionsAllowed\":0,\"currentHealthy\":0,\"desiredHealthy\":1", 201, NULL,
          "0" },
        { "sync failed", "Running", READY, "",
          OBSERVED "\"disruptionsAllowed\":0,\"currentHealthy\":2,\"desiredHealthy\":1,"
                   "\"conditions\":[{\"type\":\"DisruptionAllowed\",\"status\":\"False\","

                   "\"reason\":\"SyncFailed\",\"message\":\"boom\",\"lastTransitionTime\":"
                   "\"2026-01-01T00:00:00Z\"}]",
          429, "failed sync: boom", "0" },
        { "generic", "Running", READY, "",
          OBSERVED "\"disruptionsAllowed\":0,\"currentHealthy\":3,\"desiredHealthy\":1", 429,
          "does not allow evicting pods currently", "0" },
};

/* A refusal leaves the pod as it was; anything else begins its end, with the reason in its status.
 */
static void check_pod(struct fixture *f, const struct eviction_case *row) {
        int status = ask(f, "GET", PODS "/p", NULL);
        bool is_going = status == 404 || *answer(f, "/metadata/deletionTimestamp");

        if (is_going != (row->expect == 201))
                fail_msg("%s: %s", row->name, f->text);
        if (status == 200 && is_going != !!strstr(f->text, "EvictionByEvictionAPI"))
                fail_msg("%s: %s", row->name, f->text);
}

/* Only a budget that is still being looked at says when to come back. */
static void check_refusal(struct fixture *f, const struct eviction_case *row) {
        const char *wait = answer(f, "/details/retryAfterSeconds");
        bool comes_back = row->cause && strstr(row->cause, "processed");

        if (row->cause && !strstr(answer(f, "/details/causes/0/message"), row->cause))
                fail_msg("%s: %s", row->name, f->text);
        if (row->expect == 429 &&
            strcmp(answer(f, "/details/causes/0/reason"), "DisruptionBudget") != 0)
                fail_msg("%s: %s", row->name, f->text);
        if (strcmp(wait, comes_back ? "10" : "") != 0 || f->retry_after_s != (comes_back ? 10 : -1))
                fail_msg("%s: %d %s", row->name, f->retry_after_s, f->text);
}

static void test_branches(void **state) {
        (void)state;
        for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
                struct fixture f = fixture_new();
                int status;

                make_pod(&f, cases[i].phase, cases[i].conditions);
                if (cases[i].status)
                        make_budget(&f, "b", cases[i].spec, cases[i].status);
                status = ask(&f, "POST", PODS "/p/eviction", EVICTION);
                if (status != cases[i].expect)
                        fail_msg("%s: %d %s", cases[i].name, status, f.text);
                check_refusal(&f, &cases[i]);
                check_pod(&f, &cases[i]);
                ask(&f, "GET", BUDGETS "/b", NULL);
                if (strcmp(answer(&f, "/status/disruptionsAllowed"), cases[i].allowed_after) != 0)
                        fail_msg("%s: budget is %s", cases[i].name, f.text);
                /* Only what a budget paid for is on its list. */
                if ((*answer(&f, "/status/disruptedPods/p") != '\0') !=
                    (cases[i].expect == 201 && cases[i].status &&
                     strstr(cases[i].status, "Allowed\":1")))
                        fail_msg("%s: budget is %s", cases[i].name, f.text);
                fixture_free(&f);
        }
}

#define DRY(version, runs)                                                                         \
        "{\"apiVersion\":\"policy/" version                                                        \
        "\",\"kind\":\"Eviction\",\"metadata\":{\"name\":\"p\"},"                                  \
        "\"deleteOptions\":{\"dryRun\":[" runs "]}}"
static const struct {
        const char *name, *path, *body;
        int status;
} dry_runs[] = {
        { "evict-A11: in the query", PODS "/p/eviction?dryRun=All", EVICTION, 201 },
        { "evict-A11: in the body", PODS "/p/eviction", DRY("v1", "\"All\""), 201 },
        { "evict-A11: in both", PODS "/p/eviction?dryRun=All", DRY("v1beta1", "\"All\""), 201 },
        { "evict-A11: in both, not alike", PODS "/p/eviction?dryRun=All",
          DRY("v1", "\"All\",\"All\""), 500 },
};

static void test_effects(void **state) {
        struct fixture f = fixture_new();

        (void)state;
        make_pod(&f, "Running", READY);
        make_budget(&f, "b", "",
                    OBSERVED "\"disruptionsAllowed\":1,\"currentHealthy\":2,\"desiredHealthy\":1");
        for (size_t i = 0; i < ARRAY_LEN(dry_runs); i++) {
                if (ask(&f, "POST", dry_runs[i].path, dry_runs[i].body) != dry_runs[i].status)
                        fail_msg("%s: %s", dry_runs[i].name, f.text);
        }
        ask(&f, "GET", PODS "/p", NULL);
        assert_string_equal(answer(&f, "/metadata/deletionTimestamp"), "");
        assert_int_equal(ask(&f, "POST", PODS "/p/eviction", EVICTION), 201);
        assert_string_equal(answer(&f, "/status"), "Success");
        ask(&f, "GET", PODS "/p", NULL);
        assert_string_equal(answer(&f, "/metadata/deletionGracePeriodSeconds"), "30");
        assert_string_equal(answer(&f, "/status/conditions/1/type"), "DisruptionTarget");
        assert_string_equal(answer(&f, "/status/conditions/1/reason"), "EvictionByEvictionAPI");
        ask(&f, "GET", BUDGETS "/b", NULL);
        assert_string_equal(answer(&f, "/status/disruptedPods/p"), "2026-01-01T00:00:00Z");
        assert_string_equal(answer(&f, "/status/conditions/0/reason"), "InsufficientPods");
        fixture_free(&f);
}

/* Requests about what is not there, or not what was meant; the pod stays. */
static void test_preconditions(void **state) {
        static const struct {
                const char *name, *path, *body;
                int status;
        } rows[] = {
                { "evict-A12: another name", PODS "/p/eviction", "{\"metadata\":{\"name\":\"q\"}}",
                  400 },
                { "evict-A12: no such pod", PODS "/q/eviction", "{\"metadata\":{\"name\":\"q\"}}",
                  404 },
                { "evict-A10: another uid", PODS "/p/eviction",
                  "{\"metadata\":{\"name\":\"p\"},\"deleteOptions\":{\"preconditions\":{\"uid\":"
                  "\"x\"}}}",
                  409 },
                { "another version", PODS "/p/eviction",
                  "{\"metadata\":{\"name\":\"p\"},\"deleteOptions\":{\"preconditions\":{"
                  "\"resourceVersion\":\"1\"}}}",
                  409 },
        };
        struct fixture f = fixture_new();

        (void)state;
        make_pod(&f, "Running", READY);
        for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
                if (ask(&f, "POST", rows[i].path, rows[i].body) != rows[i].status)
                        fail_msg("%s: %s", rows[i].name, f.text);
                ask(&f, "GET", PODS "/p", NULL);
                if (*answer(&f, "/metadata/deletionTimestamp"))
                        fail_msg("%s: %s", rows[i].name, f.text);
        }
        fixture_free(&f);
}

static void test_two_budgets(void **state) {
        static const struct {
                const char *name, *phase;
                int status;
        } rows[] = {
                { "evict-A6: two budgets, ready", "Running", 500 },
                { "evict-A7: two budgets, pending", "Pending", 201 },
                { "evict-A7: two budgets, succeeded", "Succeeded", 201 },
        };

        (void)state;
        for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
                struct fixture f = fixture_new();
                int status;

                make_pod(&f, rows[i].phase, READY);
                make_budget(&f, "b", "", OBSERVED "\"disruptionsAllowed\":1");
                make_budget(&f, "c", "", OBSERVED "\"disruptionsAllowed\":1");
                status = ask(&f, "POST", PODS "/p/eviction", EVICTION);
                if (status != rows[i].status || *answer(&f, "/details/causes"))
                        fail_msg("%s: %d %s", rows[i].name, status, f.text);
                status = ask(&f, "GET", PODS "/p", NULL);
                if ((status == 404 || *answer(&f, "/metadata/deletionTimestamp")) !=
                    (rows[i].status == 201))
                        fail_msg("%s: %s", rows[i].name, f.text);
                fixture_free(&f);
        }
}

/* 2,000 evictions that nobody confirmed are as many as a budget bears. */
static void test_too_many_disrupted(void **state) {
        (void)state;
        for (size_t count = 2000; count <= 2001; count++) {
                struct fixture f = fixture_new();
                struct buf status = { 0 };

                make_pod(&f, "Running", READY);
                make_budget(&f, "b", "", OBSERVED "\"disruptionsAllowed\":1");
                buf_text(&status, "{\"status\":{\"disruptedPods\":{");
                for (size_t i = 0; i < count; i++)
                        buf_printf(&status, "%s\"p%zu\":\"2026-01-01T00:00:00Z\"", i ? "," : "", i);
                buf_text(&status, "}}}");
                assert_int_equal(ask_patch(&f, MERGE_PATCH, BUDGETS "/b/status", status.data), 200);
                assert_int_equal(ask(&f, "POST", PODS "/p/eviction", EVICTION),
                                 count == 2000 ? 201 : 403);
                buf_release(&status);
                fixture_free(&f);
        }
}

/* A controller that writes what it read before the eviction is refused, as often as it tries; what
 * it reads then has the decrement, once. */
static void test_written_beside(void **state) {
        struct fixture f = fixture_new();
        char body[2048];

        (void)state;
        make_pod(&f, "Running", READY);
        make_budget(&f, "b", "", OBSERVED "\"disruptionsAllowed\":2");
        ask(&f, "GET", BUDGETS "/b", NULL);
        snprintf(body, sizeof(body), "%s", f.text);
        assert_int_equal(ask(&f, "POST", PODS "/p/eviction", EVICTION), 201);
        for (int i = 0; i < 3; i++)
                assert_int_equal(ask(&f, "PUT", BUDGETS "/b/status", body), 409);
        for (int i = 0; i < 3; i++) {
                char now[2048];

                ask(&f, "GET", BUDGETS "/b", NULL);
                snprintf(now, sizeof(now), "%s", f.text);
                assert_int_equal(ask(&f, "PUT", BUDGETS "/b/status", now), 200);
        }
        assert_string_equal(answer(&f, "/status/disruptionsAllowed"), "1");
        assert_string_equal(answer(&f, "/status/disruptedPods/p"), "2026-01-01T00:00:00Z");
        fixture_free(&f);
}

/* ---- somebody else writes the budget while an eviction looks at it ---- */

struct writer {
        struct fixture *f;
        unsigned left, done; /* writes */
        bool is_ready;
};

/* One more healthy pod, as the disruption controller would write it. */
static void write_budget(void *context) {
        struct writer *writer = context;
        struct store *store = api_server_store(writer->f->server);
        int resource = api_server_resource(writer->f->server, "policy", "poddisruptionbudgets");
        const struct store_object *budget =
                store_get(store, resource, SLICE_LITERAL("default"), SLICE_LITERAL("b"));
        struct json_tree *tree = NULL;
        struct json_node *status;
        struct buf text = { 0 };
        char version[24];

        if (writer->left == 0)
                return;
        writer->left--;
        writer->done++;
        assert_int_equal(json_tree_parse(store_object_body(budget), &tree, NULL), 0);
        status = node_get(json_tree_root(tree), "status");
        node_put_i64(tree, status, "currentHealthy", node_get_i64(status, "currentHealthy", 0) + 1);
        snprintf(version, sizeof(version), "%llu", (unsigned long long)store_next_revision(store));
        node_put_string(tree, node_get(json_tree_root(tree), "metadata"), "resourceVersion",
                        version);
        node_write(json_tree_root(tree), &text);
        assert_int_equal(store_put(store, resource, SLICE_LITERAL("default"), SLICE_LITERAL("b"),
                                   buf_view(&text), NULL),
                         0);
        buf_release(&text);
        json_tree_free(tree);
}

static void on_ready(void *context) {
        ((struct writer *)context)->is_ready = true;
}

/* An eviction by a caller that waits for its answer; *ret_ms is how long that took. */
static int evict_beside(struct writer *writer, int64_t *ret_ms) {
        struct api_server_request request = { .method = SLICE_LITERAL("POST"),
                                              .target = SLICE_LITERAL(PODS "/p/eviction"),
                                              .body = SLICE_LITERAL(EVICTION),
                                              .user_agent = SLICE_LITERAL("test/1"),
                                              .user = &api_user_admin };
        struct loop *loop = virtual_loop_get(writer->f->fake);
        struct mono_time begin = loop_mono(loop);
        struct http_response response;
        struct api_pending *pending;
        int status;

        api_server_contend(writer->f->server, write_budget, writer);
        pending = api_server_begin(writer->f->server, &request, &response, on_ready, writer);
        while (pending) {
                assert_true(loop_mono(loop).ns - begin.ns < 60 * NS_PER_S);
                virtual_loop_advance(writer->f->fake, 10 * NS_PER_MS);
                if (writer->is_ready) {
                        writer->is_ready = false;
                        pending = api_pending_resume(pending, &response);
                }
        }
        *ret_ms = (loop_mono(loop).ns - begin.ns) / NS_PER_MS;
        status = response.status;
        http_response_release(&response);
        api_server_contend(writer->f->server, NULL, NULL);
        return status;
}

/* What is taken is taken once, from what the last of the others wrote; a budget that is written all
 * the time keeps its pod. */
static void test_contended(void **state) {
        static const struct {
                const char *name;
                unsigned writes, done;
                int status;
                int64_t least_ms, most_ms;
                const char *allowed, *healthy;
        } rows[] = {
                { "nobody", 0, 0, 201, 0, 100, "1", "4" },
                { "evict-A13: three times", 3, 3, 201, 1400, 1700, "1", "7" },
                { "the last try", 19, 19, 201, 9000, 10000, "1", "23" },
                { "evict-A14: for ever", 1000, 20, 409, 9000, 11000, "2", "24" },
        };

        (void)state;
        for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
                struct fixture f = fixture_new();
                struct writer writer = { .f = &f, .left = rows[i].writes };
                bool is_going;
                int64_t ms;
                int status;

                make_pod(&f, "Running", READY);
                make_budget(&f, "b", "",
                            OBSERVED "\"disruptionsAllowed\":2,\"currentHealthy\":4,"
                                     "\"desiredHealthy\":2");
                status = evict_beside(&writer, &ms);
                if (status != rows[i].status || writer.done != rows[i].done ||
                    ms < rows[i].least_ms || ms > rows[i].most_ms)
                        fail_msg("%s: %d after %lld ms, %u writes", rows[i].name, status,
                                 (long long)ms, writer.done);
                ask(&f, "GET", BUDGETS "/b", NULL);
                assert_string_equal(answer(&f, "/status/disruptionsAllowed"), rows[i].allowed);
                assert_string_equal(answer(&f, "/status/currentHealthy"), rows[i].healthy);
                assert_int_equal(*answer(&f, "/status/disruptedPods/p") != '\0', status == 201);
                is_going = ask(&f, "GET", PODS "/p", NULL) == 200 &&
                           *answer(&f, "/metadata/deletionTimestamp");
                assert_int_equal(is_going, status == 201);
                fixture_free(&f);
        }
}

/* One that cannot wait is told at once. */
static void test_contended_unwaiting(void **state) {
        struct fixture f = fixture_new();
        struct writer writer = { .f = &f, .left = 1 };

        (void)state;
        make_pod(&f, "Running", READY);
        make_budget(&f, "b", "",
                    OBSERVED "\"disruptionsAllowed\":2,\"currentHealthy\":4,\"desiredHealthy\":2");
        api_server_contend(f.server, write_budget, &writer);
        assert_int_equal(ask(&f, "POST", PODS "/p/eviction", EVICTION), 409);
        assert_string_equal(answer(&f, "/details/name"), "b");
        assert_int_equal(ask(&f, "POST", PODS "/p/eviction", EVICTION), 201);
        fixture_free(&f);
}

struct waiter {
        struct http_response response;
        struct api_pending *pending;
        bool is_ready;
};

static void on_waiter_ready(void *context) {
        ((struct waiter *)context)->is_ready = true;
}

static void make_twenty(struct fixture *f) {
        for (int i = 0; i < 20; i++) {
                char body[400], path[200];

                snprintf(body, sizeof(body),
                         "{\"metadata\":{\"name\":\"p%d\",\"labels\":{\"app\":\"web\"}},\"spec\":{"
                         "\"nodeName\":\"n\",\"containers\":[{\"name\":\"c\",\"image\":\"i\"}]}}",
                         i);
                assert_int_equal(ask(f, "POST", PODS, body), 201);
                snprintf(path, sizeof(path), PODS "/p%d/status", i);
                assert_int_equal(
                        ask_patch(f, MERGE_PATCH, path,
                                  "{\"status\":{\"phase\":\"Running\",\"conditions\":[" READY
                                  "]}}"),
                        200);
        }
}

static void begin_eviction(struct fixture *f, int number, struct waiter *waiter) {
        struct api_server_request request = { .method = SLICE_LITERAL("POST"),
                                              .user_agent = SLICE_LITERAL("test/1"),
                                              .user = &api_user_admin };
        char body[100], path[200];

        snprintf(body, sizeof(body), "{\"metadata\":{\"name\":\"p%d\"}}", number);
        snprintf(path, sizeof(path), PODS "/p%d/eviction", number);
        request.body = slice_of(body);
        request.target = slice_of(path);
        waiter->pending =
                api_server_begin(f->server, &request, &waiter->response, on_waiter_ready, waiter);
}

/* All twenty have seen that one may go, and none has taken it yet: each met another write. */
static void test_twenty_at_once(void **state) {
        struct fixture f = fixture_new();
        struct writer writer = { .f = &f, .left = 20 };
        struct waiter waiters[20] = { 0 };
        int evicted = 0;

        (void)state;
        make_budget(&f, "b", "",
                    OBSERVED
                    "\"disruptionsAllowed\":1,\"currentHealthy\":20,\"desiredHealthy\":19");
        make_twenty(&f);
        api_server_contend(f.server, write_budget, &writer);
        for (int i = 0; i < 20; i++) {
                begin_eviction(&f, i, &waiters[i]);
                assert_non_null(waiters[i].pending);
        }
        virtual_loop_advance(f.fake, NS_PER_S);
        for (int i = 0; i < 20; i++) {
                int status;

                assert_true(waiters[i].is_ready);
                assert_null(api_pending_resume(waiters[i].pending, &waiters[i].response));
                status = waiters[i].response.status;
                assert_true(status == 201 || status == 429);
                evicted += status == 201;
                http_response_release(&waiters[i].response);
        }
        assert_int_equal(evicted, 1);
        fixture_free(&f);
}

static void test_binding(void **state) {
        static const char to[] = "{\"metadata\":{\"name\":\"p\",\"labels\":{\"zone\":\"z\"}},"
                                 "\"target\":{\"kind\":\"Node\",\"name\":\"n1\"}}";
        struct fixture f = fixture_new();

        (void)state;
        assert_int_equal(ask(&f, "POST", PODS "/p/binding", to), 404);
        ask(&f, "POST", PODS,
            "{\"metadata\":{\"name\":\"p\"},\"spec\":{\"containers\":[{\"name\":\"c\",\"image\":"
            "\"i\"}]}}");
        assert_int_equal(ask(&f, "POST", PODS "/p/binding",
                             "{\"metadata\":{\"name\":\"p\"},\"target\":{\"name\":\"\"}}"),
                         500);
        assert_int_equal(
                ask(&f, "POST", PODS "/p/binding",
                    "{\"metadata\":{\"name\":\"p\",\"uid\":\"x\"},\"target\":{\"name\":\"n\"}}"),
                409);
        assert_int_equal(ask(&f, "POST", PODS "/p/binding?dryRun=All", to), 201);
        assert_int_equal(ask(&f, "POST", PODS "/p/binding", to), 201);
        assert_int_equal(ask(&f, "POST", "/api/v1/namespaces/default/bindings", to), 409);
        ask(&f, "GET", PODS "/p", NULL);
        assert_string_equal(answer(&f, "/spec/nodeName"), "n1");
        assert_string_equal(answer(&f, "/metadata/generation"), "1");
        assert_string_equal(answer(&f, "/metadata/labels/zone"), "z");
        assert_string_equal(answer(&f, "/status/conditions/0/type"), "PodScheduled");
        fixture_free(&f);
}

/* Pods that may not be bound, each with the server's reason. */
static void test_refused_bindings(void **state) {
        static const struct {
                const char *metadata, *spec, *text;
        } pods[] = {
                { "", "\"schedulingGates\":[{\"name\":\"a/b\"}],",
                  "pod p has non-empty .spec.schedulingGates" },
                { "", "\"nodeName\":\"n2\",", "pod p is already assigned to node \"n2\"" },
                { "\"finalizers\":[\"a/b\"],", "", "pod p is being deleted" },
        };

        (void)state;
        for (size_t i = 0; i < ARRAY_LEN(pods); i++) {
                struct fixture f = fixture_new();
                char text[512];

                snprintf(text, sizeof(text),
                         "{\"metadata\":{%s\"name\":\"p\"},\"spec\":{%s\"containers\":[{"
                         "\"name\":\"c\",\"image\":\"i\"}]}}",
                         pods[i].metadata, pods[i].spec);
                assert_int_equal(ask(&f, "POST", PODS, text), 201);
                if (pods[i].metadata[0])
                        ask(&f, "DELETE", PODS "/p", "{}");
                assert_int_equal(ask(&f, "POST", PODS "/p/binding",
                                     "{\"metadata\":{\"name\":\"p\"},\"target\":{\"kind\":"
                                     "\"Node\",\"name\":\"n1\"}}"),
                                 409);
                if (!strstr(answer(&f, "/message"), pods[i].text))
                        fail_msg("%s: %s", pods[i].text, answer(&f, "/message"));
                fixture_free(&f);
        }
}

#define NAMED(title, test)                                                                         \
        { title, test, NULL, NULL, NULL }

int main(void) {
        const struct CMUnitTest tests[] = {
                NAMED("evict-A1 evict-A2 evict-A3 evict-A4 evict-A8 evict-A9", test_branches),
                NAMED("evict-A2 evict-A11: effects, and none of a dry run", test_effects),
                NAMED("evict-A10 evict-A12: preconditions", test_preconditions),
                NAMED("evict-A6 evict-A7: two budgets", test_two_budgets),
                NAMED("evict-A5: too many disrupted", test_too_many_disrupted),
                cmocka_unit_test(test_written_beside),
                NAMED("evict-A13 evict-A14: others write the budget", test_contended),
                cmocka_unit_test(test_contended_unwaiting),
                NAMED("evict-A15: twenty at once", test_twenty_at_once),
                cmocka_unit_test(test_binding),
                cmocka_unit_test(test_refused_bindings),
        };

        return cmocka_run_group_tests(tests, NULL, NULL);
}
