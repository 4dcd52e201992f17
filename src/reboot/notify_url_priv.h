/* What the services of notification URLs share. */
#pragma once

#include "base/buf.h"
#include "reboot/notify_url.h"

#define PATH_PARTS_MAX 8

struct service_url {
        struct slice service;
        bool is_custom;      /* service+https://: the rest is the address itself */
        struct slice scheme; /* of a custom one */
        struct slice user, password, host, path, query, fragment;
        size_t part_count;
        struct slice parts[PATH_PARTS_MAX]; /* of the path */
        struct slice message;
        struct arena *arena;
};

/* ---- notify_request.c ---- */

/* A parameter as written; "" = none. Names are written in any case. */
struct slice notify_url_query(const struct service_url *url, const char *name);
/* The same without escapes. */
struct slice notify_url_text(const struct service_url *url, const char *name);
/* Without %XX; NULL for nothing. */
const char *notify_url_decoded(const struct service_url *url, struct slice text);
/* What the buffer holds, as text of the arena; releases the buffer. */
struct slice notify_url_keep(struct buf *text, struct arena *arena);
/* {"key":"message"} with more text members where they are not empty; more: name, value, ... */
struct slice notify_url_json(const struct service_url *url, const char *key,
                             const struct slice *more, size_t more_count);
bool notify_url_is_yes(struct slice text);
/* A request with a JSON body; none when there are too many. */
void notify_url_add(const struct service_url *url, struct notify_requests *requests,
                    struct slice host, const char *path, struct slice body);

/* ---- notify_push.c: services; false: something is missing ---- */

bool notify_bark(const struct service_url *url, struct notify_requests *requests);
bool notify_googlechat(const struct service_url *url, struct notify_requests *requests);
bool notify_ifttt(const struct service_url *url, struct notify_requests *requests);
bool notify_join(const struct service_url *url, struct notify_requests *requests);
bool notify_logger(const struct service_url *url, struct notify_requests *requests);
bool notify_opsgenie(const struct service_url *url, struct notify_requests *requests);
bool notify_pushbullet(const struct service_url *url, struct notify_requests *requests);
bool notify_pushover(const struct service_url *url, struct notify_requests *requests);
bool notify_zulip(const struct service_url *url, struct notify_requests *requests);
