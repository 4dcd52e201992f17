/* Numbers in annotations of workloads. */
#include "kinds/number_annotation.h"

#include "base/arena.h"
#include "base/buf.h"
#include "base/go_number.h"
#include "base/util.h"
#include <stdio.h>

const struct number_annotation template_generation = { .key = TEMPLATE_GENERATION };
const struct number_annotation rollback_revision = { .key = ROLLBACK_REVISION,
                                                     .is_optional = true,
                                                     .is_named = true };

static struct json_node *annotations_of(const struct json_node *object) {
        return node_get(node_get(object, "metadata"), "annotations");
}

static void drop_annotation(struct json_node *object, const char *key) {
        struct json_node *annotations = annotations_of(object);

        node_remove(annotations, key);
        if (node_count(annotations) == 0)
                node_remove(node_get(object, "metadata"), "annotations");
}

int number_annotation_convert(const struct number_annotation *number, struct json_tree *tree,
                              struct json_node *object, struct err *err) {
        struct json_node *annotations = annotations_of(object);
        CLEANUP(buf_release) struct buf complaint = { 0 };
        struct slice text = node_get_text(annotations, number->key);
        char shown[24];
        int64_t value;

        if (!node_get(annotations, number->key))
                return 0;
        if (number->is_optional && text.len == 0) {
                drop_annotation(object, number->key);
                return 0;
        }
        if (!go_int_parse(text, &value, &complaint))
                return number->is_named ? err_set(err, BERTH_ERR_INVALID,
                                                  "failed to parse annotation[%s]=" SLICE_FMT
                                                  " as int64: %s",
                                                  number->key, SLICE_ARG(text), complaint.data)
                                        : err_set(err, BERTH_ERR_INVALID, "%s", complaint.data);
        snprintf(shown, sizeof(shown), "%lld", (long long)value);
        if (!slice_is(text, shown))
                node_put_string(tree, annotations, number->key, shown);
        return 0;
}

void number_annotation_keep(const struct number_annotation *number, struct json_tree *tree,
                            struct json_node *object, const struct json *old) {
        const struct json *before =
                json_get(json_get(json_get(old, "metadata"), "annotations"), number->key);

        if (before)
                node_put_text(tree,
                              node_need_object(tree, node_need_object(tree, object, "metadata"),
                                               "annotations"),
                              number->key, json_text(before));
        else if (annotations_of(object))
                drop_annotation(object, number->key);
}
