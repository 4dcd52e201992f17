/* Members that documents and events have in common. */
#include "dashboard/dashboard_priv.h"
#include "dashboard/event_ring.h"
#include "dashboard/headline.h"
#include <inttypes.h>

void dashboard_members(const struct dashboard *dashboard, struct buf *out) {
        buf_printf(out,
                   "\"apiVersion\":\"berth/v1\",\"instance\":\"%" PRIx64
                   "\",\"generation\":%" PRIu64,
                   dashboard->instance, cluster_generation(dashboard->cluster));
}

uint64_t dashboard_last_event(const struct dashboard *dashboard) {
        return dashboard->events ? event_ring_last(dashboard->events) : 0;
}

uint64_t dashboard_documents_version(const struct dashboard *dashboard) {
        return dashboard->documents_version
                       ? dashboard->documents_version(dashboard->documents_context)
                       : 0;
}

void dashboard_headline(struct dashboard *dashboard, struct buf *out) {
        struct dashboard_text *made = &dashboard->headline;
        uint64_t generation = cluster_generation(dashboard->cluster);

        if (!made->is_there || made->generation != generation) {
                struct headline headline;

                arena_clear(&dashboard->scratch);
                buf_clear(&made->text);
                headline_count(dashboard->cluster, &dashboard->scratch, &headline);
                headline_write(&headline, &made->text);
                made->generation = generation;
                made->is_there = true;
        }
        buf_text(out, "\"headline\":");
        buf_slice(out, buf_view(&made->text));
        buf_printf(out, ",\"lastEvent\":%" PRIu64 ",\"lastDocument\":%" PRIu64,
                   dashboard_last_event(dashboard), dashboard_documents_version(dashboard));
        if (dashboard->events) {
                buf_text(out, ",\"evictions\":");
                event_ring_write_evictions(dashboard->events, out);
        }
}
