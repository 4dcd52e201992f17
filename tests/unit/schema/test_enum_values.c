/* Values of fields: each row is of a field of text that exists. */
#include "base/util.h"
#include "schema/enum_values.h"
#include "schema/schema.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

static void test_all_are_of_something(void **state) {
        size_t found = 0;

        (void)state;
        for (size_t i = 0; i < schema_object_count; i++) {
                const struct schema_object *object = &schema_objects[i];

                for (size_t j = 0; j < object->count; j++) {
                        const struct schema_field *field = &object->fields[j];

                        if (!enum_values_find(object->name, field->name))
                                continue;
                        found++;
                        assert_int_equal(field->type, SCHEMA_STRING);
                        assert_true(field->shape == SHAPE_ONE || field->shape == SHAPE_LIST);
                }
        }
        assert_int_equal(found, enum_values_count());
}

static void test_values(void **state) {
        (void)state;
        assert_string_equal(enum_values_find("core.v1.PodSpec", "restartPolicy"),
                            "Always|Never|OnFailure");
        assert_string_equal(enum_values_find("core.v1.ServiceSpec", "ipFamilies"), "|IPv4|IPv6");
        assert_null(enum_values_find("core.v1.PodSpec", "nodeName"));
        assert_null(enum_values_find("core.v1.Pod", "restartPolicy"));
}

int main(void) {
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(test_all_are_of_something),
                cmocka_unit_test(test_values),
        };
        return cmocka_run_group_tests(tests, NULL, NULL);
}
