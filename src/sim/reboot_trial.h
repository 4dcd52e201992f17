/* One rollout of reboots over a made-up cluster, in virtual time: the scheduler places, agents
 * taint, wait, drain and boot, the descheduler tidies up, each with the very steps the daemons
 * take.  What differs between arms is when nodes are tainted; load, lifetimes and boots of a seed
 * are the same in all, so that results can be compared pair by pair. */
#pragma once

#include "base/err.h"
#include <stdint.h>

enum trial_arm {
        TRIAL_NONE,       /* no taint */
        TRIAL_LATE,       /* kured's rule: only while another node holds the lock */
        TRIAL_EARLY,      /* as soon as a reboot is due */
        TRIAL_AHEAD,      /* the same, but only the next few by name */
        TRIAL_DESCHEDULE, /* early, and the descheduler moves replicas off tainted nodes */
        TRIAL_HARD,       /* early, with NoSchedule: what a taint can do at most */
        TRIAL_ARM_COUNT
};
const char *trial_arm_name(enum trial_arm arm); /* "early" */

enum trial_law { TRIAL_EXPONENTIAL, TRIAL_LOGNORMAL };
enum trial_spread { TRIAL_NO_SPREAD, TRIAL_SOFT_SPREAD, TRIAL_HARD_SPREAD };

struct trial_setting {
        uint32_t nodes, concurrency;
        double rho;         /* blocking jobs per node, on average */
        double fraction;    /* of nodes that want a reboot */
        double utilisation; /* requested CPU of all, jobs included */
        double tolerating;  /* share of jobs that tolerate the taint */
        int64_t period_ns, lifetime_ns /* mean, of jobs */;
        int64_t window_ns;  /* open so long each day; 0 = always */
        int64_t stagger_ns; /* sentinels appear within this time; 0 = at once */
        enum trial_law law;
        enum trial_spread spread; /* of replicas and jobs over nodes */
};
extern const struct trial_setting trial_setting_default;

enum trial_measure {
        MEASURE_PREPARATION, /* from detection to the cordon, window time, mean over nodes */
        MEASURE_BLOCKED,     /* of it: with a blocker in the way */
        MEASURE_LOCK_WAIT,   /* of it: waiting for the lock */
        MEASURE_DRAIN,       /* from the cordon to the last pod gone */
        MEASURE_CONFLICTS,   /* key pods bound to nodes that wait for their reboot */
        MEASURE_CONFLICT_RATE,
        MEASURE_ROLLING,    /* first sentinel to last return, window time */
        MEASURE_LEAD,       /* from the taint to the cordon */
        MEASURE_MOVES,      /* evictions per replica */
        MEASURE_PENDING,    /* from a pod's creation to its binding */
        MEASURE_IMBALANCE,  /* standard deviation of requested CPU over usable nodes */
        MEASURE_WRITES,     /* patches per node that rebooted */
        MEASURE_UNFINISHED, /* nodes that had not rebooted at the end */
        MEASURE_COUNT
};
struct trial_measure_info {
        const char *name, *unit, *help;
};
extern const struct trial_measure_info trial_measures[MEASURE_COUNT];

struct trial_result {
        double values[MEASURE_COUNT];
};

int reboot_trial_run(const struct trial_setting *setting, enum trial_arm arm, uint64_t seed,
                     struct trial_result *ret_result, struct err *err);
