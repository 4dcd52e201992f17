/* The acceptance cases of the EvictionRequest API (C, D, E, H of the reference), each on a small
 * simulated cluster without faults. */
#include "base/util.h"
#include "evict/eviction_policy.h"
#include "evict/eviction_request.h"
#include "sim/sim_world.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define GROUP "/apis/lifecycle.berth.dev/v1alpha1/namespaces/default"
#define PODS "/api/v1/namespaces/default/pods"
#define MINUTE_NS (60 * NS_PER_S)
#define MOVER "mover.example.com/move"
#define PATH_BYTES 512

struct scene {
        struct sim_world *world;
        const char *stage, *answer; /* what hooks of this stage answer; others: Done */
        unsigned runs, polls, cancels, rollbacks, in_progress_left;
        char order[400]; /* "run prepare, run move, ..." */
};

/* ---- scene ---- */

static const char *on_hook(void *context, const struct json *order) {
        struct scene *scene = context;
        struct slice op = json_get_text(order, "op"), stage = json_get_text(order, "stage");
        size_t used = strlen(scene->order);

        snprintf(scene->order + used, sizeof(scene->order) - used, "%s" SLICE_FMT " " SLICE_FMT,
                 used ? ", " : "", SLICE_ARG(op), SLICE_ARG(stage));
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

static void open_scene(struct scene *scene) {
        *scene = (struct scene){ 0 };
        scene->world = sim_world_new(
                &(struct sim_world_config){ .seed = 1, .hook = on_hook, .hook_context = scene });
        sim_world_start(scene->world);
        sim_world_advance(scene->world, 5 * NS_PER_S);
}

static void close_scene(struct scene *scene) {
        assert_string_equal(sim_world_violation(scene->world), "");
        sim_world_free(scene->world);
}

static void wait_s(struct scene *scene, int64_t seconds) {
        sim_world_advance(scene->world, seconds * NS_PER_S);
}

static int ask(struct scene *scene, const char *method, const char *path, const char *body) {
        return sim_world_ask(scene->world, method, path, body, NULL);
}

/* Whether the object is there and its text has this part. */
static bool has(struct scene *scene, const char *path, const char *part) {
        struct buf body = { 0 };
        bool is_found = sim_world_ask(scene->world, "GET", path, "", &body) == 200 &&
                        slice_contains(buf_view(&body), slice_of(part));

        buf_release(&body);
        return is_found;
}
#define assert_has(scene, path, part)                                                              \
        do {                                                                                       \
                if (!has(scene, path, part))                                                       \
                        fail_msg("%s has no %s", path, part);                                      \
        } while (0)

static void uid_of(struct scene *scene, const char *pod, char uid[64]) {
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
static void make_pod(struct scene *scene, const char *name, const char *meta, const char *spec) {
        char body[800];

        snprintf(body, sizeof(body),
                 "{\"metadata\":{\"name\":\"%s\",\"labels\":{\"app\":\"%s\"}%s},\"spec\":{"
                 "\"nodeName\":\"n0\",\"terminationGracePeriodSeconds\":1,\"containers\":[{"
                 "\"name\":\"c\",\"image\":\"x\"}]%s}}",
                 name, name, meta, spec);
        assert_int_equal(ask(scene, "POST", PODS, body), 201);
        wait_s(scene, 10); /* runs */
}

static int make_request_of(struct scene *scene, const char *name, const char *requester,
                           const char *uid, const char *meta) {
        char body[800];

        snprintf(body, sizeof(body),
                 "{\"apiVersion\":\"lifecycle.berth.dev/v1alpha1\",\"kind\":\"EvictionRequest\","
                 "\"metadata\":{\"name\":\"%s\"%s},\"spec\":{\"target\":{\"pod\":{\"name\":\"p\","
                 "\"uid\":\"%s\"}},\"requester\":\"%s\",\"intent\":\"Eviction\"}}",
                 name, meta, uid, requester);
        return ask(scene, "POST", GROUP "/evictionrequests", body);
}

static void make_request(struct scene *scene, const char *name, const char *requester) {
        char uid[64];

        uid_of(scene, "p", uid);
        assert_int_equal(make_request_of(scene, name, requester, uid, ""), 201);
}

static void set_intent(struct scene *scene, const char *name, const char *intent) {
        char path[PATH_BYTES], body[100];

        snprintf(path, sizeof(path), GROUP "/evictionrequests/%s", name);
        snprintf(body, sizeof(body), "{\"spec\":{\"intent\":\"%s\"}}", intent);
        assert_int_equal(ask(scene, "PATCH", path, body), 200);
}

static void guard(struct scene *scene) {
        assert_int_equal(ask(scene, "POST",
                             "/apis/policy/v1/namespaces/default/poddisruptionbudgets",
                             "{\"metadata\":{\"name\":\"p\"},\"spec\":{\"minAvailable\":1,"
                             "\"selector\":{\"matchLabels\":{\"app\":\"p\"}}}}"),
                         201);
        wait_s(scene, 2);
}

#define EVICTION_1 GROUP "/evictions/pod-1-p"
#define EVICTION_2 GROUP "/evictions/pod-2-p"
#define POD PODS "/p"
#define WITH_MOVER                                                                                 \
        ",\"annotations\":{\"lifecycle.berth.dev/eviction-responders\":\"" MOVER "=10000\"}"
#define ANNA "anna.example.com/one"
#define BERT "bert.example.com/two"

/* Writes the mover's own entry; status members with a comma in front. */
static int report(struct scene *scene, const char *name, const char *value) {
        struct buf body = { 0 }, out = { 0 };
        struct json_doc *doc = NULL;
        const struct json *status;
        struct json_iter iter;
        const struct json *item;
        int code;

        assert_int_equal(sim_world_ask(scene->world, "GET", EVICTION_1, "", &body), 200);
        assert_int_equal(json_parse(buf_view(&body), &doc, NULL), 0);
        status = json_get(json_doc_root(doc), "status");
        buf_text(&out, "{\"status\":{\"responders\":[");
        iter = json_iter(json_get(status, "responders"));
        for (bool is_first = true; json_next(&iter, NULL, &item); is_first = false) {
                struct buf text = { 0 };

                buf_text(&out, is_first ? "" : ",");
                json_write(item, &text);
                if (slice_is(json_get_text(item, "name"), MOVER)) {
                        buf_slice(&out, slice_make(text.data, text.len - 1));
                        buf_printf(&out, ",\"%s\":\"%s\"}", name, value);
                } else {
                        buf_slice(&out, buf_view(&text));
                }
                buf_release(&text);
        }
        buf_text(&out, "]}}");
        buf_char(&out, '\0');
        code = ask(scene, "PATCH", EVICTION_1 "/status", out.data);
        json_doc_free(doc);
        buf_release(&body);
        buf_release(&out);
        return code;
}

static void complete_mover(struct scene *scene) {
        char now[WALL_TIME_TEXT_MAX];

        wall_time_format_micro(sim_world_wall(scene->world), now);
        assert_int_equal(report(scene, "completionTime", now), 200);
        wait_s(scene, 2);
}

static void beat_mover(struct scene *scene) {
        char now[WALL_TIME_TEXT_MAX];

        wall_time_format_micro(sim_world_wall(scene->world), now);
        assert_int_equal(report(scene, "heartbeatTime", now), 200);
}

/* ---- C: the controller ---- */

static void C1_no_responders(void **state) {
        struct scene scene;

        (void)state;
        open_scene(&scene);
        make_pod(&scene, "p", "", "");
        make_request(&scene, "want", ANNA);
        wait_s(&scene, 30);
        assert_has(&scene, EVICTION_1, "\"reason\":\"PodDeleted\"");
        assert_has(&scene, EVICTION_1, "\"name\":\"" EVICTION_EVICTOR "\"");
        assert_has(&scene, GROUP "/evictionrequests/want", "\"reason\":\"PodDeleted\"");
        assert_int_equal(ask(&scene, "GET", POD, ""), 404);
        close_scene(&scene);
}

static void C2_invalid_targets(void **state) {
        struct scene scene;

        (void)state;
        open_scene(&scene);
        assert_int_equal(
                make_request_of(&scene, "absent", ANNA, "00000000-0000-4000-8000-000000000000", ""),
                201);
        make_pod(&scene, "p", "", "");
        assert_int_equal(
                make_request_of(&scene, "wrong", ANNA, "00000000-0000-4000-8000-000000000001", ""),
                201);
        wait_s(&scene, 30);
        assert_has(&scene, GROUP "/evictionrequests/absent", "\"reason\":\"EvictionInvalid\"");
        assert_has(&scene, GROUP "/evictionrequests/wrong", "\"reason\":\"EvictionInvalid\"");
        assert_int_equal(ask(&scene, "GET", EVICTION_1, ""), 404);
        assert_int_equal(ask(&scene, "GET", POD, ""), 200);
        close_scene(&scene);
}

/* Two requesters share one Eviction; it is cancelled when the last one withdraws, and comes back as
 * another when one changes its mind. */
static void C3_to_C6_two_requesters(void **state) {
        struct scene scene;

        (void)state;
        open_scene(&scene);
        guard(&scene);
        make_pod(&scene, "p", "", "");
        make_request(&scene, "one", ANNA);
        make_request(&scene, "two", BERT);
        wait_s(&scene, 10);
        assert_has(&scene, EVICTION_1, "\"" ANNA "\":\"requester\"");
        assert_has(&scene, EVICTION_1, "\"" BERT "\":\"requester\"");
        assert_has(&scene, EVICTION_1, "\"name\":\"one\"");
        assert_has(&scene, EVICTION_1, "\"name\":\"two\"");
        assert_int_equal(ask(&scene, "GET", EVICTION_2, ""), 404);
        set_intent(&scene, "one", "Withdrawn");
        wait_s(&scene, 10);
        assert_has(&scene, EVICTION_1, "\"state\":\"Active\"");
        assert_has(&scene, EVICTION_1, "{\"name\":\"" ANNA "\",\"intent\":\"Withdrawn\"}");
        set_intent(&scene, "two", "Withdrawn");
        wait_s(&scene, 10);
        assert_has(&scene, EVICTION_1, "\"state\":\"Canceled\"");
        assert_has(&scene, EVICTION_1, "\"reason\":\"CanceledDueToNoRequesters\"");
        set_intent(&scene, "one", "Eviction");
        wait_s(&scene, 10);
        assert_has(&scene, EVICTION_2, "\"state\":\"Active\"");
        assert_false(has(&scene, GROUP "/evictionrequests/one", "CanceledDueToNoRequesters"));
        close_scene(&scene);
}

static void C7_deleted_with_finalizer(void **state) {
        struct scene scene;
        char uid[64];

        (void)state;
        open_scene(&scene);
        guard(&scene);
        make_pod(&scene, "p", "", "");
        uid_of(&scene, "p", uid);
        make_request_of(&scene, "want", ANNA, uid, ",\"finalizers\":[\"example.com/hold\"]");
        wait_s(&scene, 10);
        assert_has(&scene, EVICTION_1, "\"state\":\"Active\"");
        ask(&scene, "DELETE", GROUP "/evictionrequests/want", "");
        wait_s(&scene, 10);
        assert_has(&scene, EVICTION_1, "\"reason\":\"CanceledDueToNoRequesters\"");
        close_scene(&scene);
}

static void C8_collected(void **state) {
        struct scene scene;

        (void)state;
        open_scene(&scene);
        guard(&scene);
        make_pod(&scene, "p", "", "");
        make_request(&scene, "want", ANNA);
        wait_s(&scene, 10);
        assert_int_equal(ask(&scene, "GET", EVICTION_1, ""), 200);
        ask(&scene, "DELETE", GROUP "/evictionrequests/want", "");
        wait_s(&scene, 30);
        assert_int_equal(ask(&scene, "GET", EVICTION_1, ""), 404);
        assert_int_equal(ask(&scene, "GET", POD, ""), 200);
        close_scene(&scene);
}

static void C9_foreign_duplicate(void **state) {
        struct scene scene;
        char uid[64], body[400];

        (void)state;
        open_scene(&scene);
        guard(&scene);
        make_pod(&scene, "p", "", "");
        make_request(&scene, "want", ANNA);
        wait_s(&scene, 10);
        uid_of(&scene, "p", uid);
        snprintf(body, sizeof(body),
                 "{\"apiVersion\":\"lifecycle.berth.dev/v1alpha1\",\"kind\":\"Eviction\","
                 "\"metadata\":{\"name\":\"foreign\"},\"spec\":{\"target\":{\"pod\":{\"name\":"
                 "\"p\",\"uid\":\"%s\"}}}}",
                 uid);
        sim_world_allow_duplicates(scene.world);
        assert_int_equal(ask(&scene, "POST", GROUP "/evictions", body), 201);
        wait_s(&scene, 10);
        assert_has(&scene, GROUP "/evictions/foreign", "\"reason\":\"EvictionInvalid\"");
        assert_has(&scene, EVICTION_1, "\"state\":\"Active\"");
        close_scene(&scene);
}

static void C13_finishes_by_itself(void **state) {
        struct scene scene;

        (void)state;
        open_scene(&scene);
        guard(&scene);
        make_pod(&scene, "p", "", "");
        make_request(&scene, "want", ANNA);
        wait_s(&scene, 10);
        assert_int_equal(
                ask(&scene, "PATCH", POD "/status", "{\"status\":{\"phase\":\"Succeeded\"}}"), 200);
        wait_s(&scene, 30);
        assert_has(&scene, EVICTION_1, "\"reason\":\"PodTerminal\"");
        assert_int_equal(ask(&scene, "GET", POD, ""), 200);
        close_scene(&scene);
}

static void C14_requester_and_responder(void **state) {
        struct scene scene;

        (void)state;
        open_scene(&scene);
        make_pod(&scene, "p", WITH_MOVER, "");
        make_request(&scene, "want", MOVER);
        wait_s(&scene, 10);
        assert_has(&scene, EVICTION_1, "\"" MOVER "\":\"requester-responder\"");
        close_scene(&scene);
}

/* ---- D: responders ---- */

static void D1_completed_passes_on(void **state) {
        struct scene scene;

        (void)state;
        open_scene(&scene);
        guard(&scene);
        make_pod(&scene, "p", WITH_MOVER, "");
        make_request(&scene, "want", ANNA);
        wait_s(&scene, 10);
        assert_has(&scene, EVICTION_1,
                   "{\"name\":\"" MOVER "\",\"priority\":10000,\"state\":\"Active\"}");
        complete_mover(&scene);
        assert_has(&scene, EVICTION_1,
                   "{\"name\":\"" MOVER "\",\"priority\":10000,\"state\":\"Completed\"}");
        assert_has(&scene, EVICTION_1,
                   "{\"name\":\"" EVICTION_EVICTOR "\",\"priority\":100,\"state\":\"Active\"}");
        close_scene(&scene);
}

static void D2_silent_for_20_minutes(void **state) {
        struct scene scene;

        (void)state;
        open_scene(&scene);
        guard(&scene);
        make_pod(&scene, "p", WITH_MOVER, "");
        make_request(&scene, "want", ANNA);
        wait_s(&scene, 19 * 60);
        assert_has(&scene, EVICTION_1, "\"priority\":10000,\"state\":\"Active\"");
        wait_s(&scene, 90);
        assert_has(&scene, EVICTION_1, "\"priority\":10000,\"state\":\"Interrupted\"");
        assert_has(&scene, EVICTION_1, "\"priority\":100,\"state\":\"Active\"");
        assert_true(slice_contains(sim_world_audit(scene.world),
                                   SLICE_LITERAL("\"op\":\"heartbeat-lost\"")));
        close_scene(&scene);
}

static void D5_declined(void **state) {
        struct scene scene;

        (void)state;
        open_scene(&scene);
        make_pod(&scene, "p", WITH_MOVER, "");
        make_request(&scene, "want", ANNA);
        wait_s(&scene, 5);
        complete_mover(&scene);
        wait_s(&scene, 20);
        assert_has(&scene, EVICTION_1, "\"reason\":\"PodDeleted\"");
        close_scene(&scene);
}

/* ---- stages ---- */

#define STAGE(name, more)                                                                          \
        "{\"name\":\"" name "\",\"kind\":\"http\",\"http\":{\"url\":\"https://h\"}" more "}"
#define POLICY(stages, more)                                                                       \
        "{\"apiVersion\":\"lifecycle.berth.dev/v1alpha1\",\"kind\":\"EvictionPolicy\","            \
        "\"metadata\":{\"name\":\"m\"},\"spec\":{\"selector\":{\"matchLabels\":{\"app\":\"p\"}},"  \
        "\"stages\":[" stages "],\"rollback\":[{\"stage\":\"prepare\",\"http\":{\"url\":"          \
        "\"https://h\"}},{\"stage\":\"copy\",\"http\":{\"url\":\"https://h\"}}]" more "}}"

static void make_policy(struct scene *scene, const char *body) {
        assert_int_equal(ask(scene, "POST", GROUP "/evictionpolicies", body), 201);
        make_pod(scene, "p", "", "");
}

static void D6_in_progress_three_times(void **state) {
        struct scene scene;

        (void)state;
        open_scene(&scene);
        scene.stage = "prepare";
        scene.answer = "InProgress";
        scene.in_progress_left = 3;
        make_policy(&scene, POLICY(STAGE("prepare", "") "," STAGE("copy", ""), ""));
        make_request(&scene, "want", ANNA);
        wait_s(&scene, 60);
        assert_string_equal(scene.order,
                            "run prepare, poll prepare, poll prepare, poll prepare, run copy");
        assert_has(&scene, EVICTION_1, "\"reason\":\"PodDeleted\"");
        assert_has(&scene, EVICTION_1, "completed=2/2");
        close_scene(&scene);
}

/* What was learned is kept by the cluster, and told as expectedCompletionTime by the next process.
 */
static void I2_learned_and_expected(void **state) {
        struct scene scene;

        (void)state;
        open_scene(&scene);
        make_policy(&scene, POLICY(STAGE("prepare", "") "," STAGE("copy", ""), ""));
        for (int i = 0; i < 5; i++) {
                scene.stage = "prepare";
                scene.answer = "InProgress";
                scene.in_progress_left = 3;
                make_request(&scene, "want", ANNA);
                wait_s(&scene, 60);
                assert_int_equal(ask(&scene, "GET", POD, ""), 404);
                ask(&scene, "DELETE", GROUP "/evictionrequests/want", "");
                wait_s(&scene, 60);
                make_pod(&scene, "p", "", "");
        }
        assert_has(&scene, "/api/v1/namespaces/kube-system/configmaps/berth-eviction-history",
                   "default/m  prepare");
        sim_world_kill(scene.world);
        sim_world_start(scene.world);
        wait_s(&scene, 5);
        scene.in_progress_left = 100;
        make_request(&scene, "want", ANNA);
        wait_s(&scene, 4);
        assert_has(&scene, EVICTION_1, "\"expectedCompletionTime\"");
        close_scene(&scene);
}

static void D7_fails_four_times(void **state) {
        struct scene scene;

        (void)state;
        open_scene(&scene);
        scene.stage = "move";
        scene.answer = "500";
        make_policy(&scene,
                    POLICY(STAGE("prepare", "") "," STAGE("copy", "") "," STAGE("move", ""), ""));
        make_request(&scene, "want", ANNA);
        wait_s(&scene, 120);
        assert_string_equal(scene.order, "run prepare, run copy, run move, run move, run move, run "
                                         "move, cancel move, rollback copy, rollback prepare");
        assert_has(&scene, EVICTION_1, "declined=");
        assert_has(&scene, EVICTION_1, "\"reason\":\"PodDeleted\"");
        close_scene(&scene);
}

/* Berth asked alone: what it cannot do gracefully it does not do. */
static void D7_sole_requester_withdraws(void **state) {
        struct scene scene;

        (void)state;
        open_scene(&scene);
        scene.stage = "move";
        scene.answer = "Failed";
        make_policy(&scene, POLICY(STAGE("prepare", "") "," STAGE(
                                           "move", ",\"retries\":0") "," STAGE("copy", ""),
                                   ""));
        make_request(&scene, "want", "evict.berth.dev/cli");
        wait_s(&scene, 120);
        assert_string_equal(scene.order, "run prepare, run move, rollback prepare");
        assert_has(&scene, EVICTION_1, "\"reason\":\"CanceledDueToNoRequesters\"");
        assert_int_equal(ask(&scene, "GET", POD, ""), 200);
        close_scene(&scene);
}

static void D9_withdrawn_in_a_stage(void **state) {
        struct scene scene;

        (void)state;
        open_scene(&scene);
        scene.stage = "move";
        scene.answer = "InProgress";
        scene.in_progress_left = 1000;
        make_policy(&scene,
                    POLICY(STAGE("prepare", "") "," STAGE("move", "") "," STAGE("copy", ""), ""));
        make_request(&scene, "want", ANNA);
        wait_s(&scene, 12);
        assert_int_equal(scene.runs, 2);
        set_intent(&scene, "want", "Withdrawn");
        wait_s(&scene, 30);
        assert_int_equal(scene.cancels, 1);
        assert_int_equal(scene.rollbacks, 1);
        assert_has(&scene, EVICTION_1, "\"reason\":\"CanceledDueToNoRequesters\"");
        assert_false(has(&scene, EVICTION_1, "\"finalizers\""));
        close_scene(&scene);
}

static void D_stage_deadlines(void **state) {
        static const struct {
                const char *more, *deadline, *order;
        } cases[] = {
                { ",\"timeout\":\"40s\"", "", "cancel move, rollback prepare" },
                { ",\"timeout\":\"40s\",\"onFailure\":\"Continue\"", "", "cancel move, run copy" },
                { ",\"timeout\":\"40s\",\"onFailure\":\"Decline\"", "", "cancel move" },
                { "", ",\"deadline\":\"40s\"", "cancel move, rollback prepare" },
        };

        (void)state;
        for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
                struct scene scene;
                char policy[1500], stage[300];
                const char *end;

                open_scene(&scene);
                scene.stage = "move";
                scene.answer = "InProgress";
                scene.in_progress_left = 1000;
                snprintf(stage, sizeof(stage), STAGE("move", "%s"), cases[i].more);
                snprintf(policy, sizeof(policy),
                         POLICY(STAGE("prepare", "") ",%s," STAGE("copy", ""), "%s"), stage,
                         cases[i].deadline);
                make_policy(&scene, policy);
                make_request(&scene, "want", ANNA);
                wait_s(&scene, 90);
                end = strstr(scene.order, "cancel");
                if (!end || strcmp(end, cases[i].order) != 0)
                        fail_msg("case %zu: %s", i, scene.order);
                assert_has(&scene, EVICTION_1, "\"reason\":\"PodDeleted\"");
                close_scene(&scene);
        }
}

static void D_wait_and_evict_stages(void **state) {
        struct scene scene;

        (void)state;
        open_scene(&scene);
        make_policy(&scene,
                    POLICY(STAGE("prepare", "") ",{\"name\":\"heir\",\"kind\":\"wait\",\"wait\":{"
                                                "\"ready\":{\"selector\":{\"matchLabels\":{\"app\":"
                                                "\"heir\"}},\"count\":1}}},"
                                                "{\"name\":\"copy\",\"kind\":\"evict\"}",
                           ""));
        make_request(&scene, "want", ANNA);
        wait_s(&scene, 60);
        assert_has(&scene, EVICTION_1, "stage=2/3 name=heir");
        assert_has(&scene, EVICTION_1, "0 of 1 other pods ready");
        assert_int_equal(ask(&scene, "GET", POD, ""), 200);
        make_pod(&scene, "heir", "", "");
        wait_s(&scene, 30);
        assert_has(&scene, EVICTION_1, "\"reason\":\"PodDeleted\"");
        assert_has(&scene, EVICTION_1, "\"priority\":5000,\"state\":\"Completed\"");
        close_scene(&scene);
}

/* ---- E: the evictor ---- */

static void E1_to_E2_budget(void **state) {
        struct scene scene;
        uint64_t calls;

        (void)state;
        open_scene(&scene);
        guard(&scene);
        make_pod(&scene, "p", "", "");
        make_request(&scene, "want", ANNA);
        wait_s(&scene, 3600);
        assert_has(&scene, EVICTION_1, "\"state\":\"Active\"");
        assert_has(&scene, EVICTION_1, "attempts=1"); /* ten and more */
        calls = sim_world_evict_calls(scene.world);
        assert_in_range(calls, 10, 15); /* 5 s, 10 s, ... and every ten minutes */
        ask(&scene, "DELETE", "/apis/policy/v1/namespaces/default/poddisruptionbudgets/p", "");
        wait_s(&scene, 10); /* whatever was left of the pause */
        assert_has(&scene, EVICTION_1, "\"reason\":\"PodDeleted\"");
        assert_int_equal(sim_world_evict_calls(scene.world), calls + 1);
        close_scene(&scene);
}

static void E3_deadline_withdraws(void **state) {
        struct scene scene;
        char uid[64], meta[160], when[WALL_TIME_TEXT_MAX];

        (void)state;
        open_scene(&scene);
        guard(&scene);
        make_pod(&scene, "p", "", "");
        uid_of(&scene, "p", uid);
        wall_time_format((struct wall_time){ sim_world_wall(scene.world).ns + 10 * MINUTE_NS },
                         when);
        snprintf(meta, sizeof(meta), ",\"annotations\":{\"lifecycle.berth.dev/deadline\":\"%s\"}",
                 when);
        make_request_of(&scene, "want", "evict.berth.dev/cli", uid, meta);
        wait_s(&scene, 9 * 60);
        assert_has(&scene, EVICTION_1, "\"state\":\"Active\"");
        wait_s(&scene, 2 * 60);
        assert_has(&scene, EVICTION_1, "\"reason\":\"CanceledDueToNoRequesters\"");
        assert_has(&scene, GROUP "/evictionrequests/want", "\"intent\":\"Withdrawn\"");
        assert_int_equal(ask(&scene, "GET", POD, ""), 200);
        close_scene(&scene);
}

static void E4_daemon_pods_stay(void **state) {
        struct scene scene;

        (void)state;
        open_scene(&scene);
        make_pod(&scene, "p", ",\"annotations\":{\"kubernetes.io/config.mirror\":\"x\"}", "");
        make_request(&scene, "want", ANNA);
        wait_s(&scene, 1800);
        assert_int_equal(sim_world_evict_calls(scene.world), 0);
        assert_has(&scene, EVICTION_1, "are not evicted");
        close_scene(&scene);
}

/* ---- H: crashes and clocks ---- */

static void restart(struct scene *scene) {
        sim_world_kill(scene->world);
        sim_world_start(scene->world);
}

static void H1_killed_after_the_request(void **state) {
        struct scene scene;

        (void)state;
        open_scene(&scene);
        guard(&scene);
        make_pod(&scene, "p", "", "");
        sim_world_kill(scene.world);
        make_request(&scene, "want", ANNA);
        sim_world_start(scene.world);
        wait_s(&scene, 10);
        assert_has(&scene, EVICTION_1, "\"state\":\"Active\"");
        assert_int_equal(ask(&scene, "GET", EVICTION_2, ""), 404);
        close_scene(&scene);
}

static void H3_killed_before_the_next_turn(void **state) {
        struct scene scene;
        char now[WALL_TIME_TEXT_MAX];

        (void)state;
        open_scene(&scene);
        guard(&scene);
        make_pod(&scene, "p", WITH_MOVER, "");
        make_request(&scene, "want", ANNA);
        wait_s(&scene, 10);
        sim_world_kill(scene.world);
        wall_time_format_micro(sim_world_wall(scene.world), now);
        report(&scene, "completionTime", now);
        wait_s(&scene, 100);
        sim_world_start(scene.world);
        wait_s(&scene, 10);
        assert_has(&scene, EVICTION_1, "\"priority\":10000,\"state\":\"Completed\"");
        assert_has(&scene, EVICTION_1, "\"priority\":100,\"state\":\"Active\"");
        close_scene(&scene);
}

static void H6_hook_polled_by_the_next(void **state) {
        struct scene scene;

        (void)state;
        open_scene(&scene);
        scene.stage = "prepare";
        scene.answer = "InProgress";
        scene.in_progress_left = 6;
        make_policy(&scene, POLICY(STAGE("prepare", "") "," STAGE("copy", ""), ""));
        make_request(&scene, "want", ANNA);
        for (size_t i = 0; i < 4; i++) {
                wait_s(&scene, 5);
                restart(&scene);
        }
        wait_s(&scene, 60);
        assert_int_equal(scene.runs, 2);
        assert_has(&scene, EVICTION_1, "\"reason\":\"PodDeleted\"");
        close_scene(&scene);
}

static void H7_down_for_25_minutes(void **state) {
        (void)state;
        for (int beats = 0; beats < 2; beats++) {
                struct scene scene;

                open_scene(&scene);
                guard(&scene);
                make_pod(&scene, "p", WITH_MOVER, "");
                make_request(&scene, "want", ANNA);
                wait_s(&scene, 10);
                sim_world_kill(scene.world);
                for (int i = 0; i < 5; i++) {
                        wait_s(&scene, 300);
                        if (beats)
                                beat_mover(&scene);
                }
                sim_world_start(scene.world);
                wait_s(&scene, 10);
                assert_has(&scene, EVICTION_1,
                           beats ? "\"priority\":10000,\"state\":\"Active\""
                                 : "\"priority\":10000,\"state\":\"Interrupted\"");
                close_scene(&scene);
        }
}

static void H9_deleted_underneath(void **state) {
        struct scene scene;

        (void)state;
        open_scene(&scene);
        make_pod(&scene, "p", WITH_MOVER, "");
        make_request(&scene, "want", ANNA);
        wait_s(&scene, 10);
        ask(&scene, "DELETE", POD, "{\"gracePeriodSeconds\":0}");
        wait_s(&scene, 3);
        assert_has(&scene, EVICTION_1, "\"state\":\"Active\"");
        wait_s(&scene, 10);
        assert_has(&scene, EVICTION_1, "\"priority\":10000,\"state\":\"Interrupted\"");
        assert_has(&scene, EVICTION_1, "\"reason\":\"PodDeleted\"");
        close_scene(&scene);
}

static void H10_replaced(void **state) {
        struct scene scene;

        (void)state;
        open_scene(&scene);
        make_pod(&scene, "p", WITH_MOVER, "");
        make_request(&scene, "want", ANNA);
        wait_s(&scene, 10);
        ask(&scene, "DELETE", POD, "{\"gracePeriodSeconds\":0}");
        make_pod(&scene, "p", "", "");
        wait_s(&scene, 60);
        assert_has(&scene, GROUP "/evictionrequests/want", "\"reason\":\"PodDeleted\"");
        assert_int_equal(ask(&scene, "GET", POD, ""), 200);
        assert_int_equal(sim_world_evict_calls(scene.world), 0);
        close_scene(&scene);
}

static void H12_clock_jumps(void **state) {
        struct scene scene;

        (void)state;
        open_scene(&scene);
        guard(&scene);
        make_pod(&scene, "p", WITH_MOVER, "");
        make_request(&scene, "want", ANNA);
        wait_s(&scene, 10);
        sim_world_step_clock(scene.world, -3600 * NS_PER_S);
        wait_s(&scene, 10 * 60);
        assert_has(&scene, EVICTION_1, "\"priority\":10000,\"state\":\"Active\"");
        close_scene(&scene);
}

static void H18_taken_away_in_a_stage(void **state) {
        struct scene scene;

        (void)state;
        open_scene(&scene);
        scene.stage = "prepare";
        scene.answer = "InProgress";
        scene.in_progress_left = 1000;
        make_policy(&scene, POLICY(STAGE("prepare", "") "," STAGE("copy", ""), ""));
        make_request(&scene, "want", ANNA);
        wait_s(&scene, 10);
        ask(&scene, "DELETE", POD, "{\"gracePeriodSeconds\":0}");
        wait_s(&scene, 30);
        assert_has(&scene, EVICTION_1, "\"reason\":\"PodDeleted\"");
        assert_int_equal(scene.cancels, 1);
        assert_int_equal(scene.rollbacks, 0);
        close_scene(&scene);
}

int main(void) {
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(C1_no_responders),
                cmocka_unit_test(C2_invalid_targets),
                cmocka_unit_test(C3_to_C6_two_requesters),
                cmocka_unit_test(C7_deleted_with_finalizer),
                cmocka_unit_test(C8_collected),
                cmocka_unit_test(C9_foreign_duplicate),
                cmocka_unit_test(C13_finishes_by_itself),
                cmocka_unit_test(C14_requester_and_responder),
                cmocka_unit_test(D1_completed_passes_on),
                cmocka_unit_test(D2_silent_for_20_minutes),
                cmocka_unit_test(D5_declined),
                cmocka_unit_test(D6_in_progress_three_times),
                cmocka_unit_test(I2_learned_and_expected),
                cmocka_unit_test(D7_fails_four_times),
                cmocka_unit_test(D7_sole_requester_withdraws),
                cmocka_unit_test(D9_withdrawn_in_a_stage),
                cmocka_unit_test(D_stage_deadlines),
                cmocka_unit_test(D_wait_and_evict_stages),
                cmocka_unit_test(E1_to_E2_budget),
                cmocka_unit_test(E3_deadline_withdraws),
                cmocka_unit_test(E4_daemon_pods_stay),
                cmocka_unit_test(H1_killed_after_the_request),
                cmocka_unit_test(H3_killed_before_the_next_turn),
                cmocka_unit_test(H6_hook_polled_by_the_next),
                cmocka_unit_test(H7_down_for_25_minutes),
                cmocka_unit_test(H9_deleted_underneath),
                cmocka_unit_test(H10_replaced),
                cmocka_unit_test(H12_clock_jumps),
                cmocka_unit_test(H18_taken_away_in_a_stage),
        };

        return cmocka_run_group_tests(tests, NULL, NULL);
}
