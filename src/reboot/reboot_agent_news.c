/* What a waiting agent waits for, and whether a change of it is worth another look. */
#include "reboot/reboot_agent_priv.h"

#include <assert.h>

void agent_await(struct agent_step *step, struct object_ref ref) {
        struct reboot_agent *agent = step->agent;

        assert(agent->wait_count < REBOOT_WAITS_MAX);
        agent->waits[agent->wait_count++] =
                (struct object_ref){ .kind = arena_slice(&agent->wait_arena, ref.kind),
                                     .ns = arena_slice(&agent->wait_arena, ref.ns),
                                     .name = arena_slice(&agent->wait_arena, ref.name) };
}

size_t reboot_agent_waits(const struct reboot_agent *agent, const struct object_ref **ret_waits) {
        *ret_waits = agent->waits;
        return agent->is_waiting ? agent->wait_count : 0;
}

static bool has_flag(const struct json *annotations, const char *name) {
        return slice_is(json_get_text(annotations, name), "true");
}

/* Somebody held the node back, let it go, or took its record away. */
static bool node_has_news(const struct reboot_agent *agent, const struct json *annotations) {
        const struct node_facts *node = &agent->node;

        return has_flag(annotations, REBOOT_HOLD_ANNOTATION) != node->is_held ||
               has_flag(annotations, REBOOT_IGNORE_ANNOTATION) != node->is_ignored ||
               has_flag(annotations, REBOOT_FORCE_ANNOTATION) != node->is_forced ||
               !json_get(annotations, REBOOT_RECORD_ANNOTATION);
}

static bool lock_admits(const struct reboot_agent *agent, const struct reboot_now *now,
                        const struct json *annotations) {
        const struct json *value = json_get_slice(annotations, agent->config->lock_annotation);
        CLEANUP(arena_release) struct arena arena;
        struct reboot_lock lock;

        arena_init(&arena, 0);
        return reboot_lock_parse(json_text(value), value, &arena, &lock, NULL) == 0 &&
               agent_lock_admits(agent, now, &lock, &arena);
}

enum reboot_news reboot_agent_judge(const struct reboot_agent *agent, const struct reboot_now *now,
                                    struct slice kind, const struct json *object) {
        const struct json *annotations = json_get(json_get(object, "metadata"), "annotations");

        if (slice_eq(kind, agent->config->lock_kind))
                return object && lock_admits(agent, now, annotations) ? REBOOT_NEWS_LOCK_FREE
                                                                      : REBOOT_NEWS_LOCK_HELD;
        if (slice_is(kind, "Node"))
                return object && node_has_news(agent, annotations) ? REBOOT_NEWS_LOOK
                                                                   : REBOOT_NEWS_NONE;
        return REBOOT_NEWS_LOOK;
}

void reboot_agent_look(struct reboot_agent *agent, const struct reboot_now *now) {
        if (agent->is_waiting && agent->wake.ns > now->mono.ns)
                agent->wake = now->mono;
}
