/* metadata: rules and generated names. */
#pragma once

#include "server/api_store.h"

void validate_metadata(const struct api_write *write, struct field_errors *errors);
/* Returns how many of the errors the rules of all kinds found; those behind them are the kind's. */
size_t validate_metadata_update(struct api_context *context, const struct api_write *write,
                                struct field_errors *errors);
void generate_name(struct api_engine *engine, struct slice prefix, char *buffer);
