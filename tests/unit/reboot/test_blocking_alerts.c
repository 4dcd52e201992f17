/* Alerts that block (acceptance 47 to 49), and commands split into words (71, 72). */
#include "reboot/blocking_alerts.h"

#include "base/regex.h"
#include "base/util.h"
#include "reboot/shell_words.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>

#include <cmocka.h>

#define SAMPLE(name, alertstate, value)                                                            \
        "{\"metric\":{\"alertname\":\"" name "\",\"alertstate\":\"" alertstate                     \
        "\"},\"value\":[1,\"" value "\"]}"
#define ANSWER(samples)                                                                            \
        "{\"status\":\"success\",\"data\":{\"resultType\":\"vector\",\"result\":[" samples "]}}"

static void judges_alerts(void **state) {
        static const struct {
                const char *answer, *filter;
                bool matches_only, firing_only;
                const char *names; /* NULL = unreadable */
        } cases[] = {
                { ANSWER(""), NULL, false, false, "" },
                { ANSWER(SAMPLE("A", "firing", "1")), NULL, false, false, "A" },
                { ANSWER(SAMPLE("A", "pending", "1")), NULL, false, false, "A" },
                { ANSWER(SAMPLE("A", "pending", "1")), NULL, false, true, "" },
                { ANSWER(SAMPLE("A", "firing", "0")), NULL, false, false, "" },
                { ANSWER(SAMPLE("A", "firing", "1") "," SAMPLE("A", "firing", "1")), NULL, false,
                  false, "A" },
                { ANSWER(SAMPLE("A", "firing", "1") "," SAMPLE("B", "firing", "1")), "^A$", false,
                  false, "B" },
                { ANSWER(SAMPLE("A", "firing", "1") "," SAMPLE("B", "firing", "1")), "^A$", true,
                  false, "A" },
                { ANSWER(SAMPLE("A", "firing", "1")), "", false, false, "" },
                { "{\"status\":\"error\"}", NULL, false, false, NULL },
                { "{\"status\":\"success\",\"data\":{\"resultType\":\"scalar\"}}", NULL, false,
                  false, NULL },
        };

        (void)state;
        for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
                struct regex *regex =
                        cases[i].filter ? regex_new(slice_of(cases[i].filter), NULL) : NULL;
                struct alert_filter filter = { regex, cases[i].matches_only, cases[i].firing_only };
                struct json_doc *doc = NULL;
                struct buf names = { 0 };
                int code;

                assert_int_equal(json_parse(slice_of(cases[i].answer), &doc, NULL), 0);
                code = blocking_alerts_find(json_doc_root(doc), &filter, &names, NULL);
                if ((code == 0) != !!cases[i].names ||
                    (code == 0 && !slice_is(buf_view(&names), cases[i].names)))
                        fail_msg("%zu: " SLICE_FMT, i, SLICE_ARG(buf_view(&names)));
                buf_release(&names);
                json_doc_free(doc);
                regex_free(regex);
        }
}

static void splits_commands(void **state) {
        static const struct {
                const char *text, *words[5];
        } cases[] = {
                { "/bin/systemctl reboot", { "/bin/systemctl", "reboot" } },
                { "sh -c 'exit 1'", { "sh", "-c", "exit 1" } },
                { "a \"b \\\"c\" d\\ e # rest", { "a", "b \"c", "d e" } },
                { "a ''", { "a", "" } },
                { " ", { NULL } },
                { "", { NULL } },
                { "a 'b", { NULL } },
        };

        (void)state;
        for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
                CLEANUP(arena_release) struct arena arena;
                const char **words = NULL;
                size_t count = 0, expected = 0;
                int code;

                arena_init(&arena, 0);
                while (cases[i].words[expected])
                        expected++;
                code = shell_words_split(slice_of(cases[i].text), &arena, &words, &count, NULL);
                assert_int_equal(code == 0, expected > 0);
                assert_int_equal(count, expected);
                for (size_t w = 0; w < count; w++)
                        assert_string_equal(words[w], cases[i].words[w]);
        }
}

int main(void) {
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(judges_alerts),
                cmocka_unit_test(splits_commands),
        };

        return cmocka_run_group_tests(tests, NULL, NULL);
}
