/* What must hold of a fleet: of every change of nodes and lock, of every order to reboot, and in
 * the end. I1 to I6 are those of reboot/reboot_agent.h. */
#include "sim/sim_fleet_priv.h"

#include "server/api_server.h"
#include "store/store.h"
#include <stdarg.h>
#include <stdio.h>

#define TAINT_PATIENCE_NS (180 * NS_PER_S) /* beyond a period, for pauses after errors */

void fleet_violated(struct sim_fleet *fleet, const char *format, ...) {
        char *text = fleet->report.violation;
        va_list args;

        if (text[0])
                return; /* the first one says most */
        va_start(args, format);
        vsnprintf(text, sizeof(fleet->report.violation), format, args);
        va_end(args);
}

static struct fleet_node *sim_fleet_check_find(struct sim_fleet *fleet, struct slice name) {
        for (size_t i = 0; i < fleet->node_count; i++)
                if (slice_is(name, fleet->nodes[i].name))
                        return &fleet->nodes[i];
        return NULL;
}

/* ---- the limit (I1) ---- */

static void check_limit(struct sim_fleet *fleet) {
        uint32_t active = 0;

        for (size_t i = 0; i < fleet->node_count; i++)
                active += fleet->nodes[i].cordon == CORDON_AGENT && !fleet->nodes[i].is_bereft;
        if (active > fleet->limit)
                fleet_violated(fleet, "I1: %u nodes between cordon and uncordon, %u may be", active,
                               fleet->limit);
}

static bool held_lately(const struct fleet_node *node) {
        return node->holds_lock ||
               loop_mono(node->fleet->loop).ns - node->last_held.ns < FLEET_FRESH_NS;
}

/* ---- nodes ---- */

static void sim_fleet_check_cordoned(struct fleet_node *node) {
        struct sim_fleet *fleet = node->fleet;

        node->cordon = fleet->is_admin ? CORDON_OTHERS : CORDON_AGENT;
        if (fleet->is_admin)
                return;
        fleet->report.cordons++;
        node->is_bereft = !node->holds_lock;
        if (!held_lately(node))
                fleet_violated(fleet, "I1: %s cordoned without the lock", node->name);
}

static void sim_fleet_check_uncordoned(struct fleet_node *node) {
        struct sim_fleet *fleet = node->fleet;

        if (!fleet->is_admin && node->cordon == CORDON_OTHERS && !node->is_kured)
                fleet_violated(fleet, "I2: %s uncordoned what others had cordoned", node->name);
        node->cordon = CORDON_NONE;
        node->is_bereft = false;
}

static void sim_fleet_check_entered(struct fleet_node *node, enum reboot_phase phase) {
        node->phase = phase;
        if (phase == REBOOT_READY)
                node->orders_since_ready = 0;
        if (phase == REBOOT_ROLLBACK)
                node->fleet->report.rollbacks++;
}

static void node_removed(struct fleet_node *node) {
        node->exists = node->has_taint = node->is_bereft = false;
        node->cordon = CORDON_NONE;
        node->phase = REBOOT_IDLE;
}

static void check_node(struct sim_fleet *fleet, const struct store_event *event) {
        struct fleet_node *node = sim_fleet_check_find(fleet, store_object_name(event->object));
        struct node_facts facts = { 0 };
        struct json_doc *doc = NULL;
        struct arena arena;

        if (!node)
                return;
        if (event->type == STORE_DELETED) {
                node_removed(node);
                return;
        }
        if (json_parse(store_object_body(event->object), &doc, NULL) < 0)
                return;
        arena_init(&arena, 512);
        node_facts_take(&facts, doc, node->config.taint_key, &arena);
        node->exists = true;
        node->is_ready = facts.is_ready;
        node->has_taint = facts.has_taint;
        if (facts.record.phase != node->phase)
                sim_fleet_check_entered(node, facts.record.phase);
        if (facts.is_cordoned && node->cordon == CORDON_NONE)
                sim_fleet_check_cordoned(node);
        else if (!facts.is_cordoned && node->cordon != CORDON_NONE)
                sim_fleet_check_uncordoned(node);
        node_facts_release(&facts);
        arena_release(&arena);
        check_limit(fleet);
}

/* ---- the lock ---- */

static void lost_lock(struct fleet_node *node) {
        struct sim_fleet *fleet = node->fleet;
        bool is_active = node->cordon == CORDON_AGENT;

        node->holds_lock = false;
        node->last_held = loop_mono(fleet->loop);
        if (fleet->is_admin || fleet->lock_ttl_ns > 0) { /* or another's clock ran ahead */
                node->is_bereft = is_active;
                fleet->report.lost_locks += is_active;
        } else if (is_active && !node->is_kured) {
                fleet_violated(fleet, "I1: the lock of %s was taken away while it was cordoned",
                               node->name);
        } else if (!node->exists) {
                fleet->report.steals++;
        }
}

static void check_lock(struct sim_fleet *fleet, const struct store_event *event) {
        struct json_doc *doc = NULL;
        struct reboot_lock lock = { 0 };
        const struct json *value;
        struct arena arena;

        arena_init(&arena, 512);
        fleet->lock_is_there = event->type != STORE_DELETED;
        if (fleet->lock_is_there && json_parse(store_object_body(event->object), &doc, NULL) == 0) {
                value = json_get(json_get(json_get(json_doc_root(doc), "metadata"), "annotations"),
                                 FLEET_LOCK_KEY);
                if (reboot_lock_parse(json_text(value), value, &arena, &lock, NULL) < 0)
                        fleet_violated(fleet, "the lock cannot be read: " SLICE_FMT,
                                       SLICE_ARG(json_text(value)));
        }
        if (lock.count > fleet->limit)
                fleet_violated(fleet, "I1: %zu owners of the lock, %u may be", lock.count,
                               fleet->limit);
        for (size_t i = 0; i < fleet->node_count; i++) {
                struct fleet_node *node = &fleet->nodes[i];
                bool holds = reboot_lock_find(&lock, slice_of(node->name));

                if (node->holds_lock && !holds)
                        lost_lock(node);
                node->holds_lock = holds;
                if (holds)
                        node->is_bereft = false;
        }
        json_doc_free(doc);
        arena_release(&arena);
        check_limit(fleet);
}

/* ---- pods: a kubelet lets them go after a while ---- */

static bool is_dying(const struct store_object *pod) {
        return slice_contains(store_object_body(pod), SLICE_LITERAL("\"deletionTimestamp\""));
}

static void follow_pod(struct sim_fleet *fleet, const struct store_event *event) {
        struct fleet_dying *dying = &fleet->dying[fleet->dying_count];
        struct slice name = store_object_name(event->object);

        if (event->type != STORE_MODIFIED || fleet->dying_count == FLEET_DYING_MAX ||
            is_dying(event->previous) || !is_dying(event->object))
                return;
        snprintf(dying->name, sizeof(dying->name), SLICE_FMT, SLICE_ARG(name));
        dying->due.ns = loop_mono(fleet->loop).ns + fleet_some_time(fleet, NS_PER_S, 40 * NS_PER_S);
        fleet->dying_count++;
}

static void on_change(void *context, int resource, const struct store_event *event) {
        struct sim_fleet *fleet = context;

        fleet->report.changes++;
        if (resource == fleet->nodes_kind)
                check_node(fleet, event);
        else if (resource == fleet->locks_kind)
                check_lock(fleet, event);
        else if (resource == fleet->pods_kind)
                follow_pod(fleet, event);
}

void fleet_check_start(struct sim_fleet *fleet) {
        fleet->nodes_kind = api_server_resource(fleet->server, "", "nodes");
        fleet->pods_kind = api_server_resource(fleet->server, "", "pods");
        fleet->locks_kind = api_server_resource(fleet->server, "apps", "daemonsets");
        fleet->subscription = store_subscribe(api_server_store(fleet->server), STORE_ALL_RESOURCES,
                                              on_change, fleet);
}

/* ---- orders (I1, I5, I6) ---- */

void fleet_check_order(struct fleet_process *process) {
        struct fleet_node *node = process->node;
        struct sim_fleet *fleet = node->fleet;

        fleet->report.orders++;
        if (!process->saw_sentinel)
                fleet_violated(fleet, "I5: %s ordered a reboot without a need", node->name);
        if (node->orders_since_ready++ > 0)
                fleet_violated(fleet, "I6: %s ordered a reboot twice in one boot", node->name);
        if (!held_lately(node))
                fleet_violated(fleet, "I1: %s ordered a reboot without the lock", node->name);
}

/* ---- the end (I3, I4) ---- */

static const char *sim_fleet_check_unrest(const struct fleet_node *node) {
        if (!node->is_up)
                return "is down";
        if (!node->exists)
                return "is not registered";
        if (node->is_required)
                return "still wants a reboot";
        if (node->cordon == CORDON_AGENT)
                return "is cordoned";
        if (node->holds_lock)
                return "holds the lock";
        if (node->has_taint)
                return "is tainted";
        return node->phase == REBOOT_IDLE ? NULL : reboot_phase_name(node->phase);
}

/* A process that had its time, in calm. */
static bool lacks_taint(const struct fleet_node *node) {
        const struct sim_fleet *fleet = node->fleet;
        const struct fleet_process *process = &node->processes[0];
        int64_t since = fleet->calm_since.ns > process->started.ns ? fleet->calm_since.ns
                                                                   : process->started.ns;

        return process->runtime && node->phase >= REBOOT_WANTED && node->phase <= REBOOT_QUEUED &&
               node->is_required && !node->has_taint &&
               loop_mono(fleet->loop).ns - since > node->config.period_ns + TAINT_PATIENCE_NS;
}

bool fleet_check_settled(struct sim_fleet *fleet, char *text, size_t size) {
        for (size_t i = 0; i < fleet->node_count; i++) {
                const struct fleet_node *node = &fleet->nodes[i];
                const char *what = node->is_gone ? NULL : sim_fleet_check_unrest(node);

                if (lacks_taint(node))
                        fleet_violated(fleet, "I4: %s waits without a taint", node->name);
                if (!what)
                        continue;
                snprintf(text, size, "%s %s", node->name, what);
                return false;
        }
        return true;
}
