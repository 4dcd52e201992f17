/* Runs the reboot agent: readings, actions, evictions and waits. */
#include "roles/reboot_role.h"

#include "api/json.h"
#include "base/log.h"
#include "base/metric_text.h"
#include "base/util.h"
#include "evict/evict_service.h"
#include "host/host_command.h"
#include "host/host_logind.h"
#include "host/host_reboot.h"
#include "host/host_trim.h"
#include "roles/reboot_leftovers.h"
#include "roles/reboot_notifier.h"
#include "roles/reboot_reader.h"
#include "roles/reboot_wake.h"
#include <stdio.h>
#include <stdlib.h>

#define TRIM_DELAY_NS (60 * NS_PER_S)
#define REBALANCE_TIMEOUT_NS (3600 * NS_PER_S)

struct reboot_role {
        struct runtime *runtime;
        struct reboot_role_config config;
        struct reboot_agent *agent;
        struct reboot_reader *reader;
        struct reboot_wake *wake;
        struct reboot_notifier *notifier;
        struct evict_requester *requester;
        struct evict_sink sink;
        uint64_t logged; /* the last record that was */
        struct action_list actions;
        struct loop_timer timer, order;
        struct host_command *command;     /* reboot */
        struct host_logind_order *logind; /* the same */
        uint64_t reboot_id;               /* the action it answers */
        enum reboot_phase phase;          /* last logged */
        struct reboot_leftovers *leftovers;
        bool has_leftovers;        /* perhaps: an earlier process was in the middle of a drain */
        struct api_request *nodes; /* asked for before rebalancing; NULL = not */
        struct host_command *rebalance;
        bool is_started;
};

static struct reboot_now now_of(const struct reboot_role *role) {
        return (struct reboot_now){ runtime_server_time(role->runtime),
                                    loop_mono(runtime_loop(role->runtime)) };
}

static void reboot_role_step(void *self);

/* ---- reboot ---- */

static void answer_reboot(struct reboot_role *role, int code, const char *text) {
        reboot_agent_result(role->agent, &(struct action_result){ .id = role->reboot_id,
                                                                  .kind = ACTION_REBOOT,
                                                                  .code = code,
                                                                  .text = slice_of(text) });
        reboot_role_step(role);
}

static void on_reboot_command(void *context, enum host_command_end end, int code) {
        struct reboot_role *role = context;
        bool is_done = end == HOST_COMMAND_EXITED && code == 0;
        char text[64] = "";

        role->command = NULL;
        if (!is_done) {
                LOG(LOG_ERROR, "RebootCommandFailed", log_i64("code", code));
                if (end == HOST_COMMAND_TIMED_OUT)
                        snprintf(text, sizeof(text), "the reboot command took too long");
                else
                        snprintf(text, sizeof(text), "the reboot command ended with exit code %d",
                                 code);
        }
        answer_reboot(role, is_done ? BERTH_OK : BERTH_ERR_IO, text);
}

static void on_reboot_ordered(void *context, int code, const char *error) {
        struct reboot_role *role = context;

        role->logind = NULL;
        if (code < 0)
                LOG(LOG_ERROR, "RebootNotOrdered", log_text("error", error));
        answer_reboot(role, code, error);
}

static void on_order(void *context) {
        struct reboot_role *role = context;
        const struct reboot_host *host = role->config.host;
        struct err err = { 0 };
        int code = host ? host->reboot(host->context, &err)
                        : host_signal(1, role->config.reboot_signal, &err);

        on_reboot_ordered(role, code, err.text);
}

static void order_reboot(struct reboot_role *role, uint64_t id) {
        struct loop *loop = runtime_loop(role->runtime);

        LOG(LOG_WARN, "Rebooting", log_slice("node", role->config.agent->node));
        role->reboot_id = id;
        if (role->config.reboot_command && !role->config.host)
                role->command = host_command_start(loop, role->config.reboot_command,
                                                   role->config.reboot_command_timeout_ns,
                                                   on_reboot_command, role);
        else if (role->config.reboot_bus && !role->config.host)
                role->logind = host_logind_order_new(loop, role->config.reboot_bus,
                                                     on_reboot_ordered, role);
        else
                loop_timer_arm(loop, &role->order, 0);
}

/* ---- steps ---- */

static void reboot_role_perform(struct reboot_role *role) {
        for (size_t i = 0; i < role->actions.count; i++) {
                const struct action *action = &role->actions.items[i];

                if (action->kind == ACTION_NOTIFY)
                        reboot_notifier_send(role->notifier, action->notify.message);
                else if (action->kind == ACTION_REBOOT)
                        order_reboot(role, action->id);
        }
        runtime_submit(role->runtime, role, &role->actions);
        action_list_clear(&role->actions);
}

static void on_evicted(void *self) {
        struct reboot_role *role = self;
        const struct evict_record *record;
        uint64_t after = role->logged;
        size_t at = 0;

        while ((record = evict_requester_next_record(role->requester, after, &at))) {
                role->logged = record->number;
                if (record->text.len && record->result != EVICT_RESULT_WITHDRAWN)
                        reboot_agent_saw_refusal(role->agent, record->pod.uid, record->text);
                if (record->text.len)
                        LOG(LOG_INFO, "EvictionRefused", log_slice("pod", record->pod.name),
                            log_slice("error", record->text));
        }
}

/* ---- after the last node ---- */

static void on_rebalanced(void *context, enum host_command_end end, int code) {
        struct reboot_role *role = context;

        role->rebalance = NULL;
        LOG(end == HOST_COMMAND_EXITED && code == 0 ? LOG_INFO : LOG_WARN, "RebalanceCommandEnded",
            log_i64("code", code));
}

static void on_nodes(void *context, const struct api_reply *reply) {
        struct reboot_role *role = context;
        CLEANUP(cleanup_json_doc) struct json_doc *doc = NULL;

        role->nodes = NULL;
        if (reply->status != 200 || json_parse(reply->body, &doc, NULL) < 0) {
                LOG(LOG_WARN, "NotRebalanced", log_text("reason", "nodes cannot be listed"));
                return;
        }
        if (!fleet_is_quiet(json_doc_root(doc), role->config.agent->node) || role->rebalance)
                return;
        role->rebalance =
                host_command_start(runtime_loop(role->runtime), role->config.rebalance_command,
                                   REBALANCE_TIMEOUT_NS, on_rebalanced, role);
}

static void ask_to_rebalance(struct reboot_role *role) {
        if (!role->config.rebalance_command || role->nodes)
                return;
        role->nodes = transport_call(
                runtime_transport(role->runtime),
                &(struct api_call){ .method = API_GET, .path = SLICE_LITERAL("/api/v1/nodes") },
                on_nodes, role);
}

static void log_phase(struct reboot_role *role) {
        struct reboot_agent_stats stats;
        struct reboot_now now = now_of(role);

        reboot_agent_stats(role->agent, &now, &stats);
        if (stats.phase == role->phase)
                return;
        if (role->phase == REBOOT_RELEASING && stats.phase == REBOOT_IDLE)
                ask_to_rebalance(role);
        if (role->phase == REBOOT_IDLE && stats.phase >= REBOOT_DRAINING)
                role->has_leftovers = true;
        /* A drain that is continued asks by the same names, and so takes them over. */
        if (role->has_leftovers &&
            (stats.phase < REBOOT_CLAIMED || stats.phase >= REBOOT_RELEASING))
                reboot_leftovers_look(role->leftovers);
        role->phase = stats.phase;
        LOG(LOG_INFO, "RebootPhase", log_slice("node", role->config.agent->node),
            log_text("phase", reboot_phase_name(stats.phase)), log_slice("reason", stats.reason));
}

/* An agent spends nearly all of its life here: what it will not need for a while it gives back. */
static void reboot_role_rest(struct reboot_role *role, int64_t delay_ns) {
        if (role->config.trims && delay_ns >= TRIM_DELAY_NS)
                host_trim();
        loop_timer_arm(runtime_loop(role->runtime), &role->timer, delay_ns);
}

static void reboot_role_step(void *self) {
        struct reboot_role *role = self;
        struct reboot_now now = now_of(role);
        struct reboot_next next;

        reboot_agent_step(role->agent, &now, &role->actions, &next);
        log_phase(role);
        runtime_serve_evictions(role->runtime);
        if (role->actions.count > 0)
                reboot_role_perform(role);
        if (next.read != REBOOT_READ_NOTHING) {
                reboot_reader_start(role->reader, &next);
        } else if (next.has_wake) {
                reboot_wake_follow(role->wake);
                reboot_role_rest(role, next.wake.ns - now.mono.ns);
        }
}

/* Through the loop, so that readings answered at once do not pile up on the stack. */
static void on_answered(void *context) {
        struct reboot_role *role = context;

        loop_timer_arm(runtime_loop(role->runtime), &role->timer, 0);
}

static void on_arrived(void *self, enum object_kind kind, enum change_kind change,
                       struct arrival *arrival) {
        reboot_wake_arrived(((struct reboot_role *)self)->wake, kind, change, arrival);
}

static void on_changed(void *self) {
        struct reboot_role *role = self;

        if (!role->is_started) { /* asks for what it needs, model or not */
                role->is_started = true;
                reboot_role_step(role);
        }
}

static void on_result(void *self, const struct action_result *result) {
        struct reboot_role *role = self;

        if (result->code != BERTH_OK)
                LOG(LOG_WARN, "WriteFailed", log_text("action", action_kind_name(result->kind)),
                    log_slice("error", result->text));
        if (reboot_agent_result(role->agent, result))
                reboot_role_step(role);
}

static bool is_idle(const void *self) {
        const struct reboot_role *role = self;

        return loop_timer_is_armed(&role->timer);
}

static void on_leftover(void *context, const struct action *action) {
        struct reboot_role *role = context;
        struct action_list list;

        action_list_init(&list);
        action_list_add(&list, action);
        runtime_submit(role->runtime, role, &list);
        action_list_release(&list);
}

static void free_role(void *self) {
        struct reboot_role *role = self;

        loop_timer_disarm(runtime_loop(role->runtime), &role->timer);
        loop_timer_disarm(runtime_loop(role->runtime), &role->order);
        host_command_cancel(role->command);
        host_logind_order_free(role->logind);
        host_command_cancel(role->rebalance);
        if (role->nodes)
                transport_cancel(runtime_transport(role->runtime), role->nodes);
        reboot_reader_free(role->reader);
        reboot_wake_free(role->wake);
        reboot_notifier_free(role->notifier);
        reboot_leftovers_free(role->leftovers);
        reboot_agent_free(role->agent);
        action_list_release(&role->actions);
        free(role);
}

struct reboot_role *reboot_role_add(struct runtime *runtime,
                                    const struct reboot_role_config *config, struct err *err) {
        struct reboot_role *role = xcalloc(1, sizeof(*role));

        role->runtime = runtime;
        role->config = *config;
        role->timer = (struct loop_timer){ .fired = reboot_role_step, .context = role };
        role->order = (struct loop_timer){ .fired = on_order, .context = role };
        action_list_init(&role->actions);
        role->requester = evict_service_join(
                runtime_evictions(runtime),
                &(struct evict_requester_config){ .name = "reboot",
                                                  .requests_as = "reboot.berth.dev/drain",
                                                  .max_attempts = 1 });
        role->sink = evict_requester_sink(role->requester);
        role->leftovers = reboot_leftovers_new(runtime, config->agent->node, on_leftover, role);
        role->notifier = reboot_notifier_new(runtime_loop(runtime), config->notify_url);
        role->agent = reboot_agent_new(config->agent, slice_of(config->boot_id), &role->sink);
        role->wake = reboot_wake_new(&(struct reboot_wake_config){ .runtime = runtime,
                                                                   .agent = role->agent,
                                                                   .node = config->agent->node,
                                                                   .woken = on_answered,
                                                                   .context = role });
        runtime_add_role(runtime, &(struct role){ .name = "reboot",
                                                  .self = role,
                                                  .changed = on_changed,
                                                  .arrived = on_arrived,
                                                  .result = on_result,
                                                  .evicted = on_evicted,
                                                  .is_idle = is_idle,
                                                  .free = free_role });
        if (reboot_reader_new(runtime, &role->config,
                              &(struct reboot_listener){ role->agent, on_answered, role },
                              &role->reader, err) < 0)
                return NULL;
        return role;
}

/* ---- metrics ---- */

static void reboot_role_gauge(struct buf *out, const char *name, const char *help,
                              struct slice node, double value) {
        const struct metric_label label = { "node", node };

        metric_text_family(out, name, METRIC_GAUGE, help);
        metric_text_sample(out, name, (struct metric_labels){ &label, 1 }, value);
}

static void reboot_role_counter(struct buf *out, const char *name, const char *help,
                                uint64_t value) {
        metric_text_single(out, name, METRIC_COUNTER, help, (double)value);
}

static void write_lead(const struct reboot_agent_stats *stats, struct buf *out) {
        const char *name = "kured_taint_lead_time_seconds";
        uint64_t buckets[LEAD_BUCKETS], count = 0;
        double bounds[LEAD_BUCKETS];

        for (int i = 0; i < LEAD_BUCKETS; i++) {
                count += stats->lead_buckets[i];
                buckets[i] = count;
                bounds[i] = (double)lead_bucket_s[i];
        }
        metric_text_family(out, name, METRIC_HISTOGRAM, "From the early taint to the cordon.");
        metric_text_histogram(out, name, (struct metric_labels){ 0 },
                              &(struct metric_histogram){ .bounds = bounds,
                                                          .buckets = buckets,
                                                          .bucket_count = LEAD_BUCKETS,
                                                          .sum = (double)stats->lead_sum_ns / 1e9,
                                                          .count = stats->lead_count });
}

/* A sample per node and one more label. */
static void write_of_node(struct buf *out, const char *name, struct slice node,
                          struct metric_label label, double value) {
        const struct metric_label labels[] = { { "node", node }, label };

        metric_text_sample(out, name, (struct metric_labels){ labels, ARRAY_LEN(labels) }, value);
}

/* What the node waits for, if for anything. */
static void write_reason(const struct reboot_agent_stats *stats, struct slice node,
                         struct buf *out) {
        if (stats->reason.len == 0)
                return;
        metric_text_family(out, "berth_reboot_reason", METRIC_GAUGE, "What the reboot waits for.");
        write_of_node(out, "berth_reboot_reason", node,
                      (struct metric_label){ "reason", stats->reason }, 1);
}

static void write_phases(const struct reboot_agent_stats *stats, struct slice node,
                         struct buf *out) {
        metric_text_family(out, "berth_reboot_phase", METRIC_GAUGE, "The phase the node is in.");
        for (int phase = 0; phase < REBOOT_PHASE_COUNT; phase++) {
                const char *name = reboot_phase_name((enum reboot_phase)phase);

                write_of_node(out, "berth_reboot_phase", node,
                              (struct metric_label){ "phase", slice_of(name) },
                              stats->phase == (enum reboot_phase)phase);
        }
}

void reboot_role_write_metrics(const struct reboot_role *role, struct buf *out) {
        struct slice node = role->config.agent->node;
        struct reboot_now now = now_of(role);
        struct reboot_agent_stats stats;

        reboot_agent_stats(role->agent, &now, &stats);
        reboot_role_gauge(out, "kured_reboot_required",
                          "OS requires reboot due to software updates.", node, stats.is_required);
        reboot_role_gauge(out, "kured_taint_wait_seconds",
                          "Since the taint, while not yet cordoned.", node,
                          (double)stats.taint_wait_ns / 1e9);
        write_lead(&stats, out);
        write_phases(&stats, node, out);
        write_reason(&stats, node, out);
        reboot_role_counter(out, "berth_reboot_orders_total", "Reboots ordered.", stats.reboots);
        reboot_role_counter(out, "berth_reboot_completed_total", "Returns from a reboot.",
                            stats.completed);
        reboot_role_counter(out, "berth_reboot_rollbacks_total", "Reboots given up.",
                            stats.rollbacks);
        reboot_role_counter(out, "berth_reboot_conflicts_total", "Writes that lost a race.",
                            stats.conflicts);
        reboot_role_counter(out, "berth_reboot_errors_total", "Readings and writes that failed.",
                            stats.errors);
        reboot_role_counter(out, "berth_reboot_taint_failures_total",
                            "Writes of the taint that failed.", stats.taint_failures);
}
