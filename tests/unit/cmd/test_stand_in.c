/* The command lines of the programs berth stands in for: every documented flag is taken, unknown
 * ones are not. */
#include "cmd/stand_in.h"

#include "base/util.h"
#include "cmd/command.h"
#include "cmd/feature_gates.h"
#include "plugin/plugin.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static int parse(const struct command *command, const char *const *words, size_t count,
                 size_t *ret_warnings) {
        CLEANUP(arena_release) struct arena arena;
        struct command_line line = { 0 };
        struct err err = { 0 };
        int code;

        arena_init(&arena, 0);
        line.options = arena_alloc(&arena, command->options_size);
        code = options_parse(command->options, (struct option_texts){ count, (const char **)words },
                             &arena, &line, &err);
        *ret_warnings = line.warnings.count;
        if (code < 0 && err.code != BERTH_ERR_USAGE)
                fail_msg("%s", err.text);
        return code;
}

static void documented_flags_are_taken(void **state) {
        static const struct {
                const struct command *command;
                const char *word;
                size_t warnings;
        } cases[] = {
                { &stand_in_kube_scheduler, "--authentication-skip-lookup", 0 },
                { &stand_in_kube_scheduler, "--authentication-token-webhook-cache-ttl=10s", 0 },
                { &stand_in_kube_scheduler, "--authentication-tolerate-lookup-failure=false", 0 },
                { &stand_in_kube_scheduler, "--authorization-always-allow-paths=/healthz", 0 },
                { &stand_in_kube_scheduler, "--authentication-kubeconfig=/etc/k", 0 },
                { &stand_in_kube_scheduler, "--authorization-kubeconfig=/etc/k", 0 },
                { &stand_in_kube_scheduler, "--bind-address=127.0.0.1", 0 },
                { &stand_in_kube_scheduler, "--secure-port=0", 0 },
                { &stand_in_kube_scheduler, "--leader-elect=true", 0 },
                { &stand_in_kube_scheduler, "--leader-elect=T", 0 },
                { &stand_in_kube_scheduler, "--leader-elect-resource-lock=leases", 0 },
                { &stand_in_kube_scheduler, "--kubeconfig=/etc/k", 1 },
                { &stand_in_kube_scheduler, "--profiling=false", 1 },
                { &stand_in_kube_scheduler, "--kube-api-qps=1.5", 1 },
                { &stand_in_kube_scheduler, "--kube_api_burst=3", 1 },
                { &stand_in_kube_scheduler, "--pod-max-in-unschedulable-pods-duration=1m", 1 },
                { &stand_in_kube_scheduler, "--feature-gates=A=true", 0 },
                { &stand_in_kube_scheduler, "--emulated-version=1.35", 0 },
                { &stand_in_kube_scheduler, "--tls-sni-cert-key=a,b", 0 },
                { &stand_in_kube_scheduler, "-v=2", 0 },
                { &stand_in_kube_scheduler, "-v5", 0 },
                { &stand_in_kube_scheduler, "--v=10", 0 },
                { &stand_in_kube_scheduler, "--logging-format=json", 0 },
                { &stand_in_kube_scheduler, "--version", 0 },
                { &stand_in_descheduler, "--policy-config-file=/p", 0 },
                { &stand_in_descheduler, "--descheduling-interval=5m", 0 },
                { &stand_in_descheduler, "--descheduling_interval=5m", 0 },
                { &stand_in_descheduler, "--dry-run", 0 },
                { &stand_in_descheduler, "--client-connection-qps=2.5", 0 },
                { &stand_in_descheduler, "--kubeconfig=/k", 1 },
                { &stand_in_descheduler, "--otel-sample-rate=0.5", 0 },
                { &stand_in_descheduler, "--disable-metrics=true", 0 },
                { &stand_in_descheduler, "--enable-http2", 0 },
                { &stand_in_descheduler, "--leader-elect-lease-duration=2m", 0 },
                { &stand_in_descheduler, "--log-text-info-buffer-size=0", 0 },
        };

        (void)state;
        for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
                size_t warnings;

                if (parse(cases[i].command, &cases[i].word, 1, &warnings) < 0)
                        fail_msg("%s refused", cases[i].word);
                assert_int_equal(warnings, cases[i].warnings);
        }
}

static void mistakes_are_refused(void **state) {
        static const struct {
                const struct command *command;
                const char *word;
        } cases[] = {
                { &stand_in_kube_scheduler, "--nothing" },
                { &stand_in_kube_scheduler, "--secure-port=70000" },
                { &stand_in_kube_scheduler, "--secure-port=https" },
                { &stand_in_kube_scheduler, "--leader-elect=maybe" },
                { &stand_in_kube_scheduler, "--leader-elect-resource-lock=endpoints" },
                { &stand_in_kube_scheduler, "--profiling=perhaps" },
                { &stand_in_kube_scheduler, "--kube-api-qps=fast" },
                { &stand_in_kube_scheduler, "--config" },
                { &stand_in_kube_scheduler, "-x" },
                { &stand_in_kube_scheduler, "--descheduling-interval=5m" },
                { &stand_in_descheduler, "--descheduling-interval=5" },
                { &stand_in_descheduler, "--config=/c" },
        };

        (void)state;
        for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
                size_t warnings;

                if (parse(cases[i].command, &cases[i].word, 1, &warnings) == 0)
                        fail_msg("%s accepted", cases[i].word);
        }
}

static void each_is_found_by_its_program_name(void **state) {
        const char *const names[] = { "kube-scheduler", "descheduler" };

        (void)state;
        for (size_t i = 0; i < ARRAY_LEN(names); i++)
                assert_string_equal(program_berth.stand_ins[i]->name, names[i]);
        assert_null(program_berth.stand_ins[ARRAY_LEN(names)]);
}

static void gates_are_read(void **state) {
        static const struct {
                const struct feature_gate_entry *known;
                const char *text;
                int code;
                uint32_t gates;
        } cases[] = {
                { scheduler_feature_gates, NULL, 0, 0 },
                { scheduler_feature_gates, "", 0, 0 },
                { scheduler_feature_gates, "TaintTolerationComparisonOperators=true", 0,
                  FEATURE_TAINT_ORDER },
                { scheduler_feature_gates,
                  "APIResponseCompression=1, kube:TaintTolerationComparisonOperators=T,", 0,
                  FEATURE_TAINT_ORDER },
                { scheduler_feature_gates, "X=true", BERTH_ERR_USAGE, 0 },
                { scheduler_feature_gates, "ServiceAccountTokenJTI=true", 0, 0 }, /* locked */
                { scheduler_feature_gates, "ServiceAccountTokenJTI=false", BERTH_ERR_USAGE, 0 },
                { scheduler_feature_gates,
                  "TaintTolerationComparisonOperators=true,TaintTolerationComparisonOperators="
                  "false",
                  0, 0 },
                { scheduler_feature_gates, "GenericWorkload=true", 0, FEATURE_GROUPS },
                { scheduler_feature_gates, "GangScheduling=true,GenericWorkload=true", 0,
                  FEATURE_GROUPS | FEATURE_GANGS },
                { scheduler_feature_gates, "GangScheduling=true", BERTH_ERR_USAGE, FEATURE_GANGS },
                { scheduler_feature_gates,
                  "TopologyAwareWorkloadScheduling=true,GenericWorkload=true", 0,
                  FEATURE_GROUPS | FEATURE_PLACEMENTS },
                { scheduler_feature_gates, "WorkloadAwarePreemption=true,GenericWorkload=true",
                  BERTH_ERR_USAGE, FEATURE_GROUPS | FEATURE_GROUP_PREEMPTION },
                { scheduler_feature_gates, "AllAlpha=true,AllBeta=true", 0,
                  FEATURE_TAINT_ORDER | FEATURE_GROUPS | FEATURE_GANGS | FEATURE_PLACEMENTS |
                          FEATURE_GROUP_PREEMPTION | FEATURE_DEVICE_LISTS | FEATURE_NODE_DEVICES |
                          FEATURE_GROUP_DEVICES | FEATURE_DEVICE_TAINT_RULES },
                { scheduler_feature_gates, "GangScheduling=false,AllAlpha=true", BERTH_ERR_USAGE,
                  FEATURE_TAINT_ORDER | FEATURE_GROUPS | FEATURE_PLACEMENTS |
                          FEATURE_GROUP_PREEMPTION | FEATURE_DEVICE_LISTS | FEATURE_NODE_DEVICES |
                          FEATURE_GROUP_DEVICES },
                { scheduler_feature_gates, "DRADeviceTaints=true", 0, 0 },
                { scheduler_feature_gates, "DRADeviceTaints=false", 0, FEATURE_NO_DEVICE_TAINTS },
                { scheduler_feature_gates, "AllBeta=false,DRADeviceTaints=true", 0,
                  FEATURE_NO_DEVICE_COUNTERS | FEATURE_NO_DEVICE_CONDITIONS |
                          FEATURE_NO_DEVICE_STATUS | FEATURE_NO_DEVICE_SHARES |
                          FEATURE_NO_EXTENDED_DEVICES | FEATURE_NO_DEVICE_TIMEOUT },
                { scheduler_feature_gates, "APIResponseCompression=maybe", BERTH_ERR_USAGE, 0 },
                { scheduler_feature_gates, "APIResponseCompression", BERTH_ERR_USAGE, 0 },
                { descheduler_feature_gates, "EvictionsInBackground=true", 0, FEATURE_BACKGROUND },
                { descheduler_feature_gates, "X=true", BERTH_ERR_USAGE, 0 },
                { up_feature_gates, "EvictionRequestAPI=true,GenericWorkload=true", 0,
                  FEATURE_EVICTION_REQUESTS | FEATURE_GROUPS },
                { up_feature_gates, "GangScheduling=true", BERTH_ERR_USAGE, FEATURE_GANGS },
                { up_feature_gates, "X=true", BERTH_ERR_USAGE, 0 },
        };

        (void)state;
        for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
                struct err err = { 0 };
                uint32_t gates = 0;

                assert_int_equal(feature_gates_read(cases[i].text, cases[i].known, &gates, &err),
                                 cases[i].code);
                assert_int_equal(gates, cases[i].gates);
        }
}

int main(void) {
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(documented_flags_are_taken),
                cmocka_unit_test(mistakes_are_refused),
                cmocka_unit_test(each_is_found_by_its_program_name),
                cmocka_unit_test(gates_are_read),
        };

        return cmocka_run_group_tests(tests, NULL, NULL);
}
