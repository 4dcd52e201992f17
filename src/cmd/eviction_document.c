/* Puts EvictionRequests and Evictions of a pod together, with the stages it leaves by. */
#include "cmd/eviction_document.h"

#include "base/util.h"
#include "cmd/dashboard_cache.h"
#include "dashboard/address_query.h"
#include "evict/eviction_cost.h"
#include "evict/eviction_request.h"
#include "model/cluster.h"
#include <stdlib.h>

#define EVICTIONS_MAX 100000 /* nobody has more */

/* One pod, by its uid. */
struct evicted_pod {
        struct slice ns, name, uid;
        size_t request_count, request_cap;
        struct eviction_request **requests;
        struct eviction *eviction; /* NULL = no controller has made one */
        struct wall_time since;
        bool is_open;
};

struct eviction_list {
        struct map *by_uid; /* -> struct evicted_pod, from malloc */
        size_t count;
        struct evicted_pod **items;
};

/* ---- reading ---- */

static struct evicted_pod *pod_of(struct eviction_list *list,
                                  const struct eviction_object *object) {
        struct evicted_pod *pod = map_get(list->by_uid, object->target_uid);

        if (!pod) {
                pod = xcalloc(1, sizeof(*pod));
                pod->since = WALL_TIME_UNSET;
                map_put(list->by_uid, object->target_uid, pod);
        }
        pod->ns = object->ns;
        pod->name = object->target_name;
        pod->uid = object->target_uid;
        if (!wall_time_is_set(pod->since) || object->created.ns < pod->since.ns)
                pod->since = object->created;
        return pod;
}

static void take_request(struct eviction_list *list, const struct json *object) {
        struct eviction_request *request = NULL;

        if (eviction_request_decode(object, &request, NULL) < 0)
                return;
        struct evicted_pod *pod = pod_of(list, &request->object);
        if (pod->request_count == pod->request_cap) {
                pod->request_cap = pod->request_cap ? pod->request_cap * 2 : 2;
                pod->requests = xreallocarray(pod->requests, pod->request_cap,
                                              sizeof(struct eviction_request *));
        }
        pod->requests[pod->request_count++] = request;
}

static void take_eviction(struct eviction_list *list, const struct json *object) {
        struct eviction *eviction = NULL;

        if (eviction_decode(object, &eviction, NULL) < 0)
                return;
        struct evicted_pod *pod = pod_of(list, &eviction->object);
        eviction_free(pod->eviction);
        pod->eviction = eviction;
}

/* The Eviction says it; before there is one, its requests do. */
static bool pod_is_open(const struct evicted_pod *pod) {
        bool is_open = false;

        if (pod->eviction)
                return !eviction_outcome_is_final(pod->eviction->status.conditions.outcome);
        for (size_t i = 0; i < pod->request_count; i++)
                is_open |= !eviction_outcome_is_final(pod->requests[i]->object.conditions.outcome);
        return is_open;
}

/* Those under way, the oldest of them first; then what ended, the latest first. */
static int pod_compare(const void *a, const void *b) {
        const struct evicted_pod *x = *(struct evicted_pod *const *)a;
        const struct evicted_pod *y = *(struct evicted_pod *const *)b;

        if (x->is_open != y->is_open)
                return x->is_open ? -1 : 1;
        if (x->since.ns != y->since.ns)
                return (x->since.ns < y->since.ns) == x->is_open ? -1 : 1;
        return slice_compare(x->uid, y->uid);
}

static void read_list(const struct dashboard_cache *cache, struct eviction_list *list) {
        static const struct {
                enum cache_kind kind;
                void (*take)(struct eviction_list *list, const struct json *object);
        } kinds[] = { { CACHE_REQUESTS, take_request }, { CACHE_EVICTIONS, take_eviction } };
        size_t at = 0;
        void *pod;

        list->by_uid = map_new();
        for (size_t i = 0; i < ARRAY_LEN(kinds); i++) {
                CLEANUP(cleanup_json_doc)
                struct json_doc *doc = dashboard_cache_list(cache, kinds[i].kind);
                struct json_iter iter = json_iter(json_get(json_doc_root(doc), "items"));
                const struct json *object;

                while (json_next(&iter, NULL, &object))
                        kinds[i].take(list, object);
        }
        list->items = xcalloc(map_count(list->by_uid) + 1, sizeof(struct evicted_pod *));
        while (map_next(list->by_uid, &at, NULL, &pod)) {
                list->items[list->count++] = pod;
                list->items[list->count - 1]->is_open = pod_is_open(pod);
        }
        qsort(list->items, list->count, sizeof(struct evicted_pod *), pod_compare);
}

static void release_list(struct eviction_list *list) {
        for (size_t i = 0; i < list->count; i++) {
                struct evicted_pod *pod = list->items[i];

                for (size_t r = 0; r < pod->request_count; r++)
                        eviction_request_free(pod->requests[r]);
                free(pod->requests);
                eviction_free(pod->eviction);
        }
        map_free_values(list->by_uid);
        free(list->items);
}

/* ---- writing ---- */

static void write_text(struct buf *out, const char *name, struct slice text) {
        if (!text.len)
                return;
        buf_printf(out, "%s\"%s\":", out->data[out->len - 1] == '{' ? "" : ",", name);
        buf_json_string(out, text);
}

static void write_time(struct buf *out, const char *name, struct wall_time time) {
        char text[WALL_TIME_TEXT_MAX];

        if (!wall_time_is_set(time))
                return;
        wall_time_format(time, text);
        write_text(out, name, slice_of(text));
}

static void write_requests(const struct evicted_pod *pod, struct buf *out) {
        buf_text(out, ",\"asked\":[");
        for (size_t i = 0; i < pod->request_count; i++) {
                const struct eviction_request *request = pod->requests[i];

                buf_text(out, i ? ",{" : "{");
                write_text(out, "by", request->requester);
                write_text(out, "user", request->user);
                write_text(out, "intent",
                           request->intent == EVICTION_INTENT_WITHDRAWN ? SLICE_LITERAL("Withdrawn")
                                                                        : SLICE_LITERAL("Evict"));
                write_time(out, "since", request->object.created);
                write_time(out, "deadline", request->deadline);
                write_text(out, "outcome",
                           slice_of(eviction_outcome_name(request->object.conditions.outcome)));
                buf_char(out, '}');
        }
        buf_char(out, ']');
}

static void write_responders(const struct eviction_status *status, struct buf *out) {
        buf_text(out, ",\"responders\":[");
        for (size_t i = 0; i < status->responder_count; i++) {
                const struct eviction_responder *responder = &status->responders[i];

                buf_printf(out, "%s{\"state\":\"%s\",\"priority\":%d", i ? "," : "",
                           responder_state_name(responder->state), responder->priority);
                write_text(out, "name", responder->name);
                write_text(out, "message", responder->message);
                write_time(out, "start", responder->start);
                write_time(out, "heartbeat", responder->heartbeat);
                write_time(out, "expected", responder->expected);
                write_time(out, "completion", responder->completion);
                buf_char(out, '}');
        }
        buf_char(out, ']');
}

static void write_eviction(const struct eviction *eviction, struct buf *out) {
        if (!eviction)
                return;
        const struct eviction_conditions *conditions = &eviction->status.conditions;
        buf_text(out, ",\"outcome\":");
        buf_json_string(out, slice_of(eviction_outcome_name(conditions->outcome)));
        write_text(out, "message", conditions->message);
        write_text(out, "stagesAtEnd", eviction->stages);
        write_text(out, "reservedNode", eviction->reserved_node);
        write_text(out, "notReserved", eviction->reserve_refusal);
        write_responders(&eviction->status, out);
}

static void write_seconds(struct buf *out, const struct history_estimate *estimate) {
        buf_printf(out, "\"p50Seconds\":%lld,\"p95Seconds\":%lld,\"samples\":%zu",
                   (long long)(estimate->p50_ns / NS_PER_S),
                   (long long)(estimate->p95_ns / NS_PER_S), estimate->count);
}

/* By which stages its policy leads it out, and how long that took before. */
static void write_policy(const struct eviction_document *document, struct pod_id pod,
                         struct buf *out) {
        struct stage_forecast stages[EVICTION_STAGES_MAX];
        struct history_estimate whole;
        struct slice policy;
        char text[EVICTION_HOLD_TEXT_MAX];

        if (!eviction_costs_expect(document->costs, document->cluster, pod, document->now, &whole))
                return;
        struct slice held = eviction_costs_hold(document->costs, document->cluster, pod, text);
        write_text(out, "held", held);
        size_t count = eviction_costs_stages(document->costs, document->cluster, pod, document->now,
                                             stages, &policy);
        if (!count)
                return;
        buf_text(out, ",\"policy\":{\"name\":");
        buf_json_string(out, policy);
        buf_char(out, ',');
        write_seconds(out, &whole);
        buf_text(out, ",\"stages\":[");
        for (size_t i = 0; i < count; i++) {
                buf_printf(out, "%s{\"kind\":\"%s\",", i ? "," : "",
                           stage_kind_name(stages[i].kind));
                write_seconds(out, &stages[i].estimate);
                write_text(out, "name", stages[i].name);
                buf_char(out, '}');
        }
        buf_text(out, "]}");
}

/* The live pod of this uid. */
static struct pod_id live_pod(const struct eviction_document *document,
                              const struct evicted_pod *pod) {
        struct pod_id id = cluster_find_pod(document->cluster, pod->ns, pod->name);

        if (pod_id_is_none(id) || !slice_is(pod->uid, cluster_pod(document->cluster, id)->uid))
                return POD_NONE;
        return id;
}

static void write_pod(const struct eviction_document *document, const struct evicted_pod *pod,
                      struct buf *out) {
        struct pod_id id = live_pod(document, pod);

        buf_printf(out, "{\"open\":%s", pod->is_open ? "true" : "false");
        write_text(out, "namespace", pod->ns);
        write_text(out, "name", pod->name);
        write_text(out, "uid", pod->uid);
        write_time(out, "since", pod->since);
        write_requests(pod, out);
        write_eviction(pod->eviction, out);
        if (!pod_id_is_none(id)) {
                const struct pod_row *row = cluster_pod(document->cluster, id);

                if (!node_id_is_none(row->node))
                        write_text(out, "node", cluster_node_name(document->cluster, row->node));
                write_policy(document, id, out);
        }
        buf_char(out, '}');
}

/* ---- choosing ---- */

struct eviction_query {
        struct buf ns, name, find;
        bool has_name;
};

static bool has_requester(const struct evicted_pod *pod, struct slice part) {
        for (size_t i = 0; i < pod->request_count; i++)
                if (slice_contains(pod->requests[i]->requester, part))
                        return true;
        return false;
}

static bool is_wanted(const struct eviction_query *query, const struct evicted_pod *pod) {
        CLEANUP(buf_release) struct buf place = { 0 };

        if (query->has_name)
                return slice_eq(pod->ns, buf_view(&query->ns)) &&
                       slice_eq(pod->name, buf_view(&query->name));
        if (!query->find.len)
                return true;
        buf_printf(&place, SLICE_FMT "/" SLICE_FMT, SLICE_ARG(pod->ns), SLICE_ARG(pod->name));
        return slice_contains(buf_view(&place), buf_view(&query->find)) ||
               has_requester(pod, buf_view(&query->find));
}

/* One of which nobody wants anything: how it would leave. */
static void write_lone_pod(const struct eviction_document *document,
                           const struct eviction_query *query, struct buf *out) {
        struct pod_id id =
                cluster_find_pod(document->cluster, buf_view(&query->ns), buf_view(&query->name));

        if (pod_id_is_none(id))
                return;
        const struct evicted_pod pod = { .ns = buf_view(&query->ns),
                                         .name = buf_view(&query->name),
                                         .uid = slice_of(cluster_pod(document->cluster, id)->uid),
                                         .since = WALL_TIME_UNSET };
        write_pod(document, &pod, out);
}

static void write_chosen(const struct eviction_document *document,
                         const struct eviction_query *query, size_t shown, struct buf *out) {
        struct eviction_list list = { 0 };
        size_t found = 0, open = 0;

        read_list(document->cache, &list);
        buf_text(out, "\"pods\":[");
        for (size_t i = 0; i < list.count; i++) {
                open += list.items[i]->is_open;
                if (!is_wanted(query, list.items[i]) || found++ >= shown)
                        continue;
                buf_text(out, found > 1 ? "," : "");
                write_pod(document, list.items[i], out);
        }
        if (query->has_name && !found)
                write_lone_pod(document, query, out);
        buf_printf(out, "],\"found\":%zu,\"open\":%zu", found, open);
        release_list(&list);
}

void eviction_document_write(const struct eviction_document *document, struct slice query,
                             struct buf *out) {
        struct eviction_query asked = { 0 };
        size_t shown = address_number(query, "count", EVICTIONS_SHOWN, EVICTIONS_MAX);

        asked.has_name = address_text(query, "namespace", &asked.ns) &&
                         address_text(query, "name", &asked.name);
        address_text(query, "find", &asked.find);
        write_chosen(document, &asked, shown, out);
        buf_release(&asked.ns);
        buf_release(&asked.name);
        buf_release(&asked.find);
}
