/* Reads configuration, starts the scheduler as a daemon, and serves its pages. */
#include "cmd/scheduler_command.h"

#include "api/json.h"
#include "base/time.h"
#include "base/util.h"
#include "cmd/command.h"
#include "cmd/daemon_part.h"
#include "cmd/feature_gates.h"
#include "cmd/output.h"
#include "cmd/report_file.h"
#include "cmd/shadow_page.h"
#include "config/scheduler_configuration.h"
#include "pages/metrics.h"
#include "pages/pod_resources.h"
#include "pages/role_metrics.h"
#include "pages/serving.h"
#include "roles/role_config.h"
#include "roles/scheduler_role.h"
#include "roles/shadow_role.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/random.h>
#include <time.h>

struct scheduler_daemon {
        const struct scheduler_options *options;
        struct role_config config;
        struct scheduler *scheduler;
        const struct cluster *cluster;
        struct daemon *process;
        struct shadow_role *shadow; /* NULL = it works itself */
        struct daemon_options daemon;
};

/* ---- pages ---- */

static void write_configz(void *context, struct buf *out) {
        const struct scheduler_daemon *self = context;
        struct json_tree *tree = json_tree_new();
        struct json_node *root = node_object(tree), *config = node_object(tree);

        fields_encode(tree, config, scheduler_configuration_fields, self->config.configuration);
        node_put(tree, root, "componentconfig", config);
        node_write(root, out);
        json_tree_free(tree);
}

static void write_decisions(void *context, struct buf *out) {
        decisions_write(((struct scheduler_daemon *)context)->scheduler, out);
}

/* Only the leader logs it: every scheduler would say the same. */
static void write_resources(void *context, struct buf *out) {
        const struct scheduler_daemon *self = context;

        if (daemon_may_act(self->process, self))
                pod_resources_write(self->cluster, out);
}

static void add_pages(struct scheduler_daemon *self, struct serving *serving) {
        if (!serving)
                return;
        serving_add_page(serving, &(struct serving_page){ "/configz", "application/json",
                                                          write_configz, self, true });
        serving_add_page(serving, &(struct serving_page){ "/debug/decisions", "application/json",
                                                          write_decisions, self, true });
        serving_add_page(serving,
                         &(struct serving_page){ "/metrics/resources", METRICS_CONTENT_TYPE,
                                                 write_resources, self, true });
}

/* ---- the shadow ---- */

static void write_shadow(void *context, struct buf *out) {
        struct json_tree *tree = json_tree_new();

        node_write(shadow_role_report(((struct scheduler_daemon *)context)->shadow, tree), out);
        json_tree_free(tree);
}

static void on_shadow_finished(void *context) {
        daemon_finish(((struct scheduler_daemon *)context)->process);
}

static void add_shadow(struct scheduler_daemon *self, struct runtime *runtime) {
        struct serving *serving = daemon_serving(self->process);

        self->shadow = shadow_role_add(
                runtime,
                &(struct shadow_role_config){ .profile_count = self->config.profiles.count,
                                              .profiles = self->config.profiles.items,
                                              .is_parity = self->options->is_parity,
                                              .metrics = daemon_metrics(self->process),
                                              .pods_max = (uint64_t)self->options->shadow_pods,
                                              .finished = on_shadow_finished,
                                              .context = self });
        if (serving)
                serving_add_page(serving,
                                 &(struct serving_page){ "/debug/shadow", "application/json",
                                                         write_shadow, self, true });
}

static void write_shadow_page(struct scheduler_daemon *self, const struct json_node *agreement) {
        const struct scheduler_options *options = self->options;
        CLEANUP(arena_release) struct arena arena;
        CLEANUP(buf_release) struct buf text = { 0 };
        struct report_facts facts;
        struct timespec now;
        struct err err = { 0 };

        arena_init(&arena, 0);
        clock_gettime(CLOCK_REALTIME, &now);
        report_facts_init(&facts, &arena,
                          (struct wall_time){ now.tv_sec * NS_PER_S + now.tv_nsec });
        report_facts_add_cluster(&facts, options->daemon.kubeconfig, options->daemon.context);
        report_facts_add(&facts, "Scheduler", slice_of(options->config));
        shadow_page_write(agreement, &facts, &text);
        if (report_file_write(options->shadow_report, &text, &err) < 0)
                command_failed("scheduler", &err);
}

/* The report, when the run is over. */
static void print_shadow(void *context) {
        struct scheduler_daemon *self = context;
        CLEANUP(buf_release) struct buf out = { 0 };
        CLEANUP(cleanup_json_tree) struct json_tree *tree = json_tree_new();

        if (!self->shadow)
                return;
        const struct json_node *agreement = shadow_role_report(self->shadow, tree);
        if (self->options->output == OUTPUT_TEXT)
                shadow_role_print(self->shadow, &out);
        else
                output_value(agreement, (enum output_format)self->options->output, &out);
        output_print(&out);
        if (self->options->shadow_report)
                write_shadow_page(self, agreement);
}

/* ---- the role ---- */

static int add_role(void *context, struct daemon *daemon, struct runtime *runtime,
                    struct err *err) {
        struct scheduler_daemon *self = context;

        if (role_config_build(&self->config, runtime_cluster(runtime),
                              runtime_object_cache(runtime), err) < 0)
                return err->code;
        self->process = daemon;
        self->cluster = runtime_cluster(runtime);
        if (self->options->is_shadow) {
                add_shadow(self, runtime);
                return 0;
        }
        self->scheduler = scheduler_role_add(
                runtime,
                &(struct scheduler_role_config){
                        .profile_count = self->config.profiles.count,
                        .profiles = self->config.profiles.items,
                        .seed = self->daemon.seed,
                        .backoff_initial_ns = self->config.backoff_initial_ns,
                        .backoff_max_ns = self->config.backoff_max_ns,
                        .unschedulable_timeout_ns = self->options->unschedulable_timeout_ns,
                        .is_parity = self->options->is_parity,
                        .gates = self->config.gates,
                        .metrics = daemon_metrics(daemon),
                        .reserves = self->options->reserves && !self->options->is_parity,
                        .weighs_cost = self->options->reserves,
                        .configuration = self->config.configuration },
                err);
        if (!self->scheduler)
                return err->code;
        add_pages(self, daemon_serving(daemon));
        return 0;
}

/* ---- options and file together ---- */

static const char *text_in(struct arena *arena, struct slice text) {
        return arena_string(arena, text);
}

/* With a file, its values count wherever no option was given. */
static void take_election(struct scheduler_daemon *self) {
        const struct leader_election_configuration *file =
                &self->config.configuration->leader_election;
        const struct lease_given *given = &self->daemon.given;
        struct arena *arena = &self->config.arena;

        if (!given->elects)
                self->daemon.elects = file->leader_elect;
        if (!given->lease_name)
                self->daemon.lease_name = text_in(arena, file->resource_name);
        if (!given->lease_namespace)
                self->daemon.lease_namespace = text_in(arena, file->resource_namespace);
        if (!given->lease_duration)
                self->daemon.lease_duration_ns = file->lease_duration_ns;
        if (!given->renew_deadline)
                self->daemon.lease_renew_deadline_ns = file->renew_deadline_ns;
        if (!given->retry_period)
                self->daemon.lease_retry_period_ns = file->retry_period_ns;
}

static void take_file(struct scheduler_daemon *self) {
        const struct client_connection_configuration *client =
                &self->config.configuration->client_connection;

        if (!self->options->config)
                return;
        take_election(self);
        if (client->kubeconfig.len)
                self->daemon.kubeconfig = text_in(&self->config.arena, client->kubeconfig);
        self->daemon.writes_per_second = client->has_limit ? client->qps : 0;
        self->daemon.writes_burst = client->burst;
}

static int scheduler_command_load(struct scheduler_daemon *self,
                                  const struct scheduler_options *options, struct err *err) {
        struct role_config_sources sources = { .config_path = options->config,
                                               .is_parity = options->is_parity };

        *self = (struct scheduler_daemon){ .options = options, .daemon = options->daemon };
        if (feature_gates_read(options->gates, scheduler_feature_gates, &sources.gates, err) < 0 ||
            role_config_load(&sources, &self->config, err) < 0)
                return err->code;
        take_file(self);
        return 0;
}

static void scheduler_part_free(void *context) {
        struct scheduler_daemon *self = context;

        role_config_release(&self->config);
        free(self);
}

int scheduler_part_make(const struct scheduler_options *options, struct daemon_part *ret_part,
                        struct err *err) {
        struct scheduler_daemon *self = xcalloc(1, sizeof(*self));
        int code = scheduler_command_load(self, options, err);

        self->daemon.seed = (uint64_t)options->seed;
        if (self->daemon.seed == 0 &&
            getrandom(&self->daemon.seed, sizeof(self->daemon.seed), 0) < 0)
                self->daemon.seed = 1;
        self->daemon.user_agent = "berth-scheduler";
        self->daemon.keeps_object_cache = true;
        self->daemon.without_classes = true;
        self->daemon.freezes_notes = options->is_parity;
        self->daemon.keeps_groups = (self->config.gates & FEATURE_GROUPS) != 0;
        self->daemon.counts_devices = (self->config.gates & FEATURE_NODE_DEVICES) != 0;
        self->daemon.keeps_taint_rules = (self->config.gates & FEATURE_DEVICE_TAINT_RULES) != 0;
        self->daemon.elects = self->daemon.elects && !options->is_shadow;
        self->daemon.lease_reporter = "default-scheduler"; /* whatever the profiles' names */
        *ret_part = (struct daemon_part){ .daemon = self->daemon,
                                          .role = { .context = self,
                                                    .lease = daemon_lease_of(&self->daemon),
                                                    .add = add_role,
                                                    .leave = print_shadow },
                                          .config = &self->config,
                                          .free = scheduler_part_free };
        return code;
}

int scheduler_command_run(const char *name, const struct scheduler_options *options) {
        struct daemon_part part;
        struct err err = { 0 };
        int code = scheduler_part_make(options, &part, &err);

        if (code == 0)
                code = daemon_part_run(&part, &err);
        daemon_part_release(&part);
        return code < 0 ? command_failed(name, &err) : EXIT_DONE;
}

static int write_file(const char *path, const struct buf *text, struct err *err) {
        FILE *file = fopen(path, "we");

        if (!file)
                return err_set_errno(err, BERTH_ERR_IO, errno, "cannot write %s", path);
        if (fwrite(text->data, 1, text->len, file) != text->len) {
                fclose(file);
                return err_set(err, BERTH_ERR_IO, "cannot write %s", path);
        }
        return fclose(file) == 0 ? 0 : err_set(err, BERTH_ERR_IO, "cannot write %s", path);
}

int scheduler_command_write_config(const char *name, const struct scheduler_options *options,
                                   const char *path) {
        struct scheduler_daemon self;
        struct err err = { 0 };
        int code = scheduler_command_load(&self, options, &err);

        if (code == 0) {
                CLEANUP(buf_release) struct buf text = { 0 };
                struct json_tree *tree = json_tree_new();
                struct json_node *root = node_object(tree);

                fields_encode(tree, root, scheduler_configuration_fields,
                              self.config.configuration);
                output_value(root, OUTPUT_YAML, &text);
                json_tree_free(tree);
                code = write_file(path, &text, &err);
        }
        role_config_release(&self.config);
        return code < 0 ? command_failed(name, &err) : EXIT_DONE;
}
