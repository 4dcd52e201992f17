/* Just enough of D-Bus: a login, Hello, and one method call in little-endian. */
#include "host/host_logind.h"

#include "base/arena.h"
#include "base/buf.h"
#include "base/slice.h"
#include "base/util.h"
#include "port/clock.h"
#include "port/thread_job.h"
#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#define BUS "org.freedesktop.DBus"
#define MESSAGE_MAX 65536U
#define MESSAGES_MAX 32 /* signals may come before the answer */
#define CONNECT_PAUSE_MS 20

enum { CALL = 1, RETURN = 2, FAILURE = 3 };
enum { FIELD_PATH = 1, FIELD_INTERFACE, FIELD_MEMBER, FIELD_ERROR, FIELD_REPLY, FIELD_TO };
enum { FIELD_SIGNATURE = 8 };

struct bus_call {
        const char *to, *path, *interface, *member;
        bool has_flag; /* one boolean argument, false */
};

/* ---- writing ---- */

static void host_logind_pad(struct buf *out, size_t start, size_t to) {
        while ((out->len - start) % to)
                buf_char(out, '\0');
}

static void put_u32(struct buf *out, uint32_t value) {
        for (int shift = 0; shift < 32; shift += 8)
                buf_char(out, (char)(value >> shift & 255));
}

/* A member of the header: code, a signature of one letter, and a text. */
static void put_field(struct buf *out, size_t start, int code, char type, const char *text) {
        host_logind_pad(out, start, 8);
        buf_char(out, (char)code);
        buf_char(out, 1);
        buf_char(out, type);
        buf_char(out, '\0');
        if (type == 'g')
                buf_char(out, (char)strlen(text));
        else
                put_u32(out, (uint32_t)strlen(text));
        buf_append(out, text, strlen(text) + 1);
}

static void put_call(struct buf *out, uint32_t serial, const struct bus_call *call) {
        struct buf fields = { 0 };

        put_field(&fields, 0, FIELD_PATH, 'o', call->path);
        put_field(&fields, 0, FIELD_INTERFACE, 's', call->interface);
        put_field(&fields, 0, FIELD_MEMBER, 's', call->member);
        put_field(&fields, 0, FIELD_TO, 's', call->to);
        if (call->has_flag)
                put_field(&fields, 0, FIELD_SIGNATURE, 'g', "b");
        buf_append(out, "l\1\0\1", 4);
        put_u32(out, call->has_flag ? 4 : 0);
        put_u32(out, serial);
        put_u32(out, (uint32_t)fields.len);
        buf_slice(out, buf_view(&fields));
        host_logind_pad(out, 0, 8);
        if (call->has_flag)
                put_u32(out, 0);
        buf_release(&fields);
}

/* ---- the connection ---- */

struct bus {
        int fd;
        struct mono_time deadline;
};

static int bus_failed(struct err *err, const char *what) {
        return err_set_errno(err, BERTH_ERR_IO, errno, "system bus: cannot %s", what);
}

/* Until the deadline, whatever signals come; false with errno. */
static bool bus_wait(const struct bus *bus, short events) {
        struct pollfd ready = { .fd = bus->fd, .events = events };

        for (;;) {
                int64_t left_ns = bus->deadline.ns - mono_time_now().ns;
                int count = poll(&ready, 1, left_ns > 0 ? (int)(left_ns / NS_PER_MS) + 1 : 0);

                if (count > 0)
                        return true;
                if (count < 0 && errno != EINTR)
                        return false;
                if (left_ns <= 0) {
                        errno = ETIMEDOUT;
                        return false;
                }
        }
}

/* A full queue of a bus that accepts nobody is EAGAIN, and no descriptor tells of its end. */
static bool bus_reach(const struct bus *bus, const struct sockaddr_un *address) {
        while (connect(bus->fd, (const struct sockaddr *)address, sizeof(*address)) < 0) {
                if (errno != EAGAIN && errno != EINTR)
                        return false;
                if (mono_time_now().ns > bus->deadline.ns)
                        return false;
                poll(NULL, 0, CONNECT_PAUSE_MS);
        }
        return true;
}

static int bus_connect(const char *path, struct bus *bus, struct err *err) {
        struct sockaddr_un address = { .sun_family = AF_UNIX };

        if (strlen(path) >= sizeof(address.sun_path))
                return err_set(err, BERTH_ERR_INVALID, "%s is too long for a socket", path);
        memcpy(address.sun_path, path, strlen(path) + 1);
        bus->fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
        if (bus->fd < 0)
                return bus_failed(err, "make a socket");
        return bus_reach(bus, &address) ? 0 : bus_failed(err, path);
}

/* After a call that moved nothing: whether it is worth another. */
static bool bus_again(const struct bus *bus, ssize_t got, short events) {
        if (got < 0 && errno == EINTR)
                return true;
        return got < 0 && errno == EAGAIN && bus_wait(bus, events);
}

static bool write_all(const struct bus *bus, const struct buf *text) {
        size_t done = 0;

        while (done < text->len) {
                ssize_t got = send(bus->fd, text->data + done, text->len - done, MSG_NOSIGNAL);

                if (got > 0)
                        done += (size_t)got;
                else if (!bus_again(bus, got, POLLOUT))
                        return false;
        }
        return true;
}

static bool read_all(const struct bus *bus, unsigned char *bytes, size_t size) {
        size_t done = 0;

        while (done < size) {
                ssize_t got = recv(bus->fd, bytes + done, size - done, 0);

                if (got > 0)
                        done += (size_t)got;
                else if (got == 0)
                        errno = ECONNRESET;
                if (got == 0 || (got < 0 && !bus_again(bus, got, POLLIN)))
                        return false;
        }
        return true;
}

/* The user is proved by the kernel; its number goes along in hexadecimal digits of its digits. */
static int log_in(const struct bus *bus, struct err *err) {
        CLEANUP(buf_release) struct buf text = { 0 }, digits = { 0 };
        char answer[256];
        size_t len = 0;

        buf_char(&text, '\0');
        buf_text(&text, "AUTH EXTERNAL ");
        buf_printf(&digits, "%u", (unsigned)getuid());
        for (size_t i = 0; i < digits.len; i++)
                buf_printf(&text, "%02x", (unsigned)digits.data[i]);
        buf_text(&text, "\r\n");
        if (!write_all(bus, &text))
                return bus_failed(err, "log in");
        while (len + 1 < sizeof(answer) && (len == 0 || answer[len - 1] != '\n'))
                if (!read_all(bus, (unsigned char *)answer + len++, 1))
                        return bus_failed(err, "log in");
        if (len < 3 || memcmp(answer, "OK ", 3) != 0)
                return err_set(err, BERTH_ERR_FORBIDDEN, "system bus: the login was refused");
        buf_clear(&text);
        buf_text(&text, "BEGIN\r\n");
        return write_all(bus, &text) ? 0 : bus_failed(err, "log in");
}

/* ---- answers ---- */

static uint32_t get_u32(const unsigned char *bytes, bool is_little) {
        uint32_t value = 0;

        for (int i = 0; i < 4; i++)
                value |= (uint32_t)bytes[is_little ? i : 3 - i] << (8 * i);
        return value;
}

struct bus_answer {
        int type;
        uint32_t serial; /* of the call it answers */
        char name[128];  /* of an error */
};

/* One member of the header; returns the position behind it, 0 when it cannot be read. */
static size_t read_field(const unsigned char *fields, size_t size, size_t at, bool is_little,
                         struct bus_answer *answer) {
        size_t value = at + 4;

        if (at + 8 > size || fields[at + 1] != 1)
                return 0;
        if (fields[at + 2] == 'g')
                return value + 1 + fields[value] + 1;
        uint32_t number = get_u32(fields + value, is_little);
        if (fields[at + 2] == 'u') {
                if (fields[at] == FIELD_REPLY)
                        answer->serial = number;
                return value + 4;
        }
        if (fields[at + 2] != 's' && fields[at + 2] != 'o')
                return 0;
        if (number > size || value + 4 + number + 1 > size)
                return 0;
        if (fields[at] == FIELD_ERROR && number < sizeof(answer->name)) {
                memcpy(answer->name, fields + value + 4, number);
                answer->name[number] = '\0'; /* whatever was sent there */
        }
        return value + 4 + number + 1;
}

static bool read_message(const struct bus *bus, struct bus_answer *ret_answer) {
        unsigned char head[16], rest[4096];

        *ret_answer = (struct bus_answer){ 0 };
        if (!read_all(bus, head, sizeof(head)))
                return false;
        bool is_little = head[0] == 'l';
        size_t fields = get_u32(head + 12, is_little);
        if (fields > sizeof(rest) - 8 || get_u32(head + 4, is_little) > MESSAGE_MAX ||
            !read_all(bus, rest, (fields + 7) / 8 * 8))
                return false;
        ret_answer->type = head[1];
        for (size_t at = 0; at < fields; at = (at + 7) / 8 * 8) {
                at = read_field(rest, fields, at, is_little, ret_answer);
                if (at == 0)
                        return false;
        }
        size_t left = get_u32(head + 4, is_little);
        while (left > 0) { /* the body says nothing we need */
                size_t part = left < sizeof(rest) ? left : sizeof(rest);

                if (!read_all(bus, rest, part))
                        return false;
                left -= part;
        }
        return true;
}

static int wait_for(const struct bus *bus, uint32_t serial, struct err *err) {
        struct bus_answer answer;

        for (int i = 0; i < MESSAGES_MAX; i++) {
                if (!read_message(bus, &answer))
                        return bus_failed(err, "read an answer");
                if (answer.serial != serial)
                        continue;
                if (answer.type == RETURN)
                        return 0;
                if (answer.type == FAILURE)
                        return err_set(err, BERTH_ERR_FORBIDDEN, "system bus: %s", answer.name);
        }
        return err_set(err, BERTH_ERR_IO, "system bus: no answer");
}

static int bus_ask(const struct bus *bus, uint32_t serial, const struct bus_call *call,
                   struct err *err) {
        CLEANUP(buf_release) struct buf text = { 0 };

        put_call(&text, serial, call);
        if (!write_all(bus, &text))
                return bus_failed(err, "call");
        return wait_for(bus, serial, err);
}

int host_logind_reboot(const char *bus_socket, struct err *err) {
        static const struct bus_call hello = { BUS, "/org/freedesktop/DBus", BUS, "Hello", false };
        static const struct bus_call reboot = { "org.freedesktop.login1", "/org/freedesktop/login1",
                                                "org.freedesktop.login1.Manager", "Reboot", true };
        struct bus bus = { .fd = -1, .deadline = { mono_time_now().ns + LOGIND_TIMEOUT_NS } };
        int code = bus_connect(bus_socket, &bus, err);

        if (code == 0)
                code = log_in(&bus, err);
        if (code == 0)
                code = bus_ask(&bus, 1, &hello, err);
        if (code == 0)
                code = bus_ask(&bus, 2, &reboot, err);
        cleanup_close(&bus.fd);
        return code;
}

/* ---- beside the loop ---- */

/* What the thread has. */
struct logind_call {
        char *bus_socket;
        int code;
        struct err err;
};

struct host_logind_order {
        struct thread_job *job;
        void (*done)(void *context, int code, const char *error);
        void *context;
};

static void logind_call_run(void *data) {
        struct logind_call *call = data;

        call->code = host_logind_reboot(call->bus_socket, &call->err);
}

static void logind_call_release(void *data) {
        struct logind_call *call = data;

        free(call->bus_socket);
        free(call);
}

static void on_logind_answered(void *context, void *data, bool was_run) {
        struct host_logind_order *order = context;
        struct logind_call *call = data;
        void (*done)(void *, int, const char *) = order->done;
        void *receiver = order->context;

        free(order);
        if (!was_run)
                call->code = err_set(&call->err, BERTH_ERR_TOO_MANY,
                                     "system bus: not asked, too many files do not answer");
        done(receiver, call->code, call->err.text);
}

struct host_logind_order *host_logind_order_new(struct loop *loop, const char *bus_socket,
                                                void (*done)(void *context, int code,
                                                             const char *error),
                                                void *context) {
        const struct thread_job_work work = { .file = bus_socket,
                                              .run = logind_call_run,
                                              .ended = on_logind_answered,
                                              .release = logind_call_release };
        struct host_logind_order *order = xcalloc(1, sizeof(*order));
        struct logind_call *call = xcalloc(1, sizeof(*call));

        call->bus_socket = slice_dup(slice_of(bus_socket));
        *order = (struct host_logind_order){ .done = done, .context = context };
        order->job = thread_job_start(loop, &work, call, order);
        return order;
}

void host_logind_order_free(struct host_logind_order *order) {
        if (!order)
                return;
        thread_job_abandon(order->job);
        free(order);
}
