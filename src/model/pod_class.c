/* Interned pod specs. */
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

/* True when a status tells the same sizes as the spec: its lists are the spec's, or absent. */
static bool repeats(const struct resource_list *wanted, const struct resource_list *actual,
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
                    repeats(&container->requests, &container->actual, &container->allocated)) {
                        container->has_actual = false;
                        container->actual = container->allocated = (struct resource_list){ 0 };
                }
                remains |= container->has_actual;
        }
        return remains;
}

static void normalise(struct cluster *cluster, const struct pod_spec *from,
                      struct class_content *content) {
        struct pod_spec *spec = &content->spec;
        *content = (struct class_content){ .spec = *from };
        spec->node_name = SLICE_EMPTY;
        bool remains = normalise_containers(cluster, &spec->containers, spec->container_count);
        remains |= normalise_containers(cluster, &spec->init, spec->init_count);
        if (!spec->has_pod_actual ||
            repeats(&spec->pod_requests, &spec->pod_actual, &spec->pod_allocated)) {
                spec->has_pod_actual = false;
                spec->pod_actual = spec->pod_allocated = (struct resource_list){ 0 };
        }
        if (!remains && !spec->has_pod_actual)
                spec->is_resize_infeasible = false;
        normalise_volumes(cluster, content);
}

/* ---- derived parts ---- */

static void derive_requests(struct cluster *cluster, struct pod_class *class) {
        struct resource_list list = pod_spec_requests(&class->spec, false, &cluster->scratch);
        struct resource_list scored = pod_spec_requests(&class->spec, true, &cluster->scratch);
        class->nonzero_cpu_milli = resource_list_get(&scored, "cpu", NULL);
        class->nonzero_memory_bytes = resource_list_get(&scored, "memory", NULL);
        class->requests = list.count ? xcalloc(list.count, sizeof(*class->requests)) : NULL;
        for (size_t i = 0; i < list.count; i++) {
                struct resource_id resource = resource_take(cluster, list.items[i].name);
                if (list.items[i].amount <= 0 || resource.index == RESOURCE_PODS)
                        continue;
                class->requests[class->request_count++] =
                        (struct resource_request){ resource, list.items[i].amount };
        }
}

static size_t count_ports(const struct container *containers, size_t count) {
        size_t ports = 0;
        for (size_t i = 0; i < count; i++)
                ports += containers[i].port_count;
        return ports;
}

static bool has_port(const struct pod_class *class, const struct class_port *wanted) {
        for (size_t i = 0; i < class->port_count; i++) {
                const struct class_port *port = &class->ports[i];
                if (port->port == wanted->port && str_id_eq(port->ip, wanted->ip) &&
                    str_id_eq(port->protocol, wanted->protocol))
                        return true;
        }
        return false;
}

static struct slice text_or(struct slice text, const char *fallback) {
        return text.len ? text : slice_of(fallback);
}

static void add_ports(struct cluster *cluster, struct pod_class *class,
                      const struct container *container) {
        for (size_t i = 0; i < container->port_count; i++) {
                const struct container_port *from = &container->ports[i];
                if (from->host_port <= 0)
                        continue;
                struct class_port port = {
                        .ip = str_take(cluster, text_or(from->host_ip, "0.0.0.0")),
                        .protocol = str_take(cluster, text_or(from->protocol, "TCP")),
                        .port = from->host_port,
                };
                if (has_port(class, &port)) {
                        str_drop(cluster, port.ip);
                        str_drop(cluster, port.protocol);
                        continue;
                }
                class->ports[class->port_count++] = port;
        }
}

/* Host ports of containers and sidecars, each once. */
static void derive_ports(struct cluster *cluster, struct pod_class *class) {
        const struct pod_spec *spec = &class->spec;
        size_t limit = count_ports(spec->containers, spec->container_count) +
                       count_ports(spec->init, spec->init_count);
        class->ports = limit ? xcalloc(limit, sizeof(*class->ports)) : NULL;
        for (size_t i = 0; i < spec->container_count; i++)
                add_ports(cluster, class, &spec->containers[i]);
        for (size_t i = 0; i < spec->init_count; i++) {
                if (spec->init[i].is_sidecar)
                        add_ports(cluster, class, &spec->init[i]);
        }
        if (class->port_count == 0) {
                free(class->ports);
                class->ports = NULL;
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

/* Volumes get back the views their sources are read through. */
static void attach_sources(struct class_content *content, struct class_memory *memory) {
        struct buf text = { 0 };
        bool has_any = false;
        buf_char(&text, '[');
        for (size_t i = 0; i < content->source_count; i++) {
                has_any |= content->sources[i].len > 0;
                buf_text(&text, i ? "," : "");
                buf_slice(&text, text_or(content->sources[i], "null"));
        }
        buf_char(&text, ']');
        if (has_any && json_parse(buf_view(&text), &memory->sources, NULL) == 0) {
                const struct json *root = json_doc_root(memory->sources);
                for (size_t i = 0; i < content->source_count; i++) {
                        if (content->sources[i].len > 0)
                                content->spec.volumes[i].source = json_at(root, i);
                }
                memory->bytes += text.len;
        }
        buf_release(&text);
}

/* ---- rows ---- */

static bool find_class(const struct cluster *cluster, struct slice content, uint32_t hash,
                       uint32_t *ret_id) {
        const struct class_table *classes = &cluster->classes;
        uint32_t at = 0, id;
        while (id_index_next(&classes->index, hash, &at, &id)) {
                const struct class_memory *memory = classes->items[id]->memory;
                if (slice_eq(slice_make(memory->content, memory->content_size), content)) {
                        *ret_id = id;
                        return true;
                }
        }
        return false;
}

/* One block: row, memory, arrays of the spec, canonical bytes with the spec's text. */
static struct pod_class *class_new(struct cluster *cluster, struct slice content,
                                   size_t array_bytes) {
        size_t head = (sizeof(struct pod_class) + sizeof(struct class_memory) +
                       _Alignof(max_align_t) - 1) /
                      _Alignof(max_align_t) * _Alignof(max_align_t);
        size_t bytes = head + array_bytes + content.len;
        struct pod_class *class = xcalloc(1, bytes);
        struct class_memory *memory = (struct class_memory *)(class + 1);
        char *arrays = (char *)class + head;
        char *copy = memcpy(arrays + array_bytes, content.ptr, content.len);
        struct class_content read = { 0 };
        struct content_codec codec = {
                .is_reading = true, .at = copy, .end = copy + content.len, .arrays = arrays
        };
        class_content_codec(&codec, &read);
        assert(codec.at == codec.end && codec.arrays == copy);
        *memory = (struct class_memory){ .content = copy,
                                         .content_size = content.len,
                                         .bytes = bytes };
        attach_sources(&read, memory);
        class->spec = read.spec;
        class->memory = memory;
        class->ref_count = 1;
        class->hash = slice_hash(content);
        class->qos = pod_spec_qos(&class->spec);
        class->uses_local_storage = uses_local_storage(&class->spec);
        derive_requests(cluster, class);
        derive_ports(cluster, class);
        memory->bytes += class->request_count * sizeof(*class->requests) +
                         class->port_count * sizeof(*class->ports);
        return class;
}

static void class_free(struct cluster *cluster, struct pod_class *class) {
        struct class_memory *memory = class->memory;
        for (size_t i = 0; i < class->port_count; i++) {
                str_drop(cluster, class->ports[i].ip);
                str_drop(cluster, class->ports[i].protocol);
        }
        json_doc_free(memory->sources);
        free(class->requests);
        free(class->ports);
        free(class);
}

struct class_id class_take(struct cluster *cluster, const struct pod_spec *spec) {
        struct class_table *classes = &cluster->classes;
        struct class_content normal;
        struct content_codec codec = { .out = &cluster->content };
        uint32_t id;
        normalise(cluster, spec, &normal);
        buf_clear(&cluster->content);
        class_content_codec(&codec, &normal);
        struct slice content = buf_view(&cluster->content);
        uint32_t hash = (uint32_t)slice_hash(content);
        if (find_class(cluster, content, hash, &id)) {
                classes->items[id]->ref_count++;
                return (struct class_id){ id };
        }
        struct pod_class *class = class_new(cluster, content, codec.array_bytes);
        id = id_pool_take(&classes->ids);
        classes->items =
                rows_reserve(classes->items, &classes->cap, id + 1, sizeof(struct pod_class *));
        classes->items[id] = class;
        class->id = (struct class_id){ id };
        classes->live++;
        classes->bytes += ((struct class_memory *)class->memory)->bytes;
        id_index_insert(&classes->index, hash, id);
        return (struct class_id){ id };
}

void class_drop(struct cluster *cluster, struct class_id id) {
        struct class_table *classes = &cluster->classes;
        struct pod_class *class = classes->items[id.index];
        assert(class && class->ref_count > 0);
        if (--class->ref_count > 0)
                return;
        id_index_remove(&classes->index, (uint32_t) class->hash, id.index);
        id_pool_give(&classes->ids, id.index);
        classes->bytes -= ((struct class_memory *)class->memory)->bytes;
        classes->live--;
        classes->items[id.index] = NULL;
        class_free(cluster, class);
}

void classes_release(struct cluster *cluster) {
        struct class_table *classes = &cluster->classes;
        for (uint32_t i = 0; i < classes->ids.used; i++) {
                if (classes->items[i])
                        class_free(cluster, classes->items[i]);
        }
        free(classes->items);
        id_pool_release(&classes->ids);
        id_index_release(&classes->index);
}

const struct pod_class *cluster_class(const struct cluster *cluster, struct class_id class) {
        assert(class.index < cluster->classes.ids.used && cluster->classes.items[class.index]);
        return cluster->classes.items[class.index];
}

size_t cluster_class_cap(const struct cluster *cluster) {
        return cluster->classes.ids.used;
}

const struct pod_class *cluster_class_at(const struct cluster *cluster, uint32_t index) {
        return index < cluster->classes.ids.used ? cluster->classes.items[index] : NULL;
}
