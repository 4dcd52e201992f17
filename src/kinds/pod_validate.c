/* Validation of pods and pod templates. */
#include "kinds/ip_rules.h"
#include "kinds/pod_check.h"
#include "kinds/prepare.h"

#include "base/arena.h"
#include "base/util.h"

/* ---- the spec ---- */

static void check_host_network(struct checker *checker, const struct at *at,
                               const struct json_node *spec, bool is_pod) {
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

                        if ((is_pod || host) &&
                            host != node_get_i64(node_at(ports, j), "containerPort", 0))
                                report_number(checker, &place, "hostPort", host,
                                              "must match `containerPort` when `hostNetwork` is "
                                              "true");
                }
        }
}

#define SEARCHES_MAX 32
#define SEARCH_BYTES_MAX 2048
#define SEARCH_PATTERN "_?[a-z0-9]([-_a-z0-9]*[a-z0-9])?(\\._?[a-z0-9]([-_a-z0-9]*[a-z0-9])?)*"

static void check_search(struct checker *checker, const struct at *at, struct slice search) {
        if (slice_is(search, "."))
                return;
        if (search.len && search.ptr[search.len - 1] == '.')
                search.len--;
        if (search.len > 253)
                report_text(checker, at, NULL, search, "must be no more than 253 characters");
        if (!text_matches(search, "^" SEARCH_PATTERN "$"))
                report_text(checker, at, NULL, search,
                            "a lowercase RFC 1123 subdomain must consist of lower case "
                            "alphanumeric characters, '_', '-' or '.', and must start and end with "
                            "an alphanumeric character (e.g. 'example.com', regex used for "
                            "validation is '" SEARCH_PATTERN "')");
}

static void check_searches(struct checker *checker, const struct at *at,
                           const struct json_node *searches) {
        size_t count = node_count(searches), bytes = count ? count - 1 : 0;

        for (size_t i = 0; i < count; i++)
                bytes += node_get_slice(node_at(searches, i)).len;
        if (count > SEARCHES_MAX)
                report(checker, FIELD_INVALID, at, NULL, node_json(checker, searches),
                       "must not have more than 32 search paths");
        if (bytes > SEARCH_BYTES_MAX)
                report(checker, FIELD_INVALID, at, NULL, node_json(checker, searches),
                       "must not have more than 2048 characters (including spaces) in the search "
                       "list");
        for (size_t i = 0; i < count; i++) {
                struct at place = at_index(at, i);

                check_search(checker, &place, node_get_slice(node_at(searches, i)));
        }
}

static void check_dns(struct checker *checker, const struct at *at, const struct json_node *spec) {
        const struct json_node *config = node_get(spec, "dnsConfig");
        const struct json_node *servers = node_get(config, "nameservers");
        const struct json_node *options = node_get(config, "options");
        bool is_none = slice_is(node_get_text(spec, "dnsPolicy"), "None");
        struct at place = at_member(at, "dnsConfig"), list = at_member(&place, "nameservers");
        struct at searches = at_member(&place, "searches"), others = at_member(&place, "options");

        if (is_none && node_count(servers) == 0) {
                report(checker, FIELD_REQUIRED, &place, config ? "nameservers" : NULL, NULL,
                       config ? "must provide at least one DNS nameserver when `dnsPolicy` is None"
                              : "must provide `dnsConfig` when `dnsPolicy` is None");
                return;
        }
        if (node_count(servers) > 3)
                report(checker, FIELD_INVALID, &list, NULL, node_json(checker, servers),
                       "must not have more than 3 nameservers");
        for (size_t i = 0; i < node_count(servers); i++) {
                struct at element = at_index(&list, i);

                check_ip_strict(checker, &element, node_get_slice(node_at(servers, i)), NULL);
        }
        check_searches(checker, &searches, node_get(config, "searches"));
        for (size_t i = 0; i < node_count(options); i++) {
                struct at element = at_index(&others, i);

                if (node_get_text(node_at(options, i), "name").len == 0)
                        report(checker, FIELD_REQUIRED, &element, NULL, NULL, "must not be empty");
        }
}

static void check_host_aliases(struct checker *checker, const struct at *at,
                               const struct json_node *aliases) {
        for (size_t i = 0; i < node_count(aliases); i++) {
                const struct json_node *names = node_get(node_at(aliases, i), "hostnames");
                struct at place = at_index(at, i), ip = at_member(&place, "ip");
                struct at list = at_member(&place, "hostnames");

                check_ip_strict(checker, &ip, node_get_text(node_at(aliases, i), "ip"), NULL);
                for (size_t j = 0; j < node_count(names); j++) {
                        struct at element = at_index(&list, j);

                        check_form(checker, &element, node_get_slice(node_at(names, j)),
                                   FORM_SUBDOMAIN);
                }
        }
}

static void check_no_devices(void *context, const struct at *at,
                             const struct json_node *container) {
        if (node_count(node_get(container, "volumeDevices")))
                report(context, FIELD_FORBIDDEN, at, "volumeDevices", NULL,
                       "when `hostUsers` is false");
}

/* What depends on users of the host being users of the pod. */
static void check_host_users(struct checker *checker, const struct at *at,
                             const struct json_node *spec) {
        static const char *const shared[][2] = { { "hostNetwork", "hostNetwork" },
                                                 { "hostPID", "HostPID" },
                                                 { "hostIPC", "HostIPC" } };

        if (!node_get(spec, "hostUsers") || node_is_true(node_get(spec, "hostUsers")))
                return;
        for (size_t i = 0; i < ARRAY_LEN(shared); i++)
                if (node_is_true(node_get(spec, shared[i][0])))
                        report(checker, FIELD_FORBIDDEN, at, shared[i][1], NULL,
                               "when `hostUsers` is false");
        each_container(at, spec, check_no_devices, checker);
}

static void check_host_name(struct checker *checker, const struct at *at,
                            const struct json_node *spec) {
        const struct json_node *name = node_get(spec, "hostnameOverride");
        struct at place = at_member(at, "hostnameOverride");

        if (!name)
                return;
        if (node_is_true(node_get(spec, "setHostnameAsFQDN")))
                report(checker, FIELD_FORBIDDEN, &place, NULL, NULL,
                       "may not be specified when setHostnameAsFQDN is true");
        if (node_is_true(node_get(spec, "hostNetwork")))
                report(checker, FIELD_FORBIDDEN, &place, NULL, NULL,
                       "may not be specified when hostNetwork is true");
        if (node_get_slice(name).len > 64)
                report(checker, FIELD_TOO_LONG, &place, NULL, NULL,
                       "may not be more than 64 bytes");
        check_form(checker, &place, node_get_slice(name), FORM_SUBDOMAIN);
}

OWN_RULE(rule_deadline) {
        const struct rule range = { .low = 1, .high = INT32_MAX };

        (void)rule;
        rule_range(checker, at, value, &range);
}

OWN_RULE(rule_tolerations) {
        (void)rule;
        check_tolerations(checker, at, value);
}

OWN_RULE(rule_host_aliases) {
        (void)rule;
        check_host_aliases(checker, at, value);
}

OWN_RULE(rule_overhead) {
        struct json_tree *tree = json_tree_new();
        struct json_node *resources = node_object(tree);

        (void)rule;
        node_put(tree, resources, "limits", node_clone(tree, value));
        check_resources(checker, at, resources, NULL, false);
        json_tree_free(tree);
}

static const char *const restarts[] = { "Always", "OnFailure", "Never", NULL };
static const char *const dns_policies[] = { "ClusterFirstWithHostNet", "ClusterFirst", "Default",
                                            "None", NULL };
static const char *const preemptions[] = { "PreemptLowerPriority", "Never", NULL };

OWN_RULE(rule_preemption) {
        const struct rule choice = { .data = preemptions };

        (void)rule;
        if (node_get_slice(value).len == 0)
                report(checker, FIELD_REQUIRED, at, NULL, NULL, NULL);
        else
                rule_choice(checker, at, value, &choice);
}

static const struct rule policy_rules[] = {
        { "restartPolicy", rule_choice, RULE_REQUIRED, .data = restarts },
        { "dnsPolicy", rule_choice, RULE_REQUIRED, .data = dns_policies },
        { "nodeSelector", rule_labels },
        RULES_END,
};
static const struct rule name_rules[] = {
        { "serviceAccountName", rule_form, .low = FORM_SUBDOMAIN },
        { "nodeName", rule_form, .low = FORM_SUBDOMAIN },
        { "activeDeadlineSeconds", rule_deadline },
        { "hostname", rule_form, .low = FORM_LABEL },
        { "subdomain", rule_form, .low = FORM_LABEL },
        { "tolerations", rule_tolerations },
        { "hostAliases", rule_host_aliases },
        { "priorityClassName", rule_form, .low = FORM_SUBDOMAIN },
        { "runtimeClassName", rule_form, RULE_PRESENT, .low = FORM_SUBDOMAIN },
        { "preemptionPolicy", rule_preemption, RULE_PRESENT },
        { "overhead", rule_overhead },
        RULES_END,
};
static const struct rule gate_rules[] = {
        { "conditionType", rule_form, RULE_ALWAYS, .low = FORM_QUALIFIED },
        RULES_END,
};
static const struct rule readiness_rules[] = {
        { "readinessGates", rule_object, RULE_EACH, .data = gate_rules },
        RULES_END,
};

static void check_placement(struct checker *checker, const struct at *at,
                            const struct json_node *spec) {
        struct at affinity = at_member(at, "affinity"), gates = at_member(at, "schedulingGates");
        struct at spread = at_member(at, "topologySpreadConstraints");

        check_affinity(checker, &affinity, node_get(spec, "affinity"));
        check_dns(checker, at, spec);
        check_rules(checker, at, spec, readiness_rules);
        check_scheduling_gates(checker, &gates, node_get(spec, "schedulingGates"));
        check_topology_spread(checker, &spread, node_get(spec, "topologySpreadConstraints"));
}

/* ---- claims of devices ---- */

static void check_claim(struct checker *checker, const struct at *at, const struct json_node *claim,
                        struct text_set *seen) {
        static const struct rule rules[] = {
                { "resourceClaimName", rule_form, RULE_PRESENT, .low = FORM_SUBDOMAIN },
                { "resourceClaimTemplateName", rule_form, RULE_PRESENT, .low = FORM_SUBDOMAIN },
                RULES_END,
        };
        struct slice name = node_get_text(claim, "name");
        const struct json_node *own = node_get(claim, "resourceClaimName");
        const struct json_node *template = node_get(claim, "resourceClaimTemplateName");
        struct at place = at_member(at, "name");

        if (name.len == 0)
                report(checker, FIELD_REQUIRED, &place, NULL, NULL, NULL);
        else if (!text_set_add(seen, name))
                report(checker, FIELD_DUPLICATE, &place, NULL, quoted(checker, name), NULL);
        else
                check_form(checker, &place, name, FORM_LABEL);
        if (!own == !template)
                report(checker, FIELD_INVALID, at, NULL, node_json(checker, claim),
                       own ? "at most one of `resourceClaimName` or `resourceClaimTemplateName` "
                             "may be specified"
                           : "must specify one of: `resourceClaimName`, "
                             "`resourceClaimTemplateName`");
        check_rules(checker, at, claim, rules);
}

static void check_claims(struct checker *checker, const struct at *at,
                         const struct json_node *claims, bool is_mirror) {
        CLEANUP(text_set_release) struct text_set seen = { 0 };
        struct at nowhere = at_root("[]"); /* a path without a name, as Go prints it */

        for (size_t i = 0; i < node_count(claims); i++) {
                struct at place = at_index(at, i);

                if (is_mirror)
                        report(checker, FIELD_FORBIDDEN, &nowhere, NULL, NULL,
                               "static pods do not support resource claims");
                else
                        check_claim(checker, &place, node_at(claims, i), &seen);
        }
}

/* Of volumes of one name the last counts. */
static const struct json_node *last_named(const struct json_node *volumes, struct slice name) {
        const struct json_node *found = NULL;

        for (size_t i = 0; i < node_count(volumes); i++)
                if (slice_eq(node_get_text(node_at(volumes, i), "name"), name))
                        found = node_at(volumes, i);
        return found;
}

/* Variables from files name a volume that is an empty directory. */
static void check_env_files(void *context, const struct at *at, const struct json_node *container) {
        const struct container_check *check = context;
        const struct json_node *env = node_get(container, "env"), *volumes;
        struct at list = at_member(at, "env");

        volumes = node_get(check->spec, "volumes");
        for (size_t i = 0; i < node_count(env); i++) {
                const struct json_node *key =
                        node_get(node_get(node_at(env, i), "valueFrom"), "fileKeyRef");
                struct slice name = node_get_text(key, "volumeName");
                const struct json_node *volume = key ? last_named(volumes, name) : NULL;
                struct at place = at_index(&list, i), from = at_member(&place, "valueFrom");
                struct at reference = at_member(&from, "fileKeyRef");

                if (key && !volume)
                        report(check->checker, FIELD_NOT_FOUND, &reference, "volumeName",
                               quoted(check->checker, name), NULL);
                else if (key && !node_get(volume, "emptyDir"))
                        report_text(check->checker, &reference, "volumeName", name,
                                    "referenced volume must be of type emptyDir");
        }
}

/* ---- the whole spec ---- */

static void check_spec_containers(struct container_check *check, const struct at *at,
                                  const struct json_node *pod) {
        const struct json_node *metadata = node_get(pod, "metadata");
        struct volume_check volumes = {
                .checker = check->checker,
                .pod_name = node_get_text(metadata, "name"),
                .is_pod = !!pod,
                .usable = map_new(),
        };
        struct pod_claims claims = { .list = node_get(check->spec, "resourceClaims") };
        struct at volume_list = at_member(at, "volumes"), list = at_member(at, "resourceClaims");

        for (size_t i = 0; i < node_count(claims.list); i++)
                if (node_get_text(node_at(claims.list, i), "name").len)
                        text_set_add(&claims.names, node_get_text(node_at(claims.list, i), "name"));
        check_volumes(&volumes, &volume_list, node_get(check->spec, "volumes"));
        check_claims(check->checker, &list, claims.list,
                     node_get(node_get(metadata, "annotations"), MIRROR_ANNOTATION));
        check->volumes = volumes.usable;
        check->claims = &claims;
        check_containers(check, at);
        check_pod_resources(check->checker, at, check->spec, &claims);
        map_free(volumes.usable);
        text_set_release(&claims.names);
}

/* pod: NULL in a template */
static void check_spec(struct checker *checker, const struct at *at, const struct json_node *spec,
                       const struct json_node *pod) {
        struct container_check check = {
                .checker = checker,
                .spec = spec,
                .has_host_users =
                        !node_get(spec, "hostUsers") || node_is_true(node_get(spec, "hostUsers")),
        };
        struct at security = at_member(at, "securityContext");

        check_spec_containers(&check, at, pod);
        check_host_network(checker, at, spec, !!pod);
        check_rules(checker, at, spec, policy_rules);
        check_pod_security(checker, &security, node_get(spec, "securityContext"), spec);
        check_placement(checker, at, spec);
        check_host_process(checker, at, spec);
        check_host_users(checker, at, spec);
        check_host_name(checker, at, spec);
        check_rules(checker, at, spec, name_rules);
        check_pod_system(checker, at, spec);
        each_container(at, spec, check_env_files, &check);
}

void check_pod_spec(struct checker *checker, const struct at *at, const struct json_node *spec) {
        check_spec(checker, at, spec, NULL);
}

/* ---- pods ---- */

static void check_image_spaces(struct checker *checker, const struct at *at,
                               const struct json_node *containers) {
        for (size_t i = 0; i < node_count(containers); i++) {
                struct at place = at_index(at, i);

                check_image_space(checker, &place, node_at(containers, i));
        }
}

/* Tokens are of an account. */
static void check_tokens(struct checker *checker, const struct at *at,
                         const struct json_node *spec) {
        const struct json_node *volumes = node_get(spec, "volumes");
        struct at list = at_member(at, "volumes");

        if (node_get_text(spec, "serviceAccountName").len)
                return;
        for (size_t i = 0; i < node_count(volumes); i++) {
                const struct json_node *sources =
                        node_get(node_get(node_at(volumes, i), "projected"), "sources");
                struct at volume = at_index(&list, i), projected = at_member(&volume, "projected");
                struct at source_list = at_member(&projected, "sources");

                for (size_t j = 0; j < node_count(sources); j++) {
                        struct at source = at_index(&source_list, j);

                        if (node_get(node_at(sources, j), "serviceAccountToken"))
                                report(checker, FIELD_FORBIDDEN, &source, "serviceAccountToken",
                                       NULL,
                                       "must not be specified when serviceAccountName is not set");
                }
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

static void check_whole_pod(struct checker *checker, const struct json_node *pod) {
        const struct json_node *spec = node_get(pod, "spec");
        struct at place = at_root("spec"), containers = at_member(&place, "containers");
        struct at init = at_member(&place, "initContainers");
        struct at metadata = at_root("metadata"), annotations = at_member(&metadata, "annotations");

        check_pod_annotations(checker, &annotations, pod);
        check_spec(checker, &place, spec, pod);
        check_tokens(checker, &place, spec);
        check_image_spaces(checker, &containers, node_get(spec, "containers"));
        check_image_spaces(checker, &init, node_get(spec, "initContainers"));
}

VALIDATE_HOOK(pod_validate) {
        struct checker checker = { .errors = errors, .context = context };
        const struct json_node *spec = node_get(object, "spec");
        struct at place = at_root("spec");

        if (operation == KIND_UPDATE_STATUS) {
                check_pod_status_update(&checker, object, old);
                return;
        }
        check_whole_pod(&checker, object);
        if (operation == KIND_CREATE) {
                check_responders(&checker, &place, spec);
                check_create(&checker, &place, spec);
                check_old_profiles(&checker, &place, object);
        } else if (is_pod_part(context->subresource)) {
                check_pod_subresource(&checker, object, old);
        } else {
                check_pod_update(&checker, object, old);
        }
}
