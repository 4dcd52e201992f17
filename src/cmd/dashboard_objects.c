/* Keeps the texts of what is followed, and makes documents of them when they are asked for. */
#include "cmd/dashboard_objects.h"

#include "base/util.h"
#include "cmd/dashboard_cache.h"
#include "cmd/eviction_document.h"
#include "cmd/reboot_document.h"
#include "dashboard/dashboard.h"
#include "evict/eviction_cost.h"
#include "evict/eviction_reconciler.h"
#include "loop/runtime.h"
#include "loop/watch_set.h"
#include "reboot/reboot_record.h"
#include "roles/history_store.h"
#include <stdlib.h>
#include <string.h>

/* ---- which objects, and what of them is cached ---- */

/* All of it. */
static bool take_whole(const struct json *object, struct buf *out) {
        json_write(object, out);
        return true;
}

static bool take_uid(const struct json *job, struct buf *out) {
        int64_t seconds;

        if (!json_as_i64(json_get(json_get(job, "spec"), "ttlSecondsAfterFinished"), &seconds))
                return false;
        buf_slice(out, json_get_text(json_get(job, "metadata"), "uid"));
        return out->len > 0;
}

static void write_member(struct buf *out, const char *name, const struct json *value) {
        if (!value)
                return;
        buf_printf(out, "%s\"%s\":", out->data[out->len - 1] == '{' ? "" : ",", name);
        json_write(value, out);
}

/* A Node has much more that changes all the time. */
static bool take_reboot(const struct json *node, struct buf *out) {
        static const char *const marks[] = { REBOOT_RECORD_ANNOTATION, REBOOT_HOLD_ANNOTATION,
                                             REBOOT_IGNORE_ANNOTATION, REBOOT_FORCE_ANNOTATION,
                                             REBOOT_TOOK_ANNOTATION };
        const struct json *meta = json_get(node, "metadata");
        const struct json *annotations = json_get(meta, "annotations");
        bool has_mark = false;

        buf_char(out, '{');
        buf_text(out, "\"metadata\":{");
        write_member(out, "name", json_get(meta, "name"));
        write_member(out, "labels", json_get(meta, "labels"));
        buf_text(out, ",\"annotations\":{");
        for (size_t i = 0; i < ARRAY_LEN(marks); i++) {
                const struct json *mark = json_get(annotations, marks[i]);

                has_mark |= !!mark;
                write_member(out, marks[i], mark);
        }
        buf_text(out, "}},\"spec\":{");
        write_member(out, "unschedulable", json_get(json_get(node, "spec"), "unschedulable"));
        buf_text(out, "},\"status\":{");
        write_member(out, "conditions", json_get(json_get(node, "status"), "conditions"));
        buf_text(out, "}}");
        return has_mark;
}

static bool take_lock(const struct json *object, struct buf *out) {
        const struct json *meta = json_get(object, "metadata");

        if (!json_get(json_get(meta, "annotations"), REBOOT_LOCK_ANNOTATION))
                return false;
        buf_text(out, "{\"metadata\":");
        json_write(meta, out);
        buf_char(out, '}');
        return true;
}

#define OWN_PATH "/apis/" EVICTION_GROUP_OWN "/" EVICTION_VERSION "/"
#define NATIVE_PATH "/apis/" EVICTION_GROUP_NATIVE "/" EVICTION_VERSION "/"
#define LOCK_NAMESPACE "kube-system"
#define LOCK_NAME "kured" /* as kured and berth reboot have it, unless options say otherwise */

static const struct cache_row {
        const char *path, *name; /* of one object alone; NULL = of all */
        const char *group, *object_kind;
        enum cache_kind kind;
        bool (*take)(const struct json *object, struct buf *out);
} rows[] = {
        { OWN_PATH "evictionrequests", NULL, EVICTION_GROUP_OWN, "EvictionRequest", CACHE_REQUESTS,
          take_whole },
        { NATIVE_PATH "evictionrequests", NULL, EVICTION_GROUP_NATIVE, "EvictionRequest",
          CACHE_REQUESTS, take_whole },
        { OWN_PATH "evictions", NULL, EVICTION_GROUP_OWN, "Eviction", CACHE_EVICTIONS, take_whole },
        { NATIVE_PATH "evictions", NULL, EVICTION_GROUP_NATIVE, "Eviction", CACHE_EVICTIONS,
          take_whole },
        { OWN_PATH "evictionpolicies", NULL, EVICTION_GROUP_OWN, "EvictionPolicy", CACHE_POLICIES,
          take_whole },
        { "/api/v1/namespaces/" HISTORY_STORE_NAMESPACE "/configmaps", HISTORY_STORE_NAME, "",
          "ConfigMap", CACHE_HISTORY, take_whole },
        { "/api/v1/nodes", NULL, "", "Node", CACHE_NODES, take_reboot },
        { "/apis/apps/v1/namespaces/" LOCK_NAMESPACE "/daemonsets", LOCK_NAME, "apps", "DaemonSet",
          CACHE_LOCKS, take_lock },
        { "/apis/coordination.k8s.io/v1/namespaces/" LOCK_NAMESPACE "/leases", LOCK_NAME,
          "coordination.k8s.io", "Lease", CACHE_LOCKS, take_lock },
        { "/apis/batch/v1/jobs", NULL, "batch", "Job", CACHE_JOBS, take_uid },
};

struct followed_row {
        struct dashboard_objects *objects;
        const struct cache_row *row;
        struct watch_row *watch;
};

struct dashboard_objects {
        struct cluster *cluster;
        struct loop *loop;
        struct watch_set *watches;
        struct followed_row followed[ARRAY_LEN(rows)];
        void (*changed)(void *context);
        void *context;
        struct dashboard_cache cache;
        struct snapshot snapshot; /* borrows the cluster */
        uint64_t version;
};

/* ---- keeping ---- */

static void put_object(struct dashboard_objects *objects, const struct cache_row *row,
                       bool is_deleted, const struct json *object) {
        const struct json *meta = json_get(object, "metadata");
        struct map *texts = objects->cache.texts[row->kind];
        CLEANUP(buf_release) struct buf key = { 0 };
        struct buf text = { 0 };

        buf_printf(&key, "%s %s " SLICE_FMT "/" SLICE_FMT, row->group, row->object_kind,
                   SLICE_ARG(json_get_text(meta, "namespace")),
                   SLICE_ARG(json_get_text(meta, "name")));
        bool is_cached = !is_deleted && row->take(object, &text);
        char *before = map_remove(texts, buf_view(&key));
        if (is_cached || before)
                objects->version++;
        free(before);
        if (is_cached)
                map_put(texts, buf_view(&key), buf_take(&text, NULL));
        buf_release(&text);
}

static void on_changed(void *context, enum reflector_change change, const struct json *object) {
        struct followed_row *followed = context;
        struct dashboard_objects *objects = followed->objects;
        uint64_t before = objects->version;

        put_object(objects, followed->row, change == REFLECTOR_DELETED, object);
        if (objects->version != before)
                objects->changed(objects->context);
}

void dashboard_objects_follow(struct dashboard_objects *objects, struct runtime *runtime,
                              void (*changed)(void *context), void *context) {
        static const struct reflector_events row_events = { .changed = on_changed };

        objects->watches = runtime_watches(runtime);
        objects->changed = changed;
        objects->context = context;
        for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
                CLEANUP(buf_release) struct buf selector = { 0 };

                objects->followed[i] = (struct followed_row){ .objects = objects, .row = &rows[i] };
                if (rows[i].name)
                        buf_printf(&selector, "metadata.name=%s", rows[i].name);
                objects->followed[i].watch =
                        watch_set_add(objects->watches,
                                      &(struct watch_request){
                                              .path = rows[i].path,
                                              .field_selector = rows[i].name ? selector.data : NULL,
                                              .trouble = WATCH_QUIET,
                                              .events = &row_events,
                                              .context = &objects->followed[i] });
        }
}

static bool is_of_group(struct slice api_version, const char *group) {
        struct slice rest = api_version, head;

        slice_split(&rest, '/', &head);
        return rest.ptr ? slice_is(head, group) : !*group;
}

void dashboard_objects_see(void *context, struct slice api_version, struct slice kind,
                           const struct json *object) {
        struct dashboard_objects *objects = context;

        for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
                struct slice name = json_get_text(json_get(object, "metadata"), "name");

                if (slice_is(kind, rows[i].object_kind) &&
                    is_of_group(api_version, rows[i].group) &&
                    (!rows[i].name || slice_is(name, rows[i].name)))
                        put_object(objects, &rows[i], false, object);
        }
}

/* ---- what is made of them ---- */

static void look_at_history(struct dashboard_objects *objects) {
        CLEANUP(cleanup_json_doc)
        struct json_doc *list = dashboard_cache_list(&objects->cache, CACHE_HISTORY);
        const struct json *stored = json_at(json_get(json_doc_root(list), "items"), 0);

        buf_clear(&objects->snapshot.eviction_history);
        buf_slice(&objects->snapshot.eviction_history,
                  json_get_text(json_get(stored, "data"), HISTORY_STORE_KEY));
}

static void look_at_jobs(struct dashboard_objects *objects) {
        struct snapshot *snapshot = &objects->snapshot;
        size_t at = 0;
        void *uid;

        map_free(snapshot->jobs_with_ttl);
        snapshot->jobs_with_ttl = map_new();
        while (map_next(objects->cache.texts[CACHE_JOBS], &at, NULL, &uid))
                map_put(snapshot->jobs_with_ttl, slice_of(uid), snapshot);
}

struct snapshot *dashboard_objects_look(void *context) {
        struct dashboard_objects *objects = context;

        dashboard_cache_join(&objects->cache, CACHE_POLICIES, &objects->snapshot.eviction_policies);
        dashboard_cache_join(&objects->cache, CACHE_EVICTIONS, &objects->snapshot.evictions);
        look_at_history(objects);
        look_at_jobs(objects);
        return &objects->snapshot;
}

static void write_evictions(void *context, struct slice query, struct buf *out) {
        struct dashboard_objects *objects = context;
        struct eviction_costs *costs = snapshot_eviction_costs(dashboard_objects_look(objects));

        eviction_document_write(&(struct eviction_document){ .cache = &objects->cache,
                                                             .cluster = objects->cluster,
                                                             .costs = costs,
                                                             .now = loop_wall(objects->loop) },
                                query, out);
        eviction_costs_free(costs);
}

static void write_reboots(void *context, struct slice query, struct buf *out) {
        const struct dashboard_objects *objects = context;

        (void)query;
        reboot_document_write(&objects->cache, loop_wall(objects->loop), out);
}

const struct dashboard_document dashboard_objects_documents[] = {
        { "/api/berth/v1/evictions", write_evictions },
        { "/api/berth/v1/reboots", write_reboots },
        { NULL, NULL },
};

uint64_t dashboard_objects_version(void *context) {
        return ((const struct dashboard_objects *)context)->version;
}

/* ---- life ---- */

struct dashboard_objects *dashboard_objects_new(struct cluster *cluster, struct loop *loop) {
        struct dashboard_objects *objects = xcalloc(1, sizeof(*objects));

        objects->cluster = cluster;
        objects->loop = loop;
        objects->snapshot.cluster = cluster;
        for (size_t i = 0; i < CACHE_KIND_COUNT; i++)
                objects->cache.texts[i] = map_new();
        return objects;
}

void dashboard_objects_free(struct dashboard_objects *objects) {
        if (!objects)
                return;
        for (size_t i = 0; objects->watches && i < ARRAY_LEN(rows); i++)
                watch_set_remove(objects->watches, objects->followed[i].watch);
        for (size_t i = 0; i < CACHE_KIND_COUNT; i++)
                map_free_values(objects->cache.texts[i]);
        map_free(objects->snapshot.jobs_with_ttl);
        buf_release(&objects->snapshot.eviction_policies);
        buf_release(&objects->snapshot.evictions);
        buf_release(&objects->snapshot.eviction_history);
        free(objects);
}
