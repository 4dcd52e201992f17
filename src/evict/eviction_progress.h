/* Inside the eviction reconciler: the controller's part of one look at a target. */
#pragma once

#include "evict/eviction_reconciler_priv.h"

/* ---- eviction_admission.c ---- */
/* Clears the slot or the wait of a target when it is over or its Eviction is at work. */
void eviction_admission_settle(struct eviction_sync *sync);
/* Whether the next Eviction may be created, or begun; false: it waits for a entry. */
bool eviction_admit(struct eviction_sync *sync);
/* Gives free slots to those that wait, and makes them look again. */
void eviction_admission_let_in(struct eviction_reconciler *reconciler, struct mono_time now);

/* ---- eviction_orphans.c ---- */
#define EVICTION_ORPHAN_FACTOR 3 /* times what is expected */
/* Reports one that takes too long. */
void eviction_orphans_watch(struct eviction_sync *sync, struct eviction_entry *entry);

/* ---- eviction_reservations.c ---- */
/* Its policy requires a reservation for the replacement, and the scheduler has made none yet. */
bool eviction_lacks_reservation(const struct eviction *eviction);
/* What changed of the reservation since it was last logged. */
void eviction_reservations_report(struct eviction_sync *sync, struct eviction_entry *entry);
/* Over: the scheduler ends the reservation when it sees the outcome. */
void eviction_reservations_end(struct eviction_sync *sync, const struct eviction *eviction);

/* ---- eviction_next.c ---- */
/* An Eviction that ran out of responders is followed by another after 30 s, 60 s ... 30 min. */
bool eviction_next_has_to_wait(struct eviction_sync *sync);
void eviction_next_create(struct eviction_sync *sync);

/* ---- eviction_labels.c ---- */
/* A JSON object with a label per participant, responders being those of a status. */
void eviction_labels_write(const struct eviction_sync *sync, const struct eviction_status *status,
                           struct buf *out);
void eviction_owners_write(const struct eviction_sync *sync, struct buf *out);
/* Writes labels, owners and finalizers where some are missing. */
void eviction_label(struct eviction_sync *sync, struct eviction_entry *entry);

/* ---- eviction_responders.c ---- */
/* Who will respond, as far as it is known now; none has begun. */
void eviction_snapshot_responders(const struct eviction_sync *sync, struct eviction_status *status);
/* Writes the status where it has to change: requesters, responders, the end. */
void eviction_settle(struct eviction_sync *sync, struct eviction_entry *entry);
