/* Requests of callers that can wait: those that may have to are stored as they came and run again,
 * the others are answered at once. */
#include "server/api_context.h"
#include "server/api_pending.h"
#include "server/api_request.h"
#include "server/api_state.h"
#include <assert.h>

/* Of what is let in. */
#define URGENT_BYTES ((size_t)16 << 10)

static bool run_pending(struct api_pending *pending, struct http_response *ret_response) {
        struct api_server *server = pending_server(pending);
        struct rng shared = server->engine.rng;

        assert(!pending_is_waiting(pending));
        server->engine.rng = pending_rng(pending);
        bool is_done = request_run(server, pending_request(pending), pending, ret_response);
        server->engine.rng = shared;
        assert(is_done || pending_is_waiting(pending));
        return is_done;
}

struct api_pending *api_pending_resume(struct api_pending *pending,
                                       struct http_response *ret_response) {
        struct api_server *server = pending_server(pending);
        bool is_done = pending_take_answer(pending, ret_response);

        if (!is_done && server->work.is_under_way)
                pending_hold(pending);
        else if (!is_done && work_is_long(server, pending_request(pending)))
                pending_add_long(pending, run_pending);
        else if (!is_done)
                is_done = run_pending(pending, ret_response);
        if (!is_done)
                return pending;
        api_pending_cancel(pending);
        return NULL;
}

/* Nearly all requests need no copy, because there is no webhook. */
bool api_server_asks_webhooks(const struct api_server *server) {
        return server->webhooks.call &&
               (store_count(server->engine.store,
                            server->engine.resources.mutating_webhooks->store_resource) > 0 ||
                store_count(server->engine.store,
                            server->engine.resources.validating_webhooks->store_resource) > 0);
}

/* ---- those who come while a long request is under way ---- */

static bool is_health(struct slice path) {
        return slice_has_prefix(path, SLICE_LITERAL("/healthz")) ||
               slice_has_prefix(path, SLICE_LITERAL("/livez")) ||
               slice_has_prefix(path, SLICE_LITERAL("/readyz"));
}

/* Reads of a Lease and writes to one that exists. */
static bool is_lease(const struct api_server *server, const struct api_server_request *request,
                     struct slice path) {
        if (!slice_has_prefix(path, SLICE_LITERAL("/apis/coordination.k8s.io/v1/namespaces/")) ||
            request->body.len > URGENT_BYTES)
                return false;
        if (!slice_contains(path, SLICE_LITERAL("/leases/")))
                return false;
        if (slice_is(request->method, "GET"))
                return request->target.len == path.len; /* no watch, no revision to wait for */
        return (slice_is(request->method, "PUT") || slice_is(request->method, "PATCH")) &&
               !server->work.has_leases && !api_server_asks_webhooks(server);
}

/* False when it has to be held. */
static bool answer_between(struct api_server *server, const struct api_server_request *request,
                           struct http_response *ret_response) {
        struct slice rest = request->target, path = SLICE_EMPTY;

        slice_split(&rest, '?', &path);
        if (!(slice_is(request->method, "GET") && is_health(path)) &&
            !is_lease(server, request, path))
                return false;
        struct json_cache outer = server->engine.cache; /* of the request under way */
        server->engine.cache = (struct json_cache){ 0 };
        api_server_inside(server, request, ret_response);
        json_cache_release(&server->engine.cache);
        server->engine.cache = outer;
        return true;
}

/* An eviction that may meet other writers of its budget. */
static bool may_contend(const struct api_server *server, const struct api_server_request *request) {
        return server->in_between && slice_is(request->method, "POST");
}

/* A get or list with a resourceVersion that the store has not reached. */
static bool is_ahead(const struct api_server *server, const struct api_server_request *request) {
        struct slice rest = request->target, parameter;
        uint64_t revision = 0;

        if (!slice_is(request->method, "GET"))
                return false;
        slice_split(&rest, '?', &parameter);
        while (slice_split(&rest, '&', &parameter)) {
                struct slice name = SLICE_EMPTY;

                slice_split(&parameter, '=', &name);
                if (slice_is(name, "watch"))
                        return false;
                if (slice_is(name, "resourceVersion") && !slice_to_u64(parameter, &revision))
                        return false;
        }
        return revision > store_revision(server->engine.store);
}

struct api_pending *api_server_begin(struct api_server *server,
                                     const struct api_server_request *request,
                                     struct http_response *ret_response,
                                     void (*ready)(void *context), void *context) {
        bool is_write = !slice_is(request->method, "GET");

        if (server->work.is_under_way && answer_between(server, request, ret_response))
                return NULL;
        if (server->work.is_under_way || work_is_long(server, request) ||
            (is_write && api_server_asks_webhooks(server)) || is_ahead(server, request) ||
            may_contend(server, request))
                return api_pending_resume(pending_new(server, request, ready, context),
                                          ret_response);
        api_server_handle(server, request, ret_response);
        return NULL;
}
