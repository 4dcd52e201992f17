/* Warnings about pods and pod templates. */
#include "kinds/warn.h"
#include "kinds/check.h"
#include "kinds/old_profiles.h"
#include "kinds/warn_text.h"
#include "kinds/warn_volumes.h"

#include "api/dns_name.h"
#include "api/selector.h"
#include "base/arena.h"
#include "base/go_quote.h"
#include "base/map.h"
#include "base/text_set.h"
#include "base/util.h"
#include <stdio.h>
#include <stdlib.h>

#define COMPLETIONS_MANY 100000
#define PARALLELISM_MUCH 10000

/* ---- labels that have a successor ---- */

static const struct {
        const char *label, *message;
} old_labels[] = {
        { "beta.kubernetes.io/arch", "deprecated since v1.14; use \"kubernetes.io/arch\" instead" },
        { "beta.kubernetes.io/os", "deprecated since v1.14; use \"kubernetes.io/os\" instead" },
        { "failure-domain.beta.kubernetes.io/region",
          "deprecated since v1.17; use \"topology.kubernetes.io/region\" instead" },
        { "failure-domain.beta.kubernetes.io/zone",
          "deprecated since v1.17; use \"topology.kubernetes.io/zone\" instead" },
        { "beta.kubernetes.io/instance-type",
          "deprecated since v1.17; use \"node.kubernetes.io/instance-type\" instead" },
        { "app.kubernetes.io/created-by", "deprecated since v1.9" },
        { "scheduler.alpha.kubernetes.io/preferAvoidPods",
          "deprecated since v1.22; use Taints and Tolerations instead" },
        { "node-role.kubernetes.io/master",
          "use \"node-role.kubernetes.io/control-plane\" instead" },
};

const char *old_node_label(struct slice label) {
        for (size_t i = 0; i < ARRAY_LEN(old_labels); i++)
                if (slice_is(label, old_labels[i].label))
                        return old_labels[i].message;
        return NULL;
}

static void warn_selector(const struct warner *warner, const struct json_node *spec) {
        struct node_iter iter = node_iter(node_get(spec, "nodeSelector"));
        struct slice key;

        while (node_next(&iter, &key, NULL))
                if (old_node_label(key))
                        warn_in_pod(warner, "spec.nodeSelector[" SLICE_FMT "]: %s", SLICE_ARG(key),
                                    old_node_label(key));
}

static void warn_spread(const struct warner *warner, const struct json_node *constraints) {
        for (size_t i = 0; i < node_count(constraints); i++) {
                const struct json_node *constraint = node_at(constraints, i);
                struct slice key = node_get_text(constraint, "topologyKey");

                if (old_node_label(key))
                        warn_in_pod(warner,
                                    "spec.topologySpreadConstraints[%zu].topologyKey: " SLICE_FMT
                                    " is %s",
                                    i, SLICE_ARG(key), old_node_label(key));
                if (!node_get(constraint, "labelSelector"))
                        warn_in_pod(warner,
                                    "spec.topologySpreadConstraints[%zu].labelSelector: a null "
                                    "labelSelector results in matching no pod",
                                    i);
        }
}

/* ---- affinity ---- */

static void warn_terms(const struct warner *warner, const struct json_node *affinity,
                       const char *kind) {
        static const char *const required = "requiredDuringSchedulingIgnoredDuringExecution";
        static const char *const preferred = "preferredDuringSchedulingIgnoredDuringExecution";
        const struct json_node *terms = node_get(affinity, required);

        for (size_t i = 0; i < node_count(terms); i++)
                if (!node_get(node_at(terms, i), "labelSelector"))
                        warn_in_pod(warner,
                                    "spec.affinity.%s.%s[%zu].labelSelector: a null labelSelector "
                                    "results "
                                    "in matching no pod",
                                    kind, required, i);
        terms = node_get(affinity, preferred);
        for (size_t i = 0; i < node_count(terms); i++)
                if (!node_get(node_get(node_at(terms, i), "podAffinityTerm"), "labelSelector"))
                        warn_in_pod(
                                warner,
                                "spec.affinity.%s.%s[%zu].podAffinityTerm.labelSelector: a null "
                                "labelSelector results in matching no pod",
                                kind, preferred, i);
}

/* Values of required terms are validated, those of preferred ones only warned of. */
static void warn_node_term(const struct warner *warner, const char *path,
                           const struct json_node *term, bool has_values) {
        const struct json_node *list = node_get(term, "matchExpressions");

        for (size_t i = 0; i < node_count(list); i++) {
                struct slice key = node_get_text(node_at(list, i), "key");
                const struct json_node *values = node_get(node_at(list, i), "values");

                if (old_node_label(key))
                        warn_in_pod(warner, "%s.matchExpressions[%zu].key: " SLICE_FMT " is %s",
                                    path, i, SLICE_ARG(key), old_node_label(key));
                for (size_t j = 0; has_values && j < node_count(values); j++) {
                        struct slice value = node_get_slice(node_at(values, j)), problem;
                        struct slice problems = slice_of(label_value_problem(value));

                        while (problems.len && slice_split(&problems, ';', &problem))
                                warn_in_pod(warner,
                                            "%s.matchExpressions[%zu].values[%zu]: " SLICE_FMT
                                            " is invalid, " SLICE_FMT,
                                            path, i, j, SLICE_ARG(value),
                                            SLICE_ARG(slice_trim(problem)));
                }
        }
}

static void warn_node_affinity(const struct warner *warner, const struct json_node *affinity) {
        const struct json_node *required =
                node_get(node_get(affinity, "requiredDuringSchedulingIgnoredDuringExecution"),
                         "nodeSelectorTerms");
        const struct json_node *preferred =
                node_get(affinity, "preferredDuringSchedulingIgnoredDuringExecution");
        char path[128];

        for (size_t i = 0; i < node_count(required); i++) {
                snprintf(path, sizeof(path),
                         "spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuring"
                         "Execution.nodeSelectorTerms[%zu]",
                         i);
                warn_node_term(warner, path, node_at(required, i), false);
        }
        for (size_t i = 0; i < node_count(preferred); i++) {
                snprintf(path, sizeof(path),
                         "spec.affinity.nodeAffinity.preferredDuringSchedulingIgnoredDuring"
                         "Execution[%zu].preference",
                         i);
                warn_node_term(warner, path, node_get(node_at(preferred, i), "preference"), true);
        }
}

/* ---- containers ---- */

/* path and list, such as spec.containers[0].resources.limits, name the amounts. */
static void warn_fraction(const struct warner *warner, const char *path, const char *list,
                          const char *name, const struct json_node *amounts) {
        struct slice amount = node_get_text(amounts, name);

        if (is_fraction_of_bytes(amount))
                warn_in_pod(warner,
                            "%s%s[%s]: fractional byte value \"" SLICE_FMT
                            "\" is invalid, must be an integer",
                            path, list, name, SLICE_ARG(amount));
}

static const char *const byte_resources[] = { "memory", "ephemeral-storage" };

static void warn_fractions(const struct warner *warner, const char *path,
                           const struct json_node *resources) {
        static const char *const lists[] = { ".resources.limits", ".resources.requests" };

        for (size_t i = 0; i < ARRAY_LEN(byte_resources); i++)
                for (size_t j = 0; j < ARRAY_LEN(lists); j++) {
                        const struct json_node *amounts =
                                node_get(resources, lists[j] + strlen(".resources."));

                        warn_fraction(warner, path, lists[j], byte_resources[i], amounts);
                }
}

/* A variable may refer to an earlier one of the same name, but not merely hide it. */
static bool warn_hides(const struct json_node *variable) {
        struct slice name = node_get_text(variable, "name"),
                     value = node_get_text(variable, "value");
        struct buf reference = { 0 };

        buf_printf(&reference, "$(" SLICE_FMT ")", SLICE_ARG(name));
        bool is_hiding = node_get(variable, "valueFrom") || slice_eq(value, buf_view(&reference)) ||
                         !slice_contains(value, buf_view(&reference));
        buf_release(&reference);
        return is_hiding;
}

static void warn_env(const struct warner *warner, const char *path,
                     const struct json_node *variables) {
        CLEANUP(text_set_release) struct text_set names = { 0 };
        CLEANUP(buf_release) struct buf shown = { 0 };

        for (size_t i = 0; i < node_count(variables); i++) {
                const struct json_node *variable = node_at(variables, i);
                struct slice name = node_get_text(variable, "name");

                if (text_set_add(&names, name) || !warn_hides(variable))
                        continue;
                go_quote_write(name, &shown);
                warn_in_pod(warner,
                            "%s.env[%zu]: hides previous definition of %s, which may be dropped "
                            "when using apply",
                            path, i, shown.data);
                buf_clear(&shown);
        }
}

/* ---- ports ---- */

/* Ports of one number and protocol are compared in pairs. So many pairs of a pod are looked at: a
 * header of warnings has room for a hundred. */
#define PORT_PAIRS_MAX 10000

struct warn_port {
        int64_t number, host;
        struct slice protocol, ip, name;
        const char *list;            /* of containers */
        size_t container, index;     /* where it stands */
        struct warn_port *next;      /* of the same number and protocol */
        struct warn_port *same_name; /* the first of this name, when it is another */
};

static const char *port_overlap(const struct warn_port *a, const struct warn_port *b) {
        if (a->host == b->host && slice_eq(a->ip, b->ip))
                return "duplicate";
        if (a->host == 0 || b->host == 0)
                return "overlapping";
        return a->host == b->host && (a->ip.len == 0) != (b->ip.len == 0) ? "dangerously ambiguous"
                                                                          : NULL;
}

/* The ports of all containers in their order. */
struct warn_port_list {
        struct warn_port *ports;
        size_t count;
        struct map *firsts, *lasts, *names; /* of each number and protocol, and of each name */
};

static void warn_key(const struct warn_port *port, struct buf *ret_key) {
        buf_clear(ret_key);
        buf_printf(ret_key, "%lld/" SLICE_FMT, (long long)port->number, SLICE_ARG(port->protocol));
}

static void warn_port_link(struct warn_port_list *list, struct warn_port *port) {
        struct buf key = { 0 };

        warn_key(port, &key);
        struct warn_port *before = map_put(list->lasts, buf_view(&key), port);
        if (before)
                before->next = port;
        else
                map_put(list->firsts, buf_view(&key), port);
        buf_release(&key);
        if (port->name.len == 0)
                return;
        port->same_name = map_get(list->names, port->name);
        if (!port->same_name)
                map_put(list->names, port->name, port);
}

static size_t warn_port_count(const struct json_node *spec, const char *list) {
        const struct json_node *containers = node_get(spec, list);
        size_t count = 0;

        for (size_t i = 0; i < node_count(containers); i++)
                count += node_count(node_get(node_at(containers, i), "ports"));
        return count;
}

static void warn_ports_read(struct warn_port_list *list, const struct json_node *spec,
                            const char *containers) {
        struct node_iter iter = node_iter(node_get(spec, containers));
        struct json_node *container, *port;

        for (size_t i = 0; node_next(&iter, NULL, &container); i++) {
                struct node_iter ports = node_iter(node_get(container, "ports"));

                for (size_t j = 0; node_next(&ports, NULL, &port); j++) {
                        struct warn_port *at = &list->ports[list->count++];

                        *at = (struct warn_port){ .number = node_get_i64(port, "containerPort", 0),
                                                  .host = node_get_i64(port, "hostPort", 0),
                                                  .protocol = node_get_text(port, "protocol"),
                                                  .ip = node_get_text(port, "hostIP"),
                                                  .name = node_get_text(port, "name"),
                                                  .list = containers,
                                                  .container = i,
                                                  .index = j };
                        warn_port_link(list, at);
                }
        }
}

#define PORT_FMT "spec.%s[%zu].ports[%zu]"
#define PORT_ARG(port) (port)->list, (port)->container, (port)->index

static void warn_port_pairs(const struct warner *warner, const struct warn_port_list *list) {
        struct buf key = { 0 };
        size_t pairs = 0;

        for (size_t i = 0; i < list->count && pairs < PORT_PAIRS_MAX; i++) {
                const struct warn_port *port = &list->ports[i];

                if (port->ip.len && port->host == 0)
                        warn_in_pod(warner,
                                    PORT_FMT ": hostIP set without hostPort: {Name:" SLICE_FMT
                                             " HostPort:0 ContainerPort:%lld Protocol:" SLICE_FMT
                                             " HostIP:" SLICE_FMT "}",
                                    PORT_ARG(port), SLICE_ARG(port->name), (long long)port->number,
                                    SLICE_ARG(port->protocol), SLICE_ARG(port->ip));
                warn_key(port, &key);
                for (const struct warn_port *other = map_get(list->firsts, buf_view(&key));
                     other < port; other = other->next, pairs++) {
                        const char *overlap = port_overlap(port, other);

                        if (overlap)
                                warn_in_pod(
                                        warner, PORT_FMT ": %s port definition with %s" PORT_FMT,
                                        PORT_ARG(port), overlap, warner->prefix, PORT_ARG(other));
                }
        }
        buf_release(&key);
}

static void warn_ports(const struct warner *warner, const struct json_node *spec) {
        static const char *const lists[] = { "initContainers", "containers",
                                             "ephemeralContainers" };
        struct warn_port_list list = { .count = 0 };
        size_t count = 0;

        for (size_t i = 0; i < ARRAY_LEN(lists); i++)
                count += warn_port_count(spec, lists[i]);
        if (count == 0)
                return;
        list.ports = xcalloc(count, sizeof(*list.ports));
        list.firsts = map_new();
        list.lasts = map_new();
        list.names = map_new();
        for (size_t i = 0; i < ARRAY_LEN(lists); i++)
                warn_ports_read(&list, spec, lists[i]);
        warn_port_pairs(warner, &list);
        for (size_t i = 0; i < list.count; i++) {
                const struct warn_port *port = &list.ports[i], *first = port->same_name;

                if (first)
                        warn_in_pod(warner,
                                    PORT_FMT ": duplicate port name \"" SLICE_FMT
                                             "\" with %s" PORT_FMT
                                             ", services and probes that select ports by name will "
                                             "use %s" PORT_FMT,
                                    PORT_ARG(port), SLICE_ARG(port->name), warner->prefix,
                                    PORT_ARG(first), warner->prefix, PORT_ARG(first));
        }
        map_free(list.firsts);
        map_free(list.lasts);
        map_free(list.names);
        free(list.ports);
}

static void warn_profile(const void *warner, struct slice key, const char *what) {
        warn_in_pod(warner, "metadata.annotations[" SLICE_FMT "]: %s", SLICE_ARG(key), what);
}

static void warn_containers(const struct warner *warner, const struct json_node *pod,
                            const char *list) {
        const struct json_node *containers = node_get(node_get(pod, "spec"), list);

        for (size_t i = 0; i < node_count(containers); i++) {
                const struct json_node *container = node_at(containers, i);
                const struct json_node *resources = node_get(container, "resources");
                struct buf path = { 0 };

                buf_printf(&path, "spec.%s[%zu]", list, i);
                old_profiles_warn(pod, container, *warner->prefix, warn_profile, warner);
                warn_fractions(warner, path.data, resources);
                warn_env(warner, path.data, node_get(container, "env"));
                buf_release(&path);
        }
}

/* ---- specs ---- */

static void warn_repeated(const struct warner *warner, const struct json_node *list,
                          const char *path, const char *member) {
        CLEANUP(text_set_release) struct text_set seen = { 0 };
        CLEANUP(buf_release) struct buf shown = { 0 };

        for (size_t i = 0; i < node_count(list); i++) {
                struct slice text = node_get_text(node_at(list, i), member);

                if (text_set_add(&seen, text))
                        continue;
                go_quote_write(text, &shown);
                warn_in_pod(warner, "spec.%s[%zu].%s: duplicate %s %s", path, i, member, member,
                            shown.data);
                buf_clear(&shown);
        }
}

static void warn_secrets(const struct warner *warner, const struct json_node *secrets) {
        warn_repeated(warner, secrets, "imagePullSecrets", "name");
        for (size_t i = 0; i < node_count(secrets); i++)
                if (node_get_text(node_at(secrets, i), "name").len == 0)
                        warn_in_pod(warner,
                                    "spec.imagePullSecrets[%zu].name: invalid empty name \"\"", i);
}

static void warn_annotations(const struct warner *warner, const struct json_node *metadata) {
        static const struct {
                const char *key, *message;
        } old_annotations[] = {
                { "scheduler.alpha.kubernetes.io/critical-pod",
                  "non-functional in v1.16+; use the \"priorityClassName\" field instead" },
                { "security.alpha.kubernetes.io/sysctls",
                  "non-functional in v1.11+; use the \"sysctls\" field instead" },
                { "security.alpha.kubernetes.io/unsafe-sysctls",
                  "non-functional in v1.11+; use the \"sysctls\" field instead" },
        };

        for (size_t i = 0; i < ARRAY_LEN(old_annotations); i++)
                if (node_get(node_get(metadata, "annotations"), old_annotations[i].key))
                        warn_in_pod(warner, "metadata.annotations[%s]: %s", old_annotations[i].key,
                                    old_annotations[i].message);
}

static void warn_pod_addresses(const struct warner *warner, const struct json_node *spec) {
        char path[96];

        snprintf(path, sizeof(path), "%sspec.dnsConfig.nameservers", warner->prefix);
        warn_addresses(&warner->sink, path, node_get(node_get(spec, "dnsConfig"), "nameservers"));
        snprintf(path, sizeof(path), "%sspec.hostAliases", warner->prefix);
        warn_member_addresses(&warner->sink, path, node_get(spec, "hostAliases"), "ip", ".ip");
}

/* A pod, or the template of one. */
static void warn_pod(const struct warner *warner, const struct json_node *pod) {
        const struct json_node *spec = node_get(pod, "spec");
        const struct json_node *affinity = node_get(spec, "affinity");

        warn_selector(warner, spec);
        warn_node_affinity(warner, node_get(affinity, "nodeAffinity"));
        warn_spread(warner, node_get(spec, "topologySpreadConstraints"));
        warn_annotations(warner, node_get(pod, "metadata"));
        warn_volumes(warner, node_get(spec, "volumes"));
        warn_volume_paths(warner, node_get(spec, "volumes"));
        warn_repeated(warner, node_get(spec, "hostAliases"), "hostAliases", "ip");
        warn_secrets(warner, node_get(spec, "imagePullSecrets"));
        for (size_t i = 0; i < ARRAY_LEN(byte_resources); i++)
                warn_fraction(warner, "spec.overhead", "", byte_resources[i],
                              node_get(spec, "overhead"));
        old_profiles_warn(pod, NULL, *warner->prefix, warn_profile, warner);
        warn_containers(warner, pod, "initContainers");
        warn_containers(warner, pod, "containers");
        warn_ports(warner, spec);
        if (node_get_i64(spec, "terminationGracePeriodSeconds", 0) < 0)
                warn_in_pod(warner, "spec.terminationGracePeriodSeconds: must be >= 0; negative "
                                    "values are invalid and will be treated as 1");
        warn_terms(warner, node_get(affinity, "podAffinity"), "podAffinity");
        warn_terms(warner, node_get(affinity, "podAntiAffinity"), "podAntiAffinity");
        warn_pod_addresses(warner, spec);
}

/* Names of pods become names of hosts. */
static void warn_name(const struct warner *warner, const struct json_node *object,
                      const char *use) {
        struct slice name = node_get_text(node_get(object, "metadata"), "name");
        struct warner plain = { .sink = warner->sink, .prefix = "" };
        struct slice rest = slice_of(dns_label_problems(name)), problem;
        struct buf all = { 0 };

        if (rest.len == 0)
                return;
        while (slice_split(&rest, ';', &problem)) {
                buf_text(&all, all.len ? " " : "");
                buf_slice(&all, slice_trim(problem));
        }
        warn_in_pod(&plain,
                    "metadata.name: this is used in %s, which can result in surprising behavior; a "
                    "DNS label is recommended: [%s]",
                    use, all.data);
        buf_release(&all);
}

/* Pods change too often, and by programs, to be warned about again. */
WARN_HOOK(pod_warn) {
        struct warner warner = { .sink = { emit, context }, .prefix = "" };

        if (operation != KIND_CREATE)
                return;
        warn_name(&warner, object, "the Pod's hostname");
        warn_pod(&warner, object);
}

/* Indexes that fail are listed, and lists have a limit. */
static void warn_indexes(const struct warner *warner, const char *path,
                         const struct json_node *job) {
        struct warner plain = { .sink = warner->sink, .prefix = "" };

        if (slice_is(node_get_text(job, "completionMode"), "Indexed") &&
            node_get_i64(job, "completions", 0) > COMPLETIONS_MANY &&
            node_get_i64(job, "parallelism", 0) > PARALLELISM_MUCH)
                warn_in_pod(
                        &plain,
                        "%s: In Indexed Jobs with a number of completions higher than 10^5 and a "
                        "parallelism higher than 10^4, Kubernetes might not be able to track "
                        "completedIndexes when a big number of indexes fail",
                        path);
}

WARN_HOOK(workload_warn) {
        struct warner warner = { .sink = { emit, context }, .prefix = "spec.template." };
        struct slice kind = node_get_text(object, "kind");
        const struct json_node *spec = node_get(object, "spec");

        if (operation == KIND_CREATE && !slice_is(kind, "DaemonSet") &&
            !slice_is(kind, "StatefulSet"))
                warn_name(&warner, object, "Pod names and hostnames");
        if (operation == KIND_UPDATE_STATUS)
                return;
        if (slice_is(kind, "Job"))
                warn_indexes(&warner, "spec", spec);
        warn_pod(&warner, node_get(spec, "template"));
}

WARN_HOOK(cron_job_warn) {
        struct warner warner = { .sink = { emit, context },
                                 .prefix = "spec.jobTemplate.spec.template." };
        const struct json_node *job =
                node_get(node_get(node_get(object, "spec"), "jobTemplate"), "spec");

        if (operation == KIND_CREATE)
                warn_name(&warner, object, "Pod names and hostnames");
        if (operation == KIND_UPDATE_STATUS)
                return;
        warn_indexes(&warner, "spec.jobTemplate.spec", job);
        warn_pod(&warner, node_get(job, "template"));
}

WARN_HOOK(pod_template_warn) {
        struct warner warner = { .sink = { emit, context }, .prefix = "template." };

        (void)operation;
        warn_pod(&warner, node_get(object, "template"));
}
