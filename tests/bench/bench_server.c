/* Speed and size of the API server in process: creates per second, bytes per second of lists,
 * memory per pod. bench_server [PODS] */
#include "server/api_server.h"
#include "store/store.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <time.h>

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
        struct api_server_response response;
        size_t size;

        api_server_call(server, &api_user_admin, method, slice_of(path), slice_of(body), &response);
        if (response.status != wanted) {
                fprintf(stderr, "%s %s: %d %s\n", method, path, response.status,
                        response.body.data ? response.body.data : "");
                exit(1);
        }
        size = response.body.len;
        api_server_response_release(&response);
        return size;
}

static void report(const char *what, double amount, double seconds, const char *unit) {
        printf("%-28s %12.0f %s/s\n", what, amount / seconds, unit);
}

int main(int argc, char **argv) {
        static const struct loop_ops ops = {
                .wall = wall, .mono = mono, .timer_arm = ignore_timer, .timer_disarm = ignore_disarm
        };
        struct loop loop = { &ops, NULL };
        unsigned pods = argc > 1 ? (unsigned)strtoul(argv[1], NULL, 10) : 20000;
        struct mono_time start = mono(NULL);
        struct api_server *server =
                api_server_new(&(struct api_server_config){ .seed = 1, .is_open = true }, &loop);
        struct rusage usage;
        char path[256], body[1024];
        size_t bytes;

        printf("%-28s %12.1f ms\n", "start", seconds_since(start) * 1000);
        start = mono(NULL);
        for (unsigned i = 0; i < pods; i++) {
                snprintf(body, sizeof(body),
                         "{\"apiVersion\":\"v1\",\"kind\":\"Pod\",\"metadata\":{\"name\":"
                         "\"web-%08u\",\"labels\":{\"app\":\"web\"}},\"spec\":{\"containers\":[{"
                         "\"name\":\"c\",\"image\":\"registry.example/app:1\",\"resources\":{"
                         "\"requests\":{\"cpu\":\"100m\",\"memory\":\"128Mi\"}}}]}}",
                         i);
                call(server, "POST", "/api/v1/namespaces/default/pods", body, 201);
        }
        report("create pods", pods, seconds_since(start), "pods");
        getrusage(RUSAGE_SELF, &usage);
        printf("%-28s %12ld KiB\n", "resident", usage.ru_maxrss);
        printf("%-28s %12.0f bytes/pod\n", "resident",
               (double)usage.ru_maxrss * 1024.0 / (double)pods);
        printf("%-28s %12.0f bytes/pod\n", "store",
               (double)store_bytes(api_server_store(server)) / (double)pods);
        start = mono(NULL);
        for (unsigned i = 0; i < pods; i++) {
                snprintf(path, sizeof(path), "/api/v1/namespaces/default/pods/web-%08u/binding", i);
                snprintf(body, sizeof(body),
                         "{\"metadata\":{\"name\":\"web-%08u\"},\"target\":{\"kind\":\"Node\","
                         "\"name\":\"n1\"}}",
                         i);
                call(server, "POST", path, body, 201);
        }
        report("bind pods", pods, seconds_since(start), "pods");
        start = mono(NULL);
        bytes = call(server, "GET", "/api/v1/pods", "", 200);
        report("list", (double)bytes / 1e6, seconds_since(start), "MB");
        start = mono(NULL);
        bytes = call(server, "GET", "/api/v1/pods?labelSelector=app%3Dweb", "", 200);
        report("list with selector", (double)bytes / 1e6, seconds_since(start), "MB");
        start = mono(NULL);
        for (unsigned i = 0; i < pods; i++) {
                snprintf(path, sizeof(path), "/api/v1/namespaces/default/pods/web-%08u", i);
                call(server, "GET", path, "", 200);
        }
        report("get", pods, seconds_since(start), "pods");
        api_server_free(server);
        return 0;
}
