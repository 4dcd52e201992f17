/* Time of the virtual API, and how objects come to the scheduler. */
#include "sim/perf_feed.h"
#include "base/util.h"

#define START_S 1750000000 /* wall time in the beginning */

/* ---- time ---- */

int64_t perf_world_start(const struct perf_world *world) {
        return world->clock(world->clock_context);
}

void perf_world_stop(struct perf_world *world, int64_t started) {
        int64_t spent = world->clock(world->clock_context) - started;
        world->busy_ns += spent;
        world->now_ns += spent;
}

struct mono_time perf_world_mono(const struct perf_world *world) {
        return (struct mono_time){ world->now_ns };
}

struct wall_time perf_world_wall(const struct perf_world *world) {
        return (struct wall_time){ START_S * NS_PER_S + world->now_ns };
}

/* ---- objects ---- */

static int perf_world_parse(const struct json_node *node, struct json_doc **ret_doc,
                            struct err *err) {
        CLEANUP(buf_release) struct buf text = { 0 };
        node_write(node, &text);
        return json_parse(buf_view(&text), ret_doc, err);
}

static int perf_world_feed(struct perf_world *world, enum object_kind kind,
                           const struct json_node *object, struct err *err) {
        CLEANUP(cleanup_json_doc) struct json_doc *doc = NULL;
        int code = perf_world_parse(object, &doc, err);
        if (code < 0)
                return code;
        int64_t started = perf_world_start(world);
        code = cluster_apply(world->cluster, kind, CHANGE_UPDATED, json_doc_root(doc), err);
        perf_world_stop(world, started);
        return code;
}

int perf_world_put_node(struct perf_world *world, const struct json_node *node, struct err *err) {
        return perf_world_feed(world, OBJECT_NODE, node, err);
}

int perf_world_put_namespace(struct perf_world *world, const struct json_node *object,
                             struct err *err) {
        return perf_world_feed(world, OBJECT_NAMESPACE, object, err);
}

int perf_world_put_object(struct perf_world *world, enum cached_kind kind,
                          const struct json_node *object, struct err *err) {
        CLEANUP(cleanup_json_doc) struct json_doc *doc = NULL;
        int code = perf_world_parse(object, &doc, err);
        if (code == 0)
                object_cache_put(world->object_cache, kind, json_doc_root(doc));
        return code;
}

void perf_world_notice(struct perf_world *world, enum cached_kind kind, const struct json *object,
                       uint32_t mask) {
        int64_t started = perf_world_start(world);
        object_cache_put(world->object_cache, kind, object);
        scheduler_notice(world->scheduler, mask, perf_world_mono(world));
        perf_world_stop(world, started);
}

void perf_world_forget(struct perf_world *world, enum cached_kind kind, struct slice ns,
                       struct slice name, uint32_t mask) {
        int64_t started = perf_world_start(world);
        object_cache_remove(world->object_cache, kind, ns, name);
        scheduler_notice(world->scheduler, mask, perf_world_mono(world));
        perf_world_stop(world, started);
}

void perf_world_remove_node(struct perf_world *world, struct slice name) {
        int64_t started = perf_world_start(world);
        cluster_remove_node(world->cluster, name);
        perf_world_stop(world, started);
}
