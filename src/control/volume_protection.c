/* Protection of volumes: claims that are deleted stay while a pod uses them, volumes while a claim
 * has them. The finalizers come from the API server. */
#include "base/util.h"
#include "control/pod_owner.h"

#define CLAIM_FINALIZER "kubernetes.io/pvc-protection"
#define VOLUME_FINALIZER "kubernetes.io/pv-protection"

static bool is_waiting(const struct store_object *object, const char *finalizer) {
        return object_mentions(object, "\"deletionTimestamp\"") &&
               object_mentions(object, finalizer);
}

/* ---- claims ---- */

/* The claim behind a volume of a pod; ephemeral ones are named after the pod. */
static bool volume_protection_uses(const struct json *pod, struct slice claim) {
        struct json_iter iter = json_iter(json_get(json_get(pod, "spec"), "volumes"));
        const struct json *volume;

        while (json_next(&iter, NULL, &volume)) {
                const struct json *source = json_get(volume, "persistentVolumeClaim");
                struct slice pod_name = object_name(pod), name = json_get_text(volume, "name");

                if (source && slice_eq(json_get_text(source, "claimName"), claim))
                        return true;
                if (json_get(volume, "ephemeral") && claim.len == pod_name.len + 1 + name.len &&
                    slice_has_prefix(claim, pod_name) && slice_has_suffix(claim, name))
                        return true;
        }
        return false;
}

static bool is_used_by(const struct entry_list *pods, struct slice claim) {
        for (struct entry_link *link = pods ? pods->first : NULL; link; link = link->after) {
                const struct pod_facts *facts = link->entry->pod;
                struct json_doc *doc = NULL;

                if (!facts->is_bound || facts->phase == PHASE_SUCCEEDED ||
                    facts->phase == PHASE_FAILED ||
                    !object_mentions(link->entry->object, "\"volumes\""))
                        continue;
                bool is_user = volume_protection_uses(entry_read(link->entry, &doc), claim);
                json_doc_free(doc);
                if (is_user)
                        return true;
        }
        return false;
}

/* Claims that wait, of the namespace in which a pod ended. */
static bool queue_waiting(void *context, const struct store_object *object) {
        struct controller_run *run = context;

        if (is_waiting(object, CLAIM_FINALIZER))
                work_queue_add(run->queue, store_object_ns(object), store_object_name(object));
        return true;
}

static void claims_changed(struct controller_run *run, struct change *change) {
        const struct resource_numbers *number = &run->control->resource;
        const struct store_event *event = change->event;

        if (change->resource == number->claims && event->type != STORE_DELETED)
                queue_waiting(run, event->object);
        else if (change->resource == number->pods && event->type != STORE_ADDED &&
                 (object_mentions(event->object, "\"persistentVolumeClaim\"") ||
                  object_mentions(event->object, "\"ephemeral\"")))
                control_each(run->control, number->claims, store_object_ns(event->object),
                             queue_waiting, run);
}

static int reconcile_claim(struct controller_run *run, struct slice ns, struct slice name,
                           struct err *err) {
        const struct control *control = run->control;
        struct object_target target = { .resource = control->resource.claims,
                                        .ns = ns,
                                        .name = name };
        const struct store_object *stored = store_get(control->store, target.resource, ns, name);
        struct json_doc *doc = NULL;

        if (!stored || !is_waiting(stored, CLAIM_FINALIZER) ||
            is_used_by(object_index_pods(control->index, ns, false), name) ||
            is_used_by(object_index_pods(control->index, ns, true), name))
                return 0;
        int r = object_drop_finalizer(run, &target,
                                      control_read(control, target.resource, ns, name, &doc),
                                      CLAIM_FINALIZER, err);
        json_doc_free(doc);
        return r;
}

const struct controller controller_claim_protection = {
        .name = "persistentvolumeclaim-protection-controller",
        .alias = "pvc-protection",
        .component = "pvc-protection-controller",
        .changed = claims_changed,
        .reconcile = reconcile_claim,
};

/* ---- volumes ---- */

static void volumes_changed(struct controller_run *run, struct change *change) {
        const struct store_event *event = change->event;

        if (change->resource == run->control->resource.volumes && event->type != STORE_DELETED &&
            is_waiting(event->object, VOLUME_FINALIZER))
                work_queue_add(run->queue, SLICE_EMPTY, store_object_name(event->object));
}

static int reconcile_volume(struct controller_run *run, struct slice ns, struct slice name,
                            struct err *err) {
        struct control *control = run->control;
        struct object_target target = { .resource = control->resource.volumes, .name = name };
        struct json_doc *doc = NULL;
        const struct json *volume = control_read(control, target.resource, ns, name, &doc);
        int r = 0;

        if (volume && object_is_deleted(volume) &&
            !slice_is(json_get_text(json_get(volume, "status"), "phase"), "Bound"))
                r = object_drop_finalizer(run, &target, volume, VOLUME_FINALIZER, err);
        json_doc_free(doc);
        return r;
}

const struct controller controller_volume_protection = {
        .name = "persistentvolume-protection-controller",
        .alias = "pv-protection",
        .component = "pv-protection-controller",
        .changed = volumes_changed,
        .reconcile = reconcile_volume,
};
