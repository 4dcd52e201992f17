/* Life, results and steps of the agent; readings, ends of steps and phases are in files of their
 * own. */
#include "reboot/reboot_agent.h"

#include "base/util.h"
#include "reboot/reboot_agent_priv.h"
#include <assert.h>
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
                                         &agent->peers_arena,   &agent->health_arena,
                                         &agent->text_arena,    &agent->refusal_arena,
                                         &agent->wait_arena };

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
        arena_release(&agent->text_arena);
        arena_release(&agent->refusal_arena);
        arena_release(&agent->wait_arena);
        free(agent->boot_id);
        free(agent);
}

/* ---- results ---- */

static void patch_succeeded(struct reboot_agent *agent) {
        agent->awaits_effect = true;
        if (agent->pending_kind == ACTION_PATCH_OBJECT) {
                agent->knows_lock = false;
                return;
        }
        agent_forget(agent, SCOPE_NODE);
        agent->is_notice_due = agent->notice;
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
        if (code != BERTH_ERR_CONFLICT)
                agent_note_trouble(agent,
                                   agent->pending_kind == ACTION_PATCH_OBJECT
                                           ? "the lock cannot be written"
                                           : "the node cannot be written",
                                   code);
        agent->stats.conflicts += code == BERTH_ERR_CONFLICT;
        agent->stats.errors += code != BERTH_ERR_CONFLICT;
        agent->stats.taint_failures += is_taint;
        agent->is_taint_skipped = is_taint; /* a hint must not hold up the rest */
}

static void take_order(struct reboot_agent *agent, const struct action_result *result) {
        agent->reboot_failed = result->code != BERTH_OK;
        snprintf(agent->reboot_error, sizeof(agent->reboot_error), SLICE_FMT,
                 SLICE_ARG(result->text));
}

bool reboot_agent_result(struct reboot_agent *agent, const struct action_result *result) {
        if (agent->pending == 0 || result->id != agent->pending)
                return false;
        agent->pending = 0;
        if (agent->pending_kind == ACTION_REBOOT)
                take_order(agent, result);
        else if (result->code == BERTH_OK)
                patch_succeeded(agent);
        else
                patch_failed(agent, result->code);
        return true;
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
                snprintf(agent->reboot_error, sizeof(agent->reboot_error),
                         "the last look at the node is too long ago");
                return;
        }
        assert(agent->pending_phase == REBOOT_REBOOTING && !agent->pending);
        agent->stats.reboots++;
        agent_notify(step, step->config->reboot_message);
        agent_act(step, &(struct action){ .kind = ACTION_REBOOT,
                                          .target = { .kind = SLICE_LITERAL("Node"),
                                                      .name = step->config->node } });
}

static bool is_other_boot(const struct reboot_agent *agent) {
        const struct reboot_record *record = &agent->node.record;

        return record->phase >= REBOOT_DRAINING && record->phase <= REBOOT_REBOOTING &&
               !slice_is(record->boot_id, agent->boot_id);
}

/* What fails again and again is the reason for waiting.  True: it ended the step. */
static bool reports_trouble(struct agent_step *step) {
        struct reboot_agent *agent = step->agent;
        struct reboot_record record = agent->node.record;
        struct node_change change = { 0 };

        if (agent->errors < AGENT_TROUBLE_ERRORS || !agent->trouble[0] ||
            record.phase == REBOOT_IDLE || record.phase > REBOOT_READY ||
            slice_is(record.reason, agent->trouble))
                return false;
        record.reason = slice_of(agent->trouble);
        agent_patch_node(step, &change, &record);
        return true;
}

static void enter_phase(struct agent_step *step) {
        struct reboot_agent *agent = step->agent;
        const struct evict_sink *sink = agent->sink;

        agent->phase = agent->node.record.phase;
        agent->phase_since = step->now->mono;
        agent->next_evict = step->now->mono;
        agent->is_final_check = false;
        agent->reported = step->now->mono;
        agent->refusal = (struct drain_refusal){ 0 };
        /* What the drain asked for and did not get is not wanted any more. */
        if (agent->phase == REBOOT_ROLLBACK ||
            (agent->phase == REBOOT_REBOOTING && step->config->forces))
                sink->begin_pass(sink->context,
                                 &(struct evict_pass){ .now = step->now->wall, .withdraws = true });
}

/* What holds before any phase decides. */
static void check_invariants(const struct agent_step *step) {
        const struct reboot_agent *agent = step->agent;
        const struct reboot_record *record = &agent->node.record;

        assert(agent->knows_sentinel && agent->knows_node && !agent->node_is_gone);
        assert(record->phase < REBOOT_PHASE_COUNT && agent->phase == record->phase);
        assert(!agent->pending && agent->reading == REBOOT_READ_NOTHING && !agent->is_waiting);
        assert(!agent->may_reboot);
        /* I5: whoever sees a need has seen it itself. */
        assert(agent->was_required || !(agent->is_required || agent->node.is_forced));
}

static void reboot_agent_decide(struct agent_step *step) {
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
        if (agent->node.record.phase != agent->phase)
                enter_phase(step);
        check_invariants(step);
        agent->stats.is_settling = is_other_boot(agent);
        if (agent->stats.is_settling)
                agent_settling(step);
        else if (!reports_trouble(step))
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
                step->next->has_wake = true;
                step->next->wake = agent->wake;
                return true;
        }
        agent->is_waiting = false;
        agent_forget(agent, agent->wake_scope);
        return false;
}

void reboot_agent_step(struct reboot_agent *agent, const struct reboot_now *now,
                       struct action_list *out, struct reboot_next *ret_next) {
        struct agent_step step = { agent, agent->config, now, out, ret_next };

        *ret_next = (struct reboot_next){ 0 };
        arena_clear(&agent->text_arena);
        if (is_held(&step))
                return;
        arena_clear(&agent->wait_arena);
        agent->wait_count = 0;
        send_due_notice(&step);
        if (agent->must_pause) {
                agent->must_pause = false;
                agent_wait(&step, error_delay(agent->errors),
                           agent->is_taint_skipped ? SCOPE_NODE : SCOPE_ALL);
                return;
        }
        if (agent->may_reboot) { /* once the record is stored for sure */
                if (!agent_needs(&step, REBOOT_READ_NODE))
                        return;
                order_reboot(&step);
                if (agent->pending)
                        return;
        }
        reboot_agent_decide(&step);
        if (agent->is_waiting) { /* everything that was needed went well */
                agent->errors = 0;
                agent->trouble[0] = '\0';
        }
}

void reboot_agent_stats(const struct reboot_agent *agent, const struct reboot_now *now,
                        struct reboot_agent_stats *ret_stats) {
        const struct reboot_record *record = &agent->node.record;

        *ret_stats = agent->stats;
        ret_stats->phase = record->phase;
        ret_stats->reason = agent->trouble[0] ? slice_of(agent->trouble) : record->reason;
        if (record->phase > REBOOT_IDLE && record->phase < REBOOT_DRAINING &&
            wall_time_is_set(record->taint_since) && now->wall.ns > record->taint_since.ns)
                ret_stats->taint_wait_ns = now->wall.ns - record->taint_since.ns;
}
