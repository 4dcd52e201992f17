/* What every namespace has: the service account "default" and the cluster's certificate. */
#include "base/util.h"
#include "control/pod_owner.h"

#define CERTIFICATE_MAP "kube-root-ca.crt"

/* Namespaces that came, and the object itself when it was deleted. */
static void namespace_defaults_observe(struct controller_run *run, struct change *change,
                                       int resource, const char *name) {
        const struct store_event *event = change->event;

        if (change->resource == run->control->resource.namespaces) {
                if (event->type != STORE_DELETED)
                        work_queue_add(run->queue, SLICE_EMPTY, store_object_name(event->object));
        } else if (change->resource == resource && event->type == STORE_DELETED &&
                   slice_is(store_object_name(event->object), name)) {
                work_queue_add(run->queue, SLICE_EMPTY, store_object_ns(event->object));
        }
}

static bool is_wanted(const struct control *control, struct slice ns, int resource,
                      const char *name) {
        const struct store_object *home =
                store_get(control->store, control->resource.namespaces, SLICE_EMPTY, ns);

        return home && !object_mentions(home, "\"deletionTimestamp\"") &&
               !store_get(control->store, resource, ns, slice_of(name));
}

static void account_changed(struct controller_run *run, struct change *change) {
        namespace_defaults_observe(run, change, run->control->resource.service_accounts, "default");
}

static int need_account(struct controller_run *run, struct slice none, struct slice ns,
                        struct err *err) {
        int resource = run->control->resource.service_accounts, r;

        (void)none;
        if (!is_wanted(run->control, ns, resource, "default"))
                return 0;
        struct json_tree *tree = json_tree_new();
        struct json_node *account = node_object(tree);
        node_put_string(tree, node_need_object(tree, account, "metadata"), "name", "default");
        r = object_create(run, resource, ns, account, err);
        json_tree_free(tree);
        return r;
}

const struct controller controller_service_account = {
        .name = "serviceaccount-controller",
        .alias = "serviceaccount",
        .component = "serviceaccount-controller",
        .changed = account_changed,
        .reconcile = need_account,
};

static void map_changed(struct controller_run *run, struct change *change) {
        namespace_defaults_observe(run, change, run->control->resource.config_maps,
                                   CERTIFICATE_MAP);
}

static int need_map(struct controller_run *run, struct slice none, struct slice ns,
                    struct err *err) {
        int resource = run->control->resource.config_maps, r;
        const char *pem = run->control->config.ca_pem;

        (void)none;
        if (!is_wanted(run->control, ns, resource, CERTIFICATE_MAP))
                return 0;
        struct json_tree *tree = json_tree_new();
        struct json_node *map = node_object(tree);
        struct json_node *metadata = node_need_object(tree, map, "metadata");
        node_put_string(tree, metadata, "name", CERTIFICATE_MAP);
        node_put_string(tree, node_need_object(tree, metadata, "annotations"),
                        "kubernetes.io/description",
                        "The certificate that the API server's own is signed with.");
        node_put_string(tree, node_need_object(tree, map, "data"), "ca.crt", pem ? pem : "");
        r = object_create(run, resource, ns, map, err);
        json_tree_free(tree);
        return r;
}

const struct controller controller_root_certificate = {
        .name = "root-ca-certificate-publisher-controller",
        .alias = "root-ca-cert-publisher",
        .component = "root-ca-cert-publisher",
        .changed = map_changed,
        .reconcile = need_map,
};
