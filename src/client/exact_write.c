/* Reads, patches and updates, again after conflicts: another one wrote in between. */
#include "client/exact_write.h"

#include "api/json.h"
#include "base/arena.h"
#include "base/util.h"
#include "schema/protobuf_patch.h"
#include <stdlib.h>

#define PROTOBUF_TYPE SLICE_LITERAL("application/vnd.kubernetes.protobuf")

struct exact_write {
        struct exact_write_config config;
        char *path, *object_path;
        struct json_doc *patch;
        struct api_request *request; /* NULL between tries */
        struct loop_timer retry;
        int tries;
};

static void exact_write_finish(struct exact_write *write, const struct api_reply *reply) {
        void (*done)(void *context, const struct api_reply *reply) = write->config.done;
        void *context = write->config.context;

        exact_write_free(write);
        done(context, reply);
}

/* A patch that names a version is good for that one only. */
static bool names_version(const struct exact_write *write) {
        const struct json *meta = json_get(json_doc_root(write->patch), "metadata");

        return json_get(meta, "resourceVersion");
}

static void on_updated(void *context, const struct api_reply *reply) {
        struct exact_write *write = context;

        write->request = NULL;
        if (reply->status == 409 && ++write->tries < EXACT_WRITE_TRIES_MAX && !names_version(write))
                loop_timer_arm(write->config.loop, &write->retry, EXACT_WRITE_RETRY_NS);
        else
                exact_write_finish(write, reply);
}

static void on_read(void *context, const struct api_reply *reply) {
        CLEANUP(buf_release) struct buf patched = { 0 };
        struct exact_write *write = context;

        write->request = NULL;
        if (reply->status != 200) {
                exact_write_finish(write, reply);
                return;
        }
        if (protobuf_patch(reply->body, json_doc_root(write->patch), &patched, NULL) < 0) {
                exact_write_finish(write, NULL);
                return;
        }
        write->config.called(write->config.context, API_PUT);
        write->request = transport_call(write->config.transport,
                                        &(struct api_call){ .method = API_PUT,
                                                            .path = slice_of(write->path),
                                                            .content_type = PROTOBUF_TYPE,
                                                            .body = buf_view(&patched) },
                                        on_updated, write);
}

static void read_object(void *context) {
        struct exact_write *write = context;

        if (!write->patch) {
                exact_write_finish(write, NULL);
                return;
        }
        write->config.called(write->config.context, API_GET);
        write->request = transport_call(write->config.transport,
                                        &(struct api_call){ .method = API_GET,
                                                            .path = slice_of(write->object_path),
                                                            .accept = PROTOBUF_TYPE },
                                        on_read, write);
}

/* Subresources are read with the object; it has everything, and needs no further right. */
static struct slice object_path(struct slice path) {
        const struct slice status = SLICE_LITERAL("/status");

        return slice_has_suffix(path, status) ? slice_make(path.ptr, path.len - status.len) : path;
}

struct exact_write *exact_write_new(const struct exact_write_config *config) {
        struct exact_write *write = xcalloc(1, sizeof(*write));

        write->config = *config;
        write->path = slice_dup(config->path);
        write->object_path = slice_dup(object_path(config->path));
        if (json_parse(config->patch, &write->patch, NULL) < 0)
                write->patch = NULL;
        write->retry = (struct loop_timer){ .fired = read_object, .context = write };
        loop_timer_arm(config->loop, &write->retry, 0);
        return write;
}

void exact_write_free(struct exact_write *write) {
        if (!write)
                return;
        if (write->request)
                transport_cancel(write->config.transport, write->request);
        loop_timer_disarm(write->config.loop, &write->retry);
        json_doc_free(write->patch);
        free(write->path);
        free(write->object_path);
        free(write);
}
