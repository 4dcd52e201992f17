/* Lists a live cluster once: follows every kind until each has had its first list. */
#include "ask/snapshot_input.h"

#include "api/json.h"
#include "ask/snapshot_kind.h"
#include "client/http_transport.h"
#include "loop/access_search.h"
#include "loop/event_loop.h"
#include "loop/watch_set.h"
#include <assert.h>
#include <stdio.h>

#define ITERATION_NS (200 * NS_PER_MS)
/* Failures of a list before the whole is given up; the first may be a server that starts. */
#define LIST_FAILURES_MAX 3

struct live_line {
        struct live *live;
        const struct snapshot_kind *kind;
        struct watch_row *row;
        unsigned failures;
        bool is_left_out;
        struct err last;
};

struct live {
        struct snapshot *snapshot;
        struct live_line lines[SNAPSHOT_KINDS_MAX];
        size_t count, objects;
        struct err failure; /* an object that could not be read */
};

static void on_changed(void *context, enum reflector_change change, const struct json *object) {
        struct live_line *line = context;
        struct snapshot *snapshot = line->live->snapshot;

        line->live->objects++;
        /* What changes while others are still listed is taken up too. */
        if (change != REFLECTOR_DELETED) {
                snapshot_put(snapshot, line->kind, object,
                             line->live->failure.code ? NULL : &line->live->failure);
        } else if (line->kind->model != OBJECT_KIND_COUNT) {
                cluster_apply(snapshot->cluster, line->kind->model, CHANGE_REMOVED, object, NULL);
        }
}

static void on_failed(void *context, const struct err *err, int64_t delay_ns) {
        struct live_line *line = context;

        (void)delay_ns;
        line->failures++;
        line->last = *err;
        line->is_left_out = line->kind->is_usage || line->kind->is_extra ||
                            (line->kind->is_optional && (err->code == BERTH_ERR_FORBIDDEN ||
                                                         err->code == BERTH_ERR_NOT_FOUND));
}

static const struct reflector_events live_events = { .changed = on_changed, .failed = on_failed };

static bool is_given_up(const struct live_line *line) {
        if (line->is_left_out || watch_row_is_synced(line->row))
                return false;
        return line->failures >= LIST_FAILURES_MAX || line->last.code == BERTH_ERR_FORBIDDEN ||
               line->last.code == BERTH_ERR_UNAUTHORIZED;
}

static int snapshot_live_check(const struct live *live, bool *ret_done, struct err *err) {
        bool is_done = true;

        if (live->failure.code) {
                if (err)
                        *err = live->failure;
                return live->failure.code;
        }
        for (size_t i = 0; i < live->count; i++) {
                const struct live_line *line = &live->lines[i];

                if (is_given_up(line)) {
                        if (err)
                                *err = line->last;
                        return err_wrap(err, "%s", line->kind->path);
                }
                is_done &= line->is_left_out || watch_row_is_synced(line->row);
        }
        *ret_done = is_done;
        return 0;
}

static int snapshot_live_wait(struct live *live, const struct snapshot_link *link,
                              struct err *err) {
        int64_t limit = link->timeout_ns ? link->timeout_ns : SNAPSHOT_TIMEOUT_NS;
        struct mono_time start = loop_mono(link->loop);
        bool is_done = false;
        int code;

        for (;;) {
                code = snapshot_live_check(live, &is_done, err);
                if (code < 0 || is_done)
                        return code;
                if (loop_mono(link->loop).ns - start.ns > limit)
                        return err_set(err, BERTH_ERR_TIMEOUT,
                                       "the cluster was not listed within %lld s",
                                       (long long)(limit / NS_PER_S));
                if (link->source && link->source->progress)
                        link->source->progress(link->source->progress_context, live->objects, 0);
                code = link->run_once(link->context, err);
                if (code < 0)
                        return code;
        }
}

static void note_left_out(const struct live *live) {
        struct buf *note = &live->snapshot->note;

        for (size_t i = 0; i < live->count; i++)
                if (live->lines[i].is_left_out && !live->lines[i].kind->is_usage &&
                    !live->lines[i].kind->is_extra)
                        buf_printf(note, "%s%s (%s)", note->len ? ", " : "",
                                   live->lines[i].kind->kind, err_reason(live->lines[i].last.code));
}

int snapshot_list(struct snapshot *snapshot, const struct snapshot_link *link, struct err *err) {
        struct live live = { .snapshot = snapshot };
        struct watch_set *watches = watch_set_new(link->transport, link->loop);
        char selector[100];

        for (const struct snapshot_kind *kind = snapshot_kinds; kind->kind; kind++) {
                struct live_line *line = &live.lines[live.count];

                if (!kind->path)
                        continue;
                assert(live.count < SNAPSHOT_KINDS_MAX);
                *line = (struct live_line){ .live = &live, .kind = kind };
                if (kind->name)
                        snprintf(selector, sizeof(selector), "metadata.name=%s", kind->name);
                line->row = watch_set_add(
                        watches,
                        &(struct watch_request){ .path = kind->path,
                                                 .field_selector = kind->name ? selector : NULL,
                                                 .seed = live.count,
                                                 .trouble = WATCH_QUIET,
                                                 .events = &live_events,
                                                 .context = line });
                live.count++;
        }
        int code = snapshot_live_wait(&live, link, err);
        if (code == 0)
                note_left_out(&live);
        watch_set_free(watches);
        return code;
}

static int snapshot_live_run_once(void *context, struct err *err) {
        return event_loop_run_once(context, ITERATION_NS, err);
}

int snapshot_read_cluster(struct snapshot *snapshot, const struct snapshot_source *source,
                          struct err *err) {
        struct http_transport_config config = { .user_agent = "berth-snapshot" };
        struct event_loop *events = NULL;
        struct http_transport *http = NULL;
        struct transport transport;
        int code = access_search(source->kubeconfig, source->context, &config.access, err);

        if (code < 0)
                return code;
        code = event_loop_new(&events, err);
        if (code < 0) {
                cluster_access_release(&config.access);
                return code;
        }
        code = http_transport_new(&config, event_loop_as_loop(events), &http, err);
        if (code == 0) {
                transport = http_transport(http);
                code = snapshot_list(snapshot,
                                     &(struct snapshot_link){ .transport = &transport,
                                                              .loop = event_loop_as_loop(events),
                                                              .run_once = snapshot_live_run_once,
                                                              .context = events,
                                                              .timeout_ns = source->timeout_ns,
                                                              .source = source },
                                     err);
        }
        snapshot->is_live = true;
        snapshot->source = *source;
        snapshot->source.progress = NULL;
        http_transport_free(http);
        event_loop_free(events);
        return code;
}
