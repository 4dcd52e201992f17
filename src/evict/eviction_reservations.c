/* What the trail has of room that the scheduler holds for replacements.  The scheduler says in the
 * Eviction where it holds some, and why it holds none (any more); after a restart of the controller
 * the trail tells again. */
#include "evict/eviction_progress.h"

#include "base/util.h"
#include <stdio.h>

static void tell_reserve(struct eviction_look *look, const struct eviction *eviction,
                         const char *reason) {
        eviction_audit(look, (struct audit_record){ .op = SLICE_LITERAL("reserve"),
                                                    .eviction = eviction->object.name,
                                                    .to = eviction->room,
                                                    .reason = slice_of(reason) });
}

static void tell_release(struct eviction_look *look, const struct eviction *eviction,
                         struct slice node, struct slice reason) {
        eviction_audit(look, (struct audit_record){ .op = SLICE_LITERAL("release"),
                                                    .eviction = eviction->object.name,
                                                    .from = node,
                                                    .reason = reason });
}

static void tell_room(struct eviction_look *look, struct eviction_entry *entry) {
        const struct eviction *eviction = entry->eviction;

        if (slice_is(eviction->room, entry->room_told))
                return;
        if (entry->room_told[0])
                tell_release(look, eviction, slice_of(entry->room_told), SLICE_LITERAL("moved"));
        tell_reserve(look, eviction, "");
        snprintf(entry->room_told, sizeof(entry->room_told), SLICE_FMT, SLICE_ARG(eviction->room));
        entry->is_no_room_told = false;
}

static void tell_none(struct eviction_look *look, struct eviction_entry *entry) {
        const struct eviction *eviction = entry->eviction;
        struct slice node = eviction->no_room, reason;

        if (entry->is_no_room_told || !eviction->no_room.len)
                return;
        entry->is_no_room_told = true;
        if (!slice_is(eviction->no_room, EVICTION_NO_ROOM) && slice_split(&node, ' ', &reason))
                tell_release(look, eviction, node, reason);
        else if (entry->room_told[0])
                tell_release(look, eviction, slice_of(entry->room_told), eviction->no_room);
        else
                tell_reserve(look, eviction, EVICTION_NO_ROOM);
        entry->room_told[0] = '\0';
}

/* Room that was lost before anything began is asked for again, by taking back that it was. */
static void ask_again(struct eviction_look *look, const struct eviction *eviction) {
        struct buf body = { 0 };

        if (!look->is_wanted || !eviction_lacks_reservation(eviction) || look->target->writes ||
            !eviction->no_room.len || slice_is(eviction->no_room, EVICTION_NO_ROOM))
                return;
        buf_text(&body, "{\"metadata\":{\"uid\":");
        buf_json_string(&body, eviction->object.uid);
        buf_text(&body, ",\"resourceVersion\":");
        buf_json_string(&body, eviction->object.version);
        buf_text(&body, ",\"annotations\":{\"" EVICTION_NOT_RESERVED_KEY "\":null}}}");
        eviction_effect_add(look, EVICTION_PATCH_META, &eviction->object,
                            eviction_text_keep(look->out, &body));
}

void eviction_reservations_tell(struct eviction_look *look, struct eviction_entry *entry) {
        if (entry->eviction->room.len)
                tell_room(look, entry);
        else
                tell_none(look, entry);
        ask_again(look, entry->eviction);
}

void eviction_reservations_end(struct eviction_look *look, const struct eviction *eviction) {
        if (eviction->room.len)
                tell_release(look, eviction, eviction->room, SLICE_LITERAL("end"));
}

bool eviction_lacks_reservation(const struct eviction *eviction) {
        return eviction->requires_room && !eviction->room.len &&
               eviction->status.responder_count == 0;
}
