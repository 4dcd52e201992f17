/* Agents, their transport, and the cluster below. */
#include "reboot_scene.h"

#include "base/util.h"
#include "control/control.h"
#include "loop/runtime.h"
#include "port/virtual_loop.h"
#include "server/local_transport.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

/* ---- a transport that writes down and sometimes answers itself ---- */

struct scene_request {
        struct api_request caller;
        struct scene *scene;
        struct api_request *inner; /* NULL = scripted */
        char *line;
        int status;
        const char *body;
        bool is_cancelled;
};

static void write_down(struct scene_request *request, int status) {
        buf_printf(&request->scene->calls, "%s", request->line);
        if (status)
                buf_printf(&request->scene->calls, " -> %d", status);
        buf_char(&request->scene->calls, '\n');
}

static void request_free(struct scene_request *request) {
        free(request->line);
        free(request);
}

static void on_reply(void *context, const struct api_reply *reply) {
        struct scene_request *request = context;

        write_down(request, reply->status);
        request->caller.done(request->caller.context, reply);
        request_free(request);
}

static void on_scripted(void *context) {
        struct scene_request *request = context;
        struct api_reply reply = { .status = request->status,
                                   .retry_after_s = -1,
                                   .body = slice_of(request->body ? request->body : "{}") };

        if (!request->is_cancelled) {
                write_down(request, request->status);
                if (request->status == 0)
                        err_set(&reply.error, BERTH_ERR_TIMEOUT, "no answer");
                else if (request->status >= 400)
                        err_set(&reply.error,
                                request->status == 403   ? BERTH_ERR_FORBIDDEN
                                : request->status == 404 ? BERTH_ERR_NOT_FOUND
                                : request->status == 409 ? BERTH_ERR_CONFLICT
                                : request->status == 429 ? BERTH_ERR_TOO_MANY
                                : request->status >= 500 ? BERTH_ERR_INTERNAL
                                                         : BERTH_ERR_INVALID,
                                "scripted");
                request->caller.done(request->caller.context, &reply);
        }
        request_free(request);
}

static bool path_matches(struct slice path, struct slice part) {
        if (part.len > 0 && part.ptr[part.len - 1] == '$')
                return slice_has_suffix(path, slice_make(part.ptr, part.len - 1));
        return slice_contains(path, part);
}

static struct scene_rule *rule_for(struct scene *scene, const struct api_call *call) {
        for (size_t i = 0; i < SCENE_RULES; i++) {
                struct scene_rule *rule = &scene->rules[i];

                if (rule->times == 0 || strcmp(rule->method, api_method_name(call->method)) != 0 ||
                    !path_matches(call->path, slice_of(rule->path)))
                        continue;
                if (rule->skip > 0) {
                        rule->skip--;
                        continue;
                }
                rule->times--;
                return rule;
        }
        return NULL;
}

static struct api_request *make_call(void *self, const struct api_call *call,
                                     void (*done)(void *context, const struct api_reply *reply),
                                     void *context) {
        struct scene *scene = self;
        struct scene_request *request = xcalloc(1, sizeof(*request));
        const struct scene_rule *rule = rule_for(scene, call);
        struct buf line = { 0 };
        struct transport inner = local_transport(scene->local);

        buf_printf(&line, "%lld %s " SLICE_FMT " " SLICE_FMT,
                   (long long)((loop_mono(scene->loop).ns - scene->began_ns) / NS_PER_S),
                   api_method_name(call->method), SLICE_ARG(call->path), SLICE_ARG(call->body));
        *request = (struct scene_request){ .caller = { .done = done, .context = context },
                                           .scene = scene,
                                           .line = slice_dup(buf_view(&line)) };
        buf_release(&line);
        if (rule) {
                request->status = rule->status;
                request->body = rule->body;
                loop_defer(scene->loop, on_scripted, request);
        } else {
                request->inner = transport_call(&inner, call, on_reply, request);
        }
        return &request->caller;
}

static struct api_request *make_stream(void *self, const struct api_call *call,
                                       const struct api_stream_events *events, void *context) {
        struct scene *scene = self;
        struct transport inner = local_transport(scene->local);

        buf_printf(&scene->calls, "%lld WATCH " SLICE_FMT "\n",
                   (long long)((loop_mono(scene->loop).ns - scene->began_ns) / NS_PER_S),
                   SLICE_ARG(call->path));
        return transport_stream(&inner, call, events, context);
}

static void cancel(void *self, struct api_request *handle) {
        struct scene_request *request = CONTAINER_OF(handle, struct scene_request, caller);
        struct transport inner = local_transport(((struct scene *)self)->local);

        if (handle->events) {
                transport_cancel(&inner, handle);
                return;
        }
        if (!request->inner) {
                request->is_cancelled = true;
                return;
        }
        transport_cancel(&inner, request->inner);
        request_free(request);
}

void scene_script(struct scene *scene, const struct scene_rule *rule) {
        for (size_t i = 0; i < SCENE_RULES; i++)
                if (scene->rules[i].times == 0) {
                        scene->rules[i] = *rule;
                        return;
                }
        fail_msg("too many rules");
}

/* ---- the cluster ---- */

int scene_ask(struct scene *scene, const char *method, const char *path, const char *body,
              struct buf *ret_body) {
        return api_server_ask(scene->server, method, path, body, ret_body);
}

bool scene_object_has(struct scene *scene, const char *path, const char *text) {
        struct buf body = { 0 };
        bool has;

        scene_ask(scene, "GET", path, NULL, &body);
        has = slice_contains(buf_view(&body), slice_of(text));
        buf_release(&body);
        return has;
}

void scene_add_pod(struct scene *scene, const char *name, const char *labels, const char *owner) {
        char text[1024];

        snprintf(text, sizeof(text),
                 "{\"apiVersion\":\"v1\",\"kind\":\"Pod\",\"metadata\":{\"name\":\"%s\","
                 "\"labels\":{%s},\"ownerReferences\":[%s]},\"spec\":{\"nodeName\":\"n0\","
                 "\"terminationGracePeriodSeconds\":1,\"containers\":[{\"name\":\"c\",\"image\":"
                 "\"i\"}]}}",
                 name, labels, owner);
        assert_int_equal(scene_ask(scene, "POST", SCENE_PODS, text, NULL), 201);
        scene_run(scene, 2);
}

static int order_reboot(void *context, struct err *err) {
        struct scene_agent *agent = context;

        agent->reboots++;
        buf_printf(
                &agent->scene->calls, "%lld REBOOT %s\n",
                (long long)((loop_mono(agent->scene->loop).ns - agent->scene->began_ns) / NS_PER_S),
                agent->name);
        return agent->scene->reboot_code < 0
                       ? err_set(err, BERTH_ERR_IO, "the host does not want to")
                       : 0;
}

static void set_agent(struct scene *scene, size_t index) {
        struct scene_agent *agent = &scene->agents[index];

        agent->scene = scene;
        snprintf(agent->name, sizeof(agent->name), "n%zu", index);
        snprintf(agent->boot_id, sizeof(agent->boot_id), "boot-1");
        snprintf(agent->sentinel, sizeof(agent->sentinel), "%s/%zu", scene->folder, index);
        agent->config = (struct reboot_config){
                .node = slice_of(agent->name),
                .period_ns = 60 * NS_PER_S,
                .reboot_timeout_ns = 600 * NS_PER_S,
                .drain_grace_s = -1,
                .lock_kind = SLICE_LITERAL("DaemonSet"),
                .lock_ns = SLICE_LITERAL("kube-system"),
                .lock_name = SLICE_LITERAL("kured"),
                .lock_annotation = SLICE_LITERAL("weave.works/kured-node-lock"),
                .concurrency = 1,
                .taint_key = SLICE_LITERAL("weave.works/kured-node-reboot"),
                .window = { .days = 127, .end_s = 86399 },
                .drain_message = SLICE_LITERAL("Draining node %s"),
                .reboot_message = SLICE_LITERAL("Rebooting node %s"),
                .uncordon_message = SLICE_LITERAL("Node %s is back"),
        };
        agent->role_config = (struct reboot_role_config){ .agent = &agent->config,
                                                          .boot_id = agent->boot_id,
                                                          .sentinel_file = agent->sentinel,
                                                          .host = &agent->host };
        agent->host = (struct reboot_host){ .context = agent, .reboot = order_reboot };
}

struct scene *scene_new_as(const struct api_user *user) {
        struct scene *scene = xcalloc(1, sizeof(*scene));
        struct err err = { 0 };

        scene->time = virtual_loop_new();
        scene->loop = virtual_loop_get(scene->time);
        scene->server = api_server_new(&(struct api_server_config){ .seed = 1 }, scene->loop);
        assert_int_equal(control_new(&(struct control_config){ .loop = scene->loop,
                                                               .server = scene->server,
                                                               .controllers = "kubelet",
                                                               .seed = 1,
                                                               .is_quiet = true },
                                     &scene->control, &err),
                         0);
        assert_int_equal(control_add_nodes(scene->control, SCENE_AGENTS,
                                           &(struct control_node){ .prefix = "n" }, &err),
                         0);
        scene->local = local_transport_new(scene->server, scene->loop, user, "kured");
        snprintf(scene->folder, sizeof(scene->folder), "/tmp/berth-scene-XXXXXX");
        assert_non_null(mkdtemp(scene->folder));
        for (size_t i = 0; i < SCENE_AGENTS; i++)
                set_agent(scene, i);
        assert_int_equal(
                scene_ask(scene, "POST", "/apis/apps/v1/namespaces/kube-system/daemonsets",
                          "{\"apiVersion\":\"apps/v1\",\"kind\":\"DaemonSet\",\"metadata\":{"
                          "\"name\":\"kured\"},\"spec\":{\"selector\":{\"matchLabels\":{\"name\":"
                          "\"kured\"}},\"template\":{\"metadata\":{\"labels\":{\"name\":\"kured\"}"
                          "},\"spec\":{\"containers\":[{\"name\":\"c\",\"image\":\"i\"}]}}}}",
                          NULL),
                201);
        scene_run(scene, 5);
        scene->began_ns = loop_mono(scene->loop).ns;
        return scene;
}

struct scene *scene_new(void) {
        return scene_new_as(&api_user_admin);
}

void scene_free(struct scene *scene) {
        for (size_t i = 0; i < SCENE_AGENTS; i++) {
                scene_kill(scene, i);
                unlink(scene->agents[i].sentinel);
        }
        rmdir(scene->folder);
        local_transport_free(scene->local);
        control_free(scene->control);
        api_server_free(scene->server);
        virtual_loop_free(scene->time);
        buf_release(&scene->calls);
        free(scene);
}

struct transport scene_transport(struct scene *scene) {
        static const struct transport_ops ops = { make_call, make_stream, cancel };

        return (struct transport){ &ops, scene };
}

void scene_start(struct scene *scene, size_t index) {
        struct scene_agent *agent = &scene->agents[index];
        struct err err = { 0 };

        agent->runtime = runtime_new(&(struct runtime_config){ .loop = scene->loop,
                                                               .transport = scene_transport(scene),
                                                               .instance = agent->name,
                                                               .seed = index + 1,
                                                               .keeps_finished = true,
                                                               .keeps_evictions = true,
                                                               .has_no_model = !scene->has_model });
        agent->role = reboot_role_add(agent->runtime, &agent->role_config, &err);
        assert_non_null(agent->role);
        runtime_start(agent->runtime);
}

void scene_kill(struct scene *scene, size_t index) {
        struct scene_agent *agent = &scene->agents[index];

        runtime_free(agent->runtime);
        agent->runtime = NULL;
        agent->role = NULL;
}

void scene_boot(struct scene *scene, size_t index) {
        struct scene_agent *agent = &scene->agents[index];

        scene_kill(scene, index);
        snprintf(agent->boot_id, sizeof(agent->boot_id), "boot-%u", agent->reboots + 1);
        scene_start(scene, index);
}

void scene_run(struct scene *scene, int64_t seconds) {
        struct mono_time end = { loop_mono(scene->loop).ns + seconds * NS_PER_S };

        for (int i = 0; virtual_loop_step(scene->time, end); i++)
                assert_true(i < 1000000);
}

void scene_require(struct scene *scene, size_t index, bool is_required) {
        const char *path = scene->agents[index].sentinel;
        FILE *file;

        if (!is_required) {
                unlink(path);
                return;
        }
        file = fopen(path, "w");
        assert_non_null(file);
        fclose(file);
}

/* ---- looking back ---- */

unsigned scene_count(const struct scene *scene, const char *method, const char *path) {
        struct slice rest = buf_view(&scene->calls), line, word;
        unsigned count = 0;

        while (rest.ptr && slice_split(&rest, '\n', &line)) {
                struct slice words = line;

                slice_split(&words, ' ', &word);
                if (words.ptr && slice_split(&words, ' ', &word) &&
                    (method[0] == '\0' || slice_is(word, method)) && words.ptr &&
                    slice_contains(words, slice_of(path)))
                        count++;
        }
        return count;
}

bool scene_has(const struct scene *scene, const char *text) {
        return slice_contains(buf_view(&scene->calls), slice_of(text));
}

void scene_expect_order(const struct scene *scene, const char *const *parts) {
        const char *at = scene->calls.data ? scene->calls.data : "";

        for (size_t i = 0; parts[i]; i++) {
                const char *found = strstr(at, parts[i]);

                if (!found)
                        fail_msg("no \"%s\" in time:\n%s", parts[i], at);
                at = found + strlen(parts[i]);
        }
}

struct slice scene_metrics(struct scene *scene, size_t agent, struct buf *text) {
        buf_clear(text);
        reboot_role_write_metrics(scene->agents[agent].role, text);
        return buf_view(text);
}
