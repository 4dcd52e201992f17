/* All nodes or pods as one document, without holding it in memory. */
#include "base/util.h"
#include "dashboard/dashboard_priv.h"
#include "dashboard/headline.h"
#include "dashboard/rows.h"
#include <stdlib.h>

struct row_stream {
        struct http_stream stream;
        struct dashboard *dashboard;
        enum row_kind kind;
        bool has_begun;
        uint32_t next; /* index of a row */
        size_t written;
};

static size_t row_limit(const struct row_stream *rows) {
        const struct cluster *cluster = rows->dashboard->cluster;

        return rows->kind == ROWS_PODS ? cluster_pod_cap(cluster) : cluster_nodes(cluster)->count;
}

static void begin_rows(struct row_stream *rows, struct buf *out) {
        rows->has_begun = true;
        buf_char(out, '{');
        dashboard_members(rows->dashboard, out);
        buf_text(out, ",\"resources\":");
        resources_write(rows->dashboard->cluster, out);
        buf_text(out, rows->kind == ROWS_PODS ? ",\"columns\":" POD_COLUMNS ",\"pods\":[\n"
                                              : ",\"nodes\":[\n");
}

static void write_row(struct row_stream *rows, uint32_t index, struct buf *out) {
        const struct cluster *cluster = rows->dashboard->cluster;
        bool is_there = rows->kind == ROWS_PODS
                                ? cluster_pod(cluster, (struct pod_id){ index })->is_live
                                : bitset_has(&cluster_nodes(cluster)->live, index);

        if (!is_there)
                return;
        if (rows->written++)
                buf_text(out, ",\n");
        if (rows->kind == ROWS_PODS)
                pod_row_write(cluster, (struct pod_id){ index }, out);
        else
                node_row_write(cluster, (struct node_id){ index }, out);
}

static enum http_stream_state rows_read(struct http_stream *stream, struct buf *out,
                                        size_t soft_limit) {
        struct row_stream *rows = CONTAINER_OF(stream, struct row_stream, stream);

        if (!rows->has_begun)
                begin_rows(rows, out);
        while (rows->next < row_limit(rows)) {
                if (out->len >= soft_limit)
                        return HTTP_STREAM_MORE;
                write_row(rows, rows->next++, out);
        }
        buf_text(out, "\n]}\n");
        return HTTP_STREAM_ENDED;
}

static void rows_free(struct http_stream *stream) {
        free(CONTAINER_OF(stream, struct row_stream, stream));
}

struct http_stream *row_stream_new(struct dashboard *dashboard, enum row_kind kind) {
        static const struct http_stream_ops ops = { .read = rows_read, .free = rows_free };
        struct row_stream *rows = xcalloc(1, sizeof(*rows));

        *rows = (struct row_stream){ .stream = { .ops = &ops },
                                     .dashboard = dashboard,
                                     .kind = kind };
        return &rows->stream;
}
