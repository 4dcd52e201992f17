/* Ties the page to the model of a runtime. */
#include "cmd/dashboard_part.h"

#include "base/util.h"
#include "dashboard/dashboard.h"
#include "loop/runtime.h"
#include "model/cluster.h"
#include <stdio.h>
#include <stdlib.h>

struct dashboard_part {
        struct runtime *runtime;
        struct dashboard *dashboard;
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
        free(part);
}

static bool is_synced(void *runtime) {
        return runtime_is_synced(runtime);
}

uint32_t dashboard_part_kinds(void) {
        return 1U << OBJECT_NODE | 1U << OBJECT_POD;
}

void dashboard_part_say(const struct dashboard *dashboard) {
        printf("dashboard %s\n", dashboard_url(dashboard));
        fflush(stdout);
}

int dashboard_part_add(const struct dashboard_options *options, struct runtime *runtime,
                       const char *source, struct err *err) {
        struct dashboard_part *part;
        struct dashboard *dashboard = NULL;

        if (dashboard_new(&(struct dashboard_config){ .listen = options->listen,
                                                      .hosts = options->hosts,
                                                      .source = source,
                                                      .is_live = true,
                                                      .cluster = runtime_cluster(runtime),
                                                      .is_ready = is_synced,
                                                      .context = runtime },
                          runtime_loop(runtime), &dashboard, err) < 0)
                return err->code;
        part = xcalloc(1, sizeof(*part));
        *part = (struct dashboard_part){ .runtime = runtime, .dashboard = dashboard };
        runtime_add_role(runtime, &(struct role){ .name = "dashboard",
                                                  .self = part,
                                                  .changed = on_changed,
                                                  .result = on_result,
                                                  .is_idle = is_idle,
                                                  .free = dashboard_part_free });
        dashboard_part_say(dashboard);
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
