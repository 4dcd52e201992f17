/* LimitRange admission: default requests and limits of containers, then lower and upper bounds of
 * containers and whole pods. */
#include "kinds/admit.h"

#include "api/quantity.h"
#include "base/arena.h"
#include "base/text_set.h"
#include "base/util.h"
#include "kinds/defaults.h"
#include <stdio.h>
#include <stdlib.h>

#define LIMIT_RANGER_NOTE "kubernetes.io/limit-ranger"
#define FILLED_MAX 200000 /* amounts; a pod with so many more is larger than any that is stored */

struct limiter {
        struct json_tree *tree;
        struct json_node *pod;
        struct buf note;     /* what was filled in */
        struct buf problems; /* joined by commas */
        struct text_set complaints;
        struct arena *arena; /* of their texts */
        size_t filled_count;
};

/* ---- defaults ---- */

static void note_defaults(struct limiter *limiter, const struct json_node *container,
                          const struct buf *set, const char *what, bool is_init) {
        if (set->len == 0)
                return;
        buf_printf(&limiter->note, "%s" SLICE_FMT " %s for %scontainer " SLICE_FMT,
                   limiter->note.len ? "; " : "", SLICE_ARG(buf_view(set)), what,
                   is_init ? "init " : "", SLICE_ARG(node_get_text(container, "name")));
}

static int compare_names(const void *a, const void *b) {
        return slice_compare(*(const struct slice *)a, *(const struct slice *)b);
}

/* Fills the gaps of one list; names what it set, in order. */
static void limit_range_admit_fill(struct limiter *limiter, struct json_node *resources,
                                   const char *list, const struct json *defaults, struct buf *set) {
        struct json_iter iter = json_iter(defaults);
        const struct json *amount;
        struct slice name;
        size_t count = 0;

        if (json_count(defaults) == 0)
                return;
        struct slice *names = xcalloc(json_count(defaults), sizeof(*names));
        struct json_node *target = node_need_object(limiter->tree, resources, list);
        while (limiter->filled_count <= FILLED_MAX && json_next(&iter, &name, &amount)) {
                if (node_find(target, name))
                        continue;
                limiter->filled_count++;
                node_set(limiter->tree, target, name, node_import(limiter->tree, amount));
                names[count++] = name;
        }
        qsort(names, count, sizeof(*names), compare_names);
        for (size_t i = 0; i < count; i++)
                buf_printf(set, "%s" SLICE_FMT, i ? ", " : "", SLICE_ARG(names[i]));
        free(names);
}

static void fill_container(struct limiter *limiter, struct json_node *container,
                           const struct json *item, bool is_init) {
        struct json_node *resources = node_need_object(limiter->tree, container, "resources");
        struct buf requests = { 0 }, limits = { 0 };

        limit_range_admit_fill(limiter, resources, "limits", json_get(item, "default"), &limits);
        limit_range_admit_fill(limiter, resources, "requests", json_get(item, "defaultRequest"),
                               &requests);
        note_defaults(limiter, container, &requests, "request", is_init);
        note_defaults(limiter, container, &limits, "limit", is_init);
        buf_release(&requests);
        buf_release(&limits);
}

/* ---- bounds ---- */

/* One bound on one resource. */
struct limit_bound {
        const char *name; /* minimum or maximum */
        const char *type; /* Container or Pod */
        struct slice resource, amount;
};

/* The same of several containers is said once. */
static void add_complaint(struct limiter *limiter, const char *text) {
        if (text_set_add(&limiter->complaints, slice_of(text)))
                buf_printf(&limiter->problems, "%s%s", limiter->problems.len ? ", " : "", text);
}

static void limit_range_admit_complain(struct limiter *limiter, const struct limit_bound *bound,
                                       const char *rest, struct slice amount) {
        add_complaint(limiter,
                      arena_printf(limiter->arena,
                                   "%s " SLICE_FMT " usage per %s is " SLICE_FMT "%s" SLICE_FMT,
                                   bound->name, SLICE_ARG(bound->resource), bound->type,
                                   SLICE_ARG(bound->amount), rest, SLICE_ARG(amount)));
}

static int limit_range_admit_order(struct slice a, struct slice b) {
        int result = 0;

        quantity_compare(a, b, &result, NULL);
        return result;
}

static void check_minimum(struct limiter *limiter, const struct limit_bound *bound,
                          const struct json_node *resources) {
        struct json_node *request = node_find(node_get(resources, "requests"), bound->resource);
        struct json_node *limit = node_find(node_get(resources, "limits"), bound->resource);

        if (!request)
                limit_range_admit_complain(limiter, bound, ".  No request is specified",
                                           SLICE_EMPTY);
        else if (limit_range_admit_order(node_get_slice(request), bound->amount) < 0)
                limit_range_admit_complain(limiter, bound, ", but request is ",
                                           node_get_slice(request));
        else if (limit && limit_range_admit_order(node_get_slice(limit), bound->amount) < 0)
                limit_range_admit_complain(limiter, bound, ", but limit is ",
                                           node_get_slice(limit));
}

static void check_maximum(struct limiter *limiter, const struct limit_bound *bound,
                          const struct json_node *resources) {
        struct json_node *request = node_find(node_get(resources, "requests"), bound->resource);
        struct json_node *limit = node_find(node_get(resources, "limits"), bound->resource);

        if (!limit)
                limit_range_admit_complain(limiter, bound, ".  No limit is specified", SLICE_EMPTY);
        else if (limit_range_admit_order(node_get_slice(limit), bound->amount) > 0)
                limit_range_admit_complain(limiter, bound, ", but limit is ",
                                           node_get_slice(limit));
        else if (request && limit_range_admit_order(node_get_slice(request), bound->amount) > 0)
                limit_range_admit_complain(limiter, bound, ", but request is ",
                                           node_get_slice(request));
}

static void complain_ratio(struct limiter *limiter, const struct limit_bound *bound,
                           const char *rest) {
        add_complaint(limiter,
                      arena_printf(limiter->arena,
                                   SLICE_FMT " max limit to request ratio per %s is " SLICE_FMT
                                             ", but %s",
                                   SLICE_ARG(bound->resource), bound->type,
                                   SLICE_ARG(bound->amount), rest));
}

/* How many times its request a limit may be. */
static void check_ratio(struct limiter *limiter, const struct limit_bound *bound,
                        const struct json_node *resources) {
        struct json_node *request = node_find(node_get(resources, "requests"), bound->resource);
        struct json_node *limit = node_find(node_get(resources, "limits"), bound->resource);
        int64_t request_milli = 0, limit_milli = 0, allowed_milli = 0;
        char text[64];
        double ratio;

        quantity_milli(node_get_slice(request), &request_milli, NULL);
        quantity_milli(node_get_slice(limit), &limit_milli, NULL);
        quantity_milli(bound->amount, &allowed_milli, NULL);
        if (request_milli == 0) {
                complain_ratio(limiter, bound, "no request is specified or request is 0");
        } else if (limit_milli == 0) {
                complain_ratio(limiter, bound, "no limit is specified or limit is 0");
        } else {
                ratio = (double)limit_milli / (double)request_milli;
                snprintf(text, sizeof(text), "provided ratio is %f", ratio);
                if (ratio * 1000 > (double)allowed_milli)
                        complain_ratio(limiter, bound, text);
        }
}

static void check_bounds(struct limiter *limiter, const struct json *item, const char *type,
                         const struct json_node *resources) {
        struct json_iter minima = json_iter(json_get(item, "min"));
        struct json_iter maxima = json_iter(json_get(item, "max"));
        struct json_iter ratios = json_iter(json_get(item, "maxLimitRequestRatio"));
        struct limit_bound bound = { .name = "minimum", .type = type };
        const struct json *amount;

        while (json_next(&minima, &bound.resource, &amount)) {
                bound.amount = json_text(amount);
                check_minimum(limiter, &bound, resources);
        }
        bound.name = "maximum";
        while (json_next(&maxima, &bound.resource, &amount)) {
                bound.amount = json_text(amount);
                check_maximum(limiter, &bound, resources);
        }
        while (json_next(&ratios, &bound.resource, &amount)) {
                bound.amount = json_text(amount);
                check_ratio(limiter, &bound, resources);
        }
}

static void add_amounts(struct limiter *limiter, struct json_node *sums,
                        const struct json_node *amounts) {
        struct node_iter iter = node_iter(amounts);
        struct json_node *amount, *sum;
        struct slice name;

        while (node_next(&iter, &name, &amount)) {
                struct buf text = { 0 };

                sum = node_find(sums, name);
                if (sum && quantity_sum(node_get_slice(sum), node_get_slice(amount), false, &text,
                                        NULL) == 0)
                        node_set(limiter->tree, sums, name,
                                 node_text(limiter->tree, buf_view(&text)));
                else if (!sum)
                        node_set(limiter->tree, sums, name, node_clone(limiter->tree, amount));
                buf_release(&text);
        }
}

static void raise_amounts(struct limiter *limiter, struct json_node *peaks,
                          const struct json_node *amounts) {
        struct node_iter iter = node_iter(amounts);
        struct json_node *amount, *peak;
        struct slice name;

        while (node_next(&iter, &name, &amount)) {
                peak = node_find(peaks, name);
                if (!peak ||
                    limit_range_admit_order(node_get_slice(amount), node_get_slice(peak)) > 0)
                        node_set(limiter->tree, peaks, name, node_clone(limiter->tree, amount));
        }
}

/* Init containers run one after another, each beside the sidecars that were started before it: the
 * pod needs what the largest of them needs, if that is more than all that stay. */
static void add_init_amounts(struct limiter *limiter, struct json_node *sums, const char *list) {
        struct json_node *sidecars = node_object(limiter->tree);
        struct json_node *peaks = node_object(limiter->tree), *container;
        struct node_iter iter =
                node_iter(node_get(node_get(limiter->pod, "spec"), "initContainers"));

        while (node_next(&iter, NULL, &container)) {
                const struct json_node *amounts = node_get(object_at(container, "resources"), list);
                struct json_node *now = sidecars;

                if (slice_is(node_get_text(container, "restartPolicy"), "Always"))
                        add_amounts(limiter, sums, amounts);
                else
                        now = node_clone(limiter->tree, sidecars);
                add_amounts(limiter, now, amounts);
                raise_amounts(limiter, peaks, now);
        }
        raise_amounts(limiter, sums, peaks);
}

/* What the pod asks for as a whole stands for what its containers ask for. */
static void take_pod_amounts(struct limiter *limiter, struct json_node *sums, const char *list) {
        static const char *const names[] = { "cpu", "memory" };
        const struct json_node *spec = node_get(limiter->pod, "spec");
        const struct json_node *amounts = node_get(node_get(spec, "resources"), list);

        for (size_t i = 0; i < ARRAY_LEN(names); i++)
                if (node_get(amounts, names[i]))
                        node_put(limiter->tree, sums, names[i],
                                 node_clone(limiter->tree, node_get(amounts, names[i])));
}

/* Requests and limits of the pod. */
static struct json_node *pod_resources(struct limiter *limiter) {
        static const char *const lists[] = { "requests", "limits" };
        struct json_node *resources = node_object(limiter->tree), *container;

        for (size_t i = 0; i < ARRAY_LEN(lists); i++) {
                struct json_node *sums = node_need_object(limiter->tree, resources, lists[i]);
                struct node_iter iter =
                        node_iter(node_get(node_get(limiter->pod, "spec"), "containers"));

                while (node_next(&iter, NULL, &container))
                        add_amounts(limiter, sums,
                                    node_get(object_at(container, "resources"), lists[i]));
                add_init_amounts(limiter, sums, lists[i]);
                take_pod_amounts(limiter, sums, lists[i]);
        }
        return resources;
}

/* ---- the whole ---- */

static void each_container(struct limiter *limiter, const struct json *item,
                           void (*act)(struct limiter *, struct json_node *, const struct json *,
                                       bool)) {
        static const char *const lists[] = { "containers", "initContainers" };
        struct json_node *container;

        for (size_t i = 0; i < ARRAY_LEN(lists); i++) {
                struct node_iter iter =
                        node_iter(node_get(node_get(limiter->pod, "spec"), lists[i]));

                while (node_next(&iter, NULL, &container))
                        act(limiter, container, item, i == 1);
        }
}

static void check_container(struct limiter *limiter, struct json_node *container,
                            const struct json *item, bool is_init) {
        (void)is_init;
        check_bounds(limiter, item, "Container", object_at(container, "resources"));
}

static bool visit_fill(void *context, const struct json *range) {
        struct json_iter iter = json_iter(json_get(json_get(range, "spec"), "limits"));
        const struct json *item;

        while (json_next(&iter, NULL, &item))
                if (slice_is(json_get_text(item, "type"), "Container"))
                        each_container(context, item, fill_container);
        return true;
}

/* The first range that is not kept to is the one that is complained of. */
static bool visit_check(void *context, const struct json *range) {
        struct json_iter iter = json_iter(json_get(json_get(range, "spec"), "limits"));
        struct limiter *limiter = context;
        const struct json *item;

        while (json_next(&iter, NULL, &item)) {
                if (slice_is(json_get_text(item, "type"), "Container"))
                        each_container(limiter, item, check_container);
                else if (slice_is(json_get_text(item, "type"), "Pod"))
                        check_bounds(limiter, item, "Pod", pod_resources(limiter));
        }
        return limiter->problems.len == 0;
}

static void write_note(struct limiter *limiter) {
        struct json_node *metadata = node_need_object(limiter->tree, limiter->pod, "metadata");
        struct buf text = { 0 };

        buf_printf(&text, "LimitRanger plugin set: " SLICE_FMT,
                   SLICE_ARG(buf_view(&limiter->note)));
        node_put_text(limiter->tree, node_need_object(limiter->tree, metadata, "annotations"),
                      LIMIT_RANGER_NOTE, buf_view(&text));
        buf_release(&text);
}

/* New ones, claims that change and pods that are resized; not what is being deleted. */
static bool is_limited(const struct kind_context *context, const struct json *old) {
        const char *plural = context->kind->plural;
        bool is_pod = strcmp(plural, "pods") == 0;

        if (*context->kind->group || (!is_pod && strcmp(plural, "persistentvolumeclaims") != 0))
                return false;
        if (!old)
                return true;
        if (json_get_text(json_get(old, "metadata"), "deletionTimestamp").len)
                return false;
        return is_pod ? slice_is(context->subresource, "resize") : context->subresource.len == 0;
}

int limit_range_admit(struct kind_context *context, struct json_tree *tree, struct json_node *pod,
                      const struct json *old, struct err *err) {
        struct slice ns = node_get_text(node_get(pod, "metadata"), "namespace");
        struct limiter limiter = { .tree = tree, .pod = pod };

        if (!context->each || ns.len == 0 || !is_limited(context, old))
                return 0;
        context->each(context->engine, "", "limitranges", ns, visit_fill, &limiter);
        if (limiter.filled_count > FILLED_MAX) {
                buf_release(&limiter.note);
                return err_set(err, BERTH_ERR_INTERNAL, "etcdserver: request is too large");
        }
        if (limiter.note.len)
                write_note(&limiter);
        buf_release(&limiter.note);
        return 0;
}

/* ---- claims ---- */

static void check_claim_bound(struct limiter *limiter, const struct limit_bound *bound,
                              bool is_minimum) {
        const struct json_node *resources = node_get(node_get(limiter->pod, "spec"), "resources");
        struct json_node *request = node_find(node_get(resources, "requests"), bound->resource);

        if (!request) {
                limit_range_admit_complain(limiter, bound, ".  No request is specified",
                                           SLICE_EMPTY);
                return;
        }
        int order = limit_range_admit_order(node_get_slice(request), bound->amount);
        if (is_minimum ? order < 0 : order > 0)
                limit_range_admit_complain(limiter, bound, ", but request is ",
                                           node_get_slice(request));
}

static void check_claim_bounds(struct limiter *limiter, const struct json *item, bool is_minimum) {
        struct limit_bound bound = { .name = is_minimum ? "minimum" : "maximum",
                                     .type = "PersistentVolumeClaim" };
        struct json_iter iter = json_iter(json_get(item, is_minimum ? "min" : "max"));
        const struct json *amount;

        while (json_next(&iter, &bound.resource, &amount)) {
                bound.amount = json_text(amount);
                check_claim_bound(limiter, &bound, is_minimum);
        }
}

static bool visit_claim(void *context, const struct json *range) {
        struct json_iter iter = json_iter(json_get(json_get(range, "spec"), "limits"));
        struct limiter *limiter = context;
        const struct json *item;

        while (json_next(&iter, NULL, &item))
                if (slice_is(json_get_text(item, "type"), "PersistentVolumeClaim")) {
                        check_claim_bounds(limiter, item, true);
                        check_claim_bounds(limiter, item, false);
                }
        return limiter->problems.len == 0;
}

int limit_range_judge(struct kind_context *context, struct json_tree *tree,
                      struct json_node *object, const struct json *old, struct err *err) {
        struct slice ns = node_get_text(node_get(object, "metadata"), "namespace");
        bool is_pod = strcmp(context->kind->plural, "pods") == 0;
        struct limiter limiter = { .tree = tree, .pod = object, .arena = context->scratch };
        int r = 0;

        if (!context->each || ns.len == 0 || !is_limited(context, old))
                return 0;
        context->each(context->engine, "", "limitranges", ns, is_pod ? visit_check : visit_claim,
                      &limiter);
        bool is_several = limiter.complaints.count > 1;
        if (limiter.problems.len)
                r = admit_forbid(context, object, err, "%s" SLICE_FMT "%s", is_several ? "[" : "",
                                 SLICE_ARG(buf_view(&limiter.problems)), is_several ? "]" : "");
        buf_release(&limiter.problems);
        text_set_release(&limiter.complaints);
        return r;
}
