/* Phases from the cordon on: draining, rebooting, coming back, giving the lock up. */
#include "reboot/reboot_agent_priv.h"

#include <assert.h>

/* Deleting passes over budgets: for clusters without evictions, and where somebody asked for it. */
static bool deletes_pods(const struct agent_step *step) {
        int64_t escalation_ns = step->config->drain_escalation_ns;

        return step->agent->lacks_eviction ||
               (escalation_ns > 0 &&
                agent_has_passed(step, step->agent->phase_since, escalation_ns, NULL));
}

static struct drain_rules rules_of(const struct agent_step *step) {
        return (struct drain_rules){ &step->config->drain_selector,
                                     step->config->skip_wait_for_delete_s, deletes_pods(step) };
}

static size_t count_left(const struct agent_step *step) {
        const struct drain_pods *pods = &step->agent->pods;
        struct drain_rules rules = rules_of(step);
        size_t left = 0;

        for (size_t i = 0; i < pods->count; i++)
                left += drain_judge(&pods->items[i], &rules, step->now->wall) != DRAIN_KEEP;
        return left;
}

/* Whether the last pod has gone: a copy of the cluster may be behind a pod that came just before
 * the cordon, so then they are listed.  False: a reading is needed first. */
static bool knows_pods_for_good(struct agent_step *step) {
        struct reboot_agent *agent = step->agent;

        if (!agent_needs(step, REBOOT_READ_PODS))
                return false;
        if (!agent->pods_are_copy || count_left(step) > 0)
                return true;
        agent->wants_last_look = true;
        agent->knows_pods = false;
        return agent_needs(step, REBOOT_READ_PODS);
}

static void evict_all(struct agent_step *step) {
        const struct evict_sink *sink = step->agent->sink;
        const struct drain_pods *pods = &step->agent->pods;
        struct drain_rules rules = rules_of(step);
        struct slice requester = SLICE_LITERAL("kured");
        enum evict_way way = deletes_pods(step) ? EVICT_WAY_DELETE : EVICT_WAY_EVICT;

        assert(step->agent->node.is_cordoned && agent_holds_lock(step));
        sink->begin_pass(sink->context, &(struct evict_pass){ .now = step->now->wall });
        for (size_t i = 0; i < pods->count; i++) {
                const struct drain_pod *pod = &pods->items[i];

                if (drain_judge(pod, &rules, step->now->wall) != DRAIN_EVICT)
                        continue;
                sink->ask(sink->context,
                          &(struct evict_intent){
                                  .pod = { SLICE_LITERAL("Pod"), pod->ns, pod->name, pod->uid },
                                  .node = step->config->node,
                                  .plugin = SLICE_LITERAL("drain"),
                                  .profile = requester,
                                  .reason = SLICE_LITERAL("the node is going to reboot"),
                                  .requested_by = requester,
                                  .way = way,
                                  .is_finished = pod->is_finished,
                                  .has_grace = step->config->drain_grace_s >= 0,
                                  .grace_s = step->config->drain_grace_s });
        }
}

/* The same record in another phase, and the cordon if it is to be (again) ours. */
static void move_to(struct agent_step *step, enum reboot_phase phase, bool cordons) {
        struct reboot_record record = step->agent->node.record;
        struct node_change change = { .cordon = cordons ? MARK_SET : MARK_KEEP };

        record.reason = SLICE_EMPTY;
        if (cordons)
                record.is_cordoned_by_us = true;
        if (phase == REBOOT_REBOOTING) {
                assert(record.phase == REBOOT_READY && step->agent->is_final_check);
                assert(agent_holds_lock(step) && step->agent->was_required); /* I1, I5 */
                step->agent->checked = step->now->mono;
        }
        record.phase = phase;
        agent_patch_node(step, &change, &record);
        step->agent->is_order_pending = phase == REBOOT_REBOOTING;
}

/* The lock went away or expired: take it again or give up; never go on without. */
static void regain_lock(struct agent_step *step) {
        bool is_free;

        agent_take_lock(step, SLICE_EMPTY, &is_free);
        if (!is_free)
                agent_rollback(step, agent_lock_loss(step), false);
}

/* What must hold throughout; true when it ended the step. */
static bool lost_ground(struct agent_step *step) {
        if (!agent_is_required(step)) {
                agent_rollback(step, SLICE_LITERAL("no longer required"), false);
                return true;
        }
        if (!agent_needs(step, REBOOT_READ_LOCK))
                return true;
        if (!agent_holds_lock(step)) {
                regain_lock(step);
                return true;
        }
        return agent_renews_lock(step);
}

static bool drain_is_late(const struct agent_step *step) {
        return step->config->drain_timeout_ns > 0 &&
               agent_has_passed(step, step->agent->phase_since, step->config->drain_timeout_ns,
                                NULL);
}

static struct slice what_is_left(struct agent_step *step) {
        struct reboot_agent *agent = step->agent;
        struct drain_rules rules = rules_of(step);

        return drain_left(&agent->pods, &rules, &agent->refusal, step->now->wall,
                          &agent->text_arena);
}

/* A drain that takes long says for what it waits.  True: it ended the step. */
static bool reports_slow_drain(struct agent_step *step) {
        struct reboot_agent *agent = step->agent;
        struct reboot_record record = agent->node.record;
        struct node_change change = { 0 };

        if (!agent_has_passed(step, agent->phase_since, AGENT_SLOW_DRAIN_NS, NULL) ||
            !agent_has_passed(step, agent->reported, AGENT_REFRESH_NS, NULL))
                return false;
        agent->reported = step->now->mono;
        record.reason = what_is_left(step);
        if (slice_eq(record.reason, agent->node.record.reason))
                return false;
        agent_patch_node(step, &change, &record);
        return true;
}

static void give_up_drain(struct agent_step *step) {
        struct slice left = what_is_left(step);

        agent_rollback(step,
                       slice_of(arena_printf(&step->agent->text_arena,
                                             "the drain timed out: " SLICE_FMT, SLICE_ARG(left))),
                       true);
}

static void wait_for_pods(struct agent_step *step) {
        struct reboot_agent *agent = step->agent;
        bool is_stale = agent_has_passed(step, agent->refreshed, AGENT_REFRESH_NS, NULL);

        if (is_stale)
                agent->refreshed = step->now->mono;
        agent_wait(step, AGENT_POLL_NS, is_stale ? SCOPE_ALL : SCOPE_PODS);
}

void agent_draining(struct agent_step *step) {
        struct reboot_agent *agent = step->agent;

        if (lost_ground(step))
                return;
        if (!agent->node.is_cordoned) {
                move_to(step, REBOOT_DRAINING, true);
                return;
        }
        if (!knows_pods_for_good(step))
                return;
        if (count_left(step) == 0) {
                move_to(step, REBOOT_READY, false);
        } else if (drain_is_late(step)) {
                if (step->config->forces)
                        move_to(step, REBOOT_READY, false);
                else
                        give_up_drain(step);
        } else if (!reports_slow_drain(step)) {
                if (agent->next_evict.ns <= step->now->mono.ns) {
                        agent->next_evict.ns = step->now->mono.ns + AGENT_EVICT_NS;
                        evict_all(step);
                }
                wait_for_pods(step);
        }
}

/* The delay, cut into parts short enough to keep the lock alive. */
static bool delays_reboot(struct agent_step *step) {
        const struct reboot_config *config = step->config;
        int64_t left_ns;

        if (agent_has_passed(step, step->agent->phase_since, config->reboot_delay_ns, &left_ns))
                return false;
        if (config->lock_ttl_ns > 0 && left_ns > config->lock_ttl_ns / 4)
                left_ns = config->lock_ttl_ns / 4;
        if (!lost_ground(step))
                agent_wait(step, left_ns, SCOPE_ALL);
        return true;
}

void agent_ready(struct agent_step *step) {
        struct reboot_agent *agent = step->agent;

        if (delays_reboot(step))
                return;
        if (!agent->is_final_check) { /* nothing read before the delay counts */
                agent->is_final_check = true;
                agent_forget(agent, SCOPE_ALL);
                if (!agent_needs(step, REBOOT_READ_SENTINEL))
                        return;
        }
        if (lost_ground(step) || !knows_pods_for_good(step))
                return;
        if (!step->config->forces && (!agent->node.is_cordoned || count_left(step) > 0))
                move_to(step, REBOOT_DRAINING, !agent->node.is_cordoned);
        else
                move_to(step, REBOOT_REBOOTING, false);
}

/* The order was given, by this process or one before it: the same boot never gets it twice. */
void agent_rebooting(struct agent_step *step) {
        struct reboot_agent *agent = step->agent;
        int64_t left_ns;

        if (agent->reboot_failed) {
                agent_rollback(step,
                               slice_of(arena_printf(
                                       &agent->text_arena, "the reboot could not be ordered%s%s",
                                       agent->reboot_error[0] ? ": " : "", agent->reboot_error)),
                               true);
                return;
        }
        if (agent_has_passed(step, agent->phase_since, step->config->reboot_timeout_ns, &left_ns)) {
                agent_rollback(step, SLICE_LITERAL("the host did not go down in time"), true);
                return;
        }
        if (!agent_needs(step, REBOOT_READ_LOCK) || agent_renews_lock(step))
                return;
        agent_wait(step, left_ns < AGENT_REFRESH_NS ? left_ns : AGENT_REFRESH_NS, SCOPE_ALL);
}

/* The kubelet must have spoken in this boot, say Ready, and go on doing so for a while. */
static bool is_settled(struct agent_step *step) {
        struct reboot_agent *agent = step->agent;
        const struct reboot_record *record = &agent->node.record;
        bool is_up = agent->node.is_ready && (agent->node.boot_id.len == 0 ||
                                              !slice_eq(agent->node.boot_id, record->boot_id));

        if (is_up && !agent->was_ready)
                agent->ready_since = step->now->mono;
        agent->was_ready = is_up;
        return is_up && agent_has_passed(step, agent->ready_since, step->config->settle_ns, NULL);
}

static void come_back(struct agent_step *step) {
        struct reboot_agent *agent = step->agent;
        struct reboot_record record = agent->node.record;
        struct node_change change = {
                .cordon = record.is_cordoned_by_us && agent->node.is_cordoned ? MARK_CLEAR
                                                                              : MARK_KEEP,
                .taint = agent->node.has_taint ? MARK_CLEAR : MARK_KEEP,
                .labels = step->config->post_labels,
                .drops_force = agent->node.is_forced,
                .in_progress =
                        agent->node.has_in_progress && !agent->is_required ? MARK_CLEAR : MARK_KEEP,
        };

        agent->was_ready = false;
        record.attempt = agent->is_required ? record.attempt + 1 : 0;
        record.failure = agent->is_required
                                 ? SLICE_LITERAL("the host was rebooted, and its sentinel "
                                                 "still asks for a reboot")
                                 : SLICE_EMPTY;
        record.not_before = agent_backoff_end(step, record.attempt);
        record.phase = REBOOT_RELEASING;
        record.is_cordoned_by_us = false;
        record.boot_id = record.reason = SLICE_EMPTY;
        record.taint_since = WALL_TIME_UNSET;
        if (wall_time_is_set(record.claimed) && step->now->wall.ns > record.claimed.ns)
                change.took_ns = step->now->wall.ns - record.claimed.ns;
        record.claimed = WALL_TIME_UNSET;
        agent->notice = &step->config->uncordon_message;
        agent_patch_node(step, &change, &record);
}

/* False: a reading was asked for.  While something is wrong the lock is held, however long that
 * takes; the record and an event for each change say what it is. */
static bool sees_health(struct agent_step *step, bool *ret_is_well) {
        struct reboot_agent *agent = step->agent;
        struct reboot_record record = agent->node.record;
        struct node_change change = { 0 };

        if (!agent_needs(step, REBOOT_READ_HEALTH))
                return false;
        *ret_is_well = agent->ill.len == 0;
        if (*ret_is_well)
                return true;
        if (step->config->lock_ttl_ns > 0 &&
            (!agent_needs(step, REBOOT_READ_LOCK) || agent_renews_lock(step)))
                return true;
        if (slice_eq(record.reason, agent->ill)) {
                agent_wait(step, 5 * AGENT_POLL_NS, SCOPE_ALL);
                return true;
        }
        agent_record_event(step, "RebootNotWell", agent->ill);
        record.reason = agent->ill;
        agent_patch_node(step, &change, &record);
        return true;
}

/* A new boot.  The node comes back whatever became of the lock, which is only renewed here. */
void agent_settling(struct agent_step *step) {
        bool is_well;

        if (!is_settled(step)) {
                if (step->config->lock_ttl_ns > 0 &&
                    (!agent_needs(step, REBOOT_READ_LOCK) || agent_renews_lock(step)))
                        return;
                agent_wait(step, 5 * AGENT_POLL_NS, SCOPE_ALL);
                return;
        }
        if (step->config->checks_health && (!sees_health(step, &is_well) || !is_well))
                return;
        come_back(step);
}

/* The lock is gone: back to the queue if there still is a need, else nothing is left behind. */
static void reboot_agent_after_finish(struct agent_step *step) {
        struct reboot_agent *agent = step->agent;
        struct reboot_record record = agent->node.record;
        bool is_due = agent_is_due(step, step->config->taint_lead_ns);
        struct node_change change = { .taint = agent->node.has_taint && !is_due ? MARK_CLEAR
                                                                                : MARK_KEEP };

        agent->lock_checked = true;
        agent->lock_checked_at = step->now->mono;
        if (!is_due)
                record = (struct reboot_record){ 0 };
        else
                record.phase = REBOOT_WANTED;
        agent_patch_node(step, &change, &record);
}

void agent_releasing(struct agent_step *step) {
        struct reboot_agent *agent = step->agent;
        bool delays = agent->phase == REBOOT_RELEASING;
        struct reboot_lock left;
        int64_t left_ns;
        bool is_well;

        if (delays && step->config->checks_health && (!sees_health(step, &is_well) || !is_well))
                return;
        if (delays && !agent_has_passed(step, agent->phase_since,
                                        step->config->lock_release_delay_ns, &left_ns)) {
                agent_wait(step, left_ns, SCOPE_ALL);
                return;
        }
        if (!agent_needs(step, REBOOT_READ_LOCK))
                return;
        if (agent->lock_is_missing || agent->lock_is_broken ||
            !reboot_lock_find(&agent->lock, step->config->node)) {
                reboot_agent_after_finish(step);
                return;
        }
        /* Another agent of this node may have gone on meanwhile: the phase counts only if it was
         * read after the entry, which it cannot leave behind. */
        if (!agent->node_is_newer) {
                agent->knows_node = false;
                agent_needs(step, REBOOT_READ_NODE);
                return;
        }
        reboot_lock_drop(&agent->lock, step->config->node, &agent->lock_arena, &left);
        agent_put_lock(step, &left);
}
