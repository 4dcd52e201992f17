/* Follows Evictions that want room, and holds it in the model. */
#include "run/reservation_keeper.h"

#include "base/log.h"
#include "base/map.h"
#include "base/util.h"
#include "client/reflector.h"
#include "evict/eviction_reconciler.h"
#include "plugin/sched_profile.h"
#include "run/reservation_pod.h"
#include "sched/decision.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LOOK_AGAIN_NS (10 * NS_PER_S) /* for the kinds, and for room that was not found */
#define PATH_MAX_BYTES 1024

enum room_state { WANTED, HELD, OVER };

struct held_room {
        struct reservation_keeper *keeper;
        char *ns, *eviction, *pod, *pod_uid;
        char owner[64], scheduler[254], name[128], node[254];
        enum room_state state;
        int64_t patience_ns;
        struct api_request *call;
        struct loop_timer timer; /* WANTED: looks again; HELD: nothing changed for too long */
};

struct reservation_keeper {
        struct reservation_keeper_config config;
        const char *group; /* NULL = not found yet */
        struct api_request *discovery;
        struct loop_timer look;
        struct reflector *reflector;
        struct map *reservations; /* uid of the Eviction -> held_room */
        struct arena arena;       /* of one decision */
};

/* ---- holding ---- */

static void release(struct held_room *room, const char *why) {
        struct reservation_keeper *keeper = room->keeper;
        bool was_held = room->state == HELD;

        loop_timer_disarm(keeper->config.loop, &room->timer);
        if (room->call)
                transport_cancel(keeper->config.transport, room->call);
        room->call = NULL;
        room->state = OVER;
        if (!was_held)
                return;
        cluster_remove_pod(keeper->config.cluster, slice_of(room->ns), slice_of(room->name));
        LOG(LOG_INFO, "RoomReleased", log_text("pod", room->pod), log_text("node", room->node),
            log_text("reason", why));
}

static void room_free(struct held_room *room) {
        release(room, "end");
        free(room->ns);
        free(room->eviction);
        free(room->pod);
        free(room->pod_uid);
        free(room);
}

static const struct sched_profile *profile_of(const struct reservation_keeper *keeper,
                                              const char *name) {
        for (size_t i = 0; i < keeper->config.profile_count; i++)
                if (slice_is(keeper->config.profiles[i]->scheduler_name, name))
                        return keeper->config.profiles[i];
        return NULL;
}

/* Chooses as the scheduler would, and stays with it. */
static bool take_room(struct held_room *room) {
        struct reservation_keeper *keeper = room->keeper;
        struct cluster *cluster = keeper->config.cluster;
        const struct sched_profile *profile = profile_of(keeper, room->scheduler);
        struct pod_id id = cluster_find_pod(cluster, slice_of(room->ns), slice_of(room->name));
        struct decision decision;
        struct slice node;

        if (!profile || pod_id_is_none(id))
                return false;
        arena_clear(&keeper->arena);
        scheduler_decide(
                cluster, profile,
                &(struct decision_request){ .pod = id, .now = loop_wall(keeper->config.loop) },
                &keeper->arena, &decision);
        if (decision.outcome != DECISION_PLACED)
                return false;
        node = cluster_node_name(cluster, decision.node);
        snprintf(room->node, sizeof(room->node), SLICE_FMT, SLICE_ARG(node));
        cluster_nominate(cluster, id, slice_of(room->node));
        return true;
}

static void on_told(void *context, const struct api_reply *reply) {
        struct held_room *room = context;

        room->call = NULL;
        if (reply->status != 200)
                LOG(LOG_WARN, "RoomNotTold", log_text("pod", room->pod),
                    log_text("error", reply->error.text));
}

/* The controller waits for it where the policy requires room. */
static void tell(struct held_room *room) {
        struct reservation_keeper *keeper = room->keeper;
        struct buf body = { 0 };
        char path[PATH_MAX_BYTES];

        snprintf(path, sizeof(path), "/apis/%s/" EVICTION_VERSION "/namespaces/%s/evictions/%s",
                 keeper->group, room->ns, room->eviction);
        buf_printf(&body, "{\"metadata\":{\"annotations\":{\"" EVICTION_RESERVED_KEY "\":\"%s\"}}}",
                   room->node);
        room->call = transport_call(
                keeper->config.transport,
                &(struct api_call){ .method = API_PATCH,
                                    .path = slice_of(path),
                                    .content_type = SLICE_LITERAL("application/merge-patch+json"),
                                    .body = buf_view(&body) },
                on_told, room);
        buf_release(&body);
}

static void look_again(struct held_room *room) {
        loop_timer_arm(room->keeper->config.loop, &room->timer, LOOK_AGAIN_NS);
}

static void read_owner(struct held_room *room, const struct json *pod) {
        struct json_iter iter = json_iter(json_get(json_get(pod, "metadata"), "ownerReferences"));
        const struct json *owner;

        room->owner[0] = '\0';
        while (json_next(&iter, NULL, &owner))
                if (json_get_bool(owner, "controller", false))
                        snprintf(room->owner, sizeof(room->owner), SLICE_FMT,
                                 SLICE_ARG(json_get_text(owner, "uid")));
        snprintf(room->scheduler, sizeof(room->scheduler), SLICE_FMT,
                 SLICE_ARG(json_get_text(json_get(pod, "spec"), "schedulerName")));
}

/* Puts the pod that holds the room into the model; it stays when there is room. */
static bool hold(struct held_room *room, struct slice pod_json) {
        struct reservation_keeper *keeper = room->keeper;
        struct json_doc *doc = NULL;
        struct buf text = { 0 };
        bool is_held;

        reservation_pod_write(pod_json, slice_of(room->name), &text);
        is_held = json_parse(buf_view(&text), &doc, NULL) == 0 &&
                  cluster_apply(keeper->config.cluster, OBJECT_POD, CHANGE_ADDED,
                                json_doc_root(doc), NULL) == 0;
        json_doc_free(doc);
        buf_release(&text);
        if (!is_held)
                return false;
        if (take_room(room))
                return true;
        cluster_remove_pod(keeper->config.cluster, slice_of(room->ns), slice_of(room->name));
        return false;
}

static void on_pod(void *context, const struct api_reply *reply) {
        struct held_room *room = context;
        struct json_doc *doc = NULL;
        const struct json *meta;

        room->call = NULL;
        if (reply->status != 200 || json_parse(reply->body, &doc, NULL) < 0) {
                look_again(room);
                return;
        }
        meta = json_get(json_doc_root(doc), "metadata");
        read_owner(room, json_doc_root(doc));
        if (!slice_is(json_get_text(meta, "uid"), room->pod_uid) ||
            json_get_text(meta, "deletionTimestamp").len || !room->owner[0]) {
                room->state = OVER; /* too late, or nobody will follow */
        } else if (hold(room, reply->body)) {
                room->state = HELD;
                loop_timer_arm(room->keeper->config.loop, &room->timer, room->patience_ns);
                LOG(LOG_INFO, "RoomHeld", log_text("pod", room->pod), log_text("node", room->node));
                tell(room);
        } else {
                LOG(LOG_INFO, "NoRoom", log_text("pod", room->pod));
                look_again(room);
        }
        json_doc_free(doc);
}

static void on_timer(void *context) {
        struct held_room *room = context;
        struct reservation_keeper *keeper = room->keeper;
        char path[PATH_MAX_BYTES];

        if (room->state == HELD) {
                release(room, "expired");
                keeper->config.changed(keeper->config.context);
                return;
        }
        snprintf(path, sizeof(path), "/api/v1/namespaces/%s/pods/%s", room->ns, room->pod);
        room->call = transport_call(keeper->config.transport,
                                    &(struct api_call){ .path = slice_of(path) }, on_pod, room);
}

/* ---- Evictions ---- */

/* "Required 450s", "BestEffort 1h": how long it is held without a change. */
static bool read_wish(struct slice text, int64_t *ret_patience_ns) {
        struct slice word;

        return slice_split(&text, ' ', &word) && duration_parse(text, ret_patience_ns) &&
               *ret_patience_ns > 0;
}

static void begin(struct reservation_keeper *keeper, const struct eviction *eviction,
                  int64_t patience_ns) {
        const struct eviction_object *object = &eviction->object;
        struct held_room *room = xcalloc(1, sizeof(*room));

        room->keeper = keeper;
        room->ns = slice_dup(object->ns);
        room->eviction = slice_dup(object->name);
        room->pod = slice_dup(object->target_name);
        room->pod_uid = slice_dup(object->target_uid);
        room->patience_ns = patience_ns;
        snprintf(room->name, sizeof(room->name), "reserved-" SLICE_FMT, SLICE_ARG(object->uid));
        room->timer = (struct loop_timer){ .fired = on_timer, .context = room };
        map_put(keeper->reservations, object->uid, room);
        loop_timer_arm(keeper->config.loop, &room->timer, 0);
}

static void end(struct reservation_keeper *keeper, struct slice uid) {
        struct held_room *room = map_remove(keeper->reservations, uid);
        bool was_held = room && room->state == HELD;

        if (room)
                room_free(room);
        if (was_held)
                keeper->config.changed(keeper->config.context);
}

static void on_changed(void *context, enum reflector_change change, const struct json *object) {
        struct reservation_keeper *keeper = context;
        struct slice wish = json_get_text(json_get(json_get(object, "metadata"), "annotations"),
                                          EVICTION_RESERVE_KEY);
        struct eviction *eviction = NULL;
        struct held_room *room;
        int64_t patience_ns;

        if (eviction_decode(object, &eviction, NULL) < 0)
                return;
        room = map_get(keeper->reservations, eviction->object.uid);
        if (change == REFLECTOR_DELETED || eviction->object.is_deleting ||
            eviction_outcome_is_final(eviction->object.conditions.outcome))
                end(keeper, eviction->object.uid);
        else if (!room && read_wish(wish, &patience_ns))
                begin(keeper, eviction, patience_ns);
        else if (room && room->state == HELD)
                loop_timer_arm(keeper->config.loop, &room->timer, room->patience_ns);
        eviction_free(eviction);
}

/* ---- the replacement ---- */

static struct slice controller_of(const struct json *meta) {
        struct json_iter iter = json_iter(json_get(meta, "ownerReferences"));
        const struct json *owner;

        while (json_next(&iter, NULL, &owner))
                if (json_get_bool(owner, "controller", false))
                        return json_get_text(owner, "uid");
        return SLICE_EMPTY;
}

void reservation_keeper_arrived(struct reservation_keeper *keeper, enum object_kind kind,
                                enum change_kind change, const struct json *object) {
        const struct json *meta = json_get(object, "metadata");
        struct slice owner, key;
        struct pod_id id;
        void *value;
        size_t at = 0;

        if (kind != OBJECT_POD || change != CHANGE_ADDED || map_count(keeper->reservations) == 0 ||
            json_get_text(json_get(object, "spec"), "nodeName").len)
                return;
        owner = controller_of(meta);
        while (owner.len && map_next(keeper->reservations, &at, &key, &value)) {
                struct held_room *room = value;

                if (room->state != HELD || !slice_is(owner, room->owner) ||
                    !slice_is(json_get_text(meta, "namespace"), room->ns))
                        continue;
                id = cluster_find_pod(keeper->config.cluster, slice_of(room->ns),
                                      json_get_text(meta, "name"));
                release(room, "taken");
                if (!pod_id_is_none(id))
                        cluster_nominate(keeper->config.cluster, id, slice_of(room->node));
                return;
        }
}

size_t reservation_keeper_held(const struct reservation_keeper *keeper) {
        struct slice key;
        void *value;
        size_t at = 0, count = 0;

        while (map_next(keeper->reservations, &at, &key, &value))
                count += ((struct held_room *)value)->state == HELD;
        return count;
}

/* ---- discovery ---- */

static void follow(struct reservation_keeper *keeper, const char *group) {
        static const struct reflector_events events = { .changed = on_changed };
        char path[PATH_MAX_BYTES];

        keeper->group = group;
        snprintf(path, sizeof(path), "/apis/%s/" EVICTION_VERSION "/evictions", group);
        keeper->reflector =
                reflector_new(&(struct reflector_config){ .path = path, .seed = 1 },
                              keeper->config.transport, keeper->config.loop, &events, keeper);
}

static bool lists_evictions(const struct api_reply *reply) {
        return reply->status == 200 &&
               slice_contains(reply->body, SLICE_LITERAL("\"evictionrequests\""));
}

static void on_own(void *context, const struct api_reply *reply) {
        struct reservation_keeper *keeper = context;

        keeper->discovery = NULL;
        if (lists_evictions(reply))
                follow(keeper, EVICTION_GROUP_OWN);
        else
                loop_timer_arm(keeper->config.loop, &keeper->look, LOOK_AGAIN_NS);
}

static void ask_for(struct reservation_keeper *keeper, const char *path,
                    void (*done)(void *context, const struct api_reply *reply)) {
        keeper->discovery =
                transport_call(keeper->config.transport,
                               &(struct api_call){ .path = slice_of(path) }, done, keeper);
}

static void on_native(void *context, const struct api_reply *reply) {
        struct reservation_keeper *keeper = context;

        keeper->discovery = NULL;
        if (lists_evictions(reply))
                follow(keeper, EVICTION_GROUP_NATIVE);
        else
                ask_for(keeper, "/apis/" EVICTION_GROUP_OWN "/" EVICTION_VERSION, on_own);
}

static void look(void *context) {
        ask_for(context, "/apis/" EVICTION_GROUP_NATIVE "/" EVICTION_VERSION, on_native);
}

/* ---- life ---- */

struct reservation_keeper *reservation_keeper_new(const struct reservation_keeper_config *config) {
        struct reservation_keeper *keeper = xcalloc(1, sizeof(*keeper));

        keeper->config = *config;
        keeper->reservations = map_new();
        keeper->look = (struct loop_timer){ .fired = look, .context = keeper };
        arena_init(&keeper->arena, 0);
        loop_timer_arm(config->loop, &keeper->look, 0);
        return keeper;
}

void reservation_keeper_free(struct reservation_keeper *keeper) {
        struct slice key;
        void *value;
        size_t at = 0;

        if (!keeper)
                return;
        loop_timer_disarm(keeper->config.loop, &keeper->look);
        if (keeper->discovery)
                transport_cancel(keeper->config.transport, keeper->discovery);
        reflector_free(keeper->reflector);
        while (map_next(keeper->reservations, &at, &key, &value))
                room_free(value);
        map_free(keeper->reservations);
        arena_release(&keeper->arena);
        free(keeper);
}
