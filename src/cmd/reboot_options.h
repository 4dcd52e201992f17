/* What the command line of berth reboot says. */
#pragma once

#include "cmd/daemon.h"
#include "cmd/option_table.h"

#define REBOOT_TAINT_DEFAULT "berth.dev/reboot"

struct reboot_options {
        struct daemon_options daemon;
        /* kured's */
        const char *node_id, *sentinel, *sentinel_command, *method, *reboot_command;
        const char *drain_pod_selector, *ds_namespace, *ds_name, *lock_annotation;
        const char *taint; /* NULL = the default */
        const char *prometheus_url, *alert_regexp, *start_time, *end_time, *time_zone;
        const char *notify_url, *slack_hook_url, *slack_username, *slack_channel;
        const char *drain_message, *reboot_message, *uncordon_message, *log_format, *metrics_host;
        struct option_texts blocking_selectors, reboot_days, pre_labels, post_labels;
        int64_t period_ns, reboot_delay_ns, drain_delay_ns, drain_timeout_ns, lock_ttl_ns;
        int64_t lock_release_delay_ns;
        int64_t reboot_signal, drain_grace_s, skip_wait_s, concurrency, metrics_port;
        bool forces, alert_match_only, alert_firing_only, annotates;
        /* berth's own */
        const char *boot_id_file, *zone_folder, *bus_socket;
        const char *holidays, *wave_label, *health_command, *health_url, *rebalance_command;
        struct option_texts windows, excluded;
        int64_t max_not_ready, health_timeout_ns;
        bool oldest_first, control_plane_last, health_pods, health_budgets;
        int64_t sentinel_timeout_ns, reboot_timeout_ns, taint_lead_ns, settle_ns, attempts_max,
                drain_escalation_ns, taint_ahead;
        int lock_object; /* enum: DaemonSet, Lease */
        bool uses_nsenter, is_anchored, is_parity;
        bool is_kured; /* by the program's name: kured's defaults hold */
};

extern const struct option reboot_options_table[]; /* of struct reboot_options */
