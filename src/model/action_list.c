/* Lists of actions; every slice is copied into the list's arena. */
#include "model/action.h"

#include "base/util.h"
#include <assert.h>
#include <stdlib.h>

const char *action_kind_name(enum action_kind kind) {
        static const char *const names[] = {
                [ACTION_BIND] = "bind",
                [ACTION_CHECK_BIND] = "check-bind",
                [ACTION_POD_STATUS] = "pod-status",
                [ACTION_EVICT] = "evict",
                [ACTION_DELETE_POD] = "delete-pod",
                [ACTION_CREATE_REQUEST] = "create-request",
                [ACTION_WITHDRAW_REQUEST] = "withdraw-request",
                [ACTION_PREEMPT_POD] = "preempt-pod",
                [ACTION_RECORD_EVENT] = "record-event",
                [ACTION_PATCH_NODE] = "patch-node",
                [ACTION_PATCH_OBJECT] = "patch-object",
                [ACTION_DELETE_OBJECT] = "delete-object",
                [ACTION_REBOOT] = "reboot",
                [ACTION_NOTIFY] = "notify",
                [ACTION_ASK_EXTENDER] = "ask-extender",
        };
        assert((size_t)kind < ARRAY_LEN(names));
        return names[kind];
}

void action_list_init(struct action_list *list) {
        *list = (struct action_list){ .next_id = 1 };
        arena_init(&list->arena, 4096);
}

void action_list_release(struct action_list *list) {
        arena_release(&list->arena);
        free(list->items);
        *list = (struct action_list){ 0 };
}

void action_list_clear(struct action_list *list) {
        arena_clear(&list->arena);
        list->count = 0;
}

static void action_list_keep(struct arena *arena, struct slice *text) {
        *text = arena_slice(arena, *text);
}

static void keep_ref(struct arena *arena, struct object_ref *ref) {
        action_list_keep(arena, &ref->kind);
        action_list_keep(arena, &ref->ns);
        action_list_keep(arena, &ref->name);
        action_list_keep(arena, &ref->uid);
}

static void keep_nodes(struct arena *arena, struct extender_action *ask) {
        struct slice *nodes = arena_copy(arena, ask->nodes, ask->node_count * sizeof(*nodes));
        for (size_t i = 0; i < ask->node_count; i++)
                action_list_keep(arena, &nodes[i]);
        ask->nodes = nodes;
}

static void keep_victims(struct arena *arena, struct extender_action *ask) {
        struct extender_victims *victims =
                arena_copy(arena, ask->victims, ask->node_count * sizeof(*victims));
        for (size_t i = 0; i < ask->node_count; i++) {
                struct object_ref *pods =
                        arena_copy(arena, victims[i].pods, victims[i].pod_count * sizeof(*pods));
                for (size_t p = 0; p < victims[i].pod_count; p++)
                        keep_ref(arena, &pods[p]);
                victims[i].pods = pods;
        }
        ask->victims = victims;
}

static void keep_payload(struct arena *arena, struct action *action) {
        switch (action->kind) {
        case ACTION_BIND:
        case ACTION_CHECK_BIND:
                action_list_keep(arena, &action->bind.node);
                return;
        case ACTION_POD_STATUS:
                action_list_keep(arena, &action->status.reason);
                action_list_keep(arena, &action->status.message);
                action_list_keep(arena, &action->status.nomination);
                action_list_keep(arena, &action->status.disruption);
                return;
        case ACTION_EVICT:
                action_list_keep(arena, &action->evict.node);
                action_list_keep(arena, &action->evict.plugin);
                action_list_keep(arena, &action->evict.profile);
                action_list_keep(arena, &action->evict.reason);
                action_list_keep(arena, &action->evict.requested_by);
                return;
        case ACTION_CREATE_REQUEST:
        case ACTION_WITHDRAW_REQUEST:
                keep_ref(arena, &action->request.pod);
                action_list_keep(arena, &action->request.requester);
                action_list_keep(arena, &action->request.label);
                return;
        case ACTION_PREEMPT_POD:
                action_list_keep(arena, &action->preempt.node);
                action_list_keep(arena, &action->preempt.by);
                return;
        case ACTION_DELETE_POD:
        case ACTION_DELETE_OBJECT:
        case ACTION_REBOOT:
        case ACTION_KIND_COUNT:
                return;
        case ACTION_PATCH_NODE:
        case ACTION_PATCH_OBJECT:
                action_list_keep(arena, &action->patch.body);
                return;
        case ACTION_NOTIFY:
                action_list_keep(arena, &action->notify.message);
                return;
        case ACTION_ASK_EXTENDER:
                keep_nodes(arena, &action->ask);
                if (action->ask.victims)
                        keep_victims(arena, &action->ask);
                return;
        case ACTION_RECORD_EVENT:
                action_list_keep(arena, &action->event.reason);
                action_list_keep(arena, &action->event.action);
                action_list_keep(arena, &action->event.note);
                action_list_keep(arena, &action->event.controller);
                action_list_keep(arena, &action->event.api_version);
                action_list_keep(arena, &action->event.resource_version);
                return;
        }
}

uint64_t action_list_add(struct action_list *list, const struct action *action) {
        if (list->count == list->cap) {
                list->cap = list->cap ? list->cap * 2 : 16;
                list->items = xreallocarray(list->items, list->cap, sizeof(*list->items));
        }
        struct action *item = &list->items[list->count++];
        *item = *action;
        item->id = list->next_id++;
        keep_ref(&list->arena, &item->target);
        keep_payload(&list->arena, item);
        return item->id;
}
