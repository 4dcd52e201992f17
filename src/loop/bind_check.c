/* Asks for the pod until there is an answer, a limited number of times. */
#include "loop/bind_check.h"

#include "api/json.h"
#include "base/buf.h"
#include "base/util.h"
#include <stdlib.h>

#define TRIES_MAX 10
#define RETRY_NS NS_PER_S

struct bind_check {
        struct transport *transport;
        struct loop *loop;
        char *path, *uid, *node;
        struct api_request *request; /* NULL between tries */
        struct loop_timer retry;
        int tries;
        void (*done)(void *context, enum bind_state state);
        void *context;
};

bool bind_check_is_needed(int status) {
        return status == 0 || status == 409 || status >= 500;
}

static void bind_check_finish(struct bind_check *check, enum bind_state state) {
        void (*done)(void *context, enum bind_state state) = check->done;
        void *context = check->context;

        bind_check_free(check);
        done(context, state);
}

static enum bind_state read_pod(const struct bind_check *check, struct slice body) {
        enum bind_state state = BIND_NOT_DONE;
        struct json_doc *doc;

        if (json_parse(body, &doc, NULL) < 0)
                return BIND_UNKNOWN;
        const struct json *pod = json_doc_root(doc);
        if (!slice_is(json_get_text(json_get(pod, "metadata"), "uid"), check->uid))
                state = BIND_POD_GONE;
        else if (slice_is(json_get_text(json_get(pod, "spec"), "nodeName"), check->node))
                state = BIND_DONE;
        json_doc_free(doc);
        return state;
}

static void on_reply(void *context, const struct api_reply *reply) {
        struct bind_check *check = context;
        enum bind_state state = BIND_UNKNOWN;

        check->request = NULL;
        if (reply->status == 200)
                state = read_pod(check, reply->body);
        else if (reply->status == 404)
                state = BIND_POD_GONE;
        if (state == BIND_UNKNOWN && ++check->tries < TRIES_MAX)
                loop_timer_arm(check->loop, &check->retry, RETRY_NS);
        else
                bind_check_finish(check, state);
}

static void bind_check_ask(void *context) {
        struct bind_check *check = context;

        check->request = transport_call(
                check->transport,
                &(struct api_call){ .method = API_GET, .path = slice_of(check->path) }, on_reply,
                check);
}

struct bind_check *bind_check_new(const struct bind_check_config *config,
                                  void (*done)(void *context, enum bind_state state),
                                  void *context) {
        struct bind_check *check = xcalloc(1, sizeof(*check));
        struct buf path = { 0 };

        buf_printf(&path, "/api/v1/namespaces/" SLICE_FMT "/pods/" SLICE_FMT,
                   SLICE_ARG(config->pod->ns), SLICE_ARG(config->pod->name));
        *check = (struct bind_check){ .transport = config->transport,
                                      .loop = config->loop,
                                      .path = buf_take(&path, NULL),
                                      .uid = slice_dup(config->pod->uid),
                                      .node = slice_dup(config->node),
                                      .done = done,
                                      .context = context };
        check->retry = (struct loop_timer){ .fired = bind_check_ask, .context = check };
        bind_check_ask(check);
        return check;
}

void bind_check_free(struct bind_check *check) {
        if (!check)
                return;
        if (check->request)
                transport_cancel(check->transport, check->request);
        loop_timer_disarm(check->loop, &check->retry);
        free(check->path);
        free(check->uid);
        free(check->node);
        free(check);
}
