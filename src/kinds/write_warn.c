/* Warnings that every write gets, or that depend on what was there. */
#include "kinds/metadata_check.h"
#include "kinds/warn.h"
#include "kinds/warn_text.h"

#include "base/arena.h"
#include "base/go_quote.h"
#include "base/text_set.h"
#include "base/util.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

WARN_EACH_HOOK(address_status_warn) {
        static const struct {
                const char *outer, *list, *path, *member, *shown_member;
        } places[] = {
                { NULL, "podIPs", "status.podIPs", "ip", ".ip" },
                { NULL, "hostIPs", "status.hostIPs", "ip", ".ip" },
                { "loadBalancer", "ingress", "status.loadBalancer.ingress", "ip", "" },
        };
        const struct warn_sink sink = { emit, context };
        const struct json_node *status = node_get(object, "status");

        (void)old;
        for (size_t i = 0; operation == KIND_UPDATE_STATUS && i < ARRAY_LEN(places); i++) {
                const struct json_node *holder =
                        places[i].outer ? node_get(status, places[i].outer) : status;

                warn_member_addresses(&sink, places[i].path, node_get(holder, places[i].list),
                                      places[i].member, places[i].shown_member);
        }
}

static void warn_peers(const struct warn_sink *sink, const char *list, size_t index,
                       const struct json_node *rule) {
        const char *member = strcmp(list, "ingress") == 0 ? "from" : "to";
        const struct json_node *peers = node_get(rule, member);
        char path[96];

        for (size_t i = 0; i < node_count(peers); i++) {
                const struct json_node *block = node_get(node_at(peers, i), "ipBlock");
                const struct json_node *except = node_get(block, "except");

                snprintf(path, sizeof(path), "spec.%s[%zu].%s[%zu].ipBlock.cidr", list, index,
                         member, i);
                warn_network(sink, path, node_get_text(block, "cidr"));
                snprintf(path, sizeof(path), "spec.%s[%zu].%s[%zu].ipBlock.except", list, index,
                         member, i);
                for (size_t j = 0; j < node_count(except); j++)
                        warn_network_at(sink, path, j, node_get_slice(node_at(except, j)));
        }
}

WARN_EACH_HOOK(network_policy_warn) {
        static const char *const lists[] = { "ingress", "egress" };
        const struct warn_sink sink = { emit, context };

        (void)operation;
        (void)old;
        for (size_t i = 0; i < ARRAY_LEN(lists); i++) {
                const struct json_node *rules = node_get(node_get(object, "spec"), lists[i]);

                for (size_t j = 0; j < node_count(rules); j++)
                        warn_peers(&sink, lists[i], j, node_at(rules, j));
        }
}

WARN_EACH_HOOK(csi_driver_warn) {
        const struct warn_sink sink = { emit, context };
        const struct json_node *spec = node_get(object, "spec");

        (void)operation;
        if (node_count(node_get(spec, "tokenRequests")) > 0 &&
            !node_get(spec, "serviceAccountTokenInSecrets") &&
            !(old && node_equal_json(node_get(spec, "tokenRequests"),
                                     json_get(json_get(old, "spec"), "tokenRequests"))))
                warn_text(&sink, "spec.serviceAccountTokenInSecrets is unset; if supported by this "
                                 "CSI driver, set to true to prevent possible logging of tokens in "
                                 "volume attributes");
}

/* ---- labels of nodes ---- */

static void warn_keys(const struct warn_sink *sink, const struct json_node *labels,
                      const char *path, bool is_named) {
        struct node_iter iter = node_iter(labels);
        struct slice key;

        while (node_next(&iter, &key, NULL)) {
                const char *text = old_node_label(key);

                if (text && is_named)
                        warn_text(sink, "%s." SLICE_FMT ": %s", path, SLICE_ARG(key), text);
                else if (text)
                        warn_text(sink, "%s: %s", path, text);
        }
}

WARN_EACH_HOOK(node_labels_warn) {
        const struct warn_sink sink = { emit, context };
        const struct json_node *topology = node_get(object, "nodeTopology");
        const struct json_node *list = node_get(topology, "matchExpressions");

        (void)operation;
        (void)old;
        warn_keys(&sink, node_get(node_get(object, "scheduling"), "nodeSelector"),
                  "scheduling.nodeSelector", false);
        for (size_t i = 0; i < node_count(list); i++) {
                struct slice key = node_get_text(node_at(list, i), "key");

                if (old_node_label(key))
                        warn_text(&sink,
                                  "nodeTopology.matchExpressions[%zu].key: " SLICE_FMT " is %s", i,
                                  SLICE_ARG(key), old_node_label(key));
        }
        warn_keys(&sink, node_get(topology, "matchLabels"), "nodeTopology.matchLabels", true);
}

/* ---- workloads ---- */

/* Upstream takes the old template for the new one: a change is warned of what was there. */
WARN_EACH_HOOK(replication_controller_warn) {
        CLEANUP(cleanup_json_tree) struct json_tree *tree = json_tree_new();
        int64_t before = json_get_i64(json_get(old, "metadata"), "generation", 0);

        if (!old)
                workload_warn(operation, object, emit, context);
        else if (operation == KIND_UPDATE &&
                 node_get_i64(node_get(object, "metadata"), "generation", 0) != before)
                workload_warn(operation, node_import(tree, old), emit, context);
}

static void warn_claim(const struct warn_sink *sink, size_t index, const struct json_node *claim,
                       bool is_update) {
        static const char *const lists[] = { "requests", "limits" };
        const struct json_node *resources = node_get(node_get(claim, "spec"), "resources");
        char path[80];

        snprintf(path, sizeof(path), "spec.volumeClaimTemplates[%zu].%s", index,
                 is_update ? "Spec." : "");
        for (size_t i = 0; i < ARRAY_LEN(lists); i++)
                warn_fraction_of_bytes(sink, path, lists[i],
                                       node_get_text(node_get(resources, lists[i]), "storage"));
}

WARN_EACH_HOOK(stateful_set_warn) {
        const struct warn_sink sink = { emit, context };
        const struct json_node *spec = node_get(object, "spec");
        const struct json_node *claims = node_get(spec, "volumeClaimTemplates");

        if (operation == KIND_UPDATE_STATUS)
                return;
        for (size_t i = 0; i < node_count(claims); i++)
                warn_claim(&sink, i, node_at(claims, i), old);
        if (node_get_i64(spec, "revisionHistoryLimit", 0) < 0)
                warn_text(&sink, "spec.revisionHistoryLimit: a negative value retains all "
                                 "historical revisions; a value >= 0 is recommended");
}

/* ---- metadata ---- */

#define MOUNTABLE_ANNOTATION "kubernetes.io/enforce-mountable-secrets"

WARN_EACH_HOOK(service_account_warn) {
        const struct warn_sink sink = { emit, context };
        const struct json_node *annotations = node_get(node_get(object, "metadata"), "annotations");
        const struct json *before = json_get(json_get(old, "metadata"), "annotations");

        (void)operation;
        if (node_get(annotations, MOUNTABLE_ANNOTATION) && !json_get(before, MOUNTABLE_ANNOTATION))
                warn_text(&sink, "metadata.annotations[" MOUNTABLE_ANNOTATION
                                 "]: deprecated in v1.32+; prefer separate namespaces to isolate "
                                 "access to mounted secrets");
}

#define STATIC_SUFFIX ".static.k8s.io"

WARN_EACH_HOOK(static_name_warn) {
        const struct warn_sink sink = { emit, context };

        (void)old;
        if (operation != KIND_UPDATE_STATUS &&
            slice_has_suffix(node_get_text(node_get(object, "metadata"), "name"),
                             SLICE_LITERAL(STATIC_SUFFIX)))
                warn_text(&sink, "metadata.name: names ending with \"" STATIC_SUFFIX
                                 "\" are reserved for static manifest-based configurations and "
                                 "cannot be managed via the API");
}

/* ---- finalizers ---- */

static int compare_names(const void *a, const void *b) {
        return slice_compare(*(const struct slice *)a, *(const struct slice *)b);
}

/* Upstream's words for a name that is no domain's; those of Kubernetes have none. */
static void warn_finalizer(const struct warn_sink *sink, struct slice name) {
        CLEANUP(buf_release) struct buf shown = { 0 };

        if (!finalizer_lacks_domain(name))
                return;
        go_quote_write(name, &shown);
        warn_text(sink,
                  "metadata.finalizers: %s: prefer a domain-qualified finalizer name%s to avoid "
                  "accidental conflicts with other finalizer writers",
                  shown.data, slice_contains(name, slice_of(".")) ? " including a path (/)" : "");
}

WARN_EACH_HOOK(finalizer_warn) {
        const struct warn_sink sink = { emit, context };
        struct json_iter before = json_iter(json_get(json_get(old, "metadata"), "finalizers"));
        const struct json_node *finalizers = node_get(node_get(object, "metadata"), "finalizers");
        CLEANUP(text_set_release) struct text_set known = { 0 };
        struct slice *names = xcalloc(node_count(finalizers) + 1, sizeof(*names));
        struct node_iter iter = node_iter(finalizers);
        const struct json *old_name;
        struct json_node *name;
        size_t count = 0;

        (void)operation;
        while (json_next(&before, NULL, &old_name))
                text_set_add(&known, json_text(old_name));
        while (node_next(&iter, NULL, &name))
                if (text_set_add(&known, node_get_slice(name)))
                        names[count++] = node_get_slice(name);
        qsort(names, count, sizeof(*names), compare_names);
        for (size_t i = 0; i < count; i++)
                warn_finalizer(&sink, names[i]);
        free(names);
}
