/* Status of Evictions: the pair of conditions, what may follow what, and how it is written. */
#include "evict/eviction_request.h"

#include "base/util.h"

#define EXPECTED_MAX_NS (3652LL * 24 * 3600 * NS_PER_S)

static const struct outcome_row {
        bool failed_is_true, evicted_is_true;
        const char *failed, *evicted; /* reasons */
} outcomes[EVICTION_OUTCOME_COUNT] = {
        [EVICTION_NEW] = { false, false, "", "" },
        [EVICTION_AWAITING] = { false, false, "AwaitingEviction", "AwaitingEviction" },
        [EVICTION_POD_DELETED] = { false, true, "Succeeded", "PodDeleted" },
        [EVICTION_POD_TERMINAL] = { false, true, "Succeeded", "PodTerminal" },
        [EVICTION_INVALID] = { true, false, "EvictionInvalid", "EvictionFailed" },
        [EVICTION_CANCELED] = { true, false, "CanceledDueToNoRequesters", "EvictionFailed" },
        [EVICTION_NO_RESPONDER] = { true, false, "NoFurtherResponder", "EvictionFailed" },
};

const char *eviction_outcome_name(enum eviction_outcome outcome) {
        return outcomes[outcome].evicted_is_true ? outcomes[outcome].evicted
                                                 : outcomes[outcome].failed;
}

void eviction_conditions_set(struct eviction_conditions *conditions, enum eviction_outcome outcome,
                             struct wall_time now) {
        const struct outcome_row *row = &outcomes[outcome];

        if (!conditions->has_failed || conditions->failed_is_true != row->failed_is_true ||
            !wall_time_is_set(conditions->failed_changed))
                conditions->failed_changed = now;
        if (!conditions->has_evicted || conditions->evicted_is_true != row->evicted_is_true ||
            !wall_time_is_set(conditions->evicted_changed))
                conditions->evicted_changed = now;
        conditions->has_failed = conditions->has_evicted = true;
        conditions->failed_is_true = row->failed_is_true;
        conditions->evicted_is_true = row->evicted_is_true;
        if (conditions->outcome != outcome)
                conditions->message = SLICE_EMPTY;
        conditions->outcome = outcome;
}

/* ---- what may follow what ---- */

static int eviction_status_refuse(struct err *err, const struct eviction_responder *responder,
                                  const char *text) {
        err_set(err, BERTH_ERR_INVALID, "responder " SLICE_FMT ": %s", SLICE_ARG(responder->name),
                text);
        err_path_prepend(err, "status.targetResponders");
        return BERTH_ERR_INVALID;
}

static bool is_near(struct wall_time time, struct wall_time now) {
        return time.ns - now.ns <= EVICTION_SKEW_NS && now.ns - time.ns <= EVICTION_SKEW_NS;
}

static bool is_changed(struct wall_time before, struct wall_time after) {
        return before.ns != after.ns;
}

/* The first write: the first in order is Active, or none when all is over in the same write. */
static int check_start(const struct eviction_status *after, struct err *err) {
        bool is_final = eviction_outcome_is_final(after->conditions.outcome);

        for (size_t i = 0; i < after->responder_count; i++) {
                const struct eviction_responder *responder = &after->responders[i];
                enum responder_state expected =
                        i == 0 && !is_final ? RESPONDER_ACTIVE : RESPONDER_INACTIVE;

                if (responder->state != expected)
                        return eviction_status_refuse(err, responder, "wrong state at the start");
                if (i > 0 && responder->priority > responder[-1].priority)
                        return eviction_status_refuse(err, responder, "not in order of priority");
        }
        return 0;
}

static int check_left(const struct eviction_responder *was, const struct eviction_responder *is,
                      const struct eviction_status *after, struct wall_time now, struct err *err) {
        bool is_final = eviction_outcome_is_final(after->conditions.outcome);
        struct wall_time alive = wall_time_is_set(was->heartbeat) ? was->heartbeat : was->start;
        bool is_silent = now.ns - alive.ns > EVICTION_SILENCE_NS - EVICTION_SKEW_NS;

        if (is->state == RESPONDER_INACTIVE)
                return eviction_status_refuse(err, is, "cannot become Inactive again");
        if (is->state == RESPONDER_COMPLETED && !wall_time_is_set(is->completion))
                return eviction_status_refuse(err, is, "Completed without completionTime");
        if (is->state != RESPONDER_COMPLETED && !wall_time_is_set(is->completion) && !is_final &&
            !is_silent)
                return eviction_status_refuse(err, is, "ended before it fell silent");
        return 0;
}

static int check_transitions(const struct eviction_status *before,
                             const struct eviction_status *after, struct wall_time now,
                             struct err *err) {
        int active = eviction_active(before);

        for (size_t i = 0; i < after->responder_count; i++) {
                const struct eviction_responder *was = &before->responders[i];
                const struct eviction_responder *is = &after->responders[i];

                if (!slice_eq(was->name, is->name) || was->priority != is->priority)
                        return eviction_status_refuse(err, is, "name and priority are fixed");
                if (was->state == is->state)
                        continue;
                if (was->state == RESPONDER_ACTIVE) {
                        if (check_left(was, is, after, now, err) < 0)
                                return BERTH_ERR_INVALID;
                        continue;
                }
                if (was->state != RESPONDER_INACTIVE || is->state != RESPONDER_ACTIVE ||
                    (int)i != active + 1)
                        return eviction_status_refuse(err, is,
                                                      "state changes before its predecessor ended");
        }
        if (active >= 0 && after->responders[active].state != RESPONDER_ACTIVE &&
            !eviction_outcome_is_final(after->conditions.outcome) && eviction_active(after) < 0)
                return eviction_status_refuse(err, &after->responders[active],
                                              "no responder is Active after it");
        return 0;
}

/* Times never go back, also where the clock was set back: then what is stored counts as now. */
static struct wall_time now_for(const struct eviction_responder *was, struct wall_time now) {
        if (wall_time_is_set(was->start) && was->start.ns > now.ns)
                now = was->start;
        if (wall_time_is_set(was->heartbeat) && was->heartbeat.ns > now.ns)
                now = was->heartbeat;
        return now;
}

/* heartbeat: near now, not before the start, never falling, never gone. */
static int check_beat(const struct eviction_responder *was, const struct eviction_responder *is,
                      struct wall_time now, bool is_clock_free, struct err *err) {
        if (!is_changed(was->heartbeat, is->heartbeat))
                return 0;
        if (!wall_time_is_set(is->heartbeat))
                return eviction_status_refuse(err, is, "heartbeatTime cannot be removed");
        if (is->heartbeat.ns < is->start.ns ||
            (wall_time_is_set(was->heartbeat) && is->heartbeat.ns < was->heartbeat.ns))
                return eviction_status_refuse(err, is, "heartbeatTime goes back");
        if (!is_clock_free && !is_near(is->heartbeat, now_for(was, now)))
                return eviction_status_refuse(err, is, "heartbeatTime is not now");
        return 0;
}

/* Start and end are each written once, at the time they happen. */
static int check_times(const struct eviction_responder *was, const struct eviction_responder *is,
                       struct wall_time now, bool is_clock_free, struct err *err) {
        if (is_changed(was->start, is->start) &&
            (wall_time_is_set(was->start) || is->state != RESPONDER_ACTIVE ||
             (!is_clock_free && !is_near(is->start, now))))
                return eviction_status_refuse(err, is, "startTime is set once, when Active");
        if (is->state == RESPONDER_ACTIVE && !wall_time_is_set(is->start))
                return eviction_status_refuse(err, is, "Active without startTime");
        if (is_changed(was->completion, is->completion) &&
            (wall_time_is_set(was->completion) || is->completion.ns < is->start.ns ||
             (!is_clock_free && !is_near(is->completion, now_for(was, now)))))
                return eviction_status_refuse(err, is, "completionTime is set once, when done");
        return 0;
}

static bool is_expected_in_range(const struct eviction_responder *is, struct wall_time now,
                                 bool is_clock_free) {
        if (is->expected.ns < is->start.ns)
                return false;
        return is_clock_free || (is->expected.ns >= now.ns - EVICTION_SKEW_NS &&
                                 is->expected.ns <= now.ns + EXPECTED_MAX_NS);
}

static int check_report(const struct eviction_responder *was, const struct eviction_responder *is,
                        struct wall_time now, bool is_clock_free, struct err *err) {
        bool has_report = is_changed(was->heartbeat, is->heartbeat) ||
                          is_changed(was->completion, is->completion) ||
                          !slice_eq(was->message, is->message);

        if (is->message.len > EVICTION_MESSAGE_MAX)
                return eviction_status_refuse(err, is, "message is too long");
        if (check_times(was, is, now, is_clock_free, err) < 0 ||
            check_beat(was, is, now, is_clock_free, err) < 0)
                return BERTH_ERR_INVALID;
        if (is_changed(was->expected, is->expected) && wall_time_is_set(is->expected) &&
            !is_expected_in_range(is, now, is_clock_free))
                return eviction_status_refuse(err, is, "expectedCompletionTime is out of range");
        if (was->state != RESPONDER_ACTIVE && is->state != RESPONDER_ACTIVE && has_report)
                return eviction_status_refuse(err, is, "only the Active responder reports");
        return 0;
}

static int check_conditions(const struct eviction_status *before,
                            const struct eviction_status *after, struct err *err) {
        enum eviction_outcome was = before ? before->conditions.outcome : EVICTION_NEW;

        if (eviction_outcome_is_final(was) && after->conditions.outcome != was)
                return err_set(err, BERTH_ERR_INVALID, "a final condition cannot change");
        if (eviction_outcome_is_final(after->conditions.outcome) && eviction_active(after) >= 0)
                return err_set(err, BERTH_ERR_INVALID, "final while a responder is Active");
        if (after->conditions.failed_is_true && after->conditions.evicted_is_true)
                return err_set(err, BERTH_ERR_INVALID, "both failed and evicted");
        if (before && after->observed_generation < before->observed_generation)
                return err_set(err, BERTH_ERR_INVALID, "observedGeneration goes back");
        return 0;
}

int eviction_status_check(const struct eviction_status *before, const struct eviction_status *after,
                          struct wall_time now, bool is_clock_free, struct err *err) {
        static const struct eviction_responder blank = { .start = { INT64_MIN },
                                                         .heartbeat = { INT64_MIN },
                                                         .expected = { INT64_MIN },
                                                         .completion = { INT64_MIN } };
        bool has_responders = before && before->responder_count > 0;
        size_t active_count = 0;

        if (has_responders && before->responder_count != after->responder_count)
                return err_set(err, BERTH_ERR_INVALID, "the list of responders is fixed");
        if (check_conditions(before, after, err) < 0)
                return BERTH_ERR_INVALID;
        if (has_responders ? check_transitions(before, after, now, err) < 0
                           : check_start(after, err) < 0)
                return BERTH_ERR_INVALID;
        for (size_t i = 0; i < after->responder_count; i++) {
                const struct eviction_responder *is = &after->responders[i];

                active_count += is->state == RESPONDER_ACTIVE;
                if (check_report(has_responders ? &before->responders[i] : &blank, is, now,
                                 is_clock_free, err) < 0)
                        return BERTH_ERR_INVALID;
        }
        if (active_count > 1)
                return err_set(err, BERTH_ERR_INVALID, "more than one responder is Active");
        return 0;
}

/* ---- writing ---- */

static void write_member(struct buf *out, const char *name, struct slice value) {
        buf_printf(out, "\"%s\":", name);
        buf_json_string(out, value);
}

static void write_condition(struct buf *out, const char *type, bool is_true, const char *reason,
                            struct wall_time changed) {
        char time[WALL_TIME_TEXT_MAX];

        wall_time_format(changed, time);
        buf_printf(out,
                   "{\"type\":\"%s\",\"status\":\"%s\",\"reason\":\"%s\","
                   "\"lastTransitionTime\":\"%s\",\"message\":",
                   type, is_true ? "True" : "False", reason, time);
}

/* What both conditions have in common. */
static void end_condition(struct buf *out, struct slice message, int64_t observed_generation) {
        buf_json_string(out, message);
        buf_printf(out, ",\"observedGeneration\":%lld}", (long long)observed_generation);
}

void eviction_conditions_write(const struct eviction_conditions *conditions,
                               int64_t observed_generation, struct buf *out) {
        const struct outcome_row *row = &outcomes[conditions->outcome];

        buf_char(out, '[');
        if (conditions->outcome != EVICTION_NEW) {
                write_condition(out, "Failed", row->failed_is_true, row->failed,
                                conditions->failed_changed);
                end_condition(out, conditions->message, observed_generation);
                buf_char(out, ',');
                write_condition(out, "TargetEvicted", row->evicted_is_true, row->evicted,
                                conditions->evicted_changed);
                end_condition(out, conditions->message, observed_generation);
        }
        buf_char(out, ']');
}

static void write_time(struct buf *out, const char *name, struct wall_time time) {
        char text[WALL_TIME_TEXT_MAX];

        if (!wall_time_is_set(time))
                return;
        wall_time_format_micro(time, text);
        buf_printf(out, ",\"%s\":\"%s\"", name, text);
}

static void write_report(const struct eviction_responder *responder, struct buf *out) {
        buf_char(out, '{');
        write_member(out, "name", responder->name);
        write_time(out, "startTime", responder->start);
        write_time(out, "heartbeatTime", responder->heartbeat);
        write_time(out, "expectedCompletionTime", responder->expected);
        write_time(out, "completionTime", responder->completion);
        if (responder->message.len) {
                buf_char(out, ',');
                write_member(out, "message", responder->message);
        }
        buf_char(out, '}');
}

static void write_target(const struct eviction_responder *responder, struct buf *out) {
        buf_char(out, '{');
        write_member(out, "name", responder->name);
        buf_printf(out, ",\"priority\":%d,\"state\":\"%s\"}", responder->priority,
                   responder_state_name(responder->state));
}

void eviction_status_write(const struct eviction_status *status, struct buf *out) {
        buf_printf(out, "{\"observedGeneration\":%lld,\"conditions\":",
                   (long long)status->observed_generation);
        eviction_conditions_write(&status->conditions, status->observed_generation, out);
        buf_text(out, ",\"requesters\":[");
        for (size_t i = 0; i < status->requester_count; i++) {
                const struct eviction_requester *requester = &status->requesters[i];

                buf_text(out, i ? ",{" : "{");
                write_member(out, "name", requester->name);
                buf_printf(out, ",\"intent\":\"%s\"}",
                           requester->intent == EVICTION_INTENT_EVICT ? "Eviction" : "Withdrawn");
        }
        buf_text(out, "],\"targetResponders\":[");
        for (size_t i = 0; i < status->responder_count; i++) {
                buf_text(out, i ? "," : "");
                write_target(&status->responders[i], out);
        }
        buf_text(out, "],\"responders\":[");
        for (size_t i = 0; i < status->responder_count; i++) {
                buf_text(out, i ? "," : "");
                write_report(&status->responders[i], out);
        }
        buf_text(out, "]}");
}
