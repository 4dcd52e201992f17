/* Leader election on a Lease.
 *
 * Every attempt reads the lease, decides, and writes it with the version that was read; a leader
 * whose last write is still current writes at once. The renew deadline counts from when the last
 * successful write was sent, so that we stop before another process may take over. */
#include "client/lease_elector.h"

#include "api/json.h"
#include "base/arena.h"
#include "base/buf.h"
#include "base/rng.h"
#include "base/util.h"
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum attempt {
        ATTEMPT_NONE,
        ATTEMPT_GET,
        ATTEMPT_CREATE,
        ATTEMPT_UPDATE,
        ATTEMPT_RELEASE_GET,
        ATTEMPT_RELEASE,
};

/* What the lease said when we last saw it change. */
struct lease_record {
        char *raw; /* its spec as text: any change restarts the holder's time */
        char *holder;
        int64_t duration_ns, transitions;
        char acquire_time[WALL_TIME_TEXT_MAX];
        struct mono_time seen_at;
};

struct lease_elector {
        struct transport *transport;
        struct loop *loop;
        const struct lease_elector_events *events;
        void *context;
        char *path, *collection, *namespace_name, *name, *identity;
        int64_t duration_ns, renew_deadline_ns, retry_period_ns;
        struct rng rng;
        struct lease_record record;
        struct json_tree *lease; /* as last read or written; NULL = unknown */
        enum attempt attempt;
        struct api_request *request;
        struct mono_time sent_at;    /* of the request under way */
        struct mono_time renewed_at; /* sending time of our last successful write */
        struct loop_timer retry, deadline;
        char *reported; /* leader last reported */
        bool is_leader, is_releasing;
        bool has_failed; /* since an attempt that did not */
        bool is_hasty;   /* a conflict was answered with a second attempt at once */
        void (*released)(void *context);
        void *released_context;
};

static void try_once(struct lease_elector *elector);

/* ---- records ---- */

static void report_leader(struct lease_elector *elector) {
        const char *holder = elector->record.holder ? elector->record.holder : "";

        if (elector->reported && strcmp(elector->reported, holder) == 0)
                return;
        free(elector->reported);
        elector->reported = slice_dup(slice_of(holder));
        if (elector->events->new_leader)
                elector->events->new_leader(elector->context, slice_of(elector->reported));
}

static void lease_elector_observe(struct lease_elector *elector, const struct json_node *lease) {
        const struct json_node *spec = node_get(lease, "spec");
        struct lease_record *record = &elector->record;
        struct slice acquired = node_get_text(spec, "acquireTime");
        struct buf raw = { 0 };

        if (spec)
                node_write(spec, &raw);
        if (record->raw && slice_is(buf_view(&raw), record->raw)) {
                buf_release(&raw);
                return;
        }
        free(record->raw);
        free(record->holder);
        record->raw = slice_dup(buf_view(&raw));
        buf_release(&raw);
        record->holder = slice_dup(node_get_text(spec, "holderIdentity"));
        record->duration_ns = node_get_i64(spec, "leaseDurationSeconds", 0) * NS_PER_S;
        record->transitions = node_get_i64(spec, "leaseTransitions", 0);
        snprintf(record->acquire_time, sizeof(record->acquire_time), SLICE_FMT,
                 SLICE_ARG(acquired));
        record->seen_at = loop_mono(elector->loop);
}

static void lease_elector_forget(struct lease_elector *elector) {
        free(elector->record.raw);
        free(elector->record.holder);
        elector->record = (struct lease_record){ 0 };
        json_tree_free(elector->lease);
        elector->lease = NULL;
}

/* Keeps the lease for the next update, and what it says. */
static void lease_elector_keep(struct lease_elector *elector, struct slice body) {
        struct json_tree *tree = NULL;

        json_tree_free(elector->lease);
        elector->lease = NULL;
        if (json_tree_parse(body, &tree, NULL) < 0)
                return;
        elector->lease = tree;
        lease_elector_observe(elector, json_tree_root(tree));
}

static bool is_ours(const struct lease_elector *elector) {
        return elector->record.holder && strcmp(elector->record.holder, elector->identity) == 0;
}

static bool is_held_by_other(const struct lease_elector *elector) {
        const struct lease_record *record = &elector->record;
        int64_t age = loop_mono(elector->loop).ns - record->seen_at.ns;

        return record->holder && record->holder[0] && !is_ours(elector) &&
               age < record->duration_ns;
}

/* ---- leading ---- */

static void stop_leading(struct lease_elector *elector) {
        if (!elector->is_leader)
                return;
        elector->is_leader = false;
        loop_timer_disarm(elector->loop, &elector->deadline);
        if (elector->events->stopped)
                elector->events->stopped(elector->context);
}

static void drop_request(struct lease_elector *elector) {
        if (elector->request)
                transport_cancel(elector->transport, elector->request);
        elector->request = NULL;
        elector->attempt = ATTEMPT_NONE;
}

static void wait_for_retry(struct lease_elector *elector) {
        double late = elector->is_leader ? 0 : LEASE_JITTER * rng_unit(&elector->rng);
        int64_t delay =
                elector->retry_period_ns + (int64_t)((double)elector->retry_period_ns * late);

        if (!elector->is_releasing) /* asked for in one of our callbacks */
                loop_timer_arm(elector->loop, &elector->retry, delay);
}

static void finish_release(struct lease_elector *elector) {
        if (elector->released)
                elector->released(elector->released_context);
}

static void on_retry(void *context) {
        struct lease_elector *elector = context;

        if (elector->is_releasing)
                finish_release(elector);
        else
                try_once(elector);
}

static void elector_failed(struct lease_elector *elector, const struct err *err) {
        elector->has_failed = true;
        if (elector->events->failed)
                elector->events->failed(elector->context, err);
}

/* The Lease is ours and renewed, or is another's. */
static void elector_works(struct lease_elector *elector) {
        if (elector->has_failed && elector->events->works)
                elector->events->works(elector->context);
        elector->has_failed = false;
}

static void on_deadline(void *context) {
        struct lease_elector *elector = context;
        struct err err;

        err_set(&err, BERTH_ERR_TIMEOUT, "lease %s/%s could not be renewed in time",
                elector->namespace_name, elector->name);
        drop_request(elector); /* it may still arrive: we do not count on it */
        loop_timer_disarm(elector->loop, &elector->retry);
        elector_failed(elector, &err);
        stop_leading(elector);
        wait_for_retry(elector);
}

static void lease_elector_lead(struct lease_elector *elector) {
        int64_t passed = loop_mono(elector->loop).ns - elector->sent_at.ns;
        bool was_leader = elector->is_leader;

        elector->renewed_at = elector->sent_at;
        elector->is_leader = true;
        elector->is_hasty = false;
        loop_timer_arm(elector->loop, &elector->deadline, elector->renew_deadline_ns - passed);
        elector_works(elector);
        report_leader(elector);
        if (!was_leader && elector->events->started)
                elector->events->started(elector->context);
}

/* ---- attempts ---- */

static void on_answer(void *context, const struct api_reply *reply);

static void lease_elector_ask(struct lease_elector *elector, enum attempt attempt,
                              enum api_method method, const char *path, struct slice body) {
        struct api_call call = { .method = method,
                                 .path = slice_of(path),
                                 .body = body,
                                 /* Half the deadline leaves time for a second try. */
                                 .timeout_ns = elector->renew_deadline_ns / 2 };

        elector->attempt = attempt;
        elector->sent_at = loop_mono(elector->loop);
        elector->request = transport_call(elector->transport, &call, on_answer, elector);
}

static void write_spec(const struct lease_elector *elector, struct json_tree *tree,
                       struct json_node *lease, bool gives_up) {
        struct json_node *spec = node_need_object(tree, lease, "spec");
        const struct lease_record *record = &elector->record;
        bool is_new = !is_ours(elector);
        char now[WALL_TIME_TEXT_MAX];
        int64_t transitions = record->transitions + (is_new && record->raw ? 1 : 0);

        wall_time_format_micro(loop_wall(elector->loop), now);
        node_put_string(tree, spec, "holderIdentity", gives_up ? "" : elector->identity);
        node_put_i64(tree, spec, "leaseDurationSeconds",
                     gives_up ? 1 : elector->duration_ns / NS_PER_S);
        node_put_string(tree, spec, "acquireTime",
                        is_new || gives_up || !record->acquire_time[0] ? now
                                                                       : record->acquire_time);
        node_put_string(tree, spec, "renewTime", now);
        node_put_i64(tree, spec, "leaseTransitions", transitions);
}

static void lease_elector_create(struct lease_elector *elector) {
        CLEANUP(cleanup_json_tree) struct json_tree *tree = json_tree_new();
        CLEANUP(buf_release) struct buf body = { 0 };
        struct json_node *lease = node_object(tree);

        json_tree_set_root(tree, lease);
        node_put_string(tree, lease, "apiVersion", "coordination.k8s.io/v1");
        node_put_string(tree, lease, "kind", "Lease");
        struct json_node *metadata = node_need_object(tree, lease, "metadata");
        node_put_string(tree, metadata, "name", elector->name);
        node_put_string(tree, metadata, "namespace", elector->namespace_name);
        write_spec(elector, tree, lease, false);
        node_write(lease, &body);
        lease_elector_ask(elector, ATTEMPT_CREATE, API_POST, elector->collection, buf_view(&body));
}

static void lease_elector_update(struct lease_elector *elector, enum attempt attempt) {
        CLEANUP(buf_release) struct buf body = { 0 };
        struct json_node *lease = json_tree_root(elector->lease);

        write_spec(elector, elector->lease, lease, attempt == ATTEMPT_RELEASE);
        node_write(lease, &body);
        lease_elector_ask(elector, attempt, API_PUT, elector->path, buf_view(&body));
        /* What was changed in it may never become true. */
        json_tree_free(elector->lease);
        elector->lease = NULL;
}

static void try_once(struct lease_elector *elector) {
        assert(elector->attempt == ATTEMPT_NONE);
        if (elector->is_leader && elector->lease)
                lease_elector_update(elector, ATTEMPT_UPDATE);
        else
                lease_elector_ask(elector, ATTEMPT_GET, API_GET, elector->path, SLICE_EMPTY);
}

static void attempt_failed(struct lease_elector *elector, const struct err *err) {
        elector_failed(elector, err);
        wait_for_retry(elector);
}

/* The lease was taken from us while we thought we held it. */
static void lost_to_other(struct lease_elector *elector) {
        elector_works(elector);
        stop_leading(elector);
        report_leader(elector);
        wait_for_retry(elector);
}

static void on_read(struct lease_elector *elector, const struct api_reply *reply) {
        if (reply->status == 404) {
                lease_elector_forget(elector);
                lease_elector_create(elector);
                return;
        }
        if (reply->status != 200) {
                attempt_failed(elector, &reply->error);
                return;
        }
        lease_elector_keep(elector, reply->body);
        if (!elector->lease) {
                struct err err;

                err_set(&err, BERTH_ERR_INTERNAL, "answer to %s is no lease", elector->path);
                attempt_failed(elector, &err);
        } else if (is_held_by_other(elector)) {
                lost_to_other(elector);
        } else {
                lease_elector_update(elector, ATTEMPT_UPDATE);
        }
}

static void on_written(struct lease_elector *elector, const struct api_reply *reply) {
        if (reply->status != 200 && reply->status != 201) {
                bool is_conflict = elector->is_leader && reply->status == 409;

                if (is_conflict && !elector->is_hasty) {
                        elector->is_hasty = true; /* another client wrote it: read it at once */
                        try_once(elector);
                } else {
                        attempt_failed(elector, &reply->error);
                }
                return;
        }
        lease_elector_keep(elector, reply->body);
        lease_elector_lead(elector);
        wait_for_retry(elector);
}

/* The lease is given back only if it is ours, whatever became of cancelled writes. */
static void on_read_for_release(struct lease_elector *elector, const struct api_reply *reply) {
        if (reply->status == 200)
                lease_elector_keep(elector, reply->body);
        if (reply->status == 200 && elector->lease && is_ours(elector))
                lease_elector_update(elector, ATTEMPT_RELEASE);
        else
                finish_release(elector);
}

static void on_answer(void *context, const struct api_reply *reply) {
        struct lease_elector *elector = context;
        enum attempt attempt = elector->attempt;

        elector->request = NULL;
        elector->attempt = ATTEMPT_NONE;
        switch (attempt) {
        case ATTEMPT_GET:
                on_read(elector, reply);
                break;
        case ATTEMPT_CREATE:
        case ATTEMPT_UPDATE:
                on_written(elector, reply);
                break;
        case ATTEMPT_RELEASE_GET:
                on_read_for_release(elector, reply);
                break;
        case ATTEMPT_RELEASE:
        case ATTEMPT_NONE:
                finish_release(elector);
                break;
        }
}

void lease_elector_release(struct lease_elector *elector, void (*done)(void *context),
                           void *context) {
        bool may_hold = elector->is_leader || elector->attempt == ATTEMPT_CREATE ||
                        elector->attempt == ATTEMPT_UPDATE;

        assert(!elector->is_releasing);
        elector->is_releasing = true;
        elector->released = done;
        elector->released_context = context;
        drop_request(elector);
        loop_timer_disarm(elector->loop, &elector->retry);
        stop_leading(elector);
        if (may_hold)
                lease_elector_ask(elector, ATTEMPT_RELEASE_GET, API_GET, elector->path,
                                  SLICE_EMPTY);
        else
                loop_timer_arm(elector->loop, &elector->retry, 0);
}

/* ---- life ---- */

static int lease_elector_check(const struct lease_elector *elector, struct err *err) {
        if (!elector->name[0] || !elector->namespace_name[0] || !elector->identity[0])
                return err_set(err, BERTH_ERR_INVALID,
                               "leader election needs a namespace, a name and an identity");
        if (strlen(elector->identity) > LEASE_IDENTITY_MAX)
                return err_set(err, BERTH_ERR_INVALID, "identity is longer than %d bytes",
                               LEASE_IDENTITY_MAX);
        if (elector->duration_ns < NS_PER_S || elector->retry_period_ns < 1)
                return err_set(err, BERTH_ERR_INVALID,
                               "lease duration must be at least 1s and retry period above 0");
        if (elector->duration_ns <= elector->renew_deadline_ns)
                return err_set(err, BERTH_ERR_INVALID,
                               "lease duration must be greater than renew deadline");
        if ((double)elector->renew_deadline_ns <= LEASE_JITTER * (double)elector->retry_period_ns)
                return err_set(err, BERTH_ERR_INVALID,
                               "renew deadline must be greater than 1.2 times the retry period");
        return 0;
}

static char *make_path(const char *namespace_name, const char *name) {
        struct buf path = { 0 };

        buf_printf(&path, "/apis/coordination.k8s.io/v1/namespaces/%s/leases%s%s", namespace_name,
                   name[0] ? "/" : "", name);
        return buf_take(&path, NULL);
}

int lease_elector_new(const struct lease_elector_config *config, struct transport *transport,
                      struct loop *loop, struct lease_elector **ret_elector, struct err *err) {
        struct lease_elector *elector = xcalloc(1, sizeof(*elector));

        elector->transport = transport;
        elector->loop = loop;
        elector->events = config->events;
        elector->context = config->context;
        elector->namespace_name = slice_dup(slice_of(config->namespace_name));
        elector->name = slice_dup(slice_of(config->name));
        elector->identity = slice_dup(slice_of(config->identity));
        elector->collection = make_path(elector->namespace_name, "");
        elector->path = make_path(elector->namespace_name, elector->name);
        elector->duration_ns = config->duration_ns ? config->duration_ns : LEASE_DURATION_NS;
        elector->renew_deadline_ns =
                config->renew_deadline_ns ? config->renew_deadline_ns : LEASE_RENEW_DEADLINE_NS;
        elector->retry_period_ns =
                config->retry_period_ns ? config->retry_period_ns : LEASE_RETRY_PERIOD_NS;
        elector->retry = (struct loop_timer){ .fired = on_retry, .context = elector };
        elector->deadline = (struct loop_timer){ .fired = on_deadline, .context = elector };
        rng_init(&elector->rng, config->seed);
        int result = lease_elector_check(elector, err);
        if (result < 0) {
                lease_elector_free(elector);
                return result;
        }
        try_once(elector);
        *ret_elector = elector;
        return 0;
}

void lease_elector_free(struct lease_elector *elector) {
        if (!elector)
                return;
        drop_request(elector);
        loop_timer_disarm(elector->loop, &elector->retry);
        loop_timer_disarm(elector->loop, &elector->deadline);
        lease_elector_forget(elector);
        free(elector->path);
        free(elector->collection);
        free(elector->namespace_name);
        free(elector->name);
        free(elector->identity);
        free(elector->reported);
        free(elector);
}

bool lease_elector_is_leader(const struct lease_elector *elector) {
        return elector->is_leader &&
               loop_mono(elector->loop).ns - elector->renewed_at.ns < elector->duration_ns;
}

bool lease_elector_may_act(const struct lease_elector *elector) {
        return elector->is_leader &&
               loop_mono(elector->loop).ns - elector->renewed_at.ns < elector->renew_deadline_ns;
}

int64_t lease_elector_overdue_ns(const struct lease_elector *elector) {
        if (!elector->is_leader)
                return 0;
        return loop_mono(elector->loop).ns - elector->renewed_at.ns - elector->duration_ns;
}

struct slice lease_elector_leader(const struct lease_elector *elector) {
        return slice_of(elector->record.holder);
}

struct slice lease_elector_metadata(const struct lease_elector *elector, const char *key) {
        if (!elector->lease)
                return SLICE_EMPTY;
        return node_get_text(node_get(json_tree_root(elector->lease), "metadata"), key);
}
