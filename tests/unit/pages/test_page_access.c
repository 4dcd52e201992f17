/* Who may read pages: reviews asked of a scripted cluster, at a clock of the test. */
#include "pages/page_access.h"

#include "base/util.h"
#include "pages/page_identity.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define ALLOWED "{\"status\":{\"allowed\":true}}"
#define DENIED "{\"status\":{\"allowed\":false}}"
#define ANA                                                                                        \
        "{\"status\":{\"authenticated\":true,\"user\":{\"username\":\"ana\",\"uid\":\"7\","        \
        "\"groups\":[\"ops\",\"system:authenticated\"],\"extra\":{\"k\":[\"v\"]}}}}"
#define MASTER                                                                                     \
        "{\"status\":{\"authenticated\":true,\"user\":{\"username\":\"root\","                     \
        "\"groups\":[\"system:masters\"]}}}"
#define NOBODY "{\"status\":{\"error\":\"unknown token\"}}"
#define BROKEN "" /* no answer */

/* Answers calls in their order when told to; what was asked is kept. */
struct cluster {
        struct loop loop;
        struct mono_time now;
        struct transport transport;
        const char *answers[4];
        size_t answer_at, call_count, ready_count, cancel_count;
        char path[128], body[512];
        void (*done)(void *context, const struct api_reply *reply);
        void *context;
};

static struct mono_time now(void *self) {
        return ((struct cluster *)self)->now;
}

static struct api_request *call(void *self, const struct api_call *call,
                                void (*done)(void *context, const struct api_reply *reply),
                                void *context) {
        struct cluster *cluster = self;

        cluster->call_count++;
        snprintf(cluster->path, sizeof(cluster->path), SLICE_FMT, SLICE_ARG(call->path));
        snprintf(cluster->body, sizeof(cluster->body), SLICE_FMT, SLICE_ARG(call->body));
        cluster->done = done;
        cluster->context = context;
        return self; /* any address will do */
}

static void cancel(void *self, struct api_request *request) {
        (void)request;
        ((struct cluster *)self)->cancel_count++;
        ((struct cluster *)self)->done = NULL;
}

static struct wall_time wall_now(void *self) {
        (void)self;
        return (struct wall_time){ 0 };
}

static const struct loop_ops loop_ops = { .mono = now, .wall = wall_now };
static const struct transport_ops transport_ops = { .call = call, .cancel = cancel };

static void cluster_init(struct cluster *cluster) {
        *cluster = (struct cluster){ .loop = { &loop_ops, cluster },
                                     .transport = { &transport_ops, cluster } };
}

static struct page_access *access_new(struct cluster *cluster) {
        return page_access_new(&(struct page_access_config){
                .loop = &cluster->loop,
                .authentication = cluster->transport,
                .authorization = cluster->transport,
                .open_paths = SLICE_LITERAL("/healthz, livez,/open/*"),
                .token_ttl_ns = 10 * NS_PER_S,
                .allowed_ttl_ns = 10 * NS_PER_S,
                .denied_ttl_ns = 5 * NS_PER_S });
}

static void on_ready(void *context) {
        ((struct cluster *)context)->ready_count++;
}

static void answer_all(struct cluster *cluster) {
        while (cluster->done) {
                const char *text = cluster->answers[cluster->answer_at++];
                void (*done)(void *, const struct api_reply *) = cluster->done;
                struct api_reply reply = { .status = *text ? 201 : 0, .body = slice_of(text) };

                if (!*text)
                        err_set(&reply.error, BERTH_ERR_UNAVAILABLE, "no connection");
                cluster->done = NULL;
                done(cluster->context, &reply);
        }
}

static struct page_visit *visit(struct cluster *cluster, struct page_access *access,
                                const char *header, const char *path) {
        struct page_question question = { slice_of(header), SLICE_LITERAL("GET"), slice_of(path) };
        struct page_visit *visit = page_visit_new(access, &question, on_ready, cluster);

        answer_all(cluster);
        return visit;
}

static const struct {
        const char *name, *header, *path;
        const char *answers[2];
        size_t calls;
        int status;
        const char *message;
} decisions[] = {
        { "allowed", "Bearer t", "/metrics", { ANA, ALLOWED }, 2, 200, "" },
        { "scheme in any case", "bEaReR t", "/metrics", { ANA, ALLOWED }, 2, 200, "" },
        { "denied",
          "Bearer t",
          "/metrics",
          { ANA, DENIED },
          2,
          403,
          "forbidden: User \"ana\" cannot get path \"/metrics\"" },
        { "unknown token", "Bearer t", "/metrics", { NOBODY }, 1, 401, "Unauthorized" },
        { "unknown token, open path", "Bearer t", "/healthz", { NOBODY }, 1, 401, "Unauthorized" },
        { "review broken", "Bearer t", "/metrics", { BROKEN }, 1, 401, "Unauthorized" },
        { "review senseless", "Bearer t", "/metrics", { "<html>" }, 1, 401, "Unauthorized" },
        { "access broken",
          "Bearer t",
          "/metrics",
          { ANA, BROKEN },
          2,
          500,
          "Internal Server Error: \"/metrics\": no connection" },
        { "anonymous",
          "",
          "/metrics",
          { DENIED },
          1,
          403,
          "forbidden: User \"system:anonymous\" cannot get path \"/metrics\"" },
        { "anonymous may", "", "/metrics", { ALLOWED }, 1, 200, "" },
        { "no bearer",
          "Basic dDp0",
          "/metrics",
          { DENIED },
          1,
          403,
          "forbidden: User \"system:anonymous\" cannot get path \"/metrics\"" },
        { "open path", "", "/healthz", { NULL }, 0, 200, "" },
        { "open path without slash", "", "/livez", { NULL }, 0, 200, "" },
        { "open below", "", "/open/x/y", { NULL }, 0, 200, "" },
        { "not below",
          "",
          "/healthz/ping",
          { DENIED },
          1,
          403,
          "forbidden: User \"system:anonymous\" cannot get path \"/healthz/ping\"" },
        { "masters", "Bearer t", "/metrics", { MASTER }, 1, 200, "" },
};

static void the_cluster_decides(void **state) {
        (void)state;
        for (size_t i = 0; i < ARRAY_LEN(decisions); i++) {
                struct cluster cluster;
                struct page_access *access;
                struct page_visit *seen;

                cluster_init(&cluster);
                memcpy(cluster.answers, decisions[i].answers, sizeof(decisions[i].answers));
                access = access_new(&cluster);
                seen = visit(&cluster, access, decisions[i].header, decisions[i].path);
                if (page_visit_status(seen) != decisions[i].status ||
                    cluster.call_count != decisions[i].calls ||
                    cluster.ready_count != (decisions[i].calls > 0) ||
                    !slice_is(page_visit_message(seen), decisions[i].message))
                        fail_msg("%s: status %d after %zu calls: " SLICE_FMT, decisions[i].name,
                                 page_visit_status(seen), cluster.call_count,
                                 SLICE_ARG(page_visit_message(seen)));
                page_visit_free(seen);
                page_access_free(access);
        }
}

static void reviews_name_the_user(void **state) {
        struct cluster cluster;
        struct page_access *access;

        (void)state;
        cluster_init(&cluster);
        cluster.answers[0] = ANA;
        cluster.answers[1] = ALLOWED;
        access = access_new(&cluster);
        page_visit_free(visit(&cluster, access, "Bearer t", "/metrics"));
        assert_string_equal(cluster.path, "/apis/authorization.k8s.io/v1/subjectaccessreviews");
        assert_string_equal(
                cluster.body,
                "{\"kind\":\"SubjectAccessReview\",\"apiVersion\":\"authorization.k8s.io/v1\","
                "\"spec\":{\"user\":\"ana\",\"uid\":\"7\",\"groups\":[\"ops\","
                "\"system:authenticated\"],\"extra\":{\"k\":[\"v\"]},"
                "\"nonResourceAttributes\":{\"path\":\"/metrics\",\"verb\":\"get\"}}}");
        page_access_free(access);
}

static void answers_count_for_a_while(void **state) {
        static const struct {
                const char *name;
                const char *answers[4];
                int64_t wait_ns;
                size_t calls; /* of the second visit */
        } cases[] = {
                { "allowed", { ANA, ALLOWED }, 9 * NS_PER_S, 0 },
                { "allowed, over", { ANA, ALLOWED, ANA, ALLOWED }, 10 * NS_PER_S, 2 },
                { "denied", { ANA, DENIED }, 4 * NS_PER_S, 0 },
                { "denied, over", { ANA, DENIED, DENIED }, 5 * NS_PER_S, 1 },
                { "nobody", { NOBODY }, 9 * NS_PER_S, 0 },
                { "nobody, over", { NOBODY, NOBODY }, 10 * NS_PER_S, 1 },
                { "broken", { BROKEN, BROKEN }, 0, 1 },
        };

        (void)state;
        for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
                struct cluster cluster;
                struct page_access *access;
                struct page_visit *first, *second;
                size_t calls;

                cluster_init(&cluster);
                memcpy(cluster.answers, cases[i].answers, sizeof(cases[i].answers));
                access = access_new(&cluster);
                first = visit(&cluster, access, "Bearer t", "/metrics");
                calls = cluster.call_count;
                cluster.now.ns += cases[i].wait_ns;
                second = visit(&cluster, access, "Bearer t", "/metrics");
                if (cluster.call_count - calls != cases[i].calls ||
                    page_visit_status(first) != page_visit_status(second))
                        fail_msg("%s: %zu calls", cases[i].name, cluster.call_count - calls);
                page_visit_free(first);
                page_visit_free(second);
                page_access_free(access);
        }
}

static void too_many_wait(void **state) {
        struct page_question question = { .authorization = SLICE_LITERAL("Bearer t"),
                                          .method = SLICE_LITERAL("GET"),
                                          .path = SLICE_LITERAL("/metrics") };
        struct page_visit *visits[65];
        struct cluster cluster;
        struct page_access *access;

        (void)state;
        cluster_init(&cluster);
        access = access_new(&cluster);
        for (size_t i = 0; i < ARRAY_LEN(visits); i++)
                visits[i] = page_visit_new(access, &question, on_ready, &cluster);
        assert_int_equal(page_visit_status(visits[63]), 0);
        assert_int_equal(page_visit_status(visits[64]), 429);
        for (size_t i = 0; i < ARRAY_LEN(visits); i++)
                page_visit_free(visits[i]);
        assert_int_equal(cluster.cancel_count, 64);
        assert_int_equal(cluster.ready_count, 0);
        page_access_free(access);
}

static void without_a_cluster_only_open_paths(void **state) {
        struct cluster cluster;
        struct page_access *access;
        struct page_visit *seen;

        (void)state;
        cluster_init(&cluster);
        access = page_access_new(&(struct page_access_config){
                .loop = &cluster.loop, .open_paths = SLICE_LITERAL("/healthz") });
        seen = visit(&cluster, access, "Bearer t", "/metrics");
        assert_int_equal(page_visit_status(seen), 403);
        page_visit_free(seen);
        seen = visit(&cluster, access, "Bearer t", "/healthz");
        assert_int_equal(page_visit_status(seen), 200);
        page_visit_free(seen);
        page_access_free(access);
}

/* What is shown here counts for nothing as long as the cluster names no authority. */
static void certificates_make_it_look_up(void **state) {
        static const char lookup[] =
                "/api/v1/namespaces/kube-system/configmaps/extension-apiserver-authentication";
        struct page_question question = { .method = SLICE_LITERAL("GET"),
                                          .path = SLICE_LITERAL("/healthz"),
                                          .certificates = SLICE_LITERAL("not DER") };
        struct page_identity *identity = NULL;
        struct page_access *access;
        struct cluster cluster;

        (void)state;
        assert_int_equal(page_identity_new(&(struct page_identity_config){ 0 }, &identity, NULL),
                         0);
        cluster_init(&cluster);
        cluster.answers[0] = BROKEN;
        cluster.answers[1] = "{\"data\":{}}";
        access = page_access_new(
                &(struct page_access_config){ .loop = &cluster.loop,
                                              .authentication = cluster.transport,
                                              .identity = identity,
                                              .looks_up = true,
                                              .open_paths = SLICE_LITERAL("/healthz") });
        assert_true(page_access_takes_certificates(access));
        for (int i = 0; i < 4; i++) {
                struct page_visit *seen = page_visit_new(access, &question, on_ready, &cluster);

                answer_all(&cluster);
                assert_int_equal(page_visit_status(seen), 200);
                assert_int_equal(cluster.call_count, i / 2 + 1);
                assert_string_equal(cluster.path, lookup);
                page_visit_free(seen);
                cluster.now.ns += 6 * NS_PER_S;
        }
        page_access_free(access);
        page_identity_free(identity);
}

static void on_failed(void *context, const struct err *err) {
        assert_non_null(strstr(err->text, "configuration of authentication"));
        ++*(int *)context;
}

static void the_first_look_may_fail(void **state) {
        struct page_identity *identity = NULL;
        struct page_access *access;
        struct cluster cluster;
        int failures = 0;

        (void)state;
        assert_int_equal(page_identity_new(&(struct page_identity_config){ 0 }, &identity, NULL),
                         0);
        cluster_init(&cluster);
        cluster.answers[0] = BROKEN;
        access = page_access_new(&(struct page_access_config){ .loop = &cluster.loop,
                                                               .authentication = cluster.transport,
                                                               .identity = identity,
                                                               .looks_up = true });
        page_access_look_up(access, on_failed, &failures);
        answer_all(&cluster);
        assert_int_equal(failures, 1);
        page_access_look_up(access, on_failed, &failures);
        page_access_free(access); /* while it is under way */
        assert_int_equal(cluster.cancel_count, 1);
        page_identity_free(identity);
}

int main(void) {
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(the_cluster_decides),
                cmocka_unit_test(reviews_name_the_user),
                cmocka_unit_test(answers_count_for_a_while),
                cmocka_unit_test(too_many_wait),
                cmocka_unit_test(without_a_cluster_only_open_paths),
                cmocka_unit_test(certificates_make_it_look_up),
                cmocka_unit_test(the_first_look_may_fail),
        };

        return cmocka_run_group_tests(tests, NULL, NULL);
}
