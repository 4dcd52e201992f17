/* Writes of what pods take before they are bound. */
#include "sched/pre_bind_object.h"
#include "base/util.h"
#include <stdio.h>
#include <stdlib.h>

#define UNDO_INTERVAL_MAX_NS (30 * NS_PER_S)

static struct slice uid_of(const struct json *object) {
        return json_get_text(json_get(object, "metadata"), "uid");
}

static char *text_of(const struct json *object) {
        struct buf text = { 0 };
        json_write(object, &text);
        char *copy = slice_dup(buf_view(&text));
        buf_release(&text);
        return copy;
}

static void join_writers(struct scheduler *scheduler, struct taken_object *taken) {
        if (!taken->is_joined)
                object_cache_join(scheduler->config.object_cache, taken->kind, slice_of(taken->ns),
                                  slice_of(taken->name));
        taken->is_joined = true;
}

/* An allocation that is on its way for another pod of the group is written for this one, too:
 * whichever comes first has the same in it. */
static size_t make_claim_writes(const struct scheduler *scheduler, const struct taken_object *taken,
                                const struct json *before, const struct json *after,
                                struct claim_write *ret_writes) {
        const struct json *seen =
                before ? object_cache_seen(scheduler->config.object_cache, taken->kind,
                                           slice_of(taken->ns), slice_of(taken->name))
                       : NULL;
        return claim_write_make(
                &(struct claim_states){ .seen = seen ? seen : before, .before = before }, after,
                ret_writes);
}

struct taken_object *taken_object_new(struct scheduler *scheduler, struct pre_bind *owner,
                                      enum cached_kind kind, const struct json *before,
                                      const struct json *after) {
        struct taken_object *taken = xcalloc(1, sizeof(*taken));
        *taken = (struct taken_object){ .owner = owner,
                                        .kind = kind,
                                        .ns = slice_dup(cached_object_ns(after)),
                                        .name = slice_dup(cached_object_name(after)),
                                        .uid = slice_dup(uid_of(after)) };
        if (kind == CACHED_RESOURCE_CLAIM) {
                taken->write_count =
                        make_claim_writes(scheduler, taken, before, after, taken->writes);
                if (!slice_to_u64(json_get_text(json_get(before, "metadata"), "resourceVersion"),
                                  &taken->version))
                        taken->version = 0;
        } else {
                taken->writes[0] =
                        (struct claim_write){ .verb = PATCH_STANDARD, .body = text_of(after) };
                taken->write_count = 1;
        }
        join_writers(scheduler, taken);
        return taken;
}

void taken_object_free(struct taken_object *taken) {
        for (size_t i = 0; i < taken->write_count; i++)
                free(taken->writes[i].body);
        free(taken->ns);
        free(taken->name);
        free(taken->uid);
        free(taken);
}

static struct object_ref ref_of(const struct taken_object *taken) {
        static const char *const kinds[CACHED_KIND_COUNT] = {
                [CACHED_VOLUME] = "PersistentVolume",
                [CACHED_VOLUME_CLAIM] = "PersistentVolumeClaim",
                [CACHED_RESOURCE_CLAIM] = "ResourceClaim",
        };
        bool is_wide = taken->kind == CACHED_VOLUME;
        return (struct object_ref){ .kind = slice_of(kinds[taken->kind]),
                                    .ns = is_wide ? SLICE_EMPTY : slice_of(taken->ns),
                                    .name = slice_of(taken->name),
                                    .uid = slice_of(taken->uid) };
}

static void emit_action(struct step *step, struct taken_object *taken, struct action *action) {
        action->target = ref_of(taken);
        taken->action = action_list_add(step->out, action);
        map_u64_put(step->scheduler->pre_bind_actions, taken->action, taken);
}

static void emit_patch(struct step *step, struct taken_object *taken, enum patch_verb verb,
                       const char *body) {
        emit_action(step, taken,
                    &(struct action){ .kind = ACTION_PATCH_OBJECT,
                                      .patch = { .body = slice_of(body), .verb = verb } });
}

bool taken_object_send(struct step *step, struct taken_object *taken) {
        if (taken->sent == taken->write_count)
                return false;
        const struct claim_write *write = &taken->writes[taken->sent++];
        emit_patch(step, taken, write->verb, write->body);
        return true;
}

/* The answer has the object as it is now. What was taken back may never have been there: then
 * what was assumed is not what the API has. */
static void note_written(struct scheduler *scheduler, struct taken_object *taken,
                         const struct action_result *result) {
        struct object_cache *cache = scheduler->config.object_cache;
        struct slice ns = slice_of(taken->ns), name = slice_of(taken->name);
        struct json_doc *doc = NULL;
        struct slice version = SLICE_EMPTY;
        if (result->body.len && json_parse(result->body, &doc, NULL) == 0)
                version =
                        json_get_text(json_get(json_doc_root(doc), "metadata"), "resourceVersion");
        if (taken->is_undone && version.len &&
            !object_cache_is_shared(cache, taken->kind, ns, name))
                object_cache_assume(cache, taken->kind, json_doc_root(doc));
        object_cache_written(cache, taken->kind, ns, name, version);
        taken->is_joined = false;
        json_doc_free(doc);
}

static void taken_object_withdraw(struct scheduler *scheduler, struct taken_object *taken) {
        object_cache_withdraw(scheduler->config.object_cache, taken->kind, slice_of(taken->ns),
                              slice_of(taken->name));
        taken->is_joined = false;
}

/* A claim that others gave back while it was allocated or reserved has lost its finalizer: without
 * it nobody would give the devices back once the pod is gone. One that never had it was allocated
 * by somebody else, whose it is. */
static void protect_again(struct taken_object *taken, const struct action_result *result) {
        struct json_doc *doc = NULL;
        if (taken->kind != CACHED_RESOURCE_CLAIM || taken->written < taken->write_count ||
            taken->write_count == CLAIM_WRITES_MAX || !taken->writes[taken->sent - 1].protects ||
            result->body.len == 0)
                return;
        if (json_parse(result->body, &doc, NULL) == 0) {
                char *patch = claim_write_protect(json_doc_root(doc));
                if (patch)
                        taken->writes[taken->write_count++] = (struct claim_write){
                                .verb = PATCH_OBJECT, .body = patch, .what = CLAIM_WRITE_PROTECTS
                        };
        }
        json_doc_free(doc);
}

/* Whether a write of this kind happened, as far as is known. */
static bool has_sent(const struct taken_object *taken, enum patch_verb verb) {
        size_t count = taken->is_refused ? taken->sent - 1 : taken->sent;
        for (size_t i = 0; i < count; i++)
                if (taken->writes[i].verb == verb)
                        return true;
        return false;
}

/* The next write holds for the claim as this answer has it. */
static void take_version(struct taken_object *taken, const struct action_result *result) {
        struct claim_write *next =
                taken->written < taken->write_count ? &taken->writes[taken->written] : NULL;
        struct json_doc *doc = NULL;
        if (taken->kind != CACHED_RESOURCE_CLAIM || !result->body.len ||
            json_parse(result->body, &doc, NULL) < 0)
                return;
        struct slice version =
                json_get_text(json_get(json_doc_root(doc), "metadata"), "resourceVersion");
        if (!slice_to_u64(version, &taken->version))
                taken->version = 0;
        char *body = next && next->wants_version && taken->version
                             ? claim_write_at_version(next->body, version)
                             : NULL;
        if (body) {
                free(next->body);
                next->body = body;
        }
        json_doc_free(doc);
}

static bool may_be_there(const struct taken_object *taken, const struct action_result *result) {
        return taken->kind == CACHED_RESOURCE_CLAIM && result->kind == ACTION_PATCH_OBJECT &&
               result->http != 404 && has_sent(taken, PATCH_STATUS);
}

static void undo_answered(struct scheduler *scheduler, struct taken_object *taken,
                          const struct action_result *result) {
        if (result->code == BERTH_OK && result->kind == ACTION_PATCH_OBJECT)
                note_written(scheduler, taken, result);
        else if (may_be_there(taken, result))
                taken->is_undo_lost = true; /* and stays assumed */
        else
                taken_object_withdraw(scheduler, taken);
        taken->is_joined &= taken->is_undo_lost;
}

bool taken_object_answered(struct scheduler *scheduler, struct taken_object *taken,
                           const struct action_result *result) {
        taken->action = 0;
        if (taken->is_undone) {
                undo_answered(scheduler, taken, result);
                return true;
        }
        /* Our own creation, when its first answer was lost. */
        bool is_ours = result->code == BERTH_ERR_EXISTS &&
                       taken->writes[taken->sent - 1].verb == PATCH_CREATE;
        if (result->code != BERTH_OK && !is_ours) {
                /* A conflict may be with our own write, whose answer was lost. */
                taken->is_refused =
                        result->http >= 400 && result->http < 500 && result->http != 409;
                return false;
        }
        taken->written++;
        take_version(taken, result);
        protect_again(taken, result);
        if (taken->written == taken->write_count)
                note_written(scheduler, taken, result);
        return true;
}

/* The claim as it is without the pod, until the API says so itself. */
static void assume_unreserved(struct scheduler *scheduler, const struct taken_object *taken,
                              struct slice pod_uid) {
        struct object_cache *cache = scheduler->config.object_cache;
        const struct json *claim =
                object_cache_get(cache, taken->kind, slice_of(taken->ns), slice_of(taken->name));
        struct json_tree *tree = json_tree_new();
        struct json_node *object = node_import(tree, claim), *rest = node_array(tree);
        struct json_node *status = node_need_object(tree, object, "status");
        struct json_iter iter = json_iter(json_get(json_get(claim, "status"), "reservedFor"));
        const struct json *consumer;
        while (json_next(&iter, NULL, &consumer))
                if (!slice_eq(json_get_text(consumer, "uid"), pod_uid))
                        node_append(rest, node_import(tree, consumer));
        node_put(tree, status, "reservedFor", rest);
        struct json_doc *doc = json_doc_of(object);
        if (doc)
                object_cache_assume(cache, taken->kind, json_doc_root(doc));
        json_doc_free(doc);
        json_tree_free(tree);
}

static bool undo_creation(struct step *step, struct taken_object *taken) {
        char *patch = claim_write_release(SLICE_EMPTY);
        struct action release = { .kind = ACTION_PATCH_OBJECT,
                                  .target = ref_of(taken),
                                  .patch = { .body = slice_of(patch), .verb = PATCH_OBJECT } };
        action_list_add(step->out, &release);
        emit_action(step, taken, &(struct action){ .kind = ACTION_DELETE_OBJECT });
        free(patch);
        return true;
}

/* Other pods of the group are about to write it, too. */
static bool is_shared_claim(const struct scheduler *scheduler, const struct taken_object *taken) {
        return taken->kind == CACHED_RESOURCE_CLAIM &&
               object_cache_is_shared(scheduler->config.object_cache, taken->kind,
                                      slice_of(taken->ns), slice_of(taken->name));
}

bool taken_object_undo(struct step *step, struct taken_object *taken, struct slice pod_uid) {
        taken->is_undone = true;
        taken->undo_count++;
        taken->undo_ns = step->mono.ns;
        if (taken->kind == CACHED_RESOURCE_CLAIM && has_sent(taken, PATCH_CREATE))
                return undo_creation(step, taken);
        if (taken->kind == CACHED_RESOURCE_CLAIM && has_sent(taken, PATCH_STATUS)) {
                char *patch = claim_write_unreserve(slice_of(taken->uid), pod_uid);
                join_writers(step->scheduler, taken);
                assume_unreserved(step->scheduler, taken, pod_uid);
                emit_patch(step, taken, PATCH_STATUS, patch);
                free(patch);
                return true;
        }
        if (taken->written < taken->write_count || taken->write_count == 0) {
                if (is_shared_claim(step->scheduler, taken))
                        assume_unreserved(step->scheduler, taken, pod_uid);
                taken_object_withdraw(step->scheduler, taken);
        }
        return false;
}

/* The watch has shown what became of the writes. */
static bool is_known(const struct scheduler *scheduler, const struct taken_object *taken) {
        const struct json *seen = object_cache_seen(scheduler->config.object_cache, taken->kind,
                                                    slice_of(taken->ns), slice_of(taken->name));
        uint64_t version = 0;
        return !seen || (slice_to_u64(json_get_text(json_get(seen, "metadata"), "resourceVersion"),
                                      &version) &&
                         version > taken->version);
}

/* A second after the first try, and twice as long after each further one. */
static int64_t undo_interval_ns(const struct taken_object *taken) {
        unsigned doubled = taken->undo_count > 1 ? taken->undo_count - 1 : 0;
        return doubled < 5 ? NS_PER_S << doubled : UNDO_INTERVAL_MAX_NS;
}

/* Not once it is known what is there: the pod may have its reservation by another try then. */
void taken_object_undo_again(struct step *step, struct taken_object *taken, struct slice pod_uid) {
        if (!taken->is_undo_lost)
                return;
        if (is_known(step->scheduler, taken)) {
                taken->is_undo_lost = false;
                taken_object_withdraw(step->scheduler, taken);
        } else if (step->mono.ns - taken->undo_ns >= undo_interval_ns(taken)) {
                taken->is_undo_lost = false;
                taken_object_undo(step, taken, pod_uid);
        }
}

bool taken_object_is_open(const struct taken_object *taken) {
        return taken->action || taken->is_undo_lost;
}
