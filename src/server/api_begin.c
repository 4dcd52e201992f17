/* Requests of callers that can wait: those that may have to are stored as they came and run again,
 * the others are answered at once. */
#include "server/api_context.h"
#include "server/api_pending.h"
#include "server/api_request.h"
#include "server/api_state.h"
#include <assert.h>

struct api_pending *api_pending_resume(struct api_pending *pending,
                                       struct http_response *ret_response) {
        struct api_server *server = pending_server(pending);
        struct rng shared = server->engine.rng;

        assert(!pending_is_waiting(pending));
        server->engine.rng = pending_rng(pending);
        bool is_done = request_run(server, pending_request(pending), pending, ret_response);
        server->engine.rng = shared;
        assert(is_done || pending_is_waiting(pending));
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

        if ((is_write && api_server_asks_webhooks(server)) || is_ahead(server, request) ||
            may_contend(server, request))
                return api_pending_resume(pending_new(server, request, ready, context),
                                          ret_response);
        api_server_handle(server, request, ret_response);
        return NULL;
}
