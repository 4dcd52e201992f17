/* berth sandbox: the embedded cluster alone, for any client. */
#include "cmd/cmd.h"
#include "cmd/command.h"
#include "cmd/daemon_options.h"
#include "cmd/dashboard_part.h"
#include "cmd/feature_gates.h"
#include "cmd/log_writer.h"
#include "cmd/release_option.h"

#include "base/time.h"
#include "control/control.h"
#include "loop/event_loop.h"
#include "loop/process_signals.h"
#include "loop/runtime.h"
#include "sandbox/sandbox.h"
#include "server/api_server.h"
#include <stdio.h>
#include <string.h>
#include <sys/random.h>

#define SANDBOX_NODES_MAX 100000

struct sandbox_options {
        const char *listen, *kubeconfig_out, *data_dir, *controllers, *token, *gates;
        int64_t nodes, seed, verbosity;
        int release;
        bool has_policy_waits;
        struct dashboard_options page;
};

static void on_signal(void *context, int number) {
        (void)number;
        loop_stop(context);
}

/* A random seed; printed, so that a run can be repeated. */
static uint64_t random_seed(void) {
        uint64_t seed = 0;

        if (getrandom(&seed, sizeof(seed), 0) != (ssize_t)sizeof(seed))
                seed = 1;
        return seed >> 16;
}

/* The page follows the cluster as any client does. NULL when none is asked for. */
static int watch_for_page(struct sandbox *sandbox, struct loop *loop,
                          const struct dashboard_options *options, struct runtime **ret_runtime,
                          struct err *err) {
        *ret_runtime = NULL;
        if (!options->is_on)
                return 0;
        struct runtime *runtime = runtime_new(&(struct runtime_config){
                .loop = loop,
                .transport = sandbox_transport(sandbox, &api_user_admin, "berth-dashboard"),
                .evictions = { .requests = EVICT_REQUESTS_NEVER },
                .instance = "berth-dashboard",
                .keeps_finished = true,
                .keeps_detail = true,
                .keeps_object_cache = true,
                .spare_kinds = dashboard_part_spare_kinds(),
                .without_classes = true });
        if (dashboard_part_add(&(struct dashboard_part_config){ .options = options,
                                                                .source = "berth sandbox" },
                               runtime, err) < 0) {
                runtime_free(runtime);
                return err->code;
        }
        runtime_start(runtime);
        *ret_runtime = runtime;
        return 0;
}

static int cmd_sandbox_serve(struct event_loop *events, const struct sandbox_options *options,
                             struct err *err) {
        struct loop *loop = event_loop_as_loop(events);
        struct sandbox *sandbox = NULL;
        struct runtime *runtime = NULL;
        uint64_t seed = options->seed ? (uint64_t)options->seed : random_seed();
        uint32_t gates = 0;
        int code = feature_gates_read(options->gates, sandbox_feature_gates, &gates, err);

        if (code == 0)
                code = sandbox_start(
                        &(struct sandbox_config){ .listen = options->listen,
                                                  .kubeconfig_out = options->kubeconfig_out,
                                                  .data_dir = options->data_dir,
                                                  .controllers = options->controllers,
                                                  .token = options->token,
                                                  .has_eviction_requests =
                                                          gates & FEATURE_EVICTION_REQUESTS,
                                                  .groups = feature_gates_groups(gates),
                                                  .passes_evictions = !options->has_policy_waits,
                                                  .minor = release_option_minor(options->release),
                                                  .seed = seed },
                        loop, &sandbox, err);

        if (code < 0)
                return code;
        /* A cluster of --data-dir that was here before has its nodes. */
        int64_t missing = options->nodes - (int64_t)sandbox_node_count(sandbox);
        if (missing > 0)
                code = control_add_nodes(sandbox_control(sandbox), (unsigned)missing, NULL, err);
        if (code == 0)
                code = watch_for_page(sandbox, loop, &options->page, &runtime, err);
        if (code == 0) {
                printf("listening on %s\n", sandbox_url(sandbox));
                if (options->kubeconfig_out)
                        printf("kubeconfig %s\n", options->kubeconfig_out);
                fflush(stdout);
                code = event_loop_run(events, err);
        }
        runtime_free(runtime);
        sandbox_stop(sandbox);
        event_loop_run_once(events, 0, NULL);
        return code;
}

static int sandbox_run(const struct command_call *call) {
        const struct sandbox_options *options = call->options;
        struct event_loop *events = NULL;
        struct process_signals *signals = NULL;
        struct err err = { 0 };

        log_writer_set_level((int)options->verbosity);
        log_writer_start_thread();
        int code = event_loop_new(&events, &err);
        if (code == 0)
                code = process_signals_new(event_loop_as_loop(events), on_signal,
                                           event_loop_as_loop(events), &signals, &err);
        if (code == 0)
                code = cmd_sandbox_serve(events, options, &err);
        process_signals_free(signals);
        event_loop_free(events);
        return code < 0 ? command_failed("sandbox", &err) : EXIT_DONE;
}

#define OFFSET(member) offsetof(struct sandbox_options, member)
static const struct option sandbox_table[] = {
        { .name = "listen",
          .type = OPTION_TEXT,
          .offset = OFFSET(listen),
          .value_name = "ADDR:PORT",
          .fallback = "127.0.0.1:6443",
          .help = "address of the API server, TLS and plain HTTP on one port; "
                  "port 0 takes any free port" },
        { .name = "kubeconfig-out",
          .type = OPTION_TEXT,
          .offset = OFFSET(kubeconfig_out),
          .value_name = "FILE",
          .is_file = true,
          .help = "write a kubeconfig of the administrator to this file" },
        { .name = "nodes",
          .type = OPTION_I64,
          .offset = OFFSET(nodes),
          .value_name = "N",
          .max = SANDBOX_NODES_MAX,
          .help = "simulated nodes to start with; a cluster of --data-dir that has so many gets no "
                  "more" },
        { .name = "data-dir",
          .type = OPTION_TEXT,
          .offset = OFFSET(data_dir),
          .value_name = "DIR",
          .is_file = true,
          .help = "store the cluster in this folder; without it, in memory" },
        { .name = "controllers",
          .type = OPTION_TEXT,
          .offset = OFFSET(controllers),
          .value_name = "LIST",
          .fallback = "*",
          .help = "controllers to run, named as in kube-controller-manager, and "
                  "kubelet for the simulated nodes: names, * for all, -NAME to "
                  "leave one out, none" },
        { .group = release_option_table, .offset = OFFSET(release) },
        { .group = feature_gates_option_table, .offset = offsetof(struct sandbox_options, gates) },
        { .name = "eviction-policy-waits",
          .type = OPTION_FLAG,
          .offset = OFFSET(has_policy_waits),
          .fallback = "true",
          .help = "answer evictions asked for through pods/eviction with 429 until the stages of "
                  "the "
                  "pod's EvictionPolicy are over; false leaves that to a webhook" },
        { .name = "token",
          .type = OPTION_TEXT,
          .offset = OFFSET(token),
          .value_name = "TEXT",
          .help = "bearer token of the administrator; without it a random one" },
        { .name = "seed",
          .type = OPTION_I64,
          .offset = OFFSET(seed),
          .value_name = "N",
          .help = "seed of uids, generated names and simulated durations; 0 "
                  "takes a random one" },
        { .group = dashboard_option_table, .offset = OFFSET(page) },
        { .group = verbosity_option_table,
          .offset = offsetof(struct sandbox_options, verbosity),
          .defaults = (const struct option_default[]){ { "v", "1" }, { 0 } } },
        { 0 },
};

const struct command command_sandbox = {
        .name = "sandbox",
        .summary = "serve a Kubernetes API with simulated nodes and pods",
        .synopsis = "",
        .description = "Starts an API server in this process. Nodes are simulated: pods "
                       "start, run, fail and end as their annotations say. The controllers "
                       "for ReplicaSets, Deployments, StatefulSets, DaemonSets, Jobs, "
                       "budgets and nodes run too. Ends at SIGTERM or SIGINT.\n\n"
                       "It has no scheduler: run berth scheduler, or any other one, "
                       "against it.",
        .options = sandbox_table,
        .options_size = sizeof(struct sandbox_options),
        .run = sandbox_run,
};
