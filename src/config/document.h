/* Text from people to values with positions: YAML or JSON, one or several documents.  The only
 * room that knows libfyaml.
 *
 * A document is read into the same immutable values that the api room decodes (struct json), so
 * every decoder works on YAML; beside them stands where each value was written.
 *
 * Plain scalars mean what they mean to sigs.k8s.io/yaml, and so to Kubernetes: y, yes, on, true are
 * true and n, no, off, false are false (in lower case, capitalised, upper case); ~, null and
 * nothing are null; integers may be written 0x1f, 0o17, 017, 0b11 and with underscores between
 * digits; 1e3 and 2.0 become the integers 1000 and 2; .inf and .nan are errors, as JSON has
 * neither; dates stay strings, and so does whatever is quoted or in a block.  Keys that are no
 * strings become strings.  Anchors, aliases and merge keys ("<<") are resolved; what aliases add is
 * bounded.  Text whose first character is "{" is JSON and must be strictly so; above
 * DOCUMENT_POSITIONS_MAX bytes JSON is read without positions. */
#pragma once

#include "api/json.h"
#include "base/arena.h"
#include "base/err.h"

#define DOCUMENT_BYTES_MAX ((size_t)1 << 31) /* one file */
#define DOCUMENT_POSITIONS_MAX                                                                     \
        ((size_t)1 << 22) /* 4 MiB: texts of JSON beyond it have no positions */
/* Values that aliases and merges add. kube-apiserver takes up to 1.2 million: nearly all of 400,000
 * values may come from aliases, a tenth of 4 million, and in between so many as the line says. */
#define DOCUMENT_NODES_MAX ((size_t)1250000)
#define DOCUMENT_MERGED_MAX ((size_t)1 << 18) /* members that merges look at, hidden ones too */
#define DOCUMENT_ALIAS_BYTES_MAX ((size_t)1 << 26) /* JSON text that aliases and merges add */

struct document;

struct document_list {
        size_t count;
        struct document **items;
};

/* Reads every document of text ("---" separated; JSON also one value after the other; empty ones
 * are left out).  file names it in errors (copied).  Errors: BERTH_ERR_BAD_REQUEST with file, line,
 * column. */
int document_list_read(struct slice text, const char *file, struct document_list *ret_list,
                       struct err *err);
/* Reads the first document; an empty text yields a null root.  Kubernetes ignores what follows a
 * YAML document in a configuration file; see document_has_more. */
int document_read(struct slice text, const char *file, struct document **ret_document,
                  struct err *err);
/* A copy of one value of a document as a document of its own; positions stay those of the text. */
struct document *document_part(const struct document *document, const struct json *value);
void document_list_release(struct document_list *list); /* accepts a zeroed list */
void document_free(struct document *document);          /* accepts NULL */
void cleanup_document(struct document **document);

const struct json *document_root(const struct document *document);
const char *document_file(const struct document *document);
bool document_is_json(const struct document *document);  /* written as JSON, not as YAML */
bool document_has_more(const struct document *document); /* document_read left something out */
/* Fills file, line and column of err for a value of this document (position unknown: only file).
 * For members the position is that of the value. */
void document_locate(const struct document *document, const struct json *value, struct err *err);
/* Position of the key of a member, for unknown or repeated fields. */
void document_locate_key(const struct document *document, const struct json *object,
                         struct slice key, struct err *err);
/* Position of the value at a field path such as spec.containers[0].image below value; where the
 * path leads nowhere, of the last value on the way. */
void document_locate_path(const struct document *document, const struct json *value,
                          const char *path, struct err *err);
/* The value such a path leads to, or the last one on the way. */
const struct json *document_find_path(const struct json *value, const char *path);
/* Keys written twice in one mapping (the last one counts): reported as path, position; at most
 * JSON_DUPLICATE_MAX. Returns how many there are. */
size_t document_duplicates(const struct document *document,
                           void (*found)(void *context, const struct err *where), void *context);
/* The reader the sandbox uses for YAML request bodies (api_server_config.read_yaml). */
int document_read_tree(struct slice text, struct json_tree **ret_tree, struct err *err);
struct buf;
/* The version of libfyaml that runs, such as "0.7.12". */
void document_library_version(struct buf *out);
