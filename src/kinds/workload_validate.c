/* Validation of workloads: groups apps and batch, replication controllers, pod templates. */
#include "kinds/number_annotation.h"
#include "kinds/volume_rules.h"
#include "kinds/workload_check.h"

#include "base/util.h"

/* ---- rollout strategies ---- */

static bool is_zero(const struct json_node *value) {
        struct slice text = node_get_slice(value);
        int64_t number = 0;

        /* What is no number and no percentage counts as none. */
        if (text.len && text.ptr[0] != '-' && text.ptr[text.len - 1] == '%')
                slice_to_i64(slice_make(text.ptr, text.len - 1), &number);
        else if (text.len)
                slice_to_i64(text, &number);
        else
                node_as_i64(value, &number);
        return number == 0;
}

static void check_deployment_strategy(struct checker *checker, const struct at *at,
                                      const struct json_node *strategy) {
        static const char *const choices[] = { "Recreate", "RollingUpdate", NULL };
        const struct json_node *rolling = node_get(strategy, "rollingUpdate");
        struct at place = at_member(at, "rollingUpdate");
        struct slice type = node_get_text(strategy, "type");

        if (slice_is(type, "Recreate")) {
                if (rolling)
                        report(checker, FIELD_FORBIDDEN, &place, NULL, NULL,
                               "may not be specified when strategy `type` is 'Recreate'");
        } else if (slice_is(type, "RollingUpdate")) {
                check_int_or_percent(checker, &place, rolling, "maxUnavailable", false);
                check_int_or_percent(checker, &place, rolling, "maxSurge", false);
                if (is_zero(node_get(rolling, "maxUnavailable")) &&
                    is_zero(node_get(rolling, "maxSurge")))
                        report(checker, FIELD_INVALID, &place, "maxUnavailable",
                               node_json(checker, node_get(rolling, "maxUnavailable")),
                               "may not be 0 when `maxSurge` is 0");
                check_not_over_percent(checker, &place, rolling, "maxUnavailable");
        } else {
                report_choice(checker, at, NULL, node_json(checker, strategy), choices);
        }
}

static void check_daemon_strategy(struct checker *checker, const struct at *at,
                                  const struct json_node *strategy) {
        static const char *const choices[] = { "RollingUpdate", "OnDelete", NULL };
        const struct json_node *rolling = node_get(strategy, "rollingUpdate");
        struct at place = at_member(at, "rollingUpdate");
        struct slice type = node_get_text(strategy, "type");

        if (slice_is(type, "OnDelete"))
                return;
        if (!slice_is(type, "RollingUpdate")) {
                report_choice(checker, at, NULL, node_json(checker, strategy), choices);
                return;
        }
        check_int_or_percent(checker, &place, rolling, "maxUnavailable", false);
        check_int_or_percent(checker, &place, rolling, "maxSurge", false);
        check_not_over_percent(checker, &place, rolling, "maxUnavailable");
        check_not_over_percent(checker, &place, rolling, "maxSurge");
        bool has_unavailable = !is_zero(node_get(rolling, "maxUnavailable"));
        bool has_surge = !is_zero(node_get(rolling, "maxSurge"));
        if (has_unavailable && has_surge)
                report(checker, FIELD_INVALID, &place, "maxSurge",
                       node_json(checker, node_get(rolling, "maxSurge")),
                       "may not be set when maxUnavailable is non-zero");
        else if (!has_unavailable && !has_surge)
                report(checker, FIELD_REQUIRED, &place, "maxUnavailable", NULL,
                       "cannot be 0 when maxSurge is 0");
}

/* ---- status ---- */

/* Numbers of pods in a status: none is negative, and some must not be above others. */
struct replica_order {
        const char *member, *most, *text;
};
struct replica_status {
        const char *const *counts; /* NULL-ended */
        const struct replica_order *orders;
        size_t order_count;
};
#define MOST "cannot be greater than status.replicas"

static const char *const deployment_counts[] = {
        "observedGeneration",  "replicas",          "updatedReplicas",
        "readyReplicas",       "availableReplicas", "unavailableReplicas",
        "terminatingReplicas", "collisionCount",    NULL,
};
static const struct replica_order deployment_orders[] = {
        { "updatedReplicas", "replicas", MOST },
        { "readyReplicas", "replicas", MOST },
        { "availableReplicas", "replicas", MOST },
        { "availableReplicas", "readyReplicas", "cannot be greater than readyReplicas" },
};
static const char *const replica_set_counts[] = {
        "replicas",
        "fullyLabeledReplicas",
        "readyReplicas",
        "availableReplicas",
        "observedGeneration",
        "terminatingReplicas",
        NULL,
};
static const struct replica_order replica_set_orders[] = {
        { "fullyLabeledReplicas", "replicas", MOST },
        { "readyReplicas", "replicas", MOST },
        { "availableReplicas", "replicas", MOST },
        { "availableReplicas", "readyReplicas", "cannot be greater than readyReplicas" },
};
static const char *const stateful_set_counts[] = {
        "replicas",          "readyReplicas",      "currentReplicas", "updatedReplicas",
        "availableReplicas", "observedGeneration", "collisionCount",  NULL,
};
static const struct replica_order stateful_set_orders[] = {
        { "readyReplicas", "replicas", MOST },
        { "currentReplicas", "replicas", MOST },
        { "updatedReplicas", "replicas", MOST },
        { "availableReplicas", "replicas", MOST },
        { "availableReplicas", "readyReplicas", "cannot be greater than status.readyReplicas" },
};
static const char *const daemon_set_counts[] = {
        "currentNumberScheduled", "numberMisscheduled",
        "desiredNumberScheduled", "numberReady",
        "observedGeneration",     "updatedNumberScheduled",
        "numberAvailable",        "numberUnavailable",
        "collisionCount",         NULL,
};
static const struct replica_status deployment_status = { deployment_counts, deployment_orders,
                                                         ARRAY_LEN(deployment_orders) };
static const struct replica_status replica_set_status = { replica_set_counts, replica_set_orders,
                                                          ARRAY_LEN(replica_set_orders) };
static const struct replica_status stateful_set_status = { stateful_set_counts, stateful_set_orders,
                                                           ARRAY_LEN(stateful_set_orders) };
static const struct replica_status daemon_set_status = { daemon_set_counts, NULL, 0 };

static void check_replica_status(struct checker *checker, const struct json_node *object,
                                 const struct json *old, const struct replica_status *rules) {
        const struct json_node *status = node_get(object, "status");
        int64_t collisions = node_get_i64(status, "collisionCount", 0);
        struct at at = at_root("status");

        for (const char *const *count = rules->counts; *count; count++)
                check_not_negative(checker, &at, status, *count);
        for (size_t i = 0; i < rules->order_count; i++) {
                const struct replica_order *order = &rules->orders[i];
                int64_t value = node_get_i64(status, order->member, 0);

                if (value > node_get_i64(status, order->most, 0))
                        report_number(checker, &at, order->member, value, order->text);
        }
        if (json_get(json_get(old, "status"), "collisionCount") &&
            (!node_get(status, "collisionCount") ||
             collisions < json_get_i64(json_get(old, "status"), "collisionCount", 0)))
                report_number(checker, &at, "collisionCount", collisions, "cannot be decremented");
}

/* ---- apps ---- */

static void check_rollback(struct checker *checker, const struct at *at,
                           const struct json_node *deployment) {
        const struct json_node *annotations =
                node_get(node_get(deployment, "metadata"), "annotations");
        struct at rollback = at_member(at, "rollback");
        int64_t revision;

        if (slice_to_i64(node_get_text(annotations, ROLLBACK_REVISION), &revision) && revision < 0)
                report_number(checker, &rollback, "version", revision,
                              "must be greater than or equal to 0");
}

VALIDATE_HOOK(deployment_validate) {
        struct checker checker = { .errors = errors, .context = context };
        const struct json_node *spec = node_get(object, "spec");
        struct at at = at_root("spec"), strategy = at_member(&at, "strategy");
        int64_t ready_s = node_get_i64(spec, "minReadySeconds", 0);
        int64_t deadline_s = node_get_i64(spec, "progressDeadlineSeconds", 0);

        if (operation == KIND_UPDATE_STATUS) {
                check_replica_status(&checker, object, old, &deployment_status);
                return;
        }
        check_not_negative(&checker, &at, spec, "replicas");
        check_selector(&checker, &at, spec, "deployment");
        check_selected_template(&checker, &at, spec, "ReplicaSet");
        check_deployment_strategy(&checker, &strategy, node_get(spec, "strategy"));
        check_not_negative(&checker, &at, spec, "minReadySeconds");
        check_not_negative(&checker, &at, spec, "revisionHistoryLimit");
        check_rollback(&checker, &at, object);
        check_not_negative(&checker, &at, spec, "progressDeadlineSeconds");
        if (node_get(spec, "progressDeadlineSeconds") && deadline_s <= ready_s)
                report_number(&checker, &at, "progressDeadlineSeconds", deadline_s,
                              "must be greater than minReadySeconds");
        check_selector_immutable(&checker, operation, &at, spec, old);
}

VALIDATE_HOOK(replica_set_validate) {
        struct checker checker = { .errors = errors, .context = context };
        const struct json_node *spec = node_get(object, "spec");
        struct at at = at_root("spec");

        if (operation == KIND_UPDATE_STATUS) {
                check_replica_status(&checker, object, old, &replica_set_status);
                return;
        }
        check_not_negative(&checker, &at, spec, "replicas");
        check_not_negative(&checker, &at, spec, "minReadySeconds");
        check_selector(&checker, &at, spec, "deployment");
        check_selected_template(&checker, &at, spec, "ReplicaSet");
        check_selector_immutable(&checker, operation, &at, spec, old);
}

VALIDATE_HOOK(daemon_set_validate) {
        struct checker checker = { .errors = errors, .context = context };
        const struct json_node *spec = node_get(object, "spec");
        const struct json_node *selector = object_at(spec, "selector");
        struct at at = at_root("spec"), place = at_member(&at, "selector");
        struct at strategy = at_member(&at, "updateStrategy");

        if (operation == KIND_UPDATE_STATUS) {
                check_replica_status(&checker, object, old, &daemon_set_status);
                return;
        }
        check_selector_immutable(&checker, operation, &at, spec, old);
        check_label_selector(&checker, &place, selector);
        if (is_valid_selector(selector))
                check_template_match(&checker, &at, spec, selector);
        if (is_empty_selector(selector))
                report(&checker, FIELD_INVALID, &place, NULL, node_json(&checker, selector),
                       "empty selector is invalid for daemonset");
        check_template(&checker, &at, spec);
        check_endless(&checker, &at, spec, "DaemonSet");
        check_not_negative(&checker, &at, spec, "minReadySeconds");
        check_daemon_strategy(&checker, &strategy, node_get(spec, "updateStrategy"));
        check_not_negative(&checker, &at, spec, "revisionHistoryLimit");
}

static void check_stateful_strategy(struct checker *checker, const struct at *at,
                                    const struct json_node *spec) {
        const struct json_node *strategy = node_get(spec, "updateStrategy");
        const struct json_node *rolling = node_get(strategy, "rollingUpdate");
        struct at place = at_member(at, "updateStrategy"),
                  inner = at_member(&place, "rollingUpdate");
        struct slice type = node_get_text(strategy, "type");

        if (type.len == 0) {
                report(checker, FIELD_REQUIRED, &place, NULL, NULL, NULL);
        } else if (slice_is(type, "RollingUpdate")) {
                const struct json_node *most = node_get(rolling, "maxUnavailable");

                check_not_negative(checker, &inner, rolling, "partition");
                check_int_or_percent(checker, &inner, rolling, "maxUnavailable", false);
                if (most && is_zero(most))
                        report(checker, FIELD_INVALID, &inner, "maxUnavailable",
                               node_json(checker, most), "cannot be 0");
                check_not_over_percent(checker, &inner, rolling, "maxUnavailable");
        } else if (!slice_is(type, "OnDelete")) {
                report(checker, FIELD_INVALID, &place, NULL, node_json(checker, strategy),
                       "must be 'RollingUpdate' or 'OnDelete'");
        } else if (rolling) {
                report(checker, FIELD_INVALID, &inner, NULL, node_json(checker, rolling),
                       "only allowed for updateStrategy 'RollingUpdate'");
        }
}

static struct slice claim_name(const struct json_node *claim) {
        return node_get_text(node_get(claim, "metadata"), "name");
}

/* Volumes for claims take the place of others of their name, before the rest. */
static void add_claim_volumes(struct json_tree *tree, struct json_node *pod,
                              const struct json_node *claims) {
        struct node_iter iter = node_iter(claims), old = node_iter(node_get(pod, "volumes"));
        CLEANUP(text_set_release) struct text_set names = { 0 };
        struct json_node *claim, *volume, *volumes = node_array(tree);

        while (node_next(&iter, NULL, &claim)) {
                struct json_node *source = node_object(tree);

                if (!text_set_add(&names, claim_name(claim)))
                        continue;
                volume = node_object(tree);
                node_put_text(tree, volume, "name", claim_name(claim));
                node_put_text(tree, source, "claimName", claim_name(claim));
                node_put(tree, volume, "persistentVolumeClaim", source);
                node_append(volumes, volume);
        }
        while (node_next(&old, NULL, &volume))
                if (!text_set_has(&names, node_get_text(volume, "name")))
                        node_append(volumes, node_clone(tree, volume));
        node_put(tree, pod, "volumes", volumes);
}

/* The template as its pods will see it: volumes for the claims, names given by the set. */
static struct json_node *filled_in_spec(struct json_tree *tree, const struct json_node *spec) {
        struct json_node *copy = node_clone(tree, spec);
        struct json_node *pod =
                node_need_object(tree, node_need_object(tree, copy, "template"), "spec");
        const struct json_node *claims = node_get(spec, "volumeClaimTemplates");

        node_remove(pod, "hostname");
        node_remove(pod, "subdomain");
        if (node_count(claims) == 0)
                return copy;
        add_claim_volumes(tree, pod, claims);
        return copy;
}

#define STATEFUL_SET_TEXT                                                                          \
        "updates to statefulset spec for fields other than 'replicas', 'ordinals', 'template', "   \
        "'updateStrategy', 'revisionHistoryLimit', 'persistentVolumeClaimRetentionPolicy' and "    \
        "'minReadySeconds' are forbidden"

static void check_stateful_set_update(struct checker *checker, const struct at *at,
                                      const struct json_node *spec, const struct json *old) {
        static const char *const fixed[] = { "selector", "serviceName", "podManagementPolicy",
                                             "volumeClaimTemplates" };

        for (size_t i = 0; i < ARRAY_LEN(fixed); i++)
                if (!is_same_member(spec, old, fixed[i])) {
                        report(checker, FIELD_FORBIDDEN, at, NULL, NULL, STATEFUL_SET_TEXT);
                        return;
                }
}

static void check_stateful_template(struct checker *checker, const struct at *at,
                                    const struct json_node *spec) {
        const struct json_node *selector = object_at(spec, "selector");
        struct at place = at_member(at, "selector"), template = at_member(at, "template");
        struct json_tree *tree = json_tree_new();
        const struct json_node *filled = filled_in_spec(tree, spec);

        if (!is_valid_selector(selector)) {
                report(checker, FIELD_INVALID, &place, NULL, node_json(checker, selector), NULL);
        } else {
                if (!is_empty_selector(selector))
                        check_template_match(checker, at, spec, selector);
                check_template(checker, at, filled);
                check_template_names(checker, &template, node_get(filled, "template"));
        }
        check_endless(checker, at, spec, "StatefulSet");
        json_tree_free(tree);
}

VALIDATE_HOOK(stateful_set_validate) {
        static const char *const retentions[] = { "Retain", "Delete", NULL };
        static const struct rule retention_rules[] = {
                { "whenDeleted", rule_choice, RULE_ALWAYS, .data = retentions },
                { "whenScaled", rule_choice, RULE_ALWAYS, .data = retentions },
                RULES_END,
        };
        static const struct rule rules[] = {
                { "persistentVolumeClaimRetentionPolicy", rule_object, .data = retention_rules },
                RULES_END,
        };
        struct checker checker = { .errors = errors, .context = context };
        const struct json_node *spec = node_get(object, "spec");
        const struct json_node *claims = node_get(spec, "volumeClaimTemplates");
        struct slice policy = node_get_text(spec, "podManagementPolicy");
        struct at at = at_root("spec"), claim_list = at_member(&at, "volumeClaimTemplates");

        if (operation == KIND_UPDATE_STATUS) {
                check_replica_status(&checker, object, old, &stateful_set_status);
                return;
        }
        if (policy.len == 0)
                report(&checker, FIELD_REQUIRED, &at, "podManagementPolicy", NULL, NULL);
        else if (!slice_is(policy, "OrderedReady") && !slice_is(policy, "Parallel"))
                report_text(&checker, &at, "podManagementPolicy", policy,
                            "must be 'OrderedReady' or 'Parallel'");
        check_stateful_strategy(&checker, &at, spec);
        check_rules(&checker, &at, spec, rules);
        for (size_t i = 0; operation == KIND_CREATE && i < node_count(claims); i++) {
                struct at place = at_index(&claim_list, i), claim = at_member(&place, "spec");

                check_volume_claim_spec(&checker, &claim, node_get(node_at(claims, i), "spec"));
        }
        check_not_negative(&checker, &at, spec, "replicas");
        check_not_negative(&checker, &at, spec, "minReadySeconds");
        if (node_get_i64(node_get(spec, "ordinals"), "start", 0) < 0)
                report_number(&checker, &at, "ordinals.start",
                              node_get_i64(node_get(spec, "ordinals"), "start", 0),
                              "must be greater than or equal to 0");
        if (operation == KIND_CREATE)
                check_name(&checker, &at, spec, "serviceName", NAME_LABEL);
        check_selector(&checker, &at, spec, "statefulset");
        check_stateful_template(&checker, &at, spec);
        if (operation == KIND_UPDATE)
                check_stateful_set_update(&checker, &at, spec, json_get(old, "spec"));
}

/* ---- revisions ---- */

VALIDATE_HOOK(controller_revision_validate) {
        struct checker checker = { .errors = errors, .context = context };
        const struct json_node *data = node_get(object, "data");
        struct at place = at_root("data"), revision = at_root("revision");
        int64_t number = node_get_i64(object, "revision", 0);

        if (number < 0)
                report_number(&checker, &revision, NULL, number,
                              "must be greater than or equal to 0");
        if (operation == KIND_CREATE && (!data || node_type(data) == JSON_NULL))
                report(&checker, FIELD_REQUIRED, &place, NULL, NULL, "data is mandatory");
        else if (operation == KIND_CREATE && node_type(data) != JSON_OBJECT)
                report(&checker, FIELD_REQUIRED, &place, NULL, NULL,
                       "data must be a valid JSON object");
        if (operation != KIND_CREATE &&
            (context->has_raw_changes || !is_same_member(object, old, "data")))
                report(&checker, FIELD_INVALID, &place, NULL, node_json(&checker, data),
                       "field is immutable");
}

/* ---- core ---- */

VALIDATE_HOOK(pod_template_validate) {
        struct checker checker = { .errors = errors, .context = context };
        struct at at = at_root("template");

        (void)operation, (void)old;
        check_pod_template(&checker, &at, node_get(object, "template"));
}

VALIDATE_HOOK(replication_controller_validate) {
        struct checker checker = { .errors = errors, .context = context };
        const struct json_node *spec = node_get(object, "spec");
        const struct json_node *selector = object_at(spec, "selector");
        const struct json_node *labels =
                node_get(node_get(node_get(spec, "template"), "metadata"), "labels");
        struct at at = at_root("spec"), template = at_member(&at, "template");
        struct at metadata = at_member(&template, "metadata");
        struct node_iter iter = node_iter(selector);
        bool is_matching = true;
        struct json_node *value;
        struct slice key;

        if (operation == KIND_UPDATE_STATUS) {
                check_replica_status(&checker, object, old, &replica_set_status);
                return;
        }
        check_not_negative(&checker, &at, spec, "minReadySeconds");
        if (node_count(selector) == 0)
                report(&checker, FIELD_REQUIRED, &at, "selector", NULL, NULL);
        check_not_negative(&checker, &at, spec, "replicas");
        if (!check_required(&checker, &at, spec, "template"))
                return;
        while (node_next(&iter, &key, &value))
                is_matching &= node_equal(node_find(labels, key), value);
        if (!is_matching)
                report(&checker, FIELD_INVALID, &metadata, "labels", node_json(&checker, labels),
                       "`selector` does not match template `labels`");
        check_template(&checker, &at, spec);
        check_endless(&checker, &at, spec, "ReplicationController");
}
