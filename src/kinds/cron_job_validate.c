/* Validation of cron jobs. */
#include "kinds/time_zones.h"
#include "kinds/workload_check.h"

#include "api/cron_schedule.h"
#include "base/util.h"

/* Names of places such as "Europe/Berlin", as the database of time zones has them. "Local" is that
 * of the server to Go, in this spelling. */
static void check_time_zone_name(struct checker *checker, const struct at *at, struct slice zone) {
        bool is_local = zone.len == 5 && strncasecmp(zone.ptr, "Local", 5) == 0;

        if (zone.len == 0)
                report_json_text(checker, at, "timeZone", zone,
                                 "timeZone must be nil or non-empty string");
        if (is_local)
                report_json_text(checker, at, "timeZone", zone,
                                 "timeZone must be an explicit time zone as defined in "
                                 "https://www.iana.org/time-zones");
        if (zone.len && !slice_is(zone, "Local") && !time_zone_is_known(zone))
                report_json_text(
                        checker, at, "timeZone", zone,
                        message_of(checker, "unknown time zone " SLICE_FMT, SLICE_ARG(zone)));
}

static void check_time_zone(struct checker *checker, const struct at *at,
                            const struct json_node *spec, const struct json *old) {
        struct slice zone = node_get_text(spec, "timeZone");

        if (!node_get(spec, "timeZone") || (old && is_same_member(spec, old, "timeZone")))
                return;
        check_time_zone_name(checker, at, zone);
}

/* Takes "TZ=Zone " off. Upstream's parser counts on a space and falls over without one. */
static const char *schedule_zone_problem(struct checker *checker, struct slice *schedule) {
        struct slice rest = *schedule, zone;

        if (!slice_has_prefix(rest, SLICE_LITERAL("TZ=")) &&
            !slice_has_prefix(rest, SLICE_LITERAL("CRON_TZ=")))
                return NULL;
        if (!slice_contains(rest, SLICE_LITERAL(" ")))
                return "invalid schedule format: runtime error: slice bounds out of range [:-1]";
        slice_split(&rest, '=', &zone);
        slice_split(&rest, ' ', &zone);
        *schedule = slice_trim(rest);
        if (zone.len == 0 || slice_is(zone, "Local") || time_zone_is_known(zone))
                return NULL;
        return message_of(checker,
                          "provided bad location " SLICE_FMT ": unknown time zone " SLICE_FMT,
                          SLICE_ARG(zone), SLICE_ARG(zone));
}

static const char *schedule_problem(struct checker *checker, struct slice schedule) {
        const char *problem = schedule_zone_problem(checker, &schedule);
        struct cron_schedule parsed;
        struct err err = { 0 };

        if (problem || cron_schedule_parse(schedule, &parsed, &err) == 0)
                return problem;
        return message_of(checker, "%s", err.text);
}

static void check_schedule(struct checker *checker, const struct at *at,
                           const struct json_node *spec, const struct json *old) {
        struct slice schedule = node_get_text(spec, "schedule");
        bool has_zone = slice_contains(schedule, SLICE_LITERAL("TZ"));
        bool may_have_zone = slice_contains(json_get_text(old, "schedule"), SLICE_LITERAL("TZ"));

        if (!check_required(checker, at, spec, "schedule"))
                return;
        const char *problem = schedule_problem(checker, schedule);
        if (problem)
                report_text(checker, at, "schedule", schedule, problem);
        if (has_zone && !may_have_zone)
                report_text(checker, at, "schedule", schedule,
                            "cannot use TZ or CRON_TZ in schedule, use timeZone field instead");
        else if (has_zone && node_get(spec, "timeZone"))
                report_text(checker, at, "schedule", schedule,
                            "cannot use both timeZone field and TZ or CRON_TZ in schedule");
}

VALIDATE_HOOK(cron_job_validate) {
        static const char *const policies[] = { "Allow", "Forbid", "Replace", NULL };
        static const char *const no_choice[] = { "nil", "false", NULL };
        static const struct rule deadline_rules[] = {
                { "startingDeadlineSeconds", rule_not_negative },
                RULES_END,
        };
        static const struct rule policy_rules[] = {
                { "concurrencyPolicy", rule_choice, RULE_REQUIRED, .data = policies },
                RULES_END,
        };
        static const struct rule history_rules[] = {
                { "successfulJobsHistoryLimit", rule_not_negative },
                { "failedJobsHistoryLimit", rule_not_negative },
                RULES_END,
        };
        struct checker checker = { .errors = errors, .context = context };
        const struct json_node *spec = node_get(object, "spec");
        const struct json_node *job = node_get(node_get(spec, "jobTemplate"), "spec");
        struct slice name = node_get_text(node_get(object, "metadata"), "name");
        struct at at = at_root("spec"), template = at_member(&at, "jobTemplate");
        struct at job_spec = at_member(&template, "spec"), metadata = at_root("metadata");

        if (operation == KIND_UPDATE_STATUS)
                return;
        check_schedule(&checker, &at, spec, json_get(old, "spec"));
        check_rules(&checker, &at, spec, deadline_rules);
        check_time_zone(&checker, &at, spec, json_get(old, "spec"));
        check_rules(&checker, &at, spec, policy_rules);
        check_job_spec(&checker, &job_spec, job);
        if (node_get(job, "selector"))
                report(&checker, FIELD_INVALID, &job_spec, "selector",
                       node_json(&checker, node_get(job, "selector")),
                       "`selector` will be auto-generated");
        if (node_is_true(node_get(job, "manualSelector")))
                report_choice(&checker, &job_spec, "manualSelector", "true", no_choice);
        check_rules(&checker, &at, spec, history_rules);
        /* Its jobs get a suffix of 11 characters. */
        if (operation == KIND_CREATE && name.len > 63 - 11)
                report_text(&checker, &metadata, "name", name,
                            "must be no more than 52 characters");
}
