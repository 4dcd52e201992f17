/* One call or pause of the simulated kured at a time. */
#include "sim/sim_kured_priv.h"

static void on_timer(void *context) {
        struct sim_kured *kured = context;

        kured->pause_over(kured);
}

void kured_pause(struct sim_kured *kured, int64_t ns, void (*next)(struct sim_kured *kured)) {
        kured->pause_over = next;
        loop_timer_arm(kured->config.loop, &kured->timer, ns);
}

static void on_reply(void *context, const struct api_reply *reply) {
        struct sim_kured *kured = context;

        kured->request = NULL;
        kured->replied(kured, reply);
}

void kured_send(struct sim_kured *kured, const struct kured_call *what,
                void (*next)(struct sim_kured *kured, const struct api_reply *reply)) {
        kured->replied = next;
        kured->request =
                transport_call(&kured->config.transport,
                               &(struct api_call){ .method = what->method,
                                                   .path = slice_of(what->path),
                                                   .body = slice_of(what->body),
                                                   .content_type = slice_of(what->content_type) },
                               on_reply, kured);
}

bool kured_reply_is_done(const struct api_reply *reply) {
        return reply->status >= 200 && reply->status < 300;
}

void kured_call_init(struct sim_kured *kured) {
        kured->timer = (struct loop_timer){ .fired = on_timer, .context = kured };
}
