/* One short-lived connection per message. */
#include "roles/reboot_notifier.h"

#include "api/json.h"
#include "base/buf.h"
#include "base/log.h"
#include "base/util.h"
#include "client/http_transport.h"
#include "client/mail_sender.h"
#include "client/url_query.h"
#include "reboot/notify_url.h"
#include <stdlib.h>

struct notification {
        struct reboot_notifier *notifier; /* NULL = free slot */
        struct http_transport *http;      /* or */
        struct mail_sending *mail;
        struct transport transport;
        char *path, *body; /* of a message that waits for a login; NULL = none */
        bool is_over;
};

struct reboot_notifier {
        struct loop *loop;
        const char *url;
        struct loop_timer sweeper; /* transports must not go from inside their callbacks */
        struct notification slots[NOTIFY_IN_FLIGHT_MAX];
};

static void reboot_notifier_release(struct notification *notification) {
        http_transport_free(notification->http);
        mail_sending_free(notification->mail);
        free(notification->path);
        free(notification->body);
        *notification = (struct notification){ 0 };
}

static void reboot_notifier_sweep(void *context) {
        struct reboot_notifier *notifier = context;

        for (size_t i = 0; i < NOTIFY_IN_FLIGHT_MAX; i++)
                if (notifier->slots[i].is_over)
                        reboot_notifier_release(&notifier->slots[i]);
}

static void on_sent(void *context, const struct api_reply *reply) {
        struct notification *notification = context;
        struct reboot_notifier *notifier = notification->notifier;

        if (reply->status < 200 || reply->status >= 300)
                LOG(LOG_WARN, "NotificationFailed", log_i64("status", reply->status),
                    log_text("error", reply->error.text));
        notification->is_over = true;
        loop_timer_arm(notifier->loop, &notifier->sweeper, 0);
}

static void on_mailed(void *context, const char *text) {
        struct notification *notification = context;
        struct reboot_notifier *notifier = notification->notifier;

        if (text[0])
                LOG(LOG_WARN, "NotificationFailed", log_text("error", text));
        notification->is_over = true;
        loop_timer_arm(notifier->loop, &notifier->sweeper, 0);
}

/* NULL: too many are under way. */
static struct notification *free_slot(struct reboot_notifier *notifier) {
        for (size_t i = 0; i < NOTIFY_IN_FLIGHT_MAX; i++)
                if (!notifier->slots[i].notifier)
                        return &notifier->slots[i];
        LOG(LOG_WARN, "NotificationFailed",
            log_text("error", "too many notifications are under way"));
        return NULL;
}

static void reboot_notifier_post(struct notification *notification, const char *path,
                                 struct slice content_type, struct slice body,
                                 void (*done)(void *context, const struct api_reply *reply)) {
        transport_call(&notification->transport,
                       &(struct api_call){ .method = API_POST,
                                           .path = slice_of(path),
                                           .content_type = content_type,
                                           .body = body,
                                           .timeout_ns = NOTIFY_TIMEOUT_NS },
                       done, notification);
}

static void on_login(void *context, const struct api_reply *reply) {
        struct notification *notification = context;
        CLEANUP(cleanup_json_doc) struct json_doc *doc = NULL;
        CLEANUP(buf_release) struct buf path = { 0 };
        struct slice token = SLICE_EMPTY;

        if (reply->status == 200 && json_parse(reply->body, &doc, NULL) == 0)
                token = json_get_text(json_doc_root(doc), "access_token");
        if (token.len == 0) {
                on_sent(notification, reply->status == 200 ? &(struct api_reply){ 0 } : reply);
                return;
        }
        buf_text(&path, notification->path);
        url_escape(&path, token);
        reboot_notifier_post(notification, path.data, SLICE_LITERAL("application/json"),
                             slice_of(notification->body), on_sent);
}

static char *text_dup(const char *text) {
        return text ? slice_dup(slice_of(text)) : NULL;
}

static void send_request(struct reboot_notifier *notifier, const struct notify_request *request) {
        struct notification *slot = free_slot(notifier);
        struct http_transport_config config = { 0 };
        struct err err = { 0 };

        if (!slot)
                return;
        config.header = request->header;
        config.access = (struct cluster_access){ .server = slice_dup(slice_of(request->server)),
                                                 .username = text_dup(request->username),
                                                 .password = text_dup(request->password) };
        if (http_transport_new(&config, notifier->loop, &slot->http, &err) < 0) {
                LOG(LOG_WARN, "NotificationFailed", log_text("error", err.text));
                return;
        }
        slot->notifier = notifier;
        slot->transport = http_transport(slot->http);
        if (request->login.len > 0) {
                slot->path = slice_dup(request->path);
                slot->body = slice_dup(request->body);
                reboot_notifier_post(slot, request->login_path, SLICE_LITERAL("application/json"),
                                     request->login, on_login);
                return;
        }
        reboot_notifier_post(slot, request->path.ptr, request->content_type, request->body,
                             on_sent);
}

/* "21 Nov 2026 08:30:00 +0000", out of "2026-11-21T08:30:00Z" */
static void print_date(struct wall_time now, struct buf *out) {
        static const char months[] = "JanFebMarAprMayJunJulAugSepOctNovDec";
        char text[WALL_TIME_TEXT_MAX];

        wall_time_format(now, text);
        int month = (text[5] - '0') * 10 + text[6] - '0';
        buf_printf(out, "%.2s %.3s %.4s %.8s +0000", text + 8, months + (month - 1) * 3, text,
                   text + 11);
}

static void send_mail(struct reboot_notifier *notifier, const struct notify_mail *mail) {
        struct notification *slot = free_slot(notifier);
        struct mail what = { .server = mail->server,
                             .tls = mail->tls == NOTIFY_TLS_UPGRADE ? MAIL_TLS_REQUIRED
                                    : mail->tls == NOTIFY_TLS_NEVER ? MAIL_TLS_NEVER
                                                                    : MAIL_TLS_IF_OFFERED,
                             .username = mail->username,
                             .password = mail->password,
                             .from = mail->from,
                             .to_count = mail->to_count,
                             .timeout_ns = NOTIFY_TIMEOUT_NS };
        CLEANUP(buf_release) struct buf text = { 0 };

        if (!slot)
                return;
        buf_text(&text, "Date: ");
        print_date(loop_wall(notifier->loop), &text);
        buf_printf(&text, "\r\n%s\r\n" SLICE_FMT "\r\n", mail->head, SLICE_ARG(mail->text));
        what.text = buf_view(&text);
        for (size_t i = 0; i < mail->to_count; i++)
                what.to[i] = mail->to[i];
        slot->notifier = notifier;
        slot->mail = mail_send(notifier->loop, &what, on_mailed, slot);
}

void reboot_notifier_send(struct reboot_notifier *notifier, struct slice message) {
        CLEANUP(arena_release) struct arena arena;
        struct notify_requests requests;
        struct err err = { 0 };

        arena_init(&arena, 2048);
        LOG(LOG_INFO, "Notice", log_slice("message", message));
        if (!notifier->url || !notifier->url[0])
                return;
        if (notify_url_requests(slice_of(notifier->url), message, &arena, &requests, &err) < 0)
                LOG(LOG_WARN, "NotificationFailed", log_text("error", err.text));
        if (requests.is_mail)
                send_mail(notifier, &requests.mail);
        for (size_t i = 0; i < requests.count; i++)
                send_request(notifier, &requests.items[i]);
}

struct reboot_notifier *reboot_notifier_new(struct loop *loop, const char *url) {
        struct reboot_notifier *notifier = xcalloc(1, sizeof(*notifier));

        notifier->loop = loop;
        notifier->url = url;
        notifier->sweeper =
                (struct loop_timer){ .fired = reboot_notifier_sweep, .context = notifier };
        return notifier;
}

void reboot_notifier_free(struct reboot_notifier *notifier) {
        if (!notifier)
                return;
        loop_timer_disarm(notifier->loop, &notifier->sweeper);
        for (size_t i = 0; i < NOTIFY_IN_FLIGHT_MAX; i++)
                if (notifier->slots[i].notifier)
                        reboot_notifier_release(&notifier->slots[i]);
        free(notifier);
}
