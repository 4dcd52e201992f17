/* One transport for each address of webhooks, cached with its connections while there are few of
 * them. */
#include "sandbox/webhook_client.h"

#include "base/util.h"
#include "client/http_transport.h"
#include <stdlib.h>
#include <string.h>

#define PLACES_MAX 32
#define ANSWER_BYTES_MAX ((size_t)8 << 20)
#define SCHEME "https://"

/* An address with the authorities and the name that its certificate has to come with. */
struct webhook_client_place {
        struct webhook_client_place *next;
        char *server, *ca_pem, *tls_server_name; /* the last may be NULL */
        struct http_transport *http;
        struct transport transport;
        size_t under_way;
};

struct webhook_request {
        struct webhook_client *client;
        struct webhook_request *next, *previous;
        struct webhook_client_place *place; /* NULL: there is none to call */
        struct api_request *call;
        void (*done)(void *context, const struct api_reply *reply);
        void *context;
        struct err err;
        bool is_cancelled;
};

struct webhook_client {
        struct loop *loop;
        struct webhook_client_place *places;
        size_t place_count;
        struct webhook_request *requests;
};

/* ---- places ---- */

static bool is_same_text(const char *a, const char *b) {
        return a && b ? strcmp(a, b) == 0 : a == b;
}

static void place_free(struct webhook_client_place *place) {
        http_transport_free(place->http);
        free(place->server);
        free(place->ca_pem);
        free(place->tls_server_name);
        free(place);
}

/* Makes room by letting the oldest idle place go. */
static void forget_place(struct webhook_client *client) {
        struct webhook_client_place **link = &client->places, **idle = NULL, *place;

        for (; *link; link = &(*link)->next) {
                if ((*link)->under_way == 0)
                        idle = link;
        }
        if (client->place_count < PLACES_MAX || !idle)
                return;
        place = *idle;
        *idle = place->next;
        client->place_count--;
        place_free(place);
}

static struct webhook_client_place *place_new(struct webhook_client *client, struct slice server,
                                              const struct webhook_call *call, struct err *err) {
        struct webhook_client_place *place = xcalloc(1, sizeof(*place));
        struct http_transport_config config = {
                .body_max = ANSWER_BYTES_MAX,
                .access = { .server = slice_dup(server),
                            .ca_pem = call->ca_pem.len ? slice_dup(call->ca_pem) : NULL,
                            .tls_server_name = call->tls_server_name
                                                       ? slice_dup(slice_of(call->tls_server_name))
                                                       : NULL },
        };

        place->server = slice_dup(server);
        place->ca_pem = slice_dup(call->ca_pem);
        if (call->tls_server_name)
                place->tls_server_name = slice_dup(slice_of(call->tls_server_name));
        if (http_transport_new(&config, client->loop, &place->http, err) < 0) {
                place_free(place);
                return NULL;
        }
        place->transport = http_transport(place->http);
        forget_place(client);
        place->next = client->places;
        client->places = place;
        client->place_count++;
        return place;
}

static struct webhook_client_place *place_of(struct webhook_client *client, struct slice server,
                                             const struct webhook_call *call, struct err *err) {
        for (struct webhook_client_place *place = client->places; place; place = place->next) {
                if (slice_is(server, place->server) && slice_is(call->ca_pem, place->ca_pem) &&
                    is_same_text(call->tls_server_name, place->tls_server_name))
                        return place;
        }
        return place_new(client, server, call, err);
}

/* "https://host:port" of a URL; the rest is its path. */
static struct slice split_url(struct slice url, struct slice *ret_path) {
        size_t at = sizeof(SCHEME) - 1;

        while (at < url.len && !memchr("/?#", url.ptr[at], 3))
                at++;
        at = at < url.len ? at : url.len;
        *ret_path = slice_make(url.ptr + at, url.len - at);
        return slice_make(url.ptr, at);
}

/* ---- requests ---- */

static void request_free(struct webhook_request *request) {
        if (request->previous)
                request->previous->next = request->next;
        else if (request->client)
                request->client->requests = request->next;
        if (request->next)
                request->next->previous = request->previous;
        free(request);
}

static void on_reply(void *context, const struct api_reply *reply) {
        struct webhook_request *request = context;
        void (*done)(void *, const struct api_reply *) = request->done;
        void *done_context = request->context;

        request->place->under_way--;
        request_free(request);
        done(done_context, reply);
}

/* No webhook to ask: the answer still comes from the loop. */
static void on_no_place(void *context) {
        struct webhook_request *request = context;
        struct api_reply reply = { .error = request->err, .retry_after_s = -1 };

        if (!request->is_cancelled)
                request->done(request->context, &reply);
        request_free(request);
}

static void send_review(struct webhook_request *request, const struct webhook_call *call) {
        struct slice path = SLICE_EMPTY;
        struct slice server = split_url(slice_of(call->url), &path);

        if (slice_has_prefix(server, SLICE_LITERAL(SCHEME)))
                request->place = place_of(request->client, server, call, &request->err);
        else
                err_set(&request->err, BERTH_ERR_BAD_REQUEST, "the URL \"%s\" is not https",
                        call->url);
        if (!request->place) {
                loop_defer(request->client->loop, on_no_place, request);
                return;
        }
        request->place->under_way++;
        request->call = transport_call(&request->place->transport,
                                       &(struct api_call){ .method = API_POST,
                                                           .path = path,
                                                           .body = call->body,
                                                           .timeout_ns = call->timeout_ns },
                                       on_reply, request);
}

static struct webhook_request *client_call(void *self, const struct webhook_call *call,
                                           void (*done)(void *context,
                                                        const struct api_reply *reply),
                                           void *context) {
        struct webhook_client *client = self;
        struct webhook_request *request = xcalloc(1, sizeof(*request));

        request->client = client;
        request->done = done;
        request->context = context;
        request->next = client->requests;
        if (request->next)
                request->next->previous = request;
        client->requests = request;
        send_review(request, call);
        return request;
}

static void client_cancel(void *self, struct webhook_request *request) {
        (void)self;
        request->is_cancelled = true;
        if (!request->place) /* a deferred call frees it */
                return;
        request->place->under_way--;
        transport_cancel(&request->place->transport, request->call);
        request_free(request);
}

/* ---- life ---- */

struct webhook_client *webhook_client_new(struct loop *loop) {
        struct webhook_client *client = xcalloc(1, sizeof(*client));

        client->loop = loop;
        return client;
}

void webhook_client_free(struct webhook_client *client) {
        if (!client)
                return;
        /* What is left has been cancelled, and a deferred call frees it. */
        for (struct webhook_request *request = client->requests, *next; request; request = next) {
                next = request->next;
                request->client = NULL;
                request->next = request->previous = NULL;
        }
        while (client->places) {
                struct webhook_client_place *place = client->places;

                client->places = place->next;
                place_free(place);
        }
        free(client);
}

struct webhook_caller webhook_client_caller(struct webhook_client *client) {
        return (struct webhook_caller){ client_call, client_cancel, client };
}
