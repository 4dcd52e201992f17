/* What a stage does: calls of hooks and of the API server, looks at what it waits for, and what is
 * noted of their answers. */
#include "base/util.h"
#include "evict/eviction_stages.h"
#include <stdio.h>
#include <string.h>

/* ---- calls ---- */

static void await_answer(struct eviction_sync *sync, struct eviction_entry *entry,
                         struct eviction_effect *effect, enum stages_called called) {
        entry->stages.called = called;
        eviction_effect_is_of_stages(sync, effect);
        entry->stages.is_calling = true;
        entry->stages.is_stopping = false;
        entry->stages.call_id = effect->id;
}

void eviction_stages_call(struct eviction_sync *sync, struct eviction_entry *entry,
                          const struct hook_order *order) {
        struct arena *arena = &sync->out->arena;
        struct buf body = { 0 };

        eviction_hook_body(sync, entry->eviction, order, &body);
        struct eviction_effect *effect =
                eviction_effect_add(sync, EVICTION_HOOK, &entry->eviction->object,
                                    eviction_text_keep(sync->out, &body));
        effect->call = (struct eviction_call){
                .is_exec = order->hook->is_exec,
                .url = arena_slice(arena, order->hook->url),
                .secret = arena_slice(arena, order->hook->secret),
                .command = arena_slice(arena, order->hook->command),
                .timeout_ns = order->hook->is_exec ? order->stage->timeout_ns : STAGES_CALL_NS,
        };
        entry->stages.is_poll = strcmp(order->op, "poll") == 0;
        await_answer(sync, entry, effect, STAGES_CALLED_HOOK);
}

void eviction_stages_stop_call(struct eviction_sync *sync, struct eviction_entry *entry) {
        struct eviction_effects *out = sync->out;

        if (entry->stages.is_stopping)
                return;
        entry->stages.is_stopping = true;
        eviction_effect_stop(out, entry->stages.call_id);
}

static void run_hook(struct eviction_sync *sync, struct eviction_entry *entry,
                     const struct eviction_stage *stage) {
        struct stages_run *run = &entry->stages;
        struct hook_order order = { .op = run->has_sent ? "poll" : "run",
                                    .stage = stage,
                                    .hook = &stage->hook,
                                    .state = &run->state,
                                    .deadline = { run->state.since.ns + stage->timeout_ns } };

        if (!run->has_sent)
                eviction_stages_audit(sync, entry, "stage-start", "");
        eviction_stages_call(sync, entry, &order);
}

static void call_pod(struct eviction_sync *sync, struct eviction_entry *entry, bool deletes) {
        eviction_stages_audit(sync, entry, deletes ? "delete-call" : "evict-call", "");
        await_answer(
                sync, entry,
                eviction_effect_end_pod(sync, &entry->eviction->object, EVICTION_STAGER, deletes),
                STAGES_CALLED_POD);
}

/* ---- waiting ---- */

static int64_t ready_others(const struct eviction_sync *sync, const struct selector *selector) {
        const struct cluster *cluster = sync->reconciler->config.cluster;
        const struct pod_row *own = cluster_pod(cluster, sync->pod->id);
        int64_t count = 0;

        for (uint32_t i = 0; i < cluster_pod_cap(cluster); i++) {
                const struct pod_row *row = cluster_pod(cluster, (struct pod_id){ i });

                count += row->is_live && row != own && str_id_eq(row->ns, own->ns) &&
                         row->flags & POD_READY && !(row->flags & POD_TERMINATING) &&
                         !pod_row_is_finished(row) &&
                         cluster_labels_match(cluster, selector, row->labels);
        }
        return count;
}

static bool eviction_stages_calls_holds(struct eviction_sync *sync, struct stages_run *run,
                                        const struct eviction_wait *wait) {
        bool has_label = false;

        if (wait->counts_ready) {
                int64_t count = ready_others(sync, &wait->ready);

                if (count < wait->ready_count) {
                        snprintf(run->text, sizeof(run->text), "%lld of %lld other pods ready",
                                 (long long)count, (long long)wait->ready_count);
                        return false;
                }
        }
        if (!wait->label_key.len)
                return true;
        for (size_t i = 0; i < sync->pod->labels.count; i++)
                has_label |= slice_eq(sync->pod->labels.items[i].key, wait->label_key) &&
                             slice_eq(sync->pod->labels.items[i].value, wait->label_value);
        if (!has_label)
                snprintf(run->text, sizeof(run->text), "waiting for label " SLICE_FMT,
                         SLICE_ARG(wait->label_key));
        return has_label;
}

static void check_wait(struct eviction_sync *sync, struct eviction_entry *entry,
                       const struct eviction_stage *stage) {
        struct stages_run *run = &entry->stages;

        run->bad_in_row = 0;
        if (!eviction_stages_calls_holds(sync, run, &stage->wait)) {
                run->has_news = true;
                run->next_call.ns = sync->now.mono.ns + STAGES_CHECK_NS;
                eviction_target_wake(sync->target, run->next_call);
                return;
        }
        if (!stage->wait.url.len) {
                run->has_answer = true;
                run->verdict = HOOK_DONE;
                eviction_target_wake(sync->target, sync->now.mono);
                return;
        }
        struct eviction_effect *effect =
                eviction_effect_add(sync, EVICTION_HOOK, &entry->eviction->object, SLICE_EMPTY);
        effect->call =
                (struct eviction_call){ .is_get = true,
                                        .url = arena_slice(&sync->out->arena, stage->wait.url),
                                        .timeout_ns = STAGES_CALL_NS };
        await_answer(sync, entry, effect, STAGES_CALLED_URL);
}

/* ---- answers ---- */

void eviction_stages_result(struct eviction_entry *entry,
                            const struct eviction_effect_result *result) {
        struct stages_run *run = &entry->stages;
        struct hook_answer answer = eviction_hook_answer(result, run->is_poll);

        if (run->called == STAGES_CALLED_URL)
                answer.verdict = result->http == 200 ? HOOK_DONE : HOOK_RETRY;
        else if (run->called == STAGES_CALLED_POD)
                answer.verdict = result->code == BERTH_OK || result->code == BERTH_ERR_NOT_FOUND
                                         ? HOOK_IN_PROGRESS
                                         : HOOK_RETRY;
        if (run->called == STAGES_CALLED_POD && answer.verdict == HOOK_IN_PROGRESS)
                answer.text = SLICE_LITERAL("the pod is being deleted");
        run->is_calling = false;
        run->has_answer = true;
        run->verdict = (int)answer.verdict;
        run->retry_after_s = answer.retry_after_s;
        run->eta_s = answer.eta_s;
        snprintf(run->text, sizeof(run->text), SLICE_FMT, SLICE_ARG(answer.text));
}
/* ---- the stage ---- */

void eviction_stages_perform(struct eviction_sync *sync, struct eviction_entry *entry,
                             const struct eviction_stage *stage) {
        if (sync->pod->is_terminating && !stage_is_hook(stage))
                return; /* it is on its way */
        switch (stage->kind) {
        case STAGE_HTTP:
        case STAGE_EXEC:
                run_hook(sync, entry, stage);
                break;
        case STAGE_WAIT:
                check_wait(sync, entry, stage);
                break;
        default:
                call_pod(sync, entry, stage->kind == STAGE_DELETE);
        }
}
