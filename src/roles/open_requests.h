/* Which pods somebody asked to evict and are not evicted yet: every EvictionRequest of the cluster
 * that is open, whoever made it. */
#pragma once

#include "base/slice.h"
#include "port/loop.h"
#include "port/transport.h"
#include <stdbool.h>

struct open_requests;

struct open_requests_config {
        struct transport *transport;
        struct loop *loop;
        const char *group; /* that serves the kind */
        /* Once, from the loop: whoever asks is answered from now on.  Also when they may not be
         * listed; then there are none. */
        void (*ready)(void *context);
        void *context;
};
struct open_requests *open_requests_new(const struct open_requests_config *config);
void open_requests_free(struct open_requests *requests); /* accepts NULL */
bool open_requests_is_ready(const struct open_requests *requests);
bool open_requests_has(const struct open_requests *requests, struct slice pod_uid);
