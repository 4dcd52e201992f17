/* A table of a few dozen slots, by the hash of the key; the last one used is tried first, because
 * lists have siblings side by side.  The key are the bytes of the fields that are read, without the
 * pod's own; parts of which only some bytes count have their length before them. */
#include "schema/sibling_specs.h"

#include "api/json_build.h"
#include "base/util.h"
#include "schema/protobuf.h"
#include "schema/protobuf_wire.h"
#include "schema/schema.h"
#include "schema/typed_message.h"
#include <assert.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#define SLOTS 64u
#define NUMBERS 64u
#define SPEC_MAX ((size_t)1 << 20) /* longer ones are read as values */
#define ARENA_BLOCK 2048

/* What becomes of a field of the spec. */
enum { READ, LEFT, NODE_NAME, HOSTNAME, CONTAINER, VOLUME };

struct sibling {
        char *key;
        size_t key_size;
        uint64_t hash, number;
        struct json_builder *builder; /* volumes point into its values */
        struct arena arena;           /* the message, arrays */
        struct pod_spec spec;
};

struct sibling_specs {
        uint8_t plan[NUMBERS], container_plan[NUMBERS];
        const struct schema_object *schema;
        struct sibling *slots[SLOTS], *last;
        char *key; /* of the spec that is being read */
        size_t key_cap;
};

static atomic_uint_fast64_t sibling_numbers; /* handed out; models may be fed by several tables */

/* ---- plans ---- */

static void plan_unread(const char *name, uint8_t plan[NUMBERS]) {
        const struct schema_object *schema = schema_named(name);

        for (size_t i = 0; i < schema->count; i++)
                if (schema->fields[i].flags & FIELD_UNREAD && schema->fields[i].via == 0)
                        plan[schema->fields[i].number] = LEFT;
}

static void plan_fields(struct sibling_specs *specs) {
        static const struct {
                const char *name;
                uint8_t what;
        } fields[] = { { "nodeName", NODE_NAME },
                       { "hostname", HOSTNAME },
                       { "containers", CONTAINER },
                       { "initContainers", CONTAINER },
                       { "volumes", VOLUME } };

        plan_unread("core.v1.PodSpec", specs->plan);
        plan_unread("core.v1.Container", specs->container_plan);
        for (size_t i = 0; i < ARRAY_LEN(fields); i++)
                specs->plan[schema_field_find(specs->schema, slice_of(fields[i].name))->number] =
                        fields[i].what;
}

struct sibling_specs *sibling_specs_new(void) {
        struct sibling_specs *specs = xcalloc(1, sizeof(*specs));

        specs->schema = schema_named("core.v1.PodSpec");
        plan_fields(specs);
        return specs;
}

static void sibling_free(struct sibling *sibling) {
        if (!sibling)
                return;
        free(sibling->key);
        json_builder_free(sibling->builder);
        arena_release(&sibling->arena);
        free(sibling);
}

void sibling_specs_clear(struct sibling_specs *specs) {
        for (size_t i = 0; i < SLOTS; i++) {
                sibling_free(specs->slots[i]);
                specs->slots[i] = NULL;
        }
        specs->last = NULL;
        free(specs->key);
        specs->key = NULL;
        specs->key_cap = 0;
}

void sibling_specs_free(struct sibling_specs *specs) {
        if (!specs)
                return;
        sibling_specs_clear(specs);
        free(specs);
}

/* ---- keys ---- */

/* Appends the bytes from begin up to end. */
static char *key_add(char *to, const char *begin, const char *end) {
        size_t size = (size_t)(end - begin);

        if (size > 0)
                memcpy(to, begin, size);
        return to + size;
}

/* The fields of a container that are read. */
static char *key_add_container(const struct sibling_specs *specs, char *to, struct slice message) {
        const char *begun = message.ptr;
        struct wire_field wire;

        while (message.len > 0) {
                const char *begin = message.ptr;

                if (!wire_take_field(&message, &wire))
                        return NULL;
                if (wire.number >= NUMBERS || specs->container_plan[wire.number] != LEFT)
                        continue;
                to = key_add(to, begun, begin);
                begun = message.ptr;
        }
        return key_add(to, begun, message.ptr);
}

/* secret, downwardAPI, configMap, projected: the model drops such volumes. */
static bool is_configuration(struct slice source) {
        struct wire_field wire;

        return wire_take_field(&source, &wire) && source.len == 0 && wire.type == WIRE_BYTES &&
               (wire.number == 6 || wire.number == 16 || wire.number == 19 || wire.number == 26);
}

/* All of a volume, or without its name when that says nothing. */
static char *key_add_volume(const struct sibling_specs *specs, char *to, struct slice message) {
        struct slice rest = message;
        struct wire_field name, source;
        const char *begin = message.ptr;

        (void)specs;
        if (wire_take_field(&rest, &name) && name.number == 1 && name.type == WIRE_BYTES) {
                const char *behind = rest.ptr;

                if (!typed_text(name.bytes))
                        return NULL;
                if (wire_take_field(&rest, &source) && source.number == 2 &&
                    source.type == WIRE_BYTES && rest.len == 0 && is_configuration(source.bytes))
                        begin = behind;
        }
        return key_add(to, begin, message.ptr + message.len);
}

/* A mark, number and length, then the part. */
static char *key_add_part(const struct sibling_specs *specs, char *to,
                          const struct wire_field *wire, uint8_t what) {
        uint32_t size;

        if (wire->type != WIRE_BYTES)
                return NULL;
        *to++ = 0; /* no field begins so */
        *to++ = (char)wire->number;
        char *head = to;
        to += sizeof(size);
        to = what == CONTAINER ? key_add_container(specs, to, wire->bytes)
                               : key_add_volume(specs, to, wire->bytes);
        if (!to)
                return NULL;
        size = (uint32_t)(to - head) - (uint32_t)sizeof(size);
        memcpy(head, &size, sizeof(size));
        return to;
}

/* Each is there once. */
static bool take_own(uint8_t what, const struct wire_field *wire, uint64_t *seen,
                     struct slice *node_name) {
        if (*seen >> wire->number & 1 || wire->type != WIRE_BYTES || !typed_text(wire->bytes))
                return false;
        *seen |= (uint64_t)1 << wire->number;
        if (what == NODE_NAME)
                *node_name = wire->bytes;
        return true;
}

/* A part is at least two bytes long, and becomes at most four longer. */
static void key_reserve(struct sibling_specs *specs, size_t message_size) {
        size_t need = message_size / 2 * 7 + 16;

        if (need <= specs->key_cap)
                return;
        specs->key_cap = need;
        specs->key = xrealloc(specs->key, need);
}

/* Where the key in specs->key ends; NULL: refused. */
static char *write_key(struct sibling_specs *specs, struct slice message,
                       struct slice *ret_node_name) {
        const char *begun = message.ptr;
        struct wire_field wire;
        uint64_t seen = 0; /* of the pod's own fields */
        char *to = specs->key;

        while (to && message.len > 0) {
                const char *begin = message.ptr;

                if (!wire_take_field(&message, &wire))
                        return NULL;
                uint8_t what = wire.number < NUMBERS ? specs->plan[wire.number] : READ;
                if (what == READ)
                        continue;
                to = key_add(to, begun, begin);
                begun = message.ptr;
                if (what == CONTAINER || what == VOLUME)
                        to = key_add_part(specs, to, &wire, what);
                else if (what != LEFT && !take_own(what, &wire, &seen, ret_node_name))
                        return NULL;
        }
        return to ? key_add(to, begun, message.ptr) : NULL;
}

/* ---- specs ---- */

static bool is_of(const struct sibling *sibling, struct slice key) {
        return sibling && sibling->key_size == key.len &&
               memcmp(sibling->key, key.ptr, key.len) == 0;
}

static bool decode_sibling(const struct sibling_specs *specs, struct sibling *sibling,
                           struct slice message) {
        struct slice copy = arena_slice(&sibling->arena, message);
        struct err err;

        return protobuf_build(sibling->builder, specs->schema, copy, FIELD_UNREAD, &err) == 0 &&
               pod_spec_decode(json_builder_root(sibling->builder), &sibling->arena, &sibling->spec,
                               &err) == 0;
}

static struct sibling *sibling_new(const struct sibling_specs *specs, struct slice message,
                                   struct slice key, uint64_t hash) {
        struct sibling *sibling = xcalloc(1, sizeof(*sibling));

        sibling->builder = json_builder_new();
        arena_init(&sibling->arena, ARENA_BLOCK);
        if (!decode_sibling(specs, sibling, message)) {
                sibling_free(sibling);
                return NULL;
        }
        sibling->key = memcpy(xmalloc(key.len + 1), key.ptr, key.len);
        sibling->key_size = key.len;
        sibling->hash = hash;
        sibling->number = atomic_fetch_add(&sibling_numbers, 1) + 1;
        return sibling;
}

static struct sibling *sibling_of(struct sibling_specs *specs, struct slice message,
                                  struct slice key) {
        if (is_of(specs->last, key))
                return specs->last;
        uint64_t hash = hash_bytes(key.ptr, key.len, 0);
        struct sibling **slot = &specs->slots[hash % SLOTS];

        if (!*slot || (*slot)->hash != hash || !is_of(*slot, key)) {
                struct sibling *sibling = sibling_new(specs, message, key, hash);

                if (!sibling)
                        return NULL;
                if (specs->last == *slot)
                        specs->last = NULL;
                sibling_free(*slot);
                *slot = sibling;
        }
        specs->last = *slot;
        return *slot;
}

bool sibling_specs_read(struct sibling_specs *specs, struct slice message,
                        struct pod_spec *ret_spec) {
        struct slice node_name = SLICE_EMPTY;

        if (message.len > SPEC_MAX)
                return false;
        key_reserve(specs, message.len);
        const char *end = write_key(specs, message, &node_name);
        if (!end)
                return false;
        const struct sibling *sibling =
                sibling_of(specs, message, slice_make(specs->key, (size_t)(end - specs->key)));
        if (!sibling)
                return false;
        *ret_spec = sibling->spec;
        ret_spec->node_name = node_name;
        ret_spec->sibling = sibling->number;
        return true;
}
