/* Long lists, whose text is made while they are read. */
#include "server/api_context.h"
#include "server/api_list.h"
#include "server/api_object.h"
#include <stdlib.h>

struct list_stream {
        struct http_stream stream;
        struct api_resource view; /* a copy; kind is NULL when bodies are written as stored */
        const struct store_object **objects; /* referenced until they are written */
        size_t count, at;
        struct buf head;
        struct arena scratch; /* for views */
};

static enum http_stream_state list_read(struct http_stream *stream, struct buf *out,
                                        size_t soft_limit) {
        struct list_stream *list = CONTAINER_OF(stream, struct list_stream, stream);

        if (list->head.len) {
                buf_slice(out, buf_view(&list->head));
                buf_release(&list->head);
        }
        while (list->at < list->count && out->len < soft_limit) {
                const struct store_object *object = list->objects[list->at];

                if (list->at++ > 0)
                        buf_char(out, ',');
                if (list->view.kind)
                        buf_slice(out, object_view(&list->scratch, &list->view,
                                                   store_object_body(object)));
                else
                        store_object_append(object, out);
                store_object_unref(object);
                arena_clear(&list->scratch);
        }
        if (list->at < list->count || list->count == 0)
                return list->count ? HTTP_STREAM_MORE : HTTP_STREAM_ENDED;
        buf_text(out, "]}");
        list->count = 0;
        list->at = 0;
        return HTTP_STREAM_ENDED;
}

static void list_free(struct http_stream *stream) {
        struct list_stream *list = CONTAINER_OF(stream, struct list_stream, stream);

        while (list->at < list->count)
                store_object_unref(list->objects[list->at++]);
        free(list->objects);
        buf_release(&list->head);
        arena_release(&list->scratch);
        free(list);
}

struct http_stream *list_stream_new(const struct api_resource *resource, struct page *page,
                                    struct buf *head) {
        static const struct http_stream_ops ops = { .read = list_read, .free = list_free };
        struct list_stream *list = xcalloc(1, sizeof(*list));

        list->stream.ops = &ops;
        if (resource->kind->from_stored)
                list->view = *resource;
        list->objects = page->objects;
        list->count = page->count;
        list->head = *head;
        for (size_t i = 0; i < list->count; i++)
                store_object_ref(list->objects[i]);
        arena_init(&list->scratch, 0);
        page->objects = NULL;
        page->count = 0;
        *head = (struct buf){ 0 };
        return &list->stream;
}
