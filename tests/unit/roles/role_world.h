/* A scheduler over an embedded cluster in one process. */
#pragma once

#include "base/util.h"
#include "loop/event_loop.h"
#include "loop/runtime.h"
#include "roles/role_config.h"
#include "roles/scheduler_role.h"
#include "sandbox/sandbox.h"
#include "sandbox/sandbox_import.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

struct role_world {
        struct event_loop *events;
        struct sandbox *sandbox;
        struct sandbox_import *import;
        struct runtime *runtime;
        struct scheduler *scheduler;
        struct role_config config;
};

/* controllers as in sandbox_config. */
static inline void role_world_init(struct role_world *world, const char *controllers) {
        struct err err = { 0 };

        assert_int_equal(event_loop_new(&world->events, &err), 0);
        if (sandbox_start(&(struct sandbox_config){ .seed = 1, .controllers = controllers },
                          event_loop_as_loop(world->events), &world->sandbox, &err) < 0)
                fail_msg("%s", err.text);
        world->import = sandbox_import_new(world->sandbox);
}

/* A scheduler that talks through that transport; its profiles are those of the default
 * configuration, which ret_config keeps. */
static inline struct scheduler *start_scheduler(struct loop *loop, struct transport transport,
                                                const struct scheduler_role_config *more,
                                                struct role_config *ret_config,
                                                struct runtime **ret_runtime) {
        struct scheduler_role_config role = more ? *more : (struct scheduler_role_config){ 0 };
        struct runtime *runtime = runtime_new(&(struct runtime_config){ .loop = loop,
                                                                        .transport = transport,
                                                                        .instance = "test",
                                                                        .keeps_object_cache = true,
                                                                        .freezes_notes = true });
        struct err err = { 0 };

        assert_int_equal(role_config_load(&(struct role_config_sources){ 0 }, ret_config, &err), 0);
        assert_int_equal(role_config_build(ret_config, runtime_cluster(runtime),
                                           runtime_object_cache(runtime), &err),
                         0);
        role.profile_count = ret_config->profiles.count;
        role.profiles = ret_config->profiles.items;
        struct scheduler *scheduler = scheduler_role_add(runtime, &role, &err);
        runtime_start(runtime);
        *ret_runtime = runtime;
        return scheduler;
}

static inline void role_world_start(struct role_world *world, struct transport transport,
                                    const struct scheduler_role_config *more) {
        world->scheduler = start_scheduler(event_loop_as_loop(world->events), transport, more,
                                           &world->config, &world->runtime);
}

static inline void role_world_release(struct role_world *world) {
        runtime_free(world->runtime);
        role_config_release(&world->config);
        sandbox_import_free(world->import);
        sandbox_stop(world->sandbox);
        event_loop_run_once(world->events, 0, NULL);
        event_loop_free(world->events);
}
