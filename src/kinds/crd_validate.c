/* Validation of CustomResourceDefinitions: what the server needs to serve them, and the mistakes
 * that are made most. */
#include "base/arena.h"
#include "base/util.h"
#include "kinds/check.h"
#include "schema/custom_rules.h"
#include <stdio.h>

static void check_label(struct checker *checker, const struct at *at,
                        const struct json_node *object, const char *member) {
        if (check_required(checker, at, object, member))
                check_name(checker, at, object, member, NAME_LABEL);
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

static void check_names(struct checker *checker, const struct at *spec_at,
                        const struct json_node *names) {
        struct at at = at_member(spec_at, "names");
        const struct json_node *short_names = node_get(names, "shortNames");

        check_label(checker, &at, names, "plural");
        check_name(checker, &at, names, "singular", NAME_LABEL);
        check_required(checker, &at, names, "kind");
        check_required(checker, &at, names, "listKind");
        for (size_t i = 0; i < node_count(short_names); i++) {
                struct at list = at_member(&at, "shortNames"), item = at_index(&list, i);
                struct slice name = node_get_slice(node_at(short_names, i));

                if (name_problem(NAME_LABEL, name, false))
                        report_text(checker, &item, NULL, name,
                                    name_problem(NAME_LABEL, name, false));
        }
}

/* ---- versions ---- */

static void check_rules(struct checker *checker, const struct at *at,
                        const struct json_node *root) {
        struct buf text = { 0 };
        struct json_doc *doc = NULL;

        node_write(root, &text);
        if (json_parse(buf_view(&text), &doc, NULL) == 0)
                custom_rules_check(json_doc_root(doc), at_text(checker, at), checker->errors);
        json_doc_free(doc);
        buf_release(&text);
}

static void check_schema(struct checker *checker, const struct at *version_at,
                         const struct json_node *version) {
        struct at schema = at_member(version_at, "schema"),
                  at = at_member(&schema, "openAPIV3Schema");
        const struct json_node *root = node_get(node_get(version, "schema"), "openAPIV3Schema");
        struct slice type = node_get_text(root, "type");

        if (!root)
                report(checker, FIELD_REQUIRED, &at, NULL, NULL, "schemas are required");
        else if (type.len == 0)
                report(checker, FIELD_REQUIRED, &at, "type", NULL, "must not be empty at the root");
        else if (!slice_is(type, "object"))
                report_text(checker, &at, "type", type, "must be object at the root");
        else
                check_rules(checker, &at, root);
}

static void check_crd_versions(struct checker *checker, const struct at *spec_at,
                               const struct json_node *versions) {
        struct at list = at_member(spec_at, "versions");
        CLEANUP(text_set_release) struct text_set names = { 0 };
        size_t stored = 0;

        for (size_t i = 0; i < node_count(versions); i++) {
                const struct json_node *version = node_at(versions, i);
                struct at at = at_index(&list, i);

                check_label(checker, &at, version, "name");
                if (!text_set_add(&names, node_get_text(version, "name")))
                        report(checker, FIELD_DUPLICATE, &at, "name",
                               quoted(checker, node_get_text(version, "name")), NULL);
                check_schema(checker, &at, version);
                stored += node_is_true(node_get(version, "storage"));
        }
        if (stored != 1)
                report(checker, FIELD_INVALID, &list, NULL, node_json(checker, versions),
                       "must have exactly one version marked as storage version");
}

/* ---- the definition ---- */

static void check_own_name(struct checker *checker, const struct json_node *object,
                           const struct json_node *spec) {
        struct at metadata = at_root("metadata");
        struct slice name = node_get_text(node_get(object, "metadata"), "name");
        const char *wanted = message_of(checker, SLICE_FMT "." SLICE_FMT,
                                        SLICE_ARG(node_get_text(node_get(spec, "names"), "plural")),
                                        SLICE_ARG(node_get_text(spec, "group")));

        if (!slice_is(name, wanted))
                report_text(checker, &metadata, "name", name,
                            "must be spec.names.plural+\".\"+spec.group");
}

static void check_unchanged(struct checker *checker, const struct at *spec_at,
                            const struct json_node *spec, const struct json *old) {
        check_immutable(checker, spec_at, spec, old, "group");
        check_immutable(checker, spec_at, spec, old, "scope");
}

VALIDATE_HOOK(custom_resource_definition_validate) {
        static const char *const scopes[] = { "Cluster", "Namespaced", NULL };
        struct checker checker = { errors, context };
        struct at at = at_root("spec");
        const struct json_node *spec = node_get(object, "spec");

        if (operation == KIND_UPDATE_STATUS)
                return;
        check_own_name(&checker, object, spec);
        check_group(&checker, &at, spec);
        if (check_required(&checker, &at, spec, "scope"))
                check_choice(&checker, &at, spec, "scope", scopes);
        check_names(&checker, &at, node_get(spec, "names"));
        check_crd_versions(&checker, &at, node_get(spec, "versions"));
        if (old)
                check_unchanged(&checker, &at, spec, json_get(old, "spec"));
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
