/* The API server as what answers a listener. */
#include "server/api_server.h"

static void *api_handler_begin(void *context, const struct http_request *request,
                               struct http_response *ret_response, void (*ready)(void *context),
                               void *ready_context) {
        return api_server_begin(context,
                                &(struct api_server_request){
                                        .method = request->method,
                                        .target = request->target,
                                        .body = request->body,
                                        .content_type = request->content_type,
                                        .accept = request->accept,
                                        .authorization = request->authorization,
                                        .user_agent = request->user_agent,
                                        .if_none_match = request->if_none_match,
                                        .impersonation = request->impersonation,
                                        .takes_streams = true,
                                },
                                ret_response, ready, ready_context);
}

static void *api_handler_resume(void *pending, struct http_response *ret_response) {
        return api_pending_resume(pending, ret_response);
}

static void api_handler_cancel(void *pending) {
        api_pending_cancel(pending);
}

struct http_handler api_server_handler(struct api_server *server) {
        return (struct http_handler){ api_handler_begin, api_handler_resume, api_handler_cancel,
                                      server };
}
