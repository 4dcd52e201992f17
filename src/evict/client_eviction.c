/* Whether the eviction call of a client passes or waits, and the request that stands for it. */
#include "evict/client_eviction.h"

#include "base/util.h"
#include "evict/eviction_stages.h"
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define LABEL_NAME_MAX 63
#define HASH_TEXT 9 /* "-" and eight digits */

/* ---- texts ---- */

__attribute__((format(printf, 2, 3))) static void client_eviction_say(
        struct client_eviction_verdict *verdict, const char *format, ...) {
        size_t at = strlen(verdict->text);
        va_list args;

        va_start(args, format);
        vsnprintf(verdict->text + at, sizeof(verdict->text) - at, format, args);
        va_end(args);
}

/* What the hook of the stage said last: after "; " in the responder's message. */
static struct slice said_of(struct slice message) {
        struct slice rest = message, head;

        if (!slice_split(&rest, ';', &head) || !rest.ptr || rest.len < 2)
                return SLICE_EMPTY;
        return slice_make(rest.ptr + 1, rest.len - 1);
}

static void say_stage(struct client_eviction_verdict *verdict,
                      const struct client_eviction_facts *facts,
                      const struct eviction_responder *stager, const struct stages_state *state) {
        const struct eviction_policy *policy = facts->leading ? facts->leading : facts->policy;
        struct slice said = said_of(stager->message);

        if (state->mode == STAGES_HELD || policy->is_unreadable) {
                client_eviction_say(verdict, SLICE_FMT, SLICE_ARG(said));
                return;
        }
        if (state->mode == STAGES_UNDO)
                client_eviction_say(verdict, "finished stages are undone");
        else
                client_eviction_say(verdict, "stage %zu of %zu", state->index + 1,
                                    policy->stage_count);
        if (state->index < policy->stage_count && state->mode != STAGES_UNDO)
                client_eviction_say(verdict, " (" SLICE_FMT ")",
                                    SLICE_ARG(policy->stages[state->index].name));
        if (said.len)
                client_eviction_say(verdict, ": %.*s", (int)(said.len < 300 ? said.len : 300),
                                    said.ptr);
        if (wall_time_is_set(stager->expected)) {
                char text[WALL_TIME_TEXT_MAX];

                wall_time_format(stager->expected, text);
                client_eviction_say(verdict, " (expected to end at %s)", text);
        }
}

/* An eviction that has not come to its stages yet. */
static void say_begin(struct client_eviction_verdict *verdict,
                      const struct client_eviction_facts *facts) {
        struct slice message =
                facts->request ? facts->request->object.conditions.message : SLICE_EMPTY;
        bool is_seen = facts->request && facts->request->object.observed_generation;

        if (message.len)
                client_eviction_say(verdict, SLICE_FMT, SLICE_ARG(message));
        else if (facts->eviction || is_seen || !facts->request)
                client_eviction_say(verdict, "its stages are about to begin");
        else
                client_eviction_say(verdict,
                                    "EvictionRequest \"" SLICE_FMT
                                    "\" waits for a controller (berth evictions)",
                                    SLICE_ARG(facts->request->object.name));
}

/* ---- the eviction under way ---- */

static bool is_at_work(const struct eviction_responder *responder) {
        return responder->state == RESPONDER_ACTIVE && !wall_time_is_set(responder->completion);
}

/* The Active responder may be the caller: the one that has a virtual machine moved does it by this
 * call. */
static bool is_caller(const struct eviction_responder *responder) {
        return is_at_work(responder) && slice_is(responder->name, EVICTION_VM_MOVER);
}

/* The stage at work is itself a call of the subresource, or needs none. */
static bool is_last_step(const struct eviction_policy *policy, const struct stages_state *state) {
        enum stage_kind kind = state->index < policy->stage_count
                                       ? policy->stages[state->index].kind
                                       : STAGE_KIND_COUNT;

        return state->mode == STAGES_RUN && (kind == STAGE_EVICT || kind == STAGE_DELETE);
}

/* Whether the Eviction under way still has stages before it; says which. */
static bool has_stages_left(const struct client_eviction_facts *facts,
                            struct client_eviction_verdict *verdict) {
        const struct eviction_status *status = &facts->eviction->status;
        int index = eviction_find_responder(status, SLICE_LITERAL(EVICTION_STAGER));
        int active = eviction_active(status);
        const struct eviction_policy *policy = facts->leading ? facts->leading : facts->policy;
        struct stages_state state;

        if (status->responder_count == 0) {
                say_begin(verdict, facts);
                return true;
        }
        if (index < 0 || (active >= 0 && is_caller(&status->responders[active])))
                return false; /* it began before there was a policy */
        const struct eviction_responder *stager = &status->responders[index];
        if (stager->state == RESPONDER_INACTIVE) {
                say_begin(verdict, facts);
                return true;
        }
        if (!is_at_work(stager))
                return false;
        if (!stages_state_parse(stager->message, &state)) {
                say_begin(verdict, facts);
                return true;
        }
        if (state.mode == STAGES_OVER || is_last_step(policy, &state))
                return false;
        say_stage(verdict, facts, stager, &state);
        return true;
}

/* ---- the decision ---- */

bool client_eviction_has_stages(const struct eviction_policy *policy,
                                const struct eviction_pod *pod) {
        return policy && pod && policy->other_clients == OTHER_CLIENTS_WAIT && !pod->is_finished &&
               !pod->is_pending && !pod->is_terminating && !pod->is_daemon && !pod->is_mirror &&
               !pod->has_group;
}

static bool is_under_way(const struct eviction *eviction) {
        return eviction && !eviction_outcome_is_final(eviction->status.conditions.outcome);
}

static bool is_wanted_by_others(const struct client_eviction_facts *facts) {
        const struct eviction_status *status = &facts->eviction->status;

        for (size_t i = 0; i < status->requester_count; i++)
                if (status->requesters[i].intent == EVICTION_INTENT_EVICT &&
                    !slice_eq(status->requesters[i].name, facts->request->requester))
                        return true;
        return false;
}

/* Called off a moment ago, by its stages or since the client was away: what it undoes comes first.
 * Not while others want the eviction: it goes on, and may be evicting the pod in this very call,
 * when the controller and the client are one user. */
static bool was_called_off(const struct client_eviction_facts *facts) {
        const struct eviction_request *request = facts->request;
        const struct eviction *eviction = facts->eviction;

        if (!request || request->intent != EVICTION_INTENT_WITHDRAWN)
                return false;
        if (!eviction || is_under_way(eviction))
                return eviction && !is_wanted_by_others(facts);
        int64_t age_ns = facts->now.ns - eviction->status.conditions.failed_changed.ns;
        return age_ns >= 0 && age_ns < CLIENT_EVICTION_AGAIN_NS; /* the clock may be set back */
}

static enum client_eviction_request request_step(const struct client_eviction *call,
                                                 const struct client_eviction_facts *facts) {
        const struct eviction_request *request = facts->request;

        if (call->is_dry_run || (request && request->object.is_deleting))
                return CLIENT_REQUEST_STAYS;
        if (!request)
                return CLIENT_REQUEST_OPENS;
        if (request->intent != EVICTION_INTENT_EVICT ||
            request->deadline.ns - facts->now.ns < CLIENT_EVICTION_PATIENCE_NS / 2)
                return CLIENT_REQUEST_RENEWS;
        return CLIENT_REQUEST_STAYS;
}

/* One that cannot be followed would never end. */
static bool is_hopeless(const struct client_eviction_facts *facts) {
        return facts->request && facts->request->object.conditions.outcome == EVICTION_INVALID;
}

/* Refused until the policy is mended, unless its stages are over; nothing is asked for. */
static struct client_eviction_verdict client_eviction_held(
        const struct client_eviction_facts *facts) {
        struct client_eviction_verdict verdict = { 0 }, ignored = { 0 };

        verdict.pod_uid = facts->pod->uid;
        verdict.waits = !is_under_way(facts->eviction) || has_stages_left(facts, &ignored);
        client_eviction_say(&verdict,
                            "Cannot evict pod. EvictionPolicy \"" SLICE_FMT
                            "\" cannot be read, and holds its pods until it is mended: " SLICE_FMT,
                            SLICE_ARG(facts->policy->name), SLICE_ARG(facts->policy->problem));
        return verdict;
}

struct client_eviction_verdict client_eviction_judge(const struct client_eviction *call,
                                                     const struct client_eviction_facts *facts) {
        struct client_eviction_verdict verdict = { 0 };

        if (!client_eviction_has_stages(facts->policy, facts->pod) || is_hopeless(facts) ||
            (call->uid.len && !slice_eq(call->uid, facts->pod->uid)))
                return verdict;
        if (facts->policy->is_unreadable)
                return client_eviction_held(facts);
        verdict.pod_uid = facts->pod->uid;
        client_eviction_say(&verdict,
                            "Cannot evict pod yet. " EVICTION_MOVING_TEXT
                            " by EvictionPolicy \"" SLICE_FMT "\": ",
                            SLICE_ARG(facts->policy->name));
        if (was_called_off(facts)) {
                client_eviction_say(&verdict,
                                    "it was called off; its stages begin again within a minute");
                verdict.waits = true;
                return verdict;
        }
        if (is_under_way(facts->eviction)) {
                verdict.waits = has_stages_left(facts, &verdict);
        } else {
                verdict.waits = true;
                say_begin(&verdict, facts);
        }
        if (verdict.waits)
                verdict.request = request_step(call, facts);
        return verdict;
}

/* ---- the client's request ---- */

static bool is_label_char(char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
               c == '-' || c == '_' || c == '.';
}

static bool is_label_end(char c) {
        return is_label_char(c) && c != '-' && c != '_' && c != '.';
}

static uint32_t user_hash(struct slice user) {
        return (uint32_t)hash_bytes(user.ptr, user.len, 1);
}

/* A name that had to be changed gets a mark of the whole, so that no two users are one. */
void client_eviction_requester(struct slice user, char out[CLIENT_EVICTION_REQUESTER_MAX]) {
        char name[LABEL_NAME_MAX + 1];
        size_t max = user.len > LABEL_NAME_MAX ? LABEL_NAME_MAX - HASH_TEXT : user.len;
        bool is_same = user.len > 0 && user.len <= LABEL_NAME_MAX;

        for (size_t i = 0; i < max; i++) {
                bool is_end = i == 0 || i + 1 == user.len;
                char c = user.ptr[i];
                bool may_stay = is_end ? is_label_end(c) : is_label_char(c);

                name[i] = may_stay ? c : is_end ? 'x' : '.';
                is_same &= may_stay;
        }
        if (!is_same && max > LABEL_NAME_MAX - HASH_TEXT)
                max = LABEL_NAME_MAX - HASH_TEXT;
        if (is_same)
                snprintf(out, CLIENT_EVICTION_REQUESTER_MAX, CLIENT_EVICTION_DOMAIN "/%.*s",
                         (int)max, name);
        else
                snprintf(out, CLIENT_EVICTION_REQUESTER_MAX, CLIENT_EVICTION_DOMAIN "/%.*s-%08x",
                         max ? (int)max : 1, max ? name : "x", user_hash(user));
}

void client_eviction_request_name(struct slice user, struct slice uid,
                                  char out[CLIENT_EVICTION_NAME_MAX]) {
        snprintf(out, CLIENT_EVICTION_NAME_MAX, "client-%.*s-%08x",
                 (int)(uid.len < 36 ? uid.len : 36), uid.ptr ? uid.ptr : "", user_hash(user));
}

bool client_eviction_is_requester(struct slice requester) {
        return slice_has_prefix(requester, SLICE_LITERAL(CLIENT_EVICTION_DOMAIN "/"));
}

static void write_deadline(struct wall_time now, struct buf *out) {
        char text[WALL_TIME_TEXT_MAX];

        wall_time_format((struct wall_time){ now.ns + CLIENT_EVICTION_PATIENCE_NS }, text);
        buf_printf(out, "\"" EVICTION_DEADLINE_KEY "\":\"%s\"", text);
}

void client_eviction_write(const struct client_eviction *call, struct slice uid, const char *group,
                           struct wall_time now, struct buf *out) {
        char name[CLIENT_EVICTION_NAME_MAX], requester[CLIENT_EVICTION_REQUESTER_MAX];

        client_eviction_request_name(call->user, uid, name);
        client_eviction_requester(call->user, requester);
        buf_printf(out,
                   "{\"apiVersion\":\"%s/" EVICTION_VERSION
                   "\",\"kind\":\"EvictionRequest\",\"metadata\":{\"name\":\"%s\","
                   "\"annotations\":{\"" CLIENT_EVICTION_USER_KEY "\":",
                   group, name);
        buf_json_string(out, call->user);
        buf_char(out, ',');
        write_deadline(now, out);
        buf_text(out, "},\"ownerReferences\":[{\"apiVersion\":\"v1\",\"kind\":\"Pod\",\"name\":");
        buf_json_string(out, call->name);
        buf_text(out, ",\"uid\":");
        buf_json_string(out, uid);
        buf_text(out, "}]},\"spec\":{\"target\":{\"pod\":{\"name\":");
        buf_json_string(out, call->name);
        buf_text(out, ",\"uid\":");
        buf_json_string(out, uid);
        buf_printf(out, "}},\"requester\":\"%s\",\"intent\":\"Eviction\"}}", requester);
}

void client_eviction_renewal_write(struct wall_time now, struct buf *out) {
        buf_text(out, "{\"metadata\":{\"annotations\":{");
        write_deadline(now, out);
        buf_text(out, "}},\"spec\":{\"intent\":\"Eviction\"}}");
}
