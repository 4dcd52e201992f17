/* Claims of groups of pods (DRAWorkloadResourceClaims): what a PodGroup names in its spec is
 * reserved for the group, once, for all of its pods that name the same. */
#include "plugin/pod_group.h"
#include "plugins/sched/dynamic_resources_priv.h"
#include "rules/volumes.h"

static const char *group_problem(const struct sched_cycle *cycle, const struct json *group,
                                 struct slice claim, const char *text) {
        return arena_printf(
                cycle->scratch, "PodGroup " SLICE_FMT "/" SLICE_FMT "%s" SLICE_FMT ": %s",
                SLICE_ARG(cached_object_ns(group)), SLICE_ARG(cached_object_name(group)),
                claim.len ? " claim " : "", SLICE_ARG(claim), text);
}

/* The group of the pod; *ret_problem: it is not there. */
static const struct json *group_of(const struct sched_cycle *cycle, const char **ret_problem) {
        struct slice name = cycle->class->spec.scheduling_group;

        if (!name.len)
                return NULL;
        const struct json *group =
                pod_group_find(cycle->object_cache, cluster_text(cycle->cluster, cycle->ns), name);
        if (!group)
                *ret_problem = arena_printf(
                        cycle->scratch, "podgroup.scheduling.k8s.io \"" SLICE_FMT "\" not found",
                        SLICE_ARG(name));
        return group;
}

static const struct pod_resource_claim *entry_of(const struct sched_cycle *cycle,
                                                 struct slice name) {
        const struct pod_spec *spec = &cycle->class->spec;

        for (size_t i = 0; i < spec->claim_count; i++)
                if (slice_eq(spec->claims[i].name, name))
                        return &spec->claims[i];
        return NULL;
}

/* Whether the group has an entry that says the same as the pod's. */
static bool is_of_group(const struct sched_cycle *cycle, const struct json *group,
                        const struct pod_resource_claim *own, const char **problem) {
        struct json_iter iter = json_iter(json_get(json_get(group, "spec"), "resourceClaims"));
        const struct json *entry;

        while (own && json_next(&iter, NULL, &entry)) {
                struct slice name = json_get_text(entry, "name");
                struct slice claim = json_get_text(entry, "resourceClaimName");
                struct slice template = json_get_text(entry, "resourceClaimTemplateName");

                if (!claim.len && !template.len) {
                        *problem = group_problem(cycle, group, name,
                                                 "none of the supported fields are set");
                        return false;
                }
                if (slice_eq(name, own->name) && slice_eq(claim, own->claim_name) &&
                    slice_eq(template, own->template_name))
                        return true;
        }
        return false;
}

const char *group_claims_find(const struct sched_cycle *cycle, struct pod_device_claims *claims) {
        const char *problem = NULL;
        const struct json *group = group_of(cycle, &problem);

        for (size_t i = 0; group && !problem && i < claims->count; i++)
                if (is_of_group(cycle, group, entry_of(cycle, claims->items[i].name), &problem))
                        claims->items[i].group = group;
        return problem;
}

/* ---- giving back ---- */

/* The claim of an entry of the group, as the API has it; NULL: none that counts. */
static const struct json *claim_of_entry(const struct sched_cycle *cycle, const struct json *group,
                                         const struct json *entry, const char **ret_problem) {
        struct json_iter iter =
                json_iter(json_get(json_get(group, "status"), "resourceClaimStatuses"));
        struct slice ns = cluster_text(cycle->cluster, cycle->ns);
        struct slice name = json_get_text(entry, "resourceClaimName");
        bool is_made = !name.len, is_known = !is_made;
        const struct json *status;

        while (!is_known && json_next(&iter, NULL, &status)) {
                is_known = slice_eq(json_get_text(status, "name"), json_get_text(entry, "name"));
                if (is_known)
                        name = json_get_text(status, "resourceClaimName");
        }
        if (!is_known)
                *ret_problem =
                        group_problem(cycle, group, SLICE_EMPTY, "ResourceClaim not created yet");
        if (!name.len)
                return NULL;
        const struct json *claim =
                object_cache_seen(cycle->object_cache, CACHED_RESOURCE_CLAIM, ns, name);
        if (!claim)
                *ret_problem =
                        arena_printf(cycle->scratch,
                                     "could not find ResourceClaim \"" SLICE_FMT "/" SLICE_FMT "\"",
                                     SLICE_ARG(ns), SLICE_ARG(name));
        bool is_ours = !is_made ||
                       claim_is_of_pod(claim, json_get_text(json_get(group, "metadata"), "uid"));
        return claim && is_ours ? claim : NULL;
}

static bool is_held(const struct sched_cycle *cycle, const struct json *object) {
        struct resource_claim claim;

        return resource_claim_decode(object, cycle->scratch, &claim, NULL) == 0 &&
               claim.is_allocated && claim_is_reserved(cycle, true, &claim);
}

const struct json *group_claims_idle(const struct sched_cycle *cycle, const char **ret_problem) {
        const struct json *group = group_of(cycle, ret_problem), *entry;
        struct json_iter iter = json_iter(json_get(json_get(group, "spec"), "resourceClaims"));

        while (!*ret_problem && json_next(&iter, NULL, &entry)) {
                const struct json *claim = claim_of_entry(cycle, group, entry, ret_problem);

                if (claim && !*ret_problem && is_held(cycle, claim))
                        return claim;
        }
        return NULL;
}
