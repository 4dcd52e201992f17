/* Pods whose volumes are bound only once a node is chosen: what is written, how long is waited, and
 * what is taken back. */
#include "api/json.h"
#include "model/object_cache.h"
#include "sched_test.h"

struct claim_test {
        struct sched_test base;
        struct object_cache *object_cache;
};

static void put_in_cache(struct claim_test *test, enum cached_kind kind, const char *text) {
        struct err err = { 0 };
        struct json_doc *doc;
        if (json_parse(slice_of(text), &doc, &err) < 0)
                fail_msg("%s", err.text);
        object_cache_put(test->object_cache, kind, json_doc_root(doc));
        json_doc_free(doc);
}

#define CLAIM_SPEC                                                                                 \
        "\"spec\":{\"accessModes\":[\"ReadWriteOnce\"],\"storageClassName\":\"late\","             \
        "\"resources\":{\"requests\":{\"storage\":\"1Gi\"}}"
#define CLAIM_META "\"metadata\":{\"namespace\":\"default\",\"name\":\"c\",\"uid\":\"u\","

static void put_claim(struct claim_test *test, const char *annotations, const char *volume) {
        char text[1024];
        snprintf(text, sizeof(text),
                 "{" CLAIM_META "\"resourceVersion\":\"7\",\"annotations\":{%s}}," CLAIM_SPEC
                 "%s}}",
                 annotations, volume);
        put_in_cache(test, CACHED_VOLUME_CLAIM, text);
}

static int set_up(void **state) {
        struct claim_test *test = xcalloc(1, sizeof(*test));
        struct err err = { 0 };
        test->object_cache = object_cache_new();
        test->base = (struct sched_test){ .cluster = cluster_new(&(struct cluster_config){ 0 }),
                                          .now_ns = 1000 * NS_PER_S };
        struct profile_env env = { .registry = sched_registry, .object_cache = test->object_cache };
        assert_int_equal(sched_profile_new_default(&env, &test->base.profile, &err), 0);
        test->base.scheduler =
                scheduler_new(&(struct scheduler_config){ .cluster = test->base.cluster,
                                                          .object_cache = test->object_cache,
                                                          .profile_count = 1,
                                                          .profiles = &test->base.profile });
        action_list_init(&test->base.actions);
        put_in_cache(test, CACHED_STORAGE_CLASS,
                     "{\"metadata\":{\"name\":\"late\"},\"provisioner\":\"example.com/disk\","
                     "\"volumeBindingMode\":\"WaitForFirstConsumer\"}");
        put_claim(test, "", "");
        put_node(&test->base, "n1", 1000);
        put_pod(&test->base, "p", 100,
                "\"volumes\":[{\"name\":\"v\",\"persistentVolumeClaim\":{\"claimName\":\"c\"}}],");
        *state = test;
        return 0;
}

static int tear_down(void **state) {
        struct claim_test *test = *state;
        sched_test_release(&test->base);
        object_cache_free(test->object_cache);
        free(test);
        return 0;
}

static struct slice selected_node(const struct claim_test *test) {
        const struct json *claim = object_cache_get(test->object_cache, CACHED_VOLUME_CLAIM,
                                                    SLICE_LITERAL("default"), SLICE_LITERAL("c"));
        return json_get_text(json_get(json_get(claim, "metadata"), "annotations"),
                             "volume.kubernetes.io/selected-node");
}

static void start(struct claim_test *test) {
        step(&test->base);
        assert_non_null(find_action(&test->base, ACTION_PATCH_OBJECT, "c"));
        assert_null(find_action(&test->base, ACTION_BIND, "p"));
        const struct action *status = find_action(&test->base, ACTION_POD_STATUS, "p");
        assert_non_null(status);
        assert_true(slice_is(status->status.nomination, "n1"));
        assert_false(status->status.sets_condition);
        assert_true(slice_is(selected_node(test), "n1"));
}

static void expect_failure(struct claim_test *test, const char *message) {
        const struct action *status = find_action(&test->base, ACTION_POD_STATUS, "p");
        assert_non_null(status);
        assert_true(slice_is(status->status.reason, "SchedulerError"));
        assert_true(slice_is(status->status.message, message));
        assert_true(status->status.sets_nomination && slice_is_empty(status->status.nomination));
        assert_null(find_action(&test->base, ACTION_BIND, "p"));
        assert_true(node_id_is_none(
                cluster_pod(test->base.cluster,
                            cluster_find_pod(test->base.cluster, SLICE_LITERAL("default"),
                                             SLICE_LITERAL("p")))
                        ->node));
}

#define SELECTED "\"volume.kubernetes.io/selected-node\":\"n1\""
#define COMPLETE SELECTED ",\"pv.kubernetes.io/bind-completed\":\"yes\""
#define FAILED "running PreBind plugin \"VolumeBinding\": binding volumes: "

static void test_binds_once_bound(void **state) {
        struct claim_test *test = *state;
        start(test);
        answer(&test->base, ACTION_PATCH_OBJECT, "c", 0);
        step(&test->base);
        assert_null(find_action(&test->base, ACTION_BIND, "p"));
        put_claim(test, COMPLETE, ",\"volumeName\":\"v\"");
        step(&test->base); /* the claim names its volume before the volume is seen */
        assert_null(find_action(&test->base, ACTION_BIND, "p"));
        put_in_cache(test, CACHED_VOLUME, "{\"metadata\":{\"name\":\"v\"},\"spec\":{}}");
        step(&test->base);
        assert_non_null(find_action(&test->base, ACTION_BIND, "p"));
}

/* One of the volumes there are: it is the volume that is written. */
static void test_takes_a_volume(void **state) {
        struct claim_test *test = *state;
        put_in_cache(test, CACHED_VOLUME,
                     "{\"metadata\":{\"name\":\"v\",\"resourceVersion\":\"3\"},\"spec\":{"
                     "\"capacity\":{\"storage\":\"1Gi\"},\"accessModes\":[\"ReadWriteOnce\"],"
                     "\"storageClassName\":\"late\"},\"status\":{\"phase\":\"Available\"}}");
        step(&test->base);
        const struct action *write = find_action(&test->base, ACTION_PATCH_OBJECT, "v");
        assert_non_null(write);
        assert_true(slice_is(write->target.kind, "PersistentVolume"));
        assert_non_null(memmem(write->patch.body.ptr, write->patch.body.len, "bound-by-controller",
                               strlen("bound-by-controller")));
        answer(&test->base, ACTION_PATCH_OBJECT, "v", 0);
        put_claim(test, "\"pv.kubernetes.io/bind-completed\":\"yes\"", ",\"volumeName\":\"v\"");
        step(&test->base);
        assert_non_null(find_action(&test->base, ACTION_BIND, "p"));
}

static void put_volume(struct claim_test *test, const char *name, const char *size) {
        char text[512];
        snprintf(text, sizeof(text),
                 "{\"metadata\":{\"name\":\"%s\",\"resourceVersion\":\"3\"},\"spec\":{"
                 "\"capacity\":{\"storage\":\"%s\"},\"accessModes\":[\"ReadWriteOnce\"],"
                 "\"storageClassName\":\"late\"},\"status\":{\"phase\":\"Available\"}}",
                 name, size);
        put_in_cache(test, CACHED_VOLUME, text);
}

static void test_takes_the_smallest_volume(void **state) {
        struct claim_test *test = *state;
        put_volume(test, "large", "5Gi");
        put_volume(test, "small", "1Gi");
        step(&test->base);
        assert_non_null(find_action(&test->base, ACTION_PATCH_OBJECT, "small"));
        assert_null(find_action(&test->base, ACTION_PATCH_OBJECT, "large"));
}

static void test_refused_write_is_taken_back(void **state) {
        struct claim_test *test = *state;
        start(test);
        answer(&test->base, ACTION_PATCH_OBJECT, "c", BERTH_ERR_CONFLICT);
        expect_failure(test, FAILED "refused");
        assert_true(slice_is_empty(selected_node(test)));
}

static void test_dropped_node_fails(void **state) {
        struct claim_test *test = *state;
        start(test);
        answer(&test->base, ACTION_PATCH_OBJECT, "c", 0);
        put_claim(test, "", "");
        step(&test->base);
        expect_failure(test, FAILED "selected node was dropped from claim \"default/c\"");
}

static void test_waits_so_long_only(void **state) {
        struct claim_test *test = *state;
        struct mono_time due;
        start(test);
        answer(&test->base, ACTION_PATCH_OBJECT, "c", 0);
        assert_true(scheduler_next_due(test->base.scheduler, &due));
        assert_true(due.ns <= test->base.now_ns + NS_PER_S);
        test->base.now_ns += 599 * NS_PER_S;
        step(&test->base);
        assert_int_equal(test->base.actions.count, 0);
        test->base.now_ns += 2 * NS_PER_S;
        step(&test->base);
        expect_failure(test, FAILED "timed out waiting for claim \"default/c\"");
}

static void test_pod_goes_meanwhile(void **state) {
        struct claim_test *test = *state;
        struct mono_time due;
        start(test);
        apply(&test->base, OBJECT_POD, CHANGE_REMOVED,
              "{\"metadata\":{\"namespace\":\"default\",\"name\":\"p\",\"uid\":\"uid-p\"}}");
        step(&test->base);
        assert_int_equal(test->base.actions.count, 0);
        assert_true(slice_is_empty(selected_node(test)));
        test->base.now_ns += 30 * NS_PER_S; /* when the scheduler rests */
        step(&test->base);
        assert_false(scheduler_next_due(test->base.scheduler, &due));
}

/* ---- resource claims ---- */

static void put_resource_claim(struct claim_test *test, const char *status) {
        char text[1024];
        snprintf(text, sizeof(text),
                 "{\"metadata\":{\"namespace\":\"default\",\"name\":\"rc\",\"uid\":\"ru\","
                 "\"resourceVersion\":\"4\"},\"status\":{%s}}",
                 status);
        put_in_cache(test, CACHED_RESOURCE_CLAIM, text);
        scheduler_notice(test->base.scheduler, CLUSTER_RESOURCE_CLAIM,
                         (struct mono_time){ test->base.now_ns });
}

#define ON(node)                                                                                   \
        "\"allocation\":{\"nodeSelector\":{\"nodeSelectorTerms\":[{\"matchExpressions\":[{"        \
        "\"key\":\"kubernetes.io/hostname\",\"operator\":\"In\",\"values\":[\"" node "\"]}]}]}}"
#define ON_N2 ON("n2")

static void put_claim_version(struct claim_test *test, const char *version) {
        char text[256];
        snprintf(text, sizeof(text),
                 "{\"metadata\":{\"namespace\":\"default\",\"name\":\"rc\",\"uid\":\"ru\","
                 "\"resourceVersion\":\"%s\"}}",
                 version);
        put_in_cache(test, CACHED_RESOURCE_CLAIM, text);
}

static void put_device_pod(struct claim_test *test) {
        put_node(&test->base, "n2", 1000);
        put_pod(&test->base, "d", 100,
                "\"resourceClaims\":[{\"name\":\"r\",\"resourceClaimName\":\"rc\"}],");
}

static void test_waits_for_its_resource_claim(void **state) {
        struct claim_test *test = *state;
        put_device_pod(test);
        step(&test->base);
        assert_null(find_action(&test->base, ACTION_POD_STATUS, "d")); /* gated: nothing is said */
        put_resource_claim(test, "");
        step(&test->base);
        assert_non_null(find_action(&test->base, ACTION_PATCH_OBJECT, "rc"));
}

/* On the node of its devices, after the claim names it. */
static void test_honours_an_allocated_claim(void **state) {
        struct claim_test *test = *state;
        put_resource_claim(test, ON_N2);
        put_device_pod(test);
        step(&test->base);
        const struct action *write = find_action(&test->base, ACTION_PATCH_OBJECT, "rc");
        assert_non_null(write);
        assert_true(slice_is(write->target.kind, "ResourceClaim"));
        assert_non_null(memmem(write->patch.body.ptr, write->patch.body.len, "\"uid-d\"",
                               strlen("\"uid-d\"")));
        assert_null(find_action(&test->base, ACTION_BIND, "d"));
        answer(&test->base, ACTION_PATCH_OBJECT, "rc", 0);
        const struct action *bind = find_action(&test->base, ACTION_BIND, "d");
        assert_non_null(bind);
        assert_true(slice_is(bind->bind.node, "n2"));
}

static void test_reserved_claim_needs_no_write(void **state) {
        struct claim_test *test = *state;
        put_resource_claim(test, ON_N2 ",\"reservedFor\":[{\"resource\":\"pods\",\"name\":\"d\","
                                       "\"uid\":\"uid-d\"}]");
        put_device_pod(test);
        step(&test->base);
        assert_null(find_action(&test->base, ACTION_PATCH_OBJECT, "rc"));
        assert_non_null(find_action(&test->base, ACTION_BIND, "d"));
}

/* ---- claims that are to be allocated ---- */

#define WANTS(class)                                                                               \
        "},\"spec\":{\"devices\":{\"requests\":[{\"name\":\"gpu\",\"exactly\":{"                   \
        "\"deviceClassName\":\"" class "\",\"allocationMode\":\"ExactCount\",\"count\":1}}]}"
#define ALLOCATED                                                                                  \
        "\"allocation\":{\"devices\":{\"results\":[{\"request\":\"gpu\",\"driver\":\"d\","         \
        "\"pool\":"                                                                                \
        "\"n2\",\"device\":\"a\"}]}}"

static void put_devices(struct claim_test *test) {
        put_in_cache(test, CACHED_DEVICE_CLASS, "{\"metadata\":{\"name\":\"gpu\"},\"spec\":{}}");
        put_in_cache(
                test, CACHED_RESOURCE_SLICE,
                "{\"metadata\":{\"name\":\"s\"},\"spec\":{\"driver\":\"d\",\"nodeName\":\"n2\","
                "\"pool\":{\"name\":\"n2\",\"generation\":1,\"resourceSliceCount\":1},"
                "\"devices\":[{\"name\":\"a\"}]}}");
}

static void expect_message(struct claim_test *test, const char *message) {
        const struct action *status = find_action(&test->base, ACTION_POD_STATUS, "d");
        assert_non_null(status);
        assert_true(slice_is(status->status.reason, "Unschedulable"));
        if (!memmem(status->status.message.ptr, status->status.message.len, message,
                    strlen(message)))
                fail_msg(SLICE_FMT, SLICE_ARG(status->status.message));
        assert_null(find_action(&test->base, ACTION_BIND, "d"));
        assert_null(find_action(&test->base, ACTION_PATCH_OBJECT, "rc"));
}

static void remove_pod(struct claim_test *test, const char *name) {
        apply(&test->base, OBJECT_POD, CHANGE_REMOVED,
              "{\"metadata\":{\"namespace\":\"default\",\"name\":\"%s\",\"uid\":\"uid-%s\"}}", name,
              name);
}

/* It was refused once; when it has been parked for so long that it is tried again, the claim has
 * gone, of which no event told. */
static void test_gate_is_asked_after_a_timeout(void **state) {
        struct claim_test *test = *state;
        struct scheduler_stats stats;
        put_device_pod(test);
        put_resource_claim(test, WANTS("gpu"));
        step(&test->base);
        expect_message(test, "gpu");
        object_cache_remove(test->object_cache, CACHED_RESOURCE_CLAIM, SLICE_LITERAL("default"),
                            SLICE_LITERAL("rc"));
        test->base.now_ns += 301 * NS_PER_S;
        step(&test->base);
        assert_null(find_action(&test->base, ACTION_POD_STATUS, "d"));
        scheduler_stats(test->base.scheduler, &stats);
        assert_int_equal(stats.gated, 1);
        put_resource_claim(test, WANTS("gpu"));
        assert_int_equal(step(&test->base).decisions, 1);
}

/* Its claim changes before the scheduler has seen that the pod, the last one, went. */
static void test_goes_while_it_waits_for_its_resource_claim(void **state) {
        struct claim_test *test = *state;
        put_device_pod(test);
        step(&test->base);
        remove_pod(test, "p");
        step(&test->base);
        remove_pod(test, "d");
        put_resource_claim(test, "");
        assert_int_equal(step(&test->base).decisions, 0);
}

static size_t decisions_after(struct claim_test *test, uint32_t mask) {
        test->base.now_ns += 30 * NS_PER_S; /* past the back-off */
        scheduler_notice(test->base.scheduler, mask, (struct mono_time){ test->base.now_ns });
        return step(&test->base).decisions;
}

/* Behind the gate again: devices that change do not concern it, and nothing is said. */
static void test_waits_again_when_its_resource_claim_goes(void **state) {
        struct claim_test *test = *state;
        put_resource_claim(test, WANTS("gpu"));
        put_device_pod(test);
        step(&test->base);
        assert_int_equal(decisions_after(test, CLUSTER_DEVICES), 1);
        object_cache_remove(test->object_cache, CACHED_RESOURCE_CLAIM, SLICE_LITERAL("default"),
                            SLICE_LITERAL("rc"));
        assert_int_equal(decisions_after(test, CLUSTER_DEVICES), 0);
        assert_int_equal(decisions_after(test, CLUSTER_DEVICES), 0);
        put_devices(test);
        put_resource_claim(test, WANTS("gpu"));
        step(&test->base);
        assert_non_null(find_action(&test->base, ACTION_PATCH_OBJECT, "rc"));
}

/* Nothing is tried again until devices change. */
static void test_absent_class_is_refused(void **state) {
        struct claim_test *test = *state;
        put_resource_claim(test, WANTS("gpu"));
        put_device_pod(test);
        step(&test->base);
        expect_message(test, "request gpu: device class gpu does not exist");
        test->base.now_ns += 20 * NS_PER_S;
        step(&test->base);
        assert_int_equal(test->base.actions.count, 0);
        put_devices(test);
        scheduler_notice(test->base.scheduler, CLUSTER_DEVICES,
                         (struct mono_time){ test->base.now_ns });
        step(&test->base);
        assert_non_null(find_action(&test->base, ACTION_PATCH_OBJECT, "rc"));
}

static void put_other_claim(struct claim_test *test, const char *status) {
        char text[512];
        snprintf(text, sizeof(text),
                 "{\"metadata\":{\"namespace\":\"default\",\"name\":\"other\",\"uid\":\"ou\"},"
                 "\"status\":{%s}}",
                 status);
        put_in_cache(test, CACHED_RESOURCE_CLAIM, text);
}

static void test_devices_all_taken_are_refused(void **state) {
        struct claim_test *test = *state;
        put_devices(test);
        put_other_claim(test, ALLOCATED);
        put_resource_claim(test, WANTS("gpu"));
        put_device_pod(test);
        step(&test->base);
        expect_message(test, "0/2 nodes are available: 2 cannot allocate all claims. still not "
                             "schedulable, preemption: 0/2 nodes are available: 2 Preemption is "
                             "not helpful for scheduling.");
        test->base.now_ns += 20 * NS_PER_S;
        put_other_claim(test, "");
        scheduler_notice(test->base.scheduler, CLUSTER_RESOURCE_CLAIM | CLUSTER_DEVICES,
                         (struct mono_time){ test->base.now_ns });
        step(&test->base);
        assert_non_null(find_action(&test->base, ACTION_PATCH_OBJECT, "rc"));
}

static const struct json *cached_claim(const struct claim_test *test) {
        return object_cache_get(test->object_cache, CACHED_RESOURCE_CLAIM, SLICE_LITERAL("default"),
                                SLICE_LITERAL("rc"));
}

static bool is_allocated(const struct claim_test *test) {
        return json_get(json_get(cached_claim(test), "status"), "allocation");
}

static const struct action *claim_write(struct claim_test *test, enum patch_verb verb,
                                        const char *part) {
        const struct action *write = find_action(&test->base, ACTION_PATCH_OBJECT, "rc");
        assert_non_null(write);
        assert_int_equal(write->patch.verb, verb);
        if (!memmem(write->patch.body.ptr, write->patch.body.len, part, strlen(part)))
                fail_msg(SLICE_FMT, SLICE_ARG(write->patch.body));
        return write;
}

static void start_allocation(struct claim_test *test) {
        put_devices(test);
        put_resource_claim(test, WANTS("gpu"));
        put_device_pod(test);
        step(&test->base);
        claim_write(test, PATCH_OBJECT,
                    "\"finalizers\":[\"resource.kubernetes.io/delete-protection\"]");
        assert_true(is_allocated(test));
}

/* The finalizer, the allocation with the reservation, the bind: each when the one before is there.
 */
static void test_writes_what_it_allocates(void **state) {
        struct claim_test *test = *state;
        start_allocation(test);
        answer(&test->base, ACTION_PATCH_OBJECT, "rc", 0);
        const struct action *write = claim_write(test, PATCH_STATUS, "\"device\":\"a\"");
        assert_non_null(memmem(write->patch.body.ptr, write->patch.body.len, "\"uid\":\"uid-d\"",
                               strlen("\"uid\":\"uid-d\"")));
        assert_null(find_action(&test->base, ACTION_BIND, "d"));
        answer(&test->base, ACTION_PATCH_OBJECT, "rc", 0);
        const struct action *bind = find_action(&test->base, ACTION_BIND, "d");
        assert_non_null(bind);
        assert_true(slice_is(bind->bind.node, "n2"));
}

/* A claim that has the finalizer and no allocation may lose the finalizer at any moment, to whoever
 * gave its devices back: the allocation holds for that version only. */
static void test_names_version_of_released_claim(void **state) {
        struct claim_test *test = *state;
        put_devices(test);
        put_in_cache(test, CACHED_RESOURCE_CLAIM,
                     "{\"metadata\":{\"namespace\":\"default\",\"name\":\"rc\",\"uid\":\"ru\","
                     "\"finalizers\":[\"resource.kubernetes.io/delete-protection\"],"
                     "\"resourceVersion\":\"7\"},\"status\":{" WANTS("gpu") "}}");
        scheduler_notice(test->base.scheduler, CLUSTER_RESOURCE_CLAIM,
                         (struct mono_time){ test->base.now_ns });
        put_device_pod(test);
        step(&test->base);
        claim_write(test, PATCH_STATUS, "\"resourceVersion\":\"7\"");
        answer(&test->base, ACTION_PATCH_OBJECT, "rc", BERTH_ERR_CONFLICT);
        assert_null(find_action(&test->base, ACTION_BIND, "d"));
}

/* The answer of the API server has the claim without a finalizer. */
static void answer_without_finalizer(struct claim_test *test) {
        const struct action *write = find_action(&test->base, ACTION_PATCH_OBJECT, "rc");
        assert_non_null(write);
        struct action_result result = {
                .id = write->id,
                .kind = write->kind,
                .target = write->target,
                .retry_after_s = -1,
                .body = SLICE_LITERAL(
                        "{\"metadata\":{\"namespace\":\"default\",\"name\":\"rc\","
                        "\"uid\":\"ru\",\"resourceVersion\":\"9\"},\"status\":{" ALLOCATED "}}")
        };
        struct action_list out;
        action_list_init(&out);
        out.next_id = test->base.actions.next_id;
        scheduler_result(test->base.scheduler, &result, (struct mono_time){ test->base.now_ns },
                         test_wall(&test->base), &out);
        action_list_release(&test->base.actions);
        test->base.actions = out;
}

/* Whoever gave the claim back meanwhile took the finalizer off: it is put back before the bind. */
static void test_protects_again(void **state) {
        struct claim_test *test = *state;
        start_allocation(test);
        answer(&test->base, ACTION_PATCH_OBJECT, "rc", 0);
        claim_write(test, PATCH_STATUS, "\"device\":\"a\"");
        answer_without_finalizer(test);
        assert_null(find_action(&test->base, ACTION_BIND, "d"));
        claim_write(test, PATCH_OBJECT,
                    "\"finalizers\":[\"resource.kubernetes.io/delete-protection\"]");
        answer(&test->base, ACTION_PATCH_OBJECT, "rc", 0);
        assert_non_null(find_action(&test->base, ACTION_BIND, "d"));
}

/* The same of a claim that was allocated before, by a scheduler: it had the finalizer. */
static void test_protects_reserved_claim_again(void **state) {
        struct claim_test *test = *state;
        put_in_cache(test, CACHED_RESOURCE_CLAIM,
                     "{\"metadata\":{\"namespace\":\"default\",\"name\":\"rc\",\"uid\":\"ru\","
                     "\"resourceVersion\":\"4\",\"finalizers\":["
                     "\"resource.kubernetes.io/delete-protection\"]},\"status\":{" ON_N2 "}}");
        scheduler_notice(test->base.scheduler, CLUSTER_RESOURCE_CLAIM,
                         (struct mono_time){ test->base.now_ns });
        put_device_pod(test);
        step(&test->base);
        claim_write(test, PATCH_STATUS, "\"uid-d\"");
        answer_without_finalizer(test);
        assert_null(find_action(&test->base, ACTION_BIND, "d"));
        claim_write(test, PATCH_OBJECT,
                    "\"finalizers\":[\"resource.kubernetes.io/delete-protection\"]");
}

/* Whoever allocated it says when its devices are given back. */
static void test_leaves_the_claim_of_another_allocator(void **state) {
        struct claim_test *test = *state;
        put_resource_claim(test, ON_N2);
        put_device_pod(test);
        step(&test->base);
        claim_write(test, PATCH_STATUS, "\"uid-d\"");
        answer_without_finalizer(test);
        assert_non_null(find_action(&test->base, ACTION_BIND, "d"));
        assert_null(find_action(&test->base, ACTION_PATCH_OBJECT, "rc"));
}

/* What the watch says meanwhile does not take the devices away: nobody else gets them. */
static void test_stays_allocated_while_it_is_written(void **state) {
        struct claim_test *test = *state;
        start_allocation(test);
        put_resource_claim(test, WANTS("gpu"));
        assert_true(is_allocated(test));
        answer(&test->base, ACTION_PATCH_OBJECT, "rc", 0);
        assert_true(is_allocated(test));
}

static void test_refused_allocation_is_taken_back(void **state) {
        struct claim_test *test = *state;
        start_allocation(test);
        answer(&test->base, ACTION_PATCH_OBJECT, "rc", BERTH_ERR_FORBIDDEN);
        assert_null(find_action(&test->base, ACTION_BIND, "d"));
        assert_false(is_allocated(test));
        const struct action *status = find_action(&test->base, ACTION_POD_STATUS, "d");
        assert_non_null(status);
        assert_true(slice_is(status->status.message, "running PreBind plugin \"DynamicResources\": "
                                                     "add finalizer to claim default/rc: refused"));
}

/* The reservation may have happened: it is taken back, and the claim stays allocated until the API
 * says what came of it. */
/* A write of an allocation that comes late, after the claim was used and given back, finds another
 * version. */
static void test_allocation_holds_for_one_version(void **state) {
        struct claim_test *test = *state;
        start_allocation(test);
        answer_without_finalizer(test);
        const struct action *write = claim_write(test, PATCH_STATUS, "\"device\":\"a\"");
        assert_non_null(memmem(write->patch.body.ptr, write->patch.body.len,
                               "\"resourceVersion\":\"9\"", strlen("\"resourceVersion\":\"9\"")));
}

static void start_doubtful_allocation(struct claim_test *test) {
        start_allocation(test);
        answer_without_finalizer(test); /* version 9 */
        answer(&test->base, ACTION_PATCH_OBJECT, "rc", BERTH_ERR_TIMEOUT);
        claim_write(test, PATCH_STATUS, "\"$patch\":\"delete\"");
        answer(&test->base, ACTION_PATCH_OBJECT, "rc", BERTH_ERR_TIMEOUT);
        assert_true(is_allocated(test));
}

static void test_doubtful_allocation_is_unreserved_again(void **state) {
        struct claim_test *test = *state;
        start_doubtful_allocation(test);
        step(&test->base);
        assert_null(find_action(&test->base, ACTION_PATCH_OBJECT, "rc"));
        test->base.now_ns += NS_PER_S;
        step(&test->base);
        claim_write(test, PATCH_STATUS, "\"$patch\":\"delete\"");
        answer(&test->base, ACTION_PATCH_OBJECT, "rc", 0);
        put_claim_version(test, "9");
        assert_false(is_allocated(test));
}

/* Nothing is taken back that the pod may have by another try. */
static void test_doubtful_allocation_is_seen(void **state) {
        struct claim_test *test = *state;
        start_doubtful_allocation(test);
        put_claim_version(test, "10");
        test->base.now_ns += NS_PER_S;
        step(&test->base);
        assert_null(find_action(&test->base, ACTION_PATCH_OBJECT, "rc"));
        assert_false(is_allocated(test));
}

/* The allocation may be there, and cannot be taken back: nobody else gets the device until the
 * watch has shown a later version of the claim. */
static void test_doubtful_allocation_stays(void **state) {
        struct claim_test *test = *state;
        int count = 0;
        start_doubtful_allocation(test);
        for (int second = 0; second < 200; second++) {
                test->base.now_ns += NS_PER_S;
                step(&test->base);
                if (!find_action(&test->base, ACTION_PATCH_OBJECT, "rc"))
                        continue;
                count++;
                assert_true(is_allocated(test));
                answer(&test->base, ACTION_PATCH_OBJECT, "rc", BERTH_ERR_TIMEOUT);
        }
        assert_int_equal(count, 10); /* 1, 2, 4, 8 and 16 s apart, then 30 s */
        put_claim_version(test, "9");
        assert_true(is_allocated(test));
        put_claim_version(test, "10");
        test->base.now_ns += 60 * NS_PER_S;
        step(&test->base);
        assert_false(is_allocated(test));
        assert_null(find_action(&test->base, ACTION_PATCH_OBJECT, "rc"));
}

static void test_doubtful_allocation_is_unreserved(void **state) {
        struct claim_test *test = *state;
        start_allocation(test);
        answer(&test->base, ACTION_PATCH_OBJECT, "rc", 0);
        answer(&test->base, ACTION_PATCH_OBJECT, "rc", BERTH_ERR_TIMEOUT);
        claim_write(test, PATCH_STATUS,
                    "\"reservedFor\":[{\"$patch\":\"delete\",\"uid\":\"uid-d\"}]");
        assert_true(is_allocated(test));
        answer(&test->base, ACTION_PATCH_OBJECT, "rc", 0);
        put_resource_claim(test, WANTS("gpu"));
        assert_false(is_allocated(test));
}

/* Nobody else uses the claim, and the pod fits only elsewhere: it is given up. */
static void test_unreserved_claim_is_given_up(void **state) {
        struct claim_test *test = *state;
        put_resource_claim(test, ON("n9"));
        put_device_pod(test);
        step(&test->base);
        claim_write(test, PATCH_STATUS,
                    "\"allocation\":null,\"devices\":null,\"reservedFor\":null");
        const struct action *status = find_action(&test->base, ACTION_POD_STATUS, "d");
        assert_non_null(status);
        assert_non_null(memmem(status->status.message.ptr, status->status.message.len,
                               "deallocation of ResourceClaim completed",
                               strlen("deallocation of ResourceClaim completed")));
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
#define CASE(label, test)                                                                          \
        { label, test, set_up, tear_down, NULL }

int main(void) {
        const struct CMUnitTest tests[] = {
                TEST(test_binds_once_bound),
                TEST(test_takes_a_volume),
                CASE("sched-066 the smallest volume that holds it", test_takes_the_smallest_volume),
                TEST(test_refused_write_is_taken_back),
                TEST(test_dropped_node_fails),
                TEST(test_waits_so_long_only),
                TEST(test_pod_goes_meanwhile),
                CASE("sched-067 gated until its claim is there", test_waits_for_its_resource_claim),
                TEST(test_gate_is_asked_after_a_timeout),
                CASE("sched-067 on the node of its devices", test_honours_an_allocated_claim),
                TEST(test_reserved_claim_needs_no_write),
                TEST(test_waits_again_when_its_resource_claim_goes),
                TEST(test_goes_while_it_waits_for_its_resource_claim),
                CASE("sched-067 class absent", test_absent_class_is_refused),
                CASE("sched-067 no device left", test_devices_all_taken_are_refused),
                CASE("sched-067 allocated elsewhere, reserved by nobody",
                     test_unreserved_claim_is_given_up),
                TEST(test_writes_what_it_allocates),
                TEST(test_names_version_of_released_claim),
                TEST(test_protects_again),
                TEST(test_protects_reserved_claim_again),
                TEST(test_leaves_the_claim_of_another_allocator),
                TEST(test_stays_allocated_while_it_is_written),
                TEST(test_refused_allocation_is_taken_back),
                TEST(test_doubtful_allocation_is_unreserved),
                TEST(test_allocation_holds_for_one_version),
                TEST(test_doubtful_allocation_is_unreserved_again),
                TEST(test_doubtful_allocation_is_seen),
                TEST(test_doubtful_allocation_stays),
        };
        return cmocka_run_group_tests(tests, NULL, NULL);
}
