/* Container states against reasons and exit codes. */
#include "plugins/desched/container_match.h"

bool container_in_scope(const struct container_row *container, unsigned scope) {
        switch ((enum container_role)container->role) {
        case CONTAINER_MAIN:
                return true;
        case CONTAINER_INIT:
        case CONTAINER_SIDECAR:
                return scope & SCOPE_INIT;
        case CONTAINER_EPHEMERAL:
                return scope & SCOPE_EPHEMERAL;
        }
        return false;
}

bool container_has_reason(const struct container_row *container, const struct name_set *reasons) {
        return (container->is_waiting && name_set_has(reasons, container->waiting_reason)) ||
               (container->is_terminated && name_set_has(reasons, container->terminated_reason));
}

bool container_has_code(const struct container_row *container, const struct exit_code_set *codes) {
        return container->is_terminated && exit_code_set_has(codes, container->exit_code);
}

const struct container_row *find_reason(const struct pod_row *pod, unsigned scope,
                                        const struct name_set *reasons) {
        const struct pod_detail *detail = pod->detail;
        for (uint32_t i = 0; detail && i < detail->container_count; i++)
                if (container_in_scope(&detail->containers[i], scope) &&
                    container_has_reason(&detail->containers[i], reasons))
                        return &detail->containers[i];
        return NULL;
}

const struct container_row *find_code(const struct pod_row *pod, unsigned scope,
                                      const struct exit_code_set *codes) {
        const struct pod_detail *detail = pod->detail;
        for (uint32_t i = 0; detail && i < detail->container_count; i++)
                if (container_in_scope(&detail->containers[i], scope) &&
                    container_has_code(&detail->containers[i], codes))
                        return &detail->containers[i];
        return NULL;
}

bool pod_has_reason(const struct pod_row *pod, const struct name_set *reasons) {
        return pod->detail && name_set_has(reasons, pod->detail->reason);
}
