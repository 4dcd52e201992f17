/* Puts server, transport and role together and moves the clock. */
#include "desched_world.h"

#include "api/json.h"
#include "config/descheduler_policy.h"
#include "config/document.h"
#include "model/cluster.h"
#include <stdio.h>
#include <string.h>

#define POD_TEXT_MAX 1024

/* ---- the descheduler's process ---- */

static void on_finished(void *context, const struct err *err) {
        struct desched_world *world = context;

        if (err)
                world->failure = *err;
        world->is_finished = true;
}

static void on_call(void *context, const struct api_call *call) {
        struct desched_world *world = context;

        if (call->method == API_GET && slice_contains(call->path, SLICE_LITERAL("watch=")))
                world->watches++;
        else if (call->method == API_GET)
                world->lists++;
        if (call->method != API_POST || !slice_has_suffix(call->path, SLICE_LITERAL("/eviction")))
                return;
        if (world->eviction_count < WORLD_EVICTIONS_MAX)
                world->evictions[world->eviction_count] = loop_mono(world->loop);
        world->eviction_count++;
}

static void hide_jobs(const struct desched_world *world, struct api_call *call) {
        if (world->config.hides_jobs && slice_has_prefix(call->path, SLICE_LITERAL("/apis/batch")))
                call->path = SLICE_LITERAL("/apis/batch/v1/nothing");
}

/* A server without evictions: its list of resources is another one. */
static struct api_request *call(void *self, const struct api_call *asked,
                                void (*done)(void *context, const struct api_reply *reply),
                                void *context) {
        struct desched_world *world = self;
        struct api_call made = *asked;

        if (world->config.hides_eviction && slice_is(made.path, "/api/v1"))
                made.path = SLICE_LITERAL("/apis/apps/v1");
        hide_jobs(world, &made);
        return transport_call(&world->inner, &made, done, context);
}

static struct api_request *stream(void *self, const struct api_call *asked,
                                  const struct api_stream_events *events, void *context) {
        struct desched_world *world = self;
        struct api_call made = *asked;

        hide_jobs(world, &made);
        return transport_stream(&world->inner, &made, events, context);
}

static void cancel(void *self, struct api_request *request) {
        struct desched_world *world = self;

        transport_cancel(&world->inner, request);
}

static const struct transport_ops carrier_ops = { .call = call,
                                                  .stream = stream,
                                                  .cancel = cancel };

void desched_world_start(struct desched_world *world) {
        struct err err = { 0 };

        world->is_finished = false;
        world->runtime = runtime_new(&(struct runtime_config){ .loop = world->loop,
                                                               .transport = world->carrier,
                                                               .instance = "sim",
                                                               .seed = 1,
                                                               .keeps_finished = true,
                                                               .keeps_detail = true });
        if (role_config_build(&world->roles, runtime_cluster(world->runtime), NULL, &err) < 0)
                fprintf(stderr, "%s\n", err.text);
        world->role = role_config_add_descheduler(
                &world->roles, world->runtime,
                &(struct descheduler_role_config){ .interval_ns = world->config.interval_ns,
                                                   .watches = world->config.watches,
                                                   .is_elected = world->config.is_elected,
                                                   .finished = on_finished,
                                                   .context = world });
        runtime_start(world->runtime);
}

void desched_world_end(struct desched_world *world) {
        if (!world->runtime)
                return;
        desched_world_count(world, &world->passes, &world->reactions);
        runtime_free(world->runtime);
        world->runtime = NULL;
        sched_profile_list_release(&world->roles.profiles);
}

void desched_world_count(const struct desched_world *world, uint64_t *ret_passes,
                         uint64_t *ret_reactions) {
        struct descheduler_role_stats stats = { 0 };

        if (world->runtime)
                descheduler_role_stats(world->role, &stats);
        *ret_passes = world->passes + stats.passes;
        *ret_reactions = world->reactions + stats.reactions;
}

/* ---- the cluster ---- */

static int ask(struct desched_world *world, const char *method, const char *path, const char *body,
               struct buf *ret_body) {
        struct buf answer = { 0 };
        int status = api_server_ask(world->server, method, path, body, &answer);

        if (status >= 400 && status != 404)
                fprintf(stderr, "%s %s: %d " SLICE_FMT "\n", method, path, status,
                        SLICE_ARG(buf_view(&answer)));
        if (ret_body)
                buf_slice(ret_body, buf_view(&answer));
        buf_release(&answer);
        return status;
}

int desched_world_ask(struct desched_world *world, const char *method, const char *path,
                      const char *body) {
        return ask(world, method, path, body, NULL);
}

static bool add_pod_of(struct desched_world *world, const char *owner, const char *name) {
        char text[POD_TEXT_MAX], path[128];

        snprintf(text, sizeof(text),
                 "{\"metadata\":{\"name\":\"%s\",\"ownerReferences\":[{%s,"
                 "\"controller\":true}]},"
                 "\"spec\":{\"nodeName\":\"n1\",\"containers\":[{\"name\":\"c\",\"image\":\"i\"}]}"
                 "}",
                 name, owner);
        if (desched_world_ask(world, "POST", "/api/v1/namespaces/default/pods", text) != 201)
                return false;
        snprintf(path, sizeof(path), "/api/v1/namespaces/default/pods/%s/status", name);
        return desched_world_ask(world, "PATCH", path, "{\"status\":{\"phase\":\"Running\"}}") ==
               200;
}

bool desched_world_add_pod(struct desched_world *world, const char *name) {
        return add_pod_of(world,
                          "\"apiVersion\":\"apps/v1\",\"kind\":\"ReplicaSet\",\"name\":\"rs\","
                          "\"uid\":\"rs\"",
                          name);
}

bool desched_world_add_job_pod(struct desched_world *world, const char *job, const char *name) {
        struct buf answer = { 0 };
        struct json_doc *doc = NULL;
        char owner[256] = "";

        if (ask(world, "POST", "/apis/batch/v1/namespaces/default/jobs", job, &answer) == 201 &&
            json_parse(buf_view(&answer), &doc, NULL) == 0)
                snprintf(owner, sizeof(owner),
                         "\"apiVersion\":\"batch/"
                         "v1\",\"kind\":\"Job\",\"name\":\"j\",\"uid\":\"" SLICE_FMT "\"",
                         SLICE_ARG(json_get_text(json_get(json_doc_root(doc), "metadata"), "uid")));
        json_doc_free(doc);
        buf_release(&answer);
        return owner[0] && add_pod_of(world, owner, name);
}

bool desched_world_fail_pod(struct desched_world *world, const char *name, int exit_code) {
        char text[POD_TEXT_MAX], path[128];

        snprintf(path, sizeof(path), "/api/v1/namespaces/default/pods/%s/status", name);
        snprintf(text, sizeof(text),
                 "{\"status\":{\"phase\":\"Failed\",\"containerStatuses\":[{\"name\":\"c\","
                 "\"image\":\"i\",\"imageID\":\"i\",\"ready\":false,\"restartCount\":0,\"state\":{"
                 "\"terminated\":{\"exitCode\":%d,\"reason\":\"Error\"}}}]}}",
                 exit_code);
        return desched_world_ask(world, "PATCH", path, text) == 200;
}

static bool add_node(struct desched_world *world, const char *name) {
        char text[POD_TEXT_MAX];

        snprintf(text, sizeof(text),
                 "{\"metadata\":{\"name\":\"%s\"},\"status\":{\"allocatable\":{\"cpu\":\"8\","
                 "\"memory\":\"32Gi\",\"pods\":\"110\"},\"conditions\":[{\"type\":\"Ready\","
                 "\"status\":\"True\"}]}}",
                 name);
        return desched_world_ask(world, "POST", "/api/v1/nodes", text) == 201;
}

bool desched_world_open(struct desched_world *world, const struct desched_world_config *config) {
        struct err err = { 0 };

        world->config = *config;
        world->time = virtual_loop_new();
        world->loop = virtual_loop_get(world->time);
        world->server = api_server_new(
                &(struct api_server_config){ .seed = 1, .read_yaml = document_read_tree },
                world->loop);
        world->local = local_transport_new(world->server, world->loop, &api_user_admin, "test");
        world->faults =
                sim_faults_new(local_transport(world->local), world->loop, 1, 0, NULL, NULL);
        sim_faults_watch(world->faults, on_call, world);
        world->inner = sim_faults_transport(world->faults);
        world->carrier = (struct transport){ .ops = &carrier_ops, .self = world };
        world->problems = config_problems_new();
        if (role_config_load(&(struct role_config_sources){ .is_parity = config->is_parity },
                             &world->roles, &err) < 0)
                return false;
        world->roles.policy = descheduler_policy_read(slice_of(config->policy), "policy",
                                                      config->is_parity, world->problems);
        return world->roles.policy && config_problems_to_err(world->problems, &err) == 0 &&
               add_node(world, "n1") && add_node(world, "n2");
}

void desched_world_close(struct desched_world *world) {
        desched_world_end(world);
        sim_faults_free(world->faults);
        local_transport_free(world->local);
        api_server_free(world->server);
        virtual_loop_free(world->time);
        config_problems_free(world->problems);
        role_config_release(&world->roles);
}

void desched_world_advance(struct desched_world *world, int64_t ns) {
        const struct mono_time end = { loop_mono(world->loop).ns + ns };

        while (virtual_loop_step(world->time, end))
                continue;
}
