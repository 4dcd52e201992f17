/* Resource claims: who wants to hear of what, and claims that are reserved for pods that somebody
 * bound without asking. resource_claim_make.c makes claims from templates, resource_claim_release.c
 * is about the end of their use. */
#include "base/map.h"
#include "base/util.h"
#include "control/resource_claim_priv.h"
#include "server/api_server.h"
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

static void queue_key(struct controller_run *run, const char *prefix, struct slice ns,
                      struct slice name) {
        struct buf key = { 0 };

        buf_printf(&key, "%s" SLICE_FMT, prefix, SLICE_ARG(name));
        work_queue_add(run->queue, ns, buf_view(&key));
        buf_release(&key);
}

static void queue_pod(struct controller_run *run, struct slice ns, struct slice name) {
        queue_key(run, POD_KEY_PREFIX, ns, name);
}

static void queue_group(struct controller_run *run, struct slice ns, struct slice name) {
        queue_key(run, GROUP_KEY_PREFIX, ns, name);
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
        owner = resource_claim_group(change_object(change));
        if (owner.len)
                queue_group(run, ns, owner);
        buf_printf(&key, SLICE_FMT "/" SLICE_FMT, SLICE_ARG(ns),
                   SLICE_ARG(store_object_name(object)));
        struct map *pods = map_get(((struct claim_users *)run->state)->by_claim, buf_view(&key));
        while (pods && map_next(pods, &at, &user, NULL))
                queue_pod(run, ns, user);
        buf_release(&key);
}

/* Those that name an object: pods and groups a template, pods a group. */
struct mention_visit {
        struct controller_run *run;
        const char *prefix; /* of their keys */
        char mention[300];
};

static bool queue_if_mentioned(void *context, const struct store_object *object) {
        struct mention_visit *visit = context;

        if (object_mentions(object, visit->mention))
                queue_key(visit->run, visit->prefix, store_object_ns(object),
                          store_object_name(object));
        return true;
}

static void queue_mentioning(struct controller_run *run, int resource, const char *prefix,
                             const char *member, const struct store_object *object) {
        struct mention_visit visit = { .run = run, .prefix = prefix };

        if (resource < 0)
                return;
        snprintf(visit.mention, sizeof(visit.mention), "\"%s\":\"" SLICE_FMT "\"", member,
                 SLICE_ARG(store_object_name(object)));
        control_each(run->control, resource, store_object_ns(object), queue_if_mentioned, &visit);
}

static void template_changed(struct controller_run *run, const struct store_object *object) {
        const struct resource_numbers *number = &run->control->resource;
        const char *member = "resourceClaimTemplateName";

        queue_mentioning(run, number->pods, POD_KEY_PREFIX, member, object);
        queue_mentioning(run, number->pod_groups, GROUP_KEY_PREFIX, member, object);
}

/* ---- groups of pods ---- */

/* Members get the claims of the group once it has them. */
static void group_changed(struct controller_run *run, struct change *change) {
        const struct store_object *object = change->event->object;
        struct claim_visit visit = { .run = run, .ns = store_object_ns(object) };

        if (change->event->type == STORE_DELETED) {
                pod_claims_each(change_object(change), queue_named, &visit);
                return;
        }
        queue_group(run, visit.ns, store_object_name(object));
        if (object_mentions(object, "\"resourceClaims\"") || !change_previous(change))
                queue_mentioning(run, run->control->resource.pods, POD_KEY_PREFIX, "podGroupName",
                                 object);
}

static bool queue_each_group(void *context, const struct store_object *object) {
        queue_group(context, store_object_ns(object), store_object_name(object));
        return true;
}

/* Groups are an alpha that upstream has off: where no gate serves them, their definition comes as
 * a custom resource, some time. */
static void find_groups(struct controller_run *run) {
        int *number = &run->control->resource.pod_groups;

        control_resources_refresh(run->control->table);
        *number = api_server_resource(run->control->server, "scheduling.k8s.io", "podgroups");
        if (*number >= 0)
                control_each(run->control, *number, SLICE_EMPTY, queue_each_group, run);
}

static int look_at_group(struct controller_run *run, struct slice ns, struct slice name,
                         struct err *err) {
        struct json_doc *doc = NULL;
        const struct json *group =
                run->control->resource.pod_groups < 0
                        ? NULL
                        : control_read(run->control, run->control->resource.pod_groups, ns, name,
                                       &doc);
        int r = 0;

        if (group && !object_is_deleted(group))
                r = resource_claims_make_for_group(run, group, err);
        json_doc_free(doc);
        return r;
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
        else if (change->resource == number->pod_groups)
                group_changed(run, change);
        else if (change->resource == number->custom_definitions &&
                 object_mentions(change->event->object, "podgroups"))
                work_queue_add(run->queue, SLICE_EMPTY, SLICE_EMPTY);
}

/* ---- pods that were bound without the scheduler ---- */

struct claim_reservation {
        struct controller_run *run;
        const struct json *pod, *group; /* NULL = it has none */
        struct err *err;
        int r;
};

static int put_consumer(const struct claim_reservation *reservation, const struct json *claim,
                        bool is_for_group) {
        struct controller_run *run = reservation->run;
        const struct json *user = is_for_group ? reservation->group : reservation->pod;
        struct object_target target = { .resource = run->control->resource.resource_claims,
                                        .ns = object_namespace(claim),
                                        .name = object_name(claim),
                                        .subresource = "status" };
        struct json_tree *tree = json_tree_new();
        struct json_node *object = node_import(tree, claim), *consumer = node_object(tree);
        struct json_node *status = node_need_object(tree, object, "status");

        if (is_for_group)
                node_put_string(tree, consumer, "apiGroup", "scheduling.k8s.io");
        node_put_string(tree, consumer, "resource", is_for_group ? "podgroups" : "pods");
        node_put_text(tree, consumer, "name", object_name(user));
        node_put_text(tree, consumer, "uid", object_uid(user));
        node_append(node_need_array(tree, status, "reservedFor"), consumer);
        int r = object_put(run, &target, object, reservation->err);
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
                reservation->r = put_consumer(
                        reservation, claim,
                        pod_claim_is_of_group(reservation->pod, wanted->entry, reservation->group));
        json_doc_free(doc);
        return reservation->r == 0;
}

static int handle_claims(struct claim_reservation *reservation, bool is_bound) {
        const struct json *pod = reservation->pod;

        reservation->r = resource_claims_make_for_pod(reservation->run, pod, reservation->group,
                                                      reservation->err);
        if (reservation->r == 0 && is_bound)
                pod_claims_each(pod, reserve_if_needed, reservation);
        return reservation->r;
}

/* A pod whose group is not there waits: whose are its claims? */
static int look_at_member(struct controller_run *run, const struct json *pod, bool is_bound,
                          struct err *err) {
        struct claim_reservation reservation = { .run = run, .pod = pod, .err = err };
        struct slice name = pod_group_name(pod);
        struct json_doc *doc = NULL;

        if (name.len == 0 || run->control->resource.pod_groups < 0)
                return handle_claims(&reservation, is_bound);
        reservation.group = control_read(run->control, run->control->resource.pod_groups,
                                         object_namespace(pod), name, &doc);
        int r = reservation.group ? handle_claims(&reservation, is_bound) : 0;
        json_doc_free(doc);
        return r;
}

static int look_at_pod(struct controller_run *run, struct slice ns, struct slice name,
                       struct err *err) {
        struct json_doc *doc = NULL;
        const struct json *pod =
                control_read(run->control, run->control->resource.pods, ns, name, &doc);
        const struct object_entry *entry =
                object_index_find(run->control->index, run->control->resource.pods, ns, name);
        int r = 0;

        if (pod && entry && !object_is_deleted(pod) && !is_done(entry))
                r = look_at_member(run, pod, entry->pod->is_bound, err);
        json_doc_free(doc);
        return r;
}

static bool has_prefix(struct slice *name, const char *prefix) {
        struct slice start = slice_of(prefix);

        if (!slice_has_prefix(*name, start))
                return false;
        *name = slice_make(name->ptr + start.len, name->len - start.len);
        return true;
}

static int resource_claim_reconcile(struct controller_run *run, struct slice ns, struct slice name,
                                    struct err *err) {
        if (name.len == 0)
                find_groups(run);
        else if (has_prefix(&name, POD_KEY_PREFIX))
                return look_at_pod(run, ns, name, err);
        else if (has_prefix(&name, GROUP_KEY_PREFIX))
                return look_at_group(run, ns, name, err);
        else
                return resource_claim_release(run, ns, name, err);
        return 0;
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
