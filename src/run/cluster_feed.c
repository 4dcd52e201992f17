/* Reflectors of every followed kind in front of one cluster model. */
#include "run/cluster_feed.h"

#include "api/json.h"
#include "base/log.h"
#include "base/util.h"
#include "client/reflector.h"
#include "model/cluster.h"
#include <stdlib.h>

struct feed_source {
        enum object_kind kind;
        const char *path;
        bool is_cold;
};
/* Nodes first: pods then find theirs. */
static const struct feed_source sources[] = {
        { OBJECT_NODE, "/api/v1/nodes", false },
        { OBJECT_NAMESPACE, "/api/v1/namespaces", true },
        { OBJECT_PRIORITY_CLASS, "/apis/scheduling.k8s.io/v1/priorityclasses", true },
        { OBJECT_BUDGET, "/apis/policy/v1/poddisruptionbudgets", true },
        { OBJECT_CLAIM, "/api/v1/persistentvolumeclaims", true },
        { OBJECT_POD, "/api/v1/pods", false },
};
#define UNFINISHED_PODS "status.phase!=Succeeded,status.phase!=Failed"

struct feed_line {
        struct cluster_feed *feed;
        const struct feed_source *source;
        struct reflector *reflector; /* NULL: not followed */
};

struct cluster_feed {
        struct loop *loop;
        struct cluster *cluster;
        void (*changed)(void *context);
        void *context;
        struct feed_line lines[ARRAY_LEN(sources)];
        struct loop_timer soon;
        uint64_t problems;
        struct err last;
};

static void notify(void *context) {
        struct cluster_feed *feed = context;

        if (cluster_feed_is_synced(feed))
                feed->changed(feed->context);
}

void cluster_feed_poke(struct cluster_feed *feed) {
        if (!loop_timer_is_armed(&feed->soon))
                loop_timer_arm(feed->loop, &feed->soon, 0);
}

static void on_changed(void *context, enum reflector_change change, const struct json *object) {
        struct feed_line *line = context;
        struct cluster_feed *feed = line->feed;
        enum change_kind kind = change == REFLECTOR_DELETED ? CHANGE_REMOVED
                                : change == REFLECTOR_ADDED ? CHANGE_ADDED
                                                            : CHANGE_UPDATED;
        struct err err = { 0 };

        if (cluster_apply(feed->cluster, line->source->kind, kind, object, &err) < 0) {
                feed->problems++;
                feed->last = err;
                LOG(LOG_WARN, "ObjectSkipped", log_text("resource", line->source->path),
                    log_slice("name", json_get_text(json_get(object, "metadata"), "name")),
                    log_text("path", err.path), log_text("error", err.text));
        }
        cluster_feed_poke(feed);
}

static void on_synced(void *context) {
        cluster_feed_poke(((struct feed_line *)context)->feed);
}

static void on_failed(void *context, const struct err *err, int64_t delay_ns) {
        const struct feed_line *line = context;

        LOG(LOG_WARN, "WatchFailed", log_text("resource", line->source->path),
            log_text("error", err->text), log_i64("retry_ms", delay_ns / NS_PER_MS));
}

static const struct reflector_events feed_events = {
        .changed = on_changed,
        .synced = on_synced,
        .failed = on_failed,
};

struct cluster_feed *cluster_feed_new(const struct cluster_feed_config *config,
                                      void (*changed)(void *context), void *context) {
        struct cluster_feed *feed = xcalloc(1, sizeof(*feed));

        feed->loop = config->loop;
        feed->cluster = config->cluster;
        feed->changed = changed;
        feed->context = context;
        feed->soon = (struct loop_timer){ .fired = notify, .context = feed };
        for (size_t i = 0; i < ARRAY_LEN(sources); i++) {
                struct feed_line *line = &feed->lines[i];
                bool is_part = sources[i].kind == OBJECT_POD && !config->with_finished;

                line->feed = feed;
                line->source = &sources[i];
                if (sources[i].is_cold && !config->with_cold)
                        continue;
                line->reflector = reflector_new(
                        &(struct reflector_config){ .path = sources[i].path,
                                                    .field_selector =
                                                            is_part ? UNFINISHED_PODS : NULL,
                                                    .seed = config->seed + i },
                        config->transport, config->loop, &feed_events, line);
        }
        return feed;
}

void cluster_feed_free(struct cluster_feed *feed) {
        if (!feed)
                return;
        for (size_t i = 0; i < ARRAY_LEN(sources); i++)
                reflector_free(feed->lines[i].reflector);
        loop_timer_disarm(feed->loop, &feed->soon);
        free(feed);
}

bool cluster_feed_is_synced(const struct cluster_feed *feed) {
        for (size_t i = 0; i < ARRAY_LEN(sources); i++)
                if (feed->lines[i].reflector && !reflector_is_synced(feed->lines[i].reflector))
                        return false;
        return true;
}

uint64_t cluster_feed_problems(const struct cluster_feed *feed, const struct err **ret_last) {
        *ret_last = &feed->last;
        return feed->problems;
}
