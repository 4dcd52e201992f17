/* Resource quotas: what is in use is what their status says, which every create, and every change
 * that takes more, is added to. As upstream, only quotas whose status shows limits count: nothing
 * is limited before their controller has seen them. */
#include "kinds/admit.h"
#include "kinds/quota_text.h"
#include "kinds/quota_use.h"

#include "api/object.h"
#include "api/quantity.h"
#include "api/quota_scope.h"
#include "base/arena.h"
#include "base/saturate.h"
#include "base/util.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MILLI 1000

struct quota_check {
        struct kind_context *context;
        const struct json_node *object;
        const struct json *created; /* the same, parsed */
        const struct json *old;     /* what the object was, NULL at create */
        struct slice ns;
        struct err *err;
        int result;
        const struct quota_charges *charges; /* once the object is admitted */
};

/* ---- one quota ---- */

struct overrun {
        struct buf requested, used, hard;
};

static void overrun_name(struct buf *out, struct slice key) {
        buf_printf(out, "%s" SLICE_FMT "=", out->len ? "," : "", SLICE_ARG(key));
}

static int compare_limited(const void *left, const void *right) {
        const struct limited *a = left, *b = right;

        return slice_compare(a->key, b->key);
}

/* All limits of a quota, then, sorted, those the object takes of. */
static void quota_use_begin(struct quota_use *use, struct quota_check *check,
                            const struct json *quota) {
        const struct json *hard = json_get(json_get(quota, "status"), "hard"), *amount;
        const struct json *reported = json_get(json_get(quota, "status"), "used");
        struct json_iter iter = json_iter(hard);
        struct slice key;
        size_t count = 0;

        *use = (struct quota_use){ .kind = check->context->kind,
                                   .spec = json_get(quota, "spec"),
                                   .limited = xcalloc(iter.count + 1, sizeof(*use->limited)) };
        while (json_next(&iter, &key, &amount)) {
                struct limited *limited = &use->limited[use->count++];

                *limited = (struct limited){ .key = key,
                                             .hard = json_text(amount),
                                             .used = json_text(json_get_slice(reported, key)) };
                quantity_milli(limited->used, &limited->used_milli, NULL);
        }
        quota_use_add(use, check->created);
        if (check->old)
                quota_use_take_off(use, check->old);
        for (size_t i = 0; i < use->count; i++)
                if (use->limited[i].wanted_milli > 0)
                        use->limited[count++] = use->limited[i];
        use->count = count;
        if (count > 1)
                qsort(use->limited, count, sizeof(*use->limited), compare_limited);
}

static void check_resource(const struct quota_check *check, const struct limited *limited,
                           struct overrun *overrun) {
        int64_t allowed = 0;

        if (quantity_milli(limited->hard, &allowed, NULL) < 0 ||
            sum_saturated(limited->used_milli, limited->wanted_milli) <= allowed)
                return;
        overrun_name(&overrun->requested, limited->key);
        quota_wanted_write(check->context->kind, limited, check->created, check->old,
                           &overrun->requested);
        overrun_name(&overrun->used, limited->key);
        buf_slice(&overrun->used, limited->used.len ? limited->used : SLICE_LITERAL("0"));
        overrun_name(&overrun->hard, limited->key);
        buf_slice(&overrun->hard, limited->hard);
}

/* ---- what containers must say ---- */

/* Amounts that a quota limits have to be said by every container: requests.cpu, or cpu for short.
 */
static const struct {
        const char *key, *list, *member;
} demanded[] = {
        { "cpu", "requests", "cpu" },
        { "limits.cpu", "limits", "cpu" },
        { "limits.memory", "limits", "memory" },
        { "memory", "requests", "memory" },
        { "requests.cpu", "requests", "cpu" },
        { "requests.memory", "requests", "memory" },
};

static void names_without(const struct json *pod, size_t index, struct buf *out) {
        static const char *const lists[] = { "containers", "initContainers" };
        const struct json *spec = json_get(pod, "spec"), *container;

        for (size_t i = 0; i < ARRAY_LEN(lists); i++) {
                struct json_iter iter = json_iter(json_get(spec, lists[i]));

                while (json_next(&iter, NULL, &container)) {
                        const struct json *amounts =
                                json_get(json_get(container, "resources"), demanded[index].list);

                        if (!json_get(amounts, demanded[index].member))
                                buf_printf(out, "%s" SLICE_FMT, out->len ? "," : "",
                                           SLICE_ARG(json_get_text(container, "name")));
                }
        }
}

/* "cpu for: a,b; memory for: a" */
static void demands_write(const struct json *quota, const struct json *pod, struct buf *out) {
        const struct json *hard = json_get(json_get(quota, "status"), "hard");

        for (size_t i = 0; i < ARRAY_LEN(demanded); i++) {
                struct buf names = { 0 };

                if (json_get(hard, demanded[i].key))
                        names_without(pod, i, &names);
                if (names.len)
                        buf_printf(out, "%s%s for: %s", out->len ? "; " : "", demanded[i].key,
                                   names.data);
                buf_release(&names);
        }
}

static bool is_quota_about(const struct json *quota, const struct json *pod) {
        const struct json *quota_spec = json_get(quota, "spec");
        bool is_covered = false;
        struct pod_spec spec;
        struct arena arena;

        arena_init(&arena, 4096);
        is_covered = pod_spec_decode(json_get(pod, "spec"), &arena, &spec, NULL) == 0 &&
                     quota_covers_pod(quota_spec, &spec) &&
                     quota_abroad_scope_is_met(quota_spec, pod);
        arena_release(&arena);
        return is_covered;
}

static bool check_demands(struct quota_check *check, const struct json *quota) {
        struct buf text = { 0 };

        /* A pod that says its resources as a whole need not say those of its containers. */
        if (!quota_is_core_kind(check->context->kind, "pods") ||
            json_get(json_get(check->created, "spec"), "resources") ||
            !is_quota_about(quota, check->created))
                return true;
        demands_write(quota, check->created, &text);
        if (text.len)
                check->result = admit_forbid(
                        check->context, check->object, check->err,
                        "failed quota: " SLICE_FMT ": must specify %s",
                        SLICE_ARG(json_get_text(json_get(quota, "metadata"), "name")), text.data);
        buf_release(&text);
        return check->result == 0;
}

/* ---- what is in use must be known ---- */

static int compare_keys(const void *left, const void *right) {
        return slice_compare(*(const struct slice *)left, *(const struct slice *)right);
}

/* Writes the limits that objects of the kind take of, sorted, when the use of one is unknown. */
static bool unknown_write(const struct kind_info *kind, const struct json *status,
                          struct buf *out) {
        struct json_iter iter = json_iter(json_get(status, "hard"));
        struct slice *keys = xcalloc(iter.count + 1, sizeof(*keys)), key;
        bool is_unknown = false;
        size_t count = 0;

        while (json_next(&iter, &key, NULL)) {
                if (!quota_is_used_by(kind, key))
                        continue;
                keys[count++] = key;
                is_unknown |= !json_get_slice(json_get(status, "used"), key);
        }
        if (is_unknown)
                qsort(keys, count, sizeof(*keys), compare_keys);
        for (size_t i = 0; is_unknown && i < count; i++)
                buf_printf(out, "%s" SLICE_FMT, i ? "," : "", SLICE_ARG(keys[i]));
        free(keys);
        return is_unknown;
}

static bool check_known(struct quota_check *check, const struct json *quota) {
        const struct kind_info *kind = check->context->kind;
        bool is_about =
                quota_is_core_kind(kind, "pods")
                        ? is_quota_about(quota, check->created)
                        : quota_covers_object(kind, json_get(quota, "spec"), check->created);
        CLEANUP(buf_release) struct buf names = { 0 };

        if (is_about && unknown_write(kind, json_get(quota, "status"), &names))
                check->result = admit_forbid(
                        check->context, check->object, check->err,
                        "status unknown for quota: " SLICE_FMT ", resources: %s",
                        SLICE_ARG(json_get_text(json_get(quota, "metadata"), "name")), names.data);
        return check->result == 0;
}

static bool check_ready(void *context, const struct json *quota) {
        return check_demands(context, quota) && check_known(context, quota);
}

static bool check_quota(void *context, const struct json *quota) {
        struct quota_check *check = context;
        struct overrun overrun = { 0 };
        struct quota_use use;

        quota_use_begin(&use, check, quota);
        for (size_t i = 0; i < use.count; i++)
                check_resource(check, &use.limited[i], &overrun);
        free(use.limited);
        if (overrun.requested.len)
                check->result = admit_forbid(
                        check->context, check->object, check->err,
                        "exceeded quota: " SLICE_FMT ", requested: %s, used: %s, limited: %s",
                        SLICE_ARG(json_get_text(json_get(quota, "metadata"), "name")),
                        overrun.requested.data, overrun.used.data, overrun.hard.data);
        buf_release(&overrun.requested);
        buf_release(&overrun.used);
        buf_release(&overrun.hard);
        return check->result == 0;
}

static bool charge_quota(void *context, const struct json *quota) {
        struct quota_check *check = context;
        struct quota_use use;

        quota_use_begin(&use, check, quota);
        for (size_t i = 0; i < use.count; i++) {
                const struct limited *limited = &use.limited[i];
                CLEANUP(buf_release) struct buf text = { 0 };

                quota_used_write(check->context->kind, limited, check->created, check->old, &text);
                check->charges->visit(check->charges->context,
                                      json_get_text(json_get(quota, "metadata"), "name"),
                                      limited->key, buf_view(&text));
        }
        free(use.limited);
        return true;
}

/* Pods that end by themselves are what some scopes are about. */
static bool is_end_changed(const struct quota_check *check) {
        static const char deadline[] = "activeDeadlineSeconds";
        int64_t old = json_get_i64(json_get(check->old, "spec"), deadline, -1);

        return (node_get_i64(node_get(check->object, "spec"), deadline, -1) >= 0) != (old >= 0);
}

/* Changes that may take more: of the kinds of which more than their number is counted. */
static bool is_counted(const struct quota_check *check) {
        struct slice subresource = check->context->subresource;
        const struct kind_info *kind = check->context->kind;

        if (!check->old || (quota_is_core_kind(kind, "pods") && slice_is(subresource, "resize")))
                return true;
        if (quota_is_core_kind(kind, "persistentvolumeclaims"))
                return subresource.len == 0 || slice_is(subresource, "status");
        if (subresource.len)
                return false;
        if (quota_is_core_kind(kind, "pods"))
                return is_end_changed(check);
        return quota_is_core_kind(kind, "services") || strcmp(kind->plural, "resourceclaims") == 0;
}

static void visit_quotas(struct quota_check *check,
                         bool (*visit)(void *context, const struct json *quota)) {
        if (check->ns.len == 0 || !is_counted(check))
                return;
        struct json_doc *doc = json_doc_of(check->object);
        if (doc) {
                check->created = json_doc_root(doc);
                check->context->each(check->context->engine, "", "resourcequotas", check->ns, visit,
                                     check);
        }
        json_doc_free(doc);
}

int quota_admit(struct kind_context *context, const struct json_node *object,
                const struct json *old, struct slice ns, struct err *err) {
        struct quota_check check = {
                .context = context, .object = object, .old = old, .ns = ns, .err = err
        };

        visit_quotas(&check, check_ready);
        if (check.result == 0 && !slice_is(context->subresource, "status"))
                visit_quotas(&check, check_quota);
        return check.result;
}

void quota_charge(struct kind_context *context, const struct json_node *object,
                  const struct json *old, struct slice ns, const struct quota_charges *charges) {
        struct quota_check check = {
                .context = context, .object = object, .old = old, .ns = ns, .charges = charges
        };

        visit_quotas(&check, charge_quota);
}
