/* Custom resources: CustomResourceDefinitions in the store become resources of the server.
 *
 * A definition takes effect inside the commit that stores it. What has to be written because of it
 * (that its names are accepted, the end of its objects) follows from the loop. Deleted resources
 * stay in memory until the server ends, because watches may still refer to them; their routes are
 * gone. */
#include "server/custom_resource.h"
#include "server/api_object.h"

#include "schema/object_compare.h"
#include "server/api_store.h"
#include "server/custom_resource_priv.h"
#include "server/managed_fields.h"
#include "server/pod_conditions.h"
#include <stdlib.h>

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

/* A resource for each version; given is NULL for definitions of the store. */
static void take_in(struct custom_resources *customs, struct slice text,
                    const struct api_definition *given) {
        struct json_doc *doc = NULL;

        if (json_parse(text, &doc, NULL) < 0)
                return;
        struct custom_definition *definition = custom_definition_new(doc);
        struct custom_definition *served = map_get(customs->served, definition->name);
        if (is_taken_in(served, json_doc_root(doc))) {
                served->is_settled = false;
                custom_definition_free(&customs->engine->resources, definition);
                return;
        }
        custom_resource_retire(customs, definition->name);
        if (given) {
                definition->is_given = true;
                definition->check = given->check;
        }
        custom_definition_serve(customs->engine, definition);
        map_put(customs->served, definition->name, definition);
        definition->next = customs->first;
        customs->first = definition;
}

static void custom_resource_establish(struct custom_resources *customs, struct slice name) {
        struct api_engine *engine = customs->engine;
        struct api_context context = { .engine = engine,
                                       .arena = &engine->scratch,
                                       .manager = SLICE_LITERAL("kube-apiserver") };
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
                if (!is_same_object(write.object, write.old_json)) {
                        write.subresource = SLICE_LITERAL("status");
                        manage_fields(&context, &write);
                        write_put(&context, &write, &body);
                }
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
                custom_definition_free(&engine->resources, definition);
        }
        map_free(customs->served);
        customs->engine = NULL;
        if (!customs->is_settling)
                free(customs);
}
