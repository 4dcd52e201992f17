/* Paths of printer columns, as definitions in use write them. */
#include "api/json.h"
#include "base/buf.h"
#include "base/util.h"
#include "schema/column_path.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

static const char object_text[] =
        "{\"spec\":{\"size\":3,\"a.b\":\"dot\"},\"metadata\":{\"annotations\":{\"x.io/y\":\"z\"}},"
        "\"status\":{\"conditions\":[{\"type\":\"Ready\",\"status\":\"False\",\"n\":{\"k\":\"v\"}},"
        "{\"type\":\"Evicted\",\"status\":\"True\"}],\"none\":[]}}";

static const struct path_case {
        const char *path, *wanted; /* JSON; NULL = nothing there */
} cases[] = {
        { ".spec.size", "3" },
        { "spec.size", "3" },
        { ".spec.missing", NULL },
        { ".spec.size.deeper", NULL },
        { ".spec.a\\.b", "\"dot\"" },
        { ".spec['a.b']", "\"dot\"" },
        { ".metadata.annotations.x\\.io/y", "\"z\"" },
        { ".metadata.annotations[\"x.io/y\"]", "\"z\"" },
        { ".status.conditions[1].type", "\"Evicted\"" },
        { ".status.conditions[2].type", NULL },
        { ".status.conditions[-1].type", NULL },
        { ".status.conditions[*].type", "\"Ready\"" },
        { ".status.none[*].type", NULL },
        { ".status.conditions[?(@.type==\"Evicted\")].status", "\"True\"" },
        { ".status.conditions[?(@.type=='Ready')].status", "\"False\"" },
        { ".status.conditions[?(@.type == 'Ready')].status", "\"False\"" },
        { ".status.conditions[?(@.n.k=='v')].type", "\"Ready\"" },
        { ".status.conditions[?(@.type=='Other')].status", NULL },
        { ".status.conditions[?(@.type=='Ready'].status", NULL },
        { ".status.conditions[?(@.type)].status", NULL },
        { ".spec[?(@.type=='Ready')].status", NULL },
        { ".status.conditions[", NULL },
        { ".status.conditions['", NULL },
        { ".spec.size\\", NULL },
};

static void test_paths(void **state) {
        struct json_doc *doc = NULL;

        (void)state;
        assert_int_equal(json_parse(slice_of(object_text), &doc, NULL), 0);
        for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
                const struct json *value =
                        column_path_value(json_doc_root(doc), slice_of(cases[i].path));
                struct buf text = { 0 };

                if (value)
                        json_write(value, &text);
                if (!value != !cases[i].wanted ||
                    (value && strcmp(text.data, cases[i].wanted) != 0))
                        fail_msg("%s: %s", cases[i].path, value ? text.data : "nothing");
                buf_release(&text);
        }
        json_doc_free(doc);
}

int main(void) {
        const struct CMUnitTest tests[] = { cmocka_unit_test(test_paths) };

        return cmocka_run_group_tests(tests, NULL, NULL);
}
