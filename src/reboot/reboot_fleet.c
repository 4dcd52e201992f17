/* Reads the records of all nodes and applies the rules of order. */
#include "reboot/reboot_fleet.h"

#include "reboot/reboot_record.h"

struct peer {
        const struct json *labels;
        struct slice name;
        struct reboot_record record;
        bool is_ready, is_control_plane;
        bool is_waiting; /* will want the lock some time: not held, not out, not given up */
        bool is_queued;  /* would take the lock right now */
        bool is_active;  /* has it */
};

struct fleet_view {
        struct json_iter iter;
        struct arena *arena;
};

static struct fleet_view look_at(const struct json *nodes, struct arena *arena) {
        return (struct fleet_view){ json_iter(json_get(nodes, "items")), arena };
}

static bool node_is_ready(const struct json *node) {
        struct json_iter iter = json_iter(json_get(json_get(node, "status"), "conditions"));
        const struct json *condition;

        while (json_next(&iter, NULL, &condition))
                if (slice_is(json_get_text(condition, "type"), "Ready"))
                        return slice_is(json_get_text(condition, "status"), "True");
        return false;
}

static bool has_flag(const struct json *annotations, const char *name) {
        return slice_is(json_get_text(annotations, name), "true");
}

static bool next_peer(struct fleet_view *view, struct peer *peer) {
        const struct json *node;
        enum reboot_phase phase;

        if (!json_next(&view->iter, NULL, &node))
                return false;
        const struct json *meta = json_get(node, "metadata");
        const struct json *annotations = json_get(meta, "annotations");
        *peer = (struct peer){ .labels = json_get(meta, "labels"),
                               .name = json_get_text(meta, "name"),
                               .is_ready = node_is_ready(node) };
        peer->is_control_plane = json_get(peer->labels, "node-role.kubernetes.io/control-plane") ||
                                 json_get(peer->labels, "node-role.kubernetes.io/master");
        reboot_record_parse(json_get_text(annotations, REBOOT_RECORD_ANNOTATION), view->arena,
                            &peer->record);
        phase = peer->record.phase;
        peer->is_active = phase >= REBOOT_CLAIMED;
        peer->is_waiting = phase > REBOOT_IDLE && phase < REBOOT_CLAIMED &&
                           !has_flag(annotations, REBOOT_HOLD_ANNOTATION) &&
                           !has_flag(annotations, REBOOT_IGNORE_ANNOTATION) &&
                           !slice_has_prefix(peer->record.reason, SLICE_LITERAL("gave up"));
        peer->is_queued = peer->is_waiting && phase != REBOOT_BLOCKED && peer->is_ready;
        return true;
}

bool fleet_rules_ask(const struct fleet_rules *rules) {
        return rules->oldest_first || rules->control_plane_last || rules->wave_label.len > 0 ||
               rules->caps_not_ready;
}

struct slice fleet_cap_reason(const struct json *nodes, struct slice node,
                              const struct fleet_rules *rules, struct arena *arena) {
        struct fleet_view view = look_at(nodes, arena);
        struct peer peer;
        uint32_t count = 0;

        if (!rules->caps_not_ready)
                return SLICE_EMPTY;
        while (next_peer(&view, &peer))
                count += !peer.is_ready && !slice_eq(peer.name, node);
        if (count <= rules->not_ready_max)
                return SLICE_EMPTY;
        return slice_of(arena_printf(arena, "%u other nodes are not ready, %u may be", count,
                                     rules->not_ready_max));
}

static bool find_self(const struct json *nodes, struct slice node, struct arena *arena,
                      struct peer *ret_self) {
        struct fleet_view view = look_at(nodes, arena);

        while (next_peer(&view, ret_self))
                if (slice_eq(ret_self->name, node))
                        return true;
        return false;
}

/* The wave under way is that of the nodes that are rebooting, else the first by name of those that
 * could reboot now: a blocked node delays no other. */
static bool breaks_wave(const struct peer *self, const struct peer *peer, struct slice label) {
        struct slice ours = json_text(json_get_slice(self->labels, label));
        struct slice theirs = json_text(json_get_slice(peer->labels, label));

        if (slice_eq(ours, theirs))
                return false;
        return peer->is_active || (peer->is_queued && slice_compare(theirs, ours) < 0);
}

static bool is_older(const struct peer *peer, const struct peer *self) {
        int64_t theirs = peer->record.need_since.ns, ours = self->record.need_since.ns;

        if (!wall_time_is_set(peer->record.need_since) || !peer->is_queued)
                return false;
        return theirs < ours || (theirs == ours && slice_compare(peer->name, self->name) < 0);
}

static const char *reboot_fleet_obstacle(const struct fleet_rules *rules, const struct peer *self,
                                         const struct peer *peer) {
        if (rules->control_plane_last && self->is_control_plane && !peer->is_control_plane &&
            (peer->is_waiting || peer->is_active))
                return "goes before the control plane";
        if (rules->wave_label.len > 0 && breaks_wave(self, peer, rules->wave_label))
                return "is of the wave before";
        if (rules->oldest_first && is_older(peer, self))
                return "has waited longer";
        return NULL;
}

void fleet_judge(const struct json *nodes, struct slice node, const struct fleet_rules *rules,
                 struct arena *arena, struct fleet_answer *ret_answer) {
        struct fleet_view view = look_at(nodes, arena);
        struct peer self, peer;

        *ret_answer = (struct fleet_answer){ fleet_cap_reason(nodes, node, rules, arena), false };
        if (ret_answer->reason.len > 0 || !find_self(nodes, node, arena, &self))
                return;
        while (next_peer(&view, &peer)) {
                const char *why = slice_eq(peer.name, node)
                                          ? NULL
                                          : reboot_fleet_obstacle(rules, &self, &peer);

                if (!why)
                        continue;
                ret_answer->reason = slice_of(
                        arena_printf(arena, "node " SLICE_FMT " %s", SLICE_ARG(peer.name), why));
                ret_answer->is_courtesy = strcmp(why, "has waited longer") == 0;
                if (!ret_answer->is_courtesy)
                        return;
        }
}

uint32_t fleet_waiting_before(const struct json *nodes, struct slice node) {
        CLEANUP(arena_release) struct arena arena;
        struct peer peer;
        uint32_t count = 0;

        arena_init(&arena, 0);
        struct fleet_view view = look_at(nodes, &arena);
        while (next_peer(&view, &peer))
                count += peer.record.phase > REBOOT_IDLE && peer.record.phase < REBOOT_DRAINING &&
                         slice_compare(peer.name, node) < 0;
        return count;
}

struct fleet_times {
        int64_t took_ns, count; /* sum and number of nodes */
        int64_t before;         /* nodes that wait or are away and go before ours */
};

static void look_at_peer(const struct peer *peer, const struct peer *self, int64_t took_ns,
                         struct fleet_times *times) {
        if (took_ns > 0) {
                times->took_ns += took_ns;
                times->count++;
        }
        if (!slice_eq(peer->name, self->name) && (peer->is_active || is_older(peer, self)))
                times->before++;
}

int64_t fleet_expected_ns(const struct json *nodes, struct slice node, uint32_t limit,
                          struct wall_time now) {
        struct json_iter iter = json_iter(json_get(nodes, "items"));
        CLEANUP(arena_release) struct arena arena;
        struct fleet_times times = { 0 };
        struct peer self, peer;
        int64_t took_ns;
        const struct json *object;

        arena_init(&arena, 0);
        if (!find_self(nodes, node, &arena, &self) || !(self.is_queued || self.is_active))
                return -1;
        struct fleet_view view = look_at(nodes, &arena);
        while (next_peer(&view, &peer) && json_next(&iter, NULL, &object)) {
                const struct json *notes = json_get(json_get(object, "metadata"), "annotations");

                if (!duration_parse(json_get_text(notes, REBOOT_TOOK_ANNOTATION), &took_ns))
                        took_ns = 0;
                look_at_peer(&peer, &self, took_ns, &times);
        }
        if (times.count == 0)
                return -1;
        int64_t average_ns = times.took_ns / times.count;
        if (!self.is_active)
                return average_ns * (times.before / (limit < 1 ? 1 : limit) + 1);
        took_ns = wall_time_is_set(self.record.claimed) ? now.ns - self.record.claimed.ns : 0;
        return took_ns < average_ns ? average_ns - took_ns : 0;
}

bool fleet_is_quiet(const struct json *nodes, struct slice node) {
        CLEANUP(arena_release) struct arena arena;
        struct peer peer;

        arena_init(&arena, 0);
        struct fleet_view view = look_at(nodes, &arena);
        while (next_peer(&view, &peer))
                if (!slice_eq(peer.name, node) && (peer.is_waiting || peer.is_active))
                        return false;
        return true;
}
