/* Validation of CustomResourceDefinitions. What all versions have alike counts as the definition's
 * own, as it does upstream: complaints about it are of spec.validation, not of a version. */
#include "api/dns_name.h"
#include "base/arena.h"
#include "base/util.h"
#include "kinds/crd_check.h"
#include "kinds/rules.h"
#include "kinds/warn.h"
#include "schema/custom_structure.h"
#include "schema/schema.h"
#include <stdio.h>

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
                        check_crd_version_name(checker, &item, NULL, name);
                is_accepted |= is_crd_word(name, "v1,v1beta1");
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

/* Shown as a plain text, unlike other choices. */
static void check_scope(struct checker *checker, const struct at *at, struct slice scope) {
        static const char *const scopes[] = { "Cluster", "Namespaced", NULL };

        if (!slice_is(scope, scopes[0]) && !slice_is(scope, scopes[1]))
                report_choice(checker, at, "scope", quoted(checker, scope), scopes);
}

VALIDATE_HOOK(custom_resource_definition_validate) {
        struct checker checker = { errors, context };
        struct at at = at_root("spec");
        const struct json_node *spec = node_get(object, "spec");
        const struct json_node *versions = node_get(spec, "versions");
        const struct json_node *conversion = node_get(spec, "conversion");
        bool preserves = node_is_true(node_get(spec, "preserveUnknownFields"));
        struct crd_parts common = crd_common_parts(versions);

        common.old = json_get(json_get(old, "spec"), "versions");
        if (operation == KIND_UPDATE_STATUS)
                return;
        check_group(&checker, &at, spec);
        if (check_required(&checker, &at, spec, "scope"))
                check_scope(&checker, &at, node_get_text(spec, "scope"));
        check_crd_schemas(&checker, &at, versions, &common);
        if (preserves && has_defaults(versions))
                report(&checker, FIELD_INVALID, &at, "preserveUnknownFields", "true",
                       "must be false in order to use defaults in the schema");
        check_crd_versions(&checker, &at, versions, &common);
        check_names(&checker, &at, node_get(spec, "names"));
        check_crd_common(&checker, &at, node_at(versions, 0), &common);
        if (preserves && !slice_is(node_get_text(conversion, "strategy"), "None")) {
                struct at place = at_member(&at, "conversion");

                report_text(&checker, &place, "strategy", node_get_text(conversion, "strategy"),
                            "must be None if spec.preserveUnknownFields is true");
        }
        check_conversion(&checker, &at, conversion);
        if (old)
                check_unchanged(&checker, &at, spec, old);
        else
                check_crd_stored(&checker, versions);
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
                struct json_doc *doc =
                        crd_schema(version) ? json_doc_of(crd_schema(version)) : NULL;

                if (doc)
                        custom_formats(json_doc_root(doc), emit, context);
                json_doc_free(doc);
        }
}

/* Names that follow from the kind. */
void custom_resource_definition_defaults(struct json_tree *tree, struct json_node *object) {
        struct json_node *names =
                node_need_object(tree, node_need_object(tree, object, "spec"), "names");
        struct slice kind = node_get_text(names, "kind");
        CLEANUP(buf_release) struct buf text = { 0 };

        if (!node_get(node_get(object, "spec"), "conversion"))
                node_put_string(tree,
                                node_need_object(tree, node_get(object, "spec"), "conversion"),
                                "strategy", "None");
        if (!names || kind.len == 0)
                return;
        for (size_t i = 0; i < kind.len; i++)
                buf_char(&text, kind.ptr[i] >= 'A' && kind.ptr[i] <= 'Z' ? kind.ptr[i] + 'a' - 'A'
                                                                         : kind.ptr[i]);
        default_text(tree, names, "singular", text.data);
        buf_clear(&text);
        buf_printf(&text, SLICE_FMT "List", SLICE_ARG(kind));
        default_text(tree, names, "listKind", text.data);
}
