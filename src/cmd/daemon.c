/* Connects, elects, runs and ends the daemon of one role. */
#include "cmd/daemon.h"

#include "base/log.h"
#include "base/rng.h"
#include "base/util.h"
#include "base/uuid.h"
#include "client/http_transport.h"
#include "client/lease_elector.h"
#include "cmd/log_writer.h"
#include "run/access_search.h"
#include "run/event_loop.h"
#include "run/process_signals.h"
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define DRAIN_PATIENCE_NS (2 * NS_PER_S) /* for writes under way at the end */

struct daemon {
        const struct daemon_options *options;
        struct event_loop *events;
        struct loop *loop;
        struct process_signals *signals;
        struct http_transport *http;
        struct transport transport;
        struct runtime *runtime;
        struct lease_elector *elector;
        char host[128], identity[LEASE_IDENTITY_MAX + 1];
        bool is_leading, is_ending;
        struct err failure;
};

static int connect_cluster(struct daemon *daemon, struct err *err) {
        struct http_transport_config config = { .user_agent = daemon->options->user_agent };

        if (access_search(daemon->options->kubeconfig, daemon->options->context, &config.access,
                          err) < 0)
                return err->code;
        if (http_transport_new(&config, daemon->loop, &daemon->http, err) < 0)
                return err->code;
        daemon->transport = http_transport(daemon->http);
        return 0;
}

static void name_process(struct daemon *daemon) {
        char uuid[UUID_TEXT_SIZE];
        struct rng rng;

        if (gethostname(daemon->host, sizeof(daemon->host) - 1) != 0)
                snprintf(daemon->host, sizeof(daemon->host), "localhost");
        rng_init(&rng, daemon->options->seed);
        uuid_format(uuid_random(&rng), uuid);
        snprintf(daemon->identity, sizeof(daemon->identity), "%s_%s", daemon->host, uuid);
}

/* ---- leading ---- */

static void on_started(void *context) {
        struct daemon *daemon = context;

        LOG(LOG_INFO, "Leading", log_text("identity", daemon->identity));
        daemon->is_leading = true;
        runtime_start(daemon->runtime);
}

static void on_stopped(void *context) {
        struct daemon *daemon = context;

        if (daemon->is_ending || !daemon->is_leading)
                return;
        err_set(&daemon->failure, BERTH_ERR_UNAVAILABLE, "leadership lost");
        loop_stop(daemon->loop);
}

static void on_election_failed(void *context, const struct err *err) {
        (void)context;
        LOG(LOG_WARN, "ElectionFailed", log_text("error", err->text));
}

static void on_released(void *context) {
        loop_stop(((struct daemon *)context)->loop);
}

static int elect(struct daemon *daemon, struct err *err) {
        static const struct lease_elector_events events = { .started = on_started,
                                                            .stopped = on_stopped,
                                                            .failed = on_election_failed };
        const struct daemon_options *options = daemon->options;

        if (!options->lease_name) {
                on_started(daemon);
                return 0;
        }
        return lease_elector_new(
                &(struct lease_elector_config){ .namespace_name = options->lease_namespace,
                                                .name = options->lease_name,
                                                .identity = daemon->identity,
                                                .duration_ns = options->lease_duration_ns,
                                                .renew_deadline_ns =
                                                        options->lease_renew_deadline_ns,
                                                .retry_period_ns = options->lease_retry_period_ns,
                                                .seed = options->seed,
                                                .events = &events,
                                                .context = daemon },
                &daemon->transport, daemon->loop, &daemon->elector, err);
}

/* ---- ending ---- */

static void on_drained(void *context) {
        struct daemon *daemon = context;

        if (daemon->elector)
                lease_elector_release(daemon->elector, on_released, daemon);
        else
                loop_stop(daemon->loop);
}

void daemon_finish(struct daemon *daemon) {
        if (daemon->is_ending)
                return;
        daemon->is_ending = true;
        runtime_drain(daemon->runtime, DRAIN_PATIENCE_NS, on_drained, daemon);
}

static void on_signal(void *context, int number) {
        struct daemon *daemon = context;

        LOG(LOG_INFO, "Signal", log_i64("number", number));
        if (daemon->is_ending) /* a second one does not wait for the lease */
                loop_stop(daemon->loop);
        daemon_finish(daemon);
}

static void release(struct daemon *daemon) {
        lease_elector_free(daemon->elector);
        runtime_free(daemon->runtime);
        http_transport_free(daemon->http);
        process_signals_free(daemon->signals);
        event_loop_free(daemon->events);
}

static int start(struct daemon *daemon, const struct daemon_role *role, struct err *err) {
        const struct daemon_options *options = daemon->options;

        if (event_loop_new(&daemon->events, err) < 0)
                return err->code;
        daemon->loop = event_loop_as_loop(daemon->events);
        if (process_signals_new(daemon->loop, on_signal, daemon, &daemon->signals, err) < 0 ||
            connect_cluster(daemon, err) < 0)
                return err->code;
        daemon->runtime =
                runtime_new(&(struct runtime_config){ .loop = daemon->loop,
                                                      .transport = daemon->transport,
                                                      .instance = daemon->host,
                                                      .seed = options->seed,
                                                      .keeps_finished = options->keeps_finished,
                                                      .keeps_detail = options->keeps_detail,
                                                      .has_no_model = options->has_no_model });
        if (role->add(role->context, daemon, daemon->runtime, err) < 0)
                return err->code;
        return elect(daemon, err);
}

int daemon_run(const struct daemon_options *options, const struct daemon_role *role,
               struct err *err) {
        struct daemon *daemon = xcalloc(1, sizeof(*daemon));
        int code;

        daemon->options = options;
        log_writer_set_level((int)options->verbosity);
        name_process(daemon);
        code = start(daemon, role, err);
        if (code == 0)
                code = event_loop_run(daemon->events, err);
        if (code == 0 && daemon->failure.code) {
                *err = daemon->failure;
                code = err->code;
        }
        release(daemon);
        free(daemon);
        return code;
}
