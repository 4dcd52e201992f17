/* What a refused change of a pod shows of it: the lines that differ. */
#include "fake_server.h"

#define PODS "/api/v1/namespaces/default/pods"

/* Lines that differ are shown of values of a usual size alone. */
static void test_differences(void **state) {
        struct fixture f = fixture_new();
        struct buf patch = { 0 };

        (void)state;
        assert_int_equal(ask(&f, "POST", PODS,
                             "{\"metadata\":{\"name\":\"a\"},\"spec\":{\"containers\":[{\"name\":"
                             "\"c\",\"image\":\"x\"}]}}"),
                         201);
        for (int count = 1; count <= 6000; count += 5999) {
                buf_clear(&patch);
                buf_text(&patch, "{\"spec\":{\"volumes\":[");
                for (int i = 0; i < count; i++)
                        buf_printf(
                                &patch,
                                "%s{\"name\":\"volume-%d\",\"emptyDir\":{\"medium\":\"Memory\"}}",
                                i ? "," : "", i);
                buf_text(&patch, "]}}");
                assert_int_equal(ask_patch(&f, MERGE_PATCH, PODS "/a", patch.data), 422);
                assert_non_null(strstr(f.text, "pod updates may not change fields"));
                assert_int_equal(strstr(f.text, "@@ -") != NULL, count == 1);
                assert_true(strlen(f.text) < 100000);
        }
        buf_release(&patch);
        fixture_free(&f);
}

/* What was sent empty shows where it counts: gates and tolerations are looked at apart. */
static void test_emptied_differences(void **state) {
        static const struct {
                const char *pod, *spec, *shown;
        } pods[] = {
                { "a", "\"initContainers\":[]", NULL },
                { "a",
                  "\"containers\":[{\"name\":\"c\",\"image\":\"x\",\"resources\":{\"limits\":{}}}]",
                  "+    \"Requests\": {}" },
                { "a", "\"schedulingGates\":[]", NULL },
                { "a", "\"tolerations\":[]", NULL },
                { "a", "\"imagePullSecrets\":[]", "+ \"ImagePullSecrets\": []" },
                { "a", "\"affinity\":{}", "+ \"Affinity\": {" },
                { "gated", "\"affinity\":{\"nodeAffinity\":{}}", NULL },
                { "gated", "\"affinity\":{}", "+ \"Affinity\": {" },
                { "gated", "\"nodeSelector\":{}", "+ \"NodeSelector\": {}" },
        };
        struct fixture f = fixture_new();

        (void)state;
        assert_int_equal(ask(&f, "POST", PODS,
                             "{\"metadata\":{\"name\":\"a\"},\"spec\":{\"containers\":[{\"name\":"
                             "\"c\",\"image\":\"x\"}]}}"),
                         201);
        assert_int_equal(
                ask(&f, "POST", PODS,
                    "{\"metadata\":{\"name\":\"gated\"},\"spec\":{\"schedulingGates\":[{"
                    "\"name\":\"a.b/c\"}],\"containers\":[{\"name\":\"c\",\"image\":\"x\"}]}}"),
                201);
        for (size_t i = 0; i < ARRAY_LEN(pods); i++) {
                char path[100], body[200];
                size_t lines = 0;

                snprintf(path, sizeof(path), PODS "/%s", pods[i].pod);
                snprintf(body, sizeof(body), "{\"spec\":{\"restartPolicy\":\"Never\",%s}}",
                         pods[i].spec);
                assert_int_equal(ask_patch(&f, MERGE_PATCH, path, body), 422);
                assert_non_null(strstr(f.text, "+ \\\"RestartPolicy\\\""));
                struct slice message = json_get_text(json_doc_root(f.doc), "message");
                for (const char *at = message.ptr; (at = strstr(at, "\n+ ")); at++)
                        lines++;
                if (pods[i].shown ? !strstr(message.ptr, pods[i].shown) : lines != 1)
                        fail_msg("%s: %s", pods[i].spec, f.text);
        }
        fixture_free(&f);
}

int main(void) {
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(test_differences),
                cmocka_unit_test(test_emptied_differences),
        };

        return cmocka_run_group_tests(tests, NULL, NULL);
}
