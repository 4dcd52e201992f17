/* Looks for open requests of the drain whose pods are on this node. */
#include "roles/reboot_leftovers.h"

#include "base/log.h"
#include "base/map.h"
#include "base/util.h"
#include "client/url_query.h"
#include "evict/eviction_reconciler.h"
#include "loop/runtime.h"
#include <stdlib.h>

#define REQUESTS_PATH "/" EVICTION_VERSION "/evictionrequests"

struct reboot_leftovers {
        struct runtime *runtime;
        struct slice node;
        void (*withdraw)(void *context, const struct action *action);
        void *context;
        struct map *uids; /* of the node's pods */
        struct api_request *request;
        size_t group;
        bool has_looked;
};

static const char *const groups[] = { EVICTION_GROUP_OWN, EVICTION_GROUP_NATIVE };

struct reboot_leftovers *reboot_leftovers_new(struct runtime *runtime, struct slice node,
                                              void (*withdraw)(void *context,
                                                               const struct action *action),
                                              void *context) {
        struct reboot_leftovers *leftovers = xcalloc(1, sizeof(*leftovers));

        leftovers->runtime = runtime;
        leftovers->node = node;
        leftovers->withdraw = withdraw;
        leftovers->context = context;
        leftovers->uids = map_new();
        return leftovers;
}

void reboot_leftovers_free(struct reboot_leftovers *leftovers) {
        if (!leftovers)
                return;
        if (leftovers->request)
                transport_cancel(runtime_transport(leftovers->runtime), leftovers->request);
        map_free(leftovers->uids);
        free(leftovers);
}

static void leftovers_get(struct reboot_leftovers *leftovers, struct buf *path,
                          void (*done)(void *context, const struct api_reply *reply)) {
        leftovers->request =
                transport_call(runtime_transport(leftovers->runtime),
                               &(struct api_call){ .path = buf_view(path) }, done, leftovers);
        buf_release(path);
}

static void leftovers_ask_group(struct reboot_leftovers *leftovers);

static void leftovers_judge(struct reboot_leftovers *leftovers, const struct json *object) {
        const struct json *meta = json_get(object, "metadata"), *spec = json_get(object, "spec");
        const struct json *pod = json_get(json_get(spec, "target"), "pod");

        if (!map_get(leftovers->uids, json_get_text(pod, "uid")) ||
            !slice_is(json_get_text(spec, "intent"), "Eviction"))
                return;
        LOG(LOG_INFO, "RequestLeftBehind", log_slice("pod", json_get_text(pod, "name")),
            log_text("effect", "it is withdrawn: its drain is over"));
        leftovers->withdraw(leftovers->context,
                            &(struct action){ .kind = ACTION_WITHDRAW_REQUEST,
                                              .target = { .kind = SLICE_LITERAL("EvictionRequest"),
                                                          .ns = json_get_text(meta, "namespace"),
                                                          .name = json_get_text(meta, "name") },
                                              .request = { .group = groups[leftovers->group],
                                                           .deadline = WALL_TIME_UNSET } });
}

/* Where the kinds are not served or may not be listed there is nothing of ours. */
static void on_requests(void *context, const struct api_reply *reply) {
        struct reboot_leftovers *leftovers = context;
        CLEANUP(cleanup_json_doc) struct json_doc *doc = NULL;
        const struct json *item;

        leftovers->request = NULL;
        if (reply->status == 200 && json_parse(reply->body, &doc, NULL) == 0) {
                struct json_iter iter = json_iter(json_get(json_doc_root(doc), "items"));

                while (json_next(&iter, NULL, &item))
                        leftovers_judge(leftovers, item);
        }
        if (++leftovers->group < ARRAY_LEN(groups))
                leftovers_ask_group(leftovers);
}

static void leftovers_ask_group(struct reboot_leftovers *leftovers) {
        struct buf path = { 0 };

        buf_printf(&path, "/apis/%s" REQUESTS_PATH, groups[leftovers->group]);
        url_query_text(&path, "labelSelector", SLICE_LITERAL(EVICTION_REQUESTER_LABEL "=reboot"));
        leftovers_get(leftovers, &path, on_requests);
}

static void on_own_pods(void *context, const struct api_reply *reply) {
        struct reboot_leftovers *leftovers = context;
        CLEANUP(cleanup_json_doc) struct json_doc *doc = NULL;
        const struct json *item;

        leftovers->request = NULL;
        if (reply->status != 200 || json_parse(reply->body, &doc, NULL) < 0) {
                leftovers->has_looked = false; /* again when the phase changes next */
                return;
        }
        struct json_iter iter = json_iter(json_get(json_doc_root(doc), "items"));
        while (json_next(&iter, NULL, &item))
                map_put(leftovers->uids, json_get_text(json_get(item, "metadata"), "uid"),
                        leftovers);
        leftovers_ask_group(leftovers);
}

void reboot_leftovers_look(struct reboot_leftovers *leftovers) {
        struct buf path = { 0 }, fields = { 0 };

        if (leftovers->has_looked)
                return;
        leftovers->has_looked = true;
        buf_printf(&fields, "spec.nodeName=" SLICE_FMT, SLICE_ARG(leftovers->node));
        buf_text(&path, "/api/v1/pods");
        url_query_text(&path, "fieldSelector", buf_view(&fields));
        buf_release(&fields);
        leftovers_get(leftovers, &path, on_own_pods);
}
