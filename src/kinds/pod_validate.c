/* Validation of pods and pod templates. */
#include "kinds/check.h"
#include "kinds/prepare.h"

#include "base/arena.h"
#include "base/util.h"

/* ---- the spec ---- */

static void check_host_network(struct checker *checker, const struct at *at,
                               const struct json_node *spec) {
        const struct json_node *containers = node_get(spec, "containers");
        struct at list = at_member(at, "containers");

        if (!node_is_true(node_get(spec, "hostNetwork")))
                return;
        for (size_t i = 0; i < node_count(containers); i++) {
                const struct json_node *ports = node_get(node_at(containers, i), "ports");
                struct at container = at_index(&list, i),
                          port_list = at_member(&container, "ports");

                for (size_t j = 0; j < node_count(ports); j++) {
                        int64_t host = node_get_i64(node_at(ports, j), "hostPort", 0);
                        struct at place = at_index(&port_list, j);

                        if (host && host != node_get_i64(node_at(ports, j), "containerPort", 0))
                                report_number(checker, &place, "hostPort", host,
                                              "must match `containerPort` when `hostNetwork` is "
                                              "true");
                }
        }
}

static void check_dns(struct checker *checker, const struct at *at, const struct json_node *spec) {
        const struct json_node *config = node_get(spec, "dnsConfig");
        struct at place = at_member(at, "dnsConfig");
        size_t servers = node_count(node_get(config, "nameservers"));
        bool is_none = slice_is(node_get_text(spec, "dnsPolicy"), "None");

        if (is_none && !config)
                report(checker, FIELD_REQUIRED, &place, NULL, NULL,
                       "must provide `dnsConfig` when `dnsPolicy` is None");
        else if (is_none && servers == 0)
                report(checker, FIELD_REQUIRED, &place, "nameservers", NULL,
                       "must provide at least one DNS nameserver when `dnsPolicy` is None");
        if (servers > 3)
                report(checker, FIELD_INVALID, &place, "nameservers",
                       node_json(checker, node_get(config, "nameservers")),
                       "must not have more than 3 nameservers");
}

static void check_host_aliases(struct checker *checker, const struct at *at,
                               const struct json_node *aliases) {
        for (size_t i = 0; i < node_count(aliases); i++) {
                const struct json_node *names = node_get(node_at(aliases, i), "hostnames");
                struct at place = at_index(at, i);

                check_required(checker, &place, node_at(aliases, i), "ip");
                for (size_t j = 0; j < node_count(names); j++) {
                        struct slice name = node_get_slice(node_at(names, j));
                        const char *problem = name_problem(NAME_SUBDOMAIN, name, false);

                        if (problem)
                                report_text(checker, &place, "hostnames", name, problem);
                }
        }
}

static void check_names(struct checker *checker, const struct at *at,
                        const struct json_node *spec) {
        int64_t deadline = node_get_i64(spec, "activeDeadlineSeconds", 0);

        check_name(checker, at, spec, "serviceAccountName", NAME_SUBDOMAIN);
        check_name(checker, at, spec, "nodeName", NAME_SUBDOMAIN);
        if (node_get(spec, "activeDeadlineSeconds") && (deadline < 1 || deadline > INT32_MAX))
                report_number(checker, at, "activeDeadlineSeconds", deadline,
                              "must be between 1 and 2147483647, inclusive");
        check_name(checker, at, spec, "hostname", NAME_LABEL);
        check_name(checker, at, spec, "subdomain", NAME_LABEL);
}

static void check_placement(struct checker *checker, const struct at *at,
                            const struct json_node *spec) {
        struct at gates = at_member(at, "schedulingGates");
        struct at spread = at_member(at, "topologySpreadConstraints");

        check_scheduling_gates(checker, &gates, node_get(spec, "schedulingGates"));
        check_topology_spread(checker, &spread, node_get(spec, "topologySpreadConstraints"));
}

static void check_overhead(struct checker *checker, const struct at *at,
                           const struct json_node *overhead) {
        struct node_iter iter = node_iter(overhead);
        struct json_node *amount;
        struct slice name;

        while (node_next(&iter, &name, &amount)) {
                struct at place = at_key(at, name);

                check_quantity_not_negative(checker, &place, node_get_slice(amount));
        }
}

void check_pod_spec(struct checker *checker, const struct at *at, const struct json_node *spec) {
        static const char *const restarts[] = { "Always", "OnFailure", "Never", NULL };
        static const char *const dns[] = { "ClusterFirstWithHostNet", "ClusterFirst", "Default",
                                           "None", NULL };
        static const char *const preemptions[] = { "Never", "PreemptLowerPriority", NULL };
        struct at volumes = at_member(at, "volumes"), selector = at_member(at, "nodeSelector");
        struct at affinity = at_member(at, "affinity"), aliases = at_member(at, "hostAliases");
        struct at tolerations = at_member(at, "tolerations"), overhead = at_member(at, "overhead");

        check_volumes(checker, &volumes, node_get(spec, "volumes"));
        check_containers(checker, at, spec);
        check_host_network(checker, at, spec);
        check_choice(checker, at, spec, "restartPolicy", restarts);
        check_choice(checker, at, spec, "dnsPolicy", dns);
        check_label_map(checker, &selector, node_get(spec, "nodeSelector"));
        check_affinity(checker, &affinity, node_get(spec, "affinity"));
        check_dns(checker, at, spec);
        check_placement(checker, at, spec);
        check_names(checker, at, spec);
        check_tolerations(checker, &tolerations, node_get(spec, "tolerations"));
        check_host_aliases(checker, &aliases, node_get(spec, "hostAliases"));
        check_name(checker, at, spec, "priorityClassName", NAME_SUBDOMAIN);
        check_name(checker, at, spec, "runtimeClassName", NAME_SUBDOMAIN);
        check_choice(checker, at, spec, "preemptionPolicy", preemptions);
        check_overhead(checker, &overhead, node_get(spec, "overhead"));
}

/* ---- pods ---- */

/* Templates may carry images with stray spaces, pods may not. */
static void check_image_spaces(struct checker *checker, const struct at *at,
                               const struct json_node *containers) {
        for (size_t i = 0; i < node_count(containers); i++) {
                struct slice image = node_get_text(node_at(containers, i), "image");
                struct at place = at_index(at, i);

                if (slice_trim(image).len != image.len)
                        report_text(checker, &place, "image", image,
                                    "must not have leading or trailing whitespace");
        }
}

static void check_create(struct checker *checker, const struct at *at,
                         const struct json_node *spec) {
        if (node_count(node_get(spec, "ephemeralContainers")) > 0)
                report(checker, FIELD_FORBIDDEN, at, "ephemeralContainers", NULL,
                       "cannot be set on create");
        if (node_get_text(spec, "nodeName").len &&
            node_count(node_get(spec, "schedulingGates")) > 0)
                report(checker, FIELD_FORBIDDEN, at, "nodeName", NULL,
                       "cannot be set until all schedulingGates have been cleared");
}

static void check_deletion_cost(struct checker *checker, const struct json_node *pod) {
        const char *key = "controller.kubernetes.io/pod-deletion-cost";
        struct at metadata = at_root("metadata"), annotations = at_member(&metadata, "annotations");
        struct slice cost = node_get_text(node_get(node_get(pod, "metadata"), "annotations"), key);
        struct at place = at_key(&annotations, slice_of(key));
        int64_t value;

        if (cost.len && (!slice_to_i64(cost, &value) || value < INT32_MIN || value > INT32_MAX))
                report_text(checker, &place, NULL, cost, "must be a 32bit integer");
}

/* ---- responders of evictions ---- */

#define RESPONDERS_MAX 10
#define PRIORITY_MAX 100000
#define PRIORITY_RESERVED 1000 /* below: for names of the core */

/* A label key with a domain, which is not the core's. */
static const char *responder_problem(struct slice name) {
        struct slice rest = name, domain;

        if (!slice_split(&rest, '/', &domain) || !rest.ptr)
                return "must be a domain-prefixed key (such as \"acme.io/foo\")";
        if (slice_is(domain, "k8s.io") || slice_is(domain, "kubernetes.io") ||
            slice_has_suffix(domain, SLICE_LITERAL(".k8s.io")) ||
            slice_has_suffix(domain, SLICE_LITERAL(".kubernetes.io")))
                return "domain names *.k8s.io, *.kubernetes.io are reserved";
        return NULL;
}

static void check_responder(struct checker *checker, const struct at *at,
                            const struct json_node *responder) {
        struct slice name = node_get_text(responder, "name");
        int64_t priority = node_get_i64(responder, "priority", -1);

        if (check_required(checker, at, responder, "name") &&
            check_label_key(checker, at, "name", name) && responder_problem(name))
                report_text(checker, at, "name", name, responder_problem(name));
        if (!node_get(responder, "priority"))
                report(checker, FIELD_REQUIRED, at, "priority", NULL, NULL);
        else if (priority < 0 || priority > PRIORITY_MAX)
                report_number(checker, at, "priority", priority,
                              "must be between 0 and 100000, inclusive");
        else if (priority < PRIORITY_RESERVED)
                report_number(checker, at, "priority", priority,
                              "priorities below 1000 are reserved");
}

static void check_responders(struct checker *checker, const struct at *spec_at,
                             const struct json_node *spec) {
        const struct json_node *list = node_get(spec, "evictionResponders");
        struct at at = at_member(spec_at, "evictionResponders");
        CLEANUP(text_set_release) struct text_set names = { 0 };

        if (node_count(list) > RESPONDERS_MAX)
                report(checker, FIELD_TOO_MANY, &at, NULL,
                       message_of(checker, "%zu", node_count(list)), "must have at most 10 items");
        if (node_count(list) && node_get(spec, "schedulingGroup"))
                report(checker, FIELD_FORBIDDEN, &at, NULL, NULL,
                       "may not be set together with schedulingGroup");
        for (size_t i = 0; i < node_count(list); i++) {
                struct at item = at_index(&at, i);

                check_responder(checker, &item, node_at(list, i));
                if (!text_set_add(&names, node_get_text(node_at(list, i), "name")))
                        report(checker, FIELD_DUPLICATE, &item, NULL,
                               node_json(checker, node_at(list, i)), NULL);
        }
}

VALIDATE_HOOK(pod_validate) {
        struct checker checker = { .errors = errors, .context = context };
        const struct json_node *spec = node_get(object, "spec");
        struct at place = at_root("spec"), containers = at_member(&place, "containers");
        struct at init = at_member(&place, "initContainers");

        if (operation == KIND_UPDATE_STATUS) {
                check_pod_status_update(&checker, object, old);
                return;
        }
        check_deletion_cost(&checker, object);
        check_pod_spec(&checker, &place, spec);
        check_image_spaces(&checker, &containers, node_get(spec, "containers"));
        check_image_spaces(&checker, &init, node_get(spec, "initContainers"));
        if (operation == KIND_CREATE)
                check_responders(&checker, &place, spec);
        if (operation == KIND_CREATE)
                check_create(&checker, &place, spec);
        else if (is_pod_part(context->subresource))
                check_pod_subresource(&checker, object, old);
        else
                check_pod_update(&checker, object, old);
}
