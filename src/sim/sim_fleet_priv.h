/* Inside the simulated fleet. */
#pragma once

#include "base/arena.h"
#include "port/virtual_loop.h"
#include "reboot/node_facts.h"
#include "reboot/reboot_config.h"
#include "reboot/reboot_lock.h"
#include "roles/reboot_role.h"
#include "sim/sim_fleet.h"
#include "sim/sim_kured.h"

#define FLEET_NODES_MAX 50
#define FLEET_WEIGHT_UNIT 1000000U /* weights are parts of a million, per occasion */
#define FLEET_PROCESSES 2          /* of one node */
#define FLEET_TICK_NS (10 * NS_PER_S)
#define FLEET_LOCK_PATH "/apis/apps/v1/namespaces/kube-system/daemonsets"
#define FLEET_PODS "/api/v1/namespaces/default/pods"
#define FLEET_LOCK_KEY "weave.works/kured-node-lock"
#define FLEET_DYING_MAX 256
/* Between the reading of the lock that allows a step and the step: an answer and a write may each
 * be a minute late, and a busy server asks for more. */
#define FLEET_FRESH_NS (180 * NS_PER_S)

struct sim_fleet;
struct fleet_node;

struct fleet_process {
        struct fleet_node *node;
        struct sim_faults *faults;
        struct runtime *runtime; /* NULL while it is dead */
        struct reboot_role *role;
        struct reboot_host host;
        struct loop_timer restart;
        bool wants_kill, saw_sentinel;
        struct mono_time started;
};

enum fleet_cordon { CORDON_NONE, CORDON_AGENT, CORDON_OTHERS };

struct fleet_node {
        struct sim_fleet *fleet;
        char name[8], boot_id[24];
        unsigned boot;
        struct loop clock; /* the shared loop, with a wall clock of its own */
        int64_t skew_ns;
        struct fleet_process processes[FLEET_PROCESSES];
        struct sim_kured *kured; /* NULL = berth's, or dead */
        bool is_kured;
        struct reboot_config config;
        struct reboot_role_config role;
        struct loop_timer down, up;
        bool is_required, is_up, is_gone /* for good */;
        unsigned orders_since_ready;
        /* as in the store */
        bool exists, has_taint, is_ready;
        enum fleet_cordon cordon;
        enum reboot_phase phase;
        bool holds_lock;
        bool is_bereft; /* lost the lock through no agent's doing, and does not know yet */
        struct mono_time last_held, registers; /* when the kubelet does so again */
        bool is_waiting_to_register;
};

struct fleet_dying { /* a pod whose grace is running */
        char name[40];
        struct mono_time due;
};

struct sim_fleet {
        struct sim_fleet_config config;
        struct virtual_loop *time;
        struct loop *loop;
        struct api_server *server;
        struct local_transport *local;
        struct store_subscription *subscription;
        int nodes_kind, pods_kind, locks_kind;
        struct rng rng;
        unsigned weights[FLEET_TROUBLE_COUNT]; /* parts of a million, per tick or occasion */
        uint32_t limit;
        int64_t lock_ttl_ns;
        bool is_mixed, has_budget;
        struct fleet_node nodes[FLEET_NODES_MAX];
        size_t node_count;
        struct fleet_dying dying[FLEET_DYING_MAX];
        size_t dying_count;
        unsigned pod_serial;
        bool is_admin; /* what changes now is the doing of people */
        bool is_calm, lock_is_there;
        struct mono_time lock_returns, outage_end, calm_since;
        struct sim_fleet_report report;
};

/* ---- sim_fleet.c ---- */
bool fleet_draw(struct sim_fleet *fleet, enum fleet_trouble trouble);
int64_t fleet_some_time(struct sim_fleet *fleet, int64_t least_ns, int64_t most_ns);
/* One call as administrator; the status. */
int fleet_ask(struct sim_fleet *fleet, const char *method, const char *path, const char *body);
void fleet_create_lock(struct sim_fleet *fleet);

/* ---- sim_fleet_node.c ---- */
void fleet_node_init(struct sim_fleet *fleet, size_t index);
void fleet_node_release(struct fleet_node *node);
void fleet_node_register(struct fleet_node *node);
void fleet_node_report(struct fleet_node *node); /* Ready */
void fleet_node_start(struct fleet_node *node, size_t process);
void fleet_node_kill(struct fleet_node *node, size_t process);
void fleet_node_kill_all(struct fleet_node *node);
/* Restarts the process after a while, as the kubelet does. */
void fleet_node_restart(struct fleet_node *node, size_t process);
void fleet_node_crash(struct fleet_node *node);
void fleet_node_needs_reboot(struct fleet_node *node);
void fleet_node_fill(struct fleet_node *node); /* with pods */

/* ---- sim_fleet_trouble.c ---- */
void fleet_disturb(struct sim_fleet *fleet);
void fleet_calm(struct sim_fleet *fleet);
void fleet_serve(struct sim_fleet *fleet); /* what kubelets and controllers do, each tick */

/* ---- sim_fleet_check.c ---- */
void fleet_check_start(struct sim_fleet *fleet);
void fleet_violated(struct sim_fleet *fleet, const char *format, ...)
        __attribute__((format(printf, 2, 3)));
void fleet_check_order(struct fleet_process *process);
/* Once faults stopped: whether everything came to rest; if not, what is missing. */
bool fleet_check_settled(struct sim_fleet *fleet, char *text, size_t size);
