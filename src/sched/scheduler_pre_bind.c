/* What has to happen to a pod's volumes before it is bound: claims and volumes are written, and the
 * bind waits until they are bound to each other (reference scheduler.md 3.5, 4.6).  The pod stays
 * assumed on its node meanwhile. */
#include "base/util.h"
#include "sched/scheduler_priv.h"
#include <assert.h>
#include <stdlib.h>

#define CHECK_INTERVAL_NS NS_PER_S /* for time limits; changes are looked at as they come */

struct taken_object {
        struct taken_object *next;
        enum cached_kind kind;
        char *before; /* JSON, to take the note in the object cache back */
};

struct pre_bind {
        struct pre_bind *next;
        struct pod_id pod;
        uint64_t uid_hash;
        struct node_id node;
        int64_t since_ns;
        uint32_t open_writes;
        char *failure; /* of a write; NULL = none */
        struct taken_object *taken;
};

/* ---- the record ---- */

static void free_pre_bind(struct pre_bind *pre_bind) {
        for (struct taken_object *taken = pre_bind->taken, *next; taken; taken = next) {
                next = taken->next;
                free(taken->before);
                free(taken);
        }
        free(pre_bind->failure);
        free(pre_bind);
}

void scheduler_pre_bind_free(struct scheduler *scheduler) {
        struct pre_bind *next;
        for (; scheduler->pre_binds; scheduler->pre_binds = next) {
                next = scheduler->pre_binds->next;
                free_pre_bind(scheduler->pre_binds);
        }
}

static struct slice version_of(const struct json *object) {
        return json_get_text(json_get(object, "metadata"), "resourceVersion");
}

/* What the API has said meanwhile stands. */
static void put_back(struct object_cache *object_cache, const struct taken_object *taken) {
        struct json_doc *doc;
        if (json_parse(slice_of(taken->before), &doc, NULL) < 0)
                return;
        const struct json *before = json_doc_root(doc);
        const struct json *now = object_cache_get(
                object_cache, taken->kind, cached_object_ns(before), cached_object_name(before));
        if (now && slice_eq(version_of(now), version_of(before)))
                object_cache_put(object_cache, taken->kind, before);
        json_doc_free(doc);
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
        const struct queued_pod *entry;
        struct pre_bind *pre_bind;
};

static bool has_claims(const struct cluster *cluster, struct pod_id pod) {
        const struct pod_spec *spec =
                &cluster_class(cluster, cluster_pod(cluster, pod)->class)->spec;
        if (spec->claim_count > 0)
                return true;
        for (size_t i = 0; i < spec->volume_count; i++)
                if (spec->volumes[i].kind == VOLUME_CLAIM ||
                    spec->volumes[i].kind == VOLUME_EPHEMERAL)
                        return true;
        return false;
}

static struct slice kind_of(enum cached_kind kind) {
        switch (kind) {
        case CACHED_VOLUME:
                return SLICE_LITERAL("PersistentVolume");
        case CACHED_RESOURCE_CLAIM:
                return SLICE_LITERAL("ResourceClaim");
        default:
                return SLICE_LITERAL("PersistentVolumeClaim");
        }
}

static void on_change(void *context, enum cached_kind kind, const struct json *before,
                      struct slice after) {
        struct reserving *reserving = context;
        struct step *step = reserving->step;
        struct pre_bind *pre_bind = reserving->pre_bind;
        bool is_wide = kind == CACHED_VOLUME;
        struct action write = {
                .kind = ACTION_PATCH_OBJECT,
                .target = { .kind = kind_of(kind),
                            .ns = is_wide ? SLICE_EMPTY : cached_object_ns(before),
                            .name = cached_object_name(before),
                            .uid = json_get_text(json_get(before, "metadata"), "uid") },
                .patch = { .body = after },
        };
        struct taken_object *taken = xcalloc(1, sizeof(*taken));
        struct buf text = { 0 };
        json_write(before, &text);
        *taken = (struct taken_object){ .next = pre_bind->taken,
                                        .kind = kind,
                                        .before = slice_dup(buf_view(&text)) };
        buf_release(&text);
        pre_bind->taken = taken;
        pre_bind->open_writes++;
        scheduler_await_result(step->scheduler, &write, action_list_add(step->out, &write),
                               reserving->entry, SLICE_EMPTY);
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

static enum verdict_code scheduler_pre_bind_ask(struct scheduler *scheduler,
                                                const struct pre_bind *pre_bind,
                                                const struct queued_pod *entry, int64_t waited_ns,
                                                struct slice *ret_text) {
        const struct plugin *plugin = NULL;
        struct verdict verdict = { .code = VERDICT_OK };
        struct sched_attempt attempt;
        arena_clear(&scheduler->scratch);
        sched_attempt_init(&attempt, &(struct attempt_request){
                                             .cluster = scheduler->config.cluster,
                                             .profile = scheduler->config.profiles[entry->profile],
                                             .pod = pre_bind->pod,
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

/* Reserves what the pod takes on the chosen node.  True: something has to be written or waited for
 * first, and the bind follows by itself. */
static bool scheduler_pre_bind(struct step *step, struct queued_pod *entry, struct node_id node) {
        struct scheduler *scheduler = step->scheduler;
        struct cluster *cluster = scheduler->config.cluster;
        struct slice text;
        if (!scheduler->config.object_cache || !has_claims(cluster, entry->pod))
                return false;
        struct slice name = cluster_node_name(cluster, node);
        struct pre_bind *pre_bind = xcalloc(1, sizeof(*pre_bind));
        struct reserving reserving = { step, entry, pre_bind };
        size_t first = step->out->count;
        *pre_bind = (struct pre_bind){ .pod = entry->pod,
                                       .uid_hash = entry->uid_hash,
                                       .node = node,
                                       .since_ns = step->mono.ns };
        scheduler_reserve(&(struct reserve_request){
                .cluster = cluster,
                .profile = scheduler->config.profiles[entry->profile],
                .pod = entry->pod,
                .node = node,
                .reservation = { scheduler->config.object_cache, on_change, &reserving },
                .arena = &scheduler->scratch });
        if (step->out->count == first &&
            scheduler_pre_bind_ask(scheduler, pre_bind, entry, 0, &text) == VERDICT_OK) {
                free_pre_bind(pre_bind);
                return false;
        }
        announce_node(step, entry, name);
        pre_bind->next = scheduler->pre_binds;
        scheduler->pre_binds = pre_bind;
        return true;
}

static void give_up(struct step *step, struct pre_bind *pre_bind, struct queued_pod *entry,
                    struct slice text) {
        for (const struct taken_object *taken = pre_bind->taken; taken; taken = taken->next)
                put_back(step->scheduler->config.object_cache, taken);
        if (!entry)
                return;
        step->scheduler->stats.errors++;
        scheduler_unbind(step, entry, text);
}

/* Whether the record has served its purpose. */
static bool is_over(struct step *step, struct pre_bind *pre_bind) {
        struct queued_pod *entry = waiting_entry(step->scheduler, pre_bind);
        struct slice text = SLICE_EMPTY;
        if (!entry || pre_bind->failure) {
                if (pre_bind->failure)
                        text = slice_of(pre_bind->failure);
                give_up(step, pre_bind, entry, text);
                return true;
        }
        if (pre_bind->open_writes > 0)
                return false;
        switch (scheduler_pre_bind_ask(step->scheduler, pre_bind, entry,
                                       step->mono.ns - pre_bind->since_ns, &text)) {
        case VERDICT_OK:
                scheduler_emit_bind(step, entry, pre_bind->node);
                return true;
        case VERDICT_ERROR:
                give_up(step, pre_bind, entry, text);
                return true;
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
                free_pre_bind(pre_bind);
        }
}

void scheduler_pre_bind_written(struct step *step, const struct open_action *open,
                                const struct action_result *result) {
        struct pre_bind *pre_bind = step->scheduler->pre_binds;
        while (pre_bind &&
               (pre_bind->pod.index != open->pod.index || pre_bind->uid_hash != open->uid_hash))
                pre_bind = pre_bind->next;
        if (!pre_bind || pre_bind->open_writes == 0)
                return;
        pre_bind->open_writes--;
        if (result->code != BERTH_OK && !pre_bind->failure) {
                struct buf text = { 0 };
                buf_text(&text,
                         slice_is(result->target.kind, "ResourceClaim")
                                 ? "running PreBind plugin \"DynamicResources\": "
                                 : "running PreBind plugin \"VolumeBinding\": binding volumes: ");
                buf_slice(&text, result->text);
                pre_bind->failure = slice_dup(buf_view(&text));
                buf_release(&text);
        }
        if (pre_bind->open_writes == 0 || pre_bind->failure)
                scheduler_pre_bind_check(step);
}

bool scheduler_pre_bind_due(const struct scheduler *scheduler, int64_t *ret_due_ns) {
        *ret_due_ns = scheduler->pre_bind_checked_ns + CHECK_INTERVAL_NS;
        return scheduler->pre_binds;
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
