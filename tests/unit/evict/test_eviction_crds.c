/* The CustomResourceDefinitions: kubectl explain says something of every field. */
#include "evict/eviction_crds.h"

#include "api/json.h"
#include "config/document.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

/* How many fields there are below. */
static size_t check_described(const struct json *schema, struct slice name) {
        struct json_iter iter = json_iter(json_get(schema, "properties"));
        const struct json *field;
        struct slice key;
        size_t count = 0;

        while (json_next(&iter, &key, &field)) {
                if (!json_get_text(field, "description").len)
                        fail_msg(SLICE_FMT " of " SLICE_FMT " has no description", SLICE_ARG(key),
                                 SLICE_ARG(name));
                count += 1 + check_described(field, key);
        }
        if (json_get(schema, "items"))
                count += check_described(json_get(schema, "items"), name);
        return count;
}

static void test_every_field_is_described(void **state) {
        (void)state;
        for (const struct embedded_text *file = eviction_crds; file->text; file++) {
                struct document *document = NULL;
                struct err err = { 0 };

                assert_int_equal(
                        document_read(slice_make(file->text, file->size), "crd", &document, &err),
                        0);
                const struct json *spec = json_get(document_root(document), "spec");
                const struct json *version = json_at(json_get(spec, "versions"), 0);
                const struct json *schema =
                        json_get(json_get(version, "schema"), "openAPIV3Schema");
                struct slice kind = json_get_text(json_get(spec, "names"), "kind");

                assert_true(json_get_text(schema, "description").len > 0);
                assert_true(check_described(schema, kind) > 10);
                document_free(document);
        }
}

int main(void) {
        const struct CMUnitTest tests[] = { cmocka_unit_test(test_every_field_is_described) };
        return cmocka_run_group_tests(tests, NULL, NULL);
}
