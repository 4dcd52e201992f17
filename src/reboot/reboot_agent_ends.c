/* How a step of the agent ends: by waiting, or by an action whose result is awaited. */
#include "reboot/reboot_agent_priv.h"

#include "api/json.h"
#include "base/buf.h"
#include <stdio.h>

void agent_wait(struct agent_step *step, int64_t delay_ns, enum agent_scope scope) {
        struct reboot_agent *agent = step->agent;

        agent->is_waiting = true;
        agent->wake.ns = step->now->mono.ns + (delay_ns > 0 ? delay_ns : 0);
        agent->wake_scope = scope;
        agent->is_final_check = false;
        step->next->has_wake = true;
        step->next->wake = agent->wake;
}

void agent_act(struct agent_step *step, const struct action *action) {
        step->agent->pending_kind = action->kind;
        step->agent->pending_phase = REBOOT_IDLE;
        step->agent->is_order_pending = false;
        step->agent->pending = action_list_add(step->out, action);
}

void agent_patch_node(struct agent_step *step, struct node_change *change,
                      const struct reboot_record *record) {
        struct reboot_agent *agent = step->agent;
        struct reboot_record written = *record;
        struct buf body = { 0 };
        bool is_tainted =
                change->taint == MARK_KEEP ? agent->node.has_taint : change->taint == MARK_SET;

        written.taint_key = is_tainted ? step->config->taint_key : SLICE_EMPTY;
        change->taint_key = step->config->taint_key;
        change->now = step->now->wall;
        change->record = &written;
        node_change_print(&agent->node, change, &body);
        agent_act(step, &(struct action){ .kind = ACTION_PATCH_NODE,
                                          .target = { .kind = SLICE_LITERAL("Node"),
                                                      .name = step->config->node },
                                          .patch = { buf_view(&body) } });
        snprintf(agent->written_version, sizeof(agent->written_version), SLICE_FMT,
                 SLICE_ARG(agent->node.version));
        agent->pending_phase = record->phase;
        agent->pending_taint = change->taint != MARK_KEEP;
        buf_release(&body);
}

static struct slice agent_lock_version(const struct reboot_agent *agent) {
        return json_get_text(json_get(json_doc_root(agent->lock_doc), "metadata"),
                             "resourceVersion");
}

/* The object goes back as it came, but for the one annotation. */
void agent_put_lock(struct agent_step *step, const struct reboot_lock *lock) {
        const struct reboot_config *config = step->config;
        struct json_tree *tree = json_tree_new();
        struct json_node *root = node_import(tree, json_doc_root(step->agent->lock_doc));
        struct json_node *meta = node_need_object(tree, root, "metadata");
        struct json_node *annotations = meta ? node_need_object(tree, meta, "annotations") : NULL;
        struct buf text = { 0 }, body = { 0 };

        if (annotations) {
                if (reboot_lock_print(lock, config->concurrency, &text))
                        node_set(tree, annotations, config->lock_annotation,
                                 node_text(tree, buf_view(&text)));
                else
                        node_remove_slice(annotations, config->lock_annotation);
        }
        node_write(root, &body);
        snprintf(step->agent->written_version, sizeof(step->agent->written_version), SLICE_FMT,
                 SLICE_ARG(agent_lock_version(step->agent)));
        agent_act(step, &(struct action){ .kind = ACTION_PATCH_OBJECT,
                                          .target = { .kind = config->lock_kind,
                                                      .ns = config->lock_ns,
                                                      .name = config->lock_name },
                                          .patch = { buf_view(&body) } });
        buf_release(&text);
        buf_release(&body);
        json_tree_free(tree);
}

/* The template's %s is the node's name; one without it gets what Go's printf would append. */
void agent_notify(struct agent_step *step, struct slice message) {
        struct slice node = step->config->node, rest = message, head;
        struct buf text = { 0 };
        bool is_named = false;

        for (size_t i = 0; i + 1 < message.len && !is_named; i++) {
                if (message.ptr[i] != '%' || message.ptr[i + 1] != 's')
                        continue;
                head = slice_make(message.ptr, i);
                rest = slice_make(message.ptr + i + 2, message.len - i - 2);
                buf_slice(&text, head);
                buf_slice(&text, node);
                is_named = true;
        }
        buf_slice(&text, rest);
        if (!is_named)
                buf_printf(&text, "%%!(EXTRA string=" SLICE_FMT ")", SLICE_ARG(node));
        action_list_add(step->out,
                        &(struct action){ .kind = ACTION_NOTIFY,
                                          .target = { .kind = SLICE_LITERAL("Node"), .name = node },
                                          .notify = { buf_view(&text) } });
        buf_release(&text);
}
