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
        struct slice request_uid; /* not written */
        struct slice user;        /* who asked, as the API server knows it; empty = not known */
        int http;                 /* status of the call; 0 = none */
};

/* A line that is recorded elsewhere: lines after it may be new, it itself must be there. */
struct audit_head {
        uint64_t seq; /* 0 = none */
        char hash[SHA256_TEXT_SIZE];
};

struct audit_chain {
        uint64_t seq;                 /* of the last line; 0 = none yet */
        char prev[SHA256_TEXT_SIZE];  /* hash of the last line; "" = none yet */
        char first[SHA256_TEXT_SIZE]; /* hash of the first line, which names the chain */
        const char *actor, *mode;     /* who writes; NULL = left out */
};
/* Appends one line, with its newline, to out. */
void audit_chain_append(struct audit_chain *chain, const struct audit_record *record,
                        struct wall_time now, struct buf *out);
/* Continues a log after its lines (a last line without a newline is a torn line). INVALID naming
 * the first bad seq when the chain is broken; chain then stands at the last good line. */
int audit_chain_verify(struct audit_chain *chain, struct slice lines, struct err *err);
/* The same, and the head must be in it: INVALID when the end is lost, or another line is there. */
int audit_chain_verify_head(struct audit_chain *chain, struct slice lines,
                            const struct audit_head *head, struct err *err);
/* "SEQ HASH", as it is kept elsewhere. */
void audit_head_write(const struct audit_chain *chain, struct buf *out);
bool audit_head_parse(struct slice text, struct audit_head *ret_head);
/* Name of the chain in a collection of heads: of its first line; needs SHA256_TEXT_SIZE. */
#define AUDIT_CHAIN_NAME_SIZE 17
void audit_chain_name(const struct audit_chain *chain, char out[AUDIT_CHAIN_NAME_SIZE]);
