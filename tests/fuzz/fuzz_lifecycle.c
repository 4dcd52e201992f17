/* What comes in annotations and cron jobs: the first byte chooses the grammar. Whatever parses must
 * lead somewhere: runs have ends after their beginnings, times come after the present. */
#include "api/cron_schedule.h"
#include "control/lifecycle.h"
#include <assert.h>

#define START_NS (1767225600LL * NS_PER_S)

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_span(const struct lifecycle_span *span) {
        assert(span->least_ns >= 0);
        assert(span->least_ns <= span->most_ns);
}

static void check_script(struct slice text, struct arena *arena) {
        struct lifecycle_script script;

        if (lifecycle_parse_script(text, arena, &script, NULL) < 0)
                return;
        assert(script.step_count > 0);
        for (int64_t i = 0; i < 200; i++)
                check_span(&lifecycle_script_at(&script, i * i)->length);
}

static void check_readiness(struct slice text, struct arena *arena) {
        struct lifecycle_readiness readiness;
        int64_t at = 0, next;

        if (lifecycle_parse_readiness(text, arena, &readiness, NULL) < 0)
                return;
        for (int i = 0; i < 200; i++) {
                lifecycle_is_ready_at(&readiness, at, &next);
                if (next == LIFECYCLE_FOR_EVER || next > INT64_MAX / 4)
                        return;
                assert(next > at);
                at = next;
        }
}

static void check_schedule(struct slice text) {
        struct cron_schedule schedule;
        struct wall_time at = { START_NS };

        if (cron_schedule_parse(text, &schedule, NULL) < 0)
                return;
        for (int i = 0; i < 5; i++) {
                struct wall_time next = cron_schedule_next(&schedule, at);

                if (!wall_time_is_set(next))
                        return;
                assert(next.ns > at.ns);
                at = next;
        }
}

static void check_others(struct slice text) {
        struct lifecycle_waiting waiting;
        struct lifecycle_shutdown shutdown;
        struct lifecycle_failure failure;

        if (lifecycle_parse_waiting(text, &waiting, NULL) == 0)
                assert(waiting.reason.len > 0);
        if (lifecycle_parse_shutdown(text, &shutdown, NULL) == 0)
                check_span(&shutdown.length);
        if (lifecycle_parse_failure(text, &failure, NULL) == 0)
                assert(failure.after_ns >= 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
        struct slice text = slice_make((const char *)data + 1, size - 1);
        struct arena arena;

        if (size == 0)
                return 0;
        arena_init(&arena, 0);
        switch (data[0] % 4) {
        case 0:
                check_script(text, &arena);
                break;
        case 1:
                check_readiness(text, &arena);
                break;
        case 2:
                check_schedule(text);
                break;
        default:
                check_others(text);
        }
        arena_release(&arena);
        return 0;
}
