/* Asks discovery for EvictionRequests, the native group first. */
#include "loop/request_kinds.h"

#include "api/json.h"
#include "base/log.h"
#include "base/util.h"
#include "evict/eviction_reconciler.h"
#include <stdlib.h>

#define LOOK_AGAIN_NS NS_PER_S

static const struct request_form {
        const char *path;
        enum evict_kinds kinds;
} forms[] = {
        { "/apis/" EVICTION_GROUP_NATIVE "/" EVICTION_VERSION, EVICT_KINDS_NATIVE },
        { "/apis/" EVICTION_GROUP_OWN "/" EVICTION_VERSION, EVICT_KINDS_OWN },
};

struct request_kinds {
        struct request_kinds_config config;
        bool is_looking, has_failed;
        size_t form; /* that is asked for */
        struct mono_time began;
        struct api_request *call;
        struct loop_timer again;
};

static void end_look(struct request_kinds *kinds, enum evict_kinds found,
                     const struct err *failure) {
        kinds->is_looking = false;
        kinds->config.found(kinds->config.context, found, failure);
}

static bool serves_requests(const struct api_reply *reply) {
        struct json_doc *doc = NULL;
        const struct json *item;
        bool is_found = false;

        if (reply->status != 200 || json_parse(reply->body, &doc, NULL) < 0)
                return false;
        struct json_iter iter = json_iter(json_get(json_doc_root(doc), "resources"));
        while (json_next(&iter, NULL, &item))
                is_found |= slice_is(json_get_text(item, "name"), "evictionrequests");
        json_doc_free(doc);
        return is_found;
}

static bool says_no(const struct api_reply *reply) {
        return reply->status == 200 || reply->status == 403 || reply->status == 404;
}

static void look_later(struct request_kinds *kinds, const struct api_reply *reply) {
        const struct request_kinds_config *config = &kinds->config;
        struct err failure = reply->error;
        bool is_over = loop_mono(config->loop).ns - kinds->began.ns >= config->patience_ns;

        if (failure.code == 0)
                err_set(&failure, BERTH_ERR_UNAVAILABLE, "status %d", reply->status);
        if (is_over || (config->ends_unanswered && reply->status == 0)) {
                end_look(kinds, EVICT_KINDS_UNKNOWN, &failure);
                return;
        }
        if (!kinds->has_failed)
                LOG(LOG_WARN, "DiscoveryFailed", log_text("of", forms[kinds->form].path),
                    log_text("error", failure.text));
        kinds->has_failed = true;
        loop_timer_arm(config->loop, &kinds->again, LOOK_AGAIN_NS);
}

static void ask_for_form(struct request_kinds *kinds);

static void on_form(void *context, const struct api_reply *reply) {
        struct request_kinds *kinds = context;

        kinds->call = NULL;
        if (serves_requests(reply)) {
                end_look(kinds, forms[kinds->form].kinds, NULL);
        } else if (!says_no(reply)) {
                look_later(kinds, reply);
        } else if (++kinds->form < ARRAY_LEN(forms)) {
                ask_for_form(kinds);
        } else {
                end_look(kinds, EVICT_KINDS_ABSENT, NULL);
        }
}

static void ask_for_form(struct request_kinds *kinds) {
        kinds->call = transport_call(
                kinds->config.transport,
                &(struct api_call){ .path = slice_of(forms[kinds->form].path) }, on_form, kinds);
}

static void on_again(void *context) {
        ask_for_form(context);
}

void request_kinds_look(struct request_kinds *kinds) {
        if (kinds->is_looking)
                return;
        kinds->is_looking = true;
        kinds->has_failed = false;
        kinds->form = 0;
        kinds->began = loop_mono(kinds->config.loop);
        ask_for_form(kinds);
}

struct request_kinds *request_kinds_new(const struct request_kinds_config *config) {
        struct request_kinds *kinds = xcalloc(1, sizeof(*kinds));

        kinds->config = *config;
        kinds->again = (struct loop_timer){ .fired = on_again, .context = kinds };
        return kinds;
}

void request_kinds_free(struct request_kinds *kinds) {
        if (!kinds)
                return;
        loop_timer_disarm(kinds->config.loop, &kinds->again);
        if (kinds->call)
                transport_cancel(kinds->config.transport, kinds->call);
        free(kinds);
}
