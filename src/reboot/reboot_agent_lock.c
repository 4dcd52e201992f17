/* What the phases have in common: the lock, time, and giving up. */
#include "reboot/reboot_agent_priv.h"

#include "base/buf.h"

bool agent_has_passed(const struct agent_step *step, struct mono_time since, int64_t delay_ns,
                      int64_t *ret_left_ns) {
        int64_t left_ns = since.ns + delay_ns - step->now->mono.ns;

        if (ret_left_ns)
                *ret_left_ns = left_ns;
        return left_ns <= 0;
}

bool agent_is_required(const struct agent_step *step) {
        const struct node_facts *node = &step->agent->node;

        return (step->agent->is_required || node->is_forced) && !node->is_ignored;
}

bool agent_is_due(const struct agent_step *step, int64_t lead_ns) {
        struct window_calendar calendar = step->config->calendar;

        if (!agent_is_required(step) || step->agent->node.is_forced)
                return agent_is_required(step);
        if (calendar.window_count == 0) {
                calendar.window_count = 1;
                calendar.windows = &step->config->window;
        }
        return window_calendar_opens_within(&calendar, step->now->wall, lead_ns);
}

struct wall_time agent_backoff_end(const struct agent_step *step, uint32_t attempt) {
        int64_t delay_ns = REBOOT_BACKOFF_FIRST_NS;

        if (attempt == 0)
                return WALL_TIME_UNSET;
        for (uint32_t i = 1; i < attempt && delay_ns < REBOOT_BACKOFF_MAX_NS; i++)
                delay_ns *= 2;
        if (delay_ns > REBOOT_BACKOFF_MAX_NS)
                delay_ns = REBOOT_BACKOFF_MAX_NS;
        return (struct wall_time){ step->now->wall.ns + delay_ns };
}

static const struct lock_owner *own_entry(const struct agent_step *step) {
        if (step->agent->lock_is_missing || step->agent->lock_is_broken)
                return NULL;
        return reboot_lock_find(&step->agent->lock, step->config->node);
}

bool agent_holds_lock(const struct agent_step *step) {
        const struct lock_owner *own = own_entry(step);

        return own && !lock_owner_is_expired(own, step->now->wall);
}

static struct lock_claim lock_claim_of(const struct reboot_agent *agent,
                                       const struct reboot_now *now, struct slice gone) {
        const struct reboot_record *record = &agent->node.record;
        return (struct lock_claim){
                .owner = { .node = agent->config->node,
                           .was_cordoned = agent->node.is_cordoned && !record->is_cordoned_by_us,
                           .created = now->wall,
                           .ttl_ns = agent->config->lock_ttl_ns },
                .limit = agent->config->concurrency,
                .gone = gone,
        };
}

bool agent_lock_admits(const struct reboot_agent *agent, const struct reboot_now *now,
                       const struct reboot_lock *lock, struct arena *arena) {
        struct lock_claim claim = lock_claim_of(agent, now, SLICE_EMPTY);
        struct reboot_lock taken;

        return reboot_lock_take(lock, &claim, now->wall, arena, &taken);
}

static bool lock_with_us(const struct agent_step *step, struct slice gone,
                         struct reboot_lock *ret_taken) {
        struct reboot_agent *agent = step->agent;
        struct lock_claim claim = lock_claim_of(agent, step->now, gone);

        return !agent->lock_is_missing && !agent->lock_is_broken &&
               reboot_lock_take(&agent->lock, &claim, step->now->wall, &agent->lock_arena,
                                ret_taken);
}

bool agent_lock_is_free(const struct agent_step *step) {
        struct reboot_lock taken;

        return lock_with_us(step, SLICE_EMPTY, &taken);
}

/* Asks for the write that makes the lock ours, unless others fill it. */
void agent_take_lock(struct agent_step *step, struct slice gone, bool *ret_is_free) {
        struct reboot_lock taken;

        *ret_is_free = lock_with_us(step, gone, &taken);
        if (*ret_is_free)
                agent_put_lock(step, &taken);
}

struct slice agent_lock_state(const struct agent_step *step) {
        const struct reboot_config *config = step->config;
        struct reboot_agent *agent = step->agent;
        CLEANUP(buf_release) struct buf text = { 0 };

        if (agent->lock_is_missing || agent->lock_is_broken) {
                buf_printf(&text, "%s: " SLICE_FMT " " SLICE_FMT "/" SLICE_FMT,
                           agent->lock_is_missing ? "the lock's object does not exist"
                                                  : "the lock cannot be read",
                           SLICE_ARG(config->lock_kind), SLICE_ARG(config->lock_ns),
                           SLICE_ARG(config->lock_name));
                if (agent->lock_is_broken)
                        buf_printf(&text, ": " SLICE_FMT, SLICE_ARG(agent->lock_error));
        } else {
                buf_text(&text, "lock held by ");
                reboot_lock_holders(&agent->lock, config->node, step->now->wall, &text);
        }
        return arena_slice(&agent->text_arena, buf_view(&text));
}

struct slice agent_lock_loss(const struct agent_step *step) {
        struct slice state = agent_lock_state(step);

        if (agent_lock_is_free(step))
                return SLICE_LITERAL("the lock was lost");
        return slice_of(arena_printf(&step->agent->text_arena, "the lock was lost: " SLICE_FMT,
                                     SLICE_ARG(state)));
}

/* A lock that expires is renewed at a third of its life, and when its time lies ahead of ours. */
bool agent_renews_lock(struct agent_step *step) {
        const struct lock_owner *own = own_entry(step);
        bool is_free;

        if (!own || own->ttl_ns <= 0 || lock_owner_is_expired(own, step->now->wall))
                return false;
        int64_t age_ns = step->now->wall.ns - own->created.ns;
        if (age_ns >= 0 && age_ns < own->ttl_ns / 3)
                return false;
        agent_take_lock(step, SLICE_EMPTY, &is_free);
        return is_free;
}

void agent_record_event(struct agent_step *step, const char *reason, struct slice note) {
        action_list_add(step->out,
                        &(struct action){ .kind = ACTION_RECORD_EVENT,
                                          .target = { .kind = SLICE_LITERAL("Node"),
                                                      .name = step->config->node },
                                          .event = { .is_warning = true,
                                                     .reason = slice_of(reason),
                                                     .action = SLICE_LITERAL("Rebooting"),
                                                     .note = note,
                                                     .controller = SLICE_LITERAL("kured") } });
}

void agent_rollback(struct agent_step *step, struct slice reason, bool is_failure) {
        struct reboot_agent *agent = step->agent;
        struct reboot_record record = agent->node.record;
        bool stays_due = agent_is_due(step, step->config->taint_lead_ns);
        struct node_change change = {
                .cordon = record.is_cordoned_by_us && agent->node.is_cordoned ? MARK_CLEAR
                                                                              : MARK_KEEP,
                .taint = agent->node.has_taint && !stays_due ? MARK_CLEAR : MARK_KEEP,
                .labels = step->config->pre_labels.count ? step->config->post_labels
                                                         : (struct label_list){ 0 },
        };

        record.phase = REBOOT_ROLLBACK;
        record.is_cordoned_by_us = false;
        record.boot_id = SLICE_EMPTY;
        record.claimed = WALL_TIME_UNSET;
        record.reason = reason;
        if (is_failure) {
                record.attempt++;
                record.failure = reason;
        }
        record.not_before = is_failure ? agent_backoff_end(step, record.attempt) : WALL_TIME_UNSET;
        agent->may_reboot = agent->reboot_failed = false;
        agent_record_event(step, "RebootRolledBack", reason);
        agent_patch_node(step, &change, &record);
}
