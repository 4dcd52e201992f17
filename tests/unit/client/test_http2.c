/* Many requests over one HTTP/2 connection, through nghttpx in front of the sandbox's server, which
 * itself speaks HTTP/1.1 only. Skipped where that program is missing. */
#include "live_server.h"

#include "client/reflector.h"
#include "client/write_queue.h"
#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <signal.h>
#include <spawn.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#define MAPS "/api/v1/namespaces/default/configmaps"
#define COUNT 300

static char folder[] = "/tmp/berth-http2-XXXXXX";

struct proxy {
        pid_t pid;
        uint16_t port;
};

static const char *write_file(const char *name, const char *text) {
        static char paths[2][64];
        static int next;
        char *path = paths[next = !next];
        FILE *file;

        snprintf(path, sizeof(paths[0]), "%s/%s", folder, name);
        file = fopen(path, "w");
        assert_non_null(file);
        fputs(text, file);
        fclose(file);
        return path;
}

/* Taken by nobody a moment ago, and below those that outgoing connections get. */
static uint16_t free_port(void) {
        struct sockaddr_in address = { .sin_family = AF_INET };
        uint16_t number;
        int result;

        address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        do {
                int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

                assert_int_equal(getrandom(&number, sizeof(number), 0), sizeof(number));
                address.sin_port = htons((uint16_t)(20000 + number % 12000));
                result = bind(fd, (struct sockaddr *)&address, sizeof(address));
                close(fd);
        } while (result != 0);
        return ntohs(address.sin_port);
}

static bool proxy_start(struct proxy *proxy, const struct live *live) {
        char front[64], back[64];
        char *arguments[] = { (char *)"nghttpx",
                              (char *)"--conf=/dev/null",
                              (char *)"--no-ocsp",
                              (char *)"--single-process",
                              front,
                              back,
                              (char *)write_file("key", live->material.key_pem),
                              (char *)write_file("certificate", live->material.certificate_pem),
                              NULL };
        posix_spawn_file_actions_t quiet;
        int result;

        proxy->port = free_port();
        snprintf(front, sizeof(front), "--frontend=127.0.0.1,%u", proxy->port);
        snprintf(back, sizeof(back), "--backend=127.0.0.1,%u", live->port);
        posix_spawn_file_actions_init(&quiet);
        posix_spawn_file_actions_addopen(&quiet, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
        posix_spawn_file_actions_addopen(&quiet, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
        result = posix_spawnp(&proxy->pid, "nghttpx", &quiet, NULL, arguments, environ);
        posix_spawn_file_actions_destroy(&quiet);
        return result == 0;
}

struct counts {
        int changes, syncs, failures, results, succeeded;
};

static void on_changed(void *context, enum reflector_change change, const struct json *object) {
        (void)change;
        (void)object;
        ((struct counts *)context)->changes++;
}

static void on_synced(void *context) {
        ((struct counts *)context)->syncs++;
}

static void on_failed(void *context, const struct err *err, int64_t delay_ns) {
        (void)err;
        (void)delay_ns;
        ((struct counts *)context)->failures++;
}

static void on_result(void *context, const struct write_result *result) {
        struct counts *counts = context;

        counts->results++;
        counts->succeeded += result->outcome == WRITE_ANSWERED && result->reply->status == 201;
}

static void create_maps(struct write_queue *queue, struct counts *counts, int first, int end) {
        for (int i = first; i < end; i++) {
                char body[64];
                struct write_request write = { .lane = WRITE_STATUS,
                                               .method = API_POST,
                                               .path = SLICE_LITERAL(MAPS),
                                               .done = on_result,
                                               .context = counts };

                snprintf(body, sizeof(body), "{\"metadata\":{\"name\":\"c%d\"}}", i);
                write.body = slice_of(body);
                write_queue_add(queue, &write);
        }
}

static struct http_transport *connect_to(struct live *live, const struct proxy *proxy) {
        struct http_transport_config config = { .access = live_access(live) };
        char url[64];

        snprintf(url, sizeof(url), "https://127.0.0.1:%u", proxy->port);
        free(config.access.server);
        config.access.server = slice_dup(slice_of(url));
        return live_connect(live, config);
}

static void check_multiplexing(struct live *live, struct proxy *proxy) {
        static const struct reflector_events events = { on_changed, on_synced, on_failed };
        static const char *const paths[] = { MAPS, "/api/v1/nodes", "/api/v1/namespaces" };
        struct http_transport *http = connect_to(live, proxy);
        struct transport transport = http_transport(http);
        struct write_queue *queue =
                write_queue_new(&(struct write_queue_config){ 0 }, &transport, live->loop);
        struct counts counts = { 0 };
        struct reflector *reflectors[ARRAY_LEN(paths)];
        struct live_rows before = live_rows(proxy->port);

        create_maps(queue, &counts, 0, 1); /* repeated until the proxy listens */
        live_until(live, &counts.succeeded, 1);
        for (size_t i = 0; i < ARRAY_LEN(paths); i++)
                reflectors[i] = reflector_new(&(struct reflector_config){ .path = paths[i] },
                                              &transport, live->loop, &events, &counts);
        live_until(live, &counts.syncs, ARRAY_LEN(paths));
        counts.changes = 0;
        create_maps(queue, &counts, 1, COUNT);
        live_until(live, &counts.results, COUNT);
        live_until(live, &counts.changes, COUNT - 1); /* over streams that stay open */
        assert_int_equal(counts.succeeded, COUNT);
        assert_in_range(live_connections(proxy->port, &before), 1, WRITE_CONCURRENCY / 2);
        reflector_free(reflectors[1]); /* ends one stream, not the connection */
        create_maps(queue, &counts, COUNT, COUNT + 1);
        live_until(live, &counts.changes, COUNT);
        assert_int_equal(counts.failures, 0);
        assert_in_range(live_connections(proxy->port, &before), 1, WRITE_CONCURRENCY / 2);
        kill(proxy->pid, SIGKILL);
        live_until(live, &counts.failures, 2); /* the streams that were left */
        reflector_free(reflectors[0]);
        reflector_free(reflectors[2]);
        write_queue_free(queue);
        http_transport_free(http);
}

static void test_one_connection(void **state) {
        struct live live;
        struct proxy proxy;

        (void)state;
        live_start(&live, true);
        if (!proxy_start(&proxy, &live)) {
                live_stop(&live);
                skip();
        }
        check_multiplexing(&live, &proxy);
        waitpid(proxy.pid, NULL, 0);
        live_stop(&live);
}

static int make_folder(void **state) {
        (void)state;
        return mkdtemp(folder) ? 0 : -1;
}

static int remove_folder(void **state) {
        char path[64];

        (void)state;
        snprintf(path, sizeof(path), "%s/key", folder);
        unlink(path);
        snprintf(path, sizeof(path), "%s/certificate", folder);
        unlink(path);
        return rmdir(folder);
}

int main(void) {
        const struct CMUnitTest tests[] = { cmocka_unit_test(test_one_connection) };

        return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
