/* Jobs: completions, failures, deadlines, indexes, suspension. */
#include "cluster.h"

#define JOBS "/apis/batch/v1/namespaces/default/jobs"
#define J JOBS "/j"
#define JOB(spec, run)                                                                             \
        "{'metadata':{'name':'j'},'spec':{" spec "'template':{'metadata':{'annotations':{"         \
        "'sandbox.berth.dev/run':'" run "'}},'spec':{'restartPolicy':'Never','containers':"        \
        "[{'name':'c','image':'i'}]}}}}"
#define STATUS(field) cluster_field(&c, J, "/status/" field)
#define CONDITION(type, field) STATUS("conditions/type=" type "/" field)

static struct cluster cluster_with(const char *job) {
        struct cluster c = cluster_new("kubelet,job");

        assert_int_equal(cluster_post(&c, JOBS, job), 201);
        return c;
}

/* Lets time pass with a scheduler at work. */
static void run_for(struct cluster *c, int seconds) {
        for (int i = 0; i < seconds; i++) {
                cluster_schedule(c);
                cluster_wait(c, 1000);
        }
}

static void test_completes(void **state) {
        struct cluster c = cluster_with(JOB("'completions':5,'parallelism':2,", "2s"));

        (void)state;
        assert_int_equal(cluster_count(&c, PODS), 2);
        assert_string_equal(STATUS("active"), "2");
        assert_string_equal(STATUS("startTime"), "2026-01-01T00:00:00Z");
        assert_string_equal(cluster_item(&c, PODS, 0, "/metadata/finalizers/0"),
                            "batch.kubernetes.io/job-tracking");
        run_for(&c, 12);
        assert_string_equal(STATUS("succeeded"), "5");
        assert_string_equal(STATUS("active"), "");
        assert_string_equal(CONDITION("Complete", "status"), "True");
        assert_string_equal(CONDITION("SuccessCriteriaMet", "reason"), "CompletionsReached");
        assert_int_equal(cluster_count(&c, PODS), 5);
        assert_string_equal(cluster_item(&c, PODS, 0, "/metadata/finalizers"), "");
        assert_string_equal(cluster_event(&c, "j", "Completed"), "Job completed");
        assert_true(control_is_settled(c.control));
        cluster_free(&c);
}

static void test_counts_deleted_pods(void **state) {
        struct cluster c = cluster_with(JOB("'completions':3,", "2s"));

        (void)state;
        for (int i = 0; i < 12; i++) {
                run_for(&c, 1);
                cluster_ask(&c, "DELETE", PODS "?fieldSelector=status.phase%3DSucceeded", NULL);
        }
        assert_string_equal(STATUS("succeeded"), "3");
        assert_string_equal(CONDITION("Complete", "status"), "True");
        assert_int_equal(cluster_count(&c, PODS), 0);
        cluster_free(&c);
}

static void test_default_work(void **state) {
        struct cluster c = cluster_with("{'metadata':{'name':'j'},'spec':{'template':{'spec':{"
                                        "'restartPolicy':'Never','containers':[{'name':'c',"
                                        "'image':'i'}]}}}}");

        (void)state;
        run_for(&c, 5);
        assert_string_equal(CONDITION("Complete", "status"), "True");
        cluster_free(&c);
}

static void test_backoff_limit(void **state) {
        struct cluster c = cluster_with(JOB("'backoffLimit':1,", "1s exit 3"));

        (void)state;
        run_for(&c, 3);
        assert_string_equal(STATUS("failed"), "1");
        assert_string_equal(STATUS("active"), ""); /* pauses before the next try */
        assert_false(control_is_settled(c.control));
        run_for(&c, 15);
        assert_string_equal(STATUS("failed"), "2");
        assert_string_equal(CONDITION("Failed", "reason"), "BackoffLimitExceeded");
        assert_string_equal(CONDITION("FailureTarget", "status"), "True");
        assert_string_equal(cluster_event(&c, "j", "BackoffLimitExceeded"),
                            "Job has reached the specified backoff limit");
        assert_int_equal(cluster_count(&c, PODS), 2);
        assert_true(control_is_settled(c.control));
        cluster_free(&c);
}

static void test_deadline(void **state) {
        struct cluster c = cluster_with(JOB("'activeDeadlineSeconds':5,", "run"));

        (void)state;
        run_for(&c, 4);
        assert_string_equal(STATUS("active"), "1");
        run_for(&c, 3);
        assert_string_equal(CONDITION("Failed", "reason"), "DeadlineExceeded");
        assert_int_equal(cluster_count(&c, PODS), 0);
        cluster_free(&c);
}

static void test_indexed(void **state) {
        struct cluster c = cluster_with(
                JOB("'completions':4,'parallelism':3,'completionMode':'Indexed',", "1s"));

        (void)state;
        assert_int_equal(cluster_count(&c, PODS "?labelSelector=batch.kubernetes.io/"
                                                "job-completion-index%3D2"),
                         1);
        assert_string_equal(cluster_item(&c, PODS, 0, "/spec/hostname"), "j-0");
        assert_string_equal(
                cluster_item(&c, PODS, 0,
                             "/spec/containers/0/env/name=JOB_COMPLETION_INDEX/valueFrom/fieldRef/"
                             "fieldPath"),
                "metadata.labels['batch.kubernetes.io/job-completion-index']");
        run_for(&c, 2);
        assert_string_equal(STATUS("completedIndexes"), "0-2");
        run_for(&c, 2);
        assert_string_equal(STATUS("completedIndexes"), "0-3");
        assert_string_equal(CONDITION("Complete", "status"), "True");
        cluster_free(&c);
}

static void test_suspend(void **state) {
        struct cluster c = cluster_with(JOB("'suspend':true,", "1s"));

        (void)state;
        assert_int_equal(cluster_count(&c, PODS), 0);
        assert_string_equal(CONDITION("Suspended", "status"), "True");
        assert_string_equal(STATUS("startTime"), "");
        cluster_merge(&c, J, "{'spec':{'suspend':false}}");
        assert_string_equal(CONDITION("Suspended", "status"), "False");
        assert_int_equal(cluster_count(&c, PODS), 1);
        cluster_merge(&c, J, "{'spec':{'suspend':true}}");
        cluster_wait(&c, 1000);
        assert_int_equal(cluster_count(&c, PODS), 0);
        assert_string_equal(STATUS("startTime"), "");
        cluster_merge(&c, J, "{'spec':{'suspend':false}}");
        run_for(&c, 15);
        assert_string_equal(CONDITION("Complete", "status"), "True");
        cluster_free(&c);
}

static void test_failure_policy(void **state) {
        struct cluster c = cluster_with(
                JOB("'podFailurePolicy':{'rules':[{'action':'FailJob','onExitCodes':{'operator':"
                    "'In','values':[42]}}]},",
                    "1s exit 42"));
        char wanted[256];

        (void)state;
        run_for(&c, 3);
        assert_string_equal(CONDITION("Failed", "reason"), "PodFailurePolicy");
        snprintf(wanted, sizeof(wanted),
                 "Container c for pod default/%s failed with exit code 42 matching FailJob rule at "
                 "index 0",
                 cluster_item(&c, PODS, 0, "/metadata/name"));
        assert_string_equal(CONDITION("Failed", "message"), wanted);
        cluster_free(&c);
}

static void test_work_queue(void **state) {
        struct cluster c = cluster_with(JOB("'parallelism':2,", "2s"));

        (void)state;
        cluster_merge(&c, J, "{'spec':{'completions':null}}");
        run_for(&c, 5);
        assert_string_equal(CONDITION("Complete", "status"), "True");
        cluster_free(&c);
}

static void test_deleted_job_frees_pods(void **state) {
        struct cluster c = cluster_with(JOB("", "run"));

        (void)state;
        run_for(&c, 1);
        cluster_ask(&c, "DELETE", J "?propagationPolicy=Background", NULL);
        cluster_ask(&c, "DELETE", PODS, NULL); /* what the garbage collector would do */
        cluster_wait(&c, 1000);
        assert_int_equal(cluster_count(&c, PODS), 0);
        cluster_free(&c);
}

int main(void) {
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(test_completes),    cmocka_unit_test(test_counts_deleted_pods),
                cmocka_unit_test(test_default_work), cmocka_unit_test(test_backoff_limit),
                cmocka_unit_test(test_deadline),     cmocka_unit_test(test_indexed),
                cmocka_unit_test(test_suspend),      cmocka_unit_test(test_failure_policy),
                cmocka_unit_test(test_work_queue),   cmocka_unit_test(test_deleted_job_frees_pods),
        };

        return cmocka_run_group_tests(tests, NULL, NULL);
}
