/* Empty lists and maps that the client sent and that Go, unlike the stored form, tells from absent
 * ones. */
#pragma once

#include "server/api_store.h"

/* The object with those put back that upstream sees when it compares two states: of fields that are
 * always printed, and inside lists that are compared as a whole. It is the written one itself when
 * there are none. */
struct json_node *emptied_put_back(const struct api_context *context,
                                   const struct api_write *write);
/* Takes back defaults that are for members of which nothing was said, not for those said to be
 * empty. */
void emptied_take_back(const struct api_context *context, const struct api_write *write);
/* One of them is in what the kind counts as its specification, and still empty. */
bool emptied_changes_spec(const struct api_context *context, const struct api_write *write);
