/* ResourceClaims behind the entries of a pod. */
#include "control/pod_claims.h"

#include "control/pod_owner.h"

struct pod_claim_entry pod_claim_read(const struct json *pod, const struct json *entry) {
        struct json_iter iter =
                json_iter(json_get(json_get(pod, "status"), "resourceClaimStatuses"));
        struct pod_claim_entry claim = { .entry = json_get_text(entry, "name"),
                                         .name = json_get_text(entry, "resourceClaimName"),
                                         .template = json_get_text(entry,
                                                                   "resourceClaimTemplateName") };
        const struct json *status;

        if (json_get(entry, "resourceClaimName")) {
                claim.state = POD_CLAIM_NAMED;
                claim.template = SLICE_EMPTY;
                return claim;
        }
        if (!json_get(entry, "resourceClaimTemplateName"))
                return claim;
        claim.state = POD_CLAIM_ABSENT;
        while (json_next(&iter, NULL, &status)) {
                if (!slice_eq(json_get_text(status, "name"), claim.entry))
                        continue;
                claim.name = json_get_text(status, "resourceClaimName");
                claim.state = claim.name.len ? POD_CLAIM_NAMED : POD_CLAIM_UNNEEDED;
                break;
        }
        return claim;
}

bool pod_claims_each(const struct json *pod,
                     bool (*visit)(void *context, const struct pod_claim_entry *claim),
                     void *context) {
        struct json_iter iter = json_iter(json_get(json_get(pod, "spec"), "resourceClaims"));
        struct pod_claim_entry special = { .state = POD_CLAIM_NAMED,
                                           .name = json_get_text(
                                                   json_get(json_get(pod, "status"),
                                                            "extendedResourceClaimStatus"),
                                                   "resourceClaimName") };
        const struct json *entry;

        while (json_next(&iter, NULL, &entry)) {
                struct pod_claim_entry claim = pod_claim_read(pod, entry);

                if (claim.state == POD_CLAIM_NAMED && !visit(context, &claim))
                        return false;
        }
        return special.name.len == 0 || visit(context, &special);
}

struct slice resource_claim_owner(const struct json *claim, struct slice *ret_uid) {
        const struct json *owner = object_controller(claim);
        bool is_pod = slice_is(json_get_text(owner, "kind"), "Pod") &&
                      slice_is(json_get_text(owner, "apiVersion"), "v1");

        *ret_uid = is_pod ? json_get_text(owner, "uid") : SLICE_EMPTY;
        return is_pod ? json_get_text(owner, "name") : SLICE_EMPTY;
}

struct slice resource_claim_group(const struct json *claim) {
        const struct json *owner = object_controller(claim);

        return slice_is(json_get_text(owner, "kind"), "PodGroup") ? json_get_text(owner, "name")
                                                                  : SLICE_EMPTY;
}

/* A pod does not know the uid of its group. */
struct slice pod_group_name(const struct json *pod) {
        return json_get_text(json_get(json_get(pod, "spec"), "schedulingGroup"), "podGroupName");
}

static const struct json *claim_entry(const struct json *object, struct slice name) {
        struct json_iter iter = json_iter(json_get(json_get(object, "spec"), "resourceClaims"));
        const struct json *entry;

        while (json_next(&iter, NULL, &entry))
                if (slice_eq(json_get_text(entry, "name"), name))
                        return entry;
        return NULL;
}

bool pod_claim_is_of_group(const struct json *pod, struct slice entry, const struct json *group) {
        const struct json *mine = claim_entry(pod, entry), *theirs = claim_entry(group, entry);

        return mine && theirs && json_equal(mine, theirs);
}

bool resource_claim_is_for(const struct json *claim, const struct json *pod) {
        const struct json *owner = object_controller(claim);
        struct slice group = pod_group_name(pod);

        if (slice_eq(json_get_text(owner, "uid"), object_uid(pod)))
                return true;
        return group.len && slice_is(json_get_text(owner, "kind"), "PodGroup") &&
               slice_eq(json_get_text(owner, "name"), group);
}

bool resource_claim_is_allocated(const struct json *claim) {
        return json_get(json_get(claim, "status"), "allocation");
}

bool resource_claim_is_reserved(const struct json *claim, const struct json *pod) {
        struct json_iter iter = json_iter(json_get(json_get(claim, "status"), "reservedFor"));
        struct slice group = pod_group_name(pod);
        const struct json *consumer;

        while (json_next(&iter, NULL, &consumer)) {
                if (slice_eq(json_get_text(consumer, "uid"), object_uid(pod)))
                        return true;
                if (group.len && slice_is(json_get_text(consumer, "resource"), "podgroups") &&
                    slice_eq(json_get_text(consumer, "name"), group))
                        return true;
        }
        return false;
}
