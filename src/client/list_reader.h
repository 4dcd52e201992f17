/* Reads the answer to a list while it arrives, in JSON or in protobuf: hands over one item after
 * the other, so that a list of any size takes the memory of its largest item. */
#pragma once

#include "api/json.h"
#include "base/buf.h"
#include "base/err.h"

#define LIST_ITEM_MAX ((size_t)16 << 20) /* bytes of one item or other member */

struct list_reader;
struct pod;
struct pod_reader;

/* The item is valid during the call. Without found, items are skipped. */
struct list_reader *list_reader_new(void (*found)(void *context, const struct json *item),
                                    void *context);
/* Items in protobuf then come without what no role reads of nodes and pods. */
void list_reader_leave_unread(struct list_reader *reader, bool leaves_unread);
/* Pods in protobuf that leave members unread are then handed over so where they can be; all else as
 * before.  The pods of reader are borrowed. */
void list_reader_read_pods(struct list_reader *reader, struct pod_reader *pods,
                           void (*found_pod)(void *context, const struct pod *pod));
void list_reader_free(struct list_reader *reader);  /* accepts NULL; not from inside found */
void list_reader_begin(struct list_reader *reader); /* of an answer; forgets the one before */
/* Takes the next bytes, cut anywhere. Errors: BERTH_ERR_BAD_REQUEST, BERTH_ERR_TOO_LARGE; the
 * answer is then lost, and what was handed over stays handed over. */
int list_reader_feed(struct list_reader *reader, struct slice chunk, struct err *err);
/* The answer has ended: BERTH_ERR_BAD_REQUEST when it is not whole, BERTH_ERR_INTERNAL when it is
 * no list. */
int list_reader_end(struct list_reader *reader, struct err *err);
/* The same for an answer that has arrived whole. */
int list_reader_read(struct list_reader *reader, struct slice body, struct err *err);
/* Of such an answer only what its metadata says: quick where that stands before the items, as it
 * does in lists of built-in kinds. */
int list_reader_peek(struct list_reader *reader, struct slice body, struct err *err);
/* metadata.resourceVersion and metadata.continue of the list, once it has been read; empty = none.
 */
struct slice list_reader_version(const struct list_reader *reader);
struct slice list_reader_continue(const struct list_reader *reader);
