/* Validation of jobs. */
#include "kinds/workload_check.h"

#include "base/arena.h"
#include "base/util.h"

#define POLICY_RULES_MAX 20
#define EXIT_CODES_MAX 255
#define CONDITIONS_MAX 20
#define INDEXES_MAX ((size_t)64 << 10)
#define MANAGER_MAX 63
#define PARALLELISM_MAX 100000 /* of indexed jobs, as is the number of failed indexes */
#define COMPLETIONS_MANY 100000
#define PARALLELISM_MANY 10000

/* ---- policies of failure ---- */

static const char *const failure_actions[] = { "Count", "FailIndex", "FailJob", "Ignore", NULL };
static const char *const exit_operators[] = { "In", "NotIn", NULL };
static const char *const condition_states[] = { "False", "True", "Unknown", NULL };

/* The job that rules are of; checker->subject has no room for it in templates of cron jobs. */
static const struct json_node *policy_spec(const struct checker *checker) {
        return checker->subject;
}

OWN_RULE(rule_failure_action) {
        static const struct rule choices = { NULL, rule_choice, .data = failure_actions };

        (void)rule;
        if (!slice_is(node_get_slice(value), "FailIndex"))
                rule_choice(checker, at, value, &choices);
        else if (!node_get(policy_spec(checker), "backoffLimitPerIndex"))
                report_text(checker, at, NULL, node_get_slice(value),
                            "requires the backoffLimitPerIndex to be set");
}

static bool has_container(const struct json_node *pod, struct slice name) {
        static const char *const lists[] = { "containers", "initContainers" };

        for (size_t i = 0; i < ARRAY_LEN(lists); i++) {
                const struct json_node *list = node_get(pod, lists[i]);

                for (size_t j = 0; j < node_count(list); j++)
                        if (slice_eq(node_get_text(node_at(list, j), "name"), name))
                                return true;
        }
        return false;
}

static void check_exit_values(struct checker *checker, const struct at *at,
                              const struct json_node *values, bool is_in) {
        CLEANUP(text_set_release) struct text_set seen = { 0 };
        int64_t last = INT64_MIN, code = 0;
        bool is_ordered = true;

        if (node_count(values) == 0)
                report(checker, FIELD_INVALID, at, NULL, "null", "at least one value is required");
        check_at_most(checker, at, node_count(values), EXIT_CODES_MAX);
        for (size_t i = 0; i < node_count(values); i++) {
                struct at place = at_index(at, i);

                node_as_i64(node_at(values, i), &code);
                const char *text = message_of(checker, "%lld", (long long)code);
                if (is_in && code == 0)
                        report_number(checker, &place, NULL, code,
                                      "must not be 0 for the In operator");
                if (!text_set_add(&seen, slice_of(text)))
                        report(checker, FIELD_DUPLICATE, &place, NULL, text, NULL);
                is_ordered &= last <= code;
                last = code;
        }
        if (!is_ordered)
                report(checker, FIELD_INVALID, at, NULL, node_json(checker, values),
                       "must be ordered");
}

OWN_RULE(rule_exit_codes) {
        static const struct rule rules[] = {
                { "operator", rule_choice, RULE_REQUIRED,
                  .text = "valid values: [\"In\" \"NotIn\"]", .data = exit_operators },
                RULES_END,
        };
        const struct json_node *name = node_get(value, "containerName");
        const struct json_node *pod = node_get(node_get(policy_spec(checker), "template"), "spec");
        struct at values = at_member(at, "values");

        (void)rule;
        check_rules(checker, at, value, rules);
        if (name && !has_container(pod, node_get_slice(name)))
                report_text(checker, at, "containerName", node_get_slice(name),
                            "must be one of the container or initContainer names in the pod "
                            "template");
        check_exit_values(checker, &values, node_get(value, "values"),
                          slice_is(node_get_text(value, "operator"), "In"));
}

static const struct rule pattern_rules[] = {
        { "type", rule_form, RULE_ALWAYS, .low = FORM_QUALIFIED },
        { "status", rule_choice, RULE_REQUIRED,
          .text = "valid values: [\"False\" \"True\" \"Unknown\"]", .data = condition_states },
        RULES_END,
};
static const struct rule failure_rules[] = {
        { "action", rule_failure_action, RULE_REQUIRED,
          .text = "valid values: [\"Count\" \"FailIndex\" \"FailJob\" \"Ignore\"]" },
        { "onExitCodes", rule_exit_codes },
        { "onPodConditions", rule_object, RULE_EACH, .data = pattern_rules },
        RULES_END,
};

static void check_failure_policy(struct checker *checker, const struct at *at,
                                 const struct json_node *policy) {
        const struct json_node *list = node_get(policy, "rules");
        struct at place = at_member(at, "rules");

        check_at_most(checker, &place, node_count(list), POLICY_RULES_MAX);
        for (size_t i = 0; i < node_count(list); i++) {
                const struct json_node *item = node_at(list, i);
                size_t conditions = node_count(node_get(item, "onPodConditions"));
                struct at element = at_index(&place, i);
                struct at patterns = at_member(&element, "onPodConditions");

                check_rules(checker, &element, item, failure_rules);
                check_at_most(checker, &patterns, conditions, CONDITIONS_MAX);
                if (node_get(item, "onExitCodes") && conditions)
                        report(checker, FIELD_INVALID, &element, NULL, NULL,
                               "specifying both OnExitCodes and OnPodConditions is not supported");
                if (!node_get(item, "onExitCodes") && !conditions)
                        report(checker, FIELD_INVALID, &element, NULL, NULL,
                               "specifying one of OnExitCodes and OnPodConditions is required");
        }
}

/* ---- policies of success ---- */

static void check_success_rule(struct checker *checker, const struct at *at,
                               const struct json_node *rule, int64_t completions) {
        const struct json_node *indexes = node_get(rule, "succeededIndexes");
        const struct json_node *count = node_get(rule, "succeededCount");
        struct slice text = node_get_slice(indexes);
        int64_t wanted = 0, total = 0;

        if (!indexes && !count)
                report(checker, FIELD_REQUIRED, at, NULL, NULL,
                       "at least one of succeededCount or succeededIndexes must be specified");
        if (text.len > INDEXES_MAX)
                report(checker, FIELD_TOO_LONG, at, "succeededIndexes", NULL,
                       "may not be more than 65536 bytes");
        const char *problem =
                indexes ? indexes_problem(checker->errors->arena, text, completions, &total) : NULL;
        if (problem)
                report_text(checker, at, "succeededIndexes", text,
                            message_of(checker, "error parsing succeededIndexes: %s", problem));
        if (!count)
                return;
        check_not_negative(checker, at, rule, "succeededCount");
        node_as_i64(count, &wanted);
        if (wanted > completions)
                report_number(checker, at, "succeededCount", wanted,
                              message_of(checker,
                                         "must be less than or equal to %lld (the number of "
                                         "specified completions)",
                                         (long long)completions));
        if (indexes && wanted > total)
                report_number(checker, at, "succeededCount", wanted,
                              message_of(checker,
                                         "must be less than or equal to %lld (the number of "
                                         "indexes in the specified succeededIndexes field)",
                                         (long long)total));
}

static void check_success_policy(struct checker *checker, const struct at *at,
                                 const struct json_node *spec) {
        const struct json_node *policy = node_get(spec, "successPolicy");
        const struct json_node *list = node_get(policy, "rules");
        struct at place = at_member(at, "rules");

        if (!slice_is(node_get_text(spec, "completionMode"), "Indexed")) {
                report(checker, FIELD_INVALID, at, NULL, node_json(checker, policy),
                       "requires indexed completion mode");
                return;
        }
        if (node_count(list) == 0)
                report(checker, FIELD_REQUIRED, &place, NULL, NULL,
                       "at least one rules must be specified when the successPolicy is specified");
        check_at_most(checker, &place, node_count(list), POLICY_RULES_MAX);
        for (size_t i = 0; i < node_count(list); i++) {
                struct at element = at_index(&place, i);

                check_success_rule(checker, &element, node_at(list, i),
                                   node_get_i64(spec, "completions", 0));
        }
}

/* ---- what a job has in common with the template of a cron job ---- */

static const struct rule count_rules[] = {
        { "parallelism", rule_not_negative },
        { "completions", rule_not_negative },
        { "activeDeadlineSeconds", rule_not_negative },
        { "backoffLimit", rule_not_negative },
        { "ttlSecondsAfterFinished", rule_not_negative },
        { "backoffLimitPerIndex", rule_not_negative },
        { "maxFailedIndexes", rule_not_negative },
        RULES_END,
};

/* "acme.io/foo" */
static void check_manager(struct checker *checker, const struct at *at, struct slice manager) {
        const char *slash = manager.len ? memchr(manager.ptr, '/', manager.len) : NULL;
        size_t place = slash ? (size_t)(slash - manager.ptr) : 0;
        struct slice path = slash ? slice_make(slash + 1, manager.len - place - 1) : SLICE_EMPTY;

        if (manager.len == 0)
                report(checker, FIELD_REQUIRED, at, NULL, NULL, NULL);
        else if (place == 0 || path.len == 0)
                report_text(checker, at, NULL, manager,
                            "must be a domain-prefixed path (such as \"acme.io/foo\")");
        else {
                check_form(checker, at, slice_make(manager.ptr, place), FORM_SUBDOMAIN);
                if (!text_matches(path, "^[A-Za-z0-9/\\-._~%!$&'()*+,;=:]+$"))
                        report_text(checker, at, NULL, path,
                                    "Invalid path (regex used for validation is "
                                    "'[A-Za-z0-9/\\-._~%!$&'()*+,;=:]+')");
        }
        if (manager.len > MANAGER_MAX)
                report(checker, FIELD_TOO_LONG, at, NULL, NULL, "may not be more than 63 bytes");
}

/* What a member of an indexed job must not exceed. */
struct count_limit {
        const char *member;
        int64_t high;
        const char *text;
        bool is_for_many; /* completions, with a limit of failures for each index */
};
static const struct count_limit count_limits[] = {
        { "parallelism", PARALLELISM_MAX,
          "must be less than or equal to 100000 when completion mode is Indexed", false },
        { "maxFailedIndexes", -1, "must be less than or equal to completions", false },
        { "maxFailedIndexes", PARALLELISM_MAX, "must be less than or equal to 100000", false },
        { "parallelism", PARALLELISM_MANY,
          "must be less than or equal to 10000 when completions are above 100000 and used with "
          "backoff limit per index",
          true },
        { "maxFailedIndexes", PARALLELISM_MANY,
          "must be less than or equal to 10000 when completions are above 100000 and used with "
          "backoff limit per index",
          true },
};

static void check_indexed(struct checker *checker, const struct at *at,
                          const struct json_node *spec) {
        const struct json_node *completions = node_get(spec, "completions");
        int64_t count = node_get_i64(spec, "completions", INT64_MAX);
        bool has_many =
                completions && count > COMPLETIONS_MANY && node_get(spec, "backoffLimitPerIndex");

        if (!completions)
                report(checker, FIELD_REQUIRED, at, "completions", NULL,
                       "when completion mode is Indexed");
        for (size_t i = 0; i < ARRAY_LEN(count_limits); i++) {
                const struct count_limit *limit = &count_limits[i];
                int64_t value = node_get_i64(spec, limit->member, 0);

                if (i == 3 && has_many && !node_get(spec, "maxFailedIndexes"))
                        report(checker, FIELD_REQUIRED, at, "maxFailedIndexes", NULL,
                               "must be specified when completions is above 100000");
                if ((!limit->is_for_many || has_many) && node_get(spec, limit->member) &&
                    value > (limit->high < 0 ? count : limit->high))
                        report_number(checker, at, limit->member, value, limit->text);
        }
}

static void check_completion_mode(struct checker *checker, const struct at *at,
                                  const struct json_node *spec) {
        static const char *const modes[] = { "NonIndexed", "Indexed", NULL };
        static const struct rule rules[] = {
                { "completionMode", rule_choice, RULE_PRESENT, .data = modes },
                RULES_END,
        };
        static const char *const indexed_only[] = { "backoffLimitPerIndex", "maxFailedIndexes" };
        const struct json_node *mode = node_get(spec, "completionMode");

        if (node_get(spec, "maxFailedIndexes") && !node_get(spec, "backoffLimitPerIndex"))
                report(checker, FIELD_REQUIRED, at, "backoffLimitPerIndex", NULL,
                       "when maxFailedIndexes is specified");
        if (node_get(spec, "managedBy")) {
                struct at manager = at_member(at, "managedBy");

                check_manager(checker, &manager, node_get_text(spec, "managedBy"));
        }
        check_rules(checker, at, spec, rules);
        if (slice_is(node_get_slice(mode), "Indexed"))
                check_indexed(checker, at, spec);
        if (mode && !slice_is(node_get_slice(mode), "NonIndexed"))
                return;
        for (size_t i = 0; i < ARRAY_LEN(indexed_only); i++)
                if (node_get(spec, indexed_only[i]))
                        report_number(checker, at, indexed_only[i],
                                      node_get_i64(spec, indexed_only[i], 0),
                                      "requires indexed completion mode");
}

static void check_policies(struct checker *checker, const struct at *at,
                           const struct json_node *spec) {
        static const char *const any[] = { "Failed", "TerminatingOrFailed", NULL };
        static const char *const failed[] = { "Failed", NULL };
        struct at failure = at_member(at, "podFailurePolicy");
        struct at success = at_member(at, "successPolicy");
        const struct rule rules[] = {
                { "podReplacementPolicy", rule_choice, RULE_PRESENT,
                  .data = node_get(spec, "podFailurePolicy") ? failed : any },
                RULES_END,
        };

        checker->subject = spec;
        if (node_get(spec, "podFailurePolicy"))
                check_failure_policy(checker, &failure, node_get(spec, "podFailurePolicy"));
        if (node_get(spec, "successPolicy"))
                check_success_policy(checker, &success, spec);
        check_rules(checker, at, spec, rules);
}

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

void check_job_spec(struct checker *checker, const struct at *at, const struct json_node *spec) {
        check_rules(checker, at, spec, count_rules);
        check_completion_mode(checker, at, spec);
        check_policies(checker, at, spec);
        check_template(checker, at, spec);
        check_job_restart(checker, at, spec);
}

/* ---- jobs ---- */

/* As Go prints a map. */
static const char *sorted_json(struct checker *checker, const struct json_node *map) {
        CLEANUP(cleanup_json_tree) struct json_tree *tree = json_tree_new();
        struct json_node *sorted = node_clone(tree, map);

        node_sort_all(sorted);
        return node_json(checker, sorted);
}

/* The job's own labels, which the generated selector is made of. */
static void check_generated_selector(struct checker *checker, const struct json_node *job,
                                     size_t label_count) {
        const struct json_node *spec = node_get(job, "spec"), *metadata = node_get(job, "metadata");
        const struct json_node *given =
                node_get(node_get(node_get(spec, "template"), "metadata"), "labels");
        const struct {
                const char *label;
                struct slice value;
        } wanted[] = {
                { "controller-uid", node_get_text(metadata, "uid") },
                { "job-name", node_get_text(metadata, "name") },
                { "batch.kubernetes.io/controller-uid", node_get_text(metadata, "uid") },
                { "batch.kubernetes.io/job-name", node_get_text(metadata, "name") },
        };
        struct at root = at_root("spec"), template = at_member(&root, "template");
        struct at inner = at_member(&template, "metadata"), labels = at_member(&inner, "labels");
        struct json_tree *tree = json_tree_new();
        struct json_node *expected = node_object(tree);

        for (size_t i = 0; i < label_count; i++) {
                struct at place = at_key(&labels, slice_of(wanted[i].label));
                const struct json_node *label = node_get(given, wanted[i].label);
                const char *text =
                        message_of(checker, "must be '" SLICE_FMT "'", SLICE_ARG(wanted[i].value));

                node_put_text(tree, expected, wanted[i].label, wanted[i].value);
                if (!label)
                        report(checker, FIELD_REQUIRED, &place, NULL, NULL, text);
                else if (!slice_eq(node_get_slice(label), wanted[i].value))
                        report_as_is(checker, FIELD_INVALID, &place, sorted_json(checker, given),
                                     text);
        }
        if (is_valid_selector(object_at(spec, "selector")) &&
            !matches_labels(object_at(spec, "selector"), expected))
                report(checker, FIELD_INVALID, &root, "selector",
                       node_json(checker, object_at(spec, "selector")),
                       "`selector` not auto-generated");
        json_tree_free(tree);
}

static void check_whole_spec(struct checker *checker, const struct at *at,
                             const struct json_node *spec) {
        const struct json_node *selector = object_at(spec, "selector");
        struct at place = at_member(at, "selector");

        check_job_spec(checker, at, spec);
        if (selector)
                check_label_selector(checker, &place, selector);
        else
                report(checker, FIELD_REQUIRED, &place, NULL, NULL, NULL);
        if (!selector || is_valid_selector(selector))
                check_template_match(checker, at, spec, selector);
}

static void check_pod_names(struct checker *checker, const struct json_node *job) {
        const struct json_node *spec = node_get(job, "spec");
        struct slice name = node_get_text(node_get(job, "metadata"), "name");
        int64_t completions = node_get_i64(spec, "completions", 0);
        struct at metadata = at_root("metadata");

        if (!slice_is(node_get_text(spec, "completionMode"), "Indexed") || completions <= 0)
                return;
        const char *last =
                message_of(checker, SLICE_FMT "-%lld", SLICE_ARG(name), (long long)completions - 1);
        if (name_problem(NAME_LABEL, slice_of(last), false))
                report(checker, FIELD_INVALID, &metadata, "name", quoted(checker, name),
                       message_of(checker, "will not able to create pod with invalid DNS label: %s",
                                  last));
}

/* ---- updates ---- */

static void check_completions_update(struct checker *checker, const struct at *at,
                                     const struct json_node *spec, const struct json *old) {
        bool is_indexed = slice_is(node_get_text(spec, "completionMode"), "Indexed");
        int64_t completions = node_get_i64(spec, "completions", 0);

        if (!is_indexed)
                check_immutable(checker, at, spec, old, "completions");
        else if (node_get(spec, "completions") && !is_same_member(spec, old, "completions") &&
                 completions != node_get_i64(spec, "parallelism", 0))
                report_number(checker, at, "completions", completions,
                              "can only be modified in tandem with spec.parallelism");
}

/* Takes what a suspended job may still change from the new template. */
static void even_out_template(struct json_tree *tree, struct json_node *old,
                              const struct json_node *new) {
        static const char *const free_members[] = { "nodeSelector", "tolerations",
                                                    "schedulingGates" };
        static const char *const free_metadata[] = { "annotations", "labels" };
        struct json_node *spec = node_get(old, "spec");
        const struct json_node *affinity =
                node_get(node_get(node_get(new, "spec"), "affinity"), "nodeAffinity");

        for (size_t i = 0; i < ARRAY_LEN(free_members); i++)
                take_node(tree, spec, node_get(new, "spec"), free_members[i]);
        for (size_t i = 0; i < ARRAY_LEN(free_metadata); i++)
                take_node(tree, node_need_object(tree, old, "metadata"), node_get(new, "metadata"),
                          free_metadata[i]);
        if (node_count(node_get(old, "metadata")) == 0 && !node_get(new, "metadata"))
                node_remove(old, "metadata");
        if (affinity)
                node_put(tree, node_need_object(tree, spec, "affinity"), "nodeAffinity",
                         node_clone(tree, affinity));
        else if (node_get(spec, "affinity"))
                node_remove(node_get(spec, "affinity"), "nodeAffinity");
        if (!node_get(node_get(new, "spec"), "affinity") &&
            node_count(node_get(spec, "affinity")) == 0)
                node_remove(spec, "affinity");
}

static bool is_condition(const struct json *job, const char *type) {
        struct json_iter iter = json_iter(json_get(json_get(job, "status"), "conditions"));
        const struct json *condition;

        while (json_next(&iter, NULL, &condition))
                if (slice_is(json_get_text(condition, "type"), type) &&
                    slice_is(json_get_text(condition, "status"), "True"))
                        return true;
        return false;
}

static void even_out_resources(struct json_tree *tree, struct json_node *old,
                               const struct json_node *new, const char *list) {
        struct json_node *before = node_get(old, list);
        const struct json_node *after = node_get(new, list);

        for (size_t i = 0; node_count(before) == node_count(after) && i < node_count(after); i++)
                if (slice_eq(node_get_text(node_at(before, i), "name"),
                             node_get_text(node_at(after, i), "name")))
                        take_node(tree, node_at(before, i), node_at(after, i), "resources");
}

/* A job that is suspended, and whose pods are gone, may still be steered and sized. */
static void check_template_update(struct checker *checker, const struct at *at,
                                  const struct json_node *job, const struct json *old) {
        const struct json *old_spec = json_get(old, "spec");
        const struct json_node *new = node_get(node_get(job, "spec"), "template");
        bool is_suspended = json_get_bool(old_spec, "suspend", false);
        bool is_free = is_suspended &&
                       (is_condition(old, "Suspended") ||
                        !json_get(json_get(old, "status"), "startTime")) &&
                       json_get_i64(json_get(old, "status"), "active", 0) == 0;
        struct at template = at_member(at, "template"), pod = at_member(&template, "spec");
        struct json_tree *tree = json_tree_new();
        struct json_node *before = node_import(tree, json_get(old_spec, "template"));

        if (is_free) {
                even_out_template(tree, before, new);
                even_out_resources(tree, node_get(before, "spec"), node_get(new, "spec"),
                                   "containers");
                even_out_resources(tree, node_get(before, "spec"), node_get(new, "spec"),
                                   "initContainers");
                if (!node_equal(node_get(before, "spec"), node_get(new, "spec")))
                        report(checker, FIELD_INVALID, &pod, NULL,
                               node_json(checker, node_get(new, "spec")), "field is immutable");
        } else if (!node_equal(before, new)) {
                report(checker, FIELD_INVALID, &template, NULL, node_json(checker, new),
                       "field is immutable");
        }
        json_tree_free(tree);
}

static void check_job_update(struct checker *checker, const struct at *at,
                             const struct json_node *job, const struct json *old) {
        static const char *const fixed[] = { "completionMode", "podFailurePolicy",
                                             "backoffLimitPerIndex", "managedBy", "successPolicy" };
        const struct json_node *spec = node_get(job, "spec");
        const struct json *old_spec = json_get(old, "spec");

        check_whole_spec(checker, at, spec);
        check_completions_update(checker, at, spec, old_spec);
        check_immutable(checker, at, spec, old_spec, "selector");
        check_template_update(checker, at, job, old);
        for (size_t i = 0; i < ARRAY_LEN(fixed); i++)
                check_immutable(checker, at, spec, old_spec, fixed[i]);
}

/* Jobs of old have only the labels without a prefix. */
static bool has_prefixed_labels(const struct json *old) {
        const struct json *template = json_get(json_get(old, "spec"), "template");
        const struct json *labels = json_get(json_get(template, "metadata"), "labels");

        return !old || (json_get(labels, "batch.kubernetes.io/job-name") &&
                        json_get(labels, "batch.kubernetes.io/controller-uid"));
}

VALIDATE_HOOK(job_validate) {
        struct checker checker = { .errors = errors, .context = context };
        const struct json_node *spec = node_get(object, "spec");
        struct at at = at_root("spec");

        if (operation == KIND_UPDATE_STATUS) {
                check_job_status(&checker, object, old);
                return;
        }
        if (!node_is_true(node_get(spec, "manualSelector")) && object_at(spec, "selector"))
                check_generated_selector(&checker, object, has_prefixed_labels(old) ? 4 : 2);
        check_whole_spec(&checker, &at, spec);
        check_pod_names(&checker, object);
        if (operation == KIND_UPDATE)
                check_job_update(&checker, &at, object, old);
}
