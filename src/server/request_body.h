/* What a request's body is, before it is taken for an object. */
#pragma once

#include "server/api_context.h"

/* Media types are the same in any case; wanted is in small letters. */
bool media_is(struct slice content_type, const char *wanted);
/* Replaces YAML by the JSON it stands for, and what is no Unicode by U+FFFD. What is wrong with
 * YAML is reported once it is to be decoded. */
void body_prepare(struct api_context *context);
/* The body could not be taken for the kind: its beginning is shown. */
int fail_body(struct api_context *context, const char *kind, const char *text);
