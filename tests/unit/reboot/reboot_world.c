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
        buf_release(&world->story);
}

/* ---- the story ---- */

static void world_note(struct world *world, uint32_t events) {
        if (events && world->step_count < WORLD_STEPS_MAX)
                world->steps[world->step_count++] = events;
}

static uint32_t bit_of(enum world_event event) {
        return event == WORLD_NOTHING    ? 0
               : event == WORLD_ANYTHING ? UINT32_MAX
                                         : UINT32_C(1) << event;
}

static bool world_happened_since(const struct world *world, size_t from, enum world_event event) {
        for (size_t i = from; i < world->step_count; i++)
                if (world->steps[i] & bit_of(event))
                        return true;
        return false;
}

unsigned world_count(const struct world *world, enum world_event event) {
        unsigned count = 0;

        for (size_t i = 0; i < world->step_count; i++)
                count += (world->steps[i] & bit_of(event)) != 0;
        return count;
}

static const char *event_name(int event) {
        static const char *const names[WORLD_PHASES] = {
                [WORLD_TAINT] = "taint",   [WORLD_UNTAINT] = "untaint",
                [WORLD_CORDON] = "cordon", [WORLD_UNCORDON] = "uncordon",
                [WORLD_LOCK] = "lock",     [WORLD_UNLOCK] = "unlock",
                [WORLD_EVICT] = "evict",   [WORLD_REBOOT] = "reboot",
        };

        return event < WORLD_PHASES ? names[event]
                                    : reboot_phase_name((enum reboot_phase)(event - WORLD_PHASES));
}

static void report_steps(const struct world *world, size_t from, struct buf *out) {
        for (size_t i = from, next; i < world->step_count; i = next) {
                const char *comma = "";

                for (int event = 0; event < WORLD_EVENT_COUNT; event++)
                        if (world->steps[i] & bit_of((enum world_event)event)) {
                                buf_printf(out, "%s%s", comma, event_name(event));
                                comma = ", ";
                        }
                for (next = i; next < world->step_count && world->steps[next] == world->steps[i];)
                        next++;
                if (next - i > 1)
                        buf_printf(out, ", %zu times", next - i);
                buf_char(out, '\n');
        }
}

const char *world_story(struct world *world) {
        buf_clear(&world->story);
        report_steps(world, 0, &world->story);
        return world->story.len > 0 ? world->story.data : "";
}

static bool happens(struct world *world, unsigned per_mille) {
        return per_mille > 0 && rng_below(&world->rng, 1000) < per_mille;
}

static void problem(struct world *world, const struct world_node *node, const char *text) {
        struct buf last = { 0 };

        if (world->problem[0])
                return;
        report_steps(world, world->step_count > 8 ? world->step_count - 8 : 0, &last);
        snprintf(world->problem, sizeof(world->problem), "%s: %s, after:\n%s", node->name, text,
                 last.len > 0 ? last.data : "");
        buf_release(&last);
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
        uint32_t events = 0;
        int code;

        arena_init(&arena, 0);
        record_of(world, index, &arena, &before);
        code = write_result(world, &node->object, action->patch.body, true);
        record_of(world, index, &arena, &after);
        if (was_tainted != world_has_taint(world, index))
                events |= bit_of(was_tainted ? WORLD_UNTAINT : WORLD_TAINT);
        if (was != world_is_cordoned(world, index))
                events |= bit_of(was ? WORLD_UNCORDON : WORLD_CORDON);
        if (before.phase != after.phase)
                events |= bit_of((enum world_event)(WORLD_PHASES + (int)after.phase));
        world_note(world, events);
        if (after.phase == REBOOT_READY)
                node->boots_ordered_since_ready = 0;
        check_limit(world, node);
        return code;
}

static int order_reboot(struct world *world, struct world_node *node) {
        world_note(world, bit_of(WORLD_REBOOT));
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
        bool is_ours;
        int code;

        switch ((int)action->kind) {
        case ACTION_PATCH_NODE:
                return patch_node(world, node, action);
        case ACTION_PATCH_OBJECT:
                code = write_result(world, &world->lock_object, action->patch.body, false);
                is_ours = slice_contains(world_lock(world), slice_of(node->name));
                world_note(world, bit_of(is_ours ? WORLD_LOCK : WORLD_UNLOCK));
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
        struct world_node *node = context;

        node->withdrawals += pass->withdraws;
}

static enum evict_outcome ask(void *context, const struct evict_intent *intent) {
        struct world_node *node = context;

        for (size_t i = 0; i < ARRAY_LEN(node->pods); i++) {
                struct world_pod *pod = &node->pods[i];

                if (!pod->is_there || !slice_eq(pod->name, intent->pod.name))
                        continue;
                world_note(node->world, bit_of(WORLD_EVICT));
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

static void answer_pods(struct world_node *node, bool is_last_look) {
        bool is_behind = node->copy_is_behind && !is_last_look;
        struct drain_pod items[ARRAY_LEN(node->pods)];
        struct drain_pods pods = { 0, items };

        for (size_t i = 0; i < ARRAY_LEN(node->pods); i++) {
                struct world_pod *pod = &node->pods[i];

                if (pod->is_there && !is_behind)
                        items[pods.count++] = (struct drain_pod){ .ns = pod->ns,
                                                                  .name = pod->name,
                                                                  .uid = slice_of(pod->uid),
                                                                  .deleted = pod->deleted };
        }
        reboot_agent_saw_pods(node->agent, BERTH_OK,
                              &(struct drain_listing){ .pods = &pods, .is_copy = is_behind });
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

static void answer(struct world *world, struct world_node *node, const struct reboot_next *next) {
        int code;

        switch (next->read) {
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
                        answer_pods(node, next->is_last_look);
                else
                        reboot_agent_saw_pods(node->agent, BERTH_ERR_UNAVAILABLE, NULL);
                return;
        case REBOOT_READ_PEERS:
                answer_peers(world, node);
                return;
        case REBOOT_READ_HOLDER:
                answer_holder(world, node, next->holder);
                return;
        case REBOOT_READ_HEALTH:
                reboot_agent_saw_health(node->agent,
                                        next->is_uncordoned ? node->aftermath : node->illness);
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

/* One agent until it waits; stops at once when the event happens. */
static bool step_agent(struct world *world, struct world_node *node, enum world_event event) {
        struct reboot_next next;
        size_t from = world->step_count;

        for (int i = 0; i < 200 && node->agent; i++) {
                reboot_agent_step(node->agent, &world->now, &node->actions, &next);
                if (next.read != REBOOT_READ_NOTHING)
                        answer(world, node, &next);
                else if (node->actions.count == 0)
                        return world_happened_since(world, from, event);
                if (act(world, node))
                        return false;
                if (world_happened_since(world, from, event))
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

bool world_run_until(struct world *world, enum world_event event, int64_t seconds) {
        for (int64_t s = 0; s < seconds; s++) {
                for (size_t i = 0; i < world->node_count; i++) {
                        struct world_node *node = &world->nodes[i];

                        boot(world, node);
                        pods_go(node);
                        if (node->agent && step_agent(world, node, event))
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
        world_run_until(world, WORLD_NOTHING, seconds);
}
