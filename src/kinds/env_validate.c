/* Validation of what containers take from the pod and other objects: variables, fields, resources,
 * files projected into volumes. */
#include "kinds/pod_check.h"

#include "api/quantity.h"
#include "base/arena.h"
#include "base/util.h"

/* ---- paths of files ---- */

RULE(rule_no_backsteps) {
        struct slice rest = node_get_slice(value), part;

        (void)rule;
        while (slice_split(&rest, '/', &part)) {
                if (!slice_is(part, ".."))
                        continue;
                report_text(checker, at, NULL, node_get_slice(value), "must not contain '..'");
                return;
        }
}

RULE(rule_path_below) {
        struct slice path = node_get_slice(value);

        if (path.len && path.ptr[0] == '/')
                report_text(checker, at, NULL, path, "must be a relative path");
        rule_no_backsteps(checker, at, value, rule);
}

RULE(rule_path_unreserved) {
        struct slice path = node_get_slice(value);

        rule_path_below(checker, at, value, rule);
        if (slice_has_prefix(path, SLICE_LITERAL("..")) &&
            !slice_has_prefix(path, SLICE_LITERAL("../")))
                report_text(checker, at, NULL, path, "must not start with '..'");
}

RULE(rule_mode) {
        const struct rule range = {
                .high = 0777, .text = "must be a number between 0 and 0777 (octal), both inclusive"
        };

        (void)rule;
        rule_range(checker, at, value, &range);
}

RULE(rule_key_path) {
        static const struct rule rules[] = {
                { "key", rule_present, RULE_REQUIRED },
                { "path", rule_path_unreserved, RULE_REQUIRED },
                { "mode", rule_mode },
                RULES_END,
        };

        (void)rule;
        check_rules(checker, at, value, rules);
}

/* ---- fields of the pod ---- */

static const char *const env_fields[] = {
        "metadata.name",
        "metadata.namespace",
        "metadata.uid",
        "spec.nodeName",
        "spec.serviceAccountName",
        "status.hostIP",
        "status.hostIPs",
        "status.podIP",
        "status.podIPs",
        NULL,
};
static const char *const file_fields[] = {
        "metadata.annotations", "metadata.labels", "metadata.name",
        "metadata.namespace",   "metadata.uid",    NULL,
};
/* All that a selector of fields may name. */
static const char *const known_fields[] = {
        "metadata.annotations",
        "metadata.labels",
        "metadata.name",
        "metadata.namespace",
        "metadata.uid",
        "spec.nodeName",
        "spec.restartPolicy",
        "spec.schedulerName",
        "spec.serviceAccountName",
        "status.phase",
        "status.hostIP",
        "status.hostIPs",
        "status.podIP",
        "status.podIPs",
        "spec.host",
        NULL,
};

static bool is_listed(struct slice text, const char *const *list) {
        for (size_t i = 0; list[i]; i++)
                if (slice_is(text, list[i]))
                        return true;
        return false;
}

/* "metadata.labels['key']" */
static bool split_subscript(struct slice path, struct slice *ret_field, struct slice *ret_key) {
        const char *mark = path.len ? memmem(path.ptr, path.len, "['", 2) : NULL;

        if (!mark || mark == path.ptr || !slice_has_suffix(path, SLICE_LITERAL("']")))
                return false;
        *ret_field = slice_make(path.ptr, (size_t)(mark - path.ptr));
        *ret_key = slice_make(mark + 2, path.len - ret_field->len - 4);
        return path.len >= ret_field->len + 4;
}

static const char *field_problem(struct checker *checker, struct slice version, struct slice path) {
        struct slice field, key;

        if (!slice_is(version, "v1"))
                return message_of(checker, "unsupported pod version: " SLICE_FMT,
                                  SLICE_ARG(version));
        if (split_subscript(path, &field, &key))
                return slice_is(field, "metadata.annotations") || slice_is(field, "metadata.labels")
                               ? NULL
                               : message_of(checker,
                                            "field label does not support subscript: " SLICE_FMT,
                                            SLICE_ARG(path));
        return is_listed(path, known_fields)
                       ? NULL
                       : message_of(checker, "field label not supported: " SLICE_FMT,
                                    SLICE_ARG(path));
}

/* Keys of annotations may have any case. */
static void check_subscript(struct checker *checker, const struct at *at, struct slice field,
                            struct slice key) {
        char *copy = arena_string(checker->errors->arena, key);

        for (size_t i = 0; slice_is(field, "metadata.annotations") && i < key.len; i++)
                if (copy[i] >= 'A' && copy[i] <= 'Z')
                        copy[i] = (char)(copy[i] + 'a' - 'A');
        check_form(checker, at, slice_make(copy, key.len), FORM_QUALIFIED);
}

void check_field_reference(struct checker *checker, const struct at *at,
                           const struct json_node *reference, const char *const *fields) {
        struct slice path = node_get_text(reference, "fieldPath"), field, key;

        if (!check_required(checker, at, reference, "apiVersion") ||
            !check_required(checker, at, reference, "fieldPath"))
                return;
        const char *problem = field_problem(checker, node_get_text(reference, "apiVersion"), path);
        if (problem)
                report_text(checker, at, "fieldPath", path,
                            message_of(checker, "error converting fieldPath: %s", problem));
        else if (split_subscript(path, &field, &key))
                check_subscript(checker, at, field, key);
        else if (!is_listed(slice_is(path, "spec.host") ? SLICE_LITERAL("spec.nodeName") : path,
                            fields))
                report_choice(checker, at, "fieldPath", quoted_json(checker, path), fields);
}

/* ---- resources of a container ---- */

static const char *const container_resources[] = {
        "limits.cpu",   "limits.ephemeral-storage",   "limits.memory",
        "requests.cpu", "requests.ephemeral-storage", "requests.memory",
        NULL,
};

static bool is_huge_page_field(struct slice resource) {
        return slice_has_prefix(resource, SLICE_LITERAL("requests.hugepages-")) ||
               slice_has_prefix(resource, SLICE_LITERAL("limits.hugepages-"));
}

#define SIZES_TEXT                                                                                 \
        "only divisor's values 1, 1k, 1M, 1G, 1T, 1P, 1E, 1Ki, 1Mi, 1Gi, 1Ti, 1Pi, 1Ei are "       \
        "supported with the "

static void check_divisor(struct checker *checker, const struct at *at, struct slice resource,
                          struct slice divisor) {
        static const char *const shares[] = { "1m", "1", NULL };
        static const char *const sizes[] = { "1",   "1k",  "1M",  "1G",  "1T",  "1P",  "1E",
                                             "1Ki", "1Mi", "1Gi", "1Ti", "1Pi", "1Ei", NULL };
        static const struct {
                const char *suffix, *text;
                const char *const *divisors;
        } kinds[] = {
                { ".cpu", "only divisor's values 1m and 1 are supported with the cpu resource",
                  shares },
                { ".memory", SIZES_TEXT "memory resource", sizes },
                { ".ephemeral-storage", SIZES_TEXT "local ephemeral storage resource", sizes },
        };
        const char *text = NULL;

        if (quantity_sign(divisor) == 0)
                return;
        for (size_t i = 0; is_listed(resource, container_resources) && i < ARRAY_LEN(kinds); i++)
                if (slice_has_suffix(resource, slice_of(kinds[i].suffix)) &&
                    !is_listed(divisor, kinds[i].divisors))
                        text = kinds[i].text;
        if (is_huge_page_field(resource) && !is_listed(divisor, sizes))
                text = SIZES_TEXT "hugepages resource";
        if (text)
                report_text(checker, at, "divisor", resource, text);
}

void check_resource_reference(struct checker *checker, const struct at *at,
                              const struct json_node *reference, bool needs_container) {
        struct slice resource = node_get_text(reference, "resource");

        if ((!needs_container || check_required(checker, at, reference, "containerName")) &&
            check_required(checker, at, reference, "resource") &&
            !is_listed(resource, container_resources) && !is_huge_page_field(resource))
                report_choice(checker, at, "resource", quoted_json(checker, resource),
                              container_resources);
        check_divisor(checker, at, resource, node_get_text(reference, "divisor"));
}

/* ---- variables ---- */

static bool is_env_name(struct slice name) {
        for (size_t i = 0; i < name.len; i++)
                if (name.ptr[i] < 0x20 || name.ptr[i] > 0x7e || name.ptr[i] == '=')
                        return false;
        return true;
}

OWN_RULE(rule_env_name) {
        (void)rule;
        if (!is_env_name(node_get_slice(value)))
                report_text(checker, at, NULL, node_get_slice(value),
                            "a valid environment variable name must consist only of printable "
                            "ASCII characters other than '='");
}

OWN_RULE(rule_config_key) {
        (void)rule;
        if (config_key_problems(node_get_slice(value)))
                report_text(checker, at, NULL, node_get_slice(value),
                            config_key_problems(node_get_slice(value)));
}

static const struct rule key_rules[] = {
        { "name", rule_form, RULE_ALWAYS, .low = FORM_SUBDOMAIN },
        { "key", rule_config_key, RULE_REQUIRED },
        RULES_END,
};
static const struct rule file_key_rules[] = {
        { "key", rule_env_name, RULE_REQUIRED },
        { "volumeName", rule_form, RULE_REQUIRED, .low = FORM_LABEL },
        { "path", rule_no_backsteps, RULE_REQUIRED },
        RULES_END,
};

#define ENV_SOURCES_TEXT                                                                           \
        "must specify one of: `fieldRef`, `resourceFieldRef`, `configMapKeyRef`, `secretKeyRef` "  \
        "or `fileKeyRef`"

OWN_RULE(rule_env_field) {
        (void)rule;
        check_field_reference(checker, at, value, env_fields);
}

OWN_RULE(rule_env_resource) {
        (void)rule;
        check_resource_reference(checker, at, value, false);
}

static const struct rule env_source_rules[] = {
        { "fieldRef", rule_env_field },
        { "resourceFieldRef", rule_env_resource },
        { "configMapKeyRef", rule_object, .data = key_rules },
        { "secretKeyRef", rule_object, .data = key_rules },
        { "fileKeyRef", rule_object, .data = file_key_rules },
        RULES_END,
};

static void check_env_source(struct checker *checker, const struct at *at,
                             const struct json_node *variable) {
        const struct json_node *source = node_get(variable, "valueFrom");
        struct at place = at_member(at, "valueFrom");
        size_t count = 0;

        if (!source)
                return;
        check_rules(checker, &place, source, env_source_rules);
        for (const struct rule *rule = env_source_rules; rule->check; rule++)
                count += !!node_get(source, rule->member);
        if (count == 0)
                report_text(checker, &place, NULL, SLICE_EMPTY, ENV_SOURCES_TEXT);
        else if (node_get_text(variable, "value").len)
                report_text(checker, &place, NULL, SLICE_EMPTY,
                            "may not be specified when `value` is not empty");
        else if (count > 1)
                report_text(checker, &place, NULL, SLICE_EMPTY,
                            "may not have more than one field specified at a time");
}

void check_env(struct checker *checker, const struct at *at, const struct json_node *variables) {
        static const struct rule rules[] = {
                { "name", rule_env_name, RULE_REQUIRED },
                RULES_END,
        };

        for (size_t i = 0; i < node_count(variables); i++) {
                struct at place = at_index(at, i);

                check_rules(checker, &place, node_at(variables, i), rules);
                check_env_source(checker, &place, node_at(variables, i));
        }
}

/* A name that something may be appended to. */
OWN_RULE(rule_name_prefix) {
        const char *problem = name_problem(NAME_SUBDOMAIN, node_get_slice(value), true);

        (void)rule;
        if (problem)
                report_text(checker, at, NULL, node_get_slice(value), problem);
}

void check_env_from(struct checker *checker, const struct at *at, const struct json_node *sources) {
        static const struct rule source_rules[] = {
                { "name", rule_name_prefix, RULE_REQUIRED },
                RULES_END,
        };
        static const struct rule rules[] = {
                { "prefix", rule_env_name },
                { "configMapRef", rule_object, .data = source_rules },
                { "secretRef", rule_object, .data = source_rules },
                RULES_END,
        };

        for (size_t i = 0; i < node_count(sources); i++) {
                const struct json_node *source = node_at(sources, i);
                size_t count = !!node_get(source, "configMapRef") + !!node_get(source, "secretRef");
                struct at place = at_index(at, i);

                check_rules(checker, &place, source, rules);
                if (count == 0)
                        report_text(checker, at, NULL, SLICE_EMPTY,
                                    "must specify one of: `configMapRef` or `secretRef`");
                else if (count > 1)
                        report_text(checker, at, NULL, SLICE_EMPTY,
                                    "may not have more than one field specified at a time");
        }
}

/* ---- files ---- */

void check_downward_file(struct checker *checker, const struct at *at,
                         const struct json_node *file) {
        static const struct rule path_rules[] = {
                { "path", rule_path_unreserved, RULE_REQUIRED },
                RULES_END,
        };
        static const struct rule mode_rules[] = { { "mode", rule_mode }, RULES_END };
        struct at field = at_member(at, "fieldRef"), resource = at_member(at, "resourceFieldRef");

        check_rules(checker, at, file, path_rules);
        if (node_get(file, "fieldRef")) {
                check_field_reference(checker, &field, node_get(file, "fieldRef"), file_fields);
                if (node_get(file, "resourceFieldRef"))
                        report(checker, FIELD_INVALID, at, NULL, "\"resource\"",
                               "fieldRef and resourceFieldRef can not be specified "
                               "simultaneously");
        } else if (node_get(file, "resourceFieldRef")) {
                check_resource_reference(checker, &resource, node_get(file, "resourceFieldRef"),
                                         true);
        } else {
                report(checker, FIELD_REQUIRED, at, NULL, NULL,
                       "one of fieldRef and resourceFieldRef is required");
        }
        check_rules(checker, at, file, mode_rules);
}

/* Files of all sources of one volume must have different paths. */
struct projection {
        struct checker *checker;
        const struct at *at; /* of the volume's source */
        struct text_set paths;
};

static void take_path(struct projection *projection, struct slice path, struct slice shown) {
        if (path.len && !text_set_add(&projection->paths, path))
                report_text(projection->checker, projection->at, NULL, shown,
                            "conflicting duplicate paths");
}

static void check_projected_object(struct projection *projection, const struct at *at,
                                   const struct json_node *source) {
        const struct json_node *items = node_get(source, "items");
        struct at list = at_member(at, "items");

        check_required(projection->checker, at, source, "name");
        for (size_t i = 0; i < node_count(items); i++) {
                struct at place = at_index(&list, i);

                rule_key_path(projection->checker, &place, node_at(items, i), NULL);
                take_path(projection, node_get_text(node_at(items, i), "path"),
                          node_get_text(source, "name"));
        }
}

static void check_projected_pod(struct projection *projection, const struct at *at,
                                const struct json_node *source) {
        const struct json_node *items = node_get(source, "items");

        for (size_t i = 0; i < node_count(items); i++) {
                struct slice path = node_get_text(node_at(items, i), "path");

                check_downward_file(projection->checker, at, node_at(items, i));
                take_path(projection, path, path);
        }
}

static void check_projected_token(struct projection *projection, const struct at *at,
                                  const struct json_node *source) {
        static const struct rule rules[] = {
                { "path", rule_path_unreserved, RULE_REQUIRED },
                RULES_END,
        };
        int64_t seconds = node_get_i64(source, "expirationSeconds", 0);

        if (seconds < 600)
                report_number(projection->checker, at, "expirationSeconds", seconds,
                              "may not specify a duration less than 10 minutes");
        if (seconds > (int64_t)1 << 32)
                report_number(projection->checker, at, "expirationSeconds", seconds,
                              "may not specify a duration larger than 2^32 seconds");
        check_rules(projection->checker, projection->at, source, rules);
}

void check_projected(struct volume_check *check, const struct at *at,
                     const struct json_node *source) {
        static const struct {
                const char *member;
                void (*check)(struct projection *projection, const struct at *at,
                              const struct json_node *source);
        } kinds[] = {
                { "secret", check_projected_object },
                { "configMap", check_projected_object },
                { "downwardAPI", check_projected_pod },
                { "serviceAccountToken", check_projected_token },
        };
        struct projection projection = { .checker = check->checker, .at = at };
        const struct json_node *sources = node_get(source, "sources");
        struct at list = at_member(at, "sources");

        for (size_t i = 0; i < node_count(sources); i++) {
                struct at element = at_index(&list, i);
                size_t count = 0;

                for (size_t j = 0; j < ARRAY_LEN(kinds); j++) {
                        const struct json_node *part =
                                node_get(node_at(sources, i), kinds[j].member);
                        struct at place = at_member(&element, kinds[j].member);

                        if (!part)
                                continue;
                        kinds[j].check(&projection, &place, part);
                        count++;
                }
                if (count > 1)
                        report(check->checker, FIELD_FORBIDDEN, &element, NULL, NULL,
                               "may not specify more than 1 volume type per source");
        }
        text_set_release(&projection.paths);
}
