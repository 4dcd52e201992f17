/* Follows Evictions for the book of reservations, reads pods and writes what it says. */
#include "roles/reservation_keeper.h"

#include "base/log.h"
#include "base/util.h"
#include "evict/eviction_reconciler.h"
#include "evict/reservation_book.h"
#include "loop/watch_set.h"
#include "plugin/sched_profile.h"
#include "sched/decision.h"
#include <stdio.h>
#include <stdlib.h>

#define KINDS_AGAIN_NS (10 * NS_PER_S)
#define PATH_MAX_BYTES 1024

struct room_call { /* under way */
        struct reservation_keeper *keeper;
        char *uid; /* of the Eviction */
        struct api_request *request;
        struct room_call *next, *prev;
};

struct reservation_keeper {
        struct reservation_keeper_config config;
        const char *group; /* NULL = not found yet */
        struct api_request *discovery;
        struct loop_timer look, step;
        struct watch_row *row;
        struct reservation_book *book;
        struct room_effects effects;
        struct room_call *calls;
        struct reservation_counts counts;
        struct arena arena; /* of one decision */
};

static void reservation_keeper_step(void *context);

static struct mono_time now_of(const struct reservation_keeper *keeper) {
        return loop_mono(keeper->config.loop);
}

/* ---- choosing ---- */

static const struct sched_profile *profile_of(const struct reservation_keeper *keeper,
                                              struct slice name) {
        for (size_t i = 0; i < keeper->config.profile_count; i++)
                if (slice_eq(name, keeper->config.profiles[i]->scheduler_name))
                        return keeper->config.profiles[i];
        return NULL;
}

static bool reservation_keeper_choose(void *context, struct pod_id pod, struct slice scheduler_name,
                                      char *node) {
        struct reservation_keeper *keeper = context;
        struct cluster *cluster = keeper->config.cluster;
        const struct sched_profile *profile = profile_of(keeper, scheduler_name);
        struct decision decision;

        if (!profile)
                return false;
        arena_clear(&keeper->arena);
        scheduler_decide(
                cluster, profile,
                &(struct decision_request){ .pod = pod, .now = loop_wall(keeper->config.loop) },
                &keeper->arena, &decision);
        if (decision.outcome != DECISION_PLACED)
                return false;
        snprintf(node, ROOM_NODE_MAX, SLICE_FMT,
                 SLICE_ARG(cluster_node_name(cluster, decision.node)));
        return true;
}

/* ---- calls ---- */

static void end_call(struct room_call *call) {
        struct reservation_keeper *keeper = call->keeper;

        if (call->prev)
                call->prev->next = call->next;
        else
                keeper->calls = call->next;
        if (call->next)
                call->next->prev = call->prev;
        free(call->uid);
        free(call);
}

static void make_call(struct reservation_keeper *keeper, const struct room_effect *effect,
                      const struct api_call *api_call,
                      void (*done)(void *context, const struct api_reply *reply)) {
        struct room_call *call = xcalloc(1, sizeof(*call));

        call->keeper = keeper;
        call->uid = slice_dup(effect->uid);
        call->next = keeper->calls;
        if (call->next)
                call->next->prev = call;
        keeper->calls = call;
        call->request = transport_call(keeper->config.transport, api_call, done, call);
}

static void on_pod(void *context, const struct api_reply *reply) {
        struct room_call *call = context;
        struct reservation_keeper *keeper = call->keeper;

        reservation_book_read(keeper->book, slice_of(call->uid),
                              reply->status == 200 ? reply->body : SLICE_EMPTY, now_of(keeper));
        end_call(call);
        reservation_keeper_step(keeper);
}

static void read_pod(struct reservation_keeper *keeper, const struct room_effect *effect) {
        char path[PATH_MAX_BYTES];

        snprintf(path, sizeof(path), "/api/v1/namespaces/" SLICE_FMT "/pods/" SLICE_FMT,
                 SLICE_ARG(effect->ns), SLICE_ARG(effect->name));
        make_call(keeper, effect, &(struct api_call){ .path = slice_of(path) }, on_pod);
}

static void on_reported(void *context, const struct api_reply *reply) {
        struct room_call *call = context;
        struct reservation_keeper *keeper = call->keeper;

        if (reply->status != 200)
                LOG(LOG_WARN, "ReservationNotWritten", log_text("error", reply->error.text));
        reservation_book_reported(keeper->book, slice_of(call->uid), reply->status == 200,
                                  now_of(keeper));
        end_call(call);
        reservation_keeper_step(keeper);
}

/* The controller waits for it where the policy requires room, and has it in the trail. */
static void reservation_keeper_report(struct reservation_keeper *keeper,
                                      const struct room_effect *effect) {
        char path[PATH_MAX_BYTES];

        snprintf(path, sizeof(path),
                 "/apis/%s/" EVICTION_VERSION "/namespaces/" SLICE_FMT "/evictions/" SLICE_FMT,
                 keeper->group, SLICE_ARG(effect->ns), SLICE_ARG(effect->name));
        make_call(keeper, effect,
                  &(struct api_call){ .method = API_PATCH,
                                      .path = slice_of(path),
                                      .content_type = SLICE_LITERAL("application/merge-patch+json"),
                                      .body = effect->body },
                  on_reported);
}

/* ---- steps ---- */

static void carry_out(struct reservation_keeper *keeper, const struct room_effect *effect) {
        switch (effect->kind) {
        case ROOM_READ_POD:
                read_pod(keeper, effect);
                break;
        case ROOM_TELL:
                reservation_keeper_report(keeper, effect);
                break;
        case ROOM_HELD:
                keeper->counts.held++;
                LOG(LOG_INFO, "CapacityReserved", log_slice("pod", effect->name),
                    log_slice("node", effect->node));
                break;
        case ROOM_NONE:
                keeper->counts.refused++;
                LOG(LOG_INFO, "CapacityNotFound", log_slice("pod", effect->name));
                break;
        case ROOM_RELEASED:
                keeper->counts.released++;
                keeper->counts.expired += slice_is(effect->reason, "expired");
                keeper->counts.taken += slice_is(effect->reason, "taken");
                LOG(LOG_INFO, "CapacityReleased", log_slice("pod", effect->name),
                    log_slice("node", effect->node), log_slice("reason", effect->reason));
                break;
        }
}

static void reservation_keeper_step(void *context) {
        struct reservation_keeper *keeper = context;
        struct loop *loop = keeper->config.loop;
        uint64_t released = keeper->counts.released;
        struct mono_time due;

        room_effects_clear(&keeper->effects);
        reservation_book_step(keeper->book, now_of(keeper), &keeper->effects);
        for (size_t i = 0; i < keeper->effects.count; i++)
                carry_out(keeper, &keeper->effects.items[i]);
        loop_timer_disarm(loop, &keeper->step);
        if (reservation_book_next_due(keeper->book, &due))
                loop_timer_arm(loop, &keeper->step, due.ns - now_of(keeper).ns);
        if (keeper->counts.released > released)
                keeper->config.changed(keeper->config.context);
}

static void on_changed(void *context, enum reflector_change change, const struct json *object) {
        struct reservation_keeper *keeper = context;

        if (change == REFLECTOR_DELETED)
                reservation_book_remove(keeper->book,
                                        json_get_text(json_get(object, "metadata"), "uid"));
        else
                reservation_book_put(keeper->book, object, now_of(keeper));
        reservation_keeper_step(keeper);
}

void reservation_keeper_arrived(struct reservation_keeper *keeper, enum object_kind kind,
                                enum change_kind change, const struct json *object) {
        if (kind != OBJECT_POD || change != CHANGE_ADDED ||
            !reservation_book_arrived(keeper->book, object))
                return;
        loop_timer_disarm(keeper->config.loop, &keeper->step);
        loop_timer_arm(keeper->config.loop, &keeper->step, 0);
}

const struct reservation_book *reservation_keeper_book(const struct reservation_keeper *keeper) {
        return keeper->book;
}

struct reservation_counts reservation_keeper_counts(const struct reservation_keeper *keeper) {
        return keeper->counts;
}

/* ---- discovery ---- */

static void reservation_keeper_follow(struct reservation_keeper *keeper, const char *group) {
        static const struct reflector_events events = { .changed = on_changed };
        char path[PATH_MAX_BYTES];

        keeper->group = group;
        snprintf(path, sizeof(path), "/apis/%s/" EVICTION_VERSION "/evictions", group);
        keeper->row = watch_set_add(keeper->config.watches,
                                    &(struct watch_request){ .path = path,
                                                             .seed = 1,
                                                             .trouble = WATCH_QUIET,
                                                             .events = &events,
                                                             .context = keeper });
}

static bool lists_evictions(const struct api_reply *reply) {
        return reply->status == 200 &&
               slice_contains(reply->body, SLICE_LITERAL("\"evictionrequests\""));
}

static void on_own(void *context, const struct api_reply *reply) {
        struct reservation_keeper *keeper = context;

        keeper->discovery = NULL;
        if (lists_evictions(reply))
                reservation_keeper_follow(keeper, EVICTION_GROUP_OWN);
        else
                loop_timer_arm(keeper->config.loop, &keeper->look, KINDS_AGAIN_NS);
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
                reservation_keeper_follow(keeper, EVICTION_GROUP_NATIVE);
        else
                ask_for(keeper, "/apis/" EVICTION_GROUP_OWN "/" EVICTION_VERSION, on_own);
}

static void reservation_keeper_look(void *context) {
        ask_for(context, "/apis/" EVICTION_GROUP_NATIVE "/" EVICTION_VERSION, on_native);
}

/* ---- life ---- */

struct reservation_keeper *reservation_keeper_new(const struct reservation_keeper_config *config) {
        struct reservation_keeper *keeper = xcalloc(1, sizeof(*keeper));

        keeper->config = *config;
        keeper->book = reservation_book_new(
                &(struct reservation_book_config){ .cluster = config->cluster,
                                                   .choose = reservation_keeper_choose,
                                                   .context = keeper });
        keeper->look = (struct loop_timer){ .fired = reservation_keeper_look, .context = keeper };
        keeper->step = (struct loop_timer){ .fired = reservation_keeper_step, .context = keeper };
        arena_init(&keeper->arena, 0);
        room_effects_init(&keeper->effects);
        loop_timer_arm(config->loop, &keeper->look, 0);
        return keeper;
}

void reservation_keeper_free(struct reservation_keeper *keeper) {
        if (!keeper)
                return;
        loop_timer_disarm(keeper->config.loop, &keeper->look);
        loop_timer_disarm(keeper->config.loop, &keeper->step);
        if (keeper->discovery)
                transport_cancel(keeper->config.transport, keeper->discovery);
        watch_set_remove(keeper->config.watches, keeper->row);
        while (keeper->calls) {
                transport_cancel(keeper->config.transport, keeper->calls->request);
                end_call(keeper->calls);
        }
        reservation_book_free(keeper->book);
        room_effects_release(&keeper->effects);
        arena_release(&keeper->arena);
        free(keeper);
}
