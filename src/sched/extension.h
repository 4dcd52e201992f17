/* A pod that extenders are being asked about, and what the files that ask them share. */
#pragma once

#include "sched/scheduler_priv.h"

struct json;

struct asked_node {
        char *name, *reason; /* owned; reason NULL unless refused */
        int64_t bonus;
        bool is_refused, is_unresolvable;
};

/* A node and those that would have to leave it. */
struct asked_candidate {
        char *node;
        size_t victim_count;
        char **victims; /* their uids */
        uint32_t budget_violations;
};

struct extension {
        struct extension *next;
        struct pod_id pod;
        uint64_t uid_hash;
        size_t extender; /* the one that filters next */
        uint32_t open;   /* questions on their way */
        bool has_prioritized;
        uint64_t generation; /* of the cluster when the first question was asked */
        size_t count;
        struct asked_node *nodes;
        /* Preemption: what is left of the candidates, and what went wrong (owned). */
        bool is_for_victims, has_extension; /* nodes hold what filtering extenders said before */
        size_t candidate_count;
        struct asked_candidate *candidates;
        char *trouble;
};

/* ---- whom a pod concerns (extender_interest.c) ---- */
bool extender_is_interested(const struct scheduler *scheduler, const struct extender *extender,
                            const struct queued_pod *entry);

/* ---- the record (extension.c) ---- */
struct extension *extension_new(struct scheduler *scheduler, const struct queued_pod *entry,
                                size_t node_count);
void extension_free(struct scheduler *scheduler, struct extension *extension);
void asked_candidate_free(struct asked_candidate *candidate); /* what it owns */
void extension_drop_candidates(struct extension *extension);

/* ---- victims (scheduler_extend_victims.c) ---- */
/* False: all were asked, or nothing is left to ask about. */
bool extension_ask_next(struct step *step, struct extension *extension,
                        const struct queued_pod *entry);
/* An answer, or the trouble that came instead. */
void extension_take_victims(struct scheduler *scheduler, struct extension *extension,
                            const struct extender *extender, struct slice trouble,
                            const struct json *answer);
/* What is left, in the scratch memory. */
struct preemption_limit extension_limit(struct scheduler *scheduler,
                                        const struct extension *extension);
