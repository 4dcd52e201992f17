/* Refusals of DynamicResources in words, for explanations. */
#include "plugins/sched/device_refusals.h"

#include "base/buf.h"
#include "devices/device_reasons.h"

#define CHANGE_OF_REQUEST 10 /* as much as so many devices that others give back */

static const char *const refusals[DEVICE_REFUSAL_COUNT] = {
        [DEVICE_NOT_SELECTED] = "not selected",
        [DEVICE_NOT_TOLERATED] = "tainted",
        [DEVICE_IN_USE] = "in use",
        [DEVICE_WITHOUT_COUNTERS] = "without counters left",
        [DEVICE_WITHOUT_CAPACITY] = "without capacity left",
};

static struct slice keep_text(struct arena *arena, struct buf *text) {
        struct slice copy = slice_of(arena_string(arena, buf_view(text)));

        buf_release(text);
        return copy;
}

static void put_name(struct buf *out, const struct device_request_report *report) {
        buf_printf(out, "claim " SLICE_FMT ", request ", SLICE_ARG(report->claim->meta.name));
        if (report->parent)
                buf_printf(out, SLICE_FMT "/", SLICE_ARG(report->parent->name));
        buf_slice(out, report->request->name);
}

static bool lacks_devices(const struct device_request_report *report) {
        return report->takes_all ? report->offered == report->refused[DEVICE_NOT_SELECTED] ||
                                           report->usable < report->wanted
                                 : report->usable < report->wanted;
}

static struct slice refusal_text(const struct device_request_report *report, struct arena *arena) {
        struct buf out = { 0 };

        put_name(&out, report);
        if (report->takes_all)
                buf_text(&out, ": wants all that are selected");
        else
                buf_printf(&out, ": wants %zu", report->wanted);
        buf_printf(&out, " of %zu devices", report->offered);
        for (size_t i = 0; i < DEVICE_REFUSAL_COUNT; i++) {
                if (report->refused[i] == 0)
                        continue;
                buf_printf(&out, ", %zu %s", report->refused[i], refusals[i]);
                if (i == DEVICE_NOT_TOLERATED)
                        buf_printf(&out, " (%s)", report->taint);
        }
        buf_printf(&out, ", %zu usable", report->usable);
        if (!lacks_devices(report))
                buf_text(&out, ", but not together with the other requests and constraints");
        if (report->pool_problem)
                buf_printf(&out, "; a pool is invalid: %s", report->pool_problem);
        return keep_text(arena, &out);
}

static struct slice constraint_text(const struct resource_claim *claim, struct arena *arena) {
        struct buf out = { 0 };

        for (size_t i = 0; i < claim->spec.constraint_count; i++) {
                const struct device_constraint *constraint = &claim->spec.constraints[i];
                bool matches = constraint->match_attribute.len;

                buf_printf(&out, "%s the constraint %s " SLICE_FMT, out.len ? ", or" : "without",
                           matches ? "matchAttribute" : "distinctAttribute",
                           SLICE_ARG(matches ? constraint->match_attribute
                                             : constraint->distinct_attribute));
        }
        return keep_text(arena, &out);
}

/* The change that asks for least: a toleration, devices that others give back, another request. */
static void add_change(const struct device_request_report *report, struct arena *arena,
                       struct refusal_detail *detail) {
        size_t missing = report->wanted > report->usable ? report->wanted - report->usable : 0;
        size_t busy = report->refused[DEVICE_IN_USE] + report->refused[DEVICE_WITHOUT_COUNTERS] +
                      report->refused[DEVICE_WITHOUT_CAPACITY];
        size_t selected = report->offered - report->refused[DEVICE_NOT_SELECTED];
        struct buf out = { 0 };

        detail->size = 1;
        if (!lacks_devices(report)) {
                detail->on_pod = constraint_text(report->claim, arena);
                return;
        }
        if (report->refused[DEVICE_NOT_TOLERATED] >= missing && report->taint) {
                put_name(&out, report);
                buf_printf(&out, ": tolerate %s", report->taint);
                detail->on_pod = keep_text(arena, &out);
        } else if (busy >= missing && missing) {
                detail->size = (int64_t)missing;
                buf_printf(&out, "%zu more free device%s for ", missing, missing > 1 ? "s" : "");
                put_name(&out, report);
                detail->on_node = keep_text(arena, &out);
        } else {
                detail->size = CHANGE_OF_REQUEST;
                put_name(&out, report);
                if (selected)
                        buf_printf(&out, ": want at most %zu", selected);
                else
                        buf_text(&out, ": select devices that the node has");
                detail->on_pod = keep_text(arena, &out);
        }
}

void device_refusals_say(const struct device_search *search, const struct device_node *node,
                         void (*say)(void *context, const struct refusal_detail *detail),
                         void *context) {
        struct device_request_report *reports;
        size_t count = device_reasons_find(search, node, &reports), lacking = 0;

        for (size_t i = 0; i < count; i++)
                lacking += lacks_devices(&reports[i]);
        for (size_t i = 0; i < count; i++) {
                struct refusal_detail detail = { .text = refusal_text(&reports[i], search->arena) };

                /* Where some request lacks devices, the others are not what stands in the way. */
                if (lacking && !lacks_devices(&reports[i]))
                        continue;
                add_change(&reports[i], search->arena, &detail);
                say(context, &detail);
        }
}
