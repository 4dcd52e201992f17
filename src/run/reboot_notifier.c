/* One short-lived connection per message. */
#include "run/reboot_notifier.h"

#include "base/log.h"
#include "base/util.h"
#include "client/http_transport.h"
#include "reboot/notify_url.h"
#include <stdlib.h>

struct notification {
        struct reboot_notifier *notifier; /* NULL = free slot */
        struct http_transport *http;
        struct transport transport;
        bool is_over;
};

struct reboot_notifier {
        struct loop *loop;
        const char *url;
        struct loop_timer sweeper; /* transports must not go from inside their callbacks */
        struct notification slots[NOTIFY_IN_FLIGHT_MAX];
};

static void release(struct notification *notification) {
        http_transport_free(notification->http);
        *notification = (struct notification){ 0 };
}

static void sweep(void *context) {
        struct reboot_notifier *notifier = context;

        for (size_t i = 0; i < NOTIFY_IN_FLIGHT_MAX; i++)
                if (notifier->slots[i].is_over)
                        release(&notifier->slots[i]);
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

static void send_one(struct reboot_notifier *notifier, const struct notify_request *request) {
        struct http_transport_config config = {
                .access = { .server = slice_dup(slice_of(request->server)) },
                .timeout_ns = NOTIFY_TIMEOUT_NS,
        };
        struct notification *slot = NULL;
        struct err err = { 0 };

        for (size_t i = 0; i < NOTIFY_IN_FLIGHT_MAX && !slot; i++)
                if (!notifier->slots[i].notifier)
                        slot = &notifier->slots[i];
        if (!slot)
                err_set(&err, BERTH_ERR_TOO_MANY, "too many notifications are under way");
        if (!slot || http_transport_new(&config, notifier->loop, &slot->http, &err) < 0) {
                LOG(LOG_WARN, "NotificationFailed", log_text("error", err.text));
                if (!slot)
                        cluster_access_release(&config.access);
                return;
        }
        slot->notifier = notifier;
        slot->transport = http_transport(slot->http);
        transport_call(&slot->transport,
                       &(struct api_call){ .method = API_POST,
                                           .path = request->path,
                                           .content_type = request->content_type,
                                           .body = request->body,
                                           .timeout_ns = NOTIFY_TIMEOUT_NS },
                       on_sent, slot);
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
        for (size_t i = 0; i < requests.count; i++)
                send_one(notifier, &requests.items[i]);
}

struct reboot_notifier *reboot_notifier_new(struct loop *loop, const char *url) {
        struct reboot_notifier *notifier = xcalloc(1, sizeof(*notifier));

        notifier->loop = loop;
        notifier->url = url;
        notifier->sweeper = (struct loop_timer){ .fired = sweep, .context = notifier };
        return notifier;
}

void reboot_notifier_free(struct reboot_notifier *notifier) {
        if (!notifier)
                return;
        loop_timer_disarm(notifier->loop, &notifier->sweeper);
        for (size_t i = 0; i < NOTIFY_IN_FLIGHT_MAX; i++)
                if (notifier->slots[i].notifier)
                        release(&notifier->slots[i]);
        free(notifier);
}
