/* Watches Evictions for the reservation ledger, reads pods and writes annotations. */
#include "roles/reservation_controller.h"

#include "base/log.h"
#include "base/util.h"
#include "evict/eviction_reconciler.h"
#include "evict/reservation_ledger.h"
#include "loop/request_kinds.h"
#include "loop/watch_set.h"
#include "plugin/sched_profile.h"
#include "sched/decision.h"
#include <stdio.h>
#include <stdlib.h>

#define KINDS_AGAIN_NS (10 * NS_PER_S)
#define PATH_MAX_BYTES 1024

struct reservation_call { /* under way */
        struct reservation_controller *controller;
        char *uid; /* of the Eviction */
        struct api_request *request;
        struct reservation_call *next, *prev;
};

struct reservation_controller {
        struct reservation_controller_config config;
        const char *group; /* NULL = not found yet */
        struct request_kinds *kinds;
        struct loop_timer look, step;
        struct watch_row *row;
        struct reservation_ledger *ledger;
        struct reservation_effects effects;
        struct reservation_call *calls;
        struct reservation_counts counts;
        struct arena arena; /* of one decision */
};

static void reservation_controller_step(void *context);

static struct mono_time now_of(const struct reservation_controller *controller) {
        return loop_mono(controller->config.loop);
}

/* ---- choosing ---- */

static const struct sched_profile *profile_of(const struct reservation_controller *controller,
                                              struct slice name) {
        for (size_t i = 0; i < controller->config.profile_count; i++)
                if (slice_eq(name, controller->config.profiles[i]->scheduler_name))
                        return controller->config.profiles[i];
        return NULL;
}

static bool reservation_controller_choose(void *context, struct pod_id pod,
                                          struct slice scheduler_name, char *node) {
        struct reservation_controller *controller = context;
        struct cluster *cluster = controller->config.cluster;
        const struct sched_profile *profile = profile_of(controller, scheduler_name);
        struct decision decision;

        if (!profile)
                return false;
        arena_clear(&controller->arena);
        scheduler_decide(
                cluster, profile,
                &(struct decision_request){ .pod = pod, .now = loop_wall(controller->config.loop) },
                &controller->arena, &decision);
        if (decision.outcome != DECISION_PLACED)
                return false;
        snprintf(node, RESERVATION_NODE_MAX, SLICE_FMT,
                 SLICE_ARG(cluster_node_name(cluster, decision.node)));
        return true;
}

/* ---- calls ---- */

static void end_call(struct reservation_call *call) {
        struct reservation_controller *controller = call->controller;

        if (call->prev)
                call->prev->next = call->next;
        else
                controller->calls = call->next;
        if (call->next)
                call->next->prev = call->prev;
        free(call->uid);
        free(call);
}

static void make_call(struct reservation_controller *controller,
                      const struct reservation_effect *effect, const struct api_call *api_call,
                      void (*done)(void *context, const struct api_reply *reply)) {
        struct reservation_call *call = xcalloc(1, sizeof(*call));

        call->controller = controller;
        call->uid = slice_dup(effect->uid);
        call->next = controller->calls;
        if (call->next)
                call->next->prev = call;
        controller->calls = call;
        call->request = transport_call(controller->config.transport, api_call, done, call);
}

static void on_pod(void *context, const struct api_reply *reply) {
        struct reservation_call *call = context;
        struct reservation_controller *controller = call->controller;

        reservation_ledger_read(controller->ledger, slice_of(call->uid),
                                reply->status == 200 ? reply->body : SLICE_EMPTY,
                                now_of(controller));
        end_call(call);
        reservation_controller_step(controller);
}

static void read_pod(struct reservation_controller *controller,
                     const struct reservation_effect *effect) {
        char path[PATH_MAX_BYTES];

        snprintf(path, sizeof(path), "/api/v1/namespaces/" SLICE_FMT "/pods/" SLICE_FMT,
                 SLICE_ARG(effect->ns), SLICE_ARG(effect->name));
        make_call(controller, effect, &(struct api_call){ .path = slice_of(path) }, on_pod);
}

static void on_reported(void *context, const struct api_reply *reply) {
        struct reservation_call *call = context;
        struct reservation_controller *controller = call->controller;

        if (reply->status != 200)
                LOG(LOG_WARN, "ReservationNotWritten", log_text("error", reply->error.text));
        reservation_ledger_reported(controller->ledger, slice_of(call->uid), reply->status == 200,
                                    now_of(controller));
        end_call(call);
        reservation_controller_step(controller);
}

/* The eviction controller waits for it where the policy requires it, and logs it. */
static void reservation_controller_report(struct reservation_controller *controller,
                                          const struct reservation_effect *effect) {
        char path[PATH_MAX_BYTES];

        snprintf(path, sizeof(path),
                 "/apis/%s/" EVICTION_VERSION "/namespaces/" SLICE_FMT "/evictions/" SLICE_FMT,
                 controller->group, SLICE_ARG(effect->ns), SLICE_ARG(effect->name));
        make_call(controller, effect,
                  &(struct api_call){ .method = API_PATCH,
                                      .path = slice_of(path),
                                      .content_type = SLICE_LITERAL("application/merge-patch+json"),
                                      .body = effect->body },
                  on_reported);
}

/* ---- steps ---- */

static void carry_out(struct reservation_controller *controller,
                      const struct reservation_effect *effect) {
        switch (effect->kind) {
        case RESERVATION_READ_POD:
                read_pod(controller, effect);
                break;
        case RESERVATION_REPORT:
                reservation_controller_report(controller, effect);
                break;
        case RESERVATION_MADE:
                controller->counts.held++;
                LOG(LOG_INFO, "CapacityReserved", log_slice("pod", effect->name),
                    log_slice("node", effect->node));
                break;
        case RESERVATION_REFUSED:
                controller->counts.refused++;
                LOG(LOG_INFO, "CapacityNotFound", log_slice("pod", effect->name));
                break;
        case RESERVATION_RELEASED:
                controller->counts.released++;
                controller->counts.expired += slice_is(effect->reason, "expired");
                controller->counts.taken += slice_is(effect->reason, "taken");
                LOG(LOG_INFO, "CapacityReleased", log_slice("pod", effect->name),
                    log_slice("node", effect->node), log_slice("reason", effect->reason));
                break;
        }
}

static void reservation_controller_step(void *context) {
        struct reservation_controller *controller = context;
        struct loop *loop = controller->config.loop;
        uint64_t released = controller->counts.released;
        struct mono_time due;

        reservation_effects_clear(&controller->effects);
        reservation_ledger_step(controller->ledger, now_of(controller), &controller->effects);
        for (size_t i = 0; i < controller->effects.count; i++)
                carry_out(controller, &controller->effects.items[i]);
        loop_timer_disarm(loop, &controller->step);
        if (reservation_ledger_next_due(controller->ledger, &due))
                loop_timer_arm(loop, &controller->step, due.ns - now_of(controller).ns);
        if (controller->counts.released > released)
                controller->config.changed(controller->config.context);
}

static void on_changed(void *context, enum reflector_change change, const struct json *object) {
        struct reservation_controller *controller = context;

        if (change == REFLECTOR_DELETED)
                reservation_ledger_remove(controller->ledger,
                                          json_get_text(json_get(object, "metadata"), "uid"));
        else
                reservation_ledger_put(controller->ledger, object, now_of(controller));
        reservation_controller_step(controller);
}

void reservation_controller_arrived(struct reservation_controller *controller,
                                    enum object_kind kind, enum change_kind change,
                                    struct arrival *arrival) {
        if (kind != OBJECT_POD || change != CHANGE_ADDED || arrival_node(arrival).len ||
            !reservation_ledger_arrived(controller->ledger, arrival_value(arrival)))
                return;
        loop_timer_disarm(controller->config.loop, &controller->step);
        loop_timer_arm(controller->config.loop, &controller->step, 0);
}

const struct reservation_ledger *reservation_controller_ledger(
        const struct reservation_controller *controller) {
        return controller->ledger;
}

struct reservation_counts reservation_controller_counts(
        const struct reservation_controller *controller) {
        return controller->counts;
}

/* ---- discovery ---- */

static void reservation_controller_follow(struct reservation_controller *controller,
                                          const char *group) {
        static const struct reflector_events events = { .changed = on_changed };
        char path[PATH_MAX_BYTES];

        controller->group = group;
        snprintf(path, sizeof(path), "/apis/%s/" EVICTION_VERSION "/evictions", group);
        controller->row = watch_set_add(controller->config.watches,
                                        &(struct watch_request){ .path = path,
                                                                 .seed = 1,
                                                                 .trouble = WATCH_QUIET,
                                                                 .events = &events,
                                                                 .context = controller });
}

static void on_kinds(void *context, enum evict_kinds kinds, const struct err *failure) {
        struct reservation_controller *controller = context;

        (void)failure; /* it is logged */
        if (kinds == EVICT_KINDS_NATIVE || kinds == EVICT_KINDS_OWN)
                reservation_controller_follow(controller, kinds == EVICT_KINDS_NATIVE
                                                                  ? EVICTION_GROUP_NATIVE
                                                                  : EVICTION_GROUP_OWN);
        else
                loop_timer_arm(controller->config.loop, &controller->look, KINDS_AGAIN_NS);
}

static void reservation_controller_look(void *context) {
        request_kinds_look(((struct reservation_controller *)context)->kinds);
}

/* ---- life ---- */

struct reservation_controller *reservation_controller_new(
        const struct reservation_controller_config *config) {
        struct reservation_controller *controller = xcalloc(1, sizeof(*controller));

        controller->config = *config;
        controller->ledger = reservation_ledger_new(
                &(struct reservation_ledger_config){ .cluster = config->cluster,
                                                     .choose = reservation_controller_choose,
                                                     .context = controller });
        controller->look =
                (struct loop_timer){ .fired = reservation_controller_look, .context = controller };
        controller->step =
                (struct loop_timer){ .fired = reservation_controller_step, .context = controller };
        arena_init(&controller->arena, 0);
        reservation_effects_init(&controller->effects);
        controller->kinds =
                request_kinds_new(&(struct request_kinds_config){ .transport = config->transport,
                                                                  .loop = config->loop,
                                                                  .patience_ns = INT64_MAX,
                                                                  .found = on_kinds,
                                                                  .context = controller });
        loop_timer_arm(config->loop, &controller->look, 0);
        return controller;
}

void reservation_controller_free(struct reservation_controller *controller) {
        if (!controller)
                return;
        loop_timer_disarm(controller->config.loop, &controller->look);
        loop_timer_disarm(controller->config.loop, &controller->step);
        request_kinds_free(controller->kinds);
        watch_set_remove(controller->config.watches, controller->row);
        while (controller->calls) {
                transport_cancel(controller->config.transport, controller->calls->request);
                end_call(controller->calls);
        }
        reservation_ledger_free(controller->ledger);
        reservation_effects_release(&controller->effects);
        arena_release(&controller->arena);
        free(controller);
}
