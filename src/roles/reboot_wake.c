/* One watch per object an agent waits for, unless the process's model has the object anyway. */
#include "roles/reboot_wake.h"

#include "base/log.h"
#include "base/util.h"
#include "loop/watch_set.h"
#include "model/cluster.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LOOK_DELAY_NS (1 * NS_PER_S) /* changes come in groups */
/* A lock that is free is for one of many: they ask for it one after another. */
#define LOCK_SPREAD_NS (10 * NS_PER_S)

static const struct wake_kind {
        const char *name, *path; /* up to the namespace */
        const char *plural;
        enum object_kind model; /* of the model; OBJECT_KIND_COUNT = not there */
} wake_kinds[] = {
        { "Pod", "/api/v1", "pods", OBJECT_POD },
        { "PodDisruptionBudget", "/apis/policy/v1", "poddisruptionbudgets", OBJECT_BUDGET },
        { "Node", "/api/v1", "nodes", OBJECT_NODE },
        { "DaemonSet", "/apis/apps/v1", "daemonsets", OBJECT_KIND_COUNT },
        { "Lease", "/apis/coordination.k8s.io/v1", "leases", OBJECT_KIND_COUNT },
};

struct wake_object {
        struct reboot_wake *wake;
        const struct wake_kind *kind;
        char *ns, *name;
        struct watch_row *row; /* NULL = the model tells, or nobody */
        bool is_there;
};

struct reboot_wake {
        struct reboot_wake_config config;
        struct wake_object objects[REBOOT_WAITS_MAX];
        size_t count;
        bool is_refused[ARRAY_LEN(wake_kinds)]; /* no right to watch them */
        struct loop_timer timer;
};

static struct loop *wake_loop(struct reboot_wake *wake) {
        return runtime_loop(wake->config.runtime);
}

static struct reboot_now wake_now(struct reboot_wake *wake) {
        return (struct reboot_now){ runtime_server_time(wake->config.runtime),
                                    loop_mono(wake_loop(wake)) };
}

static void wake_fired(void *context) {
        struct reboot_wake *wake = context;
        struct reboot_now now = wake_now(wake);

        reboot_agent_look(wake->config.agent, &now);
        wake->config.woken(wake->config.context);
}

/* object NULL = gone */
static void wake_judge(struct wake_object *object, const struct json *news) {
        struct reboot_wake *wake = object->wake;
        struct reboot_now now = wake_now(wake);

        switch (reboot_agent_judge(wake->config.agent, &now, slice_of(object->kind->name), news)) {
        case REBOOT_NEWS_LOOK:
                loop_timer_arm(wake_loop(wake), &wake->timer, LOOK_DELAY_NS);
                return;
        case REBOOT_NEWS_LOCK_FREE:
                if (!loop_timer_is_armed(&wake->timer))
                        loop_timer_arm(wake_loop(wake), &wake->timer,
                                       (int64_t)(slice_hash(wake->config.node) %
                                                 (uint64_t)LOCK_SPREAD_NS));
                return;
        case REBOOT_NEWS_LOCK_HELD:
                loop_timer_disarm(wake_loop(wake), &wake->timer);
                return;
        case REBOOT_NEWS_NONE:
                return;
        }
}

/* What stands in the way as it was when it was read is no news. */
static bool wake_is_first_sight(const struct wake_object *object, enum reflector_change change) {
        return change == REFLECTOR_ADDED &&
               (object->kind->model == OBJECT_POD || object->kind->model == OBJECT_BUDGET);
}

static void on_wake_changed(void *context, enum reflector_change change, const struct json *news) {
        struct wake_object *object = context;

        object->is_there = change != REFLECTOR_DELETED;
        if (!wake_is_first_sight(object, change))
                wake_judge(object, object->is_there ? news : NULL);
}

/* It went while the watch began. */
static void on_wake_synced(void *context) {
        struct wake_object *object = context;

        if (!object->is_there)
                wake_judge(object, NULL);
}

static void on_wake_failed(void *context, const struct err *err, int64_t delay_ns) {
        struct wake_object *object = context;
        struct reboot_wake *wake = object->wake;
        bool *is_refused = &wake->is_refused[object->kind - wake_kinds];

        (void)delay_ns;
        if (err->code != BERTH_ERR_FORBIDDEN && err->code != BERTH_ERR_NOT_FOUND)
                return;
        if (!*is_refused)
                LOG(LOG_INFO, "NotWatched", log_text("resource", object->kind->plural),
                    log_text("effect", "what ends a wait is noticed with the next period: no "
                                       "right to list and watch"));
        *is_refused = true;
        watch_set_remove(runtime_watches(wake->config.runtime), object->row);
        object->row = NULL;
}

static void wake_watch(struct wake_object *object) {
        static const struct reflector_events events = { .changed = on_wake_changed,
                                                        .synced = on_wake_synced,
                                                        .failed = on_wake_failed };
        struct reboot_wake *wake = object->wake;
        const struct wake_kind *kind = object->kind;
        CLEANUP(buf_release) struct buf path = { 0 }, field = { 0 };

        buf_printf(&path, "%s%s%s/%s", kind->path, object->ns[0] ? "/namespaces/" : "", object->ns,
                   kind->plural);
        buf_printf(&field, "metadata.name=%s", object->name);
        object->row = watch_set_add(runtime_watches(wake->config.runtime),
                                    &(struct watch_request){ .path = path.data,
                                                             .field_selector = field.data,
                                                             .seed = slice_hash(wake->config.node),
                                                             .trouble = WATCH_QUIET,
                                                             .events = &events,
                                                             .context = object });
}

static bool wake_model_has(const struct wake_object *object) {
        enum object_kind kind = object->kind->model;

        return kind != OBJECT_KIND_COUNT &&
               runtime_complete_model(object->wake->config.runtime, 1u << kind);
}

/* While the agent wrote down that it waits. */
static bool wake_has_gone(const struct wake_object *object) {
        return object->kind->model == OBJECT_POD && wake_model_has(object) &&
               pod_id_is_none(cluster_find_pod(runtime_cluster(object->wake->config.runtime),
                                               slice_of(object->ns), slice_of(object->name)));
}

static void wake_drop(struct reboot_wake *wake) {
        while (wake->count > 0) {
                struct wake_object *object = &wake->objects[--wake->count];

                watch_set_remove(runtime_watches(wake->config.runtime), object->row);
                free(object->ns);
                free(object->name);
        }
}

static const struct wake_kind *wake_kind_named(struct slice name) {
        for (size_t i = 0; i < ARRAY_LEN(wake_kinds); i++)
                if (slice_is(name, wake_kinds[i].name))
                        return &wake_kinds[i];
        return NULL;
}

static void wake_add(struct reboot_wake *wake, const struct object_ref *ref) {
        const struct wake_kind *kind = wake_kind_named(ref->kind);
        struct wake_object *object = &wake->objects[wake->count];

        if (!kind)
                return;
        *object = (struct wake_object){
                .wake = wake, .kind = kind, .ns = slice_dup(ref->ns), .name = slice_dup(ref->name)
        };
        wake->count++;
        if (wake_has_gone(object))
                wake_judge(object, NULL);
        else if (!wake_model_has(object) && !wake->is_refused[kind - wake_kinds])
                wake_watch(object);
}

static bool wake_is_same(const struct wake_object *object, const struct object_ref *ref) {
        return slice_is(ref->kind, object->kind->name) && slice_is(ref->ns, object->ns) &&
               slice_is(ref->name, object->name);
}

void reboot_wake_follow(struct reboot_wake *wake) {
        const struct object_ref *refs;
        size_t count = reboot_agent_waits(wake->config.agent, &refs);
        bool is_same = count == wake->count;

        for (size_t i = 0; is_same && i < count; i++)
                is_same = wake_is_same(&wake->objects[i], &refs[i]);
        if (is_same)
                return;
        wake_drop(wake);
        for (size_t i = 0; i < count; i++)
                wake_add(wake, &refs[i]);
}

void reboot_wake_arrived(struct reboot_wake *wake, enum object_kind kind, enum change_kind change,
                         struct arrival *arrival) {
        for (size_t i = 0; i < wake->count; i++) {
                struct wake_object *known = &wake->objects[i];

                if (known->row || known->kind->model != kind ||
                    !slice_is(arrival_name(arrival), known->name) ||
                    !slice_is(arrival_namespace(arrival), known->ns))
                        continue;
                wake_judge(known, change == CHANGE_REMOVED ? NULL : arrival_value(arrival));
        }
}

struct reboot_wake *reboot_wake_new(const struct reboot_wake_config *config) {
        struct reboot_wake *wake = xcalloc(1, sizeof(*wake));

        wake->config = *config;
        wake->timer = (struct loop_timer){ .fired = wake_fired, .context = wake };
        return wake;
}

void reboot_wake_free(struct reboot_wake *wake) {
        if (!wake)
                return;
        loop_timer_disarm(wake_loop(wake), &wake->timer);
        wake_drop(wake);
        free(wake);
}
