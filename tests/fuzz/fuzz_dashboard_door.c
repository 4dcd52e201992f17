/* Requests to the live page: nobody who does not know a secret is let in, whatever the headers, and
 * any address asks for a document without harm. First line: the address; then lines NAME: VALUE. */
#include "base/arena.h"
#include "base/util.h"
#include "dashboard/address_query.h"
#include "dashboard/door.h"
#include "dashboard/event_ring.h"
#include "dashboard/pod_document.h"
#include <assert.h>
#include <stdint.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const struct door *own_door(void) {
        static struct door door;
        struct err err;

        if (!door.cookie[0]) {
                int code = door_init(&door, "page.example, other.example", &err);

                assert(code == 0);
                door_name_cookie(&door, 8088);
        }
        return &door;
}

static const struct event_ring *own_ring(void) {
        static struct event_ring *ring;
        struct json_doc *doc = NULL;
        struct err err;

        if (ring)
                return ring;
        ring = event_ring_new();
        event_ring_settle(ring);
        if (json_parse(SLICE_LITERAL("{\"reason\":\"Evicted\",\"regarding\":{\"name\":\"web\"}}"),
                       &doc, &err) == 0)
                event_ring_put(ring, json_doc_root(doc));
        json_doc_free(doc);
        return ring;
}

/* As a front shows them: NAME NUL VALUE NUL ... */
static void read_headers(struct slice lines, struct buf *out) {
        struct slice line, name;

        while (slice_split(&lines, '\n', &line)) {
                if (!slice_split(&line, ':', &name) || !line.ptr)
                        continue;
                buf_slice(out, name);
                buf_char(out, '\0');
                buf_slice(out, slice_trim(line));
                buf_char(out, '\0');
        }
}

static void ask_documents(struct slice target) {
        CLEANUP(buf_release) struct buf out = { 0 };
        struct json_tree *tree = NULL;
        struct slice path;
        struct err err;

        slice_split(&target, '?', &path);
        event_ring_write(own_ring(), target, &out);
        if (json_tree_parse(SLICE_LITERAL("{\"nodes\":[{\"node\":\"a\",\"fits\":true,\"total\":3},"
                                          "{\"node\":\"b\",\"plugin\":\"Fit\","
                                          "\"reasons\":[\"cpu\"]}]}"),
                            &tree, &err) == 0)
                pod_document_write(tree, json_tree_root(tree), target, &out);
        json_tree_free(tree);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
        CLEANUP(buf_release) struct buf headers = { 0 };
        struct slice rest = slice_make((const char *)data, size), target;

        slice_split(&rest, '\n', &target);
        read_headers(rest, &headers);
        struct http_request request = { .method = SLICE_LITERAL("GET"),
                                        .target = target,
                                        .headers = buf_view(&headers) };
        request.authorization = http_request_header(&request, "Authorization");
        enum door_answer answer = door_ask(own_door(), &request);
        assert(answer != DOOR_OPEN && answer != DOOR_FIRST_VISIT);
        ask_documents(target);
        return 0;
}
