/* Whether admission keeps who writes EvictionRequests: found out by a dry run that claims to be
 * somebody else. */
#include "base/log.h"
#include "base/util.h"
#include "evict/eviction_claim.h"
#include "roles/evictions_role_priv.h"
#include <stdio.h>

#define USERS_AGAIN_NS (600 * NS_PER_S)
#define USERS_SOON_NS (20 * NS_PER_S) /* while it does not */
#define FALSE_USER "berth:nobody"

static bool has_corrected(const struct api_reply *reply) {
        struct json_doc *doc = NULL;

        if (reply->status != 201 || json_parse(reply->body, &doc, NULL) < 0)
                return false;
        const struct json *meta = json_get(json_doc_root(doc), "metadata");
        struct slice user = json_get_text(json_get(meta, "annotations"), EVICTION_USER_KEY);
        bool is_corrected = user.len && !slice_is(user, FALSE_USER);
        json_doc_free(doc);
        return is_corrected;
}

static void on_users_probed(void *context, const struct api_reply *reply) {
        struct evictions_role *role = context;
        bool trusts_users = has_corrected(reply);

        role->probe = NULL;
        if (trusts_users != role->trusts_users || !role->has_probed)
                LOG(LOG_INFO, "RequestUsers",
                    log_text("verified", trusts_users ? "true" : "false"));
        role->has_probed = true;
        role->trusts_users = trusts_users;
        eviction_reconciler_trust_users(role->reconciler, trusts_users);
        loop_timer_arm(role->loop, &role->users_timer,
                       trusts_users ? USERS_AGAIN_NS : USERS_SOON_NS);
}

void evictions_probe_users(void *context) {
        struct evictions_role *role = context;
        char path[EVICTIONS_PATH_MAX];
        struct buf body = { 0 };

        snprintf(path, sizeof(path),
                 "/apis/%s/" EVICTION_VERSION "/namespaces/default/evictionrequests?dryRun=All",
                 role->group);
        buf_printf(&body,
                   "{\"apiVersion\":\"%s/" EVICTION_VERSION
                   "\",\"kind\":\"EvictionRequest\",\"metadata\":{\"generateName\":\"probe-\","
                   "\"annotations\":{\"" EVICTION_USER_KEY "\":\"" FALSE_USER
                   "\"}},\"spec\":{\"target\":{\"pod\":{\"name\":\"none\",\"uid\":"
                   "\"00000000-0000-4000-8000-000000000000\"}},\"requester\":"
                   "\"probe.berth.dev/users\",\"intent\":\"Withdrawn\"}}",
                   role->group);
        role->probe = transport_call(role->transport,
                                     &(struct api_call){ .method = API_POST,
                                                         .path = slice_of(path),
                                                         .body = buf_view(&body) },
                                     on_users_probed, role);
        buf_release(&body);
}
