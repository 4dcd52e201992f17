/* Files that extenders name, as they are looked for at start. */
#include "base/arena.h"
#include "base/buf.h"
#include "base/util.h"
#include "config/document.h"
#include "config/field_table.h"
#include "config/scheduler_configuration.h"
#include "roles/extender_files.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#define HEAD                                                                                       \
        "apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\n"           \
        "extenders:\n- urlPrefix: https://x\n  filterVerb: f\n  enableHTTPS: true\n"

static const struct files_case {
        const char *name, *tls, *wanted; /* "" = accepted */
} cases[] = {
        { "no TLS", "", "" },
        { "no files", "  tlsConfig: {insecure: true}\n", "" },
        { "certificate", "  tlsConfig: {certFile: /nonexistent/c, keyFile: /dev/null}\n",
          "couldn't build extenders: open /nonexistent/c: No such file or directory" },
        { "key", "  tlsConfig: {certFile: /dev/null, keyFile: /nonexistent/k}\n",
          "couldn't build extenders: open /nonexistent/k: No such file or directory" },
        { "authority", "  tlsConfig: {caFile: /nonexistent/ca}\n",
          "couldn't build extenders: open /nonexistent/ca: No such file or directory" },
        { "data instead", "  tlsConfig: {caFile: /nonexistent/ca, caData: eA==}\n", "" },
        { "all there",
          "  tlsConfig: {certFile: /dev/null, keyFile: /dev/null, caFile: /dev/null}\n", "" },
};

static void test_files(void **state) {
        (void)state;
        for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
                CLEANUP(buf_release) struct buf text = { 0 };
                struct config_problems *problems = config_problems_new();
                struct scheduler_configuration *configuration;
                struct err err = { 0 };
                int code;

                buf_text(&text, HEAD);
                buf_text(&text, cases[i].tls);
                configuration = scheduler_configuration_read(buf_view(&text), "f", problems);
                assert_int_equal(config_problems_to_err(problems, &err), 0);
                code = extender_files_check(configuration, &err);
                if ((code < 0) != (cases[i].wanted[0] != 0) || strcmp(err.text, cases[i].wanted))
                        fail_msg("%s: %s", cases[i].name, err.text);
                scheduler_configuration_free(configuration);
                config_problems_free(problems);
        }
}

int main(void) {
        const struct CMUnitTest tests[] = { cmocka_unit_test(test_files) };

        return cmocka_run_group_tests(tests, NULL, NULL);
}
