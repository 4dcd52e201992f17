/* Checks the options of the reboot agent, group by group. */
#include "cmd/reboot_setup.h"

#include "base/buf.h"
#include "base/log.h"
#include "base/regex.h"
#include "cmd/reboot_options.h"
#include "host/host_reboot.h"
#include "loop/file_text.h"
#include "reboot/notify_url.h"
#include "reboot/shell_words.h"
#include "reboot/time_zone.h"
#include <string.h>

struct setup_call {
        const struct reboot_options *options;
        struct arena *arena;
        struct reboot_setup *setup;
        struct err *err;
};

static int reboot_setup_refuse(struct setup_call *call, const char *option, const char *expected) {
        return err_set(call->err, BERTH_ERR_INVALID, "option --%s: expected %s", option, expected);
}

/* kured takes one pair of quotes around a URL for a mistake of the shell's. */
static const char *reboot_setup_unquote(const char *text, struct arena *arena) {
        size_t len = text ? strlen(text) : 0;

        if (len < 2 || (text[0] != '"' && text[0] != '\'') || text[len - 1] != text[0])
                return text;
        return arena_string(arena, slice_make(text + 1, len - 2));
}

/* ---- commands ---- */

/* Whatever runs there fails with the code of nsenter, which is 1: a sentinel command then asks for
 * no reboot, ever. */
static void warn_of_host(struct setup_call *call) {
        struct err err = { 0 };

        if (!call->options->uses_nsenter || call->setup->is_host_checked ||
            host_can_enter(HOST_NSENTER, HOST_NAMESPACE_FILE, &err) == 0)
                return;
        LOG(LOG_WARN, "HostNotReachable", log_text("error", err.text),
            log_text("effect", "commands of the host fail: run the container privileged and with "
                               "hostPID, or use --nsenter=false outside of a container"));
}

static int set_command(struct setup_call *call, const char *option, const char *text,
                       const char *const **ret_words) {
        static const char *const prefix[] = { HOST_NSENTER, ("-m" HOST_NAMESPACE_FILE), "--" };
        const char **words;
        size_t count, skipped = call->options->uses_nsenter ? 0 : 3;

        if (shell_words_split(slice_of(text), call->arena, &words, &count, call->err) < 0)
                return err_wrap(call->err, "option --%s", option);
        const char **all = ARENA_ARRAY(call->arena, const char *, count + 4);
        memcpy(all, prefix, sizeof(prefix));
        memcpy(all + 3, words, count * sizeof(*all));
        *ret_words = all + skipped;
        warn_of_host(call);
        call->setup->is_host_checked = true;
        return 0;
}

static int set_reboot(struct setup_call *call) {
        const struct reboot_options *options = call->options;
        struct reboot_role_config *role = &call->setup->role;

        role->reboot_signal = (int)options->reboot_signal;
        role->reboot_command_timeout_ns = options->reboot_timeout_ns;
        if (strcmp(options->method, "signal") == 0)
                return options->reboot_signal < 1 || options->reboot_signal > 64
                               ? reboot_setup_refuse(call, "reboot-signal",
                                                     "a signal number from 1")
                               : 0;
        if (strcmp(options->method, "logind") == 0) {
                role->reboot_bus = options->bus_socket;
                return 0;
        }
        if (strcmp(options->method, "command") != 0)
                return reboot_setup_refuse(call, "reboot-method", "command, signal or logind");
        return set_command(call, "reboot-command", options->reboot_command, &role->reboot_command);
}

static int set_sentinel(struct setup_call *call) {
        const struct reboot_options *options = call->options;
        struct reboot_role_config *role = &call->setup->role;

        role->sentinel_file = options->sentinel;
        role->sentinel_timeout_ns = options->sentinel_timeout_ns;
        if (!options->sentinel_command || !options->sentinel_command[0])
                return 0;
        return set_command(call, "reboot-sentinel-command", options->sentinel_command,
                           &role->sentinel_command);
}

/* ---- window ---- */

static int set_zone(struct setup_call *call, struct time_window *window) {
        const char *name = call->options->time_zone;
        struct time_zone *zone = NULL;
        struct buf bytes = { 0 };

        if (name[0] == '\0' || strcmp(name, "UTC") == 0)
                return 0;
        if (strstr(name, "..") || name[0] == '/')
                return reboot_setup_refuse(call, "time-zone", "an IANA name such as Europe/Berlin");
        const char *path =
                strcmp(name, "Local") == 0
                        ? "/etc/localtime"
                        : arena_printf(call->arena, "%s/%s", call->options->zone_folder, name);
        int code = file_text_read(path, &bytes, call->err);
        if (code == 0)
                code = time_zone_parse(buf_view(&bytes), call->arena, &zone, call->err);
        buf_release(&bytes);
        if (code < 0)
                return err_wrap(call->err, "option --time-zone");
        window->zone = zone;
        return 0;
}

/* One day or span a line; # begins a comment. */
static int read_holidays(struct setup_call *call, struct slice text, struct excluded_days *days,
                         size_t *count) {
        struct slice rest = text, line, item;

        while (rest.ptr && slice_split(&rest, '\n', &line)) {
                slice_split(&line, '#', &item);
                item = slice_trim(item);
                if (item.len == 0)
                        continue;
                if (*count == EXCLUDED_MAX)
                        return reboot_setup_refuse(call, "holidays", "fewer days");
                if (excluded_days_parse(item, &days[(*count)++], call->err) < 0)
                        return err_wrap(call->err, "option --holidays: %s",
                                        call->options->holidays);
        }
        return 0;
}

static int set_excluded(struct setup_call *call, struct window_calendar *calendar) {
        const struct reboot_options *options = call->options;
        struct excluded_days *days = ARENA_ARRAY(call->arena, struct excluded_days, EXCLUDED_MAX);
        CLEANUP(buf_release) struct buf file = { 0 };

        calendar->excluded = days;
        for (size_t i = 0; i < options->excluded.count; i++) {
                struct slice rest = slice_of(options->excluded.items[i]), item;

                while (rest.ptr && slice_split(&rest, ',', &item)) {
                        if (calendar->excluded_count == EXCLUDED_MAX)
                                return reboot_setup_refuse(call, "exclude-dates", "fewer days");
                        if (excluded_days_parse(item, &days[calendar->excluded_count++],
                                                call->err) < 0)
                                return err_wrap(call->err, "option --exclude-dates");
                }
        }
        if (!options->holidays || !options->holidays[0])
                return 0;
        if (file_text_read(options->holidays, &file, call->err) < 0)
                return err_wrap(call->err, "option --holidays");
        return read_holidays(call, buf_view(&file), days, &calendar->excluded_count);
}

/* Several windows in place of the one of kured's options. */
static int set_calendar(struct setup_call *call) {
        const struct option_texts *texts = &call->options->windows;
        struct window_calendar *calendar = &call->setup->agent.calendar;
        struct time_window *windows =
                ARENA_ARRAY(call->arena, struct time_window, texts->count + 1);

        for (size_t i = 0; i < texts->count; i++)
                if (time_window_parse(slice_of(texts->items[i]), call->setup->agent.window.zone,
                                      &windows[i], call->err) < 0)
                        return err_wrap(call->err, "option --window");
        calendar->windows = windows;
        calendar->window_count = texts->count;
        if (call->options->excluded.count == 0 &&
            !(call->options->holidays && call->options->holidays[0]))
                return 0;
        return set_excluded(call, calendar);
}

static int set_window(struct setup_call *call) {
        const struct reboot_options *options = call->options;
        struct time_window *window = &call->setup->agent.window;

        window->is_anchored = options->is_anchored;
        for (size_t i = 0; i < options->reboot_days.count; i++)
                if (days_parse(slice_of(options->reboot_days.items[i]), &window->days, call->err) <
                    0)
                        return err_wrap(call->err, "option --reboot-days");
        if (options->reboot_days.count == 0)
                window->days = 127;
        if (time_of_day_parse(slice_of(options->start_time), &window->start_s, call->err) < 0)
                return err_wrap(call->err, "option --start-time");
        if (time_of_day_parse(slice_of(options->end_time), &window->end_s, call->err) < 0)
                return err_wrap(call->err, "option --end-time");
        if (set_zone(call, window) < 0)
                return call->err->code;
        return set_calendar(call);
}

/* ---- labels ---- */

static int set_labels(struct setup_call *call, const char *option, struct option_texts texts,
                      struct label_list *ret_labels) {
        size_t cap = 0;

        for (size_t i = 0; i < texts.count; i++)
                cap += strlen(texts.items[i]) + 1;
        ret_labels->items = ARENA_ARRAY(call->arena, struct label, cap);
        for (size_t i = 0; i < texts.count; i++) {
                struct slice rest = slice_of(texts.items[i]), item, key;

                while (slice_split(&rest, ',', &item)) {
                        struct slice value = item;

                        if (item.len == 0)
                                continue;
                        slice_split(&value, '=', &key);
                        if (!value.ptr || key.len == 0)
                                return reboot_setup_refuse(call, option, "key=value pairs");
                        ret_labels->items[ret_labels->count++] = (struct label){ key, value };
                }
        }
        return 0;
}

static bool has_keys_of(struct label_list a, struct label_list b) {
        for (size_t i = 0; i < b.count; i++) {
                bool is_found = false;

                for (size_t j = 0; j < a.count; j++)
                        is_found = is_found || slice_eq(a.items[j].key, b.items[i].key);
                if (!is_found)
                        return false;
        }
        return true;
}

static int set_node_labels(struct setup_call *call) {
        struct reboot_config *agent = &call->setup->agent;

        if (set_labels(call, "pre-reboot-node-labels", call->options->pre_labels,
                       &agent->pre_labels) < 0 ||
            set_labels(call, "post-reboot-node-labels", call->options->post_labels,
                       &agent->post_labels) < 0)
                return BERTH_ERR_INVALID;
        if (!has_keys_of(agent->pre_labels, agent->post_labels) ||
            !has_keys_of(agent->post_labels, agent->pre_labels))
                LOG(LOG_WARN, "LabelKeysDiffer",
                    log_text("effect", "labels set before a reboot are not all reset after it"));
        return 0;
}

/* ---- blockers and notifications ---- */

static int set_blockers(struct setup_call *call) {
        const struct reboot_options *options = call->options;
        struct reboot_role_config *role = &call->setup->role;

        role->blocking_selectors = options->blocking_selectors.items;
        role->blocking_selector_count = options->blocking_selectors.count;
        role->prometheus_url = options->prometheus_url;
        role->alerts.matches_only = options->alert_match_only;
        role->alerts.firing_only = options->alert_firing_only;
        if (!options->alert_regexp)
                return 0;
        call->setup->alert_regex = regex_new(slice_of(options->alert_regexp), call->err);
        role->alerts.names = call->setup->alert_regex;
        return call->setup->alert_regex ? 0 : err_wrap(call->err, "option --alert-filter-regexp");
}

static int set_notify(struct setup_call *call) {
        const struct reboot_options *options = call->options;
        const char *url = reboot_setup_unquote(options->notify_url, call->arena);
        struct notify_requests requests;

        if (url[0] == '\0' && options->slack_hook_url[0]) {
                struct slice hook = notify_slack_hook(
                        slice_of(reboot_setup_unquote(options->slack_hook_url, call->arena)),
                        call->arena);

                LOG(LOG_WARN, "SlackHookDeprecated", log_text("use", "--notify-url"));
                url = hook.len > 0 ? hook.ptr : "";
        }
        call->setup->role.notify_url = url;
        if (url[0] == '\0')
                return 0;
        if (notify_url_requests(slice_of(url), SLICE_LITERAL("x"), call->arena, &requests,
                                &call->setup->notify_problem) < 0)
                err_wrap(&call->setup->notify_problem, "option --notify-url");
        return 0;
}

/* ---- the rest ---- */

static int set_lock(struct setup_call *call) {
        const struct reboot_options *options = call->options;
        struct reboot_config *agent = &call->setup->agent;

        agent->lock_kind =
                options->lock_object ? SLICE_LITERAL("Lease") : SLICE_LITERAL("DaemonSet");
        agent->lock_ns = slice_of(options->ds_namespace);
        agent->lock_name = slice_of(options->ds_name);
        agent->lock_annotation = slice_of(options->lock_annotation);
        agent->lock_ttl_ns = options->lock_ttl_ns;
        agent->lock_release_delay_ns = options->lock_release_delay_ns;
        agent->concurrency = options->concurrency > 1 ? (uint32_t)options->concurrency : 1;
        return 0;
}

static int set_drain(struct setup_call *call) {
        const struct reboot_options *options = call->options;
        struct reboot_config *agent = &call->setup->agent;

        agent->forces = options->forces;
        agent->drain_delay_ns = options->drain_delay_ns;
        agent->drain_timeout_ns = options->drain_timeout_ns;
        agent->drain_escalation_ns = options->drain_escalation_ns;
        agent->drain_grace_s = options->drain_grace_s;
        agent->skip_wait_for_delete_s = options->skip_wait_s;
        if (selector_parse(slice_of(options->drain_pod_selector), call->arena,
                           &agent->drain_selector, call->err) < 0)
                return err_wrap(call->err, "option --drain-pod-selector");
        return 0;
}

static int set_fleet(struct setup_call *call) {
        const struct reboot_options *options = call->options;
        struct fleet_rules *fleet = &call->setup->agent.fleet;

        fleet->oldest_first = options->oldest_first;
        fleet->control_plane_last = options->control_plane_last;
        fleet->wave_label = slice_of(options->wave_label);
        fleet->caps_not_ready = options->max_not_ready >= 0;
        fleet->not_ready_max = fleet->caps_not_ready ? (uint32_t)options->max_not_ready : 0;
        return 0;
}

static int set_health(struct setup_call *call) {
        const struct reboot_options *options = call->options;
        struct reboot_role_config *role = &call->setup->role;

        role->health_pods = options->health_pods;
        role->health_budgets = options->health_budgets;
        role->health_url = options->health_url;
        role->health_timeout_ns = options->health_timeout_ns;
        if (options->health_command[0] &&
            set_command(call, "health-command", options->health_command, &role->health_command) < 0)
                return call->err->code;
        if (options->rebalance_command[0] &&
            set_command(call, "rebalance-command", options->rebalance_command,
                        &role->rebalance_command) < 0)
                return call->err->code;
        if (options->health_url[0] && strncmp(options->health_url, "http://", 7) != 0 &&
            strncmp(options->health_url, "https://", 8) != 0)
                return reboot_setup_refuse(call, "health-url", "an http or https address");
        call->setup->agent.checks_health = role->health_pods || role->health_budgets ||
                                           role->health_command || role->health_url[0];
        return 0;
}

/* kured sets none without the option. */
static struct slice taint_key(const struct reboot_options *options) {
        if (options->taint)
                return slice_of(options->taint);
        return options->is_kured || options->is_parity ? SLICE_EMPTY
                                                       : SLICE_LITERAL(REBOOT_TAINT_DEFAULT);
}

static int set_agent(struct setup_call *call) {
        const struct reboot_options *options = call->options;
        struct reboot_config *agent = &call->setup->agent;

        if (options->node_id[0] == '\0')
                return reboot_setup_refuse(call, "node-id", "a node name (KURED_NODE_ID)");
        if (options->period_ns <= 0)
                return reboot_setup_refuse(call, "period", "a duration above 0");
        agent->node = slice_of(options->node_id);
        agent->period_ns = options->period_ns;
        agent->reboot_delay_ns = options->reboot_delay_ns;
        agent->reboot_timeout_ns = options->reboot_timeout_ns;
        agent->taint_key = taint_key(options);
        agent->taint_lead_ns = options->is_parity ? 0 : options->taint_lead_ns;
        agent->taint_ahead = (uint32_t)options->taint_ahead;
        agent->is_late_taint = options->is_parity;
        agent->annotates = options->annotates;
        agent->drain_message = slice_of(options->drain_message);
        agent->reboot_message = slice_of(options->reboot_message);
        agent->uncordon_message = slice_of(options->uncordon_message);
        agent->settle_ns = options->settle_ns;
        agent->attempts_max = (uint32_t)options->attempts_max;
        return 0;
}

int reboot_setup_make(const struct reboot_options *options, struct arena *arena,
                      struct reboot_setup *ret_setup, struct err *err) {
        static int (*const groups[])(struct setup_call *) = {
                set_agent,  set_reboot, set_sentinel, set_window, set_node_labels, set_blockers,
                set_notify, set_lock,   set_drain,    set_fleet,  set_health
        };
        struct setup_call call = { options, arena, ret_setup, err };

        *ret_setup = (struct reboot_setup){ 0 };
        for (size_t i = 0; i < sizeof(groups) / sizeof(groups[0]); i++)
                if (groups[i](&call) < 0)
                        return err->code;
        if (host_boot_id(options->boot_id_file, ret_setup->boot_id, err) < 0)
                return err->code;
        ret_setup->role.agent = &ret_setup->agent;
        ret_setup->role.trims = true;
        ret_setup->role.boot_id = ret_setup->boot_id;
        return 0;
}

void reboot_setup_release(struct reboot_setup *setup) {
        regex_free(setup->alert_regex);
        setup->alert_regex = NULL;
}
