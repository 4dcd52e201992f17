/* URLs of notices and command lines of options: what is accepted can be sent as it stands, and the
 * same whatever the message. */
#include "reboot/notify_url.h"

#include "reboot/shell_words.h"
#include <assert.h>
#include <stdint.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static bool is_line(const char *text) {
        return !text || !strpbrk(text, "\r\n");
}

static void check_mail(const struct notify_mail *mail) {
        assert(strncmp(mail->server, "smtp", 4) == 0 && is_line(mail->server));
        assert(mail->to_count > 0 && mail->to_count <= NOTIFY_REQUESTS_MAX);
        assert(is_line(mail->from));
        for (size_t i = 0; i < mail->to_count; i++)
                assert(is_line(mail->to[i]));
}

static void check(const struct notify_requests *requests) {
        if (requests->is_mail) {
                check_mail(&requests->mail);
                return;
        }
        assert(requests->is_logged == (requests->count == 0));
        assert(requests->count <= NOTIFY_REQUESTS_MAX);
        for (size_t i = 0; i < requests->count; i++) {
                const struct notify_request *request = &requests->items[i];

                assert(strncmp(request->server, "http", 4) == 0 && is_line(request->server));
                assert(request->path.len > 0 && request->path.ptr[0] == '/');
                assert(!memchr(request->path.ptr, '\n', request->path.len));
                assert(is_line(request->header));
                assert(!request->login.len == !request->login_path);
        }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
        struct slice text = slice_make((const char *)data, size);
        struct notify_requests plain, odd;
        const char **words;
        struct arena arena;
        struct err err = { 0 };
        size_t count;
        int code;

        arena_init(&arena, 0);
        code = notify_url_requests(text, SLICE_LITERAL("m"), &arena, &plain, &err);
        if (code == 0) {
                check(&plain);
                code = notify_url_requests(text, SLICE_LITERAL("\"\\\r\n\x01%s&\xff"), &arena, &odd,
                                           &err);
                assert(code == 0 && odd.count == plain.count && odd.is_mail == plain.is_mail);
                check(&odd);
        } else {
                assert(err.text[0]);
        }
        notify_slack_hook(text, &arena);
        if (shell_words_split(text, &arena, &words, &count, NULL) == 0)
                assert(count > 0 && count <= SHELL_WORDS_MAX && !words[count]);
        arena_release(&arena);
        return 0;
}
