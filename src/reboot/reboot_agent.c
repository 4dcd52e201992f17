/* Readings, results, waiting and writing of the agent; the phases are in files of their own. */
#include "reboot/reboot_agent.h"

#include "base/util.h"
#include "reboot/reboot_agent_priv.h"
#include <stdio.h>
#include <stdlib.h>

const int64_t lead_bucket_s[LEAD_BUCKETS] = { 10,   60,    300,   900,   1800,
                                              3600, 14400, 43200, 86400, 604800 };

const char *reboot_read_name(enum reboot_read read) {
        static const char *const names[REBOOT_READ_COUNT] = { "nothing", "sentinel", "node",
                                                              "lock",    "blockers", "pods",
                                                              "peers",   "holder",   "health" };

        return names[read];
}

struct reboot_agent *reboot_agent_new(const struct reboot_config *config, struct slice boot_id,
                                      const struct evict_sink *sink) {
        struct reboot_agent *agent = xcalloc(1, sizeof(*agent));
        struct arena *const arenas[] = { &agent->node_arena,    &agent->lock_arena,
                                         &agent->blocker_arena, &agent->pods_arena,
                                         &agent->peers_arena,   &agent->health_arena };

        agent->config = config;
        agent->sink = sink;
        agent->boot_id = slice_dup(boot_id);
        for (size_t i = 0; i < ARRAY_LEN(arenas); i++)
                arena_init(arenas[i], 2048);
        return agent;
}

void reboot_agent_free(struct reboot_agent *agent) {
        if (!agent)
                return;
        node_facts_release(&agent->node);
        json_doc_free(agent->lock_doc);
        arena_release(&agent->node_arena);
        arena_release(&agent->lock_arena);
        arena_release(&agent->blocker_arena);
        arena_release(&agent->pods_arena);
        arena_release(&agent->peers_arena);
        arena_release(&agent->health_arena);
        free(agent->boot_id);
        free(agent);
}

/* ---- readings ---- */

void agent_forget(struct reboot_agent *agent, enum agent_scope scope) {
        agent->knows_pods = agent->knows_health = false;
        if (scope == SCOPE_PODS)
                return;
        agent->knows_node = false;
        if (scope == SCOPE_NODE)
                return;
        agent->knows_sentinel = agent->knows_lock = agent->knows_blockers = false;
        agent->knows_holder = agent->knows_peers = agent->is_taint_skipped = false;
}

bool agent_needs(struct agent_step *step, enum reboot_read read) {
        const struct reboot_agent *agent = step->agent;
        const bool known[REBOOT_READ_COUNT] = {
                [REBOOT_READ_SENTINEL] = agent->knows_sentinel,
                [REBOOT_READ_NODE] = agent->knows_node,
                [REBOOT_READ_LOCK] = agent->knows_lock,
                [REBOOT_READ_BLOCKERS] = agent->knows_blockers,
                [REBOOT_READ_PODS] = agent->knows_pods,
                [REBOOT_READ_PEERS] = agent->knows_peers,
                [REBOOT_READ_HOLDER] = agent->knows_holder,
                [REBOOT_READ_HEALTH] = agent->knows_health,
        };

        if (known[read])
                return true;
        step->agent->reading = read;
        step->turn->read = read;
        step->turn->holder = slice_of(agent->holder);
        step->turn->is_uncordoned = agent->phase == REBOOT_RELEASING;
        return false;
}

/* The reading came to an end; false: it failed, and is repeated later. */
static bool answered(struct reboot_agent *agent, int code) {
        agent->reading = REBOOT_READ_NOTHING;
        if (code == BERTH_OK)
                return true;
        agent->errors++;
        agent->must_pause = true;
        agent->stats.errors++;
        return false;
}

void reboot_agent_saw_sentinel(struct reboot_agent *agent, bool is_required) {
        answered(agent, BERTH_OK);
        agent->knows_sentinel = true;
        agent->is_required = is_required;
        agent->was_required = agent->was_required || is_required;
        agent->stats.is_required = is_required;
}

void reboot_agent_saw_node(struct reboot_agent *agent, int code, struct json_doc *node) {
        agent->node_is_gone = code == BERTH_ERR_NOT_FOUND;
        if (!answered(agent, agent->node_is_gone ? BERTH_OK : code)) {
                json_doc_free(node);
                return;
        }
        agent->knows_node = agent->node_is_newer = true;
        arena_clear(&agent->node_arena);
        node_facts_take(&agent->node, node, agent->config->taint_key, &agent->node_arena);
        agent->was_required = agent->was_required || agent->node.is_forced;
}

void reboot_agent_saw_lock(struct reboot_agent *agent, int code, struct json_doc *object) {
        const struct json *annotations, *value;

        agent->lock_is_missing = code == BERTH_ERR_NOT_FOUND;
        if (!answered(agent, agent->lock_is_missing ? BERTH_OK : code)) {
                json_doc_free(object);
                return;
        }
        json_doc_free(agent->lock_doc);
        agent->lock_doc = object;
        agent->knows_lock = true;
        agent->node_is_newer = false;
        agent->lock = (struct reboot_lock){ 0 };
        arena_clear(&agent->lock_arena);
        annotations = json_get(json_get(json_doc_root(object), "metadata"), "annotations");
        value = json_get_slice(annotations, agent->config->lock_annotation);
        agent->lock_is_broken = reboot_lock_parse(json_text(value), value != NULL,
                                                  &agent->lock_arena, &agent->lock, NULL) < 0;
}

void reboot_agent_saw_blockers(struct reboot_agent *agent, struct slice reason) {
        answered(agent, BERTH_OK);
        agent->knows_blockers = true;
        arena_clear(&agent->blocker_arena);
        agent->blocker = arena_slice(&agent->blocker_arena, reason);
}

static struct drain_pod copy_pod(const struct drain_pod *pod, struct arena *arena) {
        struct drain_pod copy = *pod;

        copy.ns = arena_slice(arena, pod->ns);
        copy.name = arena_slice(arena, pod->name);
        copy.uid = arena_slice(arena, pod->uid);
        copy.daemon_set = arena_slice(arena, pod->daemon_set);
        copy.labels.items = ARENA_ARRAY(arena, struct label, pod->labels.count);
        for (size_t i = 0; i < pod->labels.count; i++)
                copy.labels.items[i] = (struct label){
                        arena_slice(arena, pod->labels.items[i].key),
                        arena_slice(arena, pod->labels.items[i].value),
                };
        return copy;
}

void reboot_agent_saw_pods(struct reboot_agent *agent, int code,
                           const struct drain_listing *listing) {
        struct drain_rules rules = { &agent->config->drain_selector,
                                     agent->config->skip_wait_for_delete_s };
        struct arena *arena = &agent->pods_arena;

        if (!answered(agent, code))
                return;
        agent->knows_pods = true;
        arena_clear(arena);
        agent->lacks_eviction = listing->lacks_eviction;
        agent->pods.count = listing->pods->count;
        agent->pods.items = ARENA_ARRAY(arena, struct drain_pod, listing->pods->count);
        for (size_t i = 0; i < listing->pods->count; i++)
                agent->pods.items[i] = copy_pod(&listing->pods->items[i], arena);
        agent->impossible = drain_impossible(&agent->pods, &rules, listing->budgets,
                                             (struct wall_time){ 0 }, arena);
}

void reboot_agent_saw_peers(struct reboot_agent *agent, uint32_t waiting_before) {
        answered(agent, BERTH_OK);
        agent->knows_peers = true;
        agent->waiting_before = waiting_before;
}

uint32_t reboot_peers_before(const struct json *nodes, struct slice node) {
        return fleet_waiting_before(nodes, node);
}

void reboot_agent_saw_nodes(struct reboot_agent *agent, const struct json *nodes) {
        const struct reboot_config *config = agent->config;

        reboot_agent_saw_peers(agent, nodes ? fleet_waiting_before(nodes, config->node) : 0);
        arena_clear(&agent->peers_arena);
        agent->fleet = (struct fleet_answer){ 0 };
        agent->cap_reason = SLICE_EMPTY;
        if (!nodes || !fleet_rules_ask(&config->fleet))
                return;
        fleet_judge(nodes, config->node, &config->fleet, &agent->peers_arena, &agent->fleet);
        agent->cap_reason =
                fleet_cap_reason(nodes, config->node, &config->fleet, &agent->peers_arena);
}

void reboot_agent_saw_health(struct reboot_agent *agent, struct slice reason) {
        answered(agent, BERTH_OK);
        agent->knows_health = true;
        arena_clear(&agent->health_arena);
        agent->ill = arena_slice(&agent->health_arena, reason);
}

void reboot_agent_saw_holder(struct reboot_agent *agent, int code) {
        agent->holder_is_gone = code == BERTH_ERR_NOT_FOUND;
        answered(agent, BERTH_OK); /* what cannot be told is taken for there */
        agent->knows_holder = true;
}

/* ---- results ---- */

static void patch_succeeded(struct reboot_agent *agent) {
        agent->errors = 0;
        if (agent->pending_kind == ACTION_PATCH_OBJECT) {
                agent->knows_lock = false;
                return;
        }
        agent_forget(agent, SCOPE_NODE);
        agent->is_notice_due = agent->notice != NULL;
        agent->may_reboot = agent->is_order_pending;
        if (agent->pending_phase == agent->phase)
                return; /* only the reason changed, or the cordon came back */
        if (agent->pending_phase == REBOOT_DRAINING && agent->phase == REBOOT_CLAIMED)
                agent->is_lead_due = true;
        if (agent->pending_phase == REBOOT_ROLLBACK)
                agent->stats.rollbacks++;
        if (agent->pending_phase == REBOOT_RELEASING)
                agent->stats.completed++;
}

static void patch_failed(struct reboot_agent *agent, int code) {
        bool is_taint = agent->pending_taint && code != BERTH_ERR_CONFLICT;

        agent_forget(agent, SCOPE_ALL);
        agent->is_final_check = false;
        agent->notice = NULL;
        agent->errors++;
        agent->must_pause = true;
        agent->stats.conflicts += code == BERTH_ERR_CONFLICT;
        agent->stats.errors += code != BERTH_ERR_CONFLICT;
        agent->stats.taint_failures += is_taint;
        agent->is_taint_skipped = is_taint; /* a hint must not hold up the rest */
}

bool reboot_agent_result(struct reboot_agent *agent, const struct action_result *result) {
        if (agent->pending == 0 || result->id != agent->pending)
                return false;
        agent->pending = 0;
        if (agent->pending_kind == ACTION_REBOOT)
                agent->reboot_failed = result->code != BERTH_OK;
        else if (result->code == BERTH_OK)
                patch_succeeded(agent);
        else
                patch_failed(agent, result->code);
        return true;
}

/* ---- ends of a step ---- */

void agent_wait(struct agent_step *step, int64_t delay_ns, enum agent_scope scope) {
        struct reboot_agent *agent = step->agent;

        agent->is_waiting = true;
        agent->wake.ns = step->now->mono.ns + (delay_ns > 0 ? delay_ns : 0);
        agent->wake_scope = scope;
        agent->is_final_check = false;
        step->turn->has_wake = true;
        step->turn->wake = agent->wake;
}

static void add(struct agent_step *step, const struct action *action) {
        step->agent->pending_kind = action->kind;
        step->agent->pending_phase = REBOOT_IDLE;
        step->agent->is_order_pending = false;
        step->agent->pending = action_list_add(step->out, action);
}

void agent_patch_node(struct agent_step *step, struct node_change *change,
                      const struct reboot_record *record) {
        struct reboot_agent *agent = step->agent;
        struct buf body = { 0 };

        change->taint_key = step->config->taint_key;
        change->now = step->now->wall;
        change->record = record;
        node_change_print(&agent->node, change, &body);
        add(step, &(struct action){
                          .kind = ACTION_PATCH_NODE,
                          .target = { .kind = SLICE_LITERAL("Node"), .name = step->config->node },
                          .patch = { buf_view(&body) } });
        agent->pending_phase = record->phase;
        agent->pending_taint = change->taint != TURN_KEEP;
        buf_release(&body);
}

/* The object goes back as it came, but for the one annotation. */
void agent_put_lock(struct agent_step *step, const struct reboot_lock *lock) {
        const struct reboot_config *config = step->config;
        struct json_tree *tree = json_tree_new();
        struct json_node *root = node_import(tree, json_doc_root(step->agent->lock_doc));
        struct json_node *meta = node_need_object(tree, root, "metadata");
        struct json_node *annotations = meta ? node_need_object(tree, meta, "annotations") : NULL;
        struct buf text = { 0 }, body = { 0 };

        if (annotations) {
                if (reboot_lock_print(lock, config->concurrency, &text))
                        node_set(tree, annotations, config->lock_annotation,
                                 node_text(tree, buf_view(&text)));
                else
                        node_remove_slice(annotations, config->lock_annotation);
        }
        node_write(root, &body);
        add(step, &(struct action){ .kind = ACTION_PATCH_OBJECT,
                                    .target = { .kind = config->lock_kind,
                                                .ns = config->lock_ns,
                                                .name = config->lock_name },
                                    .patch = { buf_view(&body) } });
        buf_release(&text);
        buf_release(&body);
        json_tree_free(tree);
}

/* The template's %s is the node's name; one without it gets what Go's printf would append. */
void agent_notify(struct agent_step *step, struct slice message) {
        struct slice node = step->config->node, rest = message, head;
        struct buf text = { 0 };
        bool is_named = false;

        for (size_t i = 0; i + 1 < message.len && !is_named; i++) {
                if (message.ptr[i] != '%' || message.ptr[i + 1] != 's')
                        continue;
                head = slice_make(message.ptr, i);
                rest = slice_make(message.ptr + i + 2, message.len - i - 2);
                buf_slice(&text, head);
                buf_slice(&text, node);
                is_named = true;
        }
        buf_slice(&text, rest);
        if (!is_named)
                buf_printf(&text, "%%!(EXTRA string=" SLICE_FMT ")", SLICE_ARG(node));
        action_list_add(step->out,
                        &(struct action){ .kind = ACTION_NOTIFY,
                                          .target = { .kind = SLICE_LITERAL("Node"), .name = node },
                                          .notify = { buf_view(&text) } });
        buf_release(&text);
}

/* ---- the step ---- */

static int64_t error_delay(unsigned errors) {
        int64_t delay = AGENT_ERROR_MIN_NS;

        while (errors-- > 1 && delay < AGENT_ERROR_MAX_NS)
                delay *= 2;
        return delay < AGENT_ERROR_MAX_NS ? delay : AGENT_ERROR_MAX_NS;
}

/* Lead time: from the taint to the cordon; none counts as 0. */
static void count_lead(struct agent_step *step) {
        struct reboot_agent_stats *stats = &step->agent->stats;
        struct wall_time since = step->agent->node.record.taint_since;
        int64_t lead_ns = 0;
        int bucket = 0;

        if (wall_time_is_set(since) && step->now->wall.ns > since.ns)
                lead_ns = step->now->wall.ns - since.ns;
        while (bucket < LEAD_BUCKETS && lead_ns > lead_bucket_s[bucket] * NS_PER_S)
                bucket++;
        stats->lead_buckets[bucket]++;
        stats->lead_count++;
        stats->lead_sum_ns += lead_ns;
}

static void send_due_notice(struct agent_step *step) {
        struct reboot_agent *agent = step->agent;

        if (agent->is_lead_due)
                count_lead(step);
        if (agent->is_notice_due && agent->notice->len > 0)
                agent_notify(step, *agent->notice);
        agent->is_lead_due = agent->is_notice_due = false;
        agent->notice = NULL;
}

static void order_reboot(struct agent_step *step) {
        struct reboot_agent *agent = step->agent;

        agent->may_reboot = false;
        if (!agent->was_required ||
            agent_has_passed(step, agent->checked, AGENT_CHECK_VALID_NS, NULL)) {
                agent->reboot_failed = true; /* the check is too old: start over */
                return;
        }
        agent->stats.reboots++;
        agent_notify(step, step->config->reboot_message);
        add(step, &(struct action){ .kind = ACTION_REBOOT,
                                    .target = { .kind = SLICE_LITERAL("Node"),
                                                .name = step->config->node } });
}

static bool is_other_boot(const struct reboot_agent *agent) {
        const struct reboot_record *record = &agent->node.record;

        return record->phase >= REBOOT_DRAINING && record->phase <= REBOOT_REBOOTING &&
               !slice_is(record->boot_id, agent->boot_id);
}

static void decide(struct agent_step *step) {
        static void (*const phases[REBOOT_PHASE_COUNT])(struct agent_step *) = {
                [REBOOT_IDLE] = agent_idle,           [REBOOT_WANTED] = agent_wanted,
                [REBOOT_BLOCKED] = agent_wanted,      [REBOOT_QUEUED] = agent_wanted,
                [REBOOT_CLAIMED] = agent_claimed,     [REBOOT_DRAINING] = agent_draining,
                [REBOOT_READY] = agent_ready,         [REBOOT_REBOOTING] = agent_rebooting,
                [REBOOT_RELEASING] = agent_releasing, [REBOOT_ROLLBACK] = agent_releasing,
        };
        struct reboot_agent *agent = step->agent;

        if (!agent_needs(step, REBOOT_READ_SENTINEL) || !agent_needs(step, REBOOT_READ_NODE))
                return;
        if (agent->node_is_gone) {
                agent_wait(step, step->config->period_ns, SCOPE_ALL);
                return;
        }
        if (agent->node.record.phase != agent->phase) {
                agent->phase = agent->node.record.phase;
                agent->phase_since = step->now->mono;
                agent->next_evict = step->now->mono;
                agent->is_final_check = false;
        }
        agent->stats.is_settling = is_other_boot(agent);
        if (agent->stats.is_settling)
                agent_settling(step);
        else
                phases[agent->phase](step);
}

/* True while nothing can be decided: something is under way, or its time has not come. */
static bool is_held(struct agent_step *step) {
        struct reboot_agent *agent = step->agent;

        if (agent->pending || agent->reading != REBOOT_READ_NOTHING)
                return true;
        if (!agent->is_waiting)
                return false;
        if (step->now->mono.ns < agent->wake.ns) {
                step->turn->has_wake = true;
                step->turn->wake = agent->wake;
                return true;
        }
        agent->is_waiting = false;
        agent_forget(agent, agent->wake_scope);
        return false;
}

void reboot_agent_step(struct reboot_agent *agent, const struct reboot_now *now,
                       struct action_list *out, struct reboot_turn *ret_turn) {
        struct agent_step step = { agent, agent->config, now, out, ret_turn };

        *ret_turn = (struct reboot_turn){ 0 };
        if (is_held(&step))
                return;
        send_due_notice(&step);
        if (agent->may_reboot) {
                order_reboot(&step);
                if (agent->pending)
                        return;
        }
        if (agent->must_pause) {
                agent->must_pause = false;
                agent_wait(&step, error_delay(agent->errors),
                           agent->is_taint_skipped ? SCOPE_NODE : SCOPE_ALL);
                return;
        }
        decide(&step);
        if (agent->is_waiting)
                agent->errors = 0; /* everything that was needed went well */
}

void reboot_agent_stats(const struct reboot_agent *agent, const struct reboot_now *now,
                        struct reboot_agent_stats *ret_stats) {
        const struct reboot_record *record = &agent->node.record;

        *ret_stats = agent->stats;
        ret_stats->phase = record->phase;
        ret_stats->reason = record->reason;
        if (record->phase > REBOOT_IDLE && record->phase < REBOOT_DRAINING &&
            wall_time_is_set(record->taint_since) && now->wall.ns > record->taint_since.ns)
                ret_stats->taint_wait_ns = now->wall.ns - record->taint_since.ns;
}
