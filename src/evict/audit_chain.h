/* The audit log: JSON lines, each with the hash of the line before it, so that an edited, lost or
 * moved line is detected. */
#pragma once

#include "base/buf.h"
#include "base/err.h"
#include "base/sha256.h"
#include "base/time.h"
#include <stdint.h>

/* Empty slices and unset times are left out. */
struct audit_record {
        struct slice op; /* request, create, activate, cancel, evict-call, ... */
        struct slice ns, request, eviction, pod, uid, node, requester, responder, stage;
        struct slice from, to, reason, message;
        int http; /* status of the call; 0 = none */
};

struct audit_chain {
        uint64_t seq;                /* of the last line; 0 = none yet */
        char prev[SHA256_TEXT_SIZE]; /* hash of the last line; "" = none yet */
        const char *actor, *mode;    /* who writes; NULL = left out */
};
/* Appends one line, with its newline, to out. */
void audit_chain_append(struct audit_chain *chain, const struct audit_record *record,
                        struct wall_time now, struct buf *out);
/* Continues a log after its lines (a last line without a newline is a torn line). INVALID naming
 * the first bad seq when the chain is broken; chain then stands at the last good line. */
int audit_chain_verify(struct audit_chain *chain, struct slice lines, struct err *err);
