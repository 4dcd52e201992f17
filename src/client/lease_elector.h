/* Leader election on a Lease: the process that holds it and renews it in time leads.
 *
 * Clocks of different machines are never compared: the Lease of another process has expired when
 * its record has not changed for the lease duration, measured by the clock of this process. */
#pragma once

#include "base/slice.h"
#include "port/loop.h"
#include "port/transport.h"

#define LEASE_DURATION_NS (15 * NS_PER_S)
#define LEASE_RENEW_DEADLINE_NS (10 * NS_PER_S)
#define LEASE_RETRY_PERIOD_NS (2 * NS_PER_S)
#define LEASE_JITTER 1.2 /* share of the period by which attempts to acquire may be late */
#define LEASE_IDENTITY_MAX 255

/* Called from the loop; lease_elector_free must not be called from inside. Each may be NULL. */
struct lease_elector_events {
        void (*started)(void *context); /* we lead */
        /* We do not lead any more, or cannot be sure to. The elector goes on trying. */
        void (*stopped)(void *context);
        void (*new_leader)(void *context, struct slice identity); /* empty = no leader */
        void (*failed)(void *context, const struct err *err);     /* one attempt; for logs */
        void (*works)(void *context); /* one that followed failed ones; for logs */
};

struct lease_elector_config {
        const char *namespace_name, *name;
        const char *identity;                                    /* unique: HOSTNAME_UUID */
        int64_t duration_ns, renew_deadline_ns, retry_period_ns; /* 0 = as above */
        uint64_t seed;
        const struct lease_elector_events *events; /* must outlive the elector */
        void *context;                             /* of the events */
};

struct lease_elector;

/* Starts at once. Texts are copied. Error: INVALID unless duration > renew deadline > retry period
 * times the jitter. */
int lease_elector_new(const struct lease_elector_config *config, struct transport *transport,
                      struct loop *loop, struct lease_elector **ret_elector, struct err *err);
/* Without callbacks; a held lease runs out by itself. Accepts NULL. */
void lease_elector_free(struct lease_elector *elector);
/* Ends for good: stops leading first, then gives the lease back if it is ours, then calls done
 * (from the loop). */
void lease_elector_release(struct lease_elector *elector, void (*done)(void *context),
                           void *context);

bool lease_elector_is_leader(const struct lease_elector *elector);
/* Leads, and its lease was renewed within the deadline. False as soon as the deadline passed, even
 * before `stopped` is called, for example after the process was suspended. */
bool lease_elector_may_act(const struct lease_elector *elector);
/* How long ago the lease we lead by ran out; <= 0 while all is well or we do not lead. For health
 * checks. */
int64_t lease_elector_overdue_ns(const struct lease_elector *elector);
struct slice lease_elector_leader(const struct lease_elector *elector); /* as last observed */
/* A member of the Lease's metadata, as last read or written; empty = not known. */
struct slice lease_elector_metadata(const struct lease_elector *elector, const char *key);
