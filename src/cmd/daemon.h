/* What the commands of single roles share: a connection to a cluster, a runtime, leader election,
 * and an end at SIGTERM. */
#pragma once

#include "base/err.h"
#include "cmd/dashboard_part.h"
#include "cmd/page_guard.h"
#include "evict/evict_service.h"
#include "loop/runtime.h"
#include <stdbool.h>
#include <stdint.h>

struct lease_given { /* options that stand on the command line go before those of a file */
        bool elects, lease_name, lease_namespace, lease_duration, renew_deadline, retry_period;
};

struct slot_options { /* limits of evictions under way, 0 = any number; see docs/eviction.md */
        int64_t total, node, ns, owner;
        int which; /* enum: slow, all */
};
enum { SLOTS_FOR_SLOW, SLOTS_FOR_ALL };
extern const struct slot_options slot_options_default;
struct eviction_slot_limits slot_options_limits(const struct slot_options *options);

struct daemon_options {
        const char *kubeconfig, *context; /* NULL: $KUBECONFIG, ~/.kube/config, or the pod's own */
        const char *user_agent;
        int requests;        /* enum evict_request_mode */
        bool gives_requests; /* that stands on the command line */
        bool minds_requests; /* see struct evict_config */
        bool takes_slots;    /* for evictions through the subresource */
        struct slot_options slots;
        int64_t slot_patience_ns; /* 0 = EVICT_SLOT_PATIENCE_NS */
        int64_t verbosity;
        bool keeps_finished, keeps_detail, keeps_evictions, keeps_object_cache, keeps_devices,
                keeps_groups, keeps_taint_rules, can_lack_rules, counts_devices, without_classes,
                has_no_model, freezes_notes; /* see struct runtime_config */
        uint32_t kinds, spare_kinds;         /* likewise */
        bool elects;         /* works only while it leads; the rest says by which Lease */
        bool has_lease_each; /* of the roles, by struct daemon_role */
        const char *lease_name, *lease_namespace;
        const char
                *lease_reporter; /* reportingController of events on the Lease; NULL = its name */
        int64_t lease_duration_ns, lease_renew_deadline_ns, lease_retry_period_ns;
        struct lease_given given;
        uint64_t seed;
        double writes_per_second; /* at most; 0 = no limit */
        int64_t writes_burst;     /* that may be sent at once all the same */
        const char *master; /* address of the API server instead of the kubeconfig's; NULL = none */
        /* Pages about the daemon itself; port 0 = none. */
        const char *bind_address, *certificate_path, *key_path;
        int tls_minimum; /* enum http_tls */
        int64_t secure_port;
        bool has_no_metrics, allows_metrics_reset;
        struct page_guard_options guard;
        struct dashboard_options page; /* the live page */
        const char *health_name;       /* of the check that the loop runs; NULL = none */
        bool ends_by_itself; /* a single pass: its log waits for a reader, and is complete */
};

struct daemon;
struct metrics;
struct serving;

struct daemon_lease_options {
        const char *name, *ns;
        const char *reporter; /* reportingController of its events; NULL = the name */
        int64_t duration_ns, renew_deadline_ns, retry_period_ns;
};

struct daemon_role {
        void *context;
        struct daemon_lease_options lease; /* by which it works with options.has_lease_each */
        /* Reads what it needs itself, and has its own lock: works from the start, beside roles that
         * wait for a Lease. */
        bool has_no_model;
        /* Watches also while another process has its Lease, and asks daemon_may_act. */
        bool watches_always;
        /* It only looks on: from the start, whoever has the Lease. */
        bool only_looks;
        /* Adds the role to the runtime; the cluster model is empty still. */
        int (*add)(void *context, struct daemon *daemon, struct runtime *runtime, struct err *err);
        /* Before everything is torn down, also after a failed add; may be NULL. */
        void (*leave)(void *context);
};
#define DAEMON_ROLES_MAX 8
/* The Lease these options name. */
struct daemon_lease_options daemon_lease_of(const struct daemon_options *options);

/* Runs the roles in one process, until a signal, until daemon_finish, or until a Lease is lost (an
 * error, as upstream's programs end then).  Without a Lease for each, one stands for all of them
 * that need one. */
int daemon_run(const struct daemon_options *options, const struct daemon_role *roles, size_t count,
               struct err *err);
/* Whether the run ended with this error because another process leads now. */
bool daemon_has_lost_lead(const struct err *err);
/* Counters of this process and its pages, for the role to add its own; NULL when there are none. */
struct metrics *daemon_metrics(struct daemon *daemon);
struct serving *daemon_serving(struct daemon *daemon);
/* Whether the role of this context leads for sure right now, or needs not to. */
bool daemon_may_act(const struct daemon *daemon, const void *context);
/* Ends the run with success: a single pass is over. */
void daemon_finish(struct daemon *daemon);
