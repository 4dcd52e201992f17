/* Controllers whose writes are for webhooks to judge. The webhooks are the test: it answers what
 * they are asked. */
#include "base/base64.h"
#include "cluster.h"

#define CALLS_MAX 16
#define GROUP "/apis/admissionregistration.k8s.io/v1/"
#define SETS "/apis/apps/v1/namespaces/default/replicasets"
#define R SETS "/r"
#define SET(replicas)                                                                              \
        "{'metadata':{'name':'r'},'spec':{'replicas':" replicas ",'selector':{'matchLabels':{"     \
        "'a':'b'}},'template':{'metadata':{'labels':{'a':'b'}},'spec':{'containers':[{'name':'c'," \
        "'image':'i'}]}}}}"

struct webhook_request {
        char uid[64], username[128];
        void (*done)(void *context, const struct api_reply *reply);
        void *context;
        bool is_over;
};

static struct {
        struct webhook_request items[CALLS_MAX];
        size_t count;
} calls;

static void copy_text(char *to, size_t size, struct slice text) {
        snprintf(to, size, SLICE_FMT, SLICE_ARG(text));
}

static struct webhook_request *take_call(void *self, const struct webhook_call *call,
                                         void (*done)(void *context, const struct api_reply *reply),
                                         void *context) {
        struct webhook_request *item = &calls.items[calls.count++];
        struct json_doc *review = NULL;
        const struct json *request;

        (void)self;
        assert_true(calls.count < CALLS_MAX);
        assert_int_equal(json_parse(call->body, &review, NULL), 0);
        request = json_get(json_doc_root(review), "request");
        *item = (struct webhook_request){ .done = done, .context = context };
        copy_text(item->uid, sizeof(item->uid), json_get_text(request, "uid"));
        copy_text(item->username, sizeof(item->username),
                  json_get_text(json_get(request, "userInfo"), "username"));
        json_doc_free(review);
        return item;
}

static void cancel_call(void *self, struct webhook_request *item) {
        (void)self;
        assert_false(item->is_over);
        item->is_over = true;
}

static struct cluster start(const char *controllers) {
        static const struct webhook_caller caller = { take_call, cancel_call, NULL };

        calls.count = 0;
        return cluster_new_with(controllers, &caller);
}

/* kind: mutating or validating; resource: pods, pods/status, ... */
static void judge(struct cluster *c, const char *kind, const char *resource, const char *more) {
        char path[128], body[1024];

        snprintf(path, sizeof(path), GROUP "%swebhookconfigurations", kind);
        snprintf(body, sizeof(body),
                 "{'metadata':{'name':'w'},'webhooks':[{'name':'w.example.com','clientConfig':{"
                 "'url':'https://127.0.0.1:1/'},'sideEffects':'None','admissionReviewVersions':["
                 "'v1'],'rules':[{'operations':['CREATE','UPDATE'],'apiGroups':[''],"
                 "'apiVersions':['v1'],'resources':['%s']}]%s}]}",
                 resource, more);
        assert_int_equal(cluster_post(c, path, body), 201);
}

static size_t open_calls(void) {
        size_t count = 0;

        for (size_t i = 0; i < calls.count; i++)
                count += !calls.items[i].is_over;
        return count;
}

/* Answers the oldest call that is open; members of the response behind its uid. */
static void answer(struct cluster *c, const char *members) {
        struct api_reply reply = { .status = 200, .retry_after_s = -1 };
        char body[1024];
        size_t i = 0;

        while (i < calls.count && calls.items[i].is_over)
                i++;
        assert_true(i < calls.count);
        snprintf(body, sizeof(body), "{\"response\":{\"uid\":\"%s\",%s}}", calls.items[i].uid,
                 members);
        reply.body = slice_of(body);
        calls.items[i].is_over = true;
        calls.items[i].done(calls.items[i].context, &reply);
        virtual_loop_run(c->loop);
}
#define ALLOWED "\"allowed\":true"
#define DENIED "\"allowed\":false,\"status\":{\"message\":\"not today\"}"

static void test_creates_wait(void **state) {
        struct cluster c = start("replicaset");
        struct buf members = { 0 };

        (void)state;
        buf_text(&members, ALLOWED ",\"patchType\":\"JSONPatch\",\"patch\":\"");
        base64_encode(SLICE_LITERAL("[{\"op\":\"add\",\"path\":\"/metadata/labels/seen\","
                                    "\"value\":\"yes\"}]"),
                      BASE64_STANDARD, &members);
        buf_char(&members, '"');
        judge(&c, "mutating", "pods", "");
        assert_int_equal(cluster_post(&c, SETS, SET("2")), 201);
        assert_int_equal(cluster_count(&c, PODS), 0);
        assert_int_equal(open_calls(), 1);
        assert_false(control_is_settled(c.control));
        assert_string_equal(calls.items[0].username, "system:kube-controller-manager");
        assert_string_equal(cluster_event(&c, "r", "FailedCreate"), "gone");
        answer(&c, members.data);
        assert_int_equal(cluster_count(&c, PODS), 1);
        assert_string_equal(cluster_item(&c, PODS, 0, "/metadata/labels/seen"), "yes");
        assert_int_equal(open_calls(), 1);
        answer(&c, members.data);
        assert_int_equal(cluster_count(&c, PODS), 2);
        assert_int_equal(calls.count, 2);
        assert_string_equal(cluster_field(&c, R, "/status/replicas"), "2");
        assert_int_equal(cluster_count(&c, "/api/v1/events?fieldSelector=reason%3D"
                                           "SuccessfulCreate"),
                         2);
        assert_true(control_is_settled(c.control));
        buf_release(&members);
        cluster_free(&c);
}

static void test_denials_are_reported(void **state) {
        struct cluster c = start("replicaset");

        (void)state;
        judge(&c, "validating", "pods", "");
        assert_int_equal(cluster_post(&c, SETS, SET("1")), 201);
        answer(&c, DENIED);
        assert_int_equal(cluster_count(&c, PODS), 0);
        assert_non_null(strstr(cluster_event(&c, "r", "FailedCreate"), "not today"));
        assert_non_null(strstr(cluster_field(&c, R,
                                             "/status/conditions/type=ReplicaFailure/"
                                             "message"),
                               "admission webhook \"w.example.com\" denied the request"));
        cluster_wait(&c, 1000); /* and tried again */
        assert_int_equal(open_calls(), 1);
        answer(&c, ALLOWED);
        cluster_wait(&c, 1000);
        assert_int_equal(cluster_count(&c, PODS), 1);
        assert_int_equal(open_calls(), 0);
        cluster_free(&c);
}

/* Nobody wants the pod any more when the answer comes. */
static void test_what_is_not_wanted(void **state) {
        struct cluster c = start("replicaset");

        (void)state;
        judge(&c, "validating", "pods", "");
        assert_int_equal(cluster_post(&c, SETS, SET("1")), 201);
        assert_int_equal(cluster_merge(&c, R, "{'spec':{'replicas':0}}"), 200);
        assert_int_equal(calls.count, 1);
        answer(&c, ALLOWED);
        assert_int_equal(cluster_count(&c, PODS), 0);
        assert_string_equal(cluster_field(&c, R, "/status/observedGeneration"), "2");
        assert_true(control_is_settled(c.control));
        cluster_free(&c);
}

/* Events wait for themselves alone. */
static void test_events_hold_nothing_up(void **state) {
        struct cluster c = start("replicaset");

        (void)state;
        judge(&c, "validating", "events", "");
        assert_int_equal(cluster_post(&c, SETS, SET("2")), 201);
        assert_int_equal(cluster_count(&c, PODS), 2);
        assert_int_equal(open_calls(), 2);
        assert_string_equal(cluster_event(&c, "r", "SuccessfulCreate"), "gone");
        answer(&c, ALLOWED);
        answer(&c, DENIED);
        assert_int_equal(cluster_count(&c, "/api/v1/events?fieldSelector=reason%3D"
                                           "SuccessfulCreate"),
                         1);
        cluster_free(&c);
}

static void test_kubelets_wait(void **state) {
        struct cluster c = start("kubelet");

        (void)state;
        judge(&c, "validating", "pods/status", ",'failurePolicy':'Fail'");
        assert_int_equal(cluster_post(&c, PODS,
                                      "{'metadata':{'name':'p'},'spec':{'nodeName':'n0',"
                                      "'containers':[{'name':'c','image':'i'}]}}"),
                         201);
        cluster_wait(&c, 1000);
        assert_string_equal(cluster_field(&c, PODS "/p", "/status/phase"), "Pending");
        assert_int_equal(open_calls(), 1);
        for (int i = 0; i < 4 && open_calls(); i++) {
                answer(&c, i ? ALLOWED : DENIED);
                cluster_wait(&c, 1000);
        }
        assert_int_equal(open_calls(), 0);
        assert_string_equal(cluster_field(&c, PODS "/p", "/status/phase"), "Running");
        cluster_free(&c);
}

static void test_end_while_waiting(void **state) {
        struct cluster c = start("replicaset");

        (void)state;
        judge(&c, "validating", "*", "");
        assert_int_equal(cluster_post(&c, SETS, SET("1")), 201);
        assert_int_equal(open_calls(), 1);
        cluster_free(&c);
        assert_int_equal(open_calls(), 0);
}

int main(void) {
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(test_creates_wait),
                cmocka_unit_test(test_denials_are_reported),
                cmocka_unit_test(test_what_is_not_wanted),
                cmocka_unit_test(test_events_hold_nothing_up),
                cmocka_unit_test(test_kubelets_wait),
                cmocka_unit_test(test_end_while_waiting),
        };

        return cmocka_run_group_tests(tests, NULL, NULL);
}
