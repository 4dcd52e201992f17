/* Which form of the API there is: asked of the server, defined where it lacks one. */
#include "base/log.h"
#include "base/util.h"
#include "evict/eviction_crds.h"
#include "roles/evictions_role_priv.h"
#include <stdio.h>
#include <string.h>

#define DISCOVERY_RETRY_NS NS_PER_S
#define CRD_PATH "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"

/* ---- one pod, one form of the API ---- */

/* What the older form began, or is asked for still, comes first. */
static bool is_taken_by_older(void *context, struct slice uid) {
        const struct evictions_role *older = ((struct evictions_role *)context)->older;

        return older &&
               (!older->is_started || eviction_reconciler_is_open(older->reconciler, uid) ||
                eviction_reconciler_wants(older->reconciler, uid));
}

static bool is_taken_by_newer(void *context, struct slice uid) {
        const struct evictions_role *newer = ((struct evictions_role *)context)->newer;

        return !newer->is_started || eviction_reconciler_is_open(newer->reconciler, uid);
}

/* ---- start ---- */

static void start_older(struct evictions_role *role);

static void evictions_discovery_start(struct evictions_role *role, const char *group) {
        bool is_ours = strcmp(group, EVICTION_GROUP_OWN) == 0;

        role->group = group;
        role->is_controller = is_ours || role->config.mode == EVICTIONS_NATIVE_OWN;
        role->reconciler = eviction_reconciler_new(&(struct eviction_reconciler_config){
                .cluster = runtime_cluster(role->runtime),
                .group = group,
                .is_controller = role->is_controller,
                .is_evictor = !role->config.has_no_evictor &&
                              role->config.mode != EVICTIONS_NATIVE_FOREIGN,
                .history = role->newer ? role->newer->history : role->history,
                .leads_stages = true,
                .finishes = role->newer,
                .is_taken = role->newer ? is_taken_by_newer : is_taken_by_older,
                .context = role,
                .first_id = role->newer ? EVICTIONS_OLDER_IDS : 0,
                .has_slots = role->config.has_slots,
                .slots_for_all = role->config.slots_for_all,
                .slots = role->config.slots,
                .may_delete = role->config.may_delete });
        if (!role->newer)
                role->store = history_store_new(role->transport, role->loop, role->history);
        role->hooks = hook_caller_new(
                &(struct hook_caller_config){ .loop = role->loop,
                                              .transport = role->transport,
                                              .directory = role->config.hook_directory,
                                              .answered = evictions_on_answered,
                                              .context = role });
        if (role->config.verifies_users)
                loop_timer_arm(role->loop, &role->users_timer, 0);
        if (role->has_older)
                start_older(role);
        evictions_follow(role);
        evictions_look_for_kubevirt(role);
}

static void start_older(struct evictions_role *role) {
        struct evictions_role *older = role->make_older(role->runtime, &role->config);

        older->requester = role->requester;
        older->newer = role;
        older->config.mode = EVICTIONS_CRD;
        older->has_policies = role->has_policies;
        role->older = older;
        evictions_discovery_start(older, EVICTION_GROUP_OWN);
}

static void discover_later(struct evictions_role *role, const char *what, const char *text) {
        LOG(LOG_WARN, "DiscoveryFailed", log_text("of", what), log_text("error", text));
        loop_timer_arm(role->loop, &role->discovery_timer, DISCOVERY_RETRY_NS);
}

static void ask_for(struct evictions_role *role, const char *group,
                    void (*done)(void *context, const struct api_reply *reply)) {
        char path[EVICTIONS_PATH_MAX];

        snprintf(path, sizeof(path), "/apis/%s/" EVICTION_VERSION, group);
        role->discovery = transport_call(role->transport,
                                         &(struct api_call){ .path = slice_of(path) }, done, role);
}

static void on_own(void *context, const struct api_reply *reply);

static void on_defined(void *context, const struct api_reply *reply) {
        struct evictions_role *role = context;

        role->discovery = NULL;
        if (reply->status != 201 && reply->status != 409) {
                if (role->is_native_served) { /* policies are not worth waiting for */
                        evictions_discovery_start(role, EVICTION_GROUP_NATIVE);
                        return;
                }
                discover_later(role, "definitions",
                               reply->status == 403
                                       ? "EvictionRequests are not defined, and this account may "
                                         "not define them: kubectl apply -f deploy/crds"
                                       : reply->error.text);
                return;
        }
        role->definition++;
        ask_for(role, EVICTION_GROUP_OWN, on_own);
}

static void evictions_discovery_define(struct evictions_role *role) {
        const struct embedded_text *crd = &eviction_crds[role->definition];

        if (!crd->text) { /* all are there, and not served yet */
                loop_timer_arm(role->loop, &role->discovery_timer, DISCOVERY_RETRY_NS);
                return;
        }
        role->discovery = transport_call(
                role->transport,
                &(struct api_call){ .method = API_POST,
                                    .path = SLICE_LITERAL(CRD_PATH),
                                    .content_type = SLICE_LITERAL("application/yaml"),
                                    .body = slice_make(crd->text, crd->size) },
                on_defined, role);
}

/* A bit for each kind that is listed: requests, Evictions, policies. */
enum { KIND_REQUESTS = 1, KIND_EVICTIONS = 2, KIND_POLICIES = 4 };
static unsigned served_kinds(const struct api_reply *reply) {
        struct json_doc *doc = NULL;
        const struct json *item;
        unsigned found = 0;

        if (reply->status != 200 || json_parse(reply->body, &doc, NULL) < 0)
                return 0;
        struct json_iter iter = json_iter(json_get(json_doc_root(doc), "resources"));
        while (json_next(&iter, NULL, &item)) {
                struct slice name = json_get_text(item, "name");

                found |= slice_is(name, "evictionrequests") ? KIND_REQUESTS : 0U;
                found |= slice_is(name, "evictions") ? KIND_EVICTIONS : 0U;
                found |= slice_is(name, "evictionpolicies") ? KIND_POLICIES : 0U;
        }
        json_doc_free(doc);
        return found;
}

static void on_own(void *context, const struct api_reply *reply) {
        struct evictions_role *role = context;
        const char *group = role->is_native_served ? EVICTION_GROUP_NATIVE : EVICTION_GROUP_OWN;
        unsigned found = served_kinds(reply);
        unsigned needed = role->is_native_served ? 0 : KIND_REQUESTS | KIND_EVICTIONS;
        bool has_needed = (found & needed) == needed;

        role->discovery = NULL;
        role->has_policies = (found & KIND_POLICIES) != 0;
        role->has_older = role->is_native_served && (found & KIND_REQUESTS) != 0 &&
                          (found & KIND_EVICTIONS) != 0;
        if (has_needed && (role->has_policies || role->config.keeps_definitions))
                evictions_discovery_start(role, group);
        else if (reply->status != 200 && reply->status != 404)
                discover_later(role, EVICTION_GROUP_OWN, reply->error.text);
        else if (role->config.keeps_definitions)
                discover_later(role, EVICTION_GROUP_OWN,
                               "EvictionRequests are not defined: kubectl apply -f deploy/crds");
        else
                evictions_discovery_define(role);
}

static void on_native(void *context, const struct api_reply *reply) {
        struct evictions_role *role = context;
        const unsigned needed = KIND_REQUESTS | KIND_EVICTIONS;

        role->discovery = NULL;
        role->is_native_served = (served_kinds(reply) & needed) == needed;
        if (role->is_native_served)
                role->definition = EVICTION_CRD_POLICIES;
        if (!role->is_native_served &&
            (role->config.mode != EVICTIONS_AUTO || (reply->status != 200 && reply->status != 404)))
                discover_later(role, EVICTION_GROUP_NATIVE, reply->error.text);
        else
                ask_for(role, EVICTION_GROUP_OWN, on_own);
}

void evictions_discover(void *context) {
        struct evictions_role *role = context;

        role->definition = 0;
        role->is_native_served = false;
        if (role->config.mode == EVICTIONS_CRD)
                ask_for(role, EVICTION_GROUP_OWN, on_own);
        else
                ask_for(role, EVICTION_GROUP_NATIVE, on_native);
}
