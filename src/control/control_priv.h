/* Inside of the control room: what a controller is and what it can use. */
#pragma once

#include "api/json.h"
#include "base/arena.h"
#include "base/err.h"
#include "base/rng.h"
#include "control/change.h"
#include "control/control.h"
#include "control/control_resources.h"
#include "control/object_index.h"
#include "control/work_queue.h"
#include "control/write_wait.h"
#include "store/store.h"

struct controller_run;

/* One controller: which changes it gets, and what it does about one key. A key is the namespace and
 * name of the object that the controller is about. */
struct controller {
        const char *name;      /* as kube-controller-manager 1.36 has it */
        const char *alias;     /* before 1.27; NULL = none */
        const char *component; /* source of its events */
        bool is_kubelet;
        /* NULL = nothing to prepare. */
        void (*start)(struct controller_run *run);
        void (*stop)(struct controller_run *run);
        /* Whether something is to happen soon that no queue shows. NULL = never. */
        bool (*is_busy)(const struct controller_run *run);
        /* Inside of a commit: may read and queue keys, must not write. */
        void (*changed)(struct controller_run *run, struct change *change);
        /* Brings the world closer to what the object asks for. A failure is tried again later. */
        int (*reconcile)(struct controller_run *run, struct slice ns, struct slice name,
                         struct err *err);
};

/* A controller at work. */
struct controller_run {
        const struct controller *controller;
        struct control *control;
        struct work_queue *queue;
        void *state; /* of the controller */
};

/* Numbers of the resources that controllers know by name. */
struct resource_numbers {
        int pods, nodes, namespaces, events, leases, config_maps, service_accounts, claims;
        int replica_sets, deployments, stateful_sets, daemon_sets, revisions, jobs, cron_jobs;
        int replication_controllers, budgets, custom_definitions, volumes, storage_classes;
        int quotas, cluster_roles;
        int resource_claims, resource_claim_templates, resource_slices, taint_rules;
        int pod_groups; /* -1 = not served, by definition or gate */
};

struct control {
        struct control_config config; /* its strings are ours, see below */
        char *ca_pem;
        struct store *store;
        struct api_server *server;
        struct loop *loop;
        struct control_resources *table;
        struct object_index *index;
        struct resource_numbers resource;
        struct store_subscription *subscription;
        struct loop_timer timer;
        struct rng rng;
        struct control_stats stats;
        struct write_waits *waits;
        struct map_u64 *event_names; /* of the latest events, by what they say */
        uint64_t last_event;         /* time in the name of the latest one */
        bool is_reconciling;
        bool is_scheduled; /* a round of reconciling is deferred */
        bool is_freed;     /* waits for that deferred call */
        size_t run_count;
        struct controller_run runs[];
};

/* NULL-ended, in the order in which they run in a round. */
extern const struct controller *const controllers[];
#define CONTROLLERS_MAX 32
/* ret_wanted has CONTROLLERS_MAX elements, in the order of controllers. */
int controllers_select(const char *list, bool *ret_wanted, struct err *err);

extern const struct controller controller_claim_protection;
extern const struct controller controller_cron_job;
extern const struct controller controller_daemon_set;
extern const struct controller controller_deployment;
extern const struct controller controller_device_driver;
extern const struct controller controller_device_taint_eviction;
extern const struct controller controller_disruption;
extern const struct controller controller_garbage_collector;
extern const struct controller controller_job;
extern const struct controller controller_kubelet;
extern const struct controller controller_namespace;
extern const struct controller controller_node_lifecycle;
extern const struct controller controller_pod_collector;
extern const struct controller controller_pod_group_protection;
extern const struct controller controller_replica_set;
extern const struct controller controller_replication;
extern const struct controller controller_resource_claim;
extern const struct controller controller_resource_quota;
extern const struct controller controller_role_aggregation;
extern const struct controller controller_root_certificate;
extern const struct controller controller_service_account;
extern const struct controller controller_stateful_set;
extern const struct controller controller_taint_eviction;
extern const struct controller controller_ttl_after_finished;
extern const struct controller controller_volume_binder;
extern const struct controller controller_volume_protection;

static inline struct wall_time control_now(const struct control *control) {
        return loop_wall(control->loop);
}
/* Looks at a key again at a time of the wall clock. */
void run_add_at(struct controller_run *run, struct slice ns, struct slice name,
                struct wall_time due);
/* The root of an object of the store as it is now, or NULL; *ret_doc is the caller's to free. A
 * resource that the version does not have (-1) has no objects, here and below. */
const struct json *control_read(const struct control *control, int resource, struct slice ns,
                                struct slice name, struct json_doc **ret_doc);
const struct json *entry_read(const struct object_entry *entry, struct json_doc **ret_doc);

/* Calls visit for all objects of a namespace (empty = all), until it returns false. The objects
 * may be changed meanwhile. */
void control_each(const struct control *control, int resource, struct slice ns,
                  bool (*visit)(void *context, const struct store_object *object), void *context);
