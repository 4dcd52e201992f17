/* The checkers notice what they are there for: each case damages one thing behind the model's
 * back. */
#include "model/cluster_priv.h"
#include "model_test.h"

static struct cluster *sound(void) {
        struct cluster *cluster = cluster_for_test();
        put_node(cluster, "n1", "'zone':'a'");
        put(cluster, OBJECT_NODE,
            "{'metadata':{'name':'n2'},'spec':{'taints':[{'key':'k','effect':'NoExecute'}]},"
            "'status':{'images':[{'names':['x']}]}}");
        put_pod(cluster, "a", "n1");
        put_pod(cluster, "b", "n1");
        put(cluster, OBJECT_POD,
            "{'metadata':{'namespace':'ns','name':'c','ownerReferences':[{'uid':'o'}]},'spec':{"
            "'nodeName':'n2','containers':[{'name':'c','ports':[{'hostPort':80}]}]},'status':{'"
            "containerStatuses':[{'name':'c'}]}}");
        cluster_nominate(cluster, put_pod(cluster, "d", ""), SLICE_LITERAL("n1"));
        return cluster;
}

static struct pod_row *row(struct cluster *cluster, const char *name) {
        return pod_row_at(&cluster->pods,
                          cluster_find_pod(cluster, SLICE_LITERAL("ns"), slice_of(name)));
}

static void damage_sum(struct cluster *cluster) {
        cluster->nodes.resources[RESOURCE_CPU].requested[0]++;
}
static void damage_default_sum(struct cluster *cluster) {
        cluster->nodes.nonzero_memory_bytes[0]--;
}
static void damage_pod_count(struct cluster *cluster) {
        cluster->nodes.pod_count[1]++;
}
static void damage_port(struct cluster *cluster) {
        cluster->nodes.ports[1][0].port.port = 81;
}
static void damage_port_count(struct cluster *cluster) {
        cluster->nodes.ports[1][0].count++;
}
static void damage_list(struct cluster *cluster) {
        cluster->nodes.first_pod[0] = row(cluster, "b")->next_on_node;
}
static void damage_back_link(struct cluster *cluster) {
        row(cluster, "a")->prev_on_node = POD_NONE;
}
static void damage_pod_node(struct cluster *cluster) {
        row(cluster, "a")->node.index = 1;
}
static void damage_priorities(struct cluster *cluster) {
        cluster->priorities.items[0].count++;
}
static void damage_equivalents(struct cluster *cluster) {
        cluster->equivalents.items[0].count--;
}
static void damage_equivalent_labels(struct cluster *cluster) {
        cluster->equivalents.items[0].labels.index++;
}
static void damage_equivalent_link(struct cluster *cluster) {
        row(cluster, "b")->prev_equivalent =
                cluster_find_pod(cluster, SLICE_LITERAL("ns"), SLICE_LITERAL("a"));
}
static void damage_phase(struct cluster *cluster) {
        row(cluster, "a")->phase = POD_FAILED;
}
static void damage_live_bit(struct cluster *cluster) {
        bitset_remove(&cluster->nodes.live, 0);
}
static void damage_ready_bit(struct cluster *cluster) {
        bitset_add(&cluster->nodes.ready, 40);
}
static void damage_class_count(struct cluster *cluster) {
        cluster->classes.items[0]->ref_count++;
}
static void damage_body_count(struct cluster *cluster) {
        cluster->bodies.items[0]->refs++;
}
static void damage_class_request(struct cluster *cluster) {
        cluster->classes.items[0]->requests[1].amount++;
        cluster->nodes.resources[RESOURCE_MEMORY].requested[0] += 2;
}
static void damage_label_count(struct cluster *cluster) {
        cluster->label_sets.items[1].refs++;
}
static void damage_taint_member(struct cluster *cluster) {
        bitset_add(&cluster->taint_sets.items[1].nodes, 0);
}
static void damage_taint_count(struct cluster *cluster) {
        cluster->taint_sets.items[1].refs++;
}
static void damage_owner_count(struct cluster *cluster) {
        cluster->owner_lists.table.items[0]->refs++;
}
static void damage_container_count(struct cluster *cluster) {
        cluster->container_lists.items[0]->refs++;
}
static void damage_group(struct cluster *cluster) {
        cluster->node_labels.groups[0].one = 7;
}
static void damage_key(struct cluster *cluster) {
        bitset_remove(&cluster->node_labels.keys[0].nodes, 0);
}
static void damage_image(struct cluster *cluster) {
        cluster->images.rows[0].node_count++;
}
static void damage_strings(struct cluster *cluster) {
        str_take(cluster, SLICE_LITERAL("leaked"));
}
static void damage_nomination(struct cluster *cluster) {
        cluster->pods.nominated_count = 0;
}
static void damage_name(struct cluster *cluster) {
        ((char *)(uintptr_t)row(cluster, "a")->name)[0] = 'z';
}
static void damage_live_count(struct cluster *cluster) {
        cluster->live_nodes++;
}
static void damage_pod_total(struct cluster *cluster) {
        cluster->pods.live--;
}
static void test_damage_is_found(void **state) {
        static void (*const damages[])(struct cluster *) = {
                damage_sum,
                damage_default_sum,
                damage_pod_count,
                damage_port,
                damage_port_count,
                damage_list,
                damage_back_link,
                damage_pod_node,
                damage_priorities,
                damage_equivalents,
                damage_equivalent_labels,
                damage_equivalent_link,
                damage_phase,
                damage_live_bit,
                damage_ready_bit,
                damage_class_count,
                damage_class_request,
                damage_body_count,
                damage_label_count,
                damage_taint_member,
                damage_taint_count,
                damage_owner_count,
                damage_container_count,
                damage_group,
                damage_key,
                damage_image,
                damage_strings,
                damage_nomination,
                damage_name,
                damage_live_count,
                damage_pod_total,
        };
        (void)state;
        for (size_t i = 0; i < sizeof(damages) / sizeof(damages[0]); i++) {
                struct cluster *cluster = sound();
                struct err err = { 0 };
                assert_int_equal(cluster_check(cluster, NULL), 0);
                damages[i](cluster);
                if (cluster_check(cluster, &err) != BERTH_ERR_INTERNAL || !err.text[0])
                        fail_msg("damage %zu went unnoticed", i);
                cluster_free(cluster);
        }
}

/* ---- against the source ---- */

struct listed {
        struct json_doc *docs[2];
        struct node node;
        struct pod pod;
        struct arena arena;
};

static void listed_init(struct listed *listed, const char *node, const char *pod) {
        const char *texts[] = { node, pod };
        *listed = (struct listed){ 0 };
        arena_init(&listed->arena, 0);
        for (int i = 0; i < 2; i++) {
                char copy[1024];
                snprintf(copy, sizeof(copy), "%s", texts[i]);
                for (char *c = copy; *c; c++)
                        *c = *c == '\'' ? '"' : *c;
                assert_int_equal(json_parse(slice_of(copy), &listed->docs[i], NULL), 0);
        }
        assert_int_equal(
                node_decode(json_doc_root(listed->docs[0]), &listed->arena, &listed->node, NULL),
                0);
        assert_int_equal(
                pod_decode(json_doc_root(listed->docs[1]), &listed->arena, &listed->pod, NULL), 0);
}

static void listed_release(struct listed *listed) {
        arena_release(&listed->arena);
        json_doc_free(listed->docs[0]);
        json_doc_free(listed->docs[1]);
}

#define NODE                                                                                       \
        "{'metadata':{'name':'n1','labels':{'a':'b'}},'spec':{'taints':[{'key':'k','effect':"      \
        "'NoExecute'}]},'status':{'allocatable':{'cpu':'4'}}}"
#define POD                                                                                        \
        "{'metadata':{'namespace':'ns','name':'p','uid':'u','labels':{'c':'d'}},'spec':{"          \
        "'nodeName':'n1','priority':1,'containers':[{'name':'c','resources':{'requests':{'cpu':"   \
        "'1'}}}]},'status':{'phase':'Running'}}"

static void test_compare_names_the_difference(void **state) {
        static const struct {
                const char *node, *pod, *text;
        } cases[] = {
                { NODE, POD, NULL },
                { "{'metadata':{'name':'n2'}}", POD, "node n2 is missing" },
                { "{'metadata':{'name':'n1'}}", POD, "node n1: labels differs" },
                { "{'metadata':{'name':'n1','labels':{'a':'b'}}}", POD, "node n1: taints differs" },
                { "{'metadata':{'name':'n1','labels':{'a':'b'}},'spec':{'taints':[{'key':'k',"
                  "'effect':'NoExecute'}]},'status':{'allocatable':{'cpu':'5'}}}",
                  POD, "node n1: allocatable differs" },
                { NODE, "{'metadata':{'namespace':'ns','name':'q'}}", "pod ns/q is missing" },
                { NODE, "{'metadata':{'namespace':'ns','name':'p','uid':'v'}}",
                  "pod ns/p: uid differs" },
                { NODE, "{'metadata':{'namespace':'ns','name':'p','uid':'u'}}",
                  "pod ns/p: node differs" },
                { NODE,
                  "{'metadata':{'namespace':'ns','name':'p','uid':'u'},'spec':{'nodeName':'n1'}}",
                  "pod ns/p: labels differs" },
                { NODE,
                  "{'metadata':{'namespace':'ns','name':'p','uid':'u','labels':{'c':'d'}},'spec':{"
                  "'nodeName':'n1'}}",
                  "pod ns/p: requests differs" },
        };
        (void)state;
        for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
                struct cluster *cluster = cluster_for_test();
                struct listed listed;
                struct err err = { 0 };
                apply_text(cluster, OBJECT_NODE, CHANGE_ADDED, NODE);
                apply_text(cluster, OBJECT_POD, CHANGE_ADDED, POD);
                listed_init(&listed, cases[i].node, cases[i].pod);
                int r = cluster_compare(
                        cluster, &(struct cluster_source){ &listed.node, &listed.pod, 1, 1 }, &err);
                assert_int_equal(r, cases[i].text ? BERTH_ERR_INTERNAL : 0);
                assert_string_equal(err.text, cases[i].text ? cases[i].text : "");
                listed_release(&listed);
                cluster_free(cluster);
        }
}

static void test_compare_counts(void **state) {
        struct cluster *cluster = cluster_for_test();
        struct listed listed;
        struct err err = { 0 };
        (void)state;
        apply_text(cluster, OBJECT_NODE, CHANGE_ADDED, NODE);
        apply_text(cluster, OBJECT_POD, CHANGE_ADDED, POD);
        put_pod(cluster, "extra", "");
        listed_init(&listed, NODE, POD);
        assert_int_equal(
                cluster_compare(cluster,
                                &(struct cluster_source){ &listed.node, &listed.pod, 1, 1 }, &err),
                BERTH_ERR_INTERNAL);
        assert_string_equal(err.text, "2 pods, the source has 1");
        assert_int_equal(
                cluster_compare(cluster, &(struct cluster_source){ .pods = &listed.pod }, &err),
                BERTH_ERR_INTERNAL);
        assert_string_equal(err.text, "1 nodes, the source has 0");
        listed_release(&listed);
        cluster_free(cluster);
}

int main(void) {
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(test_damage_is_found),
                cmocka_unit_test(test_compare_names_the_difference),
                cmocka_unit_test(test_compare_counts),
        };
        return cmocka_run_group_tests(tests, NULL, NULL);
}
