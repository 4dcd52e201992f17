/* Connects, elects, runs and ends the daemon of one role. */
#include "cmd/daemon.h"

#include "base/log.h"
#include "base/rng.h"
#include "base/util.h"
#include "base/uuid.h"
#include "client/http_transport.h"
#include "client/lease_elector.h"
#include "client/trouble_log.h"
#include "cmd/log_writer.h"
#include "cmd/needed_rights.h"
#include "cmd/rest.h"
#include "loop/access_search.h"
#include "loop/event_loop.h"
#include "loop/process_signals.h"
#include "pages/metrics.h"
#include "pages/role_metrics.h"
#include "pages/serving.h"
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define DRAIN_PATIENCE_NS (2 * NS_PER_S) /* for writes under way at the end */

/* A Lease, and the roles that work while this process holds it. */
struct daemon_lease {
        struct daemon *daemon;
        const char *name, *ns, *reporter;
        struct lease_elector *elector;
        unsigned roles; /* bits of daemon.seats */
        struct trouble_log trouble;
        bool is_leading;
};

struct daemon_role_state {
        const struct daemon_role *role;
        size_t first, count;              /* in the runtime */
        const struct daemon_lease *lease; /* NULL = needs none */
};

struct daemon {
        const struct daemon_options *options;
        struct event_loop *events;
        struct loop *loop;
        struct process_signals *signals;
        struct http_transport *http;
        struct transport transport;
        struct runtime *runtime;
        struct daemon_lease leases[DAEMON_ROLES_MAX];
        struct daemon_role_state roles[DAEMON_ROLES_MAX];
        size_t lease_count, role_count;
        unsigned releasing; /* Leases, at the end */
        struct metrics *metrics;
        struct runtime_metrics *counts;
        struct page_guard *guard; /* NULL = pages need no authentication */
        struct serving *serving;
        struct metric *leading;
        struct rest rest;
        char host[128], identity[LEASE_IDENTITY_MAX + 1];
        bool is_leading, is_ending;
        struct err failure;
};

const struct slot_options slot_options_default = { .total = EVICTION_SLOTS_TOTAL,
                                                   .node = EVICTION_SLOTS_NODE,
                                                   .ns = EVICTION_SLOTS_NAMESPACE,
                                                   .owner = EVICTION_SLOTS_OWNER };

struct eviction_slot_limits slot_options_limits(const struct slot_options *options) {
        return (struct eviction_slot_limits){ .total = (uint32_t)options->total,
                                              .node = (uint32_t)options->node,
                                              .ns = (uint32_t)options->ns,
                                              .owner = (uint32_t)options->owner };
}

static struct evict_config evictions_of(const struct daemon_options *options) {
        return (struct evict_config){ .requests = (enum evict_request_mode)options->requests,
                                      .minds_requests = options->minds_requests,
                                      .has_slots = options->takes_slots,
                                      .slots = slot_options_limits(&options->slots),
                                      .slots_for_all = options->slots.which == SLOTS_FOR_ALL,
                                      .slot_patience_ns = options->slot_patience_ns };
}

static int connect_cluster(struct daemon *daemon, struct err *err) {
        struct http_transport_config config = { .user_agent = daemon->options->user_agent };

        if (access_search(daemon->options->kubeconfig, daemon->options->context, &config.access,
                          err) < 0)
                return err->code;
        if (daemon->options->master && *daemon->options->master) {
                free(config.access.server);
                config.access.server = slice_dup(slice_of(daemon->options->master));
        }
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

static void daemon_begin(struct daemon *daemon, unsigned roles) {
        bool needs_model = false;

        for (size_t i = 0; i < daemon->role_count; i++) {
                const struct daemon_role_state *state = &daemon->roles[i];

                if (!(roles >> i & 1))
                        continue;
                runtime_release_roles(daemon->runtime, state->first, state->count,
                                      state->role->has_no_model);
                needs_model |= !state->role->has_no_model;
        }
        if (!needs_model)
                return;
        daemon->is_leading = true;
        runtime_start(daemon->runtime);
}

/* As client-go's electors report it. */
static void record_lead(const struct daemon_lease *lease) {
        struct action event = { .kind = ACTION_RECORD_EVENT,
                                .target = {
                                        .kind = SLICE_LITERAL("Lease"),
                                        .ns = slice_of(lease->ns),
                                        .name = slice_of(lease->name),
                                        .uid = lease_elector_metadata(lease->elector, "uid") } };
        struct action_list actions;
        char note[LEASE_IDENTITY_MAX + sizeof(" became leader")];

        snprintf(note, sizeof(note), "%s became leader", lease->daemon->identity);
        event.event = (struct event_action){
                .reason = SLICE_LITERAL("LeaderElection"),
                .action = SLICE_LITERAL("LeaderElection"),
                .note = slice_of(note),
                .controller = slice_of(lease->reporter),
                .api_version = SLICE_LITERAL("coordination.k8s.io/v1"),
                .resource_version = lease_elector_metadata(lease->elector, "resourceVersion"),
        };
        action_list_init(&actions);
        action_list_add(&actions, &event);
        runtime_submit(lease->daemon->runtime, NULL, &actions);
        action_list_release(&actions);
}

static void on_started(void *context) {
        struct daemon_lease *lease = context;

        LOG(LOG_INFO, "Leading", log_text("identity", lease->daemon->identity),
            log_text("lease", lease->name));
        lease->is_leading = true;
        daemon_begin(lease->daemon, lease->roles);
        record_lead(lease);
}

#define LEAD_LOST "leadership lost"

bool daemon_has_lost_lead(const struct err *err) {
        return err->code == BERTH_ERR_UNAVAILABLE && strcmp(err->text, LEAD_LOST) == 0;
}

static void on_stopped(void *context) {
        struct daemon_lease *lease = context;
        struct daemon *daemon = lease->daemon;

        if (daemon->is_ending || !lease->is_leading)
                return;
        err_set(&daemon->failure, BERTH_ERR_UNAVAILABLE, LEAD_LOST);
        loop_stop(daemon->loop);
}

static void on_election_failed(void *context, const struct err *err) {
        struct daemon_lease *lease = context;
        int64_t more_before;

        if (trouble_log_fails(&lease->trouble, loop_mono(lease->daemon->loop), err->text,
                              &more_before))
                LOG(LOG_WARN, "ElectionFailed", log_text("error", err->text),
                    log_i64("more_before", more_before));
}

static void on_election_works(void *context) {
        struct daemon_lease *lease = context;
        int64_t failures;

        if (trouble_log_works(&lease->trouble, &failures))
                LOG(LOG_WARN, "ElectionWorks", log_text("lease", lease->name),
                    log_i64("failures", failures));
}

static void on_released(void *context) {
        struct daemon *daemon = ((struct daemon_lease *)context)->daemon;

        if (--daemon->releasing == 0)
                loop_stop(daemon->loop);
}

static int daemon_elect(struct daemon *daemon, unsigned roles,
                        const struct daemon_lease_options *options, struct err *err) {
        static const struct lease_elector_events events = { .started = on_started,
                                                            .stopped = on_stopped,
                                                            .failed = on_election_failed,
                                                            .works = on_election_works };
        struct daemon_lease *lease = &daemon->leases[daemon->lease_count++];

        *lease = (struct daemon_lease){ .daemon = daemon,
                                        .name = options->name,
                                        .ns = options->ns,
                                        .reporter = options->reporter ? options->reporter
                                                                      : options->name,
                                        .roles = roles };
        for (size_t i = 0; i < daemon->role_count; i++)
                if (roles >> i & 1)
                        daemon->roles[i].lease = lease;
        return lease_elector_new(
                &(struct lease_elector_config){ .namespace_name = options->ns,
                                                .name = options->name,
                                                .identity = daemon->identity,
                                                .duration_ns = options->duration_ns,
                                                .renew_deadline_ns = options->renew_deadline_ns,
                                                .retry_period_ns = options->retry_period_ns,
                                                .seed = daemon->options->seed,
                                                .events = &events,
                                                .context = lease },
                &daemon->transport, daemon->loop, &lease->elector, err);
}

struct daemon_lease_options daemon_lease_of(const struct daemon_options *options) {
        return (struct daemon_lease_options){
                .name = options->lease_name,
                .ns = options->lease_namespace,
                .reporter = options->lease_reporter,
                .duration_ns = options->lease_duration_ns,
                .renew_deadline_ns = options->lease_renew_deadline_ns,
                .retry_period_ns = options->lease_retry_period_ns,
        };
}

/* Those that only look on, and those that wait for a Lease and watch meanwhile. */
static void start_watching(struct daemon *daemon) {
        for (size_t i = 0; i < daemon->role_count; i++) {
                const struct daemon_role_state *state = &daemon->roles[i];

                if (!state->role->only_looks && !(state->lease && state->role->watches_always))
                        continue;
                runtime_release_roles(daemon->runtime, state->first, state->count, false);
                runtime_start(daemon->runtime);
        }
}

/* Roles that wait for a Lease are held until it is theirs. */
static int start_leading(struct daemon *daemon, struct err *err) {
        const struct daemon_options *options = daemon->options;
        const struct daemon_lease_options shared = daemon_lease_of(options);
        unsigned unleased = 0, waiting = 0;
        int code = 0;

        for (size_t i = 0; i < daemon->role_count; i++) {
                const struct daemon_role *role = daemon->roles[i].role;
                unsigned bit = 1U << i;

                if (role->only_looks)
                        continue;
                if (!options->elects || (role->has_no_model && !options->has_no_model))
                        unleased |= bit;
                else if (!options->has_lease_each)
                        waiting |= bit;
                else if (code == 0)
                        code = daemon_elect(daemon, bit, &role->lease, err);
        }
        if (code == 0 && waiting)
                code = daemon_elect(daemon, waiting, &shared, err);
        if (code == 0 && unleased)
                daemon_begin(daemon, unleased);
        if (code == 0)
                start_watching(daemon);
        return code;
}

/* ---- pages ---- */

#define LEASE_OVERDUE_NS (20 * NS_PER_S)

struct metrics *daemon_metrics(struct daemon *daemon) {
        return daemon->metrics;
}

struct serving *daemon_serving(struct daemon *daemon) {
        return daemon->serving;
}

static const char *check_lease(void *context) {
        const struct daemon *daemon = context;

        for (size_t i = 0; i < daemon->lease_count; i++)
                if (lease_elector_overdue_ns(daemon->leases[i].elector) > LEASE_OVERDUE_NS)
                        return "the lease could not be renewed in time";
        return NULL;
}

static const char *check_shutdown(void *context) {
        return ((struct daemon *)context)->is_ending ? "process is shutting down" : NULL;
}

/* A follower is as ready as it gets; a leader once its model is complete. */
static const char *check_sync(void *context) {
        const struct daemon *daemon = context;

        return daemon->is_leading && !runtime_is_synced(daemon->runtime)
                       ? "the cluster is not listed yet"
                       : NULL;
}

static const char *check_loop(void *context) {
        (void)context; /* a process that answers runs its loop */
        return NULL;
}

static void add_checks(struct daemon *daemon) {
        const struct health_check checks[] = {
                { "leaderElection", check_lease, daemon, true, false, true },
                { "shutdown", check_shutdown, daemon, false, false, true },
                { "sched-handler-sync", check_sync, daemon, false, false, true },
                { daemon->options->health_name, check_loop, daemon, true, false, false },
        };

        for (size_t i = 0; i < ARRAY_LEN(checks); i++)
                if (checks[i].name)
                        serving_add_check(daemon->serving, &checks[i]);
}

static void refresh_leading(void *context) {
        struct daemon *daemon = context;

        for (size_t i = 0; i < daemon->lease_count; i++)
                metric_set(daemon->leading, (struct slice[]){ slice_of(daemon->leases[i].name) },
                           daemon->leases[i].is_leading);
}

static void daemon_count(struct daemon *daemon) {
        daemon->metrics = metrics_new();
        daemon->counts = runtime_metrics_new(daemon->metrics, daemon->runtime);
        if (!daemon->options->elects)
                return;
        daemon->leading = metrics_add(
                daemon->metrics, &(struct metric_config){ .name = "leader_election_master_status",
                                                          .help = "1 while this process leads.",
                                                          .type = METRIC_GAUGE,
                                                          .labels = { "name" } });
        metrics_on_write(daemon->metrics, refresh_leading, daemon);
}

static void on_lookup_failed(void *context, const struct err *err) {
        struct daemon *daemon = context;

        daemon->failure = *err;
        loop_stop(daemon->loop);
}

static int post_guard(struct daemon *daemon, struct err *err) {
        const struct page_guard_options *options = &daemon->options->guard;

        if (!options->is_on)
                return 0;
        if (page_guard_new(options, &daemon->transport, daemon->loop, &daemon->guard, err) < 0)
                return err->code;
        page_guard_look_up(daemon->guard, on_lookup_failed, daemon);
        return 0;
}

static int daemon_serve(struct daemon *daemon, struct err *err) {
        const struct daemon_options *options = daemon->options;
        CLEANUP(buf_release) struct buf address = { 0 };
        bool is_v6 = options->bind_address && strchr(options->bind_address, ':');

        if (options->secure_port == 0)
                return 0;
        if (post_guard(daemon, err) < 0)
                return err->code;
        if (!options->has_no_metrics)
                daemon_count(daemon);
        buf_printf(&address, is_v6 ? "[%s]:%lld" : "%s:%lld",
                   options->bind_address ? options->bind_address : "0.0.0.0",
                   (long long)options->secure_port);
        if (serving_new(
                    &(struct serving_config){
                            .address = address.data,
                            .certificate_path = options->certificate_path,
                            .tls_minimum = (enum http_tls)options->tls_minimum,
                            .key_path = options->key_path,
                            .metrics = daemon->metrics,
                            .access = daemon->guard ? page_guard_access(daemon->guard) : NULL,
                            .allows_reset = options->allows_metrics_reset },
                    daemon->loop, &daemon->serving, err) < 0)
                return err->code;
        add_checks(daemon);
        LOG(LOG_INFO, "Serving", log_text("address", address.data));
        return 0;
}

/* ---- resting ---- */

#define REST_CPU_SHARE 100

static bool may_rest(void *context) {
        const struct daemon *daemon = context;

        return !daemon->is_leading || runtime_is_idle(daemon->runtime);
}

static void plan_rest(struct daemon *daemon) {
        daemon->rest = (struct rest){ .loop = daemon->loop,
                                      .is_idle = may_rest,
                                      .context = daemon,
                                      .cpu_share = REST_CPU_SHARE };
        rest_begin(&daemon->rest);
}

/* ---- ending ---- */

static void on_drained(void *context) {
        struct daemon *daemon = context;

        daemon->releasing = (unsigned)daemon->lease_count;
        for (size_t i = 0; i < daemon->lease_count; i++)
                lease_elector_release(daemon->leases[i].elector, on_released, &daemon->leases[i]);
        if (daemon->lease_count == 0)
                loop_stop(daemon->loop);
}

bool daemon_may_act(const struct daemon *daemon, const void *context) {
        for (size_t i = 0; i < daemon->role_count; i++)
                if (daemon->roles[i].role->context == context)
                        return !daemon->roles[i].lease ||
                               lease_elector_may_act(daemon->roles[i].lease->elector);
        return true;
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

static void daemon_release(struct daemon *daemon) {
        rest_end(&daemon->rest);
        serving_free(daemon->serving);
        page_guard_free(daemon->guard);
        for (size_t i = 0; i < daemon->lease_count; i++) {
                lease_elector_free(daemon->leases[i].elector);
                trouble_log_release(&daemon->leases[i].trouble);
        }
        runtime_free(daemon->runtime);
        runtime_metrics_free(daemon->counts);
        metrics_free(daemon->metrics);
        http_transport_free(daemon->http);
        process_signals_free(daemon->signals);
        event_loop_free(daemon->events);
}

static int add_roles(struct daemon *daemon, const struct daemon_role *roles, size_t count,
                     struct err *err) {
        assert(count <= DAEMON_ROLES_MAX);
        for (size_t i = 0; i < count; i++) {
                struct daemon_role_state *state = &daemon->roles[daemon->role_count++];

                state->role = &roles[i];
                state->first = runtime_role_count(daemon->runtime);
                if (roles[i].add(roles[i].context, daemon, daemon->runtime, err) < 0)
                        return err->code;
                state->count = runtime_role_count(daemon->runtime) - state->first;
        }
        runtime_hold_roles(daemon->runtime, 0);
        return 0;
}

static int daemon_start(struct daemon *daemon, const struct daemon_role *roles, size_t count,
                        struct err *err) {
        const struct daemon_options *options = daemon->options;

        if (event_loop_new(&daemon->events, err) < 0)
                return err->code;
        daemon->loop = event_loop_as_loop(daemon->events);
        if (connect_cluster(daemon, err) < 0)
                return err->code;
        daemon->runtime = runtime_new(
                &(struct runtime_config){ .loop = daemon->loop,
                                          .transport = daemon->transport,
                                          .evictions = evictions_of(options),
                                          .instance = daemon->host,
                                          .seed = options->seed,
                                          .writes_per_second = options->writes_per_second,
                                          .writes_burst = (double)options->writes_burst,
                                          .keeps_finished = options->keeps_finished,
                                          .keeps_detail = options->keeps_detail,
                                          .keeps_evictions = options->keeps_evictions,
                                          .kinds = options->kinds,
                                          .spare_kinds = options->spare_kinds,
                                          .keeps_object_cache = options->keeps_object_cache,
                                          .keeps_devices = options->keeps_devices,
                                          .keeps_groups = options->keeps_groups,
                                          .keeps_taint_rules = options->keeps_taint_rules,
                                          .can_lack_rules = options->can_lack_rules,
                                          .counts_devices = options->counts_devices,
                                          .without_classes = options->without_classes,
                                          .has_no_model = options->has_no_model,
                                          .freezes_notes = options->freezes_notes });
        /* Signals end the process at once as long as it reads files that may not answer. */
        if (daemon_serve(daemon, err) < 0 ||
            process_signals_new(daemon->loop, on_signal, daemon, &daemon->signals, err) < 0 ||
            add_roles(daemon, roles, count, err) < 0)
                return err->code;
        plan_rest(daemon);
        return start_leading(daemon, err);
}

int daemon_run(const struct daemon_options *options, const struct daemon_role *roles, size_t count,
               struct err *err) {
        struct daemon *daemon = xcalloc(1, sizeof(*daemon));

        daemon->options = options;
        log_writer_set_level((int)options->verbosity);
        log_writer_set_rights(needed_rights_of(options->user_agent));
        if (!options->ends_by_itself)
                log_writer_start_thread();
        name_process(daemon);
        int code = daemon_start(daemon, roles, count, err);
        if (code == 0)
                code = event_loop_run(daemon->events, err);
        if (code == 0 && daemon->failure.code) {
                *err = daemon->failure;
                code = err->code;
        }
        for (size_t i = 0; i < count; i++)
                if (roles[i].leave)
                        roles[i].leave(roles[i].context);
        daemon_release(daemon);
        free(daemon);
        return code;
}
