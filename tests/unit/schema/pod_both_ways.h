/* A pod in protobuf read as a value and by the short way, each into a model of its own. */
#pragma once

#include "api/json_build.h"
#include "model/cluster.h"
#include "schema/pod_reader.h"
#include "schema/protobuf.h"
#include "schema/schema.h"
#include <stdio.h>
#include <stdlib.h>

struct both_ways {
        struct pod_reader *reader;
        struct json_builder *builder;
        struct cluster *values, *pods;
        size_t read, refused;
};

static inline struct both_ways both_ways_new(void) {
        const struct cluster_config config = { .keeps_finished = true, .keeps_detail = true };

        return (struct both_ways){ .reader = pod_reader_new(),
                                   .builder = json_builder_new(),
                                   .values = cluster_new(&config),
                                   .pods = cluster_new(&config) };
}

static inline void both_ways_free(struct both_ways *ways) {
        pod_reader_free(ways->reader);
        json_builder_free(ways->builder);
        cluster_free(ways->values);
        cluster_free(ways->pods);
}

static inline void both_ways_fail(const char *what) {
        fprintf(stderr, "both ways: %s\n", what);
        abort();
}

/* ---- a pod as text ---- */

static inline void both_ways_text(struct buf *out, struct slice text) {
        buf_json_string(out, text);
        buf_char(out, ' ');
}

static inline void both_ways_number(struct buf *out, int64_t number) {
        buf_printf(out, "%lld ", (long long)number);
}

static inline void both_ways_amounts(struct buf *out, const struct resource_list *list) {
        for (size_t i = 0; i < list->count; i++) {
                both_ways_text(out, list->items[i].name);
                both_ways_number(out, list->items[i].amount);
        }
        buf_char(out, ';');
}

static inline void both_ways_labels(struct buf *out, const struct label_list *list) {
        for (size_t i = 0; i < list->count; i++) {
                both_ways_text(out, list->items[i].key);
                both_ways_text(out, list->items[i].value);
        }
        buf_char(out, ';');
}

static inline void both_ways_meta(struct buf *out, const struct object_meta *meta) {
        const struct slice texts[] = { meta->ns, meta->name, meta->uid, meta->resource_version,
                                       meta->generate_name };
        const int64_t numbers[] = { meta->generation, meta->created.ns, meta->deleted.ns,
                                    meta->deletion_grace_s };

        for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++)
                both_ways_text(out, texts[i]);
        for (size_t i = 0; i < sizeof(numbers) / sizeof(*numbers); i++)
                both_ways_number(out, numbers[i]);
        both_ways_labels(out, &meta->labels);
        both_ways_labels(out, &meta->annotations);
        for (size_t i = 0; i < meta->owner_count; i++) {
                both_ways_text(out, meta->owners[i].api_version);
                both_ways_text(out, meta->owners[i].kind);
                both_ways_text(out, meta->owners[i].name);
                both_ways_text(out, meta->owners[i].uid);
                both_ways_number(out, meta->owners[i].is_controller);
                both_ways_number(out, meta->owners[i].blocks_deletion);
        }
        for (size_t i = 0; i < meta->finalizer_count; i++)
                both_ways_text(out, meta->finalizers[i]);
}

static inline void both_ways_container(struct buf *out, const struct container_status *status) {
        const struct slice texts[] = { status->name, status->waiting_reason,
                                       status->terminated_reason, status->last_terminated_reason };
        const int64_t numbers[] = { status->is_ready,         status->is_started,
                                    status->is_waiting,       status->is_running,
                                    status->has_last,         status->is_terminated,
                                    status->restarts,         status->exit_code,
                                    status->signal,           status->last_exit_code,
                                    status->started.ns,       status->finished.ns,
                                    status->last_finished.ns, status->has_resources };

        for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++)
                both_ways_text(out, texts[i]);
        for (size_t i = 0; i < sizeof(numbers) / sizeof(*numbers); i++)
                both_ways_number(out, numbers[i]);
        both_ways_amounts(out, &status->requests);
        both_ways_amounts(out, &status->allocated);
}

static inline void both_ways_status(struct buf *out, const struct pod_status *status) {
        buf_printf(out, "%d %d %d ", (int)status->phase, status->has_qos, (int)status->qos);
        both_ways_text(out, status->reason);
        both_ways_text(out, status->message);
        both_ways_text(out, status->nominated_node);
        both_ways_text(out, status->pod_ip);
        both_ways_number(out, status->started.ns);
        for (size_t i = 0; i < status->condition_count; i++) {
                both_ways_text(out, status->conditions[i].type);
                both_ways_text(out, status->conditions[i].reason);
                both_ways_text(out, status->conditions[i].message);
                both_ways_number(out, (int)status->conditions[i].status);
                both_ways_number(out, status->conditions[i].changed.ns);
        }
        buf_char(out, '\n');
        for (size_t i = 0; i < status->container_count; i++)
                both_ways_container(out, &status->containers[i]);
        buf_char(out, '\n');
        for (size_t i = 0; i < status->init_count; i++)
                both_ways_container(out, &status->init[i]);
        buf_char(out, '\n');
        for (size_t i = 0; i < status->ephemeral_count; i++)
                both_ways_container(out, &status->ephemeral[i]);
        both_ways_number(out, status->has_resources);
}

/* Of the spec its pod's own; the model shows the rest. */
static inline struct buf both_ways_pod(const struct pod *pod) {
        struct buf out = { 0 };

        both_ways_meta(&out, &pod->meta);
        both_ways_status(&out, &pod->status);
        both_ways_text(&out, pod->spec.node_name);
        for (size_t i = 0; i < pod->spec.container_count; i++) {
                both_ways_text(&out, pod->spec.containers[i].name);
                both_ways_number(&out, pod->spec.containers[i].has_actual);
                both_ways_amounts(&out, &pod->spec.containers[i].actual);
                both_ways_amounts(&out, &pod->spec.containers[i].allocated);
        }
        return out;
}

static inline bool both_ways_agree(const struct pod *pod, const struct json *value) {
        struct arena arena;
        struct pod other;
        struct err err;

        arena_init(&arena, 0);
        bool agree = pod_decode(value, &arena, &other, &err) == 0;
        if (agree) {
                struct buf one = both_ways_pod(pod), two = both_ways_pod(&other);

                agree = slice_eq(buf_view(&one), buf_view(&two));
                buf_release(&one);
                buf_release(&two);
        }
        arena_release(&arena);
        return agree;
}

/* What the short way takes, the long way takes too, and the models stay equal.  True: it took it.
 */
static inline bool both_ways_read(struct both_ways *ways, struct slice message) {
        struct err err = { 0 };
        struct pod pod;

        if (!pod_reader_read(ways->reader, message, &pod)) {
                ways->refused++;
                return false;
        }
        ways->read++;
        cluster_put_pod(ways->pods, &pod);
        json_builder_clear(ways->builder);
        if (protobuf_build(ways->builder, schema_named("core.v1.Pod"), message, FIELD_UNREAD,
                           &err) < 0)
                both_ways_fail("no value");
        const struct json *value = json_builder_root(ways->builder);
        if (!both_ways_agree(&pod, value))
                both_ways_fail("another pod");
        if (cluster_apply(ways->values, OBJECT_POD, CHANGE_ADDED, value, &err) < 0)
                both_ways_fail("no pod");
        if (!json_equal(value, pod_reader_value(ways->reader, FIELD_UNREAD)))
                both_ways_fail("another value");
        if (cluster_digest(ways->values) != cluster_digest(ways->pods))
                both_ways_fail("another model");
        if (cluster_check(ways->pods, &err) < 0)
                both_ways_fail(err.text);
        return true;
}
