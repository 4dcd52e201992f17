/* Resource claims: who wants to hear of what, and claims that are reserved for pods that somebody
 * bound without asking. resource_claim_make.c makes claims from templates, resource_claim_release.c
 * is about the end of their use. */
#include "base/map.h"
#include "base/util.h"
#include "control/resource_claim_priv.h"
#include <stdio.h>
#include <stdlib.h>

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
                reservation.r = resource_claims_make(run, pod, err);
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
