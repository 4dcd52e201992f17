/* Interned pod specs: a body and the node terms the pod requires. */
#include "model/cluster_priv.h"
#include "model/pod_spec_codec.h"

#include <assert.h>
#include <stdlib.h>

static bool find_class(const struct cluster *cluster, const struct class_body *body,
                       struct slice terms, uint32_t hash, uint32_t *ret_id) {
        const struct class_table *classes = &cluster->classes;
        uint32_t at = 0, id;
        while (id_index_next(&classes->index, hash, &at, &id)) {
                const struct class_memory *memory = classes->items[id]->memory;
                if (memory->body == body &&
                    slice_eq(slice_make(memory->terms, memory->terms_size), terms)) {
                        *ret_id = id;
                        return true;
                }
        }
        return false;
}

static bool has_pod_terms(const struct affinity *affinity) {
        return affinity->pod.required_count + affinity->pod.preferred_count +
                       affinity->pod_anti.required_count + affinity->pod_anti.preferred_count >
               0;
}

/* One block: row, memory, arrays of the terms, their canonical bytes.  Takes over the body. */
static struct pod_class *class_new(struct class_body *body, struct slice terms,
                                   size_t array_bytes) {
        size_t head = MODEL_ALIGN(sizeof(struct pod_class) + sizeof(struct class_memory));
        size_t bytes = head + array_bytes + terms.len;
        struct pod_class *class = xcalloc(1, bytes);
        struct class_memory *memory = (struct class_memory *)(class + 1);
        char *arrays = (char *)class + head;
        char *copy = memcpy(arrays + array_bytes, terms.ptr, terms.len);
        struct content_codec codec = {
                .is_reading = true, .at = copy, .end = copy + terms.len, .arrays = arrays
        };
        *memory = (struct class_memory){
                .body = body, .terms = copy, .terms_size = terms.len, .bytes = bytes
        };
        class->spec = body->spec;
        required_terms_codec(&codec, &class->spec.affinity);
        assert(codec.at == codec.end && codec.arrays == copy);
        class->ref_count = 1;
        class->request_count = body->request_count;
        class->requests = body->requests;
        class->nonzero_cpu_milli = body->nonzero_cpu_milli;
        class->nonzero_memory_bytes = body->nonzero_memory_bytes;
        class->port_count = body->port_count;
        class->ports = body->ports;
        class->qos = body->qos;
        class->uses_local_storage = body->uses_local_storage;
        class->attach_count = body->attach_count;
        class->has_pod_terms = has_pod_terms(&body->spec.affinity);
        class->memory = memory;
        return class;
}

static void count_terms(struct class_terms *terms, const struct pod_class *class, bool is_new) {
        bool has_required_anti = class->spec.affinity.pod_anti.required_count > 0;
        if (is_new) {
                terms->any += class->has_pod_terms;
                terms->required_anti += has_required_anti;
        } else {
                terms->any -= class->has_pod_terms;
                terms->required_anti -= has_required_anti;
        }
}

static struct class_id take_by_content(struct cluster *cluster, const struct pod_spec *spec) {
        struct class_table *classes = &cluster->classes;
        struct class_content normal;
        struct content_codec codec = { .out = &cluster->terms };
        uint32_t id;
        class_content_normalise(cluster, spec, &normal);
        struct class_body *body = class_body_take(cluster, &normal);
        buf_clear(&cluster->terms);
        required_terms_codec(&codec, &normal.spec.affinity);
        struct slice terms = buf_view(&cluster->terms);
        uint64_t hash = hash_bytes(terms.ptr, terms.len, body->hash);
        if (find_class(cluster, body, terms, (uint32_t)hash, &id)) {
                class_body_drop(cluster, body);
                classes->items[id]->ref_count++;
                return (struct class_id){ id };
        }
        struct pod_class *class = class_new(body, terms, codec.array_bytes);
        id = id_pool_take(&classes->ids);
        classes->items =
                rows_reserve(classes->items, &classes->cap, id + 1, sizeof(struct pod_class *));
        classes->items[id] = class;
        class->id = (struct class_id){ id };
        class->hash = hash;
        class->serial = ++classes->serials;
        class->shape_hash = hash_bytes(terms.ptr, terms.len, body->shape_hash);
        classes->live++;
        count_terms(&classes->terms, class, true);
        classes->bytes += ((struct class_memory *)class->memory)->bytes;
        id_index_insert(&classes->index, (uint32_t)hash, id);
        return (struct class_id){ id };
}

/* Specs with one number have one class, unless a status has other sizes.  Classes come and go, so
 * the serial says whether it still is the one. */
struct class_id class_take(struct cluster *cluster, const struct pod_spec *spec) {
        struct class_table *classes = &cluster->classes;
        struct class_sibling *known = &classes->siblings[spec->sibling % CLASS_SIBLINGS];
        if (spec->sibling == 0 || !class_content_is_of_spec(spec))
                return take_by_content(cluster, spec);
        if (known->sibling == spec->sibling && classes->items[known->class] &&
            classes->items[known->class]->serial == known->serial) {
                classes->items[known->class]->ref_count++;
                return (struct class_id){ known->class };
        }
        struct class_id id = take_by_content(cluster, spec);
        *known = (struct class_sibling){ .sibling = spec->sibling,
                                         .serial = classes->items[id.index]->serial,
                                         .class = id.index };
        return id;
}

void class_ref(struct cluster *cluster, struct class_id id) {
        cluster->classes.items[id.index]->ref_count++;
}

void class_drop(struct cluster *cluster, struct class_id id) {
        struct class_table *classes = &cluster->classes;
        struct pod_class *class = classes->items[id.index];
        assert(class && class->ref_count > 0);
        if (--class->ref_count > 0)
                return;
        const struct class_memory *memory = class->memory;
        id_index_remove(&classes->index, (uint32_t) class->hash, id.index);
        id_pool_give(&classes->ids, id.index);
        classes->bytes -= memory->bytes;
        classes->live--;
        count_terms(&classes->terms, class, false);
        classes->items[id.index] = NULL;
        class_body_drop(cluster, memory->body);
        free(class);
}

void classes_release(struct cluster *cluster) {
        struct class_table *classes = &cluster->classes;
        for (uint32_t i = 0; i < classes->ids.used; i++)
                free(classes->items[i]);
        free(classes->items);
        id_pool_release(&classes->ids);
        id_index_release(&classes->index);
        class_bodies_release(cluster);
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

struct class_terms cluster_class_terms(const struct cluster *cluster) {
        return cluster->classes.terms;
}
