/* The descheduler's metrics. */
#include "evict/evict_service.h"
#include "pages/metrics.h"
#include "pages/role_metrics.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

/* D15: upstream's build_info is 0; both names with the prefix, once and twice, are served. */
static void D15_build_info(void **state) {
        (void)state;
        for (int is_parity = 0; is_parity < 2; is_parity++) {
                struct metrics *metrics = metrics_new();
                struct evict_service *service = evict_service_new(&(struct evict_config){ 0 });
                struct descheduler_metrics *own = descheduler_metrics_new(
                        metrics,
                        evict_service_join(
                                service,
                                &(struct evict_requester_config){ .is_parity = is_parity }),
                        is_parity);
                struct buf text = { 0 };

                descheduler_metrics_passed(own, 1);
                metrics_write(metrics, &text);
                const char *info = strstr(text.data, "\ndescheduler_build_info{");
                assert_non_null(info);
                assert_memory_equal(strchr(info + 1, '}'), is_parity ? "} 0\n" : "} 1\n", 4);
                assert_non_null(strstr(text.data, "\ndescheduler_loop_duration_seconds_count 1"));
                assert_non_null(strstr(text.data,
                                       "\ndescheduler_descheduler_loop_duration_seconds_count 1"));
                descheduler_metrics_free(own);
                evict_service_free(service);
                metrics_free(metrics);
                buf_release(&text);
        }
}

/* A strategy that ran well has a series, too: a counter that begins with its first failure hides
 * it. */
static void failures_of_strategies(void **state) {
        struct metrics *metrics = metrics_new();
        struct evict_service *service = evict_service_new(&(struct evict_config){ 0 });
        struct descheduler_metrics *own = descheduler_metrics_new(
                metrics, evict_service_join(service, &(struct evict_requester_config){ 0 }), false);
        struct buf text = { 0 };

        (void)state;
        for (int run = 0; run < 3; run++) {
                descheduler_metrics_ran(own, SLICE_LITERAL("A"), SLICE_LITERAL("p"), true, 1);
                descheduler_metrics_ran(own, SLICE_LITERAL("B"), SLICE_LITERAL("p"), run == 0, 1);
        }
        metrics_write(metrics, &text);
        assert_non_null(strstr(text.data,
                               "\nberth_descheduler_strategy_failures_total{strategy=\"A\","
                               "profile=\"p\"} 0\n"));
        assert_non_null(strstr(text.data,
                               "\nberth_descheduler_strategy_failures_total{strategy=\"B\","
                               "profile=\"p\"} 2\n"));
        descheduler_metrics_free(own);
        evict_service_free(service);
        metrics_free(metrics);
        buf_release(&text);
}

int main(void) {
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(D15_build_info),
                cmocka_unit_test(failures_of_strategies),
        };

        return cmocka_run_group_tests(tests, NULL, NULL);
}
