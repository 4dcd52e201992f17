/* Commands, boot ids, sentinel files and the metrics page. */
#include "host/host_command.h"
#include "host/host_logind.h"
#include "host/host_reboot.h"
#include "host/host_trim.h"
#include "host/metrics_listener.h"

#include "loop/event_loop.h"
#include <arpa/inet.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

struct outcome {
        bool is_done;
        enum host_command_end end;
        int code;
};

static void on_done(void *context, enum host_command_end end, int code) {
        *(struct outcome *)context = (struct outcome){ true, end, code };
}

static struct outcome run_command(const char *const *argv, int64_t timeout_ns) {
        struct outcome outcome = { 0 };
        struct event_loop *loop = NULL;

        assert_int_equal(event_loop_new(&loop, NULL), 0);
        host_command_start(event_loop_as_loop(loop), argv, timeout_ns, on_done, &outcome);
        while (!outcome.is_done)
                assert_int_equal(event_loop_run_once(loop, NS_PER_S, NULL), 0);
        event_loop_free(loop);
        return outcome;
}

/* Acceptance 71 */
static void runs_commands(void **state) {
        static const struct {
                const char *argv[4];
                int64_t timeout_ns;
                enum host_command_end end;
                int code;
        } cases[] = {
                { { "true", NULL }, 0, HOST_COMMAND_EXITED, 0 },
                { { "sh", "-c", "exit 3", NULL }, 0, HOST_COMMAND_EXITED, 3 },
                { { "sh", "-c", "kill -9 $$", NULL }, 0, HOST_COMMAND_EXITED, 137 },
                { { "sleep", "60", NULL }, 10 * NS_PER_MS, HOST_COMMAND_TIMED_OUT, 0 },
                { { "/no/such/program", NULL }, 0, HOST_COMMAND_NOT_FOUND, 127 },
        };

        (void)state;
        for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
                struct outcome outcome = run_command(cases[i].argv, cases[i].timeout_ns);

                assert_int_equal(outcome.end, cases[i].end);
                assert_int_equal(outcome.code, cases[i].code);
        }
}

static void cancels_commands(void **state) {
        static const char *const argv[] = { "sleep", "60", NULL };
        struct outcome outcome = { 0 };
        struct event_loop *loop = NULL;

        (void)state;
        assert_int_equal(event_loop_new(&loop, NULL), 0);
        host_command_cancel(
                host_command_start(event_loop_as_loop(loop), argv, 0, on_done, &outcome));
        assert_int_equal(event_loop_run_once(loop, 0, NULL), 0);
        assert_false(outcome.is_done);
        event_loop_free(loop);
}

static void reads_boot_ids(void **state) {
        char path[] = "/tmp/berth-boot-XXXXXX", id[BOOT_ID_MAX];
        int fd = mkstemp(path);
        struct err err = { 0 };

        (void)state;
        assert_int_equal(write(fd, "abc\nrest", 8), 8);
        close(fd);
        assert_true(host_file_exists(path));
        assert_int_equal(host_boot_id(path, id, NULL), 0);
        assert_string_equal(id, "abc");
        unlink(path);
        assert_false(host_file_exists(path));
        assert_int_equal(host_boot_id(path, id, &err), BERTH_ERR_IO);
        assert_true(host_file_exists("/tmp"));
}

static void says_why_the_host_is_out_of_reach(void **state) {
        struct err err = { 0 };

        (void)state;
        assert_int_equal(host_can_enter("/bin/sh", "/proc/self/ns/mnt", &err), 0);
        assert_true(host_can_enter("/no/nsenter", "/proc/self/ns/mnt", &err) < 0);
        assert_string_equal(err.text, "/no/nsenter cannot be run: No such file or directory");
        assert_true(host_can_enter("/bin/sh", "/no/mnt", &err) < 0);
        assert_string_equal(err.text, "the mount namespace of the host, /no/mnt, cannot be "
                                      "entered: No such file or directory");
}

/* ---- logind ---- */

enum bus_manner { BUS_AGREES, BUS_REFUSES, BUS_REFUSES_UNENDED };

/* An error whose name fills the room there is for it, with no end. */
static size_t write_unended(char *message) {
        static const char head[] = "l\3\1\1\0\0\0\0\10\0\0\0\220\0\0\0\5\1u\0\2\0\0\0"
                                   "\4\1s\0\177\0\0\0";

        memcpy(message, head, 32);
        memset(message + 32, 'x', 127);
        message[159] = 'Z';
        return 160;
}

/* The bus sends its client signals that wait for nothing: each is counted before the next. */
static _Atomic int *signals_seen;

static void on_signal(int number) {
        (void)number;
        (*signals_seen)++;
}

static void send_signals(void) {
        for (int i = 0; signals_seen && i < 8; i++) {
                int before = *signals_seen;

                kill(getppid(), SIGUSR1);
                while (*signals_seen == before)
                        sched_yield();
        }
}

/* Reads on until that is there; ends with the client. Returns how much was read. */
static size_t read_until(int fd, char *text, size_t size, const char *part) {
        size_t len = 0;

        while (!memmem(text, len, part, strlen(part))) {
                ssize_t got = read(fd, text + len, size - len);

                if (got <= 0)
                        _exit(5);
                len += (size_t)got;
        }
        return len;
}

/* Answers every message with a return, or the second one with an error; 0 when it was asked for
 * Hello and Reboot. */
static int play_bus(int listener, enum bus_manner manner) {
        static const char reply[] = "l\2\1\1\0\0\0\0\7\0\0\0\10\0\0\0\5\1u\0\1\0\0\0";
        static const char error[] = "l\3\1\1\0\0\0\0\10\0\0\0\26\0\0\0\5\1u\0\2\0\0\0"
                                    "\4\1s\0\5\0\0\0x.y.z\0\0";
        int fd = accept(listener, NULL, NULL);
        char got[2048] = "", message[160];
        size_t size = 24;

        read_until(fd, got, sizeof(got), "\n");
        send_signals();
        if (strncmp(got + 1, "AUTH EXTERNAL ", 14) != 0 || write(fd, "OK 1\r\n", 6) != 6)
                return 1;
        read_until(fd, got, sizeof(got), "Hello");
        memcpy(message, reply, 24);
        if (write(fd, message, 24) != 24)
                return 2;
        size_t len = read_until(fd, got, sizeof(got), "Reboot");
        send_signals();
        message[20] = 2;
        if (manner == BUS_REFUSES)
                memcpy(message, error, size = 40);
        else if (manner == BUS_REFUSES_UNENDED)
                size = write_unended(message);
        if (write(fd, message, size) != (ssize_t)size)
                return 3;
        return memmem(got, len, "org.freedesktop.login1.Manager", 30) ? 0 : 4;
}

static void asks_logind(void **state) {
        char folder[] = "/tmp/berth-bus-XXXXXX";
        struct sockaddr_un address = { .sun_family = AF_UNIX };

        (void)state;
        assert_non_null(mkdtemp(folder));
        snprintf(address.sun_path, sizeof(address.sun_path), "%s/bus", folder);
        for (int manner = BUS_AGREES; manner <= BUS_REFUSES_UNENDED; manner++) {
                int listener = socket(AF_UNIX, SOCK_STREAM, 0), status = -1, code;
                struct err err = { 0 };
                pid_t child;

                assert_int_equal(bind(listener, (struct sockaddr *)&address, sizeof(address)), 0);
                assert_int_equal(listen(listener, 1), 0);
                child = fork();
                if (child == 0)
                        _exit(play_bus(listener, (enum bus_manner)manner));
                code = host_logind_reboot(address.sun_path, &err);
                if (code != (manner == BUS_AGREES ? BERTH_OK : BERTH_ERR_FORBIDDEN))
                        fail_msg("manner %d: %d %s", manner, code, err.text);
                if (manner == BUS_REFUSES)
                        assert_non_null(strstr(err.text, "x.y.z"));
                assert_null(strchr(err.text, 'Z'));
                assert_int_equal(waitpid(child, &status, 0), child);
                assert_int_equal(status, 0);
                close(listener);
                unlink(address.sun_path);
        }
        assert_int_equal(host_logind_reboot(address.sun_path, &(struct err){ 0 }), BERTH_ERR_IO);
        rmdir(folder);
}

/* A program's end, or any other signal, is no failure of the bus. */
static void asks_logind_among_signals(void **state) {
        const struct sigaction count = { .sa_handler = on_signal };
        struct sigaction before;

        signals_seen = mmap(NULL, sizeof(*signals_seen), PROT_READ | PROT_WRITE,
                            MAP_SHARED | MAP_ANONYMOUS, -1, 0);
        assert_ptr_not_equal(signals_seen, MAP_FAILED);
        sigaction(SIGUSR1, &count, &before);
        asks_logind(state);
        sigaction(SIGUSR1, &before, NULL);
        munmap((void *)signals_seen, sizeof(*signals_seen));
        signals_seen = NULL;
}

struct logind_outcome {
        bool is_done;
        int code;
};

static void on_logind(void *context, int code, const char *error) {
        (void)error;
        *(struct logind_outcome *)context = (struct logind_outcome){ true, code };
}

static void on_tick(void *context) {
        ++*(int *)context;
}

/* A bus that takes the call and is silent: the loop goes on, and a call can be left behind. */
static void silent_logind_holds_nothing_up(void **state) {
        char folder[] = "/tmp/berth-bus-XXXXXX";
        struct sockaddr_un address = { .sun_family = AF_UNIX };
        struct logind_outcome outcome = { 0 }, left = { 0 };
        struct event_loop *events = NULL;
        int listener = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0), ticks = 0;
        struct loop_timer tick = { .fired = on_tick, .context = &ticks };

        (void)state;
        assert_non_null(mkdtemp(folder));
        snprintf(address.sun_path, sizeof(address.sun_path), "%s/bus", folder);
        assert_int_equal(bind(listener, (struct sockaddr *)&address, sizeof(address)), 0);
        assert_int_equal(listen(listener, 2), 0);
        assert_int_equal(event_loop_new(&events, NULL), 0);
        struct loop *loop = event_loop_as_loop(events);
        host_logind_order_new(loop, address.sun_path, on_logind, &outcome);
        host_logind_order_free(host_logind_order_new(loop, address.sun_path, on_logind, &left));
        int silent = accept(listener, NULL, NULL), other = accept(listener, NULL, NULL);
        for (int i = 0; i < 10; i++) {
                loop_timer_arm(loop, &tick, 0);
                assert_int_equal(event_loop_run_once(events, NS_PER_S, NULL), 0);
        }
        assert_int_equal(ticks, 10);
        assert_false(outcome.is_done);
        close(silent);
        close(other);
        while (!outcome.is_done)
                assert_int_equal(event_loop_run_once(events, NS_PER_S, NULL), 0);
        assert_int_equal(outcome.code, BERTH_ERR_IO);
        assert_false(left.is_done);
        event_loop_free(events);
        close(listener);
        unlink(address.sun_path);
        rmdir(folder);
}

/* Everything still works when its pages have to come back. */
static void trims_memory(void **state) {
        char text[64];

        (void)state;
        for (int i = 0; i < 3; i++) {
                assert_true(host_trim() > 0);
                snprintf(text, sizeof(text), "%d %s", i, "well");
                assert_non_null(strstr(text, "well"));
        }
}

static void write_page(void *context, struct buf *out) {
        buf_text(out, context);
}

static void fetch(struct event_loop *loop, uint16_t port, const char *request, char *answer,
                  size_t size) {
        struct sockaddr_in address = { .sin_family = AF_INET,
                                       .sin_port = htons(port),
                                       .sin_addr = { htonl(INADDR_LOOPBACK) } };
        int fd = socket(AF_INET, SOCK_STREAM, 0);
        size_t len = 0;

        assert_int_equal(connect(fd, (struct sockaddr *)&address, sizeof(address)), 0);
        assert_true(write(fd, request, strlen(request)) > 0);
        for (int i = 0; i < 100 && len + 1 < size; i++) {
                ssize_t got;

                event_loop_run_once(loop, 20 * NS_PER_MS, NULL);
                got = recv(fd, answer + len, size - len - 1, MSG_DONTWAIT);
                if (got == 0)
                        break;
                if (got > 0)
                        len += (size_t)got;
        }
        answer[len] = '\0';
        close(fd);
}

static void serves_metrics(void **state) {
        struct event_loop *loop = NULL;
        struct metrics_listener *listener = NULL, *second = NULL;
        char answer[1024], page[] = "kured_reboot_required{node=\"n\"} 1\n";
        uint16_t port;

        (void)state;
        assert_int_equal(event_loop_new(&loop, NULL), 0);
        assert_int_equal(metrics_listener_new(event_loop_as_loop(loop),
                                              &(struct metrics_address){ "127.0.0.1", 0 },
                                              write_page, page, &listener, NULL),
                         0);
        port = metrics_listener_port(listener);
        fetch(loop, port, "GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n", answer, sizeof(answer));
        assert_non_null(strstr(answer, "200 OK"));
        assert_non_null(strstr(answer, page));
        fetch(loop, port, "GET /other HTTP/1.1\r\n\r\n", answer, sizeof(answer));
        assert_non_null(strstr(answer, "404"));
        assert_true(metrics_listener_new(event_loop_as_loop(loop),
                                         &(struct metrics_address){ "127.0.0.1", port }, write_page,
                                         page, &second, NULL) < 0);
        metrics_listener_free(listener);
        event_loop_free(loop);
}

int main(void) {
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(runs_commands),
                cmocka_unit_test(says_why_the_host_is_out_of_reach),
                cmocka_unit_test(cancels_commands),
                cmocka_unit_test(reads_boot_ids),
                cmocka_unit_test(asks_logind),
                cmocka_unit_test(asks_logind_among_signals),
                cmocka_unit_test(silent_logind_holds_nothing_up),
                cmocka_unit_test(trims_memory),
                cmocka_unit_test(serves_metrics),
        };

        return cmocka_run_group_tests(tests, NULL, NULL);
}
