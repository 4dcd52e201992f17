/* A cluster fed from JSON text. */
#pragma once

#include "base/util.h"
#include "model/cluster.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static inline void put(struct cluster *cluster, enum object_kind kind, const char *text) {
        struct err err = { 0 };
        struct json_doc *doc;
        assert_int_equal(json_parse(slice_of(text), &doc, &err), 0);
        if (cluster_apply(cluster, kind, CHANGE_ADDED, json_doc_root(doc), &err) < 0)
                fail_msg("%s: %s", err.path, err.text);
        json_doc_free(doc);
}

static inline struct node_id node_named(const struct cluster *cluster, const char *name) {
        struct node_id node = cluster_find_node(cluster, slice_of(name));
        assert_false(node_id_is_none(node));
        return node;
}

static inline const struct pod_class *class_of(const struct cluster *cluster, const char *pod) {
        struct pod_id id = cluster_find_pod(cluster, SLICE_LITERAL("default"), slice_of(pod));
        assert_false(pod_id_is_none(id));
        return cluster_class(cluster, cluster_pod(cluster, id)->class);
}
