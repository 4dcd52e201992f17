/* Readings that the agent got, stored until they are forgotten. */
#include "reboot/reboot_agent_priv.h"

#include "base/buf.h"
#include "base/util.h"
#include <stdio.h>

void agent_forget(struct reboot_agent *agent, enum agent_scope scope) {
        agent->knows_pods = agent->knows_health = false;
        if (scope == SCOPE_PODS)
                return;
        agent->knows_node = false;
        if (scope == SCOPE_NODE)
                return;
        agent->knows_sentinel = agent->knows_lock = agent->knows_blockers = false;
        agent->knows_holder = agent->knows_peers = agent->is_taint_skipped = false;
}

bool agent_needs(struct agent_step *step, enum reboot_read read) {
        const struct reboot_agent *agent = step->agent;
        const bool known[REBOOT_READ_COUNT] = {
                [REBOOT_READ_SENTINEL] = agent->knows_sentinel,
                [REBOOT_READ_NODE] = agent->knows_node,
                [REBOOT_READ_LOCK] = agent->knows_lock,
                [REBOOT_READ_BLOCKERS] = agent->knows_blockers,
                [REBOOT_READ_PODS] = agent->knows_pods,
                [REBOOT_READ_PEERS] = agent->knows_peers,
                [REBOOT_READ_HOLDER] = agent->knows_holder,
                [REBOOT_READ_HEALTH] = agent->knows_health,
        };

        if (known[read])
                return true;
        step->agent->reading = read;
        step->next->read = read;
        step->next->holder = slice_of(agent->holder);
        step->next->is_uncordoned = agent->phase == REBOOT_RELEASING;
        step->next->is_last_look = agent->wants_last_look;
        return false;
}

void agent_note_trouble(struct reboot_agent *agent, const char *what, int code) {
        snprintf(agent->trouble, sizeof(agent->trouble), "%s: %s", what, err_reason(code));
}

/* The reading came to an end; false: it failed, and is repeated later. */
static bool reboot_agent_readings_answered(struct reboot_agent *agent, int code) {
        static const char *const failures[REBOOT_READ_COUNT] = {
                [REBOOT_READ_NODE] = "the node cannot be read",
                [REBOOT_READ_LOCK] = "the lock cannot be read",
                [REBOOT_READ_PODS] = "the pods of the node cannot be read",
        };
        const char *failure = failures[agent->reading];

        agent->reading = REBOOT_READ_NOTHING;
        if (code == BERTH_OK)
                return true;
        agent_note_trouble(agent, failure ? failure : "a reading failed", code);
        agent->errors++;
        agent->must_pause = true;
        agent->stats.errors++;
        return false;
}

void agent_confirms(struct reboot_agent *agent, struct slice version) {
        if (!agent->awaits_effect)
                return;
        agent->awaits_effect = false;
        if (!slice_is(version, agent->written_version)) {
                agent->errors = 0;
                return;
        }
        snprintf(agent->trouble, sizeof(agent->trouble), "%s: answered as done, without effect",
                 agent->pending_kind == ACTION_PATCH_OBJECT ? "the lock cannot be written"
                                                            : "the node cannot be written");
        agent->errors++;
        agent->stats.errors++;
        agent->must_pause = true;
        agent->may_reboot = false;
}

void reboot_agent_saw_sentinel(struct reboot_agent *agent, bool is_required) {
        reboot_agent_readings_answered(agent, BERTH_OK);
        agent->knows_sentinel = true;
        agent->is_required = is_required;
        agent->was_required = agent->was_required || is_required;
        agent->stats.is_required = is_required;
}

void reboot_agent_saw_node(struct reboot_agent *agent, int code, struct json_doc *node) {
        agent->node_is_gone = code == BERTH_ERR_NOT_FOUND;
        if (!reboot_agent_readings_answered(agent, agent->node_is_gone ? BERTH_OK : code)) {
                json_doc_free(node);
                return;
        }
        agent->knows_node = agent->node_is_newer = true;
        arena_clear(&agent->node_arena);
        node_facts_take(&agent->node, node, agent->config->taint_key, &agent->node_arena);
        agent->was_required = agent->was_required || agent->node.is_forced;
        if (agent->pending_kind == ACTION_PATCH_NODE)
                agent_confirms(agent, agent->node.version);
}

void reboot_agent_saw_lock(struct reboot_agent *agent, int code, struct json_doc *object) {
        struct err err = { 0 };

        agent->lock_is_missing = code == BERTH_ERR_NOT_FOUND;
        if (!reboot_agent_readings_answered(agent, agent->lock_is_missing ? BERTH_OK : code)) {
                json_doc_free(object);
                return;
        }
        json_doc_free(agent->lock_doc);
        agent->lock_doc = object;
        agent->knows_lock = true;
        agent->node_is_newer = false;
        agent->lock = (struct reboot_lock){ 0 };
        arena_clear(&agent->lock_arena);
        const struct json *meta = json_get(json_doc_root(object), "metadata");
        const struct json *annotations = json_get(meta, "annotations");
        if (agent->pending_kind == ACTION_PATCH_OBJECT)
                agent_confirms(agent, json_get_text(meta, "resourceVersion"));
        const struct json *value = json_get_slice(annotations, agent->config->lock_annotation);
        agent->lock_is_broken = reboot_lock_parse(json_text(value), value, &agent->lock_arena,
                                                  &agent->lock, &err) < 0;
        agent->lock_error = arena_slice(&agent->lock_arena, slice_of(err.text));
}

void reboot_agent_saw_blockers(struct reboot_agent *agent, struct slice reason) {
        reboot_agent_readings_answered(agent, BERTH_OK);
        agent->knows_blockers = true;
        arena_clear(&agent->blocker_arena);
        agent->blocker = arena_slice(&agent->blocker_arena, reason);
        agent->blocking_pod = (struct object_ref){ 0 };
}

void reboot_agent_saw_blocking_pod(struct reboot_agent *agent, struct slice ns, struct slice name) {
        CLEANUP(buf_release) struct buf reason = { 0 };

        buf_printf(&reason, "pod " SLICE_FMT "/" SLICE_FMT, SLICE_ARG(ns), SLICE_ARG(name));
        reboot_agent_saw_blockers(agent, buf_view(&reason));
        agent->blocking_pod =
                (struct object_ref){ .kind = SLICE_LITERAL("Pod"),
                                     .ns = arena_slice(&agent->blocker_arena, ns),
                                     .name = arena_slice(&agent->blocker_arena, name) };
}

static struct drain_pod copy_pod(const struct drain_pod *pod, struct arena *arena) {
        struct drain_pod copy = *pod;

        copy.ns = arena_slice(arena, pod->ns);
        copy.name = arena_slice(arena, pod->name);
        copy.uid = arena_slice(arena, pod->uid);
        copy.daemon_set = arena_slice(arena, pod->daemon_set);
        copy.labels.items = ARENA_ARRAY(arena, struct label, pod->labels.count);
        for (size_t i = 0; i < pod->labels.count; i++)
                copy.labels.items[i] = (struct label){
                        arena_slice(arena, pod->labels.items[i].key),
                        arena_slice(arena, pod->labels.items[i].value),
                };
        return copy;
}

void reboot_agent_saw_pods(struct reboot_agent *agent, int code,
                           const struct drain_listing *listing) {
        struct drain_rules rules = { &agent->config->drain_selector,
                                     agent->config->skip_wait_for_delete_s };
        struct arena *arena = &agent->pods_arena;

        if (!reboot_agent_readings_answered(agent, code))
                return;
        agent->knows_pods = true;
        arena_clear(arena);
        agent->lacks_eviction = listing->lacks_eviction;
        agent->pods_are_copy = listing->is_copy;
        agent->wants_last_look = agent->wants_last_look && listing->is_copy;
        agent->pods.count = listing->pods->count;
        agent->pods.items = ARENA_ARRAY(arena, struct drain_pod, listing->pods->count);
        for (size_t i = 0; i < listing->pods->count; i++)
                agent->pods.items[i] = copy_pod(&listing->pods->items[i], arena);
        agent->impossible = drain_impossible(&agent->pods, &rules, listing->budgets,
                                             (struct wall_time){ 0 }, arena, &agent->deadlock);
}

void reboot_agent_saw_refusal(struct reboot_agent *agent, struct slice pod_uid, struct slice text) {
        arena_clear(&agent->refusal_arena);
        agent->refusal.pod_uid = arena_slice(&agent->refusal_arena, pod_uid);
        agent->refusal.text = arena_slice(&agent->refusal_arena, text);
}

void reboot_agent_saw_peers(struct reboot_agent *agent, uint32_t waiting_before) {
        reboot_agent_readings_answered(agent, BERTH_OK);
        agent->knows_peers = true;
        agent->waiting_before = waiting_before;
}

uint32_t reboot_peers_before(const struct json *nodes, struct slice node) {
        return fleet_waiting_before(nodes, node);
}

void reboot_agent_saw_nodes(struct reboot_agent *agent, const struct json *nodes) {
        const struct reboot_config *config = agent->config;

        reboot_agent_saw_peers(agent, nodes ? fleet_waiting_before(nodes, config->node) : 0);
        arena_clear(&agent->peers_arena);
        agent->fleet = (struct fleet_answer){ 0 };
        agent->cap_reason = SLICE_EMPTY;
        if (!nodes || !fleet_rules_ask(&config->fleet))
                return;
        fleet_judge(nodes, config->node, &config->fleet, &agent->peers_arena, &agent->fleet);
        agent->cap_reason =
                fleet_cap_reason(nodes, config->node, &config->fleet, &agent->peers_arena);
}

void reboot_agent_saw_health(struct reboot_agent *agent, struct slice reason) {
        reboot_agent_readings_answered(agent, BERTH_OK);
        agent->knows_health = true;
        arena_clear(&agent->health_arena);
        agent->ill = arena_slice(&agent->health_arena, reason);
}

void reboot_agent_saw_holder(struct reboot_agent *agent, int code) {
        agent->holder_is_gone = code == BERTH_ERR_NOT_FOUND;
        reboot_agent_readings_answered(agent, BERTH_OK); /* unknown counts as present */
        agent->knows_holder = true;
}
