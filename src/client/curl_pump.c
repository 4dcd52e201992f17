/* libcurl's sockets and timer on the loop. */
#include "client/curl_pump.h"

#include "base/util.h"
#include <assert.h>
#include <stdlib.h>

struct watched_socket {
        struct curl_pump *pump;
        struct loop_io *io;
        curl_socket_t fd;
};

static void curl_pump_act(struct curl_pump *pump, curl_socket_t fd, int events) {
        int running;

        pump->is_inside = true;
        curl_multi_socket_action(pump->multi, fd, events, &running);
        pump->is_inside = false;
        pump->advanced(pump->context);
}

static void on_socket_ready(void *context, unsigned events) {
        struct watched_socket *watched = context;
        int select = (events & LOOP_READ ? CURL_CSELECT_IN : 0) |
                     (events & LOOP_WRITE ? CURL_CSELECT_OUT : 0);

        curl_pump_act(watched->pump, watched->fd, select); /* watched may be gone now */
}

static int on_socket(CURL *easy, curl_socket_t fd, int what, void *context, void *socket_context) {
        struct curl_pump *pump = context;
        struct watched_socket *watched = socket_context;
        unsigned events =
                (what & CURL_POLL_IN ? LOOP_READ : 0) | (what & CURL_POLL_OUT ? LOOP_WRITE : 0);

        (void)easy;
        if (what == CURL_POLL_REMOVE) {
                if (watched) {
                        loop_io_remove(pump->loop, watched->io);
                        curl_multi_assign(pump->multi, fd, NULL);
                        free(watched);
                }
                return 0;
        }
        if (watched) {
                loop_io_change(pump->loop, watched->io, events);
                return 0;
        }
        watched = xcalloc(1, sizeof(*watched));
        *watched = (struct watched_socket){ .pump = pump, .fd = fd };
        if (loop_io_add(pump->loop, fd, events, on_socket_ready, watched, &watched->io, NULL) < 0) {
                free(watched);
                return -1; /* fails the transfer */
        }
        curl_multi_assign(pump->multi, fd, watched);
        return 0;
}

static void on_timer_fired(void *context) {
        curl_pump_act(context, CURL_SOCKET_TIMEOUT, 0);
}

static int on_timer_wanted(CURLM *multi, long timeout_ms, void *context) {
        struct curl_pump *pump = context;

        (void)multi;
        if (timeout_ms < 0)
                loop_timer_disarm(pump->loop, &pump->timer);
        else
                loop_timer_arm(pump->loop, &pump->timer, timeout_ms * NS_PER_MS);
        return 0;
}

void curl_pump_init(struct curl_pump *pump, struct loop *loop, void (*advanced)(void *context),
                    void *context) {
        *pump = (struct curl_pump){ .loop = loop,
                                    .multi = curl_multi_init(),
                                    .timer = { .fired = on_timer_fired, .context = pump },
                                    .advanced = advanced,
                                    .context = context };
        assert(pump->multi);
        curl_multi_setopt(pump->multi, CURLMOPT_SOCKETFUNCTION, on_socket);
        curl_multi_setopt(pump->multi, CURLMOPT_SOCKETDATA, pump);
        curl_multi_setopt(pump->multi, CURLMOPT_TIMERFUNCTION, on_timer_wanted);
        curl_multi_setopt(pump->multi, CURLMOPT_TIMERDATA, pump);
}

void curl_pump_release(struct curl_pump *pump) {
        if (!pump->multi)
                return;
        curl_multi_cleanup(pump->multi);
        loop_timer_disarm(pump->loop, &pump->timer);
        pump->multi = NULL;
}
