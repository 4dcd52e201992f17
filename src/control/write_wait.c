/* One waiting write for each key, by controller, namespace and name; and the writes aside, which
 * belong to no key. */
#include "control/write_wait.h"

#include "base/buf.h"
#include "base/map.h"
#include "base/util.h"
#include "control/control_priv.h"
#include "server/api_server.h"
#include <stdlib.h>

#define STATUS_ACCEPTED 202

struct write_wait {
        struct write_waits *waits;
        struct write_wait *next, *previous; /* of those aside */
        struct controller_run *run;         /* NULL: aside */
        char *ns, *name;                    /* the key */
        char *method, *path;                /* of the write */
        struct api_pending *pending;
        bool is_ready;
};

struct write_waits {
        struct api_server *server;
        void (*wake)(void *context);
        void *context; /* of wake */
        struct map *by_key;
        struct write_wait *aside;
        /* The key that is looked at. */
        struct controller_run *run;
        struct slice ns, name;
        struct write_wait *ready; /* what it waited for, until it is asked for again */
        bool is_given_up;
};

static void key_of(const struct controller_run *run, struct slice ns, struct slice name,
                   struct buf *out) {
        buf_printf(out, "%s/" SLICE_FMT "/" SLICE_FMT, run->controller->name, SLICE_ARG(ns),
                   SLICE_ARG(name));
}

/* What the key waits for; when it is ready it is the caller's. */
static struct write_wait *take_ready(struct write_waits *waits, const struct controller_run *run,
                                     struct slice ns, struct slice name) {
        CLEANUP(buf_release) struct buf key = { 0 };

        key_of(run, ns, name, &key);
        struct write_wait *wait = map_get(waits->by_key, buf_view(&key));
        if (wait && wait->is_ready)
                map_remove(waits->by_key, buf_view(&key));
        return wait;
}

static void write_wait_keep(struct write_waits *waits, struct write_wait *wait) {
        CLEANUP(buf_release) struct buf key = { 0 };

        key_of(wait->run, slice_of(wait->ns), slice_of(wait->name), &key);
        map_put(waits->by_key, buf_view(&key), wait);
}

static void wait_free(struct write_wait *wait) {
        if (!wait)
                return;
        api_pending_cancel(wait->pending);
        free(wait->ns);
        free(wait->name);
        free(wait->method);
        free(wait->path);
        free(wait);
}

/* ---- aside ---- */

static void put_aside(struct write_wait *wait) {
        struct write_waits *waits = wait->waits;

        wait->next = waits->aside;
        if (wait->next)
                wait->next->previous = wait;
        waits->aside = wait;
}

static void end_aside(struct write_wait *wait) {
        if (wait->previous)
                wait->previous->next = wait->next;
        else
                wait->waits->aside = wait->next;
        if (wait->next)
                wait->next->previous = wait->previous;
        wait_free(wait);
}

void write_waits_run_aside(struct write_waits *waits) {
        for (struct write_wait *wait = waits->aside, *next; wait; wait = next) {
                struct http_response response;

                next = wait->next;
                if (!wait->is_ready)
                        continue;
                wait->is_ready = false;
                wait->pending = api_pending_resume(wait->pending, &response);
                if (wait->pending)
                        continue;
                http_response_release(&response);
                end_aside(wait);
        }
}

/* ---- the answers ---- */

/* Runs from wherever the last answer came in: only takes note. */
static void note_ready(void *context) {
        struct write_wait *wait = context;

        wait->is_ready = true;
        if (wait->run)
                work_queue_add(wait->run->queue, slice_of(wait->ns), slice_of(wait->name));
        else
                wait->waits->wake(wait->waits->context);
}

/* ---- writes ---- */

static int give_up(struct write_waits *waits, struct err *err) {
        waits->is_given_up = true;
        return err_set(err, BERTH_ERR_UNAVAILABLE, "webhooks are being asked");
}

static struct write_wait *wait_new(struct write_waits *waits,
                                   const struct api_server_request *request, bool is_aside) {
        struct write_wait *wait = xcalloc(1, sizeof(*wait));

        *wait = (struct write_wait){ .waits = waits,
                                     .run = is_aside ? NULL : waits->run,
                                     .ns = slice_dup(waits->ns),
                                     .name = slice_dup(waits->name),
                                     .method = slice_dup(request->method),
                                     .path = slice_dup(request->target) };
        return wait;
}

static bool is_same(const struct write_wait *wait, const struct api_server_request *request) {
        return wait && slice_is(request->method, wait->method) &&
               slice_is(request->target, wait->path);
}

/* The wait belongs to it from here on: it is freed, or stored. */
static int write_wait_settle(struct write_waits *waits, struct write_wait *wait, bool is_aside,
                             struct http_response *ret_response, struct err *err) {
        if (!wait->pending) {
                wait_free(wait);
                return 0;
        }
        if (is_aside) {
                *ret_response = (struct http_response){ .status = STATUS_ACCEPTED };
                put_aside(wait);
                return 0;
        }
        wait->is_ready = false;
        write_wait_keep(waits, wait);
        return give_up(waits, err);
}

int write_waits_ask(struct write_waits *waits, const struct api_server_request *request,
                    bool is_aside, struct http_response *ret_response, struct err *err) {
        struct api_server *server = waits->server;
        struct write_wait *wait;

        if (waits->is_given_up)
                return give_up(waits, err);
        if (is_same(waits->ready, request)) {
                wait = waits->ready;
                waits->ready = NULL;
                wait->pending = api_pending_resume(wait->pending, ret_response);
                return write_wait_settle(waits, wait, is_aside, ret_response, err);
        }
        if (!waits->run || !api_server_asks_webhooks(server)) {
                api_server_handle(server, request, ret_response);
                return 0;
        }
        wait = wait_new(waits, request, is_aside);
        wait->pending = api_server_begin(server, request, ret_response, note_ready, wait);
        return write_wait_settle(waits, wait, is_aside, ret_response, err);
}

/* ---- looks at a key ---- */

bool write_waits_enter(struct write_waits *waits, struct controller_run *run, struct slice ns,
                       struct slice name) {
        struct write_wait *wait = NULL;

        if (map_count(waits->by_key)) {
                wait = take_ready(waits, run, ns, name);
                if (wait && !wait->is_ready)
                        return false;
        }
        waits->run = run;
        waits->ns = ns;
        waits->name = name;
        waits->ready = wait;
        waits->is_given_up = false;
        return true;
}

bool write_waits_leave(struct write_waits *waits) {
        bool is_given_up = waits->is_given_up;

        wait_free(waits->ready); /* the cluster has changed: it is not needed any more */
        waits->ready = NULL;
        waits->run = NULL;
        waits->is_given_up = false;
        return is_given_up;
}

/* ---- life ---- */

struct write_waits *write_waits_new(struct api_server *server, void (*wake)(void *context),
                                    void *context) {
        struct write_waits *waits = xcalloc(1, sizeof(*waits));

        waits->server = server;
        waits->wake = wake;
        waits->context = context;
        waits->by_key = map_new();
        return waits;
}

void write_waits_free(struct write_waits *waits) {
        size_t at = 0;
        void *wait;

        if (!waits)
                return;
        while (map_next(waits->by_key, &at, NULL, &wait))
                wait_free(wait);
        map_free(waits->by_key);
        while (waits->aside)
                end_aside(waits->aside);
        free(waits);
}

size_t write_waits_count(const struct write_waits *waits) {
        return map_count(waits->by_key);
}
