/* What the model remembers of pods as they were before a change. */
#include "model_test.h"

#define KEPT 512

static void put_labelled(struct cluster *cluster, const char *name, const char *node,
                         const char *app) {
        put(cluster, OBJECT_POD,
            "{'metadata':{'namespace':'ns','name':'%s','uid':'uid-%s','labels':{'app':'%s'}},"
            "'spec':{'nodeName':'%s','containers':[{'name':'c'}]},'status':{'phase':'%s'}}",
            name, name, app, node, *node ? "Running" : "Pending");
}

static void assert_app(const struct cluster *cluster, const struct old_pod *past, const char *app) {
        struct str_id key, value = STR_ID_EMPTY;
        bool is_known;
        assert_non_null(past);
        key = cluster_str(cluster, SLICE_LITERAL("app"), &is_known);
        assert_true(is_known && cluster_label_get(cluster, past->labels, key, &value));
        assert_true(slice_is(cluster_text(cluster, value), app));
        assert_true(slice_is(cluster_text(cluster, past->ns), "ns"));
        assert_non_null(cluster_class_at(cluster, past->class.index));
}

static void assert_sound(const struct cluster *cluster) {
        struct err err = { 0 };
        if (cluster_check(cluster, &err) < 0)
                fail_msg("%s", err.text);
}

static void test_what_went_is_remembered(void **state) {
        struct cluster *cluster = cluster_for_test();
        (void)state;
        put_node(cluster, "n1", "");
        put_labelled(cluster, "a", "n1", "web");
        assert_null(cluster_old_pod(cluster, cluster_generation(cluster)));
        put_labelled(cluster, "a", "n1", "db");
        uint64_t relabelled = cluster_generation(cluster);
        cluster_remove_pod(cluster, SLICE_LITERAL("ns"), SLICE_LITERAL("a"));
        uint64_t removed = cluster_generation(cluster);
        assert_app(cluster, cluster_old_pod(cluster, relabelled), "web");
        assert_app(cluster, cluster_old_pod(cluster, removed), "db");
        assert_null(cluster_old_pod(cluster, removed + 1));
        assert_sound(cluster);
        cluster_drop_old_pods(cluster);
        assert_null(cluster_old_pod(cluster, removed));
        assert_sound(cluster);
        cluster_free(cluster);
}

static void test_nominations_and_forgotten_pods(void **state) {
        struct cluster *cluster = cluster_for_test();
        struct node_id node = put_node(cluster, "n1", "");
        (void)state;
        put_labelled(cluster, "a", "", "web");
        struct pod_id pod = cluster_find_pod(cluster, SLICE_LITERAL("ns"), SLICE_LITERAL("a"));
        cluster_nominate(cluster, pod, SLICE_LITERAL("n1"));
        assert_app(cluster, cluster_old_pod(cluster, cluster_generation(cluster)), "web");
        cluster_assume(cluster, pod, node);
        assert_null(cluster_old_pod(cluster, cluster_generation(cluster)));
        cluster_forget(cluster, pod);
        uint64_t forgotten = cluster_generation(cluster);
        assert_app(cluster, cluster_old_pod(cluster, forgotten), "web");
        cluster_checkpoint(cluster);
        cluster_assume(cluster, pod, node);
        cluster_withdraw(cluster, pod);
        cluster_rollback(cluster);
        assert_app(cluster, cluster_old_pod(cluster, forgotten), "web");
        assert_sound(cluster);
        cluster_free(cluster);
}

static void test_the_oldest_go(void **state) {
        struct cluster *cluster = cluster_for_test();
        uint64_t generations[KEPT + 3];
        char app[16];
        (void)state;
        put_node(cluster, "n1", "");
        put_labelled(cluster, "a", "n1", "app");
        for (int i = 0; i < KEPT + 3; i++) {
                snprintf(app, sizeof(app), "app-%d", i);
                put_labelled(cluster, "a", "n1", app);
                generations[i] = cluster_generation(cluster);
        }
        for (int i = 0; i < 3; i++)
                assert_null(cluster_old_pod(cluster, generations[i]));
        for (int i = 3; i < KEPT + 3; i++) {
                snprintf(app, sizeof(app), "app-%d", i - 1);
                assert_app(cluster, cluster_old_pod(cluster, generations[i]), app);
        }
        assert_sound(cluster);
        cluster_free(cluster);
}

int main(void) {
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(test_what_went_is_remembered),
                cmocka_unit_test(test_nominations_and_forgotten_pods),
                cmocka_unit_test(test_the_oldest_go),
        };
        return cmocka_run_group_tests(tests, NULL, NULL);
}
