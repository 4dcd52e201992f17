/* Defaults of workloads: groups apps and batch, replication controllers, pod templates. */
#include "kinds/defaults.h"
#include "kinds/number_annotation.h"

void deployment_defaults(struct json_tree *tree, struct json_node *object) {
        struct json_node *spec = node_need_object(tree, object, "spec");
        struct json_node *strategy = node_need_object(tree, spec, "strategy"), *rolling;

        default_absent_i64(tree, spec, "replicas", 1);
        pod_template_defaults(tree, spec);
        default_text(tree, strategy, "type", "RollingUpdate");
        if (slice_is(node_get_text(strategy, "type"), "RollingUpdate")) {
                rolling = node_need_object(tree, strategy, "rollingUpdate");
                default_absent_text(tree, rolling, "maxUnavailable", "25%");
                default_absent_text(tree, rolling, "maxSurge", "25%");
        }
        default_absent_i64(tree, spec, "revisionHistoryLimit", 10);
        default_absent_i64(tree, spec, "progressDeadlineSeconds", 600);
}

void daemon_set_defaults(struct json_tree *tree, struct json_node *object) {
        struct json_node *spec = node_need_object(tree, object, "spec");
        struct json_node *strategy = node_need_object(tree, spec, "updateStrategy"), *rolling;

        pod_template_defaults(tree, spec);
        default_text(tree, strategy, "type", "RollingUpdate");
        if (slice_is(node_get_text(strategy, "type"), "RollingUpdate")) {
                rolling = node_need_object(tree, strategy, "rollingUpdate");
                default_absent_i64(tree, rolling, "maxUnavailable", 1);
                default_absent_i64(tree, rolling, "maxSurge", 0);
        }
        rolling =
                object_at(strategy, "rollingUpdate"); /* also of another type: no pointers inside */
        if (rolling) {
                default_absent_i64(tree, rolling, "maxUnavailable", 0);
                default_absent_i64(tree, rolling, "maxSurge", 0);
        }
        default_absent_i64(tree, spec, "revisionHistoryLimit", 10);
        /* A number inside upstream, so that every writer has one to own. */
        struct json_node *metadata = node_need_object(tree, object, "metadata");
        default_text(tree, node_need_object(tree, metadata, "annotations"), TEMPLATE_GENERATION,
                     "0");
}

/* Claims in a stateful set are complete objects. */
static void claim_template_defaults(struct json_tree *tree, struct json_node *claims) {
        struct node_iter iter = node_iter(claims);
        struct json_node *claim;

        while (node_next(&iter, NULL, &claim)) {
                node_put_string(tree, claim, "kind", "PersistentVolumeClaim");
                node_put_string(tree, claim, "apiVersion", "v1");
                persistent_volume_claim_defaults(tree, claim);
        }
}

void stateful_set_defaults(struct json_tree *tree, struct json_node *object) {
        struct json_node *spec = node_need_object(tree, object, "spec"), *rolling;
        struct json_node *strategy = node_need_object(tree, spec, "updateStrategy");
        struct json_node *retention =
                node_need_object(tree, spec, "persistentVolumeClaimRetentionPolicy");

        default_absent_i64(tree, spec, "replicas", 1);
        pod_template_defaults(tree, spec);
        claim_template_defaults(tree, node_get(spec, "volumeClaimTemplates"));
        default_text(tree, spec, "podManagementPolicy", "OrderedReady");
        if (node_get_text(strategy, "type").len == 0) {
                node_put_string(tree, strategy, "type", "RollingUpdate");
                node_need_object(tree, strategy, "rollingUpdate");
        }
        rolling = object_at(strategy, "rollingUpdate");
        if (rolling && slice_is(node_get_text(strategy, "type"), "RollingUpdate"))
                default_absent_i64(tree, rolling, "partition", 0);
        default_absent_i64(tree, spec, "revisionHistoryLimit", 10);
        default_text(tree, retention, "whenDeleted", "Retain");
        default_text(tree, retention, "whenScaled", "Retain");
}

void replica_set_defaults(struct json_tree *tree, struct json_node *object) {
        struct json_node *spec = node_need_object(tree, object, "spec");

        default_absent_i64(tree, spec, "replicas", 1);
        pod_template_defaults(tree, spec);
}

void replication_controller_defaults(struct json_tree *tree, struct json_node *object) {
        struct json_node *spec = node_need_object(tree, object, "spec");
        struct json_node *metadata = node_need_object(tree, object, "metadata"), *labels;

        default_absent_i64(tree, spec, "replicas", 1);
        if (!object_at(spec, "template"))
                return;
        pod_template_defaults(tree, spec);
        labels = object_at(object_at(object_at(spec, "template"), "metadata"), "labels");
        if (!labels)
                return;
        if (node_count(node_get(spec, "selector")) == 0)
                node_put(tree, spec, "selector", node_clone(tree, labels));
        if (node_count(node_get(metadata, "labels")) == 0)
                node_put(tree, metadata, "labels", node_clone(tree, labels));
}

void pod_template_object_defaults(struct json_tree *tree, struct json_node *object) {
        pod_template_defaults(tree, object);
}

static void failure_policy_defaults(struct json_tree *tree, struct json_node *policy) {
        struct node_iter rules = node_iter(node_get(policy, "rules"));
        struct json_node *rule, *pattern;

        while (node_next(&rules, NULL, &rule)) {
                struct node_iter patterns = node_iter(node_get(rule, "onPodConditions"));

                while (node_next(&patterns, NULL, &pattern))
                        default_text(tree, pattern, "status", "True");
        }
}

static void job_spec_defaults(struct json_tree *tree, struct json_node *spec) {
        bool has_failure_policy = node_get(spec, "podFailurePolicy");

        if (!node_get(spec, "completions") && !node_get(spec, "parallelism"))
                node_put_i64(tree, spec, "completions", 1);
        default_absent_i64(tree, spec, "parallelism", 1);
        default_absent_i64(tree, spec, "backoffLimit",
                           node_get(spec, "backoffLimitPerIndex") ? INT32_MAX : 6);
        default_absent_text(tree, spec, "completionMode", "NonIndexed");
        default_absent_bool(tree, spec, "suspend", false);
        default_absent_text(tree, spec, "podReplacementPolicy",
                            has_failure_policy ? "Failed" : "TerminatingOrFailed");
        default_absent_bool(tree, spec, "manualSelector", false);
        failure_policy_defaults(tree, object_at(spec, "podFailurePolicy"));
}

void job_defaults(struct json_tree *tree, struct json_node *object) {
        struct json_node *spec = node_need_object(tree, object, "spec");
        struct json_node *metadata = node_need_object(tree, object, "metadata"), *labels;

        job_spec_defaults(tree, spec);
        pod_template_defaults(tree, spec);
        labels = object_at(object_at(object_at(spec, "template"), "metadata"), "labels");
        if (labels && node_count(node_get(metadata, "labels")) == 0)
                node_put(tree, metadata, "labels", node_clone(tree, labels));
}

void cron_job_defaults(struct json_tree *tree, struct json_node *object) {
        struct json_node *spec = node_need_object(tree, object, "spec");
        struct json_node *job = node_need_object(tree, spec, "jobTemplate");

        default_text(tree, spec, "concurrencyPolicy", "Allow");
        default_absent_bool(tree, spec, "suspend", false);
        default_absent_i64(tree, spec, "successfulJobsHistoryLimit", 3);
        default_absent_i64(tree, spec, "failedJobsHistoryLimit", 1);
        pod_template_defaults(tree, node_need_object(tree, job, "spec"));
        failure_policy_defaults(tree, object_at(object_at(job, "spec"), "podFailurePolicy"));
}
