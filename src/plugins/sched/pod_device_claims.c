/* Which claims of devices a pod has, and what they say. */
#include "plugins/sched/pod_device_claims.h"

#include "base/util.h"
#include "plugin/pod_group.h"
#include "rules/volumes.h"

struct slice pod_uid_of(const struct sched_cycle *cycle) {
        return pod_id_is_none(cycle->pod) ? SLICE_EMPTY
                                          : slice_of(cluster_pod(cycle->cluster, cycle->pod)->uid);
}

/* A pod does not know the uid of its group. */
static bool is_group_of(const struct sched_cycle *cycle, const struct device_consumer *consumer) {
        struct slice group = cycle->class->spec.scheduling_group;
        return group.len && slice_is(consumer->api_group, POD_GROUP_API) &&
               slice_is(consumer->resource, "podgroups") && slice_eq(consumer->name, group);
}

bool claim_is_reserved(const struct sched_cycle *cycle, bool has_groups,
                       const struct resource_claim *claim) {
        for (size_t i = 0; i < claim->consumer_count; i++)
                if (slice_eq(claim->consumers[i].uid, pod_uid_of(cycle)) ||
                    (has_groups && is_group_of(cycle, &claim->consumers[i])))
                        return true;
        return false;
}

/* ---- names ---- */

bool pod_device_claims_made(const struct sched_cycle *cycle, struct slice entry,
                            struct slice *ret_name) {
        const struct pod_row *row =
                pod_id_is_none(cycle->pod) ? NULL : cluster_pod(cycle->cluster, cycle->pod);
        const struct pod_detail *detail = row ? row->detail : NULL;
        for (uint32_t i = 0; detail && i < detail->claim_count; i++) {
                if (!slice_eq(cluster_text(cycle->cluster, detail->claims[i].name), entry))
                        continue;
                *ret_name = cluster_text(cycle->cluster, detail->claims[i].claim);
                return true;
        }
        return false;
}

static const char *pod_problem(const struct sched_cycle *cycle, const char *before,
                               struct slice entry, const char *after) {
        return arena_printf(cycle->scratch, "pod \"" SLICE_FMT "/%s\"%s" SLICE_FMT "%s",
                            SLICE_ARG(cluster_text(cycle->cluster, cycle->ns)), cycle->pod_name,
                            before, SLICE_ARG(entry), after);
}

/* The name of the claim's object; empty: none is needed. */
static const char *name_of(const struct sched_cycle *cycle, const struct pod_resource_claim *entry,
                           struct slice *ret_name) {
        *ret_name = entry->claim_name;
        if (entry->claim_name.len)
                return NULL;
        if (!entry->template_name.len)
                return pod_problem(cycle, ", spec.resourceClaim \"", entry->name,
                                   "\": none of the supported fields are set");
        if (!pod_device_claims_made(cycle, entry->name, ret_name))
                return pod_problem(cycle, ": ResourceClaim not created yet", SLICE_EMPTY, "");
        return NULL;
}

/* ---- objects ---- */

/* The claim was made for the pod's group. */
static bool is_of_group(const struct sched_cycle *cycle, const struct json *claim) {
        struct json_iter iter = json_iter(json_get(json_get(claim, "metadata"), "ownerReferences"));
        struct slice group = cycle->class->spec.scheduling_group;
        const struct json *owner;
        while (group.len && json_next(&iter, NULL, &owner))
                if (json_get_bool(owner, "controller", false))
                        return slice_is(json_get_text(owner, "kind"), "PodGroup") &&
                               slice_eq(json_get_text(owner, "name"), group) &&
                               slice_has_prefix(json_get_text(owner, "apiVersion"),
                                                SLICE_LITERAL(POD_GROUP_API "/"));
        return false;
}

static const char *foreign_problem(const struct sched_cycle *cycle, bool has_groups,
                                   struct slice name) {
        struct slice ns = cluster_text(cycle->cluster, cycle->ns);
        struct slice group = cycle->class->spec.scheduling_group;
        const char *owners = "Pod is not owner";
        if (has_groups && group.len)
                owners = arena_printf(cycle->scratch,
                                      "neither Pod nor PodGroup " SLICE_FMT " is the owner",
                                      SLICE_ARG(group));
        return arena_printf(cycle->scratch,
                            "ResourceClaim " SLICE_FMT "/" SLICE_FMT
                            " was not created for Pod " SLICE_FMT "/%s (%s)",
                            SLICE_ARG(ns), SLICE_ARG(name), SLICE_ARG(ns), cycle->pod_name, owners);
}

static const char *find_object(const struct sched_cycle *cycle, bool has_groups,
                               const struct pod_resource_claim *entry, struct slice name,
                               const struct json **ret_object) {
        struct slice ns = cluster_text(cycle->cluster, cycle->ns);
        const struct json *object =
                object_cache_get(cycle->object_cache, CACHED_RESOURCE_CLAIM, ns, name);
        if (!object)
                return arena_printf(cycle->scratch,
                                    "could not find ResourceClaim \"" SLICE_FMT "/" SLICE_FMT "\"",
                                    SLICE_ARG(ns), SLICE_ARG(name));
        if (object_is_terminating(object))
                return arena_printf(cycle->scratch,
                                    "resourceclaim \"" SLICE_FMT "\" is being deleted",
                                    SLICE_ARG(name));
        if (!entry->claim_name.len && !claim_is_of_pod(object, pod_uid_of(cycle)) &&
            !(has_groups && is_of_group(cycle, object)))
                return foreign_problem(cycle, has_groups, name);
        *ret_object = object;
        return NULL;
}

static bool is_pending(const struct sched_cycle *cycle, const struct resource_claim *claim) {
        if (!claim->is_allocated ||
            !object_cache_is_pending(cycle->object_cache, CACHED_RESOURCE_CLAIM,
                                     cluster_text(cycle->cluster, cycle->ns), claim->meta.name))
                return false;
        const struct json *seen =
                object_cache_seen(cycle->object_cache, CACHED_RESOURCE_CLAIM,
                                  cluster_text(cycle->cluster, cycle->ns), claim->meta.name);
        return !json_get(json_get(seen, "status"), "allocation");
}

const char *pod_device_claims_find(const struct sched_cycle *cycle, bool has_groups,
                                   struct pod_device_claims *ret_claims) {
        const struct pod_spec *spec = &cycle->class->spec;
        *ret_claims = (struct pod_device_claims){
                .items = ARENA_ARRAY(cycle->scratch, struct pod_device_claim, spec->claim_count + 1)
        };
        for (size_t i = 0; i < spec->claim_count; i++) {
                struct pod_device_claim *item = &ret_claims->items[ret_claims->count];
                struct resource_claim *claim = ARENA_NEW(cycle->scratch, struct resource_claim);
                struct err err = { 0 };
                struct slice name;
                const char *problem = name_of(cycle, &spec->claims[i], &name);
                if (!problem && !name.len)
                        continue;
                if (!problem)
                        problem = find_object(cycle, has_groups, &spec->claims[i], name,
                                              &item->object);
                if (problem)
                        return problem;
                if (resource_claim_decode(item->object, cycle->scratch, claim, &err) < 0)
                        return arena_printf(cycle->scratch, "resourceclaim: %s", err.text);
                claim->meta.ns = cluster_text(cycle->cluster, cycle->ns);
                item->name = spec->claims[i].name;
                item->claim = claim;
                item->is_pending = is_pending(cycle, claim);
                ret_claims->count++;
        }
        return NULL;
}

void pod_device_claims_add(const struct sched_cycle *cycle, struct pod_device_claims *claims,
                           const struct json *object) {
        struct resource_claim *claim = ARENA_NEW(cycle->scratch, struct resource_claim);
        if (!object || resource_claim_decode(object, cycle->scratch, claim, NULL) < 0)
                return;
        claims->items[claims->count++] =
                (struct pod_device_claim){ .object = object, .claim = claim, .is_special = true };
}

/* ---- binding conditions ---- */

bool claim_has_conditions(const struct resource_claim *claim) {
        for (size_t i = 0; i < claim->result_count; i++)
                if (claim->results[i].condition_count > 0)
                        return true;
        return false;
}

static const struct device_status *status_of(const struct resource_claim *claim,
                                             const struct device_result *result) {
        for (size_t i = 0; i < claim->device_count; i++) {
                const struct device_status *status = &claim->devices[i];
                if (slice_eq(status->device, result->device) &&
                    slice_eq(status->driver, result->driver) &&
                    slice_eq(status->pool, result->pool))
                        return status;
        }
        return NULL;
}

static const struct device_condition *true_condition(const struct device_status *status,
                                                     struct slice type) {
        for (size_t i = 0; i < status->condition_count; i++)
                if (slice_eq(status->conditions[i].type, type))
                        return slice_is(status->conditions[i].status, "True")
                                       ? &status->conditions[i]
                                       : NULL;
        return NULL;
}

static bool result_is_ready(const struct resource_claim *claim, const struct device_result *result,
                            const struct device_condition **ret_failure) {
        const struct device_status *status = status_of(claim, result);
        if (!status)
                return false;
        for (size_t i = 0; i < result->failure_condition_count; i++) {
                *ret_failure = true_condition(status, result->failure_conditions[i]);
                if (*ret_failure)
                        return false;
        }
        for (size_t i = 0; i < result->condition_count; i++)
                if (!true_condition(status, result->conditions[i]))
                        return false;
        return true;
}

bool claim_is_ready(const struct resource_claim *claim,
                    const struct device_condition **ret_failure) {
        *ret_failure = NULL;
        if (!claim->is_allocated)
                return false;
        for (size_t i = 0; i < claim->result_count; i++)
                if (claim->results[i].condition_count > 0 &&
                    !result_is_ready(claim, &claim->results[i], ret_failure))
                        return false;
        return true;
}

bool claim_is_late(const struct resource_claim *claim, struct wall_time now, int64_t timeout_ns) {
        int64_t due;
        if (!wall_time_is_set(claim->allocated) || !claim_has_conditions(claim))
                return false;
        return !__builtin_add_overflow(claim->allocated.ns, timeout_ns, &due) && due < now.ns;
}
