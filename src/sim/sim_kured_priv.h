/* What the files of the simulated kured share. */
#pragma once

#include "api/json.h"
#include "base/buf.h"
#include "base/rng.h"
#include "sim/sim_kured.h"

#define PATH_MAX_SIZE 256

struct sim_kured {
        struct sim_kured_config config;
        struct rng rng;
        struct api_request *request; /* NULL = none under way */
        struct loop_timer timer;
        void (*pause_over)(struct sim_kured *kured);
        void (*replied)(struct sim_kured *kured, const struct api_reply *reply);
        struct json_tree *lock; /* the object, as read last */
        void (*lock_read)(struct sim_kured *kured, bool is_read);
        unsigned lock_tries;
        bool was_cordoned, has_taint;
};

struct kured_call {
        enum api_method method;
        const char *path, *body, *content_type;
};

void kured_call_init(struct sim_kured *kured); /* before the first pause */
void kured_pause(struct sim_kured *kured, int64_t ns, void (*next)(struct sim_kured *kured));
void kured_send(struct sim_kured *kured, const struct kured_call *what,
                void (*next)(struct sim_kured *kured, const struct api_reply *reply));
bool kured_reply_is_done(const struct api_reply *reply);

/* Reads the object that carries the lock, again and again for five minutes. */
void kured_look_at_lock(struct sim_kured *kured,
                        void (*next)(struct sim_kured *kured, bool is_read));
/* What the annotation says, as a value of the caller's; NULL = free. */
struct json_tree *kured_claims(struct sim_kured *kured);
/* Within the claims; NULL = none. */
struct json_node *kured_own_claim(struct sim_kured *kured, struct json_tree *tree,
                                  size_t *ret_index);
void kured_print_claim(struct sim_kured *kured, struct buf *out);
/* Writes the object as it was read, with this annotation; NULL takes it away. */
void kured_put_lock(struct sim_kured *kured, const char *text,
                    void (*next)(struct sim_kured *kured, const struct api_reply *reply));
