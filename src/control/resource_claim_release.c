/* Resource claims: the end of their use. Consumers that will not run are taken from the list, a
 * claim without consumers gives its devices back, and what was made for a pod goes with it. */
#include "base/util.h"
#include "control/resource_claim_priv.h"

struct claim_release {
        struct controller_run *run;
        struct object_target target;
        const struct json *claim, *status;
        struct json_tree *tree;
        struct json_node *remaining; /* consumers that stay */
        bool is_protected;           /* allocated by a scheduler that says so */
};

/* Whether the pod of that name and uid is there and may run, or does. */
static bool may_run(const struct claim_release *release, struct slice name, struct slice uid,
                    bool *ret_is_known) {
        const struct control *control = release->run->control;
        const struct object_entry *entry =
                object_index_find(control->index, control->resource.pods, release->target.ns, name);
        struct json_doc *doc = NULL;

        *ret_is_known = entry;
        if (!entry || entry->pod->phase == PHASE_SUCCEEDED || entry->pod->phase == PHASE_FAILED ||
            (entry->pod->is_deleted && !entry->pod->is_bound))
                return false;
        bool is_same = slice_eq(object_uid(entry_read(entry, &doc)), uid);
        json_doc_free(doc);
        return is_same;
}

/* Groups that are not served any more keep what they have. */
static bool is_group_there(const struct claim_release *release, const struct json *consumer) {
        const struct control *control = release->run->control;
        struct json_doc *doc = NULL;

        if (control->resource.pod_groups < 0)
                return true;
        const struct json *group =
                control_read(control, control->resource.pod_groups, release->target.ns,
                             json_get_text(consumer, "name"), &doc);
        bool is_same = group && slice_eq(object_uid(group), json_get_text(consumer, "uid"));
        json_doc_free(doc);
        return is_same;
}

/* Consumers of kinds that nobody knows stay. */
static bool may_consume(const struct claim_release *release, const struct json *consumer) {
        struct slice group = json_get_text(consumer, "apiGroup");
        struct slice resource = json_get_text(consumer, "resource");
        bool is_known;

        if (group.len == 0 && slice_is(resource, "pods"))
                return may_run(release, json_get_text(consumer, "name"),
                               json_get_text(consumer, "uid"), &is_known);
        if (slice_is(group, "scheduling.k8s.io") && slice_is(resource, "podgroups"))
                return is_group_there(release, consumer);
        return true;
}

static void sort_consumers(struct claim_release *release) {
        struct json_iter iter = json_iter(json_get(release->status, "reservedFor"));
        const struct json *consumer;

        release->remaining = node_array(release->tree);
        while (json_next(&iter, NULL, &consumer))
                if (may_consume(release, consumer))
                        node_append(release->remaining, node_import(release->tree, consumer));
}

/* The whole object is put, so that the write fails if anybody changed the claim meanwhile. */
static int put_consumers(struct claim_release *release, bool gives_back, struct err *err) {
        struct object_target target = release->target;
        struct json_node *object = node_import(release->tree, release->claim);
        struct json_node *status = node_need_object(release->tree, object, "status");

        target.subresource = "status";
        node_remove(status, "reservedFor");
        if (node_count(release->remaining))
                node_put(release->tree, status, "reservedFor", release->remaining);
        if (gives_back) {
                node_remove(status, "allocation");
                node_remove(status, "devices");
        }
        return object_put(release->run, &target, object, err);
}

static int drop_protection(struct claim_release *release, struct err *err) {
        return object_drop_finalizer(release->run, &release->target, release->claim,
                                     CLAIM_PROTECTION, err);
}

/* A claim that somebody allocated without using it stays allocated until it is deleted. */
static int let_devices_go(struct claim_release *release, struct err *err) {
        bool is_allocated = resource_claim_is_allocated(release->claim);
        bool is_unused = node_count(release->remaining) == 0 && release->is_protected;
        int r = 0;

        if (node_count(release->remaining) < json_count(json_get(release->status, "reservedFor"))) {
                r = put_consumers(release, is_unused, err);
                return r == 0 && is_unused ? drop_protection(release, err) : r;
        }
        if (!is_unused || !object_is_deleted(release->claim))
                return 0;
        if (is_allocated)
                r = put_consumers(release, true, err);
        return r == 0 ? drop_protection(release, err) : r;
}

/* Else the garbage collector would take it, when the pod is deleted, which may be long after. */
static int delete_if_useless(struct claim_release *release, struct err *err) {
        struct slice uid, owner = resource_claim_owner(release->claim, &uid);
        bool is_known;

        if (node_count(release->remaining) || owner.len == 0 || object_is_deleted(release->claim) ||
            may_run(release, owner, uid, &is_known) || !is_known)
                return 0;
        return object_delete(release->run, &release->target,
                             &(struct object_deletion){ .uid = object_uid(release->claim) }, err);
}

int resource_claim_release(struct controller_run *run, struct slice ns, struct slice name,
                           struct err *err) {
        struct claim_release release = { .run = run,
                                         .target = { .resource =
                                                             run->control->resource.resource_claims,
                                                     .ns = ns,
                                                     .name = name } };
        struct json_doc *doc = NULL;
        int r = 0;

        release.claim = control_read(run->control, release.target.resource, ns, name, &doc);
        if (release.claim) {
                release.tree = json_tree_new();
                release.status = json_get(release.claim, "status");
                release.is_protected =
                        json_array_has(json_get(json_get(release.claim, "metadata"), "finalizers"),
                                       SLICE_LITERAL(CLAIM_PROTECTION));
                sort_consumers(&release);
                r = let_devices_go(&release, err);
                if (r == 0)
                        r = delete_if_useless(&release, err);
                json_tree_free(release.tree);
        }
        json_doc_free(doc);
        return r;
}
