/* Long requests: each is run from the loop, one in an iteration, and lets in between those that
 * cannot wait: health checks and Leases. What else comes meanwhile is held until it is done. */
#pragma once

#include "server/api_server.h"

/* A request under way that waits here. */
struct work_place {
        struct work_place *next;
        bool is_queued;
        void (*run)(struct work_place *item);  /* a long one */
        void (*done)(struct work_place *item); /* the work it waited for is over */
};
struct work_line {
        struct work_place *first, *last;
};
struct api_work {
        struct loop_timer timer;
        struct work_line longs, held;
        void (*let_in)(void *context); /* NULL = no request counts as long */
        void *context;
        bool is_under_way, has_leases; /* Leases are what is written now */
};

bool work_is_long(const struct api_server *server, const struct api_server_request *request);
void work_add_long(struct api_server *server, struct work_place *item);
/* Until the request under way is done. */
void work_hold(struct api_server *server, struct work_place *item);
void work_drop(struct api_server *server, struct work_place *item);
