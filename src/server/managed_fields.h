/* metadata.managedFields: which manager owns which fields of an object, as sets of paths. */
#pragma once

#include "server/api_store.h"

struct field_owner {
        struct slice manager, version, subresource, time; /* time: empty = none */
        bool is_applier, is_sorted;                       /* is_sorted: the set already is */
        struct json_node *set;
};
struct owners {
        struct field_owner *items; /* in the arena of the request */
        size_t count, capacity;
        bool has_entries; /* some were read, of which empty ones do not count */
};
/* Reads a list of entries, which is of the tree; false when one of them is none. */
bool owners_read(struct api_context *context, struct json_tree *tree, const struct json_node *list,
                 struct owners *ret_owners);
/* The owner that the request writes for; NULL when there is none yet. */
struct field_owner *owners_find(const struct api_context *context, const struct api_write *write,
                                const struct owners *owners);
struct field_owner *owners_add(struct api_context *context, const struct api_write *write,
                               struct owners *owners, struct slice manager);
void owner_stamp(struct api_context *context, struct field_owner *owner); /* wrote now */
/* Leaves out those that own nothing, and sorts the rest into metadata. */
void owners_write(const struct api_write *write, struct owners *owners);
/* Fields that identify an object have no owner. */
void owned_set_strip(struct json_node *set);
/* Takes out what the path of the request cannot write. */
void owned_set_filter(const struct api_write *write, struct json_node *set);
/* Shape of the object that is written. */
struct field_shape written_shape(const struct api_write *write);
/* What an object is before it has been created. */
struct json_node *unborn_object(const struct api_write *write);
/* A copy of the stored object without owners. */
struct json_node *live_object(const struct api_write *write);

struct field_changes;
/* Versions that are no longer served own nothing, nor do those of another group, which nothing is
 * converted to. Whether there were any. */
bool owners_forget_versions(const struct api_context *context, const struct api_write *write,
                            struct owners *owners);
/* Changed fields leave the sets of all owners. */
void owners_lose(struct owners *owners, const struct field_changes *changes);
/* Between two states, without what the path of the request cannot write. */
struct field_changes written_changes(const struct api_write *write, const struct json_node *before,
                                     const struct json_node *after);

/* Ownership after a write that is no apply: what it changed belongs to its manager. */
void manage_fields(struct api_context *context, struct api_write *write);
/* The same of a status that the server writes because of a request about another object: what it
 * counts is its own, whoever asked. */
void manage_own_status(struct api_context *context, struct api_write *write);
/* An empty list asks for no owners at all, but of custom resources, where it says nothing. Said as
 * [{}] it survives the removal of empty values. resource: NULL = none that is stored. */
void keep_owner_reset(const struct api_resource *resource, struct json_tree *tree,
                      struct json_node *object);
/* The same owners and fields as are stored; times apart, if so asked. */
bool has_same_owners(const struct api_write *write, bool is_timeless);
