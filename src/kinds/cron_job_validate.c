/* Validation of cron jobs. */
#include "kinds/time_zones.h"
#include "kinds/workload_check.h"

#include "base/util.h"

/* ---- schedules ---- */

struct schedule_field {
        int64_t low, high;
        const char *names; /* three letters each, from low; NULL = none */
};
static const struct schedule_field schedule_fields[] = {
        { 0, 59, NULL },
        { 0, 23, NULL },
        { 1, 31, NULL },
        { 1, 12, "janfebmaraprmayjunjulaugsepoctnovdec" },
        { 0, 6, "sunmontuewedthufrisat" },
};

static bool schedule_number(struct slice text, const struct schedule_field *field,
                            int64_t *ret_number) {
        if (slice_to_i64(text, ret_number) && text.ptr[0] != '+' && text.ptr[0] != '-')
                return *ret_number >= field->low && *ret_number <= field->high;
        for (int64_t i = 0; field->names && text.len == 3 && i <= field->high - field->low; i++)
                if (strncasecmp(field->names + 3 * i, text.ptr, 3) == 0) {
                        *ret_number = field->low + i;
                        return true;
                }
        return false;
}

/* number | * | ?, each with an optional end and step: 1-5/2 */
static bool is_schedule_range(struct slice text, const struct schedule_field *field) {
        struct slice step = text, bounds, last, first;
        int64_t low, high, width;

        if (!slice_split(&step, '/', &bounds))
                return false;
        if (step.ptr && step.len && (!slice_to_i64(step, &width) || width < 1))
                return false;
        if (slice_is(bounds, "*") || slice_is(bounds, "?"))
                return true;
        last = bounds;
        if (!slice_split(&last, '-', &first) || !schedule_number(first, field, &low))
                return false;
        return last.len == 0 || (schedule_number(last, field, &high) && low <= high);
}

static bool is_schedule_field(struct slice text, const struct schedule_field *field) {
        struct slice part;

        while (slice_split(&text, ',', &part))
                if (!is_schedule_range(part, field))
                        return false;
        return true;
}

static bool is_descriptor(struct slice schedule) {
        static const char *const names[] = { "@yearly", "@annually", "@monthly", "@weekly",
                                             "@daily",  "@midnight", "@hourly" };
        struct slice every = SLICE_LITERAL("@every ");
        int64_t ns;

        for (size_t i = 0; i < ARRAY_LEN(names); i++)
                if (slice_is(schedule, names[i]))
                        return true;
        return slice_has_prefix(schedule, every) &&
               duration_parse(slice_make(schedule.ptr + every.len, schedule.len - every.len), &ns);
}

#define SCHEDULE_FIELDS ARRAY_LEN(schedule_fields)

/* NULL when the schedule can be understood. */
static const char *schedule_problem(struct checker *checker, struct slice schedule) {
        struct slice rest = slice_trim(schedule), word, words[SCHEDULE_FIELDS + 1];
        struct buf list = { 0 };
        const char *text = NULL;
        size_t count = 0;

        if (rest.len && rest.ptr[0] == '@')
                return is_descriptor(rest)
                               ? NULL
                               : message_of(checker, "unrecognized descriptor: " SLICE_FMT,
                                            SLICE_ARG(rest));
        while (slice_split(&rest, ' ', &word)) {
                if (word.len == 0)
                        continue;
                buf_printf(&list, "%s" SLICE_FMT, count ? " " : "", SLICE_ARG(word));
                if (count < ARRAY_LEN(words))
                        words[count] = word;
                count++;
        }
        if (count != SCHEDULE_FIELDS)
                text = message_of(checker, "expected exactly 5 fields, found %zu: [" SLICE_FMT "]",
                                  count, SLICE_ARG(buf_view(&list)));
        for (size_t i = 0; !text && i < SCHEDULE_FIELDS; i++)
                if (!is_schedule_field(words[i], &schedule_fields[i]))
                        text = message_of(checker, "failed to parse int from " SLICE_FMT,
                                          SLICE_ARG(words[i]));
        buf_release(&list);
        return text;
}

/* Names of places such as "Europe/Berlin", as the database of time zones has them. */
static const char *time_zone_problem(struct checker *checker, struct slice zone) {
        if (zone.len == 0)
                return "timeZone must be nil or non-empty string";
        if (zone.len == 5 && strncasecmp(zone.ptr, "Local", 5) == 0)
                return "timeZone must be an explicit time zone as defined in "
                       "https://www.iana.org/time-zones";
        if (!time_zone_is_known(zone))
                return message_of(checker, "unknown time zone " SLICE_FMT, SLICE_ARG(zone));
        return NULL;
}

static void check_time_zone(struct checker *checker, const struct at *at,
                            const struct json_node *spec, const struct json *old) {
        struct slice zone = node_get_text(spec, "timeZone");

        if (!node_get(spec, "timeZone") || (old && is_same_member(spec, old, "timeZone")))
                return;
        const char *problem = time_zone_problem(checker, zone);
        if (problem)
                report_text(checker, at, "timeZone", zone, problem);
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
                       selector_json(&checker, node_get(job, "selector")),
                       "`selector` will be auto-generated");
        if (node_is_true(node_get(job, "manualSelector")))
                report_choice(&checker, &job_spec, "manualSelector", "true", no_choice);
        check_rules(&checker, &at, spec, history_rules);
        /* Its jobs get a suffix of 11 characters. */
        if (operation == KIND_CREATE && name.len > 63 - 11)
                report_text(&checker, &metadata, "name", name,
                            "must be no more than 52 characters");
}
