/* Validation of CustomResourceDefinitions. What all versions have alike counts as the definition's
 * own, as it does upstream: complaints about it are of spec.validation, not of a version. */
#include "api/dns_name.h"
#include "base/arena.h"
#include "base/util.h"
#include "kinds/rules.h"
#include "kinds/warn.h"
#include "schema/custom_rules.h"
#include "schema/custom_structure.h"
#include <stdio.h>

#define SELECTABLE_MAX 8

/* ---- names ---- */

static void check_dns_1035(struct checker *checker, const struct at *at, const char *member,
                           struct slice name) {
        const char *problems = dns_1035_label_problems(name);

        if (name.len && problems)
                report_text(checker, at, member, name, problems);
}

static void check_group(struct checker *checker, const struct at *spec_at,
                        const struct json_node *spec) {
        struct slice group = node_get_text(spec, "group");

        if (!check_required(checker, spec_at, spec, "group"))
                return;
        if (check_name(checker, spec_at, spec, "group", NAME_SUBDOMAIN) &&
            !slice_contains(group, SLICE_LITERAL(".")))
                report_text(checker, spec_at, "group", group,
                            "should be a domain with at least one dot");
}

static void check_mixed_case(struct checker *checker, const struct at *at,
                             const struct json_node *names, const char *member) {
        struct slice name = node_get_text(names, member);
        char *lower = arena_string(checker->errors->arena, name);

        for (char *c = lower; *c; c++)
                if (*c >= 'A' && *c <= 'Z')
                        *c = (char)(*c - 'A' + 'a');
        const char *problems = dns_1035_label_problems(slice_of(lower));
        if (name.len && problems)
                report_text(checker, at, member, name,
                            message_of(checker,
                                       "may have mixed case, but should otherwise match: %s",
                                       problems));
}

static void check_name_list(struct checker *checker, const struct at *at,
                            const struct json_node *names, const char *member) {
        struct node_iter iter = node_iter(node_get(names, member));
        struct at list = at_member(at, member);
        struct json_node *name;

        for (size_t i = 0; node_next(&iter, NULL, &name); i++) {
                struct at item = at_index(&list, i);
                const char *problems = dns_1035_label_problems(node_get_slice(name));

                if (problems)
                        report_text(checker, &item, NULL, node_get_slice(name), problems);
        }
}

static void check_names(struct checker *checker, const struct at *spec_at,
                        const struct json_node *names) {
        static const char *const required[] = { "plural", "singular", "kind", "listKind" };
        struct at at = at_member(spec_at, "names");
        struct slice kind = node_get_text(names, "kind");

        for (size_t i = 0; i < ARRAY_LEN(required); i++)
                check_required(checker, &at, names, required[i]);
        check_dns_1035(checker, &at, "plural", node_get_text(names, "plural"));
        check_dns_1035(checker, &at, "singular", node_get_text(names, "singular"));
        check_mixed_case(checker, &at, names, "kind");
        check_mixed_case(checker, &at, names, "listKind");
        check_name_list(checker, &at, names, "shortNames");
        if (kind.len && slice_eq(kind, node_get_text(names, "listKind")))
                report_text(checker, &at, "listKind", kind,
                            "kind and listKind may not be the same");
        check_name_list(checker, &at, names, "categories");
}

/* ---- schemas ---- */

static const struct json_node *schema_of(const struct json_node *version) {
        return node_get(node_get(version, "schema"), "openAPIV3Schema");
}

static void check_schema(struct checker *checker, const struct at *at,
                         const struct json_node *root) {
        struct at schema_at = at_member(at, "openAPIV3Schema");
        const char *path = at_text(checker, &schema_at);
        struct buf text = { 0 };
        struct json_doc *doc = NULL;

        if (!root)
                return;
        node_write(root, &text);
        if (json_parse(buf_view(&text), &doc, NULL) == 0) {
                const struct json *schema = json_doc_root(doc);

                if (json_is_true(json_get(schema, "nullable")))
                        report(checker, FIELD_FORBIDDEN, &schema_at, "nullable", NULL,
                               "nullable cannot be true at the root");
                bool is_structural = custom_structure_check(schema, path, checker->errors);
                custom_schema_check(schema, path, checker->errors);
                if (is_structural)
                        custom_rules_check(schema, path, checker->errors);
        }
        json_doc_free(doc);
        buf_release(&text);
}

/* ---- subresources, columns, selectable fields ---- */

static void check_json_path(struct checker *checker, const struct at *at, const char *member,
                            struct slice path, const char *const *prefixes) {
        bool is_below = !prefixes;

        if (path.len && path.ptr[0] != '.') {
                report_text(checker, at, member, path,
                            "must be a simple json path starting with .");
                return;
        }
        for (size_t i = 0; prefixes && prefixes[i]; i++)
                is_below |= slice_has_prefix(path, slice_of(prefixes[i]));
        if (is_below)
                return;
        report_text(checker, at, member, path,
                    prefixes[1] ? "should be a json path under either .spec or .status"
                                : message_of(checker, "should be a json path under %.*s",
                                             (int)strlen(prefixes[0]) - 1, prefixes[0]));
}

static void check_subresources(struct checker *checker, const struct at *up,
                               const struct json_node *subresources) {
        static const struct {
                const char *member, *prefixes[3];
        } paths[] = { { "specReplicasPath", { ".spec." } },
                      { "statusReplicasPath", { ".status." } },
                      { "labelSelectorPath", { ".spec.", ".status." } } };
        const struct json_node *scale = node_get(subresources, "scale");
        struct at subresources_at = at_member(up, "subresources"),
                  at = at_member(&subresources_at, "scale");

        for (size_t i = 0; scale && i < ARRAY_LEN(paths); i++) {
                struct slice path = node_get_text(scale, paths[i].member);

                if (path.len)
                        check_json_path(checker, &at, paths[i].member, path, paths[i].prefixes);
                else if (i < 2)
                        report(checker, FIELD_REQUIRED, &at, paths[i].member, NULL, NULL);
        }
}

static bool is_one_of(struct slice text, const char *list) {
        struct slice rest = slice_of(list), name;

        while (slice_split(&rest, ',', &name))
                if (slice_eq(name, text))
                        return true;
        return false;
}

static void check_column(struct checker *checker, const struct at *at,
                         const struct json_node *column) {
        static const char types[] = "boolean,date,integer,number,string";
        static const char formats[] = "byte,date,date-time,double,float,int32,int64,password";
        struct slice type = node_get_text(column, "type"), format = node_get_text(column, "format");
        struct slice path = node_get_text(column, "jsonPath");

        check_required(checker, at, column, "name");
        if (type.len == 0)
                report(checker, FIELD_REQUIRED, at, "type", NULL,
                       message_of(checker, "must be one of %s", types));
        else if (!is_one_of(type, types))
                report_text(checker, at, "type", type,
                            message_of(checker, "must be one of %s", types));
        if (format.len && !is_one_of(format, formats))
                report_text(checker, at, "format", format,
                            message_of(checker, "must be one of %s", formats));
        if (path.len == 0)
                report(checker, FIELD_REQUIRED, at, "JSONPath", NULL, NULL);
        else
                check_json_path(checker, at, "JSONPath", path, NULL);
}

static void check_columns(struct checker *checker, const struct at *up,
                          const struct json_node *columns) {
        struct at list = at_member(up, "additionalPrinterColumns");
        struct node_iter iter = node_iter(columns);
        struct json_node *column;

        for (size_t i = 0; node_next(&iter, NULL, &column); i++) {
                struct at at = at_index(&list, i);

                check_column(checker, &at, column);
        }
}

/* The schema that .spec.a.b leads to; NULL when there is none. */
static const struct json_node *schema_at(const struct json_node *schema, struct slice path) {
        struct slice name;

        if (path.len < 2 || path.ptr[0] != '.')
                return NULL;
        path = slice_make(path.ptr + 1, path.len - 1);
        while (schema && slice_split(&path, '.', &name))
                schema = node_find(node_get(schema, "properties"), name);
        return schema;
}

static void check_selectable(struct checker *checker, const struct at *up,
                             const struct json_node *fields, const struct json_node *schema) {
        static const char types[] = "string,boolean,integer";
        struct at list = at_member(up, "selectableFields");
        CLEANUP(text_set_release) struct text_set seen = { 0 };
        struct node_iter iter = node_iter(fields);
        struct json_node *field;

        for (size_t i = 0; node_next(&iter, NULL, &field); i++) {
                struct at at = at_index(&list, i);
                struct slice path = node_get_text(field, "jsonPath");
                const struct json_node *found = schema_at(schema, path);

                if (path.len == 0)
                        report(checker, FIELD_REQUIRED, &at, "jsonPath", NULL, NULL);
                else if (!found)
                        report_text(checker, &at, "jsonPath", path,
                                    "is an invalid path: does not refer to a valid field");
                if (path.len == 0 || !found)
                        continue;
                if (slice_has_prefix(path, SLICE_LITERAL(".metadata")))
                        report_text(checker, &at, "jsonPath", path,
                                    "must not point to fields in metadata");
                if (!is_one_of(node_get_text(found, "type"), types))
                        report_text(checker, &at, "jsonPath", path,
                                    "must point to a field of type string, boolean or integer. "
                                    "Enum string fields and strings with formats are allowed.");
                if (!text_set_add(&seen, path))
                        report(checker, FIELD_DUPLICATE, &at, "jsonPath", quoted(checker, path),
                               NULL);
        }
        if (node_count(fields) > SELECTABLE_MAX)
                report(checker, FIELD_TOO_MANY, &list, NULL,
                       message_of(checker, "%zu", node_count(fields)),
                       message_of(checker, "must have at most %d items", SELECTABLE_MAX));
}

/* ---- versions ---- */

/* Which parts all versions have alike. */
struct common_parts {
        bool schema, subresources, columns, selectable;
};

static bool is_alike(const struct json_node *versions, const char *member) {
        const struct json_node *first = node_get(node_at(versions, 0), member);
        struct node_iter iter = node_iter(versions);
        struct json_node *version;

        while (node_next(&iter, NULL, &version)) {
                const struct json_node *value = node_get(version, member);

                if (value && first ? !node_equal(value, first) : value || first)
                        return false;
        }
        return true;
}

static void check_version_name(struct checker *checker, const struct at *at, const char *member,
                               struct slice name) {
        const char *problems = dns_1035_label_problems(name);

        if (problems)
                report_text(checker, at, member, name, problems);
}

static void check_version(struct checker *checker, const struct at *at,
                          const struct json_node *version, const struct common_parts *common) {
        const struct json_node *warning = node_get(version, "deprecationWarning");
        struct at schema = at_member(at, "schema");

        check_version_name(checker, at, "name", node_get_text(version, "name"));
        if (warning && !node_is_true(node_get(version, "deprecated")))
                report_text(checker, at, "deprecationWarning", node_get_slice(warning),
                            "can only be set for deprecated versions");
        else if (node_get_slice(warning).len > 256)
                report_text(checker, at, "deprecationWarning", node_get_slice(warning),
                            "must be <= 256 characters long");
        if (!common->schema)
                check_schema(checker, &schema, schema_of(version));
        if (!common->subresources)
                check_subresources(checker, at, node_get(version, "subresources"));
        if (!common->columns)
                check_columns(checker, at, node_get(version, "additionalPrinterColumns"));
        if (!common->selectable)
                check_selectable(checker, at, node_get(version, "selectableFields"),
                                 schema_of(version));
}

/* Versions as upstream's own types print them, without what all have alike. */
static const char *versions_text(struct checker *checker, const struct json_node *versions) {
        struct node_iter iter = node_iter(versions);
        struct json_node *version;
        struct buf text = { 0 };

        if (node_count(versions) == 0)
                return "null";
        buf_char(&text, '[');
        while (node_next(&iter, NULL, &version)) {
                const struct json_node *warning = node_get(version, "deprecationWarning");

                buf_text(&text, iter.index > 1 ? ",{\"Name\":" : "{\"Name\":");
                buf_json_string(&text, node_get_text(version, "name"));
                buf_printf(&text, ",\"Served\":%s,\"Storage\":%s,\"Deprecated\":%s,",
                           node_is_true(node_get(version, "served")) ? "true" : "false",
                           node_is_true(node_get(version, "storage")) ? "true" : "false",
                           node_is_true(node_get(version, "deprecated")) ? "true" : "false");
                buf_text(&text, "\"DeprecationWarning\":");
                if (warning)
                        node_write(warning, &text);
                else
                        buf_text(&text, "null");
                buf_text(&text, ",\"Schema\":null,\"Subresources\":null,"
                                "\"AdditionalPrinterColumns\":null,\"SelectableFields\":null}");
        }
        buf_char(&text, ']');
        const char *copy = arena_string(checker->errors->arena, buf_view(&text));
        buf_release(&text);
        return copy;
}

static void check_crd_versions(struct checker *checker, const struct at *spec_at,
                               const struct json_node *versions,
                               const struct common_parts *common) {
        struct at list = at_member(spec_at, "versions");
        CLEANUP(text_set_release) struct text_set names = { 0 };
        struct node_iter iter = node_iter(versions);
        struct json_node *version;
        size_t stored = 0;
        bool is_unique = true;

        for (size_t i = 0; node_next(&iter, NULL, &version); i++) {
                struct at at = at_index(&list, i);

                check_version(checker, &at, version, common);
                is_unique &= text_set_add(&names, node_get_text(version, "name"));
                stored += node_is_true(node_get(version, "storage"));
        }
        if (!is_unique)
                report(checker, FIELD_INVALID, &list, NULL, versions_text(checker, versions),
                       "must contain unique version names");
        if (stored != 1)
                report(checker, FIELD_INVALID, &list, NULL, versions_text(checker, versions),
                       "must have exactly one version marked as storage version");
        if (node_count(versions) && node_get_text(node_at(versions, 0), "name").len)
                check_version_name(checker, spec_at, "version",
                                   node_get_text(node_at(versions, 0), "name"));
}

/* What the strategy will note as stored is the first storage version. */
static void check_stored_versions(struct checker *checker, const struct json_node *versions) {
        struct at status = at_root("status");
        struct node_iter iter = node_iter(versions);
        struct json_node *version;
        struct slice first = SLICE_EMPTY;

        while (node_next(&iter, NULL, &version)) {
                struct slice name = node_get_text(version, "name");

                if (!node_is_true(node_get(version, "storage")))
                        continue;
                if (first.len && !slice_eq(name, first))
                        report(checker, FIELD_INVALID, &status, "storedVersions",
                               message_of(checker, "[%s]", quoted(checker, first)),
                               message_of(checker, "must have the storage version " SLICE_FMT,
                                          SLICE_ARG(name)));
                if (first.len == 0)
                        first = name;
        }
        if (first.len == 0)
                report(checker, FIELD_INVALID, &status, "storedVersions", "null",
                       "must have at least one stored version");
}

static void check_needed_schemas(struct checker *checker, const struct at *spec_at,
                                 const struct json_node *versions,
                                 const struct common_parts *common) {
        struct at list = at_member(spec_at, "versions");
        struct node_iter iter = node_iter(versions);
        struct json_node *version;

        for (size_t i = 0; node_next(&iter, NULL, &version); i++) {
                struct at at = at_index(&list, i), schema = at_member(&at, "schema");

                if (!schema_of(version))
                        report(checker, FIELD_REQUIRED, &schema, "openAPIV3Schema", NULL, NULL);
                else if (common->schema)
                        return;
        }
}

/* ---- conversion ---- */

static void check_review_versions(struct checker *checker, const struct at *at,
                                  const struct json_node *versions) {
        struct at list = at_member(at, "conversionReviewVersions");
        CLEANUP(text_set_release) struct text_set seen = { 0 };
        struct node_iter iter = node_iter(versions);
        struct json_node *version;
        bool is_accepted = false;

        if (node_count(versions) == 0) {
                report(checker, FIELD_REQUIRED, &list, NULL, NULL, NULL);
                return;
        }
        for (size_t i = 0; node_next(&iter, NULL, &version); i++) {
                struct at item = at_index(&list, i);
                struct slice name = node_get_slice(version);

                if (!text_set_add(&seen, name))
                        report_text(checker, &item, NULL, name, "duplicate version");
                else
                        check_version_name(checker, &item, NULL, name);
                is_accepted |= is_one_of(name, "v1,v1beta1");
        }
        if (!is_accepted)
                report(checker, FIELD_INVALID, &list, NULL, node_json(checker, versions),
                       "must include at least one of v1, v1beta1");
}

static void check_conversion(struct checker *checker, const struct at *spec_at,
                             const struct json_node *conversion) {
        static const char *const strategies[] = { "None", "Webhook", NULL };
        struct at at = at_member(spec_at, "conversion");
        struct at place = at_member(&at, "webhookClientConfig");
        const struct json_node *webhook = node_get(conversion, "webhook");
        const struct json_node *client = node_get(webhook, "clientConfig");
        const struct json_node *versions = node_get(webhook, "conversionReviewVersions");

        if (check_required(checker, &at, conversion, "strategy"))
                check_choice(checker, &at, conversion, "strategy", strategies);
        if (!slice_is(node_get_text(conversion, "strategy"), "Webhook")) {
                if (client)
                        report(checker, FIELD_FORBIDDEN, &at, "webhookClientConfig", NULL,
                               "should not be set when strategy is not set to Webhook");
                if (node_count(versions))
                        report(checker, FIELD_FORBIDDEN, &at, "conversionReviewVersions", NULL,
                               "should not be set when strategy is not set to Webhook");
                return;
        }
        if (!client)
                report(checker, FIELD_REQUIRED, &at, "webhookClientConfig", NULL,
                       "required when strategy is set to Webhook");
        else
                check_webhook_client(checker, &place, client);
        check_review_versions(checker, &at, versions);
}

/* ---- the definition ---- */

const char *custom_resource_definition_name(struct arena *arena, const struct json_node *object,
                                            struct slice name) {
        const struct json_node *spec = node_get(object, "spec");
        const char *wanted =
                arena_printf(arena, SLICE_FMT "." SLICE_FMT,
                             SLICE_ARG(node_get_text(node_get(spec, "names"), "plural")),
                             SLICE_ARG(node_get_text(spec, "group")));

        return slice_is(name, wanted) ? NULL : "must be spec.names.plural+\".\"+spec.group";
}

static bool is_established(const struct json *old) {
        struct json_iter iter = json_iter(json_get(json_get(old, "status"), "conditions"));
        const struct json *condition;

        while (json_next(&iter, NULL, &condition))
                if (slice_is(json_get_text(condition, "type"), "Established"))
                        return slice_is(json_get_text(condition, "status"), "True");
        return false;
}

static void check_unchanged(struct checker *checker, const struct at *spec_at,
                            const struct json_node *spec, const struct json *old) {
        struct at names = at_member(spec_at, "names");
        const struct json *old_spec = json_get(old, "spec");

        if (is_established(old)) {
                check_immutable(checker, spec_at, spec, old_spec, "scope");
                check_immutable(checker, &names, node_get(spec, "names"),
                                json_get(old_spec, "names"), "kind");
        }
        check_immutable(checker, spec_at, spec, old_spec, "group");
        check_immutable(checker, &names, node_get(spec, "names"), json_get(old_spec, "names"),
                        "plural");
}

/* Groups of Kubernetes itself take an approval. */
static void check_approval(struct checker *checker, const struct json_node *object,
                           const struct json_node *spec) {
        static const char *const suffixes[] = { "k8s.io", "kubernetes.io" };
        static const char annotation[] = "api-approved.kubernetes.io";
        struct slice group = node_get_text(spec, "group");
        struct at metadata = at_root("metadata"), annotations = at_member(&metadata, "annotations"),
                  at = at_key(&annotations, SLICE_LITERAL("api-approved.kubernetes.io"));
        bool is_protected = false;

        for (size_t i = 0; i < ARRAY_LEN(suffixes); i++) {
                size_t length = strlen(suffixes[i]);

                if (slice_is(group, suffixes[i]) ||
                    (group.len > length && group.ptr[group.len - length - 1] == '.' &&
                     slice_is(slice_make(group.ptr + group.len - length, length), suffixes[i])))
                        is_protected = true;
        }
        if (is_protected &&
            node_get_text(node_get(node_get(object, "metadata"), "annotations"), annotation).len ==
                    0)
                report(checker, FIELD_REQUIRED, &at, NULL, NULL,
                       "protected groups must have approval annotation "
                       "\"api-approved.kubernetes.io\", see "
                       "https://github.com/kubernetes/enhancements/pull/1111");
}

static bool has_defaults(const struct json_node *schema) {
        struct node_iter iter = node_iter(schema);
        struct json_node *inner;
        struct slice name;

        while (node_next(&iter, &name, &inner))
                if (slice_is(name, "default") || has_defaults(inner))
                        return true;
        return false;
}

static void check_common(struct checker *checker, const struct at *at,
                         const struct json_node *version, const struct common_parts *common) {
        const struct json_node *selectable = node_get(version, "selectableFields");
        struct at validation = at_member(at, "validation");

        if (common->schema)
                check_schema(checker, &validation, schema_of(version));
        if (common->subresources)
                check_subresources(checker, at, node_get(version, "subresources"));
        if (common->columns)
                check_columns(checker, at, node_get(version, "additionalPrinterColumns"));
        if (!common->selectable || node_count(selectable) == 0)
                return;
        if (common->schema && node_get(version, "schema"))
                check_selectable(checker, at, selectable, schema_of(version));
        else
                report(checker, FIELD_INVALID, at, "selectableFields", "\"\"",
                       "may only be set when validations.schema is included");
}

VALIDATE_HOOK(custom_resource_definition_validate) {
        static const char *const scopes[] = { "Cluster", "Namespaced", NULL };
        struct checker checker = { errors, context };
        struct at at = at_root("spec");
        const struct json_node *spec = node_get(object, "spec");
        const struct json_node *versions = node_get(spec, "versions");
        bool preserves = node_is_true(node_get(spec, "preserveUnknownFields"));
        struct common_parts common = { is_alike(versions, "schema"),
                                       is_alike(versions, "subresources"),
                                       is_alike(versions, "additionalPrinterColumns"),
                                       is_alike(versions, "selectableFields") };

        if (operation == KIND_UPDATE_STATUS)
                return;
        check_group(&checker, &at, spec);
        if (check_required(&checker, &at, spec, "scope"))
                check_choice(&checker, &at, spec, "scope", scopes);
        check_needed_schemas(&checker, &at, versions, &common);
        if (preserves && has_defaults(versions))
                report(&checker, FIELD_INVALID, &at, "preserveUnknownFields", "true",
                       "must be false in order to use defaults in the schema");
        check_crd_versions(&checker, &at, versions, &common);
        check_names(&checker, &at, node_get(spec, "names"));
        check_common(&checker, &at, node_at(versions, 0), &common);
        check_conversion(&checker, &at, node_get(spec, "conversion"));
        if (old)
                check_unchanged(&checker, &at, spec, old);
        else
                check_stored_versions(&checker, versions);
        check_approval(&checker, object, spec);
        if (preserves)
                report(&checker, FIELD_INVALID, &at, "preserveUnknownFields", "true",
                       "cannot set to true, set x-kubernetes-preserve-unknown-fields to true in "
                       "spec.versions[*].schema instead");
}

WARN_HOOK(custom_resource_definition_warn) {
        struct node_iter iter = node_iter(node_get(node_get(object, "spec"), "versions"));
        struct json_node *version;

        while (operation != KIND_UPDATE_STATUS && node_next(&iter, NULL, &version)) {
                struct buf text = { 0 };
                struct json_doc *doc = NULL;

                if (schema_of(version) && node_write(schema_of(version), &text) &&
                    json_parse(buf_view(&text), &doc, NULL) == 0)
                        custom_formats(json_doc_root(doc), emit, context);
                json_doc_free(doc);
                buf_release(&text);
        }
}

/* Names that follow from the kind. */
void custom_resource_definition_defaults(struct json_tree *tree, struct json_node *object) {
        struct json_node *names =
                node_need_object(tree, node_need_object(tree, object, "spec"), "names");
        struct slice kind = node_get_text(names, "kind");
        char text[300];
        size_t used = 0;

        default_text(tree, node_need_object(tree, node_get(object, "spec"), "conversion"),
                     "strategy", "None");
        if (!names || kind.len == 0 || kind.len > sizeof(text) - sizeof("List"))
                return;
        for (; used < kind.len; used++)
                text[used] = (char)(kind.ptr[used] >= 'A' && kind.ptr[used] <= 'Z'
                                            ? kind.ptr[used] + 'a' - 'A'
                                            : kind.ptr[used]);
        text[used] = '\0';
        default_text(tree, names, "singular", text);
        snprintf(text, sizeof(text), SLICE_FMT "List", SLICE_ARG(kind));
        default_text(tree, names, "listKind", text);
}
