/* Events about objects and their series.
 *
 * A series is identified by a hash of what must be equal (everything but the note). The name of an
 * event is that of its object and the time in hexadecimal, as upstream names them; since the clock
 * stands still during an iteration, equal times get a counter. */
#include "client/event_recorder.h"

#include "base/arena.h"
#include "base/buf.h"
#include "base/map.h"
#include "base/util.h"
#include "client/token_bucket.h"
#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>

#define CUT_MARK " ..."
#define NAME_BYTES_MAX 253
#define EVENT_BYTES_USUAL 1000
#define STAMP_BYTES_MAX 17 /* a dot and sixteen digits */
#define SWEEP_NS (60 * NS_PER_S)

struct event_recorder_series {
        struct event_recorder_series *next, *previous; /* oldest first */
        uint64_t key;
        char *namespace_name, *name; /* of the event */
        uint64_t count;              /* 1 = no series yet */
        uint64_t written;            /* count last written to the server */
        struct wall_time last;
        struct mono_time seen_at, written_at, made_at;
        uint64_t note;   /* hash */
        char *held;      /* to create the event with, later; NULL = is written */
        bool is_passing; /* and written sparingly */
        bool is_settled; /* nothing more is written about it */
};

/* A write under way; its series may be given up meanwhile. */
struct event_writing {
        struct event_writing *next, *previous;
        struct event_recorder *recorder;
        uint64_t key;
        char *namespace_name, *name;
        char *body; /* to create the event with, should it be gone; NULL = then forget the series */
};

struct event_recorder {
        struct write_queue *queue;
        struct loop *loop;
        char *controller, *instance;
        struct map_u64 *by_key;
        struct event_recorder_series *first, *last;
        struct event_writing *writings;
        struct loop_timer sweep;   /* armed while there are series */
        struct loop_timer release; /* armed while some may be held back */
        struct token_bucket bucket;
        int64_t last_stamp;
        uint32_t keys_max;
        bool is_sparing;
        struct event_recorder_stats stats;
};

/* ---- series ---- */

static void series_free(struct event_recorder *recorder, struct event_recorder_series *series) {
        if (series->previous)
                series->previous->next = series->next;
        else
                recorder->first = series->next;
        if (series->next)
                series->next->previous = series->previous;
        else
                recorder->last = series->previous;
        map_u64_remove(recorder->by_key, series->key);
        free(series->namespace_name);
        free(series->name);
        free(series->held);
        free(series);
}

static struct event_recorder_series *series_new(struct event_recorder *recorder, uint64_t key,
                                                struct slice namespace_name, struct slice name) {
        struct event_recorder_series *series = xcalloc(1, sizeof(*series));

        series->key = key;
        series->namespace_name = slice_dup(namespace_name);
        series->name = slice_dup(name);
        series->count = series->written = 1;
        series->seen_at = series->written_at = series->made_at = loop_mono(recorder->loop);
        series->previous = recorder->last;
        if (series->previous)
                series->previous->next = series;
        else
                recorder->first = series;
        recorder->last = series;
        map_u64_put(recorder->by_key, key, series);
        if (!loop_timer_is_armed(&recorder->sweep))
                loop_timer_arm(recorder->loop, &recorder->sweep, SWEEP_NS);
        return series;
}

/* ---- texts ---- */

/* Cut at the limit, but not within a character. */
static struct slice cut_text(struct slice text, size_t max) {
        if (text.len <= max)
                return text;
        while (max > 0 && ((unsigned char)text.ptr[max] & 0xc0) == 0x80)
                max--;
        return slice_make(text.ptr, max);
}

static void put_member(struct buf *out, const char *key, struct slice text) {
        if (text.len == 0)
                return;
        if (out->data[out->len - 1] != '{')
                buf_char(out, ',');
        buf_json_key(out, key);
        buf_json_string(out, text);
}

static void put_reference(struct buf *out, const char *key,
                          const struct object_reference *reference) {
        buf_char(out, ',');
        buf_json_key(out, key);
        buf_char(out, '{');
        put_member(out, "kind", reference->kind);
        put_member(out, "namespace", reference->namespace_name);
        put_member(out, "name", reference->name);
        put_member(out, "uid", reference->uid);
        put_member(out, "apiVersion", reference->api_version);
        put_member(out, "resourceVersion", reference->resource_version);
        put_member(out, "fieldPath", reference->field_path);
        buf_char(out, '}');
}

static void put_series(struct buf *out, uint64_t count, struct wall_time last) {
        char time[WALL_TIME_TEXT_MAX];

        wall_time_format_micro(last, time);
        buf_printf(out, "\"series\":{\"count\":%" PRIu64 ",\"lastObservedTime\":\"%s\"}", count,
                   time);
}

static void put_note(struct buf *out, struct slice note) {
        CLEANUP(buf_release) struct buf cut = { 0 };

        if (note.len > EVENT_NOTE_MAX) {
                buf_slice(&cut, cut_text(note, EVENT_NOTE_MAX - (sizeof(CUT_MARK) - 1)));
                buf_text(&cut, CUT_MARK);
                note = buf_view(&cut);
        }
        put_member(out, "note", note);
}

/* The whole event; with a series when it has occurred more than once. */
static void put_event(const struct event_recorder *recorder,
                      const struct event_recorder_series *series, const struct event_note *note,
                      struct buf *out) {
        char time[WALL_TIME_TEXT_MAX];

        buf_reserve(out, EVENT_BYTES_USUAL);
        wall_time_format_micro(loop_wall(recorder->loop), time);
        buf_text(out, "{\"apiVersion\":\"events.k8s.io/v1\",\"kind\":\"Event\",\"metadata\":{");
        put_member(out, "name", slice_of(series->name));
        put_member(out, "namespace", slice_of(series->namespace_name));
        buf_char(out, '}');
        put_member(out, "eventTime", slice_of(time));
        put_member(out, "reportingController", slice_of(recorder->controller));
        put_member(out, "reportingInstance",
                   cut_text(slice_of(recorder->instance), EVENT_REASON_MAX));
        put_member(out, "action", cut_text(note->action, EVENT_REASON_MAX));
        put_member(out, "reason", cut_text(note->reason, EVENT_REASON_MAX));
        put_reference(out, "regarding", &note->regarding);
        if (note->related)
                put_reference(out, "related", note->related);
        put_note(out, note->note);
        put_member(out, "type", slice_of(note->is_warning ? "Warning" : "Normal"));
        if (series->count > 1) {
                buf_char(out, ',');
                put_series(out, series->count, series->last);
        }
        buf_char(out, '}');
}

static bool is_name(struct slice text) {
        for (size_t i = 0; i < text.len; i++) {
                char c = text.ptr[i];

                if (!(c >= 'a' && c <= 'z') && !(c >= '0' && c <= '9') && c != '-' && c != '.')
                        return false;
        }
        return text.len > 0;
}

static void make_name(struct event_recorder *recorder, struct slice object, struct buf *out) {
        int64_t stamp = loop_wall(recorder->loop).ns;

        if (stamp <= recorder->last_stamp)
                stamp = recorder->last_stamp + 1;
        recorder->last_stamp = stamp;
        if (!is_name(object)) /* allowed for some objects, not for events */
                object = SLICE_LITERAL("event");
        buf_slice(out, cut_text(object, NAME_BYTES_MAX - STAMP_BYTES_MAX));
        buf_printf(out, ".%" PRIx64, (uint64_t)stamp);
}

/* The hash of a text has its length in it, so no two lists of texts look alike. */
static uint64_t add_to_key(uint64_t key, struct slice text) {
        return hash_bytes(text.ptr, text.len, key);
}

static uint64_t add_reference_to_key(uint64_t key, const struct object_reference *reference) {
        key = add_to_key(key, reference->kind);
        key = add_to_key(key, reference->namespace_name);
        key = add_to_key(key, reference->name);
        key = add_to_key(key, reference->uid);
        return add_to_key(key, reference->field_path);
}

static uint64_t key_of(const struct event_note *note) {
        uint64_t key = note->is_warning ? 'W' : 'N';

        if (note->is_passing || note->settles)
                return add_reference_to_key('P', &note->regarding);
        key = add_to_key(key, note->reason);
        key = add_to_key(key, note->action);
        key = add_reference_to_key(key, &note->regarding);
        return note->related ? add_reference_to_key(key, note->related) : key;
}

/* ---- writing ---- */

static void writing_free(struct event_writing *writing) {
        if (writing->previous)
                writing->previous->next = writing->next;
        else
                writing->recorder->writings = writing->next;
        if (writing->next)
                writing->next->previous = writing->previous;
        free(writing->namespace_name);
        free(writing->name);
        free(writing->body);
        free(writing);
}

static struct event_writing *writing_new(struct event_recorder *recorder,
                                         const struct event_recorder_series *series) {
        struct event_writing *writing = xcalloc(1, sizeof(*writing));

        writing->recorder = recorder;
        writing->key = series->key;
        writing->namespace_name = slice_dup(slice_of(series->namespace_name));
        writing->name = slice_dup(slice_of(series->name));
        writing->next = recorder->writings;
        if (writing->next)
                writing->next->previous = writing;
        recorder->writings = writing;
        return writing;
}

static void on_written(void *context, const struct write_result *result);

/* Asked before it is sent: has it passed while it waited? */
static bool is_past(void *context, struct slice body) {
        const struct event_writing *writing = context;
        const struct event_recorder_series *series =
                map_u64_get(writing->recorder->by_key, writing->key);

        (void)body;
        return series && series->is_settled && slice_is(slice_of(series->name), writing->name);
}

static void send_event(struct event_writing *writing, enum api_method method, struct slice body) {
        CLEANUP(buf_release) struct buf path = { 0 };
        struct write_request write = {
                .lane = WRITE_EVENT,
                .kind = SLICE_LITERAL("Event"),
                .namespace_name = slice_of(writing->namespace_name),
                .name = slice_of(writing->name),
                .method = method,
                .body = body,
                .is_patient = true,
                .is_repeatable = true, /* a second creation of the same name is refused */
                .is_no_op = is_past,
                .done = on_written,
                .context = writing,
        };

        buf_text(&path, "/apis/events.k8s.io/v1/namespaces/");
        buf_text(&path, writing->namespace_name);
        buf_text(&path, "/events");
        if (method == API_PATCH) {
                buf_printf(&path, "/%s", writing->name);
                write.content_type = SLICE_LITERAL("application/strategic-merge-patch+json");
        }
        write.path = buf_view(&path);
        write_queue_add(writing->recorder->queue, &write);
}

static void on_written(void *context, const struct write_result *result) {
        struct event_writing *writing = context;
        struct event_recorder *recorder = writing->recorder;
        struct event_recorder_series *series = map_u64_get(recorder->by_key, writing->key);
        int status = result->outcome == WRITE_ANSWERED ? result->reply->status : 0;
        bool is_written = (status >= 200 && status < 300) || status == 409;

        if (status == 404 && writing->body) {
                char *body = writing->body;

                writing->body = NULL;
                send_event(writing, API_POST, slice_of(body));
                free(body);
                return;
        }
        if (result->outcome == WRITE_NO_OP) {
                recorder->stats.settled++;
                writing_free(writing);
                return;
        }
        /* What is not there cannot become a series: the next occurrence starts again. */
        if (!is_written && series && slice_is(slice_of(series->name), writing->name))
                series_free(recorder, series);
        if (!is_written)
                recorder->stats.dropped++;
        writing_free(writing);
}

/* Writes the count; the note, if given, allows to create an event that is gone. */
static void event_recorder_update(struct event_recorder *recorder,
                                  struct event_recorder_series *series,
                                  const struct event_note *note) {
        CLEANUP(buf_release) struct buf body = { 0 };
        struct event_writing *writing = writing_new(recorder, series);

        series->written = series->count;
        series->written_at = loop_mono(recorder->loop);
        recorder->stats.updated++;
        if (note) {
                put_event(recorder, series, note, &body);
                writing->body = buf_take(&body, NULL);
        }
        buf_char(&body, '{');
        put_series(&body, series->count, series->last);
        buf_char(&body, '}');
        send_event(writing, API_PATCH, buf_view(&body));
}

/* A count that nobody knows yet, and that is worth a write. */
static bool has_news(const struct event_recorder_series *series) {
        return series->written != series->count && !series->is_settled &&
               (!series->is_passing || series->written > 1);
}

static void send_held(struct event_recorder *recorder, struct event_recorder_series *series) {
        char *body = series->held;

        series->held = NULL;
        send_event(writing_new(recorder, series), API_POST, slice_of(body));
        free(body);
}

static void end_series(struct event_recorder *recorder, struct event_recorder_series *series) {
        if (series->held)
                send_held(recorder, series);
        if (has_news(series))
                event_recorder_update(recorder, series, NULL);
        series_free(recorder, series);
}

static void event_recorder_create(struct event_recorder *recorder, uint64_t key,
                                  const struct event_note *note) {
        CLEANUP(buf_release) struct buf name = { 0 };
        CLEANUP(buf_release) struct buf body = { 0 };
        struct slice namespace_name = note->regarding.namespace_name;

        if (!token_bucket_take(&recorder->bucket, loop_mono(recorder->loop), NULL)) {
                recorder->stats.dropped++;
                return;
        }
        while (map_u64_count(recorder->by_key) >= recorder->keys_max)
                end_series(recorder, recorder->first);
        make_name(recorder, note->regarding.name, &name);
        if (namespace_name.len == 0)
                namespace_name = SLICE_LITERAL("default");
        struct event_recorder_series *series =
                series_new(recorder, key, namespace_name, buf_view(&name));
        series->note = slice_hash(note->note);
        put_event(recorder, series, note, &body);
        recorder->stats.created++;
        series->is_passing = recorder->is_sparing && note->is_passing;
        if (!series->is_passing) {
                send_event(writing_new(recorder, series), API_POST, buf_view(&body));
                return;
        }
        series->held = buf_take(&body, NULL);
        if (!loop_timer_is_armed(&recorder->release))
                loop_timer_arm(recorder->loop, &recorder->release, EVENT_PASSING_NS);
}

/* The trouble is over: of what is not written yet nothing will be. */
static void event_recorder_settle(struct event_recorder *recorder, uint64_t key) {
        struct event_recorder_series *series = map_u64_get(recorder->by_key, key);

        if (!series || !recorder->is_sparing)
                return;
        series->is_settled = true;
        if (!series->held)
                return;
        recorder->stats.settled++;
        series_free(recorder, series);
}

/* Its note does not say any more what is the matter. */
static bool is_outdated(const struct event_recorder *recorder,
                        const struct event_recorder_series *series, const struct event_note *note) {
        return recorder->is_sparing && series->note != slice_hash(note->note) &&
               loop_mono(recorder->loop).ns - series->made_at.ns >= EVENT_NOTE_NS;
}

/* The first time that the count is written; from then on the sweep does it. */
static bool begins_to_count(const struct event_recorder *recorder,
                            const struct event_recorder_series *series) {
        return series->written == 1 &&
               (!series->is_passing ||
                loop_mono(recorder->loop).ns - series->made_at.ns >= EVENT_SERIES_NS);
}

void event_recorder_add(struct event_recorder *recorder, const struct event_note *note) {
        uint64_t key = key_of(note);

        if (note->settles) {
                struct event_note own = *note;

                event_recorder_settle(recorder, key);
                own.settles = false;
                event_recorder_add(recorder, &own);
                return;
        }
        struct event_recorder_series *series = map_u64_get(recorder->by_key, key);
        if (series && series->is_settled) { /* and begins again */
                series_free(recorder, series);
                series = NULL;
        }
        if (series && is_outdated(recorder, series, note)) {
                end_series(recorder, series);
                series = NULL;
        }
        if (!series) {
                event_recorder_create(recorder, key, note);
                return;
        }
        series->count++;
        series->last = loop_wall(recorder->loop);
        series->seen_at = loop_mono(recorder->loop);
        recorder->stats.counted++;
        if (begins_to_count(recorder, series))
                event_recorder_update(recorder, series, note);
}

/* ---- time ---- */

static void on_sweep(void *context) {
        struct event_recorder *recorder = context;
        int64_t now = loop_mono(recorder->loop).ns;
        struct event_recorder_series *series = recorder->first;

        while (series) {
                struct event_recorder_series *next = series->next;
                bool is_over = now - series->seen_at.ns >= EVENT_SILENCE_NS;
                bool is_due = is_over || now - series->written_at.ns >= EVENT_REFRESH_NS;

                if (is_due && has_news(series))
                        event_recorder_update(recorder, series, NULL);
                if (is_over)
                        series_free(recorder, series);
                series = next;
        }
        if (recorder->first)
                loop_timer_arm(recorder->loop, &recorder->sweep, SWEEP_NS);
}

/* All are held for the same time, so that the oldest come first. */
static void on_release(void *context) {
        struct event_recorder *recorder = context;
        int64_t now = loop_mono(recorder->loop).ns, wait = 0;

        for (struct event_recorder_series *series = recorder->first; series && wait == 0;
             series = series->next) {
                if (!series->held)
                        continue;
                if (now - series->made_at.ns >= EVENT_PASSING_NS)
                        send_held(recorder, series);
                else
                        wait = EVENT_PASSING_NS - (now - series->made_at.ns);
        }
        if (wait > 0)
                loop_timer_arm(recorder->loop, &recorder->release, wait);
}

void event_recorder_finish(struct event_recorder *recorder) {
        for (struct event_recorder_series *series = recorder->first; series;
             series = series->next) {
                if (series->held)
                        send_held(recorder, series);
                if (has_news(series))
                        event_recorder_update(recorder, series, NULL);
        }
}

/* ---- life ---- */

struct event_recorder *event_recorder_new(const struct event_recorder_config *config,
                                          struct write_queue *queue, struct loop *loop) {
        struct event_recorder *recorder = xcalloc(1, sizeof(*recorder));
        const char *instance = config->instance ? config->instance : config->controller;

        assert(config->controller && config->controller[0]);
        recorder->queue = queue;
        recorder->loop = loop;
        recorder->controller = slice_dup(slice_of(config->controller));
        recorder->instance = slice_dup(slice_of(instance));
        recorder->keys_max = config->keys_max ? config->keys_max : EVENT_KEYS_MAX;
        recorder->is_sparing = config->is_sparing;
        recorder->by_key = map_u64_new();
        recorder->sweep = (struct loop_timer){ .fired = on_sweep, .context = recorder };
        recorder->release = (struct loop_timer){ .fired = on_release, .context = recorder };
        token_bucket_init(&recorder->bucket, config->per_second, config->burst, loop_mono(loop));
        return recorder;
}

void event_recorder_free(struct event_recorder *recorder) {
        if (!recorder)
                return;
        while (recorder->first)
                series_free(recorder, recorder->first);
        while (recorder->writings)
                writing_free(recorder->writings);
        loop_timer_disarm(recorder->loop, &recorder->sweep);
        loop_timer_disarm(recorder->loop, &recorder->release);
        map_u64_free(recorder->by_key);
        free(recorder->controller);
        free(recorder->instance);
        free(recorder);
}

struct event_recorder_stats event_recorder_stats(const struct event_recorder *recorder) {
        return recorder->stats;
}
