/* Bodies of classes: all of a pod spec but the node terms it requires.  The pods of a DaemonSet
 * differ in that term alone, one class per node, and share a body. */
#include "model/cluster_priv.h"
#include "model/pod_spec_codec.h"

#include <assert.h>
#include <stdlib.h>

/* ---- what differs between pods of a template without meaning anything ---- */

/* Kinds of volume that carry configuration; the names of their volumes are often made up per pod,
 * and nothing about placement or eviction depends on them. */
static bool is_configuration(const struct volume *volume) {
        static const char *const kinds[] = { "configMap", "secret", "projected", "downwardAPI" };
        if (volume->kind != VOLUME_OTHER)
                return false;
        for (size_t i = 0; i < ARRAY_LEN(kinds); i++) {
                if (json_get(volume->source, kinds[i]))
                        return true;
        }
        return false;
}

static struct slice source_text(struct cluster *cluster, const struct volume *volume) {
        struct buf text = { 0 };
        if (volume->kind != VOLUME_OTHER || !volume->source)
                return SLICE_EMPTY;
        json_write(volume->source, &text);
        struct slice copy = arena_slice(&cluster->scratch, buf_view(&text));
        buf_release(&text);
        return copy;
}

static void normalise_volumes(struct cluster *cluster, struct class_content *content) {
        struct pod_spec *spec = &content->spec;
        const struct volume *from = spec->volumes;
        size_t count = spec->volume_count;
        spec->volumes = ARENA_ARRAY(&cluster->scratch, struct volume, count);
        spec->volume_count = 0;
        content->sources = ARENA_ARRAY(&cluster->scratch, struct slice, count);
        for (size_t i = 0; i < count; i++) {
                if (is_configuration(&from[i]))
                        continue;
                struct volume *volume = &spec->volumes[spec->volume_count];
                *volume = from[i];
                if (volume->kind != VOLUME_EPHEMERAL)
                        volume->name = SLICE_EMPTY;
                content->sources[spec->volume_count++] = source_text(cluster, &from[i]);
        }
        content->source_count = spec->volume_count;
}

static bool has_amount(const struct resource_list *list, const struct resource_amount *wanted) {
        for (size_t i = 0; i < list->count; i++) {
                if (slice_eq(list->items[i].name, wanted->name))
                        return list->items[i].amount == wanted->amount;
        }
        return false;
}

static bool lists_agree(const struct resource_list *a, const struct resource_list *b) {
        if (a->count != b->count)
                return false;
        for (size_t i = 0; i < a->count; i++) {
                if (!has_amount(b, &a->items[i]))
                        return false;
        }
        return true;
}

/* True when a status has the same sizes as the spec: its lists are the spec's, or absent. */
static bool class_body_repeats(const struct resource_list *wanted,
                               const struct resource_list *actual,
                               const struct resource_list *allocated) {
        return lists_agree(wanted, actual) &&
               (allocated->count == 0 || lists_agree(wanted, allocated));
}

/* Returns whether a size from the status remains. */
static bool normalise_containers(struct cluster *cluster, struct container **containers,
                                 size_t count) {
        bool remains = false;
        if (count == 0)
                return false;
        *containers = arena_copy(&cluster->scratch, *containers, count * sizeof(**containers));
        for (size_t i = 0; i < count; i++) {
                struct container *container = &(*containers)[i];
                if (!container->has_actual ||
                    class_body_repeats(&container->requests, &container->actual,
                                       &container->allocated)) {
                        container->has_actual = false;
                        container->actual = container->allocated = (struct resource_list){ 0 };
                }
                remains |= container->has_actual;
        }
        return remains;
}

static bool containers_repeat(const struct container *containers, size_t count) {
        for (size_t i = 0; i < count; i++)
                if (containers[i].has_actual &&
                    !class_body_repeats(&containers[i].requests, &containers[i].actual,
                                        &containers[i].allocated))
                        return false;
        return true;
}

bool class_content_is_of_spec(const struct pod_spec *spec) {
        return spec->device_requests.count == 0 &&
               containers_repeat(spec->containers, spec->container_count) &&
               containers_repeat(spec->init, spec->init_count) &&
               (!spec->has_pod_actual ||
                class_body_repeats(&spec->pod_requests, &spec->pod_actual, &spec->pod_allocated));
}

void class_content_normalise(struct cluster *cluster, const struct pod_spec *from,
                             struct class_content *content) {
        struct pod_spec *spec = &content->spec;
        *content = (struct class_content){ .spec = *from };
        spec->node_name = spec->eviction_responders = SLICE_EMPTY;
        if (!cluster->config.counts_devices)
                spec->device_requests.count = 0;
        bool remains = normalise_containers(cluster, &spec->containers, spec->container_count);
        remains |= normalise_containers(cluster, &spec->init, spec->init_count);
        if (!spec->has_pod_actual ||
            class_body_repeats(&spec->pod_requests, &spec->pod_actual, &spec->pod_allocated)) {
                spec->has_pod_actual = false;
                spec->pod_actual = spec->pod_allocated = (struct resource_list){ 0 };
        }
        if (!remains && !spec->has_pod_actual)
                spec->is_resize_infeasible = false;
        normalise_volumes(cluster, content);
}

/* ---- derived parts ---- */

static void derive_requests(struct cluster *cluster, struct class_body *body) {
        struct resource_list list = pod_spec_requests(&body->spec, false, &cluster->scratch);
        struct resource_list scored = pod_spec_requests(&body->spec, true, &cluster->scratch);
        int64_t cpu_milli = resource_list_get(&scored, "cpu", NULL);
        int64_t memory_bytes = resource_list_get(&scored, "memory", NULL);
        body->nonzero_cpu_milli = cpu_milli > 0 ? cpu_milli : 0;
        body->nonzero_memory_bytes = memory_bytes > 0 ? memory_bytes : 0;
        body->requests = list.count ? xcalloc(list.count, sizeof(*body->requests)) : NULL;
        for (size_t i = 0; i < list.count; i++) {
                struct resource_id resource = resource_take(cluster, list.items[i].name);
                if (list.items[i].amount <= 0 || resource.index == RESOURCE_PODS)
                        continue;
                body->requests[body->request_count++] =
                        (struct resource_request){ resource, list.items[i].amount };
        }
}

static size_t count_ports(const struct container *containers, size_t count) {
        size_t ports = 0;
        for (size_t i = 0; i < count; i++)
                ports += containers[i].port_count;
        return ports;
}

static int order_of_ids(struct str_id a, struct str_id b) {
        return (a.index > b.index) - (a.index < b.index);
}

int class_port_compare(const struct class_port *a, const struct class_port *b) {
        if (a->port != b->port)
                return a->port < b->port ? -1 : 1;
        int order = order_of_ids(a->protocol, b->protocol);
        return order ? order : order_of_ids(a->ip, b->ip);
}

static int compare_ports(const void *a, const void *b) {
        return class_port_compare(a, b);
}

/* Each port once, in order. */
static void sort_ports(struct cluster *cluster, struct class_body *body) {
        size_t unique = 0;
        if (body->port_count > 1)
                qsort(body->ports, body->port_count, sizeof(*body->ports), compare_ports);
        for (size_t i = 0; i < body->port_count; i++) {
                struct class_port port = body->ports[i];
                if (unique > 0 && class_port_compare(&body->ports[unique - 1], &port) == 0) {
                        str_drop(cluster, port.ip);
                        str_drop(cluster, port.protocol);
                } else {
                        body->ports[unique++] = port;
                }
        }
        body->port_count = unique;
}

static struct slice text_or(struct slice text, const char *fallback) {
        return text.len ? text : slice_of(fallback);
}

static void add_ports(struct cluster *cluster, struct class_body *body,
                      const struct container *container) {
        for (size_t i = 0; i < container->port_count; i++) {
                const struct container_port *from = &container->ports[i];
                if (from->host_port <= 0)
                        continue;
                body->ports[body->port_count++] = (struct class_port){
                        .ip = str_take(cluster, text_or(from->host_ip, "0.0.0.0")),
                        .protocol = str_take(cluster, text_or(from->protocol, "TCP")),
                        .port = from->host_port,
                };
        }
}

/* Host ports of containers and sidecars, each once. */
static void derive_ports(struct cluster *cluster, struct class_body *body) {
        const struct pod_spec *spec = &body->spec;
        size_t limit = count_ports(spec->containers, spec->container_count) +
                       count_ports(spec->init, spec->init_count);
        if (limit == 0)
                return;
        body->ports = xcalloc(limit, sizeof(*body->ports));
        for (size_t i = 0; i < spec->container_count; i++)
                add_ports(cluster, body, &spec->containers[i]);
        for (size_t i = 0; i < spec->init_count; i++) {
                if (spec->init[i].is_sidecar)
                        add_ports(cluster, body, &spec->init[i]);
        }
        sort_ports(cluster, body);
        if (body->port_count == 0) {
                free(body->ports);
                body->ports = NULL;
        }
}

static bool uses_local_storage(const struct pod_spec *spec) {
        for (size_t i = 0; i < spec->volume_count; i++) {
                if (spec->volumes[i].kind == VOLUME_EMPTY_DIR ||
                    spec->volumes[i].kind == VOLUME_HOST_PATH)
                        return true;
        }
        return false;
}

static uint32_t count_attached(const struct pod_spec *spec) {
        uint32_t count = 0;
        for (size_t i = 0; i < spec->volume_count; i++)
                count += spec->volumes[i].kind == VOLUME_CLAIM ||
                         spec->volumes[i].kind == VOLUME_EPHEMERAL;
        return count;
}

/* What pods have in common that differ in their volumes. */
static uint64_t shape_hash(struct cluster *cluster, const struct class_content *content,
                           uint64_t hash) {
        struct class_content shape = *content;
        struct content_codec codec = { .out = &cluster->content };
        if (content->spec.volume_count == 0)
                return hash;
        shape.spec.volume_count = 0;
        shape.source_count = 0;
        buf_clear(&cluster->content);
        class_content_codec(&codec, &shape);
        return slice_hash(buf_view(&cluster->content));
}

/* Volumes get back the views their sources are read through. */
static void attach_sources(struct class_content *content, struct class_body *body) {
        struct buf text = { 0 };
        bool has_any = false;
        buf_char(&text, '[');
        for (size_t i = 0; i < content->source_count; i++) {
                has_any |= content->sources[i].len > 0;
                buf_text(&text, i ? "," : "");
                buf_slice(&text, text_or(content->sources[i], "null"));
        }
        buf_char(&text, ']');
        if (has_any && json_parse(buf_view(&text), &body->sources, NULL) == 0) {
                const struct json *root = json_doc_root(body->sources);
                for (size_t i = 0; i < content->source_count; i++) {
                        if (content->sources[i].len > 0)
                                content->spec.volumes[i].source = json_at(root, i);
                }
                body->bytes += text.len;
        }
        buf_release(&text);
}

/* ---- rows ---- */

static struct class_body *find_body(const struct cluster *cluster, struct slice content,
                                    uint64_t hash) {
        const struct body_table *bodies = &cluster->bodies;
        uint32_t at = 0, id;
        while (id_index_next(&bodies->index, (uint32_t)hash, &at, &id)) {
                struct class_body *body = bodies->items[id];
                if (slice_eq(slice_make(body->content, body->content_size), content))
                        return body;
        }
        return NULL;
}

/* One block: row, arrays of the spec, canonical bytes with the spec's text. */
static struct class_body *body_new(struct cluster *cluster, struct slice content,
                                   size_t array_bytes) {
        size_t head = MODEL_ALIGN(sizeof(struct class_body));
        size_t bytes = head + array_bytes + content.len;
        struct class_body *body = xcalloc(1, bytes);
        char *arrays = (char *)body + head;
        char *copy = memcpy(arrays + array_bytes, content.ptr, content.len);
        struct class_content read = { 0 };
        struct content_codec codec = {
                .is_reading = true, .at = copy, .end = copy + content.len, .arrays = arrays
        };
        class_content_codec(&codec, &read);
        assert(codec.at == codec.end && codec.arrays == copy);
        body->content = copy;
        body->content_size = content.len;
        body->bytes = bytes;
        attach_sources(&read, body);
        body->spec = read.spec;
        body->qos = pod_spec_qos(&body->spec);
        body->uses_local_storage = uses_local_storage(&body->spec);
        body->attach_count = count_attached(&body->spec);
        derive_requests(cluster, body);
        derive_ports(cluster, body);
        body->bytes += body->request_count * sizeof(*body->requests) +
                       body->port_count * sizeof(*body->ports);
        return body;
}

static void body_free(struct cluster *cluster, struct class_body *body) {
        for (size_t i = 0; i < body->port_count; i++) {
                str_drop(cluster, body->ports[i].ip);
                str_drop(cluster, body->ports[i].protocol);
        }
        json_doc_free(body->sources);
        free(body->requests);
        free(body->ports);
        free(body);
}

struct class_body *class_body_take(struct cluster *cluster, struct class_content *normal) {
        struct body_table *bodies = &cluster->bodies;
        struct content_codec codec = { .out = &cluster->content };
        buf_clear(&cluster->content);
        class_content_codec(&codec, normal);
        struct slice content = buf_view(&cluster->content);
        uint64_t hash = slice_hash(content);
        struct class_body *body = find_body(cluster, content, hash);
        if (body) {
                body->refs++;
                return body;
        }
        body = body_new(cluster, content, codec.array_bytes);
        body->refs = 1;
        body->hash = hash;
        body->shape_hash = shape_hash(cluster, normal, hash);
        body->id = id_pool_take(&bodies->ids);
        bodies->items = rows_reserve(bodies->items, &bodies->cap, body->id + 1,
                                     sizeof(struct class_body *));
        bodies->items[body->id] = body;
        bodies->bytes += body->bytes;
        id_index_insert(&bodies->index, (uint32_t)hash, body->id);
        return body;
}

void class_body_drop(struct cluster *cluster, struct class_body *body) {
        struct body_table *bodies = &cluster->bodies;
        assert(body->refs > 0);
        if (--body->refs > 0)
                return;
        id_index_remove(&bodies->index, (uint32_t)body->hash, body->id);
        id_pool_give(&bodies->ids, body->id);
        bodies->bytes -= body->bytes;
        bodies->items[body->id] = NULL;
        body_free(cluster, body);
}

void class_bodies_release(struct cluster *cluster) {
        struct body_table *bodies = &cluster->bodies;
        for (uint32_t i = 0; i < bodies->ids.used; i++) {
                if (bodies->items[i])
                        body_free(cluster, bodies->items[i]);
        }
        free(bodies->items);
        id_pool_release(&bodies->ids);
        id_index_release(&bodies->index);
}
