/* One write: from a stored object to the beginning of it, and from its end to the store. */
#pragma once

#include "server/api_context.h"

struct api_write {
        const struct api_resource *resource;
        enum kind_operation operation;
        struct slice ns, name;
        struct json_tree *tree;
        struct json_node *object;
        const struct store_object *old; /* NULL on create; counted */
        const struct json *old_json;    /* in the view of the resource */
        const struct json *stored_json; /* as stored; the same but for views */
        struct slice subresource;       /* for managedFields: status, scale */
        struct slice before;            /* what is patched, of a view that is stored nowhere */
        uint64_t raw_form; /* of its raw members (server/raw_forms.h), as the client sent them */
        bool is_raw_changed;
        bool has_dropped; /* fields that gates keep out */
        bool has_labels;  /* of its own: given, or not one map with those of its template */
        bool is_apply;
        bool is_idle;       /* an apply that asks for what is there, without a null beside it */
        bool is_owned;      /* its managedFields are what they become */
        bool is_mutated;    /* by policies */
        bool has_made_name; /* from metadata.generateName */
        bool is_patch;      /* changes of identity are 422 instead of 409 */
        bool has_self_link; /* stored nowhere, and yet a change: times of owners are new */
};
/* Store or remove the write's tree as it is, without hooks. */
int write_put(struct api_context *context, struct api_write *write, struct slice *ret_body);
int write_remove(struct api_context *context, struct api_write *write, struct slice *ret_body);
/* A write that starts from a stored object: an editable copy with kind and apiVersion. */
int write_begin(struct api_context *context, const struct api_resource *resource,
                const struct store_object *object, struct api_write *ret_write);
void write_end(struct api_write *write);
/* Removal by the server itself; watchers see the last state with the new revision. */
void object_remove(struct api_engine *engine, const struct store_object *object);
