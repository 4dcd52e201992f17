/* A descheduler that makes one pass: when it is over, how long it may take, and what became of what
 * it asked for. */
#include "base/log.h"
#include "base/util.h"
#include "evict/evict_service.h"
#include "roles/descheduler_role_priv.h"
#include "roles/tracer.h"
#include <stdio.h>

/* Rights may come a moment after the process; what it may not read by then it will not read. */
#define RIGHTS_PATIENCE_NS (10 * NS_PER_S)
#define STAYED_NAMED 10 /* pods that the summary names; the rest are counted */

/* ---- what became of it ---- */

static void note_stayed(struct descheduler_once *once, const struct evict_record *record) {
        bool is_withdrawn = record->result == EVICT_RESULT_WITHDRAWN;

        if (once->stayed++ >= STAYED_NAMED)
                return;
        buf_printf(&once->why, "%s" SLICE_FMT "/" SLICE_FMT ": %s%s" SLICE_FMT,
                   once->why.len ? " | " : "", SLICE_ARG(record->pod.ns),
                   SLICE_ARG(record->pod.name),
                   is_withdrawn ? "not over at the deadline, withdrawn" : "",
                   is_withdrawn && record->text.len ? ": " : "", SLICE_ARG(record->text));
}

void descheduler_once_note(struct descheduler_once *once, const struct evict_record *record) {
        switch (record->result) {
        case EVICT_RESULT_SUCCESS:
                once->evicted++;
                once->by_request += record->route == EVICT_ROUTE_REQUEST;
                break;
        case EVICT_RESULT_BACKGROUND:
                once->began++;
                break;
        case EVICT_RESULT_GONE:
                once->gone++;
                break;
        case EVICT_RESULT_DRY_RUN:
                once->would++;
                break;
        default:
                note_stayed(once, record);
                break;
        }
}

static void log_summary(struct descheduler_once *once) {
        if (once->stayed > STAYED_NAMED)
                buf_printf(&once->why, " | %llu more",
                           (unsigned long long)(once->stayed - STAYED_NAMED));
        LOG(LOG_INFO, "PassEnded", log_i64("evicted", (int64_t)once->evicted),
            log_i64("byRequest", (int64_t)once->by_request),
            log_i64("inBackground", (int64_t)once->began), log_i64("gone", (int64_t)once->gone),
            log_i64("wouldEvict", (int64_t)once->would), log_i64("stayed", (int64_t)once->stayed),
            log_slice("why", buf_view(&once->why)));
}

/* ---- the end ---- */

void descheduler_once_finish(struct descheduler_role *role, const struct err *err) {
        role->is_finished = true;
        if (err)
                LOG(LOG_ERROR, "NotDescheduling", log_text("error", err->text));
        if (err && role->config.is_parity && role->config.is_elected)
                return; /* upstream's zombie: it leads, and does nothing */
        if (role->config.finished)
                role->config.finished(role->config.context, err);
}

static void set_late(const struct descheduler_role *role, struct err *err) {
        const struct descheduler_once *once = &role->once;
        char limit[DURATION_TEXT_MAX];

        duration_format(role->config.deadline_ns, limit);
        if (role->passes == 0)
                err_set(err, BERTH_ERR_TIMEOUT,
                        "the deadline of %s passed before the pass could begin", limit);
        else
                err_set(err, BERTH_ERR_TIMEOUT,
                        "the deadline of %s passed: %llu evictions were not over, and are "
                        "withdrawn",
                        limit, (unsigned long long)once->withdrawn);
}

void descheduler_once_check(struct descheduler_role *role) {
        struct err err = { 0 };

        if (role->is_finished || role->config.interval_ns > 0 || role->passes == 0 ||
            evict_requester_open(role->requester) > 0)
                return;
        tracer_flush(role->tracer);
        if (tracer_is_open(role->tracer))
                return; /* it calls again when it no longer is */
        log_summary(&role->once);
        if (role->once.is_late)
                set_late(role, &err);
        descheduler_once_finish(role, err.code ? &err : NULL);
}

/* What is open is taken back; calls that have no answer yet are waited for, each has a limit of
 * its own. */
static void on_deadline(void *self) {
        struct descheduler_role *role = self;
        struct evict_sink sink = evict_requester_sink(role->requester);
        struct err err = { 0 };

        if (role->is_finished)
                return;
        role->once.is_late = true;
        role->once.withdrawn = evict_requester_open(role->requester);
        if (role->passes == 0) {
                if (!runtime_trouble(role->runtime, &err))
                        set_late(role, &err);
                descheduler_once_finish(role, &err);
                return;
        }
        sink.begin_pass(sink.context,
                        &(struct evict_pass){ .now = runtime_server_time(role->runtime),
                                              .withdraws = true });
        runtime_serve_evictions(role->runtime);
        descheduler_once_check(role);
}

/* Without the right to list the pass would never begin. */
static void on_rights_due(void *self) {
        struct descheduler_role *role = self;
        struct loop *loop = runtime_loop(role->runtime);
        struct err err = { 0 };

        if (role->is_finished || role->is_started)
                return;
        if (runtime_trouble(role->runtime, &err) &&
            (err.code == BERTH_ERR_FORBIDDEN || err.code == BERTH_ERR_UNAUTHORIZED))
                descheduler_once_finish(role, &err);
        else
                loop_timer_arm(loop, &role->once.rights, RIGHTS_PATIENCE_NS);
}

void descheduler_once_start(struct descheduler_role *role) {
        struct loop *loop = runtime_loop(role->runtime);
        struct descheduler_once *once = &role->once;

        once->deadline = (struct loop_timer){ .fired = on_deadline, .context = role };
        once->rights = (struct loop_timer){ .fired = on_rights_due, .context = role };
        if (role->config.interval_ns > 0)
                return;
        loop_timer_arm(loop, &once->rights, RIGHTS_PATIENCE_NS);
        if (role->config.deadline_ns > 0)
                loop_timer_arm(loop, &once->deadline, role->config.deadline_ns);
}

void descheduler_once_release(struct descheduler_role *role) {
        struct loop *loop = runtime_loop(role->runtime);

        loop_timer_disarm(loop, &role->once.deadline);
        loop_timer_disarm(loop, &role->once.rights);
        buf_release(&role->once.why);
}
