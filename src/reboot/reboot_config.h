/* The settings of a reboot agent, parsed and checked: what the machine of states and the parts
 * around it read. */
#pragma once

#include "api/selector.h"
#include "base/slice.h"
#include "reboot/reboot_fleet.h"
#include "reboot/time_window.h"
#include <stdbool.h>
#include <stdint.h>

struct regex;

#define IN_PROGRESS_ANNOTATION "weave.works/kured-reboot-in-progress"
#define MOST_RECENT_ANNOTATION "weave.works/kured-most-recent-reboot-needed"

#define REBOOT_TIMEOUT_DEFAULT_NS (15 * 60 * NS_PER_S)
#define REBOOT_BACKOFF_FIRST_NS (60 * NS_PER_S)
#define REBOOT_BACKOFF_MAX_NS (24 * 3600 * NS_PER_S)

struct reboot_config {
        struct slice node;
        int64_t period_ns;
        bool forces;
        int64_t drain_delay_ns, drain_timeout_ns /* 0 = none */, reboot_delay_ns;
        int64_t reboot_timeout_ns, lock_ttl_ns, lock_release_delay_ns;
        int64_t drain_escalation_ns; /* then refused pods are deleted, budgets or not; 0 = never */
        int64_t drain_grace_s;       /* < 0 = the pod's own */
        int64_t skip_wait_for_delete_s; /* 0 = off */
        struct selector drain_selector; /* matches everything by default */
        struct slice lock_kind, lock_ns, lock_name, lock_annotation; /* kind: DaemonSet, Lease */
        uint32_t concurrency;
        struct slice taint_key; /* "" = no taint */
        int64_t taint_lead_ns;
        uint32_t taint_ahead;      /* only so many waiting nodes, by name, are tainted; 0 = all */
        bool is_late_taint;        /* parity: only while another node holds the lock */
        struct time_window window; /* unless the calendar has windows */
        struct window_calendar calendar; /* days off hold for window, too */
        bool annotates;
        struct label_list pre_labels, post_labels;
        /* With one %s each, for the node. */
        struct slice drain_message, reboot_message, uncordon_message;
        struct fleet_rules fleet;
        bool checks_health;    /* before the uncordon, and once more before the lock is given up */
        int64_t settle_ns;     /* after the node is Ready again, before it is uncordoned */
        uint32_t attempts_max; /* fruitless reboots in a row; 0 = no end */
};
