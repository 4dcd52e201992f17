/* Requests to hooks, and what their answers mean. */
#include "base/util.h"
#include "evict/eviction_stages.h"
#include <stdio.h>
#include <string.h>

#define EXIT_RETRY 75   /* EX_TEMPFAIL */
#define EXIT_DECLINE 69 /* EX_UNAVAILABLE */
#define EXIT_UNKNOWN 66 /* EX_NOINPUT: a poll for what never arrived */

static void text_member(struct buf *out, const char *name, struct slice value) {
        buf_printf(out, ",\"%s\":", name);
        buf_json_string(out, value);
}

static void time_member(struct buf *out, const char *name, struct wall_time time) {
        char text[WALL_TIME_TEXT_MAX];

        if (!wall_time_is_set(time))
                return;
        wall_time_format(time, text);
        text_member(out, name, slice_of(text));
}

static void write_pod(const struct eviction_sync *sync, struct buf *out) {
        const struct eviction_pod *pod = sync->is_alive ? sync->pod : NULL;

        buf_text(out, ",\"pod\":{\"name\":");
        buf_json_string(out, sync->target->name);
        text_member(out, "uid", slice_of(sync->target->uid));
        text_member(out, "node", pod ? pod->node : SLICE_EMPTY);
        buf_text(out, ",\"labels\":{");
        for (size_t i = 0; pod && i < pod->labels.count; i++) {
                buf_text(out, i ? "," : "");
                buf_json_string(out, pod->labels.items[i].key);
                buf_char(out, ':');
                buf_json_string(out, pod->labels.items[i].value);
        }
        buf_text(out, "}}");
}

void eviction_hook_body(const struct eviction_sync *sync, const struct eviction *eviction,
                        const struct hook_order *order, struct buf *out) {
        buf_printf(out, "{\"op\":\"%s\",\"id\":\"" SLICE_FMT "/" SLICE_FMT "\"", order->op,
                   SLICE_ARG(eviction->object.uid), SLICE_ARG(order->stage->name));
        text_member(out, "namespace", sync->target->ns);
        text_member(out, "eviction", eviction->object.name);
        text_member(out, "evictionUID", eviction->object.uid);
        write_pod(sync, out);
        text_member(out, "stage", order->stage->name);
        buf_printf(out, ",\"attempt\":%u", order->state->attempt);
        time_member(out, "startedAt", order->state->since);
        time_member(out, "deadline", order->deadline);
        buf_text(out, ",\"dryRun\":false}");
}

static enum hook_verdict verdict_of_exit(int code, bool is_poll) {
        switch (code) {
        case 0:
                return HOOK_DONE;
        case EXIT_RETRY:
                return is_poll ? HOOK_IN_PROGRESS : HOOK_RETRY;
        case EXIT_DECLINE:
                return HOOK_DECLINES;
        case EXIT_UNKNOWN:
                return is_poll ? HOOK_UNKNOWN : HOOK_FAILED;
        default:
                return HOOK_FAILED;
        }
}

static enum hook_verdict verdict_of_text(struct slice result) {
        static const struct {
                const char *name;
                enum hook_verdict verdict;
        } names[] = {
                { "Done", HOOK_DONE },
                { "InProgress", HOOK_IN_PROGRESS },
                { "Decline", HOOK_DECLINES },
                { "Failed", HOOK_FAILED },
        };

        for (size_t i = 0; i < ARRAY_LEN(names); i++)
                if (slice_is(result, names[i].name))
                        return names[i].verdict;
        return HOOK_FAILED;
}

static enum hook_verdict verdict_of_status(const struct eviction_effect_result *result,
                                           bool is_poll) {
        if (result->http == 0)
                return HOOK_SILENT;
        if (result->http == 202)
                return HOOK_IN_PROGRESS;
        if (result->http >= 200 && result->http < 300)
                return result->object ? verdict_of_text(json_get_text(result->object, "result"))
                                      : HOOK_FAILED;
        if (result->http == 404 && is_poll)
                return HOOK_UNKNOWN;
        return result->http == 429 || result->http >= 500 ? HOOK_RETRY : HOOK_FAILED;
}

struct hook_answer eviction_hook_answer(const struct eviction_effect_result *result, bool is_poll) {
        struct hook_answer answer = { .text = result->text };

        if (result->is_exec) {
                answer.verdict = verdict_of_exit(result->exit_code, is_poll);
                return answer;
        }
        answer.verdict = verdict_of_status(result, is_poll);
        answer.eta_s = json_get_i64(result->object, "etaSeconds", 0);
        answer.retry_after_s = json_get_i64(result->object, "retryAfterSeconds", 0);
        if (result->retry_after_s > 0)
                answer.retry_after_s = result->retry_after_s;
        if (json_get_text(result->object, "message").len)
                answer.text = json_get_text(result->object, "message");
        return answer;
}
