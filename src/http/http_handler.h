/* The interface of what answers requests: an API server, or the pages of a daemon. */
#pragma once

#include "http/http_message.h"

struct http_handler {
        /* NULL when it is answered; only then is ret_response set. Otherwise ready will run once,
         * from the loop, and resume takes what was returned for the answer: it returns NULL then,
         * or the same again if there is more to wait for. cancel if the answer is not wanted any
         * more. */
        void *(*begin)(void *context, const struct http_request *request,
                       struct http_response *ret_response, void (*ready)(void *context),
                       void *ready_context);
        void *(*resume)(void *pending, struct http_response *ret_response);
        void (*cancel)(void *pending);
        void *context;
};
