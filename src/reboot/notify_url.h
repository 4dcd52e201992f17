/* Where notifications go: service URLs as kured takes them (shoutrrr), turned into HTTP requests.
 */
#pragma once

#include "base/arena.h"
#include "base/err.h"
#include "base/slice.h"
#include <stdbool.h>
#include <stddef.h>

#define NOTIFY_REQUESTS_MAX 16 /* of one URL with several chats or rooms */

struct notify_request {
        const char *server; /* https://host:port */
        struct slice path, content_type, body;
        const char *username, *password; /* NULL = no login */
        const char *header;              /* "Name: value", one more; NULL = none */
        /* Not "": posted first, as JSON to login_path; the access_token of the answer belongs at
         * the end of the path. */
        struct slice login;
        const char *login_path;
};
enum notify_tls {
        NOTIFY_TLS_IF_OFFERED,
        NOTIFY_TLS_NEVER,
        NOTIFY_TLS_UPGRADE, /* of a plain connection, or no mail */
        NOTIFY_TLS_ALWAYS,  /* from the first byte */
};
struct notify_mail {
        const char *server; /* smtp://host:port/client, smtps:// */
        enum notify_tls tls;
        const char *username, *password; /* NULL = no login */
        const char *from;
        size_t to_count;
        const char *to[NOTIFY_REQUESTS_MAX];
        const char *head; /* From, To, Subject and what the text is; no Date */
        struct slice text;
};
struct notify_requests {
        bool is_logged; /* that is all: nothing is sent */
        bool is_mail;
        struct notify_mail mail;
        size_t count;
        struct notify_request items[NOTIFY_REQUESTS_MAX];
};

/* BERTH_ERR_INVALID when the service is unknown or the URL lacks something; checks with any
 * message.  Texts live in the arena. */
int notify_url_requests(struct slice url, struct slice message, struct arena *arena,
                        struct notify_requests *ret_requests, struct err *err);
/* The URL for a deprecated Slack hook (https://hooks.slack.com/services/A/B/C); "" when it is none.
 */
struct slice notify_slack_hook(struct slice hook, struct arena *arena);
