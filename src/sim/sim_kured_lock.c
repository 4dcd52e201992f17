/* kured's lock: an annotation of its DaemonSet, held by one node or, as a list, by several. */
#include "sim/sim_kured_priv.h"

#include "base/arena.h"
#include "base/time.h"

#define LOCK_PAUSE_NS (5 * NS_PER_S)
#define LOCK_TRIES 60 /* five minutes */

static void read_lock(struct sim_kured *kured);

static void on_lock(struct sim_kured *kured, const struct api_reply *reply) {
        json_tree_free(kured->lock);
        kured->lock = NULL;
        if (kured_reply_is_done(reply))
                json_tree_parse(reply->body, &kured->lock, NULL);
        if (!kured->lock && kured->lock_tries++ < LOCK_TRIES)
                kured_pause(kured, LOCK_PAUSE_NS, read_lock);
        else
                kured->lock_read(kured, kured->lock);
}

static void read_lock(struct sim_kured *kured) {
        kured_send(kured,
                   &(struct kured_call){ .method = API_GET, .path = kured->config.lock_path },
                   on_lock);
}

void kured_look_at_lock(struct sim_kured *kured,
                        void (*next)(struct sim_kured *kured, bool is_read)) {
        kured->lock_tries = 0;
        kured->lock_read = next;
        read_lock(kured);
}

static struct json_node *sim_kured_lock_annotations(struct sim_kured *kured) {
        return node_need_object(
                kured->lock, node_need_object(kured->lock, json_tree_root(kured->lock), "metadata"),
                "annotations");
}

struct json_tree *kured_claims(struct sim_kured *kured) {
        struct slice text =
                node_get_text(sim_kured_lock_annotations(kured), kured->config.lock_key);
        struct json_tree *tree = NULL;

        if (text.len > 0)
                json_tree_parse(text, &tree, NULL);
        return tree;
}

struct json_node *kured_own_claim(struct sim_kured *kured, struct json_tree *tree,
                                  size_t *ret_index) {
        struct json_node *claim;

        *ret_index = 0;
        if (!tree)
                return NULL;
        if (kured->config.concurrency <= 1) {
                claim = json_tree_root(tree);
                return slice_is(node_get_text(claim, "nodeID"), kured->config.node) ? claim : NULL;
        }
        struct json_node *locks = node_get(json_tree_root(tree), "locks");
        for (; *ret_index < node_count(locks); ++*ret_index) {
                claim = node_at(locks, *ret_index);
                if (slice_is(node_get_text(claim, "nodeID"), kured->config.node))
                        return claim;
        }
        return NULL;
}

void kured_put_lock(struct sim_kured *kured, const char *text,
                    void (*next)(struct sim_kured *kured, const struct api_reply *reply)) {
        struct buf body = { 0 };

        if (text)
                node_put_string(kured->lock, sim_kured_lock_annotations(kured),
                                kured->config.lock_key, text);
        else
                node_remove(sim_kured_lock_annotations(kured), kured->config.lock_key);
        node_write(json_tree_root(kured->lock), &body);
        kured_send(kured,
                   &(struct kured_call){ API_PUT, kured->config.lock_path, body.data,
                                         "application/json" },
                   next);
        buf_release(&body);
}

void kured_print_claim(struct sim_kured *kured, struct buf *out) {
        char now[WALL_TIME_TEXT_MAX];

        wall_time_format(loop_wall(kured->config.loop), now);
        buf_printf(out,
                   "{\"nodeID\":\"%s\",\"metadata\":{\"unschedulable\":%s},\"created\":\"%s\","
                   "\"TTL\":0}",
                   kured->config.node, kured->was_cordoned ? "true" : "false", now);
}
