/* The special claim for extended resources that devices stand for. */
#include "plugins/sched/extended_claim.h"

#include "base/rng.h"
#include "base/util.h"
#include "plugins/sched/resource_args.h"
#include <inttypes.h>
#include <stdlib.h>

#define CLASS_PREFIX "deviceclass.resource.kubernetes.io/"
#define CLAIM_ANNOTATION "resource.kubernetes.io/extended-resource-claim"
#define NAME_BASE_MAX 58 /* of a generated name, without its end */
#define NAME_END 5

/* ---- classes ---- */

bool may_be_devices(struct slice resource) {
        return is_extended_resource(resource) ||
               slice_has_prefix(resource, SLICE_LITERAL(CLASS_PREFIX));
}

static struct wall_time created_of(const struct json *object) {
        struct wall_time time = WALL_TIME_UNSET;
        wall_time_parse(json_get_text(json_get(object, "metadata"), "creationTimestamp"), &time);
        return time;
}

/* The younger of two classes that name one resource; of two of one age the first by name. */
static bool is_before(const struct json *a, const struct json *b) {
        struct wall_time made = created_of(a), other = created_of(b);
        if (made.ns != other.ns)
                return made.ns > other.ns;
        return slice_compare(cached_object_name(a), cached_object_name(b)) < 0;
}

struct slice device_class_of_resource(const struct object_cache *object_cache,
                                      struct slice resource) {
        struct slice prefix = SLICE_LITERAL(CLASS_PREFIX);
        const struct json *class, *best = NULL;
        const void *at = NULL;
        while ((class = object_cache_marked(object_cache, CACHED_DEVICE_CLASS, resource, &at)))
                if (!best || is_before(class, best))
                        best = class;
        if (!best && slice_has_prefix(resource, prefix))
                best = object_cache_get(
                        object_cache, CACHED_DEVICE_CLASS, SLICE_EMPTY,
                        slice_make(resource.ptr + prefix.len, resource.len - prefix.len));
        return best ? cached_object_name(best) : SLICE_EMPTY;
}

/* ---- the pod ---- */

static struct slice uid_of_pod(const struct sched_cycle *cycle) {
        return pod_id_is_none(cycle->pod) ? SLICE_EMPTY
                                          : slice_of(cluster_pod(cycle->cluster, cycle->pod)->uid);
}

static bool belongs_to_pod(const struct sched_cycle *cycle, const struct json *claim) {
        const struct json *meta = json_get(claim, "metadata"), *owner;
        struct json_iter iter = json_iter(json_get(meta, "ownerReferences"));
        if (!slice_is(json_get_text(json_get(meta, "annotations"), CLAIM_ANNOTATION), "true"))
                return false;
        while (json_next(&iter, NULL, &owner))
                if (slice_is(json_get_text(owner, "name"), cycle->pod_name) &&
                    json_get_bool(owner, "controller", false) &&
                    slice_eq(json_get_text(owner, "uid"), uid_of_pod(cycle)))
                        return true;
        return false;
}

const struct json *extended_claim_object(const struct sched_cycle *cycle) {
        const struct json *claim;
        const void *at = NULL;
        while ((claim = object_cache_marked(cycle->object_cache, CACHED_RESOURCE_CLAIM,
                                            uid_of_pod(cycle), &at)))
                if (belongs_to_pod(cycle, claim))
                        return claim;
        return NULL;
}

void extended_resources_find(const struct sched_cycle *cycle,
                             struct extended_resources *ret_resources) {
        const struct pod_class *class = cycle->class;
        *ret_resources = (struct extended_resources){ 0 };
        if (object_cache_count(cycle->object_cache, CACHED_DEVICE_CLASS) == 0)
                return;
        for (size_t i = 0; i < class->request_count; i++) {
                struct slice name =
                        cluster_resource_name(cycle->cluster, class->requests[i].resource);
                struct slice class_name =
                        may_be_devices(name) ? device_class_of_resource(cycle->object_cache, name)
                                             : SLICE_EMPTY;
                if (!class_name.len || ret_resources->count == EXTENDED_RESOURCES_MAX)
                        continue;
                if (!ret_resources->items)
                        ret_resources->items = ARENA_ARRAY(cycle->scratch, struct extended_resource,
                                                           class->request_count);
                ret_resources->items[ret_resources->count++] =
                        (struct extended_resource){ class->requests[i].resource, name, class_name,
                                                    class->requests[i].amount };
        }
        if (ret_resources->count)
                ret_resources->leftover = extended_claim_object(cycle);
}

/* ---- requests ---- */

/* What one container asks for of one resource. */
struct claim_builder {
        const struct sched_cycle *cycle;
        struct extended_claim *out;
        size_t request_cap, mapping_cap;
};

static const struct container *container_at(const struct pod_spec *spec, size_t at) {
        return at < spec->init_count ? &spec->init[at] : &spec->containers[at - spec->init_count];
}

static bool is_short_lived(const struct pod_spec *spec, size_t at) {
        return at < spec->init_count && !spec->init[at].is_sidecar;
}

static int64_t amount_of(const struct container *container, struct slice resource) {
        for (size_t i = 0; i < container->requests.count; i++)
                if (slice_eq(container->requests.items[i].name, resource))
                        return container->requests.items[i].amount;
        return 0;
}

/* Place of the resource among the container's, by name. */
static size_t rank_of(const struct container *container, struct slice resource) {
        size_t rank = 0;
        for (size_t i = 0; i < container->requests.count; i++)
                rank += slice_compare(container->requests.items[i].name, resource) < 0;
        return rank;
}

static void map_request(struct claim_builder *builder, const struct container *container,
                        struct slice resource, struct slice request) {
        struct extended_claim *out = builder->out;
        out->mappings = arena_grow(builder->cycle->scratch, out->mappings, out->mapping_count,
                                   &builder->mapping_cap, sizeof(*out->mappings));
        out->mappings[out->mapping_count++] =
                (struct extended_mapping){ container->name, resource, request };
}

static void add_request(struct claim_builder *builder, const struct device_request *request) {
        struct device_claim_spec *spec = &builder->out->claim.spec;
        spec->requests = arena_grow(builder->cycle->scratch, spec->requests, spec->request_count,
                                    &builder->request_cap, sizeof(*spec->requests));
        spec->requests[spec->request_count++] = *request;
}

/* What the container asks for beyond the requests that it may use as well; count 0: nothing. */
static struct device_request request_of(struct claim_builder *builder, size_t at,
                                        const struct extended_resource *resource,
                                        const struct device_request *reusable, size_t count) {
        const struct container *container = container_at(&builder->cycle->class->spec, at);
        int64_t wanted = amount_of(container, resource->name), sum = 0;
        struct device_request request = { .class_name = resource->class_name,
                                          .mode = SLICE_LITERAL("ExactCount"),
                                          .has_exactly = true };
        for (size_t i = 0; wanted && i < count; i++) {
                if (!reusable[i].count)
                        continue;
                sum += reusable[i].count;
                map_request(builder, container, resource->name, reusable[i].name);
                if (sum >= wanted)
                        return request;
        }
        if (!wanted)
                return request;
        request.name = slice_of(arena_printf(builder->cycle->scratch, "container-%zu-request-%zu",
                                             at, rank_of(container, resource->name)));
        request.count = wanted - sum;
        map_request(builder, container, resource->name, request.name);
        return request;
}

/* Containers that end before others begin share the largest of their requests: *mappings from
 * `first` on name it. */
static void share_request(struct claim_builder *builder, size_t first, const struct slice *names,
                          size_t name_count, struct slice largest) {
        struct extended_claim *out = builder->out;
        for (size_t i = first; i < out->mapping_count; i++)
                for (size_t j = 0; j < name_count; j++)
                        if (slice_eq(out->mappings[i].request, names[j]))
                                out->mappings[i].request = largest;
}

static void build_resource(struct claim_builder *builder,
                           const struct extended_resource *resource) {
        const struct pod_spec *spec = &builder->cycle->class->spec;
        struct arena *arena = builder->cycle->scratch;
        size_t count = spec->init_count + spec->container_count, name_count = 0;
        struct device_request *lasting = ARENA_ARRAY(arena, struct device_request, count);
        struct device_request largest = { 0 };
        struct slice *names = ARENA_ARRAY(arena, struct slice, count);
        for (size_t i = 0; i < count; i++)
                if (!is_short_lived(spec, i))
                        lasting[i] = request_of(builder, i, resource, NULL, 0);
        size_t first = builder->out->mapping_count;
        for (size_t i = 0; i < spec->init_count; i++) {
                if (!is_short_lived(spec, i))
                        continue;
                struct device_request request =
                        request_of(builder, i, resource, lasting + i, count - i);
                if (!request.count)
                        continue;
                names[name_count++] = request.name;
                if (request.count > largest.count)
                        largest = request;
        }
        if (largest.count) {
                share_request(builder, first, names, name_count, largest.name);
                add_request(builder, &largest);
        }
        for (size_t i = 0; i < count; i++)
                if (lasting[i].count)
                        add_request(builder, &lasting[i]);
}

static int compare_requests(const void *a, const void *b) {
        return slice_compare(((const struct device_request *)a)->name,
                             ((const struct device_request *)b)->name);
}

static int compare_resources(const void *a, const void *b) {
        return slice_compare((*(const struct extended_resource *const *)a)->name,
                             (*(const struct extended_resource *const *)b)->name);
}

static void build_claim(const struct sched_cycle *cycle, const struct extended_resources *resources,
                        struct extended_claim *out) {
        struct claim_builder builder = { .cycle = cycle, .out = out };
        const struct extended_resource **order =
                ARENA_ARRAY(cycle->scratch, const struct extended_resource *, resources->count);
        size_t count = 0;
        for (size_t i = 0; i < resources->count; i++)
                if (out->lacks >> i & 1)
                        order[count++] = &resources->items[i];
        if (count > 1)
                qsort(order, count, sizeof(*order), compare_resources);
        for (size_t i = 0; i < count; i++)
                build_resource(&builder, order[i]);
        if (out->claim.spec.request_count > 1)
                qsort(out->claim.spec.requests, out->claim.spec.request_count,
                      sizeof(*out->claim.spec.requests), compare_requests);
        out->claim.allocated = WALL_TIME_UNSET;
        out->claim.meta.ns = cluster_text(cycle->cluster, cycle->ns);
        out->claim.meta.name = SLICE_LITERAL("<extended-resources>");
        out->claim.meta.uid = uid_of_pod(cycle);
}

struct extended_claim *extended_claim_on(const struct sched_cycle *cycle,
                                         struct extended_resources *resources,
                                         struct node_id node) {
        const struct node_table *table = cluster_nodes(cycle->cluster);
        uint64_t lacks = 0;
        for (size_t i = 0; i < resources->count; i++)
                if (table->resources[resources->items[i].id.index].allocatable[node.index] == 0)
                        lacks |= (uint64_t)1 << i;
        if (!lacks)
                return NULL;
        for (struct extended_claim *claim = resources->claims; claim; claim = claim->next)
                if (claim->lacks == lacks)
                        return claim;
        struct extended_claim *claim = ARENA_NEW(cycle->scratch, struct extended_claim);
        *claim = (struct extended_claim){ .next = resources->claims, .lacks = lacks };
        build_claim(cycle, resources, claim);
        resources->claims = claim;
        return claim;
}

void extended_resources_key(const struct sched_cycle *cycle,
                            const struct extended_resources *resources, struct buf *key) {
        const struct pod_spec *spec = &cycle->class->spec;
        for (size_t i = 0; i < resources->count; i++) {
                const struct extended_resource *resource = &resources->items[i];
                buf_printf(key, SLICE_FMT " " SLICE_FMT, SLICE_ARG(resource->name),
                           SLICE_ARG(resource->class_name));
                for (size_t at = 0; at < spec->init_count + spec->container_count; at++) {
                        const struct container *container = container_at(spec, at);
                        buf_printf(key, " %d:%" PRId64 ":%zu", is_short_lived(spec, at),
                                   amount_of(container, resource->name),
                                   rank_of(container, resource->name));
                }
                buf_char(key, '\n');
        }
}

/* ---- objects ---- */

/* As the API server would make it; ours, so that the writes need no answer. */
static const char *name_of_claim(const struct sched_cycle *cycle) {
        static const char letters[] = "bcdfghjklmnpqrstvwxz2456789";
        const char *base = arena_printf(cycle->scratch, "%s-extended-resources-", cycle->pod_name);
        size_t len = strlen(base) < NAME_BASE_MAX ? strlen(base) : NAME_BASE_MAX;
        char end[NAME_END + 1] = "";
        struct rng rng;
        rng_init(&rng, slice_hash(uid_of_pod(cycle)) ^ (uint64_t)cycle->now.ns);
        for (size_t i = 0; i < NAME_END; i++)
                end[i] = letters[rng_below(&rng, sizeof(letters) - 1)];
        return arena_printf(cycle->scratch, "%.*s%s", (int)len, base, end);
}

static void put_owner(const struct sched_cycle *cycle, struct json_tree *tree,
                      struct json_node *meta) {
        struct json_node *owner = node_object(tree);
        node_put_string(tree, owner, "apiVersion", "v1");
        node_put_bool(tree, owner, "controller", true);
        node_put_string(tree, owner, "kind", "Pod");
        node_put_string(tree, owner, "name", cycle->pod_name);
        node_put_text(tree, owner, "uid", uid_of_pod(cycle));
        node_append(node_need_array(tree, meta, "ownerReferences"), owner);
}

struct json_node *extended_claim_node(const struct sched_cycle *cycle, struct json_tree *tree,
                                      const struct extended_claim *claim) {
        struct json_node *object = node_object(tree);
        struct json_node *meta = node_need_object(tree, object, "metadata");
        struct json_node *devices =
                node_need_object(tree, node_need_object(tree, object, "spec"), "devices");
        node_put_text(tree, meta, "namespace", cluster_text(cycle->cluster, cycle->ns));
        node_put_string(tree, meta, "name", name_of_claim(cycle));
        node_put_string(tree, node_need_object(tree, meta, "annotations"), CLAIM_ANNOTATION,
                        "true");
        put_owner(cycle, tree, meta);
        for (size_t i = 0; i < claim->claim.spec.request_count; i++) {
                const struct device_request *request = &claim->claim.spec.requests[i];
                struct json_node *item = node_object(tree);
                struct json_node *exactly = node_need_object(tree, item, "exactly");
                node_put_text(tree, item, "name", request->name);
                node_put_text(tree, exactly, "deviceClassName", request->class_name);
                node_put_text(tree, exactly, "allocationMode", request->mode);
                node_put_i64(tree, exactly, "count", request->count);
                node_append(node_need_array(tree, devices, "requests"), item);
        }
        return object;
}

struct json_node *extended_status_node(const struct sched_cycle *cycle, struct json_tree *tree,
                                       const struct extended_claim *claim, struct slice name) {
        struct json_node *patch = node_object(tree);
        struct json_node *status = node_need_object(tree, node_need_object(tree, patch, "status"),
                                                    "extendedResourceClaimStatus");
        node_put_text(tree, node_need_object(tree, patch, "metadata"), "uid", uid_of_pod(cycle));
        node_put_text(tree, status, "resourceClaimName", name);
        for (size_t i = 0; i < claim->mapping_count; i++) {
                struct json_node *item = node_object(tree);
                node_put_text(tree, item, "containerName", claim->mappings[i].container);
                node_put_text(tree, item, "resourceName", claim->mappings[i].resource);
                node_put_text(tree, item, "requestName", claim->mappings[i].request);
                node_append(node_need_array(tree, status, "requestMappings"), item);
        }
        return patch;
}
