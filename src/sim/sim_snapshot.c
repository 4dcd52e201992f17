/* Pods and budgets of the user's cluster as those of the simulation: their names, labels, owners'
 * kinds and budgets stay, what runs in them does not.  Namespaces become part of the names, so that
 * those of different ones do not meet. */
#include "sim/sim_world_priv.h"

#include "base/util.h"
#include "config/objects_input.h"
#include <stdio.h>
#include <stdlib.h>

#define NAME_BYTES 200

static void join_name(const struct json *meta, char *name) {
        struct slice ns = json_get_text(meta, "namespace");

        snprintf(name, NAME_BYTES, SLICE_FMT "%s" SLICE_FMT, SLICE_ARG(ns), ns.len ? "-" : "",
                 SLICE_ARG(json_get_text(meta, "name")));
}

static void write_or(struct buf *out, const struct json *value, const char *fallback) {
        if (!value || !json_write(value, out))
                buf_text(out, fallback);
}

/* A label that only pods and budgets of the same namespace share. */
static void write_labels(struct buf *out, const struct json *labels, struct slice ns) {
        struct json_iter iter = json_iter(labels);
        const struct json *value;
        struct slice key;

        buf_text(out, "{\"sim-namespace\":");
        buf_json_string(out, ns);
        while (json_next(&iter, &key, &value)) {
                buf_char(out, ',');
                buf_json_string(out, key);
                buf_char(out, ':');
                buf_json_string(out, json_text(value));
        }
        buf_char(out, '}');
}

static void make_pod(struct sim_world *world, const struct json *object) {
        const struct json *meta = json_get(object, "metadata"), *spec = json_get(object, "spec");
        struct slice phase = json_get_text(json_get(object, "status"), "phase");
        char name[NAME_BYTES];
        struct buf body = { 0 };

        if (slice_is(phase, "Succeeded") || slice_is(phase, "Failed") ||
            world->snapshot_count == SIM_SNAPSHOT_MAX)
                return;
        join_name(meta, name);
        buf_printf(&body, "{\"metadata\":{\"name\":\"%s\",\"labels\":", name);
        write_labels(&body, json_get(meta, "labels"), json_get_text(meta, "namespace"));
        buf_printf(&body,
                   "},\"spec\":{\"nodeName\":\"n0\",\"terminationGracePeriodSeconds\":%lld,"
                   "\"containers\":[{\"name\":\"c\",\"image\":\"x\"}]}}",
                   (long long)json_get_i64(spec, "terminationGracePeriodSeconds", 30));
        buf_char(&body, '\0');
        if (sim_world_ask(world, "POST", SIM_PODS, body.data, NULL) == 201)
                world->snapshot[world->snapshot_count++] = slice_dup(slice_of(name));
        buf_release(&body);
}

static void make_budget(struct sim_world *world, const struct json *object) {
        const struct json *meta = json_get(object, "metadata"), *spec = json_get(object, "spec");
        const struct json *selector = json_get(spec, "selector");
        char name[NAME_BYTES];
        struct buf body = { 0 };

        join_name(meta, name);
        buf_printf(&body, "{\"metadata\":{\"name\":\"%s\"},\"spec\":{", name);
        for (size_t i = 0; i < 2; i++) {
                static const struct slice limits[] = { SLICE_INIT("minAvailable"),
                                                       SLICE_INIT("maxUnavailable") };
                const struct json *limit = json_get_slice(spec, limits[i]);

                if (!limit)
                        continue;
                buf_json_string(&body, limits[i]);
                buf_char(&body, ':');
                write_or(&body, limit, "0");
                buf_char(&body, ',');
        }
        buf_text(&body, "\"selector\":{\"matchExpressions\":");
        write_or(&body, json_get(selector, "matchExpressions"), "[]");
        buf_text(&body, ",\"matchLabels\":");
        write_labels(&body, json_get(selector, "matchLabels"), json_get_text(meta, "namespace"));
        buf_text(&body, "}}}");
        buf_char(&body, '\0');
        sim_world_ask(world, "POST", "/apis/policy/v1/namespaces/" SIM_NS "/poddisruptionbudgets",
                      body.data, NULL);
        buf_release(&body);
}

static int sim_snapshot_take(void *context, const struct input_object *object, struct err *err) {
        struct sim_world *world = context;

        (void)err;
        if (slice_is(object->kind, "Pod"))
                make_pod(world, object->value);
        else if (slice_is(object->kind, "PodDisruptionBudget"))
                make_budget(world, object->value);
        return 0;
}

void sim_snapshot_load(struct sim_world *world) {
        struct err err = { 0 };

        if (!world->config.objects)
                return;
        if (objects_input_read(slice_of(world->config.objects), "objects", sim_snapshot_take, world,
                               &err) < 0)
                sim_violated(world, "objects: line %u: %s", err.line, err.text);
        else if (world->snapshot_count == 0)
                sim_violated(world, "objects: there is no pod among them");
}

void sim_snapshot_release(struct sim_world *world) {
        for (size_t i = 0; i < world->snapshot_count; i++)
                free(world->snapshot[i]);
}
