/* Annotations of nodes and pods whose values have a type. */
#include "kinds/legacy_annotations.h"
#include "kinds/annotation_json.h"
#include "kinds/node_check.h"

#include "base/arena.h"
#include "base/util.h"

#define TAINTS "scheduler.alpha.kubernetes.io/taints"
#define TOLERATIONS "scheduler.alpha.kubernetes.io/tolerations"
#define AVOID_PODS "scheduler.alpha.kubernetes.io/preferAvoidPods"

/* ---- their types ---- */

/* Upstream decodes them into its internal type, whose members have no JSON names. */
static const struct schema_field taint_fields[] = {
        { .name = "Key", .type = SCHEMA_STRING },
        { .name = "Value", .type = SCHEMA_STRING },
        { .name = "Effect", .type = SCHEMA_STRING },
        { .name = "TimeAdded", .type = SCHEMA_TIME, .flags = FIELD_POINTER },
};
static const struct schema_object taint_type = { .name = "api.core.Taint",
                                                 .fields = taint_fields,
                                                 .count = ARRAY_LEN(taint_fields) };

static const struct schema_field toleration_fields[] = {
        { .name = "Key", .type = SCHEMA_STRING },
        { .name = "Operator", .type = SCHEMA_STRING },
        { .name = "Value", .type = SCHEMA_STRING },
        { .name = "Effect", .type = SCHEMA_STRING },
        { .name = "TolerationSeconds", .type = SCHEMA_INT64, .flags = FIELD_POINTER },
};
static const struct schema_object toleration_type = { .name = "api.core.Toleration",
                                                      .fields = toleration_fields,
                                                      .count = ARRAY_LEN(toleration_fields) };

static const struct schema_field controller_fields[] = {
        { .name = "apiVersion", .type = SCHEMA_STRING },
        { .name = "kind", .type = SCHEMA_STRING },
        { .name = "name", .type = SCHEMA_STRING },
        { .name = "uid", .type = SCHEMA_STRING },
        { .name = "controller", .type = SCHEMA_BOOL, .flags = FIELD_POINTER },
        { .name = "blockOwnerDeletion", .type = SCHEMA_BOOL, .flags = FIELD_POINTER },
};
static const struct schema_object controller_type = { .name = "meta.v1.OwnerReference",
                                                      .fields = controller_fields,
                                                      .count = ARRAY_LEN(controller_fields) };
static const struct schema_field signature_fields[] = {
        { .name = "podController",
          .type = SCHEMA_OBJECT,
          .flags = FIELD_POINTER,
          .own = &controller_type },
};
static const struct schema_object signature_type = { .name = "core.v1.PodSignature",
                                                     .fields = signature_fields,
                                                     .count = ARRAY_LEN(signature_fields) };
static const struct schema_field entry_fields[] = {
        { .name = "podSignature", .type = SCHEMA_OBJECT, .own = &signature_type },
        { .name = "evictionTime", .type = SCHEMA_TIME },
        { .name = "reason", .type = SCHEMA_STRING },
        { .name = "message", .type = SCHEMA_STRING },
};
static const struct schema_object entry_type = { .name = "core.v1.PreferAvoidPodsEntry",
                                                 .fields = entry_fields,
                                                 .count = ARRAY_LEN(entry_fields) };
static const struct schema_field avoid_fields[] = {
        { .name = "preferAvoidPods",
          .type = SCHEMA_OBJECT,
          .shape = SHAPE_LIST,
          .own = &entry_type },
};
static const struct schema_object avoid_type = { .name = "core.v1.AvoidPods",
                                                 .fields = avoid_fields,
                                                 .count = ARRAY_LEN(avoid_fields) };

/* ---- checks ---- */

/* A list in an annotation, of which today's type has other names. */
struct legacy_list {
        const char *key;
        const struct schema_object *type;
        const char *today;
};

static const struct legacy_list taints_list = { TAINTS, &taint_type, "core.v1.Taint" };
static const struct legacy_list tolerations_list = { TOLERATIONS, &toleration_type,
                                                     "core.v1.Toleration" };

/* With the names of today; NULL = the text is none, which is said. */
static struct json_node *read_list(struct checker *checker, struct json_tree *tree,
                                   const struct at *at, const struct legacy_list *legacy,
                                   struct slice text) {
        struct err err = { 0 };
        const struct json_node *list =
                annotation_decode(tree, legacy->type, SHAPE_LIST, text, &err);

        if (list)
                return annotation_rename(tree, schema_named(legacy->today), list);
        report_text(checker, at, NULL, slice_of(legacy->key), message_of(checker, "%s", err.text));
        return NULL;
}

static void check_given_taints(struct checker *checker, const struct at *at, struct slice text) {
        CLEANUP(cleanup_json_tree) struct json_tree *tree = json_tree_new();
        struct at list = at_member(at, TAINTS);

        check_node_taints(checker, &list, read_list(checker, tree, at, &taints_list, text));
}

/* Upstream crashes on an owner that does not say whether it is a controller; here it is none. */
static void check_avoided(struct checker *checker, const struct at *at,
                          const struct json_node *entry) {
        const struct json_node *signature = node_get(entry, "podSignature");
        const struct json_node *controller = node_get(signature, "podController");
        struct at place = at_member(at, "PodSignature"), below = at_member(&place, "PodController");

        if (!controller)
                report(checker, FIELD_REQUIRED, &place, NULL, NULL, "");
        else if (!node_is_true(node_get(controller, "controller")))
                report(checker, FIELD_INVALID, &below, "Controller", "false",
                       "must point to a controller");
}

static void check_avoided_pods(struct checker *checker, const struct at *at, struct slice text) {
        CLEANUP(cleanup_json_tree) struct json_tree *tree = json_tree_new();
        struct at list = at_member(at, AVOID_PODS);
        struct err err = { 0 };
        const struct json_node *given = annotation_decode(tree, &avoid_type, SHAPE_ONE, text, &err);
        const struct json_node *entries = node_get(given, "preferAvoidPods");

        if (!given)
                report_text(checker, at, "AvoidPods", SLICE_LITERAL(AVOID_PODS),
                            message_of(checker, "%s", err.text));
        for (size_t i = 0; i < node_count(entries); i++) {
                struct at place = at_index(&list, i);

                check_avoided(checker, &place, node_at(entries, i));
        }
}

void check_toleration_annotation(struct checker *checker, const struct at *at,
                                 const struct json_node *annotations) {
        struct slice text = node_get_text(annotations, TOLERATIONS);
        struct at list = at_member(at, TOLERATIONS);

        if (text.len == 0)
                return;
        CLEANUP(cleanup_json_tree) struct json_tree *tree = json_tree_new();
        check_tolerations(checker, &list, read_list(checker, tree, at, &tolerations_list, text));
}

void check_node_annotations(struct checker *checker, const struct json_node *node) {
        const struct json_node *metadata = node_get(node, "metadata");
        const struct json_node *annotations = node_get(metadata, "annotations");
        struct at root = at_root("metadata"), at = at_member(&root, "annotations");
        struct slice taints = node_get_text(annotations, TAINTS);
        struct slice avoided = node_get_text(annotations, AVOID_PODS);

        if (taints.len)
                check_given_taints(checker, &at, taints);
        if (avoided.len)
                check_avoided_pods(checker, &at, avoided);
}
