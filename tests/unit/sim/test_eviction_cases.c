/* The acceptance cases of the EvictionRequest API (C, D, E of the reference, and A14), each a
 * script that is played on a small simulated cluster without other faults than its own. */
#include "base/util.h"
#include "evict/eviction_policy.h"
#include "eviction_scene.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define REQUEST(name) GROUP "/evictionrequests/" name
#define BUDGET "/apis/policy/v1/namespaces/default/poddisruptionbudgets/p"
#define STAGES(a, b, c) POLICY(STAGE(a, "") "," STAGE(b, "") "," STAGE(c, ""), "")

#define MOVER_IS(state) "{\"name\":\"" MOVER "\",\"priority\":10000,\"state\":\"" state "\"}"
#define EVICTOR_IS(state)                                                                          \
        "{\"name\":\"" EVICTION_EVICTOR "\",\"priority\":100,\"state\":\"" state "\"}"

/* ---- scripts ---- */

enum doing {
        DO_END,
        DO_GUARD,      /* a budget that never opens */
        DO_POD,        /* pod p; what: members of its metadata, more: of its spec */
        DO_POLICY,     /* what: the object; and pod p */
        DO_REQUEST,    /* what: its name, more: the requester */
        DO_REQUEST_OF, /* the same; detail: the pod's uid */
        DO_HELD,       /* a request with a finalizer */
        DO_DUE,        /* a request with a deadline, number seconds ahead */
        DO_INTENT,     /* what: name of the request, more: the intent */
        DO_DELETE,     /* what: path */
        DO_ASK,        /* what: method, more: path, detail: body, number: status expected */
        DO_WAIT,       /* number: seconds */
        DO_HOOK,       /* what: stage, more: its answer, number: how often InProgress */
        DO_COMPLETE,   /* what: a responder, which says it is done */
        DO_BEAT,       /* the mover shows itself */
        DO_REPORT,     /* what: member of the mover's entry, more: value, number: status */
        DO_REPORT_OFF, /* what: member; its value is the time now, detail off by number seconds */
        DO_DUPLICATE,  /* somebody else makes an Eviction of the pod */
        DO_CONFLICTS,  /* every write conflicts for number seconds */
        SEE_HAS,       /* what: path, more: part of the object */
        SEE_LACKS,     /* the same */
        SEE_STATUS,    /* what: path, number: of a GET */
        SEE_ORDER,     /* what: orders that hooks got */
        SEE_AFTER_CANCEL, /* what: those from the first cancel on */
        SEE_CALLS,        /* number, limit: eviction calls so far */
        SEE_AUDIT,        /* what: part of the trail */
        SEE_AUDIT_TIMES,  /* the same, and more in the same line; number: how often */
        SEE_STEADY, /* number: minutes; limit: most seconds between heartbeats and between calls */
};
struct step {
        enum doing doing;
        const char *what, *more, *detail;
        int64_t number, limit;
};

#define GUARD                                                                                      \
        { DO_GUARD, NULL, NULL, NULL, 0, 0 }
#define POD_WITH(meta, spec)                                                                       \
        { DO_POD, meta, spec, NULL, 0, 0 }
#define MAKE_POD POD_WITH("", "")
#define MOVABLE POD_WITH(WITH_MOVER, "")
#define MAKE_POLICY(body)                                                                          \
        { DO_POLICY, body, NULL, NULL, 0, 0 }
#define WANT(name, requester)                                                                      \
        { DO_REQUEST, name, requester, NULL, 0, 0 }
#define WANT_UID(name, requester, uid)                                                             \
        { DO_REQUEST_OF, name, requester, uid, 0, 0 }
#define WANT_HELD(name, requester)                                                                 \
        { DO_HELD, name, requester, NULL, 0, 0 }
#define WANT_WITHIN(name, requester, seconds)                                                      \
        { DO_DUE, name, requester, NULL, seconds, 0 }
#define INTENT(name, intent)                                                                       \
        { DO_INTENT, name, intent, NULL, 0, 0 }
#define DELETE(path)                                                                               \
        { DO_DELETE, path, NULL, NULL, 0, 0 }
#define ASK(method, path, body, status)                                                            \
        { DO_ASK, method, path, body, status, 0 }
#define WAIT(seconds)                                                                              \
        { DO_WAIT, NULL, NULL, NULL, seconds, 0 }
#define HOOK(stage, answer, times)                                                                 \
        { DO_HOOK, stage, answer, NULL, times, 0 }
#define COMPLETE_AS(who)                                                                           \
        { DO_COMPLETE, who, NULL, NULL, 0, 0 }
#define COMPLETE COMPLETE_AS(MOVER)
#define BEAT                                                                                       \
        { DO_BEAT, NULL, NULL, NULL, 0, 0 }
#define REPORT(member, value, status)                                                              \
        { DO_REPORT, member, value, NULL, status, 0 }
#define REPORT_AT(member, seconds, status)                                                         \
        { DO_REPORT_OFF, member, NULL, NULL, seconds, status }
#define DUPLICATE                                                                                  \
        { DO_DUPLICATE, NULL, NULL, NULL, 0, 0 }
#define CONFLICTS(seconds)                                                                         \
        { DO_CONFLICTS, NULL, NULL, NULL, seconds, 0 }
#define HAS(path, part)                                                                            \
        { SEE_HAS, path, part, NULL, 0, 0 }
#define LACKS(path, part)                                                                          \
        { SEE_LACKS, path, part, NULL, 0, 0 }
#define GONE(path)                                                                                 \
        { SEE_STATUS, path, NULL, NULL, 404, 0 }
#define THERE(path)                                                                                \
        { SEE_STATUS, path, NULL, NULL, 200, 0 }
#define ORDER(text)                                                                                \
        { SEE_ORDER, text, NULL, NULL, 0, 0 }
#define AFTER_CANCEL(text)                                                                         \
        { SEE_AFTER_CANCEL, text, NULL, NULL, 0, 0 }
#define CALLS(least, most)                                                                         \
        { SEE_CALLS, NULL, NULL, NULL, least, most }
#define AUDIT(part)                                                                                \
        { SEE_AUDIT, part, NULL, NULL, 0, 0 }
#define STEADY(minutes, beat_s, call_s)                                                            \
        { SEE_STEADY, NULL, NULL, NULL, minutes, (int64_t)(beat_s) << 32 | (call_s) }
#define AUDIT_TIMES(part, also, times)                                                             \
        { SEE_AUDIT_TIMES, part, also, NULL, times, 0 }

static void want_with(struct scene *scene, const struct step *step) {
        char uid[64], meta[160], when[WALL_TIME_TEXT_MAX];

        uid_of(scene, "p", uid);
        wall_time_format(
                (struct wall_time){ sim_world_wall(scene->world).ns + step->number * NS_PER_S },
                when);
        if (step->doing == DO_DUE)
                snprintf(meta, sizeof(meta),
                         ",\"annotations\":{\"lifecycle.berth.dev/deadline\":\"%s\"}", when);
        else
                snprintf(meta, sizeof(meta), ",\"finalizers\":[\"example.com/hold\"]");
        assert_int_equal(make_request_of(scene, step->what, step->more, uid, meta), 201);
}

static void duplicate(struct scene *scene) {
        char uid[64], body[400];

        uid_of(scene, "p", uid);
        snprintf(body, sizeof(body),
                 "{\"apiVersion\":\"lifecycle.berth.dev/v1alpha1\",\"kind\":\"Eviction\","
                 "\"metadata\":{\"name\":\"foreign\"},\"spec\":{\"target\":{\"pod\":{\"name\":"
                 "\"p\",\"uid\":\"%s\"}}}}",
                 uid);
        sim_world_allow_duplicates(scene->world);
        assert_int_equal(ask(scene, "POST", GROUP "/evictions", body), 201);
}

static void report_at(struct scene *scene, const struct step *step) {
        char when[WALL_TIME_TEXT_MAX];

        wall_time_format_micro(
                (struct wall_time){ sim_world_wall(scene->world).ns + step->number * NS_PER_S },
                when);
        assert_int_equal(report_mover(scene, step->what, when), step->limit);
}

static void complete_as(struct scene *scene, const char *who) {
        char now[WALL_TIME_TEXT_MAX];

        wall_time_format_micro(sim_world_wall(scene->world), now);
        assert_int_equal(report_as(scene, EVICTION_1, who, "completionTime", now), 200);
        wait_s(scene, 2);
}

static void make(struct scene *scene, const struct step *step) {
        switch (step->doing) {
        case DO_GUARD:
                guard(scene);
                break;
        case DO_POD:
                make_pod(scene, "p", step->what, step->more);
                break;
        case DO_POLICY:
                make_policy(scene, step->what);
                break;
        case DO_REQUEST:
                make_request(scene, step->what, step->more);
                break;
        case DO_REQUEST_OF:
                assert_int_equal(make_request_of(scene, step->what, step->more, step->detail, ""),
                                 201);
                break;
        case DO_DUPLICATE:
                duplicate(scene);
                break;
        default:
                want_with(scene, step);
        }
}

static void act(struct scene *scene, const struct step *step) {
        switch (step->doing) {
        case DO_INTENT:
                set_intent(scene, step->what, step->more);
                break;
        case DO_DELETE:
                ask(scene, "DELETE", step->what, "");
                break;
        case DO_WAIT:
                wait_s(scene, step->number);
                break;
        case DO_HOOK:
                scene->stage = step->what;
                scene->answer = step->more;
                scene->in_progress_left = (unsigned)step->number;
                break;
        case DO_COMPLETE:
                complete_as(scene, step->what);
                break;
        case DO_BEAT:
                beat_mover(scene);
                break;
        case DO_REPORT_OFF:
                report_at(scene, step);
                break;
        default:
                sim_faults_begin_conflicts(sim_world_faults(scene->world), step->number * NS_PER_S);
        }
}

static size_t audit_times(struct scene *scene, const struct step *step) {
        struct slice rest = sim_world_audit(scene->world), line;
        size_t times = 0;

        while (slice_split(&rest, '\n', &line))
                times += slice_contains(line, slice_of(step->what)) &&
                         slice_contains(line, slice_of(step->more));
        return times;
}

static int64_t beat_age_s(struct scene *scene) {
        struct eviction *eviction = eviction_at(scene, EVICTION_1);
        int active = eviction_active(&eviction->status);
        const struct eviction_responder *responder =
                active < 0 ? NULL : &eviction->status.responders[active];
        struct wall_time last = { 0 };

        if (responder)
                last = wall_time_is_set(responder->heartbeat) ? responder->heartbeat
                                                              : responder->start;
        eviction_free(eviction);
        return (sim_world_wall(scene->world).ns - last.ns) / NS_PER_S;
}

/* Looks every ten seconds: somebody is Active, shows itself, and asks. */
static const char *stay_steady(struct scene *scene, const struct step *step) {
        int64_t beat_s = step->limit >> 32, call_s = step->limit & UINT32_MAX, silent_s = 0;
        uint64_t calls = sim_world_evict_calls(scene->world);

        for (int64_t left = step->number * 6; left > 0; left--) {
                wait_s(scene, 10);
                if (beat_age_s(scene) > beat_s)
                        return "shows no sign of life";
                silent_s = calls == sim_world_evict_calls(scene->world) ? silent_s + 10 : 0;
                calls = sim_world_evict_calls(scene->world);
                if (call_s && silent_s > call_s)
                        return "does not ask again";
        }
        return NULL;
}

/* What is wrong with what is seen; NULL when nothing is. */
static const char *look(struct scene *scene, const struct step *step) {
        uint64_t calls = sim_world_evict_calls(scene->world);
        const char *from;

        switch (step->doing) {
        case DO_ASK:
                return ask(scene, step->what, step->more, step->detail) == step->number
                               ? NULL
                               : "answered otherwise";
        case DO_REPORT:
                return report_mover(scene, step->what, step->more) == step->number
                               ? NULL
                               : "answered otherwise";
        case SEE_HAS:
                return has(scene, step->what, step->more) ? NULL : "has it not";
        case SEE_LACKS:
                return has(scene, step->what, step->more) ? "has it" : NULL;
        case SEE_STATUS:
                return ask(scene, "GET", step->what, "") == step->number ? NULL : "is not so";
        case SEE_ORDER:
                return strcmp(scene->order, step->what) == 0 ? NULL : scene->order;
        case SEE_AFTER_CANCEL:
                from = strstr(scene->order, "cancel");
                return from && strcmp(from, step->what) == 0 ? NULL : scene->order;
        case SEE_CALLS:
                return calls >= (uint64_t)step->number && calls <= (uint64_t)step->limit
                               ? NULL
                               : "other eviction calls";
        case SEE_STEADY:
                return stay_steady(scene, step);
        case SEE_AUDIT_TIMES:
                return audit_times(scene, step) == (size_t)step->number ? NULL
                                                                        : "so often it is not";
        default:
                return slice_contains(sim_world_audit(scene->world), slice_of(step->what))
                               ? NULL
                               : "is not in the trail";
        }
}

static void play_on(const struct step *script, const struct sim_world_config *config) {
        struct scene scene;

        open_scene_with(&scene, config);
        for (size_t i = 0; script[i].doing != DO_END; i++) {
                const struct step *step = &script[i];
                bool is_look =
                        step->doing >= SEE_HAS || step->doing == DO_ASK || step->doing == DO_REPORT;
                const char *wrong = NULL;

                if (is_look)
                        wrong = look(&scene, step);
                else if (step->doing <= DO_DUE || step->doing == DO_DUPLICATE)
                        make(&scene, step);
                else
                        act(&scene, step);
                if (wrong)
                        fail_msg("step %zu: %s %s: %s", i, step->what ? step->what : "",
                                 step->more ? step->more : "", wrong);
        }
        close_scene(&scene);
}

static void play(void **state) {
        play_on(*state, &(struct sim_world_config){ 0 });
}

/* Without a look at every change, for what a server that knows the time would not have taken. */
static void play_unchecked(void **state) {
        play_on(*state, &(struct sim_world_config){ .is_unchecked = true });
}

/* ---- A: an eviction call that always conflicts ---- */

static const struct step always_conflicts[] = {
        GUARD,
        MAKE_POD,
        WANT("want", ANNA),
        WAIT(3),
        CALLS(1, 1),
        CONFLICTS(60),
        DELETE(BUDGET),
        WAIT(59),
        CALLS(2, 10),
        THERE(POD),
        LACKS(POD, "deletionTimestamp"),
        WAIT(300),
        HAS(EVICTION_1, "\"reason\":\"PodDeleted\""),
        { 0 },
};

/* ---- C: the controller ---- */

#define EVICTED(reason) "{\"type\":\"TargetEvicted\",\"status\":\"True\",\"reason\":\"" reason "\""

static const struct step no_responders[] = {
        GUARD,
        MAKE_POD,
        WANT("want", ANNA),
        WAIT(3),
        HAS(EVICTION_1, "\"targetResponders\":[" EVICTOR_IS("Active") "]"),
        DELETE(BUDGET),
        WAIT(30),
        HAS(EVICTION_1, EVICTED("PodDeleted")),
        HAS(EVICTION_1, EVICTOR_IS("Completed")),
        HAS(REQUEST("want"), EVICTED("PodDeleted")),
        GONE(POD),
        { 0 },
};

static const struct step invalid_targets[] = {
        WANT_UID("absent", ANNA, "00000000-0000-4000-8000-000000000000"),
        POD_WITH("", ",\"schedulingGroup\":{\"podGroupName\":\"g\"}"),
        WANT_UID("wrong", ANNA, "00000000-0000-4000-8000-000000000001"),
        WANT("grouped", ANNA),
        WAIT(30),
        HAS(REQUEST("absent"), "\"reason\":\"EvictionInvalid\""),
        HAS(REQUEST("wrong"), "\"reason\":\"EvictionInvalid\""),
        HAS(REQUEST("grouped"), "\"reason\":\"EvictionInvalid\""),
        GONE(EVICTION_1),
        THERE(POD),
        { 0 },
};

/* Two requesters share one Eviction; it is cancelled when the last one withdraws, and comes back as
 * another when one changes its mind. */
static const struct step two_requesters[] = {
        GUARD,
        MAKE_POD,
        WANT("one", ANNA),
        WANT("two", BERT),
        WAIT(10),
        HAS(EVICTION_1, "\"" ANNA "\":\"requester\""),
        HAS(EVICTION_1, "\"" BERT "\":\"requester\""),
        HAS(EVICTION_1, "\"name\":\"one\""),
        HAS(EVICTION_1, "\"name\":\"two\""),
        GONE(EVICTION_2),
        INTENT("one", "Withdrawn"),
        WAIT(10),
        HAS(EVICTION_1, "\"state\":\"Active\""),
        HAS(EVICTION_1, "{\"name\":\"" ANNA "\",\"intent\":\"Withdrawn\"}"),
        INTENT("two", "Withdrawn"),
        WAIT(10),
        HAS(EVICTION_1, "\"state\":\"Canceled\""),
        HAS(EVICTION_1, "\"reason\":\"CanceledDueToNoRequesters\""),
        INTENT("one", "Eviction"),
        WAIT(10),
        HAS(EVICTION_2, "\"state\":\"Active\""),
        HAS(REQUEST("one"),
            "{\"type\":\"Failed\",\"status\":\"False\",\"reason\":\"AwaitingEviction\""),
        HAS(REQUEST("one"),
            "{\"type\":\"TargetEvicted\",\"status\":\"False\",\"reason\":\"AwaitingEviction\""),
        LACKS(REQUEST("one"), "CanceledDueToNoRequesters"),
        { 0 },
};

static const struct step deleted_with_finalizer[] = {
        GUARD,
        MAKE_POD,
        WANT_HELD("want", ANNA),
        WAIT(10),
        HAS(EVICTION_1, "\"state\":\"Active\""),
        DELETE(REQUEST("want")),
        WAIT(10),
        HAS(EVICTION_1, "\"reason\":\"CanceledDueToNoRequesters\""),
        { 0 },
};

static const struct step collected[] = {
        GUARD,    MAKE_POD,          WANT("want", ANNA),
        WAIT(10), THERE(EVICTION_1), DELETE(REQUEST("want")),
        WAIT(30), GONE(EVICTION_1),  THERE(POD),
        { 0 },
};

static const struct step foreign_duplicate[] = {
        GUARD,
        MAKE_POD,
        WANT("want", ANNA),
        WAIT(10),
        DUPLICATE,
        WAIT(10),
        HAS(GROUP "/evictions/foreign", "\"reason\":\"EvictionInvalid\""),
        HAS(EVICTION_1, "\"state\":\"Active\""),
        { 0 },
};

static const struct step in_order[] = {
        GUARD,
        POD_WITH(",\"annotations\":{\"lifecycle.berth.dev/eviction-responders\":"
                 "\"l.io/x=5000,b.io/x=10000,a.io/x=10000\"}",
                 ""),
        WANT("want", ANNA),
        WAIT(10),
        HAS(EVICTION_1, "[{\"name\":\"a.io/x\",\"priority\":10000,\"state\":\"Active\"},"
                        "{\"name\":\"b.io/x\",\"priority\":10000,\"state\":\"Inactive\"},"
                        "{\"name\":\"l.io/x\",\"priority\":5000,\"state\":\"Inactive\"},"
                        "{\"name\":\"" EVICTION_EVICTOR "\",\"priority\":100,"),
        { 0 },
};

/* The rules of the definitions say no; what may change changes. */
static const struct step fixed_once_made[] = {
        GUARD,
        MAKE_POD,
        WANT("want", ANNA),
        WAIT(10),
        ASK("PATCH", REQUEST("want"), "{\"spec\":{\"requester\":\"" BERT "\"}}", 422),
        ASK("PATCH", REQUEST("want"), "{\"spec\":{\"target\":{\"pod\":{\"name\":\"q\"}}}}", 422),
        ASK("PATCH", EVICTION_1, "{\"spec\":{\"target\":{\"pod\":{\"name\":\"q\"}}}}", 422),
        ASK("PATCH", REQUEST("want"), "{\"spec\":{\"intent\":\"Perhaps\"}}", 422),
        ASK("PATCH", REQUEST("want"), "{\"spec\":{\"intent\":\"Withdrawn\"}}", 200),
        ASK("POST", GROUP "/evictionrequests",
            "{\"apiVersion\":\"lifecycle.berth.dev/v1alpha1\",\"kind\":\"EvictionRequest\","
            "\"metadata\":{\"name\":\"core\"},\"spec\":{\"target\":{\"pod\":{\"name\":\"p\","
            "\"uid\":"
            "\"00000000-0000-4000-8000-000000000001\"}},\"requester\":\"x.k8s.io/y\",\"intent\":"
            "\"Eviction\"}}",
            422),
        { 0 },
};

static const struct step finishes_by_itself[] = {
        GUARD,
        MAKE_POD,
        WANT("want", ANNA),
        WAIT(10),
        ASK("PATCH", POD "/status", "{\"status\":{\"phase\":\"Succeeded\"}}", 200),
        WAIT(30),
        HAS(EVICTION_1, EVICTED("PodTerminal")),
        HAS(REQUEST("want"), EVICTED("PodTerminal")),
        THERE(POD),
        LACKS(POD, "deletionTimestamp"),
        { 0 },
};

static const struct step requester_and_responder[] = {
        MOVABLE,  WANT("want", MOVER),
        WAIT(10), HAS(EVICTION_1, "\"" MOVER "\":\"requester-responder\""),
        { 0 },
};

/* ---- D: responders ---- */

static const struct step completed_passes_on[] = {
        GUARD,
        MOVABLE,
        WANT("want", ANNA),
        WAIT(10),
        HAS(EVICTION_1, MOVER_IS("Active")),
        COMPLETE,
        HAS(EVICTION_1, MOVER_IS("Completed") "," EVICTOR_IS("Active")),
        HAS(EVICTION_1, "{\"name\":\"" EVICTION_EVICTOR "\",\"startTime\":"),
        { 0 },
};

static const struct step silent_for_20_minutes[] = {
        GUARD,
        MOVABLE,
        WANT("want", ANNA),
        WAIT(19 * 60),
        HAS(EVICTION_1, MOVER_IS("Active")),
        WAIT(90),
        HAS(EVICTION_1, MOVER_IS("Interrupted")),
        HAS(EVICTION_1, EVICTOR_IS("Active")),
        AUDIT("\"op\":\"heartbeat-lost\""),
        { 0 },
};

/* A heartbeat that goes back or goes is refused by the definition's rules, and so is another start;
 * what is 31 s off they cannot see, so that is taken and ignored.  None of it is a sign of life. */
#define BAD_HEARTBEAT(name, begin, bad)                                                            \
        static const struct step name[] = {                                                        \
                GUARD,                                                                             \
                MOVABLE,                                                                           \
                WANT("want", ANNA),                                                                \
                WAIT(60),                                                                          \
                begin,                                                                             \
                WAIT(60),                                                                          \
                bad,                                                                               \
                WAIT(18 * 60 + 50),                                                                \
                HAS(EVICTION_1, MOVER_IS("Active")),                                               \
                WAIT(20), /* twenty minutes since it began */                                      \
                HAS(EVICTION_1, MOVER_IS("Interrupted")),                                          \
                HAS(EVICTION_1, EVICTOR_IS("Active")),                                             \
                { 0 },                                                                             \
        }

BAD_HEARTBEAT(heartbeat_behind, BEAT, REPORT_AT("heartbeatTime", -31, 200));
BAD_HEARTBEAT(heartbeat_ahead, BEAT, REPORT_AT("heartbeatTime", 31, 200));
BAD_HEARTBEAT(heartbeat_back, BEAT, REPORT_AT("heartbeatTime", -61, 422));
BAD_HEARTBEAT(heartbeat_gone, BEAT,
              ASK("PATCH", EVICTION_1 "/status",
                  "{\"status\":{\"responders\":[{\"name\":\"" MOVER "\"},"
                  "{\"name\":\"" EVICTION_EVICTOR "\"}]}}",
                  422));
BAD_HEARTBEAT(another_start, BEAT, REPORT("startTime", "2026-01-01T00:00:00.000000Z", 422));

/* One that is 29 s off is one. */
static const struct step late_heartbeat[] = {
        GUARD,
        MOVABLE,
        WANT("want", ANNA),
        WAIT(5 * 60),
        REPORT_AT("heartbeatTime", -29, 200),
        WAIT(19 * 60),
        HAS(EVICTION_1, MOVER_IS("Active")),
        WAIT(90),
        HAS(EVICTION_1, MOVER_IS("Interrupted")),
        { 0 },
};

static const struct step bad_states[] = {
        GUARD,
        MOVABLE,
        WANT("want", ANNA),
        WAIT(10),
        ASK("PATCH", EVICTION_1 "/status",
            "{\"status\":{\"targetResponders\":[" MOVER_IS("Active") "," EVICTOR_IS("Active") "]}}",
            422),
        ASK("PATCH", EVICTION_1 "/status",
            "{\"status\":{\"targetResponders\":[" EVICTOR_IS("Active") "]}}", 422),
        COMPLETE,
        ASK("PATCH", EVICTION_1 "/status",
            "{\"status\":{\"targetResponders\":[" MOVER_IS("Interrupted") "," EVICTOR_IS(
                    "Active") "]}}",
            422),
        ASK("PATCH", EVICTION_1 "/status", "{\"status\":{\"observedGeneration\":null}}", 422),
        HAS(EVICTION_1, MOVER_IS("Completed")),
        { 0 },
};

static const struct step declined[] = {
        GUARD,
        POD_WITH(",\"annotations\":{\"lifecycle.berth.dev/eviction-responders\":"
                 "\"a.io/x=9000,b.io/x=8000\"}",
                 ""),
        WANT("want", ANNA),
        WAIT(5),
        COMPLETE_AS("a.io/x"),
        HAS(EVICTION_1, "{\"name\":\"b.io/x\",\"priority\":8000,\"state\":\"Active\"}"),
        COMPLETE_AS("b.io/x"),
        HAS(EVICTION_1,
            "\"targetResponders\":["
            "{\"name\":\"a.io/x\",\"priority\":9000,\"state\":\"Completed\"},"
            "{\"name\":\"b.io/x\",\"priority\":8000,\"state\":\"Completed\"}," EVICTOR_IS(
                    "Active")),
        CALLS(1, 1),
        DELETE(BUDGET),
        WAIT(20),
        HAS(EVICTION_1, EVICTED("PodDeleted")),
        { 0 },
};

/* ---- D: stages ---- */

static const struct step in_progress_three_times[] = {
        HOOK("prepare", "InProgress", 3),
        MAKE_POLICY(POLICY(STAGE("prepare", "") "," STAGE("copy", ""), "")),
        WANT("want", ANNA),
        WAIT(60),
        ORDER("run prepare, poll prepare, poll prepare, poll prepare, run copy"),
        HAS(EVICTION_1, EVICTED("PodDeleted")),
        HAS(EVICTION_1, "completed=2/2"),
        AUDIT_TIMES("\"op\":\"stage-start\"", "\"stage\":\"prepare\"", 1),
        AUDIT_TIMES("\"op\":\"stage-end\"", "\"stage\":\"prepare\"", 1),
        { 0 },
};

/* Under way for longer, it shows that it lives at least every minute or so. */
static const struct step in_progress_and_alive[] = {
        HOOK("prepare", "InProgress", 40),
        MAKE_POLICY(POLICY(STAGE("prepare", "") "," STAGE("copy", ""), "")),
        WANT("want", ANNA),
        WAIT(20),
        STEADY(2, 90, 0),
        AUDIT_TIMES("\"op\":\"stage-start\"", "\"stage\":\"prepare\"", 1),
        AUDIT_TIMES("\"op\":\"stage-end\"", "\"stage\":\"prepare\"", 0),
        WAIT(120),
        HAS(EVICTION_1, EVICTED("PodDeleted")),
        AUDIT_TIMES("\"op\":\"stage-start\"", "\"stage\":\"prepare\"", 1),
        AUDIT_TIMES("\"op\":\"stage-end\"", "\"stage\":\"prepare\"", 1),
        { 0 },
};

static const struct step room_is_in_the_trail[] = {
        HOOK("prepare", "InProgress", 3),
        MAKE_POLICY(POLICY(STAGE("prepare", "") "," STAGE("copy", ""), "")),
        WANT("want", ANNA),
        WAIT(5),
        ASK("PATCH", EVICTION_1,
            "{\"metadata\":{\"annotations\":{\"lifecycle.berth.dev/reserved\":\"node-7\"}}}", 200),
        WAIT(2),
        AUDIT("\"op\":\"reserve\""),
        AUDIT("\"to\":\"node-7\""),
        WAIT(60),
        HAS(EVICTION_1, "\"reason\":\"PodDeleted\""),
        AUDIT("\"op\":\"release\""),
        AUDIT("\"from\":\"node-7\""),
        { 0 },
};

static const struct step fails_four_times[] = {
        HOOK("move", "500", 0),
        MAKE_POLICY(STAGES("prepare", "copy", "move")),
        WANT("want", ANNA),
        WAIT(120),
        ORDER("run prepare, run copy, run move, run move, run move, run move, cancel move, "
              "rollback copy, rollback prepare"),
        HAS(EVICTION_1, "declined="),
        HAS(EVICTION_1, "\"reason\":\"PodDeleted\""),
        { 0 },
};

/* Berth asked alone: what it cannot do gracefully it does not do. */
static const struct step sole_requester_withdraws[] = {
        HOOK("move", "Failed", 0),
        MAKE_POLICY(POLICY(
                STAGE("prepare", "") "," STAGE("move", ",\"retries\":0") "," STAGE("copy", ""),
                "")),
        WANT("want", "evict.berth.dev/cli"),
        WAIT(120),
        ORDER("run prepare, run move, rollback prepare"),
        HAS(EVICTION_1, "\"reason\":\"CanceledDueToNoRequesters\""),
        THERE(POD),
        { 0 },
};

static const struct step withdrawn_in_a_stage[] = {
        HOOK("move", "InProgress", 1000),
        MAKE_POLICY(STAGES("prepare", "move", "copy")),
        WANT("want", ANNA),
        WAIT(12),
        INTENT("want", "Withdrawn"),
        WAIT(30),
        AFTER_CANCEL("cancel move, rollback prepare"),
        HAS(EVICTION_1, "\"reason\":\"CanceledDueToNoRequesters\""),
        LACKS(EVICTION_1, "\"finalizers\""),
        THERE(POD),
        { 0 },
};

/* The pod is being deleted: there is nothing to go back to, although it is still there. */
static const struct step withdrawn_after_the_deletion[] = {
        HOOK("move", "InProgress", 1000),
        MAKE_POLICY(STAGES("prepare", "move", "copy")),
        WANT("want", ANNA),
        WAIT(12),
        DELETE(POD),
        INTENT("want", "Withdrawn"),
        WAIT(60),
        AFTER_CANCEL("cancel move"),
        GONE(POD),
        { 0 },
};

#define DEADLINE_SCENE(name, stage_more, policy_more, orders)                                      \
        static const struct step name[] = {                                                        \
                HOOK("move", "InProgress", 1000),                                                  \
                MAKE_POLICY(POLICY(                                                                \
                        STAGE("prepare", "") "," STAGE("move", stage_more) "," STAGE("copy", ""),  \
                        policy_more)),                                                             \
                WANT("want", ANNA),                                                                \
                WAIT(90),                                                                          \
                AFTER_CANCEL(orders),                                                              \
                HAS(EVICTION_1, "\"reason\":\"PodDeleted\""),                                      \
                { 0 },                                                                             \
        }

DEADLINE_SCENE(stage_rolls_back, ",\"timeout\":\"40s\"", "", "cancel move, rollback prepare");
DEADLINE_SCENE(stage_goes_on, ",\"timeout\":\"40s\",\"onFailure\":\"Continue\"", "",
               "cancel move, run copy");
DEADLINE_SCENE(stage_declines, ",\"timeout\":\"40s\",\"onFailure\":\"Decline\"", "", "cancel move");
DEADLINE_SCENE(policy_deadline, "", ",\"deadline\":\"40s\"", "cancel move, rollback prepare");

static const struct step wait_and_evict_stages[] = {
        MAKE_POLICY(POLICY(STAGE("prepare", "") ",{\"name\":\"heir\",\"kind\":\"wait\",\"wait\":{"
                                                "\"ready\":{\"selector\":{\"matchLabels\":{\"app\":"
                                                "\"heir\"}},\"count\":1}}},"
                                                "{\"name\":\"copy\",\"kind\":\"evict\"}",
                           "")),
        WANT("want", ANNA),
        WAIT(60),
        HAS(EVICTION_1, "stage=2/3 name=heir"),
        HAS(EVICTION_1, "0 of 1 other pods ready"),
        THERE(POD),
        ASK("POST", PODS,
            "{\"metadata\":{\"name\":\"heir\",\"labels\":{\"app\":\"heir\"}},\"spec\":{"
            "\"nodeName\":"
            "\"n0\",\"containers\":[{\"name\":\"c\",\"image\":\"x\"}]}}",
            201),
        WAIT(40),
        HAS(EVICTION_1, "\"reason\":\"PodDeleted\""),
        HAS(EVICTION_1, "\"priority\":5000,\"state\":\"Completed\""),
        { 0 },
};

/* ---- E: the evictor ---- */

/* In an hour: after 5 s, 10 s, ... and every ten minutes; once the budget opens, at once. */
static const struct step budget_opens[] = {
        GUARD,
        MAKE_POD,
        WANT("want", ANNA),
        WAIT(30),
        HAS(EVICTION_1, "attempts=3"),
        STEADY(59, 180, 600),
        WAIT(30),
        HAS(EVICTION_1, EVICTOR_IS("Active")),
        HAS(EVICTION_1, "attempts=1"), /* ten and more */
        CALLS(10, 15),
        DELETE(BUDGET),
        WAIT(10), /* whatever was left of the pause */
        HAS(EVICTION_1, "\"reason\":\"PodDeleted\""),
        CALLS(11, 16),
        { 0 },
};

static const struct step deadline_withdraws[] = {
        GUARD,
        MAKE_POD,
        WANT_WITHIN("want", "evict.berth.dev/cli", 600),
        WAIT(9 * 60),
        HAS(EVICTION_1, "\"state\":\"Active\""),
        WAIT(2 * 60),
        HAS(EVICTION_1, EVICTOR_IS("Canceled")),
        HAS(EVICTION_1, "\"reason\":\"CanceledDueToNoRequesters\""),
        HAS(REQUEST("want"), "\"intent\":\"Withdrawn\""),
        THERE(POD),
        LACKS(POD, "deletionTimestamp"),
        { 0 },
};

#define STAYS                                                                                      \
        WANT("want", ANNA), WAIT(5), HAS(EVICTION_1, "are not evicted"), STEADY(60, 180, 0),       \
                CALLS(0, 0), HAS(EVICTION_1, EVICTOR_IS("Active")),                                \
                HAS(EVICTION_1, "are not evicted"), THERE(POD), {                                  \
                0                                                                                  \
        }

static const struct step static_pods_stay[] = {
        POD_WITH(",\"annotations\":{\"kubernetes.io/config.mirror\":\"x\"}", ""),
        STAYS,
};

/* Its owner is of a group that nobody serves here, so no collector misses it. */
static const struct step daemon_pods_stay[] = {
        POD_WITH(",\"ownerReferences\":[{\"apiVersion\":\"apps.example.com/"
                 "v1\",\"kind\":\"DaemonSet\","
                 "\"name\":\"d\",\"uid\":\"00000000-0000-4000-8000-00000000000d\","
                 "\"controller\":true}]",
                 ""),
        STAYS,
};

#define SCENE(title, script)                                                                       \
        { title, play, NULL, NULL, (void *)(script) }

int main(void) {
        const struct CMUnitTest tests[] = {
                SCENE("evict-A14: the eviction call conflicts again and again", always_conflicts),
                SCENE("evict-C1: no responders", no_responders),
                SCENE("evict-C2: targets that are none", invalid_targets),
                SCENE("evict-C3 evict-C4 evict-C5 evict-C6: two requesters", two_requesters),
                SCENE("evict-C7: deleted, held by a finalizer", deleted_with_finalizer),
                SCENE("evict-C8: collected with its last request", collected),
                SCENE("evict-C9: a foreign duplicate", foreign_duplicate),
                SCENE("evict-C10: the order of responders", in_order),
                SCENE("evict-C11 evict-C12: fixed once made, names of the core", fixed_once_made),
                SCENE("evict-C13: finishes by itself", finishes_by_itself),
                SCENE("evict-C14: requester and responder", requester_and_responder),
                SCENE("evict-D1: completed activates the next", completed_passes_on),
                SCENE("evict-D2: silent for 20 minutes", silent_for_20_minutes),
                SCENE("evict-D3: states that may not follow", bad_states),
                { "evict-D4: a heartbeat 31 s behind", play_unchecked, NULL, NULL,
                  (void *)heartbeat_behind },
                { "evict-D4: a heartbeat 31 s ahead", play_unchecked, NULL, NULL,
                  (void *)heartbeat_ahead },
                SCENE("evict-D4: a heartbeat that goes back", heartbeat_back),
                SCENE("evict-D4: a heartbeat that is removed", heartbeat_gone),
                SCENE("another start is no heartbeat", another_start),
                SCENE("a heartbeat 29 s behind", late_heartbeat),
                SCENE("evict-D5: declined by all", declined),
                SCENE("evict-D6: three times in progress", in_progress_three_times),
                SCENE("evict-D6: heartbeats between", in_progress_and_alive),
                SCENE("reserve and release", room_is_in_the_trail),
                SCENE("evict-D7: fails four times", fails_four_times),
                SCENE("evict-D7: nobody else wants it", sole_requester_withdraws),
                SCENE("evict-D9: withdrawn in a stage", withdrawn_in_a_stage),
                SCENE("withdrawn when the pod is being deleted", withdrawn_after_the_deletion),
                SCENE("a stage in time or rolled back", stage_rolls_back),
                SCENE("a stage in time or passed over", stage_goes_on),
                SCENE("a stage in time or declined", stage_declines),
                SCENE("all stages in time or rolled back", policy_deadline),
                SCENE("stages that wait and evict", wait_and_evict_stages),
                SCENE("evict-E1 evict-E2: a budget that opens after an hour", budget_opens),
                SCENE("evict-E3: the deadline withdraws", deadline_withdraws),
                SCENE("evict-E4: static pods stay", static_pods_stay),
                SCENE("evict-E4: pods of DaemonSets stay", daemon_pods_stay),
        };

        return cmocka_run_group_tests(tests, NULL, NULL);
}
