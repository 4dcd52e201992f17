"""What the dashboards of deploy/monitoring show, as a table; dashboards.py makes Grafana's JSON of it.

A dashboard is rows, a row is lines of panels, a line is as wide as the page. In expressions, {SELECTED} is what the variables at the
top of the page select, and {CLUSTER} the same without job and instance, for what processes of other roles count as well.
"""

from collections import namedtuple

Dashboard = namedtuple("Dashboard", "key title about jobs rows by_node", defaults=[False])
# targets: [(legend, expression)]; alerts: those whose runbook is linked; levels: [(from, color)] of a figure; names: [(text, color) of 0, 1, ...]
Panel = namedtuple("Panel", "kind title about unit targets alerts levels names options", defaults=["", None, (), ()])

RATE = "[$__rate_interval]"
RED, ORANGE, GREEN, GREY = "red", "orange", "green", "text"
BAD = [(None, GREEN), (1, RED)]
ODD = [(None, GREEN), (1, ORANGE)]
# The states of docs/reboot.md, in their order.
PHASES = [("Idle", GREY), ("Wanted", "yellow"), ("Blocked", ORANGE), ("Queued", "light-yellow"), ("Claimed", "light-blue"), ("Draining", "blue"),
          ("Ready", "dark-blue"), ("Rebooting", "purple"), ("Releasing", GREEN), ("Rollback", RED)]
UNDER_WAY = "|".join(phase for phase, _ in PHASES[4:])


def figure(title, about, unit, expression, alerts="", levels=None):
    """The value now; one over the time shown when it asks for $__range."""
    return Panel("stat", title, about, unit, [(title, expression)], alerts, levels)


def graph(title, about, unit, targets, alerts="", options=()):
    if isinstance(targets, tuple):
        targets = [targets]
    return Panel("graph", title, about, unit, targets, alerts, options=options)


def events(title, about, targets, alerts=""):
    """Bars: how many there were since the bar before."""
    return graph(title, about, "short", targets, alerts, ("bars", "stacked"))


def states(title, about, names, target, alerts=""):
    """Strips of time, colored by value."""
    return Panel("states", title, about, "none", [target], alerts, names=names)


def table(title, about, targets, alerts=""):
    """[(column, unit, expression)]: rows are sets of labels, joined where these are equal."""
    return Panel("table", title, about, "none", targets, alerts)


def percentiles(metric, by="", matchers=""):
    """The usual three, or the highest of them for each value of a label."""
    chosen = f"SELECTED,{matchers}" if matchers else "SELECTED"
    if by:
        return [(f"{{{{{by}}}}}", f"histogram_quantile(0.99, sum by ({by}, le) (rate({metric}_bucket{{{chosen}}}{RATE})))")]
    return [(f"p{share}", f"histogram_quantile(0.{share}, sum by (le) (rate({metric}_bucket{{{chosen}}}{RATE})))") for share in (50, 90, 99)]


def p99(metric, matchers=""):
    """As one figure; nothing, where nothing happened."""
    return percentiles(metric, "", matchers)[2][1] + " >= 0"


def rate(metric, by, matchers=""):
    return f"sum by ({by}) (rate({metric}{{SELECTED{',' + matchers if matchers else ''}}}{RATE}))"


def born(metric, by, matchers="", where="SELECTED", window="$__interval"):
    """How much more. Not by increase(), which does not see the first event of a series: those of rare events begin with it."""
    found = f"sum by ({by}) ({metric}{{{where}{',' + matchers if matchers else ''}}}"
    return f"clamp_min({found}) - ({found} offset {window}) or 0 * {found})), 0)"


def total(metric, matchers):
    """All that born() shows as bars."""
    return f"sum_over_time(({born(metric, '', matchers)})[$__range:$__interval])"


def in_range(metric, matchers=""):
    return f"sum(increase({metric}{{SELECTED{',' + matchers if matchers else ''}}}[$__range]))"


LEADS = states("Who leads", "Of each Lease, by process.", [("waits", GREY), ("leads", GREEN)],
               ("{{name}} {{instance}}", "max by (name, instance) (leader_election_master_status{SELECTED})"),
               "BerthNoLeader BerthTwoLeaders")
MEMORY = graph("Memory", "Resident memory of each process.", "bytes",
               ("{{job}} {{instance}}", "max by (job, instance) (process_resident_memory_bytes{SELECTED})"), "BerthRestartsOften")
PROCESSOR = graph("Processors", "Processors in use. There is one thread of decisions: 1 is all that it can use.", "short",
                  ("{{job}} {{instance}}", rate("process_cpu_seconds_total", "job, instance")))
CHECKS = states("Health checks", "Of /livez, /readyz and /healthz, by what the last visit found.", [("fails", RED), ("ok", GREEN)],
                ("{{job}} {{name}}", "min by (job, name) (kubernetes_healthcheck{SELECTED})"), "BerthHealthCheckFails")
WRITES = graph("Writes", "Writes to the API server that were asked for, by kind.", "wps", ("{{kind}}", rate("berth_writes_total", "kind", 'result="asked"') + " > 0"))
FAILED_WRITES = graph("Failed writes", "Writes that the API server refused or did not answer. A budget that refuses an eviction counts as evict.", "wps",
                      ("{{job}} {{kind}}", rate("berth_writes_total", "job, kind", 'result="failed"')), "BerthWritesFail")
OPEN_WRITES = graph("Open writes", "Writes without an answer yet.", "short",
                    ("{{job}} {{instance}}", "max by (job, instance) (berth_open_writes{SELECTED})"), "BerthWritesPileUp")
PROCESS = [[LEADS, CHECKS], [WRITES, FAILED_WRITES, OPEN_WRITES], [PROCESSOR, MEMORY]]

ALL = Dashboard("all", "berth: all roles", "Every process of berth: what fires, who leads, what fails, what it takes.", "berth_build_info", [
    ("Now", [[
        figure("Processes", "Processes of berth that Prometheus reads.", "none", "count(berth_build_info{SELECTED})", "BerthJobGone BerthInstanceDown"),
        figure("Alerts", "Alerts of berth that fire.", "none",
               'count(ALERTS{alertname=~"Berth.*",alertstate="firing",cluster=~"$cluster"}) or vector(0)', levels=BAD),
        figure("Leases without a leader", "Roles that do nothing because nobody leads.", "none",
               "count(max by (cluster, name) (leader_election_master_status{SELECTED}) == 0) or vector(0)", "BerthNoLeader", BAD),
        figure("Failed writes", "Writes that failed, of all kinds but evictions, which budgets may refuse.", "wps",
               'sum(rate(berth_writes_total{SELECTED,kind!="evict",result="failed"}[$__rate_interval]))', "BerthWritesFail", [(None, GREEN), (0.1, ORANGE), (1, RED)]),
        figure("Pods without a node", "Pods that the scheduler tried and that fit nowhere.", "none",
               'sum(scheduler_pending_pods{SELECTED,queue="unschedulable"})', "BerthSchedulerPodsUnschedulable", ODD),
        figure("Pods to be evicted", "Pods with a request or an Eviction.", "none", "sum(berth_eviction_targets{SELECTED})", "BerthEvictionsStuck"),
        figure("Nodes that need a reboot", "By their own agents.", "none",
               "count(max by (cluster, node) (kured_reboot_required{SELECTED}) == 1) or vector(0)", "BerthRebootOverdue", ODD),
    ]]),
    ("Alerts and processes", [[
        table("Alerts of berth", "Firing and pending. The name leads to the runbook.",
              [("Alert", "none", 'max by (alertname, alertstate, severity, cluster, job, instance) (ALERTS{alertname=~"Berth.*",cluster=~"$cluster"})')]),
        table("Processes of berth", "Version, age, processors and memory of each.", [
            ("Version", "none", "group by (cluster, job, instance, version) (berth_build_info{SELECTED})"),
            ("Up for", "s", "max by (cluster, job, instance) (time() - process_start_time_seconds{SELECTED})"),
            ("Processors", "short", "max by (cluster, job, instance) (rate(process_cpu_seconds_total{SELECTED}[$__rate_interval]))"),
            ("Memory", "bytes", "max by (cluster, job, instance) (process_resident_memory_bytes{SELECTED})")], "BerthVersionsDiffer"),
    ], [LEADS, CHECKS]]),
    ("Work", [[
        graph("Decisions of the scheduler", "Attempts by result.", "ops", ("{{result}}", rate("scheduler_schedule_attempts_total", "result"))),
        events("Ended pods", "Pods that roles ended or wanted to end: who asked, how, and what came of it.",
               ("{{requester}}: {{way}}, {{result}}", born("berth_evictions_total", "requester, way, result"))),
        graph("Nodes by phase of their reboot", "Without those that need none.", "none",
              ("{{phase}}", 'sum by (phase) (berth_reboot_phase{SELECTED,phase!="Idle"})'), options=("stacked",)),
    ]]),
    ("API server", [[WRITES, FAILED_WRITES, OPEN_WRITES], [
        graph("Objects that cannot be read", "Left out, because they are not what their kind is.", "ops",
              ("{{job}}", rate("berth_skipped_objects_total", "job")), "BerthObjectsSkipped"),
        graph("Files that do not answer", "Files, mounts and programs that have not answered for longer than their limit.", "none",
              ("{{job}} {{instance}}", "max by (job, instance) (berth_late_files{SELECTED})"), "BerthFilesLate"),
    ]]),
    ("What it takes", [[PROCESSOR, MEMORY], [
        graph("Memory of the cluster's model", "By part, the most of any process.", "bytes", ("{{part}}", "max by (part) (berth_model_bytes{SELECTED})"), options=("stacked",)),
        graph("Objects in the model", "The most that any process has.", "short", ("{{kind}}", "max by (kind) (berth_model_objects{SELECTED})")),
    ]]),
])

ATTEMPTS, BOUND, CALLS = "scheduler_scheduling_attempt_duration_seconds", "scheduler_pod_scheduling_sli_duration_seconds", "scheduler_async_api_call_execution_duration_seconds"
SCHEDULER = Dashboard("scheduler", "berth: scheduler", "Pods that wait, are placed, are refused; how long it takes. Shows a kube-scheduler of upstream as well.", "scheduler_pending_pods", [
    ("Now", [[
        figure("Placed", "Pods bound per second.", "suffix:/s", 'sum(rate(scheduler_schedule_attempts_total{SELECTED,result="scheduled"}[$__rate_interval]))'),
        figure("Wait", "Pods ready to be tried, or in back-off.", "none", 'sum(scheduler_pending_pods{SELECTED,queue=~"active|backoff"})', "BerthSchedulerStalled"),
        figure("Fit nowhere", "Pods that were tried and wait for a change in the cluster.", "none",
               'sum(scheduler_pending_pods{SELECTED,queue="unschedulable"})', "BerthSchedulerPodsUnschedulable", ODD),
        figure("Decision, p99", "A decision, without the binding.", "s", p99(ATTEMPTS), levels=[(None, GREEN), (0.1, ORANGE), (1, RED)]),
        figure("Until bound, p99", "From the first attempt until the API server confirmed the binding, of pods placed at the first attempt.", "s",
               p99(BOUND, 'attempts="1"'), "BerthSchedulerSlow", [(None, GREEN), (1, ORANGE), (5, RED)]),
        figure("Errors", "Share of the attempts that ended with an error, not with a decision.", "percentunit",
               f'(sum(rate(scheduler_schedule_attempts_total{{SELECTED,result="error"}}{RATE})) or vector(0)) '
               f'/ (sum(rate(scheduler_schedule_attempts_total{{SELECTED}}{RATE})) > 0)', "BerthSchedulerErrors", [(None, GREEN), (0.01, ORANGE), (0.05, RED)]),
        figure("Preemptions", "In the time shown.", "short", in_range("scheduler_preemption_attempts_total")),
    ]]),
    ("Rates", [[
        graph("Attempts by result", "Scheduled means bound.", "ops", ("{{result}}", rate("scheduler_schedule_attempts_total", "result")), "BerthSchedulerErrors"),
        graph("Queue", "Pods that wait, by part of the queue. Gated ones wait for their scheduling gates.", "short",
              ("{{queue}}", "sum by (queue) (scheduler_pending_pods{SELECTED})"), "BerthSchedulerStalled", options=("stacked",)),
        graph("Refused by plugin", "Waiting pods by the plugins that refuse them; a pod counts with each of them.", "short",
              ("{{plugin}}", "sum by (plugin) (scheduler_unschedulable_pods{SELECTED}) > 0"), "BerthSchedulerPodsUnschedulable"),
    ], [
        graph("What brings pods into the queue", "By event, and the part of the queue they go to.", "ops",
              ("{{event}} to {{queue}}", rate("scheduler_queue_incoming_pods_total", "queue, event"))),
        events("Preemptions and victims", "Preemptions that chose a node, and the pods they end.", [
            ("preemptions", born("scheduler_preemption_attempts_total", "")), ("victims", born("scheduler_preemption_victims_sum", ""))]),
        graph("Woken by the clock", "Pods bound after nothing but five minutes had them tried again.", "ops",
              ("{{job}}", rate("scheduler_pod_scheduled_after_flush_total", "job")), "BerthSchedulerWokenByClock"),
    ]]),
    ("How long it takes", [[
        graph("Decision", "Filters, scores and the choice, as the mean of the step that the decision was part of.", "s", percentiles(ATTEMPTS), "BerthSchedulerSlow"),
        graph("Until bound", "From the first attempt until the API server confirmed the binding; pods placed at the first attempt.", "s",
              percentiles(BOUND, "", 'attempts="1"'), "BerthSchedulerSlow"),
        graph("Attempts until bound", "How often a pod was tried before it had a node.", "short", percentiles("scheduler_pod_scheduling_attempts")),
    ], [
        graph("Extension points", "99th percentile of all plugins of a point.", "s", percentiles("scheduler_framework_extension_point_duration_seconds", "extension_point")),
        graph("Plugins", "99th percentile of one run, measured in every tenth decision.", "s", percentiles("scheduler_plugin_execution_duration_seconds", "plugin")),
        graph("Events", "99th percentile of taking in what a watch brought.", "s", percentiles("scheduler_event_handling_duration_seconds", "event")),
    ]]),
    ("API calls and errors", [[
        graph("API calls", "Bindings, conditions and deletions, by result.", "ops",
              ("{{call_type}}: {{result}}", rate("scheduler_async_api_call_execution_total", "call_type, result")), "BerthSchedulerErrors"),
        graph("Time of API calls", "99th percentile until the answer, waiting included.", "s", percentiles(CALLS, "call_type"), "BerthWritesPileUp"),
        graph("Open API calls", "Without an answer yet.", "short", ("{{call_type}}", "sum by (call_type) (scheduler_pending_async_api_calls{SELECTED})"), "BerthWritesPileUp"),
    ], [
        graph("Volumes", "Errors on the way to bound volumes, by step.", "ops", ("{{operation}}", rate("scheduler_volume_scheduling_stage_error_total", "operation")), "BerthSchedulerErrors"),
        graph("Deletions of victims", "By result.", "ops", ("{{result}}", rate("scheduler_preemption_goroutines_execution_total", "result"))),
        graph("Known objects", "Nodes, pods, and pods that are bound as far as the scheduler knows.", "short", ("{{type}}", "max by (type) (scheduler_cache_size{SELECTED})")),
    ]]),
    ("Shadow mode", [[
        figure("Agreement", "Of the pods that the other scheduler placed in the time shown: how many are on a node that berth counts among the best.", "percentunit",
               'sum(increase(berth_shadow_pods_total{CLUSTER,finding="same"}[$__range])) / (sum(increase(berth_shadow_pods_total{CLUSTER,finding=~"same|less|misfit"}[$__range])) > 0)',
               "BerthShadowDiffers", [(None, ORANGE), (0.95, GREEN)]),
        graph("Findings", "What berth finds of the other scheduler's decisions (docs/scheduler.md).", "ops",
              ("{{finding}}", f"sum by (finding) (rate(berth_shadow_pods_total{{CLUSTER}}{RATE}))"), "BerthShadowDiffers"),
    ]]),
    ("Process", PROCESS),
])

DONE, FAILED = 'result="success"', 'result="error"'
DESCHEDULER = Dashboard("descheduler", "berth: descheduler", "What strategies find and evict, what holds them up, how long passes take.", "descheduler_loop_duration_seconds_count", [
    ("Now", [[
        figure("Evicted", "Pods evicted in the time shown.", "short", total("berth_evictions_total", DONE + ',requester="descheduler"'), "BerthDeschedulerEvictsMuch"),
        figure("Evictions with errors", "In the time shown.", "short", total("berth_evictions_total", FAILED + ',requester="descheduler"') + " or vector(0)", "BerthDeschedulerEvictionsFail", ODD),
        figure("Held up by a limit", "Pods that the last pass wanted to evict and a limit did not let it.", "none",
               'sum(berth_descheduler_pods{SELECTED,verdict="limited"})', "BerthDeschedulerAtItsLimit", ODD),
        figure("Held up by budgets", "Of the last pass.", "none", 'sum(berth_descheduler_pods{SELECTED,verdict="refused"})', "BerthDeschedulerEvictionsFail", ODD),
        figure("Passes per hour", "Finished ones.", "short", f"3600 * sum(rate(descheduler_loop_duration_seconds_count{{SELECTED}}{RATE}))", "BerthDeschedulerIdle"),
        figure("Pass, p99", "A whole pass.", "s", p99("descheduler_loop_duration_seconds")),
        figure("Strategies that fail", "With an error in the time shown.", "none",
               "count(sum by (profile, strategy) (increase(berth_descheduler_strategy_failures_total{SELECTED}[$__range])) > 0) or vector(0)", "BerthDeschedulerStrategyFails", BAD),
    ]]),
    ("Evictions", [[
        events("Evictions by result", "A limit that was reached is a result of its own.", ("{{result}}", born("descheduler_pods_evicted_total", "result")),
              "BerthDeschedulerEvictionsFail BerthDeschedulerAtItsLimit"),
        events("Evicted by strategy", "Successful ones.", ("{{profile}}: {{strategy}}", born("descheduler_pods_evicted_total", "profile, strategy", DONE)), "BerthDeschedulerEvictsMuch"),
        events("Evicted by namespace", "Of the pod; successful ones.", ("{{namespace}}", born("descheduler_pods_evicted_total", "namespace", DONE)), "BerthDeschedulerEvictsMuch"),
    ], [
        events("Evicted by node", "Where the pods ran, the ten with the most each time.", ("{{node}}", f'topk(10, {born("descheduler_pods_evicted_total", "node", DONE)} > 0)')),
        events("How pods were evicted", "By request to the controller of evictions, or by the subresource.",
              ("{{way}}: {{result}}", born("berth_evictions_total", "way, result", 'requester="descheduler"'))),
    ]]),
    ("What strategies find", [[
        graph("Pods of the last pass", "By what came of them: evicted, held up by a limit, refused by a budget, spared by a filter, too young.", "short",
              ("{{verdict}}", "sum by (verdict) (berth_descheduler_pods{SELECTED})"), "BerthDeschedulerAtItsLimit", options=("stacked",)),
        graph("Pods of the last pass, by strategy", "All that a strategy looked at.", "short",
              ("{{profile}}: {{strategy}}", "sum by (profile, strategy) (berth_descheduler_pods{SELECTED})")),
        graph("Moves that are no better", "Pods left alone because the scheduler would place them no better.", "ops",
              ("{{profile}}: {{strategy}}", rate("berth_descheduler_not_better_total", "profile, strategy")), "BerthDeschedulerMovesNothing"),
    ], [
        states("Strategies that move nothing", "Found pods, and left all of them for that reason.", [("moves", GREEN), ("moves nothing", ORANGE)],
               ("{{profile}}: {{strategy}}", "max by (profile, strategy) (berth_descheduler_nothing_moved{SELECTED})"), "BerthDeschedulerMovesNothing"),
        graph("Strategies that fail", "Runs that ended with an error.", "ops",
              ("{{profile}}: {{strategy}}", rate("berth_descheduler_strategy_failures_total", "profile, strategy")), "BerthDeschedulerStrategyFails"),
    ]]),
    ("How long it takes", [[
        graph("Pass", "A whole pass.", "s", percentiles("descheduler_loop_duration_seconds")),
        graph("Strategies", "99th percentile of a run.", "s", percentiles("descheduler_strategy_duration_seconds", "strategy")),
        graph("Passes", "Finished ones.", "ops", ("{{instance}}", rate("descheduler_loop_duration_seconds_count", "instance")), "BerthDeschedulerIdle"),
    ]]),
    ("Process", PROCESS),
])

EVICTIONS = Dashboard("evictions", "berth: evictions", "Pods to be evicted, who works on them, what ends and what does not.", "berth_eviction_targets", [
    ("Now", [[
        figure("To be evicted", "Pods with a request or an Eviction.", "none", "sum(berth_eviction_targets{SELECTED})", "BerthEvictionsStuck"),
        figure("Wait for a slot", "Slow evictions that the limits hold back.", "none", "sum(berth_evictions_waiting{SELECTED})", "BerthEvictionsWaitForSlots", ODD),
        figure("Ended", "Evictions that ended in the time shown, with whatever outcome.", "short", in_range("berth_evictions_ended_total")),
        figure("Ended undone", "In the time shown; the pod still runs and somebody wanted it gone.", "short",
               in_range("berth_evictions_ended_total", 'outcome=~"EvictionInvalid|NoFurtherResponder"'), "BerthEvictionsEndUndone", ODD),
        figure("Refused calls", "Calls of pods/eviction that failed, in the time shown. Budgets, mostly.", "short",
               in_range("imperative_eviction_responder_controller_failed_evictions"), "BerthEvictionsRefused", ODD),
        figure("Overdue", "Evictions that took more than three times their expected time, in the time shown.", "short",
               in_range("berth_evictions_orphaned_total"), "BerthEvictionsOverdue", ODD),
        figure("Silent responders", "Passed over after 20 minutes, in the time shown.", "short",
               in_range("berth_evictions_interrupted_total"), "BerthEvictionResponderSilent", ODD),
    ]]),
    ("Evictions", [[
        graph("Under way", "Pods to be evicted, and those of them that wait for a slot.", "short", [
            ("to be evicted", "sum(berth_eviction_targets{SELECTED})"), ("wait for a slot", "sum(berth_evictions_waiting{SELECTED})")],
              "BerthEvictionsStuck BerthEvictionsWaitForSlots"),
        graph("Responders by state", "Of Evictions under way.", "short", ("{{state}}", "sum by (state) (evictionrequest_controller_responder_state{SELECTED})"),
              "BerthEvictionResponderSilent", options=("stacked",)),
        events("Ended by outcome", "PodDeleted and PodTerminal are what was wanted.", ("{{outcome}}", born("berth_evictions_ended_total", "outcome")), "BerthEvictionsEndUndone"),
    ], [
        events("Ended pods by result", "Of all roles: who asked, how, and what came of it.",
               ("{{requester}}: {{way}}, {{result}}", born("berth_evictions_total", "requester, way, result", where="CLUSTER"))),
        graph("Refused calls of pods/eviction", "By the API server, for a budget mostly.", "ops",
              ("{{job}}", rate("imperative_eviction_responder_controller_failed_evictions", "job")), "BerthEvictionsRefused"),
        graph("Overdue and silent", "Evictions that take too long; responders that were passed over.", "ops", [
            ("overdue", "sum(rate(berth_evictions_orphaned_total{SELECTED}[$__rate_interval]))"),
            ("silent", "sum(rate(berth_evictions_interrupted_total{SELECTED}[$__rate_interval]))")], "BerthEvictionsOverdue BerthEvictionResponderSilent"),
    ]]),
    ("Process", PROCESS),
])



def returns(seconds):
    """Nodes that came back within so many: the agent is a new process each time, so its counter says no more than that it did."""
    return (f"sum((berth_reboot_completed_total{{SELECTED}} > bool 0) and on (cluster, job, instance) time() - process_start_time_seconds{{SELECTED}} < {seconds}) "
            "or vector(0)")


LEAD = "kured_taint_lead_time_seconds"
REBOOT = Dashboard("reboot", "berth: reboot", "Nodes that need a reboot, where each of them stands, what it waits for. One agent for each node.", "kured_reboot_required", [
    ("Now", [[
        figure("Need a reboot", "Nodes whose sentinel is there.", "none",
               'count(max by (cluster, node) (kured_reboot_required{SELECTED,node=~"$node"}) == 1) or vector(0)', "BerthRebootOverdue", ODD),
        figure("Under way", "Nodes that hold the lock, from the claim to the release.", "none",
               f'sum(berth_reboot_phase{{SELECTED,node=~"$node",phase=~"{UNDER_WAY}"}})', "BerthRebootStuck"),
        figure("Blocked", "By an alert, a pod, a hold, a budget, or a pause after a failure.", "none", 'sum(berth_reboot_phase{SELECTED,node=~"$node",phase="Blocked"})', "BerthRebootOverdue", ODD),
        figure("Longest wait", "Since the early taint, of nodes that are not cordoned yet.", "s", 'max(kured_taint_wait_seconds{SELECTED,node=~"$node"})', "BerthRebootOverdue",
               [(None, GREEN), (86400, ORANGE), (259200, RED)]),
        figure("Rebooted", "Nodes that came back from a reboot in the time shown.", "short", returns("$__range_s")),
        figure("Given up", "Reboots rolled back in the time shown.", "short", in_range("berth_reboot_rollbacks_total"), "BerthRebootRolledBack", ODD),
        figure("Errors", "Readings and writes of agents that failed, in the time shown.", "short", in_range("berth_reboot_errors_total"), "BerthRebootAgentErrors", ODD),
    ]]),
    ("Nodes", [[
        states("Phase of each node", "docs/reboot.md has what each phase means and what ends it.", PHASES,
               ("{{node}}", " + ".join(f'{number} * sum by (node) (berth_reboot_phase{{SELECTED,node=~"$node",phase="{phase}"}})' for number, (phase, _) in enumerate(PHASES))),
               "BerthRebootStuck BerthRebootOverdue"),
        table("Nodes that need a reboot", "What each waits for.", [
            ("Phase", "none", 'max by (node, phase) (berth_reboot_phase{SELECTED,node=~"$node",phase!="Idle"}) == 1'),
            ("Reason", "none", 'max by (node, reason) (berth_reboot_reason{SELECTED,node=~"$node"})'),
            ("Tainted for", "s", 'max by (node) (kured_taint_wait_seconds{SELECTED,node=~"$node"}) > 0')], "BerthRebootOverdue BerthRebootStuck"),
    ], [
        graph("Nodes by phase", "Without those that need no reboot.", "none", ("{{phase}}", 'sum by (phase) (berth_reboot_phase{SELECTED,phase!="Idle"})'), options=("stacked",)),
        graph("Nodes that need a reboot, over time", "A line that does not come down over days is patches that do not arrive.", "none", [
            ("need a reboot", "count(max by (cluster, node) (kured_reboot_required{SELECTED}) == 1) or vector(0)"),
            ("all", "count(max by (cluster, node) (kured_reboot_required{SELECTED}))")], "BerthRebootOverdue"),
    ]]),
    ("Rates, times and errors", [[
        events("Reboots", "Nodes that came back from one, and reboots that were given up.", [
            ("back", returns("$__interval_ms / 1000")), ("given up", born("berth_reboot_rollbacks_total", ""))], "BerthRebootRolledBack"),
        graph("From the taint to the cordon", "How long pods had to move by themselves before the drain of their node; of the hour before.", "s", [
            (f"p{share}", f"histogram_quantile(0.{share}, sum by (le) (increase({LEAD}_bucket{{SELECTED}}[1h])))") for share in (50, 90, 99)]),
        graph("Waiting since the taint", "Nodes that are not cordoned yet.", "s", ("{{node}}", 'max by (node) (kured_taint_wait_seconds{SELECTED,node=~"$node"}) > 0')),
    ], [
        graph("Errors of agents", "Readings and writes that failed, of taints as well; conflicts are races that another agent won, and no fault.", "ops", [
            (name, f"sum(rate(berth_reboot_{metric}_total{{SELECTED}}{RATE}))")
            for name, metric in (("errors", "errors"), ("taint", "taint_failures"), ("conflicts", "conflicts"))], "BerthRebootAgentErrors"),
        FAILED_WRITES, WRITES,
    ]]),
    ("Process", [[PROCESSOR, MEMORY]]),
], True)

DASHBOARDS = [ALL, SCHEDULER, DESCHEDULER, EVICTIONS, REBOOT]
