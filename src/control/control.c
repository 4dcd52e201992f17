/* Control: subscribes to the store, updates the index, runs controllers in rounds. */
#include "control/control.h"

#include "base/log.h"
#include "base/util.h"
#include "control/control_priv.h"
#include "control/object_write.h"
#include "server/api_server.h"
#include <stdlib.h>

#define ROUND_KEYS_MAX 256 /* per controller; other work of the loop comes between rounds */

/* ---- rounds ---- */

static void control_round(void *context);

/* Schedules a round. */
static void control_schedule(void *context) {
        struct control *control = context;

        if (control->is_scheduled)
                return;
        control->is_scheduled = true;
        loop_defer(control->loop, control_round, control);
}

static size_t control_queued(const struct control *control) {
        size_t count = 0;

        for (size_t i = 0; i < control->run_count; i++)
                count += work_queue_ready(control->runs[i].queue);
        return count;
}

static void control_arm(struct control *control) {
        int64_t next = INT64_MAX, now = loop_mono(control->loop).ns;

        for (size_t i = 0; i < control->run_count; i++) {
                int64_t due = work_queue_next(control->runs[i].queue).ns;

                if (due < next)
                        next = due;
        }
        if (next == INT64_MAX)
                loop_timer_disarm(control->loop, &control->timer);
        else
                loop_timer_arm(control->loop, &control->timer, next > now ? next - now : 0);
}

static void reconcile_one(struct controller_run *run, struct work_item *item) {
        struct control *control = run->control;
        struct err err = { 0 };

        if (!write_waits_enter(control->waits, run, work_item_ns(item), work_item_name(item))) {
                work_queue_done(run->queue, item, false, loop_mono(control->loop));
                return;
        }
        control->is_reconciling = true;
        int r = run->controller->reconcile(run, work_item_ns(item), work_item_name(item), &err);
        control->is_reconciling = false;
        object_index_sweep(control->index);
        control->stats.reconciles++;
        if (write_waits_leave(control->waits)) /* it comes again when the answers are there */
                r = 0;
        if (r < 0)
                LOG(LOG_WARN, "ReconcileFailed", log_text("controller", run->controller->name),
                    log_slice("namespace", work_item_ns(item)),
                    log_slice("name", work_item_name(item)), log_text("error", err.text));
        work_queue_done(run->queue, item, r < 0, loop_mono(control->loop));
}

static void control_round(void *context) {
        struct control *control = context;

        control->is_scheduled = false;
        if (control->is_freed) {
                free(control);
                return;
        }
        write_waits_run_aside(control->waits);
        for (size_t i = 0; i < control->run_count; i++) {
                struct controller_run *run = &control->runs[i];

                work_queue_advance(run->queue, loop_mono(control->loop));
                for (size_t n = 0; n < ROUND_KEYS_MAX; n++) {
                        struct work_item *item = work_queue_take(run->queue);

                        if (!item)
                                break;
                        reconcile_one(run, item);
                }
        }
        if (control_queued(control))
                control_schedule(control);
        control_arm(control);
}

static void control_wake(void *context) {
        struct control *control = context;

        if (control_queued(control))
                control_schedule(control);
        else if (!control->is_scheduled)
                control_arm(control);
}

/* ---- changes ---- */

static void control_report(struct control *control, int resource, const struct store_event *event) {
        struct change change = { .resource = resource, .event = event };

        object_index_change(control->index, &change);
        for (size_t i = 0; i < control->run_count; i++) {
                if (control->runs[i].controller->changed)
                        control->runs[i].controller->changed(&control->runs[i], &change);
        }
        change_release(&change);
}

static void control_changed(void *context, int resource, const struct store_event *event) {
        struct control *control = context;

        if (resource == control->resource.events)
                return;
        control_report(control, resource, event);
        if (!control->is_reconciling)
                object_index_sweep(control->index);
}

/* Everything that is there already, as if it were added now. */
static void control_replay(struct control *control) {
        for (size_t i = 0; i < control_resources_count(control->table); i++) {
                int resource = control_resources_at(control->table, i)->resource;
                struct store_range range = { .resource = resource };
                struct store_cursor *cursor = NULL;
                const struct store_object *object;

                if (resource == control->resource.events ||
                    store_cursor_open(control->store, &range, &cursor, NULL) < 0)
                        continue;
                while ((object = store_cursor_next(cursor)))
                        control_report(control, resource,
                                       &(struct store_event){ .type = STORE_ADDED,
                                                              .revision = object->revision,
                                                              .object = object });
                store_cursor_close(cursor);
        }
}

/* ---- set-up ---- */

static void number_resources(struct control *control) {
        struct resource_numbers *number = &control->resource;
        struct {
                int *number;
                const char *group, *plural;
        } const known[] = {
                { &number->pods, "", "pods" },
                { &number->nodes, "", "nodes" },
                { &number->namespaces, "", "namespaces" },
                { &number->events, "", "events" },
                { &number->config_maps, "", "configmaps" },
                { &number->service_accounts, "", "serviceaccounts" },
                { &number->claims, "", "persistentvolumeclaims" },
                { &number->volumes, "", "persistentvolumes" },
                { &number->quotas, "", "resourcequotas" },
                { &number->cluster_roles, "rbac.authorization.k8s.io", "clusterroles" },
                { &number->resource_claims, "resource.k8s.io", "resourceclaims" },
                { &number->resource_claim_templates, "resource.k8s.io", "resourceclaimtemplates" },
                { &number->resource_slices, "resource.k8s.io", "resourceslices" },
                { &number->pod_groups, "scheduling.k8s.io", "podgroups" },
                { &number->taint_rules, "resource.k8s.io", "devicetaintrules" },
                { &number->storage_classes, "storage.k8s.io", "storageclasses" },
                { &number->replication_controllers, "", "replicationcontrollers" },
                { &number->leases, "coordination.k8s.io", "leases" },
                { &number->replica_sets, "apps", "replicasets" },
                { &number->deployments, "apps", "deployments" },
                { &number->stateful_sets, "apps", "statefulsets" },
                { &number->daemon_sets, "apps", "daemonsets" },
                { &number->revisions, "apps", "controllerrevisions" },
                { &number->jobs, "batch", "jobs" },
                { &number->cron_jobs, "batch", "cronjobs" },
                { &number->budgets, "policy", "poddisruptionbudgets" },
                { &number->custom_definitions, "apiextensions.k8s.io",
                  "customresourcedefinitions" },
        };

        for (size_t i = 0; i < ARRAY_LEN(known); i++)
                *known[i].number =
                        api_server_resource(control->server, known[i].group, known[i].plural);
}

static int64_t or_default(int64_t value, int64_t otherwise) {
        return value > 0 ? value : otherwise;
}

static void fill_defaults(struct control_config *config) {
        config->start_delay_ns = or_default(config->start_delay_ns, 100 * NS_PER_MS);
        config->stop_delay_ns = or_default(config->stop_delay_ns, 200 * NS_PER_MS);
        config->backoff_first_ns = or_default(config->backoff_first_ns, 10 * NS_PER_S);
        config->backoff_max_ns = or_default(config->backoff_max_ns, 300 * NS_PER_S);
        config->heartbeat_ns = or_default(config->heartbeat_ns, 10 * NS_PER_S);
        config->node_grace_ns = or_default(config->node_grace_ns, 50 * NS_PER_S);
}

static size_t known_count(void) {
        size_t count = 0;

        while (controllers[count])
                count++;
        return count;
}

static void start_runs(struct control *control, const bool *is_wanted) {
        for (size_t i = 0; controllers[i]; i++) {
                struct controller_run *run = &control->runs[control->run_count];

                if (!is_wanted[i])
                        continue;
                run->controller = controllers[i];
                run->control = control;
                run->queue = work_queue_new(control_wake, control);
                control->run_count++;
                if (run->controller->start)
                        run->controller->start(run);
        }
}

int control_new(const struct control_config *config, struct control **ret_control,
                struct err *err) {
        bool is_wanted[CONTROLLERS_MAX];
        struct control *control;
        int r = controllers_select(config->controllers, is_wanted, err);

        if (r < 0)
                return r;
        control = xcalloc(1, sizeof(*control) + known_count() * sizeof(control->runs[0]));
        control->config = *config;
        control->ca_pem = config->ca_pem ? slice_dup(slice_of(config->ca_pem)) : NULL;
        control->config.ca_pem = control->ca_pem;
        control->config.controllers = NULL;
        fill_defaults(&control->config);
        control->server = config->server;
        control->loop = config->loop;
        control->store = api_server_store(config->server);
        control->timer = (struct loop_timer){ .fired = control_schedule, .context = control };
        rng_init(&control->rng, config->seed);
        number_resources(control);
        control->table = control_resources_new(config->server);
        control->index = object_index_new(control->store, control->table, control->resource.pods);
        control->waits = write_waits_new(control->server, control_schedule, control);
        start_runs(control, is_wanted);
        if (control->run_count) {
                control_replay(control);
                control->subscription = store_subscribe(control->store, STORE_ALL_RESOURCES,
                                                        control_changed, control);
        }
        *ret_control = control;
        return 0;
}

void control_free(struct control *control) {
        if (!control)
                return;
        store_unsubscribe(control->store, control->subscription);
        loop_timer_disarm(control->loop, &control->timer);
        write_waits_free(control->waits);
        for (size_t i = 0; i < control->run_count; i++) {
                if (control->runs[i].controller->stop)
                        control->runs[i].controller->stop(&control->runs[i]);
                work_queue_free(control->runs[i].queue);
        }
        object_index_free(control->index);
        control_resources_free(control->table);
        object_events_release(control);
        free(control->ca_pem);
        control->is_freed = true;
        if (!control->is_scheduled)
                free(control);
}

/* ---- what callers ask ---- */

static const struct controller_run *kubelet_of(const struct control *control) {
        for (size_t i = 0; i < control->run_count; i++) {
                if (control->runs[i].controller->is_kubelet)
                        return &control->runs[i];
        }
        return NULL;
}

bool control_is_settled(const struct control *control) {
        const struct controller_run *kubelet = kubelet_of(control);

        for (size_t i = 0; i < control->run_count; i++) {
                const struct controller *controller = control->runs[i].controller;

                if (controller->is_busy && controller->is_busy(&control->runs[i]))
                        return false;
        }
        return control_queued(control) == 0 && write_waits_count(control->waits) == 0 &&
               (!kubelet || work_queue_delayed(kubelet->queue) == 0);
}

struct mono_time control_next_transition(const struct control *control) {
        const struct controller_run *kubelet = kubelet_of(control);

        return kubelet ? work_queue_next(kubelet->queue) : (struct mono_time){ INT64_MAX };
}

void control_stats(const struct control *control, struct control_stats *ret_stats) {
        const struct controller_run *kubelet = kubelet_of(control);

        *ret_stats = control->stats;
        ret_stats->queued = control_queued(control);
        ret_stats->transitions = kubelet ? work_queue_delayed(kubelet->queue) : 0;
}
