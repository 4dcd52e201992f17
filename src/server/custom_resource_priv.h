/* What the files of custom resources share: definitions, their versions, and their hooks. */
#pragma once

#include "server/api_context.h"

struct custom_rules;
struct store_subscription;

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
        bool is_storage;   /* the version that objects are stored in */
        bool has_embedded; /* objects may have whole objects inside (kinds/embedded_resource.h) */
};

struct custom_resources {
        struct custom_definition *first; /* retired ones too */
        struct map *served;              /* those that are not, by name */
        const struct api_resource *definitions;
        struct store_subscription *subscription;
        bool is_settling; /* a deferred settle is under way */
        struct api_engine *engine;
};

/* Hooks of the kinds that definitions make. */
const struct custom_resource *custom_of(const struct kind_info *kind);
int custom_resource_prune(const struct kind_info *kind, struct json_tree *tree,
                          struct json_node *object,
                          void (*unknown)(void *context, const char *path), void *context,
                          struct err *err);
void custom_resource_openapi(const struct kind_info *kind, struct buf *out);
void custom_resource_prepare(struct kind_context *context, enum kind_operation operation,
                             struct json_tree *tree, struct json_node *object,
                             const struct json *old);
void custom_resource_validate(struct kind_context *context, enum kind_operation operation,
                              const struct json_node *object, const struct json *old,
                              struct field_errors *errors);
void custom_resource_row(struct kind_context *context, const struct json *object, struct buf *cells,
                         struct buf *conditions);

/* Takes the document over. */
struct custom_definition *custom_definition_new(struct json_doc *doc);
void custom_definition_free(struct resource_table *table, struct custom_definition *definition);
/* A resource for each version that is served; those of the newest version are listed first. */
void custom_definition_serve(struct api_engine *engine, struct custom_definition *definition);
