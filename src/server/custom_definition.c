/* From a CustomResourceDefinition to a resource for each of its versions. */
#include "server/custom_resource_priv.h"

#include "kinds/embedded_resource.h"
#include "kinds/release.h"
#include "kinds/warn.h"
#include "schema/custom_rules.h"
#include "schema/custom_schema.h"
#include <stdlib.h>

#define NAMES_MAX 16

static const char *const *keep_names(struct arena *arena, const struct json *list) {
        struct json_iter iter = json_iter(list);
        size_t count = 0, wanted = json_count(list);
        const struct json *name;

        if (wanted == 0)
                return NULL;
        if (wanted > NAMES_MAX)
                wanted = NAMES_MAX;
        const char **names = ARENA_ARRAY(arena, const char *, wanted + 1);
        while (count < wanted && json_next(&iter, NULL, &name))
                names[count++] = arena_string(arena, json_text(name));
        return names;
}

static void make_columns(struct custom_resource *custom, struct arena *arena) {
        size_t count = json_count(custom->printer_columns), at = 1;
        struct table_column *columns = ARENA_ARRAY(arena, struct table_column, count + 2);
        struct json_iter iter = json_iter(custom->printer_columns);
        const struct json *column;

        columns[0] = (struct table_column){ "Name", "string", "name", 0 };
        while (json_next(&iter, NULL, &column))
                columns[at++] =
                        (struct table_column){ arena_string(arena, json_get_text(column, "name")),
                                               arena_string(arena, json_get_text(column, "type")),
                                               "", (int)json_get_i64(column, "priority", 0) };
        if (count == 0)
                columns[at++] = (struct table_column){ "Age", "date", "", 0 };
        custom->kind.columns = columns;
        custom->kind.column_count = at;
        custom->kind.table_row = custom_resource_row;
}

static void make_subresources(struct custom_resource *custom, struct arena *arena,
                              const struct json *version) {
        static const char *const members[] = { "specReplicasPath", "statusReplicasPath",
                                               "labelSelectorPath" };
        const struct json *subresources = json_get(version, "subresources");
        const struct json *scale = json_get(subresources, "scale");

        if (json_get(subresources, "status"))
                custom->kind.flags |= KIND_STATUS;
        if (!scale)
                return;
        custom->kind.flags |= KIND_SCALE;
        for (size_t i = 0; i < ARRAY_LEN(members); i++)
                custom->scale_paths[i] = arena_string(arena, json_get_text(scale, members[i]));
        custom->kind.scale_paths = custom->scale_paths;
}

/* Paths that lists and watches may select by, without the leading dot. */
static void make_selectors(struct custom_resource *custom, struct arena *arena,
                           const struct json *fields) {
        struct json_iter iter = json_iter(fields);
        const char **names = ARENA_ARRAY(arena, const char *, json_count(fields) + 1);
        const struct json *field;
        size_t count = 0;

        while (json_next(&iter, NULL, &field)) {
                struct slice path = json_get_text(field, "jsonPath");

                if (path.len > 1)
                        names[count++] =
                                arena_string(arena, slice_make(path.ptr + 1, path.len - 1));
        }
        names[count] = NULL;
        if (count)
                custom->kind.field_selectors = names;
}

/* v1 before v1beta2 before v1alpha1, higher numbers first, all others by name behind them. */
static int version_rank(struct slice version, uint64_t *ret_major, uint64_t *ret_minor) {
        static const char *const stages[] = { "alpha", "beta" };
        struct slice rest = version;
        size_t digits = 1;

        *ret_major = *ret_minor = 0;
        while (digits < rest.len && rest.ptr[digits] >= '0' && rest.ptr[digits] <= '9')
                digits++;
        if (rest.len < 2 || rest.ptr[0] != 'v' ||
            !slice_to_u64(slice_make(rest.ptr + 1, digits - 1), ret_major))
                return 3;
        rest = slice_make(rest.ptr + digits, rest.len - digits);
        for (int i = 0; i < (int)ARRAY_LEN(stages); i++) {
                size_t length = strlen(stages[i]);

                if (slice_has_prefix(rest, slice_of(stages[i])) &&
                    slice_to_u64(slice_make(rest.ptr + length, rest.len - length), ret_minor))
                        return 2 - i;
        }
        return rest.len == 0 ? 0 : 3;
}

static bool is_newer(struct slice version, struct slice than) {
        uint64_t major[2], minor[2];
        int rank = version_rank(version, &major[0], &minor[0]);
        int other = version_rank(than, &major[1], &minor[1]);

        if (rank != other)
                return rank < other;
        return major[0] != major[1] ? major[0] > major[1] : minor[0] > minor[1];
}

/* The newest served version that is not deprecated: what replaces those that are older. */
static struct slice newest_version(const struct json *versions) {
        struct json_iter iter = json_iter(versions);
        struct slice newest = SLICE_EMPTY;
        const struct json *version;

        while (json_next(&iter, NULL, &version)) {
                struct slice name = json_get_text(version, "name");

                if (json_get_bool(version, "served", false) &&
                    !json_get_bool(version, "deprecated", false) &&
                    (newest.len == 0 || is_newer(name, newest)))
                        newest = name;
        }
        return newest;
}

static void make_deprecation(struct custom_resource *custom, struct arena *arena,
                             const struct json *version) {
        struct slice warning = json_get_text(version, "deprecationWarning");
        const struct kind_info *kind = &custom->kind;
        struct slice newest = custom->definition->newest;

        if (!json_get_bool(version, "deprecated", false))
                return;
        if (warning.len)
                custom->kind.deprecation = arena_string(arena, warning);
        else if (newest.len && is_newer(newest, slice_of(kind->version)))
                custom->kind.deprecation = arena_printf(
                        arena, "%s/%s %s is deprecated; use %s/" SLICE_FMT " %s", kind->group,
                        kind->version, kind->kind, kind->group, SLICE_ARG(newest), kind->kind);
        else
                custom->kind.deprecation = arena_printf(arena, "%s/%s %s is deprecated",
                                                        kind->group, kind->version, kind->kind);
}

static void version_new(struct api_engine *engine, struct custom_definition *definition,
                        const struct json *version) {
        struct custom_resource *custom = ARENA_NEW(&definition->arena, struct custom_resource);

        custom->definition = definition;
        custom->kind = definition->kind;
        custom->kind.version = arena_string(&definition->arena, json_get_text(version, "name"));
        custom->is_storage = json_get_bool(version, "storage", false);
        custom->kind.has_own_field_table = true;
        custom->schema = json_get(json_get(version, "schema"), "openAPIV3Schema");
        custom->rules = custom_rules_new(custom->schema, true);
        custom->has_embedded = embedded_below(custom->schema);
        custom->printer_columns = json_get(version, "additionalPrinterColumns");
        make_columns(custom, &definition->arena);
        make_subresources(custom, &definition->arena, version);
        make_selectors(custom, &definition->arena, json_get(version, "selectableFields"));
        make_deprecation(custom, &definition->arena, version);
        resource_add(&engine->resources, &custom->resource, &custom->kind);
        custom->resource.owned_type = custom_type(custom->schema, &definition->arena);
        if (definition->is_given)
                custom->resource.merge_type = custom->resource.owned_type;
        custom->next = definition->versions;
        definition->versions = custom;
}

struct custom_definition *custom_definition_new(struct json_doc *doc) {
        struct custom_definition *definition = xcalloc(1, sizeof(*definition));
        struct arena *arena = &definition->arena;
        const struct json *spec = json_get(json_doc_root(doc), "spec");
        const struct json *names = json_get(spec, "names");
        const struct json *metadata = json_get(json_doc_root(doc), "metadata");

        arena_init(arena, 4096);
        definition->doc = doc;
        definition->name = json_get_text(metadata, "name");
        definition->uid = json_get_text(metadata, "uid");
        definition->generation = json_get_i64(metadata, "generation", 0);
        definition->newest = newest_version(json_get(spec, "versions"));
        definition->kind = (struct kind_info){
                .group = arena_string(arena, json_get_text(spec, "group")),
                .plural = arena_string(arena, json_get_text(names, "plural")),
                .singular = arena_string(arena, json_get_text(names, "singular")),
                .kind = arena_string(arena, json_get_text(names, "kind")),
                .short_names = keep_names(arena, json_get(names, "shortNames")),
                .categories = keep_names(arena, json_get(names, "categories")),
                .verbs = VERB_STANDARD,
                .flags = KIND_GENERATION |
                         (slice_is(json_get_text(spec, "scope"), "Namespaced") ? KIND_NAMESPACED
                                                                               : 0),
                .prune = custom_resource_prune,
                .openapi = custom_resource_openapi,
                .prepare = custom_resource_prepare,
                .validate = custom_resource_validate,
                .warn_each = finalizer_warn,
        };
        return definition;
}

void custom_definition_free(struct resource_table *table, struct custom_definition *definition) {
        for (struct custom_resource *custom = definition->versions; custom; custom = custom->next) {
                resource_forget(table, &custom->resource);
                custom_rules_free(custom->rules);
        }
        arena_release(&definition->arena);
        json_doc_free(definition->doc);
        free(definition);
}

static int compare_age(const void *left, const void *right) {
        struct slice a = json_get_text(*(const struct json *const *)left, "name");
        struct slice b = json_get_text(*(const struct json *const *)right, "name");

        return is_newer(a, b) ? 1 : is_newer(b, a) ? -1 : slice_compare(b, a);
}

/* A kind of the API itself stays as it is. */
static bool is_taken(const struct resource_table *table, const struct kind_info *kind,
                     struct slice version) {
        const struct kind_info *own =
                kind_find(slice_of(kind->group), version, slice_of(kind->plural));

        return own && release_has_kind(table->minor, table->gates, own);
}

/* What is added last is listed first: the newest version. */
void custom_definition_serve(struct api_engine *engine, struct custom_definition *definition) {
        const struct json *spec = json_get(json_doc_root(definition->doc), "spec");
        size_t count;
        const struct json **elements = json_elements(json_get(spec, "versions"), &count);

        if (count > 1)
                qsort(elements, count, sizeof(*elements), compare_age);
        for (size_t i = 0; i < count; i++)
                if (json_get_bool(elements[i], "served", true) &&
                    !is_taken(&engine->resources, &definition->kind,
                              json_get_text(elements[i], "name")))
                        version_new(engine, definition, elements[i]);
        free(elements);
}
