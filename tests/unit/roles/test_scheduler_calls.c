/* What the scheduler asks of the API server, outcome by outcome, counted on its way there and
 * compared with kube-scheduler's calls (reference scheduler.md section 6).  Prints the table that
 * docs/internals/sched.md holds. */
#include "role_world.h"

#include "api/json.h"
#include "base/buf.h"
#include "base/err.h"
#include "sched/scheduler.h"
#include "server/api_server.h"
#include <stdio.h>
#include <string.h>

#define ITERATIONS_MAX 20000
#define QUIET_ITERATIONS 10
#define OF_CLAIM ",'volumes':[{'name':'v','persistentVolumeClaim':{'claimName':'c'}}]"
#define NOMINATED ",'nominatedNodeName':'n1'"
#define HIGH_NEVER ",'priorityClassName':'high-never'"
#define HIGH ",'priorityClassName':'high'"

/* Calls by what they do; events come on top, for upstream as well. */
struct calls {
        unsigned status, binding, removals, claims, others;
};

enum trick { TRICK_NONE, TRICK_LOSE_BINDING, TRICK_LOSE_ANSWER, TRICK_DELETE_POD };

struct world {
        struct role_world roles;
        struct transport inner;
        struct calls calls;
        unsigned event_posts, event_patches;
        enum trick trick;
};

/* ---- a transport that counts ---- */

static bool ends_with(struct slice text, const char *end) {
        size_t len = strlen(end);

        return text.len >= len && memcmp(text.ptr + text.len - len, end, len) == 0;
}

static bool contains(struct slice text, const char *part) {
        return memmem(text.ptr, text.len, part, strlen(part));
}

static void count(struct calls *calls, const struct api_call *call) {
        if (call->method == API_GET || contains(call->path, "/events"))
                return;
        if (call->method == API_PATCH && ends_with(call->path, "/status"))
                calls->status++;
        else if (call->method == API_POST && ends_with(call->path, "/binding"))
                calls->binding++;
        else if (call->method == API_DELETE && contains(call->path, "/pods/"))
                calls->removals++;
        else if (call->method == API_PUT && contains(call->path, "/persistentvolume"))
                calls->claims++;
        else
                calls->others++;
}

static void ignore_reply(void *context, const struct api_reply *reply) {
        (void)context;
        (void)reply;
}

/* The pod goes while its binding is on the way. */
static void delete_first(struct world *world, const struct api_call *call) {
        struct api_call removal = { .method = API_DELETE, .path = call->path };

        removal.path.len -= strlen("/binding");
        transport_call(&world->inner, &removal, ignore_reply, NULL);
}

/* A call whose answer does not arrive. */
struct lost_call {
        void (*done)(void *context, const struct api_reply *reply);
        void *context;
};

static void lose_answer(void *context, const struct api_reply *reply) {
        struct lost_call lost = *(struct lost_call *)context;
        struct api_reply nothing = { .retry_after_s = -1 };

        (void)reply;
        free(context);
        err_set(&nothing.error, BERTH_ERR_TIMEOUT, "no answer in time");
        lost.done(lost.context, &nothing);
}

static struct api_request *counted_call(void *self, const struct api_call *call,
                                        void (*done)(void *context, const struct api_reply *reply),
                                        void *context) {
        struct world *world = self;
        struct api_call sent = *call;

        count(&world->calls, call);
        if (contains(call->path, "/events")) {
                world->event_posts += call->method == API_POST;
                world->event_patches += call->method == API_PATCH;
        }
        if (ends_with(call->path, "/binding") && world->trick == TRICK_LOSE_BINDING) {
                sent.path = SLICE_LITERAL("/api/v1/namespaces/default/pods/nobody/binding");
                world->trick = TRICK_NONE;
        }
        if (ends_with(call->path, "/binding") && world->trick == TRICK_LOSE_ANSWER) {
                struct lost_call *lost = xmalloc(sizeof(*lost));

                *lost = (struct lost_call){ done, context };
                return transport_call(&world->inner, call, lose_answer, lost);
        }
        if (ends_with(call->path, "/binding") && world->trick == TRICK_DELETE_POD)
                delete_first(world, call);
        return transport_call(&world->inner, &sent, done, context);
}

static struct api_request *counted_stream(void *self, const struct api_call *call,
                                          const struct api_stream_events *events, void *context) {
        return transport_stream(&((struct world *)self)->inner, call, events, context);
}

static void counted_cancel(void *self, struct api_request *request) {
        transport_cancel(&((struct world *)self)->inner, request);
}

static const struct transport_ops counted_ops = { .call = counted_call,
                                                  .stream = counted_stream,
                                                  .cancel = counted_cancel };

/* ---- the world ---- */

static bool is_quiet(struct world *world) {
        struct scheduler_stats stats;
        struct runtime_stats runtime;

        scheduler_stats(world->roles.scheduler, &stats);
        runtime_stats(world->roles.runtime, &runtime);
        return runtime_is_synced(world->roles.runtime) && stats.active == 0 && !runtime.is_writing;
}

/* Nothing of this goes through sockets or timers: once some iterations brought nothing, nothing
 * comes any more. */
static void settle(struct world *world) {
        struct err err = { 0 };
        int quiet = 0;

        for (int i = 0; i < ITERATIONS_MAX && quiet < QUIET_ITERATIONS; i++) {
                assert_int_equal(event_loop_run_once(world->roles.events, NS_PER_MS, &err), 0);
                quiet = is_quiet(world) ? quiet + 1 : 0;
        }
        assert_int_equal(quiet, QUIET_ITERATIONS);
}

/* Readable cases: ' for ". */
static void quote(struct buf *text) {
        for (size_t i = 0; i < text->len; i++)
                if (text->data[i] == '\'')
                        text->data[i] = '"';
}

__attribute__((format(printf, 2, 3))) static void put(struct world *world, const char *format,
                                                      ...) {
        CLEANUP(buf_release) struct buf text = { 0 };
        struct err err = { 0 };
        va_list args;

        va_start(args, format);
        buf_vprintf(&text, format, args);
        va_end(args);
        quote(&text);
        if (sandbox_import_text(world->roles.import, buf_view(&text), &err) < 0)
                fail_msg("%s: %s", text.data, err.text);
}

static void note_reply(void *context, const struct api_reply *reply) {
        *(int *)context = reply->status;
}

/* At once: there is no kubelet to wait for. */
static void drop(struct world *world, const char *name) {
        static const char options[] = "{\"gracePeriodSeconds\":0}";
        struct err err = { 0 };
        char path[128];
        int status = 0;

        snprintf(path, sizeof(path), "/api/v1/namespaces/default/pods/%s", name);
        transport_call(&world->inner,
                       &(struct api_call){ .method = API_DELETE,
                                           .path = slice_of(path),
                                           .body = slice_of(options) },
                       note_reply, &status);
        for (int i = 0; i < ITERATIONS_MAX && status == 0; i++)
                assert_int_equal(event_loop_run_once(world->roles.events, NS_PER_MS, &err), 0);
        assert_int_equal(status, 200);
}

static void patch_object(struct world *world, const char *kind, const char *ns, const char *name,
                         const char *patch) {
        struct import_target target = { SLICE_LITERAL("v1"), slice_of(kind), slice_of(ns),
                                        slice_of(name) };
        CLEANUP(buf_release) struct buf text = { 0 };
        struct err err = { 0 };
        struct json_doc *doc;

        buf_text(&text, patch);
        quote(&text);
        assert_int_equal(json_parse(buf_view(&text), &doc, &err), 0);
        if (sandbox_import_patch(world->roles.import, &target, json_doc_root(doc), &err) < 0)
                fail_msg("%s", err.text);
        json_doc_free(doc);
}

static void patch_node(struct world *world, const char *name, const char *patch) {
        patch_object(world, "Node", "", name, patch);
}

static void put_class(struct world *world, const char *name, int value, const char *more) {
        put(world,
            "{'apiVersion':'scheduling.k8s.io/v1','kind':'PriorityClass','metadata':{'name':'%s'},"
            "'value':%d%s}",
            name, value, more);
}

static void put_node(struct world *world, const char *name) {
        put(world,
            "{'apiVersion':'v1','kind':'Node','metadata':{'name':'%s'},'status':{'allocatable':"
            "{'cpu':'4','memory':'32Gi','pods':'110'},'capacity':{'cpu':'4','memory':'32Gi',"
            "'pods':'110'}}}",
            name);
        /* The API server taints new nodes as not ready, and nobody else is here. */
        patch_node(world, name, "{'spec':{'taints':null}}");
}

/* more: further members of the spec, status: of the status, each with its comma in front or "". */
static void put_pod(struct world *world, const char *name, const char *cpu, const char *more,
                    const char *status) {
        put(world,
            "{'apiVersion':'v1','kind':'Pod','metadata':{'name':'%s','labels':{'app':'%s'}},"
            "'spec':{'containers':[{'name':'c','image':'i','resources':{'requests':{'cpu':'%s'}}}]"
            "%s},'status':{'phase':'Pending'%s}}",
            name, name, cpu, more, status);
}

static int set_up(void **state) {
        struct world *world = xcalloc(1, sizeof(*world));
        /* Nothing is tried again by the clock. */
        const struct scheduler_role_config role = { .backoff_initial_ns = 3600 * NS_PER_S,
                                                    .backoff_max_ns = 3600 * NS_PER_S };

        role_world_init(&world->roles, "none");
        world->inner = sandbox_transport(world->roles.sandbox, &api_user_scheduler, "test");
        role_world_start(&world->roles, (struct transport){ .ops = &counted_ops, .self = world },
                         &role);
        put_class(world, "high", 100, "");
        put_class(world, "high-never", 100, ",'preemptionPolicy':'Never'");
        put_class(world, "low", 5, ",'preemptionPolicy':'Never'");
        *state = world;
        return 0;
}

static int tear_down(void **state) {
        role_world_release(&((struct world *)*state)->roles);
        free(*state);
        return 0;
}

static struct calls calls_since(struct world *world) {
        struct calls calls = world->calls;

        world->calls = (struct calls){ 0 };
        return calls;
}

static void clear_calls(struct world *world) {
        settle(world);
        calls_since(world);
}

static uint64_t decisions(struct world *world) {
        struct scheduler_stats stats;

        scheduler_stats(world->roles.scheduler, &stats);
        return stats.decisions;
}

static unsigned total(const struct calls *calls) {
        return calls->status + calls->binding + calls->removals + calls->claims + calls->others;
}

static void format_calls(const struct calls *calls, char *ret_text, size_t size) {
        snprintf(ret_text, size, "%u (%u/%u/%u/%u)", total(calls), calls->status, calls->binding,
                 calls->removals, calls->claims);
}

/* One row: ours may be fewer of any kind, never more. */
static void row(const char *name, const struct calls *ours, const struct calls *upstream) {
        char mine[64], theirs[64];

        format_calls(ours, mine, sizeof(mine));
        format_calls(upstream, theirs, sizeof(theirs));
        print_message("| %s | %s | %s |\n", name, theirs, mine);
        assert_true(ours->status <= upstream->status);
        assert_true(ours->binding <= upstream->binding);
        assert_true(ours->removals <= upstream->removals);
        assert_true(ours->claims <= upstream->claims);
        assert_int_equal(ours->others, 0);
}

static void judge(struct world *world, const char *name, struct calls upstream) {
        struct calls ours;

        settle(world);
        ours = calls_since(world);
        row(name, &ours, &upstream);
}

static void judge_exactly(struct world *world, const char *name, struct calls upstream) {
        struct calls ours;

        settle(world);
        ours = calls_since(world);
        row(name, &ours, &upstream);
        assert_memory_equal(&ours, &upstream, sizeof(ours));
}

/* ---- rows ---- */

static void bind(void **state) {
        put_node(*state, "n1");
        put_pod(*state, "p", "1", "", "");
        judge_exactly(*state, "bind", (struct calls){ .binding = 1 });
}

/* Room that is not enough, and that preemption could enlarge but not to what it takes. */
static void unschedulable(void **state) {
        uint64_t before;

        put_node(*state, "n1");
        put_pod(*state, "equal", "3", ",'nodeName':'n1'" HIGH, "");
        put_pod(*state, "lower", "100m", ",'nodeName':'n1'", "");
        put_pod(*state, "small", "200m", ",'nodeName':'n1'", "");
        clear_calls(*state);
        put_pod(*state, "p", "2", HIGH, "");
        judge_exactly(*state, "unschedulable, first time", (struct calls){ .status = 1 });
        before = decisions(*state);
        drop(*state, "small");
        judge_exactly(*state, "unschedulable, same message", (struct calls){ 0 });
        assert_true(decisions(*state) > before);
        put_node(*state, "n2");
        patch_node(*state, "n2", "{'spec':{'taints':[{'key':'t','effect':'NoSchedule'}]}}");
        drop(*state, "lower");
        put_pod(*state, "again", "100m", ",'nodeName':'n1'", "");
        settle(*state);
        drop(*state, "again");
        /* It may wait, and later ones take its place (late_conditions.h). */
        judge(*state, "unschedulable, message changed soon after", (struct calls){ .status = 1 });
}

static void expect_events(struct world *world, unsigned posts, unsigned patches) {
        assert_int_equal(world->event_posts, posts);
        assert_int_equal(world->event_patches, patches);
        world->event_posts = world->event_patches = 0;
}

/* The second of equal failures makes the event a series, the third is only counted. */
static void same_failure(void **state) {
        put_node(*state, "n1");
        put_pod(*state, "equal", "3", ",'nodeName':'n1'" HIGH, "");
        put_pod(*state, "one", "100m", ",'nodeName':'n1'", "");
        put_pod(*state, "two", "200m", ",'nodeName':'n1'", "");
        put_pod(*state, "three", "100m", ",'nodeName':'n1'", "");
        clear_calls(*state);
        put_pod(*state, "p", "2", HIGH, "");
        judge_exactly(*state, "sched-096 first failure", (struct calls){ .status = 1 });
        expect_events(*state, 1, 0);
        drop(*state, "one");
        judge_exactly(*state, "sched-096 second failure", (struct calls){ 0 });
        expect_events(*state, 0, 1);
        drop(*state, "two");
        judge_exactly(*state, "sched-096 third failure", (struct calls){ 0 });
        expect_events(*state, 0, 0);
}

static void gated(void **state) {
        put_node(*state, "n1");
        put_pod(*state, "p", "1", ",'schedulingGates':[{'name':'g'}]", "");
        judge_exactly(*state, "gated", (struct calls){ 0 });
}

static void preemption(void **state) {
        put_node(*state, "n1");
        put_pod(*state, "v1", "2", ",'nodeName':'n1'", "");
        put_pod(*state, "v2", "2", ",'nodeName':'n1'", "");
        put_pod(*state, "nominee", "3", ",'priorityClassName':'low'", NOMINATED);
        clear_calls(*state);
        put_pod(*state, "p", "4", HIGH, "");
        judge_exactly(*state, "preemption, 2 victims, 1 lower nominee",
                      (struct calls){ .status = 1 + 2 + 1, .removals = 2 });
        put_pod(*state, "noise", "100m", ",'nodeName':'n1'", "");
        drop(*state, "noise");
        judge(*state, "waiting for terminating victims", (struct calls){ .status = 1 });
        drop(*state, "v1");
        drop(*state, "v2");
        judge_exactly(*state, "preemptor, once the victims left", (struct calls){ .binding = 1 });
}

static void preemption_fails(void **state) {
        put_node(*state, "n1");
        put_pod(*state, "p", "5", HIGH, NOMINATED);
        judge_exactly(*state, "sched-097 preemption fails, nomination was set",
                      (struct calls){ .status = 1 });
        put_node(*state, "n2");
        judge(*state, "the same again", (struct calls){ .status = 1 });
}

static void never_preempts(void **state) {
        put_node(*state, "n1");
        put_pod(*state, "low", "3", ",'nodeName':'n1'", "");
        put_pod(*state, "small", "500m", ",'nodeName':'n1'", "");
        clear_calls(*state);
        put_pod(*state, "p", "2", HIGH_NEVER, NOMINATED);
        judge_exactly(*state, "policy Never, nomination was set", (struct calls){ .status = 1 });
        drop(*state, "small");
        judge_exactly(*state, "policy Never, same message", (struct calls){ 0 });
}

static void claim_not_found(void **state) {
        put_node(*state, "n1");
        put_pod(*state, "p", "1", OF_CLAIM, NOMINATED);
        judge_exactly(*state, "claim not found", (struct calls){ .status = 1 });
}

static void patch_claim(struct world *world, const char *patch) {
        patch_object(world, "PersistentVolumeClaim", "default", "c", patch);
}

/* The claim's volume is made for the node that was chosen; then the pod is bound. */
static void bind_after_claim(void **state) {
        put_node(*state, "n1");
        put(*state, "{'apiVersion':'storage.k8s.io/v1','kind':'StorageClass','metadata':{'name':"
                    "'late'},'provisioner':'example.com/disk','volumeBindingMode':"
                    "'WaitForFirstConsumer'}");
        put(*state, "{'apiVersion':'v1','kind':'PersistentVolumeClaim','metadata':{'name':'c'},"
                    "'spec':{'accessModes':['ReadWriteOnce'],'storageClassName':'late',"
                    "'resources':{'requests':{'storage':'1Gi'}}}}");
        clear_calls(*state);
        put_pod(*state, "p", "1", OF_CLAIM, "");
        judge_exactly(*state, "sched-098 bind with a delayed claim: nomination, claim",
                      (struct calls){ .status = 1, .claims = 1 });
        put(*state, "{'apiVersion':'v1','kind':'PersistentVolume','metadata':{'name':'v'},"
                    "'spec':{'capacity':{'storage':'1Gi'},'accessModes':['ReadWriteOnce'],"
                    "'storageClassName':'late','hostPath':{'path':'/x'},'claimRef':{'kind':"
                    "'PersistentVolumeClaim','namespace':'default','name':'c'}}}");
        patch_claim(*state, "{'metadata':{'annotations':{'pv.kubernetes.io/bind-completed':'yes'}},"
                            "'spec':{'volumeName':'v'},'status':{'phase':'Bound'}}");
        judge_exactly(*state, "sched-098 bind with a delayed claim: binding",
                      (struct calls){ .binding = 1 });
}

static void no_nodes(void **state) {
        put_pod(*state, "p", "1", "", "");
        judge_exactly(*state, "no nodes, first time", (struct calls){ .status = 1 });
        put_pod(*state, "other", "1", ",'schedulingGates':[{'name':'g'}]", "");
        judge_exactly(*state, "no nodes, later", (struct calls){ 0 });
}

static void cycle_error(void **state) {
        put_node(*state, "n1");
        put_node(*state, "n2");
        put_pod(*state, "p", "1",
                ",'affinity':{'nodeAffinity':{'preferredDuringSchedulingIgnoredDuringExecution':"
                "[{'weight':1,'preference':{'matchExpressions':[{'key':'a','operator':'Gt',"
                "'values':['x']}]}}]}}",
                "");
        judge(*state, "cycle error", (struct calls){ .status = 1 });
}

static void bind_fails(void **state) {
        struct world *world = *state;

        put_node(world, "n1");
        clear_calls(world);
        world->trick = TRICK_LOSE_BINDING;
        put_pod(world, "p", "1", "", "");
        judge_exactly(world, "binding fails", (struct calls){ .binding = 1, .status = 1 });
}

/* Upstream gives the room away and writes the failure into the status of a pod that is bound. */
static void answer_is_lost(void **state) {
        struct world *world = *state;
        struct scheduler_stats stats;

        put_node(world, "n1");
        clear_calls(world);
        world->trick = TRICK_LOSE_ANSWER;
        put_pod(world, "p", "1", "", "");
        judge(world, "answer to the binding lost", (struct calls){ .binding = 1, .status = 1 });
        scheduler_stats(world->roles.scheduler, &stats);
        assert_int_equal(stats.scheduled, 1);
        assert_int_equal(stats.errors, 0);
}

static void deleted_in_flight(void **state) {
        struct world *world = *state;

        put_node(world, "n1");
        clear_calls(world);
        world->trick = TRICK_DELETE_POD;
        put_pod(world, "p", "1", "", "");
        judge(world, "pod deleted in flight", (struct calls){ .binding = 1, .status = 1 });
}

#define ROW(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void) {
        const struct CMUnitTest tests[] = {
                ROW(bind),           ROW(unschedulable),     ROW(same_failure),
                ROW(gated),          ROW(preemption),        ROW(preemption_fails),
                ROW(never_preempts), ROW(claim_not_found),   ROW(bind_after_claim),
                ROW(no_nodes),       ROW(cycle_error),       ROW(bind_fails),
                ROW(answer_is_lost), ROW(deleted_in_flight),
        };

        print_message("| outcome | upstream | ours |  calls (status/binding/delete/claim)\n");
        return cmocka_run_group_tests(tests, NULL, NULL);
}
