/* Reads the policy and starts the descheduler as a daemon. */
#include "cmd/descheduler_command.h"

#include "base/time.h"
#include "base/util.h"
#include "cmd/command.h"
#include "cmd/daemon_part.h"
#include "cmd/feature_gates.h"
#include "plugin/plugin.h"
#include "roles/role_config.h"
#include "roles/tracer.h"
#include <stdlib.h>
#include <sys/random.h>

struct descheduler_daemon {
        const struct descheduler_options *options;
        struct role_config config;
        struct daemon *daemon;
        struct tracer_config tracing;
        struct err failure;
};

static void on_finished(void *context, const struct err *err) {
        struct descheduler_daemon *self = context;

        if (err)
                self->failure = *err;
        daemon_finish(self->daemon);
}

static int add_role(void *context, struct daemon *daemon, struct runtime *runtime,
                    struct err *err) {
        struct descheduler_daemon *self = context;
        const struct daemon_options *options = &self->options->daemon;
        /* What it costs besides is for those who ask for it. */
        bool by_request = options->gives_requests && options->requests != EVICT_REQUESTS_NEVER;

        /* A file is meant for all pods; what this process schedules by is for some. */
        bool finds_scheduler = !self->options->scheduler_config || self->options->runs_scheduler;

        self->daemon = daemon;
        if (role_config_build(&self->config, runtime_cluster(runtime),
                              runtime_object_cache(runtime), err) < 0 ||
            (finds_scheduler && role_config_take_default(&self->config, err) < 0))
                return err->code;
        role_config_add_descheduler(
                &self->config, runtime,
                &(struct descheduler_role_config){
                        .interval_ns = self->options->interval_ns,
                        .deadline_ns = self->options->interval_ns ? 0 : self->options->deadline_ns,
                        .is_dry_run = self->options->is_dry_run,
                        .watches = self->options->watches,
                        .is_elected = self->options->daemon.elects,
                        .scheduler_source = self->options->scheduler_config,
                        .finds_scheduler = finds_scheduler,
                        .follows_background = by_request || self->config.gates & FEATURE_BACKGROUND,
                        .weighs_cost = by_request,
                        .finished = on_finished,
                        .context = self,
                        .tracing = self->options->trace_endpoint ? &self->tracing : NULL,
                        .metrics = daemon_metrics(daemon) });
        return 0;
}

static int check_options(const struct descheduler_options *options, struct err *err) {
        if (!options->policy)
                return err_set(err, BERTH_ERR_USAGE, "expected --policy-config-file FILE");
        if (options->watches && options->interval_ns == 0)
                return err_set(err, BERTH_ERR_USAGE,
                               "option --watch: expected a --descheduling-interval above 0 with "
                               "it, as a safety net");
        if (options->gives_deadline && options->interval_ns > 0)
                return err_set(err, BERTH_ERR_USAGE,
                               "option --deadline: is for a single pass, and "
                               "--descheduling-interval is above 0");
        if (options->daemon.elects && options->interval_ns == 0)
                return err_set(err, BERTH_ERR_USAGE,
                               "option --leader-elect: expected a --descheduling-interval above 0 "
                               "with it");
        return 0;
}

int descheduler_options_check(const struct descheduler_options *options, uint32_t *ret_gates,
                              struct err *err) {
        if (check_options(options, err) < 0)
                return err->code;
        return feature_gates_read(options->gates, descheduler_feature_gates, ret_gates, err);
}

static int descheduler_part_end(void *context, struct err *err) {
        const struct descheduler_daemon *self = context;

        if (self->failure.code)
                *err = self->failure;
        return self->failure.code;
}

static void descheduler_part_free(void *context) {
        struct descheduler_daemon *self = context;

        role_config_release(&self->config);
        free(self);
}

/* Of the scheduler, as far as they matter for what fits. */
static int add_scheduler_gates(const struct descheduler_options *options, uint32_t *gates,
                               struct err *err) {
        uint32_t known = options->is_parity ? 0 : ROLE_CONFIG_ASKED;

        if (options->scheduler_gates &&
            feature_gates_read(options->scheduler_gates, scheduler_feature_gates, &known, err) < 0)
                return err->code;
        *gates |= known & ROLE_CONFIG_ASKED;
        return 0;
}

static int descheduler_load(struct descheduler_daemon *self, struct err *err) {
        const struct descheduler_options *options = self->options;
        struct role_config_sources sources = { .policy_path = options->policy,
                                               .config_path = options->scheduler_config,
                                               .is_parity = options->is_parity };

        if (descheduler_options_check(options, &sources.gates, err) < 0 ||
            add_scheduler_gates(options, &sources.gates, err) < 0)
                return err->code;
        return role_config_load(&sources, &self->config, err);
}

int descheduler_part_make(const struct descheduler_options *options, struct daemon_part *ret_part,
                          struct err *err) {
        struct descheduler_daemon *self = xcalloc(1, sizeof(*self));
        struct daemon_options daemon = options->daemon;

        self->options = options;
        daemon.ends_by_itself = options->interval_ns == 0;
        if (getrandom(&daemon.seed, sizeof(daemon.seed), 0) < 0)
                daemon.seed = 1;
        self->tracing = (struct tracer_config){ .endpoint = options->trace_endpoint,
                                                .ca_file = options->trace_ca,
                                                .service_name = options->trace_service,
                                                .namespace_name = options->trace_namespace,
                                                .sample_rate = options->trace_rate,
                                                .seed = daemon.seed };
        daemon.user_agent = "berth-descheduler";
        daemon.takes_slots = daemon.minds_requests = !options->is_parity;
        if (options->is_parity)
                daemon.requests = EVICT_REQUESTS_NEVER;
        daemon.keeps_finished = daemon.keeps_detail = true;
        daemon.keeps_devices = daemon.keeps_taint_rules = !options->is_parity;
        daemon.can_lack_rules = true;
        daemon.elects = daemon.elects && !options->is_dry_run;
        daemon.health_name = "Descheduler";
        daemon.allows_metrics_reset = true;
        daemon.lease_reporter = "sigs.k8s.io/descheduler";
        *ret_part = (struct daemon_part){
                .daemon = daemon,
                .role = { .context = self, .lease = daemon_lease_of(&daemon), .add = add_role },
                .config = &self->config,
                .end = descheduler_part_end,
                .free = descheduler_part_free
        };
        return descheduler_load(self, err);
}

int descheduler_command_run(const struct descheduler_options *options) {
        struct daemon_part part;
        struct err err = { 0 };
        int code = descheduler_part_make(options, &part, &err);

        if (code == 0)
                code = daemon_part_run(&part, &err);
        daemon_part_release(&part);
        if (code < 0 && options->ends_well_without_lead && daemon_has_lost_lead(&err))
                code = 0;
        return code < 0 ? command_failed("descheduler", &err) : EXIT_DONE;
}
