/* A small simulated cluster without faults, on which acceptance cases of evictions are played. */
#include "eviction_scene.h"

#include "base/util.h"
#include "evict/eviction_crds.h"
#include "evict/eviction_policy.h"
#include "server/api_server.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const char *on_hook(void *context, const struct json *order) {
        struct scene *scene = context;
        struct slice op = json_get_text(order, "op"), stage = json_get_text(order, "stage");
        size_t used = strlen(scene->order);

        snprintf(scene->order + used, sizeof(scene->order) - used, "%s" SLICE_FMT " " SLICE_FMT,
                 used ? ", " : "", SLICE_ARG(op), SLICE_ARG(stage));
        if (slice_is(op, "run"))
                snprintf(scene->run_id, sizeof(scene->run_id), SLICE_FMT,
                         SLICE_ARG(json_get_text(order, "id")));
        else if (slice_is(op, "poll"))
                scene->strange_polls += !slice_is(json_get_text(order, "id"), scene->run_id);
        scene->runs += slice_is(op, "run");
        scene->polls += slice_is(op, "poll");
        scene->cancels += slice_is(op, "cancel");
        scene->rollbacks += slice_is(op, "rollback");
        if (slice_is(op, "cancel") || slice_is(op, "rollback") || !scene->stage ||
            !slice_is(stage, scene->stage))
                return "Done";
        if (strcmp(scene->answer, "InProgress") == 0 && scene->in_progress_left-- == 0)
                return "Done";
        return scene->answer;
}

void open_scene_with(struct scene *scene, const struct sim_world_config *config) {
        struct sim_world_config own = *config;

        *scene = (struct scene){ 0 };
        own.seed = 1;
        own.hook = on_hook;
        own.hook_context = scene;
        scene->world = sim_world_new(&own);
        sim_world_start(scene->world);
        sim_world_advance(scene->world, 5 * NS_PER_S);
}

void open_scene(struct scene *scene) {
        open_scene_with(scene, &(struct sim_world_config){ 0 });
}

void close_scene(struct scene *scene) {
        assert_string_equal(sim_world_violation(scene->world), "");
        sim_world_free(scene->world);
}

int set_up_scene(void **state) {
        struct scene *scene = xcalloc(1, sizeof(*scene));

        open_scene(scene);
        *state = scene;
        return 0;
}

int tear_down_scene(void **state) {
        close_scene(*state);
        free(*state);
        return 0;
}

void hooks_answer(struct scene *scene, const char *stage, const char *answer,
                  unsigned in_progress_left) {
        scene->stage = stage;
        scene->answer = answer;
        scene->in_progress_left = in_progress_left;
}

void wait_s(struct scene *scene, int64_t seconds) {
        sim_world_advance(scene->world, seconds * NS_PER_S);
}

int ask(struct scene *scene, const char *method, const char *path, const char *body) {
        return sim_world_ask(scene->world, method, path, body, NULL);
}

/* Whether the object is there and its text has this part. */
bool has(struct scene *scene, const char *path, const char *part) {
        struct buf body = { 0 };
        bool is_found = sim_world_ask(scene->world, "GET", path, "", &body) == 200 &&
                        slice_contains(buf_view(&body), slice_of(part));

        buf_release(&body);
        return is_found;
}
void uid_of(struct scene *scene, const char *pod, char uid[64]) {
        struct json_doc *doc = NULL;
        struct buf body = { 0 };
        char path[PATH_BYTES];

        snprintf(path, sizeof(path), PODS "/%s", pod);
        assert_int_equal(sim_world_ask(scene->world, "GET", path, "", &body), 200);
        assert_int_equal(json_parse(buf_view(&body), &doc, NULL), 0);
        snprintf(uid, 64, SLICE_FMT,
                 SLICE_ARG(json_get_text(json_get(json_doc_root(doc), "metadata"), "uid")));
        json_doc_free(doc);
        buf_release(&body);
}

/* more: further members of metadata and of spec, each beginning with a comma. */
/* Pods may be members of groups only where there are groups. */
static void serve_groups(struct scene *scene) {
        ask(scene, "POST", "/apis/apiextensions.k8s.io/v1/customresourcedefinitions",
            "{\"metadata\":{\"name\":\"podgroups.scheduling.k8s.io\",\"annotations\":{"
            "\"api-approved.kubernetes.io\":\"https://example.com\"}},\"spec\":{\"group\":"
            "\"scheduling.k8s.io\",\"scope\":\"Namespaced\",\"names\":{\"plural\":\"podgroups\","
            "\"singular\":\"podgroup\",\"kind\":\"PodGroup\"},\"versions\":[{\"name\":\"v1alpha2\","
            "\"served\":true,\"storage\":true,\"schema\":{\"openAPIV3Schema\":{\"type\":\"object\"}"
            "}}]"
            "}}");
}

void make_pod(struct scene *scene, const char *name, const char *meta, const char *spec) {
        char body[800];

        if (strstr(spec, "schedulingGroup"))
                serve_groups(scene);
        snprintf(body, sizeof(body),
                 "{\"metadata\":{\"name\":\"%s\",\"labels\":{\"app\":\"%s\"}%s},\"spec\":{"
                 "\"nodeName\":\"n0\",\"terminationGracePeriodSeconds\":1,\"containers\":[{"
                 "\"name\":\"c\",\"image\":\"x\"}]%s}}",
                 name, name, meta, spec);
        assert_int_equal(ask(scene, "POST", PODS, body), 201);
        wait_s(scene, 10); /* runs */
}

int make_request_of(struct scene *scene, const char *name, const char *requester, const char *uid,
                    const char *meta) {
        char body[800];

        snprintf(body, sizeof(body),
                 "{\"apiVersion\":\"lifecycle.berth.dev/v1alpha1\",\"kind\":\"EvictionRequest\","
                 "\"metadata\":{\"name\":\"%s\"%s},\"spec\":{\"target\":{\"pod\":{\"name\":\"p\","
                 "\"uid\":\"%s\"}},\"requester\":\"%s\",\"intent\":\"Eviction\"}}",
                 name, meta, uid, requester);
        return ask(scene, "POST", GROUP "/evictionrequests", body);
}

void make_request(struct scene *scene, const char *name, const char *requester) {
        char uid[64];

        uid_of(scene, "p", uid);
        assert_int_equal(make_request_of(scene, name, requester, uid, ""), 201);
}

static void define_native(struct scene *scene, struct slice text) {
        static const struct slice own = SLICE_INIT("lifecycle.berth.dev");
        struct buf body = { 0 };
        struct api_server_request request = {
                .method = SLICE_LITERAL("POST"),
                .target = SLICE_LITERAL("/apis/apiextensions.k8s.io/v1/customresourcedefinitions"),
                .content_type = SLICE_LITERAL("application/yaml"),
                .user = &api_user_admin,
        };
        struct http_response response;

        while (text.len) {
                if (slice_has_prefix(text, own)) {
                        buf_text(&body, "lifecycle.k8s.io");
                        text = slice_make(text.ptr + own.len, text.len - own.len);
                } else if (slice_has_prefix(text, SLICE_LITERAL("\nspec:\n"))) {
                        buf_text(&body, "\n  annotations: {api-approved.kubernetes.io: "
                                        "\"https://example.com\"}\nspec:\n");
                        text = slice_make(text.ptr + 7, text.len - 7);
                } else {
                        buf_char(&body, *text.ptr);
                        text = slice_make(text.ptr + 1, text.len - 1);
                }
        }
        request.body = buf_view(&body);
        api_server_handle(sim_world_server(scene->world), &request, &response);
        if (response.status != 201)
                fail_msg("%d " SLICE_FMT, response.status, SLICE_ARG(buf_view(&response.body)));
        http_response_release(&response);
        buf_release(&body);
}

void serve_native(struct scene *scene) {
        for (size_t i = EVICTION_CRD_REQUESTS; i <= EVICTION_CRD_EVICTIONS; i++)
                define_native(scene, slice_make(eviction_crds[i].text, eviction_crds[i].size));
        wait_s(scene, 2);
}

void want_in(struct scene *scene, const char *group, const char *pod, const char *requester) {
        char uid[64], body[600], path[PATH_BYTES];
        struct slice rest = slice_of(group + strlen("/apis/")), name;

        uid_of(scene, pod, uid);
        slice_split(&rest, '/', &name);
        snprintf(path, sizeof(path), "%s/evictionrequests", group);
        snprintf(body, sizeof(body),
                 "{\"apiVersion\":\"" SLICE_FMT "/v1alpha1\",\"kind\":\"EvictionRequest\","
                 "\"metadata\":{\"name\":\"want-%s\"},\"spec\":{\"target\":{\"pod\":{\"name\":"
                 "\"%s\",\"uid\":\"%s\"}},\"requester\":\"%s\",\"intent\":\"Eviction\"}}",
                 SLICE_ARG(name), pod, pod, uid, requester);
        assert_int_equal(ask(scene, "POST", path, body), 201);
}

void set_intent(struct scene *scene, const char *name, const char *intent) {
        char path[PATH_BYTES], body[100];

        snprintf(path, sizeof(path), GROUP "/evictionrequests/%s", name);
        snprintf(body, sizeof(body), "{\"spec\":{\"intent\":\"%s\"}}", intent);
        assert_int_equal(ask(scene, "PATCH", path, body), 200);
}

void guard(struct scene *scene) {
        assert_int_equal(ask(scene, "POST",
                             "/apis/policy/v1/namespaces/default/poddisruptionbudgets",
                             "{\"metadata\":{\"name\":\"p\"},\"spec\":{\"minAvailable\":1,"
                             "\"selector\":{\"matchLabels\":{\"app\":\"p\"}}}}"),
                         201);
        wait_s(scene, 2);
}

struct eviction *eviction_at(struct scene *scene, const char *path) {
        struct eviction *eviction = NULL;
        struct json_doc *doc = NULL;
        struct buf body = { 0 };

        assert_int_equal(sim_world_ask(scene->world, "GET", path, "", &body), 200);
        assert_int_equal(json_parse(buf_view(&body), &doc, NULL), 0);
        assert_int_equal(eviction_decode(json_doc_root(doc), &eviction, NULL), 0);
        json_doc_free(doc);
        buf_release(&body);
        return eviction;
}

int report_as(struct scene *scene, const char *eviction, const char *who, const char *name,
              const char *value) {
        struct buf body = { 0 }, out = { 0 };
        struct json_doc *doc = NULL;
        const struct json *status;
        struct json_iter iter;
        const struct json *item;
        char path[PATH_BYTES];
        int code;

        assert_int_equal(sim_world_ask(scene->world, "GET", eviction, "", &body), 200);
        assert_int_equal(json_parse(buf_view(&body), &doc, NULL), 0);
        status = json_get(json_doc_root(doc), "status");
        buf_text(&out, "{\"status\":{\"responders\":[");
        iter = json_iter(json_get(status, "responders"));
        for (bool is_first = true; json_next(&iter, NULL, &item); is_first = false) {
                struct buf text = { 0 };

                buf_text(&out, is_first ? "" : ",");
                json_write(item, &text);
                if (slice_is(json_get_text(item, "name"), who)) {
                        buf_slice(&out, slice_make(text.data, text.len - 1));
                        buf_printf(&out, ",\"%s\":\"%s\"}", name, value);
                } else {
                        buf_slice(&out, buf_view(&text));
                }
                buf_release(&text);
        }
        buf_text(&out, "]}}");
        buf_char(&out, '\0');
        snprintf(path, sizeof(path), "%s/status", eviction);
        code = ask(scene, "PATCH", path, out.data);
        json_doc_free(doc);
        buf_release(&body);
        buf_release(&out);
        return code;
}

int report_mover(struct scene *scene, const char *name, const char *value) {
        return report_as(scene, EVICTION_1, MOVER, name, value);
}

void complete_mover(struct scene *scene) {
        char now[WALL_TIME_TEXT_MAX];

        wall_time_format_micro(sim_world_wall(scene->world), now);
        assert_int_equal(report_mover(scene, "completionTime", now), 200);
        wait_s(scene, 2);
}

void beat_mover(struct scene *scene) {
        char now[WALL_TIME_TEXT_MAX];

        wall_time_format_micro(sim_world_wall(scene->world), now);
        assert_int_equal(report_mover(scene, "heartbeatTime", now), 200);
}

void make_policy(struct scene *scene, const char *body) {
        assert_int_equal(ask(scene, "POST", GROUP "/evictionpolicies", body), 201);
        make_pod(scene, "p", "", "");
}
