/* Resource quotas at create: what is in use is counted from the objects themselves, so that objects
 * created in quick succession cannot pass together. As upstream, only quotas whose status shows
 * limits count: nothing is limited before their controller has seen them. */
#include "kinds/admit.h"

#include "api/object.h"
#include "api/quantity.h"
#include "api/quota_scope.h"
#include "base/arena.h"
#include "base/util.h"
#include <string.h>

#define MILLI 1000

/* One limited resource of one quota. */
struct limited {
        const struct kind_info *kind;
        const struct json *quota_spec;
        struct slice key;
        int64_t used_milli;
};

struct quota_check {
        struct kind_context *context;
        const struct json_node *object;
        const struct json *created; /* the same, parsed */
        struct slice ns;
        struct err *err;
        int result;
};

static bool has_prefix(struct slice text, const char *prefix, struct slice *ret_rest) {
        struct slice start = slice_of(prefix);

        if (!slice_has_prefix(text, start))
                return false;
        *ret_rest = slice_make(text.ptr + start.len, text.len - start.len);
        return true;
}

/* count/PLURAL.GROUP, or just the plural of a core resource. */
static bool quota_admit_counts(const struct kind_info *kind, struct slice key,
                               bool *ret_with_finished) {
        struct slice name = key, group = SLICE_EMPTY;

        *ret_with_finished = has_prefix(key, "count/", &name);
        if (*ret_with_finished) {
                group = name;
                slice_split(&group, '.', &name);
        }
        return slice_is(name, kind->plural) && slice_is(group, kind->group);
}

/* ---- how much an object uses ---- */

static int64_t in_milli(const char *name, int64_t amount) {
        return strcmp(name, "cpu") == 0 ? amount : amount * MILLI;
}

/* Name of the resource of pods that a key sums up; false when it is none. */
static bool summed_resource(struct slice key, struct slice *ret_name, bool *ret_is_limit) {
        *ret_is_limit = has_prefix(key, "limits.", ret_name);
        if (*ret_is_limit || has_prefix(key, "requests.", ret_name))
                return !slice_is(key, "requests.storage");
        *ret_name = key;
        return slice_is(key, "cpu") || slice_is(key, "memory") ||
               slice_is(key, "ephemeral-storage");
}

static int64_t pod_use(const struct limited *limited, const struct json *pod) {
        struct slice phase = json_get_text(json_get(pod, "status"), "phase"), name = SLICE_EMPTY;
        bool with_finished = false, is_limit = false;
        bool is_counted = quota_admit_counts(limited->kind, limited->key, &with_finished);
        bool is_finished = slice_is(phase, "Succeeded") || slice_is(phase, "Failed");
        struct pod_spec spec;
        struct arena arena;
        int64_t use = 0;

        if (is_finished && !with_finished)
                return 0;
        arena_init(&arena, 4096);
        if (pod_spec_decode(json_get(pod, "spec"), &arena, &spec, NULL) == 0 &&
            quota_covers_pod(limited->quota_spec, &spec)) {
                if (is_counted) {
                        use = MILLI;
                } else if (summed_resource(limited->key, &name, &is_limit)) {
                        struct resource_list requests = pod_spec_requests(&spec, false, &arena);
                        const char *text = arena_string(&arena, name);

                        use = in_milli(text, is_limit ? pod_spec_limit(&spec, text)
                                                      : resource_list_get(&requests, text, NULL));
                }
        }
        arena_release(&arena);
        return use;
}

static int64_t use_of(const struct limited *limited, const struct json *object) {
        bool with_finished;
        int64_t milli = 0;

        if (strcmp(limited->kind->plural, "pods") == 0 && !*limited->kind->group)
                return pod_use(limited, object);
        if (quota_admit_counts(limited->kind, limited->key, &with_finished))
                return MILLI;
        if (slice_is(limited->key, "requests.storage") &&
            strcmp(limited->kind->plural, "persistentvolumeclaims") == 0)
                quantity_milli(
                        json_get_text(json_get(json_get(json_get(object, "spec"), "resources"),
                                               "requests"),
                                      "storage"),
                        &milli, NULL);
        return milli;
}

static bool add_use(void *context, const struct json *object) {
        struct limited *limited = context;

        limited->used_milli += use_of(limited, object);
        return true;
}

/* ---- one quota ---- */

struct overrun {
        struct buf requested, used, hard;
};

static void amount_add(struct buf *out, struct slice key, int64_t milli) {
        char text[QUANTITY_TEXT_MAX];
        bool is_memory = slice_is(key, "memory") || memmem(key.ptr, key.len, ".memory", 7) ||
                         memmem(key.ptr, key.len, "storage", 7);

        if (is_memory)
                quantity_format_units(milli / MILLI, QUANTITY_BINARY_SI, text);
        else
                quantity_format_milli(milli, text);
        buf_printf(out, "%s" SLICE_FMT "=%s", out->len ? "," : "", SLICE_ARG(key), text);
}

static void check_resource(struct quota_check *check, const struct json *spec, struct slice key,
                           struct slice hard, struct overrun *overrun) {
        struct limited limited = { .kind = check->context->kind, .quota_spec = spec, .key = key };
        int64_t wanted = use_of(&limited, check->created), allowed = 0;

        if (wanted <= 0 || quantity_milli(hard, &allowed, NULL) < 0)
                return;
        check->context->each(check->context->engine, limited.kind->group, limited.kind->plural,
                             check->ns, add_use, &limited);
        if (limited.used_milli + wanted <= allowed)
                return;
        amount_add(&overrun->requested, key, wanted);
        amount_add(&overrun->used, key, limited.used_milli);
        amount_add(&overrun->hard, key, allowed);
}

static bool check_quota(void *context, const struct json *quota) {
        struct quota_check *check = context;
        struct json_iter iter = json_iter(json_get(json_get(quota, "status"), "hard"));
        struct overrun overrun = { 0 };
        const struct json *hard;
        struct slice key;

        while (json_next(&iter, &key, &hard))
                check_resource(check, json_get(quota, "spec"), key, json_text(hard), &overrun);
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

int quota_admit(struct kind_context *context, const struct json_node *object, struct slice ns,
                struct err *err) {
        struct quota_check check = { .context = context, .object = object, .ns = ns, .err = err };
        struct json_doc *doc = NULL;
        struct buf text = { 0 };

        if (ns.len == 0)
                return 0;
        node_write(object, &text);
        if (json_parse(buf_view(&text), &doc, NULL) == 0) {
                check.created = json_doc_root(doc);
                context->each(context->engine, "", "resourcequotas", ns, check_quota, &check);
        }
        json_doc_free(doc);
        buf_release(&text);
        return check.result;
}
