/* Every option of kured: its default, its variable, and what is refused.  With the acceptance cases
 * about the command line, named by their numbers. */
#include "cmd/reboot_setup.h"

#include "base/util.h"
#include "cmd/cmd.h"
#include "cmd/command.h"
#include "cmd/reboot_options.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#define OPTIONS_OF_KURED 43

struct option_case {
        const char *name, *variable;
        const char *fallback; /* as shown() prints it */
        const char *value;    /* a good one */
        const char *shown;    /* how that is printed; NULL = as written */
        const char *bad[3];   /* NULL-ended */
        const char *with;     /* another option that bad ones need; NULL = none */
};

/* The table of kured 1.23; times are nanoseconds once parsed. */
static const struct option_case cases[] = {
        { "node-id", "KURED_NODE_ID", "", "n1", NULL, { "" }, NULL },
        { "period", "KURED_PERIOD", "3600000000000", "5m", "300000000000", { "0s", "soon" }, NULL },
        { "reboot-sentinel",
          "KURED_REBOOT_SENTINEL",
          "/var/run/reboot-required",
          "/s",
          NULL,
          { 0 },
          NULL },
        { "reboot-sentinel-command",
          "KURED_REBOOT_SENTINEL_COMMAND",
          "",
          "true",
          NULL,
          { " ", "'" },
          NULL },
        { "reboot-method", "KURED_REBOOT_METHOD", "command", "signal", NULL, { "foo", "" }, NULL },
        { "reboot-command",
          "KURED_REBOOT_COMMAND",
          "/bin/systemctl reboot",
          "r",
          NULL,
          { "", "\"" },
          NULL },
        { "reboot-signal",
          "KURED_REBOOT_SIGNAL",
          "39",
          "35",
          NULL,
          { "0", "x" },
          "--reboot-method=signal" },
        { "reboot-delay", "KURED_REBOOT_DELAY", "0", "1s", "1000000000", { "1" }, NULL },
        { "force-reboot", "KURED_FORCE_REBOOT", "false", "T", "true", { "yes", "" }, NULL },
        { "drain-delay", "KURED_DRAIN_DELAY", "0", "1m", "60000000000", { "m" }, NULL },
        { "drain-grace-period", "KURED_DRAIN_GRACE_PERIOD", "-1", "0", NULL, { "1s", "" }, NULL },
        { "drain-timeout", "KURED_DRAIN_TIMEOUT", "0", "1h", "3600000000000", { "h" }, NULL },
        { "drain-pod-selector",
          "KURED_DRAIN_POD_SELECTOR",
          "",
          "app!=x",
          NULL,
          { "a=b=c,(" },
          NULL },
        { "skip-wait-for-delete-timeout",
          "KURED_SKIP_WAIT_FOR_DELETE_TIMEOUT",
          "0",
          "60",
          NULL,
          { "1m" },
          NULL },
        { "ds-namespace", "KURED_DS_NAMESPACE", "kube-system", "ops", NULL, { 0 }, NULL },
        { "ds-name", "KURED_DS_NAME", "kured", "k", NULL, { 0 }, NULL },
        { "lock-annotation",
          "KURED_LOCK_ANNOTATION",
          "weave.works/kured-node-lock",
          "a/b",
          NULL,
          { 0 },
          NULL },
        { "lock-ttl", "KURED_LOCK_TTL", "0", "30m", "1800000000000", { "30" }, NULL },
        { "lock-release-delay",
          "KURED_LOCK_RELEASE_DELAY",
          "0",
          "30m",
          "1800000000000",
          { "x" },
          NULL },
        { "concurrency", "KURED_CONCURRENCY", "1", "-3", NULL, { "two" }, NULL },
        { "prefer-no-schedule-taint",
          "KURED_PREFER_NO_SCHEDULE_TAINT",
          "(unset)",
          "weave.works/kured-node-reboot",
          NULL,
          { 0 },
          NULL },
        { "blocking-pod-selector", NULL, "", "a=b,c", NULL, { 0 }, NULL },
        { "prometheus-url", "KURED_PROMETHEUS_URL", "", "http://p:9090", NULL, { 0 }, NULL },
        { "alert-filter-regexp", "KURED_ALERT_FILTER_REGEXP", "(unset)", "", NULL, { "(" }, NULL },
        { "alert-filter-match-only",
          "KURED_ALERT_FILTER_MATCH_ONLY",
          "false",
          "1",
          "true",
          { "2" },
          NULL },
        { "alert-firing-only", "KURED_ALERT_FIRING_ONLY", "false", "TRUE", "true", { "on" }, NULL },
        { "reboot-days", "KURED_REBOOT_DAYS", "", "mo,TUE", NULL, { "noday", "7" }, NULL },
        { "start-time", "KURED_START_TIME", "0:00", "09:30am", NULL, { "9:30am", "24:00" }, NULL },
        { "end-time", "KURED_END_TIME", "23:59:59", "17", NULL, { "5:00pm", "" }, NULL },
        { "time-zone", "KURED_TIME_ZONE", "UTC", "", NULL, { "utc", "no/such" }, NULL },
        { "annotate-nodes", "KURED_ANNOTATE_NODES", "false", "t", "true", { "y" }, NULL },
        { "pre-reboot-node-labels",
          "KURED_PRE_REBOOT_NODE_LABELS",
          "",
          "a=b",
          NULL,
          { "x", "a=b,c" },
          NULL },
        { "post-reboot-node-labels",
          "KURED_POST_REBOOT_NODE_LABELS",
          "",
          "a=",
          NULL,
          { "x", "=b" },
          NULL },
        { "notify-url",
          "KURED_NOTIFY_URL",
          "",
          "slack://A/B/C",
          NULL,
          { "pigeon://x", "x" },
          NULL },
        { "slack-hook-url", "KURED_SLACK_HOOK_URL", "", "https://x", NULL, { 0 }, NULL },
        { "slack-username", "KURED_SLACK_USERNAME", "kured", "x", NULL, { 0 }, NULL },
        { "slack-channel", "KURED_SLACK_CHANNEL", "", "x", NULL, { 0 }, NULL },
        { "message-template-drain",
          "KURED_MESSAGE_TEMPLATE_DRAIN",
          "Draining node %s",
          "d",
          NULL,
          { 0 },
          NULL },
        { "message-template-reboot",
          "KURED_MESSAGE_TEMPLATE_REBOOT",
          "Rebooting node %s",
          "r",
          NULL,
          { 0 },
          NULL },
        { "message-template-uncordon",
          "KURED_MESSAGE_TEMPLATE_UNCORDON",
          "Node %s rebooted & uncordoned successfully!",
          "u",
          NULL,
          { 0 },
          NULL },
        { "log-format", "KURED_LOG_FORMAT", "text", "json", NULL, { 0 }, NULL },
        { "metrics-host", "KURED_METRICS_HOST", "", "127.0.0.1", NULL, { 0 }, NULL },
        { "metrics-port", "KURED_METRICS_PORT", "8080", "9", NULL, { "x", "70000" }, NULL },
};

static const struct option *option_named(const char *name, struct arena *arena) {
        for (const struct option *o = options_expand(command_reboot.options, arena); o->name; o++)
                if (strcmp(o->name, name) == 0)
                        return o;
        fail_msg("no option %s", name);
        return NULL;
}

/* What the field of an option holds, as text. */
static const char *shown(const struct option *option, const struct reboot_options *options,
                         struct arena *arena) {
        const char *field = (const char *)options + option->offset;
        struct option_texts texts;
        const char *text;
        int64_t number;
        bool flag;

        switch (option->type) {
        case OPTION_FLAG:
                memcpy(&flag, field, sizeof(flag));
                return flag ? "true" : "false";
        case OPTION_I64:
        case OPTION_DURATION:
                memcpy(&number, field, sizeof(number));
                return arena_printf(arena, "%lld", (long long)number);
        case OPTION_TEXTS:
                memcpy(&texts, field, sizeof(texts));
                text = "";
                for (size_t i = 0; i < texts.count; i++)
                        text = arena_printf(arena, "%s%s%s", text, i ? "," : "", texts.items[i]);
                return text;
        default:
                memcpy(&text, field, sizeof(text));
                return text ? text : "(unset)";
        }
}

struct command_words {
        size_t count;
        const char *items[4];
};

/* Parses, the environment included; fills the options on success. */
static int parse(const struct command_words *words, struct arena *arena,
                 struct reboot_options *ret_options, struct err *err) {
        struct command_line line = { .options = ret_options };
        struct option_texts all = { words->count, (const char **)words->items };

        memset(ret_options, 0, sizeof(*ret_options));
        return options_parse(command_reboot.options,
                             command_with_environment(&command_reboot, all, arena), arena, &line,
                             err);
}

/* As the program would: parsed, then checked.  0, or the code; the text of the error names the
 * option. */
static int make(const struct command_words *words, struct arena *arena, struct err *err) {
        struct reboot_options options;
        struct reboot_setup setup;
        int code = parse(words, arena, &options, err);

        if (code < 0)
                return code;
        code = reboot_setup_make(&options, arena, &setup, err);
        reboot_setup_release(&setup);
        if (code == 0 && setup.notify_problem.code) { /* told, and the agent runs */
                *err = setup.notify_problem;
                code = err->code;
        }
        return code;
}

static void options_have_defaults(void **state) {
        CLEANUP(arena_release) struct arena arena;
        struct reboot_options options;

        (void)state;
        arena_init(&arena, 0);
        assert_int_equal(ARRAY_LEN(cases), OPTIONS_OF_KURED);
        assert_int_equal(parse(&(struct command_words){ 0 }, &arena, &options, NULL), 0);
        for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
                const char *text = shown(option_named(cases[i].name, &arena), &options, &arena);

                if (strcmp(text, cases[i].fallback) != 0)
                        fail_msg("--%s is %s by default", cases[i].name, text);
        }
}

/* berth has a taint by itself, kured and --parity have none; what is given counts, empty, too. */
static void taints_by_default(void **state) {
        static const struct {
                struct command_words words;
                bool is_kured;
                const char *key;
        } keys[] = {
                { { 1, { "--node-id=n" } }, false, REBOOT_TAINT_DEFAULT },
                { { 1, { "--node-id=n" } }, true, "" },
                { { 2, { "--node-id=n", "--parity" } }, false, "" },
                { { 2, { "--node-id=n", "--prefer-no-schedule-taint=" } }, false, "" },
                { { 2, { "--node-id=n", "--prefer-no-schedule-taint=a/b" } }, true, "a/b" },
        };

        (void)state;
        for (size_t i = 0; i < ARRAY_LEN(keys); i++) {
                CLEANUP(arena_release) struct arena arena;
                struct reboot_options options;
                struct reboot_setup setup;

                arena_init(&arena, 0);
                assert_int_equal(parse(&keys[i].words, &arena, &options, NULL), 0);
                options.is_kured = keys[i].is_kured;
                assert_int_equal(reboot_setup_make(&options, &arena, &setup, NULL), 0);
                assert_true(slice_is(setup.agent.taint_key, keys[i].key));
                reboot_setup_release(&setup);
        }
}

static void options_take_values(void **state) {
        (void)state;
        for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
                const char *expected = cases[i].shown ? cases[i].shown : cases[i].value;
                CLEANUP(arena_release) struct arena arena;
                struct reboot_options options;
                const char *text;

                arena_init(&arena, 0);
                assert_int_equal(parse(&(struct command_words){ 1,
                                                                { arena_printf(&arena, "--%s=%s",
                                                                               cases[i].name,
                                                                               cases[i].value) } },
                                       &arena, &options, NULL),
                                 0);
                text = shown(option_named(cases[i].name, &arena), &options, &arena);
                if (strcmp(text, expected) != 0)
                        fail_msg("--%s=%s became %s", cases[i].name, cases[i].value, text);
        }
}

/* The variable goes before the command line, where the default's text would stand. */
static void variables_go_first(void **state) {
        (void)state;
        for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
                const struct option *option;
                const char *expected = cases[i].shown ? cases[i].shown : cases[i].value;
                CLEANUP(arena_release) struct arena arena;
                struct command_words words = { 0 };
                struct reboot_options options;
                const char *text;

                if (!cases[i].variable)
                        continue;
                arena_init(&arena, 0);
                option = option_named(cases[i].name, &arena);
                if (option->type != OPTION_TEXTS && option->fallback)
                        words = (struct command_words){
                                1,
                                { arena_printf(&arena, "--%s=%s", option->name, option->fallback) }
                        };
                setenv(cases[i].variable, cases[i].value, 1);
                assert_int_equal(parse(&words, &arena, &options, NULL), 0);
                unsetenv(cases[i].variable);
                text = shown(option, &options, &arena);
                if (strcmp(text, expected) != 0)
                        fail_msg("%s=%s became %s", cases[i].variable, cases[i].value, text);
        }
}

static void refuse(const struct option_case *c, const char *bad, bool is_variable) {
        CLEANUP(arena_release) struct arena arena;
        struct command_words words = { 0 };
        struct err err = { 0 };
        int code;

        arena_init(&arena, 0);
        if (strcmp(c->name, "node-id") != 0)
                words.items[words.count++] = "--node-id=n";
        if (c->with)
                words.items[words.count++] = c->with;
        if (is_variable)
                setenv(c->variable, bad, 1);
        else
                words.items[words.count++] = arena_printf(&arena, "--%s=%s", c->name, bad);
        code = make(&words, &arena, &err);
        if (is_variable)
                unsetenv(c->variable);
        if (code == 0 || !strstr(err.text, c->name))
                fail_msg("--%s \"%s\": %d %s", c->name, bad, code, err.text);
}

static void bad_values_are_refused(void **state) {
        (void)state;
        for (size_t i = 0; i < ARRAY_LEN(cases); i++)
                for (size_t j = 0; cases[i].bad[j]; j++) {
                        refuse(&cases[i], cases[i].bad[j], false);
                        if (cases[i].variable)
                                refuse(&cases[i], cases[i].bad[j], true);
                }
}

static int make_with(const char *word, struct err *err) {
        CLEANUP(arena_release) struct arena arena;

        arena_init(&arena, 0);
        return make(&(struct command_words){ word ? 2 : 1, { "--node-id=n", word } }, &arena, err);
}

static void r01_no_node_id(void **state) {
        CLEANUP(arena_release) struct arena arena;
        struct err err = { 0 };

        (void)state;
        arena_init(&arena, 0);
        assert_int_equal(make(&(struct command_words){ 0 }, &arena, &err), BERTH_ERR_INVALID);
        assert_non_null(strstr(err.text, "node-id"));
        assert_int_equal(make_with(NULL, &err), 0);
}

static void r02_environment_wins(void **state) {
        CLEANUP(arena_release) struct arena arena;
        struct reboot_options options;

        (void)state;
        arena_init(&arena, 0);
        setenv("KURED_PERIOD", "5m", 1);
        assert_int_equal(
                parse(&(struct command_words){ 1, { "--period=1h" } }, &arena, &options, NULL), 0);
        unsetenv("KURED_PERIOD");
        assert_int_equal(options.period_ns, 300 * NS_PER_S);
}

static void r03_days_are_joined(void **state) {
        CLEANUP(arena_release) struct arena arena;
        struct reboot_options options;
        struct reboot_setup setup;

        (void)state;
        arena_init(&arena, 0);
        setenv("KURED_REBOOT_DAYS", "tue", 1);
        assert_int_equal(parse(&(struct command_words){ 2, { "--node-id=n", "--reboot-days=mon" } },
                               &arena, &options, NULL),
                         0);
        unsetenv("KURED_REBOOT_DAYS");
        assert_int_equal(reboot_setup_make(&options, &arena, &setup, NULL), 0);
        assert_int_equal(setup.agent.window.days, 1 << 1 | 1 << 2);
        reboot_setup_release(&setup);
}

static void r04_reboot_settings(void **state) {
        static const char *const words[] = { "--reboot-method=foo",
                                             "--reboot-command=", "--period=0s", "--period=-1s" };
        CLEANUP(arena_release) struct arena arena;

        (void)state;
        for (size_t i = 0; i < ARRAY_LEN(words); i++)
                assert_true(make_with(words[i], &(struct err){ 0 }) < 0);
        arena_init(&arena, 0);
        for (int with_signal = 0; with_signal < 2; with_signal++) { /* each method's own only */
                struct command_words both = { 3,
                                              { "--node-id=n",
                                                with_signal ? "--reboot-method=signal"
                                                            : "--reboot-method=command",
                                                "--reboot-signal=0" } };

                assert_int_equal(make(&both, &arena, &(struct err){ 0 }) < 0, with_signal);
                both.items[2] = "--reboot-command=";
                assert_int_equal(make(&both, &arena, &(struct err){ 0 }) < 0, !with_signal);
        }
}

static void r05_times_and_zones(void **state) {
        struct err err = { 0 };

        (void)state;
        assert_true(make_with("--start-time=9:30am", &err) < 0);
        assert_true(make_with("--end-time=24:00", &err) < 0);
        assert_true(make_with("--time-zone=utc", &err) < 0);
        assert_int_equal(make_with("--start-time=09:30am", &err), 0);
        assert_int_equal(make_with("--time-zone=UTC", &err), 0);
}

static void r06_label_without_value(void **state) {
        struct err err = { 0 };

        (void)state;
        assert_true(make_with("--pre-reboot-node-labels=x", &err) < 0);
        assert_non_null(strstr(err.text, "key=value"));
}

static void r72_blank_sentinel_command(void **state) {
        struct err err = { 0 };

        (void)state;
        assert_true(make_with("--reboot-sentinel-command= ", &err) < 0);
        assert_non_null(strstr(err.text, "reboot-sentinel-command"));
        assert_int_equal(make_with("--reboot-sentinel-command=", &err), 0);
}

/* What kured does not have. */
static void own_options(void **state) {
        static const struct {
                const char *word;
                bool is_good;
        } words[] = {
                { "--window=mo-fr 22:00-06:00", true },
                { "--window=sometime", false },
                { "--exclude-dates=12-24..01-06,2026-05-01", true },
                { "--exclude-dates=christmas", false },
                { "--holidays=/no/such/file", false },
                { "--health-url=https://x/y", true },
                { "--health-url=ftp://x", false },
                { "--health-command=true", true },
                { "--health-command='", false },
                { "--rebalance-command='", false },
                { "--reboot-method=logind", true },
                { "--max-not-ready=0", true },
                { "--max-not-ready=many", false },
                { "--lock-object=lease", true },
                { "--lock-object=configmap", false },
                { "--drain-escalation=1h", true },
                { "--drain-escalation=1", false },
                { "--wave-label=topology.kubernetes.io/zone", true },
        };

        (void)state;
        for (size_t i = 0; i < ARRAY_LEN(words); i++) {
                struct err err = { 0 };

                if ((make_with(words[i].word, &err) == 0) != words[i].is_good)
                        fail_msg("%s: %s", words[i].word, err.text);
        }
}

static void reads_holidays(void **state) {
        CLEANUP(arena_release) struct arena arena;
        char path[] = "/tmp/berth-days-XXXXXX";
        struct reboot_options options;
        struct reboot_setup setup;
        int fd = mkstemp(path);

        (void)state;
        arena_init(&arena, 0);
        assert_int_equal(write(fd, "# ours\n2026-05-01\n\n12-24..12-26 # each year\n", 44), 44);
        close(fd);
        assert_int_equal(
                parse(&(struct command_words){ 3,
                                               { "--node-id=n", "--exclude-dates=10-03",
                                                 arena_printf(&arena, "--holidays=%s", path) } },
                      &arena, &options, NULL),
                0);
        assert_int_equal(reboot_setup_make(&options, &arena, &setup, NULL), 0);
        assert_int_equal(setup.agent.calendar.excluded_count, 3);
        assert_int_equal(setup.agent.calendar.excluded[2].first, 1224);
        reboot_setup_release(&setup);
        unlink(path);
}

/* Under both names, with kured's exit codes. */
static void exit_codes(void **state) {
        static const struct {
                const char *words[4];
                int count, code;
        } runs[] = {
                { { "kured" }, 1, 1 },
                { { "berth", "reboot" }, 2, 1 },
                { { "/usr/bin/kured", "--no-such" }, 2, 2 },
                { { "berth", "reboot", "--period=x" }, 3, 2 },
                { { "kured", "--help" }, 2, 0 },
                { { "kured", "--node-id=n", "--period=0s" }, 3, 1 },
        };

        (void)state;
        for (size_t i = 0; i < ARRAY_LEN(runs); i++) {
                int code = command_main(&program_berth, runs[i].count, (char **)runs[i].words);

                if (code != runs[i].code)
                        fail_msg("run %zu: exit %d", i, code);
        }
}

int main(void) {
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(options_have_defaults),
                cmocka_unit_test(taints_by_default),
                cmocka_unit_test(options_take_values),
                cmocka_unit_test(variables_go_first),
                cmocka_unit_test(bad_values_are_refused),
                cmocka_unit_test(r01_no_node_id),
                cmocka_unit_test(r02_environment_wins),
                cmocka_unit_test(r03_days_are_joined),
                cmocka_unit_test(r04_reboot_settings),
                cmocka_unit_test(r05_times_and_zones),
                cmocka_unit_test(r06_label_without_value),
                cmocka_unit_test(r72_blank_sentinel_command),
                cmocka_unit_test(own_options),
                cmocka_unit_test(reads_holidays),
                cmocka_unit_test(exit_codes),
        };

        return cmocka_run_group_tests(tests, NULL, NULL);
}
