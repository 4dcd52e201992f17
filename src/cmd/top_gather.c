/* Gathers, filters and sorts. */
#include "cmd/top_gather.h"

#include "base/map.h"
#include "base/util.h"
#include "dashboard/event_ring.h"
#include "dashboard/headline.h"
#include <stdio.h>
#include <stdlib.h>
#include <strings.h>

struct top_gathering {
        const struct top_sources *sources;
        const struct top_state *state;
        struct arena *arena;
        struct top_data *data;
        struct headline headline;
        uint32_t columns[TOP_RESOURCES_MAX]; /* of the model */
};

/* ---- resources ---- */

static void add_resource(struct top_gathering *gathering, uint32_t column) {
        struct top_data *data = gathering->data;
        const struct resource_total *total = &gathering->headline.resources[column];

        for (size_t i = 0; i < data->resource_count; i++)
                if (gathering->columns[i] == column)
                        return;
        if (data->resource_count == TOP_RESOURCES_MAX)
                return;
        struct slice name = arena_slice(
                gathering->arena,
                cluster_resource_name(gathering->sources->cluster, (struct resource_id){ column }));

        gathering->columns[data->resource_count] = column;
        data->resources[data->resource_count++] =
                (struct top_resource){ .name = name,
                                       .unit = amount_unit_of(name),
                                       .requested = total->requested,
                                       .allocatable = total->allocatable };
}

/* Extended ones are those with a domain: ephemeral-storage and the like stay out unless named. */
static void choose_resources(struct top_gathering *gathering) {
        const struct cluster *cluster = gathering->sources->cluster;
        struct slice rest = gathering->sources->resources, name;
        struct resource_id found;

        if (rest.len) {
                while (slice_split(&rest, ',', &name))
                        if (cluster_resource(cluster, slice_trim(name), &found))
                                add_resource(gathering, found.index);
                        else
                                gathering->data->unknown = slice_trim(name);
                return;
        }
        add_resource(gathering, RESOURCE_CPU);
        add_resource(gathering, RESOURCE_MEMORY);
        add_resource(gathering, RESOURCE_PODS);
        for (uint32_t r = 0; r < gathering->headline.resource_count; r++)
                if (gathering->headline.resources[r].allocatable &&
                    slice_contains(cluster_resource_name(cluster, (struct resource_id){ r }),
                                   SLICE_LITERAL("/")))
                        add_resource(gathering, r);
}

/* ---- the filter ---- */

static bool has_part(struct slice text, struct slice part) {
        for (size_t i = 0; i + part.len <= text.len; i++)
                if (strncasecmp(text.ptr + i, part.ptr, part.len) == 0)
                        return true;
        return part.len == 0;
}

/* pool=gpu: a label whose value begins so. */
static bool has_label(const struct cluster *cluster, struct label_set_id set, struct slice word) {
        const struct label_pair *pairs;
        size_t count = cluster_label_pairs(cluster, set, &pairs);
        struct slice value = word, key;

        slice_split(&value, '=', &key);
        for (size_t i = 0; i < count; i++)
                if (slice_eq(cluster_text(cluster, pairs[i].key), key) &&
                    slice_has_prefix(cluster_text(cluster, pairs[i].value), value))
                        return true;
        return false;
}

static bool is_cordoned(const struct cluster *cluster, size_t node) {
        return bitset_has(&cluster_nodes(cluster)->unschedulable, node);
}

static bool is_not_ready(const struct cluster *cluster, size_t node) {
        return !bitset_has(&cluster_nodes(cluster)->ready, node);
}

static bool is_tainted(const struct cluster *cluster, size_t node) {
        const struct taint *taints;

        return cluster_taints(cluster, cluster_nodes(cluster)->taints[node], &taints) > 0;
}

static bool is_empty(const struct cluster *cluster, size_t node) {
        return cluster_nodes(cluster)->pod_count[node] == 0;
}

static bool is_over(const struct cluster *cluster, size_t node) {
        const struct node_table *nodes = cluster_nodes(cluster);

        for (size_t r = 0; r < nodes->resource_count; r++)
                if ((r == RESOURCE_PODS ? (int64_t)nodes->pod_count[node]
                                        : nodes->resources[r].requested[node]) >
                    nodes->resources[r].allocatable[node])
                        return true;
        return false;
}

static const struct {
        const char *name;
        bool (*holds)(const struct cluster *cluster, size_t node);
} node_words[] = {
        { "cordoned", is_cordoned }, { "notready", is_not_ready }, { "tainted", is_tainted },
        { "empty", is_empty },       { "over", is_over },
};

/* The beginning of a word suffices, as it is being typed. */
static bool node_is(const struct cluster *cluster, size_t node, struct slice word) {
        for (size_t i = 0; i < ARRAY_LEN(node_words); i++)
                if (slice_has_prefix(slice_of(node_words[i].name), word))
                        return node_words[i].holds(cluster, node);
        return false;
}

static bool node_is_asked(const struct top_gathering *gathering, size_t node) {
        const struct cluster *cluster = gathering->sources->cluster;
        struct slice rest = slice_of(gathering->state->filter), word;

        while (slice_split(&rest, ' ', &word)) {
                bool holds = has_part(
                        cluster_node_name(cluster, (struct node_id){ (uint32_t)node }), word);

                if (slice_has_prefix(word, SLICE_LITERAL("is:")))
                        holds = node_is(cluster, node, slice_make(word.ptr + 3, word.len - 3));
                else if (slice_contains(word, SLICE_LITERAL("=")))
                        holds = has_label(cluster, cluster_nodes(cluster)->labels[node], word);
                if (!holds)
                        return false;
        }
        return true;
}

/* Words about nodes alone do not count. */
static bool name_is_asked(const struct top_gathering *gathering, struct slice name) {
        struct slice rest = slice_of(gathering->state->filter), word;

        while (slice_split(&rest, ' ', &word))
                if (!slice_has_prefix(word, SLICE_LITERAL("is:")) &&
                    !slice_contains(word, SLICE_LITERAL("=")) && !has_part(name, word))
                        return false;
        return true;
}

/* ---- nodes ---- */

static struct top_node node_of(const struct top_gathering *gathering, size_t node) {
        const struct cluster *cluster = gathering->sources->cluster;
        const struct node_table *nodes = cluster_nodes(cluster);
        const struct taint *taints;
        struct top_node row = {
                .name = arena_slice(gathering->arena,
                                    cluster_node_name(cluster, (struct node_id){ (uint32_t)node })),
                .is_ready = bitset_has(&nodes->ready, node),
                .is_cordoned = bitset_has(&nodes->unschedulable, node),
                .taints = cluster_taints(cluster, nodes->taints[node], &taints),
        };

        for (size_t i = 0; i < gathering->data->resource_count; i++) {
                uint32_t column = gathering->columns[i];

                row.allocatable[i] = nodes->resources[column].allocatable[node];
                row.requested[i] = column == RESOURCE_PODS
                                           ? (int64_t)nodes->pod_count[node]
                                           : nodes->resources[column].requested[node];
        }
        return row;
}

static double share_at(const struct top_node *node, size_t resource) {
        return node->allocatable[resource] > 0
                       ? (double)node->requested[resource] / (double)node->allocatable[resource]
               : node->requested[resource] > 0 ? 1e9
                                               : -1;
}

static int compare_nodes(const void *left, const void *right, void *context) {
        const struct top_node *a = left, *b = right;
        const struct top_state *state = context;
        int order = slice_compare(a->name, b->name);

        if (state->sort && share_at(a, state->sort - 1) != share_at(b, state->sort - 1))
                order = share_at(a, state->sort - 1) > share_at(b, state->sort - 1) ? -1 : 1;
        return state->is_reversed ? -order : order;
}

static void gather_nodes(struct top_gathering *gathering) {
        const struct node_table *nodes = cluster_nodes(gathering->sources->cluster);
        struct top_data *data = gathering->data;
        struct top_state state = *gathering->state;

        data->nodes = ARENA_ARRAY(gathering->arena, struct top_node, data->all_nodes);
        for (size_t n = bitset_next(&nodes->live, 0); n != SIZE_MAX;
             n = bitset_next(&nodes->live, n + 1))
                if (node_is_asked(gathering, n))
                        data->nodes[data->node_count++] = node_of(gathering, n);
        if (state.sort > data->resource_count)
                state.sort = 0;
        qsort_r(data->nodes, data->node_count, sizeof(*data->nodes), compare_nodes, &state);
}

/* ---- events ---- */

static bool is_shown(struct slice kind) {
        return !slice_is(kind, "other");
}

/* The latest ones; what the scheduler said of a pod last goes into the map. */
static void gather_events(struct top_gathering *gathering, struct map *reasons) {
        CLEANUP(buf_release) struct buf text = { 0 };
        CLEANUP(cleanup_json_doc) struct json_doc *doc = NULL;
        struct top_data *data = gathering->data;
        struct arena *arena = gathering->arena;
        char query[40];

        if (!gathering->sources->events)
                return;
        snprintf(query, sizeof(query), "count=%d", TOP_EVENTS_MAX);
        buf_char(&text, '{');
        event_ring_write(gathering->sources->events, slice_of(query), &text);
        buf_char(&text, '}');
        if (json_parse(buf_view(&text), &doc, NULL) < 0)
                return;
        const struct json *list = json_get(json_doc_root(doc), "events");
        struct json_iter iter = json_iter(list);
        const struct json *event;

        data->events = ARENA_ARRAY(arena, struct top_event, json_count(list));
        while (json_next(&iter, NULL, &event)) {
                struct slice time = json_get_text(event, "time"),
                             kind = json_get_text(event, "kind");
                struct slice ns = json_get_text(event, "namespace");
                struct slice about = slice_of(
                        arena_printf(arena, SLICE_FMT "%s" SLICE_FMT, SLICE_ARG(ns),
                                     ns.len ? "/" : "", SLICE_ARG(json_get_text(event, "name"))));
                struct slice note = arena_slice(arena, json_get_text(event, "note"));

                if (slice_is(kind, "waiting") && !map_get(reasons, about))
                        map_put(reasons, about, (void *)(uintptr_t)note.ptr);
                if (is_shown(kind) && name_is_asked(gathering, about))
                        data->events[data->event_count++] = (struct top_event){
                                .time = time.len > 19
                                                ? arena_slice(arena, slice_make(time.ptr + 11, 8))
                                                : SLICE_EMPTY,
                                .kind = arena_slice(arena, kind),
                                .about = about,
                                .note = note.len ? note
                                                 : arena_slice(arena,
                                                               json_get_text(event, "reason")),
                                .is_trouble = slice_is(json_get_text(event, "type"), "Warning"),
                        };
        }
}

/* ---- pods that wait ---- */

struct wait {
        struct pod_id pod;
        int64_t created_ns;
        struct slice name;
};

static int compare_waits(const void *left, const void *right) {
        const struct wait *a = left, *b = right;

        if (a->created_ns != b->created_ns)
                return a->created_ns < b->created_ns ? -1 : 1;
        return slice_compare(a->name, b->name);
}

static size_t list_waits(const struct top_gathering *gathering, struct wait *waits) {
        const struct cluster *cluster = gathering->sources->cluster;
        size_t count = 0;

        for (uint32_t i = 0; i < cluster_pod_cap(cluster); i++) {
                const struct pod_row *row = cluster_pod(cluster, (struct pod_id){ i });

                if (!row->is_live)
                        continue;
                enum pod_activity state = pod_state_of(cluster, row);

                if (state == POD_STATE_WAITING || state == POD_STATE_GATED)
                        waits[count++] = (struct wait){ { i },
                                                        row->created.ns,
                                                        slice_make(row->name, row->name_length) };
        }
        qsort(waits, count, sizeof(*waits), compare_waits);
        return count;
}

static struct slice reason_of(const struct top_gathering *gathering, const struct map *reasons,
                              struct pod_id pod, struct slice key) {
        const struct top_sources *sources = gathering->sources;
        const struct pod_row *row = cluster_pod(sources->cluster, pod);
        const char *said = map_get(reasons, key);

        if (pod_state_of(sources->cluster, row) == POD_STATE_GATED)
                return SLICE_LITERAL("held by scheduling gates");
        if (said && *said)
                return slice_of(said);
        return sources->reason ? sources->reason(sources->context, pod) : SLICE_EMPTY;
}

static void gather_waits(struct top_gathering *gathering, const struct map *reasons) {
        const struct cluster *cluster = gathering->sources->cluster;
        struct top_data *data = gathering->data;
        struct wait *waits =
                ARENA_ARRAY(gathering->arena, struct wait, data->waiting + data->gated);
        size_t count = list_waits(gathering, waits);

        data->waits = ARENA_ARRAY(gathering->arena, struct top_pod,
                                  count < TOP_WAITS_MAX ? count : TOP_WAITS_MAX);
        for (size_t i = 0; i < count && data->pod_count < TOP_WAITS_MAX; i++) {
                const struct pod_row *row = cluster_pod(cluster, waits[i].pod);
                struct slice ns = cluster_text(cluster, row->ns);
                struct slice key = slice_of(
                        arena_printf(gathering->arena, SLICE_FMT "/%s", SLICE_ARG(ns), row->name));

                if (!name_is_asked(gathering, key))
                        continue;
                data->waits[data->pod_count++] = (struct top_pod){
                        .ns = arena_slice(gathering->arena, ns),
                        .name = arena_slice(gathering->arena, waits[i].name),
                        .reason = reason_of(gathering, reasons, waits[i].pod, key),
                        .age_s = wall_time_is_set(row->created)
                                         ? (gathering->sources->now.ns - row->created.ns) / NS_PER_S
                                         : -1,
                };
        }
}

void top_gather(const struct top_sources *sources, const struct top_state *state,
                struct arena *arena, struct top_data *ret_data) {
        struct top_gathering gathering = {
                .sources = sources, .state = state, .arena = arena, .data = ret_data
        };
        struct headline *headline = &gathering.headline;
        struct map *reasons = map_new();
        char clock[WALL_TIME_TEXT_MAX];

        headline_count(sources->cluster, arena, headline);
        *ret_data = (struct top_data){ .all_nodes = headline->nodes,
                                       .not_ready = headline->not_ready,
                                       .cordoned = headline->cordoned,
                                       .overcommitted = headline->overcommitted,
                                       .pods = headline->pods,
                                       .waiting = headline->states[POD_STATE_WAITING],
                                       .gated = headline->states[POD_STATE_GATED] };
        if (wall_time_format(sources->now, clock) >= 19)
                ret_data->clock = arena_slice(arena, slice_make(clock + 11, 8));
        choose_resources(&gathering);
        gather_nodes(&gathering);
        gather_events(&gathering, reasons);
        gather_waits(&gathering, reasons);
        map_free(reasons);
}
