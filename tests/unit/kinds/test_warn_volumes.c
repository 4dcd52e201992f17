/* Warnings about volumes whose files would be written over each other, against the naive way. */
#include "kind_test.h"

#include "base/rng.h"
#include "kinds/warn_volumes.h"

static void note_warning(void *context, const char *text) {
        struct buf *out = context;

        buf_printf(out, "%s%s", out->len ? "\n" : "", text);
}

static void assert_warnings(const char *volumes, const char *expected) {
        struct buf pod = { 0 }, text = { 0 };
        struct kind_test test;

        buf_printf(&pod, "{\"metadata\":{\"name\":\"p\"},\"spec\":{\"volumes\":[%s]}}", volumes);
        kind_test_begin(&test, "v1", "Pod", pod.data, NULL);
        test.kind->warn(KIND_CREATE, test.object, note_warning, &text);
        assert_string_equal(text.data ? text.data : "", expected);
        kind_test_end(&test);
        buf_release(&pod);
        buf_release(&text);
}

#define ITEMS(...) "\"items\":[" __VA_ARGS__ "]"
#define AT(path) "{\"key\":\"k\",\"path\":\"" path "\"}"

static void test_sources(void **state) {
        (void)state;
        assert_warnings("{\"name\":\"v\",\"configMap\":{\"name\":\"m\"," ITEMS(
                                AT("a/") "," AT("a/b") "," AT("ab")) "}}",
                        "volume \"v\" (ConfigMap \"m\"): overlapping paths: \"a/b\" with \"a\"");
        assert_warnings("{\"name\":\"v\",\"secret\":{\"secretName\":\"s\"," ITEMS(
                                AT("a/b") "," AT("a") "," AT("a/c")) "}}",
                        "volume \"v\" (Secret \"s\"): overlapping paths: \"a\" with \"a/b\"\n"
                        "volume \"v\" (Secret \"s\"): overlapping paths: \"a/c\" with \"a\"");
        assert_warnings("{\"name\":\"v\",\"downwardAPI\":{" ITEMS(AT("a\\n") "," AT("a\\n")) "}}",
                        "volume \"v\" (DownwardAPI): overlapping paths: \"a\\n\" with \"a\\n\"");
        assert_warnings("{\"name\":\"v\",\"configMap\":{" ITEMS(AT("a-b") "," AT("a.b") "," AT(
                                "a")) "}},{\"name\":\"w\",\"configMap\":{" ITEMS(AT("a")) "}}",
                        "");
}

static void test_projected(void **state) {
        (void)state;
        assert_warnings(
                "{\"name\":\"v\",\"projected\":{\"sources\":[{\"secret\":{\"name\":\"s\"," ITEMS(
                        AT("a")) "}},{},{\"serviceAccountToken\":{\"path\":\"a\"}},"
                                 "{\"clusterTrustBundle\":{\"signerName\":\"x/y\",\"path\":\"b\"}},"
                                 "{\"podCertificate\":{\"keyPath\":\"b/k\",\"certificateChainPath\""
                                 ":\"a/c\"}}]}}",
                "volume \"v\" (Projected) has no sources provided\n"
                "volume \"v\" (Projected): overlapping paths: \"a\" (ServiceAccountToken) with "
                "\"a\" (Secret \"s\")\n"
                "volume \"v\" (Projected): overlapping paths: \"a/c\" (PodCertificate chain) with "
                "\"a\" (Secret \"s\")\n"
                "volume \"v\" (Projected): overlapping paths: \"a/c\" (PodCertificate chain) with "
                "\"a\" (ServiceAccountToken)\n"
                "volume \"v\" (Projected): overlapping paths: \"b/k\" (PodCertificate key) with "
                "\"b\" (ClusterTrustBundle \"x/y\")");
}

static void test_claims(void **state) {
        (void)state;
        assert_warnings(
                "{\"name\":\"v\",\"ephemeral\":{\"volumeClaimTemplate\":{\"spec\":{"
                "\"resources\":{\"limits\":{\"storage\":\"2500m\"},\"requests\":{"
                "\"storage\":\"100m\"}}}}}}",
                "spec.volumes[0].ephemeral.volumeClaimTemplate.spec.resources.requests"
                "[storage]: fractional byte value \"100m\" is invalid, must be an integer\n"
                "spec.volumes[0].ephemeral.volumeClaimTemplate.spec.resources.limits"
                "[storage]: fractional byte value \"2500m\" is invalid, must be an integer");
}

/* ---- the naive way: each with each one before it ---- */

#define PATHS 40

static bool holds(const char *folder, const char *path) {
        size_t length = strlen(folder);

        return strncmp(folder, path, length) == 0 && (path[length] == '/' || path[length] == '\0');
}

static void expect_naively(char paths[][16], struct buf *out) {
        for (size_t i = 0; i < PATHS; i++)
                for (size_t j = 0; j < i; j++)
                        if (*paths[i] && *paths[j] &&
                            (holds(paths[i], paths[j]) || holds(paths[j], paths[i])))
                                buf_printf(out,
                                           "%svolume \"v\" (Secret \"s\"): overlapping paths: "
                                           "\"%s\" with \"%s\"",
                                           out->len ? "\n" : "", paths[i], paths[j]);
}

static void test_naive(void **state) {
        static const char alphabet[] = "ab-/.";
        char paths[PATHS][16];
        struct rng rng;

        (void)state;
        rng_init(&rng, 7);
        for (int round = 0; round < 300; round++) {
                struct buf volume = { 0 }, expected = { 0 };

                buf_text(&volume, "{\"name\":\"v\",\"secret\":{\"secretName\":\"s\",\"items\":[");
                for (size_t i = 0; i < PATHS; i++) {
                        size_t length = rng_below(&rng, 8);

                        for (size_t k = 0; k < length; k++)
                                paths[i][k] = alphabet[rng_below(&rng, sizeof(alphabet) - 1)];
                        paths[i][length] = '\0';
                        buf_printf(&volume, "%s{\"path\":\"%s\"}", i ? "," : "", paths[i]);
                        while (length && paths[i][length - 1] == '/')
                                paths[i][--length] = '\0';
                }
                buf_text(&volume, "]}}");
                expect_naively(paths, &expected);
                assert_warnings(volume.data, expected.data ? expected.data : "");
                buf_release(&volume);
                buf_release(&expected);
        }
}

/* All of a path, more pairs than are looked at: the first ones are shown. */
static void test_many(void **state) {
        struct buf volume = { 0 }, text = { 0 };
        struct json_doc *doc = NULL;
        struct warner warner = { .sink = { note_warning, &text }, .prefix = "" };
        CLEANUP(cleanup_json_tree) struct json_tree *tree = json_tree_new();

        (void)state;
        buf_text(&volume, "[{\"name\":\"v\",\"secret\":{\"items\":[");
        for (int i = 0; i < 3000; i++)
                buf_printf(&volume, "%s{\"path\":\"a\"}", i ? "," : "");
        buf_text(&volume, "]}}]");
        assert_int_equal(json_parse(buf_view(&volume), &doc, NULL), 0);
        warn_volume_paths(&warner, node_import(tree, json_doc_root(doc)));
        assert_int_equal(
                strncmp(text.data, "volume \"v\" (Secret \"\"): overlapping paths: \"a\"", 45), 0);
        json_doc_free(doc);
        buf_release(&volume);
        buf_release(&text);
}

int main(void) {
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(test_sources), cmocka_unit_test(test_projected),
                cmocka_unit_test(test_claims),  cmocka_unit_test(test_naive),
                cmocka_unit_test(test_many),
        };
        return cmocka_run_group_tests(tests, NULL, NULL);
}
