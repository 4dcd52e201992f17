/* Protection of groups of pods: a PodGroup that is deleted stays while pods that belong to it may
 * run. The finalizer comes from the API server. */
#include "control/pod_claims.h"
#include "control/pod_owner.h"

#define GROUP_FINALIZER "scheduling.k8s.io/podgroup-protection"

static bool is_over(const struct pod_facts *facts) {
        return facts->phase == PHASE_SUCCEEDED || facts->phase == PHASE_FAILED;
}

static void queue_group_of(struct controller_run *run, const struct json *pod) {
        struct slice group = pod_group_name(pod);

        if (group.len)
                work_queue_add(run->queue, object_namespace(pod), group);
}

static void pod_group_protection_changed(struct controller_run *run, struct change *change) {
        const struct resource_numbers *number = &run->control->resource;
        const struct store_event *event = change->event;

        if (number->pod_groups < 0)
                return;
        if (change->resource == number->pod_groups) {
                if (event->type != STORE_DELETED &&
                    object_mentions(event->object, "\"deletionTimestamp\""))
                        work_queue_add(run->queue, store_object_ns(event->object),
                                       store_object_name(event->object));
        } else if (change->resource == number->pods && event->type != STORE_ADDED &&
                   object_mentions(event->object, "\"podGroupName\"")) {
                queue_group_of(run, change_object(change));
        }
}

static bool has_members(const struct entry_list *pods, struct slice group) {
        for (struct entry_link *link = pods ? pods->first : NULL; link; link = link->after) {
                struct json_doc *doc = NULL;

                if (is_over(link->entry->pod) ||
                    !object_mentions(link->entry->object, "\"podGroupName\""))
                        continue;
                bool is_member = slice_eq(pod_group_name(entry_read(link->entry, &doc)), group);
                json_doc_free(doc);
                if (is_member)
                        return true;
        }
        return false;
}

static int pod_group_protection_reconcile(struct controller_run *run, struct slice ns,
                                          struct slice name, struct err *err) {
        const struct control *control = run->control;
        struct object_target target = { .resource = control->resource.pod_groups,
                                        .ns = ns,
                                        .name = name };
        struct json_doc *doc = NULL;
        const struct json *group =
                target.resource < 0 ? NULL : control_read(control, target.resource, ns, name, &doc);
        int r = 0;

        if (group && object_is_deleted(group) &&
            !has_members(object_index_pods(control->index, ns, false), name) &&
            !has_members(object_index_pods(control->index, ns, true), name))
                r = object_drop_finalizer(run, &target, group, GROUP_FINALIZER, err);
        json_doc_free(doc);
        return r;
}

const struct controller controller_pod_group_protection = {
        .name = "podgroup-protection-controller",
        .component = "podgroup-protection-controller",
        .changed = pod_group_protection_changed,
        .reconcile = pod_group_protection_reconcile,
};
