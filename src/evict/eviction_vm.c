/* What is particular about KubeVirt's virtual machines: evicting a launcher pod is answered with
 * 429 while the VM migrates away, and taking that back is a call about the VM. */
#include "base/util.h"
#include "evict/eviction_reconciler_priv.h"
#include <stdio.h>
#include <stdlib.h>

#define OWNER_KIND "VirtualMachineInstance/"

struct vm_move {
        struct wall_time created;
        bool is_running;
        char name[254], node[254]; /* it leaves this node; empty = not known */
        char text[400];
};

bool eviction_pod_is_vm(const struct eviction_pod *pod) {
        bool is_found;

        return slice_is(label_list_get(pod->labels, "kubevirt.io", &is_found), "virt-launcher") &&
               is_found;
}

struct slice eviction_vm_of(const struct eviction_pod *pod) {
        size_t size = sizeof(OWNER_KIND) - 1;

        if (!slice_has_prefix(pod->owner, SLICE_LITERAL(OWNER_KIND)))
                return SLICE_EMPTY;
        return slice_make(pod->owner.ptr + size, pod->owner.len - size);
}

static struct slice key_of(struct slice ns, struct slice vm, char *buffer, size_t size) {
        snprintf(buffer, size, SLICE_FMT "/" SLICE_FMT, SLICE_ARG(ns), SLICE_ARG(vm));
        return slice_of(buffer);
}

struct slice eviction_vm_key(const struct eviction_pod *pod, char *buffer) {
        struct slice vm = eviction_vm_of(pod);

        return vm.len ? key_of(pod->ns, vm, buffer, EVICTION_KEY_MAX) : SLICE_EMPTY;
}

static void eviction_vm_touch(struct eviction_reconciler *reconciler, struct slice ns,
                              struct slice vm) {
        struct slice key;
        void *value;
        size_t at = 0;

        while (map_next(reconciler->targets, &at, &key, &value)) {
                struct eviction_target *target = value;
                const struct eviction_pod *pod =
                        slice_eq(target->ns, ns) ? eviction_target_pod(reconciler, target) : NULL;

                if (pod && slice_eq(eviction_vm_of(pod), vm))
                        target->is_dirty = true;
        }
}

void eviction_reconciler_put_migration(struct eviction_reconciler *reconciler,
                                       const struct json *object) {
        const struct json *meta = json_get(object, "metadata");
        struct slice phase = json_get_text(json_get(object, "status"), "phase");
        char text[600];
        struct slice key =
                key_of(json_get_text(meta, "namespace"),
                       json_get_text(json_get(object, "spec"), "vmiName"), text, sizeof(text));
        struct vm_move *move = map_get(reconciler->moves, key);
        struct wall_time created;

        if (!wall_time_parse(json_get_text(meta, "creationTimestamp"), &created) ||
            (move && created.ns < move->created.ns))
                return;
        if (!move) {
                move = xcalloc(1, sizeof(*move));
                map_put(reconciler->moves, key, move);
        }
        move->created = created;
        move->is_running = !slice_is(phase, "Succeeded") && !slice_is(phase, "Failed");
        snprintf(move->name, sizeof(move->name), SLICE_FMT, SLICE_ARG(json_get_text(meta, "name")));
        snprintf(move->node, sizeof(move->node), SLICE_FMT,
                 SLICE_ARG(json_get_text(json_get(json_get(object, "status"), "migrationState"),
                                         "sourceNode")));
        snprintf(move->text, sizeof(move->text), "migration " SLICE_FMT ": " SLICE_FMT,
                 SLICE_ARG(json_get_text(meta, "name")),
                 SLICE_ARG(phase.len ? phase : SLICE_LITERAL("Pending")));
        eviction_vm_touch(reconciler, json_get_text(meta, "namespace"),
                          json_get_text(json_get(object, "spec"), "vmiName"));
}

const char *eviction_vm_progress(const struct eviction_reconciler *reconciler,
                                 const struct eviction_pod *pod) {
        char text[600];
        const struct vm_move *move = map_get(
                reconciler->moves, key_of(pod->ns, eviction_vm_of(pod), text, sizeof(text)));

        return move ? move->text : NULL;
}

void eviction_reconciler_remove_migration(struct eviction_reconciler *reconciler, struct slice ns,
                                          struct slice name) {
        struct slice key, key_ns;
        void *value;
        size_t at = 0;

        while (map_next(reconciler->moves, &at, &key, &value)) {
                struct vm_move *move = value;

                slice_split(&key, '/', &key_ns);
                if (slice_eq(key_ns, ns) && slice_is(name, move->name))
                        move->is_running = false;
        }
}

void eviction_vm_hold(const struct eviction_reconciler *reconciler, const struct map *counted,
                      struct eviction_slots *slots) {
        struct slice key;
        void *value;
        size_t at = 0;

        while (map_next(reconciler->moves, &at, &key, &value)) {
                const struct vm_move *move = value;
                struct slice name = key, ns;
                char owner[400];

                if (!move->is_running || map_get(counted, key))
                        continue;
                slice_split(&name, '/', &ns);
                snprintf(owner, sizeof(owner), OWNER_KIND SLICE_FMT, SLICE_ARG(name));
                eviction_slots_hold(slots,
                                    &(struct eviction_slot_holder){ .ns = ns,
                                                                    .node = slice_of(move->node),
                                                                    .owner = slice_of(owner) });
        }
}

void eviction_vm_moves_free(struct map *moves) {
        struct slice key;
        void *value;
        size_t at = 0;

        while (map_next(moves, &at, &key, &value))
                free(value);
        map_free(moves);
}

void eviction_vm_unmark(struct slice node, struct buf *out) {
        buf_text(out, "[{\"op\":\"test\",\"path\":\"/status/evacuationNodeName\",\"value\":");
        buf_json_string(out, node);
        buf_text(out, "},{\"op\":\"remove\",\"path\":\"/status/evacuationNodeName\"}]");
}
