/* Requests that wait for webhooks, or for a revision that is yet to come. Each is stored as it
 * came, with the answers so far; whenever all that was asked has been answered it is run again from
 * its beginning, against the state of that moment. It draws the same random numbers each time, so
 * that webhooks see the uid and name that the object will have. */
#include "server/api_pending.h"

#include "base/uuid.h"
#include "server/api_context.h"
#include "server/api_state.h"
#include <assert.h>
#include <stdlib.h>

#define PENDING_BLOCK_BYTES 4096U
#define REVISION_WAIT_NS (3 * NS_PER_S)

struct api_pending {
        struct api_server *server;
        struct arena arena; /* of the request's copy and the answers */
        struct api_server_request request;
        struct rng rng;
        char uid[UUID_TEXT_SIZE];
        struct webhook_answer *answers;
        size_t under_way;
        uint64_t awaited; /* revision that a read asks for */
        bool has_waited;  /* it came, or the time for it is over */
        unsigned tries;   /* that met a write of another client */
        struct loop_timer timer;
        struct store_subscription *subscription;
        struct work_place work; /* of a long request, or of one that is held by another */
        bool is_answered;       /* a long one: with response */
        struct http_response response;
        bool (*run)(struct api_pending *pending, struct http_response *ret_response);
        void (*ready)(void *context);
        void *context;
};

/* Waits for one thing at most: answers, a revision, or the end of a pause. */
static unsigned pending_reasons(const struct api_pending *pending) {
        return (pending->under_way > 0) + pending->work.is_queued +
               (pending->subscription || loop_timer_is_armed(&pending->timer));
}

bool pending_is_waiting(const struct api_pending *pending) {
        assert(pending_reasons(pending) <= 1);
        return pending_reasons(pending) > 0;
}

const char *pending_uid(const struct api_pending *pending) {
        return pending->uid;
}

struct webhook_answer *pending_find(struct api_pending *pending, const char *key) {
        for (struct webhook_answer *answer = pending->answers; answer; answer = answer->next) {
                if (strcmp(answer->key, key) == 0)
                        return answer;
        }
        return NULL;
}

static void on_answer(void *context, const struct api_reply *reply) {
        struct webhook_answer *answer = context;
        struct api_pending *pending = answer->pending;

        assert(pending->under_way > 0 && !pending->subscription);
        answer->call = NULL;
        answer->status = reply->status;
        answer->body = arena_slice(&pending->arena, reply->body);
        if (reply->status != 200)
                answer->error = arena_string(&pending->arena, slice_of(reply->error.text));
        if (--pending->under_way == 0)
                pending->ready(pending->context);
}

void pending_ask(struct api_pending *pending, const char *key, const struct webhook_call *call) {
        struct webhook_answer *answer = ARENA_NEW(&pending->arena, struct webhook_answer);
        const struct webhook_caller *caller = &pending->server->webhooks;

        *answer = (struct webhook_answer){
                .next = pending->answers,
                .pending = pending,
                .key = arena_string(&pending->arena, slice_of(key)),
        };
        pending->answers = answer;
        pending->under_way++;
        answer->call = caller->call(caller->self, call, on_answer, answer);
}

/* ---- a revision of the future ---- */

static void stop_waiting(struct api_pending *pending) {
        store_unsubscribe(pending->server->engine.store, pending->subscription);
        pending->subscription = NULL;
        loop_timer_disarm(pending->server->engine.loop, &pending->timer);
}

static void api_pending_waited(void *context) {
        struct api_pending *pending = context;

        pending->has_waited = true;
        stop_waiting(pending);
        pending->ready(pending->context);
}

static void on_revision(void *context, int resource, const struct store_event *event) {
        struct api_pending *pending = context;

        (void)resource;
        if (event->revision >= pending->awaited)
                loop_timer_arm(pending->server->engine.loop, &pending->timer, 0);
}

bool pending_await(struct api_pending *pending, uint64_t revision) {
        if (pending->has_waited)
                return false;
        assert(!pending_is_waiting(pending));
        pending->awaited = revision;
        pending->timer = (struct loop_timer){ .fired = api_pending_waited, .context = pending };
        pending->subscription = store_subscribe(pending->server->engine.store, STORE_ALL_RESOURCES,
                                                on_revision, pending);
        loop_timer_arm(pending->server->engine.loop, &pending->timer, REVISION_WAIT_NS);
        return true;
}

/* ---- another try ---- */

static void pause_over(void *context) {
        struct api_pending *pending = context;

        pending->ready(pending->context);
}

bool pending_retry(struct api_pending *pending, unsigned tries_max, int64_t pause_ns) {
        if (!pending || ++pending->tries >= tries_max)
                return false;
        assert(!pending_is_waiting(pending));
        pending->timer = (struct loop_timer){ .fired = pause_over, .context = pending };
        loop_timer_arm(pending->server->engine.loop, &pending->timer, pause_ns);
        return true;
}

/* ---- long requests ---- */

static void pending_run_long(struct work_place *item) {
        struct api_pending *pending = CONTAINER_OF(item, struct api_pending, work);
        struct slice target = pending->request.target;

        pending->server->work.has_leases = slice_contains(target, SLICE_LITERAL("/leases"));
        pending->is_answered = pending->run(pending, &pending->response);
}

static void pending_done_long(struct work_place *item) {
        struct api_pending *pending = CONTAINER_OF(item, struct api_pending, work);

        if (pending->is_answered)
                pending->ready(pending->context);
}

void pending_add_long(struct api_pending *pending,
                      bool (*run)(struct api_pending *pending,
                                  struct http_response *ret_response)) {
        pending->run = run;
        pending->work.run = pending_run_long;
        pending->work.done = pending_done_long;
        work_add_long(pending->server, &pending->work);
}

static void pending_let_go(struct work_place *item) {
        struct api_pending *pending = CONTAINER_OF(item, struct api_pending, work);

        pending->ready(pending->context);
}

void pending_hold(struct api_pending *pending) {
        pending->work.done = pending_let_go;
        work_hold(pending->server, &pending->work);
}

bool pending_take_answer(struct api_pending *pending, struct http_response *ret_response) {
        if (!pending->is_answered)
                return false;
        pending->is_answered = false;
        *ret_response = pending->response;
        return true;
}

/* ---- the request ---- */

static void api_pending_keep(struct arena *arena, struct slice *text) {
        *text = arena_slice(arena, *text);
}

struct api_pending *pending_new(struct api_server *server, const struct api_server_request *request,
                                void (*ready)(void *context), void *context) {
        struct api_pending *pending = xcalloc(1, sizeof(*pending));
        struct api_server_request *copy = &pending->request;

        pending->server = server;
        pending->ready = ready;
        pending->context = context;
        arena_init(&pending->arena, PENDING_BLOCK_BYTES);
        *copy = *request;
        api_pending_keep(&pending->arena, &copy->method);
        api_pending_keep(&pending->arena, &copy->target);
        api_pending_keep(&pending->arena, &copy->body);
        api_pending_keep(&pending->arena, &copy->content_type);
        api_pending_keep(&pending->arena, &copy->accept);
        api_pending_keep(&pending->arena, &copy->authorization);
        api_pending_keep(&pending->arena, &copy->user_agent);
        api_pending_keep(&pending->arena, &copy->if_none_match);
        api_pending_keep(&pending->arena, &copy->impersonation);
        uuid_format(uuid_random(&server->engine.rng), pending->uid);
        rng_init(&pending->rng, rng_u64(&server->engine.rng));
        return pending;
}

void api_pending_cancel(struct api_pending *pending) {
        if (!pending)
                return;
        stop_waiting(pending);
        work_drop(pending->server, &pending->work);
        if (pending->is_answered)
                http_response_release(&pending->response);
        for (struct webhook_answer *answer = pending->answers; answer; answer = answer->next) {
                if (answer->call)
                        pending->server->webhooks.cancel(pending->server->webhooks.self,
                                                         answer->call);
        }
        arena_release(&pending->arena);
        free(pending);
}

const struct api_server_request *pending_request(const struct api_pending *pending) {
        return &pending->request;
}

struct api_server *pending_server(const struct api_pending *pending) {
        return pending->server;
}

struct rng pending_rng(const struct api_pending *pending) {
        return pending->rng;
}
