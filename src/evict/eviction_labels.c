/* Labels, owners and finalizers of an Eviction. */
#include "base/util.h"
#include "evict/eviction_progress.h"
#include "evict/eviction_stages.h"

void eviction_labels_write(const struct eviction_sync *sync, const struct eviction_status *status,
                           struct buf *out) {
        const struct eviction_target *target = sync->target;
        const char *separator = "";

        buf_char(out, '{');
        for (size_t i = 0; i < status->responder_count; i++) {
                buf_text(out, separator);
                buf_json_string(out, status->responders[i].name);
                buf_text(out, ":\"responder\"");
                separator = ",";
        }
        for (size_t i = 0; i < target->request_count; i++) {
                const struct eviction_request *request = target->requests[i];
                bool is_repeated = false;

                for (size_t k = 0; k < i; k++)
                        is_repeated |= slice_eq(target->requests[k]->requester, request->requester);
                if (is_repeated || eviction_requester_problem(request->requester))
                        continue;
                buf_text(out, separator);
                buf_json_string(out, request->requester);
                buf_text(out, eviction_find_responder(status, request->requester) >= 0
                                      ? ":\"requester-responder\""
                                      : ":\"requester\"");
                separator = ",";
        }
        buf_char(out, '}');
}

/* Owners are the live requests.  What a deleted one leaves behind in the list means nothing to the
 * garbage collector. */
void eviction_owners_write(const struct eviction_sync *sync, struct buf *out) {
        const struct eviction_target *target = sync->target;
        const char *separator = "";

        buf_char(out, '[');
        for (size_t i = 0; i < target->request_count; i++) {
                const struct eviction_object *object = &target->requests[i]->object;

                if (object->is_deleting)
                        continue;
                buf_printf(out,
                           "%s{\"apiVersion\":\"%s/" EVICTION_VERSION
                           "\",\"kind\":\"EvictionRequest\",\"name\":\"" SLICE_FMT
                           "\",\"uid\":\"" SLICE_FMT "\"}",
                           separator, sync->reconciler->config.group, SLICE_ARG(object->name),
                           SLICE_ARG(object->uid));
                separator = ",";
        }
        buf_char(out, ']');
}
/* An Eviction that may have something to undo must not vanish before that. */
static const struct {
        const char *responder, *finalizer;
} holds[] = {
        { EVICTION_STAGER, STAGES_FINALIZER },
        { EVICTION_VM_MOVER, EVICTION_MOVE_FINALIZER },
};

static bool lacks_finalizer(const struct eviction *eviction, size_t hold) {
        return eviction_find_responder(&eviction->status, slice_of(holds[hold].responder)) >= 0 &&
               !eviction_has_finalizer(eviction, holds[hold].finalizer);
}

static bool lacks_finalizers(const struct eviction *eviction) {
        for (size_t i = 0; i < ARRAY_LEN(holds); i++)
                if (lacks_finalizer(eviction, i))
                        return true;
        return false;
}

static void write_finalizers(const struct eviction *eviction, struct buf *out) {
        const char *separator = "";

        buf_text(out, ",\"finalizers\":[");
        for (size_t i = 0; i < ARRAY_LEN(holds); i++) {
                if (!lacks_finalizer(eviction, i))
                        continue;
                buf_printf(out, "%s\"%s\"", separator, holds[i].finalizer);
                separator = ",";
        }
        for (size_t i = 0; i < eviction->finalizer_count; i++) {
                buf_text(out, separator);
                buf_json_string(out, eviction->finalizers[i]);
                separator = ",";
        }
        buf_char(out, ']');
}

static bool has_owner(const struct eviction *eviction, struct slice uid) {
        for (size_t i = 0; i < eviction->owner_count; i++)
                if (slice_eq(eviction->owners[i], uid))
                        return true;
        return false;
}

static bool has_label(const struct eviction *eviction, struct slice key, bool is_requester,
                      bool is_responder) {
        const char *expected = is_requester && is_responder ? "requester-responder"
                               : is_requester               ? "requester"
                                                            : "responder";

        for (size_t i = 0; i < eviction->labels.count; i++)
                if (slice_eq(eviction->labels.items[i].key, key))
                        return slice_is(eviction->labels.items[i].value, expected);
        return false;
}

static bool is_requester(const struct eviction_target *target, struct slice name) {
        for (size_t i = 0; i < target->request_count; i++)
                if (slice_eq(target->requests[i]->requester, name))
                        return true;
        return false;
}

static bool is_labelled(const struct eviction_target *target, const struct eviction *eviction) {
        const struct eviction_status *status = &eviction->status;

        for (size_t i = 0; i < target->request_count; i++) {
                const struct eviction_request *request = target->requests[i];
                bool is_responder = eviction_find_responder(status, request->requester) >= 0;

                if (eviction_requester_problem(request->requester))
                        continue;
                if (!has_label(eviction, request->requester, true, is_responder))
                        return false;
                if (!request->object.is_deleting && !has_owner(eviction, request->object.uid))
                        return false;
        }
        for (size_t i = 0; i < status->responder_count; i++)
                if (!has_label(eviction, status->responders[i].name,
                               is_requester(target, status->responders[i].name), true))
                        return false;
        return true;
}

/* An owner that is gone, and is still in our state, is removed again by the garbage collector: the
 * pauses grow until the watch shows it. */
static bool has_to_pause(struct eviction_sync *sync, struct eviction_entry *entry) {
        int64_t delay_ns = NS_PER_S;

        if (entry->labellings && entry->next_label.ns > sync->now.mono.ns) {
                eviction_target_wake(sync->target, entry->next_label);
                return true;
        }
        for (uint32_t i = 0; i < entry->labellings && delay_ns < EVICTION_AGAIN_FIRST_NS; i++)
                delay_ns *= 2;
        entry->next_label.ns = sync->now.mono.ns + (entry->labellings ? delay_ns : 0);
        entry->labellings++;
        return false;
}

void eviction_label(struct eviction_sync *sync, struct eviction_entry *entry) {
        const struct eviction *eviction = entry->eviction;
        struct buf body = { 0 };

        if (is_labelled(sync->target, eviction) && !lacks_finalizers(eviction)) {
                if (entry->next_label.ns <= sync->now.mono.ns)
                        entry->labellings = 0;
                return;
        }
        if (has_to_pause(sync, entry))
                return;
        buf_text(&body, "{\"metadata\":{\"uid\":");
        buf_json_string(&body, eviction->object.uid);
        buf_text(&body, ",\"resourceVersion\":");
        buf_json_string(&body, eviction->object.version);
        buf_text(&body, ",\"labels\":");
        eviction_labels_write(sync, &eviction->status, &body);
        buf_text(&body, ",\"ownerReferences\":");
        eviction_owners_write(sync, &body);
        if (lacks_finalizers(eviction))
                write_finalizers(eviction, &body);
        buf_text(&body, "}}");
        eviction_effect_add(sync, EVICTION_PATCH_META, &eviction->object,
                            eviction_text_keep(sync->out, &body));
}
