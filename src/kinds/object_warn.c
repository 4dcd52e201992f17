/* Warnings about services, volumes, claims and endpoints. */
#include "kinds/volume_claim.h"
#include "kinds/warn.h"
#include "kinds/warn_text.h"

#include "api/quantity.h"
#include "base/base64.h"
#include "base/ip_text.h"
#include "base/util.h"
#include <stdio.h>

/* ---- services ---- */

#define HINTS "service.kubernetes.io/topology-aware-hints"

static bool is_headless(const struct json_node *spec) {
        return slice_is(node_get_text(spec, "type"), "ClusterIP") &&
               slice_is(node_get_text(spec, "clusterIP"), "None");
}

static void warn_headless(const struct warn_sink *sink, const struct json_node *spec) {
        if (node_get_text(spec, "loadBalancerIP").len)
                warn_text(sink, "spec.loadBalancerIP is ignored for headless services");
        if (node_count(node_get(spec, "externalIPs")) > 0)
                warn_text(sink, "spec.externalIPs is ignored for headless services");
        if (!slice_is(node_get_text(spec, "sessionAffinity"), "None"))
                warn_text(sink, "spec.SessionAffinity is ignored for headless services");
}

static void warn_type(const struct warn_sink *sink, const struct json_node *spec) {
        bool is_external = slice_is(node_get_text(spec, "type"), "ExternalName");
        bool has_addresses = node_count(node_get(spec, "externalIPs")) > 0;

        if (is_external && has_addresses)
                warn_text(sink, "spec.externalIPs is ignored when spec.type is \"ExternalName\"");
        if (!is_external && node_get_text(spec, "externalName").len)
                warn_text(sink,
                          "spec.externalName is ignored when spec.type is not \"ExternalName\"");
        if (slice_is(node_get_text(spec, "trafficDistribution"), "PreferClose"))
                warn_text(sink, "spec.trafficDistribution: \"PreferClose\" is deprecated; use "
                                "\"PreferSameZone\"");
}

WARN_HOOK(service_warn) {
        const struct warn_sink sink = { emit, context };
        const struct json_node *spec = node_get(object, "spec");
        const struct json_node *annotations = node_get(node_get(object, "metadata"), "annotations");
        const struct json_node *ranges = node_get(spec, "loadBalancerSourceRanges");
        bool is_external = slice_is(node_get_text(spec, "type"), "ExternalName");

        if (operation == KIND_UPDATE_STATUS)
                return;
        if (node_get(annotations, HINTS))
                warn_text(&sink, "annotation " HINTS
                                 " is deprecated, please use service.kubernetes.io/topology-mode "
                                 "instead");
        warn_addresses(&sink, "spec.clusterIPs", node_get(spec, "clusterIPs"));
        if (is_headless(spec))
                warn_headless(&sink, spec);
        warn_addresses(&sink, "spec.externalIPs", node_get(spec, "externalIPs"));
        if (node_count(node_get(spec, "externalIPs")) > 0 && !is_headless(spec) && !is_external)
                warn_text(&sink, "spec.externalIPs is deprecated and may no longer be implemented "
                                 "in some clusters");
        warn_address(&sink, "spec.loadBalancerIP", node_get_text(spec, "loadBalancerIP"));
        for (size_t i = 0; i < node_count(ranges); i++)
                warn_network_at(&sink, "spec.loadBalancerSourceRanges", i,
                                node_get_slice(node_at(ranges, i)));
        warn_type(&sink, spec);
}

static void warn_subset(const struct warn_sink *sink, size_t index, const struct json_node *subset,
                        const char *member) {
        const struct json_node *list = node_get(subset, member);

        for (size_t i = 0; i < node_count(list); i++) {
                char place[96];

                snprintf(place, sizeof(place), "subsets[%zu].%s[%zu].ip", index, member, i);
                warn_address(sink, place, node_get_text(node_at(list, i), "ip"));
        }
}

WARN_HOOK(endpoints_warn) {
        const struct warn_sink sink = { emit, context };
        const struct json_node *subsets = node_get(object, "subsets");

        (void)operation;
        for (size_t i = 0; i < node_count(subsets); i++) {
                warn_subset(&sink, i, node_at(subsets, i), "addresses");
                warn_subset(&sink, i, node_at(subsets, i), "notReadyAddresses");
        }
}

WARN_HOOK(endpoint_slice_warn) {
        const struct warn_sink sink = { emit, context };
        const struct json_node *endpoints = node_get(object, "endpoints");

        if (operation == KIND_CREATE && slice_is(node_get_text(object, "addressType"), "FQDN"))
                warn_text(&sink, "spec.addressType: FQDN endpoints are deprecated");
        for (size_t i = 0; i < node_count(endpoints); i++) {
                char place[48];

                snprintf(place, sizeof(place), "endpoints[%zu].addresses", i);
                warn_addresses(&sink, place, node_get(node_at(endpoints, i), "addresses"));
        }
}

#define INGRESS_CLASS "kubernetes.io/ingress.class"

WARN_HOOK(ingress_warn) {
        const struct warn_sink sink = { emit, context };
        const struct json_node *annotations = node_get(node_get(object, "metadata"), "annotations");

        if (operation == KIND_CREATE && node_get(annotations, INGRESS_CLASS) &&
            !node_get(node_get(object, "spec"), "ingressClassName"))
                warn_text(&sink, "annotation \"" INGRESS_CLASS
                                 "\" is deprecated, please use 'spec.ingressClassName' instead");
}

/* ---- volumes ---- */

WARN_HOOK(persistent_volume_claim_warn) {
        const struct warn_sink sink = { emit, context };
        const struct json_node *resources = node_get(node_get(object, "spec"), "resources");

        if (operation == KIND_UPDATE_STATUS)
                return;
        if (node_get(node_get(node_get(object, "metadata"), "annotations"), CLASS_ANNOTATION))
                warn_text(&sink, "metadata.annotations[" CLASS_ANNOTATION
                                 "]: deprecated since v1.8; use \"storageClassName\" attribute "
                                 "instead");
        warn_fraction_of_bytes(&sink, "spec.", "requests",
                               node_get_text(node_get(resources, "requests"), "storage"));
        warn_fraction_of_bytes(&sink, "spec.", "limits",
                               node_get_text(node_get(resources, "limits"), "storage"));
}

/* Kinds of volumes that do nothing any more. */
static const struct {
        const char *member, *shown_as, *text;
} old_sources[] = {
        { "cephfs", "cephfs", "deprecated in v1.28, non-functional in v1.31+" },
        { "photonPersistentDisk", "photonPersistentDisk",
          "deprecated in v1.11, non-functional in v1.16+" },
        { "scaleIO", "scaleIO", "deprecated in v1.16, non-functional in v1.22+" },
        { "storageos", "storageOS", "deprecated in v1.22, non-functional in v1.25+" },
        { "glusterfs", "glusterfs", "deprecated in v1.25, non-functional in v1.26+" },
        { "rbd", "rbd", "deprecated in v1.28, non-functional in v1.31+" },
};

static void warn_old_labels(const struct warn_sink *sink, const struct json_node *terms) {
        for (size_t i = 0; i < node_count(terms); i++) {
                const struct json_node *list = node_get(node_at(terms, i), "matchExpressions");

                for (size_t j = 0; j < node_count(list); j++) {
                        struct slice key = node_get_text(node_at(list, j), "key");

                        if (old_node_label(key))
                                warn_text(sink,
                                          "spec.nodeAffinity.required.nodeSelectorTerms[%zu]."
                                          "matchExpressions[%zu].key: " SLICE_FMT " is %s",
                                          i, j, SLICE_ARG(key), old_node_label(key));
                }
        }
}

WARN_HOOK(persistent_volume_warn) {
        const struct warn_sink sink = { emit, context };
        const struct json_node *spec = node_get(object, "spec");
        const struct json_node *annotations = node_get(node_get(object, "metadata"), "annotations");
        const struct json_node *required = node_get(node_get(spec, "nodeAffinity"), "required");

        if (operation == KIND_UPDATE_STATUS)
                return;
        if (node_get(annotations, CLASS_ANNOTATION))
                warn_text(&sink, "metadata.annotations[" CLASS_ANNOTATION
                                 "]: deprecated since v1.8; use \"storageClassName\" attribute "
                                 "instead");
        if (node_get(annotations, OPTIONS_ANNOTATION))
                warn_text(&sink, "metadata.annotations[" OPTIONS_ANNOTATION
                                 "]: deprecated since v1.31; use \"mountOptions\" attribute "
                                 "instead");
        if (slice_is(node_get_text(spec, "persistentVolumeReclaimPolicy"), "Recycle"))
                warn_text(&sink,
                          "spec.persistentVolumeReclaimPolicy: The Recycle reclaim policy is "
                          "deprecated. Instead, the recommended approach is to use dynamic "
                          "provisioning.");
        warn_old_labels(&sink, node_get(required, "nodeSelectorTerms"));
        for (size_t i = 0; i < ARRAY_LEN(old_sources); i++)
                if (node_get(spec, old_sources[i].member))
                        warn_text(&sink, "spec.%s: %s", old_sources[i].shown_as,
                                  old_sources[i].text);
}

WARN_HOOK(storage_class_warn) {
        const struct warn_sink sink = { emit, context };
        const struct json_node *terms = node_get(object, "allowedTopologies");

        (void)operation;
        for (size_t i = 0; i < node_count(terms); i++) {
                const struct json_node *list = node_get(node_at(terms, i), "matchLabelExpressions");

                for (size_t j = 0; j < node_count(list); j++) {
                        const char *text = old_node_label(node_get_text(node_at(list, j), "key"));

                        if (text)
                                warn_text(&sink,
                                          "allowedTopologies[%zu].matchLabelExpressions[%zu].key: "
                                          "%s",
                                          i, j, text);
                }
        }
}

WARN_HOOK(node_warn) {
        const struct warn_sink sink = { emit, context };
        const struct json_node *spec = node_get(object, "spec");
        const struct json_node *ranges = node_get(spec, "podCIDRs");

        if (operation == KIND_UPDATE_STATUS)
                return;
        if (node_get_text(spec, "externalID").len)
                warn_text(&sink, "spec.externalID: this field is deprecated, and is unused by "
                                 "Kubernetes");
        for (size_t i = 0; i < node_count(ranges); i++)
                warn_network_at(&sink, "spec.podCIDRs", i, node_get_slice(node_at(ranges, i)));
}

/* Upstream looks whether key and certificate fit; here only whether there is a certificate. */
WARN_HOOK(secret_warn) {
        const struct warn_sink sink = { emit, context };
        struct slice text = node_get_text(node_get(object, "data"), "tls.crt");
        struct buf certificate = { 0 };

        (void)operation;
        if (!slice_is(node_get_text(object, "type"), "kubernetes.io/tls"))
                return;
        if (base64_decode(text, BASE64_STANDARD, &certificate) &&
            !slice_contains(buf_view(&certificate), SLICE_LITERAL("-----BEGIN ")))
                warn_text(&sink, "tls: failed to find any PEM data in certificate input");
        buf_release(&certificate);
}

WARN_HOOK(resource_slice_warn) {
        const struct warn_sink sink = { emit, context };
        struct slice driver = node_get_text(node_get(object, "spec"), "driver");

        (void)operation;
        for (size_t i = 0; i < driver.len; i++)
                if (driver.ptr[i] >= 'A' && driver.ptr[i] <= 'Z') {
                        warn_text(&sink,
                                  "spec.driver: driver names should be lowercase; \"" SLICE_FMT
                                  "\" contains uppercase characters",
                                  SLICE_ARG(driver));
                        return;
                }
}

/* Requests that can never be used up, as limits end before them. */
WARN_HOOK(resource_quota_warn) {
        static const struct {
                const char *request, *short_request, *limit;
        } pairs[] = {
                { "requests.cpu", "cpu", "limits.cpu" },
                { "requests.memory", "memory", "limits.memory" },
                { "requests.storage", NULL, "limits.storage" },
                { "requests.ephemeral-storage", NULL, "limits.ephemeral-storage" },
        };
        const struct warn_sink sink = { emit, context };
        const struct json_node *hard = node_get(node_get(object, "spec"), "hard");

        for (size_t i = 0; operation == KIND_CREATE && i < ARRAY_LEN(pairs); i++) {
                const char *name = pairs[i].request;
                int order = 0;

                if (!node_get(hard, name) && pairs[i].short_request)
                        name = pairs[i].short_request;
                struct slice request = node_get_text(hard, name);
                struct slice limit = node_get_text(hard, pairs[i].limit);
                if (request.len && limit.len &&
                    quantity_compare(request, limit, &order, NULL) == 0 && order > 0)
                        warn_text(&sink,
                                  "ResourceQuota %s (" SLICE_FMT ") should be less than %s "
                                  "(" SLICE_FMT ")",
                                  name, SLICE_ARG(request), pairs[i].limit, SLICE_ARG(limit));
        }
}
