/* Evicting a virtual machine whose migration fails (G3 of the reference), with the pauses that
 * KubeVirt makes: the script plays KubeVirt. */
#include "base/util.h"
#include "evict/eviction_reconciler.h"
#include "eviction_scene.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#define DEFINITIONS "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
#define KUBEVIRT "/apis/kubevirt.io/v1/namespaces/default/"
#define MOVE_ACTIVE "{\"name\":\"" EVICTION_VM_MOVER "\",\"priority\":10000,\"state\":\"Active\"}"

static void define(struct scene *scene, const char *plural, const char *kind) {
        char body[600];

        snprintf(body, sizeof(body),
                 "{\"metadata\":{\"name\":\"%s.kubevirt.io\"},\"spec\":{\"group\":\"kubevirt.io\","
                 "\"scope\":\"Namespaced\",\"names\":{\"plural\":\"%s\",\"kind\":\"%s\"},"
                 "\"versions\":[{\"name\":\"v1\",\"served\":true,\"storage\":true,\"schema\":{"
                 "\"openAPIV3Schema\":{\"type\":\"object\","
                 "\"x-kubernetes-preserve-unknown-fields\":true}}}]}}",
                 plural, plural, kind);
        assert_int_equal(ask(scene, "POST", DEFINITIONS, body), 201);
        wait_s(scene, 2);
}

/* A machine, and the pod it runs in, which is marked as being moved already. */
static void make_machine(struct scene *scene) {
        define(scene, "virtualmachineinstances", "VirtualMachineInstance");
        define(scene, "virtualmachineinstancemigrations", "VirtualMachineInstanceMigration");
        assert_int_equal(ask(scene, "POST", KUBEVIRT "virtualmachineinstances",
                             "{\"apiVersion\":\"kubevirt.io/v1\",\"kind\":"
                             "\"VirtualMachineInstance\",\"metadata\":{\"name\":\"vm\"}}"),
                         201);
        assert_int_equal(
                ask(scene, "POST", PODS,
                    "{\"metadata\":{\"name\":\"p\",\"labels\":{\"kubevirt.io\":\"virt-launcher\"},"
                    "\"annotations\":{\"descheduler.alpha.kubernetes.io/request-evict-only\":"
                    "\"true\","
                    "\"descheduler.alpha.kubernetes.io/eviction-in-progress\":\"true\"},"
                    "\"ownerReferences\":[{\"apiVersion\":\"kubevirt.example.com/v1\",\"kind\":"
                    "\"VirtualMachineInstance\",\"name\":\"vm\",\"uid\":"
                    "\"00000000-0000-4000-8000-0000000000aa\",\"controller\":true}]},\"spec\":{"
                    "\"nodeName\":\"n0\",\"containers\":[{\"name\":\"c\",\"image\":\"x\"}]}}"),
                201);
        wait_s(scene, 10);
}

static void begin_migration(struct scene *scene, unsigned number) {
        char body[400];

        snprintf(body, sizeof(body),
                 "{\"apiVersion\":\"kubevirt.io/v1\",\"kind\":\"VirtualMachineInstanceMigration\","
                 "\"metadata\":{\"name\":\"kubevirt-evacuation-%u\"},\"spec\":{\"vmiName\":\"vm\"},"
                 "\"status\":{\"phase\":\"Running\"}}",
                 number);
        assert_int_equal(ask(scene, "POST", KUBEVIRT "virtualmachineinstancemigrations", body),
                         201);
}

static void end_migration(struct scene *scene, unsigned number, const char *phase) {
        char path[PATH_BYTES], body[100];

        snprintf(path, sizeof(path),
                 KUBEVIRT "virtualmachineinstancemigrations/kubevirt-evacuation-%u", number);
        snprintf(body, sizeof(body), "{\"status\":{\"phase\":\"%s\"}}", phase);
        assert_int_equal(ask(scene, "PATCH", path, body), 200);
}

/* It stays Active all the time, and nobody asks KubeVirt again. */
static void stay_active(struct scene *scene, int64_t seconds) {
        for (int64_t i = 0; i < seconds; i++) {
                wait_s(scene, 1);
                assert_has(scene, EVICTION_1, MOVE_ACTIVE);
        }
        assert_int_equal(sim_world_evict_calls(scene->world), 0);
}

static void assert_reported(struct scene *scene, unsigned number, const char *phase) {
        char text[100];

        snprintf(text, sizeof(text), "migration kubevirt-evacuation-%u: %s", number, phase);
        assert_has(scene, EVICTION_1, text);
}

/* Fails twice; KubeVirt tries again after 20 s, then after 40 s. */
static void G3_migration_fails_twice(void **state) {
        static const int64_t pauses_s[] = { 20, 40 };
        struct scene scene;

        (void)state;
        open_scene(&scene);
        sim_world_kill(scene.world);
        make_machine(&scene);
        sim_world_start(scene.world);
        wait_s(&scene, 5);
        begin_migration(&scene, 0);
        make_request(&scene, "want", ANNA);
        wait_s(&scene, 5);
        for (unsigned i = 0; i < ARRAY_LEN(pauses_s); i++) {
                stay_active(&scene, 30);
                assert_reported(&scene, i, "Running");
                end_migration(&scene, i, "Failed");
                stay_active(&scene, pauses_s[i]);
                assert_reported(&scene, i, "Failed");
                begin_migration(&scene, i + 1);
        }
        stay_active(&scene, 30);
        assert_reported(&scene, 2, "Running");
        end_migration(&scene, 2, "Succeeded");
        assert_int_equal(
                ask(&scene, "PATCH", POD "/status", "{\"status\":{\"phase\":\"Succeeded\"}}"), 200);
        wait_s(&scene, 10);
        assert_has(&scene, EVICTION_1,
                   "{\"type\":\"TargetEvicted\",\"status\":\"True\",\"reason\":\"PodTerminal\"");
        assert_int_equal(sim_world_evict_calls(scene.world), 0);
        close_scene(&scene);
}

#define NAMED(title, test)                                                                         \
        { title, test, NULL, NULL, NULL }

int main(void) {
        const struct CMUnitTest tests[] = {
                NAMED("evict-G3: a migration that fails twice", G3_migration_fails_twice),
        };

        return cmocka_run_group_tests(tests, NULL, NULL);
}
