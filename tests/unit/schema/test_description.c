/* Texts for types and fields: each has one, and none is of something that does not exist. */
#include "base/util.h"
#include "schema/description.h"
#include "schema/schema.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

static bool fits(const char *type, const struct schema_object *object) {
        size_t wanted = strlen(type) - 1, length = strlen(object->name);

        if (type[0] != '*')
                return strcmp(type, object->name) == 0;
        return length >= wanted && strcmp(object->name + length - wanted, type + 1) == 0;
}

/* Of a type of the table. */
static bool names_something(const struct schema_description *row) {
        if (strcmp(row->type, SCHEMA_ROOT_TYPE) == 0)
                return true;
        for (size_t i = 0; i < schema_object_count; i++) {
                const struct schema_object *object = &schema_objects[i];

                if (fits(row->type, object) &&
                    (!row->field[0] || schema_field_find(object, slice_of(row->field))))
                        return true;
        }
        return false;
}

/* A line for several types is of a field of at least one of them. */
static bool is_known(const struct schema_description *row) {
        for (size_t i = 0; i < schema_description_count; i++) {
                const struct schema_description *other = &schema_descriptions[i];

                if (strcmp(row->field, other->field) == 0 && strcmp(row->text, other->text) == 0 &&
                    names_something(other))
                        return true;
        }
        return false;
}

static void test_all_are_of_something(void **state) {
        (void)state;
        assert_true(schema_description_count > 0);
        for (size_t i = 0; i < schema_description_count; i++)
                if (!is_known(&schema_descriptions[i]))
                        fail_msg("no type %s with a field %s", schema_descriptions[i].type,
                                 schema_descriptions[i].field);
}

static void test_the_most_exact_counts(void **state) {
        const char *of_all = schema_description_find("core.v1.Pod", "metadata");

        (void)state;
        assert_non_null(of_all);
        assert_ptr_equal(schema_description_find("apps.v1.ReplicaSet", "metadata"), of_all);
        assert_ptr_not_equal(schema_description_find("core.v1.PodTemplateSpec", "metadata"),
                             of_all);
        assert_ptr_not_equal(schema_description_find("core.v1.NodeCondition", "status"),
                             schema_description_find("apps.v1.ReplicaSet", "status"));
        assert_null(schema_description_find("core.v1.Pod", "bogus"));
        assert_null(schema_description_find("core.v1.Bogus", ""));
}

static void every_field_has_one(const struct schema_object *object) {
        for (size_t i = 0; i < object->count; i++)
                if (!schema_description_find(object->name, object->fields[i].name))
                        fail_msg("no text for %s of %s", object->fields[i].name, object->name);
}

static void test_all_types_and_fields(void **state) {
        (void)state;
        assert_non_null(schema_description_find(SCHEMA_ROOT_TYPE, "apiVersion"));
        assert_non_null(schema_description_find(SCHEMA_ROOT_TYPE, "kind"));
        for (size_t i = 0; i < schema_object_count; i++) {
                const struct schema_object *object = &schema_objects[i];

                if (!schema_description_find(object->name, ""))
                        fail_msg("no text for %s", object->name);
                every_field_has_one(object);
        }
}

int main(void) {
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(test_all_are_of_something),
                cmocka_unit_test(test_the_most_exact_counts),
                cmocka_unit_test(test_all_types_and_fields),
        };
        return cmocka_run_group_tests(tests, NULL, NULL);
}
