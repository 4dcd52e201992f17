/* What has to happen before a pod is bound: volumes, claims of volumes and claims of devices are
 * written, and the bind waits until they are ready (reference scheduler.md 3.5, 4.6).  The pod
 * stays assumed on its node meanwhile. */
#include "base/util.h"
#include "sched/pre_bind_object.h"
#include "sched/scheduler_priv.h"
#include <assert.h>
#include <stdlib.h>

#define CHECK_INTERVAL_NS NS_PER_S /* for time limits; changes are looked at as they come */

#define POD_PATCHES_MAX 4

struct pre_bind {
        struct pre_bind *next;
        struct pod_id pod;
        uint64_t uid_hash;
        char *uid, *ns, *name;
        struct node_id node;
        int64_t since_ns;
        uint32_t open_writes;
        char *failure;                      /* of a write; NULL = none */
        char *pod_patches[POD_PATCHES_MAX]; /* of its status, written after the objects */
        size_t pod_patch_count;             /* that are still to be written, the last first */
        uint64_t pod_action;
        bool is_undone; /* it came to nothing, and what was written is being taken back */
        struct taken_object *taken;
};

/* ---- the record ---- */

static void free_pre_bind(struct scheduler *scheduler, struct pre_bind *pre_bind) {
        for (struct taken_object *taken = pre_bind->taken, *next; taken; taken = next) {
                next = taken->next;
                if (taken->action)
                        map_u64_remove(scheduler->pre_bind_actions, taken->action);
                taken_object_free(taken);
        }
        if (pre_bind->pod_action)
                map_u64_remove(scheduler->pre_bind_pods, pre_bind->pod_action);
        free(pre_bind->failure);
        while (pre_bind->pod_patch_count)
                free(pre_bind->pod_patches[--pre_bind->pod_patch_count]);
        free(pre_bind->uid);
        free(pre_bind->ns);
        free(pre_bind->name);
        free(pre_bind);
}

void scheduler_pre_bind_free(struct scheduler *scheduler) {
        struct pre_bind *next;
        for (; scheduler->pre_binds; scheduler->pre_binds = next) {
                next = scheduler->pre_binds->next;
                free_pre_bind(scheduler, scheduler->pre_binds);
        }
}

/* The entry while the pod still is what it was and waits; else NULL. */
static struct queued_pod *waiting_entry(const struct scheduler *scheduler,
                                        const struct pre_bind *pre_bind) {
        struct queued_pod *entry = scheduling_queue_find(&scheduler->queue, pre_bind->pod);
        const struct pod_row *row = cluster_pod(scheduler->config.cluster, pre_bind->pod);
        bool is_same =
                entry && entry->part == QUEUE_BINDING && entry->uid_hash == pre_bind->uid_hash;
        return is_same && row->is_live && (row->flags & POD_ASSUMED) != 0 ? entry : NULL;
}

/* ---- reserving ---- */

struct reserving {
        struct step *step;
        struct pre_bind *pre_bind;
};

/* A resource that a class of devices may stand for. */
static bool asks_for_devices(const struct scheduler *scheduler, const struct pod_class *class) {
        if (object_cache_count(scheduler->config.object_cache, CACHED_DEVICE_CLASS) == 0)
                return false;
        for (size_t i = 0; i < class->request_count; i++) {
                struct slice name = cluster_resource_name(scheduler->config.cluster,
                                                          class->requests[i].resource);
                if (name.len && memchr(name.ptr, '/', name.len))
                        return true;
        }
        return false;
}

bool scheduler_pod_takes_objects(const struct scheduler *scheduler, struct pod_id pod) {
        const struct cluster *cluster = scheduler->config.cluster;
        if (!scheduler->config.object_cache)
                return false;
        const struct pod_class *class = cluster_class(cluster, cluster_pod(cluster, pod)->class);
        const struct pod_spec *spec = &class->spec;
        if (spec->claim_count > 0 || asks_for_devices(scheduler, class))
                return true;
        for (size_t i = 0; i < spec->volume_count; i++)
                if (spec->volumes[i].kind == VOLUME_CLAIM ||
                    spec->volumes[i].kind == VOLUME_EPHEMERAL)
                        return true;
        return false;
}

static void on_change(void *context, enum cached_kind kind, const struct json *before,
                      const struct json *after) {
        struct reserving *reserving = context;
        struct pre_bind *pre_bind = reserving->pre_bind;
        struct taken_object *taken =
                taken_object_new(reserving->step->scheduler, pre_bind, kind, before, after);
        taken->next = pre_bind->taken;
        pre_bind->taken = taken;
        pre_bind->open_writes += taken_object_send(reserving->step, taken);
}

/* What the patch says that the pod takes of its node counts from now on. */
static void count_devices(struct reserving *reserving, struct slice patch) {
        struct cluster *cluster = reserving->step->scheduler->config.cluster;
        struct json_doc *doc;
        struct arena arena;
        struct pod pod;
        if (json_parse(patch, &doc, NULL) < 0)
                return;
        arena_init(&arena, 0);
        if (pod_decode(json_doc_root(doc), &arena, &pod, NULL) == 0 &&
            pod.spec.device_requests.count > 0)
                cluster_set_device_requests(cluster, reserving->pre_bind->pod,
                                            &pod.spec.device_requests);
        arena_release(&arena);
        json_doc_free(doc);
}

static void on_pod_patch(void *context, struct slice patch) {
        struct pre_bind *pre_bind = ((struct reserving *)context)->pre_bind;
        assert(pre_bind->pod_patch_count < POD_PATCHES_MAX);
        pre_bind->pod_patches[pre_bind->pod_patch_count++] = slice_dup(patch);
        count_devices(context, patch);
}

static void fail_pre_bind(struct pre_bind *pre_bind, const char *prefix, struct slice text) {
        struct buf out = { 0 };
        if (pre_bind->failure)
                return;
        buf_printf(&out, "%s" SLICE_FMT, prefix, SLICE_ARG(text));
        pre_bind->failure = slice_dup(buf_view(&out));
        buf_release(&out);
}

static void on_reserve_failed(void *context, const struct plugin *plugin, const char *point,
                              struct slice text) {
        struct reserving *reserving = context;
        struct buf prefix = { 0 };
        buf_printf(&prefix, "running %s plugin \"%s\": ", point, plugin->name);
        fail_pre_bind(reserving->pre_bind, prefix.data, text);
        buf_release(&prefix);
}

/* Others are to know where the pod goes while its volumes are made. */
static void announce_node(struct step *step, const struct queued_pod *entry, struct slice node) {
        struct cluster *cluster = step->scheduler->config.cluster;
        const struct pod_row *row = cluster_pod(cluster, entry->pod);
        if (slice_eq(cluster_text(cluster, row->nominated), node))
                return;
        struct action status = { .kind = ACTION_POD_STATUS,
                                 .target = scheduler_pod_ref(cluster, entry->pod),
                                 .status = { .sets_nomination = true, .nomination = node } };
        action_list_add(step->out, &status);
        cluster_nominate(cluster, entry->pod, node);
}

/* ---- waiting ---- */

static enum verdict_code scheduler_pre_bind_ask(const struct step *step,
                                                const struct pre_bind *pre_bind,
                                                const struct queued_pod *entry, int64_t waited_ns,
                                                struct slice *ret_text) {
        struct scheduler *scheduler = step->scheduler;
        const struct plugin *plugin = NULL;
        struct verdict verdict = { .code = VERDICT_OK };
        struct sched_attempt attempt;
        arena_clear(&scheduler->scratch);
        sched_attempt_init(&attempt, &(struct attempt_request){
                                             .cluster = scheduler->config.cluster,
                                             .profile = scheduler->config.profiles[entry->profile],
                                             .pod = pre_bind->pod,
                                             .now = step->wall,
                                             .arena = &scheduler->scratch });
        enum verdict_code code =
                sched_attempt_pre_bind(&attempt, pre_bind->node, waited_ns, &plugin, &verdict);
        sched_attempt_release(&attempt);
        if (code == VERDICT_ERROR)
                *ret_text = slice_of(arena_printf(&scheduler->scratch,
                                                  "running PreBind plugin \"%s\": " SLICE_FMT,
                                                  plugin->name, SLICE_ARG(verdict.reasons[0])));
        return code;
}

static struct pre_bind *pre_bind_new(const struct step *step, const struct queued_pod *entry,
                                     struct node_id node) {
        const struct cluster *cluster = step->scheduler->config.cluster;
        const struct pod_row *row = cluster_pod(cluster, entry->pod);
        struct pre_bind *pre_bind = xcalloc(1, sizeof(*pre_bind));
        *pre_bind = (struct pre_bind){ .pod = entry->pod,
                                       .uid_hash = entry->uid_hash,
                                       .uid = slice_dup(slice_of(row->uid)),
                                       .ns = slice_dup(cluster_text(cluster, row->ns)),
                                       .name = slice_dup(slice_of(row->name)),
                                       .node = node,
                                       .since_ns = step->mono.ns };
        return pre_bind;
}

/* Reserves what the pod takes on the chosen node.  True: something has to be written or waited for
 * first, and the bind follows by itself. */
static bool scheduler_pre_bind(struct step *step, struct queued_pod *entry, struct node_id node) {
        struct scheduler *scheduler = step->scheduler;
        struct cluster *cluster = scheduler->config.cluster;
        struct slice text;
        if (!scheduler_pod_takes_objects(scheduler, entry->pod))
                return false;
        struct slice name = cluster_node_name(cluster, node);
        struct pre_bind *pre_bind = pre_bind_new(step, entry, node);
        struct reserving reserving = { step, pre_bind };
        scheduler_reserve(&(struct reserve_request){
                .cluster = cluster,
                .profile = scheduler->config.profiles[entry->profile],
                .pod = entry->pod,
                .node = node,
                .now = step->wall,
                .reservation = { scheduler->config.object_cache, on_change, on_pod_patch,
                                 on_reserve_failed, &reserving },
                .arena = &scheduler->scratch });
        if (!pre_bind->taken && !pre_bind->pod_patch_count && !pre_bind->failure &&
            scheduler_pre_bind_ask(step, pre_bind, entry, 0, &text) == VERDICT_OK) {
                free_pre_bind(scheduler, pre_bind);
                return false;
        }
        if (!pre_bind->failure)
                announce_node(step, entry, name);
        pre_bind->next = scheduler->pre_binds;
        scheduler->pre_binds = pre_bind;
        return true;
}

/* Writes of claims that are under way may happen yet: they are waited for, so that no device is
 * given to somebody else meanwhile. */
static bool has_open_claims(const struct pre_bind *pre_bind) {
        for (const struct taken_object *taken = pre_bind->taken; taken; taken = taken->next)
                if (taken_object_is_open(taken) && taken->kind == CACHED_RESOURCE_CLAIM)
                        return true;
        return false;
}

static void give_up(struct step *step, struct pre_bind *pre_bind, struct queued_pod *entry,
                    struct slice text) {
        pre_bind->is_undone = true;
        for (struct taken_object *taken = pre_bind->taken; taken; taken = taken->next)
                taken_object_undo(step, taken, slice_of(pre_bind->uid));
        if (!entry)
                return;
        step->scheduler->stats.errors++;
        scheduler_unbind(step, entry, text);
}

static void undo_again(struct step *step, struct pre_bind *pre_bind) {
        for (struct taken_object *taken = pre_bind->taken; taken; taken = taken->next)
                taken_object_undo_again(step, taken, slice_of(pre_bind->uid));
}

static void send_pod_patch(struct step *step, struct pre_bind *pre_bind) {
        char *body = pre_bind->pod_patches[--pre_bind->pod_patch_count];
        struct action patch = { .kind = ACTION_PATCH_OBJECT,
                                .target = { SLICE_LITERAL("Pod"), slice_of(pre_bind->ns),
                                            slice_of(pre_bind->name), slice_of(pre_bind->uid) },
                                .patch = { .body = slice_of(body), .verb = PATCH_STATUS } };
        pre_bind->pod_action = action_list_add(step->out, &patch);
        map_u64_put(step->scheduler->pre_bind_pods, pre_bind->pod_action, pre_bind);
        pre_bind->open_writes++;
        free(body);
}

/* Whether the record has served its purpose. */
static bool is_over(struct step *step, struct pre_bind *pre_bind) {
        struct queued_pod *entry = waiting_entry(step->scheduler, pre_bind);
        struct slice text = SLICE_EMPTY;
        if (pre_bind->is_undone) {
                undo_again(step, pre_bind);
                return !has_open_claims(pre_bind);
        }
        if (!entry || pre_bind->failure) {
                if (has_open_claims(pre_bind))
                        return false;
                if (pre_bind->failure)
                        text = slice_of(pre_bind->failure);
                give_up(step, pre_bind, entry, text);
                return !has_open_claims(pre_bind);
        }
        if (pre_bind->open_writes == 0 && pre_bind->pod_patch_count)
                send_pod_patch(step, pre_bind);
        if (pre_bind->open_writes > 0)
                return false;
        switch (scheduler_pre_bind_ask(step, pre_bind, entry, step->mono.ns - pre_bind->since_ns,
                                       &text)) {
        case VERDICT_OK:
                scheduler_emit_bind(step, entry, pre_bind->node);
                return true;
        case VERDICT_ERROR:
                give_up(step, pre_bind, entry, text);
                return !has_open_claims(pre_bind);
        default:
                return false;
        }
}

void scheduler_pre_bind_check(struct step *step) {
        struct pre_bind **link = &step->scheduler->pre_binds;
        step->scheduler->pre_bind_checked_ns = step->mono.ns;
        while (*link) {
                struct pre_bind *pre_bind = *link;
                if (!is_over(step, pre_bind)) {
                        link = &pre_bind->next;
                        continue;
                }
                *link = pre_bind->next;
                free_pre_bind(step->scheduler, pre_bind);
        }
}

static void check_one(struct step *step, struct pre_bind *pre_bind) {
        struct pre_bind **link = &step->scheduler->pre_binds;
        if (!is_over(step, pre_bind))
                return;
        while (*link != pre_bind)
                link = &(*link)->next;
        *link = pre_bind->next;
        free_pre_bind(step->scheduler, pre_bind);
}

#define DEVICES_FAILED "running PreBind plugin \"DynamicResources\": "

static void fail_write(const struct taken_object *taken, struct slice text) {
        const char *what = taken->writes[taken->sent - 1].what;
        struct buf prefix = { 0 };
        if (what)
                buf_printf(&prefix, DEVICES_FAILED "%s %s/%s: ", what, taken->ns, taken->name);
        else
                buf_printf(&prefix, "running PreBind plugin \"VolumeBinding\": binding volumes: ");
        fail_pre_bind(taken->owner, prefix.data, text);
        buf_release(&prefix);
}

static void object_written(struct step *step, struct taken_object *taken,
                           const struct action_result *result) {
        struct pre_bind *pre_bind = taken->owner;
        bool was_undone = taken->is_undone;
        if (!taken_object_answered(step->scheduler, taken, result))
                fail_write(taken, result->text);
        bool goes_on =
                !was_undone && !pre_bind->failure && waiting_entry(step->scheduler, pre_bind);
        if (!was_undone && !(goes_on && taken_object_send(step, taken)))
                pre_bind->open_writes--;
        check_one(step, pre_bind);
}

bool scheduler_pre_bind_answered(struct step *step, const struct action_result *result) {
        struct scheduler *scheduler = step->scheduler;
        struct taken_object *taken = map_u64_remove(scheduler->pre_bind_actions, result->id);
        if (taken) {
                object_written(step, taken, result);
                return true;
        }
        struct pre_bind *pre_bind = map_u64_remove(scheduler->pre_bind_pods, result->id);
        if (!pre_bind)
                return false;
        pre_bind->pod_action = 0;
        pre_bind->open_writes--;
        if (result->code != BERTH_OK) {
                struct buf prefix = { 0 };
                buf_printf(&prefix, DEVICES_FAILED "update pod %s/%s ExtendedResourceClaimStatus: ",
                           pre_bind->ns, pre_bind->name);
                fail_pre_bind(pre_bind, prefix.data, result->text);
                buf_release(&prefix);
        }
        check_one(step, pre_bind);
        return true;
}

bool scheduler_pre_bind_due(const struct scheduler *scheduler, int64_t *ret_due_ns) {
        *ret_due_ns = scheduler->pre_bind_checked_ns + CHECK_INTERVAL_NS;
        return scheduler->pre_binds;
}

void scheduler_free_claim(struct step *step, const struct freed_claim *freed) {
        const struct json *claim = freed->object;
        struct slice uid = json_get_text(json_get(claim, "metadata"), "uid");
        char *patch = freed->deletes        ? claim_write_release(uid)
                      : freed->consumer.len ? claim_write_unreserve(uid, freed->consumer)
                                            : claim_write_deallocate(claim);
        struct action action = {
                .kind = ACTION_PATCH_OBJECT,
                .target = { SLICE_LITERAL("ResourceClaim"), cached_object_ns(claim),
                            cached_object_name(claim), uid },
                .patch = { .body = slice_of(patch),
                           .verb = freed->deletes ? PATCH_OBJECT : PATCH_STATUS }
        };
        action_list_add(step->out, &action);
        free(patch);
        action.kind = ACTION_DELETE_OBJECT;
        if (freed->deletes)
                action_list_add(step->out, &action);
}

/* ---- binding ---- */

void scheduler_bind(struct step *step, struct queued_pod *entry, struct node_id node) {
        struct scheduler *scheduler = step->scheduler;
        assert(entry->part == QUEUE_NONE && !node_id_is_none(node));
        assert(node_id_is_none(cluster_pod(scheduler->config.cluster, entry->pod)->node));
        if (!scheduler_pre_bind(step, entry, node))
                scheduler_emit_bind(step, entry, node);
        scheduling_queue_bind(&scheduler->queue, entry);
        cluster_assume(scheduler->config.cluster, entry->pod, node);
}
