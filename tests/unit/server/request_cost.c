/* Bodies and paths of the requests whose cost is measured. */
#include "request_cost.h"
#include "cost_protobuf.h"

#include "base/buf.h"
#include "base/pace.h"
#include "base/util.h"
#include "config/document.h"
#include "port/virtual_loop.h"
#include "server/api_server.h"
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define CRDS "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"

const char *const cost_path_names[] = {
        "create",          "create-yaml", "create-protobuf", "update", "json-patch", "merge-patch",
        "strategic-patch", "apply",       "apply-again",     "list",   "table",
};

/* ---- bodies ---- */

static void element_write(const char *element, size_t number, struct buf *out) {
        for (const char *at = element; *at; at++) {
                if (*at == '#')
                        buf_printf(out, "%zu", number);
                else if (*at == '@')
                        buf_printf(out, "%zu", number % 65000 + 1);
                else if (*at == '~')
                        buf_printf(out, "10.%zu.%zu.%zu", number >> 16 & 255, number >> 8 & 255,
                                   number & 255);
                else
                        buf_char(out, *at);
        }
}

/* Elements `first` to `first + count`, the last one first. */
static void elements_write(const char *element, size_t first, size_t count, struct buf *out) {
        for (size_t i = count; i > 0; i--) {
                element_write(element, first + i - 1, out);
                buf_text(out, i > 1 ? "," : "");
        }
}

static void body_write(const struct cost_shape *shape, size_t first, size_t count,
                       struct buf *out) {
        buf_text(out, shape->head);
        elements_write(shape->element, first, count, out);
        if (shape->between) {
                buf_text(out, shape->between);
                elements_write(shape->other, first, count, out);
        }
        buf_text(out, shape->tail);
}

static void applied_write(const struct cost_shape *shape, size_t count, struct buf *out) {
        buf_text(out, shape->apply_head);
        elements_write(shape->other, count / 2, count, out);
        buf_text(out, shape->tail);
}

#define PATCH_OPS_MAX 10000

/* Each operation adds at the head, or a member. */
static void json_patch_write(const struct cost_shape *shape, size_t count, struct buf *out) {
        struct buf element = { 0 };
        bool is_member = shape->element[0] == '"' && strstr(shape->element, "\":");

        buf_text(out, "[");
        for (size_t i = 0; i < count && i < PATCH_OPS_MAX; i++) {
                struct slice rest, key = { 0 };

                buf_clear(&element);
                element_write(shape->element, count + i, &element);
                rest = buf_view(&element);
                if (is_member)
                        slice_split(&rest, ':', &key);
                buf_printf(out, "%s{\"op\":\"add\",\"path\":\"%s/", i ? "," : "", shape->list);
                for (size_t j = 1; j + 1 < key.len; j++)
                        buf_printf(out, key.ptr[j] == '/' ? "~1" : "%c", key.ptr[j]);
                buf_printf(out, "%s\",\"value\":" SLICE_FMT "}", is_member ? "" : "0",
                           SLICE_ARG(rest));
        }
        buf_text(out, "]");
        buf_release(&element);
}

/* ---- requests ---- */

struct cost_server {
        struct virtual_loop *loop;
        struct api_server *server;
        struct cost last;
};

static int64_t processor_ns(void) {
        struct timespec now;

        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
        return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

/* Since others were let in. */
struct standstill {
        int64_t since_ns, longest_ns;
};

static void let_in(void *context) {
        struct standstill *held = context;
        int64_t now_ns = processor_ns();

        if (now_ns - held->since_ns > held->longest_ns)
                held->longest_ns = now_ns - held->since_ns;
        held->since_ns = now_ns;
}

static void cost_ask(void *context, const struct cost_message *message) {
        struct cost_server *server = context;
        struct api_server_request request = {
                .method = slice_of(message->method),
                .target = slice_of(message->target),
                .content_type = slice_of(message->type),
                .accept = slice_of(message->accept),
                .body = message->body,
                .user_agent = SLICE_LITERAL("cost/1"),
                .user = &api_user_admin,
        };
        struct http_response response;
        int64_t start = processor_ns();
        struct standstill held = { .since_ns = start };
        struct buf read = { 0 };

        pace_set(&(struct pace){ .let_in = let_in, .context = &held });
        api_server_handle(server->server, &request, &response);
        pace_set(NULL);
        let_in(&held);
        virtual_loop_run(server->loop); /* what follows from it */
        let_in(&held);
        while (response.stream &&
               http_stream_read(response.stream, &read, read.len + (1 << 20)) == HTTP_STREAM_MORE)
                ;
        server->last = (struct cost){ processor_ns() - start, held.longest_ns, response.status,
                                      request.body.len };
        buf_release(&read);
        http_response_release(&response);
}

/* ---- what is sent ---- */

static bool is_creation(enum cost_path path) {
        return path == COST_CREATE || path == COST_CREATE_YAML || path == COST_CREATE_PROTOBUF ||
               path == COST_APPLY;
}

struct cost_request {
        const char *method, *type, *accept, *query;
};
static const struct cost_request cost_requests[COST_PATHS] = {
        [COST_CREATE] = { .method = "POST" },
        [COST_CREATE_YAML] = { .method = "POST", .type = "application/yaml" },
        [COST_CREATE_PROTOBUF] = { .method = "POST",
                                   .type = "application/vnd.kubernetes.protobuf" },
        [COST_UPDATE] = { .method = "PUT" },
        [COST_JSON_PATCH] = { .method = "PATCH", .type = "application/json-patch+json" },
        [COST_MERGE_PATCH] = { .method = "PATCH", .type = "application/merge-patch+json" },
        [COST_STRATEGIC_PATCH] = { .method = "PATCH",
                                   .type = "application/strategic-merge-patch+json" },
        [COST_APPLY] = { .method = "PATCH",
                         .type = "application/apply-patch+yaml",
                         .query = "?fieldManager=m" },
        [COST_APPLY_AGAIN] = { .method = "PATCH",
                               .type = "application/apply-patch+yaml",
                               .query = "?fieldManager=m&force=true" },
        [COST_LIST] = { .method = "GET" },
        [COST_TABLE] = { .method = "GET",
                         .accept = "application/json;as=Table;v=v1;g=meta.k8s.io" },
};

/* Half of the elements are those of the object before, if there was one. */
static void request_write(const struct cost_shape *shape, enum cost_path path, size_t count,
                          struct buf *out) {
        struct buf json = { 0 };

        if (path == COST_CREATE_YAML)
                buf_text(out, "---\n");
        if (path == COST_JSON_PATCH) {
                json_patch_write(shape, count, out);
        } else if (path == COST_CREATE_PROTOBUF) {
                body_write(shape, 0, count, &json);
                cost_protobuf_write(buf_view(&json), out);
        } else if (shape->apply_head && (path == COST_APPLY || path == COST_APPLY_AGAIN)) {
                applied_write(shape, count, out);
        } else if (path != COST_LIST && path != COST_TABLE) {
                body_write(shape, is_creation(path) ? 0 : count / 2, count, out);
        }
        buf_release(&json);
}

static void target_write(const struct cost_shape *shape, enum cost_path path, size_t count,
                         struct buf *out) {
        const struct cost_request *request = &cost_requests[path];

        if (path == COST_LIST && shape->read) {
                buf_text(out, shape->read);
                if (shape->read_element)
                        elements_write(shape->read_element, 0, count, out);
                buf_text(out, shape->read_tail ? shape->read_tail : "");
                return;
        }
        buf_text(out, shape->collection);
        if (strcmp(request->method, "POST") && strcmp(request->method, "GET"))
                buf_text(out, strcmp(shape->collection, CRDS) ? "/c" : "/widgets.cost.example");
        buf_text(out, request->query ? request->query : "");
}

/* The object that a path needs. */
static void object_visit(const struct cost_shape *shape, enum cost_path path, size_t count,
                         cost_visitor visit, void *context) {
        struct cost_message message = { .method = "POST", .target = shape->collection };
        struct buf body = { 0 }, target = { 0 };

        body_write(shape, 0, count, &body);
        message.body = buf_view(&body);
        if (path == COST_APPLY_AGAIN && !shape->apply_head) {
                target_write(shape, path, count, &target);
                message = (struct cost_message){ .method = "PATCH",
                                                 .target = target.data,
                                                 .type = cost_requests[path].type,
                                                 .body = buf_view(&body) };
        }
        visit(context, &message);
        buf_release(&target);
        buf_release(&body);
}

void cost_messages(const struct cost_shape *shape, enum cost_path path, size_t count,
                   cost_visitor visit, void *context) {
        const struct cost_request *request = &cost_requests[path];
        struct buf body = { 0 }, target = { 0 };

        if (shape->before)
                visit(context, &(struct cost_message){ .method = "POST",
                                                       .target = shape->before_path,
                                                       .body = slice_of(shape->before) });
        if (!is_creation(path) || (path == COST_APPLY && shape->apply_head))
                object_visit(shape, path, count, visit, context);
        target_write(shape, path, count, &target);
        request_write(shape, path, count, &body);
        visit(context, &(struct cost_message){ .method = request->method,
                                               .target = target.data,
                                               .type = request->type,
                                               .accept = path == COST_LIST ? shape->read_accept
                                                                           : request->accept,
                                               .body = buf_view(&body) });
        buf_release(&target);
        buf_release(&body);
}

struct cost cost_measure(const struct cost_shape *shape, enum cost_path path, size_t count) {
        struct cost_server server = { .loop = virtual_loop_new() };

        server.server = api_server_new(
                &(struct api_server_config){ .seed = 1, .read_yaml = document_read_tree },
                virtual_loop_get(server.loop));
        cost_messages(shape, path, count, cost_ask, &server);
        api_server_free(server.server);
        virtual_loop_free(server.loop);
        return server.last;
}
