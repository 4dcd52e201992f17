/* Warnings about pods and pod templates. */
#include "kinds/warn.h"

#include "api/quantity.h"
#include "base/arena.h"
#include "base/map.h"
#include "base/text_set.h"
#include "base/util.h"
#include <stdlib.h>

struct warner {
        void (*emit)(void *context, const char *text);
        void *context;
        const char *prefix; /* path of what holds the spec: "", "spec.template." */
};

static void warn_warn(const struct warner *warner, const char *format, ...)
        __attribute__((format(printf, 2, 3)));

static void warn_warn(const struct warner *warner, const char *format, ...) {
        struct buf text = { 0 };
        va_list args;

        buf_text(&text, warner->prefix);
        va_start(args, format);
        buf_vprintf(&text, format, args);
        va_end(args);
        warner->emit(warner->context, text.data);
        buf_release(&text);
}

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
                        warn_warn(warner, "spec.nodeSelector[" SLICE_FMT "]: %s", SLICE_ARG(key),
                                  old_node_label(key));
}

static void warn_spread(const struct warner *warner, const struct json_node *constraints) {
        for (size_t i = 0; i < node_count(constraints); i++) {
                const struct json_node *constraint = node_at(constraints, i);
                struct slice key = node_get_text(constraint, "topologyKey");

                if (old_node_label(key))
                        warn_warn(warner,
                                  "spec.topologySpreadConstraints[%zu].topologyKey: " SLICE_FMT
                                  " is %s",
                                  i, SLICE_ARG(key), old_node_label(key));
                if (!node_get(constraint, "labelSelector"))
                        warn_warn(warner,
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
                        warn_warn(warner,
                                  "spec.affinity.%s.%s[%zu].labelSelector: a null labelSelector "
                                  "results "
                                  "in matching no pod",
                                  kind, required, i);
        terms = node_get(affinity, preferred);
        for (size_t i = 0; i < node_count(terms); i++)
                if (!node_get(node_get(node_at(terms, i), "podAffinityTerm"), "labelSelector"))
                        warn_warn(warner,
                                  "spec.affinity.%s.%s[%zu].podAffinityTerm.labelSelector: a null "
                                  "labelSelector results in matching no pod",
                                  kind, preferred, i);
}

/* ---- containers ---- */

static void warn_fraction(const struct warner *warner, const char *path,
                          const struct json_node *resources, const char *list) {
        static const char *const names[] = { "memory", "ephemeral-storage" };

        for (size_t i = 0; i < ARRAY_LEN(names); i++) {
                struct slice amount = node_get_text(node_get(resources, list), names[i]);
                int64_t milli;

                if (amount.len && quantity_milli(amount, &milli, NULL) == 0 && milli % 1000 != 0)
                        warn_warn(warner,
                                  "%s.resources.%s[%s]: fractional byte value \"" SLICE_FMT
                                  "\" is invalid, must be an integer",
                                  path, list, names[i], SLICE_ARG(amount));
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

        for (size_t i = 0; i < node_count(variables); i++) {
                const struct json_node *variable = node_at(variables, i);
                struct slice name = node_get_text(variable, "name");

                if (!text_set_add(&names, name) && warn_hides(variable))
                        warn_warn(warner,
                                  "%s.env[%zu]: hides previous definition of \"" SLICE_FMT
                                  "\", which may be dropped when using apply",
                                  path, i, SLICE_ARG(name));
        }
}

/* ---- ports ---- */

/* Ports of one number and protocol are compared in pairs. So many pairs of a container are looked
 * at: a header of warnings has room for a hundred. */
#define PORT_PAIRS_MAX 10000

struct warn_port {
        int64_t number, host;
        struct slice protocol, ip;
        struct warn_port *next; /* of the same number and protocol */
};

static const char *port_overlap(const struct warn_port *a, const struct warn_port *b) {
        if (a->host == b->host && slice_eq(a->ip, b->ip))
                return "duplicate";
        if (a->host == 0 || b->host == 0)
                return "overlapping";
        return a->host == b->host && (a->ip.len == 0) != (b->ip.len == 0) ? "dangerously ambiguous"
                                                                          : NULL;
}

/* Ports in their order, linked by number and protocol; *ret_firsts has the first of each. */
static struct warn_port *warn_ports_read(const struct json_node *list, struct map **ret_firsts) {
        struct warn_port *ports = xcalloc(node_count(list) + 1, sizeof(*ports));
        struct map *firsts = map_new(), *lasts = map_new();
        struct node_iter iter = node_iter(list);
        struct json_node *port;
        struct buf key = { 0 };

        for (struct warn_port *at = ports; node_next(&iter, NULL, &port); at++) {
                *at = (struct warn_port){ .number = node_get_i64(port, "containerPort", 0),
                                          .host = node_get_i64(port, "hostPort", 0),
                                          .protocol = node_get_text(port, "protocol"),
                                          .ip = node_get_text(port, "hostIP") };
                buf_clear(&key);
                buf_printf(&key, "%lld/" SLICE_FMT, (long long)at->number, SLICE_ARG(at->protocol));
                struct warn_port *before = map_put(lasts, buf_view(&key), at);
                if (before)
                        before->next = at;
                else
                        map_put(firsts, buf_view(&key), at);
        }
        buf_release(&key);
        map_free(lasts);
        *ret_firsts = firsts;
        return ports;
}

static void warn_ports(const struct warner *warner, const char *path,
                       const struct json_node *list) {
        size_t count = node_count(list), pairs = 0;
        struct buf key = { 0 };
        struct map *firsts;

        if (count < 2)
                return;
        struct warn_port *ports = warn_ports_read(list, &firsts);
        for (size_t i = 1; i < count && pairs < PORT_PAIRS_MAX; i++) {
                buf_clear(&key);
                buf_printf(&key, "%lld/" SLICE_FMT, (long long)ports[i].number,
                           SLICE_ARG(ports[i].protocol));
                for (const struct warn_port *other = map_get(firsts, buf_view(&key));
                     other < &ports[i]; other = other->next, pairs++) {
                        const char *overlap = port_overlap(&ports[i], other);

                        if (overlap)
                                warn_warn(warner,
                                          "%s.ports[%zu]: %s port definition with %s%s.ports[%zu]",
                                          path, i, overlap, warner->prefix, path,
                                          (size_t)(other - ports));
                }
        }
        buf_release(&key);
        map_free(firsts);
        free(ports);
}

static void warn_containers(const struct warner *warner, const struct json_node *spec,
                            const char *list) {
        const struct json_node *containers = node_get(spec, list);

        for (size_t i = 0; i < node_count(containers); i++) {
                const struct json_node *container = node_at(containers, i);
                const struct json_node *resources = node_get(container, "resources");
                struct buf path = { 0 };

                buf_printf(&path, "spec.%s[%zu]", list, i);
                warn_fraction(warner, path.data, resources, "limits");
                warn_fraction(warner, path.data, resources, "requests");
                warn_env(warner, path.data, node_get(container, "env"));
                warn_ports(warner, path.data, node_get(container, "ports"));
                buf_release(&path);
        }
}

/* ---- specs ---- */

static void warn_secrets(const struct warner *warner, const struct json_node *secrets) {
        CLEANUP(text_set_release) struct text_set names = { 0 };

        for (size_t i = 0; i < node_count(secrets); i++) {
                struct slice name = node_get_text(node_at(secrets, i), "name");

                if (!text_set_add(&names, name))
                        warn_warn(warner,
                                  "spec.imagePullSecrets[%zu].name: duplicate name \"" SLICE_FMT
                                  "\"",
                                  i, SLICE_ARG(name));
                if (name.len == 0)
                        warn_warn(warner,
                                  "spec.imagePullSecrets[%zu].name: invalid empty name \"\"", i);
        }
}

static void warn_spec(const struct warner *warner, const struct json_node *spec) {
        const struct json_node *affinity = node_get(spec, "affinity");

        warn_selector(warner, spec);
        warn_spread(warner, node_get(spec, "topologySpreadConstraints"));
        warn_secrets(warner, node_get(spec, "imagePullSecrets"));
        warn_containers(warner, spec, "initContainers");
        warn_containers(warner, spec, "containers");
        warn_terms(warner, node_get(affinity, "podAffinity"), "podAffinity");
        warn_terms(warner, node_get(affinity, "podAntiAffinity"), "podAntiAffinity");
}

/* Pods change too often, and by programs, to be warned about again. */
WARN_HOOK(pod_warn) {
        struct warner warner = { .emit = emit, .context = context, .prefix = "" };

        if (operation == KIND_CREATE)
                warn_spec(&warner, node_get(object, "spec"));
}

WARN_HOOK(workload_warn) {
        struct warner warner = { .emit = emit, .context = context, .prefix = "spec.template." };

        if (operation != KIND_UPDATE_STATUS)
                warn_spec(&warner,
                          node_get(node_get(node_get(object, "spec"), "template"), "spec"));
}

WARN_HOOK(cron_job_warn) {
        struct warner warner = { .emit = emit,
                                 .context = context,
                                 .prefix = "spec.jobTemplate.spec.template." };
        const struct json_node *job =
                node_get(node_get(node_get(object, "spec"), "jobTemplate"), "spec");

        if (operation != KIND_UPDATE_STATUS)
                warn_spec(&warner, node_get(node_get(job, "template"), "spec"));
}

WARN_HOOK(pod_template_warn) {
        struct warner warner = { .emit = emit, .context = context, .prefix = "template." };

        (void)operation;
        warn_spec(&warner, node_get(node_get(object, "template"), "spec"));
}
