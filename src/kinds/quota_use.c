/* What objects take of quotas: pods, claims, services, devices. */
#include "kinds/quota_use.h"
#include "kinds/volume_claim.h"

#include "api/object.h"
#include "api/quantity.h"
#include "api/quota_scope.h"
#include "base/arena.h"
#include "base/saturate.h"
#include "base/util.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MILLI 1000

static bool has_prefix(struct slice text, const char *prefix, struct slice *ret_rest) {
        struct slice start = slice_of(prefix);

        if (!slice_has_prefix(text, start))
                return false;
        *ret_rest = slice_make(text.ptr + start.len, text.len - start.len);
        return true;
}

/* count/PLURAL.GROUP, or just the plural of a core resource. */
static bool quota_use_counts(const struct kind_info *kind, struct slice key,
                             bool *ret_with_finished) {
        struct slice name = key, group = SLICE_EMPTY;

        *ret_with_finished = has_prefix(key, "count/", &name);
        if (*ret_with_finished) {
                group = name;
                slice_split(&group, '.', &name);
        }
        return slice_is(name, kind->plural) && slice_is(group, kind->group);
}

/* ---- which quotas count ---- */

static bool has_foreign_term(const struct json *affinity) {
        static const char *const lists[] = { "requiredDuringSchedulingIgnoredDuringExecution",
                                             "preferredDuringSchedulingIgnoredDuringExecution" };

        for (size_t i = 0; i < ARRAY_LEN(lists); i++) {
                struct json_iter iter = json_iter(json_get(affinity, lists[i]));
                const struct json *term;

                while (json_next(&iter, NULL, &term)) {
                        if (i == 1)
                                term = json_get(term, "podAffinityTerm");
                        if (json_count(json_get(term, "namespaces")) > 0 ||
                            json_get(term, "namespaceSelector"))
                                return true;
                }
        }
        return false;
}

/* Pods that want to be near to, or far from, those of other namespaces. */
static bool looks_abroad(const struct json *pod) {
        const struct json *affinity = json_get(json_get(pod, "spec"), "affinity");

        return has_foreign_term(json_get(affinity, "podAffinity")) ||
               has_foreign_term(json_get(affinity, "podAntiAffinity"));
}

#define ABROAD "CrossNamespacePodAffinity"

/* Whether the scope of that name, where it is asked for, holds the pod. */
bool quota_abroad_scope_is_met(const struct json *quota_spec, const struct json *pod) {
        struct json_iter iter = json_iter(json_get(quota_spec, "scopes"));
        const struct json *item;

        while (json_next(&iter, NULL, &item))
                if (slice_is(json_text(item), ABROAD) && !looks_abroad(pod))
                        return false;
        iter = json_iter(json_get(json_get(quota_spec, "scopeSelector"), "matchExpressions"));
        while (json_next(&iter, NULL, &item))
                if (slice_is(json_get_text(item, "scopeName"), ABROAD) && !looks_abroad(pod))
                        return false;
        return true;
}

static bool quota_has_scopes(const struct json *quota_spec) {
        return json_count(json_get(quota_spec, "scopes")) > 0 ||
               json_count(json_get(json_get(quota_spec, "scopeSelector"), "matchExpressions")) > 0;
}

bool quota_covers_object(const struct kind_info *kind, const struct json *quota_spec,
                         const struct json *object) {
        return quota_is_core_kind(kind, "persistentvolumeclaims")
                       ? quota_covers_claim(quota_spec, object)
                       : !quota_has_scopes(quota_spec);
}

/* ---- how much an object uses ---- */

static int64_t in_milli(const char *name, int64_t amount) {
        if (strcmp(name, "cpu") == 0)
                return amount;
        return amount > INT64_MAX / MILLI ? INT64_MAX : amount * MILLI;
}

bool quota_summed_resource(struct slice key, struct slice *ret_name, bool *ret_is_limit) {
        *ret_is_limit = has_prefix(key, "limits.", ret_name);
        if (*ret_is_limit || has_prefix(key, "requests.", ret_name))
                return !slice_is(key, "requests.storage");
        *ret_name = key;
        return slice_is(key, "cpu") || slice_is(key, "memory") ||
               slice_is(key, "ephemeral-storage") || has_prefix(key, "hugepages-", &key);
}

static int64_t pod_use(const struct limited *limited, const struct pod_spec *spec,
                       const struct resource_list *requests) {
        struct slice name = SLICE_EMPTY;
        bool is_limit = false;
        char text[512];

        if (!quota_summed_resource(limited->key, &name, &is_limit) || name.len >= sizeof(text))
                return 0;
        snprintf(text, sizeof(text), SLICE_FMT, SLICE_ARG(name));
        return in_milli(text, is_limit ? pod_spec_limit(spec, text)
                                       : resource_list_get(requests, text, NULL));
}

/* A pod is decoded once for all limits. */
static void add_pod(struct quota_use *use, const struct json *pod) {
        struct slice phase = json_get_text(json_get(pod, "status"), "phase");
        bool is_finished = slice_is(phase, "Succeeded") || slice_is(phase, "Failed");
        struct pod_spec spec;
        struct arena arena;

        arena_init(&arena, 4096);
        if (pod_spec_decode(json_get(pod, "spec"), &arena, &spec, NULL) == 0 &&
            quota_covers_pod(use->spec, &spec) && quota_abroad_scope_is_met(use->spec, pod)) {
                struct resource_list requests = pod_spec_requests(&spec, false, &arena);

                for (size_t i = 0; i < use->count; i++) {
                        struct limited *limited = &use->limited[i];
                        bool with_finished = false;
                        bool is_counted = quota_use_counts(use->kind, limited->key, &with_finished);

                        if (!is_finished || with_finished)
                                limited->wanted_milli =
                                        is_counted ? MILLI : pod_use(limited, &spec, &requests);
                }
        }
        arena_release(&arena);
}

/* What stands before ".storageclass.storage.k8s.io/" is a class of volumes. */
#define CLASS_MARK ".storageclass.storage.k8s.io/"

/* Whole bytes: what is asked for, or what is being allocated where that is more. */
static int64_t claim_storage(const struct json *claim) {
        const struct json *resources = json_get(json_get(claim, "spec"), "resources");
        const struct json *given = json_get(json_get(claim, "status"), "allocatedResources");
        int64_t wanted = 0, allocated = 0;

        quantity_milli(json_get_text(json_get(resources, "requests"), "storage"), &wanted, NULL);
        quantity_milli(json_get_text(given, "storage"), &allocated, NULL);
        int64_t most = allocated > wanted ? allocated : wanted;
        return most % MILLI ? sum_saturated(most, MILLI - most % MILLI) : most;
}

static int64_t claim_use(struct slice key, const struct json *claim) {
        struct slice class = volume_claim_class(claim), rest = key;

        if (class.len && slice_has_prefix(key, class)) {
                rest = slice_make(key.ptr + class.len, key.len - class.len);
                if (!has_prefix(rest, CLASS_MARK, &rest))
                        return 0;
        }
        if (slice_is(rest, "persistentvolumeclaims"))
                return MILLI;
        return slice_is(rest, "requests.storage") ? claim_storage(claim) : 0;
}

/* Ports that are, or will be, open on every node. */
static int64_t service_use(struct slice key, const struct json *service) {
        const struct json *spec = json_get(service, "spec"), *port;
        bool is_balancer = slice_is(json_get_text(spec, "type"), "LoadBalancer");
        bool is_open = is_balancer || slice_is(json_get_text(spec, "type"), "NodePort");
        bool are_given = is_balancer && !json_get_bool(spec, "allocateLoadBalancerNodePorts", true);
        struct json_iter iter = json_iter(json_get(spec, "ports"));
        int64_t count = 0;

        if (slice_is(key, "services.loadbalancers"))
                return is_balancer ? MILLI : 0;
        if (!slice_is(key, "services.nodeports") || !is_open)
                return 0;
        while (json_next(&iter, NULL, &port))
                count += !are_given || json_get_i64(port, "nodePort", 0);
        return count * MILLI;
}

#define DEVICES_MARK ".deviceclass.resource.k8s.io/devices"
#define DEVICES_COUNT_MAX 1000000000 /* more cannot be had, and sums stay in range */
#define DEVICES_MAX 32 /* of one claim: what a request for all devices may take at worst */

/* Devices of the class that one way to satisfy a request takes. */
static int64_t way_use(struct slice class, const struct json *way) {
        int64_t count = json_get_i64(way, "count", 1);

        if (!way || !slice_eq(json_get_text(way, "deviceClassName"), class))
                return 0;
        if (slice_is(json_get_text(way, "allocationMode"), "All"))
                return DEVICES_MAX;
        return count < DEVICES_COUNT_MAX ? count : DEVICES_COUNT_MAX;
}

/* Devices of a class that a claim may be given: of alternatives, the one that takes most. */
static int64_t device_use(struct slice key, const struct json *claim) {
        const struct json *devices = json_get(json_get(claim, "spec"), "devices"), *request, *way;
        struct json_iter requests = json_iter(json_get(devices, "requests"));
        struct slice mark = SLICE_LITERAL(DEVICES_MARK);
        int64_t count = 0;

        if (!slice_has_suffix(key, mark))
                return 0;
        struct slice class = slice_make(key.ptr, key.len - mark.len);
        while (json_next(&requests, NULL, &request)) {
                struct json_iter ways = json_iter(json_get(request, "firstAvailable"));
                int64_t most = way_use(class, json_get(request, "exactly"));

                while (json_next(&ways, NULL, &way))
                        if (way_use(class, way) > most)
                                most = way_use(class, way);
                count += most;
        }
        return count * MILLI;
}

bool quota_is_core_kind(const struct kind_info *kind, const char *plural) {
        return !*kind->group && strcmp(kind->plural, plural) == 0;
}

static int64_t object_use(const struct quota_use *use, const struct limited *limited,
                          const struct json *object) {
        bool with_finished;

        if (quota_use_counts(use->kind, limited->key, &with_finished))
                return MILLI;
        if (quota_is_core_kind(use->kind, "persistentvolumeclaims"))
                return claim_use(limited->key, object);
        if (quota_is_core_kind(use->kind, "services"))
                return service_use(limited->key, object);
        if (strcmp(use->kind->plural, "resourceclaims") == 0)
                return device_use(limited->key, object);
        return 0;
}

void quota_use_add(struct quota_use *use, const struct json *object) {
        if (quota_is_core_kind(use->kind, "pods")) {
                add_pod(use, object);
                return;
        }
        if (!quota_covers_object(use->kind, use->spec, object))
                return;
        for (size_t i = 0; i < use->count; i++)
                use->limited[i].wanted_milli = object_use(use, &use->limited[i], object);
}

bool quota_is_used_by(const struct kind_info *kind, struct slice key) {
        struct slice rest = key;
        bool flag = false;

        if (quota_use_counts(kind, key, &flag))
                return true;
        if (quota_is_core_kind(kind, "pods"))
                return quota_summed_resource(key, &rest, &flag) ||
                       has_prefix(key, "hugepages-", &rest);
        if (quota_is_core_kind(kind, "services"))
                return slice_is(key, "services.nodeports") ||
                       slice_is(key, "services.loadbalancers");
        if (quota_is_core_kind(kind, "persistentvolumeclaims"))
                return slice_is(key, "requests.storage") ||
                       slice_has_suffix(key, SLICE_LITERAL(CLASS_MARK "requests.storage")) ||
                       slice_has_suffix(key, SLICE_LITERAL(CLASS_MARK "persistentvolumeclaims"));
        return strcmp(kind->plural, "resourceclaims") == 0 &&
               slice_has_suffix(key, SLICE_LITERAL(DEVICES_MARK));
}

void quota_use_take_off(struct quota_use *use, const struct json *old) {
        struct quota_use before = *use;

        before.limited = xcalloc(use->count + 1, sizeof(*before.limited));
        for (size_t i = 0; i < use->count; i++)
                before.limited[i].key = use->limited[i].key;
        quota_use_add(&before, old);
        for (size_t i = 0; i < use->count; i++)
                use->limited[i].wanted_milli -= before.limited[i].wanted_milli;
        free(before.limited);
}
