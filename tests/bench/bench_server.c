/* Speed and size of the API server in process: creates per second, bytes per second of lists,
 * events per second to a hundred watches, memory. bench_server [PODS [NODES]] */
#include "server/api_server.h"
#include "store/store.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <time.h>

#define PODS "/api/v1/namespaces/default/pods"
#define WATCHERS 100
#define FAN_OUT_WRITES 2000

static struct wall_time wall(void *self) {
        struct timespec now;

        (void)self;
        clock_gettime(CLOCK_REALTIME, &now);
        return (struct wall_time){ now.tv_sec * NS_PER_S + now.tv_nsec };
}

static struct mono_time mono(void *self) {
        struct timespec now;

        (void)self;
        clock_gettime(CLOCK_MONOTONIC, &now);
        return (struct mono_time){ now.tv_sec * NS_PER_S + now.tv_nsec };
}

static void ignore_timer(void *self, struct loop_timer *timer, int64_t delay_ns) {
        (void)self;
        (void)timer;
        (void)delay_ns;
}

static void ignore_disarm(void *self, struct loop_timer *timer) {
        (void)self;
        (void)timer;
}

static double seconds_since(struct mono_time start) {
        return (double)(mono(NULL).ns - start.ns) / (double)NS_PER_S;
}

static size_t call(struct api_server *server, const char *method, const char *path,
                   const char *body, int wanted) {
        struct http_response response;
        size_t size;

        api_server_call(server, &api_user_admin, method, slice_of(path), slice_of(body), &response);
        if (response.status != wanted) {
                fprintf(stderr, "%s %s: %d %s\n", method, path, response.status,
                        response.body.data ? response.body.data : "");
                exit(1);
        }
        size = response.body.len;
        http_response_release(&response);
        return size;
}

static void report(const char *what, double amount, double seconds, const char *unit) {
        printf("%-28s %12.0f %s/s\n", what, amount / seconds, unit);
}

static void post_node(struct api_server *server, unsigned i) {
        char body[1024];

        snprintf(body, sizeof(body),
                 "{\"metadata\":{\"name\":\"node-%05u\",\"labels\":{\"kubernetes.io/hostname\":"
                 "\"node-%05u\",\"topology.kubernetes.io/zone\":\"z%u\"}},\"status\":{"
                 "\"capacity\":{\"cpu\":\"32\",\"memory\":\"128Gi\",\"pods\":\"110\"},"
                 "\"conditions\":[{\"type\":\"Ready\",\"status\":\"True\"}]}}",
                 i, i, i % 3);
        call(server, "POST", "/api/v1/nodes", body, 201);
}

static void post_pod(struct api_server *server, unsigned i) {
        char body[1024];

        snprintf(body, sizeof(body),
                 "{\"apiVersion\":\"v1\",\"kind\":\"Pod\",\"metadata\":{\"name\":"
                 "\"web-%08u\",\"labels\":{\"app\":\"web\"}},\"spec\":{\"containers\":[{"
                 "\"name\":\"c\",\"image\":\"registry.example/app:1\",\"resources\":{"
                 "\"requests\":{\"cpu\":\"100m\",\"memory\":\"128Mi\"}}}]}}",
                 i);
        call(server, "POST", PODS, body, 201);
}

static void bind_pod(struct api_server *server, unsigned i) {
        char path[256], body[256];

        snprintf(path, sizeof(path), PODS "/web-%08u/binding", i);
        snprintf(body, sizeof(body),
                 "{\"metadata\":{\"name\":\"web-%08u\"},\"target\":{\"kind\":\"Node\","
                 "\"name\":\"n1\"}}",
                 i);
        call(server, "POST", path, body, 201);
}

static void update_pod(struct api_server *server, unsigned i) {
        struct http_response response;
        char path[256], body[256];

        snprintf(path, sizeof(path), PODS "/web-%08u", i);
        snprintf(body, sizeof(body), "{\"metadata\":{\"labels\":{\"round\":\"%u\"}}}", i);
        api_server_handle(server,
                          &(struct api_server_request){
                                  .method = SLICE_LITERAL("PATCH"),
                                  .target = slice_of(path),
                                  .body = slice_of(body),
                                  .content_type = SLICE_LITERAL("application/merge-patch+json"),
                                  .user = &api_user_admin },
                          &response);
        if (response.status != 200)
                exit(1);
        http_response_release(&response);
}

static void get_pod(struct api_server *server, unsigned i) {
        char path[256];

        snprintf(path, sizeof(path), PODS "/web-%08u", i);
        call(server, "GET", path, "", 200);
}

static void each_pod(struct api_server *server, const char *what, unsigned pods,
                     void (*act)(struct api_server *server, unsigned i)) {
        struct mono_time start = mono(NULL);

        for (unsigned i = 0; i < pods; i++)
                act(server, i);
        report(what, pods, seconds_since(start), "pods");
}

static void list(struct api_server *server, const char *what, const char *path) {
        struct mono_time start = mono(NULL);
        size_t bytes = call(server, "GET", path, "", 200);

        report(what, (double)bytes / 1e6, seconds_since(start), "MB");
}

/* Writes with WATCHERS readers of everything, who read after each: events handed out per second. */
static void fan_out(struct api_server *server, unsigned pods) {
        struct http_response watches[WATCHERS];
        struct buf text = { 0 };
        struct mono_time start;
        char path[128];

        snprintf(path, sizeof(path), "/api/v1/pods?watch=1&resourceVersion=%llu",
                 (unsigned long long)store_revision(api_server_store(server)));
        for (size_t i = 0; i < WATCHERS; i++)
                api_server_call(server, &api_user_admin, "GET", slice_of(path), SLICE_EMPTY,
                                &watches[i]);
        start = mono(NULL);
        for (unsigned i = 0; i < pods; i++) {
                update_pod(server, i);
                for (size_t j = 0; j < WATCHERS; j++) {
                        buf_clear(&text);
                        http_stream_read(watches[j].stream, &text, 1 << 16);
                }
        }
        report("watch events to 100", (double)pods * WATCHERS, seconds_since(start), "events");
        for (size_t i = 0; i < WATCHERS; i++)
                http_response_release(&watches[i]);
        buf_release(&text);
}

static void resident(struct api_server *server, unsigned pods) {
        struct rusage usage;

        getrusage(RUSAGE_SELF, &usage);
        printf("%-28s %12.1f MiB\n", "resident", (double)usage.ru_maxrss / 1024);
        printf("%-28s %12.0f bytes/pod\n", "store",
               (double)store_bytes(api_server_store(server)) / (double)pods);
}

int main(int argc, char **argv) {
        static const struct loop_ops ops = {
                .wall = wall, .mono = mono, .timer_arm = ignore_timer, .timer_disarm = ignore_disarm
        };
        struct loop loop = { &ops, NULL };
        unsigned pods = argc > 1 ? (unsigned)strtoul(argv[1], NULL, 10) : 20000;
        unsigned nodes = argc > 2 ? (unsigned)strtoul(argv[2], NULL, 10) : 0;
        struct mono_time start = mono(NULL);
        struct api_server *server =
                api_server_new(&(struct api_server_config){ .seed = 1, .is_open = true }, &loop);

        printf("%-28s %12.1f ms\n", "start", seconds_since(start) * 1000);
        for (unsigned i = 0; i < nodes; i++)
                post_node(server, i);
        each_pod(server, "create pods", pods, post_pod);
        resident(server, pods);
        each_pod(server, "bind pods", pods, bind_pod);
        each_pod(server, "patch pods", pods, update_pod);
        each_pod(server, "get", pods, get_pod);
        list(server, "list", "/api/v1/pods");
        list(server, "list with selector", "/api/v1/pods?labelSelector=app%3Dweb");
        fan_out(server, pods < FAN_OUT_WRITES ? pods : FAN_OUT_WRITES);
        api_server_free(server);
        return 0;
}
