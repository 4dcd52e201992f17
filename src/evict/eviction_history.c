/* Rings of durations, in whole milliseconds and seconds since 1970 as they are stored. */
#include "evict/eviction_history.h"

#include "base/map.h"
#include "base/util.h"
#include <stdio.h>
#include <stdlib.h>

#define KEY_MAX 900

struct sample {
        int64_t duration_ms, at_s;
};
struct ring {
        struct sample samples[HISTORY_SAMPLES];
        size_t count, next;
};
struct eviction_history {
        struct map *rings; /* "policy owner stage" -> struct ring; none of them has a space */
        uint64_t version;
};

struct eviction_history *eviction_history_new(void) {
        struct eviction_history *history = xcalloc(1, sizeof(*history));

        history->rings = map_new();
        return history;
}

void eviction_history_free(struct eviction_history *history) {
        struct slice key;
        void *value;
        size_t at = 0;

        if (!history)
                return;
        while (map_next(history->rings, &at, &key, &value))
                free(value);
        map_free(history->rings);
        free(history);
}

static struct slice key_text(const struct history_key *key, bool has_owner, char *buffer) {
        snprintf(buffer, KEY_MAX, SLICE_FMT " " SLICE_FMT " " SLICE_FMT, SLICE_ARG(key->policy),
                 SLICE_ARG(has_owner ? key->owner : SLICE_EMPTY), SLICE_ARG(key->stage));
        return slice_of(buffer);
}

static void eviction_history_add_sample(struct eviction_history *history, struct slice key,
                                        struct sample sample) {
        struct ring *ring = map_get(history->rings, key);

        if (!ring) {
                if (map_count(history->rings) >= HISTORY_KEYS_MAX)
                        return;
                ring = xcalloc(1, sizeof(*ring));
                map_put(history->rings, key, ring);
        }
        ring->samples[ring->next] = sample;
        ring->next = (ring->next + 1) % HISTORY_SAMPLES;
        if (ring->count < HISTORY_SAMPLES)
                ring->count++;
        history->version++;
}

void eviction_history_add(struct eviction_history *history, const struct history_key *key,
                          int64_t duration_ns, struct wall_time now) {
        struct sample sample = { duration_ns / NS_PER_MS, now.ns / NS_PER_S };
        char text[KEY_MAX];

        if (duration_ns < 0)
                return;
        eviction_history_add_sample(history, key_text(key, false, text), sample);
        if (key->owner.len)
                eviction_history_add_sample(history, key_text(key, true, text), sample);
}

/* ---- estimates ---- */

static int by_duration(const void *left, const void *right) {
        int64_t a = *(const int64_t *)left, b = *(const int64_t *)right;

        return a < b ? -1 : a > b;
}

/* Rank ceil(percent * count / 100), counted from one. */
static int64_t eviction_history_rank(const int64_t *sorted, size_t count, size_t percent) {
        size_t at = (percent * count + 99) / 100;

        return sorted[at ? at - 1 : 0] * NS_PER_MS;
}

static bool eviction_history_estimate_key(const struct eviction_history *history, struct slice key,
                                          struct wall_time now,
                                          struct history_estimate *ret_estimate) {
        const struct ring *ring = map_get(history->rings, key);
        int64_t sorted[HISTORY_SAMPLES];
        size_t count = 0;

        for (size_t i = 0; ring && i < ring->count; i++)
                if (now.ns / NS_PER_S - ring->samples[i].at_s <= HISTORY_AGE_NS / NS_PER_S)
                        sorted[count++] = ring->samples[i].duration_ms;
        if (count < HISTORY_ENOUGH)
                return false;
        qsort(sorted, count, sizeof(sorted[0]), by_duration);
        *ret_estimate =
                (struct history_estimate){ .p50_ns = eviction_history_rank(sorted, count, 50),
                                           .p95_ns = eviction_history_rank(sorted, count, 95),
                                           .count = count };
        return true;
}

struct history_estimate eviction_history_estimate(const struct eviction_history *history,
                                                  const struct history_key *key,
                                                  int64_t fallback_ns, struct wall_time now) {
        struct history_estimate result = { .p50_ns = fallback_ns, .p95_ns = fallback_ns };
        char text[KEY_MAX];

        if (!(key->owner.len &&
              eviction_history_estimate_key(history, key_text(key, true, text), now, &result)))
                eviction_history_estimate_key(history, key_text(key, false, text), now, &result);
        return result;
}

uint64_t eviction_history_version(const struct eviction_history *history) {
        return history->version;
}

/* ---- as text ---- */

/* Oldest first, so that reading it back keeps the order. */
static void write_ring(const struct ring *ring, struct buf *out) {
        for (size_t i = 0; i < ring->count; i++) {
                size_t at = (ring->next + HISTORY_SAMPLES - ring->count + i) % HISTORY_SAMPLES;

                buf_printf(out, "%s[%lld,%lld]", i ? "," : "",
                           (long long)ring->samples[at].duration_ms,
                           (long long)ring->samples[at].at_s);
        }
}

void eviction_history_write(const struct eviction_history *history, struct buf *out) {
        const char *separator = "";
        struct slice key;
        void *value;
        size_t at = 0;

        buf_char(out, '{');
        while (map_next(history->rings, &at, &key, &value)) {
                buf_text(out, separator);
                buf_json_string(out, key);
                buf_text(out, ":[");
                write_ring(value, out);
                buf_char(out, ']');
                separator = ",";
        }
        buf_char(out, '}');
}

void eviction_history_read(struct eviction_history *history, const struct json *object) {
        struct json_iter rings = json_iter(object);
        const struct json *list, *item;
        struct slice key;

        while (json_type(object) == JSON_OBJECT && json_next(&rings, &key, &list)) {
                struct json_iter samples = json_iter(list);

                while (json_type(list) == JSON_ARRAY && json_next(&samples, NULL, &item)) {
                        struct sample sample;

                        if (json_count(item) == 2 &&
                            json_as_i64(json_at(item, 0), &sample.duration_ms) &&
                            json_as_i64(json_at(item, 1), &sample.at_s) && sample.duration_ms >= 0)
                                eviction_history_add_sample(history, key, sample);
                }
        }
}
