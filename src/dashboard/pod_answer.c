/* The document of one pod: what the owner of the page knows about it. */
#include "dashboard/address_query.h"
#include "dashboard/dashboard_priv.h"
#include "dashboard/pod_document.h"

static struct pod_id asked_pod(const struct dashboard *dashboard, struct slice query) {
        CLEANUP(buf_release) struct buf ns = { 0 };
        CLEANUP(buf_release) struct buf name = { 0 };

        if (!address_text(query, "namespace", &ns) || !address_text(query, "name", &name))
                return POD_NONE;
        return cluster_find_pod(dashboard->cluster, buf_view(&ns), buf_view(&name));
}

bool pod_answer_write(struct dashboard *dashboard, struct slice query, struct buf *out) {
        struct pod_id pod = asked_pod(dashboard, query);

        if (pod_id_is_none(pod) || !dashboard->explain)
                return false;
        struct json_tree *tree = json_tree_new();
        struct json_node *explanation = dashboard->explain(dashboard->explain_context, pod, tree);
        buf_char(out, '{');
        dashboard_members(dashboard, out);
        buf_char(out, ',');
        pod_document_write(tree, explanation, query, out);
        buf_text(out, "}\n");
        json_tree_free(tree);
        return true;
}
