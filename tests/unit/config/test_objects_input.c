/* Objects out of documents and lists, and where mistakes in them are said to be. */
#include "config/objects_input.h"
#include "config_test.h"

struct take {
        struct buf seen;
        const char *refuse; /* name of the object to refuse */
        const char *path;   /* what is wrong in it */
};

static int take_object(void *context, const struct input_object *object, struct err *err) {
        struct take *take = context;
        struct slice name = json_get_text(json_get(object->value, "metadata"), "name");
        buf_printf(&take->seen, SLICE_FMT " " SLICE_FMT " " SLICE_FMT " (%s)\n",
                   SLICE_ARG(object->api_version), SLICE_ARG(object->kind), SLICE_ARG(name),
                   object->path);
        if (!take->refuse || !slice_is(name, take->refuse))
                return 0;
        err_set(err, BERTH_ERR_INVALID, "not wanted");
        snprintf(err->path, sizeof(err->path), "%s", take->path);
        return BERTH_ERR_INVALID;
}

static const struct {
        const char *text, *seen;
} readings[] = {
        { "", "" },
        { "apiVersion: v1\nkind: Pod\nmetadata: {name: a}\n", "v1 Pod a ()\n" },
        { "apiVersion: v1\nkind: Pod\nmetadata: {name: a}\n---\napiVersion: v1\nkind: Node\n"
          "metadata: {name: b}\n",
          "v1 Pod a ()\nv1 Node b ()\n" },
        { "{\"apiVersion\":\"v1\",\"kind\":\"List\",\"items\":[{\"apiVersion\":\"apps/v1\","
          "\"kind\":\"Deployment\",\"metadata\":{\"name\":\"d\"}},{\"apiVersion\":\"v1\",\"kind\":"
          "\"Pod\",\"metadata\":{\"name\":\"p\"}}]}\n"
          "{\"apiVersion\":\"v1\",\"kind\":\"Pod\"}",
          "apps/v1 Deployment d (items[0])\nv1 Pod p (items[1])\nv1 Pod  ()\n" },
        { "apiVersion: v1\nkind: PodList\nmetadata: {}\nitems:\n- metadata: {name: a}\n"
          "- metadata: {name: b}\n  kind: Pod\n",
          "v1 Pod a (items[0])\nv1 Pod b (items[1])\n" },
        { "apiVersion: v1\nkind: List\nitems: [{apiVersion: v1, kind: NodeList, items: [{metadata: "
          "{name: x}}]}]\n",
          "v1 Node x (items[0].items[0])\n" },
        { "apiVersion: v1\nkind: List\nitems: []\n", "" },
        /* A kind that merely ends so. */
        { "apiVersion: example.com/v1\nkind: AllowList\nmetadata: {name: a}\n",
          "example.com/v1 AllowList a ()\n" },
};

static void test_readings(void **state) {
        (void)state;
        for (size_t i = 0; i < ARRAY_LEN(readings); i++) {
                struct take take = { 0 };
                struct err err = { 0 };
                if (objects_input_read(slice_of(readings[i].text), "in", take_object, &take, &err) <
                    0)
                        fail_msg("%s: %s", readings[i].text, err.text);
                assert_string_equal(take.seen.data ? take.seen.data : "", readings[i].seen);
                buf_release(&take.seen);
        }
}

static const struct {
        const char *text, *line;
} refusals[] = {
        { "a: [\n", "in:2:1: malformed YAML: flow sequence without a closing bracket" },
        { "hello\n", "in:1:1: expected a Kubernetes object, found a value of type string (kubectl "
                     "get needs -o yaml)" },
        { "apiVersion: v1\nkind: Pod\n---\nkind: Pod\n", "in:4:1: apiVersion is missing" },
        { "apiVersion: v1\n", "in:1:1: kind is missing" },
        { "apiVersion: 1\nkind: Pod\n", "in:1:1: apiVersion: expected a string" },
        { "apiVersion: v1\nkind: [Pod]\n", "in:1:1: kind: expected a string" },
        { "apiVersion: v1\nkind: List\nitems:\n- apiVersion: v1\n  kind: Pod\n- 5\n",
          "in:6:3: items[1]: expected a Kubernetes object, found a value of type integer" },
        { "apiVersion: v1\nkind: List\nitems:\n- metadata: {}\n",
          "in:4:3: items[0]: kind is missing" },
        { "apiVersion: v1\nkind: Pod\nmetadata: {name: bad}\nspec:\n  containers:\n  - image: 5\n",
          "in:6:12: spec.containers[0].image: not wanted" },
        { "apiVersion: v1\nkind: PodList\nitems:\n- metadata: {name: bad}\n  spec:\n    x: 1\n",
          "in:6:5: items[0].spec.containers[0].image: not wanted" },
};

static void test_refusals(void **state) {
        (void)state;
        for (size_t i = 0; i < ARRAY_LEN(refusals); i++) {
                struct take take = { .refuse = "bad", .path = "spec.containers[0].image" };
                struct err err = { 0 };
                int r = objects_input_read(slice_of(refusals[i].text), "in", take_object, &take,
                                           &err);
                assert_int_equal(r, err.code);
                assert_err_is(&err, refusals[i].line);
                assert_int_equal(objects_input_read(slice_of(refusals[i].text), "in", take_object,
                                                    &take, NULL),
                                 r);
                buf_release(&take.seen);
        }
}

static void test_nesting_is_bounded(void **state) {
        struct buf text = { 0 };
        struct take take = { 0 };
        struct err err = { 0 };
        (void)state;
        for (int i = 0; i <= OBJECTS_INPUT_NESTING_MAX; i++)
                buf_text(&text, "{\"apiVersion\":\"v1\",\"kind\":\"List\",\"items\":[");
        for (int i = 0; i <= OBJECTS_INPUT_NESTING_MAX; i++)
                buf_text(&text, "]}");
        assert_int_equal(objects_input_read(buf_view(&text), "in", take_object, &take, &err),
                         BERTH_ERR_INVALID);
        assert_string_equal(err.text, "lists nested too deep");
        buf_release(&text);
}

int main(void) {
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(test_readings),
                cmocka_unit_test(test_refusals),
                cmocka_unit_test(test_nesting_is_bounded),
        };
        return cmocka_run_group_tests(tests, NULL, NULL);
}
