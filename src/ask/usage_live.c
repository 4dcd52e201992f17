/* A loop and a transport of its own for as long as the answers are needed. */
#include "ask/usage_live.h"

#include "ask/snapshot_input.h"
#include "base/util.h"
#include "client/http_transport.h"
#include "loop/access_search.h"
#include "loop/event_loop.h"
#include "roles/role_config.h"
#include "roles/usage_feed.h"
#include <stdlib.h>

/* The feed's own limits end every call; the Secret comes before the queries. */
#define PATIENCE_NS (3 * USAGE_TIMEOUT_NS)

struct usage_live {
        struct event_loop *events;
        struct http_transport *http;
        struct transport transport;
        struct usage_feed *feed;
        bool is_done;
};

static void on_done(void *context) {
        ((struct usage_live *)context)->is_done = true;
}

static int usage_live_connect(struct usage_live *usage, const struct snapshot_source *source,
                              struct err *err) {
        struct http_transport_config config = { .user_agent = "berth-plan" };

        if (access_search(source->kubeconfig, source->context, &config.access, err) < 0)
                return err->code;
        if (event_loop_new(&usage->events, err) < 0) {
                cluster_access_release(&config.access);
                return err->code;
        }
        if (http_transport_new(&config, event_loop_as_loop(usage->events), &usage->http, err) < 0)
                return err->code;
        usage->transport = http_transport(usage->http);
        return 0;
}

static int usage_live_fetch(struct usage_live *usage, struct err *err) {
        struct loop *loop = event_loop_as_loop(usage->events);
        struct mono_time start = loop_mono(loop);

        usage_feed_fetch(usage->feed, on_done, usage);
        while (!usage->is_done) {
                if (loop_mono(loop).ns - start.ns > PATIENCE_NS)
                        return err_set(err, BERTH_ERR_TIMEOUT,
                                       "the metrics providers did not answer in time");
                if (event_loop_run_once(usage->events, NS_PER_S, err) < 0)
                        return err->code;
        }
        return 0;
}

int usage_live_ask(const struct snapshot_source *source, const struct role_config *config,
                   struct usage_live **ret_usage, struct err *err) {
        struct usage_live *usage;
        int code = 0;

        *ret_usage = NULL;
        if (!usage_feed_is_needed(config->policy))
                return 0;
        usage = xcalloc(1, sizeof(*usage));
        code = usage_live_connect(usage, source, err);
        if (code == 0) {
                usage->feed = usage_feed_new(&usage->transport, event_loop_as_loop(usage->events),
                                             config->policy, config->is_parity);
                code = usage_live_fetch(usage, err);
        }
        if (code < 0)
                usage_live_free(usage);
        else
                *ret_usage = usage;
        return code;
}

void usage_live_free(struct usage_live *usage) {
        if (!usage)
                return;
        usage_feed_free(usage->feed);
        http_transport_free(usage->http);
        event_loop_free(usage->events);
        free(usage);
}

const struct desched_usage *usage_live_source(const struct usage_live *usage) {
        return usage_feed_source(usage->feed);
}
