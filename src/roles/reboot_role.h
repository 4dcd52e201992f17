/* The reboot agent of one node as a role: reads what its state machine asks for, performs what it
 * decides, evicts through the eviction service, sends notifications and sets metrics. */
#pragma once

#include "base/buf.h"
#include "loop/runtime.h"
#include "reboot/blocking_alerts.h"
#include "reboot/reboot_agent.h"

struct reboot_role;

/* Another machine than the one this process runs on, such as a simulated one. */
struct reboot_host {
        void *context;
        bool (*is_required)(void *context);            /* NULL = the sentinel file counts */
        int (*reboot)(void *context, struct err *err); /* may fail: the order could not be given */
};

struct reboot_role_config { /* everything borrowed: it must outlive the role */
        const struct reboot_config *agent;
        const char *boot_id;
        const struct reboot_host *host; /* in place of files, programs and signals; may be NULL */
        const char *sentinel_file;
        const char *const *sentinel_command; /* NULL-ended; NULL = the file counts */
        int64_t sentinel_timeout_ns;
        const char *const *reboot_command; /* NULL = by logind or signal */
        int reboot_signal;
        const char *reboot_bus; /* socket of the bus that logind is asked over; NULL = by signal */
        int64_t reboot_command_timeout_ns;
        const char *const *blocking_selectors; /* label selectors, ORed; "" matches every pod */
        size_t blocking_selector_count;
        const char *prometheus_url;    /* NULL or "" = none */
        int64_t prometheus_timeout_ns; /* 0 = 10 s */
        struct alert_filter alerts;
        /* What must be well after a reboot: before the uncordon all pods on the node Ready, a
         * command that exits with 0, a page that answers with 2xx; before the lock goes, no budget
         * below what it asks for. */
        bool health_pods, health_budgets;
        const char *const *health_command; /* NULL-ended; NULL = none */
        const char *health_url;            /* NULL or "" = none */
        int64_t health_timeout_ns;
        /* Run once by the agent whose node was the last one that waited or was away. */
        const char *const *rebalance_command;
        bool trims;             /* memory, before long waits: the process is the agent alone */
        const char *notify_url; /* NULL or "" = none */
};

struct reboot_role *reboot_role_add(struct runtime *runtime,
                                    const struct reboot_role_config *config, struct err *err);
/* Prometheus' exposition text. */
void reboot_role_write_metrics(const struct reboot_role *role, struct buf *out);
