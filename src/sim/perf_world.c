/* The virtual API of benchmarks. */
#include "sim/perf_world.h"
#include "base/util.h"
#include "plugins/sched/registry.h"
#include "sim/perf_claims.h"
#include "sim/perf_feed.h"
#include <stdlib.h>

#define STEP_DECISIONS 64 /* between looks at the clock of other work */
#define FLUSH_PODS 256    /* decoded before their time is measured */

/* ---- life ---- */

int perf_world_init(struct perf_world *world, struct err *err) {
        world->cluster = cluster_new(&(struct cluster_config){ 0 });
        world->object_cache = object_cache_new();
        world->pods = map_new();
        world->claim_templates = map_new();
        arena_init(&world->scratch, 0);
        arena_init(&world->answer_arena, 0);
        action_list_init(&world->actions);
        action_list_init(&world->answers);
        struct profile_env env = { .registry = sched_registry,
                                   .cluster = world->cluster,
                                   .object_cache = world->object_cache };
        if (!world->configuration)
                world->configuration = scheduler_configuration_new_default();
        int code = sched_profile_list_init(&world->profiles, world->configuration, &env, err);
        if (code < 0)
                return code;
        world->scheduler = scheduler_new(&(struct scheduler_config){
                .cluster = world->cluster,
                .object_cache = world->object_cache,
                .profile_count = world->profiles.count,
                .profiles = world->profiles.items,
                .seed = 1,
        });
        return 0;
}

static void pod_free(struct perf_pod *pod) {
        free(pod->ns);
        free(pod->name);
        free(pod->uid);
        for (size_t i = 0; i < pod->claim_count; i++)
                free(pod->claims[i]);
        free(pod->claims);
        free(pod->text);
        free(pod->labels);
        free(pod->node);
        free(pod->nomination);
        free(pod->reason);
        free(pod->message);
        free(pod);
}

void perf_world_release(struct perf_world *world) {
        scheduler_free(world->scheduler);
        sched_profile_list_release(&world->profiles);
        scheduler_configuration_free(world->configuration);
        cluster_free(world->cluster);
        object_cache_free(world->object_cache);
        action_list_release(&world->actions);
        action_list_release(&world->answers);
        for (size_t i = 0; i < world->count; i++)
                pod_free(world->all[i]);
        free(world->all);
        free(world->news);
        map_free(world->pods);
        map_free_values(world->claim_templates);
        arena_release(&world->scratch);
        arena_release(&world->answer_arena);
}

/* ---- pods ---- */

static void name_key(struct slice ns, struct slice name, struct buf *key) {
        buf_clear(key);
        buf_slice(key, ns);
        buf_char(key, '/');
        buf_slice(key, name);
}

struct perf_pod *perf_world_find_pod(const struct perf_world *world, struct slice ns,
                                     struct slice name) {
        CLEANUP(buf_release) struct buf key = { 0 };
        name_key(ns, name, &key);
        return map_get(world->pods, buf_view(&key));
}

static struct perf_pod *add_pod(struct perf_world *world, struct slice ns, struct slice name) {
        CLEANUP(buf_release) struct buf key = { 0 };
        struct perf_pod *pod = xcalloc(1, sizeof(*pod));
        pod->ns = slice_dup(ns);
        pod->name = slice_dup(name);
        if (world->count == world->cap) {
                world->cap = world->cap == 0 ? 1024 : 2 * world->cap;
                world->all = xreallocarray(world->all, world->cap, sizeof(struct perf_pod *));
        }
        world->all[world->count++] = pod;
        name_key(ns, name, &key);
        map_put(world->pods, buf_view(&key), pod);
        return pod;
}

static void set_text(char **text, struct slice value) {
        free(*text);
        *text = slice_is_empty(value) ? NULL : slice_dup(value);
}

static char *join_labels(const struct json_node *labels) {
        struct buf text = { 0 };
        struct node_iter iter = node_iter(labels);
        struct slice key;
        struct json_node *value;
        buf_char(&text, '\n');
        while (node_next(&iter, &key, &value))
                buf_printf(&text, SLICE_FMT "=" SLICE_FMT "\n", SLICE_ARG(key),
                           SLICE_ARG(node_get_slice(value)));
        return buf_take(&text, NULL);
}

/* Everything about the pod that the scheduler may have written, over its decoded object. */
static int perf_world_decode(struct perf_world *world, const struct perf_pod *own,
                             const struct json_doc *doc, struct pod *ret_pod, struct err *err) {
        struct arena *arena = &world->scratch;
        int code = pod_decode(json_doc_root(doc), arena, ret_pod, err);
        if (code < 0)
                return code;
        if (own->node) {
                ret_pod->spec.node_name = slice_of(own->node);
                ret_pod->status.phase = POD_RUNNING;
        }
        if (own->is_leaving)
                ret_pod->meta.deleted = perf_world_wall(world);
        ret_pod->status.nominated_node = slice_of(own->nomination);
        if (own->reason && !own->node) {
                struct condition *condition = ARENA_NEW(arena, struct condition);
                *condition = (struct condition){ .type = SLICE_LITERAL("PodScheduled"),
                                                 .status = CONDITION_FALSE,
                                                 .reason = slice_of(own->reason),
                                                 .message = slice_of(own->message) };
                ret_pod->status.conditions = condition;
                ret_pod->status.condition_count = 1;
        }
        return 0;
}

static void perf_world_announce(struct perf_world *world, struct perf_pod *pod) {
        if (world->news_count == world->news_cap) {
                world->news_cap = world->news_cap == 0 ? FLUSH_PODS : 2 * world->news_cap;
                world->news =
                        xreallocarray(world->news, world->news_cap, sizeof(struct perf_pod *));
        }
        world->news[world->news_count++] = pod;
}

int perf_world_put_pod(struct perf_world *world, struct json_tree *tree, struct perf_pod **ret_pod,
                       struct err *err) {
        const struct json_node *object = json_tree_root(tree);
        struct json_node *meta = node_get(object, "metadata"), *spec = node_get(object, "spec");
        struct slice ns = node_get_text(meta, "namespace"), name = node_get_text(meta, "name");
        struct buf text = { 0 };
        if (slice_is_empty(ns) || slice_is_empty(name))
                return err_set(err, BERTH_ERR_INVALID, "expected a pod with namespace and name");
        struct perf_pod *pod = perf_world_find_pod(world, ns, name);
        bool is_new = !pod;
        if (!pod)
                pod = add_pod(world, ns, name);
        free(pod->uid);
        pod->uid = slice_dup(node_get_text(meta, "uid"));
        int code = is_new ? perf_claims_make(world, tree, pod, err) : 0;
        if (code < 0)
                return code;
        free(pod->text);
        free(pod->labels);
        node_write(object, &text);
        pod->text = buf_take(&text, NULL);
        pod->labels = join_labels(node_get(meta, "labels"));
        pod->is_gated = node_count(node_get(spec, "schedulingGates")) > 0;
        pod->has_finalizers = node_count(node_get(meta, "finalizers")) > 0;
        if (!slice_is_empty(node_get_text(spec, "nodeName")) && !pod->node)
                pod->node = slice_dup(node_get_text(spec, "nodeName"));
        perf_world_announce(world, pod);
        if (ret_pod)
                *ret_pod = pod;
        return 0;
}

static int flush_some(struct perf_world *world, struct perf_pod *const *pods, size_t count,
                      struct err *err) {
        struct json_doc *docs[FLUSH_PODS] = { 0 };
        struct pod *decoded = ARENA_ARRAY(&world->scratch, struct pod, count);
        size_t read = 0;
        int code = 0;
        for (; code == 0 && read < count; read++) {
                code = json_parse(slice_of(pods[read]->text), &docs[read], err);
                if (code == 0)
                        code = perf_world_decode(world, pods[read], docs[read], &decoded[read],
                                                 err);
        }
        int64_t started = perf_world_start(world);
        for (size_t i = 0; code == 0 && i < count; i++)
                if (!pods[i]->is_gone)
                        cluster_put_pod(world->cluster, &decoded[i]);
        perf_world_stop(world, started);
        for (size_t i = 0; i < read; i++)
                json_doc_free(docs[i]);
        arena_clear(&world->scratch);
        return code;
}

int perf_world_flush(struct perf_world *world, struct err *err) {
        size_t done = 0;
        int code = 0;
        while (code == 0 && done < world->news_count) {
                size_t left = world->news_count - done;
                size_t count = left < FLUSH_PODS ? left : FLUSH_PODS;
                code = flush_some(world, world->news + done, count, err);
                done += count;
        }
        world->news_count = 0;
        return code;
}

int perf_world_delete_pod(struct perf_world *world, struct perf_pod *pod, struct err *err) {
        CLEANUP(buf_release) struct buf key = { 0 };
        if (pod->is_gone)
                return 0;
        if (pod->has_finalizers) {
                pod->is_leaving = true;
                perf_world_announce(world, pod);
                return 0;
        }
        int code = perf_world_flush(world, err);
        if (code < 0)
                return code;
        pod->is_gone = true;
        free(pod->text);
        pod->text = NULL;
        perf_claims_release(world, pod);
        name_key(slice_of(pod->ns), slice_of(pod->name), &key);
        map_remove(world->pods, buf_view(&key));
        int64_t started = perf_world_start(world);
        cluster_remove_pod(world->cluster, slice_of(pod->ns), slice_of(pod->name));
        perf_world_stop(world, started);
        return 0;
}

/* ---- what the scheduler wants ---- */

struct perf_answer { /* to one action */
        int code;
        struct err err;
        struct slice body;
};

/* Patches of a pod's status name the claim for its extended resources. */
static int patch_pod(struct perf_pod *pod, struct slice body, struct err *err) {
        CLEANUP(cleanup_json_doc) struct json_doc *doc = NULL;
        int code = json_parse(body, &doc, err);
        struct slice claim = json_get_text(
                json_get(json_get(json_doc_root(doc), "status"), "extendedResourceClaimStatus"),
                "resourceClaimName");
        if (code < 0 || slice_is_empty(claim))
                return code;
        pod->claims = xreallocarray(pod->claims, pod->claim_count + 1, sizeof(pod->claims[0]));
        pod->claims[pod->claim_count++] = slice_dup(claim);
        return 0;
}

static int perf_world_perform(struct perf_world *world, const struct action *action,
                              struct perf_answer *ret_answer, struct err *err) {
        if (slice_is(action->target.kind, "ResourceClaim") &&
            (action->kind == ACTION_PATCH_OBJECT || action->kind == ACTION_DELETE_OBJECT)) {
                ret_answer->code = perf_claims_write(world, action, &world->answer_arena,
                                                     &ret_answer->body, &ret_answer->err);
                return 0;
        }
        struct perf_pod *pod = perf_world_find_pod(world, action->target.ns, action->target.name);
        if (!pod)
                return 0;
        switch (action->kind) {
        case ACTION_BIND:
                set_text(&pod->node, action->bind.node);
                world->progress++;
                set_text(&pod->nomination, SLICE_EMPTY);
                perf_world_announce(world, pod);
                return 0;
        case ACTION_POD_STATUS:
                if (action->status.sets_nomination)
                        set_text(&pod->nomination, action->status.nomination);
                world->progress += !pod->reason;
                if (action->status.sets_condition) {
                        set_text(&pod->reason, action->status.reason);
                        set_text(&pod->message, action->status.message);
                }
                perf_world_announce(world, pod);
                return 0;
        case ACTION_PREEMPT_POD:
                return perf_world_delete_pod(world, pod, err);
        case ACTION_PATCH_OBJECT:
                return slice_is(action->target.kind, "Pod")
                               ? patch_pod(pod, action->patch.body, err)
                               : 0;
        default:
                return 0; /* events */
        }
}

static void perf_world_report(struct perf_world *world, const struct action_list *actions,
                              const struct perf_answer *given, struct action_list *answers) {
        int64_t started = perf_world_start(world);
        for (size_t i = 0; i < actions->count; i++) {
                const struct action *action = &actions->items[i];
                struct action_result result = { .id = action->id,
                                                .kind = action->kind,
                                                .target = action->target,
                                                .code = given[i].code,
                                                .text = slice_of(given[i].err.text),
                                                .body = given[i].body,
                                                .retry_after_s = -1 };
                scheduler_result(world->scheduler, &result, perf_world_mono(world),
                                 perf_world_wall(world), answers);
        }
        perf_world_stop(world, started);
}

/* What answers to actions make the scheduler want next. */
static int perform_all(struct perf_world *world, struct err *err) {
        int code = 0;
        while (code == 0 && world->actions.count > 0) {
                arena_clear(&world->answer_arena);
                struct perf_answer *given =
                        ARENA_ARRAY(&world->answer_arena, struct perf_answer, world->actions.count);
                memset(given, 0, world->actions.count * sizeof(given[0]));
                for (size_t i = 0; code == 0 && i < world->actions.count; i++)
                        code = perf_world_perform(world, &world->actions.items[i], &given[i], err);
                if (code == 0)
                        code = perf_world_flush(world, err);
                world->answers.next_id = world->actions.next_id; /* ids stay unique */
                perf_world_report(world, &world->actions, given, &world->answers);
                struct action_list done = world->actions;
                world->actions = world->answers;
                world->answers = done;
                action_list_clear(&world->answers);
        }
        return code;
}

int perf_world_step(struct perf_world *world, bool *ret_worked, struct err *err) {
        int code = perf_world_flush(world, err);
        if (code < 0)
                return code;
        int64_t started = perf_world_start(world);
        struct scheduler_progress progress =
                scheduler_step(world->scheduler, perf_world_mono(world), perf_world_wall(world),
                               STEP_DECISIONS, &world->actions);
        perf_world_stop(world, started);
        world->decisions += progress.decisions;
        *ret_worked = progress.decisions > 0 || progress.has_more || world->actions.count > 0;
        return perform_all(world, err);
}
