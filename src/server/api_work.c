/* The body of a request may be 3 MB, and what is done with it may take a second. Kubelets, leaders
 * and probes give up sooner. A long request stands still at places where it holds nothing that
 * others change (base/pace.h). Who is let in there has scratch memory and parsed texts of his own,
 * reads what every request reads, and writes Leases only; a request that writes a Lease itself lets
 * in nobody who writes. The store is written in one go, with the door closed. */
#include "server/api_work.h"

#include "base/pace.h"
#include "server/api_state.h"
#include <assert.h>

#define LONG_BYTES ((size_t)128 << 10)

/* ---- queues ---- */

static void work_append(struct work_line *queue, struct work_place *item) {
        assert(!item->is_queued);
        item->is_queued = true;
        item->next = NULL;
        if (queue->last)
                queue->last->next = item;
        else
                queue->first = item;
        queue->last = item;
}

static struct work_place *work_take(struct work_line *queue) {
        struct work_place *item = queue->first;

        if (!item)
                return NULL;
        queue->first = item->next;
        if (!queue->first)
                queue->last = NULL;
        item->is_queued = false;
        return item;
}

static void work_unlink(struct work_line *queue, struct work_place *item) {
        struct work_line rest = { 0 };
        struct work_place *each;

        while ((each = work_take(queue))) {
                if (each != item)
                        work_append(&rest, each);
        }
        *queue = rest;
}

void work_drop(struct api_server *server, struct work_place *item) {
        if (!item->is_queued)
                return;
        work_unlink(&server->work.longs, item);
        work_unlink(&server->work.held, item);
        item->is_queued = false;
}

void work_hold(struct api_server *server, struct work_place *item) {
        assert(server->work.is_under_way);
        work_append(&server->work.held, item);
}

/* ---- long requests ---- */

bool work_is_long(const struct api_server *server, const struct api_server_request *request) {
        return server->work.let_in && request->body.len >= LONG_BYTES;
}

static void work_let_in(void *context) {
        const struct api_work *work = context;

        work->let_in(work->context);
}

static void work_next(void *context) {
        struct api_server *server = context;
        struct api_work *work = &server->work;
        struct work_place *item = work_take(&work->longs), *held;

        if (!item)
                return;
        work->is_under_way = true;
        pace_set(&(struct pace){ .let_in = work_let_in, .context = work });
        item->run(item);
        pace_set(NULL);
        work->is_under_way = false;
        item->done(item);
        while ((held = work_take(&work->held)))
                held->done(held);
        if (work->longs.first)
                loop_timer_arm(server->engine.loop, &work->timer, 0);
}

void work_add_long(struct api_server *server, struct work_place *item) {
        struct api_work *work = &server->work;

        work_append(&work->longs, item);
        work->timer.fired = work_next;
        work->timer.context = server;
        if (!loop_timer_is_armed(&work->timer))
                loop_timer_arm(server->engine.loop, &work->timer, 0);
}

void api_server_let_in(struct api_server *server, void (*let_in)(void *context), void *context) {
        server->work.let_in = let_in;
        server->work.context = context;
}
