/* What the role of evictions follows, and who of several controllers reconciles. */
#include "base/log.h"
#include "base/util.h"
#include "roles/evictions_role_priv.h"
#include <stdio.h>

#define KUBEVIRT_AGAIN_NS NS_PER_S

/* ---- who reconciles ---- */

static void set_controller(struct evictions_role *role, bool is_controller) {
        role->is_controller = is_controller;
        eviction_reconciler_set_controller(role->reconciler, is_controller);
        evictions_write_audit(role,
                              &(struct audit_record){ .op = SLICE_LITERAL("takeover"),
                                                      .to = slice_of(evictions_mode_name(role)) });
        LOG(LOG_INFO, "TakeOver", log_text("mode", evictions_mode_name(role)));
        evictions_step_soon(role);
}

void evictions_take_over(void *context) {
        struct evictions_role *role = context;

        if (!role->has_stepped_down && !role->is_controller)
                set_controller(role, true);
}

/* The reconciling process writes the status of requests. */
static bool has_foreign_manager(const struct json *object) {
        struct json_iter iter = json_iter(json_get(json_get(object, "metadata"), "managedFields"));
        const struct json *entry;

        while (json_next(&iter, NULL, &entry))
                if (slice_is(json_get_text(entry, "subresource"), "status") &&
                    !slice_is(json_get_text(entry, "manager"), EVICTION_MANAGER))
                        return true;
        return false;
}

/* Native objects: a request that no controller reconciles for a while makes us the controller; one
 * that another controller reconciles makes us step down, permanently. */
static void judge_authority(struct evictions_role *role, const struct json *request) {
        if (evictions_is_native(role) && role->config.mode == EVICTIONS_NATIVE_OWN &&
            !role->has_logged_foreign && has_foreign_manager(request)) {
                role->has_logged_foreign = true;
                LOG(LOG_WARN, "ForeignController",
                    log_text("error", "another program writes the status of EvictionRequests, too: "
                                      "stop it, or use --mode auto or native-foreign"));
        }
        if (!evictions_is_native(role) || role->config.mode != EVICTIONS_AUTO ||
            role->has_stepped_down)
                return;
        if (has_foreign_manager(request)) {
                role->has_stepped_down = true;
                loop_timer_disarm(role->loop, &role->take_over_timer);
                if (role->is_controller)
                        set_controller(role, false);
        } else if (!role->is_controller && !loop_timer_is_armed(&role->take_over_timer)) {
                loop_timer_arm(role->loop, &role->take_over_timer, EVICTIONS_TAKE_OVER_NS);
        }
}

/* ---- watches ---- */

static void remove_object(struct evictions_role *role, enum followed followed,
                          const struct json *meta) {
        static void (*const removers[FOLLOWED_COUNT])(struct eviction_reconciler *, struct slice,
                                                      struct slice, struct slice) = {
                [FOLLOWED_REQUESTS] = eviction_reconciler_remove_request,
                [FOLLOWED_EVICTIONS] = eviction_reconciler_remove_eviction,
                [FOLLOWED_POLICIES] = eviction_reconciler_remove_policy,
        };

        removers[followed](role->reconciler, json_get_text(meta, "namespace"),
                           json_get_text(meta, "name"), json_get_text(meta, "uid"));
}

static void on_changed(void *context, enum reflector_change change, const struct json *object) {
        static int (*const putters[FOLLOWED_COUNT])(struct eviction_reconciler *,
                                                    const struct json *, struct err *) = {
                [FOLLOWED_REQUESTS] = eviction_reconciler_put_request,
                [FOLLOWED_EVICTIONS] = eviction_reconciler_put_eviction,
                [FOLLOWED_POLICIES] = eviction_reconciler_put_policy,
        };
        struct feed_line *line = context;
        struct evictions_role *role = line->role;
        const struct json *meta = json_get(object, "metadata");
        struct err err = { 0 };

        if (change == REFLECTOR_DELETED) {
                remove_object(role, line->followed, meta);
        } else if (putters[line->followed](role->reconciler, object, &err) < 0) {
                role->skipped++;
                LOG(LOG_WARN, "ObjectSkipped", log_slice("name", json_get_text(meta, "name")),
                    log_text("error", err.text));
        } else if (line->followed == FOLLOWED_REQUESTS) {
                judge_authority(role, object);
        }
        evictions_step_soon(role);
}

/* Policies come last, and may not be served. */
static size_t followed_count(const struct evictions_role *role) {
        return role->has_policies ? FOLLOWED_COUNT : FOLLOWED_POLICIES;
}

static void on_synced(void *context) {
        struct evictions_role *role = ((struct feed_line *)context)->role;

        if (!role->is_started && watch_set_is_synced(runtime_watches(role->runtime), role)) {
                role->is_started = true;
                LOG(LOG_INFO, "Ready", log_text("mode", evictions_mode_name(role)));
                evictions_step_soon(role);
        }
}

void evictions_follow(struct evictions_role *role) {
        static const struct reflector_events events = { .changed = on_changed,
                                                        .synced = on_synced };
        static const char *const resources[] = {
                [FOLLOWED_REQUESTS] = "evictionrequests",
                [FOLLOWED_EVICTIONS] = "evictions",
                [FOLLOWED_POLICIES] = "evictionpolicies",
        };
        char path[EVICTIONS_PATH_MAX];

        for (size_t i = 0; i < followed_count(role); i++) {
                snprintf(path, sizeof(path), "/apis/%s/" EVICTION_VERSION "/%s",
                         i == FOLLOWED_POLICIES ? EVICTION_GROUP_OWN : role->group, resources[i]);
                role->lines[i] = (struct feed_line){ .role = role, .followed = (enum followed)i };
                role->lines[i].row =
                        watch_set_add(runtime_watches(role->runtime),
                                      &(struct watch_request){ .path = path,
                                                               .seed = i + 1,
                                                               .is_needed = true,
                                                               .events = &events,
                                                               .context = &role->lines[i],
                                                               .owner = role });
        }
}

/* ---- changes of the model ---- */

void evictions_on_arriving(struct evictions_role *role, enum object_kind kind,
                           enum change_kind change, struct arrival *arrival) {
        if (!role->reconciler || kind != OBJECT_BUDGET || change != CHANGE_REMOVED)
                return;
        eviction_reconciler_budget_leaves(role->reconciler, arrival_namespace(arrival),
                                          arrival_name(arrival));
        evictions_step_soon(role);
}

void evictions_on_arrived(struct evictions_role *role, enum object_kind kind,
                          enum change_kind change, struct arrival *arrival) {
        struct slice ns = arrival_namespace(arrival), name = arrival_name(arrival);

        if (!role->reconciler)
                return;
        if (kind == OBJECT_POD)
                eviction_reconciler_pod_changed(role->reconciler, ns, name,
                                                change == CHANGE_REMOVED ? arrival_uid(arrival)
                                                                         : SLICE_EMPTY);
        else if (kind == OBJECT_BUDGET && change != CHANGE_REMOVED)
                eviction_reconciler_budget_changed(role->reconciler, ns, name);
        else
                return;
        evictions_step_soon(role);
}

/* ---- KubeVirt: worth knowing, not waited for ---- */

static void on_migration(void *context, enum reflector_change change, const struct json *object) {
        struct evictions_role *role = context;
        const struct json *meta = json_get(object, "metadata");

        if (change == REFLECTOR_DELETED)
                eviction_reconciler_remove_migration(role->reconciler,
                                                     json_get_text(meta, "namespace"),
                                                     json_get_text(meta, "name"));
        else
                eviction_reconciler_put_migration(role->reconciler, object);
        evictions_step_soon(role);
}

static void on_kubevirt(void *context, const struct api_reply *reply) {
        static const struct reflector_events events = { .changed = on_migration };
        struct evictions_role *role = context;

        role->discovery = NULL;
        if (reply->status != 200 && reply->status != 403 && reply->status != 404)
                loop_timer_arm(role->loop, &role->kubevirt_timer, KUBEVIRT_AGAIN_NS);
        if (reply->status != 200 ||
            !slice_contains(reply->body, SLICE_LITERAL("\"virtualmachineinstancemigrations\"")))
                return;
        role->migrations = watch_set_add(
                runtime_watches(role->runtime),
                &(struct watch_request){
                        .path = "/apis/kubevirt.io/v1/virtualmachineinstancemigrations",
                        .seed = FOLLOWED_COUNT + 1,
                        .trouble = WATCH_QUIET,
                        .events = &events,
                        .context = role });
}

void evictions_look_for_kubevirt(void *context) {
        struct evictions_role *role = context;

        role->discovery =
                transport_call(role->transport,
                               &(struct api_call){ .path = SLICE_LITERAL("/apis/kubevirt.io/v1") },
                               on_kubevirt, role);
}
