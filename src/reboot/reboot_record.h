/* What an agent remembers of a reboot across crashes: one annotation on its node, written in the
 * same patch as the effects it records, so that it never claims what was not done. */
#pragma once

#include "base/arena.h"
#include "base/buf.h"
#include "base/slice.h"
#include "base/time.h"
#include <stdbool.h>
#include <stdint.h>

#define REBOOT_RECORD_ANNOTATION "berth.dev/reboot"
/* "true" keeps a node from rebooting until it is taken away. */
#define REBOOT_HOLD_ANNOTATION "berth.dev/reboot-hold"
/* "true" takes a node out: neither sentinel nor anything else counts. */
#define REBOOT_IGNORE_ANNOTATION "berth.dev/reboot-ignore"
/* "true" asks for one reboot, sentinel or not, in a window or not, with blockers or without; the
 * node is drained and the lock is taken as usual. The reboot removes it. */
#define REBOOT_FORCE_ANNOTATION "berth.dev/reboot-force"

enum reboot_phase {
        REBOOT_IDLE,      /* no record */
        REBOOT_WANTED,    /* required; tainted */
        REBOOT_BLOCKED,   /* by what reason says */
        REBOOT_QUEUED,    /* for the lock that reason names the holders of */
        REBOOT_CLAIMED,   /* the lock is ours; nothing irreversible yet */
        REBOOT_DRAINING,  /* cordoned */
        REBOOT_READY,     /* drained */
        REBOOT_REBOOTING, /* the order was, or is about to be, given */
        REBOOT_RELEASING, /* back and uncordoned; the lock is still to be given up */
        REBOOT_ROLLBACK,  /* given up and uncordoned; the lock is still to be given up */
        REBOOT_PHASE_COUNT
};
const char *reboot_phase_name(enum reboot_phase phase); /* "Draining" */

/* How long the last reboot took, from the lock to the return: "3m20s". */
#define REBOOT_TOOK_ANNOTATION "berth.dev/reboot-took"

struct reboot_record {
        enum reboot_phase phase;
        struct slice boot_id; /* of the boot that cordoned */
        struct wall_time need_since, taint_since, not_before, claimed;
        bool is_cordoned_by_us;
        uint32_t attempt;       /* failures and fruitless reboots in a row */
        struct slice reason;    /* what it waits for */
        struct slice failure;   /* why the last attempt failed */
        struct slice taint_key; /* of the taint that we set; empty = none */
};

/* Text that is no record reads as none. Slices live in the arena. */
void reboot_record_parse(struct slice annotation, struct arena *arena,
                         struct reboot_record *ret_record);
void reboot_record_print(const struct reboot_record *record, struct buf *out);
