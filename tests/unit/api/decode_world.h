/* For tests of decoders: one document at a time, and what it is decoded into. */
#pragma once

#include "api/object.h"
#include "api_test.h"

/* A document, and room for what is decoded from it; one per test of a decoder. */
struct world {
        struct arena arena;
        struct json_doc *doc;
        struct pod pod;
};

static inline int world_set_up(void **state) {
        struct world *world = xcalloc(1, sizeof(*world));
        arena_init(&world->arena, 0);
        *state = world;
        return 0;
}

static inline int world_tear_down(void **state) {
        struct world *world = *state;
        json_doc_free(world->doc);
        arena_release(&world->arena);
        free(world);
        return 0;
}

/* In place of the document before. */
static inline const struct json *world_load(struct world *world, const char *text) {
        json_doc_free(world->doc);
        world->doc = must_parse(text);
        return json_doc_root(world->doc);
}
