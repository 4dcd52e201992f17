/* Tables and values of nodes, waiting pods and events. */
#include "cmd/top_print.h"

#include "base/util.h"
#include "cmd/text_table.h"
#include "show/cells.h"

#define PRINTED_EVENTS 20

/* ---- for people ---- */

/* As a terminal may see it. */
static const char *safe_text(struct arena *arena, struct slice text) {
        CLEANUP(buf_release) struct buf out = { 0 };

        cells_put(&out, text, SIZE_MAX, false);
        return arena_string(arena, buf_view(&out));
}

static const char *state_text(const struct top_node *node) {
        return !node->is_ready     ? "not ready"
               : node->is_cordoned ? "cordoned"
               : node->taints      ? "tainted"
                                   : "ready";
}

/* "1.5 cores of 4 cores (38 %)" */
static const char *amount_text(struct arena *arena, const struct top_resource *resource,
                               int64_t requested, int64_t allocatable) {
        CLEANUP(buf_release) struct buf out = { 0 };

        if (!allocatable && !requested)
                return "-";
        amount_of(&out, resource->unit, requested, allocatable);
        buf_text(&out, " (");
        amount_percent(&out, (double)requested, (double)allocatable);
        buf_char(&out, ')');
        return arena_string(arena, buf_view(&out));
}

static void print_nodes(const struct top_data *data, struct arena *arena, struct buf *out) {
        const char *heads[TOP_RESOURCES_MAX + 3] = { "NODE", "STATE" };
        struct text_table table;

        for (size_t i = 0; i < data->resource_count; i++)
                heads[i + 2] = safe_text(arena, data->resources[i].name);
        text_table_init(&table, arena, heads);
        for (size_t i = 0; i < data->node_count; i++) {
                const struct top_node *node = &data->nodes[i];

                text_table_add_row(&table);
                text_table_set(&table, 0, safe_text(arena, node->name));
                text_table_set(&table, 1, state_text(node));
                for (size_t r = 0; r < data->resource_count; r++)
                        text_table_set(&table, r + 2,
                                       amount_text(arena, &data->resources[r], node->requested[r],
                                                   node->allocatable[r]));
        }
        text_table_add_row(&table);
        text_table_set(&table, 0, "(all)");
        for (size_t r = 0; r < data->resource_count; r++)
                text_table_set(&table, r + 2,
                               amount_text(arena, &data->resources[r], data->resources[r].requested,
                                           data->resources[r].allocatable));
        text_table_write(&table, "", out);
}

static void print_waits(const struct top_data *data, struct arena *arena, struct buf *out) {
        static const char *const heads[] = { "WAITING POD", "AGE", "REASON", NULL };
        struct text_table table;

        if (!data->pod_count)
                return;
        text_table_init(&table, arena, heads);
        for (size_t i = 0; i < data->pod_count; i++) {
                const struct top_pod *pod = &data->waits[i];
                CLEANUP(buf_release) struct buf age = { 0 };

                if (pod->age_s >= 0)
                        amount_span(&age, pod->age_s);
                text_table_add_row(&table);
                text_table_set(&table, 0,
                               arena_printf(arena, "%s/%s", safe_text(arena, pod->ns),
                                            safe_text(arena, pod->name)));
                text_table_set(&table, 1, arena_string(arena, buf_view(&age)));
                text_table_set(&table, 2, safe_text(arena, pod->reason));
        }
        buf_char(out, '\n');
        text_table_write(&table, "", out);
}

static void print_events(const struct top_data *data, struct arena *arena, struct buf *out) {
        static const char *const heads[] = { "TIME", "EVENT", "OF", "NOTE", NULL };
        struct text_table table;

        if (!data->event_count)
                return;
        text_table_init(&table, arena, heads);
        for (size_t i = 0; i < data->event_count && i < PRINTED_EVENTS; i++) {
                const struct top_event *event = &data->events[i];

                text_table_add_row(&table);
                text_table_set(&table, 0, safe_text(arena, event->time));
                text_table_set(&table, 1, safe_text(arena, event->kind));
                text_table_set(&table, 2, safe_text(arena, event->about));
                text_table_set(&table, 3, safe_text(arena, event->note));
        }
        buf_char(out, '\n');
        text_table_write(&table, "", out);
}

void top_print(const struct top_data *data, struct arena *arena, struct buf *out) {
        print_nodes(data, arena, out);
        print_waits(data, arena, out);
        print_events(data, arena, out);
}

/* ---- as values ---- */

static void put_amounts(const struct top_data *data, struct json_tree *tree, struct json_node *into,
                        const char *name, const int64_t *amounts) {
        struct json_node *object = node_object(tree);

        for (size_t i = 0; i < data->resource_count; i++)
                node_set(tree, object, data->resources[i].name, node_i64(tree, amounts[i]));
        node_put(tree, into, name, object);
}

static struct json_node *node_value(const struct top_data *data, const struct top_node *node,
                                    struct json_tree *tree) {
        struct json_node *object = node_object(tree);

        node_put_text(tree, object, "name", node->name);
        node_put_bool(tree, object, "ready", node->is_ready);
        node_put_bool(tree, object, "cordoned", node->is_cordoned);
        node_put_i64(tree, object, "taints", (int64_t)node->taints);
        put_amounts(data, tree, object, "requested", node->requested);
        put_amounts(data, tree, object, "allocatable", node->allocatable);
        return object;
}

static struct json_node *wait_value(const struct top_pod *pod, struct json_tree *tree) {
        struct json_node *object = node_object(tree);

        node_put_text(tree, object, "namespace", pod->ns);
        node_put_text(tree, object, "name", pod->name);
        if (pod->age_s >= 0)
                node_put_i64(tree, object, "ageSeconds", pod->age_s);
        node_put_text(tree, object, "reason", pod->reason);
        return object;
}

static struct json_node *event_value(const struct top_event *event, struct json_tree *tree) {
        struct json_node *object = node_object(tree);

        node_put_text(tree, object, "time", event->time);
        node_put_text(tree, object, "kind", event->kind);
        node_put_text(tree, object, "about", event->about);
        node_put_text(tree, object, "note", event->note);
        return object;
}

static void put_totals(const struct top_data *data, struct json_tree *tree,
                       struct json_node *root) {
        int64_t requested[TOP_RESOURCES_MAX], allocatable[TOP_RESOURCES_MAX];

        for (size_t i = 0; i < data->resource_count; i++) {
                requested[i] = data->resources[i].requested;
                allocatable[i] = data->resources[i].allocatable;
        }
        node_put_i64(tree, root, "nodeCount", (int64_t)data->all_nodes);
        node_put_i64(tree, root, "notReady", (int64_t)data->not_ready);
        node_put_i64(tree, root, "cordoned", (int64_t)data->cordoned);
        node_put_i64(tree, root, "overcommitted", (int64_t)data->overcommitted);
        node_put_i64(tree, root, "podCount", (int64_t)data->pods);
        node_put_i64(tree, root, "waitingCount", (int64_t)(data->waiting + data->gated));
        put_amounts(data, tree, root, "requested", requested);
        put_amounts(data, tree, root, "allocatable", allocatable);
}

struct json_node *top_value(const struct top_data *data, struct json_tree *tree) {
        struct json_node *root = node_object(tree), *nodes = node_array(tree);
        struct json_node *waits = node_array(tree), *events = node_array(tree);

        node_put_text(tree, root, "source", data->source);
        put_totals(data, tree, root);
        for (size_t i = 0; i < data->node_count; i++)
                node_append(nodes, node_value(data, &data->nodes[i], tree));
        for (size_t i = 0; i < data->pod_count; i++)
                node_append(waits, wait_value(&data->waits[i], tree));
        for (size_t i = 0; i < data->event_count; i++)
                node_append(events, event_value(&data->events[i], tree));
        node_put(tree, root, "nodes", nodes);
        node_put(tree, root, "waiting", waits);
        node_put(tree, root, "events", events);
        return root;
}
