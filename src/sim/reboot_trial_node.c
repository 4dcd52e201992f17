/* Nodes of a trial: the API their agents read and write, and their boots. */
#include "sim/reboot_trial_priv.h"

#include "api/merge_patch.h"
#include "base/util.h"
#include "reboot/node_facts.h"
#include <stdio.h>
#include <stdlib.h>

#define STEPS_MAX 1000 /* of an agent without a pause: something spins */
#define GOES_DOWN_NS (5 * NS_PER_S)
#define NODE_SEED 0x0de5

static const char *const lock_object =
        "{\"metadata\":{\"name\":\"kured\",\"resourceVersion\":\"1\"}}";

static int64_t now_ns(const struct trial_node *node) {
        return loop_mono(node->trial->loop).ns;
}

static struct json_doc *reboot_trial_node_document(const struct buf *image) {
        struct json_doc *doc = NULL;

        json_parse(buf_view(image), &doc, NULL);
        return doc;
}

/* ---- the API ---- */

/* The arm that taints hard differs only in what the scheduler sees. */
static void reboot_trial_node_harden(struct buf *text) {
        static const char soft[] = "PreferNoSchedule", hard[] = "NoSchedule";
        char *at = strstr(text->data, soft);

        if (!at)
                return;
        memmove(at + strlen(hard), at + strlen(soft), strlen(at + strlen(soft)) + 1);
        memcpy(at, hard, strlen(hard));
        text->len -= strlen(soft) - strlen(hard);
}

static void reboot_trial_node_publish(struct trial_node *node, enum change_kind change) {
        struct trial *trial = node->trial;

        buf_slice(&trial->text, buf_view(&node->image));
        if (trial->arm == TRIAL_HARD)
                reboot_trial_node_harden(&trial->text);
        trial_apply(trial, OBJECT_NODE, change);
        trial_schedule(trial);
}

static void set_version(struct trial *trial, struct json_tree *object, struct buf *image) {
        char version[24];

        snprintf(version, sizeof(version), "%lld", (long long)++trial->version);
        node_put_string(object, node_get(json_tree_root(object), "metadata"), "resourceVersion",
                        version);
        buf_clear(image);
        node_write(json_tree_root(object), image);
}

static bool is_current(const struct json_tree *object, const struct json_tree *change) {
        return slice_eq(
                node_get_text(node_get(json_tree_root(object), "metadata"), "resourceVersion"),
                node_get_text(node_get(json_tree_root(change), "metadata"), "resourceVersion"));
}

static void look_at(struct trial_node *node) {
        struct node_facts facts = { 0 };
        struct arena arena;

        arena_init(&arena, 512);
        node_facts_take(&facts, reboot_trial_node_document(&node->image), node->config.taint_key,
                        &arena);
        node->is_cordoned = facts.is_cordoned;
        if (facts.has_taint && !node->has_taint)
                node->tainted_ns = now_ns(node);
        node->has_taint = facts.has_taint;
        if (facts.record.phase != node->phase)
                trial_entered(node, facts.record.phase);
        node_facts_release(&facts);
        arena_release(&arena);
}

static int patch_node(struct trial_node *node, struct slice body) {
        CLEANUP(cleanup_json_tree) struct json_tree *change = NULL;

        if (json_tree_parse(body, &change, NULL) < 0)
                return BERTH_ERR_BAD_REQUEST;
        if (!is_current(node->object, change))
                return BERTH_ERR_CONFLICT;
        merge_patch_apply(node->object, json_tree_root(change), NULL);
        set_version(node->trial, node->object, &node->image);
        node->writes++;
        look_at(node);
        reboot_trial_node_publish(node, CHANGE_UPDATED);
        return BERTH_OK;
}

static int put_lock(struct trial *trial, struct slice body) {
        struct json_tree *change = NULL;

        if (json_tree_parse(body, &change, NULL) < 0)
                return BERTH_ERR_BAD_REQUEST;
        if (!is_current(trial->lock, change)) {
                json_tree_free(change);
                return BERTH_ERR_CONFLICT;
        }
        json_tree_free(trial->lock);
        trial->lock = change;
        set_version(trial, trial->lock, &trial->lock_image);
        return BERTH_OK;
}

/* ---- readings ---- */

static void answer_pods(struct trial_node *node) {
        const struct cluster *cluster = node->trial->cluster;
        struct node_id id = cluster_find_node(cluster, slice_of(node->name));
        struct pod_id at = cluster_nodes(cluster)->first_pod[id.index];
        struct drain_pod items[256];
        struct drain_pods pods = { 0, items };

        while (!pod_id_is_none(at) && pods.count < ARRAY_LEN(items)) {
                const struct pod_row *row = cluster_pod(cluster, at);

                items[pods.count++] = (struct drain_pod){
                        .ns = SLICE_LITERAL(TRIAL_NS),
                        .name = slice_of(row->name),
                        .uid = slice_of(row->uid),
                        .is_ready = true,
                        .deleted = row->deleted,
                };
                at = row->next_on_node;
        }
        reboot_agent_saw_pods(node->agent, BERTH_OK, &(struct drain_listing){ .pods = &pods });
}

static void answer_peers(struct trial_node *node) {
        uint32_t before = 0;

        for (uint32_t i = 0; &node->trial->nodes[i] != node; i++)
                before += node->trial->nodes[i].phase > REBOOT_IDLE &&
                          node->trial->nodes[i].phase < REBOOT_DRAINING;
        reboot_agent_saw_peers(node->agent, before);
}

static void reboot_trial_node_answer(struct trial_node *node, enum reboot_read read) {
        switch (read) {
        case REBOOT_READ_SENTINEL:
                reboot_agent_saw_sentinel(node->agent, node->is_required);
                return;
        case REBOOT_READ_NODE:
                reboot_agent_saw_node(node->agent, BERTH_OK,
                                      reboot_trial_node_document(&node->image));
                return;
        case REBOOT_READ_LOCK:
                reboot_agent_saw_lock(node->agent, BERTH_OK,
                                      reboot_trial_node_document(&node->trial->lock_image));
                return;
        case REBOOT_READ_BLOCKERS:
                reboot_agent_saw_blockers(node->agent, node->trial->alert_is_on
                                                               ? SLICE_LITERAL("alert")
                                                       : node->job_count > 0 ? SLICE_LITERAL("job")
                                                                             : SLICE_EMPTY);
                return;
        case REBOOT_READ_PODS:
                answer_pods(node);
                return;
        case REBOOT_READ_PEERS:
                answer_peers(node);
                return;
        case REBOOT_READ_HEALTH:
        case REBOOT_READ_HOLDER:
                reboot_agent_saw_holder(node->agent, BERTH_OK);
                return;
        case REBOOT_READ_NOTHING:
        case REBOOT_READ_COUNT:
                return;
        }
}

/* ---- steps ---- */

static void go_down(void *context);

static void reboot_trial_node_perform(struct trial_node *node) {
        struct trial *trial = node->trial;

        for (size_t i = 0; i < node->actions.count; i++) {
                const struct action *action = &node->actions.items[i];
                struct action_result result = { .id = action->id, .kind = action->kind };

                if (action->kind == ACTION_PATCH_NODE)
                        result.code = patch_node(node, action->patch.body);
                else if (action->kind == ACTION_PATCH_OBJECT)
                        result.code = put_lock(trial, action->patch.body);
                else if (action->kind == ACTION_REBOOT)
                        loop_timer_arm(trial->loop, &node->boot, GOES_DOWN_NS);
                reboot_agent_result(node->agent, &result);
        }
        action_list_clear(&node->actions);
}

static void trial_node_step(void *context) {
        struct trial_node *node = context;
        struct loop *loop = node->trial->loop;
        const struct reboot_now now = { loop_wall(loop), loop_mono(loop) };
        struct reboot_next next;

        for (int i = 0; i < STEPS_MAX; i++) {
                reboot_agent_step(node->agent, &now, &node->actions, &next);
                if (next.read != REBOOT_READ_NOTHING)
                        reboot_trial_node_answer(node, next.read);
                else if (node->actions.count == 0)
                        break;
                reboot_trial_node_perform(node);
        }
        if (next.has_wake)
                loop_timer_arm(loop, &node->step, next.wake.ns - now.mono.ns);
        else
                trial_failed(node->trial, "an agent never waits");
}

/* ---- evictions: those of drains at once, those of a pass after it ---- */

static void begin_pass(void *context, const struct evict_pass *pass) {
        (void)context;
        (void)pass;
}

static enum evict_outcome ask_drain(void *context, const struct evict_intent *intent) {
        struct trial *trial = context;
        struct trial_pod *pod = trial_pod_find(trial, intent->pod.name);

        if (!pod)
                return EVICT_FAILED;
        return trial_evict(trial, pod) ? EVICT_DONE : EVICT_BUDGET;
}

/* ---- boots ---- */

static void reboot_trial_node_boot(struct trial_node *node) {
        snprintf(node->boot_id, sizeof(node->boot_id), "b%u", node->boots);
        node->agent = reboot_agent_new(&node->config, slice_of(node->boot_id), &node->trial->sink);
}

static void come_up(void *context) {
        struct trial_node *node = context;
        struct json_node *status = node_get(json_tree_root(node->object), "status");

        node->boots++;
        node->is_required = false;
        reboot_trial_node_boot(node);
        node_put_string(node->object, node_need_object(node->object, status, "nodeInfo"), "bootID",
                        node->boot_id);
        set_version(node->trial, node->object, &node->image);
        trial_node_step(node);
}

static void go_down(void *context) {
        struct trial_node *node = context;

        if (!node->agent) {
                come_up(node);
                return;
        }
        loop_timer_disarm(node->trial->loop, &node->step);
        reboot_agent_free(node->agent);
        node->agent = NULL;
        loop_timer_arm(node->trial->loop, &node->boot, node->boot_ns);
}

/* ---- life ---- */

static void reboot_trial_node_configure(struct trial_node *node) {
        const struct trial_setting *setting = &node->trial->setting;
        enum trial_arm arm = node->trial->arm;
        int32_t start_s = (int32_t)(TRIAL_WINDOW_START_NS / NS_PER_S);
        uint32_t ahead = setting->nodes / 10;

        node->config = (struct reboot_config){
                .node = slice_of(node->name),
                .period_ns = setting->period_ns,
                .reboot_timeout_ns = REBOOT_TIMEOUT_DEFAULT_NS,
                .drain_grace_s = -1,
                .lock_kind = SLICE_LITERAL("DaemonSet"),
                .lock_ns = SLICE_LITERAL("kube-system"),
                .lock_name = SLICE_LITERAL("kured"),
                .lock_annotation = SLICE_LITERAL("weave.works/kured-node-lock"),
                .concurrency = setting->concurrency,
                .taint_key = arm == TRIAL_NONE ? SLICE_EMPTY : SLICE_LITERAL(TRIAL_TAINT),
                .is_late_taint = arm == TRIAL_LATE,
                .taint_ahead =
                        arm == TRIAL_AHEAD
                                ? (ahead > setting->concurrency ? ahead : setting->concurrency)
                                : 0,
                .window = { .days = 127, .end_s = 86399 },
        };
        if (setting->window_ns > 0) {
                node->config.window.start_s = start_s;
                node->config.window.end_s = start_s + (int32_t)(setting->window_ns / NS_PER_S) - 1;
        }
}

static void needs_reboot(void *context) {
        struct trial_node *node = context;

        node->is_required = true;
        node->needed_ns = now_ns(node);
        node->boot.fired = go_down;
}

static void node_start(struct trial *trial, uint32_t index, struct rng *rng) {
        struct trial_node *node = &trial->nodes[index];
        double offset = rng_unit(rng), needs = rng_unit(rng), boots = rng_unit(rng);
        bool is_wanted = node->is_wanted;

        *node = (struct trial_node){ .trial = trial,
                                     .is_wanted = is_wanted,
                                     .step = { .fired = trial_node_step, .context = node },
                                     .boot = { .fired = needs_reboot, .context = node },
                                     .boot_ns = (int64_t)((60 + 120 * boots) * 1e9),
                                     .needed_ns = -1,
                                     .detected_ns = -1,
                                     .tainted_ns = -1,
                                     .cordoned_ns = -1,
                                     .drained_ns = -1,
                                     .returned_ns = -1 };
        snprintf(node->name, sizeof(node->name), "n%u", index);
        action_list_init(&node->actions);
        reboot_trial_node_configure(node);
        buf_printf(&trial->text,
                   "{\"metadata\":{\"name\":\"%s\",\"resourceVersion\":\"1\",\"labels\":{"
                   "\"kubernetes.io/hostname\":\"%s\"}},\"spec\":{},\"status\":{\"conditions\":[{"
                   "\"type\":\"Ready\",\"status\":\"True\"}],\"allocatable\":{\"cpu\":\"%um\","
                   "\"memory\":\"128Gi\",\"pods\":\"250\"}}}",
                   node->name, node->name, TRIAL_NODE_CPU_MILLI);
        json_tree_parse(buf_view(&trial->text), &node->object, NULL);
        set_version(trial, node->object, &node->image);
        trial_apply(trial, OBJECT_NODE, CHANGE_ADDED);
        reboot_trial_node_boot(node);
        loop_timer_arm(trial->loop, &node->step,
                       (int64_t)(offset * (double)trial->setting.period_ns));
        if (node->is_wanted)
                loop_timer_arm(trial->loop, &node->boot,
                               TRIAL_NEED_NS +
                                       (int64_t)(needs * (double)trial->setting.stagger_ns));
}

/* The same nodes in every arm of a seed. */
static void choose_wanted(struct trial *trial, struct rng *rng) {
        uint32_t count = trial->setting.nodes;
        uint32_t wanted = (uint32_t)(trial->setting.fraction * count + 0.5);

        trial->wanted_count = wanted > 0 ? wanted : 1;
        for (uint32_t i = 0, left = trial->wanted_count; i < count; i++) {
                bool is_chosen = rng_below(rng, count - i) < left;

                trial->nodes[i].is_wanted = is_chosen;
                left -= is_chosen;
        }
}

void trial_nodes_start(struct trial *trial) {
        struct rng rng;

        rng_init(&rng, trial->seed ^ NODE_SEED);
        json_tree_parse(slice_of(lock_object), &trial->lock, NULL);
        set_version(trial, trial->lock, &trial->lock_image);
        trial->sink = (struct evict_sink){ trial, begin_pass, ask_drain };
        trial->nodes = xcalloc(trial->setting.nodes, sizeof(*trial->nodes));
        choose_wanted(trial, &rng);
        for (uint32_t i = 0; i < trial->setting.nodes; i++)
                node_start(trial, i, &rng);
}

void trial_nodes_stop(struct trial *trial) {
        for (uint32_t i = 0; i < trial->setting.nodes; i++) {
                struct trial_node *node = &trial->nodes[i];

                loop_timer_disarm(trial->loop, &node->step);
                loop_timer_disarm(trial->loop, &node->boot);
                reboot_agent_free(node->agent);
                json_tree_free(node->object);
                buf_release(&node->image);
                action_list_release(&node->actions);
        }
        json_tree_free(trial->lock);
        buf_release(&trial->lock_image);
        free(trial->nodes);
}
