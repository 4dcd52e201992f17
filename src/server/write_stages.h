/* What every write goes through, in this order; each stage fails with an answer for the client. */
#pragma once

#include "server/api_store.h"

/* The object as its client means it: with defaults, and owned before anything changes it. */
void prepare_owners(struct api_context *context, struct api_write *write);
/* Admission that may change the object. */
int run_hooks(struct api_context *context, struct api_write *write);
int run_validation(struct api_context *context, struct api_write *write);
/* What is valid may still be refused: by the standards of its namespace, policies, webhooks,
 * quotas. */
int run_judges(struct api_context *context, struct api_write *write);
/* Most namespaces have no quotas: their writes are not checked further. */
bool has_quotas(const struct api_context *context, const struct api_write *write);
/* The form in which the store keeps the object (events of either group). */
void api_write_convert(struct api_write *write);
/* Defaults that are set as the object is read back from the store, where they show. */
void api_write_read_back(struct api_write *write);
