/* What is said of EvictionPolicies: the condition Accepted in their status, and a warning for one
 * that cannot be read. */
#include "base/log.h"
#include "base/util.h"
#include "evict/eviction_policy.h"
#include "roles/evictions_role_priv.h"
#include <stdio.h>
#include <stdlib.h>

#define POLICY_AGAIN_NS (60 * NS_PER_S) /* after a status that could not be written */

struct policy_write {
        struct evictions_role *role;
        struct api_request *request;
        struct policy_write *next, **link;
};

static void policy_write_free(struct policy_write *write) {
        *write->link = write->next;
        if (write->next)
                write->next->link = write->link;
        free(write);
}

/* 409: it has changed, and the watch will show it.  404: it is gone, or its definition is older
 * than statuses of policies. */
static void on_policy_written(void *context, const struct api_reply *reply) {
        struct policy_write *write = context;
        struct evictions_role *role = write->role;
        bool is_settled = (reply->status >= 200 && reply->status < 300) || reply->status == 404 ||
                          reply->status == 409;

        policy_write_free(write);
        if (is_settled)
                return;
        LOG(LOG_WARN, "PolicyStatusNotWritten", log_i64("status", reply->status),
            log_text("error", reply->error.text));
        loop_timer_arm(role->loop, &role->policy_timer, POLICY_AGAIN_NS);
}

static void write_condition(const struct eviction_policy *policy, struct wall_time now,
                            struct buf *out) {
        char text[WALL_TIME_TEXT_MAX];

        wall_time_format(now, text);
        buf_text(out, "{\"metadata\":{\"uid\":");
        buf_json_string(out, policy->uid);
        buf_printf(out,
                   "},\"status\":{\"conditions\":[{\"type\":\"" EVICTION_POLICY_ACCEPTED
                   "\",\"status\":\"%s\",\"reason\":\"%s\",\"lastTransitionTime\":\"%s\","
                   "\"observedGeneration\":%lld,\"message\":",
                   policy->is_unreadable ? "False" : "True",
                   policy->is_unreadable ? "Invalid" : "Accepted", text,
                   (long long)policy->generation);
        buf_json_string(out, policy->problem);
        buf_text(out, "}]}}");
}

static void send_status(struct evictions_role *role, const struct eviction_policy *policy) {
        struct policy_write *write = xcalloc(1, sizeof(*write));
        struct buf body = { 0 };
        char path[EVICTIONS_PATH_MAX];

        snprintf(path, sizeof(path),
                 "/apis/" EVICTION_GROUP_OWN "/" EVICTION_VERSION "/namespaces/" SLICE_FMT
                 "/evictionpolicies/" SLICE_FMT "/status?fieldManager=" EVICTION_MANAGER,
                 SLICE_ARG(policy->ns), SLICE_ARG(policy->name));
        write_condition(policy, evictions_now(role).wall, &body);
        write->role = role;
        write->next = role->policy_writes;
        if (write->next)
                write->next->link = &write->next;
        write->link = &role->policy_writes;
        role->policy_writes = write;
        write->request = transport_call(
                role->transport,
                &(struct api_call){ .method = API_PATCH,
                                    .path = slice_of(path),
                                    .content_type = SLICE_LITERAL("application/merge-patch+json"),
                                    .body = buf_view(&body) },
                on_policy_written, write);
        buf_release(&body);
}

static void evictions_policies_warn(struct evictions_role *role,
                                    const struct eviction_policy *policy) {
        char note[EVICTION_EVENT_NOTE_MAX];

        LOG(LOG_WARN, "PolicyUnreadable", log_slice("namespace", policy->ns),
            log_slice("policy", policy->name), log_slice("error", policy->problem));
        snprintf(note, sizeof(note), "Cannot be read, and holds %s until it is mended: " SLICE_FMT,
                 policy->selects_all ? "all pods of its namespace" : "the pods it selects",
                 SLICE_ARG(policy->problem));
        evictions_record_event(
                role,
                &(struct object_ref){ SLICE_LITERAL("EvictionPolicy"), policy->ns, policy->name,
                                      policy->uid },
                &(struct event_action){
                        .is_warning = true,
                        .reason = SLICE_LITERAL("PolicyUnreadable"),
                        .action = SLICE_LITERAL("Holding"),
                        .note = slice_of(note),
                        .api_version = SLICE_LITERAL(EVICTION_GROUP_OWN "/" EVICTION_VERSION) });
}

void evictions_report_policies(struct evictions_role *role) {
        const struct eviction_policy *policy;
        size_t at = 0;

        if (role->newer || !eviction_reconciler_take_policy_news(role->reconciler))
                return;
        while ((policy = eviction_reconciler_next_policy(role->reconciler, &at))) {
                if (policy->reported_generation == policy->generation &&
                    policy->is_reported_readable == !policy->is_unreadable)
                        continue;
                if (policy->is_unreadable)
                        evictions_policies_warn(role, policy);
                send_status(role, policy);
        }
}

void evictions_report_policies_again(void *context) {
        struct evictions_role *role = context;

        eviction_reconciler_expect_policy_news(role->reconciler);
        evictions_step_soon(role);
}

void evictions_drop_policy_writes(struct evictions_role *role) {
        while (role->policy_writes) {
                transport_cancel(role->transport, role->policy_writes->request);
                policy_write_free(role->policy_writes);
        }
}
