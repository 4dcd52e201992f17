/* An eviction asked for through the subresource: when it waits, when it passes, what becomes of the
 * client's request; and the names and objects that are written for it. */
#include "base/util.h"
#include "config/document.h"
#include "evict/client_eviction.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#define UID "6f0cfa30-0000-4000-8000-000000000001"
#define OTHER_UID "6f0cfa30-0000-4000-8000-000000000002"
#define USER "kubernetes-admin"

/* 2026-01-01T12:00:00Z */
static const struct wall_time now = { (1767225600LL + 12 * 3600) * NS_PER_S };

static struct document *read_yaml(const char *text) {
        struct document *document = NULL;
        struct buf yaml = { 0 };
        struct err err = { 0 };

        buf_printf(&yaml, "---\n%s", text); /* or it were JSON */
        if (document_read(buf_view(&yaml), "case", &document, &err) < 0)
                fail_msg("%s: %s", text, err.text);
        buf_release(&yaml);
        return document;
}

static void feed(struct eviction_reconciler *reconciler, const char *text,
                 int (*put)(struct eviction_reconciler *, const struct json *, struct err *)) {
        struct document *document;
        struct err err = { 0 };

        if (!text)
                return;
        document = read_yaml(text);
        if (put(reconciler, document_root(document), &err) < 0)
                fail_msg("%s: %s", text, err.text);
        document_free(document);
}

/* The verdict about the pod; NULL = there is none. */
static struct client_eviction_verdict decide(const struct eviction_reconciler *reconciler,
                                             const char *pod_text,
                                             const struct client_eviction *call) {
        struct document *document = pod_text ? read_yaml(pod_text) : NULL;
        struct client_eviction_verdict verdict;
        struct eviction_pod pod;
        struct arena arena;

        arena_init(&arena, 0);
        if (document)
                assert_int_equal(eviction_pod_decode(document_root(document), &arena, &pod, NULL),
                                 0);
        verdict = client_eviction_decide(reconciler, document ? &pod : NULL, call, now);
        assert_true(!verdict.waits || slice_is(verdict.pod_uid, UID));
        verdict.pod_uid = SLICE_EMPTY;
        arena_release(&arena);
        document_free(document);
        return verdict;
}

#define POD(labels, status)                                                                        \
        "{metadata: {namespace: d, name: a, uid: " UID ", labels: {" labels                        \
        "}}, spec: {nodeName: n}, status: {" status "}}"
#define RUNNING POD("app: db", "phase: Running")
#define POLICY(more)                                                                               \
        "{metadata: {namespace: d, name: p}, spec: {selector: {matchLabels: {app: db}}" more       \
        ", stages: [{name: one, kind: exec, exec: {command: x}}, {name: two, kind: evict}]}}"
#define STAGER "stages.lifecycle.berth.dev/responder"
#define STARTED "startTime: '2026-01-01T11:59:00Z'"
/* An Eviction with the stager and the default responder. */
#define EVICTION(stager_state, stager, evictor_state, more)                                        \
        "{metadata: {namespace: d, name: pod-1-a, uid: e1, creationTimestamp: "                    \
        "'2026-01-01T11:59:00Z'}, spec: {target: {pod: {name: a, uid: " UID                        \
        "}}}, status: {observedGeneration: 1, targetResponders: [{name: " STAGER                   \
        ", priority: 5000, state: " stager_state                                                   \
        "}, {name: imperative-eviction.k8s.io/evictor, priority: 100, state: " evictor_state       \
        "}], responders: [{name: " STAGER ", " stager                                              \
        "}, {name: imperative-eviction.k8s.io/evictor}]" more "}}"
#define AT(stage) "message: '" stage " policy=p attempt=1 done=0 open=1'"
#define CALLED_OFF(at)                                                                             \
        ", conditions: [{type: Failed, status: 'True', reason: CanceledDueToNoRequesters, "        \
        "lastTransitionTime: '2026-01-01T" at "Z'}, {type: TargetEvicted, status: 'False', "       \
        "reason: EvictionFailed, lastTransitionTime: '2026-01-01T" at "Z'}]"
#define ENDED STARTED ", completionTime: '2026-01-01T11:59:30Z'"
#define WANTED                                                                                     \
        ", requesters: [{name: clients.berth.dev/kubernetes-admin, intent: Withdrawn}, {name: "    \
        "reboot.berth.dev/drain, intent: Eviction}]"
#define REQUEST_OF(name, intent, deadline, status)                                                 \
        "{metadata: {namespace: d, name: " name                                                    \
        ", uid: r1, generation: 1, annotations: {lifecycle.berth.dev/deadline: "                   \
        "'2026-01-01T" deadline "Z'}}, spec: {target: {pod: {name: a, uid: " UID                   \
        "}}, requester: clients.berth.dev/kubernetes-admin, intent: " intent "}, status: {" status \
        "}}"
#define HEARD "observedGeneration: 1"

struct client_case {
        const char *name, *pod, *policy, *eviction;
        const char *intent, *deadline, *status; /* of the client's request; NULL = none */
        const char *uid;                        /* precondition */
        bool is_dry_run;
        bool waits;
        enum client_eviction_request request;
        const char *text; /* among what is told */
};

static const struct client_case cases[] = {
        { .name = "no policy", .pod = RUNNING },
        { .name = "a policy for other pods",
          .pod = POD("app: web", "phase: Running"),
          .policy = POLICY("") },
        { .name = "no such pod", .policy = POLICY("") },
        { .name = "a policy that lets others pass",
          .pod = RUNNING,
          .policy = POLICY(", otherClients: Pass") },
        { .name = "the first call",
          .pod = RUNNING,
          .policy = POLICY(""),
          .waits = true,
          .request = CLIENT_REQUEST_OPENS,
          .text = "by EvictionPolicy \"p\": its stages are about to begin" },
        { .name = "said so",
          .pod = RUNNING,
          .policy = POLICY(", otherClients: Wait"),
          .waits = true,
          .request = CLIENT_REQUEST_OPENS },
        { .name = "a dry run writes nothing",
          .pod = RUNNING,
          .policy = POLICY(""),
          .is_dry_run = true,
          .waits = true },
        { .name = "its own pod by uid",
          .pod = RUNNING,
          .policy = POLICY(""),
          .uid = UID,
          .waits = true,
          .request = CLIENT_REQUEST_OPENS },
        { .name = "another pod of that name: the server refuses it",
          .pod = RUNNING,
          .policy = POLICY(""),
          .uid = OTHER_UID },
        { .name = "pending: nothing to hand over",
          .pod = POD("app: db", "phase: Pending"),
          .policy = POLICY("") },
        { .name = "finished", .pod = POD("app: db", "phase: Succeeded"), .policy = POLICY("") },
        { .name = "on its way out",
          .pod = "{metadata: {namespace: d, name: a, uid: " UID
                 ", labels: {app: db}, deletionTimestamp: '2026-01-01T11:00:00Z'}, spec: {}, "
                 "status: {phase: Running}}",
          .policy = POLICY("") },
        { .name = "a daemon's: nobody evicts those",
          .pod = "{metadata: {namespace: d, name: a, uid: " UID
                 ", labels: {app: db}, ownerReferences: [{kind: DaemonSet, name: x, controller: "
                 "true}]}, spec: {}, status: {phase: Running}}",
          .policy = POLICY("") },
        { .name = "nobody has looked at the request",
          .pod = RUNNING,
          .policy = POLICY(""),
          .intent = "Eviction",
          .deadline = "12:09:00",
          .status = "",
          .waits = true,
          .text = "waits for a controller (berth evictions)" },
        { .name = "it waits for a slot",
          .pod = RUNNING,
          .policy = POLICY(""),
          .intent = "Eviction",
          .deadline = "12:09:00",
          .status = HEARD ", conditions: [{type: Failed, status: 'False', reason: "
                          "AwaitingEviction, lastTransitionTime: '2026-01-01T11:59:00Z', message: "
                          "waiting for a slot of its node}, {type: TargetEvicted, status: 'False', "
                          "reason: AwaitingEviction, lastTransitionTime: '2026-01-01T11:59:00Z', "
                          "message: waiting for a slot of its node}]",
          .waits = true,
          .text = "waiting for a slot of its node" },
        { .name = "half of its time is over: moved on",
          .pod = RUNNING,
          .policy = POLICY(""),
          .intent = "Eviction",
          .deadline = "12:04:59",
          .status = HEARD,
          .waits = true,
          .request = CLIENT_REQUEST_RENEWS },
        { .name = "a request that cannot be followed holds nobody up",
          .pod = RUNNING,
          .policy = POLICY(""),
          .intent = "Eviction",
          .deadline = "12:09:00",
          .status = HEARD ", conditions: [{type: Failed, status: 'True', reason: EvictionInvalid, "
                          "lastTransitionTime: '2026-01-01T11:59:00Z'}, {type: TargetEvicted, "
                          "status: 'False', reason: EvictionFailed, lastTransitionTime: "
                          "'2026-01-01T11:59:00Z'}]" },
        { .name = "somebody else's eviction is at a stage: joined",
          .pod = RUNNING,
          .policy = POLICY(""),
          .eviction = EVICTION("Active", STARTED ", " AT("stage=1/2 name=one"), "Inactive", ""),
          .waits = true,
          .request = CLIENT_REQUEST_OPENS,
          .text = "stage 1 of 2 (one)" },
        { .name = "what its hook says, and when it ends",
          .pod = RUNNING,
          .policy = POLICY(""),
          .eviction = EVICTION("Active",
                               STARTED ", expectedCompletionTime: '2026-01-01T12:30:00Z', message: "
                                       "'stage=1/2 policy=p attempt=1; half way'",
                               "Inactive", ""),
          .waits = true,
          .request = CLIENT_REQUEST_OPENS,
          .text = "(one): half way (expected to end at 2026-01-01T12:30:00Z)" },
        { .name = "its stages have not been begun",
          .pod = RUNNING,
          .policy = POLICY(""),
          .eviction = EVICTION("Inactive", "message: ''", "Inactive", ""),
          .waits = true,
          .request = CLIENT_REQUEST_OPENS,
          .text = "about to begin" },
        { .name = "undone before it declines",
          .pod = RUNNING,
          .policy = POLICY(""),
          .eviction = EVICTION("Active", STARTED ", " AT("undo=1/2"), "Inactive", ""),
          .waits = true,
          .request = CLIENT_REQUEST_OPENS,
          .text = "finished stages are undone" },
        { .name = "the last stage is the call itself",
          .pod = RUNNING,
          .policy = POLICY(""),
          .eviction = EVICTION("Active", STARTED ", " AT("stage=2/2 name=two"), "Inactive", "") },
        { .name = "stages over, to be written down",
          .pod = RUNNING,
          .policy = POLICY(""),
          .eviction = EVICTION("Active",
                               STARTED ", completionTime: '2026-01-01T12:00:00Z', " AT("stage=1/2"),
                               "Inactive", "") },
        { .name = "stages over: the evictor is Active",
          .pod = RUNNING,
          .policy = POLICY(""),
          .eviction = EVICTION("Completed", STARTED, "Active", "") },
        { .name = "stages given up by their responder: the evictor is Active",
          .pod = RUNNING,
          .policy = POLICY(""),
          .eviction = EVICTION("Interrupted", STARTED, "Active", "") },
        { .name = "an Eviction that began before there was a policy",
          .pod = RUNNING,
          .policy = POLICY(""),
          .eviction = "{metadata: {namespace: d, name: pod-1-a, uid: e1}, spec: {target: {pod: "
                      "{name: a, uid: " UID
                      "}}}, status: {observedGeneration: 1, targetResponders: [{name: "
                      "imperative-eviction.k8s.io/evictor, priority: 100, state: Active}], "
                      "responders: [{name: imperative-eviction.k8s.io/evictor, " STARTED "}]}}" },
        { .name = "a virtual machine is moved by this very call",
          .pod = RUNNING,
          .policy = POLICY(""),
          .eviction =
                  "{metadata: {namespace: d, name: pod-1-a, uid: e1}, spec: {target: {pod: {name: "
                  "a, uid: " UID "}}}, status: {observedGeneration: 1, targetResponders: [{name: "
                  "kubevirt.lifecycle.berth.dev/live-migrate, priority: 10000, state: Active}, "
                  "{name: " STAGER ", priority: 5000, state: Inactive}], responders: [{name: "
                  "kubevirt.lifecycle.berth.dev/live-migrate, " STARTED "}, {name: " STAGER
                  "}]}}" },
        { .name = "called off a moment ago",
          .pod = RUNNING,
          .policy = POLICY(""),
          .eviction = EVICTION("Canceled", STARTED, "Inactive", CALLED_OFF("11:59:30")),
          .intent = "Withdrawn",
          .deadline = "11:59:30",
          .status = HEARD,
          .waits = true,
          .text = "it was called off; its stages begin again within a minute" },
        { .name = "withdrawn, and not called off yet",
          .pod = RUNNING,
          .policy = POLICY(""),
          .eviction = EVICTION("Active", STARTED ", " AT("stage=1/2"), "Inactive", ""),
          .intent = "Withdrawn",
          .deadline = "11:59:30",
          .status = HEARD,
          .waits = true,
          .text = "it was called off" },
        { .name = "withdrawn, but others want it: its stages are over, and this is the controller",
          .pod = RUNNING,
          .policy = POLICY(""),
          .eviction = EVICTION("Completed", ENDED, "Active", WANTED),
          .intent = "Withdrawn",
          .deadline = "11:59:30",
          .status = HEARD },
        { .name = "withdrawn, but others want it: asked again",
          .pod = RUNNING,
          .policy = POLICY(""),
          .eviction = EVICTION("Active", STARTED ", " AT("stage=1/2"), "Inactive", WANTED),
          .intent = "Withdrawn",
          .deadline = "11:59:30",
          .status = HEARD,
          .waits = true,
          .request = CLIENT_REQUEST_RENEWS,
          .text = "stage 1 of 2" },
        { .name = "called off before the clock was set back",
          .pod = RUNNING,
          .policy = POLICY(""),
          .eviction = EVICTION("Canceled", STARTED, "Inactive", CALLED_OFF("12:30:00")),
          .intent = "Withdrawn",
          .deadline = "12:29:00",
          .status = HEARD,
          .waits = true,
          .request = CLIENT_REQUEST_RENEWS },
        { .name = "called off a minute ago: asked again",
          .pod = RUNNING,
          .policy = POLICY(""),
          .eviction = EVICTION("Canceled", STARTED, "Inactive", CALLED_OFF("11:59:00")),
          .intent = "Withdrawn",
          .deadline = "11:59:00",
          .status = HEARD,
          .waits = true,
          .request = CLIENT_REQUEST_RENEWS },
        { .name = "another client's was called off: this one asks",
          .pod = RUNNING,
          .policy = POLICY(""),
          .eviction = EVICTION("Canceled", STARTED, "Inactive", CALLED_OFF("11:59:30")),
          .waits = true,
          .request = CLIENT_REQUEST_OPENS },
};

static void put_request(struct eviction_reconciler *reconciler, const struct client_case *c) {
        char name[CLIENT_EVICTION_NAME_MAX], text[2000];

        if (!c->intent)
                return;
        client_eviction_request_name(SLICE_LITERAL(USER), SLICE_LITERAL(UID), name);
        snprintf(text, sizeof(text), REQUEST_OF("%s", "%s", "%s", "%s"), name, c->deadline,
                 c->intent, c->status);
        feed(reconciler, text, eviction_reconciler_put_request);
}

static void test_decides(void **state) {
        (void)state;
        for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
                const struct client_case *c = &cases[i];
                struct client_eviction call = { .ns = SLICE_LITERAL("d"),
                                                .name = SLICE_LITERAL("a"),
                                                .user = SLICE_LITERAL(USER),
                                                .uid = slice_of(c->uid),
                                                .is_dry_run = c->is_dry_run };
                struct eviction_reconciler *reconciler =
                        eviction_reconciler_new(&(struct eviction_reconciler_config){ 0 });
                struct client_eviction_verdict verdict;

                feed(reconciler, c->policy, eviction_reconciler_put_policy);
                feed(reconciler, c->eviction, eviction_reconciler_put_eviction);
                put_request(reconciler, c);
                verdict = decide(reconciler, c->pod, &call);
                if (verdict.waits != c->waits || (c->waits && verdict.request != c->request))
                        fail_msg("%s: waits %d, request %d: %s", c->name, verdict.waits,
                                 verdict.request, verdict.text);
                if (c->text && !strstr(verdict.text, c->text))
                        fail_msg("%s: \"%s\"", c->name, verdict.text);
                assert_true(!c->waits || strstr(verdict.text, EVICTION_MOVING_TEXT));
                eviction_reconciler_free(reconciler);
        }
}

/* The best policy counts, and the one an Eviction began with says where it stands. */
static void test_two_policies(void **state) {
        struct eviction_reconciler *reconciler =
                eviction_reconciler_new(&(struct eviction_reconciler_config){ 0 });
        struct client_eviction call = { .ns = SLICE_LITERAL("d"),
                                        .name = SLICE_LITERAL("a"),
                                        .user = SLICE_LITERAL(USER) };

        (void)state;
        feed(reconciler, POLICY(""), eviction_reconciler_put_policy);
        feed(reconciler,
             "{metadata: {namespace: d, name: best}, spec: {selector: {}, precedence: 1, "
             "otherClients: Pass, stages: [{name: x, kind: evict}]}}",
             eviction_reconciler_put_policy);
        assert_false(decide(reconciler, RUNNING, &call).waits);
        feed(reconciler,
             "{metadata: {namespace: d, name: best}, spec: {selector: {}, precedence: 1, "
             "stages: [{name: x, kind: evict}]}}",
             eviction_reconciler_put_policy);
        feed(reconciler, EVICTION("Active", STARTED ", " AT("stage=1/2 name=one"), "Inactive", ""),
             eviction_reconciler_put_eviction);
        assert_non_null(strstr(decide(reconciler, RUNNING, &call).text, "stage 1 of 2 (one)"));
        eviction_reconciler_free(reconciler);
}

static void test_names(void **state) {
        static const struct {
                const char *user, *requester;
        } users[] = {
                { "kubernetes-admin", "clients.berth.dev/kubernetes-admin" },
                { "jo@example.com", "clients.berth.dev/jo.example.com-" },
                { "system:serviceaccount:kube-system:cluster-autoscaler",
                  "clients.berth.dev/system.serviceaccount.kube-system.cluster-autoscaler-" },
                { "-", "clients.berth.dev/x-" },
                { "", "clients.berth.dev/x-" },
                { "\xc3\xa9", "clients.berth.dev/xx-" },
                { "a/../../b\"{}", "clients.berth.dev/a." },
        };
        char name[CLIENT_EVICTION_REQUESTER_MAX], again[CLIENT_EVICTION_REQUESTER_MAX];

        (void)state;
        for (size_t i = 0; i < ARRAY_LEN(users); i++) {
                client_eviction_requester(slice_of(users[i].user), name);
                if (strncmp(name, users[i].requester, strlen(users[i].requester)) != 0)
                        fail_msg("%s: %s", users[i].user, name);
                if (eviction_requester_problem(slice_of(name)))
                        fail_msg("%s: %s", name, eviction_requester_problem(slice_of(name)));
                assert_true(client_eviction_is_requester(slice_of(name)));
        }
        client_eviction_requester(SLICE_LITERAL("a:b"), name);
        client_eviction_requester(SLICE_LITERAL("a/b"), again);
        assert_string_not_equal(name, again);
        assert_false(client_eviction_is_requester(SLICE_LITERAL("clients.berth.dev.x/y")));
}

/* Any user, however long and whatever its bytes, gives names that the API takes. */
static void test_any_user(void **state) {
        char user[300], name[CLIENT_EVICTION_REQUESTER_MAX], request[CLIENT_EVICTION_NAME_MAX];

        (void)state;
        for (size_t len = 0; len < sizeof(user); len++) {
                for (size_t i = 0; i < len; i++)
                        user[i] = (char)(len * 7 + i * 13);
                client_eviction_requester(slice_make(user, len), name);
                assert_null(eviction_requester_problem(slice_of(name)));
                client_eviction_request_name(slice_make(user, len), SLICE_LITERAL(UID), request);
                assert_int_equal(strlen(request), strlen("client-" UID "-12345678"));
        }
}

static void test_writes(void **state) {
        struct client_eviction call = { .ns = SLICE_LITERAL("d"),
                                        .name = SLICE_LITERAL("a"),
                                        .user = SLICE_LITERAL("jo\"e") };
        struct eviction_request *request = NULL;
        struct json_doc *doc = NULL;
        const struct json *owner;
        struct buf text = { 0 };
        struct err err = { 0 };

        (void)state;
        client_eviction_write(&call, SLICE_LITERAL(UID), EVICTION_GROUP_NATIVE, now, &text);
        assert_int_equal(json_parse(buf_view(&text), &doc, &err), 0);
        assert_true(slice_is(json_get_text(json_doc_root(doc), "apiVersion"),
                             "lifecycle.k8s.io/v1alpha1"));
        owner = json_at(json_get(json_get(json_doc_root(doc), "metadata"), "ownerReferences"), 0);
        assert_true(slice_is(json_get_text(owner, "uid"), UID));
        assert_int_equal(eviction_request_decode(json_doc_root(doc), &request, &err), 0);
        assert_int_equal(eviction_request_check(request, &err), 0);
        assert_int_equal(request->intent, EVICTION_INTENT_EVICT);
        assert_int_equal(request->deadline.ns - now.ns, CLIENT_EVICTION_PATIENCE_NS);
        eviction_request_free(request);
        json_doc_free(doc);
        buf_clear(&text);
        client_eviction_renewal_write(now, &text);
        assert_true(slice_is(buf_view(&text),
                             "{\"metadata\":{\"annotations\":{\"lifecycle.berth.dev/deadline\":"
                             "\"2026-01-01T12:10:00Z\"}},\"spec\":{\"intent\":\"Eviction\"}}"));
        buf_release(&text);
}

int main(void) {
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(test_decides), cmocka_unit_test(test_two_policies),
                cmocka_unit_test(test_names),   cmocka_unit_test(test_any_user),
                cmocka_unit_test(test_writes),
        };

        return cmocka_run_group_tests(tests, NULL, NULL);
}
