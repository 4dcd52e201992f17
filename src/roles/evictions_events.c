/* Events about pods and requests: what begins, what does not go on and why, what is over. */
#include "base/util.h"
#include "roles/evictions_role_priv.h"
#include <stdio.h>

static const struct event_row {
        const char *op, *reason, *text;
        bool is_warning, is_of_request; /* else of the pod */
} event_rows[] = {
        { "activate", "EvictionStarted", "The eviction has begun", false, false },
        { "hold", "EvictionHeld", "The eviction does not go on", true, false },
        { "decline", "EvictionDeclined", "The stages of the pod's EvictionPolicy were given up",
          true, false },
        { "failed", "EvictionFailed", "The eviction failed", true, false },
        { "cancel", "EvictionCanceled", "The eviction was withdrawn", false, false },
        { "orphan", "EvictionSlow", "The eviction takes much longer than expected", true, false },
        { "request", "EvictionInvalid", "The request cannot be carried out", true, true },
        { "hold", "EvictionHeld", "The eviction does not go on", true, true },
};

static void add_part(struct buf *note, const char *before, struct slice text) {
        if (text.len)
                buf_printf(note, "%s" SLICE_FMT, before, SLICE_ARG(text));
}

/* A request gets the event when it is what the record is about. */
static bool is_row_for(const struct event_row *row, const struct audit_record *record) {
        if (!slice_is(record->op, row->op) || row->is_of_request != (record->request_uid.len > 0))
                return false;
        if (slice_is(record->op, "activate")) /* a pod that is only evicted is gone at once */
                return !slice_is(record->responder, EVICTION_EVICTOR);
        return !slice_is(record->op, "request") || slice_is(record->to, row->reason);
}

static void evictions_events_record(struct evictions_role *role, const struct event_row *row,
                                    const struct audit_record *record) {
        struct object_ref pod = { SLICE_LITERAL("Pod"), record->ns, record->pod, record->uid };
        struct object_ref request = { SLICE_LITERAL("EvictionRequest"), record->ns, record->request,
                                      record->request_uid };
        char version[100];
        struct buf note = { 0 };

        snprintf(version, sizeof(version), "%s/" EVICTION_VERSION, role->group);
        buf_text(&note, row->text);
        add_part(&note, ", asked for by ", record->requester);
        add_part(&note, ", user ", record->user);
        add_part(&note, ", responder ", record->responder);
        add_part(&note, " (Eviction ", record->eviction);
        buf_text(&note, record->eviction.len ? ")" : "");
        add_part(&note, ": ", record->reason);
        add_part(&note, ": ", record->message);
        evictions_record_event(role, row->is_of_request ? &request : &pod,
                               &(struct event_action){ .is_warning = row->is_warning,
                                                       .reason = slice_of(row->reason),
                                                       .action = SLICE_LITERAL("Evicting"),
                                                       .note = buf_view(&note),
                                                       .api_version = row->is_of_request
                                                                              ? slice_of(version)
                                                                              : SLICE_EMPTY });
        buf_release(&note);
}

void evictions_tell_event(struct evictions_role *role, const struct audit_record *record) {
        for (size_t i = 0; i < ARRAY_LEN(event_rows); i++)
                if (is_row_for(&event_rows[i], record))
                        evictions_events_record(role, &event_rows[i], record);
}
