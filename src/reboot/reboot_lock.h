/* The lock that keeps nodes from rebooting at once, as kured writes it into an annotation
 * (pkg/daemonsetlock): one owner, or a list of owners with a limit. Both forms are read whatever
 * our own limit, and written in the form kured of our limit expects. */
#pragma once

#include "base/arena.h"
#include "base/buf.h"
#include "base/err.h"
#include "base/slice.h"
#include "base/time.h"
#include <stdbool.h>
#include <stdint.h>

#define LOCK_OWNERS_MAX 1024

struct lock_owner {
        struct slice node;
        bool was_cordoned;        /* metadata.unschedulable: before the lock was taken */
        struct wall_time created; /* unset: written by hand, never expires and is never stolen */
        int64_t ttl_ns;           /* 0 = never expires */
};

struct reboot_lock {
        bool is_multiple;
        size_t count;
        struct lock_owner *owners; /* in the arena */
};

/* An annotation that is not there is a lock without owners.  Error: BERTH_ERR_INVALID on text that
 * is neither form; such a lock has an unknown holder and is not overwritten. */
int reboot_lock_parse(struct slice annotation, bool is_present, struct arena *arena,
                      struct reboot_lock *ret_lock, struct err *err);
/* False = the key is removed (the single form without an owner). */
bool reboot_lock_print(const struct reboot_lock *lock, uint32_t limit, struct buf *out);

/* By the observer's clock and the holder's lifetime; clocks ahead of ours make no lock younger than
 * new. */
bool lock_owner_is_expired(const struct lock_owner *owner, struct wall_time now);
/* The live or expired entry of this node; NULL when there is none. */
const struct lock_owner *reboot_lock_find(const struct reboot_lock *lock, struct slice node);

struct lock_claim {
        struct lock_owner owner; /* what to write */
        uint32_t limit;          /* how many may hold it at once */
        struct slice gone;       /* a holder whose Node was deleted; "" = none */
};
/* The lock with our entry in it, without entries that are expired, gone, or ours; false when live
 * entries of others fill the limit.  ret_lock shares the arena's texts. */
bool reboot_lock_take(const struct reboot_lock *lock, const struct lock_claim *claim,
                      struct wall_time now, struct arena *arena, struct reboot_lock *ret_lock);
/* The lock without any entry of this node. */
void reboot_lock_drop(const struct reboot_lock *lock, struct slice node, struct arena *arena,
                      struct reboot_lock *ret_lock);
/* "n1, n2": live owners other than this node. */
void reboot_lock_holders(const struct reboot_lock *lock, struct slice node, struct wall_time now,
                         struct buf *out);
