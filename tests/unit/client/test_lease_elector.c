/* Leader election in virtual time: against answers the test gives, then two electors and the
 * sandbox's server. */
#include "client/lease_elector.h"

#include "fake_transport.h"
#include "server/local_transport.h"

#define LEASES "/apis/coordination.k8s.io/v1/namespaces/kube-system/leases"

struct history {
        char text[512]; /* "+" started, "-" stopped, "(id)" leader, "!" failed, "=" works again, "."
                           released */
};

static void add_text(struct history *history, const char *text) {
        size_t used = strlen(history->text);

        snprintf(history->text + used, sizeof(history->text) - used, "%s", text);
}

static void on_started(void *context) {
        add_text(context, "+");
}

static void on_stopped(void *context) {
        add_text(context, "-");
}

static void on_new_leader(void *context, struct slice identity) {
        char text[64];

        snprintf(text, sizeof(text), "(" SLICE_FMT ")", SLICE_ARG(identity));
        add_text(context, text);
}

static void on_failed(void *context, const struct err *err) {
        assert_int_not_equal(err->code, 0);
        add_text(context, "!");
}

static void on_works(void *context) {
        add_text(context, "=");
}

static void on_released(void *context) {
        add_text(context, ".");
}

static const struct lease_elector_events events = { on_started, on_stopped, on_new_leader,
                                                    on_failed, on_works };

struct scene {
        struct virtual_loop *loop;
        struct fake_transport *fake;
        struct lease_elector *elector;
        struct history history;
};

static void scene_init(struct scene *scene) {
        struct lease_elector_config config = { .namespace_name = "kube-system",
                                               .name = "kube-scheduler",
                                               .identity = "me",
                                               .events = &events,
                                               .context = &scene->history };

        *scene = (struct scene){ .loop = virtual_loop_new(), .fake = fake_transport_new() };
        assert_int_equal(lease_elector_new(&config, &scene->fake->transport,
                                           virtual_loop_get(scene->loop), &scene->elector, NULL),
                         0);
}

static void scene_end(struct scene *scene) {
        lease_elector_free(scene->elector);
        assert_int_equal(virtual_loop_timers(scene->loop), 0);
        fake_transport_free(scene->fake);
        virtual_loop_free(scene->loop);
}

static void expect(struct scene *scene, const char *text) {
        assert_string_equal(scene->history.text, text);
        scene->history.text[0] = '\0';
}

#define LEASE(holder, version)                                                                     \
        "{\"metadata\":{\"name\":\"kube-scheduler\",\"labels\":{\"keep\":\"me\"},"                 \
        "\"resourceVersion\":\"" version "\"},\"spec\":{\"holderIdentity\":\"" holder              \
        "\",\"leaseDurationSeconds\":15,\"acquireTime\":\"2025-12-31T23:00:00.000000Z\","          \
        "\"renewTime\":\"" version "\",\"leaseTransitions\":4}}"

/* Answers a write with what was written. */
static void accept_write(struct scene *scene) {
        struct fake_request *request = fake_next(scene->fake);

        assert_true(request->method == API_PUT || request->method == API_POST);
        fake_end(request, (struct api_reply){ .status = request->method == API_PUT ? 200 : 201,
                                              .body = slice_of(request->body),
                                              .retry_after_s = -1 });
}

static void lead_after_creation(struct scene *scene) {
        scene_init(scene);
        assert_string_equal(fake_next(scene->fake)->path, LEASES "/kube-scheduler");
        fake_reply(scene->fake, 404, "{}");
        assert_string_equal(fake_next(scene->fake)->path, LEASES);
        accept_write(scene);
        expect(scene, "(me)+");
        assert_true(lease_elector_is_leader(scene->elector));
}

static void test_creation_and_renewal(void **state) {
        struct scene scene;
        struct fake_request *request;

        (void)state;
        lead_after_creation(&scene);
        assert_string_equal(
                scene.fake->requests[1]->body,
                "{\"apiVersion\":\"coordination.k8s.io/v1\",\"kind\":\"Lease\",\"metadata\":"
                "{\"name\":\"kube-scheduler\",\"namespace\":\"kube-system\"},\"spec\":"
                "{\"holderIdentity\":\"me\",\"leaseDurationSeconds\":15,\"acquireTime\":"
                "\"2026-01-01T00:00:00.000000Z\",\"renewTime\":\"2026-01-01T00:00:00.000000Z\","
                "\"leaseTransitions\":0}}");
        for (int i = 0; i < 20; i++) { /* one write every two seconds, no reads */
                virtual_loop_advance(scene.loop, 2 * NS_PER_S);
                request = fake_next(scene.fake);
                assert_int_equal(request->method, API_PUT);
                assert_string_equal(request->path, LEASES "/kube-scheduler");
                accept_write(&scene);
        }
        assert_non_null(strstr(request->body, "\"acquireTime\":\"2026-01-01T00:00:00.000000Z\""));
        assert_non_null(strstr(request->body, "\"renewTime\":\"2026-01-01T00:00:40.000000Z\""));
        expect(&scene, "");
        assert_int_equal(scene.fake->count, 22);
        scene_end(&scene);
}

/* Held by another: taken over when nothing changed for its duration by our own clock. */
static void test_waiting_for_another(void **state) {
        struct scene scene;

        (void)state;
        scene_init(&scene);
        for (int i = 0; i < 10; i++) {
                fake_reply(scene.fake, 200, i % 2 ? LEASE("you", "2") : LEASE("you", "1"));
                assert_int_equal(fake_pending(scene.fake), 0);
                virtual_loop_advance(scene.loop, 4400 * NS_PER_MS); /* period with jitter */
                assert_int_equal(fake_next(scene.fake)->method, API_GET);
        }
        expect(&scene, "(you)");
        for (int i = 0; i < 3; i++) { /* silent from now on: 15 s since the change */
                fake_reply(scene.fake, 200, LEASE("you", "2"));
                assert_int_equal(fake_pending(scene.fake), 0);
                virtual_loop_advance(scene.loop, 4400 * NS_PER_MS);
        }
        fake_reply(scene.fake, 200, LEASE("you", "2"));
        assert_int_equal(fake_next(scene.fake)->method, API_PUT);
        assert_non_null(strstr(fake_next(scene.fake)->body, "\"leaseTransitions\":5"));
        assert_non_null(strstr(fake_next(scene.fake)->body, "\"resourceVersion\":\"2\""));
        assert_non_null(strstr(fake_next(scene.fake)->body, "\"labels\":{\"keep\":\"me\"}"));
        fake_reply(scene.fake, 409, "{}"); /* somebody else was quicker */
        assert_int_equal(fake_pending(scene.fake), 0);
        expect(&scene, "!");
        virtual_loop_advance(scene.loop, 4400 * NS_PER_MS);
        fake_reply(scene.fake, 200, LEASE("third", "3"));
        expect(&scene, "=(third)");
        assert_false(lease_elector_is_leader(scene.elector));
        assert_true(slice_is(lease_elector_leader(scene.elector), "third"));
        scene_end(&scene);
}

static void test_free_lease_is_taken(void **state) {
        static const struct {
                const char *lease;
                const char *transitions, *acquired;
        } cases[] = {
                { LEASE("", "7"), "\"leaseTransitions\":5", "2026-01-01T00:00:00" },
                /* our own, from before a restart */
                { LEASE("me", "7"), "\"leaseTransitions\":4", "2025-12-31T23:00:00" },
        };

        (void)state;
        for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
                struct scene scene;

                scene_init(&scene);
                fake_reply(scene.fake, 200, cases[i].lease);
                assert_non_null(strstr(fake_next(scene.fake)->body, cases[i].transitions));
                assert_non_null(strstr(fake_next(scene.fake)->body, cases[i].acquired));
                accept_write(&scene);
                expect(&scene, "(me)+");
                scene_end(&scene);
        }
}

static void test_renewal_fails(void **state) {
        struct scene scene;

        (void)state;
        lead_after_creation(&scene);
        virtual_loop_advance(scene.loop, 2 * NS_PER_S);
        fake_lose(scene.fake, BERTH_ERR_UNAVAILABLE); /* tried again by reading first */
        virtual_loop_advance(scene.loop, 2 * NS_PER_S);
        assert_int_equal(fake_next(scene.fake)->method, API_GET);
        fake_reply(scene.fake, 200, LEASE("me", "1"));
        accept_write(&scene);
        expect(&scene, "!=");
        assert_true(lease_elector_is_leader(scene.elector));
        virtual_loop_advance(scene.loop, 9999 * NS_PER_MS); /* silence: the deadline ends it */
        assert_true(lease_elector_is_leader(scene.elector));
        assert_int_equal(fake_pending(scene.fake), 1);
        virtual_loop_advance(scene.loop, NS_PER_MS);
        expect(&scene, "!-");
        assert_int_equal(fake_pending(scene.fake), 0); /* given up */
        assert_false(lease_elector_is_leader(scene.elector));
        virtual_loop_advance(scene.loop, 4400 * NS_PER_MS);
        fake_reply(scene.fake, 200, LEASE("me", "1"));
        accept_write(&scene);
        expect(&scene, "=+");
        scene_end(&scene);
}

static void test_taken_away(void **state) {
        struct scene scene;

        (void)state;
        lead_after_creation(&scene);
        virtual_loop_advance(scene.loop, 2 * NS_PER_S);
        fake_reply(scene.fake, 409, "{}");
        assert_int_equal(fake_next(scene.fake)->method, API_GET); /* at once */
        fake_reply(scene.fake, 200, LEASE("you", "9"));
        expect(&scene, "-(you)");
        assert_false(lease_elector_is_leader(scene.elector));
        scene_end(&scene);

        lead_after_creation(&scene); /* only touched: nothing happens */
        virtual_loop_advance(scene.loop, 2 * NS_PER_S);
        fake_reply(scene.fake, 409, "{}");
        fake_reply(scene.fake, 200, LEASE("me", "9"));
        fake_reply(scene.fake, 409, "{}"); /* twice: no haste any more */
        assert_int_equal(fake_pending(scene.fake), 0);
        virtual_loop_advance(scene.loop, 2 * NS_PER_S);
        fake_reply(scene.fake, 200, LEASE("me", "10"));
        accept_write(&scene);
        expect(&scene, "!=");
        virtual_loop_advance(scene.loop, 2 * NS_PER_S);
        fake_reply(scene.fake, 409, "{}");
        fake_reply(scene.fake, 404, "{}"); /* deleted: made anew */
        assert_non_null(strstr(fake_next(scene.fake)->body, "\"leaseTransitions\":0"));
        accept_write(&scene);
        expect(&scene, "");
        scene_end(&scene);
}

static void test_release(void **state) {
        struct scene scene;

        (void)state;
        lead_after_creation(&scene);
        virtual_loop_advance(scene.loop, 2 * NS_PER_S); /* a renewal is under way */
        lease_elector_release(scene.elector, on_released, &scene.history);
        expect(&scene, "-");
        fake_reply(scene.fake, 200, LEASE("me", "5"));
        assert_non_null(strstr(fake_next(scene.fake)->body, "\"holderIdentity\":\"\""));
        assert_non_null(strstr(fake_next(scene.fake)->body, "\"leaseDurationSeconds\":1,"));
        assert_non_null(strstr(fake_next(scene.fake)->body, "\"leaseTransitions\":4"));
        accept_write(&scene);
        expect(&scene, ".");
        virtual_loop_advance(scene.loop, 100 * NS_PER_S);
        assert_int_equal(fake_pending(scene.fake), 0);
        scene_end(&scene);

        lead_after_creation(&scene); /* not ours any more */
        lease_elector_release(scene.elector, on_released, &scene.history);
        fake_reply(scene.fake, 200, LEASE("you", "5"));
        expect(&scene, "-.");
        scene_end(&scene);

        lead_after_creation(&scene); /* nobody there */
        lease_elector_release(scene.elector, on_released, &scene.history);
        fake_lose(scene.fake, BERTH_ERR_TIMEOUT);
        expect(&scene, "-.");
        scene_end(&scene);

        scene_init(&scene); /* never led */
        lease_elector_release(scene.elector, on_released, &scene.history);
        expect(&scene, "");
        virtual_loop_advance(scene.loop, NS_PER_MS);
        expect(&scene, ".");
        scene_end(&scene);
}

/* A process that slept does not believe to lead before its timers have run. */
static void test_stopped_clock(void **state) {
        struct scene scene;

        (void)state;
        lead_after_creation(&scene);
        virtual_loop_sleep(scene.loop, 16 * NS_PER_S);
        assert_false(lease_elector_is_leader(scene.elector));
        assert_int_equal(lease_elector_overdue_ns(scene.elector), NS_PER_S);
        scene_end(&scene);
}

static void test_configurations(void **state) {
        static const struct {
                const char *name, *identity;
                int64_t duration_s, deadline_s, retry_s;
        } cases[] = {
                { "", "me", 15, 10, 2 },  { "l", "", 15, 10, 2 },    { "l", "me", 10, 10, 2 },
                { "l", "me", 15, 10, 9 }, { "l", "me", 15, 10, -1 },
        };
        struct virtual_loop *loop = virtual_loop_new();
        struct fake_transport *fake = fake_transport_new();

        (void)state;
        for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
                struct lease_elector_config config = {
                        .namespace_name = "n",
                        .name = cases[i].name,
                        .identity = cases[i].identity,
                        .duration_ns = cases[i].duration_s * NS_PER_S,
                        .renew_deadline_ns = cases[i].deadline_s * NS_PER_S,
                        .retry_period_ns = cases[i].retry_s * NS_PER_S,
                };
                struct lease_elector *elector = NULL;
                struct err err = { 0 };

                assert_int_equal(lease_elector_new(&config, &fake->transport,
                                                   virtual_loop_get(loop), &elector, &err),
                                 BERTH_ERR_INVALID);
                assert_null(elector);
        }
        assert_int_equal(fake->count, 0);
        lease_elector_free(NULL);
        fake_transport_free(fake);
        virtual_loop_free(loop);
}

/* ---- two electors and a server ---- */

struct candidate {
        struct lease_elector *elector;
        struct local_transport *local;
        struct transport transport;
        struct history history;
};

static void candidate_init(struct candidate *candidate, struct fixture *f, const char *identity,
                           uint64_t seed) {
        struct lease_elector_config config = { .namespace_name = "kube-system",
                                               .name = "l",
                                               .identity = identity,
                                               .seed = seed,
                                               .events = &events,
                                               .context = &candidate->history };

        *candidate = (struct candidate){ 0 };
        candidate->local = local_transport_new(f->server, virtual_loop_get(f->fake),
                                               &api_user_scheduler, "berth/1");
        candidate->transport = local_transport(candidate->local);
        assert_int_equal(lease_elector_new(&config, &candidate->transport,
                                           virtual_loop_get(f->fake), &candidate->elector, NULL),
                         0);
}

static void candidate_release(struct candidate *candidate) {
        lease_elector_free(candidate->elector);
        local_transport_free(candidate->local);
}

static void test_two_electors(void **state) {
        struct fixture f = fixture_new();
        struct candidate a, b;
        int leaders;

        (void)state;
        candidate_init(&a, &f, "a", 1);
        candidate_init(&b, &f, "b", 2);
        for (int i = 0; i < 1000; i++) {
                virtual_loop_advance(f.fake, 100 * NS_PER_MS);
                leaders = lease_elector_is_leader(a.elector) + lease_elector_is_leader(b.elector);
                assert_true(leaders <= 1);
        }
        assert_string_equal(a.history.text, "(a)+");
        assert_string_equal(b.history.text, "!=(a)"); /* its creation came second */
        assert_true(slice_is(lease_elector_metadata(a.elector, "name"), "l"));
        assert_true(lease_elector_metadata(a.elector, "uid").len > 0);
        assert_true(lease_elector_metadata(a.elector, "resourceVersion").len > 0);
        lease_elector_release(a.elector, on_released, &a.history);
        virtual_loop_advance(f.fake, 5 * NS_PER_S);
        assert_string_equal(a.history.text, "(a)+-.");
        assert_string_equal(b.history.text, "!=(a)(b)+");
        candidate_release(&a);
        candidate_init(&a, &f, "a2", 3);
        virtual_loop_advance(f.fake, 60 * NS_PER_S);
        assert_string_equal(a.history.text, "(b)");
        candidate_release(&b); /* crashes: the lease runs out */
        virtual_loop_advance(f.fake, 14 * NS_PER_S);
        assert_string_equal(a.history.text, "(b)");
        virtual_loop_advance(f.fake, 6 * NS_PER_S);
        assert_string_equal(a.history.text, "(b)(a2)+");
        ask(&f, "GET", LEASES "/l", "");
        assert_int_equal(json_get_i64(answer_at(&f, "/spec"), "leaseTransitions", 0), 2);
        candidate_release(&a);
        fixture_free(&f);
}

int main(void) {
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(test_creation_and_renewal),
                cmocka_unit_test(test_waiting_for_another),
                cmocka_unit_test(test_free_lease_is_taken),
                cmocka_unit_test(test_renewal_fails),
                cmocka_unit_test(test_taken_away),
                cmocka_unit_test(test_release),
                cmocka_unit_test(test_stopped_clock),
                cmocka_unit_test(test_configurations),
                cmocka_unit_test(test_two_electors),
        };

        return cmocka_run_group_tests(tests, NULL, NULL);
}
