/* Commands that would carry a plan out. Names are quoted: files hold any. */
#include "cmd/plan_commands.h"

#include "ask/eviction_plan.h"

/* 'it'\''s' */
static void write_quoted(struct slice text, struct buf *out) {
        buf_char(out, '\'');
        for (size_t i = 0; i < text.len; i++) {
                if (text.ptr[i] == '\'')
                        buf_text(out, "'\\''");
                else
                        buf_char(out, text.ptr[i]);
        }
        buf_char(out, '\'');
}

static void write_berth_eviction(const struct planned_eviction *eviction, struct buf *name,
                                 struct buf *out) {
        buf_printf(name, SLICE_FMT "/" SLICE_FMT, SLICE_ARG(eviction->ns),
                   SLICE_ARG(eviction->name));
        buf_text(out, "berth evict -- ");
        write_quoted(buf_view(name), out);
        buf_char(out, '\n');
}

static void write_kubectl_eviction(const struct planned_eviction *eviction, struct buf *name,
                                   struct buf *out) {
        buf_text(name, "{\"apiVersion\":\"policy/v1\",\"kind\":\"Eviction\",\"metadata\":"
                       "{\"namespace\":");
        buf_json_string(name, eviction->ns);
        buf_text(name, ",\"name\":");
        buf_json_string(name, eviction->name);
        buf_text(name, "}}");
        buf_text(out, "printf %s ");
        write_quoted(buf_view(name), out);
        buf_clear(name);
        buf_printf(name, "/api/v1/namespaces/" SLICE_FMT "/pods/" SLICE_FMT "/eviction",
                   SLICE_ARG(eviction->ns), SLICE_ARG(eviction->name));
        buf_text(out, " | kubectl create -f - --raw ");
        write_quoted(buf_view(name), out);
        buf_char(out, '\n');
}

void plan_write_commands(const struct eviction_plan *plan, enum plan_commands form,
                         struct buf *out) {
        CLEANUP(buf_release) struct buf name = { 0 };

        buf_text(out, "#!/bin/sh\n# A plan of berth. Nothing of it was done.\nset -e\n");
        for (size_t i = 0; i < plan->drained_count; i++) {
                buf_text(out, "kubectl cordon -- ");
                write_quoted(plan->drained_nodes[i], out);
                buf_char(out, '\n');
        }
        for (size_t i = 0; i < plan->eviction_count; i++) {
                buf_clear(&name);
                if (plan->evictions[i].outcome != EVICT_DONE)
                        continue;
                if (form == PLAN_COMMANDS_BERTH)
                        write_berth_eviction(&plan->evictions[i], &name, out);
                else
                        write_kubectl_eviction(&plan->evictions[i], &name, out);
        }
}
