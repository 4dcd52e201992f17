/* The checks of the Pod Security Standards, one row each; a row names the versions it is for. */
#include "kinds/pod_security_checks.h"

#include "base/util.h"
#include <stdlib.h>
#include <string.h>

/* ---- names in messages ---- */

#define NAMES_MAX 64

/* Texts of a message; those beyond the limit are left out. */
struct name_list {
        struct slice items[NAMES_MAX];
        size_t count;
};

static void name_add(struct name_list *names, struct slice name) {
        if (names->count < NAMES_MAX)
                names->items[names->count++] = name;
}

static void name_add_once(struct name_list *names, struct slice name) {
        for (size_t i = 0; i < names->count; i++)
                if (slice_eq(names->items[i], name))
                        return;
        name_add(names, name);
}

static int compare_names(const void *a, const void *b) {
        return slice_compare(*(const struct slice *)a, *(const struct slice *)b);
}

static void names_sort(struct name_list *names) {
        if (names->count)
                qsort(names->items, names->count, sizeof(names->items[0]), compare_names);
}

static void names_write(const struct name_list *names, const char *quote, struct buf *out) {
        for (size_t i = 0; i < names->count; i++)
                buf_printf(out, "%s%s" SLICE_FMT "%s", i ? ", " : "", quote,
                           SLICE_ARG(names->items[i]), quote);
}

static void containers_write(const struct name_list *names, struct buf *out) {
        buf_text(out, names->count == 1 ? "container " : "containers ");
        names_write(names, "\"", out);
}

/* "pod and containers "a", "b"" */
static void setters_write(bool is_pod, const struct name_list *containers, struct buf *out) {
        if (is_pod)
                buf_text(out, containers->count ? "pod and " : "pod");
        if (containers->count)
                containers_write(containers, out);
}

/* ---- the containers of a pod ---- */

struct container_iter {
        const struct json_node *spec;
        size_t list, index;
};

static const struct json_node *container_next(struct container_iter *iter) {
        static const char *const lists[] = { "initContainers", "containers",
                                             "ephemeralContainers" };

        for (; iter->list < ARRAY_LEN(lists); iter->list++, iter->index = 0) {
                const struct json_node *list = node_get(iter->spec, lists[iter->list]);

                if (iter->index < node_count(list))
                        return node_at(list, iter->index++);
        }
        return NULL;
}

static const struct json_node *security_of(const struct json_node *owner) {
        return node_get(owner, "securityContext");
}

static struct slice name_of(const struct json_node *object) {
        return node_get_text(object, "name");
}

static bool is_windows(const struct security_pod *pod) {
        return pod->minor >= 25 && slice_is(name_of(node_get(pod->spec, "os")), "windows");
}

/* Users of such pods are nobody on the host. */
static bool has_own_users(const struct security_pod *pod) {
        const struct json_node *flag = node_get(pod->spec, "hostUsers");

        return pod->minor >= 35 && flag && !node_is_true(flag);
}

static bool is_one_of(struct slice text, const char *const *words) {
        for (; *words; words++)
                if (slice_is(text, *words))
                        return true;
        return false;
}

/* ---- a text in the security context of the pod and its containers ---- */

struct setting {
        bool is_pod_bad, is_pod_good;
        struct name_list bad, unset, values;
};

/* path: of objects within the security context; allowed: the texts that are right. */
static void setting_read(const struct security_pod *pod, const char *object, const char *member,
                         const char *const *allowed, struct setting *setting) {
        struct container_iter iter = { .spec = pod->spec };
        const struct json_node *own = node_get(security_of(pod->spec), object), *container;

        if (own) {
                setting->is_pod_good = is_one_of(node_get_text(own, member), allowed);
                setting->is_pod_bad = !setting->is_pod_good;
        }
        if (setting->is_pod_bad)
                name_add_once(&setting->values, node_get_text(own, member));
        while ((container = container_next(&iter))) {
                own = node_get(security_of(container), object);
                if (!own) {
                        name_add(&setting->unset, name_of(container));
                } else if (!is_one_of(node_get_text(own, member), allowed)) {
                        name_add(&setting->bad, name_of(container));
                        name_add_once(&setting->values, node_get_text(own, member));
                }
        }
        names_sort(&setting->values);
}

static bool setting_is_bad(const struct setting *setting) {
        return setting->is_pod_bad || setting->bad.count > 0;
}

/* ---- baseline ---- */

static const char *const profile_types[] = { "RuntimeDefault", "Localhost", NULL };

#define APPARMOR_PREFIX "container.apparmor.security.beta.kubernetes.io/"

static bool is_good_apparmor(struct slice value) {
        return value.len == 0 || slice_is(value, "runtime/default") ||
               slice_has_prefix(value, SLICE_LITERAL("localhost/"));
}

static const char *check_apparmor(const struct security_pod *pod, struct buf *out) {
        struct node_iter iter = node_iter(node_get(pod->metadata, "annotations"));
        struct name_list annotations = { 0 };
        struct setting setting = { 0 };
        struct json_node *value;
        struct slice key;

        setting_read(pod, "appArmorProfile", "type", profile_types, &setting);
        while (node_next(&iter, &key, &value))
                if (slice_has_prefix(key, SLICE_LITERAL(APPARMOR_PREFIX)) &&
                    !is_good_apparmor(node_get_slice(value)))
                        name_add(&annotations,
                                 slice_of(arena_printf(pod->arena, SLICE_FMT "=\"" SLICE_FMT "\"",
                                                       SLICE_ARG(key),
                                                       SLICE_ARG(node_get_slice(value)))));
        if (!setting_is_bad(&setting) && annotations.count == 0)
                return NULL;
        names_sort(&annotations);
        setters_write(setting.is_pod_bad, &setting.bad, out);
        if (annotations.count)
                buf_printf(out, "%sannotation%s", setting_is_bad(&setting) ? " and " : "",
                           annotations.count == 1 ? "" : "s");
        for (size_t i = 0; i < annotations.count; i++)
                name_add(&setting.values, annotations.items[i]);
        buf_text(out, " must not set AppArmor profile type to ");
        names_write(&setting.values, "\"", out);
        return setting.values.count == 1 ? "forbidden AppArmor profile"
                                         : "forbidden AppArmor profiles";
}

/* Capabilities that containers add beyond those allowed. */
static void added_capabilities(const struct security_pod *pod, const char *const *allowed,
                               struct name_list *ret_containers, struct name_list *ret_names) {
        struct container_iter iter = { .spec = pod->spec };
        const struct json_node *container;

        while ((container = container_next(&iter))) {
                const struct json_node *list =
                        node_get(node_get(security_of(container), "capabilities"), "add");
                size_t bad = 0;

                for (size_t i = 0; i < node_count(list); i++) {
                        struct slice name = node_get_slice(node_at(list, i));

                        if (is_one_of(name, allowed))
                                continue;
                        name_add_once(ret_names, name);
                        bad++;
                }
                if (bad)
                        name_add(ret_containers, name_of(container));
        }
        names_sort(ret_names);
}

static void added_write(const struct name_list *containers, const struct name_list *names,
                        struct buf *out) {
        containers_write(containers, out);
        buf_text(out, " must not include ");
        names_write(names, "\"", out);
        buf_text(out, " in securityContext.capabilities.add");
}

static const char *check_capabilities(const struct security_pod *pod, struct buf *out) {
        static const char *const allowed[] = {
                "AUDIT_WRITE", "CHOWN",  "DAC_OVERRIDE",     "FOWNER",  "FSETID",
                "KILL",        "MKNOD",  "NET_BIND_SERVICE", "SETFCAP", "SETGID",
                "SETPCAP",     "SETUID", "SYS_CHROOT",       NULL
        };
        struct name_list containers = { 0 }, names = { 0 };

        added_capabilities(pod, allowed, &containers, &names);
        if (containers.count == 0)
                return NULL;
        added_write(&containers, &names, out);
        return "non-default capabilities";
}

static const char *check_host_namespaces(const struct security_pod *pod, struct buf *out) {
        static const char *const flags[] = { "hostNetwork", "hostPID", "hostIPC" };

        for (size_t i = 0; i < ARRAY_LEN(flags); i++)
                if (node_is_true(node_get(pod->spec, flags[i])))
                        buf_printf(out, "%s%s=true", out->len ? ", " : "", flags[i]);
        return out->len ? "host namespaces" : NULL;
}

static const char *check_host_paths(const struct security_pod *pod, struct buf *out) {
        const struct json_node *volumes = node_get(pod->spec, "volumes");
        struct name_list names = { 0 };

        for (size_t i = 0; i < node_count(volumes); i++)
                if (node_get(node_at(volumes, i), "hostPath"))
                        name_add(&names, name_of(node_at(volumes, i)));
        if (names.count == 0)
                return NULL;
        buf_text(out, names.count == 1 ? "volume " : "volumes ");
        names_write(&names, "\"", out);
        return "hostPath volumes";
}

static const char *check_host_ports(const struct security_pod *pod, struct buf *out) {
        struct container_iter iter = { .spec = pod->spec };
        struct name_list containers = { 0 }, numbers = { 0 };
        const struct json_node *container;

        while ((container = container_next(&iter))) {
                const struct json_node *ports = node_get(container, "ports");
                size_t bad = 0;

                for (size_t i = 0; i < node_count(ports); i++) {
                        int64_t port = node_get_i64(node_at(ports, i), "hostPort", 0);

                        if (port == 0)
                                continue;
                        name_add_once(&numbers,
                                      slice_of(arena_printf(pod->arena, "%lld", (long long)port)));
                        bad++;
                }
                if (bad)
                        name_add(&containers, name_of(container));
        }
        if (containers.count == 0)
                return NULL;
        names_sort(&numbers);
        containers_write(&containers, out);
        buf_printf(out, " %s %s ", containers.count == 1 ? "uses" : "use",
                   numbers.count == 1 ? "hostPort" : "hostPorts");
        names_write(&numbers, "", out);
        return "hostPort";
}

static size_t handler_hosts(const struct json_node *handler, struct name_list *hosts) {
        static const char *const kinds[] = { "httpGet", "tcpSocket" };
        size_t count = 0;

        for (size_t i = 0; i < ARRAY_LEN(kinds); i++) {
                struct slice host = node_get_text(node_get(handler, kinds[i]), "host");

                if (host.len == 0)
                        continue;
                name_add_once(hosts, host);
                count++;
        }
        return count;
}

static const char *check_handlers(const struct security_pod *pod, struct buf *out) {
        static const char *const probes[] = { "livenessProbe", "readinessProbe", "startupProbe" };
        struct container_iter iter = { .spec = pod->spec };
        struct name_list containers = { 0 }, hosts = { 0 };
        const struct json_node *container;

        while ((container = container_next(&iter))) {
                const struct json_node *life = node_get(container, "lifecycle");
                size_t bad = handler_hosts(node_get(life, "postStart"), &hosts) +
                             handler_hosts(node_get(life, "preStop"), &hosts);

                for (size_t i = 0; i < ARRAY_LEN(probes); i++)
                        bad += handler_hosts(node_get(container, probes[i]), &hosts);
                if (bad)
                        name_add_once(&containers, name_of(container));
        }
        if (containers.count == 0)
                return NULL;
        names_sort(&containers);
        names_sort(&hosts);
        containers_write(&containers, out);
        buf_printf(out, " %s probe or lifecycle host%s ", containers.count == 1 ? "uses" : "use",
                   hosts.count == 1 ? "" : "s");
        names_write(&hosts, "\"", out);
        return "probe or lifecycle host";
}

static const char *check_privileged(const struct security_pod *pod, struct buf *out) {
        struct container_iter iter = { .spec = pod->spec };
        struct name_list containers = { 0 };
        const struct json_node *container;

        while ((container = container_next(&iter)))
                if (node_is_true(node_get(security_of(container), "privileged")))
                        name_add(&containers, name_of(container));
        if (containers.count == 0)
                return NULL;
        containers_write(&containers, out);
        buf_text(out, " must not set securityContext.privileged=true");
        return "privileged";
}

static const char *check_proc_mount(const struct security_pod *pod, struct buf *out) {
        struct container_iter iter = { .spec = pod->spec };
        struct name_list containers = { 0 }, kinds = { 0 };
        const struct json_node *container;

        while ((container = container_next(&iter))) {
                const struct json_node *kind = node_get(security_of(container), "procMount");

                if (!kind || slice_is(node_get_slice(kind), "Default"))
                        continue;
                name_add(&containers, name_of(container));
                name_add_once(&kinds, node_get_slice(kind));
        }
        if (containers.count == 0)
                return NULL;
        names_sort(&kinds);
        containers_write(&containers, out);
        buf_text(out, " must not set securityContext.procMount to ");
        names_write(&kinds, "\"", out);
        return "procMount";
}

static const char *check_proc_mount_baseline(const struct security_pod *pod, struct buf *out) {
        return has_own_users(pod) ? NULL : check_proc_mount(pod, out);
}

/* What options of SELinux are set that may not be. */
struct selinux_options {
        struct name_list types;
        bool has_user, has_role;
};

static bool is_good_selinux(const struct security_pod *pod, const struct json_node *options,
                            struct selinux_options *bad) {
        static const char *const types[] = { "", "container_t", "container_init_t",
                                             "container_kvm_t", NULL };
        struct slice type = node_get_text(options, "type");
        bool is_good_type = is_one_of(type, types) ||
                            (pod->minor >= 31 && slice_is(type, "container_engine_t"));
        bool has_user = node_get_text(options, "user").len > 0;
        bool has_role = node_get_text(options, "role").len > 0;

        if (!is_good_type)
                name_add_once(&bad->types, type);
        bad->has_user |= has_user;
        bad->has_role |= has_role;
        return is_good_type && !has_user && !has_role;
}

static const char *check_selinux(const struct security_pod *pod, struct buf *out) {
        struct container_iter iter = { .spec = pod->spec };
        const struct json_node *own = node_get(security_of(pod->spec), "seLinuxOptions");
        const struct json_node *container;
        struct selinux_options bad = { 0 };
        struct name_list containers = { 0 };
        bool is_pod_bad = own && !is_good_selinux(pod, own, &bad);
        const char *comma = "";

        while ((container = container_next(&iter))) {
                own = node_get(security_of(container), "seLinuxOptions");
                if (own && !is_good_selinux(pod, own, &bad))
                        name_add(&containers, name_of(container));
        }
        if (!is_pod_bad && containers.count == 0)
                return NULL;
        names_sort(&bad.types);
        setters_write(is_pod_bad, &containers, out);
        buf_text(out, " set forbidden securityContext.seLinuxOptions: ");
        if (bad.types.count) {
                buf_text(out, bad.types.count == 1 ? "type " : "types ");
                names_write(&bad.types, "\"", out);
                comma = "; ";
        }
        if (bad.has_user) {
                buf_printf(out, "%suser may not be set", comma);
                comma = "; ";
        }
        if (bad.has_role)
                buf_printf(out, "%srole may not be set", comma);
        return "seLinuxOptions";
}

static const char *write_bad_seccomp(const struct setting *setting, struct buf *out) {
        setters_write(setting->is_pod_bad, &setting->bad, out);
        buf_text(out, " must not set securityContext.seccompProfile.type to ");
        names_write(&setting->values, "\"", out);
        return "seccompProfile";
}

static const char *check_seccomp(const struct security_pod *pod, struct buf *out) {
        struct setting setting = { 0 };

        setting_read(pod, "seccompProfile", "type", profile_types, &setting);
        return setting_is_bad(&setting) ? write_bad_seccomp(&setting, out) : NULL;
}

static const struct {
        const char *name;
        unsigned since;
} safe_sysctls[] = {
        { "kernel.shm_rmid_forced", 0 },
        { "net.ipv4.ip_local_port_range", 0 },
        { "net.ipv4.tcp_syncookies", 0 },
        { "net.ipv4.ping_group_range", 0 },
        { "net.ipv4.ip_unprivileged_port_start", 0 },
        { "net.ipv4.ip_local_reserved_ports", 27 },
        { "net.ipv4.tcp_keepalive_time", 29 },
        { "net.ipv4.tcp_fin_timeout", 29 },
        { "net.ipv4.tcp_keepalive_intvl", 29 },
        { "net.ipv4.tcp_keepalive_probes", 29 },
        { "net.ipv4.tcp_rmem", 32 },
        { "net.ipv4.tcp_wmem", 32 },
};

static const char *check_sysctls(const struct security_pod *pod, struct buf *out) {
        const struct json_node *list = node_get(security_of(pod->spec), "sysctls");

        for (size_t i = 0; i < node_count(list); i++) {
                struct slice name = name_of(node_at(list, i));
                bool is_safe = false;

                for (size_t j = 0; j < ARRAY_LEN(safe_sysctls); j++)
                        is_safe |= slice_is(name, safe_sysctls[j].name) &&
                                   pod->minor >= safe_sysctls[j].since;
                if (!is_safe)
                        buf_printf(out, "%s" SLICE_FMT, out->len ? ", " : "", SLICE_ARG(name));
        }
        return out->len ? "forbidden sysctls" : NULL;
}

static bool is_host_process(const struct json_node *owner) {
        return node_is_true(
                node_get(node_get(security_of(owner), "windowsOptions"), "hostProcess"));
}

static const char *check_host_process(const struct security_pod *pod, struct buf *out) {
        struct container_iter iter = { .spec = pod->spec };
        struct name_list containers = { 0 };
        const struct json_node *container;
        bool is_pod_bad = is_host_process(pod->spec);

        while ((container = container_next(&iter)))
                if (is_host_process(container))
                        name_add(&containers, name_of(container));
        if (!is_pod_bad && containers.count == 0)
                return NULL;
        setters_write(is_pod_bad, &containers, out);
        buf_text(out, " must not set securityContext.windowsOptions.hostProcess=true");
        return "hostProcess";
}

/* ---- restricted ---- */

static const char *check_escalation(const struct security_pod *pod, struct buf *out) {
        struct container_iter iter = { .spec = pod->spec };
        struct name_list containers = { 0 };
        const struct json_node *container;

        while (!is_windows(pod) && (container = container_next(&iter))) {
                const struct json_node *flag =
                        node_get(security_of(container), "allowPrivilegeEscalation");

                if (!flag || node_is_true(flag))
                        name_add(&containers, name_of(container));
        }
        if (containers.count == 0)
                return NULL;
        containers_write(&containers, out);
        buf_text(out, " must set securityContext.allowPrivilegeEscalation=false");
        return "allowPrivilegeEscalation != false";
}

static bool drops_all(const struct json_node *container) {
        const struct json_node *list =
                node_get(node_get(security_of(container), "capabilities"), "drop");

        for (size_t i = 0; i < node_count(list); i++)
                if (slice_is(node_get_slice(node_at(list, i)), "ALL"))
                        return true;
        return false;
}

static const char *check_few_capabilities(const struct security_pod *pod, struct buf *out) {
        static const char *const allowed[] = { "NET_BIND_SERVICE", NULL };
        struct container_iter iter = { .spec = pod->spec };
        struct name_list missing = { 0 }, adding = { 0 }, names = { 0 };
        const struct json_node *container;

        if (is_windows(pod))
                return NULL;
        while ((container = container_next(&iter)))
                if (!drops_all(container))
                        name_add(&missing, name_of(container));
        added_capabilities(pod, allowed, &adding, &names);
        if (missing.count) {
                containers_write(&missing, out);
                buf_text(out, " must set securityContext.capabilities.drop=[\"ALL\"]");
        }
        if (missing.count && adding.count)
                buf_text(out, "; ");
        if (adding.count)
                added_write(&adding, &names, out);
        return out->len ? "unrestricted capabilities" : NULL;
}

static const char *check_volumes(const struct security_pod *pod, struct buf *out) {
        static const char *const allowed[] = {
                "configMap", "csi",   "downwardAPI",           "emptyDir",
                "ephemeral", "image", "persistentVolumeClaim", "projected",
                "secret",    NULL
        };
        const struct json_node *volumes = node_get(pod->spec, "volumes");
        struct name_list names = { 0 }, kinds = { 0 };

        for (size_t i = 0; i < node_count(volumes); i++) {
                struct node_iter iter = node_iter(node_at(volumes, i));
                struct slice key, kind = SLICE_LITERAL("unknown");
                bool is_allowed = false;

                while (node_next(&iter, &key, NULL)) {
                        is_allowed |= is_one_of(key, allowed);
                        if (!slice_is(key, "name"))
                                kind = key;
                }
                if (is_allowed)
                        continue;
                name_add(&names, name_of(node_at(volumes, i)));
                name_add_once(&kinds, kind);
        }
        if (names.count == 0)
                return NULL;
        names_sort(&kinds);
        buf_text(out, names.count == 1 ? "volume " : "volumes ");
        names_write(&names, "\"", out);
        buf_printf(out, " %s restricted volume type%s ", names.count == 1 ? "uses" : "use",
                   kinds.count == 1 ? "" : "s");
        names_write(&kinds, "\"", out);
        return "restricted volume types";
}

static const char *check_non_root(const struct security_pod *pod, struct buf *out) {
        const struct json_node *own = node_get(security_of(pod->spec), "runAsNonRoot");
        struct container_iter iter = { .spec = pod->spec };
        struct name_list bad = { 0 }, unset = { 0 };
        const struct json_node *container;
        bool is_pod_good = node_is_true(own), is_pod_bad = own && !is_pod_good;

        if (has_own_users(pod))
                return NULL;
        while ((container = container_next(&iter))) {
                own = node_get(security_of(container), "runAsNonRoot");
                if (own && !node_is_true(own))
                        name_add(&bad, name_of(container));
                else if (!own && !is_pod_good)
                        name_add(&unset, name_of(container));
        }
        if (is_pod_bad || bad.count) {
                setters_write(is_pod_bad, &bad, out);
                buf_text(out, " must not set securityContext.runAsNonRoot=false");
        } else if (unset.count) {
                buf_text(out, "pod or ");
                containers_write(&unset, out);
                buf_text(out, " must set securityContext.runAsNonRoot=true");
        }
        return out->len ? "runAsNonRoot != true" : NULL;
}

static bool is_root(const struct json_node *owner) {
        const struct json_node *user = node_get(security_of(owner), "runAsUser");
        int64_t number = 1;

        return user && node_as_i64(user, &number) && number == 0;
}

static const char *check_user(const struct security_pod *pod, struct buf *out) {
        struct container_iter iter = { .spec = pod->spec };
        struct name_list containers = { 0 };
        const struct json_node *container;

        if (has_own_users(pod))
                return NULL;
        while ((container = container_next(&iter)))
                if (is_root(container))
                        name_add(&containers, name_of(container));
        if (!is_root(pod->spec) && containers.count == 0)
                return NULL;
        setters_write(is_root(pod->spec), &containers, out);
        buf_text(out, " must not set runAsUser=0");
        return "runAsUser=0";
}

static const char *check_some_seccomp(const struct security_pod *pod, struct buf *out) {
        struct setting setting = { 0 };

        if (is_windows(pod))
                return NULL;
        setting_read(pod, "seccompProfile", "type", profile_types, &setting);
        if (setting_is_bad(&setting))
                return write_bad_seccomp(&setting, out);
        if (setting.is_pod_good || setting.unset.count == 0)
                return NULL;
        buf_text(out, "pod or ");
        containers_write(&setting.unset, out);
        buf_text(out, " must set securityContext.seccompProfile.type to \"RuntimeDefault\" or "
                      "\"Localhost\"");
        return "seccompProfile";
}

/* ---- the table ---- */

/* In upstream's order: those of the baseline by name, then the others. replaced: the version since
 * which the restricted level has a stricter check in place of it; 0 = never. */
static const struct security_check {
        enum security_level level;
        unsigned since, replaced;
        const char *(*check)(const struct security_pod *pod, struct buf *out);
} security_checks[] = {
        { SECURITY_BASELINE, 0, 0, check_apparmor },
        { SECURITY_BASELINE, 0, 22, check_capabilities },
        { SECURITY_BASELINE, 0, 0, check_host_namespaces },
        { SECURITY_BASELINE, 0, 1, check_host_paths },
        { SECURITY_BASELINE, 0, 0, check_host_ports },
        { SECURITY_BASELINE, 34, 0, check_handlers },
        { SECURITY_BASELINE, 0, 0, check_privileged },
        { SECURITY_BASELINE, 0, 35, check_proc_mount_baseline },
        { SECURITY_BASELINE, 0, 0, check_selinux },
        { SECURITY_BASELINE, 19, 19, check_seccomp },
        { SECURITY_BASELINE, 0, 0, check_sysctls },
        { SECURITY_BASELINE, 0, 0, check_host_process },
        { SECURITY_RESTRICTED, 8, 0, check_escalation },
        { SECURITY_RESTRICTED, 22, 0, check_few_capabilities },
        { SECURITY_RESTRICTED, 35, 0, check_proc_mount },
        { SECURITY_RESTRICTED, 0, 0, check_volumes },
        { SECURITY_RESTRICTED, 0, 0, check_non_root },
        { SECURITY_RESTRICTED, 23, 0, check_user },
        { SECURITY_RESTRICTED, 19, 0, check_some_seccomp },
};

static bool is_check_for(const struct security_check *check, enum security_level level,
                         unsigned minor) {
        if (minor < check->since || check->level > level)
                return false;
        return level == SECURITY_BASELINE || check->replaced == 0 || minor < check->replaced;
}

bool security_violations(const struct security_pod *pod, enum security_level level, bool details,
                         struct buf *out) {
        size_t start = out->len;

        for (size_t i = 0; i < ARRAY_LEN(security_checks); i++) {
                struct buf detail = { 0 };

                if (!is_check_for(&security_checks[i], level, pod->minor))
                        continue;
                const char *reason = security_checks[i].check(pod, &detail);
                if (reason) {
                        buf_printf(out, "%s%s", out->len > start ? ", " : "", reason);
                        if (details && detail.len)
                                buf_printf(out, " (%s)", detail.data);
                }
                buf_release(&detail);
        }
        return out->len > start;
}
