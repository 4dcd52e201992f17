/* People and programs around the role: pods come, requesters want them evicted and withdraw,
 * responders work, delay, decline or stop answering, and pods are deleted meanwhile. */
#include "sim/sim_world_priv.h"

#include "base/util.h"
#include "store/store.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PODS_MIN 4
#define PODS_SPAN 8
#define TICK_MIN_NS (5 * NS_PER_S)
#define TICK_SPAN_NS (90 * NS_PER_S)
#define RESPONDER "mover.example.com/move"
#define REQUESTERS 2

enum behaviour { RESPONDS_NOT, COMPLETES, EVICTS, SILENT, DECLINES, BEHAVIOUR_COUNT };
enum budget { BUDGET_NONE, BUDGET_CLOSED, BUDGET_OPENS_LATE, BUDGET_COUNT };
enum demand { DEMAND_NONE, DEMAND_EVICT, DEMAND_WITHDRAWN };

struct actor {
        struct sim_actors *actors;
        char name[204], uid[64];
        bool is_given; /* of the user's cluster: its budget may never allow an eviction */
        enum behaviour behaviour;
        enum budget budget;
        enum demand demands[REQUESTERS];
        unsigned serials[REQUESTERS], beats_left;
        bool is_staged;                          /* there is a policy for it */
        bool wants_reservation;                  /* for its replacement */
        char owner[64];                          /* uid; of a roomy one */
        char replaced[64];                       /* uid of the one that has its replacement */
        unsigned replacement, replacement_ticks; /* number of it, 0 = none; how long it stays */
        bool was_deleted;                        /* underneath, or by its responder */
        struct loop_timer timer, replacing;
};

struct sim_actors {
        struct sim_world *world;
        struct rng rng;
        struct actor *items;
        size_t count;
        bool is_calm, has_policy;
        unsigned serial;
};

static bool sim_actors_chance(struct sim_actors *actors, unsigned percent) {
        return rng_below(&actors->rng, 100) < percent;
}

static int sim_actors_ask(struct sim_actors *actors, const char *method, const char *path,
                          const char *body) {
        return sim_world_ask(actors->world, method, path, body, NULL);
}

/* ---- pods ---- */

/* uid: a buffer of 64. */
static void read_uid(const struct buf *body, char *uid) {
        struct json_doc *doc = NULL;

        if (json_parse(buf_view(body), &doc, NULL) < 0)
                return;
        snprintf(uid, 64, SLICE_FMT,
                 SLICE_ARG(json_get_text(json_get(json_doc_root(doc), "metadata"), "uid")));
        json_doc_free(doc);
}

/* What stands for a workload, of which nothing is known but that it owns the pod. */
static void create_owner(struct actor *actor) {
        struct buf answer = { 0 };
        char body[300];

        snprintf(body, sizeof(body), "{\"metadata\":{\"name\":\"own-%s\"}}", actor->name);
        if (sim_world_ask(actor->actors->world, "POST", SIM_CONFIG_MAPS, body, &answer) == 201)
                read_uid(&answer, actor->owner);
        buf_release(&answer);
}

#define CONTAINERS                                                                                 \
        "\"containers\":[{\"name\":\"c\",\"image\":\"x\",\"resources\":{\"requests\":{\"cpu\":\"%" \
        "s\"}}"                                                                                    \
        "}]"

/* Name, labels and owner. */
static void write_meta(const struct actor *actor, const char *name, char *text, size_t size) {
        const char *staged = actor->wants_reservation ? "room" : actor->is_staged ? "yes" : "no";
        char owner[700] = "";

        if (actor->owner[0])
                snprintf(owner, sizeof(owner),
                         ",\"ownerReferences\":[{\"apiVersion\":\"v1\",\"kind\":\"ConfigMap\","
                         "\"name\":\"own-%s\",\"uid\":\"%s\",\"controller\":true}]",
                         actor->name, actor->owner);
        snprintf(text, size, "\"name\":\"%s\",\"labels\":{\"app\":\"%s\",\"staged\":\"%s\"}%s",
                 name, actor->name, staged, owner);
}

static void create_pod(struct actor *actor) {
        char body[2600], meta[1600];
        struct buf answer = { 0 };

        write_meta(actor, actor->name, meta, sizeof(meta));
        snprintf(body, sizeof(body),
                 "{\"metadata\":{%s,\"annotations\":{%s}},\"spec\":{\"nodeName\":\"n0\"," CONTAINERS
                 "}}",
                 meta,
                 actor->behaviour == RESPONDS_NOT ? ""
                                                  : "\"" EVICTION_RESPONDERS_KEY "\":\"" RESPONDER
                                                    "=2000\"",
                 actor->wants_reservation ? SIM_ROOM_CPU : "0");
        if (sim_world_ask(actor->actors->world, "POST", SIM_PODS, body, &answer) == 201)
                read_uid(&answer, actor->uid);
        buf_release(&answer);
}

static void create_budget(struct actor *actor) {
        char body[1200];

        snprintf(body, sizeof(body),
                 "{\"metadata\":{\"name\":\"%s\"},\"spec\":{\"minAvailable\":1,\"selector\":{"
                 "\"matchLabels\":{\"app\":\"%s\"}}}}",
                 actor->name, actor->name);
        sim_actors_ask(actor->actors, "POST",
                       "/apis/policy/v1/namespaces/" SIM_NS "/poddisruptionbudgets", body);
}

static void delete_pod(struct actor *actor, bool is_rude) {
        char path[SIM_PATH_MAX];

        snprintf(path, sizeof(path), SIM_PODS "/%s", actor->name);
        sim_actors_ask(actor->actors, "DELETE", path, is_rude ? "{\"gracePeriodSeconds\":0}" : "");
        actor->was_deleted = true;
}

/* ---- replacements ---- */

static void create_replacement(struct actor *actor) {
        char body[2600], meta[1600], name[300];

        actor->replacement = ++actor->actors->serial;
        actor->replacement_ticks = 1 + (unsigned)rng_below(&actor->actors->rng, 3);
        snprintf(actor->replaced, sizeof(actor->replaced), "%s", actor->uid);
        snprintf(name, sizeof(name), "%s-r%u", actor->name, actor->replacement);
        write_meta(actor, name, meta, sizeof(meta));
        snprintf(body, sizeof(body), "{\"metadata\":{%s},\"spec\":{" CONTAINERS "}}", meta,
                 SIM_ROOM_CPU);
        sim_actors_ask(actor->actors, "POST", SIM_PODS, body);
}

static void on_replacing(void *context) {
        struct actor *actor = context;

        if (!actor->replacement && strcmp(actor->replaced, actor->uid) != 0)
                create_replacement(actor);
}

static bool is_on_its_way_out(const struct store_event *event, const char *uid) {
        struct json_doc *doc = NULL;

        if (!event->object || json_parse(store_object_body(event->object), &doc, NULL) < 0)
                return false;
        const struct json *meta = json_get(json_doc_root(doc), "metadata");
        bool is_leaving = slice_is(json_get_text(meta, "uid"), uid) &&
                          (event->type == STORE_DELETED || json_get(meta, "deletionTimestamp"));
        json_doc_free(doc);
        return is_leaving;
}

/* As a workload does: another pod where one goes, which the scheduler places. */
void sim_actors_see_pod(struct sim_actors *actors, const struct store_event *event) {
        for (size_t i = 0; actors && i < actors->count; i++) {
                struct actor *actor = &actors->items[i];

                if (!actor->wants_reservation || !actor->uid[0] ||
                    strcmp(actor->replaced, actor->uid) == 0 ||
                    loop_timer_is_armed(&actor->replacing) || !is_on_its_way_out(event, actor->uid))
                        continue;
                loop_timer_arm(actors->world->loop, &actor->replacing,
                               (int64_t)rng_below(&actors->rng, NS_PER_S));
        }
}

/* It lets others go on after a while. */
static void remove_replacement(struct actor *actor) {
        char path[SIM_PATH_MAX];

        if (!actor->replacement || --actor->replacement_ticks > 0)
                return;
        snprintf(path, sizeof(path), SIM_PODS "/%s-r%u", actor->name, actor->replacement);
        sim_actors_ask(actor->actors, "DELETE", path, "{\"gracePeriodSeconds\":0}");
        actor->replacement = 0;
}

/* ---- requesters ---- */

static void request_path(const struct actor *actor, size_t who, char *path) {
        snprintf(path, SIM_PATH_MAX, SIM_GROUP "/evictionrequests/want-%s-%zu-%u", actor->name, who,
                 actor->serials[who]);
}

static void sim_actors_demand(struct actor *actor, size_t who) {
        struct sim_actors *actors = actor->actors;
        bool is_wrong = sim_actors_chance(actors, 4);
        char body[1200];

        actor->serials[who] = ++actors->serial;
        snprintf(body, sizeof(body),
                 "{\"apiVersion\":\"lifecycle.berth.dev/v1alpha1\",\"kind\":\"EvictionRequest\","
                 "\"metadata\":{\"name\":\"want-%s-%zu-%u\"},\"spec\":{\"target\":{\"pod\":{"
                 "\"name\":\"%s\",\"uid\":\"%s\"}},\"requester\":\"who%zu.example.com/sim\","
                 "\"intent\":\"Eviction\"}}",
                 actor->name, who, actor->serials[who], actor->name,
                 is_wrong ? "00000000-0000-4000-8000-000000000000" : actor->uid, who);
        if (sim_actors_ask(actors, "POST", SIM_GROUP "/evictionrequests", body) == 201)
                actor->demands[who] = DEMAND_EVICT;
}

static void set_intent(struct actor *actor, size_t who, enum demand demand) {
        char path[SIM_PATH_MAX];

        request_path(actor, who, path);
        if (sim_actors_ask(actor->actors, "PATCH", path,
                           demand == DEMAND_EVICT ? "{\"spec\":{\"intent\":\"Eviction\"}}"
                                                  : "{\"spec\":{\"intent\":\"Withdrawn\"}}") == 200)
                actor->demands[who] = demand;
}

static void change_mind(struct actor *actor, size_t who) {
        struct sim_actors *actors = actor->actors;
        char path[SIM_PATH_MAX];

        if (actor->demands[who] == DEMAND_NONE) {
                if (actor->uid[0] && sim_actors_chance(actors, who ? 10 : 50))
                        sim_actors_demand(actor, who);
        } else if (sim_actors_chance(actors, 5)) {
                request_path(actor, who, path);
                sim_actors_ask(actors, "DELETE", path, "");
                actor->demands[who] = DEMAND_NONE;
        } else if (sim_actors_chance(actors, actor->demands[who] == DEMAND_EVICT ? 10 : 40)) {
                set_intent(actor, who,
                           actor->demands[who] == DEMAND_EVICT ? DEMAND_WITHDRAWN : DEMAND_EVICT);
        }
}

/* ---- responders ---- */

static void sim_actors_report(struct actor *actor, struct eviction *eviction, int index,
                              bool is_done) {
        struct eviction_responder *own = &eviction->status.responders[index];
        struct wall_time now = loop_wall(actor->actors->world->loop);
        struct buf body = { 0 };
        char path[SIM_PATH_MAX];

        now.ns = now.ns / 1000 * 1000;
        now.ns = now.ns < own->start.ns ? own->start.ns : now.ns;
        if (wall_time_is_set(own->heartbeat) && now.ns < own->heartbeat.ns)
                now = own->heartbeat;
        own->heartbeat = now;
        own->message = SLICE_LITERAL("moving");
        if (is_done)
                own->completion = now;
        buf_printf(&body, "{\"metadata\":{\"resourceVersion\":\"" SLICE_FMT "\"},\"status\":",
                   SLICE_ARG(eviction->object.version));
        eviction_status_write(&eviction->status, &body);
        buf_text(&body, "}");
        buf_char(&body, '\0');
        snprintf(path, sizeof(path), SIM_GROUP "/evictions/" SLICE_FMT "/status",
                 SLICE_ARG(eviction->object.name));
        sim_actors_ask(actor->actors, "PATCH", path, buf_view(&body).ptr);
        buf_release(&body);
}

static void respond_to(struct actor *actor, struct eviction *eviction) {
        int index = eviction_find_responder(&eviction->status, SLICE_LITERAL(RESPONDER));
        bool is_last = actor->beats_left <= 1;

        if (index < 0 || eviction->status.responders[index].state != RESPONDER_ACTIVE ||
            wall_time_is_set(eviction->status.responders[index].completion) ||
            !slice_is(eviction->object.target_uid, actor->uid) || actor->behaviour == SILENT)
                return;
        if (actor->beats_left == 0)
                actor->beats_left = 1 + (unsigned)rng_below(&actor->actors->rng, 6);
        else
                actor->beats_left--;
        if (actor->behaviour == DECLINES) {
                sim_actors_report(actor, eviction, index, true);
        } else if (actor->behaviour == EVICTS && is_last) {
                delete_pod(actor, false);
        } else {
                sim_actors_report(actor, eviction, index, is_last);
        }
}

static void sim_actors_respond(struct actor *actor) {
        struct json_doc *doc = NULL;
        struct buf body = { 0 };
        const struct json *item;

        if (actor->behaviour == RESPONDS_NOT ||
            sim_world_ask(actor->actors->world, "GET", SIM_GROUP "/evictions", "", &body) != 200 ||
            json_parse(buf_view(&body), &doc, NULL) < 0) {
                buf_release(&body);
                return;
        }
        struct json_iter iter = json_iter(json_get(json_doc_root(doc), "items"));
        while (json_next(&iter, NULL, &item)) {
                struct eviction *eviction = NULL;

                if (eviction_decode(item, &eviction, NULL) == 0)
                        respond_to(actor, eviction);
                eviction_free(eviction);
        }
        json_doc_free(doc);
        buf_release(&body);
}

/* ---- ticks ---- */

#define STAGED_POLICY                                                                              \
        "{\"apiVersion\":\"lifecycle.berth.dev/v1alpha1\",\"kind\":\"EvictionPolicy\","            \
        "\"metadata\":{\"name\":\"%s\"},\"spec\":{\"selector\":{\"matchLabels\":{"                 \
        "\"staged\":\"%s\"}},\"reserve\":\"%s\",\"deadline\":\"%s\",\"stages\":["                  \
        "{\"name\":\"prepare\",\"kind\":\"http\",\"http\":{\"url\":\"https://hook\"}},"            \
        "{\"name\":\"move\",\"kind\":\"http\",\"timeout\":\"3m\",\"onFailure\":\"%s\","            \
        "\"http\":{\"url\":\"https://hook\"}}%s],\"rollback\":["                                   \
        "{\"stage\":\"prepare\",\"http\":{\"url\":\"https://hook\"}}]}}"

static bool create_policy(struct sim_actors *actors, const char *name, const char *label,
                          const char *reserve) {
        static const char *const failures[] = { "Rollback", "Continue", "Decline" };
        const char *deadline = sim_actors_chance(actors, 50) ? "5m" : "1h";
        const char *failure = failures[rng_below(&actors->rng, 3)];
        const char *last =
                sim_actors_chance(actors, 50) ? ",{\"name\":\"evict\",\"kind\":\"evict\"}" : "";
        char text[900];

        snprintf(text, sizeof(text), STAGED_POLICY, name, label, reserve, deadline, failure, last);
        int status = sim_actors_ask(actors, "POST", SIM_GROUP "/evictionpolicies", text);
        return status == 201 || status == 409;
}

/* Once the kind is defined. */
static void create_policies(struct sim_actors *actors) {
        const char *reserve = actors->world->config.seed % 2 ? "Required" : "BestEffort";

        if (!actors->has_policy)
                actors->has_policy = create_policy(actors, "staged", "yes", "None") &&
                                     create_policy(actors, "roomy", "room", reserve);
}

static void sim_actors_tick(void *context) {
        struct actor *actor = context;
        struct sim_actors *actors = actor->actors;

        create_policies(actors);
        loop_timer_arm(actors->world->loop, &actor->timer,
                       TICK_MIN_NS + (int64_t)rng_below(&actors->rng, TICK_SPAN_NS));
        sim_actors_respond(actor);
        remove_replacement(actor);
        if (actors->is_calm)
                return;
        for (size_t who = 0; who < REQUESTERS; who++)
                change_mind(actor, who);
        if (sim_faults_draw(actors->world->faults, SIM_DELETE_POD)) {
                delete_pod(actor, sim_actors_chance(actors, 50));
                if (sim_actors_chance(actors, 40))
                        create_pod(actor); /* fails while the old one is there */
        }
}

static void start_ticking(struct sim_actors *actors, struct actor *actor) {
        actor->timer = (struct loop_timer){ .fired = sim_actors_tick, .context = actor };
        actor->replacing = (struct loop_timer){ .fired = on_replacing, .context = actor };
        loop_timer_arm(actors->world->loop, &actor->timer,
                       TICK_MIN_NS + (int64_t)rng_below(&actors->rng, TICK_SPAN_NS));
}

/* A pod that is there already. */
static void sim_actors_adopt(struct sim_actors *actors, struct actor *actor, const char *name) {
        struct buf answer = { 0 };
        char path[SIM_PATH_MAX];

        actor->actors = actors;
        actor->is_given = true;
        snprintf(actor->name, sizeof(actor->name), "%s", name);
        snprintf(path, sizeof(path), SIM_PODS "/%s", name);
        if (sim_world_ask(actors->world, "GET", path, "", &answer) == 200)
                read_uid(&answer, actor->uid);
        buf_release(&answer);
        start_ticking(actors, actor);
}

static void add_actor(struct sim_actors *actors, struct actor *actor, size_t index) {
        actor->actors = actors;
        snprintf(actor->name, sizeof(actor->name), "p%zu", index);
        if (sim_actors_chance(actors, 45))
                actor->behaviour = (enum behaviour)rng_below(&actors->rng, BEHAVIOUR_COUNT);
        actor->is_staged = sim_actors_chance(actors, 35);
        if (sim_actors_chance(actors, 35))
                actor->budget = (enum budget)rng_below(&actors->rng, BUDGET_COUNT);
        if (actor->budget == BUDGET_CLOSED && actor->behaviour == EVICTS)
                actor->behaviour = COMPLETES;
        if (actor->budget != BUDGET_NONE)
                create_budget(actor);
        actor->wants_reservation = actors->world->reservations && actor->is_staged &&
                                   actor->budget != BUDGET_CLOSED && sim_actors_chance(actors, 60);
        if (actor->wants_reservation)
                create_owner(actor);
        create_pod(actor);
        start_ticking(actors, actor);
}

struct sim_actors *sim_actors_new(struct sim_world *world, unsigned pod_count) {
        struct sim_actors *actors = xcalloc(1, sizeof(*actors));

        actors->world = world;
        rng_init(&actors->rng, world->config.seed ^ 0xac7);
        actors->count = pod_count ? pod_count : PODS_MIN + rng_below(&actors->rng, PODS_SPAN);
        if (world->snapshot_count)
                actors->count = world->snapshot_count;
        actors->items = xcalloc(actors->count, sizeof(actors->items[0]));
        for (size_t i = 0; i < actors->count; i++) {
                if (world->snapshot_count)
                        sim_actors_adopt(actors, &actors->items[i], world->snapshot[i]);
                else
                        add_actor(actors, &actors->items[i], i);
        }
        return actors;
}

void sim_actors_free(struct sim_actors *actors) {
        if (!actors)
                return;
        for (size_t i = 0; i < actors->count; i++) {
                loop_timer_disarm(actors->world->loop, &actors->items[i].timer);
                loop_timer_disarm(actors->world->loop, &actors->items[i].replacing);
        }
        free(actors->items);
        free(actors);
}

void sim_actors_calm(struct sim_actors *actors) {
        char path[SIM_PATH_MAX];

        actors->is_calm = true;
        for (size_t i = 0; i < actors->count; i++) {
                if (actors->items[i].budget != BUDGET_OPENS_LATE)
                        continue;
                snprintf(path, sizeof(path),
                         "/apis/policy/v1/namespaces/" SIM_NS "/poddisruptionbudgets/%s",
                         actors->items[i].name);
                sim_actors_ask(actors, "DELETE", path, "");
        }
}

bool sim_actors_guards(const struct sim_actors *actors, struct slice pod) {
        for (size_t i = 0; actors && i < actors->count; i++)
                if (slice_is(pod, actors->items[i].name))
                        return actors->items[i].budget == BUDGET_CLOSED ||
                               actors->items[i].is_given;
        return false;
}

size_t sim_actors_count(const struct sim_actors *actors) {
        return actors ? actors->count : 0;
}

const char *sim_actors_guarded(const struct sim_actors *actors, size_t index) {
        const struct actor *actor = &actors->items[index];

        return actor->budget == BUDGET_CLOSED && !actor->was_deleted ? actor->name : NULL;
}
