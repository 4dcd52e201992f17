/* Custom resources: CustomResourceDefinitions in the store become resources of the server.
 *
 * A definition takes effect inside the commit that stores it. What has to be written because of it
 * (that its names are accepted, the end of its objects) follows from the loop. Deleted resources
 * stay in memory until the server ends, because watches may still refer to them; their routes are
 * gone. */
#include "server/custom_resource.h"
#include "server/api_object.h"

#include "schema/column_path.h"
#include "schema/custom_rules.h"
#include "schema/custom_schema.h"
#include "schema/object_compare.h"
#include "server/api_context.h"
#include "server/api_store.h"
#include "server/pod_conditions.h"
#include <stdlib.h>

#define NAMES_MAX 16

/* What the versions of a definition share. */
struct custom_definition {
        struct custom_definition *next;
        struct custom_resource *versions; /* that are served */
        struct json_doc *doc;
        struct slice name, uid; /* plural.group */
        int64_t generation;
        struct slice newest; /* version that replaces older ones, if any */
        struct arena arena;  /* of texts, tables and versions */
        struct kind_info kind;
        /* Of a definition the server was given: see struct api_definition. */
        int (*check)(const struct json *object, const struct json *old, struct wall_time now,
                     struct err *err);
        bool is_retired, is_given;
        bool is_settled; /* what has to be written because of it is */
};

/* One served version of a definition. */
struct custom_resource {
        struct kind_info kind; /* hooks find the rest behind it */
        struct api_resource resource;
        struct custom_resource *next; /* of the same definition */
        const struct custom_definition *definition;
        const struct json *schema, *printer_columns;
        struct custom_rules *rules; /* NULL when there are none */
        const char *scale_paths[3];
        bool is_storage; /* the version that objects are stored in */
};

struct custom_resources {
        struct custom_definition *first; /* retired ones too */
        struct map *served;              /* those that are not, by name */
        const struct api_resource *definitions;
        struct store_subscription *subscription;
        bool is_settling; /* a deferred settle is under way */
        struct api_engine *engine;
};

/* ---- hooks ---- */

static const struct custom_resource *custom_of(const struct kind_info *kind) {
        return CONTAINER_OF((struct kind_info *)kind, struct custom_resource, kind);
}

/* Unknown fields are reported in the order of their paths. */
struct unknown_paths {
        char **paths; /* from malloc, as they are */
        size_t count, cap;
};

static void note_unknown(void *context, const char *path) {
        struct unknown_paths *unknown = context;

        if (unknown->count == unknown->cap) {
                unknown->cap = unknown->cap ? 2 * unknown->cap : 8;
                unknown->paths =
                        xreallocarray(unknown->paths, unknown->cap, sizeof(*unknown->paths));
        }
        unknown->paths[unknown->count++] = slice_dup(slice_of(path));
}

static int compare_paths(const void *a, const void *b) {
        return strcmp(*(char *const *)a, *(char *const *)b);
}

static void report_unknown(struct unknown_paths *unknown,
                           void (*report)(void *context, const char *path), void *context) {
        if (unknown->count > 1)
                qsort(unknown->paths, unknown->count, sizeof(*unknown->paths), compare_paths);
        for (size_t i = 0; i < unknown->count; i++) {
                if (report)
                        report(context, unknown->paths[i]);
                free(unknown->paths[i]);
        }
        free(unknown->paths);
}

static void custom_resource_prune(const struct kind_info *kind, struct json_tree *tree,
                                  struct json_node *object,
                                  void (*unknown)(void *context, const char *path), void *context) {
        const struct schema_object *metadata = schema_named("meta.v1.ObjectMeta");
        struct json_node *given = node_get(object, "metadata");

        struct unknown_paths found = { 0 };

        if (custom_of(kind)->schema) {
                custom_prune(custom_of(kind)->schema, tree, object, note_unknown, &found);
                report_unknown(&found, unknown, context);
                custom_default(custom_of(kind)->schema, tree, object);
        }
        if (metadata && node_type(given) == JSON_OBJECT)
                schema_normalise(metadata, tree, given, NULL, NULL);
}

/* The version an object of another one is stored in; NULL = it is its own. */
static const struct custom_resource *storage_version(const struct custom_resource *custom) {
        const struct custom_resource *other = custom->definition->versions;

        while (other && !other->is_storage)
                other = other->next;
        return other == custom ? NULL : other;
}

static void custom_resource_prepare(struct kind_context *context, enum kind_operation operation,
                                    struct json_tree *tree, struct json_node *object,
                                    const struct json *old) {
        const struct custom_resource *custom = custom_of(context->kind);

        (void)old;
        if (operation == KIND_CREATE && (custom->kind.flags & KIND_STATUS))
                node_remove(object, "status");
        if (custom->schema)
                custom_default(custom->schema, tree, object);
        custom = storage_version(custom);
        if (!custom || !custom->schema)
                return;
        custom_prune(custom->schema, tree, object, NULL, NULL);
        custom_default(custom->schema, tree, object);
}

static void check_further(const struct custom_resource *custom, const struct json_node *object,
                          const struct json *old, struct wall_time now,
                          struct field_errors *errors) {
        struct json_doc *doc = NULL;
        struct buf text = { 0 };
        struct err err = { 0 };

        node_write(object, &text);
        if (json_parse(buf_view(&text), &doc, &err) < 0 ||
            custom->definition->check(json_doc_root(doc), old, now, &err) < 0)
                field_error_add(errors, FIELD_INVALID, *err.path ? err.path : "status", NULL,
                                err.text);
        json_doc_free(doc);
        buf_release(&text);
}

/* What is wrong in a way that rules could not be asked about the object. */
static bool has_blocking_error(const struct field_errors *errors) {
        for (size_t i = 0; i < errors->count; i++) {
                switch (errors->items[i].kind) {
                case FIELD_REQUIRED:
                case FIELD_NOT_SUPPORTED:
                case FIELD_TOO_LONG:
                case FIELD_TOO_MANY:
                case FIELD_TYPE_INVALID:
                        return true;
                default:
                        break;
                }
        }
        return false;
}

static void check_replicas(const struct custom_resource *custom, const struct json_node *object,
                           size_t which, struct field_errors *errors) {
        struct slice rest = slice_of(custom->scale_paths[which]), name;
        const struct json_node *value = object;
        int64_t replicas;

        while (slice_split(&rest, '.', &name))
                if (name.len)
                        value = node_find(value, name);
        if (!value || !node_as_i64(value, &replicas) || (replicas >= 0 && replicas <= INT32_MAX))
                return;
        field_error_add(errors, FIELD_INVALID, custom->scale_paths[which],
                        arena_printf(errors->arena, "%lld", (long long)replicas),
                        replicas < 0 ? "should be a non-negative integer"
                                     : "should be less than or equal to 2147483647");
}

static void custom_resource_validate(struct kind_context *context, enum kind_operation operation,
                                     const struct json_node *object, const struct json *old,
                                     struct field_errors *errors) {
        const struct custom_resource *custom = custom_of(context->kind);

        if (custom->schema)
                custom_validate(custom->schema, object, errors);
        if (custom->rules && has_blocking_error(errors))
                field_error_add(errors, FIELD_INVALID, "<nil>", "null",
                                "some validation rules were not checked because the object was "
                                "invalid; correct the existing errors to complete validation");
        else if (custom->rules)
                custom_rules_apply(custom->rules, object, old, errors);
        for (size_t i = 0; custom->kind.scale_paths && i < 2; i++)
                check_replicas(custom, object, i, errors);
        if (custom->definition->check && errors->count == 0 && operation != KIND_UPDATE)
                check_further(custom, object, old, context->now, errors);
}

static void cell_write(const struct json *value, struct slice type, struct wall_time now,
                       struct buf *out) {
        struct wall_time time;
        char text[40];

        if (slice_is(type, "date") && wall_time_parse(json_text(value), &time)) {
                duration_format_human(now.ns - time.ns, text);
                buf_json_string(out, slice_of(text));
        } else if (!value) {
                buf_text(out, "null");
        } else if (slice_is(type, "string") && json_type(value) != JSON_STRING) {
                struct buf plain = { 0 };

                json_write(value, &plain);
                buf_json_string(out, buf_view(&plain));
                buf_release(&plain);
        } else {
                json_write(value, out);
        }
}

static void table_row(struct kind_context *context, const struct json *object, struct buf *cells,
                      struct buf *conditions) {
        const struct custom_resource *custom = custom_of(context->kind);
        struct json_iter iter = json_iter(custom->printer_columns);
        const struct json *metadata = json_get(object, "metadata"), *column;

        (void)conditions;
        buf_char(cells, '[');
        buf_json_string(cells, json_get_text(metadata, "name"));
        while (json_next(&iter, NULL, &column)) {
                buf_char(cells, ',');
                cell_write(column_path_value(object, json_get_text(column, "jsonPath")),
                           json_get_text(column, "type"), context->now, cells);
        }
        if (json_count(custom->printer_columns) == 0) {
                buf_char(cells, ',');
                cell_write(json_get(metadata, "creationTimestamp"), SLICE_LITERAL("date"),
                           context->now, cells);
        }
        buf_char(cells, ']');
}

/* The definition's schema, with what every object has. */
static void custom_resource_openapi(const struct kind_info *kind, struct buf *out) {
        static const char *const members[] = { "apiVersion", "kind" };
        const struct custom_resource *custom = custom_of(kind);
        CLEANUP(cleanup_json_tree) struct json_tree *tree = json_tree_new();
        struct json_node *type =
                custom->schema ? node_import(tree, custom->schema) : node_object(tree);
        struct json_node *list = node_array(tree), *own = node_object(tree), *text, *properties;

        properties = node_need_object(tree, type, "properties");
        for (size_t i = 0; properties && i < ARRAY_LEN(members); i++) {
                text = node_object(tree);
                node_put_string(tree, text, "type", "string");
                node_put(tree, properties, members[i], text);
        }
        if (properties && !node_get(properties, "metadata")) {
                text = node_object(tree);
                node_put_string(tree, text, "type", "object");
                node_put(tree, properties, "metadata", text);
        }
        node_put_string(tree, own, "group", kind->group);
        node_put_string(tree, own, "kind", kind->kind);
        node_put_string(tree, own, "version", kind->version);
        node_append(list, own);
        node_put(tree, type, "x-kubernetes-group-version-kind", list);
        node_write(type, out);
}

/* ---- making ---- */

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
        custom->kind.table_row = table_row;
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

static void custom_new(struct custom_resources *customs, struct custom_definition *definition,
                       const struct json *version) {
        struct custom_resource *custom = ARENA_NEW(&definition->arena, struct custom_resource);

        custom->definition = definition;
        custom->kind = definition->kind;
        custom->kind.version = arena_string(&definition->arena, json_get_text(version, "name"));
        custom->is_storage = json_get_bool(version, "storage", false);
        custom->kind.has_own_field_table = true;
        custom->schema = json_get(json_get(version, "schema"), "openAPIV3Schema");
        custom->rules = custom_rules_new(custom->schema);
        custom->printer_columns = json_get(version, "additionalPrinterColumns");
        make_columns(custom, &definition->arena);
        make_subresources(custom, &definition->arena, version);
        make_selectors(custom, &definition->arena, json_get(version, "selectableFields"));
        make_deprecation(custom, &definition->arena, version);
        resource_add(&customs->engine->resources, &custom->resource, &custom->kind);
        custom->resource.owned_type = custom_type(custom->schema, &definition->arena);
        if (definition->is_given)
                custom->resource.merge_type = custom->resource.owned_type;
        custom->next = definition->versions;
        definition->versions = custom;
}

/* Takes the document over. */
static struct custom_definition *definition_new(struct json_doc *doc) {
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
        };
        return definition;
}

static void definition_free(struct resource_table *table, struct custom_definition *definition) {
        for (struct custom_resource *custom = definition->versions; custom; custom = custom->next) {
                resource_forget(table, &custom->resource);
                custom_rules_free(custom->rules);
        }
        arena_release(&definition->arena);
        json_doc_free(definition->doc);
        free(definition);
}

/* ---- following the definitions ---- */

static void custom_resource_retire(struct custom_resources *customs, struct slice name) {
        struct custom_definition *definition = map_remove(customs->served, name);

        if (!definition)
                return;
        definition->is_retired = true;
        definition->is_settled = false;
        for (struct custom_resource *custom = definition->versions; custom; custom = custom->next)
                resource_withdraw(&customs->engine->resources, &custom->resource);
}

/* What is stored differs from what is served in its status or metadata only. */
static bool is_taken_in(const struct custom_definition *served, const struct json *object) {
        const struct json *metadata = json_get(object, "metadata");

        return served && served->generation > 0 &&
               served->generation == json_get_i64(metadata, "generation", 0) &&
               slice_eq(served->uid, json_get_text(metadata, "uid"));
}

static int compare_age(const void *left, const void *right) {
        struct slice a = json_get_text(*(const struct json *const *)left, "name");
        struct slice b = json_get_text(*(const struct json *const *)right, "name");

        return is_newer(a, b) ? 1 : is_newer(b, a) ? -1 : slice_compare(b, a);
}

/* What is added last is listed first: the newest version. */
static void add_versions(struct custom_resources *customs, struct custom_definition *definition,
                         const struct json *versions) {
        size_t count;
        const struct json **elements = json_elements(versions, &count);

        if (count > 1)
                qsort(elements, count, sizeof(*elements), compare_age);
        for (size_t i = 0; i < count; i++)
                if (json_get_bool(elements[i], "served", true))
                        custom_new(customs, definition, elements[i]);
        free(elements);
}

/* A resource for each version; given is NULL for definitions of the store. */
static void take_in(struct custom_resources *customs, struct slice text,
                    const struct api_definition *given) {
        struct json_doc *doc = NULL;

        if (json_parse(text, &doc, NULL) < 0)
                return;
        struct custom_definition *definition = definition_new(doc);
        struct custom_definition *served = map_get(customs->served, definition->name);
        if (is_taken_in(served, json_doc_root(doc))) {
                served->is_settled = false;
                definition_free(&customs->engine->resources, definition);
                return;
        }
        custom_resource_retire(customs, definition->name);
        if (given) {
                definition->is_given = true;
                definition->check = given->check;
        }
        add_versions(customs, definition,
                     json_get(json_get(json_doc_root(doc), "spec"), "versions"));
        map_put(customs->served, definition->name, definition);
        definition->next = customs->first;
        customs->first = definition;
}

static void custom_resource_establish(struct custom_resources *customs, struct slice name) {
        struct api_engine *engine = customs->engine;
        struct api_context context = { .engine = engine,
                                       .arena = &engine->scratch,
                                       .manager = SLICE_LITERAL("berth") };
        const struct store_object *object =
                store_get(engine->store, customs->definitions->store_resource, SLICE_EMPTY, name);
        struct wall_time now = loop_wall(engine->loop);
        struct json_node *status, *spec;
        struct api_write write = { 0 };
        struct slice body;

        if (object && write_begin(&context, customs->definitions, object, &write) == 0) {
                spec = node_get(write.object, "spec");
                status = node_need_object(write.tree, write.object, "status");
                condition_set(write.tree, status,
                              &(struct condition_value){ .type = "NamesAccepted",
                                                         .status = "True",
                                                         .reason = "NoConflicts",
                                                         .message = "no conflicts found" },
                              now);
                condition_set(write.tree, status,
                              &(struct condition_value){
                                      .type = "Established",
                                      .status = "True",
                                      .reason = "InitialNamesAccepted",
                                      .message = "the initial names have been accepted" },
                              now);
                node_put(write.tree, status, "acceptedNames",
                         node_clone(write.tree, node_get(spec, "names")));
                if (!is_same_object(write.object, write.old_json))
                        write_put(&context, &write, &body);
                write_end(&write);
        }
        request_json_release(&context);
        arena_clear(&engine->scratch);
}

/* Objects end with their definition. */
static void remove_objects(struct custom_resources *customs, int resource) {
        struct store *store = customs->engine->store;
        struct store_cursor *cursor = NULL;
        const struct store_object *object;

        while (store_count(store, resource) > 0) {
                if (store_cursor_open(store, &(struct store_range){ .resource = resource }, &cursor,
                                      NULL) < 0)
                        return;
                object = store_cursor_next(cursor);
                store_cursor_close(cursor);
                store_object_ref(object);
                object_remove(customs->engine, object);
                store_object_unref(object);
        }
}

static void definition_settle(struct custom_resources *customs,
                              struct custom_definition *definition) {
        if (!definition->is_retired)
                custom_resource_establish(customs, definition->name);
        else if (!map_get(customs->served, definition->name) && definition->versions)
                remove_objects(customs, definition->versions->resource.store_resource);
}

static void custom_resource_settle(void *context) {
        struct custom_resources *customs = context;

        customs->is_settling = false;
        if (!customs->engine) { /* stopped meanwhile */
                free(customs);
                return;
        }
        for (struct custom_definition *each = customs->first; each; each = each->next) {
                if (each->is_given || each->is_settled)
                        continue;
                each->is_settled = true;
                definition_settle(customs, each);
        }
}

static void custom_resource_changed(void *context, int resource, const struct store_event *event) {
        struct custom_resources *customs = context;

        (void)resource;
        if (event->type == STORE_DELETED)
                custom_resource_retire(customs, store_object_name(event->object));
        else
                take_in(customs, store_object_body(event->object), NULL);
        if (customs->is_settling)
                return;
        customs->is_settling = true;
        loop_defer(customs->engine->loop, custom_resource_settle, customs);
}

/* ---- life ---- */

struct custom_resources *custom_resources_start(struct api_engine *engine,
                                                const struct api_definition *definitions,
                                                size_t count) {
        struct custom_resources *customs = xcalloc(1, sizeof(*customs));
        struct store_cursor *cursor = NULL;
        const struct store_object *object;

        customs->engine = engine;
        customs->served = map_new();
        customs->definitions =
                resource_find(&engine->resources, SLICE_LITERAL("apiextensions.k8s.io"),
                              SLICE_LITERAL("v1"), SLICE_LITERAL("customresourcedefinitions"));
        for (size_t i = 0; i < count; i++)
                take_in(customs, slice_of(definitions[i].json), &definitions[i]);
        if (!customs->definitions)
                return customs;
        if (store_cursor_open(
                    engine->store,
                    &(struct store_range){ .resource = customs->definitions->store_resource },
                    &cursor, NULL) == 0) {
                while ((object = store_cursor_next(cursor)))
                        take_in(customs, store_object_body(object), NULL);
                store_cursor_close(cursor);
        }
        customs->subscription = store_subscribe(engine->store, customs->definitions->store_resource,
                                                custom_resource_changed, customs);
        return customs;
}

void custom_resources_stop(struct custom_resources *customs) {
        struct api_engine *engine = customs->engine;

        store_unsubscribe(engine->store, customs->subscription);
        while (customs->first) {
                struct custom_definition *definition = customs->first;

                customs->first = definition->next;
                definition_free(&engine->resources, definition);
        }
        map_free(customs->served);
        customs->engine = NULL;
        if (!customs->is_settling)
                free(customs);
}
