/* Reading PodGroups. */
#include "plugin/pod_group.h"
#include "api/json.h"

static const struct json *spec_of(const struct json *group) {
        return json_get(group, "spec");
}

const struct json *pod_group_find(const struct object_cache *object_cache, struct slice ns,
                                  struct slice name) {
        return object_cache_get(object_cache, CACHED_POD_GROUP, ns, name);
}

uint32_t pod_group_min_count(const struct json *group) {
        const struct json *gang = json_get(json_get(spec_of(group), "schedulingPolicy"), "gang");
        int64_t count = json_get_i64(gang, "minCount", 0);
        return count > 0 && count <= INT32_MAX ? (uint32_t)count : 0;
}

static const struct json *topology_of(const struct json *group) {
        return json_get(json_get(spec_of(group), "schedulingConstraints"), "topology");
}

bool pod_group_is_constrained(const struct json *group) {
        const struct json *constraints = json_get(spec_of(group), "schedulingConstraints");
        return json_type(constraints) == JSON_OBJECT;
}

struct slice pod_group_topology_key(const struct json *group) {
        return json_get_text(json_at(topology_of(group), 0), "key");
}

int32_t pod_group_priority(const struct json *group) {
        int64_t priority = json_get_i64(spec_of(group), "priority", 0);
        return priority < INT32_MIN || priority > INT32_MAX ? 0 : (int32_t)priority;
}

bool pod_group_goes_whole(const struct json *group) {
        return slice_is(json_get_text(spec_of(group), "disruptionMode"), "PodGroup");
}

void group_withdraw(struct cluster *cluster, struct pod_id victim) {
        cluster_withdraw(cluster, victim);
        if (cluster_pod(cluster, victim)->nominated.index != 0)
                cluster_nominate(cluster, victim, SLICE_EMPTY);
}
