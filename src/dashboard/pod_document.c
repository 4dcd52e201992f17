/* Sorts, groups and pages the nodes of an explanation. */
#include "dashboard/pod_document.h"

#include "base/arena.h"
#include "base/map.h"
#include "base/util.h"
#include "dashboard/address_query.h"
#include "dashboard/json_list.h"
#include <stdlib.h>
#include <string.h>
#include <strings.h>

struct ranked_node {
        struct json_node *node;
        bool fits;
        int64_t total;
        size_t place; /* in the explanation */
};

struct reason_group {
        struct json_node *node; /* one that has it */
        size_t count, place;
        struct slice text;
};

/* ---- order ---- */

static int by_rank(const void *left, const void *right) {
        const struct ranked_node *a = left, *b = right;

        if (a->fits != b->fits)
                return a->fits ? -1 : 1;
        if (a->fits && a->total != b->total)
                return a->total > b->total ? -1 : 1;
        return a->place < b->place ? -1 : a->place > b->place;
}

static struct ranked_node *sorted_nodes(struct json_node *nodes, size_t *ret_count) {
        struct ranked_node *candidates = xcalloc(node_count(nodes) + 1, sizeof(*candidates));
        struct node_iter iter = node_iter(nodes);
        struct json_node *node;
        size_t count = 0;

        while (node_next(&iter, NULL, &node)) {
                candidates[count] =
                        (struct ranked_node){ .node = node,
                                              .fits = node_is_true(node_get(node, "fits")),
                                              .total = node_get_i64(node, "total", 0),
                                              .place = count };
                count++;
        }
        qsort(candidates, count, sizeof(*candidates), by_rank);
        *ret_count = count;
        return candidates;
}

/* ---- reasons ---- */

/* "NodeResourcesFit: Insufficient cpu, Insufficient memory" */
static void write_reason(const struct json_node *node, struct buf *out) {
        struct node_iter reasons = node_iter(node_get(node, "reasons"));
        struct json_node *reason;
        bool is_first = true;

        buf_slice(out, node_get_text(node, "plugin"));
        while (node_next(&reasons, NULL, &reason)) {
                buf_text(out, is_first ? ": " : ", ");
                buf_slice(out, node_get_slice(reason));
                is_first = false;
        }
}

static int by_count(const void *left, const void *right) {
        const struct reason_group *a = left, *b = right;

        if (a->count != b->count)
                return a->count > b->count ? -1 : 1;
        return a->place < b->place ? -1 : a->place > b->place;
}

static void count_reason(struct map *groups, const struct ranked_node *candidate,
                         struct buf *text) {
        buf_clear(text);
        write_reason(candidate->node, text);
        struct reason_group *group = map_get(groups, buf_view(text));

        if (!group) {
                group = xcalloc(1, sizeof(*group));
                *group = (struct reason_group){ .node = candidate->node,
                                                .place = map_count(groups) };
                map_put(groups, buf_view(text), group);
        }
        group->count++;
}

static void write_group(const struct reason_group *group, struct buf *out) {
        buf_text(out, "{\"reason\":");
        buf_json_string(out, group->text);
        buf_text(out, ",\"plugin\":");
        buf_json_string(out, node_get_text(group->node, "plugin"));
        buf_text(out, ",\"verdict\":");
        buf_json_string(out, node_get_text(group->node, "verdict"));
        buf_text(out, ",\"nodes\":");
        buf_u64(out, group->count);
        buf_char(out, '}');
}

static void write_sorted(const struct map *groups, struct buf *out) {
        size_t count = 0, at = 0;
        struct reason_group *sorted = xcalloc(map_count(groups) + 1, sizeof(*sorted));
        struct slice text;
        void *group;

        while (map_next(groups, &at, &text, &group)) {
                sorted[count] = *(struct reason_group *)group;
                sorted[count++].text = text;
        }
        qsort(sorted, count, sizeof(*sorted), by_count);
        for (size_t i = 0; i < count && i < POD_GROUPS_MAX; i++) {
                buf_text(out, i ? "," : "");
                write_group(&sorted[i], out);
        }
        free(sorted);
}

static void write_groups(const struct ranked_node *candidates, size_t count, struct buf *out) {
        CLEANUP(buf_release) struct buf text = { 0 };
        struct map *groups = map_new();
        size_t fitting = 0;

        for (size_t i = 0; i < count; i++)
                if (candidates[i].fits)
                        fitting++;
                else
                        count_reason(groups, &candidates[i], &text);
        json_counts(out,
                    (struct json_count[]){ { "fitting", (int64_t)fitting },
                                           { "refused", (int64_t)(count - fitting) } },
                    2);
        buf_text(out, ",\"groups\":[");
        write_sorted(groups, out);
        buf_char(out, ']');
        map_free_values(groups);
}

/* ---- what is asked for ---- */

struct node_request {
        struct buf find, fits, reason;
        bool has_fits, has_reason;
};

static bool contains_case(struct slice text, struct slice part) {
        for (size_t i = 0; i + part.len <= text.len; i++)
                if (strncasecmp(text.ptr + i, part.ptr, part.len) == 0)
                        return true;
        return false;
}

static bool is_wanted(const struct node_request *request, const struct ranked_node *candidate) {
        CLEANUP(buf_release) struct buf reason = { 0 };

        if (request->has_fits && candidate->fits != slice_is(buf_view(&request->fits), "true"))
                return false;
        if (request->find.len &&
            !contains_case(node_get_text(candidate->node, "node"), buf_view(&request->find)))
                return false;
        if (!request->has_reason)
                return true;
        write_reason(candidate->node, &reason);
        return !candidate->fits && slice_eq(buf_view(&reason), buf_view(&request->reason));
}

static size_t keep_wanted(const struct ranked_node *candidates, size_t count, struct slice query,
                          struct json_node *nodes) {
        struct node_request request = { 0 };
        size_t from = address_number(query, "from", 0, POD_NODES_MAX);
        size_t shown = address_number(query, "count", POD_NODES_SHOWN, POD_NODES_MAX);
        size_t found = 0;

        address_text(query, "find", &request.find);
        request.has_fits = address_text(query, "fits", &request.fits);
        request.has_reason = address_text(query, "reason", &request.reason);
        node_array_clear(nodes);
        for (size_t i = 0; i < count; i++) {
                if (!is_wanted(&request, &candidates[i]))
                        continue;
                if (found >= from && found - from < shown)
                        node_append(nodes, candidates[i].node);
                found++;
        }
        buf_release(&request.find);
        buf_release(&request.fits);
        buf_release(&request.reason);
        return found;
}

void pod_document_write(struct json_tree *tree, struct json_node *explanation, struct slice query,
                        struct buf *out) {
        struct json_node *nodes = node_need_array(tree, explanation, "nodes");
        size_t count, from = address_number(query, "from", 0, POD_NODES_MAX);
        struct ranked_node *candidates = sorted_nodes(nodes, &count);

        write_groups(candidates, count, out);
        size_t found = keep_wanted(candidates, count, query, nodes);
        free(candidates);
        buf_char(out, ',');
        json_counts(out,
                    (struct json_count[]){ { "found", (int64_t)found }, { "from", (int64_t)from } },
                    2);
        buf_text(out, ",\"explanation\":");
        node_write(explanation, out);
}
