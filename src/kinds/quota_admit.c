/* Resource quotas: what is in use is what their status says, which every create, and every change
 * that takes more, is added to. As upstream, only quotas whose status shows limits count: nothing
 * is limited before their controller has seen them. */
#include "kinds/admit.h"

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

/* One limited resource of one quota. */
struct limited {
        struct slice key, hard;
        int64_t wanted_milli;
        int64_t used_milli; /* as the quota's status says */
};

/* The resources of a quota that an object takes of. */
struct quota_use {
        const struct kind_info *kind;
        const struct json *spec; /* of the quota */
        struct limited *limited;
        size_t count;
};

struct quota_check {
        struct kind_context *context;
        const struct json_node *object;
        const struct json *created; /* the same, parsed */
        const struct json *old;     /* what the object was, NULL at create */
        struct slice ns;
        struct err *err;
        int result;
        const struct quota_charges *charges; /* once the object is admitted */
};

static bool has_prefix(struct slice text, const char *prefix, struct slice *ret_rest) {
        struct slice start = slice_of(prefix);

        if (!slice_has_prefix(text, start))
                return false;
        *ret_rest = slice_make(text.ptr + start.len, text.len - start.len);
        return true;
}

/* count/PLURAL.GROUP, or just the plural of a core resource. */
static bool quota_admit_counts(const struct kind_info *kind, struct slice key,
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
static bool is_abroad_scope_met(const struct json *quota_spec, const struct json *pod) {
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

/* Scopes are about pods: a quota that has some is about nothing else. */
static bool has_scopes(const struct json *quota_spec) {
        return json_count(json_get(quota_spec, "scopes")) > 0 ||
               json_count(json_get(json_get(quota_spec, "scopeSelector"), "matchExpressions")) > 0;
}

/* ---- how much an object uses ---- */

static int64_t in_milli(const char *name, int64_t amount) {
        if (strcmp(name, "cpu") == 0)
                return amount;
        return amount > INT64_MAX / MILLI ? INT64_MAX : amount * MILLI;
}

/* Name of the resource of pods that a key sums up; false when it is none. */
static bool summed_resource(struct slice key, struct slice *ret_name, bool *ret_is_limit) {
        *ret_is_limit = has_prefix(key, "limits.", ret_name);
        if (*ret_is_limit || has_prefix(key, "requests.", ret_name))
                return !slice_is(key, "requests.storage");
        *ret_name = key;
        return slice_is(key, "cpu") || slice_is(key, "memory") ||
               slice_is(key, "ephemeral-storage");
}

static int64_t pod_use(const struct limited *limited, const struct pod_spec *spec,
                       const struct resource_list *requests) {
        struct slice name = SLICE_EMPTY;
        bool is_limit = false;
        char text[512];

        if (!summed_resource(limited->key, &name, &is_limit) || name.len >= sizeof(text))
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
            quota_covers_pod(use->spec, &spec) && is_abroad_scope_met(use->spec, pod)) {
                struct resource_list requests = pod_spec_requests(&spec, false, &arena);

                for (size_t i = 0; i < use->count; i++) {
                        struct limited *limited = &use->limited[i];
                        bool with_finished = false;
                        bool is_counted =
                                quota_admit_counts(use->kind, limited->key, &with_finished);

                        if (!is_finished || with_finished)
                                limited->wanted_milli =
                                        is_counted ? MILLI : pod_use(limited, &spec, &requests);
                }
        }
        arena_release(&arena);
}

/* What stands before ".storageclass.storage.k8s.io/" is a class of volumes. */
#define CLASS_MARK ".storageclass.storage.k8s.io/"
#define CLASS_ANNOTATION "volume.beta.kubernetes.io/storage-class"

static struct slice claim_class(const struct json *claim) {
        const struct json *annotations = json_get(json_get(claim, "metadata"), "annotations");

        return json_get(annotations, CLASS_ANNOTATION)
                       ? json_get_text(annotations, CLASS_ANNOTATION)
                       : json_get_text(json_get(claim, "spec"), "storageClassName");
}

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
        struct slice class = claim_class(claim), rest = key;

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

static bool is_core_kind(const struct kind_info *kind, const char *plural) {
        return !*kind->group && strcmp(kind->plural, plural) == 0;
}

static int64_t object_use(const struct quota_use *use, const struct limited *limited,
                          const struct json *object) {
        bool with_finished;

        if (quota_admit_counts(use->kind, limited->key, &with_finished))
                return MILLI;
        if (is_core_kind(use->kind, "persistentvolumeclaims"))
                return claim_use(limited->key, object);
        if (is_core_kind(use->kind, "services"))
                return service_use(limited->key, object);
        if (strcmp(use->kind->plural, "resourceclaims") == 0)
                return device_use(limited->key, object);
        return 0;
}

static void quota_use_add(struct quota_use *use, const struct json *object) {
        if (is_core_kind(use->kind, "pods")) {
                add_pod(use, object);
                return;
        }
        if (has_scopes(use->spec))
                return;
        for (size_t i = 0; i < use->count; i++)
                use->limited[i].wanted_milli = object_use(use, &use->limited[i], object);
}

/* Whether objects of a kind take of a resource at all. */
static bool is_used_by(const struct kind_info *kind, struct slice key) {
        struct slice rest = key;
        bool flag = false;

        if (quota_admit_counts(kind, key, &flag))
                return true;
        if (is_core_kind(kind, "pods"))
                return summed_resource(key, &rest, &flag) || has_prefix(key, "hugepages-", &rest);
        if (is_core_kind(kind, "services"))
                return slice_is(key, "services.nodeports") ||
                       slice_is(key, "services.loadbalancers");
        if (is_core_kind(kind, "persistentvolumeclaims"))
                return slice_is(key, "requests.storage") ||
                       slice_has_suffix(key, SLICE_LITERAL(CLASS_MARK "requests.storage")) ||
                       slice_has_suffix(key, SLICE_LITERAL(CLASS_MARK "persistentvolumeclaims"));
        return strcmp(kind->plural, "resourceclaims") == 0 &&
               slice_has_suffix(key, SLICE_LITERAL(DEVICES_MARK));
}

/* ---- one quota ---- */

struct overrun {
        struct buf requested, used, hard;
};

static void amount_format(struct slice key, int64_t milli, char text[QUANTITY_TEXT_MAX]) {
        bool is_memory = slice_is(key, "memory") || memmem(key.ptr, key.len, ".memory", 7) ||
                         memmem(key.ptr, key.len, "storage", 7);

        if (is_memory)
                quantity_format_units(milli / MILLI, QUANTITY_BINARY_SI, text);
        else
                quantity_format_milli(milli, text);
}

static void amount_add(struct buf *out, struct slice key, int64_t milli) {
        char text[QUANTITY_TEXT_MAX];

        amount_format(key, milli, text);
        buf_printf(out, "%s" SLICE_FMT "=%s", out->len ? "," : "", SLICE_ARG(key), text);
}

/* What an object took already; nothing of a quota that was not about it. */
static void quota_use_take_off(struct quota_use *use, const struct json *old) {
        struct quota_use before = *use;

        before.limited = xcalloc(use->count + 1, sizeof(*before.limited));
        for (size_t i = 0; i < use->count; i++)
                before.limited[i].key = use->limited[i].key;
        quota_use_add(&before, old);
        for (size_t i = 0; i < use->count; i++)
                use->limited[i].wanted_milli -= before.limited[i].wanted_milli;
        free(before.limited);
}

/* All limits of a quota, then those the object takes of. */
static void quota_use_begin(struct quota_use *use, struct quota_check *check,
                            const struct json *quota) {
        const struct json *hard = json_get(json_get(quota, "status"), "hard"), *amount;
        const struct json *reported = json_get(json_get(quota, "status"), "used");
        struct json_iter iter = json_iter(hard);
        struct slice key;
        size_t count = 0;

        *use = (struct quota_use){ .kind = check->context->kind,
                                   .spec = json_get(quota, "spec"),
                                   .limited = xcalloc(iter.count + 1, sizeof(*use->limited)) };
        while (json_next(&iter, &key, &amount)) {
                struct limited *limited = &use->limited[use->count++];

                *limited = (struct limited){ .key = key, .hard = json_text(amount) };
                quantity_milli(json_text(json_get_slice(reported, key)), &limited->used_milli,
                               NULL);
        }
        quota_use_add(use, check->created);
        if (check->old)
                quota_use_take_off(use, check->old);
        for (size_t i = 0; i < use->count; i++)
                if (use->limited[i].wanted_milli > 0)
                        use->limited[count++] = use->limited[i];
        use->count = count;
}

static void check_resource(const struct limited *limited, struct overrun *overrun) {
        int64_t used = limited->used_milli, allowed = 0;

        if (quantity_milli(limited->hard, &allowed, NULL) < 0 ||
            sum_saturated(used, limited->wanted_milli) <= allowed)
                return;
        amount_add(&overrun->requested, limited->key, limited->wanted_milli);
        amount_add(&overrun->used, limited->key, used);
        amount_add(&overrun->hard, limited->key, allowed);
}

/* ---- what containers must say ---- */

/* Amounts that a quota limits have to be said by every container: requests.cpu, or cpu for short.
 */
static const struct {
        const char *key, *list, *member;
} demanded[] = {
        { "cpu", "requests", "cpu" },
        { "limits.cpu", "limits", "cpu" },
        { "limits.memory", "limits", "memory" },
        { "memory", "requests", "memory" },
        { "requests.cpu", "requests", "cpu" },
        { "requests.memory", "requests", "memory" },
};

static void names_without(const struct json *pod, size_t index, struct buf *out) {
        static const char *const lists[] = { "containers", "initContainers" };
        const struct json *spec = json_get(pod, "spec"), *container;

        for (size_t i = 0; i < ARRAY_LEN(lists); i++) {
                struct json_iter iter = json_iter(json_get(spec, lists[i]));

                while (json_next(&iter, NULL, &container)) {
                        const struct json *amounts =
                                json_get(json_get(container, "resources"), demanded[index].list);

                        if (!json_get(amounts, demanded[index].member))
                                buf_printf(out, "%s" SLICE_FMT, out->len ? "," : "",
                                           SLICE_ARG(json_get_text(container, "name")));
                }
        }
}

/* "cpu for: a,b; memory for: a" */
static void demands_write(const struct json *quota, const struct json *pod, struct buf *out) {
        const struct json *hard = json_get(json_get(quota, "status"), "hard");

        for (size_t i = 0; i < ARRAY_LEN(demanded); i++) {
                struct buf names = { 0 };

                if (json_get(hard, demanded[i].key))
                        names_without(pod, i, &names);
                if (names.len)
                        buf_printf(out, "%s%s for: %s", out->len ? "; " : "", demanded[i].key,
                                   names.data);
                buf_release(&names);
        }
}

static bool is_quota_about(const struct json *quota, const struct json *pod) {
        const struct json *quota_spec = json_get(quota, "spec");
        bool is_covered = false;
        struct pod_spec spec;
        struct arena arena;

        arena_init(&arena, 4096);
        is_covered = pod_spec_decode(json_get(pod, "spec"), &arena, &spec, NULL) == 0 &&
                     quota_covers_pod(quota_spec, &spec) && is_abroad_scope_met(quota_spec, pod);
        arena_release(&arena);
        return is_covered;
}

static bool check_demands(struct quota_check *check, const struct json *quota) {
        struct buf text = { 0 };

        /* A pod that says its resources as a whole need not say those of its containers. */
        if (!is_core_kind(check->context->kind, "pods") ||
            json_get(json_get(check->created, "spec"), "resources") ||
            !is_quota_about(quota, check->created))
                return true;
        demands_write(quota, check->created, &text);
        if (text.len)
                check->result = admit_forbid(
                        check->context, check->object, check->err,
                        "failed quota: " SLICE_FMT ": must specify %s",
                        SLICE_ARG(json_get_text(json_get(quota, "metadata"), "name")), text.data);
        buf_release(&text);
        return check->result == 0;
}

/* ---- what is in use must be known ---- */

static int compare_keys(const void *left, const void *right) {
        return slice_compare(*(const struct slice *)left, *(const struct slice *)right);
}

/* Writes the limits that objects of the kind take of, sorted, when the use of one is unknown. */
static bool unknown_write(const struct kind_info *kind, const struct json *status,
                          struct buf *out) {
        struct json_iter iter = json_iter(json_get(status, "hard"));
        struct slice *keys = xcalloc(iter.count + 1, sizeof(*keys)), key;
        bool is_unknown = false;
        size_t count = 0;

        while (json_next(&iter, &key, NULL)) {
                if (!is_used_by(kind, key))
                        continue;
                keys[count++] = key;
                is_unknown |= !json_get_slice(json_get(status, "used"), key);
        }
        if (is_unknown)
                qsort(keys, count, sizeof(*keys), compare_keys);
        for (size_t i = 0; is_unknown && i < count; i++)
                buf_printf(out, "%s" SLICE_FMT, i ? "," : "", SLICE_ARG(keys[i]));
        free(keys);
        return is_unknown;
}

static bool check_known(struct quota_check *check, const struct json *quota) {
        const struct kind_info *kind = check->context->kind;
        bool is_about = is_core_kind(kind, "pods") ? is_quota_about(quota, check->created)
                                                   : !has_scopes(json_get(quota, "spec"));
        CLEANUP(buf_release) struct buf names = { 0 };

        if (is_about && unknown_write(kind, json_get(quota, "status"), &names))
                check->result = admit_forbid(
                        check->context, check->object, check->err,
                        "status unknown for quota: " SLICE_FMT ", resources: %s",
                        SLICE_ARG(json_get_text(json_get(quota, "metadata"), "name")), names.data);
        return check->result == 0;
}

static bool check_ready(void *context, const struct json *quota) {
        return check_demands(context, quota) && check_known(context, quota);
}

static bool check_quota(void *context, const struct json *quota) {
        struct quota_check *check = context;
        struct overrun overrun = { 0 };
        struct quota_use use;

        quota_use_begin(&use, check, quota);
        for (size_t i = 0; i < use.count; i++)
                check_resource(&use.limited[i], &overrun);
        free(use.limited);
        if (overrun.requested.len)
                check->result = admit_forbid(
                        check->context, check->object, check->err,
                        "exceeded quota: " SLICE_FMT ", requested: %s, used: %s, limited: %s",
                        SLICE_ARG(json_get_text(json_get(quota, "metadata"), "name")),
                        overrun.requested.data, overrun.used.data, overrun.hard.data);
        buf_release(&overrun.requested);
        buf_release(&overrun.used);
        buf_release(&overrun.hard);
        return check->result == 0;
}

static bool charge_quota(void *context, const struct json *quota) {
        struct quota_check *check = context;
        char text[QUANTITY_TEXT_MAX];
        struct quota_use use;

        quota_use_begin(&use, check, quota);
        for (size_t i = 0; i < use.count; i++) {
                const struct limited *limited = &use.limited[i];

                amount_format(limited->key,
                              sum_saturated(limited->used_milli, limited->wanted_milli), text);
                check->charges->visit(check->charges->context,
                                      json_get_text(json_get(quota, "metadata"), "name"),
                                      limited->key, slice_of(text));
        }
        free(use.limited);
        return true;
}

/* Pods that end by themselves are what some scopes are about. */
static bool is_end_changed(const struct quota_check *check) {
        static const char deadline[] = "activeDeadlineSeconds";
        int64_t old = json_get_i64(json_get(check->old, "spec"), deadline, -1);

        return (node_get_i64(node_get(check->object, "spec"), deadline, -1) >= 0) != (old >= 0);
}

/* Changes that may take more: of the kinds of which more than their number is counted. */
static bool is_counted(const struct quota_check *check) {
        struct slice subresource = check->context->subresource;
        const struct kind_info *kind = check->context->kind;

        if (!check->old || (is_core_kind(kind, "pods") && slice_is(subresource, "resize")))
                return true;
        if (is_core_kind(kind, "persistentvolumeclaims"))
                return subresource.len == 0 || slice_is(subresource, "status");
        if (subresource.len)
                return false;
        if (is_core_kind(kind, "pods"))
                return is_end_changed(check);
        return is_core_kind(kind, "services") || strcmp(kind->plural, "resourceclaims") == 0;
}

static void visit_quotas(struct quota_check *check,
                         bool (*visit)(void *context, const struct json *quota)) {
        struct json_doc *doc = NULL;
        struct buf text = { 0 };

        if (check->ns.len == 0 || !is_counted(check))
                return;
        node_write(check->object, &text);
        if (json_parse(buf_view(&text), &doc, NULL) == 0) {
                check->created = json_doc_root(doc);
                check->context->each(check->context->engine, "", "resourcequotas", check->ns, visit,
                                     check);
        }
        json_doc_free(doc);
        buf_release(&text);
}

int quota_admit(struct kind_context *context, const struct json_node *object,
                const struct json *old, struct slice ns, struct err *err) {
        struct quota_check check = {
                .context = context, .object = object, .old = old, .ns = ns, .err = err
        };

        visit_quotas(&check, check_ready);
        if (check.result == 0 && !slice_is(context->subresource, "status"))
                visit_quotas(&check, check_quota);
        return check.result;
}

void quota_charge(struct kind_context *context, const struct json_node *object,
                  const struct json *old, struct slice ns, const struct quota_charges *charges) {
        struct quota_check check = {
                .context = context, .object = object, .old = old, .ns = ns, .charges = charges
        };

        visit_quotas(&check, charge_quota);
}
