/* Processes out of parts. */
#include "cmd/daemon_part.h"

#include "roles/role_config.h"

#include <stdlib.h>
#include <sys/random.h>

/* What the model follows: everything, some kinds, or nothing at all. */
static void join_model(struct daemon_options *into, const struct daemon_options *part) {
        if (part->has_no_model)
                return;
        if (into->has_no_model) {
                into->has_no_model = false;
                into->kinds = part->kinds;
                into->spare_kinds = part->spare_kinds;
                into->without_classes = part->without_classes;
                return;
        }
        /* Without a choice of kinds all are followed, and then all are waited for. */
        into->spare_kinds &= part->spare_kinds;
        into->kinds = into->kinds && part->kinds ? into->kinds | part->kinds : 0;
        into->without_classes = into->without_classes && part->without_classes;
}

void daemon_part_join(struct daemon_options *into, const struct daemon_part *part, bool is_first) {
        const struct daemon_options *options = &part->daemon;

        if (is_first) {
                into->has_no_model = true;
                into->freezes_notes = options->freezes_notes;
                into->can_lack_rules = true;
        }
        join_model(into, options);
        into->keeps_finished |= options->keeps_finished;
        into->keeps_detail |= options->keeps_detail;
        into->keeps_evictions |= options->keeps_evictions;
        into->keeps_object_cache |= options->keeps_object_cache;
        into->keeps_devices |= options->keeps_devices;
        into->keeps_groups |= options->keeps_groups;
        into->keeps_taint_rules |= options->keeps_taint_rules;
        if (options->keeps_taint_rules)
                into->can_lack_rules &= options->can_lack_rules;
        into->counts_devices |= options->counts_devices;
        into->freezes_notes &= options->freezes_notes;
        into->takes_slots |= options->takes_slots;
        if (options->requests == EVICT_REQUESTS_ALWAYS || into->requests == EVICT_REQUESTS_NEVER)
                into->requests = options->requests;
        if (options->writes_per_second > 0 &&
            (into->writes_per_second <= 0 ||
             options->writes_per_second < into->writes_per_second)) {
                into->writes_per_second = options->writes_per_second;
                into->writes_burst = options->writes_burst;
        }
        into->minds_requests |= options->minds_requests;
        into->allows_metrics_reset |= options->allows_metrics_reset;
}

/* ---- the live page ---- */

struct page_role {
        const struct daemon_options *options;
        const struct role_config *config; /* of one of the parts; NULL = of none */
};

static int add_page(void *context, struct daemon *daemon, struct runtime *runtime,
                    struct err *err) {
        const struct page_role *page = context;
        const struct daemon_options *options = page->options;

        (void)daemon;
        return dashboard_part_add(
                &(struct dashboard_part_config){ .options = &options->page,
                                                 .source = options->context ? options->context
                                                           : options->kubeconfig
                                                                   ? options->kubeconfig
                                                                   : "this cluster",
                                                 .config = page->config },
                runtime, err);
}

/* A policy is more than none. */
static const struct role_config *page_config(const struct daemon_part *parts, size_t count) {
        const struct role_config *found = NULL;

        for (size_t i = 0; i < count; i++)
                if (parts[i].config && (!found || parts[i].config->policy))
                        found = parts[i].config;
        return found;
}

int daemon_parts_run(const struct daemon_options *options, const struct daemon_part *parts,
                     size_t count, struct err *err) {
        struct daemon_role roles[DAEMON_ROLES_MAX] = { 0 };
        struct daemon_options daemon = *options;
        struct page_role page = { &daemon, page_config(parts, count) };
        size_t role_count = count;

        for (size_t i = 0; i < count; i++)
                roles[i] = parts[i].role;
        if (daemon.page.is_on) {
                dashboard_part_need(&daemon.page, &daemon);
                roles[role_count++] = (struct daemon_role){ .context = &page,
                                                            .only_looks = true,
                                                            .add = add_page };
        }
        if (daemon.seed == 0 && getrandom(&daemon.seed, sizeof(daemon.seed), 0) < 0)
                daemon.seed = 1;
        int code = daemon_run(&daemon, roles, role_count, err);
        for (size_t i = 0; code == 0 && i < count; i++)
                if (parts[i].end)
                        code = parts[i].end(parts[i].role.context, err);
        return code;
}

int daemon_part_run(const struct daemon_part *part, struct err *err) {
        return daemon_parts_run(&part->daemon, part, 1, err);
}

void daemon_part_release(struct daemon_part *part) {
        if (part->free)
                part->free(part->role.context);
        *part = (struct daemon_part){ 0 };
}
