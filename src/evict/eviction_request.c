/* Decodes EvictionRequest and Eviction objects; the syntax of names and of the pod's annotation. */
#include "evict/eviction_request.h"

#include "base/util.h"
#include "base/uuid.h"
#include "evict/client_eviction.h"
#include "evict/eviction_claim.h"
#include <stdlib.h>

#define OBJECT_ARENA_BYTES 1024
#define POD_RESPONDERS_MAX (EVICTION_RESPONDERS_MAX - 1)

static const char *const state_names[RESPONDER_STATE_COUNT] = {
        [RESPONDER_INACTIVE] = "Inactive",       [RESPONDER_ACTIVE] = "Active",
        [RESPONDER_INTERRUPTED] = "Interrupted", [RESPONDER_CANCELED] = "Canceled",
        [RESPONDER_COMPLETED] = "Completed",
};

const char *responder_state_name(enum responder_state state) {
        return state_names[state];
}

/* ---- decoding ---- */

static struct wall_time read_time(const struct json *object, const char *key) {
        struct wall_time time = WALL_TIME_UNSET;
        struct slice text = json_get_text(object, key);

        if (text.len && !wall_time_parse(text, &time))
                return WALL_TIME_UNSET;
        return time;
}

static struct slice eviction_request_keep(struct arena *arena, const struct json *object,
                                          const char *key) {
        return arena_slice(arena, json_get_text(object, key));
}

static enum eviction_intent intent_of(struct slice text) {
        if (slice_is(text, "Eviction"))
                return EVICTION_INTENT_EVICT;
        return slice_is(text, "Withdrawn") ? EVICTION_INTENT_WITHDRAWN : EVICTION_INTENT_NONE;
}

static enum eviction_outcome outcome_of(const struct eviction_conditions *conditions,
                                        struct slice failed, struct slice evicted) {
        if (conditions->evicted_is_true)
                return slice_is(evicted, "PodTerminal") ? EVICTION_POD_TERMINAL
                                                        : EVICTION_POD_DELETED;
        if (conditions->failed_is_true) {
                if (slice_is(failed, "CanceledDueToNoRequesters"))
                        return EVICTION_CANCELED;
                return slice_is(failed, "NoFurtherResponder") ? EVICTION_NO_RESPONDER
                                                              : EVICTION_INVALID;
        }
        return conditions->has_failed || conditions->has_evicted ? EVICTION_AWAITING : EVICTION_NEW;
}

static struct eviction_conditions read_conditions(const struct json *list, struct arena *arena) {
        struct eviction_conditions conditions = { .failed_changed = WALL_TIME_UNSET,
                                                  .evicted_changed = WALL_TIME_UNSET };
        struct slice failed = SLICE_EMPTY, evicted = SLICE_EMPTY;
        struct json_iter iter = json_iter(list);
        const struct json *item;

        while (json_next(&iter, NULL, &item)) {
                struct slice type = json_get_text(item, "type");
                bool is_true = slice_is(json_get_text(item, "status"), "True");

                if (slice_is(type, "Failed")) {
                        conditions.has_failed = true;
                        conditions.failed_is_true = is_true;
                        conditions.failed_changed = read_time(item, "lastTransitionTime");
                        conditions.message = eviction_request_keep(arena, item, "message");
                        failed = json_get_text(item, "reason");
                } else if (slice_is(type, "TargetEvicted")) {
                        conditions.has_evicted = true;
                        conditions.evicted_is_true = is_true;
                        conditions.evicted_changed = read_time(item, "lastTransitionTime");
                        evicted = json_get_text(item, "reason");
                }
        }
        conditions.outcome = outcome_of(&conditions, failed, evicted);
        return conditions;
}

static int read_object(const struct json *object, struct arena *arena,
                       struct eviction_object *ret_object, struct err *err) {
        const struct json *meta = json_get(object, "metadata"), *status;
        const struct json *pod = json_get(json_get(json_get(object, "spec"), "target"), "pod");

        if (json_type(meta) != JSON_OBJECT || json_get_text(meta, "name").len == 0) {
                err_set(err, BERTH_ERR_BAD_REQUEST, "expected an object with a name");
                return BERTH_ERR_BAD_REQUEST;
        }
        status = json_get(object, "status");
        *ret_object = (struct eviction_object){
                .ns = eviction_request_keep(arena, meta, "namespace"),
                .name = eviction_request_keep(arena, meta, "name"),
                .uid = eviction_request_keep(arena, meta, "uid"),
                .version = eviction_request_keep(arena, meta, "resourceVersion"),
                .created = read_time(meta, "creationTimestamp"),
                .generation = json_get_i64(meta, "generation", 1),
                .is_deleting = json_get_text(meta, "deletionTimestamp").len > 0,
                .target_name = eviction_request_keep(arena, pod, "name"),
                .target_uid = eviction_request_keep(arena, pod, "uid"),
                .observed_generation = json_get_i64(status, "observedGeneration", 0),
                .conditions = read_conditions(json_get(status, "conditions"), arena),
        };
        return 0;
}

int eviction_request_decode(const struct json *object, struct eviction_request **ret_request,
                            struct err *err) {
        struct eviction_request *request = xcalloc(1, sizeof(*request));
        const struct json *spec = json_get(object, "spec");

        arena_init(&request->arena, OBJECT_ARENA_BYTES);
        int code = read_object(object, &request->arena, &request->object, err);
        if (code < 0) {
                eviction_request_free(request);
                return code;
        }
        request->requester = eviction_request_keep(&request->arena, spec, "requester");
        request->intent = intent_of(json_get_text(spec, "intent"));
        request->user = arena_slice(
                &request->arena,
                json_get_text(json_get(json_get(object, "metadata"), "annotations"),
                              slice_has_prefix(request->requester,
                                               SLICE_LITERAL(CLIENT_EVICTION_DOMAIN "/"))
                                      ? CLIENT_EVICTION_USER_KEY
                                      : EVICTION_USER_KEY));
        request->deadline = read_time(json_get(json_get(object, "metadata"), "annotations"),
                                      "lifecycle.berth.dev/deadline");
        *ret_request = request;
        return 0;
}

void eviction_request_free(struct eviction_request *request) {
        if (!request)
                return;
        arena_release(&request->arena);
        free(request);
}

static void read_owners(const struct json *list, struct eviction *eviction) {
        struct json_iter iter = json_iter(list);
        const struct json *item;

        eviction->owners = ARENA_ARRAY(&eviction->arena, struct slice, json_count(list));
        while (json_next(&iter, NULL, &item))
                eviction->owners[eviction->owner_count++] =
                        eviction_request_keep(&eviction->arena, item, "uid");
}

static void read_meta(const struct json *meta, struct eviction *eviction) {
        const struct json *list = json_get(meta, "finalizers"), *item;
        const struct json *notes = json_get(meta, "annotations");
        struct json_iter iter = json_iter(list);

        eviction->finalizers = ARENA_ARRAY(&eviction->arena, struct slice, json_count(list));
        while (json_next(&iter, NULL, &item))
                eviction->finalizers[eviction->finalizer_count++] =
                        arena_slice(&eviction->arena, json_text(item));
        eviction->requires_reservation = slice_has_prefix(
                json_get_text(notes, EVICTION_RESERVE_KEY), SLICE_LITERAL("Required"));
        eviction->reserved_node =
                eviction_request_keep(&eviction->arena, notes, EVICTION_RESERVED_KEY);
        eviction->reserve_refusal =
                eviction_request_keep(&eviction->arena, notes, EVICTION_NOT_RESERVED_KEY);
        eviction->stages = eviction_request_keep(&eviction->arena, json_get(meta, "annotations"),
                                                 "lifecycle.berth.dev/stages");
}

static void read_requesters(const struct json *list, struct eviction *eviction) {
        struct eviction_status *status = &eviction->status;
        struct json_iter iter = json_iter(list);
        const struct json *item;

        while (json_next(&iter, NULL, &item) && status->requester_count < EVICTION_REQUESTERS_MAX)
                status->requesters[status->requester_count++] = (struct eviction_requester){
                        .name = eviction_request_keep(&eviction->arena, item, "name"),
                        .intent = intent_of(json_get_text(item, "intent")),
                };
}

static enum responder_state state_of(struct slice text) {
        for (size_t i = 0; i < RESPONDER_STATE_COUNT; i++)
                if (slice_is(text, state_names[i]))
                        return (enum responder_state)i;
        return RESPONDER_INACTIVE;
}

static void read_targets(const struct json *list, struct eviction *eviction) {
        struct eviction_status *status = &eviction->status;
        struct json_iter iter = json_iter(list);
        const struct json *item;

        while (json_next(&iter, NULL, &item) && status->responder_count < EVICTION_RESPONDERS_MAX)
                status->responders[status->responder_count++] = (struct eviction_responder){
                        .name = eviction_request_keep(&eviction->arena, item, "name"),
                        .priority = (int32_t)json_get_i64(item, "priority", 0),
                        .state = state_of(json_get_text(item, "state")),
                        .start = WALL_TIME_UNSET,
                        .heartbeat = WALL_TIME_UNSET,
                        .expected = WALL_TIME_UNSET,
                        .completion = WALL_TIME_UNSET,
                };
}

/* The responders' own entries, joined to the targets by name. */
static void read_reports(const struct json *list, struct eviction *eviction) {
        struct json_iter iter = json_iter(list);
        const struct json *item;

        while (json_next(&iter, NULL, &item)) {
                int at = eviction_find_responder(&eviction->status, json_get_text(item, "name"));

                if (at < 0)
                        continue;
                struct eviction_responder *responder = &eviction->status.responders[at];
                responder->start = read_time(item, "startTime");
                responder->heartbeat = read_time(item, "heartbeatTime");
                responder->expected = read_time(item, "expectedCompletionTime");
                responder->completion = read_time(item, "completionTime");
                responder->message = eviction_request_keep(&eviction->arena, item, "message");
        }
}

int eviction_decode(const struct json *object, struct eviction **ret_eviction, struct err *err) {
        struct eviction *eviction = xcalloc(1, sizeof(*eviction));
        const struct json *meta = json_get(object, "metadata");
        const struct json *status = json_get(object, "status");

        arena_init(&eviction->arena, OBJECT_ARENA_BYTES);
        int code = read_object(object, &eviction->arena, &eviction->object, err);
        if (code < 0) {
                eviction_free(eviction);
                return code;
        }
        eviction->labels = label_list_decode(json_get(meta, "labels"), &eviction->arena);
        for (size_t i = 0; i < eviction->labels.count; i++) { /* the document will be freed */
                struct label *label = &eviction->labels.items[i];

                label->key = arena_slice(&eviction->arena, label->key);
                label->value = arena_slice(&eviction->arena, label->value);
        }
        read_owners(json_get(meta, "ownerReferences"), eviction);
        read_meta(meta, eviction);
        eviction->status.observed_generation = eviction->object.observed_generation;
        eviction->status.conditions = eviction->object.conditions;
        read_requesters(json_get(status, "requesters"), eviction);
        read_targets(json_get(status, "targetResponders"), eviction);
        read_reports(json_get(status, "responders"), eviction);
        *ret_eviction = eviction;
        return 0;
}

void eviction_free(struct eviction *eviction) {
        if (!eviction)
                return;
        arena_release(&eviction->arena);
        free(eviction);
}

int eviction_active(const struct eviction_status *status) {
        for (size_t i = 0; i < status->responder_count; i++)
                if (status->responders[i].state == RESPONDER_ACTIVE)
                        return (int)i;
        return -1;
}

int eviction_find_responder(const struct eviction_status *status, struct slice name) {
        for (size_t i = 0; i < status->responder_count; i++)
                if (slice_eq(status->responders[i].name, name))
                        return (int)i;
        return -1;
}

/* ---- names ---- */

static struct slice domain_of(struct slice name) {
        struct slice rest = name, head;

        return slice_split(&rest, '/', &head) && rest.ptr ? head : SLICE_EMPTY;
}

static bool is_core_domain(struct slice domain) {
        return slice_is(domain, "k8s.io") || slice_is(domain, "kubernetes.io") ||
               slice_has_suffix(domain, SLICE_LITERAL(".k8s.io")) ||
               slice_has_suffix(domain, SLICE_LITERAL(".kubernetes.io"));
}

static const char *name_problem(struct slice name) {
        if (domain_of(name).len == 0)
                return "expected a name with a domain, such as example.com/name";
        return label_key_problem(name);
}

const char *eviction_requester_problem(struct slice name) {
        const char *problem = name_problem(name);

        if (!problem && is_core_domain(domain_of(name)))
                return "the domain is reserved for Kubernetes itself";
        return problem;
}

const char *eviction_responder_problem(struct slice name, int64_t priority) {
        const char *problem = name_problem(name);

        if (problem)
                return problem;
        if (slice_is(name, EVICTION_EVICTOR))
                return priority == EVICTION_PRIORITY_DEFAULT
                               ? NULL
                               : "the default responder has priority 100";
        if (is_core_domain(domain_of(name)))
                return "the domain is reserved for Kubernetes itself";
        if (priority < EVICTION_PRIORITY_RESERVED || priority > EVICTION_PRIORITY_MAX)
                return "expected a priority between 1000 and 100000";
        return NULL;
}

static bool is_uid(struct slice text) {
        struct uuid uuid;

        for (size_t i = 0; i < text.len; i++)
                if (text.ptr[i] >= 'A' && text.ptr[i] <= 'F')
                        return false;
        return uuid_parse(text, &uuid);
}

int eviction_request_check(const struct eviction_request *request, struct err *err) {
        const char *problem = eviction_requester_problem(request->requester);
        const char *path = "spec.requester";

        if (!problem && request->intent == EVICTION_INTENT_NONE) {
                problem = "expected Eviction or Withdrawn";
                path = "spec.intent";
        }
        if (!problem && request->object.target_name.len == 0) {
                problem = "required";
                path = "spec.target.pod.name";
        }
        if (!problem && !is_uid(request->object.target_uid)) {
                problem = "expected a lower-case UUID";
                path = "spec.target.pod.uid";
        }
        if (!problem)
                return 0;
        err_set(err, BERTH_ERR_INVALID, "%s", problem);
        err_path_prepend(err, path);
        return BERTH_ERR_INVALID;
}

/* ---- responders of a pod ---- */

static int parse_responder(struct slice item, struct eviction_responder *ret_responder,
                           struct err *err) {
        struct slice rest = slice_trim(item), name;
        const char *problem = "expected name=priority";
        int64_t priority;

        if (slice_split(&rest, '=', &name) && rest.ptr && slice_to_i64(slice_trim(rest), &priority))
                problem = slice_is(slice_trim(name), EVICTION_EVICTOR)
                                  ? "the default responder is always there"
                                  : eviction_responder_problem(slice_trim(name), priority);
        if (problem)
                return err_set(err, BERTH_ERR_INVALID, "responder \"" SLICE_FMT "\": %s",
                               SLICE_ARG(item), problem);
        *ret_responder = (struct eviction_responder){ .name = slice_trim(name),
                                                      .priority = (int32_t)priority };
        return 0;
}

int eviction_responders_parse(struct slice text, struct eviction_responder *ret_responders,
                              size_t *ret_count, struct err *err) {
        struct eviction_responder list[EVICTION_RESPONDERS_MAX];
        struct slice rest = text, item;
        size_t count = 0;

        while (slice_trim(text).len && slice_split(&rest, ',', &item)) {
                if (count == POD_RESPONDERS_MAX)
                        return err_set(err, BERTH_ERR_INVALID, "more than %d responders",
                                       POD_RESPONDERS_MAX);
                if (parse_responder(item, &list[count], err) < 0)
                        return BERTH_ERR_INVALID;
                for (size_t i = 0; i < count; i++)
                        if (slice_eq(list[i].name, list[count].name))
                                return err_set(err, BERTH_ERR_INVALID,
                                               "responder " SLICE_FMT " comes twice",
                                               SLICE_ARG(list[i].name));
                count++;
        }
        list[count++] = (struct eviction_responder){ .name = SLICE_LITERAL(EVICTION_EVICTOR),
                                                     .priority = EVICTION_PRIORITY_DEFAULT };
        eviction_responders_sort(list, count);
        for (size_t i = 0; i < count; i++)
                ret_responders[i] = list[i];
        *ret_count = count;
        return 0;
}

/* Domains from their last label on: a.io before b.io, then x.a.io. */
static int compare_domains(struct slice a, struct slice b) {
        while (a.len && b.len) {
                const char *a_dot = memrchr(a.ptr, '.', a.len), *b_dot = memrchr(b.ptr, '.', b.len);
                const char *a_from = a_dot ? a_dot + 1 : a.ptr;
                const char *b_from = b_dot ? b_dot + 1 : b.ptr;
                int order = slice_compare(slice_make(a_from, (size_t)(a.ptr + a.len - a_from)),
                                          slice_make(b_from, (size_t)(b.ptr + b.len - b_from)));

                if (order)
                        return order;
                a.len = a_dot ? (size_t)(a_dot - a.ptr) : 0;
                b.len = b_dot ? (size_t)(b_dot - b.ptr) : 0;
        }
        return (a.len > 0) - (b.len > 0);
}

static int compare_responders(const void *left, const void *right) {
        const struct eviction_responder *a = left, *b = right;

        if (a->priority != b->priority)
                return a->priority > b->priority ? -1 : 1;
        int order = compare_domains(domain_of(a->name), domain_of(b->name));
        return order ? order : slice_compare(a->name, b->name);
}

void eviction_responders_sort(struct eviction_responder *responders, size_t count) {
        qsort(responders, count, sizeof(responders[0]), compare_responders);
}
