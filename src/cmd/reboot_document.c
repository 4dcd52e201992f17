/* Reads records of nodes and the lock as berth reboot status does. */
#include "cmd/reboot_document.h"

#include "base/util.h"
#include "cmd/dashboard_cache.h"
#include "reboot/reboot_fleet.h"
#include "reboot/reboot_lock.h"
#include "reboot/reboot_record.h"

static void write_text(struct buf *out, const char *name, struct slice text) {
        buf_printf(out, ",\"%s\":", name);
        buf_json_string(out, text);
}

/* Left out when it is not set. */
static void write_time(struct buf *out, const char *name, struct wall_time time) {
        char text[WALL_TIME_TEXT_MAX];

        if (!wall_time_is_set(time))
                return;
        wall_time_format(time, text);
        write_text(out, name, slice_of(text));
}

/* The first object with a lock counts. */
static bool read_lock(const struct json *objects, struct arena *arena,
                      struct reboot_lock *ret_lock) {
        struct json_iter iter = json_iter(json_get(objects, "items"));
        const struct json *object;

        *ret_lock = (struct reboot_lock){ 0 };
        while (json_next(&iter, NULL, &object)) {
                const struct json *value =
                        json_get(json_get(json_get(object, "metadata"), "annotations"),
                                 REBOOT_LOCK_ANNOTATION);

                if (reboot_lock_parse(json_text(value), value, arena, ret_lock, NULL) == 0)
                        return true;
        }
        return false;
}

static void write_lock(const struct reboot_lock *lock, bool is_known, struct wall_time now,
                       struct buf *out) {
        buf_printf(out, "\"lock\":{\"known\":%s,\"holders\":[", is_known ? "true" : "false");
        for (size_t i = 0; i < lock->count; i++) {
                const struct lock_owner *owner = &lock->owners[i];

                buf_printf(out, "%s{\"expired\":%s", i ? "," : "",
                           lock_owner_is_expired(owner, now) ? "true" : "false");
                write_text(out, "node", owner->node);
                write_time(out, "since", owner->created);
                buf_char(out, '}');
        }
        buf_text(out, "]}");
}

static void write_flags(struct buf *out, const struct json *node, bool holds_lock) {
        const struct json *annotations = json_get(json_get(node, "metadata"), "annotations");
        const struct {
                const char *name;
                bool value;
        } flags[] = {
                { "cordoned", json_get_bool(json_get(node, "spec"), "unschedulable", false) },
                { "holdsLock", holds_lock },
                { "held", slice_is(json_get_text(annotations, REBOOT_HOLD_ANNOTATION), "true") },
                { "ignored",
                  slice_is(json_get_text(annotations, REBOOT_IGNORE_ANNOTATION), "true") },
                { "forced", slice_is(json_get_text(annotations, REBOOT_FORCE_ANNOTATION), "true") },
        };

        for (size_t i = 0; i < ARRAY_LEN(flags); i++)
                buf_printf(out, ",\"%s\":%s", flags[i].name, flags[i].value ? "true" : "false");
}

struct reboot_view {
        const struct json *nodes; /* a list */
        const struct reboot_lock *lock;
        struct wall_time now;
        struct arena *arena;
};

static void write_node(const struct reboot_view *view, const struct json *node, struct buf *out) {
        const struct json *meta = json_get(node, "metadata");
        const struct json *annotations = json_get(meta, "annotations");
        struct slice name = json_get_text(meta, "name");
        size_t owners = view->lock->count;
        struct reboot_record record;

        reboot_record_parse(json_get_text(annotations, REBOOT_RECORD_ANNOTATION), view->arena,
                            &record);
        buf_printf(out, "{\"phase\":\"%s\",\"failures\":%u", reboot_phase_name(record.phase),
                   record.attempt);
        write_text(out, "name", name);
        write_text(out, "reason", record.reason);
        write_text(out, "failure", record.failure);
        write_text(out, "took", json_get_text(annotations, REBOOT_TOOK_ANNOTATION));
        write_time(out, "wantedSince", record.need_since);
        write_time(out, "taintedSince", record.taint_since);
        write_time(out, "notBefore", record.not_before);
        write_time(out, "claimed", record.claimed);
        int64_t left_ns =
                fleet_expected_ns(view->nodes, name, owners > 1 ? (uint32_t)owners : 1, view->now);
        if (left_ns >= 0)
                buf_printf(out, ",\"expectedSeconds\":%lld", (long long)(left_ns / NS_PER_S));
        buf_printf(out, ",\"before\":%u", fleet_waiting_before(view->nodes, name));
        write_flags(out, node, !!reboot_lock_find(view->lock, name));
        buf_text(out, ",\"labels\":");
        const struct json *labels = json_get(meta, "labels");
        if (labels)
                json_write(labels, out);
        else
                buf_text(out, "{}");
        buf_char(out, '}');
}

void reboot_document_write(const struct dashboard_cache *cache, struct wall_time now,
                           struct buf *out) {
        CLEANUP(cleanup_json_doc)
        struct json_doc *nodes = dashboard_cache_list(cache, CACHE_NODES);
        CLEANUP(cleanup_json_doc)
        struct json_doc *locks = dashboard_cache_list(cache, CACHE_LOCKS);
        CLEANUP(arena_release) struct arena arena;
        struct reboot_lock lock;

        arena_init(&arena, 0);
        bool is_known = read_lock(json_doc_root(locks), &arena, &lock);
        const struct reboot_view view = { json_doc_root(nodes), &lock, now, &arena };
        write_lock(&lock, is_known, now, out);
        buf_text(out, ",\"nodes\":[");
        struct json_iter iter = json_iter(json_get(view.nodes, "items"));
        const struct json *node;
        for (const char *separator = ""; json_next(&iter, NULL, &node); separator = ",") {
                buf_text(out, separator);
                write_node(&view, node, out);
        }
        buf_char(out, ']');
}
