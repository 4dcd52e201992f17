/* Resource quotas: how much of what a quota limits is in use. */
#include "api/object.h"
#include "api/quantity.h"
#include "api/quota_scope.h"
#include "base/saturate.h"
#include "base/util.h"
#include "control/pod_owner.h"
#include <stdio.h>
#include <stdlib.h>

/* ---- hearing ---- */

static bool queue_quota(void *context, const struct store_object *object) {
        struct controller_run *run = context;

        work_queue_add(run->queue, store_object_ns(object), store_object_name(object));
        return true;
}

/* Usage changes with what comes and goes, and with pods that end. */
static void resource_quota_changed(struct controller_run *run, struct change *change) {
        const struct resource_numbers *number = &run->control->resource;
        const struct store_event *event = change->event;
        struct slice ns = store_object_ns(event->object);

        if (ns.len == 0 || store_count(run->control->store, number->quotas) == 0)
                return;
        if (change->resource == number->quotas && event->type != STORE_DELETED)
                work_queue_add(run->queue, ns, store_object_name(event->object));
        else if (event->type != STORE_MODIFIED || change->resource == number->pods ||
                 change->resource == number->claims || change->resource == number->quotas)
                control_each(run->control, number->quotas, ns, queue_quota, run);
}

/* ---- usage ---- */

/* What one limit of a quota counts in pods or claims. */
struct quota_amount {
        struct slice key;    /* of spec.hard */
        struct slice amount; /* resource that is summed up: cpu, memory, storage; empty = objects */
        bool is_limit;       /* limits instead of requests */
        bool is_claims;      /* of claims instead of pods */
        bool is_done;        /* neither */
        int64_t total;       /* cpu: milli */
};

struct usage {
        struct controller_run *run;
        const struct json *quota, *spec;
        struct slice ns;
        struct quota_amount *amounts; /* each object is read once for all of them */
        size_t count;
};

static void amount_add_pod(struct quota_amount *amount, const struct pod_spec *spec,
                           const struct resource_list *requests) {
        char name[512];

        snprintf(name, sizeof(name), SLICE_FMT, SLICE_ARG(amount->amount));
        if (amount->amount.len == 0)
                amount->total++;
        else if (amount->is_limit)
                amount->total = sum_saturated(amount->total, pod_spec_limit(spec, name));
        else
                amount->total =
                        sum_saturated(amount->total, resource_list_get(requests, name, NULL));
}

static bool add_pod(void *context, const struct store_object *object) {
        struct usage *usage = context;
        const struct object_entry *entry =
                object_index_find(usage->run->control->index, object->resource,
                                  store_object_ns(object), store_object_name(object));
        struct json_doc *doc = NULL;
        struct arena arena;
        struct pod_spec spec;

        if (!entry || entry->pod->phase == PHASE_SUCCEEDED || entry->pod->phase == PHASE_FAILED)
                return true;
        arena_init(&arena, 4096);
        const struct json *pod = entry_read(entry, &doc);
        if (pod_spec_decode(json_get(pod, "spec"), &arena, &spec, NULL) == 0 &&
            quota_covers_pod(usage->spec, &spec)) {
                struct resource_list requests = pod_spec_requests(&spec, false, &arena);

                for (size_t i = 0; i < usage->count; i++)
                        if (!usage->amounts[i].is_claims && !usage->amounts[i].is_done)
                                amount_add_pod(&usage->amounts[i], &spec, &requests);
        }
        arena_release(&arena);
        json_doc_free(doc);
        return true;
}

/* CLASS.storageclass.storage.k8s.io/ in front restricts to claims of that class. */
static bool is_of_class(struct slice key, struct slice class) {
        struct slice marker = SLICE_LITERAL(".storageclass.storage.k8s.io/");
        const char *found = memmem(key.ptr, key.len, marker.ptr, marker.len);

        return !found || slice_eq(class, slice_make(key.ptr, (size_t)(found - key.ptr)));
}

static bool add_claim(void *context, const struct store_object *object) {
        struct usage *usage = context;
        struct json_doc *doc = NULL;
        int64_t units = 0;

        if (json_parse(store_object_body(object), &doc, NULL) < 0)
                return true;
        const struct json *spec = json_get(json_doc_root(doc), "spec");
        struct slice class = json_get_text(spec, "storageClassName");
        struct slice storage =
                json_get_text(json_get(json_get(spec, "resources"), "requests"), "storage");
        if (quantity_value(storage, &units, NULL) < 0)
                units = 0;
        for (size_t i = 0; i < usage->count; i++) {
                struct quota_amount *amount = &usage->amounts[i];

                if (amount->is_claims && is_of_class(amount->key, class))
                        amount->total =
                                sum_saturated(amount->total, amount->amount.len ? units : 1);
        }
        json_doc_free(doc);
        return true;
}

static bool add_one(void *context, const struct store_object *object) {
        (void)object;
        (*(int64_t *)context)++;
        return true;
}

/* count/PLURAL.GROUP, or the plural of a core resource; -1 when it counts nothing. */
static int counted_resource(const struct control *control, struct slice key) {
        struct slice prefix = SLICE_LITERAL("count/"), rest = key, plural = SLICE_EMPTY;
        const struct control_resources *table = control->table;

        if (slice_has_prefix(rest, prefix))
                rest = slice_make(rest.ptr + prefix.len, rest.len - prefix.len);
        slice_split(&rest, '.', &plural);
        for (size_t i = 0; i < control_resources_count(table); i++) {
                const struct resource_entry *entry = control_resources_at(table, i);

                if (slice_is(plural, entry->plural) && slice_is(rest, entry->group))
                        return entry->resource;
        }
        return -1;
}

static struct slice resource_quota_without(struct slice text, const char *prefix) {
        return slice_make(text.ptr + strlen(prefix), text.len - strlen(prefix));
}

static void amount_of_pods(struct quota_amount *amount) {
        amount->amount = amount->key;
        amount->is_limit = slice_has_prefix(amount->key, SLICE_LITERAL("limits."));
        if (amount->is_limit)
                amount->amount = resource_quota_without(amount->key, "limits.");
        else if (slice_has_prefix(amount->key, SLICE_LITERAL("requests.")))
                amount->amount = resource_quota_without(amount->key, "requests.");
        else if (slice_is(amount->key, "pods"))
                amount->amount = SLICE_EMPTY;
}

/* Numbers of objects are counted here; what is in pods and claims is left to one walk over them. */
static bool is_counted(const struct usage *usage, struct quota_amount *amount) {
        const struct control *control = usage->run->control;
        int resource = counted_resource(control, amount->key);

        if (slice_has_suffix(amount->key, SLICE_LITERAL("requests.storage"))) {
                amount->is_claims = true;
                amount->amount = SLICE_LITERAL("storage");
                return false;
        }
        if (slice_has_suffix(amount->key, SLICE_LITERAL("persistentvolumeclaims")) &&
            !slice_has_prefix(amount->key, SLICE_LITERAL("count/"))) {
                amount->is_claims = true;
                return false;
        }
        if (resource < 0 ||
            (resource == control->resource.pods && !slice_is(amount->key, "count/pods"))) {
                amount_of_pods(amount);
                return false;
        }
        control_each(control, resource, usage->ns, add_one, &amount->total);
        return true;
}

/* Fills in the amounts for all limits, in their order. */
static void resource_quota_measure(struct usage *usage) {
        const struct control *control = usage->run->control;
        size_t count;
        struct json_member *hard = json_members(json_get(usage->spec, "hard"), &count);
        struct quota_amount *amounts = xcalloc(count + 1, sizeof(*amounts));
        bool has_pods = false, has_claims = false;

        for (size_t i = 0; i < count; i++) {
                amounts[i].key = hard[i].key;
                amounts[i].is_done = is_counted(usage, &amounts[i]);
                has_claims |= amounts[i].is_claims;
                has_pods |= !amounts[i].is_done && !amounts[i].is_claims;
        }
        usage->amounts = amounts;
        usage->count = count;
        if (has_pods)
                control_each(control, control->resource.pods, usage->ns, add_pod, usage);
        if (has_claims)
                control_each(control, control->resource.claims, usage->ns, add_claim, usage);
        free(hard);
}

static void put_total(const struct quota_amount *amount, struct json_tree *tree,
                      struct json_node *used) {
        bool is_bytes = slice_has_suffix(amount->key, SLICE_LITERAL("memory")) ||
                        slice_has_suffix(amount->key, SLICE_LITERAL("storage"));
        char text[QUANTITY_TEXT_MAX];

        if (slice_has_suffix(amount->key, SLICE_LITERAL("cpu")))
                quantity_format_milli(amount->total, text);
        else
                quantity_format_units(amount->total,
                                      is_bytes ? QUANTITY_BINARY_SI : QUANTITY_DECIMAL_SI, text);
        node_set(tree, used, amount->key, node_string(tree, text));
}

/* ---- reconciling ---- */

/* Amounts that are limited no longer go from the status. */
static void drop_old(const struct json *quota, const char *member, struct json_tree *tree,
                     struct json_node *status) {
        struct json_iter iter = json_iter(json_get(json_get(quota, "status"), member));
        struct json_node *amounts = node_need_object(tree, status, member);
        struct slice key;

        while (json_next(&iter, &key, NULL)) {
                if (!node_find(amounts, key))
                        node_set(tree, amounts, key, node_null(tree));
        }
}

static int look_at(struct controller_run *run, const struct json *quota, struct err *err) {
        struct usage usage = { .run = run,
                               .quota = quota,
                               .spec = json_get(quota, "spec"),
                               .ns = object_namespace(quota) };
        struct json_tree *tree = json_tree_new();
        struct json_node *status = node_object(tree), *used;

        if (json_get(usage.spec, "hard"))
                node_put(tree, status, "hard", node_import(tree, json_get(usage.spec, "hard")));
        used = node_need_object(tree, status, "used");
        resource_quota_measure(&usage);
        for (size_t i = 0; i < usage.count; i++)
                put_total(&usage.amounts[i], tree, used);
        free(usage.amounts);
        drop_old(quota, "hard", tree, status);
        drop_old(quota, "used", tree, status);
        int r = status_write_back(run, run->control->resource.quotas, quota, tree, status, err);
        json_tree_free(tree);
        return r;
}

static int resource_quota_reconcile(struct controller_run *run, struct slice ns, struct slice name,
                                    struct err *err) {
        struct json_doc *doc = NULL;
        const struct json *quota =
                control_read(run->control, run->control->resource.quotas, ns, name, &doc);
        int r = quota ? look_at(run, quota, err) : 0;

        json_doc_free(doc);
        return r;
}

const struct controller controller_resource_quota = {
        .name = "resourcequota-controller",
        .alias = "resourcequota",
        .component = "resourcequota-controller",
        .changed = resource_quota_changed,
        .reconcile = resource_quota_reconcile,
};
