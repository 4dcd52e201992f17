/* What rules may cost at most: sizes from the bounds of a schema, and from the largest request. The
 * numbers are those of kube-apiserver. */
#include "api/json.h"
#include "base/arena.h"
#include "base/util.h"
#include "cel/cel_estimate.h"
#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

static const char schema_text[] =
        "{\"type\":\"object\",\"required\":[\"i\"],\"properties\":{\"s\":{\"type\":\"string\"},"
        "\"sm\":{\"type\":\"string\",\"maxLength\":10},\"e\":{\"type\":\"string\",\"enum\":[\"a\","
        "\"bcd\"]},\"i\":{\"type\":\"integer\"},\"l\":{\"type\":\"array\",\"items\":{\"type\":"
        "\"string\"}},\"lm\":{\"type\":\"array\",\"maxItems\":30,\"items\":{\"type\":\"string\","
        "\"maxLength\":5}},\"m\":{\"type\":\"object\",\"maxProperties\":7,\"additionalProperties\":"
        "{\"type\":\"string\"}},\"x\":{\"x-kubernetes-int-or-string\":true}}}";

static const struct {
        const char *source;
        uint64_t cost;
} cases[] = {
        { "self.i > 3", 3 },
        { "self.i == 3", 2 },                /* numbers of a schema have no size */
        { "self.sm == 'abc'", 3 },           /* the shorter one counts */
        { "self.sm == self.s", 8 },          /* four bytes for a character */
        { "self.s == self.s", 314577 },      /* a request of texts */
        { "self.e == self.s", 5 },           /* the longest choice */
        { "self.lm.all(x, x == 'a')", 153 }, /* 3 + 30 * (3 + 2) */
        { "self.lm.exists(x, x == 'a')", 183 },
        { "self.lm.map(x, x + 'a').size() > 2", 495 },
        { "self.lm.filter(x, x == 'a').size() > 2", 465 },
        { "self.l.all(x, self.i > 3)", 6291453 },
        { "has(self.s) && self.i > 3", 4 },
        { "self.m.all(k, self.m[k] == 'a')", 59 },
        { "self.s.contains('abc')", 314575 },
        { "self.sm.matches('^abcd$')", 12 },
        { "self.sm.replace('a', 'bb') == 'x'", 11 },
        { "self.sm in ['a', 'b']", 14 },
        { "sets.contains(self.lm, ['a', 'b'])", 73 },
        { "self.lm.distinct().size() > 1", 1815 },
        { "self.?i.hasValue()", 3 },
        { "true ? self.i > 1 : self.s == self.s", 314577 },
        { "string(self.x) == 'a'", 314576 },
        { "type(self.x) == int", 4 },
};

static void test_costs(void **state) {
        struct arena arena = { 0 };
        struct json_doc *doc;
        size_t bad = 0;

        (void)state;
        arena_init(&arena, 0);
        assert_int_equal(json_parse(slice_of(schema_text), &doc, NULL), 0);
        const struct cel_type *self = cel_type_of_schema(&arena, json_doc_root(doc), false);
        const struct cel_options options = { .self = self };
        for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
                struct cel_program *program = NULL;
                struct err err = { 0 };

                if (cel_compile(&arena, slice_of(cases[i].source), &options, &program, &err) < 0)
                        fail_msg("%s: %s", cases[i].source, err.text);
                if (cel_estimate(program) != cases[i].cost) {
                        print_error("%s: %llu\n", cases[i].source,
                                    (unsigned long long)cel_estimate(program));
                        bad++;
                }
                cel_program_release(program);
        }
        assert_int_equal(bad, 0);
        /* {"i":0} and a comma. */
        assert_int_equal(cel_cardinality(self), 3 * 1024 * 1024 / 9);
        json_doc_free(doc);
        arena_release(&arena);
}

int main(void) {
        const struct CMUnitTest tests[] = { cmocka_unit_test(test_costs) };

        return cmocka_run_group_tests(tests, NULL, NULL);
}
