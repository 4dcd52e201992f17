/* Metadata, spec and status, each once and in this order. */
#include "schema/pod_reader.h"

#include "api/json_build.h"
#include "base/util.h"
#include "schema/pod_fields.h"
#include "schema/protobuf.h"
#include "schema/schema.h"
#include "schema/sibling_specs.h"
#include <stdlib.h>

#define ARENA_BLOCK 4096

enum { POD_METADATA, POD_SPEC, POD_STATUS, POD_PARTS };

struct pod_reader {
        struct typed_reader typed;
        struct arena arena;
        struct sibling_specs *specs;
        struct json_builder *builder; /* of the value somebody asked for; NULL before */
        bool has_value;
        struct slice message; /* read last */
};

struct pod_reader *pod_reader_new(void) {
        struct pod_reader *reader = xcalloc(1, sizeof(*reader));

        arena_init(&reader->arena, ARENA_BLOCK);
        reader->typed.arena = &reader->arena;
        reader->typed.tables = typed_tables_new(pod_messages, pod_message_count);
        reader->specs = sibling_specs_new();
        return reader;
}

void pod_reader_free(struct pod_reader *reader) {
        if (!reader)
                return;
        typed_tables_free(reader->typed.tables, pod_message_count);
        sibling_specs_free(reader->specs);
        json_builder_free(reader->builder);
        arena_release(&reader->arena);
        free(reader);
}

void pod_reader_clear(struct pod_reader *reader) {
        sibling_specs_clear(reader->specs);
        json_builder_free(reader->builder);
        reader->builder = NULL;
        reader->has_value = false;
        reader->message = SLICE_EMPTY;
}

static bool split_pod(struct slice message, struct slice ret_parts[POD_PARTS]) {
        for (size_t i = 0; i < POD_PARTS; i++) {
                struct wire_field wire;

                if (!wire_take_field(&message, &wire) || wire.number != i + 1 ||
                    wire.type != WIRE_BYTES)
                        return false;
                ret_parts[i] = wire.bytes;
        }
        return message.len == 0;
}

/* The containers get the sizes of this pod's status. */
static void own_containers(struct pod_reader *reader, struct pod_spec *spec) {
        if (spec->container_count)
                spec->containers = arena_copy(&reader->arena, spec->containers,
                                              spec->container_count * sizeof(*spec->containers));
        if (spec->init_count)
                spec->init = arena_copy(&reader->arena, spec->init,
                                        spec->init_count * sizeof(*spec->init));
}

bool pod_reader_read(struct pod_reader *reader, struct slice message, struct pod *ret_pod) {
        struct slice parts[POD_PARTS];

        arena_clear(&reader->arena);
        reader->has_value = false;
        reader->message = SLICE_EMPTY;
        pod_set_defaults(ret_pod);
        if (!split_pod(message, parts) ||
            !typed_read(&reader->typed, &pod_meta_message, parts[POD_METADATA], &ret_pod->meta) ||
            !typed_read(&reader->typed, &pod_status_message, parts[POD_STATUS], &ret_pod->status) ||
            !sibling_specs_read(reader->specs, parts[POD_SPEC], &ret_pod->spec))
                return false;
        own_containers(reader, &ret_pod->spec);
        pod_take_resize_state(ret_pod);
        reader->message = message;
        return true;
}

const struct json *pod_reader_value(struct pod_reader *reader, unsigned without) {
        struct err err;

        if (!reader->message.ptr)
                return NULL;
        if (!reader->builder)
                reader->builder = json_builder_new();
        if (!reader->has_value) {
                json_builder_clear(reader->builder);
                if (protobuf_build(reader->builder, schema_named("core.v1.Pod"), reader->message,
                                   without, &err) < 0)
                        return NULL;
                reader->has_value = true;
        }
        return json_builder_root(reader->builder);
}
