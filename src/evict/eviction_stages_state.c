/* The line that says where the stages of an Eviction stand, for people and for the next process. */
#include "base/util.h"
#include "evict/eviction_stages.h"
#include <stdio.h>
#include <string.h>

static const char *const mode_names[STAGES_MODE_COUNT] = {
        [STAGES_NONE] = "",     [STAGES_RUN] = "stage",      [STAGES_SKIP] = "skip",
        [STAGES_UNDO] = "undo", [STAGES_OVER] = "completed", [STAGES_DECLINED] = "declined",
        [STAGES_HELD] = "held",
};

static bool parse_place(struct slice value, struct stages_state *state) {
        struct slice rest = value, head;
        uint64_t number;

        if (!slice_split(&rest, '/', &head) || !slice_to_u64(head, &number) || number < 1 ||
            number > EVICTION_STAGES_MAX)
                return false;
        state->index = (size_t)number - 1;
        return true;
}

static bool parse_member(struct slice key, struct slice value, struct stages_state *state) {
        uint64_t number = 0;

        for (size_t i = STAGES_RUN; i < STAGES_MODE_COUNT; i++) {
                if (!slice_is(key, mode_names[i]))
                        continue;
                state->mode = (enum stages_mode)i;
                return parse_place(value, state);
        }
        if (slice_is(key, "policy"))
                return snprintf(state->policy, sizeof(state->policy), SLICE_FMT, SLICE_ARG(value)) <
                       (int)sizeof(state->policy);
        if (slice_is(key, "since"))
                return wall_time_parse(value, &state->since);
        if (slice_is(key, "name"))
                return true;
        if (!slice_to_u64(value, &number) || number > UINT32_MAX)
                return false;
        if (slice_is(key, "attempt"))
                state->attempt = (uint32_t)number;
        else if (slice_is(key, "done"))
                state->done = (unsigned)number;
        else if (slice_is(key, "open"))
                state->is_open = number != 0;
        else if (slice_is(key, "hold"))
                state->holder = (uint32_t)number;
        return true;
}

bool stages_state_parse(struct slice text, struct stages_state *ret_state) {
        struct stages_state state = { .attempt = 1, .since = WALL_TIME_UNSET };
        struct slice rest = text, head, members;

        if (!slice_split(&rest, ';', &members))
                return false;
        while (members.ptr && slice_split(&members, ' ', &head)) {
                struct slice value = head, key;

                if (!slice_split(&value, '=', &key) || !value.ptr ||
                    !parse_member(key, value, &state))
                        return false;
        }
        if (state.mode == STAGES_NONE)
                return false;
        *ret_state = state;
        return true;
}

void stages_state_write(const struct stages_state *state, const struct eviction_policy *policy,
                        const char *text, struct buf *out) {
        bool has_stages = policy && !policy->is_unreadable;
        size_t count = has_stages ? policy->stage_count : state->index + 1;
        char since[WALL_TIME_TEXT_MAX];

        wall_time_format_micro(state->since, since);
        buf_printf(out, "%s=%zu/%zu", mode_names[state->mode], state->index + 1, count);
        if (policy && state->index < policy->stage_count)
                buf_printf(out, " name=" SLICE_FMT, SLICE_ARG(policy->stages[state->index].name));
        buf_printf(out, " policy=%s attempt=%u done=%u open=%d since=%s", state->policy,
                   state->attempt, state->done, state->is_open, since);
        if (state->holder)
                buf_printf(out, " hold=%u", state->holder);
        if (text[0])
                buf_printf(out, "; %s", text);
}

bool stages_state_eq(const struct stages_state *a, const struct stages_state *b) {
        return a->mode == b->mode && a->index == b->index && a->attempt == b->attempt &&
               a->done == b->done && a->is_open == b->is_open && a->holder == b->holder &&
               strcmp(a->policy, b->policy) == 0;
}

/* ---- messages and stored state ---- */

const struct eviction_policy *eviction_policy_named(const struct eviction_sync *sync,
                                                    const char *name) {
        char key[600];

        snprintf(key, sizeof(key), SLICE_FMT "/%s", SLICE_ARG(sync->target->ns), name);
        return map_get(sync->reconciler->policies, slice_of(key));
}

void eviction_stages_audit(struct eviction_sync *sync, const struct eviction_entry *entry,
                           const char *op, const char *reason) {
        const struct stages_state *state = &entry->stages.state;
        const struct eviction_policy *policy = eviction_policy_named(sync, state->policy);
        bool has_stage = policy && state->index < policy->stage_count;

        eviction_audit(sync,
                       (struct audit_record){ .op = slice_of(op),
                                              .eviction = entry->eviction->object.name,
                                              .responder = SLICE_LITERAL(EVICTION_STAGER),
                                              .stage = has_stage ? policy->stages[state->index].name
                                                                 : SLICE_EMPTY,
                                              .reason = slice_of(reason),
                                              .message = slice_of(entry->stages.text) });
}

void eviction_stages_store(struct eviction_sync *sync, struct eviction_entry *entry, bool is_done) {
        const struct eviction *eviction = entry->eviction;
        struct stages_run *run = &entry->stages;
        struct buf text = { 0 };
        struct eviction_news news = { .is_done = is_done, .expected = run->expected };

        stages_state_write(&run->state, eviction_policy_named(sync, run->state.policy), run->text,
                           &text);
        buf_char(&text, '\0');
        news.message = text.data;
        eviction_report(sync, eviction,
                        eviction_find_responder(&eviction->status, SLICE_LITERAL(EVICTION_STAGER)),
                        &news);
        run->has_news = false;
        run->last_beat = sync->now.mono;
        buf_release(&text);
}
