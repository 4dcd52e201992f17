/* A pod as JSON. */
#include "dashboard/rows.h"

#include "base/time.h"
#include "dashboard/headline.h"
#include "dashboard/json_list.h"
#include <stdio.h>

static int64_t request_of(const struct pod_class *class, uint32_t resource) {
        for (size_t i = 0; i < class->request_count; i++)
                if (class->requests[i].resource.index == resource)
                        return class->requests[i].amount;
        return 0;
}

/* "ReplicaSet/web-7d9f": the controller, else the first owner, else nothing. */
static void write_owner(const struct cluster *cluster, const struct pod_row *row, struct buf *out) {
        const struct owner_row *owner = row->owner_count ? row->owners : NULL;
        char text[512];

        for (size_t i = 0; i < row->owner_count; i++)
                if (row->owners[i].is_controller)
                        owner = &row->owners[i];
        if (!owner) {
                buf_text(out, "\"\"");
                return;
        }
        struct slice kind = cluster_text(cluster, owner->kind);
        struct slice name = cluster_text(cluster, owner->name);
        int length = snprintf(text, sizeof(text), SLICE_FMT "/" SLICE_FMT, SLICE_ARG(kind),
                              SLICE_ARG(name));
        buf_json_string(out, slice_make(text, (size_t)length < sizeof(text) ? (size_t)length
                                                                            : sizeof(text) - 1));
}

void pod_row_write(const struct cluster *cluster, struct pod_id pod, struct buf *out) {
        const struct pod_row *row = cluster_pod(cluster, pod);
        const struct pod_class *class = cluster_class(cluster, row->class);

        buf_char(out, '[');
        buf_u64(out, pod.index);
        buf_char(out, ',');
        buf_json_string(out, cluster_text(cluster, row->ns));
        buf_char(out, ',');
        buf_json_string(out, slice_make(row->name, row->name_length));
        buf_char(out, ',');
        if (node_id_is_none(row->node))
                buf_text(out, "null");
        else
                buf_u64(out, row->node.index);
        buf_text(out, ",\"");
        buf_text(out, pod_state_name(pod_state_of(cluster, row)));
        buf_text(out, "\",");
        json_number(out, row->priority);
        buf_char(out, ',');
        write_owner(cluster, row, out);
        buf_char(out, ',');
        json_number(out, wall_time_is_set(row->created) ? row->created.ns / NS_PER_S : 0);
        buf_char(out, ',');
        json_number(out, request_of(class, RESOURCE_CPU));
        buf_char(out, ',');
        json_number(out, request_of(class, RESOURCE_MEMORY));
        buf_char(out, ']');
}
