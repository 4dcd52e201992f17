/* JSON lines as objects of the cluster, each of a kind its first field may name: whatever they say,
 * the model agrees with itself, feeding a line again changes nothing, a what-if leaves no trace,
 * and removing what came leaves nothing but resource names. */
#include "model/cluster.h"
#include <stdio.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define LINES_MAX 32

static void must_hold(bool fact, const char *what, const struct err *err) {
        if (fact)
                return;
        fprintf(stderr, "%s: %s\n", what, err->text);
        abort();
}

static void check(const struct cluster *cluster) {
        struct err err = { 0 };
        must_hold(cluster_check(cluster, &err) == 0, "check", &err);
}

/* Without a kind a line is taken for a pod. */
static enum object_kind kind_of(const struct json *object) {
        static const char *const kinds[OBJECT_KIND_COUNT] = {
                [OBJECT_NODE] = "Node",
                [OBJECT_POD] = "Pod",
                [OBJECT_NAMESPACE] = "Namespace",
                [OBJECT_BUDGET] = "PodDisruptionBudget",
                [OBJECT_PRIORITY_CLASS] = "PriorityClass",
                [OBJECT_CLAIM] = "PersistentVolumeClaim",
        };
        for (size_t i = 0; i < OBJECT_KIND_COUNT; i++) {
                if (slice_is(json_get_text(object, "kind"), kinds[i]))
                        return (enum object_kind)i;
        }
        return OBJECT_POD;
}

static void feed(struct cluster *cluster, const struct json *object) {
        struct err err = { 0 };
        int r = cluster_apply(cluster, kind_of(object), CHANGE_UPDATED, object, &err);
        must_hold(r == 0 || err.code == r, "error", &err);
        uint64_t generation = cluster_generation(cluster);
        cluster_apply(cluster, kind_of(object), CHANGE_UPDATED, object, NULL);
        must_hold(cluster_generation(cluster) == generation, "repeated", &err);
        check(cluster);
}

/* Every pod off its node, pending ones onto the first node. */
static void try_what_if(struct cluster *cluster) {
        uint64_t digest = cluster_digest(cluster);
        cluster_checkpoint(cluster);
        for (uint32_t i = 0; i < cluster_pod_cap(cluster); i++) {
                const struct pod_row *row = cluster_pod(cluster, (struct pod_id){ i });
                if (!row->is_live || pod_row_is_finished(row))
                        continue;
                cluster_withdraw(cluster, (struct pod_id){ i });
                if (cluster_node_count(cluster) > 0)
                        cluster_assume(cluster, (struct pod_id){ i },
                                       cluster_node_order(cluster)[0]);
        }
        check(cluster);
        cluster_rollback(cluster);
        must_hold(cluster_digest(cluster) == digest, "what-if", &(struct err){ 0 });
}

static void take_away(struct cluster *cluster, struct json_doc **docs, size_t count) {
        struct cluster_usage usage;
        for (size_t i = 0; i < count; i++) {
                const struct json *object = json_doc_root(docs[i]);
                cluster_apply(cluster, kind_of(object), CHANGE_REMOVED, object, NULL);
                json_doc_free(docs[i]);
        }
        cluster_drop_old_pods(cluster);
        check(cluster);
        cluster_usage(cluster, &usage);
        must_hold(usage.pods + usage.nodes + usage.classes + usage.label_sets == 0, "left over",
                  &(struct err){ 0 });
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
        struct cluster *cluster = cluster_new(
                &(struct cluster_config){ .keeps_finished = true, .keeps_detail = true });
        struct json_doc *docs[LINES_MAX];
        struct slice rest = slice_make((const char *)data, size), line;
        size_t count = 0;
        while (count < LINES_MAX && slice_split(&rest, '\n', &line)) {
                if (json_parse(line, &docs[count], NULL) < 0)
                        continue;
                feed(cluster, json_doc_root(docs[count++]));
        }
        try_what_if(cluster);
        take_away(cluster, docs, count);
        cluster_free(cluster);
        return 0;
}
