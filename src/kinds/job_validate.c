/* Validation of jobs and cron jobs. */
#include "kinds/check.h"

#include "base/util.h"

/* ---- jobs ---- */

static void check_job_restart(struct checker *checker, const struct at *at,
                              const struct json_node *spec) {
        static const char *const choices[] = { "OnFailure", "Never", NULL };
        const struct json_node *pod = node_get(node_get(spec, "template"), "spec");
        struct at template = at_member(at, "template"), place = at_member(&template, "spec");
        struct slice policy = node_get_text(pod, "restartPolicy");

        if (policy.len == 0 || slice_is(policy, "Always"))
                report(checker, FIELD_REQUIRED, &place, "restartPolicy", NULL,
                       "valid values: \"OnFailure\", \"Never\"");
        else if (check_choice(checker, &place, pod, "restartPolicy", choices) &&
                 node_get(spec, "podFailurePolicy") && !slice_is(policy, "Never"))
                report_text(checker, &place, "restartPolicy", policy,
                            "only \"Never\" is supported when podFailurePolicy is specified");
}

static void check_completion_mode(struct checker *checker, const struct at *at,
                                  const struct json_node *spec) {
        static const char *const modes[] = { "NonIndexed", "Indexed", NULL };
        static const char *const indexed_only[] = { "backoffLimitPerIndex", "maxFailedIndexes" };
        bool is_indexed = slice_is(node_get_text(spec, "completionMode"), "Indexed");

        check_choice(checker, at, spec, "completionMode", modes);
        if (is_indexed && !node_get(spec, "completions"))
                report(checker, FIELD_REQUIRED, at, "completions", NULL,
                       "when completion mode is Indexed");
        for (size_t i = 0; !is_indexed && i < ARRAY_LEN(indexed_only); i++)
                if (node_get(spec, indexed_only[i]))
                        report_number(checker, at, indexed_only[i],
                                      node_get_i64(spec, indexed_only[i], 0),
                                      "requires indexed completion mode");
}

/* What a job has in common with the template of a cron job. */
static void check_job_spec(struct checker *checker, const struct at *at,
                           const struct json_node *spec) {
        static const char *const counts[] = { "parallelism",
                                              "completions",
                                              "activeDeadlineSeconds",
                                              "backoffLimit",
                                              "ttlSecondsAfterFinished",
                                              "backoffLimitPerIndex",
                                              "maxFailedIndexes" };
        const struct json_node *template = node_get(spec, "template");
        struct at place = at_member(at, "template"), labels = at_member(&place, "labels");
        struct at pod = at_member(&place, "spec");

        for (size_t i = 0; i < ARRAY_LEN(counts); i++)
                check_not_negative(checker, at, spec, counts[i]);
        check_completion_mode(checker, at, spec);
        check_label_map(checker, &labels, node_get(node_get(template, "metadata"), "labels"));
        check_pod_spec(checker, &pod, node_get(template, "spec"));
        check_job_restart(checker, at, spec);
}

static bool is_selected(const struct json_node *spec) {
        const struct json_node *labels =
                node_get(node_get(node_get(spec, "template"), "metadata"), "labels");
        struct node_iter iter = node_iter(node_get(object_at(spec, "selector"), "matchLabels"));
        struct json_node *value;
        struct slice key;

        while (node_next(&iter, &key, &value))
                if (!node_equal(node_find(labels, key), value))
                        return false;
        return true;
}

static void check_job_update(struct checker *checker, const struct at *at,
                             const struct json_node *spec, const struct json *old) {
        static const char *const fixed[] = { "selector",
                                             "template",
                                             "completionMode",
                                             "podFailurePolicy",
                                             "backoffLimitPerIndex",
                                             "managedBy",
                                             "successPolicy" };
        bool is_indexed = slice_is(node_get_text(spec, "completionMode"), "Indexed");
        bool may_change_template = json_get_bool(old, "suspend", false);

        if (!is_indexed)
                check_immutable(checker, at, spec, old, "completions");
        for (size_t i = 0; i < ARRAY_LEN(fixed); i++)
                if (!may_change_template || !slice_is(slice_of(fixed[i]), "template"))
                        check_immutable(checker, at, spec, old, fixed[i]);
}

VALIDATE_HOOK(job_validate) {
        struct checker checker = { .errors = errors, .context = context };
        const struct json_node *spec = node_get(object, "spec");
        const struct json_node *labels =
                node_get(node_get(node_get(spec, "template"), "metadata"), "labels");
        struct at at = at_root("spec"), selector = at_member(&at, "selector");
        struct at template = at_member(&at, "template"),
                  metadata = at_member(&template, "metadata");

        if (operation == KIND_UPDATE_STATUS)
                return;
        check_job_spec(&checker, &at, spec);
        if (check_required(&checker, &at, spec, "selector"))
                check_label_selector(&checker, &selector, object_at(spec, "selector"));
        if (!is_selected(spec))
                report(&checker, FIELD_INVALID, &metadata, "labels",
                       sorted_map_json(&checker, labels),
                       "`selector` does not match template `labels`");
        if (operation == KIND_UPDATE)
                check_job_update(&checker, &at, spec, json_get(old, "spec"));
}

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

VALIDATE_HOOK(cron_job_validate) {
        static const char *const policies[] = { "Allow", "Forbid", "Replace", NULL };
        struct checker checker = { .errors = errors, .context = context };
        const struct json_node *spec = node_get(object, "spec");
        struct slice schedule = node_get_text(spec, "schedule");
        struct at at = at_root("spec"), job = at_member(&at, "jobTemplate");
        struct at job_spec = at_member(&job, "spec");
        const char *problem;

        (void)old;
        if (operation == KIND_UPDATE_STATUS)
                return;
        if (check_required(&checker, &at, spec, "schedule")) {
                problem = schedule_problem(&checker, schedule);
                if (problem)
                        report_text(&checker, &at, "schedule", schedule, problem);
        }
        check_not_negative(&checker, &at, spec, "startingDeadlineSeconds");
        check_choice(&checker, &at, spec, "concurrencyPolicy", policies);
        check_job_spec(&checker, &job_spec, node_get(node_get(spec, "jobTemplate"), "spec"));
        check_not_negative(&checker, &at, spec, "successfulJobsHistoryLimit");
        check_not_negative(&checker, &at, spec, "failedJobsHistoryLimit");
}
