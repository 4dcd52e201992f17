/* Phases before the cordon: nothing is required, a reboot is wanted, the lock was claimed. */
#include "reboot/reboot_agent_priv.h"

#include <assert.h>
#include <stdio.h>

/* A lock of ours without a record: kured left it, or the record went with an earlier Node of the
 * name.  Taken for a reboot that is over, as kured does, and undone through RELEASING. */
static void recover_legacy(struct agent_step *step) {
        struct reboot_agent *agent = step->agent;
        const struct lock_owner *own = reboot_lock_find(&agent->lock, step->config->node);
        bool uncordons = !own->was_cordoned && agent->node.is_cordoned;
        struct node_change change = {
                .cordon = uncordons ? MARK_CLEAR : MARK_KEEP,
                .taint = agent->node.has_taint ? MARK_CLEAR : MARK_KEEP,
                .labels = own->was_cordoned ? (struct label_list){ 0 } : step->config->post_labels,
                .in_progress =
                        agent->node.has_in_progress && !agent->is_required ? MARK_CLEAR : MARK_KEEP,
        };
        struct reboot_record record = { .phase = REBOOT_RELEASING,
                                        .need_since = WALL_TIME_UNSET,
                                        .taint_since = WALL_TIME_UNSET,
                                        .not_before = WALL_TIME_UNSET,
                                        .claimed = WALL_TIME_UNSET };

        if (uncordons)
                agent->notice = &step->config->uncordon_message;
        agent_patch_node(step, &change, &record);
}

/* True when it ended the step: this process does not know yet whether an old lock is ours. */
static bool looks_for_old_lock(struct agent_step *step) {
        struct reboot_agent *agent = step->agent;

        if (agent->lock_checked &&
            !agent_has_passed(step, agent->lock_checked_at, AGENT_RECHECK_NS, NULL))
                return false;
        if (!agent_needs(step, REBOOT_READ_LOCK))
                return true;
        if (!agent->lock_is_missing && !agent->lock_is_broken &&
            reboot_lock_find(&agent->lock, step->config->node)) {
                recover_legacy(step);
                return true;
        }
        agent->lock_checked = true;
        agent->lock_checked_at = step->now->mono;
        return false;
}

static bool wants_taint(const struct agent_step *step, bool is_queued) {
        if (step->config->taint_key.len == 0 || step->agent->node.has_taint ||
            step->agent->is_taint_skipped ||
            (step->config->taint_ahead > 0 &&
             step->agent->waiting_before >= step->config->taint_ahead))
                return false;
        return is_queued || !step->config->is_late_taint;
}

/* With a limit on tainted nodes the others that wait have to be known.  False: the reading was
 * asked for, and the step ends. */
static bool knows_rank(struct agent_step *step) {
        return step->config->taint_ahead == 0 || step->config->taint_key.len == 0 ||
               step->agent->node.has_taint || agent_needs(step, REBOOT_READ_PEERS);
}

static void enter_wanted(struct agent_step *step) {
        struct reboot_agent *agent = step->agent;
        bool taints = wants_taint(step, false);
        bool annotates = step->config->annotates && !agent->node.has_in_progress;
        struct node_change change = { .taint = taints ? MARK_SET : MARK_KEEP,
                                      .in_progress = annotates ? MARK_SET : MARK_KEEP,
                                      .sets_most_recent = annotates };
        struct reboot_record record = {
                .phase = REBOOT_WANTED,
                .need_since = step->now->wall,
                .taint_since = taints || agent->node.has_taint ? step->now->wall : WALL_TIME_UNSET,
                .not_before = WALL_TIME_UNSET,
                .claimed = WALL_TIME_UNSET,
        };

        agent_patch_node(step, &change, &record);
}

/* No trace is left of a need that is over, or that waits for its window. */
static void leave_clean(struct agent_step *step) {
        struct reboot_agent *agent = step->agent;
        struct node_change change = {
                .taint = agent->node.has_taint && !agent->is_taint_skipped ? MARK_CLEAR : MARK_KEEP,
                .in_progress = agent->node.has_in_progress && !agent_is_required(step) &&
                                               step->config->annotates
                                       ? MARK_CLEAR
                                       : MARK_KEEP,
        };
        const struct reboot_record none = { 0 };

        if (change.taint == MARK_KEEP && change.in_progress == MARK_KEEP &&
            agent->node.record.phase == REBOOT_IDLE)
                agent_wait(step, step->config->period_ns, SCOPE_ALL);
        else
                agent_patch_node(step, &change, &none);
}

void agent_idle(struct agent_step *step) {
        if (looks_for_old_lock(step))
                return;
        if (!agent_is_due(step, step->config->taint_lead_ns))
                leave_clean(step);
        else if (knows_rank(step))
                enter_wanted(step);
}

/* The period, or what is left of a pause. */
static int64_t hold_time(const struct agent_step *step) {
        const struct reboot_record *record = &step->agent->node.record;
        int64_t left_ns = wall_time_is_set(record->not_before)
                                  ? record->not_before.ns - step->now->wall.ns
                                  : 0;

        return left_ns > 0 && left_ns < step->config->period_ns ? left_ns : step->config->period_ns;
}

/* Stays where it is for a while; what it waits for is written down when that changed. */
static void reboot_agent_before_hold(struct agent_step *step, enum reboot_phase phase,
                                     struct slice reason) {
        struct reboot_agent *agent = step->agent;
        struct reboot_record record = agent->node.record;
        struct node_change change = { 0 };

        if (wants_taint(step, phase == REBOOT_QUEUED)) {
                change.taint = MARK_SET;
                if (!wall_time_is_set(record.taint_since))
                        record.taint_since = step->now->wall;
        }
        if (change.taint == MARK_KEEP && !agent->node.has_former_taint && record.phase == phase &&
            slice_eq(record.reason, reason)) {
                agent_wait(step, hold_time(step), SCOPE_ALL);
                return;
        }
        record.phase = phase;
        record.reason = reason;
        agent_patch_node(step, &change, &record);
}

/* An order among equals holds for a while only: the node before may never reboot. */
static struct slice fleet_reason(struct agent_step *step) {
        struct reboot_agent *agent = step->agent;
        bool waits = agent->fleet.reason.len > 0 && agent->fleet.is_courtesy;

        if (!waits)
                agent->courteous_since.ns = 0;
        else if (agent->courteous_since.ns == 0)
                agent->courteous_since = step->now->mono;
        else if (agent_has_passed(step, agent->courteous_since,
                                  AGENT_COURTESY_PERIODS * step->config->period_ns, NULL))
                return SLICE_EMPTY;
        return agent->fleet.reason;
}

/* Pods and alerts, except for a reboot asked for by name; then the other nodes. */
static bool find_outer_obstacle(struct agent_step *step, struct slice *ret_reason) {
        if (!step->agent->node.is_forced) {
                if (!agent_needs(step, REBOOT_READ_BLOCKERS))
                        return false;
                *ret_reason = step->agent->blocker;
                if (step->agent->blocking_pod.name.len > 0)
                        agent_await(step, step->agent->blocking_pod);
                if (ret_reason->len > 0)
                        return true;
        }
        if (!fleet_rules_ask(&step->config->fleet))
                return true;
        if (!agent_needs(step, REBOOT_READ_PEERS))
                return false;
        *ret_reason = fleet_reason(step);
        return true;
}

/* What is left of a pause cannot be more; if it seems so, the clock was set back. */
static int64_t longest_backoff(const struct agent_step *step) {
        uint32_t attempt = step->agent->node.record.attempt;

        return attempt > 0 ? agent_backoff_end(step, attempt).ns - step->now->wall.ns : 0;
}

/* "backing off after a failure: the drain timed out" */
static struct slice with_failure(struct agent_step *step, const char *text) {
        struct slice failure = step->agent->node.record.failure;

        return slice_of(arena_printf(&step->agent->text_arena, "%s%s" SLICE_FMT, text,
                                     failure.len ? ": " : "", SLICE_ARG(failure)));
}

/* The reason for not even asking for the lock; "" = none.  False: a reading is needed first. */
static bool find_obstacle(struct agent_step *step, struct slice *ret_reason) {
        const struct reboot_record *record = &step->agent->node.record;
        const struct reboot_config *config = step->config;
        int64_t left_ns = wall_time_is_set(record->not_before)
                                  ? record->not_before.ns - step->now->wall.ns
                                  : 0;

        *ret_reason = SLICE_EMPTY;
        if (config->attempts_max && record->attempt >= config->attempts_max)
                *ret_reason = with_failure(step, arena_printf(&step->agent->text_arena,
                                                              "gave up after %u attempts",
                                                              record->attempt));
        else if (step->agent->node.is_held)
                *ret_reason = SLICE_LITERAL("held by annotation " REBOOT_HOLD_ANNOTATION);
        else if (left_ns > 0 && left_ns <= longest_backoff(step))
                *ret_reason = with_failure(step, "backing off after a failure");
        else if (!agent_is_due(step, 0))
                *ret_reason = SLICE_LITERAL("the window is about to open");
        if (ret_reason->len > 0)
                return true;
        return find_outer_obstacle(step, ret_reason);
}

/* A holder whose Node has been missing for long enough; "" when there is none.  False: a reading is
 * needed first. */
static bool find_gone_holder(struct agent_step *step, struct slice *ret_gone) {
        struct reboot_agent *agent = step->agent;
        const struct lock_owner *owner = NULL;

        *ret_gone = SLICE_EMPTY;
        for (size_t i = 0; i < agent->lock.count && !owner; i++)
                if (wall_time_is_set(agent->lock.owners[i].created) &&
                    !lock_owner_is_expired(&agent->lock.owners[i], step->now->wall))
                        owner = &agent->lock.owners[i];
        if (!owner || owner->node.len == 0 || owner->node.len > AGENT_NAME_MAX)
                return true;
        if (!slice_is(owner->node, agent->holder)) {
                snprintf(agent->holder, sizeof(agent->holder), SLICE_FMT, SLICE_ARG(owner->node));
                agent->knows_holder = agent->holder_was_gone = false;
        }
        if (!agent_needs(step, REBOOT_READ_HOLDER))
                return false;
        if (!agent->holder_is_gone || !agent->holder_was_gone)
                agent->holder_gone_since = step->now->mono;
        agent->holder_was_gone = agent->holder_is_gone;
        if (agent->holder_is_gone &&
            agent_has_passed(step, agent->holder_gone_since, AGENT_HOLDER_GONE_NS, NULL))
                *ret_gone = slice_of(agent->holder);
        return true;
}

static void record_taking(struct agent_step *step, struct slice gone) {
        char note[AGENT_NAME_MAX + 64];

        snprintf(note, sizeof(note), "the lock's holder " SLICE_FMT " has had no Node for a while",
                 SLICE_ARG(gone));
        agent_record_event(step, "RebootLockTaken", slice_of(note));
}

/* What no drain would ever get past; "" = nothing. */
static struct slice drain_obstacle(const struct agent_step *step) {
        bool passes_budgets = step->config->forces || step->config->drain_escalation_ns > 0 ||
                              step->agent->lacks_eviction;

        return passes_budgets ? SLICE_EMPTY : step->agent->impossible;
}

static void await_deadlock(struct agent_step *step) {
        const struct drain_deadlock *deadlock = &step->agent->deadlock;

        agent_await(step, (struct object_ref){ .kind = SLICE_LITERAL("PodDisruptionBudget"),
                                               .ns = deadlock->ns,
                                               .name = deadlock->budget });
        agent_await(step, (struct object_ref){ .kind = SLICE_LITERAL("Pod"),
                                               .ns = deadlock->ns,
                                               .name = deadlock->pod });
}

/* A drain that cannot end is not begun, and keeps the lock from nobody.  True: it ended the step.
 */
static bool is_stopped_by_drain(struct agent_step *step) {
        if (!agent_needs(step, REBOOT_READ_PODS))
                return true;
        if (drain_obstacle(step).len == 0)
                return false;
        await_deadlock(step);
        reboot_agent_before_hold(step, REBOOT_BLOCKED, drain_obstacle(step));
        return true;
}

static void queue_up(struct agent_step *step) {
        struct reboot_agent *agent = step->agent;
        struct slice gone = SLICE_EMPTY;
        bool is_free;

        if (agent_lock_is_free(step) && is_stopped_by_drain(step))
                return;
        agent_take_lock(step, gone, &is_free);
        if (is_free)
                return;
        if (!agent->lock_is_missing && !agent->lock_is_broken) {
                if (!find_gone_holder(step, &gone))
                        return;
                if (gone.len > 0)
                        agent_take_lock(step, gone, &is_free);
                if (is_free) {
                        record_taking(step, gone);
                        return;
                }
        }
        agent_await(step, (struct object_ref){ .kind = step->config->lock_kind,
                                               .ns = step->config->lock_ns,
                                               .name = step->config->lock_name });
        reboot_agent_before_hold(step, REBOOT_QUEUED, agent_lock_state(step));
}

static void reboot_agent_before_claim(struct agent_step *step) {
        struct reboot_record record = step->agent->node.record;
        struct node_change change = { .labels = step->config->pre_labels };

        record.phase = REBOOT_CLAIMED;
        record.claimed = step->now->wall;
        record.reason = SLICE_EMPTY;
        agent_patch_node(step, &change, &record);
}

/* WANTED, BLOCKED and QUEUED: the lock may turn out to be ours already after a crash. */
void agent_wanted(struct agent_step *step) {
        struct reboot_agent *agent = step->agent;
        bool is_due = agent_is_due(step, step->config->taint_lead_ns);
        struct slice obstacle;

        if (!agent->lock_checked && !agent_needs(step, REBOOT_READ_LOCK))
                return;
        if (!agent->lock_checked && agent_holds_lock(step)) {
                if (is_due)
                        reboot_agent_before_claim(step);
                else
                        agent_rollback(step, SLICE_LITERAL("no longer due"), false);
                return;
        }
        if (!is_due) {
                leave_clean(step);
                return;
        }
        if (!knows_rank(step))
                return;
        if (wants_taint(step, false)) { /* another client removed it, or it could not be set */
                reboot_agent_before_hold(step, agent->node.record.phase, agent->node.record.reason);
                return;
        }
        if (!find_obstacle(step, &obstacle))
                return;
        if (obstacle.len > 0) {
                if (agent->wait_count == 0)
                        agent_await(step, (struct object_ref){ .kind = SLICE_LITERAL("Node"),
                                                               .name = step->config->node });
                reboot_agent_before_hold(step, REBOOT_BLOCKED, obstacle);
                return;
        }
        if (!agent_needs(step, REBOOT_READ_LOCK))
                return;
        agent->lock_checked = false; /* from the write on it may be ours */
        if (agent_holds_lock(step))
                reboot_agent_before_claim(step);
        else
                queue_up(step);
}

static bool is_still_wanted(struct agent_step *step, struct slice *ret_reason) {
        if (!agent_is_due(step, 0)) {
                *ret_reason = SLICE_LITERAL("no longer due");
                return false;
        }
        if (!agent_holds_lock(step)) {
                *ret_reason = agent_lock_loss(step);
                return false;
        }
        *ret_reason = step->agent->node.is_forced ? SLICE_EMPTY : step->agent->blocker;
        if (ret_reason->len == 0 && step->config->fleet.caps_not_ready)
                *ret_reason = step->agent->cap_reason;
        return ret_reason->len == 0;
}

static void reboot_agent_before_cordon(struct agent_step *step) {
        struct reboot_agent *agent = step->agent;
        struct reboot_record record = agent->node.record;
        struct node_change change = { .cordon = agent->node.is_cordoned ? MARK_KEEP : MARK_SET };

        assert(record.phase == REBOOT_CLAIMED);
        assert(agent->knows_lock && agent_holds_lock(step)); /* I1 */
        assert(agent->knows_pods && agent->knows_blockers && agent_is_due(step, 0));

        record.phase = REBOOT_DRAINING;
        record.boot_id = slice_of(agent->boot_id);
        record.is_cordoned_by_us = !agent->node.is_cordoned;
        record.reason = SLICE_EMPTY;
        agent->notice = &step->config->drain_message;
        agent_patch_node(step, &change, &record);
}

void agent_claimed(struct agent_step *step) {
        struct slice reason;
        int64_t left_ns;

        if (!agent_has_passed(step, step->agent->phase_since, step->config->drain_delay_ns,
                              &left_ns)) {
                agent_wait(step, left_ns, SCOPE_ALL);
                return;
        }
        if (!agent_needs(step, REBOOT_READ_BLOCKERS) || !agent_needs(step, REBOOT_READ_PODS) ||
            !agent_needs(step, REBOOT_READ_LOCK))
                return;
        if (step->config->fleet.caps_not_ready && !agent_needs(step, REBOOT_READ_PEERS))
                return;
        if (!is_still_wanted(step, &reason))
                agent_rollback(step, reason, false);
        else if (drain_obstacle(step).len > 0)
                agent_rollback(step, drain_obstacle(step), false);
        else if (!agent_renews_lock(step))
                reboot_agent_before_cordon(step);
}
