/* Containers against exit codes, reasons and names. */
#include "plugins/desched/container_query.h"

const char *const container_quantifier_names[] = { "Any", "All", NULL };

void own_field_check(struct field_reader *reader, const struct json *value, const void *member) {
        (void)member;
        if (args_want_parity(reader))
                field_problem(reader, value, NULL, "unknown field");
}

struct container_query container_query_make(struct desched_run *run,
                                            const struct container_query_arg *arg,
                                            const struct text_list *reasons, unsigned scope) {
        const struct cluster *cluster = desched_run_cluster(run);
        struct arena *scratch = desched_run_scratch(run);
        struct container_query query = {
                .arg = arg,
                .scope = scope,
                .names = name_set_make(cluster, &arg->names, scratch),
                .has_names = arg->names.count > 0,
                .has_codes =
                        arg->codes.count + arg->init_codes.count + arg->sidecar_codes.count > 0,
                .is_across = arg->is_across || desched_run_is_parity(run),
        };
        if (reasons && reasons->count > 0) {
                query.has_reasons = true;
                query.reasons = name_set_make(cluster, reasons, scratch);
        }
        return query;
}

/* ---- which containers count ---- */

/* The codes that count for the container; NULL when it does not. */
static const struct exit_code_set *codes_for(const struct container_query *query,
                                             const struct container_row *container) {
        const struct container_query_arg *arg = query->arg;
        const struct exit_code_set *own = &arg->codes;
        bool is_counted = container_in_scope(container, query->scope & SCOPE_INIT);
        switch ((enum container_role)container->role) {
        case CONTAINER_INIT:
                own = &arg->init_codes;
                break;
        case CONTAINER_SIDECAR:
                own = &arg->sidecar_codes;
                break;
        case CONTAINER_MAIN:
        case CONTAINER_EPHEMERAL:
                break;
        }
        if (own->count > 0 && container->role != CONTAINER_EPHEMERAL)
                return own;
        return is_counted && arg->codes.count > 0 ? &arg->codes : NULL;
}

static bool has_name(const struct container_query *query, const struct container_row *container) {
        return !query->has_names || name_set_has(&query->names, container->name);
}

/* ---- how one ended ---- */

static bool ended_so(const struct container_query *query, const struct container_row *container,
                     bool asks_reason, int32_t *ret_code) {
        const struct exit_code_set *codes = codes_for(query, container);
        if (!codes)
                return false;
        if (container->is_terminated && exit_code_set_has(codes, container->exit_code) &&
            (!asks_reason || name_set_has(&query->reasons, container->terminated_reason))) {
                *ret_code = container->exit_code;
                return true;
        }
        if (!query->arg->with_last || !container->has_last ||
            !exit_code_set_has(codes, container->last_exit_code) ||
            (asks_reason && !name_set_has(&query->reasons, container->last_reason)))
                return false;
        *ret_code = container->last_exit_code;
        return true;
}

/* The first that ended so; with a quantifier of all, NULL unless every one that counts did. */
static const struct container_row *find_ended(const struct container_query *query,
                                              const struct pod_row *pod, bool asks_reason,
                                              int32_t *ret_code) {
        const struct container_row *found = NULL;
        const struct pod_detail *detail = pod->detail;
        for (uint32_t i = 0; detail && i < detail->container_count; i++) {
                const struct container_row *container = &detail->containers[i];
                int32_t code;
                if (!has_name(query, container) || !codes_for(query, container))
                        continue;
                bool is_hit = ended_so(query, container, asks_reason, &code);
                if (!is_hit && query->arg->quantifier == CONTAINERS_ALL)
                        return NULL;
                if (!is_hit || found)
                        continue;
                found = container;
                *ret_code = code;
                if (query->arg->quantifier == CONTAINERS_ANY)
                        return found;
        }
        return found;
}

static bool has_container_reason(const struct container_query *query, const struct pod_row *pod) {
        const struct pod_detail *detail = pod->detail;
        for (uint32_t i = 0; detail && i < detail->container_count; i++) {
                const struct container_row *container = &detail->containers[i];
                if (!container_in_scope(container, query->scope) || !has_name(query, container))
                        continue;
                if (container_has_reason(container, &query->reasons) ||
                    (query->arg->with_last && container->has_last &&
                     name_set_has(&query->reasons, container->last_reason)))
                        return true;
        }
        return false;
}

bool container_query_matches(const struct container_query *query, const struct pod_row *pod) {
        int32_t code;
        bool is_pod_reason = query->has_reasons && pod_has_reason(pod, &query->reasons);
        if (!query->has_codes)
                return !query->has_reasons || is_pod_reason || has_container_reason(query, pod);
        if (query->is_across && query->has_reasons && !is_pod_reason &&
            !has_container_reason(query, pod))
                return false;
        bool asks_reason = query->has_reasons && !is_pod_reason && !query->is_across;
        return find_ended(query, pod, asks_reason, &code);
}

const struct container_row *container_query_find(const struct container_query *query,
                                                 const struct pod_row *pod, int32_t *ret_code) {
        return query->has_codes ? find_ended(query, pod, false, ret_code) : NULL;
}
