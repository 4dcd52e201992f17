/* Just enough of D-Bus: a login, Hello, and one method call in little-endian. */
#include "host/host_logind.h"

#include "base/arena.h"
#include "base/buf.h"
#include "base/slice.h"
#include "base/time.h"
#include "base/util.h"
#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

#define BUS "org.freedesktop.DBus"
#define MESSAGE_MAX 65536U
#define MESSAGES_MAX 32 /* signals may come before the answer */

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

static int bus_failed(struct err *err, const char *what) {
        return err_set_errno(err, BERTH_ERR_IO, errno, "system bus: cannot %s", what);
}

static int bus_connect(const char *path, int *ret_fd, struct err *err) {
        struct timeval patience = { .tv_sec = LOGIND_TIMEOUT_NS / NS_PER_S };
        struct sockaddr_un address = { .sun_family = AF_UNIX };

        if (strlen(path) >= sizeof(address.sun_path))
                return err_set(err, BERTH_ERR_INVALID, "%s is too long for a socket", path);
        memcpy(address.sun_path, path, strlen(path) + 1);
        int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
        if (fd < 0)
                return bus_failed(err, "make a socket");
        setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience));
        setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof(patience));
        if (connect(fd, (struct sockaddr *)&address, sizeof(address)) < 0) {
                bus_failed(err, path);
                close(fd);
                return BERTH_ERR_IO;
        }
        *ret_fd = fd;
        return 0;
}

static bool write_all(int fd, const struct buf *text) {
        size_t done = 0;

        while (done < text->len) {
                ssize_t got = send(fd, text->data + done, text->len - done, MSG_NOSIGNAL);

                if (got <= 0)
                        return false;
                done += (size_t)got;
        }
        return true;
}

static bool read_all(int fd, unsigned char *bytes, size_t size) {
        size_t done = 0;

        while (done < size) {
                ssize_t got = recv(fd, bytes + done, size - done, 0);

                if (got <= 0)
                        return false;
                done += (size_t)got;
        }
        return true;
}

/* The user is proved by the kernel; its number goes along in hexadecimal digits of its digits. */
static int log_in(int fd, struct err *err) {
        CLEANUP(buf_release) struct buf text = { 0 }, digits = { 0 };
        char answer[256];
        size_t len = 0;

        buf_char(&text, '\0');
        buf_text(&text, "AUTH EXTERNAL ");
        buf_printf(&digits, "%u", (unsigned)getuid());
        for (size_t i = 0; i < digits.len; i++)
                buf_printf(&text, "%02x", (unsigned)digits.data[i]);
        buf_text(&text, "\r\n");
        if (!write_all(fd, &text))
                return bus_failed(err, "log in");
        while (len + 1 < sizeof(answer) && (len == 0 || answer[len - 1] != '\n'))
                if (!read_all(fd, (unsigned char *)answer + len++, 1))
                        return bus_failed(err, "log in");
        if (len < 3 || memcmp(answer, "OK ", 3) != 0)
                return err_set(err, BERTH_ERR_FORBIDDEN, "system bus: the login was refused");
        buf_clear(&text);
        buf_text(&text, "BEGIN\r\n");
        return write_all(fd, &text) ? 0 : bus_failed(err, "log in");
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

static bool read_message(int fd, struct bus_answer *ret_answer) {
        unsigned char head[16], rest[4096];

        *ret_answer = (struct bus_answer){ 0 };
        if (!read_all(fd, head, sizeof(head)))
                return false;
        bool is_little = head[0] == 'l';
        size_t fields = get_u32(head + 12, is_little);
        if (fields > sizeof(rest) - 8 || get_u32(head + 4, is_little) > MESSAGE_MAX ||
            !read_all(fd, rest, (fields + 7) / 8 * 8))
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

                if (!read_all(fd, rest, part))
                        return false;
                left -= part;
        }
        return true;
}

static int wait_for(int fd, uint32_t serial, struct err *err) {
        struct bus_answer answer;

        for (int i = 0; i < MESSAGES_MAX; i++) {
                if (!read_message(fd, &answer))
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

int host_logind_reboot(const char *bus_socket, struct err *err) {
        static const struct bus_call hello = { BUS, "/org/freedesktop/DBus", BUS, "Hello", false };
        static const struct bus_call reboot = { "org.freedesktop.login1", "/org/freedesktop/login1",
                                                "org.freedesktop.login1.Manager", "Reboot", true };
        CLEANUP(buf_release) struct buf calls = { 0 };
        CLEANUP(cleanup_close) int fd = -1;
        int code = bus_connect(bus_socket, &fd, err);

        if (code == 0)
                code = log_in(fd, err);
        if (code < 0)
                return code;
        put_call(&calls, 1, &hello);
        if (!write_all(fd, &calls))
                return bus_failed(err, "call");
        if (wait_for(fd, 1, err) < 0)
                return err->code;
        buf_clear(&calls);
        put_call(&calls, 2, &reboot);
        if (!write_all(fd, &calls))
                return bus_failed(err, "call");
        return wait_for(fd, 2, err);
}
