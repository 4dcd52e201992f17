/* Resource quotas: how much of what a quota limits is in use. */
#include "api/object.h"
#include "api/quantity.h"
#include "api/quota_scope.h"
#include "base/util.h"
#include "control/pod_owner.h"
#include <stdio.h>

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

struct usage {
        struct controller_run *run;
        const struct json *quota, *spec;
        struct slice ns;
        struct slice key;    /* of spec.hard */
        struct slice amount; /* resource of pods that is summed up: cpu, memory, ... */
        bool is_limit;       /* limits instead of requests */
        int64_t total;       /* cpu: milli */
};

static bool add_pod(void *context, const struct store_object *object) {
        struct usage *usage = context;
        const struct object_entry *entry =
                object_index_find(usage->run->control->index, object->resource,
                                  store_object_ns(object), store_object_name(object));
        struct json_doc *doc = NULL;
        struct arena arena;
        struct pod_spec spec;
        char name[256];

        if (!entry || entry->pod->phase == PHASE_SUCCEEDED || entry->pod->phase == PHASE_FAILED)
                return true;
        arena_init(&arena, 4096);
        const struct json *pod = entry_read(entry, &doc);
        snprintf(name, sizeof(name), SLICE_FMT, SLICE_ARG(usage->amount));
        if (pod_spec_decode(json_get(pod, "spec"), &arena, &spec, NULL) == 0 &&
            quota_covers_pod(usage->spec, &spec)) {
                struct resource_list requests = pod_spec_requests(&spec, false, &arena);

                if (usage->amount.len == 0)
                        usage->total++;
                else if (usage->is_limit)
                        usage->total += pod_spec_limit(&spec, name);
                else
                        usage->total += resource_list_get(&requests, name, NULL);
        }
        arena_release(&arena);
        json_doc_free(doc);
        return true;
}

/* CLASS.storageclass.storage.k8s.io/ in front restricts to claims of that class. */
static bool is_of_class(const struct usage *usage, const struct json *claim) {
        struct slice marker = SLICE_LITERAL(".storageclass.storage.k8s.io/");
        const char *found = memmem(usage->key.ptr, usage->key.len, marker.ptr, marker.len);

        return !found || slice_eq(json_get_text(json_get(claim, "spec"), "storageClassName"),
                                  slice_make(usage->key.ptr, (size_t)(found - usage->key.ptr)));
}

static bool add_claim(void *context, const struct store_object *object) {
        struct usage *usage = context;
        struct json_doc *doc = NULL;
        int64_t units = 0;

        if (json_parse(store_object_body(object), &doc, NULL) < 0)
                return true;
        const struct json *claim = json_doc_root(doc);
        const struct json *requests =
                json_get(json_get(json_get(claim, "spec"), "resources"), "requests");
        if (is_of_class(usage, claim)) {
                if (usage->amount.len == 0)
                        usage->total++;
                else if (quantity_value(json_get_text(requests, "storage"), &units, NULL) == 0)
                        usage->total += units;
        }
        json_doc_free(doc);
        return true;
}

static bool add_one(void *context, const struct store_object *object) {
        (void)object;
        ((struct usage *)context)->total++;
        return true;
}

/* count/PLURAL.GROUP, or the plural of a core resource; -1 when it counts nothing. */
static int counted_resource(const struct usage *usage) {
        struct slice prefix = SLICE_LITERAL("count/"), rest = usage->key, plural = SLICE_EMPTY;
        const struct control_resources *table = usage->run->control->table;

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

static void measure_pods(struct usage *usage) {
        const struct control *control = usage->run->control;

        usage->amount = usage->key;
        usage->is_limit = slice_has_prefix(usage->key, SLICE_LITERAL("limits."));
        if (usage->is_limit)
                usage->amount = resource_quota_without(usage->key, "limits.");
        else if (slice_has_prefix(usage->key, SLICE_LITERAL("requests.")))
                usage->amount = resource_quota_without(usage->key, "requests.");
        else if (slice_is(usage->key, "pods"))
                usage->amount = SLICE_EMPTY;
        control_each(control, control->resource.pods, usage->ns, add_pod, usage);
}

static void resource_quota_measure(struct usage *usage) {
        const struct control *control = usage->run->control;
        int resource = counted_resource(usage);

        usage->total = 0;
        if (slice_has_suffix(usage->key, SLICE_LITERAL("requests.storage"))) {
                usage->amount = SLICE_LITERAL("storage");
                control_each(control, control->resource.claims, usage->ns, add_claim, usage);
        } else if (slice_has_suffix(usage->key, SLICE_LITERAL("persistentvolumeclaims")) &&
                   !slice_has_prefix(usage->key, SLICE_LITERAL("count/"))) {
                usage->amount = SLICE_EMPTY;
                control_each(control, control->resource.claims, usage->ns, add_claim, usage);
        } else if (resource >= 0 && resource != control->resource.pods) {
                control_each(control, resource, usage->ns, add_one, usage);
        } else if (slice_is(usage->key, "count/pods")) {
                control_each(control, resource, usage->ns, add_one, usage);
        } else {
                measure_pods(usage);
        }
}

static void put_total(const struct usage *usage, struct json_tree *tree, struct json_node *used) {
        bool is_bytes = slice_has_suffix(usage->key, SLICE_LITERAL("memory")) ||
                        slice_has_suffix(usage->key, SLICE_LITERAL("storage"));
        char text[QUANTITY_TEXT_MAX];

        if (slice_has_suffix(usage->key, SLICE_LITERAL("cpu")))
                quantity_format_milli(usage->total, text);
        else
                quantity_format_units(usage->total,
                                      is_bytes ? QUANTITY_BINARY_SI : QUANTITY_DECIMAL_SI, text);
        node_set(tree, used, usage->key, node_string(tree, text));
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
        struct json_iter iter = json_iter(json_get(usage.spec, "hard"));
        struct json_tree *tree = json_tree_new();
        struct json_node *status = node_object(tree), *used;

        if (json_get(usage.spec, "hard"))
                node_put(tree, status, "hard", node_import(tree, json_get(usage.spec, "hard")));
        used = node_need_object(tree, status, "used");
        while (json_next(&iter, &usage.key, NULL)) {
                resource_quota_measure(&usage);
                put_total(&usage, tree, used);
        }
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
