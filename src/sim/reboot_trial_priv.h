/* Inside a trial. */
#pragma once

#include "api/json.h"
#include "base/rng.h"
#include "model/cluster.h"
#include "model/event.h"
#include "port/virtual_loop.h"
#include "reboot/reboot_agent.h"
#include "roles/role_config.h"
#include "sim/reboot_trial.h"

#define TRIAL_NS "d"
#define TRIAL_TAINT "weave.works/kured-node-reboot"
#define TRIAL_NEED_NS (5400 * NS_PER_S)         /* when sentinels appear; before, load settles */
#define TRIAL_WINDOW_START_NS (7200 * NS_PER_S) /* of every day */
#define TRIAL_HORIZON_NS (TRIAL_NEED_NS + 96 * 3600 * NS_PER_S)
#define TRIAL_NODE_CPU_MILLI 16000
#define TRIAL_JOB_CPU_MILLI 500
#define TRIAL_REPLICAS 8 /* of one application */

struct trial;

enum trial_pod_state { POD_WAITS, POD_STARTS, POD_RUNS, POD_GOES, POD_IS_GONE };

struct trial_pod {
        struct trial *trial;
        char name[16];
        uint32_t serial;
        bool is_job, tolerates;
        uint32_t app; /* of a replica */
        enum trial_pod_state state;
        uint32_t node; /* once bound */
        int64_t created_ns, lifetime_ns /* of a job */, grace_ns, startup_ns;
        struct loop_timer timer;
};

struct trial_app {
        uint32_t replicas, ready, cpu_milli;
};

struct trial_node {
        struct trial *trial;
        char name[16], boot_id[24];
        struct json_tree *object;
        struct buf image;           /* the object as text */
        struct reboot_agent *agent; /* NULL = the host is down */
        struct reboot_config config;
        struct action_list actions;
        struct loop_timer step, boot;
        bool is_wanted, is_required, has_rebooted, is_cordoned, has_taint;
        unsigned boots;
        int64_t boot_ns; /* how long it takes */
        uint32_t job_count;
        /* monotonic; -1 = not yet */
        int64_t needed_ns, detected_ns, tainted_ns, cordoned_ns, drained_ns, returned_ns;
        enum reboot_phase phase;
        int64_t phase_ns, blocked_ns, lock_ns;
        unsigned writes;
};

struct trial {
        struct trial_setting setting;
        enum trial_arm arm;
        uint64_t seed;
        struct virtual_loop *time;
        struct loop *loop;
        struct cluster *cluster;
        struct role_config roles;
        struct scheduler *scheduler;
        struct action_list binds;
        struct config_problems *problems;
        struct descheduler_policy *policy;
        struct placement_simulator *simulator;
        struct descheduler *descheduler;
        struct evict_sink sink;
        struct loop_timer scheduling, descheduling, arrival, alert, sampling;
        bool is_scheduling; /* asked for */
        struct rng load_rng, alert_rng;
        struct trial_node *nodes;
        uint32_t wanted_count, returned_count;
        struct trial_app *apps;
        uint32_t app_count, replica_count;
        struct trial_pod **pods; /* by serial */
        uint32_t pod_count, pod_cap;
        uint32_t *evicting, evicting_count, evicting_cap; /* serials, during a pass */
        struct json_tree *lock;
        struct buf lock_image;
        int64_t version;
        bool alert_is_on;
        struct buf text;
        /* measured between the first detection and the last return */
        bool is_measuring;
        uint64_t conflicts, bindings, moves, samples;
        double pending_s, imbalance;
        char failure[200];
};

void trial_failed(struct trial *trial, const char *text);
/* Feeds trial->text, JSON with single quotes, to the model, and clears it. */
void trial_apply(struct trial *trial, enum object_kind kind, enum change_kind change);
double trial_exponential(struct rng *rng, double mean);

/* ---- reboot_trial_load.c ---- */
void trial_load_start(struct trial *trial);
void trial_load_stop(struct trial *trial);
/* Lets a pod go, and creates its successor; false: its budget has nothing left. */
bool trial_evict(struct trial *trial, struct trial_pod *pod);
struct trial_pod *trial_pod_find(const struct trial *trial, struct slice name);
void trial_schedule(struct trial *trial); /* soon */

/* ---- reboot_trial_node.c ---- */
void trial_nodes_start(struct trial *trial);
void trial_nodes_stop(struct trial *trial);

/* ---- reboot_trial_measure.c ---- */
void trial_entered(struct trial_node *node, enum reboot_phase phase);
void trial_bound(struct trial *trial, const struct trial_pod *pod);
void trial_sample(struct trial *trial);
void trial_sum_up(const struct trial *trial, struct trial_result *ret_result);
