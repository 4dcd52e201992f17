/* Rows of every kind the model follows, in front of one cluster model. */
#include "loop/cluster_feed.h"

#include "api/json.h"
#include "base/buf.h"
#include "base/log.h"
#include "base/util.h"
#include "loop/watch_set.h"
#include "model/cluster.h"
#include "model/object_cache.h"
#include <stdlib.h>
#include <string.h>

struct feed_source {
        const char *path;
        enum object_kind kind;         /* OBJECT_KIND_COUNT: not in the model */
        enum cached_kind object_cache; /* CACHED_KIND_COUNT: not in the object cache */
        enum { FEED_ALWAYS, FEED_CLASSES, FEED_OBJECT_CACHE, FEED_GROUPS, FEED_TAINT_RULES } when;
        uint32_t wakes;   /* CLUSTER_* a change of a cached object stands for */
        bool is_optional; /* a cluster or our rights may be without it */
};
/* Nodes first: pods then find theirs. */
static const struct feed_source sources[] = {
        { "/api/v1/nodes", OBJECT_NODE, CACHED_KIND_COUNT, FEED_ALWAYS, 0 },
        { "/api/v1/namespaces", OBJECT_NAMESPACE, CACHED_KIND_COUNT, FEED_ALWAYS, 0 },
        { "/apis/scheduling.k8s.io/v1/priorityclasses", OBJECT_PRIORITY_CLASS, CACHED_KIND_COUNT,
          FEED_CLASSES, 0 },
        { "/apis/policy/v1/poddisruptionbudgets", OBJECT_BUDGET, CACHED_KIND_COUNT, FEED_ALWAYS,
          0 },
        { "/api/v1/persistentvolumeclaims", OBJECT_CLAIM, CACHED_VOLUME_CLAIM, FEED_ALWAYS,
          CLUSTER_CLAIM },
        { "/api/v1/services", OBJECT_KIND_COUNT, CACHED_SERVICE, FEED_OBJECT_CACHE, 0 },
        { "/api/v1/replicationcontrollers", OBJECT_KIND_COUNT, CACHED_REPLICATION_CONTROLLER,
          FEED_OBJECT_CACHE, 0 },
        { "/apis/apps/v1/replicasets", OBJECT_KIND_COUNT, CACHED_REPLICA_SET, FEED_OBJECT_CACHE,
          0 },
        { "/apis/apps/v1/statefulsets", OBJECT_KIND_COUNT, CACHED_STATEFUL_SET, FEED_OBJECT_CACHE,
          0 },
        { "/api/v1/persistentvolumes", OBJECT_KIND_COUNT, CACHED_VOLUME, FEED_OBJECT_CACHE,
          CLUSTER_CLAIM },
        { "/apis/storage.k8s.io/v1/storageclasses", OBJECT_KIND_COUNT, CACHED_STORAGE_CLASS,
          FEED_OBJECT_CACHE, CLUSTER_CLAIM },
        { "/apis/storage.k8s.io/v1/csinodes", OBJECT_KIND_COUNT, CACHED_CSI_NODE, FEED_OBJECT_CACHE,
          CLUSTER_CLAIM },
        { "/apis/storage.k8s.io/v1/csidrivers", OBJECT_KIND_COUNT, CACHED_CSI_DRIVER,
          FEED_OBJECT_CACHE, CLUSTER_CLAIM },
        { "/apis/storage.k8s.io/v1/csistoragecapacities", OBJECT_KIND_COUNT, CACHED_CSI_CAPACITY,
          FEED_OBJECT_CACHE, CLUSTER_CLAIM },
        { "/apis/storage.k8s.io/v1/volumeattachments", OBJECT_KIND_COUNT, CACHED_ATTACHMENT,
          FEED_OBJECT_CACHE, CLUSTER_CLAIM },
        { "/apis/resource.k8s.io/v1/resourceclaims", OBJECT_KIND_COUNT, CACHED_RESOURCE_CLAIM,
          FEED_OBJECT_CACHE, CLUSTER_RESOURCE_CLAIM, true },
        { "/apis/resource.k8s.io/v1/resourceslices", OBJECT_KIND_COUNT, CACHED_RESOURCE_SLICE,
          FEED_OBJECT_CACHE, CLUSTER_DEVICES, true },
        { "/apis/resource.k8s.io/v1/deviceclasses", OBJECT_KIND_COUNT, CACHED_DEVICE_CLASS,
          FEED_OBJECT_CACHE, CLUSTER_DEVICES, true },
        { "/apis/resource.k8s.io/v1beta2/devicetaintrules", OBJECT_KIND_COUNT,
          CACHED_DEVICE_TAINT_RULE, FEED_TAINT_RULES, CLUSTER_DEVICES, true },
        { "/apis/scheduling.k8s.io/v1alpha2/podgroups", OBJECT_KIND_COUNT, CACHED_POD_GROUP,
          FEED_GROUPS, CLUSTER_CLAIM, true },
        { "/api/v1/pods", OBJECT_POD, CACHED_KIND_COUNT, FEED_ALWAYS, 0 },
};
#define UNFINISHED_PODS "status.phase!=Succeeded,status.phase!=Failed"

struct cluster_feed_line {
        struct cluster_feed *feed;
        const struct feed_source *source;
        struct watch_row *row; /* NULL: not followed */
        bool is_absent;        /* optional, and not to be had so far */
        bool is_unsaid;        /* not served, which was not said yet */
};

struct cluster_feed {
        struct loop *loop;
        struct watch_set *watches;
        struct cluster *cluster;
        struct object_cache *object_cache; /* NULL = none */
        uint32_t woken;                    /* CLUSTER_* of cached objects since the last notice */
        void (*changed)(void *context, uint32_t woken);
        void (*arriving)(void *context, enum object_kind kind, enum change_kind change,
                         struct arrival *arrival);
        void (*arrived)(void *context, enum object_kind kind, enum change_kind change,
                        struct arrival *arrival);
        void *context;
        struct cluster_feed_line lines[ARRAY_LEN(sources)];
        struct loop_timer soon;
        bool is_synced; /* which it stays */
        bool can_lack_rules;
        uint64_t problems;
        struct err last;
};

/* One line for what a version of an API group lacks: mostly that is all of it. */
static void say_not_served(struct cluster_feed *feed) {
        for (size_t i = 0; i < ARRAY_LEN(sources); i++) {
                const char *path = sources[i].path;
                size_t head = (size_t)(strrchr(path, '/') - path) + 1;
                struct buf names = { 0 };

                if (!feed->lines[i].is_unsaid)
                        continue;
                for (size_t j = i; j < ARRAY_LEN(sources); j++) {
                        if (!feed->lines[j].is_unsaid || strncmp(sources[j].path, path, head) != 0)
                                continue;
                        feed->lines[j].is_unsaid = false;
                        buf_printf(&names, "%s%s", names.len ? ", " : "", sources[j].path + head);
                }
                bool is_spare = sources[i].when == FEED_TAINT_RULES && feed->can_lack_rules;
                LOG(is_spare ? LOG_DEBUG : LOG_INFO, "KindNotServed",
                    log_slice("group", slice_make(path, head - 1)),
                    log_slice("resources", buf_view(&names)));
                buf_release(&names);
        }
}

static void cluster_feed_notify(void *context) {
        struct cluster_feed *feed = context;

        uint32_t woken = feed->woken;

        feed->is_synced = cluster_feed_is_synced(feed);
        if (!feed->is_synced)
                return;
        say_not_served(feed);
        feed->woken = 0;
        feed->changed(feed->context, woken);
}

void cluster_feed_poke(struct cluster_feed *feed) {
        if (!loop_timer_is_armed(&feed->soon))
                loop_timer_arm(feed->loop, &feed->soon, 0);
}

/* A claim that was allocated, and is not any more. */
static bool gives_devices_back(const struct cluster_feed *feed, const struct feed_source *source,
                               enum reflector_change change, const struct json *object) {
        if (source->object_cache != CACHED_RESOURCE_CLAIM)
                return false;
        const struct json *before =
                object_cache_seen(feed->object_cache, CACHED_RESOURCE_CLAIM,
                                  cached_object_ns(object), cached_object_name(object));
        return json_get(json_get(before, "status"), "allocation") &&
               (change == REFLECTOR_DELETED || !json_get(json_get(object, "status"), "allocation"));
}

static void feed_object_cache(struct cluster_feed *feed, const struct feed_source *source,
                              enum reflector_change change, const struct json *object) {
        if (!feed->object_cache || source->object_cache == CACHED_KIND_COUNT)
                return;
        feed->woken |= source->wakes;
        if (gives_devices_back(feed, source, change, object))
                feed->woken |= CLUSTER_DEVICES;
        if (change == REFLECTOR_DELETED)
                object_cache_remove(feed->object_cache, source->object_cache,
                                    cached_object_ns(object), cached_object_name(object));
        else
                object_cache_put(feed->object_cache, source->object_cache, object);
}

static int cluster_feed_apply(struct cluster *cluster, enum object_kind kind,
                              enum change_kind change, struct arrival *arrival, struct err *err) {
        if (!arrival->pod)
                return cluster_apply(cluster, kind, change, arrival_value(arrival), err);
        cluster_apply_pod(cluster, change, arrival->pod);
        return 0;
}

static void feed_model(struct cluster_feed *feed, const struct feed_source *source,
                       enum reflector_change change, struct arrival *arrival) {
        enum change_kind kind = change == REFLECTOR_DELETED ? CHANGE_REMOVED
                                : change == REFLECTOR_ADDED ? CHANGE_ADDED
                                                            : CHANGE_UPDATED;
        struct err err = { 0 };

        if (source->kind == OBJECT_KIND_COUNT)
                return;
        if (feed->arriving)
                feed->arriving(feed->context, source->kind, kind, arrival);
        if (cluster_feed_apply(feed->cluster, source->kind, kind, arrival, &err) == 0) {
                if (feed->arrived)
                        feed->arrived(feed->context, source->kind, kind, arrival);
                return;
        }
        feed->problems++;
        feed->last = err;
        LOG(LOG_WARN, "ObjectSkipped", log_text("resource", source->path),
            log_slice("name", arrival_name(arrival)), log_text("path", err.path),
            log_text("error", err.text));
}

static void on_changed(void *context, enum reflector_change change, const struct json *object) {
        struct cluster_feed_line *line = context;

        feed_object_cache(line->feed, line->source, change, object);
        feed_model(line->feed, line->source, change, &(struct arrival){ .value = object });
        cluster_feed_poke(line->feed);
}

/* Pods are not in the object cache. */
static void on_pod_changed(void *context, enum reflector_change change, struct arrival *arrival) {
        struct cluster_feed_line *line = context;

        feed_model(line->feed, line->source, change, arrival);
        cluster_feed_poke(line->feed);
}

static void on_synced(void *context) {
        cluster_feed_poke(((struct cluster_feed_line *)context)->feed);
}

static void on_failed(void *context, const struct err *err, int64_t delay_ns) {
        struct cluster_feed_line *line = context;

        (void)delay_ns;
        if (!line->is_absent && watch_row_is_ready(line->row)) {
                line->is_absent = true;
                line->is_unsaid = err->code == BERTH_ERR_NOT_FOUND;
                cluster_feed_poke(line->feed);
        }
}

static const struct reflector_events feed_events = {
        .changed = on_changed,
        .pod_changed = on_pod_changed,
        .synced = on_synced,
        .failed = on_failed,
};

static bool is_followed(const struct feed_source *source,
                        const struct cluster_feed_config *config) {
        if (config->kinds && !(config->kinds >> source->kind & 1))
                return false;
        switch (source->when) {
        case FEED_ALWAYS:
                return true;
        case FEED_CLASSES:
                return !config->without_classes;
        case FEED_OBJECT_CACHE:
                return object_cache_knows(config->object_cache, source->object_cache);
        case FEED_GROUPS:
                return config->with_groups;
        case FEED_TAINT_RULES:
                return config->object_cache && config->with_taint_rules;
        }
        return false;
}

struct cluster_feed *cluster_feed_new(const struct cluster_feed_config *config,
                                      void (*changed)(void *context, uint32_t woken),
                                      void *context) {
        struct cluster_feed *feed = xcalloc(1, sizeof(*feed));

        feed->loop = config->loop;
        feed->can_lack_rules = config->can_lack_rules;
        feed->watches = config->watches;
        feed->cluster = config->cluster;
        feed->object_cache = config->object_cache;
        feed->changed = changed;
        feed->arriving = config->arriving;
        feed->arrived = config->arrived;
        feed->context = context;
        feed->soon = (struct loop_timer){ .fired = cluster_feed_notify, .context = feed };
        for (size_t i = 0; i < ARRAY_LEN(sources); i++) {
                struct cluster_feed_line *line = &feed->lines[i];
                bool is_part = sources[i].kind == OBJECT_POD && !config->with_finished;

                line->feed = feed;
                line->source = &sources[i];
                if (!is_followed(&sources[i], config))
                        continue;
                line->row = watch_set_add(
                        config->watches,
                        &(struct watch_request){
                                .path = sources[i].path,
                                .field_selector = is_part ? UNFINISHED_PODS : NULL,
                                .seed = config->seed + i,
                                .trouble = sources[i].is_optional ? WATCH_OPTIONAL : WATCH_REQUIRED,
                                .leaves_unread = sources[i].kind == OBJECT_NODE ||
                                                 sources[i].kind == OBJECT_POD,
                                .takes_cached = true,
                                .is_large = sources[i].kind == OBJECT_NODE ||
                                            sources[i].kind == OBJECT_POD,
                                .is_needed = !(config->spare_kinds >> sources[i].kind & 1),
                                .events = &feed_events,
                                .context = line,
                                .owner = feed });
        }
        return feed;
}

void cluster_feed_free(struct cluster_feed *feed) {
        if (!feed)
                return;
        for (size_t i = 0; i < ARRAY_LEN(sources); i++)
                watch_set_remove(feed->watches, feed->lines[i].row);
        loop_timer_disarm(feed->loop, &feed->soon);
        free(feed);
}

bool cluster_feed_is_synced(const struct cluster_feed *feed) {
        return feed->is_synced || watch_set_is_synced(feed->watches, feed);
}

bool cluster_feed_trouble(const struct cluster_feed *feed, struct err *ret_err) {
        const char *path = NULL;
        const struct err *failure = watch_set_trouble(feed->watches, feed, &path);

        if (failure)
                err_set(ret_err, failure->code, "cannot read %s: %s", path, failure->text);
        return failure;
}

uint64_t cluster_feed_problems(const struct cluster_feed *feed, const struct err **ret_last) {
        *ret_last = &feed->last;
        return feed->problems;
}
