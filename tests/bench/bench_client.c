/* Reading and writing over TLS on loopback, server and client on one thread: megabytes per second
 * of a list received only and received, compared and handed over, binds per second, memory per
 * object known. bench_client [PODS] */
#include "client/http_transport.h"
#include "client/known_objects.h"
#include "client/reflector.h"
#include "client/write_queue.h"
#include "http/http_front.h"
#include "http/tls_material.h"
#include "loop/event_loop.h"
#include "server/api_server.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define PODS "/api/v1/namespaces/default/pods"
#define TOKEN "secret"
#define BINDS 5000

struct bench {
        struct event_loop *events;
        struct loop *loop;
        struct api_server *server;
        struct http_front *front;
        struct tls_material material;
        struct http_transport *http;
        struct transport transport;
        int done; /* replies, lists, results */
        size_t bytes;
        char next[256]; /* token of the next page */
};

static double now_s(void) {
        struct timespec now;

        clock_gettime(CLOCK_MONOTONIC, &now);
        return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

static void fail(const char *what) {
        fprintf(stderr, "bench_client: %s\n", what);
        exit(1);
}

static void report(const char *what, double figure, const char *unit) {
        printf("%-28s %12.0f %s\n", what, figure, unit);
}

static void run_until(struct bench *bench, int wanted) {
        while (bench->done < wanted) {
                if (event_loop_run_once(bench->events, -1, NULL) < 0)
                        fail("the loop failed");
        }
}

static void serve(struct bench *bench) {
        static const char *const groups[] = { "system:masters", NULL };
        struct api_token token = { TOKEN, "admin", groups };
        struct http_front_config front = { .address = "127.0.0.1:0" };
        struct err err;

        if (event_loop_new(&bench->events, &err) < 0 ||
            tls_material_make(NULL, &bench->material, &err) < 0)
                fail(err.text);
        bench->loop = event_loop_as_loop(bench->events);
        bench->server = api_server_new(
                &(struct api_server_config){ .tokens = &token, .token_count = 1 }, bench->loop);
        front.key_pem = bench->material.key_pem;
        front.certificate_pem = bench->material.certificate_pem;
        struct http_handler handler = api_server_handler(bench->server);

        if (http_front_new(&front, &handler, bench->loop, &bench->front, &err) < 0)
                fail(err.text);
}

static void reach(struct bench *bench) {
        struct http_transport_config config = { 0 };
        struct err err;
        char url[64];

        snprintf(url, sizeof(url), "https://127.0.0.1:%u", http_front_port(bench->front));
        config.access.server = slice_dup(slice_of(url));
        config.access.token = slice_dup(SLICE_LITERAL(TOKEN));
        config.access.ca_pem = slice_dup(slice_of(bench->material.ca_pem));
        if (http_transport_new(&config, bench->loop, &bench->http, &err) < 0)
                fail(err.text);
        bench->transport = http_transport(bench->http);
}

static void make_pods(struct bench *bench, int count) {
        for (int i = 0; i < count; i++) {
                struct http_response response;
                char body[400];

                snprintf(body, sizeof(body),
                         "{\"metadata\":{\"name\":\"web-6b9f7c5d4-%06d\",\"labels\":{\"app\":"
                         "\"web\"}},\"spec\":{\"containers\":[{\"name\":\"c\",\"image\":"
                         "\"registry.example/web:1\",\"resources\":{\"requests\":{\"cpu\":"
                         "\"100m\",\"memory\":\"128Mi\"}}}]}}",
                         i);
                api_server_call(bench->server, &api_user_admin, "POST", SLICE_LITERAL(PODS),
                                slice_of(body), &response);
                if (response.status != 201)
                        fail("a pod was refused");
                http_response_release(&response);
        }
}

/* ---- receiving only ---- */

static void on_page(void *context, const struct api_reply *reply) {
        static const char member[] = "\"continue\":\"";
        struct bench *bench = context;
        const char *found;

        bench->done++;
        bench->bytes += reply->body.len;
        bench->next[0] = '\0';
        found = memmem(reply->body.ptr, reply->body.len, member, sizeof(member) - 1);
        if (!found)
                return;
        found += sizeof(member) - 1;
        snprintf(bench->next, sizeof(bench->next), "%.*s", (int)strcspn(found, "\""), found);
}

static double receive(struct bench *bench) {
        double start = now_s();

        bench->done = 0;
        do {
                char path[400];
                struct api_call call = { .method = API_GET };

                snprintf(path, sizeof(path), PODS "?limit=500%s%s",
                         bench->next[0] ? "&continue=" : "", bench->next);
                call.path = slice_of(path);
                transport_call(&bench->transport, &call, on_page, bench);
                run_until(bench, bench->done + 1);
        } while (bench->next[0]);
        return now_s() - start;
}

/* ---- following ---- */

static void on_changed(void *context, enum reflector_change change, const struct json *object) {
        (void)context;
        (void)change;
        (void)object;
}

static void on_synced(void *context) {
        ((struct bench *)context)->done++;
}

static double follow(struct bench *bench) {
        static const struct reflector_events events = { .changed = on_changed,
                                                        .synced = on_synced };
        struct reflector_config config = { .path = PODS };
        double start = now_s(), end;
        struct reflector *reflector;

        bench->done = 0;
        reflector = reflector_new(&config, &bench->transport, bench->loop, &events, bench);
        run_until(bench, 1);
        end = now_s();
        reflector_free(reflector);
        return end - start;
}

/* ---- writing ---- */

static void on_result(void *context, const struct write_result *result) {
        if (result->outcome != WRITE_ANSWERED || result->reply->status != 201)
                fail("a bind failed");
        ((struct bench *)context)->done++;
}

static double bind_pods(struct bench *bench, int count) {
        struct write_queue *queue =
                write_queue_new(&(struct write_queue_config){ 0 }, &bench->transport, bench->loop);
        double start = now_s(), end;

        bench->done = 0;
        for (int i = 0; i < count; i++) {
                char name[32], path[96], body[160];
                struct write_request write = { .lane = WRITE_BIND,
                                               .kind = SLICE_LITERAL("Pod"),
                                               .method = API_POST,
                                               .done = on_result,
                                               .context = bench };

                snprintf(name, sizeof(name), "web-6b9f7c5d4-%06d", i);
                snprintf(path, sizeof(path), PODS "/%s/binding", name);
                snprintf(body, sizeof(body),
                         "{\"metadata\":{\"name\":\"%s\"},\"target\":{\"kind\":\"Node\",\"name\":"
                         "\"n1\"}}",
                         name);
                write.name = slice_of(name);
                write.path = slice_of(path);
                write.body = slice_of(body);
                write_queue_add(queue, &write);
        }
        run_until(bench, count);
        end = now_s();
        write_queue_free(queue);
        return end - start;
}

static double known_bytes(int count) {
        struct known_objects *known = known_objects_new();
        double bytes;

        for (int i = 0; i < count; i++) {
                char name[64], uid[40], former[KNOWN_UID_MAX + 1];
                struct object_identity identity = { .namespace_name = SLICE_LITERAL("default") };

                snprintf(name, sizeof(name), "web-6b9f7c5d4-%06d", i);
                snprintf(uid, sizeof(uid), "0b6c5c2e-5b1c-4f0a-9d3e-%012d", i);
                identity.name = slice_of(name);
                identity.uid = slice_of(uid);
                known_objects_put(known, &identity, (struct object_version){ (uint64_t)i }, former);
        }
        bytes = (double)known_objects_bytes(known);
        known_objects_free(known);
        return bytes / count;
}

int main(int argc, char **argv) {
        int64_t count = 50000;
        struct bench bench = { 0 };
        double megabytes, seconds;
        int binds;

        if (argc > 1 && (!slice_to_i64(slice_of(argv[1]), &count) || count < 1 || count > 1000000))
                fail("PODS must be a number");
        binds = count < BINDS ? (int)count : BINDS;
        serve(&bench);
        reach(&bench);
        make_pods(&bench, (int)count);
        receive(&bench); /* warms up both ends */
        bench.bytes = 0;
        seconds = receive(&bench);
        megabytes = (double)bench.bytes / 1e6;
        report("list received", megabytes / seconds, "MB/s");
        report("list followed", megabytes / follow(&bench), "MB/s");
        report("binds", binds / bind_pods(&bench, binds), "calls/s");
        report("known object", known_bytes((int)count), "bytes");
        http_transport_free(bench.http);
        http_front_free(bench.front);
        api_server_free(bench.server);
        tls_material_release(&bench.material);
        event_loop_free(bench.events);
        return 0;
}
