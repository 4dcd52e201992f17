/* The checks that the restricted level of the Pod Security Standards adds. */
#include "kinds/pod_security_priv.h"

#include "base/util.h"
#include <string.h>

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

/* In upstream's order, after those of the baseline. */
static const struct security_check checks[] = {
        { 8, 0, check_escalation },    { 22, 0, check_few_capabilities },
        { 35, 0, check_proc_mount },   { 0, 0, check_volumes },
        { 0, 0, check_non_root },      { 23, 0, check_user },
        { 19, 0, check_some_seccomp },
};
const struct security_checks security_restricted = { checks, ARRAY_LEN(checks) };
