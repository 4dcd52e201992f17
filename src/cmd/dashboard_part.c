/* Ties the page to the model of a runtime. */
#include "cmd/dashboard_part.h"

#include "base/util.h"
#include "cmd/daemon.h"
#include "cmd/dashboard_events.h"
#include "cmd/dashboard_explainer.h"
#include "cmd/dashboard_objects.h"
#include "cmd/dashboard_planner.h"
#include "dashboard/dashboard.h"
#include "loop/runtime.h"
#include "model/cluster.h"
#include "roles/role_config.h"
#include <stdio.h>
#include <stdlib.h>

struct dashboard_part {
        struct runtime *runtime;
        struct dashboard *dashboard;
        struct dashboard_explainer *explainer;
        struct dashboard_planner *planner;
        struct dashboard_events *events;
        struct dashboard_objects *objects;
        struct role_config config; /* its own, where it is given none */
};

static void on_changed(void *self) {
        struct dashboard_part *part = self;

        dashboard_changed(part->dashboard);
}

/* It asks for nothing. */
static void on_result(void *self, const struct action_result *result) {
        (void)self;
        (void)result;
}

static bool is_idle(const void *self) {
        (void)self;
        return true;
}

static void dashboard_part_free(void *self) {
        struct dashboard_part *part = self;

        dashboard_free(part->dashboard);
        dashboard_events_free(part->events);
        dashboard_objects_free(part->objects);
        dashboard_planner_free(part->planner);
        dashboard_explainer_free(part->explainer);
        role_config_release(&part->config);
        free(part);
}

static bool is_synced(void *runtime) {
        return runtime_is_synced(runtime);
}

uint32_t dashboard_part_spare_kinds(void) {
        return ~(1U << OBJECT_NODE | 1U << OBJECT_POD);
}

void dashboard_part_say(const struct dashboard *dashboard) {
        printf("dashboard %s\n", dashboard_url(dashboard));
        fflush(stdout);
}

void dashboard_part_need(const struct dashboard_options *options, struct daemon_options *daemon) {
        if (!options->is_on)
                return;
        daemon->keeps_finished = daemon->keeps_detail = daemon->keeps_object_cache = true;
}

static struct snapshot *dashboard_part_look(void *context) {
        struct dashboard_part *part = context;
        struct snapshot *snapshot = dashboard_objects_look(part->objects);

        snapshot->object_cache = runtime_object_cache(part->runtime);
        return snapshot;
}

/* What the process schedules by, or what its options say. */
static int choose_config(struct dashboard_part *part, const struct dashboard_part_config *config,
                         const struct role_config **ret_config, struct err *err) {
        const struct role_config_sources sources = { .config_path = config->config_path,
                                                     .gates = ROLE_CONFIG_ASKED };

        *ret_config = config->config ? config->config : &part->config;
        if (config->config)
                return 0;
        if (role_config_load(&sources, &part->config, err) < 0)
                return err->code;
        return role_config_build(&part->config, runtime_cluster(part->runtime),
                                 runtime_object_cache(part->runtime), err);
}

static int make_parts(struct dashboard_part *part, const struct dashboard_part_config *config,
                      struct err *err) {
        struct cluster *cluster = runtime_cluster(part->runtime);
        struct loop *loop = runtime_loop(part->runtime);
        const struct role_config *own;

        if (choose_config(part, config, &own, err) < 0)
                return err->code;
        part->explainer = dashboard_explainer_new(cluster, loop, own);
        part->planner = dashboard_planner_new(
                &(struct dashboard_planner_config){ .loop = loop,
                                                    .look = dashboard_part_look,
                                                    .context = part,
                                                    .own = own,
                                                    .source = config->source });
        return dashboard_new(
                &(struct dashboard_config){ .listen = config->options->listen,
                                            .hosts = config->options->hosts,
                                            .source = config->source,
                                            .is_live = true,
                                            .cluster = cluster,
                                            .is_ready = is_synced,
                                            .context = part->runtime,
                                            .explain = dashboard_explainer_explain,
                                            .explain_context = part->explainer,
                                            .events = dashboard_events_ring(part->events),
                                            .plan = dashboard_planner_answer,
                                            .plan_context = part->planner,
                                            .documents = dashboard_objects_documents,
                                            .documents_version = dashboard_objects_version,
                                            .documents_context = part->objects },
                loop, &part->dashboard, err);
}

int dashboard_part_add(const struct dashboard_part_config *config, struct runtime *runtime,
                       struct err *err) {
        struct dashboard_part *part = xcalloc(1, sizeof(*part));

        part->runtime = runtime;
        part->events = dashboard_events_new(runtime, on_changed, part);
        part->objects = dashboard_objects_new(runtime_cluster(runtime), runtime_loop(runtime));
        dashboard_objects_follow(part->objects, runtime, on_changed, part);
        if (make_parts(part, config, err) < 0) {
                dashboard_part_free(part);
                return err->code;
        }
        runtime_add_role(runtime, &(struct role){ .name = "dashboard",
                                                  .self = part,
                                                  .changed = on_changed,
                                                  .result = on_result,
                                                  .is_idle = is_idle,
                                                  .free = dashboard_part_free });
        dashboard_part_say(part->dashboard);
        return 0;
}

#define OFFSET(member) offsetof(struct dashboard_options, member)
const struct option dashboard_option_table[] = {
        { .name = "dashboard",
          .heading = "Live page",
          .type = OPTION_FLAG,
          .offset = OFFSET(is_on),
          .help = "serve the live page of this cluster and print its address" },
        { .name = "dashboard-listen",
          .type = OPTION_TEXT,
          .offset = OFFSET(listen),
          .value_name = "ADDR:PORT",
          .fallback = "127.0.0.1:0",
          .help = "address of the page, TLS where it is not this machine alone; port 0 takes any "
                  "free port" },
        { .name = "dashboard-hosts",
          .type = OPTION_TEXT,
          .offset = OFFSET(hosts),
          .value_name = "NAME,...",
          .help = "names under which the page may be visited, besides localhost and addresses in "
                  "numbers" },
        { 0 },
};
