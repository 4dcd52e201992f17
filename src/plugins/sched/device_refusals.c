/* Refusals of DynamicResources in words, for explanations. */
#include "plugins/sched/device_refusals.h"

#include "base/buf.h"
#include "base/util.h"
#include "devices/device_reasons.h"

#define CHANGE_OF_REQUEST 10 /* as much as so many devices that others give back */

static const char *const refusals[DEVICE_REFUSAL_COUNT] = {
        [DEVICE_NOT_SELECTED] = "not selected",
        [DEVICE_NOT_TOLERATED] = "tainted",
        [DEVICE_IN_USE] = "in use",
        [DEVICE_WITHOUT_COUNTERS] = "without counters left",
        [DEVICE_TOO_SMALL] = "too small",
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

#define NAMES_MAX 3 /* of what refuses, with the most devices first */

/* The next one by how many devices it refuses first; NULL: no more. */
static const struct device_obstacle *next_obstacle(const struct device_request_report *report,
                                                   enum device_refusal kind,
                                                   const struct device_obstacle *last) {
        const struct device_obstacle *best = NULL;

        for (size_t i = 0; i < report->obstacle_count; i++) {
                const struct device_obstacle *one = &report->obstacles[i];
                bool is_behind = !last || one->first < last->first ||
                                 (one->first == last->first && one > last);

                if (one->kind == kind && one->first && one->name[0] && is_behind &&
                    (!best || one->first > best->first))
                        best = one;
        }
        return best;
}

static void put_obstacles(struct buf *out, const struct device_request_report *report,
                          enum device_refusal kind) {
        const struct device_obstacle *one = next_obstacle(report, kind, NULL);
        size_t named = 0;

        if (!one)
                return;
        for (size_t i = 0; one && i < NAMES_MAX; i++) {
                buf_text(out, i ? "; " : " (");
                if (one->first < report->refused[kind])
                        buf_printf(out, "%zu: ", one->first);
                buf_text(out, one->name);
                named += one->first;
                one = next_obstacle(report, kind, one);
        }
        if (named < report->refused[kind])
                buf_printf(out, "; %zu others", report->refused[kind] - named);
        buf_char(out, ')');
}

static void put_constraint(struct buf *out, const struct device_constraint *constraint) {
        bool is_match = constraint->match_attribute.len;

        buf_printf(
                out, "%s " SLICE_FMT, is_match ? "matchAttribute" : "distinctAttribute",
                SLICE_ARG(is_match ? constraint->match_attribute : constraint->distinct_attribute));
}

/* What keeps claims apart whose requests have devices enough. */
struct blocking_constraint {
        const struct device_constraint *constraint; /* NULL: not one alone */
        const struct resource_claim *claim;
        bool are_counters; /* but what devices share */
};

static struct slice refusal_text(const struct device_request_report *report,
                                 const struct blocking_constraint *blocking, struct arena *arena) {
        struct buf out = { 0 };

        put_name(&out, report);
        if (report->takes_all)
                buf_text(&out, ": wants all that are selected");
        else
                buf_printf(&out, ": wants %zu", report->wanted);
        buf_printf(&out, " of %zu devices", report->offered);
        for (int i = 0; i < DEVICE_REFUSAL_COUNT; i++) {
                if (report->refused[i] == 0)
                        continue;
                buf_printf(&out, ", %zu %s", report->refused[i], refusals[i]);
                put_obstacles(&out, report, (enum device_refusal)i);
        }
        buf_printf(&out, ", %zu usable", report->usable);
        if (!lacks_devices(report) && blocking->constraint) {
                buf_text(&out, ", but not together under the constraint ");
                put_constraint(&out, blocking->constraint);
        } else if (!lacks_devices(report) && blocking->are_counters) {
                buf_text(&out, ", but not together under the counters that they share");
        } else if (!lacks_devices(report)) {
                buf_text(&out, ", but not together with the other requests and constraints");
        }
        if (report->bad_pools)
                buf_printf(&out, "; devices that do not count: %s", report->bad_pools);
        return keep_text(arena, &out);
}

static struct slice constraint_text(const struct resource_claim *claim,
                                    const struct blocking_constraint *blocking,
                                    struct arena *arena) {
        struct buf out = { 0 };

        if (blocking->constraint) {
                buf_printf(&out, "claim " SLICE_FMT ": without the constraint ",
                           SLICE_ARG(blocking->claim->meta.name));
                put_constraint(&out, blocking->constraint);
                return keep_text(arena, &out);
        }
        if (blocking->are_counters) {
                buf_printf(&out, "claim " SLICE_FMT ": want fewer devices",
                           SLICE_ARG(claim->meta.name));
                return keep_text(arena, &out);
        }
        for (size_t i = 0; i < claim->spec.constraint_count; i++) {
                buf_text(&out, out.len ? ", or the constraint " : "without the constraint ");
                put_constraint(&out, &claim->spec.constraints[i]);
        }
        return keep_text(arena, &out);
}

/* A class says what a device is: without its selector the request asks for something else. */
static bool is_of_class(const struct device_obstacle *one) {
        return slice_has_prefix(slice_of(one->name), SLICE_LITERAL("class "));
}

/* The one that alone keeps enough devices away; NULL: none does. */
static const struct device_obstacle *sole_obstacle(const struct device_request_report *report,
                                                   enum device_refusal kind, size_t missing) {
        const struct device_obstacle *best = NULL;

        for (size_t i = 0; i < report->obstacle_count; i++) {
                const struct device_obstacle *one = &report->obstacles[i];

                bool is_class = kind == DEVICE_NOT_SELECTED && is_of_class(one);

                if (one->kind == kind && !is_class && one->alone >= missing && one->alone &&
                    (!best || one->alone > best->alone))
                        best = one;
        }
        return best;
}

static const struct {
        enum device_refusal kind;
        const char *change;
        int64_t size;
} changes[] = {
        { DEVICE_NOT_TOLERATED, "tolerate ", 1 },
        { DEVICE_TOO_SMALL, "want less of ", 1 },
        { DEVICE_WITHOUT_CAPACITY, "want less of ", 1 },
        { DEVICE_NOT_SELECTED, "without the selector ", CHANGE_OF_REQUEST },
};

static bool add_sole_change(const struct device_request_report *report, size_t missing, size_t at,
                            struct arena *arena, struct refusal_detail *detail) {
        const struct device_obstacle *one = sole_obstacle(report, changes[at].kind, missing);
        struct buf out = { 0 };

        if (!one)
                return false;
        put_name(&out, report);
        buf_printf(&out, ": %s%s", changes[at].change, one->name);
        detail->on_pod = keep_text(arena, &out);
        detail->size = changes[at].size;
        return true;
}

static void add_free_devices(const struct device_request_report *report, size_t missing,
                             struct arena *arena, struct refusal_detail *detail) {
        struct buf out = { 0 };

        detail->size = (int64_t)missing;
        buf_printf(&out, "%zu more free device%s for ", missing, missing > 1 ? "s" : "");
        put_name(&out, report);
        detail->on_node = keep_text(arena, &out);
}

/* The change that asks for least: a toleration, less of a capacity, devices that others give back,
 * a selector less, another request. */
static void add_change(const struct device_request_report *report,
                       const struct blocking_constraint *blocking, struct arena *arena,
                       struct refusal_detail *detail) {
        size_t missing = report->wanted > report->usable ? report->wanted - report->usable : 0;
        size_t busy = report->refused[DEVICE_IN_USE] + report->refused[DEVICE_WITHOUT_COUNTERS] +
                      report->refused[DEVICE_WITHOUT_CAPACITY];
        size_t selected = report->offered - report->refused[DEVICE_NOT_SELECTED];
        struct buf out = { 0 };

        detail->size = 1;
        if (!lacks_devices(report)) {
                detail->on_pod = constraint_text(report->claim, blocking, arena);
                return;
        }
        if (busy >= missing && missing)
                add_free_devices(report, missing, arena, detail);
        for (size_t i = 0; i < ARRAY_LEN(changes); i++)
                if ((changes[i].kind != DEVICE_NOT_SELECTED || !detail->on_node.len) &&
                    add_sole_change(report, missing, i, arena, detail))
                        return;
        if (detail->on_node.len)
                return;
        detail->size = CHANGE_OF_REQUEST;
        if (!selected && report->bad_pools) {
                buf_printf(&out, "its pools are complete and valid (%s)", report->bad_pools);
                detail->on_node = keep_text(arena, &out);
                return;
        }
        put_name(&out, report);
        if (selected)
                buf_printf(&out, ": want at most %zu", selected);
        else
                buf_text(&out, ": select devices that the node has");
        detail->on_pod = keep_text(arena, &out);
}

void device_refusals_say(const struct device_search *search, const struct device_node *node,
                         void (*say)(void *context, const struct refusal_detail *detail),
                         void *context) {
        struct device_request_report *reports;
        struct blocking_constraint blocking = { 0 };
        size_t count = device_reasons_find(search, node, &reports), lacking = 0;

        for (size_t i = 0; i < count; i++)
                lacking += lacks_devices(&reports[i]);
        if (count && !lacking)
                blocking.constraint = device_reasons_constraint(search, node, &blocking.claim);
        if (count && !lacking && !blocking.constraint)
                blocking.are_counters = device_reasons_counters(search, node);
        for (size_t i = 0; i < count; i++) {
                struct refusal_detail detail = { .text = refusal_text(&reports[i], &blocking,
                                                                      search->arena) };

                /* Where some request lacks devices, the others are not what stands in the way. */
                if (lacking && !lacks_devices(&reports[i]))
                        continue;
                add_change(&reports[i], &blocking, search->arena, &detail);
                say(context, &detail);
        }
}
