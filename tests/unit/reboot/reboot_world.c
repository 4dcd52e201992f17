/* Carries out what agents ask for. */
#include "reboot_world.h"

#include "api/merge_patch.h"
#include "base/util.h"
#include "reboot/node_facts.h"
#include "reboot/reboot_lock.h"
#include <stdio.h>
#include <stdlib.h>

static const char node_json[] =
        "{\"metadata\":{\"name\":\"%s\",\"uid\":\"u\",\"resourceVersion\":\"1\"},\"spec\":{"
        "\"taints\":[{\"key\":\"other\",\"effect\":\"NoSchedule\"}]},\"status\":{\"conditions\":"
        "[{\"type\":\"Ready\",\"status\":\"True\"}]}}";
static const char lock_json[] =
        "{\"metadata\":{\"name\":\"kured\",\"resourceVersion\":\"1\"},\"spec\":{\"unknown\":{"
        "\"field\":[1,2.5,null]}}}";

static struct json_tree *parse(const char *text) {
        struct json_tree *tree = NULL;

        json_tree_parse(slice_of(text), &tree, NULL);
        return tree;
}

static void node_defaults(struct world *world, struct world_node *node) {
        node->config = (struct reboot_config){
                .node = slice_of(node->name),
                .period_ns = 60 * NS_PER_S,
                .reboot_timeout_ns = 600 * NS_PER_S,
                .drain_grace_s = -1,
                .lock_kind = SLICE_LITERAL("DaemonSet"),
                .lock_ns = SLICE_LITERAL("kube-system"),
                .lock_name = SLICE_LITERAL("kured"),
                .lock_annotation = SLICE_LITERAL("weave.works/kured-node-lock"),
                .concurrency = world->limit,
                .taint_key = SLICE_LITERAL("reboot"),
                .window = { .days = 127, .end_s = 86399 },
                .drain_message = SLICE_LITERAL("Draining node %s"),
                .reboot_message = SLICE_LITERAL("Rebooting node %s"),
                .uncordon_message = SLICE_LITERAL("Node %s rebooted & uncordoned successfully!"),
        };
}

void world_init(struct world *world, size_t node_count, uint32_t limit) {
        *world = (struct world){ .node_count = node_count, .version = 1, .limit = limit };
        rng_init(&world->rng, 1);
        world->now.wall.ns = 1700000000 * NS_PER_S;
        world->now.mono.ns = 1000 * NS_PER_S;
        world->lock_object = parse(lock_json);
        for (size_t i = 0; i < node_count; i++) {
                struct world_node *node = &world->nodes[i];
                char text[512];

                node->world = world;
                node->clears_need = true;
                snprintf(node->name, sizeof(node->name), "n%zu", i + 1);
                snprintf(text, sizeof(text), node_json, node->name);
                node->object = parse(text);
                node_defaults(world, node);
                action_list_init(&node->actions);
        }
}

void world_release(struct world *world) {
        for (size_t i = 0; i < world->node_count; i++) {
                reboot_agent_free(world->nodes[i].agent);
                json_tree_free(world->nodes[i].object);
                action_list_release(&world->nodes[i].actions);
        }
        json_tree_free(world->lock_object);
        buf_release(&world->notices);
}

static void note(struct world *world, char letter) {
        if (world->log_len + 1 < WORLD_LOG_MAX)
                world->log[world->log_len++] = letter;
        world->log[world->log_len] = '\0';
}

static bool happens(struct world *world, unsigned per_mille) {
        return per_mille > 0 && rng_below(&world->rng, 1000) < per_mille;
}

static void problem(struct world *world, const struct world_node *node, const char *text) {
        if (world->problem[0] == '\0')
                snprintf(world->problem, sizeof(world->problem), "%s: %s (log %.60s)", node->name,
                         text, world->log + (world->log_len > 60 ? world->log_len - 60 : 0));
}

/* ---- looking ---- */

static struct json_doc *document(const struct json_tree *tree) {
        struct buf text = { 0 };
        struct json_doc *doc = NULL;

        node_write(json_tree_root(tree), &text);
        json_parse(buf_view(&text), &doc, NULL);
        buf_release(&text);
        return doc;
}

struct slice world_annotation(const struct world *world, size_t index, const char *key) {
        return node_get_text(
                node_get(node_get(json_tree_root(world->nodes[index].object), "metadata"),
                         "annotations"),
                key);
}

struct slice world_lock(const struct world *world) {
        return node_get_text(
                node_get(node_get(json_tree_root(world->lock_object), "metadata"), "annotations"),
                "weave.works/kured-node-lock");
}

void world_set_lock(struct world *world, const char *text) {
        struct json_node *meta = node_get(json_tree_root(world->lock_object), "metadata");
        struct json_node *annotations = node_need_object(world->lock_object, meta, "annotations");
        char version[24];

        if (text)
                node_put_string(world->lock_object, annotations, "weave.works/kured-node-lock",
                                text);
        else
                node_remove(annotations, "weave.works/kured-node-lock");
        snprintf(version, sizeof(version), "%lld", (long long)++world->version);
        node_put_string(world->lock_object, meta, "resourceVersion", version);
}

bool world_is_cordoned(const struct world *world, size_t index) {
        return node_is_true(node_get(node_get(json_tree_root(world->nodes[index].object), "spec"),
                                     "unschedulable"));
}

bool world_has_taint(const struct world *world, size_t index) {
        struct node_iter iter = node_iter(
                node_get(node_get(json_tree_root(world->nodes[index].object), "spec"), "taints"));
        struct json_node *taint;

        while (node_next(&iter, NULL, &taint))
                if (slice_is(node_get_text(taint, "key"), "reboot") &&
                    slice_is(node_get_text(taint, "effect"), "PreferNoSchedule"))
                        return true;
        return false;
}

bool world_is_clean(const struct world *world) {
        struct slice lock = world_lock(world);

        if (lock.len > 0 && slice_contains(lock, SLICE_LITERAL("nodeID")))
                return false;
        for (size_t i = 0; i < world->node_count; i++)
                if (world->nodes[i].object &&
                    (world_is_cordoned(world, i) != world->nodes[i].was_cordoned ||
                     world_has_taint(world, i) ||
                     world_annotation(world, i, REBOOT_RECORD_ANNOTATION).len > 0))
                        return false;
        return true;
}

static void record_of(struct world *world, size_t index, struct arena *arena,
                      struct reboot_record *ret_record) {
        reboot_record_parse(world_annotation(world, index, REBOOT_RECORD_ANNOTATION), arena,
                            ret_record);
}

/* I1 with a lock that does not expire: between cordon and uncordon never more than the limit. */
static void check_limit(struct world *world, const struct world_node *node) {
        CLEANUP(arena_release) struct arena arena;
        uint32_t active = 0;

        arena_init(&arena, 0);
        for (size_t i = 0; i < world->node_count; i++) {
                struct reboot_record record;

                if (!world->nodes[i].object)
                        continue;
                record_of(world, i, &arena, &record);
                active += record.phase >= REBOOT_DRAINING && record.phase <= REBOOT_REBOOTING;
                if (world->nodes[i].was_cordoned && !world_is_cordoned(world, i))
                        problem(world, node, "I2: uncordoned what others had cordoned");
        }
        if (node->config.lock_ttl_ns == 0 && active > world->limit)
                problem(world, node, "I1: more nodes than the limit");
}

/* ---- writing ---- */

static bool write_object(struct world *world, struct json_tree **object, struct slice body,
                         bool is_patch) {
        struct json_tree *change = NULL;
        struct json_node *meta;
        char version[24];
        bool is_current;

        if (json_tree_parse(body, &change, NULL) < 0)
                return false;
        meta = node_get(json_tree_root(change), "metadata");
        is_current = slice_eq(
                node_get_text(meta, "resourceVersion"),
                node_get_text(node_get(json_tree_root(*object), "metadata"), "resourceVersion"));
        if (is_current && is_patch) {
                merge_patch_apply(*object, json_tree_root(change), NULL);
        } else if (is_current) {
                json_tree_free(*object);
                *object = change;
                change = NULL;
        }
        json_tree_free(change);
        if (!is_current)
                return false;
        snprintf(version, sizeof(version), "%lld", (long long)++world->version);
        node_put_string(*object, node_get(json_tree_root(*object), "metadata"), "resourceVersion",
                        version);
        return true;
}

static int write_result(struct world *world, struct json_tree **object, struct slice body,
                        bool is_patch) {
        if (world->api_is_down)
                return BERTH_ERR_UNAVAILABLE;
        if (!*object)
                return BERTH_ERR_NOT_FOUND;
        if (happens(world, world->conflicts) || !write_object(world, object, body, is_patch))
                return BERTH_ERR_CONFLICT;
        return happens(world, world->losses) ? BERTH_ERR_TIMEOUT : BERTH_OK;
}

static int patch_node(struct world *world, struct world_node *node, const struct action *action) {
        CLEANUP(arena_release) struct arena arena;
        size_t index = (size_t)(node - world->nodes);
        struct reboot_record before, after;
        bool was_tainted = world_has_taint(world, index), was = world_is_cordoned(world, index);
        int code;

        arena_init(&arena, 0);
        record_of(world, index, &arena, &before);
        code = write_result(world, &node->object, action->patch.body, true);
        record_of(world, index, &arena, &after);
        if (was_tainted != world_has_taint(world, index))
                note(world, was_tainted ? 't' : 'T');
        if (was != world_is_cordoned(world, index))
                note(world, was ? 'c' : 'C');
        if (before.phase != after.phase)
                note(world, (char)('0' + after.phase));
        if (after.phase == REBOOT_READY)
                node->boots_ordered_since_ready = 0;
        check_limit(world, node);
        return code;
}

static int order_reboot(struct world *world, struct world_node *node) {
        note(world, 'R');
        if (!node->saw_sentinel)
                problem(world, node, "I5: reboot without a need");
        if (node->boots_ordered_since_ready++ > 0)
                problem(world, node, "I6: the same boot rebooted twice");
        if (!slice_contains(world_lock(world), slice_of(node->name)))
                problem(world, node, "I1: reboot without the lock");
        if (node->reboot_fails)
                return BERTH_ERR_IO;
        if (!node->host_hangs)
                node->boots_at = world->now.mono.ns + 30 * NS_PER_S;
        return BERTH_OK;
}

static int perform(struct world *world, struct world_node *node, const struct action *action) {
        int code;

        switch ((int)action->kind) {
        case ACTION_PATCH_NODE:
                return patch_node(world, node, action);
        case ACTION_PATCH_OBJECT:
                code = write_result(world, &world->lock_object, action->patch.body, false);
                note(world, slice_contains(world_lock(world), slice_of(node->name)) ? 'L' : 'l');
                return code;
        case ACTION_REBOOT:
                return order_reboot(world, node);
        case ACTION_RECORD_EVENT:
                snprintf(world->events + strlen(world->events),
                         sizeof(world->events) - strlen(world->events), SLICE_FMT " ",
                         SLICE_ARG(action->event.reason));
                return BERTH_OK;
        case ACTION_NOTIFY:
                buf_slice(&world->notices, action->notify.message);
                buf_char(&world->notices, '\n');
        }
        return BERTH_OK;
}

/* ---- evictions ---- */

static void begin_pass(void *context, const struct evict_pass *pass) {
        (void)context;
        (void)pass;
}

static enum evict_outcome ask(void *context, const struct evict_intent *intent) {
        struct world_node *node = context;

        for (size_t i = 0; i < ARRAY_LEN(node->pods); i++) {
                struct world_pod *pod = &node->pods[i];

                if (!pod->is_there || !slice_eq(pod->name, intent->pod.name))
                        continue;
                note(node->world, 'E');
                if (!slice_is(intent->pod.uid, pod->uid))
                        problem(node->world, node, "evicted another pod of the name");
                if (pod->refusals > 0)
                        pod->refusals--;
                else
                        pod->deleted.ns = node->world->now.wall.ns;
        }
        return EVICT_DONE;
}

static void pods_go(struct world_node *node) {
        for (size_t i = 0; i < ARRAY_LEN(node->pods); i++) {
                struct world_pod *pod = &node->pods[i];

                if (pod->is_there && wall_time_is_set(pod->deleted) && pod->dying_s-- <= 0)
                        pod->is_there = false;
        }
}

/* ---- processes ---- */

static struct evict_sink sinks[WORLD_NODES_MAX];

void world_start(struct world *world, size_t index) {
        struct world_node *node = &world->nodes[index];
        char boot[16];

        snprintf(boot, sizeof(boot), "boot-%d", node->boot);
        sinks[index] = (struct evict_sink){ node, begin_pass, ask };
        node->agent = reboot_agent_new(&node->config, slice_of(boot), &sinks[index]);
        node->saw_sentinel = false;
}

void world_kill(struct world *world, size_t index) {
        reboot_agent_free(world->nodes[index].agent);
        world->nodes[index].agent = NULL;
}

static void answer_pods(struct world_node *node) {
        struct drain_pod items[ARRAY_LEN(node->pods)];
        struct drain_pods pods = { 0, items };

        for (size_t i = 0; i < ARRAY_LEN(node->pods); i++) {
                struct world_pod *pod = &node->pods[i];

                if (pod->is_there)
                        items[pods.count++] = (struct drain_pod){ .ns = pod->ns,
                                                                  .name = pod->name,
                                                                  .uid = slice_of(pod->uid),
                                                                  .deleted = pod->deleted };
        }
        reboot_agent_saw_pods(node->agent, BERTH_OK, &(struct drain_listing){ .pods = &pods });
}

static void answer_holder(struct world *world, struct world_node *node, struct slice holder) {
        for (size_t i = 0; i < world->node_count; i++)
                if (slice_is(holder, world->nodes[i].name) && world->nodes[i].object) {
                        reboot_agent_saw_holder(node->agent, BERTH_OK);
                        return;
                }
        reboot_agent_saw_holder(node->agent, BERTH_ERR_NOT_FOUND);
}

static void answer_peers(struct world *world, struct world_node *node) {
        struct buf list = { 0 };
        struct json_doc *doc = NULL;

        buf_text(&list, "{\"items\":[");
        for (size_t i = 0; i < world->node_count; i++) {
                buf_text(&list, i ? "," : "");
                node_write(json_tree_root(world->nodes[i].object), &list);
        }
        buf_text(&list, "]}");
        json_parse(buf_view(&list), &doc, NULL);
        buf_release(&list);
        reboot_agent_saw_nodes(node->agent, json_doc_root(doc));
        json_doc_free(doc);
}

static int read_code(struct world *world, const struct json_tree *object) {
        if (world->api_is_down || happens(world, world->read_failures))
                return BERTH_ERR_UNAVAILABLE;
        return object ? BERTH_OK : BERTH_ERR_NOT_FOUND;
}

static void answer(struct world *world, struct world_node *node, const struct reboot_turn *turn) {
        int code;

        switch (turn->read) {
        case REBOOT_READ_SENTINEL:
                node->saw_sentinel = node->saw_sentinel || node->is_required;
                reboot_agent_saw_sentinel(node->agent, node->is_required);
                return;
        case REBOOT_READ_NODE:
                code = read_code(world, node->object);
                reboot_agent_saw_node(node->agent, code,
                                      code == BERTH_OK ? document(node->object) : NULL);
                return;
        case REBOOT_READ_LOCK:
                code = read_code(world, world->lock_object);
                reboot_agent_saw_lock(node->agent, code,
                                      code == BERTH_OK ? document(world->lock_object) : NULL);
                return;
        case REBOOT_READ_BLOCKERS:
                reboot_agent_saw_blockers(node->agent, node->blocker);
                return;
        case REBOOT_READ_PODS:
                if (read_code(world, node->object) == BERTH_OK)
                        answer_pods(node);
                else
                        reboot_agent_saw_pods(node->agent, BERTH_ERR_UNAVAILABLE, NULL);
                return;
        case REBOOT_READ_PEERS:
                answer_peers(world, node);
                return;
        case REBOOT_READ_HOLDER:
                answer_holder(world, node, turn->holder);
                return;
        case REBOOT_READ_HEALTH:
                reboot_agent_saw_health(node->agent,
                                        turn->is_uncordoned ? node->aftermath : node->illness);
                return;
        case REBOOT_READ_NOTHING:
        case REBOOT_READ_COUNT:
                return;
        }
}

/* Performs what was asked; true when the agent was killed over it. */
static bool act(struct world *world, struct world_node *node) {
        size_t index = (size_t)(node - world->nodes), count = node->actions.count;
        struct action_result result = { 0 };

        for (size_t i = 0; i < count; i++) {
                struct action *action = &node->actions.items[i];

                result = (struct action_result){ .id = action->id, .kind = action->kind };
                result.code = perform(world, node, action);
                if (happens(world, world->kills)) {
                        world_kill(world, index);
                        break;
                }
                reboot_agent_result(node->agent, &result);
        }
        action_list_clear(&node->actions);
        return !node->agent;
}

/* One agent until it waits; letter != 0 stops at once when it was logged. */
static bool turn_agent(struct world *world, struct world_node *node, char letter) {
        struct reboot_turn turn;
        size_t from = world->log_len;

        for (int i = 0; i < 200 && node->agent; i++) {
                reboot_agent_step(node->agent, &world->now, &node->actions, &turn);
                if (turn.read != REBOOT_READ_NOTHING)
                        answer(world, node, &turn);
                else if (node->actions.count == 0)
                        return letter && memchr(world->log + from, letter, world->log_len - from);
                if (act(world, node))
                        return false;
                if (letter && memchr(world->log + from, letter, world->log_len - from))
                        return true;
        }
        if (node->agent)
                problem(world, node, "never waits");
        return false;
}

static void boot(struct world *world, struct world_node *node) {
        size_t index = (size_t)(node - world->nodes);

        if (node->boots_at == 0)
                return;
        if (node->agent) /* the host goes down */
                world_kill(world, index);
        if (world->now.mono.ns < node->boots_at)
                return;
        node->boots_at = 0;
        node->boot++;
        node->boots_ordered_since_ready = 0;
        if (node->clears_need)
                node->is_required = false;
        world_start(world, index);
}

bool world_run_until(struct world *world, char letter, int64_t seconds) {
        for (int64_t s = 0; s < seconds; s++) {
                for (size_t i = 0; i < world->node_count; i++) {
                        struct world_node *node = &world->nodes[i];

                        boot(world, node);
                        pods_go(node);
                        if (node->agent && turn_agent(world, node, letter))
                                return true;
                        if (!node->agent && node->boots_at == 0 && world->kills)
                                world_start(world, i); /* the kubelet restarts it */
                }
                world->now.wall.ns += NS_PER_S;
                world->now.mono.ns += NS_PER_S;
        }
        return false;
}

void world_run(struct world *world, int64_t seconds) {
        world_run_until(world, 0, seconds);
}
