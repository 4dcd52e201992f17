/* Steps the eviction service from the loop. */
#include "loop/runtime_evictions.h"

#include "base/log.h"
#include "base/util.h"
#include "loop/evict_rows.h"
#include <stdlib.h>

struct runtime_evictions {
        struct runtime_evictions_config config;
        struct evict_service *service;
        struct evict_rows *rows;
        struct action_list actions;
        struct loop_timer due;
};

static struct wall_time server_time(const struct runtime_evictions *evictions) {
        return transport_server_time(evictions->config.transport, evictions->config.loop);
}

void runtime_evictions_serve(struct runtime_evictions *evictions) {
        struct loop *loop = evictions->config.loop;
        struct mono_time due;

        evict_service_observe(evictions->service, loop_mono(loop), server_time(evictions));
        evict_service_step(evictions->service, loop_mono(loop), &evictions->actions);
        if (evictions->actions.count) {
                evictions->config.submit(evictions->config.context, &evictions->actions);
                action_list_clear(&evictions->actions);
        }
        evict_rows_update(evictions->rows);
        loop_timer_disarm(loop, &evictions->due);
        if (evict_service_next_due(evictions->service, &due))
                loop_timer_arm(loop, &evictions->due, due.ns - loop_mono(loop).ns);
        evictions->config.served(evictions->config.context);
}

static void runtime_evictions_due(void *context) {
        runtime_evictions_serve(context);
}

void runtime_evictions_observe(struct runtime_evictions *evictions) {
        if (evict_service_follows(evictions->service))
                runtime_evictions_serve(evictions);
}

void runtime_evictions_result(struct runtime_evictions *evictions,
                              const struct action_result *result) {
        struct loop *loop = evictions->config.loop;

        struct evict_answer answer;
        struct action_result reported = *result;

        if (!evict_service_result(evictions->service, result, loop_mono(loop),
                                  server_time(evictions)))
                return;
        if (evict_service_take_answer(evictions->service, &answer)) {
                reported.id = answer.id;
                evictions->config.answered(evictions->config.context, answer.owner, &reported);
        }
        runtime_evictions_serve(evictions);
}

void runtime_evictions_call(struct runtime_evictions *evictions, struct evict_requester *requester,
                            const struct evict_call *call) {
        evict_requester_call(requester, call, server_time(evictions), &evictions->actions);
        evictions->config.submit(evictions->config.context, &evictions->actions);
        action_list_clear(&evictions->actions);
}

struct evict_service *runtime_evictions_service(struct runtime_evictions *evictions) {
        return evictions->service;
}

static void on_shown(void *context) {
        struct runtime_evictions *evictions = context;

        loop_timer_disarm(evictions->config.loop, &evictions->due);
        loop_timer_arm(evictions->config.loop, &evictions->due, 0);
}

/* Notes of the service, for the log. */
static void on_reported(void *context, const struct evict_note *note) {
        struct runtime_evictions *evictions = context;

        if (note->kind == EVICT_NOTE_DIRECT)
                LOG(LOG_INFO, "EvictsDirectly", log_text("reason", note->text));
        else if (note->kind == EVICT_NOTE_ENDED)
                evictions->config.ended(evictions->config.context, note);
        else if (note->kind == EVICT_NOTE_WAITS)
                LOG(LOG_INFO, "WaitsForSlot", log_slice("namespace", note->record->pod.ns),
                    log_slice("pod", note->record->pod.name), log_text("slot", note->text));
}

struct runtime_evictions *runtime_evictions_new(const struct runtime_evictions_config *config) {
        struct runtime_evictions *evictions = xcalloc(1, sizeof(*evictions));
        struct evict_config service = config->service;

        evictions->config = *config;
        service.report = on_reported;
        service.context = evictions;
        evictions->service = evict_service_new(&service);
        evictions->rows =
                evict_rows_new(&(struct evict_rows_config){ .service = evictions->service,
                                                            .transport = config->transport,
                                                            .loop = config->loop,
                                                            .watches = config->watches,
                                                            .changed = on_shown,
                                                            .context = evictions });
        evictions->due =
                (struct loop_timer){ .fired = runtime_evictions_due, .context = evictions };
        action_list_init(&evictions->actions);
        return evictions;
}

void runtime_evictions_free(struct runtime_evictions *evictions) {
        if (!evictions)
                return;
        loop_timer_disarm(evictions->config.loop, &evictions->due);
        evict_rows_free(evictions->rows);
        evict_service_free(evictions->service);
        action_list_release(&evictions->actions);
        free(evictions);
}
