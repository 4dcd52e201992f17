/* The clusters of the recorded cases, fed to the model: it agrees with its source, feeding again
 * changes nothing, order does not matter, and taking everything away leaves nothing. */
#include "base/util.h"
#include "model_test.h"

#include <stdlib.h>

static const char *const files[] = {
        "scheduler/resources.jsonl",        "scheduler/ports.jsonl",
        "scheduler/taints.jsonl",           "scheduler/images.jsonl",
        "scheduler/interpodaffinity.jsonl", "scheduler/mixed.jsonl",
        "scheduler/nodeaffinity.jsonl",     "scheduler/volumes.jsonl",
        "scheduler/preemption.jsonl",       "scheduler/topologyspread.jsonl",
        "descheduler/defaultevictor.jsonl", "descheduler/removeduplicates.jsonl",
};

#define OBJECTS_MAX 4096

struct scene {
        const char *name;
        struct arena arena;
        const struct json *objects[OBJECTS_MAX];
        enum object_kind kinds[OBJECTS_MAX];
        size_t count;
        struct node *nodes;
        struct pod *pods;
        size_t node_count, pod_count;
};

static void scene_add(struct scene *scene, const struct json *object, enum object_kind kind) {
        assert_true(scene->count < OBJECTS_MAX);
        scene->objects[scene->count] = object;
        scene->kinds[scene->count++] = kind;
        if (kind == OBJECT_NODE)
                assert_int_equal(node_decode(object, &scene->arena,
                                             &scene->nodes[scene->node_count++], NULL),
                                 0);
        if (kind == OBJECT_POD)
                assert_int_equal(
                        pod_decode(object, &scene->arena, &scene->pods[scene->pod_count++], NULL),
                        0);
}

static void add_list(struct scene *scene, const struct json *list, enum object_kind kind) {
        struct json_iter iter = json_iter(list);
        const struct json *object;
        while (json_next(&iter, NULL, &object))
                scene_add(scene, object, kind);
}

/* Descheduler cases name the kind in each object. */
static void add_mixed(struct scene *scene, const struct json *list) {
        static const struct {
                const char *name;
                enum object_kind kind;
        } kinds[] = { { "Node", OBJECT_NODE },
                      { "Pod", OBJECT_POD },
                      { "Namespace", OBJECT_NAMESPACE },
                      { "PodDisruptionBudget", OBJECT_BUDGET },
                      { "PriorityClass", OBJECT_PRIORITY_CLASS },
                      { "PersistentVolumeClaim", OBJECT_CLAIM } };
        struct json_iter iter = json_iter(list);
        const struct json *object;
        while (json_next(&iter, NULL, &object)) {
                for (size_t i = 0; i < ARRAY_LEN(kinds); i++) {
                        if (slice_is(json_get_text(object, "kind"), kinds[i].name))
                                scene_add(scene, object, kinds[i].kind);
                }
        }
}

static void scene_read(struct scene *scene, const struct json *test_case) {
        const struct json *objects = json_get(test_case, "objects");
        scene->nodes = ARENA_ARRAY(&scene->arena, struct node, OBJECTS_MAX);
        scene->pods = ARENA_ARRAY(&scene->arena, struct pod, OBJECTS_MAX);
        scene->count = scene->node_count = scene->pod_count = 0;
        if (json_type(objects) == JSON_ARRAY) {
                add_mixed(scene, objects);
                return;
        }
        add_list(scene, json_get(objects, "nodes"), OBJECT_NODE);
        add_list(scene, json_get(objects, "pods"), OBJECT_POD);
        add_list(scene, json_get(objects, "namespaces"), OBJECT_NAMESPACE);
        add_list(scene, json_get(objects, "podDisruptionBudgets"), OBJECT_BUDGET);
        add_list(scene, json_get(objects, "priorityClasses"), OBJECT_PRIORITY_CLASS);
        add_list(scene, json_get(objects, "persistentVolumeClaims"), OBJECT_CLAIM);
}

static void apply(struct cluster *cluster, const struct scene *scene, size_t index,
                  enum change_kind change) {
        struct err err = { 0 };
        if (cluster_apply(cluster, scene->kinds[index], change, scene->objects[index], &err) < 0)
                fail_msg("%s: %s", err.path, err.text);
}

static void check(const struct cluster *cluster, const char *name) {
        struct err err = { 0 };
        if (cluster_check(cluster, &err) < 0)
                fail_msg("%s: %s", name, err.text);
}

static void compare_sums(const struct cluster *a, const struct cluster *b,
                         const struct scene *scene) {
        for (size_t i = 0; i < scene->node_count; i++) {
                struct node_id in_a = cluster_find_node(a, scene->nodes[i].meta.name);
                struct node_id in_b = cluster_find_node(b, scene->nodes[i].meta.name);
                for (uint32_t r = 0; r < cluster_nodes(a)->resource_count; r++) {
                        struct resource_id in_both;
                        struct slice name = cluster_resource_name(a, (struct resource_id){ r });
                        assert_true(cluster_resource(b, name, &in_both));
                        assert_true(requested(a, in_a, r) == requested(b, in_b, in_both.index));
                }
        }
}

static void run_scene(const struct scene *scene, const char *name) {
        struct cluster *forward = cluster_for_test(), *backward = cluster_for_test();
        struct cluster_source source = { scene->nodes, scene->pods, scene->node_count,
                                         scene->pod_count };
        struct cluster_usage usage;
        struct err err = { 0 };
        for (size_t i = 0; i < scene->count; i++) {
                apply(forward, scene, i, CHANGE_ADDED);
                apply(backward, scene, scene->count - 1 - i, CHANGE_ADDED);
        }
        check(forward, name);
        check(backward, name);
        if (cluster_compare(forward, &source, &err) < 0)
                fail_msg("%s: %s", name, err.text);
        compare_sums(forward, backward, scene);
        uint64_t generation = cluster_generation(forward);
        for (size_t i = 0; i < scene->count; i++)
                apply(forward, scene, i, CHANGE_UPDATED);
        assert_true(cluster_generation(forward) == generation);
        for (size_t i = 0; i < scene->count; i++)
                apply(forward, scene, i, CHANGE_REMOVED);
        check(forward, name);
        cluster_drop_old_pods(forward);
        cluster_usage(forward, &usage);
        assert_int_equal(usage.strings, cluster_nodes(forward)->resource_count);
        cluster_free(forward);
        cluster_free(backward);
}

static void run_file(const char *path, struct scene *scene) {
        FILE *file = fopen(path, "r");
        char *line = NULL;
        size_t cap = 0;
        ssize_t length;
        if (!file)
                skip();
        while ((length = getline(&line, &cap, file)) > 0) {
                struct json_doc *doc;
                assert_int_equal(json_parse(slice_make(line, (size_t)length), &doc, NULL), 0);
                arena_clear(&scene->arena);
                scene_read(scene, json_doc_root(doc));
                run_scene(scene, json_get_text(json_doc_root(doc), "name").ptr);
                json_doc_free(doc);
        }
        free(line);
        fclose(file);
}

static void test_recorded_clusters(void **state) {
        const char *shared = getenv("BERTH_SHARED");
        static struct scene scene; /* too large for the stack */
        char path[1024];
        (void)state;
        arena_init(&scene.arena, 0);
        for (size_t i = 0; i < ARRAY_LEN(files); i++) {
                snprintf(path, sizeof(path), "%s/vectors/%s", shared ? shared : "../shared",
                         files[i]);
                run_file(path, &scene);
        }
        arena_release(&scene.arena);
}

int main(void) {
        const struct CMUnitTest tests[] = { cmocka_unit_test(test_recorded_clusters) };
        return cmocka_run_group_tests(tests, NULL, NULL);
}
