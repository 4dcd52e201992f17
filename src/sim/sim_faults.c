/* Calls and streams between a process and the API server, with faults in between. */
#include "sim/sim_faults.h"

#include "base/arena.h"
#include "base/buf.h"
#include "base/util.h"
#include <stdlib.h>
#include <string.h>

#define LATE_ANSWER_NS (60 * NS_PER_S)
#define LATE_EVENT_NS (20 * NS_PER_S)
#define WEIGHT_UNIT 1000000U /* weights are parts of a million, per occasion */

static const struct fault_row {
        const char *name;
        unsigned weight; /* at 100 percent, when the swarm has it */
} rows[SIM_FAULT_COUNT] = {
        [SIM_LOSE_CALL] = { "lose-call", 80000 },
        [SIM_LOSE_ANSWER] = { "lose-answer", 80000 },
        [SIM_CONFLICT] = { "conflict", 200000 },
        [SIM_BUSY] = { "busy", 50000 },
        [SIM_BREAK] = { "break", 80000 },
        [SIM_LATE_ANSWER] = { "late-answer", 150000 },
        [SIM_CUT_WATCH] = { "cut-watch", 60000 },
        [SIM_REPEAT_EVENT] = { "repeat-event", 100000 },
        [SIM_LATE_EVENT] = { "late-event", 150000 },
        [SIM_KILL] = { "kill", 80000 },
        [SIM_OUTAGE] = { "outage", 20000 },
        [SIM_CLOCK_STEP] = { "clock-step", 20000 },
        [SIM_DELETE_POD] = { "delete-pod", 20000 },
};

const char *sim_fault_name(enum sim_fault fault) {
        return rows[fault].name;
}

struct piece { /* of a late stream */
        struct piece *next;
        size_t size;
        char data[];
};

struct sim_request {
        struct api_request caller;
        struct sim_faults *faults;
        struct sim_request *next, *prev;
        struct api_request *inner; /* of the transport behind; NULL = none is open */
        enum sim_fault fate;       /* SIM_FAULT_COUNT = none */
        bool is_orphan;            /* the caller is gone; the call goes on */
        bool is_held;              /* late: pieces or the answer wait for the timer */
        bool has_ended;
        struct mono_time asked;
        struct loop_timer timer;
        int status, retry_after_s; /* of the answer that waits */
        struct err error;
        char *body;
        size_t body_size;
        struct piece *first, **last;
        bool is_busy, is_cancelled; /* inside a callback of the caller */
};

struct sim_faults {
        struct transport inner;
        struct loop *loop;
        struct rng rng;
        unsigned weights[SIM_FAULT_COUNT];
        uint64_t counts[SIM_FAULT_COUNT], calls;
        struct sim_request *requests;
        struct mono_time outage_end, conflicts_end;
        struct server_clock clock;
        bool is_stopped;
        unsigned conflict_every, statuses; /* chosen faults, which happen though others stopped */
        const char *kill_suffix;           /* NULL = none is chosen */
        enum api_method kill_method;
        const char *dry_suffix; /* NULL = no writes are dry runs */
        void (*kill)(void *context);
        void *kill_context;
        void (*seen)(void *context, const struct api_call *call);
        void *seen_context;
};

static void request_free(struct sim_request *request) {
        struct sim_faults *faults = request->faults;

        loop_timer_disarm(faults->loop, &request->timer);
        if (request->prev)
                request->prev->next = request->next;
        else
                faults->requests = request->next;
        if (request->next)
                request->next->prev = request->prev;
        for (struct piece *piece = request->first, *next; piece; piece = next) {
                next = piece->next;
                free(piece);
        }
        free(request->body);
        free(request);
}

/* ---- handing on ---- */

static void sim_faults_answer(struct sim_request *request, const struct api_reply *reply) {
        void (*done)(void *, const struct api_reply *) =
                request->caller.events ? request->caller.events->ended : request->caller.done;
        void *context = request->caller.context;
        bool is_orphan = request->is_orphan;

        request_free(request);
        if (!is_orphan)
                done(context, reply);
}

static void answer_delayed(struct sim_request *request) {
        char *body = request->body;
        struct api_reply reply = { .status = request->status,
                                   .body = slice_make(body, request->body_size),
                                   .retry_after_s = request->retry_after_s,
                                   .error = request->error };

        request->body = NULL;
        sim_faults_answer(request, &reply);
        free(body);
}

static void keep_answer(struct sim_request *request, const struct api_reply *reply) {
        request->status = reply->status;
        request->retry_after_s = reply->retry_after_s;
        request->error = reply->error;
        request->body = reply->body.len ? slice_dup(reply->body) : NULL;
        request->body_size = reply->body.len;
}

static void make_answer(struct sim_request *request, int status, int code, const char *text) {
        request->status = status;
        request->retry_after_s = status == 429 ? 1 : -1;
        err_set(&request->error, code, "%s", text);
        loop_timer_arm(request->faults->loop, &request->timer, NS_PER_MS);
}

/* false: the caller cancelled from inside, and the request is gone. */
static bool pass_data(struct sim_request *request, struct slice chunk) {
        request->is_busy = true;
        request->caller.events->data(request->caller.context, chunk);
        request->is_busy = false;
        if (!request->is_cancelled)
                return true;
        request_free(request);
        return false;
}

static bool pass_pieces(struct sim_request *request) {
        while (request->first) {
                struct piece *piece = request->first;

                request->first = piece->next;
                bool is_alive = pass_data(request, slice_make(piece->data, piece->size));
                free(piece);
                if (!is_alive)
                        return false;
        }
        request->last = &request->first;
        return true;
}

static void on_timer(void *context) {
        struct sim_request *request = context;

        request->is_held = false;
        if (request->caller.events && !pass_pieces(request))
                return;
        if (request->has_ended || !request->inner)
                answer_delayed(request);
}

/* ---- from behind ---- */

static int64_t some_time(struct sim_faults *faults, int64_t most_ns) {
        return (int64_t)rng_below(&faults->rng, (uint64_t)most_ns);
}

static void on_done(void *context, const struct api_reply *reply) {
        struct sim_request *request = context;
        struct sim_faults *faults = request->faults;

        request->inner = NULL;
        if (request->is_orphan) {
                request_free(request);
        } else if (request->fate == SIM_LOSE_ANSWER) {
                make_answer(request, 0, BERTH_ERR_TIMEOUT, "the answer was lost");
        } else if (request->fate == SIM_LATE_ANSWER) {
                keep_answer(request, reply);
                loop_timer_arm(faults->loop, &request->timer, some_time(faults, LATE_ANSWER_NS));
        } else {
                server_clock_take(&faults->clock, loop_wall(faults->loop).ns / NS_PER_S,
                                  request->asked, loop_mono(faults->loop));
                sim_faults_answer(request, reply);
        }
}

static void sim_faults_hold(struct sim_request *request, struct slice chunk) {
        struct piece *piece = xmalloc(sizeof(*piece) + chunk.len);

        piece->next = NULL;
        piece->size = chunk.len;
        memcpy(piece->data, chunk.ptr, chunk.len);
        *request->last = piece;
        request->last = &piece->next;
}

static void sim_faults_cut(struct sim_request *request) {
        struct sim_faults *faults = request->faults;

        transport_cancel(&faults->inner, request->inner);
        request->inner = NULL;
        request->has_ended = true;
        make_answer(request, 0, BERTH_ERR_IO, "the connection was cut");
}

static void on_opened(void *context, int status) {
        struct sim_request *request = context;

        if (request->caller.events->opened)
                request->caller.events->opened(request->caller.context, status);
}

static void on_data(void *context, struct slice chunk) {
        struct sim_request *request = context;
        struct sim_faults *faults = request->faults;

        if (sim_faults_draw(faults, SIM_CUT_WATCH)) {
                sim_faults_cut(request);
                return;
        }
        if (!request->is_held && sim_faults_draw(faults, SIM_LATE_EVENT)) {
                request->is_held = true;
                loop_timer_arm(faults->loop, &request->timer, some_time(faults, LATE_EVENT_NS));
        }
        if (request->is_held) {
                sim_faults_hold(request, chunk);
                return;
        }
        if (!pass_data(request, chunk))
                return;
        if (sim_faults_draw(faults, SIM_REPEAT_EVENT))
                pass_data(request, chunk);
}

static void on_ended(void *context, const struct api_reply *reply) {
        struct sim_request *request = context;

        request->inner = NULL;
        if (request->is_held) {
                request->has_ended = true;
                keep_answer(request, reply);
                return;
        }
        sim_faults_answer(request, reply);
}

/* ---- from the front ---- */

static struct sim_request *request_new(struct sim_faults *faults, void *context) {
        struct sim_request *request = xcalloc(1, sizeof(*request));

        request->faults = faults;
        request->caller.context = context;
        request->fate = SIM_FAULT_COUNT;
        request->last = &request->first;
        request->asked = loop_mono(faults->loop);
        request->timer = (struct loop_timer){ .fired = on_timer, .context = request };
        request->next = faults->requests;
        if (request->next)
                request->next->prev = request;
        faults->requests = request;
        faults->calls++;
        return request;
}

static bool is_out(const struct sim_faults *faults) {
        return loop_mono(faults->loop).ns < faults->outage_end.ns;
}

static bool is_write(const struct api_call *call) {
        return call->method != API_GET;
}

static bool is_chosen_conflict(struct sim_faults *faults, const struct api_call *call) {
        if (!faults->conflict_every || !slice_contains(call->path, SLICE_LITERAL("/status?")) ||
            ++faults->statuses % faults->conflict_every)
                return false;
        faults->counts[SIM_CONFLICT]++;
        return true;
}

static bool path_ends(const struct api_call *call, const char *suffix) {
        struct slice rest = call->path, path;

        slice_split(&rest, '?', &path);
        return slice_has_suffix(path, slice_of(suffix));
}

static bool is_chosen_kill(struct sim_faults *faults, const struct api_call *call) {
        if (!faults->kill_suffix || call->method != faults->kill_method ||
            !path_ends(call, faults->kill_suffix))
                return false;
        faults->kill_suffix = NULL;
        return true;
}

static bool has_conflict(struct sim_faults *faults) {
        if (loop_mono(faults->loop).ns >= faults->conflicts_end.ns)
                return sim_faults_draw(faults, SIM_CONFLICT);
        faults->counts[SIM_CONFLICT]++;
        return true;
}

/* A call that never arrives, or is answered in the server's stead. */
static bool fails_at_once(struct sim_request *request, const struct api_call *call) {
        struct sim_faults *faults = request->faults;

        if (is_out(faults))
                make_answer(request, 0, BERTH_ERR_UNAVAILABLE, "connection refused");
        else if (sim_faults_draw(faults, SIM_LOSE_CALL))
                make_answer(request, 0, BERTH_ERR_TIMEOUT, "the call was lost");
        else if (is_write(call) && (is_chosen_conflict(faults, call) || has_conflict(faults)))
                make_answer(request, 409, BERTH_ERR_CONFLICT, "the object has been modified");
        else if (sim_faults_draw(faults, SIM_BUSY))
                make_answer(request, 429, BERTH_ERR_TOO_MANY, "too many requests");
        else if (sim_faults_draw(faults, SIM_BREAK))
                make_answer(request, 500, BERTH_ERR_INTERNAL, "internal error");
        else
                return false;
        return true;
}

static struct api_request *make_inner_call(struct sim_faults *faults, const struct api_call *call,
                                           struct sim_request *request) {
        struct api_call sent = *call;
        CLEANUP(buf_release) struct buf path = { 0 };

        if (faults->dry_suffix && call->method != API_GET && path_ends(call, faults->dry_suffix)) {
                buf_slice(&path, call->path);
                buf_printf(&path, "%cdryRun=All", strchr(path.data, '?') ? '&' : '?');
                sent.path = buf_view(&path);
        }
        return transport_call(&faults->inner, &sent, on_done, request);
}

static struct api_request *sim_faults_call(void *self, const struct api_call *call,
                                           void (*done)(void *context,
                                                        const struct api_reply *reply),
                                           void *context) {
        struct sim_faults *faults = self;
        struct sim_request *request = request_new(faults, context);

        request->caller.done = done;
        if (faults->seen)
                faults->seen(faults->seen_context, call);
        if (is_chosen_kill(faults, call)) {
                faults->kill(faults->kill_context);
                request->fate = SIM_KILL;
        } else if (is_write(call) && sim_faults_draw(faults, SIM_KILL)) {
                faults->kill(faults->kill_context);
                if (rng_below(&faults->rng, 2)) { /* before the call was made */
                        make_answer(request, 0, BERTH_ERR_TIMEOUT, "killed");
                        return &request->caller;
                }
                request->fate = SIM_KILL;
        } else if (fails_at_once(request, call)) {
                return &request->caller;
        } else if (sim_faults_draw(faults, SIM_LOSE_ANSWER)) {
                request->fate = SIM_LOSE_ANSWER;
        } else if (sim_faults_draw(faults, SIM_LATE_ANSWER)) {
                request->fate = SIM_LATE_ANSWER;
        }
        request->inner = make_inner_call(faults, call, request);
        return &request->caller;
}

static struct api_request *sim_faults_stream(void *self, const struct api_call *call,
                                             const struct api_stream_events *events,
                                             void *context) {
        static const struct api_stream_events own = { .opened = on_opened,
                                                      .data = on_data,
                                                      .ended = on_ended };
        struct sim_faults *faults = self;
        struct sim_request *request = request_new(faults, context);

        request->caller.events = events;
        if (fails_at_once(request, call))
                return &request->caller;
        request->inner = transport_stream(&faults->inner, call, &own, request);
        return &request->caller;
}

static void sim_faults_cancel(void *self, struct api_request *handle) {
        struct sim_request *request = CONTAINER_OF(handle, struct sim_request, caller);
        struct sim_faults *faults = self;

        if (request->inner && request->fate == SIM_KILL) { /* it was on its way */
                request->is_orphan = true;
                return;
        }
        if (request->inner)
                transport_cancel(&faults->inner, request->inner);
        request->inner = NULL;
        if (request->is_busy)
                request->is_cancelled = true;
        else
                request_free(request);
}

/* ---- life ---- */

struct sim_faults *sim_faults_new(struct transport inner, struct loop *loop, uint64_t seed,
                                  unsigned percent, void (*kill)(void *context), void *context) {
        struct sim_faults *faults = xcalloc(1, sizeof(*faults));

        faults->inner = inner;
        faults->loop = loop;
        faults->kill = kill;
        faults->kill_context = context;
        rng_init(&faults->rng, seed);
        for (size_t i = 0; i < SIM_FAULT_COUNT; i++) {
                uint64_t share = rng_below(&faults->rng, 2) ? rng_below(&faults->rng, 101) : 0;

                faults->weights[i] = (unsigned)(rows[i].weight * share * percent / 10000);
        }
        return faults;
}

void sim_faults_free(struct sim_faults *faults) {
        if (!faults)
                return;
        while (faults->requests) {
                if (faults->requests->inner)
                        transport_cancel(&faults->inner, faults->requests->inner);
                request_free(faults->requests);
        }
        free(faults);
}

static const struct server_clock *sim_faults_clock(const void *self) {
        return &((const struct sim_faults *)self)->clock;
}

struct transport sim_faults_transport(struct sim_faults *faults) {
        static const struct transport_ops ops = { .call = sim_faults_call,
                                                  .stream = sim_faults_stream,
                                                  .cancel = sim_faults_cancel,
                                                  .clock = sim_faults_clock };

        return (struct transport){ &ops, faults };
}

void sim_faults_stop(struct sim_faults *faults) {
        faults->is_stopped = true;
        faults->outage_end.ns = faults->conflicts_end.ns = 0;
}

bool sim_faults_draw(struct sim_faults *faults, enum sim_fault fault) {
        if (faults->is_stopped || faults->weights[fault] == 0 ||
            rng_below(&faults->rng, WEIGHT_UNIT) >= faults->weights[fault])
                return false;
        faults->counts[fault]++;
        return true;
}

void sim_faults_begin_outage(struct sim_faults *faults, int64_t duration_ns) {
        faults->outage_end.ns = loop_mono(faults->loop).ns + duration_ns;
        for (struct sim_request *request = faults->requests; request; request = request->next)
                if (request->caller.events && request->inner)
                        sim_faults_cut(request);
}

void sim_faults_begin_conflicts(struct sim_faults *faults, int64_t duration_ns) {
        faults->conflicts_end.ns = loop_mono(faults->loop).ns + duration_ns;
}

void sim_faults_conflict_every(struct sim_faults *faults, unsigned nth) {
        faults->conflict_every = nth;
        faults->statuses = 0;
}

void sim_faults_dry_run(struct sim_faults *faults, const char *suffix) {
        faults->dry_suffix = suffix;
}

void sim_faults_kill_at(struct sim_faults *faults, enum api_method method, const char *suffix) {
        faults->kill_method = method;
        faults->kill_suffix = suffix;
}

uint64_t sim_faults_count(const struct sim_faults *faults, enum sim_fault fault) {
        return faults->counts[fault];
}

uint64_t sim_faults_calls(const struct sim_faults *faults) {
        return faults->calls;
}

void sim_faults_watch(struct sim_faults *faults,
                      void (*seen)(void *context, const struct api_call *call), void *context) {
        faults->seen = seen;
        faults->seen_context = context;
}
