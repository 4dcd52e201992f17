/* A ring of Events, written down when they come. */
#include "dashboard/event_ring.h"

#include "base/arena.h"
#include "base/time.h"
#include "base/util.h"
#include "dashboard/address_query.h"
#include "dashboard/event_meaning.h"
#include <stdlib.h>
#include <string.h>
#include <strings.h>

struct ring_event {
        int64_t time_ns;
        size_t order; /* in which they came, while they are sorted */
        enum event_meaning meaning;
        char *ns, *name, *text; /* of what it is about; members of the JSON object */
        char *rule;             /* of an eviction, else NULL */
};

struct rule_count {
        const char *rule;
        size_t count;
};

struct event_ring {
        struct ring_event *items; /* number n is at n % cap, once settled */
        size_t cap, count;
        uint64_t last;
        bool is_settled;
};

struct event_ring *event_ring_new(void) {
        struct event_ring *ring = xcalloc(1, sizeof(*ring));

        ring->cap = 2 * (size_t)EVENT_RING_SIZE;
        ring->items = xcalloc(ring->cap, sizeof(*ring->items));
        return ring;
}

static void item_release(struct ring_event *item) {
        free(item->ns);
        free(item->name);
        free(item->text);
        free(item->rule);
        *item = (struct ring_event){ 0 };
}

void event_ring_free(struct event_ring *ring) {
        if (!ring)
                return;
        for (size_t i = 0; i < ring->cap; i++)
                item_release(&ring->items[i]);
        free(ring->items);
        free(ring);
}

/* ---- coming in ---- */

/* Of the last time that it was seen. */
static int64_t time_of(const struct json *event) {
        const struct slice texts[] = {
                json_get_text(json_get(event, "series"), "lastObservedTime"),
                json_get_text(event, "eventTime"),
                json_get_text(event, "deprecatedLastTimestamp"),
                json_get_text(json_get(event, "metadata"), "creationTimestamp"),
        };
        struct wall_time time;

        for (size_t i = 0; i < ARRAY_LEN(texts); i++)
                if (texts[i].len && wall_time_parse(texts[i], &time))
                        return time.ns;
        return 0;
}

static void write_member(struct buf *out, const char *name, struct slice text) {
        buf_printf(out, ",\"%s\":", name);
        buf_json_string(out, text);
}

static char *text_of(const struct json *event, int64_t time_ns, enum event_meaning meaning) {
        const struct json *about = json_get(event, "regarding");
        int64_t count = json_get_i64(json_get(event, "series"), "count",
                                     json_get_i64(event, "deprecatedCount", 1));
        struct buf out = { 0 };
        char time[WALL_TIME_TEXT_MAX];

        wall_time_format((struct wall_time){ time_ns }, time);
        buf_printf(&out, "\"time\":\"%s\",\"kind\":\"%s\"", time, event_meaning_name(meaning));
        write_member(&out, "about", json_get_text(about, "kind"));
        write_member(&out, "namespace", json_get_text(about, "namespace"));
        write_member(&out, "name", json_get_text(about, "name"));
        write_member(&out, "type", json_get_text(event, "type"));
        write_member(&out, "reason", json_get_text(event, "reason"));
        write_member(&out, "note", json_get_text(event, "note"));
        write_member(&out, "by", json_get_text(event, "reportingController"));
        buf_text(&out, ",\"count\":");
        buf_u64(&out, count > 0 ? (uint64_t)count : 1);
        return buf_take(&out, NULL);
}

static int by_time(const void *left, const void *right) {
        const struct ring_event *a = left, *b = right;

        if (a->time_ns != b->time_ns)
                return a->time_ns < b->time_ns ? -1 : 1;
        return a->order < b->order ? -1 : a->order > b->order;
}

/* Sorts what has come so far, and leaves the newest ones. */
static void sort_newest(struct event_ring *ring) {
        size_t spare = ring->count > EVENT_RING_SIZE ? ring->count - EVENT_RING_SIZE : 0;

        qsort(ring->items, ring->count, sizeof(*ring->items), by_time);
        for (size_t i = 0; i < spare; i++)
                item_release(&ring->items[i]);
        ring->count -= spare;
        memmove(ring->items, ring->items + spare, ring->count * sizeof(*ring->items));
        memset(ring->items + ring->count, 0, spare * sizeof(*ring->items));
        for (size_t i = 0; i < ring->count; i++)
                ring->items[i].order = i;
}

static struct ring_event *free_place(struct event_ring *ring) {
        if (ring->is_settled) {
                struct ring_event *item = &ring->items[++ring->last % ring->cap];

                item_release(item);
                ring->count += ring->count < ring->cap;
                return item;
        }
        if (ring->count == ring->cap)
                sort_newest(ring);
        ring->items[ring->count].order = ring->count;
        return &ring->items[ring->count++];
}

void event_ring_put(struct event_ring *ring, const struct json *event) {
        const struct json *about = json_get(event, "regarding");
        struct ring_event *item = free_place(ring);

        item->time_ns = time_of(event);
        item->meaning = event_meaning_of(event);
        item->ns = slice_dup(json_get_text(about, "namespace"));
        item->name = slice_dup(json_get_text(about, "name"));
        item->text = text_of(event, item->time_ns, item->meaning);
        if (item->meaning == EVENT_EVICTED)
                item->rule = slice_dup(json_get_text(event, "reason"));
}

void event_ring_settle(struct event_ring *ring) {
        if (ring->is_settled)
                return;
        sort_newest(ring);
        struct ring_event *items = xcalloc(EVENT_RING_SIZE, sizeof(*items));

        for (size_t i = 0; i < ring->count; i++)
                items[++ring->last % EVENT_RING_SIZE] = ring->items[i];
        free(ring->items);
        ring->items = items;
        ring->cap = EVENT_RING_SIZE;
        ring->is_settled = true;
}

uint64_t event_ring_last(const struct event_ring *ring) {
        return ring->last;
}

/* ---- evictions ---- */

static int by_rule_count(const void *left, const void *right) {
        const struct rule_count *a = left, *b = right;

        if (a->count != b->count)
                return a->count > b->count ? -1 : 1;
        return strcmp(a->rule, b->rule);
}

/* Rules beyond the last place are counted in the sum alone. */
static void count_rule(struct rule_count *rules, size_t *rule_count, const char *rule) {
        size_t at = 0;

        while (at < *rule_count && strcmp(rules[at].rule, rule) != 0)
                at++;
        if (at == EVICTION_RULES_MAX)
                return;
        if (at == *rule_count)
                rules[(*rule_count)++] = (struct rule_count){ .rule = rule };
        rules[at].count++;
}

void event_ring_write_evictions(const struct event_ring *ring, struct buf *out) {
        struct rule_count rules[EVICTION_RULES_MAX];
        size_t rule_count = 0, sum = 0;

        for (size_t i = 0; ring->is_settled && i < ring->cap; i++)
                if (ring->items[i].rule) {
                        count_rule(rules, &rule_count, ring->items[i].rule);
                        sum++;
                }
        qsort(rules, rule_count, sizeof(*rules), by_rule_count);
        buf_text(out, "{\"count\":");
        buf_u64(out, sum);
        buf_text(out, ",\"rules\":[");
        for (size_t i = 0; i < rule_count; i++) {
                buf_text(out, i ? ",{\"rule\":" : "{\"rule\":");
                buf_json_string(out, slice_of(rules[i].rule));
                buf_text(out, ",\"count\":");
                buf_u64(out, rules[i].count);
                buf_char(out, '}');
        }
        buf_text(out, "]}");
}

/* ---- going out ---- */

struct event_request {
        struct buf kinds, ns, name, find;
        bool has_kinds, has_ns, has_name;
        size_t after, before, count;
};

static bool has_part(struct slice text, struct slice part) {
        for (size_t i = 0; i + part.len <= text.len; i++)
                if (strncasecmp(text.ptr + i, part.ptr, part.len) == 0)
                        return true;
        return false;
}

static bool has_kind(struct slice kinds, enum event_meaning meaning) {
        struct slice kind;

        while (slice_split(&kinds, ',', &kind))
                if (slice_is(kind, event_meaning_name(meaning)))
                        return true;
        return false;
}

static bool is_asked(const struct event_request *request, const struct ring_event *item) {
        return (!request->has_kinds || has_kind(buf_view(&request->kinds), item->meaning)) &&
               (!request->has_ns || slice_is(buf_view(&request->ns), item->ns)) &&
               (!request->has_name || slice_is(buf_view(&request->name), item->name)) &&
               (!request->find.len || has_part(slice_of(item->text), buf_view(&request->find)));
}

static void write_events(const struct event_ring *ring, const struct event_request *request,
                         struct buf *out) {
        uint64_t oldest = ring->last - ring->count + 1;
        size_t written = 0;

        for (uint64_t number = ring->last; number >= oldest && number > request->after; number--) {
                const struct ring_event *item = &ring->items[number % ring->cap];

                if (written == request->count)
                        break;
                if (number >= request->before || !is_asked(request, item))
                        continue;
                buf_text(out, written++ ? ",\n{\"number\":" : "\n{\"number\":");
                buf_u64(out, number);
                buf_printf(out, ",%s}", item->text);
        }
}

void event_ring_write(const struct event_ring *ring, struct slice query, struct buf *out) {
        struct event_request request = { 0 };
        bool is_empty = !ring->is_settled || ring->count == 0;

        request.has_kinds = address_text(query, "kind", &request.kinds);
        request.has_ns = address_text(query, "namespace", &request.ns);
        request.has_name = address_text(query, "name", &request.name);
        address_text(query, "find", &request.find);
        request.after = address_number(query, "after", 0, SIZE_MAX);
        request.before = address_number(query, "before", SIZE_MAX, SIZE_MAX);
        request.count = address_number(query, "count", EVENTS_SHOWN, EVENT_RING_SIZE);
        buf_text(out, "\"last\":");
        buf_u64(out, ring->last);
        buf_text(out, ",\"oldest\":");
        buf_u64(out, is_empty ? 0 : ring->last - ring->count + 1);
        buf_text(out, ",\"events\":[");
        if (!is_empty)
                write_events(ring, &request, out);
        buf_char(out, ']');
        buf_release(&request.kinds);
        buf_release(&request.ns);
        buf_release(&request.name);
        buf_release(&request.find);
}
