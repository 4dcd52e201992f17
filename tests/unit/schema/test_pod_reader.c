/* Pods from bytes: the model is the same as over values, for pods of all shapes, for siblings, and
 * for bytes that are broken or out of the ordinary. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "../server/cost_protobuf.h"
#include "base/rng.h"
#include "base/util.h"
#include "pod_both_ways.h"
#include "schema/protobuf_wire.h"
#include <string.h>

/* ---- pods ---- */

/* Members of each part; a pod has some of them. # stands for a number of the pod. */
static const char *const metadata_members[] = {
        "\"generateName\":\"web-\"",
        "\"uid\":\"0b6c5c2e-5b1c-4f0a-9d3e-00000000000#\"",
        "\"resourceVersion\":\"12#\"",
        "\"generation\":#",
        "\"creationTimestamp\":\"2026-03-04T05:06:0#Z\"",
        "\"deletionTimestamp\":\"2026-03-04T05:07:0#Z\"",
        "\"deletionGracePeriodSeconds\":0",
        "\"labels\":{\"app\":\"web\",\"index\":\"#\",\"\":\"\"}",
        "\"labels\":{\"app\":\"web\"}",
        "\"annotations\":{\"descheduler.alpha.kubernetes.io/evict\":\"\",\"ip\":\"10.0.0.#\"}",
        ("\"ownerReferences\":[{\"apiVersion\":\"apps/"
         "v1\",\"kind\":\"ReplicaSet\",\"name\":\"web\","
         "\"uid\":\"u#\",\"controller\":true},{\"kind\":\"Job\",\"name\":\"j\",\"uid\":\"v\"}]"),
        "\"finalizers\":[\"a/b\",\"c/d\"]",
        "\"managedFields\":[{\"manager\":\"kubelet\",\"operation\":\"Update\"}]",
};
static const char *const spec_members[] = {
        "\"volumes\":[{\"name\":\"kube-api-access-#\",\"projected\":{\"defaultMode\":420}},{"
        "\"name\":"
        "\"data\",\"persistentVolumeClaim\":{\"claimName\":\"data-#\"}}]",
        "\"volumes\":[{\"name\":\"config-#\",\"configMap\":{\"name\":\"config\"}},{\"name\":"
        "\"tmp\","
        "\"emptyDir\":{}},{\"name\":\"host\",\"hostPath\":{\"path\":\"/srv\"}}]",
        "\"volumes\":[{\"name\":\"nfs\",\"nfs\":{\"server\":\"s#\",\"path\":\"/\"}}]",
        "\"containers\":[{\"name\":\"web\",\"image\":\"web:1\",\"args\":[\"--number=#\"],\"ports\":"
        "[{"
        "\"containerPort\":80,\"hostPort\":80}],\"resources\":{\"requests\":{\"cpu\":\"100m\","
        "\"memory\":\"1Gi\"},\"limits\":{\"memory\":\"2Gi\"}},\"volumeMounts\":[{\"name\":\"d#\","
        "\"mountPath\":\"/d\"}]},{\"name\":\"side\",\"image\":\"side:#\"}]",
        "\"containers\":[{\"name\":\"web\",\"image\":\"web:1\",\"env\":[{\"name\":\"N\",\"value\":"
        "\"#\""
        "}],\"resources\":{\"requests\":{\"cpu\":\"1\"}}}]",
        "\"initContainers\":[{\"name\":\"init\",\"image\":\"init:1\",\"restartPolicy\":\"Always\","
        "\"resources\":{\"requests\":{\"memory\":\"64Mi\"}}}]",
        "\"restartPolicy\":\"Never\"",
        "\"terminationGracePeriodSeconds\":3#",
        "\"nodeSelector\":{\"disk\":\"ssd\",\"zone\":\"z#\"}",
        "\"serviceAccountName\":\"robot\"",
        "\"nodeName\":\"node-#\"",
        "\"hostNetwork\":true",
        "\"hostname\":\"web-#\"",
        "\"subdomain\":\"web\"",
        "\"affinity\":{\"podAntiAffinity\":{\"requiredDuringSchedulingIgnoredDuringExecution\":[{"
        "\"labelSelector\":{\"matchLabels\":{\"app\":\"web\"}},\"topologyKey\":\"zone\"}]}}",
        "\"schedulerName\":\"other\"",
        "\"tolerations\":[{\"key\":\"k#\",\"operator\":\"Exists\",\"effect\":\"NoExecute\","
        "\"tolerationSeconds\":300},{\"operator\":\"Never\"}]",
        "\"priorityClassName\":\"high\"",
        "\"priority\":1#",
        "\"preemptionPolicy\":\"Never\"",
        "\"overhead\":{\"cpu\":\"10m\"}",
        "\"topologySpreadConstraints\":[{\"maxSkew\":1,\"topologyKey\":\"zone\","
        "\"whenUnsatisfiable\""
        ":\"DoNotSchedule\",\"labelSelector\":{\"matchLabels\":{\"app\":\"web\"}}}]",
        "\"os\":{\"name\":\"linux\"}",
        "\"schedulingGates\":[{\"name\":\"wait\"}]",
};
static const char *const status_members[] = {
        "\"phase\":\"Running\"",
        "\"phase\":\"Failed\"",
        "\"conditions\":[{\"type\":\"Ready\",\"status\":\"True\",\"lastTransitionTime\":\"2026-03-"
        "04T0"
        "5:06:1#Z\"},{\"type\":\"PodScheduled\",\"status\":\"False\",\"reason\":\"Unschedulable\","
        "\"message\":\"# nodes\"},{\"type\":\"PodResizePending\",\"status\":\"True\",\"reason\":"
        "\"Infeasible\"}]",
        "\"message\":\"the node was low\"",
        "\"reason\":\"Evicted\"",
        "\"hostIP\":\"10.0.0.1\"",
        "\"podIP\":\"10.1.0.#\"",
        "\"startTime\":\"2026-03-04T05:06:0#Z\"",
        "\"containerStatuses\":[{\"name\":\"web\",\"state\":{\"running\":{\"startedAt\":\"2026-03-"
        "04T05"
        ":06:1#Z\"}},\"lastState\":{\"terminated\":{\"exitCode\":137,\"reason\":\"OOMKilled\","
        "\"finishedAt\":\"2026-03-04T05:06:09Z\"}},\"ready\":true,\"restartCount\":#,\"image\":"
        "\"web\","
        "\"started\":true,\"allocatedResources\":{\"cpu\":\"100m\",\"memory\":\"1Gi\"},"
        "\"resources\":{"
        "\"limits\":{\"memory\":\"2Gi\"},\"requests\":{\"cpu\":\"100m\",\"memory\":\"1Gi\"}}},{"
        "\"name\":"
        "\"side\",\"state\":{\"waiting\":{\"reason\":\"CrashLoopBackOff\"}},\"lastState\":{}}]",
        "\"containerStatuses\":[{\"name\":\"web\",\"state\":{\"terminated\":{\"exitCode\":1,"
        "\"signal\":9,"
        "\"reason\":\"Error\",\"message\":\"m\",\"finishedAt\":\"2026-03-04T05:06:0#Z\"}},"
        "\"resources\":"
        "{\"requests\":{\"cpu\":\"#00m\"}}}]",
        "\"qosClass\":\"Guaranteed\"",
        "\"initContainerStatuses\":[{\"name\":\"init\",\"restartCount\":1,\"resources\":{"
        "\"requests\":"
        "{\"memory\":\"3#Mi\"}}}]",
        "\"nominatedNodeName\":\"node-#\"",
        "\"resize\":\"Proposed\"",
        "\"observedGeneration\":#",
};

static void write_member(const char *member, unsigned number, struct buf *out) {
        for (; *member; member++)
                if (*member == '#')
                        buf_printf(out, "%u", number);
                else
                        buf_char(out, *member);
}

/* Each of them with a probability; those of one name follow each other, and only one is taken. */
static void write_members(const char *const *members, size_t count, struct rng *members_of,
                          unsigned number, struct buf *out) {
        const char *before = "";

        for (size_t i = 0; i < count; i++) {
                size_t name = strcspn(members[i], ":");
                bool is_alternative = strncmp(before, members[i], name) == 0;

                if (rng_u64(members_of) % 3 == 0 || is_alternative)
                        continue;
                buf_char(out, ',');
                write_member(members[i], number, out);
                before = members[i];
        }
}

/* Pods of one template have the same members and differ in the number. */
static void write_pod(uint64_t template, unsigned number, struct buf *ret_message) {
        CLEANUP(buf_release) struct buf text = { 0 }, body = { 0 };
        struct wire_field message = { 0 };
        struct rng rng;

        rng_init(&rng, template);
        buf_printf(&text,
                   "{\"apiVersion\":\"v1\",\"kind\":\"Pod\",\"metadata\":{\"name\":\"p%u\","
                   "\"namespace\":"
                   "\"n%u\"",
                   number, (unsigned)template % 3);
        write_members(metadata_members, ARRAY_LEN(metadata_members), &rng, number % 10, &text);
        buf_text(&text, "},\"spec\":{\"enableServiceLinks\":true");
        write_members(spec_members, ARRAY_LEN(spec_members), &rng, number % 10, &text);
        buf_text(&text, "},\"status\":{\"hostIP\":\"\"");
        write_members(status_members, ARRAY_LEN(status_members), &rng, number % 10, &text);
        buf_text(&text, "}}");
        cost_protobuf_write(buf_view(&text), &body);
        assert_true(wire_find_field(slice_make(body.data + 4, body.len - 4), 2, &message));
        buf_clear(ret_message);
        buf_slice(ret_message, message.bytes);
}

/* ---- tests ---- */

static void test_templates(void **state) {
        CLEANUP(buf_release) struct buf message = { 0 };
        struct both_ways ways = both_ways_new();
        unsigned pods = 0;

        (void)state;
        for (uint64_t template = 0; template <200; template ++)
                for (unsigned i = 0; i < 6; i++) {
                        write_pod(template, pods++, &message);
                        assert_true(both_ways_read(&ways, buf_view(&message)));
                }
        assert_int_equal(ways.refused, 0);
        assert_int_equal(cluster_pod_count(ways.pods), pods);
        both_ways_free(&ways);
}

/* Pods come again in another state, as watches bring them. */
static void test_changes(void **state) {
        CLEANUP(buf_release) struct buf message = { 0 };
        struct both_ways ways = both_ways_new();
        struct rng rng;

        (void)state;
        rng_init(&rng, 7);
        for (int i = 0; i < 1500; i++) {
                write_pod(rng_u64(&rng) % 40, (unsigned)(rng_u64(&rng) % 60), &message);
                assert_true(both_ways_read(&ways, buf_view(&message)));
                if (i % 100 == 0)
                        pod_reader_clear(ways.reader);
        }
        both_ways_free(&ways);
}

static void damage(struct buf *message, struct rng *rng) {
        size_t at = rng_u64(rng) % message->len, other = rng_u64(rng) % message->len;

        switch (rng_u64(rng) % 5) {
        case 0:
                message->len = at;
                break;
        case 1:
                message->data[at] = (char)rng_u64(rng);
                break;
        case 2:
                message->data[at] ^= (char)(1 << rng_u64(rng) % 8);
                break;
        case 3:
                message->data[at] = message->data[other];
                break;
        default:
                buf_reserve(message, message->len - at); /* what is appended stays where it is */
                buf_append(message, message->data + at, message->len - at);
        }
}

/* What is read of damaged bytes is what the value says, too, and spoils no sibling. */
static void test_damage(void **state) {
        CLEANUP(buf_release) struct buf message = { 0 };
        struct both_ways ways = both_ways_new();
        struct rng rng;

        (void)state;
        rng_init(&rng, 7);
        for (int i = 0; i < 6000; i++) {
                write_pod(rng_u64(&rng) % 20, (unsigned)(rng_u64(&rng) % 20), &message);
                damage(&message, &rng);
                both_ways_read(&ways, buf_view(&message));
        }
        assert_true(ways.read > 100 && ways.refused > 100);
        both_ways_free(&ways);
}

/* ---- one peculiarity after the other ---- */

#define META(bytes) "\x0a" bytes
#define SPEC(bytes) "\x12" bytes
#define STATUS(bytes) "\x1a" bytes
#define NAMED META("\x03\x0a\x01p")
#define EMPTY_SPEC SPEC("\x00")
#define EMPTY_STATUS STATUS("\x00")
#define CASE(what, bytes, is_read)                                                                 \
        { what, { bytes, sizeof(bytes) - 1 }, is_read }

static void test_peculiar(void **state) {
        static const struct {
                const char *what;
                struct slice bytes;
                bool is_read;
        } cases[] = {
                CASE("plain", NAMED EMPTY_SPEC EMPTY_STATUS, true),
                CASE("no status", NAMED EMPTY_SPEC, false),
                CASE("metadata twice", NAMED NAMED EMPTY_SPEC EMPTY_STATUS, false),
                CASE("name twice", META("\x06\x0a\x01p\x0a\x01q") EMPTY_SPEC EMPTY_STATUS, false),
                CASE("name no text", META("\x03\x0a\x01\xff") EMPTY_SPEC EMPTY_STATUS, false),
                CASE("name a number", META("\x02\x08\x01") EMPTY_SPEC EMPTY_STATUS, false),
                CASE("field 99", META("\x07\x0a\x01p\x9a\x06\x01x") EMPTY_SPEC EMPTY_STATUS, true),
                CASE("label twice",
                     META("\x11\x0a\x01p\x5a\x06\x0a\x01k\x12\x01v\x5a\x04\x0a\x01k\x12")
                             EMPTY_SPEC EMPTY_STATUS,
                     false),
                CASE("label without value",
                     META("\x08\x0a\x01p\x5a\x03\x0a\x01k") EMPTY_SPEC EMPTY_STATUS, false),
                CASE("time before 1970",
                     META("\x10\x0a\x01p\x42\x0b\x08\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01")
                             EMPTY_SPEC EMPTY_STATUS,
                     false),
                CASE("node", NAMED SPEC("\x03\x52\x01n") EMPTY_STATUS, true),
                CASE("node twice", NAMED SPEC("\x06\x52\x01n\x52\x01m") EMPTY_STATUS, false),
                CASE("node no text", NAMED SPEC("\x03\x52\x01\x80") EMPTY_STATUS, false),
                CASE("host name no text", NAMED SPEC("\x04\x82\x01\x01\x80") EMPTY_STATUS, false),
                CASE("volume's name no text", NAMED SPEC("\x05\x0a\x03\x0a\x01\x80") EMPTY_STATUS,
                     false),
                CASE("container cut", NAMED SPEC("\x04\x12\x02\x0a\x05") EMPTY_STATUS, false),
                CASE("scheduler no text", NAMED SPEC("\x04\x9a\x01\x01\x80") EMPTY_STATUS, false),
                CASE("cut", NAMED EMPTY_SPEC STATUS("\x05\x0a"), false),
                CASE("conditions apart",
                     NAMED EMPTY_SPEC STATUS("\x09\x12\x00\x1a\x01x\x12\x02\x0a\x00"), false),
                CASE("phase no text", NAMED EMPTY_SPEC STATUS("\x03\x0a\x01\x80"), false),
                CASE("claims in the status", NAMED EMPTY_SPEC STATUS("\x05\x7a\x03\x0a\x01x"),
                     false),
        };

        (void)state;
        for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
                struct both_ways ways = both_ways_new();

                if (both_ways_read(&ways, cases[i].bytes) != cases[i].is_read)
                        fail_msg("%s", cases[i].what);
                both_ways_free(&ways);
        }
}

/* Equal specs have one number; different ones have not, the fields of pods' own and those that are
 * never read left aside. */
static void test_siblings(void **state) {
        static const struct {
                struct slice spec;
                int like; /* the first one equal to it */
        } cases[] = {
#define SIBLING(bytes, like) { { bytes, sizeof(bytes) - 1 }, like }
                SIBLING("\x12\x03\x0a\x01"
                        "c",
                        0), /* a container, c */
                SIBLING("\x12\x06\x0a\x01"
                        "c\x1a\x01x",
                        0), /* with a command */
                SIBLING("\x12\x03\x0a\x01"
                        "c\x52\x01n",
                        0), /* on a node */
                SIBLING("\x12\x03\x0a\x01"
                        "d",
                        3),
                SIBLING("\x12\x03\x0a\x01"
                        "c\x9a\x01\x01s",
                        4), /* of a scheduler */
                SIBLING("\x0a\x08\x0a\x01"
                        "a\x12\x03\xd2\x01\x00",
                        5), /* a projected volume, a */
                SIBLING("\x0a\x08\x0a\x01"
                        "b\x12\x03\xd2\x01\x00",
                        5),
                SIBLING("\x0a\x07\x0a\x01"
                        "a\x12\x02\x12\x00",
                        7), /* an empty directory, a */
                SIBLING("\x0a\x07\x0a\x01"
                        "b\x12\x02\x12\x00",
                        8),
        };
        struct pod_reader *reader = pod_reader_new();
        uint64_t numbers[ARRAY_LEN(cases)];

        (void)state;
        for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
                CLEANUP(buf_release) struct buf message = { 0 };
                struct pod pod;

                buf_append(&message, NAMED "\x12", 6);
                buf_char(&message, (char)cases[i].spec.len);
                buf_slice(&message, cases[i].spec);
                buf_append(&message, EMPTY_STATUS, 2);
                assert_true(pod_reader_read(reader, buf_view(&message), &pod));
                numbers[i] = pod.spec.sibling;
                assert_int_equal(numbers[i], numbers[cases[i].like]);
                for (size_t j = 0; j < i && cases[i].like == (int)i; j++)
                        assert_true(numbers[j] != numbers[i]);
        }
        pod_reader_free(reader);
}

int main(void) {
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(test_templates), cmocka_unit_test(test_changes),
                cmocka_unit_test(test_damage),    cmocka_unit_test(test_peculiar),
                cmocka_unit_test(test_siblings),
        };

        return cmocka_run_group_tests(tests, NULL, NULL);
}
