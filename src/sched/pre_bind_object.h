/* An object that a pod takes before it is bound: its writes, one after the other, and how they are
 * taken back. */
#pragma once

#include "sched/claim_write.h"
#include "sched/scheduler_priv.h"

struct pre_bind; /* scheduler_pre_bind.c */

struct taken_object {
        struct taken_object *next;
        struct pre_bind *owner;
        enum cached_kind kind;
        char *ns, *name, *uid;
        struct claim_write writes[CLAIM_WRITES_MAX];
        uint64_t version;                  /* of a claim, as answers said it last; 0 = not known */
        size_t write_count, sent, written; /* of the writes, so many */
        uint64_t action;                   /* the write or deletion under way; 0 = none */
        bool is_refused;                   /* the last write did certainly not happen */
        bool is_undone;                    /* being taken back */
        bool is_undo_lost;                 /* that failed, and is to be tried again */
        unsigned undo_count;               /* how often it was tried */
        int64_t undo_ns;                   /* when, last */
        bool is_joined;                    /* a writer of what the object cache assumes */
};

struct taken_object *taken_object_new(struct scheduler *scheduler, struct pre_bind *owner,
                                      enum cached_kind kind, const struct json *before,
                                      const struct json *after);
void taken_object_free(struct taken_object *taken);
/* Sends the next write; false: there is none. */
bool taken_object_send(struct step *step, struct taken_object *taken);
/* Takes the answer in.  False: the write failed. */
bool taken_object_answered(struct scheduler *scheduler, struct taken_object *taken,
                           const struct action_result *result);
/* Gives the object back.  True: a write of that is under way. */
bool taken_object_undo(struct step *step, struct taken_object *taken, struct slice pod_uid);
/* The same once more, when that failed some time ago. */
void taken_object_undo_again(struct step *step, struct taken_object *taken, struct slice pod_uid);
/* A write is under way, or will be. */
bool taken_object_is_open(const struct taken_object *taken);
