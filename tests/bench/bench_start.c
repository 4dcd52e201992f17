/* How long a process takes from its start until all pods are in its model, beside the time in which
 * their bytes arrive: TLS on loopback, the server a process of its own that has the list ready, in
 * protobuf (what an API server sends) or JSON (what the sandbox sends).
 *
 *     bench_start [PODS [protobuf|json]]      (150,000 pods when left out, both forms)
 */
#include "../unit/server/cost_protobuf.h"

#include "base/util.h"
#include "client/http_transport.h"
#include "http/http_front.h"
#include "http/tls_material.h"
#include "loop/cluster_feed.h"
#include "loop/event_loop.h"
#include "loop/watch_set.h"
#include "model/cluster.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define TEMPLATE_PODS 50 /* of one Deployment */
#define NODE_PODS 30
#define ROUNDS 3

/* A pod as its API server has it, a third of it field sets. Control bytes stand for numbers: of
 * the pod, of its Deployment, of its node. */
static const char pod_metadata[] =
        "{\"metadata\":{\"name\":\"app-\2"
        "-6b9f7c5d4-\1"
        "\",\"generateName\":\"app-\2"
        "-6b9f7c5d4-\",\"namespace\":\"team-\2"
        "\",\"uid\":\"5d3b4f52-8d7a-4a39-9c5e-000000\1"
        "\",\"resourceVersion\":\"\1"
        "\",\"generation\":1,\"creationTimestamp\":\"2026-03-04T05:06:07Z\",\"labels\":{\"app\""
        ":\"app-\2"
        "\",\"pod-template-hash\":\"6b9f7c5d4\"},\"annotations\":{\"prometheus.io/scrape\":\"tr"
        "ue\"},\"ownerReferences\":[{\"apiVersion\":\"apps/v1\",\"kind\":\"ReplicaSet\",\"name"
        "\":\"app-\2"
        "-6b9f7c5d4\",\"uid\":\"0b6c5c2e-5b1c-4f0a-9d3e-000000\2"
        "\",\"controller\":true,\"blockOwnerDeletion\":true}],\"managedFields\":[{\"manager\":"
        "\"kube-controller-manager\",\"operation\":\"Update\",\"apiVersion\":\"v1\",\"time\":\""
        "2026-03-04T05:06:07Z\",\"fieldsType\":\"FieldsV1\",\"fieldsV1\":{\"f:metadata\":{\"f:g"
        "enerateName\":{},\"f:labels\":{\".\":{},\"f:app\":{},\"f:pod-template-hash\":{}},\"f:o"
        "wnerReferences\":{\".\":{},\"k:{\\\"uid\\\":\\\"0b6c5c2e-5b1c-4f0a-9d3e-000000\2"
        "\\\"}\":{}}},\"f:spec\":{\"f:containers\":{\"k:{\\\"name\\\":\\\"web\\\"}\":{\".\":{},"
        "\"f:image\":{},\"f:imagePullPolicy\":{},\"f:name\":{},\"f:ports\":{\".\":{}},\"f:readi"
        "nessProbe\":{\".\":{}},\"f:resources\":{\".\":{},\"f:requests\":{\".\":{},\"f:cpu\":{}"
        ",\"f:memory\":{}}},\"f:terminationMessagePath\":{}}},\"f:dnsPolicy\":{},\"f:restartPol"
        "icy\":{},\"f:schedulerName\":{},\"f:securityContext\":{},\"f:terminationGracePeriodSec"
        "onds\":{}}}},{\"manager\":\"kubelet\",\"operation\":\"Update\",\"apiVersion\":\"v1\","
        "\"time\":\"2026-03-04T05:06:17Z\",\"fieldsType\":\"FieldsV1\",\"fieldsV1\":{\"f:status"
        "\":{\"f:conditions\":{\"k:{\\\"type\\\":\\\"Ready\\\"}\":{\".\":{},\"f:lastProbeTime\""
        ":{},\"f:status\":{},\"f:type\":{}}},\"f:containerStatuses\":{},\"f:hostIP\":{},\"f:pha"
        "se\":{},\"f:podIP\":{},\"f:podIPs\":{},\"f:startTime\":{}}},\"subresource\":\"status\""
        "}]},";
static const char pod_spec[] =
        "\"spec\":{\"volumes\":[{\"name\":\"kube-api-access-\1"
        "\",\"projected\":{\"sources\":[{\"serviceAccountToken\":{\"expirationSeconds\":3607,\""
        "path\":\"token\"}},{\"configMap\":{\"name\":\"kube-root-ca.crt\",\"items\":[{\"key\":"
        "\"ca.crt\",\"path\":\"ca.crt\"}]}},{\"downwardAPI\":{\"items\":[{\"path\":\"namespace"
        "\",\"fieldRef\":{\"apiVersion\":\"v1\",\"fieldPath\":\"metadata.namespace\"}}]}}],\"de"
        "faultMode\":420}}],\"containers\":[{\"name\":\"web\",\"image\":\"registry.example/team"
        "/app-\2"
        ":1.2.3\",\"args\":[\"--port=8080\",\"--log=info\"],\"ports\":[{\"name\":\"http\",\"con"
        "tainerPort\":8080,\"protocol\":\"TCP\"}],\"env\":[{\"name\":\"POD_IP\",\"valueFrom\":{"
        "\"fieldRef\":{\"apiVersion\":\"v1\",\"fieldPath\":\"status.podIP\"}}},{\"name\":\"MODE"
        "\",\"value\":\"production\"}],\"resources\":{\"limits\":{\"memory\":\"256Mi\"},\"reque"
        "sts\":{\"cpu\":\"100m\",\"memory\":\"128Mi\"}},\"volumeMounts\":[{\"name\":\"kube-api-"
        "access-\1"
        "\",\"readOnly\":true,\"mountPath\":\"/var/run/secrets/kubernetes.io/serviceaccount\"}]"
        ",\"readinessProbe\":{\"httpGet\":{\"path\":\"/ready\",\"port\":\"http\",\"scheme\":\"H"
        "TTP\"},\"timeoutSeconds\":1,\"periodSeconds\":10,\"successThreshold\":1,\"failureThres"
        "hold\":3},\"terminationMessagePath\":\"/dev/termination-log\",\"terminationMessagePoli"
        "cy\":\"File\",\"imagePullPolicy\":\"IfNotPresent\"}],\"restartPolicy\":\"Always\",\"te"
        "rminationGracePeriodSeconds\":30,\"dnsPolicy\":\"ClusterFirst\",\"serviceAccountName\""
        ":\"default\",\"serviceAccount\":\"default\",\"nodeName\":\"node-\3"
        "\",\"securityContext\":{},\"schedulerName\":\"default-scheduler\",\"tolerations\":[{\""
        "key\":\"node.kubernetes.io/not-ready\",\"operator\":\"Exists\",\"effect\":\"NoExecute"
        "\",\"tolerationSeconds\":300},{\"key\":\"node.kubernetes.io/unreachable\",\"operator\""
        ":\"Exists\",\"effect\":\"NoExecute\",\"tolerationSeconds\":300}],\"priority\":0,\"enab"
        "leServiceLinks\":true,\"preemptionPolicy\":\"PreemptLowerPriority\"},";
static const char pod_status[] =
        "\"status\":{\"phase\":\"Running\",\"conditions\":[{\"type\":\"PodReadyToStartContainer"
        "s\",\"status\":\"True\",\"lastTransitionTime\":\"2026-03-04T05:06:17Z\"},{\"type\":\"I"
        "nitialized\",\"status\":\"True\",\"lastTransitionTime\":\"2026-03-04T05:06:07Z\"},{\"t"
        "ype\":\"Ready\",\"status\":\"True\",\"lastTransitionTime\":\"2026-03-04T05:06:17Z\"},{"
        "\"type\":\"ContainersReady\",\"status\":\"True\",\"lastTransitionTime\":\"2026-03-04T0"
        "5:06:17Z\"},{\"type\":\"PodScheduled\",\"status\":\"True\",\"lastTransitionTime\":\"20"
        "26-03-04T05:06:07Z\"}],\"hostIP\":\"172.16.5.118\",\"hostIPs\":[{\"ip\":\"172.16.5.118"
        "\"}],\"podIP\":\"10.5.107.1\",\"podIPs\":[{\"ip\":\"10.5.107.1\"}],\"startTime\":\"202"
        "6-03-04T05:06:07Z\",\"containerStatuses\":[{\"name\":\"web\",\"state\":{\"running\":{"
        "\"startedAt\":\"2026-03-04T05:06:10Z\"}},\"lastState\":{},\"ready\":true,\"restartCoun"
        "t\":0,\"image\":\"registry.example/team/app-\2"
        ":1.2.3\",\"imageID\":\"registry.example/team/app@sha256:012345678901234567890123456789"
        "0123456789012345678901234567890123\",\"containerID\":\"containerd://badce3dbcd8b99ae56"
        "e5ba63a49594532\",\"started\":true}],\"qosClass\":\"Burstable\"}}";

struct bench {
        struct event_loop *events;
        struct loop *loop;
        struct tls_material material;
        struct http_transport *http;
        struct transport transport;
        bool is_protobuf;
        /* The server's */
        struct buf list;
        /* Receiving only */
        size_t bytes;
        bool is_done;
};

static void fail(const char *what) {
        fprintf(stderr, "bench_start: %s\n", what);
        exit(1);
}

static double clock_s(clockid_t clock) {
        struct timespec now;

        clock_gettime(clock, &now);
        return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

/* ---- the server ---- */

static void write_text(const char *text, const unsigned numbers[3], struct buf *out) {
        for (; *text; text++)
                if (*text >= 1 && *text <= 3)
                        buf_printf(out, "%06u", numbers[*text - 1]);
                else
                        buf_char(out, *text);
}

static void write_list(struct bench *bench, size_t pods) {
        struct buf text = { 0 };

        buf_text(&text, "{\"kind\":\"PodList\",\"apiVersion\":\"v1\",\"metadata\":{"
                        "\"resourceVersion\":\"7\"},\"items\":[");
        for (size_t i = 0; i < pods; i++) {
                buf_text(&text, i > 0 ? "," : "");
                unsigned numbers[] = { (unsigned)i, (unsigned)(i / TEMPLATE_PODS),
                                       (unsigned)(i * 2654435761U % (pods / NODE_PODS + 1)) };

                write_text(pod_metadata, numbers, &text);
                write_text(pod_spec, numbers, &text);
                write_text(pod_status, numbers, &text);
        }
        buf_text(&text, "]}");
        if (bench->is_protobuf) {
                cost_protobuf_write(buf_view(&text), &bench->list);
                buf_release(&text);
        } else {
                bench->list = text;
        }
}

static void *answer(void *context, const struct http_request *request,
                    struct http_response *ret_response, void (*ready)(void *context),
                    void *ready_context) {
        const struct bench *bench = context;

        (void)ready, (void)ready_context;
        *ret_response =
                (struct http_response){ .status = 200, .is_known = true, .retry_after_s = -1 };
        ret_response->content_type =
                bench->is_protobuf ? "application/vnd.kubernetes.protobuf" : "application/json";
        if (!slice_contains(request->target, SLICE_LITERAL("watch=")))
                buf_slice(&ret_response->body, buf_view(&bench->list));
        return NULL;
}

static _Noreturn void serve(struct bench *bench, size_t pods, int to_parent) {
        struct http_handler handler = { .begin = answer, .context = bench };
        struct http_front_config config = { .address = "127.0.0.1:0",
                                            .key_pem = bench->material.key_pem,
                                            .certificate_pem = bench->material.certificate_pem };
        struct http_front *front;
        struct err err;

        write_list(bench, pods);
        if (event_loop_new(&bench->events, &err) < 0 ||
            http_front_new(&config, &handler, event_loop_as_loop(bench->events), &front, &err) < 0)
                fail(err.text);
        uint16_t port = http_front_port(front);
        if (write(to_parent, &port, sizeof(port)) != sizeof(port))
                fail("the pipe is closed");
        while (event_loop_run_once(bench->events, -1, NULL) >= 0)
                ;
        fail("the loop failed");
        _exit(1);
}

static pid_t start_server(struct bench *bench, size_t pods, uint16_t *ret_port) {
        int ends[2];

        if (pipe(ends) < 0)
                fail("no pipe");
        pid_t server = fork();
        if (server < 0)
                fail("no process");
        if (server == 0)
                serve(bench, pods, ends[1]);
        close(ends[1]);
        if (read(ends[0], ret_port, sizeof(*ret_port)) != sizeof(*ret_port))
                fail("no server");
        close(ends[0]);
        return server;
}

/* ---- the client ---- */

static void reach(struct bench *bench, uint16_t port) {
        struct http_transport_config config = { 0 };
        struct err err;
        char url[64];

        snprintf(url, sizeof(url), "https://127.0.0.1:%u", port);
        config.access.server = slice_dup(slice_of(url));
        config.access.token = slice_dup(SLICE_LITERAL("bench"));
        config.access.ca_pem = slice_dup(slice_of(bench->material.ca_pem));
        if (event_loop_new(&bench->events, &err) < 0)
                fail(err.text);
        bench->loop = event_loop_as_loop(bench->events);
        if (http_transport_new(&config, bench->loop, &bench->http, &err) < 0)
                fail(err.text);
        bench->transport = http_transport(bench->http);
        bench->is_done = false;
}

static void leave(struct bench *bench) {
        http_transport_free(bench->http);
        event_loop_free(bench->events);
}

static void on_bytes(void *context, struct slice chunk) {
        ((struct bench *)context)->bytes += chunk.len;
}

static void on_end(void *context, const struct api_reply *reply) {
        if (reply->status != 200)
                fail(reply->error.text);
        ((struct bench *)context)->is_done = true;
}

static void receive(struct bench *bench) {
        static const struct api_stream_events events = { .data = on_bytes, .ended = on_end };
        struct api_call call = { .method = API_GET,
                                 .path = SLICE_LITERAL("/api/v1/pods?resourceVersion=0") };

        bench->bytes = 0;
        transport_stream(&bench->transport, &call, &events, bench);
        while (!bench->is_done)
                if (event_loop_run_once(bench->events, -1, NULL) < 0)
                        fail("the loop failed");
}

static void on_changed(void *context, uint32_t woken) {
        (void)context, (void)woken;
}

static void follow(struct bench *bench, size_t pods) {
        struct cluster *cluster = cluster_new(&(struct cluster_config){ 0 });
        struct watch_set *watches = watch_set_new(&bench->transport, bench->loop);
        struct cluster_feed *feed =
                cluster_feed_new(&(struct cluster_feed_config){ .watches = watches,
                                                                .loop = bench->loop,
                                                                .cluster = cluster,
                                                                .kinds = 1U << OBJECT_POD },
                                 on_changed, NULL);

        while (!cluster_feed_is_synced(feed))
                if (event_loop_run_once(bench->events, -1, NULL) < 0)
                        fail("the loop failed");
        if (cluster_pod_count(cluster) != pods)
                fail("not every pod is in the model");
        cluster_feed_free(feed);
        watch_set_free(watches);
        cluster_free(cluster);
}

/* ---- figures ---- */

struct cost {
        double wall_s, cpu_s;
};

static void keep_least(struct cost *least, struct cost cost) {
        if (least->wall_s == 0 || cost.wall_s < least->wall_s)
                least->wall_s = cost.wall_s;
        if (least->cpu_s == 0 || cost.cpu_s < least->cpu_s)
                least->cpu_s = cost.cpu_s;
}

static void one_round(struct bench *bench, uint16_t port, size_t pods, struct cost *least) {
        struct cost cost = { clock_s(CLOCK_MONOTONIC), clock_s(CLOCK_PROCESS_CPUTIME_ID) };

        reach(bench, port);
        if (pods)
                follow(bench, pods);
        else
                receive(bench);
        cost.wall_s = clock_s(CLOCK_MONOTONIC) - cost.wall_s;
        cost.cpu_s = clock_s(CLOCK_PROCESS_CPUTIME_ID) - cost.cpu_s;
        leave(bench);
        keep_least(least, cost);
}

static void print_row(const struct bench *bench, const char *what, double figure,
                      const char *unit) {
        char row[64];

        snprintf(row, sizeof(row), "%s, %s", bench->is_protobuf ? "protobuf" : "JSON", what);
        printf("%-44s %10.2f %s\n", row, figure, unit);
}

static void measure(bool is_protobuf, size_t pods) {
        struct bench bench = { .is_protobuf = is_protobuf };
        struct cost received = { 0 }, started = { 0 };
        struct err err;
        uint16_t port;

        if (tls_material_make(NULL, &bench.material, &err) < 0)
                fail(err.text);
        pid_t server = start_server(&bench, pods, &port);
        for (int i = 0; i < ROUNDS; i++) {
                one_round(&bench, port, 0, &received);
                one_round(&bench, port, pods, &started);
        }
        kill(server, SIGTERM);
        waitpid(server, NULL, 0);
        tls_material_release(&bench.material);
        print_row(&bench, "bytes per pod", (double)bench.bytes / (double)pods, "bytes");
        print_row(&bench, "list received", received.wall_s, "s");
        print_row(&bench, "list received, processor time", received.cpu_s, "s");
        print_row(&bench, "list in the model", started.wall_s, "s");
        print_row(&bench, "list in the model, processor time", started.cpu_s, "s");
        print_row(&bench, "in the model / received", started.wall_s / received.wall_s, "times");
        print_row(&bench, "beyond receiving, per pod",
                  (started.cpu_s - received.cpu_s) / (double)pods * 1e6, "us");
}

int main(int argc, char **argv) {
        uint64_t pods = 150000;

        if (argc > 1 && (!slice_to_u64(slice_of(argv[1]), &pods) || pods < 1 || pods > 1000000))
                fail("PODS must be a number");
        if (argc < 3 || strcmp(argv[2], "protobuf") == 0)
                measure(true, (size_t)pods);
        if (argc < 3 || strcmp(argv[2], "json") == 0)
                measure(false, (size_t)pods);
        return 0;
}
