/* What responders and requesters of our own write of themselves. */
#include "base/util.h"
#include "evict/eviction_stages.h"
#include <stdlib.h>

struct slice eviction_user_of(const struct eviction_sync *sync,
                              const struct eviction_request *request) {
        return sync->reconciler->trusts_users ? request->user : SLICE_EMPTY;
}

bool eviction_has_finalizer(const struct eviction *eviction, const char *name) {
        for (size_t i = 0; i < eviction->finalizer_count; i++)
                if (slice_is(eviction->finalizers[i], name))
                        return true;
        return false;
}

void eviction_finalizers_without(const struct eviction *eviction, const char *name,
                                 struct buf *out) {
        const char *separator = "";

        buf_text(out, ",\"finalizers\":[");
        for (size_t i = 0; i < eviction->finalizer_count; i++) {
                if (slice_is(eviction->finalizers[i], name))
                        continue;
                buf_text(out, separator);
                buf_json_string(out, eviction->finalizers[i]);
                separator = ",";
        }
        buf_char(out, ']');
}

void eviction_report(struct eviction_sync *sync, const struct eviction *eviction, int index,
                     const struct eviction_news *news) {
        struct eviction_status *status = xmalloc(sizeof(*status));
        struct eviction_responder *own = &status->responders[index];
        struct wall_time now = eviction_stamp(sync->now.wall);
        struct buf body = { 0 };

        *status = eviction->status;
        if (now.ns < own->start.ns) /* a clock that was set back */
                now = own->start;
        if (wall_time_is_set(own->heartbeat) && now.ns < own->heartbeat.ns)
                now = own->heartbeat;
        own->heartbeat = now;
        if (news->message)
                own->message = slice_of(news->message);
        if (news->is_done)
                own->completion = now;
        if (wall_time_is_set(news->expected) && news->expected.ns > now.ns)
                own->expected = eviction_stamp(news->expected);
        eviction_patch_open(&eviction->object, &body);
        eviction_status_write(status, &body);
        buf_char(&body, '}');
        eviction_effect_add(sync, EVICTION_PATCH_STATUS, &eviction->object,
                            eviction_text_keep(sync->out, &body));
        free(status);
}

void eviction_delete_pod(struct eviction_sync *sync, const struct eviction_request *request) {
        struct eviction_target *target = sync->target;

        if (target->deletes && target->next_delete.ns > sync->now.mono.ns) {
                eviction_target_wake(target, target->next_delete);
                return;
        }
        target->deletes++;
        target->next_delete.ns = sync->now.mono.ns + EVICTION_AGAIN_FIRST_NS;
        eviction_audit(sync, (struct audit_record){ .op = SLICE_LITERAL("delete-call"),
                                                    .request = request->object.name,
                                                    .requester = request->requester,
                                                    .user = eviction_user_of(sync, request),
                                                    .reason = SLICE_LITERAL("deadline") });
        eviction_effect_end_pod(sync, NULL, EVICTION_MANAGER, true);
}

void eviction_withdraw(struct eviction_sync *sync, const struct eviction_request *request,
                       const char *reason) {
        struct buf body = { 0 };

        buf_text(&body, "{\"metadata\":{\"uid\":");
        buf_json_string(&body, request->object.uid);
        buf_text(&body, "},\"spec\":{\"intent\":\"Withdrawn\"}}");
        eviction_audit(sync, (struct audit_record){ .op = SLICE_LITERAL("withdraw"),
                                                    .request = request->object.name,
                                                    .requester = request->requester,
                                                    .user = eviction_user_of(sync, request),
                                                    .reason = slice_of(reason) });
        eviction_effect_add(sync, EVICTION_WITHDRAW, &request->object,
                            eviction_text_keep(sync->out, &body));
}

void eviction_tidy(struct eviction_sync *sync, const struct eviction_request *request) {
        struct buf body = { 0 };

        buf_text(&body, "{\"preconditions\":{\"uid\":");
        buf_json_string(&body, request->object.uid);
        buf_text(&body, "}}");
        eviction_audit(sync, (struct audit_record){ .op = SLICE_LITERAL("tidy"),
                                                    .request = request->object.name,
                                                    .requester = request->requester,
                                                    .user = eviction_user_of(sync, request) });
        eviction_effect_add(sync, EVICTION_TIDY, &request->object,
                            eviction_text_keep(sync->out, &body));
}

bool eviction_request_is_ours(const struct eviction_request *request) {
        struct slice rest = request->requester, domain;

        return slice_split(&rest, '/', &domain) &&
               (slice_is(domain, EVICTION_DOMAIN_OWN) ||
                slice_has_suffix(domain, SLICE_LITERAL("." EVICTION_DOMAIN_OWN)));
}

bool eviction_is_ours_alone(const struct eviction_target *target) {
        size_t live_count = 0;

        for (size_t i = 0; i < target->request_count; i++) {
                const struct eviction_request *request = target->requests[i];

                if (request->intent != EVICTION_INTENT_EVICT || request->object.is_deleting)
                        continue;
                if (!eviction_request_is_ours(request))
                        return false;
                live_count++;
        }
        return live_count > 0;
}
