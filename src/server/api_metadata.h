/* metadata: rules, generated names, and who owns which fields. */
#pragma once

#include "server/api_store.h"

void validate_metadata(struct api_context *context, const struct api_write *write,
                       struct field_errors *errors);
void validate_metadata_update(struct api_context *context, const struct api_write *write,
                              struct field_errors *errors);
void generate_name(struct api_engine *engine, struct slice prefix, char *buffer);

/* managedFields (managed_fields.c). */
void manage_fields(struct api_context *context, struct api_write *write);
bool has_new_owners(const struct api_write *write); /* other than what is stored, times apart */
void clear_empty_owners(struct api_write *write);
struct json_node *managed_entry(const struct api_context *context, const struct api_write *write,
                                struct json_node *list);
/* What entries without a recorded set own together: all that no other entry owns. NULL when there
 * is none; *ret_entry is the one that represents them. */
struct json_node *managed_rest(const struct api_write *write, const struct json_node *list,
                               const struct json_node *live, const struct json_node **ret_entry);
