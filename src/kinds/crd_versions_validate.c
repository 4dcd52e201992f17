/* Validation of the versions of CustomResourceDefinitions: schemas, subresources, columns,
 * selectable fields. */
#include "api/dns_name.h"
#include "base/arena.h"
#include "base/go_quote.h"
#include "base/util.h"
#include "kinds/crd_check.h"
#include "schema/custom_rules.h"
#include "schema/custom_structure.h"
#include "schema/schema_path.h"
#include <string.h>

#define SELECTABLE_MAX 8

/* ---- schemas ---- */

const struct json_node *crd_schema(const struct json_node *version) {
        return node_get(node_get(version, "schema"), "openAPIV3Schema");
}

#define ROOT_FIELDS                                                                                \
        "[Description Type Format Title Maximum ExclusiveMaximum Minimum ExclusiveMinimum "        \
        "MaxLength "                                                                               \
        "MinLength Pattern MaxItems MinItems UniqueItems MultipleOf Required Items Properties "    \
        "ExternalDocs Example XPreserveUnknownFields XValidations]"

/* With a status of its own, the root says nothing that the schema of the status would lose. */
static void check_root(struct checker *checker, const struct at *at, const struct json *schema) {
        static const char *const first[] = { "id", "$schema", "$ref" };
        static const char *const others[] = { "nullable",
                                              "default",
                                              "maxProperties",
                                              "minProperties",
                                              "enum",
                                              "allOf",
                                              "oneOf",
                                              "anyOf",
                                              "not",
                                              "additionalProperties",
                                              "patternProperties",
                                              "dependencies",
                                              "additionalItems",
                                              "definitions",
                                              "x-kubernetes-embedded-resource",
                                              "x-kubernetes-int-or-string",
                                              "x-kubernetes-list-map-keys",
                                              "x-kubernetes-list-type",
                                              "x-kubernetes-map-type" };
        struct slice type = json_get_text(schema, "type");
        bool has_first = false, has_others = false;

        for (size_t i = 0; i < ARRAY_LEN(first); i++)
                has_first |= !!json_get(schema, first[i]);
        for (size_t i = 0; i < ARRAY_LEN(others); i++) {
                const struct json *value = json_get(schema, others[i]);

                has_others |= value && json_type(value) != JSON_NULL &&
                              !(json_type(value) == JSON_BOOL && !json_is_true(value));
        }
        if (!has_first && type.len && !slice_is(type, "object"))
                report_text(checker, at, "openAPIV3Schema.type", type,
                            "only \"object\" is allowed as the type at the root of the schema if "
                            "the status subresource is enabled");
        else if (has_first || has_others)
                report(checker, FIELD_INVALID, at, "openAPIV3Schema", "{}",
                       "only " ROOT_FIELDS " fields are allowed at the root of the schema if the "
                       "status subresource is enabled");
}

/* An update leaves the schema of the version as it was. */
static bool is_unchanged_schema(const struct json_node *version, const struct crd_parts *common) {
        struct json_iter iter = json_iter(common->old);
        const struct json *old;

        while (json_next(&iter, NULL, &old))
                if (slice_eq(json_get_text(old, "name"), node_get_text(version, "name")))
                        return node_equal_json(
                                crd_schema(version),
                                json_get(json_get(old, "schema"), "openAPIV3Schema"));
        return false;
}

static struct json_doc *schema_doc(const struct json_node *version) {
        return crd_schema(version) ? json_doc_of(crd_schema(version)) : NULL;
}

/* Expressions are looked at where the schema is structural, with defaults that fit. */
static void check_schema_doc(struct checker *checker, const struct at *schema_at,
                             const struct json *schema, bool is_unchanged) {
        const char *path = at_text(checker, schema_at);
        struct field_errors *errors = checker->errors;
        bool has_types = custom_structure_check(schema, path, errors) &&
                         check_crd_defaults(checker, schema_at, schema);
        size_t first = errors->count;

        custom_schema_check(schema, path, errors);
        if (has_types)
                custom_rules_check(&(struct custom_rules_question){ .schema = schema,
                                                                    .path = path,
                                                                    .is_unchanged = is_unchanged,
                                                                    .first = first },
                                   errors);
}

static void check_schema(struct checker *checker, const struct at *at,
                         const struct json_node *version, const struct crd_parts *common) {
        bool has_status = node_get(node_get(version, "subresources"), "status");
        struct at schema_at = at_member(at, "openAPIV3Schema");
        struct json_doc *doc = schema_doc(version);
        size_t before = checker->errors->count;

        if (!doc)
                return;
        const struct json *schema = json_doc_root(doc);
        if (has_status)
                check_root(checker, at, schema);
        if (json_is_true(json_get(schema, "nullable")))
                report(checker, FIELD_FORBIDDEN, &schema_at, "nullable", NULL,
                       "nullable cannot be true at the root");
        check_schema_doc(checker, &schema_at, schema, is_unchanged_schema(version, common));
        if (checker->errors->count == before && custom_structure_problem(schema))
                report(checker, FIELD_INVALID, &schema_at, NULL, "\"\"",
                       custom_structure_problem(schema));
        json_doc_free(doc);
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

bool is_crd_word(struct slice text, const char *list) {
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
        else if (!is_crd_word(type, types))
                report_text(checker, at, "type", type,
                            message_of(checker, "must be one of %s", types));
        if (format.len && !is_crd_word(format, formats))
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

static void check_selectable_field(struct checker *checker, const struct at *at, struct slice path,
                                   const struct json *schema, struct text_set *seen) {
        static const char types[] = "string,boolean,integer";
        CLEANUP(buf_release) struct buf text = { 0 };
        const char *problem = NULL;
        const struct json *found =
                schema_path_find(schema, path, false, checker->errors->arena, &text, &problem);

        if (!found) {
                report_text(checker, at, "jsonPath", path,
                            message_of(checker, "is an invalid path: %s", problem));
                return;
        }
        struct slice root = buf_view(&text);
        root.len = strcspn(text.data ? text.data : "", ".[");
        if (slice_is(root, "metadata"))
                report_text(checker, at, "jsonPath", path, "must not point to fields in metadata");
        if (!is_crd_word(json_get_text(found, "type"), types))
                report_text(checker, at, "jsonPath", path,
                            "must point to a field of type string, boolean or integer. "
                            "Enum string fields and strings with formats are allowed.");
        if (!text_set_add(seen, arena_slice(checker->errors->arena, buf_view(&text))))
                report(checker, FIELD_DUPLICATE, at, "jsonPath", quoted(checker, path), NULL);
}

static void check_selectable(struct checker *checker, const struct at *up,
                             const struct json_node *version) {
        const struct json_node *fields = node_get(version, "selectableFields");
        struct at list = at_member(up, "selectableFields");
        CLEANUP(text_set_release) struct text_set seen = { 0 };
        struct json_doc *doc = node_count(fields) ? schema_doc(version) : NULL;
        struct node_iter iter = node_iter(fields);
        const char *problem = doc ? custom_structure_problem(json_doc_root(doc)) : NULL;
        struct json_node *field;

        if (problem)
                report(checker, FIELD_INVALID, up, "schema.openAPIV3Schema", "\"\"", problem);
        for (size_t i = 0; node_next(&iter, NULL, &field); i++) {
                struct at at = at_index(&list, i);
                struct slice path = node_get_text(field, "jsonPath");

                if (path.len == 0)
                        report(checker, FIELD_REQUIRED, &at, "jsonPath", NULL, NULL);
                else
                        check_selectable_field(checker, &at, path, json_doc_root(doc), &seen);
        }
        if (seen.count > SELECTABLE_MAX)
                report(checker, FIELD_TOO_MANY, &list, NULL, message_of(checker, "%zu", seen.count),
                       message_of(checker, "must have at most %d items", SELECTABLE_MAX));
        json_doc_free(doc);
}

/* ---- versions ---- */

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

struct crd_parts crd_common_parts(const struct json_node *versions) {
        return (struct crd_parts){ is_alike(versions, "schema"), is_alike(versions, "subresources"),
                                   is_alike(versions, "additionalPrinterColumns"),
                                   is_alike(versions, "selectableFields") };
}

void check_crd_version_name(struct checker *checker, const struct at *at, const char *member,
                            struct slice name) {
        const char *problems = dns_1035_label_problems(name);

        if (problems)
                report_text(checker, at, member, name, problems);
}

/* It becomes a header of answers. */
static void check_deprecation(struct checker *checker, const struct at *at, struct slice warning) {
        static const char member[] = "deprecationWarning";
        size_t length, place = 0;
        uint32_t rune;

        if (warning.len > 256)
                report_text(checker, at, member, warning, "must be <= 256 characters long");
        if (warning.len == 0)
                report_text(checker, at, member, warning, "must not be an empty string");
        for (; place < warning.len; place += length)
                if (!go_rune_prints(slice_make(warning.ptr + place, warning.len - place), &length,
                                    &rune))
                        break;
        if (place < warning.len)
                report(checker, FIELD_INVALID, at, member, quoted(checker, warning),
                       arena_printf(checker->errors->arena,
                                    "must only contain printable UTF-8 characters; non-printable "
                                    "character found at index %zu",
                                    place));
}

static void check_version(struct checker *checker, const struct at *at,
                          const struct json_node *version, const struct crd_parts *common) {
        const struct json_node *warning = node_get(version, "deprecationWarning");
        struct at schema = at_member(at, "schema");

        check_crd_version_name(checker, at, "name", node_get_text(version, "name"));
        if (warning && !node_is_true(node_get(version, "deprecated")))
                report_text(checker, at, "deprecationWarning", node_get_slice(warning),
                            "can only be set for deprecated versions");
        else if (warning)
                check_deprecation(checker, at, node_get_slice(warning));
        if (!common->schema)
                check_schema(checker, &schema, version, common);
        if (!common->subresources)
                check_subresources(checker, at, node_get(version, "subresources"));
        if (!common->columns)
                check_columns(checker, at, node_get(version, "additionalPrinterColumns"));
        if (common->selectable)
                return;
        if (node_count(node_get(version, "selectableFields")) > 0 &&
            (common->schema || !crd_schema(version)))
                report(checker, FIELD_INVALID, at, "selectableFields", "\"\"",
                       "may only be set when `version.schema.openAPIV3Schema` is not included");
        else
                check_selectable(checker, at, version);
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

void check_crd_versions(struct checker *checker, const struct at *spec_at,
                        const struct json_node *versions, const struct crd_parts *common) {
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
                report_as_is(checker, FIELD_INVALID, &list, versions_text(checker, versions),
                             "must contain unique version names");
        if (stored != 1)
                report_as_is(checker, FIELD_INVALID, &list, versions_text(checker, versions),
                             "must have exactly one version marked as storage version");
        if (node_count(versions) && node_get_text(node_at(versions, 0), "name").len)
                check_crd_version_name(checker, spec_at, "version",
                                       node_get_text(node_at(versions, 0), "name"));
}

static struct slice first_storage(const struct json_node *versions, bool *ret_has_one) {
        struct node_iter iter = node_iter(versions);
        struct json_node *version;

        *ret_has_one = false;
        while (!*ret_has_one && node_next(&iter, NULL, &version))
                *ret_has_one = node_is_true(node_get(version, "storage"));
        return *ret_has_one ? node_get_text(version, "name") : SLICE_EMPTY;
}

/* What the strategy will note as stored is the first storage version, which the first version of
 * that name is taken for. */
void check_crd_stored(struct checker *checker, const struct json_node *versions) {
        struct at status = at_root("status");
        struct node_iter iter = node_iter(versions);
        struct json_node *version;
        bool has_one, is_met = false;
        struct slice stored = first_storage(versions, &has_one);

        if (!has_one)
                report(checker, FIELD_INVALID, &status, "storedVersions", "null",
                       "must have at least one stored version");
        while (has_one && node_next(&iter, NULL, &version)) {
                struct slice name = node_get_text(version, "name");
                bool is_stored = !is_met && slice_eq(name, stored);

                is_met |= is_stored;
                if (node_is_true(node_get(version, "storage")) && !is_stored)
                        report(checker, FIELD_INVALID, &status, "storedVersions",
                               message_of(checker, "[%s]", quoted(checker, stored)),
                               message_of(checker, "must have the storage version " SLICE_FMT,
                                          SLICE_ARG(name)));
        }
}

void check_crd_schemas(struct checker *checker, const struct at *spec_at,
                       const struct json_node *versions, const struct crd_parts *common) {
        struct at list = at_member(spec_at, "versions");
        struct node_iter iter = node_iter(versions);
        struct json_node *version;

        for (size_t i = 0; node_next(&iter, NULL, &version); i++) {
                struct at at = at_index(&list, i), schema = at_member(&at, "schema");

                if (!crd_schema(version))
                        report(checker, FIELD_REQUIRED, &schema, "openAPIV3Schema", NULL, NULL);
                else if (common->schema)
                        return;
        }
}

void check_crd_common(struct checker *checker, const struct at *at, const struct json_node *version,
                      const struct crd_parts *common) {
        const struct json_node *selectable = node_get(version, "selectableFields");
        struct at validation = at_member(at, "validation");

        if (common->schema)
                check_schema(checker, &validation, version, common);
        if (common->subresources)
                check_subresources(checker, at, node_get(version, "subresources"));
        if (common->columns)
                check_columns(checker, at, node_get(version, "additionalPrinterColumns"));
        if (!common->selectable || node_count(selectable) == 0)
                return;
        if (common->schema && node_get(version, "schema"))
                check_selectable(checker, at, version);
        else
                report(checker, FIELD_INVALID, at, "selectableFields", "\"\"",
                       "may only be set when validations.schema is included");
}
