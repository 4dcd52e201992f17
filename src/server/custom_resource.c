/* Custom resources: CustomResourceDefinitions in the store become resources of the server.
 *
 * A definition takes effect inside the commit that stores it. What has to be written because of it
 * (that its names are accepted, the end of its objects) follows from the loop. Deleted resources
 * stay in memory until the server ends, because watches may still refer to them; their routes are
 * gone. */
#include "server/custom_resource.h"

#include "schema/column_path.h"
#include "schema/custom_rules.h"
#include "schema/custom_schema.h"
#include "schema/object_compare.h"
#include "server/api_context.h"
#include "server/api_store.h"
#include "server/pod_conditions.h"
#include <stdlib.h>

#define NAMES_MAX 16

/* One served version of a definition. */
struct custom_resource {
        struct kind_info kind; /* hooks find the rest behind it */
        struct api_resource resource;
        struct custom_resource *next;
        struct json_doc *doc; /* of the definition */
        const struct json *schema, *printer_columns;
        struct custom_rules *rules; /* NULL when there are none */
        char *definition;           /* its name: plural.group */
        struct table_column *columns;
        const char *names[2][NAMES_MAX + 1]; /* short names, categories */
        const char *scale_paths[3];
        char *texts[8];
        size_t text_count;
        /* Of a definition the server was given: see struct api_definition. */
        int (*check)(const struct json *object, const struct json *old, struct wall_time now,
                     struct err *err);
        bool is_retired, is_given;
        struct arena types; /* of merge_type, for what is given */
};

struct custom_resources {
        struct custom_resource *first;
        const struct api_resource *definitions;
        struct store_subscription *subscription;
        bool is_settling; /* a deferred settle is under way */
        struct api_engine *engine;
};

/* ---- hooks ---- */

static const struct custom_resource *custom_of(const struct kind_info *kind) {
        return CONTAINER_OF((struct kind_info *)kind, struct custom_resource, kind);
}

static void custom_resource_prune(const struct kind_info *kind, struct json_tree *tree,
                                  struct json_node *object,
                                  void (*unknown)(void *context, const char *path), void *context) {
        const struct schema_object *metadata = schema_named("meta.v1.ObjectMeta");
        struct json_node *given = node_get(object, "metadata");

        if (custom_of(kind)->schema)
                custom_prune(custom_of(kind)->schema, tree, object, unknown, context);
        if (metadata && node_type(given) == JSON_OBJECT)
                schema_normalise(metadata, tree, given, NULL, NULL);
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
}

static void check_further(const struct custom_resource *custom, const struct json_node *object,
                          const struct json *old, struct wall_time now,
                          struct field_errors *errors) {
        struct json_doc *doc = NULL;
        struct buf text = { 0 };
        struct err err = { 0 };

        node_write(object, &text);
        if (json_parse(buf_view(&text), &doc, &err) < 0 ||
            custom->check(json_doc_root(doc), old, now, &err) < 0)
                field_error_add(errors, FIELD_INVALID, *err.path ? err.path : "status", NULL,
                                err.text);
        json_doc_free(doc);
        buf_release(&text);
}

static void custom_resource_validate(struct kind_context *context, enum kind_operation operation,
                                     const struct json_node *object, const struct json *old,
                                     struct field_errors *errors) {
        const struct custom_resource *custom = custom_of(context->kind);

        if (custom->schema)
                custom_validate(custom->schema, object, errors);
        if (custom->rules)
                custom_rules_apply(custom->rules, object, old, errors);
        if (custom->check && errors->count == 0 && operation != KIND_UPDATE)
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

static const char *custom_resource_keep(struct custom_resource *custom, struct slice text) {
        char *copy = slice_dup(text);

        custom->texts[custom->text_count++] = copy;
        return copy;
}

/* Strings of the definition live only as long as the document; names are copied into one block. */
static const char *const *keep_names(struct custom_resource *custom, int which,
                                     const struct json *list) {
        struct json_iter iter = json_iter(list);
        const struct json *name;
        size_t count = 0;

        while (count < NAMES_MAX && json_next(&iter, NULL, &name))
                custom->names[which][count++] = slice_dup(json_text(name));
        return count ? custom->names[which] : NULL;
}

static void make_columns(struct custom_resource *custom) {
        size_t count = json_count(custom->printer_columns), at = 1;
        struct json_iter iter = json_iter(custom->printer_columns);
        const struct json *column;

        custom->columns = xcalloc(count + 2, sizeof(custom->columns[0]));
        custom->columns[0] = (struct table_column){ slice_dup(SLICE_LITERAL("Name")),
                                                    slice_dup(SLICE_LITERAL("string")), "name", 0 };
        while (json_next(&iter, NULL, &column))
                custom->columns[at++] =
                        (struct table_column){ slice_dup(json_get_text(column, "name")),
                                               slice_dup(json_get_text(column, "type")), "",
                                               (int)json_get_i64(column, "priority", 0) };
        if (count == 0)
                custom->columns[at++] =
                        (struct table_column){ slice_dup(SLICE_LITERAL("Age")),
                                               slice_dup(SLICE_LITERAL("date")), "", 0 };
        custom->kind.columns = custom->columns;
        custom->kind.column_count = at;
        custom->kind.table_row = table_row;
}

static void make_subresources(struct custom_resource *custom, const struct json *version) {
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
                custom->scale_paths[i] =
                        custom_resource_keep(custom, json_get_text(scale, members[i]));
        custom->kind.scale_paths = custom->scale_paths;
}

static struct custom_resource *custom_new(struct custom_resources *customs, struct slice text,
                                          struct slice version_name) {
        struct custom_resource *custom = xcalloc(1, sizeof(*custom));
        const struct json *version;

        if (json_parse(text, &custom->doc, NULL) < 0) {
                free(custom);
                return NULL;
        }
        const struct json *spec = json_get(json_doc_root(custom->doc), "spec");
        const struct json *names = json_get(spec, "names");
        struct json_iter iter = json_iter(json_get(spec, "versions"));
        while (json_next(&iter, NULL, &version)) {
                if (slice_eq(json_get_text(version, "name"), version_name))
                        break;
        }
        arena_init(&custom->types, 4096);
        custom->definition =
                slice_dup(json_get_text(json_get(json_doc_root(custom->doc), "metadata"), "name"));
        custom->schema = json_get(json_get(version, "schema"), "openAPIV3Schema");
        custom->rules = custom_rules_new(custom->schema);
        custom->printer_columns = json_get(version, "additionalPrinterColumns");
        custom->kind = (struct kind_info){
                .group = custom_resource_keep(custom, json_get_text(spec, "group")),
                .version = custom_resource_keep(custom, version_name),
                .plural = custom_resource_keep(custom, json_get_text(names, "plural")),
                .singular = custom_resource_keep(custom, json_get_text(names, "singular")),
                .kind = custom_resource_keep(custom, json_get_text(names, "kind")),
                .verbs = VERB_STANDARD,
                .flags = KIND_GENERATION |
                         (slice_is(json_get_text(spec, "scope"), "Namespaced") ? KIND_NAMESPACED
                                                                               : 0),
                .prune = custom_resource_prune,
                .openapi = custom_resource_openapi,
                .prepare = custom_resource_prepare,
                .validate = custom_resource_validate,
        };
        custom->kind.short_names = keep_names(custom, 0, json_get(names, "shortNames"));
        custom->kind.categories = keep_names(custom, 1, json_get(names, "categories"));
        make_columns(custom);
        make_subresources(custom, version);
        resource_add(&customs->engine->resources, &custom->resource, &custom->kind);
        custom->next = customs->first;
        customs->first = custom;
        return custom;
}

static void custom_free(struct resource_table *table, struct custom_resource *custom) {
        resource_forget(table, &custom->resource); /* first: its path is made of the texts below */
        for (size_t i = 0; i < custom->kind.column_count; i++) {
                free((char *)custom->columns[i].name);
                free((char *)custom->columns[i].type);
        }
        free(custom->columns);
        for (int which = 0; which < 2; which++) {
                for (size_t i = 0; custom->names[which][i]; i++)
                        free((char *)custom->names[which][i]);
        }
        for (size_t i = 0; i < custom->text_count; i++)
                free(custom->texts[i]);
        free(custom->definition);
        custom_rules_free(custom->rules);
        arena_release(&custom->types);
        json_doc_free(custom->doc);
        free(custom);
}

/* ---- following the definitions ---- */

static void custom_resource_retire(struct custom_resources *customs, struct slice definition) {
        for (struct custom_resource *custom = customs->first; custom; custom = custom->next) {
                if (custom->is_retired || !slice_is(definition, custom->definition))
                        continue;
                custom->is_retired = true;
                resource_withdraw(&customs->engine->resources, &custom->resource);
        }
}

/* A resource for each version; given is NULL for definitions of the store. */
static void take_in(struct custom_resources *customs, struct slice text,
                    const struct api_definition *given) {
        struct json_doc *doc = NULL;
        struct custom_resource *custom;
        const struct json *version;

        if (json_parse(text, &doc, NULL) < 0)
                return;
        custom_resource_retire(customs,
                               json_get_text(json_get(json_doc_root(doc), "metadata"), "name"));
        struct json_iter iter =
                json_iter(json_get(json_get(json_doc_root(doc), "spec"), "versions"));
        while (json_next(&iter, NULL, &version)) {
                if (!json_get_bool(version, "served", true))
                        continue;
                custom = custom_new(customs, text, json_get_text(version, "name"));
                if (custom && given) {
                        custom->is_given = true;
                        custom->check = given->check;
                        custom->resource.merge_type =
                                custom_merge_type(custom->schema, &custom->types);
                }
        }
        json_doc_free(doc);
}

static void custom_resource_establish(struct custom_resources *customs, struct slice name) {
        struct api_engine *engine = customs->engine;
        struct api_context context = { .engine = engine,
                                       .arena = &engine->scratch,
                                       .manager = SLICE_LITERAL("berth") };
        const struct store_object *object =
                store_get(engine->store, customs->definitions->store_resource, SLICE_EMPTY, name);
        struct wall_time now = loop_wall(engine->loop);
        struct json_node *status, *spec, *stored, *version;
        struct api_write write = { 0 };
        struct node_iter iter;
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
                stored = node_array(write.tree);
                iter = node_iter(node_get(spec, "versions"));
                while (node_next(&iter, NULL, &version)) {
                        if (node_is_true(node_get(version, "storage")))
                                node_append(stored,
                                            node_text(write.tree, node_get_text(version, "name")));
                }
                node_put(write.tree, status, "storedVersions", stored);
                if (!is_same_object(write.object, write.old_json))
                        write_put(&context, &write, &body);
                write_end(&write);
        }
        for (size_t i = 0; i < context.doc_count; i++)
                json_doc_free(context.docs[i]);
        free(context.docs);
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

static bool is_served(const struct custom_resources *customs, const char *definition) {
        for (const struct custom_resource *custom = customs->first; custom; custom = custom->next) {
                if (!custom->is_retired && strcmp(custom->definition, definition) == 0)
                        return true;
        }
        return false;
}

static void custom_resource_settle(void *context) {
        struct custom_resources *customs = context;

        customs->is_settling = false;
        if (!customs->engine) { /* stopped meanwhile */
                free(customs);
                return;
        }
        for (struct custom_resource *custom = customs->first; custom; custom = custom->next) {
                if (custom->is_given)
                        continue;
                if (!custom->is_retired)
                        custom_resource_establish(customs, slice_of(custom->definition));
                else if (!is_served(customs, custom->definition))
                        remove_objects(customs, custom->resource.store_resource);
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
                struct custom_resource *custom = customs->first;

                customs->first = custom->next;
                custom_free(&engine->resources, custom);
        }
        customs->engine = NULL;
        if (!customs->is_settling)
                free(customs);
}
