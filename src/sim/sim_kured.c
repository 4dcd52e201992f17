/* The stages of the simulated kured; what comes after a call or pause is a function. */
#include "sim/sim_kured.h"

#include "base/arena.h"
#include "base/time.h"
#include "base/util.h"
#include "sim/sim_kured_priv.h"
#include <stdio.h>
#include <stdlib.h>

#define CONFLICT_PAUSE_NS (1 * NS_PER_S)
#define RECOVERY_PAUSE_NS (60 * NS_PER_S)
#define DRAIN_PAUSE_NS (5 * NS_PER_S)

static void period_over(struct sim_kured *kured);
static void sim_kured_recover(struct sim_kured *kured);
static void sim_kured_release(struct sim_kured *kured);

/* ---- calls and pauses ---- */

static void get_node(struct sim_kured *kured,
                     void (*next)(struct sim_kured *kured, const struct api_reply *reply)) {
        char path[PATH_MAX_SIZE];

        snprintf(path, sizeof(path), "/api/v1/nodes/%s", kured->config.node);
        kured_send(kured, &(struct kured_call){ .method = API_GET, .path = path }, next);
}

static void patch_node(struct sim_kured *kured, const char *body,
                       void (*next)(struct sim_kured *kured, const struct api_reply *reply)) {
        char path[PATH_MAX_SIZE];

        snprintf(path, sizeof(path), "/api/v1/nodes/%s", kured->config.node);
        kured_send(kured,
                   &(struct kured_call){ API_PATCH, path, body,
                                         "application/strategic-merge-patch+json" },
                   next);
}

static bool is_cordoned(const struct api_reply *reply) {
        CLEANUP(cleanup_json_doc) struct json_doc *doc = NULL;

        return json_parse(reply->body, &doc, NULL) == 0 &&
               json_get_bool(json_get(json_doc_root(doc), "spec"), "unschedulable", false);
}

static void sim_kured_exits(struct sim_kured *kured) {
        kured->config.exits(kured->config.context);
}

static void wait_for_period(struct sim_kured *kured) {
        kured_pause(kured, kured->config.period_ns, period_over);
}

/* ---- the taint, a hint ---- */

static void on_untainted(struct sim_kured *kured, const struct api_reply *reply) {
        kured->has_taint = !kured_reply_is_done(reply);
        wait_for_period(kured);
}

static void sim_kured_untaint(struct sim_kured *kured) {
        if (kured->has_taint)
                patch_node(kured, "{\"spec\":{\"taints\":null}}", on_untainted);
        else
                wait_for_period(kured);
}

static void on_tainted(struct sim_kured *kured, const struct api_reply *reply) {
        kured->has_taint = kured_reply_is_done(reply);
        wait_for_period(kured);
}

static void sim_kured_taint(struct sim_kured *kured) {
        char body[PATH_MAX_SIZE];

        snprintf(body, sizeof(body),
                 "{\"spec\":{\"taints\":[{\"key\":\"%s\",\"effect\":\"PreferNoSchedule\"}]}}",
                 kured->config.taint_key);
        if (kured->has_taint)
                wait_for_period(kured);
        else
                patch_node(kured, body, on_tainted);
}

/* ---- recovery: the start of every process ---- */

static void on_first_node(struct sim_kured *kured, const struct api_reply *reply) {
        int64_t period = kured->config.period_ns;

        if (!kured_reply_is_done(reply)) {
                sim_kured_exits(kured);
                return;
        }
        kured->has_taint = slice_contains(reply->body, slice_of(kured->config.taint_key));
        if (kured->has_taint && !kured->config.is_required(kured->config.context))
                sim_kured_untaint(kured);
        else
                kured_pause(kured, period / 2 + (int64_t)rng_below(&kured->rng, (uint64_t)period),
                            period_over);
}

static void start_main(struct sim_kured *kured) {
        get_node(kured, on_first_node);
}

static void on_uncordoned(struct sim_kured *kured, const struct api_reply *reply) {
        if (kured_reply_is_done(reply))
                sim_kured_release(kured);
        else
                sim_kured_exits(kured);
}

static void on_recovery_node(struct sim_kured *kured, const struct api_reply *reply) {
        if (!kured_reply_is_done(reply))
                kured_pause(kured, RECOVERY_PAUSE_NS, sim_kured_recover);
        else if (!kured->was_cordoned && is_cordoned(reply))
                patch_node(kured, "{\"spec\":{\"unschedulable\":null}}", on_uncordoned);
        else
                sim_kured_release(kured);
}

static void on_recovery_lock(struct sim_kured *kured, bool is_read) {
        CLEANUP(cleanup_json_tree) struct json_tree *tree = is_read ? kured_claims(kured) : NULL;
        size_t index;
        struct json_node *own = kured_own_claim(kured, tree, &index);

        if (!own) {
                start_main(kured);
                return;
        }
        kured->was_cordoned = node_is_true(node_get(node_get(own, "metadata"), "unschedulable"));
        get_node(kured, on_recovery_node);
}

static void sim_kured_recover(struct sim_kured *kured) {
        kured_look_at_lock(kured, on_recovery_lock);
}

static void on_released(struct sim_kured *kured, const struct api_reply *reply) {
        if (kured_reply_is_done(reply))
                start_main(kured);
        else
                kured_pause(kured, CONFLICT_PAUSE_NS, sim_kured_release);
}

static void on_release_lock(struct sim_kured *kured, bool is_read) {
        CLEANUP(cleanup_json_tree) struct json_tree *tree = is_read ? kured_claims(kured) : NULL;
        struct buf text = { 0 };
        size_t index;

        if (!kured_own_claim(kured, tree, &index)) {
                start_main(kured);
                return;
        }
        if (kured->config.concurrency <= 1) {
                kured_put_lock(kured, NULL, on_released);
                return;
        }
        node_remove_at(node_get(json_tree_root(tree), "locks"), index);
        node_write(json_tree_root(tree), &text);
        kured_put_lock(kured, text.data, on_released);
        buf_release(&text);
}

static void sim_kured_release(struct sim_kured *kured) {
        kured_look_at_lock(kured, on_release_lock);
}

/* ---- drain and reboot ---- */

static void sim_kured_drain(struct sim_kured *kured);

static void sim_kured_forever(struct sim_kured *kured) {
        kured_pause(kured, RECOVERY_PAUSE_NS, sim_kured_forever); /* until the host goes down */
}

static void on_evicted(struct sim_kured *kured, const struct api_reply *reply) {
        (void)reply; /* refused or not, the node is looked at again */
        kured_pause(kured, DRAIN_PAUSE_NS, sim_kured_drain);
}

static void sim_kured_evict(struct sim_kured *kured, const struct json *pod) {
        const struct json *meta = json_get(pod, "metadata");
        struct slice ns = json_get_text(meta, "namespace"), name = json_get_text(meta, "name");
        char path[PATH_MAX_SIZE], body[PATH_MAX_SIZE];

        snprintf(path, sizeof(path), "/api/v1/namespaces/" SLICE_FMT "/pods/" SLICE_FMT "/eviction",
                 SLICE_ARG(ns), SLICE_ARG(name));
        snprintf(body, sizeof(body),
                 "{\"apiVersion\":\"policy/"
                 "v1\",\"kind\":\"Eviction\",\"metadata\":{\"name\":\"" SLICE_FMT
                 "\",\"namespace\":\"" SLICE_FMT "\"}}",
                 SLICE_ARG(name), SLICE_ARG(ns));
        kured_send(kured, &(struct kured_call){ API_POST, path, body, "application/json" },
                   on_evicted);
}

static void on_pods(struct sim_kured *kured, const struct api_reply *reply) {
        CLEANUP(cleanup_json_doc) struct json_doc *doc = NULL;
        const struct json *pod;

        if (!kured_reply_is_done(reply) || json_parse(reply->body, &doc, NULL) < 0) {
                kured_pause(kured, DRAIN_PAUSE_NS, sim_kured_drain);
                return;
        }
        struct json_iter iter = json_iter(json_get(json_doc_root(doc), "items"));
        while (json_next(&iter, NULL, &pod))
                if (!json_get(json_get(pod, "metadata"), "deletionTimestamp")) {
                        sim_kured_evict(kured, pod);
                        return;
                }
        if (json_count(json_get(json_doc_root(doc), "items")) > 0)
                kured_pause(kured, DRAIN_PAUSE_NS, sim_kured_drain);
        else if (kured->config.reboot(kured->config.context) == BERTH_OK)
                sim_kured_forever(kured);
        else
                sim_kured_exits(kured);
}

static void sim_kured_drain(struct sim_kured *kured) {
        char path[PATH_MAX_SIZE];

        snprintf(path, sizeof(path), "/api/v1/pods?fieldSelector=spec.nodeName%%3D%s",
                 kured->config.node);
        kured_send(kured, &(struct kured_call){ .method = API_GET, .path = path }, on_pods);
}

static void on_cordoned(struct sim_kured *kured, const struct api_reply *reply) {
        if (kured_reply_is_done(reply))
                sim_kured_drain(kured);
        else
                sim_kured_exits(kured);
}

static void begin_drain(struct sim_kured *kured) {
        if (kured->was_cordoned)
                sim_kured_drain(kured);
        else
                patch_node(kured, "{\"spec\":{\"unschedulable\":true}}", on_cordoned);
}

/* ---- the main loop ---- */

static void sim_kured_acquire(struct sim_kured *kured);

static void on_acquired(struct sim_kured *kured, const struct api_reply *reply) {
        if (kured_reply_is_done(reply))
                begin_drain(kured);
        else if (reply->status == 409)
                kured_pause(kured, CONFLICT_PAUSE_NS, sim_kured_acquire);
        else
                sim_kured_taint(kured);
}

static void sim_kured_take(struct sim_kured *kured, struct json_tree *tree) {
        struct json_node *locks = tree ? node_get(json_tree_root(tree), "locks") : NULL;
        struct buf text = { 0 };

        if (kured->config.concurrency <= 1) {
                kured_print_claim(kured, &text);
        } else {
                buf_printf(&text, "{\"maxOwners\":%u,\"locks\":[", kured->config.concurrency);
                for (size_t i = 0; i < node_count(locks); i++) {
                        node_write(node_at(locks, i), &text);
                        buf_char(&text, ',');
                }
                kured_print_claim(kured, &text);
                buf_text(&text, "]}");
        }
        kured_put_lock(kured, text.data, on_acquired);
        buf_release(&text);
}

static void on_acquire_lock(struct sim_kured *kured, bool is_read) {
        CLEANUP(cleanup_json_tree) struct json_tree *tree = is_read ? kured_claims(kured) : NULL;
        size_t index;
        bool is_free = kured->config.concurrency <= 1
                               ? !tree
                               : node_count(tree ? node_get(json_tree_root(tree), "locks") : NULL) <
                                         kured->config.concurrency;

        if (kured_own_claim(kured, tree, &index))
                begin_drain(kured);
        else if (is_read && is_free)
                sim_kured_take(kured, tree);
        else
                sim_kured_taint(kured);
}

static void sim_kured_acquire(struct sim_kured *kured) {
        kured_look_at_lock(kured, on_acquire_lock);
}

static void on_blockers(struct sim_kured *kured, const struct api_reply *reply) {
        CLEANUP(cleanup_json_doc) struct json_doc *doc = NULL;

        if (!kured_reply_is_done(reply) || json_parse(reply->body, &doc, NULL) < 0 ||
            json_count(json_get(json_doc_root(doc), "items")) > 0)
                wait_for_period(kured);
        else
                sim_kured_acquire(kured);
}

static void on_node(struct sim_kured *kured, const struct api_reply *reply) {
        char path[PATH_MAX_SIZE];

        if (!kured_reply_is_done(reply)) {
                sim_kured_exits(kured);
                return;
        }
        kured->was_cordoned = is_cordoned(reply);
        snprintf(path, sizeof(path),
                 "/api/v1/pods?labelSelector=%s&limit=10&fieldSelector=spec.nodeName%%3D%s",
                 kured->config.blocking_label, kured->config.node);
        kured_send(kured, &(struct kured_call){ .method = API_GET, .path = path }, on_blockers);
}

static void period_over(struct sim_kured *kured) {
        if (kured->config.is_required(kured->config.context))
                get_node(kured, on_node);
        else
                sim_kured_untaint(kured);
}

/* ---- life ---- */

static void sim_kured_start(struct sim_kured *kured) {
        sim_kured_recover(kured);
}

struct sim_kured *sim_kured_new(const struct sim_kured_config *config) {
        struct sim_kured *kured = xcalloc(1, sizeof(*kured));

        kured->config = *config;
        rng_init(&kured->rng, config->seed);
        kured_call_init(kured);
        kured_pause(kured, 0, sim_kured_start);
        return kured;
}

void sim_kured_free(struct sim_kured *kured) {
        if (!kured)
                return;
        loop_timer_disarm(kured->config.loop, &kured->timer);
        if (kured->request)
                transport_cancel(&kured->config.transport, kured->request);
        json_tree_free(kured->lock);
        free(kured);
}
