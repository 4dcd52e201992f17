/* JSON as Go's encoding/json reads it: what it refuses is complained of in its words. */
#pragma once

#include "api/json.h"
#include "base/buf.h"

/* What is wrong with a text, such as "invalid character 'x' looking for beginning of value"; NULL
 * when Go takes it. In out. */
const char *go_json_problem(struct slice text, struct buf *out);

const char *json_go_name(enum json_type type); /* as Go's decoder calls it */

/* As json_parse(), with what go_json_mend() mends and Go's words for what Go refuses. */
int go_json_parse(struct slice text, struct json_doc **ret_doc, struct err *err);
/* As json_tree_parse(), with these words. */
int go_json_tree_parse(struct slice text, struct json_tree **ret_tree, struct err *err);

/* Go takes half a pair of surrogates, and each byte that is no UTF-8, for U+FFFD. False: the text
 * has none, and out is not written. */
bool go_json_mend(struct slice text, struct buf *out);
