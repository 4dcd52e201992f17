/* The API server as a transport: answers come from the loop only, streams can be cancelled from
 * inside their own callbacks. */
#include "fake_server.h"
#include "server/local_transport.h"

#define MAPS "/api/v1/namespaces/default/configmaps"

struct seen {
        struct transport transport;
        struct api_request *request;
        int replies, opened, ended, status, chunks;
        bool cancels;
        char last[4096];
        struct err error;
};

static void on_done(void *context, const struct api_reply *reply) {
        struct seen *seen = context;

        seen->replies++;
        seen->status = reply->status;
        seen->error = reply->error;
        snprintf(seen->last, sizeof(seen->last), SLICE_FMT, SLICE_ARG(reply->body));
}

static void on_opened(void *context, int status) {
        struct seen *seen = context;

        seen->opened++;
        seen->status = status;
}

static void on_data(void *context, struct slice chunk) {
        struct seen *seen = context;

        seen->chunks++;
        snprintf(seen->last, sizeof(seen->last), SLICE_FMT, SLICE_ARG(chunk));
        if (seen->cancels)
                transport_cancel(&seen->transport, seen->request);
}

static void on_ended(void *context, const struct api_reply *reply) {
        struct seen *seen = context;

        seen->ended++;
        seen->status = reply->status;
        seen->error = reply->error;
}

static const struct api_stream_events events = { on_opened, on_data, on_ended };

static struct api_call call_of(enum api_method method, const char *path, const char *body) {
        return (struct api_call){ .method = method,
                                  .path = slice_of(path),
                                  .body = slice_of(body) };
}

static void test_calls(void **state) {
        struct fixture f = fixture_new();
        struct local_transport *local = local_transport_new(f.server, virtual_loop_get(f.fake),
                                                            &api_user_scheduler, "berth/1");
        struct transport transport = local_transport(local);
        struct seen seen = { 0 };
        struct api_call call = call_of(API_POST, MAPS, "{\"metadata\":{\"name\":\"c\"}}");
        struct api_request *request;

        (void)state;
        transport_call(&transport, &call, on_done, &seen);
        assert_int_equal(seen.replies, 0); /* never from inside */
        virtual_loop_run(f.fake);
        assert_int_equal(seen.status, 201);
        transport_call(&transport, &call, on_done, &seen);
        virtual_loop_run(f.fake);
        assert_int_equal(seen.status, 409);
        assert_int_equal(seen.error.code, BERTH_ERR_EXISTS);
        request = transport_call(&transport, &call, on_done, &seen);
        transport_cancel(&transport, request);
        virtual_loop_run(f.fake);
        assert_int_equal(seen.replies, 2);
        transport_call(&transport, &call, on_done, &seen);
        local_transport_free(local); /* with a call under way */
        virtual_loop_run(f.fake);
        assert_int_equal(seen.replies, 2);
        fixture_free(&f);
}

static void test_streams(void **state) {
        struct fixture f = fixture_new();
        struct local_transport *local = local_transport_new(f.server, virtual_loop_get(f.fake),
                                                            &api_user_scheduler, "berth/1");
        struct seen seen = { .transport = local_transport(local) };
        struct api_call call = call_of(
                API_GET, MAPS "?watch=1&timeoutSeconds=60&fieldSelector=metadata.name%3Dc", "");

        (void)state;
        seen.request = transport_stream(&seen.transport, &call, &events, &seen);
        virtual_loop_run(f.fake);
        assert_int_equal(seen.opened, 1);
        assert_int_equal(seen.chunks, 0);
        ask(&f, "POST", MAPS, "{\"metadata\":{\"name\":\"c\"}}");
        assert_int_equal(seen.chunks, 0);
        virtual_loop_run(f.fake);
        assert_int_equal(seen.chunks, 1);
        assert_non_null(strstr(seen.last, "\"ADDED\""));
        virtual_loop_advance(f.fake, 61 * NS_PER_S);
        virtual_loop_run(f.fake);
        assert_int_equal(seen.ended, 1);
        call.path = SLICE_LITERAL(MAPS "?watch=1&resourceVersion=x");
        transport_stream(&seen.transport, &call, &events, &seen);
        virtual_loop_run(f.fake);
        assert_int_equal(seen.ended, 2);
        assert_int_equal(seen.status, 500);
        call.path = SLICE_LITERAL(MAPS "?watch=1");
        seen.cancels = true;
        seen.request = transport_stream(&seen.transport, &call, &events, &seen);
        virtual_loop_run(f.fake);
        assert_int_equal(seen.chunks, 2);
        ask(&f, "POST", MAPS, "{\"metadata\":{\"name\":\"d\"}}");
        virtual_loop_run(f.fake);
        assert_int_equal(seen.chunks, 2); /* cancelled from inside */
        assert_int_equal(seen.ended, 2);
        local_transport_free(local);
        fixture_free(&f);
}

int main(void) {
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(test_calls),
                cmocka_unit_test(test_streams),
        };

        return cmocka_run_group_tests(tests, NULL, NULL);
}
