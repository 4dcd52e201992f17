/* Fields whose gates are off are not in the schema, so the server drops them. */
#include "sandbox/native_groups.h"

#include "api/json.h"
#include "base/util.h"
#include "config/document.h"
#include <stddef.h>
#include <stdio.h>
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

static void drop_gated(const struct native_groups *gates, struct json_node *parts) {
        for (size_t i = 0; i < ARRAY_LEN(gated); i++) {
                struct json_node *part = node_get(parts, gated[i].part);
                bool is_on;

                memcpy(&is_on, (const char *)gates + gated[i].gate, sizeof(is_on));
                if (is_on)
                        continue;
                node_remove(node_get(part, "properties"), gated[i].field);
                drop_rule(part, gated[i].field);
        }
}

int native_groups_definition(const struct native_groups *gates, char **ret_text, struct err *err) {
        CLEANUP(cleanup_json_tree) struct json_tree *tree = NULL;
        CLEANUP(buf_release) struct buf text = { 0 };
        const struct embedded_text *file = &group_definitions[0];
        int code = document_read_tree(slice_make(file->text, file->size), &tree, err);

        if (code < 0)
                return code;
        struct json_node *spec = node_get(json_tree_root(tree), "spec");
        struct json_node *version = node_at(node_get(spec, "versions"), 0);
        struct json_node *schema = node_get(node_get(version, "schema"), "openAPIV3Schema");
        drop_gated(gates, node_get(schema, "properties"));
        if (!gates->has_claims) /* its only rule is about them */
                node_remove(schema, "x-kubernetes-validations");
        node_write(json_tree_root(tree), &text);
        *ret_text = buf_take(&text, NULL);
        return 0;
}
