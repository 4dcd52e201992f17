/* What the audit log has of reservations for replacements.  The scheduler writes into the Eviction
 * where it made one, and why there is none (any more); after a restart of the controller it is
 * logged again. */
#include "evict/eviction_progress.h"

#include "base/util.h"
#include <stdio.h>

static void report_reserve(struct eviction_sync *sync, const struct eviction *eviction,
                           const char *reason) {
        eviction_audit(sync, (struct audit_record){ .op = SLICE_LITERAL("reserve"),
                                                    .eviction = eviction->object.name,
                                                    .to = eviction->reserved_node,
                                                    .reason = slice_of(reason) });
}

static void report_release(struct eviction_sync *sync, const struct eviction *eviction,
                           struct slice node, struct slice reason) {
        eviction_audit(sync, (struct audit_record){ .op = SLICE_LITERAL("release"),
                                                    .eviction = eviction->object.name,
                                                    .from = node,
                                                    .reason = reason });
}

static void report_reservation(struct eviction_sync *sync, struct eviction_entry *entry) {
        const struct eviction *eviction = entry->eviction;

        if (slice_is(eviction->reserved_node, entry->reservation_reported))
                return;
        if (entry->reservation_reported[0])
                report_release(sync, eviction, slice_of(entry->reservation_reported),
                               SLICE_LITERAL("moved"));
        report_reserve(sync, eviction, "");
        snprintf(entry->reservation_reported, sizeof(entry->reservation_reported), SLICE_FMT,
                 SLICE_ARG(eviction->reserved_node));
        entry->is_refusal_reported = false;
}

static void report_none(struct eviction_sync *sync, struct eviction_entry *entry) {
        const struct eviction *eviction = entry->eviction;
        struct slice node = eviction->reserve_refusal, reason;

        if (entry->is_refusal_reported || !eviction->reserve_refusal.len)
                return;
        entry->is_refusal_reported = true;
        if (!slice_is(eviction->reserve_refusal, EVICTION_NOT_RESERVED) &&
            slice_split(&node, ' ', &reason))
                report_release(sync, eviction, node, reason);
        else if (entry->reservation_reported[0])
                report_release(sync, eviction, slice_of(entry->reservation_reported),
                               eviction->reserve_refusal);
        else
                report_reserve(sync, eviction, EVICTION_NOT_RESERVED);
        entry->reservation_reported[0] = '\0';
}

/* Room that was lost before anything began is asked for again, by taking back that it was. */
static void ask_again(struct eviction_sync *sync, const struct eviction *eviction) {
        struct buf body = { 0 };

        if (!sync->is_wanted || !eviction_lacks_reservation(eviction) || sync->target->writes ||
            !eviction->reserve_refusal.len ||
            slice_is(eviction->reserve_refusal, EVICTION_NOT_RESERVED))
                return;
        buf_text(&body, "{\"metadata\":{\"uid\":");
        buf_json_string(&body, eviction->object.uid);
        buf_text(&body, ",\"resourceVersion\":");
        buf_json_string(&body, eviction->object.version);
        buf_text(&body, ",\"annotations\":{\"" EVICTION_NOT_RESERVED_KEY "\":null}}}");
        eviction_effect_add(sync, EVICTION_PATCH_META, &eviction->object,
                            eviction_text_keep(sync->out, &body));
}

void eviction_reservations_report(struct eviction_sync *sync, struct eviction_entry *entry) {
        if (entry->eviction->reserved_node.len)
                report_reservation(sync, entry);
        else
                report_none(sync, entry);
        ask_again(sync, entry->eviction);
}

void eviction_reservations_end(struct eviction_sync *sync, const struct eviction *eviction) {
        if (eviction->reserved_node.len)
                report_release(sync, eviction, eviction->reserved_node, SLICE_LITERAL("end"));
}

bool eviction_lacks_reservation(const struct eviction *eviction) {
        return eviction->requires_reservation && !eviction->reserved_node.len &&
               eviction->status.responder_count == 0;
}
