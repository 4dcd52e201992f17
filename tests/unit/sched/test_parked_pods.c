/* The index of parked pods against a plain list of them. */
#include "base/rng.h"
#include "base/util.h"
#include "sched/scheduling_queue.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#define ENTRIES 60
#define STEPS 3000
#define CHECKED_EVERY 50
#define SEEDS 8

static bool is_before(int32_t a_priority, int64_t a_ns, int32_t b_priority, int64_t b_ns) {
        return a_priority != b_priority ? a_priority > b_priority : a_ns < b_ns;
}

struct scene {
        struct scheduling_queue queue;
        struct rng rng;
        struct alike_key keys[ENTRIES];
        struct queued_pod *entries[ENTRIES];
};

static struct alike_key identify(const void *context, const struct queued_pod *entry) {
        return ((const struct scene *)context)->keys[entry->pod.index];
}

static unsigned pick(struct scene *scene, unsigned bound) {
        return (unsigned)rng_below(&scene->rng, bound);
}

static void init(struct scene *scene, uint64_t seed) {
        *scene = (struct scene){ .queue = { .initial_ns = NS_PER_S,
                                            .max_ns = 10 * NS_PER_S,
                                            .timeout_ns = 300 * NS_PER_S,
                                            .is_before = is_before,
                                            .identify = identify,
                                            .identify_context = scene } };
        rng_init(&scene->rng, seed);
        scheduling_queue_init(&scene->queue);
        for (uint32_t i = 0; i < ENTRIES; i++)
                scene->entries[i] = scheduling_queue_add(&scene->queue, (struct pod_id){ i }, 0);
}

static void change_key(struct scene *scene, size_t i) {
        scene->keys[i] = (struct alike_key){
                { pick(scene, 3) }, { pick(scene, 2) }, { pick(scene, 2) }, (int32_t)pick(scene, 2)
        };
}

static void park(struct scene *scene, size_t i) {
        struct queued_pod *entry = scene->entries[i];
        change_key(scene, i);
        entry->rejectors = 1u << pick(scene, 3);
        entry->wakes_on = 1u << pick(scene, 3);
        entry->wakes_on_any = pick(scene, 8) == 0;
        entry->profile = (uint8_t)pick(scene, 2);
        scheduling_queue_park(&scene->queue, entry, pick(scene, 6) == 0);
}

static void operate(struct scene *scene) {
        size_t i = pick(scene, ENTRIES);
        switch (pick(scene, 4)) {
        case 0:
                scheduling_queue_take(&scene->queue, scene->entries[i]);
                return;
        case 1:
                if (scene->entries[i]->part == QUEUE_UNSCHEDULABLE)
                        change_key(scene, i);
                scheduling_queue_refile(&scene->queue, scene->entries[i]);
                return;
        default:
                park(scene, i);
        }
}

static bool is_parked(const struct queued_pod *entry) {
        return entry->part == QUEUE_UNSCHEDULABLE && !entry->is_gated;
}

static void check_group(const struct scene *scene, const struct parked_group *group, bool *seen) {
        const struct parked_reason *reason = group->reason;
        assert_non_null(group->first);
        for (const struct queued_pod *entry = group->first; entry; entry = entry->next_alike) {
                const struct alike_key *key = &scene->keys[entry->pod.index];
                assert_true(is_parked(entry) && !seen[entry->pod.index]);
                assert_ptr_equal(entry->group, group);
                assert_true(reason->rejectors == entry->rejectors &&
                            reason->wakes_on == entry->wakes_on &&
                            reason->profile == entry->profile &&
                            reason->wakes_on_any == entry->wakes_on_any);
                assert_true(group->key.class.index == key->class.index &&
                            group->key.labels.index == key->labels.index &&
                            group->key.ns.index == key->ns.index &&
                            group->key.priority == key->priority);
                seen[entry->pod.index] = true;
        }
}

/* Every parked pod is in one group, with all that are like it. */
static void check(const struct scene *scene) {
        bool seen[ENTRIES] = { false };
        size_t groups = 0;
        for (const struct parked_reason *reason = scene->queue.parked.reasons; reason;
             reason = reason->next) {
                assert_non_null(reason->first);
                for (const struct parked_group *group = reason->first; group; group = group->next) {
                        assert_ptr_equal(group->reason, reason);
                        check_group(scene, group, seen);
                        groups++;
                }
        }
        for (size_t i = 0; i < ENTRIES; i++)
                assert_int_equal(seen[i], is_parked(scene->entries[i]));
        for (const struct parked_reason *a = scene->queue.parked.reasons; a; a = a->next)
                for (const struct parked_reason *b = a->next; b; b = b->next)
                        assert_false(a->rejectors == b->rejectors && a->wakes_on == b->wakes_on &&
                                     a->profile == b->profile &&
                                     a->wakes_on_any == b->wakes_on_any);
        assert_int_equal(map_u64_count(scene->queue.parked.groups), groups);
}

static void test_alike_pods_are_together(void **state) {
        (void)state;
        for (uint64_t seed = 1; seed <= SEEDS; seed++) {
                struct scene scene;
                init(&scene, seed);
                for (int i = 0; i < STEPS; i++) {
                        operate(&scene);
                        if (i % CHECKED_EVERY == 0)
                                check(&scene);
                }
                for (size_t i = 0; i < ENTRIES; i++)
                        scheduling_queue_remove(&scene.queue, scene.entries[i]);
                assert_null(scene.queue.parked.reasons);
                scheduling_queue_release(&scene.queue);
        }
}

int main(void) {
        const struct CMUnitTest tests[] = { cmocka_unit_test(test_alike_pods_are_together) };
        return cmocka_run_group_tests(tests, NULL, NULL);
}
