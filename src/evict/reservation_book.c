/* Which Evictions want room, and what is held for them. */
#include "evict/reservation_book.h"

#include "base/map.h"
#include "base/util.h"
#include "evict/eviction_request.h"
#include "evict/reservation_pod.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum room_state { ROOM_WANTED, ROOM_IS_HELD, ROOM_OVER };

struct room {
        char *uid, *ns, *eviction, *pod, *pod_uid;
        char owner[64], scheduler[254], name[128], node[ROOM_NODE_MAX];
        enum room_state state;
        int64_t patience_ns;
        struct mono_time renewed; /* of what is held */
        struct mono_time due;     /* ROOM_WANTED: of the next look */
        bool is_reading;
        /* What the Eviction is to say, and whether it is being written. */
        char says_room[ROOM_NODE_MAX], says_none[ROOM_NODE_MAX + 16];
        bool has_to_report, is_explainer, is_reported;
        struct mono_time report_due;
};

/* What happened between two steps. */
struct news {
        enum room_effect_kind kind;
        char *uid, *ns, *pod, *node;
        const char *reason;
};

struct reservation_book {
        struct reservation_book_config config;
        struct map *rooms; /* uid of the Eviction -> struct room */
        struct news *news;
        size_t news_count, news_cap;
};

/* ---- effects ---- */

void room_effects_init(struct room_effects *effects) {
        *effects = (struct room_effects){ 0 };
        arena_init(&effects->arena, 0);
}

void room_effects_release(struct room_effects *effects) {
        arena_release(&effects->arena);
        free(effects->items);
}

void room_effects_clear(struct room_effects *effects) {
        arena_clear(&effects->arena);
        effects->count = 0;
}

static struct slice reservation_book_keep(struct room_effects *effects, const char *text) {
        return slice_of(arena_string(&effects->arena, slice_of(text ? text : "")));
}

static struct room_effect *add_effect(struct room_effects *effects, enum room_effect_kind kind,
                                      const char *uid) {
        if (effects->count == effects->cap) {
                effects->cap = effects->cap ? effects->cap * 2 : 16;
                effects->items =
                        xreallocarray(effects->items, effects->cap, sizeof(effects->items[0]));
        }
        effects->items[effects->count] =
                (struct room_effect){ .kind = kind, .uid = reservation_book_keep(effects, uid) };
        return &effects->items[effects->count++];
}

static void reservation_book_note(struct reservation_book *book, const struct room *room,
                                  enum room_effect_kind kind, const char *reason) {
        if (book->news_count == book->news_cap) {
                book->news_cap = book->news_cap ? book->news_cap * 2 : 8;
                book->news = xreallocarray(book->news, book->news_cap, sizeof(book->news[0]));
        }
        book->news[book->news_count++] = (struct news){ .kind = kind,
                                                        .uid = slice_dup(slice_of(room->uid)),
                                                        .ns = slice_dup(slice_of(room->ns)),
                                                        .pod = slice_dup(slice_of(room->pod)),
                                                        .node = slice_dup(slice_of(room->node)),
                                                        .reason = reason };
}

static void news_release(struct news *news) {
        free(news->uid);
        free(news->ns);
        free(news->pod);
        free(news->node);
}

static void report_news(struct reservation_book *book, struct room_effects *out) {
        for (size_t i = 0; i < book->news_count; i++) {
                struct news *news = &book->news[i];
                struct room_effect *effect = add_effect(out, news->kind, news->uid);

                effect->ns = reservation_book_keep(out, news->ns);
                effect->name = reservation_book_keep(out, news->pod);
                effect->node = reservation_book_keep(out, news->node);
                effect->reason = reservation_book_keep(out, news->reason);
                news_release(news);
        }
        book->news_count = 0;
}

/* ---- holding ---- */

/* The Eviction has to say this: the node, or why there is none. */
static void reservation_book_say(struct room *room, const char *node, const char *none) {
        snprintf(room->says_room, sizeof(room->says_room), "%s", node);
        snprintf(room->says_none, sizeof(room->says_none), "%s", none);
        room->has_to_report = true;
        room->is_reported = false;
}

static void reservation_book_release(struct reservation_book *book, struct room *room,
                                     const char *why) {
        bool was_held = room->state == ROOM_IS_HELD;
        char text[ROOM_NODE_MAX + 16];

        room->state = ROOM_OVER;
        if (!was_held)
                return;
        cluster_remove_pod(book->config.cluster, slice_of(room->ns), slice_of(room->name));
        snprintf(text, sizeof(text), "%s %s", why, room->node);
        reservation_book_say(room, "", text);
        reservation_book_note(book, room, ROOM_RELEASED, why);
}

static void room_free(struct room *room) {
        free(room->uid);
        free(room->ns);
        free(room->eviction);
        free(room->pod);
        free(room->pod_uid);
        free(room);
}

/* Chooses as the scheduler would, and stays with it. */
static bool take_room(struct reservation_book *book, struct room *room) {
        struct cluster *cluster = book->config.cluster;
        struct pod_id id = cluster_find_pod(cluster, slice_of(room->ns), slice_of(room->name));

        if (pod_id_is_none(id) ||
            !book->config.choose(book->config.context, id, slice_of(room->scheduler), room->node))
                return false;
        cluster_nominate(cluster, id, slice_of(room->node));
        return true;
}

/* Puts the pod that holds the room into the model; it stays when there is room. */
static bool reservation_book_hold(struct reservation_book *book, struct room *room,
                                  struct slice pod_json) {
        struct cluster *cluster = book->config.cluster;
        struct json_doc *doc = NULL;
        struct buf text = { 0 };

        reservation_pod_write(pod_json, slice_of(room->name), &text);
        bool is_in =
                json_parse(buf_view(&text), &doc, NULL) == 0 &&
                cluster_apply(cluster, OBJECT_POD, CHANGE_ADDED, json_doc_root(doc), NULL) == 0;
        json_doc_free(doc);
        buf_release(&text);
        if (!is_in || take_room(book, room))
                return is_in;
        cluster_remove_pod(cluster, slice_of(room->ns), slice_of(room->name));
        return false;
}

static struct slice controller_of(const struct json *meta) {
        struct json_iter iter = json_iter(json_get(meta, "ownerReferences"));
        const struct json *owner;

        while (json_next(&iter, NULL, &owner))
                if (json_get_bool(owner, "controller", false))
                        return json_get_text(owner, "uid");
        return SLICE_EMPTY;
}

/* True when a replacement will come that wants room. */
static bool read_pod(struct room *room, const struct json *pod) {
        const struct json *meta = json_get(pod, "metadata");

        snprintf(room->owner, sizeof(room->owner), SLICE_FMT, SLICE_ARG(controller_of(meta)));
        snprintf(room->scheduler, sizeof(room->scheduler), SLICE_FMT,
                 SLICE_ARG(json_get_text(json_get(pod, "spec"), "schedulerName")));
        return slice_is(json_get_text(meta, "uid"), room->pod_uid) &&
               !json_get_text(meta, "deletionTimestamp").len && room->owner[0];
}

static void try_to_hold(struct reservation_book *book, struct room *room, struct slice pod_json,
                        struct mono_time now) {
        bool is_reported_none = strcmp(room->says_none, EVICTION_NO_ROOM) == 0;

        if (reservation_book_hold(book, room, pod_json)) {
                room->state = ROOM_IS_HELD;
                room->renewed = now;
                reservation_book_say(room, room->node, "");
                reservation_book_note(book, room, ROOM_HELD, "");
                return;
        }
        room->due.ns = now.ns + ROOM_LOOK_AGAIN_NS;
        if (is_reported_none)
                return;
        reservation_book_say(room, "", EVICTION_NO_ROOM);
        reservation_book_note(book, room, ROOM_NONE, "");
}

void reservation_book_read(struct reservation_book *book, struct slice eviction_uid,
                           struct slice pod_json, struct mono_time now) {
        struct room *room = map_get(book->rooms, eviction_uid);
        struct json_doc *doc = NULL;

        if (!room || !room->is_reading)
                return;
        room->is_reading = false;
        if (room->state != ROOM_WANTED)
                return;
        if (json_parse(pod_json, &doc, NULL) < 0)
                room->due.ns = now.ns + ROOM_LOOK_AGAIN_NS;
        else if (!read_pod(room, json_doc_root(doc)))
                room->state = ROOM_OVER; /* too late, or nobody will follow */
        else
                try_to_hold(book, room, pod_json, now);
        json_doc_free(doc);
}

/* ---- Evictions ---- */

/* "Required 450s", "BestEffort 1h": how long it is held without a change. */
static bool read_demand(struct slice text, int64_t *ret_patience_ns) {
        struct slice word;

        return slice_split(&text, ' ', &word) && duration_parse(text, ret_patience_ns) &&
               *ret_patience_ns > 0;
}

static void reservation_book_begin(struct reservation_book *book, const struct eviction *eviction,
                                   int64_t patience_ns, struct mono_time now) {
        const struct eviction_object *object = &eviction->object;
        struct room *room = xcalloc(1, sizeof(*room));

        room->uid = slice_dup(object->uid);
        room->ns = slice_dup(object->ns);
        room->eviction = slice_dup(object->name);
        room->pod = slice_dup(object->target_name);
        room->pod_uid = slice_dup(object->target_uid);
        room->patience_ns = patience_ns;
        room->due = now;
        snprintf(room->name, sizeof(room->name), "reserved-%s", room->uid);
        map_put(book->rooms, object->uid, room);
}

void reservation_book_remove(struct reservation_book *book, struct slice eviction_uid) {
        struct room *room = map_remove(book->rooms, eviction_uid);

        if (!room)
                return;
        reservation_book_release(book, room, "end");
        room_free(room);
}

/* The controller takes back that room expired, or was taken: it waits for some. */
static bool asks_again(const struct room *room, const struct eviction *eviction) {
        return room->state == ROOM_OVER && room->is_reported && room->says_none[0] &&
               strcmp(room->says_none, EVICTION_NO_ROOM) != 0 && !eviction->room.len &&
               !eviction->no_room.len;
}

static void want_again(struct room *room, struct mono_time now) {
        room->state = ROOM_WANTED;
        room->due = now;
        room->says_none[0] = '\0';
}

/* A sign of life; and a word of ours that got lost is said again. */
static void reservation_book_renew(struct room *room, const struct eviction *eviction,
                                   struct mono_time now) {
        bool is_said = slice_is(eviction->room, room->says_room) &&
                       slice_is(eviction->no_room, room->says_none);

        if (asks_again(room, eviction)) {
                want_again(room, now);
                return;
        }
        if (room->state == ROOM_IS_HELD)
                room->renewed = now;
        if ((room->says_room[0] || room->says_none[0]) && !room->is_explainer)
                room->has_to_report = !is_said;
}

void reservation_book_put(struct reservation_book *book, const struct json *object,
                          struct mono_time now) {
        struct slice demand = json_get_text(json_get(json_get(object, "metadata"), "annotations"),
                                            EVICTION_RESERVE_KEY);
        struct eviction *eviction = NULL;
        int64_t patience_ns;

        if (eviction_decode(object, &eviction, NULL) < 0)
                return;
        struct room *room = map_get(book->rooms, eviction->object.uid);
        if (eviction->object.is_deleting ||
            eviction_outcome_is_final(eviction->object.conditions.outcome))
                reservation_book_remove(book, eviction->object.uid);
        else if (room)
                reservation_book_renew(room, eviction, now);
        else if (read_demand(demand, &patience_ns))
                reservation_book_begin(book, eviction, patience_ns, now);
        eviction_free(eviction);
}

/* ---- the replacement ---- */

bool reservation_book_arrived(struct reservation_book *book, const struct json *pod) {
        const struct json *meta = json_get(pod, "metadata");
        struct slice owner = controller_of(meta), key;
        struct cluster *cluster = book->config.cluster;
        struct pod_id id;
        void *value;
        size_t at = 0;

        if (json_get_text(json_get(pod, "spec"), "nodeName").len)
                return false;
        while (owner.len && map_next(book->rooms, &at, &key, &value)) {
                struct room *room = value;

                if (room->state != ROOM_IS_HELD || !slice_is(owner, room->owner) ||
                    !slice_is(json_get_text(meta, "namespace"), room->ns))
                        continue;
                id = cluster_find_pod(cluster, slice_of(room->ns), json_get_text(meta, "name"));
                reservation_book_release(book, room, "taken");
                if (!pod_id_is_none(id))
                        cluster_nominate(cluster, id, slice_of(room->node));
                return true;
        }
        return false;
}

/* ---- steps ---- */

static void write_member(struct buf *out, const char *key, const char *value) {
        buf_json_string(out, slice_of(key));
        buf_char(out, ':');
        if (value[0])
                buf_json_string(out, slice_of(value));
        else
                buf_text(out, "null");
}

static void reservation_book_report(struct room *room, struct room_effects *out) {
        struct room_effect *effect = add_effect(out, ROOM_TELL, room->uid);
        struct buf body = { 0 };

        buf_text(&body, "{\"metadata\":{\"annotations\":{");
        write_member(&body, EVICTION_RESERVED_KEY, room->says_room);
        buf_char(&body, ',');
        write_member(&body, EVICTION_NOT_RESERVED_KEY, room->says_none);
        buf_text(&body, "}}}");
        effect->ns = reservation_book_keep(out, room->ns);
        effect->name = reservation_book_keep(out, room->eviction);
        effect->body = arena_slice(&out->arena, buf_view(&body));
        buf_release(&body);
        room->has_to_report = false;
        room->is_explainer = true;
}

void reservation_book_reported(struct reservation_book *book, struct slice eviction_uid,
                               bool is_done, struct mono_time now) {
        struct room *room = map_get(book->rooms, eviction_uid);

        if (!room || !room->is_explainer)
                return;
        room->is_explainer = false;
        room->is_reported = is_done && !room->has_to_report;
        if (is_done)
                return;
        room->has_to_report = true;
        room->report_due.ns = now.ns + ROOM_LOOK_AGAIN_NS;
}

static struct mono_time end_of(const struct room *room) {
        return (struct mono_time){ room->renewed.ns + room->patience_ns };
}

static void step_room(struct reservation_book *book, struct room *room, struct mono_time now,
                      struct room_effects *out) {
        if (room->state == ROOM_IS_HELD && end_of(room).ns <= now.ns)
                reservation_book_release(book, room, "expired");
        if (room->state == ROOM_WANTED && !room->is_reading && room->due.ns <= now.ns) {
                struct room_effect *effect = add_effect(out, ROOM_READ_POD, room->uid);

                effect->ns = reservation_book_keep(out, room->ns);
                effect->name = reservation_book_keep(out, room->pod);
                room->is_reading = true;
        }
        if (room->has_to_report && !room->is_explainer && room->report_due.ns <= now.ns)
                reservation_book_report(room, out);
}

void reservation_book_step(struct reservation_book *book, struct mono_time now,
                           struct room_effects *out) {
        struct slice key;
        void *value;
        size_t at = 0;

        while (map_next(book->rooms, &at, &key, &value))
                step_room(book, value, now, out);
        report_news(book, out);
}

static void reservation_book_consider(struct mono_time due, bool *has_due,
                                      struct mono_time *ret_due) {
        if (!*has_due || due.ns < ret_due->ns)
                *ret_due = due;
        *has_due = true;
}

bool reservation_book_next_due(const struct reservation_book *book, struct mono_time *ret_due) {
        bool has_due = book->news_count > 0;
        struct slice key;
        void *value;
        size_t at = 0;

        if (has_due)
                *ret_due = (struct mono_time){ 0 }; /* long past */
        while (map_next(book->rooms, &at, &key, &value)) {
                const struct room *room = value;

                if (room->state == ROOM_IS_HELD)
                        reservation_book_consider(end_of(room), &has_due, ret_due);
                if (room->state == ROOM_WANTED && !room->is_reading)
                        reservation_book_consider(room->due, &has_due, ret_due);
                if (room->has_to_report && !room->is_explainer)
                        reservation_book_consider(room->report_due, &has_due, ret_due);
        }
        return has_due;
}

/* ---- life ---- */

struct reservation_book *reservation_book_new(const struct reservation_book_config *config) {
        struct reservation_book *book = xcalloc(1, sizeof(*book));

        book->config = *config;
        book->rooms = map_new();
        return book;
}

void reservation_book_free(struct reservation_book *book) {
        struct slice key;
        void *value;
        size_t at = 0;

        if (!book)
                return;
        while (map_next(book->rooms, &at, &key, &value)) {
                reservation_book_release(book, value, "end");
                room_free(value);
        }
        for (size_t i = 0; i < book->news_count; i++)
                news_release(&book->news[i]);
        free(book->news);
        map_free(book->rooms);
        free(book);
}

bool reservation_book_next(const struct reservation_book *book, size_t *at,
                           struct held_room *ret_room) {
        struct slice key;
        void *value;

        while (map_next(book->rooms, at, &key, &value)) {
                const struct room *room = value;

                if (room->state != ROOM_IS_HELD)
                        continue;
                *ret_room = (struct held_room){ .eviction_uid = slice_of(room->uid),
                                                .ns = slice_of(room->ns),
                                                .name = slice_of(room->name),
                                                .node = slice_of(room->node),
                                                .renewed = room->renewed,
                                                .patience_ns = room->patience_ns };
                return true;
        }
        return false;
}

size_t reservation_book_held(const struct reservation_book *book) {
        struct held_room room;
        size_t at = 0, count = 0;

        while (reservation_book_next(book, &at, &room))
                count++;
        return count;
}
