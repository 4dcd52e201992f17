/* Conversions of events between the two groups that share one store. */
#include "kinds/views.h"

#include "base/util.h"

static const char *const event_members[][2] = {
        /* core, events.k8s.io */
        { "involvedObject", "regarding" },
        { "message", "note" },
        { "source", "deprecatedSource" },
        { "firstTimestamp", "deprecatedFirstTimestamp" },
        { "lastTimestamp", "deprecatedLastTimestamp" },
        { "count", "deprecatedCount" },
        { "reportingComponent", "reportingController" },
};

static void rename_member(struct json_tree *tree, struct json_node *object, const char *from,
                          const char *to) {
        struct json_node *value = node_get(object, from);

        if (!value)
                return;
        node_put(tree, object, to, node_clone(tree, value));
        node_remove(object, from);
}

void event_to_core(struct json_tree *tree, struct json_node *object) {
        for (size_t i = 0; i < ARRAY_LEN(event_members); i++)
                rename_member(tree, object, event_members[i][1], event_members[i][0]);
        node_put_string(tree, object, "apiVersion", "v1");
}

void event_from_core(struct json_tree *tree, struct json_node *object) {
        for (size_t i = 0; i < ARRAY_LEN(event_members); i++)
                rename_member(tree, object, event_members[i][0], event_members[i][1]);
        node_put_string(tree, object, "apiVersion", "events.k8s.io/v1");
}
