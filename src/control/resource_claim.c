/* Resource claims: claims are made from templates for the pods that want them, and reserved for
 * pods that somebody bound without asking; resource_claim_release.c is about the end of their use.
 */
#include "base/map.h"
#include "base/util.h"
#include "control/resource_claim_priv.h"
#include <stdio.h>
#include <stdlib.h>

#define CLAIM_NAME_BASE_MAX 57 /* leaves the server its five random characters, and a hyphen */

/* Which pods use which claim that they name, so that a claim's changes find them: a set of pod
 * names by "NAMESPACE/CLAIM". Claims from templates know their pod. */
struct claim_users {
        struct map *by_claim;
};

static void resource_claim_start(struct controller_run *run) {
        struct claim_users *users = xcalloc(1, sizeof(*users));

        users->by_claim = map_new();
        run->state = users;
}

static void resource_claim_stop(struct controller_run *run) {
        struct claim_users *users = run->state;
        size_t at = 0;
        void *pods;

        while (map_next(users->by_claim, &at, NULL, &pods))
                map_free(pods);
        map_free(users->by_claim);
        free(users);
}

/* ---- hearing ---- */

struct claim_visit { /* of the claims of one pod */
        struct controller_run *run;
        struct slice ns, pod;
        bool is_gone;
};

static void queue_pod(struct controller_run *run, struct slice ns, struct slice name) {
        struct buf key = { 0 };

        buf_printf(&key, POD_KEY_PREFIX SLICE_FMT, SLICE_ARG(name));
        work_queue_add(run->queue, ns, buf_view(&key));
        buf_release(&key);
}

static bool note_user(void *context, const struct pod_claim_entry *claim) {
        const struct claim_visit *visit = context;
        struct map *by_claim = ((struct claim_users *)visit->run->state)->by_claim;
        struct buf key = { 0 };

        if (claim->template.len)
                return true;
        buf_printf(&key, SLICE_FMT "/" SLICE_FMT, SLICE_ARG(visit->ns), SLICE_ARG(claim->name));
        struct map *pods = map_get(by_claim, buf_view(&key));
        if (!pods && !visit->is_gone) {
                pods = map_new();
                map_put(by_claim, buf_view(&key), pods);
        }
        if (!visit->is_gone)
                map_put(pods, visit->pod, pods);
        else if (pods)
                map_remove(pods, visit->pod);
        if (pods && map_count(pods) == 0)
                map_free(map_remove(by_claim, buf_view(&key)));
        buf_release(&key);
        return true;
}

static bool queue_named(void *context, const struct pod_claim_entry *claim) {
        const struct claim_visit *visit = context;

        work_queue_add(visit->run->queue, visit->ns, claim->name);
        return true;
}

static bool is_done(const struct object_entry *pod) {
        return pod->pod->phase == PHASE_SUCCEEDED || pod->pod->phase == PHASE_FAILED ||
               (pod->pod->is_deleted && !pod->pod->is_bound);
}

static bool is_pod_news(struct change *change) {
        const struct json *now = change_object(change), *before = change_previous(change);
        const struct json *status = json_get(now, "status"), *old = json_get(before, "status");

        return !before ||
               !json_equal(json_get(status, "resourceClaimStatuses"),
                           json_get(old, "resourceClaimStatuses")) ||
               !slice_eq(json_get_text(json_get(now, "spec"), "nodeName"),
                         json_get_text(json_get(before, "spec"), "nodeName"));
}

static void pod_changed(struct controller_run *run, struct change *change) {
        const struct store_event *event = change->event;
        struct claim_visit visit = { .run = run,
                                     .ns = store_object_ns(event->object),
                                     .pod = store_object_name(event->object),
                                     .is_gone = event->type == STORE_DELETED };
        const struct object_entry *entry =
                object_index_find(run->control->index, change->resource, visit.ns, visit.pod);

        if (!object_mentions(event->object, "\"resourceClaims\"") &&
            !object_mentions(event->object, "\"extendedResourceClaimStatus\""))
                return;
        pod_claims_each(change_object(change), note_user, &visit);
        if (visit.is_gone || !entry || is_done(entry))
                pod_claims_each(change_object(change), queue_named, &visit);
        if (!visit.is_gone && is_pod_news(change))
                queue_pod(run, visit.ns, visit.pod);
}

static void claim_changed(struct controller_run *run, struct change *change) {
        const struct store_object *object = change->event->object;
        struct slice ns = store_object_ns(object), uid, user;
        struct slice owner = resource_claim_owner(change_object(change), &uid);
        struct buf key = { 0 };
        size_t at = 0;

        if (change->event->type != STORE_DELETED)
                work_queue_add(run->queue, ns, store_object_name(object));
        if (owner.len)
                queue_pod(run, ns, owner);
        buf_printf(&key, SLICE_FMT "/" SLICE_FMT, SLICE_ARG(ns),
                   SLICE_ARG(store_object_name(object)));
        struct map *pods = map_get(((struct claim_users *)run->state)->by_claim, buf_view(&key));
        while (pods && map_next(pods, &at, &user, NULL))
                queue_pod(run, ns, user);
        buf_release(&key);
}

struct template_visit {
        struct controller_run *run;
        char mention[300]; /* of the template in a pod */
};

static bool queue_if_waiting(void *context, const struct store_object *object) {
        struct template_visit *visit = context;

        if (object_mentions(object, visit->mention))
                queue_pod(visit->run, store_object_ns(object), store_object_name(object));
        return true;
}

static void template_changed(struct controller_run *run, const struct store_object *object) {
        struct template_visit visit = { .run = run };

        snprintf(visit.mention, sizeof(visit.mention),
                 "\"resourceClaimTemplateName\":\"" SLICE_FMT "\"",
                 SLICE_ARG(store_object_name(object)));
        control_each(run->control, run->control->resource.pods, store_object_ns(object),
                     queue_if_waiting, &visit);
}

static void resource_claim_changed(struct controller_run *run, struct change *change) {
        const struct resource_numbers *number = &run->control->resource;

        /* A pod may have kept its claims from a later version. */
        if (number->resource_claims < 0)
                return;
        if (change->resource == number->pods)
                pod_changed(run, change);
        else if (change->resource == number->resource_claims)
                claim_changed(run, change);
        else if (change->resource == number->resource_claim_templates &&
                 change->event->type != STORE_DELETED)
                template_changed(run, change->event->object);
}

/* ---- claims from templates ---- */

/* Both names lose in proportion where they are too long together. */
static void put_generate_name(struct json_tree *tree, struct json_node *metadata, struct slice pod,
                              struct slice entry) {
        size_t whole = pod.len + entry.len + 2;
        struct buf text = { 0 };

        if (whole > CLAIM_NAME_BASE_MAX) {
                buf_printf(&text, "%.*s-", (int)(pod.len * CLAIM_NAME_BASE_MAX / whole), pod.ptr);
                buf_append(&text, entry.ptr, entry.len * CLAIM_NAME_BASE_MAX / whole);
        } else {
                buf_printf(&text, SLICE_FMT "-" SLICE_FMT "-", SLICE_ARG(pod), SLICE_ARG(entry));
        }
        node_put_text(tree, metadata, "generateName", buf_view(&text));
        buf_release(&text);
}

static struct json_node *claim_from_template(struct json_tree *tree, const struct json *pod,
                                             const struct pod_claim_entry *wanted,
                                             const struct json *template) {
        const struct json *spec = json_get(template, "spec");
        const struct json *labels = json_get(json_get(spec, "metadata"), "labels");
        const struct json *annotations = json_get(json_get(spec, "metadata"), "annotations");
        struct json_node *claim = node_object(tree), *owner = node_object(tree);
        struct json_node *metadata = node_need_object(tree, claim, "metadata");

        put_generate_name(tree, metadata, object_name(pod), wanted->entry);
        node_put_string(tree, owner, "apiVersion", "v1");
        node_put_string(tree, owner, "kind", "Pod");
        node_put_text(tree, owner, "name", object_name(pod));
        node_put_text(tree, owner, "uid", object_uid(pod));
        node_put_bool(tree, owner, "controller", true);
        node_append(node_need_array(tree, metadata, "ownerReferences"), owner);
        if (annotations)
                node_put(tree, metadata, "annotations", node_import(tree, annotations));
        node_put_text(tree, node_need_object(tree, metadata, "annotations"), POD_CLAIM_ANNOTATION,
                      wanted->entry);
        if (labels)
                node_put(tree, metadata, "labels", node_import(tree, labels));
        node_put(tree, claim, "spec", node_import(tree, json_get(spec, "spec")));
        return claim;
}

/* The claim that was made for this entry before, when the pod's status did not get to know it. */
static struct slice find_made(const struct controller_run *run, const struct json *pod,
                              const struct pod_claim_entry *wanted, struct arena *arena) {
        const struct entry_list *owned =
                object_index_dependents(run->control->index, object_uid(pod));
        const struct owner *self = object_index_owner(run->control->index, object_uid(pod));
        struct slice name = SLICE_EMPTY;

        for (const struct entry_link *link = owned ? owned->first : NULL; link && name.len == 0;
             link = link->after) {
                struct json_doc *doc = NULL;

                if (link->entry->object->resource != run->control->resource.resource_claims ||
                    link->entry->controller != self)
                        continue;
                const struct json *claim = entry_read(link->entry, &doc);
                if (slice_eq(object_annotation(claim, POD_CLAIM_ANNOTATION), wanted->entry))
                        name = slice_of(arena_string(arena, object_name(claim)));
                json_doc_free(doc);
        }
        return name;
}

struct claim_making { /* of the claims of one pod */
        struct controller_run *run;
        const struct json *pod;
        struct arena arena;
        struct json_tree *tree;
        struct json_node *statuses; /* as the pod's status is to have them */
        bool is_changed;
};

static int make_claim(struct claim_making *making, const struct pod_claim_entry *wanted,
                      struct slice *ret_name, struct err *err) {
        struct controller_run *run = making->run;
        const struct resource_numbers *number = &run->control->resource;
        struct slice ns = object_namespace(making->pod);
        struct json_doc *doc = NULL, *made = NULL;
        const struct json *template = control_read(run->control, number->resource_claim_templates,
                                                   ns, wanted->template, &doc);

        if (!template) {
                json_doc_free(doc);
                return err_set(err, BERTH_ERR_NOT_FOUND,
                               "resource claim template \"" SLICE_FMT
                               "\": resourceclaimtemplate.resource.k8s.io \"" SLICE_FMT
                               "\" not found",
                               SLICE_ARG(wanted->template), SLICE_ARG(wanted->template));
        }
        int r = object_create_read(run, number->resource_claims, ns,
                                   claim_from_template(making->tree, making->pod, wanted, template),
                                   &made, err);
        if (r == 0)
                *ret_name =
                        slice_of(arena_string(&making->arena, object_name(json_doc_root(made))));
        else
                err_wrap(err, "create ResourceClaim ");
        json_doc_free(made);
        json_doc_free(doc);
        return r;
}

static bool is_there(const struct claim_making *making, const struct pod_claim_entry *wanted) {
        const struct control *control = making->run->control;
        struct json_doc *doc = NULL;
        const struct json *claim = control_read(control, control->resource.resource_claims,
                                                object_namespace(making->pod), wanted->name, &doc);
        bool is_ours = claim && resource_claim_is_for(claim, making->pod);

        json_doc_free(doc);
        return is_ours;
}

static void put_claim_status(struct claim_making *making, const struct pod_claim_entry *wanted,
                             struct slice name) {
        struct json_node *status = NULL, *known;
        struct node_iter iter = node_iter(making->statuses);

        while (node_next(&iter, NULL, &known)) {
                if (slice_eq(node_get_text(known, "name"), wanted->entry))
                        status = known;
        }
        if (!status) {
                status = node_object(making->tree);
                node_put_text(making->tree, status, "name", wanted->entry);
                node_append(making->statuses, status);
        }
        node_put_text(making->tree, status, "resourceClaimName", name);
        making->is_changed = true;
}

static int need_claim(struct claim_making *making, const struct json *entry, struct err *err) {
        struct pod_claim_entry wanted = pod_claim_read(making->pod, entry);
        struct err failure = { 0 };
        int r = 0;

        if (wanted.state == POD_CLAIM_UNSUPPORTED || wanted.state == POD_CLAIM_UNNEEDED ||
            wanted.template.len == 0 ||
            (wanted.state == POD_CLAIM_NAMED && is_there(making, &wanted)))
                return 0;
        struct slice name = find_made(making->run, making->pod, &wanted, &making->arena);
        if (name.len == 0)
                r = make_claim(making, &wanted, &name, &failure);
        if (r == 0) {
                put_claim_status(making, &wanted, name);
                return 0;
        }
        object_warning(making->run, making->run->control->resource.pods, making->pod,
                       "FailedResourceClaimCreation", "PodResourceClaim " SLICE_FMT ": %s",
                       SLICE_ARG(wanted.entry), failure.text);
        *err = failure;
        return r;
}

static int make_claims(struct controller_run *run, const struct json *pod, struct err *err) {
        struct json_iter iter = json_iter(json_get(json_get(pod, "spec"), "resourceClaims"));
        const struct json *known = json_get(json_get(pod, "status"), "resourceClaimStatuses");
        struct claim_making making = { .run = run, .pod = pod, .tree = json_tree_new() };
        struct object_target target = { .resource = run->control->resource.pods,
                                        .ns = object_namespace(pod),
                                        .name = object_name(pod) };
        const struct json *entry;
        int r = 0;

        arena_init(&making.arena, 1024);
        making.statuses = known ? node_import(making.tree, known) : node_array(making.tree);
        while (r == 0 && json_next(&iter, NULL, &entry))
                r = need_claim(&making, entry, err);
        if (r == 0 && making.is_changed) {
                struct json_node *status = node_object(making.tree);

                node_put(making.tree, status, "resourceClaimStatuses", making.statuses);
                r = object_merge_status(run, &target, making.tree, status, err);
        }
        arena_release(&making.arena);
        json_tree_free(making.tree);
        return r;
}

/* ---- pods that were bound without the scheduler ---- */

struct claim_reservation {
        struct controller_run *run;
        const struct json *pod;
        struct err *err;
        int r;
};

static int put_consumer(struct controller_run *run, const struct json *claim,
                        const struct json *pod, struct err *err) {
        struct object_target target = { .resource = run->control->resource.resource_claims,
                                        .ns = object_namespace(claim),
                                        .name = object_name(claim),
                                        .subresource = "status" };
        struct json_tree *tree = json_tree_new();
        struct json_node *object = node_import(tree, claim), *consumer = node_object(tree);
        struct json_node *status = node_need_object(tree, object, "status");

        node_put_string(tree, consumer, "resource", "pods");
        node_put_text(tree, consumer, "name", object_name(pod));
        node_put_text(tree, consumer, "uid", object_uid(pod));
        node_append(node_need_array(tree, status, "reservedFor"), consumer);
        int r = object_put(run, &target, object, err);
        json_tree_free(tree);
        return r;
}

static bool reserve_if_needed(void *context, const struct pod_claim_entry *wanted) {
        struct claim_reservation *reservation = context;
        const struct control *control = reservation->run->control;
        struct json_doc *doc = NULL;
        const struct json *claim =
                control_read(control, control->resource.resource_claims,
                             object_namespace(reservation->pod), wanted->name, &doc);

        if (claim && resource_claim_is_allocated(claim) &&
            (wanted->template.len == 0 || resource_claim_is_for(claim, reservation->pod)) &&
            !resource_claim_is_reserved(claim, reservation->pod))
                reservation->r =
                        put_consumer(reservation->run, claim, reservation->pod, reservation->err);
        json_doc_free(doc);
        return reservation->r == 0;
}

static int look_at_pod(struct controller_run *run, struct slice ns, struct slice name,
                       struct err *err) {
        struct json_doc *doc = NULL;
        const struct json *pod =
                control_read(run->control, run->control->resource.pods, ns, name, &doc);
        const struct object_entry *entry =
                object_index_find(run->control->index, run->control->resource.pods, ns, name);
        struct claim_reservation reservation = { .run = run, .pod = pod, .err = err };

        if (pod && entry && !object_is_deleted(pod) && !is_done(entry)) {
                reservation.r = make_claims(run, pod, err);
                if (reservation.r == 0 && entry->pod->is_bound)
                        pod_claims_each(pod, reserve_if_needed, &reservation);
        }
        json_doc_free(doc);
        return reservation.r;
}

static int resource_claim_reconcile(struct controller_run *run, struct slice ns, struct slice name,
                                    struct err *err) {
        struct slice prefix = SLICE_LITERAL(POD_KEY_PREFIX);

        if (!slice_has_prefix(name, prefix))
                return resource_claim_release(run, ns, name, err);
        return look_at_pod(run, ns, slice_make(name.ptr + prefix.len, name.len - prefix.len), err);
}

const struct controller controller_resource_claim = {
        .name = "resourceclaim-controller",
        .alias = "resource-claim-controller",
        .component = "resource_claim",
        .start = resource_claim_start,
        .stop = resource_claim_stop,
        .changed = resource_claim_changed,
        .reconcile = resource_claim_reconcile,
};
