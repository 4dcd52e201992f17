/* Changes as server-sent events: one event holds all that changed since the last one, so that a
 * viewer costs the same however much happens, and a slow one gets fewer and larger events. */
#include "base/util.h"
#include "dashboard/dashboard_priv.h"
#include "dashboard/headline.h"
#include "dashboard/rows.h"
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

struct viewer {
        struct http_stream stream;
        struct dashboard *dashboard;
        struct viewer *next, *previous;
        uint64_t since;     /* generation that it has */
        uint64_t event;     /* the last event that it knows of */
        uint64_t documents; /* and the last change of the owner's documents */
        uint64_t beats;
        bool is_greeted, is_lost; /* lost: what it has is nothing that changes could be added to */
};

/* The members of an event for those who have this generation; shared while nothing changes. */
static const struct dashboard_text *changes_since(struct dashboard *dashboard, uint64_t since) {
        struct dashboard_text *made = &dashboard->changes;
        uint64_t generation = cluster_generation(dashboard->cluster);

        if (made->is_there && made->since == since && made->generation == generation)
                return made;
        buf_clear(&made->text);
        made->since = since;
        made->generation = generation;
        made->is_there = true;
        made->is_too_far = !changed_rows_write(dashboard->cluster, since, &made->text);
        return made;
}

static void begin_event(struct viewer *viewer, const char *name, struct buf *out) {
        struct dashboard *dashboard = viewer->dashboard;

        buf_printf(out, "id: %" PRIx64 "-%" PRIu64 "\nevent: %s\ndata: {", dashboard->instance,
                   cluster_generation(dashboard->cluster), name);
        dashboard_members(dashboard, out);
        buf_printf(out, ",\"ready\":%s,",
                   !dashboard->is_ready || dashboard->is_ready(dashboard->context) ? "true"
                                                                                   : "false");
        dashboard_headline(dashboard, out);
}

static void write_event(struct viewer *viewer, struct buf *out) {
        struct dashboard *dashboard = viewer->dashboard;
        const struct dashboard_text *changes =
                viewer->is_lost ? NULL : changes_since(dashboard, viewer->since);

        if (!changes || changes->is_too_far) {
                begin_event(viewer, "reset", out);
        } else {
                begin_event(viewer, "changes", out);
                buf_text(out, ",\"resources\":");
                resources_write(dashboard->cluster, out);
                buf_slice(out, buf_view(&changes->text));
        }
        buf_text(out, "}\n\n");
        viewer->since = cluster_generation(dashboard->cluster);
        viewer->event = dashboard_last_event(dashboard);
        viewer->documents = dashboard_documents_version(dashboard);
        viewer->is_lost = false;
        viewer->is_greeted = true;
        viewer->beats = dashboard->beats;
}

static enum http_stream_state viewer_read(struct http_stream *stream, struct buf *out,
                                          size_t soft_limit) {
        struct viewer *viewer = CONTAINER_OF(stream, struct viewer, stream);

        (void)soft_limit;
        if (!viewer->is_greeted || viewer->since < viewer->dashboard->published ||
            viewer->event < viewer->dashboard->published_event ||
            viewer->documents < viewer->dashboard->published_documents) {
                write_event(viewer, out);
        } else if (viewer->beats != viewer->dashboard->beats) {
                viewer->beats = viewer->dashboard->beats;
                buf_text(out, ":\n\n");
        }
        return HTTP_STREAM_IDLE;
}

static void viewer_free(struct http_stream *stream) {
        struct viewer *viewer = CONTAINER_OF(stream, struct viewer, stream);

        if (viewer->previous)
                viewer->previous->next = viewer->next;
        else
                viewer->dashboard->viewers = viewer->next;
        if (viewer->next)
                viewer->next->previous = viewer->previous;
        viewer->dashboard->viewer_count--;
        free(viewer);
}

/* False when it is of another process, or no such thing at all. */
static bool read_position(const struct dashboard *dashboard, struct slice since,
                          uint64_t *ret_generation) {
        char instance[32];
        struct slice head;

        snprintf(instance, sizeof(instance), "%" PRIx64, dashboard->instance);
        return slice_split(&since, '-', &head) && slice_is(head, instance) && since.ptr &&
               slice_to_u64(since, ret_generation) &&
               *ret_generation <= cluster_generation(dashboard->cluster);
}

struct http_stream *change_stream_new(struct dashboard *dashboard, struct slice since) {
        static const struct http_stream_ops ops = { .read = viewer_read, .free = viewer_free };

        if (dashboard->viewer_count >= DASHBOARD_VIEWERS_MAX)
                return NULL;
        struct viewer *viewer = xcalloc(1, sizeof(*viewer));
        *viewer = (struct viewer){ .stream = { .ops = &ops },
                                   .dashboard = dashboard,
                                   .next = dashboard->viewers,
                                   .since = cluster_generation(dashboard->cluster) };
        viewer->is_lost = since.len && !read_position(dashboard, since, &viewer->since);
        if (viewer->next)
                viewer->next->previous = viewer;
        dashboard->viewers = viewer;
        dashboard->viewer_count++;
        return &viewer->stream;
}

void change_streams_wake(struct dashboard *dashboard) {
        for (struct viewer *viewer = dashboard->viewers; viewer; viewer = viewer->next)
                http_stream_wake(&viewer->stream);
}
