/* Groups of pods that are decided together (reference scheduler.md 7.2): what the files about them
 * share.  A group is popped as a whole, tried out in what-ifs, and only then acted on. */
#pragma once

#include "plugin/pod_group.h"
#include "sched/scheduler_priv.h"

struct pod_group {
        struct str_id ns;
        struct slice name;
        const struct json *object; /* NULL: it is not known */
        uint32_t min_count;        /* 0 = any number will do */
};
/* ---- members (group_members.c) ---- */
/* False: the pod names no group, or groups mean nothing here. */
bool pod_group_of(const struct scheduler *scheduler, struct pod_id pod,
                  struct pod_group *ret_group);
/* A live member that is not finished. */
bool pod_group_has(const struct scheduler *scheduler, const struct pod_group *group,
                   struct pod_id pod);
/* The members by the index; what it lists has to be asked pod_group_has. */
size_t group_members_listed(const struct scheduler *scheduler, const struct pod_group *group,
                            const struct pod_id **ret_pods);
/* Members on a node, ours in flight included, but not those that leave. */
size_t group_members_placed(const struct scheduler *scheduler, const struct pod_group *group,
                            struct arena *arena, struct pod_id **ret_pods);
/* The member's entry when it waits, behind a gate or not; else NULL. */
struct queued_pod *group_member_waiting(const struct scheduler *scheduler,
                                        const struct pod_group *group, struct pod_id pod);
/* Whether as many members as the gang needs are placed or wait. */
bool group_has_enough(const struct scheduler *scheduler, const struct pod_group *group);

/* One decision about the members that wait. */
struct group_cycle {
        struct step *step;
        struct pod_group group;
        struct sched_profile *profile; /* of all of them */
        size_t count;
        struct queued_pod **entries; /* in the order they are decided in */
        struct group_view view;
        struct arena arena;
};

/* ---- trying (group_trial.c) ---- */
struct group_place {
        struct queued_pod *entry;
        struct node_id node;  /* NODE_NONE: there is none */
        struct slice message; /* why not, also where victims have to leave first */
        bool waits_for_victims;
        const struct preemption *victims; /* pods that have to go for it; NULL = none */
        struct freed_claim freed;         /* no object is kept, only its name */
        struct slice freed_name;          /* "" = none */
};
enum group_outcome {
        GROUP_FITS,
        GROUP_WAITS_FOR_VICTIMS, /* fits once victims are gone */
        GROUP_REFUSED,
        GROUP_FAILED, /* an error; message is its text */
};
struct group_trial {
        enum group_outcome outcome;
        struct slice message;       /* for the group's condition; "" when it fits */
        size_t found_count;         /* members with a place */
        struct group_place *places; /* NULL: not even tried */
        size_t victim_count;        /* who has to go for the group as a whole */
        const struct pod_id *victims;
};
struct trial_request {
        const struct group_domain *among; /* NULL = all nodes */
        bool looks_for_victims;
        struct slice no_preemption; /* why there are no victims; "" = there may be */
        bool is_recorded;
        bool is_question;    /* only the outcome counts: ends as soon as it is certain */
        struct rng *rng;     /* NULL = the first of equals */
        struct arena *arena; /* of the result */
};
/* Decides one member after the other, each on the cluster with the earlier ones placed, in a
 * what-if that is taken back. */
void group_try(const struct group_cycle *cycle, const struct trial_request *request,
               struct group_trial *ret_trial);

/* ---- placements (group_placement.c) ---- */
/* Tries every placement of the group, and takes the best; without their gate that is all nodes. */
void group_try_anywhere(const struct group_cycle *cycle, const struct trial_request *request,
                        struct group_trial *ret_trial);

/* ---- preemption for a whole group (group_preempt.c) ---- */
/* A trial was refused: looks for victims whose removal lets the whole group fit.  The trial then
 * waits for them, or says in its message why there are none. */
void group_preempt(const struct group_cycle *cycle, struct group_trial *trial);

/* ---- the group's condition (group_condition.c) ---- */
#define GROUP_UNSCHEDULABLE "pod group is unschedulable"
/* Its condition PodGroupScheduled, where that is news. */
void group_report(const struct group_cycle *cycle, const struct group_trial *trial);
