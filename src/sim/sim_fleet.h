/* A fleet of nodes that want to reboot, in virtual time: agents as the program runs them over a
 * transport that fails, hosts that go down, stay up or crash, some nodes still under kured, people
 * who cordon, delete and set clocks.  What must never happen is checked at every change of the
 * store and at every order; what must happen in the end, once the faults stopped. */
#pragma once

#include "base/err.h"
#include "sim/sim_faults.h"
#include <stdint.h>

/* What goes wrong besides calls. */
enum fleet_trouble {
        FLEET_KILL,          /* a process dies anywhere */
        FLEET_OUTAGE,        /* the API server is away for up to 25 minutes */
        FLEET_CONFLICTS,     /* other clients write the lock's object and the nodes */
        FLEET_HOST_CRASH,    /* a host boots by itself */
        FLEET_REBOOT_FAILS,  /* the order cannot be given */
        FLEET_HOST_STAYS,    /* the order is taken, and nothing happens */
        FLEET_NEED_STAYS,    /* the reboot does not satisfy the sentinel */
        FLEET_NEED_ENDS,     /* the sentinel is removed without a reboot */
        FLEET_NODE_DELETED,  /* for good, with its host */
        FLEET_NODE_REPLACED, /* deleted; the kubelet registers it again later */
        FLEET_LOCK_DELETED,  /* the object that carries the lock, for a while */
        FLEET_LOCK_CLEARED,  /* its annotation */
        FLEET_CLOCK_STEP,    /* the clock of one node is set up to two hours off */
        FLEET_SECOND_AGENT,  /* a node runs two of them for a while */
        FLEET_CORDON,        /* by another client, on an idle node */
        FLEET_UNCORDON,      /* by another client, of a node being drained */
        FLEET_TROUBLE_COUNT
};
const char *fleet_trouble_name(enum fleet_trouble trouble); /* "host-crash" */

struct sim_fleet_config {
        uint64_t seed;
        unsigned fault_percent; /* 0 = none, 100 = as designed */
        unsigned node_count;    /* 0 = drawn: mostly a few, fifty now and then */
        int64_t faults_ns;      /* how long faults happen; 0 = an hour */
};

struct sim_fleet_report {
        uint64_t seed, calls, changes, starts;
        uint64_t faults[SIM_FAULT_COUNT], troubles[FLEET_TROUBLE_COUNT];
        uint64_t nodes, kured_nodes, cordons, orders, boots, rollbacks, steals, lost_locks;
        int64_t virtual_ns;
        char violation[512]; /* "" = none */
};

void sim_fleet_report_add(struct sim_fleet_report *sum, const struct sim_fleet_report *report);

/* A whole run.  Returns 0 when nothing was violated; BERTH_ERR_INTERNAL otherwise, with the text
 * naming the seed that replays it. */
int sim_fleet_run(const struct sim_fleet_config *config, struct sim_fleet_report *ret_report,
                  struct err *err);
