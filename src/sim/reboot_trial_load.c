/* The load of a trial: applications with budgets, jobs that come and end. */
#include "sim/reboot_trial_priv.h"

#include "base/util.h"
#include "sched/scheduler.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define SIGMA 1.0 /* of lognormal lifetimes */
#define LAW_SEED 0x10ad

double trial_exponential(struct rng *rng, double mean) {
        return -log(1.0 - rng_unit(rng)) * mean;
}

static double reboot_trial_load_normal(struct rng *rng) {
        double radius = sqrt(-2.0 * log(1.0 - rng_unit(rng)));

        return radius * cos(2.0 * acos(-1.0) * rng_unit(rng));
}

static int64_t draw_lifetime(struct trial *trial) {
        double mean = (double)trial->setting.lifetime_ns, ns;

        if (trial->setting.law == TRIAL_LOGNORMAL)
                ns = exp(log(mean) - SIGMA * SIGMA / 2 +
                         SIGMA * reboot_trial_load_normal(&trial->load_rng));
        else
                ns = trial_exponential(&trial->load_rng, mean);
        return ns < 1e9 ? NS_PER_S : (int64_t)ns;
}

static int64_t now_ns(const struct trial *trial) {
        return loop_mono(trial->loop).ns;
}

/* ---- pods in the model ---- */

static void print_spread(struct trial *trial, const char *app) {
        enum trial_spread spread = trial->setting.spread;

        if (spread == TRIAL_NO_SPREAD)
                return;
        buf_printf(&trial->text,
                   "'topologySpreadConstraints':[{'maxSkew':1,'topologyKey':"
                   "'kubernetes.io/hostname','whenUnsatisfiable':'%s','labelSelector':{"
                   "'matchLabels':{'app':'%s'}}}],",
                   spread == TRIAL_HARD_SPREAD ? "DoNotSchedule" : "ScheduleAnyway", app);
}

static void print_spec(struct trial *trial, const struct trial_pod *pod, const char *app) {
        uint32_t cpu = pod->is_job ? TRIAL_JOB_CPU_MILLI : trial->apps[pod->app].cpu_milli;

        buf_text(&trial->text, "'spec':{");
        if (pod->state != POD_WAITS)
                buf_printf(&trial->text, "'nodeName':'%s',", trial->nodes[pod->node].name);
        if (pod->tolerates)
                buf_text(&trial->text,
                         "'tolerations':[{'key':'" TRIAL_TAINT "','operator':'Exists'}],");
        print_spread(trial, app);
        buf_printf(&trial->text,
                   "'containers':[{'name':'c','image':'i','resources':{'requests':{'cpu':'%um',"
                   "'memory':'1Gi'}}}]}",
                   cpu);
}

static void put_pod(struct trial *trial, const struct trial_pod *pod, enum change_kind change) {
        struct buf *text = &trial->text;
        char app[16];

        snprintf(app, sizeof(app), "%s%u", pod->is_job ? "j" : "a", pod->is_job ? 0 : pod->app);
        buf_printf(text,
                   "{'metadata':{'namespace':'" TRIAL_NS "','name':'%s','uid':'%s',%s"
                   "'labels':{'app':'%s','tier':'%s'},'ownerReferences':[{'apiVersion':'apps/v1',"
                   "'kind':'ReplicaSet','name':'%s','uid':'%s','controller':true}]},",
                   pod->name, pod->name,
                   pod->state == POD_GOES ? "'deletionTimestamp':'2026-01-01T00:00:00Z'," : "", app,
                   pod->is_job ? "batch" : "web", app, app);
        print_spec(trial, pod, app);
        buf_printf(text, ",'status':{'phase':'%s'%s}}",
                   pod->state == POD_WAITS ? "Pending" : "Running",
                   pod->state == POD_WAITS ? "" : ",'startTime':'2026-01-01T00:00:00Z'");
        trial_apply(trial, OBJECT_POD, change);
}

struct trial_pod *trial_pod_find(const struct trial *trial, struct slice name) {
        uint64_t serial;

        if (name.len < 2 || !slice_to_u64(slice_make(name.ptr + 1, name.len - 1), &serial) ||
            serial >= trial->pod_count)
                return NULL;
        return trial->pods[serial];
}

/* ---- their lives ---- */

static void end_pod(struct trial_pod *pod) {
        struct trial *trial = pod->trial;

        pod->state = POD_IS_GONE;
        if (pod->is_job)
                trial->nodes[pod->node].job_count--;
        cluster_remove_pod(trial->cluster, SLICE_LITERAL(TRIAL_NS), slice_of(pod->name));
        trial_schedule(trial); /* there may be free capacity now */
}

static void on_pod_timer(void *context) {
        struct trial_pod *pod = context;

        if (pod->state == POD_STARTS && !pod->is_job) {
                pod->state = POD_RUNS;
                pod->trial->apps[pod->app].ready++;
        } else if (pod->state != POD_RUNS || pod->is_job) {
                end_pod(pod);
        }
}

static struct trial_pod *add_pod(struct trial *trial) {
        struct trial_pod *pod = xcalloc(1, sizeof(*pod));

        if (trial->pod_count == trial->pod_cap) {
                trial->pod_cap = trial->pod_cap ? trial->pod_cap * 2 : 256;
                trial->pods = xreallocarray(trial->pods, trial->pod_cap, sizeof(*trial->pods));
        }
        pod->trial = trial;
        pod->serial = trial->pod_count;
        pod->created_ns = now_ns(trial);
        pod->timer = (struct loop_timer){ .fired = on_pod_timer, .context = pod };
        trial->pods[trial->pod_count++] = pod;
        return pod;
}

static void reboot_trial_load_create(struct trial *trial, struct trial_pod *pod) {
        snprintf(pod->name, sizeof(pod->name), "%c%u", pod->is_job ? 'j' : 'w', pod->serial);
        put_pod(trial, pod, CHANGE_ADDED);
        trial_schedule(trial);
}

static void reboot_trial_load_bind(struct trial *trial, struct trial_pod *pod, struct slice node) {
        uint64_t index;

        if (!slice_to_u64(slice_make(node.ptr + 1, node.len - 1), &index)) {
                trial_failed(trial, "bound to an unknown node");
                return;
        }
        pod->node = (uint32_t)index;
        pod->state = pod->is_job ? POD_RUNS : POD_STARTS;
        put_pod(trial, pod, CHANGE_UPDATED);
        if (pod->is_job)
                trial->nodes[pod->node].job_count++;
        loop_timer_arm(trial->loop, &pod->timer, pod->is_job ? pod->lifetime_ns : pod->startup_ns);
        trial_bound(trial, pod);
}

/* ---- evictions ---- */

static bool may_go(const struct trial *trial, const struct trial_pod *pod) {
        const struct trial_app *app = &trial->apps[pod->app];

        if (pod->is_job || pod->state != POD_RUNS)
                return true;
        return app->ready > app->replicas - (app->replicas + 3) / 4; /* maxUnavailable: 25% */
}

static void reboot_trial_load_replace(struct trial *trial, const struct trial_pod *old) {
        struct trial_pod *pod = add_pod(trial);

        pod->is_job = old->is_job;
        pod->tolerates = old->tolerates;
        pod->app = old->app;
        pod->lifetime_ns = old->lifetime_ns;
        pod->grace_ns = old->grace_ns;
        pod->startup_ns = old->startup_ns;
        reboot_trial_load_create(trial, pod);
}

bool trial_evict(struct trial *trial, struct trial_pod *pod) {
        if (pod->state != POD_STARTS && pod->state != POD_RUNS)
                return true;
        if (!may_go(trial, pod))
                return false;
        if (!pod->is_job && pod->state == POD_RUNS)
                trial->apps[pod->app].ready--;
        trial->moves++;
        pod->state = POD_GOES;
        loop_timer_disarm(trial->loop, &pod->timer);
        loop_timer_arm(trial->loop, &pod->timer, pod->grace_ns);
        put_pod(trial, pod, CHANGE_UPDATED);
        reboot_trial_load_replace(trial, pod);
        return true;
}

/* ---- placing ---- */

static void finish_action(struct trial *trial, const struct action *action,
                          struct action_list *more) {
        const struct action_result result = { .id = action->id,
                                              .kind = action->kind,
                                              .target = action->target };
        struct trial_pod *pod = trial_pod_find(trial, action->target.name);

        if (action->kind == ACTION_BIND && pod)
                reboot_trial_load_bind(trial, pod, action->bind.node);
        scheduler_result(trial->scheduler, &result, loop_mono(trial->loop), loop_wall(trial->loop),
                         more);
}

static void schedule_now(void *context) {
        struct trial *trial = context;
        struct scheduler_progress progress = { .has_more = true };
        struct action_list more;
        struct mono_time due;

        trial->is_scheduling = false;
        action_list_init(&more);
        while (progress.has_more) {
                progress = scheduler_step(trial->scheduler, loop_mono(trial->loop),
                                          loop_wall(trial->loop), 64, &trial->binds);
                for (size_t i = 0; i < trial->binds.count; i++)
                        finish_action(trial, &trial->binds.items[i], &more);
                action_list_clear(&trial->binds);
                action_list_clear(&more);
        }
        action_list_release(&more);
        if (!trial->is_scheduling && scheduler_next_due(trial->scheduler, &due))
                loop_timer_arm(trial->loop, &trial->scheduling,
                               due.ns > now_ns(trial) ? due.ns - now_ns(trial) : NS_PER_MS);
}

void trial_schedule(struct trial *trial) {
        if (trial->is_scheduling)
                return;
        trial->is_scheduling = true;
        loop_timer_arm(trial->loop, &trial->scheduling, NS_PER_MS);
}

/* ---- the load ---- */

static void add_job(struct trial *trial) {
        struct trial_pod *pod = add_pod(trial);

        pod->is_job = true;
        pod->lifetime_ns = draw_lifetime(trial);
        pod->tolerates = rng_unit(&trial->load_rng) < trial->setting.tolerating;
        pod->grace_ns = (int64_t)((5 + 25 * rng_unit(&trial->load_rng)) * 1e9);
        reboot_trial_load_create(trial, pod);
}

static void on_arrival(void *context) {
        struct trial *trial = context;
        double rate = trial->setting.rho * trial->setting.nodes;
        double gap = trial_exponential(&trial->load_rng, (double)trial->setting.lifetime_ns / rate);

        if (now_ns(trial) > 0)
                add_job(trial);
        loop_timer_arm(trial->loop, &trial->arrival, (int64_t)gap + 1);
}

static void add_replica(struct trial *trial, uint32_t app) {
        struct trial_pod *pod = add_pod(trial);

        pod->app = app;
        pod->grace_ns = (int64_t)((5 + 40 * rng_unit(&trial->load_rng)) * 1e9);
        pod->startup_ns = (int64_t)((5 + 35 * rng_unit(&trial->load_rng)) * 1e9);
        reboot_trial_load_create(trial, pod);
}

/* Applications until their requests, with those of the jobs, reach the utilisation. */
static void add_apps(struct trial *trial) {
        double jobs = trial->setting.rho * trial->setting.nodes * TRIAL_JOB_CPU_MILLI;
        double free_milli =
                trial->setting.utilisation * trial->setting.nodes * TRIAL_NODE_CPU_MILLI;
        uint32_t cap = trial->setting.nodes * 16;

        trial->apps = xcalloc(cap, sizeof(*trial->apps));
        for (free_milli -= jobs;
             (free_milli > 0 || trial->app_count == 0) && trial->app_count < cap;) {
                struct trial_app *app = &trial->apps[trial->app_count];

                app->cpu_milli = 250 * (1 + (uint32_t)rng_below(&trial->load_rng, 6));
                app->replicas =
                        TRIAL_REPLICAS / 2 + (uint32_t)rng_below(&trial->load_rng, TRIAL_REPLICAS);
                free_milli -= (double)app->replicas * app->cpu_milli;
                trial->app_count++;
        }
        for (uint32_t i = 0; i < trial->app_count; i++)
                for (uint32_t k = 0; k < trial->apps[i].replicas; k++, trial->replica_count++)
                        add_replica(trial, i);
}

void trial_load_start(struct trial *trial) {
        uint32_t jobs = (uint32_t)(trial->setting.rho * trial->setting.nodes + 0.5);

        rng_init(&trial->load_rng, trial->seed ^ LAW_SEED);
        trial->scheduling = (struct loop_timer){ .fired = schedule_now, .context = trial };
        trial->arrival = (struct loop_timer){ .fired = on_arrival, .context = trial };
        add_apps(trial);
        for (uint32_t i = 0; i < jobs; i++)
                add_job(trial);
        on_arrival(trial);
}

void trial_load_stop(struct trial *trial) {
        loop_timer_disarm(trial->loop, &trial->scheduling);
        loop_timer_disarm(trial->loop, &trial->arrival);
        for (uint32_t i = 0; i < trial->pod_count; i++) {
                loop_timer_disarm(trial->loop, &trial->pods[i]->timer);
                free(trial->pods[i]);
        }
        free(trial->pods);
        free(trial->apps);
}
