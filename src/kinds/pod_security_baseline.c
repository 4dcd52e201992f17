/* The checks of the baseline of the Pod Security Standards. */
#include "kinds/pod_security_priv.h"

#include "base/util.h"
#include "kinds/old_profiles.h"
#include <string.h>

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
                if (slice_has_prefix(key, SLICE_LITERAL(APP_ARMOR)) &&
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

void added_capabilities(const struct security_pod *pod, const char *const *allowed,
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

void added_write(const struct name_list *containers, const struct name_list *names,
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

const char *check_proc_mount(const struct security_pod *pod, struct buf *out) {
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

const char *write_bad_seccomp(const struct setting *setting, struct buf *out) {
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

/* In upstream's order, by name. */
static const struct security_check checks[] = {
        { 0, 0, check_apparmor },        { 0, 22, check_capabilities },
        { 0, 0, check_host_namespaces }, { 0, 1, check_host_paths },
        { 0, 0, check_host_ports },      { 34, 0, check_handlers },
        { 0, 0, check_privileged },      { 0, 35, check_proc_mount_baseline },
        { 0, 0, check_selinux },         { 19, 19, check_seccomp },
        { 0, 0, check_sysctls },         { 0, 0, check_host_process },
};
const struct security_checks security_baseline = { checks, ARRAY_LEN(checks) };
