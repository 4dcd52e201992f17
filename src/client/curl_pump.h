/* A multi handle of libcurl on the loop: its sockets and its timer. */
#pragma once

#include "port/loop.h"
#include <curl/curl.h>

struct curl_pump {
        struct loop *loop;
        CURLM *multi;
        struct loop_timer timer;         /* libcurl's */
        void (*advanced)(void *context); /* transfers may have ended: curl_multi_info_read() */
        void *context;
        bool is_inside; /* libcurl is running, and must not be called from its callbacks */
};

/* The pump must not move. */
void curl_pump_init(struct curl_pump *pump, struct loop *loop, void (*advanced)(void *context),
                    void *context);
void curl_pump_release(struct curl_pump *pump); /* accepts a zeroed struct */
