/* Members of groups by the index against a look at all rows. */
#include "base/rng.h"
#include "group_test.h"
#include "sched/group_index.h"

#define PODS 40
#define GROUPS 5
#define STEPS 4000

static bool is_member(const struct cluster *cluster, struct pod_id pod, const char *group) {
        const struct pod_row *row = cluster_pod(cluster, pod);
        return row->is_live && !pod_row_is_finished(row) &&
               slice_is(cluster_class(cluster, row->class)->spec.scheduling_group, group);
}

static void expect_members(const struct group_index *index, const struct cluster *cluster,
                           const char *group) {
        const struct pod_id *pods;
        size_t found = 0, wanted = 0;
        size_t count = group_index_find(index, SLICE_LITERAL("default"), slice_of(group), &pods);
        for (uint32_t i = 0; i < cluster_pod_cap(cluster); i++)
                wanted += is_member(cluster, (struct pod_id){ i }, group);
        for (size_t i = 0; i < count; i++) {
                found += is_member(cluster, pods[i], group);
                for (size_t other = 0; other < i; other++)
                        assert_int_not_equal(pods[i].index, pods[other].index);
        }
        assert_int_equal(found, wanted);
        assert_int_equal(count, wanted); /* hashes of so few names differ */
}

static void change(struct group_test *test, struct group_index *index, struct rng *rng) {
        struct cluster *cluster = test->base.cluster;
        char name[16], group[16];
        snprintf(name, sizeof(name), "p%d", (int)rng_below(rng, PODS));
        snprintf(group, sizeof(group), "g%d", (int)rng_below(rng, GROUPS));
        struct pod_id pod = cluster_find_pod(cluster, SLICE_LITERAL("default"), slice_of(name));
        if (!pod_id_is_none(pod))
                apply(&test->base, OBJECT_POD, CHANGE_REMOVED,
                      "{\"metadata\":{\"namespace\":\"default\",\"name\":\"%s\"}}", name);
        else if (rng_below(rng, 4) == 0)
                put_pod(&test->base, name, 100, "");
        else
                put_member(test, group, name, 100, "");
        if (pod_id_is_none(pod))
                pod = cluster_find_pod(cluster, SLICE_LITERAL("default"), slice_of(name));
        group_index_note(index, cluster, pod);
        if (rng_below(rng, 3) == 0)
                group_index_note(index, cluster, pod); /* again: nothing new */
}

static void test_follows_the_rows(void **state) {
        (void)state;
        struct group_test test;
        struct rng rng;
        struct group_index *index = group_index_new();
        group_test_init(&test, &(struct scheduler_config){ 0 });
        rng_init(&rng, 1);
        for (int i = 0; i < STEPS; i++) {
                change(&test, index, &rng);
                for (int g = 0; g < GROUPS; g++) {
                        char name[16];
                        snprintf(name, sizeof(name), "g%d", g);
                        expect_members(index, test.base.cluster, name);
                }
        }
        group_index_free(index);
        group_test_release(&test);
}

/* Groups without members leave nothing behind. */
static void test_forgets_groups(void **state) {
        (void)state;
        struct group_test test;
        const struct pod_id *pods;
        struct group_index *index = group_index_new();
        group_test_init(&test, &(struct scheduler_config){ 0 });
        for (int i = 0; i < 3; i++) {
                put_member(&test, "g", "m", 100, "");
                struct pod_id pod = cluster_find_pod(test.base.cluster, SLICE_LITERAL("default"),
                                                     SLICE_LITERAL("m"));
                group_index_note(index, test.base.cluster, pod);
                assert_int_equal(group_index_count(index), 1);
                apply(&test.base, OBJECT_POD, CHANGE_REMOVED,
                      "{\"metadata\":{\"namespace\":\"default\",\"name\":\"m\"}}");
                group_index_note(index, test.base.cluster, pod);
                assert_int_equal(group_index_count(index), 0);
        }
        assert_int_equal(
                group_index_find(index, SLICE_LITERAL("default"), SLICE_LITERAL("g"), &pods), 0);
        group_index_free(index);
        group_test_release(&test);
}

int main(void) {
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(test_follows_the_rows),
                cmocka_unit_test(test_forgets_groups),
        };
        return cmocka_run_group_tests(tests, NULL, NULL);
}
