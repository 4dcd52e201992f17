/* Members that no role reads are left out of nodes and pods in protobuf: lists of a real
 * kube-apiserver give the very same model with and without them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/base64.h"
#include "base/util.h"
#include "client/list_reader.h"
#include "loop/watch_set.h"
#include "model/cluster.h"
#include "port/virtual_loop.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The recorded list of a path, decoded from base64. */
static struct buf recorded_list(const char *path) {
        FILE *file = fopen(RECORDED, "re");
        struct buf list = { 0 };
        char *line = NULL;
        size_t cap = 0;
        ssize_t size;

        assert_non_null(file);
        while (list.len == 0 && (size = getline(&line, &cap, file)) > 0) {
                struct json_doc *doc = NULL;

                assert_int_equal(json_parse(slice_make(line, (size_t)size), &doc, NULL), 0);
                const struct json *root = json_doc_root(doc);
                if (slice_is(json_get_text(root, "path"), path))
                        assert_true(base64_decode(json_get_text(root, "protobuf"), BASE64_STANDARD,
                                                  &list));
                json_doc_free(doc);
        }
        assert_true(list.len > 0);
        free(line);
        fclose(file);
        return list;
}

/* Members of the first container that nobody reads. */
static size_t unread_members(const struct json *pod) {
        static const char *const names[] = { "env", "command", "args", "livenessProbe",
                                             "volumeMounts" };
        const struct json *container = json_at(json_get(json_get(pod, "spec"), "containers"), 0);
        size_t count = json_get(json_get(pod, "metadata"), "managedFields") != NULL;

        for (size_t i = 0; i < ARRAY_LEN(names); i++)
                count += json_get(container, names[i]) != NULL;
        return count;
}

/* ---- the model ---- */

struct feed {
        struct cluster *cluster;
        enum object_kind kind;
        size_t objects, unread;
};

static void on_object(void *context, const struct json *object) {
        struct feed *feed = context;
        struct err err = { 0 };

        feed->objects++;
        feed->unread += unread_members(object);
        if (cluster_apply(feed->cluster, feed->kind, CHANGE_ADDED, object, &err) < 0)
                fail_msg("%s", err.text);
}

static void read_into(struct feed *feed, enum object_kind kind, const char *path,
                      bool leaves_unread) {
        struct list_reader *reader = list_reader_new(on_object, feed);
        struct buf list = recorded_list(path);

        feed->kind = kind;
        list_reader_leave_unread(reader, leaves_unread);
        assert_int_equal(list_reader_read(reader, buf_view(&list), NULL), 0);
        list_reader_free(reader);
        buf_release(&list);
}

static struct feed model_of(bool leaves_unread) {
        struct feed feed = { .cluster = cluster_new(&(struct cluster_config){
                                     .keeps_finished = true, .keeps_detail = true }) };

        read_into(&feed, OBJECT_NODE, "/api/v1/nodes", leaves_unread);
        read_into(&feed, OBJECT_POD, "/api/v1/pods", leaves_unread);
        return feed;
}

static void test_same_model(void **state) {
        struct feed all = model_of(false), some = model_of(true);

        (void)state;
        assert_true(all.objects > 2 && all.objects == some.objects);
        assert_true(all.unread > 4);
        assert_int_equal(some.unread, 0);
        assert_true(cluster_digest(all.cluster) == cluster_digest(some.cluster));
        cluster_free(all.cluster);
        cluster_free(some.cluster);
}

/* ---- rows that want all ---- */

struct server { /* answers each list with the same page; watches bring nothing */
        struct transport transport;
        struct loop *loop;
        struct buf list;
        struct api_request call, stream;
};

static void answer_list(void *context) {
        struct server *server = context;
        struct api_reply reply = { .status = 200, .body = buf_view(&server->list) };

        server->call.done(server->call.context, &reply);
}

static struct api_request *on_call(void *self, const struct api_call *call,
                                   void (*done)(void *context, const struct api_reply *reply),
                                   void *context) {
        struct server *server = self;

        (void)call;
        server->call = (struct api_request){ .done = done, .context = context };
        loop_defer(server->loop, answer_list, server);
        return &server->call;
}

static struct api_request *on_stream(void *self, const struct api_call *call,
                                     const struct api_stream_events *events, void *context) {
        struct server *server = self;

        (void)call, (void)events, (void)context;
        return &server->stream;
}

static void on_cancel(void *self, struct api_request *request) {
        (void)self, (void)request;
}

static void on_changed(void *context, enum reflector_change change, const struct json *object) {
        (void)change;
        *(size_t *)context += unread_members(object);
}

static void follow(struct watch_set *set, struct virtual_loop *loop, bool leaves_unread,
                   size_t *unread) {
        static const struct reflector_events events = { .changed = on_changed };
        struct watch_row *row =
                watch_set_add(set, &(struct watch_request){ .path = "/api/v1/pods",
                                                            .leaves_unread = leaves_unread,
                                                            .events = &events,
                                                            .context = unread });

        virtual_loop_advance(loop, NS_PER_S);
        assert_true(watch_row_is_synced(row));
}

/* A row that wants all gets it, also of a collection that others read without. */
static void test_row_that_wants_all(void **state) {
        static const struct transport_ops ops = { on_call, on_stream, on_cancel, NULL };
        struct virtual_loop *loop = virtual_loop_new();
        struct server server = { .transport = { &ops, &server },
                                 .loop = virtual_loop_get(loop),
                                 .list = recorded_list("/api/v1/pods") };
        struct watch_set *set = watch_set_new(&server.transport, server.loop);
        size_t some = 0, all = 0;

        (void)state;
        follow(set, loop, true, &some);
        follow(set, loop, false, &all);
        assert_int_equal(some, 0);
        assert_true(all > 4);
        watch_set_free(set);
        virtual_loop_free(loop);
        buf_release(&server.list);
}

int main(void) {
        const struct CMUnitTest tests[] = { cmocka_unit_test(test_same_model),
                                            cmocka_unit_test(test_row_that_wants_all) };

        return cmocka_run_group_tests(tests, NULL, NULL);
}
