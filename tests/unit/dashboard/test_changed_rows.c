/* Rows as JSON, and a viewer that applies changes has what a new viewer gets. */
#include "dashboard/rows.h"

#include "base/buf.h"
#include "base/rng.h"
#include "model_test.h"
#include <stdlib.h>

static struct json_doc *parse(const struct buf *text) {
        struct json_doc *doc = NULL;
        struct err err = { 0 };

        if (json_parse(buf_view(text), &doc, &err) < 0)
                fail_msg("%s in %s", err.text, text->data);
        return doc;
}

static void test_pod_row(void **state) {
        struct cluster *cluster = cluster_for_test();
        struct buf row = { 0 };

        (void)state;
        put_node(cluster, "n", "");
        put(cluster, OBJECT_POD,
            "{'metadata':{'namespace':'shop','name':'web-1','creationTimestamp':"
            "'1970-01-01T00:01:40Z','ownerReferences':[{'kind':'Other','name':'x','uid':'1'},"
            "{'kind':'ReplicaSet','name':'<img>','uid':'2','controller':true}]},'spec':{"
            "'nodeName':'n','priority':-5,'containers':[{'name':'c','resources':{'requests':{"
            "'cpu':'250m','memory':'1Ki'}}}]},'status':{'phase':'Running'}}");
        pod_row_write(cluster, (struct pod_id){ 0 }, &row);
        assert_string_equal(row.data, "[0,\"shop\",\"web-1\",0,\"running\",-5,\"ReplicaSet/<img>\","
                                      "100,250,1024]");
        buf_release(&row);
        cluster_free(cluster);
}

static void test_node_row(void **state) {
        struct cluster *cluster = cluster_for_test();
        struct buf row = { 0 };

        (void)state;
        put(cluster, OBJECT_NODE,
            "{'metadata':{'name':'n','labels':{'topology.kubernetes.io/zone':'z\\u0001'}},'spec':{"
            "'unschedulable':true,'taints':[{'key':'k','value':'v','effect':'NoExecute'}]},"
            "'status':{'allocatable':{'cpu':'2','memory':'1Ki','pods':'7','x.com/gpu':'3'}}}");
        put_pod(cluster, "p", "n");
        node_row_write(cluster, (struct node_id){ 0 }, &row);
        assert_string_equal(row.data,
                            "{\"id\":0,\"name\":\"n\",\"zone\":\"z\\u0001\",\"ready\":true,"
                            "\"cordoned\":true,\"labels\":{\"topology.kubernetes.io/zone\":"
                            "\"z\\u0001\"},\"taints\":[{\"key\":\"k\",\"value\":\"v\",\"effect\":"
                            "\"NoExecute\"}],\"pods\":1,\"requested\":[100,67108864,0,1,0],"
                            "\"allocatable\":[2000,1024,0,7,3]}");
        buf_release(&row);
        cluster_free(cluster);
}

/* ---- a viewer ---- */

#define ROWS_MAX 64

struct view {
        char *nodes[ROWS_MAX], *pods[ROWS_MAX]; /* by id; NULL = not there */
        uint64_t generation;
};

static void set_row(char **rows, size_t id, const char *text) {
        assert_true(id < ROWS_MAX);
        free(rows[id]);
        rows[id] = text ? strdup(text) : NULL;
}

static void view_new(const struct cluster *cluster, struct view *view) {
        *view = (struct view){ .generation = cluster_generation(cluster) };
        for (uint32_t i = 0; i < cluster_pod_cap(cluster); i++) {
                struct buf row = { 0 };

                if (!cluster_pod(cluster, (struct pod_id){ i })->is_live)
                        continue;
                pod_row_write(cluster, (struct pod_id){ i }, &row);
                set_row(view->pods, i, row.data);
                buf_release(&row);
        }
        for (size_t i = 0; i < cluster_nodes(cluster)->count; i++)
                if (bitset_has(&cluster_nodes(cluster)->live, i)) {
                        struct buf row = { 0 };

                        node_row_write(cluster, (struct node_id){ (uint32_t)i }, &row);
                        set_row(view->nodes, i, row.data);
                        buf_release(&row);
                }
}

static void view_free(struct view *view) {
        for (size_t i = 0; i < ROWS_MAX; i++) {
                free(view->nodes[i]);
                free(view->pods[i]);
        }
}

/* Which rows a document names: what is in it now is read from the cluster, as written there. */
static void view_apply(const struct cluster *cluster, struct view *view) {
        static const char *const lists[] = { "nodes", "loads", "pods", "goneNodes", "gonePods" };
        struct buf text = { 0 };

        buf_char(&text, '{');
        buf_text(&text, "\"first\":0");
        assert_true(changed_rows_write(cluster, view->generation, &text));
        buf_char(&text, '}');
        struct json_doc *doc = parse(&text);
        for (size_t l = 0; l < 5; l++) {
                const struct json *list = json_get(json_doc_root(doc), lists[l]), *item;
                struct json_iter iter = json_iter(list);

                assert_non_null(list);
                while (json_next(&iter, NULL, &item)) {
                        struct json_iter members = json_iter(item);
                        const struct json *first = item;
                        struct buf row = { 0 };
                        int64_t id;

                        if (l == 0)
                                first = json_get(item, "id");
                        else if (l < 3)
                                assert_true(json_next(&members, NULL, &first));
                        assert_true(json_as_i64(first, &id));
                        if (l < 2)
                                node_row_write(cluster, (struct node_id){ (uint32_t)id }, &row);
                        else if (l == 2)
                                pod_row_write(cluster, (struct pod_id){ (uint32_t)id }, &row);
                        if (l < 3)
                                assert_non_null(strstr(text.data, l == 1 ? "loads" : row.data));
                        set_row(l < 2 || l == 3 ? view->nodes : view->pods, (size_t)id, row.data);
                        buf_release(&row);
                }
        }
        json_doc_free(doc);
        buf_release(&text);
        view->generation = cluster_generation(cluster);
}

static void assert_same(char *const *a, char *const *b) {
        for (size_t i = 0; i < ROWS_MAX; i++)
                if (!a[i] != !b[i] || (a[i] && strcmp(a[i], b[i]) != 0))
                        fail_msg("row %zu: %s, anew %s", i, a[i] ? a[i] : "none",
                                 b[i] ? b[i] : "none");
}

static void change_something(struct cluster *cluster, struct rng *rng) {
        char pod[16], node[16];

        snprintf(pod, sizeof(pod), "p%d", (int)rng_below(rng, 12));
        snprintf(node, sizeof(node), "n%d", (int)rng_below(rng, 5));
        switch (rng_below(rng, 6)) {
        case 0:
                put_node(cluster, node, rng_below(rng, 2) ? "'a':'b'" : "");
                break;
        case 1:
                cluster_remove_node(cluster, slice_of(node));
                break;
        case 2:
                cluster_remove_pod(cluster, SLICE_LITERAL("ns"), slice_of(pod));
                break;
        case 3: {
                struct pod_id id = cluster_find_pod(cluster, SLICE_LITERAL("ns"), slice_of(pod));
                struct node_id to = cluster_find_node(cluster, slice_of(node));

                if (!pod_id_is_none(id) && !node_id_is_none(to) &&
                    node_id_is_none(cluster_pod(cluster, id)->node))
                        cluster_assume(cluster, id, to);
                break;
        }
        default:
                put_pod(cluster, pod, rng_below(rng, 3) ? node : "");
        }
}

static void test_changes_lead_to_the_same(void **state) {
        struct cluster *cluster = cluster_for_test();
        struct rng rng;
        struct view view;

        (void)state;
        rng_init(&rng, 17);
        view_new(cluster, &view);
        for (int round = 0; round < 600; round++) {
                struct view anew;

                for (uint64_t i = rng_below(&rng, 6); i > 0; i--)
                        change_something(cluster, &rng);
                view_apply(cluster, &view);
                view_new(cluster, &anew);
                assert_same(view.nodes, anew.nodes);
                assert_same(view.pods, anew.pods);
                view_free(&anew);
        }
        view_free(&view);
        cluster_free(cluster);
}

static void test_too_far_behind(void **state) {
        struct cluster *cluster = cluster_new(&(struct cluster_config){ .log_capacity = 300 });
        struct buf text = { 0 };
        char name[16];

        (void)state;
        for (int i = 0; i < 400; i++) {
                snprintf(name, sizeof(name), "n%d", i);
                put_node(cluster, name, "");
        }
        assert_false(changed_rows_write(cluster, 0, &text));
        assert_false(changed_rows_write(cluster, cluster_generation(cluster) + 1, &text));
        assert_int_equal(text.len, 0);
        assert_true(changed_rows_write(cluster, cluster_generation(cluster), &text));
        buf_release(&text);
        cluster_free(cluster);
}

int main(void) {
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(test_pod_row),
                cmocka_unit_test(test_node_row),
                cmocka_unit_test(test_changes_lead_to_the_same),
                cmocka_unit_test(test_too_far_behind),
        };
        return cmocka_run_group_tests(tests, NULL, NULL);
}
