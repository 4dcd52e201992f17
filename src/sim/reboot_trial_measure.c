/* What a trial measures. */
#include "sim/reboot_trial_priv.h"

#include <math.h>

const struct trial_measure_info trial_measures[MEASURE_COUNT] = {
        [MEASURE_PREPARATION] = { "preparation", "s", "from detection to the cordon, in windows" },
        [MEASURE_BLOCKED] = { "blocked", "s", "of it with a blocker in the way" },
        [MEASURE_LOCK_WAIT] = { "lockWait", "s", "of it waiting for the lock" },
        [MEASURE_DRAIN] = { "drain", "s", "from the cordon to the last pod gone" },
        [MEASURE_CONFLICTS] = { "conflicts", "", "key pods bound to nodes that wait" },
        [MEASURE_CONFLICT_RATE] = { "conflictRate", "%", "of all bindings of key pods" },
        [MEASURE_ROLLING] = { "rolling", "s", "first sentinel to last return, in windows" },
        [MEASURE_LEAD] = { "lead", "s", "from the taint to the cordon" },
        [MEASURE_MOVES] = { "moves", "", "evictions per replica" },
        [MEASURE_PENDING] = { "pending", "s", "from a pod's creation to its binding" },
        [MEASURE_IMBALANCE] = { "imbalance", "%", "standard deviation of requested CPU" },
        [MEASURE_WRITES] = { "writes", "", "patches per node that wanted a reboot" },
        [MEASURE_UNFINISHED] = { "unfinished", "", "nodes not rebooted in four days" },
};

static int64_t now_ns(const struct trial *trial) {
        return loop_mono(trial->loop).ns;
}

static void reboot_trial_measure_left(struct trial_node *node, int64_t now) {
        if (node->phase == REBOOT_WANTED || node->phase == REBOOT_BLOCKED)
                node->blocked_ns += now - node->phase_ns;
        if (node->phase == REBOOT_QUEUED)
                node->lock_ns += now - node->phase_ns;
}

void trial_entered(struct trial_node *node, enum reboot_phase phase) {
        struct trial *trial = node->trial;
        int64_t now = now_ns(trial);

        reboot_trial_measure_left(node, now);
        node->phase = phase;
        node->phase_ns = now;
        if (!node->is_wanted || node->has_rebooted)
                return;
        if (phase > REBOOT_IDLE && node->detected_ns < 0) {
                node->detected_ns = now;
                trial->is_measuring = true;
        }
        if (phase == REBOOT_DRAINING)
                node->cordoned_ns = now;
        if (phase == REBOOT_READY)
                node->drained_ns = now;
        if (phase == REBOOT_RELEASING && node->boots > 0) {
                node->returned_ns = now;
                node->has_rebooted = true;
                trial->returned_count++;
        }
}

void trial_bound(struct trial *trial, const struct trial_pod *pod) {
        const struct trial_node *node = &trial->nodes[pod->node];
        bool waits = node->is_wanted && node->detected_ns >= 0 && node->cordoned_ns < 0;

        if (!trial->is_measuring)
                return;
        trial->bindings++;
        trial->conflicts += waits;
        trial->pending_s += (double)(now_ns(trial) - pod->created_ns) / 1e9;
}

void trial_sample(struct trial *trial) {
        const struct node_table *table = cluster_nodes(trial->cluster);
        const struct resource_column *cpu = &table->resources[RESOURCE_CPU];
        double sum = 0, squares = 0, count = 0;

        for (size_t i = 0; i < table->count; i++) {
                if (!bitset_has(&table->live, i) || bitset_has(&table->unschedulable, i))
                        continue;
                double share = 100.0 * (double)cpu->requested[i] / (double)cpu->allocatable[i];
                sum += share;
                squares += share * share;
                count++;
        }
        if (!trial->is_measuring || count < 2)
                return;
        trial->samples++;
        trial->imbalance += sqrt(fmax(0, squares / count - sum / count * (sum / count)));
}

/* ---- the end ---- */

/* Window time between two moments. */
static double open_s(const struct trial *trial, int64_t from, int64_t until) {
        int64_t day = 24 * 3600 * NS_PER_S, open = trial->setting.window_ns, sum = 0;

        if (open == 0)
                return (double)(until - from) / 1e9;
        for (int64_t start = TRIAL_WINDOW_START_NS; start < until; start += day) {
                int64_t first = start > from ? start : from;
                int64_t last = start + open < until ? start + open : until;

                if (last > first)
                        sum += last - first;
        }
        return (double)sum / 1e9;
}

struct trial_sums {
        double preparation, blocked, lock, drain, lead, writes;
        int64_t first_need, last_return;
};

static void add_node(const struct trial *trial, const struct trial_node *node, int64_t end,
                     struct trial_sums *sums) {
        int64_t detected = node->detected_ns < 0 ? end : node->detected_ns;
        int64_t cordoned = node->cordoned_ns < 0 ? end : node->cordoned_ns;
        int64_t drained = node->drained_ns < 0 ? cordoned : node->drained_ns;
        int64_t returned = node->returned_ns < 0 ? end : node->returned_ns;

        sums->preparation += open_s(trial, detected, cordoned);
        sums->blocked += (double)node->blocked_ns / 1e9;
        sums->lock += (double)node->lock_ns / 1e9;
        sums->drain += (double)(drained - cordoned) / 1e9;
        if (node->tainted_ns >= 0)
                sums->lead += (double)(cordoned - node->tainted_ns) / 1e9;
        sums->writes += node->writes;
        if (node->needed_ns < sums->first_need)
                sums->first_need = node->needed_ns;
        if (returned > sums->last_return)
                sums->last_return = returned;
}

void trial_sum_up(const struct trial *trial, struct trial_result *ret_result) {
        struct trial_sums sums = { .first_need = INT64_MAX };
        double count = trial->wanted_count, *values = ret_result->values;
        double bindings = trial->bindings ? (double)trial->bindings : 1;

        for (uint32_t i = 0; i < trial->setting.nodes; i++)
                if (trial->nodes[i].is_wanted)
                        add_node(trial, &trial->nodes[i], now_ns(trial), &sums);
        values[MEASURE_PREPARATION] = sums.preparation / count;
        values[MEASURE_BLOCKED] = sums.blocked / count;
        values[MEASURE_LOCK_WAIT] = sums.lock / count;
        values[MEASURE_DRAIN] = sums.drain / count;
        values[MEASURE_CONFLICTS] = (double)trial->conflicts;
        values[MEASURE_CONFLICT_RATE] = 100.0 * (double)trial->conflicts / bindings;
        values[MEASURE_ROLLING] = open_s(trial, sums.first_need, sums.last_return);
        values[MEASURE_LEAD] = sums.lead / count;
        values[MEASURE_MOVES] = (double)trial->moves / (double)trial->replica_count;
        values[MEASURE_PENDING] = trial->pending_s / bindings;
        values[MEASURE_IMBALANCE] = trial->samples ? trial->imbalance / (double)trial->samples : 0;
        values[MEASURE_WRITES] = sums.writes / count;
        values[MEASURE_UNFINISHED] = count - trial->returned_count;
}
