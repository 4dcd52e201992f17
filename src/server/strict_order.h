/* Strict decoding complains as it reads: of unknown and of repeated members in one order. */
#pragma once

#include "api/json.h"
#include "server/unknown_paths.h"

/* Reports each path once, where the document has it: a repeated member where it comes again. What
 * an unknown member holds is not looked into. */
void strict_order(const struct json *root, const struct unknown_paths *unknown,
                  const struct unknown_paths *repeated,
                  void (*report)(void *context, const char *what, struct slice path),
                  void *context);
