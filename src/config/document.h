/* Text from people to values with positions: YAML 1.2 or JSON, one or several documents.  The only
 * room that knows libfyaml.
 *
 * A document is read into the same immutable values that the api room decodes (struct json), so
 * every decoder works on YAML; beside them stands where each value was written.  Plain scalars
 * follow the rules of sigs.k8s.io/yaml (YAML 1.1 booleans "yes/on" are strings here as in YAML 1.2;
 * numbers and null by the JSON schema); anchors, aliases and merge keys are resolved, bounded by
 * DOCUMENT_NODES_MAX.  JSON input larger than DOCUMENT_POSITIONS_MAX bytes is parsed without
 * positions, by the fast path. */
#pragma once

#include "api/json.h"
#include "base/arena.h"
#include "base/err.h"

#define DOCUMENT_BYTES_MAX ((size_t)1 << 31)     /* one file */
#define DOCUMENT_POSITIONS_MAX ((size_t)1 << 22) /* 4 MiB: beyond it JSON carries no positions */
#define DOCUMENT_NODES_MAX ((size_t)1 << 22)     /* values after aliases are resolved */

struct document;

struct document_list {
        size_t count;
        struct document **items;
};

/* Reads every document of text ("---" separated; empty ones are left out).  file names it in
 * errors (copied).  Errors: BERTH_ERR_BAD_REQUEST with file, line, column. */
int document_list_read(struct slice text, const char *file, struct document_list *ret_list,
                       struct err *err);
/* Reads exactly one document; an empty text yields a null root. */
int document_read(struct slice text, const char *file, struct document **ret_document,
                  struct err *err);
void document_list_release(struct document_list *list);
void document_free(struct document *document); /* accepts NULL */
void cleanup_document(struct document **document);

const struct json *document_root(const struct document *document);
const char *document_file(const struct document *document);
/* Fills file, line and column of err for a value of this document (position unknown: only file).
 * For members the position is that of the value. */
void document_locate(const struct document *document, const struct json *value, struct err *err);
/* Position of the key of a member, for unknown or repeated fields. */
void document_locate_key(const struct document *document, const struct json *object,
                         struct slice key, struct err *err);
/* Keys written twice in one mapping (the last one counts): reported as path, position; at most
 * JSON_DUPLICATE_MAX. */
size_t document_duplicates(const struct document *document,
                           void (*found)(void *context, const struct err *where), void *context);
/* The reader the sandbox uses for YAML request bodies (api_server_config.read_yaml). */
int document_read_tree(struct slice text, struct json_tree **ret_tree, struct err *err);
