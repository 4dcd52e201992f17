/* Jobs with a time to live. */
#include "roles/job_watch.h"

#include "base/log.h"
#include "base/map.h"
#include "base/util.h"
#include "config/descheduler_policy.h"
#include "loop/runtime.h"
#include "loop/watch_set.h"
#include <stdlib.h>

#define JOBS_PATH "/apis/batch/v1/jobs"

struct job_watch {
        struct watch_set *watches;
        struct watch_row *row;
        struct map *with_ttl; /* uid -> the watch itself */
        bool is_ready;
        void (*ready)(void *context);
        void *context;
};

static void note_ready(struct job_watch *watch) {
        if (watch->is_ready)
                return;
        watch->is_ready = true;
        watch->ready(watch->context);
}

static void on_changed(void *context, enum reflector_change change, const struct json *object) {
        struct job_watch *watch = context;
        struct slice uid = json_get_text(json_get(object, "metadata"), "uid");
        const struct json *ttl = json_get(json_get(object, "spec"), "ttlSecondsAfterFinished");
        int64_t seconds;

        if (change != REFLECTOR_DELETED && json_as_i64(ttl, &seconds))
                map_put(watch->with_ttl, uid, watch);
        else
                map_remove(watch->with_ttl, uid);
}

static void on_synced(void *context) {
        note_ready(context);
}

static void on_failed(void *context, const struct err *err, int64_t delay_ns) {
        struct job_watch *watch = context;

        (void)delay_ns;
        if (!watch->is_ready)
                LOG(LOG_WARN, "JobsNotReadable", log_text("error", err->text),
                    log_text("effect",
                             "pods of Jobs with ttlSecondsAfterFinished are deleted too"));
        note_ready(watch);
}

static const struct reflector_events job_events = { .changed = on_changed,
                                                    .synced = on_synced,
                                                    .failed = on_failed };

/* PodLifeTime sees finished pods unless its arguments exclude them, or name neither a state nor a
 * code. */
static bool args_see_finished(const struct json *args) {
        static const char *const naming[] = { "states", "conditions", "exitCodes",
                                              "initContainerExitCodes", "sidecarExitCodes" };
        const struct json *allows = json_get(args, "allowTerminal");

        if (allows)
                return json_is_true(allows);
        for (size_t i = 0; i < ARRAY_LEN(naming); i++)
                if (json_count(json_get(args, naming[i])) > 0)
                        return true;
        return false;
}

static bool args_delete(const struct json *args) {
        struct json_iter iter = json_iter(json_get(args, "rules"));
        const struct json *rule;

        while (json_next(&iter, NULL, &rule))
                if (slice_is(json_get_text(rule, "action"), "Delete"))
                        return true;
        return false;
}

static bool job_watch_deletes(const struct descheduler_policy *policy) {
        for (size_t i = 0; i < policy->profiles.count; i++) {
                const struct descheduler_profile *profile = descheduler_policy_profile(policy, i);

                for (size_t j = 0; j < profile->plugin_configs.count; j++) {
                        const struct descheduler_plugin_config *config =
                                descheduler_profile_config(profile, j);

                        if ((slice_is(config->name, "PodLifecycle") && args_delete(config->args)) ||
                            (slice_is(config->name, "PodLifeTime") &&
                             args_see_finished(config->args)))
                                return true;
                }
        }
        return false;
}

struct job_watch *job_watch_new(struct runtime *runtime, const struct descheduler_policy *policy,
                                void (*ready)(void *context), void *context) {
        struct job_watch *watch;

        if (!job_watch_deletes(policy))
                return NULL;
        watch = xcalloc(1, sizeof(*watch));
        watch->with_ttl = map_new();
        watch->ready = ready;
        watch->context = context;
        watch->watches = runtime_watches(runtime);
        watch->row = watch_set_add(watch->watches, &(struct watch_request){ .path = JOBS_PATH,
                                                                            .trouble = WATCH_QUIET,
                                                                            .events = &job_events,
                                                                            .context = watch });
        return watch;
}

void job_watch_free(struct job_watch *watch) {
        if (!watch)
                return;
        watch_set_remove(watch->watches, watch->row);
        map_free(watch->with_ttl);
        free(watch);
}

bool job_watch_has_ttl(const struct job_watch *watch, struct slice job_uid) {
        return watch && map_get(watch->with_ttl, job_uid);
}
