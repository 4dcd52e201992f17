/* Allocations that kube-scheduler made, in the recorded cases: the search finds the same devices
 * for the same requests on each node. Skipped without ../shared. */
#include "device_scene.h"

#include "base/buf.h"
#include "base/util.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

struct tally {
        size_t nodes, results, errors, wrong;
};

static bool gate(const struct json *test_case, const char *name, bool standard) {
        return json_get_bool(json_get(test_case, "featureGates"), name, standard);
}

static struct device_gates gates_of(const struct json *test_case) {
        return (struct device_gates){ .has_admin_access = gate(test_case, "DRAAdminAccess", true),
                                      .has_choices = gate(test_case, "DRAPrioritizedList", true),
                                      .has_counters =
                                              gate(test_case, "DRAPartitionableDevices", true),
                                      .has_taints = gate(test_case, "DRADeviceTaints", true),
                                      .has_binding_conditions =
                                              gate(test_case, "DRADeviceBindingConditions", true) &&
                                              gate(test_case, "DRAResourceClaimDeviceStatus", true),
                                      .has_shares = gate(test_case, "DRAConsumableCapacity", true),
                                      .has_lists = gate(test_case, "DRAListTypeAttributes", false),
                                      .is_parity = true };
}

/* The claims that the pod names and that are to be allocated. */
static size_t claims_of(const struct device_scene *scene, const struct json *pod,
                        const struct resource_claim **ret_claims) {
        struct json_iter iter = json_iter(json_get(json_get(pod, "spec"), "resourceClaims"));
        const struct json *named;
        size_t count = 0;

        while (json_next(&iter, NULL, &named)) {
                struct slice name = json_get_text(named, "resourceClaimName");
                struct json_iter made =
                        json_iter(json_get(json_get(pod, "status"), "resourceClaimStatuses"));
                const struct json *one;

                while (name.len == 0 && json_next(&made, NULL, &one)) {
                        if (slice_eq(json_get_text(one, "name"), json_get_text(named, "name")))
                                name = json_get_text(one, "resourceClaimName");
                }
                const struct resource_claim *claim = device_scene_claim(
                        scene, json_get_text(json_get(pod, "metadata"), "namespace"), name);
                if (claim && !claim->is_allocated)
                        ret_claims[count++] = claim;
        }
        return count;
}

/* What is written of the claim. */
static const struct json *write_of(struct device_scene *scene, const struct json *bind,
                                   const struct resource_claim *claim) {
        const char *key = arena_printf(&scene->arena, SLICE_FMT "/" SLICE_FMT,
                                       SLICE_ARG(claim->meta.ns), SLICE_ARG(claim->meta.name));
        struct json_iter iter = json_iter(json_get(bind, "claims"));
        const struct json *write;

        while (json_next(&iter, NULL, &write)) {
                if (slice_is(json_get_text(write, "claim"), key))
                        return write;
        }
        return NULL;
}

/* What was recorded for the claims on the node, in the form of device_scene_search(). */
static const char *recorded(struct device_scene *scene, const struct json *bind,
                            const struct resource_claim *const *claims, size_t count) {
        struct buf out = { 0 };

        for (size_t i = 0; i < count; i++) {
                const struct json *allocation =
                        json_get(write_of(scene, bind, claims[i]), "allocation");
                struct json_iter iter =
                        json_iter(json_get(json_get(allocation, "devices"), "results"));
                const struct json *one;

                while (json_next(&iter, NULL, &one))
                        buf_printf(&out, SLICE_FMT ":" SLICE_FMT "/" SLICE_FMT "/" SLICE_FMT " ",
                                   SLICE_ARG(json_get_text(one, "request")),
                                   SLICE_ARG(json_get_text(one, "driver")),
                                   SLICE_ARG(json_get_text(one, "pool")),
                                   SLICE_ARG(json_get_text(one, "device")));
        }
        const char *text = arena_string(&scene->arena, buf_view(&out));
        buf_release(&out);
        return text;
}

/* What Filter said of the node, when it was the allocator that refused it; NULL otherwise. */
static const char *refusal(const struct json *expect, struct slice node) {
        const struct json *filter = json_get_slice(json_get(expect, "filter"), node);
        struct json_iter iter = json_iter(json_get(filter, "reasons"));
        const struct json *reason;

        while (json_next(&iter, NULL, &reason)) {
                if (slice_is(json_text(reason), "cannot allocate all claims"))
                        return "?";
                if (slice_is(json_text(reason), "invalid resource pools were encountered"))
                        return "?invalid";
        }
        return NULL;
}

/* The whole allocation, member for member. */
static void check_result(struct device_scene *scene, const struct json *test_case,
                         const struct json *node, const struct json *bind, struct tally *tally) {
        const struct resource_claim *claims[64];
        size_t count = claims_of(scene, json_get(test_case, "pod"), claims);
        struct json_tree *tree = json_tree_new();

        for (size_t i = 0; i < count; i++) {
                const struct json *allocation =
                        json_get(write_of(scene, bind, claims[i]), "allocation");
                struct json_node *want = node_import(tree, allocation);
                const char *got = device_scene_result(scene, node, claims, count, i);
                struct json_doc *doc;

                if (!allocation)
                        continue;
                tally->results++;
                device_scene_text(scene, tree, want);
                if (json_parse(slice_of(got), &doc, &scene->err) == 0 &&
                    node_equal(want, node_import(tree, json_doc_root(doc)))) {
                        cleanup_json_doc(&doc);
                        continue;
                }
                if (tally->wrong++ < 20)
                        print_message(SLICE_FMT ": %s, not %s\n",
                                      SLICE_ARG(json_get_text(test_case, "name")), got,
                                      device_scene_text(scene, tree, want));
        }
        json_tree_free(tree);
}

static void check_node(struct device_scene *scene, const struct json *test_case,
                       const struct json *node, struct tally *tally) {
        const struct json *expect = json_get(test_case, "expect");
        struct slice name = json_get_text(json_get(node, "metadata"), "name");
        const struct json *bind = json_get_slice(json_get(expect, "bind"), name);
        const struct resource_claim *claims[64];
        size_t count = claims_of(scene, json_get(test_case, "pod"), claims);
        const char *want = bind ? recorded(scene, bind, claims, count) : refusal(expect, name);

        if (!want || count == 0 || json_get(bind, "error"))
                return;
        const char *got = device_scene_search(scene, node, claims, count);
        tally->nodes++;
        if (bind)
                check_result(scene, test_case, node, bind, tally);
        if (strcmp(got, want) == 0)
                return;
        if (tally->wrong++ < 20)
                print_message(SLICE_FMT " " SLICE_FMT ": %s, not %s\n",
                              SLICE_ARG(json_get_text(test_case, "name")), SLICE_ARG(name), got,
                              want);
}

/* A cycle that ended with an error: the search fails on some node. */
static void check_error(struct device_scene *scene, const struct json *test_case,
                        struct tally *tally) {
        struct json_iter iter = json_iter(json_get(json_get(test_case, "objects"), "nodes"));
        const struct resource_claim *claims[64];
        size_t count = claims_of(scene, json_get(test_case, "pod"), claims);
        const struct json *node;
        bool has_failed = false;

        while (count && json_next(&iter, NULL, &node))
                has_failed |= *device_scene_search(scene, node, claims, count) == '!';
        tally->errors++;
        if (has_failed)
                return;
        tally->wrong++;
        print_message(SLICE_FMT ": no error, but " SLICE_FMT "\n",
                      SLICE_ARG(json_get_text(test_case, "name")),
                      SLICE_ARG(json_get_text(json_get(test_case, "expect"), "error")));
}

static void check_case(const struct json *test_case, struct tally *tally) {
        const struct json *objects = json_get(test_case, "objects"), *node;
        const struct device_gates gates = gates_of(test_case);
        struct json_iter iter = json_iter(json_get(objects, "nodes"));
        struct device_scene scene;

        /* Not for this test: taints by rules; extended resources. */
        if (gate(test_case, "DRADeviceTaintRules", false))
                return;
        device_scene_init(&scene, objects, &gates);
        if (json_get(json_get(test_case, "expect"), "error"))
                check_error(&scene, test_case, tally);
        else
                while (json_next(&iter, NULL, &node))
                        check_node(&scene, test_case, node, tally);
        device_scene_release(&scene);
}

static void check_file(const char *path, struct tally *tally) {
        FILE *file = fopen(path, "re");
        char *line = NULL;
        size_t cap = 0;
        ssize_t len;

        assert_non_null(file);
        while ((len = getline(&line, &cap, file)) > 0) {
                struct json_doc *doc;
                struct err err = { 0 };

                assert_int_equal(json_parse(slice_make(line, (size_t)len), &doc, &err), 0);
                check_case(json_doc_root(doc), tally);
                cleanup_json_doc(&doc);
        }
        free(line);
        fclose(file);
}

static void test_recorded(void **state) {
        static const char *const files[] = { "selectors", "requests", "constraints",
                                             "claims",    "slices",   "taints",
                                             "partition", "capacity", "corner" };
        const char *shared = getenv("BERTH_SHARED");
        struct tally tally = { 0 };
        char path[512];

        (void)state;
        if (!shared)
                shared = "../shared";
        for (size_t i = 0; i < ARRAY_LEN(files); i++) {
                snprintf(path, sizeof(path), "%s/vectors/dra/%s.jsonl", shared, files[i]);
                FILE *file = fopen(path, "re");
                if (!file) {
                        print_message("no recorded cases of devices: %s\n", path);
                        skip();
                }
                fclose(file);
                size_t wrong = tally.wrong, nodes = tally.nodes;
                check_file(path, &tally);
                print_message("%s: %zu nodes, %zu wrong\n", files[i], tally.nodes - nodes,
                              tally.wrong - wrong);
        }
        print_message("%zu allocations, %zu errors\n", tally.results, tally.errors);
        assert_true(tally.nodes > 500 && tally.errors > 10);
        assert_int_equal(tally.wrong, 0);
}

int main(void) {
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(test_recorded),
        };

        return cmocka_run_group_tests(tests, NULL, NULL);
}
