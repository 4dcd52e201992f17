/* What the other nodes say about whether this node may reboot: all of it comes from a NodeList.
 */
#pragma once

#include "api/json.h"
#include "base/arena.h"
#include "base/slice.h"
#include "base/time.h"
#include <stdbool.h>
#include <stdint.h>

struct fleet_rules {
        bool oldest_first;       /* who has needed it longest goes before others */
        bool control_plane_last; /* while other nodes wait or are away, control planes do not */
        struct slice wave_label; /* one value of this label after the other; "" = none */
        bool caps_not_ready;     /* at most so many other nodes may be not ready */
        uint32_t not_ready_max;
};
bool fleet_rules_ask(const struct fleet_rules *rules); /* some rule is on */

struct fleet_answer {
        struct slice reason; /* why this node may not reboot; "" = it may; arena text */
        bool is_courtesy;    /* only an order among equals: the wait is bounded */
};
/* before the lock is asked for */
void fleet_judge(const struct json *nodes, struct slice node, const struct fleet_rules *rules,
                 struct arena *arena, struct fleet_answer *ret_answer);
/* once the lock is held only the cap counts */
struct slice fleet_cap_reason(const struct json *nodes, struct slice node,
                              const struct fleet_rules *rules, struct arena *arena);
/* Nodes before ours, by name, whose record is in a phase before the cordon. */
uint32_t fleet_waiting_before(const struct json *nodes, struct slice node);
/* When this node will be back, by how long the last reboots took and who goes before it; -1 =
 * unknown: it does not want to reboot, is blocked, or no node has rebooted yet. */
int64_t fleet_expected_ns(const struct json *nodes, struct slice node, uint32_t limit,
                          struct wall_time now);
/* Whether no other node has a record: none waits, none is rebooting. */
bool fleet_is_quiet(const struct json *nodes, struct slice node);
