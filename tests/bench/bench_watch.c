/* How soon a failed pod is answered, and what that costs the API server: passes at an interval,
 * passes by a CronJob, and --watch.  An hour of virtual time with a pod failing now and then; the
 * figures follow from the program's timers, not from the machine.
 *
 *     bench_watch
 */
#include "../unit/sim/desched_world.h"

#include "base/rng.h"
#include "base/util.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FAILURES 60
#define HOUR_NS (3600 * NS_PER_S)

static const char policy[] =
        "{\"apiVersion\":\"descheduler/v1alpha2\",\"kind\":\"DeschedulerPolicy\",\"profiles\":[{"
        "\"name\":\"p\",\"pluginConfig\":[{\"name\":\"RemoveFailedPods\",\"args\":{"
        "\"minPodLifetimeSeconds\":0}}],\"plugins\":{\"deschedule\":{\"enabled\":["
        "\"RemoveFailedPods\"]}}}]}";

struct mode {
        const char *name;
        int64_t interval_ns;
        bool watches;
        int64_t restart_ns; /* a process that often, for one pass; 0 = one process */
};
static const struct mode modes[] = {
        { "CronJob, every 2 minutes", 0, false, 120 * NS_PER_S },
        { "interval 5 minutes", 300 * NS_PER_S, false, 0 },
        { "interval 1 second", NS_PER_S, false, 0 },
        { "--watch, interval 5 minutes", 300 * NS_PER_S, true, 0 },
};

static void die(const char *what) {
        fprintf(stderr, "bench_watch: %s\n", what);
        exit(1);
}

/* Up to the time, with a new process whenever one is due. */
static void advance_to(struct desched_world *world, const struct mode *mode, int64_t to_ns,
                       int64_t *next_start_ns) {
        while (mode->restart_ns > 0 && *next_start_ns < to_ns) {
                desched_world_advance(world, *next_start_ns - loop_mono(world->loop).ns);
                desched_world_end(world);
                desched_world_start(world);
                *next_start_ns += mode->restart_ns;
        }
        desched_world_advance(world, to_ns - loop_mono(world->loop).ns);
}

static void print_row(const char *mode, const char *what, double figure, const char *unit) {
        char row[128];

        snprintf(row, sizeof(row), "%s: %s", mode, what);
        printf("%-60s  %.2f %s\n", row, figure, unit);
}

static void measure(const struct mode *mode) {
        struct desched_world world = { 0 };
        struct rng rng;
        int64_t failed_ns[FAILURES], start_ns, next_start_ns, sum_ns = 0, longest_ns = 0;
        uint64_t passes, reactions, calls;
        char name[16];

        if (!desched_world_open(&world,
                                &(struct desched_world_config){ .policy = policy,
                                                                .interval_ns = mode->interval_ns,
                                                                .watches = mode->watches }))
                die("no world");
        rng_init(&rng, 1);
        desched_world_start(&world);
        desched_world_advance(&world, NS_PER_S);
        start_ns = loop_mono(world.loop).ns;
        next_start_ns = start_ns;
        for (unsigned i = 0; i < FAILURES; i++) {
                int64_t slot_ns = start_ns + (int64_t)i * (HOUR_NS / FAILURES);

                snprintf(name, sizeof(name), "p%u", i);
                desched_world_add_pod(&world, name);
                advance_to(&world, mode,
                           slot_ns + (int64_t)rng_below(&rng, HOUR_NS / FAILURES - NS_PER_S),
                           &next_start_ns);
                failed_ns[i] = loop_mono(world.loop).ns;
                desched_world_fail_pod(&world, name, 1);
        }
        advance_to(&world, mode, start_ns + HOUR_NS, &next_start_ns);
        desched_world_count(&world, &passes, &reactions);
        calls = world.lists + world.watches;
        advance_to(&world, mode, start_ns + HOUR_NS + 600 * NS_PER_S, &next_start_ns);
        if (world.eviction_count != FAILURES)
                die("not every pod was evicted");
        for (unsigned i = 0; i < FAILURES; i++) {
                int64_t took_ns = world.evictions[i].ns - failed_ns[i];

                sum_ns += took_ns;
                longest_ns = took_ns > longest_ns ? took_ns : longest_ns;
        }
        print_row(mode->name, "reaction, mean", (double)sum_ns / FAILURES / 1e9, "s");
        print_row(mode->name, "reaction, longest", (double)longest_ns / 1e9, "s");
        print_row(mode->name, "passes and reactions", (double)(passes + reactions), "per-hour");
        print_row(mode->name, "lists and watches opened", (double)calls, "calls");
        desched_world_close(&world);
}

int main(void) {
        for (size_t i = 0; i < ARRAY_LEN(modes); i++)
                measure(&modes[i]);
        return 0;
}
