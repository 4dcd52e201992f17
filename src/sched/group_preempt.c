/* Room for a group that fits nowhere: who has to go for the whole of it (upstream:
 * WorkloadAwarePreemption), and where its members will be then. */
#include "base/util.h"
#include "sched/scheduler_group.h"

/* What is asked again and again while victims are picked. */
struct group_preempt_question {
        const struct group_cycle *cycle;
        struct arena arena; /* of the last answer */
};

static bool group_preempt_fits(void *context, struct slice *ret_message) {
        struct group_preempt_question *question = context;
        struct group_trial trial;
        struct trial_request request = { .is_question = true, .arena = &question->arena };
        arena_clear(&question->arena);
        group_try_anywhere(question->cycle, &request, &trial);
        *ret_message = trial.message;
        return trial.outcome == GROUP_FITS;
}

static const struct profile_plugin *plugin_of(const struct sched_profile *profile) {
        const struct profile_point *point = &profile->points[POINT_POST_FILTER];
        for (size_t i = 0; i < point->count; i++) {
                const struct profile_plugin *plugin = &profile->plugins[point->plugins[i]];
                if (plugin->plugin->sched->groups && plugin->plugin->sched->groups->post_filter)
                        return plugin;
        }
        return NULL;
}

static bool never_preempts(const struct group_cycle *cycle) {
        const struct cluster *cluster = cycle->view.cluster;
        for (size_t i = 0; i < cycle->count; i++) {
                const struct pod_row *row = cluster_pod(cluster, cycle->entries[i]->pod);
                if (cluster_class(cluster, row->class)->spec.never_preempts)
                        return true;
        }
        return false;
}

/* False: search says nothing, and ret_why why. */
static bool find_victims(const struct group_cycle *cycle, struct group_preemption *search,
                         struct slice *ret_why) {
        const struct profile_plugin *plugin = plugin_of(cycle->profile);
        struct group_preempt_question question = { .cycle = cycle };
        struct verdict verdict = { .code = VERDICT_OK };
        if (pod_group_is_constrained(cycle->group.object)) {
                *ret_why = SLICE_LITERAL("workload aware preemption is not supported for pod "
                                         "groups with scheduling constraints");
                return false;
        }
        if (!plugin) {
                *ret_why = SLICE_LITERAL("default preemption plugin is not registered, workload "
                                         "aware preemption is disabled");
                return false;
        }
        arena_init(&question.arena, 0);
        search->fits = group_preempt_fits;
        search->context = &question;
        bool is_found = plugin->plugin->sched->groups->post_filter(search, plugin->state,
                                                                   &verdict) == VERDICT_OK;
        if (!is_found)
                *ret_why = arena_slice(cycle->view.arena, verdict.reasons[0]);
        arena_release(&question.arena);
        return is_found;
}

/* Where the members will be once the victims are gone. */
static void place_without(const struct group_cycle *cycle, const struct group_preemption *search,
                          struct group_trial *ret_trial) {
        struct trial_request request = { .arena = cycle->view.arena };
        cluster_checkpoint(search->cluster);
        for (size_t i = 0; i < search->victim_count; i++)
                group_withdraw(search->cluster, search->victims[i]);
        group_try_anywhere(cycle, &request, ret_trial);
        cluster_rollback(search->cluster);
}

/* The messages of members and group about the failed attempt stay. */
static void wait_for(const struct group_cycle *cycle, const struct group_preemption *search,
                     struct group_trial *after, struct group_trial *trial) {
        for (size_t i = 0; i < cycle->count; i++) {
                after->places[i].waits_for_victims = true;
                after->places[i].message = trial->places[i].message;
        }
        after->outcome = GROUP_WAITS_FOR_VICTIMS;
        after->message = trial->message;
        after->victim_count = search->victim_count;
        after->victims = search->victims;
        *trial = *after;
}

void group_preempt(const struct group_cycle *cycle, struct group_trial *trial) {
        struct group_preemption search = { .group = &cycle->view,
                                           .cluster = cycle->step->scheduler->config.cluster,
                                           .now = cycle->step->wall,
                                           .never_preempts = never_preempts(cycle) };
        struct group_trial after;
        struct slice why;
        if (!find_victims(cycle, &search, &why)) {
                trial->message = slice_of(arena_printf(cycle->view.arena, SLICE_FMT ", " SLICE_FMT,
                                                       SLICE_ARG(trial->message), SLICE_ARG(why)));
                return;
        }
        place_without(cycle, &search, &after);
        if (after.outcome != GROUP_FITS)
                return; /* no use: no pod is evicted */
        if (search.victim_count == 0)
                *trial = after; /* in another order of things it fits as it is */
        else
                wait_for(cycle, &search, &after, trial);
}
