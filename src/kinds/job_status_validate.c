/* Validation of the status of jobs: what may be said of a job, and in which order. */
#include "kinds/workload_check.h"

#include "base/arena.h"
#include "base/go_quote.h"
#include "base/time.h"
#include "base/util.h"

/* ---- indexes ---- */

struct index_range {
        int64_t first, last;
};

static const char *index_problem(struct arena *arena, struct slice text, int64_t completions,
                                 int64_t *ret_index) {
        if (!slice_to_i64(text, ret_index)) {
                CLEANUP(buf_release) struct buf quoted = { 0 };

                go_quote_write(text, &quoted);
                return arena_printf(arena, "cannot convert string to integer for index: %s",
                                    quoted.data);
        }
        return *ret_index >= completions
                       ? arena_printf(arena, "too large index: \"" SLICE_FMT "\"", SLICE_ARG(text))
                       : NULL;
}

/* "3" or "3-5" */
static const char *range_problem(struct arena *arena, struct slice text, int64_t completions,
                                 struct index_range *ret_range) {
        struct slice rest = text, parts[2] = { SLICE_EMPTY, SLICE_EMPTY }, part;
        size_t count = 0;

        for (; slice_split(&rest, '-', &part); count++)
                if (count < ARRAY_LEN(parts))
                        parts[count] = part;
        if (count > ARRAY_LEN(parts))
                return arena_printf(arena,
                                    "the fragment \"" SLICE_FMT "\" violates the requirement that "
                                    "an index interval can have at most two parts separated by "
                                    "'-'",
                                    SLICE_ARG(text));
        const char *problem = index_problem(arena, parts[0], completions, &ret_range->first);
        ret_range->last = ret_range->first;
        if (problem || count < 2)
                return problem;
        problem = index_problem(arena, parts[1], completions, &ret_range->last);
        if (!problem && ret_range->first >= ret_range->last)
                problem = arena_printf(arena, "non-increasing order, previous: %lld, current: %lld",
                                       (long long)ret_range->first, (long long)ret_range->last);
        return problem;
}

const char *indexes_problem(struct arena *arena, struct slice text, int64_t completions,
                            int64_t *ret_total) {
        struct slice rest = text, part;
        int64_t last = INT64_MIN;

        *ret_total = 0;
        while (text.len && slice_split(&rest, ',', &part)) {
                struct index_range range;
                const char *problem = range_problem(arena, part, completions, &range);

                if (!problem && last >= range.first)
                        problem = arena_printf(arena,
                                               "non-increasing order, previous: %lld, current: "
                                               "%lld",
                                               (long long)last, (long long)range.first);
                if (problem) {
                        *ret_total = 0;
                        return problem;
                }
                *ret_total += range.last - range.first + 1;
                last = range.last;
        }
        return NULL;
}

/* The next range that can be read; false at the end. */
static bool next_range(struct arena *arena, struct slice *rest, int64_t completions,
                       struct index_range *ret_range) {
        struct slice part;

        while (slice_split(rest, ',', &part))
                if (!range_problem(arena, part, completions, ret_range))
                        return true;
        return false;
}

/* Both lists ascend, so one pass over them is enough. -1 = none */
static int64_t common_index(struct arena *arena, struct slice completed, struct slice failed,
                            int64_t completions) {
        struct index_range a, b;

        if (completed.len == 0 || failed.len == 0 ||
            !next_range(arena, &completed, completions, &a) ||
            !next_range(arena, &failed, completions, &b))
                return -1;
        for (;;) {
                if (a.first <= b.last && b.first <= a.last)
                        return a.first > b.first ? a.first : b.first;
                if (a.first <= b.first ? !next_range(arena, &completed, completions, &a)
                                       : !next_range(arena, &failed, completions, &b))
                        return -1;
        }
}

/* ---- the status ---- */

/* Both states, what they say, and what changed between them. */
struct job_states {
        struct checker *checker;
        struct at at; /* the status */
        const struct json_node *spec, *status;
        const struct json *old;
        bool is_complete, is_failed, is_finished, was_complete, was_failed;
};

static bool had_condition(const struct json *status, const char *type) {
        struct json_iter iter = json_iter(json_get(status, "conditions"));
        const struct json *condition;

        while (json_next(&iter, NULL, &condition))
                if (slice_is(json_get_text(condition, "type"), type) &&
                    slice_is(json_get_text(condition, "status"), "True"))
                        return true;
        return false;
}

static bool says_condition(const struct json_node *status, const char *type, const char *value) {
        const struct json_node *conditions = node_get(status, "conditions");

        for (size_t i = 0; i < node_count(conditions); i++)
                if (slice_is(node_get_text(node_at(conditions, i), "type"), type) &&
                    slice_is(node_get_text(node_at(conditions, i), "status"), value))
                        return true;
        return false;
}

bool has_condition(const struct json_node *status, const char *type) {
        return says_condition(status, type, "True");
}

static bool has_changed(const struct job_states *states, const char *member) {
        return !is_same_member(states->status, states->old, member);
}

static bool has_flipped(const struct job_states *states, const char *condition) {
        return has_condition(states->status, condition) != had_condition(states->old, condition);
}

/* Numbers that are 0 when nothing is said. */
static bool is_counter(const char *member) {
        return strcmp(member, "failed") == 0 || strcmp(member, "succeeded") == 0;
}

static void job_forbid(const struct job_states *states, bool is_wrong, const char *member,
                       const char *text) {
        const struct json_node *value = node_get(states->status, member);
        const char *shown = strcmp(member, "conditions") == 0 ? NULL
                            : !value && is_counter(member)    ? "0"
                                                              : node_json(states->checker, value);

        if (is_wrong)
                report(states->checker, FIELD_INVALID, &states->at, member, shown, text);
}

static void job_demand(const struct job_states *states, bool is_wrong, const char *member,
                       const char *text) {
        if (is_wrong)
                report(states->checker, FIELD_REQUIRED, &states->at, member, NULL, text);
}

static void check_uncounted(const struct job_states *states) {
        static const char *const lists[] = { "succeeded", "failed" };
        const struct json_node *pods = node_get(states->status, "uncountedTerminatedPods");
        struct at place = at_member(&states->at, "uncountedTerminatedPods");
        CLEANUP(text_set_release) struct text_set seen = { 0 };

        for (size_t i = 0; i < ARRAY_LEN(lists); i++) {
                const struct json_node *list = node_get(pods, lists[i]);
                struct at list_at = at_member(&place, lists[i]);

                for (size_t j = 0; j < node_count(list); j++) {
                        struct slice uid = node_get_slice(node_at(list, j));
                        struct at element = at_index(&list_at, j);

                        if (uid.len == 0)
                                report_text(states->checker, &element, NULL, uid,
                                            "must not be empty");
                        else if (!text_set_add(&seen, uid))
                                report(states->checker, FIELD_DUPLICATE, &element, NULL,
                                       quoted(states->checker, uid), NULL);
                }
        }
}

static bool is_earlier(struct slice a, struct slice b) {
        struct wall_time first, second;

        return wall_time_parse(a, &first) && wall_time_parse(b, &second) && first.ns < second.ns;
}

static void check_completion(const struct job_states *states) {
        const struct json_node *status = states->status, *end = node_get(status, "completionTime");
        bool is_complete_new = states->is_complete != states->was_complete;
        bool has_new_end = has_changed(states, "completionTime");

        job_forbid(states,
                   (is_complete_new || states->is_failed != states->was_failed) &&
                           states->is_complete && states->is_failed,
                   "conditions", "cannot set Complete=True and Failed=true conditions");
        job_forbid(states,
                   (is_complete_new || has_flipped(states, "FailureTarget")) &&
                           states->is_complete && has_condition(status, "FailureTarget"),
                   "conditions", "cannot set Complete=True and FailureTarget=true conditions");
        job_forbid(states, (is_complete_new || has_new_end) && end && !states->is_complete,
                   "completionTime",
                   "cannot set completionTime when there is no Complete=True condition");
        job_demand(states, (is_complete_new || has_new_end) && !end && states->is_complete,
                   "completionTime", "completionTime is required for Complete jobs");
        job_forbid(states,
                   (has_changed(states, "startTime") || has_new_end) &&
                           is_earlier(node_get_slice(end), node_get_text(status, "startTime")),
                   "completionTime", "must be equal to or after `startTime`");
}

/* Conditions that must come before the last ones. */
static void check_reasons(const struct job_states *states) {
        const struct json_node *status = states->status;
        bool is_complete_new = states->is_complete != states->was_complete;

        job_forbid(
                states,
                (states->is_failed != states->was_failed || has_changed(states, "failedIndexes")) &&
                        states->is_failed && !has_condition(status, "FailureTarget"),
                "conditions",
                "cannot set Failed=True condition without the FailureTarget=true condition");
        job_forbid(
                states,
                (is_complete_new || has_flipped(states, "SuccessCriteriaMet")) &&
                        states->is_complete && !has_condition(status, "SuccessCriteriaMet"),
                "conditions",
                "cannot set Complete=True condition without the SuccessCriteriaMet=true condition");
}

static void check_finished(const struct job_states *states) {
        const struct json_node *status = states->status;
        const struct json_node *pods = node_get(status, "uncountedTerminatedPods");
        bool is_new = states->is_finished != (states->was_complete || states->was_failed);
        bool is_idle = node_is_true(node_get(states->spec, "suspend")) &&
                       node_get(states->spec, "completions") &&
                       node_get_i64(states->spec, "completions", 0) == 0;

        if (!states->is_finished)
                return;
        job_forbid(states,
                   (is_new || has_changed(states, "active")) &&
                           node_get_i64(status, "active", 0) > 0,
                   "active", "active>0 is invalid for finished job");
        job_demand(states,
                   (is_new || has_changed(states, "startTime")) && !is_idle &&
                           !node_get(status, "startTime"),
                   "startTime", "startTime is required for finished job");
        job_forbid(states,
                   (is_new || has_changed(states, "uncountedTerminatedPods")) &&
                           node_count(node_get(pods, "failed")) +
                                   node_count(node_get(pods, "succeeded")),
                   "uncountedTerminatedPods", "must be empty for finished job");
}

static void check_index_list(const struct job_states *states, const char *member) {
        int64_t completions = node_get_i64(states->spec, "completions", 0), total;
        struct slice text = node_get_text(states->status, member);

        if (!node_get(states->spec, "completions") || !has_changed(states, member))
                return;
        const char *problem =
                indexes_problem(states->checker->errors->arena, text, completions, &total);
        if (problem)
                report_text(states->checker, &states->at, member, text,
                            message_of(states->checker, "error parsing %s: %s", member, problem));
}

static void check_indexes(const struct job_states *states) {
        struct slice completed = node_get_text(states->status, "completedIndexes");
        struct slice failed = node_get_text(states->status, "failedIndexes");
        bool has_failed = node_get(states->status, "failedIndexes");
        bool has_limit = node_get(states->spec, "backoffLimitPerIndex");
        bool is_indexed = slice_is(node_get_text(states->spec, "completionMode"), "Indexed");
        int64_t common = common_index(states->checker->errors->arena, completed, failed,
                                      node_get_i64(states->spec, "completions", 0));

        check_index_list(states, "completedIndexes");
        if (has_limit && has_failed)
                check_index_list(states, "failedIndexes");
        job_forbid(states, has_changed(states, "completedIndexes") && completed.len && !is_indexed,
                   "completedIndexes",
                   "cannot set non-empty completedIndexes when non-indexed completion mode");
        job_forbid(states, has_changed(states, "failedIndexes") && has_failed && !has_limit,
                   "failedIndexes",
                   "cannot set non-null failedIndexes when backoffLimitPerIndex is null");
        job_forbid(
                states,
                (has_changed(states, "failedIndexes") || has_changed(states, "completedIndexes")) &&
                        node_get(states->spec, "completions") && common >= 0,
                "failedIndexes",
                message_of(states->checker,
                           "failedIndexes and completedIndexes overlap at index: %lld",
                           (long long)common));
}

static void check_pods(const struct job_states *states) {
        const struct json_node *status = states->status;
        bool is_new = states->is_finished != (states->was_complete || states->was_failed);
        bool is_met = has_condition(status, "SuccessCriteriaMet");

        job_forbid(states,
                   (is_new || has_changed(states, "terminating")) && states->is_finished &&
                           node_get_i64(status, "terminating", 0) > 0,
                   "terminating", "terminating>0 is invalid for finished job");
        job_forbid(states,
                   (has_changed(states, "ready") || has_changed(states, "active")) &&
                           node_get(status, "ready") &&
                           node_get_i64(status, "ready", 0) > node_get_i64(status, "active", 0),
                   "ready", "cannot set more ready pods than active");
        job_forbid(states, is_met && states->is_failed, "conditions",
                   "cannot set SuccessCriteriaMet=True and Failed=true conditions");
        job_forbid(states, is_met && has_condition(status, "FailureTarget"), "conditions",
                   "cannot set SuccessCriteriaMet=True and FailureTarget=true conditions");
        job_forbid(states,
                   node_get(states->spec, "successPolicy") && !is_met && states->is_complete,
                   "conditions",
                   "cannot set Complete=True for Job with SuccessPolicy unless "
                   "SuccessCriteriaMet=True");
}

/* ---- what may not be taken back ---- */

static void check_progress(const struct job_states *states) {
        static const char *const last[] = { "Failed", "Complete", "FailureTarget" };
        const struct json_node *status = states->status, *spec = states->spec;
        bool may_shrink = slice_is(node_get_text(spec, "completionMode"), "Indexed") &&
                          node_equal(node_get(spec, "completions"), node_get(spec, "parallelism"));
        bool was_met = had_condition(states->old, "SuccessCriteriaMet");
        bool is_resuming = had_condition(states->old, "Suspended") &&
                           says_condition(status, "Suspended", "False");

        for (size_t i = 0; i < ARRAY_LEN(last); i++)
                job_forbid(states,
                           had_condition(states->old, last[i]) && !has_condition(status, last[i]),
                           "conditions",
                           message_of(states->checker,
                                      "cannot disable the terminal %s=True condition", last[i]));
        job_forbid(states,
                   node_get_i64(status, "failed", 0) < json_get_i64(states->old, "failed", 0),
                   "failed", "cannot decrease the failed counter");
        job_forbid(states,
                   !may_shrink && node_get_i64(status, "succeeded", 0) <
                                          json_get_i64(states->old, "succeeded", 0),
                   "succeeded", "cannot decrease the succeeded counter");
        job_forbid(states,
                   node_get(status, "completionTime") && json_get(states->old, "completionTime") &&
                           has_changed(states, "completionTime"),
                   "completionTime", "field is immutable");
        job_forbid(states,
                   json_get(states->old, "startTime") && has_changed(states, "startTime") &&
                           !is_resuming && !node_is_true(node_get(spec, "suspend")),
                   "startTime", "field is immutable for unsuspended job once set");
        job_forbid(states, was_met && !has_condition(status, "SuccessCriteriaMet"), "conditions",
                   "cannot disable the SuccessCriteriaMet=True condition");
        job_forbid(
                states,
                states->was_complete && !was_met && has_condition(status, "SuccessCriteriaMet"),
                "conditions",
                "cannot set SuccessCriteriaMet=True for Job already has Complete=true conditions");
}

void check_job_status(struct checker *checker, const struct json_node *job,
                      const struct json *old) {
        static const struct rule rules[] = {
                { "active", rule_not_negative },      { "succeeded", rule_not_negative },
                { "failed", rule_not_negative },      { "ready", rule_not_negative },
                { "terminating", rule_not_negative }, RULES_END,
        };
        struct job_states states = {
                .checker = checker,
                .at = at_root("status"),
                .spec = node_get(job, "spec"),
                .status = node_get(job, "status"),
                .old = json_get(old, "status"),
        };

        states.is_complete = has_condition(states.status, "Complete");
        states.is_failed = has_condition(states.status, "Failed");
        states.is_finished = states.is_complete || states.is_failed;
        states.was_complete = had_condition(states.old, "Complete");
        states.was_failed = had_condition(states.old, "Failed");
        check_rules(checker, &states.at, states.status, rules);
        check_uncounted(&states);
        check_completion(&states);
        check_reasons(&states);
        check_finished(&states);
        check_indexes(&states);
        check_pods(&states);
        check_progress(&states);
}
