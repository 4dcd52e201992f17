/* The condition PodGroupScheduled of a group. */
#include "api/json.h"
#include "base/util.h"
#include "sched/scheduler_group.h"
#include <string.h>

#define CONDITION "PodGroupScheduled"

static const struct json *condition_of(const struct json *conditions) {
        struct json_iter iter = json_iter(conditions);
        const struct json *one;
        while (json_next(&iter, NULL, &one))
                if (slice_is(json_get_text(one, "type"), CONDITION))
                        return one;
        return NULL;
}

struct group_word {
        const char *status, *reason;
        struct slice message;
        int64_t generation;
};

/* A group that was scheduled once stays so, whatever becomes of late members. */
static bool is_news(const struct json *old, const struct group_word *word) {
        struct slice status = json_get_text(old, "status");
        if (!old)
                return true;
        if (slice_is(status, "True") && strcmp(word->status, "True") != 0)
                return false;
        return !slice_is(status, word->status) ||
               !slice_is(json_get_text(old, "reason"), word->reason) ||
               !slice_eq(json_get_text(old, "message"), word->message) ||
               json_get_i64(old, "observedGeneration", 0) != word->generation;
}

static void write_condition(const struct json *old, const struct group_word *word,
                            struct wall_time now, struct buf *out) {
        char time[WALL_TIME_TEXT_MAX];
        struct slice since = json_get_text(old, "lastTransitionTime");
        wall_time_format(now, time);
        if (!slice_is(json_get_text(old, "status"), word->status) || slice_is_empty(since))
                since = slice_of(time);
        buf_printf(out,
                   "{\"type\":\"" CONDITION "\",\"status\":\"%s\",\"reason\":\"%s\","
                   "\"message\":",
                   word->status, word->reason);
        buf_json_string(out, word->message);
        buf_printf(out, ",\"observedGeneration\":%lld,\"lastTransitionTime\":",
                   (long long)word->generation);
        buf_json_string(out, since);
        buf_char(out, '}');
}

/* The whole list, as a merge patch needs it. */
static void write_conditions(const struct json *conditions, const struct group_word *word,
                             struct wall_time now, struct buf *out) {
        struct json_iter iter = json_iter(conditions);
        const struct json *old = condition_of(conditions), *one;
        buf_text(out, "{\"status\":{\"conditions\":[");
        while (json_next(&iter, NULL, &one)) {
                if (one == old)
                        continue;
                json_write(one, out);
                buf_char(out, ',');
        }
        write_condition(old, word, now, out);
        buf_text(out, "]}}");
}

static struct group_word word_for(const struct group_trial *trial, int64_t generation) {
        static const char *const reasons[] = {
                [GROUP_FITS] = "Scheduled",
                [GROUP_WAITS_FOR_VICTIMS] = "Unschedulable",
                [GROUP_REFUSED] = "Unschedulable",
                [GROUP_FAILED] = "SchedulerError",
        };
        return (struct group_word){
                .status = trial->outcome == GROUP_FITS ? "True" : "False",
                .reason = reasons[trial->outcome],
                .message = trial->message,
                .generation = generation,
        };
}

void group_report(const struct group_cycle *cycle, const struct group_trial *trial) {
        const struct json *meta = json_get(cycle->group.object, "metadata");
        const struct json *conditions =
                json_get(json_get(cycle->group.object, "status"), "conditions");
        struct group_word word = word_for(trial, json_get_i64(meta, "generation", 0));
        struct buf body = { 0 };
        if (!cycle->group.object || !is_news(condition_of(conditions), &word))
                return;
        write_conditions(conditions, &word, cycle->step->wall, &body);
        struct action patch = { .kind = ACTION_PATCH_OBJECT,
                                .target = { .kind = SLICE_LITERAL("PodGroup"),
                                            .ns = cycle->view.ns,
                                            .name = cycle->group.name,
                                            .uid = json_get_text(meta, "uid") },
                                .patch = { .body = buf_view(&body) } };
        action_list_add(cycle->step->out, &patch);
        buf_release(&body);
}
