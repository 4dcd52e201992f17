/* Selectors of devices: what they see, what does not compile, what fails when it runs, and that
 * an evaluation ends. */
#include "api/json.h"
#include "base/arena.h"
#include "base/util.h"
#include "cel/cel_device.h"
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

static const char device_text[] =
        "{\"name\":\"gpu-0\",\"allowMultipleAllocations\":true,\"attributes\":{"
        "\"model\":{\"string\":\"A100\"},\"index\":{\"int\":3},\"healthy\":{\"bool\":true},"
        "\"driverVersion\":{\"version\":\"1.10.0\"},\"pci.example.com/root\":{\"string\":\"00\"}},"
        "\"capacity\":{\"memory\":{\"value\":\"40Gi\"},\"other.example.com/slots\":{\"value\":"
        "\"500m\"}}}";
#define LISTS                                                                                      \
        "{\"attributes\":{\"ints\":{\"ints\":[1,2]},\"names\":{\"strings\":[\"a\",\"b\"]},"        \
        "\"versions\":{\"versions\":[\"1.0.0\"]},\"one\":{\"int\":1}}}"
#define OWN "device.attributes[\"gpu.example.com\"]"

/* true, false, "?TEXT" for what does not compile, "!TEXT" for a run-time error (a part of either)
 */
struct device_case {
        const char *source, *expected;
};

static const char *outcome(struct arena *arena, const char *device, const char *source,
                           bool has_lists) {
        const struct cel_device_gates gates = { .has_lists = has_lists, .has_shares = true };
        struct json_doc *doc;
        struct device decoded;
        struct cel_program *program;
        const struct cel_value *value;
        const char *text, *result;
        struct err err = { 0 };

        if (cel_device_compile(arena, slice_of(source), &gates, &program, &err) < 0)
                return arena_printf(arena, "?%s", err.text);
        assert_int_equal(json_parse(slice_of(device), &doc, &err), 0);
        assert_int_equal(device_decode(json_doc_root(doc), arena, &decoded, &err), 0);
        if (cel_device_value(arena, &decoded, slice_of("gpu.example.com"), &gates, &value, &err) <
            0) {
                result = arena_printf(arena, "!%s", err.text);
        } else {
                switch (cel_device_matches(program, value, arena, &text)) {
                case CEL_TRUE:
                        result = "true";
                        break;
                case CEL_FALSE:
                        result = "false";
                        break;
                default:
                        result = arena_printf(arena, "!%s", text);
                }
        }
        cel_program_release(program);
        cleanup_json_doc(&doc);
        return result;
}

static void check_cases(const char *device, const struct device_case *cases, size_t count,
                        bool has_lists) {
        struct arena arena;
        size_t failures = 0;

        arena_init(&arena, 0);
        for (size_t i = 0; i < count; i++) {
                const char *got = outcome(&arena, device, cases[i].source, has_lists);
                const char *want = cases[i].expected;
                bool is_fine = strchr("?!", *want) ? *got == *want && strstr(got + 1, want + 1)
                                                   : strcmp(got, want) == 0;

                if (!is_fine)
                        print_message("%s: %s, not %s\n", cases[i].source, got, want);
                failures += !is_fine;
        }
        arena_release(&arena);
        assert_int_equal(failures, 0);
}

static void test_device(void **state) {
        static const struct device_case cases[] = {
                { "device.driver == \"gpu.example.com\"", "true" },
                { OWN ".model == \"A100\" && " OWN "[\"index\"] == 3", "true" },
                { OWN ".healthy", "true" },
                { OWN ".model", "!CEL result of type string" },
                { OWN ".nope == 1", "!no such key: nope" },
                { OWN ".nope == 1 || " OWN ".healthy", "true" },
                { "has(" OWN ".model) && !has(" OWN ".nope)", "true" },
                { "has(device.attributes[\"x.example.com\"].nope)", "false" },
                { "device.attributes[\"x.example.com\"].nope == 1", "!no such key: nope" },
                { "\"x.example.com\" in device.attributes", "false" },
                { "\"pci.example.com\" in device.attributes", "true" },
                { "device.attributes[\"pci.example.com\"].root == \"00\"", "true" },
                { OWN ".driverVersion.isGreaterThan(semver(\"1.9.0\"))", "true" },
                { OWN ".driverVersion.compareTo(semver(\"1.10.0\")) == 0", "true" },
                { "device.capacity[\"gpu.example.com\"].memory == quantity(\"40960Mi\")", "true" },
                { "device.capacity[\"other.example.com\"].slots.isInteger()", "false" },
                { "device.allowMultipleAllocations", "true" },
                { "cel.bind(own, " OWN ", own.healthy && own.index > 2)", "true" },
                { "device.driver", "?must evaluate to bool or the unknown type, not string" },
                { "dyn(true)", "?not dyn" },
                { "device.nope", "?undefined field 'nope'" },
                { "self.x", "?undeclared reference to 'self'" },
                { OWN ".index.exists(x, x)", "?expression of type 'any' cannot be range" },
                { OWN ".model.includes(\"A100\")", "?undeclared reference to 'includes'" },
                { OWN ".driverVersion > semver(\"1.0.0\")", "?no matching overload for '_>_'" },
        };

        (void)state;
        check_cases(device_text, cases, ARRAY_LEN(cases), false);
}

static void test_lists(void **state) {
        static const struct device_case with[] = {
                { OWN ".ints.includes(2) && !" OWN ".ints.includes(3)", "true" },
                { OWN ".one.includes(1)", "true" },
                { OWN ".names.exists(x, x == \"b\")", "true" },
                { OWN ".versions.includes(semver(\"1.0.0\"))", "true" },
                { "true", "true" },
        };
        static const struct device_case without[] = {
                { "true", "!attribute ints: unsupported attribute value" },
        };

        (void)state;
        check_cases(LISTS, with, ARRAY_LEN(with), true);
        check_cases(LISTS, without, ARRAY_LEN(without), false);
        check_cases("{\"attributes\":{\"v\":{\"version\":\"1.2\"}}}",
                    &(struct device_case){ "true", "!attribute v: " }, 1, false);
}

/* 10 to the power of 6 rounds are above the limit of 1,000,000; 10 to the power of 4 are below. */
static void test_cost(void **state) {
#define LOOP(name) "[0,1,2,3,4,5,6,7,8,9].all(" name ", "
        static const struct device_case cases[] = {
                { LOOP("a") LOOP("b") LOOP("c") LOOP("d") "a >= 0))))", "true" },
                { LOOP("a") LOOP("b") LOOP("c") LOOP("d") LOOP("e") LOOP("f") "a >= 0))))))",
                  "!actual cost limit exceeded" },
                { "true || " LOOP("a") LOOP("b") LOOP("c") LOOP("d") LOOP("e")
                          LOOP("f") "a >= 0))))))",
                  "true" },
        };

        (void)state;
        check_cases(device_text, cases, ARRAY_LEN(cases), false);
}

int main(void) {
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(test_device),
                cmocka_unit_test(test_lists),
                cmocka_unit_test(test_cost),
        };

        return cmocka_run_group_tests(tests, NULL, NULL);
}
