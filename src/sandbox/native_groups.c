/* Fields whose gates are off are not in the schema, so the server drops them. */
#include "sandbox/native_groups.h"

#include "api/json.h"
#include "base/util.h"
#include "config/document.h"
#include "server/api_server.h"
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct {
        const char *part, *field; /* spec or status, and its member */
        size_t gate;              /* place of a bool in struct native_groups */
} gated[] = {
        { "spec", "schedulingConstraints", offsetof(struct native_groups, has_topology) },
        { "spec", "resourceClaims", offsetof(struct native_groups, has_claims) },
        { "status", "resourceClaimStatuses", offsetof(struct native_groups, has_claims) },
        { "spec", "disruptionMode", offsetof(struct native_groups, has_priority) },
        { "spec", "priorityClassName", offsetof(struct native_groups, has_priority) },
        { "spec", "priority", offsetof(struct native_groups, has_priority) },
};

static void drop_rule(struct json_node *part, const char *field) {
        struct json_node *rules = node_get(part, "x-kubernetes-validations");
        char path[64];

        snprintf(path, sizeof(path), ".%s", field);
        for (size_t i = 0; i < node_count(rules); i++)
                if (slice_is(node_get_text(node_at(rules, i), "fieldPath"), path)) {
                        node_remove_at(rules, i);
                        return;
                }
}

/* part: whose fields the schema has. */
static void drop_fields(const struct native_groups *gates, const char *part,
                        struct json_node *schema) {
        for (size_t i = 0; i < ARRAY_LEN(gated); i++) {
                bool is_on;

                memcpy(&is_on, (const char *)gates + gated[i].gate, sizeof(is_on));
                if (is_on || strcmp(gated[i].part, part) != 0)
                        continue;
                node_remove(node_get(schema, "properties"), gated[i].field);
                drop_rule(schema, gated[i].field);
        }
}

static void drop_gated(const struct native_groups *gates, struct json_node *parts) {
        drop_fields(gates, "spec", node_get(parts, "spec"));
        drop_fields(gates, "status", node_get(parts, "status"));
}

/* The part of a Workload's schema that is like the spec of a PodGroup. */
static struct json_node *template_of(const struct json_node *properties) {
        struct json_node *spec = node_get(node_get(properties, "spec"), "properties");

        return node_get(node_get(spec, "podGroupTemplates"), "items");
}

static int read_definition(size_t at, const struct native_groups *gates, char **ret_text,
                           struct err *err) {
        CLEANUP(cleanup_json_tree) struct json_tree *tree = NULL;
        CLEANUP(buf_release) struct buf text = { 0 };
        const struct embedded_text *file = &group_definitions[at];
        int code = document_read_tree(slice_make(file->text, file->size), &tree, err);

        if (code < 0)
                return code;
        struct json_node *spec = node_get(json_tree_root(tree), "spec");
        struct json_node *version = node_at(node_get(spec, "versions"), 0);
        struct json_node *schema = node_get(node_get(version, "schema"), "openAPIV3Schema");
        struct json_node *properties = node_get(schema, "properties");
        if (template_of(properties))
                drop_fields(gates, "spec", template_of(properties));
        else
                drop_gated(gates, properties);
        if (!gates->has_claims) /* its only rule is about them */
                node_remove(schema, "x-kubernetes-validations");
        node_write(json_tree_root(tree), &text);
        *ret_text = buf_take(&text, NULL);
        return 0;
}

/* ---- tables ---- */

static const struct json *condition_of(const struct json *object, const char *type) {
        struct json_iter iter = json_iter(json_get(json_get(object, "status"), "conditions"));
        const struct json *condition;

        while (json_next(&iter, NULL, &condition))
                if (slice_is(json_get_text(condition, "type"), type))
                        return condition;
        return NULL;
}

static struct slice status_of(const struct json *object) {
        const struct json *scheduled = condition_of(object, "PodGroupScheduled");
        const struct json *target = condition_of(object, "DisruptionTarget");

        if (target)
                return json_get_text(target, "reason");
        if (!scheduled)
                return SLICE_LITERAL("Pending");
        return slice_is(json_get_text(scheduled, "status"), "True")
                       ? SLICE_LITERAL("Scheduled")
                       : SLICE_LITERAL("Unschedulable");
}

static struct slice group_cell(const struct json *object, size_t column) {
        const struct json *spec = json_get(object, "spec");
        const struct json *reference = json_get(spec, "podGroupTemplateRef");

        if (column == 0)
                return json_get(json_get(spec, "schedulingPolicy"), "gang")
                               ? SLICE_LITERAL("Gang")
                               : SLICE_LITERAL("Basic");
        if (column == 2)
                return status_of(object);
        return reference ? json_get_text(json_get(reference, "workload"), "workloadName")
                         : SLICE_LITERAL("<none>");
}

static const char *const group_names[] = { "Policy", "Workload", "Status" };
static const struct api_columns group_columns = { group_names, ARRAY_LEN(group_names), group_cell };
static const struct api_columns workload_columns = { NULL, 0, NULL };

int native_groups_definitions(const struct native_groups *gates,
                              struct api_definition *ret_definitions, struct err *err) {
        char *texts[NATIVE_GROUP_KINDS] = { NULL };

        for (size_t i = 0; i < NATIVE_GROUP_KINDS; i++)
                if (read_definition(i, gates, &texts[i], err) < 0) {
                        free(texts[0]);
                        return err->code;
                }
        ret_definitions[0] = (struct api_definition){ .json = texts[0],
                                                      .finalizer = POD_GROUP_FINALIZER,
                                                      .has_priority = gates->has_priority,
                                                      .columns = &group_columns };
        ret_definitions[1] =
                (struct api_definition){ .json = texts[1], .columns = &workload_columns };
        return 0;
}
