/* One connection per call: hooks are rare, and each has an address of its own. */
#include "roles/hook_caller.h"

#include "base/base64.h"
#include "base/util.h"
#include "client/http_transport.h"
#include "host/host_hook.h"
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct hook_caller_call {
        struct hook_caller *caller;
        uint64_t id;
        bool is_get, is_over;
        int64_t timeout_ns;
        char *server, *path, *body; /* owned */
        struct api_request *secret; /* being read */
        struct http_transport *http;
        struct transport transport;
        struct api_request *request;
        struct host_hook *hook;
        char *failure; /* to be reported in the next iteration; owned */
        bool is_exec;
        struct hook_caller_call *next, *prev;
};

struct hook_caller {
        struct hook_caller_config config;
        struct hook_caller_call *calls;
        struct loop_timer sweeper; /* transports must not go from inside their callbacks */
};

static void free_call(struct hook_caller_call *call) {
        struct hook_caller *caller = call->caller;

        if (call->prev)
                call->prev->next = call->next;
        else
                caller->calls = call->next;
        if (call->next)
                call->next->prev = call->prev;
        if (call->secret)
                transport_cancel(caller->config.transport, call->secret);
        http_transport_free(call->http);
        host_hook_cancel(call->hook);
        free(call->server);
        free(call->path);
        free(call->body);
        free(call->failure);
        free(call);
}

static void hook_caller_answer(struct hook_caller_call *call,
                               struct eviction_effect_result *result) {
        struct hook_caller *caller = call->caller;

        result->id = call->id;
        call->is_over = true;
        loop_timer_arm(caller->config.loop, &caller->sweeper, 0);
        caller->config.answered(caller->config.context, result);
}

/* No answer will come; never reported from inside a call of ours. */
static void hook_caller_fail(struct hook_caller_call *call, const char *text) {
        free(call->failure);
        call->failure = slice_dup(slice_of(text));
        loop_timer_arm(call->caller->config.loop, &call->caller->sweeper, 0);
}

static void hook_caller_sweep(void *context) {
        struct hook_caller *caller = context;

        for (struct hook_caller_call *call = caller->calls, *next; call; call = next) {
                next = call->next;
                if (call->is_over)
                        free_call(call);
                else if (call->failure)
                        hook_caller_answer(call, &(struct eviction_effect_result){
                                                         .code = BERTH_ERR_UNAVAILABLE,
                                                         .retry_after_s = -1,
                                                         .is_exec = call->is_exec,
                                                         .exit_code = 127,
                                                         .text = slice_of(call->failure) });
        }
}

/* ---- HTTP ---- */

static void on_reply(void *context, const struct api_reply *reply) {
        struct hook_caller_call *call = context;
        struct eviction_effect_result result = { .http = reply->status,
                                                 .retry_after_s = reply->retry_after_s,
                                                 .text = slice_of(reply->error.text) };
        struct json_doc *doc = NULL;

        call->request = NULL;
        if (reply->status < 200 || reply->status >= 300)
                result.code = reply->error.code ? reply->error.code : BERTH_ERR_UNAVAILABLE;
        if (reply->body.len && json_parse(reply->body, &doc, NULL) == 0)
                result.object = json_doc_root(doc);
        hook_caller_answer(call, &result);
        json_doc_free(doc);
}

static void hook_caller_send(struct hook_caller_call *call, char *token) {
        struct http_transport_config config = {
                .access = { .server = slice_dup(slice_of(call->server)), .token = token },
                .timeout_ns = call->timeout_ns,
                .body_max = HOOK_BODY_MAX,
        };
        struct err err = { 0 };

        if (http_transport_new(&config, call->caller->config.loop, &call->http, &err) < 0) {
                hook_caller_fail(call, err.text);
                return;
        }
        call->transport = http_transport(call->http);
        call->request =
                transport_call(&call->transport,
                               &(struct api_call){ .method = call->is_get ? API_GET : API_POST,
                                                   .path = slice_of(call->path),
                                                   .body = slice_of(call->body),
                                                   .timeout_ns = call->timeout_ns },
                               on_reply, call);
}

static void on_secret(void *context, const struct api_reply *reply) {
        struct hook_caller_call *call = context;
        struct buf token = { 0 };
        struct json_doc *doc = NULL;

        call->secret = NULL;
        bool is_read = reply->status == 200 && json_parse(reply->body, &doc, NULL) == 0 &&
                       base64_decode(json_get_text(json_get(json_doc_root(doc), "data"), "token"),
                                     BASE64_STANDARD, &token) &&
                       token.len > 0;
        json_doc_free(doc);
        if (!is_read) {
                buf_release(&token);
                hook_caller_fail(call, "the Secret with the hook's token cannot be read");
                return;
        }
        hook_caller_send(call, buf_take(&token, NULL));
}

/* "https://host:1/path?query" to server and path. */
static void split_url(struct slice url, struct hook_caller_call *call) {
        const char *scheme_end = memchr(url.ptr, ':', url.len);
        size_t at = scheme_end ? (size_t)(scheme_end - url.ptr) + 3 : 0;

        while (at < url.len && url.ptr[at] != '/' && url.ptr[at] != '?')
                at++;
        call->server = slice_dup(slice_make(url.ptr, at));
        call->path = at < url.len ? slice_dup(slice_make(url.ptr + at, url.len - at))
                                  : slice_dup(SLICE_LITERAL("/"));
}

static void start_http(struct hook_caller_call *call, const struct eviction_effect *effect) {
        char path[PATH_MAX];

        split_url(effect->call.url, call);
        if (!effect->call.secret.len) {
                hook_caller_send(call, NULL);
                return;
        }
        snprintf(path, sizeof(path), "/api/v1/namespaces/" SLICE_FMT "/secrets/" SLICE_FMT,
                 SLICE_ARG(effect->ns), SLICE_ARG(effect->call.secret));
        call->secret =
                transport_call(call->caller->config.transport,
                               &(struct api_call){ .path = slice_of(path) }, on_secret, call);
}

/* ---- exec ---- */

static void on_end(void *context, const struct host_hook_end *end) {
        struct hook_caller_call *call = context;

        call->hook = NULL;
        hook_caller_answer(call, &(struct eviction_effect_result){ .is_exec = true,
                                                                   .exit_code = end->code,
                                                                   .retry_after_s = -1,
                                                                   .text = end->message });
}

static void start_exec(struct hook_caller_call *call, const struct eviction_effect *effect) {
        struct hook_caller *caller = call->caller;
        char path[PATH_MAX];

        if (!caller->config.directory) {
                hook_caller_fail(call, "no hook directory was given");
                return;
        }
        snprintf(path, sizeof(path), "%s/" SLICE_FMT, caller->config.directory,
                 SLICE_ARG(effect->call.command));
        call->hook = host_hook_start(caller->config.loop, path, effect->body, call->timeout_ns,
                                     on_end, call);
}

/* ---- calls ---- */

void hook_caller_start(struct hook_caller *caller, const struct eviction_effect *effect) {
        struct hook_caller_call *call = xcalloc(1, sizeof(*call));

        call->caller = caller;
        call->id = effect->id;
        call->is_get = effect->call.is_get;
        call->is_exec = effect->call.is_exec;
        call->timeout_ns = effect->call.timeout_ns;
        call->body = slice_dup(effect->body);
        call->next = caller->calls;
        if (call->next)
                call->next->prev = call;
        caller->calls = call;
        if (effect->call.is_exec)
                start_exec(call, effect);
        else
                start_http(call, effect);
}

void hook_caller_stop(struct hook_caller *caller, uint64_t id) {
        for (struct hook_caller_call *call = caller->calls; call; call = call->next) {
                if (call->id != id || call->is_over)
                        continue;
                if (call->hook) {
                        host_hook_stop(call->hook);
                } else if (call->request) {
                        transport_cancel(&call->transport, call->request);
                        call->request = NULL;
                        hook_caller_fail(call, "the call was cut short");
                }
                return;
        }
}

struct hook_caller *hook_caller_new(const struct hook_caller_config *config) {
        struct hook_caller *caller = xcalloc(1, sizeof(*caller));

        caller->config = *config;
        caller->sweeper = (struct loop_timer){ .fired = hook_caller_sweep, .context = caller };
        return caller;
}

void hook_caller_free(struct hook_caller *caller) {
        if (!caller)
                return;
        loop_timer_disarm(caller->config.loop, &caller->sweeper);
        while (caller->calls)
                free_call(caller->calls);
        free(caller);
}
