/* Builders for tests of the model: objects as JSON with single quotes, fed through cluster_apply.
 */
#pragma once

#include "model/cluster.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#define TEST_TEXT_MAX 8192

static inline void apply_text(struct cluster *cluster, enum object_kind kind,
                              enum change_kind change, const char *text) {
        char copy[TEST_TEXT_MAX];
        struct json_doc *doc = NULL;
        struct err err = { 0 };
        assert_true(snprintf(copy, sizeof(copy), "%s", text) < (int)sizeof(copy));
        for (char *c = copy; *c; c++)
                *c = *c == '\'' ? '"' : *c;
        if (json_parse(slice_of(copy), &doc, &err) < 0)
                fail_msg("%s in %s", err.text, copy);
        if (cluster_apply(cluster, kind, change, json_doc_root(doc), &err) < 0)
                fail_msg("%s: %s in %s", err.path, err.text, copy);
        json_doc_free(doc);
}

__attribute__((format(printf, 3, 4))) static inline void put(struct cluster *cluster,
                                                             enum object_kind kind,
                                                             const char *format, ...) {
        char text[TEST_TEXT_MAX];
        va_list args;
        va_start(args, format);
        assert_true(vsnprintf(text, sizeof(text), format, args) < (int)sizeof(text));
        va_end(args);
        apply_text(cluster, kind, CHANGE_UPDATED, text);
}

static inline struct cluster *cluster_for_test(void) {
        return cluster_new(
                &(struct cluster_config){ .keeps_finished = true, .keeps_detail = true });
}

/* parts: further members of spec and status, such as "'spec':{'unschedulable':true}". */
static inline struct node_id put_node(struct cluster *cluster, const char *name,
                                      const char *labels) {
        put(cluster, OBJECT_NODE,
            "{'metadata':{'name':'%s','labels':{%s}},'status':{'allocatable':{'cpu':'4',"
            "'memory':'8Gi','pods':'110'}}}",
            name, labels);
        return cluster_find_node(cluster, slice_of(name));
}

/* A pod of 100m and 64 MiB; node "" = pending. */
static inline struct pod_id put_pod(struct cluster *cluster, const char *name, const char *node) {
        put(cluster, OBJECT_POD,
            "{'metadata':{'namespace':'ns','name':'%s','uid':'uid-%s','labels':{'app':'web'}},"
            "'spec':{'nodeName':'%s','containers':[{'name':'c','resources':{'requests':{"
            "'cpu':'100m','memory':'64Mi'}}}]},'status':{'phase':'%s'}}",
            name, name, node, *node ? "Running" : "Pending");
        return cluster_find_pod(cluster, SLICE_LITERAL("ns"), slice_of(name));
}

/* All masks logged since a generation, or-ed; moves it to now. */
static inline uint32_t masks_since(const struct cluster *cluster, uint64_t *generation) {
        struct change_range range;
        uint32_t mask = 0;
        assert_true(cluster_changes_since(cluster, *generation, &range));
        for (size_t i = 0; i < range.first_count; i++)
                mask |= range.first[i].mask;
        for (size_t i = 0; i < range.second_count; i++)
                mask |= range.second[i].mask;
        *generation = cluster_generation(cluster);
        return mask;
}

static inline int64_t requested(const struct cluster *cluster, struct node_id node,
                                uint32_t resource) {
        return cluster_nodes(cluster)->resources[resource].requested[node.index];
}

static inline struct str_id str(const struct cluster *cluster, const char *text) {
        bool is_found;
        struct str_id id = cluster_str(cluster, slice_of(text), &is_found);
        assert_true(is_found);
        return id;
}
