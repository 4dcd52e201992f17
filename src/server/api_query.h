/* Query parameters. */
#pragma once

#include "server/api_context.h"

/* has_plus: a plus sign stands for a space, as in queries. */
struct slice percent_decode(struct arena *arena, struct slice text, bool has_plus);
int query_parse(struct api_context *context, struct slice text);
bool query_get(const struct api_query *query, const char *key, struct slice *ret_value);
struct slice query_text(const struct api_query *query, const char *key); /* empty when absent */
int query_number(struct api_context *context, const char *name, int64_t *ret_value,
                 bool *ret_is_given);
/* All values of an option as a JSON list, in the request's arena; NULL when it is absent.
 * *ret_is_known: there is no other one than the word. */
const char *query_values(struct api_context *context, const char *key, const char *word,
                         bool *ret_is_known);
bool query_is_true(const struct api_query *query, const char *key);
/* dryRun and the like; what is wrong with them comes after the errors that there are already. */
int write_options(struct api_context *context, const char *options, struct field_errors *errors);
struct slice default_manager(struct slice user_agent);
