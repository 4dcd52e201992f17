/* Resource claims made from templates for the pods and PodGroups that want them. A pod whose group
 * names the same claim gets that of the group. */
#include "base/util.h"
#include "control/resource_claim_priv.h"

#define CLAIM_NAME_BASE_MAX 57 /* leaves the server its five random characters, and a hyphen */

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

/* Who wants claims; both kinds have the same members for them. */
struct claim_wanter {
        const char *api_version, *kind, *complaint;
};
static const struct claim_wanter pod_wanter = { "v1", "Pod", "PodResourceClaim" };
static const struct claim_wanter group_wanter = { "scheduling.k8s.io/v1alpha2", "PodGroup",
                                                  "PodGroupResourceClaim" };

static struct json_node *claim_from_template(struct json_tree *tree,
                                             const struct claim_wanter *wanter,
                                             const struct json *owner_object,
                                             const struct pod_claim_entry *wanted,
                                             const struct json *template) {
        const struct json *spec = json_get(template, "spec");
        const struct json *labels = json_get(json_get(spec, "metadata"), "labels");
        const struct json *annotations = json_get(json_get(spec, "metadata"), "annotations");
        struct json_node *claim = node_object(tree), *owner = node_object(tree);
        struct json_node *metadata = node_need_object(tree, claim, "metadata");

        put_generate_name(tree, metadata, object_name(owner_object), wanted->entry);
        node_put_string(tree, owner, "apiVersion", wanter->api_version);
        node_put_string(tree, owner, "kind", wanter->kind);
        node_put_text(tree, owner, "name", object_name(owner_object));
        node_put_text(tree, owner, "uid", object_uid(owner_object));
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

/* The claim that was made for this entry before, when the status did not get to know it. */
static struct slice find_made(const struct controller_run *run, const struct json *wanter,
                              const struct pod_claim_entry *wanted, struct arena *arena) {
        const struct entry_list *owned =
                object_index_dependents(run->control->index, object_uid(wanter));
        const struct owner *self = object_index_owner(run->control->index, object_uid(wanter));
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

struct claim_making { /* of the claims of one pod or group */
        struct controller_run *run;
        const struct claim_wanter *wanter;
        int resource;              /* of the object */
        const struct json *object; /* that wants them */
        const struct json *group;  /* of a pod; NULL = none that is known */
        struct arena arena;
        struct json_tree *tree;
        struct json_node *statuses; /* as the object's status is to have them */
        bool is_changed;
};

static int make_claim(struct claim_making *making, const struct pod_claim_entry *wanted,
                      struct slice *ret_name, struct err *err) {
        struct controller_run *run = making->run;
        const struct resource_numbers *number = &run->control->resource;
        struct slice ns = object_namespace(making->object);
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
        int r = object_create_read(
                run, number->resource_claims, ns,
                claim_from_template(making->tree, making->wanter, making->object, wanted, template),
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
        const struct json *claim =
                control_read(control, control->resource.resource_claims,
                             object_namespace(making->object), wanted->name, &doc);
        bool is_ours = claim && resource_claim_is_for(claim, making->object);

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

static int find_or_make(struct claim_making *making, const struct pod_claim_entry *wanted,
                        struct slice *ret_name, struct err *err) {
        bool is_shared = pod_claim_is_of_group(making->object, wanted->entry, making->group);

        *ret_name = find_made(making->run, is_shared ? making->group : making->object, wanted,
                              &making->arena);
        if (ret_name->len || is_shared) /* the group's claim comes with news of the group */
                return 0;
        return make_claim(making, wanted, ret_name, err);
}

static int need_claim(struct claim_making *making, const struct json *entry, struct err *err) {
        struct pod_claim_entry wanted = pod_claim_read(making->object, entry);
        struct err failure = { 0 };
        struct slice name;

        if (wanted.state == POD_CLAIM_UNSUPPORTED || wanted.state == POD_CLAIM_UNNEEDED ||
            wanted.template.len == 0 ||
            (wanted.state == POD_CLAIM_NAMED && is_there(making, &wanted)))
                return 0;
        int r = find_or_make(making, &wanted, &name, &failure);
        if (r == 0) {
                if (name.len)
                        put_claim_status(making, &wanted, name);
                return 0;
        }
        object_warning(making->run, making->resource, making->object, "FailedResourceClaimCreation",
                       "%s " SLICE_FMT ": %s", making->wanter->complaint, SLICE_ARG(wanted.entry),
                       failure.text);
        *err = failure;
        return r;
}

static int make_all(struct claim_making *making, struct err *err) {
        const struct json *object = making->object;
        struct json_iter iter = json_iter(json_get(json_get(object, "spec"), "resourceClaims"));
        const struct json *known = json_get(json_get(object, "status"), "resourceClaimStatuses");
        struct object_target target = { .resource = making->resource,
                                        .ns = object_namespace(object),
                                        .name = object_name(object) };
        const struct json *entry;
        int r = 0;

        arena_init(&making->arena, 1024);
        making->tree = json_tree_new();
        making->statuses = known ? node_import(making->tree, known) : node_array(making->tree);
        while (r == 0 && json_next(&iter, NULL, &entry))
                r = need_claim(making, entry, err);
        if (r == 0 && making->is_changed) {
                struct json_node *status = node_object(making->tree);

                node_put(making->tree, status, "resourceClaimStatuses", making->statuses);
                r = object_merge_status(making->run, &target, making->tree, status, err);
        }
        arena_release(&making->arena);
        json_tree_free(making->tree);
        return r;
}

int resource_claims_make_for_pod(struct controller_run *run, const struct json *pod,
                                 const struct json *group, struct err *err) {
        struct claim_making making = { .run = run,
                                       .wanter = &pod_wanter,
                                       .resource = run->control->resource.pods,
                                       .object = pod,
                                       .group = group };

        return make_all(&making, err);
}

int resource_claims_make_for_group(struct controller_run *run, const struct json *group,
                                   struct err *err) {
        struct claim_making making = { .run = run,
                                       .wanter = &group_wanter,
                                       .resource = run->control->resource.pod_groups,
                                       .object = group };

        return make_all(&making, err);
}
