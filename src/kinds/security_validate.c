/* Validation of security contexts, and of what depends on operating system and host. */
#include "kinds/pod_check.h"

#include "base/util.h"
#include "kinds/old_profiles.h"

/* ---- profiles ---- */

static const char *const profile_types[] = { "Localhost", "RuntimeDefault", "Unconfined", NULL };

OWN_RULE(rule_seccomp) {
        static const struct rule rules[] = {
                { "type", rule_choice, RULE_REQUIRED,
                  .text = "type is required when seccompProfile is set", .data = profile_types },
                RULES_END,
        };
        static const struct rule local_rules[] = {
                { "localhostProfile", rule_path_below },
                RULES_END,
        };
        const struct json_node *profile = node_get(value, "localhostProfile");

        (void)rule;
        check_rules(checker, at, value, rules);
        if (slice_is(node_get_text(value, "type"), "Localhost")) {
                if (!profile)
                        report(checker, FIELD_REQUIRED, at, "localhostProfile", NULL,
                               "must be set when seccomp type is Localhost");
                check_rules(checker, at, value, local_rules);
        } else if (profile) {
                report(checker, FIELD_INVALID, at, "localhostProfile",
                       message_of(checker, "{\"Type\":%s,\"LocalhostProfile\":%s}",
                                  quoted(checker, node_get_text(value, "type")),
                                  node_json(checker, profile)),
                       "can only be set when seccomp type is Localhost");
        }
}

#define PROFILE_MAX 4095 /* a path */

static void check_local_profile(struct checker *checker, const struct at *at,
                                const struct json_node *profile) {
        struct slice name = node_get_slice(profile);

        if (slice_trim(name).len != name.len)
                report_text(checker, at, "localhostProfile", name,
                            "must not be padded with whitespace");
        else if (name.len == 0)
                report(checker, FIELD_REQUIRED, at, "localhostProfile", NULL,
                       "must be set when AppArmor type is Localhost");
        if (name.len > PROFILE_MAX)
                report(checker, FIELD_TOO_LONG, at, "localhostProfile", NULL,
                       "may not be more than 4095 bytes");
}

OWN_RULE(rule_app_armor) {
        static const struct rule rules[] = {
                { "type", rule_choice, RULE_REQUIRED,
                  .text = "type is required when appArmorProfile is set", .data = profile_types },
                RULES_END,
        };
        const struct json_node *profile = node_get(value, "localhostProfile");
        size_t before = checker->errors->count;

        (void)rule;
        if (slice_is(node_get_text(value, "type"), "Localhost")) {
                check_local_profile(checker, at, profile);
                return;
        }
        check_rules(checker, at, value, rules);
        if (profile && checker->errors->count == before)
                report_text(checker, at, "localhostProfile", node_get_slice(profile),
                            "can only be set when AppArmor type is Localhost");
}

static void check_seccomp_name(struct checker *checker, const struct at *at, struct slice name) {
        static const char *const known[] = { "runtime/default", "docker/default", "unconfined" };
        struct slice local = SLICE_LITERAL(LOCAL_PROFILE);
        struct json_tree *tree = json_tree_new();

        for (size_t i = 0; i < ARRAY_LEN(known); i++)
                if (slice_is(name, known[i]))
                        local.len = 0;
        if (local.len && slice_has_prefix(name, local))
                rule_path_below(
                        checker, at,
                        node_text(tree, slice_make(name.ptr + local.len, name.len - local.len)),
                        NULL);
        else if (local.len)
                report_text(checker, at, NULL, name, "must be a valid seccomp profile");
        json_tree_free(tree);
}

struct name_search {
        struct slice name;
        bool is_found;
};

static void find_container(void *context, const struct at *at, const struct json_node *container) {
        struct name_search *search = context;

        (void)at;
        search->is_found |= slice_eq(node_get_text(container, "name"), search->name);
}

static void check_armor_name(struct checker *checker, const struct at *at, struct slice key,
                             struct slice profile, const struct json_node *spec) {
        size_t prefix = sizeof(APP_ARMOR) - 1;
        struct name_search search = { slice_make(key.ptr + prefix, key.len - prefix), false };
        struct at place = at_key(at, key), nowhere = at_root("");

        each_container(&nowhere, spec, find_container, &search);
        if (!search.is_found)
                report_text(checker, &place, NULL, search.name, "container not found");
        if (profile.len && !slice_is(profile, "runtime/default") &&
            !slice_is(profile, "unconfined") &&
            !slice_has_prefix(profile, SLICE_LITERAL(LOCAL_PROFILE)))
                report_text(checker, &place, NULL, profile,
                            message_of(checker, "invalid AppArmor profile name: %s",
                                       quoted(checker, profile)));
}

void check_profile_annotations(struct checker *checker, const struct at *at,
                               const struct json_node *pod) {
        struct node_iter iter = node_iter(node_get(node_get(pod, "metadata"), "annotations"));
        struct json_node *value;
        struct slice key;

        while (node_next(&iter, &key, &value)) {
                if (slice_is(key, SECCOMP_POD) ||
                    slice_has_prefix(key, SLICE_LITERAL(SECCOMP_CONTAINER))) {
                        struct at place =
                                at_member(at, message_of(checker, SLICE_FMT, SLICE_ARG(key)));

                        check_seccomp_name(checker, &place, node_get_slice(value));
                } else if (slice_has_prefix(key, SLICE_LITERAL(APP_ARMOR))) {
                        check_armor_name(checker, at, key, node_get_slice(value),
                                         node_get(pod, "spec"));
                }
        }
}

/* ---- options of Windows ---- */

#define CREDENTIAL_MAX ((size_t)64 << 10)
#define DOMAIN_MAX 256
#define USER_MAX 104

static bool is_user_domain(struct slice domain) {
        return text_matches(domain, "^[^\\\\/:\\*\\?\"<>|\\.][^\\\\/:\\*\\?\"<>|]{0,14}$") ||
               text_matches(domain, "^[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?(?:\\.[a-zA-"
                                    "Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?)*$");
}

static bool consists_of(struct slice text, const char *chars) {
        for (size_t i = 0; i < text.len; i++)
                if (!strchr(chars, text.ptr[i]))
                        return false;
        return true;
}

static bool has_any_of(struct slice text, const char *chars) {
        for (size_t i = 0; i < text.len; i++)
                if (text.ptr[i] && strchr(chars, text.ptr[i]))
                        return true;
        return false;
}

static bool has_control(struct slice text) {
        for (size_t i = 0; i < text.len; i++)
                if ((unsigned char)text.ptr[i] < 0x20 || text.ptr[i] == 0x7f)
                        return true;
        return false;
}

/* DOMAIN\USER or USER */
static void check_user_name(struct checker *checker, const struct at *at, struct slice name) {
        const char *slash = memchr(name.ptr, '\\', name.len);
        struct slice domain = slice_make(name.ptr, slash ? (size_t)(slash - name.ptr) : 0);
        struct slice user = slash ? slice_make(slash + 1, name.len - domain.len - 1) : name;
        const struct {
                bool is_wrong;
                const char *text;
        } rules[] = {
                { domain.len >= DOMAIN_MAX,
                  "runAsUserName's Domain length must be under 256 characters" },
                { slash && !is_user_domain(domain),
                  "runAsUserName's Domain doesn't match the NetBios nor the DNS format" },
                { user.len == 0, "runAsUserName's User cannot be empty" },
                { user.len > USER_MAX,
                  "runAsUserName's User length must not be longer than 104 characters" },
                { user.len && consists_of(user, ". "),
                  "runAsUserName's User cannot contain only periods or spaces" },
                { has_any_of(user, "\"/\\:;|=,+*?<>@[]"),
                  "runAsUserName's User cannot contain the following characters: "
                  "\"/\\:;|=,+*?<>@[]" },
        };

        for (size_t i = 0; i < ARRAY_LEN(rules); i++)
                if (rules[i].is_wrong)
                        report(checker, FIELD_INVALID, at, NULL, quoted(checker, name),
                               rules[i].text);
}

OWN_RULE(rule_user_name) {
        struct slice name = node_get_slice(value), rest = name, part;
        size_t parts = 0;

        (void)rule;
        while (slice_split(&rest, '\\', &part))
                parts++;
        if (name.len == 0)
                report_text(checker, at, NULL, name, "runAsUserName cannot be an empty string");
        else if (has_control(name))
                report_text(checker, at, NULL, name,
                            "runAsUserName cannot contain control characters");
        else if (parts > 2)
                report_text(checker, at, NULL, name,
                            "runAsUserName cannot contain more than one backslash");
        else
                check_user_name(checker, at, name);
}

OWN_RULE(rule_credential) {
        struct slice text = node_get_slice(value);

        (void)rule;
        if (text.len == 0)
                report_text(checker, at, NULL, text,
                            "gmsaCredentialSpec cannot be an empty string");
        else if (text.len > CREDENTIAL_MAX)
                report_text(checker, at, NULL, text,
                            "gmsaCredentialSpec size must be under 64 KiB");
}

static const struct rule windows_rules[] = {
        { "gmsaCredentialSpecName", rule_form, RULE_PRESENT, .low = FORM_SUBDOMAIN },
        { "gmsaCredentialSpec", rule_credential, RULE_PRESENT },
        { "runAsUserName", rule_user_name, RULE_PRESENT },
        RULES_END,
};

/* ---- contexts ---- */

/* Identifiers of users and groups. */
#define ID(member)                                                                                 \
        { member, rule_range, .high = INT32_MAX }

static bool has_sysctl_form(struct slice name) {
        return name.len <= 253 && text_matches(name, "^([a-z0-9]([-_a-z0-9]*[a-z0-9])?[\\./])*"
                                                     "[a-z0-9]([-_a-z0-9]*[a-z0-9])?$");
}

/* What the parameter is about: the network or communication between processes of the node, if the
 * pod shares it. Parts are separated by the first of '.' and '/' that the name has. */
static const char *shared_problem(const struct json_node *spec, struct slice name) {
        static const char *const ipc[] = { "kernel.shm", "kernel.msg", "fs.mqueue." };
        char text[254];

        if (name.len == 0 || name.len >= sizeof(text))
                return NULL;
        memcpy(text, name.ptr, name.len);
        text[name.len] = '\0';
        const char *mark = strpbrk(text, "./");
        for (size_t i = 0; mark && *mark == '/' && i < name.len; i++)
                text[i] = text[i] == '/' ? '.' : text[i] == '.' ? '/' : text[i];
        if (strncmp(text, "net.", 4) == 0)
                return node_is_true(node_get(spec, "hostNetwork"))
                               ? "may not be specified when 'hostNetwork' is true"
                               : NULL;
        for (size_t i = 0; i < ARRAY_LEN(ipc); i++)
                if (strcmp(text, "kernel.sem") == 0 || strncmp(text, ipc[i], strlen(ipc[i])) == 0)
                        return node_is_true(node_get(spec, "hostIPC"))
                                       ? "may not be specified when 'hostIPC' is true"
                                       : NULL;
        return NULL;
}

static void check_sysctls(struct checker *checker, const struct at *at,
                          const struct json_node *sysctls, const struct json_node *spec) {
        CLEANUP(text_set_release) struct text_set names = { 0 };

        for (size_t i = 0; i < node_count(sysctls); i++) {
                struct slice name = node_get_text(node_at(sysctls, i), "name");
                struct at place = at_index(at, i);

                if (name.len == 0)
                        report(checker, FIELD_REQUIRED, &place, "name", NULL, NULL);
                else if (!has_sysctl_form(name))
                        report_text(checker, &place, "name", name,
                                    "must have at most 253 characters and match regex "
                                    "^([a-z0-9]([-_a-z0-9]*[a-z0-9])?[\\./])*"
                                    "[a-z0-9]([-_a-z0-9]*[a-z0-9])?$");
                else if (text_set_has(&names, name))
                        report(checker, FIELD_DUPLICATE, &place, "name", quoted(checker, name),
                               NULL);
                if (shared_problem(spec, name))
                        report_text(checker, &place, "name", name, shared_problem(spec, name));
                text_set_add(&names, name);
        }
}

void check_pod_security(struct checker *checker, const struct at *at,
                        const struct json_node *context, const struct json_node *spec) {
        static const char *const group_policies[] = { "Always", "OnRootMismatch", NULL };
        static const char *const supplemental[] = { "Merge", "Strict", NULL };
        static const char *const labels[] = { "Recursive", NULL };
        static const struct rule ids[] = {
                ID("fsGroup"),
                ID("runAsUser"),
                ID("runAsGroup"),
                { "supplementalGroups", rule_range, RULE_EACH, .high = INT32_MAX },
                RULES_END,
        };
        static const struct rule rules[] = {
                { "fsGroupChangePolicy", rule_choice, RULE_PRESENT, .data = group_policies },
                { "seccompProfile", rule_seccomp },
                { "windowsOptions", rule_object, .data = windows_rules },
                { "appArmorProfile", rule_app_armor },
                { "supplementalGroupsPolicy", rule_choice, RULE_PRESENT, .data = supplemental },
                { "seLinuxChangePolicy", rule_choice, RULE_PRESENT, .data = labels },
                RULES_END,
        };
        struct at sysctls = at_member(at, "sysctls");

        check_rules(checker, at, context, ids);
        if (node_is_true(node_get(spec, "hostPID")) &&
            node_is_true(node_get(spec, "shareProcessNamespace")))
                report(checker, FIELD_INVALID, at, "shareProcessNamespace", "true",
                       "ShareProcessNamespace and HostPID cannot both be enabled");
        check_sysctls(checker, &sysctls, node_get(context, "sysctls"), spec);
        check_rules(checker, at, context, rules);
}

static bool is_false(const struct json_node *value) {
        return value && !node_is_true(value);
}

static void check_escalation(struct checker *checker, const struct at *at,
                             const struct json_node *context) {
        const struct json_node *added = node_get(node_get(context, "capabilities"), "add");

        if (!is_false(node_get(context, "allowPrivilegeEscalation")))
                return;
        if (node_is_true(node_get(context, "privileged")))
                report(checker, FIELD_INVALID, at, NULL, node_json(checker, context),
                       "cannot set `allowPrivilegeEscalation` to false and `privileged` to true");
        for (size_t i = 0; i < node_count(added); i++)
                if (slice_is(node_get_slice(node_at(added, i)), "CAP_SYS_ADMIN"))
                        report(checker, FIELD_INVALID, at, NULL, node_json(checker, context),
                               "cannot set `allowPrivilegeEscalation` to false and "
                               "`capabilities.Add` CAP_SYS_ADMIN");
}

void check_container_security(struct checker *checker, const struct at *at,
                              const struct json_node *context, bool has_host_users) {
        static const char *const mounts[] = { "Default", "Unmasked", NULL };
        static const struct rule ids[] = {
                ID("runAsUser"),
                ID("runAsGroup"),
                { "procMount", rule_choice, RULE_PRESENT, .data = mounts },
                RULES_END,
        };
        static const struct rule seccomp[] = { { "seccompProfile", rule_seccomp }, RULES_END };
        static const struct rule rules[] = {
                { "windowsOptions", rule_object, .data = windows_rules },
                { "appArmorProfile", rule_app_armor },
                RULES_END,
        };

        if (!context)
                return;
        check_rules(checker, at, context, ids);
        if (has_host_users && slice_is(node_get_text(context, "procMount"), "Unmasked"))
                report_text(checker, at, "procMount", SLICE_LITERAL("Unmasked"),
                            "`hostUsers` must be false to use `Unmasked`");
        check_rules(checker, at, context, seccomp);
        check_escalation(checker, at, context);
        check_rules(checker, at, context, rules);
}

/* ---- operating systems ---- */

void each_container(const struct at *at, const struct json_node *spec,
                    void (*visit)(void *context, const struct at *at,
                                  const struct json_node *container),
                    void *context) {
        static const char *const lists[] = { "initContainers", "containers",
                                             "ephemeralContainers" };

        for (size_t i = 0; i < ARRAY_LEN(lists); i++) {
                struct node_iter iter = node_iter(node_get(spec, lists[i]));
                struct at list = at_member(at, lists[i]);
                struct json_node *container;

                for (size_t j = 0; node_next(&iter, NULL, &container); j++) {
                        struct at place = at_index(&list, j);

                        visit(context, &place, container);
                }
        }
}

/* Members that pods of one system must not have. */
struct system_rules {
        const char *text;
        const char *const *pod, *const *container; /* paths, NULL-ended; what follows "%" is only
                                                      forbidden when it is true */
};
static const char *const linux_pod[] = { "securityContext.windowsOptions", NULL };
static const char *const linux_container[] = { "windowsOptions", NULL };
static const char *const windows_pod[] = {
        "securityContext.appArmorProfile",
        "securityContext.seLinuxOptions",
        "hostUsers",
        "%hostPID",
        "%hostIPC",
        "securityContext.seccompProfile",
        "securityContext.fsGroup",
        "securityContext.fsGroupChangePolicy",
        "securityContext.sysctls",
        "shareProcessNamespace",
        "securityContext.runAsUser",
        "securityContext.runAsGroup",
        "securityContext.supplementalGroups",
        "securityContext.supplementalGroupsPolicy",
        "securityContext.seLinuxChangePolicy",
        NULL,
};
static const char *const windows_container[] = {
        "appArmorProfile",
        "seLinuxOptions",
        "seccompProfile",
        "capabilities",
        "readOnlyRootFilesystem",
        "privileged",
        "allowPrivilegeEscalation",
        "procMount",
        "runAsUser",
        "runAsGroup",
        NULL,
};
static const struct system_rules linux_rules = {
        "windows options cannot be set for a linux pod",
        linux_pod,
        linux_container,
};
static const struct system_rules windows_system_rules = {
        "cannot be set for a windows pod",
        windows_pod,
        windows_container,
};

struct system_check {
        struct checker *checker;
        const struct system_rules *rules;
};

static const struct json_node *node_at_path(const struct json_node *object, const char *path) {
        struct slice rest = slice_of(path), part;

        while (object && slice_split(&rest, '.', &part))
                object = node_find(object, part);
        return object;
}

static void check_system_container(void *context, const struct at *at,
                                   const struct json_node *container) {
        const struct system_check *check = context;
        const struct json_node *security = node_get(container, "securityContext");
        struct at place = at_member(at, "securityContext");

        for (const char *const *member = check->rules->container; *member; member++)
                if (node_get(security, *member))
                        report(check->checker, FIELD_FORBIDDEN, &place, *member, NULL,
                               check->rules->text);
}

void check_pod_system(struct checker *checker, const struct at *at, const struct json_node *spec) {
        static const char *const systems[] = { "linux", "windows", NULL };
        struct slice name = node_get_text(node_get(spec, "os"), "name");
        struct at os = at_member(at, "os");
        struct system_check check = { checker, slice_is(name, "windows") ? &windows_system_rules
                                                                         : &linux_rules };

        if (!node_get(spec, "os"))
                return;
        if (name.len == 0) {
                report(checker, FIELD_REQUIRED, &os, "name", NULL, NULL);
                return;
        }
        if (!slice_is(name, "linux") && !slice_is(name, "windows")) {
                report_choice(checker, &os, NULL, quoted_json(checker, name), systems);
                return;
        }
        for (const char *const *path = check.rules->pod; *path; path++) {
                bool is_flag = **path == '%';
                const struct json_node *value = node_at_path(spec, *path + is_flag);

                if (value && (!is_flag || node_is_true(value)))
                        report(checker, FIELD_FORBIDDEN, at, *path + is_flag, NULL,
                               check.rules->text);
        }
        each_container(at, spec, check_system_container, &check);
}

/* ---- containers that are processes of the host ---- */

struct host_process_check {
        struct checker *checker;
        const struct json_node *pod; /* what the pod says */
        size_t count, hosted;
};

static void check_host_container(void *context, const struct at *at,
                                 const struct json_node *container) {
        struct host_process_check *check = context;
        const struct json_node *own =
                node_at_path(container, "securityContext.windowsOptions.hostProcess");

        check->count++;
        if (own && check->pod && node_is_true(own) != node_is_true(check->pod))
                report(check->checker, FIELD_INVALID, at,
                       "securityContext.windowsOptions.hostProcess",
                       node_is_true(own) ? "true" : "false",
                       message_of(check->checker,
                                  "pod hostProcess value must be identical if both are specified, "
                                  "was %s",
                                  node_is_true(check->pod) ? "true" : "false"));
        if (node_is_true(own ? own : check->pod))
                check->hosted++;
}

void check_host_process(struct checker *checker, const struct at *at,
                        const struct json_node *spec) {
        struct host_process_check check = {
                .checker = checker,
                .pod = node_at_path(spec, "securityContext.windowsOptions.hostProcess"),
        };

        each_container(at, spec, check_host_container, &check);
        if (check.hosted == 0)
                return;
        if (check.hosted != check.count)
                report_text(checker, at, NULL, SLICE_EMPTY,
                            "If pod contains any hostProcess containers then all containers must "
                            "be HostProcess containers");
        if (!node_is_true(node_get(spec, "hostNetwork")))
                report(checker, FIELD_INVALID, at, "hostNetwork", "false",
                       "hostNetwork must be true if pod contains any hostProcess containers");
}
